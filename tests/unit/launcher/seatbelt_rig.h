/* SPDX-License-Identifier: MIT */
/* Sample policies of each profile, shared by the golden files and the tests of meaning. */
#ifndef TESTS_SEATBELT_RIG_H
#define TESTS_SEATBELT_RIG_H

#include "base/base.h"

#include "launcher/seatbelt.h"

#include <criterion/criterion.h>

#define LIST(...)                                                                                  \
	{                                                                                          \
		(const char *const[]){__VA_ARGS__},                                                \
			sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)                \
	}

static const struct seatbelt_launch sample_launch = {
	.scratch = "/Volumes/u/work/p",
	.writable = LIST("/Volumes/u/other (1)", "/private/tmp/coord"),
	.protect = LIST("/Volumes/u/work/p/.claude",
			"/Volumes/u/work/p/.goose/recipes/references/agent-privilege.json"),
	.ancestors = LIST("/Volumes/u/work/p/.goose", "/Volumes/u/work/p/.goose/recipes",
			  "/Volumes/u/work/p/.goose/recipes/references"),
	.guards = LIST("/Volumes/u/work/p/.claude", "/Volumes/u/work/p/.git/hooks"),
	.masks = LIST("/Volumes/u/.ssh", "/Volumes/u/work/p/secrets/live"),
	.egress = SEATBELT_EGRESS_DENY,
};

static const struct seatbelt_command sample_command = {
	.project = "/Volumes/u/work/p",
	.tmp = "/private/var/folders/zz/run-1",
	.keys = "/Volumes/u/.config/agentteams/keys",
	.writable = LIST("/Volumes/u/work/p/build"),
	.programs = LIST("/bin", "/usr/bin", "/Library/Developer/CommandLineTools"),
};

static const struct seatbelt_goose sample_goose = {
	.network = SEATBELT_GOOSE_OPEN,
	.home = "/Volumes/u",
};

/* Appends the profile and reads it again; the text stays in *text (release it). */
static inline struct seatbelt_profile *parsed(const struct buf *text)
{
	struct seatbelt_profile *p = NULL;
	struct errctx e = {0};

	cr_assert_eq(seatbelt_parse(buf_view(text), &p, &e), 0, "%s\n%s", e.text, buf_text(text));
	cr_assert_eq(seatbelt_lint(p, &e), 0, "%s\n%s", e.text, buf_text(text));
	return p;
}

static inline struct seatbelt_profile *launch_profile(const struct seatbelt_launch *l)
{
	auto_buf struct buf text = {0};
	struct errctx e = {0};

	buf_init(&text, SEATBELT_MAX_INLINE);
	cr_assert_eq(seatbelt_launch_profile(l, &text, &e), 0, "%s", e.text);
	return parsed(&text);
}

static inline struct seatbelt_profile *command_profile(const struct seatbelt_command *c)
{
	auto_buf struct buf text = {0};
	struct errctx e = {0};

	buf_init(&text, SEATBELT_MAX_INLINE);
	cr_assert_eq(seatbelt_command_profile(c, &text, &e), 0, "%s", e.text);
	return parsed(&text);
}

static inline struct seatbelt_profile *goose_profile(const struct seatbelt_goose *g)
{
	auto_buf struct buf text = {0};
	struct errctx e = {0};

	buf_init(&text, SEATBELT_MAX_INLINE);
	cr_assert_eq(seatbelt_goose_profile(g, &text, &e), 0, "%s", e.text);
	return parsed(&text);
}

struct question {
	const char *operation, *target;
	bool allowed;
};

static inline void ask_all(const struct seatbelt_profile *p, const struct seatbelt_params *params,
			   const struct question *q, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum verdict v = seatbelt_eval(p, params, q[i].operation, q[i].target);

		cr_assert_eq(v, q[i].allowed ? VERDICT_ALLOW : VERDICT_DENY, "%s %s is %s",
			     q[i].operation, q[i].target, verdict_name(v));
	}
}

#endif
