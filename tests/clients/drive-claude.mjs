// Claude Code without a screen, with a scripted model: one session that makes all calls of the calls file.
import { callName, events, start, versionOf } from './claude.mjs';
import { SERVER, check, checkRefusals, checkWire, client, drive, finish, options } from './lib.mjs';

const o = options();
client(`Claude Code ${await versionOf(o)}`);
const config = o.file('mcp.json', {
	mcpServers: { [SERVER]: { type: 'stdio', command: o.recorded[0], args: o.recorded.slice(1), env: {} } },
});
const { got } = await drive(o, callName, (url) =>
	start(o, url, ['--mcp-config', config, '--strict-mcp-config', '--allowedTools', `mcp__${SERVER}__*`]),
);
const init = events(got).find((e) => e.subtype === 'init');
check(
	'Claude Code says that the server is connected',
	init?.mcp_servers?.some((s) => s.name === SERVER && s.status === 'connected'),
	init?.mcp_servers,
);
checkRefusals(o, checkWire(o));
finish();
