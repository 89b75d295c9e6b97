/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>
#include "capture/usb/filter.h"
#include "capture/usb/hold.h"
#include "common/array.h"

static struct usbfilter *f;
static struct trawl_error err;

static void setup(void)
{
	f = calloc(1, sizeof(*f));
}

static void teardown(void)
{
	free(f);
}

TestSuite(usbfilter, .init = setup, .fini = teardown);

static void add(const char *text)
{
	cr_assert_eq(usbfilter_add(f, text, &err), 0, "%s: %s", text, err.text);
}

static enum usbfilter_verdict match(uint16_t bus, uint8_t dev, uint8_t epnum)
{
	struct usbmon_header h = { .type = 'S', .busnum = bus, .devnum = dev, .epnum = epnum };

	return usbfilter_match(f, &h);
}

static bool learn(uint16_t bus, uint8_t dev, uint16_t vid, uint16_t pid, const char *port,
		  const char *serial)
{
	struct usb_identity id = { .bus = bus, .dev = dev, .vid = vid, .pid = pid };

	strcpy(id.name, port);
	strcpy(id.serial, serial);
	return usbfilter_learn(f, &id);
}

Test(usbfilter, nothing_said_is_everything_wanted)
{
	add("");
	cr_assert_eq(match(3, 9, 0x81), USBFILTER_KEEP);
	cr_assert_eq(match(3, 0, 0), USBFILTER_KEEP);
	cr_assert_eq(match(300, 200, 0), USBFILTER_KEEP);
	cr_assert_eq(usbfilter_bus(f), 0);
}

Test(usbfilter, one_bus_suffices_if_all_name_it)
{
	add("2");
	add("bus=2,ep=1in");
	add("dev=2:7");
	cr_assert_eq(usbfilter_bus(f), 2);
	add("3");
	cr_assert_eq(usbfilter_bus(f), 0);
	cr_assert_eq(match(2, 1, 0), USBFILTER_KEEP);
	cr_assert_eq(match(3, 1, 0), USBFILTER_KEEP);
	cr_assert_eq(match(1, 1, 0), USBFILTER_DROP);
}

Test(usbfilter, an_id_needs_to_know_the_device)
{
	add("46f4:0001");
	cr_assert_eq(match(1, 4, 0x81), USBFILTER_UNDECIDED);
	cr_assert(learn(1, 4, 0x46f4, 1, "1-2", ""));
	cr_assert_not(learn(1, 5, 0x46f4, 2, "1-3", ""));
	cr_assert_eq(match(1, 4, 0x81), USBFILTER_KEEP);
	cr_assert_eq(match(1, 5, 0x81), USBFILTER_DROP);
	usbfilter_forget(f, 1, 4);
	cr_assert_eq(match(1, 4, 0x81), USBFILTER_UNDECIDED);
}

Test(usbfilter, a_star_is_any_product)
{
	add("46f4:*");
	cr_assert(learn(1, 5, 0x46f4, 0xffff, "1-3", ""));
	cr_assert_not(learn(1, 6, 0x46f5, 0xffff, "1-4", ""));
}

Test(usbfilter, ports_and_serial_numbers)
{
	add("port=1-2.3");
	add("serial=ABC 1");
	add("port=10-2.10.1,bus=10");
	add("port=usb3");
	cr_assert(learn(10, 4, 1, 1, "10-2.10.1", "x"));
	cr_assert(learn(3, 1, 1, 1, "usb3", ""));
	cr_assert(learn(1, 4, 1, 1, "1-2.3", "x"));
	cr_assert(learn(1, 5, 1, 1, "1-2", "ABC 1"));
	cr_assert_not(learn(1, 6, 1, 1, "1-2.31", "ABC 12"));
}

Test(usbfilter, endpoints)
{
	add("dev=1:4,ep=0x81");
	add("dev=1:4,ep=2");
	add("dev=1:4,ep=3out");
	cr_assert(usbfilter_partial(f));
	cr_assert_eq(match(1, 4, 0x81), USBFILTER_KEEP);
	cr_assert_eq(match(1, 4, 0x01), USBFILTER_DROP);
	cr_assert_eq(match(1, 4, 0x82), USBFILTER_KEEP);
	cr_assert_eq(match(1, 4, 0x02), USBFILTER_KEEP);
	cr_assert_eq(match(1, 4, 0x03), USBFILTER_KEEP);
	cr_assert_eq(match(1, 4, 0x83), USBFILTER_DROP);
	cr_assert_eq(match(1, 5, 0x81), USBFILTER_DROP);
}

Test(usbfilter, an_endpoint_that_is_not_wanted_is_decided_at_once)
{
	add("46f4:0001,ep=1in");
	cr_assert_eq(match(1, 4, 0x81), USBFILTER_UNDECIDED);
	cr_assert_eq(match(1, 4, 0x82), USBFILTER_DROP);
}

Test(usbfilter, an_address_may_name_the_bus_again)
{
	add("bus=3,dev=3:2");
	cr_assert_eq(match(3, 2, 0x81), USBFILTER_KEEP);
	cr_assert_eq(match(3, 1, 0x81), USBFILTER_DROP);
}

Test(usbfilter, errors_show_the_place)
{
	static const struct {
		const char *text;
		int column; /* of the caret, from the start of the text */
		const char *says;
	} cases[] = {
		{ "0", 0, "1 to 127" },
		{ "128", 0, "1 to 127" },
		{ "bus=x", 4, "1 to 127" },
		{ "46f4:001", 0, "four hex digits" },
		{ "46f4:00011", 0, "four hex digits" },
		{ "46f4:", 0, "four hex digits" },
		{ "port=", 5, "port path" },
		{ "serial=", 7, "serial" },
		{ "dev=1", 4, "BUS:DEV" },
		{ "dev=1:128", 4, "BUS:DEV" },
		{ "dev=1:0", 4, "BUS:DEV" },
		{ "1,ep=16", 5, "0 to 15" },
		{ "ep=0x81out", 3, "0 to 15" },
		{ "ep=in", 3, "0 to 15" },
		{ "1,vid=3", 2, "not one of" },
		{ "1,,2", 2, "part is missing" },
		{ ",ep=1", 0, "part is missing" },
		{ "ep=1,", 5, "part is missing" },
		{ "1:4", 0, "usb:dev=1:4" },
		{ "46f4", 0, "usb:46f4:*" },
		{ "0627", 0, "usb:0627:*" },
		{ "port=xyz", 5, "BUS-PORT[.PORT...]" },
		{ "port=1", 5, "BUS-PORT[.PORT...]" },
		{ "port=1-", 5, "BUS-PORT[.PORT...]" },
		{ "port=1.2", 5, "BUS-PORT[.PORT...]" },
		{ "port=1-2-3", 5, "BUS-PORT[.PORT...]" },
		{ "port=1-2.", 5, "BUS-PORT[.PORT...]" },
		{ "port=1-02", 5, "BUS-PORT[.PORT...]" },
		{ "port=1-2.3:1.0", 5, "BUS-PORT[.PORT...]" },
		{ "port=usb", 5, "BUS-PORT[.PORT...]" },
		{ "port=usb1-2", 5, "BUS-PORT[.PORT...]" },
		{ "port=1-2,bus=2", 9, "this bus differs" },
		{ "dev=2:3,port=1-2", 8, "this bus differs" },
		{ "1,2", 2, "one of each kind" },
		{ "46f4:0001,0627:0001", 10, "one of each kind" },
		{ "port=1-2,ep=1,port=1-3", 14, "one of each kind" },
		{ "bus=1,dev=3:2", 6, "this bus differs" },
		{ "dev=3:2,1", 8, "this bus differs" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *caret;

		cr_assert_eq(usbfilter_add(f, cases[i].text, &err), -1, "%s", cases[i].text);
		cr_assert_eq(err.status, TRAWL_USAGE);
		cr_assert(strstr(err.text, cases[i].says), "%s", err.text);
		caret = strrchr(err.text, '\n') + 1;
		cr_assert_eq(strspn(caret, " "), 4 + (size_t)cases[i].column + strlen("usb:"), "%s",
			     err.text);
	}
}

/* ---- usbhold ------------------------------------------------------------------------------- */

static char seen[100];

static int note(const uint8_t *event, size_t len, void *arg)
{
	struct usbmon_header h;

	memcpy(&h, event, sizeof(h));
	seen[strlen(seen)] = (char)h.id;
	return 0;
}

static void hold(struct usbhold *h, char id, uint8_t dev, uint64_t now)
{
	struct usbmon_header event = {.id = (uint64_t)id, .type = 'S', .busnum = 1, .devnum = dev};

	cr_assert_eq(usbhold_add(h, (const uint8_t *)&event, sizeof(event), now), 0);
}

Test(usbfilter, enumeration_is_kept_in_order_once_the_device_is_known)
{
	struct usbhold h = { 0 };

	memset(seen, 0, sizeof(seen));
	add("46f4:0001");
	learn(1, 2, 0x46f4, 1, "1-1", "");
	hold(&h, 'a', 0, 100);
	hold(&h, 'b', 5, 101);
	hold(&h, 'c', 2, 102);
	hold(&h, 'd', 6, 103);
	cr_assert_eq(usbhold_release(&h, f, 104, note, NULL), 0);
	cr_assert_str_eq(seen, "");
	usbhold_enumerated(&h, 1, learn(1, 5, 0x46f4, 1, "1-2", ""));
	usbhold_release(&h, f, 105, note, NULL);
	cr_assert_str_eq(seen, "abc");
	cr_assert(usbhold_waiting(&h));
	usbhold_enumerated(&h, 1, learn(1, 6, 0x46f4, 2, "1-3", ""));
	usbhold_release(&h, f, 106, note, NULL);
	cr_assert_str_eq(seen, "abc");
	cr_assert_not(usbhold_waiting(&h));
	cr_assert_eq(h.given_up, 0);
	usbhold_free(&h);
}

Test(usbfilter, what_is_never_decided_is_given_up)
{
	struct usbhold h = { 0 };
	int i;

	memset(seen, 0, sizeof(seen));
	add("46f4:0001");
	learn(1, 2, 0x46f4, 1, "1-1", "");
	hold(&h, 'a', 9, 100);
	hold(&h, 'b', 2, 200);
	usbhold_release(&h, f, 100 + USBHOLD_MS - 1, note, NULL);
	cr_assert_str_eq(seen, "");
	usbhold_release(&h, f, 100 + USBHOLD_MS, note, NULL);
	cr_assert_str_eq(seen, "b");
	cr_assert_eq(h.given_up, 1);
	/* Above the limit, the oldest events are dropped first. */
	for (i = 0; i < 100000; i++)
		hold(&h, 'x', 9, 300);
	usbhold_release(&h, f, 300, note, NULL);
	cr_assert(usbhold_waiting(&h));
	cr_assert_gt(h.given_up, 1000);
	cr_assert_leq(h.tail - h.head, (size_t)USBHOLD_BYTES);
	usbhold_free(&h);
}
