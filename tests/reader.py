#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An independent reader of .trawl files, written from docs/format.md and nothing else.

    reader.py FILE          prints all events and tables as JSON lines, as tests/format/dump does
    reader.py --tasks FILE  prints for each event its time and its task

It reads the blocks from the first to the last, and the index only to check it. It is meant to be
read beside docs/format.md, so it is plain rather than fast, and keeps everything in memory. Only
zstd frames are expanded by a library.
"""
import collections
import heapq
import ctypes
import ctypes.util
import json
import os
import re
import struct
import sys

import reader_chunk

OUR_TYPE = 0x80747277
OUR_UUID = bytes.fromhex("e07479055df84f828d07d06961554ee9")
SHB, IDB, BOM = 0x0A0D0D0A, 1, 0x1A2B3C4D
START, SOURCE, TYPE, META, CHUNK, SYNC, LOSS, INDEX, END, REFS, GROUP = range(1, 12)
FIXED, DATA_LOC, REL_LOC, TAIL = range(4)
INT, TEXT, BYTES, NONE = 1, 11, 12, 13
MONO, REAL, BOOT, TAI, TSC = 1, 2, 3, 5, 6
MASK = (1 << 64) - 1


class Bad(Exception):
    """Something that breaks a rule of the format."""


# ---- hash and compression ------------------------------------------------------------------

def xxh64(data, seed=0):
    """XXH64, from its specification."""
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5

    def rot(x, r):
        return ((x << r) | (x >> (64 - r))) & MASK

    def rnd(acc, lane):
        return rot((acc + lane * p2) & MASK, 31) * p1 & MASK

    n, at = len(data), 0
    if n >= 32:
        acc = [(seed + p1 + p2) & MASK, (seed + p2) & MASK, seed, (seed - p1) & MASK]
        lanes = struct.unpack_from("<%dQ" % (n // 32 * 4), data)
        for i in range(0, len(lanes), 4):
            for k in range(4):
                acc[k] = rot((acc[k] + lanes[i + k] * p2) & MASK, 31) * p1 & MASK
        at = n // 32 * 32
        h = (rot(acc[0], 1) + rot(acc[1], 7) + rot(acc[2], 12) + rot(acc[3], 18)) & MASK
        for a in acc:
            h = ((h ^ rnd(0, a)) * p1 + p4) & MASK
    else:
        h = (seed + p5) & MASK
    h = (h + n) & MASK
    while n - at >= 8:
        h ^= rnd(0, struct.unpack_from("<Q", data, at)[0])
        h = (rot(h, 27) * p1 + p4) & MASK
        at += 8
    if n - at >= 4:
        h ^= struct.unpack_from("<I", data, at)[0] * p1 & MASK
        h = (rot(h, 23) * p2 + p3) & MASK
        at += 4
    while at < n:
        h ^= data[at] * p5 & MASK
        h = rot(h, 11) * p1 & MASK
        at += 1
    h = (h ^ h >> 33) * p2 & MASK
    h = (h ^ h >> 29) * p3 & MASK
    return h ^ h >> 32


def zstd_library():
    lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    lib.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    lib.ZSTD_getFrameContentSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    lib.ZSTD_createDCtx.restype = ctypes.c_void_p
    lib.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
    lib.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
    lib.ZSTD_decompress_usingDict.argtypes = [
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
        ctypes.c_char_p, ctypes.c_size_t]
    return lib


ZSTD = zstd_library()


def dictionary_of(name):
    """The bytes of a zstd dictionary: its text's lines joined, and its escapes replaced."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", name)
    with open(path, "rb") as f:
        text = f.read().replace(b"\n", b"")
    short = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}
    return re.sub(rb'\\([0-7]{3}|[nt"\\])',
                  lambda m: short.get(m[1]) or bytes([int(m[1], 8)]), text)


DICTIONARY, DICTIONARY2 = dictionary_of("zdict.txt"), dictionary_of("zdict2.txt")


def expand(frame, size=None, dictionary=b""):
    """The content of one zstd frame; the size is in the frame if it is not known."""
    if size is None:
        size = ZSTD.ZSTD_getFrameContentSize(frame, len(frame))
        if size > 16 << 20:
            raise Bad("a frame that does not tell its size, or too large a one")
    out = ctypes.create_string_buffer(max(size, 1))
    context = ZSTD.ZSTD_createDCtx()
    got = ZSTD.ZSTD_decompress_usingDict(context, out, size, frame, len(frame), dictionary,
                                         len(dictionary))
    ZSTD.ZSTD_freeDCtx(context)
    if got != size:
        raise Bad("a frame that does not expand")
    return out.raw[:size]


# ---- bytes ---------------------------------------------------------------------------------

class View:
    """Numbers and texts one after another."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def bytes(self, n):
        if n > self.left():
            raise Bad("a body that is too short")
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, size):
        return int.from_bytes(self.bytes(size), "little")

    def varint(self):
        n = shift = 0
        while True:
            b = self.number(1)
            n |= (b & 127) << shift
            shift += 7
            if b < 128:
                return n

    def numbers(self, *sizes):
        return [self.number(s) for s in sizes]

    def text(self, size=2):
        return self.bytes(self.number(size)).decode("latin-1")


# ---- what blocks describe ------------------------------------------------------------------

class Field:
    def __init__(self, v):
        self.kind, self.place, self.flags, _ = v.numbers(1, 1, 1, 1)
        self.offset, self.size, self.count = v.numbers(2, 2, 2)
        self.name, self.ctype, self.note = v.text(), v.text(), v.text()

    def key(self):
        return tuple(sorted(vars(self).items()))


class Source:
    def __init__(self, v):
        self.number, self.linktype, self.resolution, self.idb_check = v.numbers(2, 2, 4, 8)
        self.clock, _, n = v.numbers(1, 1, 2)
        self.name, self.spec, self.kind = v.text(), v.text(), v.text()
        self.common = [Field(v) for _ in range(n)]
        self.id = None

    def key(self):
        return (self.linktype, self.resolution, self.clock, self.name, self.spec, self.kind,
                tuple(f.key() for f in self.common))


class EventType:
    def __init__(self, v):
        self.source, self.index, self.id, self.size, n = v.numbers(2, 2, 4, 4, 4)
        self.name, self.format = v.text(), v.text(4)
        self.fields = [Field(v) for _ in range(n)]

    def key(self):
        return (self.id, self.size, self.name, self.format, tuple(f.key() for f in self.fields))


class Sync:
    def __init__(self, v, at):
        (self.mono, self.real, self.boot, self.raw, self.tai, self.tsc, self.bound,
         self.horizon) = v.numbers(*[8] * 8)
        self.why, self.at = v.number(4), at

    def read(self, c):
        return [None, self.mono, self.real, self.boot, self.raw, self.tai, self.tsc][c]

    def clock(self, c):
        """What clock c showed. If it differs from a clock that ran evenly by no more than the
        bounds of the readings, it ran evenly."""
        if c not in (REAL, BOOT, TAI):
            return self.read(c)
        even = self.mono + self.first.read(c) - self.first.mono
        off = abs(self.read(c) - even)
        return even if off <= self.bound + self.first.bound else self.read(c)


class Event:
    """ts, type, cpu, and the values of all fields as bytes."""

    def __init__(self, ts, kind, cpu, common, values, whole):
        self.ts, self.type, self.cpu, self.common, self.values = ts, kind, cpu, common, values
        self.whole = whole

    def record(self, source):
        """The record, rebuilt as docs/format.md says in "Records"."""
        if self.whole is not None:
            return self.whole
        out = bytearray(self.type.size)
        for f, value in zip(source.common, self.common):
            out[f.offset:f.offset + len(value)] = value
        for f, value in zip(self.type.fields, self.values):
            if f.place == FIXED:
                out[f.offset:f.offset + len(value)] = value
                continue
            if f.place != TAIL:
                base = f.offset + 4 if f.place == REL_LOC else 0
                struct.pack_into("<I", out, f.offset, len(value) << 16 | len(out) - base)
            out += value
        return bytes(out)


class Section:
    def __init__(self, start):
        self.start, self.front, self.seq = start, 0, 0
        self.sources, self.types = {}, {}
        self.syncs, self.chunks, self.refs = [], [], []
        self.ended = False
        self.index_at = []
        self.copies = []
        self.timeline, self.moved, self.doubt = None, 0, 0

    def origin(self):
        return (self.syncs[0].real - self.syncs[0].mono if self.syncs else 0) + self.moved


# ---- time ----------------------------------------------------------------------------------

def to_mono(syncs, clock, t, before):
    """CLOCK_MONOTONIC of t, which stands after `before` sync blocks."""
    if clock == MONO or not syncs:
        return t
    if len(syncs) == 1:
        reader_chunk.FORMS.add("one sync")
        s = syncs[0]
        return s.mono if clock == TSC else (s.mono + t - s.clock(clock)) & MASK
    i = min(max(before - 1, 0), len(syncs) - 2)
    best = None
    for k in (i, i - 1, i + 1):
        if k < 0 or k + 1 >= len(syncs):
            continue
        mono, off = on_pair(syncs[k], syncs[k + 1], clock, t)
        if best is None or off < best[1]:
            best = mono, off
        if best[1] == 0:
            break
    return best[0]


def bound_of(syncs, clock, t, before, put):
    """The bound of the time `put` that was given to an event; None: not known."""
    if not syncs:
        return None
    if clock == MONO:
        return syncs[0].bound
    m = signed(to_mono(syncs, clock, t, before))
    put = signed(put)
    if m != put:
        reader_chunk.FORMS.add("a moved time")
    if len({s.bound for s in syncs}) > 1:
        reader_chunk.FORMS.add("bounds that differ")
    if len(syncs) == 1 and clock == TSC:
        return None
    if len(syncs) == 1:
        return syncs[0].bound + abs(m - put) + abs(m - syncs[0].mono) // 2000
    i = min(max(before - 1, 0), len(syncs) - 2)
    a, b = syncs[i], syncs[i + 1]
    start = pair_start(a, b)
    error = max(a.bound, b.bound)
    if clock in (REAL, BOOT, TAI):
        error = max(error, syncs[0].bound)
    error += max(start - m, m - b.mono, 0) // 2000
    if clock == TSC:
        stepped = b.clock(clock) <= a.clock(clock)
        return error + abs(m - put) + (b.mono - a.mono if stepped else 0)
    doubt = 0
    for k in (i - 1, i, i + 1):
        if k < 0:
            continue
        q = signed(syncs[k].mono + t - syncs[k].clock(clock) & MASK)
        if start <= q <= (a if k < i else b).mono:
            doubt = max(doubt, abs(q - put))
    return error + max(abs(m - put), doubt)


def pair_start(a, b):
    """The earliest time that an event between two sync blocks may have."""
    start = b.horizon - 1000000
    return start if 0 < start <= a.mono else a.mono


def signed(x):
    return (x + (1 << 63) & MASK) - (1 << 63)


def on_pair(a, b, clock, t):
    start = pair_start(a, b)

    def outside(m):
        if signed(m - start) < 0:  # signed: a time before the boot is below 0
            return start - m & MASK
        return m - b.mono if signed(m - b.mono) > 0 else 0

    ca, cb, dm = a.clock(clock), b.clock(clock), b.mono - a.mono
    if clock == TSC:
        stepped = cb <= ca
    else:
        stepped = abs(cb - ca - dm) > dm // 1000 + a.bound + b.bound + 1000
    if not stepped:
        if clock != TSC and t < ca:
            m = a.mono - (ca - t)
        elif clock != TSC and t > cb:
            m = b.mono + (t - cb)
        elif t >= ca:
            m = a.mono + (t - ca) * dm // (cb - ca)
        else:
            m = a.mono - (ca - t) * dm // (cb - ca)
        return m & MASK, outside(m & MASK)
    reader_chunk.FORMS.add("a stepped TSC" if clock == TSC else "a stepped clock")
    if clock == TSC:
        return a.mono, abs(t - ca)
    one, two = (a.mono + t - ca) & MASK, (b.mono + t - cb) & MASK
    m = one if outside(one) <= outside(two) else two
    return m, outside(m)


# ---- the file ------------------------------------------------------------------------------

def merged(streams):
    """Merges streams of events, which begin with their times: always the earliest of the next
    events, of equal times that of the smallest key. The order in a stream is kept."""
    left = {key: collections.deque(events) for key, events in streams.items() if events}
    heads = [(events[0][0], key) for key, events in left.items()]
    heapq.heapify(heads)
    while heads:
        key = heads[0][1]
        yield left[key].popleft()
        if left[key]:
            heapq.heapreplace(heads, (left[key][0][0], key))
        else:
            heapq.heappop(heads)


class Reader:
    def __init__(self, data):
        self.data, self.sections = data, []
        self.sources, self.types, self.found, self.losses = [], [], [], []
        self.source_keys, self.type_keys = {}, {}
        self.damaged, self.cut = 0, None
        self.part = None
        self.read()

    def read(self):
        at, last_idb = 0, b""
        while at < len(self.data):
            if len(self.data) - at < 12:
                self.cut = at
                return
            kind, length = struct.unpack_from("<II", self.data, at)
            if length % 4 or length < 12 or length > 16 << 20:
                raise Bad("byte %d: a block of %d bytes" % (at, length))
            if at + length > len(self.data):
                self.cut = at
                return
            block = self.data[at:at + length]
            if struct.unpack_from("<I", block, length - 4)[0] != length:
                raise Bad("byte %d: a block with two lengths" % at)
            if kind == SHB:
                if struct.unpack_from("<I", block, 8)[0] != BOM:
                    raise Bad("a section that is not little endian")
                self.sections.append(Section(at))
            if kind == OUR_TYPE and block[8:24] == OUR_UUID:
                self.own(block, at, last_idb)
            elif not self.sections:
                raise Bad("not a pcapng file")
            elif self.sections[-1].seq == 0:
                self.sections[-1].front = xxh64(block, self.sections[-1].front)
            last_idb = block if kind == IDB else b""
            at += length

    def own(self, block, at, last_idb):
        s = self.sections[-1]
        kind, version, flags, pad, seq, check = struct.unpack_from("<BBBBIQ", block, 24)
        body = block[40:len(block) - 4 - pad]
        if version not in (1, 2) and (version not in (3, 4, 5, 6) or kind != START):
            raise Bad("byte %d: version %d" % (at, version))
        if pad > 3 or any(block[len(block) - 4 - pad:len(block) - 4]) or seq != s.seq:
            raise Bad("byte %d: padding or sequence number" % at)
        checked = body[:44] if kind == CHUNK else body
        if xxh64(checked, xxh64(block[:32])) != check:
            raise Bad("byte %d: check" % at)
        s.seq += 1
        if flags & 1:
            body = expand(body, dictionary=DICTIONARY2 if flags & 4 else
                          DICTIONARY if flags & 2 else b"")
        at -= s.start
        v = View(body)
        if version in (3, 4, 6):
            self.small(s, v, at)
            return
        if kind in (SOURCE, TYPE, META, SYNC, LOSS):
            s.copies.append((at, kind, body))
        if kind == START:
            if v.numbers(8, 8, 4)[1] != s.front:
                raise Bad("front check")
        elif kind == SOURCE:
            self.add_source(s, Source(v), last_idb)
        elif kind == TYPE:
            self.add_type(s, EventType(v))
        elif kind == META:
            self.add_meta(s, v)
        elif kind == GROUP:
            while v.left():
                item, body = v.number(1), v.bytes(v.varint())
                if item != META:
                    raise Bad("a group of something else")
                reader_chunk.FORMS.add("a group")
                s.copies.append((at, META, body))
                self.add_meta(s, View(body))
        elif kind == CHUNK:
            self.add_chunk(s, v, at, len(block))
        elif kind == SYNC:
            s.syncs.append(Sync(v, at))
            s.syncs[-1].first = s.syncs[0]
        elif kind == LOSS:
            n, _, *rest = v.numbers(2, 2, 4, 8, 8, 8, 4)
            self.losses.append([s.sources[n].id] + rest)
        elif kind == INDEX:
            self.check_index(s, v, at)
        elif kind == END:
            self.check_end(s, v, at)

    def small(self, s, v, at):
        """A small section: all of it is in its start block."""
        kinds = []
        while v.left():
            kind, body = v.number(1), View(v.bytes(v.varint()))
            kinds.append(kind)
            if kinds[0] != START or kinds.count(START) > 1:
                raise Bad("a small section that does not begin with its start")
            at += 1  # only the order matters
            if kind == SOURCE:
                self.add_source(s, Source(body), None)
            elif kind == TYPE:
                self.add_type(s, EventType(body))
            elif kind == META:
                self.add_meta(s, body)
            elif kind == CHUNK:
                self.add_chunk(s, body, at, None)
            elif kind == SYNC:
                s.syncs.append(Sync(body, at))
                s.syncs[-1].first = s.syncs[0]
            elif kind == LOSS:
                n, _, *rest = body.numbers(2, 2, 4, 8, 8, 8, 4)
                self.losses.append([s.sources[n].id] + rest)
        s.ended = True

    # A source or type that an earlier section described in the same words is the same one.

    def add_source(self, s, source, last_idb):
        if last_idb is not None and xxh64(last_idb) != source.idb_check:
            raise Bad("interface check")
        taken = [other.id for other in s.sources.values()]
        for known in self.sources:
            if known.key() == source.key() and known.id not in taken:
                source.id = known.id
                break
        else:
            source.id = len(self.sources)
            self.sources.append(source)
        s.sources[source.number] = source

    def add_type(self, s, t):
        source = s.sources[t.source]
        t.source_id = source.id
        known = self.type_keys.get((source.id, t.id))
        if known and known.key() == t.key():
            t.shown = known
        else:
            t.shown = t
            self.type_keys[source.id, t.id] = t
            self.types.append(t)
        s.types[t.source, t.index] = t

    def add_meta(self, s, v):
        time, total, start = v.numbers(8, 4, 4)
        name, kind = v.text(), v.text()
        data = v.bytes(v.left())
        if start == 0:
            self.part = [name, kind, time, total, b""]
        if self.part is None or self.part[0] != name or len(self.part[4]) != start:
            raise Bad("a part of metadata that does not follow")
        self.part[4] += data
        if len(self.part[4]) == total:
            self.found.append((s, self.part))
            if name == "timeline":
                s.timeline, moved, doubt = self.part[4].decode().split()
                s.moved, s.doubt = int(moved), None if doubt == "-" else int(doubt)
            self.part = None

    @property
    def metas(self):
        """All metadata; that of sections of one timeline is ordered by its times on it."""
        metas, at = [], 0
        while at < len(self.found):
            end, timeline = at, self.found[at][0].timeline
            while end < len(self.found) and self.found[end][0].timeline == timeline:
                end += 1
            run = self.found[at:end]
            if timeline:
                run.sort(key=lambda x: x[1][2] and x[1][2] + x[0].origin() & MASK)
            metas += [part for _, part in run]
            at = end
        return metas

    def add_chunk(self, s, v, at, length):
        number, _, count, size, first, last, lost, check = v.numbers(2, 2, 4, 4, 8, 8, 8, 8)
        payload = v.bytes(size)
        if v.left() or (length and xxh64(payload) != check):
            raise Bad("payload check")
        s.chunks.append((at, number, count, first, last, payload))
        s.refs.append((at, first, last, length, count, number))

    # The index must say what the blocks say.

    def check_index(self, s, v, at):
        back = v.number(8)
        if back != (at - s.index_at[-1] if s.index_at else 0):
            raise Bad("the chain of index blocks")
        s.index_at.append(at)
        while v.left():
            kind, size, where = v.numbers(4, 4, 8)
            body = View(v.bytes(size))
            if kind != REFS:
                if not s.copies or s.copies.pop(0) != (where, kind, body.data):
                    raise Bad("a copy in the index that is not one")
                continue
            while body.left():
                ref = tuple(body.numbers(8, 8, 8, 4, 4, 2))
                body.number(2)
                if not s.refs or s.refs.pop(0) != ref:
                    raise Bad("a chunk in the index that is not there")

    def check_end(self, s, v, at):
        section, index, events, chunks, _, blocks = v.numbers(*[8] * 6)
        if (section != at or chunks != len(s.chunks) or blocks != s.seq - 1 or
                events != sum(c[2] for c in s.chunks)):
            raise Bad("the end block does not add up")
        if at - s.index_at[-1] != index or s.refs or s.copies if s.index_at else index:
            raise Bad("the end block's index")
        s.ended = True

    # ---- events

    def events(self, s):
        """The events of a section in their order."""
        origin = s.origin()
        tails, streams = {}, collections.defaultdict(list)
        for at, number, count, first, last, payload in s.chunks:
            source = s.sources[number]
            before = sum(1 for sync in s.syncs if sync.at < at)
            types = {t.index: t for (n, _), t in s.types.items() if n == number}
            events = [Event(*e) for e in
                      reader_chunk.decode(payload, count, source, types, expand)]
            if (len(events), min(e.ts for e in events), max(e.ts for e in events)) != \
                    (count, first, last):
                raise Bad("the chunk's head does not fit its events")
            for place, e in enumerate(events):
                time = (to_mono(s.syncs, source.clock, e.ts, before) + origin) & MASK
                order = time
                if source.clock != MONO:
                    order = max(time, tails.get((number, e.cpu), 0))
                    tails[number, e.cpu] = order
                e.time = time = order if s.syncs else time
                e.bound = bound_of(s.syncs, source.clock, e.ts, before, time - origin & MASK)
                if e.bound is not None:
                    e.bound = None if s.doubt is None else \
                        e.bound + s.doubt + max(source.resolution, 1) - 1
                streams[source.id, e.cpu].append((order, source.id, e.cpu, at, place, e, source))
        return [(x[5].time, *x[1:]) for x in merged(streams)]

    def all_events(self):
        """The events of all sections; those of sections of one timeline are merged by time."""
        at = 0
        while at < len(self.sections):
            end = at + 1
            while (end < len(self.sections) and end - at < 64 and self.sections[at].timeline and
                   self.sections[end].timeline == self.sections[at].timeline):
                end += 1
            yield from merged({i: self.events(self.sections[i]) for i in range(at, end)})
            at = end


# ---- printing, as tests/format/dump.c does -------------------------------------------------

def number(f, raw):
    return int.from_bytes(raw, "little", signed=f.kind == INT)


def value(f, raw):
    if f.kind == NONE or raw is None:
        return None
    if f.kind == TEXT:
        return raw.split(b"\0")[0].decode("latin-1")
    if f.kind == BYTES:
        return raw.hex()
    numbers = [number(f, raw[i:i + f.size]) for i in range(0, len(raw) - f.size + 1, f.size)]
    return numbers[0] if f.place == FIXED and f.count == 1 else numbers


def put(kind, what):
    print(json.dumps({kind: what}, separators=(",", ":")))


def sum_of(data):
    total = 0
    for byte in data:
        total = total * 31 + byte & MASK
    return total


# ---- tasks, by the rules of "Tasks"; for a file of one boot ---------------------------------

def own_name(comm):
    """A task's name without what /proc adds to that of a kernel worker."""
    worker = re.match(r"kworker/u?[0-9]+:[0-9][^+-]*", comm)
    return (worker.group() if worker else comm)[:15]


class Tasks:
    def __init__(self, metas):
        self.known = {}  # tid: [pid, comm], None where not known
        told = [(time, json.loads(data)) for name, _, time, _, data in metas
                if name.startswith("task/")]
        self.told = sorted(told, key=lambda x: x[0])

    def task(self, tid, cpu):
        if tid == 0:
            return [0, "swapper/%d" % cpu]
        pid, comm = self.known.get(tid, [None, None])
        later = [t for _, t in self.told if t["tid"] == tid] if pid is None or not comm else []
        pid = pid or next((t["pid"] for t in later if t["pid"] > 0), None)
        return [pid, comm or next((own_name(t["comm"]) for t in later if t["comm"]), None)]

    def tell(self, t):
        task = self.known.setdefault(t["tid"], [None, None])
        task[:] = [t["pid"] if t["pid"] > 0 else task[0], own_name(t["comm"]) or task[1]]

    def advance(self, time):
        while self.told and self.told[0][0] <= time:
            self.tell(self.told.pop(0)[1])

    def switch(self, e):
        f = {f.name: value(f, x) for f, x in zip(e.type.fields, e.values)}
        for who in "prev", "next":
            self.known.setdefault(f[who + "_pid"], [None, None])[1] = f[who + "_comm"][:15]

    def event(self, e, tid):
        what = e.type.name.split(":")[1]
        if what not in ("task_newtask", "task_rename", "sched_process_exec"):
            return
        f = {f.name: value(f, x) for f, x in zip(e.type.fields, e.values)}
        parent = self.task(tid, 0)[0]
        task = self.known.setdefault(f["pid"], [None, None])
        if what == "task_newtask":
            task[0] = parent if f["clone_flags"] & 0x10000 else f["pid"]
        elif what == "sched_process_exec":
            task[0] = f["pid"]
        if what != "sched_process_exec":
            task[1] = f["comm" if what == "task_newtask" else "newcomm"][:15]


def print_tasks(r):
    tasks = Tasks(r.metas)
    for s in r.sections:
        for time, _, cpu, _, _, e, source in r.events(s):
            if source.kind != "tracefs":
                continue
            tid = dict((f.name, value(f, x)) for f, x in zip(source.common, e.common))["common_pid"]
            tasks.advance(e.ts)
            if source.name == "task":
                tasks.event(e, tid)
                continue
            if e.type.name == "sched:sched_switch":
                tasks.switch(e)
            print(json.dumps([time, e.type.name, tid] + tasks.task(tid, cpu)))
    return 0


def main(path, *rest):
    with open(rest[0] if rest else path, "rb") as f:
        r = Reader(f.read())
    if rest:
        return print_tasks(r)
    for time, source_id, cpu, _, _, e, source in r.all_events():
        known = {} if e.bound is None else {"bound": e.bound}
        put("event", {
            "time": time, **known, "ts": e.ts, "source": source_id, "type": e.type.name, "cpu": cpu,
            "common": {f.name: value(f, x) for f, x in zip(source.common, e.common)},
            "fields": {f.name: value(f, x) for f, x in zip(e.type.fields, e.values)},
            "record": e.record(source).hex()})
    for x in r.sources:
        put("source", {"id": x.id, "name": x.name, "spec": x.spec, "kind": x.kind,
                       "clock": x.clock, "linktype": x.linktype, "resolution": x.resolution,
                       "common": len(x.common)})
    for t in r.types:
        put("type", {"source": t.source_id, "id": t.id, "name": t.name, "format": t.format,
                     "size": t.size,
                     "fields": [[f.name, f.kind, f.place, f.flags, f.offset, f.size, f.count,
                                 f.note] for f in t.fields]})
    for name, kind, time, total, data in r.metas:
        put("meta", {"name": name, "type": kind, "time": time, "len": total,
                     "sum": sum_of(data)})
    for x in r.losses:
        put("loss", x)
    for s in r.sections:
        for y in s.syncs:
            put("sync", [y.mono, y.real, y.boot, y.raw, y.tai, y.tsc, y.bound, y.horizon, y.why])
    complete = r.cut is None and all(s.ended for s in r.sections)
    put("verdict", {"complete": complete, "damaged": r.damaged, "cut": r.cut or 0})
    return 0 if complete else 1


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (Bad, reader_chunk.Damaged) as e:
        print("%s: %s" % (sys.argv[-1], e), file=sys.stderr)
        sys.exit(1)
