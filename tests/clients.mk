# Real MCP clients against the server, a runner and the gate. They are 1.3 GB and come from npm, so this isn't part of "make
# check". CLIENTS=DIR: where they are or go to; CLIENT="NAME...": only these.
CLIENTS =
CLIENT =
check-clients: all %reldir%/tools/runner_queue$(EXEEXT)
	@$(TEST_ENV) CLIENTS='$(CLIENTS)' $(SHELL) $(top_srcdir)/%reldir%/clients/run $(CLIENT)
.PHONY: check-clients
EXTRA_DIST += %reldir%/clients/run %reldir%/clients/install %reldir%/clients/session %reldir%/clients/gate \
	%reldir%/clients/lib.sh %reldir%/clients/lib.mjs %reldir%/clients/calls.json %reldir%/clients/calls.mjs \
	%reldir%/clients/claude.mjs %reldir%/clients/fake-model.mjs %reldir%/clients/wiretap.mjs \
	%reldir%/clients/drive-claude.mjs %reldir%/clients/drive-gate.mjs %reldir%/clients/drive-goose.mjs \
	%reldir%/clients/drive-inspector.mjs %reldir%/clients/drive-sdk.mjs
