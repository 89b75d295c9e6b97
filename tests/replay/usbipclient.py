# SPDX-License-Identifier: MIT
"""A host for trawl-replay device --listen that needs no kernel: it speaks usbip over TCP and sends
the requests of a capture's host."""
import json
import os
import select
import re
import socket
import struct
import subprocess

BUILD = os.environ["TRAWL_BUILD"]
ISO, INTERRUPT, CONTROL, BULK = range(4)
GONE = (-2, -104, -108, -19)
TWICE = 200  # us
# statuses of transfers that the host refused, so that the device never saw them
UNSEEN = (-1, -6, -8, -12, -16, -22, -28, -90, -113)


class Event:
    """A usbmon record of 64 bytes of header."""

    def __init__(self, raw):
        (self.id, self.type, self.xfer, self.ep, self.dev, self.bus, self.flag_setup,
         self.flag_data, seconds, microseconds,
         self.status, self.length, _) = struct.unpack("<QcBBBHBBqiiII", raw[:40])
        self.time = seconds * 1000000 + microseconds
        self.setup = raw[40:48]
        self.interval, self.start_frame, self.flags, ndesc = struct.unpack("<iiII", raw[48:64])
        at = 64 + 16 * ndesc
        self.packets = [struct.unpack("<iII", raw[64 + 16 * i:76 + 16 * i]) for i in range(ndesc)]
        self.data = raw[at:]
        self.type = self.type.decode("latin1")
        # An id alone is not unique: it is used again for other transfers.
        self.key = self.id, self.ep & 0x7f if self.xfer == CONTROL else self.ep, self.xfer
        self.content = raw[:16] + raw[28:]


def is_read(e):
    return e.ep & 0x80 and e.xfer in (BULK, INTERRUPT)


def packets_of(e, into):
    """(offset, length) of the packets of an isochronous URB. USBPcap writes length 0 for packets
    that the host sends: there a packet ends where the next one begins."""
    packets = [(offset, length) for _, offset, length in e.packets]
    if into or any(length for _, length in packets):
        return packets
    ends = [offset for offset, _ in packets[1:]] + [len(e.data)]
    return [(offset, max(end - offset, 0)) for (offset, _), end in zip(packets, ends)]


def begun_before(tape):
    """The completions of reads that were open when the capture began: the first record of an URB
    if that is a completion. Some versions of USBPcap record no submission at all."""
    submitted = {e.key[1:] for e in tape if e.type == "S"}
    seen, begun = set(), []
    for e in tape:
        if e.type != "S" and e.key not in seen and is_read(e) and e.status not in UNSEEN and \
                e.key[1:] in submitted:
            begun.append(e)
        seen.add(e.key)
    return begun


def duplicates(path):
    """The numbers of the events that a second reader of the bus recorded, too: what is marked in
    one source, and what other sources have of a bus. Which they are has tests of its own
    (tests/decode/usb/test_duplicate.c)."""
    lines = subprocess.run([BUILD + "/trawl-decode", "--raw", "--json", path], capture_output=True,
                           stdin=subprocess.DEVNULL).stdout.splitlines()
    reader, second = {}, set()
    for i, line in enumerate(lines):
        event = json.loads(line)
        fields = event["fields"]
        first = reader.setdefault(fields.get("bus"), event["source"])
        if "duplicate" in fields or event["source"] != first:
            second.add(i)
    return second


def events(path):
    """The USB events of a capture of any format, as usbmon records."""
    r = subprocess.run([BUILD + "/trawl-export", "--to", "pcap", "--linktype", "220", "--show-keys",
                        path],
                       capture_output=True, stdin=subprocess.DEVNULL)
    raw, at, found, number, second = r.stdout, 24, [], 0, duplicates(path)
    while at + 16 <= len(raw):
        n = struct.unpack("<I", raw[at + 8:at + 12])[0]
        e, i = Event(raw[at + 16:at + 16 + n]), len(found)
        # A coarse clock, or two readers: events of some microseconds may stand in another order.
        while number not in second and i and 0 < found[i - 1].time - e.time < TWICE:
            i -= 1
        if number not in second:
            found.insert(i, e)
        at += 16 + n
        number += 1
    return found


def recorded(tape):
    """Returns the longest answer to each kind of read; the data that was sent, by its submission;
    and transfers that the device has not seen."""
    # USBPcap does not record the size of a read's buffer: ask for the longest answer to it.
    answers = {}
    for e in tape:
        answers[e.key[1:]] = max(answers.get(e.key[1:], 0), e.length)
    # In captures of macOS the data that was sent is in the completion.
    sent, last = {}, {}
    unseen = set()
    for e in tape:
        if e.type == "S":
            last[e.key] = e
        elif e.status in UNSEEN and e.ep & 0x80 and e.xfer != CONTROL:
            unseen |= {e, last.pop(e.key, e)}
        elif e.data and e.key in last:
            sent[last.pop(e.key)] = e.data
    return answers, sent, unseen


class Host:
    def __init__(self, port):
        self.s = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.seq = 0
        self.answers = {}   # seqnum → (status, data, packets)
        self.asked = {}     # seqnum → (is IN, number of packets)
        self.unlinked = {}
        self.buffer = b""

    def exactly(self, n):
        while len(self.buffer) < n:
            got = self.s.recv(1 << 20)
            if not got:
                raise EOFError
            self.buffer += got
        out, self.buffer = self.buffer[:n], self.buffer[n:]
        return out

    def list(self):
        """The devices that are offered, by OP_REQ_DEVLIST."""
        self.s.sendall(struct.pack(">HHI", 0x0111, 0x8005, 0))
        version, code, status, n = struct.unpack(">HHII", self.exactly(12))
        device = self.exactly(312)
        interfaces = [self.exactly(4) for _ in range(device[311])]
        return (version, code, status, n), device, interfaces

    def attach(self, busid=b"1-1"):
        self.s.sendall(struct.pack(">HHI", 0x0111, 0x8003, 0) + busid.ljust(32, b"\0"))
        _, _, status = struct.unpack(">HHI", self.exactly(8))
        return None if status else self.exactly(312)

    def submit(self, ep, into, length, setup=bytes(8), data=b"", interval=0, packets=(), flags=0):
        """packets: (offset, length) of each. Returns the seqnum."""
        self.seq += 1
        body = struct.pack(">IIIII", 1, self.seq, 1 << 16 | 2, into, ep & 15)
        body += struct.pack(">IiiiI", flags, length, 0, len(packets) if packets else -1,
                            interval) + setup
        if not into:
            body += data
        body += b"".join(struct.pack(">IIII", o, n, 0, 0) for o, n in packets)
        self.asked[self.seq] = (into, len(packets))
        self.s.sendall(body)
        return self.seq

    def unlink(self, victim):
        self.seq += 1
        self.s.sendall(struct.pack(">IIIIII24x", 2, self.seq, 1 << 16 | 2, 0, 0, victim))
        return self.seq

    def cancel(self, victim):
        try:
            self.unlink(victim)
        except ConnectionError:
            pass  # the replay ended after its last answer, which cancels what is open

    def receive(self):
        head = self.exactly(48)
        code, seq = struct.unpack(">II", head[:8])
        status, actual, _, n, _ = struct.unpack(">iiiii", head[20:40])
        if code == 4:
            self.unlinked[seq] = status
            return
        into, npackets = self.asked[seq]
        data = self.exactly(actual) if into else b""
        packets = [struct.unpack(">IIIi", self.exactly(16)) for _ in range(npackets)]
        self.answers[seq] = (status, data, packets, actual)

    def wait(self, seq, seconds=60):
        """The answer to an URB; None if it did not come in time. A busy machine needs some."""
        while seq not in self.answers and seq not in self.unlinked:
            if not self.buffer and not select.select([self.s], [], [], seconds)[0]:
                return None
            self.receive()
        return self.answers.get(seq, self.unlinked.get(seq))

    def control(self, setup, data=b""):
        into = setup[0] >> 7
        length = struct.unpack("<H", setup[6:8])[0]
        return self.wait(self.submit(0, into, length, setup, data))

    def enumerate(self):
        """Enumerates as Linux does; returns the descriptors of device and configuration."""
        device = self.control(bytes([0x80, 6, 0, 1, 0, 0, 18, 0]))[1]
        head = self.control(bytes([0x80, 6, 0, 2, 0, 0, 9, 0]))[1]
        config = self.control(bytes([0x80, 6, 0, 2, 0, 0]) + head[2:4])[1]
        self.control(bytes([0, 9, head[5], 0, 0, 0, 0, 0]))
        return device, config

    def play(self, tape, change=None):
        """Sends the requests of the capture's host in their order. change: the number of an OUT
        transfer of which a byte is changed. Returns the answers that differ."""
        different, open_urbs, n = [], {}, 0
        answers, sent, unseen = recorded(tape)
        for e in begun_before(tape):
            open_urbs[e.key] = e, self.submit(e.ep, 1, max(answers[e.key[1:]], 64))
        for e in tape:
            if e in unseen:
                continue
            standard = e.xfer == CONTROL and not e.setup[0] & 0x60
            if e.type == "S":
                if standard and e.setup[1] != 11:
                    continue
                into = bool(e.setup[0] & 0x80) if e.xfer == CONTROL else bool(e.ep & 0x80)
                data = e.data or (b"" if into else sent.get(e, b""))
                command = data and len(data) == 31 and data[:4] == b"USBC"
                if data and not into and e.xfer != CONTROL and not command:
                    n += 1
                    if change == n:
                        data = bytes([data[0] ^ 0x40]) + data[1:]
                length = max(e.length, 0 if into else len(data))
                if into and e.xfer != CONTROL:
                    length = length or answers.get(e.key[1:], 0) or 64
                packets = packets_of(e, into) if e.xfer == ISO else ()
                if e.key in open_urbs:  # its completion was not recorded
                    self.unlink(open_urbs.pop(e.key)[1])
                open_urbs[e.key] = (e, self.submit(e.ep, int(into), length, e.setup, data.ljust(
                    0 if into else length, b"\0"), e.interval, packets))
                continue
            gone = e.type == "E" or e.status in GONE
            if e.key not in open_urbs:  # its submission was not recorded
                if gone or not is_read(e):
                    continue
                older = [key for key in open_urbs if key[1:] == e.key[1:]]
                open_urbs[e.key] = open_urbs.pop(older[0]) if older else (
                    e, self.submit(e.ep, 1, max(answers[e.key[1:]], 64)))
            if is_read(e) and not gone:  # the device answers reads in the order of submission
                oldest = min((key for key in open_urbs if key[1:] == e.key[1:]),
                             key=lambda key: open_urbs[key][1])
                open_urbs[e.key], open_urbs[oldest] = open_urbs[oldest], open_urbs[e.key]
            s, seq = open_urbs.pop(e.key)
            if gone:
                self.cancel(seq)
                continue
            got = self.wait(seq)
            if got is None:
                different.append((s, "no answer"))
                break
            if e.xfer == ISO or (e.xfer == CONTROL and e.status in UNSEEN):
                continue
            status = 0 if e.status == -121 else e.status
            into = bool((s.setup[0] if s.xfer == CONTROL else s.ep) & 0x80)
            if got[0] != status or (into and got[1] != e.data):
                different.append(
                    (s,
                     f"status {got[0]} for {status}, {got[1][:16].hex()} for {e.data[:16].hex()}"))
        return different

    def close(self):
        self.s.close()


class Replay:
    """trawl-replay device --listen, with a host."""

    def __init__(self, path, *args):
        self.p = subprocess.Popen([BUILD + "/trawl-replay", "device", "--listen=0", *args, path],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  stdin=subprocess.DEVNULL)
        self.notes = []
        for line in self.p.stderr:
            self.notes.append(line)
            if m := re.search(r"waits for: usbip --tcp-port ([0-9]+) ", line):
                self.port = int(m[1])
                break

    def host(self):
        return Host(self.port)

    def end(self, seconds=20):
        """Returns the replay's exit status and what it printed."""
        try:
            out, err = self.p.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.p.terminate()
            out, err = self.p.communicate()
        return self.p.returncode, out, "".join(self.notes) + err
