/* SPDX-License-Identifier: MIT */
/* Byte strings with unknown parts. Test: t_parse. */
#include "base/base.h"

#include "gate/eval.h"

struct view view_cat(struct arena *a, struct view x, struct view y)
{
	char *p;

	if (x.len == 0)
		return y;
	if (y.len == 0)
		return x;
	p = arena_text(a, x.len + y.len);
	memcpy(p, x.ptr, x.len);
	memcpy(p + x.len, y.ptr, y.len);
	return (struct view){p, x.len + y.len};
}

struct view view_sub(struct view v, size_t from)
{
	if (from > v.len)
		from = v.len;
	return (struct view){v.ptr + from, v.len - from};
}

bool view_starts(struct view v, const char *prefix)
{
	return view_starts_with(v, view_of(prefix));
}

bool view_ends(struct view v, const char *suffix)
{
	return view_ends_with(v, view_of(suffix));
}

bool view_has(struct view v, const char *part)
{
	size_t n = strlen(part);

	return n == 0 || view_find(v, (struct view){part, n}) != NULL;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Both sides may hold wild parts. Walks the value; a set of reachable pattern positions (at most
 * 64) is kept as bits, so the cost is length times one word. */
bool value_may_match(const char *glob, struct view v, bool fold)
{
	size_t n = strlen(glob);
	uint64_t at, last;

	if (n > 62)
		return false;
	last = (uint64_t)1 << n;
#define SPREAD(bits)                                                                               \
	do {                                                                                       \
		for (size_t k_ = 0; k_ < n; k_++)                                                  \
			if (((bits) >> k_ & 1) && glob[k_] == '*')                                 \
				(bits) |= (uint64_t)1 << (k_ + 1);                                 \
	} while (0)
	at = 1;
	SPREAD(at);
	for (size_t i = 0; i < v.len && at; i++) {
		char c = v.ptr[i];
		uint64_t next = 0;

		if (c == ANY || c == GLOB) { /* from any reachable place to any later one */
			uint64_t low = at & (~at + 1);

			next = ~(low - 1) & (last | (last - 1));
		} else {
			for (size_t k = 0; k < n; k++) {
				if (!(at >> k & 1))
					continue;
				if (glob[k] == '*')
					next |= (uint64_t)1 << k;
				else if (glob[k] == '?' || glob[k] == c ||
					 (fold && lower(glob[k]) == lower(c)))
					next |= (uint64_t)1 << (k + 1);
			}
			SPREAD(next);
		}
		at = next;
	}
#undef SPREAD
	return (at & last) != 0;
}

void fields_room(struct arena *a, struct fields *f, uint32_t n)
{
	struct field *v;

	if (f->cap - f->n >= n)
		return;
	n += f->n;
	v = arena_raw(a, n * sizeof(*v));
	if (f->n)
		memcpy(v, f->v, f->n * sizeof(*v));
	f->v = v;
	f->cap = n;
}

void fields_add(struct arena *a, struct fields *f, struct field x)
{
	if (f->n == f->cap)
		fields_room(a, f, f->cap ? f->cap : 4);
	f->v[f->n++] = x;
}

struct field fields_join(struct arena *a, const struct field *v, uint32_t n)
{
	struct field all = v[0];
	struct text t;

	if (n == 1)
		return all;
	text_init(&t, a);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t end = v[i].span.off + v[i].span.len;

		if (i)
			text_putc(&t, ' ');
		text_put(&t, v[i].v);
		all.taint |= v[i].taint;
		if (end > all.span.off + all.span.len)
			all.span.len = end - all.span.off;
	}
	all.v = text_view(&t);
	return all;
}
