# SPDX-License-Identifier: MIT
"""trawl-replay branch: a walk has the same instructions as single steps by ptrace in another run of
the program, forwards and backwards, and gdb steps backwards over them."""
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests"]
sys.dont_write_bytecode = True
from tap import finish, ok, same, skip  # noqa: E402

BRANCHES = BUILD + "/samples/branches"
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
# The dynamic loader looks at each variable of the environment, so both runs get the same ones.
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
TRAWL = BUILD + "/trawl"
TRACEME, SINGLESTEP, GETREGS, RIP = 0, 9, 12, 16


def single_steps(*command):
    """The program counter before each instruction, from the first on, by ptrace alone."""
    pid = os.fork()
    if not pid:
        libc.personality(0x0040000)  # the same addresses each time
        libc.ptrace(TRACEME, 0, None, None)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.execve(command[0], command, ENVIRONMENT)
    regs = (ctypes.c_ulonglong * 27)()
    seen, signal = [], 0
    os.waitpid(pid, 0)
    while True:
        libc.ptrace(GETREGS, pid, None, ctypes.byref(regs))
        if signal and seen and regs[RIP] == seen[-1]:
            seen.pop()  # it faulted
        if not signal:  # at a signal the instruction has not run yet
            seen.append(regs[RIP])
        libc.ptrace(SINGLESTEP, pid, None, ctypes.c_void_p(signal))
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            return seen
        signal = 0 if os.WSTOPSIG(status) == 5 else os.WSTOPSIG(status)


def walk(path, *commands, args=()):
    r = subprocess.run([BUILD + "/trawl-replay", "branch", *args, path],
                       input="\n".join(commands) + "\n",
                       capture_output=True, text=True, timeout=300)
    return r.stdout.splitlines(), r.stderr, r.returncode


def addresses(lines):
    return [int(m[1], 16) for line in lines if (m := re.match(r"[\d.]+ 0x([0-9a-f]+) ", line))]


def without_repeats(pcs):
    """The steps of a repeated string instruction at one address are one instruction."""
    return [pc for i, pc in enumerate(pcs) if not i or pcs[i - 1] != pc]


def record(path, *command, also=()):
    more = [word for source in also for word in ("-i", source)]
    return subprocess.run(["setarch", "-R", TRAWL, "-i", "branch:ptrace", *more, "-w", path, "--",
                           *command],
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=300)


def test_instructions(d):
    path = d + "/b.trawl"
    record(path, BRANCHES)
    steps = single_steps(BRANCHES)
    lines, err, status = walk(path, "all", "quit")
    walked = addresses(lines)[1:]  # the first line says where it begins
    first = steps.index(walked[0]) if walked and walked[0] in steps else 0
    last = walked[-1] if walked else 0
    a, b = without_repeats(steps[first:]), without_repeats(walked)
    same(a[:len(b)], b, f"{len(walked)} instructions are those of single steps")
    ok(first < 5 and len(b) > 90 and len(a) - len(b) < 12,
       "from the program's first one to the last branch's target", first,
       hex(last), len(a), len(b), err, status)
    lines, _, _ = walk(path, "end", *["back"] * (len(walked) - 1), "quit")
    same(list(reversed(walked)), addresses(lines)[1:], "backwards they are the same ones")
    ok(all("(" not in line.split(" ", 3)[3][:1] for line in lines), "each has its text", lines[:3])
    return path, walked


def test_foreign(d):
    """A walk over a program of the system."""
    program = shutil.which("true")
    path = d + "/f.trawl"
    r = record(path, program)
    lines, err, _ = walk(path, "all", "quit")
    walked = addresses(lines)[1:]
    steps = single_steps(program)
    first = steps.index(walked[0]) if walked and walked[0] in steps else -1
    a, b = without_repeats(steps[first:]), without_repeats(walked)
    n = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    ok(first >= 0 and n > 20000 and n == len(b),
       f"{n} of {len(b)} instructions of {program} and its loader are those of single "
       "steps", first, hex(a[n]) if n < len(a) else "-", lines[max(n - 3, 0):n + 3], err, r.stderr)
    test_libraries(program, path, walked)


def test_libraries(program, path, walked):
    if not shutil.which("gdb"):
        return skip("gdb knows the libraries", "gdb is missing")
    script = [f"target remote | {BUILD}/trawl-replay branch --gdb {path}", "break exit", "continue",
              "p/x (long)$pc", "info symbol $pc", "info sharedlibrary"]
    args = [a for line in script for a in ("-ex", line)]
    r = subprocess.run(["gdb", "-nx", "-batch", *args, program], capture_output=True, text=True,
                       timeout=120)
    pc = re.search(r"^\$1 = (0x[0-9a-f]+)$", r.stdout, re.M)
    ok(pc and int(pc[1], 16) in walked and re.search(r"^\w*exit in section .text of \S*libc",
                                                     r.stdout, re.M),
       "gdb stops at a function of a library, by its name", r.stdout, r.stderr)
    ok("parsing target library list" not in r.stderr, "and has no doubt of the list", r.stderr)


def test_hostile_name(d):
    """XML cannot hold the name of one library: gdb knows the others."""
    if not shutil.which("gdb"):
        return skip("gdb knows the libraries with other names", "gdb is missing")
    folder = d + "/e\x1b\x01&"
    os.mkdir(folder)
    for name, text, args in (("libx.so", "int f(int a) { return a + 1; }", ["-shared", "-fPIC"]),
                             ("libx&.so", "int g(int a) { return a + 2; }", ["-shared", "-fPIC"]),
                             ("x", "int f(int), g(int); int main() { return f(1) + g(1) - 5; }",
                              [folder + "/libx.so", d + "/libx&.so"])):
        out = (d if "&" in name else folder) + "/" + name
        subprocess.run(["gcc", "-xc", "-", "-xnone", *args, "-o", out], input=text, text=True,
                       check=True)
    path, program = d + "/hostile.trawl", folder + "/x"
    record(path, program)
    r = subprocess.run(["gdb", "-nx", "-batch", "-ex",
                        f"target remote | {BUILD}/trawl-replay branch --gdb {path}", "-ex",
                        "info sharedlibrary", program], capture_output=True, text=True, timeout=120)
    known = re.findall(r"^0x.* (\S+)$", r.stdout, re.M)
    ok(d + "/libx&.so" in known and any("/libc.so" in name for name in known) and
       folder + "/libx.so" not in known and "parsing target library list" not in r.stderr,
       "a library with a name that XML cannot hold hides no other", known, r.stderr)


def test_packets(path):
    """Packets that gdb does not send."""
    sent = ["Z", "Z0", "z0", "Z0,", "Z0,zz,1", "m", "m,", "mffffffffffffffff,ffff", "m0,-1", "p",
            "p-1", "qXfer:libraries-svr4:read::", "qXfer:libraries-svr4:read::-1,-1", "b", "", "H",
            "\x80", "x" * 10000, "qC"]
    data = b"".join(b"$" + s.encode("latin1") + b"#00" for s in sent)
    for end in b"", b"$", b"$qC#", b"$k#00":
        r = subprocess.run([BUILD + "/trawl-replay", "branch", "--gdb", path], input=data + end,
                           capture_output=True, timeout=60)
        answers = re.findall(rb"\$([^#]*)#([0-9a-f]{2})", r.stdout)
        ok(r.returncode == 0 and not r.stderr and len(answers) >= len(sent) and
           all(sum(a) & 255 == int(c, 16) for a, c in answers) and
           answers[len(sent) - 1][0].startswith(b"QC"),
           f"packets that gdb does not send, then {end}: each is answered", r.returncode, r.stderr,
           answers)


def test_commands(d, path, walked):
    lines, _, _ = walk(path, "step 5", "back 2", "begin", "end", "nonsense", "quit")
    got = addresses(lines)
    same([walked[0], walked[5], walked[3], walked[0], walked[-1], walked[-1]], got,
         "step, back, begin, end")
    ok(any("is not a command" in line for line in lines), "an invalid command")
    name = next((m[1] for line in walk(path, "all")[0] if (m := re.search(r" ([a-z_]+) ", line)) and
                 "+" not in m[1]), None)
    lines, _, _ = walk(path, "end", f"prev {name}", f"prev {name}", f"next {name}")
    ok(len(addresses(lines)) == 5, f"to the calls of {name}", lines)
    ok(all(re.match(r"\d+\.\d{9} 0x[0-9a-f]+ \S+ (\S+:\d+ )?(\(|[a-z]+\b)", line)
           for line in walk(path, "all")[0] if not line.startswith(("gap:", "end:"))),
       "each line's words are apart, whatever the address is")
    lines, _, _ = walk(path, "step 5", "next nosuch", "step -1", "step x", "list 1e3", "time abc",
                       "time -1")
    same([walked[0]] + 6 * [walked[5]], addresses(lines), "what cannot be leaves the walk there")
    same(6, sum("no call of 'nosuch'" in line or "is not a number of" in line for line in lines),
         "and is said")
    lines, _, _ = walk(path, "back")
    ok("begin: before this nothing was recorded" in lines, "the begin is reported", lines)
    _, err, status = walk(path, "quit", args=("--tid", "1"))
    ok(status == 2 and "task 1 has no branches" in err, "a task that is not there", err, status)
    _, err, status = walk(SRC + "/samples/tick.trawl")
    ok(status == 2 and "no branches" in err, "a file without branches", err, status)
    copy = d + "/other"
    shutil.copy(BRANCHES, copy)
    moved = d + "/moved.trawl"
    record(moved, copy)
    with open(copy, "r+b") as f:
        data = f.read()
        at = data.index(b"GNU\0", data.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0"))
        f.seek(at + 4)
        f.write(bytes(4))
    lines, _, _ = walk(moved, "list 3")
    ok(any("another build id" in line for line in lines),
       "the file of another build is not believed", lines[:4])


NOTE = """
	.section .note.go.buildid, "a", @note
	.long 4, 83, 4
	.ascii "Go\\0\\0"
	.ascii "%-83.83s"
	.byte 0
"""


def test_build_ids(d):
    """Go's own linker writes a note of its own; a file without any is not believed."""
    for name, note, want in (("go", NOTE % "kWNxyz/of/a/program", True), ("none", "", False)):
        program, path = f"{d}/id-{name}", f"{d}/id-{name}.trawl"
        subprocess.run(["cc", "-xassembler-with-cpp", "-", "-nostdlib", "-static", "-no-pie",
                        "-Wl,--build-id=none", "-o", program], text=True, check=True,
                       input=".global _start\n_start:\tcall 1f\n\tmov $60, %eax\n\txor %edi, %edi\n"
                       "\tsyscall\n1:\tnop\n\tret\n" + note)
        record(path, program)
        lines, err, _ = walk(path, "all")
        if want:
            ok(any(line.endswith(" nop") for line in lines),
               "a walk through a program with Go's build id", lines, err)
        else:
            ok(all("recorded without a build id" in x for x in lines if x[0].isdigit()),
               "one without a build id shows branches only, with the reason", lines, err)


TURNS = """#include <unistd.h>
int done;
__attribute__((noinline)) int one(int n) { return n * 3; }
__attribute__((noinline)) int two(int n) { done += one(n); return done; }
int main(void)
{
	for (int i = 0; i < 6; i++) {
		two(i);
		if (i % 2)
			write(1, ".", 1);
	}
	return 0;
}
"""


def test_merged_events(d, probed, plain):
    """Sources of a merged file are called NAME@MACHINE; the starts of tasks are no events there,
    either."""
    merged = d + "/merged.trawl"
    r = subprocess.run([BUILD + "/trawl-edit", "merge", probed, plain, "-w", merged],
                       capture_output=True, text=True)
    ok(r.returncode == 0, "two captures of branches are merged", r.stderr)
    lines, err, _ = walk(merged, *["event"] * 14)
    events = [m[1] for line in lines if (m := re.match(r"event: [\d.]+ (\S+) ", line))]
    ok(len(events) == 12 and all(re.search(r":(one|two)$", e) for e in events),
       "only events that are shown, in a merged file", events, err)


def test_events(d):
    """Events of other sources beside the walk. The kernel runs the instruction under a uprobe out
    of line or emulates it (push); the walk must have it like any other."""
    if os.getuid() or not os.access("/sys/kernel/tracing/uprobe_events", os.W_OK):
        return skip("events of other sources", "no tracefs, or not root")
    program = d + "/turns"
    with open(program + ".c", "w") as f:
        f.write(TURNS)
    subprocess.run(["cc", "-O0", "-g", "-static", "-fcf-protection=none", "-o", program,
                    program + ".c"], check=True)
    plain, probed = d + "/plain.trawl", d + "/probed.trawl"
    record(plain, program)
    r = record(probed, program, also=(f"uprobe:{program}:one", f"uprobe:{program}:two"))
    ok(r.returncode == 0, "a program with uprobes runs under single steps", r.stderr)
    same(addresses(walk(plain, "all")[0]), addresses(walk(probed, "all")[0]),
         "each instruction at a uprobe is there, and no other")
    lines, err, _ = walk(probed, *["event"] * 13, *["prevevent"] * 12)
    events = [m[1] for line in lines
              if (m := re.match(r"event: [\d.]+ \S*?:(\w+) \[turns \d+\]", line))]
    order = ["two", "one"] * 6
    same(order + order[-2::-1], events, "to each event of another source, and back again")
    ok(sum("no event of another source is after this" in x for x in lines) == 1 and
       sum("no event of another source is before this" in x for x in lines) == 1,
       "at both ends that is said", lines[-3:], err)
    lines, _, _ = walk(probed, "event *one", "event *one", "prevevent *two", "event nothing*")
    events = [m[1] for line in lines if (m := re.match(r"event: [\d.]+ \S*?:(\w+) ", line))]
    same(["one", "one", "two"], events, "events of a name")
    test_merged_events(d, probed, plain)
    # "event" goes to an event: the task must be at the probe, or reach it within the number of
    # branches that is printed.
    for n in range(1, 5):
        lines, _, _ = walk(probed, *["event *one"] * n, "list 4000")
        at = max(i for i, x in enumerate(lines) if x.startswith("event: "))
        m = re.match(r"the task was here or up to (\d+) branches later", lines[at + 1])
        rest = lines[at + 2:] if m else lines[at + 1:]
        branches = 0
        for a, b in zip(rest, rest[1:]):
            if re.match(r"[\d.]+ 0x[0-9a-f]+ one ", a):
                break
            m_jump = re.search(r" (j\w+|call|ret|syscall)\b(?: 0x([0-9A-F]+)$)?", a)
            taken = m_jump and (not m_jump[1].startswith("j") or not m_jump[2] or
                                int(m_jump[2], 16) == addresses([b])[0])
            branches += bool(taken)
        else:
            branches = -1
        ok(0 <= branches <= int(m[1] if m else 1), f"event {n} is where the walk says", branches, m)


# Lets a program run for a thousandth of the time, so that it takes some seconds to be ready.
SLOWLY = """
import os, signal, subprocess, sys, time
p = subprocess.Popen(sys.argv[1:])
for i in range(40):
    os.kill(p.pid, signal.SIGSTOP)
    time.sleep(0.1)
    os.kill(p.pid, signal.SIGCONT)
    time.sleep(0.0001)
sys.exit(p.wait())
"""


def test_loading(d, path, walked):
    """gdb waits for a walk that takes longer to load than its remotetimeout."""
    if not shutil.which("gdb"):
        return skip("gdb waits for a long walk", "gdb is missing")
    with open(d + "/slowly.py", "w") as f:
        f.write(SLOWLY)
    r = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set remotetimeout 1", "-ex",
                        f"target remote | {sys.executable} {d}/slowly.py "
                        f"{BUILD}/trawl-replay branch --gdb {path}", "-ex", "p/x (long)$pc", "-ex",
                        "stepi", "-ex", "p/x (long)$pc", BRANCHES], capture_output=True, text=True,
                       timeout=120)
    same([hex(pc) for pc in walked[:2]], re.findall(r"^\$\d+ = (0x[0-9a-f]+)$", r.stdout, re.M),
         "gdb waits for a walk that takes longer to load than its remotetimeout")


def test_gdb(path, walked):
    if not shutil.which("gdb"):
        return skip("gdb steps backwards", "gdb is missing")
    script = [f"target remote | {BUILD}/trawl-replay branch --gdb {path}", "p/x (long)$pc"]
    script += ["stepi", "stepi", "stepi", "p/x (long)$pc", "reverse-stepi", "p/x (long)$pc",
               "reverse-stepi", "p/x (long)$pc",
               "p $rax", f"break *{walked[-1]:#x}", "continue", "p/x (long)$pc", "delete",
               f"break *{walked[10]:#x}",
               "reverse-continue", "p/x (long)$pc", "delete", "reverse-continue", "p/x (long)$pc"]
    args = [a for line in script for a in ("-ex", line)]
    r = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set pagination off", *args, BRANCHES],
                       capture_output=True, text=True,
                       timeout=120)
    got = [int(x, 16) for x in re.findall(r"^\$\d+ = (0x[0-9a-f]+)$", r.stdout, re.M)]
    hits = [i for i, pc in enumerate(walked) if pc == walked[-1] and i > 1]
    back = [i for i, pc in enumerate(walked) if pc == walked[10] and i < hits[0]]
    want = [walked[0], walked[3], walked[2], walked[1], walked[-1], walked[back[-1]], walked[0]]
    same(want, got, "gdb steps and continues, also backwards, over the recorded program counter")
    ok("<unavailable>" in r.stdout, "other registers are unavailable", r.stdout, r.stderr)
    ok("No more reverse-execution history" in r.stdout, "gdb is notified of the begin", r.stdout,
       r.stderr)


with tempfile.TemporaryDirectory() as folder:
    path, walked = test_instructions(folder)
    if walked:
        test_commands(folder, path, walked)
        test_packets(path)
        test_gdb(path, walked)
        test_loading(folder, path, walked)
    test_events(folder)
    test_foreign(folder)
    test_build_ids(folder)
    test_hostile_name(folder)
sys.exit(finish())
