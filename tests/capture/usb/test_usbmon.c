/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "common/array.h"
#include "tests/capture/usb/monmodel.h"

static struct usbmon mon;
static struct trawl_error err;

static void setup(void)
{
	monmodel_reset();
}

static void teardown(void)
{
	usbmon_close(&mon);
}

static void open_mon(void)
{
	cr_assert_eq(usbmon_open(&mon, &monmodel_ops, "model", 0, &err), 0, "%s", err.text);
}

/* Writes event number n with len bytes that depend on n. */
static bool push(uint64_t n, size_t len)
{
	struct usbmon_header h = {
		.id = n, .type = 'C', .xfer_type = 3, .epnum = 0x81, .devnum = 2, .busnum = 1,
		.len_urb = (uint32_t)len,
	};
	uint8_t *data = malloc(len + 1);
	size_t i;
	bool taken;

	for (i = 0; i < len; i++)
		data[i] = (uint8_t)(n * 31 + i);
	taken = monmodel_event(&h, data, len);
	free(data);
	return taken;
}

/* Reads the next event and checks its bytes. Returns its number, or UINT64_MAX if there is none. */
static uint64_t pull(uint32_t *len_cap)
{
	const uint8_t *event;
	struct usbmon_header h;
	size_t i;
	int r = usbmon_next(&mon, &event, &err);

	cr_assert_geq(r, 0, "%s", err.text);
	if (r == 0)
		return UINT64_MAX;
	memcpy(&h, event, sizeof(h));
	cr_assert_eq(h.type, 'C');
	for (i = 0; i < h.len_cap; i++)
		cr_assert_eq(event[sizeof(h) + i], (uint8_t)(h.id * 31 + i), "event %zu byte %zu",
			     (size_t)h.id, i);
	if (len_cap)
		*len_cap = h.len_cap;
	return h.id;
}

TestSuite(usbmon, .init = setup, .fini = teardown);

Test(usbmon, takes_the_largest_ring)
{
	static const struct {
		size_t kernel, got;
	} cases[] = {
		{ 64 << 20, 64 << 20 },
		{ 1200 << 10, 1200 << 10 },
		{ 5 << 20, 4 << 20 },
		{ 300 << 10, 300 << 10 }, /* refuses all sizes: the default stays */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		monmodel_reset();
		monmodel.ring_max = cases[i].kernel;
		open_mon();
		cr_assert_eq(mon.ring_size, cases[i].got, "%zu", mon.ring_size);
		usbmon_close(&mon);
	}
}

/* Random sizes over many laps of a small ring: the same events, order and bytes come out. */
static void laps(void)
{
	uint64_t pushed = 0, pulled = 0, n;
	unsigned int seed = 1;
	int i, burst;

	monmodel.ring_max = 100 << 10;
	cr_assert_eq(usbmon_open(&mon, &monmodel_ops, "model", 100 << 10, &err), 0);
	for (i = 0; i < 20000; i++) {
		for (burst = rand_r(&seed) % 20; burst > 0; burst--)
			pushed += push(pushed, (size_t)rand_r(&seed) % (i % 50 ? 300 : 15000));
		for (burst = rand_r(&seed) % 25; burst > 0; burst--) {
			n = pull(NULL);
			if (n == UINT64_MAX)
				break;
			cr_assert_eq(n, pulled++);
		}
	}
	while ((n = pull(NULL)) != UINT64_MAX)
		cr_assert_eq(n, pulled++);
	cr_assert_eq(pulled, pushed);
	cr_assert_gt(pushed, 100000);
	cr_assert_eq(mon.malformed, 0);
	cr_assert_eq(monmodel.used, 0);
}

Test(usbmon, keeps_order_and_bytes_over_many_laps)
{
	laps();
	cr_assert(mon.ring);
	cr_assert_gt(monmodel.flushed, 100000);
}

Test(usbmon, reads_one_by_one_where_it_cannot_map)
{
	monmodel.no_map = true;
	laps();
	cr_assert_null(mon.ring);
	cr_assert_eq(monmodel.fetches, 0);
}

Test(usbmon, needs_one_ioctl_for_a_batch)
{
	uint64_t i;

	open_mon();
	for (i = 0; i < 10000; i++)
		cr_assert(push(i, 8));
	for (i = 0; i < 10000; i++)
		cr_assert_eq(pull(NULL), i);
	cr_assert_eq(pull(NULL), UINT64_MAX);
	/* 10 batches of 1024, the last of which is short, and one that finds nothing. */
	cr_assert_leq(monmodel.fetches, 11, "%zu", (size_t)monmodel.fetches);
}

Test(usbmon, skips_nothing_when_interrupted_after_a_flush)
{
	open_mon();
	cr_assert(push(0, 10) && push(1, 10));
	cr_assert_eq(pull(NULL), 0);
	cr_assert_eq(pull(NULL), 1);
	/* The next fetch flushes two events and is then interrupted twice. */
	cr_assert(push(2, 10) && push(3, 10) && push(4, 10));
	monmodel.interrupts = 2;
	cr_assert_eq(pull(NULL), 2);
	cr_assert_eq(pull(NULL), 3);
	cr_assert_eq(pull(NULL), 4);
	cr_assert_eq(monmodel.interrupts, 0);
}

Test(usbmon, leaves_nothing_unflushed_when_it_says_that_there_is_nothing)
{
	open_mon();
	cr_assert(push(0, 10));
	cr_assert_eq(pull(NULL), 0);
	cr_assert_eq(pull(NULL), UINT64_MAX);
	cr_assert_eq(monmodel.used, 0, "poll() would return at once");
}

Test(usbmon, puts_an_event_of_before_the_mapping_together)
{
	uint64_t i, n = 0;

	monmodel.ring_max = 64 << 10;
	cr_assert_eq(usbmon_open(&mon, &monmodel_ops, "model", 64 << 10, &err), 0);
	monmodel.mapped = false;
	for (i = 0; i < 200; i++) {
		cr_assert(push(i, 1000));
		while (i > 40 && n < i - 40)
			cr_assert_eq(pull(NULL), n++);
	}
	while (n < 200)
		cr_assert_eq(pull(NULL), n++);
	cr_assert_eq(mon.malformed, 0);
}

Test(usbmon, gives_room_back_before_a_batch_of_large_events_is_through)
{
	uint64_t pushed = 0, pulled = 0;
	int i;

	open_mon();
	while (push(pushed, 1 << 20))
		pushed++;
	cr_assert_gt(pushed, 50);
	for (i = 0; i < 16; i++)
		cr_assert_eq(pull(NULL), pulled++);
	cr_assert(push(pushed, 1 << 20), "the ring is still full");
}

Test(usbmon, cuts_at_a_fifth_of_the_ring)
{
	uint32_t len;

	open_mon();
	cr_assert(push(7, 20 << 20));
	cr_assert_eq(pull(&len), 7);
	cr_assert_eq(len, (64 << 20) / 5);
	cr_assert_leq(len, usbmon_data_max(&mon));
}

Test(usbmon, tells_each_loss_once)
{
	uint64_t lost, refused = 0;

	monmodel.ring_max = 64 << 10;
	cr_assert_eq(usbmon_open(&mon, &monmodel_ops, "model", 64 << 10, &err), 0);
	while (refused < 25)
		refused += !push(0, 500);
	cr_assert_eq(usbmon_lost(&mon, &lost, &err), 0);
	cr_assert_eq(lost, 25);
	cr_assert_eq(usbmon_lost(&mon, &lost, &err), 0);
	cr_assert_eq(lost, 0);
}

Test(usbmon, drops_events_whose_lengths_lead_out_of_the_ring)
{
	struct usbmon_header h;

	open_mon();
	cr_assert(push(0, 0) && push(1, 0) && push(2, 0) && push(3, 0));
	cr_assert_eq(pull(NULL), 0);
	memcpy(&h, monmodel.ring + 64, sizeof(h));
	h.len_cap = 0xfffffff0;
	memcpy(monmodel.ring + 64, &h, sizeof(h));
	h.type = '@'; /* a filler that claims more than the rest of the ring */
	memcpy(monmodel.ring + 128, &h, sizeof(h));
	cr_assert_eq(pull(NULL), 3);
	cr_assert_eq(mon.malformed, 2);
}

Test(usbmon, flush_throws_away_what_is_there)
{
	open_mon();
	cr_assert(push(0, 10) && push(1, 10));
	cr_assert_eq(pull(NULL), 0);
	usbmon_flush(&mon);
	cr_assert_eq(pull(NULL), UINT64_MAX);
	cr_assert(push(2, 10));
	cr_assert_eq(pull(NULL), 2);
}
