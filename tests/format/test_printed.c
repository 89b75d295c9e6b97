/* SPDX-License-Identifier: MIT */
/*
 * What is read from golden files that are damaged, cut, longer or shorter, or changed with their
 * checks corrected: every event, table, loss and word of the verdict is held by a digest.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "format/block.h"
#include "format/reader.h"
#include "tests/fuzz/rightcheck.h"
#include "tests/printed/printed.h"

enum { MOST = 80 }; /* changes of each kind for a file */

struct file {
	uint8_t *data;
	size_t len;
};

static struct file load(const char *name)
{
	char path[4096];
	struct file f;
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/tests/golden/%s.trawl", getenv("TRAWL_SRC"), name);
	fd = open(path, O_RDONLY);
	cr_assert(fd >= 0 && !fstat(fd, &st), "%s", path);
	f.len = (size_t)st.st_size;
	f.data = malloc(f.len);
	cr_assert(f.data && read(fd, f.data, f.len) == (ssize_t)f.len);
	close(fd);
	return f;
}

/* Digests are chained by their seed. */
static uint64_t with(uint64_t sum, const void *p, size_t n)
{
	return XXH64(p, n, sum);
}

static uint64_t with_number(uint64_t sum, uint64_t n)
{
	return with(sum, &n, sizeof(n));
}

static uint64_t with_text(uint64_t sum, const char *s)
{
	return with(sum, s, strlen(s) + 1);
}

static uint64_t fields_sum(uint64_t sum, const struct trawl_field *f, uint32_t n)
{
	for (; n; n--, f++) {
		sum = with_text(with_text(with_text(sum, f->name), f->ctype), f->note);
		sum = with_number(with_number(with_number(sum, f->kind), f->place), f->flags);
		sum = with_number(with_number(with_number(sum, f->offset), f->size), f->count);
	}
	return sum;
}

static void print_tables(FILE *out, const struct trawl_reader *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *s = trawl_source_at(r, i);

		sum = with_text(with_text(with_text(sum, s->name), s->spec), s->kind);
		sum = with_number(with_number(sum, s->clock), s->linktype);
		sum = fields_sum(with_number(sum, s->resolution), s->common, s->ncommon);
	}
	for (size_t i = 0; i < trawl_event_type_count(r); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(r, i);

		sum = with_number(with_number(sum, t->source), t->id);
		sum = with_text(with_text(sum, t->name), t->format);
		sum = fields_sum(with_number(sum, t->size), t->fields, t->nfields);
	}
	fprintf(out, " %zu sources %zu types %zu metadata %zu losses %zu syncs",
		trawl_source_count(r), trawl_event_type_count(r), trawl_meta_count(r),
		trawl_loss_count(r), trawl_sync_count(r));
	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		sum = with_text(with_text(sum, m->name), m->type);
		sum = with(with_number(with_number(sum, m->time), m->section), m->data, m->len);
	}
	for (size_t i = 0; i < trawl_loss_count(r); i++) {
		const struct trawl_loss *l = trawl_loss_at(r, i);

		fprintf(out, " (%u %u %" PRIu64 "-%" PRIu64 " %" PRIu64 " %s %u)", l->source,
			l->cpu, l->from, l->to, l->count, trawl_loss_reason_name(l->reason),
			l->section);
	}
	for (size_t i = 0; i < trawl_sync_count(r); i++)
		sum = with(sum, trawl_sync_at(r, i), sizeof(struct trawl_sync));
	for (int clock = TRAWL_CLOCK_MONO; clock <= TRAWL_CLOCK_TSC; clock++)
		sum = with_number(sum, trawl_to_timeline(r, (enum trawl_clock)clock, 1000012345));
	fprintf(out, " %016" PRIx64, sum);
}

/* Prints one line for what is read from p[0 .. n). */
static void print_file(FILE *out, const uint8_t *p, size_t n, bool pipe,
		       const struct trawl_range *range)
{
	struct trawl_error err = {0};
	struct trawl_reader *r = reader_memory(p, n, pipe, &err);
	uint64_t sum = 0, events = 0;
	struct trawl_verdict v;
	struct trawl_event ev;
	int got;

	if (!r) {
		fprintf(out, " refused, %d: %s\n", err.status, err.text);
		return;
	}
	if (range && trawl_select(r, range, &err))
		fprintf(out, " select: %s", err.text);
	while ((got = trawl_next(r, &ev, &err)) == 1) {
		events++;
		sum = with_number(with_number(with_number(sum, ev.time), ev.ts), ev.cpu);
		sum = with_number(sum, ev.section);
		sum = with_number(sum, trawl_section_timeline(r, ev.section));
		sum = with_number(with_number(sum, ev.chunk), ev.place);
		sum = with_text(with_text(sum, ev.source->name), ev.type->name);
		sum = with(sum, ev.record, ev.len);
	}
	fprintf(out, " %" PRIu64 " events %016" PRIx64, events, sum);
	if (got < 0)
		fprintf(out, ", %d: %s", err.status, err.text);
	print_tables(out, r);
	trawl_verdict(r, &v);
	fprintf(out, " complete %d damaged %" PRIu64 " cut at %" PRIu64 " damaged at %" PRIu64
		" junk %" PRIu64 ": %s\n", v.complete, v.damaged, v.cut_at, v.damaged_at, v.junk,
		v.text);
	trawl_close(r);
}

static void print_both(FILE *out, const char *how, size_t at, const uint8_t *p, size_t n)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		fprintf(out, "%s %zu%s:", how, at, pipe ? " pipe" : "");
		print_file(out, p, n, pipe, NULL);
	}
}

static void flips(FILE *out, const struct file *f, size_t step)
{
	for (size_t at = 0; at < f->len; at += step) {
		uint8_t bit = (uint8_t)(1u << at % 8);

		f->data[at] ^= bit;
		print_both(out, "flip", at, f->data, f->len);
		f->data[at] ^= bit;
	}
}

static void cuts(FILE *out, const struct file *f, size_t step)
{
	for (size_t n = 0; n < f->len; n += step)
		print_both(out, "cut", n, f->data, n);
}

static void shifts(FILE *out, const struct file *f, size_t step)
{
	uint8_t *q = malloc(f->len + 12);

	cr_assert_not_null(q);
	for (size_t at = 0; at < f->len; at += step) {
		size_t n = at % 12 + 1, rest = f->len - at;

		memcpy(q, f->data, at);
		memset(q + at, 0x55, n);
		memcpy(q + at + n, f->data + at, rest);
		print_both(out, "put in", at, q, f->len + n);
		if (n > rest)
			continue;
		memcpy(q + at, f->data + at + n, rest - n);
		print_both(out, "taken out", at, q, f->len - n);
	}
	free(q);
}

/* Changes one byte of each block at many places, and corrects its check. */
static void lies(FILE *out, const struct file *f, size_t step)
{
	uint8_t *copy = malloc(f->len);
	size_t change = 0;
	struct block b;

	cr_assert_not_null(copy);
	for (size_t at = 0; at < f->len; at += b.len) {
		if (block_head(f->data + at, f->len - at, &b) != BLOCK_OK || b.len > f->len - at)
			break;
		if (b.len < (uint32_t)BLOCK_OVERHEAD + b.pad ||
		    memcmp(f->data + at + 8, block_uuid, 16))
			continue; /* no block of this format */
		for (size_t i = BLOCK_HEAD, end = b.len - 4 - b.pad; i < end;
		     i += i < 90 ? 1 + step / 40 : step) {
			memcpy(copy, f->data, f->len);
			copy[at + i] ^= (uint8_t)(1u << change++ % 8);
			right_check(copy + at, end - BLOCK_HEAD);
			print_both(out, "lie", at + i, copy, f->len);
		}
	}
	free(copy);
}

/* Each block is missing, comes twice, or comes after its neighbour; also with bytes put in. */
static void blocks(FILE *out, const struct file *f, size_t step)
{
	uint8_t *q = malloc(2 * f->len);
	struct block b, next;

	(void)step;
	cr_assert_not_null(q);
	for (size_t at = 0; at < f->len; at += b.len) {
		const uint8_t *rest = f->data + at;
		size_t left = f->len - at;

		if (block_head(rest, left, &b) != BLOCK_OK || b.len > left)
			break;
		for (size_t more = 0; more < 8 && at; more += 5) {
			uint8_t *end = q + at + more;

			memcpy(q, f->data, at);
			memmove(q + 28 + more, q + 28, at - 28);
			memset(q + 28, 0x55, more);
			memcpy(end, rest + b.len, left - b.len);
			print_both(out, "missing", at, q, f->len + more - b.len);
			memcpy(end, rest, b.len);
			memcpy(end + b.len, rest, left);
			print_both(out, "twice", at, q, f->len + more + b.len);
			if (block_head(rest + b.len, left - b.len, &next) != BLOCK_OK ||
			    next.len > left - b.len)
				continue;
			memcpy(end, rest + b.len, next.len);
			memcpy(end + next.len, rest, b.len);
			memcpy(end + next.len + b.len, rest + b.len + next.len,
			       left - b.len - next.len);
			print_both(out, "swapped", at, q, f->len + more);
		}
	}
	free(q);
}

/* Ranges of time and sources that are asked for. */
static void ranges(FILE *out, const struct file *f, size_t step)
{
	struct trawl_error err;
	struct trawl_reader *r = reader_memory(f->data, f->len, false, &err);
	uint64_t first = UINT64_MAX, last = 0;
	struct trawl_event ev;

	(void)step;
	while (r && trawl_next(r, &ev, &err) == 1) {
		first = ev.time < first ? ev.time : first;
		last = ev.time > last ? ev.time : last;
	}
	trawl_close(r);
	for (uint64_t i = 0; i <= last - first && i < 8; i++)
		for (unsigned int n = 0; n < 6; n++) {
			uint64_t from = first + (last - first) / 8 * i;
			struct trawl_range range = {.from = from,
				.to = n % 3 == 2 ? UINT64_MAX : from + (last - first) / 8 * n};

			range.sources[0] = n > 3 ? 1u << i % 3 : 0;
			range.whole[0] = n == 5 ? UINT64_MAX : 0;
			for (int pipe = 0; pipe < 2; pipe++) {
				fprintf(out, "range %" PRIu64 " %u%s:", i, n,
					pipe ? " pipe" : "");
				print_file(out, f->data, f->len, pipe, &range);
			}
		}
}

static const struct {
	const char *name;
	void (*change)(FILE *out, const struct file *f, size_t step);
} kinds[] = {{"flips", flips}, {"cuts", cuts}, {"shifts", shifts}, {"lies", lies},
	     {"blocks", blocks}, {"ranges", ranges}};

Test(printed, what_is_read_from_changed_files, .timeout = 600)
{
	static const char *const names[] = {"backward", "branches", "clocks", "empty", "events",
		"example", "killed", "kinds", "marks", "meta", "moved", "single", "small", "small4",
		"smalls", "smalls4", "ticks", "timeline", "two", "unindexed", "version1", "words"};
	struct printed p;

	printed_open(&p, "format");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct file f = load(names[i]);

		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
			char name[64], *text = NULL;
			size_t len = 0;
			FILE *out = open_memstream(&text, &len);

			cr_assert_not_null(out);
			kinds[k].change(out, &f, f.len / MOST | 1);
			cr_assert_eq(fclose(out), 0);
			snprintf(name, sizeof(name), "%s.%s", names[i], kinds[k].name);
			printed_take(&p, name, text, len);
			free(text);
		}
		free(f.data);
	}
	printed_close(&p);
}
