#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// The tokenizers beside tiktoken (OpenAI's own, in WebAssembly): the same ids for generated texts,
// the speed, and long pieces.  `make bench-tokens`; B is the build directory, where npm puts tiktoken.
//
//   tokens.mjs [TEXTS]         compare (default 20000 texts) and measure; 1 if anything differs
//   tokens.mjs --table         write tests/unit/tokens.tsv to standard output
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const build = resolve(process.env.B ?? 'build');
const top = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const names = ['o200k_base', 'cl100k_base'];
const tool = `${build}/tests/bench/tokens`;

function oracle() {
	const home = `${build}/npm`;
	if (!existsSync(`${home}/node_modules/tiktoken`))
		execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', home, 'tiktoken@1.0.22'],
			{ stdio: ['ignore', 'inherit', 'inherit'] });
	const { get_encoding } = createRequire(`${home}/`)('tiktoken');
	return Object.fromEntries(names.map((name) => [name, get_encoding(name)]));
}

// ---- texts

let seed = 20261121;
function random(n) {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return Math.floor((seed / 2 ** 32) * n);
}
const pick = (list) => list[random(list.length)];
const times = (n, make) => Array.from({ length: n }, make).join('');

const fixed = ['', ' ', '\n', "it's", "IT'S", "we'Re I'LL they'Ve 'sup", "'s 't 're 've 'm 'll 'd", "x'\u017F y'\u017Fa",
	'12345678901234567890', '\u0661\u0662\u0663\u0664 \u2167\u2168 \u00B2\u00B3\u00B9\u2070', '\uFEFFbom\uFEFF', 'a\u0085b \u0085 ',
	'a\u00A0b\u3000c\u2028d\u2029e', '<|endoftext|><|fim_prefix|>', '<|endofprompt|> hi', 'a/b//c///\r\n/ d', '!!!\r\n\r\n/x',
	'   \n   \n  x', 'x   ', '\t\tint x;\n\t\t\treturn;\n', 'HTTPServerError XMLHttpRequest iPhone', 'e\u0301 E\u0301A \u0301\u0301x',
	'\u4e2d\u6587ABC\u6587abc', '\u01C5\u01C5a \u02B0\u02B0A', '\u{1F600}\u{1F468}\u200D\u{1F469}\u200D\u{1F467}', '\uFFFD\uFFFD',
	'\0\x01\x7f', '\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35', '\uD55C\uAD6D\uC5B4 \uBB38\uC7A5', '\u0627\u0644\u0639\u0631\u0628\u064A\u0629',
	'\u05E9\u05DC\u05D5\u05DD', '\u0939\u093F\u0928\u094D\u0926\u0940', '\u{10D4A}\u{10D70} \u{2EBF0}\u{10D40}\u{10D41}\u{10D42}\u{10D43}'];
const parts = [' ', '  ', '\n', '\r\n', '\t', '\u00A0', '\u0085', '\u2003', '\uFEFF', '\u017F', "'", "'s", "'S", "'LL", "'re", '\u2019s', '.', ',',
	'/', '//', '\\', '"', '(', ')', '{}', '<|endoftext|>', '=', '==', '-', '--', '_', 'a', 'A', 'the', 'The', 'THE', 'ing', 'ñ', 'Ñ', 'ü', 'ß', '\u0130',
	'\u01C5', '\u02B0', '\u0301', '\u0308', '中', '文字', 'あ', 'カ', '한', '글', 'я', 'Я', 'λ', 'Σ', 'ا', 'ש', 'ก', 'ि', '0', '12', '345', '\u0663', '½', 'Ⅷ', '😀',
	'👍🏽', '\u200D', '\u{1F1E6}', '\u{10FFFF}', '\0', '\x7f', '€', '™'];

const sources = execFileSync('git', ['ls-files', 'docs', 'fs', 'render', 'tests/signals', 'README.md', 'tests/mount'], { cwd: top })
	.toString().trim().split('\n').filter((f) => /\.(c|h|md|tsv|py|bats|[15])$/.test(f))
	.map((f) => readFileSync(`${top}/${f}`, 'utf8'));

const anyOf = (from, to) => String.fromCodePoint(from + random(to - from));
const scripts = [[0x20, 0x7f], [0xa0, 0x250], [0x370, 0x530], [0x590, 0x700], [0x900, 0xe80], [0x1e00, 0x2100], [0x2100, 0x2c00],
	[0x3000, 0x3100], [0x4e00, 0x9fff], [0xac00, 0xd7a4], [0xe000, 0xffff], [0x10000, 0x20000], [0x1f300, 0x1fb00]];
const makers = [
	() => { const s = pick(sources), at = random(s.length); return s.slice(at, at + random(600)).toWellFormed(); },
	() => times(random(40), () => pick(parts)),
	() => { const few = [pick(parts), pick(parts), pick(parts)]; return times(random(60), () => pick(few)); },
	() => { const script = pick(scripts); return times(random(80), () => (random(6) ? anyOf(...script) : pick(parts))); },
	() => times(random(60), () => { const c = random(0x110000 - 0x800); return String.fromCodePoint(c < 0xd800 ? c : c + 0x800); }),
	() => Buffer.from(Array.from({ length: random(120) }, () => random(256))).toString('utf8'),
	() => times(random(6), () => pick([' ', '\n', '\t', '\r', 'x', '=', 'é', '中']).repeat(random(40))),
	() => times(1 + random(8), () => `${pick(['', ' ', '-', '$'])}${random(2 ** 31)}${pick(['', '.', ',', '/', 'px'])}${random(99999)}`),
	() => times(random(30), () => { const w = times(1 + random(9), () => anyOf(97, 123)); return pick([w, w.toUpperCase(), w[0].toUpperCase() + w.slice(1)]) + pick([' ', '', '_', "'s ", '\n']); }),
	() => times(100 + random(300), () => pick('abcdefghijklmnopqrstuvwxyzéñ'.split(''))),
];
const generate = (n) => [...fixed, ...Array.from({ length: n - fixed.length }, (_, i) => makers[i % makers.length]())];

// ---- our side

function records(texts) {
	return Buffer.concat(texts.flatMap((s) => {
		const bytes = Buffer.from(s), head = Buffer.alloc(4);
		head.writeUInt32LE(bytes.length);
		return [head, bytes];
	}));
}
const run = (what, name, texts) => execFileSync(tool, [what, name], { input: records(texts), maxBuffer: 2 ** 30 });

function* ours(name, texts) {
	const out = run('ids', name, texts);
	for (let at = 0; at < out.length;) {
		const n = out.readUInt32LE(at) / 4;
		yield Array.from({ length: n }, (_, i) => out.readUInt32LE(at + 4 + 4 * i));
		at += 4 + 4 * n;
	}
}

function compare(encodings, texts) {
	let wrong = 0;
	for (const name of names) {
		let i = 0, differ = 0;
		for (const ids of ours(name, texts)) {
			const right = encodings[name].encode(texts[i], [], []);
			if (right.length !== ids.length || ids.some((id, j) => id !== right[j])) {
				if (differ++ < 5)
					console.log(`${name}: ${JSON.stringify(texts[i])}\n  is   ${right}\n  ours ${ids}`);
			}
			i++;
		}
		console.log(`${name}: the same ids for ${i - differ} of ${i} texts`);
		wrong += differ + (i !== texts.length);
	}
	return wrong;
}

function seconds(work) {
	let best = Infinity;
	for (let i = 0; i < 3; i++) {
		const from = process.hrtime.bigint();
		work();
		best = Math.min(best, Number(process.hrtime.bigint() - from) / 1e9);
	}
	return best;
}

function measure(encodings) {
	const text = sources.join('\n');
	const messages = Array.from({ length: 4000 }, () => { const at = random(text.length - 200); return text.slice(at, at + 200).toWellFormed(); });
	let slow = 0;
	for (const name of [...names, 'estimate']) {
		const [bytes, , ns] = run('time', name, messages).toString().split(' ').map(Number);
		let line = `${name}: ${(bytes / ns * 1e3).toFixed(0)} MB/s, ${(ns / messages.length).toFixed(0)} ns for 200 characters`;
		if (encodings[name]) {
			const theirs = seconds(() => messages.forEach((m) => encodings[name].encode(m, [], [])));
			const ratio = theirs * 1e9 / ns;
			line += `; tiktoken ${(bytes / theirs / 1e6).toFixed(1)} MB/s: ${ratio.toFixed(0)} times as fast`;
			slow += ratio < 10;
		}
		console.log(line);
	}
	for (const name of names) {
		for (const [what, s] of [['one letter', 'a'.repeat(1 << 20)], ['letters', times(1 << 20, () => anyOf(97, 123))],
			['one ideograph', '中'.repeat(349525)], ['spaces', ' '.repeat(1 << 20)], ['one mark', '='.repeat(1 << 20)]]) {
			const took = Number(run('time', name, [s]).toString().split(' ')[2]) / 1e6;
			console.log(`${name}: 1 MiB of ${what}: ${took.toFixed(0)} ms`);
			slow += took >= 1000;
		}
	}
	return slow;
}

// ---- the table of the unit test: o200k ids, cl100k ids, the text's bytes in hexadecimal

function table(encodings) {
	const texts = generate(400).map((s) => [...s].slice(0, 120).join(''));
	console.log('# Made by tests/bench/tokens.mjs --table with tiktoken 1.0.22: o200k_base, cl100k_base, the text in hexadecimal');
	for (const s of new Set(texts))
		console.log(`${names.map((name) => [...encodings[name].encode(s, [], [])].join(' ')).join('\t')}\t${Buffer.from(s).toString('hex')}`);
}

const encodings = oracle();
if (process.argv[2] === '--table') {
	table(encodings);
} else {
	const texts = generate(Number(process.argv[2] ?? 20000));
	const wrong = compare(encodings, texts) + measure(encodings);
	process.exitCode = wrong ? 1 : 0;
}
