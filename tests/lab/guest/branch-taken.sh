# SPDX-License-Identifier: MIT
# Another program uses the processor's branch records with another filter from before the capture:
# perf record -b of user code and kernel. Back ends that need the records say why they cannot have
# them; perf-bts does not need them.
# kernels: 6.12
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
load=$TRAWL_BUILD/tests/lab/branchload
# perf starts its command when its events are enabled.
perf record -q -m 512 -B -N -a -b -e branches -c 100003 -o all.data -- \
	sh -c 'echo >perf.runs; exec sleep 1000' >perf.log 2>&1 &
perf=$!
wait_for test -s perf.runs
ok $? "perf record -b runs"
sed 's/^/# /' perf.log
trawl -D branch >list 2>&1
has "-D says what keeps perf-lbr from the records" "$(cat list)" \
	'not usable: branch:perf-lbr: another program uses the processor'
fails "intel-bts says who has them" 3 'another program uses the processor' \
	trawl -i branch:intel-bts -w no.trawl -- "$load" 300
trawl -i branch:perf-bts -w bts.trawl -- "$load" 300 >load.out 2>said
has "perf-bts has a buffer of its own: it is whole" "$(cat said)" ' 0 lost'
kill -INT $perf
wait $perf
tap_done
