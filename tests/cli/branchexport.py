#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Branches for other tools: coverage as gcov counts it and genhtml reads it, stacks that
llvm-profgen, BOLT and AutoFDO read, blocks as drcov has them, calls as a tree and as slices."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from tap import finish, ok, same, skip  # noqa: E402

BUILD = os.environ.get("TRAWL_BUILD", ".")
SRC = os.environ.get("TRAWL_SRC", ".")
SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
static int fib(int n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}
static int never(int n)
{
	return n * 2;
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 6; i++) {
		if (i % 2)
			sum += fib(i);
		else
			sum -= i;
	}
	if (argc > 1)
		sum = never(sum);
	else
		sum++;
	while (sum > 100)
		sum--;
	printf("%d\\n", sum);
	return 0;
}
"""


def run(*argv, **more):
    return subprocess.run(argv, capture_output=True, text=True, check=False, **more)


def record_run(folder, name, *argv):
    """Records all branches of a program, in a small environment: the C library branches differently
    for a string that crosses a page, so fewer strings make two runs more alike."""
    few = {k: v for k, v in os.environ.items() if k == "PATH" or k.endswith("SAN_OPTIONS")}
    return run(f"{BUILD}/trawl", "-i", "branch", "-w", f"{folder}/{name}.trawl", "--",
               *argv, env=few)


def export(folder, form):
    path = f"{folder}/x.{form}"
    done = run(f"{BUILD}/trawl-export", "--to", form, f"{folder}/x.trawl", "-w", path)
    ok(done.returncode == 0, f"--to {form}", done.stderr)
    return path


def record(text, name):
    """{kind: {fields: count}} of one source file in an lcov tracefile."""
    found, here = {}, False
    for line in text.splitlines():
        if line.startswith("SF:"):
            here = line.endswith("/" + name)
        m = re.match(r"(DA|BRDA|FNDA):(.*)", line)
        if m and here:
            fields = m[2].split(",")
            if m[1] == "FNDA":
                found.setdefault("FNDA", {})[fields[1]] = int(fields[0])
            elif m[1] == "DA":
                found.setdefault("DA", {})[int(fields[0])] = int(fields[1])
            else:
                found.setdefault("BRDA", []).append((int(fields[0]), fields[3]))
    return found


def said_without_lines(folder):
    """A program without source lines, beside a library that has some, is named."""
    with open(f"{folder}/lib.c", "w") as f:
        f.write("int twice(int n)\n{\n\treturn 2 * n;\n}\n")
    with open(f"{folder}/bare.c", "w") as f:
        f.write("int twice(int n);\nint main(void)\n{\n\treturn twice(0);\n}\n")
    run("gcc", "-g", "-shared", "-fPIC", "-o", f"{folder}/libt.so", f"{folder}/lib.c")
    run("gcc", "-o", f"{folder}/bare", f"{folder}/bare.c", f"{folder}/libt.so",
        f"-Wl,-rpath,{folder}")
    run(f"{BUILD}/trawl", "-q", "-i", "branch:ptrace", "-w", f"{folder}/bare.trawl", "--",
        f"{folder}/bare")
    done = run(f"{BUILD}/trawl-export", "--to", "lcov", f"{folder}/bare.trawl")
    ok("DA:3,1" in done.stdout and re.search(r"/bare[^:]*: what ran has no source lines",
                                             done.stderr),
       "a program that ran without source lines is named", done.stderr)


def check_gcov(folder):
    """Compares coverage with gcov's, except for lines that only one has: gcov those of labels and
    heads of functions, DWARF those of braces."""
    run("gcc", "-O0", "-g", "--coverage", "-o", "g", "x.c", cwd=folder)
    run("./g", cwd=folder)
    theirs = run("gcov", "-b", "-c", "-t", "x.c" if os.path.exists(f"{folder}/x.gcda") else "g-x.c",
                 cwd=folder).stdout
    lines, ways = {}, []
    here = 0
    for line in theirs.splitlines():
        m = re.match(r"\s*([\d#*=-]+)\*?:\s*(\d+):", line)
        if m:
            here = int(m[2])
            if m[1] != "-" and here:
                lines[here] = 0 if m[1][0] in "#=" else int(m[1].rstrip("*"))
        m = re.match(r"branch\s+\d+ (?:taken (\d+)|never executed)", line)
        if m:
            ways.append((here, m[1] or "-"))
    with open(export(folder, "lcov")) as f:
        ours = record(f.read(), "x.c")
    done = run(f"{BUILD}/trawl-export", "--to", "lcov", f"{folder}/x.trawl", "-w",
               f"{folder}/all.lcov")
    same((0, ""), (done.returncode, done.stderr), "a program that is known whole: nothing to say")
    done = run(f"{BUILD}/trawl-export", "--to", "lcov", f"{SRC}/tests/golden/branches.trawl", "-w",
               f"{folder}/part.lcov")
    ok(done.returncode == 0 and "functions that were not entered are not counted" in done.stderr,
       "whose percentages are too good is said", done.stderr)
    said_without_lines(folder)
    both = sorted(set(lines) & set(ours["DA"]))
    ok(len(both) >= 13, f"{len(both)} lines are known to gcov and to us")
    same({n: lines[n] for n in both}, {n: ours["DA"][n] for n in both},
         "each ran as often as gcov counted")
    only = sorted(n for n in set(lines) ^ set(ours["DA"]))
    text = SOURCE.splitlines()
    same([], [n for n in only if not re.match(r"(\{|\}|static int|int main|\telse)", text[n - 1])],
         "what only one of them has are heads of functions and braces")
    same(sorted(ways), sorted(ours["BRDA"]), "both ways of each conditional jump as often, too")
    same((21, 0, 1), tuple(ours["FNDA"].get(n) for n in ("fib", "never", "main")),
         "and functions")
    with open(f"{folder}/x.lcov") as f:
        sections = [s for s in f.read().split("end_of_record\n") if "/x.c\n" in s]
    with open(f"{folder}/only.info", "w") as f:
        f.write("".join(s + "end_of_record\n" for s in sections))
    done = run("genhtml", "--branch-coverage", "-o", f"{folder}/html", f"{folder}/only.info")
    ok(done.returncode == 0 and os.path.exists(f"{folder}/html/index.html"),
       "genhtml makes pages of it", done.stderr)
    # "source": the C library's sources are not on this machine.
    done = run("genhtml", "--ignore-errors", "source", "-o", f"{folder}/all", f"{folder}/x.lcov")
    ok(done.returncode == 0 and os.path.exists(f"{folder}/all/index.html"),
       "and of all files, without the sources of some", done.stderr[-500:])


def check_rows(folder):
    """No row of a line table repeats the row before; such rows were a fifth of short traces."""
    text = run(f"{BUILD}/trawl-decode", "--meta=branch/module/*", f"{folder}/x.trawl").stdout
    repeated = rows = 0
    for module in map(json.loads, text.splitlines()):
        ends = {f[0] for f in module["functions"]}
        at, before, line = 0, None, 0
        for i in range(0, len(module["lines"]), 3):
            at, file, line = (at + module["lines"][i], module["lines"][i + 1],
                              line + module["lines"][i + 2])
            repeated += module["lines"][i] > 0 and at not in ends and (file // 2, line) == before
            before = file // 2, line
            rows += 1
    ok(rows > 15 and not repeated, "no row repeats the row before", rows, repeated)


CRASH = """int *p;
__attribute__((noinline)) int inner(int a) { return *p + a; }
int main(int c, char **v)
{
	return inner(c) + 1;
}
"""


def check_crash(folder):
    """After the last branch before a crash, only its target is known to have been reached."""
    with open(f"{folder}/crash.c", "w") as f:
        f.write(CRASH)
    run("gcc", "-O1", "-g", "-static-pie", "-o", "crash", "crash.c", cwd=folder)
    record_run(folder, "crash", f"{folder}/crash")
    done = run(f"{BUILD}/trawl-export", "--to", "lcov", "-w", "-", f"{folder}/crash.trawl")
    ours = record(done.stdout, "crash.c")
    same((1, 1), (ours["FNDA"].get("inner"), ours["DA"].get(2)),
         "the function that crashed at its first instruction has run")
    done = subprocess.run([f"{BUILD}/trawl-export", "--to", "drcov", "-w", "-",
                           f"{folder}/crash.trawl"], capture_output=True, check=False)
    inner = int(re.search(r"^0*([0-9a-f]+) \S \S*\binner$",
                          run("nm", f"{folder}/crash").stdout, re.M)[1], 16)
    head, _, blocks = done.stdout.partition(b" bbs\n")
    mine = [int(m) for m in re.findall(rb"^ *(\d+), 0x.*/crash$", head, re.M)]
    starts = [struct.unpack_from("<IHH", blocks, 8 * i)[::2] for i in range(len(blocks) // 8)]
    ok((inner, mine[0]) in starts, "and has a block in drcov", starts[-3:], mine, hex(inner))


def check_last_row(folder):
    """Code after the last line of a unit has no line of it: _fini begins where the unit ends."""
    for n in range(1, 17):
        with open(f"{folder}/last.c", "w") as f:
            f.write("int p;\nint main(void)\n{\n" + n * '\t__asm__("nop");\n' + "\treturn p;\n}\n")
        run("gcc", "-O1", "-g", "-static-pie", "-o", "last", "last.c", cwd=folder)
        symbols = run("nm", "-S", f"{folder}/last").stdout
        at, size = (int(v, 16) for v in re.search(r"^(\w+) (\w+) T main$", symbols, re.M).groups())
        if re.search(rf"^{at + size:016x} T _fini$", symbols, re.M):
            break
    record_run(folder, "last", f"{folder}/last")
    done = run(f"{BUILD}/trawl-export", "--to", "lcov", "-w", "-", f"{folder}/last.trawl")
    same({"main": 1}, record(done.stdout, "last.c")["FNDA"],
         "a function behind the last line of a file is none of the file")


def check_drcov(folder):
    with open(export(folder, "drcov"), "rb") as f:
        head, _, blocks = f.read().partition(b" bbs\n")
    head = head.decode()
    modules = [line.split(", ") for line in head.splitlines() if re.match(r"\s*\d+, 0x", line)]
    count = int(re.search(r"BB Table: (\d+)$", head)[1])
    same(8 * count, len(blocks), "the table has as many blocks as it says")
    mine = [int(m[0]) for m in modules if m[6].endswith("/p")]
    same(1, len(mine), "the program is a module of it")
    symbols = {m[2]: (int(m[0], 16), int(m[1], 16)) for m in
               re.findall(r"^(\w+) (\w+) [tT] (\w+)$", run("nm", "-S", f"{folder}/p").stdout, re.M)
               for m in [m]}
    covered = {(s, s + n) for s, n, m in struct.iter_unpack("<IHH", blocks) if m == mine[0]}

    def hit(name):
        at, size = symbols[name]
        return any(s < at + size and e > at for s, e in covered)
    same((True, True, False), tuple(hit(n) for n in ("main", "fib", "never")),
         "its blocks are in the functions that ran")


def check_brstack(folder):
    with open(export(folder, "brstack")) as f:
        text = f.read()
    stacks = [line.split()[1:] for line in text.splitlines() if "/-/" in line]
    ok(stacks and max(map(len, stacks)) == 32, "stacks of 32 branches")
    good = all(re.fullmatch(r"0x\w+/0x\w+/[MP-]/[X-]/[A-]/\d+", b) for s in stacks for b in s)
    ok(good, "each as perf script writes them")
    if not shutil.which("llvm-profgen-14"):
        skip("llvm-profgen reads it", "llvm-profgen-14 is not installed")
        return
    done = run("llvm-profgen-14", "--perfscript", f"{folder}/x.brstack", "--binary", f"{folder}/p",
               "--output", f"{folder}/x.prof", "--format=text")
    with open(f"{folder}/x.prof") as f:
        profile = f.read()
    ok(done.returncode == 0 and re.search(r"^fib:\d+", profile, re.M) and "never" not in profile,
       "llvm-profgen makes a profile of it", done.stderr, profile)


def entries(folder, name, function):
    """How often NAME.brstack has a branch to a function; a branch that two stacks share counts
    twice."""
    symbols = run("nm", f"{folder}/{name}").stdout
    at = int(re.search(rf"^(\w+) [tT] {function}$", symbols, re.M)[1], 16)
    with open(f"{folder}/{name}.brstack") as f:
        text = f.read()
    # The file is small, so all its mappings have the same distance to its addresses.
    base = [int(m[1], 16) - int(m[2], 16) for m in re.finditer(
        rf"^PERF_RECORD_MMAP2 \S+ \[(0x\w+)\(0x\w+\) @ (0x\w+) .*/{name}$", text, re.M)]
    return len(re.findall(rf"/0x0*{base[0] + at:x}/", text))


# The "perf" that perf2bolt runs: prints our text instead of perf script's for a perf.data.
PERF = """\
#!/bin/sh
case "$*" in
*brstack*) sed -n 's/^ *[0-9a-f]* 0x/1 &/p' {0}/b.brstack ;;
*mmap*) sed -n 's/^PERF_RECORD_MMAP2 [0-9]*/b 1 [000] 1.0: PERF_RECORD_MMAP2 1/p' {0}/b.brstack ;;
esac
"""


def check_bolt(folder):
    bolt = "/usr/lib/llvm-16/bin"
    if not os.path.exists(f"{bolt}/perf2bolt"):
        skip("BOLT reads it", "bolt-16 is not installed")
        return
    os.mkdir(f"{folder}/play")
    with open(f"{folder}/play/perf", "w") as f:
        f.write(PERF.format(folder))
    os.chmod(f"{folder}/play/perf", 0o755)
    with open(f"{folder}/perf.data", "w") as f:
        f.write("PERFILE2")
    run("gcc", "-O1", "-g", "-static-pie", "-Wl,--emit-relocs", "-o", "b", "x.c", cwd=folder)
    plain = run("./b", cwd=folder).stdout
    record_run(folder, "b", f"{folder}/b")
    run(f"{BUILD}/trawl-export", "--to", "brstack", "b.trawl", "-w", "b.brstack", cwd=folder)
    done = run(f"{bolt}/perf2bolt", "-p", "perf.data", "-o", "b.fdata", "./b", cwd=folder,
               env={**os.environ, "PATH": f"{folder}/play:{os.environ['PATH']}"})
    ok(done.returncode == 0 and
       "traces mismatching disassembled function contents: 0 (" in done.stdout,
       "BOLT reads it, and finds each way in the program's code", done.stdout, done.stderr)
    with open(f"{folder}/b.fdata") as f:
        profile = f.read()
    calls = re.findall(r"^1 (?:fib|main)\S* \w+ 1 fib\S* 0 \d+ (\d+)$", profile, re.M)
    same(entries(folder, "b", "fib"), sum(map(int, calls)), "its profile has each call")
    done = run(f"{bolt}/llvm-bolt", "b", "-o", "bolted", "-data", "b.fdata",
               "-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", cwd=folder)
    same((0, plain), (done.returncode, run("./bolted", cwd=folder).stdout),
         "and a program moved by it does the same")


def autofdo_text(brstack, program):
    """Writes AutoFDO's text of stacks: ranges of code that ran, sampled addresses (none), branches,
    each with a count, as offsets in the program."""
    ranges, branches, code = {}, {}, (0, 0, 0)
    with open(brstack) as f:
        lines = f.read().splitlines()
    for line in lines:
        m = re.match(r"PERF_RECORD_MMAP2 \S+ \[(0x\w+)\((0x\w+)\) @ (0x\w+) .* (\S+)$", line)
        if m and m[4] == program:
            code = int(m[1], 16), int(m[1], 16) + int(m[2], 16), int(m[3], 16)
        if m:
            continue
        stack = [tuple(int(x, 16) for x in b.split("/")[:2]) for b in line.split()[1:]][::-1]
        ends = [(a, b, branches, "->") for a, b in stack]
        ends += [(x[1], y[0], ranges, "-") for x, y in zip(stack, stack[1:]) if x[1] <= y[0]]
        for a, b, table, between in ends:
            if code[0] <= a < code[1] and code[0] <= b < code[1]:
                key = f"{a - code[0] + code[2]:x}{between}{b - code[0] + code[2]:x}"
                table[key] = table.get(key, 0) + 1
    return "".join([f"{len(t)}\n" + "".join(f"{k}:{n}\n" for k, n in t.items())
                    for t in (ranges, {}, branches)])


def check_autofdo(folder):
    """AutoFDO counts the calls in brstack, which it gets in its own text."""
    if not shutil.which("create_llvm_prof"):
        skip("AutoFDO makes a profile of it", "create_llvm_prof (package autofdo) is not installed")
        return
    run("gcc", "-O1", "-static-pie", "-gdwarf-4", "-o", "a", "x.c", cwd=folder)
    record_run(folder, "a", f"{folder}/a")
    run(f"{BUILD}/trawl-export", "--to", "brstack", "a.trawl", "-w", "a.brstack", cwd=folder)
    with open(f"{folder}/a.txt", "w") as f:
        f.write(autofdo_text(f"{folder}/a.brstack", os.path.realpath(f"{folder}/a")))
    done = run("create_llvm_prof", "--binary=./a", "--profiler=text", "--profile=a.txt",
               "--out=a.prof", "--format=text", cwd=folder)
    with open(f"{folder}/a.prof", errors="replace") as f:
        calls = re.search(r"^fib:\d+:(\d+)$", f.read(), re.M)
    same((0, entries(folder, "a", "fib")), (done.returncode, calls and int(calls[1])),
         "AutoFDO makes a profile of it, with each call")


def span(text):
    """(nanoseconds, rounding error) of a time such as "<125us": half of its last digit."""
    m = re.fullmatch(r"[<~>]?([\d.]+)(s|ms|us|ns)", text)
    if not m:
        return -1, 0
    unit = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[m[2]]
    return float(m[1]) * unit, unit * (0.5 / 10 ** len(m[1].partition(".")[2]) + 1e-9)


def check_spans(path):
    """The tree has the duration of each call, as its JSON does: ~ if it is at most a third off."""
    lines = run(f"{BUILD}/trawl-decode", "--calls", path).stdout.splitlines()
    rows = [json.loads(line)
            for line in run(f"{BUILD}/trawl-decode", "--calls", "--json", path).stdout.splitlines()]
    lines = [line for line in lines if re.match(r"\d\d:\d\d:", line)]
    bad = [] if len(lines) == len(rows) and rows else ["another number of calls"]
    for line, row in zip(lines, rows):
        said, least, most = line[20:29].strip(), row["least_ns"], row["most_ns"]
        if most is None and not least:
            bad += [(line, row)] if said != "?" else []
            continue
        near = most is not None and least and most // 2 <= least  # the middle is a third off
        sign = ">" if most is None else "" if least == most else "~" if near else "<"
        value, about = span(said) if said else (0, 0)
        want = least if most is None else (least + most) // 2 if near else most
        if said[:1] not in (sign or said[:1]) or abs(value - want) > about:
            bad.append((line, row))
    same([], bad, "how long each took, in the tree as in its JSON")


def check_calls(folder):
    out = run(f"{BUILD}/trawl-decode", "--calls", f"{folder}/x.trawl").stdout
    tree = [(len(m[1]), m[2]) for m in
            re.finditer(r"^\d\d:\d\d:\S+\s(?:.{10})( +)(\S+.*?)(?:  \S+:\d+)?$", out, re.M)]
    names = [name for _, name in tree]
    ok("main" in names, "--calls has main", out[:600])
    at = names.index("main")
    inner = [(d - tree[at][0], n) for d, n in tree[at + 1:] if d > tree[at][0]]
    ok((2, "fib x2") in inner or (2, "fib") in inner, "and what it calls, below it", inner[:6])
    rows = [json.loads(line) for line in
            run(f"{BUILD}/trawl-decode", "--calls", "--json",
                f"{folder}/x.trawl").stdout.splitlines()]
    fibs = [r for r in rows if r["function"] == "fib"]
    ok(fibs and all(r["most_ns"] is None or r["least_ns"] <= r["most_ns"] for r in rows),
       "how long, at least and at most")
    ok(all(r["most_ns"] is not None for r in fibs), "of all that returned")
    ok(all(r.get("stepped") for r in rows) and
       re.search(r"-\d+  \(single-stepped: durations include the time of the steps\)$", out, re.M),
       "durations of single-stepped calls say so", out[:200])
    out = run(f"{BUILD}/trawl-decode", "--calls=5", f"{folder}/x.trawl").stdout
    same(5, len(re.findall(r"^\d\d:\d\d:", out, re.M)), "--calls=5 has the last five")
    ok(re.match(r"p-\d+  \(single-stepped: times include the time of the steps\)\n\d\d:", out) and
       out.count("single-stepped") == 1, "and says that their times are those of steps", out)
    rows = [json.loads(line) for line in
            run(f"{BUILD}/trawl-decode", "--calls=5", "--json", f"{folder}/x.trawl")
            .stdout.splitlines()]
    ok(len(rows) == 5 and all(r["most_ns"] is None and r.get("stepped") for r in rows),
       "in JSON, too, where how long they took is not known", rows)
    out = run(f"{BUILD}/trawl-decode", "--calls=5", f"{folder}/x.trawl").stdout
    ok("_exit" in out.splitlines()[-1].lower(), "of which the last one ended it", out)
    counts = run(f"{BUILD}/trawl-decode", "--counts", "--json", f"{folder}/x.trawl").stdout
    rows = [json.loads(line) for line in counts.splitlines()]
    same([21], [r["entries"] for r in rows if r.get("function") == "fib"], "--counts: calls of fib")
    jumps = [r["count"] for r in rows if r.get("kind") == "call" and r.get("to") == "fib"]
    same([3, 9, 9], sorted(jumps), "and by edge")


def check_slices(folder):
    with open(export(folder, "folded")) as f:
        stacks = dict(line.rsplit(" ", 1) for line in f.read().splitlines())
    inner = [s for s in stacks if s.endswith(";main;fib;fib;fib")]
    same(1, len(inner), "folded: a stack of calls is a line")
    branches = sum(1 for b in run(f"{BUILD}/trawl-decode", f"{folder}/x.trawl").stdout.splitlines())
    same(branches, sum(map(int, stacks.values())), "all branches are in one of them")
    with open(export(folder, "perfetto"), "rb") as f:
        data = f.read()
    ok(data.count(b"\x03fib") == 21, "perfetto: each call is a slice", data.count(b"fib"))
    same(len(re.findall(b"\xb2\x01\x06branch", data)), data.count(b"single_stepped"),
         "each says that its duration is that of single steps")
    path = f"{folder}/golden.perfetto"
    run(f"{BUILD}/trawl-export", "--to", "perfetto", f"{SRC}/tests/golden/branches.trawl", "-w",
        path)
    with open(path, "rb") as f:
        data = f.read()
    ok(b"began_up_to_ns_later" in data and b"single_stepped" not in data,
       "of branches whose times are ranges, a slice says so")


def check_diff(folder):
    """Two runs at different addresses are equal; with an argument, the first difference is at the
    program's test of it."""
    def difference(a, b):
        return run(f"{BUILD}/trawl-decode", "--diff", f"{folder}/{a}.trawl", f"{folder}/{b}.trawl")

    def first_line(a, b):
        """The source line of the first difference."""
        out = run(f"{BUILD}/trawl-decode", "--diff", "--json", f"{folder}/{a}.trawl",
                  f"{folder}/{b}.trawl").stdout
        return json.loads(out.splitlines()[0])["first"].get("from_line") or ""

    # In one run of many, a text crosses a page, and the C library branches differently. So at least
    # two of five runs must be equal.
    alike, runs, own = None, ["x"], []
    while not alike and len(runs) < 5:
        runs.append(f"y{len(runs)}")
        record_run(folder, runs[-1], f"{folder}/p")
        alike = next(((a, runs[-1]) for a in runs[:-1] if difference(a, runs[-1]).returncode == 0),
                     None)
        own += [r for r in runs[:-1] if not alike and "x.c:" in first_line(r, runs[-1])]
    ok(alike and difference(*alike).stdout.startswith("the same: "), "--diff of two runs",
       difference(*runs[:2]).stdout)
    ok(not own, "what differs in others is not in the program", own)
    froms = [{b["fields"]["from"] for b in map(json.loads, run(
        f"{BUILD}/trawl-decode", "--json", f"{folder}/{n}.trawl").stdout.splitlines())}
             for n in alike or runs[:2]]
    ok(len(froms[0] & froms[1]) < len(froms[0]) / 2, "whose addresses differ")
    record_run(folder, "z", f"{folder}/p", "x")
    done = run(f"{BUILD}/trawl-decode", "--diff", f"{folder}/x.trawl", f"{folder}/z.trawl")
    same(1, done.returncode, "--diff of different runs")
    ok(re.search(r"after #\d+ jmp main\+0x\w+ x\.c:18 .*\n.*main\+0x\w+ x\.c:22 -> .*x\.c:25.*\n"
                 r".*main\+0x\w+ x\.c:2\d -> ", done.stdout) or
       re.search(r"main\+0x\w+ x\.c:22 -> main\+0x\w+ x\.c:25", done.stdout),
       "the place, with the lines of both", done.stdout)
    done = run(f"{BUILD}/trawl-decode", "--diff", "--json", f"{folder}/x.trawl",
               f"{folder}/z.trawl")
    # The dynamic linker's strlen() may differ before that: it branches by the addresses of strings.
    places = [json.loads(line)["first"]["from_line"] for line in done.stdout.splitlines()]
    ok("x.c:22" in places, "as JSON", done.stdout)


def main():
    folder = tempfile.mkdtemp()
    try:
        with open(f"{folder}/x.c", "w") as f:
            f.write(SOURCE)
        run("gcc", "-O0", "-static-pie", "-g", "-o", "p", "x.c", cwd=folder)
        done = record_run(folder, "x", f"{folder}/p")
        ok(done.returncode == 0, "a program with source lines", done.stderr)
        if shutil.which("genhtml"):
            check_gcov(folder)
        else:
            skip("lines as gcov counts them", "lcov is not installed")
        check_rows(folder)
        check_crash(folder)
        check_last_row(folder)
        check_drcov(folder)
        check_brstack(folder)
        check_bolt(folder)
        check_autofdo(folder)
        check_calls(folder)
        check_spans(f"{folder}/x.trawl")
        check_slices(folder)
        check_diff(folder)
    finally:
        shutil.rmtree(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
