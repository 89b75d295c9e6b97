# SPDX-License-Identifier: MIT
"""A Bluetooth controller: its commands and events, and what devices exchange through it."""
import struct

from parts import described
from usbsynth import BULK, INTERRUPT, endpoint, interface


def controller():
    return described(interface(0, 0xe0, 1, 1, 3), endpoint(0x81, 3, 16, 1), endpoint(0x82, 2, 64),
                     endpoint(0x02, 2, 64), dev_class=(0xe0, 1, 1))


def bluetooth():
    c = controller()

    def command(opcode, data=b""):
        c.control(struct.pack("<BBHHH", 0x20, 0, 0, 0, 3 + len(data)),
                  struct.pack("<HB", opcode, len(data)) + data)

    def event(code, data):
        whole = bytes([code, len(data)]) + data
        for at in range(0, len(whole), 16):
            c.transfer(INTERRUPT, 0x81, answer=whole[at:at + 16], asked=16, interval=1)

    address = bytes.fromhex("665544332211")
    command(0x0c14)
    event(0x0e, b"\x01\x14\x0c\x00" + b"trawl's own".ljust(248, b"\0"))
    command(0x1001)
    event(0x0e, struct.pack("<BHBBHBHH", 1, 0x1001, 0, 9, 0x1234, 9, 15, 0x4321))
    command(0x0405, address + struct.pack("<HBBHB", 0xcc18, 1, 0, 0x8000, 1))
    event(0x0f, struct.pack("<BBH", 0, 1, 0x0405))
    event(0x03, b"\0" + struct.pack("<H", 0x2a) + address + b"\x01\x00")
    event(0x07, b"\0" + address + b"somebody's phone".ljust(248, b"\0"))
    command(0x0c01, struct.pack("<Q", 0x3dbff807fffbffff))
    command(0x080d, struct.pack("<HH", 0x2a, 0x0005))
    event(0x0b, struct.pack("<BHQ", 0, 0x2a, 0x83593ff98efffeff))
    for page, bits in (0, 0x83593ff98efffeff), (1, 5), (2, 0x0a5), (3, 6):
        event(0x0e, struct.pack("<BHBBBQ", 1, 0x1004, 0, page, 2, bits))
        event(0x23, struct.pack("<BHBBQ", 0, 0x2a, page, 2, ~bits & 0xfff))
    event(0x1d, struct.pack("<BHH", 0, 0x2a, 0xcc18))
    command(0x2001, struct.pack("<Q", 0x1f))
    command(0x0406, struct.pack("<HB", 0x2a, 0x13))
    event(0x05, struct.pack("<BHB", 0, 0x2a, 0x16))
    acl = struct.pack("<HHHH", 0x202a, 104, 100, 0x40) + bytes(range(100))
    for at in range(0, len(acl), 64):
        c.transfer(BULK, 0x82, answer=acl[at:at + 64], asked=64)
    return c



def rfcomm(dlci, control, data=b"", credits=b"", wrong=0):
    """A frame with its check sequence, which is over two bytes of UIH and three of others."""
    length = [len(data) << 1 | 1] if len(data) < 128 else [len(data) << 1 & 0xff, len(data) >> 7]
    head = bytes([dlci << 2 | 3, control, *length])
    crc = 0xff
    for byte in head[:2 if control & ~0x10 == 0xef else 3]:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xe0 if crc & 1 else 0)
    return head + credits + data + bytes([0xff - crc ^ wrong])


def element(kind, data):
    if kind in (4, 6, 8):  # text, list, URL: with a length
        return bytes([kind << 3 | 5, len(data)]) + data
    return bytes([kind << 3 | (len(data).bit_length() - 1)]) + data


class Link:
    """A connection; the host's CIDs are from 0x40, the other side's from 0x50, or both are one."""
    def __init__(self):
        self.c = controller()

    def acl(self, into, cid, data):
        frame = struct.pack("<HHHH", 0x202a, len(data) + 4, len(data), cid) + data
        self.c.transfer(BULK, 0x82 if into else 2, answer=frame if into else b"",
                        out=b"" if into else frame,
                        asked=max(64, len(frame)) if into else len(frame))

    def signal(self, into, code, data, cid=1):
        self.acl(into, cid, struct.pack("<BBH", code, 1, len(data)) + data)

    def opened(self, psm, ours, theirs):
        self.signal(True, 2, struct.pack("<HH", psm, theirs))
        self.signal(False, 3, struct.pack("<HHHH", ours, theirs, 1, 1))
        self.signal(False, 3, struct.pack("<HHHH", ours, theirs, 0, 0))

    def sdp(self, into, pdu, transaction, data):
        self.acl(into, 0x40 if into else 0x50,
                 struct.pack(">BHH", pdu, transaction, len(data)) + data)


def services(link):
    link.signal(False, 2, struct.pack("<HH", 1, 0x40))
    link.signal(True, 3, struct.pack("<HHHH", 0x50, 0x40, 0, 0))
    link.signal(False, 5, struct.pack("<HHH", 0x40, 0, 0) + b"\x01\x02\xa0\x02")
    link.signal(False, 10, struct.pack("<H", 2))
    link.signal(True, 11, struct.pack("<HHI", 2, 0, 0xb8))
    link.signal(True, 1, struct.pack("<H", 0))
    wanted = element(6, element(1, b"\0\0\xff\xff") + element(1, b"\1\0"))
    link.sdp(False, 6, 7, element(6, element(3, b"\1\0")) + b"\0\x50" + wanted + b"\0")
    protocols = element(6, element(6, element(3, b"\1\0")) +
                        element(6, element(3, b"\0\3") + element(1, b"\5")))
    record = element(6, element(1, b"\0\1") + element(6, element(3, b"\x11\x01")) +
                     element(1, b"\0\4") + protocols + element(1, b"\1\0") + element(4, b"log") +
                     element(1, b"\3\0") + element(1, b"\xff" * 4) +
                     element(1, b"\3\1") + element(5, b"\1"))
    found = element(6, record)
    link.sdp(True, 7, 7, struct.pack(">H", len(found)) + found + b"\0")
    link.sdp(False, 2, 8, element(6, element(3, b"\x11\5")) + b"\0\5\0")
    link.sdp(True, 3, 8, struct.pack(">HHI", 1, 1, 0x10006) + b"\0")
    link.sdp(True, 1, 9, struct.pack(">H", 4))


def lines(link):
    link.opened(3, 0x41, 0x51)
    put = (b"\1\0\x0f" + "a.vcf\0".encode("utf-16-be") + struct.pack(">BI", 0xc3, 73) +
           b"\x42\0\x0ftext/x-vCard" + b"\x48\0\x0c" + b"BEGIN")
    put = b"\2" + struct.pack(">H", len(put) + 3 + 4) + put
    for into, frame in (
            (True, rfcomm(0, 0x3f)), (False, rfcomm(0, 0x73)),
            (True, rfcomm(0, 0xef,
                          struct.pack("<BBBBBBHBB", 0x83, 0x11, 10, 0xf0, 7, 0, 667, 0, 3))),
            (True, rfcomm(10, 0x3f)), (False, rfcomm(10, 0x73, wrong=0x10)),
            (True, rfcomm(0, 0xef, b"\xe3\5\x2b\x8d")),
            (False, rfcomm(10, 0xff, credits=b"\x21")),
            (True, rfcomm(10, 0xef, b"\x80\0\x0e\x10\0\x0f\xa0\x46\0\7\1\2\3\4")),
            (False, rfcomm(10, 0xef, b"\xa0\0\7\x10\0\x7f\xff")),
            (True, rfcomm(10, 0xef, b"AT+BRSF=0\r")), (True, rfcomm(10, 0xef, put))):
        link.acl(into, 0x41 if into else 0x51, frame)


def attributes(link):
    for into, data in (
            (False, "02 0002"), (True, "03 1700"), (False, "10 0100 ffff 0028"),
            (True, "11 06 0100 0500 0018 0600 0800 0118"), (False, "04 0900 0a00"),
            (True, "05 01 0900 0229 0a00 0829"), (False, "08 0100 0500 0328"),
            (True, "09 07 0200 02 0300 002a"), (False, "0a 1300"), (True, "01 0a 1300 01"),
            (False, "06 0100 ffff 0028 0a18"), (True, "07 0100 0500"), (False, "0c 0300 1600"),
            (False, "12 0900 0100"), (True, "13"), (True, "1b 0c00 4b09"), (False, "18 01"),
            (False, "52 0900 " + "5a" * 20), (True, "d3 00")):
        link.acl(into, 4, bytes.fromhex(data))
    link.signal(True, 0x12, struct.pack("<HHHH", 16, 24, 0, 600), cid=5)
    link.signal(False, 0x13, struct.pack("<H", 0), cid=5)
    for into, data in ((False, "01 04 00 0d 10 07 07"), (True, "02 03 00 01 10 01 01"),
                       (False, "03 " + "c1" * 16), (True, "04 " + "d2" * 16), (True, "05 04"),
                       (True, "06 " + "e3" * 16), (True, "07 3412 0102030405060708")):
        link.acl(into, 6, bytes.fromhex(data))


def channels():
    link = Link()
    services(link)
    lines(link)
    link.opened(0x19, 0x42, 0x52)
    link.acl(False, 0x52, b"\0\1\2\3")
    link.acl(True, 0x60, b"\0\1\2\3")  # opened before the capture
    attributes(link)
    link.opened(0x1b, 0x43, 0x53)
    link.signal(True, 4, struct.pack("<HH", 0x43, 0) +
                b"\x04\x09\x03\x08\x02\xd0\x07\xe0\x2e\xf2\x03\x05\x01\x01")
    link.acl(True, 0x43, b"\1\0\0\x11\x0e\0\x12\x34")  # its mode has fields before the data
    return link.c


def odd():
    """Frames that end early, have lengths that cannot be, or are parts of something longer."""
    link = Link()
    link.opened(1, 0x40, 0x50)
    link.opened(3, 0x41, 0x51)
    link.opened(0x1f, 0x42, 0x52)

    def found(number, attributes, rest=b"\0"):
        link.sdp(True, 5, number, struct.pack(">H", len(attributes)) + attributes + rest)
    # of the specification is no boolean or number without bytes, UUID of one, or kind 9
    for number, value in enumerate((b"\x2d\0", b"\x15\0", b"\x18\x01", b"\x48\x01"), 20):
        found(number, element(6, element(1, b"\3\0") + value))
    deep = b""
    for _ in range(12):
        deep = element(6, deep)
    found(24, element(6, element(1, b"\3\0") + deep))
    found(25, element(6, element(1, b"\0\0\3\0\0\0\0\0") + element(1, b"\1")))
    found(26, element(6, element(1, b"\1\0") + element(4, b"cut here"))[:-3], b"\2\0\7")
    found(27, b"ere" + element(1, b"\1\1") + element(4, b"in full"))
    found(28, element(6, element(1, b"\1\2") + element(4, b"x")), b"\5\0")
    name = "".join(chr(0x61 + i % 26) for i in range(62)) + "\N{SLIGHTLY SMILING FACE}" + "z" * 9
    link.acl(False, 0x51, rfcomm(10, 0xef, b"\x83\0\x9f\1\0\x97" +
                                 (name + "\0").encode("utf-16-be") + b"\xcb\0\0\0"))
    link.acl(False, 0x51, rfcomm(10, 0xef, b"\xa0\x40\0\x48\0\7body" + b"\xc3\1"))
    link.acl(False, 0x51, rfcomm(10, 0xef) + b"more")
    link.acl(True, 0x42, b"\x13\2\3\4")
    link.acl(True, 0x42, b"\x1b\x2a\0\2\0\4\5\0\0\0\0")
    return link.c


# What the lines of odd() have, and whether each shows its bytes: not those with typed keys.
ODD = (
    ("Response 20, 23 of", True), ("Response 21, 23 of", True), ("Response 22, 23 of", True),
    ("Response 23, 23 of", True), ("Response 24: 0x0300 [[[[[[[[[...]]]]]]]]], 45 of", True),
    ("Response 25, 29 of", True), ("Response 26, continued, 30 of", True),
    ("Response 27, part of a list, 31 of", True),
    ('Response 28: ProviderName "x", 25 of', True),
    ('abcdefghij\N{SLIGHTLY SMILING FACE}zzzzzzzzz", Connection Id 4 bytes (3 of them here), '
     "158 of 159 bytes, ", True),
    ("RFCOMM channel 5 UIH, 12 bytes, 24 bytes,", True), ("RFCOMM channel 5 UIH, 16 bytes,", True),
    ("ATT Write Response, 12 of", True), ("handle 0x002a, 3 of 11 bytes of the frame, ", False))
