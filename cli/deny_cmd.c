/* SPDX-License-Identifier: MIT */
/*
 * agentteams policy check-deny: the operator's deny.list, read under the custody rules and parsed
 * by the very code that programs use. Reads only. Tests: tests/e2e/t0003-deny.tap.
 */
#include "base/base.h"

#include "cli/cli.h"

#include "base/custody.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "policy/policy.h"

#include <fcntl.h>
#include <stdio.h>

#define DEFAULT_FILE "/.config/agentteams/deny.list"

/* Absolute path of the file to check: the argument, or the operator's own file. */
static int find_file(const char *argument, struct buf *path, struct errctx *e)
{
	auto_fd int here_fd = -1;
	int code = 0;

	if (argument == NULL) {
		code = custody_home(path, e);
		return code ? code : buf_puts(path, DEFAULT_FILE);
	}
	if (argument[0] != '/') {
		here_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (here_fd < 0)
			return err_sys(e, "open the working folder");
		code = pathfd_name(here_fd, path, e);
		(void)buf_putc(path, '/');
	}
	(void)buf_puts(path, argument);
	return code ? code : buf_error(path);
}

int cli_check_deny(int argc, char *const *argv)
{
	static struct deny_entry entries[MAX_DENY_LIST_ENTRIES];
	auto_buf struct buf path, text;
	const char *why = NULL, *file = argc > 1 ? argv[1] : NULL;
	struct errctx e = {0};
	size_t n = 0;
	unsigned line;
	int code;

	buf_init(&path, MAX_PATH_BYTES);
	buf_init(&text, MAX_OPERATOR_FILE_BYTES);
	if (argc > 2 || (file != NULL && file[0] == '-')) {
		log_error("policy check-deny: unknown option \"%s\"", argv[argc > 2 ? 2 : 1]);
		return CLI_USAGE;
	}
	code = find_file(file, &path, &e);
	if (code == 0)
		code = custody_read(buf_text(&path), file == NULL ? CUSTODY_OPTIONAL : 0,
				    MAX_OPERATOR_FILE_BYTES, -1, &text, &e);
	if (code == E_NOENT && file == NULL) {
		printf("%s: not there; nothing is added to the deny list\n", buf_text(&path));
		return cli_finish_output();
	}
	if (code != 0) {
		log_error("%s", e.text[0] != '\0' ? e.text : err_name(code));
		return CLI_REFUSED;
	}
	line = policy_deny_parse(buf_view(&text), entries, ARRAY_LEN(entries), &n, &why);
	if (line != 0) {
		log_error("%s:%u: %s", buf_text(&path), line, why);
		return CLI_REFUSED;
	}
	printf("%s: %zu %s\n", buf_text(&path), n, n == 1 ? "entry" : "entries");
	return cli_finish_output();
}
