/* SPDX-License-Identifier: MIT */
/*
 * Folders and processes of the starters. System. Failure rule: a service that can't start commands
 * serves everything else. Tests: tests/e2e/runner-process.tap.
 */
#include "base/base.h"

#include "runner/starters.h"

#include "base/custody.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "runner/exec.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

void starters_init(struct starters *s)
{
	for (int i = 0; i < N_STARTERS; i++) {
		s->pid[i] = -1;
		s->run_dir_fd[i] = -1;
		buf_init(&s->run_path[i], MAX_PATH_BYTES);
	}
}

void starters_release(struct starters *s)
{
	for (int i = 0; i < N_STARTERS; i++) {
		cleanup_fd(&s->run_dir_fd[i]);
		buf_release(&s->run_path[i]);
	}
}

static int open_run_dir(struct starters *s, int which, struct view root_path, struct errctx *e)
{
	static const char *const names[] = {"commands", "gates"};
	auto_buf struct buf home, rel;
	auto_fd int home_fd = -1;
	int rc;

	buf_init(&home, MAX_PATH_BYTES);
	buf_init(&rel, MAX_PATH_BYTES);
	(void)buf_puts(&rel, ".cache/agentteams/run/");
	rc = custody_home(&home, e);
	if (rc == 0)
		rc = pathfd_open_root(buf_text(&home), &home_fd, e);
	if (rc == 0)
		rc = brief_project_name(root_path, &rel);
	(void)buf_printf(&rel, "/%s", names[which]);
	if (rc == 0 && buf_error(&rel))
		rc = err_set(e, E_TOOBIG, "the folder for overlays has too long a name");
	if (rc == 0)
		rc = pathfd_make_dirs(home_fd, buf_text(&rel), 0700, &s->run_dir_fd[which], e);
	if (rc == 0)
		rc = pathfd_name(s->run_dir_fd[which], &s->run_path[which], e);
	return rc;
}

void starters_open(struct starters *s, struct view root_path)
{
	struct errctx e = {0};

	for (int i = 0; i < N_STARTERS; i++) {
		if (open_run_dir(s, i, root_path, &e) == 0)
			continue;
		log_warn("commands and gates can't be run: %s", e.text);
		for (int k = 0; k < N_STARTERS; k++)
			cleanup_fd(&s->run_dir_fd[k]);
		return;
	}
}

static struct starter_config config_of(const struct starters *s, int which, int root_fd,
				       const char *root_path, const struct brief *brief)
{
	return (struct starter_config){.fd = -1,
				       .root_fd = root_fd,
				       .root_path = root_path,
				       .run_dir_fd = s->run_dir_fd[which],
				       .run_path = buf_text(&s->run_path[which]),
				       .brief = brief,
				       .way = s->way};
}

void starters_try(struct starters *s, int root_fd, const char *root_path, const struct brief *brief)
{
	const struct starter_config c = config_of(s, STARTER_COMMANDS, root_fd, root_path, brief);

	if (c.run_dir_fd < 0)
		return; /* it was said why */
	s->way = starter_find_way(&c, s->why, sizeof(s->why));
	if (s->way == WAY_READ_ONLY) {
		log_warn("no overlay can be mounted here, so commands see the project read-only "
			 "and may write their write roots alone: %s",
			 s->why);
	} else if (s->way == WAY_NONE && brief->allow_unconfined) {
		s->way = exec_adopt() ? WAY_UNCONFINED : WAY_NONE;
		log_warn("NO BOUNDARY: the brief sets allow_unconfined_runs and nothing can be "
			 "confined here, so commands and gates run with all rights of this user: "
			 "%s",
			 s->why);
	} else if (s->way == WAY_NONE) {
		log_warn("commands and gates can't be confined here and don't run: %s", s->why);
	}
}

/* Holds no key and reads no queue; what it starts is confined by the launcher. It ends when the
 * engine has ended, not with the terminal. */
noreturn_fn static void run(const struct starter_config *c, pid_t parent)
{
	static const int ignored_signals[] = {SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGTERM};
	const int keep[] = {c->fd, c->root_fd, c->run_dir_fd};

	(void)prctl(PR_SET_NAME, "at-starter");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < ARRAY_LEN(ignored_signals); i++)
		(void)signal(ignored_signals[i], SIG_IGN);
	io_close_others(keep, ARRAY_LEN(keep));
	starter_serve(c);
	_exit(0);
}

int starters_start(struct starters *s, int root_fd, const char *root_path,
		   const struct brief *brief, int fd[N_STARTERS], struct errctx *e)
{
	pid_t parent = getpid();

	for (int i = 0; i < N_STARTERS; i++)
		fd[i] = -1;
	for (int i = 0; i < N_STARTERS; i++) {
		struct starter_config c = config_of(s, i, root_fd, root_path, brief);
		int pair[2];

		if (c.run_dir_fd < 0)
			continue;
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
			return err_sys(e, "socketpair");
		c.fd = pair[0];
		s->pid[i] = fork();
		if (s->pid[i] == 0)
			run(&c, parent);
		(void)close(pair[0]);
		fd[i] = pair[1];
		if (s->pid[i] < 0)
			return err_sys(e, "a starter can't be started");
	}
	return 0;
}

bool starters_are(struct starters *s, pid_t pid)
{
	for (int i = 0; i < N_STARTERS; i++) {
		if (pid == s->pid[i]) {
			s->pid[i] = -1;
			return true;
		}
	}
	return false;
}
