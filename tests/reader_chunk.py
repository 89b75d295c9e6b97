# SPDX-License-Identifier: MIT
"""The payload of a chunk: docs/format.md, "Chunk payload". See tests/reader.py.

decode() gives the events of a chunk in chunk order, each as
(ts, type, cpu, bytes of the common fields, bytes of the type's fields, whole record or None).
"""
MASK = (1 << 64) - 1
FIXED, DATA_LOC, REL_LOC, TAIL = range(4)
INT, PID, TEXT, BYTES = 1, 5, 11, 12
NOTHING, REFERENCE, STAMP, LAST = range(4)
LITERALS_BYTES, LITERALS_PLAIN, LITERALS_SIGNED, LITERALS_DELTA = range(4)


FORMS = set()  # names of the cases of docs/format.md that occurred; golden.sh asks for all


class Damaged(Exception):
    """A payload that breaks a rule of docs/format.md."""


def need(condition, what):
    if not condition:
        raise Damaged(what)


def unzigzag(z):
    return (z >> 1) ^ (-(z & 1) & MASK)


def extend(x, width, signed):
    """x cut to width bytes and extended to 64 bits, as an unsigned number of 64 bits."""
    bits = 8 * width
    x &= (1 << bits) - 1
    if signed and x >> (bits - 1):
        x |= MASK ^ ((1 << bits) - 1)
    return x


def fold(x):
    return x >> 32 ^ x & 0xFFFFFFFF


class Bytes:
    """Bytes that are read once, from the first to the last."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        need(self.at + n <= len(self.data), "a section that is too short")
        self.at += n
        return self.data[self.at - n:self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        x = shift = 0
        while True:
            b = self.byte()
            x |= (b & 127) << shift
            shift += 7
            if b < 128:
                need(x <= MASK, "a varint of more than 64 bits")
                return x

    def zigzag(self):
        return unzigzag(self.varint())

    def rest(self):
        return len(self.data) - self.at


def read_section(payload, expand):
    out = b""
    while True:
        length = payload.varint()
        if not length:
            return Bytes(out)
        stored = payload.varint()
        piece = expand(payload.take(stored), length) if stored else payload.take(length)
        need(len(piece) == length, "a piece of another length")
        out += piece


class Column:
    """What is stored of a field: numbers of `width` bytes, or strings (width 0: any length)."""

    def __init__(self, field, width, strings, element=0):
        self.field, self.width, self.strings, self.element = field, width, strings, element
        self.signed = not strings and field is not None and field.kind == INT
        self.values = None   # a number for each event (of a string column: see docs/format.md)
        self.bytes = None    # the bytes of a string column


def layout(fields, size):
    numbers, strings = [], []
    for f in fields:
        if f.place != FIXED:
            strings.append(Column(f, 0, True))
            continue
        if f.size * f.count == 0 or f.offset + f.size * f.count > size:
            continue
        if f.size in (1, 2, 4, 8) and f.count <= 16 and \
                (f.kind not in (TEXT, BYTES) or f.count == 1):
            numbers += [Column(f, f.size, False, i) for i in range(f.count)]
        else:
            strings.append(Column(f, f.size * f.count, True))
    return numbers + strings


class Table:
    """Events of one type (or, with type None, all of the chunk) and their columns."""

    def __init__(self, kind, whole, columns):
        self.type, self.whole, self.columns = kind, whole, columns
        self.classes = []    # the numbers that its classes have in the chunk
        self.keys, self.key_values = [], []
        self.events = []     # the events' places in the chunk, in chunk order
        self.order = []      # table order: places in self.events


class Decoder:
    def __init__(self, payload, count, source, types, expand):
        p = Bytes(payload)
        version = p.varint()
        need(version in (2, 3, 4), "another version of the payload")
        self.times_signed, self.payload_ticks = version == 3, version == 4
        FORMS.add("payload version %d" % version)
        (self.structure, self.codes, self.literals, self.bits,
         self.data) = [read_section(p, expand) for _ in range(5)]
        need(not p.rest(), "bytes after the payload")
        self.count, self.source, self.types = count, source, types
        self.read_structure()
        self.read_sequence()
        self.read_times()
        for table in [self.common] + self.tables:
            for i, c in enumerate(table.columns):
                self.read_column(table, i, c)
        for s in (self.structure, self.codes, self.literals, self.bits, self.data):
            need(not s.rest(), "bytes that nothing asks for")

    # ---- structure

    def read_structure(self):
        s = self.structure
        self.time_base, self.time_unit = s.varint(), s.varint()
        self.tick = s.varint() if self.payload_ticks else 0
        self.corrections = s.varint() if self.tick else 0
        need(not self.tick or (self.time_unit == 1 and self.tick <= 1024 << 24), "a tick's length")
        self.streams, cpu = [], 0
        for _ in range(s.varint()):
            cpu += s.varint()
            self.streams.append((cpu, s.varint()))
        need(sum(n for _, n in self.streams) == self.count, "events of the streams")
        self.tables, self.class_count, self.class_table = [], [], []
        for _ in range(s.varint()):
            self.read_table(s)
        need(sum(self.class_count) == self.count, "events of the classes")
        self.strings = [s.take(s.varint()) for _ in range(s.varint())]

    def read_table(self, s):
        which = s.varint()
        kind, whole = self.types[which >> 1], which & 1
        FORMS.add("whole records" if whole else "records of a type")
        columns = [Column(None, 0, True)] if whole else layout(kind.fields, kind.size)
        t = Table(kind, whole, columns)
        t.keys = [s.varint() for _ in range(s.varint())]
        for _ in range(s.varint() if t.keys else 1):
            t.classes.append(len(self.class_count))
            self.class_table.append(t)
            self.class_count.append(s.varint())
            t.key_values.append([s.zigzag() for _ in t.keys])
        self.tables.append(t)

    # ---- sequence and time

    def read_sequence(self):
        n = self.count
        self.event_class = [0] * n
        if len(self.class_count) > 1:
            self.event_class = list(self.codes.take(n))
            if len(self.class_count) > 256:
                FORMS.add("more than 256 classes")
                high = self.codes.take(n)
                self.event_class = [lo | hi << 8 for lo, hi in zip(self.event_class, high)]
        self.common = Table(None, 0, layout(self.source.common, 65535))
        self.common.classes = range(len(self.class_count))
        self.place = []
        for i, c in enumerate(self.event_class):
            need(c < len(self.class_count), "a class that does not exist")
            t = self.class_table[c]
            self.place.append(len(t.events))
            t.events.append(i)
            self.common.events.append(i)
        self.common.order = range(n)
        for t in self.tables:
            t.order = sorted(range(len(t.events)),
                             key=lambda k, t=t: (self.event_class[t.events[k]], k))
        for c, wanted in enumerate(self.class_count):
            need(wanted == self.event_class.count(c), "events of a class")

    def buckets(self, n):
        """The numbers of a sequence of n bucket codes."""
        out, acc, have = [], 0, 0
        for code in self.codes.take(n):
            if code < 16:
                out.append(code)
                continue
            need(code <= 236, "a bucket code that does not exist")
            wide = (code - 16) // 8 + 1 if code < 200 else code - 200 + 27
            while have < wide:
                acc |= self.bits.byte() << have
                have += 8
            low = acc & ((1 << wide) - 1)
            acc >>= wide
            have -= wide
            out.append(((8 + code % 8) if code < 200 else 1) << wide | low)
        return out

    def read_times(self):
        after = [0] * self.count
        class_order = sorted(range(self.count), key=lambda k: (self.event_class[k], k))
        for place, units in zip(class_order, self.buckets(self.count)):
            after[place] = unzigzag(units) if self.times_signed else units
        wrong = self.read_corrections()
        self.ts, self.cpu, at = [], [], 0
        for cpu, n in self.streams:
            last, fraction = self.time_base, 1 << 23
            for event, units in enumerate(after[at:at + n], at):
                if self.tick:
                    units = units * self.tick + fraction & MASK
                    units, fraction = units >> 24, units & (1 << 24) - 1
                    if event in wrong:
                        units += wrong[event]
                        fraction = 0 if wrong[event] > 0 else (1 << 24) - 1
                last = last + units * self.time_unit & MASK
                self.ts.append(last)
                self.cpu.append(cpu)
            at += n

    def read_corrections(self):
        """{place of an event in chunk order: correction of its time in ticks}"""
        if not self.tick:
            return {}
        FORMS.add("times in ticks")
        out, at = {}, 0
        gaps = self.buckets(self.corrections)
        for gap, number in zip(gaps, self.buckets(self.corrections)):
            number = unzigzag(number)
            out[at + gap] = number - (1 << 64) if number >> 63 else number
            at += gap + 1
            need(at <= self.count, "a correction of no event")
        return out

    # ---- columns

    def read_column(self, table, i, c):
        if i in table.keys:
            key = table.keys.index(i)
            first = table.classes[0]
            c.values = [table.key_values[self.event_class[e] - first][key] for e in table.events]
        elif not c.strings:
            self.read_numbers(table, c, c.width, c.signed)
        elif self.structure.byte() == 0:
            FORMS.add("numbered strings")
            self.read_numbers(table, c, 4, False)
            c.bytes = [self.strings[v].ljust(c.width, b"\0") for v in c.values]
        else:
            FORMS.add("plain strings, %s" % ("FIXED" if c.width else "of any length"))
            if c.width:
                c.values = [c.width] * len(table.events)
            else:
                self.read_numbers(table, c, 4, False)
            c.bytes = [b""] * len(table.events)
            for k in table.order:
                c.bytes[k] = self.data.take(c.values[k])

    def read_numbers(self, table, c, width, signed):
        n = len(table.events)
        tag = self.structure.byte()
        if tag == 0x80:
            FORMS.add("constant")
            c.values = [self.structure.zigzag()] * n
            return
        need(tag < 0x80, "a tag that does not exist")
        predictors, how, relative = tag & 3, tag >> 2 & 3, tag >> 4 & 3
        masks = [self.structure.byte() for _ in range(predictors)]
        FORMS.update(["%d predictors" % predictors, "relative to %d" % relative])
        FORMS.update("mask bit %d" % b for m in masks for b in range(5) if m >> b & 1)
        need(all(m < 32 for m in masks), "a mask that does not exist")
        reference = self.reference(table, c, self.structure.varint()) if tag & 64 else None
        codes = [predictors] * n
        if predictors:
            bits = 1 if predictors == 1 else 2
            packed = self.codes.take((n * bits + 7) // 8)
            for i, k in enumerate(table.order):
                codes[k] = packed[i * bits // 8] >> i * bits % 8 & (1 << bits) - 1
        residue_signed = signed or relative != NOTHING
        literal = self.read_literals([k for k in table.order if codes[k] == predictors], how,
                                     width, residue_signed)
        self.follow(table, c, width, signed, relative, masks, reference, codes, literal)

    def reference(self, table, c, number):
        if number < len(table.columns):
            need(number < table.columns.index(c), "a reference to a later column")
            return table.columns[number].values
        need(self.payload_ticks and table is not self.common, "a reference to no column")
        derived, at = [0] * self.count, 0
        for _, n in self.streams:
            if number == len(table.columns):
                FORMS.add("the following pid")
                pids = [k for k in self.common.columns if not k.strings and k.field.kind == PID]
                need(pids, "a reference to pids that there are not")
                derived[at:at + n - 1] = pids[0].values[at + 1:at + n]
            elif number == len(table.columns) + 1:
                FORMS.add("the time since the event before")
                last = self.ts[at]
                for e in range(at, at + n):
                    if self.class_table[self.event_class[e]] is table:
                        derived[e] = self.ts[e] - last & MASK
                        last = self.ts[e]
            else:
                need(False, "a reference to no column")
            at += n
        return [derived[e] for e in table.events]

    def read_literals(self, where, how, width, signed):
        out = {}
        if where:
            FORMS.add("literals %d" % how)
        if how == LITERALS_BYTES:
            stored = self.structure.byte()
            need(1 <= stored <= width, "literals of no width")
            for k in where:
                out[k] = int.from_bytes(self.literals.take(stored), "little", signed=True)
        else:
            last = 0
            for k, number in zip(where, self.buckets(len(where))):
                if how != LITERALS_PLAIN:
                    number = unzigzag(number)
                if how == LITERALS_DELTA:
                    number = last = extend(number + last, width, signed)
                out[k] = number
        return {k: extend(x, width, signed) for k, x in out.items()}

    def follow(self, table, c, width, signed, relative, masks, reference, codes, literal):
        """Computes the column's values in table order: a code gives the residue, and the residue
        gives the value."""
        n = len(table.events)
        bits = next((k for k in range(4, 13) if 1 << k >= n), 12)
        if n > 4096 and masks:
            FORMS.add("more than 4096 events")
        slots = [[0] * (1 << bits) for _ in masks]
        c.values, run, last_residue, last_value = [0] * n, None, 0, 0
        for k in table.order:
            e = table.events[k]
            if table is not self.common and self.event_class[e] != run:
                run, last_residue, last_value = self.event_class[e], 0, 0
            ref = reference[k] if reference else 0
            at = [self.context(table, e, m, ref, last_residue, bits) for m in masks]
            need(codes[k] <= len(masks), "a predictor that does not exist")
            residue = literal[k] if codes[k] == len(masks) else slots[codes[k]][at[codes[k]]]
            for slot, place in zip(slots, at):
                slot[place] = residue
            base = [0, ref, self.ts[e], last_value][relative]
            c.values[k] = extend(base + residue, width, signed)
            last_residue, last_value = residue, c.values[k]

    def context(self, table, e, mask, ref, residue, bits):
        s = 0
        if mask & 1:
            s += self.event_class[e] * 0x9E3779B1
        if mask & 2 and table is not self.common:
            pids = [c for c in self.common.columns if not c.strings and c.field.kind == PID]
            if pids:
                s += fold(pids[0].values[e]) * 0x85EBCA77
        if mask & 4:
            one = self.event_class[e - 1] + 1 if e > 0 else 0
            two = self.event_class[e - 2] + 1 if e > 1 else 0
            s += (65536 * one + two) * 0xC2B2AE3D
        if mask & 8:
            s += fold(ref) * 0x27D4EB2F
        s &= 0xFFFFFFFF
        slot = ((s ^ s >> 15) * 0x7FEB352D & 0xFFFFFFFF) >> (32 - bits)
        if mask & 16:
            slot ^= (residue * 0x9E3779B97F4A7C15 & MASK) >> (64 - bits)
        return slot

    # ---- events

    def fields(self, table, fields, k):
        out = []
        for f in fields:
            parts = [c.bytes[k] if c.strings else
                     (c.values[k] & ((1 << 8 * c.width) - 1)).to_bytes(c.width, "little")
                     for c in table.columns if c.field is f]
            out.append(b"".join(parts))
        return out

    def events(self):
        for e in range(self.count):
            t = self.class_table[self.event_class[e]]
            common = self.fields(self.common, self.source.common, e)
            whole = t.columns[0].bytes[self.place[e]] if t.whole else None
            values = [field_of(f, whole) for f in t.type.fields] if t.whole else \
                self.fields(t, t.type.fields, self.place[e])
            yield self.ts[e], t.type, self.cpu[e], common, values, whole


def field_of(f, record):
    """The bytes of a field in a whole record; None if they are not inside the record."""
    if f.place == FIXED:
        return record[f.offset:f.offset + f.size * f.count]
    if f.place == TAIL:
        return record[f.offset:]
    word = int.from_bytes(record[f.offset:f.offset + 4], "little")
    at = (word & 0xffff) + (f.offset + 4 if f.place == REL_LOC else 0)
    return record[at:at + (word >> 16)] if at + (word >> 16) <= len(record) else None


def decode(payload, count, source, types, expand):
    return Decoder(payload, count, source, types, expand).events()
