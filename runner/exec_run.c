/* SPDX-License-Identifier: MIT */
/*
 * One confined command or gate from start to end (file 21, 15.16 to 15.21): confine-run with the
 * command preset, both outputs in bounded memory, an end when time, disk or the engine is gone.
 * System. Failure rule: what can't be confined doesn't run. Tests: tests/e2e/runner-command.tap.
 */
#include "base/base.h"

#include "runner/exec_run.h"

#include "base/clock.h"
#include "base/custody.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/pathstr.h"
#include "launcher/overlay.h"
#include "launcher/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MAX_HOME_READ = 64 };

struct running {
	const struct starter_config *c;
	struct confine_run run;
	int out_fd, err_fd; /* read ends; -1: at their end */
	struct exec_done *done;
	int64_t start_ms, kill_ms; /* kill_ms 0: not asked to end yet */
	int stopped;		   /* why it was ended from here; 0: it wasn't */
};

/* The installed launcher, or the one of a build tree, where this program has a folder of its own.
 * NULL: the launcher library looks for itself. */
static const char *find_launcher(char *room, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", room, size - 32);
	char *slash;

	if (n <= 0)
		return NULL;
	room[n] = '\0';
	if (strncmp(room, LIBEXECDIR "/", strlen(LIBEXECDIR "/")) == 0)
		return NULL;
	slash = strrchr(room, '/');
	(void)snprintf(slash, size - (size_t)(slash - room), "/../confine-run");
	return access(room, X_OK) == 0 ? room : NULL;
}

/* ---- what it gets ---- */

struct texts {
	struct env_texts env;
	const char *home_read[MAX_HOME_READ];
	size_t n_home_read;
	char hidden[5][MAX_PATH_BYTES + 32];
	const char *exclude[5];
	char layer[MAX_PATH_BYTES + 32];
	char candidate[MAX_PATH_BYTES + 32];
	char launcher[MAX_PATH_BYTES + 64];
};

void exec_add_env(struct env_texts *t, const char *name, const char *value)
{
	if (value && t->n < N_ENV &&
	    (size_t)snprintf(t->room[t->n], sizeof(t->room[0]), "%s=%s", name, value) <
		    sizeof(t->room[0])) {
		t->env[t->n] = t->room[t->n];
		t->n++;
	}
}

void exec_fill_env(struct env_texts *t, const struct exec_plan *p)
{
	static const char *const passed[] = {"LANG",	"LC_ALL", "LC_CTYPE", "USER",
					     "LOGNAME", "TERM",	  "ELAN_HOME"};

	exec_add_env(t, "PATH", p->path_env);
	for (size_t i = 0; i < ARRAY_LEN(passed); i++)
		exec_add_env(t, passed[i], getenv(passed[i]));
}

/* Programs in the home folder stay visible although the rest of it is hidden. */
static void fill_home_read(struct texts *t, const struct exec_plan *p)
{
	auto_buf struct buf home;

	buf_init(&home, MAX_PATH_BYTES);
	if (custody_home(&home, NULL) != 0)
		return;
	for (size_t i = 0; i < p->n_exec && t->n_home_read < MAX_HOME_READ - 1; i++) {
		if (pathstr_beneath(view_of(p->exec[i]), buf_view(&home)))
			t->home_read[t->n_home_read++] = p->exec[i];
	}
}

/* Nonces pass through the queue and its results; a command has no business there (file 21, 27). */
static size_t fill_hidden(struct texts *t, const char *root)
{
	static const char *const names[] = {".agentteams-queue", ".agentteams/queue-results",
					    ".agentteams/queue-claimed", ".agentteams/queue-dead",
					    ".agentteams/staged"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		(void)snprintf(t->hidden[i], sizeof(t->hidden[i]), "%s/%s", root, names[i]);
		t->exclude[i] = t->hidden[i];
	}
	return ARRAY_LEN(names);
}

static int make_layer(const struct starter_config *c, struct errctx *e)
{
	if (mkdirat(c->run_dir_fd, LAYER, 0700) != 0 && errno != EEXIST)
		return err_sys(e, "the overlay's folder");
	return exec_discard(c, e);
}

int exec_discard(const struct starter_config *c, struct errctx *e)
{
	auto_fd int fd =
		openat(c->run_dir_fd, LAYER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "the overlay's folder");
	return overlay_discard(fd, e);
}

int exec_stdin(struct view content, int *ret_fd, struct errctx *e)
{
	auto_fd int fd = memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || io_write_all(fd, content.ptr, content.len) != 0 ||
	    lseek(fd, 0, SEEK_SET) != 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
		return err_sys(e, "standard input");
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* ---- while it runs ---- */

static void end_it(struct running *r, int why)
{
	if (r->stopped || r->kill_ms)
		return;
	r->stopped = why;
	r->kill_ms = clock_kernel_mono_ms() + 1000 * (COMMAND_GRACE_SECONDS + COMMAND_LATE_SECONDS);
	confine_stop(&r->run);
}

void exec_take_output(int *fd, struct capture *c)
{
	char bytes[65536];
	ssize_t n = read(*fd, bytes, sizeof(bytes));

	if (n > 0)
		capture_add(c, bytes, (size_t)n);
	else if (n == 0 || errno != EINTR)
		cleanup_fd(fd);
}

bool exec_disk_is_full(const struct starter_config *c)
{
	struct statvfs v;

	return fstatvfs(c->run_dir_fd, &v) == 0 &&
	       (uint64_t)v.f_bavail * v.f_frsize < (uint64_t)MIN_FREE_BYTES;
}

/* Until both outputs are at their end and the launcher is gone. */
static void follow(struct running *r, unsigned timeout_s)
{
	int64_t late = r->start_ms + 1000 * ((int64_t)timeout_s + COMMAND_LATE_SECONDS);
	bool over = false, engine_gone = false;

	while (!over || r->out_fd >= 0 || r->err_fd >= 0) {
		struct pollfd p[] = {{r->out_fd, POLLIN, 0},
				     {r->err_fd, POLLIN, 0},
				     {over ? -1 : r->run.report_fd, 0, 0},
				     {engine_gone ? -1 : r->c->fd, POLLIN, 0}};
		int64_t now;

		if (poll(p, ARRAY_LEN(p), WATCH_MS) < 0 && errno != EINTR)
			break;
		if (p[0].revents)
			exec_take_output(&r->out_fd, r->done->out);
		if (p[1].revents)
			exec_take_output(&r->err_fd, r->done->err);
		/* The report's writer is gone: so is everything inside. A process that kept an
		   output open can't exist any more. */
		if (p[2].revents & (POLLHUP | POLLERR))
			over = true;
		if (p[3].revents) {
			engine_gone = true; /* it has gone, or wants the end */
			end_it(r, STARTER_OUTCOME_STOPPED);
		}
		if (exec_disk_is_full(r->c))
			end_it(r, STARTER_OUTCOME_DISK_FULL);
		now = clock_kernel_mono_ms();
		if (!r->kill_ms && now > late)
			end_it(r, STARTER_OUTCOME_STOPPED);
		if (r->kill_ms && now > r->kill_ms) {
			proc_kill(&r->run.proc, SIGKILL, true);
			break;
		}
	}
}

static int copy_appeared(struct starter_result *ret, const struct confine_result *r)
{
	ret->appeared.item = calloc(r->n_appeared + 1, sizeof(struct view));
	if (!ret->appeared.item)
		return E_NOMEM;
	for (size_t i = 0; i < r->n_appeared; i++) {
		char *copy = strdup(r->appeared[i]);

		if (!copy)
			return E_NOMEM;
		ret->appeared.item[ret->appeared.n++] = view_of(copy);
	}
	return 0;
}

static int collect(struct running *r, struct errctx *e)
{
	struct starter_result *ret = &r->done->result;
	struct confine_result c = {0};
	int rc = confine_finish(&r->run, 1000 * COMMAND_LATE_SECONDS, &c, e);

	if (rc == E_TIMEOUT) {
		proc_kill(&r->run.proc, SIGKILL, true);
		rc = confine_finish(&r->run, -1, &c, e);
	}
	if (rc != 0)
		return rc;
	ret->outcome = r->stopped && c.outcome != CONFINE_TIMED_OUT ? r->stopped : (int)c.outcome;
	ret->status = c.status;
	ret->signal = c.signal;
	ret->started = c.started;
	ret->fully = c.fully_enforced;
	ret->survivors = c.survivors;
	ret->duration_ms = clock_kernel_mono_ms() - r->start_ms;
	ret->way = r->c->way == WAY_READ_ONLY ? WAY_READ_ONLY : WAY_OVERLAY;
	(void)snprintf(ret->reason, sizeof(ret->reason), "%s", c.reason);
	rc = copy_appeared(ret, &c);
	confine_result_release(&c);
	return rc;
}

int exec_pipes(int out[2], int err[2], struct errctx *e)
{
	if (pipe2(out, O_CLOEXEC) != 0)
		return err_sys(e, "pipe");
	if (pipe2(err, O_CLOEXEC) == 0)
		return 0;
	(void)close(out[0]);
	(void)close(out[1]);
	return err_sys(e, "pipe");
}

static int start(struct running *r, const struct confine_spec *s, const char *launcher,
		 struct errctx *e)
{
	struct confine_spec spec = *s;
	int out[2], err[2], rc = exec_pipes(out, err, e);

	if (rc != 0)
		return rc;
	spec.stdout_fd = out[1];
	spec.stderr_fd = err[1];
	rc = confine_start(&spec, launcher, &r->run, e);
	(void)close(out[1]);
	(void)close(err[1]);
	if (rc != 0) {
		(void)close(out[0]);
		(void)close(err[0]);
		return rc;
	}
	r->out_fd = out[0];
	r->err_fd = err[0];
	return 0;
}

char **exec_words(const struct starter_request *q, const struct exec_plan *p, const char *candidate,
		  struct errctx *e)
{
	char **argv = calloc(q->argv.n + 1, sizeof(*argv));

	for (size_t i = 0; argv && i < q->argv.n; i++) {
		struct view v = q->argv.item[i];

		if (q->op == STARTER_GATE && view_is(v, "{file}"))
			v = view_of(candidate);
		else if (q->op == STARTER_GATE && view_is(v, "{path}"))
			v = q->path;
		argv[i] = i == 0 ? strdup(p->program) : strndup(v.ptr, v.len);
		if (!argv[i]) {
			while (i-- > 0)
				free(argv[i]);
			free(argv);
			argv = NULL;
		}
	}
	if (!argv)
		(void)err_set(e, E_NOMEM, "no memory");
	return argv;
}

void exec_words_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

static int run_it(const struct starter_config *c, const struct starter_request *q,
		  const struct exec_plan *p, struct texts *t, struct exec_done *ret,
		  struct errctx *e)
{
	struct running r = {.c = c, .out_fd = -1, .err_fd = -1, .done = ret};
	auto_fd int stdin_fd = -1;
	char **argv = exec_words(q, p, t->candidate, e);
	bool read_only = c->way == WAY_READ_ONLY;
	int rc = argv ? 0 : E_NOMEM;

	if (rc == 0 && q->has_stdin && q->op == STARTER_RUN)
		rc = exec_stdin(q->content, &stdin_fd, e);
	if (rc == 0) {
		const struct confine_spec s = {
			.preset = CONFINE_COMMAND,
			.cwd = p->cwd,
			.overlay = read_only ? NULL : c->root_path,
			.overlay_upper = read_only ? NULL : t->layer,
			.read_only = read_only ? c->root_path : NULL,
			.writable = {(const char *const *)p->root, p->n_root},
			.exclude = {t->exclude, fill_hidden(t, c->root_path)},
			.home_read = {t->home_read, t->n_home_read},
			.exec_allow = {(const char *const *)p->exec, p->n_exec},
			.env = {(const char *const *)t->env.env, t->env.n},
			.timeout_s = q->timeout_s,
			.kill_grace_s = COMMAND_GRACE_SECONDS,
			.fsize_max_mib = COMMAND_FSIZE_MIB,
			.argv = argv,
			.stdin_fd = stdin_fd,
		};

		r.start_ms = clock_kernel_mono_ms();
		rc = start(&r, &s, find_launcher(t->launcher, sizeof(t->launcher)), e);
	}
	if (rc == 0) {
		follow(&r, q->timeout_s);
		cleanup_fd(&r.out_fd);
		cleanup_fd(&r.err_fd);
		rc = collect(&r, e);
	}
	exec_words_free(argv);
	return rc;
}

int exec_run(const struct starter_config *c, const struct starter_request *q,
	     const struct exec_plan *p, struct exec_done *ret, struct errctx *e)
{
	struct texts *t = calloc(1, sizeof(*t));
	int rc;

	*ret = (struct exec_done){.out = capture_new(), .err = capture_new()};
	if (!t || !ret->out || !ret->err) {
		free(t);
		exec_done_release(ret);
		return err_set(e, E_NOMEM, "no memory");
	}
	(void)snprintf(t->layer, sizeof(t->layer), "%s/" LAYER, c->run_path);
	exec_fill_env(&t->env, p);
	fill_home_read(t, p);
	if (q->op == STARTER_GATE) {
		const char *slash = strrchr(q->path.ptr, '/');

		(void)snprintf(t->candidate, sizeof(t->candidate), "%s/candidate/%s", c->run_path,
			       slash ? slash + 1 : q->path.ptr);
		t->home_read[t->n_home_read++] = t->candidate;
	}
	rc = make_layer(c, e);
	if (rc == 0)
		rc = c->way == WAY_UNCONFINED ? exec_bare(c, q, p, t->candidate, ret, e)
					      : run_it(c, q, p, t, ret, e);
	if (rc == 0 && q->op == STARTER_RUN)
		ret->result.root_replaced = !exec_roots_hold(c, q, p);
	free(t);
	if (rc != 0)
		exec_done_release(ret);
	return rc;
}

void exec_done_release(struct exec_done *d)
{
	for (size_t i = 0; i < d->result.appeared.n; i++)
		free((char *)(uintptr_t)d->result.appeared.item[i].ptr);
	free(d->result.appeared.item);
	capture_free(d->out);
	capture_free(d->err);
	*d = (struct exec_done){0};
}
