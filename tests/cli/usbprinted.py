# SPDX-License-Identifier: MIT
"""What is printed of transfers of every class of device, and of thousands of variants of them
(tests/decode/usb/sweep.py), is what tests/printed/usb has of it."""
import os
import random
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/printed", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
import bluetooth  # noqa: E402
import cameras  # noqa: E402
import discs  # noqa: E402
import gadgets  # noqa: E402
import modem  # noqa: E402
import parts  # noqa: E402
import usbsynth  # noqa: E402
from printed import Printed  # noqa: E402
from sweep import sweep  # noqa: E402
from tap import finish  # noqa: E402
from usbsynth import (BULK, INTERRUPT, Capture, config, device, endpoint,  # noqa: E402
                      interface, pcap)

VARIANTS = 2000


def of(part):
    """A capture with one part of usbsynth.everything()."""
    c = Capture()
    part(c)
    return c


def keys():
    """What is masked."""
    c = bluetooth.controller()
    gadgets.pairing(c)
    return c


def card():
    c = parts.described(interface(0, 0x0b, 0, 0, 2), endpoint(0x01, 2, 64), endpoint(0x82, 2, 64))
    gadgets.card(c)
    return c


def requests():
    """Every request to devices of many classes, with some values and an answer of each length."""
    c = Capture()
    for n, (cls, sub, proto) in enumerate((
            (0, 0, 0), (1, 1, 0), (1, 1, 0x20), (2, 2, 1), (2, 6, 0), (2, 0x0d, 0), (2, 0x0e, 0),
            (3, 0, 0), (6, 1, 1), (7, 1, 2), (8, 6, 0x50), (9, 0, 1), (0x0b, 0, 0), (0x0e, 1, 0),
            (0x0e, 2, 0), (0xe0, 1, 1), (0xe0, 1, 3), (0xef, 5, 0), (0xfe, 1, 1), (0xfe, 3, 1),
            (0xff, 0xff, 0xff))):
        dev = 20 + n
        c.get_descriptor(1, device(0x0403 if cls == 0xff else 0x1111, 0x6001), dev)
        c.get_descriptor(2, config(interface(0, cls, sub, proto, 1), endpoint(0x81, 3, 8, 9)), dev)
        for form in (0x00, 0x01, 0x02, 0x20, 0x21, 0x22, 0x23, 0x40, 0x41, 0x60,
                     0x80, 0x81, 0x82, 0xa0, 0xa1, 0xa2, 0xa3, 0xc0, 0xc1):
            for request in range(256) if form & 0x60 == 0x20 else range(64):
                value = request * 0x0103 & 0xffff
                data = bytes((request * 7 + i * 29) & 0xff for i in range(request % 40))
                c.control(struct.pack("<BBHHH", form, request, value, value >> 3 & 0x0303,
                                      len(data)), data, dev=dev, status=0 if request % 31 else -32)
    return c


def configuration(parts_):
    """A configuration of which each byte has some other values."""
    whole, c = config(*parts_, interfaces=6), Capture()
    c.get_descriptor(1, device(0x1111, 0x2222))
    for at in range(9, len(whole)):
        for value in {0, 1, 0x7f, 0xff, whole[at] ^ 1, whole[at] + 1 & 0xff, at * 37 & 0xff}:
            c.get_descriptor(2, whole[:at] + bytes([value]) + whole[at + 1:])
    return c


def configured(part):
    """The parts of the configuration that a part of usbsynth asks for."""
    for r in of(part).records:
        if r[8:9] == b"C" and r[64:66] == b"\x09\x02":
            return configuration([r[64 + 9:]])
    raise AssertionError(part)


def descriptors():
    """Each type of descriptor with bytes of every kind, in several lengths."""
    c, rng = Capture(), random.Random(2)
    for type in range(256):
        for length in (2, 3, 4, 5, 7, 8, 9, 10, 12, 18, 20, 26, 42):
            data = bytes([length, type]) + bytes(rng.choice((0, 1, 2, 3, 9, 0x24, 255,
                                                             rng.randrange(256)))
                                                 for _ in range(length - 2))
            if type == 15:  # BOS: capabilities of each type
                data = bytes([5, 15, 5 + length, 0, 1, length, 16, length]) + data[3:length]
            c.get_descriptor(type, data)
    return c


def bos():
    c, rng = Capture(), random.Random(3)
    for capability in range(24):
        for length in (3, 4, 7, 8, 10, 12, 16, 20, 24, 28, 44):
            body = bytes(rng.choice((0, 1, 255, rng.randrange(256))) for _ in range(length - 3))
            c.get_descriptor(15, bytes([5, 15, 5 + length, 0, 1, length, 16, capability]) + body)
    return c


def reports():
    """Report descriptors of which each byte has other values, and a report after each."""
    c, dev = Capture(), 6
    for descriptor in (usbsynth.KEYBOARD_REPORT, usbsynth.TABLET_REPORT):
        usbsynth.keyboard(c, dev)
        for at in range(len(descriptor)):
            for value in {0, 1, 0x29, 0x7f, 0x85, 0xff, descriptor[at] ^ 2, descriptor[at] ^ 4,
                          descriptor[at] + 1 & 0xff, at * 37 & 0xff}:
                c.get_descriptor(0x22, descriptor[:at] + bytes([value]) + descriptor[at + 1:], dev,
                                 interface=0)
                c.transfer(INTERRUPT, 0x81, answer=bytes((at * 5 + i * 51) & 0xff
                                                         for i in range(8)), dev=dev)
    return c


def usages():
    """Usages of each page, as variables of a report."""
    c, dev = Capture(), 6
    usbsynth.tablet(c, dev)
    for page in [*range(0x42), 0x59, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x8c, 0x8d, 0x8e, 0x90,
                 0x91, 0x92, 0xf1d0, 0xff00, 0xff0d]:
        for first in range(0, 0x2c0, 8):
            c.get_descriptor(0x22, b"\x06" + struct.pack("<H", page) + b"\x09\x01\xa1\x01\x1a" +
                             struct.pack("<H", first) + b"\x2a" + struct.pack("<H", first + 7) +
                             b"\x15\x00\x26\xff\x00\x75\x08\x95\x08\x81\x02\xc0", dev, interface=0)
            c.transfer(INTERRUPT, 0x81, answer=bytes(range(1, 9)), dev=dev)
    return c


def ends():
    """Every status of a transfer, and each kind of endpoint and speed of polling."""
    c = Capture()
    usbsynth.storage(c)
    for status in range(-140, 3):
        c.transfer(BULK, 0x81, answer=b"x" * 5, status=status, asked=64)
        c.transfer(BULK, 0x02, out=b"y" * 5, status=status)
        c.record("E", BULK, 0x02, id=0x99, status=status)
    for interval in range(0, 40):
        c.transfer(INTERRUPT, 0x83, answer=bytes(4), interval=interval)
    return c


SWEPT = {
    "bluetooth": bluetooth.bluetooth, "channels": bluetooth.channels, "frames": bluetooth.odd,
    "camera": cameras.camera, "pictures": cameras.pictures, "ptp": cameras.ptp,
    "vision": cameras.industrial_camera, "optical": discs.optical, "disk": discs.disk,
    "drive": discs.drive, "modem": modem.modem, "odd-modem": modem.odd, "eem": modem.eem,
    "keys": keys, "card": card, "card-reader": gadgets.card_reader, "uvc": gadgets.requests,
    "mixer": gadgets.mixer, "mixer-2": parts.mixer_2, "midi": gadgets.synthesizer,
    "dfu": gadgets.loader, "colorimeter": gadgets.colorimeter, "converter": gadgets.converter,
    "mpsse": gadgets.serial_engine, "ipp": gadgets.ipp_printer, "printer": gadgets.printer,
    "halves": gadgets.serial_halves, "hub": parts.hub, "pedal": parts.pedal,
    "cut": parts.cut_messages, "cpu-bus": parts.cpu_bus, "sound": parts.described_sound,
    **{f.__name__ + "-1": functools_part for f in (
        usbsynth.hub, usbsynth.storage, usbsynth.keyboard, usbsynth.tablet, usbsynth.serial,
        usbsynth.ftdi, usbsynth.uas, usbsynth.odd, usbsynth.headset)
       for functools_part in (lambda f=f: of(f),)},
}
PLAIN = {
    "requests": requests, "descriptors": descriptors, "bos": bos, "reports": reports,
    "usages": usages, "ends": ends, "everything": usbsynth.everything,
    "webcam": lambda: configured(usbsynth.webcam), "headset": lambda: configured(usbsynth.headset),
    "serial": lambda: configured(usbsynth.serial), "uas": lambda: configured(usbsynth.uas),
    "functions": lambda: configuration(gadgets.functions(0x555555)),
    "functions-2": lambda: configuration(gadgets.functions(0xaaaaaa)),
}
FORMS = {"text": (), "json": ("--json",), "raw": ("--raw",), "summary": ("--summary",),
         "protocol": ("--protocol",)}


def decoded(d, p, name, *args):
    """Takes what a command line prints in a folder with captures."""
    r = subprocess.run([BUILD + "/trawl-decode", *args], cwd=d, capture_output=True,
                       env={**os.environ, "TZ": "UTC"})
    p.take(name, b"%d\n" % r.returncode + r.stderr + r.stdout)


def main():
    p = Printed("usb")
    with tempfile.TemporaryDirectory() as d:
        def write(name, records):
            with open(f"{d}/{name}.pcap", "wb") as f:
                f.write(pcap(records))

        for name, make in {**SWEPT, **PLAIN}.items():
            records = make().records
            write("some", sweep(records, VARIANTS) if name in SWEPT else records)
            write("few", records)
            for file, form in (("some", "text"), ("some", "json"), ("few", "raw"),
                               ("few", "summary"), ("few", "protocol")):
                decoded(d, p, f"{name}.{form}", *FORMS[form], file + ".pcap")
            if name not in SWEPT:
                continue
            for seed in 1, 2:
                write(f"few{seed}", sweep(records, 30, seed))
            for form in "text", "json":
                decoded(d, p, f"{name}.diff.{form}", *FORMS[form], "--diff", "few1.pcap",
                        "few2.pcap")
            decoded(d, p, name + ".protocol.json", "--protocol", "--json", "few1.pcap", "few2.pcap")
    p.close()
    return finish()


sys.exit(main())
