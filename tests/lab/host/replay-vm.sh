# SPDX-License-Identifier: MIT
# trawl-replay vm: the lab's kernel gets a recorded device in a machine of its own. The exit
# statuses tell a driver from the same driver with a fault, as git bisect run needs them.
. "$TRAWL_SRC/tests/tap.sh"
lab=$(readlink -f "$LAB_KEEP/../..")
"$TRAWL_SRC/tests/replay/module/build" "$lab" modules || exit 3
/usr/bin/python3 "$TRAWL_SRC/tests/replay/planteddevice.py" planted.pcap

# vm NAME OPTION...: runs trawl-replay vm; its status is in $status, its output in NAME.out.
vm() {
	local name=$1
	shift
	trawl-replay vm --accel tcg --kernel "$lab/kernel" --speed 0 --settle 500ms \
		"$@" >"$name.out" 2>"$name.err" </dev/null
	status=$?
	sed 's/^/# /' "$name.out" "$name.err"
	return $status
}

vm wrong --modules "$lab/modules" --module modules/planted1.ko planted.pcap &
wrong=$!
vm good --modules "$lab/modules" --module modules/planted0.ko planted.pcap -- \
	sh -c 'dmesg | grep "planted: 6 values" && [ "$(cat $TRAWL_DEVICE/idVendor)" = 1209 ]'
same "a driver that works, by a CHECK" 0 $status
has "its output is shown" "$(cat good.out)" 'planted: 6 values'
has "the driver has bound" "$(cat good.out)" 'drivers: .*:1.0 planted'
wait $wrong
same "a driver with a fault: status 1" 1 $?
has "the first difference of a faulty driver is reported" "$(cat wrong.out)" \
	'^first difference: .*vendor request'
tap_done
