# SPDX-License-Identifier: MIT
# An ordinary user records: what trawl-access, the udev rule and their group allow, what is missing
# without each of them, and that access can be taken back.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
access=$TRAWL_SRC/setup/trawl-access
target=$TRAWL_BUILD/tests/capture/target
modprobe usbmon
mount -t tracefs nodev $T 2>/dev/null # fails if it is mounted already
groupadd --system trawl && useradd -M -G trawl alice && useradd -M bob
ok $? "a group, a user in it, and one who is not"
chmod 777 .

# as USER COMMAND...: runs the command as the user, with the groups of a login.
as() {
	setpriv --reuid "$1" --regid "$1" --init-groups -- "${@:2}"
}
# usable USER: prints the sources that the user may use by -D.
usable() {
	as "$1" trawl -D --json | jq \
		-r '.[] | select(.usable) | .name | split(":")[0] | split("=")[0]' | sort -u |
		grep -v branch | paste -sd' '
}

same "without any of it: nothing" "" "$(usable alice)"
fails "and the line says what would help" 3 'run trawl as root, or have trawl-access\(8\) let you' \
	as alice trawl -i event:sched:sched_switch -w no.trawl

# Apply the rule as udev would.
sed -n 's/^SUBSYSTEM=="usbmon", GROUP="\([a-z]*\)", MODE="\([0-7]*\)"$/\1 \2/p' \
	"$TRAWL_SRC/setup/70-trawl.rules" >rule
read -r group mode <rule
chgrp "$group" /dev/usbmon* && chmod "$mode" /dev/usbmon*
same "usbmon by its group: USB" "usb" "$(usable alice)"
as alice trawl -q -i usb --duration 300ms -w usb.trawl
ok $? "who is in the group records USB"

# The group alone may only read tracefs, so trawl-access also sets an owner.
mount -o remount,gid="$(getent group trawl | cut -d: -f3)",mode=750 $T
same "tracefs by its group alone: no source" "usb" "$(usable alice)"
ok "$(as alice head -c1 $T/events/sched/sched_switch/format >/dev/null; echo $?)" \
	"but formats are read"

fails "who is not of the group gets no access" 3 'bob: not of group trawl: run .adduser bob trawl' \
	"$access" bob
fails "nor who is not there" 2 'nobody-here: no such user' "$access" nobody-here
fails "nor from somebody else" 3 'only root' as alice "$access" alice
"$access" alice
ok $? "trawl-access alice"
same "then: all of tracefs" "eprobe event synth uprobe usb usdt" "$(usable alice)"
same "for that user alone" "" "$(usable bob)"

as alice trawl -q -i "usdt:$target:hit" -i "uprobe:$target:target_hits" \
	-i event:sched:sched_process_exit \
	-i "eprobe:syscalls.sys_enter_write fd=\$fd" -w all.trawl -- "$target" hits 20 2>all.log
same "probes, events and eprobes: status" 0 $?
sed 's/^/# /' all.log
decoded all.trawl >all.json
same "each hit" 20 "$(grep -c '"name":"target:hit"' all.json)"
ok $(($(grep -c '"name":"target:target_hits"' all.json) != 1)) "the uprobe's"
ok $(($(grep -c 'sched_process_exit' all.json) < 1)) "the event's"
same "the file is the user's" "alice 600" "$(stat -c '%U %a' all.trawl)"
same "nothing is left" "0" "$(leftovers)"
as alice trawl -q -i "usdt:$target:hit" -w killed.trawl \
	-- sh -c 'kill -9 $PPID; sleep 0.2' 2>/dev/null
ok "$(as alice trawl --gc >/dev/null; echo $?)" "what a killed one left the user removes"
same "all of it" "0" "$(leftovers)"

"$access" --undo
ok $? "trawl-access --undo"
same "USB is left" "usb" "$(usable alice)"
same "tracefs is as it was" "root 700 root root root" \
	"$(stat -c '%G %a' $T) $(stat -c %U $T/instances $T/uprobe_events $T/dynamic_events |
		paste -sd' ')"
tap_done
