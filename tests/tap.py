# SPDX-License-Identifier: MIT
"""TAP for Python tests, as tests/tap.sh for those in shell. Call ok, same and skip; end with
sys.exit(finish())."""
import fcntl
import os
import struct
import subprocess
import sys
import termios

done = bad = 0


def sanitized(build):
    """Whether this build has the sanitizers, which need more time and memory, and other calls."""
    return "--enable-sanitizers" in subprocess.run(
        [build + "/config.status", "--config"], capture_output=True, text=True, check=True).stdout


def ok(good, name, *why):
    """Reports a test, which passed if `good`; else `why` is printed."""
    global done, bad
    done += 1
    bad += not good
    print(f"{'ok' if good else 'not ok'} {done} - {name}")
    for text in () if good else why:
        for line in str(text).splitlines()[:40]:
            print(f"# {line[:600]}")
    sys.stdout.flush()


def same(want, got, name):
    ok(want == got, name, f"wanted: {want!r}", f"got:    {got!r}")


def at_terminal(argv, columns=None, env=None, errors=False):
    """Runs argv with its output (errors: and stderr) on a terminal; returns what it wrote."""
    main, child = os.openpty()
    attributes = termios.tcgetattr(child)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(child, termios.TCSANOW, attributes)
    if columns:
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=child,
                          stderr=child if errors else None, env=env):
        os.close(child)
        text = b""
        try:
            while part := os.read(main, 65536):
                text += part
        except OSError:  # the program has closed the terminal
            pass
        os.close(main)
    return text


def skip(name, why):
    global done
    done += 1
    print(f"ok {done} - {name} # SKIP {why}")


def skip_all(why):
    """The exit status of a program that can test nothing here: a failure under TRAWL_MUST, which
    is set by targets that people call for this test alone."""
    if os.environ.get("TRAWL_MUST"):
        print(f"Bail out! {why}")
        return 1
    print(f"1..0 # SKIP {why}")
    return 0


def finish():
    """Prints the plan; returns the exit status."""
    print(f"1..{done}")
    return bad != 0
