# policy/: every rule table and every pure decision, in reading order (policy/README.md). Nothing here may make a
# system call, allocate, or look at a clock, the environment or the locale: tests/lint/l0012-purity.tap.
noinst_LIBRARIES += libpolicy.a
libpolicy_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS)
libpolicy_a_SOURCES = \
	%reldir%/policy.h \
	%reldir%/verdict.c \
	%reldir%/tools.c

# What a program that decides links before $(BASE_LIBS).
POLICY_LIBS = libpolicy.a
