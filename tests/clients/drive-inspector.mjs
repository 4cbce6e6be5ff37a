// MCP Inspector on the command line: the 0.x line, and the 2.x line in each of its protocol eras. It starts a server for each
// call, and what a server queued only that server hands out: so the server waits for the runner here, its answer is the one
// that others poll for, and asking another process about it is refused.
import { fill } from './calls.mjs';
import { check, checkRefusals, checkResult, checkWire, client, finish, options, run } from './lib.mjs';

const o = options();
const era = o.rest[0]; // legacy, auto or modern; none for 0.x
client(`MCP Inspector ${o.version('@modelcontextprotocol/inspector')}${era ? ` ${era}` : ''}`);
const inspect = (server, ...more) =>
	run(o, process.execPath, [
		o.installed('.bin/mcp-inspector'),
		'--cli',
		...server,
		...(era ? ['--protocol-era', era] : []),
		...more,
	]);
const named = (input) =>
	era
		? ['--tool-args-json', JSON.stringify(input)]
		: Object.entries(input).flatMap(([name, value]) => [
				'--tool-arg',
				`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
			]);

const list = await inspect(o.recorded, '--method', 'tools/list');
check('tools/list', list.status === 0 && JSON.parse(list.out).tools.length === 4, list.err + list.out);
const texts = [];
for (const [i, call] of o.calls.entries()) {
	const input = fill(call.input, texts);
	const got = await inspect(o.recorded, '--method', 'tools/call', '--tool-name', call.tool, ...named(input));
	let text;
	try {
		text = JSON.parse(got.out).content[0].text;
	} catch {
		text = got.err + got.out;
	}
	if (call.until) {
		checkResult({ what: 'another process knows nothing of the request', expect: 'unknown request_id' }, { text });
		continue;
	}
	texts.push(text);
	const polled = o.calls[i + 1]?.until && o.calls[i + 1];
	checkResult(call, { text });
	if (polled) checkResult({ ...call, expect: polled.expect, what: polled.what.replace('polls until', 'is told when') }, { text });
}
if (era) {
	const strict = await inspect(o.server, '--strict', '--method', 'tools/list');
	check('its strict check finds no fault with the schemas', strict.status === 0, strict.err);
}
checkRefusals(o, checkWire(o));
finish();
