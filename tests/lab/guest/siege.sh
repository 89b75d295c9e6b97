# SPDX-License-Identifier: MIT
# kernels: by-name-only
# make siege in a guest, whose clock may be set: SIEGE_SECONDS=600 takes a quarter of an hour here.
. "$TRAWL_SRC/tests/lab/lab.sh"
export SIEGE_CLOCKS=1 SIEGE_SECONDS=${SIEGE_SECONDS:-20}
exec /usr/bin/python3 "$TRAWL_SRC/tests/siege/siege.py"
