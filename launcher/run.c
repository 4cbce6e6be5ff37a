/* SPDX-License-Identifier: MIT */
/*
 * The event loop of a run: one state machine over the control pair, signals, the children and the
 * terminal. A lost control pair while the command runs counts as an attack on stage 2: everything
 * is killed at once, status 125. Bubblewrap is the parent that everything inside dies with, so
 * killing it is always enough; what is waited for is pid 1, since the kernel finishes the namespace
 * first. System. Covered by tests/e2e/launcher-*.tap.
 */
#include "base/base.h"
#include "launcher/run.h"
#include "launcher/run_internal.h"

#include "launcher/after.h"
#include "launcher/cgroup.h"
#include "launcher/explain.h"
#include "launcher/report.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { BUILD_MS = 20000 };

static void fail(struct run *r, const struct errctx *e)
{
	if (!r->broken)
		r->why = *e;
	r->broken = true;
}

/* SIGKILL to bubblewrap ends pid 1 and with it everything inside. */
static void kill_all(struct run *r)
{
	if (r->box.init_fd >= 0)
		(void)syscall(SYS_pidfd_send_signal, r->box.init_fd, SIGKILL, NULL, 0);
	if (!r->bwrap_gone && r->box.bwrap_pid > 0)
		(void)kill(r->box.bwrap_pid, SIGKILL);
	r->state = STATE_DRAINING;
}

static void send_plain(struct run *r, enum wire_type type, int a)
{
	struct wire_msg m = {.type = type, .a = a};

	if (wire_send(r->box.control_fd, &m, NULL) < 0 && r->state < STATE_DRAINING)
		kill_all(r); /* its death is noticed and judged elsewhere */
}

static int send_start(struct run *r, struct errctx *e)
{
	struct wire_msg m = {.type = WIRE_START, .n_fds = r->box.observer_fd >= 0 ? 5 : 4};
	auto_fd int plan = -1;
	int fds[5];
	int code = sandbox_write_plan(&r->box, r->l, r->relay_bits, r->command_umask, &plan, e);

	if (code < 0)
		return code;
	fds[0] = plan;
	fds[4] = r->box.observer_fd;
	for (int i = 0; i < 3; i++) /* the real terminal is never inside */
		fds[1 + i] = r->relay_bits >> i & 1 ? r->box.null_fd : i;
	code = wire_send(r->box.control_fd, &m, fds);
	return code == E_CLOSED ? 0 : code; /* the loop sees bubblewrap's end and its words */
}

/* HELLO: what bubblewrap mounts is there. Where the rest can't be mounted from outside (an old
 * kernel, a policy that forbids it), bubblewrap has to make all of it, in a new sandbox. */
static void on_hello(struct run *r)
{
	struct errctx e = {0};
	int code;

	if (r->state != STATE_BUILDING || !r->l->plan.n_late)
		return;
	code = sandbox_mount_late(&r->box, r->l, &e);
	if (code < 0)
		code = sandbox_start_again(&r->box, r->l, &e);
	if (code == 0)
		code = send_start(r, &e);
	if (code < 0) {
		fail(r, &e);
		kill_all(r);
	}
}

/* READY: everything outside gets into place, then the command may start. */
static void on_ready(struct run *r, const struct wire_msg *m)
{
	struct report_ready line = {
		.landlock_abi = m->a,
		.seccomp_filters = (unsigned)m->b,
		.egress = option_word_egress(r->l->opt->egress),
		.preset = launch_preset(r->l->opt->preset)->name,
		.mounts = r->l->plan.n,
	};
	struct wire_msg go = {.type = WIRE_GO};
	struct errctx e = {0};
	auto_fd int plan = -1;

	r->ready_abi = m->a;
	if (r->cgroup_fd >= 0 &&
	    cgroup_enter(r->cgroup_fd, r->box.bwrap_pid, r->box.init_fd, &e) < 0) {
		fail(r, &e);
		kill_all(r);
		return;
	}
	if (report_ready(r->l->opt->report_fd, &line) < 0) {
		(void)err_set(&e, E_CLOSED, "--report-fd: nobody reads it");
		fail(r, &e);
		kill_all(r);
		return;
	}
	if (r->proxy_port) { /* the environment names the port, which is known only now */
		if (sandbox_write_plan(&r->box, r->l, r->relay_bits, r->command_umask, &plan, &e) <
		    0) {
			fail(r, &e);
			kill_all(r);
			return;
		}
		go.n_fds = 1;
	}
	if (wire_send(r->box.control_fd, &go, &plan) < 0)
		kill_all(r);
	r->build_deadline_ms = 0;
	if (r->l->opt->timeout_s)
		r->timeout_ms = clock_mono_ms() + (int64_t)r->l->opt->timeout_s * 1000;
}

static void begin_ending(struct run *r, int signal_number)
{
	send_plain(r, WIRE_SIGNAL, signal_number);
	if (r->state == STATE_RUNNING) {
		r->state = STATE_ENDING;
		r->grace_ms = clock_mono_ms() + (int64_t)r->l->opt->kill_grace_s * 1000;
	}
}

/* The command stopped: so do we, as a shell's job; and it goes on when we do. */
static void stop_with_command(struct run *r)
{
	struct errctx e = {0};

	relay_restore(&r->relay);
	(void)raise(SIGSTOP);
	if (r->relay.master_fd >= 0 && relay_resume(&r->relay, &e) < 0)
		fail(r, &e);
	send_plain(r, WIRE_SIGNAL, SIGCONT);
}

static void on_message(struct run *r)
{
	struct wire_msg m;
	int fds[WIRE_MAX_FDS];
	pid_t pid = 0;
	struct errctx e = {0};
	int code = wire_receive(r->box.control_fd, &m, fds, &pid);

	if (code < 0) {
		/* While building, bubblewrap has the better words for it, and is about to end. */
		if (r->state == STATE_RUNNING || r->state == STATE_ENDING)
			kill_all(r); /* finish() says what it means */
		(void)close(r->box.control_fd);
		r->box.control_fd = -1;
		return;
	}
	if (r->box.init_fd < 0 && pid > 0) {
		r->box.init_fd = (int)syscall(SYS_pidfd_open, pid, 0);
		r->box.init_pid = pid;
		janitor_tell_init(r->janitor_fd, pid);
	}
	switch (m.type) {
	case WIRE_HELLO:
		on_hello(r);
		break;
	case WIRE_LISTENER:
		if (m.n_fds != 1 || run_egress_listener(r, fds[0], (unsigned)m.a, &e) < 0) {
			fail(r, &e);
			kill_all(r);
		}
		return;
	case WIRE_TERMINAL:
		if (m.n_fds != 1 || relay_begin(&r->relay, fds[0], &e) < 0) {
			fail(r, &e);
			kill_all(r);
		}
		return;
	case WIRE_OBSERVER:
		if (m.n_fds == 1 && r->observer_fd < 0) {
			r->observer_fd = fds[0];
			return;
		}
		break;
	case WIRE_READY:
		on_ready(r, &m);
		break;
	case WIRE_FAIL:
		(void)err_set(&e, E_DENIED, "the boundary did not verify: %s", m.text);
		fail(r, &e);
		r->state = STATE_DRAINING;
		break;
	case WIRE_EXEC:
		r->exec_error = m.a;
		r->started = m.a == 0;
		r->state = m.a || r->ended_early ? STATE_DRAINING : STATE_RUNNING;
		break;
	case WIRE_STOPPED:
		if (!r->bwrap_gone)
			stop_with_command(r);
		break;
	case WIRE_EXIT:
		r->wait_status = m.a;
		r->ended = true;
		r->survivors = (unsigned)m.b;
		r->state = STATE_DRAINING;
		break;
	default:
		(void)err_set(&e, E_SYNTAX, "unexpected message from inside");
		fail(r, &e);
		kill_all(r);
	}
	for (uint32_t i = 0; i < m.n_fds; i++)
		(void)close(fds[i]);
}

static void end_early(struct run *r, int signal_number)
{
	r->ended_early = signal_number;
	kill_all(r);
}

static void on_signal(struct run *r)
{
	struct signalfd_siginfo info;

	if (read(r->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	switch (info.ssi_signo) {
	case SIGCHLD:
		break; /* pid descriptors say which */
	case SIGWINCH:
		if (r->relay.master_fd >= 0)
			relay_copy_size(&r->relay); /* the kernel signals the group inside */
		else
			send_plain(r, WIRE_SIGNAL, SIGWINCH);
		break;
	case SIGTERM:
	case SIGHUP:
		if (r->state == STATE_BUILDING)
			end_early(r, (int)info.ssi_signo);
		else
			begin_ending(r, (int)info.ssi_signo);
		break;
	case SIGINT:
		if (r->state == STATE_BUILDING)
			end_early(r, SIGINT);
		else if (++r->interrupts > 1)
			send_plain(r, WIRE_KILL, 0);
		else
			send_plain(r, WIRE_SIGNAL, SIGINT);
		break;
	default:
		if (r->state == STATE_RUNNING || r->state == STATE_ENDING)
			send_plain(r, WIRE_SIGNAL, (int)info.ssi_signo);
	}
}

static void on_time(struct run *r)
{
	int64_t now = clock_mono_ms();
	struct errctx e = {0};

	if (r->state == STATE_BUILDING && r->build_deadline_ms && now >= r->build_deadline_ms) {
		(void)err_set(&e, E_TIMEOUT, "the boundary wasn't there after %d seconds",
			      BUILD_MS / 1000);
		fail(r, &e);
		kill_all(r);
	}
	if (r->timeout_ms && now >= r->timeout_ms && r->state == STATE_RUNNING) {
		r->timed_out = true;
		r->timeout_ms = 0;
		begin_ending(r, SIGTERM);
		send_plain(r, WIRE_SIGNAL, SIGCONT); /* a stopped command couldn't end */
	}
	if (r->grace_ms && now >= r->grace_ms) {
		r->grace_ms = 0;
		send_plain(r, WIRE_KILL, 0);
		/* A stage 2 that doesn't answer is killed from outside. */
		r->build_deadline_ms = now + 1000;
	}
	if (r->state == STATE_ENDING && r->build_deadline_ms && now >= r->build_deadline_ms) {
		r->wait_status = SIGKILL; /* unless stage 2's word is already on its way */
		r->ended = true;
		kill_all(r);
	}
}

static int wait_ms(const struct run *r)
{
	int64_t times[] = {r->build_deadline_ms, r->timeout_ms, r->grace_ms}, next = 0;
	int64_t now = clock_mono_ms();

	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		if (times[i] && (!next || times[i] < next))
			next = times[i];
	if (!next)
		return -1;
	return next <= now ? 0 : next - now > 3600000 ? 3600000 : (int)(next - now);
}

static void on_bwrap_end(struct run *r)
{
	struct pollfd p = {r->box.control_fd, POLLIN, 0};
	struct errctx e = {0};
	int status;

	if (waitpid(r->box.bwrap_pid, &status, WNOHANG) != r->box.bwrap_pid)
		return;
	r->bwrap_gone = true;
	/* The end may be seen before what pid 1 said last, even its word that the command began:
	   poll asks one descriptor after the other, and may be interrupted between two of them. */
	while (r->box.control_fd >= 0 && poll(&p, 1, 0) == 1)
		on_message(r);
	if (r->state == STATE_BUILDING && !r->broken && !r->ended_early) {
		sandbox_explain_failure(&r->box, &r->why);
		r->broken = true;
	} else if (r->state == STATE_RUNNING || r->state == STATE_ENDING) {
		(void)err_set(&e, E_CLOSED, "the boundary broke: bubblewrap is gone");
		fail(r, &e);
	}
	r->state = STATE_DRAINING;
}

static void loop(struct run *r)
{
	while (!(r->state == STATE_DRAINING && r->bwrap_gone &&
		 (r->init_gone || r->box.init_fd < 0))) {
		bool bwrap = !r->bwrap_gone, init = r->box.init_fd >= 0 && !r->init_gone;
		struct pollfd p[9] = {
			{r->box.control_fd, POLLIN, 0},
			{r->signal_fd, POLLIN, 0},
			{bwrap ? r->box.bwrap_fd : -1, POLLIN, 0},
			{init ? r->box.init_fd : -1, POLLIN, 0},
			{r->proxy_lines_fd, POLLIN, 0},
		};

		relay_poll(&r->relay, p + 5);
		p[8] = (struct pollfd){r->observer_fd, POLLIN, 0};
		if (poll(p, ARRAY_LEN(p), wait_ms(r)) < 0 && errno != EINTR)
			kill_all(r);
		relay_move(&r->relay, p + 5);
		if (p[0].revents)
			on_message(r);
		if (p[1].revents)
			on_signal(r);
		if (p[4].revents)
			run_egress_read(r);
		if (p[8].revents)
			explain_serve(r);
		if (p[3].revents)
			r->init_gone = true;
		if (p[2].revents)
			on_bwrap_end(r);
		on_time(r);
	}
	relay_drain(&r->relay);
}

static int exit_status(const struct run *r)
{
	if (r->timed_out)
		return EXIT_TIMED_OUT;
	if (r->broken)
		return EXIT_NOT_BUILT;
	if (r->exec_error)
		return r->exec_error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	if (r->ended_early)
		return 128 + r->ended_early;
	return proc_exit_code(r->wait_status);
}

static void say_what_happened(struct run *r)
{
	if (r->broken)
		log_error("%s", r->why.text);
	else if (r->exec_error)
		log_error("%s: %s", r->l->opt->command[0], strerror(r->exec_error));
	else if (r->timed_out && !r->l->opt->quiet)
		log_info("ended after %llu seconds", (unsigned long long)r->l->opt->timeout_s);
}

/* Other programs' sockets come and go. One that went after it was listed left no place for its
 * mask, which is no reason to refuse a command. */
static bool lost_a_socket(const struct run *r)
{
	return r->broken && r->ready_abi == 0 && !r->ended_early && launch_sockets_moved(r->l);
}

static int finish(struct run *r)
{
	struct report_exit line = {0};
	struct errctx e = {0};

	relay_close(&r->relay);
	run_egress_end(r);
	if (!r->broken && !r->exec_error && !r->ended && !r->ended_early) {
		(void)err_set(&e, E_CLOSED, "the boundary broke: pid 1 inside is gone");
		fail(r, &e);
	}
	if (lost_a_socket(r)) {
		clear_run(r->l, r->janitor_fd);
		if (r->cgroup_fd >= 0)
			cgroup_remove(r->cgroup_fd);
		return RUN_AGAIN;
	}
	line.status = exit_status(r);
	say_what_happened(r);
	if (after_run(r->l, r->started, r->janitor_fd, &r->appeared, &e) < 0) {
		log_error("%s", e.text);
		line.status = EXIT_NOT_BUILT;
	}
	r->janitor_fd = -1;
	if (r->l->opt->explain && line.status != 0)
		explain_run(r);
	line.signal = r->started && !r->broken && WIFSIGNALED(r->wait_status)
			      ? WTERMSIG(r->wait_status)
			      : 0;
	line.timed_out = r->timed_out;
	line.started = r->started;
	line.survivors = r->survivors;
	line.appeared = &r->appeared;
	line.denials = &r->denials;
	if (r->broken && report_refused(r->l->opt->report_fd, "failed", &r->why) < 0)
		line.status = EXIT_NOT_BUILT;
	if (report_exit(r->l->opt->report_fd, &line) < 0)
		line.status = EXIT_NOT_BUILT;
	if (r->cgroup_fd >= 0)
		cgroup_remove(r->cgroup_fd);
	return line.status;
}

static int begin(struct run *r, struct errctx *e)
{
	static const int taken[] = {SIGTERM, SIGINT,  SIGHUP,	SIGQUIT, SIGUSR1,
				    SIGUSR2, SIGCONT, SIGWINCH, SIGTSTP, SIGCHLD};
	const struct options *o = r->l->opt;
	sigset_t mask;
	int code;

	sigemptyset(&mask);
	for (size_t i = 0; i < ARRAY_LEN(taken); i++)
		sigaddset(&mask, taken[i]);
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	r->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signal_fd < 0)
		return err_sys(e, "signals");
	r->relay_bits = relay_choose(&r->relay);
	if (!launch_preset(o->preset)->relay)
		r->relay_bits = 0;
	code = before_run(r->l, &r->box.work, &r->janitor_fd, e);
	if (code == 0 && (o->mem_max || o->pids_max))
		code = cgroup_make(o->mem_max << 20, o->pids_max, &r->cgroup_fd, e);
	if (code == 0 && o->egress == EGRESS_PROXY && o->egress_rules)
		code = run_egress_begin(r, e);
	if (code == 0)
		code = sandbox_prepare(&r->box, r->l, e);
	if (code == 0)
		code = sandbox_start(&r->box, r->l, e);
	if (code == 0 && !r->l->plan.n_late)
		code = send_start(r, e);
	return code;
}

void run_add_denial(struct run *r, const char *layer, const char *what, const char *path,
		    const char *rule)
{
	struct errctx ignored = {0};
	auto_buf struct buf b;
	struct jsonw w;

	buf_init(&b, 65536);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "layer", layer);
	jsonw_kv_cstr(&w, "what", what);
	jsonw_kv_cstr(&w, "thing", path);
	jsonw_kv_cstr(&w, "rule", rule);
	jsonw_obj_end(&w);
	if (buf_error(&b) || strings_has(&r->denials, buf_text(&b)))
		return; /* one that JSON can't hold, or a repetition */
	if (strings_add(&r->denials, buf_text(&b), &ignored) < 0 ||
	    strings_addf(&r->refusals, &ignored, "%s %s: by %s (%s)", what, path, layer, rule) < 0)
		return; /* an explanation less; the refusal itself stands */
}

int run_command(struct launch *l, mode_t command_umask)
{
	struct run *r = calloc(1, sizeof(*r));
	struct errctx e = {0};
	int status;

	if (!r) {
		log_error("no memory");
		return EXIT_NOT_BUILT;
	}
	r->l = l;
	r->command_umask = command_umask;
	r->signal_fd = r->janitor_fd = r->cgroup_fd = r->proxy_lines_fd = r->observer_fd = -1;
	r->relay = (struct relay){.terminal_fd = -1, .output_fd = -1, .master_fd = -1};
	r->state = STATE_BUILDING;
	r->build_deadline_ms = clock_mono_ms() + BUILD_MS;
	sandbox_init(&r->box);
	if (begin(r, &e) < 0) {
		fail(r, &e);
		if (r->box.bwrap_pid > 0) {
			(void)kill(r->box.bwrap_pid, SIGKILL);
			(void)waitpid(r->box.bwrap_pid, NULL, 0);
		}
	} else {
		loop(r);
	}
	status = finish(r);
	if (r->signal_fd >= 0)
		(void)close(r->signal_fd);
	if (r->observer_fd >= 0)
		(void)close(r->observer_fd);
	strings_release(&r->denials);
	strings_release(&r->refusals);
	strings_release(&r->appeared);
	sandbox_release(&r->box);
	free(r);
	return status;
}
