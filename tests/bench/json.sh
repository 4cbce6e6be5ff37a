#!/bin/sh
# Speed of the JSON reader (see bench_json.c): ratios against cJSON alone in the same run.
set -eu
exec "${TOP_BUILDDIR:?run through make bench}/tests/bench/bench_json"
