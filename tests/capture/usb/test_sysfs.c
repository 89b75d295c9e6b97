/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "capture/usb/sysfs.h"
#include "capture/usb/tally.h"

static char root[] = "/tmp/usbsysXXXXXX";

static void put(const char *path, const void *text, size_t len)
{
	char full[512], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	cr_assert(file, "%s", full);
	fwrite(text, 1, len, file);
	fclose(file);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static void put_link(const char *path, const char *target)
{
	char full[512];

	put_text(path, "");
	snprintf(full, sizeof(full), "%s/%s", root, path);
	unlink(full);
	cr_assert_eq(symlink(target, full), 0);
}

static void setup(void)
{
	strcpy(root + strlen(root) - 6, "XXXXXX");
	cr_assert(mkdtemp(root));
	put_text("1-2/busnum", "1\n");
	put_text("1-2/devnum", "7\n");
	put_text("1-2/idVendor", "0627\n");
	put_text("1-2/idProduct", "0001\n");
	put_text("1-2/product", "A \"Keyboard\"\n");
	put_text("1-2/serial", "42\n");
	put_text("1-2/speed", "1.5\n");
	put("1-2/descriptors", "\x12\x01\x00\x02", 4);
	put_text("1-2/1-2:1.0/bInterfaceNumber", "00\n");
	put_text("1-2/1-2:1.0/bInterfaceClass", "03\n");
	put_text("1-2/1-2:1.0/bInterfaceProtocol", "01\n");
	put_link("1-2/1-2:1.0/driver", "../../../bus/usb/drivers/usbhid");
	put("1-2/1-2:1.0/0003:0627:0001.0002/report_descriptor", "\x05\x01\x09\x06", 4);
	put_text("1-3/busnum", "1\n"); /* unplugged: devnum is gone already */
	put_text("usb1/busnum", "1\n");
	put_text("usb1/devnum", "1\n");
	put_text("usb1/1-0:1.0/bInterfaceClass", "09\n");
}

static void teardown(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", root);
	cr_assert_eq(system(command), 0);
}

TestSuite(usbsys, .init = setup, .fini = teardown);

Test(usbsys, identity)
{
	struct usb_identity id;

	cr_assert(usbsys_identity(root, "1-2", &id));
	cr_assert_eq(id.bus, 1);
	cr_assert_eq(id.dev, 7);
	cr_assert_eq(id.vid, 0x627);
	cr_assert_eq(id.pid, 1);
	cr_assert_str_eq(id.serial, "42");
	cr_assert(id.keyboard);
	cr_assert(usbsys_identity(root, "usb1", &id));
	cr_assert_not(id.keyboard);
	cr_assert_not(usbsys_identity(root, "1-3", &id));
	cr_assert_not(usbsys_identity(root, "1-2:1.0", &id));
	cr_assert_not(usbsys_identity(root, "..", &id));
	cr_assert_not(usbsys_identity(root, "1-9", &id));
}

Test(usbsys, keyboards_without_a_boot_protocol)
{
	/* One byte of input: eight keys, or eight buttons. */
	static const char keys[] = "\x05\x01\x09\x06\xa1\x01\x05\x07\x19\xe0\x29\xe7\x15\x00"
				   "\x25\x01\x75\x01\x95\x08\x81\x02\xc0";
	static const char buttons[] = "\x05\x01\x09\x02\xa1\x01\x05\x09\x19\x01\x29\x08\x15\x00"
				      "\x25\x01\x75\x01\x95\x08\x81\x02\xc0";
	const char *report = "1-2/1-2:1.0/0003:0627:0001.0002/report_descriptor";
	struct usb_identity id;

	put_text("1-2/1-2:1.0/bInterfaceProtocol", "00\n");
	put(report, buttons, sizeof(buttons) - 1);
	cr_assert(usbsys_identity(root, "1-2", &id));
	cr_assert_not(id.keyboard);
	put(report, keys, sizeof(keys) - 1);
	cr_assert(usbsys_identity(root, "1-2", &id));
	cr_assert(id.keyboard);
}

Test(usbsys, a_name_is_not_obeyed_by_the_terminal)
{
	struct usb_identity id;
	char what[USBSYS_WHAT];

	put_text("1-2/product", "Gr\303\274n \033[31mred\a\n");
	cr_assert(usbsys_identity(root, "1-2", &id));
	usbsys_describe(root, &id, what);
	cr_assert_str_eq(what,
			 "Gr\303\274n ?[31mred? at port 1-2, address 1:7, serial 42, 1.5 Mb/s, "
			 "driver usbhid");
}

static int count(const struct usb_identity *id, void *arg)
{
	++*(int *)arg;
	return 0;
}

static bool is_on_bus_9(const struct usb_identity *id, const void *arg)
{
	return id->bus == 9 && !arg;
}

Test(usbsys, lists)
{
	char list[100], tiny[12];
	int n = 0;

	usbsys_each(root, count, &n);
	cr_assert_eq(n, 2);
	cr_assert_eq(usbsys_list(root, NULL, NULL, list, sizeof(list)), 1);
	cr_assert_str_eq(list, "0627:0001 at 1-2 serial 42");
	cr_assert_eq(usbsys_list(root, NULL, NULL, tiny, sizeof(tiny)), 1);
	cr_assert_str_eq(tiny, "");
	cr_assert_eq(usbsys_list(root, is_on_bus_9, NULL, list, sizeof(list)), 0);
	cr_assert_str_eq(list, "none");
	put_text("1-2/serial", "4\0332\n");
	usbsys_list(root, NULL, NULL, list, sizeof(list));
	cr_assert_str_eq(list, "0627:0001 at 1-2 serial 4?2");
}

Test(usbsys, members_for_programs)
{
	struct usb_identity id;
	struct json j = { 0 };

	cr_assert(usbsys_identity(root, "1-2", &id));
	usbsys_members(root, &id, &j);
	cr_assert_str_eq(j.text, "\"bus\":1,\"dev\":7,\"port\":\"1-2\",\"vid\":1575,\"pid\":1,"
				 "\"serial\":\"42\",\"product\":\"A \\\"Keyboard\\\"\","
				 "\"speed\":\"1.5\",\"drivers\":[\"usbhid\"]");
	json_free(&j);
}

Test(usbsys, snapshot)
{
	struct json j = { 0 };

	cr_assert(usbsys_snapshot(root, "1-2", &j));
	cr_assert(strstr(j.text,
			 "\"path\":\"1-2\",\"busnum\":1,\"devnum\":7,\"vid\":1575,\"pid\":1"),
		  "%s", j.text);
	cr_assert(strstr(j.text, "\"product\":\"A \\\"Keyboard\\\"\""), "%s", j.text);
	cr_assert(strstr(j.text, "\"descriptors\":\"12010002\""), "%s", j.text);
	cr_assert(strstr(j.text, "\"hid_report\":\"05010906\""), "%s", j.text);
	cr_assert_not(strstr(j.text, "quirks"), "what is not there is left out");
	json_free(&j);
	cr_assert_not(usbsys_snapshot(root, "1-3", &j));
	json_free(&j);
}

static bool parse(const char *text, size_t len, struct usb_uevent *ev)
{
	return usbsys_parse(text, len, ev);
}
#define PARSE(text, ev) parse(text, sizeof(text), ev)

/* Events of the kernel about other things than USB devices; messages from programs are ignored. */
Test(usbsys, other_events_of_the_kernel)
{
	struct trawl_error err;
	struct usb_uevent ev;
	bool overrun = false;
	char seen[4096];
	int fd = usbsys_uevents(&err), same = usbsys_uevents(&err);
	int null = open("/sys/class/mem/null/uevent", O_WRONLY);

	cr_assert(fd >= 0, "%s", err.text);
	cr_assert(same >= 0);
	cr_assert_eq(usbsys_uevent(fd, &ev, &overrun), 0, "there is none");
	if (null < 0 || write(null, "change", 6) != 6)
		cr_skip_test("no event can be made here: not root, or /sys is read-only");
	cr_assert(recv(same, seen, sizeof(seen), 0) > 0, "the event is there for all listeners");
	cr_assert_eq(usbsys_uevent(fd, &ev, &overrun), 0, "it is none of a USB device");
	cr_assert_not(overrun);
	close(null);
	close(same);
	close(fd);
}

Test(usbsys, uevents)
{
	struct usb_uevent ev;

	cr_assert(PARSE("add@/devices/pci/usb1/1-2\0ACTION=add\0DEVPATH=/devices/pci/usb1/1-2\0"
			"SUBSYSTEM=usb\0DEVTYPE=usb_device\0BUSNUM=001\0DEVNUM=012", &ev));
	cr_assert_eq(ev.action, USB_ADD);
	cr_assert_str_eq(ev.name, "1-2");
	cr_assert_eq(ev.bus, 1);
	cr_assert_eq(ev.dev, 12);
	cr_assert(
		PARSE("x\0ACTION=remove\0DEVPATH=/a/usb1\0SUBSYSTEM=usb\0DEVTYPE=usb_device", &ev));
	cr_assert_eq(ev.action, USB_REMOVE);
	cr_assert_str_eq(ev.name, "usb1");
	cr_assert(PARSE("x\0ACTION=bind\0DEVPATH=/a/1-2/1-2:1.0\0SUBSYSTEM=usb\0"
			"DEVTYPE=usb_interface", &ev));
	cr_assert_eq(ev.action, USB_CHANGE);
	cr_assert_str_eq(ev.name, "1-2");
	cr_assert_not(PARSE("x\0ACTION=add\0DEVPATH=/a/b\0SUBSYSTEM=block\0DEVTYPE=disk", &ev));
	cr_assert_not(
		PARSE("x\0ACTION=add\0DEVPATH=nothing\0SUBSYSTEM=usb\0DEVTYPE=usb_device", &ev));
	cr_assert_not(PARSE("x\0ACTION=add\0DEVPATH=/\0SUBSYSTEM=usb\0DEVTYPE=usb_interface", &ev));
	cr_assert_not(PARSE("", &ev));
	cr_assert_not(parse("ACTION=add", 10, &ev), "not NUL-terminated");
}

/* ---- usbtally ------------------------------------------------------------------------------ */

Test(usbtally, counts_by_reason)
{
	static const uint8_t iso[32] = { [4] = 0, [8] = 100, [16 + 4] = 192, [16 + 8] = 8 };
	struct usbmon_header bulk = { .type = 'C', .xfer_type = 3, .epnum = 0x81, .len_urb = 10,
				      .len_cap = 10 };
	struct usbmon_header h;
	struct usbtally t = { .devices = 1 };
	struct json j = { 0 };

	usbtally_count(&t, &bulk, iso, 10);
	usbtally_json(&t, 4096, true, &j);
	cr_assert(strstr(j.text, "\"replayable\":true,\"because\":[]"), "%s", j.text);
	json_free(&j);

	h = bulk, h.len_cap = 4;
	usbtally_count(&t, &h, iso, 4);
	cr_assert_eq(t.cut_ring, 1);
	usbtally_count(&t, &h, iso, 10);
	cr_assert_eq(t.cut_snap, 1);
	h = bulk, h.len_cap = 0, h.flag_data = 'D';
	usbtally_count(&t, &h, iso, 0);
	cr_assert_eq(t.unmapped, 1);
	h.flag_data = 'Z';
	usbtally_count(&t, &h, iso, 0);
	cr_assert_eq(t.no_buffer, 1);
	h.flag_data = '<', h.type = 'S';
	usbtally_count(&t, &h, iso, 0);
	h = bulk, h.xfer_type = 0, h.ndesc = 2, h.setup[4] = 2, h.len_urb = 108;
	h.len_cap = 32 + 200;
	usbtally_count(&t, &h, iso, 32 + 200);
	cr_assert_eq(t.cut_ring, 1);
	h.len_cap = 32 + 199;
	usbtally_count(&t, &h, iso, 32 + 199);
	cr_assert_eq(t.cut_ring, 2);
	h.setup[4] = 200;
	usbtally_count(&t, &h, iso, 32 + 199);
	cr_assert_eq(t.cut_iso, 1);
	h.ndesc = 1000000;
	usbtally_count(&t, &h, iso, 32 + 199);
	cr_assert_eq(t.malformed, 1);
	cr_assert_eq(t.events, 10);
	usbtally_json(&t, 4096, true, &j);
	cr_assert(strstr(j.text, "\"replayable\":false"), "%s", j.text);
	cr_assert(strstr(j.text, "\"reason\":\"no_buffer\""), "%s", j.text);
	json_free(&j);
}
