# AT_FEATURES: system calls and headers that the code chooses by. Everything here is probed again at run time.
AC_DEFUN([AT_FEATURES], [
  AC_CHECK_HEADERS([linux/landlock.h linux/openat2.h linux/seccomp.h sys/inotify.h sys/pidfd.h sys/event.h])
  AC_CHECK_FUNCS([close_range explicit_bzero pidfd_open getrandom renameat2])
  have_landlock_text="no"
  AS_IF([test "$ac_cv_header_linux_landlock_h" = yes], [have_landlock_text="yes"])
  have_seccomp_text="no"
  AS_IF([test "$os" = linux], [have_seccomp_text="yes (libseccomp)"])
])
