/* SPDX-License-Identifier: MIT */
/*
 * confine-run selftest: the escape battery on the user's own host. Two equal trees are made below
 * /var/tmp; each act is first tried outside, in one of them, where it has to work (the positive
 * control), then inside, on the other, where it has to fail. Status 0 only if every act that this
 * host offers was refused. System.
 */
#include "base/base.h"
#include "launcher/main_modes.h"

#include "launcher/acts.h"
#include "launcher/selftest_world.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

enum { MAX_WORDS = 24, ROW_MS = 10000 };

enum row_kind {
	ROW_ACT = 1, /* worked outside, must fail inside */
	ROW_LATER,   /* worked if %t/late exists a second later */
};

struct row {
	const char *says;
	const char *const *options; /* more options for confine-run, NULL-ended; NULL: none */
	const char *act[4]; /* "%t": the tree; "%u", "%a", "%p", "%i": see selftest_world.h */
	enum row_kind kind;
};

static const char *const command[] = {"--preset", "command", NULL};
static const char *const few[] = {"--nproc-max", "20", NULL};
static const char *const small[] = {"--tmp-size", "8", NULL};
static const char *const list[] = {"--preset", "command", "--exec-allow", "%t/project/probe", NULL};

static const struct row rows[] = {
	{"write a file outside the project", NULL, {"create", "%t/outside/new"}, ROW_ACT},
	{"change a file outside the project", NULL, {"open-write", "%t/outside/victim"}, ROW_ACT},
	{"delete a file outside the project", NULL, {"unlink", "%t/outside/gone"}, ROW_ACT},
	{"read a private key", NULL, {"read", "%t/home/.ssh/id"}, ROW_ACT},
	{"read the operator's key", NULL, {"read", "%t/home/.config/agentteams/keys/k"}, ROW_ACT},
	{"read a token in the home folder", NULL, {"read", "%t/home/.netrc"}, ROW_ACT},
	{"read the home folder (command)", command, {"read", "%t/home/notes"}, ROW_ACT},
	{"change agent settings",
	 NULL,
	 {"open-write", "%t/project/.claude/settings.json"},
	 ROW_ACT},
	{"plant an agent hook", NULL, {"create", "%t/project/.claude/hooks"}, ROW_ACT},
	{"change the git configuration (command)",
	 command,
	 {"open-write", "%t/project/.git/config"},
	 ROW_ACT},
	{"rename the settings folder away",
	 NULL,
	 {"rename", "%t/project/.claude", "%t/project/c2"},
	 ROW_ACT},
	{"plant a git hook", NULL, {"create", "%t/project/.git/hooks/pre-commit"}, ROW_ACT},
	{"rename the git folder away",
	 NULL,
	 {"rename", "%t/project/.git", "%t/project/g2"},
	 ROW_ACT},
	{"reach a unix socket on a path", NULL, {"connect-unix", "%t/outside/sock"}, ROW_ACT},
	{"reach an abstract unix socket", NULL, {"connect-abstract", "%a"}, ROW_ACT},
	{"reach a TCP port of the host", NULL, {"connect-tcp", "127.0.0.1", "%p"}, ROW_ACT},
	{"open an AF_VSOCK socket", NULL, {"socket", "40", "1", "0"}, ROW_ACT},
	{"open an AF_ALG socket", NULL, {"socket", "38", "5", "0"}, ROW_ACT},
	{"open a packet netlink socket", NULL, {"socket", "16", "3", "9"}, ROW_ACT},
	{"find a key of the caller's keyring", NULL, {"keyring", "confine-selftest"}, ROW_ACT},
	{"make a user namespace", NULL, {"userns"}, ROW_ACT},
	{"make a user namespace with clone", NULL, {"clone-userns"}, ROW_ACT},
	{"mount something", NULL, {"mount", "%t/project/m"}, ROW_ACT},
	{"trace a process", NULL, {"ptrace"}, ROW_ACT},
	{"use io_uring", NULL, {"io-uring"}, ROW_ACT},
	{"use userfaultfd", NULL, {"userfaultfd"}, ROW_ACT},
	{"get a file handle", NULL, {"handle", "/"}, ROW_ACT},
	{"call through the 32-bit table", NULL, {"int80"}, ROW_ACT},
	{"switch address randomisation off", NULL, {"personality"}, ROW_ACT},
	{"type into a terminal", NULL, {"tiocsti"}, ROW_ACT},
	{"type into a terminal, upper bits set", NULL, {"tiocsti-high"}, ROW_ACT},
	{"signal a process outside", NULL, {"signal", "%i"}, ROW_ACT},
	{"write to an inherited descriptor", NULL, {"fd-write", "%f"}, ROW_ACT},
	{"write below an inherited folder", NULL, {"fd-create", "%d", "planted"}, ROW_ACT},
	{"start 40 processes with a limit of 20", few, {"forks", "40"}, ROW_ACT},
	{"fill /tmp past its size", small, {"fill", "/tmp/confine-selftest-fill", "16"}, ROW_ACT},
	{"run a program that isn't on the list", list, {"exec", "/bin/true"}, ROW_ACT},
	{"run a program from a memory file", list, {"memfd-exec", "/bin/true"}, ROW_ACT},
	{"keep running after the command", NULL, {"linger", "%t/project/late"}, ROW_LATER},
};

static int add_word(struct strings *v, const char *word, const char *tree, const struct world *w)
{
	char text[8192];
	struct errctx e = {0};

	if (word[0] == '%' && word[1] == 't')
		(void)snprintf(text, sizeof(text), "%s%s", tree, word + 2);
	else if (strcmp(word, "%a") == 0)
		(void)snprintf(text, sizeof(text), "%s", w->abstract_name);
	else if (word[0] == '%')
		(void)snprintf(text, sizeof(text), "%d",
			       word[1] == 'p'	? w->port
			       : word[1] == 'i' ? (int)getpid()
			       : word[1] == 'f' ? WORLD_FILE_FD
						: WORLD_DIR_FD);
	else
		(void)snprintf(text, sizeof(text), "%s", word);
	return strings_add(v, text, &e);
}

/* Runs words; 0 to 255 and signals as a shell counts, negative when it couldn't be started. */
static int run(const struct world *w, const struct strings *words, const char *tree,
	       struct errctx *e)
{
	char home[4300], cwd[4300];
	char *const envp[] = {home, (char[]){"PATH=/usr/bin:/bin"}, NULL};
	auto_fd int cwd_fd = -1;
	const struct proc_fd fds[] = {{1, w->null_fd},
				      {2, w->log_fd},
				      {WORLD_FILE_FD, w->file_fd},
				      {WORLD_DIR_FD, w->dir_fd}};
	struct proc_spec spec = {.path = words->v[0],
				 .exec_fd = -1,
				 .argv = words->v,
				 .envp = envp,
				 .fds = fds,
				 .n_fds = ARRAY_LEN(fds),
				 .new_group = true};
	struct proc p;
	int status = 0, r;

	(void)snprintf(home, sizeof(home), "HOME=%s/home", tree);
	(void)snprintf(cwd, sizeof(cwd), "%s/project", tree);
	cwd_fd = open(cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	spec.cwd_fd = cwd_fd;
	r = proc_spawn(&spec, &p, e);
	if (r == 0)
		r = proc_wait(&p, ROW_MS, &status, e);
	if (r == E_TIMEOUT) {
		proc_kill(&p, SIGKILL, false);
		return proc_wait(&p, -1, &status, e) < 0 ? E_SYS : E_TIMEOUT;
	}
	return r < 0 ? r : proc_exit_code(status);
}

static int build(const struct row *row, bool inside, const struct world *w, struct strings *words)
{
	const char *tree = inside ? w->inside : w->outside;
	char probe[4300];
	struct errctx e = {0};
	int r = 0;

	(void)snprintf(probe, sizeof(probe), "%s/project/probe", tree);
	if (inside) {
		r = strings_add(words, w->self, &e);
		if (r == 0)
			r = strings_add(words, "--quiet", &e);
		for (size_t i = 0; r == 0 && row->options && row->options[i]; i++)
			r = add_word(words, row->options[i], tree, w);
		if (r == 0)
			r = strings_add(words, "--", &e);
	}
	if (r == 0)
		r = strings_add(words, probe, &e);
	if (r == 0)
		r = strings_add(words, ACT_MODE, &e);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(row->act) && row->act[i]; i++)
		r = add_word(words, row->act[i], tree, w);
	if (r == 0) { /* execve wants an end mark */
		char **v = reallocarray(words->v, words->n + 1, sizeof(*v));

		if (!v)
			return E_NOMEM;
		words->v = v;
		words->cap = words->n + 1;
		words->v[words->n] = NULL;
	}
	return r;
}

static bool exists_later(const char *tree)
{
	char path[4300];

	(void)snprintf(path, sizeof(path), "%s/project/late", tree);
	(void)usleep(900000);
	return access(path, F_OK) == 0;
}

enum verdict_of_row { HELD = 1, BROKEN, UNTESTED };

static enum verdict_of_row try_row(const struct row *row, const struct world *w, char *why,
				   size_t size)
{
	struct strings outside = {0}, inside = {0};
	struct errctx e = {0};
	int control = E_NOMEM, boundary = E_NOMEM;

	if (build(row, false, w, &outside) == 0 && build(row, true, w, &inside) == 0) {
		control = run(w, &outside, w->outside, &e);
		boundary = run(w, &inside, w->inside, &e);
	}
	strings_release(&outside);
	strings_release(&inside);
	if (row->kind == ROW_LATER) {
		if (control == ACT_DONE && !exists_later(w->outside))
			control = ACT_REFUSED;
		if (boundary == ACT_DONE && !exists_later(w->inside))
			boundary = ACT_REFUSED;
	}
	if (boundary == ACT_DONE) {
		(void)snprintf(why, size, "it worked inside");
		return BROKEN;
	}
	/* Only a clear refusal counts, or death by the filter; a launcher that couldn't start
	 * proves nothing. */
	if (boundary != ACT_REFUSED && boundary != 128 + SIGSYS && boundary != 128 + SIGSEGV) {
		(void)snprintf(why, size, "no answer from inside (status %d)%s%s", boundary,
			       e.text[0] ? ": " : "", e.text);
		return BROKEN;
	}
	if (control != ACT_DONE) {
		(void)snprintf(why, size, "this host doesn't allow it outside either");
		return UNTESTED;
	}
	return HELD;
}

static const char *const words[] = {"", "refused", "BROKEN", "untested"};

static void print_row(const struct row *row, enum verdict_of_row v, const char *why)
{
	(void)printf("%-9s %s%s%s%s\n", words[v], row->says, *why ? " (" : "", why,
		     *why ? ")" : "");
	(void)fflush(stdout); /* a line as soon as it is known */
}

static void add_row(struct jsonw *w, const struct row *row, enum verdict_of_row v, const char *why)
{
	jsonw_obj(w);
	jsonw_kv_cstr(w, "act", row->says);
	jsonw_kv_cstr(w, "result", words[v]);
	jsonw_kv_cstr(w, "why", why);
	jsonw_obj_end(w);
}

struct tally {
	size_t held, broken, untested;
};

static int print_end(bool json, struct jsonw *j, const struct tally *t, int64_t ms)
{
	if (!json) {
		(void)printf(
			"\n%zu refused (each works outside), %zu broken, %zu untested, %lld ms\n",
			t->held, t->broken, t->untested, (long long)ms);
		return fflush(stdout);
	}
	jsonw_arr_end(j);
	jsonw_kv_int(j, "refused", (int64_t)t->held);
	jsonw_kv_int(j, "broken", (int64_t)t->broken);
	jsonw_kv_int(j, "untested", (int64_t)t->untested);
	jsonw_obj_end(j);
	(void)buf_putc(j->out, '\n');
	return buf_error(j->out) ? E_INTERNAL
				 : io_write_all(STDOUT_FILENO, j->out->data, j->out->len);
}

int main_selftest(bool json)
{
	auto_buf struct buf out;
	struct world w;
	struct jsonw j;
	struct errctx e = {0};
	struct tally t = {0};
	int64_t start = clock_mono_ms();

	buf_init(&out, MAX_STATE_FILE_BYTES);
	jsonw_init(&j, &out, JSONW_COMPACT);
	if (world_make(&w, &e) < 0) {
		(void)fprintf(stderr, "confine-run: error: selftest: %s\n", e.text);
		world_remove(&w);
		return 125;
	}
	jsonw_obj(&j);
	jsonw_key(&j, "acts");
	jsonw_arr(&j);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].options == few && geteuid() == 0)
			continue; /* the kernel doesn't count processes of uid 0: refused before the
				     start */

		char why[512] = "";
		enum verdict_of_row v = try_row(&rows[i], &w, why, sizeof(why));

		t.held += v == HELD;
		t.broken += v == BROKEN;
		t.untested += v == UNTESTED;
		if (json)
			add_row(&j, &rows[i], v, why);
		else
			print_row(&rows[i], v, why);
	}
	world_remove(&w);
	if (print_end(json, &j, &t, clock_mono_ms() - start) != 0)
		return main_unwritten();
	/* A battery in which hardly anything could be tried proves nothing. */
	return t.broken == 0 && t.held > 2 * t.untested ? 0 : 1;
}
