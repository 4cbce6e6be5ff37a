/* SPDX-License-Identifier: MIT */
/* Staged records: what parses can be written again in canonical form, and packing for the keeper
 * loses nothing. */
#include "base/base.h"

#include "runner/record.h"
#include "runner/wire.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view text = {(const char *)data, size};
	struct record *r = calloc(1, sizeof(*r));
	struct staged_room *room = calloc(1, sizeof(*room));
	auto_buf struct buf once, packed, twice;
	struct staged back;
	struct wire_in in;
	size_t at;

	buf_init(&once, 1 << 24);
	buf_init(&twice, 1 << 24);
	buf_init(&packed, 1 << 24);
	if (r && room && record_parse(text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", r, NULL) == 0 &&
	    staged_emit(&r->fields, &once, &at) == 0) {
		staged_pack(&r->fields, &packed);
		in = (struct wire_in){.rest = buf_view(&packed)};
		if (staged_unpack(&in, &back, room) == 0 && wire_end(&in)) {
			FUZZ_REQUIRE(staged_emit(&back, &twice, &at) == 0);
			FUZZ_REQUIRE(view_eq(buf_view(&once), buf_view(&twice)));
		}
	}
	if (r)
		record_release(r);
	free(r);
	free(room);
	return 0;
}
