/* SPDX-License-Identifier: MIT */
#include "decode/usb/hidunit.h"

void hid_unit_text(uint32_t unit, struct out *o)
{
	/* by system: length or angle, mass, time, temperature, current, luminous intensity */
	static const char *const names[4][6] = {
		{"cm", "g", "s", "K", "A", "cd"},
		{"rad", "g", "s", "K", "A", "cd"},
		{"in", "slug", "s", "F", "A", "cd"},
		{"deg", "slug", "s", "F", "A", "cd"},
	};
	unsigned int system = unit & 0xf;
	bool first = true;

	if (system < 1 || system > 4)
		return;
	for (unsigned int i = 0; i < 6; i++) {
		int power = (int)(unit >> (4 + 4 * i) & 0xf);

		if (!power)
			continue;
		power = power < 8 ? power : power - 16;
		out_printf(o, "%s%s", first ? "" : " ", names[system - 1][i]);
		if (power != 1)
			out_printf(o, "^%d", power);
		first = false;
	}
}
