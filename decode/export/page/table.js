// SPDX-License-Identifier: MIT
// ---- the table ----------------------------------------------------------------------------------
const ROW = 19,
	MAX_HEIGHT = 8e6; // browsers limit the height of an element to about 20 million pixels
const scroll = $("scroll"),
	rows = $("rows");
let scrolledTo = -1; // set by the program, to distinguish its own scrolling from the user's
let drawVersion = 0; // counts calls of drawRows(): only the last one may change the table
const listedMatches = () => ($("only").checked && matches ? matches : null);
const rowCount = () => (listedMatches() || { length: eventCount }).length;
const eventAt = (r) => (listedMatches() ? listedMatches()[r] : r);
const rowOf = (i) => (listedMatches() ? indexInList(listedMatches(), i) : i);
const scale = () => Math.max(1, (rowCount() * ROW) / MAX_HEIGHT);

function tableSize() {
	// The height is such that at the end of the scroll bar the last event is the last complete
	// row.
	const below = Math.max(0, rowCount() - Math.floor(scroll.clientHeight / ROW));
	$("space").style.height = `${scroll.clientHeight + (below * ROW) / scale()}px`;
	$("table").setAttribute("aria-rowcount", rowCount() + 1);
	scrollTable(scroll.scrollTop);
}
function scrollTable(y) {
	scroll.scrollTop = y;
	scrolledTo = scroll.scrollTop;
	drawRows();
}
// Scrolls the table to the start of the timeline; a selected event that is in view stays visible.
function tableFollow() {
	const r = Math.min(rowAtTime(from), Math.max(0, rowCount() - 1)),
		n = Math.floor(scroll.clientHeight / ROW) - 1;
	const s =
		selected >= 0 && eventTime[selected] >= from && eventTime[selected] <= to
			? rowOf(selected)
			: r;
	scrollTable(((s < r || s >= r + n ? Math.max(0, s - n / 2) : r) * ROW) / scale());
}
function rowAtTime(t) {
	return listedMatches() ? lowerBound(listedMatches(), t) : lowerBoundAll(t);
}
function topRow() {
	return Math.min(
		Math.floor((scroll.scrollTop * scale()) / ROW + 0.01),
		Math.max(0, rowCount() - 1),
	);
}
// Returns the time without events before row r if it is long enough to be marked by a line, else 0.
const GAP_PART = 50,
	GAP_TIMES = 100;
function gapBefore(r) {
	const i = eventAt(r),
		before = r > 0 ? eventAt(r - 1) : -1;
	const gap = before < 0 ? 0 : eventTime[i] - eventTime[before],
		usual = endTime / Math.max(1, rowCount());
	return gap > endTime / GAP_PART && (gap > GAP_TIMES * usual || rowCount() < 2 * GAP_TIMES)
		? gap
		: 0;
}
// A name that is too long loses its provider or group first, then its begin, because its end is
// more specific.
function cutName(name, n) {
	const own = name.length <= n ? name : name.slice(name.lastIndexOf(":") + 1);
	return own.length <= n ? own : "…" + own.slice(1 - n);
}
function makeRow() {
	const row = element("div", undefined, "row");
	row.setAttribute("role", "row");
	for (const cls of ["", "number", "", "", "number", ""]) {
		const cell = element("span", "", cls);
		cell.setAttribute("role", "gridcell");
		row.append(cell);
	}
	return row;
}
// Shows event i, which is in row r of the table. An existing element is reused, which is faster
// than making a new one.
function fillRow(row, r, i, fields, letters) {
	const task = taskOf(i),
		gap = gapBefore(r),
		name = nameOf(i),
		text = formatFields(fields);
	row.className =
		"row" +
		(eventFlags[i] & PROBLEM ? " problem" : "") +
		(eventFlags[i] & FAILED ? " failed" : "") +
		(i === selected ? " selected" : "") +
		(gap ? " pause" : "") +
		(eventTime[i] < from || eventTime[i] > to ? " outside" : "") +
		(matches && isMatch(i) ? " match" : "");
	row.title = gap
		? `${formatDuration(gap)} without ${listedMatches() ? "a match" : "an event"} before this one`
		: "";
	row.lastChild.dataset.pause = gap ? `gap ${formatShort(gap)}` : "";
	row.setAttribute("aria-rowindex", r + 2);
	row.setAttribute("aria-selected", i === selected);
	row.dataset.event = i;
	row.id = "event-" + i;
	[
		formatTime(eventTime[i]),
		eventCpu[i] === NONE ? "" : String(eventCpu[i]),
		task ? `${task.comm} ${task.tid}` : "",
		cutName(name, Math.max(6, letters)),
		eventDuration[i] ? formatShort(eventDuration[i]) : "",
		text,
	].forEach((v, k) => {
		const cell = row.children[k];
		if (cell.textContent !== v) cell.textContent = v;
	});
	row.children[3].title = name;
	row.children[5].title = text;
}
async function drawRows() {
	const n = Math.ceil(scroll.clientHeight / ROW) + 1,
		a = topRow(),
		mine = ++drawVersion;
	const many = [];
	for (let r = a; r < Math.min(a + n, rowCount()); r++) many.push(eventAt(r));
	const texts = await Promise.all(many.map(fieldsOf)),
		letters = Math.floor($("heads").children[3].clientWidth / 7.25);
	if (mine !== drawVersion) return;
	while (rows.children.length > many.length) rows.lastChild.remove();
	while (rows.children.length < many.length) rows.append(makeRow());
	many.forEach((i, k) => fillRow(rows.children[k], a + k, i, texts[k], letters));
	if (many.includes(selected))
		$("table").setAttribute("aria-activedescendant", "event-" + selected);
	else $("table").removeAttribute("aria-activedescendant");
}
// Returns the index of event i in a sorted list, or of the first event after it.
function indexInList(list, i) {
	let a = 0,
		b = list.length;
	while (a < b) {
		const m = (a + b) >> 1;
		if (list[m] < i) a = m + 1;
		else b = m;
	}
	return a;
}
const isMatch = (i) => matches[indexInList(matches, i)] === i;
scroll.addEventListener("scroll", () => {
	if (scroll.scrollTop === scrolledTo) return;
	drawRows();
	scrolledTo = -1;
	const i = eventAt(topRow());
	if (i !== undefined && (eventTime[i] < from || eventTime[i] > to))
		setView(eventTime[i] - (to - from) * 0.1, eventTime[i] + (to - from) * 0.9, true);
	else if (i !== undefined && to - from < endTime)
		setView(eventTime[i], eventTime[i] + to - from, true);
});
