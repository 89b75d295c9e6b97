# SPDX-License-Identifier: MIT
"""The filter of system calls while the recorder records. Each thread has it, and few capabilities.
A call that an attacker would make fails with ENOSYS and is reported; the capture goes on and ends
with status 1. No capture of any kind makes a call that the filter refuses."""
import errno
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, SRC + "/tests")
from tap import finish, ok, same, sanitized, skip, skip_all  # noqa: E402

TRACING = "/sys/kernel/tracing"
if os.getuid() or not os.path.exists(TRACING + "/uprobe_events"):
    sys.exit(skip_all("needs root and a kernel with uprobes"))
if "HAVE_SECCOMP 1" not in open(BUILD + "/config.h").read():
    sys.exit(skip_all("built without libseccomp"))
sanitizers = sanitized(BUILD)
tmp = tempfile.TemporaryDirectory()
os.chmod(tmp.name, 0o755)
TARGET = tmp.name + "/target"
with open(BUILD + "/tests/capture/target", "rb") as src, open(TARGET, "wb") as dst:
    dst.write(src.read())
os.chmod(TARGET, 0o755)
OUT = tmp.name + "/out.trawl"
REFUSED = "is not among those that a recorder makes"
HIT = "usdt:" + TARGET + ":hit"
END = 60


def start(args, **more):
    env = dict(os.environ, **more)

    def default_signals():
        for s in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGUSR1):
            signal.signal(s, signal.SIG_DFL)
    return subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env=env,
                            preexec_fn=default_signals)


def descendants(pid):
    """The process and those below it."""
    yield pid
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        for child in f.read().split():
            yield from descendants(int(child))


def where_they_wait(pid):
    """What each thread of a process and of those below it waits for: name, system call, stack."""
    lines = []
    for one in descendants(pid):
        for tid in os.listdir(f"/proc/{one}/task"):
            texts = []
            for name in ("comm", "syscall", "stack"):
                try:
                    with open(f"/proc/{one}/task/{tid}/{name}") as f:
                        texts.append(" ".join(f.read().split()))
                except OSError as e:
                    texts.append(str(e))
            lines.append(f"{tid}: " + ", ".join(texts))
    return "\n".join(lines)


def end(p, sig=None):
    """Runs a capture; returns (status, stderr)."""
    if sig:
        p.send_signal(sig)
    try:
        said = p.communicate(timeout=END)[1]
    except subprocess.TimeoutExpired:
        waits = where_they_wait(p.pid)
        p.kill()
        said = p.communicate()[1] + "\nit did not end:\n" + waits
    return p.returncode, said


def fields(pid, name):
    """The values of a field of /proc/PID/status in all of its threads."""
    values = set()
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/status") as f:
                values.add(re.search(rf"^{name}:\t(.*)$", f.read(), re.M)[1])
        except (OSError, TypeError):
            pass
    return values


def confined(p):
    for _ in range(END * 50):
        if p.poll() is not None or fields(p.pid, "Seccomp") == {"2"}:
            break
        time.sleep(0.02)
    return p.poll() is None


def attempts():
    """System calls of an attacker, made by the thread that writes the file."""
    names = ["execve", "execveat", "fork", "vfork", "socket", "kill", "mount", "bpf", "io_uring",
             "setuid", "unshare", "init_module", "clock_settime", "process_vm_writev", "symlink",
             "type", "nonsense", "ptrace", "perf", "limit", "run-memory", "tgkill",
             "clone", "clone3"]
    if sanitizers:
        names = [n for n in names if n not in ("kill", "ptrace", "limit", "run-memory", "tgkill",
                                               "clone")]
    p = start(["trawl", "-i", HIT, "-w", OUT, "--", TARGET, "hits", "2000"],
              LD_PRELOAD=BUILD + "/tests/cli/attempt.so", ATTEMPT_LATER=",".join(names),
              ASAN_OPTIONS="verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""))
    status, said = end(p)
    got = dict(re.findall(r"^([\w-]+) attempt: (\d+)$", said, re.M))
    want = {n: str(errno.ENOSYS) for n in names}
    same(want, got, f"{len(want)} calls that a fault could make fail with ENOSYS")
    lines = [line for line in said.splitlines() if REFUSED in line]
    ok(len(lines) == 8 and all(re.match(r"trawl: system call \d+ is not", x) for x in lines),
       "the first eight are told, a line each", said[-2000:])
    same(1, status, "the capture goes on, and ends with status 1")
    r = subprocess.run(["trawl-decode", "--json", OUT], stdout=subprocess.PIPE, text=True,
                       timeout=END)
    same((0, 2000), (r.returncode, r.stdout.count('"name":"target:hit"')), "with every event")
    ok(os.path.exists(TARGET), "nothing else happened")


def kinds():
    """(name, arguments, signals to send, allowed statuses) of each kind of capture."""
    sched = "event:sched:sched_switch"
    usual = ["-i", HIT, "-i", f"uprobe:{TARGET}:target_hits $params", "-i", sched]
    command = ["--", TARGET, "hits", "200"]
    w = ["-w", OUT]
    return [
        ("events, uprobes, USDT probes of COMMAND", usual + w + command, [], {0}),
        ("at the exit", ["-i", f"uprobe:{TARGET}:target_hits%return $retval"] + w + command, [],
         {0}),
        ("what is printed", usual[:2] + command, [], {0}),
        ("JSON into a pipe", ["--json"] + usual[:2] + command, [], {0}),
        ("-p", ["-p", str(os.getpid()), "-i", sched] + w, [signal.SIGINT], {0}),
        ("of all", ["-i", sched] + w, [signal.SIGTERM], {0}),
        ("files by time and size", ["-i", sched, "-G", "1", "-C", "1", "-W", "2"] + w, [None] * 4 +
         [signal.SIGINT], {0}),
        ("the flight recorder", ["--ring", "1M", "-i", sched] + w,
         [signal.SIGUSR1, signal.SIGUSR1, signal.SIGTERM], {0, 128 + signal.SIGTERM}),
        ("a trigger", ["--ring", "1M", "--trigger", 'name == "target:hit"', "--after", "10ms", "-W",
                       "1", "-i", HIT] + w + command, [], {0}),
        ("another user's files", ["-Z", "nobody", "-i", sched, "-w", THEIRS + "/x.trawl"],
         [signal.SIGINT], {0}),
        ("another user's folder", ["-i", sched, "-w", THEIRS + "/y.trawl"], [signal.SIGINT], {0}),
        ("-c", ["-c", "10", "-i", sched] + w, [], {0}),
        ("branches", ["-i", "branch"] + w + ["--", "/bin/true"], [], {0}),
        ("branches, of a probe's last", ["-i", "branch:last=4@" + HIT] + w + command, [], {0, 2,
                                                                                         3}),
    ]


def capture(name, args, signals, statuses):
    for f in os.listdir(tmp.name):
        if f.endswith(".trawl"):
            os.unlink(tmp.name + "/" + f)
    p = start(["trawl", *args])
    if signals:
        if not confined(p):
            return ok(False, f"{name}: it records", end(p, signal.SIGKILL))
        same({"1"}, fields(p.pid, "NoNewPrivs"), f"{name}: no new privileges in each thread")
        left = {int(x, 16) for x in fields(p.pid, "CapEff")}
        # SYS_ADMIN, SYS_MODULE, NET_ADMIN, SYS_RAWIO, BPF. Root would have all 41 bits.
        forbidden = 1 << 21 | 1 << 16 | 1 << 12 | 1 << 17 | 1 << 39
        ok(left and not any(x & forbidden for x in left), f"{name}: few capabilities in each", left)
    for sig in signals[:-1]:
        time.sleep(0.3)
        if sig:
            p.send_signal(sig)
    if signals:
        time.sleep(0.3)
    status, said = end(p, signals[-1] if signals else None)
    if re.search(r"[1-9]\d* lost", said):  # on a busy machine, of which the status tells
        statuses = {1}
    ok(status in statuses and REFUSED not in said, f"{name}: no call is refused", status,
       said[-4000:])


THEIRS = tmp.name + "/theirs"
os.mkdir(THEIRS, 0o700)
os.chown(THEIRS, 65534, 65534)
attempts()
for kind in kinds():
    capture(*kind)
sys.exit(finish())
