# SPDX-License-Identifier: MIT
"""trawl-replay device, with a host that needs no kernel: it imports the device by usbip over
TCP."""
import glob
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb", SRC + "/tests/replay"]
sys.dont_write_bytecode = True
import usbsynth  # noqa: E402
from tap import finish, ok, same, sanitized  # noqa: E402
from usbipclient import BULK, CONTROL, INTERRUPT, ISO, Host, Replay, events  # noqa: E402
from usbsynth import cbw, csw  # noqa: E402

FAST = "--speed", "0", "--linger", "20ms", "--timeout", "5s"
SET_CONFIGURATION = bytes([0, 9, 1, 0, 0, 0, 0, 0])


def save(folder, name, c):
    path = f"{folder}/{name}.pcap"
    with open(path, "wb") as f:
        f.write(usbsynth.pcap(c.records))
    return path


def capture(folder, name, *parts):
    c = usbsynth.Capture()
    for part in parts:
        part(c)
    return save(folder, name, c)


def session(path, play, *args):
    """Runs a replay with a host that does play(host). Returns play's result and how the replay
    ended."""
    r = Replay(path, *FAST, *args)
    try:
        h = r.host()
        got = h.attach() and play(h)
        out = r.end()
        h.close()
        return (got, *out)
    finally:
        if r.p.poll() is None:
            r.p.kill()


def recorded(path, dev=None, **how):
    tape = events(path)
    devices = [e.dev for e in tape if e.dev > 1]
    dev = dev or max(set(devices), key=devices.count)
    tape = [e for e in tape if e.dev == dev]

    def play(h):
        h.enumerate()
        return h.play(tape, **how)
    return play


def plays(name, path, *args, dev=None):
    got, status, out, err = session(path, recorded(path, dev), *args)
    ok(got == [] and status == 0 and out.startswith("same:"), name, got, status, out, err)


def vendor(c, messages, dev=5, enumerated=True):
    c.get_descriptor(1, usbsynth.device(0x1234, 1, 0xff), dev)
    c.get_descriptor(2, usbsynth.config(usbsynth.interface(0, 0xff, 0, 0, 2),
                                        usbsynth.endpoint(0x81, 2, 64),
                                        usbsynth.endpoint(0x02, 2, 64)), dev)
    if enumerated:
        c.control(SET_CONFIGURATION, dev=dev)
    c.control(bytes([0xc0, 1, 0, 0, 0, 0, 2, 0]), b"v1", dev=dev)
    for out, answer in messages:
        c.transfer(BULK, 0x02, out=out, dev=dev)
        c.transfer(BULK, 0x81, answer=answer, asked=64, dev=dev)


def numbered(first, n=12):
    return [(bytes([0x55, (first + i) % 256, 7 + i % 3]) + bytes(5),
             bytes([0xaa, (first + i) % 256, 1]))
            for i in range(n)]


def test_samples():
    for path in sorted(glob.glob(SRC + "/samples/usb-*.trawl")):
        plays(os.path.basename(path) + " is played to a host that asks the same", path)


def test_classes(d):
    for name in ("keyboard", "tablet", "serial", "ftdi", "storage"):
        c = usbsynth.Capture()
        getattr(usbsynth, name)(c)
        if name == "storage":  # the last is no part of a command
            c.records = c.records[:-2]
        plays(f"made-up {name}, likewise", save(d, name, c))
    path = capture(d, "both", usbsynth.keyboard, usbsynth.serial)
    plays("one device of several", path, "--device", "1234:0acd", dev=8)


def test_differences(d):
    path = capture(d, "vendor", lambda c: vendor(c, numbered(1)))
    plays("a vendor's protocol", path)
    got, status, out, _ = session(path, recorded(path, change=3))
    ok(status == 1 and "ep2 OUT bulk, 8 bytes: 55 03" in out and "byte 0 is 0x15, was 0x55" in out,
       "a changed message is the first difference, status 1", status, out)

    def numbers(h):
        h.enumerate()
        h.control(bytes([0xc0, 1, 0, 0, 0, 0, 2, 0]))
        answers = []
        for message, _ in numbered(100):
            read = h.submit(0x81, 1, 64)
            h.wait(h.submit(0x02, 0, len(message), data=message))
            answers.append(h.wait(read)[1])
        return answers
    got, status, out, _ = session(path, numbers)
    same((0, [a for _, a in numbered(100)]), (status, got),
         "a host's other sequence numbers come back to it")

    def refused(h):
        h.enumerate()
        return h.control(bytes([0xc0, 9, 9, 9, 9, 9, 4, 0]))[0]
    got, status, out, _ = session(path, refused, "--timeout", "100ms")
    ok(got == -32 and status == 1 and "vendor request 0x09" in out,
       "a request that nobody recorded is refused, and said",
       got, status, out)

    def wrong_way(h):
        h.enumerate()
        return h.wait(h.submit(0, 1, 4, bytes([0x40, 7, 0, 0, 0, 0, 4, 0])))[0]
    sent = capture(d, "sent", lambda c: (vendor(c, numbered(1)), c.control(
        bytes([0x40, 7, 0, 0, 0, 0, 4, 0]), b"abcd", dev=5)))
    got, status, out, err = session(sent, wrong_way, "--timeout", "1s")
    ok(got == 0 and status == 1,
       "a request to write that a host sends as one to read has no data", got, status, out, err)

    def nothing(h):
        h.enumerate()
        return True
    got, status, out, err = session(path, nothing, "--timeout", "100ms")
    ok(status == 1 and "the host did not send it" in out and "25 not" in out,
       "a host that asks nothing", status, out)
    late = capture(d, "late", lambda c: vendor(c, numbered(1), enumerated=False))
    got, status, out, err = session(late,
                                    lambda h: h.control(bytes([0x40, 7, 0, 0, 0, 0, 0, 0])) and
                                    recorded(late)(h))
    ok(status == 0 and "1 came before" in out,
       "what comes before a capture that began later is no difference", status,
       out)


def test_buffers(d):
    stream = [(b"go", bytes(range(64))), (b"on", bytes(range(64, 100)))]

    def talk(c):
        vendor(c, [])
        c.transfer(BULK, 0x02, out=b"go", dev=5)
        c.transfer(BULK, 0x81, answer=stream[0][1], asked=64, dev=5)
        c.transfer(BULK, 0x81, answer=stream[1][1], asked=64, dev=5)
    path = capture(d, "stream", talk)

    def reads(*sizes):
        def play(h):
            h.enumerate()
            h.control(bytes([0xc0, 1, 0, 0, 0, 0, 2, 0]))
            h.wait(h.submit(0x02, 0, 1, data=b"g"))
            h.wait(h.submit(0x02, 0, 1, data=b"o"))
            return [h.wait(h.submit(0x81, 1, n))[1] for n in sizes]
        return play
    whole = bytes(range(100))
    for sizes, name in (((32, 32, 64), "smaller"), ((256,), "larger")):
        got, status, out, _ = session(path, reads(*sizes))
        same((0, whole), (status, b"".join(got)), f"bulk data in {name} buffers than recorded")

    def unlinks(h):
        h.enumerate()
        h.control(bytes([0xc0, 1, 0, 0, 0, 0, 2, 0]))
        waiting = h.submit(0x81, 1, 64)
        cancelled = h.wait(h.unlink(waiting))
        first = h.submit(0x81, 1, 64)
        h.wait(h.submit(0x02, 0, 2, data=b"go"))
        answer = h.wait(first)
        return cancelled, waiting in h.answers, answer[1], h.wait(h.unlink(first)), \
            h.wait(h.submit(0x81, 1, 64))[1]
    got, status, out, _ = session(path, unlinks)
    same((0, (-104, False, stream[0][1], 0, stream[1][1])), (status, got),
         "a read that is unlinked gets no answer; one that has its answer cannot be")
    test_given_up(d)


def test_given_up(d):
    """Reads that the host gave up, or refused, before the answer came."""
    def given_up(c):
        vendor(c, [])
        c.record("S", BULK, 0x81, 5, status=-115, length=64, flag_data="<", id=1)
        c.transfer(BULK, 0x02, out=b"go", dev=5)
        c.record("C", BULK, 0x81, 5, status=-2, id=1)
        c.transfer(BULK, 0x81, answer=b"answer", asked=64, dev=5)
    plays("a read that is given up while its answer could come already",
          capture(d, "given-up", given_up))

    def two_given_up(c):
        vendor(c, [])
        for id in 1, 2:
            c.record("S", BULK, 0x81, 5, status=-115, length=64, flag_data="<", id=id)
        for id in 1, 2:
            c.transfer(BULK, 0x02, out=b"go", dev=5)
            c.record("C", BULK, 0x81, 5, status=-2, id=id)
        c.transfer(BULK, 0x81, answer=b"answer", asked=64, dev=5)
    plays("two reads, of which the second is given up after something else",
          capture(d, "two-given-up", two_given_up))

    def never_seen(c):
        vendor(c, [])
        c.record("S", BULK, 0x81, 5, status=-115, length=64, flag_data="<", id=1)
        c.record("C", BULK, 0x81, 5, status=-22, length=3, data=b"old", id=1)
        c.transfer(BULK, 0x02, out=b"go", dev=5)
        c.transfer(BULK, 0x81, answer=b"answer", asked=64, dev=5)
    plays("a read that the host refused, with what its buffer had before",
          capture(d, "never-seen", never_seen))


def test_speed(d):
    """An answer that took 300 ms when recorded takes at least 300 ms divided by --speed."""
    def slow(c):
        vendor(c, [])
        c.transfer(BULK, 0x02, out=b"go", dev=5)
        c.transfer(BULK, 0x81, answer=b"gone", asked=64, latency=300000, dev=5)
    path = capture(d, "slow", slow)

    def play(h):
        h.enumerate()
        h.control(bytes([0xc0, 1, 0, 0, 0, 0, 2, 0]))
        read = h.submit(0x81, 1, 64)
        begin = time.monotonic()
        h.wait(h.submit(0x02, 0, 2, data=b"go"))
        return h.wait(read)[1], time.monotonic() - begin
    for speed in ("1", "0.5", "2.5"):
        got, status, out, _ = session(path, play, "--speed", speed)
        ok(status == 0 and got[0] == b"gone" and got[1] >= 0.299 / float(speed),
           f"--speed {speed}: an answer comes not before its time", got, status, out)


def command(h, tag, length, into, cdb, data=b""):
    """A SCSI command: (data, status of the CSW)."""
    h.wait(h.submit(0x02, 0, 31, data=cbw(tag, length, into, cdb)))
    got = h.wait(h.submit(0x81, 1, length))[1] if into and length else b""
    if data:
        h.wait(h.submit(0x02, 0, len(data), data=data))
    status = h.wait(h.submit(0x81, 1, 13))[1]
    same(tag, struct.unpack("<I", status[4:8])[0], "the status has the host's tag")
    return got, status[12]


def read10(lba, n):
    return struct.pack(">BBIBHB", 0x28, 0, lba, 0, n, 0)


def plug_disk(c):
    """Device 5 is a disk, which the host configures."""
    c.get_descriptor(1, usbsynth.device(0x46f4, 1), 5)
    c.get_descriptor(2, usbsynth.config(usbsynth.interface(0, 8, 6, 0x50, 2),
                                        usbsynth.endpoint(0x81, 2, 512),
                                        usbsynth.endpoint(0x02, 2, 512)), 5)
    c.control(SET_CONFIGURATION, dev=5)


def test_storage(d):
    sector = {n: bytes([n]) * 512 for n in range(8)}

    def disk(c):
        plug_disk(c)

        def recorded_read(tag, lba, n):
            c.transfer(BULK, 0x02, out=cbw(tag, 512 * n, True, read10(lba, n)), dev=5)
            c.transfer(BULK, 0x81, answer=b"".join(sector[lba + i] for i in range(n)), dev=5)
            c.transfer(BULK, 0x81, answer=csw(tag), dev=5)
        recorded_read(1, 0, 4)
        recorded_read(2, 6, 2)
    path = capture(d, "disk", disk)

    def other_order(h):
        h.enumerate()
        return [command(h, 77, 1024, True, read10(6, 2)), command(h, 78, 1024, True, read10(1, 2)),
                command(h, 79, 512, True, read10(5, 1)),
                command(h, 80, 18, True, bytes([3, 0, 0, 0, 18, 0]))[0][2:14:10],
                command(h, 81, 512, False, struct.pack(">BBIBHB", 0x2a, 0, 5, 0, 1, 0), b"w" * 512),
                command(h, 82, 1024, True, read10(5, 2))]
    got, status, out, err = session(path, other_order, "--timeout", "200ms")
    same([(sector[6] + sector[7], 0), (sector[1] + sector[2], 0), (b"", 1), b"\x03\x11", (b"", 0),
          (b"w" * 512 + sector[6], 0)], got,
         "sectors in another order; one that is not in the capture is an error")
    ok(status == 1 and "a later one" in out, "which is a difference", status, out)


def test_wrong_direction(d):
    """A host that sends a write command as a command that reads gets a phase error, and no data."""
    def disk(c):
        plug_disk(c)
        c.transfer(BULK, 0x02, out=cbw(1, 512, True, read10(0, 1)), dev=5)
        c.transfer(BULK, 0x81, answer=b"s" * 512, dev=5)
        c.transfer(BULK, 0x81, answer=csw(1), dev=5)

    def play(h):
        h.enumerate()
        return [command(h, 7, 4096, True, struct.pack(">BBIBHB", 0x2a, 0, 0, 0, 8, 0)),
                command(h, 8, 512, True, read10(0, 1))]
    got, status, out, err = session(capture(d, "direction", disk), play, "--timeout", "200ms")
    same([(b"", 2), (b"s" * 512, 0)], got, "a write that asks for data gets a phase error")


def test_beyond_end(d):
    """Blocks beyond the disk's end fail with matching sense data, and a write there changes
    nothing. 16-byte commands: their largest addresses are no small ones, and of the service
    actions only READ CAPACITY(16) is answered with the capacity."""
    def disk(c):
        plug_disk(c)
        c.transfer(BULK, 0x02, out=cbw(1, 8, True, bytes([0x25] + [0] * 9)), dev=5)
        c.transfer(BULK, 0x81, answer=struct.pack(">II", 3, 512), dev=5)
        c.transfer(BULK, 0x81, answer=csw(1), dev=5)

    def play(h):
        h.enumerate()
        write = struct.pack(">BBIBHB", 0x2a, 0, 4, 0, 1, 0)
        return [command(h, 7, 512, False, write, b"w" * 512),
                command(h, 8, 18, True, bytes([3, 0, 0, 0, 18, 0]))[0][2:14:10],
                command(h, 9, 512, True, read10(3, 1))]
    got = session(capture(d, "beyond", disk), play, "--timeout", "200ms")[0]
    same([(b"", 1), b"\x05\x21", (b"", 1)], got, "a write beyond the disk's end has sense data")

    def play16(h):
        h.enumerate()
        read = struct.pack(">BBQIBB", 0x88, 0, 2**64 - 1, 2, 0, 0)
        found = []
        for cdb in read, b"\x9e\x12" + bytes(14), b"\x9e\x10" + bytes(11) + b"\x20\0\0":
            found.append(command(h, 7, 1024, True, cdb))
            found.append(command(h, 8, 18, True, bytes([3, 0, 0, 0, 18, 0]))[0][2:14:10])
        return found
    got = session(capture(d, "beyond16", disk), play16, "--timeout", "200ms")[0]
    same([(b"", 1), b"\x05\x21", (b"", 1), b"\x05\x24",
          (struct.pack(">QI20x", 3, 512), 0), b"\0\0"], got,
         "the same with 16-byte commands, of which only READ CAPACITY(16) returns a capacity")


def test_readers(d):
    """A device that was recorded twice: by usbmon0, which has all buses, and by its own bus's."""
    c = usbsynth.Capture()
    vendor(c, numbered(1, 4))
    path = f"{d}/readers.pcapng"
    with open(path, "wb") as f:
        f.write(usbsynth.pcapng([r for r in c.records for _ in range(2)], (220, 220)))
    plays("what two readers recorded is played once", path)
    for device in "1:5", "1234:0001":
        plays(f"--device {device} is one device then", path, "--device", device)


def test_halves(d):
    """A request that the host refused, and data of which the submission was not recorded."""
    idle = bytes([0x21, 10, 0, 0, 0, 0, 0, 0])

    def refused(c):
        vendor(c, [])
        c.control(idle, status=-22, dev=5)
    path = capture(d, "unseen", refused)
    plays("a request that the capture's host refused", path)

    def ask(h):
        h.enumerate()
        h.control(bytes([0xc0, 1, 0, 0, 0, 0, 2, 0]))
        return h.control(idle)
    got, status, out, _ = session(path, ask)
    ok(status == 0 and got and got[0] == 0, "is answered", got, status, out)

    def no_report(c):
        usbsynth.keyboard(c)
        c.records = [e for e in c.records if usbsynth.KEYBOARD_REPORT not in e]
    path = capture(d, "noreport", no_report)
    _, status, _, err = session(path, recorded(path))
    ok(status == 0 and f" has 0 of the {len(usbsynth.KEYBOARD_REPORT)} bytes of the report "
       "descriptor of interface 0: " in err, "a lack of a report descriptor is mentioned", err)
    path = capture(d, "report", usbsynth.keyboard)
    _, _, _, err = session(path, recorded(path))
    ok("report descriptor" not in err, "but not if it is there", err)

    def lost(c):
        vendor(c, numbered(1, 2))
        c.record("C", BULK, 0x02, id=0x77, length=16, flag_data=">")
        c.transfer(BULK, 0x02, out=b"end", dev=5)
    path = capture(d, "lost", lost)
    got, status, out, err = session(path, recorded(path))
    ok(status == 0 and "lacks the data of 1 transfers to the device" in err and
       "transfer 9," in err, "data that was not recorded is mentioned", got, status, out, err)

    def send(h):
        got = recorded(path)(h)
        return got + [h.wait(h.submit(0x02, 0, 16, data=b"x" * 16))[0]]
    got, status, out, _ = session(path, send)
    ok(status == 0 and got == [0], "and may be anything of its length", got, status, out)


def test_uas(d):
    """UAS on the endpoints that another alternate setting has for Bulk-Only Transport."""
    def disk(c):
        c.get_descriptor(1, usbsynth.device(0x46f4, 1), 5)
        c.get_descriptor(2, usbsynth.config(
            usbsynth.interface(0, 8, 6, 0x50, 2), usbsynth.endpoint(0x81, 2, 512),
            usbsynth.endpoint(0x02, 2, 512), usbsynth.interface(0, 8, 6, 0x62, 4, 1),
            usbsynth.endpoint(0x81, 2, 512), usbsynth.endpoint(0x02, 2, 512),
            usbsynth.endpoint(0x83, 2, 512), usbsynth.endpoint(0x04, 2, 512)), 5)
        c.control(SET_CONFIGURATION, dev=5)
        c.control(bytes([1, 11, 1, 0, 0, 0, 0, 0]), dev=5)
        for tag in range(1, 4):
            c.transfer(BULK, 0x04, out=struct.pack(">BBH28s", 1, 0, tag, bytes(12) + b"\x12"),
                       dev=5)
            c.transfer(BULK, 0x81, answer=bytes([tag]) * 36, dev=5)
            c.transfer(BULK, 0x83, answer=struct.pack(">BBH12x", 3, 0, tag), dev=5)
    plays("UAS on endpoints that Bulk-Only Transport may have, too", capture(d, "uas", disk))


def test_split(d):
    whole = b"".join(bytes([n]) * 512 for n in range(8))

    def disk(c):
        plug_disk(c)
        c.transfer(BULK, 0x02, out=cbw(1, 4096, True, read10(16, 8)), dev=5)
        c.transfer(BULK, 0x81, answer=whole[:1536], asked=1536, dev=5)
        c.transfer(BULK, 0x81, answer=whole[1536:], asked=2560, dev=5)
        c.transfer(BULK, 0x81, answer=csw(1), dev=5)
        c.transfer(BULK, 0x02,
                   out=cbw(2, 4096, False, struct.pack(">BBIBHB", 0x2a, 0, 32, 0, 8, 0)), dev=5)
        c.transfer(BULK, 0x02, out=whole, dev=5)
        c.transfer(BULK, 0x81, answer=csw(2), dev=5)
    path = capture(d, "split", disk)

    def parts(change):
        def play(h):
            h.enumerate()
            data = b"".join(command(h, 10 + lba, 512 * n, True, read10(lba, n))[0]
                            for lba, n in ((16, 2), (18, 5), (23, 1)))
            for lba, n in ((32, 4), (36, 4)):
                piece = bytearray(whole[512 * (lba - 32):512 * (lba - 32 + n)])
                piece[7] ^= change and lba == 36
                command(h, 50 + lba, 512 * n, False, struct.pack(">BBIBHB", 0x2a, 0, lba, 0, n, 0),
                        bytes(piece))
            return data
        return play
    got, status, out, err = session(path, parts(0))
    same((whole, 0), (got, status), "a driver that splits its reads and writes does the same")
    got, status, out, err = session(path, parts(1))
    ok(status == 1 and "byte 2055 of the data is 0x05, was 0x04" in out,
       "a byte that differs in a part of a write", out, err)


def test_refused_data(d):
    """A command for which the disk stalled the data and then reported that the command failed."""
    def disk(c):
        plug_disk(c)
        c.transfer(BULK, 0x02, out=cbw(1, 64, False, bytes([0xb5] + [0] * 11)), dev=5)
        c.transfer(BULK, 0x02, out=bytes(range(64)), status=-32, dev=5)
        c.transfer(BULK, 0x81, answer=csw(1, 64, 1), dev=5)
    plays("a command whose data was refused", capture(d, "refused", disk))


def test_protocol(d):
    path = capture(d, "proto", lambda c: vendor(c, []))
    r = Replay(path, *FAST)
    h = r.host()
    head, device, interfaces = h.list()
    same(((0x0111, 5, 0, 1), b"1-1", (2, 0x1234, 1), [b"\xff\0\0\0"]),
         (head, device[256:288].rstrip(b"\0"), struct.unpack(">IHH", device[296:304]), interfaces),
         "usbip list: the device and its interfaces")
    other = Host(r.port)
    h.close()
    same(None, other.attach(b"9-9"), "another bus id is refused")
    ok(other.attach(), "the right one is not")
    other.enumerate()
    other.s.close()
    status, out, err = r.end()
    ok(status == 1 and "the host unplugged" in err, "a host that goes away: status 1, and why",
       status, err)
    r = Replay(path, *FAST, "--hold")
    h = r.host()
    h.attach()
    h.enumerate()
    h.control(bytes([0xc0, 1, 0, 0, 0, 0, 2, 0]))
    r.p.send_signal(signal.SIGTERM)
    same((0, True), (lambda e: (e[0], e[1].startswith("same")))(r.end()),
         "--hold stays until a signal")
    h.close()
    test_waiting(path)


def call_of(task):
    """The system call that a task waits in: its number and first argument; None if it runs."""
    with open(f"/proc/{task}/syscall") as f:
        words = f.read().split()
    return (words[0], int(words[1], 16)) if len(words) > 3 else None


def test_waiting(path):
    """A message costs two system calls: in one, the replay waits for it and receives it. The number
    of that call is taken from a thread that does the same."""
    near, far = socket.socketpair()
    thread = threading.Thread(target=near.recv, args=(1,))
    thread.start()
    while not (call := call_of(f"self/task/{thread.native_id}")) or call[1] != near.fileno():
        time.sleep(0.01)
    r = Replay(path, "--speed", "0")
    h = r.host()
    h.attach()
    h.enumerate()
    while not (now := call_of(r.p.pid)):
        time.sleep(0.01)
    same(call[0], now[0], "the replay waits for a message where it receives it")
    r.p.send_signal(signal.SIGTERM)
    status, out, err = r.end()
    ok(status == 1 and out.startswith("different:") and "unplugged" not in err,
       "a signal ends that, which is not the host's doing", status, out, err)
    h.close()
    far.send(b".")
    thread.join()


def refused(name, status, text, *args):
    r = subprocess.run([BUILD + "/trawl-replay", *args], capture_output=True, text=True,
                       stdin=subprocess.DEVNULL,
                       timeout=120)
    ok(r.returncode == status and text in r.stderr and len(r.stderr.splitlines()) == 1, name,
       r.returncode, r.stderr)


def test_errors(d):
    good = capture(d, "good", usbsynth.keyboard)
    two = capture(d, "two", usbsynth.keyboard, usbsynth.tablet)
    bare = capture(d, "bare", lambda c: c.transfer(INTERRUPT, 0x81, answer=bytes(8), dev=6))

    def cut(c):
        vendor(c, [])
        c.record("S", BULK, 0x81, 5, status=-115, length=512, flag_data="<", id=c.next_id)
        c.record("C", BULK, 0x81, 5, length=512, data=bytes(100), id=c.next_id)
    short = capture(d, "short", cut)
    refused("no way", 2, "no way of replaying", )
    refused("a way that there is not", 2, "is not a way of replaying", "backwards", good)
    refused("no file", 2, "no file", "device")
    refused("a file that is not there", 3, "none", "device", d + "/none")
    refused("several devices: a list", 2, "1:6 (0627:0001), 1:7 (0627:0002)", "device", two)
    port_status = bytes([0xa3, 0, 0, 0, 1, 0, 4, 0])
    hub = capture(d, "hub", lambda c: c.control(port_status, bytes(4), dev=1),
                  lambda c: c.transfer(INTERRUPT, 0x81, answer=bytes(8), dev=6))
    refused("a hub without descriptors is not the device", 3, "cannot replay 1:6: the capture",
            "device", hub)
    refused("no such device", 2, "no device is called so", "device", "--device", "1:99", two)
    again = capture(d, "again", usbsynth.keyboard, lambda c: vendor(c, [], dev=6))
    refused("two devices that had an address", 2,
            "--device 1:6: several devices had this address; name one by VID:PID", "device",
            "--device", "1:6", again)
    refused("no descriptors", 3, "no device descriptor", "device", bare)
    refused("data that is not all there", 3, "the data of 1 transfers is not complete in the capture",
            "device", short)
    refused("a speed that is none", 2, "is not a speed", "device", "--speed", "fast", good)
    refused("no USB", 2, "holds no transfers of a USB device", "device",
            SRC + "/samples/tick.trawl")
    if not os.path.exists("/sys/devices/platform/vhci_hcd.0"):
        refused("no vhci_hcd", 3, "modprobe vhci_hcd", "device", good)
    r = Replay(good, *FAST)
    refused("a port in use", 3, "choose another port", "device", f"--listen={r.port}", good)
    r.p.kill()
    r.end()


def test_packets(d):
    """Isochronous packets that a host sends are compared, even without lengths in USBPcap."""
    sound = bytes(range(1, 177)) * 2

    def sends(c, lengths=(0, 0)):
        c.get_descriptor(1, usbsynth.device(0x1234, 1, 0xff), 5)
        c.get_descriptor(2, usbsynth.config(usbsynth.interface(0, 0xff, 0, 0, 1),
                                            usbsynth.endpoint(0x01, 1, 192)), 5)
        c.control(SET_CONFIGURATION, dev=5)
        for flag, kind in ("S", {"data": sound, "status": -115}), ("C", {"flag_data": ">"}):
            c.record(flag, ISO, 0x01, 5, length=len(sound), id=9, interval=1,
                     iso=[(0, 0, lengths[0]), (0, 176, lengths[1])], **kind)
    for name, lengths in ("of known lengths", (176, 176)), ("as by USBPcap", (0, 0)):
        path = capture(d, "packets", lambda c, n=lengths: sends(c, n))
        plays("packets to the device " + name, path)
        got, status, out, _ = session(path, recorded(path, change=1))
        ok(status == 1 and "ep1 OUT iso, 352 bytes" in out and "byte 0 is 0x41, was 0x01" in out,
           "and compared " + name, status, out)


def test_cancelled_packets(d):
    """A host stops its stream before the packets that it cancelled are sent, and begins another one
    with the same silence: what it cancelled is not taken for the beginning of that."""
    silence, sound = bytes(64), bytes(32) + bytes(range(32))
    packets = [(0, 32), (32, 32)]

    def sends(c):
        c.get_descriptor(1, usbsynth.device(0x1234, 1, 0xff), 5)
        c.get_descriptor(2, usbsynth.config(usbsynth.interface(0, 0xff, 0, 0, 2),
                                            usbsynth.endpoint(0x01, 1, 192),
                                            usbsynth.endpoint(0x82, 1, 192)), 5)
        c.control(SET_CONFIGURATION, dev=5)
        for ep, data, status in (0x01, silence, -2), (0x82, b"heard", -2), (0x01, sound, 0):
            c.record("S", ISO, ep, 5, status=-115, length=64, data=data if ep == 1 else b"", id=9,
                     interval=1, iso=[(0, *x) for x in packets])
            c.record("C", ISO, ep, 5, status=status, length=len(data), id=9, interval=1,
                     data=data if ep != 1 else b"", flag_data=">" if ep == 1 else 0,
                     iso=[(0, 0, len(data)), (-18, 32, 0)])

    def stops(h):
        h.enumerate()
        for ep in 0x01, 0x82:
            victim = h.submit(ep, ep >> 7, 64, data=silence, interval=2000, packets=packets)
            h.wait(h.unlink(victim))
        h.wait(h.submit(0x01, 0, 64, data=sound, interval=1, packets=packets))
    path = capture(d, "cancelled-packets", sends)
    got, status, out, err = session(path, stops, "--speed", "1")
    same((0, "same: 1 recorded transfers happened again\n"), (status, out),
         "a stream after one that was cancelled is not compared with what was not sent")


def test_memory(d):
    """A tape is kept in a file without a name, not in memory. The captures are imported before the
    replay, because the memory of an import in the replay itself would not be given back."""
    def memory(n):
        path = capture(d, f"long{n}", lambda c: vendor(c, numbered(1, n)))
        tape = f"{d}/long{n}.trawl"
        subprocess.run([BUILD + "/trawl-edit", "import", path, "-w", tape], check=True,
                       stderr=subprocess.DEVNULL)
        r = Replay(tape, *FAST)
        with open(f"/proc/{r.p.pid}/status") as f:
            kb = next(int(line.split()[1]) for line in f if line.startswith("RssAnon"))
        r.p.kill()
        r.end()
        return kb << 10
    few, many = 6000, 18000
    grown = memory(many) - memory(few)
    # The captures have two transfers for each count. An entry of the tape alone has 104 bytes.
    ok(sanitized(BUILD) or grown < 30 * 2 * (many - few),
       "memory for a tape that is longer by 24,000 transfers", grown)


def main():
    with tempfile.TemporaryDirectory() as d:
        test_samples()
        test_classes(d)
        test_differences(d)
        test_buffers(d)
        test_speed(d)
        test_storage(d)
        test_wrong_direction(d)
        test_beyond_end(d)
        test_readers(d)
        test_halves(d)
        test_uas(d)
        test_split(d)
        test_refused_data(d)
        test_protocol(d)
        test_errors(d)
        test_packets(d)
        test_cancelled_packets(d)
        test_memory(d)
    return finish()


sys.exit(main())
