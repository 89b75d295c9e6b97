/* SPDX-License-Identifier: MIT */
#include "decode/usb/hub.h"
#include "common/array.h"
#include "decode/base/number.h"
#include "decode/base/bytes.h"


/* bytes in a change bitmap: one bit for the hub, and one for each of the up to 255 ports */
#define BITMAP_MAX 32

static size_t bitmap_bits(size_t n)
{
	return (n < BITMAP_MAX ? n : BITMAP_MAX) * 8;
}

void hub_change_tree(const uint8_t *p, size_t n, struct tree *t)
{
	tree_object(t, "hub");
	if (n)
		tree_bool(t, "hub_changed", p[0] & 1);
	tree_list(t, "ports_changed");
	for (size_t i = 1; i < bitmap_bits(n); i++)
		if (p[i / 8] >> (i % 8) & 1)
			tree_uint(t, "port", i);
	tree_close(t);
	tree_close(t);
}

void hub_change_brief(const uint8_t *p, size_t n, struct out *o)
{
	const char *lead = " port ";

	if (n && p[0] & 1)
		out_str(o, " hub");
	for (size_t i = 1; i < bitmap_bits(n); i++) {
		if (p[i / 8] >> (i % 8) & 1) {
			out_str(o, lead);
			out_u64(o, i);
			lead = ", ";
		}
	}
	out_str(o, " changed");
}

struct bit {
	uint8_t bit;
	const char *name;
};

static const struct bit hub_bits[] = {{0, "local-power-lost"}, {1, "over-current"}};

static const struct bit usb2_bits[] = {
	{0, "connection"}, {1, "enable"}, {2, "suspend"}, {3, "over-current"}, {4, "reset"},
	{5, "l1"}, {8, "power"}, {9, "low-speed"}, {10, "high-speed"}, {11, "test"},
	{12, "indicator"},
};

static const struct bit usb3_bits[] = {
	{0, "connection"}, {1, "enable"}, {3, "over-current"}, {4, "reset"}, {9, "power"},
};

static const struct bit usb2_changes[] = {
	{0, "connection"}, {1, "enable"}, {2, "suspend"}, {3, "over-current"}, {4, "reset"},
	{5, "l1"},
};

static const struct bit usb3_changes[] = {
	{0, "connection"}, {3, "over-current"}, {4, "reset"}, {5, "bh-reset"}, {6, "link-state"},
	{7, "config-error"},
};

static const char *const link_states[16] = {
	"U0", "U1", "U2", "U3", "disabled", "rx-detect", "inactive", "polling", "recovery",
	"hot-reset", "compliance", "loopback",
};

struct words {
	const struct bit *status, *change;
	size_t nstatus, nchange;
};

static struct words words_of(unsigned int port, bool super)
{
	if (!port)
		return (struct words){hub_bits, hub_bits, ARRAY_SIZE(hub_bits),
				      ARRAY_SIZE(hub_bits)};
	if (super)
		return (struct words){usb3_bits, usb3_changes, ARRAY_SIZE(usb3_bits),
				      ARRAY_SIZE(usb3_changes)};
	return (struct words){usb2_bits, usb2_changes, ARRAY_SIZE(usb2_bits),
			      ARRAY_SIZE(usb2_changes)};
}

static void bits_tree(const char *name, uint16_t v, const struct bit *bits, size_t n,
		      struct tree *t)
{
	tree_list(t, name);
	for (size_t i = 0; i < n; i++)
		if (v >> bits[i].bit & 1)
			tree_str(t, "bit", bits[i].name);
	tree_close(t);
}

void hub_status_tree(unsigned int port, bool super, const uint8_t *p, size_t n, struct tree *t)
{
	struct words w = words_of(port, super);

	if (n < 4)
		return;
	tree_object(t, "hub");
	tree_uint(t, "port", port);
	tree_hex(t, port ? "wPortStatus" : "wHubStatus", get16(p), 4);
	tree_hex(t, port ? "wPortChange" : "wHubChange", get16(p + 2), 4);
	bits_tree("status", get16(p), w.status, w.nstatus, t);
	bits_tree("change", get16(p + 2), w.change, w.nchange, t);
	if (port && super)
		tree_str(t, "link_state", link_states[get16(p) >> 5 & 15]);
	tree_close(t);
}

static void bits_brief(uint16_t v, const struct bit *bits, size_t n, struct out *o)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (v >> bits[i].bit & 1) {
			out_char(o, any ? '+' : ' ');
			out_str(o, bits[i].name);
			any = true;
		}
	}
	if (!any)
		out_str(o, " none");
}

void hub_status_brief(unsigned int port, bool super, const uint8_t *p, size_t n, struct out *o)
{
	struct words w = words_of(port, super);

	if (n < 4)
		return;
	out_str(o, "status");
	bits_brief(get16(p), w.status, w.nstatus, o);
	if (port && super && link_states[get16(p) >> 5 & 15])
		out_printf(o, " %s", link_states[get16(p) >> 5 & 15]);
	if (get16(p + 2)) {
		out_str(o, ", changed");
		bits_brief(get16(p + 2), w.change, w.nchange, o);
	}
}
