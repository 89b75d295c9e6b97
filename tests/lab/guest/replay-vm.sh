# SPDX-License-Identifier: MIT
# kernels: alone
# trawl-replay vm. It runs its own machine, beside this one: the second half,
# tests/lab/host/replay-vm.sh, does all of it. By make replay-long: a third machine at once is too
# much for the tests beside it that keep time.
. "$TRAWL_SRC/tests/tap.sh"
same "trawl-replay vm is none of a guest's processes" "" "$(pidof qemu-system-x86_64)"
tap_done
