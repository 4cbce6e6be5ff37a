/* SPDX-License-Identifier: MIT */
/* Decision text. Our own words come first; what the model chose is quoted, escaped and short.
 * Test: tests/e2e/t0400-gate-event.tap. */
#include "base/base.h"

#include "gate/reply.h"

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "gate/mask.h"

enum { MAX_SHOWN = 3, MAX_WHAT = 240 };

static void put_what(struct buf *b, struct view what)
{
	struct view shown = what;

	if (what.len == 0)
		return;
	if (shown.len > MAX_WHAT) {
		shown.len = MAX_WHAT;
		while (shown.len && ((unsigned char)shown.ptr[shown.len] & 0xc0) == 0x80)
			shown.len--;
	}
	(void)buf_puts(b, ": ");
	(void)utf8_print(b, shown, 0);
	if (shown.len < what.len)
		(void)buf_puts(b, "...");
}

static bool told(const struct answer *a, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (a->findings[k].rule == a->findings[i].rule)
			return true;
	return false;
}

void reply_text(struct buf *out, const struct answer *a, bool nobody)
{
	bool deny = a->verdict == VERDICT_DENY;
	unsigned shown = 0;

	(void)buf_puts(out, deny ? "Refused by agentteams-gate: "
			    : nobody
				    ? "Refused by agentteams-gate, since nobody can be asked here: "
				    : "agentteams-gate asks: ");
	for (uint32_t i = 0; i < a->n_findings && shown < MAX_SHOWN; i++) {
		const struct finding *f = &a->findings[i];

		if (told(a, i))
			continue;
		(void)buf_puts(out, shown ? "; it also " : "this call ");
		(void)buf_puts(out, f->does);
		if (f->where) {
			(void)buf_puts(out, " ");
			(void)buf_puts(out, f->where);
		}
		(void)buf_printf(out, " (%s, %s)", gate_class(f->cls)->name, f->rule);
		put_what(out, f->what);
		shown++;
	}
	if (a->n_findings) {
		(void)buf_puts(out, ". Instead: ");
		(void)buf_puts(out, gate_class(a->findings[0].cls)->instead);
		(void)buf_puts(out, ".");
	}
	if (nobody && !deny)
		(void)buf_puts(out, " Or run it in a session where a person answers.");
}

void reply_json(struct buf *out, enum verdict verdict, struct view reason)
{
	struct jsonw w;

	jsonw_init(&w, out, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_key(&w, "hookSpecificOutput");
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "hookEventName", "PreToolUse");
	jsonw_kv_cstr(&w, "permissionDecision", verdict == VERDICT_ASK ? "ask" : "deny");
	jsonw_kv_str(&w, "permissionDecisionReason", reason);
	jsonw_obj_end(&w);
	jsonw_obj_end(&w);
	(void)buf_putc(out, '\n');
}
