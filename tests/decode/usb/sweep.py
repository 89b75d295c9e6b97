# SPDX-License-Identifier: MIT
"""Variants of a capture that is made of nothing: payloads and requests of which one byte has
another value, or which end early, so that entries of tables and limits of lengths all occur."""
import struct

from steady import Steady
from usbsynth import CONTROL, ISO, at, stamp

HEAD, SETUP = 64, 40  # bytes of a record's header; where a request is in it
WIDE = 48             # bytes of a payload that are changed
FIRST = 8             # bytes that tell, of which all values occur
AFTER = 2             # transfers that follow a changed one: its answer, and its status


def transfers(records):
    """The records of each transfer; one that is not followed by its other half is alone."""
    out = []
    for r in records:
        if out and len(out[-1]) == 1 and r[8:9] != b"S" and r[:8] == out[-1][0][:8]:
            out[-1].append(r)
        else:
            out.append([r])
    return out


def kind(transfer):
    """Transfers of one kind differ where they say what they are."""
    r = transfer[0]
    return r[9], r[10], len(max(transfer, key=len)) > HEAD


def cut(record, n):
    """The record with n bytes of payload."""
    return record[:32] + struct.pack("<II", n, n) + record[HEAD - 24:HEAD + n]


def positions(alike):
    """Where transfers of one kind differ, and all others: (half, offset in the record)."""
    first = alike[0]
    for half in range(len(first)):
        size = max(len(t[half]) for t in alike if len(t) > half)
        where = list(range(HEAD, min(size, HEAD + WIDE)))
        if half == 0 and first[0][9] == CONTROL:
            where += range(SETUP, SETUP + 8)
        for o in where:
            values = {t[half][o] for t in alike if len(t) > half and len(t[half]) > o}
            yield half, o, len(values) > 1


def changes(records):
    """Two lists of (number of the transfer, half, offset, value), value None: the payload ends
    there. The first is for where transfers of one kind begin to differ, which is where they say
    what they are."""
    all_, first, others = transfers(records), [], []
    groups = {}
    for n, t in enumerate(all_):
        standard = t[0][9] == CONTROL and t[0][14] == 0 and t[0][SETUP + 1] == 6
        if not standard and t[0][9] != ISO:
            groups.setdefault(kind(t), []).append(n)
    for members in groups.values():
        told = 0
        for half, o, telling in positions([all_[n] for n in members]):
            able = [n for n in members if len(all_[n]) > half and len(all_[n][half]) > o]
            told += telling
            for i, n in enumerate(able):
                where = first if telling and told <= FIRST and not i else others
                where += [(n, half, o, value) for value in range(256)]
                if o >= HEAD:
                    others.append((n, half, o, None))
    return all_, first, others


def sweep(records, count, seed=None):
    """The records, and after them variants of transfers, each with those that follow it: `count`
    of them, and without a seed all values of the first bytes that tell, too."""
    all_, first, others = changes(records)
    chosen = (first if seed is None else []) + Steady(seed or 1).sample(
        others, count)
    out, end = list(records), stamp(records[-1]) + 1000
    for n, half, o, value in chosen:
        t = list(all_[n])
        t[half] = cut(t[half], o - HEAD) if value is None else (
            t[half][:o] + bytes([value]) + t[half][o + 1:])
        some = t + [r for later in all_[n + 1:n + 1 + AFTER] for r in later]
        shift = end - stamp(some[0])
        out += [at(r, shift) for r in some]
        end = stamp(out[-1]) + 10
    return out
