// SPDX-License-Identifier: MIT
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

