# shellcheck shell=sh
# Fixture for tests of the runner. Source tap.sh and call tap_begin first; then runner_fixture makes a project in $P with a
# key and a brief; runner_start and runner_stop serve it.
#
#   call CHANNEL JSON        result as one line in $RESULT
#   get MEMBER.MEMBER        from $RESULT; nothing if it isn't there
#   nonce AGENT              issues a dispatch, prints the nonce
#   stage AGENT PATH CONTENT [BASE]    stage-proposal on the agents' channel; sid in $SID
#   artifact NONCE PATH CONTENT BASE   a change proposal as JSON
RUNNER=$TOP_BUILDDIR/runner/agentteams-runner
QUEUE=$TOP_BUILDDIR/tests/tools/runner_queue
RUNNER_PID=
RESULT=
SID=

runner_fixture() {
	P=$TMP/p
	mkdir -p "$P/src" "$P/docs"
	printf 'x = 1\n' >"$P/src/a.py"
	runner_brief
	"$RUNNER" --keygen >/dev/null || exit 99
	LEDGER=$P/.agentteams/proposal-ledger.jsonl
	trap 'runner_kill; tap_end' EXIT
}

# producer acts through its server; helper is an agent of the orchestrator's; gated has a gate on its path.
runner_brief() {
	cat >"$P/docs/brief.json" <<'EOF'
{"write_policy": "orchestrator-only",
 "protected_paths": ["src/secret", "*.lock"],
 "proposal_gates": {"lint": {"argv": ["/usr/bin/true", "{file}"], "glob": "gated/*"}, "spell": {"argv": ["/usr/bin/false"]}},
 "agent_policies": {
  "producer": {"write_scopes": ["src/", "new/", "gated/", "docs/", ".agentteams/"],
   "commands": [{"prefix": ["make"], "args": ["[a-z]+"]}]},
  "helper": {"write_scopes": ["src/", "docs/notes.md"]}},
 "confined_programs": {"producer": {"exec": ["/usr/bin"]}},
 "mcp_grants": {"producer": {"tools": ["write_file", "delete_file", "run_command", "request_status", "read_file_hashed"]}}}
EOF
	# A scope that covers the brief would not load.
	sed -i 's|"docs/", ||' "$P/docs/brief.json"
}

runner_start() { # options...
	# What a killed runner left is no sign of the new one.
	rm -f "$P/.agentteams/runner.heartbeat" "$P/.agentteams/runner.status"
	"$RUNNER" --serve-requests --project "$P" --description "$P/docs/brief.json" "$@" >"$TMP/serve.out" 2>"$TMP/serve.err" &
	RUNNER_PID=$!
	runner_wait test -f "$P/.agentteams/runner.heartbeat"
}

# Waits until a command succeeds, at most a minute or so.
runner_wait() {
	runner_tries=0
	until "$@" >/dev/null 2>&1; do
		runner_tries=$((runner_tries + 1))
		[ "$runner_tries" -lt 1200 ] || return 1
		sleep 0.05
	done
}

runner_stop() {
	[ -n "$RUNNER_PID" ] || return 0
	kill -TERM "$RUNNER_PID" 2>/dev/null
	wait "$RUNNER_PID"
	RUNNER_STATUS=$?
	RUNNER_PID=
}

runner_kill() {
	[ -n "$RUNNER_PID" ] || return 0
	kill -KILL "$RUNNER_PID" 2>/dev/null
	wait "$RUNNER_PID" 2>/dev/null
	RUNNER_PID=
	# Its children die with it; the lock goes with the last one.
	runner_wait runner_is_gone
}

runner_is_gone() {
	! pgrep -f "serve-requests --project $P " >/dev/null
}

verb() { # a client verb on this project
	"$RUNNER" "$@" --project "$P" --wait-timeout "${VERB_WAIT:-60}" --quiet
}

call() {
	RESULT=$(printf '%s' "$2" | "$QUEUE" call "$P" "$1")
}

get() {
	printf '%s' "$RESULT" | "$QUEUE" get "$1" 2>/dev/null
}

hash_of() {
	if [ -f "$P/$1" ]; then
		sha256sum "$P/$1" | cut -d' ' -f1
	else
		echo absent
	fi
}

json_str() {
	printf '%s' "$1" | "$QUEUE" str
}

nonce() {
	verb --issue-dispatch --agent "$1"
}

artifact() { # nonce path content base
	printf '{"kind": "change-proposal", "dispatch": "%s", "path": %s, "content": %s, "base_sha256": "%s", "rationale": "because"}' \
		"$1" "$(json_str "$2")" "$(json_str "$3")" "$4"
}

deletion() { # nonce path base
	printf '{"kind": "delete-proposal", "dispatch": "%s", "path": %s, "base_sha256": "%s", "rationale": "because"}' \
		"$1" "$(json_str "$2")" "$3"
}

as_agent() { # agent artifact: a stage-proposal request
	printf '{"kind": "stage-proposal", "via_agent": "%s", "artifact": %s}' "$1" "$2"
}

stage() {
	call mcp "$(as_agent "$1" "$(artifact "$(nonce "$1")" "$2" "$3" "${4:-$(hash_of "$2")}")")"
	SID=$(get result.sid)
}

verifies() {
	verb --verify-proposal-ledger
}

# Signs a direct grant for an agent with a key that is made and trusted for it. 1: it couldn't be.
grant() { # agent options...
	grant_agent=$1
	shift
	if [ ! -e "$HOME/.config/agentteams/keys/test.pem" ]; then
		grant_key=$("$RUNNER" --grant-keygen test --no-passphrase 2>/dev/null | sed -n 's/^fingerprint *//p')
		"$RUNNER" --grant-trust test --confirm-review-sha256 "$grant_key" >/dev/null || return 1
	fi
	rm -f "$TMP/grant"
	grant_hash=$("$RUNNER" --grant-draft "$grant_agent" --key-id test --project "$P" --description "$P/docs/brief.json" --output "$TMP/grant" "$@" \
		2>/dev/null | sed -n 's/^sha256 *//p')
	"$RUNNER" --grant-sign "$TMP/grant" --project "$P" --description "$P/docs/brief.json" --allow-checkout-signing \
		--confirm-review-sha256 "$grant_hash" >/dev/null
}
