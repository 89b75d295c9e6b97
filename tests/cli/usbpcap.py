# SPDX-License-Identifier: MIT
"""Captures of USBPcap: every stage, version and status of a control transfer, endpoints with
reused IRPs, requests without data; their export back to link type 249; and what tshark says of
isochronous transfers and statuses."""
import csv
import itertools
import json
import os
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
from usbsynth import (KEYBOARD_REPORT, TABLET_REPORT, config, device, endpoint,  # noqa: E402
                      interface, usbpcap, usbpcap_file, usbpcap_isos, usbpcap_statuses)

SETUP, DATA, STATUS, COMPLETE = range(4)
STALL = 0xc0000004
GET = bytes([0x80, 6, 0, 1, 0, 0, 18, 0])
LINE_CODING = bytes([0x21, 0x20, 0, 0, 0, 0, 7, 0])
SET_CONFIGURATION = bytes([0x00, 9, 1, 0, 0, 0, 0, 0])
SET_INTERFACE = bytes([0x01, 11, 1, 0, 2, 0, 0, 0])
CODING = b"\x00\xc2\x01\x00\x00\x00\x08"
BYTES = bytes(range(18))


def run(*args, status=0):
    r = subprocess.run([BUILD + "/" + args[0]] + list(args[1:]), capture_output=True,
                       stdin=subprocess.DEVNULL)
    if r.returncode != status:
        ok(False, "%s ends with %d" % (" ".join(args), status), r.returncode, r.stderr)
    return r.stdout


def save(d, packets, **kw):
    path = d + "/c.pcap"
    open(path, "wb").write(usbpcap_file(packets, **kw))
    return path


def objects(path, *args):
    return [json.loads(line) for line in run("trawl-decode", "--json", *args, path).splitlines()]


def comes_back(d, packets, name):
    """The packets, as a file of link type 249, are those that were imported."""
    path = save(d, packets)
    run("trawl-edit", "import", path, "-w", d + "/c.trawl")
    run("trawl-export", "--to", "pcap", d + "/c.trawl", "-w", d + "/back.pcap")
    same(open(path, "rb").read(), open(d + "/back.pcap", "rb").read(), name)
    os.unlink(d + "/c.trawl")


def fields(path, *args):
    return [i["fields"] for i in objects(path, *args)]


# Rows: name, packets, transfers; each transfer has direction, status, request, data, and whether
# both of its records are there.
STAGES = [
    ("two packets, in",
     [usbpcap(1, 0, 0x80, 2, GET, SETUP), usbpcap(1, 1, 0x80, 2, BYTES, COMPLETE)],
     [("in", 0, 6, BYTES, True)]),
    ("two packets, in, stalled", [usbpcap(1, 0, 0x80, 2, GET, SETUP),
                                  usbpcap(1, 1, 0x80, 2, b"", COMPLETE, status=STALL)],
     [("in", -32, 6, b"", True)]),
    ("two packets, out", [usbpcap(1, 0, 0, 2, LINE_CODING + CODING, SETUP),
                          usbpcap(1, 1, 0, 2, b"", COMPLETE)],
     [("out", 0, 0x20, CODING, True)]),
    ("two packets, out, stalled", [usbpcap(1, 0, 0, 2, LINE_CODING + CODING, SETUP),
                                   usbpcap(1, 1, 0, 2, b"", COMPLETE, status=STALL)],
     [("out", -32, 0x20, CODING, True)]),
    ("three packets, in", [usbpcap(1, 0, 0x80, 2, GET, SETUP), usbpcap(1, 1, 0x80, 2, BYTES, DATA),
                           usbpcap(1, 1, 0x80, 2, b"", STATUS)],
     [("in", 0, 6, BYTES, True)]),
    ("three packets, in, the later ones as if out",
     [usbpcap(1, 0, 0x00, 2, GET, SETUP), usbpcap(1, 1, 0x00, 2, BYTES, DATA),
      usbpcap(1, 1, 0x00, 2, b"", STATUS)],
     [("in", 0, 6, BYTES, True)]),
    ("three packets, in, an error in the status",
     [usbpcap(1, 0, 0x80, 2, GET, SETUP), usbpcap(1, 1, 0x80, 2, BYTES, DATA),
      usbpcap(1, 1, 0x80, 2, b"", STATUS, status=STALL)],
     [("in", 0, 6, BYTES, True), ("in", -32, None, b"", False)]),
    ("three packets, in, no data", [usbpcap(1, 0, 0x80, 2, GET, SETUP),
                                    usbpcap(1, 1, 0x80, 2, b"", STATUS, status=STALL)],
     [("in", -32, 6, b"", True)]),
    ("three packets, out, data going down",
     [usbpcap(1, 0, 0, 2, LINE_CODING, SETUP), usbpcap(1, 0, 0, 2, CODING, DATA),
      usbpcap(1, 1, 0, 2, b"", STATUS)],
     [("out", 0, 0x20, CODING, True)]),
    ("three packets, out, data as if it came up",
     [usbpcap(1, 0, 0, 2, LINE_CODING, SETUP), usbpcap(1, 1, 0, 2, CODING, DATA),
      usbpcap(1, 1, 0, 2, b"", STATUS)],
     [("out", 0, 0x20, CODING, True)]),
    ("three packets, out, stalled",
     [usbpcap(1, 0, 0, 2, LINE_CODING, SETUP), usbpcap(1, 1, 0, 2, CODING, DATA, status=STALL),
      usbpcap(1, 1, 0, 2, b"", STATUS, status=STALL)],
     [("out", -32, 0x20, CODING, True)]),
    ("three packets, out, the data is missing",
     [usbpcap(1, 0, 0, 2, LINE_CODING, SETUP), usbpcap(1, 1, 0, 2, b"", STATUS)],
     [("out", 0, 0x20, b"", True)]),
    ("three packets, out, only the setup packet", [usbpcap(1, 0, 0, 2, LINE_CODING, SETUP)],
     [("out", None, 0x20, b"", False)]),
    ("three packets, out, the setup packet twice",
     [usbpcap(1, 0, 0, 2, LINE_CODING, SETUP), usbpcap(1, 0, 0, 2, LINE_CODING, SETUP),
      usbpcap(1, 1, 0, 2, CODING, DATA), usbpcap(1, 1, 0, 2, b"", STATUS)],
     [("out", None, 0x20, b"", False), ("out", 0, 0x20, CODING, True)]),
    ("no data", [usbpcap(1, 0, 0, 2, SET_CONFIGURATION, SETUP), usbpcap(1, 1, 0, 2, b"", COMPLETE)],
     [("out", 0, 9, b"", True)]),
    ("SET_CONFIGURATION with the endpoint of the other direction",
     [usbpcap(1, 0, 0x80, 2, SET_CONFIGURATION, SETUP), usbpcap(1, 1, 0x80, 2, b"", STATUS)],
     [("out", 0, 9, b"", True)]),
    ("SET_INTERFACE, the completion with the endpoint of the other direction",
     [usbpcap(1, 0, 0, 2, SET_INTERFACE, SETUP), usbpcap(1, 1, 0x80, 2, b"", COMPLETE)],
     [("out", 0, 11, b"", True)]),
    ("without a stage", [usbpcap(1, 0, 0x80, 2, GET), usbpcap(1, 1, 0x80, 2, BYTES)],
     [("in", 0, 6, BYTES, True)]),
    ("only the end, in", [usbpcap(1, 1, 0x80, 2, BYTES, COMPLETE)],
     [("in", 0, None, BYTES, False)]),
    ("only the end, out", [usbpcap(1, 1, 0, 2, b"", COMPLETE)], [("out", 0, None, b"", False)]),
    ("only data and status, in",
     [usbpcap(1, 1, 0x80, 2, BYTES, DATA), usbpcap(1, 1, 0x80, 2, b"", STATUS)],
     [("in", 0, None, BYTES, False)]),
    ("only data and status, out",
     [usbpcap(1, 1, 0, 2, CODING, DATA), usbpcap(1, 1, 0, 2, b"", STATUS)],
     [("out", 0, None, CODING, False)]),
]
# The packets in STAGES that are the submission and the completion of the last transfer; None: its
# time was not recorded. Packets are 100 us apart.
ENDS = {"two packets, in": (0, 1), "two packets, out": (0, 1), "three packets, in": (0, 1),
        "three packets, in, the later ones as if out": (0, 1),
        "three packets, in, an error in the status": (None, 2),
        "three packets, in, no data": (0, 1),
        "three packets, out, data going down": (0, 2),
        "three packets, out, data as if it came up": (0, 2),
        "three packets, out, stalled": (0, 2), "three packets, out, the data is missing": (0, 1),
        "three packets, out, only the setup packet": (0, None),
        "three packets, out, the setup packet twice": (1, 3), "no data": (0, 1),
        "without a stage": (0, 1), "only the end, in": (None, 0), "only the end, out": (None, 0),
        "only data and status, in": (None, 0), "only data and status, out": (None, 1)}


def row(f):
    both = "submit_ns" in f and "status" in f
    return (f["dir"], f.get("status"), f.get("setup", {}).get("bRequest"),
            bytes.fromhex(f.get("data", "")), both)


def ends_at(items, begin, end, name):
    """The last item is a transfer of the packets `begin` and `end`."""
    us = [None if at is None else (1700000000 * 10 ** 6 + at * 100) * 1000 for at in (begin, end)]
    last = max(items, key=lambda i: i["ts_ns"])
    f = last["fields"]
    same((us[0], last["ts_ns"] if end is None else us[1],
          None if None in us else us[1] - us[0]),
         (f.get("submit_ns"), last["ts_ns"], f.get("latency_ns")), name)


def test_stages(d):
    for name, packets, want in STAGES:
        got = [row(f) for f in fields(save(d, packets))]
        same(sorted(want, key=str), sorted(got, key=str), "control: " + name)
        if name in ENDS:
            ends_at(objects(d + "/c.pcap"), *ENDS[name], "control: " + name + ": its times")
        comes_back(d, packets, "comes back: " + name)


# The packets that each version of USBPcap writes for a control transfer, by USBPcap's own history:
# 1.3.0.0 mended the info of the data stage, 1.4.1.0 the endpoint, 1.5.0.0 has two packets. For an
# IN and an OUT transfer: stage and info of each packet, and whether it has the setup packet, the
# data, the status.
S, D, U = 1, 2, 4
VERSIONS = [
    ("1.0.0.0 to 1.2.0.4 (2013 to August 2018)", [(SETUP, 0, S), (DATA, 1, D | U), (STATUS, 1, U)],
     [(SETUP, 0, S), (DATA, 1, D | U), (STATUS, 1, U)], 0x00),
    ("1.3.0.0 and 1.4.0.0 (April and May 2019)", [(SETUP, 0, S), (DATA, 1, D | U), (STATUS, 1, U)],
     [(SETUP, 0, S), (DATA, 0, D), (STATUS, 1, U)], 0x00),
    ("1.4.1.0 (June 2019)", [(SETUP, 0, S), (DATA, 1, D | U), (STATUS, 1, U)],
     [(SETUP, 0, S), (DATA, 0, D), (STATUS, 1, U)], 0x80),
    ("1.5.0.0 to 1.5.4.0 (since June 2019)", [(SETUP, 0, S), (COMPLETE, 1, D | U)],
     [(SETUP, 0, S | D), (COMPLETE, 1, U)], 0x80),
]
# USBD_STATUS, errno, and whether a read moved data with it.
STATUSES = [(0, 0, True), (0xc0000001, -84, False), (0xc0000004, -32, False),
            (0xc0000005, -62, False),
            (0xc0000009, -121, True), (0xc0000008, -75, False), (0xc0010000, -2, False)]


def back(path, d):
    """The packets as they come back, behind the file's header, are those of the file."""
    run("trawl-edit", "import", path, "-w", d + "/c.trawl")
    run("trawl-export", "--to", "pcap", d + "/c.trawl", "-w", d + "/back.pcap")
    return open(path, "rb").read()[24:] == open(d + "/back.pcap", "rb").read()[24:]


def test_versions(d):
    """Each stage and status of each version, in both directions, with data and without; each has
    its own device."""
    for name, read, write, mark in VERSIONS:
        packets, cases = [], {}
        for into, moves, (status, errno, partly) in itertools.product(
                (True, False), (True, False), STATUSES):
            setup = ((GET if into else LINE_CODING) if moves else
                     (GET[:6] + b"\0\0" if into else SET_CONFIGURATION))
            data = (BYTES if into else CODING) if moves and (partly or not into) else b""
            dev = len(cases) + 1
            cases[dev] = ("%s, %s, %s, %#x" % (name, "in" if into else "out", "data" if moves
                                               else "no data", status),
                          into, errno, data)
            for stage, info, has in read if into else write:
                if stage == DATA and not data:
                    continue
                packets.append(usbpcap(1, info, (mark if into else 0), 2,
                                       (setup if has & S else b"") +
                                       (data if has & D else b""), stage, status if has & U else 0,
                                       dev=dev))
        path = save(d, packets)
        everything = fields(path)
        for dev, (what, into, errno, data) in cases.items():
            got = [row(f) for f in everything if f["dev"] == dev]
            setups = [g for g in got if g[2] is not None]
            took = [f["latency_ns"] for f in everything if f["dev"] == dev and "setup" in f]
            sent = [n for n, packet in enumerate(packets) if
                    struct.unpack_from("<H", packet, 19)[0] == dev]
            # IN data is the completion; a status stage after it says only how it ended
            last = sent[1] if into else sent[-1]
            if took != [(last - sent[0]) * 100000]:
                ok(False, what + ": the time from the setup packet to the end", took, sent)
            if (len(setups) != 1 or setups[0][0] != ("in" if into else "out") or
                setups[0][3] != data or
                    errno not in [g[1] for g in got]):
                ok(False, what, got, errno, data)
        ok(back(path, d), "version %s: every stage and status, %d cases" % (name, len(cases)))


def test_every_order(d):
    """Packets in any order, each order with its own device: each packet is an event and is exported
    again."""
    for setup in (GET, LINE_CODING, SET_CONFIGURATION):
        orders = []
        for a, b, c in itertools.product(range(5), range(5), range(4)):
            dev = len(orders) + 1
            packets = [usbpcap(1, 0, 0, 2, setup, SETUP, dev=dev)] if c & 1 else []
            for stage in (a, b):
                packets.append(usbpcap(1, c >> 1, 0x80 if stage & 1 else 0, 2,
                                       BYTES if stage in (1, 3) else b"", stage, dev=dev))
            orders.append(((a, b, c), packets))
        if back(save(d, [p for _, packets in orders for p in packets]), d):
            ok(True, "%d orders of stages after %s: each packet comes back" %
               (len(orders), setup.hex()))
            continue
        for (a, b, c), packets in orders:  # find the order that fails
            if not back(save(d, packets), d):
                ok(False, "stages %d, %d, setup %s, %d: come back" % (a, b, setup.hex(), c))
        ok(False, "orders of stages after %s: come back together" % setup.hex())


def test_status(d):
    comes_back(d, usbpcap_statuses(), "every USBD_STATUS comes back")
    comes_back(d, usbpcap_isos(), "isochronous packets come back")
    comes_back(d, [usbpcap(1, 0, 0x81, 3, b"data on its way down of a read"),
                   usbpcap(1, 1, 0x02, 3, b"data of a write on its way up"),
                   usbpcap(1, 0, 0x81, 7, b"no such type"), usbpcap(1, 0, 0, 2, b"short", 0),
                   usbpcap(1, 0, 0, 2, b"", 77), usbpcap(1, 0, 0, 3, b"", more=b"more header"),
                   usbpcap(1, 2, 0x81, 3, b"", dev=300), b"too short"],
               "what makes no sense comes back")
    names = [i["name"] for i in objects(d + "/c.pcap")]
    ok("usbpcap:packet" in names and "usbpcap:irp" in names, "and is shown", names)


def test_requests(d):
    packets = [usbpcap(1, 0, 0x81, 0xfe, b"", function=2),
               usbpcap(1, 1, 0x81, 0xfe, b"", function=2),
               usbpcap(2, 0, 0x02, 0xfe, b"", function=0x1e),
               usbpcap(2, 1, 0x02, 0xff, b"", function=0x1e, status=0x80000300)]
    path = save(d, packets)
    got = objects(path)
    same([("usbpcap:irp", "ABORT_PIPE", 0), ("usbpcap:irp", "ABORT_PIPE", 1),
          ("usbpcap:irp", "SYNC_RESET_PIPE_AND_CLEAR_STALL", 0),
          ("usbpcap:irp", "SYNC_RESET_PIPE_AND_CLEAR_STALL", 1)],
         [(i["name"], i["fields"]["usbpcap"]["function_name"], i["fields"]["usbpcap"]["irp_info"])
          for i in got], "requests without a transfer are events")
    same("INVALID_PARAMETER", got[3]["fields"]["usbpcap"]["usbd_status_name"], "with their status")
    text = run("trawl-decode", path).decode()
    ok("SYNC_RESET_PIPE_AND_CLEAR_STALL done, INVALID_PARAMETER (0x80000300)" in text, "in a line",
       text)
    text = run("trawl-decode", "--summary", path).decode()
    ok("2 ABORT_PIPE, 2 SYNC_RESET_PIPE_AND_CLEAR_STALL; 1 failed" in text, "counted", text)
    same(0, len(run("trawl-export", "--to", "usbmon", path)), "usbmon has no word for them")
    comes_back(d, packets, "they come back")
    lost = save(d, [usbpcap(1, 1, 0xff, 0xff, b"", function=2)])
    fields = objects(lost)[0]["fields"]
    ok("ep" not in fields and "dir" not in fields and "ep?" in run("trawl-decode", lost).decode(),
       "a request of a pipe that USBPcap does not know has no endpoint", fields)
    comes_back(d, [usbpcap(1, 1, 0xff, 0xff, b"", function=2)], "it comes back, too")
    save(d, packets + [usbpcap(7, 0, 0x84, 3, b"")])
    for raw in ([], ["--raw"]):
        table = run("trawl-export", "--to", "csv", *raw, path, "-w", "-").decode()
        rows = list(csv.DictReader(table.splitlines()))
        same([], [k for i, row in zip(objects(path, *raw), rows) for k, v in i["fields"].items()
                  if v and not row.get(k)], "a table has each of their fields by JSON's name")
    same("pending", rows and next(csv.DictReader(run(
        "trawl-export", "--to", "csv", "--where", "end == 'pending'", path, "-w",
        "-").decode().splitlines()))["end"], "of open transfers alone, too")
    same(2, len(objects(path, "--where", "type == 'I' and usbpcap.function_name == 'ABORT_PIPE'")),
         "--where takes their type")
    known = config(interface(0, 3, 1, 1, 1), endpoint(0x81, 3, 8, 10))
    ask = struct.pack("<BBHHH", 0x80, 6, 0x200, 0, len(known))
    packets[:0] = [usbpcap(9, 0, 0x80, 2, ask, SETUP), usbpcap(9, 1, 0x80, 2, known, COMPLETE)]
    lines = run("trawl-decode", save(d, packets)).decode()
    ok("HID" in lines and "ABORT_PIPE" in lines and "masked" not in lines,
       "to a keyboard, too, and without data nothing is masked", lines)


def cbw(tag, length, command):
    return b"USBC" + struct.pack("<IIBBB", tag, length, 0x80, 0,
                                 len(command)) + command.ljust(16, b"\0")


def test_halves(d):
    """SCSI is decoded even if only OUT submissions and IN completions exist, all with one IRP
    id."""
    packets = []
    for tag in range(1, 6):
        packets += [usbpcap(7, 0, 0x02, 3, cbw(tag, 36, b"\x12\0\0\0\x24\0")),
                    usbpcap(7, 1, 0x81, 3, bytes(36)),
                    usbpcap(7, 1, 0x81, 3, b"USBS" + struct.pack("<IIB", tag, 0, 0))]
    got = fields(save(d, packets))
    same(["out", "in", "in"] * 5, [f["dir"] for f in got], "halves: in their order, none is lost")
    same([31, 36, 13] * 5, [len(bytes.fromhex(f["data"])) for f in got], "halves: with their data")
    same(["half", "done", "done"] * 5, [f["end"] for f in got], "halves: as what they are")
    same(["command", "data", "status"] * 5,
         [f["decoded"].get("storage", {}).get("phase") for f in got], "halves: SCSI is decoded")
    text = run("trawl-decode", d + "/c.pcap").decode()
    piped = subprocess.run("%s/trawl-edit import %s/c.pcap -w - | %s/trawl-decode -" %
                           (BUILD, d, BUILD), shell=True,
                           capture_output=True, text=True).stdout
    same(text, piped, "halves: the same from a pipe")
    ok("completion not recorded" in text and "submission not recorded" in text, "halves: in a line",
       text)
    text = run("trawl-decode", "--summary", d + "/c.pcap").decode()
    ok("155 bytes more were sent; that they arrived was not recorded" in text,
       "halves: the summary counts what was sent", text)
    comes_back(d, packets, "halves: come back")


def test_header(d):
    """The header of the file is exported again, too, whatever its values."""
    whole = usbpcap_file([usbpcap(8, 0, 0x02, 3, b"whole"), usbpcap(8, 1, 0x02, 3, b"")])
    for name, header in (("usual", struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 249)),
                         ("a zone", struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 3600, 6, 96, 249)),
                         ("nanoseconds",
                          struct.pack("<IHHIIII", 0xa1b23c4d, 2, 4, 0, 0, 4096, 249)),
                         ("bits above the link type",
                          struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 0, 0x10000000 | 249))):
        open(d + "/c.pcap", "wb").write(header + whole[24:])
        run("trawl-edit", "import", d + "/c.pcap", "-w", d + "/c.trawl")
        run("trawl-export", "--to", "pcap", d + "/c.trawl", "-w", d + "/back.pcap")
        same(header + whole[24:], open(d + "/back.pcap", "rb").read(), "the file's header: " + name)
        os.unlink(d + "/c.trawl")


def test_pairs(d):
    """An IRP id that another endpoint uses meanwhile joins no packets."""
    got = fields(save(d,
                      [usbpcap(7, 0, 0x02, 3, b"to endpoint 2"), usbpcap(7, 1, 0x81, 3, b"from 1"),
                          usbpcap(8, 0, 0x02, 3, b"whole"), usbpcap(8, 1, 0x02, 3, b"")]))
    same([("out", 2, b"to endpoint 2", "unanswered"), ("in", 1, b"from 1", "done"),
          ("out", 2, b"whole", "done")],
         [(f["dir"], f["ep"], bytes.fromhex(f["data"]), f["end"]) for f in got],
         "an id that was used again joins no other endpoint's halves")
    same(["latency_ns" in f for f in got], [False, False, True], "nor gives a latency")


def test_short(d):
    """A read that ends early has its data, and is no failure; nor is an unlinked transfer."""
    sense = b"\x03\0\0\0"
    packets = [usbpcap(1, 0, 0x02, 3, cbw(1, 192, b"\x1a\0\x3f\0\xc0\0")),
               usbpcap(1, 1, 0x02, 3, b""),
               usbpcap(2, 0, 0x81, 3, b""), usbpcap(2, 1, 0x81, 3, sense, status=0x80000900),
               usbpcap(3, 0, 0x81, 3, b""),
               usbpcap(3, 1, 0x81, 3, b"USBS" + struct.pack("<IIB", 1, 188, 0)),
               usbpcap(4, 0, 0x83, 1, b""), usbpcap(4, 1, 0x83, 1, b"", status=0xc0010000)]
    got = fields(save(d, packets))
    storage = got[1]["decoded"]["storage"]
    same(("short", "data"), (got[1]["status_name"], storage.get("phase")),
         "a short read keeps its meaning")
    ok("mode_data_length" in json.dumps(storage) or "mode_data_length" in json.dumps(got[1]),
       "MODE SENSE's data is decoded", got[1])
    rows = [x.split() for x in run("trawl-decode", "--summary", d + "/c.pcap").decode().splitlines()
            if " bulk" in x or " interrupt" in x]
    ok(len(rows) == 3 and all("0" in x for x in rows), "three endpoints", rows)
    text = run("trawl-decode", "--summary", d + "/c.pcap").decode()
    ok("errors:" not in text and "ended otherwise: 1 short (-121)" in text and
       "ended otherwise: 1 unlinked (-2)" in text, "and has not failed", text)


def test_not_enabled(d):
    """-ENOENT of a submission that failed is no unlinking."""
    path = d + "/e.usbmon"
    with open(path, "w") as f:
        f.write("ff 1 S Bi:1:005:1 -115 8 <\nff 2 E Bi:1:005:1 -2 0\n"
                "fe 3 S Bi:1:005:1 -115 8 <\nfe 4 C Bi:1:005:1 -2 0\n")
    lines = run("trawl-decode", path).decode().splitlines()
    same([True, False], ["not submitted, endpoint not enabled (ENOENT -2)" in l for l in lines],
         "an endpoint that is not enabled")
    same([False, True], ["unlinked (ENOENT -2)" in l for l in lines], "a transfer that is unlinked")
    same(["endpoint not enabled", "unlinked"], [f["status_name"] for f in fields(path)],
         "... in JSON")


def test_keys(d):
    """Keystrokes are masked in a packet that is kept unchanged as in the transfer made from it."""
    key = bytes([2, 0, 4, 0, 0, 0, 0, 0])
    for name, packet, rule in (
            ("a longer header", usbpcap(1, 1, 0x81, 1, key, more=b"\0"), True),
            ("a header that is none", b"\xff\xff" + bytes(30) + key, True),
            ("a stage of its own", usbpcap(1, 0, 0x80, 2, key, COMPLETE), True),
            ("other data", usbpcap(1, 1, 0x81, 1, b"\x02\7\4\0\0\0\0\0", more=b"\0"), False)):
        path = save(d, [packet])
        shown = b"".join(run("trawl-decode", *args, path) for args in
                         ([], ["-x"], ["-X"], ["--json"], ["--raw"], ["--raw", "-x"],
                          ["--raw", "--json"], ["--fields", "all"]))
        same(not rule, any(k in shown for k in (b"020004", b"02 00 04", b"0200 04", b"020704")),
             name + ": keystrokes are masked, and nothing else")
        same(rule, b"(masked: form of its reports)" in run("trawl-decode", "--raw", path),
             name + ": and it says so")
        ok(b"0200 04" in run("trawl-decode", "--show-keys", "--raw", "-x", path) or not rule,
           name + ": they are there when asked for")


def test_redacted(d):
    """What is redacted of outgoing data is redacted of the packet that it came in, too."""
    for info in (0, 1):
        path = save(d, [usbpcap(1, 0, 0, 2, LINE_CODING, SETUP),
                        usbpcap(1, info, 0, 2, CODING, DATA),
                        usbpcap(1, 1, 0, 2, b"", STATUS)])
        run("trawl-edit", "import", path, "-w", d + "/c.trawl")
        run("trawl-edit", "redact", d + "/c.trawl", "-w", d + "/r.trawl")
        same([CODING.hex()] * 2, [f["data"] for f in fields(d + "/c.trawl", "--raw")
                                  if f.get("data")], "outgoing data: both events have it")
        kept = [f["data"] for f in fields(d + "/r.trawl", "--raw") if f.get("data")]
        same((2, 1), (len(kept), len(set(kept))), "redacted alike in both")
        os.unlink(d + "/c.trawl")
        os.unlink(d + "/r.trawl")


def asked(irp, type, index, answer):
    """GET_DESCRIPTOR to the device or an interface, as USBPcap has it."""
    setup = struct.pack("<BBHHH", 0x81 if type == 0x22 else 0x80, 6, type << 8, index, len(answer))
    return [usbpcap(irp, 0, 0x80, 2, setup, SETUP), usbpcap(irp, 1, 0x80, 2, answer, COMPLETE)]


def hid_function(number, report):
    return (interface(number, 3, 0, 0, 1) +
            struct.pack("<BBHBBBH", 9, 0x21, 0x111, 0, 1, 0x22, len(report)) +
            endpoint(0x81 + number, 3, 8, 10))


def test_report_owner(d):
    """Before 1.4.1 a request for a report descriptor has interface 0, whatever the interface
    was."""
    longer = KEYBOARD_REPORT + bytes.fromhex("0509a1020901c0")
    other = TABLET_REPORT.replace(b"\x09\x31", b"\x09\x38")
    for name, reports, indexes, owners in (
            ("every request has interface 0", (KEYBOARD_REPORT, TABLET_REPORT, longer), (0, 0, 0),
             (None, 1, 2)),
            ("every request has its interface", (KEYBOARD_REPORT, TABLET_REPORT, longer),
             (0, 1, 2), (None, None, None)),
            ("two descriptors of one length", (TABLET_REPORT, other), (0, 0), (None, 1))):
        packets = asked(1, 1, 0, device(0x0627, 1)) + asked(2, 2, 0, config(
            *(hid_function(i, r) for i, r in enumerate(reports)), interfaces=len(reports)))
        for i, (report, index) in enumerate(zip(reports, indexes)):
            packets += asked(3 + i, 0x22, index, report)
        packets.append(usbpcap(9, 1, 0x81, 1, bytes([2, 0, 4, 0, 0, 0, 0, 0])))
        packets.append(usbpcap(10, 1, 0x82, 1, bytes([1, 0x10, 0, 0x20, 0, 1, 0, 0])))
        path = save(d, packets)
        got = fields(path, "--show-keys")
        same(list(owners), [f["decoded"].get("owner_interface") for f in got
                            if f.get("setup", {}).get("wValue") == 0x2200],
             name + ": the interface of each descriptor")
        text = run("trawl-decode", "--show-keys", path).decode().splitlines()
        ok(("LeftShift" if reports[0] is KEYBOARD_REPORT else "Y=") in text[-2],
           name + ": the first interface's report has its own fields", text[-2])
        ok(("Wheel=" if reports[1] is other else "Y=") in text[-1],
           name + ": the second interface's report has its own fields", text[-1])
        same(sum(o is not None for o in owners), sum("by its length" in line for line in text),
             name + ": a line names the interface if it is not the request's")


def tshark(path, *args):
    return subprocess.run(["tshark", "-r", path, *args], capture_output=True, text=True).stdout


def iso_rows(path, names):
    args = ["-T", "fields", "-E", "separator=|", "-E", "occurrence=a", "-E", "aggregator=,"]
    for name in names:
        args += ["-e", name]
    return [[[int(v, 0) if not i or len(v) < 12 else v for v in cell.split(",") if v]
             for i, cell in enumerate(line.split("|"))]
            for line in tshark(path, *args).splitlines()]


def test_usbpcap_iso(d):
    """Wireshark reads the same from isochronous transfers of USBPcap and from our export of
    them."""
    errno = {0: 0, 0xc0000001: -84}
    run("trawl-edit", "import", "-w", d + "/iso.trawl", d + "/usbpcap-iso.pcap")
    run("trawl-export", "--to", "pcap", "--linktype", "220", d + "/iso.trawl", "-w",
        d + "/iso.pcap")
    theirs = iso_rows(d + "/usbpcap-iso.pcap", [
        "usb.endpoint_address", "usb.win32.iso_frame", "usb.win32.iso_num_packets",
        "usb.win32.iso_error_count", "usb.win32.iso_offset", "usb.win32.iso_data_len",
        "usb.win32.iso_status", "usb.iso.data"])
    ours = iso_rows(d + "/iso.pcap", [
        "usb.endpoint_address", "usb.start_frame", "usb.iso.numdesc", "usb.iso.error_count",
        "usb.iso.iso_off", "usb.iso.iso_len", "usb.iso.iso_status", "usb.iso.data"])
    same([6, 6], [len(theirs), len(ours)], "USBPcap iso: as many packets")
    for n, (a, b) in enumerate(zip(theirs, ours)):
        name = "USBPcap iso: packet %d: " % (n + 1)
        # The number of packets is in the header and once more before the packet descriptors.
        same([a[0], a[1], a[2], a[3], a[4], a[5]], [b[0], b[1], b[2][:1], b[3], b[4], b[5]],
             name + "endpoint, frame, number, errors, offsets, lengths")
        if n % 2:
            same([errno[s] for s in a[6]], b[6], name + "statuses")
        same(a[7], b[7], name + "data of each")
    ok(theirs[1][7] and theirs[2][7], "USBPcap iso: there was data", theirs)
    items = objects(d + "/iso.trawl")
    same([572, 96, 300], [i["fields"]["actual"] for i in items],
         "USBPcap iso: bytes of each transfer")


def test_usbpcap_status(d):
    """Each USBD_STATUS, named as in Wireshark, becomes the error that Linux has for it."""
    names = dict(line.split("\t")[2:] for line in subprocess.run(
        ["tshark", "-G", "values"], capture_output=True, text=True).stdout.splitlines()
        if line.startswith("V\tusb.usbd_status\t"))
    errno = {
        "SUCCESS": "", "PENDING": "EINPROGRESS", "CRC": "EILSEQ", "BTSTUFF": "EPROTO",
        "DATA_TOGGLE_MISMATCH": "EPROTO", "STALL_PID": "EPIPE", "DEV_NOT_RESPONDING": "ETIME",
        "PID_CHECK_FAILURE": "EPROTO", "UNEXPECTED_PID": "EPROTO", "DATA_OVERRUN": "EOVERFLOW",
        "DATA_UNDERRUN": "EREMOTEIO", "BUFFER_OVERRUN": "ECOMM", "BUFFER_UNDERRUN": "ENOSR",
        "NOT_ACCESSED": "EXDEV", "XACT_ERROR": "EPROTO", "BABBLE_DETECTED": "EOVERFLOW",
        "DATA_BUFFER_ERROR": "ENOSR", "ENDPOINT_HALTED": "EPIPE", "INVALID_PARAMETER": "EINVAL",
        "NO_BANDWIDTH": "ENOSPC", "ERROR_SHORT_TRANSFER": "EREMOTEIO",
        "INSUFFICIENT_RESOURCES": "ENOMEM", "TIMEOUT": "ETIMEDOUT", "DEVICE_GONE": "ENODEV",
        "CANCELED": "ENOENT", "ISO_NOT_ACCESSED_BY_HW": "EXDEV", "ISO_NA_LATE_USBPORT": "EXDEV",
        "ISO_NOT_ACCESSED_LATE": "EXDEV",
    }
    theirs = [names.get(str(int(x, 0)), "").replace("USBD_STATUS_", "") for x in tshark(
        d + "/usbpcap-status.pcap", "-T", "fields", "-e", "usb.usbd_status").split()]
    ours = [(i["fields"]["status"], i["fields"].get("errno", ""))
            for i in objects(d + "/usbpcap-status.pcap")]
    same(sorted(errno), sorted(x for x in theirs if x),
         "USBPcap: Wireshark names all but one status")
    for name, (status, got) in zip(theirs, ours):
        same(errno[name] if name else -5, got if name else status,
             "USBPcap: " + (name or "a status without a name"))


def test_modified(d):
    """The magic of modified tcpdumps stands before packet headers of 24 or, rarely, 28 bytes."""
    c = usbsynth.Capture()
    c.transfer(usbsynth.BULK, 0x81, answer=b"an answer")
    for more, status, records in (8, 0, c.records), (12, 3, c.records), (12, 3, c.records[1:]):
        out = struct.pack("<I", 0xa1b2cd34) + usbsynth.pcap([])[4:]
        for r in records:
            out += struct.pack("<IIII", *divmod(usbsynth.stamp(r), 10**6), len(r), len(r)) + \
                bytes(more) + r
        open(d + "/modified.pcap", "wb").write(out)
        done = subprocess.run([BUILD + "/trawl-decode", d + "/modified.pcap"],
                              capture_output=True, text=True)
        ok(done.returncode == status and
           ("editcap -F pcap" in done.stderr if status else "an answer" in done.stdout),
           f"packet headers of {16 + more} bytes, {len(records)} packets", done.stdout, done.stderr)


def main():
    d = tempfile.mkdtemp(prefix="trawl-usbpcap-")
    try:
        for test in (test_stages, test_versions, test_every_order, test_status, test_requests,
                     test_halves, test_header, test_pairs,
                     test_short, test_keys, test_redacted, test_not_enabled, test_report_owner,
                     test_modified):
            test(d)
        usbsynth.main(d)
        for test in (test_usbpcap_iso, test_usbpcap_status):
            if shutil.which("tshark"):
                test(d)
            else:
                skip(test.__name__, "tshark, the judge, is not installed")
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
