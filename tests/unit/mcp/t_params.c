/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "mcp/params.h"

#include "base/limits.h"

#include <criterion/criterion.h>

#define D "\"dispatch\":\"0123456789abcdef0123456789abcdef\""
#define R "\"rationale\":\"why\""
#define B "\"base_sha256\":\"absent\""

static const struct {
	enum tool tool;
	const char *arguments;
	int err;
	const char *named; /* what the text must name */
} rows[] = {
	{TOOL_WRITE_FILE, "{" D ",\"path\":\"a/b\",\"content\":\"\"," B "," R "}", 0, NULL},
	{TOOL_WRITE_FILE,
	 "{" D ",\"path\":\"a/b\",\"content\":\"x\"," B "," R ",\"gates\":[\"lint\"]}", 0, NULL},
	{TOOL_WRITE_FILE, "{}", E_MISSING, "dispatch"},
	{TOOL_WRITE_FILE, "{" D ",\"path\":\"a\",\"content\":\"x\"," B "}", E_MISSING, "rationale"},
	{TOOL_WRITE_FILE, "{" D ",\"path\":\"a\",\"content\":\"x\"," B ",\"rationale\":\"\"}",
	 E_RANGE, "rationale"},
	{TOOL_WRITE_FILE, "{" D ",\"path\":\"a\",\"content\":7," B "," R "}", E_TYPE, "content"},
	{TOOL_WRITE_FILE, "{" D ",\"path\":\"a\",\"content\":null," B "," R "}", E_TYPE, "content"},
	{TOOL_WRITE_FILE, "{" D ",\"path\":\"a\",\"content\":\"x\"," B "," R ",\"mode\":1}",
	 E_UNKNOWN, "mode"},
	{TOOL_WRITE_FILE, "{" D ",\"path\":\"a\",\"Content\":\"x\"," B "," R "}", E_UNKNOWN,
	 "Content"},
	{TOOL_WRITE_FILE,
	 "{\"dispatch\":\"0123456789ABCDEF0123456789abcdef\",\"path\":\"a\",\"content\":\"x\"," B
	 "," R "}",
	 E_SYNTAX, "dispatch"},
	{TOOL_WRITE_FILE,
	 "{" D ",\"path\":\"a\",\"content\":\"x\",\"base_sha256\":\"Absent\"," R "}", E_SYNTAX,
	 "base_sha256"},
	{TOOL_WRITE_FILE, "{" D ",\"path\":\"a\",\"content\":\"x\"," B "," R ",\"gates\":\"lint\"}",
	 E_TYPE, "gates"},
	{TOOL_WRITE_FILE,
	 "{" D ",\"path\":\"a\",\"content\":\"x\"," B "," R ",\"gates\":[\"a b\"]}", E_SYNTAX,
	 "gates"},
	{TOOL_WRITE_FILE, "{" D ",\"path\":\"a\",\"content\":\"x\"," B "," R ",\"gates\":[1]}",
	 E_TYPE, "gates"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"a\"}", 0, NULL},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"a\",\"start_line\":1,\"max_lines\":10}", 0, NULL},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"a\",\"start_line\":0}", E_RANGE, "start_line"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"a\",\"start_line\":1.5}", E_RANGE, "start_line"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"a\",\"start_line\":\"1\"}", E_TYPE, "start_line"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"\"}", E_RANGE, "path"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"/etc/passwd\"}", E_OUTSIDE, "path"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"~/x\"}", E_OUTSIDE, "path"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"../x\"}", E_OUTSIDE, "path"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"a/../../x\"}", E_OUTSIDE, "path"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"a\\nb\"}", E_RANGE, "path"},
	{TOOL_READ_FILE_HASHED, "{\"path\":\"a\\u007fb\"}", E_RANGE, "path"},
	{TOOL_READ_FILE_HASHED, "{\"path\":[\"a\"]}", E_TYPE, "path"},
	{TOOL_RUN_COMMAND, "{" D ",\"argv\":[\"make\",\"\"],\"purpose\":\"p\"}", 0, NULL},
	{TOOL_RUN_COMMAND, "{" D ",\"argv\":[],\"purpose\":\"p\"}", E_RANGE, "argv"},
	{TOOL_RUN_COMMAND, "{" D ",\"argv\":\"make\",\"purpose\":\"p\"}", E_TYPE, "argv"},
	{TOOL_RUN_COMMAND,
	 "{" D ",\"argv\":[\"make\"],\"purpose\":\"p\",\"expected_writes\":[\"../x\"]}", E_OUTSIDE,
	 "expected_writes"},
	{TOOL_REQUEST_STATUS, "{\"request_id\":\"../x\"}", E_RANGE, "request_id"},
	{TOOL_REQUEST_STATUS, "{\"request_id\":\"0123456789abcdef0123456789abcdeg\"}", E_SYNTAX,
	 "request_id"},
	{TOOL_REQUEST_STATUS, "{\"request_id\":7}", E_TYPE, "request_id"},
};

Test(params, every_error_names_the_argument)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json *arguments = NULL;
		struct errctx e = {0};

		cr_assert_eq(json_parse(view_of(rows[i].arguments), &arguments, &e), 0, "row %zu",
			     i);
		cr_assert_eq(params_check(rows[i].tool, arguments, &e), rows[i].err, "row %zu: %s",
			     i, e.text);
		if (rows[i].named)
			cr_assert(strstr(e.text, rows[i].named), "row %zu: %s", i, e.text);
		json_free(arguments);
	}
}

Test(params, no_arguments_at_all_miss_the_first_required_one)
{
	struct errctx e = {0};

	cr_assert_eq(params_check(TOOL_READ_FILE_HASHED, NULL, &e), E_MISSING);
	cr_assert(strstr(e.text, "path"));
}

static char *quoted(const char *before, char c, size_t n, const char *after)
{
	size_t size = strlen(before) + n + strlen(after) + 1;
	char *text = malloc(size);
	size_t used = (size_t)snprintf(text, size, "%s", before);

	memset(text + used, c, n);
	(void)snprintf(text + used + n, size - used - n, "%s", after);
	return text;
}

static int check_content(size_t n)
{
	char *text = quoted("{" D ",\"path\":\"a\"," B "," R ",\"content\":\"", 'x', n, "\"}");
	struct json *arguments = NULL;
	int err = json_parse(view_of(text), &arguments, NULL);

	if (!err)
		err = params_check(TOOL_WRITE_FILE, arguments, NULL);
	json_free(arguments);
	free(text);
	return err;
}

Test(params, content_is_bounded_by_its_bytes)
{
	cr_assert_eq(check_content(MAX_CONTENT_BYTES), 0);
	cr_assert_eq(check_content(MAX_CONTENT_BYTES + 1), E_TOOBIG);
}

Test(params, schemas_are_valid_json_and_name_each_argument_once)
{
	size_t n;
	const struct param_row *rows_of_all = policy_params(&n);

	for (int t = 0; t < N_TOOLS; t++) {
		struct buf out;
		struct jsonw w;
		struct json *schema = NULL;
		const struct json *properties;
		size_t mine = 0;

		buf_init(&out, 1 << 20);
		jsonw_init(&w, &out, JSONW_COMPACT);
		params_emit_schema(&w, (enum tool)t);
		cr_assert_eq(buf_error(&out), 0);
		cr_assert_eq(json_parse(buf_view(&out), &schema, NULL), 0);
		properties = json_member(schema, "properties");
		for (size_t i = 0; i < n; i++) {
			if (rows_of_all[i].tool != (enum tool)t)
				continue;
			mine++;
			cr_assert_not_null(json_member(properties, rows_of_all[i].name));
		}
		cr_assert_eq(json_count(properties), mine);
		json_free(schema);
		buf_release(&out);
	}
}
