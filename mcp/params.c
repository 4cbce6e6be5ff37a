/* SPDX-License-Identifier: MIT */
/* Tool arguments: schema and check from the same rows. Pure. Tested by tests/unit/mcp/t_params.c.
 */
#include "base/base.h"

#include "mcp/params.h"

#include "base/hex.h"
#include "base/limits.h"
#include "base/pathstr.h"

/* What each form means as a regular expression (both ECMA 262 and RE2 read it) and in words. */
static const struct {
	const char *pattern;
	const char *words;
} forms[] = {
	[FORM_ANY] = {NULL, NULL},
	[FORM_PATH] = {"^[^/~\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$",
		       "must be a path relative to the project root"},
	[FORM_TOKEN] = {"^[0-9a-f]{32}$", "must be 32 lower-case hex digits"},
	[FORM_BASE] = {"^([0-9a-f]{64}|absent)$",
		       "must be 64 lower-case hex digits or \"absent\" (take base_sha256 from "
		       "read_file_hashed)"},
	[FORM_GATE] = {"^[A-Za-z0-9._-]+$",
		       "must be a gate's name: letters, digits, dot, underscore, hyphen"},
};

static void emit_string(struct jsonw *w, const struct param_row *row)
{
	jsonw_kv_cstr(w, "type", "string");
	if (row->min > 0)
		jsonw_kv_int(w, "minLength", row->min);
	jsonw_kv_int(w, "maxLength", row->max);
	if (forms[row->form].pattern)
		jsonw_kv_cstr(w, "pattern", forms[row->form].pattern);
}

static void emit_property(struct jsonw *w, const struct param_row *row)
{
	jsonw_key(w, row->name);
	jsonw_obj(w);
	switch (row->type) {
	case PARAM_STRING:
		emit_string(w, row);
		break;
	case PARAM_STRINGS:
		jsonw_kv_cstr(w, "type", "array");
		jsonw_key(w, "items");
		jsonw_obj(w);
		emit_string(w, row);
		jsonw_obj_end(w);
		if (row->min_items > 0)
			jsonw_kv_int(w, "minItems", (int64_t)row->min_items);
		jsonw_kv_int(w, "maxItems", (int64_t)row->max_items);
		break;
	case PARAM_INTEGER:
		jsonw_kv_cstr(w, "type", "integer");
		jsonw_kv_int(w, "minimum", row->min);
		jsonw_kv_int(w, "maximum", row->max);
		break;
	}
	jsonw_kv_cstr(w, "description", row->description);
	jsonw_obj_end(w);
}

void params_emit_schema(struct jsonw *w, enum tool tool)
{
	size_t n;
	const struct param_row *rows = policy_params(&n);

	jsonw_obj(w);
	jsonw_kv_cstr(w, "type", "object");
	jsonw_key(w, "properties");
	jsonw_obj(w);
	for (size_t i = 0; i < n; i++)
		if (rows[i].tool == tool)
			emit_property(w, &rows[i]);
	jsonw_obj_end(w);
	jsonw_key(w, "required");
	jsonw_arr(w);
	for (size_t i = 0; i < n; i++)
		if (rows[i].tool == tool && rows[i].required)
			jsonw_cstr(w, rows[i].name);
	jsonw_arr_end(w);
	jsonw_kv_bool(w, "additionalProperties", false);
	jsonw_obj_end(w);
}

/* Length as JSON Schema counts it. v is valid UTF-8. */
static int64_t code_points(struct view v)
{
	int64_t n = 0;

	for (size_t i = 0; i < v.len; i++)
		n += ((unsigned char)v.ptr[i] & 0xc0) != 0x80;
	return n;
}

static bool is_gate_name(struct view v)
{
	for (size_t i = 0; i < v.len; i++)
		if (!isascii((unsigned char)v.ptr[i]) ||
		    !(isalnum((unsigned char)v.ptr[i]) || strchr("._-", v.ptr[i])))
			return false;
	return true;
}

static int check_path(const char *name, struct view v, struct errctx *e)
{
	int err = pathstr_check_relative(v);

	switch (err) {
	case 0:
		return 0;
	case E_OUTSIDE:
		return err_set(e, err,
			       "argument \"%s\": must be a path relative to the project root, "
			       "without \"..\" and not starting with '/' or '~'",
			       name);
	case E_RANGE:
		return err_set(e, err, "argument \"%s\": a path may not hold control characters",
			       name);
	case E_TOOBIG:
		return err_set(e, err,
			       "argument \"%s\": a path may have at most %d bytes, and %d in one "
			       "component",
			       name, MAX_PATH_BYTES, MAX_NAME_BYTES);
	default:
		return err_set(e, err, "argument \"%s\": no usable path (%s)", name, err_name(err));
	}
}

static int check_string(const struct param_row *row, struct view v, struct errctx *e)
{
	int64_t length = code_points(v);
	bool good = true;

	if (row->max_bytes > 0 && v.len > row->max_bytes)
		return err_set(e, E_TOOBIG,
			       "argument \"%s\": has %zu bytes, at most %zu are allowed", row->name,
			       v.len, row->max_bytes);
	if (length > row->max)
		return err_set(e, E_TOOBIG,
			       "argument \"%s\": has %lld characters, at most %lld are allowed",
			       row->name, (long long)length, (long long)row->max);
	if (length < row->min)
		return err_set(e, E_RANGE, "argument \"%s\": must have at least %lld character%s",
			       row->name, (long long)row->min, row->min == 1 ? "" : "s");
	switch (row->form) {
	case FORM_ANY:
		break;
	case FORM_PATH:
		return check_path(row->name, v, e);
	case FORM_TOKEN:
		good = hex_is_lower(v, 32);
		break;
	case FORM_BASE:
		good = hex_is_lower(v, 64) || view_is(v, "absent");
		break;
	case FORM_GATE:
		good = is_gate_name(v);
		break;
	}
	if (!good)
		return err_set(e, E_SYNTAX, "argument \"%s\": %s", row->name,
			       forms[row->form].words);
	return 0;
}

static int wrong_type(const struct param_row *row, const struct json *value, const char *wanted,
		      struct errctx *e)
{
	return err_set(e, E_TYPE, "argument \"%s\": must be %s, not %s", row->name, wanted,
		       json_type_name(json_type(value)));
}

static int check_strings(const struct param_row *row, const struct json *value, struct errctx *e)
{
	size_t n = json_count(value);

	if (n < row->min_items || n > row->max_items)
		return err_set(e, E_RANGE, "argument \"%s\": has %zu items, %zu to %zu are allowed",
			       row->name, n, row->min_items, row->max_items);
	for (const struct json *item = json_first(value); item; item = json_next(item)) {
		struct view v;
		int err;

		if (json_get_str(item, &v) != 0)
			return wrong_type(row, item, "an array of strings", e);
		err = check_string(row, v, e);
		if (err)
			return err;
	}
	return 0;
}

static int check_value(const struct param_row *row, const struct json *value, struct errctx *e)
{
	struct view text;
	int64_t number;

	switch (row->type) {
	case PARAM_STRING:
		if (json_get_str(value, &text) != 0)
			return wrong_type(row, value, "a string", e);
		return check_string(row, text, e);
	case PARAM_STRINGS:
		if (!json_is(value, JSON_ARRAY))
			return wrong_type(row, value, "an array of strings", e);
		return check_strings(row, value, e);
	case PARAM_INTEGER:
		if (!json_is(value, JSON_NUMBER))
			return wrong_type(row, value, "an integer", e);
		if (json_get_int(value, &number) != 0 || number < row->min || number > row->max)
			return err_set(e, E_RANGE,
				       "argument \"%s\": must be an integer from %lld to %lld",
				       row->name, (long long)row->min, (long long)row->max);
		return 0;
	}
	return err_set(e, E_INTERNAL, "argument \"%s\": no rule for its type", row->name);
}

static bool is_known(enum tool tool, struct view name)
{
	size_t n;
	const struct param_row *rows = policy_params(&n);

	for (size_t i = 0; i < n; i++)
		if (rows[i].tool == tool && view_is(name, rows[i].name))
			return true;
	return false;
}

int params_check(enum tool tool, const struct json *arguments, struct errctx *e)
{
	size_t n;
	const struct param_row *rows = policy_params(&n);

	for (const struct json *m = json_first(arguments); m; m = json_next(m)) {
		struct view key = json_key(m);

		if (!is_known(tool, key))
			return err_set(e, E_UNKNOWN, "unknown argument \"%.*s\" of %s",
				       (int)(key.len > 64 ? 64 : key.len), key.ptr,
				       policy_tool(tool)->name);
	}
	for (size_t i = 0; i < n; i++) {
		const struct json *value;
		int err;

		if (rows[i].tool != tool)
			continue;
		value = json_member(arguments, rows[i].name);
		if (!value && !rows[i].required)
			continue;
		if (!value)
			return err_set(e, E_MISSING, "argument \"%s\" of %s is missing",
				       rows[i].name, policy_tool(tool)->name);
		err = check_value(&rows[i], value, e);
		if (err)
			return err;
	}
	return 0;
}

struct view params_str(const struct json *arguments, const char *name)
{
	struct view v = {NULL, 0};

	if (json_get_str(json_member(arguments, name), &v) != 0)
		v = (struct view){NULL, 0};
	return v;
}

int64_t params_int(const struct json *arguments, const char *name, int64_t absent)
{
	int64_t n;

	return json_get_int(json_member(arguments, name), &n) == 0 ? n : absent;
}
