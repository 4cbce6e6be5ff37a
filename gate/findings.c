/* SPDX-License-Identifier: MIT */
/* Findings: kept once per rule and place, the verdict over all of them, text without secrets.
 * Test: t0400-gate-event.tap. */
#include "base/base.h"

#include "gate/mask.h"
#include "gate/oprules.h"

#include "base/limits.h"

enum { MAX_WHAT_KEPT = 600 };

static enum verdict stricter(enum verdict a, enum verdict b)
{
	if (a == VERDICT_DENY || b == VERDICT_DENY)
		return VERDICT_DENY;
	if (a == VERDICT_ASK || b == VERDICT_ASK)
		return VERDICT_ASK;
	return VERDICT_ALLOW;
}

void finding_add(struct run *r, const char *rule, enum gate_class cls, enum verdict verdict,
		 const char *does, struct span span, struct view what)
{
	struct finding *f;

	if (!verdict)
		verdict = gate_class(cls)->verdict;
	if (verdict != VERDICT_DENY && verdict != VERDICT_ASK)
		return;
	if (verdict == VERDICT_ASK && oprules_silences(r, rule, cls))
		return;
	if (verdict == VERDICT_ASK && oprules_raises(r, rule, cls))
		verdict = VERDICT_DENY;
	r->verdict = stricter(r->verdict, verdict);
	for (uint32_t i = 0; i < r->n_findings; i++)
		if (r->findings[i].rule == rule && r->findings[i].span.off == span.off)
			return;
	if (r->n_findings == MAX_GATE_FINDINGS) {
		/* a denial must be among those that are shown */
		if (verdict != VERDICT_DENY || r->findings[0].verdict == VERDICT_DENY)
			return;
		r->n_findings = 0;
	}
	if (!r->findings)
		r->findings = arena_alloc(r->a, MAX_GATE_FINDINGS * sizeof(*r->findings));
	f = &r->findings[r->n_findings++];
	f->cls = cls;
	f->verdict = verdict;
	f->rule = rule;
	f->does = does ? does : gate_class(cls)->does;
	f->where = r->where;
	if (what.len > MAX_WHAT_KEPT)
		what.len = MAX_WHAT_KEPT;
	f->what = arena_copy(r->a, what);
	f->span = span;
}

void finding_own(struct run *r, const char *id, struct span span, struct view what)
{
	const struct gate_own_rule *o = gate_own_rule(id);

	if (o)
		finding_add(r, o->id, o->cls, o->verdict, o->does, span, what);
}

/* The argument vector, each word quoted where it needs it, masked and shortened. */
struct view argv_text(struct run *r, const struct field *argv, uint32_t argc)
{
	struct text t;

	if (r->n_findings == MAX_GATE_FINDINGS)
		return VIEW("");
	text_init(&t, r->tmp);
	for (uint32_t i = 0; i < argc && t.len < 600; i++) {
		if (i)
			text_putc(&t, ' ');
		mask_word(&t, i ? argv[i - 1].v : VIEW(""), argv[i].v);
	}
	return text_view(&t);
}
