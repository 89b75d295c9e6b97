/* SPDX-License-Identifier: MIT */
/*
 * make-secrets FILE [other|damaged|halves|calls]: a capture with 500 secrets of every class, for
 * tests of redaction. A secret of text is CLASS (two letters), "Zq" and eight digits of hex: see
 * secret(). "other": of another machine, where a hub has the address of the first one's keyboard.
 * "damaged": and with a batch of branches that cannot be read, and a loss from begin to end.
 * "halves": an address is in a record once more, as two numbers of four bytes, where nobody takes
 * it for one. "calls": a round address, and two numbers whose parts together are the same bytes.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/branchrecord.h"
#include "common/usbtypes.h"

enum { SECRETS = 500, KEYBOARD = 5, DISK = 6, NETWORK = 7, MOUSE = 8 };

struct made {
	struct trawl_writer *w;
	struct trawl_error err;
	int event, probe, usb;
	bool other, halves, calls;
	uint64_t mono, real, urb;
};

static const char *secret(const char *class, unsigned int i)
{
	static char room[8][16];
	static int turn;
	char *to = room[turn++ % 8];

	snprintf(to, sizeof(room[0]), "%sZq%08x", class,
		 ((i + 1) * 2654435761u) ^ ((uint32_t) class[0] << 12 | (uint32_t) class[1] << 4));
	return to;
}

static void must(int ret, struct made *m)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "%s\n", m->err.text);
	exit(3);
}

static void meta(struct made *m, const char *name, const char *type, const char *text)
{
	struct trawl_meta meta = { .name = name, .type = type, .time = m->mono, .data = text,
				   .len = strlen(text) };

	must(trawl_writer_meta(m->w, &meta, &m->err), m);
}

/* ---- events ------------------------------------------------------------------------------- */

#define U32(n, at)                                                                                 \
	{                                                                                          \
		.name = n, .ctype = "int", .note = "", .kind = TRAWL_PID, .offset = at, .size = 4, \
		.count = 1                                                                         \
	}
static const struct trawl_field common[] = { U32("common_pid", 4) };
static const struct trawl_field fields[] = {
	{.name = "comm",
	 .ctype = "char[16]",
	 .note = "",
	 .kind = TRAWL_TEXT,
	 .offset = 8,
	 .size = 1,
	 .count = 16},
	{.name = "address",
	 .ctype = "void *",
	 .note = "",
	 .kind = TRAWL_ADDR,
	 .offset = 24,
	 .size = 8,
	 .count = 1},
	{.name = "filename",
	 .ctype = "__data_loc char[]",
	 .note = "",
	 .kind = TRAWL_TEXT,
	 .place = TRAWL_DATA_LOC,
	 .offset = 32,
	 .size = 1},
	{.name = "arg",
	 .ctype = "__data_loc char[]",
	 .note = "",
	 .kind = TRAWL_TEXT,
	 .place = TRAWL_DATA_LOC,
	 .offset = 36,
	 .size = 1},
	{.name = "bytes",
	 .ctype = "__data_loc u8[]",
	 .note = "",
	 .kind = TRAWL_BYTES,
	 .place = TRAWL_DATA_LOC,
	 .offset = 40,
	 .size = 1},
	{.name = "words", /* a text that a probe read as numbers */
	 .ctype = "u64[2]",
	 .note = "",
	 .kind = TRAWL_HEX,
	 .offset = 44,
	 .size = 8,
	 .count = 2},
	{.name = "first", /* and as one number after the other */
	 .ctype = "u64",
	 .note = "",
	 .kind = TRAWL_HEX,
	 .offset = 60,
	 .size = 8,
	 .count = 1},
	{.name = "second",
	 .ctype = "u64",
	 .note = "",
	 .kind = TRAWL_HEX,
	 .offset = 68,
	 .size = 8,
	 .count = 1},
	{.name = "low",
	 .ctype = "u32",
	 .note = "",
	 .kind = TRAWL_UINT,
	 .offset = 76,
	 .size = 4,
	 .count = 1},
	{.name = "high",
	 .ctype = "u32",
	 .note = "",
	 .kind = TRAWL_UINT,
	 .offset = 80,
	 .size = 4,
	 .count = 1},
};
enum { FIXED = 84 };

#define U64(n, at)                                                                                 \
	{                                                                                          \
		.name = n, .ctype = "unsigned long", .note = "", .kind = TRAWL_UINT, .offset = at, \
		.size = 8, .count = 1                                                              \
	}
static const struct trawl_field call_fields[] = { U64("address", 8), U64("length", 16) };

/*
 * A round address, and two numbers of which the end of one and the beginning of the other are the
 * same bytes: that is no address.
 */
static void put_calls(struct made *m)
{
	struct trawl_event_type t = { .source = (uint16_t)m->event, .id = 2, .format = "",
				      .name = "syscalls:sys_enter_mmap", .size = 24,
				      .nfields = 2, .fields = call_fields };
	const uint64_t calls[][2] = { { 0x7f0000000000, 4096 }, { 0, 0x7f } };
	uint8_t r[24] = { 0 };

	must(trawl_writer_event_type(m->w, &t, &m->err), m);
	for (int i = 0; i < 2; i++) {
		memcpy(r + 8, calls[i], sizeof(calls[i]));
		m->mono += 1000;
		must(trawl_append(m->w,
				  &(struct trawl_record){ .source = t.source, .type = t.id,
							  .ts = m->mono, .data = r,
							  .len = sizeof(r) },
				  &m->err),
		     m);
	}
}

/*
 * Texts that a probe read as numbers, pieces of them that look like numbers, and what are numbers.
 */
#define WORDS(n, type, at, bytes, many)                                                            \
	{                                                                                          \
		.name = n, .ctype = type, .note = "", .kind = TRAWL_UINT, .offset = at,            \
		.size = bytes, .count = many                                                       \
	}
static const struct trawl_field piece_fields[] = {
	WORDS("window", "u16[8]", 8, 2, 8), WORDS("a", "u32", 24, 4, 1), WORDS("b", "u32", 28, 4, 1),
	WORDS("id", "u64", 32, 8, 1), WORDS("n", "u32", 40, 4, 1),
};
enum { PIECES = 2 * SECRETS };

static void put_pieces(struct made *m)
{
	struct trawl_event_type t = { .source = (uint16_t)m->probe, .id = PIECES, .format = "",
				      .name = "pieces:main", .size = 44, .nfields = 5,
				      .fields = piece_fields };
	static const struct {
		char window[16], a[4], b[4];
		uint64_t id;
	} all[] = {
		{ "a secret window", "hunt", "er2x", 0x3231647773736170 },
		{ "ab", "hu", "", 0x0107060504030201 },
		{ "", "", "", 0x0107060504030201 },
	};
	uint8_t r[44] = { 0 };

	must(trawl_writer_event_type(m->w, &t, &m->err), m);
	_Static_assert(sizeof(*all) == 32, "as in piece_fields");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		memcpy(r + 8, &all[i], sizeof(*all));
		r[40] = (uint8_t)(i + 1);
		must(trawl_append(m->w, &(struct trawl_record){ t.source, t.id, 0, m->mono + 1000,
								r, sizeof(r) }, &m->err), m);
	}
}

/* What is written to trace_marker, and by trace_printk() with a text among its arguments. */
static const struct trawl_field print_fields[] = {
	{ .name = "buf", .ctype = "char[]", .note = "", .kind = TRAWL_TEXT, .place = TRAWL_TAIL,
	  .offset = 8, .size = 1, .count = 1 },
};
static const struct trawl_field bprint_fields[] = {
	{ .name = "fmt", .ctype = "const char *", .note = "", .kind = TRAWL_ADDR, .offset = 8,
	  .size = 8, .count = 1 },
	{ .name = "buf", .ctype = "u32[]", .note = "", .kind = TRAWL_HEX, .place = TRAWL_TAIL,
	  .offset = 16, .size = 4, .count = 1 },
};
enum { PRINT = 3, BPRINT };

static void add_prints(struct made *m)
{
	struct trawl_event_type t = { .source = (uint16_t)m->event, .id = PRINT, .format = "",
				      .name = "ftrace:print", .size = 8, .nfields = 1,
				      .fields = print_fields };

	must(trawl_writer_event_type(m->w, &t, &m->err), m);
	t.id = BPRINT;
	t.name = "ftrace:bprint";
	t.size = 16;
	t.nfields = 2;
	t.fields = bprint_fields;
	must(trawl_writer_event_type(m->w, &t, &m->err), m);
}

static void put_prints(struct made *m, unsigned int i)
{
	static const uint64_t format = 0xffffffff82345670;
	uint8_t r[32] = { 0 };

	snprintf((char *)r + 8, sizeof(r) - 8, "at %s\n", secret("tm", i));
	m->mono += 1000;
	must(trawl_append(m->w, &(struct trawl_record){ (uint16_t)m->event, PRINT, 0, m->mono, r,
							24 }, &m->err), m);
	memset(r, 0, sizeof(r));
	memcpy(r + 8, &format, sizeof(format));
	memcpy(r + 16, secret("tb", i), 13);
	m->mono += 1000;
	must(trawl_append(m->w, &(struct trawl_record){ (uint16_t)m->event, BPRINT, 0, m->mono, r,
							32 }, &m->err), m);
}

static uint32_t loc(size_t at, size_t len)
{
	return (uint32_t)(len << 16 | at);
}

static void put_event(struct made *m, int source, unsigned int type, unsigned int i)
{
	uint8_t r[512] = { 0 };
	char path[128];
	size_t at = FIXED, n;
	uint32_t pid = 1000 + i % 50, where;
	uint64_t address = 0xffff888000000000 + (uint64_t)(i + 1) * 2654435761u * 64;

	memcpy(r + 4, &pid, 4);
	memcpy(r + 8, secret("cm", i), 12);
	memcpy(r + 24, &address, 8);
	n = (size_t)snprintf(path, sizeof(path), "/home/%s/%s.txt", secret("pd", i),
			     secret("pf", i)) +
		1;
	if (i % 100 == 99) /* a task's name in a path that is kept */
		n = (size_t)snprintf(path, sizeof(path), "/usr/bin/%s", secret("cm", i)) + 1;
	if (i % 100 == 98) /* no path alone: what follows the first one is the user's */
		n = (size_t)snprintf(path, sizeof(path), "/usr/bin/env:pw=%s", secret("pf", i)) + 1;
	memcpy(r + 44, secret("wd", i), 12);
	memcpy(r + 60, secret("wo", i), 12);
	if (m->halves)
		memcpy(r + 76, &address, 8);
	where = loc(at, n);
	memcpy(r + 32, &where, 4);
	memcpy(r + at, path, n);
	at += n;
	where = loc(at, 13);
	memcpy(r + 36, &where, 4);
	memcpy(r + at, secret("ar", i), 13);
	at += 13;
	where = loc(at, 12);
	memcpy(r + 40, &where, 4);
	memcpy(r + at, secret("by", i), 12);
	at += 12;
	m->mono += 1000;
	must(trawl_append(m->w,
			  &(struct trawl_record){(uint16_t)source, type, i % 2, m->mono, r, at},
			  &m->err),
	     m);
}

/* A source file of Rust's library, as the debug information of every program in Rust names it. */
#define RUST_FILE \
	"/rustc/79e9716c980570bfd1f666e3b16ac583f0168962/library/alloc/src/vec/mod.rs"

static void add_events(struct made *m)
{
	struct trawl_source s = {.spec = "usdt:/opt/spZq00000001/app:*",
				 .clock = TRAWL_CLOCK_MONO,
				 .kind = "tracefs",
				 .linktype = 252,
				 .resolution = 1,
				 .ncommon = 1,
				 .common = common};
	struct trawl_event_type t = { .id = 1, .name = "syscalls:sys_enter_openat", .format = "",
		.size = FIXED, .nfields = sizeof(fields) / sizeof(*fields), .fields = fields };
	char text[1024], name[128];

	s.name = "event";
	m->event = trawl_writer_source(m->w, &s, &m->err);
	must(m->event, m);
	t.source = (uint16_t)m->event;
	must(trawl_writer_event_type(m->w, &t, &m->err), m);
	add_prints(m);
	if (m->calls)
		put_calls(m);
	s.name = "uprobe";
	m->probe = trawl_writer_source(m->w, &s, &m->err);
	must(m->probe, m);
	t.source = (uint16_t)m->probe;
	for (unsigned int i = 0; i < SECRETS; i++) {
		snprintf(name, sizeof(name), "%s:main", secret("pn", i));
		t.id = i + 10;
		t.name = name;
		must(trawl_writer_event_type(m->w, &t, &m->err), m);
		snprintf(text, sizeof(text),
			 "{\"event\":\"%s\",\"kind\":\"uprobe\",\"tracefs\":\"trawl/"
			 "%s\",\"path\":\"/opt/%s/bin/"
			 "%s\",\"build_id\":\"00112233\",\"sites\":[{\"offset\":4096,\"symbol\":"
			 "\"main\",\"args\":[{\"name\":\"a\",\"note\":\"n == \\\"%s\\\"\",\"fetch\":\"%%di\","
			 "\"type\":\"u64\",\"state\":\"unavailable\",\"why\":\"/opt/x:%s has none\"},"
			 "{\"name\":\"b->s\",\"note\":\"b->s:b6@4/32\",\"fetch\":\"+0(%%di):b6@4/32\","
			 "\"type\":\"s32\",\"state\":\"computed\",\"bits\":6},{\"name\":\"c\",\"note\":"
			 "\"\\\"%s\",\"state\":\"exact\"},"
			 "{\"name\":\"d\",\"note\":\"\\\"bits\\\"\",\"state\":\"exact\"}],"
			 "\"file\":\"/src/%s/main.c\",\"line\":%u}]}",
			 name, secret("pn", i), secret("pp", i), secret("pn", i), secret("qu", i),
			 secret("wy", i), secret("qu", i), secret("ps", i), i);
		snprintf(name, sizeof(name), "probe/uprobe/%s:main", secret("pn", i));
		meta(m, name, "application/json", text);
	}
	/* folders of its path are words of what is kept, and the source file is Rust's own */
	meta(m, "probe/uprobe/foZq:main", "application/json",
	     "{\"event\":\"foZq:main\",\"kind\":\"uprobe\",\"path\":\"/opt/foZq/core/GREEN/color\","
	     "\"sites\":[{\"offset\":8,\"symbol\":\"main\",\"args\":[{\"name\":\"shade\",\"ctype\":"
	     "\"enum core::color\",\"type\":\"u8\",\"values\":{\"GREEN\":3},\"state\":\"exact\"}],"
	     "\"file\":\"" RUST_FILE "\",\"line\":7}]}");
	/* the program's name is short, and in the kernel's name of the probe no word of its own */
	t.id = SECRETS + 10;
	t.name = "foZq:main";
	t.format = "name: foZq_main\nID: 9\nformat:\n";
	must(trawl_writer_event_type(m->w, &t, &m->err), m);
	put_pieces(m);
}

/* What another writer may add: names, members, elements and lines that docs/format.md lacks. */
static void add_unknown(struct made *m)
{
	static const char *const metas[][2] = {
		{ "unknown/thing", "unZq55555555" },
		{ "task/unZq10000001", "{\"tid\":5,\"pid\":5,\"comm\":\"x\"}" },
		{ "task/5", "{\"tid\":5,\"pid\":5,\"comm\":\"x\",\"environ\":[\"unZq10000002\"],"
			    "\"ppid\":[\"unZq10000003\"],\"unZq10000004\":1}" },
		{ "end", "{\"why\":\"signal\",\"signal\":\"a\\nunZq10000041\","
			 "\"sources\":[{\"source\":\"event\",\"lost\":0,"
			 "\"note\":\"unZq10000005\"},\"unZq10000006\"]}" },
		{ "kernel/tracing", "{\"hist\":true,\"unZq10000007\":\"unZq10000008\"}" },
		{ "kernel/kallsyms", "ffffffff81000000 T _stext\nunZq10000009\n" },
		{ "maps/1001", "1000-2000 r-xp 00000000 08:01 7 /usr/lib/x.so\nunZq10000010\n"
			       "2000-3000 rw-p unZq10000011\n# cut: unZq10000012\n"
			       "3000-4000 rw-p 00000000 00:00 0 [unZq10000013]\n"
			       "4000-5000 rw-p 00000000 00:00 0 unZq10000014\n" },
		{ "probe/usdt/a:b", "{\"event\":\"a:b\",\"kind\":\"usdt\",\"args\":[{\"name\":\"x\","
				    "\"values\":{\"GET\":1,\"unZq10000015\":\"unZq10000016\"},"
				    "\"when\":{\"arg\":\"x\",\"is\":\"GET\",\"and\":\"unZq10000017\"}}],"
				    "\"sites\":[{\"offset\":1,\"by\":\"unZq10000018\"}]}" },
		{ "branch/module/08:01:7",
		  "{\"path\":\"/usr/lib/x.so\",\"build_id\":\"unZq10000019\",\"segments\":[[0,1,"
		  "\"unZq10000020\"]],\"functions\":[[1,\"unZq10000021\",\"f\"],[\"unZq10000022\"],"
		  "\"unZq10000023\"],\"lines\":[1,2,3,[\"unZq10000024\"]],"
		  "\"sources\":\"unZq10000025\"}" },
		{ "usb/1-9", "{\"path\":\"1-9\",\"descriptors\":\"unZq10000026\",\"owner\":"
			     "\"unZq10000027\",\"interfaces\":[{\"number\":0,\"name\":"
			     "\"unZq10000028\",\"label\":\"unZq10000029\"}]}" },
		{ "usb/verdict", "{\"replayable\":true,\"because\":[[\"unZq10000030\"]]}" },
		{ "edit/1", "{\"operation\":\"cut\",\"kept\":[[\"unZq10000031\"]],\"removed\":"
			    "{\"unZq10000032\":{\"count\":1},\"paths\":{\"example\":"
			    "\"unZq10000033\"}}}" },
		{ "import/halves", "[\"unZq10000034\"]" },
	};

	for (size_t i = 0; i < sizeof(metas) / sizeof(*metas); i++)
		meta(m, metas[i][0], "text/unZq10000035", metas[i][1]);
}

static void add_metas(struct made *m)
{
	char text[4096], name[64];
	size_t n = 0;

	snprintf(text, sizeof(text),
		 "{\"kernel\":\"6.12.0-test\",\"arch\":\"x86_64\",\"hostname\":\"hoZq%s\","
		 "\"boot_id\":\"b00710d0-1111-2222-3333-44445555%s\"}",
		 m->other ? "aaaaaaaa" : "11111111", m->other ? "7777" : "6666");
	meta(m, "machine", "application/json", text);
	meta(m, "capture", "application/json",
	     "{\"argv\":[\"/home/avZq11111111/trawl\",\"-p1000\",\"--ring=8M\",\"--dur\",\"15s\","
	     "\"-w\",\"/srv/avZq44444444\",\"--trigger\",\"comm == \\\"avZq55555555\\\" and ret < 0\","
	     "\"-i\",\"event:sched:sched_switch if comm == \\\"avZq66666666\\\"\",\"-i\","
	     "\"uprobe:/opt/avZq22222222:main name='avZq77777777'\",\"-i\","
	     "\"usdt:/usr/bin/postgres:query__start\",\"-i\","
	     "\"uprobe:/srv/a\\\\ avZqaaaaaaaa/b:avZqbbbbbbbb/bin:main\",\"-i\","
	     "\"event:sched:sched_switch\\tif\\tcomm == \\\"avZqcccccccc\\\"\",\"--trigger\","
	     "\"comm == \\\"a\\\\\\\"avZqdddddddd\\\" and ret < 0\","
	     "\"-ZavZq88888888\",\"--\",\"sh\","
	     "\"/opt/avZq22222222\",\"--password\",\"avZq33333333\",\"sleep99\"],"
	     "\"sources\":[\"uprobe:/opt/avZq22222222:main\",\"usb:serial=avZq99999999,ep=1\","
	     "\"branch:last=8@uprobe:/opt/avZq22222222:main\",\"avZq00000000:x\"],\"command\":["
	     "\"sh\",\"/opt/avZq22222222\",\"--password\",\"avZq33333333\"],"
	     "\"user\":\"usZq44444444\",\"uid\":1000}");
	meta(m, "task/77", "application/json",
	     "{\"tid\":77,\"pid\":77,\"ppid\":2,\"comm\":\"xfsaild/sdq9\",\"exe\":\"\","
	     "\"kernel\":true}");
	for (unsigned int i = 0; i < SECRETS; i++) {
		snprintf(name, sizeof(name), "task/%u", 1000 + i);
		snprintf(text, sizeof(text),
			 "{\"tid\":%u,\"pid\":%u,\"comm\":\"%s\",\"exe\":\"/usr/bin/"
			 "%s\",\"cmdline\":"
			 "[\"%s\",\"--token=%s\"]}",
			 1000 + i, 1000 + i, secret("cm", i), secret("px", i), secret("px", i),
			 secret("cl", i));
		meta(m, name, "application/json", text);
	}
	for (unsigned int i = 0; i < 20; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%x-%x r-xp 00000000 08:01 %u    /opt/%s/lib.so\n",
				      0x400000 + i * 0x2000, 0x401000 + i * 0x2000, i,
				      secret("pm", i));
	snprintf(text + n, sizeof(text) - n, "700000-701000 rw-p 00000000 00:00 0    [anon:%s]\n",
		 secret("an", 0));
	meta(m, "maps/1000", "text/plain", text);
	add_unknown(m);
	meta(m, "probe/eprobe/syscalls:sys_enter_openat", "application/json",
	     "{\"event\":\"syscalls:sys_enter_openat\",\"kind\":\"eprobe\",\"spec\":"
	     "\"eprobe:syscalls.sys_enter_openat if comm == flZq77777777\",\"on\":\"syscalls\","
	     "\"on_event\":\"sys_enter_openat\",\"args\":\"\",\"filter\":"
	     "\"comm == flZq77777777\"}");
}

/* Adds a batch of five branches with invalid codes. */
static void add_damaged_batch(struct made *m)
{
	static const struct trawl_field tid = { .name = "tid", .ctype = "u32", .note = "",
						.kind = TRAWL_PID, .size = 4, .count = 1 };
	static const struct trawl_field rest[] = {
		{ .name = "head", .ctype = "u8[20]", .note = "", .kind = TRAWL_BYTES, .offset = 4,
		  .size = 1, .count = 20 },
		{ .name = "batch", .ctype = "u8[]", .note = "", .kind = TRAWL_BYTES,
		  .place = TRAWL_TAIL, .offset = 24, .size = 1, .count = 1 },
	};
	static const char text[] = "brZq12345678";
	struct trawl_source s = { .name = "branch", .spec = "branch", .kind = BRANCH_SOURCE_KIND,
				  .clock = TRAWL_CLOCK_MONO, .linktype = 252, .resolution = 1,
				  .ncommon = 1, .common = &tid };
	struct trawl_event_type t = { .id = BRANCH_TYPE_STREAM, .name = "branch:stream",
				      .format = "", .size = sizeof(struct branch_record),
				      .nfields = 2, .fields = rest };
	struct branch_record r = { .tid = 7, .pid = 7, .until = m->mono, .count = 5 };
	struct trawl_loss loss = { .source = (uint16_t)m->event, .cpu = 1, .from = 1000000000,
				   .to = m->mono, .count = 77, .reason = TRAWL_LOSS_OVERRUN };
	uint8_t record[sizeof(r) + sizeof(text)];
	int source = trawl_writer_source(m->w, &s, &m->err);

	must(source, m);
	must(trawl_writer_loss(m->w, &loss, &m->err), m);
	t.source = (uint16_t)source;
	must(trawl_writer_event_type(m->w, &t, &m->err), m);
	memcpy(record, &r, sizeof(r));
	memcpy(record + sizeof(r), text, sizeof(text));
	must(trawl_append(m->w, &(struct trawl_record){ t.source, t.id, 0, m->mono, record,
							sizeof(record) }, &m->err), m);
}

/* ---- USB ---------------------------------------------------------------------------------- */

struct endpoint {
	uint8_t xfer, address, device;
};

static const struct endpoint keys_in = { 1, 0x81, KEYBOARD }, mouse_in = { 1, 0x81, MOUSE },
			     disk_control = { 2, 0x80, DISK }, disk_out = { 3, 2, DISK },
			     disk_in = { 3, 0x81, DISK }, network_out = { 3, 2, NETWORK };

static void put_urb(struct made *m, char type, const struct endpoint *e, const uint8_t *setup,
		    const void *data, size_t n)
{
	uint8_t r[sizeof(struct usbmon_header) + 4096];
	struct usbmon_header h = {
		.id = 0xffff888012340000 + m->urb * 192, .type = (uint8_t)type,
		.xfer_type = e->xfer, .epnum = e->address, .devnum = e->device, .busnum = 1,
		.flag_setup = setup ? 0 : '-', .flag_data = n ? 0 : '<',
		.status = type == 'S' ? -115 : 0, .len_urb = (uint32_t)n,
		.len_cap = (uint32_t)n,
	};

	if (setup)
		memcpy(h.setup, setup, 8);
	memcpy(r, &h, sizeof(h));
	if (n)
		memcpy(r + sizeof(h), data, n);
	m->real += 1000;
	must(trawl_append(m->w,
			  &(struct trawl_record){(uint16_t)m->usb,
						 type == 'S' ? USB_SUBMIT : USB_COMPLETE, 0,
						 m->real, r, sizeof(h) + n},
			  &m->err),
	     m);
	m->urb += type != 'S';
}

/* Returns the scan code of a letter or digit. */
static uint8_t scan_code(char c)
{
	if (c >= 'a' && c <= 'z')
		return (uint8_t)(c - 'a' + 4);
	if (c >= 'A' && c <= 'Z')
		return (uint8_t)(c - 'A' + 4);
	return c == '0' ? 39 : (uint8_t)(c - '1' + 30);
}

static void type_text(struct made *m, const char *text)
{
	for (; *text; text++) {
		uint8_t report[8] = { 0, 0, scan_code(*text) };

		put_urb(m, 'S', &keys_in, NULL, NULL, 0);
		put_urb(m, 'C', &keys_in, NULL, report, 8);
	}
}

static void serial_string(struct made *m, const char *text)
{
	static const uint8_t setup[8] = { 0x80, 6, 3, 3, 9, 4, 255, 0 };
	uint8_t d[64] = { (uint8_t)(2 + 2 * strlen(text)), 3 };

	for (size_t i = 0; text[i]; i++)
		d[2 + 2 * i] = (uint8_t)text[i];
	put_urb(m, 'S', &disk_control, setup, NULL, 0);
	put_urb(m, 'C', &disk_control, NULL, d, d[0]);
}

static void read_sectors(struct made *m, unsigned int i)
{
	uint8_t cbw[31] = "USBC", data[512], csw[13] = "USBS";

	cbw[4] = csw[4] = (uint8_t)i;
	cbw[9] = 2;
	cbw[12] = 0x80;
	cbw[14] = 10;
	/* or MODE SENSE, as if the command of this sector had been lost */
	cbw[15] = i % 50 == 49 ? 0x1a : 0x28;
	cbw[20] = (uint8_t)i;
	cbw[23] = 1;
	memset(data, 'x', sizeof(data));
	memcpy(data + 100, secret("se", i), 12);
	put_urb(m, 'S', &disk_out, NULL, cbw, 31);
	put_urb(m, 'C', &disk_out, NULL, NULL, 0);
	put_urb(m, 'S', &disk_in, NULL, NULL, 0);
	put_urb(m, 'C', &disk_in, NULL, data, sizeof(data));
	put_urb(m, 'S', &disk_in, NULL, NULL, 0);
	put_urb(m, 'C', &disk_in, NULL, csw, 13);
}

static void device(struct made *m, int number, int class, int protocol, const char *serial)
{
	char text[1024], name[32];

	snprintf(name, sizeof(name), "usb/1-%d", number);
	snprintf(text, sizeof(text),
		 "{\"path\":\"1-%d\",\"busnum\":1,\"devnum\":%d,\"vid\":4660,\"pid\":%d,"
		 "\"manufacturer\":\"ACME\",\"product\":\"Thing\",\"serial\":\"%s\","
		 "\"configuration\":1,\"descriptors\":\"12010002000000403412%"
		 "02x000001010203010902200001010080320904000002%02x%02x%"
		 "02x000705810340000a0705020340000a\"}",
		 number, number, number, serial, number, class, class == 8 ? 6 : 1, protocol);
	meta(m, name, "application/json", text);
}

static void add_usb(struct made *m)
{
	m->usb = usbtypes_source(m->w, "usb", "usb", 220, 1000, &m->err);
	must(m->usb, m);
	must(usbtypes_type(m->w, (uint16_t)m->usb, USB_SUBMIT, false, &m->err), m);
	must(usbtypes_type(m->w, (uint16_t)m->usb, USB_COMPLETE, false, &m->err), m);
	device(m, KEYBOARD, m->other ? 9 : 3, 1, "sdZq66666666");
	device(m, DISK, 8, 0x50, "sdZq77777777");
	device(m, NETWORK, 10, 0, "sdZq88888888");
	device(m, MOUSE, 3, 2, "sdZq99999999");
}

static void put_usb(struct made *m, unsigned int i)
{
	uint8_t moved[4] = { 0, (uint8_t)(i % 100 + 1), (uint8_t)(i % 90 + 7), 0 };
	char frame[64] = "\x01\x02\x03\x04";

	if (!m->other)
		type_text(m, secret("ky", i) + 4); /* the digits: "ky" and "Zq" are no secret */
	serial_string(m, secret("sn", i));
	read_sectors(m, i);
	memcpy(frame + 14, secret("nw", i), 12);
	put_urb(m, 'S', &network_out, NULL, frame, sizeof(frame));
	put_urb(m, 'C', &network_out, NULL, NULL, 0);
	put_urb(m, 'S', &mouse_in, NULL, NULL, 0);
	put_urb(m, 'C', &mouse_in, NULL, moved, 4);
}

int main(int argc, char **argv)
{
	struct made m = { .mono = 1000000000, .real = 1795225476000000000 };
	struct trawl_writer_options o = { .time = 1795225476000000000 };
	struct trawl_sync sync = {.mono = m.mono,
				  .real = m.real,
				  .boot = m.mono,
				  .mono_raw = m.mono,
				  .tai = m.real,
				  .bound = 100,
				  .why = TRAWL_SYNC_START};
	int fd = argc >= 2 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;

	m.other = argc == 3 && !strcmp(argv[2], "other");
	m.calls = argc == 3 && !strcmp(argv[2], "calls");
	m.halves = argc == 3 && !strcmp(argv[2], "halves");
	m.w = fd >= 0 ? trawl_writer_new(fd, &o, &m.err) : NULL;
	if (!m.w)
		return 3;
	add_events(&m);
	add_usb(&m);
	add_metas(&m);
	must(trawl_writer_sync(m.w, &sync, &m.err), &m);
	for (unsigned int i = 0; i < SECRETS; i++) {
		put_event(&m, m.event, 1, i);
		put_event(&m, m.probe, i + 10, i);
		put_usb(&m, i);
		put_prints(&m, i);
	}
	if (argc == 3 && !strcmp(argv[2], "damaged"))
		add_damaged_batch(&m);
	sync.real += m.mono - sync.mono + 1000000000;
	sync.tai = sync.real;
	sync.boot = sync.mono_raw = sync.mono = m.mono + 1000000000;
	sync.why = TRAWL_SYNC_STOP;
	must(trawl_writer_sync(m.w, &sync, &m.err), &m);
	must(trawl_writer_close(m.w, &m.err), &m);
	return 0;
}
