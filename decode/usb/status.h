/* SPDX-License-Identifier: MIT */
/*
 * The meaning of an URB's status. Source: Documentation/driver-api/usb/error-codes.rst of the
 * kernel. The numbers are the errno values of the traced machine (the generic errno.h: Linux on
 * x86, ARM and RISC-V), which may differ from those of this machine.
 */
#ifndef TRAWL_DECODE_USB_STATUS_H
#define TRAWL_DECODE_USB_STATUS_H

#include "decode/base/namefn.h"

#include <stdint.h>

/* "ok", "stall", "unlinked", ..., or "error" for a number that is not in the table. */
const char *usb_status_name(int32_t status);

/* The same for an event of type 'S', 'C' or 'E'. In an 'E', -ENOENT has another meaning. */
const char *usb_status_name_of(char type, int32_t status);

/* Call fn for each name that usb_status_name_of() or usb_status_errno() can return. */
void usb_status_words(decoder_name_fn *fn, void *arg);
void usb_status_errors(decoder_name_fn *fn, void *arg);

/* "EPIPE", ..., or "" if the number is unknown or 0. */
const char *usb_status_errno(int32_t status);

/* -EINPROGRESS: the status of a submission. */
#define USB_IN_PROGRESS (-115)

/* -EPERM: the submission was rejected because its driver was cancelling the URB. */
#define USB_REJECTED (-1)

/*
 * Whether the URB was given back because the driver unlinked it, the host controller shut down or
 * the device is gone: -ENOENT, -ECONNRESET, -ESHUTDOWN, -ENODEV.
 */
int usb_status_is_cancelled(int32_t status);

/*
 * Whether a status is an error of the device or the bus, as opposed to a cancellation by the
 * driver.
 */
int usb_status_is_problem(int32_t status);

/* Whether the transfer moved its data: success, or a short read (-EREMOTEIO). */
static inline int usb_status_moved(int32_t status)
{
	return status == 0 || status == -121;
}

#endif
