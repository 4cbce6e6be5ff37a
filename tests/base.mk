# Tests of base/: one Criterion program per module, and fuzz targets for every parser.
if HAVE_CRITERION
BASE_UNIT_TESTS = \
	%reldir%/unit/base/t_err \
	%reldir%/unit/base/t_buf \
	%reldir%/unit/base/t_hex \
	%reldir%/unit/base/t_utf8 \
	%reldir%/unit/base/t_hash \
	%reldir%/unit/base/t_base64 \
	%reldir%/unit/base/t_pathstr
%canon_reldir%_unit_base_t_err_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_err_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_buf_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_buf_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_hex_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_hex_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_utf8_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_utf8_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_hash_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_hash_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_base64_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_base64_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_pathstr_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_pathstr_LDADD = $(UNIT_LIBS)
check_PROGRAMS += $(BASE_UNIT_TESTS)
TESTS += $(BASE_UNIT_TESTS)
endif
