/* SPDX-License-Identifier: MIT */
/* Options, operands and settings whose value is a program text (file 40, section 12.8).
 * Test: gate-dangerous.cases group G, gate-dangerous-more.cases X220 to X299. */
#include "base/base.h"

#include "policy/gate.h"

static const struct gate_script rows[] = {
	{"GATETEXT_0001", "python", "", "-c", FORM_LANG, LANG_PYTHON},
	{"GATETEXT_0002", "perl", "", "-e -E -M -m", FORM_LANG, LANG_PERL},
	{"GATETEXT_0003", "ruby", "", "-e", FORM_LANG, LANG_RUBY},
	{"GATETEXT_0004", "node", "", "-e -p -pe --eval --print", FORM_LANG, LANG_NODE},
	{"GATETEXT_0005", "ts-node", "", "-e -p --eval --print", FORM_LANG, LANG_NODE},
	{"GATETEXT_0006", "bun", "", "-e -p --eval --print", FORM_LANG, LANG_NODE},
	{"GATETEXT_0007", "deno", "eval", "2", FORM_LANG, LANG_NODE},
	{"GATETEXT_0008", "php", "", "-r -R -B -E --run --process-code", FORM_LANG, LANG_PHP},
	{"GATETEXT_0009", "lua", "", "-e", FORM_LANG, LANG_LUA},
	{"GATETEXT_0010", "rscript", "", "-e", FORM_LANG, LANG_R},
	{"GATETEXT_0011", "osascript", "", "-e", FORM_LANG, LANG_APPLE},
	{"GATETEXT_0012", "awk", "", "1", FORM_LANG, LANG_AWK},
	{"GATETEXT_0013", "awk", "", "-e --source", FORM_LANG, LANG_AWK},
	{"GATETEXT_0014", "sed", "", "1", FORM_LANG, LANG_SED},
	{"GATETEXT_0015", "sed", "", "-e --expression", FORM_LANG, LANG_SED},
	{"GATETEXT_0016", "expect", "", "-c", FORM_LANG, LANG_TCL},
	{"GATETEXT_0017", "emacs", "", "--eval -eval --execute -execute", FORM_LANG, LANG_ELISP},
	{"GATETEXT_0018", "vim", "", "-c --cmd +", FORM_LANG, LANG_VIM},
	{"GATETEXT_0019", "gdb", "", "-ex -iex --ex --iex --eval-command --init-eval-command",
	 FORM_LANG, LANG_GDB},
	{"GATETEXT_0020", "make", "", "--eval", FORM_LANG, LANG_MAKE},
	{"GATETEXT_0021", "pwsh", "", "-c -Command -command", FORM_LANG, LANG_POWERSHELL},
	{"GATETEXT_0022", "tar", "", "--checkpoint-action", FORM_EXEC, LANG_SHELL},
	{"GATETEXT_0023", "tar", "",
	 "--to-command -I --use-compress-program -F --info-script --new-volume-script "
	 "--rmt-command --rsh-command",
	 FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0024", "zip", "", "-TT --unzip-command", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0025", "rsync", "", "-e --rsh --rsync-path", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0026", "ssh", "", "-o", FORM_SSH, LANG_SHELL},
	{"GATETEXT_0027", "scp", "", "-o", FORM_SSH, LANG_SHELL},
	{"GATETEXT_0028", "scp", "", "-S", FORM_PROGRAM, LANG_SHELL},
	{"GATETEXT_0029", "man", "", "-P --pager -p", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0030", "less", "", "+", FORM_BANG, LANG_SHELL},
	{"GATETEXT_0031", "sort-rw", "", "--compress-program", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0032", "split", "", "--filter", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0033", "rg", "", "--pre --hostname-bin", FORM_PROGRAM, LANG_SHELL},
	{"GATETEXT_0034", "git", "rebase", "-x --exec", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0035", "git", "difftool", "-x --extcmd", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0036", "git", "filter-branch",
	 "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --tag-name-filter "
	 "--parent-filter --setup",
	 FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0037", "git", "", "--upload-pack --receive-pack --exec", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0038", "git", "clone", "-u", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0039", "git", "grep", "-O --open-files-in-pager", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0040", "git", "archive", "--exec", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0041", "mapfile", "", "-C", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0042", "complete", "", "-C", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0043", "bind", "", "-x", FORM_BANG, LANG_SHELL},
	{"GATETEXT_0044", "tmux", "new-session", "2 -c", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0045", "tmux", "new", "2", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0046", "tmux", "new-window", "2", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0047", "tmux", "neww", "2", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0048", "tmux", "split-window", "2", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0049", "tmux", "splitw", "2", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0050", "tmux", "run-shell", "2", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0051", "tmux", "run", "2", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0052", "tmux", "respawn-pane", "2", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0053", "tmux", "pipe-pane", "2", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0054", "tmux", "if-shell", "2 3 4", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0055", "tmux", "send-keys", "*", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0056", "tmux", "send", "*", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0057", "screen", "", "-X", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0058", "psql", "", "-c --command", FORM_LANG, LANG_SQL},
	{"GATETEXT_0059", "mysql", "", "-e --execute --init-command", FORM_LANG, LANG_SQL},
	{"GATETEXT_0060", "sqlite", "", "2 3 4 -cmd --cmd", FORM_LANG, LANG_SQL},
	{"GATETEXT_0061", "duckdb", "", "2 3 -c -cmd -s --cmd", FORM_LANG, LANG_SQL},
	{"GATETEXT_0062", "mongo", "", "--eval", FORM_LANG, LANG_SQL},
	{"GATETEXT_0063", "clickhouse", "", "-q --query", FORM_LANG, LANG_SQL},
	{"GATETEXT_0064", "sqlcmd", "", "-Q -q", FORM_LANG, LANG_SQL},
	{"GATETEXT_0065", "cockroach", "", "-e --execute", FORM_LANG, LANG_SQL},
	{"GATETEXT_0066", "bq", "query", "2 3", FORM_LANG, LANG_SQL},
	{"GATETEXT_0067", "redis-cli", "", "--eval", FORM_PROGRAM, LANG_SHELL},
	{"GATETEXT_0068", "nix-shell", "", "--run --command", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0069", "rails", "runner", "2", FORM_LANG, LANG_RUBY},
	{"GATETEXT_0070", "manage.py", "shell", "-c --command", FORM_LANG, LANG_PYTHON},
	{"GATETEXT_0071", "nc", "", "-e -c --exec --sh-exec", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0072", "go", "", "-exec -toolexec -vettool --exec --toolexec", FORM_SHELL,
	 LANG_SHELL},
	{"GATETEXT_0073", "cargo", "", "--config", FORM_BANG, LANG_SHELL},
	{"GATETEXT_0074", "wget", "", "--use-askpass", FORM_PROGRAM, LANG_SHELL},
	{"GATETEXT_0075", "iex", "", "1", FORM_LANG, LANG_POWERSHELL},
	{"GATETEXT_0076", "lldb", "", "-o -O -k -K --one-line --one-line-before-file", FORM_LANG,
	 LANG_GDB},
	{"GATETEXT_0077", "aria2c", "",
	 "--on-download-complete --on-download-start --on-download-error --on-download-stop "
	 "--on-download-pause --on-bt-download-complete",
	 FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0078", "yt-dlp", "", "--exec --exec-before-download", FORM_SHELL, LANG_SHELL},
	{"GATETEXT_0079", "cqlsh", "", "-e --execute", FORM_LANG, LANG_SQL},
	{"GATETEXT_0080", "yarn", "node", "-e -p --eval --print", FORM_LANG, LANG_NODE},
};

const struct gate_script *gate_scripts(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

/* Keys of git's configuration whose value git runs: true for a command, bang: only after "!". */
static const struct {
	const char *key;
	bool bang;
} keys[] = {
	{"alias.*", true},
	{"core.pager", false},
	{"core.editor", false},
	{"core.sshcommand", false},
	{"core.fsmonitor", false},
	{"core.askpass", false},
	{"core.gitproxy", false},
	{"core.alternaterefscommand", false},
	{"sequence.editor", false},
	{"pager.*", false},
	{"diff.external", false},
	{"diff.*.textconv", false},
	{"diff.*.command", false},
	{"merge.*.driver", false},
	{"filter.*.clean", false},
	{"filter.*.smudge", false},
	{"filter.*.process", false},
	{"difftool.*.cmd", false},
	{"mergetool.*.cmd", false},
	{"credential.helper", true},
	{"credential.*.helper", true},
	{"gpg.program", false},
	{"gpg.*.program", false},
	{"uploadpack.packobjectshook", false},
	{"remote.*.uploadpack", false},
	{"remote.*.receivepack", false},
	{"remote.*.proxy", false},
	{"trailer.*.command", false},
	{"trailer.*.cmd", false},
	{"submodule.*.update", true},
	{"browser.*.cmd", false},
	{"man.*.cmd", false},
	{"web.browser", false},
	{"interactive.difffilter", false},
	{"sendemail.*cmd", false},
	{"tar.*.command", false},
	{"ssh.variant", false},
	{"protocol.ext.allow", false},
};

bool gate_git_key_runs(struct view key, bool *ret_bang_only)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (gate_glob(keys[i].key, key, true)) {
			*ret_bang_only = keys[i].bang;
			return true;
		}
	return false;
}

bool gate_git_key_guards(struct view key)
{
	return gate_glob("core.hookspath", key, true) || gate_glob("hook.*", key, true) ||
	       gate_glob("include.path", key, true) || gate_glob("includeif.*", key, true) ||
	       gate_glob("safe.directory", key, true);
}
