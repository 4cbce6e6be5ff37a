/* SPDX-License-Identifier: MIT */
/*
 * Memory that runs out. The linker sends every allocation of the library here (--wrap), cJSON's
 * come through its own hooks. Each act is done once to count its allocations, then with each of
 * them failing in turn: it has to say E_NOMEM and give everything back.
 */
#include "base/base.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/jsonw.h"
#include "base/utf8.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

static long calls, fail_at = -1, live;

void *__real_malloc(size_t n);
void *__real_realloc(void *p, size_t n);
void *__real_calloc(size_t n, size_t size);
void __real_free(void *p);

static bool fails(void)
{
	return calls++ == fail_at;
}

void *__wrap_malloc(size_t n)
{
	void *p = fails() ? NULL : __real_malloc(n);

	live += p != NULL;
	return p;
}

void *__wrap_calloc(size_t n, size_t size)
{
	void *p = fails() ? NULL : __real_calloc(n, size);

	live += p != NULL;
	return p;
}

void *__wrap_realloc(void *old, size_t n)
{
	void *p = fails() ? NULL : __real_realloc(old, n);

	live += p && !old;
	return p;
}

void __wrap_free(void *p)
{
	live -= p != NULL;
	__real_free(p);
}

static int put_pieces(void)
{
	auto_buf struct buf b;

	buf_init(&b, 100000);
	for (int i = 0; i < 2000; i++) {
		buf_puts(&b, "some bytes ");
		buf_printf(&b, "%d", i);
	}
	(void)utf8_print(&b, VIEW("\x1b\xff"), 0);
	(void)base64_put(&b, VIEW("abc"));
	return buf_error(&b);
}

static int reserve(void)
{
	auto_buf struct buf b;

	buf_init(&b, 100000);
	if (!buf_reserve(&b, 1000))
		return buf_error(&b);
	buf_added(&b, 1000);
	if (!buf_reserve(&b, 5000))
		return buf_error(&b);
	return buf_error(&b);
}

/* More names than fit without allocating, nested so that the list grows while objects are open. */
static int put_text(struct buf *b)
{
	buf_puts(b, "{\"numbers\":[1,2.5,\"x\",-3e1],\"o\":{");
	for (int i = 0; i < 200; i++)
		buf_printf(b, "%s\"name %d\":{\"a\":\"\\u00e9\"}", i ? "," : "", i);
	buf_puts(b, "}}");
	return buf_error(b);
}

/* Sixteen names of one hash (FNV-1a, base/json_names.c): blocks that collide, one pair after the
 * other. */
static int check_colliding(void)
{
	static const char *const blocks[4][2] = {{"yiijsv", "ktodoe"},
						 {"trmicl", "biexpa"},
						 {"thvycu", "vhjtor"},
						 {"elwqsh", "smhkqr"}};
	static char bytes[1024];
	size_t n = 0;

	for (unsigned i = 0; i < 16; i++)
		n += (size_t)snprintf(bytes + n, sizeof(bytes) - n, "%c\"%s%s%s%s\":0",
				      i ? ',' : '{', blocks[0][i & 1], blocks[1][i >> 1 & 1],
				      blocks[2][i >> 2 & 1], blocks[3][i >> 3]);
	bytes[n++] = '}';
	return json_check((struct view){bytes, n}, NULL);
}

static char text_bytes[16384];
static struct view text;

static int check(void)
{
	return json_check(text, NULL);
}

static int parse(void)
{
	auto_json struct json *j = NULL;
	int r = json_parse(text, &j, NULL);

	cr_assert_eq(j == NULL, r != 0);
	return r;
}

static struct json *tree;

static int write_canonical(void)
{
	auto_buf struct buf b;

	buf_init(&b, 100000);
	return jsonw_canonical(&b, JSONW_SPACED, json_member(tree, "o"), NULL);
}

static int write_value(void)
{
	auto_buf struct buf b;
	struct jsonw w;

	buf_init(&b, 100000);
	jsonw_init(&w, &b, JSONW_INDENTED);
	jsonw_value(&w, json_member(tree, "o"));
	return jsonw_finish(&w);
}

static int raw(void)
{
	struct view v;

	return json_raw_member(text, "o", &v);
}

Test(nomem, every_failing_allocation_is_an_error_and_leaks_nothing)
{
	static const struct {
		const char *name;
		int (*act)(void);
		bool allocates;
	} acts[] = {
		{"put_pieces", put_pieces, true},
		{"reserve", reserve, true},
		{"check", check, true},
		{"check_colliding", check_colliding, true},
		{"parse", parse, true},
		{"write_canonical", write_canonical, true},
		{"write_value", write_value, true},
		{"raw", raw, false},
	};
	cJSON_Hooks hooks = {__wrap_malloc, __wrap_free};
	struct buf b;

	buf_init(&b, sizeof(text_bytes));
	cr_assert_eq(put_text(&b), 0);
	memcpy(text_bytes, b.data, b.len);
	text = (struct view){text_bytes, b.len};
	buf_release(&b);
	cJSON_InitHooks(&hooks);
	cr_assert_eq(json_parse(text, &tree, NULL), 0);

	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		long before = live, n;
		int r;

		fail_at = -1;
		calls = 0;
		r = acts[i].act();
		cr_assert_eq(r, 0, "%s: %s", acts[i].name, err_name(r));
		cr_assert_eq(live, before, "%s leaks", acts[i].name);
		n = calls;
		cr_assert_eq(n > 0, acts[i].allocates, "%s: %ld allocations", acts[i].name, n);
		for (long k = 0; k < n; k++) {
			calls = 0;
			fail_at = k;
			r = acts[i].act();
			fail_at = -1;
			cr_assert_eq(r, E_NOMEM, "%s, allocation %ld of %ld: %s", acts[i].name, k,
				     n, err_name(r));
			cr_assert_eq(live, before, "%s leaks when allocation %ld fails",
				     acts[i].name, k);
		}
	}
	json_free(tree);
	cr_assert_eq(live, 0);
}

/* A message of ours is checked without any allocation. */
Test(nomem, ordinary_check_allocates_nothing)
{
	calls = 0;
	cr_assert_eq(
		json_check(
			VIEW("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
			     "{\"name\":\"write_file\",\"arguments\":{\"path\":\"a\"}}}"),
			NULL),
		0);
	cr_assert_eq(calls, 0);
}

/* What was in the buffer before the failure is still there. */
Test(nomem, failed_growth_keeps_the_old_bytes)
{
	struct buf b;

	fail_at = -1;
	buf_init(&b, 100000);
	cr_assert_eq(buf_puts(&b, "kept"), 0);
	calls = 0;
	fail_at = 0;
	cr_assert_null(buf_reserve(&b, 50000));
	fail_at = 0;
	calls = 0;
	buf_trim(&b, 5);
	fail_at = -1;
	cr_assert_str_eq(buf_text(&b), "kept");
	cr_assert_eq(buf_error(&b), E_NOMEM);
	buf_release(&b);
}
