# AT_FUZZ: fuzz targets are always built. By default with a driver that replays the seeds (part of "make check");
# with --enable-fuzzer they link the compiler's coverage-guided engine for "make check-fuzz".
AC_DEFUN([AT_FUZZ], [
  AC_ARG_ENABLE([fuzzer], [AS_HELP_STRING([--enable-fuzzer], [link fuzz targets with libFuzzer (clang)])],
    [], [enable_fuzzer=no])
  FUZZ_LDFLAGS=
  fuzz_text="replay of seeds only"
  AS_IF([test "$enable_fuzzer" = yes], [
    AT_TRY_CFLAG([SAN_CFLAGS], [-fsanitize=fuzzer-no-link])
    AS_CASE([$SAN_CFLAGS], [*fuzzer-no-link*], [], [AC_MSG_ERROR([--enable-fuzzer needs clang])])
    FUZZ_LDFLAGS="-fsanitize=fuzzer"
    fuzz_text="libFuzzer"
  ])
  AC_SUBST([FUZZ_LDFLAGS])
  AM_CONDITIONAL([FUZZER], [test "$enable_fuzzer" = yes])
])
