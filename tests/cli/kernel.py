# SPDX-License-Identifier: MIT
"""Kernel events by their print formats, as trace.dat and as Perfetto trace, on this kernel.

trace-cmd reads the trace.dat and must show the same text as trawl-decode --print; the Perfetto
trace is read by a small protobuf decoder that shares nothing with the encoder.
"""
import collections
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from cli.protobuf import fields  # noqa: E402
from tap import finish, ok, same, skip, skip_all  # noqa: E402

EVENTS = ["sched:*", "syscalls:sys_enter_openat", "syscalls:sys_exit_openat", "kmem:*",
          "timer:hrtimer*",
          "filemap:*", "signal:*", "exceptions:*", "irq*:*"]
TRACEFS = "/sys/kernel/tracing"


def run(*command):
    p = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return p.returncode, p.stdout, p.stderr


def formats():
    # Leave out the probes of other tests, which come and go meanwhile.
    paths = [os.path.join(root, "format") for root, _, files in os.walk(TRACEFS + "/events")
             if "format" in files and "/events/trawl" not in root]
    p = subprocess.run([os.environ["TRAWL_BUILD"] + "/tests/decode/formats"],
                       input="\n".join(paths), capture_output=True, text=True)
    total, understood, calls, dropped = map(int, p.stdout.split())
    wrong = [line for line in p.stderr.splitlines() if ": calls " not in line]
    # The print formats of these have code, so they are shown by their fields.
    wrong = [line for line in wrong if "/kvmmmu/kvm_mmu_" not in line]
    ok(not dropped, "all of their fields are fields of the event types", *wrong)
    ok(total > 500, f"the kernel has {total} event formats", p.stderr)
    ok(not wrong,
       f"{understood} print formats are understood, {calls} of them call the kernel or have a "
       f"constant "
       "that it does not tell", *wrong)


def print_text(capture):
    """(cpu, tid, event, text) of every event, by trawl-decode --print."""
    status, out, err = run("trawl-decode", "--print", "--utc", capture)
    seen = collections.Counter()
    for line in out.splitlines():
        m = re.match(r"\S+ \[(\d+)\] .*?-(\d+) +([^\s:]+):(\S+) *(.*)", line)
        seen[(int(m[1]), int(m[2]), m[4], m[5].replace("(null)", "0x0"))] += 1
    return seen


def report_text(dat):
    """(cpu, tid, event, text) of every event, by trace-cmd report without its plugins."""
    status, out, err = run("trace-cmd", "report", "-N", "-t", dat)
    seen = collections.Counter()
    for line in out.splitlines():
        if m := re.match(r"\s*.*-(\d+) +\[(\d+)\] +[\d.]+: (\S+): *(.*)", line):
            text = m[4].replace("(nil)", "0x0")
            if m[3].startswith("mm_page_"):  # trace-cmd takes the constant vmemmap_base for 0
                text = re.sub(r"\bpage=0x[0-9a-f]+", "page=?", text)
            seen[(int(m[2]), int(m[1]), m[3], text)] += 1
    return seen


def other_words(key):
    """Events that trace-cmd prints wrongly: libtraceevent takes A & (B | C), as in the flags of a
    timer, for A & B | C, and does not know HRTIMER_MODE_ABS. (tests/cli/kerneltext.py compares with
    the kernel itself.)"""
    return key[2] in ("timer_start", "hrtimer_start", "hrtimer_init",
                      "hrtimer_setup") or "I_DIRTY" in key[3]


def trace_dat(capture, folder):
    dat = folder + "/trace.dat"
    status, _, err = run("trawl-export", "--to", "trace-dat", capture, "-w", dat)
    ok(status == 0, "a trace.dat is written", err)
    ours, theirs = print_text(capture), report_text(dat)
    ok(sum(theirs.values()) > 1000, f"trace-cmd reads {sum(theirs.values())} events from it")
    ok(sum(ours.values()) == sum(theirs.values()), "as many as are in the capture",
       sum(ours.values()))
    only = [k for k in (theirs - ours) | (ours - theirs) if not other_words(k)]
    ok(not only, "and each has the text of trawl-decode --print", *only[:6])
    interrupts(capture, dat)
    kernelshark(dat, collections.Counter(k[2] for k in theirs.elements()))


def interrupts(capture, dat):
    """The kind of interrupt of each event, as trace-cmd shows it beside its CPU."""
    words = {"s": "softirq", "h": "hardirq", "H": "hardirq", "z": "nmi", "Z": "nmi"}
    ours, theirs = collections.Counter(), collections.Counter()
    for line in run("trawl-decode", "--json", capture)[1].splitlines():
        e = json.loads(line)
        ours[(e["cpu"], e["tid"], e["name"].split(":")[1], e.get("interrupt"))] += 1
    for line in run("trace-cmd", "report", "-N", "-l", dat)[1].splitlines():
        if m := re.match(r"\s*.*-(\d+) +(\d+)..(.)\S+ +[\d.]+: (\S+):", line):
            theirs[(int(m[2]), int(m[1]), m[4], words.get(m[3]))] += 1
    kinds = {key[3] for key in ours}
    ok(kinds >= {None, "softirq", "hardirq"} and ours == theirs,
       "events in interrupts are marked, as trace-cmd marks them", kinds, *(ours - theirs),
       *(theirs - ours))
    selected = run("trawl-decode", "--json", "--where", 'interrupt == "hardirq"', capture)[1]
    same(sum(n for k, n in ours.items() if k[3] == "hardirq"), len(selected.splitlines()),
         "and are selected by it")
    status, out, _ = run("trawl-decode", "--where", 'interrupt == "hardirq"', "-c", "1", capture)
    ok(out.endswith(" (in hardirq)\n"), "text says it, too", out)


def kernelshark(dat, names):
    """KernelShark's own library reads the file; names: {event: its number by trace-cmd}."""
    try:
        lib = ctypes.CDLL("libkshark.so.2")
    except OSError:
        return skip("KernelShark reads the trace.dat",
                    "libkshark is missing: apt-get install libkshark2")
    context, rows = ctypes.c_void_p(), ctypes.POINTER(ctypes.c_void_p)()
    lib.kshark_load_entries.restype = ctypes.c_ssize_t
    lib.kshark_get_event_name.restype = ctypes.c_char_p
    lib.kshark_instance(ctypes.byref(context))
    stream = lib.kshark_open(context, dat.encode())
    count = lib.kshark_load_entries(context, stream, ctypes.byref(rows))
    seen = collections.Counter(
        lib.kshark_get_event_name(ctypes.c_void_p(rows[i])).decode().split("/")[1]
                               for i in range(max(count, 0)))
    ok(seen == names, f"KernelShark's library reads {count} events from it, each by its name",
       seen - names, names - seen)


# ---- protobuf -------------------------------------------------------------------------------

# Perfetto's protos/perfetto/trace/ftrace/{ftrace_event,sched,task}.proto: number and fields of a
# message.
FTRACE = {
    "sched:sched_switch": (4,
                           "prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio"),
    "sched:sched_wakeup": (17, "comm pid prio success target_cpu"),
    "sched:sched_waking": (20, "comm pid prio success target_cpu"),
    "sched:sched_wakeup_new": (114, "comm pid prio success target_cpu"),
    "task:task_newtask": (235, "pid comm clone_flags oom_score_adj"),
    "task:task_rename": (236, "pid oldcomm newcomm oom_score_adj"),
    "sched:sched_process_exec": (237, "filename pid old_pid"),
    "sched:sched_process_exit": (238, "comm pid tgid prio"),
    "sched:sched_process_fork": (239, "parent_comm parent_pid child_comm child_pid"),
    "sched:sched_process_free": (240, "comm pid prio"),
    "sched:sched_process_hang": (241, "comm pid"),
    "sched:sched_process_wait": (242, "comm pid prio"),
}


def ftrace_event(bundle):
    """(name, cpu, tid, time on CLOCK_BOOTTIME, fields) of a bundle with one event."""
    event = fields(bundle[2][0])
    (number,) = set(event) - {1, 2}
    name, members = next((n, m.split()) for n, (k, m) in FTRACE.items() if k == number)
    got = {}
    for k, values in fields(event[number][0]).items():
        value = values[0]
        if isinstance(value, bytes):
            value = value.decode()
        elif value >= 1 << 63:
            value -= 1 << 64
        got[members[k - 1]] = value
    return name, bundle[1][0], event[2][0], event[1][0], got


def scheduler(packets, clocks, events):
    """Checks the events of which Perfetto makes its tables sched and thread_state; returns their
    number."""
    seen = [ftrace_event(b) for b in (fields(p[1][0]) for p in packets if p[1]) if b[2]]
    want = [(e["name"], e["cpu"], e["tid"], e["ts_ns"] - clocks[1] + clocks[6],
             {k: v for k, v in e["fields"].items() if k in FTRACE[e["name"]][1].split()})
            for e in events if e["name"] in FTRACE]
    ok(seen == want, f"the {len(want)} events of the scheduler are Perfetto's own, by its schema",
       *[(s, w) for s, w in zip(seen, want) if s != w][:3], (len(seen), len(want)))
    switches = [s for s in seen if s[0] == "sched:sched_switch"]
    wrong = [s for s in switches if s[2] != s[4]["prev_pid"]]
    ok(switches and not wrong, f"each of {len(switches)} switches is of the task that it leaves",
       wrong)
    woken = {s[4]["pid"] for s in seen if s[0] in ("sched:sched_waking", "sched:sched_wakeup_new")}
    ok(woken & {s[4]["next_pid"] for s in switches}, "tasks that were woken run afterwards", woken)
    release = [fields(fields(p[45][0])[1][0])[3][0].decode() for p in packets if p[45]]
    same([os.uname().release], release, "the kernel's release is there, by which states are read")
    return len(want)


def perfetto(capture, folder):
    path = folder + "/perfetto"
    status, _, err = run("trawl-export", "--to", "perfetto", capture, "-w", path)
    ok(status == 0, "a Perfetto trace is written", err)
    packets = [fields(p) for p in fields(open(path, "rb").read())[1]]
    clocks = {fields(c)[1][0]: fields(c)[2][0] for c in fields(packets[0][6][0])[1]}
    ok({1, 3, 6} <= set(clocks), "it begins with a clock snapshot", clocks)
    tracks, threads, instants, depth = {}, {}, 0, collections.Counter()
    named, unknown, args = collections.Counter(), 0, {}
    for p in packets:
        if p[60]:
            t = fields(p[60][0])
            tracks[t[1][0]] = t
            if t[4]:
                thread = fields(t[4][0])
                threads[thread[2][0]] = (thread[1][0], thread[5][0].decode() if thread[5] else "")
        if p[11]:
            e = fields(p[11][0])
            unknown += e[11][0] not in tracks
            if e[9][0] == 3:
                instants += 1
                named[e[23][0].decode()] += 1
                args[e[23][0].decode()] = {fields(a)[10][0].decode(): a for a in e[4]}
            depth[e[11][0]] += {1: 1, 2: -1}.get(e[9][0], 0)
            if depth[e[11][0]] not in (0, 1):
                unknown += 1
    events = [json.loads(line) for line in run("trawl-decode", "--json", capture)[1].splitlines()]
    scheduler(packets, clocks, events)
    others = [e for e in events if e["name"] not in FTRACE]
    ok(others and instants == len(others), "every other event is an instant", instants, len(others))
    ok(named == collections.Counter(e["name"] for e in others), "under its name")
    ok(not unknown, "on a track that is described, slices one after the other", unknown)
    tids = {e["tid"]: e["comm"] for e in events if e["tid"] > 0}
    ok(set(tids) <= set(threads), "every task has its thread", set(tids) - set(threads))
    last = others[-1]
    got = {k: fields(a) for k, a in args[last["name"]].items()}
    numbers = {k: v for k, v in last["fields"].items() if type(v) is int and v >= 0}
    ok(numbers and
       all(v in [got[k][n][0] for n in (3, 4, 7) if got[k][n]] for k, v in numbers.items()),
       "fields are annotations", got, last)


def around(capture):
    every = [json.loads(line) for line in run("trawl-decode", "--json", capture)[1].splitlines()]
    switches = [e for e in every if e["name"] == "sched:sched_switch"]
    # The scheduler decides which commands run: take the rarest.
    comm = collections.Counter(e["fields"]["next_comm"] for e in switches).most_common()[-1][0]
    at = [e["ts_ns"] for e in switches if e["fields"]["next_comm"] == comm]
    want = [e for e in every if any(abs(e["ts_ns"] - t) <= 30000 for t in at)]
    status, out, err = run("trawl-decode", "--json", "--around", f'next_comm = "{comm}"',
                           "--window", "30us", capture)
    ok(status == 0 and at and [json.loads(line) for line in out.splitlines()] == want,
       f"--around shows the {len(want)} events near {len(at)} matches, of {len(every)}", err)
    status, out, err = run("trawl-decode", "--around", "pid = 1 and pid = 2", capture)
    ok(status == 0 and not out and "nothing matches" in err, "and says when nothing matches", err)
    status, out, err = run("trawl-decode", "--around", "pid > 1", "--window", "3q", capture)
    ok(status == 2 and "200us, 5ms, 1.5s" in err, "and what a time looks like", err)


def wall_clock(capture, before, after):
    """The timeline is CLOCK_BOOTTIME, shown as time of day, however long ago the boot was."""
    events = [json.loads(line)
              for line in run("trawl-decode", "--json", "--bounds", capture)[1].splitlines()]
    outside = [e for e in events
               if not before - e["bound_ns"] <= e["ts_ns"] <= after + e["bound_ns"]]
    up = float(open("/proc/uptime").read().split()[0])
    ok(events and not outside, f"all is between two looks at the wall clock, {up:.0f} s after boot",
       *outside[:3])


def main():
    with tempfile.TemporaryDirectory() as folder:
        capture = folder + "/k.trawl"
        sources = [word for e in EVENTS for word in ("-i", "event:" + e)]
        before = time.time_ns()
        status, _, err = run("trawl", "-q", *sources, "-w", capture, "--", "bash", "-c",
                             "for i in 1 2 3; do cat /etc/passwd | wc -c; done >/dev/null; sleep "
                             # It computes until softirqs have interrupted it.
                             "0.05; for ((i = 0; i < 100000; i++)); do :; done; kill -9 $$")
        ok(status == 0, "kernel events are captured", err)
        wall_clock(capture, before, time.time_ns())
        formats()
        trace_dat(capture, folder)
        perfetto(capture, folder)
        around(capture)
    return finish()


if not os.access(TRACEFS + "/events/enable", os.W_OK):
    sys.exit(skip_all("tracefs cannot be written: run as root"))
elif subprocess.run(["which", "trace-cmd"], capture_output=True).returncode:
    sys.exit(skip_all("trace-cmd is missing: apt-get install trace-cmd"))
else:
    sys.exit(main())
