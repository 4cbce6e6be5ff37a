/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over its seeds in "make check", where no fuzzing engine is linked: every file
 * of the folders given as arguments (without any: the folder of the program's own name), whole and
 * cut short. One TAP line a file; a crash ends the program, and the line before it names the file.
 */
#include "base/base.h"

#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

enum { CUTS = 64, MAX_SEED_BYTES = 16 << 20 };

static unsigned tests;
static bool all_good = true;

static void report(bool good, const char *what, const char *why)
{
	printf("%s %u - %s%s%s\n", good ? "ok" : "not ok", ++tests, what, *why ? ": " : "", why);
	all_good = all_good && good;
}

/* A block of exactly that size, so that a sanitizer sees one byte too many being read. */
static void run_once(const char *bytes, size_t n)
{
	auto_free uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, bytes, n);
	(void)LLVMFuzzerTestOneInput(copy, n);
}

static bool read_file(const char *path, char **ret, size_t *ret_n)
{
	FILE *f = fopen(path, "rb");
	auto_free char *bytes = malloc(MAX_SEED_BYTES);
	size_t n;
	bool whole;

	if (!f)
		return false;
	n = bytes ? fread(bytes, 1, MAX_SEED_BYTES, f) : 0;
	whole = bytes && !ferror(f) && feof(f);
	(void)fclose(f);
	if (!whole)
		return false;
	*ret = steal_ptr(&bytes);
	*ret_n = n;
	return true;
}

static void replay_file(const char *folder, const char *name)
{
	auto_free char *bytes = NULL;
	char path[PATH_MAX];
	size_t n = 0;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
	    !read_file(path, &bytes, &n)) {
		report(false, name, "can't be read");
		return;
	}
	printf("# next: %s\n", path);
	(void)fflush(stdout);
	run_once(bytes, n);
	for (size_t i = 0; i < CUTS && i < n; i++)
		run_once(bytes, n <= CUTS ? i : n / CUTS * i);
	report(true, name, "");
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void replay_folder(const char *folder)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, visible, alphasort);

	if (n <= 0)
		report(false, folder, "no seeds there");
	for (int i = 0; i < n; i++) {
		replay_file(folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/'), *top = getenv("TOP_SRCDIR");
	char folder[PATH_MAX];

	for (int i = 1; i < argc; i++)
		replay_folder(argv[i]);
	if (argc < 2) {
		(void)snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", top ? top : ".",
			       name ? name + 1 : argv[0]);
		replay_folder(folder);
	}
	printf("1..%u\n", tests);
	return all_good ? 0 : 1;
}
