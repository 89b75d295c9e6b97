// SPDX-License-Identifier: MIT
// ---- one event ----------------------------------------------------------------------------------
function element(name, text, cls) {
	const e = document.createElement(name);
	if (text !== undefined) e.textContent = text;
	if (cls) e.className = cls;
	return e;
}
function twoColumns(pairs) {
	const t = element("table");
	for (const [k, v, cls] of pairs) {
		const r = element("tr"),
			h = element("th", k);
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
		const text = part
			.map((h) => {
				const c = parseInt(h, 16);
				return c >= 32 && c < 127 ? String.fromCharCode(c) : ".";
			})
			.join("");
		out.push(`${pad((p / 2).toString(16), 4)}  ${part.join(" ").padEnd(47)}  ${text}`);
	}
	return out.join("\n");
}
function flatten(prefix, v, out) {
	if (v && typeof v === "object" && !Array.isArray(v))
		for (const [k, x] of Object.entries(v))
			flatten(prefix ? `${prefix}.${k}` : k, x, out);
	else out.push([prefix, formatValue(v)]);
	return out;
}
// In these two events the kernel's field "sector" counts blocks of the buffer's size, not sectors.
function fieldNote(i, key, v, fields) {
	const size = (fields.find(([k]) => k === "size") || [])[1];
	return key === "sector" &&
		/^block:block_(dirty|touch)_buffer$/.test(nameOf(i)) &&
		size >= 512
		? `${v} (in blocks of ${size} bytes: sector ${(BigInt(v) * BigInt(size)) / 512n} of 512)`
		: v;
}
// Shows a pointer, a device number or an error as the text of the event does; others are unchanged.
function formatAsText(v, text) {
	const error = v < 0 && /(?:^| )ret=((-\d+) \(E\w+\))/.exec(text);
	if (error && Number(error[2]) === Number(v)) return error[1];
	if (
		(typeof v !== "number" && typeof v !== "bigint") ||
		v < 4096 ||
		!Number.isInteger(Number(v))
	)
		return v;
	const hex = v.toString(16),
		dev = `${Math.floor(Number(v) / 1048576)},${Number(v) % 1048576}`;
	if (text.includes("0x" + hex)) return `0x${hex}`;
	return new RegExp(`(^|[ =(])${dev}($|[ )])`).test(text) ? `${dev} (${v})` : v;
}
// Scrolls the table to the event and, unless look is false, the timeline.
function reveal(i, look) {
	if (look !== false && (eventTime[i] < from || eventTime[i] > to))
		setView(eventTime[i] - (to - from) / 2, eventTime[i] + (to - from) / 2);
	updateTable();
	const r = rowOf(i),
		a = topRow(),
		n = Math.floor(scroll.clientHeight / ROW) - 1;
	scrollTable(
		r < a || r >= a + n ? (Math.max(0, r - n / 2) * ROW) / scale() : scroll.scrollTop,
	);
}
// The rows of an event's table that every event can have.
function commonPairs(i) {
	const task = taskOf(i),
		took = eventDuration[i];
	const since = i
		? ` (${formatDuration(eventTime[i] - eventTime[i - 1])} after the event before)`
		: "";
	const pairs = [
		["time", `${formatTime(eventTime[i])}  +${formatDuration(eventTime[i])}${since}`],
		["source", sourceOf(i)],
	];
	if (eventCpu[i] !== NONE) pairs.push(["cpu", eventCpu[i]]);
	if (task) pairs.push(["task", `${task.comm} (tid ${task.tid}, pid ${task.pid})`]);
	if (took) pairs.push(["took_ns", `${took} (${formatDuration(took)})${often(i)}`]);
	if (eventFlags[i] & PROBLEM) pairs.push(["", "an error", "bad"]);
	return pairs;
}
// The rows of the fields; those that have a part of the page of their own are left out.
function fieldPairs(i, fields, text) {
	return fields
		.filter(([k]) => !["data", "site", "_text"].includes(k) && !isStack(k))
		.flatMap(([k, v]) =>
			flatten(k, fieldNote(i, k, formatAsText(v, text), fields), []),
		);
}
function stackText(v) {
	if (Array.isArray(v)) return v.map(formatValue).join("\n");
	return typeof v === "string" ? v : formatValue(v);
}
// The parts of the page that a site, data and a stack have.
function fieldParts([k, v]) {
	if (k === "site" && v)
		return [element("p", `${v.symbol || ""}  ${v.file ? `${v.file}:${v.line}` : ""}`)];
	if (k === "data" && typeof v === "string" && /^([0-9a-f]{2})+$/.test(v))
		return [element("pre", hexdump(v))];
	return isStack(k) ? [element("h3", k), element("pre", stackText(v))] : [];
}
async function select(i, look) {
	selected = i;
	dirty = true;
	if (i < 0) {
		$("status").textContent = "";
		drawRows();
		showOverview();
		return;
	}
	reveal(i, look);
	if ($("busy").checked) showLanes();
	revealLane(i);
	const fields = await fieldsOf(i),
		task = taskOf(i),
		box = $("details"),
		text = formatFields(fields);
	if (selected !== i) return;
	box.replaceChildren(
		element("h2", nameOf(i)),
		element("p", text),
		twoColumns([...commonPairs(i), ...fieldPairs(i, fields, text)]),
		...fields.flatMap(fieldParts),
	);
	const parts = [...(await eventList("began with", beginOf(i))), ...(await waitsOf(i))];
	if (selected !== i) return;
	box.append(...parts);
	if (eventFlags[i] & TRIGGER) box.append(...(await overview()));
	const line = [formatTime(eventTime[i]), nameOf(i), task ? task.comm : "", text];
	$("status").textContent = line.join(" ").slice(0, 400);
	showTab("details");
}
// Returns the event, if any, that began what event i ended: the one at that time whose name has the
// most letters in common with that of i.
function beginOf(i) {
	const at = eventTime[i] - eventDuration[i],
		found = [];
	if (!eventDuration[i] || eventEndpoint[i] !== NONE) return found;
	const common = (k) => [...nameOf(i)].findIndex((c, n) => c !== nameOf(k)[n]) >>> 0;
	for (let k = lowerBoundAll(at); k < i && eventTime[k] === at; k++)
		if (nameOf(k) !== nameOf(i) && common(k) >= nameOf(i).indexOf(":")) found.push(k);
	return found
		.sort(
			(a, b) =>
				(eventTask[b] === eventTask[i]) - (eventTask[a] === eventTask[i]) ||
				common(b) - common(a),
		)
		.slice(0, 1);
}
// Shows what the task of event i may have waited for: who woke it, and the longest operation of
// that task meanwhile; if no wake-ups were recorded, who may have held a lock.
async function waitsOf(i) {
	const wakers = await wakersOf(i),
		kept = new Set();
	for (const k of wakers) longestMeanwhile(eventTask[k], i).forEach((x) => kept.add(x));
	return [
		...(await eventList(
			"its task slept meanwhile, and was woken by these, the last first; " +
				"a task that releases a lock wakes who waits for it",
			wakers,
		)),
		...(await eventList("what the tasks that woke it did meanwhile, the longest", [
			...kept,
		])),
		...(wakers.length
			? []
			: await eventList(
					"others that began before it and ended just before its end: " +
						"one may have held what it waited for",
					holdersOf(i),
				)),
	];
}
// Returns the operation of a task that overlaps event i and took longest.
const OVERLAPS = 20000;
function longestMeanwhile(task, i) {
	const begin = eventTime[i] - eventDuration[i];
	let best = -1;
	for (let k = lowerBoundAll(begin), seen = 0; k < eventCount && seen < OVERLAPS; k++) {
		if (eventTask[k] !== task || !eventDuration[k]) continue;
		seen++;
		if (
			eventTime[k] - eventDuration[k] <= eventTime[i] &&
			(best < 0 || eventDuration[k] > eventDuration[best])
		)
			best = k;
	}
	return best < 0 ? [] : [best];
}
// Returns the last operations of other tasks that had begun before event i did, and ended at most
// JUST of its duration before its end; only of an event whose name says that it waits.
const HOLDERS = 3,
	JUST = 0.02,
	WAITS = /(^|[^c])lock|wait|futex|mutex/i;
function holdersOf(i) {
	const begin = eventTime[i] - eventDuration[i],
		found = [];
	if (!eventDuration[i] || eventTask[i] === NONE || !WAITS.test(nameOf(i))) return found;
	for (
		let k = i - 1, seen = 0;
		k >= 0 &&
		eventTime[k] >= eventTime[i] - eventDuration[i] * JUST &&
		found.length < HOLDERS &&
		seen < WAKINGS;
		k--, seen++
	)
		if (
			eventDuration[k] &&
			eventTask[k] !== eventTask[i] &&
			eventTask[k] !== NONE &&
			eventTime[k] - eventDuration[k] <= begin
		)
			found.push(k);
	return found;
}
// Returns the last events during event i in which another task woke its task: they show what it may
// have waited for. These are the kernel's sched_waking and sched_wakeup, made by the waking task;
// their field pid is the woken task.
const WAKERS = 5,
	WAKINGS = 200000;
async function wakersOf(i) {
	const task = taskOf(i),
		found = new Map();
	if (!task || !eventDuration[i]) return [];
	const shapes = new Map();
	for (const [s, shape] of about.shapes.entries())
		if (
			["sched:sched_waking", "sched:sched_wakeup"].includes(
				about.names[shape.name],
			) &&
			shape.keys.includes("pid")
		)
			shapes.set(s, await column(s, shape.keys.indexOf("pid")));
	for (
		let k = lowerBoundAll(eventTime[i] + 1) - 1, seen = 0;
		shapes.size &&
		k >= 0 &&
		eventTime[k] >= eventTime[i] - eventDuration[i] &&
		found.size < WAKERS &&
		seen < WAKINGS;
		k--
	) {
		const pids = shapes.get(eventShape[k]);
		if (!pids) continue;
		seen++;
		// If one waking has both events, keep the first: only that is made by the waking
		// task.
		if (eventTask[k] !== eventTask[i] && +pids.text(rankInShape(k)) === task.tid)
			found.set(`${eventTask[k]} ${Math.round(eventTime[k] / 1e5)}`, k);
	}
	return [...found.values()];
}
// Zooms to an operation, from its begin to its end with a margin; around an event without a
// duration, what is shown becomes a twentieth.
function zoomTo(i) {
	const d = eventDuration[i],
		margin = d ? Math.max(d * 0.1, 100) : (to - from) / 40;
	setView(eventTime[i] - d - margin, eventTime[i] + margin);
}
async function eventList(title, list) {
	const ul = element("ul");
	for (const i of list) {
		const li = element("li"),
			b = element(
				"button",
				(eventDuration[i]
					? `${formatDuration(eventDuration[i])}${often(i)}: `
					: "") + nameOf(i),
				"event",
			),
			task = taskOf(i);
		b.addEventListener("click", () => {
			select(i, false);
			zoomTo(i);
		});
		b.dataset.event = i;
		const who = task ? `${task.comm} ${task.tid} ` : "";
		const text = ` ${formatTime(eventTime[i])} ${who}${formatFields(await fieldsOf(i))}`;
		li.append(b, text.slice(0, 300));
		ul.append(li);
	}
	return list.length ? [element("h3", title), ul] : [];
}
// The overview: why the capture was saved, the first errors, the longest event of each kind, and
// outliers.
let firstLook = null;
const kindOf = (i) => eventShape[i] * 65536 + eventEndpoint[i];
function findFirst() {
	const by = new Map(),
		errors = [];
	for (let i = 0; i < eventCount; i++) {
		if (eventFlags[i] & PROBLEM && errors.length < 8) errors.push(i);
		if (eventDuration[i]) {
			const k = kindOf(i);
			if (!(eventDuration[i] <= eventDuration[by.get(k)])) by.set(k, i);
		}
	}
	const longest = [...by.values()].sort((a, b) => eventDuration[b] - eventDuration[a]);
	// The others that are outliers are ranked by how far they are from the median of their
	// kind, however short they are.
	const outliers = longest
		.splice(8)
		.filter((i) => timesMedian(i) >= OUTLIER)
		.sort((a, b) => timesMedian(b) - timesMedian(a));
	return { errors, longest, outliers: outliers.slice(0, 8) };
}
// Returns an event's duration as a multiple of the median of its kind; 0 if the kind has fewer than
// ENOUGH events. The median is taken from at most about SAMPLES of them.
const OUTLIER = 20,
	ENOUGH = 16,
	SAMPLES = 2048;
let medians = null;
function timesMedian(i) {
	if (!medians) {
		const counts = new Map(),
			lists = new Map();
		for (let k = 0; k < eventCount; k++)
			if (eventDuration[k])
				counts.set(kindOf(k), (counts.get(kindOf(k)) || 0) + 1);
		const seen = new Map();
		for (let k = 0; k < eventCount; k++) {
			if (!eventDuration[k]) continue;
			const kind = kindOf(k),
				n = seen.get(kind) || 0;
			seen.set(kind, n + 1);
			if (n % Math.ceil(counts.get(kind) / SAMPLES) === 0)
				(lists.get(kind) || lists.set(kind, []).get(kind)).push(
					eventDuration[k],
				);
		}
		medians = new Map(
			[...lists]
				.filter(([kind]) => counts.get(kind) >= ENOUGH)
				.map(([kind, l]) => [kind, l.sort((a, b) => a - b)[l.length >> 1]]),
		);
	}
	const m = medians.get(kindOf(i));
	return m ? eventDuration[i] / m : 0;
}
const often = (i) =>
	timesMedian(i) >= OUTLIER
		? ` (${formatCount(Math.round(timesMedian(i)))} times the median)`
		: "";
// Returns the values of the named fields of one event; undefined for a field that it does not have.
async function valuesOf(i, ...names) {
	const shape = about.shapes[eventShape[i]];
	return Promise.all(
		names.map(async (n) => {
			const k = shape.keys.indexOf(n);
			return k < 0
				? undefined
				: JSON.parse((await column(eventShape[i], k)).text(rankInShape(i)));
		}),
	);
}
// After a crash: the signals that mean a crash, and the last failed and the last of all events of
// the task that had the last of them.
const FATAL = [4, 5, 6, 7, 8, 11, 16, 31],
	SUSPECTS = 6,
	SUSPECTED = 200000;
async function suspects() {
	const signals = [],
		last = triggers.length ? triggers[triggers.length - 1] : eventCount - 1;
	const isSignal = about.shapes.map((s) =>
		/signal_(generate|deliver)$/.test(about.names[s.name]),
	);
	for (let i = last; i >= 0 && signals.length < SUSPECTS && last - i < SUSPECTED; i--)
		if (isSignal[eventShape[i]] && FATAL.includes((await valuesOf(i, "sig"))[0]))
			signals.unshift(i);
	const killed = /killed by SIG/.test(
		(about.end || {}).command || (about.end || {}).trigger || "",
	);
	const end = signals.length ? signals[signals.length - 1] : last;
	if (!(killed || signals.length) || end < 0 || eventTask[end] === NONE) return [];
	const own = [],
		failed = [];
	for (
		let i = end;
		i >= 0 &&
		(own.length < SUSPECTS || failed.length < SUSPECTS) &&
		end - i < SUSPECTED;
		i--
	) {
		if (eventTask[i] !== eventTask[end]) continue;
		if (own.length < SUSPECTS) own.unshift(i);
		if (failed.length < SUSPECTS && eventFlags[i] & FAILED) failed.unshift(i);
	}
	const who = taskOf(end);
	return [
		...(await eventList("signals of a crash", signals)),
		...(await eventList(`what failed before, in ${who.comm} ${who.tid}`, failed)),
		...(await eventList(`the last of ${who.comm} ${who.tid}`, own)),
	];
}
// If the command failed: how, and the last events before that, newest first, as the newest is the
// likeliest cause.
const LAST = 8;
async function failure() {
	const end = about.end || {},
		count = Math.min(eventCount, LAST);
	if (!end.exit_status || about.more) return [];
	const how =
		typeof end.command === "string" ? end.command : `exit status ${end.exit_status}`;
	return eventList(
		`the command failed: ${how}; the last events, newest first`,
		Array.from({ length: count }, (_, k) => eventCount - 1 - k),
	);
}
async function overview() {
	firstLook = firstLook || findFirst();
	return [
		...(await eventList("why this was saved", triggers.slice(-3))),
		...(await failure()),
		...(await suspects()),
		...(await eventList("the first errors", firstLook.errors)),
		...(await eventList("the longest of each kind", firstLook.longest)),
		...(await eventList(
			"others far from what is usual of their kind",
			firstLook.outliers,
		)),
	];
}
async function showOverview() {
	const parts = await overview();
	if (selected < 0)
		$("details").replaceChildren(
			element("p", "Select an event: click on it, or press ↓."),
			...standIns(),
			...parts,
		);
}
const isStack = (k) => /^(stack|stack_trace|kernel_stack|user_stack|backtrace)$/.test(k);
