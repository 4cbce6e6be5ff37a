/* SPDX-License-Identifier: MIT */
/*
 * Questions to an operator. System (terminal). Failure rule: no answer is no. Tests:
 * tests/e2e/runner-grants.tap.
 */
#include "base/base.h"

#include "runner/confirm.h"

#include "base/custody.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/limits.h"
#include "runner/key_sign.h"
#include "runner/pins.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

bool confirm_is_hash(const char *given, const char *hash)
{
	size_t n = 0;

	given += strspn(given, " \t\r\n");
	for (; n < SHA256_HEX; n++) {
		char c = given[n];

		if ((c >= 'A' && c <= 'F' ? (char)(c + 32) : c) != hash[n])
			return false;
	}
	return given[n + strspn(given + n, " \t\r\n")] == '\0';
}

int confirm_ask(const struct options *o, const char *hash, const char *question, struct errctx *e)
{
	char line[64];

	if (o->confirm)
		return confirm_is_hash(o->confirm, hash)
			       ? 0
			       : err_set(e, E_CHANGED,
					 "--confirm-review-sha256: what is shown has the hash %s",
					 hash);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, E_DENIED,
			       "not confirmed: read the above, then add --confirm-review-sha256 "
			       "with its hash");
	printf("%s [y/N] ", question);
	if (fflush(stdout) != 0 || !fgets(line, sizeof(line), stdin) ||
	    (strcmp(line, "y\n") != 0 && strcmp(line, "Y\n") != 0 && strcmp(line, "yes\n") != 0))
		return err_set(e, E_DENIED, "not confirmed");
	return 0;
}

/* ---- passphrases ---- */

enum { ROOM = MAX_PASSPHRASE_BYTES + 2 };

static int check(const char *text, size_t n, struct errctx *e)
{
	if (n > MAX_PASSPHRASE_BYTES)
		return err_set(e, E_RANGE, "the passphrase has more than %d bytes",
			       MAX_PASSPHRASE_BYTES);
	if (memchr(text, '\0', n))
		return err_set(e, E_RANGE, "the passphrase holds a NUL byte");
	return 0;
}

/* One line: what follows its end doesn't belong to it. */
static int read_line(int fd, char *out, size_t *ret_n, struct errctx *e)
{
	size_t n = 0;

	while (n < ROOM) {
		ssize_t k = io_retry(read(fd, out + n, 1)); /* no byte more than is ours */

		if (k < 0)
			return err_sys(e, "the passphrase can't be read");
		if (k == 0 || out[n] == '\n')
			break;
		n++;
	}
	if (n && out[n - 1] == '\r')
		n--;
	*ret_n = n;
	return check(out, n, e);
}

static int from_file(const char *path, char *out, size_t *ret_n, struct errctx *e)
{
	auto_fd int fd = -1;
	char absolute[MAX_PATH_BYTES + 1];
	struct stat st;
	int rc;

	if (path[0] != '/') {
		char *real = pins_real_path(path);

		(void)snprintf(absolute, sizeof(absolute), "%s", real ? real : "");
		free(real);
		if (!absolute[0])
			return err_sys(e, "--passphrase-file %s", path);
		path = absolute;
	}
	rc = custody_open(path, CUSTODY_PRIVATE, ROOM, -1, &fd, &st, e);
	return rc ? rc : read_line(fd, out, ret_n, e);
}

/* Ctrl-C arrives as a character, so that the terminal never stays silent. */
static int ask_terminal(int tty, const char *prompt, char *out, size_t *ret_n, struct errctx *e)
{
	static const int held[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTOU};
	struct termios before, quiet;
	sigset_t set, old;
	int rc;

	if (tcgetattr(tty, &before) != 0)
		return err_sys(e, "the terminal can't be asked");
	quiet = before;
	quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL | ISIG);
	quiet.c_lflag |= ICANON;
	(void)sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(held); i++)
		(void)sigaddset(&set, held[i]);
	if (sigprocmask(SIG_BLOCK, &set, &old) != 0)
		return err_sys(e, "sigprocmask");
	rc = tcsetattr(tty, TCSAFLUSH, &quiet) != 0 ? err_sys(e, "echo can't be switched off") : 0;
	if (rc == 0 && io_write_all(tty, prompt, strlen(prompt)) != 0)
		rc = err_sys(e, "the terminal can't be written");
	if (rc == 0)
		rc = read_line(tty, out, ret_n, e);
	(void)tcsetattr(tty, TCSAFLUSH, &before);
	if (io_write_all(tty, "\n", 1) != 0 && rc == 0)
		rc = err_sys(e, "the terminal can't be written");
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	if (rc == 0 && (*ret_n == 0 || memchr(out, 3, *ret_n)))
		rc = err_set(e, E_DENIED, "cancelled: no passphrase was given");
	return rc;
}

static int from_terminal(bool fresh, char *out, size_t *ret_n, struct errctx *e)
{
	auto_fd int tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	char *again;
	size_t n = 0;
	int rc;

	if (tty < 0)
		return err_set(e, E_USAGE,
			       "a passphrase is asked for and there is no terminal; use "
			       "--passphrase-file or --passphrase-fd");
	rc = ask_terminal(tty, fresh ? "New passphrase: " : "Passphrase: ", out, ret_n, e);
	if (rc != 0 || !fresh)
		return rc;
	again = sign_secret_new(ROOM);
	if (!again)
		return err_set(e, E_NOMEM, "no guarded memory");
	rc = ask_terminal(tty, "Again: ", again, &n, e);
	if (rc == 0 && (n != *ret_n || memcmp(again, out, n) != 0))
		rc = err_set(e, E_DENIED, "the two passphrases differ");
	sign_secret_free(again);
	return rc;
}

int confirm_passphrase(const struct options *o, bool fresh, char **ret, struct view *ret_text,
		       struct errctx *e)
{
	char *out = sign_secret_new(ROOM);
	size_t n = 0;
	int rc;

	if (!out)
		return err_set(e, E_NOMEM, "no guarded memory");
	if (o->passphrase_file)
		rc = from_file(o->passphrase_file, out, &n, e);
	else if (o->passphrase_fd)
		rc = read_line((int)o->passphrase_fd, out, &n, e);
	else
		rc = from_terminal(fresh, out, &n, e);
	if (rc == 0 && fresh && n < MIN_PASSPHRASE_BYTES)
		rc = err_set(e, E_RANGE, "the passphrase has %zu bytes, at least %d are required",
			     n, MIN_PASSPHRASE_BYTES);
	if (rc != 0) {
		sign_secret_free(out);
		return rc;
	}
	*ret = out;
	*ret_text = (struct view){out, n};
	return 0;
}
