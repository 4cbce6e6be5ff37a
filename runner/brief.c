/* SPDX-License-Identifier: MIT */
/*
 * Top level of a brief, in the order of file 22, 4.7. Pure (allocates). Failure rule: one bad part
 * refuses the whole policy. Tests: tests/unit/runner/t_brief.c, tests/fuzz/fuzz_brief.c.
 */
#include "base/base.h"

#include "runner/brief.h"

#include "base/json.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/pathstr.h"
#include "policy/write.h"
#include "runner/brief_parts.h"
#include "runner/pattern.h"

void *brief_alloc(struct brief *b, size_t n, size_t size, struct errctx *e)
{
	void *p;

	if (b->n_owned == b->cap_owned) {
		size_t cap = b->cap_owned ? 2 * b->cap_owned : 64;
		void **more = reallocarray(b->owned, cap, sizeof(*more));

		if (!more)
			goto fail;
		b->owned = more;
		b->cap_owned = cap;
	}
	p = calloc(n ? n : 1, size);
	if (!p)
		goto fail;
	b->owned[b->n_owned++] = p;
	return p;
fail:
	(void)err_set(e, E_NOMEM, "out of memory while reading the brief");
	return NULL;
}

int brief_strings(struct brief *b, const struct json *j, const char *what, struct views *ret,
		  struct errctx *e)
{
	size_t n = json_count(j), i = 0;
	struct view *v;

	*ret = (struct views){0};
	if (!j)
		return 0;
	if (!json_is(j, JSON_ARRAY))
		return err_set(e, E_TYPE, "%s is no list of strings", what);
	v = brief_alloc(b, n, sizeof(*v), e);
	if (!v)
		return E_NOMEM;
	for (const struct json *c = json_first(j); c; c = json_next(c), i++) {
		if (json_get_str(c, &v[i]) != 0)
			return err_set(e, E_TYPE, "%s[%zu] is no string", what, i);
	}
	*ret = (struct views){v, n};
	return 0;
}

int brief_only(const struct json *object, const char *const *names, const char *what,
	       struct errctx *e)
{
	if (!json_is(object, JSON_OBJECT))
		return err_set(e, E_TYPE, "%s is no object", what);
	for (const struct json *c = json_first(object); c; c = json_next(c)) {
		struct view key = json_key(c);
		bool known = false;

		for (const char *const *n = names; *n; n++)
			known = known || view_is(key, *n);
		if (!known)
			return err_set(e, E_UNKNOWN, "%s has an unknown member \"%.*s\"", what,
				       (int)key.len, key.ptr);
	}
	return 0;
}

static bool last_is(struct view program, const char *const *names)
{
	struct view base = pathstr_base(program);

	for (; *names; names++) {
		if (view_is(base, *names))
			return true;
	}
	return false;
}

bool brief_is_shell(struct view program)
{
	static const char *const shells[] = {"sh",  "bash", "zsh", "dash", "ksh", "mksh",
					     "ash", "fish", "csh", "tcsh", NULL};

	return last_is(program, shells);
}

bool brief_is_wrapper(struct view program)
{
	static const char *const wrappers[] = {
		"env",	"xargs", "busybox", "toybox",	"timeout", "nice",   "nohup",	"setsid",
		"sudo", "doas",	 "su",	    "chroot",	"unshare", "stdbuf", "ionice",	"chrt",
		"time", "watch", "script",  "parallel", "flock",   "exec",   "command", NULL};

	return last_is(program, wrappers);
}

bool brief_is_slug(struct view v)
{
	if (v.len == 0 || v.len > MAX_SLUG_BYTES || v.ptr[0] == '-')
		return false;
	for (size_t i = 0; i < v.len; i++) {
		char c = v.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
			return false;
	}
	return true;
}

int brief_project_name(struct view root_path, struct buf *out)
{
	struct view base = pathstr_base(root_path);
	char hex[SHA256_HEX + 1];

	for (size_t i = 0; i < base.len; i++) {
		char c = base.ptr[i];
		bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
			     (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';

		(void)buf_putc(out, plain ? c : '_');
	}
	if (base.len == 0)
		(void)buf_puts(out, "root");
	sha256_hex(root_path, hex);
	hex[12] = '\0';
	(void)buf_putc(out, '-');
	(void)buf_puts(out, hex);
	return buf_error(out);
}

int brief_argv_digest(const struct views *argv, char out[SHA256_HEX + 1])
{
	auto_buf struct buf text;
	struct jsonw w;

	buf_init(&text, MAX_BRIEF_BYTES * 6);
	jsonw_init(&w, &text, JSONW_COMPACT);
	jsonw_arr(&w);
	for (size_t i = 0; i < argv->n; i++)
		jsonw_str(&w, argv->item[i]);
	jsonw_arr_end(&w);
	if (buf_error(&text))
		return buf_error(&text);
	sha256_hex(buf_view(&text), out);
	return 0;
}

static int parse_switch(struct brief *b, struct errctx *e)
{
	const struct json *j = json_member(b->json, "write_policy");
	struct view v;

	if (!j || json_is(j, JSON_NULL))
		return 0;
	if (json_get_str(j, &v) != 0)
		return err_set(e, E_TYPE, "write_policy is no string");
	b->orchestrator_only = view_is(v, "orchestrator-only");
	return 0;
}

static int parse_protect(struct brief *b, struct errctx *e)
{
	int rc = brief_strings(b, json_member(b->json, "protected_paths"), "protected_paths",
			       &b->protect, e);

	for (size_t i = 0; rc == 0 && i < b->protect.n; i++) {
		struct view *v = &b->protect.item[i];
		const char *why;

		/* "./x" was never matched by the reference; its author meant x. */
		while (v->len > 2 && v->ptr[0] == '.' && v->ptr[1] == '/')
			*v = (struct view){v->ptr + 2, v->len - 2};
		why = policy_protect_check(*v);
		if (why)
			rc = err_set(e, E_RANGE, "protected_paths[%zu]: %s", i, why);
	}
	return rc;
}

/* "Only a literal true counts" (4.1): anything else leaves the sandbox required. */
static void parse_unconfined(struct brief *b)
{
	bool on = false;

	if (json_get_bool(json_member(b->json, "allow_unconfined_runs"), &on) == 0)
		b->allow_unconfined = on;
}

static int parse_parts(struct brief *b, struct errctx *e)
{
	int rc = parse_switch(b, e);

	parse_unconfined(b);
	if (rc == 0)
		rc = parse_protect(b, e);
	if (rc == 0)
		rc = brief_parse_gates(b, json_member(b->json, "proposal_gates"), e);
	if (rc == 0)
		rc = brief_parse_agents(b, json_member(b->json, "agent_policies"), e);
	if (rc == 0)
		rc = brief_parse_jails(b, json_member(b->json, "confined_programs"), e);
	if (rc == 0)
		rc = brief_parse_grants(b, json_member(b->json, "mcp_grants"), e);
	return rc;
}

static int parse_bytes(const struct brief_input *in, struct brief *b, struct errctx *e)
{
	struct errctx inner = {0};
	int rc = json_parse(in->text, &b->json, &inner);

	if (rc != 0)
		return err_set(e, rc, "the brief is no valid JSON: %s", inner.text);
	if (!json_is(b->json, JSON_OBJECT))
		return err_set(e, E_TYPE, "the brief is no JSON object");
	sha256_hex(in->text, b->sha256);
	if (in->rel) {
		b->rel = brief_alloc(b, strlen(in->rel) + 1, 1, e);
		if (!b->rel)
			return E_NOMEM;
		memcpy(b->rel, in->rel, strlen(in->rel) + 1);
	}
	if (!in->confined.ptr)
		return 0;
	rc = json_parse(in->confined, &b->operator_json, &inner);
	if (rc != 0)
		return err_set(e, rc, "the confined file is no valid JSON: %s", inner.text);
	if (!json_is(b->operator_json, JSON_OBJECT))
		return err_set(e, E_TYPE, "the confined file is no JSON object");
	sha256_hex(in->confined, b->operator_sha256);
	return 0;
}

int brief_parse(const struct brief_input *in, struct brief *ret, struct errctx *e)
{
	struct brief b = {0};
	int rc = parse_bytes(in, &b, e);

	if (rc == 0)
		rc = parse_parts(&b, e);
	if (rc != 0) {
		brief_release(&b);
		return rc;
	}
	*ret = b;
	return 0;
}

void brief_release(struct brief *b)
{
	for (size_t a = 0; a < b->n_agents; a++) {
		for (size_t c = 0; c < b->agents[a].n_commands; c++) {
			struct brief_command *cmd = &b->agents[a].commands[c];

			for (size_t i = 0; cmd->args && i < cmd->n_args; i++)
				pattern_free(cmd->args[i]);
		}
	}
	for (size_t i = 0; i < b->n_owned; i++)
		free(b->owned[i]);
	free(b->owned);
	json_free(b->json);
	json_free(b->operator_json);
	*b = (struct brief){0};
}

const struct brief_agent *brief_agent(const struct brief *b, struct view slug)
{
	for (size_t i = 0; i < b->n_agents; i++) {
		if (view_eq(b->agents[i].slug, slug))
			return &b->agents[i];
	}
	return NULL;
}

const struct brief_gate *brief_gate(const struct brief *b, struct view name)
{
	for (size_t i = 0; i < b->n_gates; i++) {
		if (view_eq(b->gates[i].name, name))
			return &b->gates[i];
	}
	return NULL;
}

const struct brief_jail *brief_jail(const struct brief *b, struct view slug)
{
	for (size_t i = 0; i < b->n_jails; i++) {
		if (view_eq(b->jails[i].slug, slug))
			return &b->jails[i];
	}
	return NULL;
}

const struct brief_grant *brief_grant(const struct brief *b, struct view slug)
{
	for (size_t i = 0; i < b->n_grants; i++) {
		if (view_eq(b->grants[i].slug, slug))
			return &b->grants[i];
	}
	return NULL;
}
