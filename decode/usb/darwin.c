/* SPDX-License-Identifier: MIT */
#include "decode/usb/darwin.h"
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/status.h"

#include <string.h>

enum { HEADER = 32, SETUP_SIZE = 8 };
enum { REQUEST_SUBMIT, REQUEST_COMPLETE };

/* Codes from IOReturn.h and USB.h of macOS, with the errno that Linux reports in the same case. */
static const struct {
	uint32_t code;
	int32_t status;
	const char *name;
} statuses[] = {
	{0x00000000, 0, "ReturnSuccess"},
	{0xe00002bc, -5, "ReturnError"},
	{0xe00002bd, -12, "ReturnNoMemory"},
	{0xe00002be, -12, "ReturnNoResources"},
	{0xe00002c0, -19, "ReturnNoDevice"},
	{0xe00002c2, -22, "ReturnBadArgument"},
	{0xe00002c7, -22, "ReturnUnsupported"},
	{0xe00002ca, -5, "ReturnIOError"},
	{0xe00002cd, -5, "ReturnNotOpen"},
	{0xe00002d5, -16, "ReturnBusy"},
	{0xe00002d6, -110, "ReturnTimeout"},
	{0xe00002d7, -108, "ReturnOffline"},
	{0xe00002d8, -5, "ReturnNotReady"},
	{0xe00002d9, -19, "ReturnNotAttached"},
	{0xe00002e1, -90, "ReturnMessageTooLarge"},
	{0xe00002e7, -121, "ReturnUnderrun"},
	{0xe00002e8, -75, "ReturnOverrun"},
	{0xe00002e9, -71, "ReturnDeviceError"},
	{0xe00002eb, -2, "ReturnAborted"},
	{0xe00002ec, -28, "ReturnNoBandwidth"},
	{0xe00002ed, -62, "ReturnNotResponding"},
	{0xe00002ee, -18, "ReturnIsoTooOld"},
	{0xe00002ef, -27, "ReturnIsoTooNew"},
	{0xe0004001, -84, "USBCRCErr"},
	{0xe0004002, -71, "USBBitstufErr"},
	{0xe0004003, -71, "USBDataToggleErr"},
	{0xe0004006, -71, "USBPIDCheckErr"},
	{0xe0004007, -71, "USBWrongPIDErr"},
	{0xe000400c, -70, "USBBufferOverrunErr"},
	{0xe000400d, -63, "USBBufferUnderrunErr"},
	{0xe0004010, -71, "USBLinkErr"},
	{0xe000404f, -32, "USBPipeStalled"},
	{0xe0004051, -110, "USBTransactionTimeout"},
};

#define STATUSES ARRAY_SIZE(statuses)

const char *darwin_status_name(uint32_t status)
{
	for (size_t i = 0; i < STATUSES; i++)
		if (statuses[i].code == status)
			return statuses[i].name;
	return NULL;
}

void darwin_status_words(decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < STATUSES; i++)
		fn(arg, statuses[i].name);
}

static int32_t errno_of(uint32_t status)
{
	for (size_t i = 0; i < STATUSES; i++)
		if (statuses[i].code == status)
			return statuses[i].status;
	return -5;
}

const char *darwin_speed_name(uint8_t speed)
{
	static const char *const names[] = {"low", "full", "high", "super", "super-plus"};

	return speed < ARRAY_SIZE(names) ? names[speed] : NULL;
}

/*
 * The completion carries the data of both directions; only the setup packet is recorded with the
 * submission.
 */
static void submission(struct urb *u, const uint8_t *p, size_t n, const uint8_t **data)
{
	u->type = 'S';
	u->status = USB_IN_PROGRESS;
	if (u->xfer == URB_CONTROL && n >= SETUP_SIZE) {
		u->flag_setup = URB_FLAG_PRESENT;
		memcpy(u->setup, p, SETUP_SIZE);
		p += SETUP_SIZE;
		n -= SETUP_SIZE;
	}
	*data = p;
	u->captured = (uint32_t)n;
	if (!n)
		u->flag_data = '<';
}

static void completion(struct urb *u, uint32_t status, size_t n)
{
	u->type = 'C';
	u->status = errno_of(status);
	u->captured = (uint32_t)n;
}

static void put(struct urb *u, const uint8_t *data, struct out *out)
{
	uint8_t header[URB_HEADER] = {0};

	urb_header(u, header);
	out->len = 0;
	out_bytes(out, header, sizeof(header));
	out_bytes(out, data, u->captured);
}

void darwin_record(const uint8_t *p, size_t n, uint32_t length, struct out *out,
		   struct darwin_fields *f)
{
	static const uint8_t xfers[] = {URB_CONTROL, URB_ISO, URB_BULK, URB_INTERRUPT};
	struct urb u = {.type = 'P', .flag_setup = '-', .length = length, .captured = (uint32_t)n};
	const uint8_t *data = p;

	*f = (struct darwin_fields){0};
	if (n >= HEADER && p[2] >= HEADER && p[2] <= n && p[3] <= REQUEST_COMPLETE &&
	    p[31] < sizeof(xfers)) {
		*f = (struct darwin_fields){get32(p + 8), get32(p + 24), p[28]};
		u.id = get64(p + 16);
		u.xfer = xfers[p[31]];
		u.endpoint = p[30];
		u.device = p[29];
		/* the highest byte of the location is the number of the controller */
		u.bus = p[27];
		u.length = get32(p + 4);
		u.iso_packets = (int32_t)get32(p + 12);
		data = p + p[2];
		if (p[3] == REQUEST_SUBMIT)
			submission(&u, data, n - p[2], &data);
		else
			completion(&u, f->io_status, n - p[2]);
	}
	put(&u, data, out);
}
