# SPDX-License-Identifier: MIT
# Recordings whose events disappear, whose maps are full, or for which there is no memory.
# long: 6.1 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

# armed: whether trawl says that it records.
armed() {
	grep -q 'capturing to' trawl.log
}

# The kernel allows that a module is removed while its events are recorded.
modprobe -a ext4 loop
truncate -s 16M image
mkfs.ext4 -q image
mkdir mnt
start trawl trawl -w gone.trawl -i 'event:ext4:*' -i event:sched:sched_process_fork
wait_for armed
mount -o loop image mnt && umount mnt
ok $? "a file system is mounted and unmounted"
sleep 0.5
rmmod ext4
ok $? "its module goes while its events are recorded"
wait_for grep -q 'was removed with' trawl.log
ok $? "it is reported at once"
(:)
finish trawl INT
same "status: the data is not complete" 1 $?
same "one line for all its events" 1 \
	"$(grep -c 'event: ext4:ext4_.* (and [0-9]* more) was removed with its kernel module' trawl.log)"
has "the end does not say that nothing was lost" "$(cat trawl.log)" \
	'events captured, an unknown number lost'
summary=$(trawl-decode --summary gone.trawl)
has "the file has the loss" "$summary" 'event: an unknown number \(buffer emptied\) between'
same "once" 1 "$(grep -c 'buffer emptied' <<<"$summary")"
has "what was read before it is there, with its formats" "$(trawl-decode --print gone.trawl)" \
	'ext4_drop_inode.* ino [0-9]+ drop [01]'
has "other events are still recorded" "$(trawl-decode --json gone.trawl | tail -1)" 'sched:sched_process_fork'
same "nothing is left" 0 "$(leftovers)"

# A module with a hist pair on its events cannot be removed.
modprobe ext4
start trawl trawl -w synth.trawl \
	-i 'synth:sync=ext4.ext4_sync_file_enter,ext4.ext4_sync_file_exit key=ino'
wait_for armed
fails "a module that a chain needs stays" 1 'ext4 is in use' rmmod ext4
mount -o loop image mnt && dd if=/dev/zero of=mnt/f bs=4k count=1 conv=fsync status=none
umount mnt
finish trawl INT
same "the chain works: status" 0 $?
has "the chain works" "$(trawl-decode --source synth synth.trawl)" 'synth:sync +latency=[1-9]'
start trawl trawl -w probe.trawl -i 'eprobe:ext4.ext4_sync_file_enter'
wait_for armed
fails "so does one that an eprobe sits on" 1 'ext4 is in use' rmmod ext4
finish trawl INT
same "status" 0 $?
rmmod ext4
ok $? "it goes when they are gone"
same "nothing is left" 0 "$(leftovers)"

# A hist trigger's map with room for 32768 keys is filled.
cat >seek.py <<'END'
import os
zero = os.open("/dev/zero", os.O_RDONLY)
for i in range(34000):
    os.lseek(zero, i, os.SEEK_SET)
    os.pread(zero, 1, i)
END
trawl -w full.trawl \
	-i 'synth:full=syscalls.sys_enter_lseek,syscalls.sys_enter_pread64 key=offset:pos' -- \
	/usr/bin/python3 seek.py 2>full.log
same "a map that is full: status" 1 $?
read -r captured \
	lost < <(sed -n 's/^\([0-9]*\) events* captured, \([0-9]*\) lost.*/\1 \2/p' full.log)
ok $((lost < 1)) "what it had no room for is lost ($captured captured, $lost lost)"
same "no more and no less" 34000 $((captured + lost))
has "the file says why" "$(trawl-decode --summary full.trawl)" "synth: $lost \(map full\) between"

# Event probes on events that are probes themselves.
offset=$(nm "$TRAWL_BUILD/samples/tick" | awk '$3 == "tick_step" { print $1 }')
echo 'p:lab_on/kprobe vfs_llseek off=$arg2:u64' >>$T/dynamic_events
echo "p:lab_on/uprobe $TRAWL_BUILD/samples/tick:0x$offset n=%di:u64" >>$T/dynamic_events
echo 'e:lab_on/eprobe syscalls.sys_enter_lseek off=$offset' >>$T/dynamic_events
echo 'f:lab_on/fprobe vfs_llseek off=$arg2:u64' >>$T/dynamic_events
truncate -s 8192 data
list=$(trawl -D)
trial() { # EVENT FIELD VALUE COMMAND...
	local on=lab_on.$1 field=$2 value=$3
	shift 3
	if ! [ -e "$T/events/lab_on/${on#*.}" ]; then
		same "this kernel has no ${on#*.}s" "6.1 fprobe" \
			"$(uname -r | cut -d. -f1-2) ${on#*.}"
	elif grep -q "^eprobe.* on ${on#*.}s" <<<"$list"; then
		trawl -q -w on.trawl -i "eprobe:$on got=\$$field" -- "$@"
		has "an eprobe on $on: its value" "$(trawl-decode on.trawl)" \
			"${on/./:} +got=$value\$"
	else
		fails "an eprobe on $on is refused before anything runs" 3 \
			"takes no eprobe on $on, which is itself a probe; give that probe the arguments" \
			trawl -q -w on.trawl -i "eprobe:$on got=\$$field" -- touch ran
		ok $([ ! -e ran ]; echo $?) "nothing ran"
	fi
}
trial kprobe off 4660 dd if=data of=/dev/null bs=1 skip=4660 count=1 status=none
trial fprobe off 4660 dd if=data of=/dev/null bs=1 skip=4660 count=1 status=none
trial eprobe off 4660 dd if=data of=/dev/null bs=1 skip=4660 count=1 status=none
trial uprobe n 2 "$TRAWL_BUILD/samples/tick" 3
for event in kprobe uprobe eprobe fprobe; do
	[ ! -e "$T/events/lab_on/$event" ] || echo "-:lab_on/$event" >>$T/dynamic_events
done
same "nothing is left" 0 "$(leftovers)"
tap_done
