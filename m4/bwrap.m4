# AT_BWRAP: the absolute path of bubblewrap is fixed here (file 00, D10); nothing looks it up on PATH later.
AC_DEFUN([AT_BWRAP], [
  AC_ARG_WITH([bwrap],
    [AS_HELP_STRING([--with-bwrap=PATH], [bubblewrap to run, absolute @<:@/usr/bin/bwrap@:>@])],
    [], [with_bwrap=/usr/bin/bwrap])
  AS_CASE([$with_bwrap],
    [/*], [],
    [AC_MSG_ERROR([--with-bwrap needs an absolute path, not "$with_bwrap"])])
  AC_SUBST([BWRAP], ["$with_bwrap"])
  AC_DEFINE_UNQUOTED([BWRAP_PATH], ["$with_bwrap"], [Absolute path of bubblewrap.])
  AS_IF([test -x "$with_bwrap"], [bwrap_text="$with_bwrap"], [bwrap_text="$with_bwrap (not there now)"])
])
