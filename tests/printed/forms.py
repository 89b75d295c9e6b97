# SPDX-License-Identifier: MIT
"""The forms in which tests/cli/outputs.py and made.py have captures printed: groups of command
lines, in which FILE is the capture."""

DECODE = {
    "text": ["", "--raw", "-tttt --bounds --utc", "-X --show-keys -tt", "-x -ttt --raw",
             "--print -tm", "--fields all --source '*' -ttttt", "-t -c 5 --color always"],
    "json": ["--json", "--json --raw --fields all --show-keys", "--json --bounds --join --source '*'"],
    "views": ["-D", "-D --json", "--summary --utc", "--meta"],
    "meta": ["--meta='*'"],
    "around": ["--join --window 5ms", "--around 'cpu == 0 or ts > 5s' --window 10us -c 300",
               "--where 'pid > 5 and comm ~ \"t*\" or cpu < 9' -c 300",
               "--where 'took_ns > 1us' -ttttt"],
}
USB = {
    "where": ["--where 'ep & 1 and actual > 3' --json",
              "--around 'status < 0 or status == \"stall\"' --window 1ms -c 100"],
    "protocol": ["--protocol --source 'usb*'", "--protocol --json --source 'usb*'"],
}
BRANCH = {
    "calls": ["--calls", "--calls --json", "--calls=20", "--calls=20 --json"],
    "counts": ["--counts", "--counts --json"],
}
EXPORT = {
    "pcapng": ["--to pcapng"],
    "pcapng-more": ["--to pcapng --with-machine --no-descriptors --show-keys --fields all"],
    "csv": ["--to csv", "--to csv --fields all --raw --decimal --no-formulas", "--to json -c 9"],
    "perfetto": ["--to perfetto"],
    "trace-dat": ["--to trace-dat", "--to trace-dat --with-machine"],
    "html": ["--to html"],
    "gzip": ["--to pcapng.gz -c 20"],
}
EXPORT_USB = {
    "pcap": ["--to pcap --source 'usb*'", "--to pcap --source 'usb*' --linktype 189",
             "--to pcapng --source 'usb*' --where 'status < 0 or length > 1'"],
    "usbmon": ["--to usbmon --source 'usb*'"],
    "umockdev": ["--to umockdev"],
}
EXPORT_BRANCH = {
    "coverage": ["--to lcov", "--to drcov"],
    "stacks": ["--to folded", "--to brstack"],
}
EDIT = {
    "edit": ["trawl-edit verify FILE", "trawl-edit secrets FILE"],
    "cut": ["trawl-edit cut --level 1 --from +0.0001 --every 3 FILE -w - 2>/dev/null | "
            "trawl-decode --raw --json -"],
}


def commands(program, forms):
    return {name: [f"trawl-{program} {options} FILE" for options in more]
            for name, more in forms.items()}


ALL = {**commands("decode", DECODE), **commands("export", EXPORT)}
OF_USB = {**commands("decode", USB), **commands("export", EXPORT_USB),
          "again": ["trawl-export --to pcapng --source 'usb*' FILE -w o.pcapng",
                    "trawl-decode o.pcapng", "trawl-decode --summary --utc o.pcapng"]}
OF_BRANCHES = {**commands("decode", BRANCH), **commands("export", EXPORT_BRANCH)}
