/* SPDX-License-Identifier: MIT */
/*
 * agentteams-runner-mcp. Order: options, environment, root, operator's additions, confinement,
 * loop. Everything that needs a right is done before the first byte from outside is read. Exit
 * status: 0 end of service, 1 can't serve, 2 usage.
 */
#include "base/base.h"

#include "base/io.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "mcp/confine.h"
#include "mcp/denyfile.h"
#include "mcp/options.h"
#include "mcp/server.h"

#include <limits.h>

extern char **environ;

/* Clients hand over their whole environment, model keys included (file 00, D24): wipe it, and keep
 * only the home folder. */
static void clear_environment(void)
{
	const char *home = getenv("HOME");
	char *kept = home ? strdup(home) : NULL;

	for (char **v = environ; v && *v; v++)
		explicit_bzero(*v, strlen(*v));
	if (clearenv() != 0)
		environ = NULL;
	if (kept)
		(void)setenv("HOME", kept, 1); /* without it the user database is asked */
	free(kept);
}

/* The project above <root>/.agentteams/bin/<program>, from the program's real place (file 20,
 * section 4). */
static int derive_root(char *out, size_t size, struct errctx *e)
{
	static const char inside[] = "/.agentteams/bin/";
	ssize_t n = readlink("/proc/self/exe", out, size - 1);
	char *base;

	if (n < 0)
		return err_sys(e, "can't find this program's own place");
	out[n] = 0;
	base = strrchr(out, '/');
	if (!base || (size_t)(base + 1 - out) < sizeof(inside) - 1 ||
	    strncmp(base + 2 - sizeof(inside), inside, sizeof(inside) - 1) != 0)
		return err_set(e, E_OUTSIDE,
			       "%s isn't installed as .agentteams/bin/agentteams-runner-mcp of a "
			       "project; use --root",
			       out);
	base[2 - (ptrdiff_t)sizeof(inside)] = 0;
	if (out[0] == 0)
		memcpy(out, "/", 2);
	return 0;
}

static int open_root(const struct mcp_options *o, int *ret_fd, struct errctx *e)
{
	char derived[PATH_MAX];
	int err = o->root ? 0 : derive_root(derived, sizeof(derived), e);

	return err ? err : pathfd_open_root(o->root ? o->root : derived, ret_fd, e);
}

static void narrow(struct server *s)
{
	server_confine_narrow(s->root.fd);
}

static int serve(const struct mcp_options *o)
{
	static struct server
		server; /* static: 64 waiting calls and 256 ids don't belong on the stack */
	struct denyfile deny = {0};
	struct errctx e = {0};
	int root_fd = -1;
	int status = 1;

	if (open_root(o, &root_fd, &e) != 0 || denyfile_load(root_fd, &deny, &e) != 0) {
		log_error("%s", e.text);
		goto out;
	}
	io_close_others(&root_fd, 1);
	if (clearenv() != 0)
		environ = NULL;
	if (loop_prepare(&e) != 0) {
		log_error("%s", e.text);
		goto out;
	}
	if (server_confine(root_fd,
			   o->tools[TOOL_WRITE_FILE] || o->tools[TOOL_DELETE_FILE] ||
				   o->tools[TOOL_RUN_COMMAND],
			   &e) != 0) {
		log_error("can't confine itself, so it doesn't serve: %s", e.text);
		goto out;
	}
	server_init(&server, o, root_fd);
	server.root.extra = deny.entries;
	server.root.n_extra = deny.n;
	server.queued = narrow;
	loop_run(&server);
	status = 0;
	server_release(&server);
out:
	free(deny.entries);
	buf_release(&deny.text);
	cleanup_fd(&root_fd);
	return status;
}

int main(int argc, char **argv)
{
	struct mcp_options options;
	struct errctx e = {0};

	if (io_guard_std_fds() != 0)
		return 1;
	log_init("agentteams-runner-mcp", LOG_INFO_LEVEL);
	if (mcp_options_parse(argc, argv, &options, &e) != 0) {
		log_error("%s (see --help)", e.text);
		return 2;
	}
	if (options.debug)
		log_init("agentteams-runner-mcp", LOG_DEBUG_LEVEL);
	if (options.action == MCP_HELP || options.action == MCP_VERSION) {
		const char *text = options.action == MCP_HELP
					   ? mcp_usage
					   : "agentteams-runner-mcp " PACKAGE_VERSION "\n";

		return io_write_all(STDOUT_FILENO, text, strlen(text)) == 0 ? 0 : 1;
	}
	clear_environment();
	return serve(&options);
}
