/* SPDX-License-Identifier: MIT */
/*
 * --review: one staged change after another in a terminal, like "git add -p": show, then apply,
 * reject with a reason, skip or quit. What is approved is named by the digest of what was shown.
 * System. Tests: tests/e2e/runner-client.tap.
 */
#include "base/base.h"

#include "runner/verbs.h"

#include "base/limits.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static const char help[] = "a  apply this change\n"
			   "r  reject it (asks for a reason)\n"
			   "s  skip it\n"
			   "d  show it again\n"
			   "q  quit; what wasn't decided stays staged\n"
			   "?  this help\n";

/* One line of the terminal without its line feed; false at its end. */
static bool ask(FILE *tty, const char *prompt, char *out, size_t size)
{
	size_t n;

	fputs(prompt, stdout);
	if (fflush(stdout) != 0 || !fgets(out, (int)size, tty))
		return false;
	n = strlen(out);
	if (n && out[n - 1] == '\n')
		out[n - 1] = '\0';
	return true;
}

static void decide(struct client *c, const char *kind, const struct json *record)
{
	auto_json struct json *result = NULL;
	struct view sid = member_text(record, "sid"), hash = member_text(record, "content_sha256");
	char id[ID_HEX + 1] = "", digest[65] = "";
	struct errctx e = {0};

	if (hash.len == 0) /* a deletion is named by what it deletes */
		hash = member_text(json_member(record, "artifact"), "base_sha256");
	(void)snprintf(id, sizeof(id), "%.*s", (int)sid.len, sid.ptr);
	(void)snprintf(digest, sizeof(digest), "%.*s", (int)hash.len, hash.ptr);
	if (staged_decide(c, kind, id, strcmp(kind, "apply-staged") == 0 ? digest : NULL, &result,
			  &e) != 0) {
		(void)verb_fail(&e);
		return;
	}
	if (result_ok(result)) {
		puts(strcmp(kind, "apply-staged") == 0 ? "applied" : "rejected");
	} else {
		struct view why = result_error(result);

		log_error("refused: %.*s", (int)why.len, why.ptr);
	}
}

enum answer { NEXT, AGAIN, QUIT };

static enum answer handle(struct client *c, FILE *tty, const struct json *record)
{
	struct options with_reason = *c->opt;
	struct client copy = *c;
	char line[256], reason[MAX_LOG_LINE_BYTES];

	if (!ask(tty, "\nApply this change? [a,r,s,d,q,?] ", line, sizeof(line)))
		return QUIT;
	switch (line[0]) {
	case 'a':
		decide(c, "apply-staged", record);
		return NEXT;
	case 'r':
		if (!ask(tty, "Reason: ", reason, sizeof(reason)))
			return QUIT;
		with_reason.reason = reason;
		copy.opt = &with_reason;
		decide(&copy, "reject-staged", record);
		return NEXT;
	case 's':
		return NEXT;
	case 'd':
		return AGAIN;
	case 'q':
		return QUIT;
	default:
		fputs(help, stdout);
		return AGAIN;
	}
}

static enum answer review_one(struct client *c, FILE *tty, const struct json *item, size_t at,
			      size_t n)
{
	struct view sid = member_text(item, "sid");
	char id[ID_HEX + 1] = "";
	enum answer answer = AGAIN;

	(void)snprintf(id, sizeof(id), "%.*s", (int)sid.len, sid.ptr);
	while (answer == AGAIN) {
		auto_json struct json *result = NULL;
		struct errctx e = {0};
		struct show s = {.color = show_wants_color(c->opt)};

		if (staged_fetch(c, id, &result, &e) != 0) {
			(void)verb_fail(&e);
			return QUIT;
		}
		if (!result_ok(result))
			return NEXT; /* decided meanwhile */
		printf("\n(%zu of %zu)\n", at, n);
		if (show_record(c, result_value(result), &s, &e) != 0)
			(void)verb_fail(&e);
		answer = handle(c, tty, result_value(result));
	}
	return answer;
}

int verb_review(struct client *c)
{
	struct staged_list l;
	struct errctx e = {0};
	FILE *tty;
	size_t i;

	/* Decisions come from a person's terminal, never from a pipe. */
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		(void)err_set(&e, E_USAGE,
			      "--review needs a terminal; use --apply-staged and "
			      "--reject-staged instead");
		return verb_fail(&e);
	}
	if (staged_list_fetch(c, &l, &e) != 0)
		return verb_fail(&e);
	tty = stdin;
	for (i = 0; i < l.n; i++) {
		if (review_one(c, tty, l.item[i], i + 1, l.n) == QUIT)
			break;
	}
	if (l.n == 0)
		puts("nothing is staged");
	staged_list_release(&l);
	return 0;
}
