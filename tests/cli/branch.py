#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Branches: the branches of a program recorded by single steps equal those from gdb's steps and
objdump's listing; signals, children and threads; -p; error messages."""
import json
import os
import re
import shutil
import signal
import struct
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
    """Records a program by single steps: (finished trawl, branches)."""
    path = f"{folder}/x.trawl"
    done = run(f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", path, *more, "--", *command)
    return done, decode(path)


def decode(path, *more):
    out = run(f"{BUILD}/trawl-decode", "--json", *more, path)
    return [json.loads(line) for line in out.stdout.splitlines()]


def pairs(branches, tid=None):
    """(from, to) of the branches in the program's own code."""
    return [(int(b["fields"]["from"], 16), int(b["fields"]["to"], 16)) for b in branches
            if b["name"] not in ("branch:exec",) and tid in (None, b["tid"])]


def lengths(program):
    """{address: (length, text)} of the instructions of a program by objdump."""
    found = {}
    for line in run("objdump", "-d", "-w", program).stdout.splitlines():
        m = re.match(r"\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*(.*)", line)
        if m:
            found[int(m[1], 16)] = (len(m[2].split()), m[3])
    return found


def by_gdb(program, folder):
    """Returns the branches as seen by gdb: steps that leave the straight line, or instructions
    that always branch."""
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
    same(0, done.returncode, "its exit status is unchanged")
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
    """A real program with threads has its output and status; each branch begins where the program
    could be after the one before."""
    text = f"{folder}/text"
    with open(text, "w") as f:
        f.write("some words, some words again\n" * 8)
    plain = subprocess.run(["gzip", "-nc", text], capture_output=True)
    done = subprocess.run([f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", f"{folder}/g.trawl", "--",
                           "gzip", "-nc", text], capture_output=True, timeout=120)
    same((plain.returncode, plain.stdout), (done.returncode, done.stdout), "gzip writes the same output")
    branches = pairs(decode(f"{folder}/g.trawl"))
    ok(len(branches) > 5000, f"{len(branches)} branches of it")
    gaps = [(hex(a[1]), hex(b[0])) for a, b in zip(branches, branches[1:]) if b[0] < a[1]]
    same([], gaps[:5], "from where one goes, code runs on to the next")


def check_narrow(folder):
    """A 32-bit program is stepped, and has its names and lines in the file."""
    with open(f"{folder}/n.c", "w") as f:
        f.write("static __attribute__((noinline)) int twice(int n)\n{\n\treturn 2 * n;\n}\n\n"
                "void _start(void)\n{\n\tint sum = 0;\n\tfor (int i = 0; i < 4; i++)\n"
                "\t\tsum += twice(i);\n"
                "\t__asm__ volatile(\"int $0x80\" : : \"a\"(1), \"b\"(sum));\n}\n")
    done = run("gcc", "-m32", "-O1", "-g", "-fno-pic", "-no-pie", "-nostdlib", "-static", "-o",
               f"{folder}/n", f"{folder}/n.c")
    same("", done.stderr, "a 32-bit program is built")
    done = run(f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", f"{folder}/n.trawl", "--",
               f"{folder}/n")
    ok("exit status 12" in done.stderr, "it ends as without", done.stderr)
    calls = [b for b in decode(f"{folder}/n.trawl") if b["fields"]["kind"] == "call"]
    same([("_start", "twice", "n.c:10", "n.c:3")] * 4,
         [(b["fields"]["from_symbol"].split("+")[0], b["fields"]["to_symbol"],
           os.path.basename(b["fields"].get("from_line", "")),
           os.path.basename(b["fields"].get("to_line", ""))) for b in calls],
         "its calls, with names and lines")
    with open(f"{folder}/i.s", "w") as f:  # chmod: 15 is rt_sigreturn of 64-bit calls
        f.write(".globl _start\n_start: mov $15, %eax\nxor %ebx, %ebx\nint $0x80\n"
                "mov $1, %eax\nint $0x80\n")
    run("gcc", "-nostdlib", "-static", "-o", f"{folder}/i", f"{folder}/i.s")
    run(f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", f"{folder}/i.trawl", "--", f"{folder}/i")
    same(["exec", "syscall"], [b["fields"]["kind"] for b in decode(f"{folder}/i.trawl")],
         "a 32-bit system call of 64-bit code")


def check_names(folder):
    """A thread that names itself has its first name until then, also in a file with long batches."""
    with open(f"{folder}/named.c", "w") as f:
        f.write("""#include <pthread.h>
#include <sys/prctl.h>
__attribute__((noinline)) static void before(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void after(void) { __asm__ volatile(""); }
static void *run(void *arg)
{
	before();
	prctl(PR_SET_NAME, "renamed");
	after();
	return arg;
}
int main(void)
{
	pthread_t t;

	return pthread_create(&t, 0, run, 0) || pthread_join(t, 0);
}
""")
    done = run("cc", "-O1", "-o", f"{folder}/named", f"{folder}/named.c", "-pthread")
    ok(done.returncode == 0, "a program that names a thread is made", done.stderr)
    _, events = capture(folder, [f"{folder}/named"])
    same([("before", "named"), ("after", "renamed")],
         [(e["fields"]["to_symbol"], e["comm"]) for e in events
          if e["name"] == "branch:call" and e["fields"].get("to_symbol") in ("before", "after")],
         "and has each name at its time")


def check_reader(folder):
    """tests/reader_branch.py, written from docs/format.md, reads the same branches and symbols."""
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
    """-p of a running program with threads. After each capture the program continues: no trap of
    the last step is left to kill it."""
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


ASLEEP = """#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char c;
	int status, n = argc > 1 ? 0 : read(0, &c, 1); /* with an argument it does not go on */
	pid_t child = vfork();

	if (!child) {
		n = read(0, &c, 1);
		_exit(7);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}
"""


def line_with(stream, wanted):
    """Reads up to the first line with that text and returns it; "" at the end."""
    for line in stream:
        if wanted in line:
            return line
    return ""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def state_of(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(") ", 1)[1][0]


def asleep(folder, *more):
    """(program in the D state whose branches are recorded, trawl, which has been interrupted)"""
    victim = subprocess.Popen([f"{folder}/asleep", *more], stdin=subprocess.PIPE, bufsize=0)
    while state_of(victim.pid) != ("D" if more else "S"):
        time.sleep(0.01)
    trawl = subprocess.Popen([f"{BUILD}/trawl", "-i", "branch:ptrace", "-w",
                              f"{folder}/d.trawl", "-p", str(victim.pid)], text=True,
                             stderr=subprocess.PIPE)
    line_with(trawl.stderr, "interrupt to end")
    if not more:
        victim.stdin.write(b"1")
    while state_of(victim.pid) != "D":
        time.sleep(0.01)
    trawl.send_signal(signal.SIGINT)
    return victim, trawl


def check_asleep(folder):
    """A task in uninterruptible sleep, such as one that waits for vfork(), cannot be detached."""
    with open(f"{folder}/asleep.c", "w") as f:
        f.write(ASLEEP)
    run("gcc", "-O1", "-static", "-o", f"{folder}/asleep", f"{folder}/asleep.c")
    victim, trawl = asleep(folder, "at once")
    trawl.communicate()
    same(0, trawl.returncode, "a task that sleeps in the kernel and was never stepped is left")
    victim.stdin.write(b"2")
    same(7, victim.wait(), "and continues")
    for again in False, True:
        victim, trawl = asleep(folder)
        ok(f"task {victim.pid} sleeps in the kernel" in line_with(trawl.stderr, "sleeps"),
           "a task that was stepped is waited for, and that is said")
        whole = run(f"{BUILD}/trawl-edit", "verify", f"{folder}/d.trawl")
        same(0, whole.returncode, "the file is whole by then")
        if again:
            trawl.send_signal(signal.SIGINT)
            trawl.wait()
        victim.stdin.write(b"2")
        same(-signal.SIGTRAP if again else 7, victim.wait(),
             "another interrupt ends trawl, which kills the task" if again else "the task goes on")
        same(0, trawl.wait(), "trawl's status")
        trawl.stderr.close()


def check_left_behind(folder):
    """COMMAND leaves a process behind: a line names it."""
    done = run(f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", f"{folder}/left.trawl", "--", "sh",
               "-c", "sleep 60 >/dev/null 2>&1 & echo $!; exit 5")
    left = int(done.stdout)
    os.kill(left, signal.SIGKILL)
    ok("sh has ended and left 1 process behind, no longer recorded; "
       f"-p {left} records it\n" in done.stderr, "a process left behind is named", done.stderr)


def check_no_process(folder):
    """If the readers of programs cannot be started, a message says that names are missing because
    of this."""
    done = run("prlimit", "--nproc=0", f"{BUILD}/trawl", "-i", "branch:ptrace", "-w",
               f"{folder}/n.trawl", "--", BRANCHES)
    why = run(f"{BUILD}/trawl-decode", "--meta=branch/module/*", f"{folder}/n.trawl").stdout
    ok(done.returncode == 0 and "no process could be started that reads its symbols" in why
       and "damaged" not in why, "a reader that cannot be started", done.stderr, why)
    out = run(f"{BUILD}/trawl-decode", "--summary", f"{folder}/n.trawl").stdout
    ok(re.search(r"^branches without names: /.*branches: no process could", out, re.M),
       "--summary says why there are no names", out)


def check_order(folder):
    """Branches of two tasks and kernel events are in one time order."""
    with open(f"{folder}/two.c", "w") as f:
        f.write("#include <sys/wait.h>\n#include <unistd.h>\nint main(void) { int id = fork();\n"
                "for (int i = 0; i < 50; i++) getppid(); return id ? wait(0) != id : 0; }\n")
    run("gcc", "-O1", "-static", "-o", f"{folder}/two", f"{folder}/two.c")
    done, events = capture(folder, [f"{folder}/two"], "-i", "event:syscalls:sys_enter_*")
    same(0, done.returncode, "branches beside events of the kernel")
    back = [i for i, (a, b) in enumerate(zip(events, events[1:])) if b["ts_ns"] < a["ts_ns"]]
    same([], back[:5], "all are in order of time")
    kinds = [(e["source"], e["tid"]) for e in events]
    ok(sum(a[0] != b[0] for a, b in zip(kinds, kinds[1:])) > 10,
       "events of the kernel stand between branches")
    live = run(f"{BUILD}/trawl", "-q", "-i", "branch:ptrace", "--json", "--", BRANCHES)
    _, recorded = capture(folder, [BRANCHES])
    same(len(recorded), len(live.stdout.splitlines()), "live, all are printed")


def children(pid):
    try:
        return [int(c) for c in read(f"/proc/{pid}/task/{pid}/children").split()]
    except OSError:  # it has ended
        return []


def is_left(pid):
    try:
        return state_of(pid) != "Z"
    except OSError:
        return False


def check_stopped_starter(folder):
    """The process that starts the readers runs as nobody, so other processes of nobody can stop
    it."""
    trawl = subprocess.Popen([f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", f"{folder}/s.trawl",
                              "--", "sleep", "60"])
    starter = []
    while trawl.poll() is None and not starter:  # readers of sleep, the dynamic linker and libc
        starter = [pid for pid in children(trawl.pid) if len(children(pid)) >= 3]
        time.sleep(0.05)
    for pid in starter:
        os.kill(pid, signal.SIGSTOP)
    trawl.send_signal(signal.SIGINT)
    same((1, 0), (len(starter), trawl.wait()), "a stopped reader process does not block the capture")
    for _ in range(600):
        left = [pid for pid in starter if is_left(pid)]
        if not left:
            break
        time.sleep(0.1)
    same([], left, "and is not left behind")


def check_crash(folder):
    """A flight recorder has the branches before a crash, and in its small ring also the names of
    code that ran long before."""
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
    ok(len(out) == 4 and "(single-stepped: " in out[0] and out[3].endswith("last  c.c:2") and
       out[2].endswith("again  c.c:3"), "the last calls before it, below the task's line", out)
    told = re.search(r"(\d+) events captured, 0 lost \(branch (\d+)\)", done.stderr)
    ok(told and told[1] == told[2] and int(told[1]) > 3000, "the last line counts branches",
       done.stderr)
    done = run(f"{BUILD}/trawl", "-i", "branch", "-c", "3", "-w", f"{folder}/n.trawl", "--", "true")
    ok(done.returncode == 2 and "-c: cannot limit branches" in done.stderr,
       "-c is not for branches", done.stderr)
    names = run(f"{BUILD}/trawl-decode", "--meta=branch/module/*", f"{folder}/c.trawl").stdout
    ok("_dl_relocate_object" in names or "_dl_start" in names or "ld-linux" in names,
       "libraries are in the file", names[:300])
    kept = re.findall(r"branch/module/\S+", run(f"{BUILD}/trawl-decode", "--meta",
                                                f"{folder}/c.trawl").stdout)
    ok(len(kept) > 2 and len(kept) == len(set(kept)), "the names of each are there once", kept)


def check_crash_of_thread(folder):
    """The thread that crashed is the trigger's; its branches end in the call that killed it."""
    run("gcc", "-O1", "-pthread", "-D_GNU_SOURCE", "-o", f"{folder}/target",
        f"{SRC}/tests/capture/target.c")  # without a sanitizer, which would take a million steps
    done = run(f"{BUILD}/trawl", "--ring", "1m", "-i", "branch:ptrace", "-w", f"{folder}/t.trawl",
               "--", f"{folder}/target", "thread-abort")
    of_thread = [b for b in decode(f"{folder}/t.trawl", "--pid", done.stdout.strip())
                 if b["tid"] == int(done.stdout)]
    trigger = [b["fields"].get("reason") for b in of_thread if b["name"] == "trawl:trigger"]
    same(["crash"], trigger, "a thread's crash is a trigger of that thread")
    ended = [b["fields"].get("to_symbol") for b in of_thread if b["name"] == "branch:call"][-5:]
    ok(any("kill" in (name or "") or name == "getpid" for name in ended),
       "whose last calls are those of abort()", ended)


def check_crash_at_once(folder):
    """The names of the last branches are in the flight recorder's file, also of those since the
    recorder last looked for names, every tenth of a second."""
    with open(f"{folder}/o.c", "w") as f:
        f.write("__attribute__((noinline)) void at_once(int *p) { *(volatile int *)p = 1; }\n"
                "void _start(void) { at_once(0); }\n")
    run("gcc", "-O1", "-nostdlib", "-static", "-o", f"{folder}/o", f"{folder}/o.c")
    last = []
    for i in range(8):
        run(f"{BUILD}/trawl", "--ring", "1m", "-i", "branch:ptrace", "-w", f"{folder}/o{i}.trawl",
            "--", f"{folder}/o")
        last += [b["fields"]["to_symbol"] for b in decode(f"{folder}/o{i}.trawl")
                 if b["name"] == "branch:call"]
    same(["at_once"] * 8, last, "a crash in the first instructions: eight files have its names")


# The trap flag's bit is set in the address to which a handler returns.
SIGNALLED = r"""
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
__asm__(".text; .balign 512; .skip 256; restorer: mov $15, %eax; syscall");
void restorer(void);
static int times;
static void handler(int number) { times += number == SIGTRAP; }
int main(void) {
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} a = {handler, SA_NODEFER | 0x04000000 /* restorer */, restorer, 0};
	unsigned long flags, pid;
	syscall(SYS_rt_sigaction, SIGTRAP, &a, 0, 8);
	__asm__ volatile("int3; pushfq; pop %0" : "=r"(flags));
	__asm__ volatile("int3; syscall" : "=a"(pid) : "a"(SYS_getpid) : "rcx", "r11", "memory");
	return !(times == 2 && !(flags & 0x100) && pid == (unsigned long)getpid());
}
"""


def check_signal_at_pushf(folder):
    """A signal comes where the next instruction would store the flags, or would be a system call."""
    with open(f"{folder}/s.c", "w") as f:
        f.write(SIGNALLED)
    run("gcc", "-O1", "-o", f"{folder}/s", f"{folder}/s.c")
    p = subprocess.run([f"{BUILD}/trawl", "-q", "-i", "branch:ptrace", "-w", f"{folder}/s.trawl", "--",
                        f"{folder}/s"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    same((0, ""), (p.returncode, p.stderr), "a signal before pushf: the program runs as without trawl")
    names = [b["name"] for b in decode(f"{folder}/s.trawl") if b["fields"]["to_symbol"] == "handler"]
    same(["branch:signal"] * 2, names, "both handlers began by a signal, whatever the instruction "
         "that did not run")


def blocks(path):
    """(kind, version) of each block of ours in a file."""
    data, at, found = open(path, "rb").read(), 0, []
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind >> 31:
            found.append((data[at + 24], data[at + 25]))
        at += size
    return found


def check_small(folder):
    """A short capture is rewritten as one small section at its end, with the same name and mode.
    Files of a row, for which there is too little time, and files behind a link are not."""
    path = f"{folder}/small.trawl"
    command = "-i", "branch:ptrace", "-w"
    done = run(f"{BUILD}/trawl", *command, path, "--", BRANCHES)
    same((0, [(1, 4)]), (done.returncode, blocks(path)), "a short capture is one small section")
    same(0o600, os.stat(path).st_mode & 0o777, "its mode")
    same([], [name for name in os.listdir(folder) if "~" in name], "nothing is left beside it")
    n = len(decode(path))
    row = f"{folder}/row.trawl"
    run(f"{BUILD}/trawl", "-C", "10", *command, row, "--", BRANCHES)
    ok(len(blocks(row)) > 5, "with -C it is as it was written")
    same(n, len(decode(row)), "with the same branches")
    link, to = f"{folder}/link.trawl", f"{folder}/to.trawl"
    os.symlink(to, link)
    run(f"{BUILD}/trawl", *command, link, "--", BRANCHES)
    ok(os.path.islink(link) and len(decode(to)) == n, "a link stays one")
    ok(os.stat(path).st_size < os.stat(row).st_size * 2 / 3,
       f"{os.stat(path).st_size} bytes, {os.stat(row).st_size} otherwise")


def check_long_batches(folder):
    """The file of a recording of some seconds has its pairs once, not once a second. The file of a
    killed recorder has a batch for each second; with --ring there is no such file."""
    with open(f"{folder}/slow.c", "w") as f:
        f.write("""static long call(long n, long a)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(0) : "rcx", "r11", "memory");
	return r;
}
void _start(void)
{
	long time[2] = { 1, 100000000 };

	for (int i = 0; i < 3; i++) {
		for (volatile int k = 0; k < 500; k++)
			;
		call(35, (long)time);
	}
	call(231, 0);
}
""")
    run("gcc", "-O1", "-nostdlib", "-static", "-fno-stack-protector", "-o", f"{folder}/slow",
        f"{folder}/slow.c")
    path = f"{folder}/long.trawl"
    done = run(f"{BUILD}/trawl", "-i", "branch:ptrace", "-w", path, "--", f"{folder}/slow")
    same(0, done.returncode, "a capture of some seconds")
    batches = [x for x in decode(path, "--raw") if "pairs" in x["fields"]]
    same(1, len(batches), f"it has one batch: {[x['fields']['count'] for x in batches]}")
    told = re.search(r"\(branch (\d+)\)", done.stderr)
    branches = [x for x in decode(path) if "from" in x["fields"]]
    same(told and int(told[1]), len(branches), "and every branch that was captured")
    times = [x["ts_ns"] for x in branches]
    ok(times == sorted(times) and times[-1] - times[0] > 2.2e9, "from the first second to the last")
    # A time is stored with an error of up to 1/32 of the distance from the one before.
    rounds = [t for x, t in zip(branches, times) if x["fields"]["kind"] == "syscall"]
    ok(len(rounds) > 2 and all(b - a > 1.06e9 for a, b in zip(rounds, rounds[1:3])),
       f"each with its time: {rounds}")


def check_flags(folder):
    """pushf stores no trap flag, whatever the alignment of the stack."""
    with open(f"{folder}/f.c", "w") as f:
        f.write("""int main(void)
{
	unsigned long seen = 0, flags, stack;

	for (unsigned long i = 0; i < 8; i++) {
		__asm__ volatile("mov %%rsp, %1; sub $256, %%rsp; sub %2, %%rsp; pushfq; "
				 "mov (%%rsp), %0; mov %1, %%rsp"
				 : "=&r"(flags), "=&r"(stack) : "r"(i) : "cc", "memory");
		seen |= (flags >> 8 & 1) << i;
	}
	return (int)seen;
}
""")
    run("gcc", "-O1", "-static", "-o", f"{folder}/f", f"{folder}/f.c")
    same(0, run(f"{folder}/f").returncode, "pushf without a tracer")
    done, branches = capture(folder, [f"{folder}/f"])
    same((0, True), (done.returncode, len(branches) > 8),
         "pushf at each alignment of the stack stores no trap flag of the tracer")
    ok("status" not in done.stderr, "and the program's status says so", done.stderr)


POPS = r"""
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static unsigned long seen;

static void handler(int sig, siginfo_t *info, void *context)
{
	seen |= ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
}

static void set_flags(void)
{
#if defined IDENTIFICATION
	__asm__ volatile("pushfq; xorl $0x200000, (%%rsp); popfq" ::: "cc", "memory");
#elif defined IRET
	__asm__ volatile("mov %%ss, %%eax; mov %%rsp, %%rcx; push %%rax; push %%rcx; pushfq; "
			 "mov %%cs, %%eax; push %%rax; lea 1f(%%rip), %%rax; push %%rax; iretq; 1:"
			 ::: "rax", "rcx", "cc", "memory");
#else
	__asm__ volatile("pushfq; popfq; pushfq; pushfw; pushfq; popfq; popfw; popfq"
			 ::: "cc", "memory");
#endif
}

/* Whether popfq sets carry, zero, sign, direction and overflow, and leaves the rest. */
static int sets(unsigned long want)
{
	unsigned long got;

	__asm__ volatile("push %1; popfq; pushfq; pop %0; cld"
			 : "=r"(got) : "r"(want | 0x202) : "cc", "memory");
	return (got & ~0x200000ul) == (want | 0x202);
}

/* The signal comes after the system call, when a popfq is next that has to be stepped. */
static void signal_at_pop(void)
{
	register long size __asm__("r10") = 8;
	sigset_t set;
	long result;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	__asm__ volatile("pushfq; xorl $0x200000, (%%rsp); syscall; popfq"
			 : "=a"(result)
			 : "a"(SYS_rt_sigprocmask), "D"(SIG_UNBLOCK), "S"(&set), "d"(0), "r"(size)
			 : "rcx", "r11", "cc", "memory");
}

/* A child that runs on after its parent has ended. */
static int stay_behind(const char *made)
{
	time_t end = time(NULL) + 3;

	set_flags();
	if (fork())
		return 0;
	while (time(NULL) < end)
		;
	return mkdir(made, 0700);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	unsigned long pushed, stored;
	time_t end = time(NULL) + 3;

	if (argc > 2)
		return stay_behind(argv[2]);
	sigaction(SIGUSR1, &action, NULL);
	if (!sets(1) || !sets(0x40) || !sets(0x80) || !sets(0x400) || !sets(0x800) || !sets(0xcc1))
		return puts("popfq sets other flags");
	do {
		set_flags();
		for (volatile int i = 0; i < 3; i++)
			;
		__asm__ volatile("pushfq; pop %0" : "=r"(pushed));
		__asm__ volatile("syscall; mov %%r11, %0" : "=r"(stored) : "a"(SYS_getppid)
				 : "rcx", "r11", "memory");
		set_flags();
		raise(SIGUSR1);
		signal_at_pop();
		seen |= pushed | stored;
	} while (argc > 1 && time(NULL) < end);
	puts(seen & 0x100 ? "trap flag" : "none");
	return 0;
}
"""


def check_pops(folder):
    """After popf or iret the trap flag is still the tracer's: the program does not see it, not in
    what pushf or syscall store nor in a signal's frame, and runs on when it is let go."""
    with open(f"{folder}/pops.c", "w") as f:
        f.write(POPS)
    for how in ("POP", "IDENTIFICATION", "IRET"):
        program = f"{folder}/pops{how}"
        run("gcc", "-O1", "-mno-red-zone", "-static", "-D_GNU_SOURCE", f"-D{how}", "-o", program,
            f"{folder}/pops.c")
        same("none\n", run(program).stdout, f"{how}: without a tracer")
        done, _ = capture(folder, [program])
        same("none\n", done.stdout, f"{how}: single-stepped")
        with subprocess.Popen([program, "loop"], stdout=subprocess.PIPE, text=True) as p:
            run(f"{BUILD}/trawl", "-q", "-i", "branch:ptrace", "-p", str(p.pid), "--duration",
                "500ms", "-w", f"{folder}/pops.trawl")
            same(("none\n", 0), (p.communicate(timeout=60)[0], p.returncode), f"{how}: let go")
        made = f"{folder}/made{how}"
        capture(folder, [program, "stay", made])
        end = time.monotonic() + 20
        while not os.path.exists(made) and time.monotonic() < end:
            time.sleep(0.1)
        ok(os.path.exists(made), f"{how}: a child that is left behind runs on")


def check_held_trap(folder):
    """After an instruction that loads SS the processor traps one instruction later."""
    with open(f"{folder}/ss.S", "w") as f:
        f.write(".globl _start\n_start: mov %ss, %ebx\nmov %ebx, %ss\nload: call f\n"
                "mov $60, %eax\nxor %edi, %edi\nmov %ebx, %ss\nexit: syscall\n"
                "f: mov %ebx, %ss\nnop\nmov %ebx, %ss\nleave: ret\n")
    run("gcc", "-nostdlib", "-static", "-o", f"{folder}/ss", f"{folder}/ss.S")
    done, branches = capture(folder, [f"{folder}/ss"])
    summary = run(f"{BUILD}/trawl-decode", "--summary", f"{folder}/x.trawl").stdout
    ok("without names" not in summary, "no code of the vdso ran: the summary does not name it",
       summary)
    same((0, [("call", "load", "f"), ("ret", "leave", "load+0x5")]),
         (done.returncode, [(b["fields"]["kind"], b["fields"]["from_symbol"],
                             b["fields"]["to_symbol"]) for b in branches
                            if b["name"] not in ("branch:exec", "branch:start")]),
         "branches after a load of SS are those of the next instruction")


def check_golden():
    """A golden file of branches, which every later version must read."""
    golden = decode(f"{SRC}/tests/golden/branches.trawl")
    same(45, len(golden), "the golden file has its branches")
    call = next(b["fields"] for b in golden if b["fields"]["kind"] == "call")
    same(("_start+0x22", "direct", "branches.S"),
         (call["from_symbol"], call["to_symbol"], os.path.basename(call["to_line"]).split(":")[0]),
         "with symbols and lines")
    path = f"{SRC}/tests/golden/marks.trawl"
    other = run(sys.executable, "-B", f"{SRC}/tests/reader_branch.py", path).stdout
    theirs = [line.split()[1] for line in other.splitlines()]
    ours = [b["name"].replace("branch:", "") for b in decode(path)]
    same([kind for kind in theirs if kind != "before"],
         ["stack" if kind == "last" else kind for kind in ours],
         "each kind of mark is at its place, as an independent reader finds it")


def check_self_test():
    done = run(f"{BUILD}/trawl", "--self-test", "branch")
    ok(done.returncode == 0 and
       "branch:ptrace: right: 4995 of 4995 turns of a loop, 5 of 5 returns, 0 others\n"
       in done.stdout, "--self-test branch: a known loop, every branch of it", done.stdout,
       done.stderr)
    with open("/proc/cpuinfo") as f:
        cpu = dict(re.findall(r"^(\S+(?: family)?)\t*: (.*)$", f.read(), re.M))
    line = re.search(r"^to send on: trawl (.*)", done.stdout, re.M)[1]
    ok(f"{cpu['vendor_id']} cpu family {cpu['cpu family']} model {cpu['model']} "
       f"stepping {cpu['stepping']} (" in line and re.search(r" entries by perf: .*ptrace=right", line),
       "and a line to send, which names the processor", done.stdout)
    reasons = re.findall(r"^branch:\S+: not usable: (.*)", done.stdout, re.M)
    ok(all(f"; {reason}" in line for reason in reasons), "with each back end's reason", done.stdout)
    listed = run(f"{BUILD}/trawl", "-D", "branch").stdout
    for name in "perf-bts", "intel-bts", "kmod-step", "perf-lbr":
        ok(re.search(rf"branch:{name} .*\n(?! +not usable)|not usable: branch:{name}: \S.{{20}}",
                     listed),
           f"-D lists {name}, and why if it is not usable", listed)
    ok("bts" in cpu["flags"].split() or
       listed.count("bts: the processor has no branch trace store") == 2,
       "a processor without a branch trace store: both of its back ends say so", listed)


def check_bad(folder):
    def fails(name, status, pattern, *argv):
        done = run(f"{BUILD}/trawl", *argv)
        ok(done.returncode == status and re.search(pattern, done.stderr), name, done.returncode,
           done.stderr)

    fails("no task is named", 2, r"no program is selected; give -p PID, or -- COMMAND$", "-i", "branch")
    fails("no such back end", 2, r"branch:ptrase: no such back end.*ptrace", "-i", "branch:ptrase",
          "-p", "1")
    fails("no such process", 2, r"4194000", "-i", "branch", "-p", "4194000")
    with subprocess.Popen("true") as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        fails("one that has ended", 2, r"-p \d+: the process has ended", "-i", "branch:ptrace",
              "-p", str(ended.pid))
        with subprocess.Popen(["sleep", "1000"]) as other:
            fails("one of several that has ended", 0, f"-p {ended.pid}: the process has ended: left out",
                  "-i", "branch:ptrace", "-p", f"{ended.pid},{other.pid}", "--duration", "10ms",
                  "-w", "/dev/null")
            other.kill()
    fails("a thread of the kernel", 3, r"-p 2: has no program: .* kernel thread", "-i",
          "branch:ptrace", "-p", "2")
    gdb = subprocess.Popen(["gdb", "-nx", "-q", BRANCHES], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    gdb.stdin.write("set startup-with-shell off\nstarti\npython print('PID', "
                    "gdb.selected_inferior().pid, flush=True)\n")
    gdb.stdin.flush()
    for line in gdb.stdout:
        m = re.search(r"PID (\d+)", line)
        if m:
            break
    fails("a process that is traced already", 3, rf"is already traced by process {gdb.pid}", "-i",
          "branch",
          "-p", m[1])
    gdb.stdin.write("kill\nquit\n")
    gdb.stdin.close()
    gdb.wait()


def check_registers(folder):
    """A handler returns by a system call, after which r11 is the interrupted code's."""
    with open(f"{folder}/r.c", "w") as f:
        f.write("""#include <signal.h>
#include <ucontext.h>
static void skip(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}
int main(void)
{
	struct sigaction a = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};
	unsigned long r11;

	sigaction(SIGILL, &a, 0);
	__asm__ volatile("mov $0x3fff, %%r11d; ud2; mov %%r11, %0" : "=r"(r11) : : "r11");
	return r11 != 0x3fff;
}
""")
    run("gcc", "-D_GNU_SOURCE", "-O1", "-static", "-o", f"{folder}/r", f"{folder}/r.c")
    same(0, run(f"{folder}/r").returncode, "r11 after a handler, without a tracer")
    done, branches = capture(folder, [f"{folder}/r"])
    ok(len(branches) > 8 and "status" not in done.stderr,
       "and with one it is the program's, too", done.stderr)


def main():
    folder = tempfile.mkdtemp()
    try:
        if shutil.which("gdb"):
            check_exact(folder)
        else:
            skip("the branches are those of gdb's steps", "gdb is not installed")
        check_signal(folder)
        check_program(folder)
        check_narrow(folder)
        check_names(folder)
        check_reader(folder)
        check_attach(folder)
        check_asleep(folder)
        check_order(folder)
        check_left_behind(folder)
        check_no_process(folder)
        check_stopped_starter(folder)
        check_crash(folder)
        check_crash_of_thread(folder)
        check_crash_at_once(folder)
        check_signal_at_pushf(folder)
        check_small(folder)
        check_long_batches(folder)
        check_flags(folder)
        check_pops(folder)
        check_held_trap(folder)
        check_registers(folder)
        check_self_test()
        check_golden()
        if shutil.which("gdb"):
            check_bad(folder)
    finally:
        shutil.rmtree(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
