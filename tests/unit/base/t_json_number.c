/* SPDX-License-Identifier: MIT */
/* Numbers: what is one, what is finite, and what is an exact integer, all decided by the spelling.
 */
#include "base/base.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct {
	const char *text;
	int parse, get;
	int64_t value;
} rows[] = {
	{"0", 0, 0, 0},
	{"-0", 0, 0, 0},
	{"1", 0, 0, 1},
	{"-1", 0, 0, -1},
	{"10", 0, 0, 10},
	{"9007199254740991", 0, 0, 9007199254740991},
	{"-9007199254740991", 0, 0, -9007199254740991},
	{"9007199254740992", 0, E_NUMBER, 0},
	{"9007199254740993", 0, E_NUMBER, 0},
	{"-9007199254740992", 0, E_NUMBER, 0},
	{"9223372036854775807", 0, E_NUMBER, 0},
	{"18446744073709551617", 0, E_NUMBER, 0},
	{"100000000000000000000000000000000000000", 0, E_NUMBER, 0},
	{"1.0", 0, E_NUMBER, 0},
	{"1.5", 0, E_NUMBER, 0},
	{"0.0", 0, E_NUMBER, 0},
	{"-0.0", 0, E_NUMBER, 0},
	{"1e2", 0, E_NUMBER, 0},
	{"1E2", 0, E_NUMBER, 0},
	{"1e0", 0, E_NUMBER, 0},
	{"1e+2", 0, E_NUMBER, 0},
	{"100e-2", 0, E_NUMBER, 0},
	{"0e0", 0, E_NUMBER, 0},
	{"1e308", 0, E_NUMBER, 0},
	{"1.7976931348623157e308", 0, E_NUMBER, 0},
	{"1.7976931348623158e308", 0, E_NUMBER, 0},
	{"1.797693134862315807937289714053034150799341327100378e308", 0, E_NUMBER, 0},
	{"1e-400", 0, E_NUMBER, 0},
	{"0e999999999999999999999", 0, E_NUMBER, 0},
	{"0.00000e999999999", 0, E_NUMBER, 0},
	{"0.00001e313", 0, E_NUMBER, 0},
	{"10000e304", 0, E_NUMBER, 0},
	{"1.7976931348623159e308", E_NUMBER, 0, 0},
	{"1.79769313486231580793728971405303415079934132710037827e308", E_NUMBER, 0, 0},
	{"17976931348623159e292", E_NUMBER, 0, 0},
	{"0.0000017976931348623159e314", E_NUMBER, 0, 0},
	{"1e309", E_NUMBER, 0, 0},
	{"-1e309", E_NUMBER, 0, 0},
	{"1e400", E_NUMBER, 0, 0},
	{"1e99999999999999999999999", E_NUMBER, 0, 0},
	{"00", E_SYNTAX, 0, 0},
	{"01", E_SYNTAX, 0, 0},
	{"-01", E_SYNTAX, 0, 0},
	{"+1", E_SYNTAX, 0, 0},
	{"-", E_SYNTAX, 0, 0},
	{"--1", E_SYNTAX, 0, 0},
	{".5", E_SYNTAX, 0, 0},
	{"1.", E_SYNTAX, 0, 0},
	{"-.5", E_SYNTAX, 0, 0},
	{"1.e1", E_SYNTAX, 0, 0},
	{"1e", E_SYNTAX, 0, 0},
	{"1e+", E_SYNTAX, 0, 0},
	{"1e-", E_SYNTAX, 0, 0},
	{"1e1.5", E_SYNTAX, 0, 0},
	{"1,5", E_SYNTAX, 0, 0},
	{"0x10", E_SYNTAX, 0, 0},
	{"1_000", E_SYNTAX, 0, 0},
	{"1a", E_SYNTAX, 0, 0},
	{"\xef\xbc\x91", E_SYNTAX, 0, 0},
};

Test(json_number, table)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_json struct json *j = NULL;
		int64_t n = 0;
		int r = json_parse(view_of(rows[i].text), &j, NULL);

		cr_assert_eq(r, rows[i].parse, "%s: %s", rows[i].text, err_name(r));
		if (r)
			continue;
		cr_assert(json_is(j, JSON_NUMBER));
		cr_assert_eq(json_get_int(j, &n), rows[i].get, "%s", rows[i].text);
		cr_assert_eq(n, rows[i].value, "%s: %lld", rows[i].text, (long long)n);
	}
}

/* The judgement by spelling agrees with the C library's in the "C" locale. */
Test(json_number, finite_agrees_with_strtod)
{
	uint64_t state = 42;

	for (int round = 0; round < 200000; round++) {
		char text[80];
		char *end;
		double value;
		int n, r;

		state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
		n = snprintf(text, sizeof(text), "%u.%.*se%d", (unsigned)(state >> 60) % 3 + 1,
			     (int)(state >> 40 & 31) + 1,
			     "7976931348623158079372897140530341507993",
			     (int)(state >> 33 & 3) + 306);
		if (state >> 32 & 1)
			text[(state >> 50) % (unsigned)(n - 5) + 2] =
				(char)('0' + (state >> 20) % 10);
		value = strtod(text, &end);
		cr_assert_eq(*end, 0);
		r = json_check(view_of(text), NULL);
		cr_assert_eq(r, isinf(value) ? E_NUMBER : 0, "%s", text);
	}
}

Test(json_number, length)
{
	char text[MAX_JSON_NUMBER_BYTES + 2] = "";
	auto_json struct json *j = NULL;

	memset(text, '1', MAX_JSON_NUMBER_BYTES);
	cr_assert_eq(json_parse(view_of(text), &j, NULL), 0);
	text[MAX_JSON_NUMBER_BYTES] = '1';
	cr_assert_eq(json_check(view_of(text), NULL), E_NUMBER);
	text[1] = '.';
	cr_assert_eq(json_check(view_of(text), NULL), E_NUMBER);
}

/* Inexact numbers are told from exact ones wherever they stand in the tree. */
Test(json_number, marks_go_to_the_right_numbers)
{
	static const char text[] =
		"{\"1.5\":[0,1.0,\"2.5\",[[3]],{\"a-1\":4e0,\"b\":[],\"c\":{}},5],"
		"\"x\":6,\"y\":{\"z\":[7.5]},\"w\":[-8,\"\\\"9.0\",10.0]}";
	static const struct {
		const char *path[3]; /* members, or the number of an element */
		int64_t value;	     /* -1: inexact */
	} numbers[] = {
		{{"1.5", "0"}, 0},     {{"1.5", "1"}, -1}, {{"1.5", "5"}, 5}, {{"x"}, 6},
		{{"y", "z", "0"}, -1}, {{"w", "0"}, -8},   {{"w", "2"}, -1},
	};
	auto_json struct json *j = NULL;

	cr_assert_eq(json_parse(view_of(text), &j, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		const struct json *at = j;
		int64_t n = 0;

		for (size_t k = 0; k < 3 && numbers[i].path[k]; k++) {
			const char *step = numbers[i].path[k];
			bool element = json_is(at, JSON_ARRAY);

			at = element ? json_first(at) : json_member(at, step);
			for (int skip = element ? *step - '0' : 0; skip > 0; skip--)
				at = json_next(at);
		}
		if (numbers[i].value == -1) {
			cr_assert_eq(json_get_int(at, &n), E_NUMBER, "row %zu", i);
			continue;
		}
		cr_assert_eq(json_get_int(at, &n), 0, "row %zu", i);
		cr_assert_eq(n, numbers[i].value, "row %zu", i);
	}
}
