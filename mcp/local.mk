# mcp/: the MCP server. Everything but main() is a library, so that tests can link it.
noinst_LIBRARIES += libmcp.a
libexec_PROGRAMS += %reldir%/agentteams-runner-mcp

libmcp_a_CFLAGS = $(AM_CFLAGS)
libmcp_a_SOURCES = \
	%reldir%/server.h \
	%reldir%/options.h %reldir%/options.c \
	%reldir%/frame.h %reldir%/frame.c \
	%reldir%/rpc.h %reldir%/rpc.c \
	%reldir%/revision.h %reldir%/revision.c \
	%reldir%/dispatch.c \
	%reldir%/methods.c \
	%reldir%/toolset.h %reldir%/toolset.c \
	%reldir%/params.h %reldir%/params.c \
	%reldir%/call.c \
	%reldir%/read_open.h %reldir%/read_open.c \
	%reldir%/page.h %reldir%/page.c \
	%reldir%/text.h %reldir%/text.c \
	%reldir%/tool_read.c \
	%reldir%/tool_queue.c \
	%reldir%/queue.h %reldir%/queue.c \
	%reldir%/pending.c \
	%reldir%/reply.c \
	%reldir%/denyfile.h %reldir%/denyfile.c \
	%reldir%/confine.h %reldir%/confine.c \
	%reldir%/watch.h \
	%reldir%/loop.c
if OS_LINUX
libmcp_a_SOURCES += %reldir%/watch_linux.c
else
libmcp_a_SOURCES += %reldir%/watch_none.c
endif

# Self-confinement: a program of ours links it without the rest of the launcher.
noinst_LIBRARIES += libconfine_self.a
libconfine_self_a_CFLAGS = $(AM_CFLAGS)
libconfine_self_a_SOURCES = launcher/confine.h
if OS_LINUX
libconfine_self_a_SOURCES += launcher/confine_self_linux.c launcher/confine_filter.h launcher/confine_numbers_linux.c \
	launcher/confine_filter_linux.c
endif

MCP_LIBS = libmcp.a libconfine_self.a libpolicy.a $(BASE_LIBS)

%canon_reldir%_agentteams_runner_mcp_SOURCES = %reldir%/main.c
%canon_reldir%_agentteams_runner_mcp_LDFLAGS = $(PROGRAM_LDFLAGS)
%canon_reldir%_agentteams_runner_mcp_LDADD = $(MCP_LIBS)
