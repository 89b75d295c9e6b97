/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "decode/usb/hub.h"

static const char *change(const char *bytes, size_t n)
{
	static struct out o;

	out_free(&o);
	out_memory(&o);
	hub_change_brief((const uint8_t *)bytes, n, &o);
	out_char(&o, '\0');
	return o.data;
}

static const char *status(unsigned int port, bool super, const char *bytes)
{
	static struct out o;

	out_free(&o);
	out_memory(&o);
	hub_status_brief(port, super, (const uint8_t *)bytes, 4, &o);
	out_char(&o, '\0');
	return o.data;
}

Test(hub, changes_name_the_hub_and_its_ports)
{
	cr_expect_str_eq(change("\x0d", 1), " hub port 2, 3 changed");
	cr_expect_str_eq(change("\x00\x02", 2), " port 9 changed");
}

Test(hub, changes_as_fields)
{
	const struct tree_node *hub, *ports;
	struct tree t;

	tree_init(&t);
	hub_change_tree((const uint8_t *)"\x0d", 1, &t);
	hub = tree_find(&t, "hub.hub_changed", 0);
	ports = tree_find(&t, "hub.ports_changed", 0);
	cr_expect(hub && hub->u == 1);
	cr_expect(ports != NULL);
	tree_free(&t);
}

Test(hub, a_bitmap_ends_with_port_255)
{
	char bytes[4096];
	const char *text;

	memset(bytes, 0xff, sizeof(bytes));
	text = change(bytes, sizeof(bytes));
	cr_expect(strstr(text, ", 254, 255 changed"), "%s", text);
}

Test(hub, status_of_ports_by_speed)
{
	cr_expect_str_eq(status(2, false, "\x03\x05\x01\x00"),
			 "status connection+enable+power+high-speed, changed connection");
	cr_expect_str_eq(status(2, true, "\x03\x02\x40\x00"),
			 "status connection+enable+power U0, changed link-state");
	cr_expect_str_eq(status(2, true, "\xa0\x02\x00\x00"), "status power rx-detect");
	cr_expect_str_eq(status(0, false, "\x02\x00\x00\x00"), "status over-current");
}
