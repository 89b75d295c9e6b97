/* SPDX-License-Identifier: MIT */
/*
 * The container's benchmark: container DIRECTORY [ROUNDS [LEVEL]].
 *
 * DIRECTORY holds what tests/bench/container.sh recorded: cpuN.raw (sub-buffers as read from
 * trace_pipe_raw), header_page, formats/ (event formats). The same events are written as
 *	(a) raw sub-buffers in chunks of 40 KiB, zstd -3 (what trace-cmd does),
 *	(b) pcapng enhanced packet blocks in frames of 1 MiB, zstd -3,
 *	(c) our chunks,
 * all on one thread, turn by turn. Of each piece (chunk, frame) the least CPU time of all rounds
 * counts, so that what else the machine does disturbs little. Nothing is asserted.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zstd.h>

#include "capture/tracefs/eventformat.h"
#include "capture/tracefs/ring.h"
#include "format/bytes.h"
#include "format/chunk.h"

enum { CPUS = 64, TYPES = 2048, CHUNK_EVENTS = 65536, RAW_CHUNK = 40960, FRAME = 1 << 20 };

struct event {
	uint64_t ts;
	const uint8_t *record;
	uint32_t len, type, cpu;
};

struct input {
	struct ring_layout ring;
	struct buf cpu[CPUS];
	uint32_t ncpus;
	struct eventformat formats[TYPES];
	struct trawl_event_type types[TYPES];
	const struct trawl_event_type *list[TYPES];
	uint32_t ntypes;
	int32_t by_id[65536];
	struct event *events;
	uint32_t count, cap;
};

/* The minimum time of each piece of some work. */
struct times {
	uint64_t *ns;
	size_t n, at;
};

struct cost {
	uint64_t bytes;
	struct times times;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "container: %s: %s\n", what, why);
	exit(TRAWL_CANNOT);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Adds the time of the next piece in a round. */
static void add_time(struct times *t, uint64_t ns)
{
	if (t->at == t->n) {
		t->ns = realloc(t->ns, ++t->n * sizeof(*t->ns));
		if (!t->ns)
			die("times", "out of memory");
		t->ns[t->at] = ns;
	}
	if (ns < t->ns[t->at])
		t->ns[t->at] = ns;
	t->at++;
}

static double total(const struct times *t)
{
	double ns = 0;

	for (size_t i = 0; i < t->n; i++)
		ns += (double)t->ns[i];
	return ns;
}

/* ---- recorded input -------------------------------------------------------------------------- */

static bool read_file(const char *path, struct buf *b)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return false;
	do {
		if (!buf_reserve(b, 1 << 20))
			die(path, "out of memory");
		n = fread(b->data + b->len, 1, b->cap - b->len - 1, f);
		b->len += n;
	} while (n);
	b->data[b->len] = 0;
	fclose(f);
	return true;
}

static void read_formats(struct input *in, const char *dir)
{
	char path[4096];
	struct dirent *e;
	DIR *d;

	memset(in->by_id, 0xff, sizeof(in->by_id));
	snprintf(path, sizeof(path), "%s/formats", dir);
	d = opendir(path);
	if (!d)
		die(path, "cannot be read");
	while ((e = readdir(d)) && in->ntypes < TYPES) {
		struct eventformat *f = &in->formats[in->ntypes];
		struct trawl_error err;
		struct buf text = { 0 };

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/formats/%s", dir, e->d_name);
		if (!read_file(path, &text))
			die(path, "cannot be read");
		if (eventformat_parse((char *)text.data, text.len, f, &err))
			die(path, err.text);
		buf_free(&text);
		in->types[in->ntypes] = (struct trawl_event_type){
			.id = f->id, .name = f->name, .format = "", .size = f->size,
			.nfields = f->nfields, .fields = f->fields,
		};
		in->list[in->ntypes] = &in->types[in->ntypes];
		in->by_id[f->id] = (int32_t)in->ntypes++;
	}
	closedir(d);
}

static void add_event(struct input *in, const struct ring_event *ev, uint32_t cpu)
{
	int32_t type = in->by_id[get16(ev->data)];

	if (type < 0)
		die("events", "of an unknown type");
	if (in->count == in->cap) {
		in->cap = in->cap ? in->cap * 2 : 1 << 16;
		in->events = realloc(in->events, in->cap * sizeof(*in->events));
		if (!in->events)
			die("events", "out of memory");
	}
	in->events[in->count++] = (struct event){ ev->ts, ev->data, ev->len, (uint32_t)type, cpu };
}

/*
 * Reads the sub-buffers of all CPUs in the order of their first time stamps, as a capture drains
 * them.
 */
static void read_pages(struct input *in)
{
	uint32_t size = in->ring.data_at + in->ring.data_size;
	struct ring_clock clock[CPUS] = { 0 };
	size_t at[CPUS] = { 0 };

	for (;;) {
		struct ring_page p;
		struct ring_event ev;
		uint64_t first = UINT64_MAX;
		int cpu = -1;

		for (uint32_t i = 0; i < in->ncpus; i++) {
			if (at[i] + size > in->cpu[i].len)
				continue;
			if (get64(in->cpu[i].data + at[i] + in->ring.time_at) < first) {
				first = get64(in->cpu[i].data + at[i] + in->ring.time_at);
				cpu = (int)i;
			}
		}
		if (cpu < 0)
			return;
		if (ring_page_start(&p, &in->ring, in->cpu[cpu].data + at[cpu], size, &clock[cpu]))
			die("sub-buffer", "damaged");
		while (ring_page_next(&p, &ev) == 1)
			add_event(in, &ev, (uint32_t)cpu);
		clock[cpu] = p.clock;
		at[cpu] += size;
	}
}

static void read_input(struct input *in, const char *dir)
{
	struct trawl_error err;
	struct buf page = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/header_page", dir);
	if (!read_file(path, &page) || ring_layout_parse((char *)page.data, &in->ring, &err))
		die(path, "no layout of sub-buffers");
	buf_free(&page);
	read_formats(in, dir);
	for (in->ncpus = 0; in->ncpus < CPUS; in->ncpus++) {
		snprintf(path, sizeof(path), "%s/cpu%u.raw", dir, in->ncpus);
		if (!read_file(path, &in->cpu[in->ncpus]))
			break;
	}
	read_pages(in);
	if (!in->count)
		die(dir, "no events");
}

/* ---- (a) and (b) ------------------------------------------------------------------------- */

static uint64_t compress(ZSTD_CCtx *z, struct buf *out, const void *p, size_t n,
			 struct times *t)
{
	uint64_t start;
	size_t len;

	out->len = 0;
	if (!buf_reserve(out, ZSTD_compressBound(n)))
		die("zstd", "out of memory");
	start = now();
	len = ZSTD_compressCCtx(z, out->data, out->cap, p, n, 3);
	add_time(t, now() - start);
	if (ZSTD_isError(len))
		die("zstd", ZSTD_getErrorName(len));
	return len;
}

static void raw_pages(const struct input *in, ZSTD_CCtx *z, struct buf *out, struct cost *c)
{
	uint64_t bytes = 0;

	c->times.at = 0;
	for (uint32_t i = 0; i < in->ncpus; i++)
		for (size_t at = 0; at < in->cpu[i].len; at += RAW_CHUNK) {
			size_t n = in->cpu[i].len - at;

			bytes += compress(z, out, in->cpu[i].data + at,
					  n < RAW_CHUNK ? n : RAW_CHUNK, &c->times);
		}
	c->bytes = bytes;
}

static void put_packet(struct buf *b, const struct event *e)
{
	uint32_t padded = (e->len + 3) & ~3u;

	buf_u32(b, 6);
	buf_u32(b, 32 + padded);
	buf_u32(b, 0);
	buf_u32(b, (uint32_t)(e->ts >> 32));
	buf_u32(b, (uint32_t)e->ts);
	buf_u32(b, e->len);
	buf_u32(b, e->len);
	buf_put(b, e->record, e->len);
	for (uint32_t i = e->len; i < padded; i++)
		buf_u8(b, 0);
	buf_u32(b, 32 + padded);
}

static void packets(const struct input *in, ZSTD_CCtx *z, struct buf *out, struct cost *c)
{
	uint64_t bytes = 0;
	struct buf frame = { 0 };

	c->times.at = 0;
	for (uint32_t i = 0; i < in->count; i++) {
		put_packet(&frame, &in->events[i]);
		if (frame.len < FRAME - 256 && i + 1 < in->count)
			continue;
		bytes += compress(z, out, frame.data, frame.len, &c->times);
		frame.len = 0;
	}
	buf_free(&frame);
	c->bytes = bytes;
}

/* ---- (c) --------------------------------------------------------------------------------- */

struct chunks {
	struct cost encode;
	struct times stage, decode, rows;
};

static void fill(struct batch *b, const struct event *e, uint32_t n)
{
	b->count = n;
	b->used = 0;
	for (uint32_t i = 0; i < n; i++, e++) {
		b->events[i] = (struct batch_event){
			.ts = e->ts, .type = e->type, .cpu = e->cpu, .offset = (uint32_t)b->used,
			.len = e->len,
		};
		memcpy(b->bytes + b->used, e->record, e->len);
		b->used += e->len;
	}
}

static uint64_t rows_of(const struct trawl_chunk *c)
{
	struct chunk_cursor *cursor = chunk_cursor_new(c);
	struct trawl_event ev;
	uint64_t start = now(), bytes = 0;

	for (uint32_t s = 0; s < c->nstreams; s++)
		while (chunk_cursor_next(cursor, s, &ev) > 0)
			bytes += ev.len;
	start = now() - start;
	chunk_cursor_free(cursor);
	if (!bytes)
		die("chunk", "no rows");
	return start;
}

static void our_chunks(const struct input *in, uint32_t chunk_events, int level, struct chunks *c)
{
	struct trawl_source source = { .name = "event", .kind = "tracefs", .resolution = 1,
				       .clock = TRAWL_CLOCK_MONO,
				       .ncommon = in->formats[0].ncommon,
				       .common = in->formats[0].common };
	struct chunk_schema schema = { &source, in->list, in->ntypes };
	struct chunk_encoder *e = chunk_encoder_new(level);
	struct chunk_decoder *d = chunk_decoder_new();
	struct batch b = { .events = malloc(chunk_events * sizeof(*b.events)),
			   .bytes = malloc((size_t)chunk_events * 1024) };
	const struct trawl_chunk *chunk;
	struct trawl_error err;
	struct chunk_payload p;
	uint64_t start;

	if (!e || !d || !b.events || !b.bytes)
		die("chunks", "out of memory");
	c->encode.bytes = 0;
	c->encode.times.at = c->stage.at = c->decode.at = c->rows.at = 0;
	for (uint32_t i = 0; i < in->count; i += chunk_events) {
		uint32_t n = in->count - i < chunk_events ? in->count - i : chunk_events;

		start = now();
		fill(&b, in->events + i, n);
		add_time(&c->stage, now() - start);
		start = now();
		if (chunk_encode(e, &schema, &b, &p, &err))
			die("encode", err.text);
		add_time(&c->encode.times, now() - start);
		c->encode.bytes += p.len;
		start = now();
		if (chunk_decode(d, &schema, &p, &chunk, &err))
			die("decode", err.text);
		add_time(&c->decode, now() - start);
		add_time(&c->rows, rows_of(chunk));
	}
	chunk_encoder_free(e);
	chunk_decoder_free(d);
	free(b.events);
	free(b.bytes);
}

/* ---- the table --------------------------------------------------------------------------- */

static void print_cost(const char *what, const struct cost *c, const struct cost *base, double n)
{
	printf("%-44s %7.3f B/event %5.2f of (a)  %6.1f ns/event %5.2f of (a)\n", what,
	       (double)c->bytes / n, (double)c->bytes / (double)base->bytes, total(&c->times) / n,
	       total(&c->times) / total(&base->times));
}

static void print_small(const struct input *in, int level)
{
	static const uint32_t sizes[] = { 50, 300, 4096 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct input some = *in;
		struct chunks c = { .encode = { .bytes = 0 } };

		if (some.count > sizes[i] * 400)
			some.count = sizes[i] * 400;
		our_chunks(&some, sizes[i], level, &c);
		printf("    chunks of %-5u events: %6.2f B/event, %.0f bytes a chunk\n", sizes[i],
		       (double)c.encode.bytes / some.count,
		       (double)c.encode.bytes / some.count * sizes[i]);
	}
}

int main(int argc, char **argv)
{
	static struct input in;
	int rounds = argc > 2 ? atoi(argv[2]) : 5, level = argc > 3 ? atoi(argv[3]) : 0;
	struct cost a = { .bytes = 0 }, b = { .bytes = 0 };
	struct chunks c = { .encode = { .bytes = 0 } };
	ZSTD_CCtx *z = ZSTD_createCCtx();
	struct buf out = { 0 };
	double n;

	if (argc < 2) {
		fprintf(stderr, "usage: container DIRECTORY [ROUNDS [LEVEL]]\n");
		return TRAWL_USAGE;
	}
	read_input(&in, argv[1]);
	n = in.count;
	for (int i = 0; i < rounds; i++) {
		raw_pages(&in, z, &out, &a);
		packets(&in, z, &out, &b);
		our_chunks(&in, CHUNK_EVENTS, level, &c);
	}
	printf("%u events of %u CPUs, %d rounds, one thread\n", in.count, in.ncpus, rounds);
	print_cost("(a) raw sub-buffers, 40 KiB, zstd -3", &a, &a, n);
	print_cost("(b) pcapng packet blocks, 1 MiB, zstd -3", &b, &a, n);
	print_cost("(c) chunks of 65536: transform and compress", &c.encode, &a, n);
	printf("    staging %.1f ns/event; decode to columns %.1f M events/s; to rows %.1f M/s, "
	       "both %.1f M/s\n", total(&c.stage) / n, n * 1e3 / total(&c.decode),
	       n * 1e3 / total(&c.rows), n * 1e3 / (total(&c.decode) + total(&c.rows)));
	print_small(&in, level);
	ZSTD_freeCCtx(z);
	buf_free(&out);
	return 0;
}
