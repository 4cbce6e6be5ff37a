// How Claude Code is started here: no network but the loopback, nothing that calls home, tools offered at once and not behind
// a search.
import { MARK, SERVER, run } from './lib.mjs';

const program = (o) => o.installed('.bin/claude');

export async function versionOf(o) {
	const got = await run(o, program(o), ['--version']);
	return got.out.trim().split(' ')[0] || got.err;
}

export const callName = (call, offered) =>
	offered.find((name) => name === (call.tool === 'Bash' ? 'Bash' : `mcp__${SERVER}__${call.tool}`));

export function start(o, url, more, env = {}) {
	return run(o, program(o), ['-p', `${MARK} go`, '--output-format', 'stream-json', '--verbose', ...more], {
		ANTHROPIC_BASE_URL: url,
		ANTHROPIC_API_KEY: 'dummy',
		ENABLE_TOOL_SEARCH: 'false',
		DISABLE_AUTOUPDATER: '1',
		DISABLE_TELEMETRY: '1',
		DISABLE_ERROR_REPORTING: '1',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		...env,
	});
}

// What it prints with --output-format stream-json.
export const events = (got) =>
	got.out
		.split('\n')
		.filter((line) => line.startsWith('{'))
		.map((line) => JSON.parse(line));
