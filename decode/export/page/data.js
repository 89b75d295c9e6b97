// SPDX-License-Identifier: MIT
// ---- data ---------------------------------------------------------------------------------------
// The first picture needs these pieces, which stand before this program; the others stand behind
// it.
const CORE = ["times", "spans", "shapes", "cpus", "tasks", "endpoints", "flags"];
const parsed = new Promise((ok) => addEventListener("DOMContentLoaded", ok));
// Decompresses a piece of the data. Browsers do this in the thread that draws, so it is done in
// slices.
const SLICE = 1 << 14; // base64 characters; must be a multiple of 4
// Lets the browser draw if 6 ms have passed since begin; returns when the next 6 ms begin.
async function pause(begin) {
	if (performance.now() - begin < 6) return begin;
	await new Promise((ok) => setTimeout(ok));
	return performance.now();
}
async function readPiece(id) {
	if (id !== "about" && !CORE.includes(id)) await parsed;
	const el = $("d-" + id),
		text = el.textContent.trim();
	el.textContent = "";
	const zlib = new DecompressionStream("deflate"),
		w = zlib.writable.getWriter(),
		whole = new Response(zlib.readable).arrayBuffer();
	for (let at = 0, begin = performance.now(); at < text.length; at += SLICE) {
		const part = atob(text.slice(at, at + SLICE)),
			bytes = new Uint8Array(part.length);
		for (let i = 0; i < part.length; i++) bytes[i] = part.charCodeAt(i);
		await w.write(bytes);
		begin = await pause(begin);
	}
	w.close();
	return new Uint8Array(await whole);
}

function varints(bytes, n, signed) {
	const to = new Float64Array(n);
	for (let i = 0, p = 0, sum = 0; i < n; i++) {
		let v = bytes[p++];
		if (v > 127) {
			let b = v,
				scale = 1;
			v &= 127;
			do {
				b = bytes[p++];
				scale *= 128;
				v += (b & 127) * scale;
			} while (b > 127);
		}
		if (!signed) to[i] = v;
		else if (v < 0x40000000)
			// in integers, which is faster
			to[i] = sum += (v >> 1) ^ -(v & 1);
		else to[i] = sum += v % 2 ? -(v + 1) / 2 : v / 2;
	}
	return to;
}
const uint16s = (bytes) => new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);

let about, eventCount, firstTime; // the piece "about", parsed; firstTime is in ns
// One element for each event. eventTime is the event's end; eventDuration is 0 if it has no
// duration. eventShape indexes about.shapes, eventTask about.tasks, eventEndpoint about.endpoints;
// NONE: no such index.
let eventTime, eventDuration, eventShape, eventCpu, eventTask, eventEndpoint, eventFlags;
let ranksInShape = null;
const columns = new Map();

async function load() {
	const text = utf8.decode(await readPiece("about"));
	about = JSON.parse(text);
	about.exact = () => JSON.parse(text, reviveLarge); // slower, therefore only on demand
	eventCount = about.events;
	firstTime = BigInt(about.first);
	const [t, d, s, c, k, e, f] = await Promise.all(CORE.map(readPiece));
	eventTime = varints(t, eventCount, true);
	eventDuration = varints(d, eventCount, false);
	eventShape = uint16s(s);
	eventCpu = uint16s(c);
	eventTask = uint16s(k);
	eventEndpoint = uint16s(e);
	eventFlags = f;
	about.losses.forEach((l) => {
		l.from = Number(BigInt(l.from) - firstTime);
		l.to = Number(BigInt(l.to) - firstTime);
	});
	about.steps.forEach((x) => {
		x.at = Number(BigInt(x.at) - firstTime);
	});
}

// Returns the index of an event among the events of its shape.
function rankInShape(i) {
	if (!ranksInShape) {
		const seen = new Uint32Array(about.shapes.length);
		ranksInShape = new Uint32Array(eventCount);
		for (let k = 0; k < eventCount; k++) ranksInShape[k] = seen[eventShape[k]]++;
	}
	return ranksInShape[i];
}

// The values of one field as JSON, one per line. A million strings take a second and 100 MB, so
// bytes are converted to strings in blocks of LINES when needed. The last BLOCKS are kept, because
// the table and the search read sequentially.
const LINES = 256,
	BLOCKS = 4;
class Column {
	constructor(bytes, starts) {
		this.bytes = bytes;
		this.starts = starts; // offset of each block
		this.blocks = new Map();
	}
	static async of(bytes) {
		const starts = [0];
		for (
			let at = 0, n = 0, begin = performance.now();
			at < bytes.length;
			begin = await pause(begin)
		)
			for (const end = Math.min(bytes.length, at + (1 << 20)); at < end; at++)
				if (bytes[at] === 10 && ++n % LINES === 0) starts.push(at + 1);
		return new Column(bytes, starts);
	}
	text(r) {
		const k = Math.floor(r / LINES);
		let block = this.blocks.get(k);
		if (!block) {
			block = utf8
				.decode(this.bytes.subarray(this.starts[k], this.starts[k + 1]))
				.split("\n");
			if (this.blocks.size >= BLOCKS)
				this.blocks.delete(this.blocks.keys().next().value);
			this.blocks.set(k, block);
		}
		return block[r % LINES];
	}
}
const utf8 = new TextDecoder();
// Returns the values of a field, which are decompressed at the first call.
const column = (shape, key) => readColumn(`f${shape}_${key}`);
async function readColumn(id) {
	if (!columns.has(id)) columns.set(id, readPiece(id).then(Column.of));
	return columns.get(id);
}
// Decompresses columns while the page is idle, up to READY bytes, so that zooming does not wait for
// them.
const READY = 64 << 20;
async function readyColumns() {
	const idle = () => new Promise((ok) => (window.requestIdleCallback || setTimeout)(ok));
	let bytes = 0;
	for (const s of about.shapes.keys())
		for (let k = 0; k < about.shapes[s].keys.length && bytes < READY; k++) {
			await idle();
			bytes += (await column(s, k)).bytes.length;
		}
}
async function fieldsOf(i) {
	const shape = about.shapes[eventShape[i]],
		out = [];
	for (let k = 0; k < shape.keys.length; k++)
		out.push([
			shape.keys[k],
			JSON.parse(
				(await column(eventShape[i], k)).text(rankInShape(i)),
				reviveLarge,
			),
		]);
	return out;
}
// For JSON.parse(): integers above 2^53 become BigInt, since doubles would round them.
function reviveLarge(key, value, context) {
	return typeof value === "number" &&
		!Number.isSafeInteger(value) &&
		context &&
		/^-?\d+$/.test(context.source)
		? BigInt(context.source)
		: value;
}
const nameOf = (i) => about.names[about.shapes[eventShape[i]].name];
const sourceOf = (i) => about.sources[about.shapes[eventShape[i]].source];
function taskOf(i) {
	if (eventTask[i] === NONE) return null;
	const m = /^(-?\d+) (-?\d+) (.*)$/s.exec(about.tasks[eventTask[i]]);
	return m ? { pid: +m[1], tid: +m[2], comm: m[3] } : null;
}
