/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a .trawl file. Each input is read unchanged, and once more with all checks
 * corrected, because few mutations get past a hash; as a file, as a pipe, and chunk by chunk.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "format/block.h"
#include "format/reader.h"
#include "tests/fuzz/rightcheck.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void read_columns(const struct trawl_chunk *c)
{
	for (uint32_t g = 0; g < c->ngroups; g++)
		for (uint32_t k = 0; k < c->groups[g].ncolumns; k++) {
			const struct trawl_group *group = &c->groups[g];
			const struct trawl_column *col = &group->columns[k];
			size_t n = col->offsets ? col->offsets[group->count] :
				(size_t)col->field->size * col->field->count * group->count;

			for (size_t i = 0; i < n; i++)
				sink += ((const uint8_t *)col->data)[i];
		}
	for (uint32_t i = 0; i < c->count; i++)
		sink += c->groups[c->group_of[i]].count;
}

static void read_tables(struct trawl_reader *r)
{
	for (size_t i = 0; i < trawl_meta_count(r); i++)
		sink += trawl_meta_at(r, i)->len + strlen(trawl_meta_at(r, i)->name);
	for (size_t i = 0; i < trawl_event_type_count(r); i++)
		sink += strlen(trawl_event_type_at(r, i)->format);
	for (size_t i = 0; i < trawl_loss_count(r); i++)
		sink += trawl_loss_at(r, i)->count;
	for (int clock = TRAWL_CLOCK_MONO; clock <= TRAWL_CLOCK_TSC; clock++)
		sink += trawl_to_timeline(r, (enum trawl_clock)clock, 12345);
}

static void read_all(const uint8_t *data, size_t size, bool pipe, bool chunks, uint64_t from)
{
	struct trawl_range range = { .from = from, .to = UINT64_MAX };
	const struct trawl_chunk *chunk;
	struct trawl_verdict v;
	struct trawl_error err;
	struct trawl_event ev;
	struct trawl_reader *r = reader_memory(data, size, pipe, &err);

	if (!r)
		return;
	trawl_select(r, &range, &err);
	if (chunks)
		while (trawl_next_chunk(r, &chunk, &err) == 1)
			read_columns(chunk);
	else
		while (trawl_next(r, &ev, &err) == 1)
			for (uint32_t i = 0; i < ev.len; i++)
				sink += ((const uint8_t *)ev.record)[i];
	read_tables(r);
	trawl_verdict(r, &v);
	sink += strlen(v.text);
	trawl_close(r);
}

/* The tests that programs do before opening a file. */
static void ask(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	if (write(fd, data, size) == (ssize_t)size)
		sink += trawl_is_ours(fd);
	close(fd);
}

/*
 * Corrects the lengths and checks of the block at p, as far as there is room; returns its length.
 */
static size_t repair(uint8_t *p, size_t n)
{
	size_t len = get32(p + 4), body;

	if (len % 4 || len < BLOCK_OVERHEAD || len > n || p[27] > 3 ||
	    len < BLOCK_OVERHEAD + (size_t)p[27])
		return 4;
	put32(p + len - 4, (uint32_t)len);
	body = len - BLOCK_OVERHEAD - p[27];
	memset(p + BLOCK_HEAD + body, 0, p[27]);
	right_check(p, body);
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		return 0;
	ask(data, size);
	read_all(data, size, false, false, 0);
	read_all(data, size, true, false, 0);
	memcpy(copy, data, size);
	for (size_t i = 0; i + BLOCK_OVERHEAD <= size;)
		i += memcmp(copy + i + 8, block_uuid, 16) ? 4 : repair(copy + i, size - i);
	read_all(copy, size, false, false, 0);
	read_all(copy, size, true, false, 1795000001000000000u + 50000);
	read_all(copy, size, size & 1, true, 0);
	free(copy);
	return 0;
}
