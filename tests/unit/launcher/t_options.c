/* SPDX-License-Identifier: MIT */
/* The command line: every refusal names its option; nothing is accepted twice over. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "launcher/options.h"

#define MAX_WORDS 16

static int parse(struct options *o, struct errctx *e, const char *const *words)
{
	static char *argv[MAX_WORDS + 2];
	int n = 1;

	argv[0] = (char *)(uintptr_t) "confine-run";
	for (; words[n - 1]; n++)
		argv[n] = (char *)(uintptr_t)words[n - 1];
	argv[n] = NULL;
	*e = (struct errctx){0};
	return options_parse(n, argv, NULL, o, e);
}
#define W(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(options, defaults_of_presets)
{
	struct options o;
	struct errctx e;

	cr_assert_eq(parse(&o, &e, W("--", "true")), 0);
	cr_assert_eq(o.preset, PRESET_AGENT);
	cr_assert_eq(o.egress, EGRESS_DENY);
	cr_assert_eq(o.git, GIT_PROTECT_HOOKS);
	cr_assert_eq(o.home, HOME_RO);
	cr_assert_str_eq(o.command[0], "true");
	options_release(&o);
	cr_assert_eq(
		parse(&o, &e, W("--git-protect", "hooks", "--preset", "command", "--", "true")), 0);
	cr_assert_eq(o.home, HOME_PRIVATE);
	cr_assert_eq(o.sockets, SOCKETS_NONE);
	cr_assert_eq(o.git, GIT_PROTECT_HOOKS,
		     "an explicit value beats the preset, whatever the order");
	options_release(&o);
}

static void refused(const char *names, const char *const *words)
{
	struct options o;
	struct errctx e;
	int r = parse(&o, &e, words);

	if (r == 0) {
		r = options_check(&o, &e);
		options_release(&o);
	}
	cr_assert_eq(r, E_USAGE, "%s was accepted", names);
	cr_assert(strstr(e.text, names), "\"%s\" should name %s", e.text, names);
}

Test(options, refusals_name_the_option)
{
	refused("no command", W("--scratch", "/p"));
	refused("no command", W("--scratch", "/p", "--"));
	refused("--scratch", W("--scratch"));
	refused("--scratch", W("--scratch", "", "--", "x"));
	refused("unknown argument", W("--scratch=/p", "--", "x"));
	refused("unknown argument", W("x"));
	refused("--egress", W("--egress", "open", "--", "x"));
	refused("--egress proxy", W("--egress", "proxy", "--", "x"));
	refused("--proxy", W("--egress", "proxy", "--netns", "n", "--proxy", "a:0", "--", "x"));
	refused("--proxy", W("--egress", "proxy", "--netns", "n", "--proxy", "a:65536", "--", "x"));
	refused("--setenv", W("--setenv", "A", "--", "x"));
	refused("--setenv", W("--setenv", "1A=b", "--", "x"));
	refused("--env-allow", W("--env-allow", "", "--", "x"));
	refused("--env-allow", W("--env-allow", "A-B", "--", "x"));
	refused("--env-allow", W("--env-allow", "LD_PRELOAD", "--", "x"));
	refused("--env-allow", W("--env-allow", "GIT_SSH", "--", "x"));
	refused("--cpu-max", W("--cpu-max", "00", "--", "x"));
	refused("--cpu-max", W("--cpu-max", "-1", "--", "x"));
	refused("--mem-max", W("--mem-max", "1e3", "--", "x"));
	refused("--nproc-max", W("--nproc-max", "99999999999999999999999", "--", "x"));
	refused("--report-fd", W("--report-fd", "0", "--", "x"));
	refused("--args", W("--args", "3", "--", "x"));
	refused("--overlay-upper", W("--overlay-upper", "/u", "--", "x"));
	refused("--overlay and --read-only", W("--overlay", "/p", "--read-only", "/p", "--", "x"));
	refused("--changes", W("--changes", "--", "x"));
	refused("--home-read", W("--home-read", "/h", "--", "x"));
	refused("empty word", W("--", ""));
}

Test(options, numbers_are_exact)
{
	struct options o;
	struct errctx e;

	cr_assert_eq(parse(&o, &e, W("--cpu-max", "007", "--", "x")), 0);
	cr_assert_eq(o.cpu_max, 7u);
	options_release(&o);
}

Test(options, harmless_git_names_pass)
{
	struct options o;
	struct errctx e;

	cr_assert_eq(parse(&o, &e, W("--env-allow", "GIT_AUTHOR_NAME", "--", "x")), 0);
	cr_assert_eq(options_check(&o, &e), 0, "%s", e.text);
	options_release(&o);
}

Test(options, words_after_the_end_mark_belong_to_the_command)
{
	struct options o;
	struct errctx e;

	cr_assert_eq(parse(&o, &e, W("--", "ls", "--check", "--")), 0);
	cr_assert_eq(o.mode, MODE_RUN);
	cr_assert_str_eq(o.command[2], "--");
	options_release(&o);
}

static int from_fd(const char *text, char **ret, size_t *ret_n, struct errctx *e)
{
	static const char words[] = "--writable\0/a b\0--egress\0host";

	(void)e;
	cr_assert_str_eq(text, "9");
	*ret = malloc(sizeof(words));
	memcpy(*ret, words, sizeof(words));
	*ret_n = sizeof(words);
	return 0;
}

Test(options, args_from_a_descriptor)
{
	struct options o;
	struct errctx e = {0};
	char *argv[] = {(char *)(uintptr_t) "confine-run", (char *)(uintptr_t) "--args",
			(char *)(uintptr_t) "9",	   (char *)(uintptr_t) "--",
			(char *)(uintptr_t) "x",	   NULL};

	cr_assert_eq(options_parse(5, argv, from_fd, &o, &e), 0, "%s", e.text);
	cr_assert_eq(o.writable.n, 1u);
	cr_assert_str_eq(o.writable.v[0], "/a b");
	cr_assert_eq(o.egress, EGRESS_HOST);
	options_release(&o);
}

Test(options, proxy_addresses)
{
	struct view host;
	unsigned port;

	cr_assert_eq(options_split_proxy("127.0.0.1:8443", &host, &port), 0);
	cr_assert_eq(port, 8443u);
	cr_assert_eq(options_split_proxy("[::1]:80", &host, &port), 0);
	cr_assert(view_is(host, "::1"));
	cr_assert_eq(options_split_proxy("::1:80", &host, &port), E_SYNTAX);
	cr_assert_eq(options_split_proxy("a", &host, &port), E_SYNTAX);
	cr_assert_eq(options_split_proxy("a:", &host, &port), E_SYNTAX);
	cr_assert_eq(options_split_proxy("a:+1", &host, &port), E_SYNTAX);
}
