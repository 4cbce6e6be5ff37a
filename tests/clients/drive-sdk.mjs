// The official TypeScript SDK: version 1, and version 2 by handshake, by negotiation, and held to the stateless revision. Both
// validate each structured result against the schema that the server declared.
import { pathToFileURL } from 'node:url';
import { check, checkRefusals, checkWire, client, finish, makeCalls, options } from './lib.mjs';

const STATELESS = '2026-07-28';

const o = options();
const mode = o.rest[0]; // v1, legacy, auto or pin
const load = (file) => import(pathToFileURL(o.installed(`@modelcontextprotocol/${file}`)));
const [{ Client }, { StdioClientTransport }] =
	mode === 'v1'
		? [await load('sdk/dist/esm/client/index.js'), await load('sdk/dist/esm/client/stdio.js')]
		: [await load('client/dist/index.mjs'), await load('client/dist/stdio.mjs')];
client(`TypeScript SDK ${o.version(`@modelcontextprotocol/${mode === 'v1' ? 'sdk' : 'client'}`)} ${mode}`);

const negotiation = { auto: { mode: 'auto' }, pin: { mode: { pin: STATELESS } } }[mode];
const agent = new Client({ name: 'drive', version: '1' }, negotiation ? { versionNegotiation: negotiation } : {});
const [command, ...args] = o.recorded;
const errors = [];
// A late answer to a call that was taken back is allowed.
agent.onerror = (e) => /unknown message ID/.test(e) || errors.push(String(e));
await agent.connect(new StdioClientTransport({ command, args, cwd: o.project, stderr: 'ignore' }));
const attempt = async (promise) => {
	try {
		return { result: await promise };
	} catch (e) {
		return { code: e.code, why: String(e) };
	}
};

const { tools } = await agent.listTools();
check(
	'each tool has a schema, a description and annotations',
	tools.every((t) => t.inputSchema.type === 'object' && t.description && t.annotations),
	tools,
);
await makeCalls(o, async (name, input) => {
	const got = await attempt(agent.callTool({ name, arguments: input }));
	return got.result?.content?.[0]?.text ?? got.why;
});

const unknown = await attempt(agent.callTool({ name: 'no_such_tool', arguments: {} }));
check('an unknown tool is a protocol error', unknown.code === -32602, unknown);
const wrong = await attempt(agent.callTool({ name: 'read_file_hashed', arguments: { nothing: 1 } }));
check('wrong arguments are a result that is an error', wrong.result?.isError === true, wrong);
const read = () => attempt(agent.callTool({ name: 'read_file_hashed', arguments: { path: 'Makefile' } }));
const many = await Promise.all(Array.from({ length: 50 }, read));
check('50 calls at once are all answered', many.every((m) => m.result && !m.result.isError), many.find((m) => !m.result));
const abort = new AbortController();
const signal = mode === 'v1' ? [undefined, { signal: abort.signal }] : [{ signal: abort.signal }];
const taken = attempt(agent.callTool({ name: 'read_file_hashed', arguments: { path: 'Makefile' } }, ...signal));
abort.abort('no longer wanted');
await taken;
check('a call that is taken back does no harm', !!(await attempt(agent.listTools())).result);
await agent.close();

const w = checkWire(o);
checkRefusals(o, w);
const ends = w.records.filter((r) => r.ev === 'exit');
check('the server ends with the client', ends.length > 0 && ends.every((r) => r.code === 0), w.records.slice(-3));
check('the SDK finds no fault with the protocol', errors.length === 0, errors);
finish();
