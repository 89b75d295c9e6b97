#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Enums of Rust with data, std::optional and std::variant: each value is the alternative that the
program prints, with its data, and no field of another alternative has a value. In programs without
optimisation gdb has to agree; gdb 13 crashes on such values of optimised programs.

	variants.py [--all] [NAME ...]
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run import BUILD, Variant, built, check_all, ok, record, run  # noqa: E402

PLAIN = {"A": 0, "B": 1, "C": 2}  # an enumeration without data is a number in JSON
FUNCTION = "variants::zoo_"
TOKEN = re.compile(r'\s*(0x[0-9a-f]+|-?\d+\.\d+|-?\d+|"[^"]*"|\(\)|\w+|[(){},:])')


def parse(words):
    """Parses the first value into a tree: a number, a text, a bool, None for (), or
    (name, [values] or {members})."""
    word = words.pop(0)
    if word[0] == '"':
        return word[1:-1]
    if word in ("true", "false", "()"):
        return {"true": True, "false": False}.get(word)
    named = not re.match(r"[-\d]", word) or words[:1] == ["("]
    if not named:
        return float(word) if "." in word else int(word, 0)
    values = []
    if words[:1] == ["("]:
        while words.pop(0) != ")":
            values.append(parse(words))
    elif words[:1] == ["{"]:
        values = {}
        while words.pop(0) != "}":
            name = words.pop(0)
            words.pop(0)
            values[name] = parse(words)
    return word, values


def said(text):
    """{function: [trees of each call]} from the output of the program or of gdb."""
    calls = {}
    for line in text.splitlines():
        name, _, rest = line.partition(" ")
        if name.startswith("zoo_"):
            words, values = TOKEN.findall(rest), []
            while words:
                values.append(parse(words))
            calls.setdefault(name, []).append(values)
    return calls


class Comparison:
    def __init__(self):
        self.equal, self.absent, self.wrong = 0, 0, []

    def data(self, where, fields, name, values):
        """Compares the members of an alternative or of a structure."""
        if isinstance(values, list) and len(values) == 1:
            return self.value(where, fields, name, values[0])
        members = values.items() if isinstance(values, dict) else \
            ((f"__{i}", value) for i, value in enumerate(values))
        for member, value in members:
            self.value(where, fields, f"{name}.{member}", value)

    def value(self, where, fields, name, value):
        if value is None:
            return
        ours = fields.get(name)
        if not isinstance(value, tuple):
            if ours is None:
                self.absent += 1
            elif ours == value or isinstance(value, float) and abs(ours - value) < 1e-6:
                self.equal += 1
            else:
                self.wrong.append(f"{where}: {name} is {ours!r}, not {value!r}")
        elif name in fields or f"{name}.{value[0]}" in fields:
            if ours is None:
                self.absent += 1
                return
            if ours != value[0] and ours != PLAIN.get(value[0]):
                self.wrong.append(f"{where}: {name} is {ours!r}, not {value[0]}")
            self.equal += 1
            inside = f"{name}.{value[0]}"
            for other, number in fields.items():
                if other.startswith(name + ".") and not f"{other}.".startswith(inside + ".") \
                        and number is not None:
                    self.wrong.append(f"{where}: {other} is {number!r}, and {name} is {ours}")
            self.data(where, fields, inside, value[1])
        elif f"{name}.{next(iter(value[1]), '')}" in fields:
            self.data(where, fields, name, value[1])
        else:
            self.absent += 1


def compare(events, calls):
    c, n = Comparison(), {}
    for event in events:
        if "closure" in event["name"]:
            continue
        name = re.search(r"zoo_(options|results|shape|texts|optionals|variants)",
                         event["name"]).group()
        k = n[name] = n.get(name, -1) + 1
        if k >= len(calls.get(name, [])):
            c.wrong.append(f"{name}: call {k + 1} is not told of")
            continue
        arguments = dict.fromkeys(f.split(".")[0] for f in event["fields"]
                                  if not f.startswith("__"))
        for argument, value in zip(arguments, calls[name][k]):
            c.value(f"{name}, call {k + 1}", event["fields"], argument, value)
    for name, told in calls.items():
        if len(told) != n.get(name, -1) + 1:
            c.wrong.append(f"{name}: {n.get(name, -1) + 1} calls of {len(told)}")
    return c


def without_types(text):
    """core::option::Option<u32>::Some(3) as Some(3); addresses, and what gdb cannot show, as ()."""
    if "alloc::" in text or text.startswith("<error"):
        return "()"
    text = re.sub(r"0x[0-9a-f]+( <[^<>]*>)?", "()", text)
    while "<" in text:
        text = re.sub(r"<[^<>]*>", "", text)
    return re.sub(r"(\w+::)+", "", text)


def by_gdb(program):
    """gdb's values of the arguments, written as the program writes them."""
    script = ["set debuginfod enabled off", "set pagination off", "set print frame-arguments none",
              *(f"break {FUNCTION}{name}" for name in ("options", "results", "shape", "texts")),
              "run"]
    script += ["echo NEXT \\n", "info args", "continue"] * 21
    words = [w for line in script for w in ("-ex", line)]
    out = run("gdb", "-nx", "-batch", *words, program, stdin=subprocess.DEVNULL).stdout
    lines, function = [], ""
    for line in out.splitlines():
        stop = re.search(r"Breakpoint \d+, " + FUNCTION + r"(\w+) \(", line)
        value = re.match(r"\w+ = (.*)", line)
        if stop:
            function = "zoo_" + stop.group(1)
        elif line.startswith("NEXT"):
            lines.append(function)
        elif value and lines:
            lines[-1] += " " + without_types(value.group(1))
    return "\n".join(lines)


def rustc_flags():
    """Options for a rustc before 1.66 (Debian 12), which has alternatives with numbers and data
    only as an unstable feature."""
    version = re.search(r"rustc (\d+)\.(\d+)", run("rustc", "--version").stdout)
    if tuple(map(int, version.groups())) >= (1, 66):
        return []
    os.environ["RUSTC_BOOTSTRAP"] = "1"
    return ["--cfg", "unstable"]


def variants():
    flags = rustc_flags()
    for o in "0", "1", "2", "3", "s":
        yield Variant(f"rust-O{o}", "rustc", "variants.rs", "-C", f"opt-level={o}", *flags,
                      short=o == "2",
                      unoptimised=o == "0")
    for compiler in "g++", "clang++":
        for o in "0", "1", "2":
            yield Variant(f"{compiler}-O{o}", compiler, "variants.cc", "-std=c++17", f"-O{o}",
                          short=compiler == "g++" and o == "2")


def check(variant, folder):
    program = built(variant, folder)
    if not program:
        return
    path = f"{program}.trawl"
    p = run(f"{BUILD}/trawl", "-w", path, "-i", f"uprobe:{program}:*zoo_* $params", "--", program)
    events = record_of(path)
    c = compare(events, said(p.stdout))
    ok(c.equal + c.absent >= 18 and not c.wrong,
       f"{variant.name}: {len(events)} calls, {c.equal} values as the program "
       f"passes them, {c.absent} said to be unavailable, none of another alternative", *c.wrong,
       p.stderr)
    if variant.unoptimised and variant.compiler == "rustc":
        c = compare(events, said(by_gdb(program)))
        ok(c.equal > 20 and not c.wrong, f"{variant.name}: {c.equal} values as gdb shows them",
           *c.wrong)
    if not c.equal:
        return  # clang describes no location of these parameters at the entry
    text = run(f"{BUILD}/trawl-decode", path).stdout
    ok(text.count("=None") + text.count("=nullopt") >= 3 and
       "another of its alternatives" not in text,
       f"{variant.name}: text leaves out fields of other alternatives", text)


def one_of_them(folder):
    """If only the data of an alternative is asked for, the alternative's name is recorded, too."""
    program = next(v for v in variants() if v.name == "rust-O2").build(folder)
    events = record(program, [f"uprobe:{program}:*zoo_options17* n=a.Some"])[0]
    ok([(e["fields"]["a"], e["fields"]["n"]) for e in events] ==
       [("Some", 0), ("None", None), ("Some", 200)],
       "data of an alternative that is asked for alone has its value", events)
    lines = run(f"{BUILD}/trawl-decode", "--where", 'a == "Some" && n > 100',
                f"{program}.trawl").stdout
    ok(lines.count("\n") == 1 and "n=200 a=Some" in lines,
       "--where takes data of an alternative", lines)


def record_of(path):
    return [json.loads(line)
            for line in run(f"{BUILD}/trawl-decode", "--json", path).stdout.splitlines()]


if __name__ == "__main__":
    sys.exit(check_all(variants(), check, one_of_them))
