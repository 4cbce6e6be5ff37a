/* SPDX-License-Identifier: MIT */
/* proposal_gates, confined_programs and the operator's confined file (file 22, 4.3, 4.4 and 4.6).
 * Pure (allocates). Tests: tests/unit/runner/t_brief.c. */
#include "base/base.h"

#include "runner/brief_parts.h"

#include "base/hex.h"
#include "base/limits.h"
#include "policy/write.h"

#include <stdio.h>

static bool contains(struct view v, const char *needle)
{
	size_t n = strlen(needle);

	for (size_t i = 0; i + n <= v.len; i++) {
		if (memcmp(v.ptr + i, needle, n) == 0)
			return true;
	}
	return false;
}

static int check_exec(const struct views *exec, const char *what, struct errctx *e)
{
	for (size_t i = 0; i < exec->n; i++) {
		struct view v = exec->item[i];
		bool ok = v.len > 0 &&
			  (v.ptr[0] == '/' || (v.len > 2 && v.ptr[0] == '~' && v.ptr[1] == '/'));

		for (size_t k = 0; k < v.len; k++) {
			unsigned char c = (unsigned char)v.ptr[k];

			ok = ok && c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
		}
		if (!ok)
			return err_set(e, E_RANGE,
				       "%s[%zu] is neither absolute nor in the home folder, or has "
				       "a character that no profile may hold",
				       what, i);
	}
	return 0;
}

static int parse_gate(struct brief *b, const struct json *j, struct brief_gate *g, struct errctx *e)
{
	static const char *const names[] = {"argv", "glob", "exec", "allow_wrapper", NULL};
	const struct json *glob = json_member(j, "glob"), *exec = json_member(j, "exec");
	bool wrapper_ok = false;
	char what[160];
	int rc;

	g->name = json_key(j);
	(void)snprintf(what, sizeof(what), "proposal_gates.%.*s",
		       (int)(g->name.len > 100 ? 100 : g->name.len), g->name.ptr);
	if (g->name.len == 0 || g->name.len > MAX_NAME_BYTES)
		return err_set(e, E_RANGE, "%s: the name is empty or too long", what);
	rc = brief_only(j, names, what, e);
	if (rc == 0)
		rc = brief_strings(b, json_member(j, "argv"), "argv", &g->argv, e);
	if (rc != 0 || g->argv.n == 0)
		return err_set(e, rc ? rc : E_MISSING, "%s: argv is no non-empty list of strings",
			       what);
	ignored(json_get_bool(json_member(j, "allow_wrapper"), &wrapper_ok));
	if (brief_is_shell(g->argv.item[0]))
		return err_set(e, E_DENIED, "%s: argv starts a shell", what);
	if (!wrapper_ok && brief_is_wrapper(g->argv.item[0]))
		return err_set(e, E_DENIED, "%s: argv starts a program that runs another one",
			       what);
	for (size_t i = 0; i < g->argv.n; i++) {
		struct view v = g->argv.item[i];
		bool whole = view_is(v, "{file}") || view_is(v, "{path}");

		if ((contains(v, "{file}") || contains(v, "{path}")) && (!whole || i == 0))
			return err_set(
				e, E_RANGE,
				"%s: argv[%zu]: {file} and {path} are whole arguments, never "
				"the program",
				what, i);
	}
	if (glob && json_get_str(glob, &g->glob) != 0)
		return err_set(e, E_TYPE, "%s: glob is no string", what);
	rc = brief_strings(b, exec, "exec", &g->exec, e);
	if (rc == 0 && exec && g->exec.n == 0)
		rc = err_set(e, E_RANGE, "%s: exec is empty", what);
	if (rc == 0)
		rc = check_exec(&g->exec, what, e);
	return rc;
}

int brief_parse_gates(struct brief *b, const struct json *j, struct errctx *e)
{
	int rc = 0;

	if (!j || json_is(j, JSON_NULL))
		return 0;
	if (!json_is(j, JSON_OBJECT))
		return err_set(e, E_TYPE, "proposal_gates is no object");
	b->gates = brief_alloc(b, json_count(j), sizeof(*b->gates), e);
	if (!b->gates)
		return E_NOMEM;
	for (const struct json *c = json_first(j); c && rc == 0; c = json_next(c))
		rc = parse_gate(b, c, &b->gates[b->n_gates++], e);
	return rc;
}

static bool is_reserved(struct view key)
{
	return view_is(key, "gate_exec") || view_is(key, "gate_argv_sha256");
}

static int parse_jail(struct brief *b, const struct json *j, struct brief_jail *jail,
		      struct errctx *e)
{
	static const char *const names[] = {"exec", "write", NULL};
	char what[MAX_SLUG_BYTES + 32];
	int rc;

	jail->slug = json_key(j);
	if (!brief_is_slug(jail->slug))
		return err_set(e, E_RANGE, "confined_programs: \"%.*s\" is no slug",
			       (int)jail->slug.len, jail->slug.ptr);
	(void)snprintf(what, sizeof(what), "confined_programs.%.*s", (int)jail->slug.len,
		       jail->slug.ptr);
	rc = brief_only(j, names, what, e);
	if (rc == 0)
		rc = brief_strings(b, json_member(j, "exec"), "exec", &jail->exec, e);
	if (rc == 0)
		rc = brief_strings(b, json_member(j, "write"), "write", &jail->write, e);
	if (rc != 0)
		return rc;
	if (jail->exec.n == 0)
		return err_set(e, E_MISSING, "%s: exec is no non-empty list", what);
	rc = check_exec(&jail->exec, what, e);
	for (size_t i = 0; rc == 0 && i < jail->write.n; i++) {
		const char *why = policy_root_check(jail->write.item[i]);

		if (why)
			rc = err_set(e, E_RANGE, "%s: write[%zu]: %s", what, i, why);
	}
	return rc;
}

static int parse_jail_object(struct brief *b, const struct json *j, bool reserved_ok,
			     struct errctx *e)
{
	int rc = 0;

	b->jails = brief_alloc(b, json_count(j), sizeof(*b->jails), e);
	if (!b->jails)
		return E_NOMEM;
	for (const struct json *c = json_first(j); c && rc == 0; c = json_next(c)) {
		if (!is_reserved(json_key(c)))
			rc = parse_jail(b, c, &b->jails[b->n_jails++], e);
		else if (!reserved_ok)
			rc = err_set(e, E_RANGE, "confined_programs uses the reserved name %.*s",
				     (int)json_key(c).len, json_key(c).ptr);
	}
	return rc;
}

/* One gate's machine paths: the operator reviewed them for exactly this argument vector. */
static int merge_gate(struct brief *b, const struct json *paths, const struct json *digests,
		      struct errctx *e)
{
	struct view key = json_key(paths), want;
	struct brief_gate *g = NULL;
	char name[MAX_NAME_BYTES + 1], have[SHA256_HEX + 1];
	int rc;

	for (size_t i = 0; i < b->n_gates; i++) {
		if (view_eq(b->gates[i].name, key))
			g = &b->gates[i];
	}
	if (!g)
		return err_set(e, E_UNKNOWN, "gate_exec names no gate of the brief: \"%.*s\"",
			       (int)key.len, key.ptr);
	if (g->exec.n)
		return err_set(e, E_RANGE,
			       "gate \"%.*s\" has exec in the brief and in the confined "
			       "file",
			       (int)key.len, key.ptr);
	memcpy(name, key.ptr, key.len);
	name[key.len] = '\0';
	if (json_get_str(json_member(digests, name), &want) != 0 || !hex_is_lower(want, SHA256_HEX))
		return err_set(e, E_MISSING, "gate_argv_sha256 has no digest for gate \"%s\"",
			       name);
	rc = brief_argv_digest(&g->argv, have);
	if (rc != 0)
		return err_set(e, rc, "the digest of gate \"%s\" can't be taken", name);
	if (!view_is(want, have))
		return err_set(e, E_CHANGED,
			       "gate \"%s\" has another argv than the one that the operator "
			       "reviewed; install the confined file again (--install-confined)",
			       name);
	rc = brief_strings(b, paths, "gate_exec", &g->exec, e);
	if (rc == 0 && g->exec.n == 0)
		rc = err_set(e, E_RANGE, "gate_exec of \"%s\" is empty", name);
	if (rc == 0)
		rc = check_exec(&g->exec, "gate_exec", e);
	return rc;
}

static int merge_gates(struct brief *b, struct errctx *e)
{
	const struct json *paths = json_member(b->operator_json, "gate_exec");
	const struct json *digests = json_member(b->operator_json, "gate_argv_sha256");
	int rc = 0;

	if (!paths && !digests)
		return 0;
	if (!json_is(paths, JSON_OBJECT) || !json_is(digests, JSON_OBJECT) ||
	    json_count(paths) != json_count(digests))
		return err_set(e, E_TYPE,
			       "gate_exec and gate_argv_sha256 must be objects that name "
			       "the same gates");
	for (const struct json *c = json_first(paths); c && rc == 0; c = json_next(c))
		rc = merge_gate(b, c, digests, e);
	return rc;
}

int brief_parse_jails(struct brief *b, const struct json *jails, struct errctx *e)
{
	for (size_t i = 0; i < b->n_agents; i++) {
		if (is_reserved(b->agents[i].slug))
			return err_set(e, E_RANGE, "an agent has a reserved name");
	}
	if (jails && json_is(jails, JSON_NULL))
		jails = NULL;
	if (jails && !json_is(jails, JSON_OBJECT))
		return err_set(e, E_TYPE, "confined_programs is no object");
	if (jails && b->operator_json)
		return err_set(e, E_RANGE,
			       "confined_programs is set in the brief and in the "
			       "operator's confined file; one of them has to go");
	if (b->operator_json) {
		int rc = merge_gates(b, e);

		return rc ? rc : parse_jail_object(b, b->operator_json, true, e);
	}
	return jails ? parse_jail_object(b, jails, false, e) : 0;
}
