# AT_SANITIZE: --enable-sanitizers[=LIST], default address,undefined. Instrumented programs make system calls that
# our own filters refuse, so these builds switch self-confinement off (SANITIZED) and the proofs of confinement run
# in a plain build.
AC_DEFUN([AT_SANITIZE], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@], [instrumented build @<:@address,undefined@:>@])],
    [], [enable_sanitizers=no])
  SAN_CFLAGS=
  SAN_LDFLAGS=
  sanitizers=none
  AS_CASE([$enable_sanitizers],
    [no], [],
    [yes], [sanitizers=address,undefined],
    [sanitizers=$enable_sanitizers])
  AS_IF([test "$sanitizers" != none], [
    AT_TRY_CFLAG([SAN_CFLAGS], [-fsanitize=$sanitizers])
    AS_IF([test -z "$SAN_CFLAGS"], [AC_MSG_ERROR([$CC can't do -fsanitize=$sanitizers])])
    AT_TRY_CFLAG([SAN_CFLAGS], [-fno-omit-frame-pointer])
    AT_TRY_CFLAG([SAN_CFLAGS], [-fno-sanitize-recover=undefined])
    SAN_LDFLAGS="-fsanitize=$sanitizers"
    # gcc's shared runtimes hold ten megabytes of their own that the search for leaks reads at each program's end, which is
    # most of what a start costs; clang's are static anyway.
    AT_TRY_LDFLAG([SAN_STATIC], [-fsanitize=$sanitizers -static-libasan -static-libubsan])
    AS_IF([test -n "$SAN_STATIC"], [SAN_LDFLAGS="$SAN_LDFLAGS -static-libasan -static-libubsan"])
    AC_DEFINE([SANITIZED], [1], [Define in instrumented builds, which can't confine themselves.])
  ])
  AM_CONDITIONAL([SANITIZED], [test "$sanitizers" != none])
])
