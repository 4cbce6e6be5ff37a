/* SPDX-License-Identifier: MIT */
/*
 * Checks of the command line that need no file system, in the order of file 10, section 3. Pure.
 * Covered by tests/unit/launcher/t_options.c.
 */
#include "base/base.h"
#include "launcher/options.h"

int options_split_proxy(const char *text, struct view *ret_host, unsigned *ret_port)
{
	const char *colon, *host = text;
	size_t host_len;
	unsigned port = 0;

	if (*text == '[') { /* an IPv6 literal; the reference couldn't express one */
		const char *end = strchr(text, ']');

		if (!end || end[1] != ':')
			return E_SYNTAX;
		host = text + 1;
		host_len = (size_t)(end - host);
		colon = end + 1;
	} else {
		colon = strchr(text, ':');
		if (!colon)
			return E_SYNTAX;
		host_len = (size_t)(colon - text);
	}
	if (host_len == 0 || !colon[1])
		return E_SYNTAX;
	for (const char *p = colon + 1; *p; p++) {
		if (*p < '0' || *p > '9')
			return E_SYNTAX;
		port = port * 10 + (unsigned)(*p - '0');
		if (port > 65535)
			return E_RANGE;
	}
	if (port == 0)
		return E_RANGE;
	*ret_host = (struct view){host, host_len};
	*ret_port = port;
	return 0;
}

static int check_proxy(const struct options *o, struct errctx *e)
{
	struct view host;
	unsigned port;

	if (o->egress != EGRESS_PROXY)
		return 0;
	if (options_split_proxy(o->proxy, &host, &port) < 0)
		return err_set(e, E_USAGE,
			       "--proxy: ADDRESS:PORT with a port from 1 to 65535, not \"%s\"",
			       o->proxy);
	if (o->platform == PLATFORM_DARWIN) {
		if (!view_is(host, "127.0.0.1") && !view_is(host, "localhost"))
			return err_set(
				e, E_USAGE,
				"--proxy: macOS can only open a loopback address, not \"%s\"",
				o->proxy);
		return 0;
	}
	if (!o->egress_rules && !o->netns_given)
		return err_set(e, E_USAGE,
			       "--egress proxy: needs --egress-rules FILE (or --netns NAME for a "
			       "namespace that the operator made)");
	if (o->egress_rules && o->netns_given)
		return err_set(e, E_USAGE, "--egress-rules and --netns exclude each other");
	return 0;
}

static int check_env(const struct options *o, struct errctx *e)
{
	if (o->env_dangerous)
		return 0;
	for (size_t i = 0; i < o->env_allow.n; i++)
		if (launch_env_is_dangerous(view_of(o->env_allow.v[i])))
			return err_set(
				e, E_USAGE,
				"--env-allow: %s steers a loader, a runtime or a service of the "
				"host; add --env-allow-dangerous if you mean it",
				o->env_allow.v[i]);
	return 0;
}

static int check_modes(const struct options *o, struct errctx *e)
{
	if (o->platform == PLATFORM_DARWIN && o->overlay)
		return err_set(e, E_USAGE, "--overlay: only on Linux");
	if (o->platform == PLATFORM_DARWIN && o->read_only)
		return err_set(e, E_USAGE, "--read-only: only on Linux");
	if (o->overlay && o->read_only)
		return err_set(e, E_USAGE, "--overlay and --read-only exclude each other");
#ifdef __linux__
	if (o->platform == PLATFORM_DARWIN && o->mode == MODE_RUN)
		return err_set(e, E_USAGE, "--platform darwin: only together with --check here");
#endif
	if (o->overlay_upper && !o->overlay)
		return err_set(e, E_USAGE, "--overlay-upper: needs --overlay");
	if (o->changes && !o->overlay)
		return err_set(e, E_USAGE, "--changes: needs --overlay DIR");
	if (o->mode == MODE_CHANGES && !o->overlay_upper)
		return err_set(
			e, E_USAGE,
			"--changes: without a command it lists what --overlay-upper DIR holds");
	if (o->egress_rules && o->egress != EGRESS_PROXY)
		return err_set(e, E_USAGE, "--egress-rules: needs --egress proxy");
	if (o->home_read.n && o->home != HOME_PRIVATE)
		return err_set(e, E_USAGE, "--home-read: needs --home private");
	return 0;
}

int options_check(const struct options *o, struct errctx *e)
{
	int r;

	if (o->mode != MODE_CHANGES && !o->command)
		return err_set(e, E_USAGE, "no command after \"--\"");
	if (o->command && !o->command[0][0])
		return err_set(e, E_USAGE, "the command is an empty word");
	r = check_proxy(o, e);
	if (r == 0)
		r = check_modes(o, e);
	if (r == 0)
		r = check_env(o, e);
	return r;
}
