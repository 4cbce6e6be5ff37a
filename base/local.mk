# base/: shared code. Two archives, so that the linker enforces purity: nothing in libbase_pure.a may make a system
# call, look at a clock or at the environment.
noinst_LIBRARIES += libbase_pure.a libbase_sys.a

libbase_pure_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS) $(CJSON_CFLAGS) $(SODIUM_CFLAGS)
libbase_pure_a_SOURCES = \
	%reldir%/base.h %reldir%/banned.h %reldir%/limits.h %reldir%/limits_command.h %reldir%/limits_grant.h %reldir%/view.h \
	%reldir%/err.h %reldir%/err.c \
	%reldir%/buf.h %reldir%/buf.c \
	%reldir%/hex.h %reldir%/hex.c \
	%reldir%/utf8.h %reldir%/utf8.c \
	%reldir%/sha256_x86.h %reldir%/sha256_x86.c \
	%reldir%/hash.h %reldir%/hash.c \
	%reldir%/base64.h %reldir%/base64.c \
	%reldir%/pathstr.h %reldir%/pathstr.c %reldir%/sort.h \
	%reldir%/json.h %reldir%/json_scan.h %reldir%/json_scan.c \
	%reldir%/json_names.h %reldir%/json_names.c %reldir%/json_check.c \
	%reldir%/json.c %reldir%/json_raw.c \
	%reldir%/jsonw.h %reldir%/jsonw.c %reldir%/jsonw_value.c

libbase_sys_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS) $(SODIUM_CFLAGS)
libbase_sys_a_SOURCES = \
	%reldir%/clock.h %reldir%/clock.c \
	%reldir%/rand.h %reldir%/rand.c \
	%reldir%/log.h %reldir%/log.c \
	%reldir%/fault.h \
	%reldir%/io.h %reldir%/io.c %reldir%/fdlist.h %reldir%/fdlist.c \
	%reldir%/lock.h %reldir%/lock.c \
	%reldir%/proc.h %reldir%/proc.c %reldir%/proc_child.h %reldir%/proc_child.c \
	%reldir%/pathfd.h %reldir%/pathfd.c %reldir%/pathfd_walk.h %reldir%/pathfd_walk.c \
	%reldir%/pathfd_name.c %reldir%/pathfd_resolve.c \
	%reldir%/watchdir.h %reldir%/rootid.h %reldir%/rootid.c %reldir%/custody.h %reldir%/custody.c %reldir%/hugeheap.h %reldir%/hugeheap.c \
	%reldir%/atomicfile.h %reldir%/atomicfile.c
if FAULT_HOOKS
libbase_sys_a_SOURCES += %reldir%/fault.c
endif

# What a program links: system part first, it uses the pure one.
BASE_LIBS = libbase_sys.a libbase_pure.a $(CJSON_LIBS) $(SODIUM_LIBS)
