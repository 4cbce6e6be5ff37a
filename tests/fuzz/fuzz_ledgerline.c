/* SPDX-License-Identifier: MIT */
/* Lines of the ledger and of the dispatch file: no bytes verify that the key didn't sign, and
 * reading members stays inside the line. */
#include "base/base.h"

#include "runner/records.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"action", "prev", "mac", "path", "seq"};
	struct view line = {(const char *)data, size}, v;
	struct dispatch_record r;
	struct mac_key k;
	auto_buf struct buf sealed = {0};
	int64_t n;

	mac_key_init(&k, VIEW("a key of the fuzz target, 32 bytes"));
	FUZZ_REQUIRE(mac_verify(&k, line) != 0);
	FUZZ_REQUIRE(dispatch_parse(&k, line, &r) != 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (mac_line_str(line, names[i], &v) == 0)
			FUZZ_REQUIRE(v.ptr >= line.ptr && v.ptr + v.len <= line.ptr + line.len);
		if (mac_line_int(line, names[i], &n) == 0)
			FUZZ_REQUIRE(n >= 0);
	}
	/* Sealed as a record it verifies, and no longer when a byte changes. */
	if (size < 3 || data[0] != '{' || data[size - 1] != '}' ||
	    memmem(data, size, "\"mac\": \"", 8))
		return 0;
	buf_init(&sealed, size + 200);
	(void)buf_put_view(&sealed, line);
	if (mac_seal(&k, &sealed, size - 1) != 0)
		return 0;
	FUZZ_REQUIRE(mac_verify(&k, buf_view(&sealed)) == 0);
	sealed.data[size / 2] ^= 4;
	FUZZ_REQUIRE(mac_verify(&k, buf_view(&sealed)) != 0);
	return 0;
}
