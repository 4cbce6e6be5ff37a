/* SPDX-License-Identifier: MIT */
/* A short command touches few pages, a long one makes few calls. Test: t_parse. */
#include "base/base.h"

#include "gate/arena.h"

#include "base/err.h"

#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_POISON 1
#endif
#endif
#ifdef HAVE_POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)	  ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

struct arena_block {
	struct arena_block *prev;
	size_t size;
	max_align_t data[];
};

/* Blocks double up to 256 KiB. What needs more gets huge pages: first use of a small page costs
 * more than reading the command that fills it, and one huge page costs less than twenty small ones.
 */
enum { FIRST_BLOCK = 16384, HUGE_PAGE = 2097152, HUGE_FROM = 262144 };

static struct arena_block *map_huge(size_t bytes)
{
	uintptr_t start, from;
	char *p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	start = (uintptr_t)p;
	from = (start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	if (from > start)
		(void)munmap(p, from - start);
	(void)munmap(p + (from - start) + bytes, HUGE_PAGE - (from - start));
#ifdef MADV_HUGEPAGE
	(void)madvise(p + (from - start), bytes, MADV_HUGEPAGE); /* only a wish */
#endif
	return (struct arena_block *)(void *)(p + (from - start));
}

static struct arena_block *get(size_t bytes)
{
	return bytes < HUGE_FROM ? malloc(bytes) : map_huge(bytes);
}

static void give_back(struct arena_block *b)
{
	size_t bytes = sizeof(*b) + b->size;

	if (bytes < HUGE_FROM)
		free(b);
	else
		(void)munmap(b, bytes);
}

void arena_init(struct arena *a, size_t max)
{
	memset(a, 0, sizeof(*a));
	a->max = max;
}

void arena_init_part(struct arena *a, struct arena *owner)
{
	memset(a, 0, sizeof(*a));
	a->owner = owner;
}

static void drop(struct arena_block *b)
{
	ASAN_UNPOISON_MEMORY_REGION(b->data, b->size);
	give_back(b);
}

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *prev = a->blocks->prev;

		drop(a->blocks);
		a->blocks = prev;
	}
	if (a->spare)
		drop(a->spare);
	a->spare = NULL;
	a->next = NULL;
	a->left = 0;
}

/* Blocks of a size that keeps a long command from many calls and a short one from many pages. */
static struct arena_block *new_block(struct arena *a, size_t size)
{
	struct arena *bound = a->owner ? a->owner : a;
	struct arena_block *b;

	if (a->spare && a->spare->size >= size) {
		b = a->spare;
		a->spare = NULL;
		return b;
	}
	if (size > bound->max || bound->total > bound->max - size)
		longjmp(bound->full, E_NOMEM);
	b = get(sizeof(*b) + size);
	if (!b)
		longjmp(bound->full, E_NOMEM);
	b->size = size;
	bound->total += size;
	if (a->owner)
		a->total += size;
	ASAN_POISON_MEMORY_REGION(b->data, size);
	return b;
}

static void more(struct arena *a, size_t need)
{
	size_t size = a->total < FIRST_BLOCK ? FIRST_BLOCK : a->total;
	struct arena_block *b;

	if (size < need)
		size = need;
	if (size + sizeof(*b) >= HUGE_FROM)
		size = (size + sizeof(*b) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE - sizeof(*b);
	b = new_block(a, size);
	b->prev = a->blocks;
	a->blocks = b;
	a->next = (char *)b->data;
	a->left = b->size;
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){a->blocks, a->next, a->left};
}

void arena_reset(struct arena *a, struct arena_mark to)
{
	while (a->blocks != to.block) {
		struct arena_block *b = a->blocks;

		a->blocks = b->prev;
		ASAN_POISON_MEMORY_REGION(b->data, b->size);
		if (!a->spare || a->spare->size < b->size) {
			struct arena_block *old = a->spare;

			a->spare = b;
			b = old;
		}
		if (b) {
			struct arena *bound = a->owner ? a->owner : a;

			bound->total -= b->size;
			if (a->owner)
				a->total -= b->size;
			drop(b);
		}
	}
	if (to.next)
		ASAN_POISON_MEMORY_REGION(to.next, to.left);
	a->next = to.next;
	a->left = to.left;
}

char *arena_text(struct arena *a, size_t n)
{
	char *p;

	if (n > a->left)
		more(a, n);
	p = a->next;
	ASAN_UNPOISON_MEMORY_REGION(p, n);
	a->next += n;
	a->left -= n;
	return p;
}

void *arena_raw(struct arena *a, size_t n)
{
	size_t skew = (uintptr_t)a->next % sizeof(max_align_t);

	if (skew && sizeof(max_align_t) - skew <= a->left)
		(void)arena_text(a, sizeof(max_align_t) - skew);
	else if (skew)
		a->left = 0;
	n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	return arena_text(a, n);
}

struct view arena_copy(struct arena *a, struct view v)
{
	char *p = arena_text(a, v.len + 1);

	if (v.len)
		memcpy(p, v.ptr, v.len);
	p[v.len] = 0;
	return (struct view){p, v.len};
}

void text_grow(struct text *t, size_t n)
{
	size_t cap = t->cap ? t->cap * 2 : 32;
	char *p;

	while (cap - t->len < n)
		cap *= 2;
	p = arena_text(t->a, cap);
	if (t->len)
		memcpy(p, t->ptr, t->len);
	t->ptr = p;
	t->cap = cap;
}

void text_put(struct text *t, struct view v)
{
	if (v.len == 0)
		return;
	if (t->cap - t->len < v.len)
		text_grow(t, v.len);
	memcpy(t->ptr + t->len, v.ptr, v.len);
	t->len += v.len;
}
