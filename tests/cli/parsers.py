# SPDX-License-Identifier: MIT
"""The recorder itself never opens a program with libelf or libdw; a preloaded library (parsers.c)
records which processes do. Programs whose branches are recorded are read by separate processes,
too: if one crashes, names are missing, but the capture goes on; and a FIFO or a device that the
owner put in place of a file does not block it."""
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, SRC + "/tests")
from tap import finish, ok, same  # noqa: E402

TARGET = BUILD + "/tests/capture/target"
tmp = tempfile.TemporaryDirectory()
COUNTS, OUT = tmp.name + "/counts", tmp.name + "/out.trawl"


def trawl(*args, preload=True, **more):
    """(status, stderr, number of opens by the recorder, by other processes)"""
    with open(COUNTS, "wb") as f:
        f.write(bytes(4096))
    options = "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")
    env = dict(os.environ, ASAN_OPTIONS=options)
    if preload:
        env.update(LD_PRELOAD=BUILD + "/tests/cli/parsers.so", PARSERS=COUNTS)
    env.update(more)
    r = subprocess.run(["trawl", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                       text=True,
                       timeout=120)
    with open(COUNTS, "rb") as f:
        return (r.returncode, r.stderr, *struct.unpack("<QQ", f.read(16)))


def apart(name, *args):
    status, err, own, others = trawl(*args)
    ok(status == 0 and own == 0 and others > 0,
       f"{name}: the recorder opens no program, another process does",
       (status, err[-300:], own, others))


def modules():
    """{path: [metadata]} of the files that branches were in"""
    text = subprocess.run(["trawl-decode", "--meta=branch/module/*", OUT], stdout=subprocess.PIPE,
                          text=True,
                          check=False).stdout
    found, decoder = {}, json.JSONDecoder()
    while "{" in text:
        m, end = decoder.raw_decode(text[text.index("{"):])
        text = text[text.index("{") + end:]
        found.setdefault(m["path"], []).append(m)
    return found


def names(path):
    return {f[2] for m in modules().get(path, []) for f in m["functions"]}


apart("-D uprobe", "-D", f"uprobe:{TARGET}:*")
apart("-D usdt", "-D", f"usdt:{TARGET}:*")
apart("uprobe", "-q", "-i", f"uprobe:{TARGET}:main $params", "-w", OUT, "--", TARGET, "hits", "1")
apart("usdt", "-q", "-i", f"usdt:{TARGET}:hit", "-w", OUT, "--", TARGET, "hits", "1")
# A small program, as single steps are slow; without the sanitizers for the same reason.
with open(tmp.name + "/small.c", "w") as f:
    f.write("int main(int n, char **v)\n{\n\treturn n + v[0][0] == 0;\n}\n")
real = os.path.realpath(tmp.name) + "/small"
subprocess.run(["gcc", "-O0", "-g", "-o", real, tmp.name + "/small.c"], check=True)
apart("branch", "-q", "-i", "branch:ptrace", "-w", OUT, "--", real)
ok("main" in names(real), "and the functions that ran have their names", sorted(modules()))
ok(any("vdso" not in p and p != real and names(p) for p in modules()), "those of libraries, too")

status, err, own, others = trawl("-q", "-i", "branch:ptrace", "-w", OUT, "--", real,
                                 PARSERS_CRASH="1")
found = modules().get(real, [{}])
ok(status == 0 and others > 0, "a reader that crashes does not end the capture",
   (status, err, others))
ok("crashed" in found[-1].get("why", "") and not names(real),
   "and the file says why names are missing", found)

# The owner replaces the program by something whose open would block for ever.
program = tmp.name + "/program"
shutil.copy("/bin/sleep", program)
with subprocess.Popen([program, "60"]) as p:
    os.rename(program, program + ".old")
    os.mkfifo(program)
    try:
        with subprocess.Popen(["trawl", "-q", "-i", "branch:ptrace", "-p", str(p.pid), "-w", OUT],
                              stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as t:
            try:
                p.wait(1)
            except subprocess.TimeoutExpired:
                p.terminate()  # only branches make this end by itself
            try:
                _, err = t.communicate(timeout=120)
                ended = True
            except subprocess.TimeoutExpired:
                t.kill()
                ended, err = False, ""
        ok(ended and t.returncode == 0, "a FIFO in the program's place does not hold the recorder",
           err)
    finally:
        p.kill()
sys.exit(finish())
