#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Others find the same probes: readelf -n and bpftrace, on the samples and on every file of
the system that has USDT probes and is likely to be here."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.dont_write_bytecode = True
from tap import finish, ok, skip, skip_all  # noqa: E402

BUILD = os.environ.get("TRAWL_BUILD", ".")
SHOW = f"{BUILD}/tests/capture/probe/show_probes"


def run(*argv):
    return subprocess.run(argv, capture_output=True, text=True)


def ours(path):
    """{(provider, name, vaddr, semaphore, arguments)}"""
    out = set()
    for line in run(SHOW, "-j", f"usdt:{path}:*:*").stdout.splitlines():
        probe = json.loads(line)
        for site in probe["sites"]:
            notes = [a["note"] for a in site["args"] if a["note"]]
            out.add((probe["provider"], probe["probe"], site["vaddr"], site["semaphore"],
                     " ".join(notes)))
    return out


def base_address(path):
    """Address of .stapsdt.base as readelf shows it."""
    for line in run("readelf", "-SW", path).stdout.splitlines():
        m = re.search(r"\.stapsdt\.base\s+PROGBITS\s+([0-9a-f]+)", line)
        if m:
            return int(m.group(1), 16)
    return 0


def readelf(path):
    base = base_address(path)
    out, note = set(), {}
    for line in run("readelf", "-n", path).stdout.splitlines():
        m = re.match(r"\s+(Provider|Name|Arguments): ?(.*)", line)
        if m:
            note[m.group(1)] = m.group(2).strip()
        m = re.match(r"\s+Location: (\w+), Base: (\w+), Semaphore: (\w+)", line)
        if m:
            pc, was, sema = (int(g, 16) for g in m.groups())
            delta = base - was if base and was else 0
            note["at"] = (pc + delta, sema + delta if sema else 0)
        if line.strip().startswith("Arguments:"):
            out.add((note["Provider"], note["Name"], *note["at"], note["Arguments"]))
            note = {}
    return out


def check_bpftrace(path, probes):
    name = f"{os.path.basename(path)}: bpftrace lists the same names"
    if not shutil.which("bpftrace"):
        return skip(name, "no bpftrace")
    # It does not parse a path with a '+' in it.
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.realpath(path), f"{folder}/file")
        out = run("bpftrace", "-l", f"usdt:{folder}/file:*").stdout
    theirs = set()
    for line in out.splitlines():
        m = re.match(r"usdt:.*:([^:]+):([^:]+)$", line)
        if m:
            theirs.add(m.groups())
    mine = {(p[0], p[1]) for p in probes}
    ok(mine == theirs, name, f"only ours: {sorted(mine - theirs)}",
       f"only theirs: {sorted(theirs - mine)}")
    return None


def candidates():
    yield from (f"{BUILD}/samples/{s}" for s in ("forms", "tick", "threads", "libgreet.so"))
    for pattern in ("/usr/lib/*/libc.so.6", "/usr/lib/*/libstdc++.so.6", "/usr/bin/python3",
                    "/usr/lib/*/libgnutls.so*", "/usr/lib/*/libvirt.so*", "/usr/bin/perl",
                    "/usr/lib/*/libpthread.so.0", "/usr/lib/*/libglib-2.0.so.0",
                    "/usr/lib/*/libp11-kit.so.0", "/usr/lib/*/ld-linux-x86-64.so.2"):
        yield from glob.glob(pattern)


def main():
    if not shutil.which("readelf"):
        return skip_all("readelf (binutils) is not installed")
    for path in candidates():
        theirs = readelf(path)
        mine = ours(path)
        if not theirs and not mine:
            continue
        ok(mine == theirs, f"{os.path.basename(path)}: the {len(theirs)} notes that readelf shows",
           f"only ours: {sorted(mine - theirs)}", f"only readelf's: {sorted(theirs - mine)}")
        check_bpftrace(path, mine)
    return finish()


sys.exit(main())
