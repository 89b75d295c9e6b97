# SPDX-License-Identifier: MIT
"""Captures in which every code of a protocol occurs: requests, commands, descriptors, reports and
messages, with bytes of a fixed pseudo-random sequence."""
import struct

import bluetooth
import gadgets
import modem
import parts
import usbsynth
from steady import Steady
from usbsynth import BULK, INTERRUPT, Capture, config, device, endpoint, interface


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
        for value in sorted({0, 1, 0x7f, 0xff, whole[at] ^ 1, whole[at] + 1 & 0xff,
                             at * 37 & 0xff}):
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
    c, rng = Capture(), Steady(2)
    for type in range(256):
        for length in (2, 3, 4, 5, 7, 8, 9, 10, 12, 18, 20, 26, 42):
            data = bytes([length, type]) + bytes(rng.choice((0, 1, 2, 3, 9, 0x24, 255,
                                                             rng.below(256)))
                                                 for _ in range(length - 2))
            if type == 15:  # BOS: capabilities of each type
                data = bytes([5, 15, 5 + length, 0, 1, length, 16, length]) + data[3:length]
            c.get_descriptor(type, data)
    return c


def languages():
    """Each language of strings: in the list of them, and asked for."""
    c = Capture()
    for sub in range(1, 0x14):
        for main in range(1, 0x90):
            language = sub << 10 | main
            c.get_descriptor(3, struct.pack("<BBH", 4, 3, language))
            c.get_descriptor(3, usbsynth.string("x"), index=2, language=language)
    return c


def bos():
    c, rng = Capture(), Steady(3)
    for capability in range(24):
        for length in (3, 4, 7, 8, 10, 12, 16, 20, 24, 28, 44):
            body = bytes(rng.choice((0, 1, 255, rng.below(256))) for _ in range(length - 3))
            c.get_descriptor(15, bytes([5, 15, 5 + length, 0, 1, length, 16, capability]) + body)
    return c


def reports():
    """Report descriptors of which each byte has other values, and a report after each."""
    c, dev = Capture(), 6
    for descriptor in (usbsynth.KEYBOARD_REPORT, usbsynth.TABLET_REPORT):
        usbsynth.keyboard(c, dev)
        for at in range(len(descriptor)):
            for value in sorted({0, 1, 0x29, 0x7f, 0x85, 0xff, descriptor[at] ^ 2,
                                 descriptor[at] ^ 4, descriptor[at] + 1 & 0xff, at * 37 & 0xff}):
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


class Unit:
    """A SCSI unit on bulk-only transport."""

    def __init__(self, kind=0):
        self.c, self.tag = parts.described(interface(0, 8, 6, 0x50, 2), endpoint(0x81, 2, 512),
                                           endpoint(0x02, 2, 512)), 0
        self.ask(bytes([0x12, 0, 0, 0, 36, 0]), bytes([kind, 0x80, 5, 0x12, 31, 0x91, 0x10, 2]) +
                 b"MAKER   A UNIT          1.00")

    def ask(self, cdb, answer=b"", sent=b"", status=0):
        self.tag += 1
        self.c.transfer(BULK, 0x02, out=usbsynth.cbw(self.tag, len(answer or sent), not sent, cdb))
        if answer:
            self.c.transfer(BULK, 0x81, answer=answer)
        if sent:
            self.c.transfer(BULK, 0x02, out=sent)
        self.c.transfer(BULK, 0x81, answer=usbsynth.csw(self.tag, status=status), asked=13)


def commands(kind):
    """Every SCSI command with some values in its block, and data of several lengths."""
    unit = Unit(kind)
    for opcode in range(256):
        size = (6, 10, 10, 16, 16, 12, 6, 6)[opcode >> 5]
        for n in range(12):
            cdb = bytes([opcode] + [(i * 37 + n * 11) & (0x1f if n % 3 else 0xff) >> n % 2
                                    for i in range(1, size)])
            data = bytes((opcode + i * (n + 3)) & (255 if n % 2 else 15)
                         for i in range((0, 4, 8, 20, 36, 200)[n // 2]))
            unit.ask(cdb, data if n % 4 else b"", b"" if n % 4 else data)
    return unit.c


def inquiries():
    """Pages of vital product data, and what an INQUIRY without a page says."""
    unit, rng = Unit(), Steady(4)
    for page in [*range(0, 0x90), 0xb0, 0xb1, 0xb2, 0xb3, 0xc0, 0xff]:
        for length in (0, 1, 4, 8, 20, 44, 60):
            body = bytes(rng.choice((0, 1, 2, 3, 8, 0x20, 0x41, rng.below(256)))
                         for _ in range(length))
            for asked in (255, 4 + length, 8):
                unit.ask(bytes([0x12, 1, page, 0, asked, 0]),
                         (bytes([rng.choice((0, 5)), page, 0, length]) + body)[:asked])
    for _ in range(300):
        unit.ask(bytes([0x12, 0, 0, 0, 96, 0]), bytes(rng.below(256) for _ in range(8)) +
                 b"MAKER   A UNIT          1.00" + bytes(rng.below(256) for _ in range(
                     rng.choice((0, 1, 20, 22, 24, 38, 60)))))
    return unit.c


def modes(kind):
    """Mode pages of each number, as MODE SENSE and MODE SELECT have them."""
    unit, rng = Unit(kind), Steady(5)
    for page in range(0x40):
        for length in (2, 6, 10, 14, 22, 50):
            for subpage in (False, True):
                body = bytes(rng.below(256) for _ in range(length))
                if subpage:
                    head = bytes([0x40 | page, length & 3]) + struct.pack(">H", length)
                else:
                    head = bytes([page, length])
                unit.ask(bytes([0x1a, 0, page, 0, 255, 0]),
                         bytes([3 + len(head + body), 0, 0x90, 0]) + head + body)
                unit.ask(struct.pack(">BBBBBBBHB", 0x5a, 8, page, 0, 0, 0, 0, 512, 0),
                         struct.pack(">HBBBBH", len(head + body) + 6, 0, 0, 0, 0, 0) + head + body)
                unit.ask(struct.pack(">BBBBBBBHB", 0x55, 0x10, 0, 0, 0, 0, 0, 8 + len(head + body),
                                     0), sent=bytes(8) + head + body)
    return unit.c


def senses():
    """Sense data of both forms: each key, each code, and descriptors."""
    unit = Unit()
    asked = bytes([3, 0, 0, 0, 252, 0])
    for code in range(0x80):
        for qualifier in range(0x20):
            key = (code + qualifier) & 15
            unit.ask(asked, bytes([0x70 | qualifier & 1 | (code & 1) << 7, 0, key | code & 0xe0, 0,
                                   0, 1, 2, 10, 0, 0, 3, 4, code, qualifier, 5, qualifier * 7 & 255,
                                   6, 7])[:18 if code % 5 else 14])
    for type in range(0x10):
        for n in range(30):
            data = bytes((type * 7 + i * n) & 255 for i in range(n))
            unit.ask(asked, bytes([0x72 | n & 1, type, 0x29, n, 0, 0, 0, 2 + n, type, n]) + data)
    return unit.c


def some(rng, n):
    """n bytes, of which many are small."""
    return bytes(rng.choice((0, 0, 1, 2, 3, 8, 0x20, 0x41, 255, rng.below(256)))
                 for _ in range(n))


def hci():
    """Each command and event of a Bluetooth controller."""
    c, rng = bluetooth.controller(), Steady(6)
    for group in (*range(1, 9), 0x3f):
        for command in range(0x80):
            for n in (0, 2, 7, 25):
                data = some(rng, n)
                c.control(struct.pack("<BBHHH", 0x20, 0, 0, 0, 3 + n),
                          struct.pack("<HB", group << 10 | command, n) + data)
            # its end, with a status and values
            whole = struct.pack("<BBBHB", 0x0e, 20, 1, group << 10 | command, command & 3) + some(
                rng, 16)
            for at in range(0, len(whole), 16):
                c.transfer(INTERRUPT, 0x81, answer=whole[at:at + 16], asked=16, interval=1)
    for event in range(0x100):
        for n in (1, 4, 7, 11, 14) * (4 if event == 0x3e else 1):
            body = some(rng, n)
            if event == 0x3e:
                body = bytes([rng.below(0x30)]) + body[1:]
            c.transfer(INTERRUPT, 0x81, answer=bytes([event, n]) + body, asked=16, interval=1)
    return c


def links():
    """Each code of L2CAP's signals, of ATT and of SMP."""
    c, rng = bluetooth.controller(), Steady(7)
    for cid, codes in ((1, 0x20), (5, 0x20), (4, 0x100), (6, 0x20), (0x3f, 4)):
        for code in range(codes):
            for n in (0, 1, 2, 4, 6, 8, 12, 16, 21):
                data = some(rng, n)
                if cid in (1, 5):
                    data = struct.pack("<BBH", code, 7, n) + data
                else:
                    data = bytes([code]) + data
                out = rng.random() < .5
                packet = struct.pack("<HHHH", 0x202a, len(data) + 4, len(data), cid) + data
                c.transfer(BULK, *((0x02, packet) if out else (0x82, b"", packet)))
    return c


def containers():
    """Each operation, response and event of PTP, with parameters and with data."""
    c, rng = parts.described(interface(0, 6, 1, 1, 3), endpoint(0x81, 2, 512),
                             endpoint(0x02, 2, 512), endpoint(0x83, 3, 28, 6)), Steady(8)
    codes = (*range(0x1000, 0x1030), *range(0x9000, 0x9020), *range(0x9800, 0x9812))
    for number, code in enumerate(codes):
        for n in range(6):
            c.transfer(BULK, 0x02, out=struct.pack("<IHHI", 12 + 4 * n, 1, code, number) +
                       struct.pack("<%dI" % n, *(rng.choice((
                           0, 1, 0x3801, 0x5001, 0xffffffff, rng.below(1 << 17)))
                           for _ in range(n))))
            data = some(rng, (0, 4, 9, 26, 60, 150)[n])
            c.transfer(BULK, 0x81, answer=struct.pack("<IHHI", 12 + len(data), 2, code, number) +
                       data)
            c.transfer(BULK, 0x81, answer=struct.pack("<IHHI", 12, 3, 0x2000 + number % 0x30,
                                                      number))
    for event in range(0x4000, 0x4010):
        c.transfer(INTERRUPT, 0x83, answer=struct.pack("<IHHII", 16, 4, event, 5, 0x12), asked=28)
    return c


def mobile():
    """Each command of MBIM's services, asked for, set and answered with some integers."""
    m, rng = modem.Modem(), Steady(9)
    for service in (modem.BASIC, modem.SMS, modem.USSD, modem.PHONEBOOK, modem.STK, modem.AUTH,
                    modem.DSS, modem.EXTENSIONS, modem.NOBODY):
        for command in range(1, 32):
            for n in (0, 1, 3, 8, 15):
                words = [rng.choice((0, 1, 2, 3, 4, 7, 9, 0x20, 1 << 31, rng.below(1 << 20)))
                         for _ in range(n)]
                info = struct.pack("<%dI" % n, *words) + b"4\0G\0" * 8
                m.ask(service, command, info, info[::-1], status=n)
                m.query(service, command, info, info[4:])
                m.indicate(service, command, info)
    return m.c


def remote_ndis():
    """Each message of RNDIS, with objects by their numbers."""
    c = Capture()
    c.get_descriptor(1, device(0x1111, 0x2222, 0xe0))
    c.get_descriptor(2, config(interface(0, 0xe0, 1, 3, 1), endpoint(0x83, 3, 16, 9),
                               interface(1, 0x0a, 0, 0, 2), endpoint(0x81, 2, 512),
                               endpoint(0x02, 2, 512), interfaces=2))
    rng = Steady(10)
    objects = [group | n for group in (0x00010100, 0x00010200, 0x00020100, 0x00020200, 0x01010100,
                                       0x01010200, 0x01020100, 0x01020200, 0xfd010100)
               for n in range(0x21)]
    for object_ in objects:
        for n in (0, 4, 6, 16):
            data = some(rng, n)
            ask = struct.pack("<IIIIIII", 4 + object_ % 2, 28 + n, 5, object_, n, 20, 0) + data
            c.control(struct.pack("<BBHHH", 0x21, 0, 0, 0, len(ask)), ask)
            tell = struct.pack("<IIIIII", 0x80000004, 24 + n, 5, object_ & 3 and 0xc00000bb, n,
                               16) + data
            c.control(struct.pack("<BBHHH", 0xa1, 1, 0, 0, 1024), tell)
    for type in (*range(1, 10), 0x80000002, 0x80000005, 0x80000006, 0x80000008):
        for n in (8, 12, 16, 20, 24, 28, 44, 52, 68):
            message = (struct.pack("<II", type, n) + some(rng, n))[:n]
            c.control(struct.pack("<BBHHH", 0x21 if type < 10 else 0xa1, type >= 10, 0, 0, n),
                      message)
            c.transfer(BULK, 0x02, out=message + bytes(60))
    return c
