# SPDX-License-Identifier: MIT
# Small files that need much memory are refused with a reason, within the memory budget; with a
# larger budget they are read.
import lzma, os, subprocess, sys, tempfile, zlib
sys.path.insert(0, os.path.join(os.environ["TRAWL_SRC"], "tests"))
from tap import finish, ok, sanitized
import ctypes, ctypes.util
import struct as S

xxh = ctypes.CDLL(ctypes.util.find_library("xxhash"))
xxh.XXH64.restype = ctypes.c_uint64
xxh.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
zstd.ZSTD_compress.restype = ctypes.c_size_t
UUID = bytes.fromhex("e07479055df84f828d07d06961554ee9")


PART = 256 << 10  # bytes of metadata in a block


def hashed(b, seed=0):
    return xxh.XXH64(bytes(b), len(b), seed)


def packed(b):
    out = ctypes.create_string_buffer(len(b) + 4096)
    n = zstd.ZSTD_compress(out, ctypes.c_size_t(len(out)), bytes(b), ctypes.c_size_t(len(b)), 3)
    return out.raw[:n]


def text(s, width=2):
    return len(s).to_bytes(width, "little") + s


class File:
    def __init__(self):
        self.b, self.seq = b"", 0
        self.raw(0x0A0D0D0A, S.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        front = self.raw(9, b"MESSAGE=x\n", hashed(self.b))
        self.own(1, S.pack("<QQI", 1795000000000000000, front, 0))

    def raw(self, kind, body, front=0):
        body += bytes(-len(body) % 4)
        block = S.pack("<II", kind, len(body) + 12) + body + S.pack("<I", len(body) + 12)
        self.b += block
        return hashed(block, front)

    def own(self, kind, body, flags=0):
        pad = -len(body) % 4
        n = 44 + len(body) + pad
        head = S.pack("<II", 0x80747277, n) + UUID + S.pack("<BBBBI", kind, 2, flags, pad, self.seq)
        self.seq += 1
        self.b += (head + S.pack("<Q", hashed(body, hashed(head))) + body + bytes(pad) +
                   S.pack("<I", n))

    def source(self, number=0, name=b"event"):
        start = len(self.b)
        self.raw(1, S.pack("<HHI", 252, 0, 0))
        self.own(2, S.pack("<HHIQBBH", number, 252, 1, hashed(self.b[start:]), 1, 0, 0) +
                 text(name) + text(b"") + text(b"tracefs"))

    def text_type(self, source=0):
        """An event type with one text."""
        self.own(3, S.pack("<HHIII", source, 0, 1, 4, 1) + text(b"a:b") + text(b"", 4) +
                 S.pack("<BBBBHHH", 11, 1, 0, 0, 0, 1, 1) + text(b"t") + text(b"char[]") +
                 text(b""))

    def sync(self):
        self.own(6, S.pack("<QQQQQQQQI", 1000, 1795000000000001000, 1000, 1000, 1000, 0, 100, 0,
                           1))

    def chunk(self, events, size, source=0):
        """A chunk of events with one text of this size, which it stores once."""
        # Base and unit; a stream; a table with one class; a string; a column that is always that
        # string.
        structure = (varint(2000) + b"\1" + b"\1\0" + varint(events) + b"\1\0\0" + varint(events) +
                     b"\1" + varint(size) + b"A" * size + b"\0\x80\0")
        payload = varint(2) + substream(structure) + substream(bytes(events)) + 3 * substream(b"")
        body = (S.pack("<HHIIQQQQ", source, 0, events, len(payload), 2000, 2000, 0,
                       hashed(payload)) + payload)
        pad = -len(body) % 4
        head = S.pack("<II", 0x80747277, 44 + len(body) + pad) + UUID + S.pack("<BBBBI", 5, 2, 0,
                                                                              pad, self.seq)
        self.seq += 1
        self.b += (head + S.pack("<Q", hashed(body[:44], hashed(head))) + body + bytes(pad) +
                   S.pack("<I", 44 + len(body) + pad))


def types(n, fields):
    f = File()
    f.source()
    one = b"".join(S.pack("<BBBBHHH", 0, 0, 0, 0, 0, 1, 1) + text(b"f%d" % i) + text(b"u8") +
                   text(b"")
                   for i in range(fields))
    for i in range(n):
        f.own(3, packed(S.pack("<HHIII", 0, i, i, 8, fields) + text(b"a:b%d" % i) + text(b"", 4) +
                        one), 1)
    return f.b


def metadata(n, size):
    f = File()
    f.source()
    for i in range(n):
        for at in range(0, size, PART):
            f.own(4, packed(S.pack("<QII", 1, size, at) + text(b"m%d" % i) + text(b"text/plain") +
                            bytes([i & 255]) * PART), 1)
    return f.b


def varint(v):
    out = b""
    while v >= 128:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])


def substream(b):
    return varint(len(b)) + varint(len(packed(b))) + packed(b) + b"\0" if b else b"\0"


def long_texts(chunks, events, size):
    """Events that all have the same long text, which each chunk stores once."""
    f = File()
    f.source()
    f.text_type()
    f.sync()
    for i in range(chunks):
        f.chunk(events, size)
    return f.b


def machines(sections, each):
    """A merged file: each source is of a machine of its own, and has events."""
    whole = b""
    for k in range(sections):
        f = File()
        for i in range(each):
            f.source(i, b"event@m%d-%d" % (k, i))
            f.text_type(i)
        f.sync()
        for i in range(each):
            f.chunk(100, 40, i)
        whole += f.b
    return whole


def document(name, body):
    """A file with this text as metadata."""
    f = File()
    f.source()
    for at in range(0, len(body), PART):
        f.own(4, packed(S.pack("<QII", 1, len(body), at) + text(name) + text(b"application/json") +
                        body[at:at + PART]), 1)
    return f.b


def with_window(data, size):
    """An .xz file that says that it needs a window of a size: 2 to the power of (size + 24) / 2."""
    b = bytearray(lzma.compress(data, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 16}]))
    head = 4 * (b[12] + 1)  # of the first block, after 12 bytes of the stream's
    assert b[14:16] == b"\x21\x01"  # LZMA2, one byte of properties
    b[16] = size
    b[12 + head - 4:12 + head] = S.pack("<I", zlib.crc32(b[12:12 + head - 4]))
    return bytes(b)


def run(program, *args):
    # RUSAGE_CHILDREN is the largest of all children, so a process in between has only this one.
    code = ("import resource, subprocess, sys\n"
            "p = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)\n"
            "sys.stdout.buffer.write(p.stderr)\n"
            "print('#', p.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")
    out = subprocess.run([sys.executable, "-c", code, program, *args], stdout=subprocess.PIPE,
                         check=True)
    *lines, last = out.stdout.decode().splitlines()
    _, status, kib = last.split()
    return int(status), lines, int(kib)


is_sanitized = sanitized(os.environ["TRAWL_BUILD"])
with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "bomb.trawl")
    for name, what, data in (("fields of event types", "event types", types(1200, 4000)),
                             ("metadata", "metadata", metadata(40, 8 << 20))):
        open(path, "wb").write(data)
        for program in (["trawl-decode"], ["trawl-decode", "--summary"],
                        ["trawl-export", "--to", "json"],
                        ["trawl-edit", "verify"]):
            status, lines, kib = run(*program, path)
            ok(status == 3 and len(lines) == 1 and
               lines[0] == f"{program[0]}: {path}: {what} would take more than the 256 MiB of "
                           f"memory that a "
               "file may: --memory allows more, if you trust it",
               f"{' '.join(program)}: {name}: {len(data) >> 10} KiB are refused by name",
               f"{status} {lines}")
            ok(is_sanitized or kib < 320 << 10, f"... before they take much more", f"{kib} KiB")
        status, lines, kib = run("trawl-decode", "--memory", "1G", path)
        ok(status == 1 and "no end block" in lines[0], "--memory 1G: it is read",
           f"{status} {lines}")
        status, lines, kib = run("trawl-decode", "--memory", "64M", path)
        ok(status == 3 and "the 64 MiB" in lines[0], "--memory 64M: it is refused earlier",
           f"{status} {lines}")
        ok(is_sanitized or kib < 128 << 10, "... and takes less", f"{kib} KiB")
    # --memory is an option of each command: what it allows is read, what it forbids is refused.
    out = os.path.join(work, "out.trawl")
    small = os.path.join(os.environ["TRAWL_SRC"], "tests", "golden", "single.trawl")
    open(path, "wb").write(metadata(12, 8 << 20))
    for verb, *more in (("cut", "-w", out), ("cut", "--every", "2", "-w", out),
                        ("compact", "-w", out), ("repair", "-w", out), ("redact", "-w", out),
                        ("secrets",), ("verify",), ("merge", small, "-w", out)):
        name = f"trawl-edit {verb} {more[0] if len(more) > 2 else str()}"
        status, lines, _ = run("trawl-edit", verb, "--memory", "64M", path, *more)
        ok(status == 3 and f"{path}: metadata would take more than the 64 MiB" in lines[-1],
           f"{name} --memory 64M: it is refused", f"{status} {lines}")
        status, lines, _ = run("trawl-edit", verb, "--memory", "1G", path, *more)
        ok(status < 3 and "would take more" not in " ".join(lines),
           f"{name} --memory 1G: it is read", f"{status} {lines}")
    for way in ("device", "host", "branch", "vm", "stream", "probes"):
        kernel = ["--kernel", "/none"] if way == "vm" else []
        status, lines, _ = run("trawl-replay", way, *kernel, "--memory", "64M", path)
        ok(f"{path}: metadata would take more than the 64 MiB" in lines[-1],
           f"trawl-replay {way} --memory 64M: it is refused", f"{status} {lines}")
        status, lines, _ = run("trawl-replay", way, *kernel, "--memory", "1G", path)
        ok("would take more" not in " ".join(lines),
           f"trawl-replay {way} --memory 1G: it is read", f"{status} {lines}")
    # Two thirds of the limit: commands that read a file twice take no more than the limit, either,
    # and those that read it once read it.
    open(path, "wb").write(metadata(21, 8 << 20))
    for once, *args in ((True, "trawl-decode", path), (True, "trawl-edit", "verify", path),
                        (True, "trawl-edit", "compact", path, "-w", out),
                        (True, "trawl-edit", "repair", path, "-w", out),
                        (False, "trawl-export", "--to", "csv", path),
                        (False, "trawl-edit", "secrets", path),
                        (False, "trawl-edit", "redact", path, "-w", out),
                        (False, "trawl-edit", "cut", "--from", "+0s", path, "-w", out)):
        name = " ".join(a for a in args if a not in (path, out))
        status, lines, kib = run(*args)
        refused = any("metadata would take more than the 256 MiB" in line for line in lines)
        ok(status == (1 if once else 3) and refused != once,
           f"{name}: what it reads is one budget", f"{status} {lines}")
        ok(is_sanitized or kib < 280 << 10, "... which it keeps", f"{kib} KiB")
    data = long_texts(60, 200, 60000)
    open(path, "wb").write(data)
    page = os.path.join(work, "page.html")
    status, lines, kib = run("trawl-export", "--to", "html", path, "-w", page)
    ok(status == 1 and "later ones are left out" in lines[0] and "--memory" in lines[0],
       f"a page of {len(data) >> 10} KiB has the first events and says so", f"{status} {lines}")
    ok(is_sanitized or kib < 256 << 10, "... within the budget", f"{kib} KiB")
    status, lines, kib = run("trawl-export", "--to", "html", "--memory", "32M", path, "-w", page)
    ok(is_sanitized or kib < 64 << 10, "--memory 32M: and takes less", f"{kib} KiB")
    if "HAVE_ARCHIVE 1" in open(os.environ["TRAWL_BUILD"] + "/config.h").read():
        capture = open(small, "rb").read()
        for size, fits in (30, True), (38, is_sanitized):  # 128 MiB, 2 GiB
            compressed = os.path.join(work, "compressed.xz")
            open(compressed, "wb").write(with_window(capture, size))
            status, lines, _ = run("trawl-decode", compressed)
            ok(status == 0 if fits else status == 3 and lines == [
                f"trawl-decode: {compressed}: cannot be unpacked within 256 MiB of memory; unpack it "
                "yourself"], f"a compressed file whose window has 2^{(size + 24) // 2} bytes",
               f"{status} {lines}")
    out = os.path.join(work, "redacted.trawl")
    status, lines, kib = run("trawl-edit", "redact", path, "-w", out)
    ok(status == 1 and os.path.exists(out), "redact reads chunks of one time one after the other",
       f"{status} {lines}")
    ok(is_sanitized or kib < 256 << 10, "... within the budget", f"{kib} KiB")
    # What is derived counts, too: the values of a JSON text, the decoders of machines.
    open(path, "wb").write(document(b"machine", b'{"hostname":[' + b"{}," * 2000000 + b"0]}"))
    for args in (("trawl-decode", "--summary", path),
                 ("trawl-edit", "merge", path, small, "-w", out)):
        status, lines, kib = run(*args)
        ok(status == 3 and "the JSON of a file's metadata takes more memory than a file may; "
           "--memory allows more" in lines[-1],
           f"{args[0]} {args[1]}: a JSON text with values of 1.8 GB is refused",
           f"{status} {lines}")
        ok(is_sanitized or kib < 64 << 10, "... before they are made", f"{kib} KiB")
    open(path, "wb").write(document(b"machine", b'{"hostname":[' + b"{}," * 100000 + b"0]}"))
    status, lines, kib = run("trawl-decode", "--summary", path)
    ok(status == 1 and "no end block" in lines[0], "a twentieth of it is read", f"{status} {lines}")
    status, lines, _ = run("trawl-decode", "--memory", "64M", "--summary", path)
    ok(status == 3 and "JSON" in lines[-1], "... and refused with --memory 64M",
       f"{status} {lines}")
    data = machines(4, 192)
    open(path, "wb").write(data)
    status, lines, kib = run("trawl-decode", "--summary", path)
    ok(status == 3 and "would take more than the 256 MiB" in lines[-1],
       f"768 machines in {len(data) >> 10} KiB are refused", f"{status} {lines}")
    ok(is_sanitized or kib < 340 << 10, "... within the budget", f"{kib} KiB")
    golden = os.path.join(os.environ["TRAWL_SRC"], "tests", "golden", "events.trawl")
    for bad in "", "x", "1", "1023K", "1T", "-1", "99999999999999999999", "17179869184G":
        status, lines, _ = run("trawl-decode", "--memory", bad, golden)
        ok(status == 2 and lines[0].startswith("trawl-decode: --memory: "), f"--memory '{bad}'",
           f"{status} {lines}")
    status, lines, _ = run("trawl-decode", "--memory", "64M", golden)
    ok(status == 0 and not lines, "a usual file needs little", f"{status} {lines}")
sys.exit(finish())
