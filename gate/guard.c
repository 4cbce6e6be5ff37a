/* SPDX-License-Identifier: MIT */
/* Limits, signals, exit by the fail mode. Effects: process limits, signal handlers, standard error.
 * Test: tests/e2e/t0401-gate-fail.tap. */
#include "base/base.h"

#include "gate/guard.h"

#include "base/utf8.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

enum {
	MEMORY_BYTES = 268435456,
	CPU_SECONDS = 2,
	FILES = 16,
	WAIT_MS = 1000, /* for the event; file 40 asks for an answer within a tenth of a second of
			   work */
#ifdef SANITIZED
	WORK_MS = 5000,
#else
	WORK_MS = 80,
#endif
	SIGNAL_STACK = 32768,
};

static volatile sig_atomic_t open_mode;

/* Fixed texts: a signal handler may not format. */
static const char closed_line[] =
	"agentteams-gate: the gate failed while deciding; the call is blocked\n";
static const char open_line[] =
	"agentteams-gate: the gate failed while deciding; the call runs unchecked "
	"(--fail open)\n";

static void put_fixed(void)
{
	ssize_t n = open_mode ? write(2, open_line, sizeof(open_line) - 1)
			      : write(2, closed_line, sizeof(closed_line) - 1);

	(void)n; /* nobody to tell */
}

static void on_fatal(int sig)
{
	(void)sig;
	put_fixed();
	_exit(open_mode ? EXIT_PASS : EXIT_BLOCK);
}

static void limit(int what, rlim_t value)
{
	struct rlimit r;

	if (getrlimit(what, &r) != 0)
		return;
	if (r.rlim_max != RLIM_INFINITY && r.rlim_max < value)
		value = r.rlim_max;
	r.rlim_cur = value;
	(void)setrlimit(what, &r); /* a limit that can't be set leaves the timers */
}

static void timer(int which, int ms)
{
	struct itimerval t = {.it_value = {ms / 1000, (ms % 1000) * 1000}};

	(void)setitimer(which, &t, NULL);
}

void guard_start(enum fail_mode mode)
{
	static const int fatal[] = {SIGSEGV, SIGBUS,  SIGABRT, SIGILL,	SIGFPE,	 SIGSYS,
				    SIGXCPU, SIGALRM, SIGPROF, SIGXFSZ, SIGTERM, SIGTRAP};
	static char stack[SIGNAL_STACK];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction act = {.sa_handler = on_fatal, .sa_flags = SA_ONSTACK};

	open_mode = mode == FAIL_OPEN;
	(void)sigaltstack(&alternate, NULL);
	(void)sigfillset(&act.sa_mask);
#ifndef SANITIZED
	for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
		(void)sigaction(fatal[i], &act, NULL);
	limit(RLIMIT_AS, MEMORY_BYTES);
#else
	for (size_t i = 6; i < ARRAY_LEN(fatal); i++) /* memory faults are the sanitizer's */
		(void)sigaction(fatal[i], &act, NULL);
#endif
	(void)signal(SIGPIPE, SIG_IGN);
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, FILES);
	timer(ITIMER_REAL, WAIT_MS);
}

void guard_decide(void)
{
	timer(ITIMER_REAL,
	      WORK_MS * 20); /* the machine may be busy: only processor time is short */
	timer(ITIMER_PROF, WORK_MS);
}

void guard_fail(const char *why, const char *what)
{
	struct buf b;

	buf_init(&b, 1024);
	(void)buf_puts(&b, "agentteams-gate: ");
	(void)buf_puts(&b, why);
	if (what && *what) {
		(void)buf_puts(&b, ": ");
		(void)utf8_print(&b, view_of(what), UTF8_PRINT_ASCII);
	}
	(void)buf_puts(&b, open_mode ? "; the call runs unchecked (--fail open)\n"
				     : "; the call is blocked\n");
	if (buf_error(&b) || write(2, buf_text(&b), buf_view(&b).len) < 0)
		put_fixed();
	_exit(open_mode ? EXIT_PASS : EXIT_BLOCK);
}
