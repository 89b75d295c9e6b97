#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Results of languages of which gdb shows none, or wrong ones: each value of a %return event that
is marked as exact equals what the program itself prints of that call.

	printed.py [--all] [-v] [NAME ...]      as of run.py
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run import BUILD, Variant, built, check_all, equal, ok, run  # noqa: E402

# Results that are in no general register: they are unavailable, in whatever way they are described.
ELSEWHERE = {"ret_currency", "ret_own_currency", "ret_comp", "ret_extended", "ret_double",
             "ret_real"}
# Results that are no single number: they may be unavailable.
COMPOSED = {"ret_pair", "ret_big", "ret_string"}


def variants():
    for o in "-", "1", "2", "3":
        yield Variant(f"printed-pascal-O{o}", "fpc", "printed.pas", f"-O{o}", short=o in "-2")
    for o in "0", "2", "3":
        yield Variant(f"printed-d-O{o}", "gdc", "printed.d", f"-O{o}", short=o in "02")


def printed(program):
    """{function: [fields of each call]}"""
    calls = {}
    for line in run(program).stdout.splitlines():
        name, fields = line.split(" ", 1)
        calls.setdefault(name, []).append(json.loads(fields))
    return calls


def recorded(program):
    """({function: [fields of each return]}, trawl's stderr)"""
    path = f"{program}.trawl"
    probes = f"uprobe:{program}:*[rR][eE][tT]_*%return $retval"
    said = run(f"{BUILD}/trawl", "-w", path, "-i", probes, "--", program).stderr
    calls = {}
    for line in run(f"{BUILD}/trawl-decode", "--json", path).stdout.splitlines():
        event = json.loads(line)
        name = re.search(r"ret_[a-z0-9_]+|RET_[A-Z0-9_]+", event["name"])[0].lower()
        calls.setdefault(name, []).append(event["fields"])
    return calls, said


def check(variant, folder):
    program = built(variant, folder)
    if not program:
        return
    theirs, (ours, said) = printed(program), recorded(program)
    wrong, exact, absent = [], 0, 0
    for name, calls in theirs.items():
        got = ours.get(name, [])
        if len(got) != len(calls):
            wrong.append(f"{name}: {len(got)} returns of {len(calls)} calls")
        for n, (fields, want) in enumerate(zip(got, calls)):
            values = {k: fields.get(k) for k in want}
            if all(v is None for v in values.values()):
                absent += 1
                if name not in ELSEWHERE | COMPOSED:
                    wrong.append(f"{name}, call {n + 1}: no value: {fields}")
            elif name in ELSEWHERE or not all(equal(values[k], want[k]) for k in want):
                wrong.append(f"{name}, call {n + 1}: {values}, the program prints {want}")
            else:
                exact += 1
    ok(exact and not wrong, f"{variant.name}: {exact} results are those that the program prints, "
       f"{absent} are unavailable", *wrong[:20], said)


if __name__ == "__main__":
    sys.exit(check_all(variants(), check))
