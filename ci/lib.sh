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

# step NAME COMMAND...: runs it with its output in build/log/NAME.log; on failure shows the end and stops.
step() {
	step_name=$1
	shift
	step_start=$(date +%s)
	printf '%-24s' "$step_name"
	if "$@" >"build/log/$step_name.log" 2>&1; then
		echo "ok ($(($(date +%s) - step_start)) s)"
	else
		echo "FAILED ($(($(date +%s) - step_start)) s)"
		echo
		grep -E '^(FAIL|ERROR|XPASS): ' "build/log/$step_name.log" | head -n 40 || :
		echo "--- end of build/log/$step_name.log ---"
		tail -n 25 "build/log/$step_name.log"
		exit 1
	fi
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
