/* SPDX-License-Identifier: MIT */
#include "tests/format/sample_codings.h"

#include <stdlib.h>
#include <string.h>

#include "common/branch.h"
#include "common/branchrecord.h"

enum { SECOND = 1000000000, TID = 700, HIT = 0x401234 };
#define BOOT 1795000000000000000u

/* Adds `n` branches of a loop. */
static void loop(struct branch_encoder *e, uint64_t from, uint32_t n, uint64_t time)
{
	for (uint32_t i = 0; i < n; i++)
		branch_encoder_add(e, &(struct branch){ .from = from, .to = from - 16, .cycles = i,
							.kind = BRANCH_JCC, .flags = i % 4 }, time);
}

/* Appends the batch, whose record has `fixed` bytes. */
static int put(struct trawl_writer *w, int source, bool last, struct branch_encoder *e,
	       uint64_t until, struct trawl_error *err)
{
	struct branch_last_record r = {
		.branch = { TID, TID, until, branch_encoder_count(e), BRANCH_HOW_KMOD_LBR },
		.address = HIT,
	};
	size_t fixed = last ? sizeof(r) : sizeof(r.branch), len;
	const void *batch = branch_encoder_finish(e, &len);
	uint8_t *record = malloc(fixed + len);
	int ret;

	if (!batch || !record)
		abort();
	memcpy(record, &r, fixed);
	memcpy(record + fixed, batch, len);
	ret = trawl_append(w, &(struct trawl_record){
		(uint16_t)source, last ? BRANCH_TYPE_LAST : BRANCH_TYPE_STREAM, UINT32_MAX,
		branch_encoder_first(e), record, fixed + len }, err);
	free(record);
	return ret;
}

/* A stream with each kind of mark, between branches and at both ends. */
static int put_stream(struct trawl_writer *w, int source, struct branch_encoder *e,
		      struct trawl_error *err)
{
	uint64_t t = SECOND;

	branch_encoder_start(e, t);
	branch_encoder_mark(e, BRANCH_MARK_START, t, 0);
	loop(e, 0x401020, 3, t += 1000);
	branch_encoder_mark(e, BRANCH_MARK_TIME, t += 500, 0);
	loop(e, 0x401040, 2, t);
	branch_encoder_mark(e, BRANCH_MARK_BREAK, t += 2000, 0);
	loop(e, 0x402020, 2, t);
	branch_encoder_mark(e, BRANCH_MARK_LOST, t += 70000, 300);
	branch_encoder_mark(e, BRANCH_MARK_BREAK, t, 0);
	loop(e, 0x403020, 1, t);
	branch_encoder_mark(e, BRANCH_MARK_STACK, t += 5000000, 0);
	loop(e, 0x401020, 4, t);
	branch_encoder_mark(e, BRANCH_MARK_LOST, t += 10, 0);
	return put(w, source, false, e, t, err);
}

/* A stack before a probe hit, and one that is unknown. */
static int put_stacks(struct trawl_writer *w, int source, struct branch_encoder *e,
		      struct trawl_error *err)
{
	branch_encoder_start(e, 2ull * SECOND);
	branch_encoder_mark(e, BRANCH_MARK_STACK, 2ull * SECOND, 0);
	loop(e, 0x401020, 2, 2ull * SECOND);
	branch_encoder_mark(e, BRANCH_MARK_BREAK, 2ull * SECOND, 0);
	loop(e, 0x401060, 2, 2ull * SECOND);
	if (put(w, source, true, e, 2ull * SECOND, err))
		return -1;
	branch_encoder_start(e, 3ull * SECOND);
	branch_encoder_mark(e, BRANCH_MARK_LOST, 3ull * SECOND, 0);
	return put(w, source, true, e, 3ull * SECOND, err);
}

int sample_marks(int fd, struct trawl_error *err)
{
	static const struct trawl_writer_options o = { .comment = "a sample for tests",
						       .time = BOOT };
	struct trawl_writer *w = trawl_writer_new(fd, &o, err);
	struct branch_encoder *e = branch_encoder_new();
	struct trawl_sync sync = { .mono = SECOND, .real = BOOT + SECOND, .bound = 100,
				   .why = TRAWL_SYNC_START };
	int stream, last, failed;

	if (!w || !e)
		abort();
	stream = branchrecord_describe(w, "branch:kmod-lbr", false, err);
	last = branchrecord_describe(w, "branch:kmod-lbr last=4@probe", true, err);
	failed = stream < 0 || last < 0 || trawl_writer_sync(w, &sync, err) ||
		 put_stream(w, stream, e, err) || put_stacks(w, last, e, err);
	sync = (struct trawl_sync){ .mono = 4ull * SECOND, .real = BOOT + 4ull * SECOND,
				    .bound = 100, .why = TRAWL_SYNC_STOP,
				    .horizon = 3ull * SECOND };
	failed = failed || trawl_writer_sync(w, &sync, err);
	branch_encoder_free(e);
	return sample_finish(w, failed, err);
}
