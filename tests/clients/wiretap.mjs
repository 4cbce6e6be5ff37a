// Stands between a client and the server, passes every byte through and notes each line:
//   node wiretap.mjs LOG SERVER [ARG...]
// LOG gets one JSON object a line: {ev:"start"}, {ev:"in"|"out", line}, {ev:"rest", line} for bytes after the last newline,
// {ev:"signal", sig}, {ev:"exit", code, sig}; each with tap, this process's id.
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';

const [log, command, ...args] = process.argv.slice(2);
const fd = openSync(log, 'a', 0o600);
const note = (record) => writeSync(fd, `${JSON.stringify({ ...record, tap: process.pid })}\n`);

const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
note({ ev: 'start', pid: server.pid, cwd: process.cwd() });

function lines(ev) {
	let rest = Buffer.alloc(0);
	return {
		add(chunk) {
			rest = Buffer.concat([rest, chunk]);
			for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1))
				note({ ev, line: rest.subarray(0, end).toString() });
		},
		end() {
			if (rest.length) note({ ev: 'rest', of: ev, line: rest.toString() });
		},
	};
}
const incoming = lines('in');
const outgoing = lines('out');
process.stdin.on('data', (chunk) => {
	incoming.add(chunk);
	server.stdin.write(chunk);
});
process.stdin.on('end', () => {
	incoming.end();
	server.stdin.end();
});
server.stdin.on('error', () => {});
server.stdout.on('data', (chunk) => {
	outgoing.add(chunk);
	process.stdout.write(chunk);
});
server.stdout.on('end', () => outgoing.end());
process.stdout.on('error', () => {});
for (const sig of ['SIGTERM', 'SIGINT', 'SIGHUP'])
	process.on(sig, () => {
		note({ ev: 'signal', sig });
		server.kill(sig);
	});
server.on('error', (e) => {
	note({ ev: 'exit', error: e.code });
	process.exit(127);
});
server.on('close', (code, sig) => {
	note({ ev: 'exit', code, sig });
	process.exit(code ?? 1);
});
