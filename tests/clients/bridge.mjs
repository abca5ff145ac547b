// SPDX-License-Identifier: MIT
// The conformance suite speaks HTTP alone: bridge.mjs PORT COMMAND… runs a stdio server, and gives
// each POST to it as a line.  What belongs to HTTP (statuses, headers, streams) is done here.
import { spawn } from 'node:child_process';
import http from 'node:http';
import readline from 'node:readline';

const [port, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
child.on('exit', code => process.exit(code ?? 1));
const waiting = new Map();
let last = 0;
readline.createInterface({ input: child.stdout }).on('line', line => {
	const message = JSON.parse(line);
	const id = message.id ?? message.params?._meta?.['io.modelcontextprotocol/subscriptionId'];
	waiting.get(id)?.(message);
	if (message.id !== undefined) waiting.delete(id);
});

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const STATUS = { '-32601': 404, '-32602': 400, '-32022': 400, '-32021': 400 };

http.createServer((request, response) => {
	let body = '';
	request.on('data', piece => { body += piece; });
	request.on('end', () => {
		const send = (status, message) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(message && JSON.stringify(message));
		};
		if (request.method !== 'POST') return send(405);
		const message = JSON.parse(body), { id } = message, inside = message.params?._meta?.[VERSION];
		const modern = request.headers['mcp-protocol-version'] === '2026-07-28' || inside;
		if (inside && request.headers['mcp-protocol-version'] !== inside)
			return send(400, { jsonrpc: '2.0', id, error: { code: -32020, message: 'Header mismatch' } });
		if (id === undefined) {
			child.stdin.write(body.replaceAll('\n', ' ') + '\n');
			return send(202);
		}
		const own = ++last;
		child.stdin.write(JSON.stringify({ ...message, id: own }) + '\n');
		const stream = message.method === 'subscriptions/listen';
		waiting.set(own, answer => {
			if (stream && answer.method) {
				answer.params._meta['io.modelcontextprotocol/subscriptionId'] = id;
				response.writeHead(200, { 'content-type': 'text/event-stream' });
				response.write(`data: ${JSON.stringify(answer)}\n\n`);
			} else {
				send(modern && answer.error ? STATUS[answer.error.code] ?? 200 : 200, { ...answer, id });
			}
		});
	});
}).listen(Number(port), '127.0.0.1');
