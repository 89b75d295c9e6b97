# SPDX-License-Identifier: MIT
# Programs behave the same with and without trawl.ko's steps: tests/kmod/hard.c, which looks for
# signs of them, and programs of the system.
# long: 6.1 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH
insmod "$LAB_MODULES/../kmod/trawl.ko"
ulimit -c 0

# alike NAME COMMAND...: passes if output and status are those without steps.
alike() {
	local name=$1 status
	shift
	"$@" >wanted 2>&1 </dev/null
	status=$?
	kbranch -s 0 -o "$LAB_KEEP/$name.path" -- "$@" >got 2>said </dev/null
	same "$name: the same status under the module" $status $?
	grep -v '^kbranch: ' said >>got
	cmp wanted got
	ok $? "$name: the same output"
	has "$name: every branch arrives" "$(cat said)" 'kbranch: [0-9]{3,} records, 0 lost'
}

for scene in $(hard); do
	alike "$scene" hard "$scene"
done
# from KIND SCENE ADDRESS: prints how many branches of the kind come from the address.
from() {
	awk -v kind="$1" -v at="$3" '$2 == kind && $3 == at' "$LAB_KEEP/$2.path" | wc -l
}
same "a vsyscall that faults is a signal" 1 "$(from 16 wild_vsyscalls ffffffffff600404)"
same "and does not return" 0 "$(from 4 wild_vsyscalls ffffffffff600404)"
same "one that the kernel carries out does, once" "$(hard vsyscalls | grep -cx time)" \
	"$(from 4 vsyscalls ffffffffff600400)"
alike gzip bash -c 'gzip -9 -c </usr/share/common-licenses/BSD | gzip -dc | md5sum'
alike sqlite3 sqlite3 :memory: \
	'create table t(a); insert into t values(3),(1),(2); select group_concat(a) from (select a from t order by a);'
alike "threads of C++" workers
narrow="fast system calls of 32-bit code"
if type -p narrow >/dev/null; then
	alike "$narrow" narrow
	same "$narrow: no signal returns" 0 "$(awk '$2 == 17' "$LAB_KEEP/$narrow.path" | wc -l)"
else
	skip "$narrow" "this compiler makes none"
fi

rmmod trawl
ok $? "the module can be unloaded"
tap_done
