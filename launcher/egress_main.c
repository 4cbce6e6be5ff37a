/* SPDX-License-Identifier: MIT */
/*
 * The proxy process: reads what it was started with, confines itself, serves. It never returns to
 * the launcher's code. Tested by tests/e2e/t03*-*egress*.tap.
 */
#include "base/base.h"

#include "launcher/egress.h"

#include "base/io.h"
#include "base/log.h"
#include "launcher/egress_confine.h"
#include "launcher/egress_loop.h"
#include "launcher/egress_resolver.h"
#include "launcher/egress_wire.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, MAX_START_BYTES = 2 * MAX_OPERATOR_FILE_BYTES };

struct started {
	struct egress_start_head head;
	struct buf bytes; /* the whole start file */
	char *credential; /* owned; NULL: none */
	struct view rules;
};

static int read_start(struct started *s, struct errctx *e)
{
	const char *p;
	int rc;

	buf_init(&s->bytes, MAX_START_BYTES);
	rc = io_read_all(EGRESS_FD_START, &s->bytes, MAX_START_BYTES);
	(void)close(EGRESS_FD_START);
	if (rc)
		return err_set(e, rc, "egress proxy: start file");
	if (s->bytes.len < sizeof(s->head))
		return err_set(e, E_SYNTAX, "egress proxy: start file");
	memcpy(&s->head, s->bytes.data, sizeof(s->head));
	if (memcmp(s->head.magic, EGRESS_MAGIC, sizeof(EGRESS_MAGIC)) != 0 ||
	    sizeof(s->head) + (uint64_t)s->head.credential_len + s->head.rules_len != s->bytes.len)
		return err_set(e, E_SYNTAX, "egress proxy: start file");
	p = s->bytes.data + sizeof(s->head);
	if (s->head.credential_len) {
		s->credential = strndup(p, s->head.credential_len);
		if (!s->credential)
			return err_set(e, E_NOMEM, "egress proxy: out of memory");
	}
	s->rules = (struct view){p + s->head.credential_len, s->head.rules_len};
	return 0;
}

/* Everything up to the loop. */
static int prepare(struct started *s, struct egress_rules **rules, int *resolver_fd,
		   struct errctx *e)
{
	int rc = read_start(s, e);

	if (!rc)
		rc = egress_rules_parse(s->rules, rules, e);
	if (!rc)
		rc = egress_resolver_start(s->head.without_landlock, resolver_fd, e);
	if (!rc)
		rc = egress_confine_proxy(s->head.without_landlock, e);
	return rc;
}

static int say_ready(int code, const struct errctx *e)
{
	struct egress_ready r = {.code = code};

	(void)snprintf(r.text, sizeof(r.text), "%s", e->text);
	return send(EGRESS_FD_CONTROL, &r, sizeof(r), MSG_NOSIGNAL) == (ssize_t)sizeof(r)
		       ? 0
		       : E_CLOSED;
}

static bool is_socket(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

int egress_main(int argc, char **argv)
{
	struct started s = {.credential = NULL};
	struct egress_rules *rules = NULL;
	struct errctx e = {0};
	int resolver_fd = -1, rc;

	log_init("confine-run", LOG_WARN_LEVEL);
	if (argc != 2 || !is_socket(EGRESS_FD_CONTROL)) {
		log_error("%s is started by confine-run itself", argv[1]);
		return EXIT_USAGE;
	}
	/* Its end comes through the control socket, after the last line of the report is written.
	 */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	rc = prepare(&s, &rules, &resolver_fd, &e);
	if (say_ready(rc, &e) != 0 || rc)
		return EXIT_FAILED;
	{
		struct egress_loop_start start = {
			.rules = rules,
			.credential = s.credential,
			.byte_budget = s.head.byte_budget,
			.control_fd = EGRESS_FD_CONTROL,
			.report_fd = s.head.has_report ? EGRESS_FD_REPORT : -1,
			.resolver_fd = resolver_fd,
		};

		rc = egress_loop_run(&start, &e);
	}
	egress_rules_free(rules);
	free(s.credential);
	buf_release(&s.bytes);
	if (rc)
		log_error("%s", e.text);
	return rc ? EXIT_FAILED : 0;
}
