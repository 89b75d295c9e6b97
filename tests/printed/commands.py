# SPDX-License-Identifier: MIT
"""Runs command lines in a folder of their own and holds what they print by digests (printed.py):
output, messages and exit status. What depends on a library's compression is left out."""
import base64
import concurrent.futures
import gzip
import os
import re
import subprocess
import zlib

from printed.printed import Printed

ENOUGH = 5  # groups that differ: more are not looked for


def unpacked(text):
    """A page's data, and what is gzip as a whole, without its compression; no sizes of captures,
    whose blocks zstd compresses."""
    text = re.sub(rb"(?m)^(file +\S+, )\d+ bytes", rb"\1N bytes", text)
    if text.startswith(b"\x1f\x8b"):
        return gzip.decompress(text)
    return re.sub(rb'(id="d-\w+">)([^<]*)(?=</script>)',
                  lambda m: m[1] + zlib.decompress(base64.b64decode(m[2])), text)


class Commands:
    def __init__(self, name, folder):
        self.printed, self.folder, self.groups = Printed(name), folder, []
        drop = ("COLUMNS", "NO_COLOR", "LANG", "LC_MESSAGES")
        self.env = {k: v for k, v in os.environ.items() if k not in drop}
        self.env.update(TZ="UTC", LC_ALL="C", TMPDIR=".")

    def shell(self, lines, place="."):
        """Runs lines of shell, each with its text in front and its status behind; returns what
        they print, the messages of all at the end."""
        script = "".join(
            "printf '\\n$ %s\\n' {0}; printf '$ %s\\n' {0} >&2; {1}; echo = $?\n".format(
                quoted(line), line)
            for line in lines)
        done = subprocess.run(["sh", "-c", script], capture_output=True, check=False,
                              cwd=f"{self.folder}/{place}", env=self.env,
                              stdin=subprocess.DEVNULL, timeout=600)
        return unpacked(done.stdout) + b"\n" + done.stderr

    def add(self, name, lines):
        """Commands that run one after the other in a folder of their own, in which the files of
        the common folder are as ../FILE: their group has one digest."""
        self.groups.append((name, lines))

    def one(self, group):
        name, lines = group
        os.mkdir(f"{self.folder}/{name}")
        return name, self.shell(lines, name)

    def close(self):
        """Runs all and reports one test."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(self.one, g) for g in self.groups]
            for run in runs:
                self.printed.take(*run.result())
                if len(self.printed.other()) > ENOUGH:
                    pool.shutdown(cancel_futures=True)
                    break
        self.printed.close()


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"
