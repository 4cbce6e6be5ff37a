/* SPDX-License-Identifier: MIT */
/* What the verbs about grants work with: project, brief, installed server, the operator's files.
 * System. */
#ifndef RUNNER_GRANT_DESK_H
#define RUNNER_GRANT_DESK_H

#include "runner/grant_file.h"
#include "runner/options.h"

struct grant_desk {
	const struct options *o;
	int root_fd;
	struct buf root, path; /* the project; its file of grants */
	struct brief brief;
	char server_sha256[SHA256_HEX + 1];
	struct grant_keys keys;
	struct grant_context context;
};
/* with_brief: --description is read, too. Release it also after a failure. */
int grant_desk_open(struct grant_desk *d, const struct options *o, bool with_brief,
		    struct errctx *e) must_check;
void grant_desk_release(struct grant_desk *d);

/* The draft for --grant-draft and for signing at once, as bytes. */
int grant_desk_draft(struct grant_desk *d, struct buf *out, struct errctx *e) must_check;
/* Field by field, for a person. */
int grant_desk_show(const struct grant *g, struct errctx *e) must_check;

/* The private key's path: AGENTTEAMS_DECISION_ED25519_KEYFILE, else the one of --grant-keygen. */
int grant_desk_key_path(struct view key_id, struct buf *out, struct errctx *e) must_check;

/* May this program sign where it lies (8.2)? E_DENIED; what is only doubtful is said in the log. */
int grant_desk_check_place(const struct grant_desk *d, struct errctx *e) must_check;

#endif
