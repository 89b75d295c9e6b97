#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""trawl-edit cut, merge, repair and compact of random files equal the same operation done on the
JSON of trawl-decode. The files are made at random here, or are samples, captures of a folder, and
results of earlier operations.

    property.py [SECONDS [SEED [FOLDER]]]      default: a fixed number of runs

For USB, a part may say less about a transfer than the whole file (docs of trawl-edit cut): it lacks
the other half, or what earlier transfers told of the device. It never says anything else, except
where it says that it guesses."""
import collections
import glob
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

src, build = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, f"{src}/tests")
import tap

RUNS, MOST_EVENTS, KEPT_RESULTS = 160, 20000, 40
OPEN = ("pending", "unanswered")  # shown at the end of the file, or of the device
tmp = tempfile.TemporaryDirectory()
cache = {}


def run(*argv, text=None):
    p = subprocess.run(argv, input=text, capture_output=True, text=True, errors="replace")
    return p.returncode, p.stdout, p.stderr


def decode(file):
    """The items of a file; an item is what one line of JSON says."""
    if file not in cache:
        cache[file] = [json.loads(l) for l in run("trawl-decode", "--json", file)[1].splitlines()]
    return cache[file]


# ---- random files ------------------------------------------------------------------------------

def random_events(r, out):
    """Kernel events: of some types, tasks and processors, with losses, in any density."""
    lines, at, task = ["source event tracefs"], 0, []
    for k in range(1, r.randint(2, 5)):
        size = 8 + 8 * r.randint(1, 3)
        lines.append(f"type 0 {k} {size} app:kind{k} name: kind{k}\\nID: {k}\\nformat:\\n"
                     "\\tfield:int common_pid;\\toffset:4;\\tsize:4;\\tsigned:1;\\n"
                     "\\nprint fmt: \"\"")
        lines += [f"field v{n} {r.choice((0, 0, 5))} 0 {n} 8 1 long" for n in range(8, size, 8)]
        task.append((k, size))
    for _ in range(r.randint(1, r.choice((30, 3000)))):
        k, size = r.choice(task)
        at += r.choice((0, 1, r.randint(0, 10**3), r.randint(0, 10**9)))
        values = bytes(r.choice((0, r.randrange(256))) for _ in range(size - 8))
        record = struct.pack("<HHi", k, 0, r.randint(1, 9)) + values
        lines.append(f"event 0 {k} {r.randrange(3)} {at} {record.hex()}")
        if r.random() < 0.01:
            lines.append(f"loss 0 {r.randrange(3)} {at} {at + 5} {r.choice(('7', '-'))}")
    return subprocess.run([f"{build}/tests/decode/make-lines", out], text=True,
                          input="\n".join(lines) + "\n", check=False).returncode == 0


class Bus:
    """Lines of usbmon text: devices that come, go and are called as others were; disks."""

    def __init__(self, r):
        self.r, self.at, self.lines, self.disks, self.tag = r, 10**8, [], {}, 0

    def half(self, id, type, what):
        self.at += self.r.randint(1, 9999)
        self.lines.append((self.at, f"ffff8880{id:08x} {self.at} {type} {what}"))

    def transfer(self, address, asked, got):
        """The halves of one transfer, unless one of them was not recorded."""
        id = self.r.randrange(1 << 20) if self.r.random() < 0.3 else self.r.randrange(4)
        if self.r.random() > 0.03:
            self.half(id, "S", f"{address} {asked}")
        if self.r.random() > 0.03:
            self.half(id, "C", f"{address} {got}")

    def plug(self, device):
        vendor, product = self.r.randrange(1, 9), self.r.randrange(99)
        text = struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x200, 0, 0, 0, 64, vendor, product, 1, 0, 0,
                           0, 1)
        self.transfer("Co:1:000:0", f"s 00 05 {device:04x} 0000 0000 0", "0 0")
        self.transfer(f"Ci:1:{device:03}:0", "s 80 06 0100 0000 0012 18 <", f"0 18 = {text.hex()}")
        parts = b""
        self.disks[device] = self.r.random() < 0.5
        if self.disks[device]:
            parts = bytes.fromhex("0904000002080650000705010200020007058202000200")
        config = struct.pack("<BBHBBBBB", 9, 2, 9 + len(parts), 1, 1, 0, 0x80, 50) + parts
        self.transfer(f"Ci:1:{device:03}:0", "s 80 06 0200 0000 00ff 255 <",
                      f"0 {len(config)} = {config.hex()}")
        self.transfer(f"Co:1:{device:03}:0", "s 00 09 0001 0000 0000 0", "0 0")

    def command(self, device):
        self.tag += 1
        read, n = self.r.random() < 0.5, 512 * self.r.randint(0, 2)
        lba = self.r.randrange(9999)
        cdb = struct.pack(">BBIBHB", 0x28 if read else 0x2a, 0, lba, 0, n // 512, 0)
        wrapper = struct.pack("<4sIIBBB16s", b"USBC", self.tag, n, 0x80 if read else 0, 0, 10, cdb)
        to, back = f"Bo:1:{device:03}:1", f"Bi:1:{device:03}:2"
        self.transfer(to, f"-115 31 = {wrapper.hex()}", "0 31 >")
        if n and read:
            self.transfer(back, f"-115 {n} <", f"0 {n} = {'00112233' * 8}")
        elif n:
            self.transfer(to, f"-115 {n} = {'44556677' * 8}", f"0 {n} >")
        status = struct.pack("<4sIIB", b"USBS", self.tag, 0, self.r.random() < 0.1)
        self.transfer(back, "-115 13 <", f"0 13 = {status.hex()}")

    def act(self):
        known = list(self.disks)
        device = self.r.choice(known) if known and self.r.random() < 0.9 else self.r.randint(1, 3)
        if device not in self.disks or self.r.random() < 0.05:
            self.plug(device)
        elif self.disks[device]:
            self.command(device)
        else:
            self.transfer(f"Ii:1:{device:03}:1", "-115:1 8 <",
                          f"{self.r.choice((0, -2))}:1 2 = 0102")


def random_bus(r, out):
    bus = Bus(r)
    for _ in range(r.randint(1, r.choice((10, 200)))):
        bus.act()
    text = "".join(f"{line}\n" for _, line in bus.lines)
    return bool(text) and not run("trawl-edit", "import", "-", "-w", out, text=text)[0]


# ---- what is equal -----------------------------------------------------------------------------

def more(got, want, path=""):
    """Where `got` says something that `want` does not say; it may say less. None: nowhere."""
    if isinstance(got, dict) and isinstance(want, dict):
        places = (more(v, want.get(k), f"{path}.{k}") for k, v in got.items())
    elif isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
        places = (more(a, b, f"{path}[]") for a, b in zip(got, want))
    else:
        return None if got is None or got == want else f"{path} {got} for {want}"
    return next(filter(None, places), None)


def alone(item, without=()):
    """The fields of a transfer that do not depend on others."""
    fields = {k: v for k, v in item["fields"].items()
              if k not in ("decoded", "context_guessed", *without)}
    if "setup" in fields:
        fields["setup"] = {k: v for k, v in fields["setup"].items() if k[1:2].isupper()}
    return fields


def known(item):
    """The item without what it says that it guesses, and why its data is masked."""
    if item["fields"].get("masked"):
        item = {**item, "fields": {k: v for k, v in item["fields"].items() if k[:6] != "masked"}}
    if item["fields"].get("context_guessed"):
        return {**item, "fields": alone(item, ("vid", "pid"))}
    if item["fields"].get("setup", {}).get("class_guessed"):
        return {**item, "fields": alone(item)}
    return item


def recorded(e):
    """What an item has of its record, in the order of time."""
    return (e["ts_ns"], e["source"], e["name"], str(e["cpu"]), str(e["tid"]),
            str(e["fields"].get("data", e["fields"])))


def is_usb(item):
    return item["name"].startswith(("usb:", "usbpcap:"))


def end(item):
    return item["fields"].get("end") if is_usb(item) else None


def fits(got, want):
    return got == want or (is_usb(got) and not more(known(got), want)) or \
        (got["comm"] is None and {**want, "comm": None} == got)  # a name that came later


def same_part(got, want, every, begin=None, stop=None):
    """Whether the items of a part are those that it should have. every: of the whole file; begin,
    stop: the times of the part. Items of one time are in any order."""
    closed, wanted = (sorted((e for e in items if end(e) not in OPEN), key=recorded)
                      for items in (got, want))
    if len(closed) != len(wanted) or not all(map(fits, closed, wanted)):
        return False
    # What a transfer without its end looks like depends on where the part ends.
    there = collections.defaultdict(list)
    for e in every:
        if is_usb(e) and "submit_ns" in e["fields"]:
            there[e["fields"]["submit_ns"]].append(e)
    for e in got:
        if end(e) in OPEN and not any(
                w["name"] == e["name"] and w["fields"].get("length") == e["fields"].get("length")
                for w in there[e["fields"].get("submit_ns")]):
            return False
    must = [e for e in want if end(e) in OPEN and
            (begin is None or begin <= e["fields"]["submit_ns"] < stop)]
    return len(must) <= len(got) - len(closed)


# ---- operations: each returns a name, its file, whether it is equal, and what there is to say ----

def new(name):
    new.number += 1
    return f"{tmp.name}/{new.number}-{name}.trawl"


new.number = 0


made_from = {}  # of a file: the files of the beginning that it has events of


def origins(file):
    return made_from.get(file, {file})


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


def part(r, file, argv, want, *times):
    out = new("cut")
    status, _, text = run("trawl-edit", "cut", file, "-w", out, *argv)
    why = [" ".join(argv), status, text]
    if not want and status == 2:  # "nothing of it is chosen", or only what is still open
        return out, not os.path.exists(out), why
    got = decode(out) if os.path.exists(out) else None
    good = not status and got is not None and same_part(got, want, decode(file), *times)
    return out, good, why + ([] if good else differences(got or [], want))


def differences(got, want):
    """What is not equal, for people."""
    pairs = [(g, w) for g, w in zip(got, want) if not fits(g, w)][:3]
    return [f"{len(got)} items, wanted {len(want)}"] + [
        line for g, w in pairs
        for line in (more(known(g), w), f"+ {json.dumps(g)}", f"- {json.dumps(w)}")]


def cut_time(r, file):
    all_of = decode(file)
    begin, stop = sorted(r.choice(all_of)["ts_ns"] + r.choice((0, 0, 1, -1)) for _ in "ab")
    want = [e for e in all_of if begin <= e["ts_ns"] < stop]
    return part(r, file, ["--from", seconds(begin), "--until", seconds(stop)], want, begin, stop)


def cut_where(r, file):
    all_of = decode(file)
    e = r.choice(all_of)
    rules = [(f'name == "{e["name"]}"', lambda x: x["name"] == e["name"]),
             (f'not name == "{e["name"]}"', lambda x: x["name"] != e["name"]),
             (f'ts >= {e["ts_ns"]}', lambda x: x["ts_ns"] >= e["ts_ns"])]
    if e["cpu"] is not None:
        rules.append((f'cpu == {e["cpu"]}', lambda x: x["cpu"] == e["cpu"]))
    for name in sorted(k for k, v in e["fields"].items() if isinstance(v, int)
                       and not isinstance(v, bool) and k not in ("cpu", "submit_ns")):
        limit = e["fields"][name]
        rules.append((f"{name} >= {limit}",
                      lambda x, n=name, l=limit: (x["fields"].get(n, l - 1) is not None and
                                                  x["fields"].get(n, l - 1) >= l)))
    text, rule = r.choice(rules)
    return part(r, file, ["--where", text], [x for x in all_of if rule(x)])


def began(e):
    return e["fields"].get("submit_ns", e["ts_ns"])


def goes_back(file):
    """Whether times go back, as in captures of several interfaces: merge keeps a file's order."""
    times = [e["ts_ns"] for e in decode(file)]
    return times != sorted(times)


def cut_every(r, file):
    n = r.randint(1, 9)
    all_of = decode(file)
    if goes_back(file) or len(set(map(began, all_of))) < len(all_of):
        # JSON does not say which of those of one time began first
        out = new("cut")
        status, _, text = run("trawl-edit", "cut", file, "-w", out, "--every", str(n))
        good = not status and len(decode(out)) == len(all_of[::n]) and \
            same_subset(decode(out), all_of)
        return out, good, [str(n), status, text]
    want = sorted(sorted(all_of, key=began)[::n], key=lambda e: e["ts_ns"])
    return part(r, file, ["--every", str(n)], want)


def whole(verb):
    def operation(r, file):
        out = new(verb)
        status, _, text = run("trawl-edit", verb, file, "-w", out)
        good = not status and decode(out) == decode(file)
        return out, good, [status, text, *([] if good else differences(decode(out), decode(file)))]
    operation.__name__ = verb
    return operation


def repair_half(r, file):
    """Of a file that breaks off: what is there, which is the begin of what there was."""
    half, out = new("half"), new("repair")
    with open(file, "rb") as f:
        data = f.read()
    with open(half, "wb") as f:
        f.write(data[:r.randrange(len(data) // 2, len(data))])
    status, _, text = run("trawl-edit", "repair", half, "-w", out)
    if status:  # not even its head, or no event
        return out, not decode(half), [status, text]
    good = decode(out) == decode(half) and same_subset(decode(out), decode(file))
    return out, good, [status, text, *([] if good else differences(decode(out), decode(half)))]


def same_subset(got, want):
    """Whether each item is one of the whole file's, apart from what is open."""
    at = collections.defaultdict(list)
    for e in want:
        at[e["ts_ns"]].append(e)
    return all(end(e) in OPEN or any(fits(e, w) for w in at[e["ts_ns"]]) for e in got)


def apart_from_times(e):
    """An item as any other file of its boot has it, which may tell more of the devices."""
    fields = alone(e, ("submit_ns", "vid", "pid", "port")) if is_usb(e) else e["fields"]
    return json.dumps((e["name"], fields, e["comm"]), sort_keys=True)


def merge(r, file):
    """Of files that have no common origin: events that are in both would be there twice."""
    others = [f for f in files if not origins(f) & origins(file)]
    other, out = r.choice(others), new("merge")
    made_from[out] = origins(file) | origins(other)
    status, _, text = run("trawl-edit", "merge", file, other, "--shift", f"{other}=1ms", "-w", out)
    if status:
        return out, "cannot be related" in text and not os.path.exists(out), [other, status, text]
    got, want = decode(out), decode(file) + decode(other)
    times = [e["ts_ns"] for e in got]
    alike = [collections.Counter(map(apart_from_times, items)) for items in (got, want)]
    in_order = times == sorted(times) or goes_back(file) or goes_back(other)
    good = in_order and alike[0] == alike[1]
    return out, good, [other, status, text, *list(alike[0] - alike[1])[:3],
                       *list(alike[1] - alike[0])[:3]]


OPERATIONS = (cut_time, cut_where, cut_every, whole("compact"), whole("repair"), repair_half, merge)


# ---- runs ----------------------------------------------------------------------------------------

def is_usable(file):
    """A batch of branches is one event for trawl-edit, and many items: tests/cli/cut.py."""
    return 0 < len(decode(file)) <= MOST_EVENTS and \
        not any(e["source"].startswith("branch") for e in decode(file))


def start(folder):
    """The files to begin with."""
    found = [f"{src}/samples/{s}.trawl" for s in (
        "usb-storage", "usb-keyboard", "usb-errors", "usb-hotplug", "usb-tablet", "usb-serial",
        "tick")] + sorted(glob.glob(f"{folder}/**/*.trawl", recursive=True) if folder else [])
    return list(filter(is_usable, found))


def add_random(r):
    make, out = r.choice((random_events, random_bus)), new("random")
    if make(r, out) and decode(out):
        files.append(out)


def one(seed):
    """One operation on one file. Returns its name, and whether it is equal."""
    r = random.Random(seed)
    if r.random() < 0.3 or len(files) < FIRST + 2:
        add_random(r)
    file, operation = r.choice(files), r.choice(OPERATIONS)
    out, good, why = operation(r, file)
    if not good:
        tap.ok(False, f"seed {seed}: {operation.__name__} {os.path.basename(file)}", *why)
    if good and os.path.exists(out) and is_usable(out):
        files.append(out)
        made_from.setdefault(out, origins(file))
    if len(files) > FIRST + KEPT_RESULTS:
        old = files.pop(r.randrange(FIRST, len(files)))
        cache.pop(old, None)
        os.unlink(old)
    return operation.__name__, good


limit = time.monotonic() + float(sys.argv[1]) if len(sys.argv) > 1 else None
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 19
files = start(sys.argv[3] if len(sys.argv) > 3 else None)
FIRST = len(files)
counts = collections.Counter()
first = seed
while time.monotonic() < limit if limit else seed < first + RUNS:
    name, good = one(seed)
    counts[name] += good
    seed += 1
for operation in OPERATIONS:
    n = counts[operation.__name__]
    tap.ok(n > 0, f"{operation.__name__}: {n} times as on the JSON, seeds {first} to {seed - 1}")
sys.exit(tap.finish())
