# SPDX-License-Identifier: MIT
# kernels: by-name-only
# The parts of make siege that depend on the kernel or its clocks, in a guest, whose clock may be
# set.
. "$TRAWL_SRC/tests/lab/lab.sh"
export SIEGE_CLOCKS=1 SIEGE_SECONDS=${SIEGE_SECONDS:-20}
# Left out: the parts that read maps and names repeatedly take too long under emulation, and do not
# depend on the kernel.
exec /usr/bin/python3 "$TRAWL_SRC/tests/siege/siege.py" clocks namespaces unmounted killed full \
	tasks steady
