/* SPDX-License-Identifier: MIT */
/*
 * What can be said about a command or a gate before it starts (file 21, 15.6 to 15.8, 16.5 to 16.8
 * and 18; file 22, 12.3): program, jail, write roots, working folder, against the live tree.
 * System. Failure rule: refuse. Tests: tests/e2e/runner-command.tap.
 */
#include "base/base.h"

#include "runner/exec.h"

#include "base/custody.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"
#include "policy/write.h"
#include "runner/brief_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void exec_plan_release(struct exec_plan *p)
{
	for (size_t i = 0; i < p->n_exec; i++)
		free(p->exec[i]);
	for (size_t i = 0; i < p->n_root; i++)
		free(p->root[i]);
	free(p->exec);
	free(p->root);
	free(p->root_id);
	free(p->program);
	free(p->cwd);
	free(p->path_env);
	*p = (struct exec_plan){0};
}

static bool beneath(const char *path, const char *top)
{
	return pathstr_beneath(view_of(path), view_of(top));
}

static bool overlap(const char *a, const char *b)
{
	return beneath(a, b) || beneath(b, a);
}

/* ---- program ---- */

/* The absolute folders of PATH; others would depend on where the command starts. */
static int make_path(struct exec_plan *p, struct errctx *e)
{
	auto_buf struct buf out;
	const char *rest = getenv("PATH");

	buf_init(&out, MAX_ARG_BYTES);
	if (!rest || !*rest)
		rest = "/usr/local/bin:/usr/bin:/bin";
	while (*rest) {
		size_t n = strcspn(rest, ":");

		if (n > 0 && *rest == '/')
			(void)buf_printf(&out, "%s%.*s", out.len ? ":" : "", (int)n, rest);
		rest += n + (rest[n] == ':');
	}
	if (buf_error(&out) || out.len == 0)
		return err_set(e, E_MISSING, "PATH names no absolute folder");
	p->path_env = buf_steal(&out);
	return 0;
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int find_program(struct exec_plan *p, struct view name, struct errctx *e)
{
	char path[2 * MAX_PATH_BYTES];
	const char *rest = p->path_env;

	if (name.len == 0 || name.len > MAX_PATH_BYTES)
		return err_set(e, E_SYNTAX, "argv[0] is no program's name");
	if (name.ptr[0] == '/') {
		p->program = strndup(name.ptr, name.len);
		return p->program ? 0 : err_set(e, E_NOMEM, "no memory");
	}
	if (view_chr(name, '/'))
		return err_set(e, E_DENIED,
			       "argv[0] is a relative path; name the program alone, or absolutely");
	while (*rest) {
		size_t n = strcspn(rest, ":");

		if ((size_t)snprintf(path, sizeof(path), "%.*s/%.*s", (int)n, rest, (int)name.len,
				     name.ptr) < sizeof(path) &&
		    is_program(path)) {
			p->program = strdup(path);
			return p->program ? 0 : err_set(e, E_NOMEM, "no memory");
		}
		rest += n + (rest[n] == ':');
	}
	return err_set(e, E_NOENT, "there is no program \"%.*s\" on PATH", (int)name.len, name.ptr);
}

/* *ret: the program's real path. */
static int resolve(const struct starter_config *c, struct exec_plan *p, struct view name,
		   char **ret, struct errctx *e)
{
	struct stat st;
	auto_free char *real = NULL;
	int rc = make_path(p, e);

	if (rc == 0)
		rc = find_program(p, name, e);
	if (rc != 0)
		return rc;
	real = realpath(p->program, NULL);
	if (!real || stat(real, &st) != 0)
		return err_sys(e, "program %s", p->program);
	if (!S_ISREG(st.st_mode) || access(real, X_OK) != 0)
		return err_set(e, E_NOTREG, "%s is no program", p->program);
	if (beneath(real, c->root_path))
		return err_set(e, E_DENIED,
			       "%s lies inside the project, where an agent can have written it",
			       real);
	if (st.st_mode & S_IWOTH)
		return err_set(e, E_MODE, "everybody may change the program %s", real);
	/* The written name was checked when the brief was loaded; a link may lead to a shell. */
	if (brief_is_shell(view_of(real)))
		return err_set(e, E_DENIED, "%s is the shell %s", p->program, real);
	*ret = steal_ptr(&real);
	return 0;
}

/* ---- exec list ---- */

static int add_exec(struct exec_plan *p, struct view v, struct errctx *e)
{
	auto_buf struct buf path;
	char *real;
	int rc = 0;

	buf_init(&path, 2 * MAX_PATH_BYTES);
	if (v.len > 1 && v.ptr[0] == '~') {
		rc = custody_home(&path, e);
		v = (struct view){v.ptr + 1, v.len - 1};
	}
	(void)buf_put_view(&path, v);
	if (rc == 0 && buf_error(&path))
		rc = err_set(e, buf_error(&path), "a path of the exec list is too long");
	if (rc != 0)
		return rc;
	real = realpath(buf_text(&path), NULL);
	if (!real)
		return 0; /* not on this machine: nothing below it can run */
	p->exec[p->n_exec++] = real;
	return 0;
}

static int add_exec_list(struct exec_plan *p, const struct views *list, struct errctx *e)
{
	int rc = 0;

	p->exec = calloc(list->n + 2, sizeof(*p->exec));
	if (!p->exec)
		return err_set(e, E_NOMEM, "no memory");
	for (size_t i = 0; i < list->n && rc == 0; i++)
		rc = add_exec(p, list->item[i], e);
	return rc;
}

static int check_exec_list(const struct starter_config *c, const struct exec_plan *p,
			   struct errctx *e)
{
	auto_buf struct buf home;
	auto_free char *real_home = NULL;

	buf_init(&home, MAX_PATH_BYTES);
	if (custody_home(&home, NULL) == 0)
		real_home = realpath(buf_text(&home), NULL);
	for (size_t i = 0; i < p->n_exec; i++) {
		const char *x = p->exec[i];

		if (strcmp(x, "/") == 0 || (real_home && beneath(real_home, x)))
			return err_set(e, E_DENIED,
				       "exec: %s is too wide: it holds the home folder", x);
		if (overlap(x, c->root_path))
			return err_set(e, E_DENIED,
				       "exec: %s and the project overlap; a command could write "
				       "what is run",
				       x);
		if (overlap(x, c->run_path))
			return err_set(e, E_DENIED, "exec: %s overlaps a folder of the runner", x);
	}
	return 0;
}

static bool may_execute(const struct exec_plan *p, const char *real)
{
	for (size_t i = 0; i < p->n_exec; i++) {
		if (beneath(real, p->exec[i]))
			return true;
	}
	return false;
}

/* ---- write roots ---- */

static int check_cover(const struct brief *b, const char *root, struct errctx *e)
{
	char probe[MAX_PATH_BYTES + 16];
	size_t n = strlen(root);

	(void)snprintf(probe, sizeof(probe), "%s/x", root);
	for (size_t i = 0; i < b->protect.n; i++) {
		struct view v = b->protect.item[i];

		if (policy_protect_covers(v, view_of(root)) ||
		    policy_protect_covers(v, view_of(probe)) ||
		    (v.len > n && memcmp(v.ptr, root, n) == 0 && v.ptr[n] == '/'))
			return err_set(e, E_DENIED,
				       "write root %s covers the protected path \"%.*s\"", root,
				       (int)v.len, v.ptr);
	}
	if (b->rel && strncmp(b->rel, root, n) == 0 && b->rel[n] == '/')
		return err_set(e, E_DENIED, "write root %s holds the brief", root);
	return 0;
}

static int open_root(const struct starter_config *c, struct view v, int *ret_fd, char *rel,
		     struct errctx *e)
{
	int rc = v.len > MAX_PATH_BYTES || pathstr_clean(v, rel, MAX_PATH_BYTES + 1) < 0
			 ? err_set(e, E_SYNTAX, "a write root is no clean path")
			 : pathfd_open_dir(c->root_fd, rel, ret_fd, e);

	if (rc == E_LINK)
		return err_set(e, rc, "write root %s is or crosses a symbolic link", rel);
	if (rc == E_NOENT)
		return err_set(e, rc, "write root %s doesn't exist; it is never created", rel);
	return rc;
}

static int add_root(const struct starter_config *c, struct exec_plan *p, struct view v,
		    struct errctx *e)
{
	char rel[MAX_PATH_BYTES + 1];
	auto_buf struct buf name;
	auto_fd int fd = -1;
	struct stat st;
	int rc = open_root(c, v, &fd, rel, e);

	buf_init(&name, MAX_PATH_BYTES);
	if (rc == 0)
		rc = check_cover(c->brief, rel, e);
	if (rc == 0)
		rc = pathfd_name(fd, &name, e);
	if (rc == 0 && fstat(fd, &st) != 0)
		rc = err_sys(e, "write root %s", rel);
	if (rc != 0)
		return rc;
	if (!beneath(buf_text(&name), c->root_path) || strcmp(buf_text(&name), c->root_path) == 0)
		return err_set(e, E_OUTSIDE, "write root %s is not inside the project", rel);
	p->root_id[p->n_root] = (struct root_id){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
	p->root[p->n_root] = buf_steal(&name);
	if (!p->root[p->n_root])
		return err_set(e, E_NOMEM, "no memory");
	p->n_root++;
	return 0;
}

static int add_roots(const struct starter_config *c, const struct brief_jail *j,
		     struct exec_plan *p, struct errctx *e)
{
	int rc = 0;

	p->root = calloc(j->write.n + 1, sizeof(*p->root));
	p->root_id = calloc(j->write.n + 1, sizeof(*p->root_id));
	if (!p->root || !p->root_id)
		return err_set(e, E_NOMEM, "no memory");
	for (size_t i = 0; i < j->write.n && rc == 0; i++)
		rc = add_root(c, p, j->write.item[i], e);
	return rc;
}

bool exec_roots_hold(const struct starter_config *c, const struct starter_request *r,
		     const struct exec_plan *p)
{
	const struct brief_jail *j = brief_jail(c->brief, r->agent);
	struct exec_plan now = {0};
	bool same = j && add_roots(c, j, &now, NULL) == 0 && now.n_root == p->n_root;

	for (size_t i = 0; same && i < p->n_root; i++)
		same = now.root_id[i].dev == p->root_id[i].dev &&
		       now.root_id[i].ino == p->root_id[i].ino;
	exec_plan_release(&now);
	return same;
}

static int set_cwd(const struct starter_config *c, struct view cwd, struct exec_plan *p,
		   struct errctx *e)
{
	char rel[MAX_PATH_BYTES + 1];
	auto_buf struct buf name;
	auto_fd int fd = -1;
	int rc;

	buf_init(&name, MAX_PATH_BYTES);
	if (pathstr_clean(cwd, rel, sizeof(rel)) < 0)
		return err_set(e, E_SYNTAX, "cwd is no clean path");
	rc = pathfd_open_dir(c->root_fd, rel, &fd, e);
	if (rc == 0)
		rc = pathfd_name(fd, &name, e);
	if (rc == 0 && !beneath(buf_text(&name), c->root_path))
		rc = err_set(e, E_OUTSIDE, "cwd is outside the project");
	if (rc != 0)
		return rc;
	p->cwd = buf_steal(&name);
	return p->cwd ? 0 : err_set(e, E_NOMEM, "no memory");
}

int exec_check_command(const struct starter_config *c, const struct starter_request *r,
		       struct exec_plan *ret, struct errctx *e)
{
	const struct brief_jail *j = brief_jail(c->brief, r->agent);
	struct exec_plan p = {0};
	auto_free char *real = NULL;
	int rc;

	if (!j)
		return err_set(e, E_DENIED, "agent \"%.*s\" has no confined_programs entry",
			       (int)r->agent.len, r->agent.ptr);
	rc = r->argv.n ? resolve(c, &p, r->argv.item[0], &real, e)
		       : err_set(e, E_MISSING, "argv is empty");
	if (rc == 0)
		rc = add_exec_list(&p, &j->exec, e);
	if (rc == 0 && !may_execute(&p, real))
		rc = err_set(e, E_DENIED, "%s is not on the exec list of agent \"%.*s\"", real,
			     (int)r->agent.len, r->agent.ptr);
	if (rc == 0)
		rc = add_roots(c, j, &p, e);
	if (rc == 0)
		rc = check_exec_list(c, &p, e);
	if (rc == 0)
		rc = set_cwd(c, r->cwd, &p, e);
	if (rc != 0) {
		exec_plan_release(&p);
		return rc;
	}
	*ret = p;
	return 0;
}

/* ---- gates ---- */

/* A program that a command can have made must not judge anything (file 21, 16.8). */
static int check_gate_exec(const struct starter_config *c, const struct exec_plan *p,
			   struct errctx *e)
{
	for (size_t k = 0; k < c->brief->n_jails; k++) {
		const struct brief_jail *j = &c->brief->jails[k];

		for (size_t i = 0; i < j->write.n; i++) {
			char root[2 * MAX_PATH_BYTES];
			auto_free char *real = NULL;

			(void)snprintf(root, sizeof(root), "%s/%.*s", c->root_path,
				       (int)j->write.item[i].len, j->write.item[i].ptr);
			real = realpath(root, NULL);
			for (size_t x = 0; real && x < p->n_exec; x++) {
				if (overlap(real, p->exec[x]))
					return err_set(e, E_DENIED,
						       "the gate's exec %s overlaps the write root "
						       "%.*s",
						       p->exec[x], (int)j->write.item[i].len,
						       j->write.item[i].ptr);
			}
		}
	}
	return 0;
}

/* "#!/usr/bin/env x" starts x, which nobody listed. */
static int check_interpreter(const char *real, struct errctx *e)
{
	char head[513];
	auto_fd int fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd >= 0 ? read(fd, head, sizeof(head) - 1) : -1;
	const char *at;
	struct view word;

	if (n < 2 || head[0] != '#' || head[1] != '!')
		return 0;
	head[n] = '\0';
	at = head + 2 + strspn(head + 2, " \t");
	word = (struct view){at, strcspn(at, " \t\n")};
	if (word.len == 0 || word.ptr[0] != '/')
		return err_set(e, E_DENIED, "the interpreter of gate %s has no absolute path",
			       real);
	if (brief_is_shell(word) || brief_is_wrapper(word))
		return err_set(e, E_DENIED,
			       "gate %s starts through %.*s: list what it executes in its exec",
			       real, (int)word.len, word.ptr);
	return 0;
}

int exec_check_gate(const struct starter_config *c, const struct starter_request *r,
		    const struct brief_gate *g, struct exec_plan *ret, struct errctx *e)
{
	struct exec_plan p = {0};
	auto_free char *real = NULL;
	int rc = resolve(c, &p, g->argv.item[0], &real, e);

	(void)r;
	if (rc == 0)
		rc = add_exec_list(&p, &g->exec, e);
	if (rc == 0 && g->exec.n == 0) {
		rc = check_interpreter(real, e);
		if (rc == 0)
			p.exec[p.n_exec++] = steal_ptr(&real);
	} else if (rc == 0 && !may_execute(&p, real)) {
		rc = err_set(e, E_DENIED, "%s is not on the exec list of gate \"%.*s\"", real,
			     (int)g->name.len, g->name.ptr);
	}
	if (rc == 0)
		rc = check_exec_list(c, &p, e);
	if (rc == 0)
		rc = check_gate_exec(c, &p, e);
	if (rc == 0)
		rc = set_cwd(c, VIEW("."), &p, e);
	if (rc != 0) {
		exec_plan_release(&p);
		return rc;
	}
	*ret = p;
	return 0;
}
