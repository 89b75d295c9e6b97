# SPDX-License-Identifier: MIT
# kernels: by-name-only
# make siege in a guest, whose clock may be set: what needs a kernel, or its clocks.
. "$TRAWL_SRC/tests/lab/lab.sh"
export SIEGE_CLOCKS=1 SIEGE_SECONDS=${SIEGE_SECONDS:-20}
# what looks at maps and names again and again takes too long under emulation, and depends on no
# kernel
exec /usr/bin/python3 "$TRAWL_SRC/tests/siege/siege.py" clocks namespaces unmounted killed full \
	tasks steady
