#!/bin/bash
# SPDX-License-Identifier: MIT
# Files: whose they are, and sudo.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
chmod 755 "$work"
f=$work/x.trawl

# sudo: the file and the command are the caller's.
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
SUDO_UID=$uid SUDO_GID=$gid fails "sudo: where the caller cannot write, trawl does not" 3 'Permission denied' \
	trawl -i "usdt:$work/target:hit" -w "$work/ours/x" -- "$work/target" id
trawl -q -i "usdt:$work/target:hit" -Z nobody -w "$work/theirs/z" -- "$work/target" id >"$work/out"
same "-Z: the same by name" "$uid $gid $home" "$(cat "$work/out")"
same "-Z: the file too" "$uid:$gid 600" "$(stat -c '%u:%g %a' "$work/theirs/z")"

# A link to a file is followed, a file in the way is replaced when all is armed.
echo old >"$work/old"
ln -s old "$work/link"
trawl -q -i "usdt:$target:hit" -w "$work/link" -- "$target" hits 1
same "a link stays a link" old "$(readlink "$work/link")"
same "to the new capture" 1 "$(events "$work/old")"
mkfifo "$work/fifo"
trawl-decode --json - <"$work/fifo" >"$work/out" & reader=$!
trawl -q -i "usdt:$target:hit" -w "$work/fifo" -- "$target" hits 4
wait $reader
same "-w to a named pipe" 4 "$(wc -l <"$work/out")"
tap_done
