/* SPDX-License-Identifier: MIT */
/* Profile G: entries of a brief, meaning of the rules, the switch in live files, the wiring check.
 */
#include "base/base.h"

#include "launcher/seatbelt_goose.h"

#include "tests/unit/launcher/seatbelt_rig.h"

static const struct seatbelt_params here = {"/Volumes/u/work/p", "/Volumes/u"};

static const struct {
	const char *in;
	int rc;
	const char *param, *rest;
} entries[] = {
	{".", 0, "WORKSPACE_ROOT", ""},
	{"./", 0, "WORKSPACE_ROOT", ""},
	{"./.", 0, "WORKSPACE_ROOT", ""},
	{"src", 0, "WORKSPACE_ROOT", "/src"},
	{"./src", 0, "WORKSPACE_ROOT", "/src"},
	{"src/", 0, "WORKSPACE_ROOT", "/src"},
	{"a/b", 0, "WORKSPACE_ROOT", "/a/b"},
	{"x/./y", 0, "WORKSPACE_ROOT", "/x/y"},
	{"a..b", 0, "WORKSPACE_ROOT", "/a..b"},
	{"~/x", 0, "HOME_DIR", "/x"},
	{"~//x/", 0, "HOME_DIR", "/x"},
	{"/srv/x", 0, NULL, "/srv/x"},
	{"//srv//x", 0, NULL, "/srv/x"},
	{"", E_SYNTAX, NULL, NULL},
	{"a\"b", E_SYNTAX, NULL, NULL},
	{"a\\b", E_SYNTAX, NULL, NULL},
	{"a\tb", E_SYNTAX, NULL, NULL},
	{"a\x7f", E_SYNTAX, NULL, NULL},
	{"a\xff", E_SYNTAX, NULL, NULL},
	{"a/../b", E_SYNTAX, NULL, NULL},
	{"../x", E_SYNTAX, NULL, NULL},
	{"..", E_SYNTAX, NULL, NULL},
	{"/", E_SYNTAX, NULL, NULL},
	{"//", E_SYNTAX, NULL, NULL},
	{"/.", E_SYNTAX, NULL, NULL},
	{"~", E_SYNTAX, NULL, NULL},
	{"~/", E_SYNTAX, NULL, NULL},
	{"~/.", E_SYNTAX, NULL, NULL},
	{"~user/x", E_SYNTAX, NULL, NULL},
	{"/tmp/x", E_LINK, NULL, NULL},
};

Test(seatbelt_goose, entries_are_normalised_or_refused)
{
	for (size_t i = 0; i < ARRAY_LEN(entries); i++) {
		struct goose_entry got;
		struct errctx e = {0};
		int rc = seatbelt_goose_entry(view_of(entries[i].in), &got, &e);

		cr_assert_eq(rc, entries[i].rc, "%s: %d %s", entries[i].in, rc, e.text);
		if (rc)
			continue;
		cr_assert_eq(got.param == NULL, entries[i].param == NULL);
		if (got.param)
			cr_assert_str_eq(got.param, entries[i].param);
		cr_assert_str_eq(got.rest, entries[i].rest);
	}
}

static const struct question confined[] = {
	{"file-write-create", "/Volumes/u/work/p/x", true},
	{"file-write-create", "/Volumes/u/work/px", false},
	{"file-write-create", "/Volumes/u/x", false},
	{"file-write-create", "/private/tmp/x", true},
	{"file-write-data", "/Volumes/u/work/p/.goose/recipes/references/agent-privilege.json",
	 false},
	{"file-write-unlink", "/Volumes/u/work/p/.goose/recipes/references/build-log.json", false},
	{"file-write-create", "/Volumes/u/work/p/.claude/hooks/x", false},
	{"file-write-unlink", "/Volumes/u/work/p/.goose", false},
	{"file-write-unlink", "/Volumes/u/work/p/.goose/recipes/references", false},
	{"file-write-create", "/Volumes/u/work/p/.goose/recipes/new.yaml", true},
	{"file-write-create", "/Volumes/u/work/p/.github", true},
	{"file-write-create", "/Volumes/u/work/p/.github/workflows/x", true},
	{"file-write-create", "/Volumes/u/work/p/.github/agents/references/agent-privilege.json",
	 false},
	{"file-write-create", "/Volumes/u/work/p/.codex", false},
	{"file-write-create", "/Volumes/u/work/p/.codex/config.toml", false},
	{"file-write-create", "/Volumes/u/work/p/.codex/agents/x.toml", true},
	{"file-write-create", "/Volumes/u/work/p/references", true},
	{"file-write-create", "/Volumes/u/work/p/references/security-approvers.txt", false},
	{"file-write-create", "/Volumes/u/work/p/.agentteams/x", true},
	{"file-write-create", "/Volumes/u/.config/agentteams/keys/x", false},
	{"file-read-data", "/Volumes/u/.config/agentteams/keys/x", false},
	{"file-read-data", "/Volumes/u/.config/agentteams/old.pem", false},
	{"file-read-data", "/Volumes/u/.config/agentteams/deny.list", true},
	{"file-read-data", "/Volumes/u/.ssh/id", true},
	{"network-outbound", "example.com:443", true},
};

Test(seatbelt_goose, confined_profile)
{
	auto_seatbelt_profile struct seatbelt_profile *p = goose_profile(&sample_goose);

	ask_all(p, &here, confined, ARRAY_LEN(confined));
}

Test(seatbelt_goose, exclusive_profile_team_and_ledger)
{
	static const char *const roots[] = {"src", "~/cache", "/Volumes/d/x"};
	static const char *const hidden[] = {"~/.ssh", "secrets", "/opt/keys"};
	struct seatbelt_goose g = {.network = SEATBELT_GOOSE_CLOSED,
				   .roots = {roots, 3},
				   .hidden = {hidden, 3},
				   .endpoint = "localhost:8443",
				   .copilot_team = true,
				   .ledger = true,
				   .home = "/Volumes/u"};
	static const struct question q[] = {
		{"file-write-create", "/Volumes/u/work/p/src/x", true},
		{"file-write-create", "/Volumes/u/work/p/x", false},
		{"file-write-create", "/Volumes/u/cache/x", true},
		{"file-write-create", "/Volumes/d/x/y", true},
		{"file-read-data", "/Volumes/u/.ssh/id", false},
		{"file-read-data", "/Volumes/u/work/p/secrets/x", false},
		{"file-read-data", "/opt/keys/k", false},
		{"file-read-data", "/Volumes/u/work/p/src/x", true},
		{"network-outbound", "localhost:8443", true},
		{"network-outbound", "localhost:8444", false},
		{"network-outbound", "example.com:8443", false},
		{"file-write-create", "/Volumes/u/work/p/.agentteams/ledger", false},
		{"file-write-create", "/Volumes/u/work/p/.github", false},
	};
	struct seatbelt_profile *p = goose_profile(&g);

	ask_all(p, &here, q, ARRAY_LEN(q));
	seatbelt_profile_free(p);
	g.roots = (struct seatbelt_list){NULL, 0};
	p = goose_profile(&g);
	cr_assert_eq(
		seatbelt_eval(p, &here, "file-write-create", "/Volumes/u/work/p/.goose/recipes/x"),
		VERDICT_DENY);
	cr_assert_eq(seatbelt_eval(p, &here, "file-write-create", "/Volumes/u/work/p/x"),
		     VERDICT_ALLOW);
	seatbelt_profile_free(p);
}

static const struct {
	const char *endpoint;
	bool ok;
} endpoints[] = {
	{"localhost:8443", true},
	{"localhost:1", true},
	{"localhost:65535", true},
	{"localhost", false},
	{"*", false},
	{"*:8443", false},
	{"localhost:*", false},
	{"localhost:0", false},
	{"localhost:65536", false},
	{"localhost:08", false},
	{"127.0.0.1:8443", false},
	{"localhost:\xd9\xa1", false},
	{"localhost:8443\"", false},
	{"localhost:8443)(allow default)", false},
	{"", false},
	{"LOCALHOST:1", false},
};

Test(seatbelt_goose, an_endpoint_that_could_reopen_everything_stays_out)
{
	for (size_t i = 0; i < ARRAY_LEN(endpoints); i++) {
		struct seatbelt_goose g = {.network = SEATBELT_GOOSE_CLOSED,
					   .endpoint = endpoints[i].endpoint};
		auto_seatbelt_profile struct seatbelt_profile *p = goose_profile(&g);

		cr_assert_eq(seatbelt_goose_endpoint_ok(endpoints[i].endpoint), endpoints[i].ok,
			     "%s", endpoints[i].endpoint);
		cr_assert_eq(seatbelt_eval(p, &here, "network-outbound", "example.com:443"),
			     VERDICT_DENY);
		if (endpoints[i].ok)
			cr_assert_eq(
				seatbelt_eval(p, &here, "network-outbound", endpoints[i].endpoint),
				VERDICT_ALLOW);
	}
	cr_assert_not(seatbelt_goose_endpoint_ok(NULL));
}

static const struct {
	const char *root;
	int rc;
} roots_near_keys[] = {
	{"~/.config/agentteams/keys", E_DENIED},
	{"~/.config/agentteams/keys/x", E_DENIED},
	{"~/.config/./agentteams//keys/", E_DENIED},
	{"/Volumes/u/.config/agentteams/keys", E_DENIED},
	{"~/.config/agentteams/trusted-keys", E_DENIED},
	{"~/.config/agentteams", E_DENIED},
	{"~/.config/agentteamsx", 0},
	{"~/.config/other", 0},
	{"src\"", E_SYNTAX},
	{"../x", E_SYNTAX},
	{"", E_SYNTAX},
};

Test(seatbelt_goose, a_root_in_the_key_folder_is_an_error_and_no_root_is_dropped)
{
	for (size_t i = 0; i < ARRAY_LEN(roots_near_keys); i++) {
		const char *v[] = {"src", roots_near_keys[i].root};
		struct seatbelt_goose g = {
			.network = SEATBELT_GOOSE_OPEN, .roots = {v, 2}, .home = "/Volumes/u"};
		auto_buf struct buf out = {0};
		struct errctx e = {0};

		buf_init(&out, SEATBELT_MAX_INLINE);
		cr_assert_eq(seatbelt_goose_profile(&g, &out, &e), roots_near_keys[i].rc, "%s: %s",
			     v[1], e.text);
		g.roots.n = 0;
		g.network = SEATBELT_GOOSE_CLOSED;
		g.hidden = (struct seatbelt_list){v, 2};
		if (roots_near_keys[i].rc == E_SYNTAX)
			cr_assert_eq(seatbelt_goose_profile(&g, &out, &e), E_SYNTAX,
				     "a read entry is never dropped either");
	}
}

static const struct {
	const char *text;
	enum seatbelt_switch want;
} switches[] = {
	{"GOOSE_SANDBOX: 1\n", SEATBELT_SWITCH_ON},
	{"GOOSE_SANDBOX: 1", SEATBELT_SWITCH_ON},
	{"export goose_sandbox=\"on\"\n", SEATBELT_SWITCH_ON},
	{"  Goose_Sandbox =\t'TRUE'  \n", SEATBELT_SWITCH_ON},
	{"GOOSE_SANDBOX=yes\r\n", SEATBELT_SWITCH_ON},
	{"GOOSE_SANDBOX: 1 # since May\n", SEATBELT_SWITCH_ON},
	{"GOOSE_SANDBOX: 1# x\n", SEATBELT_SWITCH_OFF},
	{"GOOSE_SANDBOX: 0\n", SEATBELT_SWITCH_OFF},
	{"GOOSE_SANDBOX:\n", SEATBELT_SWITCH_OFF},
	{"GOOSE_SANDBOX: enabled\n", SEATBELT_SWITCH_OFF},
	{"GOOSE_SANDBOX: \"1\n", SEATBELT_SWITCH_OFF},
	{"GOOSE_SANDBOX: 1 1\n", SEATBELT_SWITCH_OFF},
	{"# GOOSE_SANDBOX: 1\n", SEATBELT_SWITCH_ABSENT},
	{"MY_GOOSE_SANDBOX: 1\n", SEATBELT_SWITCH_ABSENT},
	{"GOOSE_SANDBOX_X: 1\n", SEATBELT_SWITCH_ABSENT},
	{"exportGOOSE_SANDBOX=1\n", SEATBELT_SWITCH_ABSENT},
	{"", SEATBELT_SWITCH_ABSENT},
	{"a: b\nGOOSE_SANDBOX: 1\nc: d\n", SEATBELT_SWITCH_ON},
	{"GOOSE_SANDBOX: 1\nGOOSE_SANDBOX: 1\n", SEATBELT_SWITCH_ON},
	{"GOOSE_SANDBOX: 1\nGOOSE_SANDBOX: 0\n", SEATBELT_SWITCH_UNCLEAR},
};

Test(seatbelt_goose, the_switch_in_a_live_file)
{
	for (size_t i = 0; i < ARRAY_LEN(switches); i++)
		cr_assert_eq(seatbelt_goose_switch(view_of(switches[i].text)), switches[i].want,
			     "%s", switches[i].text);
}

static bool wiring(struct seatbelt_goose_state s, const char *says)
{
	auto_buf struct buf out = {0};
	bool ok;

	buf_init(&out, 65536);
	ok = seatbelt_goose_wiring(&s, &out);
	cr_assert_not_null(strstr(buf_text(&out), says), "%s", buf_text(&out));
	return ok;
}

Test(seatbelt_goose, wiring_without_a_profile)
{
	cr_assert(wiring((struct seatbelt_goose_state){.linux_host = true}, "nothing to verify"));
	cr_assert(wiring((struct seatbelt_goose_state){.linux_host = true,
						       .requested = true,
						       .launcher_present = true},
			 "only when Goose is started through"));
	cr_assert_not(wiring((struct seatbelt_goose_state){.linux_host = true, .requested = true},
			     "generate again"));
	cr_assert(wiring((struct seatbelt_goose_state){.requested = true}, "no clean pass"));
	cr_assert(wiring((struct seatbelt_goose_state){.requested = false},
			 "no boundary was asked for"));
	cr_assert_not(wiring((struct seatbelt_goose_state){.darwin_host = true, .requested = true},
			     "generate again"));
	cr_assert(wiring((struct seatbelt_goose_state){.darwin_host = true}, "cooperate"));
	cr_assert_not(
		wiring((struct seatbelt_goose_state){.darwin_host = true, .profile_present = true},
		       "nothing can be confirmed"));
}

Test(seatbelt_goose, wiring_reads_the_profile_by_its_meaning)
{
	static const char *const roots[] = {".", "~/cache"};
	struct seatbelt_goose g = {
		.network = SEATBELT_GOOSE_CLOSED, .roots = {roots, 2}, .ledger = true};
	struct seatbelt_goose other = g;
	auto_buf struct buf text = {0};
	struct seatbelt_goose_state s = {.darwin_host = true,
					 .requested = true,
					 .profile_present = true,
					 .profile_readable = true,
					 .expected = &g,
					 .live_known = true,
					 .live = SEATBELT_SWITCH_ON,
					 .supported = true};

	buf_init(&text, SEATBELT_MAX_INLINE);
	cr_assert_eq(seatbelt_goose_profile(&g, &text, NULL), 0);
	s.profile = buf_view(&text);
	cr_assert(wiring(s, "right on paper only"));
	cr_assert(wiring(s, "UNVERIFIED"));
	s.live = SEATBELT_SWITCH_OFF;
	cr_assert_not(wiring(s, "not on"));
	s.live = SEATBELT_SWITCH_UNCLEAR;
	cr_assert_not(wiring(s, "on and off"));
	s.live_known = false;
	cr_assert_not(wiring(s, "unknown"));
	s.live_known = true;
	s.live = SEATBELT_SWITCH_ON;
	s.supported = false;
	cr_assert_not(wiring(s, "not found"));
	s.supported = true;

	(void)buf_puts(&text, "(allow file-write* (subpath (param \"WORKSPACE_ROOT\")))\n");
	s.profile = buf_view(&text);
	cr_assert_not(wiring(s, "allowed again after the denials"));
	buf_clear(&text);
	other.network = SEATBELT_GOOSE_OPEN;
	cr_assert_eq(seatbelt_goose_profile(&other, &text, NULL), 0);
	s.profile = buf_view(&text);
	cr_assert_not(wiring(s, "leaves the network open"));
	buf_clear(&text);
	other = g;
	other.roots.n = 1;
	cr_assert_eq(seatbelt_goose_profile(&other, &text, NULL), 0);
	s.profile = buf_view(&text);
	cr_assert_not(wiring(s, "doesn't open the root \"~/cache\""));
	buf_clear(&text);
	other = g;
	other.ledger = false;
	cr_assert_eq(seatbelt_goose_profile(&other, &text, NULL), 0);
	s.profile = buf_view(&text);
	cr_assert_not(wiring(s, "lets .agentteams be written"));
	s.profile = VIEW("(version 1)(allow default)");
	cr_assert_not(wiring(s, "no rule denies writes"));
	s.profile = VIEW("rubbish");
	cr_assert_not(wiring(s, "line 1"));
}
