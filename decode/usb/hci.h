/* SPDX-License-Identifier: MIT */
/* Commands and events of Bluetooth controllers. Source: Bluetooth Core 5.3, volume 4, part E. */
#ifndef TRAWL_DECODE_USB_HCI_H
#define TRAWL_DECODE_USB_HCI_H

#include "decode/usb/bytelayout.h"

/* A command (by opcode), an event (by event code) or an LE event (by subevent code). */
struct hci_entry {
	uint16_t code;
	const char *name;
	byte_layout parameters; /* NULL: unknown, or there are none */
	/* commands: the return parameters in Command_Complete, after the opcode */
	byte_layout answer;
};

/* Return NULL if the code is not in the table. */
const struct hci_entry *hci_command(uint16_t opcode);
const struct hci_entry *hci_event(uint8_t code);
const struct hci_entry *hci_le_event(uint8_t code);

/*
 * Returns the layout of these parameters of an answer or event, from the status on, which for the
 * features of a controller depends on their page; l: that in the table.
 */
byte_layout hci_paged(byte_layout l, const uint8_t *p, size_t n);

byte_layout_name_fn hci_name;
bool hci_has_field(const char *name, size_t n);
/* As words() of a class. */
void hci_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
