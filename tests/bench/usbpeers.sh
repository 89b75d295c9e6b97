#!/bin/bash
# SPDX-License-Identifier: MIT
# trawl and tcpdump as whole programs on the same made-up USB traffic: both read a model of usbmon's
# ring (tests/bench/monshim.c), with the ring size and the calls that each uses on a real one, and
# write a file. Prints the processor time of all threads for an event, from the first fetch to the
# end of the process, less that of making the traffic: the least of some rounds in turns.
#
#	tests/bench/usbpeers.sh [EVENTS [ROUNDS [DIRECTORY]]]
command -v tcpdump >/dev/null ||
	{ echo "tcpdump is not installed: nothing to compare with"; exit 0; }
dir=$(mktemp -d "${3:-/tmp}/usbpeers.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
/usr/bin/python3 - "$TRAWL_BUILD" "$dir" "${1:-4000000}" "${2:-3}" <<'END'
import os, re, subprocess, sys
build, folder, events, rounds = sys.argv[1:]
trawl = f"{build}/trawl"
out, said = f"{folder}/out", f"{folder}/said"
programs = {
    "trawl": [trawl, "-i", "usb", "-w", out],
    "trawl --level 1": [trawl, "--level", "1", "-i", "usb", "-w", out],
    "tcpdump": ["tcpdump", "-Z", "root", "-i", "usbmon0", "-w", out],
}

def recorded(name, messages):
    """The number of events in the file. A program that drops events would seem faster."""
    said = r"(\d+) packets captured" if name == "tcpdump" else r"(\d+) events captured"
    return int(re.search(said, messages)[1])

kinds = [(0, 0), (8, 0), (64, 1), (512, 1), (16384, 0), (16384, 1), (16384, 4)]
for payload, noise in kinds:
    n = int(events) // (20 if payload > 4096 else 1)
    best = {}
    for _ in range(int(rounds)):
        for name, command in programs.items():
            if os.path.exists(out):
                os.unlink(out)
            env = dict(os.environ, LD_PRELOAD=f"{build}/tests/bench/monshim.so",
                       MONSHIM=f"{n},{payload},{noise},{said}")
            p = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
            messages = p.stderr.read()
            used = os.wait4(p.pid, 0)[2]
            if not os.path.exists(said):
                sys.exit(f"{name}: {messages}")
            got, before, filling = open(said).read().split()
            os.unlink(said)
            cpu = used.ru_utime + used.ru_stime - float(before) - float(filling)
            size = os.path.getsize(out)
            if recorded(name, messages) != int(got):
                sys.exit(f"{name}: recorded {recorded(name, messages)} of {got} events")
            if name == "tcpdump":
                size = len(subprocess.run(["zstd", "-3", "-c", out], capture_output=True).stdout)
            best[name] = min(best.get(name, (1e9, 0, 0)), (cpu * 1e9 / int(got), size, int(got)))
    theirs = best["tcpdump"]
    for name, (ns, size, got) in best.items():
        # The bulk data in the model's ring repeats in each round, so the size of its file means
        # little.
        sizes = f"; file {size} ({size / theirs[1]:.2f} of tcpdump's zstd -3)" if payload <= 4096 else ""
        print(f"{payload:5} bytes, {noise}/4 noise: {name:16} {ns:7.0f} ns/event, ratio {ns / theirs[0]:.2f}{sizes}")
END
