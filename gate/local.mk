# gate/: the PreToolUse hook. Everything but the program's own sources is pure: text in, verdict out (libgate.a).
noinst_LIBRARIES += libgate.a
libgate_a_CFLAGS = $(AM_CFLAGS)
libgate_a_SOURCES = \
	%reldir%/arena.h %reldir%/arena.c \
	%reldir%/ast.h %reldir%/parse.h %reldir%/parse_priv.h %reldir%/parse.c %reldir%/parse_compound.c \
	%reldir%/parse_word.c %reldir%/parse_expansion.c %reldir%/parse_redir.c %reldir%/parse_heredoc.c \
	%reldir%/value.h %reldir%/value.c %reldir%/eval.h %reldir%/env.c \
	%reldir%/build.h %reldir%/expand.c %reldir%/param.c %reldir%/brace.c \
	%reldir%/walk.c %reldir%/site.h %reldir%/site.c %reldir%/peel.c %reldir%/builtin.c \
	%reldir%/opts.h %reldir%/opts.c %reldir%/match.c %reldir%/tests.c \
	%reldir%/paths.h %reldir%/paths.c %reldir%/envrule.c %reldir%/output.c \
	%reldir%/script.c %reldir%/langtok.h %reldir%/langtok.c %reldir%/langalias.c %reldir%/lang.c %reldir%/langline.c \
	%reldir%/sqltext.c %reldir%/http.c \
	%reldir%/mask.h %reldir%/mask.c %reldir%/findings.c \
	%reldir%/decide.h %reldir%/decide.c %reldir%/floor.c \
	%reldir%/oprules.h %reldir%/oprules.c %reldir%/content.h %reldir%/content.c \
	%reldir%/reply.h %reldir%/reply.c

GATE_LIBS = libgate.a $(POLICY_LIBS)

# The program: what reads, writes and ends the process.
libexec_PROGRAMS += %reldir%/agentteams-gate
%canon_reldir%_agentteams_gate_CFLAGS = $(AM_CFLAGS) $(SODIUM_CFLAGS)
%canon_reldir%_agentteams_gate_SOURCES = \
	%reldir%/main.c %reldir%/gate_cmd.h %reldir%/context_cmd.c \
	%reldir%/pretooluse_cmd.c %reldir%/codexrole_cmd.c %reldir%/explain_cmd.c \
	%reldir%/guard.h %reldir%/guard.c %reldir%/lockdown_linux.c \
	%reldir%/event.h %reldir%/event.c %reldir%/toolrule.h %reldir%/toolrule.c \
	%reldir%/approve.h %reldir%/approve.c %reldir%/signature.c %reldir%/audit.h %reldir%/audit.c
%canon_reldir%_agentteams_gate_LDFLAGS = $(PROGRAM_LDFLAGS)
%canon_reldir%_agentteams_gate_LDADD = $(GATE_LIBS) $(BASE_LIBS)
