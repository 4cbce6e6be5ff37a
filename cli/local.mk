# cli/: the one command that people type. It only finds the program that serves a mode and executes it.
bin_PROGRAMS += %reldir%/agentteams
%canon_reldir%_agentteams_CPPFLAGS = $(AM_CPPFLAGS) -DBINDIR='"$(bindir)"' -DLIBEXECDIR='"$(libexecdir)"'
%canon_reldir%_agentteams_LDFLAGS = $(PROGRAM_LDFLAGS)
%canon_reldir%_agentteams_LDADD = $(POLICY_LIBS) $(BASE_LIBS)
%canon_reldir%_agentteams_SOURCES = \
	%reldir%/cli.h %reldir%/main.c \
	%reldir%/modes.h %reldir%/modes.c \
	%reldir%/locate.h %reldir%/locate_rule.h %reldir%/locate.c \
	%reldir%/help.c %reldir%/version.c %reldir%/policy_cmd.c %reldir%/deny_cmd.c \
	%reldir%/hostinfo.h
if OS_LINUX
%canon_reldir%_agentteams_SOURCES += %reldir%/hostinfo_linux.c
else
%canon_reldir%_agentteams_SOURCES += %reldir%/hostinfo_darwin.c
endif
EXTRA_DIST += %reldir%/hostinfo_linux.c %reldir%/hostinfo_darwin.c
