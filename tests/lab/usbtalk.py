# SPDX-License-Identifier: MIT
"""Sessions with USB devices through pyusb: "requests" sends control transfers to a HID device;
"loop" sends data to a loopback gadget and reads it back, with two pending reads; "card" asks a card
reader for its slot, parameters and a command. Prints the answers.

usbtalk.py requests|loop|card VID:PID"""
import struct
import sys
import threading
import time

import usb.core
import usb.util

DEVICE_TO_HOST, HOST_TO_DEVICE = 0xa1, 0x21


def requests(device):
    if device.is_kernel_driver_active(0):
        device.detach_kernel_driver(0)
    usb.util.claim_interface(device, 0)
    device.ctrl_transfer(HOST_TO_DEVICE, 0x0a, 4 << 8, 0)  # SET_IDLE
    print(bytes(device.ctrl_transfer(DEVICE_TO_HOST, 0x02, 0, 0, 1)).hex())  # GET_IDLE
    for _ in range(3):
        print(bytes(device.ctrl_transfer(DEVICE_TO_HOST, 0x01, 0x0100, 0, 8)).hex())  # GET_REPORT
    try:
        device.ctrl_transfer(0xc0, 0x55, 1, 2, 16)
    except usb.core.USBError as e:
        print(f"refused: {e.errno}")
    device.ctrl_transfer(HOST_TO_DEVICE, 0x0a, 0, 0)
    usb.util.release_interface(device, 0)
    usb.util.dispose_resources(device)
    device.attach_kernel_driver(0)


def loop(device):
    into, out = 0x81, 0x01
    for endpoint in device.get_active_configuration()[0, 0]:
        address = endpoint.bEndpointAddress
        into, out = (address, out) if address & 0x80 else (into, address)
    answers = []

    def read():
        answers.append(bytes(device.read(into, 4096, 10000)))
    for first, second in ((b"one" * 10, bytes(range(200))), (b"x" * 511, b"y" * 700)):
        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        time.sleep(0.5)  # until both reads wait at the device
        for message in first, second:
            device.write(out, message, 10000)
        for reader in readers:
            reader.join()
    for answer in sorted(answers, key=len):  # each thread appends when it gets to run
        print(len(answer), answer[:8].hex())
    usb.util.dispose_resources(device)


def card(device):
    """A card reader: the state of its slot, its card's answer to reset, parameters, a command."""
    for interface in device.get_active_configuration():
        if device.is_kernel_driver_active(interface.bInterfaceNumber):
            device.detach_kernel_driver(interface.bInterfaceNumber)
    interface = device.get_active_configuration()[0, 0]
    ends = [e.bEndpointAddress for e in interface if e.bmAttributes & 3 == 2]
    into, out = max(ends), min(ends)
    select = bytes.fromhex("00a4040007a0000000041010")
    for seq, (message, data) in enumerate([(0x65, b""), (0x62, b""), (0x6c, b""), (0x6f, select),
                                           (0x63, b"")]):
        device.write(out, struct.pack("<BIBBBH", message, len(data), 0, seq, 0, 0) + data, 5000)
        print(bytes(device.read(into, 300, 5000)).hex())
    usb.util.dispose_resources(device)


vid, pid = (int(x, 16) for x in sys.argv[2].split(":"))
found = usb.core.find(idVendor=vid, idProduct=pid)
{"requests": requests, "loop": loop, "card": card}[sys.argv[1]](found)
