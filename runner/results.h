/* SPDX-License-Identifier: MIT */
/*
 * Result files (file 21, section 10): written durably, acknowledged with the token that stands in
 * them (29.9), removed when acknowledged or old. Ages are measured by the boot clock. System.
 */
#ifndef RUNNER_RESULTS_H
#define RUNNER_RESULTS_H

#include "base/rand.h"
#include "runner/dirs.h"
#include "runner/reply.h"

struct result_entry {
	char id[ID_HEX + 1];
	char token[ID_HEX + 1];
	int64_t expires_ms; /* boot clock */
	bool secret;
};

struct results {
	struct result_entry *item; /* sorted by id */
	size_t n, cap;
	int64_t next_ms; /* when the next one expires; INT64_MAX: none */
};

int64_t boot_ms(void); /* CLOCK_BOOTTIME */

/* Reads what is there (file names, tokens, kinds), removes temporary files. */
int results_open(struct results *r, const struct dirs *d, struct errctx *e) must_check;
void results_release(struct results *r);

bool results_has(const struct results *r, const char *id);

/* Writes the result of one request. E_EXISTS: that id has one already. */
int results_put(struct results *r, const struct dirs *d, const struct reply *reply,
		const struct reply_frame *frame, struct errctx *e) must_check;
/* Replaces a result, or writes it again: what became of a staged record. */
int results_replace(struct results *r, const struct dirs *d, const struct reply *reply,
		    const struct reply_frame *frame, struct errctx *e) must_check;

/* Takes a result file that stands there already into the books. */
int results_adopt(struct results *r, const struct dirs *d, const char *id,
		  struct errctx *e) must_check;

/* Looks at the acknowledgements and at the clock. */
void results_expire(struct results *r, const struct dirs *d);

#endif
