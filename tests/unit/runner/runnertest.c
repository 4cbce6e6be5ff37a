/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "tests/unit/runner/runnertest.h"

#include "base/io.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

static char made[64];

static int wipe(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void clean(void)
{
	if (made[0])
		(void)nftw(made, wipe, 16, FTW_DEPTH | FTW_PHYS);
}

int rt_dir(char path[64])
{
	int fd;

	(void)snprintf(path, 64, "/tmp/agentteams-runner.XXXXXX");
	cr_assert_not_null(mkdtemp(path));
	memcpy(made, path, sizeof(made));
	(void)atexit(clean);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(fd, 0);
	return fd;
}

void rt_put(int dir_fd, const char *name, const char *bytes, size_t n)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	cr_assert_geq(fd, 0);
	cr_assert_eq(io_write_all(fd, bytes, n), 0);
	(void)close(fd);
}

void rt_get(int dir_fd, const char *name, struct buf *out)
{
	int fd = openat(dir_fd, name, O_RDONLY);

	cr_assert_geq(fd, 0);
	buf_init(out, 1 << 26);
	cr_assert_eq(io_read_all(fd, out, 1 << 26), 0);
	(void)close(fd);
}

const struct mac_key *rt_key(void)
{
	static struct mac_key k;

	mac_key_init(&k, VIEW("kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"));
	return &k;
}
