/* SPDX-License-Identifier: MIT */
/*
 * Where the signing program lies (file 24, 8.2): nowhere that an agent may write, be it the project
 * or a folder that the live settings of Claude Code open. System. Failure rule: settings that can't
 * be understood open everything, so nothing is signed. Tests: tests/e2e/grant-place.tap.
 */
#include "base/base.h"

#include "runner/grant_desk.h"

#include "base/custody.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "runner/pins.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAY_OUT "use an installed one, or --allow-checkout-signing"

/* Local settings count here, too: the client merges the lists of both, and those of the user. */
static const char *const settings[] = {".claude/settings.json", ".claude/settings.local.json"};

/* The lists of folders that a sandboxed command of the client may write. The last name is the list.
 */
static const char *const lists[][4] = {
	{"sandbox", "filesystem", "allowWrite", NULL},
	{"permissions", "additionalDirectories", NULL, NULL},
};

static bool below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	while (n > 1 && folder[n - 1] == '/')
		n--;
	return n > 0 && strncmp(path, folder, n) == 0 && (path[n] == '/' || n == 1);
}

/* Leaves the folder that path lies in; false: it was the root. */
static bool climb(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || (slash == path && !path[1]))
		return false;
	slash[slash == path ? 1 : 0] = '\0';
	return true;
}

static bool in_work_tree(const char *program)
{
	char path[MAX_PATH_BYTES + 16], *slash;
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s", program);
	while ((slash = strrchr(path, '/'))) {
		(void)snprintf(slash, sizeof(path) - (size_t)(slash - path), "/.git");
		if (lstat(path, &st) == 0)
			return true;
		*slash = '\0';
	}
	return false;
}

/* By what the names lead to, so that neither links nor mounts hide it. */
static int holds(const char *root, const char *program, bool *ret, struct errctx *e)
{
	char path[MAX_PATH_BYTES + 1];
	struct stat want, st;

	*ret = false;
	if (stat(root, &want) != 0) {
		/* What isn't there holds no program. */
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : err_sys(e, "%s, which the settings let agents write", root);
	}
	if (stat("/proc/self/exe", &st) == 0 && st.st_dev == want.st_dev &&
	    st.st_ino == want.st_ino) {
		*ret = true;
		return 0;
	}
	(void)snprintf(path, sizeof(path), "%s", program);
	while (climb(path)) {
		if (stat(path, &st) != 0)
			return err_sys(e, "%s, where the signing program lies", path);
		if (st.st_dev == want.st_dev && st.st_ino == want.st_ino) {
			*ret = true;
			return 0;
		}
	}
	return 0;
}

/* An entry up to its first pattern: "/opt/x*" can be any folder of /opt. */
static struct view plain_part(struct view v)
{
	size_t slash = 0;

	for (size_t i = 0; i < v.len; i++) {
		if (strchr("*?[{", v.ptr[i]))
			return slash ? (struct view){v.ptr, slash} : view_of(".");
		if (v.ptr[i] == '/')
			slash = i + 1;
	}
	return v;
}

/* One entry, in each way that versions of the client have read it: "/x" from the root, "~/x" from
 * home, anything else from the project or from the folder of the settings. */
static int check_entry(struct view v, const char *project, const char *program, bool *ret,
		       struct errctx *e)
{
	static const char *const bases[] = {"", "/.claude"};
	auto_buf struct buf path = {0};
	int rc;

	v = plain_part(v);
	buf_init(&path, MAX_PATH_BYTES);
	if (v.len && v.ptr[0] == '/') {
		(void)buf_put(&path, v.ptr, v.len);
	} else if (v.len && v.ptr[0] == '~' && (v.len == 1 || v.ptr[1] == '/')) {
		rc = custody_home(&path, e);
		if (rc != 0)
			return rc;
		(void)buf_put(&path, v.ptr + 1, v.len - 1);
	}
	if (path.len || buf_error(&path)) {
		rc = buf_error(&path);
		return rc ? err_set(e, rc, "a folder in the settings has too long a name")
			  : holds(buf_text(&path), program, ret, e);
	}
	for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
		buf_clear(&path);
		rc = buf_printf(&path, "%s%s/%.*s", project, bases[i], (int)v.len, v.ptr);
		if (rc != 0)
			return err_set(e, rc, "a folder in the settings has too long a name");
		rc = holds(buf_text(&path), program, ret, e);
		if (rc != 0 || *ret)
			return rc;
	}
	return 0;
}

static int check_list(const struct json *j, const char *const *names, const char *project,
		      const char *program, bool *ret, struct errctx *e)
{
	struct view v;

	for (; *names && j; names++) {
		if (!json_is(j, JSON_OBJECT))
			return err_set(e, E_TYPE, "what holds \"%s\" is no object", *names);
		j = json_member(j, *names);
	}
	if (j && !json_is(j, JSON_ARRAY))
		return err_set(e, E_TYPE, "\"%s\" is no list", names[-1]);
	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		int rc = json_get_str(c, &v);

		if (rc != 0)
			return err_set(e, rc, "\"%s\" holds something that is no text", names[-1]);
		rc = check_entry(v, project, program, ret, e);
		if (rc != 0 || *ret)
			return rc;
	}
	return 0;
}

static int check_settings(int root_fd, const char *name, const char *project, const char *program,
			  bool *ret, struct errctx *e)
{
	auto_json struct json *j = NULL;
	auto_buf struct buf text = {0};
	auto_fd int fd = -1;
	struct stat st;
	int rc = pathfd_open(root_fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, LINKS_BENEATH, &fd,
			     e);

	if (rc == E_NOENT)
		return 0;
	buf_init(&text, MAX_CLIENT_SETTINGS_BYTES);
	if (rc == 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)))
		rc = err_set(e, E_NOTREG, "it is no regular file");
	if (rc == 0) {
		rc = io_read_all(fd, &text, MAX_CLIENT_SETTINGS_BYTES);
		if (rc != 0)
			return err_set(e, rc, "it can't be read whole: %s", err_name(rc));
	}
	if (rc == 0)
		rc = json_parse(buf_view(&text), &j, e);
	if (rc == 0 && !json_is(j, JSON_OBJECT))
		rc = err_set(e, E_TYPE, "it is no object");
	for (size_t i = 0; rc == 0 && !*ret && i < ARRAY_LEN(lists); i++)
		rc = check_list(j, lists[i], project, program, ret, e);
	return rc;
}

/* *ret_open: a root of the project's settings holds the program. */
static int check_project(int root_fd, const char *project, const char *program, bool *ret_open,
			 struct errctx *e)
{
	*ret_open = false;
	for (size_t i = 0; i < ARRAY_LEN(settings) && !*ret_open; i++) {
		struct errctx why = {0};
		int rc = check_settings(root_fd, settings[i], project, program, ret_open, &why);

		if (rc != 0)
			return err_set(e, rc,
				       "whether agents may write the signing program %s can't be "
				       "told: %s/%s: %s; mend it, or " WAY_OUT,
				       program, project, settings[i], why.text);
	}
	return 0;
}

static void warn_owner(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return;
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		log_warn("%s may be changed by others than you and root", path);
}

/* The settings of a session in the project, of one in the current folder, and the user's own. */
static int check_all_settings(const struct grant_desk *d, const char *cwd, const char *program,
			      bool *ret_open, struct errctx *e)
{
	auto_buf struct buf home = {0};
	auto_fd int cwd_fd = -1, home_fd = -1;
	int rc;

	buf_init(&home, MAX_PATH_BYTES);
	rc = check_project(d->root_fd, buf_text(&d->root), program, ret_open, e);
	if (rc == 0 && !*ret_open && strcmp(cwd, buf_text(&d->root)) != 0) {
		rc = pathfd_open_root(".", &cwd_fd, e);
		if (rc == 0)
			rc = check_project(cwd_fd, cwd, program, ret_open, e);
	}
	if (rc == 0 && !*ret_open)
		rc = custody_home(&home, e);
	if (rc == 0 && !*ret_open) {
		rc = pathfd_open_root(buf_text(&home), &home_fd, e);
		if (rc == 0)
			rc = check_project(home_fd, buf_text(&home), program, ret_open, e);
	}
	return rc;
}

static int find_where(const struct grant_desk *d, const char *program, const char **ret,
		      struct errctx *e)
{
	char cwd[MAX_PATH_BYTES + 1];
	bool open = false;
	int rc = 0;

	if (!getcwd(cwd, sizeof(cwd)))
		return err_sys(e, "the current folder can't be found out");
	if (below(program, buf_text(&d->root))) {
		*ret = "in the project";
	} else if (strcmp(cwd, "/") != 0 && below(program, cwd)) {
		*ret = "below the current folder";
	} else if (in_work_tree(program)) {
		*ret = "in a git work tree";
	} else {
		rc = check_all_settings(d, cwd, program, &open, e);
		if (open)
			*ret = "in a folder that .claude settings let agents write";
	}
	return rc;
}

int grant_desk_check_place(const struct grant_desk *d, struct errctx *e)
{
	char program[MAX_PATH_BYTES + 1], hash[SHA256_HEX + 1];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *where = NULL;
	int rc = 0;

	if (n <= 0)
		return err_sys(e, "where this program lies can't be found out");
	program[n] = '\0';
	if (!d->o->allow_checkout)
		rc = find_where(d, program, &where, e);
	if (rc != 0)
		return rc;
	if (where)
		return err_set(e, E_DENIED,
			       "the signing program %s lies %s, where an agent may have changed "
			       "it; " WAY_OUT,
			       program, where);
	warn_owner(program);
	if (climb(program))
		warn_owner(program);
	rc = pins_hash_server("/proc/self/exe", hash, e);
	if (rc == 0)
		printf("signing program  %s\n", hash);
	return rc;
}
