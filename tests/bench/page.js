// SPDX-License-Identifier: MIT
// page.js BROWSER PAGE measures how smooth a page is. For each gesture it prints the times between
// the browser's frames (requestAnimationFrame), the time of the page's own drawing, and in Chromium
// the processor time of the page's thread, which is the one to look at on a busy machine. 60
// frames/s leave 16.7 ms for each. puppeteer-core is found by NODE_PATH.
const puppeteer = require("puppeteer-core");

const pause = (ms) => new Promise((ok) => setTimeout(ok, ms));

function launch(executablePath, firefox) {
	return puppeteer.launch(
		firefox
			? { browser: "firefox", executablePath, headless: true }
			: {
					executablePath,
					args: ["--no-sandbox", "--disable-gpu"],
					headless: "shell",
				},
	);
}

// The processor time of the page's thread: ms so far, and how ms are printed. Firefox has none.
async function processor(page, firefox) {
	const devtools = firefox ? null : await page.createCDPSession();
	if (devtools) await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
	const busy = async () => {
		const m = devtools ? (await devtools.send("Performance.getMetrics")).metrics : [];
		return m
			.filter((x) => x.name === "TaskDuration")
			.reduce((sum, x) => sum + x.value * 1000, 0);
	};
	const cpu = (ms) => (devtools ? `; ${ms.toFixed(1)} ms of processor time` : "");
	return { busy, cpu };
}

async function open(page, file, { busy, cpu }) {
	const begin = Date.now();
	page.goto("file://" + file).catch(() => {}); // not awaited: ends after the whole load
	while (!(await page.evaluate(() => Boolean(window.trawl)).catch(() => false)))
		await pause(5);
	console.log(
		`first picture after ${Date.now() - begin} ms, of which the page's program ${Math.round(await page.evaluate(() => trawl.ready))} ms${cpu(await busy())}`,
	);
	while (!(await page.evaluate(() => document.documentElement.dataset.ready === "yes")))
		await pause(5);
	console.log(`all of it after ${Date.now() - begin} ms${cpu(await busy())}`);
}

// Runs in the page: the times between 120 frames, and of its own drawing.
function frames() {
	return new Promise((ok) => {
		const gaps = [],
			draws = [];
		let last = 0;
		const frame = (t) => {
			if (last) {
				gaps.push(t - last);
				draws.push(trawl.draw);
			}
			last = t;
			if (gaps.length < 120) requestAnimationFrame(frame);
			else ok([gaps, draws]);
		};
		requestAnimationFrame(frame);
	});
}

// Repeats step(i) during the frames and prints their times.
async function gesture(page, { busy, cpu }, name, step) {
	const at = (list, p) =>
		list[Math.min(list.length - 1, Math.floor(p * list.length))].toFixed(1);
	let over = false,
		i = 0;
	const before = await busy();
	const seen = page.evaluate(frames).then((r) => {
		over = true;
		return r;
	});
	while (!over) await step(i++);
	const [gaps, draws] = (await seen).map((l) => l.sort((a, b) => a - b)),
		sum = gaps.reduce((a, b) => a + b);
	console.log(
		`${name.padEnd(24)} ${((1000 * gaps.length) / sum).toFixed(1)} frames/s; between two median ${at(gaps, 0.5)} 95 % ${at(gaps, 0.95)} longest ${at(gaps, 1)} ms; draw median ${at(draws, 0.5)} longest ${at(draws, 1)} ms${cpu(((await busy()) - before) / gaps.length)} a frame`,
	);
}

async function main(executablePath, file) {
	const firefox = /firefox/.test(executablePath),
		browser = await launch(executablePath, firefox),
		page = await browser.newPage();
	await page.setViewport({ width: 1500, height: 850 });
	const time = await processor(page, firefox);
	await open(page, file, time);
	const box = await (await page.$("#canvas")).boundingBox(),
		x = box.x + box.width * 0.6,
		y = box.y + box.height / 2;
	const back = (key) => (i) => page.keyboard.press(i % 16 < 8 ? key[0] : key[1]);
	await page.mouse.move(x, y);
	if (!firefox) {
		await page.keyboard.down("Control");
		await gesture(page, time, "wheel: zoom", (i) =>
			page.mouse.wheel({ deltaY: i % 20 < 10 ? -30 : 30 }),
		);
		await page.keyboard.up("Control");
	}
	await page.keyboard.press("0");
	await page.mouse.down();
	await gesture(page, time, "drag the whole", (i) =>
		page.mouse.move(x + (i % 40 < 20 ? i % 20 : 20 - (i % 20)) * 8, y),
	);
	await page.mouse.up();
	await page.keyboard.press("0");
	await gesture(page, time, "keys: zoom", back("ws"));
	for (const [name, presses] of [
		["keys: move at 1/17", 8],
		["keys: move at 1/1200", 20],
	]) {
		await page.keyboard.press("0");
		for (let i = 0; i < presses; i++) await page.keyboard.press("w");
		await gesture(page, time, name, back("ad"));
	}
	await browser.close();
}
main(...process.argv.slice(2)).catch((e) => {
	console.error(e);
	process.exit(1);
});
