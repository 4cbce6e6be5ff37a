/* SPDX-License-Identifier: MIT */
/*
 * Differential test against bash (file 40, section 12.16): for random programs of the supported
 * grammar the argument vectors that the parser finds are those that bash executes. Commands are
 * c0..c9, which bash runs as recording functions, and d0..d9, which stand where control doesn't
 * come. Every 8th may fork (pipes, subshells, substitutions). Some more run with stub executables
 * on PATH. Each program runs in an empty folder with an empty environment; PATH holds the stubs
 * alone.
 *
 * GATE_BASH_PROGRAMS (20000 where AGENTTEAMS_MUST_RUN says so), GATE_BASH_SEED (the clock) and
 * GATE_BASH_KEEP may be set.
 */
#include "base/base.h"

#include "bash_gen.h"
#include "gate/decide.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { BATCH = 500, STUBBED = 64, PROGRAM_BYTES = 16384, LINE = 0x1d, RECORD = 0x1e, UNIT = 0x1f };

struct set {
	char **v;
	size_t n, cap;
};

static void set_add(struct set *s, const char *text, size_t n)
{
	for (size_t i = 0; i < s->n; i++)
		if (strlen(s->v[i]) == n && memcmp(s->v[i], text, n) == 0)
			return;
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 16;
		s->v = realloc(s->v, s->cap * sizeof(*s->v));
		if (!s->v)
			abort();
	}
	s->v[s->n] = malloc(n + 1);
	if (!s->v[s->n])
		abort();
	memcpy(s->v[s->n], text, n);
	s->v[s->n++][n] = 0;
}

static void set_clear(struct set *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	s->n = 0;
}

/* A pattern's byte that matched no file stays itself in bash; the parser has GLOB there. */
static bool same(const char *x, const char *y)
{
	for (; *x && *y; x++, y++)
		if (*x != *y && !(*x == GLOB && strchr("*?[", *y)) &&
		    !(*y == GLOB && strchr("*?[", *x)))
			return false;
	return *x == *y;
}

static bool set_has(const struct set *s, const char *text)
{
	for (size_t i = 0; i < s->n; i++)
		if (same(s->v[i], text))
			return true;
	return false;
}

/* What the parser finds: "name US arg US ..." of every simple command whose name is ours. */
struct found {
	struct set live, dead;
};

static void on_site(void *arg, const struct fields *argv, struct span span)
{
	struct found *f = arg;
	char text[PROGRAM_BYTES * 2];
	size_t n = 0;
	struct view name = argv->v[0].v;

	(void)span;
	if (name.len != 2 || (name.ptr[0] != 'c' && name.ptr[0] != 'd') || name.ptr[1] < '0' ||
	    name.ptr[1] > '9')
		return;
	for (uint32_t i = 0; i < argv->n; i++) {
		struct view v = argv->v[i].v;

		for (size_t k = 0; k < v.len && n + 8 < sizeof(text); k++) {
			if (v.ptr[k] == ANY) {
				memcpy(text + n, "<?>", 3);
				n += 3;
			} else {
				text[n++] = v.ptr[k]; /* GLOB stands for *, ? or [, see same() */
			}
		}
		text[n++] = UNIT;
	}
	set_add(name.ptr[0] == 'c' ? &f->live : &f->dead, text, n);
}

/* One write for a record, so that the stages of a pipeline don't mix: bash's printf writes at every
 * line feed, so there may be none. */
static const char prelude[] = "rec() { local s; printf -v s '%s\\037' \"$@\"; "
			      "printf '%s\\036' \"${s//$'\\n'/$'\\035'}\" >&9; }\n";

static void write_file(const char *path, const char *text, size_t n, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n || close(fd) != 0) {
		printf("Bail out! can't write %s\n", path);
		exit(99);
	}
}

/* Runs one script under bash with the record on descriptor 9; the record comes back whole. */
static char *run_bash(const char *bash, const char *dir, const char *script, size_t *ret_n)
{
	char record[256], path[256];
	int status, fd;
	struct stat st;
	char *text;
	pid_t pid;

	(void)snprintf(record, sizeof(record), "%s/record", dir);
	(void)snprintf(path, sizeof(path), "%s/bin", dir);
	pid = fork();
	if (pid == 0) {
		char home[] = "HOME=/home/dev", p[300], lc[] = "LC_ALL=C.UTF-8";
		char *env[] = {home, p, lc, NULL};
		char work[256];
		int null = open("/dev/null", O_RDWR), out;

		(void)snprintf(p, sizeof(p), "PATH=%s", path);
		(void)snprintf(work, sizeof(work), "%s/work", dir);
		out = open(record, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
		if (out < 0 || null < 0 || chdir(work) != 0)
			_exit(98);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		dup2(out, 9);
		execle(bash, "bash", "--norc", "--noprofile", script, (char *)NULL, env);
		_exit(97);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		printf("Bail out! can't run bash\n");
		exit(99);
	}
	fd = open(record, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		exit(99);
	text = malloc((size_t)st.st_size + 1);
	if (!text || read(fd, text, (size_t)st.st_size) != st.st_size)
		exit(99);
	close(fd);
	text[st.st_size] = 0;
	for (char *at = text; (at = memchr(at, LINE, (size_t)(text + st.st_size - at)));)
		*at = '\n';
	*ret_n = (size_t)st.st_size;
	return text;
}

static void show(const char *what, const char *text)
{
	printf("#   %s: ", what);
	for (; *text; text++) {
		if (*text == UNIT)
			printf("|");
		else if (*text == '\n')
			printf("\\n");
		else
			putchar(*text);
	}
	printf("\n");
}

/* "[`c1": a substitution in what may be a subscript is looked into where the value is assigned,
 * since any arithmetic on it later would run it. More than bash runs here, on purpose. */
static bool in_subscript(const char *program, const char *record)
{
	size_t n = strcspn(record, (char[]){UNIT, '\n', 0});

	for (const char *at = program; n && (at = strchr(at, record[0])); at++) {
		if (strncmp(at, record, n) != 0 || at - program < 2 ||
		    !(at[-1] == '`' || (at[-2] == '$' && at[-1] == '(')))
			continue;
		for (const char *back = at; back > program && *back != '\n'; back--)
			if (*back == '[')
				return true;
	}
	return false;
}

static unsigned compare(const char *program, unsigned id, const struct set *ran)
{
	struct gate_context ctx = {
		.home = VIEW("/home/dev"), .cwd = VIEW("/w"), .project = VIEW("/w")};
	struct found f = {{0}, {0}};
	struct arena a;
	struct answer answer;
	unsigned bad = 0;

	arena_init(&a, (size_t)64 << 20);
	decide_command(&a, &ctx, view_of(program), on_site, &f, &answer);
	if (answer.script && answer.script->error) {
		printf("#   parser: %s at %u\n", answer.script->error_why,
		       answer.script->error_off);
		bad++;
	}
	for (size_t i = 0; i < ran->n; i++)
		if (!set_has(&f.live, ran->v[i])) {
			show("only bash ran", ran->v[i]);
			bad++;
		}
	for (size_t i = 0; i < f.live.n; i++)
		if (!set_has(ran, f.live.v[i]) && !in_subscript(program, f.live.v[i])) {
			show("only the parser found", f.live.v[i]);
			bad++;
		}
	if (bad)
		printf("# program %u:\n%s\n# end of program\n", id, program);
	arena_release(&a);
	set_clear(&f.live);
	set_clear(&f.dead);
	free(f.live.v);
	free(f.dead.v);
	return bad;
}

static void append(char **text, size_t *n, const char *s)
{
	size_t m = strlen(s);

	*text = realloc(*text, *n + m + 1);
	if (!*text)
		abort();
	memcpy(*text + *n, s, m + 1);
	*n += m;
}

static unsigned batch(const char *bash, const char *dir, uint64_t seed, unsigned from,
		      unsigned count, bool stubs)
{
	static char programs[BATCH][PROGRAM_BYTES];
	char *script = NULL, *record, *at, line[256], file[256];
	size_t n = 0, size = 0;
	unsigned bad = 0;
	struct set ran[BATCH];

	memset(ran, 0, sizeof(ran));
	append(&script, &n, prelude);
	for (int k = 0; k < 10 && !stubs; k++) {
		(void)snprintf(line, sizeof(line),
			       "c%d() { rec c%d \"$@\"; }\nd%d() { rec d%d \"$@\"; }\n", k, k, k,
			       k);
		append(&script, &n, line);
	}
	for (unsigned i = 0; i < count; i++) {
		size_t len = gen_program(seed, from + i, programs[i], PROGRAM_BYTES);

		(void)snprintf(file, sizeof(file), "%s/p%u", dir, i);
		write_file(file, programs[i], len, 0600);
		(void)snprintf(line, sizeof(line), "printf 'P%u\\036' >&9\nset --\n. %s/p%u\n", i,
			       dir, i);
		append(&script, &n, line);
	}
	(void)snprintf(file, sizeof(file), "%s/script", dir);
	write_file(file, script, n, 0600);
	free(script);
	record = run_bash(bash, dir, file, &size);
	at = record;
	for (unsigned now = 0; at < record + size;) {
		char *end = memchr(at, RECORD, (size_t)(record + size - at));

		if (!end)
			break;
		if (*at == 'P')
			now = (unsigned)strtoul(at + 1, NULL, 10);
		else if (now < count)
			set_add(&ran[now], at, (size_t)(end - at));
		at = end + 1;
	}
	free(record);
	for (unsigned i = 0; i < count; i++) {
		if (bad < 5)
			bad += compare(programs[i], from + i, &ran[i]);
		set_clear(&ran[i]);
		free(ran[i].v);
	}
	return bad;
}

static void make_stubs(const char *dir, const char *stub)
{
	char path[300];

	for (int k = 0; k < 10; k++) {
		(void)snprintf(path, sizeof(path), "%s/bin/c%d", dir, k);
		if (link(stub, path) != 0 && symlink(stub, path) != 0)
			exit(99);
		(void)snprintf(path, sizeof(path), "%s/bin/d%d", dir, k);
		if (symlink(stub, path) != 0)
			exit(99);
	}
}

static void remove_tree(const char *dir)
{
	static const char *const files[] = {"record", "script"};
	char path[300];

	for (int k = 0; k < 10; k++) {
		(void)snprintf(path, sizeof(path), "%s/bin/c%d", dir, k);
		(void)unlink(path);
		(void)snprintf(path, sizeof(path), "%s/bin/d%d", dir, k);
		(void)unlink(path);
	}
	for (unsigned i = 0; i < BATCH; i++) {
		(void)snprintf(path, sizeof(path), "%s/p%u", dir, i);
		(void)unlink(path);
	}
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		(void)unlink(path);
	}
	(void)snprintf(path, sizeof(path), "%s/work", dir);
	(void)rmdir(path);
	(void)snprintf(path, sizeof(path), "%s/bin", dir);
	(void)rmdir(path);
	(void)rmdir(dir);
}

static bool must_run(void)
{
	const char *m = getenv("AGENTTEAMS_MUST_RUN");

	return m && (strstr(m, "all") || strstr(m, "bash"));
}

/* On build machines all of them; elsewhere enough to notice; instrumented code is slow. */
static unsigned default_count(void)
{
#ifdef SANITIZED
	return 2000;
#else
	return must_run() ? 20000 : 3000;
#endif
}

int main(int argc, char **argv)
{
	const char *bash = access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/usr/bin/bash";
	const char *count_text = getenv("GATE_BASH_PROGRAMS"),
		   *seed_text = getenv("GATE_BASH_SEED");
	unsigned count = count_text ? (unsigned)strtoul(count_text, NULL, 10) : default_count(),
		 bad = 0, done = 0, stubbed = 0;
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : (uint64_t)time(NULL);
	const char *tmp = getenv("TMPDIR");
	char dir[200], path[300], stub[4096];
	struct stat st;

	if (access(bash, X_OK) != 0) {
		printf(must_run() ? "1..1\nnot ok 1 - must run here, but: no bash\n"
				  : "1..0 # SKIP no bash\n");
		return must_run();
	}
	(void)snprintf(stub, sizeof(stub), "%s/tests/tools/gate_stub",
		       getenv("TOP_BUILDDIR") ? getenv("TOP_BUILDDIR") : ".");
	if (argc > 1)
		(void)snprintf(stub, sizeof(stub), "%s", argv[1]);
	(void)snprintf(dir, sizeof(dir), "%.160s/gate-bash.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return 99;
	(void)snprintf(path, sizeof(path), "%s/work", dir);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof(path), "%s/bin", dir);
	(void)mkdir(path, 0700);
	printf("1..2\n# seed %llu\n", (unsigned long long)seed);
	while (done < count && bad < 5) {
		unsigned n = count - done < BATCH ? count - done : BATCH;

		bad += batch(bash, dir, seed, done, n, false);
		done += n;
	}
	printf("%s 1 - %u random programs: bash runs the argument vectors that the parser finds\n",
	       bad ? "not ok" : "ok", done);
	if (stat(stub, &st) == 0) {
		unsigned sbad = 0;

		make_stubs(dir, stub);
		while (stubbed < count / STUBBED && sbad < 5) {
			unsigned n = count / STUBBED - stubbed < BATCH ? count / STUBBED - stubbed
								       : BATCH;

			sbad += batch(bash, dir, seed + 1, stubbed, n, true);
			stubbed += n;
		}
		printf("%s 2 - %u more with stub programs on PATH\n", sbad ? "not ok" : "ok",
		       stubbed);
		bad += sbad;
	} else {
		printf("not ok 2 - no stub program at %s\n", stub);
		bad++;
	}
	if (!getenv("GATE_BASH_KEEP"))
		remove_tree(dir);
	return bad != 0;
}
