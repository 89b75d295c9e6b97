# SPDX-License-Identifier: MIT
"""How USB looks: bytes in the line, what is masked and why, names of fields in all forms of output."""
import csv
import fcntl
import glob
import io
import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
from tap import finish, ok, same  # noqa: E402
from usbsynth import (BULK, INTERRUPT, Capture, config, device, endpoint, interface,  # noqa: E402
                      pcap)


def run(program, *args, status=0):
    r = subprocess.run([BUILD + "/" + program] + list(args), stdin=subprocess.DEVNULL,
                       capture_output=True)
    if r.returncode != status:
        ok(False, "%s %s ends with %d" % (program, " ".join(args), status), r.returncode, r.stderr)
    return r.stdout.decode(), r.stderr.decode()


def decode(path, *args):
    return run("trawl-decode", *args, path)[0]


def objects(path, *args):
    return [json.loads(line) for line in decode(path, "--json", *args).splitlines()]


def write(path, capture):
    with open(path, "wb") as f:
        f.write(pcap(capture.records))
    return path


def on_terminal(columns, *args):
    """What a program writes to a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    with subprocess.Popen(list(args), stdin=subprocess.DEVNULL, stdout=slave) as p:
        os.close(slave)
        text = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
    os.close(master)
    return text.decode()


def test_bytes(d):
    c = Capture()
    c.transfer(BULK, 0x02, out=b"AT+X\r\n" + bytes(range(20)))
    c.transfer(BULK, 0x82, answer=b"\xaa\x55\x01")
    c.transfer(BULK, 0x82, answer=bytes(300))
    c.control(bytes([0x40, 0x55, 0, 0, 0, 0, 9, 0]), b"vendor xy")
    c.control(bytes([0xc0, 0x56, 0, 0, 0, 0, 2, 0]), b"\x12\x34")
    path = write(d + "/bytes.pcap", c)
    lines = decode(path).splitlines()
    ok("  41 54 2b 58 0d 0a 00 01 02 03 04 05 06 07 08 09 ...  |AT+X............|" in lines[0],
       "payload that nothing explains shows its first 16 bytes", lines[0])
    ok(lines[1].endswith("  aa 55 01  |.U.|"), "or all that there are", lines[1])
    ok("|vendor xy|" in lines[3] and "  12 34  |.4|" in lines[4], "of vendor requests, too", lines)
    ok("|" not in decode(path, "-x"), "with -x all of it is below the line, and not in it")
    data = [i["fields"].get("data") for i in objects(path)]
    same(600, len(data[2]), "--json has all bytes")
    for columns, want in ((80, 4), (140, 13), (250, 26)):
        text = on_terminal(columns, BUILD + "/trawl-decode", "--color", "always", path)
        line = text.splitlines()[0]
        shown = line[line.index("|") + 1:line.rindex("|")]
        same(want, len(shown), "a terminal of %d columns shows so many bytes" % columns)


BOOT = [bytes(8), bytes([2, 0, 4, 0, 0, 0, 0, 0]), bytes([0, 0, 4, 5, 0, 0, 0, 0])]


def masks(path):
    return [i["fields"].get("masked_by") for i in objects(path) if i["fields"]["xfer"] == "interrupt"]


def test_masks(d):
    """What is masked is a keyboard's by evidence, and says by which."""
    c = Capture()
    for report in BOOT:
        c.transfer(INTERRUPT, 0x81, answer=report)
    path = write(d + "/boot.pcap", c)
    same(["form of its reports"] * 3, masks(path), "reports like a boot keyboard's are masked")
    text = decode(path)
    same(3, text.count("(masked: form of its reports)"), "and the line says why")
    ok("|" not in text and "04" not in [w for line in text.splitlines() for w in line.split()[2:]],
       "and has no bytes of it", text)
    ok("see --show-keys" in decode(path, "-X") and "0200 0400" not in decode(path, "-X"),
       "nor has a hexdump")

    for name, report in (("a status of 64 bytes", bytes([0x75, 1]) + bytes(62)),
                         ("8 bytes whose second is not 0", bytes([1, 2, 4, 0, 0, 0, 0, 0])),
                         ("8 bytes that are no usages", bytes([0, 0, 0xf4, 0, 0, 0, 0, 0])),
                         ("a key that is down twice", bytes([0, 0, 4, 4, 0, 0, 0, 0])),
                         ("9 bytes", bytes(9))):
        c = Capture()
        c.transfer(INTERRUPT, 0x81, answer=report)
        c.transfer(INTERRUPT, 0x81, answer=BOOT[1])
        same([None, None], masks(write(d + "/other.pcap", c)),
             "%s: that is no keyboard, nor is what follows" % name)

    c = Capture()
    c.transfer(INTERRUPT, 0x81, answer=BOOT[1])
    c.transfer(INTERRUPT, 0x82, answer=bytes(64))
    c.transfer(INTERRUPT, 0x81, answer=BOOT[2])
    same(["form of its reports", None, "form of its reports"], masks(write(d + "/two.pcap", c)),
         "each endpoint is looked at for itself")

    c = Capture()
    c.get_descriptor(1, device(0x1b1c, 0x0c12))
    c.get_descriptor(2, config(interface(0, 3, 1, 1, 1), endpoint(0x81, 3, 8, 10),
                               interface(1, 3, 0, 0, 1), endpoint(0x82, 3, 64, 10),
                               interface(2, 0xff, 0, 0, 1), endpoint(0x83, 3, 64, 10),
                               interfaces=3))
    c.transfer(INTERRUPT, 0x81, answer=BOOT[1])
    c.transfer(INTERRUPT, 0x82, answer=bytes([0x75, 2]) + bytes(62))
    c.transfer(INTERRUPT, 0x83, answer=BOOT[1])
    same(["boot protocol", None, None], masks(write(d + "/described.pcap", c)),
         "a boot keyboard, a HID device whose reports are not, a vendor's interface")
    keyboard = SRC + "/samples/usb-keyboard.trawl"
    same({"report descriptor"}, {m for m in masks(keyboard)} - {None},
         "a keyboard with a report descriptor")


def main():
    d = tempfile.mkdtemp(prefix="trawl-usbview-")
    try:
        for test in (test_bytes, test_masks):
            test(d)
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
