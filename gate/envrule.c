/* SPDX-License-Identifier: MIT */
/* Variables that make other programs run something (policy/gate_env.c). Test: gate-dangerous.cases
 * group I, gate-dangerous-more.cases X455 on. */
#include "base/base.h"

#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

static bool temporary(struct view p)
{
	return view_starts(p, "/tmp") || view_starts(p, "/var/tmp") || view_starts(p, "/dev/shm") ||
	       view_starts(p, "/private/tmp");
}

/* A search path: folders in the workspace or where everyone writes. */
static bool search_path(struct run *r, struct view value)
{
	struct view rest = value;

	for (;;) {
		const char *colon = view_chr(rest, ':');
		struct view one =
			colon ? (struct view){rest.ptr, (size_t)(colon - rest.ptr)} : rest;

		if (one.len == 0 || one.ptr[0] != '/') {
			/* $PATH itself, and folders below something unknown, are the session's */
			if (one.len == 0 || one.ptr[0] != ANY)
				return true;
		} else if (temporary(one) ||
			   (known(one) && r->ctx->project.len && !path_outside(r, one))) {
			return true;
		}
		if (!colon)
			return false;
		rest = view_sub(rest, one.len + 1);
	}
}

static bool temp_path(struct view value)
{
	struct view rest = value;

	for (;;) {
		const char *colon = view_chr(rest, ':');
		struct view one =
			colon ? (struct view){rest.ptr, (size_t)(colon - rest.ptr)} : rest;

		if (temporary(one))
			return true;
		if (!colon)
			return false;
		rest = view_sub(rest, one.len + 1);
	}
}

static bool has_option(struct view value, const char *globs)
{
	struct view rest = value;

	while (rest.len) {
		const char *blank = view_chr(rest, ' ');
		struct view one =
			blank ? (struct view){rest.ptr, (size_t)(blank - rest.ptr)} : rest;
		const char *eq = view_chr(one, '=');
		struct view name = eq ? (struct view){one.ptr, (size_t)(eq - one.ptr)} : one;

		for (const char *g = globs; *g; g += strspn(g, " ")) {
			size_t n = strcspn(g, " ");
			char t[64];

			if (n < sizeof(t)) {
				memcpy(t, g, n);
				t[n] = 0;
				if (gate_glob(t, name, true))
					return true;
			}
			g += n;
		}
		rest = blank ? view_sub(rest, one.len + 1) : VIEW("");
	}
	return false;
}

/* A command in a value: fine when it only shows, edits or connects; else a person should see it. */
static bool harmless_command(struct view value)
{
	struct view word = value, name;
	const struct gate_program *p;
	size_t n = 0;

	if (value.len == 0)
		return true;
	while (n < value.len && value.ptr[n] != ' ')
		n++;
	word.len = n;
	for (size_t i = 0; i < value.len; i++)
		if (strchr(";|&`$<>(){}\n", value.ptr[i] ? value.ptr[i] : ';'))
			return false;
	if (view_has(value, "ProxyCommand") || view_has(value, "LocalCommand") ||
	    view_has(value, " -F") || view_has(value, " -c") || view_has(value, " -e") ||
	    view_has(value, " +"))
		return view_is(word, "code") || view_is(word, "emacsclient");
	name = program_name(word, &p);
	if (view_chr(word, '/') && !view_starts(word, "/usr/") && !view_starts(word, "/bin/") &&
	    !view_starts(word, "/opt/"))
		return false;
	return gate_env_harmless(name);
}

void judge_env(struct run *r, struct view name, struct view value, uint8_t taint, struct span span)
{
	const struct gate_env *row = gate_env(name);
	struct flow none = {0};
	struct text what;
	bool bad = false;

	if (!row || r->elsewhere)
		return;
	switch (row->kind) {
	case ENV_SEARCH:
		bad = search_path(r, value);
		break;
	case ENV_LOAD:
		bad = value.len > 0;
		break;
	case ENV_TEMP:
		bad = temp_path(value);
		break;
	case ENV_OPTIONS:
		bad = !known(value) ? (taint != 0) : has_option(value, row->words);
		break;
	case ENV_COMMAND:
		bad = !harmless_command(value);
		if (bad && value.len)
			judge_text(r, value.ptr[0] == '|' ? view_sub(value, 1) : value, taint, span,
				   NULL, &none, &none);
		break;
	case ENV_PROMPT:
		bad = view_has(value, "$(") || view_has(value, "`");
		if (bad)
			visit_word(r, parse_quoted(r->a, value,
						   (struct origin){false, span.off, span.len},
						   r->parse_depth + 1));
		break;
	}
	if (!bad)
		return;
	text_init(&what, r->tmp);
	text_put(&what, name);
	text_putc(&what, '=');
	text_put(&what, value);
	finding_add(r, row->id, GATE_ENV_EXEC, 0, NULL, span, text_view(&what));
}
