/* SPDX-License-Identifier: MIT */
#include "decode/usberr.h"

#include <stddef.h>

static const struct status {
	int16_t number;
	uint8_t problem;
	const char *name, *error, *text;
} table[] = {
	{0, 0, "ok", "", ""},
	{-2, 0, "unlinked", "ENOENT", "the driver took the URB back and waited"},
	{-6, 1, "not queued", "ENXIO", "the host controller driver cannot queue this"},
	{-12, 1, "no memory", "ENOMEM", "the kernel had no memory for it"},
	{-18, 1, "partly done", "EXDEV", "only some packets of an isochronous transfer are whole"},
	{-19, 1, "gone", "ENODEV", "the device was removed"},
	{-22, 1, "invalid", "EINVAL", "a parameter of the URB is not valid"},
	{-27, 1, "too late", "EFBIG", "too many isochronous frames were asked for"},
	{-28, 1, "no bandwidth", "ENOSPC", "the bus has no bandwidth left for it"},
	{-32, 1, "stall", "EPIPE", "the endpoint halted, or the device refused the request"},
	{-62, 1, "no response", "ETIME", "no packet came within the turn-around time of the bus"},
	{-63, 1, "underrun", "ENOSR", "the host could not read memory fast enough"},
	{-70, 1, "overrun", "ECOMM", "data came faster than the host could write it to memory"},
	{-71, 1, "protocol error", "EPROTO", "bit stuffing error, unknown packet, or no response"},
	{-75, 1, "babble", "EOVERFLOW", "the endpoint sent more data than was asked for"},
	{-84, 1, "crc error", "EILSEQ", "crc mismatch, no response, or unknown packet"},
	{-90, 1, "too long", "EMSGSIZE", "the packet is longer than the endpoint takes"},
	{-104, 0, "cancelled", "ECONNRESET", "the driver took the URB back and did not wait"},
	{-108, 1, "shut down", "ESHUTDOWN", "the device or its host controller was switched off"},
	{-110, 1, "timed out", "ETIMEDOUT", "the transfer took longer than the driver waits"},
	{-113, 1, "suspended", "EHOSTUNREACH", "the device is suspended"},
	{-115, 0, "in progress", "EINPROGRESS", "submitted, not yet answered"},
	{-121, 1, "short", "EREMOTEIO", "less data than asked, and the driver calls that an error"},
	{-1, 1, "not permitted", "EPERM", "the device is not authorised, or the URB was rejected"},
	{-16, 1, "busy", "EBUSY", "the URB is already in flight"},
	{-8, 1, "not supported", "ENOEXEC", "the host controller cannot do this kind of URB"},
};

static const struct status *find(int32_t status)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].number == status)
			return &table[i];
	return NULL;
}

const char *usb_status_name(int32_t status)
{
	const struct status *s = find(status);

	return s ? s->name : "error";
}

const char *usb_status_errno(int32_t status)
{
	const struct status *s = find(status);

	return s ? s->error : "";
}

const char *usb_status_text(int32_t status)
{
	const struct status *s = find(status);

	return s ? s->text : "";
}

int usb_status_is_problem(int32_t status)
{
	const struct status *s = find(status);

	return s ? s->problem : 1;
}
