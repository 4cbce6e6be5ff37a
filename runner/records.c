/* SPDX-License-Identifier: MIT */
/* Canonical texts of dispatch lines and staged records. Pure. Tests: tests/unit/runner/t_records.c
 * (vectors of file 22, section 18 and file 23, section 14). */
#include "base/base.h"

#include "runner/records.h"

#include "base/clock.h"
#include "base/hex.h"
#include "base/jsonw.h"
#include "runner/wire.h"

#include <stdio.h>

void dispatch_id(const struct mac_key *k, const char *nonce, char out[SHA256_HEX + 1])
{
	mac_hex(k, VIEW("dispatch:"), view_of(nonce), out);
}

int dispatch_emit(const struct mac_key *k, const struct dispatch_record *r, struct buf *out)
{
	auto_buf struct buf line;
	struct jsonw w;
	char expires[26];
	size_t at = 1;
	int rc;

	buf_init(&line, 1024);
	jsonw_init(&w, &line, JSONW_SPACED);
	jsonw_obj(&w);
	switch (r->kind) {
	case LINE_DISPATCH:
		clock_iso8601(r->expires, expires);
		jsonw_kv_cstr(&w, "agent", r->agent);
		jsonw_kv_cstr(&w, "expires", expires);
		jsonw_kv_cstr(&w, "id", r->id);
		at = line.len;
		jsonw_kv_int(&w, "max_uses", r->max_uses);
		break;
	case LINE_USE:
		jsonw_kv_cstr(&w, "use", r->id);
		break;
	case LINE_ATTEMPT:
		jsonw_kv_cstr(&w, "attempt", r->id);
		at = line.len;
		break;
	case LINE_NONE:
		return E_INTERNAL;
	}
	jsonw_obj_end(&w);
	rc = mac_seal(k, &line, at);
	if (rc == 0)
		rc = buf_put_view(out, buf_view(&line));
	return rc ? rc : buf_putc(out, '\n');
}

static int copy(struct view v, char *out, size_t size)
{
	if (v.len >= size)
		return E_FORGED;
	memcpy(out, v.ptr, v.len);
	out[v.len] = '\0';
	return 0;
}

int dispatch_parse(const struct mac_key *k, struct view line, struct dispatch_record *ret)
{
	struct dispatch_record r = {0};
	auto_buf struct buf again = {0};
	struct view v;
	char expires[26];

	if (mac_verify(k, line) != 0)
		return E_FORGED;
	if (mac_line_str(line, "use", &v) == 0)
		r.kind = LINE_USE;
	else if (mac_line_str(line, "attempt", &v) == 0)
		r.kind = LINE_ATTEMPT;
	else if (mac_line_str(line, "id", &v) == 0)
		r.kind = LINE_DISPATCH;
	if (r.kind == LINE_NONE || !hex_is_lower(v, SHA256_HEX) || copy(v, r.id, sizeof(r.id)) != 0)
		return E_FORGED;
	if (r.kind == LINE_DISPATCH) {
		if (mac_line_str(line, "agent", &v) != 0 || !brief_is_slug(v) ||
		    copy(v, r.agent, sizeof(r.agent)) != 0 ||
		    mac_line_str(line, "expires", &v) != 0 ||
		    copy(v, expires, sizeof(expires)) != 0 ||
		    clock_parse_iso8601(expires, &r.expires) != 0 ||
		    mac_line_int(line, "max_uses", &r.max_uses) != 0)
			return E_FORGED;
	}
	/* The line has to be exactly what this program would write (file 22, 20.30). */
	buf_init(&again, 1024);
	if (dispatch_emit(k, &r, &again) != 0 || again.len != line.len + 1 ||
	    memcmp(again.data, line.ptr, line.len) != 0)
		return E_FORGED;
	*ret = r;
	return 0;
}

void staged_digest(struct staged *s)
{
	s->bytes = (int64_t)s->content.len;
	s->content_sha256[0] = '\0';
	if (s->content.ptr)
		sha256_hex(s->content, s->content_sha256);
}

const char *staged_kind(const struct staged *s)
{
	return s->content.ptr ? "change-proposal" : "delete-proposal";
}

static void emit_artifact(struct jsonw *w, const struct staged *s)
{
	jsonw_key(w, "artifact");
	jsonw_obj(w);
	jsonw_kv_str(w, "base_sha256", s->base);
	if (s->content.ptr)
		jsonw_kv_str(w, "content", s->content);
	if (s->has_gates) {
		jsonw_key(w, "gates");
		jsonw_arr(w);
		for (size_t i = 0; i < s->n_gates; i++)
			jsonw_str(w, s->gates[i]);
		jsonw_arr_end(w);
	}
	jsonw_kv_cstr(w, "kind", staged_kind(s));
	jsonw_kv_str(w, "path", s->path);
	jsonw_kv_str(w, "rationale", s->rationale);
	jsonw_obj_end(w);
}

static void emit_results(struct jsonw *w, const struct staged *s)
{
	jsonw_key(w, "gates");
	jsonw_arr(w);
	for (size_t i = 0; i < s->n_results; i++) {
		const struct gate_result *g = &s->results[i];

		jsonw_obj(w);
		if (g->confined.ptr)
			jsonw_kv_str(w, "confined", g->confined);
		jsonw_kv_int(w, "duration_ms", g->duration_ms);
		jsonw_kv_int(w, "exit", g->exit);
		jsonw_kv_str(w, "gate", g->gate);
		jsonw_obj_end(w);
	}
	jsonw_arr_end(w);
}

int staged_emit(const struct staged *s, struct buf *out, size_t *ret_at)
{
	struct jsonw w;

	jsonw_init(&w, out, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_str(&w, "agent", s->agent);
	emit_artifact(&w, s);
	jsonw_kv_int(&w, "bytes", s->bytes);
	if (s->content.ptr) {
		jsonw_kv_cstr(&w, "content_sha256", s->content_sha256);
	} else {
		jsonw_key(&w, "content_sha256");
		jsonw_null(&w);
	}
	jsonw_kv_str(&w, "expires", s->expires);
	emit_results(&w, s);
	jsonw_kv_cstr(&w, "kind", staged_kind(s));
	*ret_at = out->len;
	jsonw_kv_str(&w, "path", s->path);
	if (s->request.ptr)
		jsonw_kv_str(&w, "request", s->request);
	jsonw_kv_str(&w, "sid", s->sid);
	jsonw_obj_end(&w);
	return buf_error(out);
}

static void put_optional(struct buf *out, struct view v)
{
	wire_put_u8(out, v.ptr != NULL);
	wire_put_view(out, v);
}

static struct view get_optional(struct wire_in *in, size_t max)
{
	bool has = wire_get_u8(in) != 0;
	struct view v = wire_get_view(in, max);

	return has ? v : (struct view){0};
}

void staged_pack(const struct staged *s, struct buf *out)
{
	wire_put_view(out, s->agent);
	wire_put_view(out, s->path);
	wire_put_view(out, s->base);
	wire_put_view(out, s->rationale);
	put_optional(out, s->content);
	wire_put_u8(out, s->has_gates);
	wire_put_u8(out, (unsigned)s->n_gates);
	for (size_t i = 0; i < s->n_gates; i++)
		wire_put_view(out, s->gates[i]);
	wire_put_u8(out, (unsigned)s->n_results);
	for (size_t i = 0; i < s->n_results; i++) {
		wire_put_view(out, s->results[i].gate);
		put_optional(out, s->results[i].confined);
		wire_put_i64(out, s->results[i].exit);
		wire_put_i64(out, s->results[i].duration_ms);
	}
	wire_put_view(out, s->expires);
	wire_put_view(out, s->sid);
	put_optional(out, s->request);
}

int staged_unpack(struct wire_in *in, struct staged *ret, struct staged_room *room)
{
	struct staged s = {.gates = room->gates, .results = room->results};

	s.agent = wire_get_view(in, MAX_SLUG_BYTES);
	s.path = wire_get_view(in, MAX_PATH_BYTES);
	s.base = wire_get_view(in, SHA256_HEX);
	s.rationale = wire_get_view(in, MAX_STAGED_RECORD_BYTES);
	s.content = get_optional(in, MAX_STAGED_RECORD_BYTES);
	s.has_gates = wire_get_u8(in) != 0;
	s.n_gates = wire_get_u8(in);
	if (s.n_gates > MAX_GATES)
		return E_SYNTAX;
	for (size_t i = 0; i < s.n_gates; i++)
		room->gates[i] = wire_get_view(in, MAX_ROW_STRING_BYTES);
	s.n_results = wire_get_u8(in);
	if (s.n_results > MAX_GATES)
		return E_SYNTAX;
	for (size_t i = 0; i < s.n_results; i++) {
		room->results[i].gate = wire_get_view(in, MAX_NAME_BYTES);
		room->results[i].confined = get_optional(in, MAX_NAME_BYTES);
		room->results[i].exit = wire_get_i64(in);
		room->results[i].duration_ms = wire_get_i64(in);
	}
	s.expires = wire_get_view(in, 64);
	s.sid = wire_get_view(in, ID_HEX);
	s.request = get_optional(in, ID_HEX);
	if (in->bad)
		return E_SYNTAX;
	staged_digest(&s);
	*ret = s;
	return 0;
}
