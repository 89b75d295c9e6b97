// SPDX-License-Identifier: MIT
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
