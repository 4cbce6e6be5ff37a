/* SPDX-License-Identifier: MIT */
/*
 * The command line of confine-run, option by option. Pure (allocates).
 * Covered by tests/unit/launcher/t_options.c.
 */
#include "base/base.h"
#include "launcher/options.h"
#include "launcher/options_table.h"

#include "base/limits.h"

static const char *const egress_words[] = {"deny", "proxy", "host", NULL};
static const char *const home_words[] = {"ro", "private", NULL};
static const char *const socket_words[] = {"none", "private", "host", NULL};
static const char *const git_words[] = {"on", "hooks", "off", NULL};

const char *option_word_egress(enum launch_egress v)
{
	return egress_words[v - 1];
}
const char *option_word_home(enum launch_home v)
{
	return home_words[v - 1];
}
const char *option_word_sockets(enum launch_sockets v)
{
	return socket_words[v - 1];
}
const char *option_word_git(enum launch_git_protect v)
{
	return git_words[v - 1];
}

static int words_add(struct words *w, const char *word, struct errctx *e)
{
	if (w->n >= MAX_LAUNCH_PATHS)
		return err_set(e, E_USAGE, "more than %d values for one option", MAX_LAUNCH_PATHS);
	if (w->n == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 8;
		const char **v = reallocarray(w->v, cap, sizeof(*v));

		if (!v)
			return err_set(e, E_NOMEM, "no memory");
		w->v = v;
		w->cap = cap;
	}
	w->v[w->n++] = word;
	return 0;
}

static int path_add(struct words *w, const char *option, const char *word, struct errctx *e)
{
	if (!*word)
		return 0; /* compat: an empty value is ignored */
	if (strlen(word) > MAX_PATH_BYTES)
		return err_set(e, E_USAGE, "%s: the path is longer than %d bytes", option,
			       MAX_PATH_BYTES);
	return words_add(w, word, e);
}

/* 1-based position of word in list, or E_USAGE. */
static int choose(const char *option, const char *word, const char *const *list, struct errctx *e)
{
	for (int i = 0; list[i]; i++)
		if (strcmp(word, list[i]) == 0)
			return i + 1;
	return err_set(e, E_USAGE, "%s: unknown value \"%s\"", option, word);
}

static int switch_value(const char *option, const char *word, const char *on, bool *ret,
			struct errctx *e)
{
	if (strcmp(word, on) == 0)
		*ret = true;
	else if (strcmp(word, "off") == 0)
		*ret = false;
	else
		return err_set(e, E_USAGE, "%s: \"%s\" or \"off\", not \"%s\"", option, on, word);
	return 0;
}

/* Decimal digits only, from 1: "00" is zero and refused (file 10, item 19.9). */
static int number(const char *option, const char *word, uint64_t max, uint64_t *ret,
		  struct errctx *e)
{
	uint64_t n = 0;

	for (const char *p = word; *p; p++) {
		if (*p < '0' || *p > '9' || n > max)
			n = max + 1;
		else
			n = n * 10 + (uint64_t)(*p - '0');
		if (n > max)
			break;
	}
	if (n == 0 || n > max)
		return err_set(e, E_USAGE, "%s: a whole number from 1 to %llu, not \"%s\"", option,
			       (unsigned long long)max, word);
	*ret = n;
	return 0;
}

static int set_preset(struct options *o, const char *word, struct errctx *e)
{
	const struct preset_row *p = launch_preset_by_name(view_of(word));

	if (!p)
		return err_set(e, E_USAGE, "--preset: unknown value \"%s\"", word);
	o->preset = p->preset;
	return 0;
}

static int set_descriptor(const char *option, const char *word, int *ret, struct errctx *e)
{
	uint64_t n;

	if (strcmp(word, "0") == 0)
		return err_set(e, E_USAGE, "%s: descriptor 0 is standard input", option);
	if (number(option, word, 1000000, &n, e) < 0)
		return E_USAGE;
	*ret = (int)n;
	return 0;
}

static int set_setenv(struct options *o, const char *word, struct errctx *e)
{
	const char *eq = strchr(word, '=');

	if (!*word)
		return 0;
	if (!eq)
		return err_set(e, E_USAGE, "--setenv: no \"=\" in it");

	struct view name = {word, (size_t)(eq - word)};

	if (!launch_env_name_ok(name))
		return err_set(e, E_USAGE, "--setenv: \"%.*s\" is no name of a variable",
			       (int)name.len, name.ptr);
	return words_add(&o->setenv, word, e);
}

static int set_env_allow(struct options *o, const char *word, struct errctx *e)
{
	if (!launch_env_name_ok(view_of(word)))
		return err_set(e, E_USAGE, "--env-allow: \"%s\" is no name of a variable", word);
	return words_add(&o->env_allow, word, e);
}

static int set_one_path(const char *option, const char *word, const char **ret, struct errctx *e)
{
	if (!*word)
		return err_set(e, E_USAGE, "%s: empty path", option);
	if (strlen(word) > MAX_PATH_BYTES)
		return err_set(e, E_USAGE, "%s: the path is longer than %d bytes", option,
			       MAX_PATH_BYTES);
	*ret = word;
	return 0;
}

static int set_choice(struct options *o, enum opt k, const char *word, struct errctx *e)
{
	const char *name = option_table[k].name;
	static const char *const platforms[] = {"linux", "darwin", NULL};
	int c;

	switch ((int)k) {
	case OPT_EGRESS:
		c = choose(name, word, egress_words, e);
		o->egress = c > 0 ? (enum launch_egress)c : o->egress;
		o->egress_given = true;
		break;
	case OPT_HOME:
		c = choose(name, word, home_words, e);
		o->home = c > 0 ? (enum launch_home)c : o->home;
		break;
	case OPT_UNIX_SOCKETS:
		c = choose(name, word, socket_words, e);
		o->sockets = c > 0 ? (enum launch_sockets)c : o->sockets;
		break;
	case OPT_GIT_PROTECT:
		c = choose(name, word, git_words, e);
		o->git = c > 0 ? (enum launch_git_protect)c : o->git;
		break;
	case OPT_PLATFORM:
		c = choose(name, word, platforms, e);
		o->platform = c > 0 ? (enum platform)c : o->platform;
		break;
	default:
		c = E_INTERNAL;
	}
	return c < 0 ? c : 0;
}

static int set_number(struct options *o, enum opt k, const char *word, struct errctx *e)
{
	static const uint64_t max_seconds = 366ull * 24 * 3600, max_mib = 1ull << 40;
	const char *name = option_table[k].name;

	switch ((int)k) {
	case OPT_TIMEOUT:
		return number(name, word, max_seconds, &o->timeout_s, e);
	case OPT_KILL_GRACE:
		return number(name, word, 3600, &o->kill_grace_s, e);
	case OPT_TMP_SIZE:
		return number(name, word, max_mib, &o->tmp_size, e);
	case OPT_SHM_SIZE:
		return number(name, word, max_mib, &o->shm_size, e);
	case OPT_CPU_MAX:
		return number(name, word, max_seconds, &o->cpu_max, e);
	case OPT_NPROC_MAX:
		o->nproc_given = true;
		return number(name, word, 1u << 22, &o->nproc_max, e);
	case OPT_MEM_MAX:
		return number(name, word, max_mib, &o->mem_max, e);
	case OPT_PIDS_MAX:
		return number(name, word, 1u << 22, &o->pids_max, e);
	case OPT_FSIZE_MAX:
		return number(name, word, max_mib, &o->fsize_max, e);
	case OPT_NOFILE_MAX:
		return number(name, word, 1u << 30, &o->nofile_max, e);
	default:
		return E_INTERNAL;
	}
}

static int set_value(struct options *o, enum opt k, const char *word, struct errctx *e)
{
	const char *name = option_table[k].name;

	switch ((int)k) {
	case OPT_SCRATCH:
		return set_one_path(name, word, &o->scratch, e);
	case OPT_PRESET:
		return set_preset(o, word, e);
	case OPT_EGRESS_RULES:
		return set_one_path(name, word, &o->egress_rules, e);
	case OPT_PROXY:
		o->proxy = word;
		return 0;
	case OPT_NETNS:
		o->netns_given = true;
		return set_one_path(name, word, &o->netns, e);
	case OPT_EXCLUDE:
		return path_add(&o->exclude, name, word, e);
	case OPT_WRITABLE:
		return path_add(&o->writable, name, word, e);
	case OPT_COORD_ROOT:
		return path_add(&o->coord_root, name, word, e);
	case OPT_PROTECT:
		return path_add(&o->protect, name, word, e);
	case OPT_HOME_READ:
		return path_add(&o->home_read, name, word, e);
	case OPT_REVEAL:
		return path_add(&o->reveal, name, word, e);
	case OPT_EXEC_ALLOW:
		return path_add(&o->exec_allow, name, word, e);
	case OPT_CONFIRM:
		return path_add(&o->confirm, name, word, e);
	case OPT_SETENV:
		return set_setenv(o, word, e);
	case OPT_ENV_ALLOW:
		return set_env_allow(o, word, e);
	case OPT_PLACEHOLDERS:
		return switch_value(name, word, "on", &o->placeholders, e);
	case OPT_SECCOMP:
		return switch_value(name, word, "require", &o->seccomp, e);
	case OPT_LANDLOCK:
		return switch_value(name, word, "require", &o->landlock, e);
	case OPT_OVERLAY:
		return set_one_path(name, word, &o->overlay, e);
	case OPT_OVERLAY_UPPER:
		return set_one_path(name, word, &o->overlay_upper, e);
	case OPT_READ_ONLY:
		return set_one_path(name, word, &o->read_only, e);
	case OPT_REPORT_FD:
		return set_descriptor(name, word, &o->report_fd, e);
	case OPT_EGRESS:
	case OPT_HOME:
	case OPT_UNIX_SOCKETS:
	case OPT_GIT_PROTECT:
	case OPT_PLATFORM:
		return set_choice(o, k, word, e);
	default:
		return set_number(o, k, word, e);
	}
}

static void set_mode(struct options *o, enum run_mode m)
{
	/* Help wins over everything, the first other mode over later ones. */
	if (o->mode == MODE_RUN || m == MODE_HELP)
		o->mode = m;
}

static void set_flag(struct options *o, enum opt k)
{
	switch ((int)k) {
	case OPT_ENV_DANGEROUS:
		o->env_dangerous = true;
		break;
	case OPT_PROMPT:
		o->prompt_roots = true;
		break;
	case OPT_CHANGES:
		o->changes = CHANGES_TEXT;
		break;
	case OPT_EXPLAIN:
		o->explain = true;
		break;
	case OPT_ALLOW_DEBUG:
		o->allow_debug = true;
		break;
	case OPT_REQUIRE_UNPRIVILEGED:
		o->require_unprivileged = true;
		break;
	case OPT_CHECK:
		set_mode(o, MODE_CHECK);
		break;
	case OPT_PRINT_RULES:
		set_mode(o, MODE_RULES);
		break;
	case OPT_QUIET:
		o->quiet = true;
		break;
	case OPT_VERSION:
		set_mode(o, MODE_VERSION);
		break;
	case OPT_HELP:
		set_mode(o, MODE_HELP);
		break;
	default:
		break;
	}
}

static int find(const char *word)
{
	for (int k = 0; k < N_OPTS; k++)
		if (strcmp(word, option_table[k].name) == 0)
			return k;
	return strcmp(word, "-h") == 0 ? OPT_HELP : -1;
}

/* One stream of words: the command line, or what --args delivers. Returns how many were used. */
static int parse_words(struct options *o, size_t n, char *const *v, options_read_args read_args,
		       size_t *ret_used, struct errctx *e);

static int parse_args_fd(struct options *o, const char *word, options_read_args read_args,
			 struct errctx *e)
{
	size_t bytes = 0, n = 0, used = 0;

	if (!read_args || o->args_data)
		return err_set(e, E_USAGE, "--args: only once, and not inside --args");

	int r = read_args(word, &o->args_data, &bytes, e);

	if (r < 0)
		return r;
	if (bytes > 0 && o->args_data[bytes - 1] != '\0')
		return err_set(e, E_USAGE, "--args: the last word isn't ended by a NUL");
	for (size_t i = 0; i < bytes; i++)
		n += o->args_data[i] == '\0';

	auto_free char **v = calloc(n + 1, sizeof(*v));

	if (!v)
		return err_set(e, E_NOMEM, "no memory");
	n = 0;
	for (size_t i = 0; i < bytes; i += strlen(o->args_data + i) + 1)
		v[n++] = o->args_data + i;
	r = parse_words(o, n, v, NULL, &used, e);
	if (r < 0)
		return r;
	return used == n ? 0 : err_set(e, E_USAGE, "--args: may not hold the command");
}

static int parse_words(struct options *o, size_t n, char *const *v, options_read_args read_args,
		       size_t *ret_used, struct errctx *e)
{
	size_t i = 0;

	while (i < n) {
		const char *word = v[i];
		int r = 0, k;

		if (strcmp(word, "--") == 0)
			break;
		if (strcmp(word, "--check=json") == 0) {
			set_mode(o, MODE_CHECK_JSON);
			i++;
			continue;
		}
		if (strcmp(word, "--changes=json") == 0) {
			o->changes = CHANGES_JSON;
			i++;
			continue;
		}
		k = find(word);
		if (k < 0)
			return err_set(e, E_USAGE, "unknown argument \"%s\"", word);
		if (!option_table[k].value) {
			set_flag(o, (enum opt)k);
			i++;
			continue;
		}
		if (i + 1 >= n)
			return err_set(e, E_USAGE, "%s: needs a value", word);
		r = k == OPT_ARGS ? parse_args_fd(o, v[i + 1], read_args, e)
				  : set_value(o, (enum opt)k, v[i + 1], e);
		if (r < 0)
			return r;
		i += 2;
	}
	*ret_used = i;
	return 0;
}

static void set_defaults(struct options *o)
{
	*o = (struct options){
		.mode = MODE_RUN,
		.platform = PLATFORM_LINUX,
		.preset = PRESET_AGENT,
		.proxy = "127.0.0.1:8443",
		.tmp_size = 512,
		.shm_size = 128,
		.kill_grace_s = 5,
		.report_fd = -1,
		.placeholders = true,
		.seccomp = true,
		.landlock = true,
	};
#ifdef __APPLE__
	o->platform = PLATFORM_DARWIN;
#endif
}

/* What wasn't chosen comes from the preset, wherever --preset stood. */
static void apply_preset(struct options *o)
{
	const struct preset_row *p = launch_preset(o->preset);

	if (!o->egress)
		o->egress = p->egress;
	if (!o->home)
		o->home = p->home;
	if (!o->sockets)
		o->sockets = p->sockets;
	if (!o->git)
		o->git = p->git;
	if (!o->nproc_max)
		o->nproc_max = p->nproc_max;
	if (!o->nofile_max)
		o->nofile_max = p->nofile_max;
}

/* "preflight [--json]" and "selftest": verbs, since they confine nothing. */
static int parse_verb(struct options *o, int argc, char *const *argv, struct errctx *e)
{
	o->mode = strcmp(argv[1], "preflight") == 0 ? MODE_PREFLIGHT : MODE_SELFTEST;
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--json") != 0)
			return err_set(e, E_USAGE, "%s: unknown argument \"%s\"", argv[1], argv[i]);
		o->json = true;
	}
	return 0;
}

int options_parse(int argc, char *const *argv, options_read_args read_args, struct options *ret,
		  struct errctx *e)
{
	size_t n = argc > 0 ? (size_t)argc - 1 : 0, used = 0;
	int r;

	set_defaults(ret);
	if (argc > 1 && (strcmp(argv[1], "preflight") == 0 || strcmp(argv[1], "selftest") == 0)) {
		r = parse_verb(ret, argc, argv, e);
	} else {
		r = parse_words(ret, n, n ? argv + 1 : argv, read_args, &used, e);
		if (r == 0 && used + 1 < n)
			ret->command = argv + 1 + used + 1;
	}
	if (r < 0) {
		options_release(ret);
		return r;
	}
	if (ret->mode == MODE_RUN && ret->changes && !ret->command)
		ret->mode = MODE_CHANGES;
	apply_preset(ret);
	return 0;
}

void options_release(struct options *o)
{
	struct words *lists[] = {&o->exclude,	&o->writable,	&o->coord_root, &o->protect,
				 &o->home_read, &o->exec_allow, &o->reveal,	&o->setenv,
				 &o->env_allow, &o->confirm};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		free(lists[i]->v);
		*lists[i] = (struct words){0};
	}
	if (o->args_data)
		explicit_bzero(o->args_data, 1);
	free(o->args_data);
	o->args_data = NULL;
}
