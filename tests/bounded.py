#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one test so that it ends and leaves nothing behind.

	bounded.py COMMAND...

A test that hangs would hold up make, and so would a process that it leaves behind with its output
pipe open. So each test is ended after TRAWL_TEST_SECONDS (600), and so are the processes that it
left running. Either is a failure, whose message names the processes. Signal actions are set to
their defaults: a shell ignores SIGINT in background jobs, and a program that SIGINT should end
would never end. tracefs is mounted if nobody has done so: trawl mounts it itself, but tests that
look for it before they start trawl would skip. The last line of a test's log has its seconds and
its processor seconds.
"""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
TRACEFS = "/sys/kernel/tracing"


def processes():
	"""PID of each process that descends from this one -> (state, command line)."""
	parents, said = {}, {}
	for pid in filter(str.isdigit, os.listdir("/proc")):
		try:
			with open(f"/proc/{pid}/stat") as f:
				name, rest = f.read().rsplit(")", 1)
			with open(f"/proc/{pid}/cmdline", "rb") as f:
				line = f.read().replace(b"\0", b" ")
				line = line.decode(errors="replace").strip()
		except OSError:
			continue  # it has ended
		state, parent = rest.split()[:2]
		parents[int(pid)] = int(parent)
		said[int(pid)] = (state, line or name.split("(", 1)[1])

	def mine(pid):
		while pid > 1 and pid != os.getpid():
			pid = parents.get(pid, 0)
		return pid == os.getpid()

	return {pid: said[pid] for pid in parents if pid != os.getpid() and mine(pid)}


def reap():
	try:
		while os.waitpid(-1, os.WNOHANG)[0]:
			pass
	except ChildProcessError:
		pass


def running():
	reap()
	return {pid: said for pid, said in processes().items() if said[0] != "Z"}


def where(pid):
	"""Returns the kernel function in which a process sleeps, if it can be read."""
	try:
		with open(f"/proc/{pid}/wchan") as f:
			return f.read()
	except OSError:
		return "?"


def complain(what, left, grace):
	print(f"\nnot ok - {what}")
	for pid, (state, line) in left.items():
		print(f"# {pid} {state} {where(pid)}: {line[:160]!a}")
	sys.stdout.flush()
	end = time.monotonic() + grace
	while (left := running()) and time.monotonic() < end:
		for pid in left:
			try:
				os.kill(pid, signal.SIGKILL)
			except ProcessLookupError:
				pass
		time.sleep(0.05)


def mount_tracefs():
	"""Mounts tracefs as root; a test that still lacks it reports that itself."""
	if os.geteuid() == 0 and os.path.isdir(TRACEFS) and not os.listdir(TRACEFS):
		subprocess.run(["mount", "-t", "tracefs", "nodev", TRACEFS], stderr=subprocess.DEVNULL,
		               check=False)


def main():
	seconds = float(os.environ.get("TRAWL_TEST_SECONDS", 600))
	mount_tracefs()
	grace = min(5, seconds)  # for what the test left running to end by itself
	ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM,
	               signal.SIGPIPE):
		signal.signal(number, signal.SIG_DFL)
	begin = time.monotonic()
	test = subprocess.Popen(sys.argv[1:], restore_signals=True)
	try:
		status = test.wait(seconds)
	except subprocess.TimeoutExpired:
		complain(f"it has not ended within {seconds:g} s", running(), grace)
		return 1
	end = time.monotonic() + grace
	while (left := running()) and time.monotonic() < end:
		time.sleep(0.05)
	if left:
		complain("processes of it go on after its end", left, grace)
		return 1
	used = resource.getrusage(resource.RUSAGE_CHILDREN)
	print(
	    f"# took {time.monotonic() - begin:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processor")
	return status if status >= 0 else 128 - status


if __name__ == "__main__":
	sys.exit(main())
