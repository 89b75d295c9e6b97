# SPDX-License-Identifier: MIT
"""USB captures made of nothing: what no public capture has, and what tests must know byte by byte.

A capture is a list of usbmon records (bytes, little endian, 64-byte header). The writers put them
into pcap and pcapng of either byte order. Run as a program, it writes the captures of the tests:

	usbsynth.py FOLDER
"""
import struct
import sys

ISO, INTERRUPT, CONTROL, BULK = range(4)
T0 = 1700000000_000000  # us


class Capture:
    def __init__(self):
        self.records = []
        self.now = T0
        self.next_id = 0xffff888000001000

    def record(self, type, xfer, ep, dev=5, bus=1, status=0, length=0, data=b"", flag_data=None,
               setup=None, flag_setup=None, interval=0, start_frame=0, flags=0, iso=(),
               iso_count=None, iso_errors=0, id=None, cap=None):
        """iso: (status, offset, length) of each packet."""
        descs = b"".join(struct.pack("<iIII", s, o, l, 0) for s, o, l in iso)
        if setup is not None:
            union = setup
        elif xfer == ISO:
            union = struct.pack("<ii", iso_errors, len(iso) if iso_count is None else iso_count)
        else:
            union = bytes(8)
        if flag_setup is None:
            flag_setup = 0 if setup is not None else ord("-")
        if flag_data is None:
            flag_data = 0
        elif isinstance(flag_data, str):
            flag_data = ord(flag_data)
        cap = len(descs) + len(data) if cap is None else cap
        head = struct.pack("<QBBBBHBBqiiII", id, ord(type), xfer, ep, dev, bus, flag_setup,
                           flag_data, self.now // 1000000, self.now % 1000000, status, length, cap)
        head += union + struct.pack("<iiII", interval, start_frame, flags, len(iso))
        assert len(head) == 64
        self.records.append(head + descs + data)
        self.now += 10

    def transfer(self, xfer, ep, out=b"", answer=b"", asked=None, status=0, latency=100, **kw):
        """A submission and its completion."""
        id = self.next_id
        self.next_id += 0x100
        into = bool(ep & 0x80)
        asked = asked if asked is not None else max(len(out), len(answer))
        common = {k: kw[k] for k in ("dev", "bus", "interval") if k in kw}
        self.record("S", xfer, ep, id=id, status=-115, length=asked, data=b"" if into else out,
                    flag_data="<" if into else 0, setup=kw.get("setup"), **common)
        self.now += latency - 10
        self.record("C", xfer, ep, id=id, status=status, length=len(answer) if into else
                    (len(out) if not status else 0), data=answer if into else b"",
                    flag_data=0 if into else ">", **common)
        return id

    def control(self, setup, data=b"", dev=5, status=0, asked=None, **kw):
        into = bool(setup[0] & 0x80)
        self.transfer(CONTROL, 0x80 if into else 0, out=b"" if into else data,
                      answer=data if into else b"", setup=setup, dev=dev, status=status,
                      asked=struct.unpack("<H", setup[6:8])[0], **kw)

    def get_descriptor(self, type, data, dev=5, index=0, language=0, interface=None):
        self.control(struct.pack("<BBBBHH", 0x80 if interface is None else 0x81, 6, index, type,
                                 language if interface is None else interface, len(data)),
                     data, dev=dev)


def crc16_modbus(data):
    value = 0xffff
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xa001 if value & 1 else value >> 1
    return value


def device(vid, pid, cls=0, sub=0, proto=0, usb=0x0200):
    return struct.pack("<BBHBBBBHHHBBBB", 18, 1, usb, cls, sub, proto, 64, vid, pid, 0x0110,
                       1, 2, 3, 1)


def config(*descriptors, interfaces=1):
    body = b"".join(descriptors)
    return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), interfaces, 1, 0, 0xa0, 50) + body


def interface(number, cls, sub, proto, endpoints, alternate=0):
    return bytes([9, 4, number, alternate, endpoints, cls, sub, proto, 0])


def endpoint(address, attributes, size, interval=0):
    return struct.pack("<BBBBHB", 7, 5, address, attributes, size, interval)


def string(text):
    raw = text.encode("utf-16-le")
    return bytes([2 + len(raw), 3]) + raw


KEYBOARD_REPORT = bytes.fromhex(
    "05010906a101050719e029e71500250175019508810295017508810195057501050819012905"
    "91029501750391019506750815002565050719002965810 0c0".replace(" ", ""))
TABLET_REPORT = bytes.fromhex(
    "05010902a1010901a100050919012903150025019503750181029501750581010501"
    "09300931150026ff7f350046ff7f751095028102050109381581257f3500450075089501"
    "8106c0c0")


def keyboard(c, dev=6):
    c.get_descriptor(1, device(0x0627, 0x0001), dev)
    c.get_descriptor(2, config(interface(0, 3, 1, 1, 1),
                               bytes([9, 0x21, 0x11, 0x01, 0, 1, 0x22, len(KEYBOARD_REPORT), 0]),
                               endpoint(0x81, 3, 8, 10)), dev)
    c.get_descriptor(0x22, KEYBOARD_REPORT, dev, interface=0)
    # LeftShift+A down, all up
    c.transfer(INTERRUPT, 0x81, answer=bytes([2, 0, 4, 0, 0, 0, 0, 0]), dev=dev, interval=10)
    c.transfer(INTERRUPT, 0x81, answer=bytes(8), dev=dev, interval=10)
    # SET_REPORT: CapsLock on
    c.control(bytes([0x21, 9, 0, 2, 0, 0, 1, 0]), b"\x02", dev=dev)


def tablet(c, dev=7):
    c.get_descriptor(1, device(0x0627, 0x0002), dev)
    c.get_descriptor(2, config(interface(0, 3, 0, 0, 1),
                               bytes([9, 0x21, 0x01, 0x00, 0, 1, 0x22, len(TABLET_REPORT), 0]),
                               endpoint(0x81, 3, 8, 4)), dev)
    c.get_descriptor(0x22, TABLET_REPORT, dev, interface=0)
    c.transfer(INTERRUPT, 0x81, answer=struct.pack("<BHHb", 1, 1000, 32767, -1), dev=dev,
               interval=4)


def cbw(tag, length, into, cdb, lun=0):
    return struct.pack("<IIIBBB", 0x43425355, tag, length, 0x80 if into else 0, lun,
                       len(cdb)) + cdb.ljust(16, b"\0")


def csw(tag, residue=0, status=0):
    return struct.pack("<IIIB", 0x53425355, tag, residue, status)


def storage(c, dev=5, descriptors=True):
    if descriptors:
        c.get_descriptor(1, device(0x46f4, 0x0001), dev)
        c.get_descriptor(2, config(interface(0, 8, 6, 0x50, 2), endpoint(0x81, 2, 512),
                                   endpoint(0x02, 2, 512)), dev)
    inquiry = bytes([0, 0x80, 5, 2, 31, 0, 0, 0]) + b"QEMU    QEMU HARDDISK   2.5+"
    c.transfer(BULK, 0x02, out=cbw(1, 36, True, bytes([0x12, 0, 0, 0, 36, 0])), dev=dev)
    c.transfer(BULK, 0x81, answer=inquiry, dev=dev)
    c.transfer(BULK, 0x81, answer=csw(1), asked=13, dev=dev)
    c.transfer(BULK, 0x02, out=cbw(2, 8, True, bytes([0x25] + [0] * 9)), dev=dev)
    c.transfer(BULK, 0x81, answer=struct.pack(">II", 32767, 512), dev=dev)
    c.transfer(BULK, 0x81, answer=csw(2), dev=dev)
    c.transfer(BULK, 0x02, out=cbw(3, 4096, False,
                                   struct.pack(">BBIBHB", 0x2a, 0, 2048, 0, 8, 0)), dev=dev)
    c.transfer(BULK, 0x02, out=bytes(range(256)) * 16, dev=dev, latency=900)
    c.transfer(BULK, 0x81, answer=csw(3), dev=dev)
    # TEST UNIT READY fails, REQUEST SENSE says why, a stalled read
    c.transfer(BULK, 0x02, out=cbw(4, 0, False, bytes(6)), dev=dev)
    c.transfer(BULK, 0x81, answer=csw(4, status=1), dev=dev)
    c.transfer(BULK, 0x02, out=cbw(5, 18, True, bytes([3, 0, 0, 0, 18, 0])), dev=dev)
    c.transfer(BULK, 0x81, answer=bytes([0x70, 0, 2, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x3a, 0, 0, 0,
                                         0, 0]), dev=dev)
    c.transfer(BULK, 0x81, answer=csw(5), dev=dev)
    c.transfer(BULK, 0x81, answer=b"", asked=512, status=-32, dev=dev)


def uas(c, dev=10):
    def pipe(n):
        return bytes([4, 0x24, n, 0])

    c.get_descriptor(1, device(0x1234, 0x0010, usb=0x0300), dev)
    c.get_descriptor(2, config(interface(0, 8, 6, 0x62, 4),
                               endpoint(0x01, 2, 1024), pipe(1), endpoint(0x82, 2, 1024), pipe(2),
                               endpoint(0x83, 2, 1024), pipe(3), endpoint(0x04, 2, 1024),
                               pipe(4)), dev)
    read = struct.pack(">BBIBHB", 0x28, 0, 64, 0, 1, 0)
    c.transfer(BULK, 0x01, out=struct.pack(">BBHBBBB8s16s", 1, 0, 7, 0, 0, 0, 0, bytes(8), read),
               dev=dev)
    c.transfer(BULK, 0x83, answer=bytes(512), dev=dev)
    c.transfer(BULK, 0x82, answer=struct.pack(">BBHHB7xH", 3, 0, 7, 0, 0, 0), dev=dev)
    c.transfer(BULK, 0x01, out=struct.pack(">BBHBBBB8s16s", 1, 0, 8, 0, 0, 0, 0, bytes(8),
                                           bytes(16)), dev=dev)
    sense = bytes([0x72, 6, 0x29, 0, 0, 0, 0, 0])
    c.transfer(BULK, 0x82, answer=struct.pack(">BBHHB7xH", 3, 0, 8, 0, 2, len(sense)) + sense,
               dev=dev)


def serial(c, dev=8):
    c.get_descriptor(1, device(0x1234, 0x0acd, 2), dev)
    c.get_descriptor(2, config(
        interface(0, 2, 2, 1, 1), bytes.fromhex("052400 1001 05240101 01 04240202 0524060001"
                                                .replace(" ", "")),
        endpoint(0x83, 3, 16, 9), interface(1, 0x0a, 0, 0, 2), endpoint(0x81, 2, 64),
        endpoint(0x02, 2, 64), interfaces=2), dev)
    c.control(struct.pack("<BBHHH", 0x21, 0x20, 0, 0, 7), struct.pack("<IBBB", 115200, 0, 0, 8),
              dev=dev)
    c.control(struct.pack("<BBHHH", 0x21, 0x22, 3, 0, 0), dev=dev)
    c.transfer(BULK, 0x02, out=b"hello\r\n", dev=dev)
    c.transfer(BULK, 0x81, answer=b"world \x1b[31m\xff\n", asked=64, dev=dev)
    c.transfer(INTERRUPT, 0x83, answer=bytes([0xa1, 0x20, 0, 0, 0, 0, 2, 0, 3, 0]), dev=dev,
               interval=9)


def ftdi(c, dev=9):
    c.get_descriptor(1, device(0x0403, 0x6001), dev)
    c.get_descriptor(2, config(interface(0, 0xff, 0xff, 0xff, 2), endpoint(0x81, 2, 64),
                               endpoint(0x02, 2, 64)), dev)
    c.control(struct.pack("<BBHHH", 0x40, 3, 0x001a, 0, 0), dev=dev)
    c.control(struct.pack("<BBHHH", 0x40, 4, 8, 0, 0), dev=dev)
    c.transfer(BULK, 0x81, answer=b"\x01\x60" + b"a" * 62 + b"\x01\x60bc", asked=512, dev=dev)


def hub(c, dev=2):
    c.get_descriptor(1, device(0x1d6b, 0x0002, 9, 0, 1), dev)
    c.get_descriptor(2, config(interface(0, 9, 0, 0, 1), endpoint(0x81, 3, 4, 12)), dev)
    c.transfer(INTERRUPT, 0x81, answer=bytes([0x0c]), asked=4, dev=dev, interval=12)
    c.control(bytes([0xa3, 0, 0, 0, 2, 0, 4, 0]), struct.pack("<HH", 0x0503, 0x0001), dev=dev)
    c.control(bytes([0x23, 1, 16, 0, 2, 0, 0, 0]), dev=dev)


def audio(c, dev=11):
    """Isochronous both ways, with a packet that failed and a gap."""
    a = c.next_id
    c.next_id += 0x200
    packets = [(-18, 0, 192), (-18, 192, 192)]
    c.record("S", ISO, 0x01, dev, status=-115, length=384, data=bytes(384), id=a, interval=1,
             start_frame=100, iso=packets, flags=2)
    c.record("C", ISO, 0x01, dev, length=384, flag_data=">", id=a, interval=1, start_frame=100,
             iso=[(0, 0, 192), (0, 192, 192)])
    c.record("S", ISO, 0x82, dev, status=-115, length=576, flag_data="<", id=a + 0x100,
             interval=1, start_frame=104,
             iso=[(-18, 0, 192), (-18, 192, 192), (-18, 384, 192)])
    c.record("C", ISO, 0x82, dev, length=250, data=bytes([1]) * 192 + bytes(192) + bytes([2]) * 58,
             id=a + 0x100, interval=1, start_frame=104, iso_errors=1,
             iso=[(0, 0, 192), (-71, 192, 0), (0, 384, 58)])


def described(type, subtype, text, *values):
    """A class-specific descriptor, with its length before it."""
    body = struct.pack("<" + text, *values)
    return bytes([3 + len(body), type, subtype]) + body


def webcam(c, dev=13):
    """A camera (UVC 1.1) with three formats: uncompressed, MJPEG with steps of rates, H.264."""
    def frame(subtype, width, height, *rest):
        return described(0x24, subtype, "BBHHII", 1, 1, width, height, 147456000,
                         147456001) + b"".join(rest)

    def rates(*all):
        return struct.pack("<%dI" % len(all), *all)

    def longer(d):
        return bytes([len(d)]) + d[1:]
    h264 = b"H264" + bytes.fromhex("00001000800000aa00389b71")
    control = [
        described(0x24, 2, "BHBBHHHBHB", 1, 0x0201, 0, 0, 10, 20, 30, 3, 0x0e2a, 0x02),
        described(0x24, 5, "BBHBHBB", 2, 1, 16384, 2, 0x177f, 0, 9),
        described(0x24, 6, "B16sBBBBHB", 3, bytes(range(16)), 10, 1, 2, 2, 0x03ff, 0),
        described(0x24, 3, "BHBBB", 4, 0x0101, 1, 3, 0),
    ]
    size = 13 + sum(map(len, control))
    stream = [
        described(0x24, 4, "BB16sBBBBBB", 1, 1, b"YUY2" + h264[4:], 16, 1, 4, 3, 0, 0),
        longer(frame(5, 640, 480, rates(614400, 333333), b"\x02", rates(333333, 666666))),
        described(0x24, 6, "BBBBBBBB", 2, 1, 1, 1, 16, 9, 0, 0),
        longer(frame(7, 1280, 720, rates(1843200, 333334), b"\x00",
                     rates(333333, 2000000, 333333))),
        described(0x24, 0x10, "BB16sBBBBBBB", 3, 1, h264, 16, 1, 5, 6, 0, 0, 1),
        longer(frame(0x11, 1920, 1080, rates(333335), b"\x01", rates(1234), rates(333335))),
        described(0x24, 0x0d, "BBB", 1, 1, 4),
    ]
    streams = 16 + sum(map(len, stream))
    parts = [interface(0, 0x0e, 1, 0, 1), described(0x24, 1, "HHIBB", 0x0110, size, 48000000, 1, 1),
             *control,
             endpoint(0x83, 3, 16, 8), described(0x25, 3, "H", 32), interface(1, 0x0e, 2, 0, 0),
             described(0x24, 1, "BHBBBBBBBBBB", 3, streams, 0x81, 0, 4, 1, 1, 0, 1, 0, 4, 0),
             *stream,
             interface(1, 0x0e, 2, 0, 1, alternate=1), endpoint(0x81, 5, 0x1400, 1)]
    c.get_descriptor(1, device(0x046d, 0x0825, 0xef, 2, 1), dev=dev)
    c.get_descriptor(2, config(*parts, interfaces=2), dev=dev)


def headset(c, dev=14):
    """Audio 2.0: a clock with selector and multiplier, a path from the host to a loudspeaker."""
    control = [
        described(0x24, 0x0a, "BBBBB", 16, 3, 7, 0, 0),
        described(0x24, 0x0b, "BBBBB", 17, 1, 16, 3, 0),
        described(0x24, 0x0c, "BBBB", 18, 17, 5, 0),
        described(0x24, 2, "BHBBBIBHB", 1, 0x0101, 0, 16, 2, 3, 0, 0, 0),
        described(0x24, 6, "BBIIIB", 2, 1, 0x0f, 3, 3, 0),
        described(0x24, 8, "BHBBBIBHB", 5, 1, 1, 2, 2, 3, 0, 1, 0),
        described(0x24, 3, "BHBBBHB", 3, 0x0301, 0, 5, 17, 0, 0),
    ]
    size = 9 + sum(map(len, control))
    parts = [interface(0, 1, 1, 0x20, 0), described(0x24, 1, "HBHB", 0x0200, 8, size, 0), *control,
             interface(1, 1, 2, 0x20, 1, alternate=1),
             described(0x24, 1, "BBBIBIB", 1, 0, 1, 1, 2, 3, 0),
             described(0x24, 2, "BBB", 1, 4, 24), endpoint(0x01, 5, 288, 1),
             described(0x25, 1, "BBBH", 0, 3, 2, 1)]
    c.get_descriptor(1, device(0x1235, 0x8210, 0xef, 2, 1), dev=dev)
    c.get_descriptor(2, config(*parts, interfaces=2), dev=dev)


def odd(c, dev=12):
    """E events, D and Z flags, truncated data, an unanswered and a re-used URB."""
    a = c.next_id
    c.next_id += 0x1000
    c.record("S", BULK, 0x02, dev, status=-115, length=31, data=bytes(31), id=a)
    c.record("E", BULK, 0x02, dev, status=-19, flag_data="E", id=a)
    c.record("S", BULK, 0x02, dev, status=-115, length=4096, flag_data="D", id=a + 0x100)
    c.record("C", BULK, 0x02, dev, length=4096, flag_data=">", id=a + 0x100)
    c.record("S", BULK, 0x81, dev, status=-115, length=512, flag_data="<", id=a + 0x200)
    c.record("C", BULK, 0x81, dev, length=512, flag_data="Z", id=a + 0x200)
    c.record("S", BULK, 0x81, dev, status=-115, length=65536, flag_data="<", id=a + 0x300)
    c.record("C", BULK, 0x81, dev, status=-75, length=65536, data=bytes(61440), id=a + 0x300)
    c.record("S", INTERRUPT, 0x83, dev, status=-115, length=8, flag_data="<", id=a + 0x400,
             interval=8)
    c.record("S", INTERRUPT, 0x83, dev, status=-115, length=8, flag_data="<", id=a + 0x400,
             interval=8)
    c.record("C", INTERRUPT, 0x83, dev, length=8, data=b"\1\2\3\4\5\6\7\x08", id=a + 0x400,
             interval=8)
    c.record("C", BULK, 0x81, dev, length=4, data=b"late", id=a + 0x500)
    c.record("S", CONTROL, 0x00, dev, status=-115, length=0, flag_setup=ord("Z"), id=a + 0x600)
    c.record("C", CONTROL, 0x00, dev, status=-110, id=a + 0x600, flag_data=">")
    c.record("S", BULK, 0x04, dev, status=-115, length=3, data=b"abc", id=a + 0x700)


def everything():
    c = Capture()
    for part in (hub, storage, keyboard, tablet, serial, ftdi, uas, audio, odd):
        part(c)
    return c


# ---- files ---------------------------------------------------------------------------------------


def swap_record(r):
    """A little-endian record as a big-endian machine would have captured it."""
    head = struct.unpack("<QBBBBHBBqiiII", r[:40])
    out = struct.pack(">QBBBBHBBqiiII", *head)
    if head[2] == ISO:
        out += struct.pack(">ii", *struct.unpack("<ii", r[40:48]))
    else:
        out += r[40:48]
    tail = struct.unpack("<iiII", r[48:64])
    out += struct.pack(">iiII", *tail)
    end = 64 + 16 * tail[3]
    for at in range(64, end, 16):
        out += struct.pack(">iIII", *struct.unpack("<iIII", r[at:at + 16]))
    return out + r[end:]


def old_record(r, order="<"):
    """As LINKTYPE_USB_LINUX: 48 bytes of header and no descriptors."""
    ndesc = struct.unpack("<I", r[60:64])[0]
    data = r[64 + 16 * ndesc:]
    head = swap_record(r) if order == ">" else r
    return head[:36] + struct.pack(order + "I", len(data)) + head[40:48] + data


def original(r):
    """The length that libpcap gives such an event."""
    xfer, ep, flag = r[9], r[10], r[15]
    length, cap = struct.unpack("<II", r[32:40])
    ndesc = struct.unpack("<I", r[60:64])[0]
    if flag:
        return 64 + cap
    if xfer == ISO and r[8:9] == b"C" and ep & 0x80:
        length = 0
        for i in range(ndesc):
            _, o, l, _ = struct.unpack("<iIII", r[64 + 16 * i:80 + 16 * i])
            if l:
                length = max(length, o + l)
    return max(64 + 16 * ndesc + length, len(r))


def stamp(r):
    sec, usec = struct.unpack("<qi", r[16:28])
    return sec * 1000000 + usec


def at(record, us):
    """The same event, us later."""
    sec, usec = divmod(stamp(record) + us, 1000000)
    return record[:16] + struct.pack("<qi", sec, usec) + record[28:]


def pcap(records, linktype=220, order="<", nano=False, snaplen=262144):
    out = bytearray(struct.pack(order + "IHHiIII", 0xa1b23c4d if nano else 0xa1b2c3d4, 2, 4, 0, 0,
                                snaplen, linktype))
    for r in records:
        us, length = stamp(r), original(r)
        body = r[:snaplen]
        if linktype == 189:
            body = old_record(r, order)
            length = max(len(body), length - 16 - 16 * struct.unpack("<I", r[60:64])[0])
        elif order == ">":
            body = swap_record(r)
        out += struct.pack(order + "IIII", us // 1000000, us % 1000000 * (1000 if nano else 1),
                           len(body), length) + body
    return bytes(out)


def block(order, type, body):
    body += bytes(-len(body) % 4)
    return struct.pack(order + "II", type, len(body) + 12) + body + struct.pack(
        order + "I", len(body) + 12)


def pcapng(records, linktypes=(220,), order="<", drops=0, tsresol=None):
    """Packets go to the interfaces in turn; those of another link type are no USB."""
    out = block(order, 0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1))
    for l in linktypes:
        options = b""
        if tsresol is not None:
            options = struct.pack(order + "HHB3x", 9, 1, tsresol) + struct.pack(order + "HH", 0, 0)
        out += block(order, 1, struct.pack(order + "HHI", l, 0, 0) + options)
    for i, r in enumerate(records):
        us = stamp(r) * (1000 if tsresol == 9 else 1)
        which = i % len(linktypes) if len(linktypes) > 1 else 0
        body = swap_record(r) if order == ">" else r
        if linktypes[which] == 189:
            body = old_record(r, order)
        if linktypes[which] == 249:
            body = usbpcap(0x600, 0, 0x00, 0xfe, b"")  # a request that moves nothing over the bus
        elif linktypes[which] not in (189, 220):
            body = b"no USB"
        out += block(order, 6, struct.pack(order + "IIIII", which, us >> 32, us & 0xffffffff,
                                           len(body), max(len(body), original(r))) + body)
    if drops:
        out += block(order, 5, struct.pack(order + "III", 0, 0, 0) +
                     struct.pack(order + "HHQ", 5, 8, drops) + struct.pack(order + "HH", 0, 0))
    return out


def usbmon_text(records):
    """What debugfs would have shown of these events, "u" form; tests/lab/guest/usb-odd.sh has the
    kernel's."""
    lines, asked = [], {}
    for r in records:
        id, type, xfer, ep, dev, bus, fs, fd, sec, usec, status, length, cap = struct.unpack(
            "<QBBBBHBBqiiII", r[:40])
        interval, frame, _, ndesc = struct.unpack("<iiII", r[48:64])
        line = "%x %u %c %c%c:%u:%03u:%u" % (
            id, (sec & 0xfff) * 1000000 + usec, type, "ZICB"[xfer], "i" if ep & 0x80 else "o",
            bus, dev, ep & 0x7f)
        if chr(type) != "E" and xfer == ISO:
            # The length of the buffer, of what came too: it is sparse.
            length = asked.setdefault(id, length) if chr(type) == "S" else asked.pop(id, length)
            errors, count = struct.unpack("<ii", r[40:48])
            line += " %d:%d:%d" % (status, interval, frame)
            if chr(type) == "C":
                line += ":%d" % errors
            line += " %d" % count
            for i in range(min(count, 5)):
                line += " %d:%u:%u" % struct.unpack("<iII", r[64 + 16 * i:76 + 16 * i])
        elif chr(type) != "E" and xfer == INTERRUPT:
            line += " %d:%d" % (status, interval)
        elif chr(type) == "S" and xfer == CONTROL and fs == 0:
            line += " s %02x %02x %04x %04x %04x" % struct.unpack("<BBHHH", r[40:48])
        elif chr(type) == "S" and xfer == CONTROL and fs != ord("-"):
            line += " %c __ __ ____ ____ ____" % fs
        else:
            line += " %d" % status
        line += " %d" % length
        if length > 0:
            if fd:
                line += " %c" % fd
            else:
                line += " ="
                data = r[64 + 16 * ndesc:][:32]
                for i in range(0, len(data), 4):
                    line += " " + data[i:i + 4].hex()
        lines.append(line + "\n")
    return "".join(lines)


def usbpcap(irp, info, ep, transfer, data, stage=None, status=0, dev=3, function=9, more=b""):
    head = struct.pack("<QIHBHHBBI", irp, status, function, info, 1, dev, ep, transfer, len(data))
    if stage is not None:
        head += bytes([stage])
    return struct.pack("<H", 2 + len(head + more)) + head + more + data


def usbpcap_iso(irp, info, ep, data, packets, start=0, errors=0):
    """packets: offset, length, USBD_STATUS of each."""
    more = struct.pack("<III", start, len(packets), errors)
    for p in packets:
        more += struct.pack("<III", *p)
    return usbpcap(irp, info, ep, 0, data, function=10, more=more)


def usbpcap_isos():
    """As its driver writes them: data comes without the gaps between packets, with offsets to
    match, and only on its way; the other direction has what the driver asked for or was told.
    Versions before 1.5 left the gaps in, and cut the data at the sum of the packets' lengths."""
    noise = bytes(range(1, 193))
    lens = [192, 0, 188, 192]
    offsets = [0, 192, 192, 380]
    return [
        usbpcap_iso(0x700, 0, 0x81, b"", [(i * 192, 0, 0) for i in range(4)], 100),
        usbpcap_iso(0x700, 1, 0x81, noise + noise[:188] + noise,
                    [(o, n, 0 if n else 0xc0000001) for o, n in zip(offsets, lens)], 104, 1),
        usbpcap_iso(0x800, 0, 0x02, noise[:96], [(0, 48, 0), (48, 48, 0)], 200),
        usbpcap_iso(0x800, 1, 0x02, b"", [(0, 48, 0), (48, 48, 0)], 202),
        usbpcap_iso(0x900, 0, 0x81, b"", [(i * 192, 0, 0) for i in range(3)], 300),
        usbpcap_iso(0x900, 1, 0x81, noise[:100] + bytes(92) + noise[:100] + bytes(8),
                    [(i * 192, 100, 0) for i in range(3)], 303),
    ]


def usbpcap_statuses():
    """A bulk transfer for each USBD_STATUS that says why one ended; the last is of no name."""
    errors = [0xc0000000 + n for n in (*range(1, 10), 12, 13, 15, 17, 18, 19, 0x30, 0x1000, 0x6000,
                                       0x7000, 0x10000, 0x20000, 0x40000, 0x50000, 0xabcdef)]
    errors += [0x80000300, 0x80000700, 0x80000900, 0x40000000, 0]
    return [usbpcap(0x1000 + 16 * i, 1, 0x81, 3, b"", status=e) for i, e in enumerate(errors)]


def usbpcap_file(packets=None, order="<", ng=False):
    """USBPcap's own headers are little-endian whatever the file's order is."""
    d = device(0x1234, 0x5678)
    get = bytes([0x80, 6, 0, 1, 0, 0, 18, 0])
    coding = bytes([0x21, 0x20, 0, 0, 0, 0, 7, 0])
    packets = packets or [
        usbpcap(0x100, 0, 0x80, 2, get, 0),          # new form: setup, complete
        usbpcap(0x100, 1, 0x80, 2, d, 3),
        usbpcap(0x200, 0, 0x80, 2, get, 0),          # old form: setup, data, status
        usbpcap(0x200, 1, 0x80, 2, d, 1),
        usbpcap(0x200, 1, 0x80, 2, b"", 2),
        usbpcap(0x300, 0, 0x00, 2, coding, 0),       # old form, data going out
        usbpcap(0x300, 0, 0x00, 2, b"\x00\xc2\x01\x00\x00\x00\x08", 1),
        usbpcap(0x300, 1, 0x00, 2, b"", 2),
        usbpcap(0x400, 0, 0x02, 3, b"bulk"),
        usbpcap(0x400, 1, 0x02, 3, b""),
        usbpcap(0x500, 1, 0x81, 3, b"", status=0xc0000004),
        usbpcap(0x600, 0, 0x00, 0xfe, b""),
    ]
    if ng:
        out = block(order, 0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1))
        out += block(order, 1, struct.pack(order + "HHI", 249, 0, 0))
        for i, p in enumerate(packets):
            us = 1700000000000000 + i * 100
            out += block(order, 6, struct.pack(order + "IIIII", 0, us >> 32, us & 0xffffffff,
                                               len(p), len(p)) + p)
        return out
    out = struct.pack(order + "IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 249)
    for i, p in enumerate(packets):
        out += struct.pack(order + "IIII", 1700000000, i * 100, len(p), len(p)) + p
    return out


def main(folder):
    c = everything()
    files = {
        "all.pcapng": pcapng(c.records),
        "all.pcap": pcap(c.records),
        "nano.pcap": pcap(c.records, nano=True),
        "big.pcap": pcap(c.records, order=">"),
        "big.pcapng": pcapng(c.records, order=">", tsresol=9),
        "old.pcap": pcap(c.records, linktype=189),
        "cut.pcap": pcap(c.records, snaplen=80),
        "old-big.pcap": pcap(c.records, linktype=189, order=">"),
        "old.pcapng": pcapng(c.records, (189,)),
        "old-big.pcapng": pcapng(c.records, (189,), order=">"),
        "mixed.pcapng": pcapng(c.records[:12], linktypes=(220, 1, 189), drops=5),
        "mixed249.pcapng": pcapng(c.records[:5], linktypes=(249, 1)),
        "usbpcap.pcap": usbpcap_file(),
        "usbpcap-big.pcap": usbpcap_file(order=">"),
        "usbpcap.pcapng": usbpcap_file(ng=True),
        "usbpcap-big.pcapng": usbpcap_file(ng=True, order=">"),
        "usbpcap-iso.pcap": usbpcap_file(usbpcap_isos()),
        "usbpcap-status.pcap": usbpcap_file(usbpcap_statuses()),
        "all.txt": usbmon_text(c.records).encode(),
    }
    classes = Capture()
    webcam(classes)
    headset(classes)
    files["classes.pcapng"] = pcapng(classes.records)
    late = Capture()
    storage(late, descriptors=False)
    late.transfer(INTERRUPT, 0x81, answer=b"\0\0\x04\0\0\0\0\0", dev=9, interval=10)
    # GET_REPORT: input, then feature, whose data is no key.
    late.control(bytes([0xa1, 1, 0, 1, 0, 0, 8, 0]), b"\0\0\x05\0\0\0\0\0", dev=9)
    late.control(bytes([0xa1, 1, 0, 3, 0, 0, 2, 0]), b"\x07\x09", dev=9)
    files["late.pcap"] = pcap(late.records)
    for name, data in files.items():
        with open("%s/%s" % (folder, name), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
