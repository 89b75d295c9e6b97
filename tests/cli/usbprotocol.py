# SPDX-License-Identifier: MIT
"""trawl-decode --protocol: the table of messages, what it leaves out, and several devices."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
from tap import finish, ok  # noqa: E402
from usbsynth import BULK, INTERRUPT, Capture, device, pcap  # noqa: E402


def write(path, c):
    open(path, "wb").write(pcap(c.records))
    return path


def decode(*args):
    r = subprocess.run([BUILD + "/trawl-decode", *args], capture_output=True, text=True)
    if r.returncode:
        ok(False, " ".join(args) + " ends with 0", r.returncode, r.stderr)
    return r.stdout


def test_keys(d):
    """Keystrokes that are read over the control endpoint."""
    c = Capture()
    for i in range(12):
        c.control(bytes([0xa1, 1, 0, 1, 0, 0, 8, 0]), bytes([2, 0, 4 + i, 0, 0, 0, 0, 0]))
        c.control(bytes([0x21, 9, 0, 2, 0, 0, 1, 0]), bytes([i % 2]))
    text = decode(write(d + "/keys.pcap", c), "--protocol")
    ok("12 messages are masked" in text and not re.search("02 ?00 ?0[4-9a-f]", text),
       "keystrokes that GET_REPORT reads are masked", text)


def test_addresses(d):
    """Addresses of a device that had several."""
    c = Capture()
    for dev in (12, 1, *range(13, 40)):
        c.get_descriptor(1, device(0x1b1c, 0x0c12), dev)
        c.transfer(INTERRUPT, 0x02, out=bytes([1, 2, 3]), dev=dev)
    text = decode(write(d + "/again.pcap", c), "--protocol")
    ok("(1:1, 1:12, 1:13," in text or "(1:12, 1:1, 1:13," in text,
       "a device at 1:1 is none at 1:12", text)
    ok(re.search(r"\((1:[0-9]+, )+\.\.\.\)", text), "a list of addresses is not cut in an address",
       text)


def test_modulo(d):
    """A sum whose carries are added again; a sum of 0 may be written as 0 or 255."""
    for zero in 0, 255:
        c = Capture()
        for i in range(80):
            data = bytes([0x24, 6, i % 3, i * 37 % 256, i * 101 % 256])
            c.transfer(BULK, 0x02, out=data + bytes([sum(data) % 255 or zero]))
        text = decode(write(d + "/modulo.pcap", c), "--protocol")
        ok("checksum at [5]: sum modulo 255 of [0..4]" in text, "a sum modulo 255", text)


def internet(data):
    """The checksum of RFC 1071 that belongs into the zeros of data."""
    pairs = [data[i:i + 2].ljust(2, b"\0") for i in range(0, len(data), 2)]
    total = sum(int.from_bytes(pair, "big") for pair in pairs)
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return (total ^ 0xffff).to_bytes(2, "big")


def test_around(d):
    """A checksum in the middle of messages, over what is before and after it, and its chances in
    types of few messages."""
    c = Capture()
    for i in range(90):
        value = i * 29 % 4
        data = (bytes([0x50, 0x16 + value, value, 4]) if i % 3 else
                bytes([0x51, i * 37 % 7, 7, i * 91 % 11, i % 5, 0x90, 0]))
        head = b"EGIS\0\0\0\1"
        data = b"\0\0\0" + bytes([len(data)]) + data
        c.transfer(BULK, 0x02, out=head + internet(head + b"\0\0" + data) + data)
    text = decode(write(d + "/around.pcap", c), "--protocol")
    ok("all messages out: checksum at [8]: complement of the ones' complement sum of 16-bit words "
       "(RFC 1071) of all other bytes" in text, "a checksum over all other bytes", text)
    # Either of two words may be the checksum, and no other was found.
    c = Capture()
    for i in range(12):
        head = b"EGIS" + (i * 2999 & 0xffff).to_bytes(2, "big")
        data = (b"one", b"three", b"eleven")[i % 3]
        c.transfer(BULK, 0x02, out=head + internet(head + b"\0\0" + data) + data)
    text = decode(write(d + "/either.pcap", c), "--protocol")
    ok("bulk ep2 out, 12 messages" in text and "checksum at" not in text,
       "a checksum at no certain place", text)
    c = Capture()
    for i in range(4):
        for k in range(3):
            part = bytes([i * 37, i * 11 + 9, 0x61 + i % 2])
            total = (0x9cd - sum(part)) & 0xffff
            c.transfer(BULK, 0x02, out=b"AB" + total.to_bytes(2, "big") + part)
    text = decode(write(d + "/free.pcap", c), "--protocol")
    ok("checksum:" not in text, "four messages do not show a sum from a free start value", text)


def fields(text, kind):
    """The lines of the fields of message type `kind`, as --protocol shows them."""
    return re.search(r"\n\n  %s  .*\n((       .*\n)*)" % kind, text)[1]


def test_echo(d):
    """The host counts, and the device repeats the host's counter. Messages that the device sends by
    itself have their own counter, and no echoes."""
    c = Capture()
    for i in range(40):
        data = bytes([0x30 + i % 2, i, i * 37 % 251])
        c.transfer(INTERRUPT, 0x02, out=data)
        c.transfer(INTERRUPT, 0x81, answer=bytes([0x40 + i % 2, i, 7, i * 53 % 241]))
    text = decode(write(d + "/echo.pcap", c), "--protocol")
    ok("all messages out: [1] counts, +1 each" in text and "all messages in: [1]" not in text,
       "who counts is the host", text)
    for kind in "ab":
        ok("[1]       echo of [1] of the request" in fields(text, kind) and
           "counter" not in fields(text, kind), kind + ": an echo, no counter", text)
    c = Capture()
    for i in range(40):
        c.transfer(INTERRUPT, 0x02, out=bytes([0x30, i * 37 % 251]))
        c.transfer(INTERRUPT, 0x81, answer=bytes([0x40, i * 37 % 251]))
        if i % 13 == 12:
            for k in range(12):
                c.transfer(INTERRUPT, 0x81, answer=bytes([0x50, k, 0, 0]))
    text = decode(write(d + "/unasked.pcap", c), "--protocol")
    ok("[1]       echo of [1] of the request" in fields(text, "a"), "an answer", text)
    ok("echo" not in fields(text, "b"), "what answers nothing echoes nothing", text)


def test_own_echo(d):
    """The device repeats the host's counter, but also sends data after some answers."""
    c = Capture()
    for i in range(60):
        c.transfer(BULK, 0x02, out=bytes([0x0c, i, 2, 0]))
        c.transfer(BULK, 0x81, answer=bytes([0x41, i, i * 37 % 251, i * i % 241, 5, 6]))
        if i in (20, 40):
            c.transfer(BULK, 0x02, out=bytes([0x4c, i * 91 % 256, 7, 8]))
            c.transfer(BULK, 0x81, answer=bytes([0x4c, 0] + [i * 3] * 34))
    text = decode(write(d + "/own.pcap", c), "--protocol")
    ok("all messages in: [1]" not in text and
       re.search(r"echo of \[1\] of the request", text), "an echo of one type, no counter", text)


def test_slow(d):
    """Slow answers, which come next after their requests, and messages that come regardless."""
    c = Capture()
    for i in range(60):
        c.transfer(BULK, 0x02, out=bytes([0x80, 2, 0]))
        c.now += 50_000 if i % 4 == 3 else 2000
        c.transfer(BULK, 0x81, answer=bytes([4, 1, 7, 8, 9]) if i % 4 == 3 else bytes([4, 0, 6]))
        c.now += 100_000
    text = decode(write(d + "/slow.pcap", c), "--protocol")
    ok("unasked" not in text, "a slow answer is one", text)
    c = Capture()
    begin = c.now
    for i in range(11):
        c.now = begin + i * 3_000_000
        c.transfer(INTERRUPT, 0x81, answer=bytes([0x75, 2, 3, i * 37 % 251]))
        if i % 3:
            c.now += 300_000 + i * 211_000
            c.transfer(INTERRUPT, 0x02, out=bytes([0x72, 1, 0, 0x4a]))
    text = decode(write(d + "/regardless.pcap", c), "--protocol")
    ok("every 3.00 s, unasked" in text and "answered by" not in text,
       "what comes every three seconds does not answer", text)


def types(text):
    """{"way length first bytes": number of messages} of each line of the table of types."""
    return {" ".join((way, length, first)): int(n) for way, n, length, first in
            re.findall(r"^  [A-Za-z]+ +(in|out) +(\d+) +([0-9-]+)  ((?:[0-9a-f]{2} )+|\(any\))", text,
                       re.M)}


def test_values(d):
    """A byte of an answer with many values is no message type, and neither is a register number
    from which the value follows."""
    c = Capture()
    for i in range(400):
        number = i * i * 7 % 23
        c.transfer(BULK, 0x02, out=b"AB" + bytes([0x60 + i % 3, number, number ^ 0x55]))
        value = (number * 3 + i % 2) % 29
        c.transfer(BULK, 0x81, answer=bytes([0xa8, value, value ^ 7, value * 2, 0]) if i % 3 else
                   b"\xa8\x00")
    text = decode(write(d + "/values.pcap", c), "--protocol")
    ok({k.strip(): v for k, v in types(text).items()} == {
        "out 5 41 42 60": 134, "out 5 41 42 61": 133, "out 5 41 42 62": 133,
        "in 5 a8": 266, "in 2 a8 00": 134}, "commands and lengths are types, values are none", text)


def test_pointer(d):
    """A mouse without descriptors: buttons, and two coordinates that depend on each other."""
    c = Capture()
    for i in range(900):
        x = i * i * 31 % 40 - 20
        y = x // 3 + i % 4
        c.transfer(INTERRUPT, 0x81,
                   answer=bytes([2, i // 300, x & 0xff, (x >> 8 & 15) | (y & 15) << 4,
                                 y >> 4 & 0xff, 0]))
    text = decode(write(d + "/mouse.pcap", c), "--protocol")
    ok(sorted(types(text).values()) == [300] * 3, "a mouse has as many types as buttons", text)


def test_alone(d):
    """Ends of encrypted records, which all differ, are one message type."""
    c = Capture()
    for i in range(60):
        length = 64 + i % 5 * 16
        c.transfer(BULK, 0x02, out=b"\x17\x03\x03\x00\x40" + bytes([i * 73 % 256] * 64))
        c.transfer(BULK, 0x81, answer=b"\x17\x03\x03\x00" + bytes([length, i * 37 % 256]) +
                   bytes(length - 6))
        if i % 2:
            c.transfer(BULK, 0x81, answer=bytes(i * k % 251 for k in (4, 91, 17, 5, 77)))
    text = decode(write(d + "/alone.pcap", c), "--protocol")
    ok(len([k for k in types(text) if k.startswith("in")]) <= 8, "what is seen once is no type of its own", text)


def test_commands(d):
    """Commands that the device repeats in its answers, each with its own parameters."""
    c = Capture()
    commands = [i * 5 % 31 for i in range(20)]
    for i in range(120):
        command = commands[i * 7 % 20]
        c.transfer(INTERRUPT, 0x02, out=bytes([0x10, 0xff, command, i * 29 % 200, 0]))
        c.transfer(INTERRUPT, 0x81, answer=bytes([0x11, 0xff, command, i * 101 % 199, 1, 0]))
    text = decode(write(d + "/commands.pcap", c), "--protocol")
    ok(len(types(text)) == 40 and "all 120 answers: [2] is [2] of the request" in text,
       "what answers repeat is a command", text)


def test_behind(d):
    """An answer that comes after other requests is known by the first bytes that it repeats, unless
    it comes late, or other messages of its type come without a request."""
    def table(behind, more=0):
        c = Capture()
        for i in range(12):
            c.transfer(INTERRUPT, 0x02, out=bytes([1, 0x81, 0, 0, 0, 0, 0, 0]))
            for k in range(20):
                if k == behind or behind < k <= behind + more:
                    c.transfer(INTERRUPT, 0x81,
                               answer=bytes([1, 0x81, 0, 7, i * 37 % 256, k, 9, 1]))
                c.transfer(INTERRUPT, 0x02, out=bytes([2, 13, 0, k * 53 % 256, i * 11, 1, 1, 1]))
        return decode(write(d + "/behind.pcap", c), "--protocol")
    for name, text, wanted in (("two requests later", table(2), True), ("late", table(18), False),
                               ("among others", table(2, 3), False)):
        ok(bool(re.search("  out +12 +8 +01 81 .*answered by a", text)) == wanted,
           f"an answer {name}: {'known' if wanted else 'not claimed'}", text)


def test_contradiction(d):
    """Types of one direction whose checksums are of different kinds: both are chance, and not
    shown; two that have the same one keep it."""
    def table(*kinds):
        c = Capture()
        for i in range(120):
            for command, check in kinds:
                data = bytes([command, 9, i * 37 % 256, i * 101 % 251, i * i % 241, 7])
                c.transfer(BULK, 0x02, out=data + bytes([check(data)]))
                c.transfer(BULK, 0x02, out=bytes([0x77, i * 89 % 256, i * 53 % 249]))
        return decode(write(d + "/kinds.pcap", c), "--protocol")

    def total(data):
        return sum(data) & 0xff

    def xor(data):
        value = 0
        for byte in data:
            value ^= byte
        return value
    for name, kinds, shown in (("a sum", [(0x51, total)], True), ("an xor", [(0x62, xor)], True),
                               ("both", [(0x51, total), (0x62, xor)], False),
                               ("the same", [(0x51, xor), (0x62, xor)], True)):
        text = table(*kinds)
        ok(bool(re.search("checksum(?!, LL)", text)) == shown, "checksums of types: " + name, text)


def test_cut(d):
    """Messages of which the capture has only the beginning have their whole lengths."""
    path = d + "/cut.mon"
    with open(path, "w") as f:
        for i in range(40):
            for way, n in (("S", "-115 64 <"), ("C", "0 64 = 0102%02x%02x" % (i, i * 7 % 256))):
                f.write("ff880000 %d %s Bi:1:003:1 %s\n" % (1000 + i * 10 + (way == "C"), way, n))
    text = decode(path, "--protocol")
    ok(types(text) and all(k.startswith("in 64 ") for k in types(text)) and "(60 more)" in text,
       "messages of 64 bytes of which four were recorded", text)


def headings(text):
    return re.findall(r"^[0-9]+\. [^:]+ \([^)]*\): (.*), [0-9]+ messages", text, re.M)


def test_turns(d):
    """A device that answers on one of two endpoints in turn; one of which an endpoint sends by
    itself, and has no part in the conversation of the other two."""
    for name, by_itself in ("in turn", False), ("by itself", True):
        c = Capture()
        for i in range(40):
            c.transfer(BULK, 0x01, out=bytes([0x40, 0xff, i % 4]))
            c.transfer(BULK, 0x83 if by_itself or i % 4 else 0x84, answer=bytes([0x40, i % 2]))
            if by_itself:
                c.transfer(BULK, 0x84, answer=bytes([0x50, 0, i]))
        path = write(d + "/turns.pcap", c)
        want = ["bulk ep3 in", "bulk ep4 in", "bulk ep1 out"] if by_itself else \
            ["bulk ep1 out -> ep3, ep4 in"]
        text = decode(path, "--protocol")
        ok(sorted(headings(text)) == sorted(want), "endpoints that answer " + name, text)
        objects = [json.loads(line) for line in decode(path, "--protocol", "--json").splitlines()]
        ok([o.get("eps_in") for o in objects] == ([None] * 3 if by_itself else [[3, 4]]),
           name + ": endpoints in JSON", objects)
        if not by_itself:
            ok(re.search(r"^  b    in 3 .*40 01", text, re.M), "a type names its endpoint", text)


def main():
    d = tempfile.mkdtemp(prefix="trawl-protocol-")
    try:
        test_keys(d)
        test_addresses(d)
        test_modulo(d)
        test_around(d)
        test_echo(d)
        test_own_echo(d)
        test_slow(d)
        test_values(d)
        test_pointer(d)
        test_alone(d)
        test_commands(d)
        test_behind(d)
        test_contradiction(d)
        test_cut(d)
        test_turns(d)
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
