/* SPDX-License-Identifier: MIT */
/* Reading one staged record (file 23, 6.1): file to typed fields, strict. System (reads). Failure
 * rule: malformed on any doubt. Tests: tests/e2e/runner-staged.tap, tests/fuzz/fuzz_record.c. */
#include "base/base.h"

#include "runner/record.h"

#include "base/clock.h"
#include "base/hex.h"
#include "base/io.h"
#include "base/pathfd.h"

#include <fcntl.h>
#include <stdio.h>

static int parse_result(const struct json *j, struct gate_result *g)
{
	const struct json *confined = json_member(j, "confined");

	*g = (struct gate_result){0};
	if (!json_is(j, JSON_OBJECT) || json_count(j) != (confined ? 4u : 3u) ||
	    json_get_str(json_member(j, "gate"), &g->gate) != 0 ||
	    json_get_int(json_member(j, "exit"), &g->exit) != 0 ||
	    json_get_int(json_member(j, "duration_ms"), &g->duration_ms) != 0 ||
	    (confined && json_get_str(confined, &g->confined) != 0))
		return E_SYNTAX;
	return 0;
}

static int parse_results(const struct json *j, struct record *r)
{
	size_t n = 0;

	if (!json_is(j, JSON_ARRAY) || json_count(j) > MAX_GATES)
		return E_SYNTAX;
	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		if (parse_result(c, &r->results[n++]) != 0)
			return E_SYNTAX;
	}
	r->fields.results = r->results;
	r->fields.n_results = n;
	return 0;
}

static int parse_members(struct record *r, const char *sid, struct errctx *e)
{
	static const char *const known[] = {"agent",   "artifact", "bytes", "content_sha256",
					    "expires", "gates",	   "kind",  "mac",
					    "path",    "request",  "sid",   NULL};
	const struct json *hash = json_member(r->json, "content_sha256");
	struct staged *s = &r->fields;
	struct view kind, content_hash = {0}, path;
	int64_t bytes;
	int rc = brief_only(r->json, known, "the record", e);

	if (rc != 0)
		return rc;
	if (json_get_str(json_member(r->json, "sid"), &s->sid) != 0 || !view_is(s->sid, sid) ||
	    json_get_str(json_member(r->json, "agent"), &s->agent) != 0 ||
	    json_get_str(json_member(r->json, "path"), &path) != 0 ||
	    json_get_str(json_member(r->json, "kind"), &kind) != 0 ||
	    json_get_str(json_member(r->json, "expires"), &s->expires) != 0 ||
	    json_get_int(json_member(r->json, "bytes"), &bytes) != 0 ||
	    json_get_str(json_member(r->json, "mac"), &r->mac) != 0)
		return err_set(e, E_SYNTAX, "a member is missing or of another type");
	if (json_member(r->json, "request") &&
	    json_get_str(json_member(r->json, "request"), &s->request) != 0)
		return err_set(e, E_SYNTAX, "request is no string");
	if (!json_is(hash, JSON_NULL) && json_get_str(hash, &content_hash) != 0)
		return err_set(e, E_SYNTAX, "content_sha256 is neither string nor null");
	rc = artifact_parse(json_member(r->json, "artifact"), true, &r->artifact, e);
	if (rc != 0)
		return rc;
	if (r->artifact.kind == ARTIFACT_COMMAND || parse_results(json_member(r->json, "gates"), r))
		return err_set(e, E_SYNTAX, "the artifact or the gates are of another kind");
	s->path = r->artifact.path;
	s->base = r->artifact.base;
	s->rationale = r->artifact.rationale;
	s->has_gates = r->artifact.has_gates;
	s->gates = r->artifact.gates.item;
	s->n_gates = r->artifact.gates.n;
	if (r->artifact.kind == ARTIFACT_CHANGE)
		s->content = r->artifact.content;
	staged_digest(s);
	/* What is said twice must be the same (6.2); the signature covers the recomputed values. */
	if (!view_eq(path, s->path) || !view_is(kind, staged_kind(s)) || bytes != s->bytes ||
	    !view_is(content_hash, s->content_sha256) ||
	    (content_hash.ptr != NULL) != (s->content.ptr != NULL))
		return err_set(e, E_FORGED, "the record contradicts itself");
	return 0;
}

int record_parse(struct view text, const char *sid, struct record *r, struct errctx *e)
{
	struct errctx inner = {0};
	int rc = json_parse(text, &r->json, &inner);

	if (rc != 0)
		return err_set(e, E_SYNTAX, "the staged record is malformed: %s", inner.text);
	if (!json_is(r->json, JSON_OBJECT))
		return err_set(e, E_SYNTAX, "the staged record is no object");
	rc = parse_members(r, sid, &inner);
	if (rc != 0)
		return err_set(e, rc == E_NOMEM || rc == E_FORGED ? rc : E_SYNTAX,
			       "the staged record is malformed: %s", inner.text);
	return 0;
}

/* Into *ret itself: its fields point into it. */
int record_read(const struct dirs *d, const char *sid, struct record *ret, struct errctx *e)
{
	char name[ID_HEX + 6];
	auto_buf struct buf text;
	auto_fd int fd = -1;
	int rc;

	*ret = (struct record){0};
	(void)snprintf(name, sizeof(name), "%s.json", sid);
	buf_init(&text, MAX_STAGED_RECORD_BYTES + 1);
	fd = openat(d->fd[FOLDER_STAGED], name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &ret->st) != 0 || !S_ISREG(ret->st.st_mode) ||
	    ret->st.st_nlink != 1)
		return err_set(e, E_NOENT, "there is no staged record %s", sid);
	if (io_read_all(fd, &text, MAX_STAGED_RECORD_BYTES) != 0)
		return err_set(e, E_NOENT, "there is no staged record %s that can be read", sid);
	rc = record_parse(buf_view(&text), sid, ret, e);
	if (rc != 0) {
		record_release(ret);
		return rc;
	}
	ret->len = text.len;
	ret->text = buf_steal(&text);
	return 0;
}

void record_release(struct record *r)
{
	artifact_release(&r->artifact);
	json_free(r->json);
	free(r->text);
	*r = (struct record){0};
}
