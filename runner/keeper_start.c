/* SPDX-License-Identifier: MIT */
/*
 * Start and end of the keeper: key, dispatches, anchor, ledger, and the rows that a start may have
 * to write. System, privileged (reads the key). Failure rule: nothing is served. Tests:
 * tests/unit/runner/t_keeper.c, tests/e2e/runner-start.tap.
 */
#include "base/base.h"

#include "runner/keeper_state.h"

#include "runner/key.h"

static int note_start(struct keeper *k, const char *torn_sha256, struct errctx *e)
{
	struct row r = {0};
	int rc = 0;

	if (k->torn) {
		r.action = ROW_LEDGER_RECOVERED;
		row_int(&r, KEY_BYTES, (int64_t)k->torn);
		row_str(&r, KEY_SHA256, view_of(torn_sha256));
		rc = keeper_append(k, &r, e);
	}
	if (rc == 0 && k->new_anchor && k->ledger.count > 0) {
		r = (struct row){.action = ROW_ANCHOR_CREATED};
		row_int(&r, KEY_COUNT, k->ledger.count);
		rc = keeper_append(k, &r, e);
	}
	if (rc == 0 && k->jump_s) {
		r = (struct row){.action = ROW_CLOCK_JUMP};
		row_int(&r, KEY_SECONDS, k->jump_s);
		rc = keeper_append(k, &r, e);
	}
	return rc;
}

static int open_all(struct keeper *k, const struct keeper_config *c, struct errctx *e)
{
	auto_buf struct buf name = {0};
	char torn_sha256[SHA256_HEX + 1] = "";
	int rc = key_load(c->key_path, &k->key, e);

	if (rc != 0)
		return rc;
	rc = dispatches_open(&k->dispatches, c->state_dir_fd, k->key, e);
	if (rc != 0)
		return rc;
	buf_init(&name, MAX_NAME_BYTES);
	rc = brief_project_name(c->root_path, &name);
	if (rc == 0)
		rc = buf_puts(&name, ".anchor");
	if (rc != 0)
		return err_set(e, rc, "the project's name is too long");
	rc = anchor_open(&k->anchor, c->anchor_dir_fd, buf_text(&name), c->root_path, k->key, e);
	if (rc != 0)
		return rc;
	k->new_anchor = k->anchor.serial == 0;
	k->jump_s = anchor_clock_jump(&k->anchor);
	if (k->jump_s > -CLOCK_JUMP_SECONDS && k->jump_s < CLOCK_JUMP_SECONDS)
		k->jump_s = 0;
	keeper_grants_take(k, c->grants);
	rc = ledger_open(&k->ledger, c->state_dir_fd, k->key, &k->anchor, keeper_note_row, k,
			 &k->torn, torn_sha256, e);
	if (rc != 0)
		return rc;
	dispatches_settle(&k->dispatches);
	rc = note_start(k, torn_sha256, e);
	return rc ? rc : keeper_grants_start(k, c->grants, e);
}

int keeper_open(const struct keeper_config *c, struct keeper **ret, struct errctx *e)
{
	struct keeper *k = calloc(1, sizeof(*k));
	int rc;

	if (!k)
		return err_set(e, E_NOMEM, "out of memory");
	k->anchor.fd = k->ledger.fd = k->dispatches.fd = k->dispatches.lock_fd = -1;
	rc = open_all(k, c, e);
	if (rc != 0) {
		keeper_close(k);
		return rc;
	}
	*ret = k;
	return 0;
}

void keeper_close(struct keeper *k)
{
	if (!k)
		return;
	if (k->ledger.fd >= 0)
		ignored(ledger_flush(&k->ledger,
				     NULL)); /* what lags is made again at the next start */
	ledger_close(&k->ledger);
	dispatches_close(&k->dispatches);
	anchor_close(&k->anchor);
	if (k->key)
		key_free(k->key);
	keeper_forget(k);
	free(k);
}
