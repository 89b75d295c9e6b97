/* SPDX-License-Identifier: MIT */
/* Filters of USB devices, uevents and what is missing in transfers, by tables and by chance. */
#include "capture/usb/filter.h"
#include "capture/usb/sysfs.h"
#include "capture/usb/tally.h"
#include "capture/usb/text.h"
#include "common/array.h"
#include "common/json.h"
#include "tests/printed/chance.h"

static const char *const texts[] = {
	"", "1", "0", "127", "128", "65535", "-1", "1x", "bus=1", "bus=", "bus=x", "bus=128", "bus=1,bus=2",
	"1,2", "46f4:0001", "46f4:*", "46f4:1", "46f4:", ":0001", "*:*", "46F4:00aB", "46f4:00001",
	"g6f4:0001", "46f4:0001,46f4:0002", "port=1-2", "port=1-2.3.4", "port=", "port=1", "port=1-",
	"port=1-2.", "port=a-b", "port=usb1", "port=usb", "port=1-2,port=1-3", "serial=A", "serial=", "serial=A B",
	"serial=a,b", "serial=A,serial=B", "dev=1:5", "dev=1", "dev=1:", "dev=:5", "dev=1:128", "dev=128:1",
	"dev=1:5,bus=2", "dev=1:5,dev=1:6", "ep=0", "ep=1", "ep=1in", "ep=1out", "ep=15", "ep=16", "ep=0x81",
	"ep=0x01", "ep=0x8f", "ep=0x90", "ep=0xff", "ep=", "ep=in", "ep=1IN", "ep=1in,ep=2out", "1,ep=2in",
	"46f4:0001,ep=1", "bus=1,46f4:*,serial=A,port=1-2,ep=3out", "nosuch=1", "Bus=1", "bus =1", " 1", "1 ",
	"1,", ",1", ",", "text", "all", "*", "1:2", "1-2", "1-2.3", "/dev/usbmon1", "usbmon1", "0x1",
	"port=1-2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18.19.20.21.22.23.24.25.26.27.28",
};

static void show_term(FILE *to, const struct usbfilter_term *t)
{
	fprintf(to, " bus %u dev %u id %d%04x %d%04x ep %d %u %d port %s serial %s\n", t->bus, t->dev,
		t->has_vid, t->vid, t->has_pid, t->pid, t->has_endpoint, t->endpoint, t->direction,
		t->port, t->serial);
}

static struct usb_identity some_device(struct chance *c)
{
	static const char *const ports[] = {"1-2", "1-2.3.4", "usb1", "2-1", "1-21"};
	static const char *const serials[] = {"", "A", "A B", "B"};
	struct usb_identity id = {0};

	id.bus = (uint16_t)(1 + chance(c, 3));
	id.dev = (uint8_t)(1 + chance(c, 6));
	id.vid = chance(c, 2) ? 0x46f4 : 0x1d6b;
	id.pid = (uint16_t)(1 + chance(c, 2));
	strcpy(id.name, ports[chance(c, ARRAY_SIZE(ports))]);
	strcpy(id.serial, serials[chance(c, ARRAY_SIZE(serials))]);
	return id;
}

/* What a filter keeps of devices that come and go. */
static void show_judged(FILE *to, struct usbfilter *f, struct chance *c)
{
	for (unsigned int i = 0; i < 60; i++) {
		struct usb_identity id = some_device(c);
		struct usbmon_header h = {.type = 'S', .busnum = id.bus, .devnum = id.dev};

		if (chance(c, 3) == 0)
			fprintf(to, "l%d", usbfilter_learn(f, &id));
		if (chance(c, 8) == 0)
			usbfilter_forget(f, id.bus, id.dev);
		h.epnum = (uint8_t)chance(c, 4);
		h.epnum |= chance(c, 2) ? 0x80 : 0;
		if (chance(c, 30) == 0)
			h.busnum = (uint16_t)chance(c, 400);
		if (chance(c, 30) == 0)
			h.devnum = (uint8_t)chance(c, 256);
		fprintf(to, " %d%d%d", usbfilter_match(f, &h), usbfilter_wanted(f, id.bus, id.dev),
			f->count ? usbfilter_is(&f->terms[0], &id) : 9);
	}
	fputc('\n', to);
}

static void show_filters(FILE *to, struct chance *c)
{
	struct usbfilter *f = malloc(sizeof(*f));

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct trawl_error err = {0};
		const char *other = texts[chance(c, ARRAY_SIZE(texts))];

		memset(f, 0, sizeof(*f));
		fprintf(to, "=== %s %d", texts[i], usbfilter_add(f, texts[i], &err));
		fprintf(to, " %d %s\n", err.status, err.text);
		if (chance(c, 2)) {
			fprintf(to, "and %s %d", other, usbfilter_add(f, other, &err));
			fprintf(to, " %s\n", err.text);
		}
		for (uint32_t k = 0; k < f->count; k++)
			show_term(to, &f->terms[k]);
		fprintf(to, "every %d %u bus %u partial %d\n", f->every, f->every_bus, usbfilter_bus(f),
			usbfilter_partial(f));
		show_judged(to, f, c);
		fprintf(to, "met %x\n", f->met);
	}
	for (unsigned int i = 0; i < USBFILTER_TERMS + 2; i++) {
		struct trawl_error err = {0};

		fprintf(to, "%d", usbfilter_add(f, "1", &err));
		fprintf(to, " %s\n", err.text);
	}
	free(f);
}

/* Strings of a uevent end with NUL, here written as ; */
static const char *const uevents[] = {
	"add@/devices/x;ACTION=add;DEVTYPE=usb_device;SUBSYSTEM=usb;DEVPATH=/devices/pci/usb1/1-2;BUSNUM=001;DEVNUM=005;",
	"remove@/devices/x;ACTION=remove;DEVTYPE=usb_device;SUBSYSTEM=usb;DEVPATH=/devices/usb1/1-2.3;BUSNUM=010;DEVNUM=127;",
	"bind@/x;ACTION=bind;DEVTYPE=usb_device;SUBSYSTEM=usb;DEVPATH=/devices/usb1/1-2;BUSNUM=001;DEVNUM=005;",
	"unbind@/x;ACTION=unbind;DEVTYPE=usb_interface;SUBSYSTEM=usb;DEVPATH=/devices/usb1/1-2/1-2:1.0;",
	"bind@/x;ACTION=bind;DEVTYPE=usb_interface;SUBSYSTEM=usb;DEVPATH=/devices/usb1/1-2/1-2:1.0;",
	"change@/x;ACTION=change;DEVTYPE=usb_device;SUBSYSTEM=usb;DEVPATH=/devices/usb1/1-2;",
	"add@/x;ACTION=add;DEVTYPE=usb_interface;SUBSYSTEM=usb;DEVPATH=/devices/usb1/1-2/1-2:1.0;",
	"add@/x;ACTION=add;DEVTYPE=usb_endpoint;SUBSYSTEM=usb;DEVPATH=/devices/usb1/1-2/ep_00;",
	"add@/x;ACTION=add;DEVTYPE=usb_device;SUBSYSTEM=block;DEVPATH=/devices/usb1/1-2;",
	"add@/x;ACTION=add;SUBSYSTEM=usb;DEVPATH=/devices/usb1/1-2;BUSNUM=001;DEVNUM=005;",
	"add@/x;ACTION=add;DEVTYPE=usb_device;SUBSYSTEM=usb;DEVPATH=usb1;BUSNUM=1;DEVNUM=1;",
	"add@/x;ACTION=add;DEVTYPE=usb_device;SUBSYSTEM=usb;DEVPATH=/;BUSNUM=1;DEVNUM=1;",
	"add@/x;ACTION=add;DEVTYPE=usb_device;SUBSYSTEM=usb;DEVPATH=/a/;BUSNUM=1;DEVNUM=1;",
	"add@/x;ACTION=add;DEVTYPE=usb_device;SUBSYSTEM=usb;BUSNUM=99999;DEVNUM=999;DEVPATH=/d/2-1;",
	"add@/x;ACTION=add;DEVTYPE=usb_device;SUBSYSTEM=usb;BUSNUM=x;DEVNUM=;DEVPATH=/d/2-1;",
	"libudev;ACTION=add;DEVTYPE=usb_device;SUBSYSTEM=usb;DEVPATH=/d/2-1;", "", ";", "ACTION=add;", "add@/x",
	"add@/x;ACTION=move;DEVTYPE=usb_device;SUBSYSTEM=usb;DEVPATH=/d/2-1;BUSNUM=002;DEVNUM=003;",
};

static void show_uevents(FILE *to, struct chance *c)
{
	for (unsigned int i = 0; i < 10 * ARRAY_SIZE(uevents); i++) {
		const char *from = uevents[i % ARRAY_SIZE(uevents)];
		size_t len = strlen(from);
		struct usb_uevent ev = {0};
		char text[512] = "";

		for (size_t k = 0; k < len; k++)
			text[k] = from[k] == ';' ? '\0' : from[k];
		if (i >= ARRAY_SIZE(uevents))
			len = chance(c, (uint32_t)len + 1);
		fprintf(to, "%u %zu %d", (unsigned int)(i % ARRAY_SIZE(uevents)), len,
			usbsys_parse(text, len, &ev));
		fprintf(to, " %d %s %u %u\n", ev.action, ev.name, ev.bus, ev.dev);
	}
}

static void show_tally(FILE *to, struct chance *c)
{
	for (unsigned int i = 0; i < 120; i++) {
		struct usbtally t = {.text = chance(c, 5) == 0, .partial = i % 4 == 0};
		struct json j = {0};
		char text[USBTALLY_TEXT], small[40];

		t.lost = chance(c, 4) ? 0 : chance(c, 3);
		t.undecided = chance(c, 4) ? 0 : chance(c, 3);
		t.malformed = chance(c, 4) ? 0 : chance(c, 3);
		t.devices = chance(c, 3);
		t.gone = chance(c, 3);
		for (unsigned int k = chance(c, 8); k; k--) {
			uint8_t after[96];
			struct usbmon_header h = {.type = (uint8_t)"SCE"[k % 3]};
			size_t given = chance(c, 3) ? chance(c, 96) : 64;

			h.flag_data = "\0<>=DZ"[chance(c, 6)];
			h.xfer_type = (uint8_t)chance(c, 4);
			h.epnum = (uint8_t)(chance(c, 2) << 7);
			h.len_cap = (uint32_t)given + (chance(c, 3) ? 0 : chance(c, 9));
			h.len_urb = chance(c, 2) ? h.len_cap : chance(c, 128);
			h.ndesc = h.xfer_type ? 0 : chance(c, 5);
			h.status = chance(c, 3) ? 0 : -(int32_t)chance(c, 130);
			h.setup[4] = (uint8_t)chance(c, 8);
			for (size_t n = 0; n < sizeof(after); n++)
				after[n] = (uint8_t)(chance(c, 3) ? 0 : chance(c, 40));
			usbtally_count(&t, &h, after, given);
		}
		usbtally_text(&t, text, sizeof(text));
		usbtally_text(&t, small, sizeof(small));
		usbtally_json(&t, i % 3 ? 1 << 20 : 0, chance(c, 2), &j);
		fprintf(to, "%s\n%s\n%.*s\n", text, small, (int)j.len, j.text);
		json_free(&j);
	}
}

static void show_times(FILE *to, struct chance *c)
{
	for (unsigned int i = 0; i < 300; i++) {
		uint32_t line = chance(c, 2) ? chance(c, 4096000000u) : chance(c, 5);
		int64_t steady = (int64_t)chance(c, 20000) * 1000000007;
		int64_t ahead = ((int64_t)chance(c, 2000000) - 1000) * 1000000000;

		fprintf(to, "%u %" PRId64 " %" PRId64 ": %" PRId64 "\n", line, steady, ahead,
			usbtext_time(line, steady, ahead));
	}
}

Test(printed, usb)
{
	struct printed p;

	printed_open(&p, "usbcapture");
	chance_take(&p, "filters", show_filters);
	chance_take(&p, "uevents", show_uevents);
	chance_take(&p, "tally", show_tally);
	chance_take(&p, "times", show_times);
	printed_close(&p);
}
