// SPDX-License-Identifier: MIT
// ---- search -------------------------------------------------------------------------------------
class Bad extends Error { constructor(text, at) { super(text); this.at = at; } }
const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 6e10, k: 1024, K: 1024, M: 1048576, G: 1073741824 };

function tokens(text) {
	const out = [], re = /\s*(?:("(?:[^"\\]|\\.)*")|(0x[0-9a-fA-F]+|-?\d+(?:\.\d+)?)(ns|us|ms|s|m|k|K|M|G)?(?![\w.])|(==|!=|<=|>=|!~|&&|\|\||[<>~()!&=])|([A-Za-z_$\u0080-\uffff][\w.$\u0080-\uffff]*(?:\[\d+\][\w.$]*)*))/gy;
	while (re.lastIndex < text.length && text.slice(re.lastIndex).trim()) {
		const at = re.lastIndex, m = re.exec(text);
		if (!m)
			throw new Bad(`'${text.slice(at).trim()[0]}' is not understood`, at);
		if (m[1])
			out.push({ text: JSON.parse(m[1]), at });
		else if (m[2])
			out.push({ number: Number(m[2]) * (UNITS[m[3]] || 1), at });
		else
			out.push(m[4] ? { op: m[4], at } : { word: m[5], at });
	}
	return out;
}
const glob = (p) => new RegExp("^" + p.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".") + "$", "s");
function compare(op, a, b) {
	if (a === undefined || a === null || b === undefined || b === null)
		return op === "!=" && a !== undefined;
	if (typeof a === "bigint" || typeof b === "bigint" || typeof a === "boolean") {
		a = Number(a);
		b = Number(b);
	}
	if (typeof a !== typeof b) {
		if (typeof a === "string" && /^-?\d+$/.test(a) || typeof b === "string")
			[a, b] = [String(a), String(b)];
		else
			return op === "!=";
	}
	switch (op) {
	case "==": case "=": return a === b;
	case "!=": return a !== b;
	case "<": return a < b;
	case "<=": return a <= b;
	case ">": return a > b;
	case ">=": return a >= b;
	}
	return false;
}
// The tree of an expression as a function of (get), where get(name) is a field's value.
function parse(text) {
	const t = tokens(text), fields = new Set();
	let p = 0;
	const bad = (what) => { throw new Bad(what, p < t.length ? t[p].at : text.length); };
	const is = (...w) => p < t.length && (w.includes(t[p].op) || w.includes(t[p].word));
	function operand() {
		const x = t[p];
		if (!x || x.op)
			bad("a field, a number or a text is missing");
		p++;
		if (x.word !== undefined) {
			fields.add(x.word);
			return { get: (f) => f(x.word), word: x.word };
		}
		const v = x.text !== undefined ? x.text : x.number;
		return { get: () => v, text: x.text };
	}
	function comparison() {
		if (is("(")) {
			p++;
			const e = or();
			if (!is(")"))
				bad("')' is missing");
			p++;
			return e;
		}
		const a = operand();
		if (!is("==", "!=", "<", "<=", ">", ">=", "~", "!~", "=", "&"))
			return (f) => { const v = a.get(f); return Boolean(v) && v !== "0"; };
		const op = t[p++].op, b = operand();
		if (op === "~" || op === "!~") {
			if (b.text === undefined)
				bad("after ~ stands a text in quotes");
			const re = glob(b.text);
			return (f) => { const v = a.get(f); return v !== undefined && v !== null && re.test(typeof v === "object" ? value(v) : String(v)) === (op === "~"); };
		}
		if (op === "&")
			return (f) => (BigInt(a.get(f) || 0) & BigInt(b.get(f) || 0)) !== 0n;
		return (f) => compare(op, a.get(f), b.get(f));
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
		bad("'and' or 'or' is missing");
	return { test: e, fields };
}
const COMMON = new Set(["name", "source", "comm", "cpu", "pid", "tid", "time_ns", "took_ns"]);
function common(i, name) {
	const task = taskOf(i);
	switch (name) {
	case "name": return nameOf(i);
	case "source": return sourceOf(i);
	case "comm": return task ? task.comm : undefined;
	case "pid": return task ? task.pid : undefined;
	case "tid": return task ? task.tid : undefined;
	case "cpu": return C[i] === NONE ? undefined : C[i];
	case "took_ns": return D[i] || undefined;
	case "time_ns": return T[i];
	}
}
function inside(v, path) {
	for (const part of path) {
		if (v === null || typeof v !== "object")
			return undefined;
		v = v[part];
	}
	return v;
}
// What may have been meant by a field that there is not, at this place of the text.
function meant(f, text, at) {
	if (COMMON.has(f + "_ns"))
		return `; it is ${f}_ns, in nanoseconds`;
	return /[=<>~]\s*$/.test(text.slice(0, at)) ? `; a text stands in quotes: "${f}"` : "";
}
// What is sought: a text in quotes, one without operators, or one that is no expression is sought as it stands.
function sought(text) {
	const q = text.trim(), quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(q);
	if (quoted)
		return { text: quoted[1].replace(/\\(["\\])/g, "$1") };
	if (!/[=<>~]/.test(q))
		return { text: q };
	try {
		const e = parse(q), known = new Set(A.shapes.flatMap((s) => s.keys));
		for (const f of e.fields)
			if (!COMMON.has(f) && !known.has(f.split(/[.[]/)[0])) {
				const at = Math.max(0, q.indexOf(f));
				throw new Bad(`no event here has a field '${f}'${meant(f, q, at)}`, at);
			}
		return e;
	} catch (e) {
		if (!(e instanceof Bad))
			throw e;
		return { text: q, why: `${e.message}, at character ${e.at + 1}; searched as text` };
	}
}
async function find({ test, fields, text }) {
	const low = (text || "").toLowerCase(), json = JSON.stringify(low).slice(1, -1);
	const has = (v) => v.includes(low) || v.includes(json);
	const by = A.shapes.map(() => null), out = [];
	for (let s = 0; s < A.shapes.length; s++) {
		const keys = A.shapes[s].keys;
		if (!test) {
			by[s] = await Promise.all(keys.map((k, c) => column(s, c)));
			continue;
		}
		by[s] = new Map();
		for (const f of fields) {
			const path = f.split(/\.|\[|\]\.?/).filter((x) => x !== ""), c = keys.indexOf(path[0]);
			if (c >= 0 && !(COMMON.has(f) && f !== "pid" && f !== "cpu"))
				by[s].set(f, { values: await column(s, c), path: path.slice(1) });
		}
	}
	for (let i = 0, begin = performance.now(); i < N; i++) {
		const s = by[S[i]], r = rank[i];
		if (test ? test((f) => {
			const c = COMMON.has(f) ? common(i, f) : undefined, h = s.get(f);
			return c !== undefined || !h ? c : inside(JSON.parse(h.values[r], keepLarge), h.path);
		}) : has(nameOf(i).toLowerCase()) || (K[i] !== NONE && has(A.tasks[K[i]].toLowerCase())) || s.some((c) => has(c[r].toLowerCase())))
			out.push(i);
		if (i % 20000 === 0 && performance.now() - begin > 40) {
			$("hint").textContent = `${Math.round(100 * i / N)} %`;
			await new Promise((ok) => setTimeout(ok));
			begin = performance.now();
		}
	}
	return Uint32Array.from(out);
}
async function search() {
	const text = $("query").value, hint = $("hint");
	hint.className = "";
	if (!text.trim()) {
		matches = null;
		hint.textContent = "";
	} else {
		const what = sought(text);
		hint.textContent = "…";
		matches = await find(what);
		hint.className = what.why ? "bad" : "";
		hint.textContent = (what.why ? what.why + ": " : "") + (matches.length ? `${count(matches.length)} of ${count(N)} events` : "nothing matches");
	}
	dirty = true;
	tableSize();
	if (matches && matches.length && (selected < 0 || !isMatch(selected)))
		jump(1, true);
}
function jump(by, here) {
	if (!matches || !matches.length)
		return;
	let k = selected < 0 ? lower(matches, from) : lowerOf(matches, selected);
	if (!here || (selected >= 0 && matches[k] === selected))
		k += by > 0 ? (matches[k] === selected ? 1 : 0) : -1;
	select(matches[(k + matches.length) % matches.length]);
}

