/* SPDX-License-Identifier: MIT */
#include "decode/query/join.h"
#include "common/sources.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

#include <stdlib.h>

#include "decode/base/cli.h"
#include "decode/usb/usb.h"
#include "decode/base/time.h"

enum { KEPT = 8192 };   /* number of newest task events that are kept */
enum { REQUESTS = 256 }; /* number of newest SCSI commands that are kept */
enum { DISKS = 32 };    /* most USB disks whose device numbers are learnt */
enum { CLAIMED = 64 };  /* most distinct event names of a command */

/* ns. usbmon's clock counts microseconds: a command may seem earlier than its cause. */
#define SLACK 2000

#define UNKNOWN UINT64_MAX

/* An event of a task. */
struct task_event {
	uint64_t time;
	uint64_t urb, sector; /* UNKNOWN: it has none */
	uint64_t sectors;     /* number of sectors; UNKNOWN: it has none */
	uint64_t disk;        /* device number of the disk; UNKNOWN: it has none */
	int32_t tid;
	bool probe;
	bool used;            /* it is the cause of a transfer already */
	char comm[16], name[64];
};

/* A SCSI command, which has several transfers, and its cause. */
struct request {
	uint64_t unit;        /* bus, device and LUN */
	uint64_t started;
	uint32_t tag;
	bool caused;          /* event and probes are valid */
	uint64_t end;         /* the sector after its last one; or UNKNOWN */
	uint64_t seen;        /* the time of its last transfer so far */
	struct task_event event;
	struct task_event probes[JOIN_PROBES];
	int nprobes;
};

/* The disk of a USB unit in the block layer, learnt from its requests. */
struct usb_disk {
	uint64_t unit, disk;
	unsigned int shift;   /* its blocks are 512 << shift bytes */
	bool has_shift;
	unsigned int matches; /* number of requests that can only be of this disk */
};

struct join {
	struct consumer consumer; /* first: the stream hands it back */
	struct consumer *inner;
	struct out *out;
	uint64_t window;
	uint64_t n; /* number of task events so far; the last KEPT are in the ring */
	uint64_t transfers, joined;
	uint64_t halves; /* number of submissions and completions that are separate items */
	struct task_event ring[KEPT];
	struct request requests[REQUESTS];
	uint64_t nrequests; /* so far: the last REQUESTS of them are kept */
	struct usb_disk disks[DISKS];
	unsigned int ndisks;
	struct task_event probes[JOIN_PROBES]; /* of the last transfer that had causes */
};

static uint64_t number(const struct decoder *d, void *state, const struct item *it,
		       const char *name)
{
	struct value v;

	if (!d->value || !d->value(state, it, name, &v))
		return UNKNOWN;
	if (v.type == VALUE_UINT || (v.type == VALUE_INT && v.i >= 0))
		return v.u;
	return UNKNOWN;
}

static void copy(char *to, size_t size, const char *from, size_t len)
{
	len = len < size - 1 ? len : size - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/* Whether the event belongs to the completion or requeueing of a request, in an unrelated task. */
static bool is_afterwards(const char *name)
{
	static const char *const words[] = {
		"complete", "giveback", "requeue", "dequeue", "error", "done",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

/*
 * Gets the whole disk of a device number of the kernel (12 bits major, 20 bits minor). Returns
 * false if it is neither sd nor sr, the only disks that USB devices have.
 */
static bool whole_disk(uint64_t dev, uint64_t *disk)
{
	uint64_t major = dev >> 20;

	*disk = dev;
	if (dev == UNKNOWN || major == 11)
		return true;
	*disk = dev & ~(uint64_t)15;
	return major == 8 || (major >= 65 && major <= 71) || (major >= 128 && major <= 135);
}

static void remember(struct join *j, const struct decoder *d, void *state, const struct item *it)
{
	struct task_event *event = &j->ring[j->n % KEPT];

	*event = (struct task_event){
		.time = it->time,
		.urb = number(d, state, it, "urb"),
		.sector = number(d, state, it, "sector"),
		.sectors = number(d, state, it, "nr_sector"),
		.tid = it->tid,
		.probe = is_probe_source(it->source->name),
	};
	copy(event->name, sizeof(event->name), it->name, it->name_len);
	if (is_afterwards(event->name))
		event->urb = event->sector = UNKNOWN;
	if (event->sector != UNKNOWN &&
	    !whole_disk(number(d, state, it, "dev"), &event->disk))
		event->sector = UNKNOWN;
	if (!event->probe && event->urb == UNKNOWN && event->sector == UNKNOWN)
		return;
	copy(event->comm, sizeof(event->comm), it->comm, it->comm_len);
	j->n++;
}

/* Returns event i, oldest() <= i < j->n. */
static struct task_event *event_at(struct join *j, uint64_t i)
{
	return &j->ring[i % KEPT];
}

static uint64_t oldest(const struct join *j)
{
	return j->n > KEPT ? j->n - KEPT : 0;
}

/* Returns the number of the first event from this time on. */
static uint64_t first_from(struct join *j, uint64_t time)
{
	uint64_t i = j->n;

	while (i > oldest(j) && event_at(j, i - 1)->time >= time)
		i--;
	return i;
}

/*
 * Returns the first event from the submission on with this URB, unless it belongs to the
 * completion, which runs in an unrelated task.
 */
static struct task_event *cause_of_urb(struct join *j, uint64_t begin, uint64_t end, uint64_t urb)
{
	for (uint64_t i = first_from(j, begin); i < j->n; i++) {
		struct task_event *event = event_at(j, i);

		if (!event->used && event->urb == urb && event->time - begin <= end - event->time)
			return event;
	}
	return NULL;
}

/* ---- SCSI commands -------------------------------------------------------------------------- */

/* The sectors of a command, as the block layer counts them. */
struct command {
	struct usb_disk *disk; /* NULL: there are too many */
	uint64_t started;
	uint64_t lba, blocks;
};

static struct usb_disk *disk_of(struct join *j, uint64_t unit)
{
	for (unsigned int i = 0; i < j->ndisks; i++)
		if (j->disks[i].unit == unit)
			return &j->disks[i];
	if (j->ndisks == DISKS)
		return NULL;
	j->disks[j->ndisks] = (struct usb_disk){ .unit = unit };
	return &j->disks[j->ndisks++];
}

/* Learns the block size of a disk: a CBW has the bytes of its blocks. */
static void learn_block(struct usb_disk *disk, const struct msc_step *s, uint64_t blocks)
{
	if (!disk || s->uas || s->phase != MSC_COMMAND || !blocks || blocks == UNKNOWN)
		return;
	for (unsigned int shift = 0; shift <= 3; shift++) {
		if (blocks << (9 + shift) == s->length) {
			disk->shift = shift;
			disk->has_shift = true;
		}
	}
}

/*
 * Whether the event has the command's first sector. While the block size is not known, its number
 * of sectors must match the command's number of blocks.
 */
static bool same_sectors(const struct command *c, const struct task_event *event)
{
	for (unsigned int shift = 0; shift <= 3; shift++) {
		if (c->lba << shift != event->sector)
			continue;
		if (c->disk && c->disk->has_shift ? c->disk->shift == shift :
						     event->sectors == c->blocks << shift)
			return true;
	}
	return false;
}

static bool is_known(const struct usb_disk *disk)
{
	return disk && disk->matches >= 2;
}

/* Whether the event may be of this disk. */
static bool may_be_of(const struct usb_disk *disk, const struct task_event *event)
{
	return event->disk == UNKNOWN || !is_known(disk) || disk->disk == event->disk;
}

/* The candidates for the cause of a command. */
struct match {
	struct task_event *own;   /* the first event with its first sector */
	struct task_event *whole; /* the last event that has it, but begins earlier */
	bool several, several_whole; /* there are such events of several disks */
};

static bool disks_differ(const struct task_event *a, const struct task_event *b)
{
	return a && b && a->disk != UNKNOWN && b->disk != UNKNOWN && a->disk != b->disk;
}

static void match_events(struct join *j, const struct command *c, uint64_t from, struct match *m)
{
	uint64_t sector = c->disk && c->disk->has_shift ? c->lba << c->disk->shift : UNKNOWN;

	*m = (struct match){ 0 };
	for (uint64_t i = first_from(j, from); i < j->n; i++) {
		struct task_event *event = event_at(j, i);

		if (event->time > c->started + SLACK)
			break;
		if (event->sector == UNKNOWN || !may_be_of(c->disk, event))
			continue;
		if (!event->used && same_sectors(c, event)) {
			m->several |= disks_differ(m->own, event);
			m->own = m->own ? m->own : event;
		} else if (sector != UNKNOWN && event->sectors != UNKNOWN &&
			   sector > event->sector && sector - event->sector < event->sectors) {
			m->several_whole |= disks_differ(m->whole, event);
			m->whole = event;
		}
	}
}

/*
 * Marks the events of this command as used, so that no later command for the same sectors gets
 * them: the first of each name, because a second one is of another waiting request.
 */
static void claim(struct join *j, const struct command *c, uint64_t from)
{
	const struct task_event *claimed[CLAIMED];
	size_t n = 0;

	for (uint64_t i = first_from(j, from); i < j->n; i++) {
		struct task_event *event = event_at(j, i);
		size_t k = 0;

		if (event->time > c->started + SLACK)
			break;
		if (event->used || event->sector == UNKNOWN || !may_be_of(c->disk, event) ||
		    !same_sectors(c, event))
			continue;
		while (k < n && strcmp(claimed[k]->name, event->name))
			k++;
		if (k < n)
			continue;
		event->used = true;
		if (n < CLAIMED)
			claimed[n++] = event;
	}
}

/* Returns the previous command if both are parts of one event's sectors. */
static const struct request *former_part(struct join *j, const struct command *c,
					 const struct request *r)
{
	uint64_t sector = c->disk && c->disk->has_shift ? c->lba << c->disk->shift : UNKNOWN;

	for (uint64_t i = j->nrequests; i-- > 0 && j->nrequests - i <= REQUESTS;) {
		const struct request *other = &j->requests[i % REQUESTS];

		if (other->unit == r->unit && other->caused && other->end == sector &&
		    other->event.sectors != UNKNOWN && sector > other->event.sector &&
		    sector - other->event.sector < other->event.sectors)
			return r->started <= other->seen + j->window ? other : NULL;
	}
	return NULL;
}

/*
 * A large request is issued in parts. An event of a later part runs in any task, unless it queues
 * another request; so the part has the cause of the first one.
 */
static const struct task_event *cause_of_parts(struct join *j, const struct command *c,
					       const struct request *r, const struct match *m)
{
	const struct request *former;

	if (m->several)
		return NULL;
	if (m->own && strstr(m->own->name, "bio_queue"))
		return m->own;
	if (m->several_whole || disks_differ(m->own, m->whole))
		return NULL;
	if (m->whole && (!m->own || m->whole->time < m->own->time))
		return m->whole;
	former = former_part(j, c, r);
	return former ? &former->event : m->own;
}

/*
 * Gets the last probe events of the event's task within the window before it. Returns their number.
 */
static int last_probes(struct join *j, const struct task_event *of, struct task_event *probes)
{
	uint64_t from = of->time > j->window ? of->time - j->window : 0;
	int n = 0;

	for (uint64_t i = j->n; i-- > oldest(j) && n < JOIN_PROBES;) {
		const struct task_event *event = event_at(j, i);

		if (event->time < from)
			break;
		if (event->probe && event->tid == of->tid && event->time < of->time)
			probes[n++] = *event;
	}
	return n;
}

static void find_request(struct join *j, const struct command *c, struct request *r)
{
	uint64_t from = c->started > j->window ? c->started - j->window : 0;
	const struct task_event *event;
	struct match m;

	match_events(j, c, from, &m);
	event = cause_of_parts(j, c, r, &m);
	if (!event)
		return;
	r->caused = true;
	r->event = *event;
	r->nprobes = last_probes(j, event, r->probes);
	if (c->disk && m.own && m.own->disk != UNKNOWN && c->disk->matches < 2) {
		c->disk->matches = c->disk->disk == m.own->disk ? c->disk->matches + 1 : 1;
		c->disk->disk = m.own->disk;
	}
	claim(j, c, from);
}

/* Returns the command that a transfer belongs to, with its cause; NULL: none. */
static const struct request *request_of(struct join *j, const struct decoder *d, void *state,
					const struct item *it)
{
	const struct usb_detail *detail = it->detail;
	const struct msc_step *s = &detail->storage;
	uint64_t device = (uint64_t)detail->urb.bus << 16 | (uint64_t)detail->urb.device << 8;
	uint32_t tag = s->uas ? s->tag : 0; /* bulk-only: one command at a time */
	struct command c = { .started = s->started };
	struct request *r;

	if (!s->has_command)
		return NULL;
	c.lba = number(d, state, it, "lba");
	c.blocks = number(d, state, it, "blocks");
	if (c.lba == UNKNOWN || c.blocks == UNKNOWN || c.lba >> 60)
		return NULL;
	for (uint64_t i = j->nrequests; i-- > 0 && j->nrequests - i <= REQUESTS;) {
		r = &j->requests[i % REQUESTS];
		if ((r->unit & ~(uint64_t)0xff) == device && r->started == s->started &&
		    r->tag == tag) {
			r->seen = it->time;
			return r;
		}
	}
	c.disk = disk_of(j, device | s->lun);
	learn_block(c.disk, s, c.blocks);
	r = &j->requests[j->nrequests++ % REQUESTS];
	*r = (struct request){
		.unit = device | s->lun, .started = s->started, .tag = tag, .seen = it->time,
		.end = c.disk && c.disk->has_shift ? (c.lba + c.blocks) << c.disk->shift : UNKNOWN,
	};
	find_request(j, &c, r);
	return r;
}

/* ---- causes --------------------------------------------------------------------------------- */

static void add(struct join_causes *causes, const struct task_event *event, enum join_how how,
		uint64_t begin)
{
	causes->cause[causes->n++] = (struct join_cause){
		.how = how, .tid = event->tid, .comm = event->comm, .name = event->name,
		.before = (int64_t)(begin - event->time),
	};
}

static void find(struct join *j, const struct decoder *d, void *state, const struct item *it,
		 struct join_causes *causes)
{
	const struct usb_detail *detail = it->detail;
	uint64_t latency = number(d, state, it, "latency_ns"), begin;
	struct task_event *by_urb, *probes = j->probes;
	const struct request *request;
	int n = 0;

	begin = latency != UNKNOWN && latency <= it->time ? it->time - latency : it->time;
	by_urb = cause_of_urb(j, begin, it->time, detail->urb.id);
	request = request_of(j, d, state, it);
	if (by_urb) {
		by_urb->used = true;
		add(causes, by_urb, JOIN_URB, begin);
		n = last_probes(j, by_urb, probes);
	}
	if (request && request->caused) {
		add(causes, &request->event, JOIN_SECTORS, begin);
		n = request->nprobes;
		memcpy(probes, request->probes, sizeof(request->probes));
	}
	for (int i = 0; i < n; i++)
		add(causes, &probes[i], JOIN_PROBE, begin);
}

void join_see(struct join *j, const struct decoder *d, void *state, const struct item *it,
	      struct join_causes *causes)
{
	causes->n = 0;
	if (it->tid >= 0) {
		remember(j, d, state, it);
	} else if (!strcmp(it->source->kind, "usbmon") && it->detail) {
		if (!((const struct usb_detail *)it->detail)->transfer) {
			j->halves++;
			return;
		}
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

void join_report(const struct join *j)
{
	const char *why = NULL;
	struct trawl_error note;

	if (!j->transfers && j->halves)
		why = "it is of transfers, and --raw shows their halves; leave out --raw";
	else if (!j->transfers)
		why = "the file has no USB transfer";
	else if (!j->n)
		why = "no event names the URB or the sectors of a transfer; record "
		      "event:xhci-hcd:xhci_urb_enqueue or event:block:block_rq_issue too";
	else if (!j->joined)
		why = "no event that names a URB or sectors matches a transfer; try a longer "
		      "--window";
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
