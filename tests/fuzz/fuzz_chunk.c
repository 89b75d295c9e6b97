/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a chunk payload: one byte that chooses the types, two for the number of events, and
 * the payload. tests/fuzz/chunk_seeds.c writes the seeds.
 */
#include <stdlib.h>

#include "tests/format/batches.h"
#include "format/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void read_columns(const struct trawl_chunk *c)
{
	for (uint32_t g = 0; g < c->ngroups; g++)
		for (uint32_t k = 0; k < c->groups[g].ncolumns; k++) {
			const struct trawl_column *col = &c->groups[g].columns[k];
			size_t n = col->offsets ? col->offsets[c->groups[g].count] :
						  (size_t)col->field->size * col->field->count *
							  c->groups[g].count;

			for (size_t i = 0; i < n; i++)
				sink += ((const uint8_t *)col->data)[i];
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct batches *b[8];
	static struct chunk_decoder *d;
	const struct trawl_chunk *c;
	struct chunk_cursor *cursor;
	struct trawl_error err;
	struct trawl_event ev;
	struct chunk_payload p;

	if (size < 3)
		return 0;
	p = (struct chunk_payload){ .data = data + 3, .len = size - 3, .count = get16(data + 1) };
	for (uint32_t i = 0; !d && i < 8; i++)
		b[i] = batches_new(i, 5, WAYS);
	if (!d)
		d = chunk_decoder_new();
	if (!d || chunk_decode(d, &b[data[0] % 8]->schema, &p, &c, &err))
		return 0;
	read_columns(c);
	cursor = chunk_cursor_new(c);
	for (uint32_t s = 0; cursor && s < c->nstreams; s++)
		while (chunk_cursor_next(cursor, s, &ev) > 0)
			for (uint32_t i = 0; i < ev.len; i++)
				sink += ((const uint8_t *)ev.record)[i];
	chunk_cursor_free(cursor);
	return 0;
}
