// SPDX-License-Identifier: MIT
// ---- counts and latency -------------------------------------------------------------------------
function inView(fn) {
	const b = lowerAll(to + 1);
	for (let i = lowerAll(from); i < b; i++)
		fn(i);
	return b;
}
function showCounts() {
	const by = new Map(), bad = new Map();
	inView((i) => {
		const n = nameOf(i);
		by.set(n, (by.get(n) || 0) + 1);
		if (F[i] & PROBLEM)
			bad.set(n, (bad.get(n) || 0) + 1);
	});
	const t = element("table"), head = element("tr");
	for (const [h, c] of [["event", ""], ["in view", "n"], ["errors", "n"], ["a second", "n"]])
		head.append(element("th", h, c));
	t.append(head);
	for (const [n, c] of [...by].sort((a, b) => b[1] - a[1]).slice(0, 200)) {
		const r = element("tr");
		r.append(element("td", n), element("td", count(c), "n"), element("td", bad.has(n) ? count(bad.get(n)) : "", "n bad"),
			element("td", count(Math.round(c / (to - from) * 1e9)), "n"));
		t.append(r);
	}
	$("counts").replaceChildren(t);
}
function showLatency() {
	const by = new Map();
	inView((i) => {
		if (!D[i])
			return;
		const k = E[i] === NONE ? nameOf(i) : nameOf(i) + " " + A.endpoints[E[i]];
		if (!by.has(k))
			by.set(k, []);
		by.get(k).push(D[i]);
	});
	const box = $("latency");
	box.replaceChildren();
	if (!by.size)
		box.append(element("p", "Nothing in view has a beginning and an end."));
	for (const [name, list] of [...by].sort((a, b) => b[1].length - a[1].length).slice(0, 20)) {
		list.sort((a, b) => a - b);
		const at = (p) => span(list[Math.min(list.length - 1, Math.floor(p * list.length))]);
		box.append(element("h3", name), element("p", `${count(list.length)}: median ${at(.5)}, 99 % ${at(.99)}, longest ${span(list[list.length - 1])}`));
		const buckets = new Map();
		for (const v of list) {
			const k = Math.floor(Math.log2(v));
			buckets.set(k, (buckets.get(k) || 0) + 1);
		}
		const t = element("table"), most = Math.max(...buckets.values());
		for (let k = Math.min(...buckets.keys()); k <= Math.max(...buckets.keys()); k++) {
			const r = element("tr"), m = element("meter"), c = buckets.get(k) || 0, cell = element("td");
			m.max = most;
			m.value = c;
			m.textContent = c;
			cell.append(m);
			r.append(element("th", `${span(2 ** k)} –`, "n"), cell, element("td", count(c), "n"));
			t.append(r);
		}
		box.append(t);
	}
}
function showCapture() {
	const box = $("capture"), pairs = [["file", A.title], ["events", count(N) + (A.more ? `, ${count(A.more)} more are not in this page` : "")],
		["state", A.verdict], ["first", clock(0)], ["clocks", `read together within ${A.bound} ns`]];
	for (const [what, o] of [["machine", A.machine], ["capture", A.capture], ["end", A.end]])
		if (o)
			for (const [k, v] of flat(what, o, []))
				pairs.push([k, v]);
	A.edits.forEach((e) => pairs.push(["edited", value(e)]));
	box.replaceChildren(twoColumns(pairs));
	if (A.losses.length) {
		box.append(element("h3", `lost events: ${A.nlosses}`));
		box.append(twoColumns(A.losses.slice(0, 100).map((l) => [clock(l.from), `${l.source}${l.cpu < 0 ? "" : " cpu " + l.cpu}: ${l.count === null ? "an unknown number" : count(l.count)} (${l.reason}) in ${span(l.to - l.from)}`, "bad"])));
	}
}
function tab(name) {
	for (const t of ["details", "counts", "latency", "capture"]) {
		$(t).hidden = t !== name;
		$("tab-" + t).setAttribute("aria-selected", t === name);
		$("tab-" + t).tabIndex = t === name ? 0 : -1;
	}
	({ counts: showCounts, latency: showLatency, capture: showCapture }[name] || (() => {}))();
}

