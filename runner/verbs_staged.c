/* SPDX-License-Identifier: MIT */
/* --list-staged, --show-staged, --apply-staged, --reject-staged. System. Tests:
 * tests/e2e/runner-staged.tap. */
#include "base/base.h"

#include "runner/verbs.h"

#include "base/hex.h"
#include "base/hugeheap.h"
#include "base/limits.h"
#include "base/log.h"

#include <stdio.h>

enum { LIST_HEAP_BYTES = 64 << 20 }; /* 10,000 records take half of it */

int staged_fetch(struct client *c, const char *sid, struct json **ret, struct errctx *e)
{
	auto_buf struct buf text;
	struct jsonw w;

	buf_init(&text, 4096);
	jsonw_init(&w, &text, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "kind", "show-staged");
	jsonw_kv_cstr(&w, "sid", sid);
	jsonw_obj_end(&w);
	if (buf_error(&text))
		return err_set(e, buf_error(&text), "the request can't be built");
	return client_call(c, buf_view(&text), ret, e);
}

int staged_decide(struct client *c, const char *kind, const char *sid, const char *digest,
		  struct json **ret, struct errctx *e)
{
	auto_buf struct buf text;
	struct jsonw w;

	buf_init(&text, MAX_REQUEST_BYTES);
	jsonw_init(&w, &text, JSONW_SPACED);
	jsonw_obj(&w);
	if (digest)
		jsonw_kv_cstr(&w, "content_sha256", digest);
	jsonw_kv_cstr(&w, "kind", kind);
	if (strcmp(kind, "reject-staged") == 0 && c->opt->reason)
		jsonw_kv_cstr(&w, "reason", c->opt->reason);
	jsonw_kv_cstr(&w, "sid", sid);
	jsonw_obj_end(&w);
	if (buf_error(&text))
		return err_set(e, buf_error(&text),
			       "the request can't be built: is the reason UTF-8?");
	return client_call(c, buf_view(&text), ret, e);
}

static int fetch_page(struct client *c, struct view after, struct json **ret, struct errctx *e)
{
	auto_buf struct buf text;
	struct jsonw w;

	buf_init(&text, 4096);
	jsonw_init(&w, &text, JSONW_SPACED);
	jsonw_obj(&w);
	if (after.ptr)
		jsonw_kv_str(&w, "after", after);
	jsonw_kv_cstr(&w, "kind", "list-staged");
	jsonw_obj_end(&w);
	if (buf_error(&text))
		return err_set(e, buf_error(&text), "the request can't be built");
	return client_call(c, buf_view(&text), ret, e);
}

static int add_page(struct staged_list *l, struct json *page)
{
	const struct json *list = json_member(result_value(page), "staged");
	struct json **pages = reallocarray(l->page, l->n_pages + 1, sizeof(struct json *));
	const struct json **items;

	if (!pages)
		return E_NOMEM;
	l->page = pages;
	l->page[l->n_pages++] = page;
	items = reallocarray(l->item, l->n + json_count(list) + 1, sizeof(const struct json *));
	if (!items)
		return E_NOMEM;
	l->item = items;
	for (const struct json *i = json_first(list); i; i = json_next(i))
		l->item[l->n++] = i;
	return 0;
}

int staged_list_fetch(struct client *c, struct staged_list *ret, struct errctx *e)
{
	struct staged_list l = {0};
	bool more = true;
	int rc = 0;

	while (rc == 0 && more) {
		struct json *page = NULL;
		size_t before = l.n;

		more = false;
		rc = fetch_page(c, l.n ? member_text(l.item[l.n - 1], "sid") : (struct view){0},
				&page, e);
		if (rc == 0 && !result_ok(page)) {
			struct view why = result_error(page);

			rc = err_set(e, E_DENIED, "%.*s", (int)why.len, why.ptr);
			json_free(page);
		} else if (rc == 0) {
			rc = add_page(&l, page);
			if (rc != 0) {
				json_free(page);
				(void)err_set(e, rc, "out of memory");
				break;
			}
			ignored(json_get_bool(json_member(result_value(page), "truncated"), &more));
			more = more && l.n > before;
		}
	}
	if (rc != 0) {
		staged_list_release(&l);
		return rc;
	}
	*ret = l;
	return 0;
}

void staged_list_release(struct staged_list *l)
{
	for (size_t i = 0; i < l->n_pages; i++)
		json_free(l->page[i]);
	free(l->page);
	free(l->item);
	*l = (struct staged_list){0};
}

/* ---- list ---- */

static void print_age(int64_t s)
{
	if (s < 3600)
		printf("%3lldm ", (long long)s / 60);
	else
		printf("%2lld:%02lld", (long long)s / 3600, (long long)s / 60 % 60);
}

static void print_cell(struct view v, int width)
{
	auto_buf struct buf text;
	int n;

	buf_init(&text, MAX_REQUEST_BYTES);
	(void)print_text(v, false);
	n = (int)v.len; /* wide enough for what is usual; a longer one moves the rest */
	printf("%*s", n < width ? width - n + 1 : 1, "");
}

static void print_item(const struct json *item)
{
	bool malformed = false, stale = false, expired = false, review = false;
	int64_t bytes = 0, age = 0, same = 0;

	ignored(json_get_bool(json_member(item, "malformed"), &malformed));
	print_cell(member_text(item, "sid"), ID_HEX);
	if (malformed || view_is(member_text(item, "signature"), "bad")) {
		puts(malformed ? " malformed" : " signature: bad");
		return;
	}
	ignored(json_get_bool(json_member(item, "stale"), &stale));
	ignored(json_get_bool(json_member(item, "expired"), &expired));
	ignored(json_get_bool(json_member(item, "needs_review"), &review));
	ignored(json_get_int(json_member(item, "bytes"), &bytes));
	ignored(json_get_int(json_member(item, "age_s"), &age));
	ignored(json_get_int(json_member(item, "same_path"), &same));
	print_age(age);
	printf(" %-6s %7lld ",
	       view_is(member_text(item, "kind"), "delete-proposal") ? "delete" : "change",
	       (long long)bytes);
	print_cell(member_text(item, "agent"), 16);
	print_cell(member_text(item, "path"), 24);
	for (const struct json *g = json_first(json_member(item, "gates")); g; g = json_next(g)) {
		int64_t code = -1;

		ignored(json_get_int(json_member(g, "exit"), &code));
		putchar(' ');
		(void)print_text(member_text(g, "gate"), false);
		printf("=%lld", (long long)code);
	}
	if (stale)
		printf(" stale");
	if (expired)
		printf(" expired");
	if (review)
		printf(" needs-review");
	if (same > 1)
		printf(" (%lld for this path)", (long long)same);
	putchar('\n');
}

static int print_list_json(const struct staged_list *l)
{
	auto_buf struct buf text;
	struct jsonw w;

	buf_init(&text, 64 * (size_t)MAX_RESULT_READ_BYTES);
	jsonw_init(&w, &text, JSONW_INDENTED);
	jsonw_obj(&w);
	jsonw_key(&w, "staged");
	jsonw_arr(&w);
	for (size_t i = 0; i < l->n; i++)
		jsonw_value(&w, l->item[i]);
	jsonw_arr_end(&w);
	jsonw_obj_end(&w);
	if (buf_error(&text) || fwrite(buf_text(&text), 1, text.len, stdout) != text.len ||
	    putchar('\n') == EOF)
		return 1;
	return 0;
}

int verb_list(struct client *c)
{
	struct staged_list l;
	struct errctx e = {0};
	int code = 0;

	hugeheap_prepare(LIST_HEAP_BYTES);
	if (staged_list_fetch(c, &l, &e) != 0)
		return verb_fail(&e);
	if (c->opt->json) {
		code = print_list_json(&l);
	} else if (l.n == 0) {
		puts("nothing is staged");
	} else {
		printf("%-32s  %5s %-6s %7s %-16s %s\n", "sid", "age", "kind", "bytes", "agent",
		       "path");
		for (size_t i = 0; i < l.n; i++)
			print_item(l.item[i]);
	}
	staged_list_release(&l);
	return code;
}

/* ---- several ids ---- */

struct target_ids {
	char (*sid)[ID_HEX + 1];
	const char **digest;
	size_t n;
};

static void ids_release(struct target_ids *t)
{
	free(t->sid);
	free(t->digest);
}

/* "SID" or "SID:HASH" (at least 12 digits), or all that are staged now. */
static int ids_take(struct client *c, struct target_ids *t, struct errctx *e)
{
	struct staged_list l = {0};
	size_t n = c->opt->n_ids;
	int rc = 0;

	*t = (struct target_ids){0};
	if (c->opt->all) {
		rc = staged_list_fetch(c, &l, e);
		if (rc != 0)
			return rc;
		n = l.n;
	}
	t->sid = calloc(n + 1, sizeof(*t->sid));
	t->digest = calloc(n + 1, sizeof(*t->digest));
	if (!t->sid || !t->digest)
		rc = err_set(e, E_NOMEM, "out of memory");
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct view v =
			c->opt->all ? member_text(l.item[i], "sid") : view_of(c->opt->ids[i]);
		const char *colon = c->opt->all ? NULL : strchr(c->opt->ids[i], ':');

		if (colon) {
			t->digest[i] = colon + 1;
			v.len = (size_t)(colon - v.ptr);
			if (strlen(colon + 1) < 12 ||
			    !hex_is_lower(view_of(colon + 1), strlen(colon + 1)))
				rc = err_set(e, E_USAGE,
					     "the hash behind %.*s has fewer than 12 hex digits",
					     (int)v.len, v.ptr);
		}
		if (!hex_is_lower(v, ID_HEX))
			rc = err_set(e, E_USAGE, "\"%.*s\" is no id of 32 lower-case hex digits",
				     (int)v.len, v.ptr);
		else
			memcpy(t->sid[i], v.ptr, ID_HEX);
	}
	t->n = n;
	staged_list_release(&l);
	if (rc != 0)
		ids_release(t);
	return rc;
}

static int show_one(struct client *c, const char *sid, bool first)
{
	auto_json struct json *result = NULL;
	struct errctx e = {0};
	struct show s = {.color = show_wants_color(c->opt)};

	if (staged_fetch(c, sid, &result, &e) != 0)
		return verb_fail(&e);
	if (!result_ok(result)) {
		struct view why = result_error(result);

		(void)err_set(&e, E_DENIED, "%.*s", (int)why.len, why.ptr);
		return verb_fail(&e);
	}
	if (c->opt->json)
		return print_json(result_value(result), JSONW_INDENTED) ? 1 : 0;
	if (!first)
		putchar('\n');
	return show_record(c, result_value(result), &s, &e) ? verb_fail(&e) : 0;
}

int verb_show(struct client *c)
{
	struct target_ids t;
	struct errctx e = {0};
	int code = 0;

	if (ids_take(c, &t, &e) != 0)
		return verb_fail(&e);
	for (size_t i = 0; i < t.n; i++)
		code |= show_one(c, t.sid[i], i == 0);
	ids_release(&t);
	return code;
}

static void print_decision(const struct json *value, const char *kind)
{
	struct view hash = member_text(value, "new_sha256");

	(void)print_text(member_text(value, "path"), false);
	printf(": ");
	if (strcmp(kind, "reject-staged") == 0)
		printf("rejected");
	else if (hash.len)
		printf("written, %.*s", (int)hash.len, hash.ptr);
	else
		printf("deleted");
	printf(" (agent ");
	(void)print_text(member_text(value, "agent"), false);
	printf(")\n");
}

static int decide_all(struct client *c, const char *kind)
{
	struct target_ids t;
	struct errctx e = {0};
	int code = 0;

	if (ids_take(c, &t, &e) != 0)
		return verb_fail(&e);
	for (size_t i = 0; i < t.n; i++) {
		auto_json struct json *result = NULL;

		if (staged_decide(c, kind, t.sid[i], t.digest[i], &result, &e) != 0) {
			code = verb_fail(&e);
			break; /* nobody answers: the others would fare no better */
		}
		if (c->opt->json) {
			code |= print_json(result, JSONW_INDENTED) ? 1 : !result_ok(result);
		} else if (result_ok(result)) {
			print_decision(result_value(result), kind);
		} else {
			struct view why = result_error(result);

			log_error("%s: %.*s", t.sid[i], (int)why.len, why.ptr);
			code = 1;
		}
	}
	if (t.n == 0 && !c->opt->json)
		puts("nothing is staged");
	ids_release(&t);
	return code;
}

int verb_apply(struct client *c)
{
	return decide_all(c, "apply-staged");
}

int verb_reject(struct client *c)
{
	return decide_all(c, "reject-staged");
}
