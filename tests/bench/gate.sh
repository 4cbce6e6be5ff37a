#!/bin/sh
# The gate as a whole process against fork and exec of true(1), measured alternately in one run. Medians. Limits: 1.5 times
# for a command of 100 bytes, 5 times for the reference's worst input and for other inputs of 64 kB, 100 ms for the padding
# that made the reference time out, at 1 MiB, and for an event of 4 MiB.
set -u
bench=${TOP_BUILDDIR:?}/tests/bench/bench_gate
gate=$TOP_BUILDDIR/gate/agentteams-gate
dir=$(mktemp -d "${TMPDIR:-/tmp}/gate-bench.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT

event() { # name unit count head tail
	awk -v u="$2" -v n="$3" -v h="${4:-}" -v t="${5:-}" 'BEGIN {
		printf "{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"cwd\":\"/w\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"%s", h
		for (i = 0; i < n; i++) { x = u; if (index(u, "@")) gsub(/@/, i, x); printf "%s", x }
		printf "%s\"}}", t }' >"$dir/$1"
}
event small 'cd src && git status --short && grep -rn foo . | head -20 && make -j4 test 2>&1 | tail -50 # 100 bytes' 1
event worst-32k 'git push ' 3640
event short-64k 'a;' 32700
event delete-64k 'rm a; ' 10900
event words-64k 'a@b ' 9800 'rm '
event text-64k 'x' 65500
event double-64k 'x=$x$x;' 9300
event nest-64k '$(' 32700
event brace-64k '{' 65500
event loop-64k '$i x; ' 10800 'for i in a b c d; do ' ' done'
event wrap-64k 'env ' 16300
event prose-64k 'never rm -rf this or sudo that\\n' 2000 'cat <<E\\n' 'E'
event padding-1m 'git push ' 116000
event event-4m 'x ' 2090000
exec "$bench" "${BENCH_RUNS:-200}" "$gate" 1.5 "$dir/small" 5 "$dir/worst-32k" 5 "$dir/short-64k" 5 "$dir/delete-64k" \
	5 "$dir/words-64k" 5 "$dir/text-64k" 5 "$dir/double-64k" 5 "$dir/nest-64k" 5 "$dir/brace-64k" 5 "$dir/loop-64k" \
	5 "$dir/wrap-64k" 5 "$dir/prose-64k" \
	100ms "$dir/padding-1m" 100ms "$dir/event-4m"
