/* SPDX-License-Identifier: MIT */
/*
 * --check: what would be done, as text (file 10, section 10) and as JSON. Nothing secret: values of
 * variables never appear, and words of the command are printed as they are (the operator typed
 * them). Pure. Covered by tests/golden/launcher/ and tests/e2e/launcher-refusals.tap.
 */
#include "base/base.h"
#include "launcher/check_print.h"

#include "launcher/bwrap_args.h"

#include "base/utf8.h"

static void line(struct buf *b, const char *label, const char *format, ...) printf_like(3, 4);

#include <stdarg.h>
#include <stdio.h>

static void label_only(struct buf *b, const char *label)
{
	(void)buf_printf(b, "  %-18s: ", label);
}

static void line(struct buf *b, const char *label, const char *format, ...)
{
	va_list ap;
	auto_free char *text = NULL;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	label_only(b, label);
	(void)utf8_print(b, view_of(text ? text : ""), 0);
	(void)buf_putc(b, '\n');
}

static void put_list(const struct launch *l, struct buf *b, const char *label, enum role role,
		     const char *rule_prefix, const char *none)
{
	size_t n = 0;

	label_only(b, label);
	for (size_t i = 0; i < l->objects.n; i++) {
		const struct object *o = &l->objects.v[i];

		if (o->role != role ||
		    (rule_prefix && strncmp(o->rule, rule_prefix, strlen(rule_prefix)) != 0))
			continue;
		(void)buf_puts(b, n++ ? " " : "");
		(void)utf8_print(b, view_of(o->path), 0);
	}
	if (n == 0)
		(void)buf_puts(b, none);
	if (role == ROLE_PROTECT && !rule_prefix) {
		bool any = false;

		for (size_t i = 0; i < l->plan.n; i++)
			if (l->plan.v[i].kind == MOUNT_ANCESTOR) {
				(void)buf_puts(b, any ? " " : " [rename-locked: ");
				(void)utf8_print(b, view_of(l->plan.v[i].dest), 0);
				any = true;
			}
		(void)buf_puts(b, any ? "]" : "");
	}
	(void)buf_putc(b, '\n');
}

static bool is_prompt_rule(const char *rule)
{
	size_t n;
	const struct guard_row *g = launch_guards(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(g[i].id, rule) == 0)
			return g[i].kind == GUARD_PROMPT;
	return false;
}

static void put_prompt_roots(const struct launch *l, struct buf *b)
{
	size_t n = 0;

	if (!l->opt->prompt_roots)
		return;
	label_only(b, "prompt-roots (ro)");
	for (size_t i = 0; i < l->objects.n; i++)
		if (l->objects.v[i].role == ROLE_PROTECT && is_prompt_rule(l->objects.v[i].rule)) {
			(void)buf_puts(b, n++ ? " " : "");
			(void)utf8_print(b, view_of(l->objects.v[i].path), 0);
		}
	(void)buf_puts(b, n ? "\n" : "<none present>\n");
}

static void put_env(const struct launch *l, struct buf *b)
{
	label_only(b, "env allowlist");
	for (size_t i = 0; i < l->env.n; i++)
		(void)buf_printf(b, "%s%.*s", i ? " " : "", (int)strcspn(l->env.v[i], "="),
				 l->env.v[i]);
	(void)buf_puts(b, " (all others are dropped; values are not shown)\n");
}

static void put_limit(struct buf *b, const char *label, uint64_t value, const char *remark)
{
	if (value)
		line(b, label, "%llu %s", (unsigned long long)value, remark);
	else
		line(b, label, "<none>");
}

/* Bubblewrap's options, with descriptors written as the things behind them. */
static void put_effective(const struct launch *l, struct buf *b)
{
	auto_buf struct buf args;
	auto_free int *fds = calloc(l->plan.n + 1, sizeof(*fds));
	const int seccomp[2] = {0, 0};
	struct bwrap_in in = {
		.plan = &l->plan,
		.fds = fds,
		.bind_fd = l->bwrap_bind_fd,
		.share_net = l->opt->egress == EGRESS_HOST || l->opt->netns_given,
		.chdir = l->cwd,
		.seccomp_fds = seccomp,
		.n_seccomp = l->opt->seccomp ? 2 : 0,
	};

	buf_init(&args, 8 << 20);
	if (fds)
		bwrap_args_emit(&in, &args);
	label_only(b, "effective");
	(void)buf_puts(b, BWRAP_PATH);
	for (size_t at = 0; at < args.len; at += strlen(args.data + at) + 1) {
		(void)buf_putc(b, ' ');
		(void)utf8_print(b, view_of(args.data + at), 0);
	}
	(void)buf_puts(b, " -- confine-init\n");
	if (l->plan.n_late)
		line(b, "mounted after", "%zu of the protected paths, read-only", l->plan.n_late);
}

void launch_print_text(const struct launch *l, struct buf *b)
{
	const struct options *o = l->opt;
	const struct object *root = l->n_roots ? &l->objects.v[0] : NULL;

	(void)buf_puts(b, "confine-run: inert check, nothing is started\n");
	line(b, "os", "Linux");
	line(b, "preset", "%s", launch_preset(o->preset)->name);
	if (o->read_only)
		line(b, "project (read-only)", "%s", l->objects.v[l->n_roots].path);
	else
		line(b, root && root->role == ROLE_OVERLAY ? "overlay" : "scratch (writable)", "%s",
		     root ? root->path : "<none>");
	if (o->egress == EGRESS_PROXY && o->netns_given)
		line(b, "egress mode", "proxy (network namespace %s, endpoint %s)", o->netns,
		     o->proxy);
	else if (o->egress == EGRESS_PROXY)
		line(b, "egress mode", "proxy (rules %s)", o->egress_rules);
	else
		line(b, "egress mode", "%s", option_word_egress(o->egress));
	line(b, "home", "%s", option_word_home(o->home));
	line(b, "unix sockets", "%s", option_word_sockets(o->sockets));
	put_list(l, b, "read-excluded", ROLE_MASK, NULL, "<none present>");
	put_list(l, b, "control-plane (ro)", ROLE_PROTECT, NULL, "<none>");
	put_prompt_roots(l, b);
	put_list(l, b, "writable", ROLE_ROOT, "--writable", "<none>");
	label_only(b, "coord-roots");
	{
		size_t n = 0;

		for (size_t i = 0; i < l->objects.n; i++)
			if (l->objects.v[i].role == ROLE_ROOT &&
			    strcmp(l->objects.v[i].rule, "--coord-root") == 0) {
				(void)buf_puts(b, n++ ? " " : "");
				(void)utf8_print(b, view_of(l->objects.v[i].path), 0);
			}
		(void)buf_puts(b, n ? " (writable; control plane protected)\n" : "<none>\n");
	}
	put_env(l, b);
	put_limit(b, "cpu-max (RLIMIT)", o->cpu_max, "seconds per process");
	put_limit(b, "nproc-max (RLIMIT)", o->nproc_max, "processes and threads inside");
	put_limit(b, "mem-max", o->mem_max, "MiB (cgroup v2, or refused at start)");
	put_limit(b, "timeout", o->timeout_s, "seconds");
	line(b, "seccomp", "%s",
	     !o->seccomp			    ? "off"
	     : launch_preset(o->preset)->allow_list ? "allow list + argument filter"
						    : "deny list + argument filter");
	line(b, "landlock", "%s", o->landlock ? "required (ABI 3 or later)" : "off");
	label_only(b, "command");
	for (size_t i = 0; o->command[i]; i++) {
		(void)buf_puts(b, i ? " " : "");
		(void)utf8_print(b, view_of(o->command[i]), 0);
	}
	(void)buf_putc(b, '\n');
	put_effective(l, b);
}

static const char *role_name(enum role r)
{
	static const char *const names[] = {"none",	"overlay",   "writable", "home-read",
					    "run-read", "protected", "hidden"};

	return names[r];
}

static const char *mount_name(enum mount_kind k)
{
	static const char *const names[] = {"none", "ro-root", "tmpfs",	   "dev",     "proc",
					    "dir",  "bind",    "ancestor", "ro-bind", "mask"};

	return names[k];
}

void launch_print_json(const struct launch *l, struct jsonw *w)
{
	const struct options *o = l->opt;

	jsonw_obj(w);
	jsonw_kv_int(w, "version", 1);
	jsonw_kv_cstr(w, "os", "linux");
	jsonw_kv_cstr(w, "preset", launch_preset(o->preset)->name);
	jsonw_kv_cstr(w, "cwd", l->cwd);
	jsonw_kv_cstr(w, "egress", option_word_egress(o->egress));
	jsonw_kv_cstr(w, "home", option_word_home(o->home));
	jsonw_kv_cstr(w, "unix_sockets", option_word_sockets(o->sockets));
	jsonw_kv_cstr(w, "git_protect", option_word_git(o->git));
	jsonw_kv_bool(w, "seccomp", o->seccomp);
	jsonw_kv_bool(w, "landlock", o->landlock);
	jsonw_key(w, "paths");
	jsonw_arr(w);
	for (size_t i = 0; i < l->objects.n; i++) {
		jsonw_obj(w);
		jsonw_kv_cstr(w, "role", role_name(l->objects.v[i].role));
		jsonw_kv_cstr(w, "path", l->objects.v[i].path);
		jsonw_kv_cstr(w, "rule", l->objects.v[i].rule);
		jsonw_obj_end(w);
	}
	jsonw_arr_end(w);
	jsonw_key(w, "mounts");
	jsonw_arr(w);
	for (size_t i = 0; i < l->plan.n; i++) {
		jsonw_obj(w);
		jsonw_kv_cstr(w, "kind", mount_name(l->plan.v[i].kind));
		jsonw_kv_cstr(w, "path", l->plan.v[i].dest);
		if (l->plan.v[i].late)
			jsonw_kv_bool(w, "late", true);
		jsonw_obj_end(w);
	}
	jsonw_arr_end(w);
	jsonw_key(w, "env");
	jsonw_arr(w);
	for (size_t i = 0; i < l->env.n; i++)
		jsonw_str(w, (struct view){l->env.v[i], strcspn(l->env.v[i], "=")});
	jsonw_arr_end(w);
	jsonw_key(w, "notes");
	jsonw_arr(w);
	for (size_t i = 0; i < l->notes.n; i++)
		jsonw_cstr(w, l->notes.v[i]);
	jsonw_arr_end(w);
	jsonw_obj_end(w);
}
