# SPDX-License-Identifier: MIT
TEST_REPLAY = tests/replay/device.py tests/replay/stream.py tests/replay/host.py tests/replay/probes.py tests/replay/vm.py
TESTS += $(TEST_REPLAY)
EXTRA_DIST += tests/replay/usbipclient.py tests/replay/planteddevice.py tests/replay/module/planted.c tests/replay/module/build $(TEST_REPLAY)
