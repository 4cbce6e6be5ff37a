/* SPDX-License-Identifier: MIT */
/*
 * One run of the launcher, from options to exit status: what each step fills for the next. Internal
 * to launcher/.
 */
#ifndef LAUNCHER_LAUNCH_H
#define LAUNCHER_LAUNCH_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/jsonw.h"
#include "launcher/object.h"
#include "launcher/options.h"
#include "launcher/plan.h"

enum exit_status { /* file 10, 18.13 */
		   EXIT_REFUSED = 2,
		   EXIT_TIMED_OUT = 124,
		   EXIT_NOT_BUILT = 125,
		   EXIT_NOT_EXECUTABLE = 126,
		   EXIT_NOT_FOUND = 127,
};

struct strings { /* owned words */
	char **v;
	size_t n, cap;
};
int strings_add(struct strings *s, const char *word, struct errctx *e) must_check;
int strings_addf(struct strings *s, struct errctx *e, const char *format, ...)
	printf_like(3, 4) must_check;
void strings_release(struct strings *s);
bool strings_has(const struct strings *s, const char *word);

struct launch {
	const struct options *opt;
	uid_t uid;
	char *home;		/* canonical; NULL: none */
	char *cwd;		/* working folder of the command (path inside) */
	char *run_dir;		/* XDG_RUNTIME_DIR inside */
	struct objects objects; /* everything mounted or hidden; roots first */
	size_t n_roots;		/* leading objects with ROLE_OVERLAY or ROLE_ROOT */
	struct object upper;	/* --overlay-upper; fd -1: none */
	struct object bwrap;	/* the program that will be executed */
	bool bwrap_bind_fd;
	int stage2_fd;		/* -1: none yet */
	struct strings env;	/* NAME=VALUE for the command */
	struct strings notes;	/* lines for standard error */
	struct strings present; /* trusted names present before the run (after-run audit) */
	struct strings
		git_keys; /* "config path<TAB>section.key" that name programs, before the run */
	struct strings placeholders; /* absolute paths made for this run */
	char *private_dir;	     /* overlay folder that goes away again; NULL: none */
	bool audited;		     /* present was filled: compare after the run */
	struct plan plan;
	struct plan_in plan_in;
	struct plan_item *items;
};

void launch_release(struct launch *l);

/* Steps, in order. Each refuses with a context; the caller prints it and exits 2 (or 125 for steps
 * after checks). */
int launch_open_roots(struct launch *l, struct errctx *e) must_check;	  /* roots.c */
int launch_collect_guards(struct launch *l, struct errctx *e) must_check; /* guards.c */
int launch_collect_git(struct launch *l, struct errctx *e) must_check;	  /* gitscan.c */
int launch_list_git(struct launch *l, struct strings *names,
		    struct errctx *e) must_check; /* the repositories' names alone */
/* Exists as any kind of file, a dangling link included. */
bool guard_is_present(const struct object *root, const char *rel);
/* A placeholder of this or another run stands there: as good as absent. placeholder.c */
bool placeholder_is_here(const struct object *root, const char *name);
int launch_collect_masks(struct launch *l, struct errctx *e) must_check;   /* masks.c */
int launch_collect_sockets(struct launch *l, struct errctx *e) must_check; /* masks.c */
/* One of them isn't there any more, or is another one. */
bool launch_sockets_moved(const struct launch *l);			       /* masks.c */
int launch_check_streams(const struct launch *l, struct errctx *e) must_check; /* streams.c */
int launch_build_env(struct launch *l, struct errctx *e) must_check;	       /* childenv.c */
int run_egress_check(const struct launch *l,
		     struct errctx *e) must_check; /* run_egress.c: the rules alone */
int childenv_set(struct launch *l, const char *word, struct errctx *e) must_check; /* childenv.c */
int launch_check_host(struct launch *l, struct errctx *e) must_check;	 /* host_linux.c */
int launch_check_netns(struct launch *l, struct errctx *e) must_check;	 /* host_linux.c */
int launch_find_stage2(struct launch *l, struct errctx *e) must_check;	 /* host_linux.c */
int launch_codex_warning(struct launch *l, struct errctx *e) must_check; /* guards.c */
int launch_make_plan(struct launch *l, struct errctx *e) must_check;	 /* launch.c */

/* All checks of file 10, section 3, without side effects. */
int launch_check(struct launch *l, struct errctx *e) must_check; /* launch.c */

#endif
