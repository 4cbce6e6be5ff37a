# shellcheck shell=sh
# Fixture for commands: runner.sh's with a brief whose agent runs make, with the Makefile of the project as the commands.
# The test defines command_makefile, which writes it.
#
#   run TARGET [DECLARED...]         as producer on the agents' channel; $run_more: more members of the artifact
#   request ARGV-JSON [DECLARED...]  the same for any command
# shellcheck source=tests/e2e/lib/runner.sh
. "$TOP_SRCDIR/tests/e2e/lib/runner.sh"
run_more=
exec_list=${exec_list:-'"/usr/bin", "/usr/lib", "/usr/local/bin", "/usr/local/lib"'}

runner_brief() {
	mkdir -p "$P/build" "$P/sub" "$P/gated" "$P/owned"
	cat >"$P/docs/brief.json" <<EOF
{"write_policy": "orchestrator-only",
 "protected_paths": ["src/secret", "*.lock"],
 "proposal_gates": {
  "lint": {"argv": ["/usr/bin/grep", "-q", "good", "{file}"], "glob": "gated/*"},
  "spell": {"argv": ["/usr/bin/true"]},
  "words": {"argv": ["/usr/bin/grep", "-q", "good", "{file}"]}},
 "agent_policies": {
  "producer": {"write_scopes": ["src/", "new/", "gated/", "out.txt", "out2.txt", "sub/"],
   "commands": [
    {"prefix": ["make", "slow"], "timeout": 4},
    {"prefix": ["make"], "args": ["[a-z][a-z0-9]*"], "timeout": ${command_timeout:-60}},
    {"prefix": ["make", "in", "sub"], "cwd": "sub"},
    {"prefix": ["make", "owner"], "args": ["[a-z]+"], "writes": ["dep.lock", "owned/*"]},
    {"prefix": ["/usr/bin/cat"], "stdin_gates": ["words"]},
    {"prefix": ["no-such-program"]}, {"prefix": ["./tool"]},
    {"prefix": ["git"], "args": ["[a-z]+"]},
    {"prefix": ["echo"], "args": ["(a+)+b", "(x|x|y)*z"]},
    {"prefix": ["printf"], "args": ["q/[.]{2}/q"]}, {"prefix": ["printf"], "args": ["/q[0-9]"]},
    {"prefix": ["true"]}]},
  "helper": {"write_scopes": ["src/"], "commands": [{"prefix": ["make"], "args": ["[a-z][a-z0-9]*"], "timeout": 300}]},
  "bare": {"write_scopes": ["src/"], "commands": [{"prefix": ["true"]}]}},
 "confined_programs": {"producer": {"exec": [$exec_list], "write": ["build"]}, "helper": {"exec": ["/usr/bin"]}},
 "mcp_grants": {"producer": {"tools": ["write_file", "delete_file", "run_command", "request_status", "read_file_hashed"]}}}
EOF
	command_makefile
}

run() {
	run_target=$1
	shift
	request "[\"make\", \"$run_target\"]" "$@"
}

request() { # argv-json [declared...]
	request_argv=$1
	shift
	declared=
	for d; do
		declared="$declared${declared:+, }$(json_str "$d")"
	done
	call mcp "{\"kind\": \"run-request\", \"via_agent\": \"producer\", \"artifact\": {\"kind\": \"command-request\",
 \"dispatch\": \"$N\", \"argv\": $request_argv, $run_more \"purpose\": \"test\", \"expected_writes\": [$declared]}}"
}
