/* SPDX-License-Identifier: MIT */
/* Profiles L and R by their meaning: operation and path to allow or deny. */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include "tests/unit/launcher/seatbelt_rig.h"

static const struct question launch_questions[] = {
	{"file-write-create", "/Volumes/u/work/p/new", true},
	{"file-write-data", "/Volumes/u/work/p/src/main.c", true},
	{"file-write-create", "/Volumes/u/other (1)/x", true},
	{"file-write-create", "/Volumes/u/otherX(1)/x", false},
	{"file-write-create", "/private/tmp/x", true},
	{"file-write-create", "/private/var/folders/ab/x", true},
	{"file-write-data", "/dev/null", true},
	{"file-write-data", "/dev/disk0", false},
	{"file-write-create", "/Volumes/u/work/px", false},
	{"file-write-create", "/Volumes/u/.zshrc", false},
	{"file-write-data", "/etc/passwd", false},
	{"file-write-create", "/x", false},
	/* protected */
	{"file-write-data", "/Volumes/u/work/p/.claude/settings.json", false},
	{"file-write-unlink", "/Volumes/u/work/p/.claude", false},
	{"file-write-data", "/Volumes/u/work/p/.goose/recipes/references/agent-privilege.json",
	 false},
	{"file-write-unlink", "/Volumes/u/work/p/.goose/recipes", false},
	{"file-write-create", "/Volumes/u/work/p/.goose/recipes/new.yaml", true},
	/* guards, whatever the case */
	{"file-write-create", "/Volumes/u/work/p/.Claude", false},
	{"file-write-create", "/Volumes/u/work/p/.CLAUDE/hooks/x", false},
	{"file-write-create", "/Volumes/u/work/p/.claudette", true},
	{"file-write-create", "/Volumes/u/work/p/.GIT/Hooks/pre-commit", false},
	{"file-write-create", "/Volumes/u/work/p/.git/objects/ab", true},
	{"file-write-create", "/Volumes/u/work/P/.claude", false}, /* not below a root at all */
	/* roots and what is above them can't be renamed */
	{"file-write-unlink", "/Volumes/u/work/p", false},
	{"file-write-unlink", "/private/tmp/coord", false},
	{"file-write-unlink", "/private/tmp", false},
	{"file-write-create", "/private/tmp/coord/x", true},
	/* masks */
	{"file-read-data", "/Volumes/u/.ssh/id_ed25519", false},
	{"file-read-metadata", "/Volumes/u/.ssh", false},
	{"file-read-data", "/Volumes/u/.sshx", true},
	{"file-read-data", "/Volumes/u/work/p/secrets/live/k", false},
	{"file-write-create", "/Volumes/u/work/p/secrets/live/k", false},
	{"file-write-unlink", "/Volumes/u/work/p/secrets/live", false},
	{"file-write-unlink", "/Volumes/u/work/p/secrets", false},
	{"file-write-create", "/Volumes/u/work/p/secrets/other", true},
	{"file-read-data", "/Volumes/u/work/p/secrets/other", true},
	/* programs, network */
	{"process-exec", "/usr/bin/sudo", false},
	{"process-exec", "/usr/bin/make", true},
	{"network-outbound", "example.com:443", false},
	{"network-outbound", "localhost:8443", false},
	{"network-bind", "localhost:1", false},
};

Test(seatbelt_profile, launcher)
{
	auto_seatbelt_profile struct seatbelt_profile *p = launch_profile(&sample_launch);

	ask_all(p, NULL, launch_questions, ARRAY_LEN(launch_questions));
}

Test(seatbelt_profile, each_egress_mode)
{
	struct seatbelt_launch l = sample_launch;
	struct seatbelt_profile *p;
	static const struct question proxy[] = {
		{"network-outbound", "localhost:8443", true},
		{"network-outbound", "127.0.0.1:8443", true},
		{"network-outbound", "localhost:8444", false},
		{"network-outbound", "example.com:8443", false},
	};
	static const struct question host[] = {{"network-outbound", "example.com:443", true}};

	l.egress = SEATBELT_EGRESS_PROXY;
	l.proxy_host = "127.0.0.1";
	l.proxy_port = 8443;
	p = launch_profile(&l);
	ask_all(p, NULL, proxy, ARRAY_LEN(proxy));
	seatbelt_profile_free(p);
	l.egress = SEATBELT_EGRESS_HOST;
	p = launch_profile(&l);
	ask_all(p, NULL, host, ARRAY_LEN(host));
	seatbelt_profile_free(p);
}

Test(seatbelt_profile, a_private_temporary_folder_replaces_the_common_trees)
{
	struct seatbelt_launch l = {.scratch = "/Volumes/u/p",
				    .tmp = "/private/var/folders/zz/T/run-1",
				    .egress = SEATBELT_EGRESS_DENY};
	auto_seatbelt_profile struct seatbelt_profile *p = launch_profile(&l);
	static const struct question q[] = {
		{"file-write-create", "/private/var/folders/zz/T/run-1/x", true},
		{"file-write-create", "/private/var/folders/zz/T/run-2/x", false},
		{"file-write-create", "/private/tmp/x", false},
		{"file-write-unlink", "/Volumes/u/p",
		 true}, /* nothing protected: nothing to lock */
	};

	ask_all(p, NULL, q, ARRAY_LEN(q));
}

static int refusal(const struct seatbelt_launch *l)
{
	auto_buf struct buf out = {0};
	struct errctx e = {0};
	int rc;

	buf_init(&out, SEATBELT_MAX_INLINE);
	rc = seatbelt_launch_profile(l, &out, &e);
	if (rc)
		cr_assert_eq(out.len, 0, "nothing is written before everything is checked");
	return rc;
}

Test(seatbelt_profile, what_a_launch_may_not_ask)
{
	struct seatbelt_launch l = {.egress = SEATBELT_EGRESS_DENY};
	static const char *const bad[] = {"/a\"b", "/a\\b",   "/a\nb", "/tmp/x",
					  "rel",   "/a/../b", "/"};
	const char *one[1];
	struct seatbelt_list *lists[] = {&l.writable, &l.protect, &l.ancestors, &l.guards,
					 &l.masks};

	cr_assert_eq(refusal(&l), E_MISSING);
	l.scratch = "/s";
	cr_assert_eq(refusal(&l), 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		l.scratch = bad[i];
		cr_assert_neq(refusal(&l), 0, "scratch %s", bad[i]);
		l.scratch = "/s";
		one[0] = bad[i];
		for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
			*lists[k] = (struct seatbelt_list){one, 1};
			cr_assert_neq(refusal(&l), 0, "list %zu %s", k, bad[i]);
			*lists[k] = (struct seatbelt_list){NULL, 0};
		}
	}
	l.egress = SEATBELT_EGRESS_PROXY;
	l.proxy_port = 8443;
	cr_assert_eq(refusal(&l), E_DENIED);
	l.proxy_host = "10.0.0.1";
	cr_assert_eq(refusal(&l), E_DENIED);
	l.proxy_host = "::1";
	cr_assert_eq(refusal(&l), E_DENIED);
	l.proxy_host = "*";
	cr_assert_eq(refusal(&l), E_DENIED);
	l.proxy_host = "localhost";
	cr_assert_eq(refusal(&l), 0);
	l.proxy_port = 0;
	cr_assert_eq(refusal(&l), E_RANGE);
	l.proxy_port = 65536;
	cr_assert_eq(refusal(&l), E_RANGE);
	l.egress = (enum seatbelt_egress)0;
	cr_assert_eq(refusal(&l), E_INTERNAL);
	l.egress = SEATBELT_EGRESS_DENY;
	one[0] = "/";
	l.masks = (struct seatbelt_list){one, 1};
	cr_assert_neq(refusal(&l), 0);
	one[0] = "/s";
	cr_assert_eq(refusal(&l), E_DENIED,
		     "a mask over a root would hide the root and lose the writes");
}

Test(seatbelt_profile, many_roots_fit_and_too_many_are_refused)
{
	static char names[5000][40];
	static const char *v[5000];
	struct seatbelt_launch l = {.scratch = "/s", .egress = SEATBELT_EGRESS_DENY};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		(void)snprintf(names[i], sizeof(names[i]), "/Volumes/u/root-number-%05zu", i);
		v[i] = names[i];
	}
	l.writable = (struct seatbelt_list){v, 1000};
	cr_assert_eq(refusal(&l), 0);
	{
		auto_buf struct buf out = {0};

		buf_init(&out, 4 * SEATBELT_MAX_INLINE);
		l.writable.n = 5000;
		cr_assert_eq(seatbelt_launch_profile(&l, &out, NULL), E_TOOBIG);
	}
}

static const struct question command_questions[] = {
	{"file-write-create", "/private/var/folders/zz/run-1/x", true},
	{"file-write-create", "/private/tmp/x", false},
	{"file-write-create", "/Volumes/u/work/p/build/x.o", true},
	{"file-write-create", "/Volumes/u/work/p/src/x.c", false},
	{"file-write-data", "/dev/tty", true},
	{"file-write-unlink", "/Volumes/u/work/p", false},
	{"file-write-create", "/Volumes/u/work/p/build/.git/hooks/x", false},
	{"file-write-create", "/Volumes/u/work/p/build/x/.GIT", false},
	{"file-write-create", "/Volumes/u/work/p/build/x/.Git/config", false},
	{"file-write-create", "/Volumes/u/work/p/build/.gitignore", true},
	{"file-write-create", "/Volumes/u/work/p/build/xgit/y", true},
	{"file-read-data", "/Volumes/u/.config/agentteams/keys/k", false},
	{"file-read-data", "/Volumes/u/.config/agentteams/brief.json", true},
	{"process-exec", "/usr/bin/make", true},
	{"process-exec", "/Library/Developer/CommandLineTools/usr/bin/clang", true},
	{"process-exec", "/Volumes/u/work/p/build/a.out", false},
	{"process-exec", "/usr/local/bin/node", false},
	{"process-exec", "/binx", false},
	{"network-outbound", "example.com:443", true},
};

Test(seatbelt_profile, command)
{
	auto_seatbelt_profile struct seatbelt_profile *p = command_profile(&sample_command);

	ask_all(p, NULL, command_questions, ARRAY_LEN(command_questions));
}

/* A write root that is the project: the seven names stay closed in every spelling. */
Test(seatbelt_profile, command_that_may_write_the_project)
{
	struct seatbelt_command c = sample_command;
	static const char *const root[] = {"/Volumes/u/work/p"};
	static const struct question q[] = {
		{"file-write-create", "/Volumes/u/work/p/x", true},
		{"file-write-create", "/Volumes/u/work/p/.agentteams/x", false},
		{"file-write-create", "/Volumes/u/work/p/.AgentTeams-Queue/x", false},
		{"file-write-create", "/Volumes/u/work/p/.Claude", false},
		{"file-write-create", "/Volumes/u/work/p/.goose", false},
		{"file-write-create", "/Volumes/u/work/p/.codex/config.toml", false},
		{"file-write-create", "/Volumes/u/work/p/.GitHub/workflows/x", false},
		{"file-write-create", "/Volumes/u/work/p/sub/.claude", true},
		{"file-write-create", "/Volumes/u/work/p/.agentteamsx", true},
		{"file-write-unlink", "/Volumes/u/work/p", false},
	};
	struct seatbelt_profile *p;

	c.writable = (struct seatbelt_list){root, 1};
	p = command_profile(&c);
	ask_all(p, NULL, q, ARRAY_LEN(q));
	seatbelt_profile_free(p);
}

Test(seatbelt_profile, what_a_command_may_not_ask)
{
	struct seatbelt_command c = sample_command;
	auto_buf struct buf out = {0};
	static const char *const bad[] = {"/bin\"", NULL};

	buf_init(&out, SEATBELT_MAX_INLINE);
	c.programs.n = 0;
	cr_assert_eq(seatbelt_command_profile(&c, &out, NULL), E_MISSING);
	c = sample_command;
	c.programs = (struct seatbelt_list){bad, 1};
	cr_assert_eq(seatbelt_command_profile(&c, &out, NULL), E_SYNTAX);
	c = sample_command;
	c.keys = NULL;
	cr_assert_eq(seatbelt_command_profile(&c, &out, NULL), E_MISSING);
	c = sample_command;
	c.project = "/Volumes/u/a\x7f";
	cr_assert_eq(seatbelt_command_profile(&c, &out, NULL), E_SYNTAX);
	cr_assert_eq(out.len, 0);
}

/* ---- for any set of roots and protected paths ---- */

static uint32_t seed = 7;
static unsigned rnd(unsigned below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 16) % below;
}

static void random_path(char *out, size_t size)
{
	static const char *const top[] = {"/Volumes/u", "/private/tmp", "/private/var/folders/ab",
					  "/Volumes/d", "/opt"};
	size_t n = (size_t)snprintf(out, size, "%s", top[rnd(5)]);

	for (unsigned depth = 1 + rnd(4); depth > 0; depth--)
		n += (size_t)snprintf(out + n, size - n, "/%c", 'a' + (int)rnd(3));
}

Test(seatbelt_profile, properties_of_random_policies)
{
	static char names[12][120];
	static char child[160];
	const char *v[12];

	for (int round = 0; round < 400; round++) {
		struct seatbelt_launch l = {.egress = SEATBELT_EGRESS_DENY};
		auto_buf struct buf text = {0};
		struct seatbelt_profile *p;

		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			random_path(names[i], 80);
			v[i] = names[i];
		}
		l.scratch = v[0];
		l.writable = (struct seatbelt_list){v + 1, rnd(4)};
		for (size_t i = 5; i < 8; i++) /* protected: below scratch */
			(void)snprintf(names[i], sizeof(names[i]), "%s/P%zu/q", v[0], i);
		(void)snprintf(names[8], sizeof(names[8]), "%s/P5", v[0]); /* an ancestor */
		(void)snprintf(names[9], sizeof(names[9]), "%s/mask", v[0]);
		l.protect = (struct seatbelt_list){v + 5, 1 + rnd(3)};
		l.ancestors = (struct seatbelt_list){v + 8, 1};
		l.masks = (struct seatbelt_list){v + 9, 1};
		buf_init(&text, SEATBELT_MAX_INLINE);
		cr_assert_eq(seatbelt_launch_profile(&l, &text, NULL), 0);
		p = parsed(&text);
		for (size_t i = 0; i < l.protect.n; i++) {
			static const char *const writes[] = {"file-write-data", "file-write-create",
							     "file-write-unlink", "file-write-mode",
							     "file-write-xattr"};

			for (size_t k = 0; k < ARRAY_LEN(writes); k++) {
				cr_assert_eq(seatbelt_eval(p, NULL, writes[k], l.protect.v[i]),
					     VERDICT_DENY);
				(void)snprintf(child, sizeof(child), "%s/below", l.protect.v[i]);
				cr_assert_eq(seatbelt_eval(p, NULL, writes[k], child),
					     VERDICT_DENY);
			}
		}
		for (size_t i = 0; i <= l.writable.n; i++) {
			(void)snprintf(child, sizeof(child), "%s/ordinary", v[i]);
			cr_assert_eq(seatbelt_eval(p, NULL, "file-write-create", child),
				     VERDICT_ALLOW, "%s", buf_text(&text));
			cr_assert_eq(seatbelt_eval(p, NULL, "file-write-unlink", v[i]),
				     VERDICT_DENY);
		}
		(void)snprintf(child, sizeof(child), "%s/new", l.ancestors.v[0]);
		cr_assert_eq(seatbelt_eval(p, NULL, "file-write-unlink", l.ancestors.v[0]),
			     VERDICT_DENY);
		cr_assert_eq(seatbelt_eval(p, NULL, "file-write-create", child), VERDICT_ALLOW);
		cr_assert_eq(seatbelt_eval(p, NULL, "file-read-data", l.masks.v[0]), VERDICT_DENY);
		seatbelt_profile_free(p);
	}
}
