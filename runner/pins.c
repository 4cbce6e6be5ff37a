/* SPDX-License-Identifier: MIT */
/* Reading and re-checking of pinned files. System. Failure rule: what can't be read counts as
 * changed. Tests: tests/e2e/runner-start.tap. */
#include "base/base.h"

#include "runner/pins.h"

#include "base/custody.h"
#include "base/hex.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "runner/brief.h"
#include "runner/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define SERVER_COPY ".agentteams/bin/agentteams-runner-mcp"

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mode == b->st_mode && a->st_uid == b->st_uid &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int read_fd(int fd, const char *path, size_t max, struct buf *out, struct stat *ret_st,
		   struct errctx *e)
{
	struct stat after;
	int rc;

	if (fstat(fd, ret_st) != 0)
		return err_sys(e, "%s", path);
	if (!S_ISREG(ret_st->st_mode))
		return err_set(e, E_NOTREG, "%s is no regular file", path);
	rc = io_read_all(fd, out, max);
	if (rc == E_TOOBIG)
		return err_set(e, rc, "%s has more than %zu bytes", path, max);
	if (rc != 0)
		return err_set(e, rc, "%s can't be read", path);
	if (fstat(fd, &after) != 0 || !same(&after, ret_st))
		return err_set(e, E_CHANGED, "%s changed while it was read", path);
	return 0;
}

int pins_read_file(const char *path, size_t max, struct buf *out, struct stat *ret_st,
		   struct errctx *e)
{
	auto_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ELOOP)
		return err_set(e, E_LINK, "%s is a symbolic link", path);
	if (fd < 0)
		return err_sys(e, "%s can't be opened", path);
	return read_fd(fd, path, max, out, ret_st, e);
}

static int load_confined(struct pins *p, const char *root_path, struct buf *text, bool *ret_absent,
			 struct errctx *e)
{
	auto_buf struct buf path;
	int rc;

	buf_init(&path, MAX_PATH_BYTES);
	rc = key_operator_path("/confined/", &path, e);
	if (rc == 0)
		rc = brief_project_name(view_of(root_path), &path);
	if (rc == 0)
		rc = buf_puts(&path, ".json");
	if (rc != 0)
		return err_set(e, rc, "the confined file's path is too long");
	p->confined_path = buf_steal(&path);
	rc = custody_read(p->confined_path, CUSTODY_OPTIONAL, MAX_OPERATOR_FILE_BYTES, p->root_fd,
			  text, e);
	*ret_absent = rc == E_NOENT;
	if (rc == E_NOENT)
		return 0;
	if (rc == 0)
		sha256_hex(buf_view(text), p->confined.sha256);
	return rc;
}

char *pins_real_path(const char *path)
{
	return realpath(path, NULL);
}

int pins_load(struct pins *p, int root_fd, const char *brief, const char *root_path,
	      struct buf *brief_text, struct buf *confined_text, bool *ret_absent, struct errctx *e)
{
	int rc;

	*p = (struct pins){.root_fd = root_fd};
	/* The real path, so that a link swapped later isn't another brief. */
	p->brief_path = realpath(brief, NULL);
	if (!p->brief_path)
		return err_sys(e, "the brief %s can't be found", brief);
	rc = pins_read_file(p->brief_path, MAX_BRIEF_BYTES, brief_text, &p->brief.st, e);
	if (rc != 0)
		return rc;
	p->brief.seen = true;
	sha256_hex(buf_view(brief_text), p->brief.sha256);
	return load_confined(p, root_path, confined_text, ret_absent, e);
}

/* Piece by piece: the processes that are forked later would keep a whole program's worth of memory.
 */
static int hash_server(int fd, const char *path, struct pin *pin, struct errctx *e)
{
	char piece[16384];
	uint8_t digest[SHA256_BYTES];
	struct sha256 h;
	struct stat st, after;
	int64_t left = MAX_SERVER_BINARY_BYTES;
	ssize_t n;

	if (fstat(fd, &st) != 0)
		return err_sys(e, "%s", path);
	if (pin->seen && same(&st, &pin->st))
		return 0;
	if (!S_ISREG(st.st_mode))
		return err_set(e, E_NOTREG, "%s is no regular file", path);
	sha256_init(&h);
	while ((n = io_retry(read(fd, piece, sizeof(piece)))) > 0 && (left -= n) >= 0)
		sha256_update(&h, piece, (size_t)n);
	if (n < 0 || fstat(fd, &after) != 0)
		return err_sys(e, "%s can't be read", path);
	if (left < 0)
		return err_set(e, E_TOOBIG, "%s has more than %d bytes", path,
			       MAX_SERVER_BINARY_BYTES);
	if (!same(&st, &after))
		return err_set(e, E_CHANGED, "%s changed while it was read", path);
	sha256_final(&h, digest);
	hex_encode(pin->sha256, digest, sizeof(digest));
	pin->st = st;
	pin->seen = true;
	return 0;
}

int pins_hash_server(const char *path, char ret[SHA256_HEX + 1], struct errctx *e)
{
	auto_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct pin pin = {0};
	int rc;

	if (fd < 0)
		return err_sys(e, "the installed server %s can't be opened", path);
	rc = hash_server(fd, path, &pin, e);
	if (rc == 0)
		memcpy(ret, pin.sha256, sizeof(pin.sha256));
	return rc;
}

int pins_check_server(struct pins *p, struct errctx *e)
{
	auto_fd int copy_fd = -1, server_fd = -1;
	int rc = pathfd_open(p->root_fd, SERVER_COPY, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0,
			     LINKS_NONE, &copy_fd, e);

	if (rc == E_NOENT)
		return 0; /* a project without agents of this kind */
	if (rc != 0)
		return rc;
	rc = hash_server(copy_fd, SERVER_COPY, &p->copy, e);
	if (rc != 0)
		return rc;
	if (!p->server_path)
		return err_set(e, E_NOENT, "there is no installed server to compare %s with",
			       SERVER_COPY);
	server_fd = open(p->server_path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (server_fd < 0)
		return err_sys(e, "the installed server %s can't be opened", p->server_path);
	rc = hash_server(server_fd, p->server_path, &p->server, e);
	if (rc != 0)
		return rc;
	if (strcmp(p->server.sha256, p->copy.sha256) != 0)
		return err_set(e, E_CHANGED, "%s differs from the installed %s", SERVER_COPY,
			       p->server_path);
	return 0;
}

static int check_brief(struct pins *p, struct errctx *e)
{
	auto_buf struct buf text = {0};
	char sha256[SHA256_HEX + 1];
	struct stat st;
	int rc;

	if (lstat(p->brief_path, &st) == 0 && same(&st, &p->brief.st))
		return 0;
	buf_init(&text, MAX_BRIEF_BYTES + 1);
	rc = pins_read_file(p->brief_path, MAX_BRIEF_BYTES, &text, &st, e);
	if (rc != 0)
		return err_set(e, E_CHANGED, "the brief can't be read any more");
	sha256_hex(buf_view(&text), sha256);
	if (strcmp(sha256, p->brief.sha256) != 0)
		return err_set(e, E_CHANGED, "the brief was changed");
	p->brief.st = st; /* touched, same bytes */
	return 0;
}

/* A file of the operator's: the same bytes as at the start, or as absent as then. */
static int check_operator(const struct pins *p, const char *path, const struct pin *pin, size_t max,
			  const char *what, struct errctx *e)
{
	auto_buf struct buf text;
	char sha256[SHA256_HEX + 1] = "";
	int rc;

	buf_init(&text, max + 1);
	rc = custody_read(path, CUSTODY_OPTIONAL, max, p->root_fd, &text, e);
	if (rc != 0 && rc != E_NOENT)
		return err_set(e, E_CHANGED, "the operator's %s can't be read any more", what);
	if (rc == 0)
		sha256_hex(buf_view(&text), sha256);
	if (strcmp(sha256, pin->sha256) != 0)
		return err_set(e, E_CHANGED, "the operator's %s was changed", what);
	return 0;
}

int pins_check(struct pins *p, struct errctx *e)
{
	int rc = check_brief(p, e);

	if (rc == 0)
		rc = check_operator(p, p->confined_path, &p->confined, MAX_OPERATOR_FILE_BYTES,
				    "confined file", e);
	if (rc == 0 && p->grants_path)
		rc = check_operator(p, p->grants_path, &p->grants, MAX_GRANTS_FILE_BYTES,
				    "file of direct grants", e);
	if (rc == 0 && pins_check_server(p, e) != 0)
		rc = e && e->code ? e->code : E_CHANGED;
	return rc;
}

void pins_release(struct pins *p)
{
	free(p->brief_path);
	free(p->confined_path);
	free(p->grants_path);
	free(p->server_path);
	*p = (struct pins){.root_fd = -1};
}
