/* SPDX-License-Identifier: MIT */
/*
 * A run described by a structure becomes a started confine-run (launcher/spec.h). Options go
 * through a sealed memory file, so that neither paths nor values stand in the process list; the
 * command's own words do, as they would without a launcher. System. Covered by
 * tests/unit/launcher/t_spec.c.
 */
#include "base/base.h"
#include "launcher/spec.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { ARGS_FD = 3, REPORT_FD = 4 };

static void word(struct buf *b, const char *w)
{
	(void)buf_put(b, w, strlen(w) + 1);
}

static void option(struct buf *b, const char *name, const char *value)
{
	if (value) {
		word(b, name);
		word(b, value);
	}
}

static void number(struct buf *b, const char *name, unsigned value)
{
	if (value) {
		word(b, name);
		(void)buf_printf(b, "%u", value);
		(void)buf_putc(b, '\0');
	}
}

static int list(struct buf *b, const char *name, struct confine_list l, struct errctx *e)
{
	for (size_t i = 0; i < l.n; i++) {
		if (!l.v[i][0])
			return err_set(e, E_USAGE, "%s: an empty value", name);
		option(b, name, l.v[i]);
	}
	return 0;
}

static int emit(const struct confine_spec *s, struct buf *b, struct errctx *e)
{
	static const char *const egress[] = {NULL, "deny", "proxy", "host"};
	int r = 0;

	option(b, "--preset", s->preset == CONFINE_AGENT ? "agent" : "command");
	option(b, "--scratch", s->cwd);
	option(b, "--overlay", s->overlay);
	option(b, "--overlay-upper", s->overlay_upper);
	option(b, "--read-only", s->read_only);
	r = list(b, "--coord-root", s->writable,
		 e); /* never created: the caller made sure they exist */
	if (r == 0)
		r = list(b, "--protect", s->protect, e);
	if (r == 0)
		r = list(b, "--exclude", s->exclude, e);
	if (r == 0)
		r = list(b, "--home-read", s->home_read, e);
	if (r == 0)
		r = list(b, "--exec-allow", s->exec_allow, e);
	if (r == 0)
		r = list(b, "--setenv", s->env, e);
	if (s->egress)
		option(b, "--egress", egress[s->egress]);
	option(b, "--egress-rules", s->egress_rules);
	number(b, "--timeout", s->timeout_s);
	number(b, "--kill-grace", s->kill_grace_s);
	number(b, "--cpu-max", s->cpu_max_s);
	number(b, "--nproc-max", s->nproc_max);
	number(b, "--mem-max", s->mem_max_mib);
	number(b, "--fsize-max", s->fsize_max_mib);
	number(b, "--nofile-max", s->nofile_max);
	number(b, "--tmp-size", s->tmp_size_mib);
	if (s->keep_git_config_writable)
		option(b, "--git-protect", "hooks");
	if (s->explain)
		word(b, "--explain");
	word(b, "--quiet");
	return r < 0	      ? r
	       : buf_error(b) ? err_set(e, buf_error(b), "the run's options are too large")
			      : 0;
}

static int seal_args(const struct confine_spec *s, int *ret_fd, struct errctx *e)
{
	auto_buf struct buf b;
	auto_fd int fd = memfd_create("confine-args", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r;

	buf_init(&b, MAX_LAUNCH_ARGS_BYTES);
	if (fd < 0)
		return err_sys(e, "memory file");
	r = emit(s, &b, e);
	if (r == 0 &&
	    (io_write_all(fd, b.data, b.len) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	     fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0))
		r = err_sys(e, "memory file");
	if (b.data)
		explicit_bzero(b.data, b.len); /* values of variables */
	if (r == 0)
		*ret_fd = steal_fd(&fd);
	return r;
}

/* The installed one, or the one beside the caller in a build tree. */
static int find_program(const char *given, int *ret_fd, struct errctx *e)
{
	char path[2 * MAX_PATH_BYTES];
	auto_fd int fd = -1;
	struct stat st;

	if (given) {
		(void)snprintf(path, sizeof(path), "%s", given);
	} else {
		char self[MAX_PATH_BYTES + 1];
		ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

		self[n > 0 ? n : 0] = '\0';
		if (n > 0 && strncmp(self, LIBEXECDIR "/", strlen(LIBEXECDIR "/")) != 0 &&
		    strncmp(self, BINDIR "/", strlen(BINDIR "/")) != 0) {
			*strrchr(self, '/') = '\0';
			(void)snprintf(path, sizeof(path), "%s/confine-run", self);
			if (access(path, X_OK) < 0)
				(void)snprintf(path, sizeof(path), "%s/../bin/confine-run", self);
		} else {
			(void)snprintf(path, sizeof(path), "%s", BINDIR "/confine-run");
		}
	}
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return err_set(e, E_NOTREG, "%s: no program", path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(e, E_OWNER, "%s: belongs to somebody else", path);
	if (st.st_mode & 022)
		return err_set(e, E_MODE, "%s: others can write it", path);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static char **build_argv(const struct confine_spec *s, struct errctx *e)
{
	static const char *const head[] = {"confine-run", "--args", "3", "--report-fd", "4", "--"};
	size_t n = 0, at = 0;
	char **argv;

	while (s->argv && s->argv[n])
		n++;
	if (n == 0) {
		(void)err_set(e, E_USAGE, "a run without a command");
		return NULL;
	}
	argv = calloc(ARRAY_LEN(head) + n + 1, sizeof(*argv));
	if (!argv) {
		(void)err_set(e, E_NOMEM, "no memory");
		return NULL;
	}
	for (; at < ARRAY_LEN(head); at++)
		argv[at] = (char *)(uintptr_t)head[at];
	for (size_t i = 0; i < n; i++)
		argv[at++] = s->argv[i];
	return argv;
}

int confine_start(const struct confine_spec *s, const char *program, struct confine_run *ret,
		  struct errctx *e)
{
	auto_fd int args = -1;
	auto_fd int exe = -1;
	auto_fd int report = -1;
	auto_fd int report_write = -1;
	auto_free char **argv = NULL;
	const char *home = getenv("HOME");
	auto_free char *home_word = NULL;
	int ends[2], r;

	if (s->preset != CONFINE_AGENT && s->preset != CONFINE_COMMAND)
		return err_set(e, E_USAGE, "a run without a preset");
	r = find_program(program, &exe, e);
	if (r == 0)
		r = seal_args(s, &args, e);
	if (r < 0)
		return r;
	argv = build_argv(s, e);
	if (!argv)
		return e ? e->code : E_USAGE;
	if (home && asprintf(&home_word, "HOME=%s", home) < 0) {
		home_word = NULL;
		return err_set(e, E_NOMEM, "no memory");
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "report pipe");
	report = ends[0];
	report_write = ends[1];

	/* Of the caller's environment only HOME: it says whose credentials to hide. */
	char *const envp[] = {home_word, NULL};
	const struct proc_fd fds[] = {{0, s->stdin_fd},
				      {1, s->stdout_fd},
				      {2, s->stderr_fd},
				      {ARGS_FD, args},
				      {REPORT_FD, report_write}};
	struct proc_spec spec = {.path = NULL,
				 .exec_fd = exe,
				 .argv = argv,
				 .envp = envp,
				 .fds = fds,
				 .n_fds = ARRAY_LEN(fds),
				 .cwd_fd = -1,
				 .new_group = true,
				 .die_with_parent = true};

	r = proc_spawn(&spec, &ret->proc, e);
	if (r == 0)
		ret->report_fd = steal_fd(&report);
	return r;
}

void confine_stop(struct confine_run *run)
{
	proc_kill(&run->proc, SIGTERM, false);
}
