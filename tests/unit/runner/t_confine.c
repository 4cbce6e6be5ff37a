/* SPDX-License-Identifier: MIT */
/* What the confined processes can still open (file 00, D8): the engine its project and not the key,
 * the keeper its two folders and not the project. Each test is a process of its own. */
#include "base/base.h"

#include "launcher/confine.h"
#include "runner/confine_runner.h"

#include "tests/unit/runner/runnertest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static char project[64], home[64];
static char key[128], source[128], brief[128];
static int root_fd, home_fd;
static struct errctx e;

static void setup(void)
{
	root_fd = rt_dir(project);
	home_fd = rt_dir(home);
	cr_assert_eq(mkdirat(home_fd, "keys", 0700), 0);
	cr_assert_eq(mkdirat(home_fd, "confined", 0700), 0);
	cr_assert_eq(mkdirat(home_fd, "anchors", 0700), 0);
	cr_assert_eq(mkdirat(root_fd, "docs", 0755), 0);
	cr_assert_eq(mkdirat(root_fd, "state", 0700), 0);
	rt_put(home_fd, "keys/key", "k", 1);
	rt_put(home_fd, "confined/p.json", "{}", 2);
	rt_put(root_fd, "a.py", "x", 1);
	rt_put(root_fd, "docs/brief.json", "{}", 2);
	(void)snprintf(key, sizeof(key), "%s/keys/key", home);
	(void)snprintf(source, sizeof(source), "%s/a.py", project);
	(void)snprintf(brief, sizeof(brief), "%s/docs/brief.json", project);
}

/* errno of opening it to read, 0 if that works. */
static int opens(const char *path)
{
	int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? errno : 0;

	if (fd >= 0)
		(void)close(fd);
	return rc;
}

Test(confine_runner, the_engine_reads_its_project_and_not_the_key, .init = setup)
{
	char confined[128];
	struct pins pins = {.root_fd = root_fd, .brief_path = brief, .confined_path = confined};
	struct dirs dirs;
	bool full = false;

	(void)snprintf(confined, sizeof(confined), "%s/confined/p.json", home);
	dirs_init(&dirs, root_fd);
	cr_assert_eq(opens(key), 0, "control: it can be read before");
	cr_assert_eq(confine_engine(&dirs, &pins, -1, &full, &e), 0, "%s", e.text);
	cr_assert_eq(opens(source), 0);
	cr_assert_eq(opens(brief), 0);
	cr_assert_eq(opens(confined), 0);
	if (confine_landlock_abi() > 1)
		cr_assert(full);
	if (!full)
		fprintf(stderr, "no Landlock here: only system calls are confined\n");
	cr_assert_eq(opens(key), full ? EACCES : 0);
}

Test(confine_runner, the_keeper_reads_its_two_folders_alone, .init = setup)
{
	int state_fd = openat(root_fd, "state", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int anchor_fd = openat(home_fd, "anchors", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd;

	cr_assert_eq(opens(source), 0, "control: it can be read before");
	cr_assert_eq(confine_keeper(state_fd, anchor_fd, &e), 0, "%s", e.text);
	fd = openat(state_fd, "row", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	cr_assert_geq(fd, 0);
	if (confine_landlock_abi() > 0) {
		cr_assert_eq(opens(source), EACCES);
		cr_assert_eq(opens(key), EACCES);
	}
}
