/* SPDX-License-Identifier: MIT */
/*
 * confine-run preflight: what this host can enforce, which knob blocks what is missing, and what to
 * do (file 10, 16). Each line is the result of an attempt, not of a version number. System.
 */
#include "base/base.h"
#include "launcher/main_modes.h"

#include "launcher/cgroup.h"
#include "launcher/host.h"
#include "launcher/landlock.h"
#include "launcher/launch.h"
#include "launcher/probe.h"
#include "launcher/seccomp.h"

#include "base/io.h"
#include "base/jsonw.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

enum state { OK = 1, WEAKER, MISSING };

struct line {
	const char *name;
	enum state state;
	char text[512];
};

struct list {
	struct line v[16];
	size_t n;
};

static struct line *add(struct list *l, const char *name, enum state state)
{
	struct line *x = &l->v[l->n < ARRAY_LEN(l->v) ? l->n++ : ARRAY_LEN(l->v) - 1];

	*x = (struct line){.name = name, .state = state};
	return x;
}

static long knob(const char *path)
{
	char text[32] = "";
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	return n > 0 ? strtol(text, NULL, 10) : -1;
}

/* Why namespaces are refused: the knobs of file 10, 16.1, in the order of likelihood. */
static const char *namespace_knob(int error)
{
	if (knob("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
		return "kernel.apparmor_restrict_unprivileged_userns is 1: install the AppArmor "
		       "profile of "
		       "contrib/apparmor/ for bubblewrap (don't switch the restriction off for "
		       "everything)";
	if (knob("/proc/sys/kernel/unprivileged_userns_clone") == 0)
		return "kernel.unprivileged_userns_clone is 0: set it to 1";
	if (knob("/proc/sys/user/max_user_namespaces") == 0 || error == ENOSPC)
		return "user.max_user_namespaces is used up or 0: already inside a sandbox, or "
		       "raise it";
	if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0)
		return "the container around refuses it: run it with a seccomp profile that allows "
		       "user "
		       "namespaces";
	return "refused without a known knob (a security module, or a container's filter)";
}

static void look_at_bwrap(struct list *l)
{
	struct host_bwrap b = {.fd = -1};
	struct errctx e = {0};
	int r = host_inspect_bwrap(BWRAP_PATH, &b, &e);
	struct line *x = add(l, "bubblewrap", r == 0 ? (b.bind_fd ? OK : WEAKER) : MISSING);

	if (r < 0)
		(void)snprintf(x->text, sizeof(x->text), "%s", e.text);
	else
		(void)snprintf(
			x->text, sizeof(x->text), "%s%s", BWRAP_PATH,
			b.bind_fd ? ""
				  : ": without --bind-fd, binds go by name and are verified after");
	/* GHSA-pxhw-h44j-8pfx is fixed in 0.12.0; we never hand it a destination with a link on it.
	 */
	if (b.fd >= 0)
		(void)close(b.fd);
}

static void look_at_namespaces(struct list *l)
{
	int error = probe_userns();
	struct line *x = add(l, "user namespaces", error == 0 ? OK : MISSING);

	if (error)
		(void)snprintf(x->text, sizeof(x->text), "%s: %s", strerror(error),
			       namespace_knob(error));
}

static void look_at_boundary(struct list *l)
{
	char why[400] = "";
	int r = probe_boundary(why, sizeof(why));
	struct line *x = add(l, "boundary", r == 0 ? OK : MISSING);

	(void)snprintf(x->text, sizeof(x->text), "%s",
		       r == 0 ? "a command ran inside all layers and was verified" : why);
}

static void look_at_landlock(struct list *l)
{
	int abi = landlock_abi();
	struct line *x = add(l, "Landlock", abi >= 6 ? OK : abi >= 3 ? WEAKER : MISSING);

	if (abi == 0)
		(void)snprintf(x->text, sizeof(x->text),
			       "the kernel has none: add \"landlock\" to the lsm= boot parameter, "
			       "or use a kernel "
			       "from 6.2 on; --landlock off runs without this layer");
	else
		(void)snprintf(x->text, sizeof(x->text), "ABI %d%s", abi,
			       abi < 3 ? ", 3 is needed (Linux 6.2)"
			       : abi < 6
				       ? ": signals and abstract sockets aren't scoped (Linux 6.12)"
				       : "");
}

static void look_at_seccomp(struct list *l)
{
	struct seccomp_choice c = {.allow_list = true, .no_unix = true};
	struct errctx e = {0};
	int fds[SECCOMP_PROGRAMS];
	int r = seccomp_build(&c, fds, &e);
	struct line *x = add(l, "seccomp", r == 0 ? OK : MISSING);

	(void)snprintf(x->text, sizeof(x->text), "%s", r == 0 ? "filters can be built" : e.text);
	for (int i = 0; r == 0 && i < SECCOMP_PROGRAMS; i++)
		(void)close(fds[i]);
}

static void look_at_overlay(struct list *l)
{
	char why[400] = "";
	int r = probe_overlay(why, sizeof(why));
	struct line *x = add(l, "overlay", r == 0 ? OK : WEAKER);

	(void)snprintf(x->text, sizeof(x->text), "%s%s",
		       r == 0 ? "in an own user and mount namespace" : why,
		       r == 0 ? ""
			      : ": no write transactions here; a project is read-only to commands");
}

static void look_at_cgroup(struct list *l)
{
	const char *blocked = cgroup_blocked_by();
	struct line *x = add(l, "memory limit", blocked ? WEAKER : OK);

	(void)snprintf(x->text, sizeof(x->text), "%s%s",
		       blocked ? "--mem-max is refused: " : "cgroup v2", blocked ? blocked : "");
}

static void look_at_user(struct list *l)
{
	struct line *x = add(l, "user", getuid() == 0 ? WEAKER : OK);

	(void)snprintf(x->text, sizeof(x->text), "%s",
		       getuid() == 0 ? "root: every capability is dropped, but files of root stay "
				       "readable inside"
				     : "ordinary");
}

static const char *const words[] = {"", "ok", "weaker", "MISSING"};

static int print_json(const struct list *l, bool usable)
{
	auto_buf struct buf out;
	struct jsonw w;

	buf_init(&out, MAX_STATE_FILE_BYTES);
	jsonw_init(&w, &out, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_bool(&w, "usable", usable);
	jsonw_key(&w, "checks");
	jsonw_arr(&w);
	for (size_t i = 0; i < l->n; i++) {
		jsonw_obj(&w);
		jsonw_kv_cstr(&w, "name", l->v[i].name);
		jsonw_kv_cstr(&w, "state", words[l->v[i].state]);
		jsonw_kv_cstr(&w, "text", l->v[i].text);
		jsonw_obj_end(&w);
	}
	jsonw_arr_end(&w);
	jsonw_obj_end(&w);
	(void)buf_putc(&out, '\n');
	return buf_error(&out) ? E_INTERNAL : io_write_all(STDOUT_FILENO, out.data, out.len);
}

static int print_text(const struct list *l, bool usable)
{
	for (size_t i = 0; i < l->n; i++)
		(void)printf("%-8s %-16s %s\n", words[l->v[i].state], l->v[i].name, l->v[i].text);
	(void)printf("\n%s\n", usable ? "commands can be confined here"
				      : "commands can NOT be confined here");
	return fflush(stdout);
}

int main_preflight(bool json)
{
	struct list l = {.n = 0};
	bool usable = true;

	look_at_user(&l);
	look_at_bwrap(&l);
	look_at_namespaces(&l);
	look_at_seccomp(&l);
	look_at_landlock(&l);
	look_at_boundary(&l);
	look_at_overlay(&l);
	look_at_cgroup(&l);
	for (size_t i = 0; i < l.n; i++)
		usable &= l.v[i].state != MISSING;
	if ((json ? print_json(&l, usable) : print_text(&l, usable)) != 0)
		return main_unwritten();
	return usable ? 0 : 1;
}
