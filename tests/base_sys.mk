# Tests of base/'s system half: one Criterion program per module, with a shared set of helpers.
if HAVE_CRITERION
check_LIBRARIES += libsystest.a
libsystest_a_SOURCES = \
	%reldir%/unit/base/systest.h %reldir%/unit/base/systest.c \
	%reldir%/unit/base/proctest.h %reldir%/unit/base/proctest.c
libsystest_a_CFLAGS = $(UNIT_CFLAGS)
SYSTEST_LIBS = libsystest.a $(UNIT_LIBS)

BASE_SYS_UNIT_TESTS = \
	%reldir%/unit/base/t_clock \
	%reldir%/unit/base/t_lock \
	%reldir%/unit/base/t_proc \
	%reldir%/unit/base/t_proc_map \
	%reldir%/unit/base/t_custody \
	%reldir%/unit/base/t_errno \
	%reldir%/unit/base/t_rand \
	%reldir%/unit/base/t_log \
	%reldir%/unit/base/t_io \
	%reldir%/unit/base/t_pathfd \
	%reldir%/unit/base/t_pathname \
	%reldir%/unit/base/t_resolve \
	%reldir%/unit/base/t_atomicfile
%canon_reldir%_unit_base_t_rand_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_rand_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_log_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_log_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_io_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_io_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_pathfd_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_pathfd_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_pathname_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_pathname_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_resolve_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_resolve_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_atomicfile_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_atomicfile_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_clock_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_clock_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_lock_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_lock_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_proc_CFLAGS = $(UNIT_CFLAGS) -Wno-write-strings
%canon_reldir%_unit_base_t_proc_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_proc_map_CFLAGS = $(UNIT_CFLAGS) -Wno-write-strings
%canon_reldir%_unit_base_t_proc_map_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_custody_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_custody_LDADD = $(SYSTEST_LIBS)
%canon_reldir%_unit_base_t_errno_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_errno_LDADD = $(SYSTEST_LIBS)
# Started by t_proc and t_proc_map.
check_PROGRAMS += %reldir%/unit/base/procprobe
%canon_reldir%_unit_base_procprobe_CFLAGS = $(AM_CFLAGS)
if FAULT_HOOKS
BASE_SYS_UNIT_TESTS += %reldir%/unit/base/t_fault
%canon_reldir%_unit_base_t_fault_CFLAGS = $(UNIT_CFLAGS) -Wno-write-strings
%canon_reldir%_unit_base_t_fault_LDADD = $(SYSTEST_LIBS)
# Started by t_fault.
check_PROGRAMS += %reldir%/unit/base/faultprobe
%canon_reldir%_unit_base_faultprobe_CFLAGS = $(AM_CFLAGS)
%canon_reldir%_unit_base_faultprobe_LDADD = $(BASE_LIBS)
endif
check_PROGRAMS += $(BASE_SYS_UNIT_TESTS)
TESTS += $(BASE_SYS_UNIT_TESTS)
endif
