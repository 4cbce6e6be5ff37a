/* SPDX-License-Identifier: MIT */
/* What the files of the brief parser share. */
#ifndef RUNNER_BRIEF_PARTS_H
#define RUNNER_BRIEF_PARTS_H

#include "base/json.h"
#include "runner/brief.h"

/* Zeroed memory that brief_release frees; NULL: out of memory (context filled). */
void *brief_alloc(struct brief *b, size_t n, size_t size, struct errctx *e) must_check;

/* An array of strings; j NULL (absent) gives none. what names it in messages. */
int brief_strings(struct brief *b, const struct json *j, const char *what, struct views *ret,
		  struct errctx *e) must_check;

/* Refuses members of an object that the table doesn't name (NULL-ended). */
int brief_only(const struct json *object, const char *const *names, const char *what,
	       struct errctx *e) must_check;

bool brief_is_shell(struct view program);   /* sh, bash, ... by last component */
bool brief_is_wrapper(struct view program); /* env, xargs, ...: starts another program */

int brief_parse_gates(struct brief *b, const struct json *j, struct errctx *e) must_check;
int brief_parse_agents(struct brief *b, const struct json *j, struct errctx *e) must_check;
/* jails: confined_programs of the brief (or NULL); uses b->operator_json too. */
int brief_parse_jails(struct brief *b, const struct json *jails, struct errctx *e) must_check;
int brief_parse_grants(struct brief *b, const struct json *j, struct errctx *e) must_check;

#endif
