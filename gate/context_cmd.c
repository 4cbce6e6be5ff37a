/* SPDX-License-Identifier: MIT */
/* What the gate knows about the session, and the operator's rules. Effects: reads the environment
 * and the operator's file. Test: tests/e2e/t0402-gate-rules.tap. */
#include "base/base.h"

#include "gate/gate_cmd.h"

#include "base/custody.h"
#include "base/limits.h"

static struct view absolute(const char *s)
{
	struct view v = s ? view_of(s) : VIEW("");

	if (v.len == 0 || v.ptr[0] != '/')
		return VIEW("");
	while (v.len > 1 && v.ptr[v.len - 1] == '/')
		v.len--;
	return v;
}

void context_fill(struct gate_context *ctx, const struct options *o, struct view cwd)
{
	const char *project = o->project ? o->project : getenv("CLAUDE_PROJECT_DIR");

	*ctx = (struct gate_context){.home = absolute(getenv("HOME")), .confined = o->confined};
	ctx->cwd = cwd.len && cwd.ptr[0] == '/' ? cwd : absolute(getenv("PWD"));
	ctx->project = absolute(project);
	if (ctx->project.len == 0)
		ctx->project = ctx->cwd;
}

int rules_load(struct arena *a, const struct options *o, struct op_rules *ret, struct errctx *e)
{
	auto_buf struct buf path, text;
	struct op_error bad;
	const char *home = getenv("HOME");
	int r;

	buf_init(&path, MAX_PATH_BYTES);
	buf_init(&text, MAX_OPERATOR_FILE_BYTES);
	*ret = (struct op_rules){0};
	if (o->no_rules)
		return 0;
	if (o->rules)
		(void)buf_puts(&path, o->rules);
	else if (home && home[0] == '/')
		(void)buf_printf(&path, "%s/.config/agentteams/gate.rules", home);
	else
		return 0;
	if (buf_error(&path))
		return err_set(e, buf_error(&path), "the path of the rules is too long");
	r = custody_read(buf_text(&path), o->rules ? 0 : CUSTODY_OPTIONAL, MAX_OPERATOR_FILE_BYTES,
			 -1, &text, e);
	if (r == E_NOENT && !o->rules)
		return 0;
	if (r)
		return r;
	if (setjmp(a->full) != 0)
		return err_set(e, E_NOMEM, "no memory for the rules");
	if (!oprules_parse(a, arena_copy(a, buf_view(&text)), ret, &bad))
		return err_set(e, E_SYNTAX, "%s:%u:%u: %s", buf_text(&path), bad.line, bad.column,
			       bad.why);
	return 0;
}
