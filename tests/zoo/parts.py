#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Parts of parameters and of return values, as gdb and perf probe write them: members, also behind
pointers, elements, texts inside structures. Each has the value that the source gives it, or a
reason why it has none.

	parts.py [--all] [-v] [NAME ...]      as of run.py
"""
import subprocess
import sys

from run import HERE, Variant, built, check_all, ok, record

FAULT = {"its address is not mapped", "an address on the way is not mapped"}
NO = object()  # unavailable: there is no memory

# (program, function): for each ARG its value in the first and in the second call
C_LOOK = {
    "o->tag": ("sixteen letters!", "c"), "o->text:string": ("a text of many", ""),
    "o->first->name:string": ("first", NO), "o.first.at": {".x": (3, NO), ".y": (-4, NO)},
    "o->items[1].name:string": ("i1", None), "o->items[1].flags": (2, 0),
    "o->next->next->items[1].n": (11, 0), "o->num": ([1, -2, 3, 4], [0, 0, 0, 0]),
    "o->num[1]": (-2, 0), "o->i": (99, 0), "o->colour": (1, 0), "o->first->d": (1.5, NO),
    "p.y": (0, -1), "nums[2]": (7, 7), "none->n": (NO, NO), "none->at.y": (NO, NO)}
WANTED = {
    ("c", "look"): C_LOOK,
    # too long for the kernel: one event, with a part of it
    ("c", "longest"): {"o->first->name:string": ("h" * 512,) * 2, "o->first->n": (0, 0)},
    ("c", "find%return"): {"$retval->tag": ("sixteen letters!",) * 2, "$retval->num[2]": (3, 3),
                           "$retval->first->at.x": (3, 3)},
    ("c", "half%return"): {"$retval": {".x": (5, 5), ".y": (-5, -5)}},
    ("c", "given"): {
        "$params": {"l.name": ("by value",) * 2, "l.n": ([0, -7], [1, -7]),
                    "l.in.at": ([8, -9],) * 2, "l.id": (-10, -11), "f.n[0]": (11, 11),
                    "f.n[1]": (-12, -12), "f.sign": (-3, -2), "f.big": (-100000,) * 2},
        "p->sign": (-1, -1), "p->big": (0, 0)},
    # a whole structure by its name
    ("c", "given "): {"l": {".name": ("by value",) * 2, ".id": (-10, -11)},
                      "f": {".n[1]": (-12, -12), ".sign": (-3, -2)}},
    ("c", "whole%return"): {"$retval.tag": ("c", "c"), "$retval.next->i": (99, 99)},
    ("cxx", "look"): {
        "c.id": (7, 7), "c.label": ("a label",) * 2, "p->label": (NO, "a label"),
        "c.first.name": ("the first, and longer than sixteen bytes",) * 2,
        "c.first.note": ("n", "n"), "c.ptr->name:string": ("a line", "a line"),
        "c.ref": ("referred to, and longer than sixteen bytes",) * 2,
        "l.name": ("a line", "a line"), "l.note:string": ("a note", "a note"),
        "c.lines._M_impl._M_start[1].note": ("n", "n"), "p->ptr->n": (NO, 3),
        "c.opt": {"": ("value",) * 2, ".value": ("optional",) * 2}},
    ("cxx", "varied"): {"$params": {"v": ("0", "1"), "v.0": (5, None), "v.1": (None, "varied")}},
    # a bool or a character in a part of a register is shown like one in memory
    ("cxx", "*::hidden"): {
        "c": {".n": (0, 1), ".is": (True,) * 2, ".first": (True,) * 2, ".second": (False,) * 2,
              ".c": ("x", "x")},
        "p->is": (True, True), "p->first": (False, False), "p->second": (True, True),
        "p->c": ("z", "z")},
    ("cxx", "*::hidden%return"): {
        "$retval": {".n": (12, 13), ".is": (True,) * 2, ".first": (True,) * 2,
                    ".second": (False,) * 2, ".c": ("y", "y")}},
    ("cxx", "text%return"): {"$retval": ("", "x" * 20)},
    ("cxx", "whole%return"): {"$retval.name": ("", "y" * 20), "$retval.n": (0, 20)},
    ("go", "main.look"): {
        "it->name": ("", "second"), "it.next.name:string": ("second", NO), "it.id": (8, 9),
        "it.next.id": (9, NO), "it.at": {".x": (3, 5), ".y": (4, 6)}, "p.name": ("second", ""),
        "p.at.y": (6, 4), "none.name": (NO, NO), "none.n": (NO, NO),
        "it.tags.len": (0, 2), "it.tags.array[1]": (NO, "t1")},
    ("go", "main.pad"): {
        "p.a": (11,), "p.b": (22,), "p.c": (33,), "p.d": (44,), "q.x": (1,), "q.y": ("named",),
        "q.z": (2,), "q.w": (3,)},
    ("go", "main.get%return"): {"$retval->name": ("second",), "$retval.at.x": (5,)},
    ("fortran", "*_look"): {
        "a[1]": (10, 10), "a[5]": (50, 50), "it.n": (7, 7), "it.vals[3]": (1.5, 1.5),
        "it.vals[6]": (4.5, 4.5), "it.low[0]": (2, 2), "it.low[2]": (4, 4),
        "opt": (3, NO), "also[2]": (2, NO)},
    ("fortran", "*_take"): {"n": (5,), "c[1]": (10,), "c[5]": (50,)},
    ("ada", "parts__look*"): {
        "a": (-5, 100), "b": (1, 70000), "m": (200, 7), "c": (1, 0), "l": ("k", "Z"),
        "$params": {"a": (-5, 100), "b": (1, 70000), "m": (200, 7)}},
    ("ada", "parts__take*"): {
        "it.n": (-3,), "it.at_x": (7,), "it.on": (True,), "it.list[3]": (-1,),
        "it.list[4]": (2,), "it.list[5]": (100,)},
    ("rust", "*::look"): {
        "it.name": ("alpha", "beta"), "it.note": ("alpha", "beta"), "it->n": (5, 5),
        "it.at": {".x": (1, 1), ".y": (2, 2)}, "it.list": ([1, -2, 3, 4],) * 2,
        "it.maybe": {"": ("None", "Some"), ".Some": (None, 6)}, "b.name": ("beta", "alpha"),
        "b.at.y": (2, 2)},
}
REFUSED = {
    ("c", "look"): {
        "o.tagg": "did you mean tag?", "o->table[1][1]": "has 2 dimensions",
        "o->num[7]": "has 4 elements", "p->x": "write . instead of ->",
        "nums.x": "has no members", "other->x": "it takes o, p.x", "o->": "->NAME",
        "o->text": "as :string", "o->items": "write [N] after it",
        "+8(o->tag):u64": "no pointer that can be followed", "o[0]": "more members than",
        "o->anything->x": "pointer to anything", "$o->i": "a parameter has no $"},
    ("c", "look%return"): {"o->i": "there is $retval"},
    ("c", "nothing%return"): {"$retval": "leave $retval out"},
    ("c", "nothing"): {"$retval->i": "write nothing%return"},
    ("cxx", "odd"): {"m": "pointers to members of classes are not supported",
                     "f": "pointers to members of classes are not supported",
                     "z": "complex numbers are not supported"},
    ("cxx", "*::hidden"): {"c.all": "has no such member", "p->all": "has no such member"},
    ("fortran", "*_look"): {
        "a[0]": "a has 5 elements, [1] to [5]", "it.vals[2]": "[3] to [6]",
        "b[1]": "b: its elements are elsewhere, at an address in a descriptor", "b": "elsewhere",
        "b:u32[3]": "elsewhere", "it.list[1]": "elsewhere", "it.list": "elsewhere",
        "it.list:u32[3]": "elsewhere", "it.two[1]": "has 2 dimensions"},
    ("fortran", "*_take"): {
        "c": "how many elements it has is known only when the program runs; write [N]",
        "text": "a text whose length is known only when the program runs",
        "text:string": "a text whose length is known only when the program runs"},
    ("ada", "parts__take*"): {"p.low": "relative to the first of their range", "it.list[2]": "[3] to [5]"},
    ("rust", "*::look"): {"it.maybe.Some": "write it.maybe"},
}
# parts of a register that the debug information computes by shifts
SHIFTED = {"parts-c-clang-O2": ("p.y", "f", "$params"), "parts-cxx-clang-O2": ("c",)}


def variants():
    for compiler, cxx in ("gcc", "g++"), ("clang", "clang++"):
        for o in "0", "2":
            yield Variant(f"parts-c-{compiler}-O{o}", compiler, "parts.c", f"-O{o}",
                          short=o == "2")
            yield Variant(f"parts-cxx-{compiler}-O{o}", cxx, "parts.cc", "-std=c++17",
                          "-fstandalone-debug" if cxx == "clang++" else "-fvar-tracking",
                          f"-O{o}", short=(compiler, o) == ("gcc", "2"))
    # A static member of a local class is a member there, and not external.
    yield Variant("parts-cxx-dwarf4", "g++", "parts.cc", "-std=c++17", "-gdwarf-4", "-O0",
                  short=True)
    yield Variant("parts-go", "go", "parts.go", short=True)
    yield Variant("parts-ada-O0", "gnatmake", "parts.adb", "-gnatwB", "-O0", short=True)
    for o in "0", "2":
        yield Variant(f"parts-fortran-O{o}", "gfortran", "parts.f90", f"-O{o}",
                      "-fno-inline", "-fno-ipa-sra", "-fno-ipa-cp", short=o == "2")
        yield Variant(f"parts-rust-O{o}", "rustc", "parts.rs", "-C", f"opt-level={o}",
                      short=o == "0")


def field_of(arg):
    """The name of the field that an ARG becomes."""
    return arg.partition(":")[0].lstrip("$").replace("->", ".")


def expected(args):
    """{field: its values in each call} of a probe with these ARGs."""
    fields = {}
    for arg, values in args.items():
        name = "" if arg == "$params" else field_of(arg)
        for of, calls in (values.items() if isinstance(values, dict) else [("", values)]):
            fields[name + of] = calls
    return fields


def differs(event, field, value):
    """"" if the event's field is right, else what is wrong."""
    is_, why = event["fields"].get(field, "missing"), event.get("unavailable", {}).get(field)
    right = is_ is None and why in FAULT if value is NO else is_ == value and why not in FAULT
    return "" if right else f"{field}: {is_!r} ({why}), not {value!r}"


def check_function(variant, program, function, args):
    fields = expected(args)
    events, _, said = record(program, [f"uprobe:{program}:{function} {' '.join(args)}"])
    calls = max((len(v) for v in fields.values()), default=2)
    wrong = [] if len(events) == calls else [f"{len(events)} events, not {calls}"]
    for n, event in enumerate(events[:calls]):
        wrong += [d for d in (differs(event, f, v[n]) for f, v in fields.items()) if d]
    ok(not wrong, f"{variant.name}: {function}: {len(fields)} parts", *wrong, *said.splitlines())


def check_refused(variant, program, function, args):
    wrong = []
    for arg, why in args.items():
        said = record(program, [f"uprobe:{program}:{function} {arg}"])[2]
        if why not in said:
            wrong.append(f"{arg}: {said}")
    ok(not wrong, f"{variant.name}: {function}: {len(args)} refused, with a remedy", *wrong)


def check(variant, folder):
    program = built(variant, folder)
    language = variant.name.split("-")[1]
    for (of, function), args in WANTED.items() if program else ():
        if of == language:
            args = {arg: values for arg, values in args.items()
                    if arg not in SHIFTED.get(variant.name, ())}
            check_function(variant, program, function, args)
    for (of, function), args in REFUSED.items() if program else ():
        if of == language:
            check_refused(variant, program, function, args)


def opaque(folder):
    """Types that the function's compilation unit only declares; other units have one definition or
    several."""
    program = f"{folder}/opaque"
    for unit in "123":
        subprocess.run(["gcc", "-g", "-O1", "-c", f"-DUNIT={unit}", f"{HERE}/opaque.c", "-o",
                        f"{program}{unit}.o"], check=True)
    subprocess.run(["gcc", "-o", program, *(f"{program}{unit}.o" for unit in "123")], check=True)
    variant = Variant("opaque", "gcc", "opaque.c")
    check_function(variant, program, "look", {
        "b->text": ("both",) * 2, "b->at.y": (4, 4), "b->next->n": (2, 2), "o->n": (2, 2)})
    check_refused(variant, program, "look", {
        "d->n": "opaque.c have different types of the name differ",
        "h->end": "different types of the name holds, and which of them is meant is not known; "
        "write +OFFSET(h):TYPE"})


def packs(folder):
    """The parameters of a pack, which gcc describes one level below the others, without names."""
    source, program = f"{folder}/pack.cc", f"{folder}/pack"
    with open(source, "w", encoding="ascii") as f:
        f.write("struct two { int x, y; };\n"
                "template <class... T> __attribute__((noinline)) int pack(two p, T... t)\n"
                "{ asm volatile(\"\"); return (p.x + ... + t); }\n"
                "int main() { return pack(two{1, 2}, 3, 4l, 'c') + pack(two{5, 6}, -7, 8l, 'd') < 0; }\n")
    subprocess.run(["g++", "-g", "-O1", "-std=c++17", source, "-o", program], check=True)
    check_function(Variant("pack", "g++", "pack.cc"), program, "pack*", {
        "$params": {"p.x": (1, 5), "p.y": (2, 6), "arg2": (3, -7), "arg3": (4, 8),
                    "arg4": ("c", "d")}})


def more(folder):
    opaque(folder)
    packs(folder)


if __name__ == "__main__":
    sys.exit(check_all(variants(), check, more))
