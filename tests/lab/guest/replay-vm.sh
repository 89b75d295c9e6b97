# SPDX-License-Identifier: MIT
# kernels: alone
# trawl-replay vm runs a machine of its own beside this one, so the second half,
# tests/lab/host/replay-vm.sh, does everything. Only make replay-long runs it: a third machine at
# once would disturb tests that depend on time.
. "$TRAWL_SRC/tests/tap.sh"
same "trawl-replay vm is none of a guest's processes" "" "$(pidof qemu-system-x86_64)"
tap_done
