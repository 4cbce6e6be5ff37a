/* SPDX-License-Identifier: MIT */
/* Records of direct grants: the vectors of file 24, section 11, each byte flipped, binding, and the
 * active set. */
#include "base/base.h"

#include "runner/grant.h"

#include "base/clock.h"
#include "runner/grant_file.h"
#include "tests/unit/runner/runnertest.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>

#define PRIVATE_PEM                                                                                \
	"-----BEGIN PRIVATE KEY-----\n"                                                            \
	"MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n"                       \
	"-----END PRIVATE KEY-----\n"
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define FIELDS                                                                                     \
	"\"agent\":\"producer\",\"approval\":\"direct\",\"expires\":\"2026-10-13T12:00:00+00:"     \
	"00\","                                                                                    \
	"\"gates\":{\"lint\":"                                                                     \
	"\"0e55ee05501ed8eee369c904b241607c5840adc0cc174f6d2a2d1427866281df\"},"                   \
	"\"grant_id\":\"0123456789abcdef\",\"issued\":\"2026-10-06T12:00:00+00:00\","              \
	"\"key_id\":\"op1\",\"map_version\":\"1\",\"max_writes\":50,"                              \
	"\"server\":\"agentteams_runner\",\"server_sha256\":\"" ZEROS "\","                        \
	"\"tools\":[\"write_file\",\"read_file_hashed\"],\"write_scopes\":[\"src/\"]"
#define SIGNATURE                                                                                  \
	"a1773b32c8beeec4a779c29bbfd7adba50bd62da95914aac0bd9565095401924b91b4832a714fad845e0cd04" \
	"b995132f6367c4031205fb411447eddf5df9ae0c"
#define RECORD "{" FIELDS ",\"signature\":\"" SIGNATURE "\"}"
#define BRIEF                                                                                      \
	"{\"write_policy\": \"orchestrator-only\", \"proposal_gates\": {\"lint\": {\"argv\": "     \
	"[\"/usr/bin/true\", \"{file}\"], \"glob\": \"src/**.py\"}}, \"agent_policies\": "         \
	"{\"producer\": {\"write_scopes\": [\"src/\"]}}, \"mcp_grants\": {\"producer\": "          \
	"{\"tools\": [\"read_file_hashed\", \"write_file\"], \"approval\": \"direct\"}}}"

static struct errctx e;
static struct brief brief;
static struct sign_key *signer;
static struct grant_context context;
static struct grant_set set;

static int the_key(void *arg, struct view key_id, uint8_t ret[SIGN_PUBLIC_BYTES],
		   char fingerprint[SHA256_HEX + 1], struct errctx *why)
{
	(void)arg;
	if (!view_is(key_id, "op1"))
		return err_set(why, E_NOENT, "no such key");
	memcpy(ret, sign_key_public(signer), SIGN_PUBLIC_BYTES);
	(void)snprintf(fingerprint, SHA256_HEX + 1, "%s", ZEROS);
	return 0;
}

static void take_brief(const char *text)
{
	struct brief_input in = {.text = view_of(text), .rel = "docs/brief.json"};

	brief_release(&brief);
	cr_assert_eq(brief_parse(&in, &brief, &e), 0, "%s", e.text);
}

static int64_t at(const char *time)
{
	int64_t t;

	cr_assert_eq(clock_parse_iso8601(time, &t), 0);
	return t;
}

static void setup(void)
{
	cr_assert_eq(sign_key_parse(VIEW(PRIVATE_PEM), (struct view){0}, &signer, &e), 0);
	take_brief(BRIEF);
	context = (struct grant_context){.brief = &brief,
					 .server_sha256 = VIEW(ZEROS),
					 .now = at("2026-10-07T00:00:00+00:00"),
					 .key = the_key};
}

static void teardown(void)
{
	brief_release(&brief);
	sign_key_free(signer);
}

TestSuite(grant_record, .init = setup, .fini = teardown);

/* One record, unsigned, as a signed one. */
static void sign_text(const char *fields, char *out, size_t size)
{
	struct json *j = NULL;
	struct grant g;
	struct buf payload;
	char text[8192], signature[SIGN_HEX + 1];

	(void)snprintf(text, sizeof(text), "{%s}", fields);
	cr_assert_eq(json_parse(view_of(text), &j, &e), 0, "%s", e.text);
	cr_assert_eq(grant_parse(j, false, &g, &e), 0, "%s", e.text);
	buf_init(&payload, 65536);
	cr_assert_eq(grant_payload(&g, &payload), 0);
	sign_with(signer, buf_view(&payload), signature);
	cr_assert_lt(snprintf(out, size, "{%s, \"signature\": \"%s\"}", fields, signature),
		     (int)size);
	buf_release(&payload);
	json_free(j);
}

static size_t active(void)
{
	size_t n = 0;

	for (size_t i = 0; i < set.n; i++)
		n += set.item[i].active;
	return n;
}

/* The records as one file; "" for none. */
static void load(const char *a, const char *b, const char *c, const char *d)
{
	static char text[65536];
	const char *const records[] = {a, b, c, d};
	size_t n = 0;

	text[n++] = '[';
	for (size_t i = 0; i < ARRAY_LEN(records) && *records[i]; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? ", " : "",
				      records[i]);
	(void)snprintf(text + n, sizeof(text) - n, "]");
	cr_assert_eq(grant_set_parse(view_of(text), &context, &set, &e), 0, "%s", e.text);
}

/* Fields with a signature that belongs to the vector's. */
static const char *signed_by(const char *fields, const char *signature)
{
	static char out[8192];

	(void)snprintf(out, sizeof(out), "{%s,\"signature\":\"%s\"}", fields, signature);
	return out;
}

/* The fields with one text replaced. */
static const char *with(const char *old, const char *fresh)
{
	static char out[8192];
	const char *at_old = strstr(FIELDS, old);

	cr_assert_not_null(at_old, "%s", old);
	(void)snprintf(out, sizeof(out), "%.*s%s%s", (int)(at_old - FIELDS), FIELDS, fresh,
		       at_old + strlen(old));
	return out;
}

Test(grant_record, vectors)
{
	struct json *j = NULL;
	struct grant g;
	struct buf payload;
	char hex[SHA256_HEX + 1], signature[SIGN_HEX + 1];

	cr_assert_eq(json_parse(VIEW(RECORD), &j, &e), 0);
	cr_assert_eq(grant_parse(j, true, &g, &e), 0, "%s", e.text);
	buf_init(&payload, 65536);
	cr_assert_eq(grant_payload(&g, &payload), 0);
	cr_assert_str_eq(buf_text(&payload), "agentteams-mcp-direct-grant-v1|{" FIELDS "}");
	cr_assert_eq(payload.len, 487);
	sha256_hex(buf_view(&payload), hex);
	cr_assert_str_eq(hex, "ea44f20bbf77ba5dc677ee950493642d3da47769ffa25a492e54935d43d7dd8c");
	sign_with(signer, buf_view(&payload), signature);
	cr_assert_str_eq(signature, SIGNATURE);
	cr_assert_eq(grant_review_digest(&g, VIEW("/srv/demo"), hex), 0);
	cr_assert_str_eq(hex, "1634470185c0428ae07b93cbeb0c780cebf212f3d0258766c1edb42be0344018");
	cr_assert_eq(grant_verify(&g, &context, NULL, &e), 0, "%s", e.text);
	buf_release(&payload);
	json_free(j);
}

Test(grant_record, a_draft_is_what_the_brief_asks_for)
{
	const struct grant_terms t = {VIEW("0123456789abcdef"),
				      VIEW("op1"),
				      VIEW(ZEROS),
				      at("2026-10-06T12:00:00+00:00"),
				      at("2026-10-13T12:00:00+00:00"),
				      50};
	struct json *j = NULL;
	struct grant g;
	struct buf out, payload;

	buf_init(&out, 65536);
	buf_init(&payload, 65536);
	cr_assert_eq(grant_draft(&brief, VIEW("producer"), &t, &out, &e), 0, "%s", e.text);
	cr_assert_eq(json_parse(buf_view(&out), &j, &e), 0);
	cr_assert_eq(grant_parse(j, false, &g, &e), 0, "%s", e.text);
	cr_assert_eq(grant_payload(&g, &payload), 0);
	cr_assert_str_eq(buf_text(&payload), "agentteams-mcp-direct-grant-v1|{" FIELDS "}");
	cr_assert_eq(grant_draft(&brief, VIEW("nobody"), &t, &out, &e), E_DENIED);
	buf_release(&out);
	buf_release(&payload);
	json_free(j);
}

/* Field report A05: each bit of the file in turn; none is accepted but what says the same. */
Test(grant_record, no_flipped_byte_is_accepted)
{
	static char text[] = "[" RECORD "]";
	size_t n = strlen(text), same = 0;

	load(RECORD, "", "", "");
	cr_assert_eq(active(), 1, "%s", set.item[0].why);
	for (size_t i = 0; i < n; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct errctx why = {0};
			char old = text[i];

			text[i] ^= (char)(1u << bit);
			/* A capital in the signature is the same number. */
			if (text[i] &&
			    grant_set_parse((struct view){text, n}, &context, &set, &why) == 0 &&
			    active()) {
				cr_assert(i > (size_t)(strstr(text, "signature") - text), "%zu", i);
				cr_assert_eq(text[i] ^ old, 0x20, "%zu", i);
				same++;
			}
			text[i] = old;
		}
	}
	cr_assert_gt(same, 0);
}

Test(grant_record, shape)
{
	static const struct {
		const char *old, *fresh, *why;
	} bad[] = {
		{"\"max_writes\":50", "\"max_writes\":true", "max_writes"},
		{"\"max_writes\":50", "\"max_writes\":50.0", "max_writes"},
		{"\"max_writes\":50", "\"max_writes\":501", "max_writes"},
		{"\"max_writes\":50", "\"max_writes\":0", "max_writes"},
		{"\"max_writes\":50", "\"max_writes\":\"50\"", "max_writes"},
		{"2026-10-13T12:00:00+00:00", "2026-10-13T12:00:00", "expires"},
		{"2026-10-13T12:00:00+00:00", "2026-10-13T12:00:00Z", "expires"},
		{"2026-10-13T12:00:00+00:00", "2026-10-13T12:00:00+01:00", "expires"},
		{"2026-10-06T12:00:00+00:00", "2026-10-06 12:00:00+00:00", "issued"},
		{"\"key_id\":\"op1\"", "\"key_id\":\"../op1\"", "key_id"},
		{"\"key_id\":\"op1\"", "\"key_id\":\"\"", "key_id"},
		{"\"key_id\":\"op1\"", "\"key_id\":\".op1\"", "key_id"},
		{"\"grant_id\":\"0123456789abcdef\"", "\"grant_id\":\"0123\"", "grant_id"},
		{"\"agent\":\"producer\"", "\"agent\":\"Pro\"", "agent"},
		{"\"tools\":[", "\"alg\":\"none\",\"tools\":[", "unknown member"},
		{"\"server\":\"agentteams_runner\",", "", "server"},
		{"\"write_scopes\":[\"src/\"]", "\"write_scopes\":[1]", "write_scopes"},
		{"\"lint\":", "\"lint\":1,\"x\":", "gates"},
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		load(signed_by(with(bad[i].old, bad[i].fresh), SIGNATURE), "", "", "");
		cr_assert_eq(active(), 0, "%zu", i);
		cr_assert_not_null(strstr(set.item[0].why, bad[i].why), "%zu: %s", i,
				   set.item[0].why);
	}
	cr_assert_eq(grant_set_parse(VIEW("[" RECORD ",1]"), &context, &set, &e), E_TYPE);
	cr_assert_eq(grant_set_parse(VIEW("{}"), &context, &set, &e), E_TYPE);
	cr_assert_neq(
		grant_set_parse(VIEW("[{\"agent\":\"a\",\"agent\":\"b\"}]"), &context, &set, &e),
		0);
	cr_assert_neq(grant_set_parse(VIEW("[" RECORD), &context, &set, &e), 0, "truncated");
	cr_assert_eq(grant_set_parse(VIEW("[]"), &context, &set, &e), 0);
}

Test(grant_record, edited_fields_do_not_verify)
{
	static const char *const edits[][2] = {
		{"\"max_writes\":50", "\"max_writes\":60"},
		{"[\"write_file\",", "[\"write_file\",\"delete_file\","},
		{"\"agent\":\"producer\"", "\"agent\":\"reviewer\""},
		{"2026-10-13", "2026-10-20"},
		{"\"approval\":\"direct\"", "\"approval\":\"staged\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		load(signed_by(with(edits[i][0], edits[i][1]), SIGNATURE), "", "", "");
		cr_assert_eq(active(), 0, "%zu", i);
		cr_assert_not_null(strstr(set.item[0].why, "signature"), "%s", set.item[0].why);
	}
}

Test(grant_record, other_briefs_do_not_verify)
{
	static const struct {
		const char *old, *fresh, *why;
	} changes[] = {
		{"\"src/\"]}}", "\"src/\", \"docs/a\"]}}", "write_scopes"},
		{"/usr/bin/true", "/usr/bin/false", "gates"},
		{"\"src/**.py\"}", "\"src/**.py\"}, \"more\": {\"argv\": [\"/usr/bin/true\"]}",
		 "gates"},
		{"\"read_file_hashed\", ", "", "tools"},
		{"\"approval\": \"direct\"", "\"approval\": \"staged\"", "approval"},
		{"\"glob\": \"src/**.py\"", "\"glob\": \"docs/*\"", "GRANT_13"},
	};
	char text[4096];

	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		const char *where = strstr(BRIEF, changes[i].old);

		(void)snprintf(text, sizeof(text), "%.*s%s%s", (int)(where - BRIEF), BRIEF,
			       changes[i].fresh, where + strlen(changes[i].old));
		take_brief(text);
		load(RECORD, "", "", "");
		cr_assert_eq(active(), 0, "%zu", i);
		cr_assert_not_null(strstr(set.item[0].why, changes[i].why), "%zu: %s", i,
				   set.item[0].why);
	}
	take_brief(BRIEF);
	context.server_sha256 =
		VIEW("1000000000000000000000000000000000000000000000000000000000000000");
	load(RECORD, "", "", "");
	cr_assert_not_null(strstr(set.item[0].why, "server_sha256"), "%s", set.item[0].why);
}

Test(grant_record, the_confined_file_changes_nothing)
{
	struct brief_input in = {
		.text = VIEW(BRIEF),
		.confined = VIEW(
			"{\"gate_exec\": {\"lint\": [\"/usr/bin/true\"]}, \"gate_argv_sha256\": "
			"{\"lint\": "
			"\"6c6b7ae4b7bbf3a9d5f5d6e8a6d3a5be38a1ad4f2bb60c4d87d1c9ac7bd3ec47\"}}"),
		.rel = "docs/brief.json"};
	char digest[SHA256_HEX + 1], confined[512];

	cr_assert_eq(brief_argv_digest(&brief.gates[0].argv, digest), 0);
	(void)snprintf(confined, sizeof(confined),
		       "{\"gate_exec\": {\"lint\": [\"/usr/bin/true\"]}, \"gate_argv_sha256\": "
		       "{\"lint\": \"%s\"}}",
		       digest);
	in.confined = view_of(confined);
	brief_release(&brief);
	cr_assert_eq(brief_parse(&in, &brief, &e), 0, "%s", e.text);
	cr_assert_eq(brief.gates[0].exec.n, 1);
	load(RECORD, "", "", "");
	cr_assert_eq(active(), 1, "%s", set.item[0].why);
}

Test(grant_record, times)
{
	static const struct {
		const char *now;
		size_t active;
	} v[] = {{"2026-10-06T11:54:59+00:00", 0},
		 {"2026-10-06T11:55:00+00:00", 1},
		 {"2026-10-13T11:59:59+00:00", 1},
		 {"2026-10-13T12:00:00+00:00", 0}};
	char long_one[8192];

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		context.now = at(v[i].now);
		load(RECORD, "", "", "");
		cr_assert_eq(active(), v[i].active, "%s", v[i].now);
	}
	context.now = at("2026-10-07T00:00:00+00:00");
	sign_text(with("2026-10-13T12:00:00", "2026-11-05T12:00:00"), long_one, sizeof(long_one));
	load(long_one, "", "", "");
	cr_assert_eq(active(), 1, "30 days: %s", set.item[0].why);
	sign_text(with("2026-10-13T12:00:00", "2026-11-05T12:00:01"), long_one, sizeof(long_one));
	load(long_one, "", "", "");
	cr_assert_eq(active(), 0, "a second more");
	cr_assert_not_null(strstr(set.item[0].why, "GRANT_02"));
}

Test(grant_record, signed_text_that_deceives_is_refused)
{
	char record[8192];

	take_brief("{\"write_policy\": \"orchestrator-only\", \"agent_policies\": {\"producer\": "
		   "{\"write_scopes\": [\"src/a\\u202ebc\"]}}, \"mcp_grants\": {\"producer\": "
		   "{\"tools\": "
		   "[\"read_file_hashed\", \"write_file\"], \"approval\": \"direct\"}}}");
	sign_text("\"agent\":\"producer\",\"approval\":\"direct\",\"expires\":\"2026-10-13T12:00:"
		  "00+00:00\","
		  "\"gates\":{},\"grant_id\":\"0123456789abcdef\",\"issued\":\"2026-10-06T12:00:00+"
		  "00:00\","
		  "\"key_id\":\"op1\",\"map_version\":\"1\",\"max_writes\":50,"
		  "\"server\":\"agentteams_runner\",\"server_sha256\":\"" ZEROS "\","
		  "\"tools\":[\"write_file\",\"read_file_hashed\"],\"write_scopes\":[\"src/"
		  "a\\u202ebc\"]",
		  record, sizeof(record));
	load(record, "", "", "");
	cr_assert_eq(active(), 0);
	cr_assert_not_null(strstr(set.item[0].why, "hide or reorder"), "%s", set.item[0].why);
}

Test(grant_record, two_for_one_agent_and_too_many)
{
	static char text[8][8192];
	char brief_text[4096] = "";
	const char *const agents[] = {"a", "b", "c", "d"};

	sign_text(with("0123456789abcdef", "aaaaaaaaaaaaaaaa"), text[0], sizeof(text[0]));
	load(RECORD, text[0], "", "");
	cr_assert_eq(active(), 0);
	cr_assert_not_null(strstr(set.item[0].why, "two valid"), "%s", set.item[0].why);
	cr_assert_not_null(strstr(set.item[1].why, "two valid"), "%s", set.item[1].why);
	sign_text(with("0123456789abcdef", "bbbbbbbbbbbbbbbb"), text[1], sizeof(text[1]));
	load(RECORD, text[0], text[1], "");
	cr_assert_eq(active(), 0, "a third one");
	/* An invalid one beside it doesn't take the good one's place. */
	load(RECORD, signed_by(FIELDS, "00"), "", "");
	cr_assert_eq(active(), 1, "%s", set.item[0].why);

	(void)snprintf(
		brief_text, sizeof(brief_text),
		"{\"proposal_gates\": {\"lint\": {\"argv\": [\"/usr/bin/true\", \"{file}\"], "
		"\"glob\": "
		"\"src/**.py\"}}, \"agent_policies\": {\"a\": {\"write_scopes\": [\"src/\"]}, "
		"\"b\": "
		"{\"write_scopes\": [\"src/\"]}, \"c\": {\"write_scopes\": [\"src/\"]}, \"d\": "
		"{\"write_scopes\": [\"src/\"]}}, \"mcp_grants\": {\"a\": %s, \"b\": %s, \"c\": "
		"%s, "
		"\"d\": %s}}",
		"{\"tools\": [\"read_file_hashed\", \"write_file\"], \"approval\": \"direct\"}",
		"{\"tools\": [\"read_file_hashed\", \"write_file\"], \"approval\": \"direct\"}",
		"{\"tools\": [\"read_file_hashed\", \"write_file\"], \"approval\": \"direct\"}",
		"{\"tools\": [\"read_file_hashed\", \"write_file\"], \"approval\": \"direct\"}");
	take_brief(brief_text);
	for (size_t i = 0; i < 4; i++) {
		char fields[8192], id[40];
		const char *rest = strstr(FIELDS, "\"approval\""),
			   *old = strstr(FIELDS, "0123456789abcdef");

		(void)snprintf(id, sizeof(id), "%zu123456789abcdef", i);
		(void)snprintf(fields, sizeof(fields), "\"agent\":\"%s\",%.*s%s%s", agents[i],
			       (int)(old - rest), rest, id, old + 16);
		sign_text(fields, text[i], sizeof(text[i]));
	}
	load(text[0], text[1], text[2], "");
	cr_assert_eq(active(), 3, "%s", set.item[0].why);
	load(text[0], text[1], text[2], text[3]);
	cr_assert_eq(active(), 0);
	cr_assert_not_null(strstr(set.item[3].why, "more than 3"), "%s", set.item[3].why);
}

Test(grant_record, lists_do_not_melt_into_one)
{
	struct json *a = NULL, *b = NULL;
	struct grant x, y;
	struct buf p, q;
	char text[8192];

	(void)snprintf(text, sizeof(text), "{%s}", with("[\"src/\"]", "[\"a,b\"]"));
	cr_assert_eq(json_parse(view_of(text), &a, &e), 0);
	(void)snprintf(text, sizeof(text), "{%s}", with("[\"src/\"]", "[\"a\",\"b\"]"));
	cr_assert_eq(json_parse(view_of(text), &b, &e), 0);
	cr_assert_eq(grant_parse(a, false, &x, &e), 0);
	cr_assert_eq(grant_parse(b, false, &y, &e), 0);
	buf_init(&p, 65536);
	buf_init(&q, 65536);
	cr_assert_eq(grant_payload(&x, &p), 0);
	cr_assert_eq(grant_payload(&y, &q), 0);
	cr_assert_str_neq(buf_text(&p), buf_text(&q));
	cr_assert_eq(strncmp(buf_text(&p), "agentteams-mcp-direct-grant-v1|", 31), 0);
	buf_release(&p);
	buf_release(&q);
	json_free(a);
	json_free(b);
}

/* The keys of the operator: trust, root's folder, custody. */
Test(grant_record, which_keys_are_trusted)
{
	struct grant_keys keys = {.system_dir = "/nonexistent/verify-keys"};
	char path[64], fingerprint[SHA256_HEX + 1], raw[SHA256_HEX + 1], file[160], shared[160];
	const char *pinned[1] = {raw};
	uint8_t key[SIGN_PUBLIC_BYTES];
	int dir_fd = rt_dir(path);

	(void)setenv("HOME", path, 1);
	(void)snprintf(file, sizeof(file), "%s/.config/agentteams/verify-keys/op1.pub.pem", path);
	sign_fingerprint(sign_key_public(signer), raw);
	cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), E_NOENT);
	cr_assert_eq(grant_key_install(VIEW("op1"), sign_key_public(signer), &e), 0, "%s", e.text);
	cr_assert_eq(grant_key_install(VIEW("op1"), sign_key_public(signer), &e), E_EXISTS);
	cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), E_DENIED);
	cr_assert_not_null(strstr(e.text, "unknown signer"), "%s", e.text);
	cr_assert_eq(grant_key_trust(VIEW("op1"), sign_key_public(signer), &e), 0, "%s", e.text);
	cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), 0, "%s", e.text);
	cr_assert_str_eq(fingerprint,
			 "f0ff50dacf109dea7f716d7c03eb7a821aa3a283fd3fa02f4c14dbba7d3c3322");
	cr_assert_eq(grant_key_load(&keys, VIEW("../verify-keys/op1"), key, fingerprint, &e),
		     E_SYNTAX);
	/* --trust-key stands instead of the list. */
	keys.pinned = pinned;
	keys.n_pinned = 1;
	cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), 0);
	pinned[0] = ZEROS;
	cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), E_DENIED);
	keys.n_pinned = 0;
	cr_assert_eq(chmod(file, 0666), 0);
	cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), E_MODE);
	cr_assert_eq(chmod(file, 0644), 0);
	cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), 0);
	/* A folder above that others may write: no fault while there are no keys in it. */
	(void)snprintf(shared, sizeof(shared), "%s/shared/verify-keys", path);
	cr_assert_eq(mkdirat(dir_fd, "shared", 0755), 0);
	cr_assert_eq(fchmodat(dir_fd, "shared", 0777, 0), 0);
	keys.system_dir = shared;
	cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), 0, "%s", e.text);
	cr_assert_eq(mkdirat(dir_fd, "shared/verify-keys", 0755), 0);
	cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), E_MODE);
	keys.system_dir = "/nonexistent/verify-keys";
	if (geteuid() == 0) { /* root's folder alone decides, whatever the user trusts */
		char system_dir[128];

		(void)snprintf(system_dir, sizeof(system_dir), "%s/system", path);
		cr_assert_eq(mkdirat(dir_fd, "system", 0755), 0);
		keys.system_dir = system_dir;
		cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), E_NOENT);
		(void)snprintf(system_dir + strlen(system_dir), 20, "/op1.pub.pem");
		cr_assert_eq(rename(file, system_dir), 0);
		system_dir[strlen(path) + 7] = '\0';
		cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), 0, "%s",
			     e.text);
		keys.system_dir = "/nonexistent/verify-keys";
		cr_assert_eq(symlink("/dev/null", file), 0);
		cr_assert_eq(grant_key_load(&keys, VIEW("op1"), key, fingerprint, &e), E_LINK);
	}
}
