/* SPDX-License-Identifier: MIT */
/*
 * Command requests up to the point where one starts (file 22, 12.1 and 12.2): identity, purpose,
 * allow list, pinned folder; exec_command.c goes on from there. Failure rule: refuse with a row.
 * Tests: tests/e2e/runner-command.tap.
 */
#include "base/base.h"

#include "runner/engine.h"

#include "base/pathstr.h"
#include "runner/pattern.h"

static bool has_parent_step(struct view v)
{
	size_t start = 0;

	for (size_t i = 0; i <= v.len; i++) {
		if (i < v.len && v.ptr[i] != '/' && v.ptr[i] != '\\')
			continue;
		if (i - start == 2 && memcmp(v.ptr + start, "..", 2) == 0)
			return true;
		start = i + 1;
	}
	return false;
}

/* The second line behind the breadth probe (file 00, D15): what a pattern admits must still not
 * look like an option or leave the project, unless the brief spells the argument out. */
static bool argument_fits(const struct pattern *p, struct view v)
{
	if (has_parent_step(v))
		return false;
	if (v.len && (v.ptr[0] == '-' || v.ptr[0] == '/' || v.ptr[0] == '~') &&
	    !pattern_is_literal(p))
		return false;
	return pattern_matches(p, v);
}

static bool entry_matches(const struct brief_command *c, const struct views *argv)
{
	size_t rest, fixed;

	if (argv->n < c->prefix.n)
		return false;
	for (size_t i = 0; i < c->prefix.n; i++) {
		if (!view_eq(argv->item[i], c->prefix.item[i]))
			return false;
	}
	rest = argv->n - c->prefix.n;
	if (!c->variadic || c->n_args == 0) {
		if (rest != c->n_args)
			return false;
		fixed = rest;
	} else {
		if (rest < c->n_args)
			return false;
		fixed = c->n_args - 1;
	}
	for (size_t i = 0; i < rest; i++) {
		const struct pattern *p = c->args[i < fixed ? i : c->n_args - 1];

		if (!argument_fits(p, argv->item[c->prefix.n + i]))
			return false;
	}
	return true;
}

const struct brief_command *command_match(const struct brief_agent *agent, const struct views *argv,
					  const char **ret_why)
{
	*ret_why = "the command is not on the agent's allow list";
	for (size_t i = 0; agent && i < agent->n_commands; i++) {
		if (entry_matches(&agent->commands[i], argv))
			return &agent->commands[i];
	}
	return NULL;
}

static void check(struct engine *en, struct job *job, struct artifact *a, const char *agent)
{
	const struct brief_command *c;
	const char *why;

	if (a->argv.n == 0) {
		(void)reply_refuse_text(&job->reply, "argv is empty");
		return;
	}
	if (artifact_is_blank(a->purpose)) {
		(void)reply_refuse_text(&job->reply, "purpose is empty");
		return;
	}
	for (size_t i = 0; i < a->argv.n; i++) {
		if (a->argv.item[i].len > MAX_ROW_STRING_BYTES) {
			(void)reply_refuse_text(&job->reply, "argv[%zu] is too long", i);
			return;
		}
	}
	c = command_match(brief_agent(en->brief, view_of(agent)), &a->argv, &why);
	if (!c) {
		(void)reply_refuse_text(&job->reply, "%s", why);
		return;
	}
	if (!view_eq(a->cwd.ptr ? a->cwd : VIEW("."), c->cwd)) {
		(void)reply_refuse_text(&job->reply, "cwd isn't the one that the brief pins");
		return;
	}
	if (a->has_stdin && c->stdin_gates.n == 0) {
		(void)reply_refuse_text(&job->reply,
					"the brief lists no stdin_gates for this command");
		return;
	}
	if (!brief_jail(en->brief, view_of(agent))) {
		(void)reply_refuse_text(&job->reply, "agent \"%s\" has no confined_programs entry",
					agent);
		return;
	}
	exec_begin(en, job, a, c, agent);
}

void command_request(struct engine *en, struct job *job, struct artifact *a)
{
	struct ask_nonce who = {0};
	struct view agent = VIEW("?");

	if (identify(en, job, a, &who) == 0) {
		agent = view_of(who.agent);
		check(en, job, a, who.agent);
	}
	/* Dry runs are the orchestrator's (file 21, 29.34). */
	if (!job->taken && !job->reply.ok &&
	    !(job->request.dry_run && job->channel == CHANNEL_ORCHESTRATOR))
		refuse_row(en, job, ROW_RUN_REQUEST_REFUSED, agent, (struct view){0},
			   (struct view){0});
}
