/* SPDX-License-Identifier: MIT */
/*
 * confine-run's command line (file 10, sections 2 and 18.3). Pure: parsing looks at nothing but the
 * words. The rows also feed the help text, the completions and the manual's check.
 */
#ifndef LAUNCHER_OPTIONS_H
#define LAUNCHER_OPTIONS_H

#include "base/err.h"
#include "base/view.h"
#include "policy/launch.h"

enum run_mode {
	MODE_RUN = 1,
	MODE_CHECK,
	MODE_CHECK_JSON,
	MODE_CHANGES, /* list an existing upper folder */
	MODE_HELP,
	MODE_VERSION,
	MODE_PREFLIGHT,
	MODE_SELFTEST,
	MODE_RULES, /* --print-rules: the tables this build enforces */
};
enum platform { PLATFORM_LINUX = 1, PLATFORM_DARWIN };
enum changes_form { CHANGES_NO = 0, CHANGES_TEXT, CHANGES_JSON };

struct words {
	const char **v; /* borrowed words, owned array */
	size_t n, cap;
};

struct options {
	enum run_mode mode;
	enum platform platform;
	enum launch_preset preset;
	enum launch_egress egress;
	enum launch_home home;
	enum launch_sockets sockets;
	enum launch_git_protect git;
	enum changes_form changes;
	const char *scratch;
	const char *proxy; /* ADDR:PORT */
	const char *netns;
	const char *egress_rules;
	const char *overlay, *overlay_upper, *read_only;
	struct words exclude, writable, coord_root, protect, home_read, exec_allow, reveal;
	struct words setenv, env_allow, confirm;
	uint64_t cpu_max, nproc_max, mem_max, fsize_max, nofile_max, tmp_size, shm_size;
	uint64_t pids_max;
	uint64_t timeout_s, kill_grace_s;
	int report_fd; /* -1: none */
	bool prompt_roots, env_dangerous, allow_debug, placeholders, explain, json;
	bool seccomp, landlock; /* false: --seccomp off, --landlock off */
	bool require_unprivileged;
	bool egress_given, netns_given, nproc_given, quiet;
	char *const *command; /* NULL-ended; NULL: none given */
	char *args_data;      /* owned: words read by --args */
};

/* One option. help: one line; value: NULL for a flag. */
struct option_row {
	const char *name;
	const char *value;
	const char *help;
};
const struct option_row *option_rows(size_t *ret_n);

/* Parses argv (argc words, argv[0] is skipped). Words are borrowed. E_USAGE with a message that
 * names the option. --args is resolved by read_args (may be NULL: then E_USAGE): it returns the
 * bytes behind a descriptor, NUL-separated, owned by the caller's options. */
typedef int (*options_read_args)(const char *fd_text, char **ret, size_t *ret_n, struct errctx *e);
int options_parse(int argc, char *const *argv, options_read_args read_args, struct options *ret,
		  struct errctx *e) must_check;
void options_release(struct options *o);

/* Checks that need no file system, in the order of file 10, section 3 (steps 2, 4 to 7, 16). */
int options_check(const struct options *o, struct errctx *e) must_check;

/* "ADDR:PORT": port 1 to 65535; the address may be an IPv6 literal in brackets. E_SYNTAX, E_RANGE.
 */
int options_split_proxy(const char *text, struct view *ret_host, unsigned *ret_port) must_check;

const char *option_word_egress(enum launch_egress v);
const char *option_word_home(enum launch_home v);
const char *option_word_sockets(enum launch_sockets v);
const char *option_word_git(enum launch_git_protect v);

#endif
