// SPDX-License-Identifier: MIT
// Drives @modelcontextprotocol/server-filesystem on a mounted memory, over stdio.
// filesystem.mjs SERVER MOUNT: prints one line a step, exits 1 at the first that is wrong.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [server, mount] = process.argv.slice(2);
const child = spawn(process.execPath, [server, `${mount}/notes`, `${mount}/smma`, `${mount}/blocks`], {
	stdio: ["pipe", "pipe", "ignore"],
});
const waiting = new Map();
let lastId = 0;

createInterface({ input: child.stdout }).on("line", (line) => {
	const answer = JSON.parse(line);
	waiting.get(answer.id)?.(answer);
	waiting.delete(answer.id);
});

function send(message) {
	child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function ask(method, params) {
	const id = ++lastId;
	send({ id, method, params });
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), 20000);
		waiting.set(id, (answer) => {
			clearTimeout(timer);
			resolve(answer);
		});
	});
}

const called = new Set();

// A tool that must work: its text.
async function tool(name, args) {
	called.add(name);
	const { result, error } = await ask("tools/call", { name, arguments: args });
	assert.ok(!error && !result.isError, `${name}: ${JSON.stringify(error ?? result)}`);
	console.log(name, args.path ?? args.source ?? "");
	return result.content.map((part) => part.text).join("\n");
}

// A tool that must fail, and say why.
async function refused(name, args, pattern) {
	const { result, error } = await ask("tools/call", { name, arguments: args });
	const said = JSON.stringify(error ?? result);
	assert.ok(error || result.isError, `${name} was not refused`);
	assert.match(said, pattern);
	console.log(name, "refused", said.slice(0, 160));
}

const notes = `${mount}/notes`;
const read = (path) => readFileSync(path, "utf8");

await ask("initialize", {
	protocolVersion: "2025-06-18",
	capabilities: {},
	clientInfo: { name: "cinta-tests", version: "1" },
});
send({ method: "notifications/initialized" });

const { result: { tools } } = await ask("tools/list", {});
assert.ok(!tools.some((t) => /delete|remove/.test(t.name)), "this server cannot delete");

await tool("create_directory", { path: `${notes}/plans/2026` });
await tool("write_file", { path: `${notes}/plans/2026/trip.md`, content: "# Trip\n\nby train\n" });
assert.equal(await tool("read_text_file", { path: `${notes}/plans/2026/trip.md` }), "# Trip\n\nby train\n");
await tool("write_file", { path: `${notes}/plans/2026/trip.md`, content: "# Trip\n\nby boat\n" });
assert.equal(read(`${notes}/plans/2026/trip.md@1`), "# Trip\n\nby train\n");
await tool("edit_file", {
	path: `${notes}/plans/2026/trip.md`,
	edits: [{ oldText: "by boat", newText: "by boat, slowly" }],
});
assert.equal(read(`${notes}/plans/2026/trip.md`), "# Trip\n\nby boat, slowly\n");
assert.equal(read(`${notes}/plans/2026/trip.md@log`).split("\n").length, 4);
assert.equal(await tool("read_text_file", { path: `${notes}/plans/2026/trip.md`, head: 1 }), "# Trip");
assert.match(await tool("list_directory", { path: `${notes}/plans/2026` }), /^\[FILE\] trip\.md$/);
assert.match(await tool("list_directory", { path: `${notes}/plans` }), /^\[DIR\] 2026$/);
assert.match(await tool("list_directory_with_sizes", { path: `${notes}/plans/2026` }), /trip\.md.*24 B/);
assert.match(await tool("directory_tree", { path: notes }), /trip\.md/);
assert.match(await tool("search_files", { path: notes, pattern: "**/trip*" }), /plans\/2026\/trip\.md/);
assert.match(await tool("get_file_info", { path: `${notes}/plans/2026/trip.md` }), /size: 24/);
await tool("move_file", { source: `${notes}/plans/2026/trip.md`, destination: `${notes}/plans/journey.md` });
assert.equal(read(`${notes}/plans/journey.md@1`), "# Trip\n\nby train\n");
await tool("move_file", { source: `${notes}/plans/2026`, destination: `${notes}/plans/2027` });
await tool("write_file", { path: `${mount}/smma/current_task.md`, content: "- [x] one\n- [ ] two\n" });
await tool("edit_file", {
	path: `${mount}/smma/current_task.md`,
	edits: [{ oldText: "- [ ] two", newText: "- [x] two" }],
});
assert.equal(read(`${mount}/smma/current_task.md`), "- [x] one\n- [x] two\n");
await tool("write_file", { path: `${mount}/blocks/rules/truth.md`, content: "---\npriority: 9\n---\nnever lie\n" });
await refused("write_file",
	{ path: `${mount}/blocks/rules/truth.md`, content: "---\npriority: high\n---\n" }, /EINVAL|EPROTO|EPERM/);
assert.match(read(`${mount}/blocks/rules/truth.md`), /priority: 9/);
await refused("write_file",
	{ path: `${mount}/smma/user_profile.md`, content: "word ".repeat(30000) }, /EFBIG/);
await refused("write_file", { path: `${mount}/smma/identity.md`, content: "me" }, /EPERM/);
await refused("move_file",
	{ source: `${mount}/smma/current_task.md`, destination: `${notes}/.gone` }, /EPERM/);
await refused("create_directory", { path: `${mount}/blocks/mine` }, /EPERM/);
await tool("list_allowed_directories", {});
assert.match(await tool("read_multiple_files", { paths: [`${notes}/plans/journey.md`, `${mount}/smma/current_task.md`] }),
	/slowly[^]*\[x\] two/);
await tool("read_media_file", { path: `${notes}/plans/journey.md` });
await tool("read_file", { path: `${notes}/plans/journey.md` });
assert.deepEqual(tools.map((t) => t.name).filter((name) => !called.has(name)), []);
child.stdin.end();
console.log("done");
process.exit(0);
