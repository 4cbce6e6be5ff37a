/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/err.h"
#include "base/limits.h"
#include "base/pathstr.h"

#include <criterion/criterion.h>

Test(pathstr, next_skips_empty_components)
{
	static const struct {
		const char *path, *parts;
	} rows[] = {
		{"", ""},
		{"/", ""},
		{"///", ""},
		{"a", "a|"},
		{"a/b", "a|b|"},
		{"/a//b/", "a|b|"},
		{"./../x", ".|..|x|"},
		{"a/./b/..", "a|.|b|..|"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct view rest = view_of(rows[i].path), part;
		char joined[64] = "";
		size_t n = 0;

		while (pathstr_next(&rest, &part)) {
			memcpy(joined + n, part.ptr, part.len);
			n += part.len;
			joined[n++] = '|';
		}
		joined[n] = 0;
		cr_assert_str_eq(joined, rows[i].parts);
		cr_assert_not(pathstr_next(&rest, &part), "the end stays the end");
	}
	cr_assert_not(pathstr_next(&(struct view){NULL, 0}, &(struct view){NULL, 0}));
}

Test(pathstr, base)
{
	static const struct {
		const char *path, *base;
	} rows[] = {
		{"", ""},      {"/", ""},      {"//", ""},  {"a", "a"},	     {"a/b", "b"},
		{"a/b/", "b"}, {"a/b//", "b"}, {"/a", "a"}, {"/a/..", ".."}, {"a/.git", ".git"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		cr_assert(view_is(pathstr_base(view_of(rows[i].path)), rows[i].base), "row %zu", i);
	cr_assert_eq(pathstr_base(view_of(NULL)).len, 0);
}

Test(pathstr, dots_are_the_two_that_every_folder_lists)
{
	static const char *const others[] = {"", "...", ".a", "..a", "./", "a", " ."};

	cr_expect(pathstr_is_dots("."));
	cr_expect(pathstr_is_dots(".."));
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		cr_expect(!pathstr_is_dots(others[i]), "%s", others[i]);
}

Test(pathstr, beneath_compares_whole_components)
{
	static const struct {
		const char *path, *top;
		bool beneath;
	} rows[] = {
		{"/a/b", "/a", true},  {"/a", "/a", true},   {"/a", "/", true},
		{"/", "/", true},      {"/ab", "/a", false}, {"/a", "/ab", false},
		{"/a", "/a/b", false}, {"/", "/a", false},   {"/a-b/c", "/a", false},
		{"a/b", "a", false},   {"", "/", false},     {"/a", "", false},
		{"/A/b", "/a", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		cr_assert_eq(pathstr_beneath(view_of(rows[i].path), view_of(rows[i].top)),
			     rows[i].beneath, "row %zu", i);
}

Test(pathstr, check_relative)
{
	static const struct {
		struct view path;
		int code;
	} rows[] = {
		{VIEW("src/a.py"), 0},
		{VIEW("."), 0},
		{VIEW("./a"), 0},
		{VIEW("a/./b/"), 0},
		{VIEW("a//b"), 0},
		{VIEW("a~"), 0},
		{VIEW("a/~b"), 0},
		{VIEW("..a/b..c/..."), 0},
		{VIEW(".git"), 0},
		{VIEW("caf\xc3\xa9"), 0},
		{VIEW("a b"), 0},
		{VIEW("a\\..\\b"), 0},
		{VIEW(""), E_SYNTAX},
		{VIEW("/"), E_OUTSIDE},
		{VIEW("/etc/passwd"), E_OUTSIDE},
		{VIEW("//a"), E_OUTSIDE},
		{VIEW("~"), E_OUTSIDE},
		{VIEW("~root/x"), E_OUTSIDE},
		{VIEW(".."), E_OUTSIDE},
		{VIEW("../a"), E_OUTSIDE},
		{VIEW("a/.."), E_OUTSIDE},
		{VIEW("a/../b"), E_OUTSIDE},
		{VIEW("a//..//b"), E_OUTSIDE},
		{VIEW("a\0/../../ok"), E_NUL},
		{VIEW("\0"), E_NUL},
		{VIEW("a\nb"), E_RANGE},
		{VIEW("a\tb"), E_RANGE},
		{VIEW("a\x1b[2K"), E_RANGE},
		{VIEW("a\x7f"), E_RANGE},
		{VIEW("a\xff"), E_UTF8},
		{VIEW("\xc0\xae\xc0\xae/a"), E_UTF8},
		{VIEW("\xed\xa0\x80"), E_UTF8},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		cr_assert_eq(pathstr_check_relative(rows[i].path), rows[i].code, "row %zu: %d", i,
			     pathstr_check_relative(rows[i].path));
}

Test(pathstr, check_relative_sizes)
{
	static char path[MAX_PATH_BYTES + 2];

	memset(path, 'a', sizeof(path));
	cr_assert_eq(pathstr_check_relative((struct view){path, MAX_NAME_BYTES}), 0);
	cr_assert_eq(pathstr_check_relative((struct view){path, MAX_NAME_BYTES + 1}), E_TOOBIG);
	for (size_t i = 99; i < sizeof(path); i += 100)
		path[i] = '/';
	cr_assert_eq(pathstr_check_relative((struct view){path, MAX_PATH_BYTES}), 0);
	cr_assert_eq(pathstr_check_relative((struct view){path, MAX_PATH_BYTES + 1}), E_TOOBIG);
}

Test(pathstr, clean)
{
	static const struct {
		const char *path, *clean;
	} rows[] = {
		{"", "."},
		{".", "."},
		{"./", "."},
		{"./.", "."},
		{"/", "/"},
		{"//", "/"},
		{"/.", "/"},
		{"/./", "/"},
		{"a", "a"},
		{"a/", "a"},
		{"./a", "a"},
		{"a//b", "a/b"},
		{"a/./b/.", "a/b"},
		{"//a//b//", "/a/b"},
		{"a/../b", "a/../b"},
		{"/..", "/.."},
		{"../a/./..", "../a/.."},
		{"...", "..."},
		{".a/b.", ".a/b."},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char out[32];
		size_t n = strlen(rows[i].clean);

		cr_assert_eq(pathstr_clean(view_of(rows[i].path), out, sizeof(out)), (int)n);
		cr_assert_str_eq(out, rows[i].clean);
		memset(out, 'z', sizeof(out));
		cr_assert_eq(pathstr_clean(view_of(rows[i].path), out, n + 1), (int)n, "row %zu",
			     i);
		cr_assert_eq(out[n + 1], 'z');
		cr_assert_eq(pathstr_clean(view_of(rows[i].path), out, n), E_TOOBIG, "row %zu", i);
		cr_assert_eq(pathstr_clean(view_of(rows[i].path), out, 0), E_TOOBIG);
		memcpy(out, rows[i].path, strlen(rows[i].path));
		cr_assert_eq(
			pathstr_clean((struct view){out, strlen(rows[i].path)}, out, sizeof(out)),
			(int)n, "in place");
		cr_assert_str_eq(out, rows[i].clean);
	}
	cr_assert_eq(pathstr_clean(VIEW("a\0b"), (char[8]){0}, 8), E_NUL);
}

Test(pathstr, fold)
{
	static const struct {
		struct view in;
		const char *out;
	} rows[] = {
		{{"", 0}, ""},
		{{NULL, 0}, ""},
		{VIEW(".GIT/Config"), ".git/config"},
		{VIEW("[\\]^_`@{"), "[\\]^_`@{"},
		{VIEW("cla\xc5\xbf"
		      "\xc5\xbf"
		      "ify"),
		 "classify"},
		{VIEW("\xe2\x84\xaa"
		      "ey"),
		 "key"},
		{VIEW(".\xc3\x9fh"), ".ssh"},
		{VIEW(".\xe1\xba\x9eh"), ".ssh"},
		{VIEW("con\xef\xac\x81g"), "config"},
		{VIEW("\xef\xac\x80\xef\xac\x82\xef\xac\x83\xef\xac\x84"), "ffflffiffl"},
		{VIEW("\xef\xac\x85\xef\xac\x86"), "stst"},
		{VIEW(".g\xe2\x80\x8cit"), ".git"},
		{VIEW("\xef\xbb\xbf.git\xc2\xad"), ".git"},
		{VIEW("\xc3\x89"), "\xc3\x89"},
		{VIEW("A\xff\xc5Z"), "a\xff\xc5z"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char out[32];
		size_t n = pathstr_fold(rows[i].in, out);

		cr_assert(view_is((struct view){out, n}, rows[i].out), "row %zu", i);
		if (rows[i].in.len)
			memcpy(out, rows[i].in.ptr, rows[i].in.len);
		n = pathstr_fold((struct view){out, rows[i].in.len}, out);
		cr_assert(view_is((struct view){out, n}, rows[i].out), "row %zu in place", i);
	}
}
