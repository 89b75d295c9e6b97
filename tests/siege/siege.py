# SPDX-License-Identifier: MIT
"""siege.py [PART]...: the recorder under attack. SIEGE_SECONDS: how long the capture of `steady`
takes, and the scale of all repetitions (600: the long form; 30: a short one). Whatever is done to
it: every file can be read, what is in it and what is said to be missing are all that happened,
nothing stays behind in tracefs, memory is bounded.

Needs root and a kernel with uprobes. Clocks are set in a guest of the lab only
(tests/lab/guest/siege.sh). """
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, SRC + "/tests")
from tap import finish, ok, same, skip, skip_all  # noqa: E402

SECONDS = int(os.environ.get("SIEGE_SECONDS", "600"))
DISK_TO_BEGIN = 128  # KiB: what a capture begins with takes less
TRACING = "/sys/kernel/tracing"
CLONE_NEWNS, MNT_DETACH = 0x20000, 2
END = 120  # seconds that anything may take to end


def share(n, least=1):
    """Returns this share of a number of repetitions in the long form."""
    return max(least, n * SECONDS // 600)


def default_signals():
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(s, signal.SIG_DFL)


class Siege:
    def __init__(self, folder):
        self.folder = folder
        self.target = folder + "/target"
        shutil.copy(BUILD + "/tests/capture/target", self.target)
        self.random = random.Random(int(os.environ.get("SIEGE_SEED", "1")))
        self.children = []

    def path(self, name):
        return f"{self.folder}/{name}"

    def start(self, *args, **more):
        """Starts a program in the background; it is ended together with this one."""
        log = open(self.path(f"log{len(self.children)}"), "w+")
        p = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                             preexec_fn=default_signals, **more)
        p.log = log
        self.children.append(p)
        return p

    def record(self, out, *args, **more):
        """Starts a capture in the background and waits until it is armed: its file exists."""
        if os.path.exists(out):
            os.unlink(out)
        p = self.start("trawl", "-w", out, *args, **more)
        for _ in range(END * 20):
            if "capturing to" in said(p) or p.poll() is not None:
                break
            time.sleep(0.05)
        return p

    def end(self, p, sig=signal.SIGTERM):
        """Returns the status after the end; None if the process did not end."""
        if sig and p.poll() is None:
            p.send_signal(sig)
        try:
            return p.wait(END)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
            return None

    def close(self):
        for p in self.children:
            if p.poll() is None:
                p.kill()
            p.wait()
            p.log.close()


def said(p):
    p.log.flush()
    with open(p.log.name) as f:
        return f.read()


def run(*args, **more):
    return subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          errors="replace", timeout=END, preexec_fn=default_signals, **more)


def counts(p):
    """Returns (captured, lost) from the last line."""
    m = re.search(r"^(\d+) events? captured, (?:(\d+)(?: and more)?|an unknown number) lost", said(p),
                  re.M)
    return (int(m[1]), int(m[2] or 0)) if m else (None, None)


def hits(path):
    """(status, number of target:hit) of a file."""
    r = run("trawl-decode", "--json", path)
    return r.returncode, sum('"name":"target:hit"' in line for line in r.stdout.splitlines())


def rss(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            return int(re.search(r"^VmRSS:\s+(\d+)", f.read(), re.M)[1])
    except (OSError, TypeError):
        return 0


def left(pid):
    """Returns what the captures of a process left in tracefs."""
    mine = [d for d in os.listdir(TRACING + "/instances") if d.startswith(f"trawl_{pid}_")]
    with open(TRACING + "/uprobe_events") as f:
        return mine + [line.strip() for line in f if f":trawl_{pid}_" in line]


# ---- the parts -------------------------------------------------------------------------------

PING_PONG = """
import os
there, back = os.pipe(), os.pipe()
if os.fork():
    while True: os.write(there[1], b"x"); os.read(back[0], 1)
while True: os.read(there[0], 1); os.write(back[1], b"x")
"""


def fill_buffers(s, p):
    """The two batches of each source grow with what comes between two flushes, up to a fixed size
    (format/batcher.c). So that a busy minute later does not look like a leak, a burst of both
    kinds of events fills them first."""
    burst = [s.start(s.target, "hits", "1000000000", "0") for _ in range(2)]
    burst += [s.start("/usr/bin/python3", "-c", PING_PONG, start_new_session=True)
              for _ in range(2)]
    sizes, until = [], time.monotonic() + END
    try:
        while time.monotonic() < until and (len(sizes) < 24 or sizes[-1] > sizes[-20] * 1.01):
            time.sleep(0.25)
            sizes.append(rss(p.pid))
    finally:
        for b in burst[:2]:
            b.kill()
        for b in burst[2:]:
            os.killpg(b.pid, signal.SIGKILL)
    ok(sizes[-1] <= sizes[-20] * 1.01, "minutes: buffers have a largest size", sizes[::20])


def steady(s):
    """A capture of several minutes uses no more memory at its end than when its buffers are
    full."""
    load = s.start(s.target, "hits", "1000000000", "200")
    p = s.record(s.path("steady"), "-i", f"usdt:{s.target}:hit", "-i", "event:sched:sched_switch",
                 "-C", "16", "-W", "3")  # chunks of the largest size
    fill_buffers(s, p)
    sizes, until = [], time.monotonic() + max(6, SECONDS)
    while time.monotonic() < until and p.poll() is None:
        time.sleep(0.25)
        sizes.append(rss(p.pid))
    status, lost = s.end(p), counts(p)[1]
    same(1 if lost else 0, status, "minutes: status")  # a busy machine loses events, and says so
    s.end(load)
    early, late = sizes[len(sizes) // 4:len(sizes) // 2], sizes[len(sizes) * 3 // 4:]
    ok(max(late) <= max(early) * 1.05 + 4096, "minutes: memory stays",
       f"{max(early)} KiB, then {max(late)}")
    print(
        f"# {max(6, SECONDS)} s, {counts(p)} events captured and lost, {max(early)} KiB, then "
        f"{max(late)}")
    same([], left(p.pid), "minutes: nothing is left")


def tasks(s):
    """Thousands of short processes, all followed: the hit of each is recorded or counted as
    lost."""
    n = share(100_000, 2000)
    p = s.start("trawl", "-w", s.path("tasks"), "-B", "16384", "-i", f"usdt:{s.target}:hit", "--",
                s.target, "tasks", str(n), "1")
    largest, until = 0, time.monotonic() + 60 + n // 50
    while p.poll() is None and time.monotonic() < until:
        largest = max(largest, rss(p.pid))
        time.sleep(0.1)
    status = s.end(p, None if p.poll() is not None else signal.SIGTERM)
    captured, lost = counts(p)
    got = hits(s.path("tasks"))
    ok(status in (0, 1) and captured is not None, f"{n} processes and as many threads: it ends",
       status, said(p)[-300:])
    ok(captured is not None and got[1] + lost >= 2 * n and got[1] <= 2 * n,
       "each hit is there or counted", got, captured, lost, 2 * n)
    ok(largest < 300 << 10, "memory is bounded", largest)
    print(
        f"# {n} processes, {n} threads: {got[1]} hits, {lost} lost, status {status}, at most "
        f"{largest} KiB")
    same([], left(p.pid), "nothing is left")


def killed(s):
    """kill -9 at any moment: events from a second before are in the file, and --gc removes the
    rest."""
    bad, few, n = [], [], share(30, 3)
    for i in range(n):
        f = s.path("killed")
        load = s.start(s.target, "hits", "1000000000", "100")
        p = s.record(f, "-U", "-i", f"usdt:{s.target}:hit", "-p", str(load.pid))
        time.sleep(0.05 + 2 * s.random.random())
        s.end(p, signal.SIGKILL)
        s.end(load)
        status, count = hits(f)
        if status not in (0, 1):
            bad.append((i, status))
        few.append(count)
        gone = run("trawl", "--gc").returncode
        if gone or left(p.pid):
            bad.append((i, "left", left(p.pid)))
    same([], bad, f"killed {n} times: each file can be read, nothing stays")
    ok(sum(few) > 0, "there are events in them", few)


def full(s):
    """Full disks: events in the file and losses that it states add up to all hits so far."""
    bad, n = [], share(30, 3)
    disk = s.path("disk")
    os.mkdir(disk)
    for i in range(n):
        size = 64 + s.random.randrange(1500)
        if run("mount", "-t", "tmpfs", "-o", f"size={size}k", "siege", disk).returncode:
            return skip("full disks", "nothing can be mounted here")
        try:
            count = 60000 + s.random.randrange(60000)
            f = disk + "/x.trawl"
            p = s.record(f, "-B", "32768", "-i", f"usdt:{s.target}:hit", "--", s.target, "hits",
                         str(count))
            status = s.end(p, None)
            captured, lost = counts(p)
            # Without room for what describes the machine it is refused, and COMMAND never ran.
            if size < DISK_TO_BEGIN and status == 3:
                if "the disk is full" not in said(p) or os.listdir(disk):
                    bad.append((i, size, "refused", said(p)[-200:], os.listdir(disk)))
                continue
            read = hits(f)
            whole = run("trawl-edit", "verify", f)
            # The end of a capture ends COMMAND, which may have been at any of its hits.
            cut_short = "still running, sent SIGTERM" in said(p)
            if status not in (0, 1, 3) or captured is None or read[1] != captured or not (
                captured + lost == count or cut_short and captured + lost < count):
                bad.append((i, size, status, count, captured, lost, read, said(p)[-200:]))
            if lost and status == 0 or whole.returncode not in (0, 1):
                bad.append((i, size, "status", status, whole.stderr))
        finally:
            run("umount", "-l", disk)
    same([], bad,
         f"{n} full disks: captured and lost are all hits, and the file has what was captured")


def namespaces(s):
    """Programs in their own PID and mount namespaces, by COMMAND, by -p and by usdt:pid=."""
    if run("unshare", "-pfm", "--mount-proc", "true").returncode:
        return skip("namespaces", "there are none here")
    f = s.path("namespace")
    p = s.record(f, "-i", f"usdt:{s.target}:hit", "--", "unshare", "-pf", "--mount-proc", s.target,
                 "tree", "50")
    same((0, 150), (s.end(p, None), hits(f)[1]), "COMMAND in a PID namespace: each hit")
    # a program that only its own namespace has
    inner = s.path("inner")
    os.mkdir(inner)
    load = s.start("unshare", "-pfm", "--kill-child", "sh", "-c",
                   f"mount -t tmpfs none {inner} && cp {s.target} {inner}/hidden && exec "
                   f"{inner}/hidden wait")
    pid = None
    for _ in range(END * 10):
        try:
            with open(f"/proc/{load.pid}/task/{load.pid}/children") as c:
                pid = int(c.read().split()[0])
            if os.readlink(f"/proc/{pid}/exe").endswith("/hidden"):
                break
        except (OSError, IndexError, ValueError):
            pass
        time.sleep(0.1)
    p = s.record(f, "-c", "20", "-i", f"usdt:pid={pid}:hit", "-p", str(pid))
    same((0, 20), (s.end(p, None), hits(f)[1]),
         "a program that only another mount namespace has: its hits")
    s.end(load, signal.SIGKILL)  # unshare passes nothing else on
    same([], left(p.pid), "nothing is left")


NAMES = ["new\nline", "sp ace", "tab\t", "back\\slash", "colon:hit", "at@100", " (deleted)",
         "x (deleted)", "\x1b[31m", "é\xff".encode(
    "latin1"), "00400000-00401000 r-xp 00000000 00:00 0", "-i", "$comm", "a" * 250, "\u202e"]


def names(s):
    """Programs with hostile names: traced, or refused in one line; no other file is used, and no
    line is forged."""
    bad, traced = [], 0
    for name in NAMES:
        raw = os.fsencode(s.folder) + b"/" + (name if isinstance(name, bytes)
                                              else os.fsencode(name))
        shutil.copy(s.target, raw)
        load = s.start(raw, b"wait")
        f = s.path("named")
        for _ in range(100):
            exe = f"/proc/{load.pid}/exe"
            if os.path.exists(exe) and os.fsencode(os.readlink(exe)).startswith(raw):
                break
            time.sleep(0.05)
        for spec in (b"usdt:" + raw + b":hit", b"usdt:pid=%d:hit" % load.pid):
            p = s.record(f, "-c", "5", "-i", spec, "-p", str(load.pid))
            status = s.end(p, None if "capturing" in said(p) else signal.SIGTERM)
            text = run("trawl-decode", f).stdout if status == 0 else ""
            traced += status == 0
            if status not in (0, 2, 3) or (status == 0 and
                                           hits(f)[1] != 5) or "\x1b" in text or left(p.pid):
                bad.append((name, spec, status, said(p)[-200:], left(p.pid)))
            if status and "\x1b" in said(p):
                bad.append((name, "an escape is printed", said(p)))
        s.end(load)
        os.unlink(raw)
    same([], bad, f"{len(NAMES)} names of programs: traced or refused, in one line")
    ok(traced >= len(NAMES), "by their process at least they are traced", traced, 2 * len(NAMES))
    p = s.record(s.path("memfd"), "-c", "5", "-i", f"usdt:{s.target}:hit", "--", "/usr/bin/python3",
                 "-c", """
import os, sys
for name in ("a\\nb", "x (deleted)", "/etc/passwd", "-"):
    fd = os.memfd_create(name)
    os.write(fd, open(sys.argv[1], "rb").read())
    if not os.fork():
        os.execv(f"/proc/self/fd/{fd}", [name, "hits", "10"])
    os.wait()
os.execv(sys.argv[1], ["target", "hits", "10"])
""", s.target)
    same((0, 5), (s.end(p, None), hits(s.path("memfd"))[1]),
         "programs in memory beside it: its own hits are there")


def maps(s):
    """/proc/PID/maps with forged lines: names with newlines, and thousands of changing mappings."""
    liar = r"""
import mmap, os, sys
folder = sys.argv[1]
names = ["\n7f0000000000-7f0000001000 r-xp 00000000 00:01 5 /etc/passwd", "a (deleted)", "[vdso]", "[heap]", "\\012", " ", "\n"]
keep = []
for i, name in enumerate(names):
    path = folder + "/" + name.replace("/", "\u2215")
    with open(path, "wb") as f:
        f.write(open("/bin/true", "rb").read())
    fd = os.open(path, os.O_RDONLY)
    for k in range(50):
        keep.append(mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC))
    if i % 2:
        os.unlink(path)
print("ready", flush=True)
while True:
    keep.append(mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC))
    keep[0].close(); keep.pop(0)
"""
    folder = s.path("maps")
    os.mkdir(folder)
    p = subprocess.Popen(["/usr/bin/python3", "-c", liar, folder], stdout=subprocess.PIPE,
                         stdin=subprocess.DEVNULL,
                         preexec_fn=default_signals, text=True)
    p.log = open(os.devnull)
    s.children.append(p)
    p.stdout.readline()
    bad = []
    for _ in range(share(100, 5)):
        for spec in (f"usdt:pid={p.pid}:none", f"usdt:pid={p.pid}:*"):
            r = run("trawl", "-q", "-c", "1", "-i", spec, "-w", s.path("maps.trawl"), "--", "true")
            if r.returncode not in (0, 1, 2, 3) or r.returncode > 1 and not re.match(
                r"trawl: [^\n]*(\n +[^\n]*\n +\^)?\n$", r.stderr) or "/etc/passwd" in r.stderr:
                bad.append((spec, r.returncode, r.stderr[-300:]))
    s.end(p, signal.SIGKILL)
    same([], bad[:5], "a process whose maps lie: refused in one line")


def changing(s):
    """Programs that are modified, truncated, replaced and removed while they are read and armed."""
    victim, stop = s.path("victim"), threading.Event()
    with open(s.target, "rb") as f:
        whole = f.read()

    def change():
        r = random.Random(5)
        while not stop.is_set():
            with open(victim + ".new", "wb") as f:
                data = bytearray(whole)
                for _ in range(r.randrange(40)):
                    data[r.randrange(len(data) if r.randrange(2) else 4096)] = r.randrange(256)
                f.write(data[:r.randrange(len(data))] if r.randrange(3) == 0 else data)
            if r.randrange(2):
                os.rename(victim + ".new", victim)
            else:
                with open(victim, "r+b") as f:
                    f.write(data)
                    f.truncate(r.randrange(1, len(whole) + 4096))
            time.sleep(r.random() / 100)

    shutil.copy(s.target, victim)
    t = threading.Thread(target=change)
    t.start()
    bad, statuses, n = [], {}, share(300, 15)
    try:
        for i in range(n):
            spec = (f"usdt:{victim}:hit", f"uprobe:{victim}:target_hits $params",
                    f"uprobe:{victim}:* $retval")[i % 3]
            r = run("trawl", "-q", "-i", spec, "-w", s.path("changing"), "--", "true")
            statuses[r.returncode] = statuses.get(r.returncode, 0) + 1
            said = re.match(r"trawl: |\s", r.stderr)
            if r.returncode not in (0, 1, 2, 3) or r.returncode > 1 and not said:
                bad.append((spec, r.returncode, r.stderr[-300:]))
    finally:
        stop.set()
        t.join()
    same([], bad[:5], f"a program that changes while {n} captures arm it: each ends with a line")
    print(f"# statuses {statuses}")
    os.unlink(victim)
    shutil.copy(s.target, victim)
    f = s.path("changed")
    p = s.record(f, "-i", f"usdt:{victim}:hit")
    run(victim, "hits", "10")
    shutil.copy(victim, victim + ".new")
    os.rename(victim + ".new", victim)  # another file
    run(victim, "hits", "10")
    os.unlink(victim)
    time.sleep(0.3)
    same((0, 10), (s.end(p), hits(f)[1]),
         "replaced and removed while it is armed: the hits of the file that was meant")
    same([], left(p.pid), "nothing is left")


def unmounted(s):
    """tracefs is unmounted during a capture, in a mount namespace: it ends with the events that
    it has."""
    if run("unshare", "-m", "true").returncode:
        return skip("tracefs unmounted", "no mount namespaces here")
    f = s.path("unmounted")
    load = s.start(s.target, "hits", "1000000000", "1000")
    p = s.record(f, "-i", f"usdt:{s.target}:hit", "-p", str(load.pid))
    s.end(p)
    if os.path.exists(f):
        os.unlink(f)
    p = s.start("unshare", "-m", "trawl", "-w", f, "-i", f"usdt:{s.target}:hit", "-p",
                str(load.pid))
    for _ in range(END * 10):
        if "capturing to" in said(p) or p.poll() is not None:
            break
        time.sleep(0.1)
    time.sleep(1)
    for at in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing", "/sys/kernel/debug"):
        run("nsenter", f"--mount=/proc/{p.pid}/ns/mnt", "umount", "-l", at)
    time.sleep(1.5)
    status = s.end(p)
    got = hits(f)
    ok(status in (0, 1, 3), "tracefs unmounted: it ends", status, said(p)[-400:])
    ok(got[0] in (0, 1) and got[1] > 100, "and has what it read", got)
    s.end(load)
    same(0, run("trawl", "--gc").returncode, "--gc finds what it could not remove")
    same([], left(p.pid), "nothing is left")


def clocks(s):
    """The time of day is set far and often; only where nothing else depends on it."""
    if os.environ.get("SIEGE_CLOCKS") != "1":
        return print("# clock steps: only in a guest of the lab, tests/lab/guest/siege.sh")
    f, before = s.path("clocks"), time.clock_gettime(time.CLOCK_REALTIME) - time.monotonic()
    load = s.start(s.target, "hits", "1000000000", "1000")
    p = s.record(f, "-i", f"usdt:{s.target}:hit", "-p", str(load.pid))
    steps = [3600, -7200, 86400 * 365, -1, 0.5, -86400 * 365 * 20, 1e9]
    for step in steps:
        time.sleep(0.3)
        time.clock_settime(time.CLOCK_REALTIME, max(1.0, time.time() + step))
    time.sleep(0.5)
    status = s.end(p)
    s.end(load)
    time.clock_settime(time.CLOCK_REALTIME, before + time.monotonic())
    same(0, status, f"{len(steps)} steps of the clock: status")
    lines = [json.loads(x) for x in run("trawl-decode", "--json", "--name", "target:hit",
                                        f).stdout.splitlines()]
    numbers = [x["fields"]["arg1"] if "fields" in x else x["arg1"] for x in lines]
    same(list(range(numbers[0], numbers[0] + len(numbers))) if numbers else None, numbers,
         "every hit, in order")
    stamps = [x["ts_ns"] for x in lines]
    same(sorted(stamps), stamps, "in one order of time")


PARTS = [names, namespaces, maps, changing, unmounted, killed, full, tasks, clocks, steady]


def main():
    if os.geteuid() or not os.path.exists(TRACING + "/uprobe_events"):
        return skip_all("needs root and a kernel with uprobes")
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for part in PARTS:
            if wanted and part.__name__ not in wanted:
                continue
            start = time.monotonic()
            s = Siege(tempfile.mkdtemp(dir=folder))
            os.chmod(s.folder, 0o755)
            try:
                part(s)
            except subprocess.TimeoutExpired as e:
                ok(False, f"{part.__name__}: ends", e)
            finally:
                s.close()
            print(f"# {part.__name__}: {time.monotonic() - start:.0f} s", flush=True)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
