/* SPDX-License-Identifier: MIT */
/* The landing journal: its text form, and the acts behind it in a folder of their own. */
#include "base/base.h"

#include "runner/journal.h"

#include <criterion/criterion.h>
#include <stdio.h>

static void fill(struct landing *l)
{
	struct land_file *f;

	memset(l->request, 'a', ID_HEX);
	(void)snprintf(l->agent, sizeof(l->agent), "producer");
	l->exit = 0;
	l->duration_ms = 12;
	f = landing_add(l, "src/\xc3\xa9", LAND_REPLACE);
	cr_assert_not_null(f);
	f->base = (struct land_base){.exists = true,
				     .dev = 7,
				     .ino = UINT64_MAX,
				     .size = 5,
				     .mtime_ns = 1700000000123456789,
				     .ctime_ns = 1700000000123456790};
	f->mode = 0644;
	f->fresh = 42;
	f = landing_add(l, "new/x", LAND_CREATE);
	cr_assert_not_null(f);
	f = landing_add(l, "old", LAND_DELETE);
	cr_assert_not_null(f);
	f->base.exists = true;
	l->folder = calloc(1, sizeof(*l->folder));
	l->folder[l->n_folders++] = strdup("new");
}

Test(journal, what_is_written_is_read_back)
{
	struct landing l = {0}, back = {0};
	auto_buf struct buf text, again;

	fill(&l);
	l.commit = true;
	buf_init(&text, 65536);
	buf_init(&again, 65536);
	cr_assert_eq(journal_emit(&l, &text), 0);
	cr_assert_eq(journal_parse(buf_view(&text), &back, NULL), 0);
	cr_assert_eq(journal_emit(&back, &again), 0);
	cr_assert_str_eq(buf_text(&text), buf_text(&again));
	cr_assert(back.commit && back.n == 3 && back.n_folders == 1);
	cr_assert(land_base_same(&back.file[0].base, &l.file[0].base, true));
	landing_release(&l);
	landing_release(&back);
}

/* A change to the text either means the same or is refused; it never reaches outside. */
Test(journal, what_cannot_be_followed_is_refused)
{
	static const char *const bad[][2] = {
		{"\"v\":1", "\"v\":2"},
		{"new/x", "../x"},
		{"new/x", "/etc/x"},
		{"new/x", "new//x"},
		{"new/x", "."},
		{"\"create\"", "\"chmod\""},
		{"\"commit\":false", "\"commit\":0"},
		{"aaaaaaaa", "AAAAAAAA"},
		{"\"mode\":420", "\"mode\":2468"},
		{"\"fresh\":\"42\"", "\"fresh\":\"-2\""},
		{"\"ino\":\"18446744073709551615\"", "\"ino\":\"18446744073709551616\""},
		{"[\"new\"]", "[\"../new\"]"},
	};
	struct landing l = {0};
	auto_buf struct buf text;

	fill(&l);
	buf_init(&text, 65536);
	cr_assert_eq(journal_emit(&l, &text), 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const char *at = strstr(buf_text(&text), bad[i][0]);
		struct landing back = {0};
		auto_buf struct buf other;

		cr_assert_not_null(at, "%s", bad[i][0]);
		buf_init(&other, 65536);
		(void)buf_put(&other, text.data, (size_t)(at - text.data));
		(void)buf_puts(&other, bad[i][1]);
		(void)buf_puts(&other, at + strlen(bad[i][0]));
		cr_assert_neq(journal_parse(buf_view(&other), &back, NULL), 0, "%s", bad[i][1]);
	}
	for (size_t n = 0; n < text.len; n++) {
		struct landing back = {0};

		cr_assert_neq(journal_parse((struct view){text.data, n}, &back, NULL), 0);
	}
	landing_release(&l);
}
