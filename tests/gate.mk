# Tests of gate/: case files, the comparison with bash, unit tests, fuzz targets, the program itself.
GATE_CASES = \
	%reldir%/cases/gate-dangerous.cases %reldir%/cases/gate-harmless.cases \
	%reldir%/cases/gate-dangerous-more.cases %reldir%/cases/gate-harmless-more.cases \
	%reldir%/cases/gate-ordinary.cases %reldir%/cases/gate-rules.cases
EXTRA_DIST += $(GATE_CASES)

check_PROGRAMS += %reldir%/unit/gate/t_cases %reldir%/unit/gate/t_bash %reldir%/tools/gate_stub
%canon_reldir%_unit_gate_t_cases_LDADD = $(GATE_LIBS) $(BASE_LIBS)
%canon_reldir%_unit_gate_t_bash_SOURCES = \
	%reldir%/unit/gate/t_bash.c %reldir%/unit/gate/bash_gen.h %reldir%/unit/gate/bash_gen.c
%canon_reldir%_unit_gate_t_bash_LDADD = $(GATE_LIBS) $(BASE_LIBS)
TESTS += %reldir%/unit/gate/t_cases %reldir%/unit/gate/t_bash

GATE_E2E = \
	%reldir%/e2e/t0400-gate-event.tap %reldir%/e2e/t0401-gate-fail.tap %reldir%/e2e/t0402-gate-rules.tap \
	%reldir%/e2e/t0403-gate-explain.tap %reldir%/e2e/t0404-gate-linear.tap
TESTS += $(GATE_E2E)
EXTRA_DIST += $(GATE_E2E)

if HAVE_CRITERION
GATE_UNIT_TESTS = %reldir%/unit/gate/t_parse %reldir%/unit/gate/t_tables
%canon_reldir%_unit_gate_t_parse_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_gate_t_parse_LDADD = $(GATE_LIBS) $(UNIT_LIBS)
%canon_reldir%_unit_gate_t_tables_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_gate_t_tables_LDADD = $(GATE_LIBS) $(UNIT_LIBS)
check_PROGRAMS += $(GATE_UNIT_TESTS)
TESTS += $(GATE_UNIT_TESTS)
endif

FUZZ_TARGETS += %reldir%/fuzz/fuzz_gate_command %reldir%/fuzz/fuzz_gate_text
%canon_reldir%_fuzz_fuzz_gate_command_LDADD = libgate.a $(FUZZ_LIBS)
%canon_reldir%_fuzz_fuzz_gate_text_LDADD = libgate.a $(FUZZ_LIBS)

BENCHES += %reldir%/bench/gate.sh
EXTRA_DIST += %reldir%/bench/gate.sh
check_PROGRAMS += %reldir%/bench/bench_gate
%canon_reldir%_bench_bench_gate_LDADD = $(BASE_LIBS)
