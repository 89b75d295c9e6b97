// SPDX-License-Identifier: MIT
// Opens a page in a headless browser and prints what it found as JSON:
// page.js BROWSER PAGE STEPS [SCREENSHOT-PREFIX].
// STEPS: JSON, a list of [what, argument]: see steps(). puppeteer-core is found by NODE_PATH.
const puppeteer = require("puppeteer-core");

function launch(browserPath, firefox) {
	return puppeteer.launch(
		firefox
			? { browser: "firefox", executablePath: browserPath, headless: true }
			: {
					executablePath: browserPath,
					args: ["--no-sandbox", "--disable-gpu"],
					headless: "shell",
				},
	);
}

const pause = (ms) => new Promise((ok) => setTimeout(ok, ms));

// Notes errors of the page, and what it requests besides itself.
function watch(page, file, errors, requests) {
	page.on("console", (m) => {
		if (["error", "warn"].includes(m.type())) errors.push(m.text());
	});
	page.on("pageerror", (e) => errors.push(String(e)));
	page.on("request", (r) => {
		if (
			!/^(file|blob|data|about):/.test(r.url()) ||
			(/^file:/.test(r.url()) && !r.url().split("#")[0].endsWith(file))
		)
			requests.push(r.url());
	});
}

// The page's policy forbids eval(), by which waitForFunction() works.
async function until(page, what, errors) {
	for (let i = 0; i < 3000 && !errors.length; i++) {
		if (await page.evaluate(what)) return;
		await pause(20);
	}
	errors.push("waited in vain for " + what);
}

// The next three run in the page.
function state() {
	const inView = (r) => {
		const box = document.getElementById("scroll").getBoundingClientRect(),
			b = r.getBoundingClientRect();
		return b.top >= box.top - 1 && b.bottom <= box.bottom + 1;
	};
	const all = (selector) => [...document.querySelectorAll(selector)];
	const text = (id) => document.getElementById(id).textContent;
	return {
		view: trawl.view,
		selected: trawl.selected,
		matches: trawl.matches,
		events: trawl.events,
		lanes: trawl.lanes,
		titles: trawl.titles,
		names: trawl.names,
		ready: trawl.ready,
		rows: all(".row").map((r) => [...r.children].map((c) => c.textContent)),
		shown: all(".row.selected")
			.filter(inView)
			.map((r) => +r.dataset.event),
		marks: trawl.marks,
		tip: trawl.tip,
		marked: trawl.marked,
		markedInView: trawl.markedInView,
		failed: all(".row.failed").map((r) => r.lastChild.textContent),
		bars: trawl.bars,
		pauses: all(".row.pause").map((r) => `${r.lastChild.dataset.pause}: ${r.title}`),
		wide: all("html, main, #right, #table, #scroll").map(
			(e) => e.scrollWidth - e.clientWidth,
		),
		high: ["canvas", "table", "details"].map(
			(id) => document.getElementById(id).clientHeight,
		),
		hint: text("hint"),
		status: text("status"),
		about: text("about"),
		details: document.getElementById("details").innerText,
		panel: document.querySelector("[role=tabpanel]:not([hidden])").innerText,
	};
}

function focused() {
	const active = document.getElementById("table").getAttribute("aria-activedescendant");
	return {
		id: document.activeElement.id,
		active,
		row: Boolean(document.getElementById(active)),
		split: document.getElementById("split").getBoundingClientRect().left,
		scrolled: document.activeElement.scrollTop,
	};
}

// Lets corner() return the colour of the canvas' corner, also as it is on paper: onPaper.
function watchCorner() {
	window.corner = () => {
		const c = document.getElementById("canvas"),
			one = document
				.createElement("canvas")
				.getContext("2d", { willReadFrequently: true });
		one.drawImage(c, 2, c.height - 2, 1, 1, 0, 0, 1, 1);
		return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	addEventListener("beforeprint", () => {
		window.onPaper = window.corner();
	});
}

// The corner of the canvas on screen, on paper, and on screen again.
async function print(page) {
	await page.evaluate(watchCorner);
	const corner = () =>
		page.evaluate(() => {
			trawl.redraw();
			return window.corner();
		});
	const before = await corner();
	await page.pdf();
	return [before, await page.evaluate(() => window.onPaper), await corner()];
}

// {what: a function of its argument}: each returns what is printed, or nothing.
function steps(page, file, shots, firefox, errors) {
	const wait = (what) => until(page, what, errors);
	return {
		key: (name) => page.keyboard.press(name),
		click: (selector) => page.click(selector),
		focus: (selector) => page.focus(selector),
		// to a point of the canvas, which an expression gives
		hover: async (point) => {
			const [x, y] = await page.evaluate(
				`(() => { const [x, y] = ${point}, r = canvas.getBoundingClientRect();` +
					" return [r.left + x, r.top + y]; })()",
			);
			await page.mouse.move(x, y);
		},
		size: ([width, height]) => page.setViewport({ width, height }),
		// waits until the page is so; an assignment notes what it was
		until: wait,
		search: async (text) => {
			await page.evaluate((q) => {
				document.getElementById("query").value = q;
				document.getElementById("search").requestSubmit();
			}, text);
			await wait("!/^…|%$/.test(document.getElementById('hint').textContent)");
		},
		hash: async (text) => {
			await page.goto("file://" + file + "#" + text);
			await wait("Boolean(window.trawl)");
		},
		// to the address that a copied link has, as if it were opened
		go: async () => {
			const url = page.url();
			await page.goto("about:blank");
			await page.goto(url);
			await wait("document.documentElement.dataset.ready === 'yes'");
		},
		draws: async (count) => [
			"draws",
			await page.evaluate((n) => {
				let sum = 0;
				for (let i = 0; i < n; i++) sum += trawl.redraw();
				return sum / n;
			}, count),
		],
		shot: (name) => shots && page.screenshot({ path: shots + name + ".png" }),
		dark: () =>
			firefox ||
			page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]),
		print: async (name) => (firefox ? undefined : [name, await print(page)]),
		focused: async (name) => [name, await page.evaluate(focused)],
		state: async (name) => {
			await pause(120);
			return [name, await page.evaluate(state)];
		},
	};
}

async function main(browserPath, file, list, shots) {
	const firefox = /firefox/.test(browserPath),
		browser = await launch(browserPath, firefox),
		page = await browser.newPage(),
		errors = [],
		requests = [],
		out = [];
	await page.setViewport({ width: 1500, height: 850 });
	if (!firefox) await page.setOfflineMode(true);
	watch(page, file, errors, requests);
	const begin = Date.now();
	await page.goto("file://" + file);
	await until(page, "document.documentElement.dataset.ready === 'yes'", errors);
	out.push(["opened", Date.now() - begin]);
	if (errors.length) {
		console.log(JSON.stringify([["errors", errors]]));
		process.exit(1);
	}
	const ways = steps(page, file, shots, firefox, errors);
	for (const [what, argument] of list) {
		const noted = await ways[what](argument);
		if (["draws", "print", "focused", "state"].includes(what) && noted) out.push(noted);
		if (what !== "state") await pause(120);
	}
	out.push(["errors", errors], ["requests", requests]);
	const named = (c) => [[c.role, c.name], ...(c.children || []).flatMap(named)];
	if (!firefox) {
		const tree = await page.accessibility.snapshot({ interestingOnly: true });
		out.push(["tree", named(tree)]);
	}
	await browser.close();
	console.log(JSON.stringify(out));
}
main(...process.argv.slice(2, 4), JSON.parse(process.argv[4]), process.argv[5]).catch((e) => {
	console.error(e);
	process.exit(1);
});
