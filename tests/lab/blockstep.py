#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""blockstep.py FIRST END [-k FILE [-c PROBE]] PROGRAM...: runs PROGRAM from branch to branch
(PTRACE_SINGLEBLOCK) and prints its stops between the addresses FIRST and END, one a line. With
-k FILE, trawl.ko steps it at the same time, and kbranch writes the module's records to FILE. With
-c, which kbranch gets, too, PROGRAM runs instruction by instruction between FIRST and END."""
import ctypes
import os
import subprocess
import sys
import time

TRACEME, PEEKUSER, SINGLEBLOCK = 0, 3, 33
SINGLESTEP = 9
RIP = 16 * 8
SIGTRAP = 5
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, pid, address=0, data=0):
    result = libc.ptrace(request, pid, address, data)
    if result == -1 and request != PEEKUSER:
        sys.exit(f"ptrace: {os.strerror(ctypes.get_errno())}")
    return result


first, end = int(sys.argv[1], 16), int(sys.argv[2], 16)
args, records, probe = sys.argv[3:], None, []
if args[0] == "-k":
    records, args = args[1], args[2:]
if args[0] == "-c":
    probe, args = args[:2], args[2:]
pid = os.fork()
if not pid:
    ptrace(TRACEME, 0)
    os.dup2(2, 1)
    os.execv(args[0], args)
os.waitpid(pid, 0)
stepper = None
if records:
    stepper = subprocess.Popen(["kbranch", "-p", str(pid), "-s", "0", "-t", "600", "-o", records, *probe],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    # kbranch enables tracing, and then polls until the program has ended.
    while "poll" not in open(f"/proc/{stepper.pid}/wchan").read():
        time.sleep(0.05)
signal = at = 0
while True:
    ptrace(SINGLESTEP if probe and first <= at < end else SINGLEBLOCK, pid, 0, signal)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status):
        break
    signal = os.WSTOPSIG(status)
    if signal == SIGTRAP:
        signal = 0
        at = ptrace(PEEKUSER, pid, RIP)
        if first <= at < end:
            print(f"{at:x}")
if stepper:
    sys.stderr.write(stepper.communicate()[1])
