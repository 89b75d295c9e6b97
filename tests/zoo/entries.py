#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Each call of a function has one entry event, also if Go's stack grows, after which the function
starts again. If a loop jumps back to the first instruction, that is reported. If the first
instruction is also the last one, the entry precedes the exit. Notes say where a return or its value
may not be what it seems."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from run import BUILD, Variant, finish, ok, run, skip, skip_all


def record(program, *specs):
    """({event name without the program: number}, events, {event name: metadata}, finished trawl)"""
    path = f"{program}.trawl"
    inputs = [word for spec in specs for word in ("-i", f"uprobe:{program}:{spec}")]
    p = run(f"{BUILD}/trawl", "-w", path, *inputs, "--", program)
    events = [json.loads(line)
              for line in run(f"{BUILD}/trawl-decode", "--json", path).stdout.splitlines()]
    return collections.Counter(e["name"].partition(":")[2] for e in events), events, p


def same_counts(what, counts, p):
    """What trawl recorded of a program of Go, beside what the program printed."""
    told = {name: int(n) for name, n in (line.split() for line in p.stdout.splitlines())}
    ok(sorted(told) == ["deep", "huge", "large", "leaf"], f"{what}: the program ran to its end",
       p.stdout, p.stderr)
    wrong = [(name, n, counts) for name, n in told.items()
             if (counts[f"main.zoo_{name}"], counts[f"main.zoo_{name}%ret"]) != (n, n)]
    ok(not wrong, f"{what}: as many entries and returns as the program counts calls", *wrong,
       p.stderr)


def stripped_go(folder):
    """Go's own table has the names of functions, wherever the linker puts it."""
    for name, *flags in (("strip",), ("pie", "-buildmode=pie"),
                         ("linked", "-buildmode=pie", "-ldflags=-linkmode=external")):
        program = Variant(name, "go", "entries.go", *flags).build(folder)
        counts, _, p = record(program, "main.zoo_*", "main.zoo_*%ret")
        same_counts(f"Go {name}", counts, p)
        subprocess.run(["strip", program], check=True)
        counts, _, p = record(program, "main.zoo_*", "main.zoo_*%ret")
        same_counts(f"Go {name}, stripped", counts, p)
    for spec, said in (("main.zoo_leaf $params", "-ldflags=-s"),
                       ("main.zoo_leaf%return $retval", "; $retval:x64 shows %rax"),
                       ("main.zoo_leav", "did you mean main.zoo_leaf")):
        p = record(program, spec)[2]
        ok(said in p.stderr and p.returncode == 2, f"stripped Go: {spec} is refused, with a remedy",
           p.returncode, p.stderr)
    events = record(program, "main.zoo_leaf n=%ax:s64",
                    "main.zoo_l*f%return $retval sum=$retval:x64")[1]
    results = [e["fields"] for e in events if "sum" in e["fields"]]
    n = [e["fields"]["n"] for e in events if "n" in e["fields"]]
    ok(len(n) == 150 and [r["sum"] for r in results] == [i + 1 for i in n] and
       {r["retval"] for r in results} == {None},
       "stripped Go: registers have values, a result without a type has none", events[:2])


def go(folder):
    program = Variant("entries", "go", "entries.go").build(folder)
    counts, events, p = record(program, "main.zoo_* $params", "main.zoo_*%ret")
    same_counts("Go", counts, p)
    deep = [e["fields"]["n"] for e in events if e["name"] == "entries:main.zoo_deep"]
    ok(deep == 3 * list(range(300, -1, -1)), "each with its parameters", deep)
    ok("leads to its first" not in p.stderr and "reached by a jump" not in p.stderr,
       "Go: jumps to the entries after a stack has grown are not reported", p.stderr)
    exact = record(program, "main.zoo_deep+0x0", "main.zoo_leaf")[2].stderr
    ok("events captured" in exact, "an offset of 0 is the function", exact)


def loops(folder):
    program = Variant("loops", "gcc", "entries.c").build(folder)
    counts, _, p = record(program, "spins", "turns", "spins%ret", "turns%ret")
    ok(counts == {"spins": 5, "turns": 1, "spins%ret": 1, "turns%ret": 1},
       "a loop that begins at the entry is one event a turn", counts, p.stderr)
    said = [line for line in p.stderr.splitlines() if "leads to its first instruction" in line]
    ok(len(said) == 1 and said[0].startswith("trawl: loops:spins: "),
       "a loop at the entry is reported for its function alone", p.stderr)


    order = ["passes", "passes%tailcall", "nothing", "nothing%return"]
    for specs in order, ("nothing%return", "passes%return", "nothing", "passes"), \
            ("*es%return", "*ng%return", "*es", "*ng"), \
            ("nothing", "passes", "[np]*s%return", "n*g%return"):
        specs = [s.replace("%tailcall", "%return") for s in specs]
        _, events, p = record(program, *specs)
        seen = [e["name"].partition(":")[2] for e in events]
        ok([n for n in seen if n in order] == 3 * order,
           f"a function that is left at its first instruction is entered first: {specs}", seen,
           p.stderr)
    counts, _, p = record(program, "rarely.cold", "rarely%return")
    ok(counts == {"rarely.cold": 1, "rarely%return": 3},
       "a function with a cold part has its returns, the part none", counts, p.stderr)
    for spec, said in (("rarely.cold%return", "part of rarely, which a jump enters, so that no "
                        "call of it returns; write rarely%return"),
                       ("rarely.cold%ret", "write rarely%ret"),
                       ("rar*.cold%return", "rarely.cold: a part of a function, which has its "
                        "returns")):
        p = record(program, spec)[2]
        ok(said in p.stderr and p.returncode == 2, f"{spec} is refused, with the way round",
           p.returncode, p.stderr)


def exceptions(folder):
    """A note says that a call may end by an exception, unless nothing in the program throws."""
    source = "int printf(const char *, ...); int calls(int n) { return printf(\"%d\", n) + n; }\n" \
        "int main() { return calls(1) < 0; }\n"
    throws = source.replace("{ return calls(1) < 0; }", "{ try { calls(1); throw 1; } "
                            "catch (int) { return 0; } }").replace("int printf", 'extern "C" '
                                                                   "int printf")
    for name, compiler, text, *flags in (
            ("c-static", "gcc", source, "-static"), ("c-dynamic", "gcc", source),
            ("cxx-static", "g++", throws, "-static"), ("cxx-dynamic", "g++", throws)):
        path = f"{folder}/{name}.{'cc' if compiler == 'g++' else 'c'}"
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        program = Variant(name, compiler, path, "-O1", "-fno-inline", *flags).build(folder)
        p = record(program, "calls%return")[2]
        ok(("ends by an exception" in p.stderr) == (compiler == "g++") and
           "1 event captured" in p.stderr,
           f"{name}: {'has' if compiler == 'g++' else 'has no'} note about exceptions", p.stderr)


def undescribed(folder):
    """Without debug information, or with one that leaves out parameters and types, $retval may be
    no result: a note says so. The function is not one without parameters."""
    path = f"{folder}/half.c"
    with open(path, "w", encoding="ascii") as f:
        f.write("static inline __attribute__((always_inline)) int twice(int n) { return 2 * n; }\n"
                "double half(double n) { volatile int k = twice(n); return k / 4; }\n"
                "int main() { return half(2) != 1; }\n")
    for compiler, flag, why in (
            ("gcc", "-g0", "no debug information; build it with -g"),
            ("gcc", "-g1", "does not say what half takes and returns; build it with -g, not -g1"),
            ("clang", "-gmlt", "does not say what half takes and returns"),
            ("gcc", "-gsplit-dwarf", "is described in a .dwo file, which is not read")):
        program = Variant(f"half{flag}", compiler, path, flag, "-O1", "-fno-inline-functions",
                          "-fno-inline-functions-called-once" if compiler == "gcc" else "-O1",
                          ).build(folder)
        for spec, noted in ("half%return $retval", True), ("half%return $retval:x64", False):
            p = record(program, spec)[2]
            ok(("the debug information does not say what it returns" in p.stderr) == noted and
               "1 event captured" in p.stderr, f"{compiler} {flag}: {spec}: a register, and "
               f"{'' if noted else 'not '}said to be one", p.stderr)
        p = record(program, "half $params")[2]
        ok(why in p.stderr, f"{compiler} {flag}: its parameters are not known", p.stderr)
        p = subprocess.run([f"{BUILD}/trawl", "-D", f"uprobe:{program}:half"], capture_output=True,
                           text=True)
        ok("half  (?)" in p.stdout, f"{compiler} {flag}: and listed so", p.stdout, p.stderr)


def own_language(folder):
    """OCaml's compiler describes functions without parameters, whatever its options: -g is no
    remedy. gcc's description, said to be of OCaml, stands for it."""
    path = f"{folder}/own.s"
    code = subprocess.run(["gcc", "-g1", "-dA", "-S", "-o", "-", "-x", "c", "-"],
                          input="int half(int n) { return n / 2; }\n"
                          "int main() { return half(1); }\n",
                          text=True, capture_output=True, check=True).stdout
    code, changed = re.subn(r"(\.byte\s+)\w+(\s+# DW_AT_language)", r"\g<1>0x1b\2", code)
    with open(path, "w", encoding="ascii") as f:
        f.write(code)
    subprocess.run(["gcc", "-o", f"{folder}/own", path], check=True)
    p = record(f"{folder}/own", "half $params")[2]
    ok(changed == 1 and "half takes and returns, as its language's compilers leave that out; fetch "
       "registers" in p.stderr, "a language without parameters in its description", p.stderr)


def main():
    if os.geteuid() or not os.path.exists("/sys/kernel/tracing/uprobe_events"):
        return skip_all("needs root and uprobes")
    with tempfile.TemporaryDirectory() as top:
        folder = f"{top}/a"
        os.mkdir(folder)
        if shutil.which("go"):
            go(folder)
            stripped_go(folder)
        else:
            skip("Go's growing stacks", "go is not installed")
        loops(folder)
        exceptions(folder)
        undescribed(folder)
        own_language(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
