/* SPDX-License-Identifier: MIT */
/* Proxy variables for the command inside. Pure. Tested by tests/unit/launcher/t_egress_conn.c. */
#include "base/base.h"

#include "launcher/egress.h"

/* Programs disagree about the case of the names, and curl reads http_proxy in lower case only. All
 * of them name the HTTP side: Python's clients fail at start when ALL_PROXY names SOCKS and a
 * module is missing. Programs that only speak SOCKS can use the same port. NO_PROXY is ours as
 * well, or the host's would lead around the proxy (field report L35). */
static const struct {
	const char *name;
	bool is_proxy;
	const char *fixed;
} rows[] = {
	{"HTTP_PROXY", true, NULL},
	{"http_proxy", true, NULL},
	{"HTTPS_PROXY", true, NULL},
	{"https_proxy", true, NULL},
	{"ALL_PROXY", true, NULL},
	{"all_proxy", true, NULL},
	{"NO_PROXY", false, "localhost,127.0.0.1"},
	{"no_proxy", false, "localhost,127.0.0.1"},
};

bool egress_environment(size_t n, unsigned port, char *out, size_t size)
{
	if (n >= ARRAY_LEN(rows))
		return false;
	if (rows[n].is_proxy)
		(void)snprintf(out, size, "%s=http://127.0.0.1:%u", rows[n].name, port);
	else
		(void)snprintf(out, size, "%s=%s", rows[n].name, rows[n].fixed);
	return true;
}
