#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""trawl-edit cut: the result has exactly the events that trawl-decode shows for the selection,
for any selection, and no metadata of omitted events. tests/reader.py must read it as well."""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

src, build = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, f"{src}/tests")
import reader
import tap


def run(*argv):
    p = subprocess.run(argv, capture_output=True)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


def decode(*argv):
    return run("trawl-decode", "--json", *argv)[1].splitlines()


def cut(file, out, *argv):
    if os.path.exists(out):
        os.unlink(out)
    return run("trawl-edit", "cut", file, "-w", out, *argv)




tmp = tempfile.TemporaryDirectory()
out = f"{tmp.name}/out.trawl"
made = f"{tmp.name}/made.trawl"
subprocess.run([f"{build}/tests/decode/make-sample", made, "3000"], check=True)
samples = [f"{src}/samples/{s}.trawl" for s in (
    "usb-storage", "usb-keyboard", "usb-errors", "usb-hotplug", "usb-audio", "tick")] + [made] + [
    f"{src}/tests/golden/{s}.trawl" for s in ("events", "clocks", "moved", "two", "smalls",
                                              "single")]

# ---- by time: blocks outside the range are not read; the index suffices
long, uuid = f"{tmp.name}/long.trawl", b"wrt\x80"
subprocess.run([f"{build}/tests/decode/make-sample", long, "200000"], check=True)
with open(long, "rb") as f:
    data = bytearray(f.read())
uuid = data[data.index(uuid) + 8:][:16]
at, chunks = -1, []
while (at := data.find(uuid, at + 1)) >= 0:
    if data[at + 16] == 5:  # a chunk's block
        chunks.append((at - 8, int.from_bytes(data[at - 4:at], "little")))
late = max(chunks[len(chunks) // 2:], key=lambda c: c[1])  # not a chunk of tasks, of all times
data[sum(late) - 1] ^= 1  # damage the length at its end
with open(long, "wb") as f:
    f.write(data)
times = [json.loads(l)["ts_ns"] for l in decode("--raw", "-c", "2000", long)]
status, _, text = cut(long, out, "--until", f"{times[-1] // 10**9}.{times[-1] % 10**9:09}")
tap.ok(len(chunks) > 2 and status == 0 and 0 < len(decode("--raw", out)) < 2000,
       "by time: a block out of the range is not read", status, text)
status, _, text = cut(long, out)
tap.ok(status == 1 and "damaged" in text, "of all of a file damage is told", text)

# ---- by time: whole chunks are copied, and those at the edges are encoded again
rng = random.Random(19)
for file in samples:
    every = [json.loads(l) for l in decode("--raw", file)]
    name = os.path.basename(file)
    if not every:
        continue
    first, last = every[0]["ts_ns"], max(e["ts_ns"] for e in every)
    wrong = []
    for _ in range(6):
        a, b = sorted(rng.randint(first, last + 1) for _ in "ab")
        span = ["--from", f"{a // 10**9}.{a % 10**9:09}", "--until", f"{b // 10**9}.{b % 10**9:09}"]
        want = decode("--raw", *span, file)
        status, _, text = cut(file, out, *span)
        if not want:
            if status != 2 or os.path.exists(out):
                wrong.append((span, status, text))
        elif status != 0 or decode("--raw", out) != want:
            wrong.append((span, status, text, len(want), len(decode("--raw", out))))
    tap.ok(not wrong, f"{name}: random stretches of time are what trawl-decode shows of them",
           wrong)

# ---- times that go back, in an imported file without clock syncs: a stream's event is shown no
# earlier than the one before it, which may be in an earlier chunk
moved = f"{src}/tests/golden/moved.trawl"
shown = [json.loads(l)["ts_ns"] for l in decode("--raw", moved)]
set_back = [t for t in sorted(set(shown)) if shown.count(t) > 6]
for before in (False, True):
    for time in set_back:
        argv = ["--until" if before else "--from", f"{time // 10**9}.{time % 10**9:09}"]
        status, _, text = cut(moved, out, *argv)
        kept = [t for t in shown if (t < time) == before]
        tap.same((0, kept), (status, [json.loads(l)["ts_ns"] for l in decode("--raw", out)]),
                 f"moved.trawl {' '.join(argv)}: with the events that its clock set back")
back = f"{tmp.name}/back.trawl"
with open(f"{tmp.name}/back.txt", "w") as f:
    f.writelines(f"ffff8880{i:08x} {t}000000 S Bo:1:002:1 -115 4 = 0000000{i}\n"
                 for i, t in enumerate((100, 200, 300, 250, 220, 400)))
run("trawl-edit", "import", f"{tmp.name}/back.txt", "-w", back)
status, _, text = cut(back, out, "--from", "240", "--until", "260")
tap.same((0, [250]), (status, [json.loads(l)["ts_ns"] // 10**9 for l in decode("--raw", out)]),
         "without clock syncs times are as they were imported")

def apart(lines):
    """The items without what earlier transfers tell of a transfer."""
    items = [json.loads(l) for l in lines]
    for e in items:
        for member in ("decoded", "context_guessed") if e["name"].startswith("usb:") else ():
            e["fields"].pop(member, None)
    return items


# ---- by an expression: both records of a transfer are kept
for file, argv in ((samples[0], ["--where", "length > 30"]),
                   (samples[2], ["--where", "status != 0"]),
                   (samples[1], ["--name", "usb:interrupt"]), (made, ["--where", "arg1 > 5"]),
                   (made, ["--pid", "100"]), (made, ["--source", "usdt"]),
                   (made, ["--name", "sched:*"]),
                   (made, ["-c", "17"])):
    status, _, text = cut(file, out, *argv)
    tap.same((0, apart(decode(*argv, file))), (status, apart(decode(out))),
             f"{os.path.basename(file)} {' '.join(argv)}: as trawl-decode chooses")
status, _, text = cut(samples[0], out, "--around", "name == \"usb:control\"", "--window", "1ms")
tap.same(decode("--raw", "--around", "name == \"usb:control\"", "--window", "1ms", samples[0]),
         decode("--raw", out),
         "--around --window")
status, _, text = cut(made, out, "--every", "10")
tap.same(decode(made)[::10], decode(out), "--every 10")


def common_fields(id, name):
    """The format of an event type, as kernels begin it, for make-lines."""
    return (f"name: {name}\\nID: {id}\\nformat:\\n" + "".join(
        f"\\tfield:{declared};\\toffset:{at};\\tsize:{n};\\tsigned:0;\\n"
        for at, n, declared in ((0, 2, "unsigned short common_type"), (4, 4, "int common_pid"))) +
        "\\nprint fmt: \"\"")


# Tasks without metadata, one with two names, which only sched_switch tells.
texts, numbers = ((("prev_comm", 8), ("next_comm", 28)), (("prev_pid", 24), ("next_pid", 44)))
lines = ["source event tracefs",
         f"type 0 1 48 sched:sched_switch {common_fields(1, 'sched_switch')}",
         *(f"field {n} 11 0 {at} 1 16 char[16]" for n, at in texts),
         *(f"field {n} 5 0 {at} 4 1 pid_t" for n, at in numbers),
         f"type 0 2 12 app:work {common_fields(2, 'work')}", "field n 0 0 8 4 1 unsigned int"]
for k, (was, ran, to, runs) in enumerate(((b"swapper/0", 0, b"early", 7), (b"later", 7, b"x", 9),
                                          (b"x", 9, b"later", 7)), 1):
    record = struct.pack("<HHi16si16si", 1, 0, ran, was, ran, to, runs)
    lines += [f"event 0 1 0 {k * 2000} {record.hex()}",
              f"event 0 2 0 {k * 2000 + 500} {struct.pack('<HHiI', 2, 0, runs, k).hex()}"]
named = f"{tmp.name}/named.trawl"
subprocess.run([f"{build}/tests/decode/make-lines", named], input="\n".join(lines) + "\n",
               text=True, check=True)
for argv in (("--where", "n > 0"), ("--name", "app:work"), ("--where", "n > 1")):
    there = decode(*argv, named)
    status, _, text = cut(named, out, *argv)
    tap.ok(status == 0 and [json.loads(l)["comm"] for l in there][-2:] == ["x", "later"] and
           decode(out) == there, f"{' '.join(argv)}: tasks keep the names that sched_switch tells",
           text, there, decode(out))
cut(samples[0], out, "--every", "3")
halves = [(e["fields"].get("urb"), e["name"]) for e in map(json.loads, decode("--raw", out))]
whole = {l["ts_ns"] for l in map(json.loads, decode(samples[0]))}
few = [l["ts_ns"] for l in map(json.loads, decode(out))]
tap.ok(2 < len(few) < len(whole) and set(few) <= whole, "--every: transfers stay whole", few,
       halves)

# An URB, and thus its id, is used for one transfer after the other.
tablet = f"{src}/samples/usb-tablet.trawl"
there = decode(tablet)
cut(tablet, out, "--every", "8")
tap.ok(len(there) == 23 and decode(out) == there[::8],
       "--every: of an URB that is submitted again and again, every N-th transfer", decode(out))

# What a transfer means depends on those before it, which a part may lack.
for argv, guessed, plain in ((["--every", "4"], 1, 0), (["--from", "+0"], 0, 0),
                             (["--where", "length > 31 or tag == 15"], 1, 4)):
    cut(samples[0], out, *argv)
    shown = [json.loads(l)["fields"] for l in decode(out)]
    lines = run("trawl-decode", out)[1].decode()
    tap.same((guessed, guessed, plain, False),
             (sum(f.get("context_guessed", False) for f in shown),
              lines.count("  (a guess: transfers before it were left out)"),
              sum(not f["decoded"] for f in shown), "tag is not that" in lines),
             f"{' '.join(argv)}: data of a disk that may be another command's is said to be a guess")

# ---- what is left out leaves nothing behind
cut(made, out, "--pid", "100")
text = subprocess.run(["python3", f"{src}/tests/reader.py", out], capture_output=True).stdout
cut(made, f"{tmp.name}/all.trawl", "--from", "+0")
full = subprocess.run(["python3", f"{src}/tests/reader.py", f"{tmp.name}/all.trawl"],
                      capture_output=True).stdout
names = [json.loads(l)["meta"]["name"] for l in text.splitlines() if b'"meta"' in l[:12]]
tasks = {e[key] for e in map(json.loads, decode(out)) for key in ("tid", "pid")}
kept = {n for n in names if n.startswith("task/")}
tap.ok(kept and all(int(n[5:]) in tasks for n in kept),
       "only the tasks that the events name are told of", kept, tasks)
for n in ("probe/", "maps/"):
    tap.ok(all(m in full.decode() for m in names if m.startswith(n)), f"{n}: nothing is made up")
status, _, text = run("trawl-edit", "verify", out)
tap.same(0, status, "the part is a whole file")

# ---- --max-size
status, _, text = cut(made, out, "--max-size", "1K")
tap.ok(status == 0 and 500 < os.path.getsize(out) <= 1024 and "all would take" in text and
       2 <= len(decode(out)) < 3000,
       "--max-size keeps as much as fits, and tells what not", os.path.getsize(out), text)
tap.ok(run("trawl-decode", "--summary", out)[1].decode().count("operation cut") == 1,
       "--summary tells of the cut")
status, _, text = cut(made, out, "--max-events", "100")
kept = decode(out)
tap.ok(status == 0 and 60 < len(kept) <= 100 and kept == decode(made)[-len(kept):] and
       "--max-events 100: kept is what is nearest to the end" in text,
       "--max-events keeps so many, nearest to the end", len(kept), text)
status, _, text = cut(made, out, "--max-events", "3000000")
tap.same((0, decode(made)), (status, decode(out)), "or all, if there are no more")
cut(made, out, "--max-size", "1K")
same_size = os.path.getsize(out)
cut(made, out, "--max-size", "1k")
tap.ok(os.path.getsize(out) == same_size, "a unit may be a small letter")
status, _, text = cut(made, out, "--max-size", "100")
tap.ok(status == 2 and "smallest part" in text and not os.path.exists(out),
       "a size that can't be reached: the smallest that can", text)
for file in samples:
    status, _, text = cut(file, out, "--max-size", "100")
    least = re.search(r"smallest part, around [a-z ]+, takes (\d+) bytes, (\d+) event", text)
    if least:
        got = cut(file, out, "--max-size", least[1])
        tap.ok(int(least[2]) > 0 and not got[0] and decode(out),
               "and it can be reached, with events", os.path.basename(file), text, got[2])

# ---- bad input
for argv, want, words in ((["--where", "arg1 == 123456"], 2, "nothing of it is chosen"),
                          (["--where", "foo > 1"], 2, "no event has a field 'foo'"),
                          (["--window", "1s"], 2, "--around, --window: one of them is missing"), (["--every", "0"], 2, "above 0"),
                          (["--max-size", "x"], 2, "not a size"),
                          (["--max-events", "x"], 2, "not a number of events"),
                          (["--source", "nil"], 2, "the file has no source")):
    status, _, text = cut(made, out, *argv)
    tap.ok(status == want and words in text and not os.path.exists(out),
           f"{' '.join(argv)}: {words}", status, text)
status, _, text = run("trawl-edit", "cut", made, "-w", made)
tap.ok(status == 2 and "is the input too" in text, "the output is not the input", text)
half = subprocess.run([f"{build}/tests/decode/make-sample", "-", "90000"], capture_output=True,
                      check=True).stdout
with open(f"{tmp.name}/half.trawl", "wb") as f:
    f.write(half[:len(half) * 2 // 3])
status, _, text = cut(f"{tmp.name}/half.trawl", out, "--from", "+0")
tap.ok(status == 1 and "cut at byte" in text and decode(out) == decode(f"{tmp.name}/half.trawl"),
       "of a file that breaks off what there is, and status 1", status, text)
# ---- compact and repair write the whole file again
for file in samples:
    before = decode("--raw", file)
    for verb in ("compact", "repair"):
        status, _, text = run("trawl-edit", verb, file, "-w", out)
        tap.ok(status == 0 and decode("--raw", out) == before and
               run("trawl-edit", "verify", out)[0] == 0,
               f"{verb} {os.path.basename(file)}: the same events", status, text)
# ---- branches: after batches of a task that are left out, the next begins with a mark
flow = f"{tmp.name}/flow.trawl"
# A file of a row (-C) keeps its batches; any other short one would be joined to one or two.
status, _, text = run("trawl", "-q", "-C", "100", "-i", "branch:ptrace", "-w", flow, "--",
                      "/bin/true")
batches = [json.loads(line) for line in decode("--raw", flow)]
tap.ok(status == 0 and len(batches) > 2, "a recording of branches", status, text, batches)
for argv, gaps in ((["--every", "2"], (len(batches) + 1) // 2 - 1),
                   (["--from", str(batches[1]["ts_ns"])], 0)):
    status, _, text = cut(flow, out, *argv)
    lost = [e for e in map(json.loads, decode(out)) if e["name"] == "branch:lost"]
    calls = run("trawl-decode", "--calls", out)[1].count(b"*** branches lost")
    tap.ok(status == 0 and len(lost) == calls == gaps and
           all(not e["fields"]["lost"] for e in lost),
           f"{argv[0]}: an unknown number of branches is said to be missing", gaps, lost, calls,
           text)
    kept = [json.loads(line)["fields"] for line in decode("--raw", out)]
    tap.ok(kept == [b["fields"] for b in batches[1 if gaps == 0 else 0::1 if gaps == 0 else 2]],
           f"{argv[0]}: the branches are the same", kept)
    tap.ok(run("trawl-edit", "verify", out)[0] == 0, f"{argv[0]}: the file is whole")
# Files that compact cannot make smaller.
small = [f"{src}/tests/golden/{g}.trawl" for g in ("empty", "example", "smalls4", "small4")]
for file in small + [out]:
    for turn in ("", " once more"):
        status, _, text = run("trawl-edit", "compact", file, "-w", f"{tmp.name}/less.trawl")
        larger = os.path.getsize(f"{tmp.name}/less.trawl") - os.path.getsize(file)
        tap.ok(status == 0 and larger <= 0 and decode(f"{tmp.name}/less.trawl") == decode(file),
               f"compact {os.path.basename(file)}{turn}: no larger than it was", larger, text)
        os.rename(f"{tmp.name}/less.trawl", f"{tmp.name}/again.trawl")
        file = f"{tmp.name}/again.trawl"
with open(f"{tmp.name}/whole.trawl", "wb") as f:
    f.write(half)
for name in ("half", "hole"):
    bad = bytearray(half)
    if name == "hole":
        bad[len(bad) // 2:len(bad) // 2 + 64] = bytes(64)
    else:
        bad = bad[:len(bad) * 2 // 3]
    with open(f"{tmp.name}/bad.trawl", "wb") as f:
        f.write(bad)
    status, _, text = run("trawl-edit", "repair", f"{tmp.name}/bad.trawl", "-w", out)
    left = decode(f"{tmp.name}/bad.trawl")
    tap.ok(status == 0 and left and decode(out) == left and
           f"saved undamaged: {len(left)} events" in text and
           run("trawl-edit", "verify", out)[0] == 0,
           f"repair ({name}): what is whole, and what is gone", status, text, len(left))
    summary = run("trawl-decode", "--summary", out)[1].decode()
    lost = [int(n) for n in re.findall(r"^  \S+: (\d+) \(file damaged\) between", summary, re.M)]
    said = [int(n) for n in re.findall(r"missing: (\d+) events? of \S+, between", text)]
    if name == "hole":
        tap.same((len(decode(f"{tmp.name}/whole.trawl")), lost), (len(left) + sum(lost), said),
                 "repair (hole): the events of the damaged block are a loss of the new file")
    else:
        tap.ok("that is not all: the file was damaged" in summary and
               "how many events are missing is not known" in text,
               "repair (half): that events are missing is in the new file", text, summary)
    for verb in (["cut", "--from", "+0"], ["compact"], ["redact"], ["merge", made]):
        if name == "half":
            run("trawl-edit", *verb, f"{tmp.name}/bad.trawl", "-w", out)
            summary = run("trawl-decode", "--summary", out)[1].decode()
            tap.ok(re.search(r"^  that is not all: the file was damaged|"
                             r"^losses +none as far as is known: the file was damaged",
                             summary, re.M),
                   f"{verb[0]}: nor does a copy of it", summary)
    bad = run("trawl-decode", "--summary", f"{tmp.name}/bad.trawl")[1].decode()
    if name == "hole":
        holes = [int(n) for n in re.findall(r"^  \S+: (\d+) \(file damaged\) between", bad, re.M)]
        lines = run("trawl-decode", f"{tmp.name}/bad.trawl")[1].decode()
        tap.same((lost, False), (holes, "that is not all" in bad),
                 "the damaged file itself has the same loss, and no other")
        tap.same([str(n) for n in lost], re.findall(r"\*\*\* (\d+) events .*: file damaged", lines),
                 "and its text has a line at the hole")
        run("trawl-edit", "redact", f"{tmp.name}/bad.trawl", "-w", out)
        redacted = run("trawl-decode", "--summary", out)[1].decode()
        tap.same(lost, [int(n) for n in re.findall(r": (\d+) \(file damaged\) between", redacted)],
                 "a redacted copy of it has this loss, too")
    else:
        tap.ok(re.search(r"^  that is not all: |^losses      none as far as is known: ", bad, re.M),
               f"repair ({name}): the damaged file does not say that nothing is missing", bad)
with open(f"{src}/samples/tick.trawl", "rb") as f:
    start = f.read()[:1500]
with open(f"{tmp.name}/bad.trawl", "wb") as f:
    f.write(start)
status, _, text = run("trawl-edit", "repair", f"{tmp.name}/bad.trawl", "-w", out)
tap.ok(status == 1 and "no event could be saved" in text and
       run("trawl-edit", "verify", out)[0] == 0, "repair: nothing to save is status 1", status, text)
with open(out, "wb") as f:
    f.write(b"another file")
status, _, text = run("trawl-export", "--to", "json", f"{tmp.name}/bad.trawl", "-w", out)
with open(out, "rb") as f:
    tap.same((1, b"another file"), (status, f.read()),
             "trawl-export: an export of nothing, which is empty, replaces no file")
# What cannot be read at all replaces no file: its only block is damaged, or cut.
with open(f"{src}/tests/golden/small4.trawl", "rb") as f:
    small = bytearray(f.read())
small[100] ^= 0xff
for name, data in ("damaged", small), ("cut", small[:20]):
    with open(f"{tmp.name}/bad.trawl", "wb") as f:
        f.write(data)
    for verb in (["cut"], ["compact"], ["repair"], ["redact"], ["merge", made]):
        with open(out, "wb") as f:
            f.write(b"another file")
        status, _, text = run("trawl-edit", *verb, f"{tmp.name}/bad.trawl", "-w", out)
        with open(out, "rb") as f:
            left = f.read()
        tap.same((1, True, 1, b"another file"),
                 (status, text.startswith(f"trawl-edit: {tmp.name}/bad.trawl: is ") and
                  text.endswith("; get another copy of it\n"), text.count("\n"), left),
                 f"{verb[0]}: a file that is {name}, of which nothing can be read")
with open(made, "rb") as f:
    p = subprocess.run(["trawl-edit", "cut", "-", "-w", out, "--pid", "100"], stdin=f,
                       capture_output=True)
tap.same((0, decode("--pid", "100", made)), (p.returncode, decode(out)), "from a pipe")

# ---- losses are cut to the range; the count of a loss that is cut in two becomes unknown
def losses(file):
    text = subprocess.run(["trawl-decode", "--summary", file], capture_output=True, text=True).stdout
    text = text.split("\nlosses ")[1].split("\n\n")[0]
    return [line.strip() for line in text.splitlines()[1:] if line.startswith("  event ")]


lossy = f"{tmp.name}/lossy.trawl"
subprocess.run([f"{build}/tests/edit/make-secrets", lossy, "damaged"], check=True)
day = "2026-11-21 01:44:36"
tap.same([f"event cpu 1: 77 (overrun) between {day}.000000000 UTC and {day}.002000000 UTC"],
         losses(lossy), "a loss from begin to end")
status, _, text = cut(lossy, out, "--from", "+200us", "--until", "+400us", "--source", "event")
tap.same((0, [f"event cpu 1: an unknown number (overrun) between {day}.000201000 UTC and "
              f"{day}.000400999 UTC"]), (status, losses(out)), "is clipped to the part")
status, _, text = cut(lossy, out, "--every", "2", "--source", "event")
tap.same((0, losses(lossy)), (status, losses(out)), "one that is inside stays as it is")
sys.exit(tap.finish())
