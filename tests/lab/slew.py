# SPDX-License-Identifier: MIT
"""slew.py DISK: slews the kernel's clocks in every way of adjtimex(2) while a disk is read, and
then sets the wall clock to the end of the day, where a leap second is inserted. Prints "NAME PPM"
for each way: how much faster CLOCK_MONOTONIC ran than CLOCK_MONOTONIC_RAW, which is never slewed.
At the end prints by how many ns CLOCK_REALTIME was set against CLOCK_MONOTONIC."""
import ctypes
import mmap
import os
import sys
import time

ADJ_OFFSET, ADJ_FREQUENCY, ADJ_STATUS, ADJ_TIMECONST = 1, 2, 0x10, 0x20
ADJ_TICK, ADJ_SINGLESHOT = 0x4000, 0x8001
STA_PLL, STA_INS = 1, 0x10
DAY = 86400 * 10**9


def longs(*names):
    return [(name, ctypes.c_long) for name in names]


class Timex(ctypes.Structure):
    _fields_ = [("modes", ctypes.c_uint), *longs("offset", "freq", "maxerror", "esterror"),
                ("status", ctypes.c_int), *longs("constant", "precision", "tolerance", "sec"),
                *longs("usec", "tick", "ppsfreq", "jitter"),
                ("shift", ctypes.c_int), *longs("stabil", "jitcnt", "calcnt", "errcnt", "stbcnt"),
                ("tai", ctypes.c_int), ("room", ctypes.c_int * 11)]


def adjust(modes, **values):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.adjtimex(ctypes.byref(Timex(modes=modes, **values))) < 0:
        sys.exit(f"adjtimex: {os.strerror(ctypes.get_errno())}")


def both():
    """(clock, raw clock) at the same time: the quickest of several readings, because the program
    may be interrupted between the two."""
    def reading():
        begun = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        mono = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        took = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - begun
        return took, mono, begun + took // 2
    return min(reading() for _ in range(9))[1:]


def read_for(seconds):
    """How much faster the clock went than the raw one, in parts of a million."""
    mono, raw = both()
    while time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) < raw + seconds * 10**9:
        os.preadv(disk, [memory], 0)
        time.sleep(0.001)
    mono_after, raw_after = both()
    return round(((mono_after - mono) / (raw_after - raw) - 1) * 10**6)


def ahead():
    return time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)


disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
memory = mmap.mmap(-1, 4096)
for name, modes, values in (
        ("faster", ADJ_TICK, {"tick": 11000}),
        ("slower", ADJ_TICK, {"tick": 9000}),
        ("frequency-up", ADJ_TICK | ADJ_FREQUENCY, {"tick": 10000, "freq": 500 << 16}),
        ("frequency-down", ADJ_FREQUENCY, {"freq": -500 << 16}),
        ("adjtime", ADJ_SINGLESHOT, {"offset": -100000}),
        ("pll", ADJ_FREQUENCY | ADJ_STATUS | ADJ_TIMECONST | ADJ_OFFSET,
         {"status": STA_PLL, "offset": 500000})):
    if name == "adjtime":
        adjust(ADJ_FREQUENCY, freq=0)
    elif name == "pll":
        adjust(ADJ_SINGLESHOT, offset=0)
    adjust(modes, **values)
    read_for(1)  # slewing begins with the next second
    print(name, read_for(1.5))
adjust(ADJ_OFFSET, offset=0)
adjust(ADJ_STATUS | ADJ_FREQUENCY, status=0, freq=0)
now = time.time_ns()
time.clock_settime_ns(time.CLOCK_REALTIME, (now // DAY + 1) * DAY - 2500000000)
adjust(ADJ_STATUS, status=STA_INS)
before, last = ahead(), time.monotonic() + 10
while abs(ahead() - before) < 10**8 and time.monotonic() < last:
    read_for(0.2)
print("leap", ahead() - before)
read_for(3)
adjust(ADJ_STATUS, status=0)
