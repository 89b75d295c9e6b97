# SPDX-License-Identifier: MIT
"""The output for USB: bytes in the line, masking and its rules, names of fields in all forms of
output."""
import csv
import glob
import io
import functools
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import uuid
import zlib

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
import tap  # noqa: E402
from tap import finish, ok, same, skip  # noqa: E402
import usbsynth  # noqa: E402
from usbsynth import (BULK, INTERRUPT, Capture, config, device, endpoint, interface,  # noqa: E402
                      described, pcap, storage)


def run(program, *args, status=0):
    r = subprocess.run([BUILD + "/" + program] + list(args), stdin=subprocess.DEVNULL,
                       capture_output=True)
    if r.returncode != status:
        ok(False, "%s %s ends with %d" % (program, " ".join(args), status), r.returncode, r.stderr)
    return r.stdout.decode(), r.stderr.decode()


def decode(path, *args):
    return run("trawl-decode", *args, path)[0]


def objects(path, *args):
    return [json.loads(line) for line in decode(path, "--json", *args).splitlines()]


def write(path, capture):
    with open(path, "wb") as f:
        f.write(pcap(capture.records))
    return path


def on_terminal(columns, *args):
    """The output of a program on a terminal with that many columns."""
    return tap.at_terminal(args, columns).decode()


def test_bytes(d):
    c = Capture()
    c.transfer(BULK, 0x02, out=b"AT+X\r\n" + bytes(range(20)))
    c.transfer(BULK, 0x82, answer=b"\xaa\x55\x01")
    c.transfer(BULK, 0x82, answer=bytes(300))
    c.control(bytes([0x40, 0x55, 0, 0, 0, 0, 9, 0]), b"vendor xy")
    c.control(bytes([0xc0, 0x56, 0, 0, 0, 0, 2, 0]), b"\x12\x34")
    path = write(d + "/bytes.pcap", c)
    lines = decode(path).splitlines()
    ok("  41 54 2b 58 0d 0a 00 01 02 03 04 05 06 07 08 09 ...  |AT+X............|" in lines[0],
       "payload that nothing explains shows its first 16 bytes", lines[0])
    ok(lines[1].endswith("  aa 55 01  |.U.|"), "or all that there are", lines[1])
    ok("|vendor xy|" in lines[3] and "  12 34  |.4|" in lines[4], "of vendor requests, too", lines)
    ok("|" not in decode(path, "-x"), "with -x all of it is below the line, and not in it")
    data = [i["fields"].get("data") for i in objects(path)]
    same(600, len(data[2]), "--json has all bytes")
    narrow = on_terminal(80, BUILD + "/trawl-decode", "--color", "never", path).splitlines()[0]
    ok(re.search("  41 54( [0-9a-f]{2})* \\.\\.\\.$", narrow) and len(narrow) <= 80,
       "a terminal of 80 columns shows the first bytes without their text", narrow)
    for columns, want in ((140, 13), (250, 26)):
        text = on_terminal(columns, BUILD + "/trawl-decode", "--color", "always", path)
        line = text.splitlines()[0]
        shown = line[line.index("|") + 1:line.rindex("|")]
        same(want, len(shown), "a terminal of %d columns shows so many bytes" % columns)


def test_requests(d):
    """Class requests of a class whose endpoints have a state."""
    c = Capture()
    storage(c)
    c.control(bytes([0xa1, 0xfe, 0, 0, 0, 0, 1, 0]), b"\0")
    path = write(d + "/lun.pcap", c)
    ok("GET_MAX_LUN interface 0: max LUN 0, 1 byte" in decode(path), "GET_MAX_LUN of a disk",
       decode(path))


def xor(data):
    value = 0
    for byte in data:
        value ^= byte
    return value


def crc8(data):
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value << 1 ^ 0x07) & 0xff if value & 0x80 else value << 1
    return value


def cooler(c, numbers, check):
    """A made-up protocol: set a speed, ask for the status; answers echo the command."""
    speed = 700
    for n in numbers:
        command = (0x51, 0x22, 0x33)[n % 3]
        speed += 26 if n // 9 % 2 == 0 else -25
        body = bytes([0xaa, n & 0xff, command]) + \
            (struct.pack("<HB", 1000 + 7 * n, n * 73 & 0xff) if n % 3 else b"\1\0\0")
        body = body.ljust(30, b"\0")
        c.transfer(INTERRUPT, 0x02, out=body + check(body))
        body = bytes([0xab, n & 0xff, command | 0x80]) + struct.pack(">H", speed) + bytes([30])
        body = body.ljust(30, b"\0")
        c.transfer(INTERRUPT, 0x82, answer=body + check(body))


def conversations(*paths):
    return [json.loads(line)
            for line in run("trawl-decode", "--protocol", "--json", *paths)[0].splitlines()]


def fields(type):
    return {f["at"]: f for f in type["fields"] if f["kind"] != "constant"}


def ones(data, order):
    """The ones' complement sum of 16-bit words, as in RFC 1071."""
    total = sum(struct.unpack(order + "%dH" % (len(data) // 2), data))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return total


def test_words(d):
    """Sums of words, checksums of large messages, lengths of padded ones."""
    numbers = random.Random(11)
    for want, check in (
            ("complement of the ones' complement sum of 16-bit words (RFC 1071) of [0..29]",
             lambda b: struct.pack(">H", ones(b, ">") ^ 0xffff)),
            ("ones' complement sum of 16-bit words of [0..29]",
             lambda b: struct.pack("<H", ones(b, "<"))),
            ("sum of 16-bit words, low byte first of [0..29]",
             lambda b: struct.pack("<H", sum(struct.unpack("<15H", b)) & 0xffff))):
        c = Capture()
        for n in range(60):
            data = bytes([0x10, n]) + bytes(numbers.randrange(256) for _ in range(28))
            c.transfer(BULK, 0x02, out=data + check(data) + bytes(4))
        same(want, conversations(write(d + "/words.pcap", c))[0].get("checksum_out"),
             "checksum: " + want)
    c = Capture()
    for n in range(20):
        data = bytes([0x55, n]) + bytes(numbers.randrange(256) for _ in range(1000 + n % 3))
        c.transfer(BULK, 0x02, out=data + struct.pack("<I", zlib.crc32(data)))
    text = decode(write(d + "/large.pcap", c), "--protocol")
    ok("all large messages out: checksum 4 from the end: CRC-32 (ISO-HDLC, as zlib's)" in text,
       "checksum of messages of 1 KB", text)
    c = Capture()
    for n in range(40):
        data = bytes(numbers.randrange(1, 256) for _ in range(numbers.randrange(3, 40)))
        data = data[:-1] + b"\0" if n % 6 == 5 else data
        c.transfer(BULK, 0x02, out=(bytes([0xa5, len(data), 0x31]) + data).ljust(64, b"\0"))
    length = fields(conversations(write(d + "/padded.pcap", c))[0]["types"][0])[1]
    same(("length", 3), (length["kind"], length.get("less")),
         "the length of padded messages, some of which end in 0")


def test_protocol(d):
    """The parts of an unknown protocol are found."""
    checks = (("CRC-8/SMBUS of [0..29]", lambda b: bytes([crc8(b)])),
              ("xor of [0..29]", lambda b: bytes([xor(b)])),
              ("sum of [0..29]", lambda b: bytes([sum(b) & 0xff])),
              ("two's complement of the sum of [0..29]", lambda b: bytes([-sum(b) & 0xff])),
              ("CRC-16/MODBUS, low byte first of [0..29]",
               lambda b: struct.pack("<H", usbsynth.crc16_modbus(b))),
              ("CRC-16/MODBUS, high byte first of [0..29]",
               lambda b: struct.pack(">H", usbsynth.crc16_modbus(b))),
              ("sum in 16 bits, high byte first of [0..29]", lambda b: struct.pack(">H", sum(b))),
              ("CRC-32 (ISO-HDLC, as zlib's), low byte first of [0..29]",
               lambda b: struct.pack("<I", zlib.crc32(b))))
    for want, check in checks:
        c = Capture()
        cooler(c, range(90), check)
        found = conversations(write(d + "/cooler.pcap", c))
        same([want] * 2, [found[0].get(k) for k in ("checksum_out", "checksum_in")],
             "checksum: " + want)
    talk = found[0]
    same((1, 2, 2, 180), (len(found), talk["ep_out"], talk["ep_in"], talk["messages"]),
         "a pair of endpoints is one conversation")
    types = {(t["dir"], t["example"][4:6]): t for t in talk["types"]}
    same({("out", "51"): 30, ("out", "22"): 30, ("out", "33"): 30,
          ("in", "d1"): 30, ("in", "a2"): 30, ("in", "b3"): 30},
         {k: t["messages"] for k, t in types.items()},
         "types of messages, after a byte that counts, with their numbers")
    same([types["in", "d1"]["type"], types["in", "a2"]["type"]],
         [types["out", "51"].get("answer"), types["out", "22"].get("answer")], "and their answers")
    out, answer = fields(types["out", "22"]), fields(types["in", "a2"])
    same(("counter", 1, 89, 89), tuple(out[1][k] for k in ("kind", "step", "steps", "steps_kept")),
         "a counter over all messages, which always does")
    c = Capture()
    cooler(c, [n + n // 20 for n in range(90)], check)
    text = decode(write(d + "/gaps.pcap", c), "--protocol")
    ok("all messages out: [1] counts, +1 each (85 of 89 times)" in text, "one with gaps says so",
       text)
    same(("rising", 2, "little"), (out[3]["kind"], out[3]["width"], out[3]["order"]),
         "a number that rises")
    same(("number", 2, "big"), (answer[3]["kind"], answer[3]["width"], answer[3]["order"]),
         "a number that moves, and its byte order")
    ok("answers: [2] is [2] of the request plus 0x80" in
       decode(d + "/cooler.pcap", "--protocol"), "an echo that is changed")
    other_protocols(d, checks[0][1])


def other_protocols(d, check):
    """Noise, copies, messages of any length, requests, several captures. check: a checksum."""
    c = Capture()
    numbers = random.Random(7)
    for _ in range(60):
        c.transfer(BULK, 0x02, out=bytes([0x10, numbers.randrange(256), numbers.randrange(256),
                                          numbers.randrange(256), numbers.randrange(256)]))
    text = json.dumps(conversations(write(d + "/noise.pcap", c)))
    ok("checksum" not in text and "counter" not in text and "number" not in text,
       "of noise nothing is said", text)
    c = Capture()
    for n in range(60):
        c.transfer(BULK, 0x02, out=bytes([0x10] + [n * 37 & 0xff] * 6))
    text = json.dumps(conversations(write(d + "/copies.pcap", c)))
    ok("checksum" not in text, "a byte that others repeat is no checksum of them", text)

    c = Capture()
    for n in range(30):
        data = bytes(numbers.randrange(256) for _ in range(numbers.randrange(1, 20)))
        c.transfer(BULK, 0x02, out=bytes([0x7e, len(data), 0x31]) + data + bytes([xor(data)]))
    talk = conversations(write(d + "/length.pcap", c))[0]
    length = fields(talk["types"][0])[1]
    same(("length", 4), (length["kind"], length["less"]), "the length of the message")
    same("xor of [3] up to it", talk["checksum_out"], "a checksum at the end of any length")

    c = Capture()
    for n in range(6):
        c.control(bytes([0xc0, 0x10 + n % 2, n, 0, 0, 0, 4, 0]), bytes([n, 1, 2, 3]))
    talk = conversations(write(d + "/vendor.pcap", c))[0]
    same([("out", 3), ("out", 3), ("in", 6)],
         [(t["dir"], t["messages"]) for t in talk["types"]], "vendor requests, with their answers")
    for n in range(2):
        c = Capture()
        c.now += n * 3600_000_000
        cooler(c, range(40), check)
        write(d + "/part%d.pcap" % n, c)
    talk = conversations(d + "/part0.pcap", d + "/part1.pcap")
    same([160], [t["messages"] for t in talk], "two captures of one device are one conversation")
    text, err = run("trawl-decode", "--protocol", d + "/part0.pcap", d + "/none.pcap", status=3)
    ok("CRC-8/SMBUS" in text and "none.pcap" in err,
       "a capture that can't be read hides nothing of the others", text, err)
    c = Capture()
    for report in BOOT:
        c.transfer(INTERRUPT, 0x81, answer=report)
    same("", run("trawl-decode", "--protocol", "--json", write(d + "/keys.pcap", c))[0],
         "keystrokes are no protocol")
    err = run("trawl-decode", "--protocol", "--summary", d + "/keys.pcap", status=2)[1]
    ok("--protocol: cannot be combined" in err, "not together with another view", err)


def test_streams(d):
    """A message that a device sends by itself is no answer."""
    def talk(answered, every=100_000):
        c = Capture()
        begin, numbers = c.now, random.Random(3)
        asked = 0
        for n in range(200):
            c.now = begin + n * every
            c.transfer(INTERRUPT, 0x81,
                       answer=bytes([0x75, 1, n & 255, 30 + n // 20, 0, 7, 0, 0]))
            if n % 10 == 4:
                c.now += 37_000 + numbers.randrange(30_000)
                c.transfer(INTERRUPT, 0x02, out=bytes([0x20, 0x10 + asked % 3, asked, 0]))
                asked += 1
                if answered:
                    c.now += 900
                    c.transfer(INTERRUPT, 0x81,
                               answer=bytes([0xa0, 0x10 + (asked - 1) % 3, asked - 1, 1]))
        return {t["example"][:2]: t
                for t in conversations(write(d + "/stream.pcap", c))[0]["types"]}

    types = talk(True)
    same((True, 100, False),
         (types["75"]["unasked"], round(types["75"]["period_ns"] / 1e6), types["a0"]["unasked"]),
         "a status every 100 ms among requests and answers: the device sends it by itself")
    same(types["a0"]["type"], types["20"].get("answer"), "the answer is the other")
    ok("every 100.0 ms, unasked" in decode(d + "/stream.pcap", "--protocol"), "text says so")
    types = talk(False)
    same((True, None), (types["75"]["unasked"], types["20"].get("answer")),
         "nor does it answer where nothing else does")
    c = Capture()
    for n in range(200):
        c.transfer(INTERRUPT, 0x02, out=bytes([0x20, 0x10, n, 0]))
        c.now += 900
        c.transfer(INTERRUPT, 0x81, answer=bytes([0x75, 1, n, 0, 0, 7, 0, 0]))
        c.now += 99_000
    types = {t["example"][:2]: t
             for t in conversations(write(d + "/polled.pcap", c))[0]["types"]}
    same((False, types["75"]["type"]), (types["75"]["unasked"], types["20"].get("answer")),
         "the same status when it is asked for is an answer")
    c = Capture()
    for n in range(12):
        c.transfer(INTERRUPT, 0x81, answer=bytes([0x11, 0xff, 0x10, 0, n & 1, 0]))
        c.now += 1_700_000 + n * n * 1000
        if n % 4 == 0:
            c.transfer(INTERRUPT, 0x02, out=bytes([0x10, 0xff, 0x0d, n]))
            c.now += 1500
            c.transfer(INTERRUPT, 0x81, answer=bytes([0x11, 0xff, 0x0d, n, 0, 0]))
    types = {t["example"][:6]: t
             for t in conversations(write(d + "/events.pcap", c))[0]["types"]}
    same((True, False, types["11ff0d"]["type"]),
         (types["11ff10"]["unasked"], types["11ff0d"]["unasked"],
          types["10ff0d"].get("answer")),
         "events that come when they come, sooner than no answer")


BOOT = [bytes(8), bytes([2, 0, 4, 0, 0, 0, 0, 0]), bytes([0, 0, 4, 5, 0, 0, 0, 0])]


def masks(path):
    return [i["fields"].get("masked_by") for i in objects(path)
            if i["fields"]["xfer"] == "interrupt"]


def test_masks(d):
    """Data is masked if something shows that it is a keyboard's, and the output says what."""
    c = Capture()
    for report in BOOT:
        c.transfer(INTERRUPT, 0x81, answer=report)
    path = write(d + "/boot.pcap", c)
    same(["form of its reports"] * 3, masks(path), "reports like a boot keyboard's are masked")
    text = decode(path)
    same(3, text.count("(masked: form of its reports)"), "and the line says why")
    ok("|" not in text and "04" not in [w for line in text.splitlines() for w in line.split()[2:]],
       "and has no bytes of it", text)
    ok("see --show-keys" in decode(path, "-X") and "0200 0400" not in decode(path, "-X"),
       "nor has a hexdump")

    for name, report in (("a status of 64 bytes", bytes([0x75, 1]) + bytes(62)),
                         ("8 bytes whose second is not 0", bytes([1, 2, 4, 0, 0, 0, 0, 0])),
                         ("8 bytes that are no usages", bytes([0, 0, 0xf4, 0, 0, 0, 0, 0])),
                         ("an error code in one place", bytes([0, 0, 3, 0, 0, 0, 0, 0])),
                         ("a key that is down twice", bytes([0, 0, 4, 4, 0, 0, 0, 0])),
                         ("9 bytes", bytes(9))):
        c = Capture()
        c.transfer(INTERRUPT, 0x81, answer=report)
        c.transfer(INTERRUPT, 0x81, answer=BOOT[1])
        same([None, None], masks(write(d + "/other.pcap", c)),
             "%s: that is no keyboard, nor is what follows" % name)

    c = Capture()
    c.transfer(INTERRUPT, 0x81, answer=BOOT[1])
    c.transfer(INTERRUPT, 0x82, answer=bytes(64))
    c.transfer(INTERRUPT, 0x81, answer=BOOT[2])
    same(["form of its reports", None, "form of its reports"], masks(write(d + "/two.pcap", c)),
         "each endpoint is looked at for itself")

    c = Capture()
    c.get_descriptor(1, device(0x1b1c, 0x0c12))
    c.get_descriptor(2, config(interface(0, 3, 1, 1, 1), endpoint(0x81, 3, 8, 10),
                               interface(1, 3, 0, 0, 1), endpoint(0x82, 3, 64, 10),
                               interface(2, 0xff, 0, 0, 1), endpoint(0x83, 3, 64, 10),
                               interfaces=3))
    c.transfer(INTERRUPT, 0x81, answer=BOOT[1])
    c.transfer(INTERRUPT, 0x82, answer=bytes([0x75, 2]) + bytes(62))
    c.transfer(INTERRUPT, 0x83, answer=BOOT[1])
    same(["boot protocol", None, None], masks(write(d + "/described.pcap", c)),
         "a boot keyboard, a HID device whose reports are not, a vendor's interface")
    keyboard = SRC + "/samples/usb-keyboard.trawl"
    same({"report descriptor"}, {m for m in masks(keyboard)} - {None},
         "a keyboard with a report descriptor")


def line_of(c, d):
    """The last line of a capture, after its time and name, without the latency."""
    line = decode(write(d + "/class.pcap", c)).splitlines()[-1]
    return line[line.index("  ", line.index(" ep")) + 2:]


def described_as(c, dev, interface_, *endpoints, dev_class=(0, 0, 0), vid=0x1111):
    c.get_descriptor(1, device(vid, 0x2222, *dev_class), dev)
    c.get_descriptor(2, config(interface_, *endpoints), dev)


def says(d, name, want, interface_, xfer, ep, data, *endpoints, vid=0x1111):
    """The line for a payload of a device with these descriptors."""
    c = Capture()
    described_as(c, 5, interface_, *(endpoints or (endpoint(ep, 2 if xfer == BULK else 3, 64, 1),)),
                 vid=vid)
    c.transfer(xfer, ep, **({"answer": data} if ep & 0x80 else {"out": data}))
    line = line_of(c, d)
    ok(want in line, name, line, want)
    return objects(d + "/class.pcap")[-1]["fields"]


def asks(d, name, want, interface_, setup, data, extra=(), vid=0x1111):
    c = Capture()
    if interface_:
        described_as(c, 5, interface_, *extra, vid=vid)
    c.control(setup, data)
    line = line_of(c, d)
    ok(want in line, name, line, want)
    return objects(d + "/class.pcap")[-1]["fields"]


# Lines of each class have at least what tshark's dissector shows.

def test_audio_and_midi(d):
    ac = described(0x24, 6, "BBBBBBB", 5, 1, 1, 1, 2, 2, 0)
    audio = (interface(0, 1, 1, 0, 0), (ac,))
    asks(d, "a volume",
         "SET_CUR selector 2 entity 5 interface 0: VOLUME -33.50 dB, feature unit 5 channel 1",
         audio[0], bytes([0x21, 1, 1, 2, 0, 5, 2, 0]), struct.pack("<h", int(-33.5 * 256)),
         audio[1])
    asks(d, "silence", "VOLUME silence", audio[0], bytes([0xa1, 0x82, 0, 2, 0, 5, 2, 0]), b"\0\x80",
         audio[1])
    asks(d, "mute", "MUTE on", audio[0], bytes([0x21, 1, 0, 1, 0, 5, 1, 0]), b"\1", audio[1])
    asks(d, "a rate of an endpoint that nothing describes", "SAMPLING_FREQ 48000 Hz", None,
         bytes([0x22, 1, 0, 1, 2, 0, 3, 0]), bytes([0x80, 0xbb, 0]))
    clock = described(0x24, 0x0a, "BBBBB", 16, 3, 7, 0, 0)
    asks(d, "a range of a clock of Audio 2.0", "SAM_FREQ 44100 Hz to 96000 Hz, clock source 16",
         interface(0, 1, 1, 0x20, 0), bytes([0xa1, 2, 0, 1, 0, 16, 14, 0]),
         struct.pack("<HIII", 1, 44100, 96000, 0), (clock,))
    midi = interface(1, 1, 3, 0, 1)
    says(d, "MIDI", "MIDI note on channel 2 note 60 velocity 100, control change channel 1 7=127",
         midi, BULK, 0x81, bytes([0x09, 0x91, 60, 100, 0x0b, 0xb0, 7, 127, 0, 0, 0, 0]))
    says(d, "pressure on a key is no velocity", "MIDI poly pressure channel 1 note 60 pressure 9",
         midi, BULK, 0x81, bytes([0x0a, 0xa0, 60, 9]))


def test_printers(d):
    printer = interface(0, 7, 1, 2, 1)
    says(d, "the language of a job", "printer PJL", printer, BULK, 0x01,
         b"\x1b%-12345X@PJL SET COPIES=1\r\n")
    says(d, "an unknown one", "printer data", printer, BULK, 0x01, bytes(20))
    asks(d, "a printer's status", "GET_PORT_STATUS interface 0: selected, paper empty, no error",
         printer, bytes([0xa1, 1, 0, 0, 0, 0, 1, 0]), b"\x38")
    text = b"MFG:HP;MDL:LaserJet 4;CMD:PCL,PJL;"
    f = asks(d, "a printer's id", '"MFG:HP;MDL:LaserJet 4;CMD:PCL,PJL;"', printer,
             bytes([0xa1, 0, 0, 0, 0, 0, 255, 0]), struct.pack(">H", len(text) + 2) + text)
    same(("HP", "LaserJet 4", "PCL,PJL"),
         tuple(f["decoded"]["printer"][k] for k in ("manufacturer", "model", "command_set")),
         "its parts")


def test_dfu_requests(d):
    dfu = interface(0, 0xfe, 1, 2, 0)
    asks(d, "DFU status", "DFU_GETSTATUS interface 0: OK dfuDNLOAD-IDLE, poll in 100 ms", dfu,
         bytes([0xa1, 3, 0, 0, 0, 0, 6, 0]), bytes([0, 100, 0, 0, 5, 0]))
    asks(d, "a command to ST's loader", "DFU_DNLOAD block 0 interface 0: set address 0x08000000",
         dfu,
         bytes([0x21, 1, 0, 0, 0, 0, 5, 0]), bytes([0x21, 0, 0, 0, 8]), vid=0x0483)


def test_card_readers(d):
    ccid = interface(0, 0x0b, 0, 0, 1)
    says(d, "CCID", "CCID XfrBlock slot 0 seq 3 SELECT (00 a4 04 00)", ccid, BULK, 0x01,
         bytes([0x6f, 7, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0xa4, 4, 0, 2, 0x3f, 0]))
    says(d, "a card's answer", "CCID DataBlock slot 0 seq 3 card active, ok SW 9000", ccid, BULK,
         0x81,
         bytes([0x80, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0x90, 0]))
    t1 = bytes([0, 0, 2, 0x6a, 0x82])
    for what, more, body, words in (
            ("an answer to reset", 0, bytes([0x3b, 0x65, 0, 0x90, 0]), None),
            ("a part of an answer", 1, bytes([1, 2, 0x90, 0]), None),
            ("the last part", 2, bytes([1, 2, 0x61, 0x10]), "6110"),
            ("a block of T=1", 0, t1 + bytes([t1[2] ^ t1[3] ^ t1[4]]), "6a82"),
            ("a block of T=1 that says more", 0, bytes([0, 0x20, 2, 1, 2, 0x20 ^ 2 ^ 1 ^ 2]), None)):
        f = says(d, what, "CCID DataBlock slot 0 seq 3 card active, ok", ccid, BULK, 0x81,
                 bytes([0x80, len(body), 0, 0, 0, 0, 3, 0, 0, more]) + body)
        same(words, f["decoded"]["ccid"].get("sw"), what + ": its status words")
    says(d, "a card that is put in", "CCID NotifySlotChange slot 0 present", ccid, INTERRUPT, 0x82,
         b"\x50\x03")


def test_still_images(d):
    image = interface(0, 6, 1, 1, 1)
    says(d, "PTP", "PTP command GetObjectHandles transaction 4 (0xffffffff, 0x0, 0x0)", image, BULK,
         0x01,
         struct.pack("<IHHIIII", 24, 1, 0x1007, 4, 0xffffffff, 0, 0))
    says(d, "its response", "PTP response OK transaction 4", image, BULK, 0x81,
         struct.pack("<IHHI", 12, 3, 0x2001, 4))
    says(d, "MTP of a phone, by its form", "PTP command OpenSession transaction 0 (0x1)",
         interface(0, 0xff, 0xff, 0, 1), BULK, 0x01, struct.pack("<IHHII", 16, 1, 0x1002, 0, 1))


def test_bluetooth(d):
    bluetooth = interface(0, 0xe0, 1, 1, 2)
    asks(d, "a command to a Bluetooth controller that nothing describes",
         "HCI_COMMAND (class guessed): Read_BD_ADDR",
         None, bytes([0x20, 0, 0, 0, 0, 0, 3, 0]), bytes([9, 0x10, 0]))
    says(d, "its event", "HCI Command_Complete Reset: Success", bluetooth, INTERRUPT, 0x81,
         bytes([0x0e, 4, 1, 3, 0x0c, 0]))
    says(d, "ACL data", "HCI ACL handle 0x02a, 8 bytes, ATT Error Response", bluetooth, BULK, 0x82,
         bytes([0x2a, 0x20, 8, 0, 4, 0, 4, 0, 1, 2, 3, 4]))
    says(d, "the first packet of a frame", "ATT Handle Value Notification handle 0x000c, value 4b, "
         "4 of 40 bytes of the frame", bluetooth, BULK, 0x82,
         bytes([0x2a, 0x20, 8, 0, 40, 0, 4, 0, 0x1b, 12, 0, 0x4b]))


def test_cameras(d):
    camera = interface(1, 0x0e, 2, 0, 1)
    asks(d, "a stream of a camera",
         "format 1 frame 2 30.00/s, frames of 614400 bytes, payloads of 3072", camera,
         bytes([0x21, 1, 0, 2, 1, 0, 26, 0]),
         struct.pack("<HBBIHHHHHII", 1, 1, 2, 333333, 0, 0, 0, 0, 0, 614400, 3072))
    says(d, "a payload of a camera", "video fid 1, 20 bytes of picture, pts 1000, end of frame",
         camera, BULK, 0x81,
         bytes([12, 0x8f]) + struct.pack("<IIH", 1000, 2, 3) + bytes(20))


def test_guessed_classes(d):
    f = asks(d, "SET_REPORT of a device without descriptors",
             "SET_REPORT output id 0 interface 2 (class guessed)", None,
             bytes([0x21, 9, 0, 2, 2, 0, 4, 0]), bytes(4))
    ok(f["setup"]["class_guessed"] is True, "which says so in JSON, too", f)
    asks(d, "SET_LINE_CODING of one", "SET_LINE_CODING interface 0 (class guessed): 9600 8N1", None,
         bytes([0x21, 0x20, 0, 0, 0, 0, 7, 0]), struct.pack("<IBBB", 9600, 0, 0, 8))
    asks(d, "what fits nothing is not guessed", "class request 0x77 value 0x0000", None,
         bytes([0x21, 0x77, 0, 0, 0, 0, 4, 0]), bytes(4))


def test_capabilities_and_strings(d):
    bos = b"".join([
        bytes([7, 0x10, 2, 2, 0, 0, 0]),
        bytes([24, 0x10, 5, 0]) + uuid.UUID("3408b638-09a9-47a0-8bfd-a0768815b665").bytes_le +
                    b"\0\1\1\0",
        bytes([52, 0x10, 0x0d, 4, 2, 0, 0, 0, 0x0b]) + bytes(31) + bytes([0x21, 1, 0, 0]) +
        struct.pack("<HBBHBB", 0xff01, 0, 5, 0x8087, 1, 6)])
    c = Capture()
    c.get_descriptor(0x0f, struct.pack("<BBHB", 5, 0x0f, 5 + len(bos), 3) + bos)
    ok("3 capabilities: USB 2.0 extension, WebUSB, billboard" in line_of(c, d),
       "a BOS with what it holds", line_of(c, d))
    same([("ff01", "DisplayPort", "configured"), ("8087", "Thunderbolt", "failed")],
         [(m["wSVID"], m["svid_name"], m["state"]) for m in
          objects(d + "/class.pcap")[-1]["fields"]["decoded"]["descriptors"][3]["modes"]],
         "a billboard's alternate modes")
    c = Capture()
    c.get_descriptor(3, bytes([6, 3, 9, 4, 7, 4]))
    ok("string: 0x0409 English (United States), 0x0407 German" in line_of(c, d),
       "languages of strings", line_of(c, d))


def test_report_descriptors(d):
    c = Capture()
    c.get_descriptor(0x22, usbsynth.TABLET_REPORT, interface=0)
    ok("HID report interface 0: Mouse, 4 fields" in line_of(c, d),
       "a report descriptor in one phrase", line_of(c, d))
    c = Capture()
    described_as(c, 5, interface(0, 3, 0, 0, 1), endpoint(0x81, 3, 64, 1))
    c.get_descriptor(0x22, bytes.fromhex("0642ff0901a1018507750895041500 26ff0009028102c0"), 5,
                     interface=0)
    c.transfer(INTERRUPT, 0x81, answer=bytes([7, 1, 2, 3, 4]))
    line_of(c, d)
    same([{"usage": "ff42:0002", "bit": 8, "bits": 32}],
         objects(d + "/class.pcap")[-1]["fields"]["decoded"]["report"].get("raw"),
         "bytes of a vendor's page: whose, where, how many")


def test_classes_in_tshark(d):
    """The same payload as tshark shows it."""
    if not shutil.which("tshark"):
        return skip("classes in tshark", "tshark, the judge, is not installed")
    for interface_, xfer, ep, data, field, want in (
            (interface(0, 0x0b, 0, 0, 1), BULK, 0x01, bytes([0x65, 0, 0, 0, 0, 0, 9, 0, 0, 0]),
             "usbccid.bSeq", "ccid.bSeq"),
            (interface(0, 0xe0, 1, 1, 2), INTERRUPT, 0x81, bytes([0x0e, 4, 1, 3, 0x0c, 0]),
             "bthci_evt.opcode", "hci.opcode"),
            (interface(0, 0xe0, 1, 1, 2), BULK, 0x82,
             bytes([0x2a, 0x20, 8, 0, 4, 0, 4, 0, 1, 2, 3, 4]),
             "bthci_acl.chandle", "hci.handle")):
        c = Capture()
        described_as(c, 5, interface_, endpoint(ep, 2 if xfer == BULK else 3, 64, 1),
                     dev_class=tuple(interface_[5:8]))
        c.transfer(xfer, ep, **({"answer": data} if ep & 0x80 else {"out": data}))
        path = write(d + "/judged.pcap", c)
        r = subprocess.run(["tshark", "-r", path, "-T", "fields", "-e", field], capture_output=True,
                           text=True)
        theirs = [x for x in r.stdout.split() if x]
        ours = objects(path)[-1]["fields"]["decoded"]
        for part in want.split("."):
            ours = ours[part]
        same([ours], [int(x, 0) for x in theirs[-1:]], "tshark agrees on %s" % field)


FRAME = bytes.fromhex("0a1b2c3d4e5f021122334455") + b"\x08\x00" + bytes(46)


def ncm(frames, sequence, signature=b"NCM0"):
    """A transfer block of 16 bits with these frames."""
    table = 8 + 4 * (len(frames) + 1)
    at, entries = 12 + table, b""
    for frame in frames:
        entries += struct.pack("<HH", at, len(frame))
        at += len(frame)
    return b"NCMH" + struct.pack("<HHHH", 12, sequence, at, 12) + signature + \
        struct.pack("<HH", table, 0) + entries + bytes(4) + b"".join(frames)


def beside_serial(control):
    """A modem's messages on the serial line beside its network interface."""
    c = Capture()
    described_as(c, 5, interface(0, *control, 1), endpoint(0x83, 3, 16, 9),
                 interface(1, 0x0a, 0, 0, 1), endpoint(0x81, 2, 512, 0),
                 interface(2, 2, 2, 1, 1), endpoint(0x84, 3, 16, 9),
                 interface(3, 0x0a, 0, 0, 1), endpoint(0x05, 2, 512, 0))
    c.transfer(BULK, 0x05, out=b"AT+CFUN=1,1 and what follows\r")
    return c


# Services of MBIM, and how many commands of each trawl names.
MBIM_SERVICES = (
    ("a289cc33bcbb8b4fb6b0133ec2aae6df", 24), ("533fbeeb14fe44679f9033a223e56c3f", 5),
    ("e550a0c85e82479e82f710abf4c3351f", 1), ("4bf384761e6a41dbb1d8bed289c25bdb", 4),
    ("d8f20131fcb54e178602d6ed3816164c", 3), ("1d2b5ff70aa148b2aa5250f15767174e", 3),
    ("c08a26dd7718438284826e0d583c4d0e", 1))


def test_mbim_names(d):
    """Names of MBIM's commands and statuses are those that Wireshark has."""
    if not shutil.which("tshark"):
        return skip("MBIM's names in tshark", "tshark, the judge, is not installed")
    c, known = Capture(), []
    described_as(c, 5, interface(0, 2, 0x0e, 0, 1), endpoint(0x83, 3, 16, 9),
                 interface(1, 0x0a, 0, 2, 1), endpoint(0x81, 2, 512, 0))
    for uuid, count in MBIM_SERVICES:
        for cid in range(1, count + 1):
            body = struct.pack("<IIIII", 3, 48, cid, 1, 0) + bytes.fromhex(uuid) + \
                struct.pack("<III", cid, 0, 0)
            c.control(bytes([0x21, 0, 0, 0, 0, 0, 48, 0]), body)
            known.append(cid)
    for status in range(24):
        body = struct.pack("<IIIII", 0x80000003, 48, status, 1, 0) + \
            bytes.fromhex(MBIM_SERVICES[0][0]) + struct.pack("<III", 3, status, 0)
        c.control(bytes([0xa1, 1, 0, 0, 0, 0, 0, 4]), body)
    path = write(d + "/mbim.pcap", c)
    ours = [o["fields"]["decoded"]["network"] for o in objects(path)
            if "network" in o["fields"]["decoded"]]
    r = subprocess.run(["tshark", "-r", path, "-V", "-Y", "mbim.control"], capture_output=True,
                       text=True)
    said = re.findall(r"(?:CID|Status): (?:MBIM_(?:CID|STATUS)_)?(\w+) \(", r.stdout)
    theirs = [None if n == "Unknown" else re.sub("^(SMS|PHONEBOOK|STK|DSS)_", "", n)
              for n in said]
    same([n.get("cid_name") for n in ours if not n["complete"]], theirs[:len(known)],
         "tshark agrees on MBIM's %d commands" % len(known))
    same([n["message_status_name"] for n in ours if n["complete"]], theirs[len(known) + 1::2],
         "and on statuses")


def test_dfu(d):
    """Requests of a firmware update, as Wireshark reads them."""
    if not shutil.which("tshark"):
        return skip("DFU in tshark", "tshark, the judge, is not installed")
    c = Capture()
    # A device that tshark knows by its ids: tshark does not look at the interface.
    c.get_descriptor(1, device(0x1d50, 0x6001), 5)
    c.get_descriptor(2, config(interface(0, 0xfe, 1, 0, 0)), 5)
    c.control(struct.pack("<BBHHH", 0x21, 0, 1000, 0, 0), b"")
    for block in (0, 1, 258):
        c.control(struct.pack("<BBHHH", 0x21, 1, block, 0, 16), bytes(16))
        c.control(struct.pack("<BBHHH", 0xa1, 3, 0, 0, 6),
                  bytes([block and 8, 0x10, 0x27, 0, 4, 7]))
    c.control(struct.pack("<BBHHH", 0xa1, 2, 513, 0, 64), bytes(64))
    c.control(struct.pack("<BBHHH", 0xa1, 5, 0, 0, 1), b"\x0a")
    path = write(d + "/dfu.pcap", c)
    found = [o["fields"] for o in objects(path)]
    setups = [f["setup"] for f in found if f["setup"]["request"].startswith("DFU_")]
    dfu = [f["decoded"]["dfu"] for f in found if "dfu" in f["decoded"]]
    for field, ours in (("command", [s["bRequest"] for s in setups]),
                        ("timeout", [s["timeout_ms"] for s in setups if "timeout_ms" in s]),
                        ("block_number", [s["block"] for s in setups if "block" in s]),
                        ("status", [x["bStatus"] for x in dfu if "bStatus" in x]),
                        ("state", [x["bState"] for x in dfu if "bState" in x]),
                        ("poll_timeout", [x["bwPollTimeout"] for x in dfu if "bStatus" in x]),
                        ("iString", [x["iString"] for x in dfu if "bStatus" in x])):
        r = subprocess.run(["tshark", "-r", path, "-T", "fields", "-e", "usbdfu." + field],
                           capture_output=True, text=True)
        theirs = [int(x, 0) for x in r.stdout.split()]
        # The answer to an upload repeats the number of its block.
        theirs = list(dict.fromkeys(theirs)) if field == "block_number" else theirs
        same(theirs, ours, "tshark agrees on DFU's %s" % field)


def described_network(d, control, data, ep=0x81, request=None, xfer=BULK):
    c = Capture()
    described_as(c, 5, interface(0, *control, 1), endpoint(0x83, 3, 16, 9),
                 interface(1, 0x0a, 0, control[2] and 1, 2), endpoint(0x81, 2, 512, 0),
                 endpoint(0x02, 2, 512, 0))
    if request:
        c.control(request, data)
    else:
        c.transfer(xfer, ep, **({"answer": data} if ep & 0x80 else {"out": data}))
    line = line_of(c, d)
    f = objects(d + "/class.pcap")[-1]["fields"]
    return line, f["decoded"].get("network", {})


def test_network(d):
    """Frames of network devices and their messages; tshark judges blocks of NCM and MBIM."""
    network = functools.partial(described_network, d)
    ecm, ncm_, mbim, rndis = (2, 6, 0), (2, 13, 0), (2, 14, 0), (0xe0, 1, 3)
    line, _ = network(ecm, FRAME)
    ok("Ethernet 02:11:22:33:44:55 to 0a:1b:2c:3d:4e:5f IPv4" in line, "ECM: a frame", line)
    line, got = network(ncm_, ncm([FRAME, FRAME[:20]], 7), 0x02)
    ok("NCM block 7, 2 frames: 02:11:22:33:44:55 to 0a:1b:2c:3d:4e:5f IPv4" in line,
       "NCM: a block of two", line)
    same([(32, 60), (92, 20)], [(x["offset"], x["frame_length"]) for x in got["frames"]],
         "where they are")
    block = ncm([FRAME] * 3, 9)
    for name, bad in (("a frame beyond the end", block[:-1]), ("a table beyond the end", block[:14]),
                      ("a table that names itself", block[:18] + b"\x0c\0" + block[20:]),
                      ("no table", block[:12])):
        line, got = network(ncm_, bad)
        ok("NCM block 9" in line and all(
            x["offset"] + x["frame_length"] <= len(bad) for x in got["frames"]), "NCM: " + name, got)
    wide = b"ncmh" + struct.pack("<HHII", 16, 3, 16 + 32 + 60, 16) + b"ncm0" + \
        struct.pack("<HHIIIIII", 32, 0, 0, 0, 48, 60, 0, 0) + FRAME
    line, got = network(ncm_, wide)
    same([48], [x["offset"] for x in got.get("frames", [])], "NCM with 32 bits")
    packet = struct.pack("<IIII", 1, 44 + 60, 36, 60) + bytes(28) + FRAME
    line, got = network(rndis, packet + packet)
    ok("RNDIS, 2 frames: 02:11:22:33:44:55 to" in line and got["frames"][1]["offset"] == 148,
       "RNDIS: two packets", line, got)
    line, got = network((2, 2, 0xff), packet)
    ok("RNDIS, 1 frame: " in line and "text" not in line, "RNDIS that looks like a modem", line)
    line, got = network(rndis, struct.pack("<IIIIII", 4, 28, 5, 0x00010202, 0, 0) + bytes(4),
                        request=bytes([0x21, 0, 0, 0, 0, 0, 28, 0]))
    ok("RNDIS QUERY id 5 OID_GEN_PHYSICAL_MEDIUM" in line, "RNDIS: a question", line)
    line, got = network(rndis, struct.pack("<IIIIII", 0x80000004, 24, 5, 0, 0, 0),
                        request=bytes([0xa1, 1, 0, 0, 0, 0, 0, 4]))
    ok("RNDIS QUERY complete id 5" in line and got["complete"], "its answer", line, got)
    line, got = network(rndis, struct.pack("<IIIIII", 7, 20, 0x4001000b, 0, 0, 0),
                        request=bytes([0xa1, 1, 0, 0, 0, 0, 0, 4]))
    ok("RNDIS INDICATE_STATUS MEDIA_CONNECT" in line and "message_id" not in got,
       "RNDIS: a status has no number", line, got)
    # By CDC these bytes mean "not connected", and the interface of Linux's gadget is CDC's.
    line, got = network((2, 2, 0xff), bytes([1] + 7 * [0]), 0x83, xfer=INTERRUPT)
    ok("RNDIS RESPONSE_AVAILABLE" in line and "down" not in line, "RNDIS: a message waits", line)
    line, got = network(mbim, struct.pack("<III", 3, 48, 11) + bytes(36),
                        request=bytes([0x21, 0, 0, 0, 0, 0, 48, 0]))
    ok("MBIM COMMAND id 11" in line, "MBIM: a command", line)
    for control, name in ((ecm, "ECM"), (ncm_, "NCM"), (mbim, "MBIM"), (rndis, "RNDIS")):
        line = line_of(beside_serial(control), d)
        ok('text "AT+CFUN=1,1 and' in line, "%s beside a serial line" % name, line)
    line, got = network(mbim, ncm([bytes(40)] * 2, 21, b"DSS\0"))
    ok("MBIM block 21, 2 frames" in line, "MBIM: a block", line)
    if not shutil.which("tshark"):
        return skip("NCM and MBIM in tshark", "tshark, the judge, is not installed")
    names = ["nth.sequence_number", "nth.block_length", "ndp.datagram.index", "ndp.datagram.length"]
    r = subprocess.run(["tshark", "-r", d + "/class.pcap", "-T", "fields", "-E", "separator=|"] +
                       [x for n in names for x in ("-e", "mbim.bulk." + n)],
                       capture_output=True, text=True)
    same([[got["wSequence"]], [got["wBlockLength"]], [x["offset"] for x in got["frames"]],
          [x["frame_length"] for x in got["frames"]]],
         [[int(v, 0) for v in cell.split(",") if v and int(v, 0)]
          for cell in r.stdout.splitlines()[-1].split("|")], "tshark agrees on MBIM's block")


def leaves(value, path):
    """(path in JSON, value) of every value below a field that is no list or object."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, path + "." + key if path else key)
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from leaves(below, "%s[%d]" % (path, i))
    elif value is not None:
        yield path, value


def in_csv(value):
    return str(int(value)) if isinstance(value, bool) else str(value).replace("\r\n", "\n")


def test_names(d):
    """--where finds every field of every line of every sample by its name in JSON."""
    for path in sorted(glob.glob(SRC + "/samples/*.trawl")) + [d + "/all.pcapng"]:
        name = os.path.basename(path)
        items = objects(path)
        found = [dict(leaves(i["fields"], "")) for i in items]
        paths = sorted({p for f in found for p in f if "," not in p})
        rows, wrong = [{} for _ in items], []
        for n in range(0, len(paths), 60):
            part = paths[n:n + 60]
            text = run("trawl-export", "--to", "csv", "--fields", ",".join(part), path)[0]
            for row, cells in zip(rows, list(csv.reader(io.StringIO(text, newline="")))[1:]):
                row.update(zip(part, cells[7:]))
        for f, row in zip(found, rows):
            wrong += [(p, v, row.get(p)) for p, v in f.items()
                      if not isinstance(v, (float, str)) and p in row and row[p] != in_csv(v)]
            wrong += [(p, v, row.get(p)) for p, v in f.items()
                      if isinstance(v, str) and p in row and v and not row[p]]
        ok(not wrong and paths, "%s: %d fields have in CSV the value that JSON has" %
           (name, len(paths)), wrong[:5])
        wrong = [c for c in covering(found, paths) if not finds(path, items, *c)]
        # Find the wrong ones, one by one.
        wrong = [(p, v) for i, part in wrong for p, v in part
                 if not finds(path, items, i, [(p, v)])] or wrong
        ok(not wrong, "%s: --where finds the line of each by it" % name, wrong[:5])


def covering(found, paths):
    """(number of an item, up to 40 of its fields with values); together they have every path once,
    except for floats and for texts that no expression can have."""
    left = {}
    for p in paths:
        i = next(i for i, f in enumerate(found) if p in f)
        value = found[i][p]
        if not isinstance(value, float) and not (
                isinstance(value, str) and ("\ufffd" in value or "\0" in value)):
            left.setdefault(i, []).append((p, value))
    return [(i, part[n:n + 40]) for i, part in sorted(left.items())
            for n in range(0, len(part), 40)]


def finds(path, items, i, part):
    """True if an expression that asks for all these values finds item i."""
    terms = []
    for p, value in part:
        literal = str(int(value)) if not isinstance(value, str) else \
            '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"')
        literal = literal.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") \
            .replace("\x1b", "\\x1b")
        terms.append("fields.%s == %s" % (p, literal))
    r = subprocess.run([BUILD + "/trawl-decode", "--json", "--where", " and ".join(terms), path],
                       capture_output=True)
    return r.returncode == 0 and items[i] in [json.loads(line) for line in r.stdout.splitlines()]


def count(path, where):
    return len(decode(path, "--where", where).splitlines())


def refused(path, where, text):
    err = run("trawl-decode", "--where", where, path, status=2)[1]
    ok(text in err and "^" in err, "refused: %s" % where, err)


def test_kinds(d):
    """Numbers and texts in --where: values by their names; conditions that never hold are
    refused."""
    serial = SRC + "/samples/usb-serial.trawl"
    every = count(serial, "vid == 0x403")
    for where in ("pid == 0x6001", 'pid == "6001"', "fields.pid == 0x6001"):
        ok(every and count(serial, "vid == 0x403 and " + where) == every,
           "the product's id: %s" % where)
    ok(count(serial, "vid == 0x403 and pid != 0x6001") == 0, "and no other")
    path = d + "/all.pcapng"
    stalls = count(path, "status == -32")
    ok(stalls > 0 and count(path, 'status == "stall"') == stalls and
       count(path, 'status ~ "sta*"') == stalls, "a status by its name")
    same(count(path, 'vid == "46f4"'), count(path, "vid == 0x46f4"), "a vendor as a number")
    ok(count(path, "vid == 0x46f4") > 0 and count(path, "idVendor == 0x46f4") > 0,
       "of which there are some")
    both = count(path, "ep == 1 and xfer == 'bulk'")
    into, out = (count(path, "ep == 1 and xfer == 'bulk' and dir == '%s'" % d)
                 for d in ("in", "out"))
    ok(both == into + out and into, "an endpoint by its number is both directions")
    same(into, count(path, "ep == 0x81 and xfer == 'bulk'"), "by its address, one")
    same(both - into, count(path, "ep != 0x81 and ep == 1 and xfer == 'bulk'"), "or the other")
    same(1, count(path, "data_length == 31 and decoded.storage.phase == 'command' and lba == 2048"),
         "the top-level name wins, decoded. reaches the rest")
    ok(count(path, "data_length == 31") > 3 and
       count(path, "decoded.storage.data_length == 31") == 0,
       "each by its own")
    ok(count(path, 'data ~ "55534243*"') == count(path, 'data ~ "USBC*"') > 0,
       "bytes by their digits, and as they are")
    refused(path, 'dev == "5"', "dev is a number")
    refused(path, 'latency_ns > "1ms"', "latency_ns is a number")
    refused(path, "dir == 1", "dir is a text")
    refused(path, "setup.request == 6", "setup.request is a text")
    refused(path, 'setup.wValue == "0x0100"', "setup.wValue is a number")
    refused(path, 'status == "stalled"', "did you mean stall")


def main():
    d = tempfile.mkdtemp(prefix="trawl-usbview-")
    try:
        usbsynth.main(d)
        for test in (test_bytes, test_masks, test_requests, test_protocol, test_streams, test_words,
                     test_names, test_kinds, test_audio_and_midi, test_printers, test_dfu_requests,
                     test_card_readers, test_still_images, test_bluetooth, test_cameras,
                     test_guessed_classes, test_capabilities_and_strings, test_report_descriptors,
                     test_classes_in_tshark, test_network, test_mbim_names, test_dfu):
            test(d)
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
