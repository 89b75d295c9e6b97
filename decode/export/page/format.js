// SPDX-License-Identifier: MIT
// ---- text output --------------------------------------------------------------------------------
const pad = (v, n) => String(v).padStart(n, "0");
function formatTime(t) {
	const ns = firstTime + BigInt(Math.round(t)),
		ms = Number(ns / 1000000n),
		d = new Date(ms);
	const clock = [d.getHours(), d.getMinutes(), d.getSeconds()]
		.map((n) => pad(n, 2))
		.join(":");
	return `${clock}.${pad(ns % 1000000000n, 9)}`;
}
function formatDuration(ns) {
	const a = Math.abs(ns);
	if (a >= 1e9) return (ns / 1e9).toFixed(3) + " s";
	if (a >= 1e6) return (ns / 1e6).toFixed(3) + " ms";
	return a >= 1e3 ? (ns / 1e3).toFixed(3) + " µs" : Math.round(ns) + " ns";
}
// A duration with three digits, for where there is little room.
function formatShort(ns) {
	const [unit, name] = [
			[1e9, "s"],
			[1e6, "ms"],
			[1e3, "µs"],
			[1, "ns"],
		].find(([u]) => ns >= u) || [1, "ns"],
		v = ns / unit;
	return `${v.toFixed(unit === 1 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2)} ${name}`;
}
// The label of a tick on the time axis, with as many digits as distinguish it from the next one.
function axisLabel(t, step) {
	const [unit, name] = [
		[1e9, "s"],
		[1e6, "ms"],
		[1e3, "µs"],
		[1, "ns"],
	].find(([u]) => Math.max(Math.abs(t), step) >= u) || [1, "ns"];
	const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
	return `${t < 0 ? "−" : "+"}${(Math.abs(t) / unit).toFixed(digits)} ${name}`;
}
// How many events trawl-edit left out of the capture by cuts.
const leftOut = () =>
	about.edits.reduce((n, e) => n + (e.operation === "cut" ? e.left_out || 0 : 0), 0);
// Describes in words which events each cut left out.
function cutTexts() {
	return about.edits
		.filter((e) => e.operation === "cut" && e.left_out)
		.map((e) =>
			[
				e.from_ns
					? `those before ${formatTime(Number(BigInt(e.from_ns) - firstTime))}`
					: "",
				e.until_ns
					? `those after ${formatTime(Number(BigInt(e.until_ns) - firstTime))}`
					: "",
				e.chosen ? "those that a condition did not choose" : "",
				e.every ? `all but every ${e.every}th` : "",
				e.max_size
					? `the farthest from what matters, to stay under ${formatCount(e.max_size)} bytes`
					: "",
				e.max_events
					? `those after the first ${formatCount(e.max_events)}`
					: "",
			]
				.filter(Boolean)
				.join(", "),
		);
}
const removed = () =>
	about.edits
		.filter((e) => e.operation === "redact")
		.flatMap((e) => Object.keys(e.removed || {}));
const formatCount = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
function formatValue(v) {
	if (v === null) return "–";
	if (typeof v === "string") return /^[\w./:*%@+-]+$/.test(v) ? v : JSON.stringify(v);
	if (typeof v === "object")
		return Array.isArray(v)
			? "[" + v.map(formatValue).join(" ") + "]"
			: "{" +
					Object.entries(v)
						.map(([k, x]) => `${k}=${formatValue(x)}`)
						.join(" ") +
					"}";
	return String(v);
}
const HIDDEN = new Set([
	"__probe_ip",
	"__probe_func",
	"__probe_ret_ip",
	"data",
	"submit_ns",
	"latency_ns",
	"site",
]);
function formatFields(fields) {
	const text = fields.find(([k]) => k === "_text");
	if (text) return text[1];
	return fields
		.filter(([k]) => !HIDDEN.has(k))
		.map(([k, v]) => `${k}=${formatValue(v)}`)
		.join(" ");
}
