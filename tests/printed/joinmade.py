# SPDX-License-Identifier: MIT
"""USB transfers of disks and the events of the tasks that cause them, as lines of
tests/decode/make-lines, for --join."""
import struct

from printed.lines import BEGIN, BYTES, Lines, Numbers

DEVICE = "1201000200000040f446010000000102030109022000010105c00009040000020806500007058102000200070502" \
         "02000200"
MIB = 1 << 20


class Bus:
    """usbmon's events on bus 1; a transfer is a submission and its completion."""

    def __init__(self, lines):
        self.lines, self.urb, self.tag = lines, 0xffff888000001000, 0
        lines.source("usb", "usbmon")
        for number, name in ((1, "usb:submit"), (2, "usb:complete")):
            lines.text.append(f"type 0 {number} 64 {name} ")
            lines.text += [f"field w{at} 0 0 {at} 8 1 long" for at in range(0, 64, 8)]
            lines.text.append(f"field data {BYTES} 3 64 1 1 u8[]")

    def half(self, submit, dev, ep, data, length, status=0, after=3000):
        self.lines.now += after
        header = struct.pack("<QBBBBHbbqiiII8siiII", self.urb, ord("S" if submit else "C"), 3, ep,
                             dev, 1, ord("-"), 0 if data else ord("<" if ep & 128 else ">"), 0, 0,
                             -115 if submit else status, length, len(data), bytes(8), 0, 0, 0, 0)
        self.lines.text.append(f"event 0 {1 if submit else 2} 0 {self.lines.now} "
                               f"{(header + data).hex()}")

    def transfer(self, dev, ep, data, status=0, took=50000):
        read = ep & 128
        self.half(True, dev, ep, b"" if read else data, len(data))
        self.half(False, dev, ep, data if read else b"", len(data), status, took)
        self.urb += 0x100 if self.tag % 3 else 0

    def command(self, dev, lba, blocks, read=True, block=512):
        self.tag += 1
        size = min(blocks * block, 64)
        cdb = struct.pack(">BBIBHB", 0x28 if read else 0x2a, 0, lba, 0, blocks, 0)
        self.transfer(dev, 2, struct.pack("<IIIBBB", 0x43425355, self.tag, blocks * block,
                                          128 if read else 0, 0, 10) + cdb.ljust(16, b"\0"))
        self.transfer(dev, 0x81 if read else 2, bytes(size))
        self.transfer(dev, 0x81, struct.pack("<IIIB", 0x53425355, self.tag, 0, 0))


def describe(lines):
    for number in 2, 3:
        lines.meta(f"usb/1-{number}", {
            "path": f"1-{number}", "busnum": 1, "devnum": number, "vid": 18164, "pid": 1,
            "speed_mbps": "480", "configuration": 1, "descriptors": DEVICE, "interfaces": [
                {"number": 0, "alternate": 0, "class": 8, "subclass": 6, "protocol": 80}]})
    for tid, comm in (5, "cp"), (6, "kworker/u8:2"), (7, "fsck"):
        lines.meta(f"task/{tid}", {"tid": tid, "pid": tid, "comm": comm, "time_ns": 1})


def events(lines):
    lines.source("event")
    block = ["dev_t dev", "sector_t sector", "u32 nr_sector", "char rwbs[8]", "char comm[16]"]
    for name in ("block:block_bio_queue", "block:block_rq_issue", "block:block_rq_complete",
                 "block:block_rq_requeue"):
        lines.type(name, block)
    lines.type("xhci-hcd:xhci_urb_enqueue", ["u64 urb", "u32 pipe"])
    lines.type("xhci-hcd:xhci_urb_giveback", ["u64 urb", "u32 pipe"])
    lines.type("made:sector_only", ["sector_t sector"])
    lines.source("usdt")
    lines.type("app:copy", ["u32 block"])
    lines.type("app:open", ["u32 flags"])


def disk(lines, bus, pick):
    """One command with what caused it, in one of several ways."""
    dev, at, blocks = 2 + pick.below(2), pick.below(1 << 20), pick.of((1, 8, 16))
    block = 4096 if dev == 3 else 512
    sector, count = at * block // 512, blocks * block // 512
    disk_number = (8 << 20) + 16 * dev + pick.below(2)
    task, way = pick.of((5, 7)), pick.below(9)
    for _ in range(pick.below(5)):
        lines.event(pick.of(("app:copy", "app:open")), 900, 0, task)
    more = {"dev": disk_number, "sector": sector, "nr_sector": count, "rwbs": "R", "comm": "cp"}
    if way in (0, 1, 2):
        lines.event("block:block_bio_queue", 2000, 0, task, **more)
    if way in (0, 3):
        lines.event("block:block_rq_issue", 2000, 0, 6, **more)
    if way == 4:  # of a larger request
        lines.event("block:block_bio_queue", 2000, 0, task,
                    **{**more, "sector": max(0, sector - 64), "nr_sector": count + 128})
    if way == 5:  # two disks
        lines.event("block:block_bio_queue", 2000, 0, task, **more)
        lines.event("block:block_bio_queue", 2000, 0, 6, **{**more, "dev": (8 << 20) + 128})
    if way == 6:
        lines.event("made:sector_only", 2000, 0, task, sector=sector)
    if way == 7:
        lines.event("block:block_bio_queue", 2000, 0, task, **{**more, "dev": 259 << 20})
        lines.event("block:block_rq_requeue", 2000, 0, task, **more)
    if way == 8:  # too early
        lines.event("block:block_bio_queue", 2000, 0, task, **more)
        lines.now += 2_000_000
    bus.command(dev, at, blocks, pick.below(2) == 0, block)
    if pick.below(2):
        lines.event("block:block_rq_complete", 10, 1, 0, **more)
    lines.now += 100_000


def captures():
    lines, pick = Lines(), Numbers(11)
    bus = Bus(lines)
    describe(lines)
    events(lines)
    for n in range(60):
        if n % 7 == 6:  # a transfer whose URB an event names
            lines.event("app:copy", 500, 0, 5, block=n)
            lines.now += 1000
            bus.half(True, 2, 0x81, b"", 64)
            lines.event("xhci-hcd:xhci_urb_enqueue", 300, 0, 5, urb=bus.urb)
            lines.event("xhci-hcd:xhci_urb_giveback", 30000, 1, 0, urb=bus.urb)
            bus.half(False, 2, 0x81, bytes(64), 64, 0, 2000)
        else:
            disk(lines, bus, pick)
    part = Lines()  # a large request in parts: the later ones run in any task
    bus = Bus(part)
    describe(part)
    events(part)
    for n in range(4):
        first = n * MIB
        part.event("app:copy", 500, 0, 5)
        part.event("block:block_bio_queue", 2000, 0, 5, dev=(8 << 20) + 32, sector=first,
                   nr_sector=64, rwbs="R", comm="cp")
        for k in range(4):
            part.event("block:block_rq_issue", 1000, 0, 6 + k % 2, dev=(8 << 20) + 32,
                       sector=first + 16 * k, nr_sector=16, rwbs="R", comm="cp")
            bus.command(2, first + 16 * k, 16)
    return {"join": lines, "join-parts": part}
