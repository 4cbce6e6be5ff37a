/* SPDX-License-Identifier: MIT */
/* What a command writes to its output, as far as it can be known: text, a file, or something that
 * only exists at run time, and where that came from. Also what redirections do with it.
 * Test: the case files, groups E and H. */
#include "base/base.h"

#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

/* echo's and printf's backslash escapes, the common ones; others make the text unknown. */
static struct view unescape(struct run *r, struct view v)
{
	struct text t;

	if (!view_chr(v, '\\'))
		return v;
	text_init(&t, r->tmp);
	for (size_t i = 0; i < v.len; i++) {
		static const char from[] = "ntr\\abefv";
		static const char to[] = "\n\t\r\\\a\b\033\f\v";
		const char *at;
		unsigned value = 0;
		size_t n = 0;

		if (v.ptr[i] != '\\' || i + 1 == v.len) {
			text_putc(&t, v.ptr[i]);
			continue;
		}
		i++;
		at = v.ptr[i] ? strchr(from, v.ptr[i]) : NULL;
		if (at) {
			text_putc(&t, to[at - from]);
		} else if (v.ptr[i] >= '0' && v.ptr[i] <= '7') {
			while (n < 4 && i + n < v.len && v.ptr[i + n] >= '0' && v.ptr[i + n] <= '7')
				value = value * 8 + (unsigned)(v.ptr[i + n++] - '0');
			i += n - 1;
			if (value > 1)
				text_putc(&t, (char)value);
			else if (value == 0)
				text_putc(&t, '\n'); /* a NUL separates for xargs -0 */
		} else if (v.ptr[i] == 'x') {
			while (n < 2 && i + 1 + n < v.len &&
			       isxdigit((unsigned char)v.ptr[i + 1 + n])) {
				char c = v.ptr[i + 1 + n++];

				value = value * 16 +
					(unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
			}
			i += n;
			text_putc(&t, value > 1 ? (char)value : '?');
		} else {
			text_putc(&t, '\\');
			text_putc(&t, v.ptr[i]);
		}
	}
	return text_view(&t);
}

static void echo_output(struct site *s, struct flow *ret)
{
	struct text t;
	uint32_t i = 1;
	bool newline = true, escapes = false;

	text_init(&t, s->r->tmp);
	ret->kind = FLOW_TEXT;
	for (; i < s->argc; i++) {
		struct view w = s->argv[i].v;

		if (w.len < 2 || w.ptr[0] != '-' || strspn(w.ptr + 1, "neE") < 1 || w.len > 4)
			break;
		for (size_t k = 1; k < w.len; k++) {
			if (!strchr("neE", w.ptr[k] ? w.ptr[k] : 'x'))
				goto words;
		}
		newline &= view_chr(w, 'n') == NULL;
		escapes |= view_chr(w, 'e') != NULL;
	}
words:
	for (uint32_t k = i; k < s->argc; k++) {
		if (k > i)
			text_putc(&t, ' ');
		text_put(&t, escapes ? unescape(s->r, s->argv[k].v) : s->argv[k].v);
		ret->taint |= s->argv[k].taint;
	}
	if (newline)
		text_putc(&t, '\n');
	ret->text = text_view(&t);
}

/* printf: %s and %b take the words, everything else that takes a word makes it unknown. */
static void printf_output(struct site *s, struct flow *ret)
{
	struct text t;
	struct view f;
	uint32_t next = 2, rounds = 0;

	text_init(&t, s->r->tmp);
	ret->kind = FLOW_TEXT;
	if (s->argc < 2 || view_is(s->argv[1].v, "-v"))
		return;
	if (view_is(s->argv[1].v, "--") && s->argc > 2) {
		next = 3;
	}
	f = unescape(s->r, s->argv[next - 1].v);
	ret->taint = s->argv[next - 1].taint;
	do {
		for (size_t i = 0; i < f.len; i++) {
			struct view w;

			if (f.ptr[i] != '%') {
				text_putc(&t, f.ptr[i]);
				continue;
			}
			i++;
			while (i < f.len && strchr("-+ #0123456789.", f.ptr[i] ? f.ptr[i] : 'x'))
				i++;
			if (i >= f.len)
				break;
			if (f.ptr[i] == '%') {
				text_putc(&t, '%');
				continue;
			}
			w = next < s->argc ? s->argv[next].v : VIEW("");
			if (next < s->argc)
				ret->taint |= s->argv[next].taint;
			next++;
			if (f.ptr[i] == 's')
				text_put(&t, w);
			else if (f.ptr[i] == 'b')
				text_put(&t, unescape(s->r, w));
			else if (strchr("dioux", f.ptr[i] ? f.ptr[i] : 'x') && known(w) && w.len)
				text_put(&t, w);
			else
				text_putc(&t, ANY);
		}
	} while (next < s->argc && ++rounds < 64 && view_chr(f, '%'));
	ret->text = text_view(&t);
}

static void cat_output(struct site *s, const struct opts *o, struct flow *ret)
{
	if (o->n_operands == 0) {
		*ret = s->in;
		if (ret->kind == FLOW_NONE)
			ret->kind = FLOW_UNKNOWN;
		return;
	}
	for (uint32_t i = 0; i < o->n_operands; i++) {
		struct flow one = {
			.kind = FLOW_FILE, .text = o->operands[i].v, .taint = o->operands[i].taint};
		struct file_fact *f;

		if (view_is(one.text, "-") || view_is(one.text, "/dev/stdin"))
			one = s->in;
		else if (view_is(one.text, "/dev/null"))
			one = (struct flow){.kind = FLOW_TEXT, .text = VIEW("")};
		else if (o->operands[i].proc)
			one = *o->operands[i].proc;
		else if ((f = file_find(s->r, one.text)))
			one = f->content;
		else if (view_starts(one.text, "/dev/tcp/") || view_starts(one.text, "/dev/udp/"))
			one = (struct flow){.kind = FLOW_UNKNOWN, .taint = TAINT_NET};
		flow_add(s->r, ret, &one);
	}
}

static bool decodes(const struct site *s, const struct opts *o)
{
	struct view f = view_of(s->prog->family);

	if (view_is(f, "base64"))
		return opts_find(o, "-d -D -i --decode") != NULL;
	if (view_is(f, "xxd"))
		return opts_find(o, "-r -revert") != NULL ||
		       view_is(s->argc > 1 ? s->argv[1].v : VIEW(""), "-r");
	if (view_is(f, "gpg"))
		return opts_find(o, "-d --decrypt") != NULL || o->n_operands > 0;
	return s->prog->flags & GP_DECODE;
}

static bool openssl_decodes(const struct opts *o)
{
	return o->n_operands &&
	       gate_in_list("enc base64 aes-256-cbc smime cms rsautl pkeyutl", o->operands[0].v);
}

/* which NAME, command -v NAME: some folder's NAME. */
static bool found_program(struct site *s, const struct opts *o, struct flow *ret)
{
	struct view name;

	if (view_is(s->name, "which") && o->n_operands == 1 && o->n == 0)
		name = o->operands[0].v;
	else if (view_is(s->name, "command") && s->argc == 3 && view_is(s->argv[1].v, "-v"))
		name = s->argv[2].v;
	else
		return false;
	if (!known(name) || name.len == 0 || view_chr(name, '/'))
		return false;
	*ret = (struct flow){.kind = FLOW_TEXT, .span = s->span};
	ret->text =
		view_cat(s->r->tmp, (struct view){"\0/", 2}, view_cat(s->r->tmp, name, VIEW("\n")));
	return true;
}

/* Made to be evaluated; nobody looks where nothing reads the output. */
static bool safe_output(const struct site *s, const struct opts *o)
{
	return (s->r->captured || s->redirs) &&
	       gate_eval_safe(s->name, o->n_operands > 0 ? o->operands[0].v : VIEW(""),
			      o->n_operands > 1 ? o->operands[1].v : VIEW(""));
}

void output_of(struct site *s, const struct opts *o, struct flow *ret)
{
	struct view f;

	*ret = (struct flow){.kind = FLOW_UNKNOWN, .span = s->span};
	if (safe_output(s, o))
		ret->taint |= TAINT_SAFE;
	if (!s->prog) {
		if (!ret->taint)
			ret->taint = (uint8_t)(s->in.taint & TAINT_NET);
		return;
	}
	f = view_of(s->prog->family);
	if (view_is(f, "true") || view_is(f, "false")) {
		*ret = (struct flow){.kind = FLOW_TEXT, .text = VIEW(""), .span = s->span};
		return;
	}
	if (found_program(s, o, ret))
		return;
	if (((s->prog->flags & GP_BUILTIN) &&
	     gate_in_list("cd set shift declare alias read unset source "
			  "trap mapfile getopts",
			  f))) {
		*ret = (struct flow){.kind = FLOW_NONE};
		return;
	}
	if (view_is(f, "echo")) {
		*ret = (struct flow){.span = s->span};
		echo_output(s, ret);
		return;
	}
	if (view_is(f, "printf")) {
		*ret = (struct flow){.span = s->span};
		printf_output(s, ret);
		return;
	}
	if (view_is(f, "cat") || view_is(f, "tee") || view_is(f, "dd")) {
		*ret = (struct flow){.span = s->span};
		if (view_is(f, "cat"))
			cat_output(s, o, ret);
		else
			*ret = s->in;
		if (!view_is(s->name, "cat") && !view_is(s->name, "tee") &&
		    ret->kind == FLOW_TEXT && s->argc > 1 && !view_is(f, "dd"))
			ret->kind =
				ret->text.len ? FLOW_UNKNOWN : FLOW_TEXT; /* head, tail: a part */
		return;
	}
	if (s->prog->flags & GP_NET)
		ret->taint |= TAINT_NET;
	if (((s->prog->flags & GP_DECODE) && decodes(s, o)) ||
	    (view_is(f, "openssl") && openssl_decodes(o)))
		ret->taint |= TAINT_DECODED;
	if (s->prog->flags & (GP_FILTER | GP_LANG))
		ret->taint |= s->in.taint;
	for (uint32_t i = 0; i < o->n_operands; i++)
		if (o->operands[i].proc)
			ret->taint |= o->operands[i].proc->taint;
	if (view_is(f, "git") && o->n_operands &&
	    gate_in_list("show cat-file archive", o->operands[0].v))
		ret->taint |= TAINT_RUN;
}

/* ---- redirections ---- */

static void write_fact(struct run *r, const struct redir_value *v, const struct flow *out)
{
	if (out->taint & (TAINT_NET | TAINT_DECODED))
		file_add(r, v->target.v, FILE_NET,
			 &(struct flow){.kind = FLOW_UNKNOWN, .taint = out->taint}, VIEW(""));
	else if (out->kind == FLOW_TEXT)
		file_add(r, v->target.v, FILE_TEXT, out, VIEW(""));
	else if (out->kind != FLOW_NONE)
		file_add(r, v->target.v, FILE_UNKNOWN, out, VIEW(""));
}

static bool harmless_target(struct view v)
{
	return view_is(v, "/dev/null") || view_is(v, "/dev/stdout") || view_is(v, "/dev/stderr") ||
	       view_is(v, "/dev/tty") || view_starts(v, "/dev/fd/") || view_is(v, "/dev/full");
}

void judge_redirs(struct run *r, struct redir_value *redirs, const struct flow *out, bool empties)
{
	for (const struct redir_value *v = redirs; v; v = v->next) {
		struct view t = v->target.v;
		bool writes = v->op == R_OUT || v->op == R_APPEND || v->op == R_CLOBBER ||
			      v->op == R_BOTH || v->op == R_BOTHAPP || v->op == R_RDWR;

		if (view_has(t, "/dev/tcp/") || view_has(t, "/dev/udp/"))
			finding_own(r, "GATE_0032", v->target.span, t);
		if (v->op == R_DUPOUT && t.len && !(t.ptr[0] >= '0' && t.ptr[0] <= '9') &&
		    t.ptr[0] != '-' && t.ptr[0] != ANY)
			writes = true; /* >& file */
		if (!writes || harmless_target(t))
			continue;
		if (r->elsewhere)
			continue;
		if (t.len == 1 && t.ptr[0] == ANY && r->quiet)
			continue;
		path_judge(r, t, USE_WRITE, v->target.span);
		if (view_starts(t, "/dev/") && !view_starts(t, "/dev/shm/") &&
		    !view_starts(t, "/dev/tcp/") && !view_starts(t, "/dev/udp/"))
			finding_own(r, "GATE_0029", v->target.span, t);
		if (v->op == R_CLOBBER)
			finding_own(r, "GATE_0018", v->target.span, t);
		if (v->fd == -1 || v->fd == 1) {
			if (empties && (v->op == R_OUT || v->op == R_CLOBBER || v->op == R_BOTH))
				finding_own(r, "GATE_0017", v->target.span, t);
			write_fact(r, v, out);
		}
	}
}
