#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each form of --where, of times, patterns and the other options of a selection selects or
answers, held by digests (tests/printed/printed.py). What it should be, tests/decode/query and
tests/cli/decode.sh say; here, every operator meets every kind of value, and every mistake its
message."""
import itertools
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from printed.commands import Commands, quoted  # noqa: E402
from tap import finish  # noqa: E402

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]

OPERATORS = "==", "=", "!=", "<", "<=", ">", ">=", "~", "!~", "&"
# of tests/decode/sample.c: a number below 0, one above 2^63, text, bool, char, float, bytes, array
PLACES = ("arg1", "arg2", "arg3", "flag", "letter", "ratio", "raw", "mask", "gone", "prev_state",
          "prev_comm", "comm", "pid", "tid", "cpu", "ts", "name", "source", "site.offset", "symbol",
          "line", "interrupt", "took_ns", "arg3_win", "arg3_win[1]", "fields.pid", "fields.arg1")
VALUES = ("-1", "2", "0x64", "2.5", "18446744073709551615", "'k'", '"plain"', '"*a*"', "true",
          "'deadbeef'", "1ms", "1k", "arg1", "pid", "'S'")
FEW = "2", '"p*"', "-1"

SAMPLE = [
    # precedence, parentheses, and both words and signs
    "arg1 > 0 and arg1 < 3 or cpu == 0", "cpu == 0 or arg1 > 0 and arg1 < 3",
    "(cpu == 0 or arg1 > 0) and arg1 < 3", "not cpu == 0", "!(cpu == 0)", "! cpu == 0 && arg1 > 0",
    "not not arg1", "arg1 & 1 == 1", "(arg1 & 1) == 1", "arg1 & 1 or arg1 & 2", "arg1 & 6 == 2",
    "arg1 and arg2", "arg1", "arg2", "flag", "gone", "true", "false", "not true", "0", "1", "''",
    "'x'", "1 < 2", "2 < 1", "1.5 < 2", "1s == 1000ms", "1k == 1024", "1M == 1024k", "1G > 1M",
    "100us == 0.1ms", "0x10 == 16", "-5 < 3", "arg1 == -0x2", "arg1=1||arg1=2", "arg1==1&&cpu==1",
    "NOT arg1", "arg1 AND cpu", "arg1 == 1 and", "and arg1", "arg1 ==", "== 1", "(arg1 == 1",
    "arg1 == 1)", "((arg1))", "()", "", " ", "arg1 arg2", "arg1 = = 1", "arg1 === 1", "arg1 <> 1",
    "arg1 => 1", "arg1 =< 1", "arg1 ! 1", "arg1 is 1", "arg1 like 'x'", "arg1 + 1 == 2",
    "arg1 - 1 == 2", "arg1 * 2", "arg1 | 2", "arg1 ^ 2", "arg1 % 2 == 1", "~arg1", "-arg1",
    "arg1 in (1,2)", "arg1 == 1 == 1", "1 == 1 == 1", "arg1 < arg4 < 3", "arg1 == 1, cpu == 0",
    # texts and patterns
    'arg2 == "two\\nlines \\"x\\""', 'arg2 ~ "two\\n*"', 'arg2 ~ "*\\"x\\""', "arg2 ~ '[p-t]*'",
    "arg2 ~ '[!p]*'", "arg2 ~ '[^p]*'", "arg2 ~ '?????'", "arg2 ~ 'gr?n'", "arg2 ~ 'gr??n'",
    'arg2 == "bad\\xff"', "arg2 ~ '[a-'", "arg2 ~ '['", "arg2 ~ '[]a]*'", "arg2 ~ '*[n]'",
    'arg2 ~ "\\*"', 'arg2 ~ "\\["', 'arg2 == "\\q"', 'arg2 == "\\x"', 'arg2 == "\\x1"',
    'arg2 == "\\x414"', 'arg2 == "plain', "arg2 == 'plain", "arg2 == plain", "arg2 == 'pl' 'ain'",
    "arg2 ~ ''", "arg2 ~ '*'", "arg2 ~ '**'", "arg2 ~ 'PLAIN'", "arg2 < 'h'", "arg2 >= 'plain'",
    "letter == 107", "letter == 'k'", "letter ~ '[a-k]'", "letter ~ '[l-z]'", "letter > 'a'",
    # numbers
    "arg1 == 1.0", "arg1 == 0.5", "arg1 > 0.5", "arg1 < 2.5", "arg1 == 9223372036854775807",
    "arg1 == 18446744073709551615", "arg1 == 18446744073709551616", "arg1 == -9223372036854775808",
    "arg1 == -9223372036854775809", "arg1 < -1", "mask & 0x100", "mask & 0xff == 0", "mask == 65280",
    "ratio == 2.5", "ratio > 2.49 and ratio < 2.51", "ratio == 25e-1", "ratio == 2.5e0", "1.", ".5",
    "1e3 == 1000", "0x", "0xg", "1x", "12abc", "1.2.3", "1ns", "1min", "1h", "1kB", "1T", "--1",
    "- 1", "+1", "1_000", "0b1", "010 == 8", "010 == 10", "1e400", "0x1ffffffffffffffff",
    # names that there are not, and members
    "arg9", "arg9 == 1", "rag1 == 1", "Arg1 == 1", "arg_1 == 1", "prev_stat == 0", "fields.arg9",
    "fields.", "fields", "site", "site.line", "site.offset > 0", "arg1.x", "arg1[0]", "arg2[0]",
    "raw[0] == 0xde", "raw[1]", "raw[9]", "raw[-1]", "raw[x]", "raw[", "raw[]", "raw[1", "raw[1]]",
    "raw == 'deadbeef'", "raw == 'DEADBEEF'", "raw ~ 'dead*'", "raw == 1", "raw", "file == 'app.c'",
    "line == 12", "line > 12", "symbol ~ 'main*'", "exit", "exit == 'return'", "interrupt == 'nmi'",
    "interrupt == 'x'", "ts_ns == ts", "ts > 0", "ts > '2026-11-21'", "ts == 1795225477000000000",
    "ts >= 1795225477.5", "took_ns > 0", "took_ns", "name == 'app:stop'", "name ~ '*:st*'",
    "source == 'usdt'", "source ~ '[e]*'", "source == 'x'", "comm == 'app'", "comm ~ 'sw*'",
    "comm == 0", "pid == 'x'", "cpu == '0'", "pid == 100 and tid == 101", "not pid", "pid < 0",
    "prev_state == 'S'", "prev_state == 1", "prev_state == 'Z'", "prev_comm == 'app'",
    "prev_comm ~ 'a*' and next_comm ~ '*/0'", "grün == 1", "arg1 == 1 # x", "arg1 == 1;", "$arg1",
    "@1", "{}", "\\", "'\\", "arg1 == 1\n and cpu == 1", "arg1\t==\t1", "a" * 300, "(" * 300, "not " * 300,
    "arg1 == " + "1" * 300, "arg2 == '" + "x" * 300 + "'", "arg1 == 1 or " * 40 + "cpu == 0",
    "arg1 == 99 or " * 40 + "nothing == 0", "(" * 40 + "arg1" + ")" * 40,
]

USB = [
    "status == 'stall'", "status == \"stall\" and ep == 0", "status_name == 'stal'", "status == -32",
    "status < 0", "status", "errno == 32", "errno == 'EPIPE'", "xfer == 'bulk'", "xfer == 'blk'",
    "dir == 'in'", "dir == 'up'", "ep == 0x81", "ep == 1", "ep == 0x181", "ep & 0x80", "vid == 0x46f4",
    "vid == '46f4'", "vid == '46F4'", "vid == '0x46f4'", "vid ~ '46*'", "pid == '0001'", "pid == 1",
    "end == 'done'", "end == 'pending'", "end == 'x'", "end != 'done'", "length > 4k", "actual == 13",
    "actual < length", "latency_ns > 1ms", "latency_ns", "times_cross", "two_readers",
    "setup.request == 'GET_DESCRIPTOR'", "setup.request ~ 'GET*'", "setup.wValue == 0x100",
    "setup.bmRequestType & 0x80", "setup.nothing", "setup", "bRequest == 6", "wLength > 64",
    "decoded.descriptors[0].bLength == 18", "decoded.descriptors.bInterfaceClass == 8",
    "decoded.descriptors.bInterfaceClass != 8", "bInterfaceClass == 8", "decoded.descriptors[9]",
    "decoded.storage.scsi.lba >= 0", "lba == 0", "command == 'INQUIRY'", "command ~ 'READ*'",
    "command == 'REED(10)'", "data ~ '5553*'", "data == '\\x01'", "data ~ '*USBC*'", "data == ''",
    "bus == 1 and dev == 2", "port ~ '1-*'", "port == '1-1'", "decoded", "decoded.x", "decoded.scsi",
    "tag == 1", "usb == 1", "device == 1", "cpu == 0", "comm == 'x'", "tid == 1", "took_ns > 1ms",
    "took_ns == latency_ns", "name ~ 'usb:*'", "name == 'usb:bulk'", "urb", "ts > 0 and dev",
]

BRANCHES = [
    "kind == 'call'", "kind == 1", "kind ~ 'j*'", "kind == 'jump'", "kind", "from > to", "from", "to",
    "from_symbol ~ '_*'", "symbol ~ '*'", "symbol", "line > 1", "file ~ '*.S'", "late_ns > 0",
    "taken", "mispredicted", "cycles > 0", "name == 'branch:call'", "name ~ '*r*'", "pid > 0 and tid",
    "comm ~ '*'", "cpu == 0", "cpu", "count > 0", "to_line", "to_symbol ~ '_start*'", "from == 0",
]

TIMES = [
    "+0", "+1ms", "+3ms", "+3.5ms", "+0.003", "+3000us", "+3000000ns", "+1s", "+1min", "+1m", "+1h",
    "+00:00:00.003", "+00:00:01", "+", "+x", "+1x", "+-1", "+1.5.5", "-1s", "0", "1", "1795225477",
    "1795225477.003", "1795225477003000000", "1795225477003", "01:44:37.003", "01:44:37", "1:44:37",
    "01:44:37.003Z", "01:44:37.003+01:00", "02:44:37.003+01:00", "25:00:00", "01:60:00", "01:44:61",
    "2026-11-21", "2026-11-22", "2026-11-21T01:44:37.003", "2026-11-21 01:44:37.003",
    "2026-11-21T01:44:37.003Z", "2026-11-21T02:44:37.003+01:00", "2026-11-21T02:44:37.003+0100",
    "2026-11-21T01:44", "2026-11-21T01:44:37.", "2026-11-21T", "2026-02-30", "2026-13-01", "2026-1-1",
    "1969-12-31", "1970-01-01", "9999-12-31", "yesterday", "now", "", " ", "01:44:37.0030000001",
    "2026-11-21T01:44:37.003X", "2026-11-21T01:44:37.003+99:00", "2026-11-21 01:44:37.003 UTC",
    "99999999999999999999", "18446744073709551615", "1e9", "0x10", "+0x10", "+999999999999999h",
]

OPTIONS = [
    "--from +2ms --until +5ms", "--from +5ms --until +2ms", "--from +2ms --to +2ms", "--from +9h",
    "--until 1970-01-01", "--from +1ms --from +2ms", "--source usdt", "--source event --source usdt",
    "--source 'u*'", "--source x", "--source ''", "--source '['", "--source task", "--source usb",
    "--name app:start", "--name 'app:*'", "--name '*:st?p'", "--name '*[ns]witch'", "--name x",
    "--name app:stop --name 'sched*'", "--name ''", "--name start", "--name APP:START", "--pid 100",
    "--pid 101", "--pid 7", "--pid x", "--pid -1", "--pid 0", "--pid 100 --pid 101", "--pid 0x64",
    "--pid 99999999999", "--pid ''", "-c 0", "-c 1", "-c 3", "-c x", "-c -1", "-c 1k", "-c ''",
    "--count 2", "-c 1 -c 2", "-c 99999999999999999999", "--where", "--where arg1 --where arg1",
    "--fields all", "--fields arg1", "--fields", "--window 1ms", "--window x --around arg1",
    "--around arg1 --window 1", "--around arg1 --window 500us", "--around arg1 --window 0",
    "--around arg1 --window -1", "--around arg1 --window 1h", "--around arg1 --window ''",
    "--around 'arg1 == 2' --window 1ms", "--around 'arg1 == -2 or flag' --window 1ms",
    "--around 'arg1 == 77'", "--around nothing", "--around 'arg1 ='", "--around arg1 --around arg2",
    "--around 'arg1 == 2' --where 'cpu == 0' --window 3ms", "--around 'cpu == 0' -c 2",
    "--around 'arg1 == 2' --json --window 2ms", "--around 'arg1 == 2' --summary", "--join",
    "--join --window 5ms", "--summary --source usdt", "--summary --pid 100", "--summary -c 2",
    "--summary --from +2ms", "--summary --json", "--summary --where 'arg1 > 2'", "-D --name '*stop'",
    "-D -D", "-D --json --where flag", "-D --summary", "--meta --json", "--meta=task*", "--meta=x",
    "--meta='*' --meta", "--meta=probe/app:start", "--meta='[mp]*'", "--memory 1", "--memory x",
    "--memory 1T", "--memory ''", "--color always -c 2", "--color never -c 1", "--color x",
    "--color always -c 1 --color never", "-x", "-X", "-x -X", "--raw", "--show-keys", "--print",
    "--print --json", "--json --json", "--calls", "--calls=x", "--calls=0", "--calls=-1", "--counts",
    "--calls --counts", "--protocol", "--diff", "--bounds", "--bounds --json", "--bounds -t", "-t",
    "-tt", "-ttt", "-tttt", "-ttttt", "-tttttt", "-tm", "-tm -t", "-t -tm", "-ty", "--utc -tttt",
    "-ttt --name '*st*' --json", "--nothing", "-z", "--sum", "--js -c 1", "--w arg1", "--from", "-c",
    "FILE", "--to +3ms", "--to pcapng", "--ts", "--time", "--filter x", "-n 5", "-r FILE",
    "--version=1", "--help=x", "--source=usdt -c1", "--name=app:stop", "--no-sandbox --name '*stop'",
]

EXPORT = [
    "", "--to", "--to x", "--to CSV", "--to json --to csv", "--to csv --fields arg1,arg2",
    "--to csv --fields arg1", "--to csv --fields ''", "--to csv --fields x", "--to csv --fields arg1,",
    "--to csv --fields arg1,arg1", "--to csv --fields all,arg1", "--to csv --fields comm",
    "--to csv --fields site.offset,line,symbol", "--to csv --fields ts_ns", "--to json --fields arg1",
    "--to csv --decimal", "--to json --decimal", "--to csv --no-formulas --name '*stop'", "--to json --raw",
    "--to csv --where 'arg1 > 1' -c 2", "--to json --from +2ms --until +4ms", "--to json --pid 7",
    "--to json --source x", "--to json --where 'x ='", "--to json --utc --from 01:44:37.004",
    "--to json -c 0", "--to pcap", "--to usbmon", "--to umockdev", "--to drcov", "--to lcov",
    "--to folded", "--to brstack", "--to pcap --linktype 1", "--to json --linktype 220",
    "--to pcapng --linktype 249", "--to json --no-descriptors", "--to json --with-machine",
    "--to json --show-keys", "--to pcapng --raw", "--to html --decimal", "--json", "--to json -w",
    "--to csv --name x", "--to html --name x -c 1", "--to trace-dat --source usdt", "--to json --bounds",
]


def write(folder):
    subprocess.run([f"{BUILD}/tests/decode/make-sample", f"{folder}/sample", "8"], check=True)
    for name in "samples/usb-errors", "samples/usb-storage", "tests/golden/branches":
        with open(f"{SRC}/{name}.trawl", "rb") as f:
            data = f.read()
        with open(f"{folder}/{os.path.basename(name)}", "wb") as f:
            f.write(data)


def comparisons(place):
    """Each value with ==, and some with every operator."""
    return [*(f"{place} == {v}" for v in VALUES),
            *(f"{place} {o} {v}" for o, v in itertools.product(OPERATORS[1:], FEW))]


def groups():
    """(name, file, options of trawl-decode or trawl-export)"""
    where = lambda expressions: [f"-ttttt --where {quoted(e)}" for e in expressions]
    for place in PLACES:
        yield "where:" + place, "decode sample", where(comparisons(place))
    yield "expressions", "decode sample", where(SAMPLE)
    for name in "usb-errors", "usb-storage":
        yield "expressions:" + name, "decode " + name, where(USB)
    yield "expressions:branches", "decode branches", where(BRANCHES)
    for option in "from", "until":
        yield option, "decode sample", [f"-t --{option} {quoted(t)}" for t in TIMES]
    for name in "sample", "usb-errors", "branches":
        yield "options:" + name, "decode " + name, OPTIONS
        yield "export:" + name, "export " + name, EXPORT


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        c = Commands("queries", folder)
        for name, of, lines in groups():
            program, file = of.split()
            c.add(name, [f"trawl-{program} {o.replace('FILE', '../' + file)} ../{file}"
                         for o in lines])
        c.close()
    return finish()


sys.exit(main())
