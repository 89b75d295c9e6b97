/* SPDX-License-Identifier: MIT */
/* Commands and events of Bluetooth controllers. Source: Bluetooth Core 5.3, volume 4, part E. */
#ifndef TRAWL_DECODE_USB_HCI_H
#define TRAWL_DECODE_USB_HCI_H

#include "decode/usb/layout.h"

/* A command (by opcode), event (by code) or LE event (by subevent code). */
struct hci_entry {
	uint16_t code;
	const char *name;
	layout parameters; /* NULL: none are known, or there are none */
	layout answer;     /* of a command: what its Command_Complete has after the opcode */
};

/* NULL: it is not in the list. */
const struct hci_entry *hci_command(uint16_t opcode);
const struct hci_entry *hci_event(uint8_t code);
const struct hci_entry *hci_le_event(uint8_t code);

layout_name_fn hci_name;
bool hci_has_field(const char *name, size_t n);

#endif
