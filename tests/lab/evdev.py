# SPDX-License-Identifier: MIT
"""evdev.py NODE SECONDS: the input events that a program gets in that time: type, code, value."""
import os
import select
import struct
import sys
import time

fd = os.open(sys.argv[1], os.O_RDONLY)
print("open", flush=True)
end = time.time() + float(sys.argv[2])
while time.time() < end and select.select([fd], [], [], max(0, end - time.time()))[0]:
    try:
        data = os.read(fd, 24 * 64)
    except OSError:
        break
    for i in range(0, len(data), 24):
        print(*struct.unpack("HHi", data[i + 16:i + 24]), flush=True)
