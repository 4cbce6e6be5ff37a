// What the drives share: options, running a client in a clean environment, the recorder's log, checks. A drive prints
// "ok - TEXT" and "not ok - TEXT", "# client: NAME VERSION" once, and exits with 0 if nothing failed; ./session counts the
// lines.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { POLLS, fill, matches, readCalls } from './calls.mjs';
import { lastResults, startModel } from './fake-model.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const SERVER = 'agentteams_runner';
export const MARK = 'MARK-OF-THE-DRIVE';
const MOST_MS = 180000; // for one run of a client

// --clients DIR   where ./install put them
// --part NAME     which of them, a folder there
// --place DIR     an empty folder for the client's home, logs and configuration
// --project DIR   the project
// --calls FILE    see calls.mjs
// --set NAME=VALUE  for a placeholder of the calls file
// --tell yes      print what was asked and told, for people
// -- SERVER ARG...
export function options() {
	const o = { server: [], values: {}, rest: [] };
	const argv = process.argv.slice(2);
	while (argv.length) {
		const arg = argv.shift();
		if (arg === '--') o.server = argv.splice(0);
		else if (arg === '--set') {
			const [name, ...value] = argv.shift().split('=');
			o.values[name] = value.join('=');
		} else if (arg.startsWith('--')) o[arg.slice(2)] = argv.shift();
		else o.rest.push(arg);
	}
	o.home = path.join(o.place, 'home');
	o.tap = path.join(o.place, 'wire.jsonl');
	o.log = path.join(o.place, 'model.jsonl');
	mkdirSync(path.join(o.home, 'tmp'), { recursive: true });
	o.calls = o.calls && readCalls(o.calls, o.values);
	o.file = (name, content) => {
		const file = path.join(o.place, name);
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 1));
		return file;
	};
	// The server's command line as a client is told it.
	o.recorded = [process.execPath, path.join(here, 'wiretap.mjs'), o.tap, ...o.server];
	o.installed = (name) => path.join(o.clients, o.part, 'node_modules', name);
	o.version = (name) => JSON.parse(readFileSync(path.join(o.installed(name), 'package.json'))).version;
	return o;
}

// Runs a client with its own home and nothing of the caller's environment.
export function run(o, command, args, env = {}) {
	return new Promise((resolve) => {
		const child = spawn(command, args, {
			cwd: o.project,
			detached: true, // a process group, to end all of it
			stdio: ['ignore', 'pipe', 'pipe'],
			env: {
				HOME: o.home,
				TMPDIR: path.join(o.home, 'tmp'),
				PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
				LANG: 'C.UTF-8',
				...env,
			},
		});
		const got = { out: '', err: '', status: null };
		const end = () => {
			try {
				process.kill(-child.pid, 'SIGKILL');
			} catch {
				// gone already
			}
		};
		const timer = setTimeout(() => {
			got.err += `\nstill running after ${MOST_MS} ms`;
			end();
		}, MOST_MS);
		process.once('exit', end);
		child.stdout.on('data', (d) => (got.out += d));
		child.stderr.on('data', (d) => (got.err += d));
		child.on('error', (e) => resolve({ ...got, status: 127, err: String(e) }));
		child.on('close', (status) => {
			clearTimeout(timer);
			process.removeListener('exit', end);
			resolve({ ...got, status });
		});
	});
}

export const readLines = (file) =>
	existsSync(file)
		? readFileSync(file, 'utf8')
				.split('\n')
				.filter(Boolean)
				.map((line) => JSON.parse(line))
		: [];

let failed = 0;
export function check(text, passed, detail) {
	if (!passed) failed++;
	console.log(`${passed ? 'ok' : 'not ok'} - ${text}`);
	if (!passed && detail !== undefined)
		note((typeof detail === 'string' ? detail : JSON.stringify(detail)).slice(0, 2000));
	return passed;
}
export const note = (text) => console.log(`# ${String(text).trim().replaceAll('\n', '\n# ')}`);
export const client = (text) => note(`client: ${text}`);
export function finish() {
	process.exit(failed ? 1 : 0);
}

export function checkResult(call, result) {
	const text = result?.text ?? 'no result';
	check(call.what, matches(call.expect, text) && !(call.never && matches(call.never, text)), text);
}

// Makes all calls of the script, without a model: make(tool, input) gives the text of the result.
export async function makeCalls(o, make) {
	const texts = [];
	for (const call of o.calls) {
		const input = fill(call.input, texts);
		let text;
		for (let polls = 0; polls < POLLS; polls++) {
			text = await make(call.tool, input);
			if (!call.until || matches(call.until, text)) break;
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		texts.push(text);
		checkResult(call, { text });
	}
}

// What went over the wire.
export function wire(o) {
	const records = readLines(o.tap);
	const messages = (ev) =>
		records
			.filter((r) => r.ev === ev)
			.map((r) => {
				try {
					return { ...JSON.parse(r.line), tap: r.tap };
				} catch {
					return { broken: r.line };
				}
			});
	const sent = messages('in');
	const got = messages('out');
	return {
		records,
		sent,
		got,
		calls: sent.filter((m) => m.method === 'tools/call'),
		// Some clients start several servers, with the same ids.
		answer: (request) => request && got.find((m) => m.id === request.id && m.tap === request.tap),
		takenBack: (request) =>
			sent.some((m) => m.method === 'notifications/cancelled' && m.params.requestId === request.id && m.tap === request.tap),
		first: (method) => sent.find((m) => m.method === method),
	};
}

// The checks on the wire that every client owes and that our server owes every client.
export function checkWire(o) {
	const w = wire(o);
	const list = w.first('tools/list');
	const stateless = list?.params?._meta?.['io.modelcontextprotocol/protocolVersion'];
	const opening = w.answer(w.first(stateless ? 'server/discover' : 'initialize'))?.result;
	check('the client opens the session', !!opening, w.got.slice(0, 3));
	check('and lists the tools', w.answer(list)?.result?.tools?.length === 4, w.answer(list));
	check(
		'every line of the server is one message',
		w.got.length > 0 && w.got.every((m) => m.jsonrpc === '2.0') && !w.records.some((r) => r.ev === 'rest' && r.of === 'out'),
		w.got.filter((m) => m.jsonrpc !== '2.0'),
	);
	const without = w.calls.filter((m) => !w.answer(m) && !w.takenBack(m));
	check('every call is answered', w.calls.length > 0 && without.length === 0, without);
	note(`revision: ${stateless ?? opening?.protocolVersion}`);
	return w;
}

// Of the calls that have to be refused: the server's answer is marked as an error. Not every client tells its model.
export function checkRefusals(o, w = wire(o)) {
	for (const call of o.calls.filter((c) => c.refused)) {
		const made = w.calls.filter(
			(m) => m.params.name === call.tool && JSON.stringify(m.params.arguments) === JSON.stringify(call.input),
		);
		check(
			`${call.what}: marked as an error`,
			made.length > 0 && made.every((m) => w.answer(m)?.result?.isError === true),
			made.map((m) => w.answer(m)),
		);
	}
}

// For people: what was asked, and what the model was told.
function tell(call, result) {
	const input = Object.entries(call.input).filter(([name]) => ['path', 'argv', 'expected_writes'].includes(name));
	note(`told: ${[call.tool, ...input.map(([, value]) => (typeof value === 'string' ? value : value.join(' ')))].join(' ')}`);
	const text = (result?.text ?? '').replace(/"(request_)?id":"[0-9a-f]+",/g, '').replace(/\s+/g, ' ');
	note(`told:    -> ${text.length > 240 ? `${text.slice(0, 240)}...` : text}`);
}

// A client with a model: runs start(url), which returns run()'s result, and checks that every call of the script was made and
// its result came back to the model.
export async function drive(o, toolName, start) {
	const model = await startModel({ script: o.calls, mark: MARK, toolName, log: o.log });
	const got = await start(model.url);
	await model.stop();
	const said = readLines(o.log);
	check('the session ends well', got.status === 0 && /FINISHED/.test(got.out), `${got.err}\n${got.out.slice(-1500)}`);
	const results = said.at(-1)?.results ?? [];
	const last = lastResults(o.calls, results);
	o.calls.forEach((call, i) => checkResult(call, last[i]));
	if (o.tell) o.calls.forEach((call, i) => tell(call, last[i]));
	return { got, said, results: last };
}
