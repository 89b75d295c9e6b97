// SPDX-License-Identifier: MIT
// ---- counts and latency -------------------------------------------------------------------------
function inView(fn) {
	const b = lowerBoundAll(to + 1);
	for (let i = lowerBoundAll(from); i < b; i++) fn(i);
	return b;
}
function showCounts() {
	const by = new Map(),
		bad = new Map();
	inView((i) => {
		const n = nameOf(i);
		by.set(n, (by.get(n) || 0) + 1);
		if (eventFlags[i] & FAILED) bad.set(n, (bad.get(n) || 0) + 1);
	});
	const t = element("table"),
		head = element("tr");
	for (const [h, c] of [
		["event", ""],
		["in view", "n"],
		["errors", "n"],
		["a second", "n"],
	])
		head.append(element("th", h, c));
	t.append(head);
	for (const [n, c] of [...by].sort((a, b) => b[1] - a[1]).slice(0, 200)) {
		const r = element("tr");
		r.append(
			element("td", n),
			element("td", formatCount(c), "n"),
			element("td", bad.has(n) ? formatCount(bad.get(n)) : "", "n bad"),
			element("td", formatCount(Math.round((c / (to - from)) * 1e9)), "n"),
		);
		t.append(r);
	}
	$("counts").replaceChildren(t);
}
function showLatency() {
	const by = new Map();
	inView((i) => {
		if (!eventDuration[i]) return;
		const k =
			eventEndpoint[i] === NONE
				? nameOf(i)
				: nameOf(i) + " " + about.endpoints[eventEndpoint[i]];
		if (!by.has(k)) by.set(k, []);
		by.get(k).push(eventDuration[i]);
	});
	const box = $("latency");
	box.replaceChildren(element("p", "Of the events in view:"));
	if (!by.size) box.replaceChildren(element("p", "No event in view has a duration."));
	for (const [name, list] of [...by].sort((a, b) => b[1].length - a[1].length).slice(0, 20)) {
		list.sort((a, b) => a - b);
		const at = (p) =>
			formatDuration(
				list[Math.min(list.length - 1, Math.floor(p * list.length))],
			);
		box.append(
			element("h3", name),
			element(
				"p",
				`${formatCount(list.length)}: median ${at(0.5)}, 99 % ${at(0.99)}, ` +
					`longest ${formatDuration(list[list.length - 1])}`,
			),
		);
		const buckets = new Map();
		for (const v of list) {
			const k = Math.floor(Math.log2(v));
			buckets.set(k, (buckets.get(k) || 0) + 1);
		}
		const t = element("table"),
			most = Math.max(...buckets.values());
		for (let k = Math.min(...buckets.keys()); k <= Math.max(...buckets.keys()); k++) {
			const r = element("tr"),
				m = element("meter"),
				c = buckets.get(k) || 0,
				cell = element("td");
			m.max = most;
			m.value = c;
			m.textContent = c;
			cell.append(m);
			r.append(
				element("th", `${formatDuration(2 ** k)} –`, "n"),
				cell,
				element("td", formatCount(c), "n"),
			);
			t.append(r);
		}
		box.append(t);
	}
}
// Says which texts of a redacted capture are stand-ins, so that nobody takes one for a real name.
function standIns() {
	const classes = [...new Set(removed())];
	return classes.length
		? [
				element(
					"p",
					`Redacted: ${classes.join(", ")}. Texts of these classes are stand-ins, ` +
						"letters and digits of the same length; the same text has " +
						"the same one everywhere. Data of transfers are zeros, " +
						"addresses are moved.",
				),
			]
		: [];
}
function showCapture() {
	const box = $("capture"),
		pairs = [
			["file", about.title],
			[
				"events",
				formatCount(eventCount) +
					(about.more
						? `, ${formatCount(about.more)} more are not in this page`
						: ""),
			],
			["state", about.verdict],
			["first", formatTime(0)],
			[
				"clocks",
				about.bound
					? `read together within ${about.bound} ns`
					: "were not read together",
			],
		];
	cutTexts().forEach((text) => pairs.push(["left out by a cut", text]));
	const exact = about.exact();
	for (const what of ["machine", "capture", "end"])
		if (exact[what])
			for (const [k, v] of flatten(what, exact[what], [])) pairs.push([k, v]);
	exact.edits.forEach((e) => pairs.push(["edited", formatValue(e)]));
	box.replaceChildren(...standIns(), twoColumns(pairs));
	if (about.losses.length) {
		box.append(element("h3", `lost events: ${about.nlosses}`));
		box.append(
			twoColumns(
				about.losses
					.slice(0, 100)
					.map((l) => [
						formatTime(l.from),
						`${l.source}${l.cpu < 0 ? "" : " cpu " + l.cpu}: ` +
							(l.count === null
								? "an unknown number"
								: formatCount(l.count)) +
							` (${l.reason}) in ${formatDuration(l.to - l.from)}`,
						"bad",
					]),
			),
		);
	}
}
const PANELS_OF_VIEW = { counts: showCounts, latency: showLatency };
// Fills the open panel again if it depends on which part of the capture is in view.
function updatePanel() {
	for (const [name, show] of Object.entries(PANELS_OF_VIEW)) if (!$(name).hidden) show();
}
function showTab(name) {
	for (const t of TABS) {
		$(t).hidden = t !== name;
		$("tab-" + t).setAttribute("aria-selected", t === name);
		$("tab-" + t).tabIndex = t === name ? 0 : -1;
	}
	(({ ...PANELS_OF_VIEW, capture: showCapture })[name] || (() => {}))();
}
