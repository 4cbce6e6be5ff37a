/* SPDX-License-Identifier: MIT */
/*
 * Profiles L and R: a launcher session, and one command of the runner (file 11, sections 3 and 6).
 * Rules stand in the order in which the last match wins. Pure. Tested by
 * tests/unit/launcher/t_seatbelt_profile.c and tests/golden/seatbelt/.
 */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include "base/pathstr.h"
#include "launcher/seatbelt_text.h"

enum { ROOT_LEN = 1 };

static int check_all(const struct seatbelt_list *l, struct errctx *e)
{
	for (size_t i = 0; i < l->n; i++) {
		int rc = seatbelt_check_path(l->v[i], e);

		if (rc)
			return rc;
	}
	return 0;
}

static void put_each(struct buf *out, const char *action, const char *operation, const char *kind,
		     const struct seatbelt_list *l)
{
	struct seatbelt_rule r;

	for (size_t i = 0; i < l->n; i++) {
		seatbelt_open(&r, out, action, operation);
		seatbelt_path(&r, kind, l->v[i]);
		seatbelt_close(&r);
	}
}

static bool beneath(const char *path, const char *top)
{
	return pathstr_beneath(view_of(path), view_of(top));
}

static int check_masks(const struct seatbelt_launch *l, struct errctx *e)
{
	for (size_t i = 0; i < l->masks.n; i++) {
		const char *bad = beneath(l->scratch, l->masks.v[i]) ? l->scratch : NULL;

		for (size_t k = 0; k < l->writable.n && !bad; k++)
			if (beneath(l->writable.v[k], l->masks.v[i]))
				bad = l->writable.v[k];
		if (bad)
			return err_set(e, E_DENIED,
				       "the hidden path \"%s\" holds the writable root \"%s\"",
				       l->masks.v[i], bad);
	}
	return 0;
}

static int check_launch(const struct seatbelt_launch *l, struct errctx *e)
{
	const struct seatbelt_list *lists[] = {&l->writable, &l->protect, &l->ancestors, &l->guards,
					       &l->masks};
	int rc;

	if (!l->scratch)
		return err_set(e, E_MISSING, "a profile needs a scratch folder");
	if (l->egress == SEATBELT_EGRESS_PROXY) {
		/* Anything but loopback would make sandbox-exec refuse the whole profile, or open
		 * every host. */
		if (!l->proxy_host || (strcmp(l->proxy_host, "127.0.0.1") != 0 &&
				       strcmp(l->proxy_host, "localhost") != 0))
			return err_set(e, E_DENIED,
				       "on macOS the proxy has to be on 127.0.0.1 or localhost");
		if (l->proxy_port == 0 || l->proxy_port > 65535)
			return err_set(e, E_RANGE, "the proxy's port is a number from 1 to 65535");
	} else if (l->egress != SEATBELT_EGRESS_DENY && l->egress != SEATBELT_EGRESS_HOST) {
		return err_set(e, E_INTERNAL, "no egress mode");
	}
	rc = seatbelt_check_path(l->scratch, e);
	if (!rc && l->tmp)
		rc = seatbelt_check_path(l->tmp, e);
	for (size_t i = 0; !rc && i < ARRAY_LEN(lists); i++)
		rc = check_all(lists[i], e);
	return rc ? rc : check_masks(l, e);
}

static void put_temporary(struct buf *out, const char *tmp)
{
	struct seatbelt_rule r;

	seatbelt_open(&r, out, "allow", "file-write*");
	if (tmp) {
		seatbelt_path(&r, "subpath", tmp);
	} else {
		seatbelt_path(&r, "subpath", "/private/tmp");
		seatbelt_path(&r, "subpath", "/private/var/folders");
	}
	seatbelt_path(&r, "literal", "/dev/null");
	seatbelt_path(&r, "literal", "/dev/stdout");
	seatbelt_path(&r, "literal", "/dev/stderr");
	seatbelt_close(&r);
}

/* The root itself and every folder above it, up to but without "/". */
static int add_way(struct seatbelt_names *names, const char *root)
{
	size_t len = strlen(root);

	while (len > ROOT_LEN) {
		int rc = seatbelt_names_add(names, root, len);

		if (rc)
			return rc;
		while (len > 0 && root[len - 1] != '/')
			len--;
		if (len)
			len--;
	}
	return 0;
}

/* A root below a writable temporary tree could be renamed away, changed under the new name, and
 * renamed back. */
static int put_root_locks(const struct seatbelt_launch *l, struct buf *out)
{
	struct seatbelt_names names = {NULL, 0, 0};
	int rc = add_way(&names, l->scratch);

	for (size_t i = 0; !rc && i < l->writable.n; i++)
		rc = add_way(&names, l->writable.v[i]);
	if (!rc)
		put_each(out, "deny", "file-write*", "literal",
			 &(struct seatbelt_list){(const char *const *)names.v, names.n});
	seatbelt_names_release(&names);
	return rc;
}

/* Length of the longest root that holds the path: only what lies below a root can be spelled
 * otherwise by a guest. */
static size_t root_length(const struct seatbelt_launch *l, const char *path)
{
	size_t best = beneath(path, l->scratch) ? strlen(l->scratch) : 0;

	for (size_t i = 0; i < l->writable.n; i++)
		if (beneath(path, l->writable.v[i]) && strlen(l->writable.v[i]) > best)
			best = strlen(l->writable.v[i]);
	return best;
}

static void put_guards(const struct seatbelt_launch *l, struct buf *out)
{
	struct seatbelt_rule r;

	for (size_t i = 0; i < l->guards.n; i++) {
		seatbelt_open(&r, out, "deny", "file-write*");
		seatbelt_any_case(&r, l->guards.v[i], root_length(l, l->guards.v[i]));
		seatbelt_close(&r);
	}
}

/* A hidden folder inside a writable root could otherwise be renamed and then read. */
static int put_masks(const struct seatbelt_launch *l, struct buf *out)
{
	struct seatbelt_names above = {NULL, 0, 0};
	int rc = 0;

	put_each(out, "deny", "file-read*", "subpath", &l->masks);
	put_each(out, "deny", "file-write*", "subpath", &l->masks);
	for (size_t i = 0; !rc && i < l->masks.n; i++) {
		size_t root = root_length(l, l->masks.v[i]);
		struct seatbelt_names way = {NULL, 0, 0};

		if (root)
			rc = add_way(&way, l->masks.v[i]);
		for (size_t k = 0; !rc && k < way.n; k++)
			if (strlen(way.v[k]) > root && strcmp(way.v[k], l->masks.v[i]) != 0)
				rc = seatbelt_names_add(&above, way.v[k], strlen(way.v[k]));
		seatbelt_names_release(&way);
	}
	if (!rc)
		put_each(out, "deny", "file-write*", "literal",
			 &(struct seatbelt_list){(const char *const *)above.v, above.n});
	seatbelt_names_release(&above);
	return rc;
}

static void put_set_id(struct buf *out)
{
	/* Compared with a search for set-id files this list is never complete, and an alias may get
	 * past it. */
	static const char *const programs[] = {
		"/usr/bin/sudo",
		"/usr/bin/su",
		"/usr/bin/login",
		"/usr/bin/newgrp",
		"/usr/bin/passwd",
		"/usr/bin/crontab",
		"/usr/bin/at",
		"/usr/bin/atq",
		"/usr/bin/atrm",
		"/usr/bin/batch",
		"/usr/bin/quota",
		"/usr/libexec/authopen",
		"/usr/libexec/security_authtrampoline",
		"/usr/sbin/traceroute",
		"/usr/sbin/traceroute6",
	};

	put_each(out, "deny", "process-exec*", "literal",
		 &(struct seatbelt_list){programs, ARRAY_LEN(programs)});
}

static void put_network(const struct seatbelt_launch *l, struct buf *out)
{
	struct seatbelt_rule r;

	if (l->egress == SEATBELT_EGRESS_HOST)
		return;
	seatbelt_plain(out, "deny", "network*");
	if (l->egress != SEATBELT_EGRESS_PROXY)
		return;
	seatbelt_open(&r, out, "allow", "network*");
	seatbelt_remote(&r, l->proxy_port);
	seatbelt_close(&r);
	seatbelt_comment(out, "only this loopback port is open; names are resolved by the proxy,");
	seatbelt_comment(out, "since name resolution is closed with the rest of the network");
}

static void put_head(struct buf *out, const char *what)
{
	(void)buf_puts(out, "(version 1)\n");
	seatbelt_comment(out, what);
	seatbelt_comment(out,
			 "UNVERIFIED until sandbox/mac-escape-tests.sh has passed on this machine");
	seatbelt_plain(out, "allow", "default");
	seatbelt_plain(out, "deny", "file-write*");
}

static int finish(struct buf *out, size_t before, struct errctx *e)
{
	int rc = buf_error(out);

	if (!rc && out->len - before > SEATBELT_MAX_INLINE)
		rc = E_TOOBIG;
	return rc ? err_set(e, rc, "profile: %s", err_name(rc)) : 0;
}

int seatbelt_launch_profile(const struct seatbelt_launch *l, struct buf *out, struct errctx *e)
{
	int rc = check_launch(l, e);
	size_t before = out->len;

	if (rc)
		return rc;
	put_head(out, "confine-run: one session");
	put_each(out, "allow", "file-write*", "subpath", &(struct seatbelt_list){&l->scratch, 1});
	put_temporary(out, l->tmp);
	put_each(out, "allow", "file-write*", "subpath", &l->writable);
	put_each(out, "deny", "file-write*", "subpath", &l->protect);
	put_each(out, "deny", "file-write*", "literal", &l->ancestors);
	put_guards(l, out);
	if (l->protect.n || l->guards.n)
		rc = put_root_locks(l, out);
	if (!rc)
		rc = put_masks(l, out);
	if (rc)
		return err_set(e, rc, "profile: %s", err_name(rc));
	put_set_id(out);
	put_network(l, out);
	return finish(out, before, e);
}

/* ---- profile R ---- */

static int check_command(const struct seatbelt_command *c, struct errctx *e)
{
	int rc;

	if (!c->project || !c->tmp || !c->keys)
		return err_set(e, E_MISSING,
			       "a command's profile needs project, temporary and key folder");
	if (c->programs.n == 0)
		return err_set(e, E_MISSING, "an empty list of programs would allow every program");
	rc = seatbelt_check_path(c->project, e);
	if (!rc)
		rc = seatbelt_check_path(c->tmp, e);
	if (!rc)
		rc = seatbelt_check_path(c->keys, e);
	if (!rc)
		rc = check_all(&c->writable, e);
	if (!rc)
		rc = check_all(&c->programs, e);
	return rc;
}

static void put_command_writes(const struct seatbelt_command *c, struct buf *out)
{
	static const char *const devices[] = {"/dev/null",   "/dev/zero", "/dev/stdout",
					      "/dev/stderr", "/dev/tty",  "/dev/dtracehelper"};
	static const char *const names[] = {
		"/.agentteams", "/.agentteams-queue", "/.git", "/.claude", "/.goose", "/.codex",
		"/.github"};
	struct seatbelt_rule r;

	seatbelt_open(&r, out, "allow", "file-write*");
	seatbelt_path(&r, "subpath", c->tmp);
	for (size_t i = 0; i < c->writable.n; i++)
		seatbelt_path(&r, "subpath", c->writable.v[i]);
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		seatbelt_path(&r, "literal", devices[i]);
	seatbelt_close(&r);

	seatbelt_open(&r, out, "deny", "file-write*");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		r.filters++;
		(void)buf_printf(out, "\n    (subpath \"%s%s\")", c->project, names[i]);
	}
	/* The usual file system doesn't tell ".Claude" from ".claude", and neither do the readers
	 * of it. */
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		seatbelt_any_case_below(&r, c->project, names[i]);
	seatbelt_path(&r, "literal", c->project);
	seatbelt_path(&r, "subpath", c->keys);
	seatbelt_component(&r, ".git");
	seatbelt_close(&r);
}

int seatbelt_command_profile(const struct seatbelt_command *c, struct buf *out, struct errctx *e)
{
	struct seatbelt_rule r;
	int rc = check_command(c, e);
	size_t before = out->len;

	if (rc)
		return rc;
	put_head(out, "agentteams-runner: one command");
	put_command_writes(c, out);
	put_each(out, "deny", "file-read*", "subpath", &(struct seatbelt_list){&c->keys, 1});
	seatbelt_plain(out, "deny", "process-exec*");
	seatbelt_open(&r, out, "allow", "process-exec*");
	for (size_t i = 0; i < c->programs.n; i++)
		seatbelt_path(&r, "subpath", c->programs.v[i]);
	seatbelt_close(&r);
	return finish(out, before, e);
}
