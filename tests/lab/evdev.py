# SPDX-License-Identifier: MIT
"""evdev.py NODE SECONDS [LAST]: the input events that a program gets in that time: type, code,
value. After the event LAST ("1 28 0") only for one second more. A key that is held is repeated by
the kernel, not by the device, and how often depends on the machine: that is left out."""
import os
import select
import struct
import sys
import time

fd = os.open(sys.argv[1], os.O_RDONLY)
last = sys.argv[3] if len(sys.argv) > 3 else None
print("open", flush=True)
end = time.time() + float(sys.argv[2])
while time.time() < end and select.select([fd], [], [], max(0, end - time.time()))[0]:
    try:
        data = os.read(fd, 24 * 64)
    except OSError:
        break
    for i in range(0, len(data), 24):
        kind, code, value = struct.unpack("HHi", data[i + 16:i + 24])
        if (kind, value) in ((1, 2), (0, 1)):  # a repetition, and the end of its report
            continue
        event = f"{kind} {code} {value}"
        print(event, flush=True)
        if event == last:
            end = min(end, time.time() + 1)
