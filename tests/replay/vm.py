# SPDX-License-Identifier: MIT
"""trawl-replay vm without a machine: a script in place of QEMU prints what a guest would print.
tests/lab/host/replay-vm.sh tests it with QEMU."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests"]
sys.dont_write_bytecode = True
from tap import finish, ok, same, skip  # noqa: E402

KEYBOARD = SRC + "/samples/usb-keyboard.trawl"
QEMU = """#!/bin/bash
printf '%s\\n' "$@" >"$D/args"
while [ $# -gt 1 ]; do
	case $1 in
	-initrd) cat "$2" >"$D/initrd" ;;
	esac
	shift
done
"""


class Bench:
    def __init__(self, folder):
        self.d = folder
        self.bin = folder + "/bin"
        os.mkdir(self.bin)
        self.kernel = folder + "/bzImage"
        image = bytearray(0x4000)
        image[0x202:0x206] = b"HdrS"
        image[0x20e:0x210] = (0x1000).to_bytes(2, "little")
        image[0x1200:0x1240] = b"6.99.0-test (nobody@nowhere)".ljust(64, b"\0")
        with open(self.kernel, "wb") as f:
            f.write(image)
        self.modules = folder + "/m/lib/modules/6.99.0-test"
        os.makedirs(self.modules + "/kernel")
        for name in ("vhci-hcd", "usbip-core", "usbhid", "hid", "odd"):
            with open(f"{self.modules}/kernel/{name}.ko", "w") as f:
                f.write("module " + name)
        self.write("modules.dep",
                   "kernel/usbip-core.ko:\nkernel/vhci-hcd.ko: "
                   "kernel/usbip-core.ko\nkernel/hid.ko:\n"
                   "kernel/usbhid.ko: kernel/hid.ko\nkernel/odd.ko:\n")
        self.write("modules.alias",
                   "alias usb:v*p*d*dc*dsc*dp*ic03isc*ip*in* usbhid\nalias usb:v9999p* odd\n")
        self.write("modules.builtin", "kernel/drivers/usb/core/usbcore.ko\n")

    def write(self, name, text):
        with open(f"{self.modules}/{name}", "w") as f:
            f.write(text)

    def qemu(self, script):
        path = self.bin + "/qemu-system-x86_64"
        with open(path, "w") as f:
            f.write(QEMU + script)
        os.chmod(path, 0o755)

    def vm(self, *args, path=KEYBOARD, kernel=None, check=(), env=None):
        r = subprocess.run([BUILD + "/trawl-replay", "vm",
                            *(["--kernel", kernel or self.kernel] if kernel != "" else []),
                            *args, path, *(["--", *check] if check else [])], capture_output=True,
                           text=True, timeout=120,
                           stdin=subprocess.DEVNULL,
                           env={**os.environ, "D": self.d,
                                "PATH": self.bin + ":" + os.environ["PATH"], **(env or {})})
        return r.returncode, r.stdout, r.stderr

    def listing(self):
        with open(self.d + "/initrd", "rb") as f:
            r = subprocess.run(["cpio", "-it", "--quiet"], stdin=f, capture_output=True, text=True)
        return r.stdout.split() if not r.returncode else r.stderr

    def content(self, name):
        with open(self.d + "/initrd", "rb") as f:
            return subprocess.run(["cpio", "-i", "--to-stdout", "--quiet", name], stdin=f,
                                  capture_output=True).stdout


def refused(b, name, want, *args, **kw):
    status, out, err = b.vm(*args, **kw)
    ok(status == 125 and want in err.splitlines()[-1], name, status, out, err)


def test_errors(b):
    refused(b,
            "no kernel is named: status 125, not 2, which git bisect would take for "
            "bad", "--kernel BZIMAGE", kernel="")
    refused(b, "a kernel that is not there", "No such file", kernel=b.d + "/none")
    refused(b, "a file that is no capture", "vm.py", path=__file__)
    refused(b, "a folder without modules", "modules.dep", "--modules", b.d)
    refused(b, "a module that the kernel has not", "no such module", "--modules", b.modules,
            "--module", "nonesuch")
    refused(b, "a module, but no folder of modules", "--modules DIR", "--module", "odd")
    refused(b, "a program that is not there", "no such file or program", "--add",
            "nonesuch-program")
    refused(b, "an accelerator of another name", "is unknown; use kvm or tcg", "--accel", "xen")
    refused(b, "QEMU is missing", "qemu-system-x86_64: is missing", env={"PATH": "/nonexistent"})
    b.write("modules.dep", "kernel/odd.ko:\n")
    refused(b, "modules without vhci_hcd", "CONFIG_USBIP_VHCI_HCD", "--modules", b.modules)
    b.write("modules.dep",
            "kernel/usbip-core.ko:\nkernel/vhci-hcd.ko: kernel/usbip-core.ko\nkernel/hid.ko:\n"
            "kernel/usbhid.ko: kernel/hid.ko\nkernel/odd.ko:\n")
    b.qemu("echo 'qemu: wrong' >&2; exit 1")
    status, _, err = b.vm()
    ok(status == 125 and "ended with status 1" in err, "QEMU that fails", status, err)


def test_statuses(b):
    for name, script, want, text in (
            ("good", "echo ready ''; echo 'say drivers: x'; echo status 0", 0, "drivers: x"),
            ("bad", "echo ready ''; echo status 1", 1, ""),
            ("not to be tested", "echo ready ''; echo status 125", 125, ""),
            ("a kernel that stops before the check", ":", 125, "did not come so far"),
            ("a kernel that stops in it", "echo ready ''", 1, "its kernel stopped"),
            ("half a line", "printf 'ready \\nstatus'", 1, "its kernel stopped")):
        b.qemu(script)
        status, out, err = b.vm()
        ok(status == want and text in out, f"{name}: status {want}", status, out, err)
    b.qemu("exec sleep 60")
    status, out, err = b.vm("--limit", "300ms")
    ok(status == 125 and "--limit" in out, "a silent machine is ended", status, out, err)
    b.qemu("echo ready ''; echo status 0; exec sleep 60")
    begun = time.monotonic()
    status, out, err = b.vm("--limit", "3s")  # enough for a shell to start on a busy machine
    ok(status == 0 and time.monotonic() - begun < 50, "one that does not switch off is ended",
       status, out, err)
    b.qemu("""for a in "$@"; do :; done
grep -o 'path=/proc/self/fd/[0-9]*' "$D/args" >"$D/fd"; . "$D/fd"
echo '[    9.1] WARNING: CPU: 0 PID: 1 at drivers/x.c:1' >>"$path"; echo ready ''""")
    status, out, err = b.vm()
    ok(status == 1 and "WARNING: CPU: 0" in out, "what the kernel complained of is printed", status,
       out, err)
    b.qemu("""for a in "$@"; do :; done
grep -o 'path=/proc/self/fd/[0-9]*' "$D/args" >"$D/fd"; . "$D/fd"
printf '[ 9.1] WARNING: x\\n[ 9.2] usb 1-1: Product: \\033]0;P\\007\\n' >>"$path"
echo ready ''; printf 'say its name: \\033[2J\\n'""")
    status, out, err = b.vm("-v")
    ok(status == 1 and "Product: ?]0;P?" in out and "its name: ?[2J" in out and
       "\x1b" not in out + err, "a device's names are printed harmless", status, out, err)


def test_contents(b):
    b.qemu("echo ready ''; echo status 0")
    status, out, err = b.vm("--modules", b.d + "/m", check=["sh", "-c", "exit 0"])
    names = b.listing()
    ok(status == 0 and {"init", "plan", "capture", "dev/console"} <= set(names),
       "the initial file system is one for cpio",
       status, out, err, names)
    same([b"module usbip-core", b"module vhci-hcd", b"module hid", b"module usbhid"],
         [b.content(f"modules/{i:03}") for i in range(4)],
         "modules of the device, each after those that it needs")
    ok("modules/004" not in names, "and no others", names)
    ok(any(n.startswith("lib/libc.so") for n in names), "with libraries", names)
    with open(KEYBOARD, "rb") as f:
        same(f.read(), b.content("capture"), "the capture")
    ok(b"check sh\ncheck -c\ncheck exit 0\n" in b.content("plan"), "CHECK", b.content("plan"))
    b.vm("--modules", b.modules, "--module", "odd", "--module", b.modules + "/kernel/hid.ko")
    same([b"module usbhid", b"module odd"], [b.content("modules/003"), b.content("modules/004")],
         "a module by name; one by its file that is there already is not loaded twice")
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", "--rm", b.modules + "/kernel/vhci-hcd.ko"], check=True)
        b.write("modules.dep",
                "kernel/usbip-core.ko:\nkernel/vhci-hcd.ko.zst: kernel/usbip-core.ko\n")
        status, out, err = b.vm("--modules", b.modules)
        same(b"module vhci-hcd", b.content("modules/001"), "a compressed module is unpacked")
    else:
        skip("a compressed module is unpacked", "zstd is missing")


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_killed(b):
    b.qemu("echo $$ >$D/pid.new; mv $D/pid.new $D/pid; exec sleep 600")
    kept = b.d + "/tmp"
    os.mkdir(kept)
    r = subprocess.Popen([BUILD + "/trawl-replay", "vm", "--kernel", b.kernel, KEYBOARD],
                         env={**os.environ, "D": b.d, "TMPDIR": kept,
                              "PATH": b.bin + ":" + os.environ["PATH"]})
    while not os.path.exists(b.d + "/pid"):
        time.sleep(0.05)
    r.kill()
    r.wait()
    with open(b.d + "/pid") as f:
        qemu = f.read().strip()
    while runs(qemu):  # no time limit but that of the whole test (tests/bounded.py)
        time.sleep(0.05)
    ok(True, "QEMU ends with a replay that is killed")
    same([], os.listdir(kept), "which leaves no file")


def decoded(path):
    return subprocess.run([BUILD + "/trawl-decode", "--show-keys", path], capture_output=True,
                          text=True).stdout


def test_mutations(b):
    """The guest reports in which run the kernel complained; its capture is made here."""
    b.qemu(
        "echo ready ''; echo run 3; echo run ${RUN:-4}; [ -n \"$DIES\" ] || { echo finding "
        "WARNING: at x; echo status 1; }")
    kept = []
    for name, seed, run, more in (("a", 7, 4, {}), ("b", 7, 4, {}), ("c", 7, 5, {}),
                                  ("d", 8, 4, {}), ("e", 7, 4, {"DIES": "1"})):
        path = f"{b.d}/{name}.pcap"
        status, out, err = b.vm("--mutate", str(seed), "--save", path,
                                env={"RUN": str(run), **more})
        ok(status == 1 and f"finding in run {run} of seed {seed}" in out, f"a finding: {name}",
           status, out, err)
        with open(path, "rb") as f:
            kept.append(f.read())
    same((True, True), (kept[0] == kept[1], kept[0] == kept[4]),
         "a run of a seed is the same each time, and of a kernel that died")
    ok(len({kept[0], kept[2], kept[3]}) == 3, "runs and seeds differ")
    ok(b"mutate 7 1 1000\n" in b.content("plan") or b"--as-is" in b.content("plan"),
       "the guest gets the seed", b.content("plan"))
    ok("GET_DESCRIPTOR device: 0627:0001" in decoded(b.d + "/a.pcap"),
       "its capture is one of the device", decoded(b.d + "/a.pcap")[:500])
    b.qemu("echo ready ''; echo run 1; echo say 1000 runs; echo status 0")
    status, out, err = b.vm("--mutate", "1", "--save", b.d + "/none.pcap")
    ok(status == 0 and not os.path.exists(b.d + "/none.pcap"), "no finding: status 0, no file",
       status, out, err)
    refused(b, "a seed that is no number", "is not a number", "--mutate", "x")
    refused(b, "a number of runs without --mutate", "--runs: is an option of --mutate", "--runs", "3")
    refused(b, "no runs", "--runs: no run would test anything", "--mutate", "1", "--runs", "0")
    refused(b, "CHECK, which --mutate does not run", "is not run by --mutate", "--mutate", "1",
            check=["true"])


if not shutil.which("cpio"):
    sys.exit("cpio is missing: apt-get install cpio")
for test in (test_errors, test_statuses, test_killed, test_contents, test_mutations):
    with tempfile.TemporaryDirectory() as folder:
        test(Bench(folder))
sys.exit(finish())
