/* SPDX-License-Identifier: MIT */
/*
 * What earlier runs created, until the operator confirms it (file 10, 18.7). One name a line, in
 * the user's state folder, where no guest can write. System. Covered by
 * tests/escape/placeholder.tap.
 */
#include "base/base.h"
#include "launcher/after.h"

#include "base/atomicfile.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/lock.h"
#include "base/pathfd.h"
#include "base/pathstr.h"

#include <fcntl.h>
#include <stdio.h>

const char audit_state_dir[] = ".local/state/agentteams/confine-run";
static const char file_name[] = "appeared";

static int open_state(const struct launch *l, bool make, int *ret_fd, struct errctx *e)
{
	auto_fd int home = -1;
	int r;

	if (!l->home)
		return E_NOENT;
	r = pathfd_open_root(l->home, &home, e);
	if (r < 0)
		return r;
	return make ? pathfd_make_dirs(home, audit_state_dir, 0700, ret_fd, e)
		    : pathfd_open_dir(home, audit_state_dir, ret_fd, e);
}

static int load(int dir_fd, struct strings *ret, struct errctx *e)
{
	auto_buf struct buf text;
	auto_fd int fd = -1;
	int r = pathfd_open(dir_fd, file_name, O_RDONLY | O_NONBLOCK, 0, LINKS_NONE, &fd, e);

	buf_init(&text, MAX_STATE_FILE_BYTES);
	if (r == E_NOENT)
		return 0;
	if (r == 0)
		r = io_read_all(fd, &text, MAX_STATE_FILE_BYTES);
	for (char *line = text.data; r == 0 && line && *line;) {
		char *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		if (*line)
			r = strings_add(ret, line, e);
		line = end ? end + 1 : NULL;
	}
	return r;
}

static int store(int dir_fd, const struct strings *names, struct errctx *e)
{
	auto_buf struct buf text;

	buf_init(&text, MAX_STATE_FILE_BYTES);
	for (size_t i = 0; i < names->n; i++) {
		(void)buf_puts(&text, names->v[i]);
		(void)buf_putc(&text, '\n');
	}
	if (buf_error(&text))
		return err_set(e, buf_error(&text), "too many names appeared in earlier runs");
	return atomicfile_put(dir_fd, file_name, buf_view(&text), 0600, COMMIT_REPLACE, e);
}

/* One name a line, so a control character can't be kept. A repository in a folder with such a name
 * stops every later start by itself; behind the tab stands only what a reader sees. */
static char *as_line(const char *name)
{
	char *line = strdup(name), *tab = line ? strchr(line, '\t') : NULL;

	for (char *p = line; p && *p; p++)
		if (((unsigned char)*p < 0x20 || *p == 0x7f) && p != tab)
			*p = '?';
	return line;
}

static bool concerns(const struct launch *l, const char *name)
{
	for (size_t i = 0; i < l->n_roots; i++)
		if (pathstr_beneath(view_of(name), view_of(l->objects.v[i].path)))
			return true;
	return false;
}

/* The path of an entry, without the key behind a tab. */
static bool still_there(const char *name)
{
	auto_free char *path = strndup(name, strcspn(name, "\t"));
	struct stat st;

	return !path || lstat(path, &st) == 0;
}

static bool is_confirmed(const struct launch *l, const char *name)
{
	for (size_t i = 0; i < l->opt->confirm.n; i++) {
		const char *c = l->opt->confirm.v[i];
		size_t n = strcspn(name, "\t");

		if (strncmp(name, c, n) == 0 && c[n] == '\0')
			return true;
	}
	return false;
}

int audit_state_check(const struct launch *l, struct errctx *e)
{
	struct strings names = {0}, left = {0};
	struct errctx mine = {0};
	auto_fd int dir = -1;
	auto_fd int lock = -1;
	int r = open_state(l, false, &dir, &mine);

	if (r == E_NOENT)
		return 0; /* nothing was ever remembered */
	if (r == 0)
		r = load(dir, &names, &mine);
	if (r < 0)
		return err_set(e, r, "names that appeared in earlier runs can't be read: %s",
			       mine.text);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		if (!still_there(names.v[i]) || is_confirmed(l, names.v[i]))
			continue;
		if (concerns(l, names.v[i]))
			r = err_set(e, E_DENIED,
				    "%s was created by an earlier confined run; look at it, then "
				    "remove it or "
				    "accept it with --confirm-appeared PATH",
				    names.v[i]);
		else
			r = strings_add(&left, names.v[i], e);
	}
	/* Entries that are gone or confirmed are dropped, by real runs only. */
	if (r == 0 && left.n != names.n && l->opt->mode == MODE_RUN) {
		r = lock_wait(dir, "lock", 2000, &lock, e);
		if (r == 0)
			r = store(dir, &left, e);
	}
	strings_release(&names);
	strings_release(&left);
	return r;
}

int audit_state_remember(const struct launch *l, const struct strings *appeared, struct errctx *e)
{
	struct strings names = {0};
	auto_fd int dir = -1;
	auto_fd int lock = -1;
	int r;

	if (appeared->n == 0)
		return 0;
	r = open_state(l, true, &dir, e);
	if (r == 0)
		r = lock_wait(dir, "lock", 2000, &lock, e);
	if (r == 0)
		r = load(dir, &names, e);
	for (size_t i = 0; r == 0 && i < appeared->n; i++) {
		auto_free char *line = as_line(appeared->v[i]);

		if (!line)
			r = err_set(e, E_NOMEM, "no memory");
		else if (!strings_has(&names, line))
			r = strings_add(&names, line, e);
	}
	if (r == 0)
		r = store(dir, &names, e);
	strings_release(&names);
	return r;
}
