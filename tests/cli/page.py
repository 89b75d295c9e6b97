#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""trawl-export --to html: the page opens in a browser without an error and without a request, and
finds, counts and shows the same as trawl-decode. Without Chromium, node or npm's puppeteer-core the
tests that need them are skipped. TRAWL_BROWSER=firefox-esr tests with that browser, without the
tests of the tree for screen readers, of dark colours and of printing."""
import base64
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

src, build = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, f"{src}/tests")
import tap

os.environ["TZ"] = "UTC"
tmp = tempfile.TemporaryDirectory()
made, page = f"{tmp.name}/made.trawl", f"{tmp.name}/page.html"
subprocess.run([f"{build}/tests/decode/make-sample", made, "5000"], check=True)


def export(file, to, *argv):
    return subprocess.run(["trawl-export", "--to", "html", file, "-w", to, *argv],
                          capture_output=True, text=True)


def decode(file, *argv):
    text = subprocess.run(["trawl-decode", "--json", file, *argv], capture_output=True,
                          text=True).stdout
    return [json.loads(l) for l in text.splitlines()]


def pieces(file):
    with open(file, encoding="utf-8") as f:
        text = f.read()
    return text, {m[1]: zlib.decompress(base64.b64decode(m[2]))
                  for m in re.finditer(r'octet-stream" id="d-(\w+)">([^<]*)</script>', text)}


# ---- the file itself
usb = f"{src}/samples/usb-storage.trawl"
p = export(usb, page)
text, data = pieces(page)
about = json.loads(data["about"])
events = decode(usb)
tap.same((0, len(events)), (p.returncode, about["events"]), "as many events as trawl-decode shows")
tap.same(["2:2 QEMU QEMU USB HARDDRIVE"], about["devices"], "devices have names")
style, program = re.search(r"<style>(.*?)</style>", text,
                           re.S)[1], re.search(r"<script>(.*?)</script>", text, re.S)[1]
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
for what, body in (("style", style), ("script", program)):
    digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    tap.ok(f"{what}-src 'sha256-{digest}'" in policy, f"the policy allows this {what} and no other",
           policy, digest)
tap.ok("default-src 'none'" in policy and not re.search(r"https?://|//[a-z]+\.[a-z]", program),
       "the page knows no address")
at = [text.index(w) for w in ('id="d-about"', 'id="d-flags"', "<script>", 'id="d-f0_0"')]
tap.same(sorted(at), at, "the first picture's data and the program stand before all other data")
shape = about["shapes"][0]
lengths = data[f"f0_{shape['keys'].index('length')}"].decode().split("\n")[:-1]
tap.same([e["fields"]["length"] for e in events], [int(v) for v in lengths],
         "a field's column has the field's values")
with open(f"{tmp.name}/evil.trawl", "wb") as f:
    subprocess.run([f"{build}/tests/decode/make-sample", "-", "8"], stdout=f, check=True)
os.rename(f"{tmp.name}/evil.trawl", f"{tmp.name}/<img src=x onerror=alert(1)>.trawl")
export(f"{tmp.name}/<img src=x onerror=alert(1)>.trawl", page)
tap.ok("<img" not in pieces(page)[0], "the name of a file is text")
p = export(f"{src}/samples/usb-keyboard.trawl", page)
values = b"".join(v for k, v in pieces(page)[1].items())
tap.ok(b'"masked":true' in values or b"masked" in values, "keystrokes are masked")

# ---- in a browser
browser = next(filter(None, map(shutil.which,
                                (os.environ.get("TRAWL_BROWSER", "chromium-headless-shell"),
                                 "chromium", "chromium-browser"))), None)
is_firefox = bool(browser and "firefox" in browser)
node = shutil.which("node")
modules = os.environ.get("TRAWL_NODE_MODULES", f"{build}/node/node_modules")
if browser and node and not os.path.isdir(f"{modules}/puppeteer-core") and shutil.which("npm"):
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix",
                    f"{build}/node", "puppeteer-core@24"],
                   capture_output=True, timeout=120, check=False)
missing = [what for what, there in (("chromium-headless-shell", browser), ("nodejs", node), (
    "npm's puppeteer-core", os.path.isdir(f"{modules}/puppeteer-core"))) if not there]


def functions(file, *names):
    with open(f"{src}/decode/export/page/{file}", encoding="utf-8") as f:
        script = f.read()
    return "".join(re.search(rf"^function {n}\b.*?^}}$\n", script, re.S | re.M)[0] for n in names)


# A short operation that ends on the pixel of a long one does not hide it.
LONGEST = """
const eventDuration = Float64Array.from({ length: 300 }, (_, k) => k * 7919 % 1009 + 1);
const bars = Uint32Array.from(eventDuration.keys()), most = new Float64Array(5);
bars.forEach((e, k) => most[k >> 6] = Math.max(most[k >> 6], eventDuration[e]));
let wrong = 0;
for (let a = 0; a < 300; a += 7)
	for (let b = a + 1; b <= 300; b++)
		wrong += eventDuration[longestBar({ bars, most }, a, b)] !==
			Math.max(...eventDuration.slice(a, b));
console.log(wrong);
"""
if node:
    p = subprocess.run([node, "-e", functions("timeline.js", "longestBar") + LONGEST],
                       capture_output=True, text=True)
    tap.same("0\n", p.stdout, "of many bars, the longest is found")

# A request of a disk, which task 1 issues and task 2 completes: its bar is in the lane of task 1.
ISSUERS = """
const NONE = 0xffff, about = { names: ["block:block_bio_queue", "block:block_bio_complete", "a:b"],
	shapes: [{ name: 0 }, { name: 1 }, { name: 2 }] };
const eventTime = [1, 5, 9, 9, 12], eventDuration = [0, 0, 8, 4, 3], eventCount = 5;
const eventShape = [0, 0, 1, 1, 2], eventTask = [1, 2, 2, 2, 2];
const lowerBoundAll = (t) => eventTime.findIndex((x) => x >= t);
const lane = (number, list) => [...taskBars({ number, list: Uint32Array.from(list) })];
console.log(JSON.stringify([lane(1, [0]), lane(2, [1, 2, 3, 4])]));
"""
if node:
    with open(f"{src}/decode/export/page/lanes.js", encoding="utf-8") as f:
        tables = re.search(r"^const BEGIN_OF.*?issued = null;$", f.read(), re.S | re.M)[0]
    script = tables + functions("lanes.js", "findIssuers", "barTask", "taskBars") + ISSUERS
    p = subprocess.run([node, "-e", script], capture_output=True, text=True)
    tap.same("[[0,2],[1,3,4]]\n", p.stdout, f"a request is in the lane of who issued it {p.stderr}")

# Sources of a merged file are called NAME@MACHINE: its kernel's events are in no lane of probes.
MERGED = """
const NONE = 0xffff, sources = ["event", "eprobe", "usdt", "task"], about = {
	endpoints: [], sources: [...sources, ...sources.map((s) => s + "@host")],
	shapes: Array.from({ length: 8 }, (_, k) => ({ name: k, source: k })) };
console.log(JSON.stringify([...lanesOfShapes()[1].slice(0, 8)].map((l) => l !== NONE)));
"""
if node:
    p = subprocess.run([node, "-e", functions("lanes.js", "lanesOfShapes") + MERGED],
                       capture_output=True, text=True)
    tap.same(str([False, False, True, False] * 2).lower().replace(" ", "") + "\n", p.stdout,
             f"only probes are in the lanes of probes, also in a merged file {p.stderr}")


def browse(file, steps):
    p = subprocess.run([node, f"{src}/tests/cli/page.js", browser, file, json.dumps(steps)],
                       capture_output=True, text=True,
                       env={**os.environ, "NODE_PATH": modules}, timeout=170)
    try:
        return dict(json.loads(p.stdout)), p.stderr
    except ValueError:
        return {"errors": [p.stdout[-500:] + p.stderr[-1500:]], "requests": []}, p.stderr


PANEL = "document.querySelector('[role=tabpanel]:not([hidden])').innerText"


def check_keyboard():
    """The page by keys alone, for a screen reader, on paper, and by a copied link."""
    steps = [["dark", 0], ["click", "#in"], ["key", "w"], ["state", "button"], ["key", "ArrowDown"],
             ["focused", "row"], ["focus", "#tab-details"], ["key", "ArrowRight"],
             ["focused", "right"], ["state", "counts"], ["until", f"window.was = {PANEL}"],
             ["key", "w"], ["key", "w"], ["until", f"{PANEL} !== window.was"],
             ["key", "End"], ["focused", "last"], ["state", "capture"],
             ["focus", "#capture"], ["key", "PageDown"], ["focused", "panel"],
             ["focus", "#split"], ["focused", "split"], ["key", "ArrowRight"], ["focused", "wider"],
             ["click", "#all"], ["key", "ArrowDown"], ["key", "w"], ["key", "w"], ["key", "l"],
             ["state", "copied"], ["go", 0], ["state", "opened"], ["print", "paper"]]
    got, _ = browse(page, steps)
    tap.same(([], []), (got["errors"], got["requests"]), "by keys: no error, no request")
    if got["errors"]:
        return
    v = [b - a for a, b in (got["button"]["view"], got["copied"]["view"])]
    tap.ok(v[0] < v[1] * 1.3, "a key works while a button has the focus", v)
    tap.ok(got["row"]["row"] and got["row"]["active"].startswith("event-"),
           "the table says which row is the active one", got["row"])
    tap.same(("tab-counts", "tab-capture"), (got["right"]["id"], got["last"]["id"]),
             "arrows go from tab to tab")
    tap.ok("a second" in got["counts"]["panel"], "and choose them", got["counts"]["panel"][:80])
    large = re.findall(r"\b[0-9]{17,}\b", got["capture"]["panel"])
    tap.ok(large and all(n.encode() in pieces(page)[1]["about"] for n in large),
           "large numbers of metadata are exact", large, got["capture"]["panel"][:900])
    tap.ok(got["panel"]["scrolled"] > 0, "a text that has the focus scrolls", got["panel"])
    tap.ok(got["wider"]["split"] > got["split"]["split"], "the middle moves by keys")
    tap.ok(got["copied"]["selected"] == got["opened"]["selected"] >= 0 and
           all(abs(a - b) <= 1 for a, b in zip(got["copied"]["view"], got["opened"]["view"])),
           "a copied link opens the same moment", got["copied"]["view"], got["opened"]["view"])
    if is_firefox:
        return
    dark, paper, again = got["paper"]
    tap.ok(max(dark) < 60 and min(paper) > 240 and again == dark,
           "paper is light, the screen stays dark", dark, paper, again)


def check_tree(tree):
    nameless = [t for t in tree if t[0] in ("button", "tab", "application", "grid", "region",
                "checkbox", "searchbox", "separator", "splitter", "tabpanel") and
                not re.search("[a-z]", t[1] or "")]
    tap.ok(not nameless and {"application", "grid", "tab", "heading"} <= {t[0] for t in tree},
           "a screen reader has a tree of it, in which all that can be used has a name", nameless,
           tree)


def check_first_use(got):
    """What the steps of check_browser() show of table, keyboard and lanes."""
    first, two = got["first"], got["two"]
    tap.same((len(events), len(events)), (first["events"], len(first["rows"])),
             "the table has the events")
    tap.ok(two["selected"] == 1 and two["rows"][1][0] in two["details"] and
           "0000  " in two["details"],
           "the keyboard selects an event, whose fields and bytes are shown", two["selected"],
           two["details"])
    name = "USB 2:2 QEMU QEMU USB HARDDRIVE (2)"
    tap.ok(first["titles"][0] == name and got["disk"]["titles"] == [name.replace("2)", "2 of 2)")],
           "a device's lanes have its name, by which they are chosen", first["titles"],
           got["disk"]["titles"])
    w = [b - a for a, b in (two["view"], got["zoomed"]["view"])]
    tap.ok(w[1] < w[0], "W zooms in", w)


def check_searches(got):
    """What the searches of check_browser() find, and say."""
    tap.same(len([e for e in events if e["fields"].get("length", 0) > 1000]),
             got["found"]["matches"], "search finds what --where does")
    tap.same(0, got["empty"]["matches"], "a number, even 0, does not equal an empty text")
    tap.ok("no event in this page has a field 'lengthy'" in got["unknown"]["hint"] and
           "expected a field" in got["wrong"]["hint"],
           "a search that is invalid says why", got["unknown"]["hint"], got["wrong"]["hint"])
    tap.ok('text must be in quotes: "dd"' in got["bare"]["hint"] and
           "it is took_ns" in got["took"]["hint"], "and what may have been meant",
           got["bare"]["hint"], got["took"]["hint"])
    tap.ok("; it is name, at character 1" in got["event"]["hint"],
           "a label of the details is named as the field that it is", got["event"]["hint"])


def check_browser():
    export(usb, page)
    disk = ("(document.getElementById('lanes').value = 'harddrive', document.getElementById('lanes')"
            ".dispatchEvent(new Event('input')), true)")
    got, _ = browse(page, [["state", "first"], ["key", "ArrowDown"], ["key", "ArrowDown"],
                           ["state", "two"], ["key", "w"],
                           ["state", "zoomed"], ["search", "length > 1000"], ["state", "found"],
                           ["search", 'length == ""'], ["state", "empty"],
                           ["search", "lengthy > 1"],
                           ["state", "unknown"], ["search", "comm == dd"], ["state", "bare"],
                           ["search", "took > 1000"], ["state", "took"],
                           ["search", 'event == "x"'], ["state", "event"],
                           ["search", "length >"], ["state", "wrong"],
                           ["key", "0"], ["click", "#tab-latency"],
                           ["state", "latency"], ["click", "#tab-capture"], ["state", "capture"],
                           ["click", "#help"],
                           ["hash", "t=1000000&w=5000000&e=3"], ["state", "linked"],
                           ["until", disk], ["state", "disk"], ["click", "#tab-details"],
                           ["focus", "#split"], ["key", "ArrowRight"],
                           ["size", [800, 700]], ["state", "narrow"], ["shot", "narrow"],
                           ["size", [1280, 900]], ["state", "wide"], ["shot", "wide"]])
    tap.same(([], []), (got["errors"], got["requests"]), "opens offline: no error, no request")
    if got["errors"]:
        return
    check_first_use(got)
    check_searches(got)
    tap.ok("events in view" in got["latency"]["panel"], "latencies are of what is in view",
           got["latency"]["panel"][:80])
    tap.ok("median" in got["latency"]["panel"] and "machine" not in got["latency"]["panel"],
           "latencies", got["latency"]["panel"])
    tap.ok("6.12" in got["capture"]["panel"], "the description of the capture is shown",
           got["capture"]["panel"])
    tap.ok(got["linked"]["selected"] == 3 and got["linked"]["view"] == [1000000, 6000000],
           "a link opens at its moment", got["linked"]["view"])
    for k, least in (("narrow", 60), ("wide", 200)):
        tap.ok(all(h >= least for h in got[k]["high"]) and sum(got[k]["high"]) < 1600,
               f"made {k}, the page shows timeline, table and details", got[k]["high"])
    if not is_firefox:
        check_tree(got["tree"])
    # The description of the machine makes the panel "capture" long enough to scroll.
    export(usb, page, "--with-machine")
    check_keyboard()


def check_search():
    export(made, page)
    queries = ["arg1 > 5", "arg1 = 3", "arg2 ~ \"pl*\"", "comm == \"worker\" and cpu == 1",
               "not (pid == 100)", "name ~ \"sched:*\" or arg1 == 3", "arg1 != 3",
               "arg1 & 3 == 1", "0x2 & arg1", "fields.arg1 >= 1e0", "arg1 < 0x0a and ts > 0",
               "name ~ 'sch[a-f]d:[!a]*'", "comm == 'w\\x6frker'", "arg2 !~ \"pl\\*\""]
    texts = ['"arg1 = 3"', "arg1 = = 3", '"work"']
    choose = ("(document.getElementById('lanes').value = 'CPU 1', document.getElementById('lanes')"
              ".dispatchEvent(new Event('input')), true)")
    steps = [["state", "first"], ["until", choose], ["state", "chosen"]]
    for q in queries + texts:
        steps += [["search", q], ["state", q]]
    away = "(document.getElementById('scroll').scrollTop = 1e6, true)"
    steps += [["key", "Escape"], ["click", "#all"], ["search", "arg1 > 5"], ["until", away],
              ["state", "away"], ["search", "arg1 > 5"], ["state", "back"], ["click", "#only"],
              ["until", away], ["search", "arg1 >= 5"], ["state", "only"], ["key", "End"],
              ["state", "end"], ["key", "Home"], ["state", "home"]]
    got, _ = browse(page, steps)
    tap.same(([], []), (got["errors"], got["requests"]),
             "a page of 5,000 events: no error, no request")
    if got["errors"]:
        return
    tap.ok(got["chosen"]["lanes"] == 1 < got["first"]["lanes"], "lanes are chosen by their names",
           got["chosen"]["lanes"], got["first"]["lanes"])
    for q in queries:
        tap.same(len(decode(made, "--where", q)), got[q]["matches"], f"search: {q}")
    tap.same([0, 0, len(decode(made, "--where", 'comm ~ "*work*"'))],
             [got[q]["matches"] for q in texts], "what is in quotes, or no expression, is text")
    tap.ok("searched as text" in got[texts[1]]["hint"] and "text" not in got[texts[0]]["hint"],
           "which the page says", got[texts[1]]["hint"])
    tap.ok(got["away"]["shown"] == [] and got["away"]["selected"] >= 0 and
           all(got[k]["shown"] == [got["away"]["selected"]] for k in ("back", "only")),
           "a search that finds the selected event shows it", got["away"]["selected"],
           [got[k]["shown"] for k in ("away", "back", "only")])
    hits = [i for i, e in enumerate(decode(made)) if e["fields"].get("arg1", 0) >= 5]
    tap.same([[hits[-1]], [hits[0]]], [got[k]["shown"] for k in ("end", "home")],
             "End and Home select the last and the first of those in the table")
    tap.ok("lost" in got["first"]["about"], "lost events are mentioned at the top",
           got["first"]["about"])


def check_lanes():
    """The selected event's lanes are marked and in view; what is under the pointer is described."""
    lines = ["source event tracefs", "type 0 1 12 app:work name: work\\nID: 1\\nformat:\\n"
             "\\tfield:unsigned short common_type;\\toffset:0;\\tsize:2;\\tsigned:0;\\n"
             "\\tfield:int common_pid;\\toffset:4;\\tsize:4;\\tsigned:1;\\n\\nprint fmt: \"\"",
             "field n 0 0 8 4 1 unsigned int"]
    lines += [f"event 0 1 0 {k * 1000} {struct.pack('<HHiI', 1, 0, k + 1, k).hex()}"
              for k in range(60)]
    many = f"{tmp.name}/many.trawl"
    subprocess.run([f"{build}/tests/decode/make-lines", many], input="\n".join(lines) + "\n",
                   text=True, check=True)
    export(many, page)
    y = "HEAD + lanes.findIndex((l) => l.kind === 'task' && isInLane(l, selected)) * LANE"
    got, _ = browse(page, [
        ["state", "first"], ["key", "Home"], ["state", "home"], ["key", "End"], ["state", "end"],
        ["hover", f"[xOf(eventTime[selected]), {y} - laneScroll + 8]"],
        ["until", "Boolean(trawl.tip)"], ["state", "tip"], ["hover", "[60, 5]"],
        ["state", "away"], ["click", "#busy"], ["key", "f"],
        ["until", "trawl.lanes < 20"], ["state", "few"], ["key", "0"],
        ["until", "trawl.lanes > 60"], ["state", "all"]])
    tap.same(([], []), (got["errors"], got["requests"]), "60 tasks: no error, no request")
    if got["errors"]:
        return
    tap.ok(got["first"]["marked"] == [] and "? 1" in got["home"]["marked"] and
           "? 60" in got["end"]["marked"] and "cpu 0" in got["end"]["marked"],
           "the lanes of the selected event are marked", got["home"]["marked"],
           got["end"]["marked"])
    tap.ok("task" in got["home"]["markedInView"] and "task" in got["end"]["markedInView"],
           "and that of its task is in view", got["home"]["markedInView"],
           got["end"]["markedInView"])
    tap.ok(got["tip"]["tip"].startswith("app:work") and "n=59" in got["tip"]["tip"] and
           got["away"]["tip"] == "", "the event under the pointer is described", got["tip"]["tip"])
    tap.ok(got["few"]["lanes"] < 20 and "tasks (2 of 60)" in got["few"]["titles"] and
           got["all"]["lanes"] == got["first"]["lanes"],
           "lanes without events in view can be hidden", got["few"]["titles"],
           got["few"]["names"])


def check_redacted():
    """The page of a redacted capture explains stand-ins; the table marks a pause by a line."""
    quiet, clean = f"{tmp.name}/quiet.pcap", f"{tmp.name}/clean.trawl"
    rows = []
    for i in range(40):
        for kind, at in (("S", i * 1000), ("C", i * 1000 + (9000000 if i == 39 else 300))):
            rows.append(f"ffff88003c0d{i:04x} {at + 1000} {kind} Ii:1:002:1 "
                        f"{'-115' if kind == 'S' else '0'}:8 8 <")
    with open(quiet, "w") as f:
        f.write("\n".join(rows) + "\n")
    p = subprocess.run(["trawl-edit", "redact", quiet, "-w", clean], capture_output=True, text=True)
    export(clean, page)
    got, _ = browse(page, [["state", "first"], ["click", "#tab-capture"], ["state", "capture"],
                           ["focus", "#canvas"], ["key", "End"], ["state", "last"]])
    tap.same(([], []), (got["errors"], got["requests"]), f"a redacted capture {p.stderr}")
    if got["errors"]:
        return
    tap.ok("stand-ins" in got["first"]["about"] and
           all(re.search(r"Redacted: [a-z, ]*addresses\.", t)
               for t in (got["first"]["details"], got["capture"]["panel"])),
           "says what stand-ins are", got["first"]["about"], got["capture"]["panel"][:200])
    tap.ok("times the median" in got["first"]["details"] and
           "far from what is usual" not in got["first"]["details"],
           "says once what is far from usual", got["first"]["details"])
    tap.ok(any("without an event" in t for t in got["last"]["pauses"]),
           "a pause is a line of the table", got["last"]["pauses"])


def check_pairs():
    file = f"{tmp.name}/pairs.trawl"
    calls = [a for n in ("clock_nanosleep", "read", "openat") for w in ("enter", "exit")
             for a in ("-i", f"event:syscalls:sys_{w}_{n}")] + ["-i", "event:sched:sched_waking"]
    p = subprocess.run(["trawl", "--ring", "4m", "-w", file, *calls, "--", "sh", "-c",
                        "sleep .03; sleep .06; cat /nonexistent; cat /etc/passwd >/dev/null; kill -SEGV $$"],
                       capture_output=True, text=True)
    there = decode(file)
    tap.ok(any(e["name"] == "trawl:trigger" for e in there), "recorded up to a crash",
           p.stderr[-300:])
    export(file, page)
    example = re.search(r"placeholder='([^']*)'", pieces(page)[0])[1]
    steps = [["state", "first"], ["key", "f"], ["key", "w"], ["state", "fit"], ["key", "Escape"],
             ["state", "none"],
             ["click", "#details button.event"], ["state", "led"], ["search", example],
             ["state", "example"],
             ["search", "took_ns > 10ms"], ["state", "long"], ["click", "#tab-counts"],
             ["search", "took_ns > 9.9ms"], ["state", "again"],
             ["search", 'name ~ "*exit_clock_nanosleep"'], ["key", "n"], ["state", "slept"],
             ["search", "took_ns > 10ms"], ["state", "long"]]
    for k in range(5):
        steps += [["key", "n"], ["state", f"n{k}"], ["key", "f"], ["state", f"f{k}"]]
    steps += [["search", 'name ~ "*enter_read"'], ["key", "n"], ["state", "read"],
              ["search", 'ret == "ENOENT"'], ["state", "error"], ["click", "#all"],
              ["click", "#tab-counts"], ["state", "counts"]]
    got, _ = browse(page, steps)
    tap.same(([], []), (got["errors"], got["requests"]),
             "a page of system calls: no error, no request")
    if got["errors"]:
        return
    check_pair_rows(got, there)
    red = [t for k in ("error", "read") for t in got[k]["failed"]]
    tap.ok(any("ENOENT" in t for t in red) and all(" ret=-" in " " + t for t in red),
           "the rows of failed system calls are red", red)


def check_pair_rows(got, there):
    """What the page of check_pairs() shows; there: the events."""
    sleeps = [e for e in there if e["name"].endswith("exit_clock_nanosleep")]
    tap.ok(len(sleeps) == 2 and got["long"]["matches"] >= 2, "took_ns > 10ms finds the sleeps",
           got["long"]["hint"])
    for k in ("first", "fit", "led", "long", *(f"{a}{k}" for k in range(5) for a in "nf")):
        tap.same([got[k]["selected"]], got[k]["shown"], f"{k}: the selected event is in the table")
        tap.same(len(got[k]["marks"]), len(set(got[k]["marks"])),
                 f"{k}: the axis has each mark once {got[k]['marks'][:2]}")
    check_operations(got, there)
    check_trigger(got, there)
    check_names(got, sleeps[0]["comm"])


def check_operations(got, there):
    """Failed calls, and operations from begin to end."""
    failed = sum(-4096 < e["fields"].get("ret", 0) < 0 for e in there)
    rows = re.findall(r"^syscalls:sys_exit_\w+\t[\d,]+\t(\d+)\t", got["counts"]["panel"], re.M)
    tap.same((failed, True), (sum(map(int, rows)), failed > 0),
             "counts have the failed system calls " + got["counts"]["panel"][:300])
    tap.ok(got["error"]["matches"] > 0 and re.search(r'ret\s+"-2 \(ENOENT\)"',
                                                     got["error"]["details"]),
           "an error is found by its name, which the details have", got["error"]["details"][:300])
    fit = [got[f"f{k}"] for k in range(5)]
    took = [int(re.search(r"took_ns\s+(\d+)", f["details"])[1]) for f in fit]
    ends = [there[f["selected"]]["ts_ns"] - there[0]["ts_ns"] for f in fit]
    tap.ok(all(f["view"][0] <= end - ns and end <= f["view"][1] and
               abs(f["view"][1] - f["view"][0] - 1.2 * ns) < 10
               for f, ns, end in zip(fit, took, ends)),
           "F shows an operation from its begin to its end, with a small margin",
           [f["view"] for f in fit], took, ends)
    tap.ok(got["first"]["bars"] >= 4, "pairs have bars", got["first"]["bars"])
    tap.ok("began with" in got["slept"]["details"] and "enter_clock_nanosleep" in
           got["slept"]["details"].split("began with")[1],
           "the begin of an operation is a link", got["slept"]["details"])
    tap.ok(re.search(r"took_ns\s+\d+ \([\d.]+ ms\)", got["long"]["details"]),
           "details name took_ns", got["long"]["details"])


def check_trigger(got, there):
    """What is said of the trigger, and what led to it."""
    trigger = next(i for i, e in enumerate(there) if e["name"] == "trawl:trigger")
    span = there[-1]["ts_ns"] - there[0]["ts_ns"]
    tap.ok(got["first"]["selected"] == trigger and got["first"]["view"][1] >= 1.015 * span,
           "it opens with its trigger, beside which is room",
           got["first"]["selected"], got["first"]["view"], span)
    tap.ok(got["fit"]["status"] and not got["none"]["status"],
           "the line below the timeline is of the selected event, or empty", got["none"]["status"])
    for k in ("first", "none"):
        tap.ok(
            all(t in got[k]["details"]
                for t in ("why this was saved", "killed by SIGSEGV", "the longest of each kind",
                          "exit_clock_nanosleep")),
               f"{k}: where to look first", got[k]["details"])
    tap.ok(got["led"]["selected"] == trigger and got["none"]["selected"] == -1,
           "each of which is a link", got["led"]["selected"])
    led = [got[k]["details"] for k in (f"n{k}" for k in range(5))
           if "exit_clock_nanosleep" in got[k]["details"].split("\n")[0]]
    tap.ok(led and all("was woken by" in d and "sched_waking" in d for d in led),
           "who woke the task that slept", led[:1])


def check_names(got, longest):
    """Texts of rows, lanes and tabs; longest: the task with the longest operation."""
    reads = [r[5] for k in ("first", "read") for r in got[k]["rows"] if r[3].endswith("enter_read")]
    tap.ok(reads and all(re.search(r"buf\W+(0x)?[0-9a-f]*[a-f]", r) for r in reads),
           "pointers are in hex", reads[:3])
    tap.ok(re.search(r"buf\s+0x[0-9a-f]{6}", got["read"]["details"]), "in the details as well",
           got["read"]["details"])
    tap.ok(got["again"]["panel"] == got["again"]["details"], "a search shows what it finds, though "
           "another tab is open", got["again"]["panel"][:200])
    tasks = [n for n in got["first"]["names"]]
    tasks = tasks[next(k for k, n in enumerate(tasks) if n.startswith("tasks (")) + 1:]
    idle = [k for k, n in enumerate(tasks) if n.startswith("swapper/")]
    tap.ok(tasks[0].split()[0] == longest and
           (not idle or tasks[idle[0] - 1].split()[0] != "swapper"),
           "the task with the longest operation is the first lane", tasks[:4])
    tap.ok(any(r[3].endswith("exit_clock_nanosleep") or r[3].startswith("…") and
               r[3].endswith("nanosleep") for r in got["long"]["rows"]),
           "a long name keeps its end", [r[3] for r in got["long"]["rows"]])
    tap.same([0] * 5, got["long"]["wide"], "nothing is wider than the page")
    tap.ok("text" not in got["example"]["hint"], "the example in the field is valid",
           got["example"]["hint"])


def check_failure():
    died = f"{tmp.name}/died.trawl"
    subprocess.run(["trawl", "-q", "-i", "event:sched:sched_process_exit", "-w", died, "--", "sh",
                    "-c", "/bin/true; kill -SEGV $$"], capture_output=True, check=False)
    export(died, page)
    got, _ = browse(page, [["state", "first"]])
    details = got["first"]["details"] if not got["errors"] else str(got["errors"])
    tap.ok("the command failed: killed by SIGSEGV" in details and "sched_process_exit" in details,
           "how a command failed, and the last events before", details)
    times = re.findall(r"\d\d:\d\d:\d\d\.\d{9}", details.partition("newest first")[2])[:2]
    tap.ok(len(times) == 2 and times[0] > times[1], "the newest of them first", details)


if missing:
    tap.skip("the page in a browser", "not installed: " + ", ".join(missing))
else:
    check_browser()
    check_search()
    check_lanes()
    check_redacted()
    if os.geteuid() or not os.path.exists("/sys/kernel/tracing/events/syscalls"):
        tap.skip("a page of system calls", "needs root and tracefs")
    else:
        check_pairs()
        check_failure()
sys.exit(tap.finish())
