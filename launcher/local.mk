# launcher/: wraps one command in bubblewrap, seccomp and Landlock. In reading order.
#   confine-run   what the user calls: checks, plan, start, event loop, report
#   confine-init  stage 2, pid 1 inside: proves the boundary, starts the command, reaps (static where possible)
noinst_LIBRARIES += liblauncher_pure.a
liblauncher_pure_a_CFLAGS = $(AM_CFLAGS)
liblauncher_pure_a_SOURCES = \
	%reldir%/options.h %reldir%/options_table.h %reldir%/options.c %reldir%/options_table.c \
	%reldir%/options_check.c \
	%reldir%/plan.h %reldir%/plan.c \
	%reldir%/bwrap_args.h %reldir%/bwrap_args.c \
	%reldir%/git_config.h %reldir%/git_config.c

if OS_LINUX
# The filters, compiled once: a program that runs here prints them, so a cross build needs an emulator for it.
noinst_LIBRARIES += libseccomp_compile.a
libseccomp_compile_a_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
libseccomp_compile_a_SOURCES = %reldir%/seccomp_compile.h %reldir%/seccomp_linux.c
noinst_PROGRAMS += %reldir%/seccomp_gen
%canon_reldir%_seccomp_gen_LDADD = libseccomp_compile.a $(POLICY_LIBS) $(SECCOMP_LIBS) $(BASE_LIBS)
%reldir%/seccomp_programs.inc: %reldir%/seccomp_gen$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %reldir% && ./%reldir%/seccomp_gen$(EXEEXT) >$@.tmp && mv $@.tmp $@
CLEANFILES += %reldir%/seccomp_programs.inc
%reldir%/liblauncher_a-seccomp_programs.$(OBJEXT): %reldir%/seccomp_programs.inc

noinst_LIBRARIES += liblauncher.a
liblauncher_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir) -DBINDIR='"$(bindir)"' -DLIBEXECDIR='"$(libexecdir)"'
liblauncher_a_CFLAGS = $(AM_CFLAGS)
liblauncher_a_SOURCES = \
	%reldir%/launch.h %reldir%/launch.c %reldir%/strings.c \
	%reldir%/object.h %reldir%/object.c \
	%reldir%/roots.c %reldir%/guards.c %reldir%/gitscan.c %reldir%/git_named.h %reldir%/git_named.c %reldir%/masks.c %reldir%/streams.c %reldir%/childenv.c \
	%reldir%/host.h %reldir%/host_linux.c \
	%reldir%/check_print.h %reldir%/check_print.c \
	%reldir%/seccomp.h %reldir%/seccomp_compile.h %reldir%/seccomp_programs.c \
	%reldir%/exec_list.h %reldir%/exec_list.c \
	%reldir%/wire.h %reldir%/wire.c \
	%reldir%/landlock.h %reldir%/landlock_linux.c \
	%reldir%/sandbox.h %reldir%/holder_linux.c %reldir%/late_linux.c %reldir%/start_linux.c %reldir%/plan_records.c \
	%reldir%/overlay.h %reldir%/overlay.c %reldir%/overlay_list.c \
	%reldir%/changes.h %reldir%/changes.c \
	%reldir%/after.h %reldir%/after.c %reldir%/audit.c %reldir%/audit_state.c %reldir%/placeholder.c \
	%reldir%/cgroup.h %reldir%/cgroup_linux.c \
	%reldir%/relay.h %reldir%/relay.c \
	%reldir%/report.h %reldir%/report.c \
	%reldir%/explain.h %reldir%/explain.c \
	%reldir%/spec.h %reldir%/spec.c %reldir%/spec_report.c \
	%reldir%/run.h %reldir%/run_internal.h %reldir%/run.c %reldir%/run_egress.c

bin_PROGRAMS += confine-run
confine_run_CFLAGS = $(AM_CFLAGS)
confine_run_SOURCES = \
	%reldir%/main.c %reldir%/main_modes.h %reldir%/main_modes.c \
	%reldir%/preflight.c %reldir%/probe.h %reldir%/probe_linux.c \
	%reldir%/selftest.c %reldir%/selftest_world.h %reldir%/selftest_world.c %reldir%/acts.h %reldir%/acts.c
LAUNCHER_LIBS = liblauncher.a liblauncher_pure.a $(EGRESS_LIBS) libconfine_self.a $(POLICY_LIBS)
confine_run_LDFLAGS = $(PROGRAM_LDFLAGS)
confine_run_LDADD = $(LAUNCHER_LIBS) $(BASE_LIBS)

libexec_PROGRAMS += confine-init
confine_init_CFLAGS = $(AM_CFLAGS)
confine_init_SOURCES = \
	%reldir%/stage2.h %reldir%/stage2.c %reldir%/stage2_check.c %reldir%/stage2_apply.c %reldir%/stage2_start.c \
	%reldir%/landlock_linux.c %reldir%/wire.c
confine_init_LDFLAGS = $(STATIC_LDFLAGS)
confine_init_LDADD = libbase_sys.a libbase_pure.a
endif

include %reldir%/egress.mk
