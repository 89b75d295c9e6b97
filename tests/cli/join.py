#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trawl-decode --join: all transfers of a SCSI command name the same cause, the task that
requested its sectors, or none. Captures of similar requests: from two disks, from two tasks,
in parts, with other block sizes, with events of earlier requests."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
from tap import finish, same  # noqa: E402
from usbsynth import (  # noqa: E402
    BULK, Capture, cbw, config, csw, device, endpoint, interface, pcap)

REAL = 1795225477_000000000  # make-lines: when its clock is 0
COMMON = ((0, 2, "unsigned short common_type"), (2, 1, "unsigned char common_flags"),
          (3, 1, "unsigned char common_preempt_count"), (4, 4, "int common_pid"))
TYPES = {  # event type: its fields
    "block:block_bio_queue": ("unsigned int dev", "unsigned long sector", "unsigned int nr_sector"),
    "block:block_rq_issue": ("unsigned int dev", "unsigned long sector", "unsigned int nr_sector"),
    "block:block_rq_complete": ("unsigned int dev", "unsigned long sector",
                                "unsigned int nr_sector"),
    "xhci-hcd:xhci_urb_enqueue": ("unsigned long urb",),
    "xhci-hcd:xhci_urb_giveback": ("unsigned long urb",),
}
SDA, SDA1, SDB, NVME = 8 << 20, 8 << 20 | 1, 8 << 20 | 16, 259 << 20


def layout(fields):
    at, placed = 8, []
    for declared in fields:
        size = 8 if "long" in declared else 4
        at = -(-at // size) * size
        placed.append((at, size, declared))
        at += size
    return at, placed


class Both(Capture):
    """A USB capture with kernel events on the same clock."""

    def __init__(self):
        super().__init__()
        self.now = REAL // 1000 + 10**6
        self.events, self.lba, self.tag = [], {}, 0
        self.said = {}  # {number of the transfer: number of its command}
        for dev in 5, 6:
            self.get_descriptor(1, device(0x46f4, 1), dev)
            self.get_descriptor(2, config(interface(0, 8, 6, 0x50, 2), endpoint(0x81, 2, 512),
                                          endpoint(0x02, 2, 512)), dev)

    def event(self, name, task, *values):
        self.events.append((self.now, name, task, values))
        self.now += 20

    def read(self, lba, blocks, dev=5, size=512, slow=100):
        """READ(10): command, data, status."""
        self.tag += 1
        length = blocks * size
        cdb = struct.pack(">BBIBHB", 0x28, 0, lba, 0, blocks, 0)
        self.transfer(BULK, 2, out=cbw(self.tag, length, True, cdb), dev=dev)
        self.transfer(BULK, 0x81, answer=bytes(length), dev=dev, latency=slow)
        self.transfer(BULK, 0x81, answer=csw(self.tag), dev=dev)


def kernel_lines(events):
    """Input of make-lines."""
    lines = ["source event tracefs"]
    for id, (name, fields) in enumerate(TYPES.items(), 1):
        size, placed = layout(fields)
        text = f"name: {name.split(':')[1]}\\nID: {id}\\nformat:\\n"
        for at, n, declared in (*COMMON, *placed):
            text += f"\\tfield:{declared};\\toffset:{at};\\tsize:{n};\\tsigned:0;\\n"
        lines.append(f"type 0 {id} {size} {name} {text}\\nprint fmt: \"\"")
        lines += [f"field {declared.split()[-1]} 0 0 {at} {n} 1 {declared.rsplit(' ', 1)[0]}"
                  for at, n, declared in placed]
    for when, name, task, values in events:
        size, placed = layout(TYPES[name])
        data = bytearray(size)
        struct.pack_into("<HBBi", data, 0, 1 + list(TYPES).index(name), 0, 0, task)
        for (at, n, _), value in zip(placed, values):
            data[at:at + n] = value.to_bytes(n, "little")
        lines.append(f"event 0 {1 + list(TYPES).index(name)} 0 {when * 1000 - REAL} {data.hex()}")
    return "\n".join(lines) + "\n"


def causes(c, d, *args):
    """For each SCSI command the set of causes, (how, task), that its transfers name."""
    with open(d + "/usb.pcap", "wb") as f:
        f.write(pcap(c.records))
    subprocess.run([BUILD + "/tests/decode/make-lines", d + "/events.trawl"], text=True,
                   input=kernel_lines(c.events), check=True)
    subprocess.run([BUILD + "/trawl-edit", "merge", d + "/usb.pcap", d + "/events.trawl", "-w",
                    d + "/both.trawl"], check=True, capture_output=True)
    text = subprocess.run([BUILD + "/trawl-decode", "--json", "--join", "--source", "usb", *args,
                           d + "/both.trawl"], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        event = json.loads(line)
        storage = event["fields"].get("decoded", {}).get("storage")
        if storage:
            found.setdefault((event["fields"]["dev"], storage["tag"]), []).append(
                [(x["how"], x["tid"]) for x in event.get("join", [])])
    return list(found.values())


def check(d, what, c, want, *args):
    """want: for each command the task that all its transfers must name; None: no task."""
    same([3 * [[("sectors", w)] if w else []] for w in want], causes(c, d, *args), what)


def queued(c, task, sector, n=8, disk=SDA, issuer=90):
    c.event("block:block_bio_queue", task, disk + (disk == SDA), sector, n)
    c.event("block:block_rq_issue", issuer, disk, sector, n)


def test_plain(d):
    c = Both()
    for task in 10, 11, 12:
        queued(c, task, 8)
        c.read(8, 8)
    check(d, "the task that queued it, not the one that issued it", c, [10, 11, 12])


def test_slow(d):
    c = Both()
    queued(c, 10, 8)
    c.event("block:block_bio_queue", 11, SDA1, 8, 8)  # waits while the first is under way
    c.read(8, 8, slow=5000)
    c.event("block:block_rq_issue", 90, SDA, 8, 8)
    c.read(8, 8, slow=5000)
    check(d, "data and status that come later than the window", c, [10, 11], "--window", "7ms")
    r = subprocess.run([BUILD + "/trawl-decode", "--join", "--raw", d + "/both.trawl"],
                       capture_output=True, text=True)
    same((0, False, "trawl-decode: --join: it is of transfers, and --raw shows their halves; "
          "leave out --raw\n"), (r.returncode, "<-" in r.stdout, r.stderr),
         "halves alone have no cause, and a line says so")
    check(d, "and with a window that is shorter than a command", c, [10, 90], "--window", "1ms")


def test_completion(d):
    c = Both()
    queued(c, 10, 8)
    c.read(8, 8)
    c.event("block:block_rq_complete", 77, SDA, 8, 8)
    c.read(8, 8)
    check(d, "who runs when a request ends is not the cause of the next", c, [10, None])


def test_parts(d):
    """One read of 64 sectors in two commands."""
    c = Both()
    c.event("block:block_bio_queue", 10, SDA1, 64, 64)
    c.event("block:block_rq_issue", 10, SDA, 64, 32)
    c.read(64, 32, slow=5000)
    c.event("block:block_rq_issue", 91, SDA, 96, 32)
    c.read(96, 32)
    c.event("block:block_bio_queue", 12, SDA1, 96, 32)
    c.event("block:block_rq_issue", 92, SDA, 96, 32)
    c.read(96, 32)
    check(d, "two parts of what one task asked for, and another task's request", c, [10, 10, 12])


def test_disks(d):
    c = Both()
    c.event("block:block_bio_queue", 20, NVME, 8, 8)
    queued(c, 10, 8)
    c.read(8, 8)
    check(d, "sectors of a disk that is not on USB", c, [10])
    c = Both()
    queued(c, 10, 8)
    c.event("block:block_bio_queue", 20, SDB, 8, 8)
    c.read(8, 8)
    c.now += 5000
    check(d, "two disks with the same sectors: no cause is named", c, [None])
    c = Both()
    for n in 1, 2, 3:
        for dev, disk in (5, SDA), (6, SDB):
            queued(c, 10 * dev, 800 * n + dev, disk=disk)
            c.read(800 * n + dev, 8, dev)
    c.event("block:block_bio_queue", 60, SDB, 8, 8)
    queued(c, 50, 8)
    c.read(8, 8, 5)
    c.read(8, 8, 6)
    check(d, "and where the requests before tell it", c, 3 * [50, 60] + [50, 60])


def test_blocks(d):
    c = Both()
    c.event("block:block_bio_queue", 20, SDA1, 8, 8)  # its command was not recorded
    queued(c, 10, 64)
    c.read(8, 1, size=4096)
    check(d, "blocks of 4096 bytes", c, [10])
    c = Both()
    c.event("block:block_bio_queue", 20, SDA1, 64, 8)
    queued(c, 10, 8)
    c.read(8, 8)
    check(d, "blocks of 512 bytes", c, [10])


def test_urb(d):
    """The events of one URB that is used twice: submission, and giveback of its former use."""
    c = Both()
    for n in range(3):
        id = c.next_id
        c.read(8 * n, 8)
        when, name = c.now, "xhci-hcd:xhci_urb_"
        c.events += [(when - 320 + 1, name + "enqueue", 30, (id,)),
                     (when - 220 - 10, name + "giveback", 77, (id,))]
    same(3 * [[[("urb", 30)], [], []]], causes(c, d), "who submitted a URB, of its transfer only")
    c = Both()
    id = c.next_id
    c.event("xhci-hcd:xhci_urb_giveback", 77, id)
    c.now -= 20
    c.read(8, 8)
    same([[[], [], []]], causes(c, d), "who gave a URB back did not submit the next")


work = tempfile.mkdtemp()
try:
    for test in (test_plain, test_slow, test_completion, test_parts, test_disks, test_blocks,
                 test_urb):
        test(work)
finally:
    shutil.rmtree(work)
sys.exit(finish())
