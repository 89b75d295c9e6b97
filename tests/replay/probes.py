# SPDX-License-Identifier: MIT
"""trawl-replay probes: trawl, bpftrace and perf capture the same of a replay as of the program."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests"]
sys.dont_write_bytecode = True
from tap import finish, ok, same, skip, skip_all  # noqa: E402

PROVIDER = f"replay{os.getpid()}"
PROGRAM = """
#include <sys/sdt.h>
int main(void)
{
	static const char *const words[] = {"one", "two and more", "", "three"};

	DTRACE_PROBE1(%s, flag, 0); /* an int here, a byte below */
	for (volatile int i = 0; i < 12; i++) {
		int a = i - 5;
		unsigned char b = (unsigned char)(250 + i);
		short c = (short)(-300 * i);
		unsigned long d = 0xfedcba9876543210ul + (unsigned long)i;

		DTRACE_PROBE4(%s, numbers, a, b, c, d);
		if (i %% 3 == 0) {
			const char *word = words[i / 3];

			__asm__ volatile("" : "+r"(word)); /* in a register */
			DTRACE_PROBE2(%s, words, a, word);
		}
		if (i == 11)
			DTRACE_PROBE1(%s, flag, b);
	}
	return 0;
}
""" % (PROVIDER, PROVIDER, PROVIDER, PROVIDER)
PROBES = ["numbers", "words arg1 arg2:string", "flag"]


def run(*args, **kw):
    return subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, **kw)


def capture(path, out, *command):
    return run(BUILD + "/trawl", *sum((["-i", f"usdt:{path}:{PROVIDER}:{p}"] for p in PROBES), []),
               "-w", out, "--",
               *command)


def events(path):
    out = run(BUILD + "/trawl-decode", "--json", "--source", "usdt", path).stdout
    return [(e["name"], e["comm"],
             [e["fields"][k] for k in sorted(e["fields"]) if k.startswith("arg")])
            for e in map(json.loads, out.splitlines())]


def types(path):
    out = run(BUILD + "/trawl-decode", "--meta=probe/*", path).stdout
    return {p["event"]: [a["type"] for a in p["args"] if not a["helper"]]
            for p in map(json.loads, out.splitlines())}


def test_trawl(d, replay):
    r = capture(d + "/object.so", d + "/again.trawl", *replay)
    ok(r.returncode == 0, "trawl captures the replay", r.stderr)
    first = events(d + "/first.trawl")
    ok(len(first) == 18, "the program was captured", len(first))
    same(first, events(d + "/again.trawl"),
         "names, order, task names and values are those of the program")
    same(types(d + "/first.trawl"), types(d + "/again.trawl"), "so are the types")


def test_bpftrace(d, replay):
    if not shutil.which("bpftrace"):
        skip("bpftrace", "is missing")
        return
    script = (
        f'usdt:{d}/object.so:{PROVIDER}:numbers {{ printf("%d %d %d %lx\\n", arg0, arg1, arg2, '
        f'arg3); @n++; '
              'if (@n == 12) { exit(); } }')
    p = subprocess.Popen(["bpftrace", "-B", "line", "-e", script], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    lines = []
    for line in p.stdout:
        lines.append(line)
        if "Attaching" in line:
            break
    # bpftrace prints that it has attached before it has: replay until it has seen a whole one.
    played = 0
    while p.poll() is None and played < 20:
        time.sleep(1)
        run(*replay)
        played += 1
    lines += p.stdout.read().splitlines()
    p.terminate()
    p.wait()
    got = [x.split() for x in lines if re.fullmatch(r"-?\d+ -?\d+ -?\d+ [0-9a-f]+", x.strip())]
    want = [v for name, _, v in events(d + "/first.trawl") if name.endswith(":numbers")]
    # Versions of bpftrace differ in whether values are unsigned or have their size: compare the
    # lowest bytes.
    ok(len(got) == 12 and
       all(int(g[0]) & 0xffffffff == w[0] & 0xffffffff and int(g[1]) & 0xff == w[1] & 0xff and
                              int(g[2]) & 0xffff == w[2] & 0xffff and int(g[3], 16) == w[3]
           for g, w in zip(got, want)),
       "bpftrace gets the program's values of the replay", lines[:14], want[:3])


def test_perf(d, replay):
    if not shutil.which("perf"):
        skip("perf", "is missing")
        return
    perf = ["perf", "--buildid-dir", d + "/buildid"]
    run(*perf, "buildid-cache", "--add", d + "/object.so")
    made = run(*perf, "probe", f"sdt_{PROVIDER}:numbers")
    try:
        r = run("perf", "record", "-q", "-o", d + "/perf.data", "-e", f"sdt_{PROVIDER}:numbers",
                "--", *replay)
        out = run("perf", "script", "-i", d + "/perf.data").stdout
    finally:
        run(*perf, "probe", "-d", f"sdt_{PROVIDER}:numbers")
    # perf prints a short as unsigned, for the program, too.
    got = [list(map(int, re.findall(r"arg\d=(-?\d+)", line))) for line in out.splitlines()]
    want = [v[:2] + [v[2] & 0xffff] + v[3:] for name, _, v in events(d + "/first.trawl")
            if name.endswith(":numbers")]
    same(want, got, "perf, too")
    if want != got:
        print("#", made.stderr[-300:].replace("\n", "\n# "), r.stderr[-300:].replace("\n", "\n# "))


def test_options(d, replay):
    def refused(name, status, text, *args):
        r = run(BUILD + "/trawl-replay", "probes", *args)
        ok(r.returncode == status and text in r.stderr and len(r.stderr.splitlines()) == 1, name,
           r.returncode, r.stderr)
    refused("a capture without static probes", 2, "there are no static probes",
            SRC + "/samples/usb-serial.trawl")
    refused("an object that is another file", 2, "is another file", "--object", SRC + "/NEWS",
            d + "/first.trawl")
    refused("an object that cannot be", 3, "--object /none/x", "--object", "/none/x",
            d + "/first.trawl")
    os.mkfifo(d + "/fifo.so")
    refused("a FIFO as the object does not block", 2, "is no regular file", "--object",
            d + "/fifo.so", d + "/first.trawl")
    shutil.copyfile(d + "/object.so", d + "/shared.so")
    os.chmod(d + "/shared.so", 0o666)
    refused("an object that others may write to", 2, "others may write to it", "--object",
            d + "/shared.so", d + "/first.trawl")
    os.chmod(d + "/shared.so", 0o755)
    os.chown(d + "/shared.so", 65534, 65534)
    refused("another user's object", 2, "others may write to it", "--object", d + "/shared.so",
            d + "/first.trawl")
    os.chown(d + "/shared.so", 0, 0)
    r = run(BUILD + "/trawl-replay", "probes", "--object", d + "/shared.so", "--no-events",
            d + "/first.trawl")
    ok(r.returncode == 0, "one's own object is used again", r.stderr)
    r = run(*replay)
    ok(r.returncode == 0 and "18 events, late by" in r.stderr, "the hits are counted", r.stderr)
    r = run(BUILD + "/trawl-replay", "probes", "--speed", "0", "--name", "*:words",
            d + "/first.trawl")
    ok(r.returncode == 0 and "in memory" in r.stderr and "4 events" in r.stderr,
       "events are chosen; without --object",
       r.stderr)
    # its sources are called NAME@MACHINE
    r = run(BUILD + "/trawl-edit", "merge", d + "/first.trawl", SRC + "/samples/usb-serial.trawl",
            "-w", d + "/merged.trawl")
    ok(r.returncode == 0, "the capture is merged with another one", r.stderr)
    r = run(BUILD + "/trawl-replay", "probes", "--speed", "0", d + "/merged.trawl")
    ok(r.returncode == 0 and "18 events" in r.stderr, "the probes of a merged file", r.stderr)


def main():
    needed = ("/sys/kernel/tracing/uprobe_events", "/usr/include/x86_64-linux-gnu/sys/sdt.h")
    if os.getuid() or not all(os.path.exists(path) for path in needed):
        return skip_all("needs root, tracefs and sys/sdt.h")
    with tempfile.TemporaryDirectory() as d:
        with open(d + "/program.c", "w") as f:
            f.write(PROGRAM)
        r = run("cc", "-O2", "-o", d + "/program", d + "/program.c")
        ok(r.returncode == 0, "the program compiles", r.stderr)
        r = capture(d + "/program", d + "/first.trawl", d + "/program")
        ok(r.returncode == 0, "trawl captures the program", r.stderr)
        r = run(BUILD + "/trawl-replay", "probes", "--object", d + "/object.so", "--no-events",
                d + "/first.trawl")
        ok(r.returncode == 0, "the object is made", r.stderr)
        notes = run("readelf", "-n", d + "/object.so").stdout
        same(["numbers", "words", "flag"], re.findall(r"Name: (\w+)", notes), "readelf reads its notes")
        ok(re.search(r"Arguments: -4@\S+ 1@\S+ -2@\S+ 8@\S+\n", notes), "with the program's sizes",
           notes)
        replay = [BUILD + "/trawl-replay", "probes", "--object", d + "/object.so",
                  d + "/first.trawl"]
        test_trawl(d, replay)
        test_bpftrace(d, replay)
        test_perf(d, replay)
        test_options(d, replay)
    return finish()


sys.exit(main())
