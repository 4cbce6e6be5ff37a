/* SPDX-License-Identifier: MIT */
/* The staged records as a list shows them. Pure (allocates). Tests: tests/e2e/runner-staged.tap. */
#include "base/base.h"

#include "runner/store.h"

static int oldest_first(const void *va, const void *vb)
{
	const struct store_entry *a = *(struct store_entry *const *)va;
	const struct store_entry *b = *(struct store_entry *const *)vb;

	if (a->staged_s != b->staged_s)
		return a->staged_s < b->staged_s ? -1 : 1;
	/* Ids are random: within a second the files' own times tell the order. */
	if (a->st.st_mtim.tv_sec != b->st.st_mtim.tv_sec)
		return a->st.st_mtim.tv_sec < b->st.st_mtim.tv_sec ? -1 : 1;
	if (a->st.st_mtim.tv_nsec != b->st.st_mtim.tv_nsec)
		return a->st.st_mtim.tv_nsec < b->st.st_mtim.tv_nsec ? -1 : 1;
	return strcmp(a->sid, b->sid);
}

static int by_path(const void *va, const void *vb)
{
	const struct store_entry *a = *(struct store_entry *const *)va;
	const struct store_entry *b = *(struct store_entry *const *)vb;
	int order = strcmp(a->path ? a->path : "", b->path ? b->path : "");

	return order ? order : strcmp(a->sid, b->sid);
}

/* How many records share each one's path. */
static void count_same_paths(struct store_entry **item, size_t n)
{
	qsort(item, n, sizeof(*item), by_path);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && item[i]->path && item[end]->path &&
				  strcmp(item[i]->path, item[end]->path) == 0;)
			end++;
		for (size_t k = i; k < end; k++)
			item[k]->same_path = end - i;
	}
}

struct store_entry *const *store_by_age(struct store *s, size_t *ret_n)
{
	*ret_n = s->n_by_age;
	if (s->in_order)
		return s->by_age;
	free(s->by_age);
	s->n_by_age = 0;
	s->by_age = calloc(s->n + 1, sizeof(*s->by_age));
	if (!s->by_age)
		return NULL;
	for (size_t i = 0; i < s->n; i++) {
		if (!s->item[i]->decided)
			s->by_age[s->n_by_age++] = s->item[i];
	}
	count_same_paths(s->by_age, s->n_by_age);
	qsort(s->by_age, s->n_by_age, sizeof(*s->by_age), oldest_first);
	s->in_order = true;
	*ret_n = s->n_by_age;
	return s->by_age;
}
