#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Returns in the zoo: each value of a %return event that is marked as exact equals that of gdb's
"finish" for the same call. The program's output and status equal those of a run without probes,
whatever passes through the probed frames: exceptions, panics, longjmp(), stacks that move.

	returns.py [--all] [-v] [NAME ...]      as of run.py
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run import (  # noqa: E402
    BUILD, HERE, Variant, alternative, built, check_all, equal, for_gdb, letter,
    ok, part, run, skip, split)

WORD = (1 << 64) - 1
ANY = object()  # any value but 0
EXITS = re.compile(r"(.*)%(return|tailcall|unwind|longjmp|uretprobe)$")


def variants():
    for compiler, cxx in ("gcc", "g++"), ("clang", "clang++"):
        for o in "0", "1", "2", "3", "s":
            yield Variant(f"ret-c-{compiler}-O{o}", compiler, "returns.c", f"-O{o}", short=o == "2")
            yield Variant(f"ret-cxx-{compiler}-O{o}", cxx, "returns.cc", "-std=c++17", f"-O{o}",
                          short=o == "2")
        yield Variant(f"ret-c-{compiler}-nopie", compiler, "returns.c", "-O2", "-no-pie",
                      "-fno-pie")
        yield Variant(f"ret-c-{compiler}-static", compiler, "returns.c", "-O1", "-static")
        yield Variant(f"ret-c-{compiler}-cet", compiler, "returns.c", "-O2", "-fcf-protection")
        yield Variant(f"ret-c-{compiler}-split", compiler, "returns.c", "-O2", after=split)
        yield Variant(f"ret-cxx-{compiler}-dwarf4", cxx, "returns.cc", "-std=c++17", "-O2",
                      "-gdwarf-4")
        yield Variant(f"ret-cxx-{compiler}-static", cxx, "returns.cc", "-std=c++17", "-O2",
                      "-static")
    yield Variant("ret-c-gcc-lto", "gcc", "returns.c", "-O2", "-flto")
    yield Variant("ret-cxx-gcc-lto", "g++", "returns.cc", "-std=c++17", "-O2", "-flto")
    for o in "0", "2", "3":
        yield Variant(f"ret-rust-O{o}", "rustc", "returns.rs", "-C", f"opt-level={o}",
                      short=o in "23")
    yield Variant("ret-go", "go", "returns.go", short=True)
    yield Variant("ret-go-N", "go", "returns.go", "-gcflags=-N -l")


def record(program):
    """(the run without probes, the run with them, events, {event name: its probe})"""
    path = f"{program}.trawl"
    argv = ["setarch", "-R", "env", "-i", program]
    inputs = []
    for spec in "*ret_* sp=%sp:x64 n=%di:s32", "*ret_*%return sp=%sp:x64 $retval":
        inputs += ["-i", f"uprobe:{program}:{spec}"]
    plain = run(*argv)
    probed = run(f"{BUILD}/trawl", "-w", path, *inputs, "--", *argv)
    decode = f"{BUILD}/trawl-decode"
    events = [json.loads(line) for line in run(decode, "--json", path).stdout.splitlines()]
    probes = {name: json.loads(run(decode, f"--meta=probe/uprobe/{glob.escape(name)}", path).stdout)
              for name in sorted({e["name"] for e in events})}
    end = json.loads(run(decode, "--meta=end", path).stdout or "{}")
    return plain, probed, events, probes, end


def finishes(argv, addresses, path, calls=0, stdin=subprocess.DEVNULL):
    """({(address, call): [value, members]} by gdb, whether gdb saw the program's end). calls: only
    so many of each function, 0 for all. Calls that do not return are left out."""
    said = run("gdb", "-nx", "-batch", "-x", f"{HERE}/finish.py", argv[0],
               env=for_gdb(argv, addresses, path, calls), timeout=900, stdin=stdin)
    if not os.path.exists(path):
        raise RuntimeError(f"gdb: {said.stderr}")
    with open(path, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f if line.endswith("\n")]
    found = {(line["function"], line["call"]): line["value"] for line in lines if line != "end"}
    return found, bool(lines) and lines[-1] == "end"


def words_of(event):
    """The event's return value in gdb's form: a number, or the words of two registers."""
    fields = event["fields"]
    if "retval" in fields:
        return fields["retval"]
    parts = [fields[f] for f in fields if f.startswith("retval_")]
    return None if not parts or None in parts else parts


def same(ours, theirs):
    if isinstance(theirs, list) and len(theirs) == 1:
        theirs = theirs[0]
    if letter(ours) is not None:
        ours = letter(ours)
    if isinstance(ours, list):
        return isinstance(theirs, list) and [w & WORD for w in ours] == [w & WORD for w in theirs]
    return isinstance(theirs, int) and (int(ours) - theirs) % (1 << 64) == 0


def in_memory(probe):
    """Whether $retval is the address of the result, while gdb shows what is at that address."""
    return any(a["name"] == "retval" and a["ctype"].endswith("*") for a in probe["args"])


def by_members(event, probe):
    """The fields of a return value that is shown by its members: {"retval.len": 4}; or None."""
    shown = {n: v for n, v in event["fields"].items() if re.match(r"retval($|\.)", n)}
    kinds = [a for a in probe["args"] if a["name"] == "retval"]
    if not any("." in n for n in shown) and not any(isinstance(v, str) for v in shown.values()):
        return None
    return shown if not kinds or kinds[0]["show"] != "char" else None


def members_differ(where, ours, theirs, counts, cut=()):
    """Returns what differs in an event; adds its values to counts["exact"] and counts["absent"].
    cut: names of the texts of which the event has only the beginning."""
    theirs = {"retval": theirs}
    wrong = []
    for name, value in ours.items():
        there = alternative(value, part(theirs, name))
        if name in cut and isinstance(there, dict) and "?text" in there:
            there["?text"] = there["?text"].encode()[:len(value.encode())].decode(errors="replace")
        # gdb has no text of what is inside of something
        if value is None or there is None or isinstance(value, str) and "." in name:
            counts["absent" if value is None else "unknown"] += 1
        elif equal(value, there):
            counts["exact"] += 1
        else:
            wrong.append(f"{where}: {name}: {value!r}, by gdb {there!r}")
    return wrong


class Calls:
    """Finds the call of an exit: the last call of its function at the same place of its stack."""

    def __init__(self):
        self.open, self.count, self.left = {}, {}, {}

    def enter(self, function, event):
        n = self.count[function] = self.count.get(function, -1) + 1
        self.open.setdefault((function, event["tid"]), []).append((event["fields"]["sp"], n, event))

    def leave(self, function, event, moves, after):
        """(number, entry) of the call that ends; calls inside it that have not ended were skipped
        by an exception or longjmp(). after: the return address is already off the stack, as in the
        kernel's return probes."""
        calls = self.open.get((function, event["tid"]), [])
        sp = event["fields"]["sp"] - (8 if after else 0)
        while calls:
            at, n, entry = calls.pop()
            if at == sp or moves or at > sp:
                return n, entry
        return None, None


def compare(events, probes, values):
    """(what differs, numbers of values that are right, absent, not shown by gdb, and of exits)"""
    calls = Calls()
    wrong, exact, absent, unknown, exits = [], 0, 0, 0, 0
    entry_of = {name: p["sites"][0]["vaddr"] for name, p in probes.items() if not EXITS.match(name)}
    for event in events:
        m = EXITS.match(event["name"])
        if not m:
            calls.enter(event["name"], event)
            continue
        name, how = m.groups()
        exits += 1
        n, entry = calls.leave(name, event, how in ("unwind", "longjmp"),
                               probes[event["name"]]["kind"] == "uretprobe")
        if entry is None:
            wrong.append(f"{event['name']}: no call was open")
            continue
        ours = words_of(event)
        theirs, whole = values.get((entry_of[name], n)) or (None, None)
        shown = by_members(event, probes[event["name"]])
        if name.split(":")[-1] in KNOWN and event["name"].endswith("%return"):
            wrong += known_differ(name.split(":")[-1], event["fields"], n + 1)
            exact += 1
        elif shown and whole is not None:
            counts = {"exact": 0, "absent": 0, "unknown": 0}
            wrong += members_differ(f"{name}, call {n + 1}", shown, whole, counts,
                                    event.get("cut", ()))
            exact += bool(counts["exact"])
            unknown += not counts["exact"]
        elif ours is None:
            absent += 1
        elif "ret_ignored_" in name:
            if int(ours) != entry["fields"]["n"] + 1000:
                wrong.append(f"{name}, call {n + 1}: {ours}, not {entry['fields']['n'] + 1000}")
            exact += 1
        elif "ret_half_" in name:  # gdb shows what is in the registers
            n = entry["fields"]["n"]
            if ours != [n * 3, n + 5]:
                wrong.append(f"{name}, call {n}: {ours}, not {[n * 3, n + 5]}")
            exact += 1
        elif theirs is None or isinstance(theirs, list) and in_memory(probes[event["name"]]):
            unknown += 1
        elif same(ours, theirs):
            exact += 1
        else:
            wrong.append(f"{name}, call {n + 1}: {ours!r}, by gdb {theirs!r}")
    return wrong, exact, absent, unknown, exits


# Values, as the source has them, that gdb shows wrongly or not at all. n is the number of the call:
# returns.rs calls each with 1, 2 ... gdb takes ret_small_option's for a value in one register.
KNOWN = {"ret_small_option": lambda n: {"": "None", ".Some": None} if n & 1 else
         {"": "Some", ".Some": n * 5},
         "ret_result": lambda n: {"": "Err", ".Err": "odd" * n, ".Ok": None} if n & 1 else
         {"": "Ok", ".Ok": n, ".Err": None},
         "ret_hidden": lambda n: {".b": n * 3, ".c": n + 2}}
MAY_BE_ABSENT = {"ret_hidden"}  # gdb, too, takes %rax for the address


def known_differ(name, fields, n):
    return [f"{name}({n}): retval{of}: {fields.get('retval' + of)!r}, not {value!r}"
            for of, value in KNOWN[name](n).items() if fields.get("retval" + of) != value
            and (name not in MAY_BE_ABSENT or fields.get("retval" + of) is not None)]


def check(variant, folder):
    program = built(variant, folder)
    if not program:
        return
    plain, probed, events, probes, end = record(program)
    ok(plain.stdout == probed.stdout and end.get("exit_status") == plain.returncode,
       f"{variant.name}: output and status {plain.returncode} are those without probes",
       f"{plain.stdout} {probed.stdout} {probed.stderr} {end}")
    if variant.source == "returns.cc":
        check_refused(variant, program)
        check_passed_by(variant, program, events)
    if variant.source == "returns.c":
        check_no_return_address(variant, program)
    ok(not any(p["kind"] == "uretprobe" for p in probes.values()),
       f"{variant.name}: every function was disassembled whole")
    entries = sorted({p["sites"][0]["vaddr"] for name, p in probes.items()
                      if not EXITS.match(name)})
    # gdb cannot follow goroutines from thread to thread: compare Go's values with the source.
    if variant.compiler == "go":
        wrong, exact, absent, unknown, exits = go_values(events)
    else:
        finished = finishes([program], entries, f"{program}.finish")[0]
        wrong, exact, absent, unknown, exits = compare(events, probes, finished)
    hidden = [e.get("unavailable") for e in events if e["name"].endswith("ret_hidden%return") and
              None in e["fields"].values()]
    ok(all("its address in %rax" in str(why) for why in hidden),
       f"{variant.name}: of {len(hidden)} results in memory it is said why there is no value",
       *hidden[:1])
    if variant.source == "returns.cc":
        check_passing(variant, events)
    ok(exact and not wrong,
       f"{variant.name}: of {exits} exits {exact} values are right, {absent} said "
       f"to be unavailable, {unknown} not shown by gdb", *wrong[:20], probed.stderr)


def check_passed_by(variant, program, events):
    """A function through which an exception may pass without an event has a note, one that calls
    nothing has none."""
    missing, noted = {}, {}
    for name in "ret_passes", "ret_plain":
        names = [e["name"].partition(":")[2].partition("%") for e in events]
        missing[name] = sum(1 if not sep else -1 for of, sep, _ in names if of == name)
        said = run(f"{BUILD}/trawl", "-w", f"{program}.none", "-i",
                   f"uprobe:{program}:{name}%return", "--", "true").stderr
        noted[name] = "ends by an exception or a panic of a function" in said
    ok(missing == {"ret_passes": 6, "ret_plain": 0} and
       noted == {"ret_passes": True, "ret_plain": False},
       f"{variant.name}: entries without a return are of functions that a note names", missing,
       noted)


def check_passing(variant, events):
    """Objects that are copied as bytes are shown by their members, others by their address."""
    shown = {}
    for event in events:
        of, sep, _ = event["name"].partition(":")[2].partition("%")
        if sep:
            shown.setdefault(of, set()).update(f for f in event["fields"] if f.startswith("retval"))
    want = {"ret_defaulted": {"retval.x"}, "ret_deriving": {"retval.x", "retval.y"},
            "ret_pair": {"retval.first", "retval.second"}, "ret_holding": {"retval"}}
    got = {name.split("(")[0].split("::")[-1]: fields for name, fields in shown.items()}
    ok(all(got.get(name) == fields for name, fields in want.items()),
       f"{variant.name}: classes in registers by their members", want,
       {name: got.get(name) for name in want})


def check_no_return_address(variant, program):
    """A return probe of the kernel would overwrite what is on top of the stack."""
    for name, why in ("odd_stack", "by its unwind table, no return address"), \
            ("odd_end", "it has no ret instruction"):
        said = run(f"{BUILD}/trawl", "-w", f"{program}.none", "-i",
                   f"uprobe:{program}:{name}%return", "--", "true")
        ok(said.returncode == 2 and f"{name}%return: a return probe of the kernel may end the "
           f"program: {why}" in said.stderr and "%uretprobe" in said.stderr,
           f"{variant.name}: {name}%return is refused", said.stderr)
    said = run(f"{BUILD}/trawl", "-w", f"{program}.none", "-i",
               f"uprobe:{program}:odd_tail%uretprobe", "--", "true")
    # A static program may end by an exception, too, which is another reason.
    ok(said.returncode == 0 and "no return address" not in said.stderr and
       "no ret instruction" not in said.stderr,
       f"{variant.name}: odd_tail%uretprobe has a return address, though no ret", said.stderr)


def check_refused(variant, program):
    """A function that cannot be disassembled whole is refused if the kernel's return probe may end
    the program."""
    argv = [f"{BUILD}/trawl", "-w", f"{program}.none", "-i", f"uprobe:{program}:odd_jump%return",
            "--", "true"]
    refused = run(*argv)
    ok(refused.returncode == 2 and "may end the program" in refused.stderr and
       "cannot be disassembled whole" in refused.stderr and "%uretprobe" in refused.stderr,
       f"{variant.name}: a return probe of the kernel is refused, with the way round",
       refused.stderr)
    argv[4] = argv[4].replace("%return", "%uretprobe")
    forced = run(*argv)
    ok(forced.returncode == 0 and "odd_jump%uretprobe: may end the program" in forced.stderr,
       f"{variant.name}: and taken with a warning when it is asked for", forced.stderr)


def go_values(events):
    """Like compare(), but with what returns.go computes: it calls in a loop, with 1, 2 ..."""
    want = {"ret_int": lambda i: {"": i * 3}, "ret_small": lambda i: {"": -i},
            "ret_bool": lambda i: {"": i & 1 == 0}, "ret_two": lambda i: {"": i + 1, "2": "two"},
            "ret_recovers": lambda i: {"": -i if i % 3 == 0 else i},
            "ret_string": lambda i: {"": "returned"[i % 4:]},
            "ret_slice": lambda i: {".len": i, ".cap": 20, "2": i * 2},
            "ret_error": lambda i: {"": i * 7, "2.tab": 0 if i & 1 else ANY},
            "ret_float": lambda i: {"": None, "2": i, "3": None, "4": i + 1},
            "ret_array": lambda i: {"": None, "2": i * 9},
            "ret_struct": lambda i: {".a": -i, ".s": "str", "2": None, "3": None, "4": i},
            "ret_many": lambda i: {str(k) if k > 1 else "": i + k if k < 10 else None
                                   for k in range(1, 12)},
            "ret_same": lambda i: {"": i, "2": i + 1}}
    wrong, seen, absent = [], {}, 0
    for event in events:
        m = EXITS.match(event["name"])
        if not m:
            continue
        name = m.group(1).rsplit(".", 1)[1]
        i = seen[name] = seen.get(name, 0) + 1
        absent += event["fields"].get("retval", ANY) is None
        for of, value in want[name](i).items() if name in want else ():
            field = f"retval{of}"
            if value is ANY and not event["fields"][field] or \
                    value is not ANY and event["fields"].get(field) != value:
                wrong.append(f"{name}({i}): {field} is not {value}: {event['fields']}")
    for name, n in {**dict.fromkeys(want, 9), "ret_deep": 4 * 501}.items():
        if seen.get(name) != n:
            wrong.append(f"{name}: {seen.get(name, 0)} returns, not {n}")
    exits = sum(seen.values())
    return wrong, exits - absent, absent, 0, exits


def main():
    return check_all(variants(), check)


if __name__ == "__main__":
    sys.exit(main())
