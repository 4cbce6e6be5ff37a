/* SPDX-License-Identifier: MIT */
/* The orchestrator's and operator's verbs (file 21, section 24; file 23, section 10). Each returns
 * the exit status. */
#ifndef RUNNER_VERBS_H
#define RUNNER_VERBS_H

#include "runner/client.h"

int verb_keygen(const struct options *o);
int verb_verify(struct client *c);
int verb_status(struct client *c);
int verb_issue(struct client *c);
int verb_proposal(struct client *c); /* --apply-proposal and --run-request */
int verb_wait(struct client *c);
int verb_list(struct client *c);
int verb_show(struct client *c);
int verb_apply(struct client *c);
int verb_reject(struct client *c);
int verb_review(struct client *c);

/* What several of them need. */
int verb_fail(const struct errctx *e); /* says it, returns 1 */
/* All staged records as the runner lists them, oldest first; pages are fetched one after another.
 */
struct staged_list {
	struct json **page;
	size_t n_pages;
	const struct json **item;
	size_t n;
};
int staged_list_fetch(struct client *c, struct staged_list *ret, struct errctx *e) must_check;
void staged_list_release(struct staged_list *l);
/* One record in full. */
int staged_fetch(struct client *c, const char *sid, struct json **ret, struct errctx *e) must_check;
/* Asks for approval or rejection; digest may be NULL. */
int staged_decide(struct client *c, const char *kind, const char *sid, const char *digest,
		  struct json **ret, struct errctx *e) must_check;

/* show.c: a record as people read it. */
struct show {
	bool color;
	bool fits; /* set by show_record: it can be applied as things are */
};
int show_record(struct client *c, const struct json *record, struct show *s,
		struct errctx *e) must_check;
bool show_wants_color(const struct options *o);

/* Text of a string member, "" if there is none. */
struct view member_text(const struct json *j, const char *name);

#endif
