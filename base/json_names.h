/* SPDX-License-Identifier: MIT */
/*
 * The member names of a text's open objects, and whether one stands there twice; only json_check.c
 * includes this. Work is at most n log n for names made by an attacker, memory a few words a name.
 * Pure (allocates).
 */
#ifndef BASE_JSON_NAMES_H
#define BASE_JSON_NAMES_H

#include "base/view.h"

struct json_name {
	const char *raw; /* what stands between the quotes in the text; borrowed */
	uint32_t len;
	uint32_t hash; /* of the unescaped bytes; collisions are expected and only cost time */
};

struct json_names {
	struct json_name *list;
	size_t n, cap;
	struct json_name first[64]; /* enough, without allocating, for every message of ours */
};

void json_names_init(struct json_names *s); /* s may not move afterwards */
void json_names_release(struct json_names *s);

/* E_TOOBIG when the unescaped name is longer than MAX_JSON_KEY_BYTES, E_NOMEM. */
int json_names_add(struct json_names *s, struct view raw) must_check;

/* Takes the names from number `from` on, those of the innermost object, off the list. *ret_twin
 * gets the first one in the text that stood there before; ptr NULL if there is none. E_NOMEM. */
int json_names_take(struct json_names *s, size_t from, struct view *ret_twin) must_check;

#endif
