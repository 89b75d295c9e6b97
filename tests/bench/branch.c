/* SPDX-License-Identifier: MIT */
/*
 * bench/branch IN OUT N: reads the branches of the capture IN, writes the capture OUT with N of
 * them (repeating them as often as needed), and prints the cost of a branch: bytes, and ns to
 * encode and compress on one core. The cost of a file without branches (names, source lines, and
 * their copies in the index) is measured in the same way, subtracted, and printed separately. Each
 * time is the minimum of several runs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/array.h"
#include "common/branch.h"
#include "common/branchrecord.h"
#include "format/trawl.h"

static struct branch *branches;
static size_t count;
static uint32_t tid, pid; /* of the first batch */

static void die(const char *what)
{
	fprintf(stderr, "bench/branch: %s\n", what);
	exit(1);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void take(const struct trawl_event *ev)
{
	struct branch_record fixed;
	struct branch_batch b;

	memcpy(&fixed, ev->record, sizeof(fixed));
	if (branch_batch_decode(&b, (const char *)ev->record + sizeof(fixed),
				ev->len - sizeof(fixed), fixed.count, ev->ts))
		die("a damaged batch");
	if (!count) {
		tid = fixed.tid;
		pid = fixed.pid;
	}
	for (uint32_t i = 0; i < b.count; i++) {
		const struct branch_pair *p = &b.pairs[b.ids[i]];

		if (!array_grow(branches, count))
			die("out of memory");
		branches[count++] = (struct branch){ p->from, p->to, 0, p->kind, 0 };
	}
	branch_batch_free(&b);
}

static void append(struct trawl_writer *w, struct branch_encoder *e)
{
	static char record[1 << 21];
	struct branch_record fixed = {tid, pid, branch_encoder_last(e), branch_encoder_count(e), 0};
	struct trawl_error err;
	size_t len;
	const void *data = branch_encoder_finish(e, &len);

	if (!data || len > sizeof(record) - sizeof(fixed))
		die("cannot encode");
	memcpy(record, &fixed, sizeof(fixed));
	memcpy(record + sizeof(fixed), data, len);
	if (trawl_append(w,
			 &(struct trawl_record){0, BRANCH_TYPE_STREAM, tid, branch_encoder_first(e),
						record, sizeof(fixed) + len},
			 &err))
		die(err.text);
}

static void write_all(struct trawl_writer *w, size_t n)
{
	struct branch_encoder *e = branch_encoder_new();
	uint64_t time = 1000000000;

	branch_encoder_start(e, time);
	for (size_t i = 0; i < n; i++, time += 1300) {
		if (branch_encoder_full(e)) {
			append(w, e);
			branch_encoder_start(e, time);
		}
		branch_encoder_add(e, &branches[i % count], time);
	}
	append(w, e);
	branch_encoder_free(e);
}

/*
 * Writes a capture with IN's names and lines and n branches; returns the processor time of all
 * threads, ns.
 */
static uint64_t write_file(struct trawl_reader *r, const char *path, size_t n)
{
	struct trawl_writer_options o = { .comment = "bench" };
	struct trawl_error err;
	struct trawl_writer *w;
	uint64_t began = cpu_ns();

	w = trawl_writer_new(open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), &o, &err);
	if (!w || branchrecord_describe(w, "", false, &err) < 0)
		die(err.text);
	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		if (!strncmp(trawl_meta_at(r, i)->name, "branch/", 7))
			trawl_writer_meta(w, trawl_meta_at(r, i), &err);
	}
	trawl_writer_flush(w, &err);
	if (n)
		write_all(w, n);
	if (trawl_writer_close(w, &err))
		die(err.text);
	return cpu_ns() - began;
}

static void measure(uint64_t *least, struct trawl_reader *r, const char *path, size_t n)
{
	uint64_t ns = write_file(r, path, n);

	*least = ns < *least ? ns : *least;
}

int main(int argc, char **argv)
{
	struct trawl_error err;
	struct trawl_reader *r = argc == 4 ? trawl_open(argv[1], &err) : NULL;
	struct trawl_event ev;
	struct stat st;
	uint64_t alone = UINT64_MAX, all = UINT64_MAX;
	size_t n;

	if (!r)
		die(argc == 4 ? err.text : "IN OUT N");
	n = strtoul(argv[3], NULL, 10);
	while (trawl_next(r, &ev, &err) > 0) {
		if (!strcmp(ev.source->kind, BRANCH_SOURCE_KIND))
			take(&ev);
	}
	if (!count)
		die("no branches");
	n = n ? n : count;
	/* In turns, and more often if it is short: names and lines alone differ by milliseconds. */
	for (unsigned int times = 1 + (unsigned int)(5000000 / n); times--;) {
		measure(&alone, r, argv[2], 0);
		measure(&all, r, argv[2], n);
	}
	stat(argv[2], &st);
	printf("%zu branches: %.1f ns a branch on one core, and %.1f ms for names and lines; "
	       "file %lld bytes, %.3f a branch\n",
	       n, all > alone ? (double)(all - alone) / (double)n : 0, (double)alone / 1e6,
	       (long long)st.st_size, (double)st.st_size / (double)n);
	trawl_close(r);
	free(branches);
	return 0;
}
