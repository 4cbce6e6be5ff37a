/* SPDX-License-Identifier: MIT */
/* Requests to a forge, by its own client or by any other: routes that merge or delete, GraphQL
 * mutations (file 40, section 12.9). Test: gate-dangerous.cases group F, X340 on. */
#include "base/base.h"

#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Percent-decoded, "." and ".." segments and doubled slashes folded, without the query. */
static struct view route_of(struct run *r, struct view url)
{
	char *p = arena_text(r->tmp, url.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < url.len; i++) {
		char c = url.ptr[i];

		if (c == '?' || c == '#')
			break;
		if (c == '%' && i + 2 < url.len && hex(url.ptr[i + 1]) >= 0 &&
		    hex(url.ptr[i + 2]) >= 0) {
			c = (char)(hex(url.ptr[i + 1]) * 16 + hex(url.ptr[i + 2]));
			i += 2;
		}
		if (c == '/' && n && p[n - 1] == '/' && !(n >= 2 && p[n - 2] == ':'))
			continue;
		p[n++] = c;
		while (n >= 2 && p[n - 1] == '/' && p[n - 2] == '.' && (n == 2 || p[n - 3] == '/'))
			n -= 2;
		if (n >= 4 && p[n - 1] == '/' && p[n - 2] == '.' && p[n - 3] == '.' &&
		    p[n - 4] == '/') {
			n -= 4;
			while (n && p[n - 1] != '/')
				n--;
		}
	}
	while (n && p[n - 1] == '/')
		n--;
	return (struct view){p, n};
}

static bool merges(struct view v)
{
	static const char *const globs[] = {"*pulls/*/merge",	       "*repos/*/merges",
					    "*merge-upstream",	       "*merge-queue*",
					    "*merge_requests/*/merge", "*pullrequests/*/merge",
					    "*pull-requests/*/merge"};
	static const char *const marks[] = {"pulls/",	     "merges",		"merge-upstream",
					    "merge-queue",   "merge_requests/", "pullrequests/",
					    "pull-requests/"};

	for (size_t i = 0; i < ARRAY_LEN(globs); i++)
		if (view_has(v, marks[i]) && value_may_match(globs[i], v, true))
			return true;
	return false;
}

static bool forge(struct view v)
{
	return view_has(v, "api.github.com") || view_has(v, "github.com/api") ||
	       view_has(v, "/api/v3/") || view_has(v, "/api/v4/") || view_has(v, "gitlab") ||
	       view_has(v, "bitbucket") || view_has(v, "gitea") || view_has(v, "codeberg") ||
	       view_has(v, "/api/v1/repos/") || view_has(v, "uploads.github.com");
}

static bool local_host(struct view v)
{
	const char *sep = view_find(v, VIEW("://"));
	struct view h = sep ? view_sub(v, (size_t)(sep - v.ptr) + 3) : v;

	return view_starts(h, "localhost") || view_starts(h, "127.") || view_starts(h, "[::1]") ||
	       view_starts(h, "0.0.0.0") || view_starts(h, "host.docker.internal") ||
	       view_starts(h, ":") || view_starts(h, "/") || h.len == 0 || h.ptr[0] == ANY;
}

void judge_route(struct run *r, struct view url, bool writes, bool deletes, struct span span,
		 struct view what)
{
	struct view v = route_of(r, url);

	if ((writes || deletes) && merges(v))
		finding_own(r, "GATE_0014", span, what);
	if (deletes && (forge(v) || (v.len && v.ptr[0] != 'h' && view_has(v, "repos/"))))
		finding_own(r, "GATE_0015", span, what);
	else if (deletes && view_has(url, "://") && !local_host(v))
		finding_own(r, "GATE_0033", span, what);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

void judge_graphql(struct run *r, struct view text, struct span span, struct view what)
{
	char word[64];
	size_t n = 0;
	bool mutation = view_has(text, "mutation");

	for (size_t i = 0; i <= text.len; i++) {
		char c = i < text.len ? text.ptr[i] : ' ';

		if (isalnum((unsigned char)c) || c == '_') {
			if (n + 1 < sizeof(word))
				word[n++] = lower(c);
			continue;
		}
		word[n] = 0;
		if (n && mutation) {
			bool off = strncmp(word, "disable", 7) == 0 ||
				   strncmp(word, "dequeue", 7) == 0;

			if (!off && ((strstr(word, "pullrequest") &&
				      (strstr(word, "merge") || strstr(word, "enqueue"))) ||
				     strcmp(word, "mergebranch") == 0))
				finding_own(r, "GATE_0014", span, what);
			if (strncmp(word, "delete", 6) == 0 && n > 6)
				finding_own(r, "GATE_0015", span, what);
		}
		n = 0;
	}
	if (view_chr(text, ANY))
		finding_own(r, "GATE_0031", span, what);
}

struct request {
	struct site *s;
	const struct opts *o;
	struct view method;
	bool body; /* a field or body is given */
	struct view what;
};

static bool is_method(struct view v, const char *name)
{
	return gate_glob(name, v, true);
}

static void body_text(struct request *q, struct view v, bool graphql, bool files)
{
	if (!graphql)
		return;
	if (files && v.len && v.ptr[0] == '@') {
		finding_own(q->s->r, "GATE_0031", q->s->span, q->what);
		return;
	}
	judge_graphql(q->s->r, v, q->s->span, q->what);
}

static void decide(struct request *q, struct view url)
{
	bool get = q->method.len ? is_method(q->method, "GET") || is_method(q->method, "HEAD") ||
					   is_method(q->method, "OPTIONS")
				 : !q->body;
	bool deletes = is_method(q->method, "DELETE") ||
		       (q->method.len && value_may_match("DELETE", q->method, true));

	judge_route(q->s->r, url, !get, deletes, q->s->span, q->what);
}

static void gh_api(struct request *q)
{
	const struct opts *o = q->o;
	const struct opt *x = opts_find(o, "-X --method");
	bool graphql;
	struct view route;

	if (o->n_operands < 2 || !view_is(o->operands[0].v, "api"))
		return;
	route = o->operands[1].v;
	graphql = view_is(route, "graphql") || view_is(route, "/graphql");
	if (x)
		q->method = x->val;
	for (uint32_t i = 0; i < o->n; i++) {
		struct view n = o->v[i].name, v = o->v[i].val;

		if (view_is(n, "--input")) {
			q->body = true;
			if (graphql)
				finding_own(q->s->r, "GATE_0031", q->s->span, q->what);
		}
		if (!view_is(n, "-f") && !view_is(n, "-F") && !view_is(n, "--field") &&
		    !view_is(n, "--raw-field"))
			continue;
		q->body = true;
		if (view_starts(v, "query="))
			body_text(q, view_sub(v, 6), graphql,
				  !view_is(n, "-f") && !view_is(n, "--raw-field"));
	}
	if (graphql)
		return;
	/* the client adds the host itself */
	judge_route(q->s->r, route, q->method.len ? !is_method(q->method, "GET") : q->body,
		    q->method.len && value_may_match("DELETE", q->method, true), q->s->span,
		    q->what);
}

static void curl(struct request *q)
{
	static const char data[] =
		"-d --data --data-raw --data-binary --data-ascii --data-urlencode --json "
		"-F --form -T --upload-file --post-data --post-file --body-data --body-file";
	const struct opts *o = q->o;
	const struct opt *x = opts_find(o, "-X --request --method");
	bool graphql = false;

	if (x)
		q->method = x->val;
	q->body = opts_find(o, data) != NULL;
	for (uint32_t i = 0; i < o->n_operands; i++) {
		decide(q, o->operands[i].v);
		graphql |= view_has(o->operands[i].v, "graphql");
	}
	for (uint32_t i = 0; i < o->n; i++)
		if (view_is(o->v[i].name, "--url")) {
			decide(q, o->v[i].val);
			graphql |= view_has(o->v[i].val, "graphql");
		}
	for (uint32_t i = 0; graphql && i < o->n; i++) {
		struct opts one = {
			.v = (struct opt *)(uintptr_t)&o->v[i], .n = 1, .flags = o->flags};

		if (opts_find(&one, data))
			body_text(q, o->v[i].val, true, true);
		if (opts_find(&one, "-T --upload-file --post-file --body-file -K --config"))
			finding_own(q->s->r, "GATE_0031", q->s->span, q->what);
	}
}

static void httpie(struct request *q)
{
	const struct opts *o = q->o;
	uint32_t at = 0;

	if (o->n_operands == 0)
		return;
	if (gate_glob("get", o->operands[0].v, true) || gate_glob("post", o->operands[0].v, true) ||
	    gate_glob("put", o->operands[0].v, true) ||
	    gate_glob("patch", o->operands[0].v, true) ||
	    gate_glob("delete", o->operands[0].v, true) ||
	    gate_glob("head", o->operands[0].v, true) ||
	    gate_glob("options", o->operands[0].v, true)) {
		q->method = o->operands[0].v;
		at = 1;
	}
	if (at >= o->n_operands)
		return;
	for (uint32_t i = at + 1; i < o->n_operands; i++)
		q->body |= view_chr(o->operands[i].v, '=') != NULL;
	decide(q, o->operands[at].v);
	if (view_has(o->operands[at].v, "graphql"))
		for (uint32_t i = at + 1; i < o->n_operands; i++)
			body_text(q, o->operands[i].v, true, true);
}

/* What a download leaves behind is remembered: running it later in the call is running the network.
 */
static void downloads(struct site *s, const struct opts *o)
{
	struct flow net = {.kind = FLOW_UNKNOWN, .taint = TAINT_NET};
	struct view f = view_of(s->prog->family);
	const struct opt *out = NULL;
	bool by_name = false;

	if (view_is(f, "curl")) {
		out = opts_find(o, "-o --output");
		by_name = opts_find(o, "-O --remote-name --remote-name-all -J") != NULL;
	} else if (view_is(f, "wget")) {
		out = opts_find(o, "-O --output-document");
		by_name = !out;
	} else if (view_is(f, "aria2c")) {
		out = opts_find(o, "-o --out");
		by_name = !out;
	} else if (view_is(f, "scp")) {
		if (o->n_operands >= 2) {
			struct view last = o->operands[o->n_operands - 1].v;

			for (uint32_t i = 0; i + 1 < o->n_operands; i++) {
				struct view src = o->operands[i].v;
				const char *slash = view_rchr(src, '/');
				const char *colon = view_rchr(src, ':');
				const char *cut = slash ? slash : colon;
				struct view base =
					cut ? view_sub(src, (size_t)(cut - src.ptr) + 1) : src;

				if (colon) {
					file_add(s->r, last, FILE_NET, &net, VIEW(""));
					file_add(s->r,
						 view_cat(s->r->tmp,
							  view_cat(s->r->tmp, last, VIEW("/")),
							  base),
						 FILE_NET, &net, VIEW(""));
				}
			}
		}
		return;
	}
	if (out && out->has_val) {
		struct view p = out->val;
		const char *slash = view_rchr(p, '/');

		file_add(s->r, p, FILE_NET, &net, VIEW(""));
		if (slash) {
			struct view dir = {p.ptr, (size_t)(slash - p.ptr)};

			if (view_ends(dir, "/bin") || view_ends(dir, "/sbin"))
				finding_own(s->r, "GATE_0020", s->span, p);
		}
	}
	for (uint32_t i = 0; by_name && i < o->n_operands; i++) {
		struct view u = o->operands[i].v;
		const char *slash = view_rchr(u, '/');

		if (slash)
			file_add(s->r, view_sub(u, (size_t)(slash - u.ptr) + 1), FILE_NET, &net,
				 VIEW(""));
	}
}

/* cp, ln, install of a program: running the new name is running the old one. */
static void copies(struct site *s, const struct opts *o)
{
	struct view last;

	if (o->n_operands < 2)
		return;
	last = o->operands[o->n_operands - 1].v;
	for (uint32_t i = 0; i + 1 < o->n_operands; i++) {
		struct view src = o->operands[i].v;
		struct file_fact *f = file_find(s->r, src);
		const char *slash = view_rchr(src, '/');
		struct view base = slash ? view_sub(src, (size_t)(slash - src.ptr) + 1) : src;
		const struct gate_program *p;

		if (f) {
			file_add(s->r, last, f->kind, &f->content, f->copy_of);
			continue;
		}
		(void)program_name(base, &p);
		if (slash && (p || view_starts(src, "/"))) {
			file_add(s->r, last, FILE_COPY, NULL, src);
			file_add(s->r,
				 view_cat(s->r->tmp, view_cat(s->r->tmp, last, VIEW("/")), base),
				 FILE_COPY, NULL, src);
		}
	}
}

void judge_http(struct site *s, const struct opts *o)
{
	struct request q = {.s = s, .o = o};
	struct view f;

	if (!s->prog || o->help)
		return;
	f = view_of(s->prog->family);
	if (view_is(f, "tee")) {
		for (uint32_t i = 0; i < o->n_operands; i++)
			file_add(s->r, o->operands[i].v,
				 s->in.taint & (TAINT_NET | TAINT_DECODED) ? FILE_NET
				 : s->in.kind == FLOW_TEXT		   ? FILE_TEXT
									   : FILE_UNKNOWN,
				 &s->in, VIEW(""));
		return;
	}
	if (gate_in_list("cp ln install mv", f)) {
		copies(s, o);
		return;
	}
	if (!gate_in_list("gh hub glab curl wget httpie aria2c scp", f))
		return;
	q.what = argv_text(s->r, s->argv, s->argc);
	if (gate_in_list("gh hub glab", f)) {
		gh_api(&q);
		return;
	}
	if (view_is(f, "httpie"))
		httpie(&q);
	else if (!view_is(f, "scp"))
		curl(&q);
	downloads(s, o);
}
