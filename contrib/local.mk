# contrib/: what helps to integrate; nothing here is needed to build.
EXTRA_DIST += %reldir%/README.md
EXTRA_DIST += %reldir%/claude-settings-gate.json %reldir%/codex-hooks-gate.json %reldir%/gate.rules.example

# Service files, as templates: where the programs are is filled in.
SERVICE_FILES = %reldir%/systemd/agentteams-runner@.service %reldir%/launchd/org.agentteams.runner.plist
noinst_DATA += $(SERVICE_FILES)
CLEANFILES += $(SERVICE_FILES)
EXTRA_DIST += $(SERVICE_FILES:=.in)
$(SERVICE_FILES): %: %.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SED) -e 's|@LIBEXECDIR[@]|$(libexecdir)|g' $(filter %.in,$^) >$@.tmp && mv $@.tmp $@

# Completions go where the shells look by themselves.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_bashcompletion_DATA = %reldir%/completions/bash/confine-run
dist_zshcompletion_DATA = %reldir%/completions/zsh/_confine-run
dist_fishcompletion_DATA = %reldir%/completions/fish/confine-run.fish
EXTRA_DIST += %reldir%/apparmor/bwrap-confine-run
