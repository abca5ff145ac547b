// SPDX-License-Identifier: MIT
// Drives the memory tool of @anthropic-ai/sdk on a mounted memory.
// memory.mjs SDK MOUNT [retire]: once with its /memories below notes/, as an agent's free notes,
// once at memories/ itself, the typed ones; `retire`: the mount takes a delete.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const [sdk, mount, retire] = process.argv.slice(2);
const { BetaLocalFilesystemMemoryTool, betaMemoryTool } = await import(`${sdk}/tools/memory/node.mjs`);
const read = (path) => readFileSync(path, "utf8");

async function open(base) {
	const memory = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(base));
	return async (command, args) => {
		const said = await memory.run({ command, ...args });
		console.log(command, args.path ?? args.old_path, "→", said.split("\n")[0]);
		return said;
	};
}

// The history stays, and goes on when the file is made again.
async function deletes(run, file, path, under) {
	const last = read(file);
	await run("delete", { path });
	assert.ok(!existsSync(file));
	await assert.rejects(run("view", { path }), /does not exist/);
	await assert.rejects(run("delete", { path }), /does not exist/);
	await assert.rejects(run("str_replace", { path, old_str: "tea", new_str: "x" }), /does not exist/);
	assert.doesNotMatch(await run("view", { path: under }), /likes\.md/);
	assert.equal(read(`${file}@3`), last);
	await run("create", { path, file_text: "anew\n" });
	assert.equal(read(`${file}@log`).split("\n").length, 5);
	await run("create", { path: `${under}/second.md`, file_text: "two\n" });
	if (under.includes("/people/")) { // a typed folder is given; a free one goes with what is in it
		await run("delete", { path: under });
		assert.ok(!existsSync(file.replace("/likes.md", "")));
	} else {
		await run("delete", { path });
		await run("delete", { path: `${under}/second.md` });
	}
	await run("create", { path, file_text: last });
	assert.equal(read(`${file}@log`).split("\n").length, 6);
}

async function walk(run, dir, under) {
	const path = `${under}/likes.md`;
	const file = `${dir}${path}`;
	await run("create", { path, file_text: "tea\ncoffee\n" });
	await assert.rejects(run("create", { path, file_text: "x" }), /already exists/);
	assert.match(await run("view", { path }), /1\ttea/);
	await run("str_replace", { path, old_str: "coffee", new_str: "mate" });
	await run("insert", { path, insert_line: 1, insert_text: "water\n" });
	assert.equal(read(file), "tea\nwater\nmate\n");
	assert.match(await run("view", { path, view_range: [2, 2] }), /2\twater/);
	assert.equal(read(`${file}@1`), "tea\ncoffee\n");
	assert.equal(read(`${file}@2`), "tea\nmate\n");
	assert.match(await run("view", { path: under }), /likes\.md/);
	if (retire)
		await deletes(run, file, path, under);
	else {
		await assert.rejects(run("delete", { path }), /EPERM|not permitted/);
		await assert.rejects(run("delete", { path: under }), /EPERM|not permitted/);
	}
	assert.equal(read(file), "tea\nwater\nmate\n");
	await run("rename", { old_path: path, new_path: `${under}/tastes.md` });
	assert.ok(!existsSync(file));
	assert.equal(read(file.replace("likes", "tastes") + "@1"), "tea\ncoffee\n");
	await assert.rejects(run("view", { path }), /does not exist/);
	assert.deepEqual(readdirSync(file.replace("/likes.md", "")), ["tastes.md"]);
}

const free = await open(`${mount}/notes`);
await walk(free, `${mount}/notes`, "/memories/people/ana");
await free("create", { path: "/memories/todo.txt", file_text: "one" });
await free("rename", { old_path: "/memories/people", new_path: "/memories/friends" });
assert.equal(read(`${mount}/notes/memories/friends/ana/tastes.md`), "tea\nwater\nmate\n");

const typed = await open(mount);
await walk(typed, mount, "/memories/preference");
await assert.rejects(typed("create", { path: "/memories/mine/x.md", file_text: "x" }), /EPERM|not permitted/);
await assert.rejects(
	typed("create", { path: "/memories/fact/x.md", file_text: "---\nimportance: 7\n---\nx" }),
	/EINVAL|invalid/,
);
assert.match(read(`${mount}/errors.log`), /importance/);
if (!retire)
	assert.match(read(`${mount}/errors.log`), /memory is never deleted/);
console.log("done");
