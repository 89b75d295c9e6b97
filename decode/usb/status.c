/* SPDX-License-Identifier: MIT */
#include "decode/usb/status.h"
#include "common/array.h"

#include <stddef.h>

static const struct status {
	int16_t number;
	uint8_t problem;
	const char *name, *error;
} table[] = {
	{0, 0, "ok", ""},
	{-2, 0, "unlinked", "ENOENT"},
	{-5, 1, "error", "EIO"},
	{-6, 1, "not queued", "ENXIO"},
	{-12, 1, "no memory", "ENOMEM"},
	{-18, 1, "partly done", "EXDEV"},
	{-19, 1, "gone", "ENODEV"},
	{-22, 1, "invalid", "EINVAL"},
	{-27, 1, "too late", "EFBIG"},
	{-28, 1, "no bandwidth", "ENOSPC"},
	{-32, 1, "stall", "EPIPE"},
	{-62, 1, "no response", "ETIME"},
	{-63, 1, "underrun", "ENOSR"},
	{-70, 1, "overrun", "ECOMM"},
	{-71, 1, "protocol error", "EPROTO"},
	{-75, 1, "babble", "EOVERFLOW"},
	{-84, 1, "crc error", "EILSEQ"},
	{-90, 1, "too long", "EMSGSIZE"},
	{-104, 0, "cancelled", "ECONNRESET"},
	{-108, 1, "shut down", "ESHUTDOWN"},
	{-110, 1, "timed out", "ETIMEDOUT"},
	{-113, 1, "suspended", "EHOSTUNREACH"},
	{-115, 0, "in progress", "EINPROGRESS"},
	{-121, 0, "short", "EREMOTEIO"},
	{-1, 1, "not permitted", "EPERM"},
	{-16, 1, "busy", "EBUSY"},
	{-8, 1, "not supported", "ENOEXEC"},
};

#define STATUSES ARRAY_SIZE(table)

/* -ENOENT of a failed submission; in a completion it means "unlinked". */
static const char not_enabled[] = "endpoint not enabled";

const char *usb_status_word(size_t n)
{
	return n < STATUSES ? table[n].name : n == STATUSES ? not_enabled : NULL;
}

const char *usb_status_error(size_t n)
{
	/* the first entry, for status 0, has no errno */
	return n + 1 < STATUSES ? table[n + 1].error : NULL;
}

static const struct status *find(int32_t status)
{
	for (size_t i = 0; i < STATUSES; i++)
		if (table[i].number == status)
			return &table[i];
	return NULL;
}

const char *usb_status_name(int32_t status)
{
	const struct status *s = find(status);

	return s ? s->name : "error";
}

const char *usb_status_name_of(char type, int32_t status)
{
	return type == 'E' && status == -2 ? not_enabled : usb_status_name(status);
}

const char *usb_status_errno(int32_t status)
{
	const struct status *s = find(status);

	return s ? s->error : "";
}

int usb_status_is_cancelled(int32_t status)
{
	return status == -2 || status == -104 || status == -108 || status == -19;
}

int usb_status_is_problem(int32_t status)
{
	const struct status *s = find(status);

	return s ? s->problem : 1;
}
