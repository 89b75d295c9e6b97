# SPDX-License-Identifier: MIT
# kernels: 6.12
# trawl-replay vm. It runs its own machine, beside this one: the second half, tests/lab/host/replay-vm.sh, does all of it.
. "$TRAWL_SRC/tests/tap.sh"
same "trawl-replay vm is none of a guest's processes" "" "$(pidof qemu-system-x86_64)"
tap_done
