// Plays the model on 127.0.0.1 for one client session: answers the Anthropic Messages and OpenAI Chat Completions interfaces
// with the tool calls of a script, and keeps what the client sends back. Which call comes next follows from the request
// alone (the results that it holds), so that retries need no state.
import http from 'node:http';
import { appendFileSync } from 'node:fs';
import { POLLS, fill, matches } from './calls.mjs';

let serial = 0;
const unique = (prefix) => `${prefix}_${Date.now().toString(36)}${(serial++).toString(36)}`;

const textOf = (content) =>
	typeof content === 'string' ? content : (content ?? []).map((b) => b.text ?? '').join('\n');
// Some clients split event streams at U+2028, so only ASCII goes out.
const ascii = (value) =>
	JSON.stringify(value).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

function sendStream(res, events) {
	res.writeHead(200, { 'content-type': 'text/event-stream' });
	for (const [name, data] of events)
		res.write(`${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : ascii(data)}\n\n`);
	res.end();
}

function sendJson(res, value, status = 200) {
	res.writeHead(status, { 'content-type': 'application/json' });
	res.end(JSON.stringify(value));
}

// One reader and one writer for each interface. read: tools offered by name, the user's texts, results of tools in order.
const anthropic = {
	read(body) {
		const seen = { tools: (body.tools ?? []).map((t) => t.name), users: [], results: [] };
		for (const message of body.messages ?? []) {
			if (message.role !== 'user') continue;
			const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
			for (const b of blocks) {
				if (b.type === 'text') seen.users.push(b.text);
				if (b.type === 'tool_result') seen.results.push({ text: textOf(b.content), error: b.is_error === true });
			}
		}
		return seen;
	},
	write(res, body, answer) {
		const block = answer.name
			? { type: 'tool_use', id: unique('toolu'), name: answer.name, input: answer.input }
			: { type: 'text', text: answer.text };
		const stop = { stop_reason: answer.name ? 'tool_use' : 'end_turn', stop_sequence: null };
		const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
		const message = { id: unique('msg'), type: 'message', role: 'assistant', model: body.model };
		if (!body.stream) return sendJson(res, { ...message, content: [block], ...stop, usage });
		const event = (data) => [data.type, data];
		const open = answer.name ? { ...block, input: {} } : { type: 'text', text: '' };
		const delta = answer.name
			? { type: 'input_json_delta', partial_json: JSON.stringify(answer.input) }
			: { type: 'text_delta', text: answer.text };
		sendStream(res, [
			event({ type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } }),
			event({ type: 'content_block_start', index: 0, content_block: open }),
			event({ type: 'content_block_delta', index: 0, delta }),
			event({ type: 'content_block_stop', index: 0 }),
			event({ type: 'message_delta', delta: stop, usage: { output_tokens: 1 } }),
			event({ type: 'message_stop' }),
		]);
	},
};

const chat = {
	read(body) {
		const seen = { tools: (body.tools ?? []).map((t) => t.function.name), users: [], results: [] };
		for (const message of body.messages ?? []) {
			if (message.role === 'user') seen.users.push(textOf(message.content));
			if (message.role === 'tool') seen.results.push({ text: textOf(message.content), error: false });
		}
		return seen;
	},
	write(res, body, answer) {
		const call = { index: 0, id: unique('call'), type: 'function' };
		const message = answer.name
			? {
					role: 'assistant',
					content: null,
					tool_calls: [{ ...call, function: { name: answer.name, arguments: JSON.stringify(answer.input) } }],
				}
			: { role: 'assistant', content: answer.text };
		const finish_reason = answer.name ? 'tool_calls' : 'stop';
		const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
		const base = { id: unique('chatcmpl'), created: Math.floor(Date.now() / 1000), model: body.model };
		if (!body.stream)
			return sendJson(res, { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage });
		const chunk = (choices, more) => ['', { ...base, object: 'chat.completion.chunk', choices, ...more }];
		sendStream(res, [
			chunk([{ index: 0, delta: message, finish_reason: null }]),
			chunk([{ index: 0, delta: {}, finish_reason }]),
			chunk([], { usage }),
			['', '[DONE]'],
		]);
	},
};

// A call with "until" is made again until its result matches; each result in turn is held against the script. Returns the
// place in the script and how often its call was made.
function place(script, results) {
	let step = 0;
	let made = 0;
	for (const result of results) {
		if (step >= script.length) break;
		made++;
		if (script[step].until && !matches(script[step].until, result.text) && made < POLLS) continue;
		step++;
		made = 0;
	}
	return { step, made };
}

// toolName(call, offered): what the client calls the tool, or undefined. The conversation is told by mark; every client asks
// for titles and the like beside it. log gets one line a request of the conversation.
export async function startModel({ script, mark, toolName, log }) {
	const server = http.createServer((req, res) => {
		const chunks = [];
		req.on('data', (c) => chunks.push(c));
		req.on('end', async () => {
			const path = req.url.split('?')[0];
			const api = path.endsWith('/messages') ? anthropic : path.endsWith('/chat/completions') ? chat : null;
			if (path.endsWith('/count_tokens')) return sendJson(res, { input_tokens: 1 });
			if (path.endsWith('/models')) return sendJson(res, { object: 'list', data: [{ id: 'fake-model', object: 'model' }] });
			if (req.method !== 'POST' || !api) return sendJson(res, { error: { type: 'not_found_error', message: 'no' } }, 404);
			const body = JSON.parse(Buffer.concat(chunks).toString());
			const seen = api.read(body);
			if (!seen.tools.length || !seen.users.some((u) => u.includes(mark))) return api.write(res, body, { text: 'ok' });
			const { step, made } = place(script, seen.results);
			const call = script[step];
			const name = call && toolName(call, seen.tools);
			const answer = !call
				? { text: 'FINISHED' }
				: name
					? { name, input: fill(call.input, seen.results.map((r) => r.text)) }
					: { text: `NO-SUCH-TOOL ${call.tool}` };
			appendFileSync(log, `${JSON.stringify({ tools: seen.tools, step, results: seen.results, answer })}\n`);
			if (made) await new Promise((resolve) => setTimeout(resolve, 100));
			api.write(res, body, answer);
		});
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${server.address().port}`,
		stop() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(resolve));
		},
	};
}

// The last result of each call of the script, as the client handed them to the model.
export function lastResults(script, results) {
	const last = [];
	results.forEach((result, i) => {
		last[place(script, results.slice(0, i)).step] = result;
	});
	return last;
}
