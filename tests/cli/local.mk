# SPDX-License-Identifier: MIT
CLI_DECODE = tests/cli/decode.sh tests/cli/decode-bad.sh tests/cli/decode-man.sh \
	tests/cli/export.sh
TESTS += $(CLI_DECODE)
EXTRA_DIST += $(CLI_DECODE)
