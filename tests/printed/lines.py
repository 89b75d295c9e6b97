# SPDX-License-Identifier: MIT
"""The texts of which tests/decode/make-lines makes captures: event types by their declarations in
C, events by their values."""
import json
import struct

BEGIN = 5_000_000_000

UINT, INT, HEX, ADDR, PID, BOOL, CHAR, FLOAT, TEXT, BYTES = 0, 1, 2, 3, 5, 8, 9, 10, 11, 12
FIXED, DATA_LOC, REL_LOC = 0, 1, 2
# C's name: bytes, kind (enum trawl_kind)
TYPES = {"char": (1, CHAR), "u8": (1, UINT), "s8": (1, INT), "bool": (1, BOOL), "short": (2, INT),
         "u16": (2, UINT), "int": (4, INT), "s32": (4, INT), "u32": (4, UINT), "pid_t": (4, PID),
         "x32": (4, HEX), "gfp_t": (4, UINT), "dev_t": (4, UINT), "float": (4, FLOAT),
         "long": (8, INT), "s64": (8, INT), "u64": (8, UINT), "unsigned long": (8, UINT),
         "x64": (8, HEX), "sector_t": (8, UINT), "double": (8, FLOAT), "void *": (8, ADDR),
         "const char *": (8, ADDR), "ip": (8, ADDR)}


class Numbers:
    """The same numbers on every machine."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (self.state >> 33) % n

    def of(self, values):
        return values[self.below(len(values))]


class Field:
    def __init__(self, declaration, offset):
        ctype, self.name = declaration.rsplit(" ", 1)
        self.offset, self.count, self.place = offset, 1, FIXED
        if "[" in self.name:
            self.name, count = self.name.rstrip("]").split("[")
            self.count = int(count)
        for word, place in (("__data_loc ", DATA_LOC), ("__rel_loc ", REL_LOC)):
            if ctype.startswith(word):
                ctype, self.place = ctype.removeprefix(word).removesuffix("[]"), place
        self.size, self.kind = TYPES[ctype]
        if ctype == "char" and (self.count > 1 or self.place):
            self.kind = TEXT
        elif ctype == "u8" and (self.count > 1 or self.place):
            self.kind = BYTES
        self.ctype = ctype
        self.bytes = 4 if self.place else self.size * self.count

    def line(self):
        return (f"field {self.name} {self.kind} {self.place} {self.offset} {self.size} "
                f"{self.count} {self.ctype}{'[]' if self.place else ''}")

    def format(self):
        array = f"[{self.count}]" if self.count > 1 else ""
        word = ("", "__data_loc ", "__rel_loc ")[self.place]
        return (f"\\tfield:{word}{self.ctype}{'[]' if self.place else ''} {self.name}{array};"
                f"\\toffset:{self.offset};\\tsize:{self.bytes};"
                f"\\tsigned:{int(self.kind in (INT, PID))};\\n")

    def pack(self, value):
        """Returns the bytes of one or more elements."""
        if isinstance(value, (bytes, str)):
            return value.encode() if isinstance(value, str) else value
        if self.kind == FLOAT:
            return struct.pack("<f" if self.size == 4 else "<d", value)
        values = value if isinstance(value, (list, tuple)) else [value]
        return b"".join((v % 2 ** (8 * self.size)).to_bytes(self.size, "little") for v in values)


class Type:
    def __init__(self, number, source, declarations, tracefs):
        self.number, self.source, self.tracefs = number, source, tracefs
        self.fields, at = [], 8 if tracefs else 0
        for declaration in declarations:
            self.fields.append(Field(declaration, at))
            at += self.fields[-1].bytes
        self.size = at

    def record(self, pid, flags, values):
        fixed, rest = bytearray(self.size), b""
        if self.tracefs:
            struct.pack_into("<HBBi", fixed, 0, self.number, flags, 0, pid)
        for f in self.fields:
            data = f.pack(values.get(f.name, 0 if f.kind not in (TEXT, BYTES) else b""))
            if f.place:
                begin = self.size + len(rest) - (f.offset + 4 if f.place == REL_LOC else 0)
                struct.pack_into("<I", fixed, f.offset, len(data) << 16 | begin)
                rest += data
            else:
                fixed[f.offset:f.offset + f.bytes] = data[:f.bytes].ljust(f.bytes, b"\0")
        return bytes(fixed) + rest


class Lines:
    def __init__(self):
        self.text, self.types, self.sources, self.now = [], {}, [], BEGIN

    def source(self, name, kind="tracefs"):
        self.text.append(f"source {name} {kind}")
        self.sources.append((name, kind))

    def meta(self, name, value, ns=1):
        kind = "text/plain" if isinstance(value, str) else "application/json"
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        text = text.replace("\n", "\t")
        self.text.append(f"meta {ns} {name} {kind} {text}")

    def type(self, name, declarations, print_format="", number=None):
        """An event type of the newest source. print_format: "" for none."""
        kind = self.sources[-1][1]
        t = Type(number or 100 + len(self.types), len(self.sources) - 1, declarations,
                 kind == "tracefs")
        self.types[name] = t
        text = ""
        if print_format:
            text = (f"name: {name.split(':')[-1]}\\nID: {t.number}\\nformat:\\n" +
                    "".join(f.format() for f in t.fields) +
                    f"\\nprint fmt: {print_format}\\n")
        self.text.append(f"type {t.source} {t.number} {t.size} {name} {text}")
        self.text += [f.line() for f in t.fields]

    def event(self, name, after=1000, cpu=0, pid=0, flags=0, /, **values):
        """An event `after` ns after the one before."""
        self.now += after
        t = self.types[name]
        record = t.record(pid, flags, values)
        self.text.append(f"event {t.source} {t.number} {cpu} {self.now} {record.hex()}")

    def loss(self, source, cpu, since, count):
        """Events of a source lost in the `since` ns until now; count "-": how many is unknown."""
        self.text.append(f"loss {source} {cpu} {self.now - since} {self.now} {count}")
