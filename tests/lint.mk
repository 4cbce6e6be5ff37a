# Repository rules as tests.
LINT_TESTS = %reldir%/lint/l0010-layering.tap
TESTS += $(LINT_TESTS)
EXTRA_DIST += $(LINT_TESTS)
check-lint:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(LINT_TESTS)'
.PHONY: check-lint
