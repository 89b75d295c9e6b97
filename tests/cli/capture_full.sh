#!/bin/bash
# SPDX-License-Identifier: MIT
# Files that cannot take all: full disks of several kinds, a limit of the file's size. What is in
# the file and what it says is missing are, together, exactly what the kernel saw happen.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
small=$work/small
mkdir "$small"
trap 'mountpoint -q "$small" && umount "$small"; rm -rf "$work"' EXIT

# number NAME: of the usdt source in the "end" metadata on stdin.
number() { sed -n "s/.*\"source\":\"usdt\"[^}]*\"$1\":\([0-9]*\).*/\1/p"; }

# moment TEXT: in ns since the epoch.
moment() { date -u -d "$1" +%s%N; }

# count NAME FILE: the last line in $work/err counts all events that happened: those in the file
# and those that are missing.
count() {
	read -r captured \
		lost <<<"$(sed -n 's/.*(.*usdt \([0-9]*\) (lost \([0-9]*\)).*/\1 \2/p' "$work/err")"
	same "$1: captured and lost are all hits" $hits $((captured + lost))
	ok $((captured < 1000 || lost < 1000)) "$1: some of each"
	same "$1: captured is what is in the file" "$captured" "$(events "$2" target:hit)"
}

# agree NAME FILE: the file's metadata has the same numbers.
agree() {
	local name=$1 file=$2 summary end loss
	count "$@"
	summary=$(trawl-decode --summary "$file")
	same "$name: the file can be read" 0 $?
	has "$name: it is complete" "$summary" '^file .*: complete$'
	end=$(trawl-decode --meta=end "$file")
	same "$name: the file's end says so" "$captured $lost $hits" \
		"$(number events <<<"$end") $(number lost <<<"$end") $(number hits <<<"$end")"
	has "$name: the end says that it is incomplete" "$end" '"incomplete":true'
	loss=$(sed -n 's/^  usdt: \([0-9]* (write error) between .*\)/\1/p' <<<"$summary")
	same "$name: the loss record has all of it" "$lost" "${loss%% *}"
	loss=${loss#*between }
	ok $(($(moment "${loss%% and *}") <= $(moment "$(sed -n 's/^last *//p' <<<"$summary")"))) \
		"$name: the loss begins after the last event"
	ok $(($(moment "${loss#* and }") > $(date +%s%N))) "$name: and has an end"
}

# flood FILE: records more than fits. All events happen while trawl is stopped, so that their number
# is known. Only this shell's children are recorded: others would take the room.
hits=500000
flood() {
	local trawl status
	rm -f "$1"
	trawl -B 32768 -i "usdt:$target:hit" -p $$ -w "$1" 2>"$work/err" & trawl=$!
	wait_armed "$1"
	kill -STOP $trawl
	taskset -c 0 "$target" hits $hits # one CPU: its events are written in their order
	kill -CONT $trawl
	wait $trawl
}

# leave KIB: fills $small until this much is free.
leave() {
	local free
	free=$(df -k --output=avail "$small" | tail -1)
	head -c "$((free - $1))k" /dev/urandom >"$small/filler$1"
}

if ! mount -t tmpfs -o size=3m tmpfs "$small"; then
	skip "full disks" "no file system may be mounted here"
	tap_done
fi
leave 400
flood "$small/x"
same "tmpfs: status" 1 $?
has "tmpfs: said, and that there is a file" "$(cat "$work/err")" \
	"^trawl: -w $small/x: the disk is full; .*; what was written is readable$"
agree tmpfs "$small/x"

# Hardly any room: a small capture is no failure.
rm "$small/x"
leave 200
trawl -q -i "usdt:$target:hit" -w "$small/x" -- "$target" hits 1000
same "nearly full: what fits is no failure" 0 $?
same "nearly full: all is there" 1000 "$(events "$small/x" target:hit)"

# No room at all: there is no file, and no message names one.
rm "$small/x"
leave 0
fails "no room: said" 3 "^trawl: -w $small/x: the disk is full; make room, or write less$" \
	trawl -q -i "usdt:$target:hit" -w "$small/x" -- "$target" hits 1000
same "no room: nothing is left" "filler0 filler200 filler400" "$(cd "$small" && echo *)"
umount "$small"

# Disks: ext4 takes room ahead. ext2 cannot, so the end may not fit: then the file is a cut one.
for kind in ext4 ext2; do
	truncate -s 4m "$work/disk"
	if ! { "mkfs.$kind" -q -F -m 0 "$work/disk" && mount -o loop "$work/disk" "$small"; }; then
		skip "$kind" "cannot be made or mounted here"
		continue
	fi
	leave 400
	flood "$small/x"
	same "$kind: status" 1 $?
	[ $kind = ext4 ] && agree "$kind" "$small/x" || count "$kind" "$small/x"
	umount "$small"
	rm "$work/disk"
done

# A limit of the file's size (ulimit -f): whether the kernel also sends a signal depends on the file
# system.
mount -t tmpfs tmpfs "$small"
for folder in "$work" "$small"; do
	name="ulimit -f, $(stat -f -c %T "$folder")"
	ulimit -Sf 300
	flood "$folder/x"
	same "$name: status" 1 $?
	ulimit -Sf unlimited
	has "$name: said" "$(cat "$work/err")" 'may not grow further.*readable$'
	agree "$name" "$folder/x"
done
tap_done
