# SPDX-License-Identifier: MIT
"""trawl-edit import: compressed files, several files, packets of the bus, and what a failure
leaves."""
import bz2
import glob
import gzip
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
import usbsynth  # noqa: E402
from tap import finish, ok, same, skip  # noqa: E402


def run(*args, status=0):
    r = subprocess.run([BUILD + "/" + args[0]] + list(args[1:]), capture_output=True,
                       stdin=subprocess.DEVNULL)
    if r.returncode != status:
        ok(False, "%s ends with %d" % (" ".join(args), status), r.returncode, r.stderr)
    return r.stdout.decode(), r.stderr.decode()


def has_archive():
    return "HAVE_ARCHIVE 1" in open(BUILD + "/config.h").read()


def zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, capture_output=True).stdout


def test_compressed(d):
    plain = open(d + "/all.pcapng", "rb").read()
    want = run("trawl-decode", "--json", d + "/all.pcapng")[0]
    for ending, pack in (("gz", gzip.compress), ("xz", lzma.compress), ("bz2", bz2.compress),
                         ("zst", zstd)):
        path = d + "/packed.pcapng." + ending
        packed = pack(plain)
        open(path, "wb").write(packed)
        if not has_archive():
            err = run("trawl-edit", "import", path, "-w", d + "/x.trawl", status=3)[1]
            ok("built without libarchive: unpack it first" in err, ending + ": what to do", err)
            continue
        run("trawl-edit", "import", path, "-w", d + "/x.trawl")
        same(want, run("trawl-decode", "--json", d + "/x.trawl")[0], "import of ." + ending)
        same(want, run("trawl-decode", "--json", path)[0], "trawl-decode reads ." + ending)
        open(path, "wb").write(packed[:len(packed) // 2])
        os.unlink(d + "/x.trawl")
        err = run("trawl-edit", "import", path, "-w", d + "/x.trawl", status=3)[1]
        ok("cannot be unpacked" in err and not os.path.exists(d + "/x.trawl"),
           "a cut ." + ending + " leaves no file", err)
    if has_archive():
        open(d + "/all.trawl.gz", "wb").write(gzip.compress(open(trawl(d), "rb").read()))
        same(want, run("trawl-decode", "--json", d + "/all.trawl.gz")[0],
             "a .trawl.gz is read, too")


def trawl(d):
    run("trawl-edit", "import", d + "/all.pcapng", "-w", d + "/all.trawl")
    return d + "/all.trawl"


def test_several(d):
    n = len(run("trawl-decode", "--raw", d + "/all.pcap")[0].splitlines())
    run("trawl-edit", "import", d + "/all.pcap", d + "/usbpcap.pcap", "-w", d + "/both.trawl")
    m = len(run("trawl-decode", "--raw", d + "/usbpcap.pcap")[0].splitlines())
    same(n + m, len(run("trawl-decode", "--raw", d + "/both.trawl")[0].splitlines()),
         "two files in one: the events of both")
    ok("complete" in run("trawl-edit", "verify", d + "/both.trawl")[0], "which is whole")
    os.mkdir(d + "/folder")
    run("trawl-edit", "import", d + "/all.pcap", d + "/usbpcap.pcap", "-w", d + "/folder")
    same(["all.trawl", "usbpcap.trawl"], sorted(os.listdir(d + "/folder")),
         "into a folder: one each")
    err = run("trawl-edit", "import", d + "/all.pcap", "-w", d + "/folder", status=2)[1]
    ok("exists already" in err, "nothing there is written over", err)


def test_failed(d):
    for name, data in (("text", b"no capture at all\n"), ("empty", b""),
                       ("ethernet", struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) +
                        struct.pack("<IIII", 1, 1, 4, 4) + b"abcd")):
        open(d + "/bad", "wb").write(data)
        run("trawl-edit", "import", d + "/bad", "-w", d + "/none.trawl",
            status=3)
        same([], glob.glob(d + "/none*"), "a failed import leaves no file: " + name)
        run("trawl-edit", "import", d + "/all.pcap", d + "/bad", "-w", d + "/none.trawl",
            status=3)
        same([], glob.glob(d + "/none*"), "nor does one of several: " + name)


def pcap(linktype, packets):
    """A pcap file of these, 17 us apart."""
    out = struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, linktype)
    for i, p in enumerate(packets):
        out += struct.pack("<IIII", 1700000000 + i * 17 // 10**6, i * 17 % 10**6 * 1000, len(p),
                           len(p)) + p
    return out


def test_bus(d):
    """Packets of the bus and of macOS: each as it is, and back."""
    darwin = struct.pack("<HBBIIIQIBBBB", 0x100, 32, 1, 4, 0, 0, 0x77, 0x14000000, 2, 5, 0x81,
                         2) + b"data"
    for linktype, packets, want in (
            (288, [b"\x2d\x05\x00", b"\xc3" + bytes(8) + b"\xf4\xbf", b"\xd2", b"\xa5\x10\x50",
                   b"\x11"],
             ["SETUP 5 ep0", "DATA0, 8 bytes: 0000000000000000", "ACK", "SOF frame 16", "bad PID"]),
            (294, [b"\x69\x83\x00"], ["IN 3 ep1"]),
            (266, [darwin], [
                "20:5 ep1 in   data, 4 bytes, submission not recorded  64 61 74 61  |data|"])):
        path = d + "/bus.pcap"
        body = pcap(linktype, packets)
        open(path, "wb").write(body)
        lines = run("trawl-decode", path)[0].splitlines()
        same(want, [re.split("usb:[a-z]+", line)[-1].strip() for line in lines],
             "link type %d: lines" % linktype)
        first = json.loads(run("trawl-decode", "--json", path)[0].splitlines()[0])
        ok("data" in first["fields"], "link type %d: JSON" % linktype, first)
        run("trawl-decode", "--summary", path)
        run("trawl-edit", "import", path, "-w", d + "/bus.trawl")
        run("trawl-export", "--to", "pcap", d + "/bus.trawl", "-w", d + "/back.pcap")
        same(body[24:], open(d + "/back.pcap", "rb").read()[24:],
             "link type %d: comes back" % linktype)
    def apple(kind, id, dev, ep, xfer, data=b"", length=0):
        return struct.pack("<HBBIIIQIBBBB", 0x100, 32, kind, length or len(data), 0, 0, id,
                           0x14000000, 2, dev, ep, xfer) + data
    setup = bytes([0x80, 6, 0, 1, 0, 0, 18, 0])
    open(path, "wb").write(pcap(266, [
        apple(0, 0x10, 5, 0x80, 0, setup), apple(0, 0x20, 5, 0x81, 2, length=64),
        apple(1, 0x20, 5, 0x81, 2, b"abc"),
        apple(1, 0x10, 5, 0x80, 0, b"\x12\x01"), apple(1, 0x20, 5, 0x81, 2, b"again")]))
    lines = [re.split("usb:[a-z]+", line)[-1].strip()
             for line in run("trawl-decode", path)[0].splitlines()]
    same(["20:5 ep1 in   data, 3 of 64 bytes, 17 us  61 62 63  |abc|",
          "20:5 ep0 in   GET_DESCRIPTOR device, 2 of 8 bytes, 51 us  12 01  |..|",
          "20:5 ep1 in   data, 5 bytes, submission not recorded  61 67 61 69 6e  |again|"], lines,
         "macOS: halves are joined")
    same(1, len(run("trawl-decode", "--where", "latency_ns == 51000", path)[0].splitlines()),
         "and its latency")
    open(path, "wb").write(pcap(266, [darwin]))
    same("1",
         str(len(run("trawl-decode", "--where", "xfer == 'bulk' && dev == 5",
                     path)[0].splitlines())),
         "and is asked for by its fields")
    # What goes out is in the completion. Numbers are numbers; what macOS has besides is there;
    # --diff takes it.
    cbw = struct.pack("<IIIBBB16s", 0x43425355, 7, 36, 0x80, 0, 6, bytes([0x12, 0, 0, 0, 36]))
    sent = [apple(0, 0x30, 5, 2, 2, length=31), apple(1, 0x30, 5, 2, 2, cbw, 31),
            apple(0, 0x40, 5, 0x81, 2, length=36),
            apple(1, 0x40, 5, 0x81, 2), apple(7, 0x50, 5, 0x81, 2), b"short"]
    sent[3] = sent[3][:8] + struct.pack("<I", 0xe00002eb) + sent[3][12:]
    open(path, "wb").write(pcap(266, sent))
    out = run("trawl-decode", path)[0]
    for text in ("INQUIRY tag 0x7", "unlinked (ENOENT -2), kIOReturnAborted",
                 "packet that is no event, 32 bytes",
                 "packet that is no event, 5 bytes"):
        ok(text in out, "macOS: " + text, out)
    same(1, len(run("trawl-decode", "--where", "darwin.io_id == 0x30", path)[0].splitlines()),
         "macOS: io_id")
    same(2, len(run("trawl-decode", "--raw", "--where", "id == 0x30", path)[0].splitlines()),
         "macOS: id is a number")
    same(1, len(run("trawl-decode", "--where", "io_status == 0xe00002eb", path)[0].splitlines()),
         "macOS: io_status")
    ok("same" in run("trawl-decode", "--diff", path, path)[0], "macOS: --diff")
    for argv, want in (([], sent), (["--where", "bus == 20"], sent[:4]),
                       (["--name", "usb:packet"], sent[4:])):
        run("trawl-export", "--to", "pcap", *argv, path, "-w", d + "/back.pcap")
        back, at, got = open(d + "/back.pcap", "rb").read(), 24, []
        while at < len(back):
            n = struct.unpack("<I", back[at + 8:at + 12])[0]
            got.append(back[at + 16:at + 16 + n])
            at += 16 + n
        same(want, got, "macOS: export %s" % argv)


def test_bus_keys(d):
    """Keystrokes in packets of the bus and of macOS are masked; what only begins like them is
    not."""
    key, other = bytes([2, 0, 4, 0, 0, 0, 0, 0]), bytes([2, 7, 4, 0, 0, 0, 0, 0])

    def apple(dev, data):
        return struct.pack("<HBBIIIQIBBBB", 0x100, 32, 1, 8, 0, 0, 0x77, 0x14000000, 2, dev, 0x81,
                           3) + data
    bus = [b"\x69\x85\x00", b"\xc3" + key + b"\0\0", b"\xd2", b"\x69\x86\x00",
           b"\xc3" + other + b"\0\0",
           b"\x69\x86\x00", b"\x4b" + key + b"\0\0", b"\x2d\x05\x00", b"\xc3" + bytes(8) + b"\0\0"]
    for linktype, packets, shown in ((288, bus, ["02070400", "02000400", "00000000"]),
                                     (266, [apple(5, key), apple(6, other), apple(6, key)],
                                      ["02 07 04 00", "02 00 04 00"])):
        path = d + "/keys.pcap"
        open(path, "wb").write(pcap(linktype, packets))
        lines = [line for line in run("trawl-decode", path)[0].splitlines() if "8 bytes" in line]
        ok("(masked: form of its reports)" in lines[0] and "0200" not in lines[0] and
           all(s in line for s, line in zip(shown, lines[1:])),
           "link type %d: keystrokes" % linktype, lines)
        items = [json.loads(line)["fields"]
                 for line in run("trawl-decode", "--json", path)[0].splitlines()]
        same([1, False], [sum("masked_by" in i for i in items),
                          any(i.get("masked") and "data" in i for i in items)],
             "link type %d: in JSON" % linktype)
        same(1, len(run("trawl-decode", "--where", "masked == 1", path)[0].splitlines()),
             "and --where")
        clear = run("trawl-decode", "--show-keys", path)[0].splitlines()[linktype == 288]
        ok((key.hex(" ") if linktype == 266 else key.hex()) in clear, "and when asked for")


def test_nothing(d):
    """What holds no USB at all cannot be imported; a small file that is damaged says so."""
    open(d + "/net.pcap", "wb").write(pcap(1, [bytes(60)] * 3))
    err = run("trawl-edit", "import", d + "/net.pcap", "-w", d + "/net.trawl", status=3)[1]
    ok("holds no USB, but 3 packets of link type 1" in err and not os.path.exists(d + "/net.trawl"),
       "no USB", err)
    open(d + "/bsd.pcap", "wb").write(pcap(186, [bytes(20)] * 3))
    err = run("trawl-edit", "import", d + "/bsd.pcap", "-w", d + "/bsd.trawl", status=3)[1]
    ok("holds no USB that can be read, but 3 packets of link type 186: that of FreeBSD" in err and
       "record it under Linux" in err and not os.path.exists(d + "/bsd.trawl"),
       "USB of FreeBSD: what to do", err)
    run("trawl-decode", d + "/net.pcap", status=3)
    open(d + "/in.pcap", "wb").write(pcap(249, [usbsynth.usbpcap(16, 0, 0x81, 1, b"")]))
    out = run("trawl-decode", d + "/in.pcap")[0]
    ok("length unknown asked, pending at the end" in out,
       "USBPcap does not say how much a read may be", out)
    fields = json.loads(run("trawl-decode", "--json", d + "/in.pcap")[0])["fields"]
    ok("length" not in fields, "nor does JSON", fields)
    run("trawl-edit", "import", d + "/in.pcap", "-w", d + "/in.trawl")
    whole = open(d + "/in.trawl", "rb").read()
    open(d + "/bad.trawl", "wb").write(whole[:150] + bytes([whole[150] ^ 4]) + whole[151:])
    err = run("trawl-decode", d + "/bad.trawl", status=1)[1]
    ok("its one block, which holds all of it, is damaged" in err, "a small file with another byte",
       err)


def test_size(d):
    """Small captures are no larger than the original that zstd -3 compressed; --level is heeded."""
    def report(i):
        return bytes([0x41, 0xec, 0x1a, 0, i * 7 % 251, i * i % 240]) + bytes(59)

    def packets(many):
        return pcap(
            249, [usbsynth.usbpcap(0x8a0 + i // 2 * 16, i & 1, 0x81, 1, report(i) if i & 1 else b"")
                          for i in range(many)])

    path = d + "/small.pcap"
    open(path, "wb").write(packets(70))
    run("trawl-edit", "import", path, "-w", d + "/small.trawl")
    size, want = os.path.getsize(d + "/small.trawl"), len(zstd(open(path, "rb").read()))
    ok(size <= want, "a capture of %d bytes: %d, zstd -3 %d" % (os.path.getsize(path), size, want))

    text = open(SRC + "/docs/format.md", "rb").read()
    open(d + "/large.pcap", "wb").write(pcap(249, [
        usbsynth.usbpcap(i * 16, 1, 0x82, 3, text[i * 1000:i * 1000 + 1000])
        for i in range(len(text) // 1000)]))
    # What is written to a pipe is not made small, which would level the difference.
    sizes = [
        len(subprocess.run([BUILD + "/trawl-edit", "import", *args, d + "/large.pcap", "-w", "-"],
                                capture_output=True).stdout)
                                for args in (["--level", "1"], ["--level=19"], [])]
    ok(sizes[0] > sizes[1] and abs(sizes[1] - sizes[2]) < 64, "--level 1, 19, none", sizes)
    for args, said in ((["--level", "20"], "--level: 20 is no level: 1 (fast) to 19 (small)"),
                       (["--level", "x"], "--level: x is no level"),
                       (["--level"], "needs an argument"),
                       (["--level", "1", "--level", "2"], "given twice"), (["--lever"], "--lever")):
        err = run("trawl-edit", "import", path, "-w", d + "/no.trawl", *args, status=2)[1]
        ok(said in err and err.count("\n") == 1, " ".join(args) + " is refused", err)


def test_target():
    """The make target hands its script the folder, and nothing else."""
    out = subprocess.run(["make", "-C", BUILD, "-n", "-o", "all", "captures-check",
                          "CAPTURES=/some/where"],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    ok("check.py '/some/where'\n" in out, "make captures-check", out)


def main():
    d = tempfile.mkdtemp(prefix="trawl-import-")
    try:
        usbsynth.main(d)
        test_target()
        for test in (test_compressed, test_several, test_failed, test_bus, test_bus_keys,
                     test_nothing, test_size):
            if test in (test_compressed, test_size) and not shutil.which("zstd"):
                skip(test.__name__, "zstd is not installed")
            else:
                test(d)
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
