# Tests of launcher/: pure parts as units, the boundary by trying to break it, the program from outside.
if OS_LINUX
if HAVE_CRITERION
LAUNCHER_UNIT_TESTS = \
	%reldir%/unit/launcher/t_options %reldir%/unit/launcher/t_plan %reldir%/unit/launcher/t_seccomp \
	%reldir%/unit/launcher/t_git_config %reldir%/unit/launcher/t_overlay %reldir%/unit/launcher/t_spec \
	%reldir%/unit/launcher/t_wire
LAUNCHER_UNIT_LIBS = $(LAUNCHER_LIBS) $(UNIT_LIBS)
%canon_reldir%_unit_launcher_t_options_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_options_LDADD = $(LAUNCHER_UNIT_LIBS)
%canon_reldir%_unit_launcher_t_plan_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_plan_LDADD = $(LAUNCHER_UNIT_LIBS)
%canon_reldir%_unit_launcher_t_seccomp_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_seccomp_LDADD = libseccomp_compile.a $(LAUNCHER_UNIT_LIBS) $(SECCOMP_LIBS)
%canon_reldir%_unit_launcher_t_git_config_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_git_config_LDADD = $(LAUNCHER_UNIT_LIBS)
%canon_reldir%_unit_launcher_t_overlay_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_overlay_LDADD = $(LAUNCHER_UNIT_LIBS)
%canon_reldir%_unit_launcher_t_spec_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_spec_LDADD = $(LAUNCHER_UNIT_LIBS)
%canon_reldir%_unit_launcher_t_wire_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_wire_LDADD = $(LAUNCHER_UNIT_LIBS)
check_PROGRAMS += $(LAUNCHER_UNIT_TESTS)
TESTS += $(LAUNCHER_UNIT_TESTS)
endif

LAUNCHER_TAPS = \
	%reldir%/e2e/launcher-selftest.tap %reldir%/e2e/launcher-refusals.tap %reldir%/e2e/launcher-status.tap \
	%reldir%/e2e/launcher-kill.tap %reldir%/e2e/launcher-tty.tap %reldir%/e2e/launcher-overlay.tap %reldir%/e2e/launcher-readonly.tap \
	%reldir%/e2e/launcher-limits.tap %reldir%/e2e/launcher-host.tap %reldir%/e2e/launcher-explain.tap \
	%reldir%/e2e/launcher-programs.tap %reldir%/e2e/launcher-disks.tap \
	%reldir%/escape/attacks.tap %reldir%/escape/reference.tap %reldir%/escape/files.tap %reldir%/escape/guards.tap %reldir%/escape/kernel.tap %reldir%/escape/sockets.tap %reldir%/escape/streams.tap \
	%reldir%/escape/placeholder.tap %reldir%/escape/git.tap %reldir%/escape/race.tap \
	%reldir%/escape/late.tap %reldir%/escape/guards-late.tap %reldir%/escape/git-late.tap
TESTS += $(LAUNCHER_TAPS)

# Speed: a start beside bare bubblewrap, work inside beside work outside.
check_PROGRAMS += %reldir%/tools/compare
%canon_reldir%_tools_compare_LDADD = $(BASE_LIBS)
LAUNCHER_BENCHES = %reldir%/bench/launcher-start.sh %reldir%/bench/launcher-work.sh
BENCHES += $(LAUNCHER_BENCHES)
EXTRA_DIST += $(LAUNCHER_BENCHES)
EXTRA_DIST += $(LAUNCHER_TAPS) %reldir%/lib/confine.sh %reldir%/tools/playtty.py %reldir%/golden/launcher/rules.txt
endif
