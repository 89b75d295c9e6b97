# SPDX-License-Identifier: MIT
# The lab's tests on Debian's 6.1 kernel.
exec "$TRAWL_SRC/tests/lab/run" 6.1
