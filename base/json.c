/* SPDX-License-Identifier: MIT */
/* The tree of a checked text, in cJSON's nodes. Pure (allocates). cJSON only ever sees text that
 * json_scan_text() accepted. Tested by tests/unit/base/t_json.c, t_nomem.c and
 * tests/fuzz/fuzz_json.c. */
#include "base/base.h"

#include "base/json.h"
#include "base/json_scan.h"
#include "base/limits.h"

#include <cjson/cJSON.h>
#include <math.h>

static const cJSON *node_of(const struct json *j)
{
	return (const cJSON *)(const void *)j;
}

static const struct json *json_of(const cJSON *node)
{
	return (const struct json *)(const void *)node;
}

/* The node behind node in the order of the text, NULL at the end. above holds the containers around
 * it. */
static cJSON *next_in_text(cJSON *node, cJSON **above, unsigned *depth)
{
	if (node->child) {
		if (*depth == MAX_JSON_DEPTH)
			return NULL;
		above[(*depth)++] = node;
		return node->child;
	}
	while (!node->next) {
		if (*depth == 0)
			return NULL;
		node = above[--*depth];
	}
	return node->next;
}

/* Moves p to the next number of a checked text; false at the end. Outside strings nothing else has
 * a digit or a minus sign. */
static bool find_number(struct json_scan *s)
{
	for (; s->p < s->end; s->p++) {
		if (*s->p == '-' || (*s->p >= '0' && *s->p <= '9'))
			return true;
		if (*s->p == '"' && (json_scan_string(s, true, NULL) || s->p == s->end))
			return false;
	}
	return false;
}

/*
 * cJSON keeps a double and not how it was spelled: 1.0, 1e0 and 9007199254740993 would all pass for
 * integers. Every number of the tree that isn't spelled as an exact integer becomes NaN, which no
 * JSON text can produce. Tree and text are walked in step; they disagree only if cJSON read the
 * text otherwise than we did.
 */
static int mark_inexact(struct view text, cJSON *root)
{
	struct json_scan s = {text.ptr, text.ptr + text.len, ""};
	cJSON *above[MAX_JSON_DEPTH];
	unsigned depth = 0;

	for (cJSON *node = root; node; node = next_in_text(node, above, &depth)) {
		bool inexact;

		if ((node->type & 0xff) != cJSON_Number)
			continue;
		if (!find_number(&s) || json_scan_scalar(&s, true, &inexact))
			return E_INTERNAL;
		if (inexact)
			node->valuedouble = (double)NAN;
	}
	return find_number(&s) ? E_INTERNAL : 0;
}

int json_parse(struct view text, struct json **ret, struct errctx *e)
{
	size_t inexact;
	cJSON *root;
	int r = json_scan_text(text, &inexact, e);

	if (r)
		return r;
	/* The text is right, so that only memory can be missing. */
	root = cJSON_ParseWithLengthOpts(text.ptr, text.len, NULL, false);
	if (!root)
		return err_set(e, E_NOMEM, "out of memory");
	if (inexact && mark_inexact(text, root)) {
		cJSON_Delete(root);
		return err_set(e, E_INTERNAL, "numbers of text and tree differ");
	}
	*ret = (struct json *)(void *)root;
	return 0;
}

void json_free(struct json *j)
{
	cJSON_Delete((cJSON *)(void *)j);
}

enum json_type json_type(const struct json *j)
{
	if (!j)
		return (enum json_type)0;
	switch (node_of(j)->type & 0xff) {
	case cJSON_NULL:
		return JSON_NULL;
	case cJSON_False:
	case cJSON_True:
		return JSON_BOOL;
	case cJSON_Number:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return (enum json_type)0;
	}
}

const char *json_type_name(enum json_type t)
{
	switch (t) {
	case JSON_NULL:
		return "null";
	case JSON_BOOL:
		return "boolean";
	case JSON_NUMBER:
		return "number";
	case JSON_STRING:
		return "string";
	case JSON_ARRAY:
		return "array";
	case JSON_OBJECT:
		return "object";
	}
	return "nothing";
}

bool json_is(const struct json *j, enum json_type t)
{
	return j && json_type(j) == t;
}

const struct json *json_member(const struct json *object, const char *name)
{
	if (!json_is(object, JSON_OBJECT))
		return NULL;
	for (const cJSON *node = node_of(object)->child; node; node = node->next)
		if (strcmp(node->string, name) == 0)
			return json_of(node);
	return NULL;
}

const struct json *json_first(const struct json *container)
{
	return container ? json_of(node_of(container)->child) : NULL;
}

const struct json *json_next(const struct json *child)
{
	return child ? json_of(node_of(child)->next) : NULL;
}

struct view json_key(const struct json *child)
{
	return child && node_of(child)->string ? view_of(node_of(child)->string) : VIEW("");
}

size_t json_count(const struct json *container)
{
	size_t n = 0;

	for (const struct json *j = json_first(container); j; j = json_next(j))
		n++;
	return n;
}

int json_get_str(const struct json *j, struct view *ret)
{
	if (!j)
		return E_MISSING;
	if (!json_is(j, JSON_STRING))
		return E_TYPE;
	*ret = view_of(node_of(j)->valuestring);
	return 0;
}

int json_get_int(const struct json *j, int64_t *ret)
{
	if (!j)
		return E_MISSING;
	if (!json_is(j, JSON_NUMBER))
		return E_TYPE;
	if (isnan(node_of(j)->valuedouble))
		return E_NUMBER; /* see mark_inexact() */
	*ret = (int64_t)node_of(j)->valuedouble;
	return 0;
}

int json_get_bool(const struct json *j, bool *ret)
{
	if (!j)
		return E_MISSING;
	if (!json_is(j, JSON_BOOL))
		return E_TYPE;
	*ret = (node_of(j)->type & 0xff) == cJSON_True;
	return 0;
}
