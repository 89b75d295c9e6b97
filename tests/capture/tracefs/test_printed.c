/* SPDX-License-Identifier: MIT */
/* What is made of format files, sub-buffers and records, those of fuzzers and those by chance. */
#include "capture/cli/readable.h"
#include "capture/tracefs/countedtext.h"
#include "capture/tracefs/eventformat.h"
#include "capture/tracefs/kallsyms.h"
#include "capture/tracefs/longtext.h"
#include "capture/tracefs/loss.h"
#include "capture/tracefs/readcheck.h"
#include "capture/tracefs/ring.h"
#include "common/array.h"
#include "tests/printed/chance.h"
#include "tests/printed/inputs.h"

/* ---- format files ---------------------------------------------------------------------------- */

static void show_fields(FILE *to, const struct trawl_field *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		fprintf(to, " %s (%s) at %u size %u count %u kind %d place %d flags %d note %s\n",
			f[i].name, f[i].ctype, f[i].offset, f[i].size, f[i].count, f[i].kind,
			f[i].place, f[i].flags, f[i].note ? f[i].note : "-");
}

static void show_format(FILE *to, const struct inputs *in)
{
	struct trawl_error err = {0};
	struct eventformat f;

	if (eventformat_parse(in->data, in->size, &f, &err)) {
		fprintf(to, "%d %s\n", err.status, err.text);
		return;
	}
	fprintf(to, "%s %u %u %s\n", f.name, f.id, f.size, f.text ? f.text : "-");
	show_fields(to, f.fields, f.nfields);
	show_fields(to, f.common, f.ncommon);
	if (f.nfields) {
		const char *first = f.fields[0].name;

		fprintf(to, "wanted %d found %d\n", kallsyms_wanted(f.text ? f.text : ""),
			eventformat_field(&f, first) == f.fields);
		eventformat_drop(&f, &f.fields[f.nfields / 2]);
		show_fields(to, f.fields, f.nfields);
	}
	eventformat_free(&f);
}

/* ---- sub-buffers ----------------------------------------------------------------------------- */

static void show_page(FILE *to, const struct ring_layout *layout, const void *bytes, size_t n,
		      struct ring_clock *clock)
{
	struct ring_event ev;
	struct ring_page page;
	int got;

	if (ring_page_start(&page, layout, bytes, n, clock)) {
		fprintf(to, "no page\n");
		return;
	}
	fprintf(to, "page lost %" PRIu64 " at %" PRIu64 " %" PRIu64 "\n", page.lost, page.clock.ts,
		page.clock.stamp);
	while ((got = ring_page_next(&page, &ev)) > 0)
		fprintf(to, " %" PRIu64 " at %zu len %u\n", ev.ts,
			(size_t)(ev.data - (const uint8_t *)bytes), ev.len);
	fprintf(to, " end %d %" PRIu64 " %" PRIu64 "\n", got, page.clock.ts, page.clock.stamp);
	*clock = page.clock;
}

static void show_subbuffer(FILE *to, const struct inputs *in)
{
	struct ring_layout layout = {.commit_at = 8, .commit_size = 8, .data_at = 16};
	struct ring_clock clock = {.ts = 2};
	uint8_t *copy = malloc(in->size + 1);
	size_t n = in->size ? in->size - 1 : 0;

	memcpy(copy, in->data + (in->size != 0), n);
	if (in->size && in->data[0] & 1) {
		layout.commit_size = 4;
		layout.data_at = 12;
	}
	layout.data_size = (uint32_t)(n > layout.data_at ? n - layout.data_at : 0);
	show_page(to, &layout, copy, n, &clock);
	show_page(to, &layout, copy, n, &clock);
	free(copy);
}

/* Headers of every type, of which few have lengths that lead outside. */
static size_t make_page(struct chance *c, uint8_t *bytes, size_t room)
{
	uint64_t commit, ts = chance(c, 1000);
	size_t at = 16;

	memset(bytes, 0, room);
	while (at + 8 < room && chance(c, 12)) {
		uint32_t type = chance(c, 3) ? chance(c, 29) : 29 + chance(c, 3);
		uint32_t delta = chance(c, 3) ? chance(c, 500) : 0, word = delta << 5 | type;
		uint32_t length = 4 * chance(c, 6);

		memcpy(bytes + at, &word, 4);
		memcpy(bytes + at + 4, &length, 4);
		at += type == 0 || type == 29 ? 4 + (chance(c, 8) ? length : 8) :
		      type >= 30	      ? 8 : 4 + 4 * type;
	}
	at = at < room ? at : room;
	commit = at - 16 + (chance(c, 6) ? 0 : 4 * chance(c, 4));
	commit |= (uint64_t)(chance(c, 4) ? 0 : chance(c, 4)) << 30;
	memcpy(bytes, &ts, 8);
	memcpy(bytes + 8, &commit, 8);
	return chance(c, 6) ? room : at;
}

static void show_pages(FILE *to, struct chance *c)
{
	static uint8_t bytes[512];
	struct ring_layout layout = {.commit_at = 8, .commit_size = 8, .data_at = 16,
				     .data_size = sizeof(bytes) - 16};
	struct ring_clock clock = {0};

	for (unsigned int i = 0; i < 300; i++) {
		size_t n = make_page(c, bytes, sizeof(bytes));

		show_page(to, &layout, bytes, n, &clock);
		if (!chance(c, 4)) { /* the kernel's reader goes on */
			memcpy(bytes, &clock.stamp, 8);
			show_page(to, &layout, bytes, n, &clock);
		}
	}
}

static const char *const header_pages[] = {
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n",
	"\tfield: u64 timestamp;\toffset:0;\tsize:4;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:2;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: char data;\toffset:4096;\tsize:4294967295;\tsigned:1;\n",
	"\tfield: u64 timestamp;\toffset:9;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:14;\tsize:8;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
	"", "field: u64 timestamp", "\tfield: char data;\toffset:;\tsize:;\n",
};

static void show_layouts(FILE *to, struct chance *c)
{
	(void)c;
	for (size_t i = 0; i < ARRAY_SIZE(header_pages); i++) {
		struct trawl_error err = {0};
		struct ring_layout l = {0};

		fprintf(to, "%d", ring_layout_parse(header_pages[i], &l, &err));
		fprintf(to, " %d '%s' %u %u %u %u %u\n", err.status, err.text, l.time_at, l.commit_at,
			l.commit_size, l.data_at, l.data_size);
	}
}

/* ---- losses ---------------------------------------------------------------------------------- */

static void show_losses(FILE *to, struct chance *c)
{
	static const char *const lines[] = {"entries", "overrun", "commit overrun", "bytes",
					    "dropped events", "read events", "now ts"};

	for (unsigned int i = 0; i < 200; i++) {
		struct loss_stats s = {0};
		struct trawl_loss out[3] = {0};
		char text[512] = "";
		size_t n;

		for (size_t k = 0; k < ARRAY_SIZE(lines); k++)
			if (chance(c, 40))
				sprintf(text + strlen(text), "%s: %u\n", lines[k],
					chance(c, chance(c, 2) ? 4 : 1000));
		fprintf(to, "%d", loss_stats_parse(text, &s));
		fprintf(to, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s.entries,
			s.overrun, s.commit_overrun, s.dropped, s.read);
		n = loss_remainder(&s, chance(c, 1200), out);
		for (size_t k = 0; k < n; k++)
			fprintf(to, " %d %" PRIu64 "\n", out[k].reason, out[k].count);
	}
}

/* ---- records --------------------------------------------------------------------------------- */

enum { RECORD = 96 };

static void fill(struct chance *c, uint8_t *record, size_t n)
{
	for (size_t i = 0; i < n; i++)
		record[i] = chance(c, 6) ? (uint8_t)('a' + chance(c, 26)) : 0;
}

static void show_counted(FILE *to, struct chance *c)
{
	for (unsigned int i = 0; i < 600; i++) {
		uint8_t record[RECORD], copy[256] = {0};
		struct counted_text texts[2] = {
			{.never_null = chance(c, 2), .libcxx = chance(c, 2), .at = 8, .room = 32,
			 .pointer_at = 40, .length_at = 64},
			{.never_null = chance(c, 2), .at = 72, .room = 8, .pointer_at = 80,
			 .length_at = 88}};
		uint64_t length = chance_edge(c, 32), second = chance_edge(c, 8);
		uint64_t pointer = chance(c, 4) ? 0x7fff0000 + i : 0;
		uint32_t word = trawl_loc(chance(c, 4) ? 1 : chance(c, 8), RECORD);
		uint32_t len, n, given, room;

		fill(c, record, sizeof(record));
		memcpy(record + 40, &pointer, 8);
		memcpy(record + 48, &length, 8);
		memcpy(record + 64, &length, 8);
		if (texts[0].libcxx) {
			record[40] = (uint8_t)chance(c, 256);
			memcpy(record + 64, &word, 4);
		}
		memcpy(record + 80, &pointer, 8);
		memcpy(record + 88, &second, 8);
		n = 1 + chance(c, 2);
		given = chance(c, 8) ? RECORD : chance(c, RECORD);
		room = chance(c, 4) ? 256 : RECORD + chance(c, 48);
		len = counted_texts_put(texts, n, record, given, copy, room);
		fprintf(to, "%u ", len);
		chance_show(to, copy, len);
	}
}

struct texts_to {
	FILE *to;
};

static int take_text(void *arg, uint32_t cpu, const struct ring_event *ev, struct trawl_error *err)
{
	struct texts_to *t = arg;

	(void)err;
	fprintf(t->to, " %u %" PRIu64 " ", cpu, ev->ts);
	chance_show(t->to, ev->data, ev->len);
	return 0;
}

/* An event (7), its companion (8) or another event (9) of one of three tasks: test_longtext.c. */
static uint32_t make_record(struct chance *c, uint8_t *record, uint16_t id, int32_t tid)
{
	uint32_t len = id == 8 ? 112 : 32, n = chance(c, 3) ? 1 + chance(c, 20) : 0, word;

	fill(c, record, 256);
	memset(record, 0, 16);
	memcpy(record, &id, 2);
	memcpy(record + 4, &tid, 4);
	record[8] = (uint8_t)chance(c, 2);
	if (id == 8 && !chance(c, 4))
		memset(record + 16, 0, 8);
	word = n << 16 | len;
	if (id != 8)
		memcpy(record + 16, &word, 4);
	len += id != 8 ? n : 0;
	word = 3u << 16 | len;
	memcpy(record + (id == 8 ? 104 : 24), &word, 4);
	memcpy(record + len, "me", 3);
	return (len + 3 + 3) & ~3u;
}

static void show_long(FILE *to, struct chance *c)
{
	static const struct long_text pair = {
		.id = 7, .companion = 8, .size = 32, .companion_size = 112,
		.head = 16, .prefix = 64, .nargs = 3,
		.args = {{.text = true, .at = 16, .size = 4, .from = 32, .address_at = 16},
			 {.at = 20, .size = 4, .from = 96, .address_at = 96},
			 {.own = true, .at = 24, .size = 4, .from = 104, .address_at = 104}}};
	struct long_texts *l = long_texts_new();
	struct texts_to texts = {to};
	struct trawl_error err = {0};
	uint64_t ts = 1000;

	long_texts_add(l, &pair);
	for (unsigned int i = 0; i < 400; i++) {
		uint8_t record[256];
		struct ring_event ev = {.data = record};
		uint16_t id;

		if (chance(c, 12))
			ts += chance(c, 50);
		else
			ts += chance(c, 200000000);
		ev.ts = ts;
		id = (uint16_t)(7 + chance(c, 3));
		ev.len = make_record(c, record, id, (int32_t)chance(c, 3));
		fprintf(to, "%u: %d", record[0],
			long_texts_event(l, chance(c, 2), &ev, take_text, &texts, &err));
		fprintf(to, " held %" PRIu64 "\n", long_texts_held(l));
		if (!chance(c, 5))
			fprintf(to, "released %d\n",
				long_texts_release(l, ts - chance(c, 200), take_text, &texts,
						   &err));
	}
	fprintf(to, "%d\n", long_texts_release(l, UINT64_MAX, take_text, &texts, &err));
	long_texts_free(l);
}

/* ---- checks of values ------------------------------------------------------------------------ */

static const char checked_format[] =
	"name: x\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:__data_loc char[] _c;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] _r;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] _r_2;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] _r_3;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] s;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 list[4];\toffset:28;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] _e;\toffset:44;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"\"\n";

static void show_checks(FILE *to, struct chance *c)
{
	static struct read_name values[] = {
		{.first = "_r", .last = "_r_2", .value = "list", .shown = "list", .why = "gone"},
		{.first = "_r_3", .value = "s", .shown = "text", .why = "gone"}};
	static const struct read_names names = {.control = "_c", .end = "_e", .n = 2,
						.values = values};
	struct read_checks *r = read_checks_new();
	struct trawl_error err = {0};
	struct eventformat f;

	eventformat_parse(checked_format, strlen(checked_format), &f, &err);
	read_checks_add(r, 9, read_check_new(&f, &names));
	fprintf(to, "%d\n", read_check_tune(&f, &names));
	show_fields(to, f.fields, f.nfields);
	eventformat_free(&f);
	for (unsigned int i = 0; i < 500; i++) {
		uint8_t record[64];
		uint32_t len = chance(c, 6) ? 56 : chance(c, 64);
		uint16_t id = chance(c, 10) ? 9 : 8;

		fill(c, record, sizeof(record));
		memcpy(record, &id, 2);
		for (uint32_t at = 8; at <= 44; at += at == 24 ? 20 : 4) {
			uint32_t n = chance(c, 2) ? 0 : at == 44 ? 5 : chance(c, 9);
			uint32_t word = trawl_loc(n, 48 + chance(c, 2) * 2);

			memcpy(record + at, &word, 4);
		}
		read_checks_apply(r, record, &len);
		fprintf(to, "%u ", len);
		chance_show(to, record, sizeof(record));
	}
	read_checks_free(r);
}

Test(printed, tracefs)
{
	struct printed p;

	printed_open(&p, "tracefs");
	inputs_take(&p, "eventformat", show_format);
	inputs_take(&p, "ringpage", show_subbuffer);
	chance_take(&p, "pages", show_pages);
	chance_take(&p, "layouts", show_layouts);
	chance_take(&p, "losses", show_losses);
	chance_take(&p, "counted", show_counted);
	chance_take(&p, "long", show_long);
	chance_take(&p, "checks", show_checks);
	printed_close(&p);
}
