#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The search of the page and --where are one language: for fields and values of every sample and
golden file, and of a recording, a query finds the same events in both."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

src, build = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, f"{src}/tests")
import tap

FIELDS, VALUES = int(os.environ.get("FIELDS", "3")), 1  # fields of a file; values of a field
tmp = tempfile.TemporaryDirectory()
node = shutil.which("node")


def quoted(text):
    """A text, quoted as the language has it."""
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else
                         "".join(f"\\x{b:02x}" for b in c.encode()) for c in text) + '"'


def pattern(text):
    """A glob that matches the text, and perhaps others."""
    return quoted(re.sub(r"[][*?\\\"]|[^ -~]", "?", text[:6]) + "*")


def walk(prefix, value, found):
    """All paths in a JSON value, both whole and as the last name alone."""
    if isinstance(value, dict):
        for k, v in value.items():
            if re.fullmatch(r"[A-Za-z_$][\w$]*", k):
                walk(f"{prefix}.{k}" if prefix else k, v, found)
    elif isinstance(value, list):
        for i, v in enumerate(value[:2]):
            walk(f"{prefix}[{i}]", v, found)
            walk(prefix, v, found)
    elif value is not None and not (isinstance(value, int) and value > 1 << 53):
        for name in {prefix, re.sub(r"^.*\.", "", prefix)}:
            found.setdefault(name, {}).setdefault(json.dumps(value), value)


def values_of(events, lines):
    """{field: its values}: those in JSON, and the names of numbers in the text."""
    found = {}
    for e, line in zip(events, lines):
        for k in ("name", "source", "comm", "cpu", "pid", "tid", "ts_ns"):
            walk(k, e[k], found)
        walk("", e["fields"], found)
        words = dict(re.findall(r"\b(\w+)=([\w|,:/.+-]+)(?= |$)", line))
        for k, v in e["fields"].items():
            if isinstance(v, (int, str)) and not isinstance(v, bool) and k in words:
                found.setdefault(k, {}).setdefault("word " + words[k], words[k])
    return found


def queries(field, value, rng):
    """Conditions on one field, made of one of its values."""
    if isinstance(value, bool):
        return [f"{field} == {str(value).lower()}", f"not {field} and ts > 0"]
    if isinstance(value, (int, float)):
        v = value if isinstance(value, int) else repr(value)
        one = [f"{field} {rng.choice(['==', '!=', '<', '<=', '>', '>='])} {v}", f"{field} == {v}"]
        if isinstance(value, int) and value >= 0:
            one += [f"{field} & {rng.choice([1, 2, 0x80, 0xff])}", f"{field} == {v:#x}"]
        return one + [rng.choice([f"{field} and ts > 0", f"not {field} and ts > 0",
                                  f"{field} ~ \"1*\"", f"{field} == \"x\""])]
    return [f"{field} == {quoted(value)}", f"{field} ~ {pattern(value)}",
            rng.choice([f"{field} != {quoted(value)}", f"{field} !~ {pattern(value)}",
                        f"{field} < {quoted(value)}", f"{field} == 1",
                        f"{field} and ts > 0"])]


def decode(file, *argv):
    p = subprocess.run(["trawl-decode", file, *argv], capture_output=True)
    return p.returncode, p.stdout.decode("utf-8", "replace").splitlines(), p.stderr.decode()


def check(file, name, rng):
    page = f"{tmp.name}/page.html"
    p = subprocess.run(["trawl-export", "--to", "html", file, "-w", page], capture_output=True)
    lines = decode(file, "--json")[1]
    if p.returncode > 1 or not lines:
        return
    texts = [l for l in decode(file, "--color=never")[1] if not l.startswith((" ", "\t"))]
    found = values_of([json.loads(l) for l in lines], texts if len(texts) == len(lines) else lines)
    asked = ["took_ns > 0", "took_ns >= 1ms and name ~ \"*\"", "not took_ns > 0"]
    for f in rng.sample(sorted(found), min(FIELDS, len(found))):
        for v in rng.sample(sorted(found[f]), min(VALUES, len(found[f]))):
            asked += queries(f, found[f][v], rng)
    p = subprocess.run([node, f"{src}/tests/cli/search.js", f"{src}/decode/export/page", page],
                       input=json.dumps(asked), capture_output=True, text=True)
    if p.returncode:
        tap.ok(False, f"{name}: the search runs", p.stderr[-600:])
        return
    wrong, hits = [], 0
    for q, (got, why) in zip(asked, json.loads(p.stdout)):
        status, want, text = decode(file, "--json", "--where", q)
        hits += bool(want)
        # trawl-decode knows the types of all fields, so it refuses conditions that can never hold.
        if status == 2 and (why or not got or "is a number: write one" in text):
            continue
        if why or want != [lines[i] for i in got]:
            wrong.append((q, len(want), len(got), why, text.strip()[:200] if status else ""))
    tap.ok(not wrong and hits, f"{name}: {len(asked)} queries of {len(found)} fields, {hits} find "
           "something", len(wrong), *wrong[:8])


def check_took(file):
    """Durations, computed from system calls in JSON: whatever else selects, and from a pipe."""
    events = [json.loads(l) for l in decode(file, "--json")[1]]
    began, took = {}, {}
    for k, e in enumerate(events):
        if e["name"] == "raw_syscalls:sys_enter":
            began[e["tid"]] = e["ts_ns"]
        elif e["name"] == "raw_syscalls:sys_exit" and e["tid"] in began:
            took[k] = e["ts_ns"] - began.pop(e["tid"])
    least = sorted(took.values())[len(took) // 2]
    want = [events[k] for k, ns in took.items() if ns >= least]
    cond = f'took_ns >= {least} and name == "raw_syscalls:sys_exit"'
    ways = [["--where", cond], ["--name", "raw_syscalls:sys_exit", "--where", f"took_ns >= {least}"],
            ["--around", cond, "--window", "0s", "--where", cond]]
    for argv in ways:
        got = [json.loads(l) for l in decode(file, "--json", *argv)[1]]
        tap.ok(got == want and want, f"{argv[0]}: took_ns is the time since the call", len(got),
               len(want))
    cut = next(events[k] for k in took if took[k] >= least and k > len(events) // 2)
    got = [json.loads(l) for l in
           decode(file, "--json", "--where", cond, "--from", f"@{cut['ts_ns'] / 1e9:.9f}"[1:])[1]]
    tap.ok(got and all(e in want for e in got), "--from: calls that began before it, too",
           len(got))
    with open(file, "rb") as f:
        p = subprocess.run(["trawl-decode", "--json", "--where", cond, "-"], stdin=f,
                           capture_output=True, text=True)
    tap.same(want, [json.loads(l) for l in p.stdout.splitlines()], "took_ns in a pipe")


def check_signal(file):
    """A signal has its name in text, and is compared by name and by number."""
    want = decode(file, "--where", "sig == 10")[1]
    tap.ok(want and all(" sig=SIGUSR1 " in l for l in want), "sig=SIGUSR1 in text", want[:2])
    tap.same(want, decode(file, "--where", 'sig == "SIGUSR1"')[1], "a signal by its name")


def check_error(file):
    """The error of a system call has its name in text, and is compared by name and by number."""
    want = decode(file, "--where", "ret == -2")[1]
    tap.ok(want and all(" ret=-2 (ENOENT)" in l for l in want), "ret=-2 (ENOENT) in text", want[:2])
    tap.same(want, decode(file, "--where", 'ret == "ENOENT"')[1], "an error by its name")


if not node:
    tap.skip("the search of the page", "not installed: nodejs")
    sys.exit(tap.finish())
files = [f"{src}/{d}/{f}" for d in ("samples", "tests/golden")
         for f in sorted(os.listdir(f"{src}/{d}")) if f.endswith(".trawl")]
files += sys.argv[1:]
made = f"{tmp.name}/made.trawl"
subprocess.run([f"{build}/tests/decode/make-sample", made, "300"], check=True)
files.append(made)
if not os.geteuid() and os.path.exists("/sys/kernel/tracing/events/sched"):
    recorded = f"{tmp.name}/recorded.trawl"
    subprocess.run(["trawl", "-q", "-i", "event:sched:*", "-i", "event:signal:*", "-i",
                    "event:raw_syscalls:*", "-i", "event:syscalls:sys_enter_openat", "-w", recorded,
                    "-c", "3000", "--", "sh", "-c", "sleep .05; ls /tmp; kill -USR1 $$"],
                   capture_output=True)
    if os.path.exists(recorded):
        files.append(recorded)
        check_took(recorded)
        check_signal(recorded)
        check_error(recorded)
for number, path in enumerate(files):
    check(path, os.path.basename(path), random.Random(number))
sys.exit(tap.finish())
