#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Untrusted texts in a capture never reach a terminal unescaped: no program prints an escape
sequence, a bell or a C1 control, and no name forges a line; CSV formulas can be neutralised."""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import tap  # noqa: E402
from tap import finish, ok, same  # noqa: E402

SRC, BUILD = os.environ.get("TRAWL_SRC", ".."), os.environ.get("TRAWL_BUILD", ".")
OBEYED = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|"
                    rb"\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]")
FORGED = re.compile(rb"^(\d\d:)?12:00:00", re.M)


def run(*argv):
    done = subprocess.run([f"{BUILD}/{argv[0]}", *argv[1:]], capture_output=True, timeout=120,
                          env=dict(os.environ, TZ="UTC"))
    return done.stdout, done.stderr


def at_terminal(*argv):
    """The bytes that a terminal gets."""
    return tap.at_terminal([f"{BUILD}/{argv[0]}", *argv[1:]], errors=True)


def harmless(name, text, lines=True):
    found = OBEYED.search(text.replace(b"\r\n", b"\n"))
    ok(text and not found, f"{name}: nothing that a terminal obeys", text[:600])
    if lines:
        ok(not FORGED.search(text), f"{name}: no line of its own", text[:600])


with tempfile.TemporaryDirectory() as folder:
    f = f"{folder}/evil.trawl"
    subprocess.run([f"{BUILD}/tests/decode/make-hostile", f], check=True)
    for options in ([], ["--print"], ["--summary"], ["--json"], ["--meta"], ["--fields", "all"],
                    ["--around", "pid == 77"], ["--where", "x == 1"], ["--name", "x"],
                    ["--source", "x"], ["--where", "comm == 1"], ["--bounds", "-tttt"]):
        out, err = run("trawl-decode", *options, f)
        harmless(" ".join(["trawl-decode", *options]), out + err)
    harmless("trawl-decode --meta=* at a terminal", at_terminal("trawl-decode", "--meta=*", f),
             False)
    out, _ = run("trawl-decode", "--meta=odd*", f)
    ok(b"\x1b]0;PWNED\x07" in out, "metadata goes into a pipe as it is", out)
    for argv in (["trawl-edit", "verify", f], ["trawl-export", "--to", "json", f],
                 ["trawl-export", "--to", "usbmon", f]):
        out, err = run(*argv)
        harmless(" ".join(argv[:-1]), out + err)
    out, err = run("trawl-export", "--to", "pcapng", f, "-w", "-")
    ok(b"\x1b" not in out and b"\x9b" not in out, "pcapng: no escape in any option or packet")

    # Every string of the metadata is tainted, in the files with most kinds of metadata.
    tainted = f"{folder}/tainted.trawl"
    for name, commands in (
            ("tests/golden/branches.trawl",
             [["trawl-decode"], ["trawl-decode", "--calls"], ["trawl-decode", "--counts"],
              ["trawl-export", "--to", "brstack"], ["trawl-export", "--to", "folded"],
              ["trawl-export", "--to", "lcov"], ["trawl-replay", "branch"]]),
            ("samples/usb-storage.trawl",
             [["trawl-decode"], ["trawl-decode", "--summary"], ["trawl-edit", "verify"],
              ["trawl-replay", "host"], ["trawl-replay", "host", "--to-c"]])):
        subprocess.run([f"{BUILD}/tests/decode/taint", f"{SRC}/{name}", tainted,
                        "\x1b]0;PWNED\x07\n12:00:00 \u2028\u009b2J\u202e\t\r"], check=True)
        for argv in commands:
            out, err = run(*argv, tainted)
            harmless(f"{' '.join(argv)} of {os.path.basename(name)}", out + err)

    # umockdev's text has every other byte in octal.
    out, err = run("trawl-export", "--to", "umockdev", tainted)
    described = tarfile.open(fileobj=io.BytesIO(out)).extractfile("usb.umockdev").read()
    harmless("trawl-export --to umockdev", described)
    ok(b"\\033]0;PWNED\\007\\01212:00:00 \\342\\200\\250\\302\\2332J" in described,
       "umockdev: a name comes back whole", described)

    # A device's port that is a path: umockdev-run would create files there.
    subprocess.run([f"{BUILD}/tests/decode/taint", f"{SRC}/samples/usb-storage.trawl", tainted,
                    "/../../../../../tmp/x"], check=True)
    out, err = run("trawl-export", "--to", "umockdev", tainted)
    paths = [line for line in out.split(b"\n") if b"P: " in line]
    ok(paths and not any(b".." in line for line in paths),
       "umockdev: no path leads out of /sys", err, paths)

    # The name of the file itself may be foreign, too.
    odd = f"{folder}/a\x1b]0;PWNED\x07\n12:00:00 b\u202e"
    with open(f"{SRC}/samples/tick.trawl", "rb") as whole, open(odd, "wb") as copy:
        copy.write(whole.read())
    for argv in (["trawl-edit", "verify"], ["trawl-edit", "repair", "-w", f"{folder}/o"],
                 ["trawl-edit", "redact", "-w", f"{folder}/o"], ["trawl-decode", "--summary"],
                 ["trawl-edit", "merge", "--shift", "1s", "-w", f"{folder}/o",
                  f"{SRC}/samples/usb-serial.trawl"]):
        out, err = run(*argv, odd)
        harmless(f"{' '.join(argv[:2])} of a file with an odd name", out + err)

    # A text whose place is outside its record.
    out, err = run("trawl-decode", f)
    ok(b"=<damaged>" in out, "a text outside of its record is damaged", out + err)
    out, err = run("tests/format/dump", f)
    ok(b'"=cmd|\'/C calc\'!A0":null' in out, "and null in the tests' own dump", out[-600:] + err)

    # JSON has every character, as an escape.
    line = json.loads(run("trawl-decode", "--json", f)[0].splitlines()[0])
    ok("\x1b]0;PWNED\x07" in line["name"] and "\x7f\x9b2J" in line["name"],
       "JSON: the name comes back whole", line)

    # CSV
    out, err = run("trawl-export", "--to", "csv", f)
    harmless("trawl-export --to csv", out, False)
    rows = list(csv.reader(io.StringIO(out.decode(), newline="")))
    same(3, len(rows), "CSV: a row for each event")
    ok(not any("\n" in cell for cell in rows[0] + rows[1][:7]), "CSV: names stand in one line",
       rows)
    column = next(i for i, name in enumerate(rows[0]) if name.startswith("=cmd"))
    ok(rows[1][column].startswith("=1+1␛]0;PWNED␇␛[31m\n12:00:00"), "CSV: a text keeps its lines",
       rows[1][column])
    rows = list(csv.reader(io.StringIO(
        run("trawl-export", "--to", "csv", "--no-formulas", f)[0].decode(), newline="")))
    same([], [c for row in rows for c in row if c[:1] in ("=", "+", "-", "@", "\t", "\r") and c],
         "--no-formulas: no cell begins as a formula")
    ok(rows[0][column].startswith("'=cmd|") and rows[1][column].startswith("'=1+1"),
       "--no-formulas: what would have been one has a ' in front", rows)
sys.exit(finish())
