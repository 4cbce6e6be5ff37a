/* SPDX-License-Identifier: MIT */
/* Requests and artifacts of the queue: any bytes end in a request of a known kind, or in a refusal
 * with a text that holds none of them. A path that is accepted stays inside the project. */
#include "base/base.h"

#include "base/pathstr.h"
#include "base/utf8.h"
#include "runner/artifact.h"
#include "runner/request.h"
#include "tests/fuzz/fuzz.h"

static void require_path(struct view path)
{
	char out[MAX_PATH_BYTES + 1];
	struct view rest, part;

	if (artifact_path(path, out, NULL) != 0)
		return;
	rest = view_of(out);
	FUZZ_REQUIRE(rest.len > 0 && out[0] != '/' && out[rest.len - 1] != '/');
	while (pathstr_next(&rest, &part))
		FUZZ_REQUIRE(!view_is(part, "..") && !view_is(part, "."));
	FUZZ_REQUIRE(utf8_count_hidden(view_of(out)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view text = {(const char *)data, size};
	struct errctx e = {0};
	struct request r;
	struct artifact a;
	int rc = request_parse(text, &r, &e);

	FUZZ_REQUIRE(rc == 0 || e.text[0]);
	FUZZ_REQUIRE(rc != 0 || request_kind_name(r.kind));
	if (rc == 0 && artifact_parse(r.artifact, false, &a, &e) == 0) {
		require_path(a.path.ptr ? a.path : VIEW(""));
		FUZZ_REQUIRE(artifact_excerpt(a.rationale.ptr ? a.rationale : VIEW("")).len <=
			     4 * (size_t)MAX_ROW_CHARS);
		artifact_release(&a);
	}
	request_release(&r);
	require_path(text);
	return 0;
}
