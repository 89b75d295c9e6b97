#!/bin/bash
# SPDX-License-Identifier: MIT
# The output file: its owner, also with sudo; links, FIFOs, deleted and locked files.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
chmod 755 "$work"
f=$work/x.trawl

# With sudo the file and the command belong to the caller.
home=$(getent passwd nobody | cut -d: -f6)
mkdir "$work/theirs"
chown nobody "$work/theirs"
uid=$(id -u nobody) gid=$(id -g nobody)
cp "$target" "$work/target"
chmod 755 "$work/target"
SUDO_UID=$uid SUDO_GID=$gid trawl -q -i "usdt:$work/target:hit" -w "$work/theirs/x" -- \
	"$work/target" id >"$work/out" 2>"$work/err"
same "sudo: status" 0 $?
same "sudo: the command runs as the caller" "$uid $gid $home" "$(cat "$work/out")"
same "sudo: the file is the caller's" "$uid:$gid 600" "$(stat -c '%u:%g %a' "$work/theirs/x")"
mkdir -m 700 "$work/ours"
SUDO_UID=$uid SUDO_GID=$gid fails "sudo: where the caller cannot write, trawl does not" 3 \
	"^trawl: -w $work/ours/x: Permission denied for nobody, who would own the file; name a folder of theirs, or give -Z root$" \
	trawl -i "usdt:$work/target:hit" -w "$work/ours/x" -- "$work/target" id
# A sudo that does not say who called it is refused: the command is not run as root instead.
for who in "someone $gid" "-1 $gid" "4294967295 $gid" "99999999999999999999 $gid" " $gid" "$uid x" \
	"$uid "; do
	SUDO_UID=${who% *} SUDO_GID=${who#* } fails "sudo that says '$who'" 2 \
		"^trawl: SUDO_UID=${who% *}, SUDO_GID=${who#* }: not valid; name the user by -Z USER$" \
		trawl -q -i "usdt:$work/target:hit" -w "$work/theirs/none" -- "$work/target" id
done
same "... and nothing was made" "" "$(ls "$work/theirs" | grep none)"
trawl -q -i "usdt:$work/target:hit" -Z nobody -w "$work/theirs/z" -- "$work/target" id >"$work/out"
same "-Z: the same by name" "$uid $gid $home" "$(cat "$work/out")"
same "-Z: the file too" "$uid:$gid 600" "$(stat -c '%u:%g %a' "$work/theirs/z")"

# A link to a file is followed; an existing file is replaced when all probes are enabled.
echo old >"$work/old"
ln -s old "$work/link"
trawl -q -i "usdt:$target:hit" -w "$work/link" -- "$target" hits 1
same "a link stays a link" old "$(readlink "$work/link")"
same "to the new capture" 1 "$(events "$work/old")"
# A FIFO: its reader may come a little later. Without a reader the capture ends, at once by a
# signal.
mkfifo "$work/fifo"
trawl -q -i "usdt:$target:hit" -w "$work/fifo" -- "$target" hits 3 & pid=$!
trawl-decode "$work/fifo" >"$work/out"
wait $pid
same "a FIFO whose reader comes later" "0 3" "$? $(wc -l <"$work/out")"
fails "a FIFO without a reader" 2 \
	"^trawl: -w $work/fifo: no program reads it; start its reader first$" \
	timeout 60 trawl -i "usdt:$target:hit" -w "$work/fifo" -- "$target" hits 3
for sig in INT TERM HUP; do
	env --default-signal=INT,TERM,HUP trawl -i "usdt:$target:hit" \
		-w "$work/fifo" 2>"$work/err" & pid=$!
	for ((n = 0; n < 500; n++)); do # until it blocks signals to read them itself
		grep -q "^SigBlk:.*4203$" /proc/$pid/status && break
		sleep 0.02
	done
	kill -$sig $pid
	wait $pid
	same "SIG$sig ends a capture that waits for a FIFO's reader" 2 $?
	has "... and it says so" "$(cat "$work/err")" \
		'no program read it until the interrupt; start its reader first$'
done
trawl -q -i "usdt:$target:hit" -w /dev/stdout -- "$target" hits 3 2>"$work/err" |
	trawl-decode - >"$work/out"
same "what procfs leads to" 3 "$(wc -l <"$work/out")"
trawl -q -i "usdt:$target:hit" -w >(trawl-decode - >"$work/out") -- "$target" hits 3
for ((n = 0; n < 500 && $(wc -l <"$work/out") < 3; n++)); do sleep 0.02; done
same "what the shell opens" 3 "$(wc -l <"$work/out")"

# A file that is deleted while it is being recorded is written again at the end; the status says so.
trawl -i "usdt:$target:hit" -w "$work/deleted" -- bash -c \
	"'$target' hits 4; rm '$work/deleted'; '$target' hits 5" >"$work/out" 2>"$work/err"
same "deleted while it is recorded: status" 1 $?
has "... said" "$(cat "$work/err")" \
	"^trawl: -w $work/deleted: was deleted during the capture; all of it is in $work/deleted now$"
same "... all of it is there" 9 "$(events "$work/deleted")"

# If trawl is killed at any moment, no other file is left, and the name has the old or the new file.
mkdir "$work/kill"
half=0
for n in 02 05 08 11 14 17 20 23 26 30 35 40; do
	echo old >"$work/kill/x"
	timeout -s KILL 0.$n trawl -q -i "usdt:$target:hit" -i event:sched:sched_switch \
		-w "$work/kill/x" 2>/dev/null
	[ "$(cat "$work/kill/x" | head -c 3)" = old ] ||
		trawl-decode --summary "$work/kill/x" >"$work/out" 2>&1
	[ $? -le 1 ] || half=1
done
trawl --gc >/dev/null
same "killed: nothing is left beside the file" x "$(ls -A "$work/kill")"
ok $half "killed: the file is the old one or a new one"
echo old >"$work/kill/x"
fails "a file without a name" 2 '^trawl: -w: the name is empty; give a file' trawl \
	-i event:sched:sched_switch -w ''
flock -w 60 "$work/kill/x" true # timeout kills itself, too, and does not wait for the killed trawl
fails "a failed start" 2 'no such event' trawl -i event:sched:none -w "$work/kill/x"
same "a failed start: the old file is still there" "x old" \
	"$(ls -A "$work/kill") $(cat "$work/kill/x")"

# A file that the user owns, in a folder where the user may create none.
echo old >"$work/ours/theirs"
chown nobody "$work/ours/theirs"
chmod 755 "$work/ours"
trawl -q -Z nobody -i "usdt:$target:hit" -w "$work/ours/theirs" -- "$target" hits 3
same "a file in a folder that is not ours: status" 0 $?
same "a file in a folder that is not ours: written" 3 "$(events "$work/ours/theirs")"
has "a file in a folder that is not ours: whole" "$(trawl-decode --summary "$work/ours/theirs")" \
	': complete$'
# A file that cannot be replaced as a whole is not overwritten while a reader has locked it.
fails "... not while somebody holds a lock on it" 2 \
	"^trawl: -w $work/ours/theirs: another program has locked it; give another name, or end that one first$" \
	flock -s "$work/ours/theirs" "$(command -v trawl)" -q -Z nobody -i "usdt:$target:hit" \
	-w "$work/ours/theirs" -- "$target" hits 1
same "... which is left as it was" 3 "$(events "$work/ours/theirs")"

# Two captures to one file: the second is refused, because it would replace the first one's file.
trawl -q -i "usdt:$target:hit" -w "$work/shared" & first=$!
wait_armed "$work/shared"
fails "a file that a capture writes to" 2 'another capture is writing to it' trawl \
	-i "usdt:$target:hit" -w "$work/shared"
"$target" hits 3
kill $first
wait $first
same "... has all of that" 3 "$(events "$work/shared")"
trawl -q -i "usdt:$target:hit" -w "$work/shared" -- "$target" hits 1
same "... and can be replaced afterwards" 1 "$(events "$work/shared")"

mkfifo "$work/fifo"
trawl-decode --json - <"$work/fifo" >"$work/out" & reader=$!
trawl -q -i "usdt:$target:hit" -w "$work/fifo" -- "$target" hits 4
wait $reader
same "-w to a named pipe" 4 "$(wc -l <"$work/out")"
tap_done
