/* SPDX-License-Identifier: MIT */
/*
 * Device Firmware Upgrade. Sources: DFU 1.1; for the commands in block 0, ST's application note
 * AN3156.
 */
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/codename.h"

enum { DNLOAD = 1, GETSTATUS = 3, GETSTATE = 5 };

static const char *const states[] = {
	"appIDLE", "appDETACH", "dfuIDLE", "dfuDNLOAD-SYNC", "dfuDNBUSY", "dfuDNLOAD-IDLE",
	"dfuMANIFEST-SYNC", "dfuMANIFEST", "dfuMANIFEST-WAIT-RESET", "dfuUPLOAD-IDLE", "dfuERROR",
};
static const char *const statuses[] = {
	"OK", "errTARGET", "errFILE", "errWRITE", "errERASE", "errCHECK_ERASED", "errPROG",
	"errVERIFY", "errADDRESS", "errNOTDONE", "errFIRMWARE", "errVENDOR", "errUSBR", "errPOR",
	"errUNKNOWN", "errSTALLEDPKT",
};

static const struct code_name st_commands[] = {
	{0x21, "set address"}, {0x41, "erase"}, {0x92, "unprotect"},
};

#define RESERVED "reserved"
#define PICK(list, i) ((i) < ARRAY_SIZE(list) ? (list)[i] : RESERVED)

static bool requested(const struct usb_detail *d)
{
	uint8_t r = d->setup.request;

	return control_kind(&d->setup) == SETUP_CLASS && d->target.class == 0xfe &&
	       d->target.subclass == 0x01 && (r == DNLOAD || r == GETSTATUS || r == GETSTATE);
}

/*
 * Returns the name of the command in block 0 of an ST device, or NULL. Firmware data begins in
 * block 2.
 */
static const char *command(const struct usb_detail *d)
{
	if (d->setup.request != DNLOAD || d->setup.value || d->target.protocol != 2 ||
	    (d->data_len != 5 && d->data_len != 1) || d->target.vendor != 0x0483)
		return NULL;
	return CODE_NAME(st_commands, d->data[0]);
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const uint8_t *p = d->data;

	tree_object(t, "dfu");
	if (d->setup.request == GETSTATUS && d->data_len >= 6) {
		tree_uint(t, "bStatus", p[0]);
		tree_str(t, "status_name", PICK(statuses, p[0]));
		tree_uint(t, "bwPollTimeout", get_le(p + 1, 3));
		tree_uint(t, "bState", p[4]);
		tree_str(t, "state_name", PICK(states, p[4]));
		tree_uint(t, "iString", p[5]);
	} else if (d->setup.request == GETSTATE) {
		tree_uint(t, "bState", p[0]);
		tree_str(t, "state_name", PICK(states, p[0]));
	} else if (command(d)) {
		tree_str(t, "command", command(d));
		if (d->data_len == 5)
			tree_hex(t, "address", get32(p + 1), 8);
	}
	tree_close(t);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const uint8_t *p = d->data;

	if (d->setup.request == GETSTATUS && d->data_len >= 6) {
		out_printf(o, " %s %s, poll in %u ms", PICK(statuses, p[0]), PICK(states, p[4]),
			   (unsigned int)get_le(p + 1, 3));
		return true;
	}
	if (d->setup.request == GETSTATE) {
		out_printf(o, " %s", PICK(states, p[0]));
		return true;
	}
	if (!command(d))
		return false;
	out_printf(o, " %s", command(d));
	if (d->data_len == 5)
		out_printf(o, " 0x%08x", get32(p + 1));
	return true;
}

static const char *const names[] = {
	"bStatus", "bState", "bwPollTimeout", "dfu", "iString", "state_name", NULL,
};

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "status_name") || !strcmp(member, "state_name"))
		fn(arg, RESERVED);
	if (!strcmp(member, "status_name"))
		LIST_WORDS(statuses, fn, arg);
	else if (!strcmp(member, "state_name"))
		LIST_WORDS(states, fn, arg);
	else if (!strcmp(member, "command"))
		CODE_WORDS(st_commands, fn, arg);
}

const struct usb_class usb_dfu_class = {
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.names = names,
	.words = words,
};
