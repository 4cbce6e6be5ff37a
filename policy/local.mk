# policy/: every rule table and every pure decision, in reading order (policy/README.md). Nothing here may make a
# system call, allocate, or look at a clock, the environment or the locale: tests/lint/l0012-purity.tap.
noinst_LIBRARIES += libpolicy.a
libpolicy_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS)
libpolicy_a_SOURCES = \
	%reldir%/policy.h %reldir%/row.h \
	%reldir%/verdict.c \
	%reldir%/denylist.c %reldir%/tools.c %reldir%/limits.c %reldir%/server.c \
	%reldir%/match.h %reldir%/match.c \
	%reldir%/pathread.c %reldir%/denyfile.c \
	%reldir%/write.h %reldir%/write_control.c %reldir%/write_match.c %reldir%/write_decide.c %reldir%/write_dump.c \
	%reldir%/grant.h %reldir%/grant.c \
	%reldir%/selfcheck.h %reldir%/selfcheck.c \
	%reldir%/dump.h %reldir%/dump.c \
	%reldir%/gate.h %reldir%/gate_program.h %reldir%/gate_rule.h %reldir%/gate_text.h %reldir%/gate_path.h \
	%reldir%/gate_match.c %reldir%/gate_class.c %reldir%/gate_program_al.c %reldir%/gate_program_mz.c \
	%reldir%/gate_grammar.c %reldir%/gate_rule_git.c %reldir%/gate_rule_files.c %reldir%/gate_rule_package.c \
	%reldir%/gate_rule_infra.c \
	%reldir%/gate_wrap.c %reldir%/gate_script.c %reldir%/gate_env.c %reldir%/gate_lang.c \
	%reldir%/gate_path.c %reldir%/gate_tool.c %reldir%/gate_dump.c \
	%reldir%/launch.h %reldir%/launch_paths.c %reldir%/launch_env.c %reldir%/launch_syscalls.c \
	%reldir%/launch_dump.c
EXTRA_DIST += %reldir%/README.md

# What a program that decides links before $(BASE_LIBS).
POLICY_LIBS = libpolicy.a
