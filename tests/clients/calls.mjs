// The calls file: a list of {what, tool, input, expect, until?, refused?}. expect and until are regular expressions on the
// text of the result; a call with until is made again until it matches; refused: the result has to be marked as an error.
// Placeholders of the file: {name} in it is replaced by the drive's option --set name=value; an input "@result:REGEX" is the
// first group of REGEX in the latest result that matches.
import { readFileSync } from 'node:fs';

export const POLLS = 300; // of one call, 100 ms apart: half a minute
export const matches = (regex, text) => new RegExp(regex, 's').test(text);

export function readCalls(file, values) {
	const text = readFileSync(file, 'utf8').replace(/\{([a-z]+)\}/g, (whole, name) => values[name] ?? whole);
	return JSON.parse(text);
}

// texts: the results so far, oldest first.
export function fill(input, texts) {
	return JSON.parse(JSON.stringify(input), (key, value) => {
		if (typeof value !== 'string' || !value.startsWith('@result:')) return value;
		for (const text of [...texts].reverse()) {
			const found = new RegExp(value.slice(8)).exec(text);
			if (found) return found[1];
		}
		return 'no result matched';
	});
}
