# kernels: none
. "$TRAWL_SRC/tests/tap.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"
load=$TRAWL_BUILD/tests/lab/branchload
trawl -D branch 2>&1 | sed 's/^/# /'
for b in kmod-step perf-bts intel-bts perf-lbr kmod-lbr; do
	trawl -i branch:$b -w $b.trawl -- $load 300 >out 2>&1; echo "# $b $?"; sed 's/^/#   /' out
	trawl-decode --json $b.trawl > $b.json 2>err; sed 's/^/#  e /' err | head -5
	wc -l $b.json | sed 's/^/# /'; head -c 600 $b.json | sed 's/^/# /'; echo
done
cp *.json *.trawl $LAB_KEEP
trawl --self-test branch 2>&1 | sed 's/^/# st /'
dmesg | tail -5 | sed 's/^/# /'
echo "ok 1 - x"; echo 1..1
