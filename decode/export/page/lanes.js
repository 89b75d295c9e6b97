// SPDX-License-Identifier: MIT
// ---- lanes --------------------------------------------------------------------------------------
const LANE = 22,
	HEAD = 64,
	LABEL = 190;
let lanes = [],
	allLanes = []; // those that the filter shows; all. One with a title heads a group.

// The number of events with each value of a column of 16 bits.
function countValues(column) {
	const counts = new Uint32Array(NONE + 1);
	for (let i = 0; i < column.length; i++) counts[column[i]]++;
	return counts;
}
// A lane has .count events, and .list of them in order of time. The lists of a group are made
// together when the first is needed, the .bars of a lane when it is drawn; for most lanes that is
// after the first picture.
class Lane {
	constructor(kind, name, count, group, number) {
		Object.assign(this, { kind, name, count, group, number, device: "", made: null });
	}
	get list() {
		return this.group ? this.group.list(this.number) : NO_EVENTS;
	}
	get bars() {
		return (this.made = this.made || makeBars(this)).bars;
	}
	get most() {
		return (this.made = this.made || makeBars(this)).most;
	}
}
const NO_EVENTS = new Uint32Array(0);
// A disk's request ends in an interrupt or in a kernel worker: its bar is in the lane of the task
// that issued it, which may wait for it. Two maps: from such an event to that task, and from a task
// to such events, in order of time.
const BEGIN_OF = {
	"block:block_bio_complete": "block:block_bio_queue",
	"block:block_rq_complete": "block:block_rq_issue",
};
let issuers = null,
	issued = null;
function findIssuers() {
	issuers = new Map();
	issued = new Map();
	// of each shape, the number of the name that begins what it ends; -1: it ends no request
	const begins = about.shapes.map((s) => about.names.indexOf(BEGIN_OF[about.names[s.name]])),
		n = begins.some((b) => b >= 0) ? eventCount : 0;
	for (let i = 0; i < n; i++) {
		const begin = begins[eventShape[i]],
			at = eventTime[i] - eventDuration[i];
		if (begin < 0 || !eventDuration[i]) continue;
		let k = lowerBoundAll(at);
		while (k < i && eventTime[k] === at && about.shapes[eventShape[k]].name !== begin)
			k++;
		const task = k < i && eventTime[k] === at ? eventTask[k] : NONE;
		if (task === NONE || task === eventTask[i]) continue;
		issuers.set(i, task);
		if (!issued.has(task)) issued.set(task, []);
		issued.get(task).push(i);
	}
}
// Returns the task in whose lane the bar of event i is.
function barTask(i) {
	if (!issuers) findIssuers();
	return issuers.has(i) ? issuers.get(i) : eventTask[i];
}
// Returns the events with bars in a lane of a task.
function taskBars(l) {
	if (!issuers) findIssuers();
	if (!issuers.size) return l.list;
	const own = l.list.filter((i) => barTask(i) === l.number),
		others = issued.get(l.number) || [],
		all = new Uint32Array(own.length + others.length);
	all.set(own);
	all.set(others, own.length);
	return all.sort();
}
// The lanes among which the values of one column distribute the events. laneOf maps each value to
// the number of its lane; NONE: no lane.
class Group {
	constructor(column, counts, laneOf, nlanes) {
		Object.assign(this, {
			column,
			laneOf,
			ends: new Uint32Array(nlanes + 1),
			events: null,
		});
		for (let v = 0; v < NONE; v++)
			if (counts[v] && laneOf[v] !== NONE) this.ends[laneOf[v] + 1] += counts[v];
		for (let k = 0; k < nlanes; k++) this.ends[k + 1] += this.ends[k];
	}
	count(k) {
		return this.ends[k + 1] - this.ends[k];
	}
	list(k) {
		this.events = this.events || sortByLane(this.column, this.laneOf, this.ends);
		return this.events.subarray(this.ends[k], this.ends[k + 1]);
	}
}
function sortByLane(column, laneOf, ends) {
	const next = Uint32Array.from(ends),
		events = new Uint32Array(ends[ends.length - 1]);
	for (let i = 0; i < column.length; i++) {
		const k = laneOf[column[i]];
		if (k !== NONE) events[next[k]++] = i;
	}
	return events;
}
// Each value has a lane of its own.
const EACH = Uint16Array.from({ length: NONE + 1 }, (_, v) => v);
function partition(column, counts, laneOf, nlanes, kind, label) {
	const group = new Group(column, counts, laneOf, nlanes),
		out = [];
	for (let k = 0; k < nlanes; k++)
		if (group.count(k)) out.push(new Lane(kind, label(k), group.count(k), group, k));
	return out;
}

function endpointName(t) {
	const [device, number, direction] = t.split(" ");
	return !direction
		? t
		: direction === "control"
			? `${device} control`
			: `${device} ep${number} ${direction}`;
}
function taskName(t) {
	const m = /^(-?\d+) (-?\d+) (.*)$/s.exec(t);
	return `${m[3] || "?"} ${m[2]}`;
}
// Returns two maps from shape to lane: the lanes by name, which hold every event, and the lanes of
// probes, which leave out the kernel's events and those of USB endpoints.
function lanesOfShapes() {
	const names = new Uint16Array(NONE + 1).fill(NONE),
		probes = names.slice();
	about.shapes.forEach((s, k) => {
		names[k] = s.name;
		const [source] = about.sources[s.source].split("@"); // it may be NAME@MACHINE
		if (!["event", "eprobe", "task"].includes(source))
			probes[k] = s.name;
	});
	if (about.endpoints.length)
		for (let i = 0; i < eventCount; i++)
			if (eventEndpoint[i] !== NONE) probes[eventShape[i]] = NONE;
	return [names, probes];
}
// Returns the lanes of each device's endpoints, by the title of the device. The title has several
// names if the address was given to another device later.
function lanesOfDevices() {
	const names = new Map(),
		devices = new Map();
	for (const text of about.devices) {
		const [address] = text.split(" ", 1),
			name = text.slice(address.length + 1);
		names.set(
			address,
			names.has(address) ? `${names.get(address)}, then ${name}` : name,
		);
	}
	const lanes = about.endpoints.length
		? partition(
				eventEndpoint,
				countValues(eventEndpoint),
				EACH,
				about.endpoints.length,
				"usb",
				(k) => endpointName(about.endpoints[k]),
			)
		: [];
	for (const lane of lanes.sort((a, b) =>
		a.name.localeCompare(b.name, "en", { numeric: true }),
	)) {
		const [address] = lane.name.split(" ", 1);
		lane.device = `USB ${address} ${names.get(address) || ""}`.trim();
		devices.set(lane.device, [...(devices.get(lane.device) || []), lane]);
	}
	return devices;
}
// Returns an order of lanes: those with errors first, then by their longest operation, then by the
// number of events; the kernel's idle tasks, which are busiest in a trace of the scheduler, last.
function notable(column, laneOf) {
	const bad = new Uint8Array(NONE + 1),
		longest = new Float64Array(NONE + 1);
	for (let i = 0; i < eventCount; i++) {
		const k = laneOf[column[i]],
			d = eventDuration[i],
			bar = d && column === eventTask ? laneOf[barTask(i)] : k;
		bad[k] |= eventFlags[i] & PROBLEM;
		if (d > longest[bar]) longest[bar] = d;
	}
	const idle = (l) => l.kind === "task" && /^swapper\/\d+ 0$/.test(l.name);
	return (a, b) =>
		idle(a) - idle(b) ||
		bad[b.number] - bad[a.number] ||
		longest[b.number] - longest[a.number] ||
		b.count - a.count;
}
function makeLanes() {
	const add = (title, more, sort) => {
		if (!more.length) return;
		if (sort) more.sort(sort);
		allLanes.push({ title, count: 0 }, ...more);
	};
	const [names, probes] = lanesOfShapes(),
		byName = notable(eventShape, names),
		byProbe = notable(eventShape, probes);
	const byTask = notable(eventTask, EACH);
	const cpus = countValues(eventCpu),
		tasks = countValues(eventTask),
		shapes = countValues(eventShape);
	if (about.losses.length)
		allLanes.push(
			{ title: "lost events", count: 0 },
			new Lane("loss", "losses", about.nlosses, null, 0),
		);
	for (const [title, endpoints] of lanesOfDevices()) add(title, endpoints);
	add(
		"processors",
		partition(eventCpu, cpus, EACH, NONE, "cpu", (k) => `cpu ${k}`),
	);
	add(
		"probes",
		partition(
			eventShape,
			shapes,
			probes,
			about.names.length,
			"probe",
			(k) => about.names[k],
		),
		byProbe,
	);
	add(
		"tasks",
		partition(eventTask, tasks, EACH, about.tasks.length, "task", (k) =>
			taskName(about.tasks[k]),
		),
		byTask,
	);
	add(
		"events",
		partition(
			eventShape,
			shapes,
			names,
			about.names.length,
			"name",
			(k) => about.names[k],
		),
		byName,
	);
	filterLanes("");
	$("table").classList.toggle(
		"bare",
		cpus[NONE] === eventCount && tasks[NONE] === eventCount,
	);
}
// Whether event i, or its bar, is in a lane.
function isInLane(l, i) {
	if (l.kind === "cpu") return eventCpu[i] === l.number;
	if (l.kind === "usb") return eventEndpoint[i] === l.number;
	if (l.kind === "task") return [eventTask[i], barTask(i)].includes(l.number);
	return ["name", "probe"].includes(l.kind) && about.shapes[eventShape[i]].name === l.number;
}
// Whether a lane shows an event, a bar or a loss between two times.
function hasInView(l, a, b) {
	if (l.kind === "loss") return about.losses.some((x) => x.to >= a && x.from <= b);
	const { list, bars } = l,
		k = lowerBound(list, a);
	if (k < list.length && eventTime[list[k]] <= b) return true;
	for (let j = lowerBound(bars, a); j < bars.length; j++)
		if (l.most[j >> 6] < eventTime[bars[j]] - b)
			j |= 63; // the whole group begins after the view
		else if (eventTime[bars[j]] - eventDuration[bars[j]] <= b) return true;
	return false;
}
// Scrolls to the lane that is most specific for event i, unless one of this kind is in view.
function revealLane(i) {
	const find = (kinds) =>
			kinds
				.map((kind) =>
					lanes.findIndex((l) => l.kind === kind && isInLane(l, i)),
				)
				.filter((k) => k >= 0),
		own = find(["usb", "task", "probe"]),
		found = own.length ? own : find(["name", "cpu"]);
	if (found.length && !found.some(isLaneInView))
		scrollLanes(found[0] * LANE - (height - HEAD - LANE) / 2);
}
const isLaneInView = (k) =>
	k * LANE >= laneScroll && (k + 1) * LANE - laneScroll <= height - HEAD;
// Shows the lanes whose names contain the text, or of these only those with events in view; each
// group's title counts those shown and all.
const showLanes = () => filterLanes($("lanes").value, $("busy").checked);
function filterLanes(text, inView) {
	const low = text.trim().toLowerCase();
	lanes = [];
	for (let a = 0, b; a < allLanes.length; a = b) {
		for (b = a + 1; b < allLanes.length && !allLanes[b].title;) b++;
		const all = allLanes.slice(a + 1, b),
			some = all.filter(
				(l) =>
					`${l.device} ${l.name}`.toLowerCase().includes(low) &&
					(!inView || hasInView(l, from, to)),
			);
		const size = allLanes[a].title === "lost events" ? about.nlosses : all.length;
		const part = low || inView ? `${formatCount(some.length)} of ` : "";
		if (some.length)
			lanes.push(
				{ title: `${allLanes[a].title} (${part}${formatCount(size)})` },
				...some,
			);
	}
	scrollLanes(laneScroll);
}
