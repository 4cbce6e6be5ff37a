/* SPDX-License-Identifier: MIT */
/*
 * Holds the case files of tests/cases/ against the gate: "id :: verdict :: class :: command", one
 * TAP line a row. Verdict "pass" with class "-": nothing is found. A class may name alternatives
 * with "|". gate-rules.cases has "rule :: hit|miss :: - :: command": that very row finds something,
 * or doesn't. gate-ordinary.cases holds plain commands that all pass. Newline, tab, carriage return
 * and other characters are written as the head of gate-dangerous.cases says.
 */
#include "base/base.h"

#include "gate/decide.h"

static unsigned n_tests, n_bad;

static void put_utf8(char *out, size_t *n, unsigned cp)
{
	if (cp < 0x80) {
		out[(*n)++] = (char)cp;
	} else if (cp < 0x800) {
		out[(*n)++] = (char)(0xc0 | cp >> 6);
		out[(*n)++] = (char)(0x80 | (cp & 63));
	} else if (cp < 0x10000) {
		out[(*n)++] = (char)(0xe0 | cp >> 12);
		out[(*n)++] = (char)(0x80 | (cp >> 6 & 63));
		out[(*n)++] = (char)(0x80 | (cp & 63));
	} else {
		out[(*n)++] = (char)(0xf0 | cp >> 18);
		out[(*n)++] = (char)(0x80 | (cp >> 12 & 63));
		out[(*n)++] = (char)(0x80 | (cp >> 6 & 63));
		out[(*n)++] = (char)(0x80 | (cp & 63));
	}
}

static size_t decode(const char *in, char *out)
{
	static const struct {
		const char *sign;
		char byte;
	} signs[] = {{"\xe2\x90\xa4", '\n'}, {"\xe2\x90\x89", '\t'}, {"\xe2\x90\x8d", '\r'}};
	size_t n = 0;

	while (*in) {
		bool sign = false;

		for (size_t i = 0; i < ARRAY_LEN(signs) && !sign; i++)
			if (strncmp(in, signs[i].sign, 3) == 0) {
				out[n++] = signs[i].byte;
				in += 3;
				sign = true;
			}
		if (sign)
			continue;
		if (strncmp(in, "{U+", 3) == 0) {
			char *end;
			unsigned long cp = strtoul(in + 3, &end, 16);

			put_utf8(out, &n, (unsigned)cp);
			in = end + 1;
		} else {
			out[n++] = *in++;
		}
	}
	out[n] = 0;
	return n;
}

static void result(bool ok, const char *id, const char *command)
{
	n_tests++;
	n_bad += !ok;
	printf("%s %u - %s ", ok ? "ok" : "not ok", n_tests, id);
	for (; *command; command++)
		putchar(*command == '#' ? '%' : *command); /* '#' would be a directive */
	putchar('\n');
}

static bool class_found(const struct answer *a, const char *wanted)
{
	char list[256], one[64];

	if (strcmp(wanted, "-") == 0)
		return true;
	(void)snprintf(list, sizeof(list), "|%s|", wanted);
	for (uint32_t i = 0; i < a->n_findings; i++) {
		(void)snprintf(one, sizeof(one), "|%s|", gate_class(a->findings[i].cls)->name);
		if (strstr(list, one))
			return true;
	}
	return false;
}

static bool rule_found(const struct answer *a, const char *rule)
{
	for (uint32_t i = 0; i < a->n_findings; i++)
		if (strcmp(a->findings[i].rule, rule) == 0)
			return true;
	return false;
}

static const char *wanted_name(enum verdict v)
{
	return v == VERDICT_ALLOW ? "pass" : verdict_name(v);
}

static void run_case(const char *id, const char *want, const char *cls, const char *command)
{
	static const struct gate_context ctx = {.home = {"/home/dev", 9},
						.cwd = {"/home/dev/app", 13},
						.project = {"/home/dev/app", 13}};
	char *text = malloc(strlen(command) + 8);
	struct arena a;
	struct answer got;
	bool ok;

	if (!text)
		abort();
	arena_init(&a, (size_t)128 << 20);
	decide_command(&a, &ctx, (struct view){text, decode(command, text)}, NULL, NULL, &got);
	if (strcmp(want, "hit") == 0)
		ok = rule_found(&got, id);
	else if (strcmp(want, "miss") == 0)
		ok = !rule_found(&got, id);
	else
		ok = strcmp(want, wanted_name(got.verdict)) == 0 && class_found(&got, cls);
	result(ok, id, command);
	if (!ok) {
		printf("# wanted %s %s, got %s\n", want, cls, wanted_name(got.verdict));
		for (uint32_t i = 0; i < got.n_findings; i++)
			printf("#   %s %s\n", got.findings[i].rule,
			       gate_class(got.findings[i].cls)->name);
	}
	arena_release(&a);
	free(text);
}

/* Cuts the next " :: " field off. */
static char *field(char **rest)
{
	char *at = *rest, *sep = strstr(at, " :: ");

	if (!sep)
		return NULL;
	*sep = 0;
	*rest = sep + 4;
	return at;
}

static void run_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	bool plain = strstr(path, "ordinary") != NULL;
	unsigned before = n_tests;

	if (!f) {
		printf("Bail out! can't read %s\n", path);
		exit(99);
	}
	while ((n = getline(&line, &cap, f)) > 0) {
		char *rest = line, *id, *want, *cls;

		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		if (line[0] == '#' || line[0] == 0)
			continue;
		if (plain) {
			run_case("ordinary", "pass", "-", line);
			continue;
		}
		id = field(&rest);
		want = field(&rest);
		cls = field(&rest);
		if (!id || !want || !cls) {
			printf("Bail out! a row of %s lacks a column: %s\n", path, line);
			exit(99);
		}
		run_case(id, want, cls, rest);
	}
	free(line);
	fclose(f);
	if (n_tests == before)
		result(false, path, "no cases in this file");
}

int main(int argc, char **argv)
{
	static const char *const files[] = {"dangerous",     "harmless", "dangerous-more",
					    "harmless-more", "ordinary", "rules"};
	const char *top = getenv("TOP_SRCDIR");
	char path[4096];

	for (int i = 1; i < argc; i++)
		run_file(argv[i]);
	for (size_t i = 0; i < ARRAY_LEN(files) && argc < 2; i++) {
		(void)snprintf(path, sizeof(path), "%s/tests/cases/gate-%s.cases", top ? top : ".",
			       files[i]);
		run_file(path);
	}
	printf("1..%u\n", n_tests);
	return n_bad != 0;
}
