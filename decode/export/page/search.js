// SPDX-License-Identifier: MIT
// ---- search -------------------------------------------------------------------------------------
class QueryError extends Error {
	constructor(text, at) {
		super(text);
		this.at = at;
	}
}
const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, k: 1024, M: 1048576, G: 1073741824 };

// What stands in an expression, in the order in which it is tried. Groups: 1 and 2 are a text, 3
// and 4 a number and its unit, 5 an operator, 6 a word with its indices.
const TOKENS = [
	/"((?:[^"\\]|\\.)*)"/,
	/'((?:[^'\\]|\\.)*)'/,
	/(0x[0-9a-fA-F]+|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(ns|us|ms|s|k|M|G)?(?![\w.])/,
	/(==|!=|<=|>=|!~|&&|\|\||[<>~()!&=])/,
	/([A-Za-z_$\u0080-\uffff][\w.$\u0080-\uffff]*(?:\[\d+\][\w.$]*)*)/,
];

function tokens(text) {
	const out = [],
		re = new RegExp(`\\s*(?:${TOKENS.map((t) => t.source).join("|")})`, "gy");
	while (re.lastIndex < text.length && text.slice(re.lastIndex).trim()) {
		const at = re.lastIndex,
			m = re.exec(text),
			quoted = m && (m[1] ?? m[2]);
		if (!m)
			throw new QueryError(
				`unexpected character '${text.slice(at).trim()[0]}'`,
				at,
			);
		if (quoted !== undefined) out.push({ text: quoted, at });
		else if (m[3]) out.push({ number: numberOf(m[3], UNITS[m[4]] || 1), at });
		else out.push(m[5] ? { op: m[5], at } : { word: m[6], at });
	}
	return out;
}
function numberOf(digits, unit) {
	const v = Number(digits) * unit;
	return Number.isSafeInteger(v) || !/^(0x[0-9a-fA-F]+|-?\d+)$/.test(digits)
		? v
		: BigInt(digits) * BigInt(unit);
}
// Calls each(character, whether it was escaped) for the characters between the quotes; an escape
// sequence is one character.
function characters(raw, at, each) {
	for (const [c, hex, other] of raw.matchAll(/\\x([0-9a-fA-F]{2})|\\(.)|[^]/gu)) {
		if (other && !"\\\"'ntr*?[]".includes(other))
			throw new QueryError(`unknown escape: \\${other}`, at);
		const known = { n: "\n", t: "\t", r: "\r" };
		each(
			hex
				? String.fromCharCode(parseInt(hex, 16))
				: other
					? known[other] || other
					: c,
			Boolean(hex || other),
		);
	}
}
function plainText(raw, at) {
	let out = "";
	characters(raw, at, (c) => {
		out += c;
	});
	return out;
}
// A glob pattern as a regular expression: * ? [a-z] [!a-z].
function glob(raw, at) {
	let out = "",
		inSet = false;
	characters(raw, at, (c, escaped) => {
		if (!escaped && !inSet && c === "[") inSet = out.length + 1;
		else if (!escaped && inSet && c === "]") inSet = false;
		else if (!escaped && inSet && (c === "-" || (c === "!" && out.length === inSet)))
			c = c === "!" ? "^" : c;
		else if (!escaped && !inSet && (c === "*" || c === "?")) c = c === "*" ? ".*" : ".";
		else c = c.replace(inSet ? /[\\^\]-]/ : /[\\^$.*+?()[\]{}|\/]/, "\\$&");
		out += c;
	});
	if (inSet) throw new QueryError("no ] closes this set; \\[ is the character", at);
	return new RegExp(`^${out}$`, "su");
}
// ---- values -------------------------------------------------------------------------------------
// .num is a number; .text a text, or the name of the number. With .hex, .text has one character for
// each byte, and .hex shows them in hex. .alt is a second number for which the first stands.
const isNumber = (v) => typeof v === "number" || typeof v === "bigint";
const literal = (x) => (isNumber(x) ? { num: x } : { text: x });
const hexBytes = (hex) => hex.replace(/../g, (h) => String.fromCharCode(parseInt(h, 16)));
const utf8Bytes = (text) => String.fromCharCode(...new TextEncoder().encode(text));
// A list or an object as one line.
const asLine = (v) =>
	(Array.isArray(v)
		? v.map(lineOf)
		: Object.entries(v).map(([k, x]) => `${k}=${lineOf(x)}`)
	).join(" ");
const lineOf = (v) =>
	v && typeof v === "object"
		? Array.isArray(v)
			? `[${asLine(v)}]`
			: `{${asLine(v)}}`
		: typeof v === "string"
			? JSON.stringify(v)
			: String(v);
// Converts a member of JSON to a value. other: the name of its number, or the number of its text.
// as: how the column stores texts ("bytes", "numbers", "array", "plain"); undefined: not known.
function valueOf(v, name, other, as) {
	if (v === undefined || v === null) return null;
	if (typeof v === "boolean") return { num: Number(v) };
	if (typeof v === "object") return as === "array" ? {} : { text: asLine(v) };
	if (isNumber(v))
		return typeof other === "string" ? { num: v, text: other } : { num: v, alt: other };
	if (as === "numbers") return { num: BigInt(v) };
	if (as === "bytes" || (!as && about.bytes.includes(name) && /^([0-9a-f]{2})*$/.test(v)))
		return { text: hexBytes(v), hex: v };
	const isText = about.ids.includes(name); // hex digits, a number only beside a number
	return {
		text: v,
		num:
			other !== undefined
				? other
				: isText && as !== "plain" && /^[0-9a-f]+$/.test(v)
					? BigInt("0x" + v)
					: undefined,
		isText,
	};
}
const isOnlyNumber = (v) => v.num !== undefined && !v.isText;
function orderOf(a, b) {
	if (a.num !== undefined && b.num !== undefined && (isOnlyNumber(a) || isOnlyNumber(b)))
		return a.num < b.num ? -1 : a.num > b.num ? 1 : a.num == b.num ? 0 : NaN;
	const [x, y] =
		a.hex !== undefined || b.hex !== undefined
			? [a, b].map((v) => (v.hex !== undefined ? v.text : utf8Bytes(v.text)))
			: [a.text, b.text];
	return x < y ? -1 : Number(x > y);
}
function compare(op, a, b) {
	if (
		!(a.text !== undefined && b.text !== undefined) &&
		!(a.num !== undefined && b.num !== undefined)
	)
		return op === "!=";
	const c = orderOf(a, b);
	switch (op) {
		case "<":
			return c < 0;
		case "<=":
			return c <= 0;
		case ">":
			return c > 0;
		case ">=":
			return c >= 0;
	}
	const other = (x, y) =>
		(isNumber(x.alt) && x.alt == y.num) ||
		(x.hex !== undefined && y.text !== undefined && x.hex === y.text.toLowerCase());
	return (c === 0 || other(a, b) || other(b, a)) === (op !== "!=");
}
// The bits that two numbers have in common; null if one of them is no integer.
function mask(a, b) {
	if (
		[a, b].some(
			(v) =>
				!v ||
				!isOnlyNumber(v) ||
				(typeof v.num === "number" && !Number.isInteger(v.num)),
		)
	)
		return null;
	const v = BigInt.asUintN(64, BigInt(a.num)) & BigInt.asUintN(64, BigInt(b.num));
	return { num: v <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(v) : v };
}
const isTrue = (v) => Boolean(v) && (isOnlyNumber(v) ? v.num != 0 : v.text !== "");
// Returns test(get) for the comparison of two operands. It holds if it holds for one of several
// values of a field; != holds if no value is equal. If a field is compared with another field, only
// the first value of the second counts.
function comparisonOf(op, a, b) {
	return (f) => {
		const all = [a.get(f), b.get(f)],
			one = a.field ? 1 : 0;
		all[one] = all[one].slice(0, 1);
		const [as, bs] = all;
		return op === "!="
			? as.length > 0 &&
					bs.length > 0 &&
					as.every((x) => bs.every((y) => compare(op, x, y)))
			: as.some((x) => bs.some((y) => compare(op, x, y)));
	};
}
// Returns test(get) for a pattern: ~ holds if a value matches, !~ if there is one and none matches.
function matchOf(op, a, pattern) {
	const match = (v) => pattern.test(v.text) || (v.hex !== undefined && pattern.test(v.hex));
	return (f) => {
		const vs = a.get(f).filter((v) => v.text !== undefined);
		return op === "~" ? vs.some(match) : vs.length > 0 && !vs.some(match);
	};
}
// Parses an expression: a method for each rank of operators, which returns test(get).
class QueryParser {
	constructor(text) {
		this.text = text;
		this.tokens = tokens(text);
		this.next = 0;
		this.fields = new Set();
	}
	fail(what, at = this.next) {
		const t = this.tokens[at];
		throw new QueryError(what, t ? t.at : this.text.length);
	}
	is(...words) {
		const t = this.tokens[this.next];
		return Boolean(t) && (words.includes(t.op) || words.includes(t.word));
	}
	// Whether the next token is one of the words, which it skips.
	skip(...words) {
		const found = this.is(...words);
		if (found) this.next++;
		return found;
	}
	value() {
		const x = this.tokens[this.next];
		if (!x || x.op || this.is("and", "or", "not"))
			this.fail("expected a field, a number or a text");
		const before = this.tokens[this.next++ - 1];
		if (x.word === "true" || x.word === "false")
			return { get: () => [{ num: Number(x.word === "true") }] };
		if (x.word !== undefined) {
			this.fields.add(x.word);
			return { get: (f) => f(x.word), field: true };
		}
		if (x.text === undefined) return { get: () => [literal(x.number)], type: "number" };
		if (before && ["~", "!~"].includes(before.op))
			return { pattern: glob(x.text, x.at) };
		const plain = literal(plainText(x.text, x.at));
		return { get: () => [plain], type: "text" };
	}
	operand() {
		let a = this.value();
		while (this.skip("&")) {
			const left = a,
				right = this.value();
			a = {
				get: (f) => [mask(left.get(f)[0], right.get(f)[0])].filter(Boolean),
				type: "number",
			};
		}
		return a;
	}
	comparison() {
		if (this.skip("(")) {
			const e = this.or();
			if (!this.skip(")")) this.fail("expected ')'");
			return e;
		}
		const a = this.operand();
		if (!this.is("==", "!=", "<", "<=", ">", ">=", "~", "!~", "="))
			return (f) => isTrue(a.get(f)[0]);
		const op = this.tokens[this.next++].op,
			at = this.next,
			b = this.operand();
		if (op === "~" || op === "!~") {
			if (!b.pattern) this.fail("the operand of ~ must be a text in quotes");
			return matchOf(op, a, b.pattern);
		}
		if (a.type && b.type && a.type !== b.type)
			this.fail("a number and a text cannot be compared", at);
		return comparisonOf(op, a, b);
	}
	not() {
		if (!this.skip("not", "!")) return this.comparison();
		const e = this.not();
		return (f) => !e(f);
	}
	and() {
		let e = this.not();
		while (this.skip("and", "&&")) {
			const a = e,
				b = this.not();
			e = (f) => a(f) && b(f);
		}
		return e;
	}
	or() {
		let e = this.and();
		while (this.skip("or", "||")) {
			const a = e,
				b = this.and();
			e = (f) => a(f) || b(f);
		}
		return e;
	}
}
// Compiles an expression into a function test(get). get(name) returns the values of a field: none
// if the event does not have the field, several if the name leads into a list. If the bits of a
// field are taken, only its first value counts.
function parse(text) {
	const parser = new QueryParser(text),
		test = parser.or();
	if (parser.next < parser.tokens.length) parser.fail("expected 'and' or 'or'");
	return { test, fields: parser.fields };
}
const COMMON = new Set(["name", "source", "comm", "cpu", "pid", "tid", "ts", "ts_ns", "took_ns"]);
function commonField(i, name) {
	const task = taskOf(i);
	switch (name) {
		case "name":
			return nameOf(i);
		case "source":
			return sourceOf(i);
		case "comm":
			return task ? task.comm : "";
		case "pid":
			return task && task.pid >= 0 ? task.pid : undefined;
		case "tid":
			return task && task.tid >= 0 ? task.tid : undefined;
		case "cpu":
			return eventCpu[i] === NONE ? undefined : eventCpu[i];
		case "took_ns":
			return eventDuration[i] || undefined;
		case "ts":
		case "ts_ns":
			return firstTime + BigInt(eventTime[i]);
	}
}
// The parts of a path, such as decoded.packets[1].length: names, each with the indices that follow
// it.
function pathOf(f) {
	return f
		.replace(/^fields\./, "")
		.split(".")
		.map((part) => {
			const [name, ...indices] = part.split("[");
			return { name, indices: indices.map((x) => parseInt(x, 10)) };
		});
}
const isBranch = (v) => v !== null && typeof v === "object";
// Calls each(value, name) for the members that a path leads to. Members at the top hide members of
// the same path below them. A path goes into each element of a list. For a list at the end of the
// path, the list itself is passed first, then those of its elements that are no objects or lists.
function follow(v, name, indices, rest, each) {
	for (const k of indices) v = Array.isArray(v) ? v[k] : undefined;
	if (v === undefined) return;
	if (rest.length) return isBranch(v) && findBelow(v, rest, each);
	each(v, name);
	if (Array.isArray(v)) v.filter((x) => !isBranch(x)).forEach((x) => each(x, name));
}
function findAmong(v, deep, [part, ...rest], each) {
	for (const [k, x] of Object.entries(v))
		if (!Array.isArray(v) && k === part.name) follow(x, k, part.indices, rest, each);
		else if (isBranch(x) && (Array.isArray(v) || deep))
			findAmong(x, deep, [part, ...rest], each);
}
function findBelow(v, path, each) {
	let found = 0;
	const count = (x, name) => {
		found++;
		each(x, name);
	};
	findAmong(v, false, path, count);
	if (!found) findAmong(v, true, path, count);
}
// Returns a function that reads a field of an event of this shape: from the field's own column or,
// if it has none, from the objects and lists in all columns.
async function readerOf(s, f) {
	const shape = about.shapes[s],
		path = pathOf(f),
		own = shape.keys.indexOf(path[0].name);
	const many = [];
	for (const [k, key] of shape.keys.entries())
		if (own < 0 ? key !== "_text" : k === own) many.push(await column(s, k));
	const has = (list) => Boolean(list && list.includes(own));
	const others = has(shape.other) ? await readColumn(`o${s}_${own}`) : null;
	const as = has(shape.bytes)
		? "bytes"
		: has(shape.numbers)
			? "numbers"
			: has(shape.arrays)
				? "array"
				: own >= 0 && path.length === 1
					? "plain"
					: undefined;
	return (r) => {
		const out = [],
			other =
				others && others.text(r)
					? JSON.parse(others.text(r), reviveLarge)
					: undefined;
		const take = (v, name) => {
			const x = valueOf(v, name, other, as);
			if (x) out.push(x);
		};
		if (own >= 0)
			follow(
				JSON.parse(many[0].text(r), reviveLarge),
				path[0].name,
				path[0].indices,
				path.slice(1),
				take,
			);
		else
			findBelow(
				many
					.map((c) => c.text(r))
					.filter((t) => t[0] === "{" || t[0] === "[")
					.map((t) => JSON.parse(t, reviveLarge)),
				path,
				take,
			);
		return out;
	};
}
// What the page calls some fields of every event.
const LABELS = { task: "comm, or tid", process: "comm, or pid", event: "name", time: "ts" };
// Suggests what the user meant by an unknown field at this position of the text.
function suggestion(f, text, at) {
	if (COMMON.has(f + "_ns")) return `; it is ${f}_ns, in nanoseconds`;
	if (Object.hasOwn(LABELS, f)) return `; it is ${LABELS[f]}`;
	return /[=<>~]\s*$/.test(text.slice(0, at)) ? `; text must be in quotes: "${f}"` : "";
}
// Interprets a query: as plain text if it is in quotes, has no operators, or is not a valid
// expression.
function queryOf(text) {
	const q = text.trim(),
		quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(q);
	if (quoted) return { text: quoted[1].replace(/\\(["\\])/g, "$1") };
	if (!/[=<>~&]/.test(q)) return { text: q };
	try {
		return { ...parse(q), source: q };
	} catch (e) {
		if (!(e instanceof QueryError)) throw e;
		return { text: q, why: `${e.message}, at character ${e.at + 1}; searched as text` };
	}
}
// Turns a query with a field that no event has into a search for text, and says why.
function unknownField({ source }, f) {
	const at = Math.max(0, source.indexOf(f));
	return {
		text: source,
		why:
			`no event in this page has a field '${f}'${suggestion(f, source, at)}, ` +
			`at character ${at + 1}; searched as text`,
	};
}
async function progress(i, begin) {
	if (i % 20000 || performance.now() - begin <= 40) return begin;
	$("hint").textContent = `${Math.round((100 * i) / eventCount)} %`;
	await new Promise((ok) => setTimeout(ok));
	return performance.now();
}
async function findText(text) {
	const low = text.toLowerCase(),
		json = JSON.stringify(low).slice(1, -1),
		out = [];
	const has = (v) => v.includes(low) || v.includes(json);
	const by = await Promise.all(
		about.shapes.map((shape, s) => Promise.all(shape.keys.map((k, c) => column(s, c)))),
	);
	for (
		let i = 0, begin = performance.now();
		i < eventCount;
		i++, begin = await progress(i, begin)
	) {
		const r = rankInShape(i);
		if (
			has(nameOf(i).toLowerCase()) ||
			(eventTask[i] !== NONE && has(about.tasks[eventTask[i]].toLowerCase())) ||
			by[eventShape[i]].some((c) => has(c.text(r).toLowerCase()))
		)
			out.push(i);
	}
	return out;
}
async function findTrue({ test, fields }) {
	const by = [],
		out = [];
	for (const [s, shape] of about.shapes.entries()) {
		by[s] = new Map();
		for (const f of fields)
			if (!COMMON.has(f) || (f === "pid" && shape.own_pid))
				by[s].set(f, await readerOf(s, f));
	}
	for (
		let i = 0, begin = performance.now();
		i < eventCount;
		i++, begin = await progress(i, begin)
	) {
		const r = rankInShape(i),
			readers = by[eventShape[i]];
		const get = (f) => {
			if (!readers.has(f)) {
				const v = commonField(i, f);
				return v === undefined ? [] : [literal(v)];
			}
			return readers.get(f)(r);
		};
		if (test(get)) out.push(i);
	}
	return out;
}
// Whether any event has the field.
async function isKnown(f) {
	if (COMMON.has(f) || about.shapes.some((s) => s.keys.includes(pathOf(f)[0].name)))
		return true;
	const readers = await Promise.all(about.shapes.map((_, s) => readerOf(s, f)));
	for (
		let i = 0, begin = performance.now();
		i < eventCount;
		i++, begin = await progress(i, begin)
	)
		if (readers[eventShape[i]](rankInShape(i)).length) return true;
	return false;
}
// Returns the events that a query finds. If the query had to be searched as text, what.why says
// why.
async function find(what) {
	const found = what.test ? await findTrue(what) : await findText(what.text);
	for (const f of found.length ? [] : what.fields || [])
		if (!(await isKnown(f))) {
			Object.assign(what, unknownField(what, f));
			return Uint32Array.from(await findText(what.text));
		}
	return Uint32Array.from(found);
}
// A hint for queries of pid, tid or comm if events have a field of that name, too: the word means
// the task that made the event.
function taskNote({ fields }) {
	const both = [...(fields || [])].filter(
		(f) =>
			["pid", "tid", "comm"].includes(f) &&
			about.shapes.some((s) => s.keys.includes(f)),
	);
	return both.length
		? `; ${both[0]} is that of the task, an event's own is fields.${both[0]}`
		: "";
}
async function search() {
	const text = $("query").value,
		hint = $("hint");
	hint.className = "";
	if (!text.trim()) {
		matches = null;
		hint.textContent = "";
	} else {
		const what = queryOf(text);
		hint.textContent = "…";
		matches = await find(what);
		hint.className = what.why ? "bad" : "";
		hint.textContent =
			(what.why ? what.why + ": " : "") +
			(matches.length
				? `${formatCount(matches.length)} of ${formatCount(eventCount)} events`
				: "nothing matches") +
			taskNote(what);
	}
	dirty = true;
	tableSize();
	if (matches && matches.length)
		// A selected event that matches stays so; table and tabs may show others.
		if (selected >= 0 && isMatch(selected)) select(selected);
		else selectMatch(1, true);
}
function selectMatch(by, here) {
	if (!matches || !matches.length) return;
	let k = selected < 0 ? lowerBound(matches, from) : indexInList(matches, selected);
	if (!here || (selected >= 0 && matches[k] === selected))
		k += by > 0 ? (matches[k] === selected ? 1 : 0) : -1;
	select(matches[(k + matches.length) % matches.length]);
}
