# SPDX-License-Identifier: MIT
"""Disks, and an optical drive that is asked for all that its dissectors know."""
import struct

from parts import described
from usbsynth import BULK, cbw, csw, endpoint, interface


def feature(code, data=b"", version=1, persistent=1, current=1):
    return struct.pack(">HBB", code, version << 2 | persistent << 1 | current, len(data)) + data


def configuration():
    """Each flag of the features is set in one of two."""
    profiles = b"".join(struct.pack(">HBB", p, c, 0) for p, c in (
        (0x0010, 1), (0x0008, 0), (0x001b, 0), (0x1234, 0)))
    features = [feature(0x0000, profiles), feature(0x0001, struct.pack(">IBBBB", 7, 2, 0, 0, 0)),
                feature(0x0003, bytes([0x2d, 0, 0, 0])),
                feature(0x0010, struct.pack(">IHBB", 2048, 16, 1, 0)),
                feature(0x0021, bytes([0x01, 0x04, 5, 1, 7, 0, 0, 0])),
                feature(0x0108, b"SERIAL 1"), feature(0x0fff, b"\1\2\3\4", 0, 0, 0)]
    for bits in (0x55, 0xaa, 0xff, 0):
        features += [feature(0x001e, bytes([bits, 0, 0, 0])),
                     feature(0x002a, bytes([bits, bits, 0, 0])), feature(0x002b, bytes([bits] * 4)),
                     feature(0x002d, bytes([bits, 0, bits, 0x10])),
                     feature(0x002e, bytes([bits, 1, 2, bits])),
                     feature(0x002f, bytes([bits, 0, 0, 0]))]
    body = struct.pack(">HH", 0, 0x0010) + b"".join(features)
    return struct.pack(">I", len(body)) + body


def toc(first, last, entries):
    body = bytes([first, last]) + entries
    return struct.pack(">H", len(body)) + body


def asked():
    """(CDB, answer or None, parameter list or None) of each command."""
    def ten(opcode, *rest, length=0):
        return bytes([opcode, *rest]).ljust(7, b"\0") + struct.pack(">HB", length, 0)

    def twelve(*bytes_):
        return bytes(bytes_).ljust(12, b"\0")
    yield bytes([0x12, 0, 0, 0, 36, 0]), (bytes([5, 0x80, 5, 0x12, 31, 0x91, 0x10, 2]) +
                                         b"MAKER   A DRIVE         1.00"), None
    answer = configuration()
    yield ten(0x46, 1, 0, 0x1e, length=len(answer)), answer, None
    for bits in 0x55, 0xaa:
        disc = bytes([0, 32, bits & 0x1f, 1, 2, 3, 4, bits & 0xf7, 0x20, 1, 2, 3]) + bytes(
            (i * 7 + bits) & 255 for i in range(20)) + bytes([5, 0])
        yield ten(0x51, length=34), disc, None
        track = bytes([0, 38, 1, 1, 0, bits & 0x3f, bits, bits & 3]) + bytes(
            (i * 11 + bits) & 255 for i in range(24)) + bytes([0, 0, 0, 0, 1, 2, 3, 4])
        yield ten(0x52, bits & 1, 0, 0, 0, 1, length=40), track, None
    entries = bytes([0, 0x14, 1, 0, 0, 0, 0, 0, 0, 0x10, 2, 0, 0, 0, 4, 0xb0,
                     0, 0x14, 0xaa, 0, 0, 5, 0, 0])
    yield ten(0x43, length=28), toc(1, 2, entries), None
    entries = bytes([0, 0x14, 1, 0, 0, 0, 2, 0, 0, 0x14, 0xaa, 0, 0, 62, 30, 21])
    yield ten(0x43, 2, length=20), toc(1, 1, entries), None
    yield ten(0x43, 0, 1, length=12), toc(1, 1, bytes([0, 0x14, 1, 0, 0, 0, 0, 9])), None
    points = bytes([1, 0x14, 0, 0xa0, 0, 0, 0, 0, 1, 0, 0])
    yield ten(0x43, 2, 2, length=15), toc(1, 1, points), None
    for event in (bytes([0, 6, 4, 0x5e, 2, 2, 0, 0]), bytes([0, 2, 0x80, 0x5e]),
                  bytes([0, 6, 1, 0x5e, 2, 0x81, 0, 3]), bytes([0, 6, 4, 0x5e, 3, 1, 0, 0])):
        yield ten(0x4a, 1, 0, 0, 0x54, length=8), event, None
    physical = bytes([0x35, 0x12, 0x31, 0x21, 0, 3, 0, 0, 0, 0x26, 5, 0xa7, 0, 1, 2, 3, 0x80])
    adip = physical[:16] + bytes([0x40, 7, 0x15]) + b"MAKER\0\0\0" + b"T01" + bytes([2, 31])
    for form, body in (0, physical.ljust(32, b"\0")), (0x11, adip), (1, bytes([1, 0xfe, 0, 0])):
        yield twelve(0xad, 0, 0, 0, 0, 9, 1, form, 0, len(body) + 4, 0x80), struct.pack(
            ">HH", len(body) + 2, 0) + body, None
    yield twelve(0xa4, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0x48), bytes([0, 6, 0, 0, 0x65, 0xfe, 1, 0]), None
    yield ten(0x5c, length=12), struct.pack(">HBBII", 10, 0, 0, 0x10000, 0x8000), None
    yield ten(0x5c, 1, length=12), struct.pack(">HBBII", 10, 0, 1, 0x100, 0x80), None
    yield twelve(0xbd, 0, 0, 0, 0, 0, 0, 0, 0, 8), bytes([0, 0x10, 0, 0, 5, 1, 0, 0]), None
    yield twelve(0xb6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 28), None, struct.pack(
        ">BxxxIIIIII", 0x0a, 1, 2, 3, 4, 5, 6)
    yield twelve(0xbb, 1, 0x10, 0x8a, 0x0b, 0x00), None, None
    yield twelve(0xac, 0x10, 0, 0, 0, 3, 0, 0, 0, 4, 3), bytes(16), None
    for bits in 1, 2:
        yield bytes([0x1e, 0, 0, 0, bits, 0]), None, None
    yield ten(0x35, 2), None, None
    yield ten(0x35, 1), None, None
    yield ten(0x5b, 1, 2, 0, 1), None, None
    yield ten(0x42, 2, 0x40, 1, length=4), bytes(4), None
    yield twelve(0xa1, 0x11), None, None


def optical(kind=5, opcodes=None, split=None):
    """kind: the unit's type by INQUIRY. split: the bytes of each transfer of answers."""
    c = described(interface(0, 8, 6, 0x50, 2), endpoint(0x81, 2, 512), endpoint(0x02, 2, 512))
    for tag, (cdb, answer, sent) in enumerate(
            (x for x in asked() if opcodes is None or x[0][0] in opcodes), 1):
        if cdb[0] == 0x12:
            answer = bytes([kind]) + answer[1:]
        c.transfer(BULK, 0x02, out=cbw(tag, len(answer or sent or b""), not sent, cdb))
        step = split or 4096
        for at in range(0, len(answer or b""), step):
            c.transfer(BULK, 0x81, answer=answer[at:at + step])
        if sent:
            c.transfer(BULK, 0x02, out=sent)
        c.transfer(BULK, 0x81, answer=csw(tag), asked=13)
    return c


def mode_pages(kind, ten, *pages):
    """A unit of this device type, whose mode pages are all read by MODE SENSE."""
    c = described(interface(0, 8, 6, 0x50, 2), endpoint(0x81, 2, 512), endpoint(0x02, 2, 512))
    body = b"".join(bytes([code, len(p)]) + p for code, p in pages)
    asked = [(bytes([0x12, 0, 0, 0, 36, 0]), bytes([kind, 0x80, 5, 0x12, 31, 0x91, 0x10, 2]) +
              b"MAKER   A UNIT          1.00")]
    if ten:
        asked.append((struct.pack(">BBBBBBBHB", 0x5a, 8, 0x3f, 0, 0, 0, 0, 512, 0),
                      struct.pack(">HBBBBH", len(body) + 6, 0, 0, 0, 0, 0) + body))
    else:
        block = struct.pack(">II", 32768, 512)
        asked.append((bytes([0x1a, 0, 0x7f, 0, 255, 4]),
                      bytes([3 + len(block) + len(body), 0, 0x90, len(block)]) + block + body))
    asked.append((struct.pack(">BBIBHB", 0x28, 0x38, 8, 3, 1, 0), bytes(512)))
    for tag, (cdb, answer) in enumerate(asked):
        c.transfer(BULK, 0x02, out=cbw(tag + 1, len(answer), True, cdb))
        c.transfer(BULK, 0x81, answer=answer)
        c.transfer(BULK, 0x81, answer=csw(tag + 1), asked=13)
    return c


def numbered(n):
    """Bytes that all differ."""
    return bytes((37 * i + 0x5a) & 0xff for i in range(n))


def disk():
    return mode_pages(0, False, *((code, numbered(n)) for code, n in (
        (0x01, 10), (0x02, 14), (0x03, 22), (0x04, 22), (0x88, 18), (0x0a, 10), (0x1c, 10))))


def drive():
    return mode_pages(5, True, *((code, numbered(n)) for code, n in (
        (0x01, 10), (0x05, 50), (0x2a, 30), (0x1c, 10), (0x31, 3))))
