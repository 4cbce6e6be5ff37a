/* SPDX-License-Identifier: MIT */
/* Texts of other kinds: program text by language (first byte), content of files, gate.rules,
 * masking. */
#include "base/base.h"

#include "tests/fuzz/fuzz.h"

#include "base/utf8.h"
#include "gate/content.h"
#include "gate/decide.h"
#include "gate/mask.h"
#include "gate/oprules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const programs[] = {"python3 -c", "perl -e",	     "ruby -e",	  "node -e",
					       "php -r",     "lua -e",	     "awk",	  "sed",
					       "psql -c",    "osascript -e", "expect -c", "vim -c",
					       "gdb -ex",    "make --eval"};
	struct gate_context ctx = {.home = VIEW("/h"), .cwd = VIEW("/w"), .project = VIEW("/w")};
	struct arena a;
	struct text t;
	struct answer got;
	struct op_rules rules;
	struct op_error error;
	unsigned line;
	struct view v;

	if (size < 1 || size > 16384)
		return 0;
	v = (struct view){(const char *)data + 1, size - 1};
	arena_init(&a, (size_t)160 << 20);
	if (setjmp(a.full) == 0) {
		(void)content_scan(&a, v, &line);
		if (oprules_parse(&a, v, &rules, &error) == (error.line != 0))
			abort();
		text_init(&t, &a);
		mask_text(&t, v);
	}
	arena_release(&a);
	arena_init(&a, (size_t)160 << 20);
	if (setjmp(a.full) == 0) {
		text_init(&t, &a);
		text_put(&t, view_of(programs[data[0] % ARRAY_LEN(programs)]));
		text_put(&t, VIEW(" '"));
		for (size_t i = 0; i < v.len; i++) {
			if (v.ptr[i] == '\'')
				text_put(&t, VIEW("'\\''"));
			else
				text_putc(&t, v.ptr[i]);
		}
		text_putc(&t, '\'');
		decide_command(&a, &ctx, text_view(&t), NULL, NULL, &got);
	}
	arena_release(&a);
	return 0;
}
