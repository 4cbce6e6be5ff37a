/* SPDX-License-Identifier: MIT */
/*
 * Every table as stable text or JSON: the only form in which policy leaves the program. Pure; no
 * formatting functions of the C library, whose output may follow a locale. Tests:
 * tests/e2e/t0002-policy.tap, tests/unit/policy/t_dump.c.
 */
#include "base/base.h"

#include "policy/dump.h"

#include "policy/row.h"

static void put(struct dump *d, const char *s)
{
	d->sink(d->arg, s, strlen(s));
}

static void put_quoted(struct dump *d, const char *s)
{
	put(d, "\"");
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			put(d, "\\");
		d->sink(d->arg, s, 1);
	}
	put(d, "\"");
}

static void put_int(struct dump *d, int64_t value)
{
	char digits[24];
	size_t at = sizeof(digits);
	uint64_t rest = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (value < 0)
		digits[--at] = '-';
	d->sink(d->arg, digits + at, sizeof(digits) - at);
}

void dump_table(struct dump *d, const char *name, const char *about)
{
	if (d->json) {
		put(d, d->has_table ? ",\n  " : "\n  ");
		put_quoted(d, name);
		put(d, ": [");
	} else {
		put(d, "\n# ");
		put(d, name);
		put(d, ": ");
		put(d, about);
	}
	d->has_table = true;
	d->has_row = false;
}

static void row_end(struct dump *d)
{
	if (d->json && d->has_row)
		put(d, "}");
}

void dump_table_end(struct dump *d)
{
	row_end(d);
	put(d, d->json ? "\n  ]" : "\n");
}

void dump_row(struct dump *d, const char *id)
{
	row_end(d);
	if (d->json) {
		put(d, d->has_row ? ",\n    {\"id\": " : "\n    {\"id\": ");
		put_quoted(d, id);
	} else {
		put(d, "\n");
		put(d, id);
	}
	d->has_row = true;
}

static void put_key(struct dump *d, const char *key)
{
	if (d->json) {
		put(d, ", ");
		put_quoted(d, key);
		put(d, ": ");
	} else {
		put(d, " ");
		put(d, key);
		put(d, "=");
	}
}

void dump_str(struct dump *d, const char *key, const char *value)
{
	put_key(d, key);
	put_quoted(d, value);
}

void dump_int(struct dump *d, const char *key, int64_t value)
{
	put_key(d, key);
	put_int(d, value);
}

void dump_bool(struct dump *d, const char *key, bool value)
{
	put_key(d, key);
	put(d, value ? "true" : "false");
}

/* ---- the tables, in reading order ---- */

static void dump_verdicts(struct dump *d)
{
	static const enum verdict verdicts[] = {VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY,
						VERDICT_NONE};

	dump_table(d, "verdict", "what two verdicts make together; no verdict counts as deny");
	for (size_t i = 0; i < ARRAY_LEN(verdicts); i++) {
		dump_row(d, verdict_name(verdicts[i]));
		for (size_t k = 0; k < ARRAY_LEN(verdicts); k++)
			dump_str(d, verdict_name(verdicts[k]),
				 verdict_name(verdict_combine(verdicts[i], verdicts[k])));
	}
	dump_table_end(d);
}

static void dump_forms(struct dump *d)
{
	size_t n;
	const struct form_row *rows = pathread_forms(&n);

	dump_table(d, "path_form", "a requested path is refused if");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "reason", rows[i].reason);
	}
	dump_table_end(d);
}

static const char *kind_name(enum match_kind k)
{
	static const char *const names[N_MATCH_KINDS] = {
		[MATCH_EQUALS] = "equals", [MATCH_PREFIX] = "prefix", [MATCH_SUFFIX] = "suffix",
		[MATCH_INFIX] = "infix",   [MATCH_AROUND] = "around", [MATCH_FILE] = "file",
		[MATCH_SEQUENCE] = "path",
	};

	return (unsigned)k < N_MATCH_KINDS && names[k] != NULL ? names[k] : "none";
}

static void dump_deny_rows(struct dump *d, const struct deny_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "match", kind_name(rows[i].kind));
		dump_str(d, "text", rows[i].text);
		dump_str(d, "reason", rows[i].reason);
		dump_str(d, "reference", rows[i].reference);
	}
	dump_table_end(d);
}

static void dump_deny(struct dump *d)
{
	size_t n;
	const struct deny_row *rows = denylist_rows(&n);

	dump_table(d, "deny", "names that no agent may read; held against every part of a path");
	dump_deny_rows(d, rows, n);
	rows = denylist_exceptions(&n);
	dump_table(d, "deny_exception", "parts of a path that the table above doesn't mean");
	dump_deny_rows(d, rows, n);
}

static void dump_strips(struct dump *d)
{
	size_t n;
	const struct strip_row *rows = match_strips(&n);

	dump_table(d, "strip", "a name is compared as it is, and without these");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "at", rows[i].at_start ? "start" : "end");
		dump_str(d, "text", rows[i].text);
		dump_str(d, "reason", rows[i].reason);
	}
	dump_table_end(d);
}

static void dump_tools(struct dump *d)
{
	dump_table(d, "tool", "MCP tools and their annotations");
	for (int i = 0; i < N_TOOLS; i++) {
		const struct tool_row *t = policy_tool((enum tool)i);

		dump_row(d, t->id);
		dump_str(d, "name", t->name);
		dump_bool(d, "read_only", t->read_only);
		dump_bool(d, "destructive", t->destructive);
		dump_bool(d, "idempotent", t->idempotent);
		dump_bool(d, "open_world", t->open_world);
		dump_bool(d, "queues", t->queues);
	}
	dump_table_end(d);
}

static void dump_params(struct dump *d)
{
	static const char *const types[] = {[PARAM_STRING] = "string",
					    [PARAM_STRINGS] = "strings",
					    [PARAM_INTEGER] = "integer"};
	static const char *const form_names[] = {[FORM_ANY] = "any",
						 [FORM_PATH] = "path",
						 [FORM_TOKEN] = "token",
						 [FORM_BASE] = "base",
						 [FORM_GATE] = "gate"};
	size_t n;
	const struct param_row *rows = policy_params(&n);

	dump_table(d, "param", "arguments of the tools, as advertised and as checked");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "tool", policy_tool(rows[i].tool)->name);
		dump_str(d, "name", rows[i].name);
		dump_str(d, "type", types[rows[i].type]);
		dump_str(d, "form", form_names[rows[i].form]);
		dump_bool(d, "required", rows[i].required);
		dump_int(d, "min", rows[i].min);
		dump_int(d, "max", rows[i].max);
		dump_int(d, "max_bytes", (int64_t)rows[i].max_bytes);
		dump_int(d, "min_items", (int64_t)rows[i].min_items);
		dump_int(d, "max_items", (int64_t)rows[i].max_items);
		dump_str(d, "description", rows[i].description);
	}
	dump_table_end(d);
}

static void dump_limits(struct dump *d)
{
	size_t n;
	const struct limit_row *rows = limit_rows(&n);

	dump_table(d, "limit", "most that may be handed in");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].name);
		dump_int(d, "value", rows[i].value);
		dump_str(d, "reason", rows[i].reason);
	}
	dump_table_end(d);
}

static void (*const parts[])(struct dump *d) = {
	dump_verdicts, dump_forms,  dump_deny,	 dump_strips, write_dump,
	dump_tools,    dump_params, server_dump, dump_limits, gate_dump,
};

static void dump_all(policy_sink sink, void *arg, bool json)
{
	struct dump d = {.sink = sink, .arg = arg, .json = json};

	put(&d, json ? "{\n  \"format\": \"agentteams-policy\",\n  \"version\": 1,"
		     : "agentteams policy, format 1\n");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		parts[i](&d);
	put(&d, json ? "\n}\n" : "");
}

void policy_dump_text(policy_sink sink, void *arg)
{
	dump_all(sink, arg, false);
}

void policy_dump_json(policy_sink sink, void *arg)
{
	dump_all(sink, arg, true);
}
