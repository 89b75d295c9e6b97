#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Imports foreign captures, exports them again, and compares both in tshark, field by field.

check.py [--results FILE] FOLDER [PATTERN]: FOLDER has the captures that LIST names, as
OWNER__NAME/PATH (fetch.sh brings them). Prints a row for each capture, small ones first: packets,
bytes, ratio to zstd -3 of the original, number of class fields that are as in tshark (classes.py),
number of latencies that are as in the packets (latency.py), and what is wrong.
FILE keeps the rows: an interrupted run continues after them, and checks captures with something
wrong again. Remove it after a change of the programs.
"""
import argparse, bz2, collections, concurrent.futures, gzip, hashlib, json, lzma, os, re, statistics
import struct, subprocess, sys, tempfile

sys.dont_write_bytecode = True
import classes  # noqa: E402
import latency  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
USB = {189, 220, 249, 266, 288, 293, 294, 295}
BUS = {288, 293, 294, 295}
FIELDS = """frame.time_epoch frame.len frame.cap_len frame.protocols usb.bus_id usb.device_address
usb.endpoint_address usb.transfer_type usb.urb_type usb.urb_id
usb.urb_status usb.urb_len usb.data_len
usb.irp_id usb.irp_info usb.function usb.usbd_status usb.control_stage usb.bmRequestType
usb.setup.bRequest usb.setup.wValue usb.setup.wIndex usb.setup.wLength usb.setup_flag usb.data_flag
usb.interval usb.start_frame usb.copy_of_transfer_flags usb.iso.numdesc usb.iso.error_count
usb.iso.iso_status usb.iso.iso_off usb.iso.iso_len usb.capdata usb.iso.data usbhid.data
usb.idVendor usb.idProduct usb.bDescriptorType usbms.dCBWTag scsi.lba usbll.pid usbll.addr
usbll.data usb.darwin.bcd_version usb.darwin.io_status _ws.malformed""".split()
# Fields that differ because link type 189 (headers of 48 bytes) comes back as 220 (64 bytes).
GROWN = set("""frame.len frame.cap_len usb.interval usb.start_frame usb.copy_of_transfer_flags
usb.iso.numdesc""".split())


def plain(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:6] == b"\xfd7zXZ\0":
        return lzma.decompress(data)
    if data[:3] == b"BZh":
        return bz2.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True).stdout
    return data


def packets(data):
    """(link type, time in ns, captured length, length, bytes) of each packet of a pcap or pcapng
    file."""
    magic = data[:4]
    if magic != b"\x0a\x0d\x0d\x0a":
        order = ">" if magic[0] == 0xa1 else "<"
        scale = 1 if struct.unpack(order + "I", magic)[0] == 0xa1b23c4d else 1000
        linktype = struct.unpack(order + "I", data[20:24])[0] & 0xfffffff
        at = 24
        while at + 16 <= len(data):
            s, f, n, length = struct.unpack(order + "IIII", data[at:at + 16])
            if at + 16 + n > len(data):
                return
            yield linktype, s * 10**9 + f * scale, n, max(n, length), data[at + 16:at + 16 + n]
            at += 16 + n
        return
    at, order, interfaces = 0, "<", []
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, n = struct.unpack(order + "II", data[at:at + 8])
        if n < 12 or at + n > len(data):
            return
        if kind == 1:
            interfaces.append(interface(data[at + 8:at + n - 4], order))
        if kind == 6:
            i, high, low, cap, length = struct.unpack(order + "IIIII", data[at + 8:at + 28])
            # A packet of an interface that its section does not have is none of USB; an import
            # leaves it out and says so.
            linktype, scale = interfaces[i] if i < len(interfaces) else (0, lambda t: t)
            # Old libpcap gives isochronous packets with gaps a length that is less than the
            # captured length; all readers of such files take the larger of the two.
            taken = data[at + 28:at + 28 + cap]
            yield linktype, scale(high << 32 | low), cap, max(cap, length), taken
        at += (n + 3) & ~3


def dropped(data):
    """The exit status of all that read the capture: 1 if it says that it lost packets, else 0."""
    at = 0
    while data[:4] == b"\x0a\x0d\x0d\x0a" and at + 12 <= len(data):
        kind, n = struct.unpack("<II", data[at:at + 8])
        if n < 12:
            break
        o = at + 20
        while kind == 5 and o + 4 <= at + n - 4:
            code, k = struct.unpack("<HH", data[o:o + 4])
            if code in (5, 7) and any(data[o + 4:o + 4 + k]):
                return 1
            o += 4 + ((k + 3) & ~3)
        at += (n + 3) & ~3
    return 0


def interface(body, order):
    at, resolution = 8, 6
    while at + 4 <= len(body):
        code, n = struct.unpack(order + "HH", body[at:at + 4])
        if not code:
            break
        if code == 9:
            resolution = body[at + 4]
        at += 4 + ((n + 3) & ~3)
    if resolution & 0x80:
        return struct.unpack(order + "H", body[:2])[0], lambda t: t * 10**9 >> (resolution & 0x7f)
    return struct.unpack(order + "H", body[:2])[0], lambda t: t * 10**9 // 10**resolution


def run(*argv, **kw):
    return subprocess.run(argv, capture_output=True, timeout=600, **kw)


def tshark(path):
    argv = ["tshark", "-r", path, "-T", "fields", "-E", "occurrence=a"]
    for f in FIELDS:
        argv += ["-e", f]
    at = FIELDS.index("frame.protocols")
    # tshark also shows blocks that are no packets as frames.
    return [line for line in run(*argv).stdout.splitlines() if b"usb" in line.split(b"\t")[at]]


def known_fields():
    """All fields that this tshark has."""
    return {line.split("\t")[2] for line in
            run("tshark", "-G", "fields", text=True).stdout.splitlines() if line.startswith("F\t")}


def differences(original, back, want, got):
    """What differs, as a short text; '' if nothing does."""
    if len(want) != len(got):
        return "%d packets became %d" % (len(want), len(got))
    # Headers in the other byte order come back in this machine's: only tshark can compare them.
    swapped = open(original, "rb").read(1) == b"\xa1"
    for i, (a, b) in enumerate(zip(want, got)):
        if a[0] in (249, 220) and a[:4 if swapped else 5] != b[:4 if swapped else 5]:
            what = [n for n, x, y in zip(("link type", "time", "captured", "length", "bytes"), a, b)
                    if x != y]
            return "packet %d: other %s" % (i + 1, ", ".join(what))
    theirs, ours = tshark(original), tshark(back)
    grown = GROWN if any(a[0] == 189 for a in want) else set()
    for i, (a, b) in enumerate(zip(theirs, ours)):
        names = [f for f, x, y in zip(FIELDS, a.split(b"\t"), b.split(b"\t")) if x != y and
                 f not in grown]
        if names:
            return "packet %d in tshark: %s" % (i + 1, ", ".join(names))
    return "" if len(theirs) == len(ours) else "tshark reads %d of %d" % (len(ours), len(theirs))


def bare(lines):
    """Lines of text that show no byte of the data that their transfer has by JSON."""
    missing = 0
    for line in lines:
        fields = json.loads(line).get("fields", {})
        if fields.get("data_length") and "data" not in fields and not fields.get("masked"):
            missing += 1
    return missing


def moved(want, events):
    """The number of packets at whose time there is no event."""
    times = collections.Counter(p[1] for p in want)
    for event in events:
        times[event["ts_ns"]] -= 1
    return sum(n for n in times.values() if n > 0)


def parts(original, trawl, events, folder):
    """(original, re-export, source) for each source if several interfaces recorded the same bus, as
    each is a source of its own; else nothing."""
    for source in sorted({e["source"] for e in events if "@" in e["source"]}):
        ours, theirs = folder + "/" + source, folder + "/theirs-" + source
        run("trawl-export", "--to", "pcapng", "--no-descriptors", "--source", source, trawl,
            "-w", ours)
        run("tshark", "-r", original, "-w", theirs, "-Y",
            'frame.interface_name == "%s"' % source.split("@")[1])
        yield theirs, ours, source


def is_text(data):
    """Whether a file is usbmon's text, which may begin with comments."""
    lines = [line for line in data[:4096].split(b"\n") if line and not line.startswith(b"#")]
    return bool(lines and re.match(rb"[0-9a-f]+ \d+ [SCE] [CZIB][io]:", lines[0]))


def check_text(row, path, data):
    """usbmon's text comes back as it was, except for comments, and all of it is decoded."""
    want = b"".join(line + b"\n" for line in data.split(b"\n")
                    if line and not line.startswith(b"#"))
    row["packets"] = want.count(b"\n")
    with tempfile.TemporaryDirectory() as d:
        trawl, back = d + "/c.trawl", d + "/back"
        for argv in (["trawl-edit", "import", path, "-w", trawl], ["trawl-decode", trawl],
                     ["trawl-decode", "--json", trawl], ["trawl-decode", "--summary", trawl],
                     ["trawl-decode", "--protocol", trawl],
                     ["trawl-export", "--to", "usbmon", trawl, "-w", back]):
            done = run(*argv, text=True, errors="replace")
            if "--json" in argv:
                differ, row["latencies"] = latency.compare_text(data, done.stdout.splitlines())
                row["wrong"] += differ
            if done.returncode:
                row["wrong"].append("%s: %s" % (" ".join(argv[:3]), done.stderr.strip()[-100:]))
        if os.path.exists(trawl):
            row["ratio"] = os.path.getsize(trawl) / len(run("zstd", "-3qc", path).stdout)
        if not os.path.exists(back) or open(back, "rb").read() != want:
            row["wrong"].append("another text")
        if row["bytes"] > 4096 and row.get("ratio", 0) > 1:
            row["wrong"].append("larger than zstd -3")
    return row


def print_all(trawl, back, kind, drops, wrong):
    """Reads a capture in every way, and exports it to `back`: the lines of each, by options."""
    printed = {}
    for argv in (["trawl-decode", trawl], ["trawl-decode", "--json", trawl],
                 ["trawl-decode", "--raw", trawl], ["trawl-decode", "--summary", trawl],
                 ["trawl-decode", "--raw", "--json", trawl],
                 ["trawl-export", "--to", kind, "--no-descriptors", trawl, "-w", back]):
        done = run(*argv, text=True, errors="replace")
        if done.returncode > drops or "damaged record" in done.stdout:
            wrong.append("%s: %s" % (" ".join(argv[:3]), done.stderr.strip()[-100:]))
        printed[" ".join(argv[1:-1])] = done.stdout.split("\n")[:-1]
    return printed


def compare_packets(pairs, data, back, one_kind):
    """What differs between originals and re-exports. A pcap file of one link type comes back byte
    by byte, or at least packet by packet."""
    wrong = []
    if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") and one_kind and \
            open(back, "rb").read() != data:
        wrong.append("another pcap file")
    for theirs, ours, _ in pairs:
        wrong.append(differences(theirs, ours,
                                 [p for p in packets(plain(theirs)) if p[0] in USB],
                                 list(packets(open(ours, "rb").read()))))
    return wrong


def check_latencies(row, pairs, lines, events):
    for theirs, _, source in pairs:
        own = [line for line in lines if not source or json.loads(line)["source"] == source]
        differ, same, tsharks = latency.compare(
            theirs, [p for p in packets(plain(theirs)) if p[0] in USB], own,
            [e for e in events if source in ("", e["source"])], run)
        row["wrong"] += differ
        row["latencies"] = row.get("latencies", 0) + same
        row["latencies_in_tshark"] = row.get("latencies_in_tshark", 0) + tsharks


def check(name, path, original_fields):
    data = plain(path)
    row = {"name": name, "bytes": len(data), "wrong": []}
    if is_text(data):
        return check_text(row, path, data)
    wrong = row["wrong"]
    with tempfile.TemporaryDirectory() as d:
        original, trawl, back = d + "/original", d + "/c.trawl", d + "/back"
        open(original, "wb").write(data)
        done = run("trawl-edit", "import", path, "-w", trawl, text=True)
        if not os.path.exists(trawl):
            wrong.append(done.stderr.strip())
            return row
        want = [p for p in packets(data) if p[0] in USB]
        others = any(p[0] not in USB for p in packets(data))
        if done.returncode != (1 if others else 0):
            wrong.append("import: %s" % done.stderr.strip())
        row["packets"] = len(want)
        row["ratio"] = os.path.getsize(trawl) / len(run("zstd", "-3qc", original).stdout)
        kind = "pcapng" if len({p[0] for p in want}) != 1 else "pcap"
        printed = print_all(trawl, back, kind, dropped(data), wrong)
        lines = printed["--json"]
        events = [json.loads(line) for line in printed["--raw --json"]]
        if os.path.exists(back):
            pairs = list(parts(original, trawl, events, d)) or [(original, back, "")]
            if not others:
                wrong += compare_packets(pairs, data, back, want and want[0][0] in (220, 249))
        second = {i for i, e in enumerate(events) if "duplicate" in e["fields"]}
        if second:
            row["second"] = len(second)
        # trawl makes no transfers of packets on the bus, but tshark shows classes of those, too.
        if original_fields and any(p[0] not in BUS for p in want):
            differ, row["fields"] = classes.compare([theirs for theirs, _, _ in pairs], trawl, run,
                                                    original_fields, lines, second)
            wrong += differ
            check_latencies(row, pairs, lines, events)
        n = bare(lines)
        if n:
            wrong.append("%d lines without their bytes" % n)
        n = moved(want, events)
        if n:
            wrong.append("%d events at another time" % n)
        if row["bytes"] > 4096 and row["ratio"] > 1:
            wrong.append("larger than zstd -3")
    row["wrong"] = [w for w in wrong if w]
    return row


def captures(folder, pattern):
    """(size, name, path) of each capture of LIST that is in the folder, small ones first."""
    found = []
    for line in open(os.path.join(HERE, "LIST")):
        if line.startswith("#"):
            continue
        digest, repository, commit, path = line.rstrip("\n").split("\t")
        if pattern not in repository + "/" + path:
            continue
        where = os.path.join(folder, repository.replace("/", "__"), path)
        if not os.path.exists(where):
            print("not there: %s/%s" % (repository, path))
        elif hashlib.sha256(open(where, "rb").read()).hexdigest() != digest:
            print("another file than LIST has: %s/%s" % (repository, path))
        else:
            found.append((os.path.getsize(where), repository + "/" + path, where))
    return sorted(found)


def kept_rows(path):
    """The rows of an earlier run in which nothing is wrong. An incomplete last row is left out."""
    rows = {}
    for line in open(path) if path and os.path.exists(path) else []:
        if line.endswith("\n"):
            row = json.loads(line)
            rows[row["name"]] = row
    return {name: row for name, row in rows.items() if not row["wrong"]}


def show(row):
    print("%8s %10d %6s %7s %9s  %s%s" % (row.get("packets", "-"), row["bytes"],
                                          "%.2f" % row["ratio"] if "ratio" in row else "-",
                                          row.get("fields", "-"), row.get("latencies", "-"),
                                          row["name"],
                                          "".join("\n" + " " * 46 + w for w in row["wrong"])),
          flush=True)


def show_sum(rows):
    """Prints the last lines; returns whether nothing is wrong."""
    ratios = [r["ratio"] for r in rows if "ratio" in r]
    large = [r["ratio"] for r in rows if "ratio" in r and r["bytes"] > 4096]
    wrong = sum(bool(r["wrong"]) for r in rows)
    if not ratios:
        sys.exit("check.py: no captures")
    print("%d fields of classes are as in tshark" % sum(r.get("fields", 0) for r in rows))
    print("%d latencies are as in the packets, %d of these as in tshark" %
          tuple(sum(r.get(n, 0) for r in rows) for n in ("latencies", "latencies_in_tshark")))
    print("%d captures of %d repositories, %d packets; ratio to zstd -3: median %.2f (%.2f over 4 "
          "KB), largest %.2f over 4 KB; %d with something wrong" %
          (len(rows), len({"/".join(r["name"].split("/")[:2]) for r in rows}),
           sum(r.get("packets", 0) for r in rows), statistics.median(ratios),
           statistics.median(large or [0]), max(large or [0]), wrong))
    return not wrong and statistics.median(ratios) <= 0.5


def main():
    global FIELDS
    p = argparse.ArgumentParser(prog="check.py")
    p.add_argument("--results", metavar="FILE", default=os.environ.get("RESULTS", ""))
    p.add_argument("folder", help="captures that tests/captures/fetch.sh brought")
    p.add_argument("pattern", nargs="?", default="")
    args = p.parse_args()
    if not os.path.isdir(args.folder):
        sys.exit("check.py: %s: no folder; tests/captures/fetch.sh brings captures" % args.folder)
    have = known_fields()
    FIELDS = [f for f in FIELDS if f in have or f.startswith("_ws")]
    kept = kept_rows(args.results)
    rows = []
    print("%8s %10s %6s %7s %9s  %s" % ("packets", "bytes", "ratio", "fields", "latencies",
                                        "capture"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(n, kept.get(n) or pool.submit(check, n, path, have)) for _, n, path in
                captures(args.folder, args.pattern)]
        for name, job in jobs:
            try:
                r = job if isinstance(job, dict) else job.result()
            except Exception as e:
                r = {"name": name, "bytes": 0, "wrong": ["%s: %s" % (type(e).__name__, e)]}
            rows.append(r)
            show(r)
            if args.results and job is not r:
                with open(args.results, "a") as f:
                    f.write(json.dumps(r) + "\n")
    sys.exit(0 if show_sum(rows) else 1)


main()
