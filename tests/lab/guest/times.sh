# SPDX-License-Identifier: MIT
# The times of every source and option of the kernel's events. The recorder begins a file every two
# seconds and is stopped for seconds meanwhile. The second half compares the times with those of the
# system calls, call by call, and with the kernel's own text of the buffers.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

cat >load.py <<'PY'
"""Opens below directories that are not there, whose numbers count the calls. Two processes do:
on one CPU what one has done, the other can have interrupted."""
import ctypes
import glob
import os
import signal
import subprocess
import sys
import time
recorder, tick = int(sys.argv[1]), sys.argv[2]
libc = ctypes.CDLL(None)
other = os.fork()
first = 1000000 if other else 2000000
for turn in range(12):
    for i in range(60):
        libc.openat(first + turn * 100 + i, b"x", 0)
        if i % 20 == 0:
            time.sleep(0.02)
    if other and turn % 4 == 1:
        os.kill(recorder, signal.SIGSTOP)
        subprocess.run([tick, "200", "100"], stdout=subprocess.DEVNULL, check=True)
        time.sleep(1.5)
        # Of buffers with discarded events (eprobe at-exit, synth, and what a filter passes over
        # while the CPU's spare buffer is in use) this text is wrong: capture/tracefs/ring.h.
        for source in "event", "uprobe", "usdt":
            for path in glob.glob(f"/sys/kernel/tracing/instances/trawl_{recorder}_*_{source}/trace"):
                with open(path) as trace, open(f"kernel.{source}", "a") as copy:
                    copy.write(trace.read())
    if other and turn % 4 == 2:
        time.sleep(0.5)
        os.kill(recorder, signal.SIGCONT)
    time.sleep(0.2)
if other:
    os.waitpid(other, 0)
PY
trawl -G 2s -w times.trawl \
	-i 'eprobe:at/exit=syscalls.sys_enter_openat name=+0($filename):ustring $dfd at-exit' \
	-i 'eprobe:at/plain=syscalls.sys_enter_openat $dfd' \
	-i 'eprobe:at/chosen=syscalls.sys_enter_openat $dfd if dfd > 999999' \
	-i 'eprobe:at/some=syscalls.sys_enter_openat $dfd at-exit if dfd > 999999 && dfd & 16' \
	-i 'synth:open=syscalls.sys_enter_openat,syscalls.sys_exit_openat key=common_pid start.dfd' \
	-i event:syscalls:sys_enter_openat -i event:syscalls:sys_exit_openat \
	-i "usdt:$TRAWL_BUILD/samples/tick:tick:loop" \
	-i "uprobe:$TRAWL_BUILD/samples/tick:tick_step" 2>said &
pid=$!
wait_for grep -q 'capturing to' said
/usr/bin/python3 load.py $pid "$TRAWL_BUILD/samples/tick"
ok $? "files are opened while the recorder is stopped for seconds"
kill -INT $pid
wait $pid
ok $? "every kind of source and option records them"
sed 's/^/# /' said
cp times*.trawl kernel.* "$LAB_KEEP/"
tap_done
