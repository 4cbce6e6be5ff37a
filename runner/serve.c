/* SPDX-License-Identifier: MIT */
/*
 * Start order of the service, then supervision (file 21, section 6; file 00, D8). This process
 * reads options, brief and pins, takes the lock, and starts keeper and engine; afterwards it only
 * waits for them and for signals. It never holds the key (the keeper reads it after the fork) and
 * never reads a request. A crashed engine is started again together with a fresh keeper: the
 * recovery of every start then answers the request that was at work. A keeper that ends by itself
 * ends service. Tests: tests/e2e/runner-start.tap, tests/e2e/runner-process.tap.
 */
#include "base/base.h"

#include "runner/serve.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "runner/confine_runner.h"
#include "runner/confined_file.h"
#include "runner/engine.h"
#include "runner/gate_pins.h"
#include "runner/grant_start.h"
#include "runner/key.h"
#include "runner/notify.h"
#include "runner/starters.h"
#include "runner/syslog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct service {
	const struct options *opt;
	struct brief brief;
	struct pins pins;
	struct dirs dirs;
	struct buf root_path, key_path;
	int root_fd, anchor_dir_fd, lock_fd, signal_fd;
	mode_t mask;
	pid_t keeper, engine;
	struct starters starters;
	struct gate_pins *gate_pins;
	struct grant_set grants;
	struct stat key_dir;
};

/* ---- 1 to 6: what can be said without touching the project ---- */

static int open_root(struct service *s, struct errctx *e)
{
	int rc = pathfd_open_root(s->opt->project, &s->root_fd, e);

	buf_init(&s->root_path, MAX_PATH_BYTES);
	if (rc == 0)
		rc = pathfd_name(s->root_fd, &s->root_path, e);
	return rc;
}

static int load_policy(struct service *s, struct errctx *e)
{
	auto_buf struct buf text = {0}, confined = {0};
	struct brief_input in = {0};
	bool absent = true;
	const char *root = buf_text(&s->root_path), *path;
	size_t n = strlen(root), name = strlen(s->opt->description);
	int rc;

	if (name > 3 && strcmp(s->opt->description + name - 3, ".md") == 0)
		return err_set(e, E_USAGE, "%s is a Markdown brief; briefs are JSON",
			       s->opt->description);
	buf_init(&text, MAX_BRIEF_BYTES + 1);
	buf_init(&confined, MAX_OPERATOR_FILE_BYTES + 1);
	rc = pins_load(&s->pins, s->root_fd, s->opt->description, root, &text, &confined, &absent,
		       e);
	if (rc != 0)
		return rc;
	s->pins.server_path = installed_server();
	path = s->pins.brief_path;
	if (strcmp(root, "/") == 0)
		in.rel = path + 1;
	else if (strncmp(path, root, n) == 0 && path[n] == '/')
		in.rel = path + n + 1;
	in.text = buf_view(&text);
	if (!absent)
		in.confined = buf_view(&confined);
	rc = brief_parse(&in, &s->brief, e);
	if (rc != 0)
		return rc;
	if (!s->brief.orchestrator_only)
		return err_set(
			e, E_DENIED,
			"the brief doesn't set \"write_policy\": \"orchestrator-only\"; without "
			"it sessions can forge results");
	return 0;
}

/* Does the key lie below this folder? Both are real paths. */
static bool holds(struct view folder, const char *key)
{
	while (folder.len > 0 && folder.ptr[folder.len - 1] == '/')
		folder.len--;
	return strlen(key) > folder.len && memcmp(folder.ptr, key, folder.len) == 0 &&
	       key[folder.len] == '/';
}

static struct view folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (struct view){path, slash ? (size_t)(slash - path) : 0};
}

/* What the engine may read, the project and the folders of pinned files, must not hold the key.
 * Asked before the policy is loaded, for the clearer message, and again when those folders are
 * known. */
static int check_key_place(struct service *s, struct errctx *e)
{
	char *key = pins_real_path(buf_text(&s->key_path));
	const char *server = s->pins.server_path;
	int rc = 0;

	if (!key)
		return errno == ENOENT ? err_set(e, E_NOENT,
						 "there is no ledger key %s; --keygen creates it",
						 buf_text(&s->key_path))
				       : err_sys(e, "the key %s", buf_text(&s->key_path));
	if (holds(buf_view(&s->root_path), key))
		rc = err_set(e, E_OUTSIDE, "the key %s lies inside the project", key);
	else if (s->pins.brief_path && holds(folder_of(s->pins.brief_path), key))
		rc = err_set(e, E_OUTSIDE,
			     "the key %s lies below the folder of the brief; give the brief a "
			     "folder of its own",
			     key);
	else if (server && holds(folder_of(server), key))
		rc = err_set(e, E_OUTSIDE, "the key %s lies below the folder of %s", key, server);
	free(key);
	return rc;
}

/* ---- 7 to 14 ---- */

static int take_lock(struct service *s, struct errctx *e)
{
	int rc;

	dirs_init(&s->dirs, s->root_fd);
	rc = dirs_open_state(&s->dirs, e);
	if (rc != 0)
		return rc;
	rc = lock_take(s->dirs.fd[FOLDER_STATE], RUNNER_LOCK, &s->lock_fd, e);
	if (rc == E_BUSY)
		return err_set(e, rc, "another runner serves %s", buf_text(&s->root_path));
	return rc;
}

static int prepare(struct service *s, struct errctx *e)
{
	int rc = key_check_environment(e);

	if (rc == 0)
		rc = open_root(s, e);
	buf_init(&s->key_path, MAX_PATH_BYTES);
	if (rc == 0)
		rc = key_file_path(&s->key_path, e);
	if (rc == 0)
		rc = check_key_place(s, e);
	if (rc == 0)
		rc = load_policy(s, e);
	if (rc == 0)
		rc = check_key_place(s, e);
	if (rc == 0)
		rc = gate_pins_load(&s->brief, s->root_fd, buf_text(&s->root_path), &s->gate_pins,
				    e);
	if (rc == 0)
		rc = anchor_open_folder(&s->anchor_dir_fd, e);
	if (rc == 0)
		rc = take_lock(s, e);
	if (rc == 0)
		rc = dirs_open_all(&s->dirs, e);
	if (rc == 0)
		rc = pins_check_server(&s->pins, e);
	if (rc == 0)
		rc = grants_load(s->opt, &s->brief, buf_view(&s->root_path), &s->pins, &s->grants,
				 e);
	return rc;
}

/* ---- the processes ---- */

/* name: what ps(1) calls the process, for the operator. */
static void begin_child(pid_t parent, const char *name)
{
	(void)prctl(PR_SET_NAME, name);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
}

/* SIGINT and SIGHUP go to the whole group of a terminal; only the supervisor acts on them. */
static void child_signals(void)
{
	static const int ignored[] = {SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP};

	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
}

/* Tells the supervisor how the start went: one byte, then the text of a failure. */
static void report(int fd, const struct errctx *e)
{
	if (e && io_write_all(fd, e->text, strlen(e->text)) != 0)
		return; /* the exit status says it, too */
	if (!e && io_write_all(fd, "\n", 1) != 0)
		return;
}

noreturn_fn static void run_keeper(struct service *s, int fd, int ready_fd, pid_t parent)
{
	struct keeper_config c = {.state_dir_fd = s->dirs.fd[FOLDER_STATE],
				  .anchor_dir_fd = s->anchor_dir_fd,
				  .root_path = buf_view(&s->root_path),
				  .key_path = buf_text(&s->key_path),
				  .grants = &s->grants};
	struct errctx e = {0};
	struct keeper *k = NULL;
	const int keep[] = {fd, ready_fd, c.state_dir_fd, c.anchor_dir_fd, s->lock_fd};
	int rc;

	begin_child(parent, "at-keeper");
	child_signals();
	(void)signal(SIGTERM, SIG_IGN); /* ends when the engine has ended */
	io_close_others(keep, ARRAY_LEN(keep));
	rc = key_seal_process(&e);
	if (rc == 0)
		rc = keeper_open(&c, &k, &e);
	if (rc == 0)
		rc = confine_keeper(c.state_dir_fd, c.anchor_dir_fd, &e);
	report(ready_fd, rc ? &e : NULL);
	(void)close(ready_fd); /* written whole or not at all */
	if (rc != 0)
		_exit(1);
	rc = keeper_serve(k, fd, &e);
	keeper_close(k);
	if (rc != 0)
		log_error("keeper: %s", e.text);
	_exit(rc ? 1 : 0);
}

static void init_engine(struct engine *en, struct engine_options *opt, struct service *s, int fd)
{
	const struct options *o = s->opt;

	*opt = (struct engine_options){.once = o->once,
				       .log_json = o->log_json,
				       .max_staged_agent = o->max_staged_agent,
				       .max_staged_all = o->max_staged_all,
				       .max_queue_age_s = o->max_queue_age_s,
				       .root_path = buf_text(&s->root_path),
				       .brief_name = s->opt->description};
	*en = (struct engine){.opt = opt,
			      .brief = &s->brief,
			      .dirs = s->dirs,
			      .pins = s->pins,
			      .gate_pins = s->gate_pins,
			      .mask = s->mask,
			      .watch_fd = -1,
			      .signal_fd = -1,
			      .timer_fd = -1,
			      .started_s = clock_wall_s(),
			      .started_boot_ms = boot_ms(),
			      .clock_offset_ms = clock_wall_ns() / 1000000 - boot_ms()};
	for (size_t f = 0; f < N_FOLDERS; f++)
		en->watch_of[f] = -1;
	buf_init(&en->status, 16384);
	ask_init(&en->ask, fd);
}

noreturn_fn static void run_engine(struct service *s, int fd, const int starter_fd[N_STARTERS],
				   pid_t parent)
{
	struct engine_options opt;
	struct engine en;
	struct errctx e = {0};
	int rc;

	begin_child(parent, "at-engine");
	child_signals();
	cleanup_fd(&s->signal_fd);
	cleanup_fd(&s->anchor_dir_fd);
	init_engine(&en, &opt, s, fd);
	if (starter_fd[STARTER_COMMANDS] >= 0)
		en.exec = exec_new(starter_fd[STARTER_COMMANDS], starter_fd[STARTER_GATES],
				   s->starters.run_dir_fd[STARTER_COMMANDS], s->starters.way,
				   s->starters.why);
	rc = confine_engine(&s->dirs, &s->pins, s->starters.run_dir_fd[STARTER_COMMANDS],
			    &en.confined, &e);
	if (rc == 0)
		rc = engine_run(&en, &e);
	if (rc != 0 && !en.ending)
		engine_stop(&en, ENGINE_FAILED, e.text);
	status_remove(&en);
	engine_release(&en);
	_exit((int)en.end);
}

/* ---- supervision ---- */

static int read_report(int fd, struct errctx *e)
{
	char text[sizeof(e->text)];
	size_t n = 0;

	while (n < sizeof(text) - 1) {
		ssize_t k = read(fd, text + n, sizeof(text) - 1 - n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		n += (size_t)k;
	}
	text[n] = '\0';
	if (n == 1 && text[0] == '\n')
		return 0;
	return err_set(e, E_DENIED, "%s", n ? text : "the keeper ended without a word");
}

static int start_pair(struct service *s, struct errctx *e)
{
	int pair[2], ready[2], starter_fd[N_STARTERS];
	pid_t parent = getpid();
	int rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return err_sys(e, "socketpair");
	if (pipe2(ready, O_CLOEXEC) != 0) {
		(void)close(pair[0]);
		(void)close(pair[1]);
		return err_sys(e, "pipe");
	}
	s->keeper = fork();
	if (s->keeper == 0) {
		(void)close(pair[1]);
		(void)close(ready[0]);
		run_keeper(s, pair[0], ready[1], parent);
	}
	(void)close(pair[0]);
	(void)close(ready[1]);
	rc = s->keeper < 0 ? err_sys(e, "the keeper can't be started") : read_report(ready[0], e);
	(void)close(ready[0]);
	if (rc == 0) {
		rc = starters_start(&s->starters, s->root_fd, buf_text(&s->root_path), &s->brief,
				    starter_fd, e);
		s->engine = rc == 0 ? fork() : -1;
		if (s->engine == 0)
			run_engine(s, pair[1], starter_fd, parent);
		if (rc == 0 && s->engine < 0)
			rc = err_sys(e, "the engine can't be started");
		for (int i = 0; i < N_STARTERS; i++)
			cleanup_fd(&starter_fd[i]);
	}
	(void)close(pair[1]);
	return rc;
}

/* Waits for a child that is told to end, at most a few seconds. */
static void reap(pid_t *pid, int signal_number)
{
	int64_t until = clock_mono_ms() + 1000 * (int64_t)STOP_SECONDS;

	if (*pid <= 0)
		return;
	if (signal_number)
		(void)kill(*pid, signal_number);
	while (waitpid(*pid, NULL, WNOHANG) == 0) {
		struct timespec nap = {0, 10000000};

		if (clock_mono_ms() > until) {
			(void)kill(*pid, SIGKILL);
			until = INT64_MAX;
		}
		(void)nanosleep(&nap, NULL);
	}
	*pid = -1;
}

/* They end when their engine has; what they run is killed with them. */
static void reap_starters(struct service *s)
{
	for (int i = 0; i < N_STARTERS; i++)
		reap(&s->starters.pid[i], 0);
	/* All processes of the service are gone by now: what is left was run without a boundary. */
	if (s->starters.way == WAY_UNCONFINED)
		(void)exec_end_children();
}

static const char *why(int status)
{
	switch (status) {
	case ENGINE_PIN_CHANGED:
		return "a pinned input changed; start the runner again when it is meant";
	case ENGINE_TAMPERED:
		return "the ledger was tampered with; see --verify-proposal-ledger";
	case ENGINE_UNSAFE:
		return "a folder of the runner was replaced";
	case ENGINE_NO_KEEPER:
		return "the keeper ended";
	default:
		return "the engine ended";
	}
}

/* What a child's end means. True: service goes on; *ret_exit otherwise. */
static bool child_ended(struct service *s, pid_t pid, int status, int *restarts, int *ret_exit)
{
	*ret_exit = 1;
	if (pid == s->keeper) {
		s->keeper = -1;
		/* It ends by itself when the engine has: that one's status says why. */
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			return true;
		reap(&s->engine, SIGTERM);
		log_error("%s", why(ENGINE_NO_KEEPER));
		return false;
	}
	if (starters_are(&s->starters, pid) || pid != s->engine)
		return true; /* the engine misses a starter when it needs it */
	s->engine = -1;
	reap(&s->keeper, 0);
	reap_starters(s);
	if (WIFEXITED(status) && WEXITSTATUS(status) == ENGINE_NO_STARTER)
		return ++*restarts <= MAX_ENGINE_RESTARTS;
	if (WIFEXITED(status)) {
		*ret_exit = WEXITSTATUS(status) == ENGINE_STOPPED ? 0 : 1;
		if (*ret_exit)
			log_error("%s", why(WEXITSTATUS(status)));
		return false;
	}
#ifdef FAULT_HOOKS
	/* In a build that stops at chosen places the stop stands for a power cut: all ends. */
	if (WTERMSIG(status) == SIGKILL)
		return false;
#endif
	log_error("the engine crashed (signal %d); it is started again and answers the request "
		  "that was at work",
		  WTERMSIG(status));
	if (++*restarts > MAX_ENGINE_RESTARTS) {
		log_error("it crashed %d times; that is no accident", *restarts);
		return false;
	}
	return true;
}

static int supervise(struct service *s)
{
	struct errctx e = {0};
	int restarts = 0, status, code = 1;
	pid_t pid;

	for (;;) {
		struct signalfd_siginfo info;

		if (s->engine <= 0 && start_pair(s, &e) != 0) {
			log_error("%s", e.text);
			reap(&s->keeper, SIGKILL);
			reap_starters(s);
			return 1;
		}
		if (read(s->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
			if (errno == EINTR)
				continue;
			log_error("signals can't be read");
			break;
		}
		if (info.ssi_signo != SIGCHLD) {
			notify_stopping();
			reap(&s->engine, SIGTERM);
			reap(&s->keeper, 0);
			reap_starters(s);
			return 0;
		}
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			if (!child_ended(s, pid, status, &restarts, &code))
				goto out;
		}
	}
out:
	reap(&s->engine, SIGTERM);
	reap(&s->keeper, SIGKILL);
	reap_starters(s);
	return code;
}

static int open_signals(struct service *s, struct errctx *e)
{
	static const int taken[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
		(void)sigaddset(&set, taken[i]);
		(void)signal(taken[i], SIG_DFL); /* an inherited "ignore" would lose children */
	}
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		return err_sys(e, "sigprocmask");
	(void)signal(SIGPIPE, SIG_IGN);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
	return s->signal_fd < 0 ? err_sys(e, "signalfd") : 0;
}

static void release(struct service *s)
{
	brief_release(&s->brief);
	pins_release(&s->pins);
	dirs_release(&s->dirs);
	cleanup_fd(&s->root_fd);
	cleanup_fd(&s->anchor_dir_fd);
	cleanup_fd(&s->lock_fd);
	cleanup_fd(&s->signal_fd);
	buf_release(&s->root_path);
	buf_release(&s->key_path);
	starters_release(&s->starters);
	gate_pins_free(s->gate_pins);
}

int serve_requests(const struct options *o)
{
	struct service s = {.opt = o,
			    .root_fd = -1,
			    .anchor_dir_fd = -1,
			    .lock_fd = -1,
			    .signal_fd = -1,
			    .keeper = -1,
			    .engine = -1};
	struct errctx e = {0};
	int code = 1;

	starters_init(&s.starters);

	s.mask = umask(0077);
	(void)umask(s.mask);
	dirs_init(&s.dirs, -1);
	if (o->log_json)
		log_as_json();
	if (o->log_syslog && syslog_redirect(&e) != 0) {
		log_error("can't start: %s", e.text);
		return 1;
	}
	notify_open();
	if (prepare(&s, &e) != 0 || open_signals(&s, &e) != 0) {
		log_error("can't start: %s", e.text);
		confined_hint(o, &e);
	} else {
		if (!o->quiet)
			printf("serving %s with %s\n", buf_text(&s.root_path), o->description);
		starters_open(&s.starters, buf_view(&s.root_path));
		starters_try(&s.starters, s.root_fd, buf_text(&s.root_path), &s.brief);
		if (fflush(stdout) != 0)
			log_warn("standard output can't be written");
		code = supervise(&s);
	}
	release(&s);
	return code;
}
