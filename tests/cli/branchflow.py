#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Synthetic branches with losses between them: the call tree, stacks, slices, coverage and
values where data is missing or was never recorded."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from cli.protobuf import fields  # noqa: E402
from tap import finish, ok, same  # noqa: E402

BUILD = os.environ.get("TRAWL_BUILD", ".")
BASE = 0x400000
FUNCTIONS = {"main": 0x1000, "f": 0x1100, "g": 0x1200}
# rows of the line table: address, line
ROWS = [(0x1000, 10), (0x1010, 11), (0x1020, 12), (0x1030, 13), (0x1100, 20), (0x1140, 21),
        (0x1200, 30), (0x1240, 31)]


def run(*argv, **more):
    return subprocess.run(argv, capture_output=True, text=True, check=False, **more)


def module(path="/bin/play", base=0):
    lines, address, line = [], 0, 0
    for at, number in ROWS:
        lines += [at + base - address, 1, number - line]
        address, line = at + base, number
    return json.dumps({"path": path, "build_id": "", "deleted": False, "why": "",
                       "segments": [[0, base, 0x100000]],
                       "functions": [[at + base, 0x80, name] for name, at in FUNCTIONS.items()],
                       "files": ["/src/play.c"], "first_file": 0, "lines": lines,
                       "branches": []})


def maps(pid, path="/bin/play", size=0x100000):
    return (f"meta branch/maps/{pid} {BASE:x}-{BASE + size:x} r-xp 00000000 08:01 7 {path}")


def capture(folder, *lines, modules=True):
    path = f"{folder}/x.trawl"
    head = [maps(5), f"meta branch/module/08:01:7 {module()}"] if modules else []
    done = run(f"{BUILD}/tests/decode/make-branches", path, input="\n".join([*head, *lines, ""]))
    ok(done.returncode == 0, "the capture is made", done.stderr)
    return path


def branch(source, target, kind, *more):
    return " ".join([f"0x{BASE + source:x} 0x{BASE + target:x} {kind}", *map(str, more)])


CALL_F = branch(0x1014, 0x1100, "call")
CALL_G = branch(0x1110, 0x1200, "call")
RET_G = branch(0x1220, 0x1115, "ret")
RET_F = branch(0x1120, 0x1019, "ret")
LOST, START, STACK, BREAK = 1, 2, 3, 4
VDSO = {"path": "[vdso]", "segments": [], "functions": [[0x100, 0x40, "__kernel_vsyscall"]]}


def tree(path, *more):
    out = run(f"{BUILD}/trawl-decode", "--calls", "--json", *more, path)
    return [json.loads(line) for line in out.stdout.splitlines()]


def texts(path):
    """(duration, name) of each line of the tree."""
    out = run(f"{BUILD}/trawl-decode", "--calls", path).stdout
    return re.findall(r"^\d\d:\d\d:\S+  (\S*) +(\*\*\* branches lost|\S+)", out, re.M)


def folded(path):
    out = run(f"{BUILD}/trawl-export", "--to", "folded", path).stdout
    return dict(line.rsplit(" ", 1) for line in out.splitlines())


def check_open(folder):
    """A call that is open at the end of the recording lasted until its last branch, or longer."""
    path = capture(folder, "batch 5 5 1000", CALL_F, "mark 0 5000 0", CALL_G, "mark 0 9000 0",
                   RET_G)
    rows = tree(path)
    f = rows[0]
    same(("f", 4000, None), (f["function"], f["least_ns"], f["most_ns"]),
         "a call that is open at the end: at least that long, at most is unknown")
    same([">4us", "<4us"], [took for took, _ in texts(path)], "and said so in the tree")


def check_repeated(folder):
    """Calls that follow each other took no longer than the time in which all took place."""
    call_h, ret_h = branch(0x1020, 0x1200, "call"), branch(0x1220, 0x1025, "ret")
    path = capture(folder, "batch 5 5 1000", *[CALL_F, RET_F] * 5, "mark 0 9000 0",
                   *[call_h, ret_h, CALL_F, RET_F] * 4, "mark 0 29000 0")
    most = [(r["function"], r["count"], r["most_ns"]) for r in tree(path)]
    same([("f", 5, 8000), (None, 4, 20000), ("g", 1, 20000), ("f", 1, 20000)], most,
         "five calls, and a loop: at most as long as all together")


def check_outer(folder):
    """A return to an unknown caller: the function that returns began before the recording."""
    path = capture(folder, "batch 5 5 1000", CALL_G, "mark 0 3000 0", RET_G, "mark 0 6000 0",
                   RET_F, "mark 0 7000 0", CALL_F)
    rows = tree(path)
    same((0, None, 0), (rows[0]["depth"], rows[0]["most_ns"], rows[0]["least_ns"] > 5000),
         "a caller from before the recording: how long it took is not known")
    same([(0, "f"), (1, "g"), (0, "f")], [(r["depth"], r["function"]) for r in rows],
         "it is the function that returns, and made the calls")
    again = [RET_F, CALL_F, CALL_G, RET_G] * 3
    rows = tree(capture(folder, "batch 5 5 1000", CALL_G, RET_G, *again))
    same([(0, "f", 1), (1, "g", 1), (0, "f", 3), (1, "g", 1)],
         [(r["depth"], r["function"], r["count"]) for r in rows],
         "what is known of it in part is not one of a loop's calls")


def check_cut(folder, name, *between):
    """Calls before a loss are not continued after it."""
    path = capture(folder, "batch 5 5 1000", CALL_F, CALL_G, *between, CALL_F, RET_F)
    stacks = folded(path)
    ok(not any(";g;" in s for s in stacks), f"{name}: nothing is called by what was before", stacks)
    ok(any(s.endswith(";[unknown]") for s in stacks),
       "and who called what comes after is not known", stacks)
    rows = tree(path)
    same([("f", 0, True), ("g", 1, True)],
         [(r["function"], r["depth"], r["most_ns"] is None) for r in rows[:2]],
         "how long the calls before it lasted is not known")
    ok(any(r["function"].startswith("***") for r in rows), "the tree has the place")
    summary = run(f"{BUILD}/trawl-decode", "--summary", path).stdout
    said = [line for line in summary.splitlines() if line.startswith("losses ")]
    same("none" if name in ("another stack", "a break") else "1", said[0].split()[1],
         "the summary has its losses")
    same(name in ("lost branches", "a damaged batch"),
         "  1 place in the branches of tasks (branch:lost)\n" in summary, "and where they are")
    last = [r for r in rows if r["function"] == "f"][-1]
    same(0, last["depth"], "the calls after it begin anew")
    done = run(f"{BUILD}/trawl-export", "--to", "drcov", path, "-w", "-")
    ok("--to drcov: branches are missing at 1 place: " in done.stderr, "coverage says so",
       done.stderr)
    out = f"{folder}/x.perfetto"
    done = run(f"{BUILD}/trawl-export", "--to", "perfetto", path, "-w", out)
    ok(done.returncode in (0, 1), "perfetto", done.stderr)
    with open(out, "rb") as f:
        data = f.read()
    # field 9 of a track event: 1 begin, 2 end
    begins, ends = slices(data)
    same((3, 3), (begins, ends), "each of its slices ends")


def slices(data):
    """How many slices begin and end: TracePacket.track_event is field 11, its type field 9."""
    kinds = [kind for packet in fields(data)[1] for event in fields(packet)[11]
             for kind in fields(event)[9]]
    return kinds.count(1), kinds.count(2)


def check_break(folder):
    """Where the code does not lead to the next branch, nothing is lost, and nothing is consecutive."""
    path = capture(folder, "batch 5 5 1000", CALL_F, CALL_G, f"mark {BREAK} 4000 0", CALL_F, RET_F)
    done = run(f"{BUILD}/trawl-decode", path)
    lines = [line for line in done.stdout.splitlines() if "branch:" in line]
    same((0, 5), (done.returncode, len(lines)), "a break is a line of its own, and no problem")
    ok("branch:break" in lines[2] and "the code does not lead to the next branch" in lines[2],
       "at its place", lines)
    names = [json.loads(line)["name"]
             for line in run(f"{BUILD}/trawl-decode", "--json", path).stdout.splitlines()]
    same(["branch:call", "branch:call", "branch:break", "branch:call", "branch:ret"], names,
         "in JSON, too")
    summary = run(f"{BUILD}/trawl-decode", "--summary", path).stdout
    ok("branches lost" not in summary, "the summary has no loss", summary)
    ok("*** a signal, or branches lost" in [r["function"] for r in tree(path)], "the tree says why")
    done = run(f"{BUILD}/trawl-export", "--to", "brstack", path, "-w", "-")
    same([2, 2], [len(line.split()) - 1 for line in done.stdout.splitlines() if "/-/" in line],
         "brstack: a break ends a stack")


def check_after_cut(folder):
    """A caller that becomes known after a loss called nothing from before it."""
    path = capture(folder, "batch 5 5 1000", CALL_F, CALL_G, RET_G, RET_F, f"mark {LOST} 4000 0",
                   CALL_G, RET_G, RET_F, CALL_F, RET_F)
    same([("f", 0), ("g", 1), ("*** branches lost", 0), ("f", 0), ("g", 1), ("f", 0)],
         [(r["function"], r["depth"]) for r in tree(path)],
         "calls before a loss are none of a caller that is known after it only")


def check_goroutines(folder):
    """When Go's runtime continues another goroutine, its callers are unknown until it returns to
    them. If the same goroutine goes on after its stack grew, they are known."""
    parts = json.loads(module())
    names = ("runtime.execute", "gogo", "runtime.newstack", "runtime.goexit.abi0")
    parts["functions"] += [[0x1300 + 0x100 * i, 0x80, name] for i, name in enumerate(names)]
    execute = branch(0x1210, 0x1300, "call")
    to_gogo = [branch(0x1310, 0x1400, "call"), branch(0x1420, 0x1115, "jmp*")]
    known = [maps(5), f"meta branch/module/08:01:7 {json.dumps(parts)}"]
    path = capture(folder, *known, "batch 5 5 1000", CALL_F, CALL_G, execute, *to_gogo, RET_F,
                   modules=False)
    rows = [(r["function"], r["depth"]) for r in tree(path)]
    same([("f", 0), ("g", 1), ("runtime.execute", 2), ("gogo", 3), ("*** a goroutine continues", 0),
          ("f", 0)], rows, "what another goroutine returns from has none of the calls before")
    ok(any(s.endswith(";[unknown]") for s in folded(path)), "its callers are unknown in stacks")
    out = f"{folder}/x.perfetto"
    run(f"{BUILD}/trawl-export", "--to", "perfetto", path, "-w", out)
    with open(out, "rb") as f:
        data = f.read()
    same(((4, 4), 4), (slices(data), data.count(b"another goroutine, or function")),
         "slices end, and say why it is unknown how long the calls lasted")
    path = capture(folder, *known, "batch 5 5 1000", to_gogo[0],
                   branch(0x1420, 0x1200, "jmp*"), branch(0x1220, 0x1605, "ret"), modules=False)
    same([("gogo", 0), ("*** a goroutine continues", 0), ("g", 0)],
         [(r["function"], r["depth"]) for r in tree(path)],
         "a new goroutine begins with its first function")
    path = capture(folder, *known, "batch 5 5 1000", CALL_F, branch(0x1110, 0x1500, "call"),
                   branch(0x1510, 0x1400, "call"), branch(0x1420, 0x1108, "jmp*"), CALL_G, RET_G,
                   RET_F, modules=False)
    same([("f", 0), ("runtime.newstack", 1), ("gogo", 2), ("g", 1)],
         [(r["function"], r["depth"]) for r in tree(path)],
         "a goroutine whose stack has grown has its callers")


def check_unwound(folder):
    """longjmp() and the handler of an exception end the calls that they leave."""
    parts = json.loads(module())
    parts["functions"] += [[0x1300, 0x80, "main.cold"], [0x1400, 0x80, "main [clone .cold]"]]
    for name, how, target in (("longjmp", "jmp*", 0x1030), ("a handler", "ret", 0x1048),
                              ("one in a cold part", "jmp*", 0x1310),
                              ("one in a part of C++", "jmp*", 0x1420)):
        path = capture(folder, maps(5), f"meta branch/module/08:01:7 {json.dumps(parts)}",
                       "batch 5 5 1000", *[CALL_F, CALL_G, branch(0x1230, target, how)] * 3, CALL_F,
                       modules=False)
        # The tree joins three equal calls in one line.
        same([("f", 0), ("g", 1), ("f", 0)], [(r["function"], r["depth"]) for r in tree(path)],
             f"{name} ends two calls")
    path = capture(folder, "batch 5 5 1000", CALL_F, CALL_G, branch(0x1230, 0x1238, "jmp*"),
                   RET_G, RET_F)
    same([("f", 0, True), ("g", 1, True)],
         [(r["function"], r["depth"], r["most_ns"] is not None) for r in tree(path)],
         "a jump within a function ends none")


def check_selection(folder):
    """Views of consecutive branches refuse what would leave some out, and say what is selected."""
    path = capture(folder, "batch 5 5 1000", CALL_F, RET_F)
    views = [["trawl-decode", "--calls"], ["trawl-decode", "--counts"],
             *(["trawl-export", "-w", "-", "--to", to]
               for to in ("folded", "brstack", "lcov", "drcov"))]
    for view in views:
        name = " ".join(view[-2:]) if "--to" in view else view[-1]
        for options, why in ((["-c", "1"], "instead of -c"), (["--where", "kind == 1"], "--where"),
                             (["--name", "branch:call"], "--where, --name")):
            done = run(f"{BUILD}/{view[0]}", *view[1:], *options, path)
            ok(done.returncode == 2 and f"{name}: needs consecutive branches" in done.stderr and
               why in done.stderr and not done.stdout, f"{name} {options[0]}", done.stderr)
        done = run(f"{BUILD}/{view[0]}", *view[1:], "--pid", "6", path)
        ok(done.returncode == 2 and f"{name}: no branches are selected;" in done.stderr,
           f"{name} of another process", done.stderr)


def check_deep(folder):
    """A recursion of 10,000 calls: the last calls are those at its end, and all of it returns."""
    call, back = branch(0x1110, 0x1100, "call"), branch(0x1120, 0x1115, "ret")
    down = [CALL_F, *[call] * 9999]
    path = capture(folder, "batch 5 5 1000", *down, CALL_G, RET_G, CALL_G)
    last = run(f"{BUILD}/trawl-decode", "--calls=70", path).stdout
    names = [line.split()[2:] for line in last.splitlines()]
    same([["(66)", "f"], ["(67)", "f"], ["(68)", "g"], ["(68)", "g"]],
         [n[:2] for n in names[-4:]], "the last calls of a deep recursion, with their levels")
    ok(all(len(line) < 150 for line in last.splitlines()), "their lines stay short")
    rows = tree(path)
    same((4096, "*** a call that is too deep to be shown", 5906),
         (rows[-1]["depth"], rows[-1]["function"], rows[-1]["count"]),
         "the tree says how many calls are too deep for it")
    path = capture(folder, "batch 5 5 1000", *down, *[back] * 9999, RET_F,
                   branch(0x1020, 0x1200, "call"))
    same(("g", 0), (tree(path)[-1]["function"], tree(path)[-1]["depth"]),
         "a call after its return is again one of the outermost function's")
    path = capture(folder, "batch 5 5 1000", *down, branch(0x1210, 0x1016, "jmp*"),
                   branch(0x1020, 0x1200, "call"))
    same(("g", 0), (tree(path)[-1]["function"], tree(path)[-1]["depth"]),
         "and so is one after a longjmp out of it")


def check_out(folder):
    """longjmp() to a function that called before a loss: none of the known calls goes on for sure.
    A jump within one of the functions that run, by a thunk of the compiler, ends none."""
    parts = json.loads(module())
    parts["functions"] += [[0x1300, 0x80, "thunk"]]
    known = [maps(5), f"meta branch/module/08:01:7 {json.dumps(parts)}"]
    for how in "jmp*", "ret":
        path = capture(folder, "batch 5 5 1000", f"mark {LOST} 4000 0", CALL_G,
                       branch(0x1230, 0x1030, how), CALL_F, RET_F)
        # CALL_G is in f, and main was open before.
        same([("*** branches lost", 0), ("g", 0), ("*** a jump out of the calls that are known", 0),
              ("f", 0)], [(r["function"], r["depth"]) for r in tree(path)],
             f"{how} to a caller from before a loss: what it calls is called by no known call")
        ok(any(";[unknown];f" in s for s in folded(path)), "nor in stacks", folded(path))
        path = capture(folder, *known, "batch 5 5 1000", CALL_F, CALL_G,
                       branch(0x1230, 0x1308, how), modules=False)
        ok(any("***" in r["function"] for r in tree(path)),
           "also where the recording began inside of calls")
        path = capture(folder, *known, "batch 5 5 1000", CALL_F, branch(0x1110, 0x1200, "jmp"),
                       branch(0x1210, 0x1300, "jmp*"), branch(0x1310, 0x1220, how), RET_F,
                       modules=False)
        ok(not any("***" in r["function"] for r in tree(path)),
           "a thunk's jump back into the function that runs ends no call", tree(path))


def check_coroutine(folder):
    """A return to the first instruction of a function, as by makecontext(), is a jump to it."""
    path = capture(folder, "batch 5 5 1000", branch(-BASE, 0x1000, "exec"), CALL_F,
                   branch(0x1120, 0x1200, "ret"), branch(0x1210, 0x1100, "call"))
    rows = [(r["function"], r["depth"]) for r in tree(path)]
    same([("f", 1), ("-> g", 2), ("f", 2)], rows[-3:], "a coroutine that begins is a jump")
    ok(any(s.endswith(";g;f") for s in folded(path)), "and replaces the function in stacks",
       folded(path))


def check_bounds(folder):
    """A loss in the middle of what was collected at once limits no branch's time."""
    path = capture(folder, "batch 5 5 1000", CALL_F, f"mark {LOST} 1000 0", CALL_G, RET_G,
                   "mark 0 9000 0", RET_F)
    lines = run(f"{BUILD}/trawl-decode", "--json", path).stdout.splitlines()
    late = [json.loads(line)["fields"].get("late_ns") for line in lines]
    same([8000, None, 8000, 8000, 0], late, "each branch may be as late as the next collection")
    same([8000], [r["most_ns"] for r in tree(path) if r["function"] == "g"], "and so may calls")


def check_long_batch(folder):
    """A batch may last for long: times select its branches, for readers and for a cut."""
    lines = ["batch 5 5 1000"]
    for second in range(1, 10):
        lines += [CALL_F, f"mark 0 {second}000000000 0", CALL_G, RET_G,
                  *([f"mark {LOST} {second}500000000 3"] if second == 4 else []), RET_F]
    path = capture(folder, *lines, "batch 6 6 9200000000", CALL_F)
    part = f"{folder}/part.trawl"
    whole = run(f"{BUILD}/trawl-decode", path).stdout.splitlines()
    seen = 0
    for begin, end in (0, 1), (1, 3.5), (3.5, 4.2), (4.2, 8), (8, 9.1), (9.1, 20):
        times = ["--from", f"+{begin}s", "--until", f"+{end}s"]
        lines = run(f"{BUILD}/trawl-decode", *times, path).stdout.splitlines()
        same(whole[seen:seen + len(lines)], lines, f"{begin} to {end} s: consecutive lines")
        with open(path) as f:
            same(lines, run(f"{BUILD}/trawl-decode", *times, "-", stdin=f).stdout.splitlines(),
                 "the same as from a pipe, which is read whole")
        seen += len(lines)
        done = run(f"{BUILD}/trawl-edit", "cut", *times, path, "-w", part)
        same((0, lines), (done.returncode,
                          run(f"{BUILD}/trawl-decode", part).stdout.splitlines()),
             f"{begin} to {end} s: a cut has the same")
        same(run(f"{BUILD}/trawl-decode", "--calls", *times, path).stdout,
             run(f"{BUILD}/trawl-decode", "--calls", part).stdout, "and the same calls")
        counted = re.search("branches: ([0-9]+)",
                            run(f"{BUILD}/trawl-decode", "--summary", *times, path).stdout)
        same(sum("branch:lost" not in line for line in lines), int(counted[1]),
             "the summary counts these")
    same(len(whole), seen, "the parts are together the whole")
    done = run(f"{BUILD}/trawl-edit", "cut", "--from", "+9.1s", "--pid", "5", path, "-w",
               part)
    same(2, done.returncode, "a batch that has nothing of the time is not chosen")
    done = run(f"{BUILD}/trawl-edit", "cut", "--from", "+8.5s", "--pid", "5", path, "-w",
               part)
    same(run(f"{BUILD}/trawl-decode", "--from", "+8.5s", "--pid", "5", path).stdout,
         run(f"{BUILD}/trawl-decode", part).stdout, "of a process and a time")


def check_range(folder):
    """A loss before --from is not in the range."""
    path = capture(folder, "batch 5 5 1000", CALL_F, f"mark {LOST} 200000000 7",
                   "mark 0 500000000 0", CALL_F, RET_F)
    rows = tree(path, "--from", "+0.4s")
    same(["f"], [r["function"] for r in rows], "--from: losses before it are not told")


def check_rows(folder):
    """A line whose first byte never ran counts as often as the byte of it that ran most."""
    lines = ["batch 5 5 1000"]
    # Runs begin in the middle of row 12 at different places, and go on to a jump within row 13.
    for start, times in ((0x1022, 1), (0x1024, 5), (0x1026, 2), (0x1028, 3)):
        for _ in range(times):
            lines += [branch(0x1034, start, "jmp")]
    lines += [branch(0x1034, 0x1000, "jmp"), f"mark {LOST} 1000 0"]
    path = capture(folder, *lines)
    found = set()
    for _ in range(8):  # the order of modules in memory differs from run to run
        out = run(f"{BUILD}/trawl-export", "--to", "lcov", path).stdout
        found.add(tuple(re.findall(r"^DA:(1\d),(\d+)$", out, re.M)))
    # Row 10 has the target of the last branch.
    same({(("10", "1"), ("11", "0"), ("12", "11"), ("13", "11"))}, found,
         "a row that is entered in its middle, by all blocks that run there")


def check_template(folder):
    """Functions with one line, such as those of a template, add up; a cold part does not."""
    parts = json.loads(module())
    parts["functions"] += [[0x1300, 0x80, "f.cold"]]
    parts["lines"] = [0x1100, 1, 20, 0x100, 1, 0, 0x100, 1, 0]
    path = capture(folder, maps(5), f"meta branch/module/08:01:7 {json.dumps(parts)}",
                   "batch 5 5 1000", CALL_F, branch(0x1110, 0x1300, "jcc"),
                   branch(0x1310, 0x1019, "ret"), CALL_F, CALL_G, RET_G, RET_F, modules=False)
    out = run(f"{BUILD}/trawl-export", "--to", "lcov", path).stdout
    same([("20", "3")], re.findall(r"^DA:(\d+),(\d+)$", out, re.M),
         "the line of two functions, of which one ran twice and has a cold part")


def check_joined(folder):
    """A file with two recordings: coverage adds them, also where both have the same addresses."""
    path = capture(folder, "batch 5 5 1000", CALL_F, RET_F)
    with open(path, "rb") as f:
        data = f.read()
    with open(f"{folder}/two.trawl", "wb") as f:
        f.write(data + data)
    one, two = (re.findall(r"^DA:(\d+),(\d+)$",
                           run(f"{BUILD}/trawl-export", "--to", "lcov", f).stdout, re.M)
                for f in (path, f"{folder}/two.trawl"))
    same(sorted(one * 2), sorted(two), "lcov: two records of a file, which readers add")


def check_stripped(folder):
    """The summary says of which programs it has no names, and why."""
    parts = json.loads(module())
    parts["functions"] = []
    path = capture(folder, maps(5), f"meta branch/module/08:01:7 {json.dumps(parts)}",
                   "batch 5 5 1000", CALL_F, modules=False)
    ok("branches without names: /bin/play: the code that ran has no symbols (stripped)" in
       run(f"{BUILD}/trawl-decode", "--summary", path).stdout, "a stripped program is named")


def check_values(folder):
    """Values that a processor does not record for a branch are absent, not 0."""
    path = capture(folder, "batch 5 5 1000", CALL_F, branch(0x1110, 0x1200, "call", 1, 12),
                   branch(0x1220, 0x1115, "ret", 2))
    out = run(f"{BUILD}/trawl-export", "--to", "csv", "--fields", "kind,mispredicted,cycles",
              path)
    rows = [line.split(",")[-3:] for line in out.stdout.splitlines()[1:]]
    same([["call", "", ""], ["call", "1", "12"], ["ret", "0", ""]], rows,
         "CSV: neither is there where it was not recorded")

    def where(text):
        return len(run(f"{BUILD}/trawl-decode", "--where", text, path).stdout.splitlines())
    same((1, 1, 0, 1), (where("mispredicted == 0"), where("mispredicted == 1"),
                        where("cycles == 0"), where("cycles < 100")), "--where, too")
    out = run(f"{BUILD}/trawl-decode", "--counts", "--json", path).stdout
    edges = [json.loads(line) for line in out.splitlines() if '"count"' in line]
    known = sorted((e["kind"], e.get("predictions"), e.get("mispredicted"), e.get("cycles"))
                   for e in edges if "predictions" in e or "cycles" in e)
    same([("call", 1, 1, 12.0), ("ret", 1, 0, None)], known, "--counts: of those that are known")


def check_vdso(folder):
    """32-bit processes have a vdso of their own. Without symbols it has its name all the same."""
    lines = [f"meta branch/maps/5 {BASE:x}-{BASE + 0x1000:x} r-xp 00000000 00:00 0 [vdso]",
             "batch 5 5 1000", branch(0x14, 0x120, "jmp")]
    names = [run(f"{BUILD}/trawl-decode",
                 capture(folder, *lines[:1], *meta, *lines[1:], modules=False)).stdout.split()[-3:]
             for meta in ([], [f"meta branch/module/vdso32 {json.dumps(VDSO)}"],
                          [f"meta branch/module/vdso {json.dumps(VDSO)}"])]
    same([["[vdso]+0x14", "->", "[vdso]+0x120"], ["[vdso]+0x14", "->", "__kernel_vsyscall+0x20"],
          ["[vdso]+0x14", "->", "[vdso]+0x120"]], names, "the vdso of a 32-bit process")


def check_diff(folder):
    """Recordings that differ from their first branch on."""
    paths = []
    for name, lines in (("a", [CALL_F, CALL_G]), ("b", [CALL_G])):
        os.mkdir(f"{folder}/{name}")
        paths.append(capture(f"{folder}/{name}", "batch 5 5 1000", *lines))
    out = run(f"{BUILD}/trawl-decode", "--diff", *paths).stdout.splitlines()
    same("  at the beginning", out[1], "--diff: different from their first branches on")
    ok("#0 call main+0x14" in out[2] and "#0 call f+0x10" in out[3], "with both branches", out)
    started = branch(-BASE, 0x1000, "exec")
    for folder, lines in zip(paths, ([started, CALL_F, CALL_G], [CALL_F, CALL_G])):
        capture(os.path.dirname(folder), "batch 5 5 1000", *lines, f"mark {LOST} 4000 7", CALL_G)
    done = run(f"{BUILD}/trawl-decode", "--diff", *paths)
    same((0, "the same: 3 branches of the first task\n"), (done.returncode, done.stdout),
         "the exec that a recording may begin with is no difference")
    same([f"trawl-decode: --diff: {path}: branches are missing at 1 place: a difference may be what "
          "is missing" for path in paths], done.stderr.splitlines(), "losses are said for each file")


def check_drcov(folder):
    """Data that the format cannot represent is refused or reported, never omitted silently."""
    big = 0x200000000
    far = json.loads(module())
    far["segments"] = [[0, 0, big]]
    lines = [f"meta branch/maps/5 {BASE:x}-{BASE + big:x} r-xp 00000000 08:01 7 /bin/play",
             f"meta branch/module/08:01:7 {json.dumps(far)}"]
    path = capture(folder, *lines, "batch 5 5 1000", branch(0x1014, big - 0x1000, "call"),
                   branch(big - 0x800, 0x1100, "jmp"), modules=False)
    done = run(f"{BUILD}/trawl-export", "--to", "drcov", path, "-w", f"{folder}/x.drcov")
    same(3, done.returncode, "drcov: code beyond 4 GB of its module is refused")
    ok("/bin/play has code 0x1ffff" in done.stderr, "with the module", done.stderr)
    path = capture(folder, "batch 5 5 1000", branch(0x1014, 0x900000, "call"),
                   branch(0x900010, 0x1100, "jmp"), CALL_G)
    done = run(f"{BUILD}/trawl-export", "--to", "drcov", path, "-w", f"{folder}/x.drcov")
    same(0, done.returncode, "drcov: of the rest")
    ok("--to drcov: 1 blocks are left out: their code is in no known file" in done.stderr,
       "code that is in no file is counted", done.stderr)


def check_many_names(folder):
    """A program with more functions than a table has room for at first: each keeps its own name."""
    n = 20000
    known = json.loads(module())
    known["functions"] = [[0x2000 + 16 * i, 16, f"f{i}"] for i in range(n)]
    lines = [maps(5), "meta branch/module/08:01:7 " + json.dumps(known)]
    for i in range(n):
        if i % 1000 == 0:
            lines.append(f"batch 5 5 {1000 + i}")
        lines += [branch(0x1014, 0x2000 + 16 * i, "call"), branch(0x2008 + 16 * i, 0x1019, "ret")]
    names = [row["function"] for row in tree(capture(folder, *lines, modules=False))]
    ok(names == [f"f{i}" for i in range(n)], "20,000 functions", len(names), names[-3:])


def check_moved(folder):
    """drcov counts from the image's begin, also for code whose address is not its file offset."""
    moved = json.loads(module())
    moved["segments"] = [[0x800, 0x1800, 0x10000]]
    for base in 0x555555554000, 0x200000:
        moved["segments"][0][1] = 0x1800 + (base if base == 0x200000 else 0)
        lines = [f"meta branch/maps/5 {base + 0x1000:x}-{base + 0x12000:x} r-xp 00000000 08:01 7 "
                 "/bin/play",
                 f"meta branch/module/08:01:7 {json.dumps(moved)}"]
        path = capture(folder, *lines, "batch 5 5 1000",
                       f"{base + 0x1814:#x} {base + 0x1900:#x} call",
                       f"{base + 0x1910:#x} {base + 0x1a00:#x} call", modules=False)
        out = f"{folder}/x.drcov"
        done = run(f"{BUILD}/trawl-export", "--to", "drcov", path, "-w", out)
        same(0, done.returncode, "drcov of moved code")
        with open(out, "rb") as f:
            head, _, blocks = f.read().partition(b" bbs\n")
        same((base, 0x1900), (int(head.split(b"\n 0, ")[1].split(b",")[0], 16),
                              min(b[0] for b in struct.iter_unpack("<IHH", blocks))),
             "offsets count from the first byte of the image")


def check_brstack(folder):
    """Readers of stacks do not expect kernel branches."""
    path = capture(folder, "batch 5 5 1000", CALL_F, CALL_G, branch(0x1204, 0x1206, "syscall"),
                   RET_G, branch(0x1118, 0x1240, "signal"), branch(0x1244, 0x1246, "jmp"),
                   branch(0x1248, 0x1118, "sigreturn"), RET_F, *[CALL_F, RET_F] * 20)
    done = run(f"{BUILD}/trawl-export", "--to", "brstack", path, "-w", "-")
    lines = [line for line in done.stdout.splitlines() if "/-/" in line]
    pairs = [[tuple(int(x, 16) - BASE for x in b.split("/")[:2]) for b in line.split()[1:]][::-1]
             for line in lines]
    f, g, r, back = (0x1014, 0x1100), (0x1110, 0x1200), (0x1220, 0x1115), (0x1120, 0x1019)
    rest = [back] + [f, back] * 20
    same([[f, g, r], [(0x1244, 0x1246)], rest[:32], rest[31:]], pairs,
         "brstack: no system call, and a signal ends a stack")
    same([BASE + p[-1][1] for p in pairs], [int(line.split()[0], 16) for line in lines],
         "the sampled address is where the newest went to")


def check_compact(folder):
    """compact joins short batches of a task: the same branches at the same times, in fewer
    bytes."""
    lines, number = [], 7
    for n in range(100):
        for tid in (5, 6):
            lines.append(f"batch {tid} 5 {1000 * n + 100 * tid}")
            if n == 50 and tid == 5:
                lines.append(f"mark 1 {1000 * n + 550} 3")
            for _ in range(50):
                number = (number * 1103515245 + 12345) % 2 ** 31
                at = (number >> 16) % 500 * 64
                lines.append(branch(at, at + 64, "jmp"))
    path, out = capture(folder, *lines), f"{folder}/compact.trawl"
    done = run(f"{BUILD}/trawl-edit", "compact", path, "-w", out)
    ok(done.returncode == 0, "trawl-edit compact", done.stderr)
    for options in ([], ["--json"]):
        ours, theirs = (run(f"{BUILD}/trawl-decode", *options, f).stdout for f in (path, out))
        ok(ours == theirs and ours.count("\n") > 10000, f"the same branches {options}",
           len(ours), len(theirs))
    count = [re.search(r"(\d+) events", run(f"{BUILD}/trawl-edit", "verify", f).stdout)[1]
             for f in (path, out)]
    same(["200", "2"], count, "a batch of each task")


def check_once(folder):
    """Symbols and other metadata are in a compacted file once, and in no index."""
    noise, number = [], 7
    for _ in range(180000):
        number = (number * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        noise.append(f"{number >> 32:08x}")
    path = capture(folder, *[f"meta noise/{n} {''.join(noise[n::2])}" for n in (0, 1)],
                   "batch 5 5 1000", CALL_F, RET_F)
    out = f"{folder}/compact.trawl"
    done = run(f"{BUILD}/trawl-edit", "compact", path, "-w", out)
    sizes = [os.path.getsize(f) for f in (path, out)]
    # The metadata are random hex digits of 4 bits each: 720,000 bytes at least.
    ok(done.returncode == 0 and sizes[0] > 1440000 and sizes[1] < 900000,
       "compact: metadata is there once", sizes, done.stderr)
    ours, theirs = (run(f"{BUILD}/trawl-decode", f).stdout for f in (path, out))
    ok(ours == theirs and "complete" in run(f"{BUILD}/trawl-decode", "--summary", out).stdout,
       "and all of it can be read", theirs)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_open(folder)
        check_repeated(folder)
        check_outer(folder)
        check_selection(folder)
        check_cut(folder, "lost branches", f"mark {LOST} 4000 0")
        check_cut(folder, "another stack", f"mark {STACK} 4000 0")
        check_cut(folder, "a break", f"mark {BREAK} 4000 0")
        check_break(folder)
        check_cut(folder, "a damaged batch", "damaged 5 5 4000", "batch 5 5 5000")
        check_cut(folder, "a batch that is not there", "loss 3000 4000", "batch 5 5 5000")
        check_after_cut(folder)
        check_goroutines(folder)
        check_unwound(folder)
        check_deep(folder)
        check_out(folder)
        check_coroutine(folder)
        check_bounds(folder)
        check_long_batch(folder)
        check_range(folder)
        check_rows(folder)
        check_template(folder)
        check_joined(folder)
        check_stripped(folder)
        check_values(folder)
        check_vdso(folder)
        check_diff(folder)
        check_drcov(folder)
        check_many_names(folder)
        check_moved(folder)
        check_brstack(folder)
        check_compact(folder)
        check_once(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
