/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "runner/exec_walk.h"

#include "base/limits.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char base[64];
static int base_fd, root_fd;
static struct walk before;

static void put(const char *name, const char *text)
{
	int fd = openat(root_fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s", name);
	(void)close(fd);
}

static void make(const char *name)
{
	cr_assert_eq(mkdirat(root_fd, name, 0755), 0, "%s", name);
}

static void set_up(void)
{
	struct errctx e = {0};

	(void)snprintf(base, sizeof(base), "%s/t-walk.XXXXXX", getenv("TMPDIR") ?: "/tmp");
	cr_assert_not_null(mkdtemp(base));
	base_fd = open(base, O_RDONLY | O_DIRECTORY);
	/* Of this name, so that overlay_discard() removes it whatever the test made of it. */
	cr_assert_eq(mkdirat(base_fd, "upper", 0755), 0);
	root_fd = openat(base_fd, "upper", O_RDONLY | O_DIRECTORY);
	make("src");
	make("src/deep");
	make(".git");
	make(".agentteams");
	make(".agentteams-queue");
	put("src/a", "one");
	put("src/deep/b", "two");
	put("src-c", "three");
	put(".git/config", "x");
	put(".agentteams/runner.heartbeat", "1");
	put(".agentteams/proposal-ledger.jsonl", "{}");
	put(".agentteams-queue/r", "x");
	cr_assert_eq(walk_take(root_fd, &before, &e), 0, "%s", e.text);
}

static void tear_down(void)
{
	struct errctx e = {0};

	walk_release(&before);
	(void)close(root_fd);
	cr_assert_eq(overlay_discard(base_fd, &e), 0, "%s", e.text);
	(void)close(base_fd);
	cr_assert_eq(rmdir(base), 0);
}

TestSuite(exec_walk, .init = set_up, .fini = tear_down);

static void changes_are(const char *wanted)
{
	struct overlay_changes c = {0};
	struct walk after = {0};
	struct errctx e = {0};
	char text[1024] = "";

	cr_assert_eq(walk_take(root_fd, &after, &e), 0, "%s", e.text);
	cr_assert_eq(walk_compare(&before, &after, &c, &e), 0, "%s", e.text);
	for (size_t i = 0; i < c.n; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s",
			       i ? ", " : "", overlay_kind_name(c.v[i].kind), c.v[i].path);
	cr_expect_str_eq(text, wanted);
	overlay_changes_release(&c);
	walk_release(&after);
}

Test(exec_walk, the_list_is_sorted_and_whole)
{
	for (size_t i = 1; i < before.n; i++)
		cr_assert(strcmp(before.v[i - 1].path, before.v[i].path) < 0);
	cr_assert_eq(before.n, 10);
	changes_are("");
}

Test(exec_walk, kinds)
{
	put("src/a", "more");
	put("src/deep/new", "x");
	make("made");
	cr_assert_eq(unlinkat(root_fd, "src-c", 0), 0);
	cr_assert_eq(fchmodat(root_fd, "src/deep", 0700, 0), 0);
	cr_assert_eq(unlinkat(root_fd, "src/deep/b", 0), 0);
	cr_assert_eq(symlinkat("a", root_fd, "src/deep/b"), 0);
	put(".git/config", "y");
	changes_are("changed .git/config, created made, deleted src-c, changed src/a, "
		    "mode src/deep, type src/deep/b, created src/deep/new");
}

/* Size, bytes' count and times of modification can be forged; the change time can't. */
Test(exec_walk, a_time_that_is_set_back)
{
	struct stat st;

	cr_assert_eq(fstatat(root_fd, "src/a", &st, 0), 0);
	(void)nanosleep(&(struct timespec){0, 20000000}, NULL);

	int fd = openat(root_fd, "src/a", O_WRONLY);
	const struct timespec times[] = {st.st_atim, st.st_mtim};

	cr_assert_eq(write(fd, "two", 3), 3);
	cr_assert_eq(futimens(fd, times), 0);
	(void)close(fd);
	changes_are("mode src/a");
}

Test(exec_walk, a_folder_that_was_made_anew)
{
	cr_assert_eq(renameat(root_fd, "src/deep", root_fd, "moved"), 0);
	make("src/deep");
	put("src/deep/b", "two");
	changes_are("created moved, created moved/b, opaque src/deep, changed src/deep/b");
}

Test(exec_walk, what_others_write_meanwhile)
{
	put(".agentteams/runner.heartbeat", "2");
	put(".agentteams/.runner.status.new", "2");
	put(".agentteams/runner.status", "2");
	put(".agentteams-queue/r2", "2");
	changes_are("");
	put(".agentteams/runner.lock", "2");
	changes_are("created .agentteams/runner.lock");
}

Test(exec_walk, the_queue_itself_may_not_be_replaced)
{
	cr_assert_eq(renameat(root_fd, ".agentteams-queue", root_fd, "q"), 0);
	make(".agentteams-queue");
	changes_are("opaque .agentteams-queue, created q, created q/r");
}

Test(exec_walk, records_of_the_runner)
{
	struct overlay_changes c = {0};
	struct walk after = {0};

	put("src/a", "more");
	cr_assert_eq(walk_take(root_fd, &after, NULL), 0);
	cr_assert_eq(walk_compare(&before, &after, &c, NULL), 0);
	cr_assert(c.n == 1 && !walk_tampered(&c));
	overlay_changes_release(&c);
	walk_release(&after);
	put(".agentteams/proposal-ledger.jsonl", "{}{}");
	cr_assert_eq(walk_take(root_fd, &after, NULL), 0);
	cr_assert_eq(walk_compare(&before, &after, &c, NULL), 0);
	cr_assert(walk_tampered(&c));
	overlay_changes_release(&c);
	walk_release(&after);
}

Test(exec_walk, links_are_not_followed)
{
	cr_assert_eq(symlinkat("/", root_fd, "all"), 0);
	changes_are("created all");
}

Test(exec_walk, too_deep)
{
	struct walk after = {0};
	struct errctx e = {0};
	int at = dup(root_fd);

	for (int i = 0; i < MAX_WALK_DEPTH + 1; i++) {
		int next;

		cr_assert_eq(mkdirat(at, "d", 0755), 0);
		next = openat(at, "d", O_RDONLY | O_DIRECTORY);
		(void)close(at);
		at = next;
	}
	(void)close(at);
	cr_assert_eq(walk_take(root_fd, &after, &e), E_TOOBIG);
	cr_assert_null(after.v);
}

Test(exec_walk, a_folder_that_cannot_be_read)
{
	struct walk after = {0};
	int rc;

	make("closed");
	cr_assert_eq(fchmodat(root_fd, "closed", 0, 0), 0);
	rc = walk_take(root_fd, &after, NULL);
	if (geteuid() == 0)
		cr_assert_eq(rc, 0); /* root reads it */
	else
		cr_assert_eq(rc, E_SYS);
	walk_release(&after);
}
