#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""trawl-report: the zip of a capture with planted secrets has none of them in any of its files,
other programs can read it, and no other files are written or left behind."""
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

src, build = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [f"{src}/tests", f"{src}/tests/cli"]
import planted
import tap

tmp = tempfile.TemporaryDirectory()
scratch = f"{tmp.name}/scratch"
os.mkdir(scratch)


def run(*argv, **more):
    p = subprocess.run(argv, capture_output=True, cwd=tmp.name, stdin=subprocess.DEVNULL,
                       env={**os.environ, "TMPDIR": scratch, **more})
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


made, out = f"{tmp.name}/made.trawl", f"{tmp.name}/out.zip"
subprocess.run([f"{build}/tests/edit/make-secrets", made], check=True)
status, text, said = run("trawl-report", made, "-o", out, "--yes", "--title", "It fails",
                         "--message", "Nothing <b>is</b> printed")
text = text.decode()
tap.same(0, status, f"packs: {said[-300:]}")
tap.ok("9003" in text and "smZq" not in text and "removed" in text and
       "Nothing is sent anywhere" in text, "shows what will be in it", text)
with zipfile.ZipFile(out) as z:
    blobs = {n: z.read(n) for n in z.namelist()}
tap.same({"HOW-TO-READ.txt", "report.txt", "index.html", "summary.txt", "manifest.txt",
          "usb.pcapng", "capture.trawl"}, set(blobs), "what is in it")
tap.ok(blobs["report.txt"].startswith(b"It fails\n\nNothing <b>is</b> printed"),
       "the report's text")
tap.ok(
    b"<summary>It fails</summary><p>Nothing &lt;b&gt;is&lt;/b&gt; printed</p>" in blobs[
        "index.html"] and
       blobs["summary.txt"].startswith(b"It fails\n\nNothing <b>is</b> printed\n\nfile "),
    "is in the page and the summary, as text")
import base64
import zlib
for m in re.finditer(rb'octet-stream" id="d-(\w+)">([^<]*)</script>', blobs["index.html"]):
    blobs["index.html " + m[1].decode()] = zlib.decompress(base64.b64decode(m[2]))
# Any four letters occur by chance in a megabyte of base64, so only the decoded data is searched.
blobs["index.html"] = re.sub(rb'(octet-stream" id="d-\w+">)[^<]*', rb"\1", blobs["index.html"])
with open(f"{tmp.name}/capture.trawl", "wb") as f:
    f.write(blobs["capture.trawl"])
import reader
r = reader.Reader(blobs["capture.trawl"])
records = [e.record(s) for x in r.sections for _, _, _, _, _, e, s in r.events(x)]
blobs["records"] = b"\n".join(records + [bytes(m[4]) for m in r.metas])
left = planted.find(blobs)
tap.ok(not left, "no secret is in it, in any encoding", left[:10])
tap.ok(
    not any(w in b for b in blobs.values()
            for w in (b"hoZq", b"usZq", b"avZq", b"password", scratch.encode())),
    "nor names, command lines, folders")
direct = run("trawl-decode", "--json", out)[1]
tap.ok(direct.count(b"\n") == 9003 and
       direct == run("trawl-decode", "--json", f"{tmp.name}/capture.trawl")[1],
       "trawl-decode reads the zip as the capture in it")
tap.ok(run("trawl-export", "--to", "json", out)[1] == direct, "and so does trawl-export")
tap.ok(run("trawl-edit", "verify", out)[0] == 0 and
       b": complete" in run("trawl-edit", "verify", out)[1], "trawl-edit verify, too",
       run("trawl-edit", "verify", out))
# The first edit is in the capture itself: make-secrets wrote it.
edits = [json.loads(bytes(m[4])) for m in sorted(r.metas) if m[0].startswith("edit/")]
tap.ok([e["operation"] for e in edits] == ["cut", "cut", "redact"] and
       re.fullmatch("[0-9a-f]{64}", edits[2]["original_sha256"]), "the manifest", edits)
with open(made, "rb") as f:
    tap.ok(hashlib.sha256(f.read()).hexdigest() in blobs["manifest.txt"].decode(),
           "with the hash of what was given, not of its part", blobs["manifest.txt"])
run("trawl-edit", "redact", made, "-w", f"{tmp.name}/r.trawl")
r = reader.Reader(open(f"{tmp.name}/r.trawl", "rb").read())
with open(made, "rb") as f:
    tap.same(hashlib.sha256(f.read()).hexdigest(),
             [json.loads(bytes(m[4])) for m in sorted(r.metas)
              if m[0].startswith("edit/")][1]["original_sha256"],
             "redact tells the hash of the original")
tap.ok(not os.listdir(scratch), "no temporary file is left", os.listdir(scratch))

# ---- sizes
small = f"{tmp.name}/small.zip"
status, text, said = run("trawl-report", made, "-o", small, "--yes", "--max-size", "200K")
tap.ok(status == 0 and os.path.getsize(small) <= 200 << 10, "--max-size", status, said,
       os.path.exists(small) and os.path.getsize(small))

usb = f"{src}/samples/usb-serial.trawl"
os.remove(small)
status, text, said = run("trawl-report", usb, "-o", small, "--yes", "--max-size", "1K")
need = re.search(r"the smallest report needs --max-size (\d+)$", said.strip())
tap.ok(status == 2 and need and not os.path.exists(small), "too small: what it needs", status, said)
status, text, said = run("trawl-report", usb, "-o", small, "--yes", "--max-size",
                         need[1] if need else "1K")
tap.ok(status == 0 and need and os.path.getsize(small) <= int(need[1]), "and that it fits", said)

# To fit the size, several parts are tried.
loop = "i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i + 1)); done"
status, text, said = run("trawl", "-q", "-w", f"{tmp.name}/loop.trawl", "-i", "event:sched:*",
                         "--", "sh", "-c", loop)
if status == 3:
    tap.skip("--max-size of a command's capture", said)
else:
    recorded = os.path.getsize(f"{tmp.name}/loop.trawl")
    os.remove(small)
    status, text, said = run("trawl-report", "-o", small, "--yes", "--max-size", "34K", "-i",
                             "event:sched:*", "--", "sh", "-c", loop)
    tap.ok(recorded > 34 << 10 and status in (0, 1) and os.path.getsize(small) <= 34 << 10,
           "--max-size of a command's capture", recorded, status, said)

    # A command keeps all its arguments.
    words = [str(i) for i in range(1000)]
    status, text, said = run("trawl-report", "-o", f"{tmp.name}/words.zip", "--yes", "--", "sh",
                             "-c", "echo $# words", *words)
    tap.ok(b"999 words" in text, "a command of a thousand arguments", status, said)

# A dropped date is in no name and no time of the zip either.
status, _, said = run("trawl-report", f"{src}/samples/tick.trawl", "--yes", "--drop", "date")
names = [n for n in os.listdir(tmp.name) if n.startswith("report-")]
with zipfile.ZipFile(f"{tmp.name}/{names[0]}") as z:
    tap.ok(status == 0 and re.fullmatch(r"report-[0-9a-f]{8}\.zip", names[0]) and
           {(i.date_time[0], i.extra[:5]) for i in z.infolist()} == {(1980, b"UT\x01\0\0")} and
           b"2026" not in z.read("summary.txt"),
           "--drop date: neither the zip's name nor its entries have one", status, said, names,
           [(i.date_time, i.extra) for i in z.infolist()], z.read("summary.txt"))

odd = f"{tmp.name}/odd\x1b[2J\x07.zip"
status, text, said = run("trawl-report", f"{src}/samples/tick.trawl", "--yes", "-o", odd)
tap.ok(status == 0 and os.path.exists(odd) and b"\x1b" not in text and b"\x07" not in text and
       b"odd?[2J?.zip is written" in text, "a name with control characters is shown without them",
       status, text[-200:], said)

# ---- on a terminal: the editor, and the question
import pty
import select


def ask(answer, *argv, **more):
    """Runs the program on a terminal of its own: (its output, its status)."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(TMPDIR=scratch, **more)
        os.chdir(tmp.name)
        os.execvp(argv[0], argv)
    said, answered = b"", False
    while True:
        if not select.select([fd], [], [], 100)[0]:
            break
        try:
            piece = os.read(fd, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if not answered and b"[y/N]" in said:
            os.write(fd, answer)
            answered = True
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode("utf-8", "replace")


editor = f"{tmp.name}/edit or"
with open(editor, "w") as f:
    f.write(
        "#!/bin/sh\ngrep -q '^Expected:' \"$1\" && { echo 'Lights <flicker>'; cat \"$1\"; echo at "
        "night; } >\"$1.x\" && mv \"$1.x\" \"$1\"\n")
os.chmod(editor, 0o755)
asked = f"{tmp.name}/asked.zip"
tick = f"{src}/samples/tick.trawl"
status, said = ask(b"n\n", "trawl-report", tick, "-o", asked, VISUAL="", EDITOR=f"'{editor}'")
tap.ok(status == 0 and "Write it? [y/N]" in said and "nothing was written" in said and
       not os.path.exists(asked), "no means no", status, said[-300:])
status, said = ask(b"y\n", "trawl-report", tick, "-o", asked, VISUAL="", EDITOR=f"'{editor}'")
text = page = ""
if os.path.exists(asked):
    with zipfile.ZipFile(asked) as z:
        text, page = z.read("report.txt").decode(), z.read("index.html").decode()
tap.ok(status == 0 and text.startswith("Lights <flicker>\n\nExpected:") and "at night" in text and
       "# The first" not in text and
       "<summary>Lights &lt;flicker&gt;</summary>" in page,
       "what was written in $EDITOR is the report's text", status, said[-300:], text)
status, said = ask(b"y\n", "trawl-report", tick, "-o", f"{tmp.name}/no.zip", VISUAL="", EDITOR="")
tap.ok(status == 2 and "$EDITOR: is not set; say" in said and not os.path.exists(f"{tmp.name}/no.zip"),
       "no $EDITOR", status, said[-300:])
status, said = ask(b"y\n", "trawl-report", tick, "-o", f"{tmp.name}/no.zip", VISUAL="false")
tap.ok(status != 0 and "nothing was written" in said and not os.path.exists(f"{tmp.name}/no.zip"),
       "an editor that fails", status, said[-300:])
status, said = ask(b"", "trawl-edit", "compact", made, "-w", f"{tmp.name}/c.trawl")
tap.ok(status == 0 and "%" in said and "[####################]" not in said.splitlines()[-1],
       "compact shows how far it is", said[-300:])

# ---- progress is shown; a signal leaves no file; an editor's interrupts do not end the program
import signal


def stop(number, *argv):
    """Ends the program on a terminal when it begins to redact: (its status, its output)."""
    pid, fd = pty.fork()
    if not pid:
        os.environ["TMPDIR"] = scratch
        os.execvp(argv[0], argv)
    said, stopped = b"", False
    while select.select([fd], [], [], 100)[0]:
        try:
            piece = os.read(fd, 4096)
        except OSError:
            break
        said += piece
        if not stopped and b"removing what is private" in said:
            for name in filter(str.isdigit, os.listdir("/proc")):
                try:
                    stat = open(f"/proc/{name}/stat", encoding="utf-8").read()
                except OSError:
                    continue
                if int(stat.rsplit(")", 1)[1].split()[3]) == pid:  # all of its session
                    os.kill(int(name), number)
            stopped = True
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode("utf-8", "replace")


read_end, write_end = os.pipe()
os.close(read_end)
for target, where in ((write_end, "a pipe whose reader has ended"),
                      (os.open("/dev/full", os.O_WRONLY), "a full disk")):
    p = subprocess.run(["trawl-report", made, "-o", f"{tmp.name}/unseen.zip", "--yes"],
                       stdout=target, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                       env={**os.environ, "TMPDIR": scratch})
    os.close(target)
    tap.ok(p.returncode == 3 and b"trawl-report: standard output: cannot be written" in p.stderr and
           not os.listdir(scratch), f"the list goes to {where}: said, and nothing private is left",
           p.returncode, p.stderr, os.listdir(scratch))

for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
    status, said = stop(number, "trawl-report", made, "-o", f"{tmp.name}/no.zip", "--yes")
    tap.ok(status == 3 and "interrupted: nothing was written" in said and
           not os.path.exists(f"{tmp.name}/no.zip") and not os.listdir(scratch),
           f"{signal.Signals(number).name}: nothing is left", status, said[-300:],
           os.listdir(scratch))
    tap.ok(re.search(r"\[#+\.+\] +\d+ %  removing", said), "a bar shows how far it was", said[-200:])
with open(editor, "w") as f:
    f.write("#!/bin/sh\nkill -INT \"$(cut -d' ' -f6 /proc/$$/stat)\"\nsed -i '1s/.*/Interrupted once/' \"$1\"\n")
status, said = ask(b"y\n", "trawl-report", tick, "-o", asked, VISUAL="", EDITOR=f"'{editor}'")
with zipfile.ZipFile(asked) as z:
    tap.ok(status == 0 and z.read("report.txt").startswith(b"Interrupted once"),
           "an interrupt while the editor runs is the editor's", status, said[-300:])

# ---- more events than a page has room for: the page has the last ones
many = f"{tmp.name}/many.trawl"
subprocess.run([f"{build}/tests/decode/make-sample", many, "1010000"], check=True)
status, _, said = run("trawl-report", many, "-o", small, "--yes")
with zipfile.ZipFile(small) as z:
    page = z.read("index.html").decode()
last = json.loads(run("trawl-decode", "--json", "--raw", many)[1].splitlines()[-1])["ts_ns"]
about, times = (zlib.decompress(base64.b64decode(re.search(rf'id="d-{n}">([^<]*)</script>', page)[1]))
                for n in ("about", "times"))
about = json.loads(about)
total = shift = value = 0
for byte in times:
    value |= (byte & 127) << shift
    shift += 7
    if byte < 128:
        total += -(value + 1) // 2 if value & 1 else value // 2
        shift = value = 0
tap.ok(status == 0 and about["events"] <= 1000000 and about["more"] == 0 and
       int(about["first"]) + total == last, "the page has the end of the capture", status, said,
       about["events"], int(about["first"]) + total, last)

# ---- bad input
for argv, want, words in (([made, "-o", f"{tmp.name}/no.zip"], 2, "give --yes"),
                          (["-o", f"{tmp.name}/no.zip", "--yes"], 2, "is missing"),
                          (["/nonexistent", "-o", f"{tmp.name}/no.zip", "--yes"], 3,
                           "cannot be opened"),
                          ([f"{src}/README.md", "-o", f"{tmp.name}/no.zip", "--yes"], 3,
                           "README.md"),
                          ([made, "-o", f"{tmp.name}/no.zip", "--yes", "--keep", "nil"], 2,
                           "not a class")):
    # Without a file it takes a running recorder; in its own pid namespace it finds no other test's.
    alone = ["unshare", "-pf", "--mount-proc"] if words == "is missing" and not os.geteuid() else []
    status, _, said = run(*alone, "trawl-report", *argv)
    tap.ok(status == want and words in said and not os.path.exists(f"{tmp.name}/no.zip"),
           f"{' '.join(argv[-2:])}: {words}", status, said)
    tap.ok(not re.search("trawl-(edit|decode|export):", said),
           "the error names no program that the user did not call", said)
if not os.geteuid():
    os.mkdir(f"{tmp.name}/small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", f"{tmp.name}/small"],
                   check=True, timeout=120)
    os.environ["LSAN_OPTIONS"] = f"suppressions={src}/tests/lsan.supp:print_suppressions=0"
    status, _, said = run("trawl-report", made, "-o", f"{tmp.name}/small/o.zip", "--yes")
    left = os.listdir(f"{tmp.name}/small")
    _, _, temporary = run("trawl-report", made, "-o", f"{tmp.name}/no.zip", "--yes",
                          TMPDIR=f"{tmp.name}/small")
    subprocess.run(["umount", f"{tmp.name}/small"], check=True, timeout=120)
    tap.ok(status == 3 and not left and "disk is full; make room, or choose another place" in said,
           "a disk that fills up: why, what to do, and nothing is left", status, said, left)
    tap.same(f"trawl-report: {tmp.name}/small: the disk is full; make room, or set TMPDIR to "
             "another place\n", temporary, "the same of the folder for temporary files")
with zipfile.ZipFile(f"{tmp.name}/other.zip", "w") as z:
    z.writestr("a.txt", "x")
status, _, said = run("trawl-decode", f"{tmp.name}/other.zip")
tap.ok(status == 3 and "the zip file has no capture" in said, "a zip with other things in it", said)
with zipfile.ZipFile(f"{tmp.name}/bomb.zip", "w", zipfile.ZIP_DEFLATED) as z:
    with z.open("x.trawl", "w") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 220))  # a pcap file's
        for _ in range(1100):
            f.write(b"\0" * (1 << 20))
status, _, said = run("trawl-decode", f"{tmp.name}/bomb.zip")
tap.ok(status == 3 and "1000 times its size" in said, "a zip bomb", said)
tap.ok(not os.listdir(scratch), "no temporary file is left", os.listdir(scratch))
sys.exit(tap.finish())
