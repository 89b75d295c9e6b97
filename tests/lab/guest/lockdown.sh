# SPDX-License-Identifier: MIT
# machine: lockdown
# A locked-down kernel, as by lockdown= or secure boot: "integrity" allows recording of branches,
# "confidentiality" forbids tracing and trawl.ko. A recorder that opened the device before
# continues.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH
lockdown=/sys/kernel/security/lockdown
module=$LAB_MODULES/../kmod/trawl.ko
mount -t securityfs securityfs /sys/kernel/security
has "not locked down yet" "$(cat $lockdown)" '\[none\]'
insmod "$module"
echo integrity >$lockdown
kbranch -q -- /bin/true 2>said
ok $? "integrity: branches are recorded: $(cat said)"
fails "integrity: an unsigned module is refused" 1 "not permitted|rejected" \
	insmod "$LAB_MODULES/../khandler/histogram.ko"

sleep 100 &
kbranch -p $! -q -t 3 2>said &
before=$!
sleep 1
echo confidentiality >$lockdown
fails "confidentiality: the device can't be opened" 3 '/dev/trawl: Operation not permitted' \
	kbranch -- /bin/true
has "confidentiality" "$(cat $lockdown)" '\[confidentiality\]'
why='locked down \(confidentiality\): boot it without lockdown='
listed=$(trawl -D branch)
for how in kmod-step kmod-lbr; do
	has "branch:$how: -D says why" "$listed" "branch:$how:.*$why"
done
fails "and so does -i branch:kmod-step" 3 "$why" trawl -i branch:kmod-step -w x.trawl -- true
fails "and -i event" 3 "$why" trawl -i event:sched:sched_switch -w x.trawl -- true
trawl -q -i branch:ptrace -w p.trawl -- "$TRAWL_BUILD/samples/branches" x
ok $? "ptrace needs neither"
trawl --ring 1m -i branch:ptrace -w c.trawl -- "$TRAWL_BUILD/samples/branches" x 2>said
ok $? "nor does --ring, which has no events of tasks then"
has "it waited for a trigger" "$(cat said)" 'no trigger: nothing was written'
trawl -q -i branch:perf-lbr -w l.trawl -- "$TRAWL_BUILD/tests/lab/branchload" 20000
ok $? "perf shows no one the kernel by branches of user code: it is let"
wait $before
ok $? "who had it open goes on"
kill %1
rmmod trawl
ok $? "the module can be unloaded"
has "it could only be loaded with a signature: -D says that" "$(trawl -D branch)" \
	'branch:kmod-step: there is no /dev/trawl: .*; this kernel loads signed modules only \(secure boot\): see trawl.ko\(4\)'
tap_done
