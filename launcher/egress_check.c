/* SPDX-License-Identifier: MIT */
/*
 * confine-run egress-check: reads a rules file as a run would and says what it decides about hosts.
 * For people who write rules. Effects: reads the file, prints. Tested by
 * tests/e2e/t0320-egress-check.tap.
 */
#include "base/base.h"

#include "launcher/egress.h"

#include "base/custody.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>

enum { EXIT_ALLOWED = 0, EXIT_DENIED = 1, EXIT_USAGE = 2 };

static int load(const char *path, struct egress_rules **ret, struct errctx *e)
{
	auto_buf struct buf text = {0};
	auto_fd int fd = -1;
	int rc;

	buf_init(&text, MAX_OPERATOR_FILE_BYTES);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_sys(e, "%s", path);
	rc = io_read_all(fd, &text, MAX_OPERATOR_FILE_BYTES);
	if (rc)
		return rc == E_SYS ? err_sys(e, "%s", path)
				   : err_set(e, rc, "%s: %s", path, err_name(rc));
	return egress_rules_parse(buf_view(&text), ret, e);
}

/* True if it is allowed. */
static int check_one(const struct egress_rules *rules, const char *word, bool *ret_allowed)
{
	struct egress_decision d;
	struct egress_host host;
	unsigned port = 443;
	int rc = egress_authority_parse(view_of(word), 443, &host, &port);

	if (rc)
		rc = egress_host_parse(view_of(word), &host); /* an IPv6 address without brackets */
	if (rc)
		return rc;
	d = egress_decide(rules, &host, port);
	*ret_allowed = d.verdict == VERDICT_ALLOW;
	printf("%s\t%s\t%u\t", *ret_allowed ? "allow" : "deny", host.text, port);
	if (d.rule)
		printf("rule %u, line %u: %.*s\n", d.rule, d.line, (int)d.text.len, d.text.ptr);
	else
		printf("no rule\n");
	return 0;
}

int egress_check_main(int argc, char **argv)
{
	auto_egress_rules struct egress_rules *rules = NULL;
	struct errctx e = {0};
	bool all = true;

	log_init("confine-run", LOG_WARN_LEVEL);
	if (argc < 3 || argv[2][0] == '-') {
		log_error("usage: confine-run " EGRESS_CHECK_MODE " FILE [HOST[:PORT]...]");
		return EXIT_USAGE;
	}
	if (load(argv[2], &rules, &e) != 0) {
		log_error("%s: %s", argv[2], e.text);
		return EXIT_USAGE;
	}
	if (argc == 3)
		printf("%zu rules\n", egress_rules_count(rules));
	for (int i = 3; i < argc; i++) {
		bool allowed = false;

		if (check_one(rules, argv[i], &allowed) != 0) {
			log_error("\"%s\" is no host, and no host:port", argv[i]);
			return EXIT_USAGE;
		}
		all = all && allowed;
	}
	if (fflush(stdout) != 0) {
		log_error("standard output: %s", strerror(errno));
		return EXIT_USAGE;
	}
	return all ? EXIT_ALLOWED : EXIT_DENIED;
}
