/* SPDX-License-Identifier: MIT */
/*
 * Memory and work of one decision. Everything that the lexer, the parser and the evaluator build
 * lives in one arena and dies with it. Memory, steps and depth are bounded; passing a bound leaves
 * through the arena's jump buffer, so that no caller can forget to look. Pure (allocates).
 */
#ifndef GATE_ARENA_H
#define GATE_ARENA_H

#include <setjmp.h>

#include "base/view.h"

struct arena_block;

struct arena {
	struct arena *owner; /* a part of another one: its bounds, work and jump buffer count */
	struct arena_block *blocks;
	char *next;
	size_t left;
	size_t total;
	size_t max;
	bool keep; /* for the user: something in it must outlive the next reset */
	struct arena_block *spare;
	uint64_t steps;	    /* work done */
	uint64_t max_steps; /* 0: no bound */
	jmp_buf full; /* set by the owner before the first allocation; value E_NOMEM or E_TOOBIG */
};

void arena_init(struct arena *a, size_t max);
/* A part of owner that can be emptied on its own. */
void arena_init_part(struct arena *a, struct arena *owner);
void arena_release(struct arena *a);

/* A place to go back to: what was allocated since then is gone. */
struct arena_mark {
	struct arena_block *block;
	char *next;
	size_t left;
};
struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark to);

/* Memory aligned for any object, not zeroed. Doesn't return when the bound is passed. */
void *arena_raw(struct arena *a, size_t n) __attribute__((returns_nonnull));
/* The same, zeroed; here, since for the size of an object that takes a few instructions. */
static inline void *arena_alloc(struct arena *a, size_t n)
{
	return memset(arena_raw(a, n), 0, n);
}
/* The same without zeroing and aligning: for text. */
char *arena_text(struct arena *a, size_t n) __attribute__((returns_nonnull));
struct view arena_copy(struct arena *a, struct view v);

/* Counts work; doesn't return when the bound is passed. */
static inline void arena_step(struct arena *a, uint64_t n)
{
	if (a->owner)
		a = a->owner;
	a->steps += n;
	if (a->max_steps && a->steps > a->max_steps)
		longjmp(a->full, -4); /* E_TOOBIG */
}

/* Growable text in the arena: doubles, so that appending stays linear. */
struct text {
	struct arena *a;
	char *ptr;
	size_t len, cap;
};

static inline void text_init(struct text *t, struct arena *a)
{
	*t = (struct text){.a = a};
}
void text_grow(struct text *t, size_t more);
static inline void text_putc(struct text *t, char c)
{
	if (t->len == t->cap)
		text_grow(t, 1);
	t->ptr[t->len++] = c;
}
void text_put(struct text *t, struct view v);
static inline struct view text_view(const struct text *t)
{
	return (struct view){t->ptr ? t->ptr : "", t->len};
}

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))

#endif
