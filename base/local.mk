# base/: shared code. Two archives, so that the linker enforces purity: nothing in libbase_pure.a may make a system
# call, look at a clock or at the environment.
noinst_LIBRARIES += libbase_pure.a libbase_sys.a

libbase_pure_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS) $(CJSON_CFLAGS) $(SODIUM_CFLAGS)
libbase_pure_a_SOURCES = \
	%reldir%/base.h %reldir%/banned.h %reldir%/limits.h %reldir%/view.h \
	%reldir%/err.h %reldir%/err.c \
	%reldir%/buf.h %reldir%/buf.c \
	%reldir%/hex.h %reldir%/hex.c \
	%reldir%/utf8.h %reldir%/utf8.c \
	%reldir%/hash.h %reldir%/hash.c \
	%reldir%/base64.h %reldir%/base64.c \
	%reldir%/pathstr.h %reldir%/pathstr.c

libbase_sys_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS) $(SODIUM_CFLAGS)
libbase_sys_a_SOURCES = \
	%reldir%/clock.h %reldir%/clock.c \
	%reldir%/pathfd.h %reldir%/custody.h

# What a program links: system part first, it uses the pure one.
BASE_LIBS = libbase_sys.a libbase_pure.a $(CJSON_LIBS) $(SODIUM_LIBS)
