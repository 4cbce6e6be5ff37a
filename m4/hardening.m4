# AT_HARDENING: each flag is probed; the comment says what it buys. Off in sanitizer builds where the two collide.
AC_DEFUN([AT_HARDENING], [
  AC_ARG_ENABLE([hardening], [AS_HELP_STRING([--disable-hardening], [build without hardening flags])],
    [], [enable_hardening=yes])
  HARDEN_CFLAGS=
  HARDEN_LDFLAGS=
  AS_IF([test "$enable_hardening" = yes], [
    # bounds checks in libc calls; needs optimisation, and sanitizers replace the same calls
    AS_IF([test "$sanitizers" = none], [
      AT_TRY_CFLAG([HARDEN_CFLAGS], [-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3])
      AS_CASE([$HARDEN_CFLAGS], [*FORTIFY*], [],
        [AT_TRY_CFLAG([HARDEN_CFLAGS], [-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2])])
    ])
    # canary on every function with an array; probing of large stack frames
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fstack-protector-strong])
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fstack-clash-protection])
    # indirect branches and returns land only where they may
    AS_CASE([$host_cpu],
      [x86_64], [AT_TRY_CFLAG([HARDEN_CFLAGS], [-fcf-protection=full])],
      [aarch64], [AT_TRY_CFLAG([HARDEN_CFLAGS], [-mbranch-protection=standard])])
    # no information from old stack contents or registers
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-ftrivial-auto-var-init=zero])
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fzero-call-used-regs=used-gpr])
    # only true flexible arrays are flexible; padding is zeroed too
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fstrict-flex-arrays=3])
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fzero-init-padding-bits=all])
    # undefined arithmetic and aliasing must not remove checks
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fno-strict-overflow])
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fno-strict-aliasing])
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fno-delete-null-pointer-checks])
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fvisibility=hidden])
    AT_TRY_CFLAG([HARDEN_CFLAGS], [-fPIE])
    AT_TRY_LDFLAG([HARDEN_LDFLAGS], [-pie])
    # relocations read-only and resolved at start; stack not executable; no unneeded libraries
    AT_TRY_LDFLAG([HARDEN_LDFLAGS], [-Wl,-z,relro])
    AT_TRY_LDFLAG([HARDEN_LDFLAGS], [-Wl,-z,now])
    AT_TRY_LDFLAG([HARDEN_LDFLAGS], [-Wl,-z,noexecstack])
    AT_TRY_LDFLAG([HARDEN_LDFLAGS], [-Wl,-z,separate-code])
    AT_TRY_LDFLAG([HARDEN_LDFLAGS], [-Wl,--as-needed])
    AT_TRY_LDFLAG([HARDEN_LDFLAGS], [-Wl,--no-copy-dt-needed-entries])
  ])
])

# AT_SMALL: a program holds what it can reach and nothing else of a library's tables, and the loader has as little to
# relocate at each start; the server and the gate are started once for each agent and each command.
AC_DEFUN([AT_SMALL], [
  SMALL_CFLAGS=
  SMALL_LDFLAGS=
  AT_TRY_LDFLAG([SMALL_LDFLAGS], [-Wl,--gc-sections])
  AS_CASE([$SMALL_LDFLAGS], [*gc-sections*], [AT_TRY_CFLAG([SMALL_CFLAGS], [-ffunction-sections -fdata-sections])])
  AT_TRY_LDFLAG([SMALL_LDFLAGS], [-Wl,-z,pack-relative-relocs])
])
