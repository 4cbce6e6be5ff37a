/* SPDX-License-Identifier: MIT */
/* Tokens of program text in other languages; for gate/lang*.c. Pure. */
#ifndef GATE_LANGTOK_H
#define GATE_LANGTOK_H

#include "gate/value.h"
#include "policy/gate.h"

enum tok_kind {
	TOK_NAME = 1, /* a.b.c, also with a leading dot after a closing bracket */
	TOK_STR,      /* value of a literal; neighbours and simple concatenations joined */
	TOK_SHELL,    /* backticks, qx{}, %x(): shell text */
	TOK_PUNCT,
};
struct tok {
	enum tok_kind kind;
	bool joined; /* put together from several */
	struct view v;
};

void lang_tokens(struct arena *a, enum gate_lang lang, struct view text, struct tok **ret,
		 size_t *ret_n);

/* Names that were bound to others (gate/langalias.c): their uses become what they stand for. */
void lang_aliases(struct arena *a, enum gate_lang lang, struct tok *t, size_t n);

struct site;
/* Languages of lines and commands (sed, ed, vim, make, gdb, Tcl, PowerShell): true if it was one.
 */
bool lang_lines(struct site *s, enum gate_lang lang, struct view text, uint8_t taint,
		struct span span);

#endif
