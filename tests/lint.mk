# Repository rules as tests.
LINT_TESTS = \
	%reldir%/lint/l0010-layering.tap \
	%reldir%/lint/l0011-thirdparty.tap \
	%reldir%/lint/l0012-purity.tap \
	%reldir%/lint/l0013-banned.tap \
	%reldir%/lint/l0014-budgets.tap \
	%reldir%/lint/l0015-ruleids.tap \
	%reldir%/lint/l0020-version.tap \
	%reldir%/lint/l0021-manuals.tap \
	%reldir%/lint/l0023-shell.tap \
	%reldir%/lint/l0024-format.tap %reldir%/lint/l0025-cleanup.tap \
	%reldir%/lint/l0030-twins.tap \
	%reldir%/lint/l0040-binaries.tap
# They look at the sources, which are the same in an instrumented build.
if !SANITIZED
TESTS += $(LINT_TESTS)
endif
EXTRA_DIST += $(LINT_TESTS)
check-lint:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(LINT_TESTS)'
.PHONY: check-lint

# What pure code and tables print, for people to compare: rewrite it, then read the difference.
update-golden: cli/agentteams
	cli/agentteams policy dump >$(srcdir)/%reldir%/golden/policy.txt
	cli/agentteams policy dump --json >$(srcdir)/%reldir%/golden/policy.json
.PHONY: update-golden
EXTRA_DIST += %reldir%/golden/policy.txt %reldir%/golden/policy.json
