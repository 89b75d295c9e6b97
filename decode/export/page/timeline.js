// SPDX-License-Identifier: MIT
// ---- the timeline -------------------------------------------------------------------------------
const canvas = $("canvas"),
	ctx = canvas.getContext("2d");
let from = 0,
	to = 1,
	endTime = 1,
	laneScroll = 0,
	width = 0,
	height = 0,
	selected = -1,
	matches = null,
	measured = null,
	dirty = true;
let style = {},
	colors = [];

function readStyle() {
	const s = getComputedStyle(document.documentElement);
	for (const k of [
		"back",
		"text",
		"dim",
		"line",
		"lane",
		"accent",
		"mark",
		"bad",
		"hatch",
		"select",
	])
		style[k] = s.getPropertyValue("--" + k).trim();
	const dark = document.documentElement.classList.contains("dark");
	colors = about.names.map((n) => {
		let h = 7;
		for (const c of n) h = (h * 31 + c.charCodeAt(0)) >>> 0;
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
	style.pattern = ctx.createPattern(h, "repeat");
	dirty = true;
}
function resize() {
	const r = canvas.getBoundingClientRect(),
		k = devicePixelRatio || 1;
	width = r.width;
	height = r.height;
	canvas.width = Math.round(width * k);
	canvas.height = Math.round(height * k);
	ctx.setTransform(k, 0, 0, k, 0, 0);
	dirty = true;
}
const xOf = (t) => LABEL + ((t - from) / (to - from)) * (width - LABEL);
// Shows the whole capture, with a margin before the first and after the last event.
const showAll = () => setView(-0.02 * endTime, 1.02 * endTime);
const timeAt = (x) => from + ((x - LABEL) / (width - LABEL)) * (to - from);
// Returns the index in list, between a and b, of the first event at or after t.
function lowerBound(list, t, a = 0, b = list.length) {
	while (a < b) {
		const m = (a + b) >> 1;
		if (eventTime[list[m]] < t) a = m + 1;
		else b = m;
	}
	return a;
}
function lowerBoundAll(t) {
	let a = 0,
		b = eventCount;
	while (a < b) {
		const m = (a + b) >> 1;
		if (eventTime[m] < t) a = m + 1;
		else b = m;
	}
	return a;
}

function setView(a, b, keepTable) {
	const least = 200,
		most = endTime * 1.04 + 1000;
	let w = Math.min(Math.max(b - a, least), most);
	const m = (a + b) / 2;
	from = Math.max(-most * 0.02, Math.min(m - w / 2, endTime + most * 0.02 - w));
	to = from + w;
	dirty = panelIsStale = true;
	tableIsStale = tableIsStale || !keepTable;
}
// The table follows the timeline. While the timeline moves, the table is drawn only every
// TABLE_EVERY ms, which is as fast as anybody reads; it is drawn again as soon as the timeline
// stops.
const TABLE_EVERY = 100;
let tableIsStale = false,
	tableTime = 0;
// The counts of what is in view take longer: they follow once the timeline has stopped for STANDS
// ms.
const STANDS = 150;
let panelIsStale = false,
	movedAt = 0;
function updateTable() {
	if (tableIsStale) tableFollow();
	tableIsStale = false;
	tableTime = performance.now();
}
function zoom(k, at) {
	const m =
		at === undefined
			? selected >= 0 && eventTime[selected] >= from && eventTime[selected] <= to
				? eventTime[selected]
				: (from + to) / 2
			: at;
	setView(m - (m - from) * k, m + (to - m) * k);
}

function niceStep(w) {
	const raw = w / 7,
		p = 10 ** Math.floor(Math.log10(raw));
	return [1, 2, 5, 10].map((m) => m * p).find((s) => s >= raw);
}
let marks = [];
function drawRuler() {
	const step = Math.max(1, niceStep(to - from));
	ctx.fillStyle = style.dim;
	ctx.strokeStyle = style.line;
	ctx.font = "11px system-ui, sans-serif";
	ctx.textBaseline = "top";
	ctx.beginPath();
	marks = [];
	for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
		const x = Math.round(xOf(t)) + 0.5;
		ctx.moveTo(x, 0);
		ctx.lineTo(x, height);
		ctx.fillText(axisLabel(t, step), x + 3, 3);
		marks.push(axisLabel(t, step));
	}
	ctx.stroke();
	ctx.fillText(eventCount ? formatTime(Math.max(0, from)) : "", 8, 3);
}
function drawRate() {
	const w = Math.ceil((width - LABEL) / 2),
		rates = new Float64Array(w),
		per = (to - from) / w;
	let at = lowerBoundAll(from),
		most = 0;
	for (let k = 0; k < w; k++) {
		const next = lowerBoundAll(from + (k + 1) * per);
		rates[k] = next - at;
		most = Math.max(most, rates[k]);
		at = next;
	}
	ctx.fillStyle = style.accent;
	for (let k = 0; k < w; k++)
		if (rates[k])
			ctx.fillRect(
				LABEL + 2 * k,
				HEAD - 4 - (40 * rates[k]) / most,
				2,
				Math.max(1, (40 * rates[k]) / most),
			);
	ctx.fillStyle = style.dim;
	ctx.fillText("events/s, at most", 8, 22);
	ctx.fillText(formatCount(Math.round((most / per) * 1e9)), 8, 37);
}
// Long names are cut at the front, because their end is more specific.
const fits = new Map();
function fitName(name, w) {
	if (!fits.has(name)) {
		let n = name.length;
		while (
			n > 1 &&
			ctx.measureText(n < name.length ? "…" + name.slice(-n) : name).width > w
		)
			n--;
		fits.set(name, n < name.length ? "…" + name.slice(-n) : name);
	}
	return fits.get(name);
}
function drawTicks(l, y) {
	const list = l.list;
	let i = lowerBound(list, from),
		ink = "",
		a = 0,
		b = 0; // what is not drawn yet: pixels a to b of one colour
	const perPixel = (to - from) / (width - LABEL),
		big = to - from;
	const flush = (color) => {
		if (b > a) ctx.fillRect(a, y + 3, b - a, LANE - 6);
		if (color !== ink) ctx.fillStyle = ink = color;
	};
	while (i < list.length && eventTime[list[i]] <= to) {
		const e = list[i],
			x = Math.floor(xOf(eventTime[e]));
		const next = lowerBoundFrom(list, i + 1, from + (x + 1 - LABEL) * perPixel);
		let bad = eventFlags[e] & PROBLEM;
		for (let k = i + 1; !bad && k < Math.min(next, i + 16); k++)
			bad = eventFlags[list[k]] & PROBLEM;
		const color = bad ? style.bad : colors[about.shapes[eventShape[e]].name];
		if (color !== ink || x > b) {
			flush(color);
			a = x;
		}
		b = x + (big < 1e5 || next - i === 1 ? 2 : 1);
		i = next;
	}
	flush(ink);
}
function lowerBoundFrom(list, a, t) {
	let step = 1,
		b = a;
	while (b < list.length && eventTime[list[b]] < t) {
		a = b + 1;
		b += step;
		step *= 2;
	}
	return lowerBound(list, t, a, Math.min(b, list.length));
}
// Returns the events of a lane that have a duration, and the longest duration in each group of 64
// of them, so that drawBars() can skip groups that begin after the view.
function makeBars(l) {
	const list = l.kind === "cpu" ? NO_EVENTS : l.kind === "task" ? taskBars(l) : l.list;
	let n = 0;
	for (let k = 0; k < list.length; k++) n += eventDuration[list[k]] > 0;
	const bars = new Uint32Array(n),
		most = new Float64Array(Math.ceil(n / 64));
	for (let k = 0, to = 0; to < n; k++) {
		const d = eventDuration[list[k]];
		if (d > 0) {
			most[to >> 6] = Math.max(most[to >> 6], d);
			bars[to++] = list[k];
		}
	}
	return { bars, most };
}
// Returns which of bars[a] to bars[b - 1] is the longest.
function longestBar({ bars, most }, a, b) {
	let best = a;
	for (let k = a + 1; k < b; k++) {
		if (!(k & 63) && most[k >> 6] <= eventDuration[bars[best]])
			k |= 63; // none in this group is longer
		else if (eventDuration[bars[k]] > eventDuration[bars[best]]) best = k;
	}
	return best;
}
function drawBars(l, y) {
	const list = l.bars,
		perPixel = (to - from) / (width - LABEL);
	for (let i = lowerBound(list, from), next; i < list.length; i = next) {
		const end = eventTime[list[i]],
			x = Math.min(width, xOf(end));
		if (end - l.most[i >> 6] > to) {
			// the whole group begins after the view
			next = (i | 63) + 1;
			continue;
		}
		// Of those that end on the same pixel the longest is drawn.
		next = lowerBoundFrom(
			list,
			i + 1,
			Math.max(end, from + (Math.floor(x) - LABEL) * perPixel) + perPixel * 0.5,
		);
		const e = list[longestBar(l, i, next)],
			a = Math.max(LABEL, xOf(eventTime[e] - eventDuration[e])),
			b = Math.min(width, xOf(eventTime[e]));
		if (b < LABEL || a > width) continue;
		ctx.fillStyle =
			eventFlags[e] & PROBLEM
				? style.bad
				: colors[about.shapes[eventShape[e]].name];
		ctx.globalAlpha = 0.45;
		ctx.fillRect(a, y + 4, Math.max(1, b - a), LANE - 8);
		ctx.globalAlpha = 1;
		ctx.fillRect(Math.min(b, width - 1), y + 3, 1.5, LANE - 6);
	}
}
function drawLosses() {
	for (const l of about.losses) {
		if (l.to < from || l.from > to) continue;
		const a = Math.max(LABEL, xOf(l.from)),
			b = Math.min(width, xOf(l.to));
		ctx.fillStyle = style.hatch;
		ctx.globalAlpha = 0.25;
		ctx.fillRect(a, HEAD, Math.max(2, b - a), height - HEAD);
		ctx.globalAlpha = 1;
		ctx.fillStyle = style.pattern;
		ctx.fillRect(a, HEAD, Math.max(2, b - a), height - HEAD);
	}
}
function drawVertical(t, color, dash, text) {
	if (t < from || t > to) return;
	const x = Math.round(xOf(t)) + 0.5;
	ctx.strokeStyle = ctx.fillStyle = color;
	ctx.setLineDash(dash);
	ctx.beginPath();
	ctx.moveTo(x, 16);
	ctx.lineTo(x, height);
	ctx.stroke();
	ctx.setLineDash([]);
	if (text) ctx.fillText(text, x + 4, 17);
}
// Draws a frame around the selected event in its lane.
function drawFrame(i, y) {
	const a = Math.max(LABEL, xOf(eventTime[i] - eventDuration[i]) - 2),
		b = Math.min(width, xOf(eventTime[i]) + 4);
	if (b < LABEL || a > width) return;
	ctx.strokeStyle = style.accent;
	ctx.lineWidth = 2;
	ctx.strokeRect(a, y + 2, b - a, LANE - 4);
	ctx.lineWidth = 1;
}
let triggers = [];
// Draws the label of a group of lanes, or a lane with its label.
function drawLane(l, y) {
	if (!l.kind) {
		ctx.fillStyle = style.lane;
		ctx.fillRect(0, y, width, LANE);
		ctx.fillStyle = style.text;
		ctx.font = "bold 12px system-ui, sans-serif";
		ctx.textBaseline = "middle";
		ctx.fillText(l.title, 8, y + LANE / 2);
		return;
	}
	drawBars(l, y);
	if (l.kind !== "usb") drawTicks(l, y);
	const own = selected >= 0 && isInLane(l, selected);
	if (own) drawFrame(selected, y);
	ctx.fillStyle = own ? style.select : style.back;
	ctx.fillRect(0, y, LABEL - 2, LANE);
	ctx.fillStyle = style.text;
	ctx.font = "12px system-ui, sans-serif";
	ctx.textBaseline = "middle";
	ctx.fillText(fitName(l.name, LABEL - 74), 14, y + LANE / 2);
	ctx.fillStyle = style.dim;
	ctx.textAlign = "right";
	ctx.fillText(formatCount(l.count), LABEL - 8, y + LANE / 2, 54);
	ctx.textAlign = "left";
	ctx.strokeStyle = style.line;
	ctx.beginPath();
	ctx.moveTo(0, y + LANE - 0.5);
	ctx.lineTo(width, y + LANE - 0.5);
	ctx.stroke();
}
function drawMeasured() {
	const a = xOf(measured[0]),
		b = xOf(measured[1]);
	ctx.fillStyle = style.accent;
	ctx.globalAlpha = 0.15;
	ctx.fillRect(Math.min(a, b), 16, Math.abs(b - a), height);
	ctx.globalAlpha = 1;
	ctx.fillStyle = style.text;
	ctx.fillText(
		`${formatDuration(Math.abs(measured[1] - measured[0]))}, ` +
			`${formatCount(Math.abs(lowerBoundAll(measured[1]) - lowerBoundAll(measured[0])))} events`,
		Math.min(a, b) + 4,
		HEAD - 16,
	);
}
function draw() {
	const begin = performance.now();
	ctx.fillStyle = style.back;
	ctx.fillRect(0, 0, width, height);
	drawRuler();
	drawRate();
	ctx.save();
	ctx.beginPath();
	ctx.rect(0, HEAD, width, height - HEAD);
	ctx.clip();
	drawLosses();
	for (let k = 0; k < lanes.length; k++) {
		const y = HEAD + k * LANE - laneScroll;
		if (y + LANE >= HEAD && y <= height) drawLane(lanes[k], y);
	}
	ctx.restore();
	ctx.font = "11px system-ui, sans-serif";
	ctx.textBaseline = "top";
	for (const s of about.steps)
		drawVertical(
			s.at,
			style.dim,
			[6, 4],
			"the clock was set by " + formatDuration(Number(s.ns)),
		);
	for (const i of triggers) drawVertical(eventTime[i], style.bad, [], "trigger");
	if (selected >= 0) drawVertical(eventTime[selected], style.accent, [2, 2], "");
	if (matches) drawMatches();
	if (measured) drawMeasured();
	lastDraw = performance.now() - begin;
}
function drawMatches() {
	ctx.fillStyle = style.mark;
	ctx.strokeStyle = style.text;
	for (
		let i = lowerBound(matches, from);
		i < matches.length && eventTime[matches[i]] <= to;
	) {
		const x = Math.floor(xOf(eventTime[matches[i]]));
		ctx.fillRect(x - 1, HEAD - 5, 3, 5);
		ctx.fillStyle = style.text;
		ctx.fillRect(x, HEAD - 3, 1, 3);
		ctx.fillStyle = style.mark;
		i = lowerBoundFrom(
			matches,
			i + 1,
			from + ((x + 1 - LABEL) / (width - LABEL)) * (to - from),
		);
	}
}
let lastDraw = 0;
function frame() {
	const moved = dirty;
	if (moved) {
		dirty = false;
		movedAt = performance.now();
		draw();
	} else if (panelIsStale && performance.now() - movedAt >= STANDS) {
		panelIsStale = false;
		if ($("busy").checked) showLanes();
		updatePanel();
	}
	if (tableIsStale && (!moved || performance.now() - tableTime >= TABLE_EVERY)) updateTable();
	requestAnimationFrame(frame);
}
