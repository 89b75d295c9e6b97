# SPDX-License-Identifier: MIT
"""trawl-edit import: compressed files, several files, packets on the bus, captures of macOS,
several interfaces, and what a failure leaves behind."""
import bz2
import glob
import gzip
import json
import lzma
import os
import re
import resource
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import zipfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
import usbsynth  # noqa: E402
from tap import finish, ok, same, skip  # noqa: E402

BEGIN = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 220)  # of a pcap file with USB


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


def imported(path, name, out):
    """The result of import when the file comes by standard input, or by the name of a pipe."""
    with open(path, "rb") as stdin, subprocess.Popen(["cat"], stdin=stdin,
                                                     stdout=subprocess.PIPE) as pipe:
        r = subprocess.run([BUILD + "/trawl-edit", "import", name, "-w", out], stdin=pipe.stdout,
                           capture_output=True, text=True)
    return r.returncode, r.stderr


def test_endless(d):
    """What begins like a capture, and neither ends as a pipe nor fits when it is unpacked, leaves
    the last tenth of the temporary folder's disk free."""
    small, packed, out = d + "/small", d + "/endless.gz", d + "/endless"
    much = "more than the temporary folder has room for; choose another with TMPDIR\n"
    with gzip.open(packed, "wb") as f:
        f.write(BEGIN + bytes(20 << 20))
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", small]).returncode:
        skip("endless pipe", "no file system may be mounted here")
        return
    try:
        for verb, name, said in [("cut", "-", "has "), ("compact", "/dev/stdin", "has "),
                                 ("import", "-", "has "), *[("cut", packed, "unpacks to ")
                                                            ] * has_archive()]:
            with subprocess.Popen(["sh", "-c", 'printf %b "$1"; exec cat /dev/zero', "sh",
                                   "".join("\\0%03o" % b for b in BEGIN)],
                                  stdout=subprocess.PIPE) as pipe:
                r = subprocess.run(["trawl-edit", verb, name, "-w", out], stdin=pipe.stdout,
                                   text=True, env=dict(os.environ, TMPDIR=small),
                                   capture_output=True, timeout=60)
                pipe.stdout.close()
            called = "standard input" if name == "-" else name
            same((3, f"trawl-edit: {called}: {said}{much}", False),
                 (r.returncode, r.stderr, os.path.exists(out)),
                 "%s of what does not fit: %s" % (verb, os.path.basename(name)))
    finally:
        subprocess.run(["umount", small])


def test_nothing_of_ours(d):
    """What is no capture is refused by its first bytes: it is neither copied nor unpacked whole.
    Each input would have gigabytes, the pipe no end."""
    no_capture = "is not a trawl file; give one, or a pcap, pcapng or usbmon text file with USB\n"
    packed, begun, out = d + "/bomb.gz", d + "/begun.gz", d + "/bomb"
    with gzip.open(packed, "wb", 9) as f:
        for _ in range(64):
            f.write(bytes(1 << 20))
    with open(packed, "rb") as f:
        one = f.read()
    with open(packed, "ab") as f:  # members of a gzip file follow each other: 4 GiB
        for _ in range(63):
            f.write(one)
    readers = [("trawl-edit", "cut", "-w", out), ("trawl-edit", "compact", "-w", out),
               ("trawl-edit", "import", "-w", out), ("trawl-edit", "redact", "-w", out),
               ("trawl-edit", "repair", "-w", out), ("trawl-edit", "secrets"),
               ("trawl-replay", "stream", "--loop=2"), ("trawl-replay", "host", "--to-c")]
    for args in readers:
        with open("/dev/zero", "rb") as zero:
            r = subprocess.run([*args, "-"], stdin=zero, text=True, capture_output=True, timeout=60)
        same((3, f"{args[0]}: standard input: {no_capture}"), (r.returncode, r.stderr),
             " ".join(args[:2]) + " of zeros without an end")
    if not has_archive():
        return
    for args in [("trawl-decode",), ("trawl-export", "--to", "json"), *readers]:
        r = subprocess.run([*args, packed], text=True, capture_output=True, timeout=60,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                 (32 << 20, 32 << 20)))
        same((3, f"{args[0]}: {packed}: {no_capture}"), (r.returncode, r.stderr),
             " ".join(args[:2]) + " of 4 GiB of zeros in 4 MB")
    # what begins like a capture is limited by what was read so far, not by the size of the whole
    with open(begun, "wb") as f:
        f.write(gzip.compress(BEGIN))
        with open(packed, "rb") as rest:
            f.write(rest.read())
    r = subprocess.run(["trawl-decode", begun], text=True, capture_output=True, timeout=60,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                             (200 << 20, 200 << 20)))
    same((3, f"trawl-decode: {begun}: unpacks to more than 1000 times its size; unpack it first, "
          "if you trust it\n"), (r.returncode, r.stderr), "a bomb that begins like a capture")


def test_standard_input(d):
    want = run("trawl-decode", "--json", d + "/all.pcapng")[0]
    plain = open(d + "/all.pcapng", "rb").read()
    open(d + "/packed", "wb").write(gzip.compress(plain))
    for name in "-", "/dev/stdin":
        for path in ["all.pcapng"] + ["packed"] * has_archive():
            status, err = imported(d + "/" + path, name, d + "/stdin.trawl")
            said = "trawl-edit: %s: " % ("standard input" if name == "-" else name)
            same((0, True), (status, err.startswith(said)),
                 "import of %s by %s: %s" % (path, name, err.strip()))
            same(want, run("trawl-decode", "--json", d + "/stdin.trawl")[0], "the same events")
            os.unlink(d + "/stdin.trawl")
    with open(d + "/all.pcapng", "rb") as stdin:
        stdin.seek(28)  # import must begin at the current offset
        r = subprocess.run([BUILD + "/trawl-edit", "import", "-", "-w", d + "/stdin.trawl"],
                           stdin=stdin, capture_output=True, text=True)
    same((3, False), (r.returncode, os.path.exists(d + "/stdin.trawl")),
         "standard input is read from its current offset")
    status, err = imported("/dev/null", "-", d + "/stdin.trawl")
    ok(status == 3 and err.startswith("trawl-edit: standard input: is empty") and
       not os.path.exists(d + "/stdin.trawl"), "nothing on standard input", status, err)
    os.mkdir(d + "/stdin")
    status, err = imported(d + "/all.pcapng", "-", d + "/stdin")
    ok(status == 2 and "standard input has no name" in err and not os.listdir(d + "/stdin"),
       "standard input into a folder", status, err)


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
            ok("built without libarchive; unpack it first" in err, ending + ": what to do", err)
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
        open(d + "/empty.gz", "wb").write(gzip.compress(b""))
        ok("empty" in run("trawl-decode", d + "/empty.gz", status=3)[1], "nothing, compressed")
        test_zip(d, open(trawl(d), "rb").read(), want)


def test_zip(d, capture, want):
    """Reports in the forms in which they are sent, and files that resemble them."""
    def pack(*entries):
        with zipfile.ZipFile(d + "/x.zip", "w", zipfile.ZIP_DEFLATED) as z:
            for name, data, *mode in entries:
                info = zipfile.ZipInfo(name)
                info.create_system, info.external_attr = 3, (mode[0] << 16 if mode else 0o600 << 16)
                z.writestr(info, data, zipfile.ZIP_DEFLATED)

    for path in ("a.trawl", "../../a.trawl", d + "/new.trawl", "\x1b[31m\n.trawl",
                 "gr\u00f6\u00dfe/\u6355.trawl"):
        pack(("readme", "x"), ("\u00e9", "x"), (path, capture))
        same(want, run("trawl-decode", "--json", d + "/x.zip")[0], f"a zip file with {path!r}")
    ok(not os.path.exists(d + "/new.trawl"), "... nothing is unpacked into folders")
    for what, entries, why in (
            ("two captures", [("a.trawl", capture), ("x", "y"), ("b.trawl", capture)],
             "the zip file has several captures; unpack it first"),
            ("no capture", [("a", capture), ("b.trawl/", "")],
             "the zip file has no capture (*.trawl)"),
            ("a capture behind 1000 files", [*((str(i), "") for i in range(1000)),
                                             ("a.trawl", capture)],
             "the zip file has 1000 entries or more; unpack it first"),
            ("1000 files behind a capture", [("a.trawl", capture),
                                             *((str(i), "") for i in range(1000))],
             "the zip file has too many entries; unpack it first"),
            ("a symbolic link", [("a.trawl", d + "/all.trawl", stat.S_IFLNK | 0o777)], "is empty"),
            ("much of nothing", [("a.trawl", BEGIN + bytes(70 << 20))], "1000 times its size")):
        pack(*entries)
        out, err = run("trawl-decode", d + "/x.zip", status=3)
        ok(why in err and err.count("\n") == 1 and not out, f"a zip file with {what}", err)
    whole = open(d + "/x.zip", "rb").read()
    pack(("a.trawl", capture))
    flagged = bytearray(open(d + "/x.zip", "rb").read())
    flagged[6] |= 1
    flagged[flagged.rindex(b"PK\1\2") + 8] |= 1
    wrong = bytearray(whole)
    end = wrong.rindex(b"PK\5\6")
    wrong[end + 12:end + 16] = b"\xff" * 4  # the size of the directory
    for what, data in (("encrypted", flagged), ("cut", whole[:len(whole) // 2]),
                       ("without its directory", wrong)):
        open(d + "/x.zip", "wb").write(data)
        err = run("trawl-decode", d + "/x.zip", status=3)[1]
        ok("unpack it yourself" in err and "(null)" not in err and err.count("\n") == 1,
           f"a zip file that is {what}", err)


def trawl(d):
    run("trawl-edit", "import", d + "/all.pcapng", "-w", d + "/all.trawl")
    return d + "/all.trawl"


def test_several(d):
    n = len(run("trawl-decode", "--raw", d + "/all.pcap")[0].splitlines())
    run("trawl-edit", "import", d + "/all.pcap", d + "/usbpcap.pcap", "-w", d + "/both.trawl")
    m = len(run("trawl-decode", "--raw", d + "/usbpcap.pcap")[0].splitlines())
    same(n + m, len(run("trawl-decode", "--raw", d + "/both.trawl")[0].splitlines()),
         "two files in one: the events of both")
    ok("complete" in run("trawl-edit", "verify", d + "/both.trawl")[0], "the output is complete")
    os.mkdir(d + "/folder")
    run("trawl-edit", "import", d + "/all.pcap", d + "/usbpcap.pcap", "-w", d + "/folder")
    same(["all.trawl", "usbpcap.trawl"], sorted(os.listdir(d + "/folder")),
         "into a folder: one each")
    err = run("trawl-edit", "import", d + "/all.pcap", "-w", d + "/folder", status=2)[1]
    ok("exists already" in err, "existing files are not overwritten", err)
    os.mkdir(d + "/other")
    shutil.copy(d + "/all.pcap", d + "/other/usbpcap.pcapng")
    err = run("trawl-edit", "import", d + "/other/usbpcap.pcapng", d + "/usbpcap.pcap", "-w",
              d + "/other", status=2)[1]
    ok("usbpcap.pcapng and " in err and "would both become" in err and
       os.listdir(d + "/other") == ["usbpcap.pcapng"], "nor is one by the other", err)
    run("trawl-edit", "import", d + "/usbpcap.pcap", d + "/all.pcap", d + "/usbpcap.pcap", "-w",
        d + "/three.trawl")
    same({"usb", "usb220"}, {json.loads(line)["source"] for line in run(
        "trawl-decode", "--json", d + "/three.trawl")[0].splitlines()},
         "sources of other link types have other names")
    run("trawl-export", "--to", "pcap", "--no-descriptors", "--source", "usb220",
        d + "/three.trawl", "-w", d + "/three.pcap")
    same(open(d + "/all.pcap", "rb").read()[24:], open(d + "/three.pcap", "rb").read()[24:],
         "and come back by these")


def test_left_out(d):
    """Blocks that are no packets and comments are counted: nothing is left out without a word."""
    c = usbsynth.Capture()
    c.transfer(usbsynth.BULK, 0x81, answer=b"answer")
    r, block = c.records[0], usbsynth.block
    comment = struct.pack("<HH4sI", 1, 4, b"look", 0)
    packet = struct.pack("<IIIII", 0, 0, 0, len(r), len(r)) + r
    data = usbsynth.pcapng(c.records) + block("<", 0xbad, b"\0\0\xf3\xb8data") + \
        block("<", 6, packet + comment[:8] + comment) + block("<", 4, bytes(4)) + \
        block("<", 10, bytes(8)) + \
        block("<", 5, bytes(12) + comment) + block("<", 1, struct.pack("<HHI", 220, 0, 0) + comment)
    open(d + "/more.pcapng", "wb").write(data)
    err = run("trawl-edit", "import", d + "/more.pcapng", "-w", d + "/more.trawl")[1]
    ok("3 blocks without packets left out, the first of type 0x00000bad" in err and
       "4 comments left out" in err and "3 events" in err, "what is left out", err)
    open(d + "/more.pcapng", "wb").write(data + block("<", 5, bytes(8)))
    err = run("trawl-edit", "import", d + "/more.pcapng", "-w", d + "/more.trawl", status=1)[1]
    ok("statistics block before byte" in err and "is too short" in err, "a short one", err)
    run("trawl-edit", "import", d + "/all.pcapng", "-w", d + "/more.trawl")
    run("trawl-export", "--to", "pcapng", d + "/more.trawl", "-w", d + "/more.pcapng")
    err = run("trawl-edit", "import", d + "/more.pcapng", "-w", d + "/again.trawl")[1]
    ok("left out" not in err, "all that trawl-export writes is read", err)


def test_failed(d):
    open(d + "/bad", "wb").write(BEGIN + struct.pack("<IIII", 1, 1, 80, 80) + b"abcd")
    err = run("trawl-edit", "import", d + "/bad", "-w", d + "/none.trawl", status=1)[1]
    ok("is damaged after byte 44, before the first event; nothing was imported" in err and
       not glob.glob(d + "/none*"), "nothing is said to be imported if there is nothing", err)
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
    """A pcap file of these packets, 17 us apart."""
    out = struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, linktype)
    for i, p in enumerate(packets):
        out += struct.pack("<IIII", 1700000000 + i * 17 // 10**6, i * 17 % 10**6 * 1000, len(p),
                           len(p)) + p
    return out


def test_bus_fields(path):
    """CRCs and splits are what tshark says of them, and --where finds them."""
    items = [json.loads(line)["fields"]
             for line in run("trawl-decode", "--json", path)[0].splitlines()]
    if shutil.which("tshark"):
        names = ["crc5", "crc16", "split_crc5"]
        argv = [x for n in names for x in ("-e", "usbll.%s.status" % n)]
        argv += [x for n in ("hub_addr", "port", "sc", "et") for x in ("-e", "usbll.split_" + n)]
        rows = subprocess.run(["tshark", "-r", path, "-T", "fields", *argv], capture_output=True,
                              text=True).stdout.splitlines()
        xfers = ["control", "isochronous", "bulk", "interrupt"]
        same([[("".join(r.split("\t")[:3]) or None) and "1" in r.split("\t")[:3]] +
              r.split("\t")[3:6] + r.split("\t")[6:7] for r in rows],
             [[i.get("crc_valid"), str(i.get("hub", "")), str(i.get("hub_port", "")),
               {None: "", "start": "0", "complete": "1"}[i.get("split")],
               str(xfers.index(i["xfer"])) if "xfer" in i else ""] for i in items],
             "packets on the bus: CRCs and splits as in tshark")
    else:
        skip("packets on the bus in tshark", "tshark, the judge, is not installed")
    for where, n in (("crc_valid == 0", 2), ("hub == 12 and hub_port == 2", 3),
                     ("split == \"complete\" and xfer == \"bulk\"", 1), ("speed == \"low\"", 1),
                     ("split_data == \"begin\"", 1)):
        same(n, len(run("trawl-decode", "--where", where, path)[0].splitlines()),
             "packets on the bus: --where " + where)


def apple(kind, id, dev, ep, xfer, data=b"", length=0):
    return struct.pack("<HBBIIIQIBBBB", 0x100, 32, kind, length or len(data), 0, 0, id,
                       0x14000000, 2, dev, ep, xfer) + data


def test_bus(d):
    """Packets on the bus and of macOS: each is imported as it is, and exported as it was."""
    darwin = struct.pack("<HBBIIIQIBBBB", 0x100, 32, 1, 4, 0, 0, 0x77, 0x14000000, 2, 5, 0x81,
                         2) + b"data"
    for linktype, packets, want in (
            (288, [b"\x2d\x05\xd0", b"\xc3" + bytes(8) + b"\xbf\xf4", b"\xd2", b"\xa5\x10\xf0",
                   b"\x11", b"\x2d\x05\xd8", b"\xc3" + bytes(8) + b"\xbf\xf5",
                   b"\x78\x0c\x82\x3e", b"\x78\x0c\x82\x9a", b"\x78\x8c\x02\x04",
                   b"\xd2\x07", b"\x10" + bytes(range(17))],
             ["SETUP 5 ep0", "DATA0, 8 bytes: 0000000000000000", "ACK", "SOF frame 16",
              "bad PID, packet of 1 byte: 11",
              "SETUP 5 ep0, wrong CRC, packet of 3 bytes: 2d05d8",
              "DATA0, wrong CRC, 8 bytes: 0000000000000000, "
              "packet of 11 bytes: c30000000000000000bff5",
              "SPLIT start hub 12 port 2 interrupt low speed",
              "SPLIT start hub 12 port 2 isochronous full speed, begin of the data",
              "SPLIT complete hub 12 port 2 bulk full speed",
              "ACK, packet of 2 bytes: d207",
              "bad PID, packet of 18 bytes: 10000102030405060708090a0b0c0d0e..."]),
            (294, [b"\x69\x83\xe0"], ["IN 3 ep1"]),
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
        if linktype == 288:
            test_bus_fields(path)
            same(["11", "2d05d8", "c3" + "00" * 8 + "bff5", "d207", "10" + bytes(range(17)).hex()],
                 [f["packet"] for f in (json.loads(line)["fields"] for line in run(
                     "trawl-decode", "--json", path)[0].splitlines()) if "packet" in f],
                 "packets on the bus: all bytes of one that its fields do not explain")
            same(1, len(run("trawl-decode", "--where", "packet == 'd207'", path)[0].splitlines()),
                 "packets on the bus: --where finds them")
        ok(f", {os.path.getsize(path)} bytes: " in run("trawl-decode", "--summary", path)[0],
           "link type %d: the file's size, not that of what was made from it" % linktype)
        if linktype != 266:
            ok("no descriptors" in run("trawl-export", "--to", "umockdev", path, status=3)[1],
               "link type %d: there is no device for umockdev" % linktype)
        run("trawl-edit", "import", path, "-w", d + "/bus.trawl")
        run("trawl-export", "--to", "pcap", d + "/bus.trawl", "-w", d + "/back.pcap")
        same(body[24:], open(d + "/back.pcap", "rb").read()[24:],
             "link type %d: comes back" % linktype)
    bus_of_macos(d, darwin)


def bus_of_macos(d, darwin):
    """Halves of transfers are joined; fields that only macOS has are there."""
    path = d + "/bus.pcap"
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
    # Data to the device is in the completion. Numbers have their type, fields that only macOS has
    # are there, and --diff accepts the file.
    cbw = struct.pack("<IIIBBB16s", 0x43425355, 7, 36, 0x80, 0, 6, bytes([0x12, 0, 0, 0, 36]))
    sent = [apple(0, 0x30, 5, 2, 2, length=31), apple(1, 0x30, 5, 2, 2, cbw, 31),
            apple(0, 0x40, 5, 0x81, 2, length=36),
            apple(1, 0x40, 5, 0x81, 2), apple(7, 0x50, 5, 0x81, 2), b"short"]
    sent[3] = sent[3][:8] + struct.pack("<I", 0xe00002eb) + sent[3][12:]
    open(path, "wb").write(pcap(266, sent))
    out = run("trawl-decode", path)[0]
    for text in ("INQUIRY tag 0x7", "unlinked (ENOENT -2), kIOReturnAborted",
                 "packet that is not an event, 32 bytes",
                 "packet that is not an event, 5 bytes"):
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
    """Keystrokes in packets on the bus and of macOS are masked; data that only begins like them is
    not."""
    key, other = bytes([2, 0, 4, 0, 0, 0, 0, 0]), bytes([2, 7, 4, 0, 0, 0, 0, 0])

    def apple(dev, data):
        return struct.pack("<HBBIIIQIBBBB", 0x100, 32, 1, 8, 0, 0, 0x77, 0x14000000, 2, dev, 0x81,
                           3) + data

    def data(pid, body):
        return bytes([pid]) + body + struct.pack("<H", usbsynth.crc16_modbus(body) ^ 0xffff)
    bus = [b"\x69\x85\x00", data(0xc3, key), b"\xd2", b"\x69\x86\x00", data(0xc3, other),
           b"\x69\x86\x00", data(0x4b, key), b"\x2d\x05\x00", data(0xc3, bytes(8)),
           # Damage hides nothing of a keyboard: a wrong PID, and another form with a wrong CRC.
           b"\x69\x85\x00", b"\xc7" + key + b"\0\0", b"\x69\x85\x00", b"\xc3" + other + b"\0\0",
           b"\x69\x85\x00", data(0x4b, key)]
    for linktype, packets, shown, masked in (
            (288, bus, ["02070400", "02000400", "00000000"], 4),
            (266, [apple(5, key), apple(6, other), apple(6, key)],
             ["02 07 04 00", "02 00 04 00"], 1)):
        path = d + "/keys.pcap"
        open(path, "wb").write(pcap(linktype, packets))
        lines = [line for line in run("trawl-decode", path)[0].splitlines() if "8 bytes" in line]
        ok("(masked: form of its reports)" in lines[0] and "0200" not in lines[0] and
           all(s in line for s, line in zip(shown, lines[1:])),
           "link type %d: keystrokes" % linktype, lines)
        items = [json.loads(line)["fields"]
                 for line in run("trawl-decode", "--json", path)[0].splitlines()]
        same([masked, False], [sum("masked_by" in i for i in items),
                               any(i.get("masked") and ("data" in i or "packet" in i)
                                   for i in items)],
             "link type %d: in JSON" % linktype)
        same(masked, len(run("trawl-decode", "--where", "masked == 1", path)[0].splitlines()),
             "and --where")
        clear = run("trawl-decode", "--show-keys", path)[0].splitlines()[linktype == 288]
        ok((key.hex(" ") if linktype == 266 else key.hex()) in clear, "and when asked for")


def write_interfaces(path, names, packets):
    """A pcapng file; packets: (interface, record)."""
    out = usbsynth.block("<", 0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
    for name in names:
        name = name.encode()
        out += usbsynth.block("<", 1, struct.pack("<HHIHH", 220, 0, 0, 2, len(name)) + name +
                              bytes(-len(name) % 4) + bytes(4))
    for which, r in packets:
        us = usbsynth.stamp(r)
        out += usbsynth.block("<", 6, struct.pack("<IIIII", which, us >> 32, us & 0xffffffff,
                                                  len(r), len(r)) + r)
    open(path, "wb").write(out)


def test_doubled(d):
    """usbmon0 and usbmon1 recorded the same bus: each is a source with complete transfers."""
    c = usbsynth.Capture()
    for i in range(8):
        c.transfer(usbsynth.BULK, 0x81, answer=b"answer %d" % i, bus=1)
    path = d + "/doubled.pcapng"
    write_interfaces(path, ["usbmon1", "usbmon0"], [
        (which, usbsynth.at(r, 2 * which)) for r in c.records for which in (0, 1)])
    err = run("trawl-edit", "import", path, "-w", d + "/doubled.trawl")[1]
    ok("32 events; interfaces recorded the same bus: each is a source" in err, "it says so", err)
    lines = run("trawl-decode", d + "/doubled.trawl")[0].splitlines()
    ok(len(lines) == 16 and all("data, 8 bytes, 100 us" in l for l in lines) and
       sum(" usbmon1 " in l for l in lines) == 8, "each transfer once for each interface",
       lines[:3])
    for name in ("usbmon0", "usbmon1"):
        back = d + "/back.pcap"
        run("trawl-export", "--to", "pcap", "--source", "usb@" + name, d + "/doubled.trawl", "-w",
            back)
        same(usbsynth.pcap([usbsynth.at(r, 2 * (name == "usbmon0")) for r in c.records])[24:],
             open(back, "rb").read()[24:], "all of " + name + " comes back")
    ok("of usbmon1:" in run("trawl-decode", "--summary", d + "/doubled.trawl")[0], "in the summary")
    # Two buses have no duplicates: they are one source, in the order of the file.
    write_interfaces(path, ["usbmon1", "usbmon2"], [(0, c.records[0]), (1, c.records[1][:12] +
                     b"\2\0" + c.records[1][14:])])
    lines = run("trawl-decode", "--json", path)[0].splitlines()
    same(["usb", "usb"], [json.loads(l)["source"] for l in lines], "two buses are one source")


def test_many_interfaces(d):
    """More interfaces of the same bus than the table of sources once had, and another link type."""
    c = usbsynth.Capture()
    c.transfer(usbsynth.BULK, 0x81, answer=b"answer", bus=1)
    path = d + "/many.pcapng"
    for n, left_out in ((40, 0), (200, 16)):
        write_interfaces(path, ["usbmon%d" % i for i in range(n)],
                         [(i, usbsynth.at(r, 2 * i)) for r in c.records for i in range(n)])
        with open(path, "ab") as f:
            f.write(usbsynth.block("<", 1, struct.pack("<HHI", 249, 0, 0)))
            p = usbsynth.usbpcap(0x8a0, 0, 0x81, 1, b"")
            f.write(usbsynth.block("<", 6, struct.pack("<IIIII", n, 0, 0, len(p), len(p)) + p +
                                   bytes(-len(p) % 4)))
        err = run("trawl-edit", "import", path, "-w", d + "/many.trawl", status=left_out != 0)[1]
        if left_out:  # each source is a machine of its own: 350 MB
            refused = run("trawl-decode", "--json", "--raw", d + "/many.trawl", status=3)[1]
            ok("would take more than the 256 MiB" in refused, "beyond the limit", refused)
        events = [json.loads(l) for l in
                  run("trawl-decode", "--json", "--raw", *["--memory", "512M"] * bool(left_out),
                      d + "/many.trawl")[0].splitlines()]
        kept = n - left_out // 2
        same({**{"usb@usbmon%d" % i: 2 for i in range(kept)}, "usb249": 1},
             {s: sum(e["source"] == s for e in events) for s in {e["source"] for e in events}},
             "%d interfaces: a source each" % n)
        ok(not left_out or "%d events left out; the first: interface %d is one of more than 192"
           % (left_out, kept) in err, "what is left out is said", err)


def test_old_blocks(d):
    """Old and simple packet blocks, a short interface block, drops in two kinds of blocks."""
    c = usbsynth.Capture()
    c.transfer(usbsynth.BULK, 0x81, answer=b"answer")
    records, block = c.records, usbsynth.block
    head = block("<", 0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
    one = block("<", 1, struct.pack("<HHI", 220, 0, 0))

    def write(*blocks):
        with open(d + "/old.pcapng", "wb") as f:
            f.write(b"".join(blocks))
        return d + "/old.pcapng"

    def old(r, interface=0, drops=0):
        return block("<", 2, struct.pack("<HHIIII", interface, drops, 0, 0, len(r), len(r)) + r +
                     bytes(-len(r) % 4))

    def lost(path):
        run("trawl-edit", "import", path, "-w", d + "/old.trawl")
        return [line.strip() for line in
                run("trawl-decode", "--summary", d + "/old.trawl")[0].splitlines()
                if "(dropped)" in line]

    def events(path, status=0):
        return [json.loads(line)["fields"] for line in
                run("trawl-decode", "--raw", "--json", path, status=status)[0].splitlines()]

    ok(lost(write(head, one, old(records[0], drops=3), old(records[1], drops=2)))[0].startswith(
        "usb: 5 (dropped)"), "drops in old packet blocks")
    ok(lost(write(head, one, old(records[0], drops=0xffff)))[0].startswith(
        "usb: an unknown number (dropped)"), "an old packet block that does not know how many")
    dropped = block("<", 6, struct.pack("<IIIII", 0, 0, 0, len(records[0]), len(records[0])) +
                    records[0] + struct.pack("<HHQI", 4, 8, 4, 0))
    total = block("<", 5, struct.pack("<IIIHHQI", 0, 0, 0, 5, 8, 7, 0))
    ok(lost(write(head, one, dropped, total))[0].startswith("usb: 7 (dropped)"),
       "the statistics count drops that packets tell of again")
    same([2], [len(events(write(head, block("<", 1, b""), one, old(records[0], 1),
                                old(records[1], 1)), 1))],
         "an interface block that is too short has a number")
    err = run("trawl-edit", "import", write(head, block("<", 1, b""), one, old(records[0], 0)),
              "-w", d + "/none.trawl", status=1)[1]
    ok("interface block before byte 40 is too short" in err, "and is reported", err)
    cut = len(records[1]) - 3  # by the interface's snaplen; the padding is no data
    limited = block("<", 1, struct.pack("<HHI", 220, 0, cut))
    simple = struct.pack("<I", len(records[1])) + records[1][:cut] + b"\xee" * (-cut % 4)
    same([b"ans".hex()], [e["data"] for e in events(write(head, limited, block("<", 3, simple)))],
         "the padding of a simple packet is not its data")


def test_lost(d):
    """An interface's statistics count from its beginning, so the last ones say what was lost."""
    c = usbsynth.Capture()
    c.transfer(usbsynth.BULK, 0x81, answer=b"answer")
    path = d + "/lost.pcapng"
    write_interfaces(path, ["usbmon1", "usbmon2"], [(0, r) for r in c.records])
    with open(path, "ab") as f:
        for which, drops in ((0, 3), (1, 2), (0, 5), (0, 5), (9, 7)):
            f.write(usbsynth.block("<", 5, struct.pack("<IIIHHQI", which, 0, 0, 5, 8, drops, 0)))
    run("trawl-edit", "import", path, "-w", d + "/lost.trawl")
    summary = run("trawl-decode", "--summary", d + "/lost.trawl")[0]
    ok("  usb: 7 (dropped) between " in summary, "packets that were lost, once", summary)


def test_cut_packet(d):
    """The rest of a packet that was cut is all data, because its CRC is missing."""
    whole = b"\xc3" + bytes(range(1, 9)) + b"\xf4\xbf"
    out = struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 288)
    for n in (11, 10, 9, 5):
        out += struct.pack("<IIII", 1700000000, 0, n, len(whole)) + whole[:n]
    open(d + "/cut.pcap", "wb").write(out)
    lines = run("trawl-decode", "--json", d + "/cut.pcap")[0].splitlines()
    same([whole[1:9].hex()] * 3 + [whole[1:5].hex()],
         [json.loads(l)["fields"]["data"] for l in lines], "data of packets that were cut")


def test_length(d):
    """The lengths of packets come back as they were, also where libpcap computes others."""
    c = usbsynth.Capture()
    c.transfer(usbsynth.BULK, 0x81, answer=b"whole")
    cut = bytearray(c.records[1])
    cut[32:36] = struct.pack("<I", 122880)  # the kernel's ring took 5 bytes of these
    for name, said in ("old", len(cut)), ("new", 64 + 122880), ("strange", 1000):
        out = usbsynth.pcap([])[:24]
        for i, r in enumerate([c.records[0], bytes(cut), c.records[1]]):
            r = usbsynth.at(r, i * 200)
            out += struct.pack("<IIII", *divmod(usbsynth.stamp(r), 10**6), len(r),
                               said if i == 1 else len(r)) + r
        path = d + "/" + name + ".pcap"
        open(path, "wb").write(out)
        run("trawl-edit", "import", path, "-w", d + "/length.trawl")
        run("trawl-export", "--to", "pcap", d + "/length.trawl", "-w", d + "/length.pcap")
        same(out, open(d + "/length.pcap", "rb").read(), "packet lengths, " + name)
        run("trawl-edit", "cut", d + "/length.trawl", "-w", d + "/cut.trawl", "--source", "usb")
        run("trawl-export", "--to", "pcap", d + "/cut.trawl", "-w", d + "/length.pcap")
        same(out[24:], open(d + "/length.pcap", "rb").read()[24:], "after cut, too")
        os.unlink(d + "/cut.trawl")


def test_snaplen(d):
    """Packets that tcpdump -s cut come back as they were, with the len_cap that the kernel gave;
    one whose length says that nothing was cut is damaged."""
    c = usbsynth.Capture()
    c.transfer(usbsynth.BULK, 0x81, answer=b"a whole answer")
    c.transfer(usbsynth.BULK, 2, out=b"and a question")
    for header, linktype in (64, 220), (48, 189):
        out = usbsynth.pcap([])[:20] + struct.pack("<I", linktype)
        lying = out
        for i, r in enumerate(c.records):
            r = usbsynth.at(r, i * 200)
            length = header + len(r) - 64
            head = struct.pack("<II", *divmod(usbsynth.stamp(r), 10**6))
            taken = (r[:header] + r[64:])[:header + 5]
            out += head + struct.pack("<II", len(taken), length) + taken
            lying += head + struct.pack("<II", len(taken), len(taken)) + taken
        open(d + "/cut.pcap", "wb").write(out)
        open(d + "/lying.pcap", "wb").write(lying)
        run("trawl-edit", "import", d + "/cut.pcap", "-w", d + "/snaplen.trawl")
        run("trawl-export", "--to", "pcap", "--linktype", str(linktype), d + "/snaplen.trawl",
            "-w", d + "/snaplen.pcap")
        same(out, open(d + "/snaplen.pcap", "rb").read(), f"cut packets of link type {linktype}")
        lines = run("trawl-decode", d + "/snaplen.trawl")[0]
        same((2, 0), (lines.count("9 bytes not captured"), lines.count("damaged")),
             f"link type {linktype}: what is missing is told, and no damage")
        same(2, run("trawl-decode", d + "/lying.pcap")[0].count("damaged"),
             f"link type {linktype}: a header that is wrong is damage")
        os.unlink(d + "/snaplen.trawl")


def test_cut_descriptors(d):
    """Descriptors of isochronous packets that tcpdump -s cut off are missing, which is no damage;
    half a descriptor is no data."""
    c = usbsynth.Capture()
    usbsynth.audio(c)
    r = c.records[3]  # a completion with three descriptors and data
    out = usbsynth.pcap([]) + struct.pack("<IIII", *divmod(usbsynth.stamp(r), 10**6), 64 + 24,
                                          len(r)) + r[:64 + 24]
    open(d + "/iso.pcap", "wb").write(out)
    line, fields = run("trawl-decode", "--raw", d + "/iso.pcap")[0], json.loads(
        run("trawl-decode", "--raw", "--json", d + "/iso.pcap")[0])["fields"]
    ok("data" not in fields and "data_length" not in fields, "no data in JSON", fields)
    same((2, len(r) - 64 - 48, False),
         (fields["descriptors_not_captured"], fields["not_captured"], "damage" in fields),
         "what was cut off")
    ok("  00 00" not in line and "damaged record" not in line, "nor in the line", line)
    line = run("trawl-decode", d + "/iso.pcap")[0]
    ok("3 packets, 2 descriptors not captured" in line, "descriptors are missing", line)
    run("trawl-edit", "import", d + "/iso.pcap", "-w", d + "/iso.trawl")
    run("trawl-export", "--to", "pcap", d + "/iso.trawl", "-w", d + "/iso-back.pcap")
    same(out, open(d + "/iso-back.pcap", "rb").read(), "the packet comes back")
    lying = bytearray(out)
    lying[24 + 16 + 60:24 + 16 + 64] = struct.pack("<I", 2000)  # more than the kernel captured
    open(d + "/lying.pcap", "wb").write(lying)
    ok("damaged record" in run("trawl-decode", "--raw", d + "/lying.pcap")[0],
       "a number of descriptors that is wrong is damage")


def test_cross(d):
    """A completion with an earlier time than its submission has no latency; a note says so."""
    c = usbsynth.Capture()
    for i in range(3):
        c.transfer(usbsynth.BULK, 0x81, answer=b"answer %d" % i)
    moved = [usbsynth.at(r, -900 if i == 3 else 0) for i, r in enumerate(c.records)]
    open(d + "/cross.pcap", "wb").write(usbsynth.pcap(moved))
    got = [json.loads(l)["fields"] for l in
           run("trawl-decode", "--json", d + "/cross.pcap")[0].splitlines()]
    same([(100000, None), (None, True), (100000, None)],
         [(f.get("latency_ns"), f.get("times_cross")) for f in sorted(got, key=lambda f: f["data"])],
         "crossing times give no latency, and are marked")
    same(1, len(run("trawl-decode", "--where", "times_cross == true", d + "/cross.pcap")[0]
                .splitlines()), "which --where finds")
    same(1, run("trawl-decode", d + "/cross.pcap")[0].count(
        ", times of submission and completion cross"), "and the line says so")


def test_two_readers(d):
    """Two readers (usbmon0, usbmon1) recorded a bus: events are shown once, exported twice."""
    c = usbsynth.Capture()
    usbsynth.keyboard(c)
    for i in range(5):
        c.transfer(usbsynth.BULK, 0x81, answer=b"answer", latency=60)
    both = []
    for i, r in enumerate(c.records):  # the second reader's record follows the first's next one
        both += [(i * 2, r), (i * 2 + 3, usbsynth.at(r, 2))]
    both = [r for _, r in sorted(both, key=lambda e: e[0])]
    open(d + "/one.pcap", "wb").write(usbsynth.pcap(c.records))
    open(d + "/both.pcap", "wb").write(usbsynth.pcap(both))
    run("trawl-edit", "import", d + "/both.pcap", "-w", d + "/both.trawl")

    def transfers(path):
        lines = run("trawl-decode", "--json", path)[0].splitlines()
        fields = [json.loads(l)["fields"] for l in lines]
        return [{k: v for k, v in f.items() if k not in ("two_readers", "latency_ns")}
                for f in fields], sum(f.get("two_readers", False) for f in fields)
    one, _ = transfers(d + "/one.pcap")
    got, marked = transfers(d + "/both.trawl")
    same(one, got, "transfers of two readers are those of one")
    same(len(one) - 1, marked, "and marked, from the first second record on")
    raw = [json.loads(l)["fields"] for l in
           run("trawl-decode", "--raw", "--json", d + "/both.trawl")[0].splitlines()]
    same([len(both), len(both) // 2, {2000}],
         [len(raw), sum("duplicate" in f for f in raw),
          {f["apart_ns"] for f in raw if "duplicate" in f}], "each event is there, half of them marked")
    same([], [f for f in raw if f["dev"] == 6 and f["type"] == "C" and f["xfer"] == "interrupt" and
              "masked" not in f], "keystrokes are masked in both")
    found = run("trawl-decode", "--raw", "--where", "duplicate == true && apart_ns > 0",
                d + "/both.trawl")[0].splitlines()
    same(len(both) // 2, len(found), "--where finds them")
    same(True, all("(duplicate, 2 us after the first record)" in l for l in found), "lines say so")
    same(True, "by two readers of usbmon: %d, times differ by up to 2 us" % (len(both) // 2) in
         run("trawl-decode", "--summary", d + "/both.trawl")[0], "--summary counts them")
    run("trawl-export", "--to", "pcap", "--no-descriptors", d + "/both.trawl", "-w", d + "/back.pcap")
    same(usbsynth.pcap(both)[24:], open(d + "/back.pcap", "rb").read()[24:], "and they come back")


def test_back(d):
    """Times of a capture that go back are shown unchanged, and --from and --to use them so."""
    c = usbsynth.Capture()
    for i in range(6):
        c.transfer(usbsynth.BULK, 0x81, answer=b"answer %d" % i)
    moved = [usbsynth.at(r, -900 if 4 <= i < 8 else 0) for i, r in enumerate(c.records)]
    open(d + "/back.pcap", "wb").write(usbsynth.pcap(moved))
    run("trawl-edit", "import", d + "/back.pcap", "-w", d + "/back.trawl")
    want = [usbsynth.stamp(r) * 1000 for r in moved]
    got = [json.loads(l) for l in
           run("trawl-decode", "--raw", "--json", d + "/back.trawl")[0].splitlines()]
    same(want, [e["ts_ns"] for e in got], "times that go back")
    read = subprocess.run([sys.executable, SRC + "/tests/reader.py", d + "/back.trawl"],
                          capture_output=True, text=True).stdout.splitlines()
    same(want, [json.loads(l)["event"]["time"] for l in read if l.startswith('{"event"')],
         "tests/reader.py has them, too")
    got = [json.loads(l)["fields"] for l in
           run("trawl-decode", "--json", d + "/back.trawl")[0].splitlines()]
    same([100000] * 6, [f["latency_ns"] for f in got], "and the latencies between them")
    limit = "%d.%06d" % divmod(min(want) // 1000 + 105, 1000000)
    lines = run("trawl-decode", "--raw", "--to", limit, d + "/back.trawl")[0].splitlines()
    same(sum(t < (min(want) // 1000 + 105) * 1000 for t in want), len(lines), "--to")


def test_nothing(d):
    """A file without USB cannot be imported; the message for a small damaged file says so."""
    open(d + "/net.pcap", "wb").write(pcap(1, [bytes(60)] * 3))
    err = run("trawl-edit", "import", d + "/net.pcap", "-w", d + "/net.trawl", status=3)[1]
    ok("has no USB, but 3 packets of link type 1" in err and not os.path.exists(d + "/net.trawl"),
       "no USB", err)
    open(d + "/bsd.pcap", "wb").write(pcap(186, [bytes(20)] * 3))
    err = run("trawl-edit", "import", d + "/bsd.pcap", "-w", d + "/bsd.trawl", status=3)[1]
    ok("has no USB that can be read, but 3 packets of link type 186: FreeBSD" in err and
       "record on Linux" in err and not os.path.exists(d + "/bsd.trawl"),
       "USB of FreeBSD: what to do", err)
    open(d + "/bsd.pcap", "ab").write(bytes(8))
    cut = run("trawl-edit", "import", d + "/bsd.pcap", "-w", d + "/bsd.trawl", status=3)[1]
    same((err, False), (cut, os.path.exists(d + "/bsd.trawl")),
         "a file without USB that is cut, too, is refused for what it holds")
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
    """Small captures are no larger than the original after zstd -3; --level has an effect."""
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
    # To a pipe no small section is written, whose compression would hide the difference.
    sizes = [
        len(subprocess.run([BUILD + "/trawl-edit", "import", *args, d + "/large.pcap", "-w", "-"],
                                capture_output=True).stdout)
                                for args in (["--level", "1"], ["--level=19"], [])]
    ok(sizes[0] > sizes[1] and abs(sizes[1] - sizes[2]) < 64, "--level 1, 19, none", sizes)
    for args, said in ((["--level", "20"],
                        "--level: '20' is not a level; give 1 (fast) to 19 (small)"),
                       (["--level", "x"], "--level: 'x' is not a level; give"),
                       (["--level"], "needs an argument"),
                       (["--level", "1", "--level", "2"], "given twice"), (["--lever"], "--lever")):
        err = run("trawl-edit", "import", path, "-w", d + "/no.trawl", *args, status=2)[1]
        ok(said in err and err.count("\n") == 1, " ".join(args) + " is refused", err)

    run("trawl-edit", "import", d + "/large.pcap", "-w", d + "/large.trawl")
    for verb in (["cut", "--where", "data_length == 1000", "--every", "2"], ["compact"]):
        sizes = []
        for level in (["--level", "1"], ["--level", "19"], []):
            sizes.append(len(subprocess.run([BUILD + "/trawl-edit", verb[0], d + "/large.trawl",
                                             *verb[1:], *level, "-w", "-"], check=True,
                                            capture_output=True).stdout))
        ok(sizes[0] > sizes[1] >= sizes[2] - 64, verb[0] + ": --level 1, 19, none", sizes)
    for verb in (["cut"], ["compact"], ["repair"], ["redact"], ["merge", d + "/small.trawl"]):
        err = run("trawl-edit", verb[0], d + "/large.trawl", *verb[1:], "--level", "20", "-w",
                  d + "/level.trawl", status=2)[1]
        ok("'20' is not a level" in err, verb[0] + ": --level 20 is refused", err)


def test_target():
    """The make target passes the folder to its script, and nothing else."""
    out = subprocess.run(["make", "-C", BUILD, "-n", "-o", "all", "captures-check",
                          "CAPTURES=/some/where"],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    ok("check.py '/some/where'\n" in out, "make captures-check", out)


def main():
    d = tempfile.mkdtemp(prefix="trawl-import-")
    try:
        usbsynth.main(d)
        test_target()
        for test in (test_compressed, test_endless, test_nothing_of_ours, test_standard_input,
                     test_several, test_left_out, test_failed, test_bus, test_bus_keys,
                     test_doubled, test_many_interfaces, test_lost, test_cut_packet,
                     test_old_blocks, test_length, test_snaplen, test_cut_descriptors,
                     test_cross, test_two_readers,
                     test_back, test_nothing, test_size):
            if test in (test_compressed, test_size) and not shutil.which("zstd"):
                skip(test.__name__, "zstd is not installed")
            else:
                test(d)
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
