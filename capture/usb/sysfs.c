/* SPDX-License-Identifier: MIT */
/*
 * sysfs holds every descriptor that the kernel read when a device was plugged in:
 * Documentation/ABI/testing/sysfs-bus-usb. An attribute that a device does not have is a missing
 * file and is left out of the snapshot.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "decode/usb/hidreport.h"
#include "capture/sys/alloc.h"
#include "capture/usb/sysfs.h"

enum {
	ATTRIBUTE = 4096,     /* bytes; a text attribute of sysfs has at most a page */
	DESCRIPTORS = 70000,  /* bytes: the device descriptor of 18, and a configuration of up to
			       * 65,535 */
	REPORT = 4096,        /* bytes; the kernel refuses longer report descriptors */
	UEVENT = 8192,
};

/* Reads a file in a device's folder. Returns its length, 0 if there is none. */
static size_t get(const char *root, const char *name, const char *file, void *buf, size_t size)
{
	char path[4096];
	size_t n = 0;
	ssize_t r;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s/%s", root, name, file) >= (int)sizeof(path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while (n < size && (r = read(fd, (char *)buf + n, size - n)) > 0)
		n += (size_t)r;
	close(fd);
	return n;
}

/* Reads a text attribute without its newline. Returns false if it is missing or empty. */
static bool text(const char *root, const char *name, const char *file, char buf[ATTRIBUTE])
{
	size_t n = get(root, name, file, buf, ATTRIBUTE - 1);

	while (n && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	buf[n] = '\0';
	return n > 0;
}

static unsigned long number(const char *root, const char *name, const char *file, int base)
{
	char buf[ATTRIBUTE];

	return text(root, name, file, buf) ? strtoul(buf, NULL, base) : 0;
}

static bool valid_name(const char *name)
{
	return *name && *name != '.' && strlen(name) < USBSYS_NAME && !strpbrk(name, ":/");
}

/* Calls each() for the interfaces of a device: folders "NAME:C.I". */
static void interfaces(const char *root, const char *name,
		       void (*each)(const char *root, const char *interface, void *arg), void *arg)
{
	char path[4096], interface[USBSYS_NAME + 256];
	struct dirent **list;
	int i, n;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	n = scandir(path, &list, NULL, versionsort);
	for (i = 0; i < n; i++) {
		const char *d = list[i]->d_name;
		size_t len = strlen(name);

		/* A root hub is "usb1" and its interface "1-0:1.0". */
		if (strchr(d, ':') && (!strncmp(d, name, len) || !strncmp(name, "usb", 3))) {
			snprintf(interface, sizeof(interface), "%s/%s", name, d);
			each(root, interface, arg);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

/*
 * Reads the report descriptor of a HID interface, as its driver has read it. Returns its length, or
 * 0.
 */
static size_t hid_report(const char *root, const char *interface, uint8_t buf[REPORT])
{
	char path[4096], file[512];
	struct dirent *d;
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", root, interface);
	dir = opendir(path);
	if (!dir)
		return 0;
	/* HID devices are below their interface: "0003:046D:C52B.0001". */
	while (!n && (d = readdir(dir))) {
		if (strlen(d->d_name) == 19 && d->d_name[4] == ':' && d->d_name[14] == '.') {
			snprintf(file, sizeof(file), "%s/report_descriptor", d->d_name);
			n = get(root, interface, file, buf, REPORT);
		}
	}
	closedir(dir);
	return n;
}

/*
 * A boot keyboard is recognised by its interface protocol, any other by the usage in its report
 * descriptor.
 */
static void find_keyboard(const char *root, const char *interface, void *arg)
{
	uint8_t descriptor[REPORT];
	struct hid_report h = { 0 };
	bool *keyboard = arg;
	size_t n;

	if (*keyboard || number(root, interface, "bInterfaceClass", 16) != 3)
		return;
	*keyboard = number(root, interface, "bInterfaceProtocol", 16) == 1;
	n = *keyboard ? 0 : hid_report(root, interface, descriptor);
	if (n) {
		*keyboard = hid_parse(&h, descriptor, n) && h.keyboard;
		hid_free(&h);
	}
}

bool usbsys_identity(const char *root, const char *name, struct usb_identity *id)
{
	char buf[ATTRIBUTE];

	memset(id, 0, sizeof(*id));
	if (!valid_name(name))
		return false;
	snprintf(id->name, sizeof(id->name), "%s", name);
	id->bus = (uint16_t)number(root, name, "busnum", 10);
	id->dev = (uint8_t)number(root, name, "devnum", 10);
	if (!id->bus || !id->dev)
		return false;
	id->vid = (uint16_t)number(root, name, "idVendor", 16);
	id->pid = (uint16_t)number(root, name, "idProduct", 16);
	if (text(root, name, "serial", buf))
		snprintf(id->serial, sizeof(id->serial), "%.*s", USBSYS_SERIAL - 1, buf);
	interfaces(root, name, find_keyboard, &id->keyboard);
	return true;
}

int usbsys_each(const char *root, int (*each)(const struct usb_identity *id, void *arg), void *arg)
{
	struct usb_identity id;
	struct dirent **list;
	int i, n, r = 0;

	n = scandir(root, &list, NULL, versionsort);
	for (i = 0; i < n; i++) {
		if (!r && usbsys_identity(root, list[i]->d_name, &id))
			r = each(&id, arg);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return r;
}

/*
 * Reads the last part of a symbolic link, such as the name of a driver. Returns false if there is
 * no link.
 */
static bool link_name(const char *root, const char *name, const char *file, char buf[ATTRIBUTE])
{
	char path[4096], *slash;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s/%s", root, name, file);
	n = readlink(path, buf, ATTRIBUTE - 1);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	slash = strrchr(buf, '/');
	if (slash)
		memmove(buf, slash + 1, strlen(slash));
	return true;
}

/* Replaces control characters, because the strings of a device are printed on the terminal. */
static void clean_text(char *text)
{
	for (; *text; text++) {
		if (iscntrl((unsigned char)*text))
			*text = '?';
	}
}

/* The set of the drivers of a device's interfaces. */
struct drivers {
	char names[8][32];
	size_t n;
};

static void add_driver(const char *root, const char *interface, void *arg)
{
	struct drivers *d = arg;
	char name[ATTRIBUTE];
	size_t i;

	if (d->n == 8 || !link_name(root, interface, "driver", name))
		return;
	name[sizeof(d->names[0]) - 1] = '\0';
	for (i = 0; i < d->n && strcmp(d->names[i], name); i++)
		;
	if (i == d->n)
		strcpy(d->names[d->n++], name);
}

void usbsys_describe(const char *root, const struct usb_identity *id, char what[USBSYS_WHAT])
{
	char maker[ATTRIBUTE], product[ATTRIBUTE], speed[ATTRIBUTE];
	bool has_maker = text(root, id->name, "manufacturer", maker);
	bool has_product = text(root, id->name, "product", product);
	struct drivers d = { 0 };
	size_t i, n;

	n = (size_t)snprintf(what, USBSYS_WHAT, "%.80s%s%.80s at port %s, address %u:%u", maker,
			     has_maker && has_product ? " " : "", product, id->name, id->bus,
			     id->dev);
	if (*id->serial)
		n += (size_t)snprintf(what + n, USBSYS_WHAT - n, ", serial %s", id->serial);
	if (text(root, id->name, "speed", speed))
		n += (size_t)snprintf(what + n, USBSYS_WHAT - n, ", %.16s Mb/s", speed);
	interfaces(root, id->name, add_driver, &d);
	for (i = 0; i < d.n && n < USBSYS_WHAT; i++)
		n += (size_t)snprintf(what + n, USBSYS_WHAT - n, "%s%s",
				      i ? ", " : d.n > 1 ? ", drivers " : ", driver ", d.names[i]);
	clean_text(what);
}

struct listing {
	bool (*is)(const struct usb_identity *id, const void *arg);
	const void *arg;
	char *text;
	size_t size, used, count;
	bool full;
};

static int list_one(const struct usb_identity *id, void *arg)
{
	struct listing *l = arg;
	char one[USBSYS_NAME + USBSYS_SERIAL + 40];
	int n;

	if (l->is ? !l->is(id, l->arg) : !strncmp(id->name, "usb", 3))
		return 0;
	l->count++;
	n = snprintf(one, sizeof(one), "%s%04x:%04x at %s%s%s", l->used ? ", " : "", id->vid,
		     id->pid, id->name, *id->serial ? " serial " : "", id->serial);
	clean_text(one);
	l->full |= (size_t)n >= l->size - l->used;
	if (!l->full) {
		strcpy(l->text + l->used, one);
		l->used += (size_t)n;
	}
	return 0;
}

size_t usbsys_list(const char *root, bool (*is)(const struct usb_identity *id, const void *arg),
		   const void *arg, char *list, size_t size)
{
	struct listing l = { is, arg, list, size, 0, 0, false };

	usbsys_each(root, list_one, &l);
	if (!l.used)
		snprintf(list, size, "%s", l.count ? "" : "none");
	return l.count;
}

static void put_text(struct json *j, const char *member, const char *root, const char *name,
		     const char *file)
{
	char buf[ATTRIBUTE];

	if (text(root, name, file, buf))
		json_string(j, member, buf);
}

void usbsys_members(const char *root, const struct usb_identity *id, struct json *j)
{
	struct drivers d = { 0 };

	json_uint(j, "bus", id->bus);
	json_uint(j, "dev", id->dev);
	json_string(j, "port", id->name);
	json_uint(j, "vid", id->vid);
	json_uint(j, "pid", id->pid);
	put_text(j, "serial", root, id->name, "serial");
	put_text(j, "product", root, id->name, "product");
	put_text(j, "speed", root, id->name, "speed");
	interfaces(root, id->name, add_driver, &d);
	json_array(j, "drivers");
	for (size_t i = 0; i < d.n; i++)
		json_string(j, NULL, d.names[i]);
	json_end(j);
}

static void put_number(struct json *j, const char *member, const char *root, const char *name,
		       const char *file, int base)
{
	char buf[ATTRIBUTE];

	if (text(root, name, file, buf))
		json_uint(j, member, strtoul(buf, NULL, base));
}

static void put_bytes(struct json *j, const char *member, const uint8_t *bytes, size_t n)
{
	char *hex = xcalloc(2 * n + 1, 1);
	size_t i;

	for (i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	if (n)
		json_bytes(j, member, hex, 2 * n);
	free(hex);
}

static void put_descriptors(struct json *j, const char *member, const char *root, const char *name,
			    const char *file)
{
	uint8_t *bytes = xcalloc(DESCRIPTORS, 1);

	put_bytes(j, member, bytes, get(root, name, file, bytes, DESCRIPTORS));
	free(bytes);
}

static void put_link(struct json *j, const char *member, const char *root, const char *name,
		     const char *file)
{
	char buf[ATTRIBUTE];

	if (link_name(root, name, file, buf))
		json_string(j, member, buf);
}

static void put_interface(const char *root, const char *interface, void *arg)
{
	uint8_t descriptor[REPORT];
	struct json *j = arg;

	json_object(j, NULL);
	put_number(j, "number", root, interface, "bInterfaceNumber", 16);
	put_number(j, "alternate", root, interface, "bAlternateSetting", 10);
	put_number(j, "class", root, interface, "bInterfaceClass", 16);
	put_number(j, "subclass", root, interface, "bInterfaceSubClass", 16);
	put_number(j, "protocol", root, interface, "bInterfaceProtocol", 16);
	put_text(j, "name", root, interface, "interface");
	put_link(j, "driver", root, interface, "driver");
	put_bytes(j, "hid_report", descriptor, hid_report(root, interface, descriptor));
	json_end(j);
}

bool usbsys_snapshot(const char *root, const char *name, struct json *j)
{
	struct usb_identity id;

	if (!usbsys_identity(root, name, &id))
		return false;
	json_object(j, NULL);
	json_string(j, "path", name);
	json_uint(j, "busnum", id.bus);
	json_uint(j, "devnum", id.dev);
	json_uint(j, "vid", id.vid);
	json_uint(j, "pid", id.pid);
	put_text(j, "speed_mbps", root, name, "speed");
	put_text(j, "version", root, name, "version");
	put_text(j, "manufacturer", root, name, "manufacturer");
	put_text(j, "product", root, name, "product");
	put_text(j, "serial", root, name, "serial");
	put_number(j, "configuration", root, name, "bConfigurationValue", 10);
	put_text(j, "max_power", root, name, "bMaxPower");
	put_text(j, "quirks", root, name, "quirks");
	put_text(j, "removable", root, name, "removable");
	put_text(j, "power_control", root, name, "power/control");
	put_text(j, "power_status", root, name, "power/runtime_status");
	put_text(j, "autosuspend_ms", root, name, "power/autosuspend_delay_ms");
	put_text(j, "lpm", root, name, "power/usb2_hardware_lpm");
	put_text(j, "persist", root, name, "power/persist");
	put_text(j, "wakeup", root, name, "power/wakeup");
	put_link(j, "driver", root, name, "driver");
	put_descriptors(j, "descriptors", root, name, "descriptors");
	put_descriptors(j, "bos", root, name, "bos_descriptors");
	json_array(j, "interfaces");
	interfaces(root, name, put_interface, j);
	json_end(j);
	json_end(j);
	return true;
}

int usbsys_uevents(struct trawl_error *err)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int room = 1 << 20, fd;

	fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		trawl_fail(err, TRAWL_CANNOT,
			   "usb: cannot listen to the kernel's hot-plug events: %s",
			   strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	return fd;
}

/* Returns the value of KEY in a uevent, or NULL. */
static const char *value(const char *text, size_t len, const char *key)
{
	size_t n = strlen(key);
	const char *end = text + len, *p;

	for (p = text; p < end; p += strlen(p) + 1) {
		if (!strncmp(p, key, n) && p[n] == '=')
			return p + n + 1;
	}
	return NULL;
}

bool usbsys_parse(const char *text, size_t len, struct usb_uevent *ev)
{
	const char *action, *subsystem, *type, *path, *v;
	size_t n;

	memset(ev, 0, sizeof(*ev));
	if (!len || text[len - 1])
		return false;
	action = value(text, len, "ACTION");
	subsystem = value(text, len, "SUBSYSTEM");
	type = value(text, len, "DEVTYPE");
	path = value(text, len, "DEVPATH");
	if (!action || !subsystem || strcmp(subsystem, "usb") || !type || !path ||
	    !strrchr(path, '/'))
		return false;
	if (!strcmp(type, "usb_interface")) {
		/* An interface, .../1-2.3/1-2.3:1.0: its device is the parent folder. */
		const char *slash = strrchr(path, '/'), *start = slash;

		while (start > path && start[-1] != '/')
			start--;
		n = (size_t)(slash - start);
		path = start;
		ev->action = USB_CHANGE;
	} else if (!strcmp(type, "usb_device")) {
		path = strrchr(path, '/') + 1;
		n = strlen(path);
		ev->action = !strcmp(action, "add") ? USB_ADD :
			     !strcmp(action, "remove") ? USB_REMOVE : USB_CHANGE;
	} else {
		return false;
	}
	if (!n || n >= sizeof(ev->name))
		return false;
	memcpy(ev->name, path, n);
	v = value(text, len, "BUSNUM");
	ev->bus = v ? (uint16_t)strtoul(v, NULL, 10) : 0;
	v = value(text, len, "DEVNUM");
	ev->dev = v ? (uint8_t)strtoul(v, NULL, 10) : 0;
	return valid_name(ev->name);
}

int usbsys_uevent(int fd, struct usb_uevent *ev, bool *overrun)
{
	char buf[UEVENT];
	struct sockaddr_nl from;
	socklen_t size;
	ssize_t n;

	*overrun = false;
	for (;;) {
		size = sizeof(from);
		n = recvfrom(fd, buf, sizeof(buf) - 1, 0, (struct sockaddr *)&from, &size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ENOBUFS)
			*overrun = true;
		if (n < 0)
			return 0;
		/* The kernel sends from port 0. Ignores messages of other senders. */
		if (!n || size != sizeof(from) || from.nl_pid != 0)
			continue;
		if (buf[n - 1])
			buf[n++] = '\0';
		if (usbsys_parse(buf, (size_t)n, ev))
			return 1;
	}
}
