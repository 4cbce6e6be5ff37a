/* SPDX-License-Identifier: MIT */
/* Profiles: the reader takes any bytes; and any bytes as a path are refused or stay one path. */
#include "base/base.h"

#include "launcher/seatbelt.h"
#include "tests/fuzz/fuzz.h"

static void require_reader(struct view text)
{
	auto_seatbelt_profile struct seatbelt_profile *p = NULL;
	struct errctx e = {0};

	if (seatbelt_parse(text, &p, &e) != 0) {
		FUZZ_REQUIRE(!p && e.text[0]);
		return;
	}
	if (seatbelt_lint(p, &e) != 0)
		return;
	/* What the linter lets through denies by default and never opens the network as a whole. */
	FUZZ_REQUIRE(seatbelt_eval(p, NULL, "file-write-create", "/") != VERDICT_NONE);
	(void)seatbelt_eval(p, NULL, "file-read-data", "/Volumes/u/x");
	FUZZ_REQUIRE(seatbelt_eval(p, NULL, "network-outbound", "example.com:1") ==
		     seatbelt_eval(p, NULL, "network-outbound", "example.com:2"));
}

static void require_path(struct view bytes)
{
	char path[512];
	const char *one[1] = {path};
	struct seatbelt_launch l = {.scratch = "/s", .egress = SEATBELT_EGRESS_DENY};
	auto_buf struct buf out = {0};
	auto_seatbelt_profile struct seatbelt_profile *p = NULL;

	if (bytes.len >= sizeof(path) || (bytes.len && memchr(bytes.ptr, 0, bytes.len)))
		return;
	memcpy(path, bytes.ptr, bytes.len);
	path[bytes.len] = 0;
	l.protect = l.guards = (struct seatbelt_list){one, 1};
	buf_init(&out, SEATBELT_MAX_INLINE);
	if (seatbelt_launch_profile(&l, &out, NULL) != 0)
		return;
	FUZZ_REQUIRE(seatbelt_parse(buf_view(&out), &p, NULL) == 0);
	FUZZ_REQUIRE(seatbelt_lint(p, NULL) == 0);
	FUZZ_REQUIRE(seatbelt_profile_rules(p) == 22);
	FUZZ_REQUIRE(seatbelt_eval(p, NULL, "file-write-data", path) == VERDICT_DENY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view in = {(const char *)data, size};

	require_reader(in);
	require_path(in);
	return 0;
}
