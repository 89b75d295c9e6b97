/* SPDX-License-Identifier: MIT */
/* The state of the USB decoder, and the details of an item, as shared by the decoder's files. */
#ifndef TRAWL_DECODE_USB_DETAIL_H
#define TRAWL_DECODE_USB_DETAIL_H

#include "decode/base/decoder.h"
#include "decode/usb/msc.h"
#include "decode/usb/control.h"
#include "decode/usb/duplicate.h"
#include "decode/usb/transfer.h"
#include "decode/usb/ahead.h"
#include "decode/usb/device.h"
#include "decode/usb/statistics.h"

struct usb_class; /* decode/usb/class.h */

/* What item.detail points to in every item of the USB decoder. */
struct usb_detail {
	const struct transfer *transfer; /* NULL: the item is a single event (--raw, exports) */
	/* the half of the transfer with the most information, or the single event */
	struct urb urb;
	struct usb_device *device;       /* NULL: the device is unknown */
	/* NULL: the interface is unknown; the same goes for endpoint */
	struct usb_interface *interface;
	const struct usb_endpoint *endpoint;
	/* what decodes the payload; NULL: the payload is printed as bytes */
	const struct usb_class *class;
	bool has_setup;
	/* the rule by which the data is masked; NULL: not masked */
	const char *secret;
	struct control_request setup;
	struct control_target target;
	const uint8_t *data;             /* never NULL */
	uint32_t data_len;
	struct msc_step storage;
	/*
	 * For a message that spans several transfers: number of its bytes in earlier transfers, and
	 * its total length in bytes (0: unknown).
	 */
	uint32_t before, whole;
	bool unsure;                     /* some of its bytes were not recorded: no length counts */
	uint16_t code;                   /* PTP: code of the message's operation; L2CAP: PSM */
	/* bytes of the message so far, if the class keeps them; otherwise NULL */
	const uint8_t *message;
	uint32_t message_len;
	/*
	 * the item is the duplicate of an event, recorded `apart` ns after the original (negative:
	 * before)
	 */
	bool is_second;
	int64_t apart;
	/* two readers recorded the bus, so the halves may come from different readers */
	bool two_readers;
	/*
	 * transfers were left out of the file, and what is shown of this one depends on what was
	 * transferred before it, perhaps by these
	 */
	bool guessed;
	/* usb_made_up if the event is synthesised, otherwise NULL */
	const char *comment;
};

/* comment of synthesised packets, which lets an import recognise and skip them */
extern const char usb_made_up[];

struct usb_state {
	const struct decode_context *ctx;
	struct transfers *transfers;
	struct duplicates *duplicates;
	struct usb_devices devices;
	struct usb_stats *stats;      /* counters for --summary; otherwise NULL */
	struct usb_ahead ahead;
	/* index of the first metadata entry dated after the current event */
	size_t waiting;
	size_t edits_read;            /* index of the first metadata entry not yet looked at */
	bool redacted;                /* bytes of transfers were replaced by zeros */
	bool redacted_ids;            /* container IDs were replaced by zeros */
	bool sparse;                  /* transfers between others were left out */
	const struct trawl_source *source; /* source of the last event */
	const struct trawl_event_type *type; /* and its type */
	/* whether the event types seen last have the field packet_length, indexed by type id */
	struct {
		const struct trawl_event_type *type;
		bool with_length;
	} described[16];
	/* times of the last event: on the timeline, and on its source's own clock */
	uint64_t time, ts;
	uint64_t events;              /* number of events so far */
	struct tree tree;             /* the value tree of the current item; valid if built */
	bool built;                   /* tree holds the current item */
	struct out translated;        /* a macOS packet converted to usbmon's form */
	/* buffers for values and texts that are assembled, used in turn */
	struct out scratch[2];
	unsigned int turn;
};

/* Whether each event is an item; otherwise each transfer is one. */
static inline bool usb_is_raw(const struct usb_state *s)
{
	return s->ctx->options->raw || s->ctx->options->export;
}

#endif
