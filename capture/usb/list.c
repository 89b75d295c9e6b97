/* SPDX-License-Identifier: MIT */
#include "capture/usb/list.h"
#include "capture/usb/node.h"
#include "capture/usb/sysfs.h"
#include "capture/usb/text.h"

#include <stdio.h>
#include <string.h>

struct listing {
	struct source_list *list;
	const char *why;
};

static int list_device(const struct usb_identity *id, void *arg)
{
	struct listing *l = arg;
	char name[64], what[USBSYS_WHAT];

	if (!strncmp(id->name, "usb", 3))
		snprintf(name, sizeof(name), "usb:%u", id->bus);
	else
		snprintf(name, sizeof(name), "usb:%04x:%04x", id->vid, id->pid);
	usbsys_describe(USBSYS_ROOT, id, what);
	usbsys_members(USBSYS_ROOT, id, &source_list_add(l->list, name, what, l->why)->more);
	return 0;
}

void usblist_describe(struct source_list *list)
{
	struct trawl_error err = { 0 };
	char path[USBNODE_PATH];
	struct listing l = { list, NULL };

	if (usbnode_find(0, path, &err) < 0)
		l.why = err.text;
	source_list_add(list, "usb", "all transfers of all USB buses", l.why);
	source_list_add(list, "usb:text", "the same by debugfs: 32 bytes of each at most",
			usbtext_why_not());
	usbsys_each(USBSYS_ROOT, list_device, &l);
}
