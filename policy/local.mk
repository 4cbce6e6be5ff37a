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
	%reldir%/selfcheck.h %reldir%/selfcheck.c \
	%reldir%/dump.h %reldir%/dump.c
EXTRA_DIST += %reldir%/README.md

# What a program that decides links before $(BASE_LIBS).
POLICY_LIBS = libpolicy.a
