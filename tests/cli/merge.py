#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""trawl-edit merge: files on one timeline. The result has the same events as a merge of the parts'
JSON: all of them by time, those of each machine decoded as in its own file. tests/reader.py must
read them in the same order."""
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

src, build = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, f"{src}/tests")
import tap


def run(*argv):
    p = subprocess.run(argv, capture_output=True)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def decode(*argv):
    return [json.loads(l) for l in run("trawl-decode", "--json", *argv)[1].splitlines()]


def merge(*argv):
    if os.path.exists(out):
        os.unlink(out)
    return run("trawl-edit", "merge", *argv, "-w", out)


def alone(e, by=0):
    return {**e, "source": e["source"].split("@")[0], "ts_ns": e["ts_ns"] - by}


tmp = tempfile.TemporaryDirectory()
out = f"{tmp.name}/out.trawl"
made = f"{tmp.name}/made.trawl"
subprocess.run([f"{build}/tests/decode/make-sample", made, "3000"], check=True)
names = ("usb-storage", "usb-keyboard", "usb-errors", "usb-hotplug", "usb-audio", "tick",
         "usb-serial", "usb-tablet")
samples = [f"{src}/samples/{s}.trawl" for s in names] + [made]

# ---- merge, done on the JSON
rng = random.Random(19)
boots = {f: run("trawl-decode", "--summary", f)[1].partition("boot_id ")[2].split(",")[0]
         for f in samples}
for _ in range(6):
    files = rng.sample(samples, rng.randint(2, 4))
    status, _, text = merge(*files)
    parts = [e for f in files for e in decode("--raw", f)]
    got = decode("--raw", out)
    one_boot = len({boots[f] for f in files}) == 1
    tap.ok(one_boot or {e["ts_ns"] for e in got} >= {e["ts_ns"] for e in decode("--raw", files[0])},
           "the timeline is the first file's")
    tap.ok(status == 0 and len(got) == len(parts) and
           all(a["ts_ns"] <= b["ts_ns"] for a, b in zip(got, got[1:])),
           f"{len(files)} files: all of their events, by time", status, text, len(got), len(parts))
    plain = sorted(json.dumps(alone(e) | {"ts_ns": 0}, sort_keys=True) for e in got)
    want = sorted(json.dumps(e | {"ts_ns": 0}, sort_keys=True) for e in parts)
    tap.ok(plain == want, "each of them as in its own file",
           [x for x in zip(plain, want) if x[0] != x[1]][:1])
    here, there = (run(*argv, out)[1].splitlines()
                   for argv in ((f"{build}/tests/format/dump",),
                                ("python3", f"{src}/tests/reader.py")))
    tap.ok(here[:len(got)] == there[:len(got)] and '"event"' in here[len(got) - 1] and
           sorted(here) == sorted(there),
           "tests/reader.py gives the same events in the same order")
    tap.same(0, run("trawl-edit", "verify", out)[0], "the merged file is whole")

# ---- random files of many sources: cut, compact and repair give the same as on the JSON
part = f"{tmp.name}/part.trawl"
base = f"{tmp.name}/base.trawl"
for _ in range(4):
    files = rng.sample(samples, 3)
    merge(*files)
    os.rename(out, base)
    whole = decode("--raw", base)
    for verb in ("compact", "repair"):
        status, _, text = run("trawl-edit", verb, base, "-w", part)
        tap.ok(status == 0 and decode("--raw", part) == whole, f"{verb} of a random file", files,
               status, text)
    a, b = sorted(rng.choice(whole)["ts_ns"] for _ in "ab")
    source = rng.choice(sorted({e["source"] for e in whole}))
    for argv, want in ((["--from", f"{a // 10**9}.{a % 10**9:09}",
                         "--until", f"{b // 10**9}.{b % 10**9:09}"],
                        [e for e in whole if a <= e["ts_ns"] < b]),
                       (["--source", source], [e for e in whole if e["source"] == source]),
                       (["--source", source, "--from", f"{a // 10**9}.{a % 10**9:09}"],
                        [e for e in whole if e["source"] == source and e["ts_ns"] >= a])):
        status, _, text = run("trawl-edit", "cut", base, *argv, "-w", part)
        got = decode("--raw", part) if status == 0 else []
        key = lambda e: (e["ts_ns"], e["name"], e["cpu"], e["tid"], e["source"])
        tap.ok(status == (0 if want else 2) and list(map(key, got)) == list(map(key, want)),
               f"cut {argv[0]} of a random file", files, argv, status, text, len(got), len(want))

# ---- the same for files of older versions of the format, and of several clocks
for name in "version1", "kinds", "words", "codings", "small4", "events", "clocks", "ticks":
    base = f"{src}/tests/golden/{name}.trawl"
    whole = decode("--raw", base)
    middle = sorted(e["ts_ns"] for e in whole)[len(whole) // 2]
    middle = f"{middle // 10**9}.{middle % 10**9:09}"
    bad = []
    for verb in ("compact", "repair"):
        status, _, text = run("trawl-edit", verb, base, "-w", part)
        bad += [(verb, text)] * (status != 0 or decode("--raw", part) != whole)
    halves = []
    for way in "--until", "--from":
        half = f"{tmp.name}/half{way}.trawl"
        status, _, text = run("trawl-edit", "cut", base, way, middle, "-w", half)
        got = decode("--raw", half)
        want = decode("--raw", way, middle, base)
        bad += [(way, text, len(got), len(want))] * (status != 0 or got != want)
        halves.append(half)
    status, _, text = merge(*halves)
    if status == 2 and "no clock-syncs" in text:
        whole = [], text  # a file without clocks says so: its halves cannot be related
    got = [alone(e) for e in decode("--raw", out)] if status == 0 else ([], text)
    bad += [("merge", text, len(got), len(whole))] * (got != whole)
    tap.same([], bad, f"golden {name}: compact, repair, cut in two and merged")

# ---- two machines with USB, whose events are counted from 0 each: what is chosen is of one
storage, audio = (f"{src}/samples/usb-{n}.trawl" for n in ("storage", "audio"))
merge(storage, audio)
isochronous = ("--where", 'name == "usb:iso"')
want = [alone(e) for e in decode(*isochronous, audio)]
status, _, text = run("trawl-edit", "cut", out, *isochronous, "-w", part)
got = decode(part)
tap.ok(status == 0 and len(got) == len(want) > 5 and {e["name"] for e in got} == {"usb:iso"},
       "cut --where of a merged file has events of the chosen machine only", text,
       [(e["source"], e["name"]) for e in got][:5])
lines = run("trawl-export", "--to", "usbmon", *isochronous, out)[1].splitlines()
tap.ok(lines and {l.split()[3][:2] for l in lines} <= {"Zo", "Zi"}, "and so has an export",
       lines[:3])

# What was done to the merged file is known of each of its machines.
second = f"{tmp.name}/second.trawl"
run("trawl-edit", "redact", "--keep", "sectors", storage, "-w", second)
for argv, mark in ((["redact"], "zeros: perhaps redacted"),
                   (["cut", "--where", "length > 31 or tag == 15"], "a guess: ")):
    counts = []
    for file in second, out:
        merge(audio, second)
        run("trawl-edit", *argv, file, "-w", part)
        counts.append(run("trawl-decode", "--name", "usb:bulk", part)[1].count(mark))
    tap.ok(counts[0] == counts[1] > 0,
           f"{argv[0]} of a merged file: '{mark}' is said of the second machine's transfers, too",
           counts)

# ---- merged files are merged again: machines of one name stay apart, and so do imported interfaces
def make_machine(letter, host, source="event", at=None):
    """A file of one event of task 7, which has a name of its own on each machine."""
    file = f"{tmp.name}/{letter}.trawl"
    record = struct.pack("<HHi", 1, 0, 7).hex()
    lines = [f"source {source} tracefs", "type 0 1 8 app:work name: work\\nID: 1\\nformat:\\n"
             "\\tfield:int common_pid;\\toffset:4;\\tsize:4;\\tsigned:1;\\n\\nprint fmt: \"\"",
             f"event 0 1 0 {2000 + (ord(letter) if at is None else at)} {record}"]
    if host:
        machine = json.dumps({"boot_id": letter, "hostname": host})
        lines[1:1] = [f"meta 0 machine application/json {machine}",
                      'meta 0 task/7 application/json {"tid":7,"pid":7,"comm":"on-%s"}' % letter]
    subprocess.run([f"{build}/tests/decode/make-lines", file], text=True, check=True,
                   input="\n".join(lines) + "\n")
    return file


one, two, three = (make_machine(*m) for m in (("a", "lab"), ("b", "other"), ("c", "lab")))
merge(two, three)
merged = f"{tmp.name}/merged.trawl"
os.rename(out, merged)
status, _, text = merge(one, merged)
tap.same([("event@lab", "on-a"), ("event@lab#2", "on-c"), ("event@other", "on-b")],
         sorted((e["source"], e["comm"]) for e in decode(out)),
         "a merged file and another machine that is called as one in it")
one, two = (make_machine(letter, "", "event@usbmon0") for letter in "xy")
status, _, text = merge(one, two)
tap.same(["event@usbmon0", "event@usbmon0#2"], sorted(e["source"] for e in decode(out)),
         "two imports whose interfaces have the same name")
long = "lab-" + "x" * 60
merge(make_machine("c", long), make_machine("d", "lab"))
os.rename(out, merged)
merge(merged, make_machine("e", "lab"))
tap.same(["event@lab", "event@lab#2", f"event@{long}"], sorted(e["source"] for e in decode(out)),
         "a machine with the longest name of a host, merged twice")

# ---- copies: chunks of the same time and size, unless they are known to be of other boots
status, _, text = merge(make_machine("f", "lab", at=0), make_machine("g", "lab", at=0))
tap.ok(status == 0 and len(decode(out)) == 2, "equal times of two boots", status, text)
status, _, text = merge(make_machine("f", "", at=0), make_machine("g", "lab", at=0))
tap.ok(status == 2 and "are in" in text, "equal times, and one boot is not known", status, text)

# ---- two machines whose tasks have the same ids: each keeps its own names
tick = f"{src}/samples/tick.trawl"
other = f"{tmp.name}/other.trawl"
run("trawl-edit", "redact", tick, "-w", other)
status, _, text = merge(tick, other, "--shift", f"{other}=+300us")
a, b, got = decode(tick), decode(other), decode(out)
hosts = sorted({e["source"].split("@")[1] for e in got})
tap.ok(status == 0 and len(hosts) == 2 and boots[tick] not in text, "two machines", status, text,
       hosts)
mine = hosts[0] if [alone(e) for e in got
                    if e["source"].endswith("@" + hosts[0])] == a else hosts[1]
tap.same(a, [alone(e) for e in got if e["source"].endswith("@" + mine)],
         "the first one's events are as in its file")
tap.same(b, [alone(e, 300000) for e in got if not e["source"].endswith("@" + mine)],
         "the second one's, too, 300 us later, with its own names of tasks and probes")
tap.same(sorted(e["ts_ns"] for e in got), [e["ts_ns"] for e in got], "in the order of time")
lines = run("trawl-decode", out)[1].splitlines()
tap.ok(lines and all(l.split()[1] in hosts for l in lines), "each line says of which machine it is",
       lines[:2])
tap.same(len([e for e in a if e["source"].startswith("u")]),
         len(decode("--source", f"u*@{mine}", out)), "--source u*@MACHINE")
tap.same(len([e for e in got if e["source"].startswith("usdt@")]),
         len(decode("--source", "usdt", out)), "--source usdt")
tap.ok(all("+-?" in l.split()[1] for l in run("trawl-decode", "--bounds", out)[1].splitlines()
           if l.split()[2] != mine) and
       "+-?" not in "".join(l for l in run("trawl-decode", "--bounds", out)[1].splitlines()
                            if f" {mine} " in l),
       "--bounds: how far the other's clock is off is not known",
       run("trawl-decode", "--bounds", out)[1][:300])

# ---- a merged file stays merged after cut, compact and repair
for verb in (["cut", "--from", "+0"], ["compact"], ["repair"]):
    again = f"{tmp.name}/again.trawl"
    status, _, text = run("trawl-edit", verb[0], out, *verb[1:], "-w", again)
    tap.same((0, got), (status, decode(again)), f"{verb[0]} of a merged file")
third = f"{tmp.name}/third.trawl"
shutil.copy(out, third)
status, _, text = merge(third, samples[0])
tap.same((0, got), (status, [e for e in decode(out) if e["source"].split("@")[0] != "usb"]),
         "a merged file is merged with another")

# ---- transfers without a completion are shown at the end of their own capture
keyboard = f"{src}/samples/usb-keyboard.trawl"
merge(tick, keyboard, "--shift", f"{keyboard}=-1000000s")
got, want = decode(out), decode(keyboard)
mine = [alone(e) for e in got if e["source"].startswith("usb@")]
tap.ok(any(e["fields"]["end"] == "pending" for e in want) and
       [e["fields"] | {"submit_ns": 0} for e in mine] ==
       [e["fields"] | {"submit_ns": 0} for e in want] and
       all(a["ts_ns"] <= b["ts_ns"] for a, b in zip(got, got[1:])),
       "transfers that were open at an earlier capture's end stand there", got[-1])
halves = []
for k, line in enumerate(("1000000 S Ii:1:002:1 -115:8 8 <",
                          "9000000 C Ii:1:002:1 0:8 8 = 00000000 00000000")):
    with open(f"{tmp.name}/half{k}.txt", "w") as f:
        f.write(f"ffff88003c0d0a80 {line}\n")
    run("trawl-edit", "import", f"{tmp.name}/half{k}.txt", "-w", f"{tmp.name}/half{k}")
    halves += [f"{tmp.name}/half{k}"]
with open(out, "wb") as f:
    for half in halves:
        with open(half, "rb") as g:
            f.write(g.read())
got = [e["fields"] for e in decode(out)]
tap.ok(got == [decode(half)[0]["fields"] for half in halves] and "latency_ns" not in got[1],
       "transfers of captures one after another are not joined", got)

# ---- a file is decoded only when the merge reaches its times; a cut has only the files in its
# range
long = f"{tmp.name}/long.trawl"
subprocess.run([f"{build}/tests/decode/make-sample", long, "40000"], check=True)
rows = [f"{tmp.name}/row{k}.trawl" for k in range(12)]
shifts = []
for k, row in enumerate(rows):
    os.link(long, row)
    shifts += ["--shift", f"{row}=+{k * 1000}s"] if k else []
status, _, said = merge(*rows, *shifts)
one = decode(long)
memory = next(mb for mb in (1, 2, 4, 8, 16, 32, 64, 128)
              if run("trawl-decode", "--memory", f"{mb}M", long, "-c", "1")[0] == 0)
status, text, said = run("trawl-decode", "--memory", f"{2 * memory}M", "--json", out)
tap.ok(status == 0 and text.count("\n") == 12 * len(one),
       "12 files one after another are read in twice the memory of one", memory, status, said)
size = os.path.getsize(out)
status, _, said = run("trawl-edit", "cut", out, "--from", "+5000s", "--until", "+5001s", "-w", part)
tap.ok(status == 0 and os.path.getsize(part) < size / 6 and
       len(decode(part)) == len([e for e in one if e["ts_ns"] < one[0]["ts_ns"] + 10**9]),
       "a part of one of them has nothing of the others", status, said, os.path.getsize(part), size)

# ---- refused: clocks that cannot be related
text = f"{tmp.name}/old.txt"
with open(text, "w") as f:
    f.write(
        "ffff88003c0d0a80 1000000 S Ii:1:002:1 -115:8 8 <\nffff88003c0d0a80 1008000 C Ii:1:002:1 "
        "0:8 8 = 00000000 00000000\n")
status, _, said = merge(samples[0], text)
tap.ok(status == 2 and "cannot be related" in said and "--shift" in said and
       not os.path.exists(out), "usbmon text", status, said)
status, _, said = merge(samples[0], text, "--shift", f"{text}=1795234844s")
tap.ok(status == 0 and len(decode("--raw", out)) == len(decode("--raw", samples[0])) + 2 and
       "by hand" in said, "by hand it can", status, said)
copy = f"{tmp.name}/copy.trawl"
shutil.copy(tick, copy)
status, _, said = merge(tick, copy, "--shift", f"{copy}=+1s")
tap.ok(status == 0 and len(decode(out)) == 2 * len(decode(tick)), "a copy on purpose", status, said)
for argv, want, words in (([made], 2, "two files"),
                          ([made, f"{tmp.name}/nil"], 3, "cannot be opened"),
                          ([tick, tick], 2, "are in"), ([tick, copy], 2, "are in"),
                          ([made, tick, "--shift", "x"], 2, "is not FILE=TIME"),
                          ([made, tick, "--shift", f"{tick}=soon"], 2, "not a duration"),
                          ([made, tick, "--shift", "nil=1s"], 2, "none of the files"),
                          ([made, tick, "--shift", f"{tick}=1s", "--shift", f"{tick}=1s"], 2,
                           "given twice"),
                          ([made, out], 2, "is the input too")):
    status, _, said = run("trawl-edit", "merge", *argv, "-w", out)
    tap.ok(status == want and words in said, words, status, said)
with open(made, "rb") as f:
    whole = f.read()
with open(f"{tmp.name}/half.trawl", "wb") as f:
    f.write(whole[:len(whole) * 2 // 3])
status, _, said = merge(tick, f"{tmp.name}/half.trawl")
tap.ok(status == 1 and "half.trawl" in said and
       len(decode("--raw", out)) == len(decode("--raw", tick)) +
       len(decode("--raw", f"{tmp.name}/half.trawl")),
       "of a file that breaks off what there is, and status 1", status, said)
sys.exit(tap.finish())
