# shellcheck shell=sh
# Shared by ./check and ./quickstart. The caller has set -eu and stands in the source folder.

# The source folder may belong to somebody else (a user trying root's clone): then work on a copy.
work_on_a_copy_if_needed() { # program [its arguments...]
	[ -w . ] && return 0
	copy=$(mktemp -d "${TMPDIR:-/tmp}/agentteams-src.XXXXXX")
	echo "$1: this folder can't be written; working on a copy in $copy"
	tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$copy"
	cd "$copy" || exit 2
	program=./$1
	shift
	exec "$program" "$@"
}

# step NAME COMMAND...: runs it with its output in build/log/NAME.log; on failure shows what failed and stops.
step() {
	try_step "$@" && return
	exit 1
}

# try_step NAME COMMAND...: the same, but goes on after a failure, with status 1 and the name in $failed_steps.
failed_steps=
try_step() {
	step_name=$1
	shift
	step_start=$(date +%s)
	printf '%-24s' "$step_name"
	if "$@" >"build/log/$step_name.log" 2>&1; then
		echo "ok ($(($(date +%s) - step_start)) s)"
		return 0
	fi
	echo "FAILED ($(($(date +%s) - step_start)) s)"
	echo
	grep -E '^(FAIL|ERROR|XPASS): ' "build/log/$step_name.log" | head -n 40 || :
	sed -n 's/^failed> //p' "build/log/$step_name.log" | head -n 120
	echo "--- end of build/log/$step_name.log ---"
	grep -v '^failed> ' "build/log/$step_name.log" | tail -n 25
	failed_steps="$failed_steps $step_name"
	return 1
}

# What the tests that failed had to say: from their own logs, since the machine that ran them may be gone by the time that
# anybody asks.
failures() { # build folder
	find "$1" -name '*.trs' -exec grep -lE '^:test-result: *(FAIL|ERROR|XPASS)' {} + | sort | while IFS= read -r trs; do
		echo "failed> == ${trs%.trs}.log"
		{
			grep -E -A 12 '^not ok' "${trs%.trs}.log" | grep -vE '^(ok|PASS:|FAIL:)' | head -n 60
			tail -n 4 "${trs%.trs}.log"
		} | sed 's/^/failed> /'
	done
}

jobs_here() {
	nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# Regenerates the build system only when something it is made from is newer.
bootstrap_if_needed() {
	if [ ! -f configure ] || [ ! -f Makefile.in ] ||
		[ -n "$(find configure.ac Makefile.am m4 ./*/local.mk tests/*.mk -newer configure)" ]; then
		step bootstrap ./bootstrap
	fi
}

# build_in FOLDER CACHE CONFIGURE-ARGUMENT...: configures (again, if the arguments changed) and builds in build/FOLDER. What
# configure finds out about a compiler is kept in build/CACHE for the next folder.
build_in() {
	folder=build/$1
	cache=$PWD/build/$2
	shift 2
	mkdir -p "$folder"
	if [ "$(cat "$folder/configured-with" 2>/dev/null)" != "$*" ] || [ ! -f "$folder/Makefile" ]; then
		(cd "$folder" && ../../configure --cache-file="$cache" "$@") || return 1
		echo "$*" >"$folder/configured-with"
	fi
	make -C "$folder" -j"$(jobs_here)"
}
