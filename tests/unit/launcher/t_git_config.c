/* SPDX-License-Identifier: MIT */
/* Keys of a git configuration that name programs. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "launcher/git_config.h"

static size_t count(const char *text)
{
	struct strings keys = {0};
	struct errctx e = {0};
	size_t n;

	cr_assert_eq(git_config_running_keys(view_of(text), "/p/.git/config", &keys, &e), 0);
	n = keys.n;
	strings_release(&keys);
	return n;
}

Test(git_config, harmless)
{
	cr_assert_eq(count(""), 0u);
	cr_assert_eq(count("[core]\n\trepositoryformatversion = 0\n\tbare = false\n"), 0u);
	cr_assert_eq(count("[remote \"origin\"]\n\turl = x\n\tfetch = +refs/*\n[alias]\n\tco = "
			   "checkout\n"),
		     0u);
	cr_assert_eq(count("# [core]\n; hooksPath = x\n[user]\n\tname = sshCommand\n"), 0u);
}

Test(git_config, programs)
{
	cr_assert_eq(count("[core]\n\thooksPath = /tmp/x\n"), 1u);
	cr_assert_eq(count("[CORE]\nSSHCommand=x\n"), 1u);
	cr_assert_eq(count("[core] fsmonitor = ./x\n"), 1u);
	cr_assert_eq(count("[filter \"a.b\"]\n clean = x\n smudge = y\n"), 2u);
	cr_assert_eq(count("[filter.lfs]\n process = x\n"), 1u);
	cr_assert_eq(count("[alias]\n x = !touch /tmp/x\n y = \"!z\"\n"), 2u);
	cr_assert_eq(count("[include]\npath=../../x\n[includeIf \"gitdir:/a\"]\npath=y\n"), 2u);
	cr_assert_eq(count("[diff \"x\"]\ntextconv = y\n[merge \"m\"]\ndriver = z\n"), 2u);
	cr_assert_eq(count("\xef\xbb\xbf[core]\npager=x\n"), 1u);
	cr_assert_eq(count("[core\nhooksPath = x\n"), 1u, "a broken section is reported");
	cr_assert_eq(count("[user]\nname = a\\\n[core]\nhooksPath = x\n"), 0u,
		     "the first line goes on");
}

/* Each of these hides a key from a reader that joins or ends lines elsewhere than git does. What
 * git itself sees is asked of it by tests/escape/git.tap. */
Test(git_config, hidden_from_a_careless_reader)
{
	static const char *const texts[] = {
		"# a comment doesn't go on \\\n[core]\nfsmonitor = x\n",
		"[user]\nname = a # nor does one behind a value \\\n[core]\nfsmonitor = x\n",
		"[user]\nname = a\\\\\n[core]\nfsmonitor = x\n",
		"[core]\r\neditor-x = a\\\r\n[user]\r\nfsmonitor = x\r\n",
		"[user][core]fsmonitor = x\n",
		"[user] name = a\n[core \"x\"] fsmonitor = x\n",
		"[core]\nfsmonitor\t= x",
		"[core]\n\tfsmonitor\n",
		"[alias]\nst = \"\"!x\n",
		"[alias]\nst = \\\n  !x\n",
		"[alias]\nst = \"\\\n!x\"\n",
		"[alias] # x\nst = !x\n",
		"[user] name = \"a;\"; [core]\n[core]fsmonitor=x\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		cr_assert_eq(count(texts[i]), 1u, "%s", texts[i]);
}

Test(git_config, what_git_does_not_see)
{
	cr_assert_eq(count("[user]\nname = a \\\r\n[core]\r\nhooksPath = x\r\n"), 0u);
	cr_assert_eq(count("[user]\nname = \"[core]\\nhooksPath = x\"\n"), 0u);
	cr_assert_eq(count("[alias]\nst = status \"!x\"\n"), 0u);
}

Test(git_config, unreadable)
{
	static const char *const texts[] = {
		"[core",
		"[core\n]",
		"[core \"x\"y]",
		"[core \"x\ny\"]",
		"[user]\nname = \"a\n",
		"[user]\nname = \\x\n",
		"[user]\nname = a\\",
		"[user]\n1 = a\n",
		"[user]\nname a\n",
		"[c_re]\n",
		"=\n",
		"[user]\nname.x = y\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		cr_assert_eq(count(texts[i]), 1u, "%s", texts[i]);
}
