/* SPDX-License-Identifier: MIT */
/*
 * The race of read_file_hashed: while one thread swaps a folder for a link to a denied one (and
 * back), the other reads through it. 10,000 rounds, never a denied byte; the control shows that a
 * plain open gets some.
 */
#include "base/base.h"

#include "mcp/read_open.h"

#include "base/limits.h"
#include "base/pathfd.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { ROUNDS = 10000 };

static char top[64];
static int root_fd = -1;

static void put(const char *rel, const char *text)
{
	int fd = openat(root_fd, rel, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	cr_assert_geq(fd, 0, "%s", rel);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static struct read_root root;

static void set_up(void)
{
	(void)snprintf(top, sizeof(top), "/tmp/agentteams-race.XXXXXX");
	cr_assert_not_null(mkdtemp(top));
	cr_assert_eq(pathfd_open_root(top, &root_fd, NULL), 0);
	root.fd = root_fd;
	buf_init(&root.name, MAX_PATH_BYTES);
	cr_assert_eq(mkdirat(root_fd, "good", 0700), 0);
	cr_assert_eq(mkdirat(root_fd, ".ssh", 0700), 0);
	put("good/data", "fine");
	put(".ssh/data", "SECRET");
	cr_assert_eq(symlinkat(".ssh", root_fd, "trap"), 0);
	/* and a file that is swapped itself */
	put("plain", "fine");
	put("app.env", "SECRET");
	cr_assert_eq(symlinkat("app.env", root_fd, "trapfile"), 0);
}

static void tear_down(void)
{
	static const char *const files[] = {"good/data", ".ssh/data", "plain",	  "app.env",
					    "trapfile",	 "trap",      "swap/data"};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		(void)unlinkat(root_fd, files[i], 0);
	(void)unlinkat(root_fd, "good", 0);
	(void)unlinkat(root_fd, "good", AT_REMOVEDIR);
	(void)unlinkat(root_fd, "trap", AT_REMOVEDIR);
	(void)unlinkat(root_fd, ".ssh", AT_REMOVEDIR);
	(void)rmdir(top);
	buf_release(&root.name);
	close(root_fd);
}

static atomic_bool stop;

struct pair {
	const char *a, *b;
};

static void *swap(void *arg)
{
	const struct pair *p = arg;

	while (!atomic_load(&stop))
		(void)syscall(SYS_renameat2, root_fd, p->a, root_fd, p->b, 2 /* RENAME_EXCHANGE */);
	return NULL;
}

static bool is_secret(int fd)
{
	char text[16] = {0};
	ssize_t n = read(fd, text, sizeof(text) - 1);

	return n >= 6 && memcmp(text, "SECRET", 6) == 0;
}

/* Control: what the same loop gets without the check. */
static unsigned read_plainly(const char *path)
{
	unsigned secrets = 0;

	for (int i = 0; i < ROUNDS; i++) {
		int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			continue;
		secrets += is_secret(fd);
		close(fd);
	}
	return secrets;
}

static void race(struct pair pair, const char *path)
{
	pthread_t thread;
	unsigned secrets = 0, served = 0, control;

	atomic_store(&stop, false);
	cr_assert_eq(pthread_create(&thread, NULL, swap, &pair), 0);
	for (int i = 0; i < ROUNDS; i++) {
		struct stat st;
		int fd = -1;

		if (read_open(&root, view_of(path), &fd, &st, NULL) != 0)
			continue;
		served++;
		secrets += is_secret(fd);
		close(fd);
	}
	control = read_plainly(path);
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	cr_log_info("%s: served %u of %d, denied bytes %u; without the check %u", path, served,
		    ROUNDS, secrets, control);
	cr_assert_eq(secrets, 0);
	cr_assert_gt(control, 0, "the race was never lost, so this proves nothing");
}

TestSuite(read_open, .init = set_up, .fini = tear_down);

Test(read_open, a_parent_swapped_for_a_link_never_gives_a_denied_byte, .timeout = 120)
{
	race((struct pair){"good", "trap"}, "good/data");
}

Test(read_open, a_file_swapped_for_a_link_never_gives_a_denied_byte, .timeout = 120)
{
	race((struct pair){"plain", "trapfile"}, "plain");
}

Test(read_open, without_a_race_the_rules_hold_too)
{
	struct errctx e = {0};
	struct stat st;
	int fd = -1;

	cr_assert_eq(read_open(&root, VIEW("good/data"), &fd, &st, &e), 0);
	cr_assert(!is_secret(fd));
	close(fd);
	cr_assert_eq(read_open(&root, VIEW(".ssh/data"), &fd, &st, &e), E_DENIED);
	cr_assert_eq(read_open(&root, VIEW("trap/data"), &fd, &st, &e), E_DENIED);
	cr_assert_eq(read_open(&root, VIEW("trapfile"), &fd, &st, &e), E_DENIED);
	cr_assert_eq(read_open(&root, VIEW("good/none"), &fd, &st, &e), E_NOENT);
	cr_assert_eq(read_open(&root, VIEW("good"), &fd, &st, &e), E_NOTREG);
}

/* The name that the server remembers of its root saves a question, and never answers one. */
Test(read_open, a_remembered_name_of_the_root_is_only_a_hint)
{
	char elsewhere[sizeof(top) + 8];
	struct stat st;
	int fd = -1;

	for (int i = 0; i < 2; i++) {
		cr_assert_eq(read_open(&root, VIEW("good/data"), &fd, &st, NULL), 0);
		close(fd);
		cr_assert_str_eq(buf_text(&root.name), top);
	}
	(void)snprintf(elsewhere, sizeof(elsewhere), "%s.moved", top);
	cr_assert_eq(rename(top, elsewhere), 0);
	cr_assert_eq(read_open(&root, VIEW("good/data"), &fd, &st, NULL), 0);
	close(fd);
	cr_assert_str_eq(buf_text(&root.name), elsewhere);
	cr_assert_eq(rename(elsewhere, top), 0);
	/* A name that is wrong, but would fit a denied file. */
	buf_clear(&root.name);
	cr_assert_eq(buf_printf(&root.name, "%s/.ssh", top), 0);
	cr_assert_eq(read_open(&root, VIEW(".ssh/data"), &fd, &st, NULL), E_DENIED);
	cr_assert_eq(read_open(&root, VIEW("trap/data"), &fd, &st, NULL), E_DENIED);
}
