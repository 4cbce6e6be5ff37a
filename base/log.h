/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics on standard error: one line each, "program: level: text" or a JSON object with time,
 * event (the level) and text, printable ASCII whatever the arguments hold, one write call a line.
 * Never on standard output. Only main programs log; base/, policy/, emitters and parsers return
 * errors instead. System.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/err.h"
#include "base/view.h"

enum log_level {
	LOG_ERROR_LEVEL,
	LOG_WARN_LEVEL,
	LOG_INFO_LEVEL,
	LOG_DEBUG_LEVEL,
};

void log_init(const char *program, enum log_level most);
void log_as_json(void);		   /* from here on */
void log_with_priority(void);	   /* from here on each line begins as the system's log wants it */
void log_object(struct view json); /* one object that the caller made, as a line of its own */
void log_error(const char *format, ...) printf_like(1, 2);
void log_warn(const char *format, ...) printf_like(1, 2);
void log_info(const char *format, ...) printf_like(1, 2);
void log_debug(const char *format, ...) printf_like(1, 2);

#endif
