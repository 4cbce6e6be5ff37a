/* SPDX-License-Identifier: MIT */
/* The launcher's tables as stable text: a change of a rule shows as a change of the golden file.
 * Pure. */
#include "base/base.h"
#include "policy/launch.h"

struct out {
	policy_sink sink;
	void *arg;
};

static void put(const struct out *o, const char *s)
{
	o->sink(o->arg, s, strlen(s));
}

static void put_row(const struct out *o, const char *const *cells, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			put(o, " | ");
		put(o, cells[i]);
	}
	put(o, "\n");
}

static void put_number(const struct out *o, uint64_t n)
{
	char digits[24];
	size_t at = sizeof(digits);

	digits[--at] = '\0';
	do
		digits[--at] = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	put(o, digits + at);
}

static void dump_paths(const struct out *o)
{
	static const char *const mask_names[] = {"", "base", "extended"};
	static const char *const guard_names[] = {"",	  "dir",    "place",   "prompt",
						  "team", "roster", "present", "editor"};
	static const char *const level_names[] = {"", "hooks", "config"};
	size_t n;
	const struct mask_row *m = launch_masks(&n);

	put(o, "launch masks\n");
	for (size_t i = 0; i < n; i++)
		put_row(o, (const char *[]){m[i].id, mask_names[m[i].set], m[i].path, m[i].reason},
			4);

	const struct guard_row *g = launch_guards(&n);

	put(o, "launch guards\n");
	for (size_t i = 0; i < n; i++)
		put_row(o,
			(const char *[]){g[i].id, guard_names[g[i].kind],
					 launch_team(g[i].team)->name, g[i].path, g[i].reason},
			5);

	const struct git_row *r = launch_git(&n);

	put(o, "launch git\n");
	for (size_t i = 0; i < n; i++)
		put_row(o,
			(const char *[]){r[i].id, level_names[r[i].level], r[i].path, r[i].reason},
			4);

	const struct run_row *run = launch_run_paths(&n);

	put(o, "launch run\n");
	for (size_t i = 0; i < n; i++)
		put_row(o,
			(const char *[]){run[i].id, run[i].host_only ? "host" : "always",
					 run[i].path, run[i].reason},
			4);
}

static void dump_calls(const struct out *o)
{
	static const char *const use_names[] = {"", "deny", "debug", "allow"};
	static const char *const action_names[] = {"", "EPERM", "ENOSYS", "ALLOW"};
	static const char *const when_names[] = {"", "always", "no-unix", "exec-list"};
	static const char *const cmp_names[] = {"", "masked-eq", "not-0-nor-all", "always"};
	size_t n;
	const struct sys_set *s = launch_sys_sets(&n);

	put(o, "launch system calls\n");
	for (size_t i = 0; i < n; i++)
		put_row(o,
			(const char *[]){s[i].id, use_names[s[i].use], action_names[s[i].action],
					 s[i].name, s[i].calls, s[i].reason},
			6);

	const struct arg_rule *a = launch_arg_rules(&n);

	put(o, "launch arguments\n");
	for (size_t i = 0; i < n; i++) {
		put_row(o,
			(const char *[]){a[i].id, when_names[a[i].when], a[i].call,
					 cmp_names[a[i].cmp], a[i].reason},
			5);
		put(o, "  arg ");
		put_number(o, a[i].arg);
		put(o, " mask ");
		put_number(o, a[i].mask);
		put(o, " value ");
		put_number(o, a[i].value);
		put(o, " errno ");
		put_number(o, (uint64_t)a[i].err);
		put(o, "\n");
	}
	put(o, "launch socket families\n");
	for (size_t i = 0; i < launch_socket_families_count(); i++) {
		put_number(o, (uint64_t)launch_socket_families[i]);
		put(o, "\n");
	}
}

static void dump_rest(const struct out *o)
{
	put(o, "launch environment\n");
	for (size_t i = 0; launch_env_default[i]; i++)
		put_row(o, &launch_env_default[i], 1);
	put(o, "launch shells\n");
	for (size_t i = 0; launch_env_shells[i]; i++)
		put_row(o, &launch_env_shells[i], 1);
	put(o, "launch presets\n");
	for (enum launch_preset p = PRESET_AGENT; p <= PRESET_COMMAND; p++) {
		static const char *const egress[] = {"", "deny", "proxy", "host"};
		static const char *const home[] = {"", "ro", "private"};
		static const char *const sockets[] = {"", "none", "private", "host"};
		static const char *const git[] = {"", "on", "hooks", "off"};
		const struct preset_row *r = launch_preset(p);

		put_row(o,
			(const char *[]){r->id, r->name, egress[r->egress], home[r->home],
					 sockets[r->sockets], git[r->git],
					 r->allow_list ? "allow-list" : "deny-list",
					 r->relay ? "relay" : "no-relay"},
			8);
	}
}

void launch_dump_text(policy_sink sink, void *arg)
{
	struct out o = {sink, arg};

	dump_paths(&o);
	dump_calls(&o);
	dump_rest(&o);
}
