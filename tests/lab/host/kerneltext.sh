# SPDX-License-Identifier: MIT
exec /usr/bin/python3 "$TRAWL_SRC/tests/cli/kerneltext.py" compare .
