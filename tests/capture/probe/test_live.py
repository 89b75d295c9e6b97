#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The running kernel takes every definition that probe resolution makes, and records the values
that the sample programs say they have. Uses tracefs by itself: nothing of trawl but the
definitions (show_probes) is between the sample and the kernel's text."""
import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.dont_write_bytecode = True
from tap import finish, ok, skip_all  # noqa: E402

BUILD = os.environ.get("TRAWL_BUILD", ".")
SHOW = f"{BUILD}/tests/capture/probe/show_probes"
TRACEFS = "/sys/kernel/tracing"
GROUP = f"trawl_test_{os.getpid()}"


def write(path, text):
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


class Instance:
    """Probes of the specs in a tracefs instance of their own, while `with` lasts."""

    def __init__(self, specs):
        self.specs = specs
        self.path = f"{TRACEFS}/instances/{GROUP}"

    def __enter__(self):
        self.show = subprocess.Popen([SHOW, "-x", GROUP] + self.specs, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ready = self.show.stdout.readline().strip() == "ready"
        self.errors = [] if self.ready else self.show.stderr.read().splitlines()
        os.mkdir(self.path)
        if self.ready:
            write(f"{self.path}/events/{GROUP}/enable", "1")
        return self

    def records(self):
        """[(event, {field: text})] in order."""
        out = []
        with open(f"{self.path}/trace", errors="replace") as f:
            for line in f:
                m = re.match(r".*? \[\d+\] \S+ +[\d.]+: (\w+): \((0x[0-9a-f]+).*?\)(.*)", line)
                if m:
                    fields = re.findall(r'(\w+)=("(?:[^"])*"|\{[^}]*\}|\S+)', m.group(3))
                    out.append((m.group(1), int(m.group(2), 16), dict(fields)))
        return out

    def __exit__(self, *exc):
        if self.ready:
            write(f"{self.path}/events/{GROUP}/enable", "0")
        os.rmdir(self.path)
        fd = os.open(f"{TRACEFS}/uprobe_events", os.O_WRONLY | os.O_APPEND)
        with open(f"{TRACEFS}/uprobe_events") as f:
            names = {m.group(1) for m in re.finditer(rf"^.:({GROUP}/\w+) ", f.read(), re.M)}
        for name in names:
            os.write(fd, f"-:{name}\n".encode())
        os.close(fd)
        self.show.stdin.close()
        self.show.wait()


def integer(text):
    return int(text, 0)


def site_of(meta, ip):
    """The site of an address: the page offset tells, as long as no two sites share one."""
    sites = [s for s in meta["sites"] if s["vaddr"] & 0xfff == ip & 0xfff]
    assert len(sites) == 1, "two sites at one page offset: the sample must be rearranged"
    return sites[0]


def renamed(arg, fields, place, args):
    """The name of the argument's field where tracefs cannot have its own: that of its place."""
    # tracefs has identifiers of C: "b_a" for the member b.a.
    name = re.sub(r"\W", "_", arg["name"], flags=re.ASCII)
    return name if arg["name"] in fields or len(fields) != len(args) else list(fields)[place]


def value(arg, fields, show, field):
    """What the decoder will make of a field: the rules of the metadata, in Python."""
    if arg["state"] == "unavailable":
        return None
    if arg["type"].endswith("]"):
        return [integer(n) for n in fields[field].strip("{}").split(",")]
    kind, bits = arg["type"][0], int(arg["type"][1:])
    if "bits" in arg:
        bits = arg["bits"]
        raw = integer(fields[field])
    elif arg["state"] == "computed":
        sib = arg["sib"]
        words = [integer(w) for w in fields[sib["window"]].strip("{}").split(",")]
        window = struct.pack(f"<{len(words)}Q", *words)
        at = integer(fields[sib["index"]]) * sib["scale"] - sib["start"]
        if at < 0 or at + bits // 8 > len(window):
            return None
        raw = int.from_bytes(window[at:at + bits // 8], "little")
    else:
        raw = integer(fields[field]) & ((1 << bits) - 1)
    if kind == "f":
        return struct.unpack("<f" if bits == 32 else "<d", raw.to_bytes(bits // 8, "little"))[0]
    if show == "char":
        return chr(raw)
    if kind == "s" and raw >> (bits - 1):
        raw -= 1 << bits
    return raw


def shown(arg):
    """The name of an argument for people: one that no site has is recorded as NAME_na."""
    return arg["name"].removesuffix("_na") if arg["state"] == "unavailable" else arg["name"]


def run(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def metadata(*specs):
    return {m["tracefs"]: m for m in map(json.loads, run(SHOW, "-j", *specs).splitlines())}


def expected(program, spec):
    """Runs a program that prints what a trace must show, and compares."""
    base = os.path.basename(program)
    meta = metadata(spec)
    with Instance([spec]) as i:
        ok(i.ready, f"the kernel takes every definition of {base}", *i.errors)
        if not i.ready:
            return
        expect = [json.loads(line) for line in run(program).splitlines()]
        got = i.records()
    ok(len(expect) == len(got), f"{base}: {len(expect)} events", f"got {len(got)}")
    for want, (event, ip, fields) in zip(expect, got):
        name = meta[event]["event"]
        site = site_of(meta[event], ip)
        show = {a["name"]: a["show"] for a in meta[event]["args"]}
        values = {shown(a): value(a, fields, show[a["name"]],
                                  renamed(a, fields, k, site["args"]))
                  for k, a in enumerate(site["args"])}
        same = name == want["name"] and all(
            k in values and values[k] == v for k, v in want["fields"].items())
        ok(same, f"{name} at {site['symbol']}", f"wanted {want}", f"got {name} {values} {fields}")


def forms_hints():
    """Types that the user gives, and pointers that are followed."""
    program = f"{BUILD}/samples/forms"
    with Instance([f"usdt:{program}:forms:text arg1:string second=arg2:string at=+1(arg3):string "
                   f"letters=+2(arg1):u8[3] where=%rip comm=$comm ints=@form_ints:s32[4]"]) as i:
        ok(i.ready, "the kernel takes the user's types", *i.errors)
        run(program)
        got = i.records()
    fields = got[0][2] if got else {}
    for name, want in {"arg1": '"hello, form"', "second": '"form"', "at": '"ello,',
                       "comm": '"forms"',
                       "letters": "{108,108,111}", "ints": "{0,1,4,9}"}.items():
        ok(fields.get(name, "").startswith(want), f"text: {name} is {want}", f"got {fields}")


def tick():
    program = f"{BUILD}/samples/tick"
    specs = [f"uprobe:{program}:tick_step n=arg2:s32 name=arg3:string small=%cx:u8",
             f"uprobe:{program}:tick_step%return value=$retval:u64",
             f"uprobe:{program}:tick_name%return $retval:string",
             f"usdt:{program}:loop arg2:string"]
    with Instance(specs) as i:
        ok(i.ready, "the kernel takes uprobes and return probes", *i.errors)
        run(program, "5")
        got = [(e, f) for e, _, f in i.records()]
    want = []
    for n in range(5):
        name = '"' + ("one", "two", "three")[n % 3] + '"'
        want += [("tick_tick_name_return", {"retval": name}),
                 ("tick_tick_step", {"n": str(n), "name": name, "small": str(n)}),
                 ("tick_loop", {"arg1": str(n), "arg2": name, "arg3": str(n * n)}),
                 ("tick_tick_step_return", {"value": str(n * n)})]
    ok(got == want, "tick: entry, usdt and return with the right values", *map(str, got))


def runtime(how):
    """Probes of a library that is only a mapping of a running process."""
    with subprocess.Popen([f"{BUILD}/samples/runtime", how], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as program:
        pid = program.stdout.readline().split()[1]
        with Instance([f"usdt:pid={pid}:runtime:* arg3:string"]) as i:
            ok(i.ready, f"runtime {how}: the kernel takes a probe in a file without a name",
               *i.errors)
            program.stdin.close()
            program.wait()
            got = [f for _, _, f in i.records()]
    want = [{"arg1": str(n), "arg2": str(n * n), "arg3": '"made at run time"'} for n in range(5)]
    ok(got == want, f"runtime {how}: values", *map(str, got))


def semaphores():
    """The kernel counts a probe's semaphore up: the program sees that somebody listens."""
    greeter, library = f"{BUILD}/samples/greeter", f"{BUILD}/samples/libgreet.so"
    ok(run(greeter) == "0 listened\n", "semaphore: not enabled")
    with Instance([f"usdt:{library}:greet:* arg1:string"]) as i:
        out = run(greeter)
        got = [(e, f["arg1"]) for e, _, f in i.records()]
    ok(out == "3 listened\n", "semaphore: listened to while armed", out)
    want = [("greet_hello", '"world"'), ("greet_costly", '"world"')] * 3
    ok(got == want, "semaphore: events of both probes", *map(str, got))
    ok(run(greeter) == "0 listened\n", "semaphore: disabled again")


def leftovers():
    with open(f"{TRACEFS}/uprobe_events") as f:
        ok(GROUP not in f.read(), "nothing is left in uprobe_events")


def main():
    if os.geteuid() != 0 or not os.access(f"{TRACEFS}/uprobe_events", os.W_OK):
        return skip_all("uprobe_events is not writable: not root, or no tracefs")
    expected(f"{BUILD}/samples/forms", f"usdt:{BUILD}/samples/forms:forms:*")
    expected(f"{BUILD}/samples/params", f"uprobe:{BUILD}/samples/params:params_* $params")
    forms_hints()
    runtime("memfd")
    runtime("deleted")
    semaphores()
    tick()
    leftovers()
    return finish()


sys.exit(main())
