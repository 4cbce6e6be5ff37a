/* SPDX-License-Identifier: MIT */
/*
 * Runs while the launcher is built and prints every filter that it can ask for as C: the rows of
 * policy/ don't change afterwards, and a start needn't compile them. Failure: message, status 1.
 */
#include "base/base.h"
#include "launcher/seccomp_compile.h"

#include <linux/filter.h>
#include <stdio.h>
#include <sys/stat.h>

static int fail(const char *text)
{
	(void)fprintf(stderr, "seccomp_gen: %s\n", text);
	return 1;
}

static int print(const char *name, unsigned number, int fd)
{
	struct sock_filter f;
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size == 0 || st.st_size % (off_t)sizeof(f) != 0)
		return fail("odd program");
	(void)printf("static const struct sock_filter %s_%u[] = {\n", name, number);
	for (off_t at = 0; at < st.st_size; at += (off_t)sizeof(f)) {
		if (pread(fd, &f, sizeof(f), at) != (ssize_t)sizeof(f))
			return fail("a program can't be read");
		(void)printf("\t{%#x, %u, %u, %#x},\n", f.code, f.jt, f.jf, f.k);
	}
	(void)printf("};\n");
	return 0;
}

int main(void)
{
	struct errctx e = {0};

	for (unsigned i = 0; i < SECCOMP_ARGUMENT_CHOICES; i++) {
		struct seccomp_choice c = {.no_unix = i & 1, .exec_list = i & 2};
		auto_fd int fd = -1;

		if (seccomp_compile_arguments(&c, &fd, &e) < 0)
			return fail(e.text);
		if (print("arguments", i, fd))
			return 1;
	}
	for (unsigned i = 0; i < SECCOMP_LIST_CHOICES; i++) {
		struct seccomp_choice c = {.allow_list = i & 1, .allow_debug = i & 2};
		auto_fd int fd = -1;

		if (seccomp_compile_list(&c, &fd, &e) < 0)
			return fail(e.text);
		if (print("list", i, fd))
			return 1;
	}
	return fflush(stdout) == 0 ? 0 : fail("can't write");
}
