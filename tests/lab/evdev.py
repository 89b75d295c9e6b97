# SPDX-License-Identifier: MIT
"""evdev.py NODE SECONDS [LAST]: prints the input events that a program receives in that time:
type, code, value. After the event LAST ("1 28 0") it waits for one more second only. Key
repetition is omitted: the kernel generates it, at a rate that depends on the load."""
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
