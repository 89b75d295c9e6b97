#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""trawl-export --to html: the page opens in a browser without an error and without a request, and
finds, counts and shows what trawl-decode does. Without Chromium, node or npm's puppeteer-core the
tests that need them say so."""
import base64
import hashlib
import json
import os
import re
import shutil
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
style, program = re.search(r"<style>(.*?)</style>", text,
                           re.S)[1], re.search(r"<script>(.*?)</script>", text, re.S)[1]
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
for what, body in (("style", style), ("script", program)):
    digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    tap.ok(f"{what}-src 'sha256-{digest}'" in policy, f"the policy allows this {what} and no other",
           policy, digest)
tap.ok("default-src 'none'" in policy and not re.search(r"https?://|//[a-z]+\.[a-z]", program),
       "the page knows no address")
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
                                ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
node = shutil.which("node")
modules = os.environ.get("TRAWL_NODE_MODULES", f"{build}/node/node_modules")
if browser and node and not os.path.isdir(f"{modules}/puppeteer-core") and shutil.which("npm"):
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix",
                    f"{build}/node", "puppeteer-core"],
                   capture_output=True, timeout=120, check=False)
missing = [what for what, there in (("chromium-headless-shell", browser), ("nodejs", node), (
    "npm's puppeteer-core", os.path.isdir(f"{modules}/puppeteer-core"))) if not there]


def browse(file, steps):
    p = subprocess.run([node, f"{src}/tests/cli/page.js", browser, file, json.dumps(steps)],
                       capture_output=True, text=True,
                       env={**os.environ, "NODE_PATH": modules}, timeout=170)
    try:
        return dict(json.loads(p.stdout)), p.stderr
    except ValueError:
        return {"errors": [p.stdout[-500:] + p.stderr[-1500:]], "requests": []}, p.stderr


def check_browser():
    export(usb, page)
    got, _ = browse(page, [["state", "first"], ["key", "ArrowDown"], ["key", "ArrowDown"],
                           ["state", "two"], ["key", "w"],
                           ["state", "zoomed"], ["search", "length > 1000"], ["state", "found"],
                           ["search", "lengthy > 1"],
                           ["state", "unknown"], ["search", "comm == dd"], ["state", "bare"],
                           ["search", "took > 1000"], ["state", "took"],
                           ["search", "length >"], ["state", "wrong"],
                           ["key", "0"], ["click", "#tab-latency"],
                           ["state", "latency"], ["click", "#tab-capture"], ["state", "capture"],
                           ["click", "#help"],
                           ["hash", "t=1000000&w=5000000&e=3"], ["state", "linked"]])
    tap.same(([], []), (got["errors"], got["requests"]), "opens offline: no error, no request")
    if got["errors"]:
        return
    first, two, found = got["first"], got["two"], got["found"]
    tap.same((len(events), len(events)), (first["events"], len(first["rows"])),
             "the table has the events")
    tap.ok(two["selected"] == 1 and two["rows"][1][0] in two["details"] and
           "0000  " in two["details"],
           "the keyboard selects an event, whose fields and bytes are shown", two["selected"],
           two["details"])
    w = [b - a for a, b in (two["view"], got["zoomed"]["view"])]
    tap.ok(w[1] < w[0], "W zooms in", w)
    tap.same(len([e for e in events if e["fields"].get("length", 0) > 1000]), found["matches"],
             "search finds what --where does")
    tap.ok("no event here has a field 'lengthy'" in got["unknown"]["hint"] and
           "missing" in got["wrong"]["hint"],
           "a search that makes no sense says why", got["unknown"]["hint"], got["wrong"]["hint"])
    tap.ok('a text stands in quotes: "dd"' in got["bare"]["hint"] and
           "it is took_ns" in got["took"]["hint"], "and what may have been meant",
           got["bare"]["hint"], got["took"]["hint"])
    tap.ok("median" in got["latency"]["panel"] and "machine" not in got["latency"]["panel"],
           "latencies", got["latency"]["panel"])
    tap.ok("6.12" in got["capture"]["panel"], "what the capture says of itself",
           got["capture"]["panel"])
    tap.ok(got["linked"]["selected"] == 3 and got["linked"]["view"] == [1000000, 6000000],
           "a link opens at its moment", got["linked"]["view"])
    tap.ok(len(got["tree"]) > 0, "a screen reader has a tree of it", got["tree"])
    export(made, page)
    queries = ["arg1 > 5", "arg1 = 3", "arg2 ~ \"pl*\"", "comm == \"worker\" and cpu == 1",
               "not (pid == 100)", "name ~ \"sched:*\" or arg1 == 3"]
    texts = ['"arg1 = 3"', "arg1 = = 3", '"work"']
    steps = [["state", "first"]]
    for q in queries + texts:
        steps += [["search", q], ["state", q]]
    got, _ = browse(page, steps)
    tap.same(([], []), (got["errors"], got["requests"]),
             "a page of 5,000 events: no error, no request")
    if got["errors"]:
        return
    for q in queries:
        tap.same(len(decode(made, "--where", q)), got[q]["matches"], f"search: {q}")
    tap.same([0, 0, len(decode(made, "--where", 'comm ~ "*work*"'))],
             [got[q]["matches"] for q in texts], "what is in quotes, or no expression, is text")
    tap.ok("searched as text" in got[texts[1]]["hint"] and "text" not in got[texts[0]]["hint"],
           "which the page says", got[texts[1]]["hint"])
    tap.ok("lost" in got["first"]["about"], "lost events are told of at the top",
           got["first"]["about"])


def check_pairs():
    file = f"{tmp.name}/pairs.trawl"
    calls = [a for n in ("clock_nanosleep", "read") for w in ("enter", "exit")
             for a in ("-i", f"event:syscalls:sys_{w}_{n}")]
    p = subprocess.run(["trawl", "--ring", "4m", "-w", file, *calls, "--", "sh", "-c",
                        "sleep .03; sleep .06; cat /etc/passwd >/dev/null; kill -SEGV $$"],
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
             ["search", "took_ns > 10ms"], ["state", "long"]]
    for k in range(5):
        steps += [["key", "n"], ["state", f"n{k}"], ["key", "f"], ["state", f"f{k}"]]
    steps += [["search", 'name ~ "*enter_read"'], ["key", "n"], ["state", "read"]]
    got, _ = browse(page, steps)
    tap.same(([], []), (got["errors"], got["requests"]),
             "a page of system calls: no error, no request")
    if got["errors"]:
        return
    sleeps = [e for e in there if e["name"].endswith("exit_clock_nanosleep")]
    tap.ok(len(sleeps) == 2 and got["long"]["matches"] >= 2, "took_ns > 10ms finds the sleeps",
           got["long"]["hint"])
    for k in ("first", "fit", "led", "long", *(f"{a}{k}" for k in range(5) for a in "nf")):
        tap.same([got[k]["selected"]], got[k]["shown"], f"{k}: the selected event is in the table")
        tap.same(len(got[k]["marks"]), len(set(got[k]["marks"])),
                 f"{k}: the axis has each mark once {got[k]['marks'][:2]}")
    trigger = next(i for i, e in enumerate(there) if e["name"] == "trawl:trigger")
    span = there[-1]["ts_ns"] - there[0]["ts_ns"]
    tap.ok(got["first"]["selected"] == trigger and got["first"]["view"][1] >= 1.015 * span,
           "it opens with its trigger, beside which is room",
           got["first"]["selected"], got["first"]["view"], span)
    for k in ("first", "none"):
        tap.ok(
            all(t in got[k]["details"]
                for t in ("why this was saved", "killed by SIGSEGV", "the longest of each kind",
                          "exit_clock_nanosleep")),
               f"{k}: where to look first", got[k]["details"])
    tap.ok(got["led"]["selected"] == trigger and got["none"]["selected"] == -1,
           "each of which is a link", got["led"]["selected"])
    reads = [r[5] for k in ("first", "read") for r in got[k]["rows"] if r[3].endswith("enter_read")]
    tap.ok(reads and all(re.search(r"buf\W+(0x)?[0-9a-f]*[a-f]", r) for r in reads),
           "pointers are in hex", reads[:3])
    tap.ok(re.search(r"buf\s+0x[0-9a-f]{6}", got["read"]["details"]), "in the details as well",
           got["read"]["details"])
    tap.ok(got["first"]["bars"] >= 4, "pairs have bars", got["first"]["bars"])
    tap.ok(any(r[3].endswith("exit_clock_nanosleep") or r[3].startswith("…") and
               r[3].endswith("nanosleep") for r in got["long"]["rows"]),
           "a long name keeps its end", [r[3] for r in got["long"]["rows"]])
    tap.same([0] * 5, got["long"]["wide"], "nothing is wider than the page")
    tap.ok(re.search(r"took_ns\s+\d+ \([\d.]+ ms\)", got["long"]["details"]),
           "details name took_ns", got["long"]["details"])
    tap.ok("text" not in got["example"]["hint"], "the example in the field makes sense",
           got["example"]["hint"])


if missing:
    tap.skip("the page in a browser", "not installed: " + ", ".join(missing))
else:
    check_browser()
    if os.geteuid() or not os.path.exists("/sys/kernel/tracing/events/syscalls"):
        tap.skip("a page of system calls", "needs root and tracefs")
    else:
        check_pairs()
sys.exit(tap.finish())
