/* SPDX-License-Identifier: MIT */
/* Lines of the proxy's report. Tested by tests/unit/launcher/t_egress_conn.c. */
#include "base/base.h"

#include "launcher/egress_log.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "base/limits.h"

static const char *const via_names[] = {
	[EGRESS_VIA_NONE] = NULL,
	[EGRESS_VIA_HTTP] = "http",
	[EGRESS_VIA_CONNECT] = "connect",
	[EGRESS_VIA_SOCKS] = "socks5",
};

void egress_log_init(struct egress_log *l, bool off)
{
	/* Twice what stops the loop from accepting: what is under way must still find room. */
	buf_init(&l->lines, 4 * MAX_EGRESS_LOG_BYTES);
	l->wall_s = NULL;
	l->off = off;
}

void egress_log_release(struct egress_log *l)
{
	buf_release(&l->lines);
}

static void put_count(struct jsonw *w, const char *name, uint64_t n)
{
	jsonw_kv_int(w, name, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

void egress_log_add(struct egress_log *l, const struct egress_record *r)
{
	struct jsonw w;
	char when[26];

	if (l->off)
		return;
	clock_iso8601(l->wall_s ? l->wall_s() : clock_wall_s(), when);
	jsonw_init(&w, &l->lines, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "event", r->event);
	jsonw_kv_cstr(&w, "time", when);
	put_count(&w, "id", r->id);
	jsonw_kv_cstr(&w, "via", via_names[r->via]);
	jsonw_kv_cstr(&w, "host", r->host ? r->host->text : NULL);
	jsonw_kv_int(&w, "port", r->port);
	jsonw_kv_cstr(&w, "verdict", verdict_name(r->verdict));
	jsonw_kv_int(&w, "rule", r->rule);
	jsonw_kv_int(&w, "line", r->line);
	jsonw_kv_cstr(&w, "address", r->address);
	jsonw_kv_cstr(&w, "reason", r->reason);
	if (r->ended) {
		put_count(&w, "up", r->up);
		put_count(&w, "down", r->down);
		jsonw_kv_int(&w, "ms", r->ms);
	}
	jsonw_obj_end(&w);
	(void)buf_putc(&l->lines, '\n');
}
