# SPDX-License-Identifier: MIT
"""A modem that speaks MBIM, made of nothing: messages of every service, and transfer blocks."""
import struct
import uuid

from usbsynth import BULK, INTERRUPT, Capture, config, device, endpoint, interface

BASIC = "a289cc33-bcbb-8b4f-b6b0-133ec2aae6df"
SMS = "533fbeeb-14fe-4467-9f90-33a223e56c3f"
USSD = "e550a0c8-5e82-479e-82f7-10abf4c3351f"
PHONEBOOK = "4bf38476-1e6a-41db-b1d8-bed289c25bdb"
STK = "d8f20131-fcb5-4e17-8602-d6ed3816164c"
AUTH = "1d2b5ff7-0aa1-48b2-aa52-50f15767174e"
DSS = "c08a26dd-7718-4382-8482-6e0d583c4d0e"
EXTENSIONS = "3d01dcc5-fef5-4d05-0d3a-bef7058e9aaf"
INTERNET = "7e5e2a7e-4e6f-7272-736b-656e7e5e2a7e"
NOBODY = "00112233-4455-6677-8899-aabbccddeeff"


def raw(name):
    return uuid.UUID(name).bytes


def structure(*fields):
    """Integers of four bytes, bytes in place, texts and ("data", bytes) behind the fields, and
    lists of structures or texts: their count, and offset and length of each."""
    def size(f):
        return (4 if isinstance(f, int) else len(f) if isinstance(f, bytes) else
                4 + 8 * len(f) if isinstance(f, list) else 8)

    def refer(data):
        nonlocal behind
        at = start + len(behind)
        behind += data + bytes(-len(data) % 4)
        return struct.pack("<II", at if data else 0, len(data))

    start, head, behind = sum(size(f) for f in fields), b"", b""
    for f in fields:
        if isinstance(f, int):
            head += struct.pack("<I", f)
        elif isinstance(f, bytes):
            head += f
        elif isinstance(f, list):
            head += struct.pack("<I", len(f))
            head += b"".join(refer(x.encode("utf-16-le") if isinstance(x, str) else x) for x in f)
        else:
            head += refer(f.encode("utf-16-le") if isinstance(f, str) else f[1])
    return head + behind


class Modem:
    def __init__(self):
        self.c, self.id = Capture(), 0
        self.c.get_descriptor(1, device(0x1199, 0x9071, 2))
        self.c.get_descriptor(2, config(
            interface(0, 2, 0x0e, 0, 1), endpoint(0x81, 3, 64, 9), interface(1, 0x0a, 0, 2, 2),
            endpoint(0x82, 2, 512), endpoint(0x02, 2, 512), interfaces=2))

    def send(self, message):
        self.c.control(struct.pack("<BBHHH", 0x21, 0, 0, 0, len(message)), message)

    def receive(self, message):
        self.c.transfer(INTERRUPT, 0x81, answer=b"\xa1\x01\0\0\0\0\0\0", asked=64, interval=9)
        self.c.control(struct.pack("<BBHHH", 0xa1, 1, 0, 0, 4096), message)

    def simple(self, type, more, id=None):
        return struct.pack("<III", type, 12 + len(more), self.id if id is None else id) + more

    def fragments(self, type, body, size=4096):
        parts = [body[i:i + size - 20] for i in range(0, len(body), size - 20)]
        return [struct.pack("<IIIII", type, 20 + len(p), self.id, len(parts), i) + p
                for i, p in enumerate(parts)]

    def answer(self, service, cid, info, status=0, size=4096):
        for part in self.fragments(0x80000003, raw(service) +
                                   struct.pack("<III", cid, status, len(info)) + info, size):
            self.receive(part)

    def ask(self, service, cid, info, answer=None, sets=True, **kw):
        self.id += 1
        for part in self.fragments(3, raw(service) +
                                   struct.pack("<III", cid, sets, len(info)) + info):
            self.send(part)
        if answer is not None:
            self.answer(service, cid, answer, **kw)

    def query(self, service, cid, answer, info=b"", **kw):
        self.ask(service, cid, info, answer, sets=False, **kw)

    def indicate(self, service, cid, info):
        self.id = 0
        for part in self.fragments(0x80000007, raw(service) +
                                   struct.pack("<II", cid, len(info)) + info):
            self.receive(part)


def basic_connect(m):
    provider = structure("26201", 9, "Nobody's", 1, 20, 99)
    m.query(BASIC, 1, structure(2, 1, 1, 2, 0x8000003f, 3, 1, 8, "HSPA+", "353000000000001",
                                "1.0", "Rev A"))
    m.query(BASIC, 2, structure(1, "262010000000001", "89490000000000000001", 0, ["+4915100001", "+49"]))
    m.ask(BASIC, 3, structure(1), structure(1, 1))
    m.ask(BASIC, 4, structure(2, 0, "1234", ""), structure(2, 0, 3))
    m.query(BASIC, 5, structure(*[n % 3 for n in range(40)]))
    m.query(BASIC, 6, provider)
    m.query(BASIC, 8, structure([provider, structure("26202", 8, "Other", 1, 11, 99)]),
            structure(1))
    m.ask(BASIC, 9, structure("26201", 1, 0x20),
          structure(0, 3, 1, 0x3f, 1, "26201", "Nobody's", "", 2))
    m.indicate(BASIC, 9, structure(11, 4, 2, 4, 1, "20801", "Elsewhere", "roams", 1, 0x20))
    m.ask(BASIC, 10, structure(0), structure(0, 2, 0x20, struct.pack("<QQ", 50000000, 100000000)))
    m.indicate(BASIC, 10, structure(0, 2, 0x40, struct.pack("<QQ", 1, 5 << 32), 1, 2,
                                    struct.pack("<HHI", 262, 1, 77)))
    m.ask(BASIC, 11, structure(5, 3, 0xffffffff), structure(20, 99, 5, 3, 0xffffffff))
    m.indicate(BASIC, 11, structure(20, 99, 5, 3, 0, ("data", structure(
        1, 70, 80, 0xffffffff, 0xffffffff, 0x40))))
    m.ask(BASIC, 12, structure(0, 1, "internet", "user", "secret", 0, 2, 1, raw(INTERNET)),
          structure(0, 1, 0, 1, raw(INTERNET), 0))
    m.query(BASIC, 13, structure([structure(1, raw(INTERNET), "internet", "", "hidden", 0, 1)]))
    m.ask(BASIC, 14, b"vendor's", structure(27, b"answer"))
    addresses = structure(0, 15, 6, 1, 60, 1, 68, 88, 92, 2, 108, 1, 116, 1500, 0)
    m.query(BASIC, 15, addresses + struct.pack("<I4B", 30, 10, 0, 0, 2) + struct.pack("<I", 64) +
            bytes.fromhex("20010db8000000000000000000000002") + bytes([10, 0, 0, 1]) +
            bytes.fromhex("20010db8000000000000000000000001") + bytes([8, 8, 8, 8, 9, 9, 9, 9]) +
            bytes.fromhex("20010db8000000000000000000000053"), addresses[:4] + bytes(56))
    m.query(BASIC, 16, structure(2, 0, struct.pack("<IIII", 24, 40, 64, 32)) +
            structure(raw(BASIC), 0, 0, 3, 1, 2, 3) + structure(raw(DSS), 3, 1, 1, 1))
    m.ask(BASIC, 19, structure([structure(raw(BASIC), 2, 9, 11)]), structure([]))
    m.query(BASIC, 20, structure(1, 2, struct.pack("<QQQQ", 1 << 40, 4, 5, 6), 7, 8))
    m.ask(BASIC, 21, structure(1), structure(1))
    m.ask(BASIC, 22, structure(1), b"", status=9)
    m.query(BASIC, 23, structure(1, [struct.pack("<III", 4, 12, 16) + b"\x45\0\0\0\xff\0\0\0"]),
            structure(1, []))


def others(m):
    m.ask(SMS, 1, structure(0, "+4912"), structure(1, 0, 20, 160, "+4912"))
    m.query(SMS, 2, structure(0, [structure(3, 1, ("data", bytes(range(20))))]), structure(0, 1, 3))
    m.query(SMS, 2, structure(1, [structure(4, 0, "+4913", "24,01", 2, 1, ("data", b"hello"), 5)]),
            structure(1, 0, 0))
    m.ask(SMS, 3, structure(0, ("data", b"\x00\x01\x02")), structure(9))
    m.ask(SMS, 3, structure(1, 2, 1, "+4914", ("data", b"hi"), 2), structure(10))
    m.ask(SMS, 4, structure(1, 3), b"")
    m.indicate(SMS, 5, structure(2, 5))
    m.ask(USSD, 1, structure(0, 15, ("data", b"*100#")), structure(0, 0, 15, ("data", b"12")))
    m.query(PHONEBOOK, 1, structure(1, 250, 3, 20, 16))
    m.query(PHONEBOOK, 2, structure([structure(1, "110", "Help")]), structure(0, 0))
    m.ask(STK, 2, structure(3, b"\x81\x03\x01\0"), structure(("data", b"\x90\0"), 0x9000))
    m.indicate(STK, 1, structure(0, b"\xd0\x02\x81\x03"))
    m.query(AUTH, 1, bytes(range(16)) + structure(8) + bytes(range(46)), bytes(32))
    m.ask(DSS, 1, structure(raw(NOBODY), 1, 1), b"")
    m.query(EXTENSIONS, 15, b"\0\1\0\3", b"\0\1\0\3")
    m.query(NOBODY, 7, b"whatever")


def late(m):
    """What MBIM 3.0 changed, and a message in three fragments."""
    m.query(BASIC, 2, structure(1, 5, "262010000000001", "8949", 0, ["+49"]))
    m.query(EXTENSIONS, 6, structure(1, 1, 1, 2, 0x40, 3, 0xa3, struct.pack("<Q", 3), 2, 0, 155))
    m.query(BASIC, 8, structure([structure("%05d" % n, 8, "Provider", 1, 1, 1)
                                 for n in range(3)]), structure(0), size=128)


def odd():
    """What tshark takes for MBIM 1.0, and what is wrong: a text beyond the buffer's end, more
    structures than fit, a PIN in a buffer that is cut."""
    m = Modem()
    m.ask(BASIC, 12, structure(0, 1, 0, 0, 3, raw(INTERNET), 1, b"\x0a\0\0\2\4\0\0\0a\0b\0"))
    m.query(BASIC, 6, struct.pack("<IIIIIIII", 32, 99, 1, 0, 0, 1, 2, 3))
    m.query(BASIC, 7, structure(1 << 29))
    m.ask(BASIC, 4, structure(2, 0, "1234", "")[:-4])
    m.query(BASIC, 13, structure([structure(n, raw(INTERNET), "internet", "", "password%d" % n, 0, 1)
                                  for n in range(3)]), size=128)
    return m.c


def ip(version, payload=b""):
    if version == 6:
        return struct.pack(">IHBB", 6 << 28, len(payload), 58, 64) + bytes(15) + b"\1" + bytes(
            15) + b"\2" + payload
    return struct.pack(">BBHIBBH4B4B", 0x45, 0, 20 + len(payload), 0, 64, 17, 0, 10, 0, 0, 2, 8, 8,
                       8, 8) + payload


def block(sequence, tables, wide=False):
    """An NTB16 or NTB32 of tables, each a signature and its datagrams."""
    head, entry = (16, 8) if wide else (12, 4)
    number = "<II" if wide else "<HH"
    out, at = b"", head
    for i, (signature, datagrams) in enumerate(tables):
        length = (16 if wide else 8) + entry * (len(datagrams) + 1)
        data, pointers = b"", b""
        for d in datagrams:
            pointers += struct.pack(number, at + length + len(data), len(d))
            data += d + bytes(-len(d) % 4)
        whole = length + len(data)
        following = at + whole if i + 1 < len(tables) else 0
        out += signature + (struct.pack("<HHII", length, 0, following, 0) if wide else
                            struct.pack("<HH", length, following))
        out += pointers + bytes(entry) + data
        at += whole
    if wide:
        return struct.pack("<4sHHII", b"ncmh", 16, sequence, at, 16) + out
    return struct.pack("<4sHHHH", b"NCMH", 12, sequence, at, 12) + out


def modem():
    m = Modem()
    m.send(m.simple(1, struct.pack("<I", 4096), 1))
    m.receive(m.simple(0x80000001, bytes(4), 1))
    basic_connect(m)
    others(m)
    late(m)
    m.send(m.simple(4, struct.pack("<I", 2)))
    m.receive(m.simple(0x80000004, struct.pack("<I", 5)))
    m.send(m.simple(2, b"", 99))
    m.receive(m.simple(0x80000002, struct.pack("<I", 1), 99))
    m.c.transfer(BULK, 0x02, out=block(1, [(b"IPS\0", [ip(4), ip(6)])]))
    m.c.transfer(BULK, 0x82, answer=block(7, [(b"IPS\1", [ip(4, bytes(8))]),
                                              (b"DSS\2", [b"stream"])]))
    m.c.transfer(BULK, 0x82, answer=block(8, [(b"ips\3", [ip(6, b"x")])], wide=True))
    return m.c


def eem():
    """A network device of class CDC EEM: frames, one without a checksum of its own, and an echo."""
    c = Capture()
    c.get_descriptor(1, device(0x1d6b, 0x0102, 2))
    c.get_descriptor(2, config(interface(0, 2, 0x0c, 7, 2), endpoint(0x81, 2, 512),
                               endpoint(0x02, 2, 512)))
    frame = bytes.fromhex("3333000000020200000000010800") + ip(4, b"trawl")
    packet = struct.pack("<H", len(frame) + 4) + frame + bytes.fromhex("deadbeef")
    c.transfer(BULK, 0x02, out=packet + bytes(2) + packet)
    c.transfer(BULK, 0x81, answer=struct.pack("<H", 0x8004) + b"echo" + packet)
    c.transfer(BULK, 0x81, answer=struct.pack("<H", 0xa801))
    return c
