/* SPDX-License-Identifier: MIT */
/* Writes the seeds of fuzz_chunk: chunk_seeds DIRECTORY (make regenerate-chunk-seeds). */
#include <stdio.h>
#include <stdlib.h>

#include "tests/format/batches.h"
#include "format/bytes.h"

static int write_seed(const char *directory, uint8_t schema, uint16_t events)
{
	struct batches *b = batches_new(schema, 5, WAYS);
	struct chunk_encoder *e = chunk_encoder_new(0);
	uint8_t head[3] = { schema };
	struct chunk_payload p;
	uint8_t *expanded;
	struct trawl_error err;
	char path[4096];
	size_t len;
	FILE *f;

	put16(head + 1, events);
	batches_fill(b, events, 2, schema % 2 * 10);
	if (!e || chunk_encode(e, &b->schema, &b->batch, &p, &err))
		return -1;
	snprintf(path, sizeof(path), "%s/%u-%u", directory, schema, events);
	f = fopen(path, "wb");
	if (!f)
		return -1;
	fwrite(head, 1, sizeof(head), f);
	expanded = batches_expand(p.data, p.len, &len);
	fwrite(expanded, 1, len, f);
	free(expanded);
	chunk_encoder_free(e);
	batches_free(b);
	return fclose(f);
}

int main(int argc, char **argv)
{
	for (uint8_t i = 0; argc == 2 && i < 8; i++)
		if (write_seed(argv[1], i, 7) || write_seed(argv[1], i, (uint16_t)(40 + i * 20)))
			return 1;
	return argc != 2;
}
