# SPDX-License-Identifier: MIT
"""trawl-replay stream: other programs read all events, none before its time."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests"]
sys.dont_write_bytecode = True
from tap import finish, ok, same, skip  # noqa: E402

SERIAL = SRC + "/samples/usb-serial.trawl"  # 83 ms
TICK = SRC + "/samples/tick.trawl"


def run(program, *args, stdin=None, status=0):
    r = subprocess.run([f"{BUILD}/{program}", *args], input=stdin, stdin=None if stdin is not None
                       else subprocess.DEVNULL,
                       capture_output=True)
    if r.returncode != status:
        ok(False, f"{program} {args} ends with {status}", r.returncode, r.stderr.decode())
    return r.stdout


def stream(*args, **kw):
    return run("trawl-replay", "stream", *args, **kw)


def test_forms():
    for path in (SERIAL, TICK):
        for form, same_as in ((["--to", "json"], ["trawl-decode", "--json"]),
                              ([], ["trawl-decode"]),
                              (["--to", "pcapng"], ["trawl-export", "--to", "pcapng"])):
            ok(stream("--speed", "0", *form, path) == run(*same_as, path),
               f"{os.path.basename(path)} {' '.join(form)}: as {' '.join(same_as)}")
    ok(stream("--speed", "0", "--to", "usbmon", SERIAL) ==
       run("trawl-export", "--to", "usbmon", SERIAL), "usbmon text")
    whole = stream("--speed", "0", "--to", "json", "--where", "xfer == \"bulk\"", SERIAL)
    same(10, len(whole.splitlines()), "events are chosen as by trawl-decode")
    same(whole * 3, stream("--speed", "0", "--loop=3", "--to", "json", "--where",
                           "xfer == \"bulk\"", SERIAL), "--loop")


def test_lateness():
    """The 99th percentile of the lateness of fewer than 100 events is that of the latest one, even
    beyond the range in which lateness is counted; here because the replay is stopped."""
    p = subprocess.Popen([BUILD + "/trawl-replay", "stream", "-v", "--speed", "0.2", SERIAL],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    first = p.stdout.readline()
    p.send_signal(signal.SIGSTOP)
    time.sleep(0.3)
    p.send_signal(signal.SIGCONT)
    told = p.communicate()[1]
    late = re.search(r"late by (\d+) us at most, 99 % by (\d+) us", told)
    ok(first and late and late[1] == late[2], "the 99th percentile of a few is the latest", told)


def test_times():
    events = [json.loads(x) for x in run("trawl-decode", "--json", SERIAL).splitlines()]
    span = (events[-1]["ts_ns"] - events[0]["ts_ns"]) / 1e9
    for speed in (1, 0.5):
        p = subprocess.Popen([BUILD + "/trawl-replay", "stream", "--to", "json", "--speed",
                              str(speed), SERIAL],
                             stdout=subprocess.PIPE)
        came = []
        for line in p.stdout:
            came.append((time.monotonic(), json.loads(line)["ts_ns"]))
        p.wait()
        # Times count from the first event, which may have come late itself: half is allowed for.
        ok(came[-1][0] - came[0][0] >= 0.5 * span / speed and len(came) == len(events),
           f"at --speed {speed}, events come one by one, not before their time",
           came[-1][0] - came[0][0], span)


def test_step():
    p = subprocess.Popen([BUILD + "/trawl-replay", "stream", "--step", SERIAL],
                         stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, bufsize=0)
    whole = run("trawl-decode", SERIAL).splitlines()
    p.stdin.write(b"\n\n\n")
    two = [p.stdout.readline().rstrip(b"\n") for _ in range(2)]
    same(whole[:2], two, "--step: each line of input is an event")
    p.stdin.close()
    rest = p.stdout.read().splitlines()
    same((whole[2:3], 0), (rest, p.wait()), "and its end is the end")


def test_wireshark(d):
    if not shutil.which("tshark"):
        skip("a live pcapng pipe", "tshark is missing")
        return
    fifo = d + "/fifo"
    os.mkfifo(fifo)
    reader = subprocess.Popen(["tshark", "-q", "-i", fifo, "-T", "fields", "-e",
                               "usb.transfer_type"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    # tshark may take longer to start than the replay waits for a reader, and would then wait for a
    # writer forever: this one, whose open() waits for tshark, is there until the replay has ended.
    writer = os.open(fifo, os.O_WRONLY)
    r = subprocess.run([BUILD + "/trawl-replay", "stream", "--to", "pcapng", "--speed", "5", "-w",
                        fifo, SERIAL],
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    os.close(writer)
    out, err = reader.communicate(timeout=120)
    ok(r.returncode == 0 and len(out.split()) >= 58, "Wireshark reads it live from a named pipe", r,
       len(out.split()), err)


def test_marker():
    tracing = "/sys/kernel/tracing"
    if os.getuid() or not os.path.exists(tracing + "/trace_marker"):
        skip("trace_marker", "no tracefs, or not root")
        return
    instance = f"{tracing}/instances/replay_test_{os.getpid()}"
    os.mkdir(instance)
    try:
        stream("--to", "trace_marker", "--speed", "0", "-w", instance + "/trace_marker", SERIAL)
        with open(instance + "/trace") as f:
            marks = [x for x in f if "tracing_mark_write" in x]
    finally:
        os.rmdir(instance)
    whole = run("trawl-decode", SERIAL).decode().splitlines()
    same(len(whole), len(marks), "trace_marker: an event for each")
    ok(all(a.split("  ", 1)[-1][:40] in b for a, b in zip(whole, marks)), "with its text",
       marks[:2])


def test_output(d):
    """-w in a folder to which other users may write."""
    victim, link, fifo = d + "/victim", d + "/link", d + "/fifo-of-another"
    with open(victim, "w") as f:
        f.write("kept")
    if os.getuid():
        skip("links and pipes of another user", "not root")
    else:
        os.symlink(victim, link)
        os.lchown(link, 65534, 65534)
        refused("a link of another user", 3, "a link of another user", "stream", "--speed", "0",
                "-w", link, SERIAL)
        os.mkfifo(fifo)
        os.chown(fifo, 65534, 65534)
        refused("a pipe of another user", 3, "is a FIFO of another user", "stream", "--speed", "0",
                "-w", fifo, SERIAL)
    second = d + "/second"
    os.link(victim, second)
    stream("--speed", "0", "-w", second, SERIAL)
    with open(second, "rb") as f:
        ok(f.read() == run("trawl-decode", SERIAL), "a file of two names gets new content ..")
    with open(victim) as f:
        same("kept", f.read(), ".. by the name that was given only")
    same(0o600, os.stat(second).st_mode & 0o777, "which its owner may read")


def refused(name, status, text, *args):
    r = subprocess.run([BUILD + "/trawl-replay", *args], capture_output=True, text=True,
                       stdin=subprocess.DEVNULL)
    ok(r.returncode == status and text in r.stderr and len(r.stderr.splitlines()) == 1, name,
       r.returncode, r.stderr)


def main():
    with tempfile.TemporaryDirectory() as d:
        test_forms()
        test_lateness()
        test_times()
        test_step()
        test_wireshark(d)
        test_marker()
        test_output(d)
        refused("a form that there is not", 2, "is not a stream format", "stream", "--to", "midi",
                SERIAL)
        refused("no times", 2, "is not a number of times", "stream", "--loop=no", SERIAL)
        refused("steps and the file from one input", 2, "lines of standard input are the steps",
                "stream", "--step", "-")
        refused("no such file", 3, "none", "stream", d + "/none")
        refused("an output that cannot be", 3, "-w /none/x", "stream", "-w", "/none/x", SERIAL)
        page = open(SRC + "/docs/trawl-replay.1").read()
        page = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "")
        for way in ("device", "host", "probes", "stream"):
            with open(f"{SRC}/replay/{way}.c") as f:
                options = [x.split('"')[1] for x in f if x.startswith('\t{"') and "_argument" in x]
            text = run("trawl-replay", way, "--help").decode()
            missing = [o for o in options if f"--{o}" not in text + " --help" or
                       f"--{o}" not in page]
            same([], missing, f"{way}: every option is in --help and in the manual")
    return finish()


sys.exit(main())
