# SPDX-License-Identifier: MIT
"""Captures of branches as lines of tests/decode/make-branches: programs that call, loop, return,
jump, catch signals and exceptions, lose branches and go on elsewhere."""
import json

from printed.lines import Numbers

BASE, LIBRARY = 0x555555554000, 0x7f0000000000
MAIN, F, G, LEAF, COLD, STUB, LIB, GO = 0x1000, 0x1100, 0x1200, 0x1300, 0x1400, 0x1500, 0x100, 0x200
GOGO, NEWSTACK, KERNEL, JIT = 0x1700, 0x1780, 0xffffffff81000000, 0x20000
PAIRS = ("branches-a", "branches-b"), ("branches-a", "branches-lost"), ("branches-a", "branches-a")


def table(rows):
    out, address, line = [], 0, 0
    for at, file, number in rows:
        out += [at - address, 2 * file, number - line]
        address, line = at, number
    return out


def known(rows):
    out, address = [], 0
    for at, kind, size in rows:
        out += [at - address, 16 * kind + size]
        address = at
    return out


PROGRAM = {
    "path": "/bin/play", "build_id": "0102030405", "deleted": False, "why": "", "whole": True,
    "segments": [[0, 0, 0x3000], [0x3000, 0x4000, 0x1000]],
    "functions": [[MAIN, 0x80, "main"], [F, 0x80, "f"], [G, 0x80, "ns::g<int>"],
                  [LEAF, 0, "leaf"], [COLD, 0x40, "f.cold"], [STUB, 0x10, "puts@plt"],
                  [0x1600, 0x80, "never"], [GOGO, 0x40, "gogo"],
                  [NEWSTACK, 0x40, "runtime.newstack"], [0x1800, 0x40, "main [clone .cold]"]],
    "files": ["/src/play.c", "/src/play.h"], "first_file": 0,
    "lines": table([(MAIN, 0, 10), (MAIN + 0x10, 0, 11), (MAIN + 0x20, 0, 12), (MAIN + 0x30, 1, 5),
                    (MAIN + 0x38, 0, 13), (F, 0, 20), (F + 0x20, 0, 21), (F + 0x40, 0, 0),
                    (G, 1, 30), (G + 0x40, 1, 31), (LEAF, 0, 40), (COLD, 0, 22),
                    (0x1600, 0, 50), (0x1620, 0, 51)]),
    "branches": known([(MAIN + 0x14, 4, 5), (MAIN + 0x24, 1, 2), (MAIN + 0x34, 2, 5),
                       (F + 0x10, 4, 5), (F + 0x18, 1, 2), (F + 0x20, 6, 1), (G + 0x10, 5, 2),
                       (G + 0x20, 6, 1), (G + 0x30, 1, 6), (LEAF + 8, 6, 1), (0x1610, 1, 2)])}
LIBRARIES = [
    {"path": "/lib/libx.so", "build_id": "aa", "deleted": True, "why": "",
     "segments": [[0x1000, 0, 0x1000]], "functions": [[LIB, 0x80, "puts"], [GO, 0x40, "write"]],
     "files": [], "first_file": 0, "lines": [], "branches": []},
    {"path": "/lib/stripped.so", "build_id": "", "deleted": False, "why": "has no symbols",
     "segments": [[0, 0, 0x1000]], "functions": [], "files": [], "first_file": 0, "lines": [],
     "branches": []}]


def head(base=BASE, pid=5):
    maps = [f"{base:x}-{base + 0x3000:x} r-xp 00000000 08:01 7 /bin/play",
            f"{LIBRARY:x}-{LIBRARY + 0x1000:x} r-xp 00001000 08:01 8 /lib/libx.so",
            f"{LIBRARY + 0x10000:x}-{LIBRARY + 0x11000:x} r-xp 00000000 08:01 9 /lib/stripped.so",
            f"{LIBRARY + JIT:x}-{LIBRARY + JIT + 0x1000:x} r-xp 00000000 00:00 0 [heap]",
            f"{LIBRARY + 2 * JIT:x}-{LIBRARY + 2 * JIT + 0x1000:x} r-xp 00000000 00:00 0"]
    tabs = "\t".join(maps)
    return [f"meta branch/maps/{pid} {tabs}",
            f"meta branch/module/08:01:7 {json.dumps(PROGRAM)}",
            *(f"meta branch/module/08:01:{8 + n} {json.dumps(m)}"
              for n, m in enumerate(LIBRARIES))]


class Task:
    """A task that runs: lines of its branches, with the times of marks."""

    def __init__(self, tid, base=BASE, lbr=False):
        self.lines, self.tid, self.base, self.lbr = [], tid, base, lbr
        self.pick, self.noise = Numbers(0), Numbers(base + tid)
        self.now = 1000 * tid
        self.begin()

    def begin(self):
        self.lines.append(f"batch {self.tid} 5 {self.now}")

    def branch(self, source, target, kind, *library):
        """library: the addresses that count from the library's begin, not the program's."""
        more = ""
        if self.lbr:
            more = f" {self.noise.of((0, 1, 2, 2, 4, 8))} {self.noise.of((0, 1, 7, 300))}"
        begin = [LIBRARY if at in library else self.base for at in (source, target)]
        self.lines.append(f"{source + begin[0]:#x} {target + begin[1]:#x} {kind}{more}")
        self.now += self.noise.of((1, 20, 900))
        if self.noise.below(4) == 0:
            self.mark(0)

    def mark(self, kind, count=0):
        self.lines.append(f"mark {kind} {self.now} {count}")

    def leaf(self):
        self.branch(G + 0x10, LEAF, self.pick.of(("call*", "call")))
        self.branch(LEAF + 8, G + 0x12, "ret")

    def g(self):
        self.branch(F + 0x10, G, "call")
        for _ in range(self.pick.below(4)):
            self.leaf()
        for _ in range(self.pick.below(6)):
            self.branch(G + 0x30, G + 0x18, "jcc")
        self.branch(G + 0x20, F + 0x15, "ret")

    def f(self):
        self.branch(MAIN + 0x14, F, "call")
        for _ in range(1 + self.pick.below(3)):
            self.g()
        if self.pick.below(3) == 0:
            self.branch(F + 0x18, COLD, "jcc")
            self.branch(COLD + 8, F + 0x1c, "jmp")
        self.branch(F + 0x20, MAIN + 0x19, "ret")

    def library(self):
        self.branch(MAIN + 0x24, STUB, "call")
        self.branch(STUB, LIB, "jmp*", LIB)
        self.branch(LIB + 4, GO, "call", LIB + 4, GO)
        self.branch(GO + 4, GO + 6, "syscall", GO + 4, GO + 6)
        self.branch(GO + 8, LIB + 9, "ret", GO + 8, LIB + 9)
        self.branch(LIB + 12, MAIN + 0x29, "ret", LIB + 12)

    def unknown(self):
        self.branch(MAIN + 0x24, 0x10040, "call*", 0x10040)
        self.branch(0x10050, 0x900000, "jmp", 0x10050, 0x900000)
        self.branch(0x900010, MAIN + 0x29, "ret", 0x900010)

    def signal(self):
        self.branch(MAIN + 0x28, LEAF, "signal")
        self.branch(LEAF + 8, MAIN + 0x28, "sigreturn")

    def longjmp(self):
        self.branch(MAIN + 0x14, F, "call")
        self.branch(F + 0x10, G, "call")
        self.branch(G + 0x18, MAIN + 0x30, "jmp*")

    def tail(self):
        self.branch(MAIN + 0x14, F, "call")
        self.branch(F + 0x18, LEAF, "jmp")
        self.branch(LEAF + 8, MAIN + 0x19, "ret")

    def odd(self):
        kind = self.pick.of(("cond-call", "cond-ret", "eret", "irq", "far", "branch", "sysret"))
        self.branch(MAIN + 0x34, MAIN + 0x38, kind)

    def loop(self):
        for _ in range(3 + self.pick.below(40)):
            self.branch(MAIN + 0x24, MAIN + 0x20, "jcc")

    def repeated(self):
        """A sequence of calls that comes several times is a loop."""
        for _ in range(3 + self.pick.below(3)):
            self.branch(MAIN + 0x14, F, "call")
            self.branch(F + 0x20, MAIN + 0x19, "ret")
            self.branch(MAIN + 0x24, LEAF, "call")
            self.branch(LEAF + 8, MAIN + 0x29, "ret")

    def goroutine(self):
        self.branch(MAIN + 0x14, F, "call")
        self.branch(F + 0x10, self.pick.of((GOGO, NEWSTACK)), "call")
        self.branch(NEWSTACK + 8, GOGO, "call")
        self.branch(GOGO + 8, self.pick.of((G, LEAF + 4)), "jmp*")
        self.branch(LEAF + 8, MAIN + 0x19, "ret")

    def elsewhere(self):
        """Code of the kernel, of no file, and a part that the compiler moved."""
        self.branch(MAIN + 0x24, JIT + 4, "call*", JIT + 4)
        self.branch(JIT + 8, 2 * JIT, "jmp", JIT + 8, 2 * JIT)
        self.branch(2 * JIT + 8, KERNEL - LIBRARY, "irq", 2 * JIT + 8, KERNEL - LIBRARY)
        self.branch(KERNEL - LIBRARY + 9, 2 * JIT + 8, "eret", KERNEL - LIBRARY + 9, 2 * JIT + 8)
        self.branch(2 * JIT + 12, MAIN + 0x29, "ret", 2 * JIT + 12)
        self.branch(MAIN + 0x24, 0x1800, "jcc")
        self.branch(0x1810, MAIN + 0x29, "jmp")

    def out(self):
        """A return, or a jump, to where no known call is."""
        self.branch(G + 0x20, MAIN + 0x30, self.pick.of(("ret", "jmp*")))

    def deep(self):
        depth = 2 + self.pick.below(90)
        self.branch(MAIN + 0x14, F, "call")
        for _ in range(depth):
            self.branch(F + 0x10, F, "call")
        for _ in range(depth):
            self.branch(F + 0x20, F + 0x15, "ret")
        self.branch(F + 0x20, MAIN + 0x19, "ret")


def program(steps, losses=False, other=(), **more):
    """Each step is the same in all programs, but those of the numbers in `other`."""
    t = Task(**{"tid": 5, **more})
    if t.tid == 5:
        t.branch(-t.base, MAIN, "exec")
    ways = [t.f, t.library, t.unknown, t.signal, t.longjmp, t.tail, t.odd, t.loop, t.deep,
            t.repeated, t.goroutine, t.elsewhere, t.out]
    for n in range(steps):
        t.pick = Numbers(n + 1000 * (n in other))
        t.pick.of(ways)()
        if losses and n % 5 == 4:
            t.now += 100
            t.mark(1 + n // 5 % 4, (0, 7)[n // 5 % 2])
        if n % 9 == 8:
            t.now += 50
            if losses:
                t.lines += [f"loss {t.now} {t.now + 10}", f"damaged {t.tid} 5 {t.now + 20}"]
                t.now += 100
            t.begin()
    return t.lines


def captures():
    moved = BASE + 0x200000
    return {"branches-a": [*head(), *program(45)],
            "branches-b": [*head(moved), *program(45, other=(4, 5, 17, 26), base=moved),
                           *program(15, tid=6, base=moved)],
            "branches-lost": [*head(), *program(40, True, lbr=True)],
            "branches-inside": [*head(), *program(25, tid=7)],
            "branches-bare": program(6)}
