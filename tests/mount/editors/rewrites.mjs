#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// How programs for Node.js save a file: `rewrites.mjs WAY DOCUMENT NEW` makes the
// bytes of NEW of DOCUMENT.  The ways with a name of a package or a product issue
// the calls it was seen to issue, in their order; they are not its code.
import fs from 'node:fs';
import path from 'node:path';
import crypto from 'node:crypto';

const [way, doc, source] = process.argv.slice(2);
const text = fs.readFileSync(source);
const hex = n => crypto.randomBytes(n).toString('hex');

// withFd FILE FLAGS WORK: open, work, close
function withFd(file, flags, work) {
	const fd = fs.openSync(file, flags, 0o666);
	try {
		return work(fd);
	} finally {
		fs.closeSync(fd);
	}
}

const ways = {
	writeFileSync: () => fs.writeFileSync(doc, text),
	writeFile: () => fs.promises.writeFile(doc, text),
	writeFile_flush: () => fs.promises.writeFile(doc, text, {flush: true}),
	appendFile: () => fs.promises.appendFile(doc, text.subarray(fs.statSync(doc).size)),
	copyFile: () => fs.promises.copyFile(source, doc),
	cp: () => fs.promises.cp(source, doc, {force: true}),
	createWriteStream: () => new Promise((done, fail) => {
		const out = fs.createWriteStream(doc);
		out.on('close', done).on('error', fail);
		for (const byte of text) out.write(Buffer.from([byte]));
		out.end();
	}),

	// write-file-atomic: a number for a suffix, owner and mode set, a failure of either is fatal
	write_file_atomic() {
		const {mode, uid, gid} = fs.statSync(doc);
		const tmp = `${doc}.${crypto.randomBytes(4).readUInt32BE()}`;
		withFd(tmp, 'w', fd => {
			fs.writeSync(fd, text, 0, text.length, 0);
			fs.fsyncSync(fd);
		});
		fs.chownSync(tmp, uid, gid);
		fs.chmodSync(tmp, mode);
		fs.renameSync(tmp, doc);
	},

	// atomically: the mode is set on the open file
	atomically() {
		const tmp = `${doc}.tmp-${hex(8)}`;
		withFd(tmp, 'w', fd => {
			fs.writeSync(fd, text, 0, text.length, 0);
			fs.fsyncSync(fd);
			fs.fchmodSync(fd, fs.statSync(doc).mode & 0o777);
		});
		fs.renameSync(tmp, doc);
	},

	// steno: always the same hidden name
	async steno() {
		const tmp = path.join(path.dirname(doc), `.${path.basename(doc)}.tmp`);
		await fs.promises.writeFile(tmp, text);
		await fs.promises.rename(tmp, doc);
	},

	// the MCP filesystem server's write_file: it hopes for a new file first
	async mcp_write_file() {
		try {
			await fs.promises.writeFile(doc, text, {flag: 'wx'});
			throw new Error('the document was not there');
		} catch (e) {
			if (e.code !== 'EEXIST') throw e;
		}
		const tmp = `${doc}.${hex(16)}.tmp`;
		const {mode} = await fs.promises.stat(doc);
		await fs.promises.writeFile(tmp, text, 'utf-8');
		await fs.promises.rename(tmp, doc);
		await fs.promises.chmod(doc, mode & 0o7777);
	},

	// its edit_file: the document is read just before, and open for reading meanwhile
	async mcp_edit_file() {
		const old = await fs.promises.open(doc, 'r');
		await old.readFile();
		const tmp = `${doc}.${hex(16)}.tmp`;
		await fs.promises.writeFile(tmp, text, 'utf-8');
		await fs.promises.rename(tmp, doc);
		await old.close();
	},

	// coding agents: process and time in the name, flushed, the old mode kept, then renamed
	agent_write() {
		const {mode} = fs.statSync(doc);
		const tmp = `${doc}.tmp.${process.pid}.${Date.now()}`;
		fs.writeFileSync(tmp, text, {flush: true});
		fs.chmodSync(tmp, mode & 0o7777);
		fs.renameSync(tmp, doc);
	},

	// VS Code: in place, fdatasync before close
	vscode() {
		withFd(doc, 'w', fd => {
			fs.writeSync(fd, text);
			fs.fdatasyncSync(fd);
		});
	},

	// VS Code's watcher and encoding guess: others read while it writes
	vscode_with_readers() {
		const readers = [0, 1, 2].map(() => fs.openSync(doc, 'r'));
		ways.vscode();
		readers.forEach(fd => fs.closeSync(fd));
	},
};

await ways[way]();
