/* SPDX-License-Identifier: MIT */
/*
 * A command or gate without a boundary (file 21, 15.12 and 17.2): the brief's opt-out, and only
 * while none can be built. It has all rights of the user; what can still be kept is its end: the
 * starter adopts what it leaves behind and kills it. System. Failure rule: where a boundary works
 * again, or leftovers can't be found, nothing runs. Tests: tests/e2e/runner-unconfined.tap.
 */
#include "base/base.h"

#include "runner/exec_run.h"

#include "base/clock.h"
#include "base/custody.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"
#include "base/proc.h"
#include "launcher/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct bare {
	const struct starter_config *c;
	struct proc proc;
	int out_fd, err_fd;
	int stopped; /* why it was ended from here; 0: it wasn't */
	int status;  /* as from waitpid */
	struct exec_done *done;
};

/* Children of this process, adopted ones included; -1: the kernel doesn't tell. */
static int read_children(pid_t *v, int max)
{
	auto_fd int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	char text[8192], *at = text;
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	int count = 0;

	if (n < 0)
		return -1;
	text[n] = '\0';
	while (count < max) {
		char *end;
		long pid = strtol(at, &end, 10);

		if (end == at || pid <= 0 || *end != ' ') /* a number that was cut has no blank */
			break;
		v[count++] = (pid_t)pid;
		at = end;
	}
	return count;
}

bool exec_adopt(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

unsigned exec_end_children(void)
{
	int64_t until = clock_kernel_mono_ms() + 1000 * (int64_t)BARE_END_SECONDS;
	unsigned alive = 0;

	for (;;) {
		pid_t v[256];
		int n = read_children(v, (int)ARRAY_LEN(v)), ended = 0;
		struct timespec nap = {0, 2000000};

		if (n <= 0)
			return alive;
		for (int i = 0; i < n; i++) {
			if (waitpid(v[i], NULL, WNOHANG) == v[i]) {
				ended++;
				continue;
			}
			/* Counted again while it dies: more than none is all that matters. */
			alive++;
			(void)kill(v[i], SIGKILL);
		}
		if (clock_kernel_mono_ms() > until)
			return alive + (unsigned)(n - ended);
		if (ended < n)
			(void)nanosleep(&nap, NULL);
	}
}

static void end_it(struct bare *b, int why)
{
	if (b->stopped)
		return;
	b->stopped = why;
	proc_kill(&b->proc, SIGKILL, true);
}

/* Until it has ended; then its leftovers end and the outputs are read to theirs. */
static void follow(struct bare *b, unsigned timeout_s)
{
	int64_t now = clock_kernel_mono_ms(), late = now + 1000 * (int64_t)timeout_s, drained = 0;
	bool over = false, engine_gone = false;

	while (!over || ((b->out_fd >= 0 || b->err_fd >= 0) && now < drained)) {
		struct pollfd p[] = {{b->out_fd, POLLIN, 0},
				     {b->err_fd, POLLIN, 0},
				     {over ? -1 : b->proc.pid_fd, POLLIN, 0},
				     {engine_gone ? -1 : b->c->fd, POLLIN, 0}};

		if (poll(p, ARRAY_LEN(p), WATCH_MS) < 0 && errno != EINTR)
			break;
		now = clock_kernel_mono_ms();
		if (p[0].revents)
			exec_take_output(&b->out_fd, b->done->out);
		if (p[1].revents)
			exec_take_output(&b->err_fd, b->done->err);
		if (p[3].revents) {
			engine_gone = true; /* it has gone, or wants the end */
			end_it(b, STARTER_OUTCOME_STOPPED);
		}
		if (!over && exec_disk_is_full(b->c))
			end_it(b, STARTER_OUTCOME_DISK_FULL);
		if (!over && now >= late)
			end_it(b, CONFINE_TIMED_OUT);
		if (!over && proc_wait(&b->proc, 0, &b->status, NULL) == 0) {
			over = true;
			b->done->result.survivors = exec_end_children();
			now = clock_kernel_mono_ms();
			drained = now + 1000 * (int64_t)BARE_END_SECONDS;
		}
	}
	if (b->out_fd >= 0 || b->err_fd >= 0) {
		static const char text[] = "\n[an output was still held open and was given up]\n";

		capture_add(b->done->err, text, sizeof(text) - 1);
	}
	cleanup_fd(&b->out_fd);
	cleanup_fd(&b->err_fd);
}

/* The overlay's place is free: its "upper" is the temporary folder, and goes away like it. */
static int make_temporary(const struct starter_config *c, char *path, size_t size, struct errctx *e)
{
	auto_fd int fd = -1;
	int rc = pathfd_open_dir(c->run_dir_fd, LAYER, &fd, e);

	if (rc != 0)
		return rc;
	if (mkdirat(fd, "upper", 0700) != 0)
		return err_sys(e, "the temporary folder");
	(void)snprintf(path, size, "%s/" LAYER_UPPER, c->run_path);
	return 0;
}

static int fill_env(struct env_texts *t, const struct starter_config *c, const struct exec_plan *p,
		    struct errctx *e)
{
	char temporary[MAX_PATH_BYTES + 32];
	auto_buf struct buf home;
	int rc = make_temporary(c, temporary, sizeof(temporary), e);

	buf_init(&home, MAX_PATH_BYTES);
	if (rc != 0)
		return rc;
	exec_fill_env(t, p);
	if (custody_home(&home, NULL) == 0)
		exec_add_env(t, "HOME", buf_text(&home));
	exec_add_env(t, "TMPDIR", temporary);
	return 0;
}

static int start(struct bare *b, const struct starter_request *q, const struct exec_plan *p,
		 char **argv, int stdin_fd, struct errctx *e)
{
	auto_free struct env_texts *env = calloc(1, sizeof(*env));
	char rel[MAX_PATH_BYTES + 1];
	auto_fd int cwd_fd = -1;
	int out[2], err[2], rc;

	if (!env)
		return err_set(e, E_NOMEM, "no memory");
	rc = fill_env(env, b->c, p, e);
	if (rc == 0 && pathstr_clean(q->cwd, rel, sizeof(rel)) < 0)
		rc = err_set(e, E_SYNTAX, "cwd is no clean path");
	if (rc == 0)
		rc = pathfd_open_dir(b->c->root_fd, rel, &cwd_fd, e);
	if (rc == 0)
		rc = exec_pipes(out, err, e);
	if (rc != 0)
		return rc;

	const struct proc_fd fds[] = {{0, stdin_fd}, {1, out[1]}, {2, err[1]}};
	const struct proc_spec spec = {.path = p->program,
				       .exec_fd = -1,
				       .argv = argv,
				       .envp = env->env,
				       .fds = fds,
				       .n_fds = ARRAY_LEN(fds),
				       .cwd_fd = cwd_fd,
				       .new_session = true,
				       .die_with_parent = true};

	rc = proc_spawn(&spec, &b->proc, e);
	(void)close(out[1]);
	(void)close(err[1]);
	b->out_fd = out[0];
	b->err_fd = err[0];
	if (rc != 0) {
		cleanup_fd(&b->out_fd);
		cleanup_fd(&b->err_fd);
	}
	return rc;
}

/* Here and now: a boundary that can be built has to be used. */
static int check_need(const struct starter_config *c, struct errctx *e)
{
	char why[sizeof(e->text)];
	pid_t v[1];

	if (starter_find_way(c, why, sizeof(why)) != WAY_NONE)
		return err_set(e, E_CHANGED,
			       "a boundary can be built here again: start the runner again, so "
			       "that it is used");
	if (!exec_adopt() || read_children(v, 1) != 0)
		return err_set(e, E_UNSUPPORTED,
			       "this kernel doesn't tell what a command leaves behind");
	return 0;
}

int exec_bare(const struct starter_config *c, const struct starter_request *q,
	      const struct exec_plan *p, const char *candidate, struct exec_done *ret,
	      struct errctx *e)
{
	struct bare b = {.c = c, .proc = {-1, -1}, .out_fd = -1, .err_fd = -1, .done = ret};
	struct starter_result *r = &ret->result;
	int64_t start_ms = clock_kernel_mono_ms();
	auto_fd int stdin_fd = -1;
	char **argv = NULL;
	int rc = check_need(c, e);

	if (rc == 0) {
		argv = exec_words(q, p, candidate, e);
		rc = argv ? 0 : E_NOMEM;
	}
	if (rc == 0 && q->has_stdin && q->op == STARTER_RUN)
		rc = exec_stdin(q->content, &stdin_fd, e);
	if (rc == 0)
		rc = start(&b, q, p, argv, stdin_fd, e);
	if (rc == 0) {
		follow(&b, q->timeout_s);
		r->way = WAY_UNCONFINED;
		r->started = true;
		r->duration_ms = clock_kernel_mono_ms() - start_ms;
		r->status = proc_exit_code(b.status);
		r->signal = WIFSIGNALED(b.status) ? WTERMSIG(b.status) : 0;
		r->outcome = b.stopped ? b.stopped : r->signal ? CONFINE_SIGNALLED : CONFINE_EXITED;
	}
	exec_words_free(argv);
	return rc;
}
