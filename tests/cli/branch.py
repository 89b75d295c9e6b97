#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Branches: what single steps record of a program is what gdb's steps and objdump's listing of it
say, branch by branch; signals, children and threads; -p; and what is wrong is said."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from tap import finish, ok, same, skip  # noqa: E402

SRC = os.environ.get("TRAWL_SRC", ".")
BUILD = os.environ.get("TRAWL_BUILD", ".")
BRANCHES = f"{BUILD}/samples/branches"


def run(*argv, **more):
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, **more)


def capture(folder, command, *more):
    """(the finished trawl, the branches)"""
    path = f"{folder}/x.trawl"
    done = run(f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", path, *more, "--", *command)
    return done, decode(path)


def decode(path, *more):
    out = run(f"{BUILD}/trawl-decode", "--json", *more, path)
    return [json.loads(line) for line in out.stdout.splitlines()]


def pairs(branches, tid=None):
    """(from, to) of what the program itself did."""
    return [(int(b["fields"]["from"], 16), int(b["fields"]["to"], 16)) for b in branches
            if b["name"] not in ("branch:exec",) and tid in (None, b["tid"])]


def lengths(program):
    """The instructions of a program by objdump: address -> (length, text)."""
    found = {}
    for line in run("objdump", "-d", "-w", program).stdout.splitlines():
        m = re.match(r"\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*(.*)", line)
        if m:
            found[int(m[1], 16)] = (len(m[2].split()), m[3])
    return found


def by_gdb(program, folder):
    """The branches by gdb: where a step leaves the line of instructions, or one is a branch
    always."""
    script = f"{folder}/steps.py"
    with open(script, "w") as f:
        f.write("import gdb\n"
                "gdb.execute('set pagination off')\ngdb.execute('set startup-with-shell off')\n"
                "gdb.execute('starti')\n"
                "try:\n"
                "    while True:\n"
                "        print('PC', hex(int(gdb.parse_and_eval('(unsigned long)$pc'))),\n"
                "              int(gdb.parse_and_eval('$eflags & 0x40')) != 0)\n"
                "        gdb.execute('stepi', to_string=True)\n"
                "except gdb.error:\n"
                "    pass\n")
    out = run("gdb", "-nx", "-batch", "-x", script, program).stdout
    steps = [line.split()[1:] for line in out.splitlines() if line.startswith("PC ")]
    insns = lengths(program)
    found = []
    for (pc, zero), (to, _) in zip(steps, steps[1:]):
        pc, to = int(pc, 16), int(to, 16)
        size, text = insns[pc]
        always = re.match(r"(jmp|call|ret|syscall)", text)
        # the only conditional jump of the program that is taken to the next instruction
        to_next = text.startswith("je ") and zero == "True"
        if to != pc + size and not text.startswith("rep") or always or to_next:
            found.append((pc, to))
    return found


def check_exact(folder):
    done, branches = capture(folder, [BRANCHES])
    same(0, done.returncode, "its status is as without")
    wanted = by_gdb(BRANCHES, folder)
    ok(len(wanted) > 40, f"gdb's steps have {len(wanted)} branches")
    same([(hex(a), hex(b)) for a, b in wanted], [(hex(a), hex(b)) for a, b in pairs(branches)],
         "the branches are those of gdb's steps")
    kinds = {}
    for b in branches:
        kinds[b["fields"]["kind"]] = kinds.get(b["fields"]["kind"], 0) + 1
    same({"exec": 1, "jcc": 19 + 1 + 2 + 1 + 4 + 6, "jmp": 1, "call": 2, "call*": 2, "jmp*": 1,
          "ret": 4, "syscall": 1}, kinds, "each is of its kind")
    calls = [b["fields"] for b in branches if b["fields"]["kind"] == "call*"]
    same(["direct"] * 2, [c["to_symbol"] for c in calls], "the file has the symbols")
    ok(all(c["from_symbol"].startswith("_start+0x") for c in calls), "with offsets")
    return branches


def check_signal(folder):
    done, branches = capture(folder, [BRANCHES, "x"])
    same(0, done.returncode,
         "no trap flag seen; a signal on the alternate stack, one that is ignored, a child")
    kinds = [b["fields"]["kind"] for b in branches]
    same((1, 1), (kinds.count("signal"), kinds.count("sigreturn")), "the handler's begin and end")
    signal = next(b["fields"] for b in branches if b["fields"]["kind"] == "signal")
    back = next(b["fields"] for b in branches if b["fields"]["kind"] == "sigreturn")
    same("handler", signal["to_symbol"], "the signal goes to the handler")
    same(signal["from"], back["to"], "and comes back to where it interrupted")
    tids = sorted({b["tid"] for b in branches})
    same(2, len(tids), "the child is followed")
    loop = [b for b in branches if b["fields"]["from_symbol"].startswith("child+") and
            b["fields"]["kind"] == "jcc"]
    same((4, tids[1]), (len(loop), loop[0]["tid"]), "its branches are its own")


def check_program(folder):
    """A real program with threads: its output, its status; and every branch fits the one before."""
    text = f"{folder}/text"
    with open(text, "w") as f:
        f.write("some words, some words again\n" * 20)
    plain = subprocess.run(["gzip", "-nc", text], capture_output=True)
    done = subprocess.run([f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", f"{folder}/g.trawl", "--",
                           "gzip", "-nc", text], capture_output=True, timeout=120)
    same((plain.returncode, plain.stdout), (done.returncode, done.stdout), "gzip writes the same")
    branches = pairs(decode(f"{folder}/g.trawl"))
    ok(len(branches) > 5000, f"{len(branches)} branches of it")
    gaps = [(hex(a[1]), hex(b[0])) for a, b in zip(branches, branches[1:]) if b[0] < a[1]]
    same([], gaps[:5], "from where one goes, code runs on to the next")


def check_reader(folder):
    """The reader that was written from docs/format.md sees the same branches and symbols."""
    path = f"{folder}/g.trawl"
    other = run(sys.executable, "-B", f"{SRC}/tests/reader_branch.py", path)
    theirs = [line.split() for line in other.stdout.splitlines()]
    ours = []
    for b in decode(path):
        b, tid = b["fields"], b["tid"]
        symbols = [b[f"{end}_symbol"] for end in ("from", "to")]
        known = [s if "+0x" not in s or not s.startswith(b[f"{end}_module"] or "-") else "None"
                 for s, end in zip(symbols, ("from", "to"))]
        ours.append([str(tid), b["kind"], b["from"], known[0], b["to"], known[1], "0", "0"])
    same(len(ours), len(theirs), "an independent reader finds as many")
    bad = [(a, b) for a, b in zip(ours, theirs) if a != b and b[1] != "exec"]
    same([], bad[:3], "and all are the same, with their symbols")


def check_attach(folder):
    """-p of a program that is there, with threads; it goes on when the capture ends, each time: the
    trap of the last step is not left behind."""
    victim = subprocess.Popen([sys.executable, "-S", "-c", "import threading\n"
                               "def f():\n    while True: sum(range(50))\n"
                               "threading.Thread(target=f, daemon=True).start()\nf()\n"])
    try:
        time.sleep(0.5)
        done = run(f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", f"{folder}/p.trawl",
                   "--duration", "1s", "-p", str(victim.pid))
        same(0, done.returncode, "-p PID")
        tids = {b["tid"] for b in decode(f"{folder}/p.trawl")}
        same(2, len(tids), "both threads are recorded")
        for _ in range(10):
            run(f"{BUILD}/trawl", "-q", "-i", "branch:ptrace", "-w", f"{folder}/q.trawl",
                "--duration", "100ms", "-p", str(victim.pid))
        same(None, victim.poll(), "the process lives on, also when that is done often")
        with open(f"/proc/{victim.pid}/status") as f:
            same("0", re.search(r"TracerPid:\s*(\d+)", f.read())[1], "nobody traces it any more")
    finally:
        victim.kill()
        victim.wait()


def check_crash(folder):
    """A flight recorder has what led to the crash; its small ring has the names of what ran long
    before, too."""
    with open(f"{folder}/c.c", "w") as f:
        f.write("int last(int *p) { return *p; }\n"
                "int again(int n) { return n > 3000 ? last((int *)8) : n; }\n"
                "int main(void) { int s = 0; for (int i = 0; i < 9000; i++) s += again(i); return "
                "s; }\n")
    run("gcc", "-O0", "-g", "-o", f"{folder}/c", f"{folder}/c.c")
    done = run("bash", "-c",
               f"ulimit -c 0; {BUILD}/trawl --ring 1m -i branch -w {folder}/c.trawl -- {folder}/c")
    ok("SIGSEGV" in done.stderr and "holds the last" in done.stderr, "--ring, and a crash",
       done.stderr)
    out = run(f"{BUILD}/trawl-decode", "--calls=3", f"{folder}/c.trawl").stdout.splitlines()
    ok(len(out) == 3 and out[2].endswith("last  c.c:2") and out[1].endswith("again  c.c:3"),
       "the last calls before it", out)
    told = re.search(r"(\d+) events captured, 0 lost \(branch (\d+)\)", done.stderr)
    ok(told and told[1] == told[2] and int(told[1]) > 3000, "the last line counts branches",
       done.stderr)
    done = run(f"{BUILD}/trawl", "-i", "branch", "-c", "3", "-w", f"{folder}/n.trawl", "--", "true")
    ok(done.returncode == 2 and "-c: counts events, and branches" in done.stderr,
       "-c is not for branches", done.stderr)
    names = run(f"{BUILD}/trawl-decode", "--meta=branch/module/*", f"{folder}/c.trawl").stdout
    ok("_dl_relocate_object" in names or "_dl_start" in names or "ld-linux" in names,
       "libraries are in the file", names[:300])


def check_golden():
    """A file of today is read by every later version."""
    golden = decode(f"{SRC}/tests/golden/branches.trawl")
    same(45, len(golden), "the golden file has its branches")
    call = next(b["fields"] for b in golden if b["fields"]["kind"] == "call")
    same(("_start+0x22", "direct", "branches.S"),
         (call["from_symbol"], call["to_symbol"], os.path.basename(call["to_line"]).split(":")[0]),
         "with symbols and lines")


def check_self_test():
    done = run(f"{BUILD}/trawl", "--self-test", "branch")
    ok(done.returncode == 0 and
       "branch:ptrace: right: 999 of 999 turns of a loop, 1 of 1 return, 0 others\n"
       in done.stdout, "--self-test branch: a known loop, every branch of it", done.stdout,
       done.stderr)
    ok(re.search(r"^to send on: trawl .*ptrace=right", done.stdout, re.M), "and a line to send",
       done.stdout)
    listed = run(f"{BUILD}/trawl", "-D", "branch").stdout
    for name in "perf-bts", "intel-bts", "kmod-step", "perf-lbr":
        ok(re.search(rf"branch:{name} .*\n(?! +not usable)|not usable: branch:{name}: \S.{{20}}",
                     listed),
           f"-D lists {name}, and why if it is not usable", listed)


def check_bad(folder):
    def fails(name, status, pattern, *argv):
        done = run(f"{BUILD}/trawl", *argv)
        ok(done.returncode == status and re.search(pattern, done.stderr), name, done.returncode,
           done.stderr)

    fails("no task is named", 2, r"whose branches\? Give -p PID, or -- COMMAND$", "-i", "branch")
    fails("no such back end", 2, r"branch:ptrase: no such way .*ptrace", "-i", "branch:ptrase",
          "-p", "1")
    fails("no such process", 2, r"4194000", "-i", "branch", "-p", "4194000")
    gdb = subprocess.Popen(["gdb", "-nx", "-q", BRANCHES], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    gdb.stdin.write("set startup-with-shell off\nstarti\npython print('PID', "
                    "gdb.selected_inferior().pid, flush=True)\n")
    gdb.stdin.flush()
    for line in gdb.stdout:
        m = re.search(r"PID (\d+)", line)
        if m:
            break
    fails("a process that is traced already", 3, rf"process {gdb.pid} traces it already", "-i",
          "branch",
          "-p", m[1])
    gdb.stdin.write("kill\nquit\n")
    gdb.stdin.close()
    gdb.wait()


def main():
    folder = tempfile.mkdtemp()
    try:
        if shutil.which("gdb"):
            check_exact(folder)
        else:
            skip("the branches are those of gdb's steps", "gdb is not installed")
        check_signal(folder)
        check_program(folder)
        check_reader(folder)
        check_attach(folder)
        check_crash(folder)
        check_self_test()
        check_golden()
        if shutil.which("gdb"):
            check_bad(folder)
    finally:
        shutil.rmtree(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
