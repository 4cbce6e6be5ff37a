# Tests: every layer runs under "make check" and speaks TAP. Each area lists its own in a fragment.
TEST_EXTENSIONS = .tap
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
TAP_LOG_DRIVER = $(TAP_DRIVER)
LOG_COMPILER = $(SHELL) $(top_srcdir)/%reldir%/lib/some-tests

# What every test sees; scripts start from an empty environment plus this (tests/lib/tap.sh).
TEST_ENV = \
	TOP_SRCDIR='$(abs_top_srcdir)' TOP_BUILDDIR='$(abs_top_builddir)' \
	TEST_CC='$(CC)' TEST_SANITIZED='$(SANITIZED_TEXT)' TEST_FAULT_HOOKS='$(FAULT_HOOKS_TEXT)' \
	TEST_MANDOC='$(MANDOC)' TEST_SHELLCHECK='$(SHELLCHECK)' TEST_CLANG_FORMAT='$(CLANG_FORMAT)' \
	TEST_PYTHON3='$(PYTHON3)' TEST_VERSION='$(PACKAGE_VERSION)' TEST_HARDENING='$(enable_hardening)' \
	TEST_PROGRAMS='$(bin_PROGRAMS) $(libexec_PROGRAMS)'
if SANITIZED
SANITIZED_TEXT = yes
endif
if FAULT_HOOKS
FAULT_HOOKS_TEXT = yes
endif
AM_TESTS_ENVIRONMENT = \
	CRITERION_OUTPUTS=tap:-; export CRITERION_OUTPUTS; \
	ASAN_OPTIONS=detect_leaks=1:abort_on_error=0; export ASAN_OPTIONS; \
	LSAN_OPTIONS=suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0; export LSAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS;
AM_TESTS_FD_REDIRECT = 9>&2
TESTS_ENVIRONMENT = env $(TEST_ENV)

EXTRA_DIST += %reldir%/README.md %reldir%/lib/tap.sh %reldir%/lib/some-tests %reldir%/lsan.supp

# Unit tests link everything but a main; Criterion brings its own.
UNIT_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS) -Wno-missing-prototypes -Wno-cast-qual -Wno-strict-prototypes
UNIT_LIBS = $(BASE_LIBS) $(CRITERION_LIBS)

include %reldir%/fuzz.mk
include %reldir%/base.mk
include %reldir%/base_sys.mk
include %reldir%/policy.mk
include %reldir%/cli.mk
include %reldir%/launcher.mk
include %reldir%/egress.mk
include %reldir%/runner.mk
include %reldir%/runner_commands.mk
include %reldir%/mcp.mk
include %reldir%/gate.mk
include %reldir%/clients.mk
include %reldir%/lint.mk
