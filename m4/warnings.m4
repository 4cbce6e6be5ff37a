# AT_WARNINGS: the warning set of the house. --enable-werror turns each into an error (build machines do).
AC_DEFUN([AT_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
    [], [enable_werror=no])
  WARN_CFLAGS=
  m4_foreach_w([at_flag], [-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wvla -Wswitch-enum -Wundef -Wwrite-strings
    -Wpointer-arith -Wimplicit-fallthrough -Wnull-dereference -Wcast-qual -Wunused-result -Werror=unused-result
    -Werror=implicit-function-declaration -Werror=return-type -Wno-missing-field-initializers],
    [AT_TRY_CFLAG([WARN_CFLAGS], at_flag)])
  # together: a compiler ignores the second and third without the first
  AT_TRY_CFLAG([WARN_CFLAGS], [-Wformat=2 -Werror=format-nonliteral -Werror=format-security])
  AS_IF([test "$enable_werror" = yes], [AS_VAR_APPEND([WARN_CFLAGS], [" -Werror"])])
  # For base/ and policy/, where a silent narrowing would be a wrong verdict.
  STRICT_CFLAGS=
  m4_foreach_w([at_flag], [-Wconversion -Wno-sign-conversion], [AT_TRY_CFLAG([STRICT_CFLAGS], at_flag)])
  AC_SUBST([STRICT_CFLAGS])
])
