# Tests of filtered egress, of the macOS parts and of the shim.
if HAVE_CRITERION
%canon_reldir%_unit_launcher_t_egress_SOURCES = \
	%reldir%/unit/launcher/t_egress_host.c \
	%reldir%/unit/launcher/t_egress_addr.c \
	%reldir%/unit/launcher/t_egress_rules.c \
	%reldir%/unit/launcher/t_egress_http.c \
	%reldir%/unit/launcher/t_egress_hostile.c \
	%reldir%/unit/launcher/t_egress_socks.c \
	%reldir%/unit/launcher/t_egress_tls.c \
	%reldir%/unit/launcher/egress_rig.h %reldir%/unit/launcher/t_egress_conn.c \
	%reldir%/unit/launcher/t_egress_flow.c
%canon_reldir%_unit_launcher_t_egress_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_egress_LDADD = $(EGRESS_LIBS) $(POLICY_LIBS) $(UNIT_LIBS)
%canon_reldir%_unit_launcher_t_seatbelt_SOURCES = \
	%reldir%/unit/launcher/seatbelt_rig.h \
	%reldir%/unit/launcher/t_seatbelt_text.c \
	%reldir%/unit/launcher/t_seatbelt_profile.c \
	%reldir%/unit/launcher/t_seatbelt_goose.c \
	%reldir%/unit/launcher/t_seatbelt_argv.c \
	%reldir%/unit/launcher/t_seatbelt_parse.c \
	%reldir%/unit/launcher/t_seatbelt_eval.c \
	%reldir%/unit/launcher/t_seatbelt_golden.c
%canon_reldir%_unit_launcher_t_seatbelt_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_launcher_t_seatbelt_LDADD = $(EGRESS_LIBS) $(POLICY_LIBS) $(UNIT_LIBS)
check_PROGRAMS += %reldir%/unit/launcher/t_egress %reldir%/unit/launcher/t_seatbelt
TESTS += %reldir%/unit/launcher/t_egress %reldir%/unit/launcher/t_seatbelt
endif

EGRESS_E2E_TESTS = %reldir%/e2e/t0310-shim.tap
if OS_LINUX
# The launcher's part in egress alone, so that the proxy can be tested without the rest.
check_PROGRAMS += %reldir%/helpers/egressbox
%canon_reldir%_helpers_egressbox_SOURCES = %reldir%/helpers/egressbox.c
%canon_reldir%_helpers_egressbox_LDADD = $(EGRESS_LIBS) libconfine_self.a $(POLICY_LIBS) $(BASE_LIBS)
EGRESS_E2E_TESTS += %reldir%/e2e/t0320-egress-check.tap %reldir%/e2e/t0300-egress.tap %reldir%/e2e/t0330-confine-egress.tap %reldir%/escape/x0610-egress-confined.tap
check_PROGRAMS += %reldir%/helpers/egressprobe
%canon_reldir%_helpers_egressprobe_SOURCES = %reldir%/helpers/egressprobe.c
%canon_reldir%_helpers_egressprobe_LDADD = $(EGRESS_LIBS) libconfine_self.a $(POLICY_LIBS) $(BASE_LIBS)
endif
EXTRA_DIST += %reldir%/helpers/internet.py %reldir%/lib/netlab.sh
TESTS += $(EGRESS_E2E_TESTS)
EXTRA_DIST += $(EGRESS_E2E_TESTS)

# Parsers of bytes from inside the sandbox and from servers, and the machine behind them.
EGRESS_FUZZ_LIBS = $(EGRESS_LIBS) $(FUZZ_LIBS)
FUZZ_TARGETS += \
	%reldir%/fuzz/fuzz_egress_rules %reldir%/fuzz/fuzz_egress_http %reldir%/fuzz/fuzz_egress_socks \
	%reldir%/fuzz/fuzz_egress_tls %reldir%/fuzz/fuzz_egress_conn %reldir%/fuzz/fuzz_seatbelt
%canon_reldir%_fuzz_fuzz_egress_rules_LDADD = $(EGRESS_FUZZ_LIBS)
%canon_reldir%_fuzz_fuzz_egress_http_LDADD = $(EGRESS_FUZZ_LIBS)
%canon_reldir%_fuzz_fuzz_egress_socks_LDADD = $(EGRESS_FUZZ_LIBS)
%canon_reldir%_fuzz_fuzz_egress_tls_LDADD = $(EGRESS_FUZZ_LIBS)
%canon_reldir%_fuzz_fuzz_egress_conn_LDADD = $(EGRESS_FUZZ_LIBS)
%canon_reldir%_fuzz_fuzz_seatbelt_LDADD = $(EGRESS_FUZZ_LIBS)
EXTRA_DIST += %reldir%/golden/seatbelt
