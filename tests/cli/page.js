// SPDX-License-Identifier: MIT
// Opens a page in headless Chromium and prints what it found as JSON: page.js BROWSER PAGE STEPS [SCREENSHOT-PREFIX].
// STEPS: JSON, a list of [what, argument]: see below. puppeteer-core is found by NODE_PATH.
const puppeteer = require("puppeteer-core");

async function main(browserPath, page_, steps, shots) {
	const browser = await puppeteer.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"], headless: "shell" });
	const page = await browser.newPage(), errors = [], requests = [], out = [];
	await page.setViewport({ width: 1500, height: 850 });
	await page.setOfflineMode(true);
	page.on("console", (m) => { if (["error", "warn"].includes(m.type())) errors.push(m.text()); });
	page.on("pageerror", (e) => errors.push(String(e)));
	page.on("request", (r) => { if (!/^(file|blob|data):/.test(r.url()) || !r.url().split("#")[0].endsWith(page_)) requests.push(r.url()); });
	const begin = Date.now();
	await page.goto("file://" + page_);
	// the page's policy forbids eval(), by which waitForFunction() works
	const until = async (what) => {
		for (let i = 0; i < 3000 && !errors.length; i++) {
			if (await page.evaluate(what))
				return;
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
	const state = () => page.evaluate(() => ({
		view: trawl.view, selected: trawl.selected, matches: trawl.matches, events: trawl.events, lanes: trawl.lanes, ready: trawl.ready,
		rows: [...document.querySelectorAll(".row")].map((r) => [...r.children].map((c) => c.textContent)),
		shown: [...document.querySelectorAll(".row.selected")].filter((r) => {
			const box = document.getElementById("scroll").getBoundingClientRect(), b = r.getBoundingClientRect();
			return b.top >= box.top - 1 && b.bottom <= box.bottom + 1;
		}).map((r) => +r.dataset.event), marks: trawl.marks, bars: trawl.bars,
		wide: [...document.querySelectorAll("html, main, #right, #table, #scroll")].map((e) => e.scrollWidth - e.clientWidth),
		hint: document.getElementById("hint").textContent, about: document.getElementById("about").textContent,
		details: document.getElementById("details").innerText, panel: document.querySelector("[role=tabpanel]:not([hidden])").innerText,
	}));
	for (const [what, arg] of steps) {
		if (what === "key")
			await page.keyboard.press(arg);
		else if (what === "search") {
			await page.evaluate((q) => { document.getElementById("query").value = q; document.getElementById("search").requestSubmit(); }, arg);
			await until("!/^…|%$/.test(document.getElementById('hint').textContent)");
		} else if (what === "click")
			await page.click(arg);
		else if (what === "focus")
			await page.focus(arg);
		else if (what === "hash")
			await page.goto("file://" + page_ + "#" + arg), await until("Boolean(window.trawl)");
		else if (what === "draws")
			out.push(["draws", await page.evaluate((n) => { let sum = 0; for (let i = 0; i < n; i++) sum += trawl.redraw(); return sum / n; }, arg)]);
		else if (what === "shot" && shots)
			await page.screenshot({ path: shots + arg + ".png" });
		else if (what === "dark")
			await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
		await new Promise((ok) => setTimeout(ok, 120));
		if (what === "state")
			out.push([arg, await state()]);
	}
	out.push(["errors", errors], ["requests", requests]);
	out.push(["tree", (await page.accessibility.snapshot({ interestingOnly: true })).children.map((c) => [c.role, c.name])]);
	await browser.close();
	console.log(JSON.stringify(out));
}
main(...process.argv.slice(2, 4), JSON.parse(process.argv[4]), process.argv[5]).catch((e) => { console.error(e); process.exit(1); });
