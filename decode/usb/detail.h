/* SPDX-License-Identifier: MIT */
/* What the files of the USB decoder share: its state, and what an item says beyond its text. */
#ifndef TRAWL_DECODE_USB_DETAIL_H
#define TRAWL_DECODE_USB_DETAIL_H

#include "decode/base/decoder.h"
#include "decode/usb/msc.h"
#include "decode/usb/control.h"
#include "decode/usb/transfer.h"
#include "decode/usb/ahead.h"
#include "decode/usb/device.h"
#include "decode/usb/statistics.h"

struct usb_class; /* decode/usb/class.h */

/* item.detail of every item. */
struct usb_detail {
	const struct transfer *transfer; /* NULL: a single event (--raw) */
	struct urb urb;                  /* the half that says most, or the event */
	struct usb_device *device;       /* NULL: nothing is known of it */
	struct usb_interface *interface; /* likewise */
	const struct usb_endpoint *endpoint;
	const struct usb_class *class;   /* what the payload means; NULL: it is bytes */
	bool has_setup;
	const char *secret;              /* the rule by which the data is masked; NULL: it is not */
	struct control_request setup;
	struct control_target target;
	const uint8_t *data;             /* never NULL */
	uint32_t data_len;
	struct msc_step storage;
	/* Of a message in several transfers: its bytes before this one, and in all (0: not
	 * known). */
	uint32_t before, whole;
	uint16_t code;                   /* of the message, in PTP */
	const uint8_t *message;          /* its bytes so far, where they are kept; else NULL */
	uint32_t message_len;
	const char *comment;             /* of a synthesised event: usb_made_up; else NULL */
};

extern const char usb_made_up[]; /* by which an import knows such packets again */

struct usb_state {
	const struct decode_context *ctx;
	struct transfers *transfers;
	struct usb_devices devices;
	struct usb_stats *stats;      /* for --summary; else NULL */
	struct usb_ahead ahead;
	size_t waiting;               /* the first piece of metadata that is not yet true */
	const struct trawl_source *source; /* of the last event */
	uint64_t time, ts;            /* of the last event */
	uint64_t events;              /* how many there were */
	struct tree tree;             /* of the item at hand */
	bool built;                   /* tree holds it */
	struct out translated;        /* a record of macOS in usbmon's form */
	struct out scratch[2];        /* for values and texts that are put together */
	unsigned int turn;
};

/* Whether each event is an item, or each transfer. */
static inline bool usb_is_raw(const struct usb_state *s)
{
	return s->ctx->options->raw || s->ctx->options->export;
}

#endif
