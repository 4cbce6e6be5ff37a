# Tests of base/: one Criterion program per module, and fuzz targets for every parser.
if HAVE_CRITERION
BASE_UNIT_TESTS = \
	%reldir%/unit/base/t_err \
	%reldir%/unit/base/t_buf \
	%reldir%/unit/base/t_hex \
	%reldir%/unit/base/t_utf8 \
	%reldir%/unit/base/t_hash \
	%reldir%/unit/base/t_base64 \
	%reldir%/unit/base/t_pathstr \
	%reldir%/unit/base/t_json \
	%reldir%/unit/base/t_json_number \
	%reldir%/unit/base/t_json_raw \
	%reldir%/unit/base/t_jsonw \
	%reldir%/unit/base/t_canonical
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
%canon_reldir%_unit_base_t_json_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_json_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_json_number_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_json_number_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_json_raw_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_json_raw_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_jsonw_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_jsonw_LDADD = $(UNIT_LIBS)
%canon_reldir%_unit_base_t_canonical_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_canonical_LDADD = $(UNIT_LIBS)

# Every allocation of the library goes through the test's own (GNU ld and lld; not on macOS).
if OS_LINUX
BASE_UNIT_TESTS += %reldir%/unit/base/t_nomem
%canon_reldir%_unit_base_t_nomem_CFLAGS = $(UNIT_CFLAGS) $(CJSON_CFLAGS)
%canon_reldir%_unit_base_t_nomem_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free
%canon_reldir%_unit_base_t_nomem_LDADD = $(UNIT_LIBS)
endif

check_PROGRAMS += $(BASE_UNIT_TESTS)
TESTS += $(BASE_UNIT_TESTS)
endif

FUZZ_TARGETS += %reldir%/fuzz/fuzz_json
%canon_reldir%_fuzz_fuzz_json_LDADD = $(FUZZ_LIBS)
FUZZ_TARGETS += %reldir%/fuzz/fuzz_utf8
%canon_reldir%_fuzz_fuzz_utf8_LDADD = $(FUZZ_LIBS)
FUZZ_TARGETS += %reldir%/fuzz/fuzz_pathstr
%canon_reldir%_fuzz_fuzz_pathstr_LDADD = $(FUZZ_LIBS)

BENCHES += %reldir%/bench/json.sh
EXTRA_DIST += %reldir%/bench/json.sh %reldir%/lib/fnv_collide.h
check_PROGRAMS += %reldir%/bench/bench_json
%canon_reldir%_bench_bench_json_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)
%canon_reldir%_bench_bench_json_LDADD = $(BASE_LIBS)
