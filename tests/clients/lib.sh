# shellcheck shell=sh
# What the sessions share, after tests/lib/tap.sh. The caller sets $clients, $part and $drive, $P, the project, and $boundary,
# what the client runs in: offline or confined.

# A project with a secret, a link to it, commands of make, and a brief that lets producer ask for all that.
main_job_project() { # folder
	mkdir -p "$1/src" "$1/docs" "$1/.agentteams/bin"
	chmod 700 "$1/.agentteams"
	cp "$TOP_BUILDDIR/mcp/agentteams-runner-mcp" "$1/.agentteams/bin/"
	printf 'Hello from the project.\n' >"$1/src/hello.txt"
	printf 'PASSWORD=hunter2\n' >"$1/.env"
	ln -s ../.env "$1/src/notes.txt"
	cat >"$1/Makefile" <<'MAKE'
count: ; @wc -l <src/hello.txt >src/count.txt; echo counted
stray: ; @wc -l <src/hello.txt >src/count.txt; echo x >src/stray.txt; echo counted again
MAKE
	cat >"$1/docs/brief.json" <<'BRIEF'
{"write_policy": "orchestrator-only",
 "agent_policies": {"producer": {"write_scopes": ["src/"], "commands": [{"prefix": ["make"], "args": ["[a-z]+"]}]}},
 "confined_programs": {"producer": {"exec": ["/usr/bin", "/usr/lib"]}},
 "mcp_grants": {"producer": {"tools": ["write_file", "run_command", "request_status", "read_file_hashed"]}}}
BRIEF
}

offline() { # command...
	if [ "$(id -u)" = 0 ]; then namespaces=-n; else namespaces=-rn; fi
	# shellcheck disable=SC2016 # the inner shell's arguments
	unshare "$namespaces" sh -c 'ip link set lo up && exec "$@"' sh "$@"
}

offline_or_skip() {
	offline true >"$TMP/offline" 2>&1 ||
		tap_skip_all "no network namespace for the client (unshare and ip are needed): $(head -n 1 "$TMP/offline")"
}

# The launcher's boundary in place of the network namespace: the client and all that it starts are inside.
confined() { # command...
	(cd "$P" && "$TOP_BUILDDIR/confine-run" --writable "$TMP/place" -- "$@")
}
confined_or_skip() {
	case $(realpath "$clients") in
	/tmp/*) tap_skip_all "/tmp is empty inside confine-run, and the clients are there: name another folder with CLIENTS" ;;
	esac
	"$TOP_BUILDDIR/confine-run" preflight >"$TMP/preflight" 2>&1 ||
		tap_skip_all "confine-run can't work here: $(grep -m 1 MISSING "$TMP/preflight")"
}

# Runs the drive and turns its lines into results of this test.
drive_client() { # arguments of the drive
	mkdir -p "$TMP/place"
	cp -R "$TOP_SRCDIR/tests/clients" "$TMP/place/drives"
	$boundary "$clients/node/node_modules/node-linux-$(machine)/bin/node" "$TMP/place/drives/$drive" \
		--clients "$clients" --part "$part" --place "$TMP/place" --project "$P" "$@" >"$TMP/drive.out" 2>"$TMP/drive.err"
	drive_status=$?
	while IFS= read -r line; do
		case $line in
		'ok - '*) tap_result 0 "${line#ok - }" ;;
		'not ok - '*) tap_result 1 "${line#not ok - }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$TMP/drive.out"
	is "the drive itself ends well" "$drive_status" 0
	[ "$drive_status" = 0 ] || tap_note "$(tail -n 20 "$TMP/drive.err")"
}

machine() {
	case $(uname -m) in
	aarch64) echo arm64 ;;
	*) echo x64 ;;
	esac
}
