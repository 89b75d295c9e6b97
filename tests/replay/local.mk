# SPDX-License-Identifier: MIT
TEST_REPLAY = tests/replay/device.py tests/replay/stream.py tests/replay/host.py tests/replay/probes.py
TESTS += $(TEST_REPLAY)
EXTRA_DIST += tests/replay/usbipclient.py $(TEST_REPLAY)
