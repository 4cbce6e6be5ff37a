/* SPDX-License-Identifier: MIT */
/* Lexical paths: each function against the plain meaning of its promise. */
#include "base/base.h"

#include "base/err.h"
#include "base/limits.h"
#include "base/pathstr.h"
#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"

/* True if some piece between slashes is exactly the text. */
static bool has_piece(struct view path, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= path.len; i++)
		if (memcmp(path.ptr + i, text, n) == 0 && (i == 0 || path.ptr[i - 1] == '/') &&
		    (i + n == path.len || path.ptr[i + n] == '/'))
			return true;
	return false;
}

static void require_check(struct view path)
{
	int r = pathstr_check_relative(path);
	size_t piece = 0, longest = 0;
	bool control = false;

	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];

		piece = c == '/' ? 0 : piece + 1;
		longest = piece > longest ? piece : longest;
		control = control || c < 0x20 || c == 0x7f;
	}
	FUZZ_REQUIRE((r == 0) ==
		     (path.len > 0 && path.len <= MAX_PATH_BYTES && !control &&
		      utf8_valid(path, NULL) && path.ptr[0] != '/' && path.ptr[0] != '~' &&
		      !has_piece(path, "..") && longest <= MAX_NAME_BYTES));
}

/* The components of a cleaned path are those of the path, without ".". */
static void require_same_components(struct view path, struct view clean)
{
	struct view part, clean_part;

	if (view_is(clean, "."))
		clean.len = 0;
	while (pathstr_next(&path, &part)) {
		FUZZ_REQUIRE(part.len > 0 && !memchr(part.ptr, '/', part.len));
		if (view_is(part, "."))
			continue;
		FUZZ_REQUIRE(pathstr_next(&clean, &clean_part) && view_eq(part, clean_part));
	}
	FUZZ_REQUIRE(!pathstr_next(&clean, &clean_part));
}

static void require_clean(struct view path, char *out, char *again)
{
	int n = pathstr_clean(path, out, path.len + 2), m;
	struct view clean, base;

	if (path.len && memchr(path.ptr, 0, path.len)) {
		FUZZ_REQUIRE(n == E_NUL);
		return;
	}
	FUZZ_REQUIRE(n > 0 && (size_t)n == strlen(out));
	clean = (struct view){out, (size_t)n};
	FUZZ_REQUIRE((path.len && path.ptr[0] == '/') == (out[0] == '/'));
	FUZZ_REQUIRE(!strstr(out, "//") && (n == 1 || out[n - 1] != '/'));
	FUZZ_REQUIRE(!has_piece(clean, ".") || n == 1);
	require_same_components(path, clean);
	m = pathstr_clean(clean, again, (size_t)n + 1);
	FUZZ_REQUIRE(m == n && memcmp(out, again, (size_t)n + 1) == 0);
	FUZZ_REQUIRE(pathstr_clean(clean, again, (size_t)n) == E_TOOBIG);
	base = pathstr_base(clean);
	FUZZ_REQUIRE(base.ptr + base.len == out + n || view_is(clean, "/"));
	FUZZ_REQUIRE(pathstr_beneath(clean, clean) == (out[0] == '/'));
	FUZZ_REQUIRE(pathstr_beneath(clean, VIEW("/")) == (out[0] == '/'));
	/* Every shorter prefix that ends at a component is above it, no other is. Some of a long
	 * path's. */
	for (size_t i = 1; out[0] == '/' && i < clean.len; i += 1 + clean.len / 64)
		FUZZ_REQUIRE(pathstr_beneath(clean, (struct view){out, i}) ==
			     (out[i] == '/' || out[i - 1] == '/'));
}

static void require_fold(struct view path, char *out, char *again)
{
	size_t n = pathstr_fold(path, out), m;

	FUZZ_REQUIRE(n <= path.len);
	for (size_t i = 0; i < n; i++)
		FUZZ_REQUIRE(out[i] < 'A' || out[i] > 'Z');
	if (path.len)
		memcpy(again, path.ptr, path.len);
	m = pathstr_fold((struct view){again, path.len}, again);
	FUZZ_REQUIRE(m == n && memcmp(out, again, n) == 0);
	if (!utf8_valid(path, NULL))
		return;
	FUZZ_REQUIRE(utf8_valid((struct view){out, n}, NULL));
	m = pathstr_fold((struct view){out, n}, again);
	FUZZ_REQUIRE(m == n && memcmp(out, again, n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view path = {(const char *)data, size};
	auto_free char *out = malloc(size + 2);
	auto_free char *again = malloc(size + 2);

	if (!out || !again)
		abort();
	require_check(path);
	require_clean(path, out, again);
	require_fold(path, out, again);
	return 0;
}
