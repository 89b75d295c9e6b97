#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""USB transfers whose meaning depends on others: the class of the device, earlier blocks, the
type of the event."""
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
from tap import finish, ok, same  # noqa: E402
from usbsynth import (  # noqa: E402
    BULK, INTERRUPT, Capture, config, device, endpoint, interface, keyboard, pcap)

READER = interface(0, 0x0b, 0, 0, 1)  # of smart cards


def described(*descriptors):
    c = Capture()
    c.get_descriptor(1, device(0x1111, 0x2222))
    c.get_descriptor(2, config(*descriptors))
    return c


def items(c, d, *args):
    """The fields of each transfer of a capture."""
    with open(d + "/context.pcap", "wb") as f:
        f.write(pcap(c.records))
    r = subprocess.run([BUILD + "/trawl-decode", "--json", *args, d + "/context.pcap"],
                       stdin=subprocess.DEVNULL, capture_output=True, text=True)
    ok(r.returncode == 0, "trawl-decode reads it", r.stderr)
    return [json.loads(line)["fields"] for line in r.stdout.splitlines()]


def test_pins(d):
    """A command with a PIN that spans several blocks is masked to its end, and nothing else is."""
    def block(body, level=0):
        return struct.pack("<BIBBBH", 0x6f, len(body), 0, 3, 0, level) + body

    def t1(pcb, body, crc=False):
        b = bytes([0, pcb, len(body)]) + body
        check = 0
        for x in b:
            check ^= x
        return b + (b"\xab\xcd" if crc else bytes([check]))
    verify = bytes.fromhex("0020008008") + b"31337137"
    select = bytes.fromhex("00a4040002") + b"?0"
    for name, blocks, masked in (
            ("in a chain of T=1", [t1(0x20, verify[:7]), t1(0, verify[7:]), t1(0x40, select)], "110"),
            ("after a request for its next block",
             [t1(0x20, verify[:7]), t1(0x90, b""), t1(0, verify[7:])], "101"),
            ("with a CRC", [t1(0, verify, True), t1(0x20, select[:6], True)], "10"),
            ("of T=0", [verify[:5], verify[5:], select], "010"),
            ("a long command", [t1(0x20, select[:5]), t1(0, select[5:]), t1(0x40, verify)], "001"),
            ("the state of a PIN", [verify[:4], select], "00")):
        c = described(READER, endpoint(0x01, 2, 64, 1))
        for b in blocks:
            c.transfer(BULK, 0x01, out=block(b))
        got = items(c, d)[-len(blocks):]
        same(masked, "".join(str(int("masked" in f)) for f in got), "a PIN " + name + " is masked")
        ok(not any(x in json.dumps(f["decoded"]) for f in got for x in ('"31"', '"33"', "3133")),
           "a PIN " + name + " is not taken for a command", got, "")
    c = described(READER, endpoint(0x01, 2, 64, 1))
    for part, level in (verify[:7], 1), (verify[7:10], 3), (verify[10:], 2), (select, 0):
        c.transfer(BULK, 0x01, out=block(part, level))
    same([True] * 3 + [False], ["masked" in f for f in items(c, d)][-4:],
         "a PIN in parts of CCID")


def test_failed(d):
    """-ENOENT of a failed submission means something else than that of a completion."""
    c = Capture()
    c.transfer(BULK, 0x81, status=-2)
    c.record("S", BULK, 2, id=c.next_id, status=-115)
    c.record("E", BULK, 2, id=c.next_id, status=-2)
    for name, ep in ("unlinked", 1), ("endpoint not enabled", 2):
        for member in "status", "status_name":
            found = items(c, d, "--where", "%s == '%s'" % (member, name))
            same([(ep, name)], [(f["ep"], f["status_name"]) for f in found],
                 "%s is %s" % (member, name))


def test_other(d):
    """The recipient "other" is a hub's port only if the device is a hub, or its class unknown."""
    ask = struct.pack("<BBHHH", 0xa3, 0, 0, 1, 4)  # GET_STATUS
    c = described(interface(0, 0xfe, 1, 2, 0))
    c.control(ask, bytes(4))
    f = items(c, d)[-1]
    ok("hub" not in f["decoded"] and "port" not in f["setup"]["request"].lower(),
       "a request to a device that is no hub is none to a port", f)
    c = Capture()
    c.control(ask, bytes(4))
    ok("hub" in items(c, d)[-1]["decoded"], "of an unknown device it is")


def test_volumes(d):
    """Only data with the size of a volume is shown as one; GET_MEM and GET_STAT read no control."""
    unit = bytes([10, 0x24, 6, 5, 1, 1, 1, 2, 2, 0])  # a feature unit of Audio 1.0

    def audio(setup, data):
        c = described(interface(0, 1, 1, 0, 0), unit)
        c.control(bytes(setup), data)
        return items(c, d)[-1]["decoded"]["audio"]
    got = audio([0xa1, 0x81, 0xff, 2, 0, 5, 4, 0], struct.pack("<hh", -256, 640))
    same(("-1.00 dB, 2.50 dB", None), (got["shown"], got.get("value")), "those of all channels")
    got = audio([0xa1, 0x81, 0, 2, 0, 5, 2, 0], b"\x10")
    same(("1 of 2 bytes", None), (got["shown"], got.get("value")), "half of one")
    for request in 0x85, 0xff:
        got = audio([0xa1, request, 0, 2, 0, 5, 2, 0], b"\0\1")
        ok("control" not in got, "request 0x%x" % request, got)


def test_billboard(d):
    """The BOS of a real device (2109:8884), as lsusb printed it for its owner, and one cut
    short."""
    mode = struct.pack("<HBB", 0xff01, 0, 3)
    billboard = bytes([48, 0x10, 13, 3, 1, 0, 0, 0, 3]) + bytes(31) + bytes([0x21, 1, 2, 0]) + mode
    parts = (billboard, bytes([8, 0x10, 15, 0, 0, 0, 0, 5]), bytes([20, 0x10, 4]) + bytes(17),
             billboard[:4] + b"\2" + billboard[5:], bytes([52]) + billboard[1:] + mode)
    bos = b"".join(parts)
    c = Capture()
    c.get_descriptor(0x0f, struct.pack("<BBHB", 5, 0x0f, 5 + len(bos), len(parts)) + bos)
    whole, vdo, _, short, longer = items(c, d)[-1]["decoded"]["descriptors"][1:]
    same((3, 1, 0, 0, "1.21", 2), tuple(whole.get(k) for k in (
        "iAdditionalInfoURL", "bNumberOfAlternateModes", "bPreferredAlternateMode", "VCONN_Power",
        "bcdVersion", "bAdditionalFailureInfo")), "a billboard's fields")
    same([("ff01", "configured")], [(m["wSVID"], m["state"]) for m in whole["modes"]], "its mode")
    same(("billboard mode", 0, 0x05000000),
         tuple(vdo.get(k) for k in ("descriptor", "bIndex", "dwAlternateModeVdo")), "and its VDO")
    same((1, True, 1, "01ff0003"), (len(short["modes"]), short.get("short"), len(longer["modes"]),
                                    longer.get("extra")), "a list that is short, and one too long")


def test_never(d):
    """A number that a field never has is refused; for another tool's name, ours is suggested."""
    c = described(READER, endpoint(0x01, 2, 64, 1))
    items(c, d, "--where", "ep == 0x8f or ep == 15 or vid == 0xffff or status > 0 or ep != 999")
    for where, why in (("ep == 0x181", "ep is never 385: it is 0 to 15"),
                       ("0x10000 == vid", "vid is never 65536: it has 16 bits"),
                       ("not (status == 32)", "status is never 32: errors are negative"),
                       ("transfer == 'bulk'", "'transfer'; it is called xfer here"),
                       ("usb.capdata ~ 'a*'", "'usb.capdata'; it is called data here"),
                       ("usb.setup.wValue > 1", "it is called wValue here")):
        r = subprocess.run([BUILD + "/trawl-decode", "--where", where, d + "/context.pcap"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True)
        ok(r.returncode == 2 and why in r.stderr and "^" in r.stderr, "refused: " + where, r.stderr)


def test_readdressed(d):
    """Another device gets the address: what was open until then was for the one before."""
    c = Capture()
    keyboard(c, dev=5)
    c.record("S", INTERRUPT, 0x81, dev=5, id=0x1000, status=-115, length=8, flag_data="<")
    c.get_descriptor(1, device(0x1111, 0x2222), dev=5)
    c.record("S", INTERRUPT, 0x82, dev=5, id=0x2000, status=-115, length=8, flag_data="<")
    same([(1, None), (2, "2222")],
         [(f["ep"], f.get("pid")) for f in items(c, d) if f.get("end") == "pending"],
         "of two open transfers, the first is not the new device's")
    same(["0001"] * 2,
         [f.get("pid") for f in items(c, d) if f["ep"] == 1 and f.get("end") != "pending"],
         "those that were completed are the keyboard's")


def test_mistyped_part(d):
    """A part of a field that no event has is reported, and no other."""
    c = Capture()
    c.get_descriptor(1, device(1, 2))
    c.transfer(BULK, 0x02, out=b"AT+X\r\n")
    path = d + "/part.pcap"
    with open(path, "wb") as f:
        f.write(pcap(c.records))
    for where, bad in (("decoded.nope == 1", "decoded.nope"), ("decoded.qqqq == 1", "decoded.qqqq"),
                       ("setup.wvalue == 1", "setup.wvalue"), ("setup.wValue == 1", None),
                       ("data[0] == 0x55", "data[0]"), ("decoded", None), ("setup", None),
                       ("xfer == 'bulk' and decoded.storage.scsi.lbaa == 0",
                        "decoded.storage.scsi.lbaa"),
                       ("xfer == 'iso' and decoded.nope == 1", None)):
        for command in (["trawl-decode"], ["trawl-export", "--to", "csv", "-w", "-"],
                        ["trawl-edit", "cut", "-w", d + "/part.trawl"]):
            edit = command[0] == "trawl-edit"
            if edit:
                subprocess.run([BUILD + "/trawl-edit", "import", path, "-w", d + "/in.trawl"],
                               check=True, capture_output=True)
            r = subprocess.run([BUILD + "/" + command[0], *command[1:], "--where", where,
                                d + "/in.trawl" if edit else path],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True)
            same(bad or "", "".join(r.stderr.partition("compared has a value '")[2].split("'")[:1]),
                 command[0] + ": " + where)
            hint = {"decoded.storage.scsi.lbaa": "; did you mean lba",
                    "setup.wvalue": "; did you mean wValue",
                    "decoded.nope": "; did you mean note"}.get(bad, "; --json")
            ok(not bad or bad[:4] == "data" or f"'{bad}'{hint}" in r.stderr,
               command[0] + ": names that are like it", r.stderr)
            for name in ("part.trawl", "in.trawl"):
                if os.path.exists(d + "/" + name):
                    os.unlink(d + "/" + name)


def main():
    d = tempfile.mkdtemp(prefix="trawl-usbcontext-")
    try:
        for test in test_pins, test_failed, test_other, test_volumes, \
                test_billboard, test_never, test_readdressed, \
                test_mistyped_part:
            test(d)
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
