/* SPDX-License-Identifier: MIT */
#include "decode/usb/statistics.h"
#include "common/compare.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "decode/base/jdoc.h"
#include "decode/usb/replayable.h"
#include "decode/usb/status.h"
#include "decode/usb/usbpcap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Latency histogram: each power of two is divided into 16 buckets, so percentiles are accurate to 6
 * % in less than 4 KiB per endpoint, however long the capture is.
 */
#define STEPS 16
#define BUCKETS (STEPS * 40)

#define ERRORS_MAX 16      /* kinds of errors that are counted separately for an endpoint */
#define ENDPOINTS_MAX 4096 /* in a file */
#define FUNCTIONS 64       /* function codes of Windows; the last one counts all others */

struct endpoint {
	uint16_t bus;
	uint8_t device, endpoint, xfer;
	uint64_t transfers, bytes, short_ones, pending, unanswered, failed;
	uint64_t first, last;         /* times of the first submission and the last completion */
	uint64_t missing;             /* transfers with bytes that were not captured */
	uint64_t sent;                /* bytes of OUT transfers without a completion */
	uint64_t iso_packets, iso_errors;
	struct {
		int32_t status;
		bool problem;
		uint64_t count;
	} errors[ERRORS_MAX];
	uint64_t more_errors[2];      /* errors of further kinds; [1]: those that are problems */
	uint64_t timed, shortest, longest;
	uint32_t latency[BUCKETS];
	struct endpoint *next;
};

struct usb_stats {
	struct endpoint *table[256];
	size_t count;
	uint64_t left_out; /* transfers of endpoints beyond the limit ENDPOINTS_MAX */
	uint64_t reasons[256]; /* transfers without data, by data flag */
	uint64_t cut, cut_bytes;
	/* requests of USBPcap, counted at completion */
	uint64_t requests[FUNCTIONS], failed_requests;
	uint64_t unknown;      /* packets that are not events */
	uint64_t halves; /* number of records that the transfers consist of */
};

struct usb_stats *usbstat_new(void)
{
	return calloc(1, sizeof(struct usb_stats));
}

void usbstat_free(struct usb_stats *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < 256; i++) {
		while (s->table[i]) {
			struct endpoint *e = s->table[i];

			s->table[i] = e->next;
			free(e);
		}
	}
	free(s);
}

/* Endpoint 0 is one bidirectional pipe; for other endpoints the direction is part of the key. */
static uint8_t endpoint_key(const struct urb *u)
{
	return u->xfer == URB_CONTROL ? u->endpoint & 0x7f : u->endpoint;
}

static struct endpoint *endpoint_of(struct usb_stats *s, const struct urb *u)
{
	uint8_t key = endpoint_key(u);
	struct endpoint **at = &s->table[(u->bus * 7u + u->device * 31u + key) % 256];

	while (*at && ((*at)->bus != u->bus || (*at)->device != u->device ||
		       (*at)->endpoint != key || (*at)->xfer != u->xfer))
		at = &(*at)->next;
	if (*at || s->count == ENDPOINTS_MAX)
		return *at;
	*at = calloc(1, sizeof(**at));
	if (!*at) {
		out_lack_memory();
		return NULL;
	}
	(*at)->bus = u->bus;
	(*at)->device = u->device;
	(*at)->endpoint = key;
	(*at)->xfer = u->xfer;
	s->count++;
	return *at;
}

/* ---- latencies ------------------------------------------------------------------------------ */

static unsigned int bucket_of(uint64_t us)
{
	unsigned int shift, bucket;

	if (us < STEPS)
		return (unsigned int)us;
	shift = 63u - (unsigned int)__builtin_clzll(us) - 4;
	bucket = (shift + 1) * STEPS + (unsigned int)(us >> shift) - STEPS;
	return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* Returns the middle of a bucket in us. */
static double bucket_middle(unsigned int bucket)
{
	unsigned int shift = bucket / STEPS;

	if (shift == 0)
		return bucket;
	return ((double)(STEPS + bucket % STEPS) + 0.5) * (double)(UINT64_C(1) << (shift - 1));
}

static double percentile(const struct endpoint *e, double p)
{
	uint64_t want = (uint64_t)((double)e->timed * p / 100), seen = 0;
	double shortest = (double)e->shortest / 1000, longest = (double)e->longest / 1000;

	/* The minimum and the maximum are known exactly. */
	if (want + 1 >= e->timed)
		return longest;
	if (!want)
		return shortest;
	for (unsigned int i = 0; i < BUCKETS; i++) {
		double middle = bucket_middle(i);

		seen += e->latency[i];
		if (seen > want)
			return middle < shortest ? shortest : middle < longest ? middle : longest;
	}
	return longest;
}

/* ---- counting ------------------------------------------------------------------------------- */

static void count_error(struct endpoint *e, int32_t status, bool problem)
{
	for (unsigned int i = 0; i < ERRORS_MAX; i++) {
		if (e->errors[i].count &&
		    (e->errors[i].status != status || e->errors[i].problem != problem))
			continue;
		e->errors[i].status = status;
		e->errors[i].problem = problem;
		e->errors[i].count++;
		return;
	}
	e->more_errors[problem]++;
}

static void count_data(struct usb_stats *s, struct endpoint *e, const struct transfer *t)
{
	const struct urb *u = transfer_data(t);
	uint64_t missing;

	if (!u)
		return;
	missing = urb_missing(u);
	if (!missing)
		return;
	e->missing++;
	if (urb_flag_text(u->flag_data)) {
		s->reasons[(uint8_t)u->flag_data]++;
	} else {
		s->cut++;
		s->cut_bytes += missing;
	}
}

static void count_done(struct endpoint *e, const struct transfer *t)
{
	const struct urb *u = &t->complete;
	uint64_t latency;

	e->bytes += u->length;
	if (t->has_submit && u->length < t->submit.length && usb_status_moved(u->status) &&
	    urb_in(u))
		e->short_ones++;
	if (u->xfer == URB_ISO) {
		/* usbmon's text has at most five descriptors, but states the number of packets. */
		e->iso_packets += u->iso_packets > (int64_t)u->ndesc ? (uint32_t)u->iso_packets
								     : u->ndesc;
		e->iso_errors += (uint32_t)u->iso_errors;
	}
	if (transfer_latency(t, &latency)) {
		e->timed++;
		e->latency[bucket_of(latency / 1000)]++;
		if (e->timed == 1 || latency < e->shortest)
			e->shortest = latency;
		if (latency > e->longest)
			e->longest = latency;
	}
}

void usbstat_add(struct usb_stats *s, const struct transfer *t)
{
	struct endpoint *e = endpoint_of(s, transfer_urb(t));
	uint64_t begin = t->has_submit ? t->submitted : t->completed;
	uint64_t end = t->has_complete ? t->completed : t->submitted;

	s->halves += (uint64_t)t->has_submit + t->has_complete;
	if (!e) {
		s->left_out++;
		return;
	}
	if (!e->transfers || begin < e->first)
		e->first = begin;
	if (end > e->last)
		e->last = end;
	e->transfers++;
	/* Short reads and cancellations are not errors. */
	if (t->has_complete && t->complete.status) {
		bool problem = t->end == TRANSFER_ERROR ||
			       usb_status_is_problem(t->complete.status) != 0;

		e->failed += problem;
		count_error(e, t->complete.status, problem);
	}
	if (t->end == TRANSFER_UNANSWERED)
		e->unanswered++;
	else if (t->end == TRANSFER_PENDING)
		e->pending++;
	else if (t->end == TRANSFER_DONE)
		count_done(e, t);
	if (!t->has_complete && !urb_in(&t->submit))
		e->sent += t->submit.length;
	count_data(s, e, t);
}

void usbstat_request(struct usb_stats *s, const struct urb *u)
{
	uint16_t f = u->usbpcap.function;

	s->requests[f < FUNCTIONS - 1 ? f : FUNCTIONS - 1]++;
	s->failed_requests += u->usbpcap.info & 1 && u->usbpcap.usbd_status >> 31;
}

void usbstat_unknown(struct usb_stats *s)
{
	s->unknown++;
}

/* ---- printing ------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct endpoint *x = *(const struct endpoint *const *)a;
	const struct endpoint *y = *(const struct endpoint *const *)b;

	if (x->bus != y->bus || x->device != y->device)
		return compare_pairs(x->bus, y->bus, x->device, y->device);
	return compare_pairs(x->endpoint & 15, y->endpoint & 15, x->endpoint, y->endpoint);
}

/* per: "" or "/s" */
static void print_bytes(uint64_t n, const char *per, struct out *o)
{
	if (n < 10000)
		out_printf(o, "%9llu B%s  ", (unsigned long long)n, per);
	else if (n < UINT64_C(10) << 20)
		out_printf(o, "%9.1f KiB%s", (double)n / 1024, per);
	else
		out_printf(o, "%9.1f MiB%s", (double)n / 1048576, per);
}

static void print_us(double us, struct out *o)
{
	if (us < 1000)
		out_printf(o, " %6.0fus", us);
	else if (us < 1e6)
		out_printf(o, " %6.1fms", us / 1e3);
	else
		out_printf(o, " %6.2fs ", us / 1e6);
}

static void print_device(const struct endpoint *e, const struct usb_devices *devices,
			 struct out *o)
{
	const struct usb_device *dev = usbdev_find(devices, e->bus, e->device);

	out_printf(o, "  %u:%u", e->bus, e->device);
	if (dev && dev->known)
		out_printf(o, " %04x:%04x", usbdev_vendor(dev), usbdev_product(dev));
	if (dev && *dev->name) {
		out_char(o, ' ');
		out_safe(o, dev->name, strlen(dev->name));
	}
	if (dev && *dev->port) {
		out_str(o, " at port ");
		out_safe(o, dev->port, strlen(dev->port));
	}
	out_char(o, '\n');
}

/* Prints the errors that are problems, or the others. */
static void print_ends(const struct endpoint *e, bool problems, const char *title, struct out *o)
{
	bool any = false;

	for (unsigned int i = 0; i < ERRORS_MAX && e->errors[i].count; i++) {
		if (e->errors[i].problem != problems)
			continue;
		out_printf(o, "%s %llu %s (%d)", any ? "," : title,
			   (unsigned long long)e->errors[i].count,
			   usb_status_name(e->errors[i].status), e->errors[i].status);
		any = true;
	}
	if (e->more_errors[problems])
		out_printf(o, ", %llu of further kinds",
			   (unsigned long long)e->more_errors[problems]);
	if (any)
		out_char(o, '\n');
}

static void print_errors(const struct endpoint *e, struct out *o)
{
	print_ends(e, true, "      errors:", o);
	print_ends(e, false, "      ended otherwise:", o);
	if (e->iso_errors)
		out_printf(o, "      %llu of %llu isochronous packets failed\n",
			   (unsigned long long)e->iso_errors,
			   (unsigned long long)e->iso_packets);
	if (e->unanswered)
		out_printf(o, "      %llu without an answer\n", (unsigned long long)e->unanswered);
	if (e->sent) {
		out_str(o, "      ");
		out_count(o, e->sent, "byte");
		out_str(o, " more were sent; that they arrived was not recorded\n");
	}
	if (e->missing)
		out_printf(o, "      data of %llu transfer%s was not captured whole\n",
			   (unsigned long long)e->missing, e->missing == 1 ? "" : "s");
}

static void print_endpoint(const struct endpoint *e, struct out *o)
{
	const char *dir = e->xfer == URB_CONTROL ? "" : e->endpoint & 0x80 ? " in" : " out";
	double seconds = (double)(e->last - e->first) / 1e9;
	char name[32];

	snprintf(name, sizeof(name), "ep%u%s %s", e->endpoint & 0x7fu, dir,
		 urb_xfer_name(e->xfer));
	out_printf(o, "    %-18s %9llu ", name, (unsigned long long)e->transfers);
	print_bytes(e->bytes, "", o);
	if (seconds > 0) {
		print_bytes((uint64_t)((double)e->bytes / seconds), "/s", o);
	} else {
		out_fill(o, ' ', 14);
	}
	out_printf(o, " %7llu %7llu %7llu", (unsigned long long)e->failed,
		   (unsigned long long)e->short_ones, (unsigned long long)e->pending);
	if (e->timed) {
		print_us(percentile(e, 50), o);
		print_us(percentile(e, 99), o);
		print_us((double)e->longest / 1000, o);
	}
	out_char(o, '\n');
	print_errors(e, o);
}

static void print_losses(const struct usb_stats *s, struct out *o)
{
	if (s->cut) {
		out_str(o, "  ");
		out_count(o, s->cut, "transfer");
		out_str(o, " cut by a size limit (of -s, or usbmon text's 32 bytes): ");
		out_count(o, s->cut_bytes, "byte");
		out_str(o, " missing\n");
	}
	for (unsigned int i = 0; i < 256; i++) {
		if (!s->reasons[i])
			continue;
		out_str(o, "  ");
		out_count(o, s->reasons[i], "transfer");
		out_printf(o, " without data: %s\n", urb_flag_text((char)i));
	}
	if (s->left_out)
		out_printf(o, "  %llu transfers of further endpoints are not in this table\n",
			   (unsigned long long)s->left_out);
}

void usbstat_replayable(const struct trawl_reader *r, const struct trawl_meta *verdict,
			struct out *o)
{
	enum usb_replayable result;
	struct out why;
	uint64_t left_out = usb_left_out(r);

	out_memory(&why);
	result = usb_replayable(r, verdict, &why);
	if (result == USB_REPLAYABLE_NO)
		out_printf(o, "USB replayable: no, because: %.*s\n", (int)why.len, why.data);
	if (result == USB_REPLAYABLE_YES)
		out_str(o, "USB replayable: yes");
	if (result == USB_REPLAYABLE_YES && left_out)
		out_printf(o, ", what is left of the capture: %" PRIu64 " event%s left out of it",
			   left_out, left_out == 1 ? " was" : "s were");
	if (result == USB_REPLAYABLE_YES)
		out_char(o, '\n');
	out_free(&why);
}

static void print_requests(const struct usb_stats *s, struct out *o)
{
	const char *separator = "USB requests without a transfer:";

	for (uint16_t f = 0; f < FUNCTIONS; f++) {
		const char *name = usbpcap_function_name(f);

		if (!s->requests[f])
			continue;
		out_printf(o, "%s %" PRIu64 " %s", separator, s->requests[f],
			   name ? name : "others");
		separator = ",";
	}
	if (*separator == ',')
		out_printf(o, "; %" PRIu64 " failed\n", s->failed_requests);
	if (s->unknown)
		out_printf(o, "USB packets that are not events: %" PRIu64 "\n", s->unknown);
}

void usbstat_print(const struct usb_stats *s, const struct usb_devices *devices, struct out *o)
{
	struct endpoint **list, *last = NULL;
	size_t n = 0;

	print_requests(s, o);
	if (!s->count)
		return;
	list = malloc(s->count * sizeof(struct endpoint *));
	if (!list) {
		out_lack_memory();
		return;
	}
	for (unsigned int i = 0; i < 256; i++)
		for (struct endpoint *e = s->table[i]; e; e = e->next)
			list[n++] = e;
	qsort(list, n, sizeof(struct endpoint *), by_address);
	out_printf(o, "USB transfers by device and endpoint, of %" PRIu64 " submissions and "
		   "completions\n", s->halves);
	out_printf(o, "    %-18s %9s %13s %15s %7s %7s %7s %8s %8s %8s\n", "endpoint", "transfers",
		   "bytes", "rate", "failed", "short", "pending", "50%", "99%", "longest");
	for (size_t i = 0; i < n; i++) {
		if (!last || last->bus != list[i]->bus || last->device != list[i]->device)
			print_device(list[i], devices, o);
		print_endpoint(list[i], o);
		last = list[i];
	}
	print_losses(s, o);
	free(list);
}
