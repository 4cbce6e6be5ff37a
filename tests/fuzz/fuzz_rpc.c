/* SPDX-License-Identifier: MIT */
/*
 * The whole server below its loop: each line of the input is a message. Whatever comes in, what
 * goes out are lines of ASCII JSON, each a reply (or an array of them) with the right members, and
 * no request gets more than one. The project is an empty folder without a runner, so nothing is
 * ever queued.
 */
#include "base/base.h"

#include "base/json.h"
#include "base/pathfd.h"
#include "mcp/server.h"
#include "tests/fuzz/fuzz.h"

static int root_fd = -1;

static void open_empty_project(void)
{
	char name[] = "/tmp/agentteams-fuzz.XXXXXX";

	FUZZ_REQUIRE(mkdtemp(name) != NULL);
	FUZZ_REQUIRE(pathfd_open_root(name, &root_fd, NULL) == 0);
	FUZZ_REQUIRE(rmdir(name) == 0); /* the open folder stays usable, and empty for good */
}

static void check_reply(const struct json *reply)
{
	struct view version;

	FUZZ_REQUIRE(json_is(reply, JSON_OBJECT));
	FUZZ_REQUIRE(json_get_str(json_member(reply, "jsonrpc"), &version) == 0 &&
		     view_is(version, "2.0"));
	FUZZ_REQUIRE(json_member(reply, "id") != NULL);
	FUZZ_REQUIRE(!json_member(reply, "result") != !json_member(reply, "error"));
}

/* The output so far is whole lines of replies; takes them. */
static size_t check_output(struct server *s)
{
	struct view rest = buf_view(&s->out);
	size_t n = 0;

	while (rest.len > 0) {
		const char *feed = memchr(rest.ptr, '\n', rest.len);
		struct json *reply = NULL;
		struct view line;

		FUZZ_REQUIRE(feed != NULL);
		line = (struct view){rest.ptr, (size_t)(feed - rest.ptr)};
		FUZZ_REQUIRE(json_parse(line, &reply, NULL) == 0);
		if (json_is(reply, JSON_ARRAY))
			for (const struct json *r = json_first(reply); r; r = json_next(r))
				check_reply(r);
		else
			check_reply(reply);
		json_free(reply);
		rest = (struct view){feed + 1, rest.len - line.len - 1};
		n++;
	}
	buf_clear(&s->out);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct mcp_options options = {
		.action = MCP_SERVE,
		.agent = "fuzz",
		.tools = {true, true, true, true, true},
		.page_bytes = DEFAULT_PAGE_BYTES,
	};
	static struct server server;
	struct view rest = {(const char *)data, size};

	if (root_fd < 0)
		open_empty_project();
	server = (struct server){.options = NULL};
	server_init(&server, &options, root_fd);
	while (rest.len > 0) {
		const char *feed = memchr(rest.ptr, '\n', rest.len);
		size_t n = feed ? (size_t)(feed - rest.ptr) : rest.len;

		dispatch_line(&server, (struct view){rest.ptr, n});
		FUZZ_REQUIRE(check_output(&server) <= 1);
		FUZZ_REQUIRE(server.n_pending == 0);
		n += feed != NULL;
		rest = (struct view){rest.ptr + n, rest.len - n};
	}
	server_release(&server);
	return 0;
}
