/* SPDX-License-Identifier: MIT */
/* Tools by kind. A path is judged as it is written and, where it exists, nothing more: links are
 * the launcher's matter. Test: tests/e2e/t0400-gate-event.tap. */
#include "base/base.h"

#include "gate/toolrule.h"

#include "gate/content.h"
#include "gate/oprules.h"
#include "gate/paths.h"

#include <sys/stat.h>

enum { SHRINK_BYTES = 2048, MAX_EDITS = 4096 };

struct call {
	struct arena *a;
	struct run *r;
	const struct event *ev;
	struct errctx *e;
};

static int string_member(struct call *c, const char *list, struct view *ret)
{
	*ret = VIEW("");
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");
		char name[32];
		const struct json *m;

		memcpy(name, p, n);
		name[n] = 0;
		p += n;
		m = json_member(c->ev->input, name);
		if (!m)
			continue;
		if (json_get_str(m, ret) != 0)
			return err_set(c->e, E_TYPE, "the argument \"%s\" is no text", name);
		return 0;
	}
	return E_MISSING;
}

static void judge_content(struct call *c, struct view text)
{
	unsigned line = 0;
	const char *what = content_scan(c->a, text, &line);
	char t[96];

	if (!what)
		return;
	(void)snprintf(t, sizeof(t), "%s in line %u", what, line);
	finding_own(c->r, "GATE_0023", (struct span){0, 0}, arena_copy(c->a, view_of(t)));
}

static off_t size_of(struct call *c, struct view path)
{
	struct view p = path_resolve(c->r, path);
	struct stat st;

	if (!known(p) || stat(arena_copy(c->a, p).ptr, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	return st.st_size;
}

static void judge_shrink(struct call *c, struct view path, off_t old, off_t now)
{
	if (old > 0 && old - now > SHRINK_BYTES && now * 5 < old)
		finding_own(c->r, "GATE_0024", (struct span){0, 0}, path);
}

static int write_tool(struct call *c)
{
	struct view path, text;
	int r = string_member(c, "file_path path absolute_path notebook_path", &path);

	if (r)
		return r == E_MISSING ? err_set(c->e, E_MISSING, "the call names no file") : r;
	path_judge(c->r, path, USE_WRITE, (struct span){0, 0});
	r = string_member(c, "content file_text contents", &text);
	if (r)
		return r == E_MISSING ? 0 : r;
	judge_content(c, text);
	judge_shrink(c, path, size_of(c, path), (off_t)text.len);
	return 0;
}

/* One replacement: what goes and what comes. */
static int one_edit(struct call *c, const struct json *edit, off_t *gone)
{
	struct view before = VIEW(""), after = VIEW("");
	const struct json *o = json_member(edit, "old_string"),
			  *n = json_member(edit, "new_string");

	if ((o && json_get_str(o, &before) != 0) || (n && json_get_str(n, &after) != 0))
		return err_set(c->e, E_TYPE, "an edit's text is no text");
	judge_content(c, after);
	*gone += (off_t)before.len - (off_t)after.len;
	return 0;
}

static int edit_tool(struct call *c)
{
	struct view path, text;
	const struct json *edits = json_member(c->ev->input, "edits");
	off_t gone = 0, old;
	unsigned count = 0;
	int r = string_member(c, "file_path path notebook_path absolute_path", &path);

	if (r)
		return r == E_MISSING ? err_set(c->e, E_MISSING, "the call names no file") : r;
	path_judge(c->r, path, USE_WRITE, (struct span){0, 0});
	if (edits && !json_is(edits, JSON_ARRAY))
		return err_set(c->e, E_TYPE, "the edits are no list");
	for (const struct json *x = json_first(edits); x; x = json_next(x)) {
		if (++count > MAX_EDITS)
			return err_set(c->e, E_TOOBIG, "more than %d edits", MAX_EDITS);
		r = one_edit(c, x, &gone);
		if (r)
			return r;
	}
	if (!edits) {
		r = one_edit(c, c->ev->input, &gone);
		if (r)
			return r;
	}
	r = string_member(c, "new_source content", &text);
	if (r && r != E_MISSING)
		return r;
	if (r == 0)
		judge_content(c, text);
	old = size_of(c, path);
	if (old > 0)
		judge_shrink(c, path, old, old - gone);
	return 0;
}

/* Codex: "*** Update File: x", "*** Add File:", "*** Delete File:", "*** Move to:". */
static int patch_tool(struct call *c)
{
	static const struct {
		const char *mark;
		enum gate_path_use use;
	} marks[] = {{"*** Update File: ", USE_WRITE},
		     {"*** Add File: ", USE_WRITE},
		     {"*** Move to: ", USE_WRITE},
		     {"*** Delete File: ", USE_REMOVE}};
	struct view text;
	int r = string_member(c, "input patch command", &text);

	if (r)
		return r == E_MISSING ? err_set(c->e, E_MISSING, "the call holds no patch") : r;
	judge_content(c, text);
	while (text.len) {
		const char *nl = view_chr(text, '\n');
		struct view line = nl ? (struct view){text.ptr, (size_t)(nl - text.ptr)} : text;

		for (size_t i = 0; i < ARRAY_LEN(marks); i++)
			if (view_starts(line, marks[i].mark)) {
				struct view path = view_sub(line, strlen(marks[i].mark));

				path_judge(c->r, path, marks[i].use, (struct span){0, 0});
				if (marks[i].use == USE_REMOVE)
					finding_own(c->r, "GATE_0025", (struct span){0, 0}, path);
			}
		text = nl ? view_sub(text, line.len + 1) : VIEW("");
	}
	return 0;
}

static void spawn_tool(struct call *c)
{
	static const char *const names[] = {"mode", "permission_mode", "permissionMode"};
	struct view v;
	bool skip = false;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (json_get_str(json_member(c->ev->input, names[i]), &v) == 0 &&
		    (view_is(v, "bypassPermissions") || view_is(v, "dontAsk")))
			finding_own(c->r, "GATE_0026", (struct span){0, 0}, v);
	if (json_get_bool(json_member(c->ev->input, "dangerously_skip_permissions"), &skip) == 0 &&
	    skip)
		finding_own(c->r, "GATE_0026", (struct span){0, 0},
			    VIEW("dangerously_skip_permissions"));
}

/* The words of a name: split at non-letters and at capitals. */
static bool any_word(struct view name, bool (*is)(struct view))
{
	size_t from = 0;

	for (size_t i = 0; i <= name.len; i++) {
		bool edge = i == name.len || !isalpha((unsigned char)name.ptr[i]) ||
			    (i > from && isupper((unsigned char)name.ptr[i]) &&
			     !isupper((unsigned char)name.ptr[i - 1]));

		if (!edge)
			continue;
		if (i > from && is((struct view){name.ptr + from, i - from}))
			return true;
		from = i < name.len && isalpha((unsigned char)name.ptr[i]) ? i : i + 1;
	}
	return false;
}

static bool reads(struct view w)
{
	static const char *const words[] = {"get",	"read", "list", "search", "find",
					    "grep",	"stat", "view", "fetch",  "query",
					    "describe", "show", "glob", "status", "count"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (gate_glob(words[i], w, true))
			return true;
	return false;
}

/* Any tool that names a file: protected ones are refused, unless it only reads. */
static void path_members(struct call *c)
{
	static const char paths[] =
		"path file_path filePath filename file target destination dest output "
		"output_path notebook_path absolute_path uri new_path to";

	for (const struct json *m = json_first(c->ev->input); m; m = json_next(m)) {
		struct view v;

		if (!gate_in_list(paths, json_key(m)) || json_get_str(m, &v) != 0)
			continue;
		if (view_starts(v, "file://"))
			v = view_sub(v, 7);
		path_judge(c->r, v, USE_WRITE, (struct span){0, 0});
	}
}

static void other_tool(struct call *c)
{
	struct view tool = c->ev->tool, last = tool;
	const char *sep = NULL;

	/* our own tools only queue a request that the operator's side judges */
	if (view_starts(tool, "mcp__agentteams_runner__") ||
	    view_starts(tool, "mcp__agentteams-runner__"))
		return;
	for (size_t i = 0; i + 1 < tool.len; i++)
		if (tool.ptr[i] == '_' && tool.ptr[i + 1] == '_')
			sep = tool.ptr + i + 2;
	if (sep)
		last = view_sub(tool, (size_t)(sep - tool.ptr));
	if (view_starts(tool, "mcp__") && any_word(last, gate_mcp_word))
		finding_own(c->r, "GATE_0025", (struct span){0, 0}, tool);
	if (!any_word(last, reads))
		path_members(c);
}

static void sandbox(struct call *c)
{
	bool off = false;

	if (json_get_bool(json_member(c->ev->input, "dangerouslyDisableSandbox"), &off) == 0 && off)
		finding_own(c->r, c->r->ctx->confined ? "GATE_0022" : "GATE_0021",
			    (struct span){0, 0}, VIEW(""));
}

static int judge(struct call *c, enum gate_tool_kind kind)
{
	switch (kind) {
	case TOOLK_WRITE:
		return write_tool(c);
	case TOOLK_EDIT:
		return edit_tool(c);
	case TOOLK_PATCH:
		return patch_tool(c);
	case TOOLK_SPAWN:
		spawn_tool(c);
		return 0;
	case TOOLK_OTHER:
		other_tool(c);
		return 0;
	case TOOLK_READ:
	case TOOLK_SHELL:
	case TOOLK_POWERSHELL:
		break;
	}
	return 0;
}

int decide_tool(struct arena *a, const struct gate_context *ctx, const struct event *ev,
		struct answer *ret, struct view *ret_command, struct errctx *e)
{
	enum gate_tool_kind kind = gate_tool_kind(ev->tool);
	struct run *r;
	struct call c = {.a = a, .ev = ev, .e = e};
	bool has_command = json_is(json_member(ev->input, "command"), JSON_STRING);
	int code;

	*ret_command = VIEW("");
	memset(ret, 0, sizeof(*ret));
	ret->verdict = VERDICT_ASK;
	if (kind == TOOLK_SHELL || kind == TOOLK_POWERSHELL ||
	    (kind == TOOLK_OTHER && has_command)) {
		code = string_member(&c, "command cmd", ret_command);
		if (code == E_MISSING)
			return err_set(e, E_MISSING, "the call holds no command");
		if (code)
			return code;
		if (kind == TOOLK_POWERSHELL)
			decide_powershell(a, ctx, *ret_command, ret);
		else
			decide_command(a, ctx, *ret_command, NULL, NULL, ret);
	}
	if (setjmp(a->full) != 0)
		return err_set(e, E_NOMEM, "no memory for the decision");
	r = ARENA_NEW(a, struct run);
	r->a = a;
	r->tmp = a;
	r->ctx = ctx;
	r->verdict = VERDICT_ALLOW;
	c.r = r;
	for (uint32_t i = 0; i < ret->n_findings; i++)
		finding_add(r, ret->findings[i].rule, ret->findings[i].cls,
			    ret->findings[i].verdict, ret->findings[i].does, ret->findings[i].span,
			    ret->findings[i].what);
	if (ret->n_findings)
		r->verdict = ret->verdict == VERDICT_DENY ? VERDICT_DENY : r->verdict;
	sandbox(&c);
	code = judge(&c, kind);
	if (code)
		return code;
	ret->verdict = r->verdict;
	ret->findings = r->findings;
	ret->n_findings = r->n_findings;
	return 0;
}
