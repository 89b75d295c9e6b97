# SPDX-License-Identifier: MIT
"""Devices whose descriptors and answers have several numbers or bits in one field."""
import struct

from usbsynth import BULK, Capture, config, device, endpoint, interface


def described(interface_, *endpoints, dev_class=(0, 0, 0), vendor=0x1111, product=0x2222):
    c = Capture()
    c.get_descriptor(1, device(vendor, product, *dev_class))
    c.get_descriptor(2, config(interface_, *endpoints))
    return c


def sound_2(number, bits):
    """An Audio 2.0 function whose controls can all be set, or only be read, and one in an Ethernet
    function."""
    access = 0x55555555 if bits & 1 else 0xffffffff if bits else 0
    clock = bytes([8, 0x24, 10, 9, number | bits & 4, access & 15, 0, 0])
    feature = struct.pack("<BBBBBIIB", 14, 0x24, 6, 5, 1, access & 0x3fffffff, ~access & 0x3fffffff,
                          0)
    general = struct.pack("<BBBBBBIBIB", 16, 0x24, 1, 1, access & 15, 1, bits & 0x1f | bits << 8 &
                          0x80000000, 2, 3, 0)
    header = struct.pack("<BBBHBHB", 9, 0x24, 1, 0x0200, 4, 9 + 8 + 14, 0)
    ether = struct.pack("<BBBBIHHB", 13, 0x24, 15, 5, bits & 0x1fffffff, 1514,
                        0x8000 * (number & 1) | 12 + number, 3)
    return [interface(0, 1, 1, 0x20, 0), header, clock, feature,
            interface(1, 1, 2, 0x20, 0), general, interface(2, 2, 6, 0, 0),
            bytes([5, 0x24, 0, 0x10, 1]), ether]


def described_sound():
    c = Capture()
    for number, bits in enumerate((0x15555555, 0x1aaaaaaa, 0x1fffffff, 0)):
        c.get_descriptor(1, device(0x1111, 0x3222 + number), dev=30 + number)
        c.get_descriptor(2, config(*sound_2(number, bits), interfaces=3), dev=30 + number)
    return c


def hub():
    c = described(interface(0, 9, 0, 0, 1), endpoint(0x81, 3, 1, 12), dev_class=(9, 0, 1))
    for port in range(11):
        c.control(struct.pack("<BBHHH", 0xa3, 0, 0, port + 1, 4),
                  struct.pack("<HH", 0x11f ^ 1 << port, 1 << port % 5))
    # The buffer of endpoint 1 of device 6 behind port 1 is cleared, a test of port 2 begins.
    c.control(struct.pack("<BBHHH", 0x23, 8, 0x9061, 1, 0))
    c.control(struct.pack("<BBHHH", 0x23, 3, 21, 0x402, 0))
    return c


def midi_packets(message, cable=0):
    """A system exclusive message as packets of four bytes."""
    out = b""
    for i in range(0, len(message), 3):
        part = message[i:i + 3]
        code = 4 if i + 3 < len(message) else 4 + len(part)
        out += bytes([cable << 4 | code]) + part.ljust(3, b"\0")
    return out


def pedal_message(procedure, data=b""):
    """A message of DigiTech's guitar processors: seven bytes behind one with their high bits."""
    packed = b""
    for i in range(0, len(data), 7):
        part = data[i:i + 7]
        packed += bytes([sum((b >> 7) << (6 - k) for k, b in enumerate(part))])
        packed += bytes(b & 0x7f for b in part)
    body = bytes([0, 0, 0x10, 0, 0x5e, 2, procedure]) + packed
    check = 0
    for b in body:
        check ^= b
    return b"\xf0" + body + bytes([check, 0xf7])


def pedal():
    """Each message in transfers of 12 bytes, whose halves were both recorded."""
    c = described(interface(0, 1, 3, 0, 2), endpoint(0x02, 2, 64), endpoint(0x81, 2, 64))
    values = struct.pack(">HBB", 65, 2, 5) + struct.pack(">HBB", 300, 0, 0x82) + b"\x00\x86"
    for procedure, data in ((0x01, bytes(3)), (0x02, bytes([0, 0x5e, 2, 0])), (0x41, values[4:]),
                            (0x7e, b"\x41"), (0x21, b"\1"), (0x22, b"\1\2CLEAN\0LEAD\xe9\0"),
                            (0x2a, b"\4\0"), (0x2b, b"\4\0CLEAN\0\1\2"),
                            (0x2d, struct.pack(">H", 2) + values), (0x2c, b""), (0x6a, b"\1")):
        packets = midi_packets(pedal_message(procedure, data))
        for at in range(0, len(packets), 12):
            c.transfer(BULK, 0x02, out=packets[at:at + 12])
    return c


def cut_messages():
    """A message whose second transfer was recorded only in part, then a whole one."""
    c = described(interface(0, 1, 3, 0, 2), endpoint(0x02, 2, 64), endpoint(0x81, 2, 64))
    packets = midi_packets(b"\xf0" + bytes([0x41] * 28) + b"\xf7")
    c.transfer(BULK, 0x02, out=packets[:16])
    c.record("S", BULK, 0x02, id=0x7000, status=-115, length=16, data=packets[16:24])
    c.record("C", BULK, 0x02, id=0x7000, length=16)
    c.transfer(BULK, 0x02, out=packets[32:])
    c.transfer(BULK, 0x02, out=midi_packets(b"\xf0\x41\1\2\xf7"))
    return c


def mixer_2():
    """One of Audio 2.0, which tshark takes for one of 1.0."""
    return described(interface(0, 1, 1, 0x20, 0) + struct.pack(
        "<BBBHBHB", 9, 0x24, 1, 0x0200, 4, 26, 0) + bytes(
            [17, 0x24, 4, 7, 2, 1, 2, 2, 3, 0, 0, 0, 0, 0xf0, 0x55, 3, 6]))


def cpu_bus():
    """Commands of a bus whose addresses of two bytes tshark takes for commands."""
    c = described(interface(0, 0xff, 0xff, 0xff, 2), endpoint(0x81, 2, 64), endpoint(0x02, 2, 64),
                  vendor=0x0403, product=0x6010)
    c.control(struct.pack("<BBHHH", 0x40, 11, 0x020b, 1, 0))
    c.transfer(BULK, 0x02, out=bytes.fromhex("911234 93123456"))
    c.transfer(BULK, 0x02, out=bytes.fromhex("9e1180"))
    return c
