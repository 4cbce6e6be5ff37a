/* SPDX-License-Identifier: MIT */
/*
 * The macOS boundary as text (file 11): profiles for sandbox-exec, the argument vectors that apply
 * them, and a reader that says what a profile means. Nothing here needs a Mac and nothing here runs
 * anything; whether a Mac's kernel agrees is proved by the deny tests on that Mac alone, and until
 * then it is called UNVERIFIED wherever a person reads it. Pure (allocates).
 *
 * Paths are physical: absolute, clean, without a link on the way ("/private/tmp", never "/tmp"). A
 * rule with a link in its path matches nothing, which for a denial means nothing is denied, so such
 * paths are refused.
 */
#ifndef LAUNCHER_SEATBELT_H
#define LAUNCHER_SEATBELT_H

#include "base/buf.h"
#include "base/err.h"
#include "policy/policy.h"

#define SEATBELT_EXEC "/usr/bin/sandbox-exec"

/* One line for standard error whenever a profile is applied or shown. */
extern const char seatbelt_unverified[];

enum { SEATBELT_MAX_INLINE = 131072 }; /* longest text for -p; a longer profile is E_TOOBIG */

struct seatbelt_list {
	const char *const *v;
	size_t n;
};

/* Refuses what must not stand in a profile: not absolute or not clean, "/" itself, a quote, a
 * backslash, control characters, invalid UTF-8, a link of the system at the front (/tmp, /var,
 * /etc). E_SYNTAX, E_UTF8, E_LINK. */
int seatbelt_check_path(const char *path, struct errctx *e) must_check;

/* ---- profile L: the launcher (section 3) ---- */

enum seatbelt_egress { SEATBELT_EGRESS_DENY = 1, SEATBELT_EGRESS_PROXY, SEATBELT_EGRESS_HOST };

struct seatbelt_launch {
	const char *scratch;
	struct seatbelt_list writable;	/* further writable roots, coordination roots among them */
	struct seatbelt_list protect;	/* read-only inside roots; they exist */
	struct seatbelt_list ancestors; /* folders above protected paths, below roots: may not be
					   renamed or removed */
	struct seatbelt_list guards; /* may not be made or changed in any spelling of letter case;
					need not exist */
	struct seatbelt_list masks;  /* neither read nor written */
	const char *tmp; /* private temporary folder; NULL: the system's common ones are writable */
	enum seatbelt_egress egress;
	const char *proxy_host; /* "127.0.0.1" or "localhost": with SEATBELT_EGRESS_PROXY only */
	unsigned proxy_port;
};

/* Appends the profile. Refuses (E_DENIED) a proxy that isn't on loopback, and a mask that holds a
 * writable root. Other codes: those of seatbelt_check_path, E_MISSING (no scratch), E_RANGE (port),
 * E_TOOBIG, E_NOMEM. */
int seatbelt_launch_profile(const struct seatbelt_launch *l, struct buf *out,
			    struct errctx *e) must_check;

/* ---- profile R: one command of the runner (section 6) ---- */

struct seatbelt_command {
	const char *project;
	const char *tmp;  /* private */
	const char *keys; /* key folder */
	struct seatbelt_list writable;
	struct seatbelt_list programs; /* files or folders; not empty */
};
int seatbelt_command_profile(const struct seatbelt_command *c, struct buf *out,
			     struct errctx *e) must_check;

/* ---- profile G: Goose (section 4) ---- */

enum seatbelt_goose_network {
	SEATBELT_GOOSE_OPEN = 1, /* "confined" */
	SEATBELT_GOOSE_CLOSED,	 /* "exclusive" */
};

struct seatbelt_goose {
	enum seatbelt_goose_network network;
	struct seatbelt_list
		roots; /* as the brief spells them: "." "src" "~/x" "/abs"; empty: the workspace */
	struct seatbelt_list hidden; /* read entries of "exclusive", spelled likewise */
	const char *endpoint; /* "localhost:PORT"; NULL or unusable: the network stays closed */
	bool copilot_team;
	bool ledger; /* write_policy: orchestrator-only */
	const char
		*home; /* physical; to find roots inside the key folder however they are spelled */
};

/* The text of .goose/sandbox.sb. Roots and home are parameters of the launch (WORKSPACE_ROOT,
 * HOME_DIR). E_SYNTAX (an entry that can't be written as a safe rule: named, never dropped),
 * E_DENIED (a root in the key folder). */
int seatbelt_goose_profile(const struct seatbelt_goose *g, struct buf *out,
			   struct errctx *e) must_check;
/* The text of .goose/config.yaml.agentteams.example. */
int seatbelt_goose_config(const struct seatbelt_goose *g, struct buf *out,
			  struct errctx *e) must_check;
/* Is this endpoint one that a profile may name? ASCII "localhost:PORT" only. */
bool seatbelt_goose_endpoint_ok(const char *endpoint);

enum seatbelt_switch {
	SEATBELT_SWITCH_ABSENT = 1,
	SEATBELT_SWITCH_OFF,
	SEATBELT_SWITCH_ON,
	SEATBELT_SWITCH_UNCLEAR
};
/* GOOSE_SANDBOX in Goose's live configuration or in a shell file (section 5). Never repeats any of
 * its content. Unclear: lines that contradict each other. */
enum seatbelt_switch seatbelt_goose_switch(struct view text);

struct seatbelt_goose_state {
	bool linux_host, darwin_host;
	bool requested;
	bool launcher_present; /* sandbox/confine-run.sh */
	bool profile_present, profile_readable;
	struct view profile;
	const struct seatbelt_goose *expected;
	bool live_known; /* the live file could be read */
	enum seatbelt_switch live;
	bool supported; /* goose and sandbox-exec are there */
};
/* Static wiring check (section 5.1): true when nothing is missing. Appends what to tell the
 * operator. */
bool seatbelt_goose_wiring(const struct seatbelt_goose_state *s, struct buf *out);

/* ---- argument vectors ---- */

enum { SEATBELT_MAX_ARGV = 8 };

/* What stands before the command: fills out (NULL-ended) and returns how many words. The strings
 * are borrowed. */
size_t seatbelt_inline_argv(const char *profile, const char *out[SEATBELT_MAX_ARGV]);
/* workspace and home are checked like any path; define holds "-D" values and must live as long as
 * out. */
struct seatbelt_defines {
	char workspace[4200], home[4200];
};
int seatbelt_goose_argv(const char *profile_file, const char *workspace, const char *home,
			struct seatbelt_defines *define, const char *out[SEATBELT_MAX_ARGV],
			size_t *ret_n, struct errctx *e) must_check;
/* Applies an allow-all profile to /usr/bin/true: fails inside another sandbox. */
extern const char *const seatbelt_probe_argv[];

/* ---- what a profile means (section 9) ---- */

struct seatbelt_profile;

/* E_SYNTAX (line and column), E_DEPTH, E_UNKNOWN (action, operation or filter), E_TOOBIG, E_NOMEM.
 */
int seatbelt_parse(struct view text, struct seatbelt_profile **ret, struct errctx *e) must_check;
void seatbelt_profile_free(struct seatbelt_profile *p);
size_t seatbelt_profile_rules(const struct seatbelt_profile *p);

/* Everything that a generator of ours must never write; 0 if there is none of it. */
int seatbelt_lint(const struct seatbelt_profile *p, struct errctx *e) must_check;

struct seatbelt_params {
	const char *workspace, *home; /* NULL: rules with that parameter match nothing */
};
/* The last matching rule wins. operation: a single one ("file-write-create", "file-read-data",
 * "process-exec", "network-outbound"); target: a path, or "HOST:PORT" for the network. An unknown
 * operation is VERDICT_NONE. */
enum verdict seatbelt_eval(const struct seatbelt_profile *p, const struct seatbelt_params *params,
			   const char *operation, const char *target);

static inline void cleanup_seatbelt_profile(struct seatbelt_profile **p)
{
	seatbelt_profile_free(*p);
}
#define auto_seatbelt_profile __attribute__((cleanup(cleanup_seatbelt_profile)))

#endif
