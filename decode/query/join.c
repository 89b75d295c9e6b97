/* SPDX-License-Identifier: MIT */
#include "decode/query/join.h"
#include "common/sources.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

#include <stdlib.h>

#include "decode/base/cli.h"
#include "decode/usb/usb.h"
#include "decode/base/time.h"

enum { KEPT = 8192 };   /* events of tasks that are remembered */
enum { REQUESTS = 64 }; /* requests that may be under way */

/* An event of a task. */
struct deed {
	uint64_t time;
	uint64_t urb, sector; /* UINT64_MAX: it names none */
	int32_t tid;
	bool probe;
	bool used;            /* its URB or request has found its transfer */
	char comm[16], name[64];
};

/* A SCSI command, which has several transfers, and whose doing it was. */
struct request {
	uint64_t device, tag, lba;
	struct deed deed;
};

struct join {
	struct consumer consumer; /* first: the stream hands it back */
	struct consumer *inner;
	struct out *out;
	uint64_t window;
	uint64_t n; /* deeds so far: the last KEPT of them are in the ring */
	uint64_t transfers, joined;
	struct deed ring[KEPT];
	struct request requests[REQUESTS];
	uint64_t nrequests; /* so far: the last REQUESTS of them are kept */
};

static uint64_t number(const struct decoder *d, void *state, const struct item *it,
		       const char *name)
{
	struct value v;

	if (!d->value || !d->value(state, it, name, &v))
		return UINT64_MAX;
	if (v.type == VALUE_UINT || (v.type == VALUE_INT && v.i >= 0))
		return v.u;
	return UINT64_MAX;
}

static bool is_probe(const struct trawl_source *s)
{
	return is_source(s->name, "usdt") || is_source(s->name, "uprobe") ||
	       is_source(s->name, "eprobe");
}

static void copy(char *to, size_t size, const char *from, size_t len)
{
	len = len < size - 1 ? len : size - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

static void remember(struct join *j, const struct decoder *d, void *state, const struct item *it)
{
	struct deed *deed = &j->ring[j->n % KEPT];

	*deed = (struct deed){
		.time = it->time,
		.urb = number(d, state, it, "urb"),
		.sector = number(d, state, it, "sector"),
		.tid = it->tid,
		.probe = is_probe(it->source),
	};
	if (!deed->probe && deed->urb == UINT64_MAX && deed->sector == UINT64_MAX)
		return;
	copy(deed->comm, sizeof(deed->comm), it->comm, it->comm_len);
	copy(deed->name, sizeof(deed->name), it->name, it->name_len);
	j->n++;
}

/* Blocks of a disk are 512 bytes times a small power of two; the block layer counts in 512. */
static bool same_sector(uint64_t lba, uint64_t sector)
{
	for (unsigned int shift = 0; shift <= 3; shift++)
		if (lba << shift == sector)
			return true;
	return false;
}

/* The first deed from the submission on that names this URB, unless it is of the completion: that
 * one is done by whoever was running then. */
static struct deed *cause_of_urb(struct join *j, uint64_t begin, uint64_t end, uint64_t urb)
{
	struct deed *first = NULL;

	for (uint64_t i = j->n; i-- > 0 && j->n - i <= KEPT;) {
		struct deed *deed = &j->ring[i % KEPT];

		if (deed->time < begin)
			break;
		if (!deed->used && deed->urb == urb && deed->time - begin <= end - deed->time)
			first = deed;
	}
	return first;
}

/*
 * The first of the deeds before `to` that name these sectors and are of no request yet. The later
 * ones are of the same request: it was queued before it was issued, maybe by somebody else.
 */
static const struct deed *cause_of_sectors(struct join *j, uint64_t from, uint64_t to, uint64_t lba)
{
	const struct deed *first = NULL;

	for (uint64_t i = j->n; i-- > 0 && j->n - i <= KEPT;) {
		struct deed *deed = &j->ring[i % KEPT];

		if (deed->time > to || deed->used)
			continue;
		if (deed->time < from)
			break;
		if (deed->sector == UINT64_MAX || !same_sector(lba, deed->sector))
			continue;
		deed->used = true;
		first = deed;
	}
	return first;
}

/* The cause of the request that a transfer carries: what one of its transfers was given, all
 * have. */
static const struct deed *cause_of_request(struct join *j, const struct request *wanted,
					   uint64_t from, uint64_t to)
{
	const struct deed *deed;
	struct request *r;

	for (uint64_t i = j->nrequests; i-- > 0 && j->nrequests - i <= REQUESTS;) {
		r = &j->requests[i % REQUESTS];
		if (r->device == wanted->device && r->tag == wanted->tag && r->lba == wanted->lba &&
		    r->deed.time >= from)
			return &r->deed;
	}
	deed = cause_of_sectors(j, from, to, wanted->lba);
	if (!deed)
		return NULL;
	r = &j->requests[j->nrequests++ % REQUESTS];
	*r = *wanted;
	r->deed = *deed;
	return &r->deed;
}

static void add(struct join_causes *causes, const struct deed *deed, enum join_how how,
		uint64_t begin)
{
	causes->cause[causes->n++] = (struct join_cause){
		.how = how, .tid = deed->tid, .comm = deed->comm, .name = deed->name,
		.before = (int64_t)(begin - deed->time),
	};
}

static void add_probes(struct join *j, const struct deed *of, uint64_t begin,
		       struct join_causes *causes)
{
	uint64_t oldest = begin > j->window ? begin - j->window : 0;
	int left = JOIN_PROBES;

	for (uint64_t i = j->n; i-- > 0 && j->n - i <= KEPT && left;) {
		const struct deed *deed = &j->ring[i % KEPT];

		if (deed->time < oldest)
			break;
		if (!deed->probe || deed->time == of->time || deed->tid != of->tid ||
		    deed->time > begin)
			continue;
		add(causes, deed, JOIN_PROBE, begin);
		left--;
	}
}

static void find(struct join *j, const struct decoder *d, void *state, const struct item *it,
		 struct join_causes *causes)
{
	const struct usb_detail *detail = it->detail;
	uint64_t latency = number(d, state, it, "latency_ns"), begin;
	struct request wanted = { .device = (uint64_t)detail->urb.bus << 8 | detail->urb.device };
	const struct deed *by_sector = NULL;
	struct deed *by_urb;

	begin = latency != UINT64_MAX && latency <= it->time ? it->time - latency : it->time;
	wanted.lba = number(d, state, it, "lba");
	wanted.tag = number(d, state, it, "tag");
	by_urb = cause_of_urb(j, begin, it->time, detail->urb.id);
	/* A request waits in the block layer's queues: that is what the window is for. */
	if (wanted.lba != UINT64_MAX)
		by_sector = cause_of_request(j, &wanted, begin > j->window ? begin - j->window : 0,
					     it->time);
	if (by_urb) {
		by_urb->used = true;
		add(causes, by_urb, JOIN_URB, begin);
	}
	if (by_sector)
		add(causes, by_sector, JOIN_SECTORS, begin);
	if (by_sector || by_urb)
		add_probes(j, by_sector ? by_sector : by_urb, begin, causes);
}

void join_see(struct join *j, const struct decoder *d, void *state, const struct item *it,
	      struct join_causes *causes)
{
	causes->n = 0;
	if (it->tid >= 0) {
		remember(j, d, state, it);
	} else if (!strcmp(it->source->kind, "usbmon") && it->detail) {
		find(j, d, state, it, causes);
		j->transfers++;
		j->joined += causes->n > 0;
	}
}

/* ---- as lines of text --------------------------------------------------------------------- */

static void line(struct out *o, const struct join_cause *c)
{
	static const char *const how[] = {
		[JOIN_URB] = "the same URB, ",
		[JOIN_SECTORS] = "the same sectors, ",
		[JOIN_PROBE] = "",
	};

	out_str(o, "        <- ");
	out_safe(o, c->comm[0] ? c->comm : "?", c->comm[0] ? strlen(c->comm) : 1);
	out_char(o, '-');
	out_s64(o, c->tid);
	out_char(o, ' ');
	out_safe(o, c->name, strlen(c->name));
	out_str(o, " (");
	out_str(o, how[c->how]);
	time_span(o, c->before < 0 ? (uint64_t)-c->before : (uint64_t)c->before);
	out_str(o, c->before > 0 ? " before)\n" : " after it began)\n");
}

static int take_item(struct consumer *c, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct join *j = (struct join *)c;
	struct join_causes causes;
	int got = j->inner->item(j->inner, d, state, it);

	if (got)
		return got;
	join_see(j, d, state, it, &causes);
	for (size_t i = 0; i < causes.n; i++)
		line(j->out, &causes.cause[i]);
	return 0;
}

static void take_aside(struct consumer *c, const struct decoder *d, void *state,
		       const struct item *it)
{
	struct join_causes causes;

	join_see((struct join *)c, d, state, it, &causes);
}

static int take_loss(struct consumer *c, const struct trawl_source *s, const struct trawl_loss *l,
		     uint64_t from, uint64_t to)
{
	struct join *j = (struct join *)c;

	return j->inner->loss(j->inner, s, l, from, to);
}

struct join *join_new(uint64_t window)
{
	struct join *j = calloc(1, sizeof(*j));

	if (j)
		j->window = window;
	return j;
}

void join_free(struct join *j)
{
	free(j);
}

void join_tell(const struct join *j)
{
	const char *why = NULL;
	struct trawl_error note;

	if (!j->transfers)
		why = "there is no USB transfer";
	else if (!j->n)
		why = "no event names the URB or the sectors of a transfer: record event:xhci-hcd:"
		      "xhci_urb_enqueue or event:block:block_rq_issue besides usb";
	else if (!j->joined)
		why = "no event that names a URB or sectors has one of these transfers; with a "
		      "longer --window there may be one";
	if (why) {
		trawl_fail(&note, TRAWL_OK, "--join: %s", why);
		cli_note(NULL, &note);
	}
}

struct consumer *join_consumer(struct join *j, struct consumer *inner, struct out *out)
{
	j->inner = inner;
	j->out = out;
	j->consumer.item = take_item;
	j->consumer.loss = inner->loss ? take_loss : NULL;
	j->consumer.aside = take_aside;
	return &j->consumer;
}
