/* SPDX-License-Identifier: MIT */
/*
 * confine-run: reads the command line, refuses or starts. No policy of its own. Everything
 * inherited is put in order before the first decision: signals, mask, standard streams,
 * close-on-exec on every other descriptor, capabilities, session keyring (file 10, 18.4, steps 1, 2
 * and 6).
 */
#include "base/base.h"
#include "launcher/main_modes.h"

#include "launcher/acts.h"
#include "launcher/check_print.h"
#include "launcher/changes.h"
#include "launcher/egress.h"
#include "launcher/host.h"
#include "launcher/report.h"
#include "launcher/run.h"

#include "base/io.h"
#include "base/limits.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static void reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < 32; sig++)
		(void)signal(sig, SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error code here */
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void mark_descriptors(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 3, ~0u, 1u << 2 /* CLOSE_RANGE_CLOEXEC */) == 0)
		return;
#endif
	for (int fd = 3; fd < 4096; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Every bind needs a descriptor; the command's own limit is set later, inside. */
static void raise_descriptor_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* Keys of the caller's session are not namespaced; an anonymous session keyring has none. A kernel
 * without keyrings has nothing to leak. */
static void new_keyring(void)
{
	enum { JOIN_SESSION_KEYRING = 1 };

	(void)syscall(SYS_keyctl, JOIN_SESSION_KEYRING, NULL);
}

static int read_args(const char *text, char **ret, size_t *ret_n, struct errctx *e)
{
	auto_buf struct buf b;
	char *end;
	long fd = strtol(text, &end, 10);
	int r;

	buf_init(&b, MAX_LAUNCH_ARGS_BYTES);
	if (*end || end == text || fd < 0 || fd > 1000000)
		return err_set(e, E_USAGE, "--args: \"%s\" is no descriptor", text);
	r = io_read_all((int)fd, &b, MAX_LAUNCH_ARGS_BYTES);
	if (r < 0)
		return err_set(e, E_USAGE, "--args: descriptor %ld can't be read", fd);
	*ret_n = b.len;
	*ret = b.len ? buf_steal(&b) : strdup("");
	return *ret ? 0 : err_set(e, E_NOMEM, "no memory");
}

/* Values given on the command line are visible in the process list until here; the environment that
 * was built holds copies. */
static void hide_values(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--setenv") == 0) {
			char *eq = strchr(argv[i + 1], '=');

			if (eq)
				explicit_bzero(eq + 1, strlen(eq + 1));
		}
}

static int refuse(const struct options *o, const struct errctx *e)
{
	log_error("%s", e->text);
	if (report_refused(o->report_fd, "refused", e) < 0)
		return EXIT_NOT_BUILT;
	return EXIT_REFUSED;
}

static void say_notes(const struct launch *l)
{
	for (size_t i = 0; i < l->notes.n; i++) {
		const char *n = l->notes.v[i];

		if (strncmp(n, "WARNING", 7) == 0)
			log_warn("%s", n);
		else if (!l->opt->quiet)
			log_info("%s", n);
	}
}

static int print_check(struct launch *l)
{
	auto_buf struct buf out;
	struct jsonw w;

	buf_init(&out, MAX_LAUNCH_ARGS_BYTES);
	if (l->opt->mode == MODE_CHECK_JSON) {
		jsonw_init(&w, &out, JSONW_COMPACT);
		launch_print_json(l, &w);
		(void)buf_putc(&out, '\n');
	} else {
		launch_print_text(l, &out);
	}
	if (buf_error(&out)) {
		log_error("the check can't be printed: %s", err_name(buf_error(&out)));
		return EXIT_NOT_BUILT;
	}
	return io_write_all(STDOUT_FILENO, out.data, out.len) < 0 ? main_unwritten() : 0;
}

struct words_given {
	int argc;
	char **argv;
	mode_t umask;
};

static int launch_once(const struct options *o, const struct words_given *given, bool first)
{
	struct launch l = {.opt = o};
	struct errctx e = {0};
	int status;

	l.upper.fd = l.bwrap.fd = l.stage2_fd = -1;
	if (launch_check(&l, &e) < 0) {
		say_notes(&l);
		status = refuse(o, &e);
	} else {
		if (first)
			say_notes(&l);
		hide_values(given->argc, given->argv);
		status = o->mode == MODE_RUN ? run_command(&l, given->umask) : print_check(&l);
	}
	launch_release(&l);
	return status;
}

static int launch(const struct options *o, const struct words_given *given)
{
	struct errctx e = {0};

	for (int i = 0; i < MAX_LAUNCH_TRIES; i++) {
		int status = launch_once(o, given, i == 0);

		if (status != RUN_AGAIN)
			return status;
	}
	(void)err_set(&e, E_CHANGED, "sockets on visible paths come and go too fast to be hidden");
	log_error("%s", e.text);
	ignored(report_refused(o->report_fd, "failed", &e));
	return EXIT_NOT_BUILT;
}

static int list_changes(const struct options *o)
{
	struct launch l = {.opt = o};
	struct errctx e = {0};

	l.upper.fd = l.bwrap.fd = l.stage2_fd = -1;
	if (options_check(o, &e) < 0 || changes_print(&l, &e) < 0)
		return refuse(o, &e);
	return 0;
}

static int dispatch(const struct options *o, const struct words_given *given)
{
	switch (o->mode) {
	case MODE_HELP:
		return main_help();
	case MODE_VERSION:
		return main_version();
	case MODE_RULES:
		return main_rules();
	case MODE_PREFLIGHT:
		return main_preflight(o->json);
	case MODE_SELFTEST:
		return main_selftest(o->json);
	case MODE_CHANGES:
		return list_changes(o);
	case MODE_RUN:
	case MODE_CHECK:
	case MODE_CHECK_JSON:
		break;
	}
	return launch(o, given);
}

int main(int argc, char **argv)
{
	struct options o;
	struct errctx e = {0};
	struct words_given given = {argc, argv, umask(077)};
	int status;

	reset_signals();
	log_init("confine-run", LOG_INFO_LEVEL);
	if (io_guard_std_fds() < 0)
		return EXIT_NOT_BUILT;
	if (argc > 1 && strcmp(argv[1], ACT_MODE) == 0) {
		status = acts_main(argc, argv);
		/* Whatever a sanitizer does at exit is refused inside a boundary. */
		_exit(fflush(NULL) == 0 ? status : 1);
	}
	if (argc > 1 && strcmp(argv[1], EGRESS_MODE) == 0)
		return egress_main(argc, argv);
	if (argc > 1 && strcmp(argv[1], EGRESS_CHECK_MODE) == 0)
		return egress_check_main(argc, argv);
	if (argc > 1 && strcmp(argv[1], EGRESS_CONNECT_MODE) == 0)
		return egress_connect_main(argc, argv);
	if (options_parse(argc, argv, read_args, &o, &e) < 0) {
		log_error("%s", e.text);
		return EXIT_REFUSED;
	}
	mark_descriptors();
	raise_descriptor_limit();
	if (o.report_fd >= 0 && fcntl(o.report_fd, F_GETFD) < 0) {
		log_error("--report-fd: descriptor %d isn't open", o.report_fd);
		options_release(&o);
		return EXIT_REFUSED;
	}
	if (host_drop_capabilities(&e) < 0) {
		status = refuse(&o, &e);
	} else {
		new_keyring();
		status = dispatch(&o, &given);
	}
	options_release(&o);
	return status;
}
