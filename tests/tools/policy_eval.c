/* SPDX-License-Identifier: MIT */
/*
 * Driver without effects for verdict tables: reads tests/cases/ files, asks policy/, prints TAP.
 * With
 * --coverage it adds one test for each row of the tables: is there a case on either side of its
 * edge?
 */
#include "base/base.h"

#include "policy/policy.h"

#include "base/err.h"
#include "base/limits.h"
#include "base/pathstr.h"
#include "policy/row.h"

#include <errno.h>
#include <stdio.h>

enum { MAX_WORDS = 16, MAX_WORD = 8192, MAX_EXTRA = 8 };

struct testcase {
	enum verdict verdict;
	char rule[32];
	char via[32];
	char names[3][MAX_WORD]; /* requested, resolved, opened */
	struct view views[3];
	char match[MAX_WORD];
	struct view match_view;
	char which[16];
	char extra_text[MAX_EXTRA][256];
	struct deny_entry extra[MAX_EXTRA];
	size_t n_extra;
};

enum side { SIDE_DENIED = 1 << 0, SIDE_ALLOWED = 1 << 1 };
struct seen {
	char id[32];
	unsigned sides;
};
static struct seen seen[1024];
static size_t n_seen;
static unsigned n_tests, n_bad;

static void die(const char *file, unsigned line, const char *why)
{
	printf("Bail out! %s:%u: %s\n", file, line, why);
	exit(1);
}

static void report(bool ok, const char *file, unsigned line, const char *text)
{
	n_tests++;
	n_bad += !ok;
	printf("%s %u - %s:%u %s\n", ok ? "ok" : "not ok", n_tests, file, line, text);
}

static void note_seen(const char *id, enum side side)
{
	size_t i = 0;

	while (i < n_seen && strcmp(seen[i].id, id) != 0)
		i++;
	if (i == n_seen && n_seen < ARRAY_LEN(seen))
		(void)snprintf(seen[n_seen++].id, sizeof(seen[0].id), "%s", id);
	if (i < ARRAY_LEN(seen))
		seen[i].sides |= side;
}

static size_t put_utf8(unsigned long cp, char *out)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

/* \xHH, \u{HEX}, \e (nothing), \r{TEXT,COUNT}; false if the word is malformed or too long. */
static bool unescape(const char *in, char *out, size_t size, struct view *ret)
{
	size_t n = 0;

	while (*in != '\0') {
		char *end;

		if (n + 8 > size)
			return false;
		if (*in != '\\') {
			out[n++] = *in++;
		} else if (in[1] == 'e') {
			in += 2;
		} else if (in[1] == 'x') {
			char hex[3] = {in[2], in[2] ? in[3] : '\0', '\0'};

			out[n++] = (char)strtoul(hex, &end, 16);
			if (end != hex + 2)
				return false;
			in += 4;
		} else if (in[1] == 'u' && in[2] == '{') {
			n += put_utf8(strtoul(in + 3, &end, 16), out + n);
			if (*end != '}')
				return false;
			in = end + 1;
		} else if (in[1] == 'r' && in[2] == '{') {
			const char *comma = strchr(in + 3, ',');
			size_t len = comma ? (size_t)(comma - in - 3) : 0;
			unsigned long times = comma ? strtoul(comma + 1, &end, 10) : 0;

			if (len == 0 || *end != '}' || n + len * times + 8 > size)
				return false;
			for (unsigned long i = 0; i < times; i++, n += len)
				memcpy(out + n, in + 3, len);
			in = end + 1;
		} else {
			return false;
		}
	}
	out[n] = '\0';
	*ret = (struct view){out, n};
	return true;
}

/* One of "name=..." words; false for an unknown one. */
static bool take_option(struct testcase *c, const char *word)
{
	static const char *const names[] = {"requested=", "resolved=", "opened="};
	struct view text;
	const char *why;
	size_t n;

	for (int i = 1; i < 3; i++)
		if (strncmp(word, names[i], strlen(names[i])) == 0)
			return unescape(word + strlen(names[i]), c->names[i], MAX_WORD,
					&c->views[i]);
	if (strncmp(word, "match=", 6) == 0)
		return unescape(word + 6, c->match, sizeof(c->match), &c->match_view);
	if (strncmp(word, "which=", 6) == 0)
		return snprintf(c->which, sizeof(c->which), "%s", word + 6) > 0;
	if (strncmp(word, "via=", 4) == 0)
		return snprintf(c->via, sizeof(c->via), "%s", word + 4) > 0;
	if (strncmp(word, "add=", 4) == 0 && c->n_extra < MAX_EXTRA) {
		if (!unescape(word + 4, c->extra_text[c->n_extra], sizeof(c->extra_text[0]), &text))
			return false;
		if (policy_deny_parse(text, &c->extra[c->n_extra], 1, &n, &why) != 0 || n != 1)
			return false;
		c->n_extra++;
		return true;
	}
	return false;
}

static bool parse(char *line, struct testcase *c)
{
	char *words[MAX_WORDS], *save = NULL;
	int n = 0;

	memset(c, 0, sizeof(*c));
	for (char *w = strtok_r(line, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save)) {
		if (n == MAX_WORDS)
			return false;
		words[n++] = w;
	}
	if (n < 3)
		return false;
	c->verdict = strcmp(words[0], "allow") == 0  ? VERDICT_ALLOW
		     : strcmp(words[0], "deny") == 0 ? VERDICT_DENY
						     : VERDICT_NONE;
	if (c->verdict == VERDICT_NONE)
		return false;
	(void)snprintf(c->rule, sizeof(c->rule), "%s", words[1]);
	if (!unescape(words[2], c->names[0], MAX_WORD, &c->views[0]))
		return false;
	for (int i = 3; i < n; i++)
		if (!take_option(c, words[i]))
			return false;
	return true;
}

static bool holds(struct view v, struct view text)
{
	return text.len > 0 && text.len <= v.len &&
	       memmem(v.ptr, v.len, text.ptr, text.len) != NULL;
}

/* A near miss has to be near: a piece of the row's text, but for one byte at an end, stands in it.
 */
static bool is_near(const struct deny_row *row, struct view path)
{
	char folded[MAX_WORD];
	struct view f = {folded, pathstr_fold(path, folded)};
	const char *cut = strpbrk(row->text, "*/");
	size_t head = cut ? (size_t)(cut - row->text) : strlen(row->text);
	struct view pieces[] = {{row->text, head}, view_of(cut ? cut + 1 : "")};

	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		struct view p = pieces[i];

		if (p.len < 2)
			continue;
		if (holds(f, (struct view){p.ptr, p.len - 1}) ||
		    holds(f, (struct view){p.ptr + 1, p.len - 1}))
			return true;
	}
	return false;
}

static const struct deny_row *find_row(const char *id)
{
	size_t n;
	const struct deny_row *rows = denylist_rows(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].id, id) == 0)
			return &rows[i];
	return NULL;
}

static const char *strip_text(const char *id)
{
	size_t n;
	const struct strip_row *rows = match_strips(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].id, id) == 0)
			return rows[i].text;
	return NULL;
}

static void check(const char *file, unsigned line, struct testcase *c)
{
	struct path_query q = {c->views[0], c->views[1], c->views[2], c->extra, c->n_extra};
	struct decision d = policy_path_read(&q);
	const struct deny_row *row = find_row(c->rule);
	char text[512];
	bool ok = d.verdict == c->verdict;

	if (c->verdict == VERDICT_DENY)
		ok = ok && d.rule && strcmp(d.rule, c->rule) == 0 && d.reason && d.which;
	else
		ok = ok && !d.rule && !d.reason && !d.which && d.match.len == 0;
	if (c->which[0] != '\0')
		ok = ok && d.which && strcmp(d.which, c->which) == 0;
	if (c->match_view.ptr != NULL)
		ok = ok && view_eq(d.match, c->match_view);
	if (c->verdict == VERDICT_ALLOW && row != NULL && !is_near(row, c->views[0])) {
		printf("# not near %s\n", c->rule);
		ok = false;
	}
	if (c->via[0] != '\0') {
		const char *piece = strip_text(c->via);

		ok = ok && piece && holds(c->views[0], view_of(piece));
	}
	(void)snprintf(text, sizeof(text), "%s %s", verdict_name(c->verdict), c->rule);
	report(ok, file, line, text);
	if (!ok)
		printf("# got %s %s %s \"%.*s\"\n", verdict_name(d.verdict), d.rule ? d.rule : "-",
		       d.which ? d.which : "-", (int)d.match.len, d.match.ptr ? d.match.ptr : "");
	note_seen(c->rule, c->verdict == VERDICT_ALLOW ? SIDE_ALLOWED : SIDE_DENIED);
	if (c->via[0] != '\0')
		note_seen(c->via, SIDE_DENIED);
}

static void run_file(const char *path)
{
	static struct testcase c;
	const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char *line = NULL;
	size_t size = 0;
	unsigned number = 0;
	FILE *in = fopen(path, "re");

	if (in == NULL)
		die(path, 0, strerror(errno));
	while (getline(&line, &size, in) >= 0) {
		number++;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (!parse(line, &c))
			die(path, number, "this line can't be read");
		check(file, number, &c);
	}
	free(line);
	(void)fclose(in);
}

static void cover(const char *id, unsigned sides)
{
	unsigned have = 0;

	for (size_t i = 0; i < n_seen; i++)
		if (strcmp(seen[i].id, id) == 0)
			have = seen[i].sides;
	report((have & sides) == sides, id, sides, "has its cases");
}

static void coverage(void)
{
	size_t n;
	const struct deny_row *rows = denylist_rows(&n);
	const struct strip_row *strips;
	const struct form_row *forms;

	for (size_t i = 0; i < n; i++)
		cover(rows[i].id, SIDE_DENIED | SIDE_ALLOWED);
	rows = denylist_exceptions(&n);
	for (size_t i = 0; i < n; i++)
		cover(rows[i].id, SIDE_ALLOWED);
	strips = match_strips(&n);
	for (size_t i = 0; i < n; i++)
		cover(strips[i].id, SIDE_DENIED);
	forms = pathread_forms(&n);
	for (size_t i = 0; i < n; i++)
		cover(forms[i].id, SIDE_DENIED | SIDE_ALLOWED);
	cover("internal", SIDE_DENIED);
	cover("DENY_OPERATOR", SIDE_DENIED);
}

int main(int argc, char **argv)
{
	bool want_coverage = argc > 1 && strcmp(argv[1], "--coverage") == 0;

	if (argc < 2 + want_coverage) {
		fprintf(stderr, "usage: policy_eval [--coverage] FILE...\n");
		return 2;
	}
	for (int i = 1 + want_coverage; i < argc; i++)
		run_file(argv[i]);
	if (want_coverage)
		coverage();
	printf("1..%u\n", n_tests);
	return n_bad ? 1 : 0;
}
