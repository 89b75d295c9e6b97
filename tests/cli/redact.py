#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""trawl-edit redact: none of 500 planted secrets of every class is in the output, in any encoding
and for any reader; everything else is unchanged. trawl-edit secrets reports them before."""
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

src, build = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [f"{src}/tests", f"{src}/tests/cli", f"{src}/tests/decode/usb"]
import planted
import reader
import tap
from usbsynth import crc16_modbus, usbpcap  # noqa: E402


def run(*argv):
    p = subprocess.run(argv, capture_output=True)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


def read(file):
    """All records, types and metadata of a file, by tests/reader.py, which has no code of trawl."""
    with open(file, "rb") as f:
        r = reader.Reader(f.read())
    out = [e.record(source) for s in r.sections for _, _, _, _, _, e, source in r.events(s)]
    out += [f"{t.name} {t.format}".encode() for t in r.types]
    out += [f"{x.name} {x.spec}".encode() for x in r.sources]
    return b"\n".join(out + [f"{n} {kind} ".encode() + bytes(data)
                            for n, kind, _, _, data in r.metas])


def everything(file):
    return {"the file": open(file, "rb").read(), "reader.py": read(file),
            "json": run("trawl-decode", "--json", "--show-keys", file)[1],
            "raw json": run("trawl-decode", "--json", "--raw", "--show-keys", file)[1],
            "summary": run("trawl-decode", "--summary", file)[1],
            "pcapng": run("trawl-export", "--to", "pcapng", "--show-keys", file)[1],
            }


tmp = tempfile.TemporaryDirectory()
made, out = f"{tmp.name}/made.trawl", f"{tmp.name}/out.trawl"
subprocess.run([f"{build}/tests/edit/make-secrets", made], check=True)
before = everything(made)
there = {s[:2].replace("Z\0", "sn") for s, *_ in planted.find({"x": before["reader.py"]})}
tap.ok(set(planted.CLASSES) - {"ky"} <= there,
       "the secrets are found where they are: a test that can fail", there)

status, text, _ = run("trawl-edit", "secrets", made)
text = text.decode()
for c, n in (("keystrokes", 500), ("sectors", 500), ("payload", 500), ("serials", 504),
             ("commands", 1500), ("paths", 1500),
             ("names", 2), ("strings", 1000), ("addresses", 1000), ("identity", 1),
             ("pointer", 500)):
    line = [l.split() for l in text.splitlines() if l.startswith(c + " ")]
    tap.ok(line and int(line[0][1]) >= n and line[0][2].startswith("removed"),
           f"secrets: {c}, {n} at least", text)
tap.ok("smZq" not in text and "quZq" in text, "secrets: with examples", text[:2000])

status, _, text = run("trawl-edit", "redact", made, "-w", out)
tap.same(0, status, f"redact: {text.splitlines()[:3]}")
after = everything(out)
left = planted.find(after)
tap.ok(not left, "none is left, in clear, hex, UTF-16, base64 or scan codes", left[:10], len(left))
ends = {s[4:].encode() for c in ("wd", "wo") for s in planted.planted()[c]}
tap.ok(not any(s in after["reader.py"] for s in ends),
       "nor the ends of texts that were read as numbers")
capture = json.loads(run("trawl-decode", "--meta=capture", out)[1])
words = [re.sub("[a-z2-7]{12,}", "X", w) for w in capture["argv"]]
tap.ok(words == ["/home/X/trawl", "-p1000", "--ring=8M", "--dur", "15s", "-w", "/srv/X",
                 '--trigger', 'comm == "X" and ret < 0', "-i",
                 'event:sched:sched_switch if comm == "X"', "-i", "uprobe:/opt/X:main name='X'", "-i",
                 "usdt:/usr/bin/postgres:query__start", "-i", words[16], "-i",
                 'event:sched:sched_switch\tif\tcomm == "X"', "--trigger", 'comm == "X" and ret < 0',
                 "-ZX", "--", "sh", words[-4], words[-3], "X", words[-1]] and
       re.fullmatch("/[a-z2-7]{3}/X", words[-4]) and
       words[16].startswith("uprobe:/srv/") and words[16].endswith(":main") and
       words[-3] != "--password" and words[-1] != "sleep99",
       "of trawl's command line options, numbers, events and symbols stay", capture)
words = [re.sub("[a-z2-7]{12,}", "X", w) for w in capture["sources"]]
tap.ok(words[:3] == ["uprobe:/opt/X:main", "usb:serial=X,ep=1", "branch:last=8@uprobe:/opt/X:main"]
       and "avZq" not in words[3], "and of the texts of -i", capture)
tap.ok(capture["command"][0] == "sh", "names of standard tools stay", capture)
for word in (b"hoZq1", b"usZq4", b"avZq", b"unZq", b"sdZq", b"b00710d0", b"password", b"spZq",
             b"flZq", b"foZq"):
    tap.ok(not any(word in v for v in after.values()), f"nor {word.decode()}")

tap.ok(b"unZq10000034" in before["reader.py"] and b"unZq" not in after["reader.py"],
       "metadata, its members, elements and lines that the format does not describe are left out",
       re.findall(rb"unZq\d+", after["reader.py"]))
lines = re.search(rb"maps/1001 text/plain (.*?)\nprobe", after["reader.py"], re.S)
tap.ok(lines and len(lines[1].splitlines()) == 4 and b"/usr/lib/x.so\n# cut:\n" in lines[1],
       "lines of a known form stay", lines and lines[1])

# ---- what is kept
a = [json.loads(l) for l in before["raw json"].splitlines()]
b = [json.loads(l) for l in after["raw json"].splitlines()]
tap.same(len(a), len(b), "as many events")
same = lambda key: [e[key] for e in a] == [e[key] for e in b]
tap.ok(all(map(same, ("ts_ns", "source", "cpu", "pid", "tid"))),
       "times, processors, tasks as before")
usb = lambda l: [{k: v for k, v in e["fields"].items()
                  if k in ("bus", "dev", "ep", "dir", "xfer", "status", "length", "data_length")}
                 for e in l
                 if e["source"] == "usb"]
tap.same(usb(a), usb(b), "transfers with their lengths and states")
storage = lambda v: [e["fields"].get("decoded", {}).get("storage", {})
                     for e in map(json.loads, v["json"].splitlines())]
commands = lambda v: [s["scsi"] for s in storage(v) if s.get("phase") == "command"]
tap.ok(len(commands(after)) == 500 and commands(before) == commands(after), "commands to disks")
pairs = {}
for x, y in zip(a, b):
    for k in ("comm",):
        pairs.setdefault(x[k], set()).add(y[k])
    if "filename" in x["fields"]:
        for k in ("filename", "arg"):
            pairs.setdefault(x["fields"][k], set()).add(y["fields"][k])
tap.ok(all(len(v) == 1 for v in pairs.values()) and
       len({v for s in pairs.values() for v in s}) == len(pairs),
       "the same value has the same stand-in, others have others")
paths = {(x["fields"]["filename"], y["fields"]["filename"]) for x, y in zip(a, b)
         if "filename" in x["fields"]}
tap.ok(all(len(x) == len(y) and x.count("/") == y.count("/") and
           y.startswith("/usr/bin/" if x.startswith("/usr/") else "/home/") and x != y
           for x, y in paths), "paths keep their form", list(paths)[:2])
tap.ok([e["name"].split(":")[-1] for e in a] == [e["name"].split(":")[-1] for e in b],
       "functions keep their names")
addresses = lambda l: [e["fields"]["address"] for e in l
                       if e["source"] == "event" and "address" in e["fields"]]
x, y = [[int(str(v), 0) & (1 << 64) - 1 for v in addresses(l)] for l in (a, b)]
tap.ok(not set(x) & set(y) and len({p - q for p, q in zip(x, y)}) == 1,
       "addresses keep their distances", x[:2], y[:2])
tap.ok("operation redact" in after["summary"].decode(), "--summary tells that the file is redacted")
kept = [{n: json.loads(bytes(data)).get("tid") if n.startswith("task/") else None
         for n, _, _, _, data in reader.Reader(open(f, "rb").read()).metas
         if re.match(r"(task|maps)/\d", n)} for f in (made, out)]
tap.ok(kept[0].get("task/1000") == 1000 and kept[0] == kept[1],
       "tasks keep their ids, although one is an argument of -p", sorted(kept[1])[-3:])
fields = [[a for n, _, _, _, data in reader.Reader(open(f, "rb").read()).metas
           if n.startswith("probe/uprobe/") and data[:1] == b"{"
           for s in json.loads(bytes(data))["sites"] for a in s.get("args", [])
           if a["name"] == "b->s"] for f in (made, out)]
tap.ok(len(fields[0]) == 500 and fields[0][0]["bits"] == 6 and fields[0] == fields[1],
       "a bit field keeps its width and its expression, whose slash is none of a path",
       fields[1][:1])
site = [[(s["args"], s["file"]) for n, _, _, _, data in reader.Reader(open(f, "rb").read()).metas
         if n.startswith("probe/uprobe/") for s in json.loads(bytes(data))["sites"]
         if s.get("args", [{}])[0].get("name") == "shade"] for f in (made, out)]
tap.ok(len(site[0]) == 1 and site[0] == site[1],
       "names of types and of their values stay, although folders have these names, and a file of "
       "Rust's own library", site)
status, _, text = run("trawl-edit", "verify", out)
tap.same(0, status, "the file is whole")
again = f"{tmp.name}/again.trawl"
run("trawl-edit", "redact", made, "-w", again)
tap.ok(everything(again)["json"] != after["json"],
       "another time, other stand-ins: the key is not kept")

# ---- other systems: a keyboard at address 1 of Windows, a text that the host sends to a device
def pcap(linktype, packets):
    body = b"".join(struct.pack("<IIII", 1700000000 + i, 0, len(p), len(p)) + p
                    for i, p in enumerate(packets))
    return struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, linktype) + body


def windows(i, up, data):
    return struct.pack("<HQIHBHHBBI", 27, 0xffffaa0000001000 + 64 * i, 0, 9, up, 1, 1, 0x81, 1,
                       len(data)) + data


def usbmon(kind, setup, data, xfer=2, endpoint=0, length=None):
    return struct.pack("<QBBBBHBBqiiII8siiII", 0xffff888000001000, ord(kind), xfer, endpoint, 9, 1,
                       0 if kind == "S" and xfer == 2 else 45, 0 if data else 60, 1700000000, 0,
                       -115 if kind == "S" else 0, length or len(data), len(data), setup, 0, 0, 0,
                       0) + data


def command(cdb, rest=b""):
    return (b"USBC" + struct.pack("<IIBBB", 1, 18, 0x80, 0, len(cdb)) + cdb + rest).ljust(31, b"\0")


def darwin(kind, data):
    """macOS: submission or completion of an interrupt transfer of device 7 on bus 20."""
    return struct.pack("<HBBIIIQIBBBB", 0x100, 32, kind, 8, 0, 0, 0xffffff8012345678, 0x14100000,
                       2, 7, 0x81, 3) + data


def crc16(data):
    return struct.pack("<H", crc16_modbus(data) ^ 0xffff)


def token(pid, address, endpoint):
    return bytes([pid, address | (endpoint & 1) << 7, endpoint >> 1])


def bus_data(pid, data):
    return bytes([pid]) + data + crc16(data)


keys = [bytes([2, 0, 4 + i % 26, 5 + i % 20, 30, 31, 32, 33]) for i in range(40)]
text = "swZq00001234".encode("utf-16-le")
odd = b"vdZq00005678" + bytes(range(20))
container = b"ciZq0000567890ab"
capability = bytes([20, 0x10, 4, 0]) + container
stores = {"whole": (capability, container), "that is cut": (capability[:14], container[:10]),
          "behind a length that cannot be": (bytes([2, 0x10, 5]) + capability, container)}
foreign = {
    "a keyboard at address 1 of Windows": (249, keys, [windows(i, up, k if up else b"")
                                                       for i, k in enumerate(keys)
                                                       for up in (0, 1)]),
    "a string that the host sets": (220, [text], [
        usbmon("S", bytes([0, 7, 2, 3, 9, 4, 26, 0]), bytes([26, 3]) + text),
        usbmon("C", bytes(8), b"")]),
    **{f"a container id {how}": (220, [secret], [
        usbmon("S", bytes([0x80, 6, 0, 15, 0, 0, 64, 0]), b""),
        usbmon("C", bytes(8), bytes([5, 15, 25, 0, 1]) + store)])
       for how, (store, secret) in stores.items()},
    "an answer whose request is not there, of an id that comes again": (220, [b"seZq0a0a0a"], [
        usbmon("C", bytes(8), b"seZq0a0a0a"),
        usbmon("S", bytes([0x80, 6, 0, 1, 0, 0, 18, 0]), b""), usbmon("C", bytes(8), bytes(18))]),
    "an answer whose request was lost, of an id that comes again": (220, [b"seZq1a1a1a"], [
        usbmon("S", bytes([0x80, 6, 0, 1, 0, 0, 18, 0]), b""), usbmon("C", bytes(8), bytes(18)),
        usbmon("C", bytes(8), b"seZq1a1a1a")]),
    "an answer whose request was not recorded": (220, [b"seZq1b1b1b"], [
        usbmon("S", bytes([0x80, 6, 0, 1, 0, 0, 18, 0]), b""),
        usbmon("S", bytes(8), b"", 3, 0x81), usbmon("C", bytes(8), b"seZq1b1b1b")]),
    "data of a request that has the number of another class's": (220, [b"nwZq0b0b0b0b"], [
        usbmon("S", bytes([0xa1, 0xfe, 0, 0, 0, 0, 12, 0]), b""),
        usbmon("C", bytes(8), b"nwZq0b0b0b0b")]),
    "what was in memory behind a command": (220, [b"seZq0c0c0c"], [
        usbmon("S", bytes(8), command(bytes(6), b"seZq0c0c0c"), 3, 2)]),
    "data of a command that was lost": (220, [b"seZq0d0d0d0d"], [
        usbmon("S", bytes(8), command(bytes([3, 0, 0, 0, 18, 0])), 3, 2),
        usbmon("C", bytes(8), b"USBS" + bytes(9), 3, 0x81),
        usbmon("C", bytes(8), b"seZq0d0d0d0d", 3, 0x81)]),
    "what is left of data that was cut": (220, [b"seZq0e0e0e0e"], [
        usbmon("S", bytes(8), command(bytes([3, 0, 0, 0, 18, 0])), 3, 2),
        usbmon("C", bytes(8), b"seZq0e0e0e0e", 3, 0x81, 4096)]),
    "keys on macOS": (266, keys, [darwin(1, k) for k in keys]),
    "keys on the bus": (288, keys, [p for k in keys for p in (token(0x69, 5, 1), bus_data(0xc3, k),
                                                             b"\xd2")]),
    "an answer on the bus whose request is not there": (288, [b"seZq0f0f"], [
        token(0x69, 5, 0), bus_data(0x4b, b"seZq0f0f")]),
    "a descriptor of an unknown kind": (220, [odd], [
        usbmon("S", bytes([0x80, 6, 0, 0x77, 0, 0, 32, 0]), b""), usbmon("C", bytes(8), odd)]),
}
for what, (linktype, secrets, packets) in foreign.items():
    with open(f"{tmp.name}/foreign.pcap", "wb") as f:
        f.write(pcap(linktype, packets))
    run("trawl-edit", "import", f"{tmp.name}/foreign.pcap", "-w", again)
    had = sum(s in read(again) for s in secrets)
    status, _, said = run("trawl-edit", "redact", f"{tmp.name}/foreign.pcap", "-w", again)
    tap.same((0, len(secrets), 0), (status, had, sum(s in read(again) for s in secrets)),
             f"{what}: removed {said[-200:] if status else ''}")

# In packets on the bus only data is redacted: addresses, handshakes, requests and descriptors stay.
# The CRC is that of zeros.
device = bytes([18, 1, 0, 2, 0, 0, 0, 64, 9, 18, 1, 0, 0, 1, 1, 2, 3, 1])
request = bytes([0x80, 6, 0, 1, 0, 0, 18, 0])
packets = [token(0x2d, 5, 0), bus_data(0xc3, request), b"\xd2", token(0x69, 5, 0),
           bus_data(0x4b, device), b"\xd2", token(0x69, 5, 1), bus_data(0xc3, keys[0]), b"\xd2",
           token(0x69, 5, 1), bus_data(0xc3, keys[0])[:-2] + b"\0\1"]
for linktype, there, want in (
        (288, packets, packets[:7] + [bus_data(0xc3, bytes(8)), b"\xd2", packets[9],
                                      b"\xc3" + bytes(8) + bytes([crc16(bytes(8))[0] ^ 1,
                                                                  crc16(bytes(8))[1]])]),
        (266, [darwin(1, keys[0])], [darwin(1, bytes(8))])):
    with open(f"{tmp.name}/foreign.pcap", "wb") as f:
        f.write(pcap(linktype, there))
    run("trawl-edit", "redact", f"{tmp.name}/foreign.pcap", "-w", again)
    r = reader.Reader(open(again, "rb").read())
    got = [e.record(s)[4:] for x in r.sections for _, _, _, _, _, e, s in r.events(x)]
    # The id of a transfer on macOS is an address, so it changes.
    got, want = ([p[:16] + p[24:] if linktype == 266 else p for p in l] for l in (got, want))
    tap.same(want, got, f"link type {linktype}: all but data is as before")

# USBPcap describes already connected devices by requests without an id. If a request has data to
# the device, its stages are separate packets, and the data is in two events: the submission, and
# that of its own packet.
coding = b"\0\xc2\1\0\0\0\x08"
for what, packets, kept in (
        ("descriptors of devices that are there already",
         [usbpcap(0, 0, 0x80, 2, request, 0, dev=4), usbpcap(0, 0, 0x80, 2, request, 0, dev=5),
          usbpcap(0, 1, 0x80, 2, device, 3, dev=4), usbpcap(0, 1, 0x80, 2, device, 3, dev=5)],
         2 * [device]),
        ("the settings of a serial line",
         [usbpcap(0x300, 0, 0, 2, bytes([0x21, 0x20, 0, 0, 0, 0, 7, 0]), 0),
          usbpcap(0x300, 0, 0, 2, coding, 1), usbpcap(0x300, 1, 0, 2, b"", 2)], 2 * [coding])):
    with open(f"{tmp.name}/foreign.pcap", "wb") as f:
        f.write(pcap(249, packets))
    status, _, _ = run("trawl-edit", "redact", f"{tmp.name}/foreign.pcap", "-w", again)
    r = reader.Reader(open(again, "rb").read())
    got = [e.record(s) for x in r.sections for _, _, _, _, _, e, s in r.events(x)]
    tap.same((0, len(kept)), (status, sum(any(p.endswith(k) for k in kept) for p in got)),
             f"Windows: {what} are kept")

# The recorded descriptors of a device say which strings are names, and whether it is a hub. Before
# them, and for another device that gets the address later, nothing is known.


def asked(kind, index, answer, size=255):
    return [usbmon("S", struct.pack("<BBBBHH", 0x80, 6, index, kind, 0, size), b""),
            usbmon("C", bytes(8), answer)]


def string(text):
    return struct.pack("<BB", 2 + 2 * len(text), 3) + text.encode("utf-16-le")


hub = bytes.fromhex("09021900010100e000" "0904000001090000000705810301000b")
unnamed = device[:14] + bytes([0, 0, 3]) + device[17:]
packets = [*asked(3, 2, string("seZq0g0g")), *asked(1, 0, device), *asked(3, 1, string("Maker Ltd")),
           *asked(3, 2, string("Product 9")), *asked(3, 3, string("seZq0h0h")),
           usbmon("C", bytes(8), b"\x0e", 1, 0x81), *asked(2, 0, hub),
           usbmon("C", bytes(8), b"\x0c", 1, 0x81),
           usbmon("S", bytes([0xa0, 6, 0, 0x29, 0, 0, 9, 0]), b""),
           usbmon("C", bytes(8), bytes.fromhex("0929042900326400ff")),
           *asked(1, 0, unnamed), *asked(3, 2, string("seZq0i0i"))]
with open(f"{tmp.name}/foreign.pcap", "wb") as f:
    f.write(pcap(220, packets))
status, _, said = run("trawl-edit", "redact", f"{tmp.name}/foreign.pcap", "-w", again)
r = reader.Reader(open(again, "rb").read())
got = [e.record(s) for x in r.sections for _, _, _, _, _, e, s in r.events(x)]
tap.same((0, 1, 1, 1, 1),
         (status, *(sum(p.endswith(k) for p in got) for k in
                    (string("Maker Ltd"), string("Product 9"), b"\x0c",
                     bytes.fromhex("0929042900326400ff")))),
         f"names of maker and product, a hub's ports are kept {said[-200:] if status else ''}")
tap.same(0, sum(secret.encode(code) in p for p in got for code in ("ascii", "utf-16-le")
                for secret in ("seZq0g0g", "seZq0h0h", "seZq0i0i")) +
         sum(p.endswith(b"\x0e") for p in got),
         "other strings, and what came before the descriptors, are removed")

# ---- the metadata of a cut has its date, unless dates are dropped
run("trawl-edit", "cut", made, "-w", f"{tmp.name}/cut", "--until", "+1s")
run("trawl-edit", "redact", f"{tmp.name}/cut", "-w", again, "--drop", "date")
edit = next(json.loads(bytes(m[4])) for m in reader.Reader(open(again, "rb").read()).metas
            if m[0].startswith("edit/") and b"until_ns" in bytes(m[4]))
tap.ok(edit["until_ns"] // 10**9 // 86400 // 366 <= 31, "nor do the times of a cut", edit)
tasks = [json.loads(bytes(m[4])) for m in reader.Reader(open(out, "rb").read()).metas
         if m[0] == "task/77"]
tap.same(["xfsaild/sdq9"], [t["comm"] for t in tasks], "a thread of the kernel keeps its name")

# ---- the check at the end
halves = f"{tmp.name}/halves.trawl"
subprocess.run([f"{build}/tests/edit/make-secrets", halves, "halves"], check=True)
status, _, text = run("trawl-edit", "redact", halves, "-w", f"{tmp.name}/no")
tap.ok(status == 1 and "class 'addresses'" in text and not os.path.exists(f"{tmp.name}/no"),
       "an address that nobody took for one: no file", status, text)
status, _, text = run("trawl-edit", "redact", halves, "-w", again, "--keep", "addresses")
tap.same(0, status, f"if they are kept, they may be anywhere {text if status else ''}")

subprocess.run([f"{build}/tests/edit/make-secrets", halves, "calls"], check=True)
status, _, text = run("trawl-edit", "redact", halves, "-w", again)
tap.same(0, status,
         f"parts of two numbers that are an address by chance are none {text if status else ''}")

# ---- numbers that hold texts
def numbers(file):
    """The fields of the events of the probe that read texts as numbers."""
    return [json.loads(l)["fields"] for l in
            run("trawl-decode", "--json", "--raw", "--name", "*main", "--where", "n > 0", file)[1].splitlines()]


was, now = numbers(made), numbers(out)
tap.same(([[0] * 8] * 3, [0] * 3, [0] * 3, [1, 2, 3]),
         tuple([f[name] for f in now] for name in ("window", "a", "b", "n")),
         "a field in which one event has a text is removed in all events, numbers beside it stay")
tap.ok(now[1]["id"] == now[2]["id"] != was[1]["id"] == was[2]["id"],
       "one number of eight bytes has the same stand-in in each event", was, now)

# ---- classes
status, _, text = run("trawl-edit", "redact", made, "-w", again, "--keep", "commands,strings")
kept = {s[:2] for s, *_ in planted.find({"x": read(again)})}
tap.same((0, {"cm", "cl", "ar", "by"}), (status, kept & {"cm", "cl", "ar", "by", "pd", "se", "nw"}),
         "--keep")
with open(f"{tmp.name}/policy", "w") as f:
    f.write("# for the printer's maintainers\nkeep payload\ndrop date\n")
status, _, text = run("trawl-edit", "redact", made, "-w", again, "--policy", f"{tmp.name}/policy")
kept = {s[:2] for s, *_ in planted.find({"x": read(again)})}
times = [json.loads(l)["ts_ns"] for l in run("trawl-decode", "--json", again)[1].splitlines()]
tap.ok(status == 0 and kept == {"nw"} and all(t // 10**9 // 86400 // 366 <= 31 for t in times),
       "--policy; the date can go as well", kept, times[:2])
tap.same(len(a), len(run("trawl-decode", "--json", "--raw", again)[1].splitlines()),
         "as many events without a date")

# ---- real captures, bad input
for s in ("tick", "usb-storage", "usb-keyboard", "usb-hotplug", "usb-audio", "usb-serial",
          "usb-errors"):
    file = f"{src}/samples/{s}.trawl"
    status, _, text = run("trawl-edit", "redact", file, "-w", again)
    x, y = (run("trawl-decode", "--json", f)[1].splitlines() for f in (file, again))
    x, y = ([(e["ts_ns"], e["fields"].get("length"), e["fields"].get("status"))
             for e in map(json.loads, l)] for l in (x, y))
    tap.ok(status == 0 and x == y, f"{s}: the same events", status, text)
sample = f"{src}/samples/usb-storage.trawl"
run("trawl-edit", "redact", sample, "-w", again)
tap.same((0, 5, 5), (run("trawl-decode", sample)[1].count(b"(zeros: perhaps redacted)"),
                     run("trawl-decode", again)[1].count(b"(zeros: perhaps redacted)"),
                     run("trawl-decode", "--json", "--where", "zeroed", again)[1].count(b"\n")),
         "data that became zeros is marked, and found")
text = run("trawl-edit", "secrets", sample)[1].decode()
tap.ok('"# The .trawl file format' in text, "secrets shows the text of a disk's files", text[:400])
text = run("trawl-edit", "secrets", f"{src}/samples/usb-keyboard.trawl")[1].decode()
typed = text.split("keystrokes ")[1].split("serials ")[0]
tap.ok("a keyboard's report: 2 keys pressed" in typed and not re.search("[0-9a-f]{4}", typed),
       "secrets describes what was typed, without showing it", text)
keyboard = f"{src}/samples/usb-keyboard.trawl"
run("trawl-edit", "redact", keyboard, "-w", again)
said = [run("trawl-export", "--to", "pcap", f, "-w", f"{tmp.name}/keys.pcap")[2]
        for f in (keyboard, again)]
tap.same([True, False], ["may contain keystrokes" in s for s in said],
         "trawl-export warns of keystrokes, but not of what redaction left of them")
# An imported file may have no descriptors: then data on a bulk endpoint may be that of a disk.
bare = f"{tmp.name}/bare"
run("trawl-export", "--to", "pcap", sample, "-w", f"{bare}.pcap")
run("trawl-edit", "import", f"{bare}.pcap", "-w", f"{bare}.trawl")
run("trawl-edit", "redact", "--keep", "payload", f"{bare}.trawl", "-w", again)
data = [json.loads(l)["fields"].get("data") or "" for l in
        run("trawl-decode", "--json", again)[1].splitlines()]
blocks = [d for d in data if len(d) > 400]
tap.ok(len(blocks) == 5 and not any(d.strip("0") for d in blocks),
       "--keep payload keeps no data of what may be a disk", [d[:40] for d in data])
run("trawl-edit", "redact", f"{src}/samples/tick.trawl", "-w", again)
machine = next(json.loads(bytes(m[4])) for m in reader.Reader(open(again, "rb").read()).metas
               if m[0] == "machine")
tap.ok("trawl" in machine and machine["distro"].startswith("Debian"),
       "words of metadata stay, though the command line had them", machine)
# A word of the command that is also a word of trawl stays: the same word elsewhere in the file
# would show what its stand-in means.
status, _, text = run("trawl", "-i", "uprobe:libc.so.6:malloc", "-w", f"{tmp.name}/git",
                      "--", "sh", "-c", "exit 3", "exit", "status", "kidnapper")
status, _, text = run("trawl-edit", "redact", f"{tmp.name}/git", "-w", again)
metas = {m[0]: bytes(m[4]) for m in reader.Reader(open(again, "rb").read()).metas}
tap.same(("exit status 3", False), (json.loads(metas["end"])["command"],
                                    b"kidnapper" in b"".join(metas.values())),
         f"how the command ended is told, whatever its words were {text[:200]}")
tap.ok(b" libc.so.6:malloc " in run("trawl-decode", again)[1],
       "the name of a file that distributions install stays in an event's name",
       run("trawl-decode", "-c", "1", again))
# The name of a task stays if it runs a program of the distribution that has a probe.
entry = run("readelf", "-h", "/usr/bin/env")[1].split(b"Entry point address:")[1].split()[0].decode()
status, _, text = run("trawl", "-i", f"uprobe:/usr/bin/env:{entry}", "-w", f"{tmp.name}/env", "--",
                      "/usr/bin/env", "true", "kidnapper")
run("trawl-edit", "redact", f"{tmp.name}/env", "-w", again)
named, everywhere = run("trawl-decode", again)[1], b"".join(everything(again).values())
tap.ok(b" env-" in named and b" env:" in named and b"kidnapper" not in everywhere,
       "the name of a probed program that distributions install stays", text[:200], named)
status, _, text = run("trawl-edit", "redact", out, "-w", again)
tap.ok(status == 0 and "was redacted before" in text, "redacted twice: said", text)
# A policy that cannot be followed to its end is refused: what it drops would be kept.
for policy, want, words in ((b"keep names, paths\n", 2, "line 1: is neither 'keep CLASS' nor"),
                            (b"drop symbols\0drop date\n", 2, "is no text"),
                            (b"#\n# " + 300 * b"-" + b"\ndrop x\n", 2, "line 3: 'x' is not a"),
                            (b"drop " + 40 * b"symbols," + b"y\n", 2, "line 1: 'y' is not a class"),
                            (b"# " + 66000 * b"x", 2, "is too long"),
                            (b"# " + 252 * b"-" + b" keep paths\r\ndrop\tdate # it", 0, "removed")):
    with open(f"{tmp.name}/policy", "wb") as f:
        f.write(policy)
    status, _, text = run("trawl-edit", "redact", made, "-w", again, "--policy",
                          f"{tmp.name}/policy")
    tap.ok(status == want and words in text and not re.search(r"^paths .*kept", text, re.M),
           f"--policy {policy[:20]}: {words}", status, text)
for argv, want, words in ((["--keep", "nil"], 2, "not a class; the classes are keystrokes"),
                          (["--drop", ""], 2, "'' is not a class"),
                          (["--policy", tmp.name], 3, "cannot be read: Is a directory"),
                          (["--policy", "/dev/zero"], 2, "is too long"),
                          (["--policy", "/nonexistent"], 3, "cannot be opened")):
    status, _, text = run("trawl-edit", "redact", made, "-w", f"{tmp.name}/no", *argv)
    tap.ok(status == want and words in text and not os.path.exists(f"{tmp.name}/no"),
           f"{' '.join(argv)}: {words}", status, text)

# ---- branches of a program with secrets in its path and in the names of its source and functions
folder, branches = f"{tmp.name}/pdZq0000beef", f"{tmp.name}/branches"
program, source = f"{folder}/pfZq0000cafe", f"{folder}/psZq0000aaaa/psZq0000bbbb.c"
os.makedirs(os.path.dirname(source))
with open(source, "w") as f:
    f.write("static __attribute__((noinline)) int syZq0000dddd(int i) { return i % 3 ? i : -i; }\n"
            "int main(int argc, char **argv) { int s = 0;\n"
            "for (int i = 0; i < 50 + argc; i++) s += syZq0000dddd(i); return s < 0; }\n")
subprocess.run(["cc", "-g", "-O1", "-pie", "-fPIE", "-o", program, source], check=True)
status, _, text = run("trawl", "-i", "branch:ptrace", "-w", branches, "--", program)
tap.ok(status == 0, "branches are recorded", text)
secret = re.compile(rb"[a-z]{2}Zq0000[a-f]{4}")


def branch_views(file):
    lines = subprocess.run([sys.executable, f"{src}/tests/reader_branch.py", file],
                           capture_output=True, check=True).stdout
    return {"file": open(file, "rb").read(), "reader.py": read(file), "branches": lines,
            "json": run("trawl-decode", "--json", file)[1], "text": run("trawl-decode", file)[1]}


def found(views):
    return {m.decode() for v in views.values() for m in secret.findall(v)}


def flow(views):
    return [[line.split()[1], *(int(v, 16) for v in re.findall(rb"0x[0-9a-f]+", line))]
            for line in views["branches"].splitlines()]


def names(views):
    keys = ("from_symbol", "to_symbol", "from_vaddr", "to_vaddr")
    return [(e["name"], *map(e["fields"].get, keys))
            for e in map(json.loads, views["json"].splitlines())]


x = branch_views(branches)
tap.same({"pdZq0000beef", "pfZq0000cafe", "psZq0000aaaa", "psZq0000bbbb", "syZq0000dddd"}, found(x),
         "branches: the secrets are there")
status, _, text = run("trawl-edit", "redact", branches, "-w", again)
y = branch_views(again)
tap.same((0, {"syZq0000dddd"}), (status, found(y)),
         f"branches: redacted; names of functions are kept {text[:200]}")
a, b = flow(x), flow(y)
tap.ok(len(a) > 5000 and [l[0] for l in a] == [l[0] for l in b],
       "as many branches of the same kinds, by reader_branch.py", len(a), len(b))
is_user = lambda v: 0x550000000000 <= v < 1 << 47
old, new = ({v for l in rows for v in l[1:] if is_user(v)} for rows in (a, b))
moved = {q - p for l, k in zip(a, b) for p, q in zip(l[1:], k[1:]) if is_user(p)}
tap.ok(old and not old & new and len(moved) == 1, "all addresses are moved by the same", len(old),
       moved)
everywhere = y["json"] + y["text"] + y["reader.py"]
tap.ok(not any(b"%x" % v in everywhere for v in old), "none of them is anywhere")
other = [(p, q) for a, b in zip(names(x), names(y)) for p, q in zip(a, b) if p != q]
tap.ok(len(names(x)) == len(names(y)) and
       all(re.match(r"pfZq0000cafe\b|.*0x[0-9a-f]{12}", p) for p, q in other),
       "functions and names as before, but what has none and is called by its file", other[:3])
inode = str(os.stat(program).st_ino).encode()
tap.ok(inode in x["reader.py"] and inode not in y["reader.py"], "nor is the program's inode")
status, _, text = run("trawl-edit", "redact", branches, "-w", again, "--drop", "symbols")
tap.same((0, set()), (status, found({"reader.py": read(again),
                                     "json": run("trawl-decode", "--json", again)[1]})),
         f"--drop symbols {text[:200]}")

# ---- branches of a program that distributions install, which the command line has by its path
status, _, text = run("trawl", "-i", "branch:ptrace", "-w", branches + ".env", "--",
                      "/usr/bin/env", "true")
status, _, text = run("trawl-edit", "redact", branches + ".env", "-w", again)
modules = [collections.Counter(json.loads(line)["fields"].get("from_module") or "none" for line in
                               run("trawl-decode", "--json", file)[1].splitlines())
           for file in (branches + ".env", again)]
tap.same((0, sorted(modules[0].values())), (status, sorted(modules[1].values())),
         f"a program by its path: as many branches of each file {text[:200]}")
tap.ok(modules[1]["libc.so.6"] and modules[1]["ld-linux-x86-64.so.2"] and not
       modules[1]["none"] > modules[0]["none"], "with the names that every system has", *modules)

# ---- a merged file: another machine's hub has the keyboard's address, and sources have the
# machine's name
second, merged = f"{tmp.name}/other.trawl", f"{tmp.name}/merged.trawl"
subprocess.run([f"{build}/tests/edit/make-secrets", second, "other"], check=True)
status, _, text = run("trawl-edit", "merge", made, second, branches, "-w", merged)
tap.ok(status == 0 and b"usb@hoZqaaaaaaaa" in run("trawl-decode", "--summary", merged)[1],
       "merged", text)
x = {"raw json": run("trawl-decode", "--json", "--raw", "--show-keys", merged)[1]}
status, _, text = run("trawl-edit", "redact", merged, "-w", again)
y = everything(again)
left = [l for l in planted.find(y) if l[0] != "syZq0000dddd"]
tap.ok(status == 0 and not left, "a merged file: none is left", status, text[:300], left[:10])
host = os.uname().nodename.encode()
for word in (b"hoZq", b"usZq", b"avZq", b"unZq", b"sdZq", b"b00710d0", b'"%s"' % host,
             b'@%s"' % host):
    tap.ok(not any(word in v for v in y.values()), f"merged: nor {word.decode()}")
times = lambda views: [(e["ts_ns"], e["source"].split("@")[0])
                       for e in map(json.loads, views["raw json"].splitlines())]
tap.ok(len(times(x)) > 20000 and times(x) == times(y),
       "merged: the same times and sources, in the same order", len(times(x)), len(times(y)))
machines = {e["source"].split("@")[1] for e in map(json.loads, y["raw json"].splitlines())}
tap.ok(len(machines) == 3, "merged: three machines, called otherwise", machines)

damaged = f"{tmp.name}/damaged.trawl"
subprocess.run([f"{build}/tests/edit/make-secrets", damaged, "damaged"], check=True)
status, _, text = run("trawl-edit", "redact", damaged, "-w", again)
lost = [e["fields"] for e in map(json.loads, run("trawl-decode", "--json", "--source", "branch",
                                                 again)[1].splitlines())]
tap.ok(status == 1 and "1 batches of branches are damaged" in text and
       [l.get("count", l.get("lost")) for l in lost] == [5] and b"brZq" not in read(again),
       "a damaged batch is a loss", status, text[-200:], lost)


# Damage in each byte of a chunk, and at the ends of the file: what cannot be read is missing in the
# output, and this is reported.
whole = open(f"{src}/tests/golden/kinds.trawl", "rb").read()
bad = []
for at in (988, 1500, 5000, 10000, 10700, 12000, len(whole) - 40):
    with open(damaged, "wb") as f:
        f.write(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1:])
    got = [run("trawl-edit", "secrets", damaged), run("trawl-edit", "redact", damaged, "-w", again)]
    bad += [(at, status, text) for status, _, text in got if status != 1 or "damaged" not in text]
tap.ok(not bad, "damaged files: secrets and redact say so, status 1", *bad)
status, out, text = run("trawl-edit", "redact", f"{src}/tests/golden/kinds.trawl", "-w", "-")
tap.ok(status == 2 and not out and "redact: -w -: is not a file" in text,
       "to a pipe, which cannot be searched, nothing is written", status, text)
sys.exit(tap.finish())
