// SPDX-License-Identifier: MIT
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

