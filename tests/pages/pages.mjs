// SPDX-License-Identifier: MIT
// The pages of .cinta/html/ in Chromium: pages.mjs DIR, which tests/pages/run has filled.
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';

const T = process.argv[2];
const require = createRequire(join(process.env.PAGES, 'package.json'));
const puppeteer = await import(pathToFileURL(require.resolve('puppeteer-core')));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const meant = JSON.parse(readFileSync(join(T, 'meant.json'), 'utf8'));
const site = name => pathToFileURL(name === 'copy' ? join(T, 'copy') : join(T, name, '.cinta/html')).href + '/';
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const TABS = 3, PART_MS = 600000; // a part takes a minute at most, on a quiet machine
const LEAST = { copy: 100, many: 2500 };
const VECTORS = 300, LEAST_VECTORS = { 'proof.html': 0, 'search.html': 0 };

let passed = 0, failed = 0;
function check(what, wrong) {
	wrong = [].concat(wrong).filter(Boolean);
	if (wrong.length) failed++; else passed++;
	console.log(`${wrong.length ? 'not ok' : 'ok'} - ${what}`);
	for (const w of wrong.slice(0, 12)) console.log(`  ${String(w).slice(0, 300)}`);
	if (wrong.length > 12) console.log(`  and ${wrong.length - 12} more`);
}

const browser = await puppeteer.launch({
	executablePath: browsers.find(existsSync), headless: true, userDataDir: join(T, 'chromium'),
	protocolTimeout: 120000, timeout: 120000,
	args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
		'--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
});
writeFileSync(join(T, 'browser'), String(browser.process().pid)); // for who has to end it: its own group

// A page that remembers all that a person would see go wrong.
async function open(said) {
	const page = await browser.newPage();
	page.setDefaultTimeout(120000);
	page.on('console', m => said.push(`${page.url()}: console: ${m.text()}`));
	page.on('pageerror', e => said.push(`${page.url()}: ${e}`));
	page.on('dialog', d => { said.push(`${page.url()}: dialog: ${d.message()}`); d.dismiss(); });
	page.on('requestfailed', r => said.push(`${page.url()}: ${r.url()}: ${r.failure().errorText}`));
	page.on('request', r => { if (!/^(file|data|about):/.test(r.url())) said.push(`${page.url()} asks ${r.url()}`); });
	await page.setViewport({ width: 1100, height: 800 });
	return page;
}

// In the page: where it leads, what can be led to, and what is there that was not meant.
function look(meant) {
	const bad = [], ids = [], links = [];
	for (const e of document.querySelectorAll('*')) {
		const tag = e.localName, may = meant[tag];
		if (!may) bad.push(`<${tag}>`);
		else for (const a of e.attributes)
			if (!may.includes(a.name.toLowerCase())) bad.push(`<${tag} ${a.name}=${a.value.slice(0, 60)}>`);
		if (e.id) ids.push(e.id);
		if (tag === 'a') links.push(e.href.baseVal === undefined ? e.href : new URL(e.href.baseVal, location.href).href);
	}
	if (document.querySelectorAll('script').length !== 1) bad.push('scripts');
	return { bad, ids, links };
}

// The kind of a page, for what is tried once a kind.
function kind(url, root) {
	const path = url.slice(root.length).split('#')[0];
	return path.replace(/-\d+\.html$/, '-N.html').replace(/^(sessions|threads)\/[^/]+\.html$/, '$1/NAME.html')
		.replace(/^(sessions|threads)\/[^/]+\/\d+\.html$/, '$1/NAME/N.html').replace(/^doc\/.*%40\d+\.html$/, 'doc/PATH@N.html')
		.replace(/^doc\/[^@]*\.html$/, 'doc/PATH.html').replace(/^fact\/.*/, 'fact/N.html').replace(/^day\/.*/, 'day/DATE.html').replace(/^search\/.*/, 'search/QUERY.html');
}

// Looks at pages in tabs, side by side; `spread`: goes where links lead, too.
async function visit(name, urls, spread) {
	const root = site(name), said = [], seen = new Map(), todo = [...urls], kinds = new Map(), wrong = [], spots = [];
	let links = 0, busy = 0;
	async function one(page, url) {
		const found = await page.goto(url, { waitUntil: 'load' }).then(() => page.evaluate(look, meant));
		seen.set(url, new Set(found.ids));
		if (!kinds.has(kind(url, root))) kinds.set(kind(url, root), url);
		for (const b of found.bad) wrong.push(`${url}: not meant: ${b}`);
		for (const link of found.links) {
			links++;
			if (/^(https?|mailto):/.test(link)) continue;
			if (!link.startsWith(root)) { wrong.push(`${url} leads to ${link}`); continue; }
			const [to, spot] = link.split('#');
			if (spread && !seen.has(to)) todo.push(to);
			if (spot) spots.push([url, to, decodeURIComponent(spot)]);
		}
	}
	async function tab() {
		const page = await open(said);
		for (let url; (url = todo.pop()) || busy;) {
			if (!url) { await new Promise(done => setTimeout(done, 20)); continue; }
			if (seen.has(url)) continue;
			seen.set(url, new Set());
			busy++;
			await one(page, url).catch(e => wrong.push(`${url}: ${e.message}`)).finally(() => busy--);
		}
		await page.close();
	}
	await Promise.all(Array.from({ length: TABS }, tab));
	for (const [url, to, spot] of spots)
		if (seen.has(to) && !seen.get(to).has(spot)) wrong.push(`${url} leads to no such place: ${to}#${spot}`);
	check(`${name}: ${seen.size} pages with ${links} links in the browser: what is there was meant`, wrong);
	check(`${name}: no message, dialog or request`, said);
	return kinds;
}
const crawl = name => visit(name, [site(name) + 'index.html'], true);

// Every link, read as a browser would but without one: pages as lines of text on the way.
async function follow(name) {
	const from = fileURLToPath(site(name)), pages = [];
	const child = spawn('python3', [join(process.env.CINTA_SOURCE, 'tests/mount/site.py'), 'crawl', from, join(T, `${name}.pages`)]);
	let said = '';
	for (const stream of [child.stdout, child.stderr]) stream.on('data', text => said += text);
	const code = await new Promise(done => child.on('close', done));
	const lines = said.trim().split('\n'), last = lines.pop();
	check(`${name}: ${last}: each leads somewhere, and nothing is there that was not meant`, code ? lines.concat(last) : '');
	pages.push(...readFileSync(join(T, `${name}.pages`), 'utf8').trim().split('\n').map(path => site(name) + path.split('/').map(encodeURIComponent).join('/')));
	check(`${name}: it has what was put there`, pages.length < LEAST[name] ? `${pages.length} pages` : '');
	return pages;
}

// Of pages that were followed: one of each kind, and some more.
async function sample(name, most) {
	const pages = await follow(name), root = site(name), first = new Map(pages.map(url => [kind(url, root), url])), every = Math.ceil(pages.length / most);
	return visit(name, new Set([...first.values(), ...pages.filter((url, i) => i % every === 0)]), false);
}

// In the page: each place where a vector is.  What stands before its hole must stand there, too, as text, since
// an element or an attribute that was made of it would have taken that away; markdown may take signs, but no
// letters.  An attribute may have one that leads elsewhere, as it was written.
function places([meant, vectors, quoted]) {
	const bad = [], seen = [], hole = /hole\((\d+)\)/g;
	const tight = text => text.replace(/[\s/\u2044]/g, ''), flat = text => text.replace(/[^A-Za-z0-9]/g, '');
	const plain = text => { const t = document.createElement('textarea'); t.innerHTML = text; return t.value; };
	for (const e of document.querySelectorAll('*')) {
		const may = meant[e.localName];
		if (!may) bad.push(`<${e.localName}>`);
		for (const a of e.attributes) {
			if (!may?.includes(a.name.toLowerCase())) bad.push(`<${e.localName} ${a.name}>`);
			if (hole.test(decodeURIComponent(a.value.replace(/%(?![0-9A-F]{2})/g, '%25'))) &&
				!(a.name === 'href' && (/^(https?|mailto):/.test(a.value) || !/^[a-z][a-z0-9+.-]*:/i.test(a.value))))
				bad.push(`<${e.localName} ${a.name}=${a.value.slice(0, 60)}>`);
			hole.lastIndex = 0;
		}
	}
	if (document.querySelectorAll('script').length !== 1 || document.querySelectorAll('style').length !== 2) bad.push('scripts or styles');
	if (document.querySelectorAll('*').length !== document.documentElement.outerHTML.match(/<[a-z]/gi).length) bad.push('an element within a text');
	// What a search quotes has no HTML any more: it is text if it stands in nothing but what may hold a quotation.
	const alone = e => e.localName === 'pre' ? !e.children.length : quoted && !e.className && ['p', 'li', 'pre'].includes(e.localName) &&
		!e.querySelector('ins, del, em, [class], [id]');
	const where = new Set(), walk = document.createTreeWalker(document, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
	for (let n; (n = walk.nextNode());) {
		if (n.nodeType !== Node.TEXT_NODE) bad.push(`a comment: ${n.data.slice(0, 60)}`);
		else if (n.data.includes('hole')) where.add(n.parentElement.closest('td, th, dd, li, article, pre, caption, summary, h1, h2, h3, title, desc, text, p') ?? n.parentElement.closest('a, bdi') ?? n.parentElement);
	}
	for (const e of where) {
		const text = e.textContent;
		for (const found of text.matchAll(hole)) {
			const vector = vectors[found[1]], before = text.slice(0, found.index).replaceAll('the hole', 'hole').replace(/the $/, '');
			if (!vector) continue;
			const marked = !!e.closest('article, p, li, pre') || !!e.querySelector('em, strong, code, a');
			const cut = tight(before.slice(before.lastIndexOf('…') + 1));
			const is = vector.before.some(want => tight(before).endsWith(tight(want)) || (before.includes('…') && tight(want).endsWith(cut)) ||
				(marked && [want, plain(want)].some(as => flat(before).endsWith(flat(as)) || flat(plain(before)).endsWith(flat(as)))));
			if (is) seen.push(+found[1]);
			else if (!alone(e)) bad.push(`hole(${found[1]}) in <${e.localName}> after ${before.slice(-60)}`);
		}
	}
	return { bad, seen };
}

// Pages of each kind that show the vectors: at least 300 of them, each a text and nothing else; then pages with a
// hole, which must be found.
async function vectors() {
	const dir = join(T, 'attack'), read = name => JSON.parse(readFileSync(join(dir, name), 'utf8'));
	const all = read('vectors.json'), pages = read('pages.json'), holes = read('holes.json');
	const address = path => path.startsWith('copies:') ? pathToFileURL(join(dir, 'copies', path.slice(7))).href :
		site('attacked') + path.split('/').map(encodeURIComponent).join('/');
	const said = [];
	check(`${Object.keys(all).length} vectors`, Object.keys(all).length < VECTORS ? 'too few' : '');
	async function each(urls, look) {
		const todo = [...urls];
		await Promise.all(Array.from({ length: TABS }, async () => {
			const page = await open(said);
			await page.evaluateOnNewDocument(() => { window.hole = n => console.error(`hole ${n} ran`); });
			for (let url; (url = todo.pop());)
				look(url, await page.goto(address(url), { waitUntil: 'load' }).then(() => page.evaluate(places, [meant, all, url.startsWith('search/') || url.includes('holes') && holes[url.split('/').pop()].startsWith('search/')]))
					.catch(e => ({ bad: [e.message], seen: [] })));
			await page.close();
		}));
	}
	for (const kind in pages) {
		const seen = new Set(), wrong = [];
		await each(pages[kind], (url, found) => {
			found.seen.forEach(n => seen.add(n));
			found.bad.forEach(b => wrong.push(`${url}: ${b}`));
		});
		const least = LEAST_VECTORS[kind] ?? VECTORS;
		if (seen.size < least) wrong.push(`${least} should be there`);
		check(`${kind}: ${seen.size} vectors on ${pages[kind].length} pages are texts`, wrong);
	}
	check('no vector says, asks or runs anything', said);
	for (const name in holes) {
		let wrong = 'nothing is found';
		await each([`copies:../holes/${name}`], (url, found) => { if (found.bad.length) wrong = ''; });
		check(`a hole that is planted is found: ${holes[name]}`, wrong);
	}
}

async function accessible(name, kinds) {
	for (const [what, url] of kinds) {
		const said = [], page = await open(said), wrong = [];
		await page.goto(url);
		for (const scheme of ['light', 'dark']) {
			await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
			const session = await page.createCDPSession(); // past the page's own policy
			await session.send('Runtime.evaluate', { expression: axe });
			const got = await session.send('Runtime.evaluate', { expression: 'axe.run(document, { resultTypes: ["violations"] })',
				awaitPromise: true, returnByValue: true });
			if (got.exceptionDetails) wrong.push(`axe: ${JSON.stringify(got.exceptionDetails).slice(0, 200)}`);
			else for (const v of got.result.value.violations)
				wrong.push(`${scheme}: ${v.id}: ${v.nodes.length} times: ${v.nodes[0].html.slice(0, 160)}`);
			await session.detach();
		}
		await page.close();
		check(`${name}: axe finds nothing in ${what}, light and dark`, wrong);
	}
}

// How many colours a picture has (PNG, 8 bits, RGB or RGBA as Chromium writes it), and of what it is made.
// Read here and not in a tab: a tab in the background need not draw.
function picture(png) {
	const parts = [];
	let wide = 0, deep = 0;
	for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
		const type = png.toString('latin1', at + 4, at + 8), body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
		if (type === 'IHDR') [wide, deep] = [body.readUInt32BE(0), { 2: 3, 6: 4 }[body[9]]];
		if (type === 'IDAT') parts.push(body);
	}
	const raw = inflateSync(Buffer.concat(parts)), row = wide * deep, colours = new Map();
	let before = Buffer.alloc(row);
	for (let at = 0; at < raw.length; at += row + 1) {
		const line = raw.subarray(at + 1, at + 1 + row), filter = raw[at];
		for (let i = 0; i < row; i++) {
			const a = i < deep ? 0 : line[i - deep], b = before[i], c = i < deep ? 0 : before[i - deep];
			const pa = Math.abs(b - c), pb = Math.abs(a - c), pc = Math.abs(a + b - 2 * c);
			line[i] += [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
		}
		for (let i = 0; i < row; i += deep) {
			const colour = line.readUIntBE(i, 3);
			colours.set(colour, (colours.get(colour) || 0) + 1);
		}
		before = line;
	}
	const [most, times] = [...colours].sort((a, b) => b[1] - a[1])[0];
	return { colours: colours.size, share: times / (wide * raw.length / (row + 1)), back: most & 0xff };
}

async function screenshots(kinds) {
	const shots = process.env.CINTA_SHOTS;
	if (shots) mkdirSync(shots, { recursive: true });
	for (const [what, url] of kinds) {
		const said = [], seen = {}, wrong = [], page = await open(said);
		await page.goto(url);
		for (const scheme of ['light', 'dark']) {
			await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
			const png = Buffer.from(await page.screenshot({ fullPage: !!shots }));
			if (shots) writeFileSync(join(shots, `${what.replaceAll('/', '_')}.${scheme}.png`), png);
			seen[scheme] = picture(png);
			if (seen[scheme].colours < 8 || seen[scheme].share > 0.995) wrong.push(`${scheme}: blank`);
		}
		if (seen.light.back < 200 || seen.dark.back > 60) wrong.push(`backgrounds ${seen.light.back} and ${seen.dark.back}`);
		await page.close();
		check(`${what} is drawn light and dark`, wrong.concat(said));
	}
}

async function search() {
	const said = [], page = await open(said), root = site('example');
	await page.goto(root + 'doc/smma/user_profile.md.html');
	await page.type('input[name=q]', 'PostgreSQL / "backup"?');
	await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
	check('a search that is typed on a page below is answered', (await page.title()).startsWith('Search: PostgreSQL') ? '' : await page.title());
	await page.goto(root + 'index.html');
	await page.type('input[name=q]', 'postgresql');
	await Promise.all([page.waitForNavigation(), page.click('form button')]);
	check('and by its button', await page.evaluate(() => document.querySelectorAll('main a').length > 0 ? '' : 'no hit'));
	await page.goto(site('copy') + 'index.html');
	await page.type('input[name=q]', 'PostgreSQL');
	await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
	check('a copy leads to the word', await page.evaluate(() => document.querySelector(':target a')?.textContent === 'postgresql' ? '' : location.href));
	await page.setJavaScriptEnabled(false);
	await page.goto(root + 'index.html');
	await Promise.all([page.waitForNavigation(), page.click('nav a[href="search.html"]')]);
	await Promise.all([page.waitForNavigation(), page.click('.words a')]);
	check('without script a search is a link', (await page.title()).startsWith('Search: ') ? '' : await page.title());
	check('searching says nothing on the console', said);
	await page.close();
}

async function keyboard(kinds) {
	const said = [], page = await open(said);
	for (const [what, url] of kinds) {
		await page.goto(url);
		const count = await page.evaluate(() => {
			window.left = new Set([...document.querySelectorAll('a[href], input, button, summary')].filter(e => !e.closest('details:not([open]) > :not(summary)')));
			return window.left.size;
		});
		let left = count;
		for (let i = 0; i < count + 2 && left; i++) {
			await page.keyboard.press('Tab');
			left = await page.evaluate(() => { window.left.delete(document.activeElement); return window.left.size; });
		}
		check(`Tab reaches all ${count} places of ${what}`, left ? `${left} are left` : '');
	}
	await page.goto(kinds.get('index.html'));
	await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	check('the first place skips the menu', await page.evaluate(() => document.activeElement.id === 'main' ? '' : document.activeElement.outerHTML.slice(0, 100)));
	await page.focus('summary');
	await page.keyboard.press('Enter');
	check('Enter opens what is folded', await page.evaluate(() => document.querySelector('details').open ? '' : 'closed'));
	await page.close();
}

function sizes() {
	const wrong = [];
	for (let i = 1; i <= 100; i++) {
		const size = readFileSync(join(T, 'many/.cinta/html/sessions', i > 1 ? `long/${i}.html` : 'long.html')).length;
		if (size >= 300000) wrong.push(`page ${i}: ${size} bytes`);
	}
	check('each page of a session of 10,000 messages is below 300 KB', wrong);
}

// One part that breaks, or does not end, does not hide the others.
async function part(what, ...more) {
	const since = Date.now();
	let timer;
	const limit = new Promise((_, no) => timer = setTimeout(() => no(new Error(`no end in ${PART_MS / 1000} s`)), PART_MS));
	try {
		return await Promise.race([what(...more), limit]);
	} catch (e) {
		check(`${what.name}: the browser goes on`, e.stack);
		return new Map();
	} finally {
		clearTimeout(timer);
		console.log(`# ${what.name} ${typeof more[0] === 'string' ? more[0] : ''}: ${Math.round((Date.now() - since) / 1000)} s`);
	}
}

await part(sizes);
const example = await part(crawl, 'example');
await part(screenshots, example);
await part(keyboard, example);
await part(search);
await part(accessible, 'example', example);
await part(accessible, 'hostile', await part(crawl, 'hostile'));
await part(vectors);
await part(sample, 'copy', 20);
await part(sample, 'many', 100);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
await Promise.race([browser.close(), new Promise(done => setTimeout(done, 10000).unref())]).catch(() => {});
process.exit();
