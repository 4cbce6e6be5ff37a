/* SPDX-License-Identifier: MIT */
/*
 * Started by t_proc: writes to the file argv[1] what it was started with, one fact a line. With
 * argv[2] "wait" it then sleeps until it is killed; with "exit" it ends with status argv[3].
 */
#include "base/base.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

extern char **environ;

enum { MOST = 5000 };

static struct stat seen[MOST];
static bool is_open[MOST];

static void look_at_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *d;

	while (dir && (d = readdir(dir)) != NULL) {
		int fd = (int)strtol(d->d_name, NULL, 10);

		if (d->d_name[0] != '.' && fd != dirfd(dir) && fd < MOST)
			is_open[fd] = fstat(fd, &seen[fd]) == 0;
	}
	if (dir)
		(void)closedir(dir);
}

static void print_status(FILE *out)
{
	char line[256];
	FILE *in = fopen("/proc/self/status", "r");

	while (in && fgets(line, sizeof(line), in))
		if (strncmp(line, "SigBlk:", 7) == 0 || strncmp(line, "SigIgn:", 7) == 0 ||
		    strncmp(line, "SigCgt:", 7) == 0)
			(void)fputs(line, out);
	if (in)
		(void)fclose(in);
}

int main(int argc, char **argv)
{
	char cwd[4096];
	int death = 0;
	FILE *out;

	look_at_fds();
	if (argc < 2)
		return 99;
	out = fopen(argv[1], "w");
	if (!out)
		return 98;
	for (int fd = 0; fd < MOST; fd++)
		if (is_open[fd])
			(void)fprintf(out, "fd %d %s %llu\n", fd,
				      S_ISCHR(seen[fd].st_mode) ? "dev" : "ino",
				      (unsigned long long)(S_ISCHR(seen[fd].st_mode)
								   ? seen[fd].st_rdev
								   : seen[fd].st_ino));
	(void)prctl(PR_GET_PDEATHSIG, &death);
	(void)fprintf(out, "cwd %s\n", getcwd(cwd, sizeof(cwd)) ? cwd : "?");
	(void)fprintf(out, "own group %d session %d deathsig %d\n", getpgrp() == getpid(),
		      getsid(0) == getpid(), death);
	for (int i = 0; i < argc; i++)
		(void)fprintf(out, "arg %s\n", i == 1 ? "-" : argv[i]);
	for (char **e = environ; *e; e++)
		(void)fprintf(out, "env %s\n", *e);
	print_status(out);
	if (fclose(out) != 0)
		return 97;
	if (argc > 2 && strcmp(argv[2], "wait") == 0)
		(void)pause();
	if (argc > 3 && strcmp(argv[2], "exit") == 0)
		return (int)strtol(argv[3], NULL, 10);
	return 0;
}
