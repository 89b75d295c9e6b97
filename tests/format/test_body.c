/* SPDX-License-Identifier: MIT */
/*
 * Bodies of blocks and of the index: everything written is read back, and truncated ones are
 * refused.
 */
#include <criterion/criterion.h>

#include "format/body.h"
#include "format/index.h"
#include "format/memory.h"

static const struct trawl_field common[] = {
	{ "pid", "int", "", TRAWL_PID, TRAWL_FIXED, 0, 4, 4, 1 },
};
static const struct trawl_field fields[] = {
	{ "id", "u64", "an id", TRAWL_HEX, TRAWL_FIXED, TRAWL_FIELD_KEY, 8, 8, 1 },
	{ "v", "", "", TRAWL_FLOAT, TRAWL_FIXED, 0, 16, 4, 3 },
	{ "s", "char[]", "", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 28, 1, 1 },
	{ "none", "", "why", TRAWL_NONE, TRAWL_FIXED, 0, 0, 0, 0 },
};
static const struct trawl_source source = {
	.id = 200, .name = "usdt", .spec = "usdt:x", .kind = "tracefs", .clock = TRAWL_CLOCK_BOOT,
	.linktype = 252, .resolution = 1000, .ncommon = 1, .common = common,
};
static const struct trawl_event_type type = {
	.source = 3, .id = 65535, .name = "a:b", .format = "format text", .size = 32, .nfields = 4,
	.fields = fields,
};

static struct view view_of(const struct buf *b, size_t n)
{
	return (struct view){ b->data, b->data + n, false };
}

Test(body, sources_come_back_whole_or_not_at_all)
{
	struct trawl_source got;
	struct buf b = { 0 };
	struct view v;
	uint64_t check;

	body_source(&b, &source, 77);
	v = view_of(&b, b.len);
	cr_assert(body_source_get(&v, &got, &check));
	cr_assert_eq(view_left(&v), 0);
	cr_assert_eq(check, 77);
	cr_assert_eq(got.id, 200);
	cr_assert(body_source_same(&got, &source));
	got.resolution++;
	cr_assert(!body_source_same(&got, &source));
	body_source_free(&got);
	for (size_t n = 0; n < b.len; n++) {
		v = view_of(&b, n);
		cr_assert(!body_source_get(&v, &got, &check), "%zu bytes of %zu", n, b.len);
	}
	buf_free(&b);
}

Test(body, types_come_back_whole_or_not_at_all)
{
	struct trawl_event_type got, other = type;
	struct trawl_field changed[4];
	struct buf b = { 0 };
	uint32_t index;
	struct view v;

	body_type(&b, &type, 9);
	v = view_of(&b, b.len);
	cr_assert(body_type_get(&v, &got, &index));
	cr_assert_eq(view_left(&v), 0);
	cr_assert_eq(index, 9);
	cr_assert_eq(got.source, 3);
	cr_assert(body_type_same(&got, &type));
	memcpy(changed, fields, sizeof(fields));
	changed[3].note = "another";
	other.fields = changed;
	cr_assert(!body_type_same(&got, &other));
	body_type_free(&got);
	for (size_t n = 0; n < b.len; n++) {
		v = view_of(&b, n);
		cr_assert(!body_type_get(&v, &got, &index), "%zu bytes of %zu", n, b.len);
	}
	buf_free(&b);
}

/* More fields than the body can hold: refused before memory is allocated for them. */
Test(body, numbers_of_fields_are_bounded)
{
	struct trawl_event_type got;
	struct buf b = { 0 };
	uint32_t index;
	struct view v;

	body_type(&b, &type, 0);
	for (uint64_t n = 5; n <= UINT32_MAX; n *= 7) {
		put32(b.data + 12, (uint32_t)n);
		v = view_of(&b, b.len);
		cr_assert(!body_type_get(&v, &got, &index), "%lu fields", n);
	}
	buf_free(&b);
}

/* Each limit of a field, and what just exceeds it. */
Test(body, fields_keep_their_limits)
{
	static const struct {
		struct trawl_field f;
		bool ok;
	} cases[] = {
		{{.kind = TRAWL_UINT, .offset = 8, .size = 8, .count = 1}, true},
		{{.kind = TRAWL_UINT, .offset = 9, .size = 8, .count = 1}, false},
		{{.kind = TRAWL_UINT, .offset = 8, .size = 4, .count = 3}, false},
		{{.kind = TRAWL_UINT, .size = 3, .count = 1}, false},
		{{.kind = TRAWL_FLOAT, .size = 4, .count = 1}, true},
		{{.kind = TRAWL_FLOAT, .size = 2, .count = 1}, false},
		{{.kind = TRAWL_TEXT, .size = 2, .count = 1}, false},
		{{.kind = TRAWL_KINDS, .size = 1, .count = 1}, false},
		{{.kind = TRAWL_UINT, .place = TRAWL_PLACES, .size = 1, .count = 1}, false},
		{{.kind = TRAWL_TEXT, .place = TRAWL_DATA_LOC, .offset = 12, .size = 1}, true},
		{{.kind = TRAWL_TEXT, .place = TRAWL_DATA_LOC, .offset = 13, .size = 1}, false},
		{{.kind = TRAWL_TEXT, .place = TRAWL_REL_LOC, .offset = 13, .size = 1}, false},
		{{.kind = TRAWL_TEXT, .place = TRAWL_TAIL, .offset = 16, .size = 1}, true},
		{{.kind = TRAWL_TEXT, .place = TRAWL_TAIL, .offset = 15, .size = 1}, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cr_expect_eq(body_fields_ok(&cases[i].f, 1, 16, false, NULL), cases[i].ok, "%zu",
			     i);
	cr_expect(body_fields_ok(&cases[0].f, 1, 16, true, NULL));
	cr_expect_not(body_fields_ok(&cases[9].f, 1, 16, true, NULL), "at no fixed place");
}

Test(body, parts_of_metadata_lie_within_it)
{
	struct meta_part p = {.meta = {.name = "m",
				       .type = "text/plain",
				       .time = 5,
				       .data = "0123456789",
				       .len = 100},
			      .from = 90,
			      .len = 10};
	struct meta_part got;
	struct buf b = { 0 };
	struct view v;

	body_meta(&b, &p);
	v = view_of(&b, b.len);
	cr_assert(body_meta_get(&v, &got));
	cr_assert_eq(got.len, 10);
	cr_assert(!memcmp(got.meta.data, "0123456789", 10));
	body_meta_free(&got);
	for (uint32_t from = 91; from < UINT32_MAX - 200; from += UINT32_MAX / 100) {
		put32(b.data + 12, from);
		v = view_of(&b, b.len);
		cr_assert(!body_meta_get(&v, &got), "from %u", from);
	}
	buf_free(&b);
}

Test(body, syncs_and_losses)
{
	struct trawl_sync sync = { 1, 2, 3, 4, 5, 6, 7, 8, TRAWL_SYNC_STEP, 0 }, sync_got;
	struct trawl_loss loss = { 1, 2, 3, 4, UINT64_MAX, TRAWL_LOSS_MAP, 0 }, loss_got;
	struct buf b = { 0 };
	struct view v;

	memset(&sync_got, 0, sizeof(sync_got));
	memset(&loss_got, 0, sizeof(loss_got));
	body_sync(&b, &sync);
	cr_assert_eq(b.len, 68);
	v = view_of(&b, b.len);
	cr_assert(body_sync_get(&v, &sync_got));
	cr_assert_eq(sync_got.mono, 1);
	cr_assert_eq(sync_got.horizon, 8);
	cr_assert_eq(sync_got.why, TRAWL_SYNC_STEP);
	v = view_of(&b, b.len - 1);
	cr_assert(!body_sync_get(&v, &sync_got));
	b.len = 0;
	body_loss(&b, &loss);
	cr_assert_eq(b.len, 36);
	v = view_of(&b, b.len);
	cr_assert(body_loss_get(&v, &loss_got));
	cr_assert_eq(loss_got.cpu, 2);
	cr_assert_eq(loss_got.count, UINT64_MAX);
	cr_assert_eq(loss_got.reason, TRAWL_LOSS_MAP);
	v = view_of(&b, b.len - 1);
	cr_assert(!body_loss_get(&v, &loss_got));
	buf_free(&b);
}

/* ---- the index ------------------------------------------------------------------------------ */

Test(index, items_and_chunks_come_back_in_order)
{
	struct chunk_ref r = { 1000, 5, 9, 400, 30, 2 }, got;
	struct buf one = { 0 }, body = { 0 };
	struct index x = { 0 };
	enum block_kind kind;
	struct view v, item;
	uint64_t at;

	buf_put(&one, "meta", 4);
	index_item(&x, BLOCK_META, 100, &one);
	index_ref(&x, &r);
	index_item(&x, BLOCK_LOSS, 200, &one);
	r.at = 2000;
	index_ref(&x, &r);
	cr_assert_eq(x.chunks, 2);
	cr_assert_eq(x.events, 60);
	index_take(&x, 5000, &body);
	v = view_of(&body, body.len);
	cr_assert_eq(view_u64(&v), 0, "there is none before it");
	cr_assert(index_next(&v, &kind, &at, &item) && kind == BLOCK_META && at == 100);
	cr_assert_eq(view_left(&item), 4);
	cr_assert(index_next(&v, &kind, &at, &item) && kind == BLOCK_LOSS && at == 200);
	cr_assert(index_next(&v, &kind, &at, &item) && kind == BLOCK_REFS);
	cr_assert(index_ref_get(&item, &got) && got.at == 1000 && got.len == 400 &&
		  got.source == 2);
	cr_assert(index_ref_get(&item, &got) && got.at == 2000);
	cr_assert(!index_ref_get(&item, &got));
	cr_assert(!index_next(&v, &kind, &at, &item));
	cr_assert(!v.bad);
	body.len = 0;
	index_take(&x, 6000, &body);
	cr_assert_eq(body.len, 8, "what was taken is not there again");
	cr_assert_eq(get64(body.data), 1000, "it is so far after the one before");
	index_free(&x);
	buf_free(&one);
	buf_free(&body);
}

Test(index, an_item_longer_than_the_rest_is_refused)
{
	struct buf one = { 0 }, body = { 0 };
	struct index x = { 0 };
	enum block_kind kind;
	struct view v, item;
	uint64_t at;

	buf_put(&one, "meta", 4);
	index_item(&x, BLOCK_META, 100, &one);
	index_take(&x, 5000, &body);
	for (size_t n = 9; n < body.len; n++) {
		v = view_of(&body, n);
		view_u64(&v);
		cr_assert(!index_next(&v, &kind, &at, &item), "%zu", n);
		cr_assert(v.bad);
	}
	put32(body.data + 12, UINT32_MAX);
	v = view_of(&body, body.len);
	view_u64(&v);
	cr_assert(!index_next(&v, &kind, &at, &item));
	index_free(&x);
	buf_free(&one);
	buf_free(&body);
}

Test(index, it_is_full_before_a_block_of_it_is_too_large)
{
	struct chunk_ref r = { 0 };
	struct index x = { 0 };
	size_t n = 0;

	for (; !index_is_full(&x); n++)
		index_ref(&x, &r);
	cr_assert_lt(n * INDEX_REF, BLOCK_BODY_MAX / 2);
	cr_assert_gt(n, 10000);
	index_free(&x);
}
