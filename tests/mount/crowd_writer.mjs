// SPDX-License-Identifier: MIT
// crowd_writer.mjs LOG COUNT: appends COUNT lines, one a write.
import { openSync, writeSync, closeSync, constants } from "node:fs";
const [log, count] = process.argv.slice(2);
const fd = openSync(log, constants.O_WRONLY | constants.O_APPEND);
for (let n = 0; n < Number(count); n++) {
	const line = `{"role":"assistant","content":"node ${n} ${"ñ".repeat(n % 97)}"}\n`;
	if (writeSync(fd, line) !== Buffer.byteLength(line)) throw new Error("short write");
}
closeSync(fd);
