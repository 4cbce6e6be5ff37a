/* SPDX-License-Identifier: MIT */
/*
 * Pinned inputs (file 21, section 13): brief, operator's confined file and direct
 * grants, installed MCP server. Each
 * is hashed once and held against its pin on every pass; a file whose device, inode, size and times
 * are as before isn't read again. System.
 */
#ifndef RUNNER_PINS_H
#define RUNNER_PINS_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

struct pin {
	char sha256[SHA256_HEX + 1]; /* "": absent */
	struct stat st;
	bool seen; /* st is valid */
};

struct pins {
	char *brief_path;    /* real path */
	char *confined_path; /* the operator's file, whether it exists or not */
	char *server_path;   /* the installed original; NULL: this build has none */
	char *grants_path; /* the operator's direct grants, whether they exist or not; NULL: none */
	struct pin brief, confined, server, copy, grants;
	int root_fd; /* borrowed */
};

/* Reads a regular file without following a link in its last component. */
int pins_read_file(const char *path, size_t max, struct buf *out, struct stat *ret_st,
		   struct errctx *e) must_check;

/* The path without links; NULL: there is no such file. The caller frees it. */
char *pins_real_path(const char *path);

/* Reads brief and confined file (ret buffers; confined may stay empty with *ret_absent). */
int pins_load(struct pins *p, int root_fd, const char *brief, const char *root_path,
	      struct buf *brief_text, struct buf *confined_text, bool *ret_absent,
	      struct errctx *e) must_check;
/* The server's copy in .agentteams/bin against the installed original. */
int pins_check_server(struct pins *p, struct errctx *e) must_check;
/* SHA-256 of a server's file, for what is bound to it. */
int pins_hash_server(const char *path, char ret[SHA256_HEX + 1], struct errctx *e) must_check;
/* All of them: 0, or E_CHANGED with what changed. */
int pins_check(struct pins *p, struct errctx *e) must_check;
void pins_release(struct pins *p);

#endif
