#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""On a terminal every line of trawl-decode and trawl -D fits the width: lines of events are cut
with a mark, all others are wrapped at words. JSON, pipes and files get complete lines."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import tap  # noqa: E402
from tap import finish, ok, same  # noqa: E402

SRC = os.environ.get("TRAWL_SRC", ".")
BUILD = os.environ.get("TRAWL_BUILD", ".")
ENV = dict(os.environ, TZ="UTC", NO_COLOR="")


def piped(*argv):
    return subprocess.run([f"{BUILD}/trawl-decode", *argv], capture_output=True, timeout=300,
                          env=ENV).stdout.decode()


def at_terminal(columns, *argv, program="trawl-decode"):
    return tap.at_terminal([f"{BUILD}/{program}", *argv], columns, ENV).decode()


def plain(text):
    return re.sub("\033\\[[0-9;]*m", "", text)


def columns_of(line):
    return len(plain(line).expandtabs(8))


def widest(text):
    return max(map(columns_of, text.splitlines()), default=0)


cut = 0
for name in ("samples/usb-storage", "samples/usb-keyboard", "tests/golden/branches"):
    f = f"{SRC}/{name}.trawl"
    whole = piped(f)
    ok(widest(whole) > 60, f"{name}: a pipe gets whole lines", widest(whole))
    for columns in (40, 60):
        got = at_terminal(columns, f)
        ok(0 < widest(got) <= columns, f"{name}: no line has more than {columns} columns",
           [l for l in got.splitlines() if columns_of(l) > columns][:3])
        same(got.count("\n"), whole.count("\n"), f"{name}: as many lines at {columns} columns")
        cut += sum(l.endswith("...") for l in plain(got).splitlines())
ok(cut, "lines were cut, and say so")
f = f"{SRC}/samples/usb-storage.trawl"
for options in (["--fields", "all"], ["-X"], ["--protocol"], ["-D"]):
    got = at_terminal(60, *options, f)
    ok(0 < widest(got) <= 60, f"{' '.join(options)} has 60 columns at most",
       [l for l in got.splitlines() if columns_of(l) > 60][:3])
got = at_terminal(60, "--summary", f)
ok(0 < widest(got) <= 60, "--summary has 60 columns at most", got)
same(plain(got).split(), piped("--summary", f).split(), "a folded summary has every word")
got = at_terminal(60, "-D", "branch", program="trawl")
ok(0 < widest(got) <= 60, "trawl -D has 60 columns at most",
   [l for l in got.splitlines() if columns_of(l) > 60][:3])
for options in (["--json"], ["--meta"]):
    same(at_terminal(40, *options, f), piped(*options, f), f"{options[0]} is whole at a terminal")
sys.exit(finish())
