#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""pack.py OUT FOLDER...

Packs the files of folders into the set of inputs OUT (inputs.h), the smallest first. Such sets come
from the folders of fuzzers after `fuzz_NAME -merge=1 FOLDER ...`, and from objects.py.
"""
import os
import subprocess
import sys


def pack(out, entries):
    """entries: (name, bytes). Similar files cost little beside each other."""
    with open(out[:-len(".zst")], "wb") as f:
        for name, data in entries:
            f.write(f"{name} {len(data)}\n".encode() + data)
    subprocess.run(["zstd", "-q", "-f", "--rm", "--ultra", "-22", "--long=27", f.name], check=True)


def main():
    entries = []
    for folder in sys.argv[2:]:
        for name in os.listdir(folder):
            with open(f"{folder}/{name}", "rb") as f:
                entries.append((name[:12], f.read()))
    pack(sys.argv[1], sorted(entries, key=lambda e: (len(e[1]), e[1])))


if __name__ == "__main__":
    main()
