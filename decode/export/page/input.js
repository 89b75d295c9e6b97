// SPDX-License-Identifier: MIT
// ---- mouse and keyboard -------------------------------------------------------------------------
function eventAtPoint(x, y) {
	const l = lanes[Math.floor((y - HEAD + laneScroll) / LANE)];
	if (y < HEAD || !l || !l.count) return -1;
	const t = timeAt(x),
		near = ((to - from) / (width - LABEL)) * 6;
	const { list, bars } = l,
		k = lowerBound(list, t);
	let best = -1;
	for (const j of [k - 1, k])
		if (
			list[j] !== undefined &&
			Math.abs(eventTime[list[j]] - t) <= near &&
			(best < 0 ||
				Math.abs(eventTime[list[j]] - t) < Math.abs(eventTime[best] - t))
		)
			best = list[j];
	for (
		let b = lowerBound(bars, t), j = b;
		best < 0 && j < Math.min(bars.length, b + 500);
		j++
	)
		if (eventTime[bars[j]] - eventDuration[bars[j]] <= t + near) best = bars[j];
	return best;
}
// Describes what is under the pointer: an event, or a lane by its full name.
let hovered = -1;
async function hover(x, y) {
	const l = lanes[Math.floor((y - HEAD + laneScroll) / LANE)],
		onLabel = x < LABEL && y >= HEAD && l && l.kind,
		i = x < LABEL ? -1 : eventAtPoint(x, y),
		tip = $("tip");
	hovered = i;
	if (i < 0 && !onLabel) {
		tip.hidden = true;
		return;
	}
	const text = i < 0 ? l.name : await tipText(i);
	if (hovered !== i) return; // the pointer has moved on
	tip.textContent = text;
	tip.hidden = false;
	const below = y + 18,
		above = y - tip.offsetHeight - 8;
	tip.style.left = `${Math.max(0, Math.min(x + 14, width - tip.offsetWidth))}px`;
	tip.style.top = `${below + tip.offsetHeight > height ? above : below}px`;
}
async function tipText(i) {
	const task = taskOf(i),
		took = eventDuration[i];
	return [
		nameOf(i) + (took ? `, ${formatDuration(took)}${often(i)}` : ""),
		formatTime(eventTime[i]) + (task ? ` ${task.comm} ${task.tid}` : ""),
		formatFields(await fieldsOf(i)).slice(0, 300),
	].join("\n");
}
canvas.addEventListener("pointerleave", () => hover(-1, -1));
let drag = null;
canvas.addEventListener("pointerdown", (e) => {
	hover(-1, -1);
	drag = {
		x: e.offsetX,
		y: e.offsetY,
		from,
		to,
		top: laneScroll,
		moved: false,
		measure: e.shiftKey,
	};
	canvas.setPointerCapture(e.pointerId);
});
canvas.addEventListener("pointermove", (e) => {
	if (!drag) {
		hover(e.offsetX, e.offsetY);
		return;
	}
	const dx = e.offsetX - drag.x,
		dy = e.offsetY - drag.y;
	if (Math.abs(dx) + Math.abs(dy) > 3) drag.moved = true;
	if (drag.measure) {
		measured = [timeAt(drag.x), timeAt(e.offsetX)];
		dirty = true;
		return;
	}
	if (!drag.moved) return;
	const w = drag.to - drag.from,
		by = (dx / (width - LABEL)) * w;
	scrollLanes(drag.top - dy);
	setView(drag.from - by, drag.to - by);
});
canvas.addEventListener("pointerup", (e) => {
	if (drag && !drag.moved) {
		measured = null;
		select(eventAtPoint(e.offsetX, e.offsetY), false);
	}
	drag = null;
});
canvas.addEventListener(
	"wheel",
	(e) => {
		e.preventDefault();
		if (e.ctrlKey || e.metaKey)
			zoom(Math.exp(e.deltaY / 300), timeAt(Math.max(LABEL, e.offsetX)));
		else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			setView(
				from + ((e.deltaX || e.deltaY) / 1000) * (to - from),
				to + ((e.deltaX || e.deltaY) / 1000) * (to - from),
			);
		else scrollLanes(laneScroll + e.deltaY);
	},
	{ passive: false },
);
function scrollLanes(y) {
	laneScroll = Math.max(0, Math.min(y, lanes.length * LANE - (height - HEAD) + LANE));
	dirty = true;
}
rows.addEventListener("click", (e) => {
	const row = e.target.closest("[data-event]");
	if (row) select(+row.dataset.event);
});
function selectInLane(by) {
	const list = lanes
		.filter((l) => l.count)
		.map((l) => l.list)
		.find((x) => selected >= 0 && x[indexInList(x, selected)] === selected);
	const k = list ? indexInList(list, selected) + by : -1;
	if (list && list[k] !== undefined) select(list[k]);
}
function selectNext(by) {
	if (selected < 0) return selectRow(rowAtTime(from));
	const r = rowOf(selected); // of an event that the table does not list: the row after it
	selectRow(by > 0 && eventAt(r) !== selected ? r : r + by);
}
function selectRow(r) {
	if (r >= 0 && r < rowCount()) select(eventAt(r));
}
const keys = {
	w: () => zoom(0.7),
	s: () => zoom(1 / 0.7),
	a: () => setView(from - (to - from) * 0.15, to - (to - from) * 0.15),
	d: () => setView(from + (to - from) * 0.15, to + (to - from) * 0.15),
	0: showAll,
	ArrowDown: () => selectNext(1),
	ArrowUp: () => selectNext(-1),
	ArrowLeft: () => selectNext(-1),
	ArrowRight: () => selectNext(1),
	",": () => selectInLane(-1),
	".": () => selectInLane(1),
	PageDown: () => scrollLanes(laneScroll + height / 2),
	PageUp: () => scrollLanes(laneScroll - height / 2),
	Home: () => selectRow(0),
	End: () => selectRow(rowCount() - 1),
	n: () => selectMatch(1),
	N: () => selectMatch(-1),
	l: copyLink,
	"/": () => $("query").focus(),
	"?": () => $("help").click(),
	Escape: () => {
		measured = null;
		select(-1);
	},
	f: () => {
		if (selected >= 0) zoomTo(selected);
	},
};
// Whether the focused element handles the key itself: letters in an input, arrows in a scrollable
// text.
function isTaken(e) {
	const scrolls = /^(Arrow|Page|Home|End)/.test(e.key);
	return (
		(e.target.tagName === "INPUT" && e.target.type !== "checkbox") ||
		(scrolls && e.target.closest("[role=tabpanel], [role=tablist], [role=separator]"))
	);
}
document.addEventListener("keydown", (e) => {
	if (e.ctrlKey || e.metaKey || e.altKey) return;
	if (isTaken(e)) {
		if (e.key === "Escape") canvas.focus();
		return;
	}
	const k = keys[e.key] || keys[e.key.toLowerCase()];
	if (!k) return;
	e.preventDefault();
	k();
});
const TABS = ["details", "counts", "latency", "capture"];
// Arrow keys select a tab and move the focus to it.
function tabKey(e) {
	const k = TABS.findIndex((t) => e.target.id === "tab-" + t);
	const to = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: TABS.length - 1 }[e.key];
	if (k < 0 || to === undefined) return;
	const next = TABS[(to + TABS.length) % TABS.length];
	e.preventDefault();
	showTab(next);
	$("tab-" + next).focus();
}
function splitAt(x) {
	const w = document.documentElement.clientWidth,
		at = Math.max(200, Math.min(x, w - 205));
	$("left").style.flexBasis = `${at}px`;
	$("left").style.flexGrow = 0;
	$("right").style.flexGrow = 1;
	$("split").setAttribute("aria-valuenow", Math.round((100 * at) / w));
	resize();
}
function splitKey(e) {
	const by = { ArrowLeft: -40, ArrowRight: 40 }[e.key];
	if (!by) return;
	e.preventDefault();
	splitAt($("split").getBoundingClientRect().left + by);
}
// Prints always use the light colours.
let onScreen = null;
function beforePrint() {
	const root = document.documentElement.classList;
	onScreen = root.contains("dark");
	root.remove("dark");
	readStyle();
	for (const f of [showCounts, showLatency, showCapture]) f();
	resize();
	draw();
}
function afterPrint() {
	document.documentElement.classList.toggle("dark", onScreen);
	readStyle();
	resize();
}
async function copyLink() {
	const url = new URL(location.href);
	url.hash =
		`t=${Math.round(from)}&w=${Math.round(to - from)}` +
		(selected >= 0 ? `&e=${selected}` : "") +
		($("query").value ? `&q=${encodeURIComponent($("query").value)}` : "");
	history.replaceState(null, "", url.hash);
	try {
		await navigator.clipboard.writeText(url.href);
		$("hint").textContent = "link copied";
	} catch (e) {
		$("hint").textContent =
			"the link is in the address bar (no access to the clipboard)";
	}
}
async function followLink() {
	const p = new URLSearchParams(location.hash.slice(1)),
		w = Number(p.get("w")),
		t = Number(p.get("t"));
	if (p.get("q")) {
		$("query").value = p.get("q");
		await search();
	}
	if (w > 0 && Number.isFinite(t)) setView(t, t + w);
	const e = Number(p.get("e"));
	if (p.has("e") && e >= 0 && e < eventCount && Number.isInteger(e)) select(e, false);
}
function splitDrag(e) {
	const split = $("split"),
		move = (m) => splitAt(m.clientX);
	split.setPointerCapture(e.pointerId);
	split.addEventListener("pointermove", move);
	split.addEventListener("pointerup", () => split.removeEventListener("pointermove", move), {
		once: true,
	});
}
function connect() {
	$("search").addEventListener("submit", (e) => {
		e.preventDefault();
		search();
	});
	for (const [id, fn] of [
		["in", () => zoom(0.6)],
		["out", () => zoom(1 / 0.6)],
		["all", showAll],
		["link", copyLink],
		["next", () => selectMatch(1)],
		["prev", () => selectMatch(-1)],
		[
			"theme",
			() => {
				document.documentElement.classList.toggle("dark");
				readStyle();
			},
		],
		[
			"help",
			() => {
				const k = $("keys");
				k.hidden = !k.hidden;
				$("help").setAttribute("aria-expanded", !k.hidden);
				resize();
			},
		],
	])
		$(id).addEventListener("click", fn);
	$("lanes").addEventListener("input", showLanes);
	$("busy").addEventListener("change", showLanes);
	$("only").addEventListener("change", () => {
		tableSize();
		tableFollow();
	});
	for (const t of TABS) $("tab-" + t).addEventListener("click", () => showTab(t));
	document.querySelector("[role=tablist]").addEventListener("keydown", tabKey);
	$("split").addEventListener("keydown", splitKey);
	$("split").addEventListener("pointerdown", splitDrag);
	const sizes = new ResizeObserver(() => {
		resize();
		tableSize();
	});
	for (const id of ["left", "scroll"]) sizes.observe($(id));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (m) => {
		document.documentElement.classList.toggle("dark", m.matches);
		readStyle();
	});
	addEventListener("hashchange", followLink);
	addEventListener("beforeprint", beforePrint);
	addEventListener("afterprint", afterPrint);
}
function eventsWith(flag) {
	const out = [];
	for (let i = 0; i < eventCount; i++) if (eventFlags[i] & flag) out.push(i);
	return out;
}
// The first picture is on the screen before anything else begins, unless the page is in the
// background.
const shown = () =>
	Promise.race([
		new Promise((ok) => requestAnimationFrame(() => setTimeout(ok))),
		new Promise((ok) => setTimeout(ok, 200)),
	]);
// The line below the title: what the page has, and what it lacks.
function aboutText() {
	const machine = about.machine || {};
	return [
		`${formatCount(eventCount)} events` +
			(about.more
				? ` (${formatCount(about.more)} more are not in this page)`
				: ""),
		eventCount ? `in ${formatDuration(eventTime[eventCount - 1])}` : "",
		about.nlosses
			? `${formatCount(about.nlosses)} times events were lost`
			: "nothing lost",
		machine.kernel,
		machine.distro,
		leftOut()
			? `${formatCount(leftOut())} were left out (${cutTexts().join("; ")})`
			: "",
		removed().length ? "redacted: texts are stand-ins" : "",
		about.verdict !== "complete" ? about.verdict : "",
	]
		.filter(Boolean)
		.join(" · ");
}
// What a program that drives the page can read. ready: ms until the first picture was drawn.
const remote = (ready) => ({
	ready,
	get draw() {
		return lastDraw;
	},
	get view() {
		return [from, to];
	},
	get marks() {
		return marks;
	},
	get bars() {
		return lanes.reduce((n, l) => n + (l.kind === "name" ? l.bars.length : 0), 0);
	},
	get selected() {
		return selected;
	},
	get matches() {
		return matches ? matches.length : -1;
	},
	events: eventCount,
	get lanes() {
		return lanes.filter((l) => l.kind).length;
	},
	get names() {
		return lanes.map((l) => l.name || l.title);
	},
	get tip() {
		return $("tip").hidden ? "" : $("tip").textContent;
	},
	get marked() {
		return lanes
			.filter((l) => selected >= 0 && isInLane(l, selected))
			.map((l) => l.name);
	},
	get markedInView() {
		return lanes
			.filter((l, k) => selected >= 0 && isInLane(l, selected) && isLaneInView(k))
			.map((l) => l.kind);
	},
	get titles() {
		return lanes.filter((l) => !l.kind).map((l) => l.title);
	},
	redraw() {
		draw();
		return lastDraw;
	},
});
async function start() {
	const begin = performance.now();
	document.documentElement.classList.toggle(
		"dark",
		matchMedia("(prefers-color-scheme: dark)").matches,
	);
	await load();
	endTime = Math.max(
		1,
		eventCount ? eventTime[eventCount - 1] : 1,
		...about.losses.slice(0, 1000).map((l) => Math.min(l.to, 1e16)),
	);
	makeLanes();
	triggers = eventsWith(TRIGGER);
	$("title").textContent = about.title;
	$("about").textContent = aboutText();
	readStyle();
	resize();
	connect();
	showAll();
	tableSize();
	draw();
	window.trawl = remote(performance.now() - begin);
	frame();
	await shown();
	const overviewShown = showOverview();
	if (triggers.length && !location.hash) await select(triggers[triggers.length - 1], false);
	await followLink();
	updateTable();
	await drawRows();
	await overviewShown;
	document.documentElement.dataset.ready = "yes";
	readyColumns();
}
start();
