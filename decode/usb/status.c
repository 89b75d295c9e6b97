/* SPDX-License-Identifier: MIT */
#include "decode/usb/status.h"
#include "common/array.h"
#include "decode/base/errnoname.h"

#include <stddef.h>

static const struct status {
	int16_t number;
	uint8_t problem;
	const char *name;
} table[] = {
	{0, 0, "ok"},
	{-2, 0, "unlinked"},
	{-5, 1, "error"},
	{-6, 1, "not queued"},
	{-12, 1, "no memory"},
	{-18, 1, "partly done"},
	{-19, 1, "gone"},
	{-22, 1, "invalid"},
	{-27, 1, "too late"},
	{-28, 1, "no bandwidth"},
	{-32, 1, "stall"},
	{-62, 1, "no response"},
	{-63, 1, "underrun"},
	{-70, 1, "overrun"},
	{-71, 1, "protocol error"},
	{-75, 1, "babble"},
	{-84, 1, "crc error"},
	{-90, 1, "too long"},
	{-104, 0, "cancelled"},
	{-108, 1, "shut down"},
	{-110, 1, "timed out"},
	{-113, 1, "suspended"},
	{-115, 0, "in progress"},
	{-121, 0, "short"},
	{-1, 1, "not permitted"},
	{-16, 1, "busy"},
	{-8, 1, "not supported"},
};

#define STATUSES ARRAY_SIZE(table)

/* -ENOENT of a failed submission; in a completion it means "unlinked". */
static const char not_enabled[] = "endpoint not enabled";

void usb_status_words(decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < STATUSES; i++)
		fn(arg, table[i].name);
	fn(arg, not_enabled);
}

void usb_status_errors(decoder_name_fn *fn, void *arg)
{
	/* the first entry, for status 0, has no errno */
	for (size_t i = 1; i < STATUSES; i++)
		fn(arg, errno_name(-table[i].number));
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

	return s && status ? errno_name(-(int64_t)status) : "";
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
