#!/bin/bash
# SPDX-License-Identifier: MIT
# A real server under load: Debian's PostgreSQL with pgbench. What trawl recorded of its static
# probes is held against the server's own statistics (pg_stat_statements) and against bpftrace's
# counts of the same run; of a capture that a signal ends in the middle of the load, each query has
# all of its probes.
. "$TRAWL_SRC/tests/tap.sh"
PATH=$TRAWL_BUILD:$PATH
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
if [ "$(id -u)" != 0 ] || [ ! -e /sys/kernel/tracing/uprobe_events ]; then
	echo "Bail out! needs root and a kernel with uprobes"
	exit 1
fi
if [ ! -x "$bin/pg_ctl" ] || ! ls "${bin%/bin}"/lib/pg_stat_statements.so >/dev/null ||
	! command -v bpftrace >/dev/null; then
	echo "Bail out! apt-get install postgresql postgresql-contrib bpftrace"
	exit 1
fi
work=$(mktemp -d)
chmod 755 "$work"
mkdir "$work/db"
chown postgres "$work/db"
stop() {
	runuser -u postgres -- "$bin/pg_ctl" -D "$work/db/data" -m immediate stop >/dev/null 2>&1
	rm -rf "$work"
}
trap stop EXIT
cd "$work" || exit 1
as() {
	runuser -u postgres -- "$@"
}
sql() {
	as "$bin/psql" -h "$work/db" -p 54329 -AXqt "$@" postgres
}
# pgbench of four clients, each connection for so many transactions.
load() {
	as "$bin/pgbench" -h "$work/db" -p 54329 -n -c 4 -j 2 "$@" postgres >"$work/load" 2>&1
}
wait_text() { # FILE TEXT
	local n
	for ((n = 0; n < 300; n++)); do
		grep -q "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	return 1
}

as "$bin/initdb" -D db/data -A trust >initdb.log 2>&1 &&
	as "$bin/pg_ctl" -D db/data -w -l db/log -o "-p 54329 -h 127.0.0.1 -k $work/db \
		-c shared_preload_libraries=pg_stat_statements \
		-c autovacuum=off -c max_logical_replication_workers=0" start >start.log 2>&1
ok $? "the server runs"
sql -c 'create extension pg_stat_statements'
as "$bin/pgbench" -h "$work/db" -p 54329 -i -q postgres >/dev/null 2>&1
server=$bin/postgres

# events FILE: "NAME COUNT" of each kind of event.
kinds() {
	trawl-decode --json "$1" | grep -o '"name":"[^"]*"' | sort | uniq -c | sed \
		's/ *\([0-9]*\) "name":"\(.*\)"/\2 \1/'
}

# A whole run of the load lies in the capture, which a signal ends; bpftrace counts beside it: hits
# of our server's processes, because bpftrace records those of every server of this program.
postmaster=$(head -1 "$work/db/data/postmaster.pid")
ours="tracepoint:sched:sched_process_fork /@our[args->parent_pid]/ "
ours+="{ @our[args->child_pid] = 1; } "
ours+="END { clear(@our); } BEGIN { "
for pid in $postmaster $(pgrep -P "$postmaster"); do
	ours+="@our[$pid] = 1; "
done
counted="query__start query__done query__execute__start transaction__start transaction__commit query__plan__done"
for signal in INT TERM; do
	script=$ours'printf("ready\n"); } '
	for name in $counted; do
		script+="usdt:$server:postgresql:$name /@our[pid]/ { @[\"$name\"] = count(); } "
	done
	rm -f bpftrace.out x.trawl said
	sql -c 'select pg_stat_statements_reset()' >/dev/null
	bpftrace -o bpftrace.out -e "$script" 2>bpftrace.err &
	bpftrace=$!
	wait_text bpftrace.out ready
	trawl -i "usdt:$server:query__start arg1:string" -i "usdt:$server:query__*" \
		-i "usdt:$server:transaction__*" -w x.trawl 2>said &
	trawl=$!
	wait_text said 'capturing to'
	load -t 200
	ok $? "SIG$signal: the load has run"
	kill -$signal $trawl
	wait $trawl
	same "SIG$signal: status" 0 $?
	kill -INT $bpftrace
	wait $bpftrace 2>/dev/null
	has "SIG$signal: nothing is lost" "$(cat said)" ', 0 lost'
	sql \
		-c "select calls || ' ' || regexp_replace(query, '^(\S+) (\S+)?.*', '\1 \2')
		from pg_stat_statements \
		where query not like '%pg_stat_statements%'" |
		awk '{ n[$2 " " $3] += $1 } END { for (q in n) print n[q], q }' | sed 's, *$,,' |
		sort >theirs
	trawl-decode --json --name '*query__start' x.trawl | /usr/bin/python3 -c '
import collections, json, sys
n = collections.Counter()
for line in sys.stdin:
    words = json.loads(line)["fields"]["arg1"].rstrip("; ").split()
    n[" ".join(words[:2])] += 1
for query, count in n.items():
    print(count, query)' | sort >ours
	has "SIG$signal: pg_stat_statements has the queries of the load" "$(cat theirs)" \
		'^800 INSERT'
	same "SIG$signal: each statement as often as pg_stat_statements says" "$(cat theirs)" \
		"$(cat ours)"
	for name in $counted; do
		same "SIG$signal: $name as often as bpftrace saw it" \
			"$(sed -n "s/^@\[$name\]: //p" bpftrace.out)" \
			"$(kinds x.trawl | sed -n "s/^postgresql:$name //p")"
	done
done

# All static probes of the server, ended in the middle of the load.
for signal in INT TERM; do
	rm -f all.trawl said enough
	while [ ! -e enough ]; do # a slow machine takes its time to arm
		load -T 4
	done &
	load=$!
	trawl -i "usdt:$server:*" -w all.trawl 2>said &
	trawl=$!
	wait_text said 'capturing to'
	ok $? "SIG$signal: all static probes are recorded under load"
	sleep 2
	kill -$signal $trawl
	wait $trawl
	same "SIG$signal: status" 0 $?
	sed 's/^/# /' said
	touch enough
	wait $load
	trawl-decode --json all.trawl | /usr/bin/python3 \
		"$TRAWL_SRC/tests/postgres/cycles.py" >cycles
	while read -r status text; do
		ok "$status" "SIG$signal: $text"
	done <cycles
done
tap_done
