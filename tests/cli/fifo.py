# SPDX-License-Identifier: MIT
"""A capture from a FIFO is opened once: between two opens its writer would have no reader."""
import ctypes
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["TRAWL_SRC"], "tests"))
from tap import finish, ok, same

IN_OPEN, IN_CLOSE_NOWRITE, EVENT = 0x20, 0x10, 16
golden = os.path.join(os.environ["TRAWL_SRC"], "tests", "golden", "events.trawl")
libc = ctypes.CDLL(None, use_errno=True)
with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "fifo")
    os.mkfifo(path)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    libc.inotify_add_watch(watch, path.encode(), IN_OPEN | IN_CLOSE_NOWRITE)
    p = subprocess.Popen([os.path.join(os.environ["TRAWL_BUILD"], "trawl-edit"), "verify", path],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(path, "wb") as f:
        f.write(open(golden, "rb").read())
    out, err = p.communicate()
    ok(p.returncode == 0 and b"complete" in out, "verify FIFO", out, err)
    # inotify joins equal events in a row; events of opening are separated by those of closing.
    notices = os.read(watch, 4096)
    masks = [struct.unpack_from("<I", notices, at + 4)[0] for at in range(0, len(notices), EVENT)]
    same([IN_CLOSE_NOWRITE], [m for m in masks if m & IN_CLOSE_NOWRITE], "... opens it once")
sys.exit(finish())
