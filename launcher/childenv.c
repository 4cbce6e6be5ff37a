/* SPDX-License-Identifier: MIT */
/*
 * The command's environment (file 10, 7.1 and 18.6): empty, then allowed names that are set, then
 * explicit values. It reaches the command over stage 2; bubblewrap itself runs with none of it, so
 * that a loader variable can't act outside. System (reads the environment and looks at PATH).
 * Covered by tests/e2e/launcher-refusals.tap.
 */
#include "base/base.h"
#include "launcher/launch.h"

#include "base/limits.h"
#include "base/pathstr.h"

#include <fcntl.h>
#include <stdio.h>

static int put(struct launch *l, const char *name, size_t name_len, const char *value,
	       struct errctx *e)
{
	struct strings *env = &l->env;
	auto_free char *word = NULL;

	if (asprintf(&word, "%.*s=%s", (int)name_len, name, value) < 0) {
		word = NULL;
		return err_set(e, E_NOMEM, "no memory");
	}
	if (strlen(word) > MAX_ARG_BYTES)
		return err_set(e, E_USAGE, "variable %.*s: longer than the kernel takes",
			       (int)name_len, name);
	for (size_t i = 0; i < env->n; i++)
		if (strncmp(env->v[i], word, name_len + 1) == 0) {
			explicit_bzero(env->v[i], strlen(env->v[i]));
			free(env->v[i]);
			env->v[i] = steal_ptr(&word);
			return 0;
		}
	return strings_add(env, word, e);
}

/* Could a guest have put a program there? A root is what this run or an earlier one may have
 * filled. The command preset, which starts what the operator allowed by name, goes further and
 * drops every folder that the user can write; a session keeps the user's own (~/.local/bin), which
 * is read-only inside. */
static bool is_trusted_dir(const struct launch *l, const char *path, size_t len)
{
	auto_free char *dir = strndup(path, len);
	struct stat st;

	if (!dir || dir[0] != '/' || stat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	for (size_t i = 0; i < l->n_roots; i++)
		if (pathstr_beneath(view_of(dir), view_of(l->objects.v[i].path)))
			return false;
	/* Read-only now, but it may be the project that an earlier run wrote. */
	if (l->opt->read_only &&
	    pathstr_beneath(view_of(dir), view_of(l->objects.v[l->n_roots].path)))
		return false;
	if ((st.st_mode & 022) != 0 || (st.st_uid != 0 && st.st_uid != l->uid))
		return false;
	return l->opt->preset == PRESET_AGENT || st.st_uid == 0;
}

static int put_path(struct launch *l, const char *value, struct errctx *e)
{
	auto_buf struct buf kept;

	buf_init(&kept, MAX_ARG_BYTES);
	for (const char *at = value; *at;) {
		size_t n = strcspn(at, ":");

		if (is_trusted_dir(l, at, n)) {
			if (kept.len)
				(void)buf_putc(&kept, ':');
			(void)buf_put(&kept, at, n);
		}
		at += n + (at[n] == ':');
	}
	return put(l, "PATH", 4, kept.len ? buf_text(&kept) : "/usr/local/bin:/usr/bin:/bin", e);
}

static bool is_shell(const char *value)
{
	for (size_t i = 0; launch_env_shells[i]; i++)
		if (strcmp(value, launch_env_shells[i]) == 0)
			return true;
	return false;
}

int launch_build_env(struct launch *l, struct errctx *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && launch_env_default[i]; i++) {
		const char *name = launch_env_default[i], *value = getenv(name);

		if (strcmp(name, "PATH") == 0)
			r = put_path(l, value ? value : "", e);
		else if (strcmp(name, "HOME") == 0 && l->home)
			r = put(l, "HOME", 4, value && *value == '/' ? value : l->home, e);
		else if (value && (strcmp(name, "SHELL") != 0 || is_shell(value)))
			r = put(l, name, strlen(name), value, e);
	}
	if (r == 0)
		r = put(l, "TMPDIR", 6, "/tmp", e);
	if (r == 0)
		r = put(l, "XDG_RUNTIME_DIR", 15, l->run_dir, e);
	for (size_t i = 0; r == 0 && i < l->opt->env_allow.n; i++) {
		const char *name = l->opt->env_allow.v[i], *value = getenv(name);

		if (value)
			r = put(l, name, strlen(name), value, e);
	}
	for (size_t i = 0; r == 0 && i < l->opt->setenv.n; i++) {
		const char *word = l->opt->setenv.v[i], *eq = strchr(word, '=');

		r = put(l, word, (size_t)(eq - word), eq + 1, e);
	}
	return r;
}

int childenv_set(struct launch *l, const char *word, struct errctx *e)
{
	const char *eq = strchr(word, '=');

	return eq ? put(l, word, (size_t)(eq - word), eq + 1, e)
		  : err_set(e, E_INTERNAL, "variable without a value");
}
