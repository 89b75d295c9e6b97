#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Conditional jumps to other functions: those that are taken are events, and as many as the program
itself counts; those that are not taken are none. Each call has exactly one exit event."""
import collections
import json
import sys
import tempfile

from run import BUILD, Variant, finish, ok, run


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = Variant("tailcalls", "gcc", "tailcalls.c", "-O1", "-mno-red-zone").build(folder)
        path = f"{program}.trawl"
        p = run(f"{BUILD}/trawl", "-w", path, "-i", f"uprobe:{program}:cond_*%ret n=%di", "--",
                program)
        events = [json.loads(line)
                  for line in run(f"{BUILD}/trawl-decode", "--json", path).stdout.splitlines()]
        counts = collections.Counter(e["name"].partition(":cond_")[2] for e in events)
        lines = [line.split() for line in p.stdout.splitlines()]
        ok(len(lines) == 17, "the program ran to its end", p.stdout, p.stderr)
        wrong = [(name, n, dict(counts)) for name, n in lines
                 if (counts[f"{name}%tailcall"], counts[f"{name}%ret"]) != (int(n), 32 - int(n))]
        ok(not wrong and sum(counts.values()) == 17 * 32,
           "each condition: jumps and returns as the program counts them", *wrong)
        ok(all(e["site"]["to"] == "zoo_other" for e in events if "%tailcall" in e["name"]),
           "jumps say where they go")
        text = run(f"{BUILD}/trawl-decode", path).stdout
        ok("jump_" not in text and text.count("\n") == 17 * 32, "text leaves out the flags",
           text[:300])
        ok(run(f"{BUILD}/trawl-edit", "verify", path).returncode == 0, "the file is complete")
        p = run(f"{BUILD}/trawl", "-w", path, "-i",
                f"uprobe:{program}:cond_three%ret c=$comm s=+0(%sp):string",
                "--", program)
        ok("32 events captured, 0 lost" in p.stderr, "likewise with strings", p.stderr)
        p = run(f"{BUILD}/trawl", "-w", path, "-i",
                f"uprobe:{program}:text_jump%ret s=+0(%di):string n=%si:s32", "--", program)
        events = [json.loads(line)
                  for line in run(f"{BUILD}/trawl-decode", "--json", path).stdout.splitlines()]
        said = [(e["name"].partition("%")[2], len(e["fields"]["s"]), e.get("cut")) for e in events]
        want = (10, None), (512, ["s"]), (512, ["s"]), (0, None)
        ok(said == [(how, *w) for w in want for how in ("ret", "tailcall")],
           "a string too long for the kernel is cut where it jumps as where it returns", said,
           p.stderr)


if __name__ == "__main__":
    main()
    sys.exit(finish())
