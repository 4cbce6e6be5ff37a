/* SPDX-License-Identifier: MIT */
/* Tokens: names, strings (joined where they stand side by side or are added), shell text. One pass,
 * linear. Test: fuzz_gate_text, the case files. */
#include "base/base.h"

#include "gate/langtok.h"

#include "base/limits.h"

struct lexer {
	struct arena *a;
	enum gate_lang lang;
	const char *s;
	size_t n, i;
	struct tok *t;
	size_t count, cap;
};

static void add(struct lexer *l, enum tok_kind kind, struct view v)
{
	if (l->count == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 32;
		struct tok *t = arena_alloc(l->a, cap * sizeof(*t));

		if (l->count)
			memcpy(t, l->t, l->count * sizeof(*t));
		l->t = t;
		l->cap = cap;
	}
	l->t[l->count++] = (struct tok){kind, false, v};
}

static bool name_start(const struct lexer *l, char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       (c == '@' && l->lang == LANG_RUBY) || (unsigned char)c >= 0x80;
}

static bool name_char(const struct lexer *l, char c)
{
	return name_start(l, c) || (c >= '0' && c <= '9') || c == '.' ||
	       (c == '-' && (l->lang == LANG_ELISP || l->lang == LANG_POWERSHELL)) ||
	       (c == ':' && l->lang == LANG_PERL);
}

static bool hash_comment(enum gate_lang g)
{
	return g == LANG_PYTHON || g == LANG_PERL || g == LANG_RUBY || g == LANG_PHP ||
	       g == LANG_R || g == LANG_AWK || g == LANG_POWERSHELL || g == LANG_TCL;
}

static bool skip_comment(struct lexer *l)
{
	char c = l->s[l->i], d = l->i + 1 < l->n ? l->s[l->i + 1] : 0;
	const char *end;

	if ((c == '#' && hash_comment(l->lang)) ||
	    (c == '/' && d == '/' && (l->lang == LANG_NODE || l->lang == LANG_PHP)) ||
	    (c == '-' && d == '-' && (l->lang == LANG_LUA || l->lang == LANG_APPLE)) ||
	    (c == ';' && l->lang == LANG_ELISP)) {
		end = memchr(l->s + l->i, '\n', l->n - l->i);
		l->i = end ? (size_t)(end - l->s) : l->n;
		return true;
	}
	if (c == '/' && d == '*' && (l->lang == LANG_NODE || l->lang == LANG_PHP)) {
		end = memmem(l->s + l->i + 2, l->n - l->i - 2, "*/", 2);
		l->i = end ? (size_t)(end - l->s) + 2 : l->n;
		return true;
	}
	return false;
}

/* Joins with the string before when only "+", "." or blanks stood between. */
static void add_string(struct lexer *l, struct view v)
{
	size_t n = l->count;
	bool plus = n && l->t[n - 1].kind == TOK_PUNCT &&
		    (l->t[n - 1].v.ptr[0] == '+' ||
		     (l->t[n - 1].v.ptr[0] == '.' &&
		      (l->lang == LANG_PHP || l->lang == LANG_PERL || l->lang == LANG_LUA)));
	bool beside = n && l->t[n - 1].kind == TOK_STR &&
		      (l->lang == LANG_PYTHON || l->lang == LANG_AWK || l->lang == LANG_RUBY);

	if (plus && n > 1 && l->t[n - 2].kind == TOK_STR && l->t[n - 2].v.len < MAX_GATE_COMPUTED) {
		l->t[n - 2].v = view_cat(l->a, l->t[n - 2].v, v);
		l->t[n - 2].joined = true;
		l->count--;
		return;
	}
	if (beside && l->t[n - 1].v.len < MAX_GATE_COMPUTED) {
		l->t[n - 1].v = view_cat(l->a, l->t[n - 1].v, v);
		l->t[n - 1].joined = true;
		return;
	}
	add(l, TOK_STR, v);
}

static void put_escape(struct lexer *l, struct text *t)
{
	char c = l->s[l->i++];
	unsigned v = 0;
	size_t n = 0;

	if (c == 'n') {
		text_putc(t, '\n');
	} else if (c == 't') {
		text_putc(t, '\t');
	} else if (c == 'x') {
		while (n < 2 && l->i < l->n && isxdigit((unsigned char)l->s[l->i])) {
			char h = l->s[l->i++];

			v = v * 16 + (unsigned)(h <= '9' ? h - '0' : (h | 32) - 'a' + 10);
			n++;
		}
		text_putc(t, v > 1 ? (char)v : ANY);
	} else if (c >= '0' && c <= '7') {
		v = (unsigned)(c - '0');
		while (n < 2 && l->i < l->n && l->s[l->i] >= '0' && l->s[l->i] <= '7') {
			v = v * 8 + (unsigned)(l->s[l->i++] - '0');
			n++;
		}
		text_putc(t, v > 1 ? (char)v : ANY);
	} else if (c == 'u' && l->i + 4 <= l->n) {
		for (n = 0; n < 4; n++) {
			char h = l->s[l->i + n];

			v = v * 16 + (unsigned)(isxdigit((unsigned char)h)
							? (h <= '9' ? h - '0' : (h | 32) - 'a' + 10)
							: 0);
		}
		l->i += 4;
		text_putc(t, v > 1 && v < 128 ? (char)v : ANY);
	} else {
		text_putc(t, c);
	}
}

/* A string that begins at the quote q; triple quotes too. raw: no escapes. */
static void take_string(struct lexer *l, char q, bool raw, bool interpolates)
{
	struct text t;
	bool triple = l->i + 2 < l->n && l->s[l->i + 1] == q && l->s[l->i + 2] == q &&
		      l->lang == LANG_PYTHON;

	text_init(&t, l->a);
	l->i += triple ? 3 : 1;
	while (l->i < l->n) {
		char c = l->s[l->i];

		if (c == q &&
		    (!triple || (l->i + 2 < l->n && l->s[l->i + 1] == q && l->s[l->i + 2] == q))) {
			l->i += triple ? 3 : 1;
			break;
		}
		l->i++;
		if (c == '\\' && !raw && l->i < l->n) {
			put_escape(l, &t);
		} else if (interpolates && (c == '$' || (c == '#' && l->lang == LANG_RUBY)) &&
			   l->i < l->n && l->s[l->i] == '{') {
			const char *end = memchr(l->s + l->i, '}', l->n - l->i);

			text_putc(&t, ANY);
			l->i = end ? (size_t)(end - l->s) + 1 : l->n;
		} else if (interpolates && c == '$' && l->i < l->n && name_start(l, l->s[l->i])) {
			text_putc(&t, ANY);
			while (l->i < l->n && name_char(l, l->s[l->i]) && l->s[l->i] != '.')
				l->i++;
		} else {
			text_putc(&t, c == GLOB ? ANY : c);
		}
	}
	add_string(l, text_view(&t));
}

static char closer(char c)
{
	return c == '(' ? ')' : c == '{' ? '}' : c == '[' ? ']' : c == '<' ? '>' : c;
}

/* qx{...}, %x(...), q(...), qq{...}: at the opening byte. */
static struct view delimited(struct lexer *l)
{
	char open = l->s[l->i], close = closer(open);
	size_t from = ++l->i, nest = 0;

	while (l->i < l->n) {
		char c = l->s[l->i];

		if (c == '\\')
			l->i++;
		else if (c == open && open != close)
			nest++;
		else if (c == close && nest-- == 0)
			break;
		l->i++;
	}
	if (l->i > l->n)
		l->i = l->n;
	{
		struct view v = {l->s + from, l->i - from};

		if (l->i < l->n)
			l->i++;
		return v;
	}
}

/* Whether a slash here begins a regular expression: where an operand is wanted. */
static bool wants_operand(const struct lexer *l)
{
	const struct tok *p;

	if (l->lang != LANG_PERL && l->lang != LANG_RUBY && l->lang != LANG_NODE &&
	    l->lang != LANG_AWK)
		return false;
	if (l->count == 0)
		return true;
	p = &l->t[l->count - 1];
	if (p->kind == TOK_PUNCT)
		return strchr("(,=~!&|{};[?:+-*<>%\n", p->v.ptr[0]) != NULL;
	return p->kind == TOK_NAME &&
	       gate_in_list("if unless and or not return split grep while until when "
			    "print case in typeof",
			    p->v);
}

static void skip_regex(struct lexer *l, char close)
{
	bool set = false;

	for (l->i++; l->i < l->n; l->i++) {
		char c = l->s[l->i];

		if (c == '\\')
			l->i++;
		else if (c == '[')
			set = true;
		else if (c == ']')
			set = false;
		else if ((c == close && !set) || c == '\n')
			break;
	}
	l->i = l->i < l->n ? l->i + 1 : l->n;
}

/* Perl's s///, tr///, m//, qw(), q(), qq{}, qx{}. Returns false if the name is none of them. */
static bool perl_quote(struct lexer *l, struct view id)
{
	char c = l->i < l->n ? l->s[l->i] : 0;
	struct view v;

	if (l->lang == LANG_RUBY && view_is(id, "x"))
		return false;
	if (l->lang != LANG_PERL || !c || isalnum((unsigned char)c) || c == ',' || c == ';' ||
	    c == ')' || c == ' ' || c == '=' || c == '\n')
		return false;
	if (view_is(id, "qx")) {
		add(l, TOK_SHELL, delimited(l));
	} else if (view_is(id, "q") || view_is(id, "qq")) {
		add_string(l, delimited(l));
	} else if (view_is(id, "qw") || view_is(id, "m") || view_is(id, "qr")) {
		(void)delimited(l);
	} else if (view_is(id, "s") || view_is(id, "tr") || view_is(id, "y")) {
		char open = c;
		size_t from;
		bool runs = false;

		(void)delimited(l);
		if (closer(open) != open) {
			while (l->i < l->n && (l->s[l->i] == ' ' || l->s[l->i] == '\n'))
				l->i++;
		} else {
			l->i--;
		}
		from = l->i;
		v = l->i < l->n ? delimited(l) : VIEW("");
		while (l->i < l->n && isalpha((unsigned char)l->s[l->i]))
			runs |= l->s[l->i++] == 'e';
		if (runs && view_is(id, "s") && from < l->n) { /* the replacement is code */
			size_t end = l->i;
			const char *s = l->s;
			size_t n = l->n;

			l->s = v.ptr;
			l->n = v.len;
			l->i = 0;
			while (l->i < l->n && name_char(l, l->s[l->i]))
				l->i++;
			if (l->i)
				add(l, TOK_NAME, (struct view){v.ptr, l->i});
			l->s = s;
			l->n = n;
			l->i = end;
		}
	} else {
		return false;
	}
	return true;
}

static void take_name(struct lexer *l)
{
	size_t from = l->i;
	struct view id;

	l->i++;
	while (l->i < l->n && name_char(l, l->s[l->i]))
		l->i++;
	while (l->i > from + 1 && l->s[l->i - 1] == '.')
		l->i--;
	id = (struct view){l->s + from, l->i - from};
	if (l->i < l->n && (l->s[l->i] == '"' || l->s[l->i] == '\'') && id.len <= 2 &&
	    l->lang == LANG_PYTHON) { /* r"", b"", f"" */
		bool raw = view_chr(id, 'r') || view_chr(id, 'R');

		if (strspn(id.ptr, "rRbBfFuU") >= id.len) {
			take_string(l, l->s[l->i], raw, false);
			return;
		}
	}
	if (perl_quote(l, id))
		return;
	add(l, TOK_NAME, id);
}

static void take_backtick(struct lexer *l)
{
	if (l->lang == LANG_NODE) {
		take_string(l, '`', false, true);
		return;
	}
	if (l->lang == LANG_PERL || l->lang == LANG_RUBY || l->lang == LANG_PHP) {
		add(l, TOK_SHELL, delimited(l));
		return;
	}
	l->i++;
}

void lang_tokens(struct arena *a, enum gate_lang lang, struct view text, struct tok **ret,
		 size_t *ret_n)
{
	struct lexer l = {.a = a, .lang = lang, .s = text.ptr, .n = text.len};

	while (l.i < l.n) {
		char c = l.s[l.i];

		arena_step(a, 1);
		if (skip_comment(&l))
			continue;
		if (c == ' ' || c == '\t' || c == '\r') {
			l.i++;
		} else if (c == '"' || c == '\'') {
			bool single = c == '\'';

			if (single && (lang == LANG_ELISP || lang == LANG_APPLE)) {
				l.i++;
				continue;
			}
			take_string(&l, c,
				    single && (lang == LANG_PHP || lang == LANG_PERL ||
					       lang == LANG_RUBY),
				    !single && (lang == LANG_PERL || lang == LANG_PHP ||
						lang == LANG_RUBY));
		} else if (c == '`') {
			take_backtick(&l);
		} else if (c == '%' && l.i + 2 < l.n && l.s[l.i + 1] == 'x' && lang == LANG_RUBY &&
			   !isalnum((unsigned char)l.s[l.i + 2])) {
			l.i += 2;
			add(&l, TOK_SHELL, delimited(&l));
		} else if (c == '/' && wants_operand(&l)) {
			skip_regex(&l, '/');
		} else if (name_start(&l, c) ||
			   (c == '.' && l.i + 1 < l.n && name_start(&l, l.s[l.i + 1]) && l.count &&
			    l.t[l.count - 1].kind == TOK_PUNCT)) {
			take_name(&l);
		} else {
			add(&l, TOK_PUNCT, (struct view){l.s + l.i, 1});
			l.i++;
		}
	}
	*ret = l.t;
	*ret_n = l.count;
}
