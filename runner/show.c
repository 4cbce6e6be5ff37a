/* SPDX-License-Identifier: MIT */
/*
 * A staged record as people read it: who, why, how old, whether it still applies, and the
 * difference against the file as it is now. Every text of an agent is printed with control, hidden
 * and bidirectional characters made visible, and counted (field report A10). System (reads the
 * project). Tests: tests/e2e/runner-staged.tap.
 */
#include "base/base.h"

#include "runner/verbs.h"

#include "base/limits.h"
#include "base/pathfd.h"
#include "base/io.h"
#include "base/utf8.h"
#include "runner/artifact.h"
#include "runner/diff.h"
#include "runner/land.h"

#include <fcntl.h>
#include <stdio.h>

#define RED   "\033[31m"
#define GREEN "\033[32m"
#define CYAN  "\033[36m"
#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

bool show_wants_color(const struct options *o)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (o->color)
		return true;
	return !o->no_color && (!no || !*no) && isatty(STDOUT_FILENO) && term &&
	       strcmp(term, "dumb") != 0;
}

struct view member_text(const struct json *j, const char *name)
{
	struct view v;

	if (json_get_str(json_member(j, name), &v) == 0)
		return v;
	return VIEW("");
}

static void color(const struct show *s, const char *code)
{
	if (s->color)
		fputs(code, stdout);
}

struct printer {
	const struct show *s;
	size_t escaped;
};

/* Long runs of blanks push what matters out of sight: they are counted instead. */
static size_t print_line(struct view v, bool tabs)
{
	size_t escaped = 0, start = 0;

	for (size_t i = 0; i < v.len;) {
		size_t run = 0;

		while (i + run < v.len && (v.ptr[i + run] == ' ' || v.ptr[i + run] == '\t'))
			run++;
		if (run > MAX_SHOWN_BLANKS) {
			escaped += print_text((struct view){v.ptr + start, i - start}, tabs);
			printf("[%zu blanks]", run);
			escaped++;
			start = i + run;
		}
		i += run ? run : 1;
	}
	return escaped + print_text((struct view){v.ptr + start, v.len - start}, tabs);
}

static void print_diff(void *arg, enum diff_kind kind, struct view text)
{
	struct printer *p = arg;

	switch (kind) {
	case DIFF_HUNK:
		color(p->s, CYAN);
		break;
	case DIFF_REMOVED:
		color(p->s, RED);
		putchar('-');
		break;
	case DIFF_ADDED:
		color(p->s, GREEN);
		putchar('+');
		break;
	case DIFF_SAME:
		putchar(' ');
		break;
	case DIFF_NO_NEWLINE:
		break;
	}
	if (kind == DIFF_NO_NEWLINE) /* its backslash is ours */
		fputs("\\ No newline at end of file", stdout);
	else
		p->escaped += print_line(text, true);
	color(p->s, PLAIN);
	putchar('\n');
}

static void field(const struct show *s, const char *name, struct view v, size_t *escaped)
{
	color(s, BOLD);
	printf("%-10s", name);
	color(s, PLAIN);
	*escaped += print_line(v, false); /* no line of an agent's that looks like a field */
	putchar('\n');
}

static int read_present(struct client *c, const char *rel, struct buf *out, struct target *t,
			struct errctx *e)
{
	auto_fd int fd = -1;
	int rc = target_open(c->root_fd, rel, t, e);

	if (rc != 0 || !t->exists)
		return rc;
	fd = openat(t->parent_fd, t->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "%s can't be opened", rel);
	return io_read_all(fd, out, MAX_BASE_FILE_BYTES);
}

static void show_age(const struct show *s, const struct json *record, size_t *escaped)
{
	int64_t age = 0;
	char text[96];
	struct view expires = member_text(record, "expires");

	ignored(json_get_int(json_member(record, "age_s"), &age));
	(void)snprintf(text, sizeof(text), "%lld:%02lld h, until %.*s", (long long)age / 3600,
		       (long long)age / 60 % 60, expires.len > 40 ? 40 : (int)expires.len,
		       expires.ptr);
	field(s, "age", view_of(text), escaped);
}

static void show_gates(const struct show *s, const struct json *gates, size_t *escaped)
{
	for (const struct json *g = json_first(gates); g; g = json_next(g)) {
		char text[MAX_NAME_BYTES + 64];
		int64_t code = -1;
		struct view name = member_text(g, "gate");

		ignored(json_get_int(json_member(g, "exit"), &code));
		(void)snprintf(text, sizeof(text), "%.*s: exit %lld",
			       name.len > MAX_NAME_BYTES ? MAX_NAME_BYTES : (int)name.len, name.ptr,
			       (long long)code);
		field(s, "gate", view_of(text), escaped);
	}
	if (json_count(gates) == 0)
		field(s, "gates", VIEW("none"), escaped);
}

static int show_change(struct client *c, const struct json *record, struct show *s,
		       struct printer *p, struct errctx *e)
{
	const struct json *artifact = json_member(record, "artifact");
	struct view content = member_text(artifact, "content");
	struct view base = member_text(artifact, "base_sha256");
	bool deletion = view_is(member_text(record, "kind"), "delete-proposal");
	char rel[MAX_PATH_BYTES + 1];
	auto_buf struct buf present = {0};
	struct target t;
	struct errctx why = {0};
	int rc = artifact_path(member_text(record, "path"), rel, e);

	if (rc != 0)
		return rc;
	buf_init(&present, MAX_BASE_FILE_BYTES + 1);
	rc = read_present(c, rel, &present, &t, &why);
	if (rc != 0) {
		field(s, "applies", VIEW("no"), &p->escaped);
		field(s, "because", view_of(why.text), &p->escaped);
		return 0;
	}
	s->fits = t.exists ? view_is(base, t.sha256) : view_is(base, "absent");
	if (s->fits) {
		field(s, "applies", VIEW("yes"), &p->escaped);
	} else {
		field(s, "applies", VIEW("no: the file changed since it was staged"), &p->escaped);
		field(s, "made for", base, &p->escaped);
		field(s, "now", view_of(t.exists ? t.sha256 : "absent"), &p->escaped);
	}
	target_release(&t);
	putchar('\n');
	color(s, BOLD);
	fputs("--- ", stdout);
	p->escaped += print_text(t.exists ? view_of(rel) : VIEW("/dev/null"), false);
	fputs("\n+++ ", stdout);
	p->escaped += print_text(deletion ? VIEW("/dev/null") : view_of(rel), false);
	color(s, PLAIN);
	putchar('\n');
	return diff_texts(buf_view(&present), deletion ? VIEW("") : content, print_diff, p, e);
}

int show_record(struct client *c, const struct json *record, struct show *s, struct errctx *e)
{
	struct printer p = {.s = s};
	struct view sid = member_text(record, "sid");
	int rc;

	s->fits = false;
	if (!json_is(json_member(record, "artifact"), JSON_OBJECT)) {
		field(s, "staged", sid, &p.escaped);
		field(s, "signature",
		      VIEW("bad: nothing of this record can be believed; reject it"), &p.escaped);
		return 0;
	}
	field(s, "staged", sid, &p.escaped);
	field(s, "agent", member_text(record, "agent"), &p.escaped);
	field(s, "kind", member_text(record, "kind"), &p.escaped);
	field(s, "path", member_text(record, "path"), &p.escaped);
	field(s, "why", member_text(json_member(record, "artifact"), "rationale"), &p.escaped);
	show_age(s, record, &p.escaped);
	show_gates(s, json_member(record, "gates"), &p.escaped);
	rc = show_change(c, record, s, &p, e);
	if (p.escaped) {
		color(s, BOLD);
		printf("warning: %zu hidden or misleading characters are shown escaped\n",
		       p.escaped);
		color(s, PLAIN);
	}
	return rc;
}
