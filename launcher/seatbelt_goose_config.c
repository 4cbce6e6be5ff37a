/* SPDX-License-Identifier: MIT */
/*
 * Around profile G: the configuration example, the switch in Goose's live configuration, and the
 * static wiring check (file 11, sections 4.4 and 5). Pure. Tested by
 * tests/unit/launcher/t_seatbelt_goose.c and tests/golden/seatbelt/.
 */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include "launcher/seatbelt_goose.h"

static void put_lines(struct buf *out, const char *const *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)buf_printf(out, "#%s%s\n", lines[i][0] ? " " : "", lines[i]);
}

static void put_network_comment(const struct seatbelt_goose *g, struct buf *out)
{
	if (g->network == SEATBELT_GOOSE_OPEN) {
		(void)buf_puts(out, "# Network: open. Data can leave; on Linux the runner example "
				    "denies the network by\n"
				    "# default, this profile doesn't.\n");
		return;
	}
	if (seatbelt_goose_endpoint_ok(g->endpoint))
		(void)buf_printf(out, "# Network: closed but for %s, as goose_egress_proxy says.\n",
				 g->endpoint);
	else
		(void)buf_puts(out, "# Network: closed, the model too. goose_egress_proxy: "
				    "localhost:PORT opens one proxy.\n");
	(void)buf_puts(out,
		       "# On Linux the runner example denies the network by default as well.\n");
}

int seatbelt_goose_config(const struct seatbelt_goose *g, struct buf *out, struct errctx *e)
{
	static const char *const before[] = {
		"Example by agentteams. Copy what you want into ~/.config/goose/config.yaml",
		"yourself: no program of ours writes that file.",
		"",
	};
	static const char *const after[] = {
		"",
		"Boundary on this platform: .goose/sandbox.sb, applied by sandbox-exec, which its",
		"vendor calls deprecated. On Linux: sandbox/confine-run.sh.",
		"",
		"A  start Goose under the profile; the kernel enforces it whatever Goose does:",
		"   /usr/bin/sandbox-exec -D WORKSPACE_ROOT=\"$(pwd -P)\" \\",
		"     -D HOME_DIR=\"$(cd && pwd -P)\" -f .goose/sandbox.sb goose",
		"B  the setting below; whether a build of Goose obeys it differs, so nothing is",
		"   claimed for it.",
		"",
		"Verify: run the wiring check (agentteams --check-wiring), then, inside, a write",
		"outside the roots must fail.",
	};

	put_lines(out, before, ARRAY_LEN(before));
	(void)buf_printf(out, "# Profile: %s\n# Write roots:",
			 g->network == SEATBELT_GOOSE_CLOSED ? "exclusive" : "confined");
	for (size_t i = 0; i < g->roots.n; i++) {
		struct goose_entry entry;
		int rc = seatbelt_goose_entry(view_of(g->roots.v[i]), &entry,
					      e); /* no line break gets in */

		if (rc)
			return rc;
		(void)buf_printf(out, " %s", g->roots.v[i]);
	}
	(void)buf_puts(out, g->roots.n ? "\n" : " .\n");
	put_network_comment(g, out);
	put_lines(out, after, ARRAY_LEN(after));
	if (g->network == SEATBELT_GOOSE_CLOSED)
		(void)buf_puts(out, "# A direct connection to the network must fail as well.\n");
	(void)buf_puts(out, "GOOSE_SANDBOX: 1\n# agentteams_sandbox_profile: "
			    "/ABSOLUTE/PATH/TO/.goose/sandbox.sb\n");
	return buf_error(out) ? err_set(e, buf_error(out), "example: %s", err_name(buf_error(out)))
			      : 0;
}

/* ---- the switch ---- */

static struct view skip_blanks(struct view v)
{
	while (v.len && (v.ptr[0] == ' ' || v.ptr[0] == '\t'))
		v = (struct view){v.ptr + 1, v.len - 1};
	return v;
}

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Cuts a word off the front, whatever its case; false if it isn't there. */
static bool take_word(struct view *v, const char *lower)
{
	size_t n = strlen(lower);

	if (v->len < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (fold(v->ptr[i]) != lower[i])
			return false;
	*v = (struct view){v->ptr + n, v->len - n};
	return true;
}

/* What may follow the value: blanks, a comment after a blank. */
static bool is_end(struct view v)
{
	struct view rest = skip_blanks(v);

	if (rest.len && rest.ptr[0] == '\r' && rest.len == 1)
		return true;
	return rest.len == 0 || (rest.ptr[0] == '#' && rest.len != v.len);
}

static enum seatbelt_switch value_of(struct view v)
{
	static const char *const on[] = {"1", "true", "yes", "on"};
	char quote = v.len && (v.ptr[0] == '"' || v.ptr[0] == '\'') ? v.ptr[0] : 0;
	struct view word;
	size_t n = 0;

	if (quote)
		v = (struct view){v.ptr + 1, v.len - 1};
	while (n < v.len && ((fold(v.ptr[n]) >= 'a' && fold(v.ptr[n]) <= 'z') ||
			     (v.ptr[n] >= '0' && v.ptr[n] <= '9')))
		n++;
	word = (struct view){v.ptr, n};
	v = (struct view){v.ptr + n, v.len - n};
	if (quote) {
		if (v.len == 0 || v.ptr[0] != quote)
			return SEATBELT_SWITCH_OFF;
		v = (struct view){v.ptr + 1, v.len - 1};
	}
	if (!is_end(v))
		return SEATBELT_SWITCH_OFF;
	for (size_t i = 0; i < ARRAY_LEN(on); i++) {
		struct view rest = word;

		if (word.len == strlen(on[i]) && take_word(&rest, on[i]))
			return SEATBELT_SWITCH_ON;
	}
	return SEATBELT_SWITCH_OFF;
}

static enum seatbelt_switch line_switch(struct view line)
{
	struct view v = skip_blanks(line), after;

	after = v;
	if (take_word(&after, "export") && after.len &&
	    (after.ptr[0] == ' ' || after.ptr[0] == '\t'))
		v = skip_blanks(after);
	if (!take_word(&v, "goose_sandbox"))
		return SEATBELT_SWITCH_ABSENT;
	v = skip_blanks(v);
	if (v.len == 0 || (v.ptr[0] != ':' && v.ptr[0] != '='))
		return SEATBELT_SWITCH_ABSENT;
	return value_of(skip_blanks((struct view){v.ptr + 1, v.len - 1}));
}

enum seatbelt_switch seatbelt_goose_switch(struct view text)
{
	enum seatbelt_switch found = SEATBELT_SWITCH_ABSENT;

	while (text.len) {
		const char *end = view_chr(text, '\n');
		size_t n = end ? (size_t)(end - text.ptr) : text.len;
		enum seatbelt_switch here = line_switch((struct view){text.ptr, n});

		n += end != NULL;
		text = (struct view){text.ptr + n, text.len - n};
		if (here == SEATBELT_SWITCH_ABSENT)
			continue;
		if (found != SEATBELT_SWITCH_ABSENT && found != here)
			return SEATBELT_SWITCH_UNCLEAR; /* which one counts is up to the reader */
		found = here;
	}
	return found;
}

/* ---- wiring ---- */

static bool say(struct buf *out, bool ok, const char *text)
{
	(void)buf_puts(out, text);
	(void)buf_putc(out, '\n');
	return ok;
}

static bool wiring_linux(const struct seatbelt_goose_state *s, struct buf *out)
{
	if (!s->requested)
		return say(out, true, "Goose: no boundary was asked for, nothing to verify");
	if (s->launcher_present)
		return say(out, true,
			   "Goose: enforceable, but only when Goose is started through "
			   "sandbox/confine-run.sh");
	return say(out, false, "Goose: sandbox/confine-run.sh is missing: generate again");
}

/* The profile by its meaning, not by its words: an allow rule at its end would undo everything. */
static bool wiring_profile(const struct seatbelt_goose_state *s, struct buf *out)
{
	auto_seatbelt_profile struct seatbelt_profile *p = NULL;
	static const struct seatbelt_params params = {"/W", "/H"};
	struct errctx e = {0};
	bool ok = true;

	if (seatbelt_parse(s->profile, &p, &e) != 0 || seatbelt_lint(p, &e) != 0) {
		(void)buf_printf(out, "Goose: .goose/sandbox.sb: %s\n", e.text);
		return false;
	}
	if (seatbelt_eval(p, &params, "file-write-create", "/elsewhere/file") != VERDICT_DENY)
		ok = say(out, false,
			 "Goose: .goose/sandbox.sb lets writes outside the roots through");
	for (size_t i = 0;; i++) {
		enum goose_group group;
		const char *rest = seatbelt_goose_protected(i, &group);
		char path[256];

		if (!rest)
			break;
		(void)snprintf(path, sizeof(path), "/W%s", rest);
		if ((group != GOOSE_LEDGER || s->expected->ledger) &&
		    seatbelt_eval(p, &params, "file-write-data", path) != VERDICT_DENY) {
			(void)buf_printf(out, "Goose: .goose/sandbox.sb lets %s be written\n",
					 rest + 1);
			ok = false;
		}
	}
	if (seatbelt_eval(p, &params, "file-read-data", "/H/.config/agentteams/keys/x") !=
	    VERDICT_DENY)
		ok = say(out, false, "Goose: .goose/sandbox.sb lets the signing keys be read");
	if (s->expected->network == SEATBELT_GOOSE_CLOSED &&
	    seatbelt_eval(p, &params, "network-outbound", "example.com:443") != VERDICT_DENY)
		ok = say(out, false, "Goose: .goose/sandbox.sb leaves the network open");
	return ok;
}

static bool wiring_roots(const struct seatbelt_goose_state *s, struct buf *out)
{
	auto_seatbelt_profile struct seatbelt_profile *p = NULL;
	static const struct seatbelt_params params = {"/W", "/H"};
	bool ok = true;

	if (seatbelt_parse(s->profile, &p, NULL) != 0)
		return false;
	for (size_t i = 0; i < s->expected->roots.n; i++) {
		struct goose_entry entry;
		char path[4300];

		if (seatbelt_goose_entry(view_of(s->expected->roots.v[i]), &entry, NULL) != 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s%s/file",
			       !entry.param	       ? ""
			       : entry.param[0] == 'H' ? params.home
						       : params.workspace,
			       entry.rest);
		if (seatbelt_eval(p, &params, "file-write-create", path) != VERDICT_ALLOW) {
			(void)buf_printf(out,
					 "Goose: .goose/sandbox.sb doesn't open the root \"%s\"\n",
					 s->expected->roots.v[i]);
			ok = false;
		}
	}
	return ok;
}

static bool wiring_live(const struct seatbelt_goose_state *s, struct buf *out)
{
	if (!s->live_known)
		return say(out, false,
			   "Goose: its configuration can't be read, so GOOSE_SANDBOX is unknown");
	switch (s->live) {
	case SEATBELT_SWITCH_ON:
		return true;
	case SEATBELT_SWITCH_UNCLEAR:
		return say(out, false,
			   "Goose: GOOSE_SANDBOX is set on and off in its configuration");
	case SEATBELT_SWITCH_OFF:
	case SEATBELT_SWITCH_ABSENT:
		break;
	}
	return say(out, false, "Goose: GOOSE_SANDBOX is not on");
}

bool seatbelt_goose_wiring(const struct seatbelt_goose_state *s, struct buf *out)
{
	bool ok;

	if (s->linux_host)
		return wiring_linux(s, out);
	if (!s->darwin_host)
		return say(out, true,
			   s->requested
				   ? "Goose: not enforceable on this system; this is no clean pass"
				   : "Goose: no boundary was asked for");
	if (!s->profile_present)
		return s->requested ? say(out, false,
					  "Goose: .goose/sandbox.sb is missing: generate again")
				    : say(out, true,
					  "Goose: no boundary; its agents cooperate or don't");
	if (!s->profile_readable)
		return say(out, false,
			   "Goose: .goose/sandbox.sb can't be read, so nothing can be confirmed");
	ok = wiring_profile(s, out);
	ok = wiring_roots(s, out) && ok;
	ok = wiring_live(s, out) && ok;
	if (!s->supported)
		ok = say(out, false, "Goose: sandbox-exec or goose itself was not found");
	if (ok)
		(void)buf_puts(out, "Goose: the wiring is right on paper only. To prove it: start "
				    "Goose under the profile, and a write\n"
				    "outside its roots must fail.\n");
	(void)buf_printf(out, "%s\n", seatbelt_unverified);
	return ok;
}
