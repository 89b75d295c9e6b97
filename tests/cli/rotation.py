#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files of a row, and those of a flight recorder: each holds all events, of all sources and CPUs,
of one time range, and no others; together they hold each event once.

A turn of samples/tick hits tick_step and then tick:loop. Two such programs run, each on its own
CPU. So in every file the hits of a program have no gap, the numbers of both probes differ by one at
most, and the next file begins with the program's next hit."""
import collections
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["TRAWL_SRC"], "tests"))
import tap  # noqa: E402

BUILD = os.environ["TRAWL_BUILD"]
TURNS = 20000


def run(*args, **more):
    return subprocess.run(args, capture_output=True, text=True, timeout=120, check=False, **more)


def on_cpu(n):
    cpus = sorted(os.sched_getaffinity(0))
    return lambda: os.sched_setaffinity(0, {cpus[n % len(cpus)]})


def start_ticks(tick, turns, pause):
    return [subprocess.Popen([tick, str(turns), str(pause)], stdout=subprocess.DEVNULL,
                             preexec_fn=on_cpu(n))
            for n in range(2)]


def read(path):
    """({(process, source): turns of its hits in order}, times of events, metadata "end")."""
    hits = collections.defaultdict(list)
    for line in run("trawl-decode", "--json", path).stdout.splitlines():
        e = json.loads(line)
        if e["source"] in ("usdt", "uprobe"):
            hits[e["tid"], e["source"]].append(e["fields"].get("n", e["fields"].get("arg1")))
    stamps = [int(t) for t in re.findall(r'^\{"event":\{"time":\d+(?:,"bound":\d+)?,"ts":(\d+)',
                                         run(f"{BUILD}/tests/format/dump", path).stdout, re.M)]
    return hits, stamps, json.loads(run("trawl-decode", "--meta=end", path).stdout)


def check(name, files, total=None, gaps=False):
    """Checks the files of one capture, in order. gaps: events between files may be missing, as a
    ring drops its oldest."""
    after, probes, before, skewed, outside, twice = {}, collections.Counter(), None, [], [], []
    for path in files:
        hits, stamps, end = read(path)
        for (pid, source), turns in hits.items():
            where = os.path.basename(path), pid, source
            probes[source] += len(turns)
            # read() leaves out events of a ring that are older than its begin.
            if turns != list(range(turns[0], turns[-1] + 1)):
                twice.append(where)
            if (pid, source) in after and (turns[0] < after[pid, source] if gaps
                                           else turns[0] != after[pid, source]):
                twice.append((*where, turns[0], after[pid, source]))
            after[pid, source] = turns[-1] + 1
        for pid in {p for p, _ in hits}:
            step, loop = hits[pid, "uprobe"], hits[pid, "usdt"]
            if abs(len(step) - len(loop)) > 1:
                skewed.append((os.path.basename(path), pid, len(step), len(loop)))
        if stamps and not (end["begin_mono_ns"] <= min(stamps) and
                           max(stamps) <= end["end_mono_ns"]):
            outside.append((path, end["begin_mono_ns"] - min(stamps),
                            max(stamps) - end["end_mono_ns"]))
        if before and (end["begin_mono_ns"] < before + 1 if gaps
                       else end["begin_mono_ns"] != before + 1):
            outside.append((path, end["begin_mono_ns"], before))
        before = end["end_mono_ns"]
    tap.ok(len(files) > 2, f"{name}: several files ({len(files)})")
    if not gaps:
        tap.same([], skewed,
                 f"{name}: in each file as many hits of the one probe as of the other, or one more")
    tap.same([], twice, f"{name}: no hit is missing or in two files")
    tap.same([], outside,
             f"{name}: each file states its span, which holds its events and follows the one "
             f"before")
    if total is not None:
        tap.same({"usdt": total, "uprobe": total}, dict(probes),
                 f"{name}: all hits are in one of them")


def row(work, tick, name, *options, turns=TURNS, pause=0):
    """Records a row of files. turns None: the programs run until the capture has ended; then they
    need a pause, as a recorder under sanitizers would lose some of endless hits."""
    ticks = start_ticks(tick, 1 << 30, pause) if turns is None else []
    command = ["sh", "-c", " & ".join(f"taskset -c {c} {tick} {turns} {pause}" for c in sorted(
        os.sched_getaffinity(0))[:2]) + " & wait"] if turns else []
    r = run("trawl", "-i", f"usdt:{tick}:tick:loop", "-i", f"uprobe:{tick}:tick_step n", *options,
            "-w", f"{work}/{name}.trawl", *(["--"] + command if command else []))
    for t in ticks:
        t.kill()
        t.wait()
    files = sorted(glob.glob(f"{work}/{name}*.trawl"),
                   key=lambda p: (os.stat(p).st_mtime_ns, len(p), p))
    tap.same(0, r.returncode, f"{' '.join(options)}: status")
    return files, r.stderr


def test_names(work, tick):
    """A file is named by the second in which it begins, even if the recorder creates it later."""
    trawl = subprocess.Popen(["trawl", "-q", "-i", f"usdt:{tick}:tick:loop", "-G", "1s", "-W", "3",
                              "-w",
                              f"{work}/name-%s.trawl"])
    for _ in range(300):
        if glob.glob(f"{work}/name-*"):
            break
        time.sleep(0.05)
    trawl.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    trawl.send_signal(signal.SIGCONT)
    tap.same(0, trawl.wait(timeout=120), "-G, the recorder is stopped: status")
    wrong = []
    for path in sorted(glob.glob(f"{work}/name-*"))[1:]:  # the first gets its name before it begins
        begin = json.loads(run("trawl-decode", "--meta=end", path).stdout)["begin_mono_ns"]
        if int(path[:-6].rsplit("-")[-1]) != (begin + offset(path)) // 10 ** 9:
            wrong.append((path, begin + offset(path)))
    tap.same([], wrong, "-G, the recorder is stopped: files are named by when they begin")


def kernel_hits(files):
    """The kernel's counts of hits, from the metadata of the last file."""
    end = json.loads(run("trawl-decode", "--meta=end", files[-1]).stdout)
    return {s["source"]: (s["events"], s["hits"], s["lost"]) for s in end["sources"]
            if s["source"] in ("usdt", "uprobe")}


def test_rows(work, tick):
    files, _ = row(work, tick, "size", "-C", "32k")
    check("-C", files, 2 * TURNS)
    tap.same({"usdt": (2 * TURNS, 2 * TURNS, 0), "uprobe": (2 * TURNS, 2 * TURNS, 0)},
             kernel_hits(files),
             "-C: so many as the kernel counted")
    tap.ok(all(json.loads(run("trawl-decode", "--meta=end", f).stdout)["why"] == "rotation"
               for f in files[:-1]),
           "-C: files but the last say that another one follows")
    files, _ = row(work, tick, "time", "-G", "150ms", turns=3000, pause=100)
    check("-G", files, 6000)
    spans = [json.loads(run("trawl-decode", "--meta=end", f).stdout) for f in files[1:-1]]
    tap.same({150000000}, {s["end_mono_ns"] - s["begin_mono_ns"] + 1 for s in spans},
             "-G: each is as long as it should be")
    files, err = row(work, tick, "few", "-G", "150ms", "-W", "3", turns=None, pause=100)
    check("-G -W", files)
    told = int(re.search(r"^(\d+) events captured, 0 lost", err, re.M)[1])
    tap.same(told, sum(len(run("trawl-decode", "--json", f).stdout.splitlines()) for f in files),
             "-G -W: what is told is what the files hold")


def test_late(work, tick):
    """The recorder is stopped until after the end: no file is longer than -G, and none begins
    after the end."""
    ticks = start_ticks(tick, 1 << 30, 500)
    for name, *options in (("duration", "--duration", "1s"), ("count", "-c", "4000"),
                           ("rows", "-W", "4")):
        path = f"{work}/{name}.trawl"
        trawl = subprocess.Popen(["trawl", "-q", "-i", f"usdt:{tick}:tick:loop", "-G", "150ms",
                                  *options, "-w", path])
        for _ in range(300):
            if os.path.exists(path):
                break
            time.sleep(0.05)
        trawl.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        trawl.send_signal(signal.SIGCONT)
        tap.same(0, trawl.wait(timeout=120), f"late, {name}: status")
        files = sorted(glob.glob(f"{work}/{name}*.trawl"), key=lambda p: os.stat(p).st_mtime_ns)
        ends = [json.loads(run("trawl-decode", "--meta=end", f).stdout) for f in files]
        spans = [e["end_mono_ns"] - e["begin_mono_ns"] for e in ends]
        tap.ok(len(files) > 3 and all(0 < n <= 150_000_000 for n in spans),
               f"late, {name}: no file is longer than -G", spans)
        tap.same([name if name != "rows" else "files"], [e["why"] for e in ends
                                                         if e["why"] != "rotation"],
                 f"late, {name}: the last one says why it ends")
    for t in ticks:
        t.kill()
        t.wait()


def test_ring(work, tick):
    for name, size, pause, gaps in ("whole", "16m", 100, False), ("newest", "1m", 0, True):
        ticks = start_ticks(tick, 1 << 30, pause)
        errors = open(f"{work}/err", "w+", encoding="utf-8")
        trawl = subprocess.Popen(["trawl", "--ring", size, "--after", "0s", "-w",
                                  f"{work}/{name}.trawl", "-i",
                                  f"usdt:{tick}:tick:loop", "-i", f"uprobe:{tick}:tick_step n"],
                                 stderr=errors)
        for n in range(4):
            wait_for(f"{work}/err", "newest", 1)
            time.sleep(0.3)
            trawl.send_signal(signal.SIGUSR1)
            wait_for(f"{work}/err", "holds", n + 1)
        trawl.send_signal(signal.SIGINT)
        status = trawl.wait(timeout=120)
        with open(f"{work}/err", encoding="utf-8") as f:
            said = f.read()
        # without a pause there may be more events than a busy machine can record
        lost = gaps and re.search(r" [1-9][0-9]* lost", said)
        tap.ok(status == (1 if lost else 0), f"--ring {size}: status", status, said)
        for t in ticks:
            t.kill()
            t.wait()
        files = sorted(glob.glob(f"{work}/{name}*.trawl"), key=lambda p: os.stat(p).st_mtime_ns)
        if gaps:
            check_newest(f"--ring {size}", files)
        else:
            check(f"--ring {size}", files)


def check_newest(name, files):
    """Rings drop the oldest events of each source: a file has all events since its begin."""
    skewed = []
    for path in files:
        end = json.loads(run("trawl-decode", "--meta=end", path).stdout)
        hits = collections.Counter()
        for line in run("trawl-decode", "-tm", "--json", path).stdout.splitlines():
            e = json.loads(line)
            if e["source"] in ("usdt", "uprobe") and mono(e, path) >= end["begin_mono_ns"]:
                hits[e["tid"], e["source"]] += 1
        for pid in {p for p, _ in hits}:
            if abs(hits[pid, "uprobe"] - hits[pid, "usdt"]) > 1:
                skewed.append((os.path.basename(path), pid, hits[pid, "uprobe"], hits[pid, "usdt"]))
        if not hits:
            skewed.append((os.path.basename(path), "nothing"))
    tap.ok(len(files) > 2, f"{name}: several files ({len(files)})")
    tap.same([], skewed,
             f"{name}: from its begin each file has as many hits of the one probe as of the other, "
             f"or one more")


OFFSETS = {}


def mono(event, path):
    """The time of an event on CLOCK_MONOTONIC."""
    return event["ts_ns"] - offset(path)


def offset(path):
    """CLOCK_REALTIME - CLOCK_MONOTONIC, by the file's first clock sync."""
    if path not in OFFSETS:
        sync = re.search(r'^\{"sync":\[(\d+),(\d+),',
                         run(f"{BUILD}/tests/format/dump", path).stdout, re.M)
        OFFSETS[path] = int(sync[2]) - int(sync[1])
    return OFFSETS[path]


def wait_for(path, text, times):
    """Fails after two minutes, which are long even on a busy machine."""
    for _ in range(2400):
        with open(path, encoding="utf-8") as f:
            if f.read().count(text) >= times:
                return
        time.sleep(0.05)
    tap.ok(False, f"'{text}' is said {times} times")


def main():
    if os.getuid() or not os.path.exists("/sys/kernel/tracing/uprobe_events"):
        return tap.skip_all("needs root and a kernel with uprobes")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as work:
        tick = f"{work}/tick"
        shutil.copy(f"{BUILD}/samples/tick", tick)
        test_rows(work, tick)
        test_names(work, tick)
        test_late(work, tick)
        test_ring(work, tick)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
