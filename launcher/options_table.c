/* SPDX-License-Identifier: MIT */
/* Every option of confine-run with its help line: parser, --help, completions and the manual's
 * check read these rows. Pure. */
#include "base/base.h"
#include "launcher/options_table.h"

const struct option_row option_table[N_OPTS] = {
	[OPT_SCRATCH] = {"--scratch", "DIR", "writable folder and working directory [current one]"},
	[OPT_PRESET] = {"--preset", "agent|command", "whole session, or one command [agent]"},
	[OPT_EGRESS] = {"--egress", "deny|proxy|host", "network [deny]"},
	[OPT_EGRESS_RULES] = {"--egress-rules", "FILE", "hosts that --egress proxy lets through"},
	[OPT_PROXY] = {"--proxy", "ADDR:PORT",
		       "proxy of an operator-made network [127.0.0.1:8443]"},
	[OPT_NETNS] = {"--netns", "NAME", "insist on already running in this network namespace"},
	[OPT_EXCLUDE] = {"--exclude", "PATH", "hide this file or folder"},
	[OPT_WRITABLE] = {"--writable", "DIR", "one more writable folder; created when missing"},
	[OPT_COORD_ROOT] = {"--coord-root", "DIR", "writable folder of a neighbour; never created"},
	[OPT_PROTECT] = {"--protect", "PATH", "read-only inside a writable folder"},
	[OPT_HOME] = {"--home", "ro|private", "home folder readable, or replaced by an empty one"},
	[OPT_HOME_READ] = {"--home-read", "PATH", "keep readable under --home private"},
	[OPT_REVEAL] = {"--reveal", "PATH", "don't hide this one of the extended masks"},
	[OPT_SETENV] = {"--setenv", "NAME=VALUE", "set a variable for the command"},
	[OPT_ENV_ALLOW] = {"--env-allow", "NAME", "pass a variable through when it is set"},
	[OPT_ENV_DANGEROUS] = {"--env-allow-dangerous", NULL,
			       "accept names that a loader or runtime obeys"},
	[OPT_UNIX_SOCKETS] = {"--unix-sockets", "none|private|host", "AF_UNIX sockets inside"},
	[OPT_EXEC_ALLOW] = {"--exec-allow", "PATH",
			    "only programs at or below these may be executed"},
	[OPT_TIMEOUT] = {"--timeout", "SECONDS", "end the command after this time: status 124"},
	[OPT_KILL_GRACE] = {"--kill-grace", "SECONDS", "from SIGTERM to SIGKILL [5]"},
	[OPT_TMP_SIZE] = {"--tmp-size", "MIB", "size of the private /tmp [512]"},
	[OPT_SHM_SIZE] = {"--shm-size", "MIB", "size of /dev/shm [128]"},
	[OPT_CPU_MAX] = {"--cpu-max", "SECONDS", "CPU time of each process"},
	[OPT_NPROC_MAX] = {"--nproc-max", "N", "processes and threads inside"},
	[OPT_MEM_MAX] = {"--mem-max", "MIB", "memory of everything inside (cgroup v2, or refused)"},
	[OPT_PIDS_MAX] = {"--pids-max", "N", "tasks of everything inside (cgroup v2, or refused)"},
	[OPT_FSIZE_MAX] = {"--fsize-max", "MIB", "largest file a process may write"},
	[OPT_NOFILE_MAX] = {"--nofile-max", "N", "open files of each process [4096]"},
	[OPT_GIT_PROTECT] = {"--git-protect", "on|hooks|off",
			     "keep hooks (and configuration) of git repositories read-only"},
	[OPT_PLACEHOLDERS] = {"--placeholders", "on|off",
			      "hold the place of absent trusted folders"},
	[OPT_PROMPT] = {"--protect-prompt-roots", NULL, "instructions of agents read-only as well"},
	[OPT_OVERLAY] = {"--overlay", "DIR", "collect writes to DIR instead of making them"},
	[OPT_OVERLAY_UPPER] = {"--overlay-upper", "DIR", "where they are collected [thrown away]"},
	[OPT_READ_ONLY] = {"--read-only", "DIR",
			   "project seen read-only but for writable folders in it"},
	[OPT_CHANGES] = {"--changes", NULL, "print what was written (or --changes=json)"},
	[OPT_EXPLAIN] = {"--explain", NULL, "say what was refused, by which layer, when it fails"},
	[OPT_SECCOMP] = {"--seccomp", "require|off", "system call filter [require]"},
	[OPT_LANDLOCK] = {"--landlock", "require|off", "second layer for writes [require]"},
	[OPT_ALLOW_DEBUG] = {"--allow-debug", NULL, "let debuggers work inside"},
	[OPT_REQUIRE_UNPRIVILEGED] = {"--require-unprivileged", NULL, "refuse to run as uid 0"},
	[OPT_CONFIRM] = {"--confirm-appeared", "PATH", "accept what an earlier run created"},
	[OPT_REPORT_FD] = {"--report-fd", "FD", "write a JSON line for each event"},
	[OPT_ARGS] = {"--args", "FD", "read more options from FD, NUL-separated"},
	[OPT_PLATFORM] = {"--platform", "linux|darwin", "with --check: whose boundary to build"},
	[OPT_CHECK] = {"--check", NULL, "print what would be done (or --check=json); do nothing"},
	[OPT_PRINT_RULES] = {"--print-rules", NULL, "print the tables this build enforces"},
	[OPT_QUIET] = {"--quiet", NULL, "no notes on standard error"},
	[OPT_VERSION] = {"--version", NULL, "print the version"},
	[OPT_HELP] = {"--help", NULL, "print this help"},
};

const struct option_row *option_rows(size_t *ret_n)
{
	*ret_n = N_OPTS;
	return option_table;
}
