#!/bin/sh
# What a start costs beside bare bubblewrap with the same mounts (issue: SPEED). Ratios in one run, medians.
# ROUNDS=100 ./launcher-start.sh; set SRT to the cli.js of Anthropic's sandbox-runtime to have it beside.
# shellcheck source=tests/lib/confine.sh
. "${TOP_SRCDIR:?run through make bench}/tests/lib/confine.sh"
# An account that is in the user database: a start looks its home folder up, and for an unknown one that search goes far.
TEST_UID=65534
confine_begin bench >/dev/null
ROUNDS=${ROUNDS:-100}
bad=0

# The plan of a run as a line for bare bubblewrap: what --check prints, descriptors turned into paths.
bare() {
	(cd "$P" && as "$CONFINE" --check --quiet -- /bin/true) | sed -n 's/^  effective *: //p' |
		sed -E 's/ -- confine-init$//; s/--add-seccomp-fd [0-9]+//g; s/--(ro-)?bind-fd [0-9]+ ([^ ]+)/--\1bind \2 \2/g' |
		sed -E 's/--perms 0000 --ro-bind-data [0-9]+ ([^ ]+)/--ro-bind \/dev\/null \1/g; s/ +/|/g; s/\|$//'
}
check() { # label most
	awk -v label="$1" -v most="$2" '$1 == label { printf "%-28s %s, at most %s: %s\n", label, $4, most, $4 <= most ? "ok" : "TOO SLOW"; if ($4 > most) exit 1 }' "$TMP/out" || bad=1
}
compare() {
	(cd "$P" && as "$TOP_BUILDDIR/tests/tools/compare" "$ROUNDS") | tee "$TMP/out"
}

for WHO in $WHOS; do
	world
	mkdir -p "$P/.claude" "$P/.git/hooks" "$W/upper" && echo '{}' >"$P/.claude/settings.json" && own "$W"
	echo "# $WHO: start, all layers"
	{
		printf 'bwrap\t%s|/bin/true\n' "$(bare)"
		printf 'agent\t%s|--quiet|--|/bin/true\n' "$CONFINE"
		printf 'command\t%s|--quiet|--preset|command|--|/bin/true\n' "$CONFINE"
		printf 'command-overlay\t%s|--quiet|--preset|command|--overlay|%s|--|/bin/true\n' "$CONFINE" "$P"
		printf 'fork-and-exec\t/bin/true\n'
		[ -z "${SRT:-}" ] || printf 'sandbox-runtime\tnode|%s|/bin/true\n' "$SRT"
	} | compare
	check agent 1.4
	check command-overlay 1.8
	if [ -n "${SRT:-}" ]; then
		awk '$1 == "agent" { a = $2 } $1 == "sandbox-runtime" { s = $2 } END { printf "agent / sandbox-runtime      %.3f, at most 0.2: %s\n", a / s, a / s <= 0.2 ? "ok" : "TOO SLOW"; exit a / s > 0.2 }' "$TMP/out" || bad=1
	fi

	echo "# $WHO: protected paths"
	for n in 5 50 200; do
		mkdir "$P/d$n"
		i=0
		while [ $i -lt $n ]; do
			echo >"$P/d$n/f$i"
			i=$((i + 1))
		done
	done
	own "$P"
	protects() {
		i=0
		while [ $i -lt "$1" ]; do
			printf '|--protect|%s/d%s/f%s' "$P" "$1" "$i"
			i=$((i + 1))
		done
	}
	{
		printf 'protect-0\t%s|--quiet|--|/bin/true\n' "$CONFINE"
		for n in 5 50 200; do
			printf 'protect-%s\t%s|--quiet%s|--|/bin/true\n' $n "$CONFINE" "$(protects $n)"
		done
	} | compare
	check protect-200 2.5
done
exit $bad
