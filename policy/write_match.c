/* SPDX-License-Identifier: MIT */
/*
 * The glob dialect of briefs, scopes and protected patterns (file 22, 5.1, 5.2 and 5.5). Pure. The
 * matcher is written out because fnmatch differs (escapes, classes, locale). '*' is matched without
 * recursion: at most pattern times text steps. Tests: tests/unit/policy/t_write.c.
 */
#include "base/base.h"

#include "policy/write.h"

#include "base/limits.h"
#include "base/pathstr.h"

/* One character: its length in bytes. Broken UTF-8 counts byte by byte. */
static size_t char_len(struct view v, size_t at)
{
	unsigned char c = (unsigned char)v.ptr[at];
	size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	return at + n <= v.len ? n : 1;
}

static uint32_t char_at(struct view v, size_t at, size_t n)
{
	uint32_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | (unsigned char)v.ptr[at + i];
	return value; /* UTF-8 sorts like its code points, so ranges compare right */
}

/* Where the bracket that opens at `at` closes; 0 if it doesn't. "[]a]" and "[!]a]" hold a ']'. */
static size_t bracket_end(struct view p, size_t at)
{
	size_t i = at + 1;

	if (i < p.len && p.ptr[i] == '!')
		i++;
	if (i < p.len && p.ptr[i] == ']')
		i++;
	while (i < p.len && p.ptr[i] != ']')
		i++;
	return i < p.len ? i : 0;
}

static bool bracket_has(struct view p, size_t at, size_t end, uint32_t c)
{
	size_t i = at + 1;
	bool negated = p.ptr[i] == '!';
	bool found = false;

	i += negated;
	while (i < end) {
		size_t n = char_len(p, i);
		uint32_t low = char_at(p, i, n), high = low;

		i += n;
		if (i + 1 < end && p.ptr[i] == '-') {
			n = char_len(p, i + 1);
			high = char_at(p, i + 1, n);
			i += 1 + n;
		}
		found = found || (c >= low && c <= high);
	}
	return found != negated;
}

static bool match_plain(struct view p, struct view t)
{
	size_t pi = 0, ti = 0, star = SIZE_MAX, star_text = 0;

	while (ti < t.len) {
		size_t n = char_len(t, ti), end = 0;
		uint32_t c = char_at(t, ti, n);

		if (pi < p.len && p.ptr[pi] == '*') {
			star = ++pi;
			star_text = ti;
			continue;
		}
		if (pi < p.len && p.ptr[pi] == '?') {
			pi++;
			ti += n;
			continue;
		}
		if (pi < p.len && p.ptr[pi] == '[')
			end = bracket_end(p, pi);
		if (end && bracket_has(p, pi, end, c)) {
			pi = end + 1;
			ti += n;
			continue;
		}
		if (!end && pi < p.len && char_len(p, pi) == n && char_at(p, pi, n) == c) {
			pi += n;
			ti += n;
			continue;
		}
		if (star == SIZE_MAX)
			return false;
		pi = star;
		star_text += char_len(t, star_text);
		ti = star_text;
	}
	while (pi < p.len && p.ptr[pi] == '*')
		pi++;
	return pi == p.len;
}

bool policy_glob(struct view pattern, struct view text, bool fold)
{
	char p[MAX_PATH_BYTES + 1], t[MAX_PATH_BYTES + 1];
	struct view fp, ft;

	if (!fold)
		return match_plain(pattern, text);
	if (pattern.len > MAX_PATH_BYTES || text.len > MAX_PATH_BYTES)
		return false;
	fp = (struct view){p, pathstr_fold(pattern, p)};
	ft = (struct view){t, pathstr_fold(text, t)};
	return match_plain(fp, ft);
}

/* rel equals top or lies below it, by component; both relative. */
static bool beneath(struct view rel, struct view top)
{
	struct view want, have;

	while (pathstr_next(&top, &want)) {
		if (!pathstr_next(&rel, &have) || !view_eq(want, have))
			return false;
	}
	return true;
}

static bool has_wildcard(struct view v)
{
	for (size_t i = 0; i < v.len; i++) {
		if (v.ptr[i] == '*' || v.ptr[i] == '?' || v.ptr[i] == '[')
			return true;
	}
	return false;
}

static bool has_dotdot(struct view v)
{
	struct view component;

	while (pathstr_next(&v, &component)) {
		if (view_is(component, ".."))
			return true;
	}
	return false;
}

static struct view drop_slashes(struct view v)
{
	while (v.len && v.ptr[v.len - 1] == '/')
		v.len--;
	return v;
}

/* Copies with '\' read as '/'; false if it doesn't fit. */
static bool read_slashes(struct view v, char *out, struct view *ret)
{
	if (v.len > MAX_PATH_BYTES)
		return false;
	for (size_t i = 0; i < v.len; i++)
		out[i] = v.ptr[i] == '\\' ? '/' : v.ptr[i];
	*ret = (struct view){out, v.len};
	return true;
}

static bool literal_covers(struct view scope, struct view rel)
{
	char clean[MAX_PATH_BYTES + 2];
	struct view top;
	int n;

	if (has_dotdot(scope) || (scope.len && scope.ptr[0] == '/'))
		return false;
	n = pathstr_clean(scope, clean, sizeof(clean));
	if (n <= 0)
		return false;
	top = (struct view){clean, (size_t)n};
	if (view_is(top, "."))
		return false; /* "./" never means everything */
	/* A folder scope covers what is strictly below it (20.3). */
	if (scope.ptr[scope.len - 1] == '/')
		return !view_eq(rel, top) && beneath(rel, top);
	return view_eq(rel, top);
}

static bool pattern_covers(struct view scope, struct view rel)
{
	bool below = scope.ptr[scope.len - 1] == '/';
	struct view want, have;

	while (pathstr_next(&scope, &want)) {
		if (!pathstr_next(&rel, &have))
			return false;
		if (have.ptr[0] == '.' && want.ptr[0] != '.')
			return false;
		if (!match_plain(want, have))
			return false;
	}
	/* Nothing may be left, or, below a pattern that ends in a slash, something must be. */
	return pathstr_next(&rel, &have) == below;
}

bool policy_scope_covers(struct view raw, struct view rel)
{
	char text[MAX_PATH_BYTES + 1];
	struct view scope;

	/* The callers' paths are clean; one that isn't would be taken by its letters. */
	if (raw.len == 0 || rel.len == 0 || has_dotdot(rel) || policy_scope_check(raw) ||
	    !read_slashes(raw, text, &scope))
		return false;
	return has_wildcard(scope) ? pattern_covers(scope, rel) : literal_covers(scope, rel);
}

const char *policy_scope_check(struct view raw)
{
	char text[MAX_PATH_BYTES + 1];
	struct view v, first = {0}, component;

	if (!read_slashes(raw, text, &v))
		return "a write scope is too long";
	if (has_dotdot(v))
		return "a write scope has a \"..\" segment";
	if (!has_wildcard(v))
		return NULL;
	if (v.ptr[0] == '/' || v.ptr[0] == '~')
		return "a write scope with a wildcard starts with '/' or '~'";
	for (size_t i = 0, start = 0; i <= v.len; i++) {
		if (i < v.len && v.ptr[i] != '/')
			continue;
		component = (struct view){v.ptr + start, i - start};
		start = i + 1;
		if (i == v.len && component.len == 0)
			break; /* one trailing slash is fine */
		if (component.len == 0 || view_is(component, "."))
			return "a write scope with a wildcard has an empty or \".\" segment";
		for (size_t k = 0; k + 1 < component.len; k++) {
			if (component.ptr[k] == '*' && component.ptr[k + 1] == '*')
				return "a write scope has \"**\"";
		}
		if (!first.ptr)
			first = component;
	}
	if (has_wildcard(first))
		return "a write scope has a wildcard in its first segment";
	if (policy_write_control(first, NULL, 0).verdict != VERDICT_ALLOW)
		return "a write scope with a wildcard starts in the control plane";
	return NULL;
}

bool policy_protect_covers(struct view pattern, struct view rel)
{
	char p[MAX_PATH_BYTES + 2], r[MAX_PATH_BYTES + 1];
	struct view fp, fr;

	pattern = drop_slashes(pattern);
	if (pattern.len > MAX_PATH_BYTES || rel.len > MAX_PATH_BYTES)
		return true; /* a deny rule that can't be looked at holds */
	fp = (struct view){p, pathstr_fold(pattern, p)};
	fr = (struct view){r, pathstr_fold(rel, r)};
	if (match_plain(fp, fr))
		return true;
	return !has_wildcard(fp) && fp.len && beneath(fr, fp);
}

const char *policy_protect_check(struct view v)
{
	struct view component;

	if (v.len == 0 || v.len > MAX_PATH_BYTES)
		return "a protected path is empty or too long";
	if (v.ptr[0] == '/' || v.ptr[0] == '~')
		return "a protected path is absolute; it could never match";
	while (pathstr_next(&v, &component)) {
		if (view_is(component, ".") || view_is(component, ".."))
			return "a protected path has a \".\" or \"..\" segment; it could never "
			       "match";
	}
	return NULL;
}

const char *policy_writes_check(struct view v)
{
	struct view rest = v, first = {0}, component;

	if (v.len == 0 || v.len > MAX_PATH_BYTES)
		return "a writes glob is empty or too long";
	if (v.ptr[0] == '/' || v.ptr[0] == '~' || (v.len > 1 && v.ptr[0] == '.' && v.ptr[1] == '.'))
		return "a writes glob starts with '/', '~' or \"..\"";
	if (!pathstr_next(&rest, &first) || has_wildcard(first))
		return "a writes glob has a wildcard before its first '/'";
	rest = v;
	if (policy_write_control(v, NULL, 0).verdict != VERDICT_ALLOW)
		return "a writes glob is in the control plane";
	while (pathstr_next(&rest, &component)) {
		if (view_is(component, ".."))
			return "a writes glob has a \"..\" segment";
	}
	return NULL;
}

const char *policy_root_check(struct view v)
{
	char clean[MAX_PATH_BYTES + 2];
	struct view top;
	int n;

	if (v.len == 0 || v.len > MAX_PATH_BYTES)
		return "a write root is empty or too long";
	if (v.ptr[0] == '/' || v.ptr[0] == '~')
		return "a write root starts with '/' or '~'";
	if (has_wildcard(v))
		return "a write root has a wildcard";
	if (has_dotdot(v))
		return "a write root has a \"..\" segment";
	n = pathstr_clean(v, clean, sizeof(clean));
	if (n <= 0)
		return "a write root is too long";
	top = (struct view){clean, (size_t)n};
	if (view_is(top, "."))
		return "a write root is the project itself";
	if (policy_write_control(top, NULL, 0).verdict != VERDICT_ALLOW)
		return "a write root is in the control plane";
	/* 4.4 names the whole folder, not only its agents and hooks. */
	if (beneath(top, VIEW(".github")))
		return "a write root is below .github";
	return NULL;
}
