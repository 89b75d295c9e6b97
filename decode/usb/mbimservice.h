/* SPDX-License-Identifier: MIT */
/*
 * The services of MBIM, their commands, and the structures of the commands' information buffers.
 * Sources: MBIM 1.0 (chapter 10), Microsoft's MBIM extensions 1.0 to 3.0.
 */
#ifndef TRAWL_DECODE_USB_MBIMSERVICE_H
#define TRAWL_DECODE_USB_MBIMSERVICE_H

#include "decode/usb/mbimfield.h"

/* A command's structures; NULL: the message has no information, or it is unknown. */
struct mbim_command {
	const char *name;
	/* what the host asks for, what it sets, and what the device answers */
	const struct mbim_field *query, *set, *answer;
	const struct mbim_field *indication; /* what the device indicates; NULL: as an answer */
	/* the same in a later version, if it has other fields before those of MBIM 1.0 */
	const struct mbim_field *later_set, *later_answer;
};

struct mbim_service {
	const char *uuid, *name;
	const struct mbim_command *commands; /* indexed by number */
	size_t ncommands;
};

/* The service with these 16 bytes as UUID. NULL: it is unknown. */
const struct mbim_service *mbim_service_of(const uint8_t *uuid);
/* v may be NULL. NULL: the command is unknown. */
const struct mbim_command *mbim_command_of(const struct mbim_service *v, uint32_t number);

/* Whether some structure has a member of this name, of n bytes. */
bool mbim_services_have(const char *name, size_t n);
/* As words() of a class. */
void mbim_services_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
