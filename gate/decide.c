/* SPDX-License-Identifier: MIT */
/* Puts the parts together: hidden characters, size, parse, walk, and the text floor for what can't
 * be parsed. Test: the case files, t_parse. */
#include "base/base.h"

#include "gate/decide.h"
#include "gate/site.h"

#include "base/err.h"
#include "base/limits.h"
#include "base/utf8.h"

static bool pictograph(int32_t cp)
{
	return cp >= 0x2190 && cp < 0xe000;
}

static bool emoji(int32_t cp)
{
	return pictograph(cp) || cp >= 0x1f000 || cp == 0xa9 || cp == 0xae || cp == 0x203c ||
	       cp == 0x2049 || cp == 0x2122 || cp == 0x2139;
}

size_t hidden_character(struct view v, uint32_t *ret_code_point)
{
	size_t i = 0;
	int32_t before = 0;

	while (i < v.len) {
		size_t at = i;
		int32_t cp;

		if ((unsigned char)v.ptr[i] >= 0x20 && (unsigned char)v.ptr[i] < 0x7f) {
			before = v.ptr[i++];
			continue;
		}
		cp = utf8_next(v, &i);
		if (cp == '\n' || cp == '\t') {
			before = cp;
			continue;
		}
		if (cp == '\r' && i < v.len && v.ptr[i] == '\n')
			continue;
		if (cp >= 0 && utf8_hidden((uint32_t)cp)) {
			size_t next = i;
			int32_t after = next < v.len ? utf8_next(v, &next) : 0;
			bool selector = cp == 0xfe0f || cp == 0xfe0e;

			/* the presentation selector behind a pictograph or a keycap's digit */
			if (selector && (emoji(before) || after == 0x20e3))
				continue;
			if (cp == 0x200d && emoji(before) && emoji(after))
				continue;
			*ret_code_point = (uint32_t)cp;
			return at;
		}
		before = cp;
	}
	return SIZE_MAX;
}

static int rank(const struct finding *f)
{
	return f->verdict == VERDICT_DENY ? 0 : f->cls == GATE_OPAQUE ? 2 : 1;
}

/* Denials first, then asks, then what is merely opaque; order within stays. */
static void sort_findings(struct finding *f, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct finding x = f[i];
		uint32_t k = i;

		while (k > 0 && rank(&f[k - 1]) > rank(&x)) {
			f[k] = f[k - 1];
			k--;
		}
		f[k] = x;
	}
}

static void work(struct run *r, struct arena *nodes, struct view command, struct answer *ret)
{
	uint32_t cp = 0;
	size_t at = hidden_character(command, &cp);
	struct flow none = {0};
	struct reader *reader;
	struct script *s;
	struct node *list;
	struct arena_mark mark = arena_mark(nodes);

	if (at != SIZE_MAX) {
		char text[32];

		(void)snprintf(text, sizeof(text), "U+%04X", (unsigned)cp);
		finding_own(r, "GATE_0003", (struct span){(uint32_t)at, 1}, view_of(text));
	}
	if (command.len > MAX_GATE_COMMAND_BYTES) {
		finding_own(r, "GATE_0007", (struct span){0, 1}, VIEW(""));
		floor_judge(r, (struct view){command.ptr, MAX_GATE_FLOOR_BYTES});
		return;
	}
	reader = reader_open(r->a, nodes, command, r->origin);
	s = ret->script = reader_script(reader);
	while ((list = reader_next(reader))) {
		struct flow out = {0};

		walk_list(r, list, &none, &out);
		if (nodes->keep) { /* functions: their bodies stay */
			nodes->keep = false;
			mark = arena_mark(nodes);
		} else {
			arena_reset(nodes, mark);
		}
	}
	if (!s->error)
		return;
	finding_own(r, "GATE_0002", origin_span(s->origin, s->error_off, 1), view_of(s->error_why));
	floor_judge(r, (struct view){command.ptr, command.len < MAX_GATE_FLOOR_BYTES
							  ? command.len
							  : MAX_GATE_FLOOR_BYTES});
}

static void powershell_work(struct run *r, struct view text)
{
	struct flow out = {0};
	struct site s = {.r = r, .span = {0, (uint32_t)text.len}, .out = &out};
	uint32_t cp = 0;
	size_t at = hidden_character(text, &cp);

	if (at != SIZE_MAX)
		finding_own(r, "GATE_0003", (struct span){(uint32_t)at, 1}, VIEW(""));
	if (text.len > MAX_GATE_COMMAND_BYTES)
		finding_own(r, "GATE_0007", (struct span){0, 1}, VIEW(""));
	else
		judge_lang(&s, LANG_POWERSHELL, text, 0, s.span);
}

static void decide(struct arena *a, const struct gate_context *ctx, struct view command,
		   bool powershell, site_fn *on_site, void *arg, struct answer *ret)
{
	static const struct gate_own_rule *too_much;
	static struct arena parts[2]; /* scratch and tree; static: they outlive a jump */
	struct run *volatile r = NULL;
	static struct finding exhausted[1];
	int code;

	memset(ret, 0, sizeof(*ret));
	ret->verdict = VERDICT_ASK;
	if (!a->max_steps)
		a->max_steps = MAX_GATE_STEPS;
	arena_init_part(&parts[0], a);
	arena_init_part(&parts[1], a);
	code = setjmp(a->full);
	if (code == 0) {
		r = ARENA_NEW(a, struct run);
		r->a = a;
		r->tmp = &parts[0];
		r->source = command;
		r->ctx = ctx;
		r->verdict = VERDICT_ALLOW;
		r->origin = (struct origin){true, 0, (uint32_t)command.len};
		r->call_limit = 100000 + 8 * (uint64_t)command.len;
		r->on_site = on_site;
		r->on_site_arg = arg;
		if (powershell)
			powershell_work(r, command);
		else
			work(r, &parts[1], command, ret);
	} else {
		ret->exhausted = code;
	}
	arena_release(&parts[0]);
	arena_release(&parts[1]);
	if (r) {
		ret->verdict = r->verdict;
		ret->findings = r->findings;
		ret->n_findings = r->n_findings;
		ret->n_sites = r->n_sites;
		sort_findings(r->findings, r->n_findings);
	}
	if (code && (ret->n_findings == 0 || ret->verdict == VERDICT_ALLOW)) {
		too_much = gate_own_rule("GATE_0007");
		exhausted[0] = (struct finding){.cls = GATE_OPAQUE,
						.verdict = VERDICT_ASK,
						.rule = too_much->id,
						.does = too_much->does};
		exhausted[0].span = (struct span){0, 1};
		ret->findings = exhausted;
		ret->n_findings = 1;
		ret->verdict = VERDICT_ASK;
	}
	if (ret->verdict != VERDICT_ALLOW && ret->verdict != VERDICT_DENY)
		ret->verdict = VERDICT_ASK;
}

void decide_command(struct arena *a, const struct gate_context *ctx, struct view command,
		    site_fn *on_site, void *arg, struct answer *ret)
{
	decide(a, ctx, command, false, on_site, arg, ret);
}

void decide_powershell(struct arena *a, const struct gate_context *ctx, struct view text,
		       struct answer *ret)
{
	decide(a, ctx, text, true, NULL, NULL, ret);
}
