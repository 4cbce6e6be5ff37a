/* SPDX-License-Identifier: MIT */
/*
 * Writing of tables as stable text or JSON, piece by piece through the caller's sink. Sequence:
 * dump_table, then for each row dump_row and its cells, at the end of all rows dump_table_end. A
 * part with tables of its own writes them in a function of its own and adds it to dump.c. Pure.
 */
#ifndef POLICY_DUMP_H
#define POLICY_DUMP_H

#include "policy/policy.h"

struct dump {
	policy_sink sink;
	void *arg;
	bool json;
	bool has_table; /* one was written before: JSON needs a comma */
	bool has_row;
};

/* name: lower-case letters and underscores; about: one line for the reader of the text form. */
void dump_table(struct dump *d, const char *name, const char *about);
void dump_table_end(struct dump *d);

/* Begins a row, ending the one before. Texts are printable ASCII (the self-check sees to it). */
void dump_row(struct dump *d, const char *id);
void dump_str(struct dump *d, const char *key, const char *value);
void dump_int(struct dump *d, const char *key, int64_t value);
void dump_bool(struct dump *d, const char *key, bool value);

/* policy/server.c */
void server_dump(struct dump *d);
void write_dump(struct dump *d);
/* policy/gate_dump.c */
void gate_dump(struct dump *d);

#endif
