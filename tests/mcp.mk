# Tests of mcp/.
MCP_E2E = \
	%reldir%/e2e/transcripts.tap \
	%reldir%/e2e/mcp-process.tap \
	%reldir%/e2e/mcp-read.tap \
	%reldir%/e2e/mcp-queue.tap
TESTS += $(MCP_E2E)
EXTRA_DIST += $(MCP_E2E) %reldir%/tools/mcp.py %reldir%/tools/transcript.py \
	%reldir%/transcripts/2024-11-05.txt %reldir%/transcripts/2025-03-26.txt \
	%reldir%/transcripts/2025-06-18.txt %reldir%/transcripts/2025-11-25.txt \
	%reldir%/transcripts/2026-07-28.txt %reldir%/transcripts/both-eras.txt \
	%reldir%/transcripts/before-initialize.txt %reldir%/transcripts/errors.txt \
	%reldir%/transcripts/framing.txt

if HAVE_CRITERION
MCP_UNIT_TESTS = \
	%reldir%/unit/mcp/t_options \
	%reldir%/unit/mcp/t_frame \
	%reldir%/unit/mcp/t_rpc \
	%reldir%/unit/mcp/t_params \
	%reldir%/unit/mcp/t_revision \
	%reldir%/unit/mcp/t_page \
	%reldir%/unit/mcp/t_text \
	%reldir%/unit/mcp/t_read_open \
	%reldir%/unit/launcher/t_confine_filter
check_PROGRAMS += $(MCP_UNIT_TESTS)
TESTS += $(MCP_UNIT_TESTS)
MCP_UNIT_LIBS = $(MCP_LIBS) $(CRITERION_LIBS)
%canon_reldir%_unit_mcp_t_options_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_mcp_t_options_LDADD = $(MCP_UNIT_LIBS)
%canon_reldir%_unit_mcp_t_frame_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_mcp_t_frame_LDADD = $(MCP_UNIT_LIBS)
%canon_reldir%_unit_mcp_t_rpc_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_mcp_t_rpc_LDADD = $(MCP_UNIT_LIBS)
%canon_reldir%_unit_mcp_t_params_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_mcp_t_params_LDADD = $(MCP_UNIT_LIBS)
%canon_reldir%_unit_mcp_t_revision_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_mcp_t_revision_LDADD = $(MCP_UNIT_LIBS)
%canon_reldir%_unit_mcp_t_page_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_mcp_t_page_LDADD = $(MCP_UNIT_LIBS)
%canon_reldir%_unit_mcp_t_text_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_mcp_t_text_LDADD = $(MCP_UNIT_LIBS)
%canon_reldir%_unit_mcp_t_read_open_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_mcp_t_read_open_LDADD = $(MCP_UNIT_LIBS) -lpthread
%canon_reldir%_unit_launcher_t_confine_filter_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_confine_filter_LDADD = $(MCP_UNIT_LIBS)
endif

BENCHES += %reldir%/bench/mcp.sh
EXTRA_DIST += %reldir%/bench/mcp.sh
check_PROGRAMS += %reldir%/bench/bench_mcp
%canon_reldir%_bench_bench_mcp_SOURCES = %reldir%/bench/bench_mcp.c
%canon_reldir%_bench_bench_mcp_CFLAGS = $(AM_CFLAGS) -Wno-cast-qual

# Proofs of the server's self-confinement: the same programs with one part replaced (the linker takes the first definition
# and leaves the archive's member out).
check_PROGRAMS += %reldir%/tools/mcp_unchecked %reldir%/tools/mcp_unconfined \
	%reldir%/tools/confine_probe %reldir%/tools/confine_probe_free
%canon_reldir%_tools_mcp_unchecked_SOURCES = mcp/main.c %reldir%/tools/read_open_unchecked.c
%canon_reldir%_tools_mcp_unchecked_LDADD = $(MCP_LIBS)
%canon_reldir%_tools_mcp_unconfined_SOURCES = mcp/main.c %reldir%/tools/read_open_unchecked.c \
	%reldir%/tools/confine_off.c
%canon_reldir%_tools_mcp_unconfined_LDADD = $(MCP_LIBS)
%canon_reldir%_tools_confine_probe_SOURCES = %reldir%/tools/confine_probe.c
%canon_reldir%_tools_confine_probe_LDADD = $(MCP_LIBS)
%canon_reldir%_tools_confine_probe_free_SOURCES = %reldir%/tools/confine_probe.c \
	%reldir%/tools/confine_off.c
%canon_reldir%_tools_confine_probe_free_LDADD = $(MCP_LIBS)
MCP_ESCAPES = %reldir%/escape/x0800-server-confined.tap
TESTS += $(MCP_ESCAPES)
EXTRA_DIST += $(MCP_ESCAPES)

FUZZ_TARGETS += %reldir%/fuzz/fuzz_frame %reldir%/fuzz/fuzz_rpc
%canon_reldir%_fuzz_fuzz_frame_LDADD = libmcp.a $(FUZZ_LIBS)
%canon_reldir%_fuzz_fuzz_rpc_LDADD = $(MCP_LIBS) $(FUZZ_LIBS)
