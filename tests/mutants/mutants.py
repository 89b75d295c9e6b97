# SPDX-License-Identifier: MIT
"""mutants.py [--count N] [--seed S] [--minutes M] [--in FOLDER] [--at FILE:LINE]... [--list]
[--sanitizers] [--units] [--again]

Changes one thing at a time in format/, decode/ and capture/, in a copy of the tree, and runs the
tests that can notice it: the unit tests of the folder, then the quick ones of the programs. Prints
each change that no test noticed as FILE:LINE with both lines, and at the end how many were killed
of those that are not equivalent (tests/mutants/equivalent). The seed decides the places. After
--minutes no other change is begun: those that were tried are still an equal share of each folder.

All changes are in one build, and the environment chooses one (switch.py). Each test runs once
without a change first: that says which changes it reaches, and how long it takes. A change is only
tried with tests that reach it. A test that fails with a change is run without it again: when it
fails then, too, it noticed nothing.

What became of each change is kept in results of the copy, until its file changes: the next run,
of this or another seed, does not try it again. So a run that was ended, however, counts. --again
tries survivors again, when tests have been added.

The copy is build/mutants; it stays, so that a second run builds less. With --sanitizers it is
build/mutants-asan, where leaks and reads of too much are noticed, too, and free() is left out as
well; that takes four times as long. --units: the unit tests only, which are quick. Tests of a file
that sends signals run in a PID namespace of their own, so that a changed kill() reaches nobody
else; there the recorder knows no task, so that only unit tests are used.
"""
import argparse
import contextlib
import glob
import hashlib
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import all_places, equivalents, sample  # noqa: E402
from switch import build  # noqa: E402

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
WORK = BUILD + ("/mutants-asan" if "--sanitizers" in sys.argv else "/mutants")
TREE, OBJ = WORK + "/tree", WORK + "/tree/build"
UNITS = "--units" in sys.argv
REACHED = WORK + "/reached"  # a byte for each change (mutant.h)
TOPS = ("format", "decode", "capture")
KERNEL = "6.12"  # of the lab

# The tests of files by the begin of their path, the closest first; the first row that fits counts.
# A folder of Criterion tests stands for all tests in it; lab/NAME for a test in a guest, which is
# for code that needs another kernel than this, and comes last.
READERS = ["tests/cli/decode.sh", "tests/cli/lines.py", "tests/format/golden.sh",
           "tests/cli/export.sh",
           "tests/cli/kernel.py",
           "tests/cli/decode-bad.sh", "tests/cli/diff.py", "tests/cli/outputs.py",
           "tests/cli/queries.py", "tests/cli/made.py"]
USB = ["tests/decode/usb/", "tests/cli/usbprinted.py", "tests/cli/usbview.py",
       "tests/cli/usbclasses.py", "tests/cli/usb.py", "tests/cli/import.py",
       "tests/format/golden.sh", "tests/cli/samples.sh", "tests/cli/outputs.py"]
CAPTURE = ["tests/cli/capture_events.sh", "tests/cli/usdt.py", "tests/cli/capture_scope.sh",
           "tests/cli/capture_ends.sh",
           "tests/cli/messages.sh", "tests/cli/list.sh", "tests/cli/capture_output.sh",
           "tests/cli/flight.sh", "tests/cli/capture_input.sh", "tests/cli/capture_cleanup.sh",
           "tests/cli/capture_privacy.sh", "tests/cli/capture_tamper.sh",
           "tests/cli/capture_loss.sh", "tests/cli/capture_full.sh", "tests/cli/rotation.py",
           "tests/cli/recorder.py", "tests/cli/special_files.py", "tests/cli/longest.py"]
TESTS = [
    ("format/", ["tests/format/", "tests/format/golden.sh", "tests/format/appendix.py",
                 "tests/cli/decode-bad.sh",
                 "tests/cli/decode.sh", "tests/cli/flight.sh"]),
    ("decode/base/", ["tests/decode/base/", "tests/decode/query/", *READERS]),
    ("decode/query/", ["tests/decode/query/", "tests/cli/cut.py", *READERS]),
    ("decode/kernel/", ["tests/decode/kernel/", "tests/cli/kerneltext.py", *READERS]),
    ("decode/usb", USB),
    ("decode/import/", ["tests/cli/import.py", "tests/cli/usbpcap.py", *USB]),
    ("decode/branch/", ["tests/cli/branch.py", "tests/cli/branchexport.py", *READERS]),
    ("decode/flow/", ["tests/cli/branchexport.py", "tests/cli/branch.py",
                      "tests/cli/made.py", "tests/cli/outputs.py"]),
    ("decode/", [*READERS, "tests/cli/page.py", "tests/cli/usbview.py", "tests/cli/usbpcap.py"]),
    ("capture/branch/", ["tests/capture/branch/", "tests/cli/branch.py", "tests/cli/parsers.py",
                         "lab/branch-step", "lab/branch-hardware", "lab/branch-last"]),
    ("capture/usb/", ["tests/capture/usb/", "tests/cli/usb.py", "tests/cli/list.sh",
                      "tests/cli/usb_none.sh", "tests/cli/messages.sh", "lab/usb-capture",
                      "lab/usb-text", "lab/usb-hotplug"]),
    ("capture/probe/", ["tests/capture/probe/", "tests/cli/usdt.py", "tests/cli/messages.sh",
                        "tests/cli/list.sh", "tests/cli/longest.py",
                        "tests/capture/probe/test_live.py"]),
    ("capture/cli/", ["tests/capture/cli/", "tests/cli/messages.sh", "tests/cli/list.sh",
                      "tests/cli/decode-man.sh"]),
    ("capture/sys/", ["tests/capture/sys/", "tests/cli/privileges.sh", "tests/capture/output/",
                      *CAPTURE]),
    ("capture/output/", ["tests/capture/output/", *CAPTURE]),
    ("capture/session/", ["tests/capture/session/", *CAPTURE]),
    ("capture/kernel/", ["tests/capture/tracefs/", *CAPTURE, "lab/eprobe", "lab/synth",
                         "lab/atexit"]),
    ("capture/", ["tests/capture/tracefs/", "tests/capture/task/", *CAPTURE]),
]
# Tests that may take four times as long: no other sees what they do.
PATIENT = ("tests/format/test_damage", "tests/format/test_small", "tests/cli/branch.py")
SIGNALS = re.compile(r"\b(kill|killpg|tgkill|pidfd_send_signal)\(|SYS_(tgkill|pidfd_send_signal)")


# ---- building and running ------------------------------------------------------------------------

def copy_tree():
    """Sources as they are now; files that are the same keep their time."""
    os.makedirs(TREE, exist_ok=True)
    skip = [f"--exclude=./{n}" for n in os.listdir(SRC)
            if os.path.exists(f"{SRC}/{n}/config.log") or n == ".git"]
    subprocess.run(["tar", "-C", SRC, *skip, "-cf", WORK + "/tree.tar", "."], check=True)
    subprocess.run(["tar", "-C", TREE, "--keep-newer-files", "--warning=none", "-xf",
                    WORK + "/tree.tar"], check=True)
    os.unlink(WORK + "/tree.tar")


def configured():
    """A change may make the compiler warn, of a header's line, too."""
    if not os.path.exists(OBJ + "/config.status"):
        return False
    with open(OBJ + "/config.status") as f:
        return "--disable-werror" in f.read()


def configure():
    """As the build is configured; so a compiler's cache has what is not changed."""
    os.makedirs(OBJ, exist_ok=True)
    if not configured():
        config = subprocess.run([BUILD + "/config.status", "--config"], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        subprocess.run(["../configure", *shlex.split(config), "--disable-werror",
                        *(["--enable-sanitizers"] if "--sanitizers" in sys.argv else [])],
                       cwd=OBJ, check=True, stdout=subprocess.DEVNULL)
    make("Makefile")  # which tests there are


def make(*targets):
    """Returns the messages of a build that failed."""
    p = subprocess.run(["make", "-s", "-k", "-j2", "V=0", *targets], cwd=OBJ,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True)
    return p.stdout + f"make: status {p.returncode}" if p.returncode else None


def limits():
    # The hard limit stays: a test that lowers its limit could not raise it again.
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 30, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def processes(first):
    """(number, seconds of the processor) of a process and all that descend from it. Criterion's
    tests have a session each."""
    found, used = {}, {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as f:
                values = f.read().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        pid = int(path.split("/")[2])
        found.setdefault(int(values[1]), []).append(pid)
        used[pid] = sum(map(int, values[11:15])) / os.sysconf("SC_CLK_TCK")
    out, todo = [], [first]
    while todo:
        pid = todo.pop()
        out.append((pid, used.get(pid, 0)))
        todo += found.get(pid, [])
    return out


def wait(p, seconds, cpu):
    """Returns the output of a test; None if it takes longer, or more time of the processor: then
    it is killed, with all that it started."""
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end and sum(used for _, used in processes(p.pid)) < cpu:
            try:
                return p.communicate(timeout=1)[0]
            except subprocess.TimeoutExpired:
                pass
        return None
    finally:  # also at SIGTERM
        if p.poll() is None:
            for pid, _ in processes(p.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            p.communicate()


def is_lab(test):
    return test.startswith("lab/")


def is_script(test):
    return test.endswith((".sh", ".py"))


def is_unit(test):
    return not is_lab(test) and not is_script(test)


def lend_lab():
    """The copy gets the kernels of the build, but results of its own."""
    for path in glob.glob(f"{BUILD}/lab/qemu-*") + glob.glob(f"{BUILD}/lab/{KERNEL}/*"):
        to = OBJ + path[len(BUILD):]
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if not path.endswith("/results") and not os.path.lexists(to):
            os.symlink(path, to)


def run(test, timeout, apart, cpu=float("inf"), **env):
    """Runs a test with MUTANT or MUTANT_REACHED. None: it passed; else why not."""
    if is_lab(test):
        args = ["/usr/bin/python3", TREE + "/tests/lab/run", KERNEL, test[len("lab/"):]]
        return run_args(args, timeout, cpu, MAKELEVEL="1", LAB_MUTANT=env.get("MUTANT", "0"))
    how = {".sh": ["bash"], ".py": ["/usr/bin/python3"]}.get(os.path.splitext(test)[1])
    args = [*how, TREE + "/" + test] if how else ["sh", TREE + "/tests/run-unit", test]
    if apart:
        args = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *args]
    return run_args(args, timeout, cpu, **env)


def run_args(args, timeout, cpu, **env):
    """The same for a command line."""
    env = dict(os.environ, TRAWL_SRC=TREE, TRAWL_BUILD=OBJ, PATH=OBJ + ":" + os.environ["PATH"],
               ASAN_OPTIONS="hard_rss_limit_mb=3000", **env)
    p = subprocess.Popen(args, cwd=OBJ, env=env, text=True, start_new_session=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         preexec_fn=limits,
                         errors="replace")
    out = wait(p, timeout, cpu)
    if out is None:
        return "time"
    bad = re.search(r"^not ok.*", out, re.M)
    if bad or p.returncode:
        return bad[0] if bad else f"status {p.returncode}: {out[-200:]}"
    return None


class Kept:
    """Results by a key, in a file with one line of JSON each."""

    def __init__(self, name):
        self.path, self.known = f"{WORK}/{name}", {}
        if os.path.exists(self.path):
            with open(self.path) as f:
                for line in f:
                    if line.endswith("\n"):  # the last may be cut
                        key, value = json.loads(line)
                        self.known[tuple(key)] = value

    def add(self, key, value):
        self.known[key] = value
        with open(self.path, "a") as f:
            f.write(json.dumps([key, value]) + "\n")


class Tests:
    """All tests: with unchanged sources, how long each takes and which changes it reaches. One that
    is slow or fails there is not used."""

    def __init__(self, size, slow):
        self.size, self.slow, self.build, self.measured = size, slow, "", Kept("measured")
        with open(OBJ + "/Makefile") as f:
            self.known = set(re.findall(r"tests/[\w/.-]+", f.read()))

    def names(self, path):
        wanted = next(t for prefix, t in TESTS if path.startswith(prefix))
        out = []
        for t in wanted:
            if t.endswith("/"):
                units = sorted(os.path.relpath(f, SRC)[:-2]
                               for f in glob.glob(f"{SRC}/{t}test_*.c"))
                out += [u for u in units if u in self.known]
            else:
                out.append(t)
        return [t for t in out if not UNITS or is_unit(t)]

    def run_unchanged(self, test, apart):
        """Returns why a test is not used (or None), its seconds, and the numbers that it reaches.
        Processor time decides, which a busy machine does not change."""
        if is_lab(test):  # a guest writes to no file here: it may reach all
            if not os.path.exists(f"{OBJ}/lab/{KERNEL}/results"):
                os.makedirs(f"{OBJ}/lab/{KERNEL}/results")
            start = time.monotonic()
            return run(test, 600, apart), time.monotonic() - start, list(range(self.size))
        with open(REACHED, "wb") as f:
            f.write(bytes(self.size))
        os.chmod(REACHED, 0o666)  # programs that became another user
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        most = self.slow * (4 if test in PATIENT else 1)
        why = run(test, 8 * most, apart, most, MUTANT_REACHED=REACHED)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        if not why and cpu > most:
            why = f"time: {cpu:.0f} s of the processor"
        with open(REACHED, "rb") as f:
            reached = [n for n, byte in enumerate(f.read()) if byte]
        return why, time.monotonic() - start, reached

    def measure(self, test, apart):
        """The same, kept for this build and this state of the test."""
        path = f"{OBJ}/{test}" if is_unit(test) else f"{TREE}/{test}" if is_script(test) else \
            f"{TREE}/tests/lab/guest/{test[len('lab/'):]}.sh"
        key = self.build, self.slow, test, apart, os.stat(path).st_mtime_ns
        if key not in self.measured.known:
            result = self.run_unchanged(test, apart)
            if result[0] and not result[0].startswith("time"):  # by chance, or it always fails here
                result = self.run_unchanged(test, apart)
            if result[0]:
                print(f"# not used: {test}: {result[0]}", flush=True)
            self.measured.add(key, result)
        return self.measured.known[key]

    def notices(self, test, number, apart, seconds):
        """Returns how a test fails with a change, or None."""
        most = 15 + 5 * seconds
        how = run(test, most, apart, MUTANT=str(number))
        if how and run(test, 2 * most, apart, MUTANT="0"):
            print(f"# {test} fails without a change, too", flush=True)
            return None
        return how

    def try_one(self, number, path):
        """Returns (test, how) of the first test that notices a change, None, or ("", "") if no
        test reaches it. The file's own test comes first, then the quickest."""
        with open(f"{SRC}/{path}") as f:
            apart = bool(SIGNALS.search(f.read()))
        near, any_able = "/test_" + os.path.basename(path)[:-2], False
        # Scripts are only measured for what is left, and guests at the very end.
        for of_kind in (is_unit,) if apart else (is_unit, is_script, is_lab):
            able = []
            for t in filter(of_kind, self.names(path)):
                why, seconds, reached = self.measure(t, apart)
                if not why and number in reached:
                    able.append((not t.endswith(near), seconds, t))
            for _, seconds, t in sorted(able):
                how = self.notices(t, number, apart, seconds)
                if how:
                    return t, how
            any_able |= bool(able)
        return None if any_able else ("", "")


class Results(Kept):
    """What became of each change, until its file changes."""

    def __init__(self):
        super().__init__("results-units" if UNITS else "results")

    @staticmethod
    def key(place):
        name, line, what, new = place
        with open(f"{SRC}/{name}", "rb") as f:
            return name, hashlib.sha256(f.read()).hexdigest(), line, what, new

    def has(self, key, again):
        """Whether a change was tried; with `again`, whether it was killed."""
        return key in self.known and not (again and not (self.known[key] or [""])[0])


def line_of(place):
    """The line of the source that a place changes."""
    with open(f"{SRC}/{place[0]}") as f:
        return f.read().split("\n")[place[1]]


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--count", type=int, default=60)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--minutes", type=float, default=0, help="0: until all are tried")
    p.add_argument("--in", dest="only", action="append", metavar="FOLDER")
    p.add_argument("--at", action="append", default=[], metavar="FILE:LINE")
    p.add_argument("--slow", type=float, default=25, metavar="SECONDS",
                   help="processor time of a test that is not used")
    p.add_argument("--list", action="store_true")
    p.add_argument("--sanitizers", action="store_true")
    p.add_argument("--units", action="store_true")
    p.add_argument("--again", action="store_true")
    return p.parse_args()


def build_all(chosen, slow):
    """Builds a copy of the tree with the changes `chosen` (number: place), and the tests of their
    files. Returns these tests, and the numbers that do not compile."""
    copy_tree()
    configure()
    lend_lab()
    tests = Tests(max(chosen) + 1, slow)
    units = sorted({t for name, *_ in chosen.values() for t in tests.names(name) if is_unit(t)})
    texts = {}
    for path in (f for top in TOPS for f in glob.glob(f"{SRC}/{top}/**/*.c", recursive=True)):
        with open(path) as f:
            texts[os.path.relpath(path, SRC)] = f.read()
    tests.build = hashlib.sha256(json.dumps([chosen, texts]).encode()).hexdigest()
    # one after the other: both would link the same libraries at the same time
    return tests, build(TREE, texts, chosen, lambda: make("all") or make("mutants-build", *units))


class Tally:
    """What became of the mutants."""
    def __init__(self):
        self.killed, self.late, self.survived, self.equal, self.stillborn = {}, 0, [], 0, 0

    def add(self, place, how):
        """how: as Tests.try_one() returns it."""
        name, line, what, new = place
        where = f"{name}:{line + 1}: {what}"
        if how and how[0]:
            top = name.split("/")[0]
            self.killed[top] = self.killed.get(top, 0) + 1
            self.late += how[1] == "time"
            print(f"killed {where} by {how[0]}" + (" (time)" if how[1] == "time" else ""),
                  flush=True)
        else:
            self.survived.append(name)
            why = " (no test reaches it)" if how else ""
            print(f"SURVIVED {where}{why}\n-{line_of(place)}\n+{new}", flush=True)

    def show(self, seed):
        """Returns whether fewer than nine of ten were killed."""
        dead = sum(self.killed.values())
        for top in TOPS:
            n = self.killed.get(top, 0)
            lives = sum(s.startswith(top) for s in self.survived)
            if n + lives:
                print(f"{top}: {n} of {n + lives} killed")
        share = 100 * dead / max(1, dead + len(self.survived))
        print(f"{dead} of {dead + len(self.survived)} killed ({share:.0f} %), {self.late} of them "
              f"by time; {self.equal} equivalent, {self.stillborn} do not build; seed {seed}")
        return dead * 10 < (dead + len(self.survived)) * 9


def main():
    o = options()
    end = time.monotonic() + 60 * o.minutes if o.minutes else float("inf")
    places = all_places(SRC, o.only or [t + "/" for t in TOPS], o.sanitizers)
    if o.at:
        chosen = [q for q in places if f"{q[0]}:{q[1] + 1}" in o.at]
    else:
        chosen = sample(places, o.count, o.seed)
    if o.list:
        for name, line, what, new in chosen:
            print(f"{name}:{line + 1}: {what}: {new.strip()}")
        return 0
    signal.signal(signal.SIGTERM, lambda *a: sys.exit("# ended; what was tried is kept"))
    same, results, tally = equivalents(SRC), Results(), Tally()
    equal = {p for p in chosen if (p[0], line_of(p).strip(), p[2]) in same}
    numbers = {n: p for n, p in enumerate(chosen, 1) if p not in equal}
    keys = {n: results.key(p) for n, p in numbers.items()}  # of the sources that are built
    tests, stillborn = build_all(numbers, o.slow)
    tally.equal, tally.stillborn, untried = len(equal), len(stillborn), 0
    for n, place in numbers.items():
        if n in stillborn:
            continue
        if not results.has(keys[n], o.again):
            if time.monotonic() > end:
                untried += 1
                continue
            results.add(keys[n], tests.try_one(n, place[0]))
        tally.add(place, results.known[keys[n]])
    if untried:
        print(f"# {untried} of {len(chosen)} were not tried: {o.minutes:g} minutes")
    return tally.show(o.seed)


if __name__ == "__main__":
    sys.exit(main())
