# SPDX-License-Identifier: MIT
"""The readers' sandbox: each system call that a compromised parser could make is made inside the
programs (attempt.c). It fails, or ends the program with one line; with --no-sandbox it succeeds.
The programs' own work is not affected: pipes, imports, outputs, several files."""
import bz2
import errno
import gzip
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, SRC + "/tests")
from tap import finish, ok, same, sanitized, skip_all  # noqa: E402

GOLDEN = SRC + "/tests/golden/two.trawl"
PCAP = SRC + "/samples/usb"
ATTEMPT = BUILD + "/tests/cli/attempt.so"
sanitizers = sanitized(BUILD)
if "HAVE_SECCOMP 1" not in open(BUILD + "/config.h").read():
    sys.exit(skip_all("built without libseccomp"))
tmp = tempfile.TemporaryDirectory()
CSV = tmp.name + "/out.csv"

PROGRAMS = {
    "trawl-decode": ["trawl-decode", GOLDEN],
    "trawl-export": ["trawl-export", "--to", "csv", GOLDEN, "-w", CSV],
    "trawl-edit": ["trawl-edit", "verify", GOLDEN],
}
OUT = tmp.name + "/out.trawl"
USB = SRC + "/samples/usb-keyboard.trawl"
PROBES = SRC + "/samples/tick.trawl"
BRANCHES = SRC + "/tests/golden/branches.trawl"
# Verbs and ways that enter the same sandbox; some of the calls are tried in each.
FURTHER = {
    "cut": ["trawl-edit", "cut", "--max-size", "1M", GOLDEN, "-w", OUT],
    "merge": ["trawl-edit", "merge", GOLDEN, SRC + "/tests/golden/events.trawl", "-w", OUT],
    "redact": ["trawl-edit", "redact", GOLDEN, "-w", OUT],
    "secrets": ["trawl-edit", "secrets", GOLDEN],
    "compact": ["trawl-edit", "compact", GOLDEN, "-w", OUT],
    "repair": ["trawl-edit", "repair", GOLDEN, "-w", OUT],
    "diff": ["trawl-decode", "--diff", USB, USB],
    "stream": ["trawl-replay", "stream", "--speed", "0", GOLDEN],
    "host": ["trawl-replay", "host", USB],
    "host --to-c": ["trawl-replay", "host", "--to-c", USB],
    "probes": ["trawl-replay", "probes", "--speed", "0", PROBES],
    "branch": ["trawl-replay", "branch", BRANCHES],
    "device": ["trawl-replay", "device", USB],
    "report": ["trawl-report", "--yes", GOLDEN, "-o", tmp.name + "/out.zip"],
}
# Calls that libraries may make and do without: they get an error, and the program goes on. The
# build with sanitizers may read files.
DENIED = ["create", "type", "limit", "nonsense", "clone3", "sendto", "link", "symlink", "mkdir",
          "chmod", "perf", "memfd"]
DENIED_PLAIN = ["open", "open-old", "open-own", "openat2", "stat", "run-memory"]
FORBIDDEN = ["execve", "execveat", "fork", "vfork", "socket", "unix", "kill", "unlink", "rename",
             "mount",
             "bpf", "io_uring", "setuid", "unshare"]
FORBIDDEN_PLAIN = ["clone", "ptrace", "tgkill"]
CALLED = {"unix": "socket", "rename": "renameat2", "io_uring": "io_uring_setup"}
# The results of these calls without the sandbox.
OPEN = {"open": 0, "create": 0, "socket": 0, "memfd": 0, "kill": 0}


def run(args, attempt=None, **more):
    options = "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")
    env = dict(os.environ, ASAN_OPTIONS=options)
    if attempt:
        env.update(ATTEMPT=attempt, LD_PRELOAD=ATTEMPT)
    if "input" not in more:
        more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True,
                          **more)


def errors(names, program):
    """The calls that did not fail with EPERM, EACCES or ENOSYS, or after which the program
    ended."""
    bad = []
    for name in names:
        r = run(PROGRAMS[program], name)
        got = re.search(r"attempt: (\d+)", r.stderr)
        if r.returncode or not got or int(got[1]) not in (errno.EPERM, errno.EACCES, errno.ENOSYS):
            bad.append((name, r.returncode, r.stderr[-300:]))
    return bad


def survivors(names, program):
    """The calls that did not end the program with one line and status 3."""
    bad = []
    for name in names:
        r = run(PROGRAMS[program], name)
        line = f"{program}: {GOLDEN}: reading it led to a call of {CALLED.get(name, name)}(), which the sandbox forbids"
        if r.returncode != 3 or not r.stderr.startswith(
            line) or r.stderr.count("\n") != 1 or os.path.exists(CSV):
            bad.append((name, r.returncode, r.stderr[-300:]))
    return bad


def the_cage():
    plain = not sanitizers
    for program in PROGRAMS:
        for name in ("getpid", "dup"):
            r = run(PROGRAMS[program], name)
            ok(r.returncode == 0 and "attempt: 0\n" in r.stderr,
               f"{program}: the attempt is made, {name} succeeds",
               r.returncode, r.stderr)
        if os.path.exists(CSV):
            os.unlink(CSV)
        # The programs have the same sandbox: all calls are tried in one of them.
        all_of = program == "trawl-decode"
        denied = DENIED + DENIED_PLAIN * plain if all_of else ["create"]
        forbidden = FORBIDDEN + FORBIDDEN_PLAIN * plain if all_of else ["execve", "socket"]
        same([], survivors(forbidden, program),
             f"{program}: ended by each of {len(forbidden)} forbidden calls, one line, status 3")
        same([], errors(denied, program), f"{program}: {len(denied)} calls are an error")
    ok(not os.path.exists("/tmp/trawl-attempt"), "no file was made")
    unbound = ["trawl-decode", "--no-sandbox", GOLDEN]
    same([], [n for n in OPEN if "attempt: 0\n" not in run(unbound, n).stderr],
         "--no-sandbox: they succeed")
    if os.path.exists("/tmp/trawl-attempt"):
        os.unlink("/tmp/trawl-attempt")


def further():
    """Each verb is in the sandbox: a few forbidden calls are tried in it."""
    for name, args in FURTHER.items():
        r = run(args, "getpid")
        # No device can be plugged in here, but this is reported only after the file was read.
        fine = (0, 1, 3) if name == "device" else (0, 1)
        ok(r.returncode in fine and "attempt: 0\n" in r.stderr + r.stdout or name == "report" and
           not r.returncode,
           f"{name}: the attempt is made, getpid succeeds", r.returncode, r.stderr[-400:])
        for out in (OUT, tmp.name + "/out.zip"):
            if os.path.exists(out):
                os.unlink(out)
        for call in ("execve", "socket"):
            r = run(args, call)
            ok(r.returncode == 3 and
               f"reading it led to a call of {call}(), which the sandbox forbids" in r.stderr
               and not os.path.exists(OUT) and not os.path.exists(tmp.name + "/out.zip"),
               f"{name}: ended by {call}(), with status 3 and no output", r.returncode,
               r.stderr[-400:])
        if name != "report":
            r = run(args[:1] + args[1:2] * (args[1][0] != "-") + ["--no-sandbox"] +
                    args[1 + (args[1][0] != "-"):], "socket")
            ok(r.returncode in fine and "attempt: 0\n" in r.stderr,
               f"{name} --no-sandbox: it succeeds", r.returncode, r.stderr[-400:])
            if os.path.exists(OUT):
                os.unlink(OUT)


def status_of(pid):
    return dict(line.rstrip("\n").split(":\t", 1) for line in open(f"/proc/{pid}/status")
                if ":\t" in line)


def the_kernel_says():
    """A reader that waits for more of a pipe."""
    p = subprocess.Popen([BUILD + "/trawl-decode", "-"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
    p.stdin.write(open(GOLDEN, "rb").read()[:2000])
    p.stdin.flush()
    s = {}
    for _ in range(1000):
        s = status_of(p.pid)
        if s.get("Seccomp") == "2" and s.get("Name") != "bash":
            break
        time.sleep(0.01)
    same(("2", "1", {"0" * 16}), (s.get("Seccomp"), s.get("NoNewPrivs"),
                                 {s.get("CapInh"), s.get("CapPrm"), s.get("CapEff")}),
         "/proc: a filter, no new privileges, no capabilities")
    p.stdin.close()
    p.wait()


def what_still_works():
    want = run(["trawl-decode", "--no-sandbox", GOLDEN]).stdout
    ok(len(want) > 1000, "there is something to show")
    same(want, run(["trawl-decode", GOLDEN]).stdout, "a file")
    with open(GOLDEN, "rb") as f:
        same(want, run(["trawl-decode", "-"], stdin=f).stdout, "standard input")
    same(want, run(["bash", "-c", f"trawl-decode <(cat '{GOLDEN}')"]).stdout, "a pipe with a name")
    packed = tmp.name + "/two.trawl.gz"
    with gzip.open(packed, "wb") as f:
        f.write(open(GOLDEN, "rb").read())
    same(want, run(["trawl-decode", packed]).stdout, "a compressed file")
    none = dict(os.environ, TMPDIR="/nonexistent")
    same(want, subprocess.run(["trawl-decode", GOLDEN], env=none, text=True,
                              stdout=subprocess.PIPE).stdout,
         "no place for temporary files, and none is needed")
    r = subprocess.run(["trawl-decode", packed], env=none, text=True, stderr=subprocess.PIPE)
    ok(r.returncode == 3 and
       r.stderr.startswith("trawl-decode: /nonexistent: no temporary file can be made"),
       "where one is, it is said", r.stderr)
    r = run(["trawl-edit", "verify", GOLDEN, SRC + "/tests/golden/killed.trawl", "/nonexistent/x",
             GOLDEN])
    same((3, 3, 2), (r.returncode, r.stdout.count(" events"), r.stderr.count("\n")),
         "verify of several: each has its line, the worst has the status")
    r = run(["trawl-edit", "verify", GOLDEN, GOLDEN], "socket")
    same((3, 2), (r.returncode, r.stderr.count("which the sandbox forbids")),
         "each of several is in a cage of its own")


def outputs():
    os.mkdir(tmp.name + "/new")
    out = tmp.name + "/new/x.csv"
    r = run(["trawl-export", "--to", "csv", GOLDEN, "-w", out])
    same((0, ["x.csv"]), (r.returncode, os.listdir(tmp.name + "/new")), "an output is made")
    first = open(out).read()
    r = run(["trawl-export", "--to", "csv", GOLDEN, "-w", out])
    same((0, first, ["x.csv"]), (r.returncode, open(out).read(), os.listdir(tmp.name + "/new")),
         "and replaced")
    for sig in (signal.SIGINT, signal.SIGKILL):
        # If the tests run in the background, SIGINT may be ignored.
        p = subprocess.Popen(["trawl-export", "--to", "json", "-", "-w", out],
                             stdin=subprocess.PIPE,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        p.stdin.write(open(GOLDEN, "rb").read()[:3000])
        p.stdin.flush()
        time.sleep(0.3)
        p.send_signal(sig)
        p.wait()
        p.stdin.close()
        same((first, ["x.csv"]), (open(out).read(), os.listdir(tmp.name + "/new")),
             f"ended by {sig.name}: what was there stays, nothing else is left")


def bomb():
    """80 MiB of a pcap file in a hundred bytes."""
    name = tmp.name + "/bomb.bz2"
    with bz2.open(name, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 220) + bytes(80 << 20))
    r = run(["trawl-decode", name])
    ok(r.returncode == 3 and re.match(r"trawl-decode: \S*bomb.bz2: unpacks to more than ", r.stderr)
       and r.stderr.count("\n") == 1, "what unpacks to thousands of times its size is refused",
       r.returncode, r.stderr)



the_cage()
further()
the_kernel_says()
what_still_works()
outputs()
bomb()
sys.exit(finish())
