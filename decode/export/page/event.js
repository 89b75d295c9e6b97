// SPDX-License-Identifier: MIT
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

