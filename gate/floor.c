/* SPDX-License-Identifier: MIT */
/* The text floor: words of the text rules in the raw text of a command that couldn't be parsed
 * (file 40, section 12.10). Such a command is asked about anyway; this names what it seems to do.
 * One pass: every row is a small automaton over words. Test: fuzz_gate_command. */
#include "base/base.h"

#include "gate/decide.h"

enum { MAX_ROWS = 64 };

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

void floor_judge(struct run *r, struct view text)
{
	size_t n;
	const struct gate_floor *rows = gate_floors(&n);
	const char *at[MAX_ROWS];
	uint32_t start[MAX_ROWS] = {0};

	if (n > MAX_ROWS)
		n = MAX_ROWS;
	for (size_t i = 0; i < n; i++)
		at[i] = rows[i].words;
	for (size_t i = 0; i < text.len;) {
		size_t from = i;

		if (!word_char(text.ptr[i])) {
			i++;
			continue;
		}
		while (i < text.len && word_char(text.ptr[i]))
			i++;
		arena_step(r->a, 1);
		for (size_t k = 0; k < n; k++) {
			size_t len = strcspn(at[k], " ");

			if (*at[k] == 0 || len != i - from ||
			    memcmp(at[k], text.ptr + from, len) != 0)
				continue;
			if (at[k] == rows[k].words)
				start[k] = (uint32_t)from;
			at[k] += len;
			if (*at[k] == ' ')
				at[k]++;
			else
				finding_add(r, "GATE_0002", rows[k].cls, VERDICT_ASK, NULL,
					    (struct span){start[k], (uint32_t)(i - start[k])},
					    (struct view){text.ptr + start[k], i - start[k]});
		}
	}
}
