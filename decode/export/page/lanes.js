// SPDX-License-Identifier: MIT
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

