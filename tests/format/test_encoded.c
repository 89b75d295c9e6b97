/* SPDX-License-Identifier: MIT */
/*
 * The encoder's payloads, byte by byte, and what is decoded from payloads of which one byte has
 * another value, are held by digests. Any other payload of the same events would be right, too, but
 * larger, or one that nobody has looked at.
 */
#include <stdlib.h>
#include <zstd.h>

#include "tests/format/batches.h"
#include "tests/printed/printed.h"

/* The encoder chooses by the sizes that libzstd reaches, which differ from version to version. */
enum { ZSTD_OF_LIST = 10504, MOST = 400 };

static const int levels[] = {1, 3, 9, 20};

static void encode(FILE *out, struct batches *b, int level)
{
	struct chunk_encoder *e = chunk_encoder_new(level);
	struct trawl_error err;
	struct chunk_payload p;

	cr_assert_not_null(e);
	for (uint32_t i = 0; i < 3; i++) { /* the encoder keeps what it learns from a chunk */
		batches_fill(b, (uint32_t[]){1, 40, 1200}[i], 1 + i, i == 1 ? 9 : 0);
		if (i == 2 && level == 9)
			chunk_encoder_bulk(e, 0);
		cr_assert_eq(chunk_encode(e, &b->schema, &b->batch, &p, &err), 0);
		fprintf(out, "%u events in %zu bytes %016" PRIx64 ", bulk %d\n", p.count, p.len,
			(uint64_t)XXH64(p.data, p.len, 0), chunk_encoder_was_bulk(e));
	}
	chunk_encoder_free(e);
}

Test(encoded, payloads, .timeout = 600)
{
	struct printed p;

	if (ZSTD_versionNumber() != ZSTD_OF_LIST)
		cr_skip_test("payloads are those of libzstd 1.5.4");
	printed_open(&p, "payloads");
	for (uint32_t n = 0; n < 24; n++) {
		char name[32], *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);

		for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
			struct batches *b = batches_new(900 + n, 1 + n % 7, (int)(n % (WAYS + 4)));

			encode(out, b, levels[i]);
			batches_free(b);
		}
		fclose(out);
		snprintf(name, sizeof(name), "batches-%u", n);
		printed_take(&p, name, text, len);
		free(text);
	}
	printed_close(&p);
}

static void print_decoded(FILE *out, struct chunk_decoder *d, const struct batches *b,
			  const struct chunk_payload *p)
{
	const struct trawl_chunk *c;
	struct trawl_error err = {0};
	struct chunk_cursor *cursor;
	struct trawl_event ev;
	uint64_t sum = 0;

	if (chunk_decode(d, &b->schema, p, &c, &err)) {
		fprintf(out, " refused: %s\n", err.text);
		return;
	}
	cursor = chunk_cursor_new(c);
	cr_assert_not_null(cursor);
	for (uint32_t s = 0; s < c->nstreams; s++)
		while (chunk_cursor_next(cursor, s, &ev) > 0) {
			uint64_t head[] = {ev.ts, ev.cpu, ev.type->id, ev.len};

			sum = XXH64(ev.record, ev.len, XXH64(head, sizeof(head), sum));
		}
	chunk_cursor_free(cursor);
	fprintf(out, " %u events in %u streams %016" PRIx64 "\n", c->count, c->nstreams, sum);
}

Test(encoded, what_is_decoded_of_changed_payloads, .timeout = 600)
{
	struct printed p;

	if (ZSTD_versionNumber() != ZSTD_OF_LIST)
		cr_skip_test("payloads are those of libzstd 1.5.4");
	printed_open(&p, "decoded");
	for (uint32_t n = 0; n < 16; n++) {
		struct batches *b = batches_new(300 + n, 1 + n % 5, (int)(n % (WAYS + 4)));
		struct chunk_encoder *e = chunk_encoder_new(n % 2 ? 20 : 3);
		struct chunk_decoder *d = chunk_decoder_new();
		char name[32], *text = NULL;
		struct chunk_payload payload;
		struct trawl_error err;
		size_t len = 0, size;
		FILE *out = open_memstream(&text, &len);
		uint8_t *data;

		batches_fill(b, 30 + n * 9, 1 + n % 3, n % 4 * 7);
		cr_assert_eq(chunk_encode(e, &b->schema, &b->batch, &payload, &err), 0);
		data = batches_expand(payload.data, payload.len, &size);
		for (size_t at = 0; at < size; at += at < 200 ? 1 : size / MOST | 1) {
			data[at] ^= (uint8_t)(1u << at % 8);
			fprintf(out, "byte %zu:", at);
			print_decoded(out, d, b, &(struct chunk_payload){.data = data, .len = size,
				.count = b->batch.count});
			data[at] ^= (uint8_t)(1u << at % 8);
		}
		fclose(out);
		snprintf(name, sizeof(name), "batches-%u", n);
		printed_take(&p, name, text, len);
		free(text);
		free(data);
		chunk_decoder_free(d);
		chunk_encoder_free(e);
		batches_free(b);
	}
	printed_close(&p);
}
