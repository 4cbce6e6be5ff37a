/* SPDX-License-Identifier: MIT */
/*
 * The exact text of each profile for each class of input: a difference is something to look at. To
 * write them anew: UPDATE_GOLDEN=1 make check TESTS=tests/unit/launcher/t_seatbelt
 */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include "tests/unit/launcher/seatbelt_rig.h"

#include <errno.h>

static void compare(const char *name, struct buf *text)
{
	const char *top = getenv("TOP_SRCDIR");
	auto_buf struct buf file = {0};
	char path[4096];
	FILE *f;
	int c;

	cr_assert_not_null(top, "run through make check");
	(void)snprintf(path, sizeof(path), "%s/tests/golden/seatbelt/%s", top, name);
	if (getenv("UPDATE_GOLDEN")) {
		f = fopen(path, "w");
		cr_assert_not_null(f, "%s: %s", path, strerror(errno));
		cr_assert_eq(fwrite(text->data, 1, text->len, f), text->len);
		cr_assert_eq(fclose(f), 0);
		return;
	}
	f = fopen(path, "r");
	cr_assert_not_null(f, "%s: %s", path, strerror(errno));
	buf_init(&file, 4 * SEATBELT_MAX_INLINE);
	while ((c = fgetc(f)) != EOF)
		(void)buf_putc(&file, (char)c);
	(void)fclose(f);
	cr_assert_str_eq(buf_text(text), buf_text(&file), "%s", name);
}

static void launch(const char *name, const struct seatbelt_launch *l)
{
	auto_buf struct buf out = {0};
	struct errctx e = {0};

	buf_init(&out, SEATBELT_MAX_INLINE);
	cr_assert_eq(seatbelt_launch_profile(l, &out, &e), 0, "%s", e.text);
	seatbelt_profile_free(parsed(&out));
	compare(name, &out);
}

static void goose(const char *name, const struct seatbelt_goose *g)
{
	auto_buf struct buf out = {0};
	auto_buf struct buf example = {0};
	struct errctx e = {0};
	char config[128];

	buf_init(&out, SEATBELT_MAX_INLINE);
	buf_init(&example, SEATBELT_MAX_INLINE);
	cr_assert_eq(seatbelt_goose_profile(g, &out, &e), 0, "%s", e.text);
	seatbelt_profile_free(parsed(&out));
	compare(name, &out);
	cr_assert_eq(seatbelt_goose_config(g, &example, &e), 0, "%s", e.text);
	cr_assert_eq(seatbelt_goose_switch(buf_view(&example)), SEATBELT_SWITCH_ON,
		     "one active line");
	(void)snprintf(config, sizeof(config), "%.*s.config.yaml", (int)(strlen(name) - 3), name);
	compare(config, &example);
}

Test(seatbelt_golden, launcher)
{
	struct seatbelt_launch l = sample_launch;

	launch("launch-deny.sb", &l);
	l.egress = SEATBELT_EGRESS_PROXY;
	l.proxy_host = "localhost";
	l.proxy_port = 8443;
	launch("launch-proxy.sb", &l);
	l.egress = SEATBELT_EGRESS_HOST;
	launch("launch-host.sb", &l);
	l = (struct seatbelt_launch){.scratch = "/Volumes/u/p", .egress = SEATBELT_EGRESS_DENY};
	launch("launch-nothing-protected.sb", &l);
	l.tmp = "/private/var/folders/zz/T/run-1";
	launch("launch-private-tmp.sb", &l);
}

Test(seatbelt_golden, command)
{
	auto_buf struct buf out = {0};

	buf_init(&out, SEATBELT_MAX_INLINE);
	cr_assert_eq(seatbelt_command_profile(&sample_command, &out, NULL), 0);
	compare("command.sb", &out);
}

Test(seatbelt_golden, goose)
{
	static const char *const roots[] = {"src", "~/cache", "/Volumes/d/x"};
	static const char *const hidden[] = {"~/.ssh", "~/.aws", "secrets"};
	struct seatbelt_goose g = sample_goose;

	goose("goose-confined.sb", &g);
	g.roots = (struct seatbelt_list){roots, 3};
	g.copilot_team = true;
	goose("goose-confined-copilot-roots.sb", &g);
	g = sample_goose;
	g.ledger = true;
	goose("goose-confined-ledger.sb", &g);
	g = sample_goose;
	g.network = SEATBELT_GOOSE_CLOSED;
	g.hidden = (struct seatbelt_list){hidden, 3};
	goose("goose-exclusive.sb", &g);
	g.endpoint = "localhost:8443";
	goose("goose-exclusive-endpoint.sb", &g);
	g.endpoint = "*";
	goose("goose-exclusive-bad-endpoint.sb", &g);
}
