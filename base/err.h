/* SPDX-License-Identifier: MIT */
/*
 * Error codes and error context. Fallible functions return 0 or one negative E_* code; functions
 * that cross a trust line or take several steps fill a struct errctx too (a NULL context is
 * allowed). Nothing here prints.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/base.h"

enum err {
	E_OK = 0,
	E_INTERNAL = -1, /* a state that must not occur; decisions treat it as deny */
	E_NOMEM = -2,
	E_SYS = -3,    /* system call failed; errctx.sys_errno says how */
	E_TOOBIG = -4, /* over a limit of limits.h */
	E_SYNTAX = -5,
	E_UTF8 = -6,	   /* invalid UTF-8 */
	E_NUL = -7,	   /* NUL byte or \u0000 */
	E_SURROGATE = -8,  /* unpaired surrogate escape */
	E_DEPTH = -9,	   /* nesting over MAX_JSON_DEPTH */
	E_DUPLICATE = -10, /* member named twice */
	E_NUMBER = -11,	   /* not finite, or not exact where an integer is asked for */
	E_TYPE = -12,	   /* member of the wrong type */
	E_MISSING = -13,   /* required member absent */
	E_UNKNOWN = -14,   /* unknown member, name or option */
	E_RANGE = -15,
	E_NOENT = -16, /* doesn't exist */
	E_EXISTS = -17,
	E_LINK = -18,	/* symbolic link where none may be, or too many */
	E_NOTREG = -19, /* not a regular file */
	E_NOTDIR = -20,
	E_OUTSIDE = -21, /* leaves the folder it has to stay in */
	E_OWNER = -22,	 /* wrong owner */
	E_MODE = -23,	 /* writable or readable by others than allowed */
	E_CHANGED = -24, /* replaced or changed between check and use */
	E_BUSY = -25,	 /* lock held by another */
	E_TIMEOUT = -26,
	E_DENIED = -27,	     /* a policy rule refused */
	E_UNSUPPORTED = -28, /* this host or kernel can't */
	E_USAGE = -29,
	E_CLOSED = -30,	  /* peer gone */
	E_HARDLINK = -31, /* more than one name */
	E_FORGED = -32,	  /* signature, chain or digest doesn't match */
};

struct errctx {
	int code;	/* E_*, 0 when nothing went wrong */
	int sys_errno;	/* errno of the failing call when code is E_SYS or comes from one, else 0 */
	char text[384]; /* one line, printable ASCII, names the thing and the rule */
};

/* Fill the context (may be NULL) and return code, so that "return err_set(...)" reads well.
 * Untrusted text in the result is made printable: each control character and each byte outside
 * ASCII becomes \xHH. A backslash stays one: it can't forge a line, and texts hold escapes of their
 * own. The variadic text is cut at the buffer's size. */
int err_set(struct errctx *e, int code, const char *format, ...) printf_like(3, 4);

/* The same for a failed system call: takes errno, appends its text; maps ENOENT, ENOTDIR, ELOOP,
 * EXDEV (openat2: outside), EEXIST, ENOMEM, EAGAIN (busy) to their own codes, everything else to
 * E_SYS. */
int err_sys(struct errctx *e, const char *format, ...) printf_like(2, 3);

/* Short lower-case name of a code ("too big"); never NULL, also for unknown codes. */
const char *err_name(int code);

#endif
