// SPDX-License-Identifier: MIT
// Opens a page in headless Chromium and prints what it found as JSON:
// page.js BROWSER PAGE STEPS [SCREENSHOT-PREFIX].
// STEPS: JSON, a list of [what, argument]: see below. puppeteer-core is found by NODE_PATH.
const puppeteer = require("puppeteer-core");

async function main(browserPath, page_, steps, shots) {
	const firefox = /firefox/.test(browserPath);
	const browser = await puppeteer.launch(
		firefox
			? { browser: "firefox", executablePath: browserPath, headless: true }
			: {
					executablePath: browserPath,
					args: ["--no-sandbox", "--disable-gpu"],
					headless: "shell",
				},
	);
	const page = await browser.newPage(),
		errors = [],
		requests = [],
		out = [];
	await page.setViewport({ width: 1500, height: 850 });
	if (!firefox) await page.setOfflineMode(true);
	page.on("console", (m) => {
		if (["error", "warn"].includes(m.type())) errors.push(m.text());
	});
	page.on("pageerror", (e) => errors.push(String(e)));
	page.on("request", (r) => {
		if (
			!/^(file|blob|data|about):/.test(r.url()) ||
			(/^file:/.test(r.url()) && !r.url().split("#")[0].endsWith(page_))
		)
			requests.push(r.url());
	});
	const begin = Date.now();
	await page.goto("file://" + page_);
	// the page's policy forbids eval(), by which waitForFunction() works
	const until = async (what) => {
		for (let i = 0; i < 3000 && !errors.length; i++) {
			if (await page.evaluate(what)) return;
			await new Promise((ok) => setTimeout(ok, 20));
		}
		errors.push("waited in vain for " + what);
	};
	await until("document.documentElement.dataset.ready === 'yes'");
	out.push(["opened", Date.now() - begin]);
	if (errors.length) {
		console.log(JSON.stringify([["errors", errors]]));
		process.exit(1);
	}
	const state = () =>
		page.evaluate(() => ({
			view: trawl.view,
			selected: trawl.selected,
			matches: trawl.matches,
			events: trawl.events,
			lanes: trawl.lanes,
			titles: trawl.titles,
			names: trawl.names,
			ready: trawl.ready,
			rows: [...document.querySelectorAll(".row")].map((r) =>
				[...r.children].map((c) => c.textContent),
			),
			shown: [...document.querySelectorAll(".row.selected")]
				.filter((r) => {
					const box = document
							.getElementById("scroll")
							.getBoundingClientRect(),
						b = r.getBoundingClientRect();
					return b.top >= box.top - 1 && b.bottom <= box.bottom + 1;
				})
				.map((r) => +r.dataset.event),
			marks: trawl.marks,
			bars: trawl.bars,
			pauses: [...document.querySelectorAll(".row.pause")].map(
				(r) => `${r.lastChild.dataset.pause}: ${r.title}`,
			),
			wide: [
				...document.querySelectorAll("html, main, #right, #table, #scroll"),
			].map((e) => e.scrollWidth - e.clientWidth),
			high: ["canvas", "table", "details"].map(
				(id) => document.getElementById(id).clientHeight,
			),
			hint: document.getElementById("hint").textContent,
			status: document.getElementById("status").textContent,
			about: document.getElementById("about").textContent,
			details: document.getElementById("details").innerText,
			panel: document.querySelector("[role=tabpanel]:not([hidden])").innerText,
		}));
	for (const [what, arg] of steps) {
		if (what === "key") await page.keyboard.press(arg);
		else if (what === "search") {
			await page.evaluate((q) => {
				document.getElementById("query").value = q;
				document.getElementById("search").requestSubmit();
			}, arg);
			await until("!/^…|%$/.test(document.getElementById('hint').textContent)");
		} else if (what === "click") await page.click(arg);
		else if (what === "until")
			// the page is so; an assignment notes what it was
			await until(arg);
		else if (what === "size") {
			const [width, height] = arg;
			await page.setViewport({ width, height });
		} else if (what === "focus") await page.focus(arg);
		else if (what === "hash")
			(await page.goto("file://" + page_ + "#" + arg),
				await until("Boolean(window.trawl)"));
		else if (what === "draws")
			out.push([
				"draws",
				await page.evaluate((n) => {
					let sum = 0;
					for (let i = 0; i < n; i++) sum += trawl.redraw();
					return sum / n;
				}, arg),
			]);
		else if (what === "shot" && shots)
			await page.screenshot({ path: shots + arg + ".png" });
		else if (what === "dark" && !firefox)
			await page.emulateMediaFeatures([
				{ name: "prefers-color-scheme", value: "dark" },
			]);
		else if (what === "print" && !firefox) {
			// the corner of the canvas on screen, on paper, and on screen again
			await page.evaluate(() => {
				window.corner = () => {
					const c = document.getElementById("canvas"),
						one = document
							.createElement("canvas")
							.getContext("2d", {
								willReadFrequently: true,
							});
					one.drawImage(c, 2, c.height - 2, 1, 1, 0, 0, 1, 1);
					return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3);
				};
				addEventListener("beforeprint", () => {
					window.onPaper = window.corner();
				});
			});
			const corner = () =>
				page.evaluate(() => {
					trawl.redraw();
					return window.corner();
				});
			const before = await corner();
			await page.pdf();
			out.push([
				arg,
				[before, await page.evaluate(() => window.onPaper), await corner()],
			]);
		} else if (what === "go") {
			// to the address that a copied link has, as if it were opened
			const url = page.url();
			await page.goto("about:blank");
			await page.goto(url);
			await until("document.documentElement.dataset.ready === 'yes'");
		} else if (what === "focused")
			out.push([
				arg,
				await page.evaluate(() => ({
					id: document.activeElement.id,
					active: document
						.getElementById("table")
						.getAttribute("aria-activedescendant"),
					row: Boolean(
						document.getElementById(
							document
								.getElementById("table")
								.getAttribute(
									"aria-activedescendant",
								),
						),
					),
					split: document
						.getElementById("split")
						.getBoundingClientRect().left,
					scrolled: document.activeElement.scrollTop,
				})),
			]);
		await new Promise((ok) => setTimeout(ok, 120));
		if (what === "state") out.push([arg, await state()]);
	}
	out.push(["errors", errors], ["requests", requests]);
	const named = (c) => [[c.role, c.name], ...(c.children || []).flatMap(named)];
	if (!firefox)
		out.push([
			"tree",
			named(await page.accessibility.snapshot({ interestingOnly: true })),
		]);
	await browser.close();
	console.log(JSON.stringify(out));
}
main(...process.argv.slice(2, 4), JSON.parse(process.argv[4]), process.argv[5]).catch((e) => {
	console.error(e);
	process.exit(1);
});
