// SPDX-License-Identifier: MIT
// The protocol's own client drives `cinta mcp`: mcp.mjs CINTA DB.  Run where its package is found.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [cinta, db] = process.argv.slice(2);
const require = createRequire(`${process.cwd()}/`);
const load = name => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)));
const { Client } = await load('index');
const { StdioClientTransport } = await load('stdio');

const open = async words => {
	const client = new Client({ name: 'sdk-client', version: '1.0.0' });
	await client.connect(new StdioClientTransport({ command: cinta, args: ['mcp', '-d', db, ...words], env: process.env }));
	return client;
};
const client = await open([]);
const call = async (name, args) => {
	const result = await client.callTool({ name, arguments: args });
	return { text: result.content[0].text, error: result.isError };
};
const fine = async (name, args) => {
	const { text, error } = await call(name, args);
	assert.equal(error, false, `${name}: ${text}`);
	return text;
};

assert.equal(client.getServerVersion().name, 'cinta');
assert.match(client.getInstructions(), /memory_context/);
const { tools } = await client.listTools();
assert.deepEqual(tools.map(t => t.name), ['memory_context', 'memory_search', 'memory_read', 'memory_write', 'memory_log', 'memory_window']);
await client.ping();

await fine('memory_write', { path: 'notes/boats/tern.md', text: 'The tern has a mast of larch.\n' });
await fine('memory_write', { path: 'notes/boats/tern.md', old: 'larch', new: 'spruce' });
await fine('memory_write', { path: 'facts/work.md', append: '- No sailing on Fridays' });
assert.equal(await fine('memory_read', { path: 'notes/boats/tern.md' }), 'The tern has a mast of spruce.\n');
assert.match(await fine('memory_read', { path: 'notes/boats/tern.md@log' }), /sdk-client/);
assert.match(await fine('memory_read', { path: 'notes/boats/tern.md@1' }), /larch/);
await fine('memory_log', { session: 'sea', messages: [{ role: 'user', content: 'Is the keel oiled?' }, { role: 'assistant', content: 'It is.' }] });
assert.match(await fine('memory_search', { query: 'keel oiled', limit: 3 }), /sessions\/sea/);
assert.match(await fine('memory_context', { question: 'When may we sail?' }), /Fridays/);
assert.match(await fine('memory_context', { session: 'sea' }), /keel/);
await fine('memory_window', { session: 'sea', commands: ['pin 1', 'prune 2'] });
assert.equal((await call('memory_write', { path: 'context.md', text: 'mine' })).error, true);
await assert.rejects(client.callTool({ name: 'memory_delete', arguments: {} }), /Unknown tool/);

const { resources } = await client.listResources();
for (const { uri } of resources) assert.ok((await client.readResource({ uri })).contents[0].text.length > 0);
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
assert.match((await client.readResource({ uri: 'cinta:///notes/boats/tern.md' })).contents[0].text, /spruce/);
await assert.rejects(client.readResource({ uri: 'cinta:///nothing.md' }), /nothing.md/);

// Many at once, and one given up: all others are answered.
const given = new AbortController();
const many = Array.from({ length: 50 }, (_, i) => fine('memory_log', { session: 'many', messages: [{ role: 'user', content: `line ${i}` }] }));
const lost = client.callTool({ name: 'memory_search', arguments: { query: 'line' } }, undefined, { signal: given.signal });
given.abort();
await assert.rejects(lost);
await Promise.all(many);
assert.equal((await fine('memory_read', { path: 'sessions/many/log.jsonl' })).trim().split('\n').length, 50);
await client.close();

const reader = await open(['-o', 'ro']);
assert.equal((await reader.listTools()).tools.length, 3);
await reader.close();
