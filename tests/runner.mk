# Tests of runner/: one Criterion program for each group of sources.
if HAVE_CRITERION
%canon_reldir%_unit_runner_t_runner_SOURCES = \
	%reldir%/unit/runner/runnertest.h %reldir%/unit/runner/runnertest.c \
	%reldir%/unit/runner/t_mac.c %reldir%/unit/runner/t_rows.c %reldir%/unit/runner/t_records.c \
	%reldir%/unit/runner/t_wire.c %reldir%/unit/runner/t_pattern.c %reldir%/unit/runner/t_brief.c \
	%reldir%/unit/runner/t_artifact.c %reldir%/unit/runner/t_reply.c %reldir%/unit/runner/t_arrivals.c \
	%reldir%/unit/runner/t_diff.c %reldir%/unit/runner/t_gates.c %reldir%/unit/runner/t_ledger.c \
	%reldir%/unit/runner/t_dispatches.c %reldir%/unit/runner/t_keeper.c %reldir%/unit/runner/t_land.c \
	%reldir%/unit/runner/t_confine.c %reldir%/unit/runner/t_exec.c %reldir%/unit/runner/t_exec_walk.c %reldir%/unit/runner/t_journal.c \
	%reldir%/unit/runner/t_sign.c %reldir%/unit/runner/t_grant.c %reldir%/unit/runner/t_keeper_grants.c
%canon_reldir%_unit_runner_t_runner_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_runner_t_runner_LDADD = $(RUNNER_LIBS) $(CRITERION_LIBS)
check_PROGRAMS += %reldir%/unit/runner/t_runner
TESTS += %reldir%/unit/runner/t_runner
endif

# Queue client of the tests: puts, waits, floods, and reads members of JSON answers.
check_PROGRAMS += %reldir%/tools/runner_queue
%canon_reldir%_tools_runner_queue_LDADD = $(RUNNER_LIBS)

RUNNER_E2E_TESTS = \
	%reldir%/e2e/runner-start.tap %reldir%/e2e/runner-queue.tap %reldir%/e2e/runner-proposals.tap \
	%reldir%/e2e/runner-staged.tap %reldir%/e2e/runner-client.tap %reldir%/e2e/runner-tamper.tap \
	%reldir%/e2e/runner-process.tap %reldir%/e2e/runner-mcp.tap %reldir%/e2e/runner-full.tap %reldir%/e2e/runner-crowd.tap %reldir%/e2e/runner-clock.tap \
	%reldir%/e2e/grant-place.tap %reldir%/e2e/runner-grants.tap %reldir%/e2e/runner-unwritable.tap %reldir%/e2e/runner-service.tap
RUNNER_FAULT_TESTS = %reldir%/fault/runner-kill.tap
TESTS += $(RUNNER_E2E_TESTS) $(RUNNER_FAULT_TESTS)
EXTRA_DIST += $(RUNNER_E2E_TESTS) $(RUNNER_FAULT_TESTS) %reldir%/e2e/lib/runner.sh

# Kills at every durable step, in a build of --enable-fault-hooks, and a soak with random kills: SOAK_SECONDS of it.
SOAK_SECONDS = 600
check-fault:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(RUNNER_FAULT_TESTS)'
	$(TEST_ENV) SOAK_SECONDS=$(SOAK_SECONDS) $(top_srcdir)/%reldir%/fault/runner-soak
.PHONY: check-fault
EXTRA_DIST += %reldir%/fault/runner-soak

FUZZ_TARGETS += %reldir%/fuzz/fuzz_request %reldir%/fuzz/fuzz_brief %reldir%/fuzz/fuzz_ledgerline %reldir%/fuzz/fuzz_record \
	%reldir%/fuzz/fuzz_grant
%canon_reldir%_fuzz_fuzz_request_LDADD = $(FUZZ_LIBS) $(RUNNER_LIBS)
%canon_reldir%_fuzz_fuzz_brief_LDADD = $(FUZZ_LIBS) $(RUNNER_LIBS)
%canon_reldir%_fuzz_fuzz_ledgerline_LDADD = $(FUZZ_LIBS) $(RUNNER_LIBS)
%canon_reldir%_fuzz_fuzz_record_LDADD = $(FUZZ_LIBS) $(RUNNER_LIBS)
%canon_reldir%_fuzz_fuzz_grant_LDADD = $(FUZZ_LIBS) $(RUNNER_LIBS)

BENCHES += %reldir%/bench/runner-ledger %reldir%/bench/runner-service
EXTRA_DIST += %reldir%/bench/runner-ledger %reldir%/bench/runner-service
check_PROGRAMS += %reldir%/bench/runner_bench
%canon_reldir%_bench_runner_bench_LDADD = $(RUNNER_LIBS)
