/* SPDX-License-Identifier: MIT */
/*
 * Environment rules and presets of the launcher (file 10, sections 7.1, 18.3 and 18.6).
 * Pure. Covered by tests/unit/launcher/t_options.c and the golden dump.
 */
#include "base/base.h"
#include "policy/launch.h"

const char *const launch_env_default[] = {
	"PATH",	  "HOME",     "USER",	     "LOGNAME", "TERM",	 "LANG",
	"LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ",	"SHELL", NULL,
};

const char *const launch_env_shells[] = {
	"/bin/sh",	"/bin/bash",	 "/bin/dash",
	"/bin/zsh",	"/bin/ksh",	 "/bin/fish",
	"/usr/bin/sh",	"/usr/bin/bash", "/usr/bin/dash",
	"/usr/bin/zsh", "/usr/bin/ksh",	 "/usr/bin/fish",
	NULL,
};

/* A trailing '*' matches any rest. */
static const char *const dangerous[] = {
	"LD_*",
	"DYLD_*",
	"GCONV_PATH",
	"LOCPATH",
	"NLSPATH",
	"BASH_ENV",
	"ENV",
	"SHELLOPTS",
	"BASHOPTS",
	"BASH_FUNC_*",
	"PS4",
	"IFS",
	"PYTHON*",
	"PERL5*",
	"PERLLIB",
	"RUBY*",
	"NODE_OPTIONS",
	"NODE_PATH",
	"JAVA_TOOL_OPTIONS",
	"_JAVA_OPTIONS",
	"JDK_JAVA_OPTIONS",
	"GIT_*",
	"SSH_AUTH_SOCK",
	"SSH_ASKPASS",
	"GPG_AGENT_INFO",
	"DBUS_SESSION_BUS_ADDRESS",
	"DBUS_SYSTEM_BUS_ADDRESS",
	"XDG_RUNTIME_DIR",
	"DOCKER_HOST",
	"CONTAINER_HOST",
	"WAYLAND_DISPLAY",
	"DISPLAY",
	"XAUTHORITY",
	"TMUX",
	"STY",
	"GLIBC_TUNABLES",
	"MALLOC_*",
};
static const char *const harmless[] = {
	"GIT_AUTHOR_NAME",    "GIT_AUTHOR_EMAIL",    "GIT_AUTHOR_DATE",
	"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
};

bool launch_env_is_dangerous(struct view name)
{
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		if (view_is(name, harmless[i]))
			return false;
	for (size_t i = 0; i < ARRAY_LEN(dangerous); i++) {
		size_t n = strlen(dangerous[i]);

		if (dangerous[i][n - 1] == '*') {
			if (name.len >= n - 1 && memcmp(name.ptr, dangerous[i], n - 1) == 0)
				return true;
		} else if (view_is(name, dangerous[i])) {
			return true;
		}
	}
	return false;
}

bool launch_env_name_ok(struct view name)
{
	if (name.len == 0 || (name.ptr[0] >= '0' && name.ptr[0] <= '9'))
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_'))
			return false;
	}
	return true;
}

static const struct preset_row presets[] = {
	{"PRESET_01", "agent", PRESET_AGENT, EGRESS_DENY, HOME_RO, SOCKETS_PRIVATE,
	 GIT_PROTECT_HOOKS, false, true, 0, 4096},
	{"PRESET_02", "command", PRESET_COMMAND, EGRESS_DENY, HOME_PRIVATE, SOCKETS_NONE,
	 GIT_PROTECT_ON, true, false, 1024, 4096},
};

const struct preset_row *launch_preset(enum launch_preset p)
{
	return p == PRESET_COMMAND ? &presets[1] : &presets[0];
}

const struct preset_row *launch_preset_by_name(struct view name)
{
	for (size_t i = 0; i < ARRAY_LEN(presets); i++)
		if (view_is(name, presets[i].name))
			return &presets[i];
	return NULL;
}
