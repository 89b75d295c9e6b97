# SPDX-License-Identifier: MIT
"""Card readers, printers, sound, serial converters and a colorimeter, made of nothing."""
import struct

from parts import described
from usbsynth import (BULK, INTERRUPT, Capture, config, device, endpoint, interface, serial,
                      webcam)

KEY = bytes(range(0xb0, 0xc0))


def pairing(c):
    """All HCI packets with a key or PIN are masked, others are not."""
    address, pin = bytes.fromhex("665544332211"), b"80514726".ljust(16, b"\0")

    def command(opcode, data):
        c.control(struct.pack("<BBHHH", 0x20, 0, 0, 0, 3 + len(data)),
                  struct.pack("<HB", opcode, len(data)) + data)

    def event(code, data, size=64):
        whole = bytes([code, len(data)]) + data
        for at in range(0, len(whole), size):
            c.transfer(INTERRUPT, 0x81, answer=whole[at:at + size], asked=size, interval=1)

    def acl(cid, data):
        c.transfer(BULK, 0x82, answer=struct.pack("<HHHH", 0x202a, len(data) + 4, len(data),
                                                  cid) + data, asked=64)

    for opcode, data in ((0x040b, address + KEY), (0x040d, address + b"\x08" + pin),
                         (0x042e, address + KEY[:4]),
                         (0x0430, address + KEY + KEY), (0x0c11, b"\1" + address + KEY),
                         (0x2017, KEY + KEY),
                         (0x2019, b"\x2a\0" + bytes(10) + KEY), (0x201a, b"\x2a\0" + KEY),
                         (0x2027, b"\0" + address + KEY + KEY)):
        command(opcode, data)
    for code, data in ((0x15, b"\1" + address + KEY), (0x18, address + KEY + b"\4"),
                       (0x3b, address + KEY[:4]),
                       (0x0e, b"\1\x57\x0c\0" + KEY + KEY), (0x3e, b"\x09\0" + KEY + KEY)):
        event(code, data)
    event(0x18, address + KEY + b"\4", 16)
    for code in (6, 8, 10):
        acl(6, bytes([code]) + KEY)
    acl(0x41, b"\xa1\1\2\0" + b"\4\5\0\0\0\0")
    acl(4, b"\x1b\x2a\0\2\0" + b"\4\5\0\0\0\0")
    masked = 9 + 5 + 2 + 3 + 2
    command(0x2018, b"")
    event(0x33, address + struct.pack("<I", 123456))
    acl(6, b"\x03" + bytes(range(16)))
    acl(0x41, b"\xa1\1\2\0" + b"\xff\5\0\0\0\0")
    acl(4, b"\x1b\x2a\0\2\0" + b"\xff\5\0\0\0\0")
    return masked, [KEY, KEY[:4], pin[:8], b"\4\5\0\0\0\0"]


def card(c):
    """Commands to a smart card by T=0 and by T=1, some of them without a PIN."""
    pin = b"739105"

    def send(apdu):
        c.transfer(BULK, 0x01, out=struct.pack("<BIBBBH", 0x6f, len(apdu), 0, 0, 0, 0) + apdu)

    def block(apdu):
        return bytes([0, 0, len(apdu)]) + apdu + b"\x5a"

    verify, change, unblock = (bytes([0, ins, 0, 0x81, n])
                               for ins, n in ((0x20, 6), (0x24, 12), (0x2c, 6)))
    for apdu in (verify + pin, change + pin + pin, unblock + pin):
        send(apdu)
        send(block(apdu))
    send(verify[:4])
    send(bytes.fromhex("00a4040006d27600012401"))
    send(block(bytes.fromhex("00a4040006d27600012401")))
    return 6, [pin]


def card_reader():
    ccid = struct.pack("<BBHBBIIIBIIBIIIIIBBHBB", 54, 0x21, 0x0110, 3, 7, 3, 3580, 3580, 0, 9600,
                       115200, 0, 254, 0, 0, 0x10030, 271, 0xff, 0xff, 0, 0, 1)
    c = described(interface(0, 0x0b, 0, 0, 3), ccid, endpoint(0x02, 2, 64), endpoint(0x81, 2, 64),
                  endpoint(0x83, 3, 8, 24))

    def message(type, specific, data=b"", seq=[0]):
        seq[0] += 1
        whole = struct.pack("<BIBB3s", type, len(data), 0, seq[0], specific) + data
        c.transfer(BULK, *((0x81, b"", whole) if type & 0x80 else (0x02, whole)))

    message(0x62, b"\x01\0\0")
    message(0x80, b"\0\0\0", bytes.fromhex("3b9f95813180"))
    message(0x61, b"\x01\0\0", bytes.fromhex("11100045004100"[:14]))
    message(0x82, b"\0\0\x01", bytes.fromhex("18100045004100"[:14]))
    message(0x6f, b"\x04\x01\x02", bytes.fromhex("00a4040002" "3f00"))
    message(0x80, b"\x40\xfe\0", b"")
    for block in "000007" "00a4040002" "3f00", "00c101" "fe", "002007" "00a4040002" "3f01":
        block = bytes.fromhex(block)  # of T=1: a command, no command, the beginning of one...
        check = 0
        for byte in block:
            check ^= byte
        message(0x6f, b"\x04\0\0", block + bytes([check]))
    message(0x65, b"\0\0\0")
    message(0x81, b"\x02\0\x03")
    c.transfer(INTERRUPT, 0x83, answer=b"\x50\x03", asked=8, interval=24)
    c.transfer(INTERRUPT, 0x83, answer=b"\x50\xe2", asked=8, interval=24)
    c.transfer(INTERRUPT, 0x83, answer=b"\x51\0\x09\x01", asked=8, interval=24)
    return c


def requests():
    c = Capture()
    webcam(c, dev=5)
    for request in 0x91, 0x92, 0x93, 0x94, 0x97:
        c.control(struct.pack("<BBHHH", 0xa1, request, 0, 0x200, 4), b"abcd")
    return c


def mixer():
    """The third input of a mixer unit: its number is where other units have the control."""
    c = described(interface(0, 1, 1, 0, 0) + bytes(
        [9, 0x24, 1, 0, 1, 22, 0, 1, 1, 13, 0x24, 4, 4, 2, 1, 2, 2, 3, 0, 0, 0xf0, 6]))
    c.control(struct.pack("<BBHHH", 0x21, 1, 0x301, 0x400, 2), struct.pack("<h", -6 * 256))
    return c


def synthesizer():
    c = described(interface(0, 1, 3, 0, 2), endpoint(0x02, 2, 64), endpoint(0x81, 2, 64))
    c.transfer(BULK, 0x02, out=bytes.fromhex("04f00020" "04290213" "05f70000"))
    c.transfer(BULK, 0x81, answer=bytes.fromhex("09903c7f" "0bb00740" "0ee00050"))
    c.transfer(BULK, 0x81, answer=bytes.fromhex("0ff80000" "03f21020" "0f550000"))
    c.transfer(BULK, 0x02, out=bytes.fromhex("14f04110" "14424400" "1601f700"))
    c.transfer(BULK, 0x02, out=bytes.fromhex("04f03902" "05f70000"))
    # A message in three transfers, then a second one.
    for part in "24f00020" "24290102", "24030405" "24060708", \
            "24090a0b" "260cf700", "24f04101" "25f70000":
        c.transfer(BULK, 0x02, out=bytes.fromhex(part))
    return c


def loader():
    c = described(interface(0, 0xfe, 1, 2, 0))
    for block, data in ((0, bytes(64)), (1, b"")):
        c.control(struct.pack("<BBHHH", 0x21, 1, block, 0, len(data)), data)
        c.control(struct.pack("<BBHHH", 0xa1, 3, 0, 0, 6),
                  bytes([0, 10, 0, 0, 5 if data else 7, 0]))
    c.control(struct.pack("<BBHHH", 0xa1, 5, 0, 0, 1), b"\x02")
    return c


def colorimeter():
    """An answer whose request was not recorded; then a request and its answer for each command;
    then a command that the device does not know."""
    c = described(interface(0, 3, 0, 0, 2), endpoint(0x81, 3, 64, 1), endpoint(0x01, 3, 64, 1),
                  vendor=0x0765, product=0x5020)

    def ask(request, answer):
        c.transfer(INTERRUPT, 0x01, out=request.ljust(64, b"\0"))
        c.transfer(INTERRUPT, 0x81, answer=answer.ljust(64, b"\0"))

    c.transfer(INTERRUPT, 0x81, answer=b"\0\x12".ljust(64, b"\0"))
    ask(b"\0\1", b"\0\0\0\x08\0")
    ask(b"\0\x10", b"\0\0i1Display3 ")
    ask(b"\0\x11", b"\0\0\0\1\2")
    ask(b"\0\x20", b"\0\0\1\0")
    ask(b"\x01" + struct.pack("<I", 2400000), b"\0\1" + struct.pack("<III", 227, 119, 21))
    ask(b"\x02" + struct.pack("<HHH", 2, 366, 64),
        b"\0\2" + struct.pack("<III", 1105840, 7332677, 6985047))
    ask(b"\x08\x04\x03", b"\0\x08\x04\x03abc")
    ask(b"\x12\x01\x02\x04", b"\0\x12\x01\x02\x04wxyz")
    ask(b"\x21\x01\x05\x02\x03", b"\0\x21")
    ask(b"\x94", b"\0\1")
    ask(b"\x99", bytes([0, 0x99, 0x4a, 0xe4]) + bytes(31) + b"12345678")
    ask(b"\x9a" + bytes(23) + b"0123456789abcdef", b"\0\x9a\x77")
    ask(b"\x10", b"\x80\x10Error: Unknown command")
    return c


def converter():
    """An FTDI converter of several channels: its settings, lines, errors, and packets."""
    c = described(interface(0, 0xff, 0xff, 0xff, 2), endpoint(0x81, 2, 64), endpoint(0x02, 2, 64),
                  vendor=0x0403, product=0x6010)
    for request, value, index in ((0, 0, 1), (2, 0x1311, 0x0401), (6, 0x010d, 1), (7, 0x23, 1),
                                  (9, 16, 1), (11, 0x020b, 2), (1, 0x0101, 1), (1, 0x0202, 1),
                                  (1, 0x0300, 1), (2, 0, 0x0101), (2, 0, 0x0201), (4, 0x5208, 1),
                                  (4, 0x0107, 1), (4, 0x0008, 1)):
        c.control(struct.pack("<BBHHH", 0x40, request, value, index, 0))
    c.control(struct.pack("<BBHHH", 0xc0, 5, 0, 1, 2), b"\x31\x60")
    c.control(struct.pack("<BBHHH", 0xc0, 10, 0, 1, 1), b"\x10")
    c.transfer(BULK, 0x81, answer=b"\xb1\x60")
    c.transfer(BULK, 0x81, answer=b"\x31\x60" + b"a" * 62 + b"\x31\x60" + b"b" * 62 +
               b"\x31\x6a" + b"c" * 5)
    return c


def serial_engine():
    """MPSSE on channel B of an FTDI converter: commands that continue in the next transfer, within
    their data or arguments, an unknown command, and answers."""
    c = described(interface(0, 0xff, 0xff, 0xff, 4), endpoint(0x81, 2, 64), endpoint(0x02, 2, 64),
                  endpoint(0x83, 2, 64), endpoint(0x04, 2, 64), vendor=0x0403, product=0x6010)
    c.get_descriptor(1, device(0x0403, 0x6010)[:12] + b"\0\7" + device(0, 0)[14:])
    c.transfer(BULK, 0x04, out=b"\x80\x08\x0b")
    c.control(struct.pack("<BBHHH", 0x40, 11, 0x020b, 2, 0))
    for out in ("80080b 860500 87", "82aa55", "110200aabbcc 210100 87", "1904000102", "030405 4b02", "03 8fff", "00",
                "13067f 8fff00", "3100005a 6b0081 8e04 96 ff"):
        c.transfer(BULK, 0x04, out=bytes.fromhex(out))
    c.transfer(BULK, 0x83, answer=b"\x31\x60\xfa\xff")
    c.transfer(BULK, 0x83, answer=b"\x31\x60\x01\x02")
    c.transfer(BULK, 0x02, out=b"still text")
    return c


def ipp_printer():
    """IPP over USB: a request whose header, chunk and end are separate transfers, as CUPS sends it;
    its answer; and a request whose answer has only HTTP."""
    c = described(interface(0, 7, 1, 4, 2), endpoint(0x01, 2, 512), endpoint(0x82, 2, 512))

    def attribute(tag, name, value):
        return struct.pack(">BH", tag, len(name)) + name + struct.pack(">H", len(value)) + value

    charset = b"\x01" + attribute(0x47, b"attributes-charset", b"utf-8")
    asked = charset + attribute(0x44, b"requested-attributes", b"printer-state") + attribute(
        0x44, b"", b"printer-name") + b"\x03"
    told = charset + b"\x04" + attribute(0x23, b"printer-state", struct.pack(">I", 3)) + attribute(
        0x22, b"printer-is-accepting-jobs", b"\x01") + attribute(
            0x32, b"printer-resolution", struct.pack(">IIB", 600, 600, 3))
    message = b"\x02\x00" + struct.pack(">HI", 0x000b, 7) + asked
    answer = b"\x02\x00" + struct.pack(">HI", 0x0001, 7) + told + b"\x03"
    c.transfer(BULK, 0x01, out=b"POST /ipp/print HTTP/1.1\r\nContent-Type: application/ipp\r\n"
               b"Transfer-Encoding: chunked\r\n\r\n")
    c.transfer(BULK, 0x01, out=b"%x\r\n" % len(message) + message + b"\r\n")
    c.transfer(BULK, 0x01, out=b"0\r\n\r\n")
    c.transfer(BULK, 0x82, answer=b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" %
               len(answer) + answer)
    # An answer that ends within an attribute, with a status that has no name.
    c.transfer(BULK, 0x82, answer=b"\x01\x01" + struct.pack(">HI", 0x0577, 8) + told[:-4])
    c.transfer(BULK, 0x01, out=b"GET /eSCL/ScannerStatus HTTP/1.1\r\n\r\n")
    c.transfer(BULK, 0x82, answer=b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
    return c


def printer():
    c = described(interface(0, 7, 1, 2, 2), endpoint(0x01, 2, 64), endpoint(0x82, 2, 64))
    text = b"MFG:Brother;MDL:PT-D600;CMD:PT-CBP;"
    c.control(struct.pack("<BBHHH", 0xa1, 0, 0, 0, 2 + len(text)),
              struct.pack(">H", len(text) + 2) + text)
    return c


def functions(bits):
    """Descriptors of functions whose bits have names; `bits` selects every second bit."""
    def low(n):
        return bits & ((1 << n) - 1)
    dfu = struct.pack("<BBBHHH", 9, 0x21, low(4), 255, 256, 0x0110)
    ccid = struct.pack("<BBHBBIIIBIIBIIIIIBBHBB", 54, 0x21, 0x0110, 0, low(3), low(2), 3580, 3580,
                       0, 9600, 115200, 0,
                       254, 0, 0, low(20) & 0x707fe, 271, 0xff, 0xff, 0x0210, low(2), 1)
    call, acm = bytes([5, 0x24, 1, low(2), 1]), bytes([4, 0x24, 2, low(4)])
    terminal = struct.pack("<BBBBHBBHBB", 12, 0x24, 2, 1, 0x0201, 0, 2, low(12), 0, 0)
    feature = struct.pack("<BBBBBBHHB", 11, 0x24, 6, 5, 1, 2, low(10), ~bits & 0x3ff, 7)
    sound = bytes([7, 0x25, 1, low(8) & 0x83, 0, 0, 0])
    camera = struct.pack("<BBBBHBBHHHB", 18, 0x24, 2, 1, 0x0201, 0, 0, 10, 20, 30,
                         3) + low(22).to_bytes(3, "little")
    processing = struct.pack("<BBBBBHB", 13, 0x24, 5, 2, 1, 0,
                             3) + low(19).to_bytes(3, "little") + b"\0\0"
    return [interface(0, 0xfe, 1, 2, 0), dfu, interface(1, 0x0b, 0, 0, 0), ccid,
            interface(2, 2, 2, 1, 0),
            bytes([5, 0x24, 0, 0x10, 1]), call, acm, interface(3, 1, 1, 0, 0),
            bytes([9, 0x24, 1, 0, 1, 9 + len(terminal + feature), 0, 1, 4]), terminal, feature,
            interface(4, 1, 2, 0, 1), struct.pack("<BBBBHBBB", 9, 5, 0x81, 5, 192, 1, 0, 0), sound,
            interface(5, 0x0e, 1, 0, 0),
            struct.pack("<BBBHHIBB", 13, 0x24, 1, 0x0110, 13 + 18 + 13, 6000000, 1, 6),
            camera, processing]


def described_bits():
    c = Capture()
    for number, bits in enumerate((0x555555, 0xaaaaaa, 0xffffff, 0)):
        c.get_descriptor(1, device(0x1111, 0x2222 + number), dev=20 + number)
        c.get_descriptor(2, config(*functions(bits), interfaces=6), dev=20 + number)
    return c


def serial_halves():
    """A serial port recorded as some programs do: only OUT submissions and IN completions."""
    c = Capture()
    serial(c, dev=5)
    for i in range(3):
        c.record("S", BULK, 0x02, id=0x1000, status=-115, length=8, data=b"AT+CSQ\r\n")
        c.record("C", BULK, 0x81, id=0x2000, length=6, data=b"\r\nOK\r\n"[:6])
    return c
