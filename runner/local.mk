# runner/: drains the queue, holds the key, stages and applies; and the verbs of operator and orchestrator. Everything but
# main.c is an archive, so that unit tests and fuzz targets link the same code.
libexec_PROGRAMS += %reldir%/agentteams-runner
noinst_LIBRARIES += librunner.a
librunner_a_CPPFLAGS = $(AM_CPPFLAGS) -DLIBEXECDIR='"$(libexecdir)"' -DSYSCONFDIR='"$(sysconfdir)"'
librunner_a_CFLAGS = $(AM_CFLAGS) $(SODIUM_CFLAGS) $(PCRE2_CFLAGS)
librunner_a_SOURCES = \
	%reldir%/mac.h %reldir%/mac.c \
	%reldir%/wire.h %reldir%/wire.c \
	%reldir%/rows.h %reldir%/rows.c \
	%reldir%/records.h %reldir%/records.c \
	%reldir%/pattern.h %reldir%/pattern.c \
	%reldir%/brief.h %reldir%/brief_parts.h %reldir%/brief.c %reldir%/brief_agents.c %reldir%/brief_gates.c \
	%reldir%/artifact.h %reldir%/artifact.c \
	%reldir%/request.h %reldir%/request.c \
	%reldir%/reply.h %reldir%/reply.c \
	%reldir%/arrivals.h %reldir%/arrivals.c \
	%reldir%/diff.h %reldir%/diff.c \
	%reldir%/key.h %reldir%/key.c \
	%reldir%/key_sign.h %reldir%/key_sign.c \
	%reldir%/grant.h %reldir%/grant.c %reldir%/grant_set.c \
	%reldir%/grant_file.h %reldir%/grant_file.c %reldir%/grant_keys.c \
	%reldir%/grant_start.h %reldir%/grant_start.c \
	%reldir%/anchor.h %reldir%/anchor.c \
	%reldir%/ledger.h %reldir%/ledger_read.c %reldir%/ledger_write.c \
	%reldir%/dispatches.h %reldir%/dispatches.c \
	%reldir%/keeper.h %reldir%/keeper_state.h %reldir%/keeper_start.c %reldir%/keeper_rows.c %reldir%/keeper_grants.c \
	%reldir%/keeper.c \
	%reldir%/keeper_ask.c \
	%reldir%/dirs.h %reldir%/dirs.c \
	%reldir%/pins.h %reldir%/pins.c \
	%reldir%/results.h %reldir%/results.c \
	%reldir%/store.h %reldir%/store.c %reldir%/store_order.c %reldir%/record.h %reldir%/record.c \
	%reldir%/land.h %reldir%/land.c \
	%reldir%/engine.h %reldir%/proposal.h \
	%reldir%/exec.h %reldir%/exec_state.h %reldir%/exec_capture.c %reldir%/exec_wire.c %reldir%/exec_check.c \
	%reldir%/exec_run.c %reldir%/exec_way.c %reldir%/exec_run.h %reldir%/exec_bare.c %reldir%/exec_walk.h %reldir%/exec_walk.c %reldir%/exec_opt_out.c %reldir%/exec_status.c %reldir%/exec_starter.c %reldir%/exec_judge.c %reldir%/exec_declare.c %reldir%/exec_reply.c \
	%reldir%/exec_command.c %reldir%/exec_recover.c %reldir%/starters.h %reldir%/starters.c \
	%reldir%/journal.h %reldir%/journal.c %reldir%/landing.c \
	%reldir%/identity.c %reldir%/gates.h %reldir%/gates.c %reldir%/gate_run.c %reldir%/gate_pins.h %reldir%/gate_pins.c \
	%reldir%/command.c %reldir%/refusals.c %reldir%/propose.c \
	%reldir%/staged.c %reldir%/handle.c %reldir%/claim.c %reldir%/pass.c %reldir%/recover.c \
	%reldir%/status.c %reldir%/logline.c %reldir%/loop.c \
	%reldir%/notify.h %reldir%/notify.c %reldir%/syslog.h %reldir%/syslog.c \
	%reldir%/confine_runner.h %reldir%/confine_runner.c \
	%reldir%/options.h %reldir%/options.c %reldir%/confined_file.h %reldir%/confined_file.c \
	%reldir%/confirm.h %reldir%/confirm.c %reldir%/grant_desk.h %reldir%/grant_desk.c %reldir%/grant_verbs.h \
	%reldir%/grant_place.c %reldir%/grant_verbs.c %reldir%/grant_sign.c %reldir%/grant_keyverbs.c \
	%reldir%/serve.h %reldir%/serve.c \
	%reldir%/client.h %reldir%/client.c \
	%reldir%/verbs.h %reldir%/verbs.c %reldir%/verbs_staged.c %reldir%/show.c %reldir%/review.c
RUNNER_LIBS = librunner.a liblauncher.a libconfine_self.a $(POLICY_LIBS) $(BASE_LIBS) $(PCRE2_LIBS)
%canon_reldir%_agentteams_runner_SOURCES = %reldir%/main.c
%canon_reldir%_agentteams_runner_LDFLAGS = $(PROGRAM_LDFLAGS)
%canon_reldir%_agentteams_runner_LDADD = $(RUNNER_LIBS)
