# SPDX-License-Identifier: MIT
"""trawl-decode --diff on synthetic USB captures."""
import json
import os
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
import usbsynth  # noqa: E402
from usbsynth import BULK, INTERRUPT  # noqa: E402
from tap import finish, ok, same  # noqa: E402

VENDOR = (usbsynth.device(0x1234, 0x0001, 0xff),
          usbsynth.config(usbsynth.interface(0, 0xff, 0, 0, 2), usbsynth.endpoint(0x81, 2, 64),
                          usbsynth.endpoint(0x02, 2, 64)))
SET_CONFIGURATION = bytes([0, 9, 1, 0, 0, 0, 0, 0])


def vendor(c, dev, messages, enumerated=True):
    """A vendor-specific device: each message with its answer."""
    if enumerated:
        c.get_descriptor(1, VENDOR[0], dev)
        c.get_descriptor(2, VENDOR[1][:9], dev)
        c.get_descriptor(2, VENDOR[1], dev)
        c.control(SET_CONFIGURATION, dev=dev)
    for out, answer in messages:
        c.control(bytes([0x40, 1, 0, 0, 0, 0, 0, 0]), dev=dev)
        c.transfer(BULK, 0x02, out=out, dev=dev)
        c.transfer(BULK, 0x81, answer=answer, asked=64, dev=dev)


def save(folder, name, c):
    path = f"{folder}/{name}.pcap"
    with open(path, "wb") as f:
        f.write(usbsynth.pcap(c.records))
    return path


def diff(*args):
    r = subprocess.run([BUILD + "/trawl-decode", "--diff", *args], capture_output=True, text=True,
                       stdin=subprocess.DEVNULL)
    return r.returncode, r.stdout, r.stderr


def numbered(first, n=12, change=None):
    """Messages with a sequence number that the answer repeats; one message differs in byte 2."""
    return [(bytes([0x55, (first + i) % 256, 9 if i == change else 7, i // 3]) + bytes(8),
             bytes([0xaa, (first + i) % 256, 1, i // 3])) for i in range(n)]


def captures(d):
    """{name: path} of the captures."""
    made = {}

    def put(name, *what, dev=5, **kw):
        c = usbsynth.Capture()
        c.next_id += 0x10000 * (len(made) + 1)
        c.now += 12345678 * len(made)
        for one in what:
            one(c, dev, **kw) if kw else one(c, dev)
        made[name] = save(d, name, c)

    def session(first, change=None, n=12, enumerated=True):
        return lambda c, dev: vendor(c, dev, numbered(first, n, change), enumerated)

    put("good", session(1))
    put("other", session(77), dev=9)
    put("changed", session(77, change=5), dev=9)
    put("short", session(77, n=9), dev=9)
    put("late", session(200, enumerated=False), dev=3)
    put("storage", usbsynth.storage)

    def unlinked(c, dev):
        session(1)(c, dev)
        c.transfer(BULK, 0x81, status=-2, asked=64, dev=dev)
        c.record("S", BULK, 0x81, dev, status=-115, length=64, flag_data="<", id=c.next_id)
    put("unlinked", unlinked)

    def unanswered(c, dev, data=None):
        """No completion of the sixth message was recorded, then its URB was used again."""
        session(1)(c, dev)
        sent = [i for i, r in enumerate(c.records) if r[8:11] == b"S\x03\x02"]
        done = [i for i, r in enumerate(c.records) if r[8:11] == b"C\x03\x02"]
        after = c.records[sent[6]][:8]
        c.records[sent[5]] = after + c.records[sent[5]][8:64] + (data or c.records[sent[5]][64:])
        del c.records[done[5]]
    put("unanswered", unanswered)
    put("unanswered other", lambda c, dev: unanswered(c, dev, bytes(12)))

    def alone(c, dev):
        """One message more, which was not answered either."""
        session(1)(c, dev)
        at = next(i for i, r in enumerate(c.records) if r[8:11] == b"S\x03\x02")
        c.records.insert(at, c.records[at][:64] + bytes(12))
    put("unanswered alone", alone)

    def refused(c, dev):
        session(1)(c, dev)
        c.record("S", BULK, 0x81, dev, status=-115, length=64, flag_data="<", id=c.next_id)
        c.record("E", BULK, 0x81, dev, status=-1, flag_data="E", id=c.next_id)
        vendor(c, dev, numbered(1, 13)[12:], enumerated=False)
    put("refused", refused)
    put("longer", session(1, n=13))

    other_captures(put, session)
    return made


def other_captures(put, session):
    """Puts captures of other devices, and of other descriptors, beside those of captures()."""
    def unplaced(c, dev):
        session(1)(c, dev)
        c.record("S", BULK, 0x81, dev, status=-115, length=64, flag_data="<", id=c.next_id)
        c.record("E", BULK, 0x81, dev, status=-28, flag_data="E", id=c.next_id)
    put("unplaced", unplaced)

    def descriptor(c, dev):
        changed = VENDOR[1][:8] + b"\x31" + VENDOR[1][9:]
        c.get_descriptor(1, VENDOR[0], dev)
        c.get_descriptor(2, changed, dev)
        c.control(SET_CONFIGURATION, dev=dev)
        vendor(c, dev, numbered(1), enumerated=False)
    put("descriptor", descriptor)

    def tags(c, dev):
        usbsynth.storage(c, dev)
        for i, r in enumerate(c.records):
            body = r[64:]
            if body[:4] in (b"USBC", b"USBS"):
                tag = struct.unpack("<I", body[4:8])[0] + 1000
                c.records[i] = r[:64] + body[:4] + struct.pack("<I", tag) + body[8:]
    put("tags", tags, dev=8)

    def stalled(c, dev):
        session(1, n=11)(c, dev)
        c.control(bytes([0x40, 1, 0, 0, 0, 0, 0, 0]), dev=dev, status=-32)
    put("stalled", stalled)

    def both(c, dev):
        session(1)(c, dev)
        usbsynth.storage(c, dev + 1)
    put("both", both)

    def keys(c, dev):
        usbsynth.keyboard(c, dev)
    put("keys", keys)

    def others(c, dev):
        usbsynth.keyboard(c, dev)
        c.records = [r.replace(b"\2\0\4\0\0\0\0\0", b"\2\0\x1d\0\0\0\0\0") for r in c.records]
    put("otherkeys", others)



def alike(made, a, b, name):
    status, out, _ = diff(made[a], made[b])
    ok(status == 0 and "no difference" in out, name, status, out)


def differ(made, a, b, what, name):
    status, out, _ = diff(made[a], made[b])
    first = out.splitlines()[0] if out else ""
    ok(status == 1 and what in first, name, status, out)
    return out


def main():
    with tempfile.TemporaryDirectory() as d:
        made = captures(d)
        alike(made, "good", "other",
              "other ids, addresses, times and sequence numbers are no difference")
        alike(made, "storage", "tags", "nor are the tags of mass storage")
        alike(made, "good", "unlinked", "nor what the host cancelled or had not got")
        for a, b in ("good", "unanswered"), ("unanswered", "good"), ("unanswered alone", "good"):
            alike(made, a, b, f"nor is that a completion was not recorded: {a}, {b}")
        differ(made, "good", "unanswered other", "transfer 6 there: ",
               "other data of a transfer without a completion is one")
        alike(made, "longer", "refused", "nor a read that was refused while it was cancelled")
        differ(made, "good", "unplaced", "transfer 13 there: only in " + made["unplaced"],
               "a read that was refused for want of bandwidth is one")
        out = differ(made, "good", "changed",
                     "1234:0001 ep2 OUT bulk, transfer 6 there: byte 2 is 0x09, was 0x07",
                     "one byte that differs is found")
        ok(out.count("  > ") == 2, "both transfers are shown", out)
        differ(made, "good", "short", "transfer 11 there: only in " + made["good"],
               "transfers that one has not")
        differ(made, "good", "descriptor", "descriptor 0x02 index 0: byte 8 is 0x31, was 0x32",
               "a descriptor that differs")
        differ(made, "good", "stalled", "transfer 13 there: the status is stall, was ok",
               "a request that is refused")
        differ(made, "good", "storage", "descriptor 0x01 index 0: byte 4 is 0x00, was 0xff",
               "another device")
        differ(made, "good", "both",
               "46f4:0001 ep2 OUT bulk, transfer 1 there: this device is only in",
               "one device more")
        alike(made, "good", "late", "what comes before a later capture begins is no difference")
        alike(made, "late", "good", "in either order")
        status, out, _ = diff(made["good"], made["late"])
        ok("before the other capture begins" in out, "but is counted", out)
        out = differ(made, "keys", "otherkeys", "masked: its value is not shown",
                     "a keystroke that differs")
        ok("0x1d" not in out and "0x04" not in out, "is not told", out)
        status, out, _ = diff("--json", made["good"], made["changed"])
        j = json.loads(out)
        same((1, False, 1), (status, j["same"], j["transfers_different"]), "JSON has the same")
        ok("byte 2" in j["first"]["what"], "and the first difference", out)
        same(0, diff(SRC + "/samples/usb-serial.trawl", SRC + "/samples/usb-serial.trawl")[0],
             "a .trawl file, too")
        for args, status, text, name in (
                ([made["good"]], 2, "needs two files, not 1", "one file"),
                ([made["good"]] * 3, 2, "needs two files, not 3", "three files"),
                (["--summary", made["good"], made["good"]], 2, "--diff: cannot be combined",
                 "two views"),
                ([made["good"], SRC + "/samples/tick.trawl"], 2, "no source in common", "no USB"),
                ([made["good"], d + "/none"], 3, "none", "a file that is not there")):
            got, _, err = diff(*args)
            ok(got == status and text in err and len(err.splitlines()) == 1, "refused: " + name,
               got, err)
    return finish()


sys.exit(main())
