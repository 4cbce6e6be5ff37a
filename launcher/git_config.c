/* SPDX-License-Identifier: MIT */
/*
 * git's configuration format, read as git reads it, byte for byte: a reader that joins or ends a
 * line in another place than git does can be shown a harmless file. Where git would give up
 * (E_SYNTAX), it runs nothing from the file; that is reported all the same.
 * Pure. Covered by tests/unit/launcher/t_git_config.c, which also asks git.
 */
#include "base/base.h"
#include "launcher/git_config.h"

struct reader {
	struct view text;
	size_t at;
	unsigned line;
	bool ended;
	struct buf section, key, value;
};

/* One character; "\r\n" is one line end, and so is the end of the text. */
static int next(struct reader *r)
{
	char c;

	if (r->at >= r->text.len) {
		r->ended = true;
		return '\n';
	}
	c = r->text.ptr[r->at++];
	if (c == '\r' && r->at < r->text.len && r->text.ptr[r->at] == '\n')
		c = r->text.ptr[r->at++];
	if (c == '\n')
		r->line++;
	return (unsigned char)c;
}

static bool is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_key(int c)
{
	return is_alpha(c) || (c >= '0' && c <= '9') || c == '-';
}

static void put(struct buf *b, int c)
{
	(void)buf_putc(b, (char)c); /* an error sticks, and is asked for once a key */
}

/* The rest of [section "sub"]: what it names doesn't matter here. */
static bool skip_subsection(struct reader *r, int c)
{
	do {
		if (c == '\n')
			return false;
		c = next(r);
	} while (is_space(c));
	if (c != '"')
		return false;
	while ((c = next(r)) != '"') {
		if (c == '\\')
			c = next(r);
		if (c == '\n')
			return false;
	}
	return next(r) == ']';
}

static bool read_section(struct reader *r)
{
	bool sub = false; /* behind the point of [section.sub] */

	buf_clear(&r->section);
	for (;;) {
		int c = next(r);

		if (r->ended)
			return false;
		if (c == ']')
			return true;
		if (is_space(c))
			return skip_subsection(r, c);
		if (!is_key(c) && c != '.')
			return false;
		sub |= c == '.';
		if (!sub)
			put(&r->section, c);
	}
}

static bool read_value(struct reader *r)
{
	bool quoted = false, comment = false;
	size_t kept = 0; /* without the blanks at the end */

	for (;;) {
		int c = next(r);

		if (c == '\n') {
			r->value.len = kept;
			return !quoted;
		}
		if (comment)
			continue;
		if (is_space(c) && !quoted) {
			if (r->value.len)
				put(&r->value, c);
			continue;
		}
		if (!quoted && (c == ';' || c == '#')) {
			comment = true;
			continue;
		}
		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		if (c == '\\') {
			c = next(r);
			if (c == '\n' && !r->ended)
				continue;
			if (c == '\n' || !strchr("tbn\\\"", c))
				return false;
			c = c == 't' ? '\t' : c == 'b' ? '\b' : c == 'n' ? '\n' : c;
		}
		put(&r->value, c);
		kept = r->value.len;
	}
}

static bool read_key(struct reader *r, int c)
{
	buf_clear(&r->key);
	buf_clear(&r->value);
	for (; is_key(c); c = next(r))
		put(&r->key, c);
	while (c == ' ' || c == '\t')
		c = next(r);
	return c == '\n' || (c == '=' && read_value(r));
}

static int read_all(struct reader *r, git_config_take *take, void *ctx, struct errctx *e)
{
	bool comment = false;

	while (!r->ended) {
		int c = next(r), code;

		if (c == '\n')
			comment = false;
		if (comment || is_space(c))
			continue;
		if (c == '#' || c == ';') {
			comment = true;
			continue;
		}
		if (c == '[') {
			if (!read_section(r))
				return E_SYNTAX;
			continue;
		}
		if (!is_alpha(c) || !read_key(r, c))
			return E_SYNTAX;
		if (buf_error(&r->section) || buf_error(&r->key) || buf_error(&r->value))
			return err_set(e, E_NOMEM, "no memory for a git configuration");
		code = take(ctx, buf_view(&r->section), buf_view(&r->key), buf_view(&r->value), e);
		if (code < 0)
			return code;
	}
	return 0;
}

int git_config_each(struct view text, git_config_take *take, void *ctx, unsigned *ret_line,
		    struct errctx *e)
{
	struct reader r = {.text = text, .line = 1};
	int code;

	buf_init(&r.section, text.len + 1);
	buf_init(&r.key, text.len + 1);
	buf_init(&r.value, text.len + 1);
	if (text.len >= 3 && memcmp(text.ptr, "\xef\xbb\xbf", 3) == 0)
		r.at = 3; /* git skips a byte order mark */
	code = read_all(&r, take, ctx, e);
	*ret_line = r.line;
	buf_release(&r.section);
	buf_release(&r.key);
	buf_release(&r.value);
	return code;
}

struct running {
	struct strings *keys;
	const char *path;
};

static int take_running(void *ctx, struct view section, struct view key, struct view value,
			struct errctx *e)
{
	struct running *w = ctx;

	if (!launch_git_key_runs(section, key, value))
		return 0;
	return strings_addf(w->keys, e, "%s\t%.*s.%.*s=%.*s", w->path, (int)section.len,
			    section.ptr, (int)key.len, key.ptr, (int)value.len, value.ptr);
}

int git_config_running_keys(struct view text, const char *path, struct strings *keys,
			    struct errctx *e)
{
	struct running w = {keys, path};
	unsigned line;
	int r = git_config_each(text, take_running, &w, &line, e);

	return r == E_SYNTAX ? strings_addf(keys, e, "%s\tunreadable line %u", path, line) : r;
}
