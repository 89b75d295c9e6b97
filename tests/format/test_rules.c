/* SPDX-License-Identifier: MIT */
/*
 * Each check of a block or a chunk's payload names the rule of docs/format.md that is broken.
 * tests/structure.py fails if a rule has no line here.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "format/block.h"
#include "format/chunk.h"
#include "format/memory.h"
#include "format/reader.h"
#include "format/varint.h"
#include "tests/format/sample.h"

/* ---- payloads that break a rule ------------------------------------------------------------ */

struct bytes {
	const char *p;
	size_t n;
};
#define B(s) { (s), sizeof(s) - 1 }

/* A payload: its version, and the substreams in their order, none of them compressed. */
struct broken {
	const char *rule;
	uint32_t count;
	uint8_t version;
	struct bytes parts[5];
};

/* The parts of the structure: of one event, in one stream, table and class. */
#define TIMES "\0\1"
#define STREAMS "\1\0\1"
#define TABLES "\1\0\0\1"
#define STRINGS "\1\2ab"
#define NUMBER "\x80\0"
#define TEXT "\0\x80\0"
#define COLUMN(description) B(TIMES STREAMS TABLES STRINGS description TEXT)
#define STRING(description) B(TIMES STREAMS TABLES STRINGS NUMBER description)

static const struct broken broken[] = {
	{ "version is not 2, 3 or 4 (docs/format.md, Chunk payload)", 1, 5, { COLUMN(NUMBER), B("\0") } },
	{ "over 1,048,576 events (docs/format.md, Bounds)", (1 << 20) + 1, 2, { COLUMN(NUMBER) } },
	{ "structure ends early, or", 1, 2, { B("\0\x80") } },
	{ "a stream has no events (docs/format.md, Structure)", 1, 2, { B(TIMES "\1\0\0") } },
	{ "two streams have one CPU", 2, 2, { B(TIMES "\2\0\1\0\1") } },
	{ "streams have fewer events than the chunk", 2, 2, { B(TIMES STREAMS) } },
	{ "type of a table is missing", 1, 2, { B(TIMES STREAMS "\1\2\0\1") } },
	{ "a key is no number column", 1, 2, { B(TIMES STREAMS "\1\0\1\7") } },
	{ "a table or class has no events", 1, 2, { B(TIMES STREAMS "\1\0\1\0\0") } },
	{ "a class has no events", 1, 2, { B(TIMES STREAMS "\1\0\0\0") } },
	{ "classes have fewer events than", 2, 2, { B(TIMES "\1\0\2" TABLES) } },
	{ "over 65,535 classes", 70000, 2, { B(TIMES "\1\0\xf0\xa2\4" "\1\0\1\0\x80\x80\4") } },
	{ "or the unit not 1 (docs/format.md, Ticks)", 1, 4, { B("\0\2\1\0") } },
	{ "a correction is behind the events", 1, 4,
	  { B("\0\1\1\1" STREAMS TABLES STRINGS NUMBER TEXT), B("\0\1\0") } },
	{ "an event is of no class, or of one that has no more (docs/format.md, Sequence and time)",
	  2, 2, { B(TIMES "\1\0\2" "\1\0\1\0\2\1\0\1\2" STRINGS TEXT), B("\0\5\0\0") } },
	{ "codes has fewer bytes", 1, 2, { COLUMN(NUMBER) } },
	{ "a code is above 236 (docs/format.md, Bucket codes)", 1, 2, { COLUMN(NUMBER), B("\xff") } },
	{ "bits has fewer bytes", 1, 2, { COLUMN(NUMBER), B("\x10") } },
	{ "bit 7 of a tag is set", 1, 2, { COLUMN("\x81"), B("\0") } },
	{ "a mask is 32 or more", 1, 2, { COLUMN("\1\x20"), B("\0") } },
	{ "the reference is missing", 1, 2, { COLUMN("\x10"), B("\0") } },
	{ "none that it may refer to", 1, 2, { COLUMN("\x50\0"), B("\0") } },
	{ "literals have no bytes, or more", 1, 2, { COLUMN("\0\0"), B("\0") } },
	{ "literals has fewer bytes", 1, 2, { COLUMN("\0\1"), B("\0") } },
	{ "above the number of predictors (docs/format.md, Number columns)", 1, 2,
	  { COLUMN("\2\0\0\1"), B("\0\3") } },
	{ "is not 0 or 1 (docs/format.md, Description of a column)", 1, 2, { STRING("\2"), B("\0") } },
	{ "number of a string is not listed", 1, 2, { STRING("\0\x80\2"), B("\0") } },
	{ "a string is longer than its field (docs/format.md, String columns)", 1, 2,
	  { B(TIMES STREAMS TABLES "\1\5abcde" NUMBER TEXT), B("\0") } },
	{ "data has fewer bytes", 1, 2, { STRING("\1"), B("\0") } },
	{ "data has more bytes", 1, 2, { COLUMN(NUMBER), B("\0"), B(""), B(""), B("x") } },
	{ "codes has more bytes", 1, 2, { COLUMN(NUMBER), B("\0\0") } },
	{ "structure has more bytes", 1, 2, { B(TIMES STREAMS TABLES STRINGS NUMBER TEXT "x"), B("\0") } },
	{ "literals has more bytes", 1, 2, { COLUMN(NUMBER), B("\0"), B("x") } },
	{ "bits has more bytes", 1, 2, { COLUMN(NUMBER), B("\0"), B(""), B("x") } },
	/* a mask is missing */
	{ "structure ends early, or", 1, 2, { STRING("\0\5"), B("\0\1") } },
	{ "shorter than the fixed part (docs/format.md, Whole records)", 1, 2,
	  { B(TIMES STREAMS "\1\1\0\1" STRINGS "\1\x80\6"), B("\0"), B(""), B(""), B("abc") } },
	{ NULL, 1, 2, { COLUMN(NUMBER), B("\0") } },
};

static const struct trawl_field broken_fields[] = {
	{ .name = "n", .ctype = "u32", .note = "", .size = 4, .count = 1 },
	{ .name = "s", .ctype = "char[4]", .note = "", .kind = TRAWL_TEXT, .offset = 4, .size = 1,
	  .count = 4 },
};

static const struct trawl_source broken_source = { .name = "s", .kind = "k", .spec = "",
						   .clock = TRAWL_CLOCK_MONO };

static int decode_type(struct chunk_decoder *d, const struct trawl_source *source,
		       const struct trawl_event_type *type, const struct buf *b, uint32_t count,
		       struct trawl_error *err)
{
	const struct trawl_event_type *const list[] = { type, NULL };
	const struct chunk_schema schema = { source, list, ARRAY_SIZE(list) };
	const struct chunk_payload p = { .data = b->data, .len = b->len, .count = count };
	const struct trawl_chunk *chunk;

	return chunk_decode(d, &schema, &p, &chunk, err);
}

static int decode_broken(struct chunk_decoder *d, const struct buf *b, uint32_t count,
			 struct trawl_error *err)
{
	static const struct trawl_event_type type = { .name = "t", .format = "", .size = 8,
						      .nfields = 2, .fields = broken_fields };

	return decode_type(d, &broken_source, &type, b, count, err);
}

static void put_broken(struct buf *b, const struct broken *k)
{
	b->len = 0;
	buf_varint(b, k->version);
	for (size_t i = 0; i < ARRAY_SIZE(k->parts); i++) {
		buf_varint(b, k->parts[i].n);
		if (k->parts[i].n) {
			buf_varint(b, 0);
			buf_put(b, k->parts[i].p, k->parts[i].n);
			buf_varint(b, 0);
		}
	}
}

Test(rules, a_chunk_says_which_rule_it_breaks)
{
	struct chunk_decoder *d = chunk_decoder_new();
	struct trawl_error err = { 0 };
	struct buf b = { 0 };
	char begins[40];

	for (const struct broken *k = broken; k->rule; k++) {
		put_broken(&b, k);
		cr_assert_eq(decode_broken(d, &b, k->count, &err), -1, "%s", k->rule);
		snprintf(begins, sizeof(begins), "chunk of %u events: ", k->count);
		cr_expect_eq(err.status, TRAWL_BAD_DATA);
		cr_expect(!strncmp(err.text, begins, strlen(begins)) && strstr(err.text, k->rule) &&
			  strstr(err.text, " (docs/format.md, "), "\"%s\" is not: %s", err.text,
			  k->rule);
	}
	put_broken(&b, &broken[ARRAY_SIZE(broken) - 1]);
	cr_assert_eq(decode_broken(d, &b, 1, &err), 0, "%s", err.text);
	b.len--;
	cr_assert_eq(decode_broken(d, &b, 1, &err), -1);
	cr_expect(strstr(err.text, "the substream data is cut"), "%s", err.text);
	b.len++;
	buf_u8(&b, 0);
	cr_assert_eq(decode_broken(d, &b, 1, &err), -1);
	cr_expect(strstr(err.text, "bytes follow the substream data"), "%s", err.text);
	chunk_decoder_free(d);
	buf_free(&b);
}

/* Fails with the rule unless it is what a payload of the type and the common fields breaks. */
static void breaks(const struct broken *k, const struct trawl_event_type *type,
		   const struct trawl_field *common, uint32_t ncommon)
{
	struct trawl_source source = broken_source;
	struct chunk_decoder *d = chunk_decoder_new();
	struct trawl_error err = { 0 };
	struct buf b = { 0 };

	source.common = common;
	source.ncommon = ncommon;
	put_broken(&b, k);
	cr_expect_eq(decode_type(d, &source, type, &b, k->count, &err), -1, "%s", k->rule);
	cr_expect_eq(err.status, TRAWL_BAD_DATA);
	cr_expect(strstr(err.text, k->rule), "\"%s\" is not: %s", err.text, k->rule);
	chunk_decoder_free(d);
	buf_free(&b);
}

/* The parts of the structure of 1,048,576 events: in one stream, table and class. */
enum { MILLION = 1 << 20 };
#define MILLION_STREAMS "\1\0\x80\x80\x40"
#define MILLION_TABLES "\1\0\0\x80\x80\x40"

Test(rules, a_chunk_says_which_bound_of_its_types_it_breaks)
{
	struct trawl_field many[16];
	struct trawl_event_type type = { .name = "t", .format = "", .size = 64, .nfields = 16,
					 .fields = many };

	for (uint16_t i = 0; i < 16; i++)
		many[i] = (struct trawl_field){ .name = "n", .ctype = "u32", .note = "", .size = 4,
						.count = 1, .offset = 4 * i };
	breaks(&(struct broken){ "over 16,777,216 numbers", MILLION, 2,
				 { B(TIMES MILLION_STREAMS MILLION_TABLES "\0") } },
	       &type, NULL, 0);
	type.size = 8;
	breaks(&(struct broken){ "the common fields do not fit a table", 1, 2,
				 { B(TIMES STREAMS TABLES) } }, &type, many, 16);
	/* a record of 8 bytes, kept whole, of a type whose third field is behind them */
	breaks(&(struct broken){ "a field is not in the fixed part", 1, 2,
				 { B(TIMES STREAMS "\1\1\0\1" STRINGS "\1\x80\x10"),
				   B("\0"), B(""), B(""), B("12345678") } }, &type, NULL, 0);
}

/* The same string of 1,024 bytes a million times: in a field, and behind the record. */
Test(rules, a_chunk_says_that_its_strings_are_too_long)
{
	static const char head[] = TIMES MILLION_STREAMS MILLION_TABLES "\1\x80\x08";
	static uint8_t zeros[MILLION];
	enum { HEAD = sizeof(head) - 1, LENGTH = 1024 };
	char structure[HEAD + LENGTH + 3];
	struct broken k = { "its columns take over 256 MiB", MILLION, 2,
			    { { structure, sizeof(structure) },
			      { (const char *)zeros, MILLION } } };
	struct trawl_field text = { .name = "s", .ctype = "", .note = "", .size = 1,
				    .kind = TRAWL_TEXT, .count = LENGTH };
	struct trawl_event_type type = { .name = "t", .format = "", .size = LENGTH, .nfields = 1,
					 .fields = &text };

	memcpy(structure, head, HEAD);
	memset(structure + HEAD, 'x', LENGTH);
	memcpy(structure + HEAD + LENGTH, TEXT, 3);
	breaks(&k, &type, NULL, 0);
	text.place = TRAWL_DATA_LOC;
	text.size = 4;
	text.count = 1;
	k.rule = "strings have over 64 MiB";
	breaks(&k, &type, NULL, 0);
}

Test(rules, a_chunk_for_which_memory_runs_out_is_not_damaged)
{
	struct trawl_memory memory = { .most = 1 };
	struct budget budget = { .memory = &memory };
	struct chunk_decoder *d = chunk_decoder_new();
	struct trawl_error err = { 0 };
	struct buf b = { 0 };

	put_broken(&b, &broken[ARRAY_SIZE(broken) - 1]);
	chunk_decoder_budget(d, &budget);
	cr_assert_eq(decode_broken(d, &b, 1, &err), -1);
	cr_expect_eq(err.status, TRAWL_CANNOT, "%s", err.text);
	cr_expect(budget.refused);
	chunk_decoder_free(d);
	buf_free(&b);
}

/* ---- what a verdict says ------------------------------------------------------------------- */

/* Reads all of a file or pipe. */
static struct trawl_verdict verdict_of(const uint8_t *p, size_t n, bool pipe)
{
	struct trawl_error err = { 0 };
	struct trawl_reader *r = reader_memory(p, n, pipe, &err);
	struct trawl_verdict v = { 0 };
	struct trawl_event ev;

	cr_assert(r, "%s", err.text);
	while (trawl_next(r, &ev, &err) == 1)
		;
	trawl_verdict(r, &v);
	trawl_close(r);
	return v;
}

/* All checks of the block are right; only the payload cannot be decoded. */
Test(rules, the_verdict_says_which_rule_a_chunk_breaks)
{
	uint8_t head[BLOCK_HEAD + CHUNK_HEAD], tail[8];
	size_t len, at = 0;
	uint8_t *p = sample_bytes("events", &len);
	struct chunk_head c;
	struct block b;
	char says[160];

	while (block_head(p + at, len - at, &b) == BLOCK_OK && b.kind != BLOCK_CHUNK)
		at += b.len;
	cr_assert_eq(b.kind, BLOCK_CHUNK);
	chunk_head_get(p + at, &c);
	p[at + sizeof(head)] = 9;
	c.check = XXH64(p + at + sizeof(head), c.payload, 0);
	block_build_chunk(head, tail, b.seq, &c);
	memcpy(p + at, head, sizeof(head));
	snprintf(says, sizeof(says), "1 damaged or missing block, the first at byte %zu: "
		 "chunk of %u events: the version is not 2, 3 or 4 (docs/format.md, Chunk payload)",
		 at, c.count);
	for (int pipe = 0; pipe < 2; pipe++) {
		struct trawl_verdict v = verdict_of(p, len, pipe);

		cr_expect(strstr(v.text, says), "\"%s\" is not: %s", v.text, says);
	}
	free(p);
}

/* Returns the offset of the first block of a kind, or of a pcapng type. */
static size_t find_block(const uint8_t *p, size_t len, uint32_t type, uint8_t kind, struct block *b)
{
	size_t at = 0;

	while (block_head(p + at, len - at, b) == BLOCK_OK && (b->type != type || b->kind != kind))
		at += b->len;
	cr_assert_eq(b->kind, kind);
	return at;
}

/* Makes the check right, of a chunk that of its head. */
static void check_again(uint8_t *p, const struct block *b)
{
	size_t n = b->kind == BLOCK_CHUNK ? CHUNK_HEAD : b->len - BLOCK_OVERHEAD - b->pad;

	put64(p + 32, XXH64(p + BLOCK_HEAD, n, XXH64(p, 32, 0)));
}

/* A byte of the first block of a kind that is changed. */
struct fault {
	const char *rule;
	uint32_t type;
	uint8_t kind;
	int at;          /* negative: from the block's end */
	uint8_t changed; /* bits that are changed */
	bool checked;    /* the check is made right again */
	enum { PIPE_ONLY = 1, FILE_ONLY, BOTH } where; /* a file is opened by its index */
};

static const struct fault faults[] = {
	{ "its length is no multiple of 4", BLOCK_TYPE, BLOCK_CHUNK, 4, 1, false, BOTH },
	{ "its kind or version is 0, or pad above 3", BLOCK_TYPE, BLOCK_CHUNK, 27, 0x80, false, BOTH },
	{ "its version is unknown", BLOCK_TYPE, BLOCK_CHUNK, 25, 0x40, false, BOTH },
	{ "the check of a chunk's head fails", BLOCK_TYPE, BLOCK_CHUNK, 60, 1, false, BOTH },
	{ "payload_len is not what is left", BLOCK_TYPE, BLOCK_CHUNK, 48, 4, true, BOTH },
	{ "its payload's check fails", BLOCK_TYPE, BLOCK_CHUNK, 90, 1, false, BOTH },
	{ "its two lengths differ", BLOCK_TYPE, BLOCK_CHUNK, -4, 4, false, BOTH },
	{ "a chunk that is listed is not there", BLOCK_TYPE, BLOCK_CHUNK, 44, 1, true, FILE_ONLY },
	{ "first after last", BLOCK_TYPE, BLOCK_CHUNK, 59, 0x80, true, PIPE_ONLY },
	{ "its check fails", BLOCK_TYPE, BLOCK_META, 44, 1, false, PIPE_ONLY },
	{ "it reaches beyond the end", BLOCK_TYPE, BLOCK_META, 6, 0x40, false, PIPE_ONLY },
	{ "its sequence number is not one", BLOCK_TYPE, BLOCK_META, 28, 0x10, true, PIPE_ONLY },
	{ "its body does not expand", BLOCK_TYPE, BLOCK_EVENT_TYPE, 40, 0xff, true, PIPE_ONLY },
	{ "its front check fails", PCAPNG_SHB, BLOCK_FOREIGN, 14, 1, false, PIPE_ONLY },
	{ "the byte-order magic", PCAPNG_SHB, BLOCK_FOREIGN, 8, 1, false, PIPE_ONLY },
	{ "the source of a chunk is missing", BLOCK_TYPE, BLOCK_CHUNK, 40, 0x40, true, PIPE_ONLY },
	{ "its interface check fails", PCAPNG_IDB, BLOCK_FOREIGN, 12, 1, false, PIPE_ONLY },
};

Test(rules, the_verdict_says_which_rule_a_block_breaks)
{
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		const struct fault *f = &faults[i];
		size_t len;
		uint8_t *p = sample_bytes("events", &len);
		struct block b;
		size_t at = find_block(p, len, f->type, f->kind, &b);

		p[at + (f->at < 0 ? b.len : 0) + f->at] ^= f->changed;
		if (f->checked)
			check_again(p + at, &b);
		for (int pipe = 0; pipe < 2; pipe++) {
			struct trawl_verdict v = verdict_of(p, len, pipe);

			if (!(f->where & (pipe ? PIPE_ONLY : FILE_ONLY)))
				continue;
			cr_expect(strstr(v.text, f->rule) && strstr(v.text, " (docs/format.md, "),
				  "\"%s\" is not: %s", v.text, f->rule);
		}
		free(p);
	}
}

/* Fails unless the verdict on a pipe of these bytes has the rule. */
static void expect_rule(const uint8_t *p, size_t len, const char *rule)
{
	struct trawl_verdict v = verdict_of(p, len, true);

	cr_expect(strstr(v.text, rule), "\"%s\" is not: %s", v.text, rule);
}

Test(rules, the_verdict_says_what_no_single_byte_breaks)
{
	size_t len, at = 0;
	uint8_t *p = sample_bytes("events", &len);
	struct block b;

	block_head(p, len, &b);
	expect_rule(p + b.len, len - b.len, "the section header before it is damaged or missing");
	while (block_head(p + at, len - at, &b) == BLOCK_OK && !b.pad)
		at += b.len;
	p[at + b.len - 5] = 1;
	expect_rule(p, len, "its padding is not zero");
	free(p);
	p = sample_bytes("smalls", &len);
	at = find_block(p, len, BLOCK_TYPE, BLOCK_START, &b);
	memset(p + at + BLOCK_HEAD + 20, 0xff, 8);
	check_again(p + at, &b);
	expect_rule(p, len, "it does not expand to a section, or is inside another");
	free(p);
}

/* A capture without its end block, so that all of it is read in order, behind somebody's packet. */
Test(rules, the_verdict_says_that_packets_precede_a_section)
{
	static const uint8_t packet[60] = {
		0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 28, 0, 0, 0,
		PCAPNG_PACKET, 0, 0, 0, 32, 0, 0, 0, [56] = 32,
	};
	size_t len;
	uint8_t *p = sample_bytes("events", &len), *both = malloc(sizeof(packet) + len);
	struct trawl_verdict v;

	memcpy(both, packet, sizeof(packet));
	memcpy(both + sizeof(packet), p, len);
	v = verdict_of(both, sizeof(packet) + len - 60, false);
	cr_expect(strstr(v.text, "packets precede the sections"), "%s", v.text);
	free(both);
	free(p);
}

/* Each chunk has an event of now and one of a second later: 1,100 of them overlap. */
Test(rules, the_verdict_says_that_too_many_chunks_overlap)
{
	static const struct trawl_source s = { .name = "s", .spec = "", .kind = "test",
					       .clock = TRAWL_CLOCK_MONO, .resolution = 1 };
	struct trawl_writer_options o = { .chunk_events = 2 };
	struct trawl_event_type t = { .name = "t", .format = "", .size = 8, .nfields = 2,
				      .fields = broken_fields };
	struct trawl_error err = { 0 };
	int fd = memfd_create("overlap", 0), copy = dup(fd);
	struct trawl_writer *w = trawl_writer_new(fd, &o, &err);
	struct trawl_verdict v;
	uint8_t *p;
	off_t n;

	cr_assert(w && !trawl_writer_source(w, &s, &err) && !trawl_writer_event_type(w, &t, &err));
	for (uint32_t i = 0; i < 2200; i++) {
		struct trawl_record r = { .ts = i + i % 2 * 1000000000ull, .cpu = i % 2,
					  .data = "12345678", .len = 8 };

		cr_assert_eq(trawl_append(w, &r, &err), 0, "%s", err.text);
	}
	cr_assert_eq(trawl_writer_close(w, &err), 0, "%s", err.text);
	n = lseek(copy, 0, SEEK_END);
	p = malloc((size_t)n);
	cr_assert_eq(pread(copy, p, (size_t)n, 0), n);
	v = verdict_of(p, (size_t)n, false);
	cr_expect(strstr(v.text, "more chunks overlap than can be merged"), "%s", v.text);
	close(copy);
	free(p);
}
