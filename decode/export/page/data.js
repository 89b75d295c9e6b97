// SPDX-License-Identifier: MIT
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

