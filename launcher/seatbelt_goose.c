/* SPDX-License-Identifier: MIT */
/*
 * Profile G: what the generator writes for Goose (file 11, section 4). Roots are parameters of the
 * launch, so the text is the same on every machine. Pure. Tested by
 * tests/unit/launcher/t_seatbelt_goose.c and tests/golden/seatbelt/.
 */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include "base/pathstr.h"
#include "base/utf8.h"
#include "launcher/egress_host.h"
#include "launcher/seatbelt_goose.h"
#include "launcher/seatbelt_text.h"

/* One list for both platforms: tests/unit/launcher/t_seatbelt_goose.c holds it against the
 * launcher's own tables. */
static const struct protected
{
	enum goose_group group;
	const char *path;
}
set[] = {
	{GOOSE_CORE, "/.goose/recipes/references/agent-privilege.json"},
	{GOOSE_CORE, "/.claude/hooks/constitutional-gate.py"},
	{GOOSE_CORE, "/.goose/recipes/references/authorized-verify-keys"},
	{GOOSE_CORE, "/.goose/recipes/references/build-log.json"},
	{GOOSE_CORE, "/.goose/sandbox.sb"},
	{GOOSE_CORE, "/.goose/recipes/references/security-approvers.txt"},
	{GOOSE_CORE, "/.goose/recipes/references/authorized-managers.txt"},
	{GOOSE_CORE, "/.goose/recipes/references/management-authority.json"},
	{GOOSE_CLAUDE, "/.claude"},
	{GOOSE_COPILOT, "/.github/agents/references/agent-privilege.json"},
	{GOOSE_COPILOT, "/.github/agents/references/authorized-verify-keys"},
	{GOOSE_COPILOT, "/.github/agents/references/security-approvers.txt"},
	{GOOSE_COPILOT, "/.github/agents/references/authorized-managers.txt"},
	{GOOSE_COPILOT, "/.github/agents/references/management-authority.json"},
	{GOOSE_COPILOT, "/.github/agents/references/build-log.json"},
	{GOOSE_CODEX, "/.codex/agents/references/agent-privilege.json"},
	{GOOSE_CODEX, "/.codex/agents/references/authorized-verify-keys"},
	{GOOSE_CODEX, "/.codex/agents/references/security-approvers.txt"},
	{GOOSE_CODEX, "/.codex/agents/references/authorized-managers.txt"},
	{GOOSE_CODEX, "/.codex/agents/references/management-authority.json"},
	{GOOSE_CODEX, "/.codex/agents/references/build-log.json"},
	{GOOSE_CODEX, "/.codex/config.toml"},
	{GOOSE_PROJECT, "/references/security-approvers.txt"},
	{GOOSE_LEDGER, "/.agentteams"},
	{GOOSE_LEDGER, "/.goose/recipes"},
};

static const char operators[] = "/.config/agentteams";
static const char keys[] = "/.config/agentteams/keys";
static const char old_keys[] = "/[.]config/agentteams/[^/]*[.]pem$";

const char *seatbelt_goose_protected(size_t n, enum goose_group *ret_group)
{
	if (n >= ARRAY_LEN(set))
		return NULL;
	*ret_group = set[n].group;
	return set[n].path;
}

/* ---- entries as a brief spells them ---- */

static int refuse(struct errctx *e, struct view word, const char *why)
{
	return err_set(e, E_SYNTAX, "\"%.*s\": %s", (int)(word.len > 200 ? 200 : word.len),
		       word.ptr, why);
}

static int check_word(struct view word, struct errctx *e)
{
	struct view rest = word, part;

	if (word.len == 0)
		return refuse(e, word, "an empty entry");
	if (view_chr(word, '"') || view_chr(word, '\\'))
		return refuse(e, word, "a quote or a backslash could end the rule");
	for (size_t i = 0; i < word.len; i++)
		if ((unsigned char)word.ptr[i] < 0x20 || word.ptr[i] == 0x7f)
			return refuse(e, word, "a control character");
	if (!utf8_valid(word, NULL))
		return refuse(e, word, "invalid UTF-8");
	while (pathstr_next(&rest, &part))
		if (view_is(part, ".."))
			return refuse(e, word, "\"..\" matches nothing in a profile");
	return 0;
}

int seatbelt_goose_entry(struct view word, struct goose_entry *ret, struct errctx *e)
{
	struct goose_entry entry = {.param = "WORKSPACE_ROOT"};
	struct view rest = word, part;
	size_t n = 0;
	int rc = check_word(word, e);

	if (rc)
		return rc;
	if (word.len > sizeof(entry.rest) - 2)
		return err_set(e, E_TOOBIG, "an entry of %zu bytes", word.len);
	if (word.ptr[0] == '/') {
		entry.param = NULL;
	} else if (word.ptr[0] == '~') {
		entry.param = "HOME_DIR";
		if (word.len < 3 || word.ptr[1] != '/')
			return refuse(e, word,
				      "only \"~/\" and a path below it can be written as a rule");
		rest = (struct view){word.ptr + 2, word.len - 2};
	}
	/* Doubled and trailing slashes and "." would match nothing, so they are folded. */
	while (pathstr_next(&rest, &part)) {
		if (view_is(part, "."))
			continue;
		entry.rest[n++] = '/';
		memcpy(entry.rest + n, part.ptr, part.len);
		n += part.len;
	}
	entry.rest[n] = 0;
	if (n == 0 && (!entry.param || entry.param[0] == 'H'))
		return refuse(e, word, "the whole file system or the whole home folder");
	if (!entry.param) {
		rc = seatbelt_check_path(entry.rest, e);
		if (rc)
			return rc;
	}
	*ret = entry;
	return 0;
}

static void put_entry(struct seatbelt_rule *r, const struct goose_entry *entry)
{
	if (entry->param)
		seatbelt_param(r, "subpath", entry->param, entry->rest);
	else
		seatbelt_path(r, "subpath", entry->rest);
}

/* A root in the key folder would let the guest make keys; deny rules come later, but what is asked
 * for is wrong. */
static int check_not_keys(const struct seatbelt_goose *g, struct view word,
			  const struct goose_entry *entry, struct errctx *e)
{
	char folder[4200];
	bool inside = false;

	if (entry->param && entry->param[0] == 'H')
		inside = pathstr_beneath(view_of(entry->rest), view_of(operators));
	if (!entry->param && g->home) {
		(void)snprintf(folder, sizeof(folder), "%s%s", g->home, operators);
		inside = pathstr_beneath(view_of(entry->rest), view_of(folder));
	}
	if (inside)
		return err_set(e, E_DENIED, "\"%.*s\": a write root among the operator's files",
			       (int)(word.len > 200 ? 200 : word.len), word.ptr);
	return 0;
}

/* ---- the rules ---- */

static int put_roots(const struct seatbelt_goose *g, struct buf *out, struct errctx *e)
{
	struct seatbelt_rule r;

	seatbelt_open(&r, out, "allow", "file-write*");
	for (size_t i = 0; i < g->roots.n; i++) {
		struct view word = view_of(g->roots.v[i]);
		struct goose_entry entry;
		int rc = seatbelt_goose_entry(word, &entry, e);

		if (!rc)
			rc = check_not_keys(g, word, &entry, e);
		if (rc)
			return rc;
		put_entry(&r, &entry);
	}
	if (g->roots.n == 0)
		seatbelt_param(&r, "subpath", "WORKSPACE_ROOT", "");
	seatbelt_close(&r);

	seatbelt_open(&r, out, "allow", "file-write*");
	seatbelt_path(&r, "subpath", "/private/tmp");
	seatbelt_path(&r, "subpath", "/private/var/folders");
	seatbelt_path(&r, "literal", "/dev/null");
	seatbelt_path(&r, "literal", "/dev/stdout");
	seatbelt_path(&r, "literal", "/dev/stderr");
	seatbelt_close(&r);
	return 0;
}

static void put_protected(const struct seatbelt_goose *g, struct buf *out)
{
	struct seatbelt_rule r;

	/* Copilot's and Codex's parts stand here without a team, too: a denial also stops creation.
	 */
	seatbelt_open(&r, out, "deny", "file-write*");
	for (size_t i = 0; i < ARRAY_LEN(set); i++)
		if (set[i].group != GOOSE_LEDGER || g->ledger)
			seatbelt_param(&r, "subpath", "WORKSPACE_ROOT", set[i].path);
	seatbelt_param(&r, "subpath", "HOME_DIR", keys);
	seatbelt_close(&r);
}

/* Folders above, so that none can be renamed away with what is protected in it. Not above the
 * project roster: the agent may make a folder "references". Not above Copilot's files without a
 * team: it may make ".github". */
static bool locks_ancestors(const struct seatbelt_goose *g, enum goose_group group)
{
	return group == GOOSE_CORE || group == GOOSE_CODEX ||
	       (group == GOOSE_COPILOT && g->copilot_team);
}

static int put_ancestors(const struct seatbelt_goose *g, struct buf *out)
{
	struct seatbelt_names names = {NULL, 0, 0};
	struct seatbelt_rule r;
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_LEN(set); i++)
		for (const char *p = set[i].path + 1; !rc && (p = strchr(p, '/')) != NULL; p++)
			if (locks_ancestors(g, set[i].group))
				rc = seatbelt_names_add(&names, set[i].path,
							(size_t)(p - set[i].path));
	if (!rc && names.n) {
		seatbelt_open(&r, out, "deny", "file-write-unlink file-write-create");
		for (size_t i = 0; i < names.n; i++)
			seatbelt_param(&r, "literal", "WORKSPACE_ROOT", names.v[i]);
		seatbelt_close(&r);
	}
	seatbelt_names_release(&names);
	return rc;
}

bool seatbelt_goose_endpoint_ok(const char *endpoint)
{
	unsigned port;

	return endpoint && strncmp(endpoint, "localhost:", 10) == 0 &&
	       egress_port_parse(view_of(endpoint + 10), &port) == 0;
}

static void put_network(const struct seatbelt_goose *g, struct buf *out)
{
	struct seatbelt_rule r;
	unsigned port = 0;

	if (g->network == SEATBELT_GOOSE_OPEN) {
		seatbelt_comment(
			out, "the network is open: this profile doesn't stop data from leaving;");
		seatbelt_comment(out, "the profile \"exclusive\" does");
		return;
	}
	seatbelt_plain(out, "deny", "network*");
	if (!seatbelt_goose_endpoint_ok(g->endpoint)) {
		if (g->endpoint)
			seatbelt_comment(out, "goose_egress_proxy can't be used (it has to be "
					      "localhost:PORT) and was left out");
		seatbelt_comment(
			out,
			"the team is isolated: no name resolution, no model over the network;");
		seatbelt_comment(out, "to allow one proxy on this machine, set goose_egress_proxy "
				      "to localhost:PORT");
		return;
	}
	if (egress_port_parse(view_of(g->endpoint + 10), &port) != 0)
		return; /* looked at above */
	seatbelt_open(&r, out, "allow", "network*");
	seatbelt_remote(&r, port);
	seatbelt_close(&r);
}

static int put_reads(const struct seatbelt_goose *g, struct buf *out, struct errctx *e)
{
	struct seatbelt_rule r;

	seatbelt_open(&r, out, "deny", "file-read*");
	seatbelt_param(&r, "subpath", "HOME_DIR", keys);
	/* Keys of an older layout, whatever their names are on the machine where this runs. */
	r.filters++;
	(void)buf_printf(out, "\n    (regex #\"%s\")", old_keys);
	seatbelt_close(&r);
	if (g->network != SEATBELT_GOOSE_CLOSED || g->hidden.n == 0)
		return 0;
	seatbelt_open(&r, out, "deny", "file-read*");
	for (size_t i = 0; i < g->hidden.n; i++) {
		struct goose_entry entry;
		int rc = seatbelt_goose_entry(view_of(g->hidden.v[i]), &entry, e);

		if (rc)
			return rc;
		put_entry(&r, &entry);
	}
	seatbelt_close(&r);
	return 0;
}

static void put_head(const struct seatbelt_goose *g, struct buf *out)
{
	(void)buf_puts(out, "(version 1)\n");
	seatbelt_comment(out,
			 "agentteams: boundary for Goose on macOS. Inert until it is applied:");
	seatbelt_comment(out, "  /usr/bin/sandbox-exec -D WORKSPACE_ROOT=\"$(pwd -P)\" -D "
			      "HOME_DIR=\"$(cd && pwd -P)\" \\");
	seatbelt_comment(out, "    -f .goose/sandbox.sb goose ...");
	seatbelt_comment(out, "Both parameters must be physical paths: a link in one of them "
			      "switches rules off.");
	seatbelt_comment(out, "Only for macOS, whose vendor calls sandbox-exec deprecated.");
	seatbelt_comment(out, "UNVERIFIED until sandbox/mac-escape-tests.sh has passed on this "
			      "machine and build.");
	(void)buf_printf(out, "; agentteams-profile: %s\n",
			 g->network == SEATBELT_GOOSE_CLOSED ? "exclusive" : "confined");
	seatbelt_plain(out, "allow", "default");
	seatbelt_plain(out, "deny", "file-write*");
}

int seatbelt_goose_profile(const struct seatbelt_goose *g, struct buf *out, struct errctx *e)
{
	int rc;

	if (g->network != SEATBELT_GOOSE_OPEN && g->network != SEATBELT_GOOSE_CLOSED)
		return err_set(e, E_INTERNAL, "no network posture for Goose");
	put_head(g, out);
	rc = put_roots(g, out, e);
	if (rc)
		return rc;
	put_protected(g, out);
	rc = put_ancestors(g, out);
	if (rc)
		return err_set(e, rc, "profile: %s", err_name(rc));
	put_network(g, out);
	rc = put_reads(g, out, e);
	if (rc)
		return rc;
	(void)buf_putc(out, '\n');
	return buf_error(out) ? err_set(e, buf_error(out), "profile: %s", err_name(buf_error(out)))
			      : 0;
}
