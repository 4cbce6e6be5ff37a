/* SPDX-License-Identifier: MIT */
/* agent_policies and mcp_grants of a brief (file 22, 4.2 and 4.5). Pure (allocates). Tests:
 * tests/unit/runner/t_brief.c. */
#include "base/base.h"

#include "runner/brief_parts.h"

#include "base/limits.h"
#include "policy/write.h"
#include "runner/pattern.h"

#include <stdio.h>

static int parse_prefix(struct brief *b, const struct json *j, const char *what,
			struct brief_command *c, struct errctx *e)
{
	bool wrapper_ok = false;
	int rc;

	rc = brief_strings(b, json_member(j, "prefix"), "prefix", &c->prefix, e);
	if (rc != 0 || c->prefix.n == 0)
		return err_set(e, rc ? rc : E_MISSING, "%s: prefix is no non-empty list of strings",
			       what);
	if (c->prefix.n > MAX_ARGV_ITEMS)
		return err_set(e, E_TOOBIG, "%s: prefix has more than %d elements", what,
			       MAX_ARGV_ITEMS);
	if (brief_is_shell(c->prefix.item[0]))
		return err_set(e, E_DENIED, "%s: prefix starts a shell", what);
	ignored(json_get_bool(json_member(j, "allow_wrapper"), &wrapper_ok));
	if (!wrapper_ok && brief_is_wrapper(c->prefix.item[0]))
		return err_set(e, E_DENIED,
			       "%s: prefix starts \"%.*s\", which runs another program; set "
			       "allow_wrapper to allow it",
			       what, (int)c->prefix.item[0].len, c->prefix.item[0].ptr);
	return 0;
}

static int parse_args(struct brief *b, const struct json *j, const char *what,
		      struct brief_command *c, struct errctx *e)
{
	struct views texts;
	int rc = brief_strings(b, json_member(j, "args"), "args", &texts, e);

	if (rc != 0)
		return err_set(e, rc, "%s: args is no list of strings", what);
	if (texts.n > MAX_ARGV_ITEMS)
		return err_set(e, E_TOOBIG, "%s: more than %d args", what, MAX_ARGV_ITEMS);
	c->args = brief_alloc(b, texts.n, sizeof(struct pattern *), e);
	if (!c->args)
		return E_NOMEM;
	c->n_args = texts.n;
	for (size_t i = 0; i < texts.n; i++) {
		struct errctx inner = {0};

		rc = pattern_compile(texts.item[i], &c->args[i], &inner);
		/* An argument that is spelled out is no pattern: its author meant exactly it. */
		if (rc == 0 && !pattern_is_literal(c->args[i]))
			rc = pattern_probe(c->args[i], &inner);
		if (rc != 0)
			return err_set(e, rc, "%s: args[%zu]: %s", what, i, inner.text);
	}
	return 0;
}

static int parse_timeout(const struct json *j, const char *what, struct brief_command *c,
			 struct errctx *e)
{
	const struct json *t = json_member(j, "timeout");
	int64_t n;

	c->timeout_s = DEFAULT_COMMAND_SECONDS;
	if (!t)
		return 0;
	if (json_get_int(t, &n) != 0 || n < 1 || n > MAX_COMMAND_SECONDS)
		return err_set(e, E_RANGE, "%s: timeout is no integer from 1 to %d", what,
			       MAX_COMMAND_SECONDS);
	c->timeout_s = (unsigned)n;
	return 0;
}

static int parse_owned(struct brief *b, const struct json *j, const char *what,
		       struct brief_command *c, struct errctx *e)
{
	int rc = brief_strings(b, json_member(j, "writes"), "writes", &c->writes, e);

	if (rc != 0)
		return err_set(e, rc, "%s: writes is no list of strings", what);
	for (size_t i = 0; i < c->writes.n; i++) {
		const char *why = policy_writes_check(c->writes.item[i]);

		if (!why && b->rel && policy_glob(c->writes.item[i], view_of(b->rel), true))
			why = "a writes glob matches the brief";
		if (why)
			return err_set(e, E_RANGE, "%s: writes[%zu]: %s", what, i, why);
	}
	return 0;
}

static int parse_stdin_gates(struct brief *b, const struct json *j, const char *what,
			     struct brief_command *c, struct errctx *e)
{
	const struct json *g = json_member(j, "stdin_gates");
	int rc;

	if (!g)
		return 0;
	rc = brief_strings(b, g, "stdin_gates", &c->stdin_gates, e);
	if (rc != 0 || c->stdin_gates.n == 0)
		return err_set(e, rc ? rc : E_RANGE,
			       "%s: stdin_gates is no non-empty list of strings", what);
	for (size_t i = 0; i < c->stdin_gates.n; i++) {
		struct view name = c->stdin_gates.item[i];

		if (!brief_gate(b, name))
			return err_set(e, E_UNKNOWN, "%s: stdin_gates names no gate: \"%.*s\"",
				       what, (int)name.len, name.ptr);
	}
	return 0;
}

static int parse_command(struct brief *b, const struct json *j, const char *what,
			 struct brief_command *c, struct errctx *e)
{
	static const char *const names[] = {"prefix",  "args",		"variadic",
					    "cwd",     "writes",	"stdin_gates",
					    "timeout", "allow_wrapper", NULL};
	const struct json *v;
	int rc = brief_only(j, names, what, e);

	c->cwd = VIEW(".");
	if (rc == 0)
		rc = parse_prefix(b, j, what, c, e);
	if (rc == 0)
		rc = parse_args(b, j, what, c, e);
	if (rc != 0)
		return rc;
	v = json_member(j, "variadic");
	if (v && json_get_bool(v, &c->variadic) != 0)
		return err_set(e, E_TYPE, "%s: variadic is no boolean", what);
	v = json_member(j, "cwd");
	if (v && json_get_str(v, &c->cwd) != 0)
		return err_set(e, E_TYPE, "%s: cwd is no string", what);
	rc = parse_owned(b, j, what, c, e);
	if (rc == 0)
		rc = parse_timeout(j, what, c, e);
	if (rc == 0)
		rc = parse_stdin_gates(b, j, what, c, e);
	return rc;
}

static int parse_scopes(struct brief *b, const struct json *j, struct brief_agent *a,
			struct errctx *e)
{
	int rc = brief_strings(b, json_member(j, "write_scopes"), "write_scopes", &a->scopes, e);

	for (size_t i = 0; rc == 0 && i < a->scopes.n; i++) {
		const char *why = policy_scope_check(a->scopes.item[i]);

		if (!why && b->rel && policy_scope_covers(a->scopes.item[i], view_of(b->rel)))
			why = "a write scope covers the brief";
		if (why)
			rc = err_set(e, E_RANGE, "agent_policies.%.*s: write_scopes[%zu]: %s",
				     (int)a->slug.len, a->slug.ptr, i, why);
	}
	return rc;
}

static int parse_agent(struct brief *b, const struct json *j, struct brief_agent *a,
		       struct errctx *e)
{
	static const char *const names[] = {"write_scopes", "commands", NULL};
	const struct json *list;
	char what[MAX_SLUG_BYTES + 64];
	size_t i = 0;
	int rc;

	a->slug = json_key(j);
	if (!brief_is_slug(a->slug))
		return err_set(e, E_RANGE, "agent_policies: \"%.*s\" is no slug", (int)a->slug.len,
			       a->slug.ptr);
	(void)snprintf(what, sizeof(what), "agent_policies.%.*s", (int)a->slug.len, a->slug.ptr);
	rc = brief_only(j, names, what, e);
	if (rc != 0)
		return rc;
	list = json_member(j, "commands");
	if (list && !json_is(list, JSON_ARRAY))
		return err_set(e, E_TYPE, "%s: commands is no list", what);
	a->commands = brief_alloc(b, json_count(list), sizeof(*a->commands), e);
	if (!a->commands)
		return E_NOMEM;
	for (const struct json *c = json_first(list); c; c = json_next(c), i++) {
		a->n_commands = i + 1;
		(void)snprintf(what, sizeof(what), "agent_policies.%.*s.commands[%zu]",
			       (int)a->slug.len, a->slug.ptr, i);
		rc = parse_command(b, c, what, &a->commands[i], e);
		if (rc != 0)
			return rc;
	}
	return parse_scopes(b, j, a, e);
}

int brief_parse_agents(struct brief *b, const struct json *j, struct errctx *e)
{
	int rc = 0;

	if (!j || json_is(j, JSON_NULL))
		return 0;
	if (!json_is(j, JSON_OBJECT))
		return err_set(e, E_TYPE, "agent_policies is no object");
	b->agents = brief_alloc(b, json_count(j), sizeof(*b->agents), e);
	if (!b->agents)
		return E_NOMEM;
	for (const struct json *c = json_first(j); c && rc == 0; c = json_next(c))
		rc = parse_agent(b, c, &b->agents[b->n_agents++], e);
	return rc;
}

static int parse_grant(struct brief *b, const struct json *j, struct brief_grant *g,
		       struct errctx *e)
{
	static const char *const names[] = {"tools", "approval", NULL};
	const struct json *approval = json_member(j, "approval");
	struct views tools;
	struct view v = VIEW("staged");
	char what[MAX_SLUG_BYTES + 16];
	int rc;

	g->slug = json_key(j);
	if (!brief_is_slug(g->slug) || view_is(g->slug, "orchestrator"))
		return err_set(e, E_RANGE, "mcp_grants: \"%.*s\" is no agent that can be granted",
			       (int)g->slug.len, g->slug.ptr);
	(void)snprintf(what, sizeof(what), "mcp_grants.%.*s", (int)g->slug.len, g->slug.ptr);
	rc = brief_only(j, names, what, e);
	if (rc == 0)
		rc = brief_strings(b, json_member(j, "tools"), "tools", &tools, e);
	if (rc != 0)
		return rc;
	if (tools.n == 0)
		return err_set(e, E_MISSING, "%s: tools is no non-empty list", what);
	for (size_t i = 0; i < tools.n; i++) {
		int tool = policy_tool_by_name(tools.item[i]);

		if (tool < 0)
			return err_set(e, E_UNKNOWN, "%s: no tool \"%.*s\"", what,
				       (int)tools.item[i].len, tools.item[i].ptr);
		if (g->tools & 1u << tool)
			return err_set(e, E_DUPLICATE, "%s: tools names one twice", what);
		g->tools |= 1u << tool;
	}
	if (approval && json_get_str(approval, &v) != 0)
		return err_set(e, E_TYPE, "%s: approval is no string", what);
	if (!view_is(v, "staged") && !view_is(v, "direct"))
		return err_set(e, E_RANGE, "%s: approval is neither staged nor direct", what);
	g->wants_direct = view_is(v, "direct");
	return 0;
}

int brief_parse_grants(struct brief *b, const struct json *j, struct errctx *e)
{
	int rc = 0;

	if (!j || json_is(j, JSON_NULL))
		return 0;
	if (!json_is(j, JSON_OBJECT))
		return err_set(e, E_TYPE, "mcp_grants is no object");
	b->grants = brief_alloc(b, json_count(j), sizeof(*b->grants), e);
	if (!b->grants)
		return E_NOMEM;
	for (const struct json *c = json_first(j); c && rc == 0; c = json_next(c))
		rc = parse_grant(b, c, &b->grants[b->n_grants++], e);
	return rc;
}
