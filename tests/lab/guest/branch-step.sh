# SPDX-License-Identifier: MIT
# kernels: 6.12
# long: 6.12
# Branches by trawl.ko: the same branches as by ptrace, with symbols; full traces of real programs
# in less than a byte a branch; -p; -D.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
branches=$TRAWL_BUILD/samples/branches
has "without the module, -D says what to do" "$(trawl -D branch)" \
	'not usable: branch:kmod-step: there is no /dev/trawl: build'
fails "and so does -i" 3 'there is no /dev/trawl: build' trawl -i branch:kmod-step -w x.trawl \
	-- true
insmod "$LAB_MODULES/../kmod/trawl.ko"
ok $? "the module can be loaded"

# list FILE: prints the branches, without addresses of the vdso and the stack, which vary.
list() {
	trawl-decode --json "$1" | sed \
		-n 's/.*"kind":"\([^"]*\)","from":"\([^"]*\)".*"to":"\([^"]*\)".*/\1 \2 \3/p'
}
trawl -q -i branch -w k.trawl -- "$branches" x
same "the program ends as without" 0 $?
trawl -q -i branch:ptrace -w p.trawl -- "$branches" x
# The module begins after the exec of COMMAND, ptrace with it.
list k.trawl | sort >k.txt
list p.trawl | grep -v '^exec ' | sort >p.txt
cmp k.txt p.txt
ok $? "the same $(wc -l <p.txt) branches as through ptrace"
diff k.txt p.txt | head -5 | sed 's/^/# /'
has "with symbols" "$(trawl-decode k.trawl)" 'branch:call\* +_start\+0x[0-9a-f]+ -> direct'
has "by the module" "$(trawl-decode --raw k.trawl)" 'by kmod-step'
trawl -q -i branch -w names.trawl -- sh -c '/bin/true; (exit 3); /bin/true'
same "tasks that have ended when they are read of have their names" "sh true" \
	"$(trawl-decode --json names.trawl | sed -n 's/.*"comm":"\([^"]*\)".*/\1/p' | sort -u | xargs)"
same "and no task has none" 0 "$(trawl-decode --summary names.trawl | grep -c ' ? (')"

# full NAME COMMAND...: records all branches of the command; the second half checks the size.
full() {
	local name=$1 began ended
	shift
	"$@" >wanted 2>/dev/null
	began=$(date +%s%N)
	trawl -q -i branch -w "$name.trawl" -- "$@" >got
	ended=$(date +%s%N)
	cmp wanted got
	ok $? "$name: the same output"
	echo "# $name: $(((ended - began) / 1000000)) ms"
	cp "$name.trawl" "$LAB_KEEP"
	same "$name: none was lost" "" \
		"$(trawl-decode --summary "$name.trawl" | grep 'branches lost')"
}
full gzip gzip -nc /usr/share/common-licenses/GPL-3
full sqlite3 sqlite3 :memory: \
	'create table t(a); insert into t values(3),(1),(2); select sum(a) from t;'
# Only by request: the start of python3 (1,797,072 branches, 0.592 bytes each on 2026-11-22) takes
# the guest a minute.
[ -z "$LAB_FULL" ] || full python3 /usr/bin/python3 -S -c pass

/usr/bin/python3 -S -c 'while True: sum(range(20))' &
busy=$!
sleep 1
trawl -q -i branch -w b.trawl --duration 1s -p $busy
same "-p" 0 $?
has "its branches have names" "$(trawl-decode --counts b.trawl)" 'python3'
ok $(kill -0 $busy; echo $?) "it goes on"
kill $busy
rmmod trawl
ok $? "the module can be unloaded"
tap_done
