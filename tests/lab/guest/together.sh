# SPDX-License-Identifier: MIT
# Every kind of source in one flight recorder, which is stopped for seconds and triggered meanwhile.
# Two readers of the kernel's own text record the same events; they registered before and after the
# recorder. The kernel calls all three in this order, so the time of each event lies between the
# times of its texts. The second half compares them.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
load=$TRAWL_BUILD/tests/lab/branchnumber
modprobe usbmon
insmod "$LAB_MODULES/../kmod/trawl.ko"
# The program is static and is loaded at 0x400000.
offset=$(printf '%#x' $((0x$(nm "$load" | sed -n 's/ T spell$//p') - 0x400000)))

# text NAME: starts another instance of tracefs and another reader of usbmon, which record text.
text() {
	local i=$T/instances/$1 event
	echo "p:$1/spell $load:$offset n=%di:u32" >>$T/uprobe_events
	mkdir "$i"
	echo mono >"$i/trace_clock"
	for event in syscalls/sys_enter_nanosleep syscalls/sys_exit_nanosleep; do
		echo 'comm == "branchnumber"' >"$i/events/$event/filter"
		echo 1 >"$i/events/$event/enable"
	done
	echo 1 >"$i/events/$1/spell/enable"
	cat /sys/kernel/debug/usb/usbmon/0u >"$1.usb" &
	cat "$i/trace_pipe" >"$1.trace" &
}

# Reads the disk gently: the kernel keeps a hundred lines of usbmon's text.
reading() {
	exec /usr/bin/python3 - "/dev/$(disks | head -1)" <<'END'
import mmap, os, sys, time
disk, memory = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
while True:
    os.preadv(disk, [memory], 0)
    time.sleep(0.02)
END
}

# holds N: whether the recorder has written N files.
holds() {
	[ "$(grep -c ' holds ' "$LAB_KEEP/said")" = "$1" ]
}

mkfifo go
bash -c 'read -r _ <go; exec "$@"' - "$load" 60000 >out &
traced=$!
text first
trawl --ring 32m --after 100ms -w ring.trawl -p $traced -i usb -i branch:kmod-step \
	-i "uprobe:$load:spell n=%di:u32" \
	-i event:syscalls:sys_enter_nanosleep -i event:syscalls:sys_exit_nanosleep \
	-i 'eprobe:on/begin=syscalls.sys_enter_nanosleep $rqtp' \
	-i 'eprobe:on/end=syscalls.sys_enter_nanosleep $rqtp at-exit' \
	-i 'synth:slept=syscalls.sys_enter_nanosleep,syscalls.sys_exit_nanosleep key=common_pid' \
	2>"$LAB_KEEP/said" &
pid=$!
wait_for grep -q newest "$LAB_KEEP/said"
ok $? "USB, branches, probes, events and what is made of events, in one flight recorder"
text last
echo >go
reading &
reader=$!
for turn in 1 2 3; do
	sleep 0.5
	kill -STOP $pid
	sleep 2
	kill -USR1 $pid
	kill -CONT $pid
	wait_for holds $turn
done
sleep 0.5
kill -USR1 $pid
wait_for holds 4
ok $? "stopped for two seconds three times, it writes each time, and once at the end"
kill $reader $traced
wait $pid
ok $? "and ends with the task"
kill $(jobs -p) 2>/dev/null
sed 's/^/# /' "$LAB_KEEP/said"
objdump -d "$load" >load.objdump
cp ring*.trawl first.* last.* load.objdump "$LAB_KEEP/"
for name in first last; do
	echo 0 >$T/instances/$name/events/enable
	rmdir $T/instances/$name
	echo "-:$name/spell" >>$T/uprobe_events
done
rmmod trawl
tap_done
