/* SPDX-License-Identifier: MIT */
/*
 * What the status of an URB means.
 * Source: Documentation/driver-api/usb/error-codes.rst of the kernel. The numbers are those of the
 * traced machine: Linux on x86, ARM and RISC-V (the generic errno.h), not of this one.
 */
#ifndef TRAWL_DECODE_USB_STATUS_H
#define TRAWL_DECODE_USB_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* "ok", "stall", "unlinked", ...; "error" for a number without a name of its own. */
const char *usb_status_name(int32_t status);

/* All of them, one after the other; NULL after the last. Likewise those of usb_status_errno(). */
const char *usb_status_word(size_t n);
const char *usb_status_error(size_t n);

/* "EPIPE", ...; "" if not known. 0 has none. */
const char *usb_status_errno(int32_t status);

/* -EINPROGRESS: what a submission has for a status. */
#define USB_IN_PROGRESS (-115)

/* Whether a status is an error of the device or the bus, and not the driver's own doing. */
int usb_status_is_problem(int32_t status);

/* Whether data moved as it should: all of it, or a read that came out short. */
static inline int usb_status_moved(int32_t status)
{
	return status == 0 || status == -121;
}

#endif
