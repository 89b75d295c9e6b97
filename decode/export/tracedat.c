/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "decode/export/tracedat.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "decode/export/datprobe.h"
#include "common/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "decode/base/cli.h"
#include "decode/base/jdoc.h"

enum {
	PAGE = 65536,
	PAGE_HEADER = 16,       /* u64 time stamp, u64 commit */
	CPUS_MAX = 4096,
	TYPES_MAX = 65536,
	DELTA_BITS = 27,
	DATA_LEN_MAX = 28,      /* in words; longer events store their length in a separate word */
	TIME_EXTEND = 30,
};

#define MISSED (1u << 31)        /* in commit: events are missing before this sub-buffer */
#define MISSED_STORED (1u << 30) /* in commit: their number is stored after its last event */

/* Options of version 6; the numbers are those of trace-cmd's trace-cmd-private.h. */
enum { OPTION_DONE = 0, OPTION_CPUSTAT = 2, OPTION_TRACECLOCK = 4, OPTION_UNAME = 5,
       OPTION_CPUCOUNT = 8, OPTION_VERSION = 9 };

struct cpu {
	uint8_t *page;      /* the sub-buffer being filled; NULL: none */
	size_t used;        /* bytes of its data */
	uint64_t ts;        /* time of its last event */
	/*
	 * events lost before the sub-buffer's first event or, if it is empty, before the next
	 * event; UINT64_MAX: unknown number
	 */
	uint64_t missed;
	uint64_t events, lost;
	uint32_t *pages;    /* indices of its sub-buffers in the temporary file */
	size_t npages, room;
};

/* An event type and its number in the output. */
struct kind {
	const struct trawl_event_type *type;
	uint16_t id;
	bool probe; /* its records have the text of trawl-decode */
};

struct task_name {
	int32_t tid;
	char comm[16];
};

struct tracedat {
	struct consumer consumer; /* must be first: a struct consumer is cast to its tracedat */
	bool missed_anywhere;     /* events are missing of a CPU that is not known */
	struct stream *stream;
	struct out *out;
	bool with_machine; /* include the host's name in the uname option */
	FILE *spool;
	uint32_t spooled; /* number of sub-buffers in the temporary file */
	struct cpu *cpus;
	uint32_t ncpus;
	struct kind *kinds;
	size_t nkinds;
	bool *taken; /* TYPES_MAX elements: numbers in use */
	struct task_name *names; /* hash table by tid, open addressing */
	size_t nnames, names_room;
	struct out text, record; /* of the current event of a probe */
	uint64_t left_out;
	struct trawl_error err; /* error of the consumer functions */
};

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:65520;\tsigned:1;\n";

static const char header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n"
	"\n"
	"\tpadding     : type == 29\n"
	"\ttime_extend : type == 30\n"
	"\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";

/* ---- sub-buffers -------------------------------------------------------------------------- */

static struct cpu *cpu_for(struct tracedat *t, uint32_t n)
{
	uint32_t before = t->ncpus;

	if (n >= CPUS_MAX || !array_extend(t->cpus, t->ncpus, n + 1))
		return NULL;
	for (uint32_t i = before; i < t->ncpus && t->missed_anywhere; i++)
		t->cpus[i].missed = UINT64_MAX;
	return &t->cpus[n];
}

/* Writes the sub-buffer of a CPU to the temporary file; the next event begins a new one. */
static int page_close(struct tracedat *t, struct cpu *c)
{
	uint64_t commit = c->used;

	if (!c->page || !c->used)
		return 0;
	if (!array_reserve(c->pages, c->room, c->npages + 1))
		return trawl_fail(&t->err, TRAWL_CANNOT, "--to trace-dat: out of memory");
	if (c->missed) {
		commit |= MISSED;
		if (c->missed != UINT64_MAX && c->used + PAGE_HEADER + 8 <= PAGE) {
			commit |= MISSED_STORED;
			memcpy(c->page + PAGE_HEADER + c->used, &c->missed, 8);
			c->used += 8;
		}
		c->missed = 0;
	}
	memcpy(c->page + 8, &commit, 8);
	memset(c->page + PAGE_HEADER + c->used, 0, PAGE - PAGE_HEADER - c->used);
	if (t->spooled == UINT32_MAX || fwrite(c->page, PAGE, 1, t->spool) != 1)
		return trawl_fail(&t->err, TRAWL_CANNOT,
				  "--to trace-dat: temporary file: %s; set TMPDIR to a folder with "
				  "more space", strerror(errno));
	c->pages[c->npages++] = t->spooled++;
	c->used = 0;
	return 0;
}

/* Returns the size in bytes of an event with this many words of data, including its headers. */
static size_t event_size(size_t words, uint64_t delta)
{
	return 4 + (words > DATA_LEN_MAX ? 4 : 0) + 4 * words + (delta >> DELTA_BITS ? 8 : 0);
}

static void put32(struct cpu *c, uint32_t v)
{
	memcpy(c->page + PAGE_HEADER + c->used, &v, 4);
	c->used += 4;
}

static int append(struct tracedat *t, struct cpu *c, uint64_t ts, uint16_t id, const void *record,
		  size_t len)
{
	size_t words = (len + 3) / 4;
	uint64_t delta = c->used ? ts - c->ts : 0;
	uint8_t *at;

	if (event_size(words, UINT64_MAX) > PAGE - PAGE_HEADER || len < 2) {
		t->left_out++;
		return 0;
	}
	if (!c->page && !(c->page = malloc(PAGE)))
		return trawl_fail(&t->err, TRAWL_CANNOT, "--to trace-dat: out of memory");
	/* Time never goes back in a sub-buffer. */
	if (c->used && (ts < c->ts || delta >> (32 + DELTA_BITS) ||
			c->used + event_size(words, delta) + 8 > PAGE - PAGE_HEADER)) {
		if (page_close(t, c))
			return -1;
		delta = 0;
	}
	if (!c->used)
		memcpy(c->page, &ts, 8);
	if (delta >> DELTA_BITS) {
		put32(c, TIME_EXTEND | (uint32_t)(delta & ((1u << DELTA_BITS) - 1)) << 5);
		put32(c, (uint32_t)(delta >> DELTA_BITS));
		delta = 0;
	}
	put32(c, (words > DATA_LEN_MAX ? 0 : (uint32_t)words) | (uint32_t)delta << 5);
	if (words > DATA_LEN_MAX)
		put32(c, (uint32_t)(4 * words + 4));
	at = c->page + PAGE_HEADER + c->used;
	memcpy(at, record, len);
	memset(at + len, 0, 4 * words - len);
	memcpy(at, &id, 2); /* common_type, which our records do not contain */
	c->used += 4 * words;
	c->ts = ts;
	c->events++;
	return 0;
}

/* ---- the consumer ------------------------------------------------------------------------- */

/*
 * Returns the number of an event type: its own, unless two machines of a merged file use the number
 * for different types; then a free one.
 */
static const struct kind *kind_for(struct tracedat *t, const struct item *it)
{
	const struct trawl_event_type *type = it->type;
	uint32_t id = type->id;
	bool probe;

	for (size_t i = t->nkinds; i-- > 0;)
		if (t->kinds[i].type == type)
			return &t->kinds[i];
	if (t->nkinds == TYPES_MAX - 1 || !array_grow(t->kinds, t->nkinds))
		return NULL;
	probe = datprobe_is(it);
	for (size_t i = 0; i < t->nkinds; i++) /* another source has the same event */
		if (t->kinds[i].type->id == id && t->kinds[i].probe == probe &&
		    !strcmp(t->kinds[i].type->format, type->format)) {
			t->kinds[t->nkinds] = (struct kind){ type, t->kinds[i].id, probe };
			return &t->kinds[t->nkinds++];
		}
	for (uint32_t n = 0; (id == 0 || id >= TYPES_MAX || t->taken[id]) && n < TYPES_MAX; n++)
		id = id + 1 < TYPES_MAX ? id + 1 : 1;
	t->taken[id] = true;
	t->kinds[t->nkinds] = (struct kind){ type, (uint16_t)id, probe };
	return &t->kinds[t->nkinds++];
}

static size_t name_slot(const struct tracedat *t, int32_t tid)
{
	size_t i = (uint32_t)tid * 2654435761u & (t->names_room - 1);

	while (t->names[i].comm[0] && t->names[i].tid != tid)
		i = (i + 1) & (t->names_room - 1);
	return i;
}

/* saved_cmdlines has one name for each task; the last one is kept. */
static void remember(struct tracedat *t, const struct item *it)
{
	struct task_name *n, *old = t->names;
	size_t room = t->names_room;

	if (it->tid <= 0 || !it->comm_len)
		return;
	if (2 * t->nnames >= room) {
		t->names = calloc(room ? 2 * room : 256, sizeof(*old));
		if (!t->names) {
			t->names = old;
			out_lack_memory();
			return;
		}
		t->names_room = room ? 2 * room : 256;
		for (size_t i = 0; i < room; i++)
			if (old[i].comm[0])
				t->names[name_slot(t, old[i].tid)] = old[i];
		free(old);
	}
	n = &t->names[name_slot(t, it->tid)];
	t->nnames += !n->comm[0];
	n->tid = it->tid;
	memset(n->comm, 0, sizeof(n->comm));
	memcpy(n->comm, it->comm, it->comm_len < 15 ? it->comm_len : 15);
}

/* Makes t->record: the event of a probe with its text. */
static int record_probe(struct tracedat *t, const struct decoder *d, void *state,
			const struct item *it)
{
	t->text.len = t->record.len = 0;
	d->text(state, it, &t->text);
	datprobe_record(it, &t->text, &t->record);
	if (!t->text.error && !t->record.error)
		return 0;
	trawl_fail(&t->err, TRAWL_CANNOT, "--to trace-dat: out of memory");
	return 1;
}

static int take_item(struct consumer *consumer, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct tracedat *t = (struct tracedat *)consumer;
	const void *record = it->record;
	size_t len = it->len;
	const struct kind *k;
	struct cpu *c;

	if (strcmp(it->source->kind, "tracefs") || !it->type || !it->record) {
		t->left_out++;
		return 0;
	}
	k = kind_for(t, it);
	c = k ? cpu_for(t, it->cpu) : NULL;
	if (!c) {
		if (it->cpu < CPUS_MAX)
			trawl_fail(&t->err, TRAWL_CANNOT, "--to trace-dat: out of memory");
		else
			trawl_fail(&t->err, TRAWL_BAD_DATA,
				   "--to trace-dat: CPU %u: damaged data; see trawl-edit verify",
				   it->cpu);
		return 1;
	}
	remember(t, it);
	if (k->probe) {
		if (record_probe(t, d, state, it))
			return 1;
		record = t->record.data;
		len = t->record.len;
	}
	return append(t, c, it->ts, k->id, record, len) ? 1 : 0;
}

/* The CPU of the missing events is unknown: each may miss some, an unknown number. */
static int lost_anywhere(struct tracedat *t)
{
	t->missed_anywhere = true; /* also before the first events of further CPUs */
	for (uint32_t i = 0; i < t->ncpus; i++) {
		if (page_close(t, &t->cpus[i]))
			return 1;
		t->cpus[i].missed = UINT64_MAX;
	}
	return 0;
}

static int take_loss(struct consumer *consumer, const struct trawl_source *s,
		     const struct trawl_loss *l, uint64_t from, uint64_t to)
{
	struct tracedat *t = (struct tracedat *)consumer;
	struct cpu *c;

	if (strcmp(s->kind, "tracefs"))
		return 0;
	if (l->cpu >= CPUS_MAX)
		return lost_anywhere(t);
	c = cpu_for(t, l->cpu);
	if (!c) {
		trawl_fail(&t->err, TRAWL_CANNOT, "--to trace-dat: out of memory");
		return 1;
	}
	/* A sub-buffer can have losses only before its first event: this one begins another. */
	if (page_close(t, c))
		return 1;
	if (l->count != UINT64_MAX)
		c->lost += l->count;
	c->missed = l->count == UINT64_MAX || c->missed == UINT64_MAX ? UINT64_MAX :
		    c->missed + l->count;
	return 0;
}

static void tracedat_free(struct tracedat *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->ncpus; i++) {
		free(t->cpus[i].page);
		free(t->cpus[i].pages);
	}
	free(t->cpus);
	free(t->kinds);
	free(t->taken);
	free(t->names);
	out_free(&t->text);
	out_free(&t->record);
	if (t->spool)
		fclose(t->spool);
	free(t);
}

static struct tracedat *tracedat_new(struct stream *s, int spool, struct out *out,
				     struct trawl_error *err)
{
	struct tracedat *t = calloc(1, sizeof(*t));
	int copy;

	if (t)
		t->taken = calloc(TYPES_MAX, sizeof(*t->taken));
	if (!t || !t->taken) {
		free(t);
		trawl_fail(err, TRAWL_CANNOT, "--to trace-dat: out of memory");
		return NULL;
	}
	out_memory(&t->text);
	out_memory(&t->record);
	t->consumer.item = take_item;
	t->consumer.loss = take_loss;
	t->stream = s;
	t->out = out;
	copy = dup(spool);
	t->spool = copy < 0 ? NULL : fdopen(copy, "w+");
	if (t->spool)
		return t;
	trawl_fail(err, TRAWL_CANNOT, "--to trace-dat: no temporary file: %s", strerror(errno));
	if (copy >= 0)
		close(copy);
	tracedat_free(t);
	return NULL;
}

/* ---- the file ----------------------------------------------------------------------------- */

/* Writes the format text with the number that the event has in this file. */
static void format_text(const struct kind *k, struct out *o)
{
	const char *format = k->type->format, *id = strstr(format, "\nID: ");
	struct out text;

	out_memory(&text);
	if (id) {
		out_bytes(&text, format, (size_t)(id + 5 - format));
		out_u64(&text, k->id);
		id += 5 + strspn(id + 5, "0123456789");
		if (k->probe)
			datprobe_format(k->type, id, &text);
		else
			out_str(&text, id);
	}
	out_le64(o, text.len);
	out_bytes(o, text.data, text.len);
	out_free(&text);
}

/* Length of "group" in "group:event"; of the provider of a USDT probe. */
static size_t system_len(const struct kind *k)
{
	return strcspn(k->type->name, ":");
}

static bool same_system(const struct kind *a, const struct kind *b)
{
	return system_len(a) == system_len(b) &&
	       !memcmp(a->type->name, b->type->name, system_len(a));
}

/* Whether this event, or its system, was written before the ith. */
static bool seen(const struct tracedat *t, size_t i, bool system)
{
	for (size_t j = 0; j < i; j++)
		if (system ? same_system(&t->kinds[i], &t->kinds[j]) :
				     t->kinds[i].id == t->kinds[j].id)
			return true;
	return false;
}

static void formats(const struct tracedat *t, struct out *o)
{
	uint32_t systems = 0, events;

	for (size_t i = 0; i < t->nkinds; i++)
		systems += !seen(t, i, true);
	out_le32(o, systems);
	for (size_t i = 0; i < t->nkinds; i++) {
		if (seen(t, i, true))
			continue;
		out_bytes(o, t->kinds[i].type->name, system_len(&t->kinds[i]));
		out_char(o, '\0');
		events = 0;
		for (size_t j = i; j < t->nkinds; j++)
			events += same_system(&t->kinds[i], &t->kinds[j]) && !seen(t, j, false);
		out_le32(o, events);
		for (size_t j = i; j < t->nkinds; j++)
			if (same_system(&t->kinds[i], &t->kinds[j]) && !seen(t, j, false))
				format_text(&t->kinds[j], o);
	}
}

static void meta_text(const struct tracedat *t, const char *name, struct out *o)
{
	const struct trawl_reader *r = stream_reader(t->stream);
	struct out text;

	out_memory(&text);
	for (size_t i = 0; i < trawl_meta_count(r); i++)
		if (!strcmp(trawl_meta_at(r, i)->name, name) &&
		    trawl_meta_at(r, i)->len < UINT32_MAX - text.len)
			out_bytes(&text, trawl_meta_at(r, i)->data, trawl_meta_at(r, i)->len);
	out_le32(o, (uint32_t)text.len);
	out_bytes(o, text.data, text.len);
	out_free(&text);
}

static void cmdlines(const struct tracedat *t, struct out *o)
{
	struct out text;

	out_memory(&text);
	for (size_t i = 0; i < t->names_room; i++)
		if (t->names[i].comm[0]) { /* one line each, so newlines in names are escaped */
			out_printf(&text, "%d ", t->names[i].tid);
			out_safe(&text, t->names[i].comm, strlen(t->names[i].comm));
			out_char(&text, '\n');
		}
	out_le64(o, text.len);
	out_bytes(o, text.data, text.len);
	out_free(&text);
}

static void option(struct out *o, uint16_t id, const char *text)
{
	out_le16(o, id);
	out_le32(o, (uint32_t)strlen(text) + 1);
	out_bytes(o, text, strlen(text) + 1);
}

static void uname_option(const struct tracedat *t, struct out *o)
{
	struct json_object *root = jdoc_meta(stream_reader(t->stream), "machine");
	char text[512];

	snprintf(text, sizeof(text), "Linux %.100s %.100s %.100s %.50s",
		 t->with_machine ? jdoc_string(root, "hostname") : "-", jdoc_string(root, "kernel"),
		 jdoc_string(root, "kernel_version"), jdoc_string(root, "arch"));
	option(o, OPTION_UNAME, text);
	json_object_put(root);
}

static void options(const struct tracedat *t, struct out *o)
{
	char text[200];

	out_bytes(o, "options  ", 10);
	for (uint32_t i = 0; i < t->ncpus; i++) {
		snprintf(text, sizeof(text),
			 "CPU: %u\nentries: %llu\noverrun: %llu\ncommit overrun: 0\n", i,
			 (unsigned long long)t->cpus[i].events,
			 (unsigned long long)t->cpus[i].lost);
		option(o, OPTION_CPUSTAT, text);
	}
	option(o, OPTION_TRACECLOCK, "[mono]");
	uname_option(t, o);
	option(o, OPTION_VERSION, "trawl " VERSION);
	out_le16(o, OPTION_CPUCOUNT);
	out_le32(o, 4);
	out_le32(o, t->ncpus);
	out_le16(o, OPTION_DONE);
}

static void head(const struct tracedat *t, struct out *o)
{
	out_bytes(o, "\x17\x08\x44tracing6", 12);
	out_char(o, 0); /* byte order: little endian */
	out_char(o, 8); /* size of a long in bytes */
	out_le32(o, PAGE);
	out_bytes(o, "header_page", 12);
	out_le64(o, sizeof(header_page) - 1);
	out_bytes(o, header_page, sizeof(header_page) - 1);
	out_bytes(o, "header_event", 13);
	out_le64(o, sizeof(header_event) - 1);
	out_bytes(o, header_event, sizeof(header_event) - 1);
	out_le32(o, 0); /* number of ftrace's own events */
	formats(t, o);
	meta_text(t, "kernel/kallsyms", o);
	meta_text(t, "kernel/printk_formats", o);
	cmdlines(t, o);
	out_le32(o, t->ncpus);
	options(t, o);
	out_bytes(o, "flyrecord", 10);
}

static int copy_pages(struct tracedat *t, const struct cpu *c, struct trawl_error *err)
{
	uint8_t page[4096];

	for (size_t i = 0; i < c->npages; i++) {
		if (fseeko(t->spool, (off_t)c->pages[i] * PAGE, SEEK_SET))
			goto fail;
		for (size_t n = 0; n < PAGE; n += sizeof(page)) {
			if (fread(page, sizeof(page), 1, t->spool) != 1)
				goto fail;
			out_bytes(t->out, page, sizeof(page));
		}
	}
	return 0;
fail:
	return trawl_fail(err, TRAWL_CANNOT, "--to trace-dat: temporary file: %s", strerror(errno));
}

static int finish(struct tracedat *t, struct trawl_error *err)
{
	uint64_t at, data;
	struct out front;

	for (uint32_t i = 0; i < t->ncpus && !t->err.text[0]; i++)
		page_close(t, &t->cpus[i]);
	if (t->err.text[0]) {
		*err = t->err;
		return -1;
	}
	if (!t->ncpus)
		return trawl_fail(err, TRAWL_USAGE,
				  "--to trace-dat: the selection has no kernel events; use --to "
				  "pcapng");
	out_memory(&front);
	head(t, &front);
	data = front.len + 16ull * t->ncpus;
	data = (data + PAGE - 1) / PAGE * PAGE;
	at = data;
	for (uint32_t i = 0; i < t->ncpus; i++) {
		out_le64(&front, at);
		out_le64(&front, (uint64_t)t->cpus[i].npages * PAGE);
		at += (uint64_t)t->cpus[i].npages * PAGE;
	}
	out_fill(&front, '\0', (size_t)(data - front.len));
	if (front.error) {
		out_free(&front);
		return trawl_fail(err, TRAWL_CANNOT, "--to trace-dat: out of memory");
	}
	out_bytes(t->out, front.data, front.len);
	out_free(&front);
	for (uint32_t i = 0; i < t->ncpus; i++)
		if (copy_pages(t, &t->cpus[i], err))
			return -1;
	return 0;
}

int tracedat_export(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err)
{
	struct tracedat *t = tracedat_new(s, o->spool, out, err);
	int got;

	if (!t)
		return -1;
	t->with_machine = o->with_machine;
	got = stream_run(s, &t->consumer, err);
	if (!got)
		got = finish(t, err);
	if (!got && t->left_out)
		fprintf(stderr,
			"%s: %llu events cannot be represented in a trace.dat (USB, branches): left "
			"out; --to perfetto includes all\n",
			cli_program, (unsigned long long)t->left_out);
	tracedat_free(t);
	return got;
}
