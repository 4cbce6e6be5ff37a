# AT_TRY_CFLAG(VARIABLE, FLAG) and AT_TRY_LDFLAG(VARIABLE, FLAG): append FLAG to VARIABLE if compiler and linker
# take it without a word. Probed one by one, since compilers differ in what they accept and in what they ignore.
AC_DEFUN([AT_TRY_CFLAG], [
  AC_MSG_CHECKING([whether $CC takes $2])
  at_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $2"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]], [[char b[16]; memset(b, 0, sizeof(b)); return b[0];]])],
    [AC_MSG_RESULT([yes]); AS_VAR_APPEND([$1], [" $2"])], [AC_MSG_RESULT([no])])
  CFLAGS=$at_saved_CFLAGS
])
AC_DEFUN([AT_TRY_LDFLAG], [
  AC_MSG_CHECKING([whether the linker takes $2])
  at_saved_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS -Werror $2"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes]); AS_VAR_APPEND([$1], [" $2"])], [AC_MSG_RESULT([no])])
  LDFLAGS=$at_saved_LDFLAGS
])
