# shellcheck shell=sh
# For live tests of the launcher: a script sources this instead of tap.sh.
#
#   confine_begin escape        # layer; makes $TMP below /var/tmp, since the private /tmp hides the other one
#   for WHO in $WHOS; do        # "user" (uid 1234) and "root" when started as root, else "user" alone
#       world                   # fresh $W (world), $P (project), HOME=$W/home, owned by $WHO
#       run OPTION... -- CMD    # confine-run in $P as $WHO; output in $OUT, status in $RC
#       refuse "text" ACT...    # the positive control outside works, the same act inside is refused
#   done
#   tap_done
#
# In refuse, options for confine-run stand in $OPTS. With MANY=1 each run has so many protected paths besides that they are
# mounted after what bubblewrap mounts (plan.h: late), all others with them.

TMPDIR=/var/tmp
export TMPDIR
# shellcheck source=tests/lib/tap.sh
. "$TOP_SRCDIR/tests/lib/tap.sh"

TEST_UID=1234
CONFINE=$TOP_BUILDDIR/confine-run
OPTS=

confine_begin() {
	tap_begin "$1"
	chmod 755 "$TMP"
	# shellcheck disable=SC2034 # the scripts loop over it
	if [ "$(id -u)" = 0 ]; then
		WHOS='user root'
		command -v setpriv >/dev/null || WHOS=root
	else
		WHOS=user
	fi
	if ! "$CONFINE" preflight >"$TMP/preflight" 2>&1; then
		tap_note "$(cat "$TMP/preflight")"
		tap_skip_all "this host can't confine: $(grep MISSING "$TMP/preflight" | head -n 1)"
	fi
}

# Runs a command as $WHO with an empty environment plus HOME, PATH and what stands in $ENV.
as() {
	if [ "$WHO" = user ] && [ "$(id -u)" = 0 ]; then
		# shellcheck disable=SC2086 # ENV holds words
		setpriv --reuid "$TEST_UID" --regid "$TEST_UID" --clear-groups \
			env -i PATH=/usr/bin:/bin HOME="$W/home" LC_ALL=C.UTF-8 ${ENV:-} "$@"
	else
		# shellcheck disable=SC2086
		env -i PATH=/usr/bin:/bin HOME="$W/home" LC_ALL=C.UTF-8 ${ENV:-} "$@"
	fi
}

own() {
	if [ "$WHO" = user ] && [ "$(id -u)" = 0 ]; then
		chown -hR "$TEST_UID:$TEST_UID" "$@"
	fi
}

world_n=0
world_many=
world() {
	world_n=$((world_n + 1))
	W=$TMP/w$world_n
	P=$W/project
	mkdir -p "$W/home/.ssh" "$W/home/.config/agentteams/keys" "$W/outside" "$P"
	echo secret >"$W/home/.ssh/id"
	echo secret >"$W/home/.config/agentteams/keys/k"
	echo kept >"$W/outside/victim"
	cp "$CONFINE" "$P/probe"
	world_many=
	if [ -n "${MANY:-}" ]; then
		mkdir "$W/many"
		world_many="--writable $W/many"
		for world_i in 0 1 2; do
			for world_k in 0 1 2 3 4 5 6 7 8 9; do
				echo x >"$W/many/f$world_i$world_k"
				world_many="$world_many --protect $W/many/f$world_i$world_k"
			done
		done
	fi
	own "$W"
}

run() {
	# shellcheck disable=SC2086
	OUT=$(cd "$P" && as "$CONFINE" --quiet $world_many "$@" 2>&1 </dev/null)
	RC=$?
}

# A run on a host that root stages: mounts in a namespace of its own, then the run as the ordinary user.
staged() { # shell text that prepares it, OPTION... -- COMMAND
	staged_text=$1
	shift
	OUT=$(unshare -m sh -c "$staged_text; cd \"\$0\" && exec \"\$@\"" "$P" setpriv --reuid "$TEST_UID" --regid "$TEST_UID" \
		--clear-groups env -i PATH=/usr/bin:/bin HOME="$W/home" "$CONFINE" --quiet "$@" 2>&1 </dev/null)
	RC=$?
}

status_is() { # text status: of the last run, which says more when it is another one
	is "$1" "$RC" "$2"
	[ "$RC" = "$2" ] || tap_note "output: $OUT"
}

act() { # outside, as $WHO, in $P
	OUT=$(cd "$P" && as ./probe selftest-act "$@" 2>&1 </dev/null)
	RC=$?
}

# Waits until a file is there; 30 seconds are enough for any machine.
until_there() {
	until_n=0
	while [ ! -e "$1" ] && [ "$until_n" -lt 600 ]; do
		sleep 0.05
		until_n=$((until_n + 1))
	done
	[ -e "$1" ]
}

# Ends what "as" runs in the background: the shell that $! names, and the command, which is its child.
end_background() { # pid
	pkill -P "$1" 2>/dev/null
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

# A refusal is status 1 of the probe or death by the filter (SIGSYS 159); never the launcher's own failure.
is_refusal() {
	[ "$1" = 1 ] || [ "$1" = 159 ]
}

refuse() {
	refuse_text="$WHO: $1"
	shift
	act "$@"
	if [ "$RC" != 0 ]; then
		tap_result 1 "$refuse_text (positive control)"
		tap_note "outside: status $RC: $OUT"
		return
	fi
	# shellcheck disable=SC2086
	run $OPTS -- ./probe selftest-act "$@"
	if is_refusal "$RC"; then
		tap_result 0 "$refuse_text"
	else
		tap_result 1 "$refuse_text"
		tap_note "inside: status $RC: $OUT"
	fi
}

# The same, for an act whose control needs another place than the act itself: words up to "--" are the control.
refuse_pair() {
	refuse_text="$WHO: $1"
	shift
	control=
	while [ "$1" != -- ]; do
		control="$control $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	act $control
	if [ "$RC" != 0 ]; then
		tap_result 1 "$refuse_text (positive control)"
		tap_note "outside: status $RC: $OUT"
		return
	fi
	# shellcheck disable=SC2086
	run $OPTS -- ./probe selftest-act "$@"
	if is_refusal "$RC"; then
		tap_result 0 "$refuse_text"
	else
		tap_result 1 "$refuse_text"
		tap_note "inside: status $RC: $OUT"
	fi
}

knob() { # file: its value, or nothing
	cat "/proc/sys/$1" 2>/dev/null
}

# Why the kernel itself refuses an act to this user outside, or nothing when it ought to be offered. An error that only a
# missing feature gives is evidence; EPERM is none (a container's filter gives it too) unless a knob of the kernel says so.
evidence() { # act error
	case $1:$2 in
	*:*'Function not implemented') echo "the kernel has no such call" ;;
	socket:*'Address family not supported'*) echo "the kernel has no such family" ;;
	int80:*'Segmentation fault'*) echo "the trap has no gate (SIGSEGV; a filter would give SIGSYS or an error)" ;;
	bpf:*'not permitted') [ "$(knob kernel/unprivileged_bpf_disabled)" = 0 ] || [ "$WHO" = root ] ||
		echo "kernel.unprivileged_bpf_disabled is $(knob kernel/unprivileged_bpf_disabled)" ;;
	perf:*) [ "$(knob kernel/perf_event_paranoid)" -le 2 ] || [ "$WHO" = root ] ||
		echo "kernel.perf_event_paranoid is $(knob kernel/perf_event_paranoid)" ;;
	io-uring:*'not permitted') [ "$(knob kernel/io_uring_disabled)" = 0 ] ||
		echo "kernel.io_uring_disabled is $(knob kernel/io_uring_disabled)" ;;
	tiocsti*:*'Input/output error') [ "$(knob dev/tty/legacy_tiocsti)" != 0 ] || echo "dev.tty.legacy_tiocsti is 0" ;;
	esac
}

# The filter's answer for such a call, taken from the built program by an interpreter.
filter_is_proved() {
	if [ -z "${proved:-}" ]; then
		"$TOP_BUILDDIR/tests/unit/launcher/t_seccomp" --filter 'seccomp/what_a_kernel_may_lack' >"$TMP/proof" 2>&1 &&
			grep -q '^ok .*what_a_kernel_may_lack' "$TMP/proof"
		proved=$?
	fi
	return "$proved"
}

# Acts that not every kernel offers: without a positive control a refusal inside proves nothing.
maybe() { # text act...
	maybe_text=$1
	shift
	act "$@"
	if [ "$RC" = 0 ]; then
		refuse "$maybe_text" "$@"
		return
	fi
	maybe_why=$(evidence "$1" "$OUT")
	if [ -z "$maybe_why" ]; then
		tap_skip "refused outside, by something around this test: $OUT" "$WHO: $maybe_text"
	elif [ ! -x "$TOP_BUILDDIR/tests/unit/launcher/t_seccomp" ]; then
		tap_skip "$maybe_why, and this build has no unit tests" "$WHO: $maybe_text"
	elif filter_is_proved; then
		tap_kernel_lacks "$maybe_why; t_seccomp shows that the filter refuses it" "$WHO: $maybe_text"
	else
		tap_result 1 "$WHO: $maybe_text: $maybe_why, and the filter's program lets it pass"
		tap_note "$(cat "$TMP/proof")"
	fi
}

# Builds $TMP/NAME.so of standard input, for LD_PRELOAD.
preload() { # name
	cat >"$TMP/$1.c"
	[ "${TEST_SANITIZED:-}" != yes ] || return 0
	${TEST_CC:-cc} -shared -fPIC -O1 -o "$TMP/$1.so" "$TMP/$1.c" 2>"$TMP/cc.err" && chmod 755 "$TMP/$1.so"
}

# Is it there? Else the test is skipped: in a sanitizer build whatever must run, since it runs in the others.
preloads() { # name text
	[ ! -e "$TMP/$1.so" ] || return 0
	if [ "${TEST_SANITIZED:-}" = yes ]; then
		tap_other_user "what is preloaded and the sanitizers exclude each other" "$2"
	else
		tap_skip "no shared object can be built: $(head -n 1 "$TMP/cc.err")" "$2"
	fi
	return 1
}
