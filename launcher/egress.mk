# launcher/: filtered egress and the macOS parts, an archive of their own so that tests and fuzz targets link little.
noinst_LIBRARIES += libegress.a
libegress_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS)
libegress_a_SOURCES = \
	%reldir%/egress.h \
	%reldir%/egress_host.h %reldir%/egress_host.c \
	%reldir%/egress_addr.h %reldir%/egress_addr.c \
	%reldir%/egress_rules.c \
	%reldir%/egress_http_token.h %reldir%/egress_http_token.c \
	%reldir%/egress_http.h %reldir%/egress_http.c %reldir%/egress_http_body.c \
	%reldir%/egress_socks.h %reldir%/egress_socks.c \
	%reldir%/egress_tls.h %reldir%/egress_tls.c \
	%reldir%/egress_log.h %reldir%/egress_log.c \
	%reldir%/egress_lane.h %reldir%/egress_conn.h \
	%reldir%/egress_conn.c %reldir%/egress_flow.c %reldir%/egress_refuse.c \
	%reldir%/egress_environment.c %reldir%/egress_check.c \
	%reldir%/seatbelt.h \
	%reldir%/seatbelt_text.h %reldir%/seatbelt_text.c \
	%reldir%/seatbelt_profile.c \
	%reldir%/seatbelt_goose.h %reldir%/seatbelt_goose.c %reldir%/seatbelt_goose_config.c \
	%reldir%/seatbelt_argv.c \
	%reldir%/seatbelt_tree.h %reldir%/seatbelt_parse.c %reldir%/seatbelt_lint.c %reldir%/seatbelt_eval.c
if OS_LINUX
libegress_a_SOURCES += \
	%reldir%/egress_io.h %reldir%/egress_io.c \
	%reldir%/egress_confine.h %reldir%/egress_confine_linux.c \
	%reldir%/egress_resolver.h %reldir%/egress_resolver.c \
	%reldir%/egress_loop.h %reldir%/egress_loop.c \
	%reldir%/egress_wire.h %reldir%/egress_main.c %reldir%/egress_start.c \
	%reldir%/egress_connect.c
endif

# What a program that uses them links before $(POLICY_LIBS) and $(BASE_LIBS).
EGRESS_LIBS = libegress.a

# The script that the generator puts into projects as sandbox/confine-run.sh, under that name.
EXTRA_DIST += %reldir%/shim.sh
pkgdata_SCRIPTS = %reldir%/confine-run.sh
CLEANFILES += %reldir%/confine-run.sh
%reldir%/confine-run.sh: $(srcdir)/%reldir%/shim.sh
	$(AM_V_GEN)$(MKDIR_P) %reldir% && cp $(srcdir)/%reldir%/shim.sh $@.tmp && chmod 755 $@.tmp && mv $@.tmp $@
