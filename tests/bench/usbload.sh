#!/bin/bash
# SPDX-License-Identifier: MIT
# trawl beside tcpdump on a USB gadget at the fastest rate that emulation gives, in a guest of the
# lab: both at once, and each alone in turns. Prints CPU time an event, losses and sizes of files.
# Takes some minutes. It is no part of `make bench`, because the processor is emulated. The guest's
# memory has room for what tcpdump writes in 45 s.
#
#	tests/bench/usbload.sh [SECONDS OF EACH LOAD [SERIES OF THE GUEST'S KERNEL]]
src=${TRAWL_SRC:-$(dirname "$(readlink -f "$0")")/../..}
LAB_MEMORY=12G LAB_LOAD_SECONDS=${1:-30} LAB_LIMIT=$((300 + 11 * ${1:-30})) exec \
	"$src/tests/lab/run" "${2:-6.12}" usb-load
