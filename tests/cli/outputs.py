#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every form in which trawl-decode, trawl-export and trawl-edit print the samples, the golden files
and the fuzzers' seeds, held by digests (tests/printed/printed.py)."""
import glob
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from printed.commands import Commands  # noqa: E402
from printed.forms import ALL, EDIT, OF_BRANCHES, OF_USB  # noqa: E402
from tap import finish  # noqa: E402

SRC = os.environ["TRAWL_SRC"]

PACKED = (".zip", ".gz", ".xz", ".zst", ".bz2")  # not every build can unpack them
PAIRS = (("usb-errors", "usb-storage"), ("usb-tablet", "usb-keyboard"), ("usb-serial", "usb-audio"),
         ("branches", "marks"), ("small", "small4"), ("words", "kinds"))


def files(pattern):
    return sorted(glob.glob(f"{SRC}/{pattern}"))


def inputs():
    """(name, content) of samples, golden files and the fuzzers' seeds that are not samples. The
    last byte of a program's seed chooses how it is called."""
    known = set()
    for path in [f for pattern in ("samples/*.trawl", "tests/golden/*.trawl",
                                   *(f"tests/fuzz/corpus/{n}/*"
                                     for n in ("programs", "pcapimport", "usbmontext")))
                 for f in files(pattern)]:
        with open(path, "rb") as f:
            data = f.read()
        if "/programs/" in path:
            data = data[:-1]
        if data not in known and not path.endswith(PACKED):
            known.add(data)
            name = os.path.basename(path).removesuffix(".trawl")
            yield ("seed-" if "/corpus/" in path else "") + name, data


def main():
    with tempfile.TemporaryDirectory() as folder:
        c = Commands("outputs", folder)
        for name, data in inputs():
            with open(f"{folder}/{name}", "wb") as f:
                f.write(data)
            # an import writes the blocks of several sources in any order, in which they are edited
            ours = "." not in name
            kinds = c.shell([f"trawl-decode -D {name}"])
            for forms in (ALL, EDIT if ours else {}, OF_USB if b" usb" in kinds else {},
                          OF_BRANCHES if b"branch:" in kinds else {}):
                for form, lines in forms.items():
                    c.add(f"{name}:{form}", [line.replace("FILE", f"../{name}") for line in lines])
        for a, b in PAIRS:
            c.add(f"{a}:{b}", [f"trawl-decode --diff {more} ../{a} ../{b}"
                               for more in ("", "--json", "-c 50 --show-keys")])
        c.close()
    return finish()


sys.exit(main())
