/* SPDX-License-Identifier: MIT */
/* Writes parsed values: members in the order of the text, or sorted (canonical form, file 22,
 * section 7). No recursion. Pure (the sorted form allocates). Tested by
 * tests/unit/base/t_canonical.c, t_jsonw.c, t_nomem.c and tests/fuzz/fuzz_json.c. */
#include "base/base.h"

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/sort.h"

/* Members of open objects, sorted; the innermost one's last. */
struct members {
	const struct json **list;
	size_t n, cap;
};

struct level {
	const struct json *next; /* not sorted: the child to write next */
	size_t first, at;	 /* sorted: the object's members in the list, and the next one */
	bool is_object, is_sorted;
};

struct emitter {
	struct jsonw *w;
	bool sort;
	const char *omit;
	struct members members;
	struct level levels[MAX_JSON_DEPTH];
	unsigned depth;
};

static void cleanup_emitter(struct emitter *t)
{
	free(t->members.list);
}

/* Names are valid UTF-8 without NUL, whose byte order is that of the code points; strcmp compares
 * unsigned bytes. */
static int compare_members(const void *a, const void *b)
{
	const struct json *const *left = a, *const *right = b;

	return strcmp(json_key(*left).ptr, json_key(*right).ptr);
}

static int add_member(struct members *m, const struct json *j)
{
	if (m->n == m->cap) {
		size_t cap = m->cap ? m->cap * 2 : 32;
		const struct json **list = NULL;

		if (cap <= SIZE_MAX / sizeof(*list))
			list = realloc(m->list, cap * sizeof(*list));
		if (!list)
			return E_NOMEM;
		m->list = list;
		m->cap = cap;
	}
	m->list[m->n++] = j;
	return 0;
}

static void open_level(struct emitter *t, const struct json *container)
{
	struct members *m = &t->members;
	struct level *level;
	bool top = t->depth == 0;

	if (t->depth == MAX_JSON_DEPTH) {
		buf_fail(t->w->out, E_DEPTH);
		return;
	}
	level = &t->levels[t->depth++];
	*level = (struct level){
		.next = json_first(container),
		.first = m->n,
		.at = m->n,
		.is_object = json_is(container, JSON_OBJECT),
	};
	level->is_sorted = level->is_object && t->sort;
	if (level->is_object)
		jsonw_obj(t->w);
	else
		jsonw_arr(t->w);
	if (!level->is_sorted)
		return;
	for (const struct json *j = level->next; j; j = json_next(j)) {
		if (top && t->omit && view_is(json_key(j), t->omit))
			continue;
		if (add_member(m, j)) {
			buf_fail(t->w->out, E_NOMEM);
			return;
		}
	}
	if (m->n > level->first)
		sort_in_place(m->list + level->first, m->n - level->first, sizeof(*m->list),
			      compare_members);
}

static void close_level(struct emitter *t)
{
	struct level *level = &t->levels[--t->depth];

	t->members.n = level->first;
	if (level->is_object)
		jsonw_obj_end(t->w);
	else
		jsonw_arr_end(t->w);
}

static const struct json *take_child(struct emitter *t)
{
	struct level *level = &t->levels[t->depth - 1];
	const struct json *child = level->next;

	if (level->is_sorted)
		return level->at < t->members.n ? t->members.list[level->at++] : NULL;
	level->next = json_next(child);
	return child;
}

static void put_number(struct jsonw *w, const struct json *j)
{
	int64_t n;
	int r = json_get_int(j, &n);

	if (r)
		buf_fail(w->out, r);
	else
		jsonw_int(w, n);
}

/* A scalar, or the start of a container. */
static void put_value(struct emitter *t, const struct json *j)
{
	struct view text;
	bool yes;

	switch (json_type(j)) {
	case JSON_NULL:
		jsonw_null(t->w);
		return;
	case JSON_BOOL:
		if (json_get_bool(j, &yes) == 0)
			jsonw_bool(t->w, yes);
		return;
	case JSON_NUMBER:
		put_number(t->w, j);
		return;
	case JSON_STRING:
		if (json_get_str(j, &text) == 0)
			jsonw_str(t->w, text);
		return;
	case JSON_ARRAY:
	case JSON_OBJECT:
		open_level(t, j);
		return;
	}
	buf_fail(t->w->out, E_INTERNAL); /* no value at all */
}

static void emit(struct emitter *t, const struct json *j)
{
	put_value(t, j);
	while (t->depth > 0 && buf_error(t->w->out) == 0) {
		const struct json *child = take_child(t);

		if (!child) {
			close_level(t);
			continue;
		}
		if (t->levels[t->depth - 1].is_object)
			jsonw_key_view(t->w, json_key(child));
		put_value(t, child);
	}
}

void jsonw_value(struct jsonw *w, const struct json *j)
{
	struct emitter t = {.w = w};

	emit(&t, j);
}

int jsonw_canonical(struct buf *out, enum jsonw_form form, const struct json *j, const char *omit)
{
	struct jsonw w;
	__attribute__((cleanup(cleanup_emitter))) struct emitter t = {
		.w = &w,
		.sort = true,
		.omit = omit,
	};

	jsonw_init(&w, out, form);
	emit(&t, j);
	return buf_error(out);
}
