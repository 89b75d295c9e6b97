# SPDX-License-Identifier: MIT
"""Compares the latency of each transfer in trawl-decode --json with the packets of the capture.

The packets are paired here once more, by rules that know nothing of trawl's: a completion belongs
to the oldest open submission with its id, device, endpoint and type, and a submission whose id is
used anew was never completed. tshark's usb.time is a third opinion: how many agree is in the table.
"""
import collections
import json
import struct

XFERS = {0: "iso", 1: "interrupt", 2: "control", 3: "bulk"}
WRAP = 4096 * 10**9  # of the times in usbmon's text, ns (mon_get_timestamp() of mon_text.c)
MACOS = (2, 0, 3, 1)  # its numbers of control, iso, bulk, interrupt


class Half:
    """A submission or completion; key: what both halves of a transfer have in common."""
    def __init__(self, time, up, bus, device, endpoint, xfer, id):
        self.time, self.up, self.id = time, up, id
        control = xfer == 2
        self.place = (bus, device, endpoint & 0x7f, "" if control else "in" if endpoint & 0x80
                      else "out", XFERS.get(xfer))
        self.key = self.place + (id,)


def linux(time, p, order):
    id, kind, xfer, ep, dev, bus = struct.unpack(order + "QBBBBH", p[:14])
    return Half(time, kind != ord("S"), bus, dev, ep, xfer, id)


def windows(time, p, reads):
    """None: a packet that is neither the first nor the last of its transfer, or moves no data.
    Versions before 1.3 have two packets when a read is complete, the first with the data. reads:
    keys of open control transfers that read."""
    size, irp, _, _, info, bus, dev, ep, xfer, _ = struct.unpack("<HQIHBHHBBI", p[:27])
    stage = p[27] if xfer == 2 and size > 27 else None
    if xfer not in XFERS:
        return None
    h = Half(time, stage == 2 or bool(info & 1), bus, dev, ep, xfer, irp)
    if not h.up and stage == 0:
        (reads.add if len(p) > size and p[size] & 0x80 else reads.discard)(h.key)
    return None if stage == 1 and h.key not in reads else h


def macos(time, p):
    _, _, kind, _, _, _, id, where, _, dev, ep, xfer = struct.unpack("<HBBIIIQIBBBB", p[:32])
    return Half(time, kind == 1, where >> 24, dev, ep, MACOS[xfer & 3], id)


def half(packet, order, reads):
    linktype, time, _, _, p = packet
    if linktype in (189, 220) and len(p) >= 48:
        return linux(time, p, order)
    if linktype == 249 and len(p) >= 27:
        return windows(time, p, reads)
    return macos(time, p) if linktype == 266 and len(p) >= 32 else None


def text_halves(data):
    """Of usbmon's text, whose times begin anew after 4096 s."""
    for line in data.split(b"\n"):
        words = line.decode("latin1").split()
        if not words or words[0].startswith("#"):
            continue
        id, time, kind, place = words[:4]
        form, bus, dev, ep = place.split(":")
        yield Half(int(time) * 1000, kind != "S", int(bus), int(dev),
                   int(ep) | (0x80 if form[1] == "i" else 0), "ZICB".index(form[0]), int(id, 16))


def latencies(halves, wrap=0):
    """A bag of (place, latency) of all transfers that have both halves."""
    waiting = collections.defaultdict(collections.deque)
    found = collections.Counter()
    for h in halves:
        if not h.up:
            if h.key[-1] and waiting[h.key]:
                waiting[h.key].clear()
            waiting[h.key].append(h)
        elif waiting[h.key]:
            took = h.time - waiting[h.key].popleft().time
            found[h.place, took % wrap if wrap else took, 0 if wrap else h.time] += 1
    return found


def shown(lines, timed=True):
    """The same of --json; and the number of transfers whose times cross."""
    found, cross = collections.Counter(), 0
    for line in lines:
        item = json.loads(line)
        f = item["fields"]
        cross += "times_cross" in f
        if "latency_ns" not in f:
            continue
        control = f["xfer"] == "control"
        place = (f["bus"], f["dev"], f["ep"], "" if control else f["dir"], f["xfer"])
        found[place, f["latency_ns"], item["ts_ns"] if timed else 0] += 1
        if item["ts_ns"] - f["submit_ns"] != f["latency_ns"]:
            found["not ts_ns - submit_ns", f["latency_ns"], item["ts_ns"]] += 1
    return found, cross


def say(what, bag):
    return ["%d latencies %s, as %s" % (sum(bag.values()), what, next(iter(bag)))] if bag else []


def differences(want, got, cross):
    crossed = sum(n for (_, took, _), n in want.items() if took < 0)
    want = collections.Counter({k: n for k, n in want.items() if k[1] >= 0})
    wrong = say("of the packets are not shown", want - got) + say("are not of the packets",
                                                                  got - want)
    if cross != crossed:
        wrong.append("%d times cross, %d in the packets" % (cross, crossed))
    return wrong, sum((want & got).values())


def first_only(halves, events):
    """Without those that --raw --json marks as a second record of the same event. What is left is
    of two readers, whose order in the file says nothing; it comes by time."""
    second = collections.Counter()
    for e in events:
        if "duplicate" in e["fields"]:
            second[e["ts_ns"], e["fields"]["id"], e["fields"]["type"] != "S"] += 1
    for h in sorted(halves, key=lambda h: h.time) if second else halves:
        if second[h.time, h.id, h.up]:
            second[h.time, h.id, h.up] -= 1
        else:
            yield h


def compare_text(data, lines):
    return differences(latencies(text_halves(data), WRAP), *shown(lines, False))


def in_tshark(path, run):
    """tshark's (time of the completion, latency), as a bag."""
    bag = collections.Counter()
    out = run("tshark", "-r", path, "-T", "fields", "-e", "frame.time_epoch", "-e", "usb.time",
              "-Y", "usb.time", text=True).stdout
    for line in out.splitlines():
        at, took = (int(w.replace(".", "")) for w in line.split("\t")[:2])
        bag[at, took] += 1
    return bag


def compare(path, packets, lines, events, run):
    """What differs, the number of latencies that are as in the packets, and of those in tshark."""
    with open(path, "rb") as f:
        order = ">" if f.read(1) == b"\xa1" else "<"
    reads = set()
    halves = [h for h in (half(p, order, reads) for p in packets) if h]
    got, cross = shown(lines)
    wrong, same = differences(latencies(first_only(halves, events)), got, cross)
    pairs = collections.Counter()
    for (_, took, at), n in got.items():
        pairs[at, took] += n
    return wrong, same, sum((pairs & in_tshark(path, run)).values())
