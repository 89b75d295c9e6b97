#!/bin/bash
# SPDX-License-Identifier: MIT
# The cost of a flight recorder beside a plain capture of the same load: with the ring only, with a
# trigger whose condition can hold for no event, for half of the events, and for all. Measures the
# processor time of recorder and load together; the difference is the recorder's.
#
#	tests/bench/flight.sh [MILLIONS OF READS AND WRITES [ROUNDS]]
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
[ -w /sys/kernel/tracing/events/enable ] ||
	{ echo "tracefs cannot be written: run as root"; exit 0; }
/usr/bin/python3 - "$TRAWL_BUILD/trawl" "$dir" "${1:-1}" "${2:-3}" <<'END'
import os, re, subprocess, sys
trawl, folder, millions, rounds = sys.argv[1:]
load = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", f"count={millions}000000"]
events = ["-i", "event:raw_syscalls:sys_enter", "-i", "event:raw_syscalls:sys_exit"]
enter = 'name == "raw_syscalls:sys_enter"'
kinds = {
    "plain": [],
    "ring": ["--ring", "64m"],
    "no event can match": ["--ring", "64m", "--trigger", enter + ' and name == "raw_syscalls:sys_exit"'],
    "half may match": ["--ring", "64m", "--trigger", enter + " and id == 9999"],
    "all may match": ["--ring", "64m", "--trigger", "id == 9999"],
    "whose all are": ["--ring", "64m", "--trigger", 'id == 9999 and comm == "x"'],
}
best, count = {}, {}
for _ in range(int(rounds)):
    for name, options in kinds.items():
        path = os.path.join(folder, "x.trawl")
        p = subprocess.Popen([trawl, "-w", path, *options, *events, "--", *load],
                             stderr=subprocess.PIPE, text=True)
        said = p.stderr.read()
        used = os.wait4(p.pid, 0)[2]
        n, lost = map(int, re.search(r"^(\d+) events? captured, (\d+) lost", said, re.M).groups())
        best[name] = min(best.get(name, 1e9), (used.ru_utime + used.ru_stime) * 1e9 / (n + lost))
        if os.path.exists(path):
            os.unlink(path)
for name, ns in best.items():
    print(f"{name:20} {ns:6.1f} ns/event  {ns - best['plain']:+6.1f}  ratio {ns / best['plain']:.2f}")
END
