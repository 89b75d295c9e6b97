# SPDX-License-Identifier: MIT
"""USB end to end: import, decoding and export of synthetic captures, checked with tshark and
tcpdump."""
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
import usbsynth  # noqa: E402
from tap import finish, ok, same, skip  # noqa: E402


def run(program, *args, status=0, binary=False):
    r = subprocess.run([BUILD + "/" + program if not program.startswith("/") else program] +
                       list(args), stdin=subprocess.DEVNULL, capture_output=True)
    if status is not None and r.returncode != status:
        ok(False, "%s %s ends with %d" % (program, " ".join(args), status), r.returncode, r.stderr)
    return (r.stdout if binary else r.stdout.decode()), r.stderr.decode(), r.returncode


def objects(path, *args):
    return [json.loads(line) for line in run("trawl-decode", "--json", *args, path)[0].splitlines()]


def find(items, **want):
    """Items whose fields have these values; a__b means fields.a.b."""
    def value(fields, path):
        for part in path.split("__"):
            fields = fields.get(part, {}) if isinstance(fields, dict) else {}
        return fields
    return [i["fields"] for i in items
            if all(value(i["fields"], k) == v for k, v in want.items())]


def one(items, name, **want):
    found = find(items, **want)
    ok(len(found) == 1, name, "%d found" % len(found))
    return found[0] if found else {}


def tshark(path, *args):
    r = subprocess.run(["tshark", "-r", path] + list(args), capture_output=True, text=True)
    return r.stdout


def test_decode(d):
    items = objects(d + "/all.pcapng")
    f = one(items, "a device descriptor", dev=5, setup__descriptor="device")
    desc = f["decoded"]["descriptors"][0]
    same(("46f4", "0001", "2.00"), (desc["idVendor"], desc["idProduct"], desc["bcdUSB"]),
         "its fields")
    same((0x80, 6, 0x0100, 0, 18, "GET_DESCRIPTOR"),
         tuple(f["setup"][k] for k in ("bmRequestType", "bRequest", "wValue", "wIndex", "wLength",
                                       "request")), "the setup packet that asked for it")
    f = one(items, "a configuration of a serial device", dev=8, setup__descriptor="configuration")
    same(["configuration", "interface", "CDC header", "CDC call management",
          "CDC abstract control management", "CDC union", "endpoint", "interface", "endpoint",
          "endpoint"], [x["descriptor"] for x in f["decoded"]["descriptors"]],
         "all descriptors in it by name")

    steps = [(x["decoded"]["storage"]["phase"], x["decoded"]["storage"]["scsi"].get("command"))
             for x in find(items, dev=5) if "storage" in x["decoded"]]
    same([(p, c) for c, ps in (("INQUIRY", "cds"), ("READ CAPACITY(10)", "cds"),
                               ("WRITE(10)", "cds"), ("TEST UNIT READY", "cs"),
                               ("REQUEST SENSE", "cds"))
          for p in ({"c": "command", "d": "data", "s": "status"}[x] for x in ps)], steps,
         "storage: each command with its data and status")
    f = one(items, "READ CAPACITY's answer", dev=5, decoded__storage__phase="data",
            decoded__storage__scsi__command="READ CAPACITY(10)")
    same({"last_lba": 32767, "block_size": 512}, f["decoded"]["storage"]["answer"], "it is decoded")
    f = one(items, "WRITE(10)", dev=5, decoded__storage__phase="command",
            decoded__storage__scsi__command="WRITE(10)")
    same((2048, 8), (f["decoded"]["storage"]["scsi"]["lba"],
                     f["decoded"]["storage"]["scsi"]["blocks"]), "its lba and length")
    f = one(items, "REQUEST SENSE's answer", dev=5, decoded__storage__phase="data",
            decoded__storage__scsi__command="REQUEST SENSE")
    same(("not ready", "medium not present"), (f["decoded"]["storage"]["answer"]["sense_key_name"],
          f["decoded"]["storage"]["answer"]["additional"]), "sense by name")
    f = one(items, "a stall by name", dev=5, status=-32)
    same(("stall", "EPIPE", 0), (f["status_name"], f["errno"], f["actual"]), "stall's fields")
    f = one(items, "UAS: a check condition", dev=10, decoded__storage__status=2)
    same(("unit attention", "UAS"), (f["decoded"]["storage"]["sense"]["sense_key_name"],
                                     f["decoded"]["storage"]["transport"]), "with its sense data")
    f = one(items, "a tablet's report", dev=7, xfer="interrupt")
    same([("Button1", 1), ("X", 1000), ("Y", 32767), ("Wheel", -1)],
         [(v["usage"], v["value"]) for v in f["decoded"]["report"]["values"]],
         "by its report descriptor")
    f = one(items, "line coding", dev=8, setup__request="SET_LINE_CODING")
    same((115200, "none", 8), tuple(f["decoded"]["line_coding"][k]
                                    for k in ("dwDTERate", "parity", "bDataBits")), "115200 8N1")
    same(["hello\r\n", "world \x1b[31m\ufffd\n"],
         [x["decoded"]["text"] for x in find(items, dev=8, xfer="bulk")], "serial data as text")
    f = one(items, "serial state", dev=8, xfer="interrupt")
    same(["dcd", "dsr"], f["decoded"]["notification"]["serial_state"], "its bits")
    same("a" * 62 + "bc", one(items, "FTDI data", dev=9, xfer="bulk")["decoded"]["text"],
         "without the status bytes in each packet")
    f = one(items, "a hub's change", dev=2, xfer="interrupt")
    same([2, 3], f["decoded"]["hub"]["ports_changed"], "names the ports")
    f = one(items, "port status", dev=2, setup__request="GET_STATUS")
    same((["connection", "enable", "power", "high-speed"], ["connection"]),
         (f["decoded"]["hub"]["status"], f["decoded"]["hub"]["change"]), "by names")
    f = one(items, "an isochronous transfer", dev=11, dir="in")
    same((1, 3, [0, -71, 0], "protocol error"),
         (f["error_count"], f["packet_count"], [p["status"] for p in f["packets"]],
          f["packets"][1]["status_name"]), "with its packet's error")


def test_odd(d):
    items = [i["fields"] for i in objects(d + "/all.pcapng") if i["fields"]["dev"] == 12]
    same("error gone", "%s %s" % (items[0]["end"], items[0]["status_name"]), "a failed submission")
    same(("the scatter-gather buffer could not be read", 4096),
         (items[1]["no_data"], items[1]["not_captured"]), "data that was not mapped: D")
    same(("the buffer was not mapped for the CPU", 512),
         (items[2]["no_data"], items[2]["not_captured"]), "data that was not mapped: Z")
    same(("babble", 4096), (items[3]["status_name"], items[3]["not_captured"]),
         "data cut by the ring's limit")
    same(["unanswered", "done", "done", "done", "pending"], [i["end"] for i in items[4:]],
         "an URB used again, a completion alone, one still open at the end")
    ok("latency_ns" not in items[6] and "length" not in items[6],
       "a completion alone has no latency", items[6])
    text = run("trawl-decode", "--summary", d + "/all.pcapng")[0]
    ok("1 transfer cut by a size limit (of -s, or usbmon text's 32 bytes): 4096 bytes "
       "missing" in text,
       "the summary counts what was cut", text)
    same(["the scatter-gather buffer could not be read", "the buffer was not mapped for the CPU"],
         re.findall(r"\n  1 transfer without data: (.*)", text),
         "and whose data was not there: those two and nothing else")
    records = len(objects(d + "/all.pcapng", "--raw", "--source", "usb"))
    ok("of %d submissions and completions" % records in text,
       "the summary counts the records of which transfers were made", records, text)
    ok("1 gone (-19)" in text and "1 babble (-75)" in text, "the summary counts errors", text)
    ok("1 of 5 isochronous packets failed" not in text and "1 of 3 isochronous packets" in text,
       "the summary counts packets", text)


def test_ends(d):
    """A transfer is unanswered if a later event shows it, not because reading ended."""
    path = SRC + "/samples/usb-hotplug.trawl"
    hub = {"dev": 1, "xfer": "interrupt"}
    ends = [f["end"] for f in find(objects(path), **hub)]
    same(["done", "done", "pending"], ends, "a hub's poll that was open when the capture ended")
    cut = objects(path, "--until", "+2s")
    same(["done", "pending"], [f["end"] for f in find(cut, **hub)],
         "--until makes no hang of what was answered later")
    ok("pending at the end" in run("trawl-decode", "--until", "+2s", path)[0], "in words, too")
    text = run("trawl-decode", "--summary", "--until", "+2s", path)[0].splitlines()
    row = next(x for x in text if "ep1 in interrupt" in x)
    same(["0", "0", "1"], row.split("/s")[1].split()[:3], "the summary counts it so")

    c = usbsynth.Capture()
    for n, dev in enumerate((7, 8)):
        c.record("S", usbsynth.INTERRUPT, 0x81, dev, status=-115, length=8, flag_data="<",
                 id=0x1000 + n, interval=8)
    with open(d + "/gone.records", "wb") as f:
        f.write(b"".join(struct.pack("<I", len(r)) + r for r in c.records))
    write(d + "/gone.json", b'{"path":"1-1","busnum":1,"devnum":7,"gone":true}')
    run("tests/decode/usb/make-usb", d + "/gone.trawl", d + "/gone.records",
        "usb/1-1=%s/gone.json" % d)
    same([(7, "unanswered"), (8, "pending")],
         [(i["fields"]["dev"], i["fields"]["end"]) for i in objects(d + "/gone.trawl")],
         "of a device that is gone no answer can come")
    text = run("trawl-decode", "--summary", d + "/gone.trawl")[0]
    same(1, text.count("1 without an answer"), "the summary distinguishes both")


def test_ahead(d):
    """The port of a device is shown from its first event on, although its snapshot comes later."""
    path = SRC + "/samples/usb-hotplug.trawl"
    want = [i["ts_ns"] for i in objects(path) if i["fields"]["dev"] == 4]
    same(want, [i["ts_ns"] for i in objects(path, "--where", "port == '3-3'")],
         "all transfers of a device that was plugged in")
    ok(len(want) == 12, "of which there are some", want)

    c, other = usbsynth.Capture(), usbsynth.Capture()
    usbsynth.tablet(c)
    usbsynth.storage(other)
    with open(d + "/ahead.records", "wb") as f:
        f.write(b"".join(struct.pack("<I", len(r)) + r for r in c.records))
    for of, want in ((c, ["1-9"] * 4), (other, [None] * 4)):
        answers = [r[64:] for r in of.records if r[8:9] == b"C" and r[9] == usbsynth.CONTROL]
        write(d + "/ahead.json", json.dumps({
            "path": "1-9", "busnum": 1, "devnum": 7, "configuration": 1,
            "descriptors": (answers[0] + answers[1]).hex()}).encode())
        run("tests/decode/usb/make-usb", d + "/ahead.trawl", d + "/ahead.records",
            "+usb/1-9=%s/ahead.json" % d)
        same(want, [i["fields"].get("port") for i in objects(d + "/ahead.trawl")],
             "a snapshot of %s device, after all of it" %
             ("another" if want[1] is None else "this"))


def piped(path, program, *args, status=0):
    """The program's output for the file through a pipe."""
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
        r = subprocess.run([BUILD + "/" + program] + list(args) + ["-"], stdin=cat.stdout,
                           capture_output=True)
    same(status, r.returncode, "a pipe: %s %s" % (program, " ".join(args)))
    return r.stdout


def test_choice(d):
    """--where and --name of a packet export choose transfers: both halves of each."""
    path = SRC + "/samples/usb-errors.trawl"
    out = d + "/chosen.trawl"

    def chosen(*args):
        """The transfers in the exports; all exports must have the same."""
        items = []
        for kind in ("pcap", "pcapng", "usbmon"):
            run("trawl-export", "--to", kind, *args, path, "-w", d + "/chosen")
            run("trawl-edit", "import", d + "/chosen", "-w", out)
            items.append([(i["name"], i["ts_ns"] % 4096000000000,
                           i["fields"].get("submit_ns", 0) % 4096000000000, i["fields"]["end"])
                          for i in objects(out)])
        same(items[0], items[1], "pcapng has those of pcap: " + " ".join(args))
        same(items[0], items[2], "usbmon has those of pcap: " + " ".join(args))
        return items[0]
    for args, count in ((("--where", "status_name == 'stall'"), 1),
                        (("--where", "latency_ns > 5ms and end == 'done'"), 9),
                        (("--where", "lba == 0"), 3), (("--name", "usb:bulk"), 193),
                        (("--where", "end == 'pending'"), 1),
                        (("-c", "2", "--name", "usb:bulk"), 2),
                        (("--from", "+0.5s", "--where", "xfer == 'control'"), 7)):
        want = [(i["name"], i["ts_ns"] % 4096000000000,
                 i["fields"].get("submit_ns", 0) % 4096000000000, i["fields"]["end"])
                for i in objects(path, *args)]
        if ("--where", "end == 'pending'") == args:  # is known only at the end of the capture
            want = [(w[0], w[2]) + w[2:] for w in want]
        same(want, chosen(*args), "the transfers of trawl-decode " + " ".join(args))
        same(count, len(want), "as many as there are")
    same(["S"], [x.split()[2] for x in run("trawl-export", "--raw", "--to", "usbmon", "--where",
         "type == 'S' and status == -115", "-c", "1", path)[0].splitlines()],
         "--raw chooses single events")
    err = run("trawl-export", "--to", "pcap", "--where", "latency == 1", path, status=2)[1]
    ok("did you mean latency_ns?" in err, "an unknown field: the nearest of transfers", err)

    for args in (("--to", "pcap"), ("--to", "pcap", "--where", "status_name == 'stall'"),
                 ("--to", "usbmon", "--name", "usb:control"), ("--to", "pcap", "--source", "usb")):
        same(run("trawl-export", *args, path, binary=True)[0], piped(path, "trawl-export", *args),
             "and gives what the file gives")
    same(b"", piped(SRC + "/samples/tick.trawl", "trawl-export", "--to", "pcap", status=2),
         "and what is no USB is refused there, too")
    with open(path, "rb") as f:
        start = write(d + "/start", f.read(10))
    err = run("trawl-export", "--to", "pcap", start, status=1)[1]
    ok("is cut within its first block" in err, "of a file that is cut at once it says so", err)


def test_cut(d):
    """tcpdump -s: packets are shorter than their headers state, and this is not damage."""
    whole, cut = objects(d + "/all.pcap"), objects(d + "/cut.pcap")
    same(len(whole), len(cut), "a capture that was cut has all transfers")
    bulk = [[i["fields"] for i in items if i["name"] == "usb:bulk"] for items in (whole, cut)]
    short = [(w, c) for w, c in zip(*bulk) if w.get("data_length", 0) > 16]
    ok(len(short) > 5 and all("damage" not in c for _, c in short), "none of them is damaged",
       short)
    same([w["data_length"] - 16 + w.get("not_captured", 0) for w, _ in short],
         [c["not_captured"] for _, c in short], "each tells what is missing")


def test_keys(d):
    """Keystrokes are never shown without --show-keys, in any form of output."""
    path = d + "/all.pcapng"
    for args in ([], ["--json"], ["-x"], ["-X"], ["--raw"], ["--raw", "-X"], ["--raw", "--json"],
                 ["--fields", "all"], ["--json", "-X"]):
        text = run("trawl-decode", *args, "--where", "dev == 6", path)[0]
        for secret in ("0200040000000000", "0200 0400", "LeftShift", "02000400"):
            ok(secret not in text, "%s hides keys (%s)" % (" ".join(args) or "text", secret), text)
    text = run("trawl-decode", "--show-keys", "--where", "dev == 6", path)[0]
    ok("keys LeftShift+A" in text, "--show-keys shows them", text)
    f = objects(path, "--show-keys", "--where", "dev == 6 && xfer == 'interrupt'")
    same([["LeftShift", "A"], []], [i["fields"]["decoded"]["report"]["keys"] for i in f],
         "and so does --json")
    for to in ("pcap", "pcapng", "usbmon"):
        warning = "1 packet may contain keystrokes or keys in clear"  # not the release: all zeros
        text = run("trawl-export", "--to", to, "--source", "usb", path, "-w", d + "/keys.out")[1]
        ok(warning in text, "--to %s says that it holds them" % to, text)
        text = run("trawl-export", "--to", to, "--show-keys", path, "-w", d + "/keys.out")[1]
        ok(warning not in text, "but not with --show-keys", text)
    late = [i for i in objects(d + "/late.pcap") if i["name"] == "usb:interrupt"]
    ok(late and late[0]["fields"].get("masked") and "data" not in late[0]["fields"],
       "interrupt data of a device that nothing is known of is hidden", late)
    asked = [i["fields"] for i in objects(d + "/late.pcap", "--where", "dev == 9 && bRequest == 1")]
    same([(True, None), (None, "0709")], [(f.get("masked"), f.get("data")) for f in asked],
         "and so is what its control endpoint gives as an input report, but no other")
    text = run("trawl-decode", "-X", "--where", "dev == 9", d + "/late.pcap")[0]
    ok("0000 0500" not in text and "0709" in text, "also in a hexdump", text)
    text = run("trawl-decode", d + "/late.pcap")[0]
    ok("WRITE(10) lba 2048 + 8" in text, "storage is recognised without descriptors", text)


def test_where(d):
    path = d + "/all.pcapng"
    for expression, count_wanted in (("status_name == 'stall'", 1), ("setup.request ~ 'SET_*'", 3),
                                     ("decoded.storage.scsi.lba == 2048", 3), ("lba == 64", 3),
                                     ("decoded.dwDTERate == 115200", 1), ("end == 'unanswered'", 1),
                                     ("end == 'pending'", 1),
                                     ("latency_ns >= 900us", 1), ("port ~ '*'", 0)):
        got = len(run("trawl-decode", "--where", expression, path)[0].splitlines())
        same(count_wanted, got, "--where " + expression)


def test_words(d):
    """Comparing with a text that a field never has is an error, not an empty result."""
    path = d + "/all.pcapng"
    for expression, want in (("status_name == 'stal'", "did you mean stall?"),
                             ("end != 'hang'", "there are done, error, unanswered, half, pending"),
                             ("'IN' == dir", "did you mean in?"),
                             ("xfer ~ 'bulc*'", "There are iso"),
                             ("errno == 'EPIP'", "did you mean EPIPE"),
                             ("setup.recipient == 'interfce'", "did you mean interface?"),
                             ("setup.type == 'S'", "there are standard, class, vendor"),
                             ("setup.direction == 'inn'", "did you mean in?"),
                             ("phase == 'comand'", "did you mean command?"),
                             ("decoded.storage.transport == 'uas'", "did you mean UAS?"),
                             ("sense_key_name ~ 'mediun*'", "There are no sense, recovered"),
                             ("setup.request == 'SET_CUX'", "did you mean SET_CUR"),
                             ("request ~ 'FTDI_SETT*'", "did you mean FTDI_RESET"),
                             ("command == 'READ(1O)'", "did you mean READ(10)"),
                             ("decoded.command == 'Rest'", "did you mean Reset"),
                             ("descriptor == 'strng'", "did you mean string"),
                             ("decoded.usbd_status_name == 'STAL_PID'", "mean STALL_PID"),
                             ("decoded.dfu.state_name == 'dfuIDL'", "did you mean dfuIDLE")):
        err = run("trawl-decode", "--where", expression, path, status=2)[1]
        ok(" is never '" in err and want.lower() in err.lower(), "--where " + expression, err)
        run("trawl-export", "--to", "pcap", "--where", expression, path, status=2)
    err = run("trawl-decode", "--raw", "--where", "type == 'X'", path, status=2)[1]
    ok("There are S, C, E" in err, "--raw: type", err)
    for expression in ("xfer == 'unknown'", "status_name ~ 'bab*'", "errno == 'ETIME'",
                       "vid == 'ffff'", "pid ~ 'z*'"):
        run("trawl-decode", "--where", expression, path)
    for expression in "vid == 'zz'", "'46d' != vid", "pid == '000G'", "pid == '0x0001'":
        err = run("trawl-decode", "--where", expression, path, status=2)[1]
        ok("it is four hexadecimal digits" in err, "--where " + expression, err)


def test_parts(d):
    """--where takes every name that --json shows at any depth, without its path."""
    def keys(value, into):
        for k, v in value.items() if isinstance(value, dict) else []:
            into.add(k)
            keys(v, into)
        for v in value if isinstance(value, list) else []:
            keys(v, into)
    for path in [d + "/all.pcapng"] + sorted(glob.glob(SRC + "/samples/usb-*.trawl")):
        names = set()
        for i in objects(path):
            keys(i["fields"], names)
        run("trawl-decode", "--where", " or ".join(sorted(names)), path)
        ok(len(names) > 20, os.path.basename(path) + ": parts by themselves", sorted(names))
    path = SRC + "/samples/usb-hotplug.trawl"
    same(2, len(run("trawl-decode", "--where", "hub.ports_changed", path)[0].splitlines()),
         "and with what is below them")
    run("trawl-decode", "--where", "no_such_part", path, status=2)
    err = run("trawl-decode", "--name", "usb:iso", path)[1]
    ok("is called 'usb:iso'; there are usb:interrupt, usb:control\n" in err,
       "a name that there is not: the names that there are", err)
    for args in (("trawl-decode",), ("trawl-export", "--to", "pcap", "-w", d + "/none.pcap")):
        err = run(*args, "--name", "usb:submit", path)[1]
        ok("is called 'usb:submit'; there are usb:interrupt, usb:control\n" in err,
           "a record's name is none of a transfer: " + args[0], err)
    err = run("trawl-decode", "--raw", "--name", "usb:iso", path)[1]
    ok("there are usb:submit, usb:complete\n" in err, "--raw: those of records that occurred", err)


def test_small(d):
    path = SRC + "/samples/usb-hotplug.trawl"
    text = run("trawl-decode", "--summary", path)[0]
    row = next(x for x in text.splitlines() if "ep1 in interrupt" in x).split()
    same(["4.96s", "4.96s", "4.96s"], row[-3:], "percentiles of one transfer are that one")
    ok("102 B/s " in text and "B  /s" not in text, "a rate is one word", text)
    hub = run("trawl-decode", "--raw", "-t", "--where", "dev == 1 and xfer == 'interrupt'", path)[0]
    urb = hub.split(" Ii:")[0].split()[-2]
    usbmon = run("trawl-export", "--to", "usbmon", path)[0]
    ok(len(urb) > 8 and usbmon.startswith(urb + " "), "--raw: the URB, as in usbmon text", hub)
    for args, made in (((), True), (("--no-descriptors",), False)):
        run("trawl-export", "--to", "pcapng", *args, path, "-w", d + "/front.pcapng")
        with open(d + "/front.pcapng", "rb") as f:
            same(made, b"synthesised by trawl" in f.read(), "descriptors in front: %s" % (args,))
    with open(path, "rb") as f:  # zstd's output begins with literal bytes of its input
        packed = write(d + "/x.trawl.zst", b"\x28\xb5\x2f\xfd\xa4\0\0\0\0" + f.read())
    err = run("trawl-decode", packed, status=3)[1]
    ok("unpack it" in err or "cannot be unpacked" in err, "a truncated zstd file", err)


def test_text_times(d):
    """Times of usbmon text are kept; something is added only after they wrapped around."""
    def times(*us):
        path = write(d + "/times.txt", b"".join(
            b"ffff8880 %d C Ii:3:001:1 0:2048 1 = 08\n" % t for t in us))
        same(b"".join(b"%d " % t for t in us).decode().split(),
             [x.split()[1] for x in run("trawl-export", "--to", "usbmon", path)[0].splitlines()],
             "usbmon text there and back: %s" % (us,))
        return [i["ts_ns"] // 1000 for i in objects(path)]
    same([3105839678, 3105840000], times(3105839678, 3105840000), "a time is the line's")
    same(3105839678, max(times(3105839678, 3105839600)), "a line out of order begins nothing anew")
    same([4294967290], times(4294967290), "of an old kernel likewise")
    a, b = times(4095999990, 5)
    same(15, b - a, "where they begin anew, the next is after the one before")


def test_raw(d):
    lines = run("trawl-decode", "--raw", "-t", d + "/all.pcapng", "--where", "dev == 5")[0]
    ok("S Ci:1:005:0 s 80 06 0100 0000 0012 18 <  GET_DESCRIPTOR device" in lines,
       "--raw: a submission as usbmon writes it", lines)
    ok("C Ci:1:005:0 0 18 = 12010002 00000040 f4460100 10010102 0301" in lines,
       "--raw: its completion", lines)
    raw = objects(d + "/all.pcapng", "--raw")
    same(len(usbsynth.everything().records), len(raw), "--raw: one item for each event")
    dump = run("trawl-decode", "-X", "--where", "dev == 8 && xfer == 'bulk'", d + "/all.pcapng")[0]
    ok("0x0000:  6865 6c6c 6f0d 0a" in dump and "hello.." in dump, "-X: hex and text", dump)


def test_forms(d):
    """The same events in every container and byte order are imported as the same events."""
    want = run("trawl-export", "--to", "usbmon", d + "/all.pcapng")[0]
    same(open(d + "/all.txt").read(), want, "usbmon text is what the kernel would have written")
    for name in ("all.pcap", "nano.pcap", "big.pcap", "big.pcapng", "all.txt"):
        same(want, run("trawl-export", "--to", "usbmon", d + "/" + name)[0], name)
    out = d + "/text.trawl"
    run("trawl-edit", "import", "-w", out, d + "/all.txt")
    same(want, run("trawl-export", "--to", "usbmon", out)[0], "usbmon text there and back")
    same("0600", "0%o" % (os.stat(out).st_mode & 0o777), "an imported file is for its owner only")
    binary = usbsynth.pcapng(usbsynth.everything().records)
    out = d + "/all.trawl"
    run("trawl-edit", "import", "-w", out, d + "/big.pcapng")
    original = packets(d + "/all.pcapng")
    ok(len(original) > 100, "tshark reads the original")
    for kind in ("pcapng", "pcap"):
        run("trawl-export", "--to", kind, out, "-w", d + "/back." + kind)
        same(original, packets(d + "/back." + kind),
             "%s: bytes, lengths and times are those of the original" % kind)
    ok(len(binary) > 1000, "the original was not empty")
    run("trawl-export", "--to", "pcap", "--linktype", "189", out, "-w", d + "/back189.pcap")
    same(open(d + "/old.pcap", "rb").read()[24:], open(d + "/back189.pcap", "rb").read()[24:],
         "link type 189: packets are those of libpcap's old form")
    # The header of 48 bytes has no intervals, nothing after them and no packet descriptors.
    olds = [run("trawl-export", "--to", "usbmon", d + "/old" + n)[0].splitlines()
            for n in (".pcap", "-big.pcap", ".pcapng", "-big.pcapng")]
    same([olds[0]] * 4, olds, "link type 189: the same in each container and byte order")

    def plain(lines):
        return [re.sub(r"( -?\d+):[-0-9:]+", r"\1", line) for line in lines if " Z" not in line]
    same(plain(want.splitlines()), plain(olds[0]), "link type 189: what is in it")
    ok(len(plain(want.splitlines())) > 100, "link type 189: there are many")
    pcaps = [objects(d + "/usbpcap" + n) for n in (".pcap", "-big.pcap", ".pcapng", "-big.pcapng")]
    same([pcaps[0]] * 4, pcaps, "USBPcap: the same in each container and byte order")
    text, err, _ = run("trawl-decode", d + "/mixed.pcapng", status=1)
    ok("4 packets left out, the first of link type 1" in err, "a mixed file: packets that are not USB", err)
    ok("5 events of usb@interface0 lost" in text, "drops of its statistics are losses", text)
    err = run("trawl-decode", d + "/mixed249.pcapng", status=1)[1]
    ok("2 packets left out, the first of link type 1" in err,
       "also after a packet of USBPcap that is no transfer", err)
    items = objects(d + "/usbpcap.pcap", "--name", "usb:*")
    same(["GET_DESCRIPTOR", "GET_DESCRIPTOR", "SET_LINE_CODING", None, None],
         [i["fields"].get("setup", {}).get("request") for i in items],
         "USBPcap: control transfers of both forms")
    same([18, 18, 7, 4], [i["fields"]["actual"] for i in items[:4]], "USBPcap: lengths")
    same(("stall", "in"), (items[4]["fields"]["status_name"], items[4]["fields"]["dir"]),
         "USBPcap: a status of Windows")


def packets(path):
    """(time, lengths, bytes) of each packet by tshark."""
    layers = [p["_source"]["layers"]
              for p in json.loads(tshark(path, "-T", "json", "-x", "-j", "frame"))]
    return [[p["frame"]["frame." + k] for k in ("time_epoch", "cap_len", "len")] +
            [p["frame_raw"][0]] for p in layers]


def test_tshark(d):
    """Fields are compared with those of Wireshark's dissectors."""
    path = d + "/all.pcapng"
    requests = [p + ".setup.bRequest" for p in ("usb", "usbhub", "usbhid", "usbms")]
    lengths = [p + ".setup.wLength" for p in ("usb", "usbhub", "usbhid", "usbms")]
    columns = requests + lengths + [
        "usb.urb_type", "usb.time", "usb.bmRequestType", "usb.idVendor", "usb.idProduct",
        "usb.bEndpointAddress", "usb.bInterfaceClass", "usb.wTotalLength", "scsi.sns.key",
        "usbms.dCBWTag", "usbms.dCSWStatus", "scsi_sbc.rdwr10.lba", "scsi_sbc.rdwr10.xferlen"]
    args = ["-T", "fields", "-E", "separator=|", "-E", "occurrence=a", "-E", "aggregator=,"]
    for c in columns:
        args += ["-e", c]
    rows = [dict(zip(columns, line.split("|"))) for line in tshark(path, *args).splitlines()]
    raw = objects(path, "--raw")
    joined = objects(path)
    same(len(rows), len(raw), "as many packets")

    def first(row, names):
        return next((int(row[n], 0) for n in names if row[n]), None)
    want = [int(r["usb.bmRequestType"], 16) for r in rows if r["usb.bmRequestType"]]
    same(want, [i["fields"]["setup"]["bmRequestType"] for i in raw if "setup" in i["fields"]],
         "tshark: bmRequestType of every setup packet")
    for names, ours in ((requests, "bRequest"), (lengths, "wLength")):
        at = [n for n, r in enumerate(rows) if first(r, names) is not None]
        ok(len(at) > 15, "tshark knows %s of many requests" % ours, len(at))
        same([first(rows[n], names) for n in at],
             [raw[n]["fields"]["setup"][ours] for n in at], "tshark: " + ours)

    # ITEM's latency is tshark's usb.time of the completion.
    want = [round(float(r["usb.time"]) * 1e9) for r in rows
            if r["usb.urb_type"] == "'C'" and r["usb.time"]]
    got = [i["fields"]["latency_ns"] for i in joined if "latency_ns" in i["fields"] and
           i["fields"]["end"] == "done"]
    same(want, got, "tshark: latencies")

    check_descriptors(rows, joined)
    check_storage(rows, joined)


def check_descriptors(rows, joined):
    """Compares descriptors: tshark's rows, our transfers."""
    def descriptors(key):
        return [x[key] for i in joined for x in i["fields"]["decoded"].get("descriptors", [])
                if key in x]
    same([int(r["usb.idVendor"], 16) for r in rows if r["usb.idVendor"]],
         [int(x, 16) for x in descriptors("idVendor")], "tshark: idVendor")
    same([int(r["usb.idProduct"], 16) for r in rows if r["usb.idProduct"]],
         [int(x, 16) for x in descriptors("idProduct")], "tshark: idProduct")
    same([int(x, 16) for r in rows for x in r["usb.bEndpointAddress"].split(",") if x],
         descriptors("bEndpointAddress"), "tshark: endpoint addresses")
    same([int(x, 16) for r in rows if r["usb.wTotalLength"]
          for x in r["usb.bInterfaceClass"].split(",") if x],
         descriptors("bInterfaceClass"), "tshark: interface classes")
    same([int(r["usb.wTotalLength"]) for r in rows if r["usb.wTotalLength"]],
         descriptors("wTotalLength"), "tshark: wTotalLength")


def check_storage(rows, joined):
    """Compares commands and answers of a disk: tshark's rows, our transfers."""
    storage = [i["fields"]["decoded"]["storage"] for i in joined
               if "storage" in i["fields"]["decoded"] and i["fields"]["dev"] == 5]
    same([int(r["usbms.dCBWTag"], 0) for r in rows if r["usbms.dCBWTag"]],
         [s["tag"] for s in storage if s["phase"] in ("command", "status")],
         "tshark: tags of commands and statuses")
    same([int(r["usbms.dCSWStatus"], 0) for r in rows if r["usbms.dCSWStatus"]],
         [s["status"] for s in storage if s["phase"] == "status"], "tshark: storage status")
    same([(int(r["scsi_sbc.rdwr10.lba"]), int(r["scsi_sbc.rdwr10.xferlen"]))
          for r in rows if r["scsi_sbc.rdwr10.lba"]],
         [(s["scsi"]["lba"], s["scsi"]["blocks"]) for i in joined
          for s in [i["fields"]["decoded"].get("storage", {})]
          if s.get("phase") == "command" and "lba" in s["scsi"]], "tshark: LBA and length")
    same([int(r["scsi.sns.key"], 0) for r in rows if r["scsi.sns.key"]],
         [s[k]["sense_key"] for i in joined for s in [i["fields"]["decoded"].get("storage", {})]
          for k in ("answer", "sense") if "sense_key" in s.get(k, {})], "tshark: sense key")


# {Wireshark's name: ours} of the fields of class descriptors.
VIDEO = {
    "usbvideo.terminal.id": "bTerminalID", "usbvideo.terminal.type": "wTerminalType",
    "usbvideo.unit.id": "bUnitID", "usbvideo.processor.maxMultiplier": "wMaxMultiplier",
    "usbvideo.processor.standards": "bmVideoStandards",
    "usbvideo.extension.numControls": "bNumControls",
    "usbvideo.streaming.numFormats": "bNumFormats", "usbvideo.streaming.info": "bmInfo",
    "usbvideo.streaming.terminalLink": "bTerminalLink", "usbvideo.format.index": "bFormatIndex",
    "usbvideo.format.numFrameDescriptors": "bNumFrameDescriptors",
    "usbvideo.format.bitsPerPixel": "bBitsPerPixel",
    "usbvideo.format.aspectRatioX": "bAspectRatioX",
    "usbvideo.format.aspectRatioY": "bAspectRatioY",
    "usbvideo.format.variableSize": "bVariableSize", "usbvideo.frame.index": "bFrameIndex",
    "usbvideo.frame.width": "wWidth", "usbvideo.frame.height": "wHeight",
    "usbvideo.frame.minBitRate": "dwMinBitRate", "usbvideo.frame.maxBitRate": "dwMaxBitRate",
    "usbvideo.frame.maxBuffer": "dwMaxVideoFrameBufferSize",
    "usbvideo.frame.bytesPerLine": "dwBytesPerLine",
    "usbvideo.frame.interval.default": "dwDefaultFrameInterval",
    "usbvideo.frame.interval.type": "bFrameIntervalType",
    "usbvideo.color.matrixCoefficients": "bMatrixCoefficients",
    "usbvideo.ep.maxInterruptSize": "wMaxTransferSize",
}
AUDIO = {
    "usbaudio.ac_if_hdr.bCategory": "bCategory", "usbaudio.ac_if_input.bTerminalID": "bTerminalID",
    "usbaudio.ac_if_input.bmChannelConfig": "bmChannelConfig",
    "usbaudio.ac_if_output.bSourceID": "bSourceID", "usbaudio.ac_if_clksrc.bClockID": "bClockID",
    "usbaudio.ac_if_clksrc.bmControls": "bmControls",
    "usbaudio.ac_if_clksel.baCSourceID": "baCSourceID",
    "usbaudio.as_if_gen.bTerminalLink": "bTerminalLink",
    "usbaudio.as_if_gen.bmFormats": "bmFormats", "usbaudio.as_if_gen.bNrChannels": "bNrChannels",
    "usbaudio.as_if_ft.bSubslotSize": "bSubslotSize",
    "usbaudio.as_if_ft.bBitResolution": "bBitResolution",
    "usbaudio.as_ep_gen.bmControls": "bmControls", "usbaudio.as_ep_gen.wLockDelay": "wLockDelay",
}
AUDIO_PARTS = {"ac_if_hdr": "audio control header", "ac_if_input": "audio input terminal",
               "ac_if_output": "audio output terminal", "ac_if_clksrc": "audio clock source",
               "ac_if_clksel": "audio clock selector", "as_if_gen": "audio stream",
               "as_if_ft": "audio format", "as_ep_gen": "audio endpoint"}


def test_classes(d):
    """Descriptors of video and audio have the same values in Wireshark."""
    path = d + "/classes.pcapng"
    items = objects(path)
    descriptors = {dev: [x for i in items if i["fields"]["dev"] == dev
                         for x in i["fields"]["decoded"].get("descriptors", [])]
                   for dev in (13, 14)}
    args = ["-T", "fields", "-E", "separator=|", "-E", "occurrence=a", "-E", "aggregator=,", "-e",
            "usb.device_address"]
    for name in [*VIDEO, *AUDIO]:
        args += ["-e", name]
    rows = [line.split("|") for line in tshark(path, *args).splitlines()]
    columns = dict(zip([*VIDEO, *AUDIO], list(zip(*rows))[1:]))
    for dev, names in ((13, VIDEO), (14, AUDIO)):
        same([], [x for x in descriptors[dev] if "data" in x or "short" in x],
             "device %d: every descriptor is known and has its length" % dev)
        for theirs, ours in names.items():
            part = AUDIO_PARTS.get(theirs.split(".")[1]) if dev == 14 else None
            want = [int(v, 0) for row, cell in zip(rows, columns[theirs]) if row[0] == str(dev)
                    for v in cell.split(",") if v]
            have = [x[ours] for x in descriptors[dev] if ours in x and
                    part in (None, x["descriptor"]) and
                    (dev == 14 or x["descriptor"].startswith("video"))]
            have = [n for v in have for n in (v if isinstance(v, list) else [v])]
            same(want, have, "tshark: %s" % theirs)
            ok(want, theirs + ": there is one")
    formats = [x["guidFormat"] for x in descriptors[13] if "guidFormat" in x]
    same(["32595559-0000-0010-8000-00aa00389b71", "34363248-0000-0010-8000-00aa00389b71"], formats,
         "formats of video by their GUID")
    same([[333333, 666666], [333333, 2000000, 333333], [333335]],
         [x["dwFrameInterval"] for x in descriptors[13] if "dwFrameInterval" in x],
         "frame intervals")


def write_snapshots(d):
    """Writes snapshots of a tablet and a disk. Returns what names them to make-usb."""
    parts = usbsynth.Capture()
    usbsynth.tablet(parts)
    usbsynth.storage(parts)
    answers = [r[64:] for r in parts.records if r[8:9] == b"C" and r[9] == usbsynth.CONTROL]
    snapshots = {
        "1-1": (7, answers[0] + answers[1], usbsynth.TABLET_REPORT),
        "1-2.3": (5, answers[3] + answers[4], None),
    }
    args = []
    for port, (dev, descriptors, report) in snapshots.items():
        j = {"path": port, "busnum": 1, "devnum": dev, "product": "Thing %d" % dev,
             "configuration": 1, "descriptors": descriptors.hex(),
             "interfaces": [{"number": 0, "alternate": 0}]}
        if report:
            j["interfaces"][0]["hid_report"] = report.hex()
        with open(d + "/snap" + port, "w") as f:
            json.dump(j, f)
        args.append("usb/%s=%s/snap%s" % (port, d, port))
    return args


def test_late(d):
    """Devices that were plugged in before the capture are known by their snapshots."""
    c = usbsynth.Capture()
    c.transfer(usbsynth.INTERRUPT, 0x81, dev=7, interval=4, answer=struct.pack("<BHHb", 2, 1, 2, 0))
    usbsynth.storage(c, descriptors=False)
    with open(d + "/late.records", "wb") as f:
        f.write(b"".join(struct.pack("<I", len(r)) + r for r in c.records))
    args = write_snapshots(d)
    run("tests/decode/usb/make-usb", d + "/late.trawl", d + "/late.records", *args)

    items = objects(d + "/late.trawl")
    f = one(items, "the tablet's report", dev=7)
    same(([("Button2", 1), ("X", 1), ("Y", 2), ("Wheel", 0)], "1-1"),
         ([(v["usage"], v["value"]) for v in f["decoded"]["report"]["values"]], f["port"]),
         "is decoded by the snapshot's report descriptor")
    text = run("trawl-decode", "--summary", d + "/late.trawl")[0]
    ok("1:5 46f4:0001 Thing 5 at port 1-2.3" in text, "the summary names the devices", text)

    # A device is plugged in as the last event: its snapshot has a later time.
    run("tests/decode/usb/make-usb", d + "/last.trawl", d + "/late.records", args[0], "+" + args[1])
    ok("1:5 46f4:0001 Thing 5 at port 1-2.3" in run("trawl-decode", "--summary",
                                                    d + "/last.trawl")[0],
       "the summary names a device that came at the end")
    check_made_up(d, c.records)


def check_made_up(d, records):
    """What exports of late.trawl have beside the records: descriptors of devices by snapshot."""
    run("trawl-export", "--to", "pcapng", d + "/late.trawl", "-w", d + "/late.pcapng")
    rows = [x.split("|") for x in tshark(
        d + "/late.pcapng", "-T", "fields", "-E", "separator=|", "-e", "frame.comment", "-e",
        "usb.idVendor", "-e", "usbhid.data.axis.x", "-e", "usbms.dCBWTag", "-e",
        "usb.bDescriptorType", "-E", "occurrence=a").splitlines()]
    made = [r for r in rows if "synthesised by trawl" in r[0]]
    same(10, len(made), "descriptors are made up as transfers, and marked")
    same(made, rows[:len(made)], "and come before everything else")
    same(["0x0627", "0x46f4"], sorted(r[1] for r in made if r[1]), "of both devices")
    same(len(records), len(rows) - len(made), "what was captured follows")
    ok(any(r[2] for r in rows),
       "Wireshark dissects HID", rows)
    ok(sum(bool(r[3]) for r in rows) == 10, "Wireshark dissects storage", rows)
    run("trawl-export", "--to", "pcap", d + "/late.trawl", "-w", d + "/late2.pcap")
    same(packets(d + "/late2.pcap"), packets(write(d + "/want.pcap", usbsynth.pcap(records))),
         "pcap has only what was captured")
    run("trawl-export", "--to", "pcapng", "--where", "dev == 7", d + "/late.trawl", "-w",
        d + "/seven.pcapng")
    same(12, len(tshark(d + "/seven.pcapng").splitlines()),
         "a filter does not apply to made-up descriptors")


def test_samples(d):
    """Captures of real kernels are decoded as tshark decodes them."""
    samples = sorted(glob.glob(SRC + "/samples/usb-*.trawl"))
    if not samples:
        return skip("real captures", "samples/ has no usb-*.trawl")
    for path in samples:
        name = os.path.basename(path)
        items = objects(path)
        run("trawl-export", "--to", "pcap", path, "-w", d + "/s.pcap")
        # Rounded: tshark's difference of two times in us has nine digits.
        want = [int(float(x) * 1e6 + 0.5) for x in tshark(
            d + "/s.pcap", "-Y", "usb.urb_type == 67 && usb.time", "-T", "fields", "-e",
            "usb.time").split()]
        got = [i["fields"].get("latency_ns", 0) // 1000 for i in items
               if i["fields"]["end"] == "done" and "submit_ns" in i["fields"]]
        ok(want == got and want, name + ": latencies are those of tshark", want, got)
        raw = [i["ts_ns"] for i in objects(path, "--raw")]
        same([i * 1000 for i in stamps(d + "/s.pcap")], raw,
             name + ": a time is the same in JSON as in the pcap file")
        fields = [(i["ts_ns"], i["fields"]) for i in items if "submit_ns" in i["fields"]]
        ok(fields and all(f["submit_ns"] + f.get("latency_ns", 0) == t for t, f in fields
                          if f["end"] not in ("unanswered", "pending")),
           name + ": submission and latency make the time of the transfer")
        ok(all(f["submit_ns"] <= t and f["submit_ns"] in raw for t, f in fields),
           name + ": a submission's time is that of its event")
        ok(not find(items, damage=[]) and not any("damage" in i["fields"] for i in items),
           name + ": no record is damaged")
        ok("\nUSB replayable: yes\n" in run("trawl-decode", "--summary", path)[0],
           name + ": the summary says that all data is there")
        text = run("trawl-export", "--to", "usbmon", path)[0]
        write(d + "/s.txt", text.encode())
        same(text, run("trawl-export", "--to", "usbmon", d + "/s.txt")[0],
             name + ": usbmon text there and back")
        same(text, run("trawl-export", "--to", "usbmon", d + "/s.pcap")[0],
             name + ": pcap there and back")
    keyboard = SRC + "/samples/usb-keyboard.trawl"
    if keyboard in samples:
        keys = [i["fields"]["decoded"]["report"]["keys"]
                for i in objects(keyboard, "--show-keys")
                if "keys" in i["fields"]["decoded"].get("report", {})]
        ok(any(len(k) > 0 for k in keys), "keys that were pressed", keys)
        ok(not any("keys" in i["fields"]["decoded"].get("report", {}) or "data" in i["fields"]
                   for i in objects(keyboard) if i["name"] == "usb:interrupt"),
           "are masked unless asked for")


def test_there_and_back(d):
    """An export that is imported again has the same records; a pcapng also has the same transfers,
    because it has the descriptors of devices that were connected before."""
    def transfers(path):
        items = objects(path)
        for i in items:
            i["fields"].pop("port", None)  # no packet has it
        return items
    back = d + "/back.trawl"
    for path in sorted(glob.glob(SRC + "/samples/usb-*.trawl")):
        name = os.path.basename(path)
        events, whole = run("trawl-export", "--to", "usbmon", path)[0], transfers(path)
        for kind in ("pcap", "pcapng"):
            out = d + "/there." + kind
            run("trawl-export", "--to", kind, "--source", "usb", path, "-w", out)
            run("trawl-edit", "import", out, "-w", back)
            same(events, run("trawl-export", "--to", "usbmon", back)[0],
                 "%s: %s and back: the same events, and no more" % (name, kind))
        same(whole, transfers(back), name + ": pcapng and back: the same transfers")
        same(whole, transfers(out), name + ": its pcapng is read directly")
        run("trawl-export", "--to", "pcapng", "--source", "usb", back, "-w", d + "/again.pcapng")
        rows = [tshark(f, "-T", "fields", "-e", "frame.comment", "-e", "frame.time_epoch", "-e",
                       "usb.capdata", "-e", "usb.bDescriptorType", "-e", "_ws.malformed", "-E",
                       "separator=|")
                for f in (out, d + "/again.pcapng")]
        same([], [r for r in rows[0].splitlines() if not r.endswith("|")],
             name + ": nothing is malformed")
        same(rows[0], rows[1], name + ": what was made up is made up again, at its time")


def stamps(path):
    """The times of a pcap file's packets in us, read without tshark."""
    with open(path, "rb") as f:
        data = f.read()
    at, times = 24, []
    while at < len(data):
        sec, us, length = struct.unpack_from("<III", data, at)
        times.append(sec * 1000000 + us)
        at += 16 + length
    return times


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def test_errors(d):
    def fails(name, status, pattern, *args):
        out, err, got = run(*args, status=None)
        ok(got == status and pattern in err and err.count("\n") == 1, name, got, err)
    with open(d + "/none", "wb") as f:
        f.write(b"this is no capture at all\n")
    with open(d + "/cut.pcapng", "wb") as f:
        f.write(open(d + "/all.pcapng", "rb").read()[:5000])
    with open(d + "/cut.pcap", "wb") as f:
        f.write(open(d + "/all.pcap", "rb").read()[:5000])
    with open(d + "/bad.txt", "w") as f:
        lines = open(d + "/all.txt").read().splitlines()
        lines[3] = lines[3].replace("C Ci", "C Qi")
        f.write("\n".join(lines) + "\n")
    out = d + "/x.trawl"
    fails("import: -w twice", 2, "-w: given twice", "trawl-edit", "import", "-w", out, "-w", out,
          d + "/all.txt")
    for args in (("-w", out, d + "/all.txt"), (d + "/all.txt", "-w", out)):
        same(0, run("trawl-edit", "import", *args)[2], "import: -w before or after the file")
    fails("import without -w", 2, "-w OUT is missing", "trawl-edit", "import", d + "/all.txt")
    fails("no command", 2, "no command", "trawl-edit")
    fails("an unknown command", 2, "no such command: fry", "trawl-edit", "fry")
    fails("an unknown option", 2, "no such option", "trawl-edit", "import", "-q", "x")
    fails("a file that is not there", 3, "cannot be opened", "trawl-edit", "import", "-w", out,
          d + "/not-there")
    fails("a file of another kind", 3, "give one, or a pcap, pcapng or usbmon text file", "trawl-edit",
          "import", "-w", out, d + "/none")
    fails("the output is the input", 2, "is the input too", "trawl-edit", "import", "-w",
          d + "/all.txt", d + "/all.txt")
    fails("an output that cannot be", 3, "cannot be made: No such file or directory", "trawl-edit",
          "import", "-w", d + "/no/such/folder", d + "/all.txt")
    for kind in ("pcapng", "pcap"):
        out, err, got = run("trawl-decode", d + "/cut." + kind, status=1)
        ok(len(out.splitlines()) > 5 and "is damaged after byte" in err,
           "a cut %s: what is there, and where it is cut" % kind, err, out)
    out, err, got = run("trawl-decode", d + "/bad.txt", status=1)
    ok("1 event left out; the first: line 4, column 30" in err, "bad usbmon text: the place", err)
    fails("link type", 2, "is not a link type of USB packets", "trawl-export", "--to", "pcap",
          "--linktype", "1", d + "/all.pcap")
    fails("verify: a file that is none", 3, "/none: is not a trawl file", "trawl-edit", "verify",
          d + "/none")
    run("trawl-edit", "import", "-w", d + "/whole.trawl", d + "/all.pcap")
    out, err, got = run("trawl-edit", "verify", d + "/whole.trawl")
    ok("events" in out and "complete" in out, "verify: a whole file", out)
    with open(d + "/cut.trawl", "wb") as f:
        f.write(open(d + "/whole.trawl", "rb").read()[:-300])
    fails("verify: a cut file", 1, "cut.trawl", "trawl-edit", "verify", d + "/cut.trawl")
    out, err, got = run("trawl-edit", "verify", d + "/cut.trawl", status=1)
    ok("cut at byte" in err and "cut at byte" not in out and " events" in out,
       "verify: what is wrong is said once", out, err)


def main():
    d = tempfile.mkdtemp(prefix="trawl-usb-")
    try:
        usbsynth.main(d)
        for test in (test_decode, test_odd, test_cut, test_ends, test_ahead, test_choice, test_keys,
                     test_where, test_words, test_parts, test_small, test_text_times,
                     test_raw, test_errors):
            test(d)
        for test in (test_forms, test_classes, test_late, test_samples, test_there_and_back,
                     test_tshark):
            if shutil.which("tshark"):
                test(d)
            else:
                skip(test.__name__, "tshark, the judge, is not installed")
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
