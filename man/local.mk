# Manuals in mdoc, as templates: version and places are filled in. Each is linted by tests/lint/l0021-manuals.tap.
MANUALS = \
	%reldir%/agentteams.1 \
	%reldir%/agentteams-deny.list.5 \
	%reldir%/agentteams-gate.8 \
	%reldir%/agentteams-policy.7 \
	%reldir%/agentteams-runner-mcp.8 \
	%reldir%/confine-run.1 %reldir%/confine-run-egress.5 \
	%reldir%/confine-init.8 \
	%reldir%/agentteams-runner.8 \
	%reldir%/agentteams-queue.5 \
	%reldir%/agentteams-ledger.5
nodist_man_MANS += $(MANUALS)
CLEANFILES += $(MANUALS)
EXTRA_DIST += $(MANUALS:=.in)

%reldir%/%: %reldir%/%.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %reldir% && $(SED) -e 's|@VERSION[@]|$(PACKAGE_VERSION)|g' \
	  -e 's|@BINDIR[@]|$(bindir)|g' -e 's|@LIBEXECDIR[@]|$(libexecdir)|g' -e 's|@BWRAP[@]|$(BWRAP)|g' -e 's|@SYSCONFDIR[@]|$(sysconfdir)|g' \
	  $(filter %.in,$^) >$@.tmp && mv $@.tmp $@
