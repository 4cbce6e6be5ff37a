/* SPDX-License-Identifier: MIT */
/*
 * Lexer and parser for the shell's language: bash, non-interactive, plus what other shells of the
 * family share (file 40, sections 12.3 and 12.4). One pass, no backtracking but for "((", whose end
 * is looked for first. Pure; all memory comes from the arena.
 */
#ifndef GATE_PARSE_H
#define GATE_PARSE_H

#include "gate/arena.h"
#include "gate/ast.h"

/* Parses text as a whole script. Never NULL: an error is noted in the result together with what was
 * read before it. depth: nesting that the text already stands in. */
struct script *parse_script(struct arena *a, struct view text, struct origin origin,
			    unsigned depth);

/* The same piece by piece: reader_next gives the next commands of the top level (in nodes, which
 * the caller may empty between calls unless nodes->keep was set), NULL at the end. The script (in
 * a) then says whether there was an error. */
struct reader;
struct reader *reader_open(struct arena *a, struct arena *nodes, struct view text,
			   struct origin origin);
struct node *reader_next(struct reader *r);
struct script *reader_script(struct reader *r);

/* Parses text as the inside of a here-document or of double quotes: one word. Used for text that
 * the shell expands a second time (subscripts, prompts). */
struct word *parse_quoted(struct arena *a, struct view text, struct origin origin, unsigned depth);

/* Maps a span of a script's text to the command of the call. */
struct span origin_span(struct origin o, uint32_t off, uint32_t len);

bool is_name(struct view v); /* a variable's name */

#endif
