# AT_TRY_CFLAG(VARIABLE, FLAG) and AT_TRY_LDFLAG(VARIABLE, FLAG): append FLAG to VARIABLE if compiler and linker
# take it without a word. Probed one by one, since compilers differ in what they accept and in what they ignore.
# The answers are cached (configure -C, --cache-file), so that ./check asks once for each compiler.
AC_DEFUN([AT_TRY_CFLAG], [
  AS_VAR_PUSHDEF([at_cache], [at_cv_cflag_$2])
  AC_CACHE_CHECK([whether $CC takes $2], [at_cache], [
    at_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $2"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]], [[char b[16]; memset(b, 0, sizeof(b)); return b[0];]])],
      [AS_VAR_SET([at_cache], [yes])], [AS_VAR_SET([at_cache], [no])])
    CFLAGS=$at_saved_CFLAGS
  ])
  AS_VAR_IF([at_cache], [yes], [AS_VAR_APPEND([$1], [" $2"])])
  AS_VAR_POPDEF([at_cache])
])
AC_DEFUN([AT_TRY_LDFLAG], [
  AS_VAR_PUSHDEF([at_cache], [at_cv_ldflag_$2])
  AC_CACHE_CHECK([whether the linker takes $2], [at_cache], [
    at_saved_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS -Werror $2"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([at_cache], [yes])], [AS_VAR_SET([at_cache], [no])])
    LDFLAGS=$at_saved_LDFLAGS
  ])
  AS_VAR_IF([at_cache], [yes], [AS_VAR_APPEND([$1], [" $2"])])
  AS_VAR_POPDEF([at_cache])
])
