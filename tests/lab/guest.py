# SPDX-License-Identifier: MIT
"""One run of QEMU with one of Debian's kernels: its command line, its monitor, and how it ended."""
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
# Of a guest; three quarters hold what it writes.
MEMORY = os.environ.get("LAB_MEMORY", "2G")
# A guest in which no test ends and whose console is silent for so long, hangs; but a test may be
# allowed to take longer (tests/bench/usbload.sh).
SILENCE = max(700, int(os.environ.get("LAB_LIMIT", 0)))

# One thread for both CPUs: with a thread each, QEMU before 8.1 runs stale translations of code that
# the other CPU has just patched. Switching tracepoints on and off is such patching, and the kernel
# panics with "Oops: int3".
ACCELERATOR = "tcg,thread=single"

# Both CPUs have the clock of the one thread, though a kernel may find otherwise when it compares
# them; without it every reading of the time asks an emulated device. On a busy machine QEMU waits
# for a CPU, and ticks come late: a kernel that counts them to know whether the timer works, finds
# that it does not. What protects a kernel from its users' speculation costs a tenth of the time
# here. QEMU translates code anew for each address at which it meets it, so that programs at random
# addresses are translated again and again: two thirds of all that it translates. A sixth of the
# rest goes to checks that find nothing here (of copies from users, of each file by other security
# modules, the stack moved at each system call) and to readers of RCU that are waited for at
# leisure.
KERNEL_WORDS = (
    "console=ttyS0 quiet panic=-1 tsc=reliable no_timer_check mitigations=off norandmaps nokaslr "
                "init_on_alloc=0 hardened_usercopy=off randomize_kstack_offset=off lsm=capability "
                "rcupdate.rcu_expedited=1")

# Copying by "rep movsb" (erms) is emulated byte by byte, five levels of page tables are one more
# than four, and where a kernel may not touch its user's memory by accident (smap, smep) QEMU keeps
# two maps of it.
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


# The usual machine has the results folder by a second 9p device, too, for the time after it slept,
# which no 9p of Linux survives (suspend.sh). The one with an IOMMU also begins each tracefs
# instance with large ring buffers, so that few of them find room. Those that have a processor's
# name have its branch records and the counters that perf needs for them, in a QEMU of our own
# (qemu/README.md); the NMI watchdog would take one.
class Machine(typing.NamedTuple):
    board: str
    devices: list
    words: str  # of its kernel's command line
    cpu: str = CPU
    patched: bool = False  # by qemu/branch-record.patch
    processors: int = 2


def intel(model, lbr, words=""):
    """A client processor of Intel's: its model and what its branch records are, in QEMU's words."""
    return Machine("pc", [], " nmi_watchdog=0" + words,
                   f"{CPU},vendor=GenuineIntel,family=6,model={model},stepping=3,pmu=on,{lbr}",
                   True)


MACHINES = {
    "": Machine("pc", ["-device", "virtio-9p-pci,fsdev=lab,mount_tag=after,addr=0x1e"],
                " no_console_suspend"),
    "iommu": Machine("q35", ["-device", "intel-iommu"], " intel_iommu=on trace_buf_size=96M"),
    "fresh": Machine("pc", [], ""),  # where nothing has been cached or set by other tests
    # by itself: what others leave in a kernel can keep it from sleeping
    "asleep": Machine("pc", ["-device", "virtio-9p-pci,fsdev=lab,mount_tag=after,addr=0x1e"],
                      " no_console_suspend"),
    "single": Machine("pc", [], "", processors=1),
    "lockdown": intel(94, "lbr-fmt=5", " lsm=lockdown,capability"),  # a level can be set there, once
    "skylake": intel(94, "lbr-fmt=5"),
    # newer kernels take mitigations=off for the last word on isolation
    "skylake-pti": intel(94, "lbr-fmt=5", " mitigations=auto pti=on"),
    "unknown-lbr": intel(94, "lbr-fmt=60"),  # a format that no manual has
    "lying-lbr": intel(60, "lbr-fmt=2"),  # a format without flags: its records have them
    "sandybridge": intel(42, "lbr-fmt=3"),
    "haswell": intel(60, "lbr-fmt=4"),
    "goldmont": intel(92, "lbr-fmt=6"),
    "tremont": intel(134, "lbr-fmt=7"),
    "sapphirerapids": intel(143, "arch-lbr=on"),
    "zen4": Machine("pc", [], " nmi_watchdog=0",
                    CPU + ",vendor=AuthenticAMD,family=25,model=17,pmu=on", True),
}


def program(build, machine):
    """The QEMU of a machine, as words of a command line; one of our own is built where it is not
    there yet."""
    if not MACHINES[machine].patched:
        return ["qemu-system-x86_64"]
    folder = os.environ.get("LAB_CACHE") or f"{build}/lab"
    made = subprocess.run([os.path.join(os.path.dirname(__file__), "qemu/build"), folder],
                          stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return [made, "-L", "/usr/share/qemu", "-L", "/usr/share/seabios"]


def tsc_rate(build):
    """For the kernel's command line. When it measures the rate itself and QEMU waits for a CPU, its
    clock may run ten times too fast."""
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
        # Unlike -drive, a block device stays when the USB disk in front of it is unplugged.
        command += ["-blockdev",
                    f"driver=raw,node-name=disk{i},cache.no-flush=on,file.driver=file,file.filename={disk}"]
    return command + USB


class Monitor:
    """QEMU's monitor by QMP: answers are lines of JSON, with events in between."""

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
    """A thread that hands what comes from a QEMU chardev to handle(socket) until QEMU ends."""
    def work():
        try:
            handle(connect(path))
        except (OSError, ValueError):
            pass  # QEMU is gone, in the middle of a line perhaps
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
    """Changes whenever the guest gives a sign of life."""
    return [(e.name, e.stat().st_size) for e in os.scandir(log)]


def wait(qemu, log, deadline):
    """Until QEMU ends: None, or why it had to be killed."""
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
    """What is of one guest alone: what its console and QEMU say, its disks."""
    return f"{results}/guests/{name}"


def boot(home, results, words, deadline, machine=""):
    """Run a guest until it switches itself off. None when it did, or in words how it died.

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
    """The lines of a kernel's log from the first that tells of an error in the kernel on."""
    lines = [re.sub(r"[^ -~]", "", line) for line in console.splitlines()]
    for i, line in enumerate(lines):
        if re.search(
            r"\bBUG:|\bOops\b|WARNING: |Kernel panic|kernel BUG|general protection|leaking uprobe",
            line):
            return lines[i:i + count]
    return []
