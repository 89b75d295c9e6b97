// SPDX-License-Identifier: MIT
// ---- search -------------------------------------------------------------------------------------
class QueryError extends Error { constructor(text, at) { super(text); this.at = at; } }
const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, k: 1024, M: 1048576, G: 1073741824 };

function tokens(text) {
	const out = [], re = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(0x[0-9a-fA-F]+|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(ns|us|ms|s|k|M|G)?(?![\w.])|(==|!=|<=|>=|!~|&&|\|\||[<>~()!&=])|([A-Za-z_$\u0080-\uffff][\w.$\u0080-\uffff]*(?:\[\d+\][\w.$]*)*))/gy;
	while (re.lastIndex < text.length && text.slice(re.lastIndex).trim()) {
		const at = re.lastIndex, m = re.exec(text), quoted = m && (m[1] ?? m[2]);
		if (!m)
			throw new QueryError(`unexpected character '${text.slice(at).trim()[0]}'`, at);
		if (quoted !== undefined)
			out.push({ text: quoted, at });
		else if (m[3])
			out.push({ number: numberOf(m[3], UNITS[m[4]] || 1), at });
		else
			out.push(m[5] ? { op: m[5], at } : { word: m[6], at });
	}
	return out;
}
function numberOf(digits, unit) {
	const v = Number(digits) * unit;
	return Number.isSafeInteger(v) || !/^(0x[0-9a-fA-F]+|-?\d+)$/.test(digits) ? v : BigInt(digits) * BigInt(unit);
}
// The characters of what stands between quotes, an escape being one. Calls each(character, whether it was escaped).
function characters(raw, at, each) {
	for (const [c, hex, other] of raw.matchAll(/\\x([0-9a-fA-F]{2})|\\(.)|[^]/gu)) {
		if (other && !"\\\"'ntr*?[]".includes(other))
			throw new QueryError(`unknown escape: \\${other}`, at);
		const known = { n: "\n", t: "\t", r: "\r" };
		each(hex ? String.fromCharCode(parseInt(hex, 16)) : other ? known[other] || other : c, Boolean(hex || other));
	}
}
function plainText(raw, at) {
	let out = "";
	characters(raw, at, (c) => { out += c; });
	return out;
}
// A glob pattern as a regular expression: * ? [a-z] [!a-z].
function glob(raw, at) {
	let out = "", inSet = false;
	characters(raw, at, (c, escaped) => {
		if (!escaped && !inSet && c === "[")
			inSet = out.length + 1;
		else if (!escaped && inSet && c === "]")
			inSet = false;
		else if (!escaped && inSet && (c === "-" || c === "!" && out.length === inSet))
			c = c === "!" ? "^" : c;
		else if (!escaped && !inSet && (c === "*" || c === "?"))
			c = c === "*" ? ".*" : ".";
		else
			c = c.replace(/[\\^$.*+?()[\]{}|\/-]/, "\\$&");
		out += c;
	});
	if (inSet)
		throw new QueryError("no ] closes this set; \\[ is the character", at);
	return new RegExp(`^${out}$`, "su");
}
// A text of hex digits is a number where it is compared with one, as is a number too large for JSON.
const asNumber = (v) => (typeof v === "boolean" ? Number(v) : typeof v === "string" && /^(0x[0-9a-f]+|\d+)$/.test(v) ? BigInt(v) : v);
function compare(op, a, b) {
	if (typeof a !== "string" || typeof b !== "string") {
		a = asNumber(a);
		b = asNumber(b);
	}
	if (typeof a === "string" !== (typeof b === "string"))
		return op === "!=";
	switch (op) {
	case "==": case "=": return a == b;   // a bigint and a number may be equal
	case "!=": return a != b;
	case "<": return a < b;
	case "<=": return a <= b;
	case ">": return a > b;
	case ">=": return a >= b;
	}
	return false;
}
function mask(a, b) {
	const [x, y] = [asNumber(a), asNumber(b)];
	if ([x, y].some((v) => typeof v !== "bigint" && !Number.isInteger(v)))
		return [];
	const v = BigInt.asUintN(64, BigInt(x)) & BigInt.asUintN(64, BigInt(y));
	return [v <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(v) : v];
}
// Compiles an expression into a function test(get), where get(name) returns the values of a field: none if the event
// does not have it, several if it leads into a list. Of several one suffices; for != and !~ none may be equal, or match.
function parse(text) {
	const t = tokens(text), fields = new Set();
	let p = 0;
	const bad = (what) => { throw new QueryError(what, p < t.length ? t[p].at : text.length); };
	const is = (...w) => p < t.length && (w.includes(t[p].op) || w.includes(t[p].word));
	function value() {
		const x = t[p];
		if (!x || x.op || is("and", "or", "not"))
			bad("expected a field, a number or a text");
		p++;
		if (x.word === "true" || x.word === "false")
			return { get: () => [Number(x.word === "true")] };
		if (x.word !== undefined) {
			fields.add(x.word);
			return { get: (f) => f(x.word) };
		}
		if (x.text === undefined)
			return { get: () => [x.number] };
		if (p >= 2 && ["~", "!~"].includes(t[p - 2].op))
			return { pattern: glob(x.text, x.at) };
		const plain = plainText(x.text, x.at);
		return { get: () => [plain] };
	}
	function operand() {
		let a = value();
		while (is("&")) {
			p++;
			const left = a, right = value();
			a = { get: (f) => left.get(f).flatMap((x) => right.get(f).flatMap((y) => mask(x, y))) };
		}
		return a;
	}
	function comparison() {
		if (is("(")) {
			p++;
			const e = or();
			if (!is(")"))
				bad("expected ')'");
			p++;
			return e;
		}
		const a = operand();
		if (!is("==", "!=", "<", "<=", ">", ">=", "~", "!~", "="))
			return (f) => a.get(f).some((v) => Boolean(v) && v !== "0");
		const op = t[p++].op, b = operand();
		if (op === "~" || op === "!~") {
			if (!b.pattern)
				bad("the operand of ~ must be a text in quotes");
			const match = (v) => b.pattern.test(typeof v === "object" ? formatValue(v) : String(v));
			return (f) => { const vs = a.get(f); return op === "~" ? vs.some(match) : vs.length > 0 && !vs.some(match); };
		}
		return (f) => {
			const as = a.get(f), bs = b.get(f);
			return op === "!=" ? as.length > 0 && bs.length > 0 && as.every((x) => bs.every((y) => compare(op, x, y))) :
				as.some((x) => bs.some((y) => compare(op, x, y)));
		};
	}
	function not() {
		if (!is("not", "!"))
			return comparison();
		p++;
		const e = not();
		return (f) => !e(f);
	}
	function and() {
		let e = not();
		while (is("and", "&&")) {
			p++;
			const a = e, b = not();
			e = (f) => a(f) && b(f);
		}
		return e;
	}
	function or() {
		let e = and();
		while (is("or", "||")) {
			p++;
			const a = e, b = and();
			e = (f) => a(f) || b(f);
		}
		return e;
	}
	const e = or();
	if (p < t.length)
		bad("expected 'and' or 'or'");
	return { test: e, fields };
}
const COMMON = new Set(["name", "source", "comm", "cpu", "pid", "tid", "ts", "ts_ns", "time_ns", "took_ns"]);
function commonField(i, name) {
	const task = taskOf(i);
	switch (name) {
	case "name": return nameOf(i);
	case "source": return sourceOf(i);
	case "comm": return task ? task.comm : undefined;
	case "pid": return task ? task.pid : undefined;
	case "tid": return task ? task.tid : undefined;
	case "cpu": return eventCpu[i] === NONE ? undefined : eventCpu[i];
	case "took_ns": return eventDuration[i] || undefined;
	case "time_ns": return eventTime[i];
	case "ts": case "ts_ns": return firstTime + BigInt(eventTime[i]);
	}
}
// The values that a path leads to: of a list, those of all its elements.
function valuesAt(v, path) {
	if (v === undefined || v === null)
		return [];
	if (Array.isArray(v) && !/^\d+$/.test(path[0]))
		return v.flatMap((x) => valuesAt(x, path));
	return !path.length ? [v] : typeof v === "object" ? valuesAt(v[path[0]], path.slice(1)) : [];
}
const fieldPath = (f) => f.replace(/^fields\./, "").split(/\.|\[|\]\.?/).filter((x) => x !== "");
// Suggests what was meant by an unknown field at this position of the text.
function suggestion(f, text, at) {
	if (COMMON.has(f + "_ns"))
		return `; it is ${f}_ns, in nanoseconds`;
	return /[=<>~]\s*$/.test(text.slice(0, at)) ? `; text must be in quotes: "${f}"` : "";
}
// Interprets a query: as plain text if it is in quotes, has no operators, or is not a valid expression.
function queryOf(text) {
	const q = text.trim(), quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(q);
	if (quoted)
		return { text: quoted[1].replace(/\\(["\\])/g, "$1") };
	if (!/[=<>~&]/.test(q))
		return { text: q };
	try {
		const e = parse(q), known = new Set(about.shapes.flatMap((s) => s.keys));
		for (const f of e.fields)
			if (!COMMON.has(f) && !known.has(fieldPath(f)[0])) {
				const at = Math.max(0, q.indexOf(f));
				throw new QueryError(`no event in this page has a field '${f}'${suggestion(f, q, at)}`, at);
			}
		return e;
	} catch (e) {
		if (!(e instanceof QueryError))
			throw e;
		return { text: q, why: `${e.message}, at character ${e.at + 1}; searched as text` };
	}
}
async function find({ test, fields, text }) {
	const low = (text || "").toLowerCase(), json = JSON.stringify(low).slice(1, -1);
	const has = (v) => v.includes(low) || v.includes(json);
	const by = about.shapes.map(() => null), out = [];
	for (let s = 0; s < about.shapes.length; s++) {
		const keys = about.shapes[s].keys;
		if (!test) {
			by[s] = await Promise.all(keys.map((k, c) => column(s, c)));
			continue;
		}
		by[s] = new Map();
		for (const f of fields) {
			const path = fieldPath(f), c = keys.indexOf(path[0]);
			if (c >= 0 && !(COMMON.has(f) && f !== "pid" && f !== "cpu"))
				by[s].set(f, { values: await column(s, c), path: path.slice(1) });
		}
	}
	for (let i = 0, begin = performance.now(); i < eventCount; i++) {
		const s = by[eventShape[i]], r = rankInShape(i);
		if (test ? test((f) => {
			const c = COMMON.has(f) ? commonField(i, f) : undefined, h = s.get(f);
			return c !== undefined || !h ? valuesAt(c, []) : valuesAt(JSON.parse(h.values.text(r), reviveLarge), h.path);
		}) : has(nameOf(i).toLowerCase()) || (eventTask[i] !== NONE && has(about.tasks[eventTask[i]].toLowerCase())) || s.some((c) => has(c.text(r).toLowerCase())))
			out.push(i);
		if (i % 20000 === 0 && performance.now() - begin > 40) {
			$("hint").textContent = `${Math.round(100 * i / eventCount)} %`;
			await new Promise((ok) => setTimeout(ok));
			begin = performance.now();
		}
	}
	return Uint32Array.from(out);
}
// Events may have a field that is called as one of the task that made them.
function taskNote({ fields }) {
	const both = [...(fields || [])].filter((f) => ["pid", "tid", "comm"].includes(f) && about.shapes.some((s) => s.keys.includes(f)));
	return both.length ? `; ${both[0]} is that of the task, an event's own is fields.${both[0]}` : "";
}
async function search() {
	const text = $("query").value, hint = $("hint");
	hint.className = "";
	if (!text.trim()) {
		matches = null;
		hint.textContent = "";
	} else {
		const what = queryOf(text);
		hint.textContent = "…";
		matches = await find(what);
		hint.className = what.why ? "bad" : "";
		hint.textContent = (what.why ? what.why + ": " : "") + (matches.length ? `${formatCount(matches.length)} of ${formatCount(eventCount)} events` : "nothing matches") + taskNote(what);
	}
	dirty = true;
	tableSize();
	if (matches && matches.length && (selected < 0 || !isMatch(selected)))
		selectMatch(1, true);
}
function selectMatch(by, here) {
	if (!matches || !matches.length)
		return;
	let k = selected < 0 ? lowerBound(matches, from) : indexInList(matches, selected);
	if (!here || (selected >= 0 && matches[k] === selected))
		k += by > 0 ? (matches[k] === selected ? 1 : 0) : -1;
	select(matches[(k + matches.length) % matches.length]);
}

