/* SPDX-License-Identifier: MIT */
/* Shows how the gate reads a command: each place where something runs, the verdict, and for people
 * the command with the deciding part underlined. Test: tests/e2e/t0403-gate-explain.tap. */
#include "base/base.h"

#include "gate/gate_cmd.h"

#include "base/io.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "gate/approve.h"
#include "gate/mask.h"

enum { OUTPUT_BYTES = 67108864, MAX_SITES = 4096 };

struct seen {
	struct arena *a;
	struct fields *v;
	struct span *spans;
	size_t n;
};

static void on_site(void *arg, const struct fields *argv, struct span span)
{
	struct seen *s = arg;

	if (s->n == MAX_SITES)
		return;
	if (!s->v) {
		s->v = arena_alloc(s->a, MAX_SITES * sizeof(*s->v));
		s->spans = arena_alloc(s->a, MAX_SITES * sizeof(*s->spans));
	}
	s->v[s->n] = (struct fields){0}; /* what we are shown doesn't last */
	for (uint32_t i = 0; i < argv->n; i++) {
		struct field f = argv->v[i];

		f.v = arena_copy(s->a, f.v);
		fields_add(s->a, &s->v[s->n], f);
	}
	s->spans[s->n++] = span;
}

static struct view masked(struct arena *a, const struct fields *f)
{
	struct text t;

	text_init(&t, a);
	for (uint32_t i = 0; i < f->n; i++) {
		if (i)
			text_putc(&t, ' ');
		mask_word(&t, i ? f->v[i - 1].v : VIEW(""), f->v[i].v);
		if (f->v[i].multi)
			text_put(&t, VIEW("..."));
	}
	return text_view(&t);
}

static const char *name_of(enum verdict v)
{
	return v == VERDICT_ALLOW ? "pass" : verdict_name(v);
}

/* The lines of the command that the span touches, and carets below. */
static void underline(struct buf *out, struct view text, struct span span)
{
	size_t from = span.off < text.len ? span.off : text.len, to = from + span.len, start = from;

	if (to > text.len)
		to = text.len;
	while (start && text.ptr[start - 1] != '\n')
		start--;
	while (start < text.len && start <= to) {
		const char *nl = memchr(text.ptr + start, '\n', text.len - start);
		size_t end = nl ? (size_t)(nl - text.ptr) : text.len;
		auto_buf struct buf before, marked;
		size_t a = from > start ? from : start, b = to < end ? to : end;

		buf_init(&before, OUTPUT_BYTES);
		buf_init(&marked, OUTPUT_BYTES);
		(void)utf8_print(&before,
				 (struct view){text.ptr + start, (a < end ? a : end) - start}, 0);
		if (b > a)
			(void)utf8_print(&marked, (struct view){text.ptr + a, b - a}, 0);
		(void)buf_puts(out, "    ");
		(void)utf8_print(out, (struct view){text.ptr + start, end - start}, 0);
		(void)buf_puts(out, "\n    ");
		for (size_t i = 0; i < buf_view(&before).len; i++)
			if (((unsigned char)buf_text(&before)[i] & 0xc0) != 0x80)
				(void)buf_putc(out, ' ');
		for (size_t i = 0; i < buf_view(&marked).len || (i == 0 && start == 0); i++)
			if (i >= buf_view(&marked).len ||
			    ((unsigned char)buf_text(&marked)[i] & 0xc0) != 0x80)
				(void)buf_putc(out, '^');
		(void)buf_putc(out, '\n');
		if (end >= to || end == text.len)
			return;
		start = end + 1;
	}
}

static void for_people(struct buf *out, struct arena *a, struct view command,
		       const struct answer *got, const struct seen *seen)
{
	(void)buf_printf(out, "%s\n", name_of(got->verdict));
	for (size_t i = 0; i < seen->n; i++) {
		(void)buf_printf(out, "  runs at byte %u: ", seen->spans[i].off);
		(void)utf8_print(out, masked(a, &seen->v[i]), 0);
		(void)buf_putc(out, '\n');
	}
	if (got->script && got->script->error)
		(void)buf_printf(out, "  not parsed: %s at byte %u\n", got->script->error_why,
				 got->script->error_off);
	for (uint32_t i = 0; i < got->n_findings; i++) {
		const struct finding *f = &got->findings[i];

		(void)buf_printf(out, "\n%s: this %s%s%s (%s, %s)\n", verdict_name(f->verdict),
				 f->does, f->where ? " " : "", f->where ? f->where : "",
				 gate_class(f->cls)->name, f->rule);
		underline(out, command, f->span);
		(void)buf_printf(out, "  instead: %s\n", gate_class(f->cls)->instead);
	}
}

static struct view valid(struct arena *a, struct view v)
{
	struct buf b;
	struct view copy;

	buf_init(&b, OUTPUT_BYTES);
	(void)utf8_print(&b, v, UTF8_PRINT_LINES);
	copy = arena_copy(a, buf_view(&b));
	buf_release(&b);
	return copy;
}

static void for_machines(struct buf *out, struct arena *a, const struct answer *got,
			 const struct seen *seen, const char *digest)
{
	struct jsonw w;

	jsonw_init(&w, out, JSONW_INDENTED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "verdict", name_of(got->verdict));
	jsonw_kv_cstr(&w, "sha256", digest);
	if (got->script && got->script->error)
		jsonw_kv_cstr(&w, "not_parsed", got->script->error_why);
	jsonw_key(&w, "sites");
	jsonw_arr(&w);
	for (size_t i = 0; i < seen->n; i++) {
		jsonw_obj(&w);
		jsonw_kv_int(&w, "offset", seen->spans[i].off);
		jsonw_kv_int(&w, "length", seen->spans[i].len);
		jsonw_key(&w, "argv");
		jsonw_arr(&w);
		for (uint32_t k = 0; k < seen->v[i].n; k++) {
			struct text t;

			text_init(&t, a);
			mask_text(&t, seen->v[i].v[k].v);
			jsonw_str(&w, valid(a, text_view(&t)));
		}
		jsonw_arr_end(&w);
		jsonw_obj_end(&w);
	}
	jsonw_arr_end(&w);
	jsonw_key(&w, "findings");
	jsonw_arr(&w);
	for (uint32_t i = 0; i < got->n_findings; i++) {
		const struct finding *f = &got->findings[i];

		jsonw_obj(&w);
		jsonw_kv_cstr(&w, "rule", f->rule);
		jsonw_kv_cstr(&w, "class", gate_class(f->cls)->name);
		jsonw_kv_cstr(&w, "verdict", verdict_name(f->verdict));
		jsonw_kv_cstr(&w, "does", f->does);
		if (f->where)
			jsonw_kv_cstr(&w, "where", f->where);
		jsonw_kv_int(&w, "offset", f->span.off);
		jsonw_kv_int(&w, "length", f->span.len);
		jsonw_kv_str(&w, "what", valid(a, f->what));
		jsonw_obj_end(&w);
	}
	jsonw_arr_end(&w);
	jsonw_obj_end(&w);
	(void)buf_putc(out, '\n');
}

int explain_cmd(const struct options *o)
{
	struct arena a, rules_memory, scratch;
	struct gate_context ctx;
	struct op_rules rules;
	struct seen seen = {.a = &a};
	struct answer got;
	struct errctx e = {0};
	struct buf out;
	struct view command;
	char digest[SHA256_HEX + 1];
	int status;

	if (o->n_rest != 1) {
		(void)fprintf(stderr, "agentteams-gate: explain takes one command, as one word\n");
		return EXIT_USAGE;
	}
	command = view_of(o->rest[0]);
	arena_init(&a, MAX_GATE_ARENA_BYTES);
	arena_init(&rules_memory, MAX_GATE_ARENA_BYTES);
	arena_init(&scratch, MAX_GATE_ARENA_BYTES);
	if (!utf8_valid(command, NULL)) {
		(void)fprintf(stderr, "agentteams-gate: the command isn't valid UTF-8\n");
		return EXIT_USAGE;
	}
	context_fill(&ctx, o, VIEW(""));
	if (rules_load(&rules_memory, o, &rules, &e) != 0) {
		(void)fprintf(stderr, "agentteams-gate: %s\n", e.text);
		return EXIT_REFUSED;
	}
	ctx.rules = &rules;
	command_digest(&scratch, &ctx, command, digest);
	arena_release(&scratch);
	decide_command(&a, &ctx, command, on_site, &seen, &got);
	buf_init(&out, OUTPUT_BYTES);
	if (setjmp(a.full) != 0) {
		(void)fprintf(stderr, "agentteams-gate: no memory to show this command\n");
		return EXIT_REFUSED;
	}
	if (o->json)
		for_machines(&out, &a, &got, &seen, digest);
	else
		for_people(&out, &a, command, &got, &seen);
	status = buf_error(&out) || io_write_all(STDOUT_FILENO, buf_text(&out),
						 buf_view(&out).len) != 0
			 ? EXIT_REFUSED
			 : EXIT_OK;
	buf_release(&out);
	arena_release(&a);
	arena_release(&rules_memory);
	return status;
}

int check_rules_cmd(const struct options *o)
{
	struct options own = *o;
	struct arena a;
	struct op_rules rules;
	struct errctx e = {0};

	if (o->n_rest > 1) {
		(void)fprintf(stderr, "agentteams-gate: check-rules takes at most one file\n");
		return EXIT_USAGE;
	}
	if (o->n_rest == 1)
		own.rules = o->rest[0];
	arena_init(&a, MAX_GATE_ARENA_BYTES);
	if (rules_load(&a, &own, &rules, &e) != 0) {
		(void)fprintf(stderr, "agentteams-gate: %s\n", e.text);
		arena_release(&a);
		return EXIT_REFUSED;
	}
	(void)printf("%zu rule%s\n", rules.n, rules.n == 1 ? "" : "s");
	arena_release(&a);
	return fflush(stdout) == 0 ? EXIT_OK : EXIT_REFUSED;
}
