/* SPDX-License-Identifier: MIT */
/*
 * Filtered egress in a run (file 10, section 18.12): reads and checks the rules, starts the proxy
 * process, hands it the listener that stage 2 made inside, passes its report on. Effects: starts
 * and ends a process. A proxy that ends early takes the network away from the command, nothing
 * else. Tested by tests/e2e/t0330-confine-egress.tap.
 */
#include "base/base.h"
#include "launcher/run_internal.h"

#include "launcher/report.h"

#include "base/custody.h"
#include "base/io.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/pathstr.h"

#include <errno.h>
#include <fcntl.h>

enum { STOP_MS = 3000, MAX_PROXY_LINE = 8192 };

/* The rules decide what a guest may reach, so no guest may have written them: custody as for every
 * operator's file, and outside each root. */
static int read_rules(const struct launch *l, struct buf *out, struct errctx *e)
{
	const char *path = l->opt->egress_rules;
	int code = custody_read(path, 0, MAX_OPERATOR_FILE_BYTES, -1, out, e);

	for (size_t i = 0; code == 0 && i < l->n_roots; i++) {
		auto_buf struct buf again = {0};

		buf_init(&again, MAX_OPERATOR_FILE_BYTES);
		code = custody_read(path, 0, MAX_OPERATOR_FILE_BYTES, l->objects.v[i].fd, &again,
				    e);
	}
	return code;
}

int run_egress_check(const struct launch *l, struct errctx *e)
{
	auto_egress_rules struct egress_rules *rules = NULL;
	auto_buf struct buf text = {0};
	struct errctx why = {0};
	int code;

	buf_init(&text, MAX_OPERATOR_FILE_BYTES);
	code = read_rules(l, &text, &why);
	if (code == 0)
		code = egress_rules_parse(buf_view(&text), &rules, &why);
	return code ? err_set(e, code, "--egress-rules %s: %s", l->opt->egress_rules, why.text) : 0;
}

int run_egress_begin(struct run *r, struct errctx *e)
{
	struct egress_options options = {.without_landlock = !r->l->opt->landlock};
	auto_buf struct buf text = {0};
	auto_fd int read_fd = -1;
	auto_fd int write_fd = -1;
	int pair[2], code;

	buf_init(&text, MAX_OPERATOR_FILE_BYTES);
	code = read_rules(r->l, &text, e);
	if (code)
		return code;
	if (pipe2(pair, O_CLOEXEC) < 0)
		return err_sys(e, "egress proxy: report");
	read_fd = pair[0];
	write_fd = pair[1];
	if (io_set_nonblock(read_fd, true) != 0)
		return err_sys(e, "egress proxy: report");
	code = egress_start(buf_view(&text), &options, write_fd, &r->proxy, e);
	if (code)
		return code;
	r->has_proxy = true;
	r->proxy_lines_fd = steal_fd(&read_fd);
	buf_init(&r->proxy_text, MAX_REPORT_BYTES);
	return 0;
}

/* ssh speaks no proxy's language; this program does. Only where its own path needs no quoting. */
static int set_ssh_command(struct launch *l, struct errctx *e)
{
	char path[1024], word[1200];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return 0;
	path[n] = 0;
	if (pathstr_beneath(view_of(path), VIEW("/tmp")) ||
	    pathstr_beneath(view_of(path), VIEW("/run")))
		return 0; /* not visible inside: a build tree */
	for (const char *p = path; *p; p++)
		if (!(*p >= 'a' && *p <= 'z') && !(*p >= 'A' && *p <= 'Z') &&
		    !(*p >= '0' && *p <= '9') && !strchr("/._-+", *p))
			return 0;
	for (size_t i = 0; i < l->env.n; i++)
		if (strncmp(l->env.v[i], "GIT_SSH_COMMAND=", 16) == 0)
			return 0; /* the operator's own */
	(void)snprintf(word, sizeof(word),
		       "GIT_SSH_COMMAND=ssh -o 'ProxyCommand=%s " EGRESS_CONNECT_MODE " %%h %%p'",
		       path);
	return childenv_set(l, word, e);
}

int run_egress_listener(struct run *r, int listen_fd, unsigned port, struct errctx *e)
{
	auto_fd int fd = listen_fd; /* the proxy gets a copy; ours would keep the port open */
	char word[128];
	int code;

	if (!r->has_proxy || r->proxy_port)
		return err_set(e, E_DENIED, "pid 1 inside sent a listener that nobody asked for");
	code = egress_give_listener(&r->proxy, fd, e);
	for (size_t i = 0; code == 0 && egress_environment(i, port, word, sizeof(word)); i++)
		code = childenv_set(r->l, word, e);
	if (code == 0)
		code = set_ssh_command(r->l, e);
	if (code == 0)
		r->proxy_port = port;
	return code;
}

static struct view text_member(const struct json *j, const char *name, struct view otherwise)
{
	struct view v;

	return json_get_str(json_member(j, name), &v) == 0 ? v : otherwise;
}

static int64_t number_member(const struct json *j, const char *name)
{
	int64_t n;

	return json_get_int(json_member(j, name), &n) == 0 ? n : 0;
}

/* What --explain says of one refused connection. */
static void explain_line(struct run *r, struct view line)
{
	auto_json struct json *j = NULL;
	struct view host, reason;
	char thing[300], text[200];

	if (json_parse(line, &j, NULL) != 0 ||
	    !view_is(text_member(j, "verdict", VIEW("")), "deny"))
		return;
	host = text_member(j, "host", VIEW("?"));
	reason = text_member(j, "reason", VIEW(""));
	(void)snprintf(thing, sizeof(thing), "%.*s:%u", (int)host.len, host.ptr,
		       (unsigned)number_member(j, "port"));
	(void)snprintf(text, sizeof(text), "rule %u: %.*s", (unsigned)number_member(j, "rule"),
		       (int)(reason.len > 150 ? 150 : reason.len), reason.ptr);
	run_add_denial(r, "egress proxy", "connect", thing, text);
}

static void pass_lines(struct run *r)
{
	struct view all = buf_view(&r->proxy_text);
	size_t used = 0;

	for (size_t i = 0; i < all.len; i++) {
		struct view line = {all.ptr + used, i + 1 - used};

		if (all.ptr[i] != '\n')
			continue;
		used = i + 1;
		if (report_line(r->l->opt->report_fd, line) < 0 && !r->broken) {
			(void)err_set(&r->why, E_CLOSED, "the report can't be written");
			r->broken = true;
		}
		if (r->l->opt->explain)
			explain_line(r, (struct view){line.ptr, line.len - 1});
	}
	buf_drop_front(&r->proxy_text, used);
}

static void stop_reading(struct run *r)
{
	(void)close(r->proxy_lines_fd);
	r->proxy_lines_fd = -1;
}

void run_egress_read(struct run *r)
{
	while (r->proxy_lines_fd >= 0) {
		char *room = buf_reserve(&r->proxy_text, MAX_PROXY_LINE);
		ssize_t n = room ? read(r->proxy_lines_fd, room, MAX_PROXY_LINE) : -1;

		if (!room) {
			stop_reading(r);
			return;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) { /* it ended: the command goes on, without a network */
			stop_reading(r);
			return;
		}
		buf_added(&r->proxy_text, (size_t)n);
		pass_lines(r);
	}
}

void run_egress_end(struct run *r)
{
	struct errctx e = {0};

	if (!r->has_proxy)
		return;
	r->has_proxy = false;
	if (egress_stop(&r->proxy, STOP_MS, &e) < 0)
		log_warn("%s", e.text);
	run_egress_read(r); /* its last lines; it is gone, so they end */
	if (r->proxy_lines_fd >= 0)
		stop_reading(r);
	buf_release(&r->proxy_text);
}
