/* SPDX-License-Identifier: MIT */
/*
 * make-hostile FILE: a capture in which every text tries to control the terminal, to forge a line
 * of output, or to be a spreadsheet formula; for tests/cli/foreign_text.py.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/trawl.h"

#define MONO 5000000000ull
#define REAL 1795225477000000000ull

/* ESC, BEL, a line that looks like trawl-decode's output, CR, DEL, CSI of C1. */
#define EVIL                                                                                       \
	"\033]0;PWNED\a\033[31m\n12:00:00.000000000 [000] root-1 FAKE:event "                      \
	"injected=1\r\177\302\2332J"
#define JSON_EVIL "\\u001b]0;PWNED\\u0007\\n12:00:00.000000000 FAKE:event\\r\\u007f\\u009b2J"

struct hostile {
	struct trawl_writer *w;
	struct trawl_error *err;
	uint16_t id;
};

static int meta(struct hostile *h, const char *name, const char *type, const char *text)
{
	struct trawl_meta m = {name, type, MONO, text, strlen(text), 0};

	return trawl_writer_meta(h->w, &m, h->err);
}

static int sync_at(struct hostile *h, uint64_t ns, uint32_t why)
{
	struct trawl_sync y = {.mono = MONO + ns, .real = REAL + ns, .boot = MONO + ns,
			       .mono_raw = MONO + ns, .tai = REAL + ns, .bound = 40, .why = why,
			       .horizon = MONO + ns};

	return trawl_writer_sync(h->w, &y, h->err);
}

static int describe(struct hostile *h)
{
	static const struct trawl_field common[] = {
		{.name = "common_pid", .ctype = "int", .note = "", .kind = TRAWL_PID, .offset = 4,
		 .size = 4, .count = 1},
	};
	static const struct trawl_field fields[] = {
		{.name = "number" EVIL, .ctype = "u64", .note = "", .kind = TRAWL_UINT,
		 .offset = 8, .size = 8, .count = 1},
		{.name = "=cmd|'/C calc'!A0", .ctype = "__data_loc char[]", .note = "",
		 .kind = TRAWL_TEXT, .place = TRAWL_DATA_LOC, .offset = 16, .size = 1, .count = 1},
		{.name = "gone", .ctype = "double", .note = "why" EVIL, .kind = TRAWL_NONE,
		 .offset = 20, .size = 1, .count = 0},
		{.name = "text", .ctype = "char[64]", .note = "", .kind = TRAWL_TEXT,
		 .offset = 20, .size = 1, .count = 64},
	};
	struct trawl_source src = {
		.name = "source" EVIL, .spec = "spec" EVIL, .kind = "tracefs",
		.clock = TRAWL_CLOCK_MONO, .linktype = 252, .resolution = 1, .ncommon = 1,
		.common = common,
	};
	struct trawl_event_type type = {
		.id = 1, .name = "group:name" EVIL, .size = 84, .nfields = 4, .fields = fields,
		.format = "name: x\nprint fmt: \"\\e[31m" EVIL "%llu text=%s\n  indented\", "
			  "REC->gone, REC->text\n",
	};
	int got = trawl_writer_source(h->w, &src, h->err);

	h->id = type.source = (uint16_t)got;
	return got < 0 || trawl_writer_event_type(h->w, &type, h->err) ||
	       meta(h, "odd" EVIL, "text/" EVIL, "a document" EVIL) ||
	       meta(h, "machine", "application/json",
		    "{\"kernel\":\"6" JSON_EVIL "\",\"hostname\":\"" JSON_EVIL "\",\"arch\":\""
		    JSON_EVIL "\",\"cpus\":1}") ||
	       meta(h, "capture", "application/json",
		    "{\"argv\":[\"trawl\",\"" JSON_EVIL "\"],\"user\":\"" JSON_EVIL "\"}") ||
	       meta(h, "end", "application/json", "{\"why\":\"" JSON_EVIL "\"}") ||
	       meta(h, "task/77", "application/json",
		    "{\"tid\":77,\"pid\":77,\"comm\":\"" JSON_EVIL "\",\"exe\":\"" JSON_EVIL "\"}");
}

static int append(struct hostile *h)
{
	static const char text[] = "=1+1" EVIL;
	uint8_t r[256] = {1};
	uint32_t tid = 77, loc = (uint32_t)sizeof(text) << 16 | 84;
	uint64_t number = UINT64_MAX;

	memcpy(r + 4, &tid, 4);
	memcpy(r + 8, &number, 8);
	memcpy(r + 16, &loc, 4);
	memcpy(r + 20, text, 64);
	memcpy(r + 84, text, sizeof(text));
	if (trawl_append(h->w,
			 &(struct trawl_record){h->id, 1, 0, MONO + 1000, r, 84 + sizeof(text)},
			 h->err))
		return -1;
	loc = 65535u << 16 | 60000; /* far beyond the end of the record */
	memcpy(r + 16, &loc, 4);
	return trawl_append(h->w, &(struct trawl_record){h->id, 1, 0, MONO + 2000, r, 84}, h->err);
}

int main(int argc, char **argv)
{
	struct trawl_writer_options options = {.comment = "hostile"};
	struct trawl_error err = {0};
	struct hostile h = {.err = &err};
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;

	h.w = fd < 0 ? NULL : trawl_writer_new(fd, &options, &err);
	if (!h.w || describe(&h) || sync_at(&h, 0, TRAWL_SYNC_START) || append(&h) ||
	    sync_at(&h, 5000, TRAWL_SYNC_STOP) || trawl_writer_close(h.w, &err)) {
		fprintf(stderr, "make-hostile: %s\n", err.text);
		return 3;
	}
	return 0;
}
