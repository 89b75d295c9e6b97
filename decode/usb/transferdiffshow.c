/* SPDX-License-Identifier: MIT */
#include "decode/usb/transferdiffshow.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/escape.h"
#include "decode/usb/urb.h"

static void put_device(const struct diff_device *d, struct out *o)
{
	out_printf(o, "%u:%u", d->bus, d->address);
	if (d->known)
		out_printf(o, " %04x:%04x", d->vendor, d->product);
	if (*d->name) {
		out_char(o, ' ');
		out_safe(o, d->name, strlen(d->name));
	}
}

static void pipe_text(const struct diff_pipe *p, struct out *o)
{
	char what[40];

	if (p->xfer == URB_CONTROL)
		snprintf(what, sizeof(what), "ep0 control");
	else
		snprintf(what, sizeof(what), "ep%u %s %s", p->endpoint & 15u,
			 p->endpoint & 0x80 ? "IN" : "OUT", urb_xfer_name(p->xfer));
	out_printf(o, "    %-18s %9llu %9llu %9llu %9llu", what, (unsigned long long)p->same,
		   (unsigned long long)p->changed, (unsigned long long)p->only[0],
		   (unsigned long long)p->only[1]);
	if (p->before[0] || p->before[1])
		out_printf(o, "   (%llu more before the other capture begins)",
			   (unsigned long long)(p->before[0] + p->before[1]));
	out_char(o, '\n');
}

static void device_text(const struct diff_device *d, struct out *o)
{
	out_str(o, "  ");
	put_device(d, o);
	if (d->partner) {
		out_str(o, " and ");
		put_device(d->partner, o);
	} else {
		out_printf(o, ": only in the %s capture", d->capture ? "second" : "first");
	}
	out_char(o, '\n');
	for (size_t i = 0; i < d->npipes; i++)
		pipe_text(&d->pipes[i], o);
	for (size_t i = 0; d->partner && i < d->partner->npipes; i++)
		if (!d->partner->pipes[i].partner)
			pipe_text(&d->partner->pipes[i], o);
	if (d->answers_same || d->answers_differ)
		out_printf(o, "    %-18s %9llu %9llu\n", "descriptors",
			   (unsigned long long)d->answers_same,
			   (unsigned long long)d->answers_differ);
}

void transferdiff_text(const struct transfer_diff *t, struct out *o)
{
	out_printf(o, "transfers by device and endpoint\n    %-18s %9s %9s %9s %9s\n", "endpoint",
		   "same", "different", "only 1st", "only 2nd");
	for (unsigned int c = 0; c < 2; c++)
		for (const struct diff_device *d = t->devices[c]; d; d = d->next)
			if (!d->root && (!c || !d->partner))
				device_text(d, o);
	if (!t->count)
		out_printf(o, "no difference: %llu transfers are the same\n",
			   (unsigned long long)t->same);
	else
		out_printf(o, "%llu of %llu transfers differ\n", (unsigned long long)t->count,
			   (unsigned long long)(t->count + t->same));
}

static void pipe_json(const struct diff_pipe *p, bool *comma, struct out *o)
{
	out_printf(o,
		   "%s{\"endpoint\":%u,\"in\":%s,\"xfer\":\"%s\",\"same\":%llu,\"different\":%llu,"
		   "\"only_first\":%llu,\"only_second\":%llu,\"before\":%llu}",
		   * comma ? "," : "", p->endpoint & 15u, p->endpoint & 0x80 ? "true" : "false",
		   urb_xfer_name(p->xfer), (unsigned long long)p->same,
		   (unsigned long long)p->changed, (unsigned long long)p->only[0],
		   (unsigned long long)p->only[1],
		   (unsigned long long)(p->before[0] + p->before[1]));
	*comma = true;
}

static void device_json(const struct diff_device *d, struct out *o)
{
	bool comma = false;

	out_printf(o, "{\"bus\":%u,\"dev\":%u,", d->bus, d->address);
	if (d->known)
		out_printf(o, "\"vid\":\"%04x\",\"pid\":\"%04x\",", d->vendor, d->product);
	out_printf(o, "\"in_both\":%s,\"descriptors_same\":%llu,\"descriptors_different\":%llu,"
		   "\"endpoints\":[", d->partner ? "true" : "false",
		   (unsigned long long)d->answers_same, (unsigned long long)d->answers_differ);
	for (size_t i = 0; i < d->npipes; i++)
		pipe_json(&d->pipes[i], &comma, o);
	for (size_t i = 0; d->partner && i < d->partner->npipes; i++)
		if (!d->partner->pipes[i].partner)
			pipe_json(&d->partner->pipes[i], &comma, o);
	out_str(o, "]}");
}

void transferdiff_json(const struct transfer_diff *t, struct out *o)
{
	const struct transfer_difference *f = &t->first;
	const char *comma = "";

	out_printf(o, "{\"same\":%s,\"transfers_same\":%llu,\"transfers_different\":%llu",
		   t->count ? "false" : "true", (unsigned long long)t->same,
		   (unsigned long long)t->count);
	if (f->any) {
		out_str(o, ",\"first\":{\"where\":");
		out_json(o, f->where, strlen(f->where));
		out_str(o, ",\"what\":");
		out_json(o, f->what, strlen(f->what));
		for (unsigned int c = 0; c < 2; c++)
			if (f->item[c] != TRANSFERDIFF_NONE)
				out_printf(o, ",\"%s\":%llu", c ? "second" : "first",
					   (unsigned long long)f->item[c]);
		out_char(o, '}');
	}
	out_str(o, ",\"devices\":[");
	for (unsigned int c = 0; c < 2; c++) {
		for (const struct diff_device *d = t->devices[c]; d; d = d->next) {
			if (d->root || (c && d->partner))
				continue;
			out_str(o, comma);
			device_json(d, o);
			comma = ",";
		}
	}
	out_str(o, "]}\n");
}
