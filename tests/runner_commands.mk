# Tests of runner/: commands, gates, landing, the confined file.
RUNNER_COMMAND_TESTS = \
	%reldir%/e2e/runner-command.tap %reldir%/e2e/runner-landing.tap %reldir%/e2e/runner-gates.tap \
	%reldir%/e2e/runner-confined.tap %reldir%/e2e/runner-tools.tap \
	%reldir%/e2e/runner-readonly.tap %reldir%/e2e/runner-wait.tap %reldir%/e2e/runner-unconfined.tap \
	%reldir%/e2e/runner-hostile.tap %reldir%/e2e/runner-nearly-full.tap
RUNNER_COMMAND_FAULT_TESTS = %reldir%/fault/runner-landing.tap %reldir%/fault/runner-gate-clock.tap
RUNNER_FAULT_TESTS += $(RUNNER_COMMAND_FAULT_TESTS)
TESTS += $(RUNNER_COMMAND_TESTS) $(RUNNER_COMMAND_FAULT_TESTS)
EXTRA_DIST += $(RUNNER_COMMAND_TESTS) $(RUNNER_COMMAND_FAULT_TESTS) %reldir%/e2e/lib/command.sh

BENCHES += %reldir%/bench/runner-command
EXTRA_DIST += %reldir%/bench/runner-command

# A host that refuses system calls.
check_PROGRAMS += %reldir%/helpers/refuse_calls
%canon_reldir%_helpers_refuse_calls_SOURCES = %reldir%/helpers/refuse_calls.c
