// SPDX-License-Identifier: MIT
// Runs queries in the search of a page of trawl-export --to html, without a browser: search.js
// FOLDER PAGE reads a JSON list of queries on stdin and writes for each [indices of the events that
// it finds, why it was taken for a text].
const fs = require("fs"),
	vm = require("vm");
const [folder, page] = process.argv.slice(2),
	html = fs.readFileSync(page, "utf8");
const pieces = new Map(
	[...html.matchAll(/octet-stream" id="(d-\w+)">([^<]*)<\/script>/g)].map((m) => [
		m[1],
		{ textContent: m[2] },
	]),
);
const context = vm.createContext({
	document: { getElementById: (id) => pieces.get(id) || {} },
	addEventListener: (what, then) => then(),
	performance,
	setTimeout,
	TextDecoder,
	TextEncoder,
	DecompressionStream,
	Response,
	atob,
	queries: JSON.parse(fs.readFileSync(0, "utf8")),
	console,
});
for (const part of ["begin", "data", "format", "search"])
	vm.runInContext(fs.readFileSync(`${folder}/${part}.js`, "utf8"), context, {
		filename: part + ".js",
	});
vm.runInContext(
	`(async () => {
	await load();
	const out = [];
	for (const q of queries) {
		const what = queryOf(q);
		out.push([[...await find(what)], what.why || null]);
	}
	console.log(JSON.stringify(out));
})()`,
	context,
).catch((e) => {
	console.error(e);
	process.exit(1);
});
