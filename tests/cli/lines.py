# SPDX-License-Identifier: MIT
"""Synthetic captures that no kernel produces (tests/decode/make-lines): losses as in trace-cmd,
metadata of unusual types, and probe arguments named like fields of trawl."""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests"]
sys.dont_write_bytecode = True
from tap import finish, ok, same, skip  # noqa: E402

FORMAT = ("name: count\\nID: 77\\nformat:\\n"
          "\\tfield:unsigned short common_type;\\toffset:0;\\tsize:2;\\tsigned:0;\\n"
          "\\tfield:unsigned char common_flags;\\toffset:2;\\tsize:1;\\tsigned:0;\\n"
          "\\tfield:unsigned char common_preempt_count;\\toffset:3;\\tsize:1;\\tsigned:0;\\n"
          "\\tfield:int common_pid;\\toffset:4;\\tsize:4;\\tsigned:1;\\n\\n"
          "\\tfield:unsigned long n;\\toffset:8;\\tsize:8;\\tsigned:0;\\n\\n"
          "print fmt: \"n=%lu\", REC->n\\n")
BEGIN = 1000000000


def make(path, lines):
    subprocess.run([BUILD + "/tests/decode/make-lines", path], input="\n".join(lines) + "\n",
                   text=True, check=True)


def run(*args):
    r = subprocess.run([BUILD + "/" + args[0], *args[1:]], capture_output=True, text=True)
    ok(r.returncode == 0, " ".join(args[:3]) + " ends with 0", r.returncode, r.stderr)
    return r.stdout


def capture(d, happened):
    """Makes a trace.dat and returns trace-cmd's report. happened: (cpu, ns, number of an event) or
    (cpu, from, to, lost events)."""
    lines = ["source event tracefs", "type 0 77 16 trawl_test:count " + FORMAT,
             "field n 0 0 8 8 1 unsigned long"]
    for h in happened:
        if len(h) == 3:
            lines.append("event 0 77 %u %u %s" % (
                h[0], h[1], struct.pack("<HBBIQ", 77, 0, 0, 0, h[2]).hex()))
        else:
            lines.append("loss 0 %u %u %u %s" % h)
    make(d + "/c.trawl", lines)
    subprocess.run([BUILD + "/trawl-export", "--to", "trace-dat", d + "/c.trawl", "-w",
                    d + "/trace.dat"], check=True)
    return subprocess.run(["trace-cmd", "report", "-N", "-t", d + "/trace.dat"],
                          capture_output=True, text=True, check=True).stdout


def read(report):
    """{CPU: [(ns, number of an event) or ("lost", number of lost events)]} of a report"""
    seen = {}
    for line in report.splitlines():
        if m := re.search(r"CPU:(\d+) \[(?:(\d+)|SUBBUFFER|)[^\]]*EVENTS? DROPPED\]", line):
            seen.setdefault(int(m[1]), []).append(("lost", int(m[2]) if m[2] else -1))
        elif m := re.search(r"\[(\d+)\] +(\d+)\.(\d{9}): count: +n=(\d+)", line):
            seen.setdefault(int(m[1]), []).append((int(m[2]) * 10**9 + int(m[3]), int(m[4])))
    return seen


def test_losses(d):
    happened, want = [], {0: [], 1: []}
    for i in range(9000):
        cpu, ns = i % 2, BEGIN + i * 1000
        if i in (1000, 1001, 6000):
            lost = {1000: 17, 1001: 3, 6000: "-"}[i]
            happened.append((cpu, ns - 1900, ns - 100, lost))
            want[cpu].append(("lost", -1 if lost == "-" else lost))
        happened.append((cpu, ns, i))
        want[cpu].append((ns, i))
    report = capture(d, happened)
    got = read(report)
    for cpu in want:
        same([e for e in want[cpu] if e[0] != "lost"], [e for e in got[cpu] if e[0] != "lost"],
             "all events of CPU %d are there, with their times" % cpu)
        same([(i, e) for i, e in enumerate(want[cpu]) if e[0] == "lost"],
             [(i, e) for i, e in enumerate(got[cpu]) if e[0] == "lost"],
             "each loss of CPU %d is before the event that came after it" % cpu)
    size = os.path.getsize(d + "/trace.dat")
    ok(size < 20 * 65536, "a loss begins one sub-buffer, not one for each event", size)


def test_command(d):
    """The words of the command in the metadata "capture"."""
    for argv, want in (('[null]', "?"), ('["trawl",null,5]', "trawl ? 5"),
                       ('["a b","caf\u00e9 \u65e5","it\'s"]', "'a b' 'caf\u00e9 \u65e5' 'it'\\''s'"),
                       ('["\\u001b[31m"]', "'\\x1b[31m'")):
        make(d + "/m.trawl", ["meta 1 capture application/json {\"argv\":%s}" % argv])
        out = run("trawl-decode", "--summary", d + "/m.trawl")
        same([want], [line.split(None, 1)[1] for line in out.splitlines()
                      if line.startswith("command")], "a command of " + argv)


def test_latency(d):
    """An argument of a probe named latency_ns is an argument, not the latency of a transfer."""
    make(d + "/p.trawl", [
        "source usdt tracefs", "type 0 5 16 app:done ", "field latency_ns 0 0 8 8 1 u64",
        "event 0 5 0 5000000000 " + struct.pack("<HBBIQ", 5, 0, 0, 77, 1000000000).hex()])
    run("trawl-export", "--to", "perfetto", d + "/p.trawl", "-w", d + "/p.perfetto")
    data = open(d + "/p.perfetto", "rb").read()
    ok(b"latency_ns" in data and b"USB 0.0" not in data, "it is on no track of an endpoint",
       data[-300:])


def pieces(path):
    """{name: content} of the pieces of a page's data"""
    return {m[1]: zlib.decompress(base64.b64decode(m[2])) for m in re.finditer(
        r'id="d-(\w+)">([^<]*)</script>', open(path).read())}


def test_page(d):
    """A page has the machine and command lines only with --with-machine. If there are more tasks
    than it has numbers for, the last number stands for all further ones."""
    lines = ["meta 1 machine application/json {\"kernel\":\"6.1\",\"hostname\":\"secrethost\","
             "\"boot_id\":\"c6afcd9c\",\"cpus\":2}",
             "meta 1 capture application/json {\"argv\":[\"trawl\",\"secretword\"]}",
             "source event tracefs", "type 0 5 8 a:b "]
    tids = list(range(1, 65601)) + [7, 65590]
    lines += ["event 0 5 0 %u %s" % (BEGIN + i, struct.pack("<HBBI", 5, 0, 0, tid).hex())
              for i, tid in enumerate(tids)]
    make(d + "/page.trawl", lines)
    for args, told in (([], False), (["--with-machine"], True)):
        run("trawl-export", "--to", "html", *args, d + "/page.trawl", "-w", d + "/page.html")
        p = pieces(d + "/page.html")
        about = json.loads(p["about"])
        same([told] * 3, [w in p["about"] for w in (b"secrethost", b"c6afcd9c", b"secretword")],
             "the machine and commands in a page: %s" % told)
        same("6.1", about["machine"]["kernel"], "the kernel is named in any case")
    numbers = struct.unpack("<%uH" % (len(p["tasks"]) // 2), p["tasks"])
    shown = [about["tasks"][n].split(" ", 2)[1:] for n in numbers]
    same(len(tids), len(shown), "each event has a task")
    ok(all(s[0] == str(tid) or s == ["-1", "further tasks"] for s, tid in zip(shown, tids)) and
       shown[65533][0] == "65534" and shown[65535][1] == shown[65601][1] == "further tasks" and
       shown[65600][0] == "7", "its own, or one of further tasks", shown[65530:65540])


def test_page_endpoints(d):
    """A page with more endpoints than numbers: 65,600 with a completion each, then two again."""
    places = [(1 + i // 1905, 1 + i // 15 % 127, 0x81 + i % 15) for i in range(65600)]
    places += [places[6], places[65590]]
    with open(d + "/many.pcap", "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 220))
        for i, (bus, dev, ep) in enumerate(places):
            f.write(struct.pack("<IIII", 1700000000, i, 64, 64) + struct.pack(
                "<QBBBBHBBqiiII", i + 1, ord("C"), 3, ep, dev, bus, ord("-"), ord(">"), 1700000000,
                i, 0, 0, 0) + bytes(24))
    run("trawl-export", "--to", "html", d + "/many.pcap", "-w", d + "/many.html")
    p = pieces(d + "/many.html")
    names = json.loads(p["about"])["endpoints"]
    shown = [names[n] for n in struct.unpack("<%uH" % (len(p["endpoints"]) // 2), p["endpoints"])]
    want = ["%u:%u %u in" % (bus, dev, ep & 15) for bus, dev, ep in places]
    same(want[:65534], shown[:65534], "endpoints that have a number")
    same((["further endpoints"] * 66, want[6], "further endpoints"),
         (shown[65534:65600], shown[65600], shown[65601]), "and all others")


def test_field_types(d):
    """The names block for the dissector says that computed texts of probe sites are texts."""
    make(d + "/site.trawl", [
        'meta 1 probe/app:done application/json {"kind":"uprobe","sites":[{"offset":1,"symbol":'
        '"main","exit":"return","args":[{"name":"n","state":"exact"}]}]}',
        "source uprobe tracefs", "type 0 5 24 app:done ", "field __probe_ip 3 0 8 8 1 unsigned long",
        "field n 0 0 16 8 1 u64",
        "event 0 5 0 5000 " + struct.pack("<HBBIQQ", 5, 0, 0, 77, 1, 7).hex()])
    run("trawl-export", "--to", "pcapng", d + "/site.trawl", "-w", d + "/site.pcapng")
    text = open(d + "/site.pcapng", "rb").read()
    names = dict(w.split("=") for w in re.search(rb"trawl-fields: ([^\n]*)", text)[1].decode().split())
    same({"symbol": "s", "file": "s", "exit": "s", "line": "i", "n": "u"},
         {k: names.get(k) for k in ("symbol", "file", "exit", "line", "n")}, "types of fields")
    same(1, len(run("trawl-decode", "--where", "exit == 'return'", d + "/site.trawl").splitlines()),
         "exit is a field of --where")


PROBE = FORMAT.split("\\tfield:unsigned long n")[0].replace("count", "np_f") + "".join(
    "\\tfield:%s;\\toffset:%u;\\tsize:%u;\\tsigned:%u;\\n" % f for f in (
        ("unsigned long __probe_ip", 8, 8, 0), ("u8 v", 16, 1, 0), ("s32 v_one", 17, 4, 1),
        ("u8 f_na", 21, 1, 0), ("__data_loc char[] s", 22, 4, 1))) + (
    '\\nprint fmt: "(%lx) v=%u v_one=%d f_na=%u s=\\"%s\\"", REC->__probe_ip, REC->v, '
    'REC->v_one, REC->f_na, __get_str(s)\\n')


def reason_once(path):
    """Why a site has no value: in its first line, in -D, and in JSON wherever it is missing."""
    why = "in a register of floating point"
    shown = lambda *more: [line.split(" f=")[1].split(" s=")[0] for line in
                           run("trawl-decode", *more, path).splitlines()]
    same([f"<unavailable: {why}>", "<unavailable>"], shown(), "the reason is printed once")
    same([f"<unavailable: {why}>"], shown("--where", 'v == "two"'), "in the first line shown")
    same([why] * 2, [json.loads(line)["unavailable"]["f"] for line in
                            run("trawl-decode", "--json", path).splitlines()], "JSON: in each")
    listed, = json.loads(run("trawl-decode", "--json", "-D", path))
    same([None, None, why, None], [f.get("unavailable") for f in listed["fields"] if f["name"] in
                                   ("v", "v.one", "f", "s")], "-D has it")
    same(True, f"f (unavailable: {why})" in run("trawl-decode", "-D", path), "-D as text, too")


def test_probe_words(d):
    """trace-cmd shows a probe as trawl-decode does: no number where there is no value."""
    args = [{"name": "v", "type": "u8", "show": "variant", "values": {"one": 1, "two": 2}},
            {"name": "v.one", "type": "s32", "show": "int", "when": {"arg": "v", "is": "one"}},
            {"name": "f_na", "type": "u8", "show": "int"}, {"name": "s", "type": "string",
                                                           "show": "text"}]
    states = [{"name": a["name"], "state": "exact", "type": a["type"]} for a in args]
    states[2].update(state="unavailable", why="in a register of floating point")
    record = lambda v, one, text: (struct.pack(
        "<HBBIQBiBI", 77, 0, 0, 7, 16, v, one, 0, len(text) << 16 | 26) + text).hex()
    make(d + "/p.trawl", [
        "meta 1 probe/uprobe/np:f application/json " + json.dumps(
            {"kind": "uprobe", "args": args, "sites": [{"offset": 16, "symbol": "f",
                                                        "args": states}]}),
        "source uprobe tracefs", "type 0 77 26 np:f " + PROBE,
        "field __probe_ip 3 0 8 8 1 unsigned long", "field v 0 0 16 1 1 u8",
        "field v.one 1 0 17 4 1 s32", "field f_na 0 0 21 1 1 u8", "field s 11 1 22 1 1 char[]",
        "event 0 77 0 5000 " + record(1, -5, b"a\n\0"),
        "event 0 77 0 6000 " + record(2, 9, b"b\0")])
    reason_once(d + "/p.trawl")
    run("trawl-export", "--to", "trace-dat", d + "/p.trawl", "-w", d + "/p.dat")
    report = lambda *more: subprocess.run(["trace-cmd", "report", "-N", "-t", *more, d + "/p.dat"],
                                          capture_output=True, text=True, check=True).stdout
    words = lambda text: [line.split("np_f:")[1].strip() for line in text.splitlines()
                          if "np_f:" in line]
    same(["v=%s s=%s (f)" % (v, s) for v, s in (
        ('one v.one=-5 f=<unavailable: in a register of floating point>', '"a\\n"'),
        ('two f=<unavailable: in a register of floating point>', '"b"'))], words(report()),
         "trace-cmd report has the words of trawl-decode")
    same(words(report())[1:], words(report("-F", "np_f:v_one==9")), "and filters by the fields")
    same(words(report())[1:], words(report("-F", 'np_f:s=="b"')), "texts too")


def test_cpus(d):
    """Processors have three digits in text, more if they need more."""
    cpus = 0, 7, 42, 999, 1000, 1001, 4097
    make(d + "/cpus.trawl", [
        "source event tracefs", "type 0 77 16 trawl_test:count " + FORMAT,
        "field n 0 0 8 8 1 unsigned long", *(
            f"event 0 77 {cpu} {BEGIN + cpu} {struct.pack('<HBBIQ', 77, 0, 0, 0, 1).hex()}"
            for cpu in cpus)])
    same([f"[{cpu:03}]" for cpu in cpus],
         re.findall(r"\[\d+\]", run("trawl-decode", d + "/cpus.trawl")), "processors in text")


def test_columns(d):
    """The longest name of the file decides where the fields begin, in lines before it, too."""
    make(d + "/names.trawl", [
        "source event tracefs", *(
            line for i, name in ((77, "count"), (78, "longer_than_the_column"))
            for line in (f"type 0 {i} 16 trawl_test:{name} " + FORMAT,
                         "field n 0 0 8 8 1 unsigned long")),
        *(f"event 0 {i} 0 {BEGIN + i} {struct.pack('<HBBIQ', i, 0, 0, 0, 1).hex()}"
          for i in (77, 78))])
    lines = run("trawl-decode", d + "/names.trawl").splitlines()
    places = [line.index(" n=1") for line in lines]
    ok(len(places) == 2 and places[0] == places[1], "fields begin in one column", lines)


def test_merged_metas(d):
    """Metadata of one timeline is in the order of its times, in libtrawl and in the other
    reader."""
    for name, first in ("a", 1000), ("b", 1500):
        make(d + "/%s.trawl" % name, [
            "source event tracefs", "type 0 5 8 a:b ",
            'meta 1 machine application/json {"boot_id":"1","hostname":"h"}',
            *('meta %u task/%u application/json {"tid":%u,"pid":1,"comm":"%s"}' % (
                first + 1000 * i, i + 1, i + 1, name) for i in range(4)),
            "event 0 5 0 %u " % (first + 9000) + struct.pack("<HBBI", 5, 0, 0, 1).hex()])
    run("trawl-edit", "merge", d + "/a.trawl", d + "/b.trawl", "-w", d + "/ab.trawl")
    other = subprocess.run([sys.executable, "-B", SRC + "/tests/reader.py", d + "/ab.trawl"],
                           capture_output=True, text=True).stdout.splitlines()
    own = subprocess.run([BUILD + "/tests/format/dump", d + "/ab.trawl"], capture_output=True,
                         text=True).stdout.splitlines()
    metas = [line for line in own if line.startswith('{"meta"')]
    same(metas, [line for line in other if line.startswith('{"meta"')], "both readers' metadata")
    times = [json.loads(line)["meta"]["time"] for line in metas if "task/" in line]
    ok(len(times) == 8 and times == sorted(times), "in the order of time", metas)


def test_row(d):
    """Captures one after the other, with the same times: each has its own losses."""
    for name, lost in ("a", (3, 4)), ("b", (5, 6)):
        make(f"{d}/{name}.trawl", [
            "source event tracefs", "type 0 77 16 trawl_test:count " + FORMAT,
            "field n 0 0 8 8 1 unsigned long",
            *(f"event 0 77 0 {BEGIN + t} {struct.pack('<HBBIQ', 77, 0, 0, 0, t).hex()}"
              for t in (100, 200)),
            *(f"loss 0 0 {BEGIN + t} {BEGIN + t} {n}" for t, n in zip((150, 300), lost))])
    files = {}
    for name in "a", "b":
        with open(f"{d}/{name}.trawl", "rb") as f:
            files[name] = f.read()
    shown = lambda: [int(n) for n in re.findall(
        r"(?:n=|\*\*\* )(\d+)", run("trawl-decode", d + "/row.trawl"))]
    for order in "ab", "ba":
        with open(d + "/row.trawl", "wb") as f:
            f.write(b"".join(files[name] for name in order))
        want = {"a": [100, 3, 200, 4], "b": [100, 5, 200, 6]}
        same([n for name in order for n in want[name]], shown(), "losses of captures in a row")


def test_open_transfer(d):
    """A transfer that is open at the end comes after the later events of another source."""
    submit = struct.pack("<QBBBBHbbqiiII8siiII", 7, ord("S"), 3, 0x81, 2, 1, 1, ord("<"), 0, 0, -115,
                         512, 0, bytes(8), 0, 0, 0, 0)
    make(d + "/open.trawl", [
        "source usb usbmon", "source event tracefs", "type 0 1 64 usb:submit ",
        *(f"field w{i} 0 0 {i} 8 1 long" for i in range(0, 64, 8)),
        "type 1 77 16 trawl_test:count " + FORMAT, "field n 0 0 8 8 1 unsigned long",
        f"event 0 1 0 {BEGIN} {submit.hex()}",
        f"event 1 77 0 {BEGIN + 5} {struct.pack('<HBBIQ', 77, 0, 0, 0, 1).hex()}"])
    items = [json.loads(line) for line in
             run("trawl-decode", "--json", d + "/open.trawl").splitlines()]
    same([("trawl_test:count", None, 5), ("usb:bulk", "pending", 5)],
         [(e["name"], e["fields"].get("end"), e["ts_ns"] % 1000) for e in items],
         "an open transfer, at the end of what was recorded")


def test_killed(d):
    """The summary names a task that crashed, unless it has a handler for the signal."""
    make(d + "/killed.trawl", [
        "source event tracefs",
        "type 0 78 24 signal:signal_deliver name: signal_deliver\\nID: 78\\nformat:\\n"
        "\\tfield:int common_pid;\\toffset:4;\\tsize:4;\\tsigned:1;\\n\\n"
        "\\tfield:int sig;\\toffset:8;\\tsize:4;\\tsigned:1;\\n"
        "\\tfield:unsigned long sa_handler;\\toffset:16;\\tsize:8;\\tsigned:0;\\n\\n"
        "print fmt: \"sig=%d\", REC->sig", "field sig 0 0 8 4 1 int",
        "field sa_handler 0 0 16 8 1 unsigned long",
        *(f"event 0 78 0 {BEGIN + i} {struct.pack('<HBBIiIQ', 78, 0, 0, i, sig, 0, handler).hex()}"
          for i, sig, handler in ((101, 11, 0x4000), (102, 11, 0), (103, 17, 0)))])
    text = run("trawl-decode", "--summary", d + "/killed.trawl")
    same(["102"], re.findall(r"^  signal 11 \?-(\d+) 2026", text, re.M), "a crash")
    same(1, text.count("  signal "), "neither a handled signal nor that of a child's end")


def switches(file, chain, *lines):
    """A capture of sched_switch; chain: of processor 0, (time, from, state, to)."""
    fields = ("prev_pid", 4, "int"), ("next_pid", 4, "int"), ("prev_state", 8, "long")
    text, columns, at = "", [], 8
    for name, size, kind in fields:
        text += f"\\tfield:{kind} {name};\\toffset:{at};\\tsize:{size};\\tsigned:1;\\n"
        columns.append(f"field {name} 0 0 {at} {size} 1 {kind}")
        at += size
    make(file, [
        "source event tracefs",
        "type 0 79 24 sched:sched_switch name: sched_switch\\nID: 79\\nformat:\\n"
        "\\tfield:int common_pid;\\toffset:4;\\tsize:4;\\tsigned:1;\\n\\n" + text +
        "\\nprint fmt: \"%d\", REC->prev_pid", *columns, *lines,
        *(f"event 0 79 0 {BEGIN + t} "
          f"{struct.pack('<HBBiiiq', 79, 0, 0, old, old, new, state).hex()}"
          for t, old, state, new in chain)])
    shown = run("trawl-decode", "--summary", file)
    return [re.findall(rf"^  (\S+ \S+) \?-(\d+) from", part[1], re.M) if part else []
            for part in (re.search(rf"^{title}.*\n((?:  .*\n)*)", shown, re.M)
                         for title in ("the longest uninterruptible sleeps",
                                       "in uninterruptible sleep .D. until the end"))]


def test_sleeps(d):
    """The summary has the uninterruptible sleeps, but none that may have ended unseen."""
    chain = [(1000, 5, 2, 0), (4000, 0, 0, 6), (5000, 6, 1, 5), (6000, 5, 0x80, 7), (9000, 7, 2, 5)]
    same([[("4 us", "5")], [("0 ns", "7")]], switches(d + "/whole.trawl", chain), "sleeps")
    missing = [*chain[:3], (7000, 8, 2, 5), (8000, 5, 1, 8)]
    same([[], []], switches(d + "/part.trawl", missing),
         "5 may have run before, where switches are missing")
    task = 'meta 1 task/5 application/json {"tid":5,"pid":5,"comm":"a","cmdline":["a"]}'
    same([[("4 us", "5")], []], switches(d + "/scope.trawl", missing, task),
         "a task of the recorded command, of which no switch is missing")
    same([[], []], switches(d + "/ran.trawl", [(1000, 5, 2, 0), (2000, 5, 0, 0), (5000, 0, 0, 5)]),
         "a task that ran has not slept until later")


def main():
    d = tempfile.mkdtemp(prefix="trawl-lines-")
    try:
        if shutil.which("trace-cmd"):
            test_losses(d)
            test_probe_words(d)
        else:
            skip("losses and probes in a trace.dat", "trace-cmd is not installed")
        test_command(d)
        test_latency(d)
        test_page(d)
        test_page_endpoints(d)
        test_field_types(d)
        test_cpus(d)
        test_columns(d)
        test_merged_metas(d)
        test_row(d)
        test_open_transfer(d)
        test_killed(d)
        test_sleeps(d)
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
