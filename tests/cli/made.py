#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the programs print of captures that are made for it: kernel events, print formats, probes,
branches, hostile texts. Held by digests (tests/printed/printed.py)."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from printed import branchesmade, formatsmade, joinmade, kernelmade  # noqa: E402
from printed.commands import Commands  # noqa: E402
from printed.forms import ALL, OF_BRANCHES, OF_USB  # noqa: E402
from tap import finish  # noqa: E402

BUILD = os.environ["TRAWL_BUILD"]


def make(folder, name, program, *more, text=None):
    subprocess.run([f"{BUILD}/tests/decode/make-{program}", f"{folder}/{name}", *more], input=text,
                   text=True, check=True)


def write(folder):
    """Makes the captures; returns {name: forms}"""
    made = {"kernel": kernelmade.kernel(), "many": kernelmade.many(), "formats": formatsmade.formats(),
            "probes": formatsmade.probes(), **joinmade.captures()}
    out = {}
    for name, lines in made.items():
        make(folder, name, "lines", text="\n".join(lines.text) + "\n")
        out[name] = {**ALL, **OF_USB} if name.startswith("join") else ALL
    for name, lines in branchesmade.captures().items():
        make(folder, name, "branches", text="\n".join(lines) + "\n")
        out[name] = {**ALL, **OF_BRANCHES}
    make(folder, "sample", "sample", "40", "serve", "-1")
    make(folder, "sample2", "sample", "5", "main")
    make(folder, "hostile", "hostile")
    sections(folder)
    unmerged = {form: lines for form, lines in ALL.items() if form != "meta"}  # a random number
    return {**out, "sample": ALL, "hostile": ALL, "row": ALL, "merged": unmerged,
            "merged-usb": {**unmerged, **OF_USB}}


def sections(folder):
    """Captures one after the other, and those of several machines on one timeline."""
    with open(f"{folder}/row", "wb") as row:
        for name in "sample", "sample2", "probes", "kernel", "sample":
            with open(f"{folder}/{name}", "rb") as f:
                row.write(f.read())
    for out, names in (("merged", ("kernel", "probes", "sample")),
                       ("merged-usb", ("join", "kernel"))):
        subprocess.run([f"{BUILD}/trawl-edit", "merge", "--level", "1", "--shift", f"{names[0]}=+1ms",
                        *names, "-w", out], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)


def main():
    with tempfile.TemporaryDirectory() as folder:
        c = Commands("made", folder)
        for name, forms in write(folder).items():
            for form, lines in forms.items():
                c.add(f"{name}:{form}", [line.replace("FILE", f"../{name}") for line in lines])
        for a, b in branchesmade.PAIRS:
            c.add(f"{a}:{b}", [f"trawl-decode --diff {more} ../{a} ../{b}"
                               for more in ("", "--json", "-c 50")])
        c.close()
    return finish()


sys.exit(main())
