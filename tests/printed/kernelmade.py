# SPDX-License-Identifier: MIT
"""Kernel events as lines of tests/decode/make-lines: a machine in which tasks switch, wait, call,
fail and crash."""
from printed.lines import Lines, Numbers

MACHINE = {"kernel": "6.12.9", "kernel_version": "#1 SMP", "arch": "x86_64", "hostname": "box",
           "cpus": 4, "cpu_model": "a processor", "memory": 8 << 30, "page_size": 4096,
           "boot_id": "c6afcd9c-0000", "distro": "Test 1", "trawl": "0", "clock_error_ns": 1500000}
CAPTURE = {"argv": ["trawl", "-i", "event:*", "-w", "a b.trawl"], "sources": ["event:*"],
           "start_ns": 1795225477000000000, "start_mono_ns": 5000000000, "snaplen": 32, "pid": 40,
           "uid": 1000, "user": "ada", "command": ["./load", "it's"]}
END = {"why": "command", "incomplete": True, "begin_mono_ns": 5000000000,
       "end_mono_ns": 900000000000, "exit_status": 139, "signal": 11, "command": "crashed",
       "sources": [{"source": "event", "events": 900, "lost": 17, "lost_more": True},
                   {"source": "uprobe", "events": 12, "lost": 0, "hits": 14}]}
STATES = ('{ 1, "S" }, { 2, "D" }, { 4, "T" }, { 8, "t" }, { 0x10, "X" }, { 0x20, "Z" }')
TASKS = {5: "load", 6: "worker", 7: "reader", 8: "kworker/0:1H-kblockd", 9: "größe\n"}


def machine(lines, **other):
    lines.meta("machine", {**MACHINE, **other})
    lines.meta("capture", CAPTURE)
    for tid, comm in TASKS.items():
        lines.meta(f"task/{tid}", {"tid": tid, "pid": 5 if tid < 8 else tid, "comm": comm,
                                   "time_ns": 1, "ppid": 1, "exe": f"/bin/{comm}",
                                   "kernel": tid == 8, "cmdline": [comm, "-v"]})
    lines.meta("kernel/kallsyms", "ffffffff81000000 T do_work [mod]")


def describe(lines):
    """Event types of the kernel that programs know by name."""
    lines.source("event")
    wake = ["char comm[16]", "pid_t pid", "int prio", "int success", "int target_cpu"]
    for name, fields, text in (
            ("sched:sched_switch",
             ["char prev_comm[16]", "pid_t prev_pid", "int prev_prio", "long prev_state",
              "char next_comm[16]", "pid_t next_pid", "int next_prio"],
             '"%s:%d %s%s => %s:%d", REC->prev_comm, REC->prev_pid, (REC->prev_state & 0x3f) ? '
             '__print_flags(REC->prev_state & 0x3f, "|", ' + STATES +
             ') : "R", REC->prev_state & 0x100 ? "+" : "", REC->next_comm, REC->next_pid'),
            *((f"sched:sched_{n}", wake, '"%s:%d [%d] CPU:%03d", REC->comm, REC->pid, REC->prio, '
               'REC->target_cpu') for n in ("waking", "wakeup", "wakeup_new")),
            ("task:task_newtask", ["pid_t pid", "char comm[16]", "unsigned long clone_flags",
                                   "short oom_score_adj"], ""),
            ("task:task_rename", ["pid_t pid", "char oldcomm[16]", "char newcomm[16]",
                                  "short oom_score_adj"], ""),
            ("sched:sched_process_exec", ["__data_loc char[] filename", "pid_t pid",
                                          "pid_t old_pid"], '"%s", __get_str(filename)'),
            ("sched:sched_process_exit", ["char comm[16]", "pid_t pid", "int prio",
                                          "bool group_dead"], ""),
            ("signal:signal_generate", ["int sig", "int errno", "int code", "char comm[16]",
                                        "pid_t pid"], ""),
            ("signal:signal_deliver", ["int sig", "int errno", "int code",
                                       "unsigned long sa_handler"], '"sig=%d", REC->sig'),
            ("irq:irq_handler_entry", ["int irq", "__data_loc char[] name"], ""),
            ("irq:irq_handler_exit", ["int irq", "int ret"],
             '"irq=%d %s", REC->irq, REC->ret ? "handled" : "unhandled"'),
            ("irq:softirq_entry", ["u32 vec"], '"vec=%u [%s]", REC->vec, __print_symbolic('
             'REC->vec, { 0, "HI" }, { 1, "TIMER" }, { 9, "RCU" })'),
            ("irq:softirq_exit", ["u32 vec"], ""),
            ("lock:contention_begin", ["void * lock_addr", "u32 flags"],
             '"%p %s", REC->lock_addr, __print_flags(REC->flags, "|", { 1, "SPIN" }, '
             '{ 2, "READ" })'),
            ("lock:contention_end", ["void * lock_addr", "int ret"], ""),
            *((f"block:block_rq_{n}", ["dev_t dev", "sector_t sector", "u32 nr_sector", "u32 bytes",
                                       "int error", "char rwbs[8]", "char comm[16]"],
               '"%d,%d %s %llu + %u", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) '
               '((REC->dev) & ((1U << 20) - 1))), REC->rwbs, REC->sector, REC->nr_sector')
              for n in ("issue", "complete")),
            *((f"block:block_bio_{n}", ["dev_t dev", "sector_t sector", "u32 nr_sector",
                                        "char rwbs[8]", "char comm[16]"], "")
              for n in ("queue", "complete")),
            ("block:block_io_start", ["dev_t dev", "sector_t sector"], ""),
            ("block:block_io_done", ["dev_t dev", "sector_t sector"], ""),
            ("syscalls:sys_enter_openat", ["int __syscall_nr", "s64 dfd", "const char * filename",
                                           "u64 flags", "u64 mode"], '"dfd: 0x%08lx", REC->dfd'),
            ("syscalls:sys_exit_openat", ["int __syscall_nr", "long ret"], '"0x%lx", REC->ret'),
            ("raw_syscalls:sys_enter", ["long id", "unsigned long args[6]"], ""),
            ("raw_syscalls:sys_exit", ["long id", "long ret"], ""),
            ("hung:step_begin", ["u32 n"], ""), ("hung:step_stop", ["u32 n"], "")):
        lines.type(name, fields, text)


class Box:
    """Tasks 5 to 9 on two processors."""

    def __init__(self, lines):
        self.lines, self.pick, self.running = lines, Numbers(7), [5, 6]

    def event(self, name, cpu, flags=0, /, **values):
        self.lines.event(name, 900 + self.pick.below(40000), cpu, self.running[cpu], flags,
                         **values)

    def switch(self, cpu):
        old, state = self.running[cpu], self.pick.of((0, 1, 2, 2, 4, 0x20, 0x100, 3))
        waiting = [t for t in (0, *TASKS) if t not in self.running]
        new = self.pick.of(waiting)
        self.event("sched:sched_switch", cpu, prev_comm=TASKS.get(old, "swapper"), prev_pid=old,
                   prev_prio=120, prev_state=state, next_comm=TASKS.get(new, "swapper"),
                   next_pid=new, next_prio=98)
        self.running[cpu] = new

    def wake(self, cpu):
        tid = self.pick.of(list(TASKS))
        name = "sched:sched_" + self.pick.of(("waking", "waking", "wakeup", "wakeup_new"))
        self.event(name, cpu, self.pick.of((0, 0, 0x10, 8)), comm=TASKS[tid], pid=tid, prio=120,
                   success=1, target_cpu=self.pick.below(4))

    def interrupt(self, cpu):
        self.event("irq:irq_handler_entry", cpu, 8, irq=9, name="disk\0")
        if self.pick.below(2):
            self.event("irq:softirq_entry", cpu, 0x10, vec=self.pick.below(12))
            self.wake(cpu)
            self.event("irq:softirq_exit", cpu, 0x10, vec=1)
        self.event("irq:irq_handler_exit", cpu, self.pick.of((8, 0x40)), irq=9,
                   ret=self.pick.below(2))

    def call(self, cpu):
        flags = self.pick.of((0, 0x241, 0x80000))
        self.event("syscalls:sys_enter_openat", cpu, __syscall_nr=257, dfd=-100,
                   filename=0x7ffc00001000, flags=flags, mode=0o644)
        if self.pick.below(3) == 0:
            self.switch(cpu)
            self.switch(cpu)
        self.event("syscalls:sys_exit_openat", cpu, __syscall_nr=257,
                   ret=self.pick.of((3, 4, -2, -13, -24, -512, -133, -4095)))

    def raw(self, cpu):
        nr = self.pick.of((0, 1, 59, 231, 9999, -1))
        self.event("raw_syscalls:sys_enter", cpu, id=nr, args=[self.pick.below(1 << 31)
                                                               for _ in range(6)])
        self.event("raw_syscalls:sys_exit", cpu, id=nr, ret=self.pick.of((0, -1, -11, 77)))

    def lock(self, cpu):
        self.event("lock:contention_begin", cpu, lock_addr=0xffff888000001000,
                   flags=self.pick.below(8))
        if self.pick.below(2):
            self.wake(cpu)
        self.event("lock:contention_end", cpu, lock_addr=0xffff888000001000, ret=0)

    def disk(self, cpu):
        sector, dev = self.pick.below(1 << 30), self.pick.of((8 << 20, 8 << 20 | 16, 259 << 20))
        more = {"dev": dev, "sector": sector, "nr_sector": 8, "rwbs": self.pick.of(("R", "WS")),
                "comm": "load"}
        self.event("block:block_bio_queue", cpu, **more)
        self.event("block:block_io_start", cpu, dev=dev, sector=sector)
        self.event("block:block_rq_issue", cpu, bytes=4096, **more)
        self.wake(1 - cpu)
        self.event("block:block_rq_complete", 1 - cpu, 8, error=self.pick.of((0, 0, -5)), **more)
        self.event("block:block_bio_complete", 1 - cpu, 8, **{**more, "sector": sector + 8,
                                                              "nr_sector": 0})
        self.event("block:block_io_done", cpu, dev=dev, sector=sector + 8)

    def nested(self, cpu):
        depth = 1 + self.pick.below(11)
        for n in range(depth):
            self.event("hung:step_begin", cpu, n=n)
        for n in range(depth - self.pick.below(2)):
            self.event("hung:step_stop", cpu, n=n)

    def tasks(self, cpu):
        tid = 20 + self.pick.below(8)
        self.event("task:task_newtask", cpu, pid=tid, comm="load",
                   clone_flags=self.pick.of((0x10000, 0x1200011)), oom_score_adj=-17)
        self.event("task:task_rename", cpu, pid=tid, oldcomm="load", newcomm="child")
        if self.pick.below(2):
            self.event("sched:sched_process_exec", cpu, filename="/bin/ch ild\0", pid=tid,
                       old_pid=tid)
        self.event("sched:sched_process_exit", cpu, comm="child", pid=tid, prio=120,
                   group_dead=True)

    def crash(self, cpu):
        signal = self.pick.of((11, 6, 9, 17, 99))
        self.event("signal:signal_generate", cpu, sig=signal, code=self.pick.of((0, 1, 128, -6)),
                   comm="load", pid=self.running[cpu])
        self.event("signal:signal_deliver", cpu, sig=signal,
                   code=1, sa_handler=self.pick.of((0, 0, 0x4000, 1)))


def kernel():
    lines = Lines()
    machine(lines)
    describe(lines)
    lines.source("trawl", "trawl")
    box = Box(lines)
    steps = (box.switch, box.switch, box.wake, box.interrupt, box.call, box.raw, box.lock,
             box.disk, box.nested, box.tasks, box.crash)
    for n in range(260):
        box.pick.of(steps)(box.pick.below(2))
        if n % 60 == 59:
            lines.loss(0, n // 60, 3000, (17, "-", 1, 3)[n // 60 % 4])
            lines.now += 5_000_000
    lines.meta("end", END, lines.now)
    lines.meta("edit/1", {"operation": "cut", "kept": 10, "left_out": 5, "every": 3,
                          "from_ns": 1, "until_ns": 900000000000, "chosen": True}, lines.now)
    return lines


def many():
    """More tasks, names and processors than tables have room for at first."""
    lines = Lines()
    lines.source("event")
    for tid in range(1, 401):
        lines.meta(f"task/{tid}", {"tid": tid, "pid": tid - tid % 3, "comm": f"task{tid}",
                                   "time_ns": 1})
        lines.type(f"many:event{tid}_{'begin' if tid % 2 else 'end'}", [f"u32 field{tid}"],
                   f'"field{tid}=%u %s", REC->field{tid}, __print_symbolic(REC->field{tid}, '
                   f'{{ {tid}, "own" }})')
    for name in 2 * list(lines.types):
        tid = int(name.split("event")[1].split("_")[0])
        lines.event(name, 100, tid % 70, tid, **{f"field{tid}": tid})
    return lines
