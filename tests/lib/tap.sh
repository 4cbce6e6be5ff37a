# shellcheck shell=sh
# TAP for shell tests. A script sources this first:
#
#   . "${TOP_SRCDIR:?run through make check}/tests/lib/tap.sh"
#   tap_begin escape            # the layer, for AGENTTEAMS_MUST_RUN
#   ok   "what it proves" command arg...        # passes if the command succeeds
#   nok  "what it proves" command arg...        # passes if the command fails
#   is   "what it proves" "$got" "$wanted"
#   tap_done
#
# tap_begin makes $TMP (a private folder, removed at the end unless KEEP=1) and starts from a small environment.
# tap_skip_all REASON ends the script as skipped, with the reason; where AGENTTEAMS_MUST_RUN names the layer (or "all"),
# the skip is a failure: build machines set it, so that nothing can look green by not running. tap_other_build REASON is
# for tests that have no business in this kind of build (hardening of an instrumented program), tap_other_user REASON TEXT
# for one that only root can run; neither is ever a failure: ./check runs the other builds and the other user too. Nor is
# tap_kernel_lacks EVIDENCE TEXT, for a thing that the kernel itself refuses to everybody.

set -u
tap_n=0
tap_bad=0
tap_layer=

tap_begin() {
	tap_layer=$1
	LC_ALL=C.UTF-8
	export LC_ALL
	unset BASH_ENV ENV CDPATH IFS_SAVED XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR 2>/dev/null || :
	TMP=$(mktemp -d "${TMPDIR:-/tmp}/agentteams-test.XXXXXX") || exit 99
	TMP=$(cd "$TMP" && pwd -P)
	HOME=$TMP/home
	mkdir -m 700 "$HOME"
	export TMP HOME
	trap 'tap_end' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

tap_end() {
	if [ "${KEEP:-0}" = 1 ]; then
		echo "# kept: $TMP"
	else
		chmod -R u+rwX "$TMP" 2>/dev/null
		rm -rf "$TMP"
	fi
}

tap_must_run() {
	case ",${AGENTTEAMS_MUST_RUN:-}," in
	*,all,* | *",$tap_layer,"*) return 0 ;;
	esac
	return 1
}

tap_result() { # status text
	tap_n=$((tap_n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_n - $2"
	else
		tap_bad=$((tap_bad + 1))
		echo "not ok $tap_n - $2"
	fi
}

tap_note() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

ok() {
	tap_text=$1
	shift
	if "$@" >"$TMP/.out" 2>&1; then
		tap_result 0 "$tap_text"
	else
		tap_result 1 "$tap_text"
		tap_note "status $? of: $*"
		sed 's/^/# /' "$TMP/.out" | head -n 40
	fi
}

nok() {
	tap_text=$1
	shift
	if "$@" >"$TMP/.out" 2>&1; then
		tap_result 1 "$tap_text"
		tap_note "succeeded: $*"
		sed 's/^/# /' "$TMP/.out" | head -n 40
	else
		tap_result 0 "$tap_text"
	fi
}

is() {
	if [ "$2" = "$3" ]; then
		tap_result 0 "$1"
	else
		tap_result 1 "$1"
		tap_note "got:    $2"
		tap_note "wanted: $3"
	fi
}

like() { # text value extended-regex
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then
		tap_result 0 "$1"
	else
		tap_result 1 "$1"
		tap_note "got:    $2"
		tap_note "wanted: /$3/"
	fi
}

tap_skip() { # reason text: one test that this host can't run
	if tap_must_run; then
		tap_result 1 "$2"
		tap_note "must run here, but: $1"
	else
		tap_n=$((tap_n + 1))
		echo "ok $tap_n - $2 # SKIP $1"
	fi
}

tap_skip_all() {
	if tap_must_run; then
		echo "1..1"
		echo "not ok 1 - must run here, but: $1"
		exit 1
	fi
	echo "1..0 # SKIP $1"
	exit 0
}

# One test that another user runs (root, or anybody but root): skipped whatever must run, since it does run there.
tap_other_user() { # reason text
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $2 # SKIP $1"
}

# One test of something that this kernel offers to nobody, so that there is nothing to refuse: skipped whatever must run.
# The caller names the evidence (an error that only a missing feature gives, or the knob that is set) and what proves the
# rule instead.
tap_kernel_lacks() { # evidence text
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $2 # SKIP $1"
}

# Ends the script as skipped whatever must run: it belongs to another kind of build, where it does run.
tap_other_build() {
	echo "1..0 # SKIP $1"
	exit 0
}

tap_done() {
	echo "1..$tap_n"
	[ "$tap_bad" = 0 ]
	exit
}
