#!/bin/bash
# SPDX-License-Identifier: MIT
# Shows trawl at work on this machine: records the sample program's probes, decodes the file and
# exports it for Wireshark. If this machine can't trace, decodes a capture from samples/ instead.
cd "$(dirname "$0")" || exit 2
. ./prepare.sh

need_packages "${BUILD_PACKAGES[@]}" || exit
say "building in build/"
build build && make -C build samples >>build/build.log 2>&1 || exit 1

out=build/demo
mkdir -p $out
file=$out/tick.trawl

# run COMMAND...: prints the command as a user would type it, then runs it.
run() {
	local word line='$'
	for word in "$@"; do
		[[ $word =~ ^[a-zA-Z0-9_./:=%-]+$ ]] || word="'$word'"
		line+=" $word"
	done
	printf '\n%s\n' "$line"
	"$@"
}
export PATH=$PWD/build:$PATH

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	as_root=(sudo)
	command -v sudo >/dev/null || as_root=()
fi

say "recording: a USDT probe, a function with its arguments, what it returns"
if ! run "${as_root[@]}" build/trawl -w $file \
	-i 'usdt:build/samples/tick:tick:loop arg2:string' \
	-i 'uprobe:build/samples/tick:tick_step n name=+0(name):string' \
	-i 'uprobe:build/samples/tick:tick_name%return $retval:string' \
	-- build/samples/tick 3; then
	say "this machine can't record user probes (see above): a capture from samples/ instead"
	file=samples/tick.trawl
fi

say "the events"
run build/trawl-decode $file
run build/trawl-decode --json -c 2 $file

say "the summary"
run build/trawl-decode --summary $file

say "branches: how a program got where it did"
if run "${as_root[@]}" build/trawl -q -w $out/branches.trawl -i branch \
	-- build/samples/branches; then
	run build/trawl-decode --calls $out/branches.trawl
	run build/trawl-decode -c 3 --where 'kind == "call"' $out/branches.trawl
	run build/trawl-export --to folded $out/branches.trawl
else
	say "this machine can't record branches (see above)"
fi

say "for Wireshark"
run build/trawl-export --to pcapng $file -w $out/tick.pcapng || exit 1

say "done"
echo "the capture:            $file ($(stat -c %s $file) bytes)"
echo "its Wireshark export:   $out/tick.pcapng"
echo "the dissector for it:   wireshark/trawl.lua (make install puts it in its place)"
