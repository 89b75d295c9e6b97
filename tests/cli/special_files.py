# SPDX-License-Identifier: MIT
"""A FIFO or a device in place of a program or its debug file is not opened: opening a FIFO may
block, and opening a device may have effects. The owner of the file could put it there while trawl
runs as root."""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["TRAWL_SRC"], "tests"))
from tap import finish, ok, same

IN_OPEN = 0x20
libc = ctypes.CDLL(None, use_errno=True)


def opened(path, *argv, given=""):
    """Runs argv with `given` on standard input: (whether it opens `path`, status, stderr)."""
    watch = libc.inotify_init1(os.O_NONBLOCK)
    libc.inotify_add_watch(watch, path.encode(), IN_OPEN)
    r = subprocess.run(argv, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       timeout=120)
    try:
        seen = bool(os.read(watch, 4096))
    except BlockingIOError:
        seen = False
    os.close(watch)
    return seen, r.returncode, r.stderr


def run(*argv):
    subprocess.run(argv, check=True)


with tempfile.TemporaryDirectory() as work:
    work = os.path.realpath(work)
    source, program = work + "/small.c", work + "/small"
    with open(source, "w") as f:
        f.write("int main(int n, char **v)\n{\n\treturn n + v[0][0] == 0;\n}\n")
    run("gcc", "-O0", "-g", "-o", program, source)

    # A separate debug file, whose name is in the program.
    stripped, debug = work + "/stripped", work + "/stripped.debug"
    run("objcopy", "--only-keep-debug", program, debug)
    run("objcopy", "--strip-all", "--add-gnu-debuglink=" + debug, program, stripped)
    seen, status, err = opened(debug, "trawl", "-D", f"uprobe:{stripped}:main")
    same((True, 0), (seen, status), "a program's debug file is opened")
    os.unlink(debug)
    os.mkfifo(debug)
    seen, status, err = opened(debug, "trawl", "-D", f"uprobe:{stripped}:*")
    ok(not seen, "... but no FIFO in its place", status, err)

    # The program itself.
    fifo = work + "/fifo"
    os.mkfifo(fifo)
    seen, status, err = opened(fifo, "trawl", "-D", f"uprobe:{fifo}:*")
    ok(not seen and status == 2 and "not a regular file" in err, "a FIFO is no program",
       seen, status, err)

    # The programs that a capture of branches reads for their names.
    out = work + "/out.trawl"
    run("trawl", "-q", "-i", "branch:ptrace", "-w", out, "--", program)
    seen, status, err = opened(program, "trawl-replay", "branch", out, given="next main\nstep 3\n")
    ok(seen and status == 0, "a replay reads the programs", seen, status, err)
    shutil.move(program, program + ".old")
    os.mkfifo(program)
    seen, status, err = opened(program, "trawl-replay", "branch", out, given="next main\nstep 3\n")
    ok(not seen, "... but no FIFO in their place", status, err)
sys.exit(finish())
