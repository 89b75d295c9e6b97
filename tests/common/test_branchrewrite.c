/* SPDX-License-Identifier: MIT */
/* A capture of branches that is written anew with long batches. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/branch.h"
#include "common/branchrecord.h"
#include "common/branchrewrite.h"
#include "format/trawl.h"

enum { PID = 7 };

static struct trawl_error err;
static struct trawl_writer *w;
static uint16_t source;

static void map(uint64_t time)
{
	struct trawl_meta m = {
		.name = BRANCH_MAPS_NAME "7", .type = "text/plain", .time = time,
		.data = "x", .len = 1 };

	cr_assert_eq(trawl_writer_meta(w, &m, &err), 0);
}

static void batch(uint64_t first, uint64_t until)
{
	struct branch_record fixed = { .tid = PID, .pid = PID, .until = until, .count = 1 };
	struct branch one = { .from = 0x401000, .to = 0x401100, .kind = BRANCH_CALL };
	struct branch_encoder *e = branch_encoder_new();
	char record[4096];
	const void *data;
	size_t len;

	branch_encoder_start(e, first);
	branch_encoder_add(e, &one, first);
	data = branch_encoder_finish(e, &len);
	memcpy(record, &fixed, sizeof(fixed));
	memcpy(record + sizeof(fixed), data, len);
	cr_assert_eq(trawl_append(w,
				  &(struct trawl_record){ source, BRANCH_TYPE_STREAM, PID, first,
							  record, sizeof(fixed) + len },
				  &err), 0);
	branch_encoder_free(e);
}

static void ends(struct trawl_reader *r, uint64_t want)
{
	struct branch_record fixed;
	struct trawl_event ev;

	cr_assert_eq(trawl_next(r, &ev, &err), 1);
	memcpy(&fixed, ev.record, sizeof(fixed));
	cr_assert_eq(fixed.until, want, "%lu", (unsigned long)fixed.until);
}

/*
 * Branches that were collected happened any time since those before, also before the mappings that
 * the batch has.
 */
Test(branchrewrite, a_batch_that_was_collected_has_the_mappings_of_its_end)
{
	struct trawl_writer_options o = { .comment = "" };
	struct trawl_sync sync = { .mono = 1, .real = 1, .boot = 1, .mono_raw = 1 };
	int from = memfd_create("from", 0), to = memfd_create("to", 0);
	struct trawl_reader *r;

	w = trawl_writer_new(dup(from), &o, &err);
	cr_assert(w);
	cr_assert_eq(trawl_writer_sync(w, &sync, &err), 0);
	source = (uint16_t)branchrecord_describe(w, "", false, &err);
	map(10);
	map(100);
	batch(20, 50);
	batch(50, 90);
	batch(90, 150);
	batch(150, 160);
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	cr_assert(branch_rewrite(from, to));
	r = trawl_open_fd(to, "rewritten", NULL, &err);
	cr_assert(r);
	ends(r, 90);
	ends(r, 160);
	trawl_close(r);
	close(from);
	close(to);
}
