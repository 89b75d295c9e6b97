/* SPDX-License-Identifier: MIT */
/* The table of decoders: to add one, add its line. */
#include "decode/base/decoder.h"
#include "decode/branch/branch.h"

const struct decoder *const decoders[] = {
	&tracefs_decoder,
	&usb_decoder,
	&bus_decoder,
	&branch_decoder,
	NULL,
};

const struct decoder *decoder_find(const char *kind)
{
	const struct decoder *const *d;

	for (d = decoders; *d; d++)
		if (!strcmp((*d)->kind, kind))
			return *d;
	return &tracefs_decoder;
}
