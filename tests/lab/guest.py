# SPDX-License-Identifier: MIT
"""Runs QEMU with one of Debian's kernels: command line, monitor, and the way in which it ended."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import typing

DISK_BYTES = 64 << 20
# The memory of a guest; three quarters may hold the files that it writes.
MEMORY = os.environ.get("LAB_MEMORY", "2G")
# Seconds after which a guest hangs if no test has ended and its console is silent. A test may be
# allowed to take longer (tests/bench/usbload.sh).
SILENCE = max(700, int(os.environ.get("LAB_LIMIT", 0)))

# One thread for both CPUs: with a thread each, QEMU before 8.1 runs stale translations of code that
# the other CPU has just patched. Enabling a tracepoint patches code, and the kernel panics with
# "Oops: int3".
ACCELERATOR = "tcg,thread=single"

# tsc=reliable: both CPUs have the clock of the one thread, but a kernel that compares them may find
# otherwise, and then reads the time from an emulated device. no_timer_check: on a busy machine
# ticks come late, and a kernel that counts them would find that the timer does not work.
# mitigations=off: mitigations of speculation take a tenth of the time. norandmaps, nokaslr: QEMU
# translates code again at each new address, which would be two thirds of all translations. The
# others: a sixth of the rest goes to checks that find nothing here (of copies from users, of each
# file by other security modules, the random stack offset of system calls) and to slow waiting for
# RCU readers.
KERNEL_WORDS = (
    "console=ttyS0 quiet panic=-1 tsc=reliable no_timer_check mitigations=off norandmaps nokaslr "
                "init_on_alloc=0 hardened_usercopy=off randomize_kstack_offset=off lsm=capability "
                "rcupdate.rcu_expedited=1")

# Left out to be faster: QEMU emulates "rep movsb" (erms) byte by byte, walks one level more of page
# tables (la57), and keeps two maps of user memory with smap and smep.
CPU = "max,-erms,-la57,-smap,-smep"

USB = """
-device qemu-xhci,id=xhci,p2=8,p3=8
-device usb-ehci,id=ehci
-device usb-storage,bus=xhci.0,port=1,drive=disk0,serial=TRAWL0001,id=disk-xhci
-device usb-hub,bus=xhci.0,port=2
-device usb-kbd,bus=xhci.0,port=2.1,id=keyboard
-device usb-serial,bus=xhci.0,port=3,chardev=echo
-device usb-audio,bus=xhci.0,port=4,audiodev=sound
-device usb-tablet,bus=ehci.0,port=1,id=tablet
-device usb-storage,bus=ehci.0,port=2,drive=disk1,serial=TRAWL0002,id=disk-ehci
""".split()


def read(path):
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return ""


# The usual machine has the results folder also by a second 9p device, for the time after a sleep,
# which Linux's 9p does not survive (suspend.sh). The one with an IOMMU begins each instance of
# tracefs with large ring buffers, so that few instances fit. Machines with the name of a processor
# have its branch records and the counters that perf needs for them, in a QEMU of our own
# (qemu/README.md); the NMI watchdog is off, as it would take a counter.
class Machine(typing.NamedTuple):
    board: str
    devices: list
    words: str  # of its kernel's command line
    cpu: str = CPU
    patched: bool = False  # needs the QEMU with qemu/branch-record.patch
    processors: int = 2


def intel(model, lbr, words=""):
    """A client processor of Intel: its model, and its branch records as QEMU's option has them."""
    return Machine("pc", [], " nmi_watchdog=0" + words,
                   f"{CPU},vendor=GenuineIntel,family=6,model={model},stepping=3,pmu=on,{lbr}",
                   True)


MACHINES = {
    "": Machine("pc", ["-device", "virtio-9p-pci,fsdev=lab,mount_tag=after,addr=0x1e"],
                " no_console_suspend"),
    "iommu": Machine("q35", ["-device", "intel-iommu"], " intel_iommu=on trace_buf_size=96M"),
    "fresh": Machine("pc", [], ""),  # without caches and settings of other tests
    # A guest for this test alone: traces of other tests in the kernel may keep it from sleeping.
    "asleep": Machine("pc", ["-device", "virtio-9p-pci,fsdev=lab,mount_tag=after,addr=0x1e"],
                      " no_console_suspend"),
    "single": Machine("pc", [], "", processors=1),
    "lockdown": intel(94, "lbr-fmt=5", " lsm=lockdown,capability"),  # a level can be set there, once
    "skylake": intel(94, "lbr-fmt=5"),
    # Newer kernels ignore pti=on with mitigations=off.
    "skylake-pti": intel(94, "lbr-fmt=5", " mitigations=auto pti=on"),
    # The kernel's allocator checks freed memory and what is beyond the ends of each object; KFENCE,
    # where the kernel has it, samples each millisecond.
    # The interrupt that empties BTS's buffer comes late: 228 branches find it full, twelve rounds
    # of branchnumber.
    "late-bts": intel(94, "lbr-fmt=5,bts-late=398"),
    "skylake-slub": intel(94, "lbr-fmt=5", " slub_debug=FZPU kfence.sample_interval=1"),
    "unknown-lbr": intel(94, "lbr-fmt=60"),  # an undocumented format
    "lying-lbr": intel(60, "lbr-fmt=2"),  # a format without flags, but the records have flags
    "faulting-lbr": intel(60, "lbr-fmt=5"),  # a format with registers that the processor lacks
    "sandybridge": intel(42, "lbr-fmt=3"),
    "haswell": intel(60, "lbr-fmt=4"),
    "goldmont": intel(92, "lbr-fmt=6"),
    "tremont": intel(134, "lbr-fmt=7"),
    "sapphirerapids": intel(143, "arch-lbr=on"),
    **{f"arch-lbr-{n}": intel(143, f"arch-lbr=on,arch-lbr-entries={n}") for n in (8, 16, 24)},
    "zen4": Machine("pc", [], " nmi_watchdog=0",
                    CPU + ",vendor=AuthenticAMD,family=25,model=17,pmu=on", True),
}


def program(build, machine):
    """The QEMU of a machine, as words of a command line; our own QEMU is built if it is missing."""
    if not MACHINES[machine].patched:
        return ["qemu-system-x86_64"]
    folder = os.environ.get("LAB_CACHE") or f"{build}/lab"
    made = subprocess.run([os.path.join(os.path.dirname(__file__), "qemu/build"), folder],
                          stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return [made, "-L", "/usr/share/qemu", "-L", "/usr/share/seabios"]


def tsc_rate(build):
    """A word for the kernel's command line: the rate of the TSC. If the kernel measured it while
    QEMU waits for a CPU, its clock could run ten times too fast."""
    rate = subprocess.run([f"{build}/tests/lab/tsc"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()
    return f" tsc_early_khz={rate}" if rate else ""


def qemu_command(home, results, log, sockets, words, machine):
    shell = words["shell"]
    kind = MACHINES[machine]
    given = " ".join(f"lab.{k}={v}" for k, v in words.items())
    append = KERNEL_WORDS + kind.words + tsc_rate(words["build"]) + " " + given
    command = [*program(words["build"], machine), "-machine", kind.board + ",i8042=off",
               *kind.devices,
               "-accel", ACCELERATOR, "-cpu", kind.cpu, "-smp", str(kind.processors), "-m", MEMORY,
               "-nodefaults", "-display", "none", "-no-reboot",
               "-kernel", os.path.join(home, "kernel"), "-initrd", os.path.join(home, "initrd"),
               "-append", append,
               "-serial", "mon:stdio" if shell else f"file:{log}/console.log",
               "-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
               "-device", "virtio-9p-pci,fsdev=root,mount_tag=root",
               "-fsdev", f"local,id=lab,path={results},security_model=none",
               "-device", "virtio-9p-pci,fsdev=lab,mount_tag=lab",
               "-device", "virtio-serial-pci", "-device",
               "virtserialport,chardev=host,name=trawl.host",
               "-audiodev", "none,id=sound"]
    for name in ("qmp", "host", "echo"):
        command += ["-chardev", f"socket,id={name},path={sockets}/{name},server=on,wait=off"]
    command += ["-mon", "chardev=qmp,mode=control"]
    for i in range(2):
        disk = os.path.join(log, f"disk{i}")
        with open(disk, "wb") as f:
            f.truncate(DISK_BYTES)
        # Unlike with -drive, the block device stays when its USB disk is unplugged.
        command += ["-blockdev",
                    f"driver=raw,node-name=disk{i},cache.no-flush=on,file.driver=file,file.filename={disk}"]
    return command + USB


class Monitor:
    """QEMU's monitor by QMP: answers are lines of JSON, with events between them."""

    def __init__(self, path):
        self.file = connect(path).makefile("rw")
        self.file.readline()
        self.ask({"execute": "qmp_capabilities"})

    def ask(self, request):
        self.file.write(json.dumps(request) + "\n")
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if "event" not in answer:
                return answer

    def obey(self, line):
        """One line of the guest: JSON is QMP, anything else a command of the human monitor."""
        if line.startswith("{"):
            answer = self.ask(json.loads(line))
        else:
            answer = self.ask({"execute": "human-monitor-command",
                               "arguments": {"command-line": line}})
        if "error" in answer:
            return "error " + answer["error"]["desc"]
        text = answer["return"] if isinstance(answer["return"],
                                              str) else json.dumps(answer["return"])
        text = " ".join(text.split())
        return ("error " if text.startswith(("Error", "unknown command")) else "ok ") + text


def connect(path):
    for _ in range(200):
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(path)
            return s
        except OSError:
            s.close()
            time.sleep(0.05)
    raise OSError(f"QEMU did not open {path}")


def serve(path, handle):
    """A thread that calls handle(socket) for a QEMU chardev until QEMU ends."""
    def work():
        try:
            handle(connect(path))
        except (OSError, ValueError):
            pass  # QEMU has ended, maybe in the middle of a line
    threading.Thread(target=work, daemon=True).start()


def echo(s):
    while data := s.recv(65536):
        s.sendall(data)


def requests(sockets):
    def handle(s):
        monitor = Monitor(f"{sockets}/qmp")
        for line in s.makefile("r"):
            s.sendall((monitor.obey(line.strip()) + "\n").encode())
    return handle


def progress(log):
    """A value that changes whenever the guest shows that it is alive."""
    return [(e.name, e.stat().st_size) for e in os.scandir(log)]


def wait(qemu, log, deadline):
    """Waits until QEMU ends; returns None, or why it had to be killed."""
    if deadline is None:
        qemu.wait()
        return None
    last, since = None, time.time()
    while True:
        try:
            qemu.wait(2)
            return None
        except subprocess.TimeoutExpired:
            now = progress(log)
        if now != last:
            last, since = now, time.time()
        if time.time() > deadline:
            return "it did not end in time"
        if time.time() - since > SILENCE:
            return f"it hung: no sign of life for {SILENCE} s"


def log_folder(results, name):
    """The files of one guest: its disks and the output of its console and of QEMU."""
    return f"{results}/guests/{name}"


def boot(home, results, words, deadline, machine=""):
    """Runs a guest until it switches itself off. Returns None if it did, else how it died.

    results is its /lab, which it may share with others; words go to its command line as
    lab.NAME=VALUE, and words["guest"] names it; deadline is None for a shell; machine is one of
    MACHINES. """
    sockets = tempfile.mkdtemp(prefix="lab")
    shell, log = words["shell"], log_folder(results, words["guest"])
    try:
        with open(f"{log}/qemu.log", "w") as said:
            qemu = subprocess.Popen(qemu_command(home, results, log, sockets, words, machine),
                                    stdin=None if shell else subprocess.DEVNULL,
                                    stdout=sys.stdout if shell else said, stderr=sys.stderr
                                    if shell else said)
        serve(f"{sockets}/host", requests(sockets))
        serve(f"{sockets}/echo", echo)
        try:
            killed = wait(qemu, log, deadline)
        finally:
            qemu.kill()
            qemu.wait()
    finally:
        shutil.rmtree(sockets)
    return killed or ending(qemu.returncode, log)


def ending(status, log):
    said = read(f"{log}/qemu.log").strip().splitlines()[-1:]
    if status < 0:
        return f"QEMU was killed by {signal.Signals(-status).name}"
    if status > 0:
        return f"QEMU ended with status {status}: {' '.join(said)}"
    if os.path.exists(f"{log}/ended"):
        return None
    return "its kernel stopped: " + (complaint(read(f"{log}/console.log")) or
                                     ["and says nothing"])[0]


def complaint(console, count=25):
    """The lines of a kernel's log from its first error on."""
    lines = [re.sub(r"[^ -~]", "", line) for line in console.splitlines()]
    for i, line in enumerate(lines):
        if re.search(
            # RETBleed's warning is about the emulated processor; the allocator writes
            # "BUG kmalloc-64 (".
            r"\bBUG:|\bBUG \S+ \(|\bOops\b|(?<!RETBleed: )WARNING: |Kernel panic|kernel BUG|"
            r"general protection|leaking uprobe",
            line):
            return lines[i:i + count]
    return []
