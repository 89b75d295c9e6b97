/* SPDX-License-Identifier: MIT */
/* The table of decoders. A new decoder needs a line here. */
#include "decode/base/decoder.h"
#include "common/usbtypes.h"
#include "decode/branch/branch.h"

const struct decoder *const decoders[] = {
	&tracefs_decoder,
	&usb_decoder,
	&bus_decoder,
	&branch_decoder,
	NULL,
};

const struct decoder *decoder_find(const struct trawl_source *source)
{
	const struct decoder *const *d;

	/*
	 * Packets of macOS are halves of transfers and belong to the USB decoder; bus packets are
	 * not.
	 */
	if (source->linktype == LINKTYPE_USB_DARWIN && !strcmp(source->kind, bus_decoder.kind))
		return &usb_decoder;
	for (d = decoders; *d; d++)
		if (!strcmp((*d)->kind, source->kind))
			return *d;
	return &tracefs_decoder;
}
