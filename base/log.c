/* SPDX-License-Identifier: MIT */
/*
 * One printable line a message on standard error. Allocates nothing, fails silently: a diagnostic
 * that can't be written must not change what the program does. Tested by tests/unit/base/t_log.c.
 */
#include "base/base.h"

#include "base/log.h"

#include "base/clock.h"
#include "base/limits.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>

static struct {
	char program[32];
	enum log_level most;
	bool json, priority;
} settings = {"agentteams", LOG_INFO_LEVEL, false, false};

void log_init(const char *program, enum log_level most)
{
	(void)snprintf(settings.program, sizeof(settings.program), "%s", program);
	settings.most = most;
}

void log_as_json(void)
{
	settings.json = true;
}

void log_with_priority(void)
{
	settings.priority = true;
}

/* "<facility * 8 + severity>", facility 3: system daemons (RFC 3164, 4.1.1). It always fits. */
static void put_priority(char **at, const char *end, enum log_level level)
{
	static const int severity[] = {3, 4, 6, 7};

	if (settings.priority)
		*at += snprintf(*at, (size_t)(end - *at), "<%d>", 3 * 8 + severity[level]);
}

/* Appends text as printable ASCII, escaping the rest, up to end; false when it had to be cut. As
 * JSON the escapes' own backslashes, and quotation marks, are escaped once more. */
static bool put_printable(char **at, const char *end, const char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		bool plain = *p >= 0x20 && *p < 0x7f;
		bool quoted = settings.json && (!plain || *p == '"' || *p == '\\');

		if (end - *at < (plain ? 1 : 4) + quoted)
			return false;
		if (quoted)
			*(*at)++ = '\\';
		if (plain) {
			*(*at)++ = (char)*p;
			continue;
		}
		*(*at)++ = '\\';
		*(*at)++ = 'x';
		*(*at)++ = digits[*p >> 4];
		*(*at)++ = digits[*p & 15];
	}
	return true;
}

/* A reader of standard error that went away must not end the process: SIGPIPE is held back and
 * taken off again if it came from this write. */
static void write_line(const char *line, size_t n)
{
	static const struct timespec now = {0, 0};
	sigset_t pipe_only, before, pending;
	bool was_pending;

	(void)sigemptyset(&pipe_only);
	(void)sigaddset(&pipe_only, SIGPIPE);
	/* A filter that refuses the question leaves it empty; such programs ignore the signal. */
	(void)sigemptyset(&pending);
	(void)sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE) == 1;
	if (pthread_sigmask(SIG_BLOCK, &pipe_only, &before) != 0)
		return;
	for (int tries = 0; tries < 16; tries++) {
		if (write(STDERR_FILENO, line, n) >= 0 || errno != EINTR)
			break;
	}
	if (errno == EPIPE && !was_pending)
		(void)sigtimedwait(&pipe_only, NULL, &now);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* What stands before the text. It always fits. */
static void put_head(char **at, const char *end, enum log_level level)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};
	char time[26];

	put_priority(at, end, level);
	if (!settings.json) {
		(void)(put_printable(at, end, settings.program) && put_printable(at, end, ": ") &&
		       put_printable(at, end, names[level]) && put_printable(at, end, ": "));
		return;
	}
	clock_iso8601(clock_wall_s(), time);
	*at += snprintf(*at, (size_t)(end - *at), "{\"time\":\"%s\",\"event\":\"%s\",\"text\":\"",
			time, names[level]);
}

static void log_line(enum log_level level, const char *format, va_list args) printf_like(2, 0);
static void log_line(enum log_level level, const char *format, va_list args)
{
	static const char cut[] = "...", tail[] = "\"}";
	char text[MAX_LOG_LINE_BYTES], line[MAX_LOG_LINE_BYTES];
	char *at = line;
	/* Room for the mark, the end of an object and the line feed. */
	const char *end = line + sizeof(line) - sizeof(cut) - sizeof(tail);
	int saved = errno, n;
	bool whole;

	if (level > settings.most)
		return;
	n = vsnprintf(text, sizeof(text), format, args);
	if (n < 0)
		text[0] = 0;
	put_head(&at, end, level);
	whole = put_printable(&at, end, text) && n < (int)sizeof(text);
	if (!whole) {
		memcpy(at, cut, sizeof(cut) - 1);
		at += sizeof(cut) - 1;
	}
	if (settings.json) {
		memcpy(at, tail, sizeof(tail) - 1);
		at += sizeof(tail) - 1;
	}
	*at++ = '\n';
	errno = 0;
	write_line(line, (size_t)(at - line));
	errno = saved;
}

void log_object(struct view json)
{
	char line[MAX_LOG_LINE_BYTES + 8];
	char *at = line;
	int saved = errno;

	put_priority(&at, line + sizeof(line), LOG_INFO_LEVEL);
	if (json.len + 1 > (size_t)(line + sizeof(line) - at))
		return;
	memcpy(at, json.ptr, json.len);
	at += json.len;
	*at++ = '\n';
	errno = 0;
	write_line(line, (size_t)(at - line));
	errno = saved;
}

#define DEFINE_LOG(name, level)                                                                    \
	void name(const char *format, ...)                                                         \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, format);                                                            \
		log_line(level, format, args);                                                     \
		va_end(args);                                                                      \
	}

DEFINE_LOG(log_error, LOG_ERROR_LEVEL)
DEFINE_LOG(log_warn, LOG_WARN_LEVEL)
DEFINE_LOG(log_info, LOG_INFO_LEVEL)
DEFINE_LOG(log_debug, LOG_DEBUG_LEVEL)
