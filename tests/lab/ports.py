# SPDX-License-Identifier: MIT
"""Takes every free USB 2 port of vhci_hcd, by devices that never answer, until it is ended."""
import glob
import re
import signal
import socket

VHCI = "/sys/devices/platform/vhci_hcd.0/"
kept = []
for path in glob.glob(VHCI + "status*"):
    with open(path) as f:
        free = re.findall(r"^hs +(\d+) +004", f.read(), re.M)
    for port in free:
        pair = socket.socketpair()
        kept.append(pair)
        with open(VHCI + "attach", "w") as f:
            f.write(f"{int(port)} {pair[1].fileno()} 65537 3")
print(len(kept), "taken", flush=True)
signal.pause()
