# SPDX-License-Identifier: MIT
"""Cameras: of USB video, of PTP, of USB3 Vision."""
import struct

from parts import described
from usbsynth import BULK, INTERRUPT, Capture, endpoint, interface, webcam


def camera():
    c = Capture()
    webcam(c, dev=5)
    for request, selector, entity, data in (
            (0x81, 2, 2, struct.pack("<h", -7)), (0x82, 2, 2, struct.pack("<h", -64)),
            (0x01, 5, 2, b"\x02"), (0x86, 4, 1, b"\x03"), (0x85, 3, 3, b"\x04\x00"),
            (0x01, 4, 1, struct.pack("<I", 333)), (0x01, 2, 1, b"\x08"),
            (0x01, 13, 1, struct.pack("<ii", -3600, 7200)), (0x81, 2, 0, b"\x04"),
            (0x81, 3, 3, b"abcd")):
        c.control(struct.pack("<BBHHH", 0xa1 if request & 0x80 else 0x21, request, selector << 8,
                              entity << 8,
                              len(data)), data)
    c.control(struct.pack("<BBHHH", 0x21, 1, 0x100, 1, 34),
              struct.pack("<HBBIHHHHHIIIBBBB", 1, 1, 2, 333333, 0, 0, 0, 0, 0, 614400, 3072,
                          48000000, 3, 1, 1, 2))
    c.transfer(INTERRUPT, 0x83, answer=bytes([1, 2, 0, 2, 0, 5, 0]), asked=16, interval=8)
    return c


def pictures():
    """Payloads of a camera that sends pictures by bulk transfers."""
    c = described(interface(0, 14, 2, 0, 1), endpoint(0x82, 2, 512))
    c.transfer(BULK, 0x82, answer=struct.pack("<BBI", 6, 0x47, 77) + bytes(10))
    c.transfer(BULK, 0x82, answer=bytes([2, 0x80]) + bytes(5))
    return c


def utf16(text):
    return bytes([len(text) + 1 if text else 0]) + ((text + "\0").encode("utf-16-le") if text
                                                    else b"")


def words(*codes):
    return struct.pack("<I%dH" % len(codes), len(codes), *codes)


def ptp():
    c = described(interface(0, 6, 1, 1, 3), endpoint(0x81, 2, 512), endpoint(0x02, 2, 512),
                  endpoint(0x83, 3, 28, 6))

    def operation(code, transaction, *parameters, data=b"", split=0, out=False):
        c.transfer(BULK, 0x02,
                   out=struct.pack("<IHHI%dI" % len(parameters), 12 + 4 * len(parameters), 1, code,
                                               transaction, *parameters))
        whole = struct.pack("<IHHI", 12 + len(data), 2, code, transaction) + data
        for part in [whole] if not split else [whole[:split], whole[split:]]:
            c.transfer(BULK, *((0x02, part) if out else (0x81, b"", part)))
        c.transfer(BULK, 0x81, answer=struct.pack("<IHHI", 12, 3, 0x2001, transaction))

    operation(0x1001, 0,
              data=struct.pack("<HIH", 100, 6, 100) + utf16("microsoft.com: 1.0;") + b"\0\0" +
              words(0x1001, 0x1002, 0x9805) + words(0x4002) + words(0x5001, 0xd402) + words() +
              words(0x3801, 0xb982, 0xbb82) + utf16("trawl") + utf16("Model One") + utf16("1.0") +
              utf16("0042"))
    operation(0x1004, 1, data=struct.pack("<II", 1, 0x00010001), split=12)
    operation(0x1005, 2, 0x00010001,
              data=struct.pack("<HHHQQI", 4, 2, 0, 1 << 34, 1 << 33, 0xffffffff) +
              utf16("Card") + utf16(""))
    info = struct.pack("<IHHIHIIIIIIIHII", 0x00010001, 0x3801, 0, 123456, 0x3808, 999, 160, 120,
                       4000, 3000, 24,
                       0x10, 0, 0,
                       0) + utf16("IMG_0001.JPG") + utf16("20240229T101112") + utf16("") + utf16("")
    operation(0x1008, 3, 0x11, data=info)
    operation(0x100c, 4, 0x00010001, 0x10, data=info, split=40, out=True)
    c.transfer(INTERRUPT, 0x83, answer=struct.pack("<IHHII", 16, 4, 0x4002, 5, 0x12), asked=28,
               interval=6)
    return c


def industrial_camera():
    info = struct.pack("<BBBHHHHBBBBBBBBB", 20, 0x24, 1, 0, 1, 2, 1, 4, 1, 2, 0, 6, 7, 3, 8, 0x08)
    c = described(interface(0, 0xef, 5, 0, 2), info, endpoint(0x84, 2, 1024),
                  endpoint(0x04, 2, 1024), interface(1, 0xef, 5, 1, 1), endpoint(0x83, 2, 1024),
                  interface(2, 0xef, 5, 2, 1), endpoint(0x81, 2, 1024), dev_class=(0xef, 2, 1))

    def command(code, id, payload):
        c.transfer(BULK, 0x04, out=b"U3VC" + struct.pack("<HHHH", 0x4000, code, len(payload), id) +
                   payload)

    def answer(code, id, payload, status=0, length=None):
        head = struct.pack("<HHHH", status, code, len(payload) if length is None else length, id)
        c.transfer(BULK, 0x84, answer=b"U3VC" + head + payload, asked=1024)

    def read(id, address, value, **kw):
        command(0x0800, id, struct.pack("<QHH", address, 0, len(value)))
        answer(0x0801, id, value, **kw)

    def stream(leads, block, height, status, lead_type=1):
        c.transfer(BULK, 0x81, asked=1024, answer=b"U3VL" + struct.pack(
            "<HHQHHQIIIIIHH", 0, 52, leads, 0, lead_type, 99, 0x01080009, 640, 480, 0, 0, 0, 0))
        c.transfer(BULK, 0x81, answer=bytes(range(64)), asked=1024)
        c.transfer(BULK, 0x81, asked=1024, answer=b"U3VT" + struct.pack(
            "<HHQHHQI", 0, 32, block, status, 0, 64, height))

    read(1, 0x01d8, struct.pack("<Q", 0xaffc0000))
    read(2, 0xaffc0020, struct.pack("<Q", 0xaffd0000))
    read(3, 0xaffd0018, struct.pack("<I", 1024))
    read(4, 0x0144, b"0042".ljust(64, b"\0"))
    read(5, 0x40024, b"", status=0x8003)
    command(0x0800, 6, struct.pack("<QHH", 0x01e0, 0, 8))
    answer(0x0801, 7, struct.pack("<Q", 5))
    command(0x0802, 8, struct.pack("<QI", 0xaffd0004, 1))
    answer(0x0805, 8, struct.pack("<HH", 0, 500))
    answer(0x0803, 8, struct.pack("<HH", 0, 4))
    read(9, 0x01f0, b"\x01\x02\x03\x04", length=8)
    c.transfer(BULK, 0x83, asked=1024, answer=b"U3VE" + struct.pack("<HHHHHHQ", 0, 0x0c00, 12, 1,
                                                                   0, 0x4fff, 77))
    stream(3, 3, 470, 0)
    stream(4, 4, 12, 0xa101)
    return c
