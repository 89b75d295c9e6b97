// SPDX-License-Identifier: MIT
// ---- the table ----------------------------------------------------------------------------------
const ROW = 19, MOST = 8e6;               // browsers have no elements of 20 million pixels
const scroll = $("scroll"), rows = $("rows");
let placed = -1, ticket = 0;              // where the program scrolled to: no hand did
const listed = () => $("only").checked && matches ? matches : null;
const nrows = () => (listed() || { length: N }).length;
const eventAt = (r) => (listed() ? listed()[r] : r);
const rowOf = (i) => (listed() ? lowerOf(listed(), i) : i);
const scale = () => Math.max(1, nrows() * ROW / MOST);

function tableSize() {
	// at the end of the scroll bar the last row is the last that is whole
	$("space").style.height = `${scroll.clientHeight + Math.max(0, nrows() - Math.floor(scroll.clientHeight / ROW)) * ROW / scale()}px`;
	$("table").setAttribute("aria-rowcount", nrows() + 1);
	place(scroll.scrollTop);
}
function place(y) {
	scroll.scrollTop = y;
	placed = scroll.scrollTop;
	drawRows();
}
// The table begins where the timeline does; a selected event that the timeline shows stays in it.
function tableFollow() {
	const r = Math.min(lowerAllRows(from), Math.max(0, nrows() - 1)), n = Math.floor(scroll.clientHeight / ROW) - 1;
	const s = selected >= 0 && T[selected] >= from && T[selected] <= to ? rowOf(selected) : r;
	place((s < r || s >= r + n ? Math.max(0, s - n / 2) : r) * ROW / scale());
}
function lowerAllRows(t) {
	return listed() ? lower(listed(), t) : lowerAll(t);
}
function topRow() {
	return Math.min(Math.floor(scroll.scrollTop * scale() / ROW + .01), Math.max(0, nrows() - 1));
}
async function drawRows() {
	const n = Math.ceil(scroll.clientHeight / ROW) + 1, a = topRow(), mine = ++ticket;
	const many = [];
	for (let r = a; r < Math.min(a + n, nrows()); r++)
		many.push(eventAt(r));
	const texts = await Promise.all(many.map(fieldsOf)), letters = Math.floor($("heads").children[3].clientWidth / 7.25);
	if (mine !== ticket)
		return;
	const made = many.map((i, k) => {
		const row = document.createElement("div"), task = taskOf(i);
		row.className = "row" + (F[i] & PROBLEM ? " problem" : "") + (i === selected ? " selected" : "") +
			(T[i] < from || T[i] > to ? " outside" : "") + (matches && isMatch(i) ? " match" : "");
		row.setAttribute("role", "row");
		row.setAttribute("aria-rowindex", a + k + 2);
		row.setAttribute("aria-selected", i === selected);
		row.dataset.event = i;
		for (const [text, cls, whole] of [[clock(T[i]), ""], [C[i] === NONE ? "" : C[i], "number"], [task ? `${task.comm} ${task.tid}` : "", ""],
			[ending(nameOf(i), Math.max(6, letters)), "", nameOf(i)], [D[i] ? span(D[i]) : "", "number"], [line(texts[k]), ""]]) {
			const cell = document.createElement("span");
			cell.setAttribute("role", "gridcell");
			cell.className = cls;
			cell.textContent = text;
			if (whole)
				cell.title = whole;
			row.append(cell);
		}
		row.lastChild.title = row.lastChild.textContent;
		return row;
	});
	rows.replaceChildren(...made);
}
// The place of event i in a list, or of the first after it.
function lowerOf(list, i) {
	let a = 0, b = list.length;
	while (a < b) {
		const m = (a + b) >> 1;
		if (list[m] < i)
			a = m + 1;
		else
			b = m;
	}
	return a;
}
const isMatch = (i) => matches[lowerOf(matches, i)] === i;
scroll.addEventListener("scroll", () => {
	drawRows();
	if (scroll.scrollTop === placed)
		return;
	placed = -1;
	const i = eventAt(topRow());
	if (i !== undefined && (T[i] < from || T[i] > to))
		show(T[i] - (to - from) * .1, T[i] + (to - from) * .9, true);
	else if (i !== undefined && to - from < end)
		show(T[i], T[i] + to - from, true);
});

