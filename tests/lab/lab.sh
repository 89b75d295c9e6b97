# SPDX-License-Identifier: MIT
# Shared by the guest tests. The lab's USB devices, by port path and product:
#
#	bus of xhci (USB 3 and 2)	disk (SuperSpeed) port 1; hub port 2 with the keyboard at
#					2.1; serial adapter port 3; audio port 4
#	bus of ehci (USB 2)		tablet port 1; a second disk, port 2

# host COMMAND...: passes the command to QEMU's monitor ("device_add usb-mouse,id=m", "sendkey a",
# or one line of QMP that begins with a brace). Prints the answer; fails if the command failed.
host() {
	local port answer fd status
	for port in /sys/class/virtio-ports/*; do
		[ "$(cat "$port/name")" = trawl.host ] && break
	done
	exec {fd}<>"/dev/${port##*/}" || return 1
	printf '%s\n' "$*" >&$fd
	read -r -t 20 -u $fd status answer
	exec {fd}>&-
	[ -z "$answer" ] || printf '%s\n' "$answer"
	[ "$status" = ok ]
}

T=/sys/kernel/tracing

# leftovers: prints how much of trawl is in tracefs.
leftovers() {
	grep -c trawl_ $T/dynamic_events
	ls $T/instances
}

# decoded FILE [OPTION...]: prints the events as JSON lines.
decoded() {
	trawl-decode --json "$@"
}

# wait_for COMMAND...: waits until the command succeeds. Fails after a minute, which is long even
# for a guest on a busy machine.
wait_for() {
	local tries=600
	until "$@" >/dev/null 2>&1; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

# usb_device VID:PID: prints the sysfs folders of the devices with these ids, one a line. Does not
# fork: it is called in loops, and a fork takes 20 ms under emulation.
usb_device() {
	local d vid pid status=1
	for d in /sys/bus/usb/devices/*; do
		{ read -r vid <"$d/idVendor" && read -r pid <"$d/idProduct"; } 2>/dev/null ||
			continue
		[ "$vid:$pid" = "$1" ] || continue
		echo "$d"
		status=0
	done
	return $status
}

# usb_count VID:PID N: whether there are N such devices.
usb_count() {
	local list
	mapfile -t list < <(usb_device "$1")
	[ ${#list[@]} -eq "$2" ]
}

# The ids of the devices that QEMU emulates.
DISK=46f4:0001 KEYBOARD=0627:0001 SERIAL=0403:6001 AUDIO=46f4:0002 HUB=0409:55aa

# disks: prints the block devices of both USB disks, in the order of their buses.
disks() {
	local d
	for d in /sys/bus/usb/devices/*/*/host*/target*/*/block/sd?; do
		[ -e "$d" ] && echo "${d##*/}"
	done
}

usb_disks_ready() {
	local list
	mapfile -t list < <(disks)
	[ ${#list[@]} -eq 2 ]
}

# usb_settled: waits for all devices, which appear some time after the driver of their bus.
usb_settled() {
	wait_for usb_disks_ready && wait_for usb_count $KEYBOARD 2 &&
		wait_for usb_count $SERIAL 1 && wait_for usb_count $AUDIO 1
}

# gadget NAME FUNCTION VID:PID [ATTRIBUTE=VALUE...]: plugs a gadget with this configfs function
# ("SourceSink.0", "acm.0") into dummy_hcd's bus, on the device side of this same kernel.
gadget() {
	local g=/sys/kernel/config/usb_gadget/$1 attribute
	modprobe -a libcomposite dummy_hcd || return 1
	mkdir -p "$g/strings/0x409" "$g/functions/$2" "$g/configs/c.1" || return 1
	echo "0x${3%:*}" >"$g/idVendor"
	echo "0x${3#*:}" >"$g/idProduct"
	echo "$1" >"$g/strings/0x409/product"
	for attribute in "${@:4}"; do
		echo "${attribute#*=}" >"$g/functions/$2/${attribute%%=*}" || return 1
	done
	ln -s "$g/functions/$2" "$g/configs/c.1/"
	echo dummy_udc.0 >"$g/UDC" && wait_for usb_device "$3" >/dev/null
}

# gadget_gone NAME: unplugs the gadget and removes it from configfs.
gadget_gone() {
	local g=/sys/kernel/config/usb_gadget/$1
	echo >"$g/UDC"
	find "$g/configs/c.1" -maxdepth 1 -type l -delete
	rmdir "$g/configs/c.1" "$g"/functions/* "$g/strings/0x409" "$g"
}

# start NAME COMMAND...: runs the command in the background with its messages in NAME.log; its pid
# is in the variable pid_NAME.
start() {
	local name=$1
	shift
	"$@" >"$name.out" 2>"$name.log" </dev/null &
	declare -g "pid_$name=$!"
}

# finish NAME [SIGNAL]: ends what start began (by SIGTERM) and returns its exit status.
finish() {
	local pid=pid_$1
	kill -"${2:-TERM}" "${!pid}" 2>/dev/null
	wait "${!pid}"
}

# record NAME FILTER...: starts trawl on USB, into NAME.trawl, and waits until it records. Options
# may be in the array record_options.
record() {
	local name=$1 filter args=()
	shift
	for filter in "$@"; do
		args+=(-i "usb${filter:+:$filter}")
	done
	start "$name" trawl "${record_options[@]}" "${args[@]}" -w "$name.trawl"
	wait_for grep -q 'capturing to' "$name.log"
}

# usb_address VID:PID N: prints BUS:DEV of the N-th such device.
usb_address() {
	local list bus dev
	mapfile -t list < <(usb_device "$1")
	read -r bus <"${list[$2 - 1]}/busnum" && read -r dev <"${list[$2 - 1]}/devnum" &&
		echo "$bus:$dev"
}

# disk_reads DISK: whether the disk's number of reads has grown since an earlier call.
disk_reads() {
	local now before=reads_$1
	read -r now _ <"/sys/block/$1/stat"
	[ -n "${!before}" ] && [ "$now" -gt "${!before}" ] && return
	declare -g "$before=$now"
	return 1
}

# unplugged_in_transfer: reads the disk on ehci's bus, unplugs it and plugs it in again, until it
# was unplugged during a transfer, which is a matter of luck. The kernel's text shows it at once.
# The reader's messages are in dd.log.
unplugged_in_transfer() {
	local disk text reader hit=1 tries=20
	cat /sys/kernel/debug/usb/usbmon/3u >bus3.txt &
	text=$!
	while [ $hit -ne 0 ] && [ $((tries -= 1)) -ge 0 ]; do
		mapfile -t disk < <(disks)
		dd if="/dev/${disk[1]}" of=/dev/null bs=64k iflag=direct status=none 2>dd.log &
		reader=$!
		wait_for disk_reads "${disk[1]}"
		host device_del disk-ehci >/dev/null
		wait $reader
		# EPROTO, EILSEQ, ENODEV, ESHUTDOWN
		grep -Eq ' C B[io]:3:[0-9]+:[0-9]+ -(71|84|19|108) ' bus3.txt
		hit=$?
		host device_add \
			usb-storage,bus=ehci.0,port=2,drive=disk1,serial=TRAWL0002,id=disk-ehci \
			>/dev/null
		usb_settled
	done
	kill $text
	return $hit
}

# disk_of DEVICE: prints the name of the block device of a USB device (its folder in sysfs).
disk_of() {
	local d
	for d in "$1"/*/host*/target*/*/block/sd?; do
		[ -e "$d" ] && echo "${d##*/}" && return
	done
	return 1
}

# said_lost NAME STATUS JSON: tests that the status and the last line in the file `said` are those
# of a capture with losses if a stack in it is marked, and only then.
said_lost() {
	local status=0 lost=0
	if grep -q '"name":"branch:lost"' "$3"; then
		status=1 lost='an unknown number'
	fi
	same "$1: status" $status "$2"
	has "$1: the end says what the stacks say" "$(tail -1 said)" " $lost lost"
}
