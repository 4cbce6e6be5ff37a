# Fuzz targets. An area adds one in its own fragment with two lines, its source being tests/fuzz/fuzz_NAME.c:
#
#	FUZZ_TARGETS += %reldir%/fuzz/fuzz_NAME
#	%canon_reldir%_fuzz_fuzz_NAME_LDADD = $(FUZZ_LIBS)
#
# Its seeds are the files of tests/fuzz/corpus/fuzz_NAME/; a dictionary may stand in tests/fuzz/dict/fuzz_NAME.dict.
# A plain build links a driver that replays the seeds in "make check". With --enable-fuzzer (clang) the targets are
# libFuzzer programs: "make check" replays with them, "make check-fuzz FUZZ_SECONDS=600" lets each run.
FUZZ_SECONDS = 600
FUZZ_TARGETS =
check_PROGRAMS += $(FUZZ_TARGETS)
TEST_ENV += TEST_FUZZ_TARGETS='$(FUZZ_TARGETS)'
EXTRA_DIST += %reldir%/fuzz/fuzz.h %reldir%/fuzz/corpus %reldir%/fuzz/dict %reldir%/fuzz/replay.tap

if FUZZER
FUZZ_LIBS = $(POLICY_LIBS) $(BASE_LIBS) $(FUZZ_LDFLAGS)
TESTS += %reldir%/fuzz/replay.tap
else
check_LIBRARIES += libfuzz_replay.a
libfuzz_replay_a_SOURCES = %reldir%/fuzz/replay_main.c
FUZZ_LIBS = libfuzz_replay.a $(POLICY_LIBS) $(BASE_LIBS)
TESTS += $(FUZZ_TARGETS)
endif

# What the engine finds is kept in fuzz-work/NAME/ of the build folder and read again by the next run.
check-fuzz: $(FUZZ_TARGETS)
if FUZZER
	@for t in $(FUZZ_TARGETS); do \
	  name=$${t##*/}; dict=$(top_srcdir)/%reldir%/fuzz/dict/$$name.dict; \
	  test -f $$dict && dict=-dict=$$dict || dict=; \
	  mkdir -p fuzz-work/$$name || exit 1; \
	  echo "== $$name, $(FUZZ_SECONDS) s"; \
	  $(AM_TESTS_ENVIRONMENT) ./$$t -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
	    -print_final_stats=1 -artifact_prefix=fuzz-work/$$name- $$dict \
	    fuzz-work/$$name $(top_srcdir)/%reldir%/fuzz/corpus/$$name || exit 1; \
	done
else
	@echo "check-fuzz needs a build with libFuzzer: configure CC=clang --enable-sanitizers --enable-fuzzer" >&2; exit 1
endif
.PHONY: check-fuzz
