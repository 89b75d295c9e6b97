# SPDX-License-Identifier: MIT
# kernels: 6.12
# machine: asleep
# long: 6.12
# The machine sleeps (ACPI S3) during a capture: CLOCK_MONOTONIC, the clock of the timeline, stops,
# CLOCK_REALTIME goes on. Another capture begins after that, when CLOCK_BOOTTIME is ahead. The
# second half checks the times.
#
# All that runs over the sleep is copied to memory. The results are kept through a second 9p device,
# which gets its driver only after the machine has woken up.
root=/run/awake
mkdir -p $root/{bin,dev,proc,sys,tmp,lab,root}
cp "$(command -v bash)" "$(command -v date)" "$(command -v busybox)" \
	"$(command -v trawl)" $root/bin/
ldd $root/bin/{bash,date,trawl} | grep -o '/[^ :)]*' | sort -u | while read -r lib; do
	[ -f "$lib" ] && mkdir -p "$root${lib%/*}" && cp -Ln "$lib" "$root$lib"
done
for d in dev proc sys; do
	mount --rbind /$d $root/$d
done
modprobe -a usbmon 9pnet_virtio

cat >$root/test.sh <<'END'
cd /tmp
sleep() { busybox sleep "$1"; }
# mark NAME STEPS: reads from the disk, and writes down the wall clock before and after.
mark() {
	local from to
	from=$(date +%s%N)
	busybox dd if=/dev/$disk of=/dev/null bs=64k count=4 skip="$((skip += 8))" 2>/dev/null
	to=$(date +%s%N)
	echo "$1 $2 $from $to" >>"$marks"
}
# begin NAME: starts a capture.
begin() {
	trawl -w "$1.trawl" -i usb -i event:sched:sched_process_exec \
		-i event:xhci-hcd:xhci_urb_enqueue \
		-i event:xhci-hcd:xhci_urb_giveback 2>said.$1 &
	trawl=$! marks=marks.$1
	until busybox grep -q 'capturing to' said.$1; do
		sleep 0.2
	done
}
begin suspend
mark before 0
sleep 1.3
echo 0 >/sys/class/rtc/rtc0/wakealarm
# A slow machine must be asleep before the alarm, which would else wake nothing.
echo +25 >/sys/class/rtc/rtc0/wakealarm
echo mem >/sys/power/state
status=$?
mark woken 1
sleep 2.5
mark after 1
kill -INT $trawl
wait $trawl
ended=$?
begin late
mark late 0
sleep 1.2
kill -INT $trawl
wait $trawl || ended=$?
echo "ok 1 - the machine sleeps and wakes, the captures are whole" >tap
[ $status = 0 ] && [ $ended = 0 ] || busybox sed -i 's/^/not /' tap
echo 1..1 >>tap

echo 0000:00:1e.0 >/sys/bus/pci/drivers/virtio-pci/bind
until busybox mount -t 9p -o trans=virtio,version=9p2000.L after /lab; do
	sleep 0.2
done
busybox cp ./*.trawl marks.* said.* /lab/suspend/
busybox cp tap /lab/suspend.tap
echo "0 0" >/lab/suspend.status
busybox dmesg >"/lab/guests/$LAB_GUEST/dmesg"
: >"/lab/guests/$LAB_GUEST/ended"
busybox sync
busybox poweroff -f
END
disk=$(. "$TRAWL_SRC/tests/lab/lab.sh" && disks | head -1)
echo 0000:00:1e.0 >/sys/bus/pci/drivers/virtio-pci/unbind
exec env disk="$disk" LC_ALL=C chroot $root /bin/bash /test.sh
