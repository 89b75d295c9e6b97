/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the items of a small section, because few mutations of a file get past its
 * compression and its check. Read as a file, as a pipe, and from some time on.
 */
#include "format/makesmall.h"
#include "format/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void read_all(const uint8_t *file, size_t n, bool pipe, uint64_t from)
{
	struct trawl_range range = { .from = from, .to = UINT64_MAX };
	struct trawl_verdict v;
	struct trawl_error err;
	struct trawl_event ev;
	struct trawl_reader *r = reader_memory(file, n, pipe, &err);

	if (!r)
		return;
	trawl_select(r, &range, &err);
	while (trawl_next(r, &ev, &err) == 1)
		for (uint32_t i = 0; i < ev.len; i++)
			sink += ((const uint8_t *)ev.record)[i];
	for (size_t i = 0; i < trawl_meta_count(r); i++)
		sink += trawl_meta_at(r, i)->len + strlen(trawl_meta_at(r, i)->name);
	trawl_verdict(r, &v);
	sink += strlen(v.text);
	trawl_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf file = { 0 };

	/* Twice, as joined by `cat`: the second is expanded to the buffer of the first. */
	if (small_pack(&file, false, data, size) && small_pack(&file, true, data, size)) {
		read_all(file.data, file.len, false, 0);
		read_all(file.data, file.len, true, 0);
		read_all(file.data, file.len, false, 1795000001000000000u + 50000);
	}
	buf_free(&file);
	return 0;
}
