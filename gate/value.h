/* SPDX-License-Identifier: MIT */
/*
 * Values: byte strings in which ANY stands for text that isn't known and GLOB for what a pattern
 * matches; neither byte can occur in a command. Fields (words after expansion), values of
 * variables, and what flows through pipes. Pure; memory comes from the arena.
 */
#ifndef GATE_VALUE_H
#define GATE_VALUE_H

#include "gate/arena.h"
#include "gate/ast.h"

enum { ANY = 0, GLOB = 1 };

enum taint {
	TAINT_NET = 1 << 0,	/* came from another machine */
	TAINT_DECODED = 1 << 1, /* was decoded or turned round */
	TAINT_SAFE = 1 << 2,	/* made by a program whose output is meant to be evaluated */
	TAINT_RUN = 1 << 3,	/* output of a program: exists at run time only */
	TAINT_READ = 1 << 4,	/* read from input by the call itself */
};

enum flow_kind {
	FLOW_NONE, /* nothing, or the session's own input */
	FLOW_TEXT, /* known text, perhaps with ANY in it */
	FLOW_FILE, /* content of the file named by text */
	FLOW_UNKNOWN,
};
struct flow {
	uint8_t kind;
	uint8_t taint;
	struct view text;
	uint32_t cap; /* the text's memory belongs to this flow and has that size; 0: borrowed */
	struct span span; /* where it comes from */
};

struct field {
	struct view v;
	uint8_t taint;
	bool multi;  /* may be none or several words */
	bool quoted; /* some part was quoted */
	struct span span;
	const struct flow *proc; /* <(...): what reading it gives */
};
struct fields {
	struct field *v;
	uint32_t n, cap;
};

struct alt {
	struct view v;
	uint8_t taint;
};
/* Immutable once set. */
struct value {
	uint32_t n;
	bool array;	   /* alt: the elements; else the alternatives */
	struct view *keys; /* array with named subscripts */
	struct alt alt[];
};

static inline bool known(struct view v)
{
	return !view_chr(v, ANY) && !view_chr(v, GLOB);
}
static inline bool is_any(struct view v)
{
	return v.len == 1 && v.ptr[0] == ANY;
}
struct view view_cat(struct arena *a, struct view x, struct view y);
struct view view_sub(struct view v, size_t from);
bool view_starts(struct view v, const char *prefix);
bool view_ends(struct view v, const char *suffix);
bool view_has(struct view v, const char *part);
/* Could the value, its unknown parts filled in some way, match the glob? certain: it surely does.
 */
bool value_may_match(const char *glob, struct view v, bool fold);
/* Room for n more, so that many words are copied once. */
void fields_room(struct arena *a, struct fields *f, uint32_t n);
void fields_add(struct arena *a, struct fields *f, struct field x);
/* n fields (at least one) as one text, with blanks between them. */
struct field fields_join(struct arena *a, const struct field *v, uint32_t n);

#endif
