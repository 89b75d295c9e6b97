#!/bin/bash
# SPDX-License-Identifier: MIT
# Bad input of every kind: exit status and message.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl
event=event:sched:sched_switch
# The limit ends a capture that should have been refused.
trawl() { timeout 120 "$TRAWL_BUILD/trawl" "$@"; }

# Programs and probes
fails "no such file" 2 "$work/none: no such file" trawl -i "usdt:$work/none:hit" -w "$f"
fails "no such probe, nearest name" 2 'hti: no such probe .* did you mean .*hit' trawl \
	-i "usdt:$target:hti" -w "$f"
fails "no such symbol, nearest name" 2 'target_hist: no such symbol .* did you mean target_hits' \
	trawl -i "uprobe:$target:target_hist" -w "$f"
fails "a caret under the place" 2 '^ +\^$' trawl -i "uprobe:$target:target_hist" -w "$f"
fails "not ELF" 2 'not an ELF file' trawl -i uprobe:/etc/passwd:main -w "$f"
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0' >"$work/elf32"
head -c 100 /dev/zero >>"$work/elf32"
fails "wrong architecture" 2 '32.bit' trawl -i "uprobe:$work/elf32:main" -w "$f"
# The second byte of the function's first instruction that has several.
middle=$(objdump -d --no-show-raw-insn "$target" |
		sed -n '/<target_hits>:/,/^$/s/^ *\([0-9a-f]*\):.*/\1/p' |
	{
		read -r start
		last=$start
		while read -r at && [ $((0x$at)) -eq $((0x$last + 1)) ]; do last=$at; done
		echo $((0x$last + 1 - 0x$start))
	})
fails "in the middle of an instruction" 2 'middle of an instruction' \
	trawl -i "uprobe:$target:target_hits+$middle" -w "$f"
long=$(printf 'a%.0s' $(seq 80))
fails "argument text over 63 characters" 2 '63' \
	trawl \
	-i "uprobe:$target:target_hits x=+1000(+1000(+1000(+1000(+1000(+1000(+1000(+1000(+1000(%di))))))))):u64" -w "$f"
fails "argument name over 31 characters" 2 '31|too long' \
	trawl -i "uprobe:$target:target_hits $long=%di" -w "$f"
fails "a name already taken" 2 'x' trawl -i "uprobe:$target:target_hits x=%di x=%si" -w "$f"
args=$(for i in $(seq 129); do printf ' a%d=%%di' "$i"; done)
fails "too many arguments" 2 '128' trawl -i "uprobe:$target:target_hits$args" -w "$f"
fails "no such register" 2 'no such register' trawl -i "uprobe:$target:target_hits %zz" -w "$f"
for twice in "-w $f" "-c 5" "-s 9" "-B 64" "-C 1" "-G 9" "-W 2" "-Z root" "--duration 1" \
	"--ring 2m" "--after 1" "--level 3"; do
	fails "$twice twice" 2 "^trawl: ${twice%% *}: given twice; leave one out$" trawl \
		-i usb $twice $twice
done
fails "-t is not for a file" 2 '-w writes a file; use trawl-decode -t on the file$' trawl -i usb \
	-t -w "$f"
fails "--gc records nothing" 2 '^trawl: --gc: .* give it alone$' trawl --gc -i usb
fails "no such source, nearest name" 2 'evnt:x: no such source; did you mean event' trawl \
	-i evnt:x -w "$f"

fails "a source line" 2 'no such source; a source line is not supported; give a function' trawl \
	-i main.c:19 -w "$f"
fails "--to of trawl-edit cut" 2 '^trawl-edit: --to: no such option; .* --until TIME' trawl-edit \
	cut --to 5 "$f" -w "$f.cut"

# Kernel events and filters
fails "no such event, nearest names" 2 \
	'sched:sched_swich: no such event .* did you mean sched:sched_switch' \
	trawl -i event:sched:sched_swich -w "$f"
fails "six -t" 2 '^trawl: -t: given too often; at most five' trawl -tttttt \
	-i event:sched:sched_switch
fails "a glob that matches nothing" 2 'no such event' trawl -i 'event:sched:nothing*' -w "$f"
fails "filter on a field that is not there" 2 'filter: Field not found' \
	trawl -i "$event if prev_pidx == 1" -w "$f"
fails "with the nearest name" 2 'Field not found; did you mean .*prev_pid' \
	trawl -i "$event if next_pid > 1 && prev_pidx == 1" -w "$f"
fails "a filter in the words of --where" 2 \
	'predicate expression \(a filter of the kernel.s has && and \|\|\)' \
	trawl -i "$event if prev_pid > 5 and next_pid < 3" -w "$f"
fails "a filter with one =" 2 'Invalid operator \(a filter of the kernel.s compares with ==\)' \
	trawl -i "$event if prev_comm == \"a==b\" && prev_pid = 3" -w "$f"
fails "but not one in a text" 2 'filter: Invalid value[^=]*$' \
	trawl -i "$event if prev_comm == \"a=b\" && prev_pid == " -w "$f"
fails "a filter as bpftrace has it" 2 "event: a filter follows ' if '" \
	trawl -i "$event/prev_pid == 3/" -w "$f"
fails "with the kernel's caret" 2 '^ +\^$' trawl -i "$event if prev_pidx == 1" -w "$f"
fails "a filter without a value" 2 'filter: Invalid value' trawl -i "$event if prev_pid == " -w "$f"
fails "an event without a name" 2 'event:GROUP:NAME; event:sched:\* is all' \
	trawl -i event:sched -w "$f"
fails "or without a group" 2 'event:\*:sched_switch an event of any' \
	trawl -i event:sched_switch -w "$f"

# Options and scope
fails "an option without its value" 2 '^trawl: -w: needs a value; `--. is none' trawl -i $event -w \
	-- true
fails "no such process" 2 '-p 4194303: no such process' trawl -i $event -p 4194303 -w "$f"
fails "no such user" 2 '-Z nobody_here: no such user' trawl -i $event -Z nobody_here -w "$f"
fails "command not found in the path" 2 'no_such_command: command not found' trawl -i $event \
	-w "$f" -- no_such_command
fails "command not found by name" 2 '/no/such: command not found' trawl -i $event -w "$f" \
	-- /no/such
fails "a command that is a directory" 2 '/tmp: is a directory' trawl -i $event -w "$f" -- /tmp
fails "a command that is not executable" 2 'passwd: is not executable' trawl -i $event -w "$f" \
	-- /etc/passwd
printf '#!/no/such/interpreter\n' >"$work/script"
chmod +x "$work/script"
fails "a command that cannot be run" 2 'script: cannot be run' trawl -i $event -w "$f" -- \
	"$work/script"
fails "more buffer than memory" 3 '-B: no memory for a ring buffer' trawl -i $event -B 1000000000 \
	-w "$f"
fails "-- and no command" 2 'no command follows' trawl -i $event -w "$f" --
fails "an empty source" 2 "-i: is empty; name a source" trawl -i '' -w "$f"
fails "nothing to record" 2 'name a source' trawl -w "$f"

# Output
fails "no such directory" 2 'No such file' trawl -i $event -w "$work/none/x"
fails "a directory" 2 'directory' trawl -i $event -w "$work"
ok "$([ ! -e "$f" ]; echo $?)" "none of these left a file"
echo precious >"$f"
fails "an invalid probe" 2 'no such probe' trawl -i "usdt:$target:hti" -w "$f"
same "keeps an existing file" precious "$(cat "$f")"
same "and leaves no other file" "elf32 script target x.trawl" "$(ls "$work" | tr '\n' ' ' | sed 's/ $//')"

# The machine
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups env PATH="$PATH" "$@"; }
if as_nobody test -x "$TRAWL_BUILD/trawl"; then
	fails "no permission" 3 'run trawl as root' as_nobody trawl -i $event -w /tmp/trawl_nobody
else
	cp "$TRAWL_BUILD/trawl" "$work/copy" && chmod -R a+rX "$work"
	fails "no permission" 3 'run trawl as root' as_nobody \
		"$work/copy" -i $event -w /tmp/trawl_nobody
fi
# Without tracefs: a namespace of our own where it is not mounted and cannot be.
# Wherever it is mounted: trawl takes any.
no_tracefs='umount -l -a -t tracefs; umount -l -a -t debugfs; '
out=$(unshare -m bash -c "$no_tracefs setpriv --bounding-set -sys_admin --inh-caps -sys_admin \
	timeout 120 trawl -i $event -w $f" 2>&1)
same "no tracefs, and no right to mount it: status" 3 $?
has "no tracefs, and no right to mount it" "$out" 'mount -t tracefs'
unshare -m bash -c "$no_tracefs trawl -q -i $event -c 1 -w $f"
same "no tracefs: it is mounted" 0 $?
# A mount that another one covers is listed all the same, and its path leads elsewhere.
mkdir -p "$work/covered/tracing"
covered="mount -t tracefs nodev $work/covered/tracing; mount -t tmpfs none $work/covered; mkdir $work/covered/tracing; "
unshare -m bash -c "$no_tracefs $covered trawl -q -i $event -c 1 -w $f"
same "a tracefs hidden under another mount is skipped" 0 $?
rmdir "$work/covered/tracing" "$work/covered"

# Reading
has "-D" "$(trawl -D)" '^usdt:PATH:\[PROVIDER:\]NAME'
has "-D states the reason" "$(trawl -D)" 'not usable: '
same "-D --json" list \
	"$(trawl -D --json |
		/usr/bin/python3 -c 'import json, sys; print(type(json.load(sys.stdin)).__name__)')"
same "--help to stdout, status 0" 0 "$(trawl --help >"$work/help"; echo $?)"
has "--help" "$(cat "$work/help")" '^Usage: trawl'
page=$(sed 's/\\f[A-Z]//g; s/\\-/-/g' "$TRAWL_SRC/docs/trawl.1")
for option in $(grep -oE '^  (--?[a-zA-Z]+(-[a-z]+)*)' "$work/help") --version; do
	has "the man page has $option" "$page" "(^|[ ,.\"])$option([ ,.\"]|\$)"
done
has "--version" "$(trawl --version)" '^trawl [0-9]'
tap_done
