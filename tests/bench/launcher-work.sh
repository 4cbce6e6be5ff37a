#!/bin/sh
# What work inside costs beside the same work outside: CPU-bound, and 200 files unpacked and compiled (issue: SPEED). The work
# is long enough that the start, which launcher-start.sh measures, is little of it.
# shellcheck source=tests/lib/confine.sh
. "${TOP_SRCDIR:?run through make bench}/tests/lib/confine.sh"
# An account that is in the user database: a start looks its home folder up, and for an unknown one that search goes far.
TEST_UID=65534
confine_begin bench >/dev/null
ROUNDS=${ROUNDS:-10}
bad=0
for WHO in $WHOS; do
	world
	mkdir "$W/src"
	i=0
	while [ $i -lt 200 ]; do
		printf 'int f%s(int x) { return x + %s; }\n' $i $i >"$W/src/f$i.c"
		i=$((i + 1))
	done
	tar -C "$W" -cf "$P/src.tar" src && own "$W"
	# shellcheck disable=SC2016
	echo 'i=0; while [ $i -lt 2000000 ]; do i=$((i + 1)); done' >"$P/cpu.sh"
	echo 'rm -rf src && tar -xf src.tar && cd src && cc -c f*.c && ar rc lib.a *.o' >"$P/files.sh"
	own "$P"
	for work in cpu files; do
		echo "# $WHO: $work"
		{
			printf 'outside\tsh|%s.sh\n' $work
			printf 'agent\t%s|--quiet|--|sh|%s.sh\n' "$CONFINE" $work
			printf 'command\t%s|--quiet|--preset|command|--|sh|%s.sh\n' "$CONFINE" $work
		} | (cd "$P" && as "$TOP_BUILDDIR/tests/tools/compare" "$ROUNDS") | tee "$TMP/out"
		for label in agent command; do
			awk -v label=$label '$1 == label { printf "%-28s %s, at most 1.05: %s\n", label, $4, $4 <= 1.05 ? "ok" : "TOO SLOW"; if ($4 > 1.05) exit 1 }' "$TMP/out" || bad=1
		done
	done
done
exit $bad
