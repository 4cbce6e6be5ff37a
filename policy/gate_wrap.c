/* SPDX-License-Identifier: MIT */
/* Programs that run the rest of their words, or a text among them (file 40, section 12.7).
 * Test: gate-dangerous.cases group C, the case files. */
#include "base/base.h"

#include "policy/gate.h"

static const struct gate_wrapper rows[] = {
	/* id, names, sub, flags, valued, longs, valued longs, text options, skip, assigns, inner,
	   class, where */
	{"GATEWRAP_0001", "env", "", "i0v", "uCaS",
	 "ignore-environment null debug list-signal-handling block-signal default-signal "
	 "ignore-signal",
	 "unset chdir argv0", "-S --split-string", 0, true, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0002", "sudo", "", "AbBEHiKklnNPSsVv", "ughpCDRTUrtac", "*",
	 "user group host prompt close-from chdir chroot command-timeout other-user role type", "",
	 0, true, INNER_REST, GATE_PRIVILEGE, "with elevated rights"},
	{"GATEWRAP_0003", "doas", "", "nsL", "uC", "", "", "", 0, true, INNER_REST, GATE_PRIVILEGE,
	 "with elevated rights"},
	{"GATEWRAP_0004", "su", "", "lmpPfV", "gGsTw", "login preserve-environment fast pty",
	 "group supp-group shell", "-c --command --session-command", 1, false, INNER_OPTION,
	 GATE_PRIVILEGE, "as another user"},
	{"GATEWRAP_0005", "runuser", "", "lmpPf", "gGsuw", "login preserve-environment fast pty",
	 "group supp-group shell user", "-c --command --session-command", 0, false, INNER_REST,
	 GATE_PRIVILEGE, "as another user"},
	{"GATEWRAP_0006", "pkexec", "", "", "", "disable-internal-agent keep-cwd", "user", "", 0,
	 false, INNER_REST, GATE_PRIVILEGE, "with elevated rights"},
	{"GATEWRAP_0007", "run0", "", "", "ugD", "*",
	 "user group chdir setenv unit property slice nice background description", "", 0, false,
	 INNER_REST, GATE_PRIVILEGE, "with elevated rights"},
	{"GATEWRAP_0008", "sg newgrp", "", "", "", "", "", "-c", 1, false, INNER_ONE_TEXT,
	 GATE_PRIVILEGE, "in another group"},
	{"GATEWRAP_0009", "gosu su-exec setuidgid chpst", "", "", "", "", "", "", 1, false,
	 INNER_REST, GATE_PRIVILEGE, "as another user"},
	{"GATEWRAP_0010", "nice", "", "0123456789", "n", "", "adjustment", "", 0, false, INNER_REST,
	 GATE_NONE, NULL},
	{"GATEWRAP_0011", "ionice", "", "t", "cnpPu", "ignore", "class classdata pid pgid uid", "",
	 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0012", "chrt", "", "abdfimorRvG", "pTPD", "*",
	 "sched-runtime sched-period sched-deadline", "", 1, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0013", "taskset", "", "a", "", "all-tasks cpu-list", "", "", 1, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0014", "taskset", "-c", "ac", "", "all-tasks cpu-list", "", "", 1, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0015", "choom", "", "", "np", "", "adjust pid", "", 0, false, INNER_REST,
	 GATE_NONE, NULL},
	{"GATEWRAP_0016", "nohup", "", "", "", "", "", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0017", "setsid", "", "cfw", "", "ctty fork wait", "", "", 0, false, INNER_REST,
	 GATE_NONE, NULL},
	{"GATEWRAP_0018", "time gtime", "", "apvqV", "fo", "append portability verbose quiet",
	 "format output", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0019", "stdbuf", "", "", "ioe", "", "input output error", "", 0, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0020",
	 "unbuffer chronic catchsegv linux32 linux64 i386 x86_64 caffeinate fakeroot", "",
	 "pdimsuve", "", "", "", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0021", "setarch", "", "vRFZLXBIST3", "p", "*", "", "", 1, false, INNER_REST,
	 GATE_NONE, NULL},
	{"GATEWRAP_0022", "timeout gtimeout", "", "vpf", "ks", "foreground preserve-status verbose",
	 "kill-after signal", "", 1, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0023", "xargs gxargs", "", "0rtpxo", "InPsadELl",
	 "null no-run-if-empty verbose interactive exit show-limits open-tty replace eof max-lines",
	 "max-args max-procs max-chars arg-file delimiter process-slot-var", "", 0, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0024", "parallel", "", "0kmXuqtvxi", "jIaNLnSCdsPED", "*",
	 "jobs arg-file delimiter joblog results tmpdir colsep sshlogin tagstring timeout retries "
	 "delay load memfree max-args max-lines max-replace-args block recstart recend wd workdir "
	 "env",
	 "", 0, false, INNER_ONE_TEXT, GATE_NONE, NULL},
	{"GATEWRAP_0025", "watch", "", "bcCdegptwx", "nqs",
	 "beep color no-color differences errexit chgexit precise no-title no-wrap exec",
	 "interval equexit shotsdir", "", 0, false, INNER_TEXT, GATE_NONE, NULL},
	{"GATEWRAP_0026", "entr", "", "acdnprszx", "", "", "", "", 0, false, INNER_ONE_TEXT,
	 GATE_NONE, NULL},
	{"GATEWRAP_0027", "script", "", "aefq", "EIOBTmo", "append return flush force quiet echo",
	 "log-in log-out log-io log-timing logging-format output-limit timing", "-c --command", 1,
	 false, INNER_OPTION, GATE_NONE, NULL},
	{"GATEWRAP_0028", "flock", "", "snexuoF", "wE",
	 "shared nb nonblock nonblocking exclusive unlock close no-fork verbose",
	 "timeout wait conflict-exit-code", "-c --command", 1, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0029", "setpriv", "", "d", "", "*",
	 "ambient-caps inh-caps bounding-set reuid regid groups securebits selinux-label "
	 "apparmor-profile pdeathsig ruid euid rgid egid landlock-access landlock-rule",
	 "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0030", "unshare", "", "impnuUCTfrc", "RwSG", "*",
	 "root wd setuid setgid map-user map-group map-users map-groups propagation setgroups "
	 "monotonic boottime",
	 "", 0, false, INNER_REST, GATE_NONE, "in other namespaces"},
	{"GATEWRAP_0031", "nsenter", "", "amuinpCTUFZ", "tSGrw", "*", "target setuid setgid", "", 0,
	 false, INNER_REST, GATE_PRIVILEGE, "in other namespaces"},
	{"GATEWRAP_0032", "chroot", "", "", "", "skip-chdir", "userspec groups", "", 1, false,
	 INNER_REST, GATE_PRIVILEGE, "below another root"},
	{"GATEWRAP_0033", "firejail", "", "", "", "*", "", "", 0, false, INNER_REST, GATE_NONE,
	 NULL},
	{"GATEWRAP_0034", "faketime", "", "fm", "p", "*", "", "", 1, false, INNER_REST, GATE_NONE,
	 NULL},
	{"GATEWRAP_0035", "strace", "", "fFcCdhiknqrtTvVwxyzYDZ", "oepsuEabIOPSX", "*",
	 "output attach string-limit user trace signal", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0036", "ltrace", "", "cCfhiLrStTV", "aAeDFlnopsuwx", "*", "output", "", 0, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0037", "valgrind", "", "qvhd", "", "*", "", "", 0, false, INNER_REST, GATE_NONE,
	 NULL},
	{"GATEWRAP_0038", "perf", "stat|record|trace|mem|c2c|lock|sched", "agdsSnvBAb",
	 "eFcopritCxRDIGmM", "*", "event freq count output pid tid call-graph delay cpu repeat", "",
	 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0039", "gdb", "--args", "qn", "", "args batch quiet nx", "", "", 0, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0040", "lldb", "--", "", "", "", "", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0041", "ssh", "", "46AaCfGgKkMNnqsTtVvXxYy", "bcDEeFIiJLlmOopQRSWwB", "", "", "",
	 1, false, INNER_TEXT, GATE_NONE, "on another machine"},
	{"GATEWRAP_0042", "mosh rsh autossh", "", "46an", "pml", "*", "ssh server predict port", "",
	 1, false, INNER_TEXT, GATE_NONE, "on another machine"},
	{"GATEWRAP_0043", "docker", "run|create", "dtiPqh", "acehlmpuvw",
	 "detach tty interactive rm privileged init read-only no-healthcheck oom-kill-disable "
	 "quiet publish-all sig-proxy help disable-content-trust no-hosts replace rmi",
	 "*", "", 1, false, INNER_REST, GATE_NONE, "inside a container"},
	{"GATEWRAP_0044", "docker", "exec", "dti", "euw",
	 "detach tty interactive privileged latest", "*", "", 1, false, INNER_REST, GATE_NONE,
	 "inside a container"},
	{"GATEWRAP_0045", "docker", "container run|exec|create", "dtiPq", "acehlmpuvw",
	 "detach tty interactive rm privileged init read-only quiet publish-all", "*", "", 1, false,
	 INNER_REST, GATE_NONE, "inside a container"},
	{"GATEWRAP_0046", "docker", "compose exec|run", "dTtiPV", "eluvwpf",
	 "detach no-TTY no-deps rm privileged service-ports build quiet-pull remove-orphans "
	 "interactive use-aliases quiet",
	 "*", "", 1, false, INNER_REST, GATE_NONE, "inside a container"},
	{"GATEWRAP_0047", "docker-compose", "exec|run", "dTtiP", "eluvwpf",
	 "detach no-TTY no-deps rm privileged service-ports build interactive use-aliases "
	 "quiet-pull",
	 "*", "", 1, false, INNER_REST, GATE_NONE, "inside a container"},
	{"GATEWRAP_0048", "kubectl", "exec", "itq", "cnf", "stdin tty quiet",
	 "container namespace context filename pod-running-timeout kubeconfig cluster", "", 1,
	 false, INNER_REST, GATE_NONE, "inside a container"},
	{"GATEWRAP_0049", "lxc incus", "exec", "tTnQ", "", "*", "cwd env user group mode", "", 1,
	 false, INNER_REST, GATE_NONE, "inside a container"},
	{"GATEWRAP_0050", "distrobox toolbox", "enter|run", "TH", "nce", "*",
	 "name container additional-flags", "", 0, false, INNER_REST, GATE_NONE,
	 "inside a container"},
	{"GATEWRAP_0051", "npx pnpx bunx", "", "yqv", "wr",
	 "yes no no-install quiet bun verbose shell-auto-fallback offline prefer-offline "
	 "prefer-online ignore-existing",
	 "registry cache workspace userconfig prefix", "-c --call", 0, false, INNER_REST, GATE_NONE,
	 NULL},
	{"GATEWRAP_0052", "npm", "exec|x", "yq", "w", "yes no no-install quiet offline",
	 "package registry workspace prefix", "-c --call", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0053", "pnpm", "exec|dlx", "rcs", "C", "*", "dir filter package registry", "", 0,
	 false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0054", "yarn", "exec|dlx", "q", "p", "*", "package", "", 0, false, INNER_REST,
	 GATE_NONE, NULL},
	{"GATEWRAP_0055", "bun", "x", "", "", "*", "", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0056", "uvx", "", "qvn", "pwci", "*",
	 "from with python index-url index directory project with-editable with-requirements "
	 "constraints",
	 "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0057", "uv", "run", "qvnms", "pwic", "*",
	 "with with-editable with-requirements python package group extra env-file index project "
	 "directory no-group only-group",
	 "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0058", "uv", "tool run", "qvn", "pwci", "*", "from with python index-url index",
	 "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0059", "pipx", "run", "qv", "", "*", "spec python index-url pip-args", "", 0,
	 false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0060", "poetry pdm pipenv hatch rye pixi", "run", "qvns", "PCep", "*",
	 "directory project env", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0061", "bundle", "exec", "", "", "*", "", "", 0, false, INNER_REST, GATE_NONE,
	 NULL},
	{"GATEWRAP_0062", "conda mamba micromamba", "run", "v", "np", "*", "name prefix cwd", "", 0,
	 false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0063", "mise rtx", "exec|x", "", "Cjc", "*", "cd jobs command", "-c --command",
	 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0064", "asdf direnv devbox", "exec|run", "", "", "*", "", "", 1, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0065", "cross-env dotenv dotenvx envchain", "", "coiqv", "efp", "*", "env-file",
	 "", 0, true, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0066", "dotenvx op doppler infisical chamber aws-vault", "run|exec", "", "fpce",
	 "*", "env-file project config env path token", "-c --command", 0, true, INNER_REST,
	 GATE_NONE, NULL},
	{"GATEWRAP_0067", "systemd-run", "", "tPqdGSr", "uHMpE", "*",
	 "unit property description slice uid gid nice working-directory setenv on-active on-boot "
	 "on-startup on-unit-active on-unit-inactive on-calendar timer-property path-property "
	 "socket-property service-type",
	 "", 0, false, INNER_REST, GATE_PERSISTENCE, "as a service"},
	{"GATEWRAP_0068", "systemd-inhibit systemd-cat dbus-run-session dbus-launch", "", "", "tp",
	 "*", "what who why mode identifier priority", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0069", "xvfb-run", "", "al", "efnpsw", "*",
	 "error-file auth-file server-num listen-tcp server-args wait", "", 0, false, INNER_REST,
	 GATE_NONE, NULL},
	{"GATEWRAP_0070", "xterm urxvt alacritty kitty gnome-terminal konsole foot wezterm", "", "",
	 "", "*", "", "-e -x --", 0, false, INNER_OPTION, GATE_NONE, NULL},
	{"GATEWRAP_0071", "proxychains proxychains4 torsocks tsocks", "", "q", "f", "", "", "", 0,
	 false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0072", "hyperfine", "", "iN", "wmrMpcsSnLuPD", "*",
	 "warmup min-runs max-runs runs prepare cleanup setup shell command-name export-json "
	 "export-csv export-markdown parameter-list parameter-scan style sort conclude time-unit "
	 "output input reference",
	 "-p --prepare -c --cleanup -s --setup --conclude --reference", 0, false, INNER_TEXT,
	 GATE_NONE, NULL},
	{"GATEWRAP_0073", "concurrently", "", "krng", "mcn", "*",
	 "names prefix prefix-colors max-processes success restart-tries", "", 0, false, INNER_TEXT,
	 GATE_NONE, NULL},
	{"GATEWRAP_0074", "nodemon", "", "qVLIC", "wewirds", "*",
	 "watch ext ignore delay signal config cwd", "-x --exec", 0, false, INNER_OPTION, GATE_NONE,
	 NULL},
	{"GATEWRAP_0075", "watchexec cargo-watch", "", "nrpkcv1", "wefidsNEoS", "*",
	 "watch exts filter ignore delay-run debounce signal shell workdir stop-signal "
	 "stop-timeout",
	 "-x -s --exec --shell-cmd", 0, false, INNER_ONE_TEXT, GATE_NONE, NULL},
	{"GATEWRAP_0076", "git", "bisect run", "", "", "", "", "", 0, false, INNER_REST, GATE_NONE,
	 NULL},
	{"GATEWRAP_0077", "git", "submodule foreach", "q", "", "recursive quiet", "", "", 0, false,
	 INNER_ONE_TEXT, GATE_NONE, NULL},
	{"GATEWRAP_0078", "screen", "", "dmDrRxAUqaln", "cehpsStT", "", "", "", 0, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0079", "ansible", "", "bKkCDov", "iuemMfltvkT", "*",
	 "inventory user extra-vars module-name module-path forks limit become-user", "-a --args",
	 1, false, INNER_OPTION, GATE_NONE, "on other machines"},
	{"GATEWRAP_0080", "vagrant", "ssh|ssh-config", "", "", "*", "", "-c --command", 1, false,
	 INNER_OPTION, GATE_NONE, "inside a machine"},
	{"GATEWRAP_0081", "gcloud", "compute ssh", "", "", "*", "*", "--command", 1, false,
	 INNER_OPTION, GATE_NONE, "on another machine"},
	{"GATEWRAP_0082", "wsl", "", "", "deu", "*", "distribution user cd", "-e --exec", 0, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0083", "cmd", "/c|/C|/k", "", "", "", "", "", 0, false, INNER_TEXT, GATE_NONE,
	 NULL},
	{"GATEWRAP_0084", "rlwrap rlfe tini dumb-init catatonit s6-setuidgid with-contenv", "",
	 "acDhHirRsgv", "bfpFzqCeEmMoOwxP", "*", "", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0085", "scl", "enable", "", "", "", "", "", 1, false, INNER_ONE_TEXT, GATE_NONE,
	 NULL},
	{"GATEWRAP_0086", "ld-linux-x86-64.so.2 ld-linux.so.2 ld.so ld-musl-x86_64.so.1", "", "",
	 "", "*", "library-path preload argv0 audit", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0087", "bwrap", "", "", "", "*", "", "", 0, false, INNER_REST, GATE_NONE,
	 "in a sandbox"},
	{"GATEWRAP_0088", "confine-run", "", "", "", "*", "", "", 0, false, INNER_REST, GATE_NONE,
	 "in a sandbox"},
	{"GATEWRAP_0089", "rush rust-parallel", "", "kvn", "jIiD", "*", "", "", 0, false,
	 INNER_ONE_TEXT, GATE_NONE, NULL},
	{"GATEWRAP_0090", "doppler", "run", "", "pc", "*", "project config", "--command", 0, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0091", "turbo nx lerna", "exec|foreach", "", "", "*", "scope", "", 0, false,
	 INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0092", "winpty stdoutisatty reptyr abduco dtach detach daemonize", "", "acnAzER",
	 "aer", "*", "", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0093", "eatmydata ccache sccache distcc fakechroot", "", "sCczpxVhk", "oFMdXe",
	 "*", "", "", 0, false, INNER_REST, GATE_NONE, NULL},
	{"GATEWRAP_0094", "npm", "explore", "", "", "*", "", "", 1, false, INNER_REST, GATE_NONE,
	 NULL},
};

const struct gate_wrapper *gate_wrappers(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

static bool first_of(const char *sub, struct view word)
{
	size_t n;

	for (;; sub += n + 1) {
		n = 0;
		while (sub[n] && sub[n] != '|' && sub[n] != ' ')
			n++;
		if (n == word.len && word.len && memcmp(sub, word.ptr, n) == 0)
			return true;
		if (sub[n] != '|')
			return false;
	}
}

const struct gate_wrapper *gate_wrapper(struct view name, struct view first_operand)
{
	const struct gate_wrapper *plain = NULL;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!gate_in_list(rows[i].name, name))
			continue;
		if (rows[i].sub[0] == 0) {
			if (!plain)
				plain = &rows[i];
		} else if (first_of(rows[i].sub, first_operand)) {
			return &rows[i];
		}
	}
	return plain;
}
