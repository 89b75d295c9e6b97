// SPDX-License-Identifier: MIT
// The program of a page of trawl-export --to html. The data are beside it in the document; nothing is loaded and
// nothing is sent. Times are ns since the first event, as doubles: exact up to 104 days.
"use strict";
const $ = (id) => document.getElementById(id);
const NONE = 0xffff, PROBLEM = 1, SECRET = 2, TRIGGER = 4;

// ---- data ---------------------------------------------------------------------------------------
async function piece(id) {
	const el = $("d-" + id), text = atob(el.textContent.trim()), n = text.length, bytes = new Uint8Array(n);
	for (let i = 0; i < n; i++)
		bytes[i] = text.charCodeAt(i);
	el.textContent = "";
	const zlib = new DecompressionStream("deflate"), w = zlib.writable.getWriter();
	w.write(bytes);
	w.close();
	return new Uint8Array(await new Response(zlib.readable).arrayBuffer());
}

function varints(bytes, n, signed) {
	const to = new Float64Array(n);
	for (let i = 0, p = 0, sum = 0; i < n; i++) {
		let v = 0, scale = 1, b;
		do {
			b = bytes[p++];
			v += (b & 127) * scale;
			scale *= 128;
		} while (b > 127);
		if (!signed)
			to[i] = v;
		else
			to[i] = sum += v % 2 ? -(v + 1) / 2 : v / 2;
	}
	return to;
}
const words = (bytes) => new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);

let A, N, T, D, S, C, K, E, F, first;     // about, events; times, spans, shapes, cpus, tasks, endpoints, flags
let rank;                                 // of each event among those of its shape
const columns = new Map();

async function load() {
	A = JSON.parse(new TextDecoder().decode(await piece("about")));
	N = A.events;
	first = BigInt(A.first);
	const [t, d, s, c, k, e, f] = await Promise.all(
		["times", "spans", "shapes", "cpus", "tasks", "endpoints", "flags"].map(piece));
	T = varints(t, N, true);
	D = varints(d, N, false);
	S = words(s); C = words(c); K = words(k); E = words(e); F = f;
	const seen = new Uint32Array(A.shapes.length);
	rank = new Uint32Array(N);
	for (let i = 0; i < N; i++)
		rank[i] = seen[S[i]]++;
	A.losses.forEach((l) => { l.from = Number(BigInt(l.from) - first); l.to = Number(BigInt(l.to) - first); });
	A.steps.forEach((x) => { x.at = Number(BigInt(x.at) - first); });
}

// A column's values, as JSON texts; decompressed when first asked for.
async function column(shape, key) {
	const id = `f${shape}_${key}`;
	if (!columns.has(id))
		columns.set(id, piece(id).then((b) => new TextDecoder().decode(b).split("\n")));
	return columns.get(id);
}
async function fieldsOf(i) {
	const shape = A.shapes[S[i]], out = [];
	for (let k = 0; k < shape.keys.length; k++)
		out.push([shape.keys[k], JSON.parse((await column(S[i], k))[rank[i]], keepLarge)]);
	return out;
}
// Integers above 2^53 stay what they are: their text.
function keepLarge(key, value, context) {
	return typeof value === "number" && !Number.isSafeInteger(value) && context && /^-?\d+$/.test(context.source) ?
		BigInt(context.source) : value;
}
const nameOf = (i) => A.names[A.shapes[S[i]].name];
const sourceOf = (i) => A.sources[A.shapes[S[i]].source];
function taskOf(i) {
	if (K[i] === NONE)
		return null;
	const m = /^(-?\d+) (-?\d+) (.*)$/s.exec(A.tasks[K[i]]);
	return m ? { pid: +m[1], tid: +m[2], comm: m[3] } : null;
}

// ---- words --------------------------------------------------------------------------------------
const pad = (v, n) => String(v).padStart(n, "0");
function clock(t) {
	const ns = first + BigInt(Math.round(t)), ms = Number(ns / 1000000n), d = new Date(ms);
	return `${pad(d.getHours(), 2)}:${pad(d.getMinutes(), 2)}:${pad(d.getSeconds(), 2)}.${pad(ns % 1000000000n, 9)}`;
}
function span(ns) {
	const a = Math.abs(ns);
	if (a >= 1e9)
		return (ns / 1e9).toFixed(3) + " s";
	if (a >= 1e6)
		return (ns / 1e6).toFixed(3) + " ms";
	return a >= 1e3 ? (ns / 1e3).toFixed(3) + " µs" : Math.round(ns) + " ns";
}
// A time of the axis, with as many digits as tell it from the next one.
function mark(t, step) {
	const [unit, name] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([u]) => Math.max(Math.abs(t), step) >= u) || [1, "ns"];
	return `${t < 0 ? "−" : "+"}${(Math.abs(t) / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)))} ${name}`;
}
const count = (n) => n.toLocaleString("en");
function value(v) {
	if (v === null)
		return "–";
	if (typeof v === "string")
		return /^[\w./:*%@+-]+$/.test(v) ? v : JSON.stringify(v);
	if (typeof v === "object")
		return Array.isArray(v) ? "[" + v.map(value).join(" ") + "]" :
			"{" + Object.entries(v).map(([k, x]) => `${k}=${value(x)}`).join(" ") + "}";
	return String(v);
}
const HIDDEN = new Set(["__probe_ip", "__probe_func", "__probe_ret_ip", "data", "submit_ns", "latency_ns", "site"]);
function line(fields) {
	const text = fields.find(([k]) => k === "_text");
	if (text)
		return text[1];
	return fields.filter(([k]) => !HIDDEN.has(k)).map(([k, v]) => `${k}=${value(v)}`).join(" ");
}

// ---- lanes --------------------------------------------------------------------------------------
const LANE = 22, HEAD = 64, LABEL = 190;
let lanes = [];

// Events by what `of` says (NONE: not there), each list in the order of time.
function partition(of, names, kind, label) {
	const n = names.length, counts = new Uint32Array(n + 1);
	for (let i = 0; i < N; i++)
		if (of[i] < n)
			counts[of[i] + 1]++;
	for (let k = 0; k < n; k++)
		counts[k + 1] += counts[k];
	const list = new Uint32Array(counts[n]), next = counts.slice();
	for (let i = 0; i < N; i++)
		if (of[i] < n)
			list[next[of[i]]++] = i;
	const out = [];
	for (let k = 0; k < n; k++)
		if (counts[k + 1] > counts[k])
			out.push({ kind, name: label(names[k], k), list: list.subarray(counts[k], counts[k + 1]) });
	return out;
}

function makeLanes() {
	const cpus = [];
	for (let i = 0; i < N; i++)
		if (C[i] !== NONE && C[i] >= cpus.length)
			for (let k = cpus.length; k <= C[i]; k++)
				cpus.push(k);
	const add = (title, more, sort) => {
		if (!more.length)
			return;
		if (sort)
			more.sort(sort);
		lanes.push({ title: `${title} (${more.length})` }, ...more);
	};
	const bigger = (a, b) => b.list.length - a.list.length;
	if (A.losses.length)
		lanes.push({ title: `lost events (${A.nlosses})` }, { kind: "loss", name: "losses", list: new Uint32Array(0) });
	add("USB endpoints", partition(E, A.endpoints, "usb", (t) => { const [d, n, x] = t.split(" "); return x === "control" ? `${d} control` : `${d} ep${n} ${x}`; }),
		(a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
	add("processors", partition(C, cpus, "cpu", (k) => `cpu ${k}`));
	const probe = new Uint16Array(N).fill(NONE), probes = [...A.names];
	for (let i = 0; i < N; i++)
		if (E[i] === NONE && !["event", "eprobe", "task"].includes(sourceOf(i)))
			probe[i] = A.shapes[S[i]].name;
	add("probes", partition(probe, probes, "probe", (t) => t), bigger);
	add("tasks", partition(K, A.tasks, "task", (t) => { const m = /^(-?\d+) (-?\d+) (.*)$/s.exec(t); return `${m[3] || "?"} ${m[2]}`; }), bigger);
	const kinds = new Uint16Array(N);
	for (let i = 0; i < N; i++)
		kinds[i] = A.shapes[S[i]].name;
	add("events", partition(kinds, A.names, "name", (t) => t), bigger);
	lanes.filter((l) => l.list).forEach(makeBars);
}

// ---- the timeline -------------------------------------------------------------------------------
const canvas = $("canvas"), g = canvas.getContext("2d");
let from = 0, to = 1, end = 1, top_ = 0, width = 0, height = 0, selected = -1, matches = null, measure = null, dirty = true;
let style = {}, colors = [];

function readStyle() {
	const s = getComputedStyle(document.documentElement);
	for (const k of ["back", "text", "dim", "line", "lane", "accent", "mark", "bad", "hatch", "select"])
		style[k] = s.getPropertyValue("--" + k).trim();
	const dark = document.documentElement.classList.contains("dark");
	colors = A.names.map((n) => {
		let h = 7;
		for (const c of n)
			h = (h * 31 + c.charCodeAt(0)) >>> 0;
		return `hsl(${h % 360} ${dark ? "55% 62%" : "60% 42%"})`;
	});
	const h = document.createElement("canvas");
	h.width = h.height = 8;
	const x = h.getContext("2d");
	x.strokeStyle = style.bad;
	x.lineWidth = 1.5;
	x.beginPath();
	for (const o of [-8, 0, 8]) {
		x.moveTo(o, 8);
		x.lineTo(o + 8, 0);
	}
	x.stroke();
	style.pattern = g.createPattern(h, "repeat");
	dirty = true;
}
function resize() {
	const r = canvas.getBoundingClientRect(), k = devicePixelRatio || 1;
	width = r.width;
	height = r.height;
	canvas.width = Math.round(width * k);
	canvas.height = Math.round(height * k);
	g.setTransform(k, 0, 0, k, 0, 0);
	dirty = true;
}
const X = (t) => LABEL + (t - from) / (to - from) * (width - LABEL);
// Everything, with room beside the first and the last event.
const showAll = () => show(-.02 * end, 1.02 * end);
const timeAt = (x) => from + (x - LABEL) / (width - LABEL) * (to - from);
// The first of a lane's events at or after t, among those from a to b.
function lower(list, t, a = 0, b = list.length) {
	while (a < b) {
		const m = (a + b) >> 1;
		if (T[list[m]] < t)
			a = m + 1;
		else
			b = m;
	}
	return a;
}
function lowerAll(t) {
	let a = 0, b = N;
	while (a < b) {
		const m = (a + b) >> 1;
		if (T[m] < t)
			a = m + 1;
		else
			b = m;
	}
	return a;
}

function show(a, b, keepTable) {
	const least = 200, most = end * 1.04 + 1000;
	let w = Math.min(Math.max(b - a, least), most);
	const m = (a + b) / 2;
	from = Math.max(-most * .02, Math.min(m - w / 2, end + most * .02 - w));
	to = from + w;
	dirty = true;
	if (!keepTable)
		tableFollow();
}
function zoom(k, at) {
	const m = at === undefined ? (selected >= 0 && T[selected] >= from && T[selected] <= to ? T[selected] : (from + to) / 2) : at;
	show(m - (m - from) * k, m + (to - m) * k);
}

function niceStep(w) {
	const raw = w / 7, p = 10 ** Math.floor(Math.log10(raw));
	return [1, 2, 5, 10].map((m) => m * p).find((s) => s >= raw);
}
let marks = [];
function drawRuler() {
	const step = Math.max(1, niceStep(to - from));
	g.fillStyle = style.dim;
	g.strokeStyle = style.line;
	g.font = "11px system-ui, sans-serif";
	g.textBaseline = "top";
	g.beginPath();
	marks = [];
	for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
		const x = Math.round(X(t)) + .5;
		g.moveTo(x, 0);
		g.lineTo(x, height);
		g.fillText(mark(t, step), x + 3, 3);
		marks.push(mark(t, step));
	}
	g.stroke();
	g.fillText(N ? clock(Math.max(0, from)) : "", 8, 3);
}
function drawRate() {
	const w = Math.ceil((width - LABEL) / 2), rates = new Float64Array(w), per = (to - from) / w;
	let at = lowerAll(from), most = 0;
	for (let k = 0; k < w; k++) {
		const next = lowerAll(from + (k + 1) * per);
		rates[k] = next - at;
		most = Math.max(most, rates[k]);
		at = next;
	}
	g.fillStyle = style.accent;
	for (let k = 0; k < w; k++)
		if (rates[k])
			g.fillRect(LABEL + 2 * k, HEAD - 4 - 40 * rates[k] / most, 2, Math.max(1, 40 * rates[k] / most));
	g.fillStyle = style.dim;
	g.fillText("events/s, at most", 8, 22);
	g.fillText(count(Math.round(most / per * 1e9)), 8, 37);
}
// A name's end tells more than its beginning: that is cut.
function fitted(name, w) {
	let n = name.length;
	if (g.measureText(name).width <= w)
		return name;
	while (n > 1 && g.measureText("…" + name.slice(-n)).width > w)
		n--;
	return "…" + name.slice(-n);
}
const ending = (name, n) => (name.length <= n ? name : "…" + name.slice(1 - n));
function drawTicks(l, y) {
	const list = l.list;
	let i = lower(list, from), ink = "";
	const perPixel = (to - from) / (width - LABEL), big = to - from;
	while (i < list.length && T[list[i]] <= to) {
		const e = list[i], x = Math.floor(X(T[e]));
		const next = lowerFrom(list, i + 1, from + (x + 1 - LABEL) * perPixel);
		let bad = F[e] & PROBLEM;
		for (let k = i + 1; !bad && k < Math.min(next, i + 16); k++)
			bad = F[list[k]] & PROBLEM;
		const color = bad ? style.bad : colors[A.shapes[S[e]].name];
		if (color !== ink)
			g.fillStyle = ink = color;
		g.fillRect(x, y + 3, big < 1e5 || next - i === 1 ? 2 : 1, LANE - 6);
		i = next;
	}
}
function lowerFrom(list, a, t) {
	let step = 1, b = a;
	while (b < list.length && T[list[b]] < t) {
		a = b + 1;
		b += step;
		step *= 2;
	}
	return lower(list, t, a, Math.min(b, list.length));
}
// What took time ends at T and began D before: a lane's events with a D, and the longest of every 64 of them.
function makeBars(l) {
	l.bars = l.kind === "cpu" ? new Uint32Array(0) : l.list.filter((i) => D[i]);
	l.most = new Float64Array(Math.ceil(l.bars.length / 64));
	l.bars.forEach((i, k) => { l.most[k >> 6] = Math.max(l.most[k >> 6], D[i]); });
}
function drawBars(l, y) {
	const list = l.bars, perPixel = (to - from) / (width - LABEL);
	for (let i = lower(list, from); i < list.length;) {
		const e = list[i], a = Math.max(LABEL, X(T[e] - D[e])), b = Math.min(width, X(T[e]));
		if (T[e] - l.most[i >> 6] > to) { // none of these began in view
			i = (i | 63) + 1;
			continue;
		}
		if (b < LABEL || a > width) {
			i++;
			continue;
		}
		g.fillStyle = F[e] & PROBLEM ? style.bad : colors[A.shapes[S[e]].name];
		g.globalAlpha = .45;
		g.fillRect(a, y + 4, Math.max(1, b - a), LANE - 8);
		g.globalAlpha = 1;
		g.fillRect(Math.min(b, width - 1), y + 3, 1.5, LANE - 6);
		// many that end on one pixel are drawn as the first of them
		i = lowerFrom(list, i + 1, Math.max(T[e], from + (Math.floor(b) - LABEL) * perPixel) + perPixel * .5);
	}
}
function drawLosses() {
	for (const l of A.losses) {
		if (l.to < from || l.from > to)
			continue;
		const a = Math.max(LABEL, X(l.from)), b = Math.min(width, X(l.to));
		g.fillStyle = style.hatch;
		g.globalAlpha = .25;
		g.fillRect(a, HEAD, Math.max(2, b - a), height - HEAD);
		g.globalAlpha = 1;
		g.fillStyle = style.pattern;
		g.fillRect(a, HEAD, Math.max(2, b - a), height - HEAD);
	}
}
function vertical(t, color, dash, text) {
	if (t < from || t > to)
		return;
	const x = Math.round(X(t)) + .5;
	g.strokeStyle = g.fillStyle = color;
	g.setLineDash(dash);
	g.beginPath();
	g.moveTo(x, 16);
	g.lineTo(x, height);
	g.stroke();
	g.setLineDash([]);
	if (text)
		g.fillText(text, x + 4, 17);
}
let triggers = [];
function draw() {
	const begin = performance.now();
	g.fillStyle = style.back;
	g.fillRect(0, 0, width, height);
	drawRuler();
	drawRate();
	g.save();
	g.beginPath();
	g.rect(0, HEAD, width, height - HEAD);
	g.clip();
	drawLosses();
	for (let k = 0; k < lanes.length; k++) {
		const l = lanes[k], y = HEAD + k * LANE - top_;
		if (y + LANE < HEAD || y > height)
			continue;
		if (l.title) {
			g.fillStyle = style.lane;
			g.fillRect(0, y, width, LANE);
			g.fillStyle = style.text;
			g.font = "bold 12px system-ui, sans-serif";
			g.textBaseline = "middle";
			g.fillText(l.title, 8, y + LANE / 2);
			continue;
		}
		drawBars(l, y);
		if (l.kind !== "usb")
			drawTicks(l, y);
		g.fillStyle = style.back;
		g.fillRect(0, y, LABEL - 2, LANE);
		g.fillStyle = style.text;
		g.font = "12px system-ui, sans-serif";
		g.textBaseline = "middle";
		g.fillText(fitted(l.name, LABEL - 74), 14, y + LANE / 2);
		g.fillStyle = style.dim;
		g.textAlign = "right";
		g.fillText(count(l.kind === "loss" ? A.nlosses : l.list.length), LABEL - 8, y + LANE / 2, 54);
		g.textAlign = "left";
		g.strokeStyle = style.line;
		g.beginPath();
		g.moveTo(0, y + LANE - .5);
		g.lineTo(width, y + LANE - .5);
		g.stroke();
	}
	g.restore();
	g.font = "11px system-ui, sans-serif";
	g.textBaseline = "top";
	for (const s of A.steps)
		vertical(s.at, style.dim, [6, 4], "the clock was set by " + span(Number(s.ns)));
	for (const i of triggers)
		vertical(T[i], style.bad, [], "trigger");
	if (selected >= 0)
		vertical(T[selected], style.accent, [2, 2], "");
	if (matches)
		drawMatches();
	if (measure) {
		const a = X(measure[0]), b = X(measure[1]);
		g.fillStyle = style.accent;
		g.globalAlpha = .15;
		g.fillRect(Math.min(a, b), 16, Math.abs(b - a), height);
		g.globalAlpha = 1;
		g.fillStyle = style.text;
		g.fillText(`${span(Math.abs(measure[1] - measure[0]))}, ${count(Math.abs(lowerAll(measure[1]) - lowerAll(measure[0])))} events`, Math.min(a, b) + 4, HEAD - 16);
	}
	lastDraw = performance.now() - begin;
}
function drawMatches() {
	g.fillStyle = style.mark;
	g.strokeStyle = style.text;
	for (let i = lower(matches, from); i < matches.length && T[matches[i]] <= to;) {
		const x = Math.floor(X(T[matches[i]]));
		g.fillRect(x - 1, HEAD - 5, 3, 5);
		g.fillStyle = style.text;
		g.fillRect(x, HEAD - 3, 1, 3);
		g.fillStyle = style.mark;
		i = lowerFrom(matches, i + 1, from + (x + 1 - LABEL) / (width - LABEL) * (to - from));
	}
}
let lastDraw = 0;
function frame() {
	if (dirty) {
		dirty = false;
		draw();
	}
	requestAnimationFrame(frame);
}

// ---- the table ----------------------------------------------------------------------------------
const ROW = 19, MOST = 8e6;               // browsers have no elements of 20 million pixels
const scroll = $("scroll"), rows = $("rows");
let placed = -1, ticket = 0;              // where the program scrolled to: no hand did
const listed = () => $("only").checked && matches ? matches : null;
const nrows = () => (listed() || { length: N }).length;
const eventAt = (r) => (listed() ? listed()[r] : r);
const rowOf = (i) => (listed() ? lowerOf(listed(), i) : i);
const scale = () => Math.max(1, nrows() * ROW / MOST);

function tableSize() {
	// at the end of the scroll bar the last row is the last that is whole
	$("space").style.height = `${scroll.clientHeight + Math.max(0, nrows() - Math.floor(scroll.clientHeight / ROW)) * ROW / scale()}px`;
	$("table").setAttribute("aria-rowcount", nrows() + 1);
	place(scroll.scrollTop);
}
function place(y) {
	scroll.scrollTop = y;
	placed = scroll.scrollTop;
	drawRows();
}
// The table begins where the timeline does; a selected event that the timeline shows stays in it.
function tableFollow() {
	const r = Math.min(lowerAllRows(from), Math.max(0, nrows() - 1)), n = Math.floor(scroll.clientHeight / ROW) - 1;
	const s = selected >= 0 && T[selected] >= from && T[selected] <= to ? rowOf(selected) : r;
	place((s < r || s >= r + n ? Math.max(0, s - n / 2) : r) * ROW / scale());
}
function lowerAllRows(t) {
	return listed() ? lower(listed(), t) : lowerAll(t);
}
function topRow() {
	return Math.min(Math.floor(scroll.scrollTop * scale() / ROW + .01), Math.max(0, nrows() - 1));
}
async function drawRows() {
	const n = Math.ceil(scroll.clientHeight / ROW) + 1, a = topRow(), mine = ++ticket;
	const many = [];
	for (let r = a; r < Math.min(a + n, nrows()); r++)
		many.push(eventAt(r));
	const texts = await Promise.all(many.map(fieldsOf)), letters = Math.floor($("heads").children[3].clientWidth / 7.25);
	if (mine !== ticket)
		return;
	const made = many.map((i, k) => {
		const row = document.createElement("div"), task = taskOf(i);
		row.className = "row" + (F[i] & PROBLEM ? " problem" : "") + (i === selected ? " selected" : "") +
			(T[i] < from || T[i] > to ? " outside" : "") + (matches && isMatch(i) ? " match" : "");
		row.setAttribute("role", "row");
		row.setAttribute("aria-rowindex", a + k + 2);
		row.setAttribute("aria-selected", i === selected);
		row.dataset.event = i;
		for (const [text, cls, whole] of [[clock(T[i]), ""], [C[i] === NONE ? "" : C[i], "number"], [task ? `${task.comm} ${task.tid}` : "", ""],
			[ending(nameOf(i), Math.max(6, letters)), "", nameOf(i)], [D[i] ? span(D[i]) : "", "number"], [line(texts[k]), ""]]) {
			const cell = document.createElement("span");
			cell.setAttribute("role", "gridcell");
			cell.className = cls;
			cell.textContent = text;
			if (whole)
				cell.title = whole;
			row.append(cell);
		}
		row.lastChild.title = row.lastChild.textContent;
		return row;
	});
	rows.replaceChildren(...made);
}
// The place of event i in a list, or of the first after it.
function lowerOf(list, i) {
	let a = 0, b = list.length;
	while (a < b) {
		const m = (a + b) >> 1;
		if (list[m] < i)
			a = m + 1;
		else
			b = m;
	}
	return a;
}
const isMatch = (i) => matches[lowerOf(matches, i)] === i;
scroll.addEventListener("scroll", () => {
	drawRows();
	if (scroll.scrollTop === placed)
		return;
	placed = -1;
	const i = eventAt(topRow());
	if (i !== undefined && (T[i] < from || T[i] > to))
		show(T[i] - (to - from) * .1, T[i] + (to - from) * .9, true);
	else if (i !== undefined && to - from < end)
		show(T[i], T[i] + to - from, true);
});

// ---- one event ----------------------------------------------------------------------------------
function element(name, text, cls) {
	const e = document.createElement(name);
	if (text !== undefined)
		e.textContent = text;
	if (cls)
		e.className = cls;
	return e;
}
function twoColumns(pairs) {
	const t = element("table");
	for (const [k, v, cls] of pairs) {
		const r = element("tr"), h = element("th", k);
		h.scope = "row";
		r.append(h, element("td", v, cls));
		t.append(r);
	}
	return t;
}
function hexdump(hex) {
	const out = [];
	for (let p = 0; p < hex.length; p += 32) {
		const part = hex.slice(p, p + 32).match(/../g) || [];
		const text = part.map((h) => { const c = parseInt(h, 16); return c >= 32 && c < 127 ? String.fromCharCode(c) : "."; }).join("");
		out.push(`${pad((p / 2).toString(16), 4)}  ${part.join(" ").padEnd(47)}  ${text}`);
	}
	return out.join("\n");
}
function flat(prefix, v, out) {
	if (v && typeof v === "object" && !Array.isArray(v))
		for (const [k, x] of Object.entries(v))
			flat(prefix ? `${prefix}.${k}` : k, x, out);
	else
		out.push([prefix, value(v)]);
	return out;
}
// A value as the event's line has it, where that is not in decimal: a pointer, a device.
function asPrinted(v, text) {
	if ((typeof v !== "number" && typeof v !== "bigint") || v < 4096 || !Number.isInteger(Number(v)))
		return v;
	const hex = v.toString(16), dev = `${Math.floor(Number(v) / 1048576)},${Number(v) % 1048576}`;
	if (text.includes("0x" + hex))
		return `0x${hex}`;
	return new RegExp(`(^|[ =(])${dev}($|[ )])`).test(text) ? `${dev} (${v})` : v;
}
async function select(i, look) {
	selected = i;
	dirty = true;
	if (i < 0) {
		drawRows();
		showOverview();
		return;
	}
	if (look !== false && (T[i] < from || T[i] > to))
		show(T[i] - (to - from) / 2, T[i] + (to - from) / 2);
	const r = rowOf(i), a = topRow(), n = Math.floor(scroll.clientHeight / ROW) - 1;
	place(r < a || r >= a + n ? Math.max(0, r - n / 2) * ROW / scale() : scroll.scrollTop);
	const fields = await fieldsOf(i), task = taskOf(i), box = $("details"), text = line(fields);
	if (selected !== i)
		return;
	const since = i ? ` (${span(T[i] - T[i - 1])} after the event before)` : "";
	box.replaceChildren(element("h2", nameOf(i)), element("p", text), twoColumns([
		["time", clock(T[i]) + `  +${span(T[i])}` + since], ["source", sourceOf(i)],
		...(C[i] === NONE ? [] : [["cpu", C[i]]]), ...(task ? [["task", `${task.comm} (tid ${task.tid}, pid ${task.pid})`]] : []),
		...(D[i] ? [["took_ns", `${D[i]} (${span(D[i])})`]] : []), ...(F[i] & PROBLEM ? [["", "an error", "bad"]] : []),
		...fields.filter(([k]) => !["data", "site", "_text"].includes(k) && !isStack(k)).flatMap(([k, v]) => flat(k, asPrinted(v, text), []))]));
	for (const [k, v] of fields) {
		if (k === "site" && v)
			box.append(element("p", `${v.symbol || ""}  ${v.file ? `${v.file}:${v.line}` : ""}`));
		if (k === "data" && typeof v === "string" && /^([0-9a-f]{2})+$/.test(v))
			box.append(element("pre", hexdump(v)));
		if (isStack(k))
			box.append(element("h3", k), element("pre", Array.isArray(v) ? v.map(value).join("\n") : typeof v === "string" ? v : value(v)));
	}
	if (F[i] & TRIGGER)
		box.append(...await overview());
	$("status").textContent = `${clock(T[i])} ${nameOf(i)} ${task ? task.comm : ""} ${line(fields)}`.slice(0, 400);
	tab("details");
}
// Zooms to an event, and to what led up to its end.
function zoomTo(i) {
	const w = Math.max(D[i] * 3, (to - from) / 20), middle = T[i] - D[i] / 2;
	show(middle - w / 2, middle + w / 2);
}
async function eventList(title, list) {
	const ul = element("ul");
	for (const i of list) {
		const li = element("li"), b = element("button", `${D[i] ? `${span(D[i])}: ` : ""}${nameOf(i)}`, "event"), task = taskOf(i);
		b.addEventListener("click", () => { select(i, false); zoomTo(i); });
		b.dataset.event = i;
		li.append(b, ` ${clock(T[i])} ${task ? `${task.comm} ${task.tid} ` : ""}${line(await fieldsOf(i))}`.slice(0, 300));
		ul.append(li);
	}
	return list.length ? [element("h3", title), ul] : [];
}
// Where to look first: why the capture was saved, the first errors, the longest of each kind.
let firstLook = null;
function findFirst() {
	const by = new Map(), errors = [];
	for (let i = 0; i < N; i++) {
		if (F[i] & PROBLEM && errors.length < 8)
			errors.push(i);
		if (D[i]) {
			const k = S[i] * 65536 + E[i];
			if (!(D[i] <= D[by.get(k)]))
				by.set(k, i);
		}
	}
	return { errors, longest: [...by.values()].sort((a, b) => D[b] - D[a]).slice(0, 8) };
}
async function overview() {
	firstLook = firstLook || findFirst();
	return [...await eventList("why this was saved", triggers.slice(-3)), ...await eventList("the first errors", firstLook.errors),
		...await eventList("the longest of each kind", firstLook.longest)];
}
async function showOverview() {
	const parts = await overview();
	if (selected < 0)
		$("details").replaceChildren(element("p", "Select an event: click on it, or press ↓."), ...parts);
}
const isStack = (k) => /^(stack|stack_trace|kernel_stack|user_stack|backtrace)$/.test(k);

// ---- counts and latency -------------------------------------------------------------------------
function inView(fn) {
	const b = lowerAll(to + 1);
	for (let i = lowerAll(from); i < b; i++)
		fn(i);
	return b;
}
function showCounts() {
	const by = new Map(), bad = new Map();
	inView((i) => {
		const n = nameOf(i);
		by.set(n, (by.get(n) || 0) + 1);
		if (F[i] & PROBLEM)
			bad.set(n, (bad.get(n) || 0) + 1);
	});
	const t = element("table"), head = element("tr");
	for (const [h, c] of [["event", ""], ["in view", "n"], ["errors", "n"], ["a second", "n"]])
		head.append(element("th", h, c));
	t.append(head);
	for (const [n, c] of [...by].sort((a, b) => b[1] - a[1]).slice(0, 200)) {
		const r = element("tr");
		r.append(element("td", n), element("td", count(c), "n"), element("td", bad.has(n) ? count(bad.get(n)) : "", "n bad"),
			element("td", count(Math.round(c / (to - from) * 1e9)), "n"));
		t.append(r);
	}
	$("counts").replaceChildren(t);
}
function showLatency() {
	const by = new Map();
	inView((i) => {
		if (!D[i])
			return;
		const k = E[i] === NONE ? nameOf(i) : nameOf(i) + " " + A.endpoints[E[i]];
		if (!by.has(k))
			by.set(k, []);
		by.get(k).push(D[i]);
	});
	const box = $("latency");
	box.replaceChildren();
	if (!by.size)
		box.append(element("p", "Nothing in view has a beginning and an end."));
	for (const [name, list] of [...by].sort((a, b) => b[1].length - a[1].length).slice(0, 20)) {
		list.sort((a, b) => a - b);
		const at = (p) => span(list[Math.min(list.length - 1, Math.floor(p * list.length))]);
		box.append(element("h3", name), element("p", `${count(list.length)}: median ${at(.5)}, 99 % ${at(.99)}, longest ${span(list[list.length - 1])}`));
		const buckets = new Map();
		for (const v of list) {
			const k = Math.floor(Math.log2(v));
			buckets.set(k, (buckets.get(k) || 0) + 1);
		}
		const t = element("table"), most = Math.max(...buckets.values());
		for (let k = Math.min(...buckets.keys()); k <= Math.max(...buckets.keys()); k++) {
			const r = element("tr"), m = element("meter"), c = buckets.get(k) || 0, cell = element("td");
			m.max = most;
			m.value = c;
			m.textContent = c;
			cell.append(m);
			r.append(element("th", `${span(2 ** k)} –`, "n"), cell, element("td", count(c), "n"));
			t.append(r);
		}
		box.append(t);
	}
}
function showCapture() {
	const box = $("capture"), pairs = [["file", A.title], ["events", count(N) + (A.more ? `, ${count(A.more)} more are not in this page` : "")],
		["state", A.verdict], ["first", clock(0)], ["clocks", `read together within ${A.bound} ns`]];
	for (const [what, o] of [["machine", A.machine], ["capture", A.capture], ["end", A.end]])
		if (o)
			for (const [k, v] of flat(what, o, []))
				pairs.push([k, v]);
	A.edits.forEach((e) => pairs.push(["edited", value(e)]));
	box.replaceChildren(twoColumns(pairs));
	if (A.losses.length) {
		box.append(element("h3", `lost events: ${A.nlosses}`));
		box.append(twoColumns(A.losses.slice(0, 100).map((l) => [clock(l.from), `${l.source}${l.cpu < 0 ? "" : " cpu " + l.cpu}: ${l.count === null ? "an unknown number" : count(l.count)} (${l.reason}) in ${span(l.to - l.from)}`, "bad"])));
	}
}
function tab(name) {
	for (const t of ["details", "counts", "latency", "capture"]) {
		$(t).hidden = t !== name;
		$("tab-" + t).setAttribute("aria-selected", t === name);
		$("tab-" + t).tabIndex = t === name ? 0 : -1;
	}
	({ counts: showCounts, latency: showLatency, capture: showCapture }[name] || (() => {}))();
}

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
			if (!COMMON.has(f) && !known.has(f.split(/[.[]/)[0]))
				throw new Bad(`no event here has a field '${f}'`, Math.max(0, q.indexOf(f)));
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

// ---- hands --------------------------------------------------------------------------------------
function hit(x, y) {
	const l = lanes[Math.floor((y - HEAD + top_) / LANE)];
	if (y < HEAD || !l || !l.list || !l.list.length)
		return -1;
	const t = timeAt(x), near = (to - from) / (width - LABEL) * 6;
	const k = lower(l.list, t);
	let best = -1;
	for (const j of [k - 1, k])
		if (l.list[j] !== undefined && Math.abs(T[l.list[j]] - t) <= near && (best < 0 || Math.abs(T[l.list[j]] - t) < Math.abs(T[best] - t)))
			best = l.list[j];
	for (let b = lower(l.bars, t), j = b; best < 0 && j < Math.min(l.bars.length, b + 500); j++)
		if (T[l.bars[j]] - D[l.bars[j]] <= t + near)
			best = l.bars[j];
	return best;
}
let drag = null;
canvas.addEventListener("pointerdown", (e) => {
	drag = { x: e.offsetX, y: e.offsetY, from, to, top: top_, moved: false, measure: e.shiftKey };
	canvas.setPointerCapture(e.pointerId);
});
canvas.addEventListener("pointermove", (e) => {
	if (!drag)
		return;
	const dx = e.offsetX - drag.x, dy = e.offsetY - drag.y;
	if (Math.abs(dx) + Math.abs(dy) > 3)
		drag.moved = true;
	if (drag.measure) {
		measure = [timeAt(drag.x), timeAt(e.offsetX)];
		dirty = true;
		return;
	}
	if (!drag.moved)
		return;
	const w = drag.to - drag.from, by = dx / (width - LABEL) * w;
	scrollLanes(drag.top - dy);
	show(drag.from - by, drag.to - by);
});
canvas.addEventListener("pointerup", (e) => {
	if (drag && !drag.moved) {
		measure = null;
		select(hit(e.offsetX, e.offsetY), false);
	}
	drag = null;
});
canvas.addEventListener("wheel", (e) => {
	e.preventDefault();
	if (e.ctrlKey || e.metaKey)
		zoom(Math.exp(e.deltaY / 300), timeAt(Math.max(LABEL, e.offsetX)));
	else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
		show(from + (e.deltaX || e.deltaY) / 1000 * (to - from), to + (e.deltaX || e.deltaY) / 1000 * (to - from));
	else
		scrollLanes(top_ + e.deltaY);
}, { passive: false });
function scrollLanes(y) {
	top_ = Math.max(0, Math.min(y, lanes.length * LANE - (height - HEAD) + LANE));
	dirty = true;
}
rows.addEventListener("click", (e) => {
	const row = e.target.closest("[data-event]");
	if (row)
		select(+row.dataset.event);
});
function sameLane(by) {
	const l = lanes.find((x) => x.list && selected >= 0 && x.list[lower(x.list, T[selected])] !== undefined && x.list.indexOf(selected) >= 0);
	const k = l ? l.list.indexOf(selected) + by : -1;
	if (l && l.list[k] !== undefined)
		select(l.list[k]);
}
function step(by) {
	const only = listed(), r = selected < 0 ? (only ? lower(only, from) : lowerAll(from)) : rowOf(selected) + by;
	const i = r >= 0 && r < nrows() ? eventAt(r) : -1;
	if (i >= 0)
		select(i);
}
const keys = {
	w: () => zoom(.7), s: () => zoom(1 / .7), a: () => show(from - (to - from) * .15, to - (to - from) * .15),
	d: () => show(from + (to - from) * .15, to + (to - from) * .15), 0: showAll, ArrowDown: () => step(1), ArrowUp: () => step(-1),
	ArrowLeft: () => step(-1), ArrowRight: () => step(1), ",": () => sameLane(-1), ".": () => sameLane(1), PageDown: () => scrollLanes(top_ + height / 2),
	PageUp: () => scrollLanes(top_ - height / 2), Home: () => select(0), End: () => select(N - 1), n: () => jump(1), N: () => jump(-1), l: copyLink,
	"/": () => $("query").focus(), "?": () => $("help").click(), Escape: () => { measure = null; select(-1); },
	f: () => { if (selected >= 0) zoomTo(selected); },
};
document.addEventListener("keydown", (e) => {
	if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|BUTTON|SELECT)$/.test(e.target.tagName)) {
		if (e.key === "Escape")
			canvas.focus();
		return;
	}
	const k = keys[e.key] || keys[e.key.toLowerCase()];
	if (!k)
		return;
	e.preventDefault();
	k();
});
async function copyLink() {
	const url = new URL(location.href);
	url.hash = `t=${Math.round(from)}&w=${Math.round(to - from)}` + (selected >= 0 ? `&e=${selected}` : "") +
		($("query").value ? `&q=${encodeURIComponent($("query").value)}` : "");
	history.replaceState(null, "", url.hash);
	try {
		await navigator.clipboard.writeText(url.href);
		$("hint").textContent = "the link is copied";
	} catch (e) {
		$("hint").textContent = "the link is in the address bar";
	}
}
async function followLink() {
	const p = new URLSearchParams(location.hash.slice(1)), w = Number(p.get("w")), t = Number(p.get("t"));
	if (p.get("q")) {
		$("query").value = p.get("q");
		await search();
	}
	if (w > 0 && Number.isFinite(t))
		show(t, t + w);
	const e = Number(p.get("e"));
	if (p.has("e") && e >= 0 && e < N && Number.isInteger(e))
		select(e, false);
}
function connect() {
	$("search").addEventListener("submit", (e) => { e.preventDefault(); search(); });
	for (const [id, fn] of [["in", () => zoom(.6)], ["out", () => zoom(1 / .6)], ["all", showAll], ["link", copyLink],
		["next", () => jump(1)], ["prev", () => jump(-1)], ["theme", () => { document.documentElement.classList.toggle("dark"); readStyle(); }],
		["help", () => { const k = $("keys"); k.hidden = !k.hidden; $("help").setAttribute("aria-expanded", !k.hidden); resize(); }]])
		$(id).addEventListener("click", fn);
	$("only").addEventListener("change", () => { tableSize(); tableFollow(); });
	for (const t of ["details", "counts", "latency", "capture"])
		$("tab-" + t).addEventListener("click", () => tab(t));
	$("split").addEventListener("pointerdown", (e) => {
		const move = (m) => { $("left").style.flexBasis = `${m.clientX}px`; $("left").style.flexGrow = 0; $("right").style.flexGrow = 1; resize(); };
		$("split").setPointerCapture(e.pointerId);
		$("split").addEventListener("pointermove", move);
		$("split").addEventListener("pointerup", () => $("split").removeEventListener("pointermove", move), { once: true });
	});
	new ResizeObserver(() => { resize(); tableSize(); }).observe($("left"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (m) => { document.documentElement.classList.toggle("dark", m.matches); readStyle(); });
	addEventListener("hashchange", followLink);
	addEventListener("beforeprint", () => { for (const f of [showCounts, showLatency, showCapture]) f(); resize(); draw(); });
}
async function start() {
	const begin = performance.now();
	document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
	await load();
	end = Math.max(1, N ? T[N - 1] : 1, ...A.losses.slice(0, 1000).map((l) => Math.min(l.to, 1e16)));
	makeLanes();
	for (let i = 0; i < N; i++)
		if (F[i] & TRIGGER)
			triggers.push(i);
	const machine = A.machine || {};
	$("title").textContent = A.title;
	$("about").textContent = [`${count(N)} events` + (A.more ? ` (${count(A.more)} more are not in this page)` : ""), N ? `in ${span(T[N - 1])}` : "",
		A.nlosses ? `${count(A.nlosses)} times events were lost` : "nothing lost", machine.kernel, machine.distro,
		A.edits.some((e) => e.operation === "redact") ? "redacted" : "", A.verdict !== "complete" ? A.verdict : ""].filter(Boolean).join(" · ");
	$("table").classList.toggle("bare", C.every((c) => c === NONE) && K.every((k) => k === NONE));
	readStyle();
	resize();
	connect();
	showAll();
	tableSize();
	draw();
	window.trawl = { ready: performance.now() - begin, get draw() { return lastDraw; }, get view() { return [from, to]; }, get marks() { return marks; }, get bars() { return lanes.reduce((n, l) => n + (l.kind === "name" ? l.bars.length : 0), 0); }, get selected() { return selected; },
		get matches() { return matches ? matches.length : -1; }, events: N, lanes: lanes.filter((l) => l.list).length, redraw() { draw(); return lastDraw; } };
	frame();
	showOverview();
	if (triggers.length && !location.hash)
		await select(triggers[triggers.length - 1], false);
	await followLink();
	document.documentElement.dataset.ready = "yes";
}
start();
