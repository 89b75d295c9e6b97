# SPDX-License-Identifier: MIT
"""Reads batches of branches by docs/format.md ("Branches") alone, without any code of trawl.
`python3 reader_branch.py FILE` prints a line for each branch, with symbols, and for each mark."""
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import reader_chunk  # noqa: E402

KINDS = ["branch", "jcc", "jmp", "jmp*", "call", "call*", "ret", "syscall", "sysret", "cond-call",
         "cond-ret", "eret", "irq", "far", "signal", "sigreturn", "exec"]
MARKS = ["time", "lost", "start", "stack", "break"]
WORD = (1 << 64) - 1


class Bytes(reader_chunk.Bytes):
    def part(self):
        return Bytes(self.take(self.varint() if self.rest() else 0))


def unzigzag(z):
    return z // 2 if z % 2 == 0 else -(z + 1) // 2


def guess_slot(before, k):
    p1, p2, p3 = before
    total = (p1 * 0x9E3779B1 + p2 * 0x85EBCA77 + p3 * 0xC2B2AE3D) % 2 ** 32
    return ((total ^ total >> 15) * 0x7FEB352D % 2 ** 32) >> (32 - k)


def read_pairs(codes, pairs, count):
    """The pair of each branch: where it starts, its target, its kind."""
    k = next(k for k in range(4, 17) if 2 ** k >= count or k == 16)
    table, second = {}, {}
    known, before, to = [None], (0, 0, 0), 0
    run, found = codes.varint(), []
    for _ in range(count):
        slot = guess_slot(before, k)
        if run:
            run -= 1
            number = table.get(slot, 0)
        else:
            choice = codes.varint()
            if choice == 0:
                number = second.get(before[0], 0)
            elif choice == 1:
                start = (to + unzigzag(pairs.varint())) & WORD
                known.append((start, (start + unzigzag(pairs.varint())) & WORD, pairs.byte()))
                number = len(known) - 1
            else:
                number = len(known) - 1 - (choice - 2)
            run = codes.varint()
        assert number, "a branch without a pair"
        table[slot] = second[before[0]] = number
        before = (number, *before[:2])
        found.append(known[number])
        to = known[number][1]
    assert not run and not codes.rest() and not pairs.rest(), "bytes are left over"
    return found


def read_marks(marks, time, count):
    at, found = 0, []
    while marks.rest():
        at += marks.varint()
        kind = marks.byte()
        time += marks.varint()
        assert kind < len(MARKS) and at <= count, "a mark that is none"
        found.append((at, kind, time, marks.varint() if kind == 1 else 0))
    return found


def batch(record, ts, event_type=1):
    """(tid, pid, until, branches, marks); a branch is (from, to, kind, flags, cycles)."""
    tid, pid, until, count, _ = struct.unpack_from("<IIQII", record)
    data = Bytes(record[32 if event_type == 2 else 24:])
    codes, pairs, marks, flags, cycles = (data.part() for _ in range(5))
    found = read_pairs(codes, pairs, count)
    flags = flags.data or bytes(count)
    cycles = [cycles.varint() for _ in range(count)] if cycles.rest() else [0] * count
    return tid, pid, until, [(*p, f, c) for p, f, c in zip(found, flags, cycles)], \
        read_marks(marks, ts, count)


class Modules:
    """Symbols of addresses."""

    def __init__(self, metas):
        self.maps, self.modules = {}, {}
        for m in metas:
            name, time, data = m[0], m[2], m[4]
            if name.startswith("branch/maps/"):
                lines = [self.line(text) for text in data.decode(errors="replace").splitlines()]
                self.maps.setdefault(int(name[12:]), []).append((time, lines))
            elif name.startswith("branch/module/"):
                j = json.loads(data)
                known = self.modules.setdefault(name[14:], {"functions": [], "segments": []})
                known["functions"] += j["functions"]
                known["segments"] = j["segments"]

    @staticmethod
    def line(text):
        m = re.match(r"(\w+)-(\w+) \S+ (\w+) (\S+) (\d+)\s*(.*)", text)
        key = "vdso" if m[6] == "[vdso]" else f"{m[4]}:{m[5]}"
        return int(m[1], 16), int(m[2], 16), int(m[3], 16), key

    def symbol(self, pid, time, address):
        """name+0xoffset, or None."""
        of_time = [lines for t, lines in self.maps.get(pid, []) if t <= time]
        for start, end, offset, key in of_time[-1] if of_time else []:
            if start <= address < end and key in self.modules:
                return self.in_module(self.modules[key], address - start + offset)
        return None

    @staticmethod
    def in_module(module, offset):
        for at, vaddr, size in module["segments"]:
            if at <= offset < at + size:
                offset += vaddr - at
                break
        fits = [f for f in module["functions"]
                if f[0] <= offset and (not f[1] or offset < f[0] + f[1])]
        if not fits:
            return None
        best = max(fits)
        return best[2] + ("+%#x" % (offset - best[0]) if offset > best[0] else "")


def main(path):
    from reader import Reader  # reads the container
    with open(path, "rb") as f:
        r = Reader(f.read())
    modules = Modules(r.metas)
    for s in r.sections:
        for e in (event[5:] for event in r.events(s)):
            event, source = e
            if source.kind != "branch":
                continue
            record = event.record(source)
            tid, pid, _, branches, marks = batch(record, event.ts, event.type.id)
            if event.type.id == 2:
                address, = struct.unpack_from("<Q", record, 24)
                print(tid, "before", hex(address), modules.symbol(pid, event.ts, address))
            for i, branch in enumerate([*branches, None]):
                for _, kind, time, lost in (m for m in marks if m[0] == i):
                    if MARKS[kind] not in ("time", "start"):
                        print(tid, MARKS[kind], lost if kind == 1 else time)
                if branch:
                    start, to, kind, flags, cycles = branch
                    print(tid, KINDS[kind] if kind < len(KINDS) else KINDS[0], hex(start),
                          modules.symbol(pid, event.ts, start), hex(to),
                          modules.symbol(pid, event.ts, to), flags, cycles)


def count(path):
    """Prints the number of branches."""
    from reader import Reader
    with open(path, "rb") as f:
        r = Reader(f.read())
    print(sum(struct.unpack_from("<I", e[5].record(e[6]), 16)[0]
              for s in r.sections for e in r.events(s) if e[6].kind == "branch"))


if __name__ == "__main__":
    sys.exit(count(sys.argv[2]) if sys.argv[1] == "--count" else main(sys.argv[1]))
