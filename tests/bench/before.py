#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the processor time of two builds.

    make bench-before BEFORE=FOLDER [RUNS=5]

FOLDER is the build folder of the tree before a change. The builds take turns: both record the same
programs, print their events as they run, and read the file that FOLDER's build recorded. Prints
user and system seconds of the fastest run of each, and their ratio: other programs on the machine
disturb both sides alike. Recording includes the program that is recorded. Needs root and tracefs.
"""
import os
import sys
import tempfile

NOW = os.environ["TRAWL_BUILD"]
RUNS = int(os.environ.get("RUNS") or 5)
CALLS = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=150000", "status=none"]
EVENTS = ["-i", "event:raw_syscalls:*", "-i", "event:sched:*"]


def cpu_of(argv):
    """Processor seconds of a program and of the processes that it starts."""
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    _, status, used = os.wait4(pid, 0)
    if not 0 <= os.waitstatus_to_exitcode(status) <= 1:  # 1: a busy machine lost events
        sys.exit("bench-before: it failed: " + " ".join(argv))
    return used.ru_utime + used.ru_stime


def program(folder, name):
    """The program's path: in older trees the file of its name is libtool's script around it."""
    inner = os.path.join(folder, ".libs", name)
    return inner if os.path.exists(inner) else os.path.join(folder, name)


def jobs(folder, capture, scratch):
    """[(name, command)] of what is measured for a build."""
    trawl, decode, export, edit = (program(folder, "trawl" + n)
                                   for n in ("", "-decode", "-export", "-edit"))
    tick = os.path.join(NOW, "samples", "tick")
    yield "record system calls", [trawl, "-q", *EVENTS, "-w", scratch, "--", *CALLS]
    yield "record a USDT probe", [trawl, "-q", "-i", f"usdt:{tick}:loop", "-w", scratch, "--",
                                  tick, "200000"]
    yield "print a USDT probe", [trawl, "-q", "-i", f"usdt:{tick}:loop", "--", tick, "100000"]
    yield "text", [decode, capture]
    yield "the kernel's text", [decode, "--print", capture]
    yield "JSON", [decode, "--json", capture]
    yield "a selection", [decode, "--where", 'comm == "dd" and cpu == 0', capture]
    yield "summary", [decode, "--summary", capture]
    yield "verify", [edit, "verify", capture]
    for name in ("pcapng", "perfetto", "csv"):
        yield name, [export, "--to", name, capture, "-w", scratch]


def main():
    before = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1] else ""
    if not os.path.exists(os.path.join(before, "trawl-decode")):
        sys.exit("bench-before: BEFORE: name the build folder of the tree to compare with")
    if not os.access("/sys/kernel/tracing/instances", os.W_OK):
        sys.exit("bench-before: no write access to tracefs")
    os.environ.update(TZ="UTC", LC_ALL="C")
    with tempfile.TemporaryDirectory() as folder:
        capture = os.path.join(folder, "x.trawl")
        os.environ["LD_LIBRARY_PATH"] = os.path.join(before, ".libs")
        cpu_of([program(before, "trawl"), "-q", *EVENTS, "-w", capture, "--", *CALLS])
        sides = [(build, list(jobs(build, capture, os.path.join(folder, "out"))))
                 for build in (before, NOW)]
        print("%-22s %8s %8s %6s" % ("processor seconds", "before", "now", "ratio"))
        for (name, old), (_, new) in zip(sides[0][1], sides[1][1]):
            best = [None, None]
            for i in range(2 * RUNS):
                side = (i ^ i >> 1) & 1  # before, now, now, before
                os.environ["LD_LIBRARY_PATH"] = os.path.join(sides[side][0], ".libs")
                used = cpu_of((old, new)[side])
                best[side] = min(used, best[side] or used)
            print("%-22s %8.3f %8.3f %6.2f" % (name, *best, best[1] / max(best[0], 1e-3)))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
