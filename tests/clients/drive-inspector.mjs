// MCP Inspector. On the command line it starts a server for each call; a session, in which it can poll, it has in mcpdo (2.x, in
// each protocol era) and in the proxy behind its web page (0.x), which is asked here as the page does.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { SERVER, check, checkRefusals, checkResult, checkWire, client, finish, makeCalls, options, run } from './lib.mjs';

const TOKEN = 'a-token-of-this-drive';
const PORT = 6277; // the drive has a network namespace of its own
const START_MS = 60000;

const o = options();
const era = o.rest[0]; // legacy, auto or modern; none for 0.x
client(`MCP Inspector ${o.version('@modelcontextprotocol/inspector')}${era ? ` ${era}` : ''}`);
const bin = (name) => o.installed(`.bin/${name}`);
const first = (got) => {
	try {
		return JSON.parse(got.out).content[0].text;
	} catch {
		return got.err + got.out;
	}
};

// One server for one call.
const once = (...more) =>
	run(o, process.execPath, [bin('mcp-inspector'), '--cli', ...o.recorded, ...(era ? ['--protocol-era', era] : []), ...more]);
const list = await once('--method', 'tools/list');
check('lists the tools on the command line', list.status === 0 && JSON.parse(list.out).tools.length === 4, list.err + list.out);
const { tool, input, expect } = o.calls[0];
const argument = ['--tool-arg', `path=${input.path}`];
const text = first(await once('--method', 'tools/call', '--tool-name', tool, ...argument));
checkResult({ what: 'calls one', expect }, { text });
const other = ['--tool-arg', 'request_id=0123456789abcdef0123456789abcdef'];
checkResult(
	{ what: "another process's requests are unknown", expect: 'unknown request_id' },
	{ text: first(await once('--method', 'tools/call', '--tool-name', 'request_status', ...other)) },
);
if (era) {
	const strict = await run(o, process.execPath, [bin('mcp-inspector'), '--cli', ...o.server, '--strict', '--method', 'tools/list']);
	check('its strict check finds no fault with the schemas', strict.status === 0, strict.err);
}

// A session with mcpdo, which keeps the connection in a process of its own.
async function throughMcpdo() {
	const mcpdo = (...args) => run(o, process.execPath, [bin('mcpdo'), ...args], { MCP_INSPECTOR_SECRET_STORE: 'file' });
	const named = ['--connection', SERVER, '--format', 'json'];
	const opened = await mcpdo(...named, 'connect', '--era', era, '--cwd', o.project, '--', ...o.recorded);
	check('mcpdo connects', opened.status === 0, opened.err);
	try {
		await makeCalls(o, async (name, values) =>
			first(await mcpdo(...named, 'tools/call', name, '--tool-args-json', JSON.stringify(values))),
		);
	} finally {
		check('and disconnects', (await mcpdo('daemon', 'stop')).status === 0);
	}
}

// A session through the proxy of the web page.
async function throughProxy() {
	const proxy = path.join(o.installed('@modelcontextprotocol/inspector-server'), 'build/index.js');
	void run(o, process.execPath, [proxy], { PORT: String(PORT), MCP_PROXY_TOKEN: TOKEN }); // ends with this drive
	const base = `http://127.0.0.1:${PORT}`;
	for (let waited = 0; waited < START_MS; waited += 100) {
		if (await fetch(`${base}/health`).then((r) => r.ok, () => false)) break;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	const sdk = (file) => import(pathToFileURL(o.installed(`@modelcontextprotocol/sdk/dist/esm/client/${file}`)));
	const [{ Client }, { SSEClientTransport }] = [await sdk('index.js'), await sdk('sse.js')];
	const headers = { 'X-MCP-Proxy-Auth': `Bearer ${TOKEN}` };
	const [command, ...args] = o.recorded;
	const query = new URLSearchParams({ transportType: 'stdio', command, args: args.join(' '), env: '{}' });
	const page = new Client({ name: 'inspector page', version: '1' });
	const transport = new SSEClientTransport(new URL(`${base}/stdio?${query}`), { requestInit: { headers } });
	await page.connect(transport);
	check('the proxy connects', page.getServerVersion()?.name === SERVER, page.getServerVersion());
	await page.listTools();
	await makeCalls(o, async (name, values) => (await page.callTool({ name, arguments: values })).content[0].text);
	await page.close();
}

await (era ? throughMcpdo() : throughProxy());
checkRefusals(o, checkWire(o));
finish();
