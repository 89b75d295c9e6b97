#!/bin/bash
# SPDX-License-Identifier: MIT
# trawl beside tcpdump on a USB gadget at the fastest rate that emulation gives, in a guest of the
# lab: both at once, and each alone in turns. CPU time an event, losses, sizes of files. Some
# minutes, and not part of `make bench`: what it says is of an emulated processor. In the guest's
# memory there is room for what tcpdump writes in 45 s.
#
#	tests/bench/usbload.sh [SECONDS [SERIES]]	of each load, of the guest's kernel
src=${TRAWL_SRC:-$(dirname "$(readlink -f "$0")")/../..}
LAB_MEMORY=12G LAB_LOAD_SECONDS=${1:-30} LAB_LIMIT=$((300 + 11 * ${1:-30})) exec \
	"$src/tests/lab/run" "${2:-6.12}" usb-load
