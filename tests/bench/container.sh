#!/bin/bash
# SPDX-License-Identifier: MIT
# Benchmark of the container: records system calls, scheduler and timers of a mixed load in an
# instance of tracefs, then writes the same events in three ways (tests/bench/container.c).
#
#	container.sh [DIRECTORY]	keep the recording, or use the one that is there
set -u
bin=${TRAWL_BUILD:-.}/tests/bench/container
tracing=/sys/kernel/tracing
instance=$tracing/instances/trawl_bench_$$
dir=${1:-$(mktemp -d)}

clean() {
	[ -d "$instance" ] && { echo 0 >"$instance/events/enable"; rmdir "$instance"; }
	[ $# -gt 0 ] || [ -n "${keep-}" ] || rm -rf "$dir"
}
keep=${1:+yes}
trap clean EXIT

if [ ! -d "$tracing/events" ] || [ "$(id -u)" != 0 ]; then
	echo "container: no root or no $tracing: nothing was measured"
	exit 3
fi

# The load: small reads, a compiler, a pipe between threads, short sleeps and a walk over files, all
# at the same time.
load() {
	find /usr/include /usr/lib -type f 2>/dev/null | head -3000 | xargs wc -c >/dev/null &
	(for _ in 1 2 3 4 5 6; do echo 'int main(void) { return 0; }' |
			cc -xc -O1 -o /dev/null -; done) &
	/usr/bin/python3 - <<-'PY' &
	import os, threading, time
	r, w = os.pipe()
	def reader():
	    for _ in range(15000): os.read(r, 64)
	def writer():
	    for _ in range(15000): os.write(w, b'x' * 64)
	def sleeper():
	    for _ in range(1500): time.sleep(0.001)
	threads = [threading.Thread(target=f) for f in (reader, writer, sleeper)]
	[t.start() for t in threads]
	[t.join() for t in threads]
	PY
	dd if=/dev/zero of=/dev/null bs=512 count=20000 2>/dev/null &
	tar cf - /usr/share/doc 2>/dev/null | gzip -1 >/dev/null &
	wait
}

record() {
	mkdir "$instance" || exit 3
	echo mono >"$instance/trace_clock"
	echo 131072 >"$instance/buffer_size_kb"
	for group in raw_syscalls sched timer; do
		echo 1 >"$instance/events/$group/enable"
	done
	load
	load
	load
	echo 0 >"$instance/tracing_on"
	mkdir -p "$dir/formats"
	cp "$instance/events/header_page" "$dir/header_page"
	for group in raw_syscalls sched timer; do
		for event in "$instance/events/$group"/*/format; do
			event=${event%/format}
			cp "$event/format" "$dir/formats/$group:${event##*/}"
		done
	done
	for cpu in "$instance"/per_cpu/cpu*; do
		dd if="$cpu/trace_pipe_raw" of="$dir/${cpu##*/}.raw" bs=4096 \
			iflag=nonblock 2>/dev/null
	done
}

[ -f "$dir/header_page" ] || record
"$bin" "$dir" 5
