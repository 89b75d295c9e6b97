# SPDX-License-Identifier: MIT
"""mutants.py [--count N] [--seed S] [--minutes M] [--in FOLDER] [--at FILE:LINE]... [--list]
[--sanitizers] [--units] [--again]

Changes one thing at a time in format/, decode/ and capture/, in a copy of the tree, builds what
that changes and runs the tests that can notice it: the unit tests of the folder, then the quick
ones of the programs. Prints each change that no test noticed as FILE:LINE with both lines, and at
the end how many were killed of those that are not equivalent (tests/mutants/equivalent). The seed
decides the places. After --minutes no other change is begun: those that were tried are still an
equal share of each folder.

What became of each change is kept in results of the copy, until its file changes: the next run,
of this or another seed, does not try it again. So a run that was ended, however, counts. --again
tries survivors again, when tests have been added.

The copy is build/mutants; it stays, so that a second run builds less. With --sanitizers it is
build/mutants-asan, where leaks and reads of too much are noticed, too, and free() is left out as
well; that takes four times as long. --units: the unit tests only, which are quick. Tests of a file
that sends signals run in a PID namespace of their own, so that a changed kill() reaches nobody
else; those of the recorder, which knows tasks by the numbers that the kernel has for them, fail
there and are not used.
"""
import argparse
import glob
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
WORK = BUILD + ("/mutants-asan" if "--sanitizers" in sys.argv else "/mutants")
TREE, OBJ = WORK + "/tree", WORK + "/build"
UNITS = "--units" in sys.argv
CHANGED = WORK + "/changed"  # the file that is changed at the moment
SLOW = 25  # seconds of processor time: a test that takes longer is none of the quick ones

# The tests of files by the begin of their path, the closest first; the first row that fits counts.
# A folder of Criterion tests stands for all tests in it.
READERS = ["tests/cli/decode.sh", "tests/cli/lines.py", "tests/format/golden.sh",
           "tests/cli/export.sh",
           "tests/cli/kernel.py",
           "tests/cli/decode-bad.sh", "tests/cli/diff.py"]
USB = ["tests/decode/usb/", "tests/cli/usbview.py", "tests/cli/usbclasses.py", "tests/cli/usb.py",
       "tests/cli/import.py",
       "tests/format/golden.sh", "tests/cli/samples.sh"]
CAPTURE = ["tests/cli/capture_events.sh", "tests/cli/usdt.py", "tests/cli/capture_scope.sh",
           "tests/cli/capture_ends.sh",
           "tests/cli/messages.sh", "tests/cli/list.sh", "tests/cli/capture_output.sh",
           "tests/cli/flight.sh"]
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
    ("decode/flow/", ["tests/cli/branchexport.py", "tests/cli/branch.py"]),
    ("decode/", [*READERS, "tests/cli/page.py", "tests/cli/usbview.py", "tests/cli/usbpcap.py"]),
    ("capture/branch/", ["tests/capture/branch/", "tests/cli/branch.py", "tests/cli/parsers.py"]),
    ("capture/usb/", ["tests/capture/usb/", "tests/cli/usb.py", "tests/cli/list.sh"]),
    ("capture/probe/", ["tests/capture/probe/", "tests/cli/usdt.py", "tests/cli/messages.sh",
                        "tests/cli/list.sh"]),
    ("capture/cli/", ["tests/capture/cli/", "tests/cli/messages.sh", "tests/cli/list.sh",
                      "tests/cli/decode-man.sh"]),
    ("capture/sys/", ["tests/cli/privileges.sh", "tests/capture/output/", *CAPTURE]),
    ("capture/output/", ["tests/capture/output/", *CAPTURE]),
    ("capture/session/", ["tests/capture/session/", *CAPTURE]),
    ("capture/", ["tests/capture/tracefs/", "tests/capture/task/", "tests/cli/capture_input.sh",
                  *CAPTURE]),
]
# Files whose mutants could remove or stop what belongs to others on this machine.
LEFT_OUT = re.compile(
    r"^capture/(tracefs/(gc|instance|instances|control|owner)\.c|branch/module\.c|sys/priority\.c)$")

SIGNALS = re.compile(r"\b(kill|killpg|tgkill|pidfd_send_signal)\(|SYS_(tgkill|pidfd_send_signal)")


# ---- places ------------------------------------------------------------------------------------

def masked(text):
    """The same with comments, strings and preprocessor lines blank, so that places stay."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m[0])
    return re.sub(
        r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^\s*#(?:\\\n|[^\n])*',
        blank, text,
                  flags=re.S | re.M)


SWAPS = [(r"(?<![<>=!+\-*/&|^%-])<(?![<=])", "<="), (r"(?<!<)<=", "<"),
         (r"(?<![>-])>(?![>=])", ">="), (r"(?<!>)>=", ">"),
         (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"),
         (r"(?<=[\w)\]] )\+(?= )", "-"), (r"(?<=[\w)\]] )-(?= )", "+"), (r"\+=", "-="),
         (r"-=", "+="),
         (r"(?<=[\w)\]] )&(?= )", "|"), (r"(?<=[\w)\]] )\|(?= )", "&"), (r"<<(?!=)", ">>"),
         (r">>(?!=)", "<<")]
CALL = re.compile(r"^\t+((?!return|sizeof|if|while|for|switch|va_\w+)[a-z_]\w*\([^;{}]*\));$")


def changes(path, text):
    """(line, what, new text of the line) of all that can be changed."""
    lines, code = text.split("\n"), masked(text).split("\n")
    inside, out = False, []
    for i, line in enumerate(code):
        if line.startswith(("{", "}")):
            inside = line.startswith("{")
            continue
        if not inside or not line.startswith("\t"):
            continue
        for pattern, new in SWAPS:
            for m in re.finditer(pattern, line):
                out.append((i, f"{m[0]} -> {new}", lines[i][:m.start()] + new + lines[i][m.end():]))
        # a failure is any negative number, and room for a text is a guess
        for m in () if re.match(
            r"^\t+(return -\d+;|(const |static |unsigned )*\w+ [^=;()]*\[[^\]]*\](;|,| =.*))",
            line) else re.finditer(r"(?<![\w.])(0x[0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])", line):
            n = int(m[1], 8 if re.match(r"0\d", m[1]) else 0)
            for other in (n + 1, n - 1) if n else (1,):
                other = f"0{other:o}" if re.match(r"0\d", m[1]) else str(other)
                out.append((i, f"{m[1]} -> {other}",
                            lines[i][:m.start()] + other + m[2] + lines[i][m.end():]))
        m = re.match(r"^(\t+(?:\} else )?)(if|while) \((.*)\)( \{)?$", line)
        if m and m[3].count("(") == m[3].count(")"):
            a, b = m.start(3), m.end(3)
            out.append((i, f"{m[2]} negated", f"{lines[i][:a]}!({lines[i][a:b]}){lines[i][b:]}"))
        m = CALL.match(line)
        if m and ("--sanitizers" in sys.argv or
                  not re.match(r"(\w+_)?(free|close)\(|assert\(", m[1])):
            out.append((i, "call left out", lines[i][:m.start(1)] + lines[i][m.end(1):]))
    return out


def all_places(only):
    files = [f for d in ("format", "decode", "capture")
             for f in glob.glob(f"{SRC}/{d}/**/*.c", recursive=True)]
    places = []
    for path in sorted(files):
        name = os.path.relpath(path, SRC)
        if LEFT_OUT.match(name) or not name.startswith(tuple(only)):
            continue
        with open(path) as f:
            text = f.read()
        places += [(name, *c) for c in changes(name, text)]
    return places


def sample(places, count, seed):
    """An equal share of each of the three folders, each line at most once."""
    rng, taken = random.Random(seed), []
    for top in ("format/", "decode/", "capture/"):
        by_line = {}
        for p in places:
            if p[0].startswith(top):
                by_line.setdefault((p[0], p[1]), []).append(p)
        keys = rng.sample(sorted(by_line), min(len(by_line), count))
        taken.append([rng.choice(by_line[k]) for k in keys])
    groups = zip(*taken) if all(taken) else taken
    mixed = [p for group in groups for p in group]
    return mixed[:count]


def equivalents():
    """FILE|LINE'S TEXT|WHAT of tests/mutants/equivalent; after it, why."""
    with open(SRC + "/tests/mutants/equivalent") as f:
        return {tuple(x.strip() for x in line.split("|||")[:3]) for line in f if "|||" in line}


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
    if os.path.exists(CHANGED):  # a run was killed before it put its file back
        with open(CHANGED) as f:
            name = f.read()
        shutil.copyfile(f"{SRC}/{name}", f"{TREE}/{name}")
        os.unlink(CHANGED)


def configure():
    with open(BUILD + "/config.log") as f:
        cc = re.search(r"^CC='(.*)'$", f.read(), re.M)[1]
    os.makedirs(OBJ, exist_ok=True)
    if not os.path.exists(OBJ + "/config.status"):
        subprocess.run([TREE + "/configure", "CC=" + cc,
                        *(["--enable-sanitizers"] if "--sanitizers" in sys.argv else []),
                        "CFLAGS=-O2 -g"], cwd=OBJ, check=True,
                       stdout=subprocess.DEVNULL)


def make(*targets):
    return subprocess.run(["make", "-s", "-j2", "V=0", *targets], cwd=OBJ, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def limits():
    # The hard limit stays: a test that lowers its limit could not raise it again.
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 30, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(test, timeout, apart):
    """None: passed; else why not."""
    how = {".sh": ["bash"], ".py": ["/usr/bin/python3"]}.get(os.path.splitext(test)[1])
    args = [*how, TREE + "/" + test] if how else ["sh", TREE + "/tests/run-unit", test]
    env = dict(os.environ, TRAWL_SRC=TREE, TRAWL_BUILD=OBJ, PATH=OBJ + ":" + os.environ["PATH"],
               ASAN_OPTIONS="hard_rss_limit_mb=3000")
    if apart:
        args = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *args]
    p = subprocess.Popen(args, cwd=OBJ, env=env, text=True, start_new_session=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         preexec_fn=limits,
                         errors="replace")
    try:
        out = p.communicate(timeout=timeout)[0]
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return "time"
    bad = re.search(r"^not ok.*", out, re.M)
    if bad or p.returncode:
        return bad[0] if bad else f"status {p.returncode}: {out[-200:]}"
    return None


class Tests:
    """All tests, with their durations on unchanged sources; one that is slow or fails there is not
    used."""

    def __init__(self):
        self.seconds, self.cpu, self.why, self.apart = {}, {}, {}, False
        with open(OBJ + "/Makefile") as f:
            self.known = set(re.findall(r"tests/[\w/.-]+", f.read()))

    def names(self, path):
        wanted = next(t for prefix, t in TESTS if path.startswith(prefix))
        out = []
        for t in wanted:
            if t.endswith("/"):
                near = t + "test_" + os.path.basename(path)[:-2]
                units = sorted(os.path.relpath(f, TREE)[:-2]
                               for f in glob.glob(f"{TREE}/{t}test_*.c"))
                out += sorted((u for u in units if u in self.known), key=lambda u: u != near)
            else:
                out.append(t)
        return [t for t in out if not UNITS or not t.endswith((".sh", ".py"))]

    def of(self, path):
        """The tests of a file's changes, tried once as they will be run."""
        with open(TREE + "/" + path) as f:
            self.apart = bool(SIGNALS.search(f.read()))
        return [t for t in self.names(path) if self.usable(t)]

    def usable(self, test):
        key = test, self.apart
        if test.endswith(("test_damage", "test_segment")):
            self.cpu[key], self.why[key] = SLOW + 1, None  # minutes on a busy machine
        if key not in self.why:
            # the programs, too, may still be those of the change before
            make("all" if test.endswith((".sh", ".py")) else test)
            self.measure(key)
            if self.why[key]:  # the machine is busy, or it always fails here
                self.measure(key)
            if self.why[key]:
                print(f"# not used, fails unchanged: {test}: {self.why[key]}", flush=True)
        return not self.why[key] and self.cpu[key] <= SLOW

    def measure(self, key):
        """Measures processor time, which a busy machine does not change; a time-out ends the test."""
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        self.why[key] = run(key[0], 12 * SLOW, key[1])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds[key] = time.monotonic() - start
        self.cpu[key] = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    def noticed(self, path, tests):
        """Returns (test, how) of the first test that fails, ("build", ...), or None."""
        if not tests:  # the mutants of an untested file count as survivors
            print(f"# {path}: there is no test that passes unchanged", flush=True)
        units = [t for t in tests if not t.endswith((".sh", ".py"))]
        # links take longer than most tests: a test is linked when those before it noticed nothing
        made = False
        for t in tests:
            if t in units or not made:
                built = make(t if t in units else "all")
                made = t not in units
                if built.returncode:
                    return "build", built.stdout[-300:]
            how = run(t, 15 + 5 * self.seconds[t, self.apart], self.apart)
            if how:
                return t, how
        return None


def put(path, text):
    with open(path, "w") as f:
        f.write(text)


class Results:
    """What became of changes, in a file with one line of JSON each."""

    def __init__(self):
        self.path, self.known = WORK + ("/results-units" if UNITS else "/results"), {}
        if os.path.exists(self.path):
            with open(self.path) as f:
                for line in f:
                    if line.endswith("\n"):  # the last may be cut
                        r = json.loads(line)
                        self.known[tuple(r["key"])] = r

    @staticmethod
    def key(place):
        name, line, what, new = place
        with open(f"{TREE}/{name}", "rb") as f:
            return name, hashlib.sha256(f.read()).hexdigest(), line, what, new

    def of(self, place, again):
        """None: it is to be tried; else (old line, None or (test, how))."""
        r = self.known.get(self.key(place))
        if not r or again and not r["how"]:
            return None
        return r["old"], r["how"]

    def add(self, key, old, how):
        with open(self.path, "a") as f:
            f.write(json.dumps({"key": key, "old": old, "how": how}) + "\n")


def try_one(tests, place):
    name, line, what, new = place
    path = TREE + "/" + name
    with open(path) as f:
        before = f.read()
    lines = before.split("\n")
    old, lines[line] = lines[line], new
    usable = tests.of(name)
    put(CHANGED, name)
    put(path, "\n".join(lines))
    try:
        return old, tests.noticed(name, usable)
    finally:
        put(path, before)
        os.unlink(CHANGED)


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--count", type=int, default=60)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--minutes", type=float, default=0, help="0: until all are tried")
    p.add_argument("--in", dest="only", action="append", metavar="FOLDER")
    p.add_argument("--at", action="append", default=[], metavar="FILE:LINE")
    p.add_argument("--list", action="store_true")
    p.add_argument("--sanitizers", action="store_true")
    p.add_argument("--units", action="store_true")
    p.add_argument("--again", action="store_true")
    return p.parse_args()


def build():
    """Builds a copy of the tree. Returns what went wrong, or nothing."""
    copy_tree()
    configure()
    # one after the other: both would link the same libraries at the same time
    built = make("all")
    if not built.returncode:
        built = make("mutants-build")
    return built.stdout[-3000:] if built.returncode else ""


class Tally:
    """What became of the mutants."""
    def __init__(self):
        self.killed, self.late, self.survived, self.equal, self.stillborn = {}, 0, [], 0, 0

    def add(self, place, old, how):
        """how: as try_one() returns it."""
        name, line, what, new = place
        where = f"{name}:{line + 1}: {what}"
        if how and how[0] == "build":
            self.stillborn += 1
        elif how:
            top = name.split("/")[0]
            self.killed[top] = self.killed.get(top, 0) + 1
            self.late += how[1] == "time"
            print(f"killed {where} by {how[0]}" + (" (time)" if how[1] == "time" else ""),
                  flush=True)
        else:
            self.survived.append(name)
            print(f"SURVIVED {where}\n-{old}\n+{new}", flush=True)

    def show(self, seed):
        """Returns whether fewer than nine of ten were killed."""
        dead = sum(self.killed.values())
        for top in ("format", "decode", "capture"):
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
    places = all_places(o.only or ["format/", "decode/", "capture/"])
    if o.at:
        chosen = [q for q in places if f"{q[0]}:{q[1] + 1}" in o.at]
    else:
        chosen = sample(places, o.count, o.seed)
    if o.list:
        for name, line, what, new in chosen:
            print(f"{name}:{line + 1}: {what}: {new.strip()}")
        return 0
    signal.signal(signal.SIGTERM, lambda *a: sys.exit("# ended; what was tried is kept"))
    wrong = build()
    if wrong:
        print(wrong)
        return 2
    tests, same, results, tally = Tests(), equivalents(), Results(), Tally()
    untried = 0
    for place in chosen:
        if time.monotonic() > end and not results.of(place, o.again):
            untried += 1
            continue
        name, line, what, new = place
        with open(f"{TREE}/{name}") as f:
            old = f.read().split("\n")[line]
        if (name, old.strip(), what) in same:
            tally.equal += 1
            print(f"equivalent {name}:{line + 1}: {what}", flush=True)
            continue
        result = results.of(place, o.again)
        if not result:
            key = results.key(place)
            result = try_one(tests, place)
            results.add(key, *result)
        tally.add(place, *result)
    if untried:
        print(f"# {untried} of {len(chosen)} were not tried: {o.minutes:g} minutes")
    return tally.show(o.seed)


if __name__ == "__main__":
    sys.exit(main())
