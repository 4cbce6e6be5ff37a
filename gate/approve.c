/* SPDX-License-Identifier: MIT */
/* Approvals. The signature is checked over the bytes before anything in them is read.
 * Test: tests/e2e/t0402-gate-rules.tap. */
#include "base/base.h"

#include "gate/approve.h"

#include "base/clock.h"
#include "base/hex.h"
#include "base/json.h"

enum { SIGNATURE_BYTES = 64, MAX_LINE = 4096 };

struct digest {
	struct sha256 h;
	bool unknown;
	size_t n;
};

static void on_site(void *arg, const struct fields *argv, struct span span)
{
	struct digest *d = arg;

	(void)span;
	for (uint32_t i = 0; i < argv->n; i++) {
		d->unknown |= !known(argv->v[i].v) || argv->v[i].multi;
		sha256_update(&d->h, argv->v[i].v.ptr, argv->v[i].v.len);
		sha256_update(&d->h, "", 1);
	}
	sha256_update(&d->h, "", 1);
	d->n++;
}

void command_digest(struct arena *a, const struct gate_context *ctx, struct view command,
		    char ret[SHA256_HEX + 1])
{
	struct digest d = {.n = 0};
	struct answer ignored;
	uint8_t sum[SHA256_BYTES];

	sha256_init(&d.h);
	decide_command(a, ctx, command, on_site, &d, &ignored);
	sha256_final(&d.h, sum);
	if (d.unknown || d.n == 0)
		sha256_of(command, sum);
	hex_encode(ret, sum, sizeof(sum));
}

static bool member_is(const struct json *j, const char *name, struct view want)
{
	struct view v;

	return json_get_str(json_member(j, name), &v) == 0 && view_eq(v, want);
}

/* The class that a line approves, or GATE_NONE. */
static enum gate_class approved(struct view line, const uint8_t *key, const char *digest,
				struct view project, int64_t now)
{
	const char *blank = view_rchr(line, ' ');
	uint8_t signature[SIGNATURE_BYTES];
	struct view object, cls, until;
	auto_json struct json *j = NULL;
	int64_t expires;

	if (!blank || line.len > MAX_LINE)
		return GATE_NONE;
	object = (struct view){line.ptr, (size_t)(blank - line.ptr)};
	if (hex_decode(view_sub(line, object.len + 1), signature, sizeof(signature)) != 0 ||
	    !signature_valid(signature, object, key) || json_parse(object, &j, NULL) != 0)
		return GATE_NONE;
	if (!member_is(j, "sha256", view_of(digest)) || !member_is(j, "project", project) ||
	    json_get_str(json_member(j, "class"), &cls) != 0 ||
	    json_get_str(json_member(j, "expires"), &until) != 0 ||
	    clock_parse_iso8601(until.ptr, &expires) != 0 || expires <= now)
		return GATE_NONE;
	return gate_class_by_name(cls);
}

void approvals_apply(struct view text, const uint8_t *key, const char *digest, struct view project,
		     int64_t now, struct answer *answer, struct finding *kept)
{
	bool classes[N_GATE_CLASSES] = {false};
	uint32_t n = 0;

	if (answer->verdict != VERDICT_ASK || answer->exhausted)
		return;
	while (text.len) {
		const char *nl = view_chr(text, '\n');
		struct view line = nl ? (struct view){text.ptr, (size_t)(nl - text.ptr)} : text;

		text = nl ? view_sub(text, line.len + 1) : VIEW("");
		if (line.len)
			classes[approved(line, key, digest, project, now)] = true;
	}
	classes[GATE_NONE] = false;
	for (uint32_t i = 0; i < answer->n_findings; i++)
		if (answer->findings[i].verdict != VERDICT_ASK || !classes[answer->findings[i].cls])
			kept[n++] = answer->findings[i];
	answer->findings = kept;
	answer->n_findings = n;
	if (n == 0)
		answer->verdict = VERDICT_ALLOW;
}
