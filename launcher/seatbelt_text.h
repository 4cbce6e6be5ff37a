/* SPDX-License-Identifier: MIT */
/* Writes rules of a profile so that a rule without a filter can't come out by accident: it would
 * match everything. Pure. */
#ifndef LAUNCHER_SEATBELT_TEXT_H
#define LAUNCHER_SEATBELT_TEXT_H

#include "base/buf.h"

struct seatbelt_rule {
	struct buf *out;
	size_t filters;
};

void seatbelt_comment(struct buf *out, const char *text); /* one line, printable ASCII */
/* A rule for everything: the default and plain denials only. */
void seatbelt_plain(struct buf *out, const char *action, const char *operation);

void seatbelt_open(struct seatbelt_rule *r, struct buf *out, const char *action,
		   const char *operations);
/* kind: "subpath" or "literal". The path was checked. */
void seatbelt_path(struct seatbelt_rule *r, const char *kind, const char *path);
/* Below a parameter of the launch; rest is "" or starts with a slash. */
void seatbelt_param(struct seatbelt_rule *r, const char *kind, const char *param, const char *rest);
/* Exactly this path and what is below it, in any letter case from byte `from` on. */
void seatbelt_any_case(struct seatbelt_rule *r, const char *path, size_t from);
/* The same for a name below a folder that is spelled as it is; rest starts with a slash. */
void seatbelt_any_case_below(struct seatbelt_rule *r, const char *folder, const char *rest);
/* A path component of this name at any depth, in any letter case. */
void seatbelt_component(struct seatbelt_rule *r, const char *name);
void seatbelt_remote(struct seatbelt_rule *r, unsigned port);
/* Without a filter this is an error of ours: E_INTERNAL sticks in the buffer. */
void seatbelt_close(struct seatbelt_rule *r);

/* Sorted list of unique names, for folders above roots. */
struct seatbelt_names {
	char **v;
	size_t n, cap;
};
int seatbelt_names_add(struct seatbelt_names *s, const char *bytes, size_t len) must_check;
void seatbelt_names_release(struct seatbelt_names *s);

#endif
