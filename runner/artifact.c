/* SPDX-License-Identifier: MIT */
/* Shape of artifacts. Pure (allocates). Failure rule: the context names the member. Tests:
 * tests/unit/runner/t_artifact.c, tests/fuzz/fuzz_request.c. */
#include "base/base.h"

#include "runner/artifact.h"

#include "base/hex.h"
#include "base/hash.h"
#include "base/pathstr.h"
#include "base/utf8.h"

enum member_type {
	IS_STRING = 1,
	IS_STRINGS,
	IS_NONCE, /* any type: identity judges it */
	IS_STDIN,
	IS_KIND,
};

struct member {
	const char *name;
	enum member_type type;
	bool required;
	bool nullable;
	size_t offset; /* in struct artifact */
	size_t max;    /* items of a list */
};
#define AT(field) offsetof(struct artifact, field)

static const struct member change_members[] = {
	{"kind", IS_KIND, true, false, 0, 0},
	{"dispatch", IS_NONCE, true, false, AT(dispatch), 0},
	{"path", IS_STRING, true, false, AT(path), 0},
	{"base_sha256", IS_STRING, true, false, AT(base), 0},
	{"content", IS_STRING, true, false, AT(content), 0},
	{"rationale", IS_STRING, true, false, AT(rationale), 0},
	{"gates", IS_STRINGS, false, false, AT(gates), MAX_GATES},
	{"agent", IS_STRING, false, true, AT(agent), 0},
	{NULL, 0, false, false, 0, 0},
};
static const struct member delete_members[] = {
	{"kind", IS_KIND, true, false, 0, 0},
	{"dispatch", IS_NONCE, true, false, AT(dispatch), 0},
	{"path", IS_STRING, true, false, AT(path), 0},
	{"base_sha256", IS_STRING, true, false, AT(base), 0},
	{"rationale", IS_STRING, true, false, AT(rationale), 0},
	{"agent", IS_STRING, false, true, AT(agent), 0},
	{NULL, 0, false, false, 0, 0},
};
static const struct member command_members[] = {
	{"kind", IS_KIND, true, false, 0, 0},
	{"dispatch", IS_NONCE, true, false, AT(dispatch), 0},
	{"argv", IS_STRINGS, true, false, AT(argv), MAX_ARGV_ITEMS},
	{"purpose", IS_STRING, true, false, AT(purpose), 0},
	{"cwd", IS_STRING, false, false, AT(cwd), 0},
	{"expected_writes", IS_STRINGS, false, false, AT(expected_writes), MAX_EXPECTED_WRITES},
	{"stdin_from_content", IS_STDIN, false, true, 0, 0},
	{"agent", IS_STRING, false, true, AT(agent), 0},
	{NULL, 0, false, false, 0, 0},
};

static int take_strings(const struct json *j, const struct member *m, struct views *ret,
			struct errctx *e)
{
	size_t n = json_count(j), i = 0;
	struct view *item;

	if (!json_is(j, JSON_ARRAY))
		return err_set(e, E_TYPE, "%s is no list of strings", m->name);
	if (n > m->max)
		return err_set(e, E_TOOBIG, "%s has more than %zu entries", m->name, m->max);
	item = calloc(n ? n : 1, sizeof(*item));
	if (!item)
		return err_set(e, E_NOMEM, "out of memory");
	free(ret->item);
	*ret = (struct views){item, 0};
	for (const struct json *c = json_first(j); c; c = json_next(c), i++) {
		if (json_get_str(c, &item[i]) != 0)
			return err_set(e, E_TYPE, "%s[%zu] is no string", m->name, i);
	}
	ret->n = n;
	return 0;
}

static int take_stdin(const struct json *j, struct artifact *a, struct errctx *e)
{
	if (!json_is(j, JSON_OBJECT) || json_count(j) != 2 ||
	    json_get_str(json_member(j, "path"), &a->stdin_path) != 0 ||
	    json_get_str(json_member(j, "content"), &a->stdin_content) != 0)
		return err_set(e, E_TYPE,
			       "stdin_from_content is no object of exactly path and content, both "
			       "strings");
	a->has_stdin = true;
	return 0;
}

static int take_member(const struct json *j, const struct member *m, struct artifact *a,
		       struct errctx *e)
{
	void *at = (char *)a + m->offset;

	if (m->nullable && json_is(j, JSON_NULL))
		return 0;
	switch (m->type) {
	case IS_KIND:
		return 0;
	case IS_NONCE:
		if (json_get_str(j, at) != 0)
			*(struct view *)at = VIEW("");
		return 0;
	case IS_STRING:
		if (json_get_str(j, at) != 0)
			return err_set(e, E_TYPE, "%s is no string", m->name);
		return 0;
	case IS_STRINGS:
		if (m->offset == AT(gates))
			a->has_gates = true;
		return take_strings(j, m, at, e);
	case IS_STDIN:
		return take_stdin(j, a, e);
	}
	return err_set(e, E_INTERNAL, "no such type");
}

static const struct member *find(const struct member *table, struct view name)
{
	for (; table->name; table++) {
		if (view_is(name, table->name))
			return table;
	}
	return NULL;
}

static const struct member *table_of(struct view kind, struct artifact *a)
{
	if (view_is(kind, "command-request")) {
		a->kind = ARTIFACT_COMMAND;
		return command_members;
	}
	if (view_is(kind, "delete-proposal")) {
		a->kind = ARTIFACT_DELETE;
		return delete_members;
	}
	a->kind = ARTIFACT_CHANGE;
	return change_members;
}

static int parse(const struct json *j, bool stored, struct artifact *a, struct errctx *e)
{
	struct view kind = VIEW("");
	const struct member *table;
	int rc = 0;

	if (!json_is(j, JSON_OBJECT))
		return err_set(e, E_TYPE, "the artifact is no object");
	if (json_get_str(json_member(j, "kind"), &kind) != 0)
		return err_set(e, E_MISSING, "the artifact has no kind");
	table = table_of(kind, a);
	if (a->kind == ARTIFACT_CHANGE && !view_is(kind, "change-proposal"))
		return err_set(e, E_UNKNOWN, "the artifact is of no known kind");
	for (const struct json *c = json_first(j); c && rc == 0; c = json_next(c)) {
		const struct member *m = find(table, json_key(c));

		if (!m || (stored && (m->type == IS_NONCE || m->offset == AT(agent))))
			return err_set(e, E_UNKNOWN, "the artifact has an unknown member \"%.*s\"",
				       (int)json_key(c).len, json_key(c).ptr);
		rc = take_member(c, m, a, e);
	}
	for (const struct member *m = table; m->name && rc == 0; m++) {
		if (m->required && !(stored && m->type == IS_NONCE) && !json_member(j, m->name))
			rc = err_set(e, E_MISSING, "the artifact lacks %s", m->name);
	}
	return rc;
}

int artifact_parse(const struct json *j, bool stored, struct artifact *ret, struct errctx *e)
{
	struct artifact a = {0};
	int rc = parse(j, stored, &a, e);

	if (rc != 0) {
		artifact_release(&a);
		return rc;
	}
	*ret = a;
	return 0;
}

void artifact_release(struct artifact *a)
{
	free(a->gates.item);
	free(a->argv.item);
	free(a->expected_writes.item);
	*a = (struct artifact){0};
}

int artifact_path(struct view path, char out[MAX_PATH_BYTES + 1], struct errctx *e)
{
	int rc = pathstr_check_relative(path);
	size_t at = 0;

	switch (rc) {
	case 0:
		break;
	case E_OUTSIDE:
		return err_set(e, rc,
			       "the path leaves the project: it is absolute or has a \"..\"");
	default:
		return err_set(e, rc, "the path is no project-relative path (%s)", err_name(rc));
	}
	while (at < path.len) {
		int32_t cp = utf8_next(path, &at);

		if (cp < 0 || cp == '\\' || utf8_hidden((uint32_t)cp))
			return err_set(e, E_RANGE,
				       "the path has a backslash, or a character that can't be "
				       "seen");
	}
	if (path.ptr[0] == ' ' || path.ptr[path.len - 1] == ' ')
		return err_set(e, E_RANGE, "the path begins or ends with a blank");
	if (path.ptr[path.len - 1] == '/')
		return err_set(e, E_RANGE, "the path ends in a slash; a file's name is expected");
	rc = pathstr_clean(path, out, MAX_PATH_BYTES + 1);
	if (rc < 0)
		return err_set(e, rc, "the path is too long");
	if (strcmp(out, ".") == 0)
		return err_set(e, E_RANGE, "the path is the project itself");
	return 0;
}

bool artifact_is_base(struct view v)
{
	return view_is(v, "absent") || hex_is_lower(v, SHA256_HEX);
}

static bool is_blank(int32_t cp)
{
	return cp == ' ' || (cp >= 9 && cp <= 13) || cp == 0x85 || cp == 0xa0 || cp == 0x1680 ||
	       (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 || cp == 0x202f ||
	       cp == 0x205f || cp == 0x3000;
}

bool artifact_is_blank(struct view v)
{
	size_t at = 0;

	while (at < v.len) {
		if (!is_blank(utf8_next(v, &at)))
			return false;
	}
	return true;
}

struct view artifact_excerpt(struct view v)
{
	size_t at = 0, start = 0, end = 0, count = 0;

	while (at < v.len && is_blank(utf8_next(v, &at)))
		start = at;
	at = start;
	end = start;
	while (at < v.len && count < MAX_ROW_CHARS) {
		int32_t cp = utf8_next(v, &at);

		count++;
		if (!is_blank(cp))
			end = at;
	}
	return (struct view){v.ptr + start, end - start};
}
