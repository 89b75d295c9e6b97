/* SPDX-License-Identifier: MIT */
/* Units of HID reports: the items Unit and Unit Exponent (HID 1.11, 6.2.2.7). */
#ifndef TRAWL_DECODE_USB_HIDUNIT_H
#define TRAWL_DECODE_USB_HIDUNIT_H

#include "decode/base/output.h"

/* Appends a unit, "cm", "g cm^2 s^-2"; nothing if it is none or its system is not defined. */
void hid_unit_text(uint32_t unit, struct out *o);

/*
 * The exponent of a Unit Exponent item, whose value is `number` with its sign and `value` without.
 * The specification has a nibble in two's complement; many devices send the whole byte so.
 */
static inline int8_t hid_unit_exponent(uint32_t value, int32_t number)
{
	if (value & ~UINT32_C(0xf))
		return number >= -128 && number <= 127 ? (int8_t)number : 0;
	return (int8_t)(value < 8 ? (int)value : (int)value - 16);
}

#endif
