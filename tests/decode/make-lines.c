/* SPDX-License-Identifier: MIT */
/*
 * make-lines FILE: a capture described by lines on standard input, for tests that need one which no
 * kernel would produce.
 *
 *	source NAME KIND		with CLOCK_MONOTONIC; the first has number 0
 *	type SOURCE ID SIZE NAME FORMAT	\n and \t in FORMAT are newline and tab
 *	field NAME KIND PLACE OFFSET SIZE COUNT CTYPE	a field of the preceding type, with numbers
 *							of enum trawl_branch_kind and trawl_place
 *	event SOURCE ID CPU NS HEX
 *	loss SOURCE CPU FROM TO COUNT	COUNT - : unknown
 *	meta NS NAME TYPE TEXT		a tab in TEXT is a line's end
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/trawl.h"

#define REAL_BEGIN 1795225477000000000ull
#define FIELDS_MAX 32

struct lines {
	struct trawl_writer *w;
	struct trawl_error err;
	/* its fields are still being read; name NULL: there is none */
	struct trawl_event_type type;
	struct trawl_field fields[FIELDS_MAX];
	char *kept[2 * FIELDS_MAX + 2]; /* owned texts of the type */
	unsigned int nkept;
};

static char *keep(struct lines *l, const char *text)
{
	return l->kept[l->nkept++] = strdup(text);
}

static int end_type(struct lines *l)
{
	int got = l->type.name ? trawl_writer_event_type(l->w, &l->type, &l->err) : 0;

	while (l->nkept)
		free(l->kept[--l->nkept]);
	l->type = (struct trawl_event_type){0};
	return got;
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		bool escape = text[0] == '\\' && (text[1] == 'n' || text[1] == 't');

		*to++ = escape ? text[1] == 'n' ? '\n' : '\t' : *text;
		text += escape;
	}
	*to = '\0';
}

static int source(struct lines *l, const char *text)
{
	static const struct trawl_field common[] = {
		{.name = "common_flags", .ctype = "unsigned char", .note = "", .kind = TRAWL_HEX,
		 .offset = 2, .size = 1, .count = 1},
		{.name = "common_preempt_count", .ctype = "unsigned char", .note = "",
		 .kind = TRAWL_UINT, .offset = 3, .size = 1, .count = 1},
		{.name = "common_pid", .ctype = "int", .note = "", .kind = TRAWL_PID, .offset = 4,
		 .size = 4, .count = 1},
	};
	char name[64], kind[64];
	struct trawl_source s = {.name = name, .spec = name, .kind = kind,
				 .clock = TRAWL_CLOCK_MONO, .linktype = 252, .resolution = 1};

	if (sscanf(text, "%63s %63s", name, kind) != 2)
		return -1;
	if (!strcmp(kind, "tracefs")) {
		s.common = common;
		s.ncommon = 3;
	}
	return trawl_writer_source(l->w, &s, &l->err) < 0 ? -1 : 0;
}

static int type(struct lines *l, char *text)
{
	unsigned int of, id, size;
	char name[128];
	int at = 0;

	if (end_type(l) ||
	    sscanf(text, "%u %u %u %127s %n", &of, &id, &size, name, &at) != 4 || !at)
		return -1;
	unescape(text + at);
	l->type = (struct trawl_event_type){
		.source = (uint16_t)of, .id = id, .size = size, .name = keep(l, name),
		.format = keep(l, text + at), .fields = l->fields,
	};
	return 0;
}

static int field(struct lines *l, const char *text)
{
	unsigned int kind, place, offset, size, count;
	char name[128], ctype[128];

	if (!l->type.name || l->type.nfields == FIELDS_MAX ||
	    sscanf(text, "%127s %u %u %u %u %u %127[^\n]", name, &kind, &place, &offset, &size,
		   &count, ctype) != 7)
		return -1;
	l->fields[l->type.nfields++] = (struct trawl_field){
		.name = keep(l, name), .ctype = keep(l, ctype), .note = "", .kind = (uint8_t)kind,
		.place = (uint8_t)place, .offset = (uint16_t)offset, .size = (uint16_t)size,
		.count = (uint16_t)count,
	};
	return 0;
}

static int event(struct lines *l, const char *text)
{
	static uint8_t record[65536];
	unsigned int of, id, cpu, byte;
	unsigned long long ns;
	size_t n = 0;
	int at = 0;

	if (end_type(l) || sscanf(text, "%u %u %u %llu %n", &of, &id, &cpu, &ns, &at) != 4 || !at)
		return -1;
	for (text += at; n < sizeof(record) && sscanf(text, "%2x", &byte) == 1; text += 2)
		record[n++] = (uint8_t)byte;
	return trawl_append(l->w, &(struct trawl_record){(uint16_t)of, id, cpu, ns, record, n},
			    &l->err);
}

static int loss(struct lines *l, const char *text)
{
	struct trawl_loss x = {.reason = TRAWL_LOSS_OVERRUN};
	unsigned long long from, to;
	unsigned int of;
	char count[32];

	if (end_type(l) ||
	    sscanf(text, "%u %u %llu %llu %31s", &of, &x.cpu, &from, &to, count) != 5)
		return -1;
	x.source = (uint16_t)of;
	x.from = from;
	x.to = to;
	x.count = *count == '-' ? UINT64_MAX : strtoull(count, NULL, 10);
	return trawl_writer_loss(l->w, &x, &l->err);
}

static int meta(struct lines *l, char *text)
{
	char name[256], type[128];
	unsigned long long ns;
	int at = 0;

	if (end_type(l) || sscanf(text, "%llu %255s %127s %n", &ns, name, type, &at) != 3 || !at)
		return -1;
	for (char *tab = text + at; (tab = strchr(tab, '\t'));)
		*tab = '\n';
	return trawl_writer_meta(l->w, &(struct trawl_meta){name, type, ns, text + at,
							     strlen(text + at), 0}, &l->err);
}

static int line(struct lines *l, char *text)
{
	char *rest = strchr(text, ' ');

	if (!rest)
		return -1;
	*rest++ = '\0';
	return !strcmp(text, "source") ? source(l, rest) : !strcmp(text, "type") ? type(l, rest) :
	       !strcmp(text, "field") ? field(l, rest) : !strcmp(text, "event") ? event(l, rest) :
	       !strcmp(text, "loss") ? loss(l, rest) : !strcmp(text, "meta") ? meta(l, rest) : -1;
}

static int sync_at(struct lines *l, uint64_t ns, uint32_t why)
{
	struct trawl_sync y = {.mono = ns, .real = REAL_BEGIN + ns, .boot = ns, .mono_raw = ns,
			       .tai = REAL_BEGIN + ns, .bound = 40, .why = why, .horizon = ns};

	return trawl_writer_sync(l->w, &y, &l->err);
}

int main(int argc, char **argv)
{
	struct trawl_writer_options options = {.comment = "made of lines"};
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	struct lines l = {0};
	char *text = NULL;
	size_t room = 0;
	ssize_t n;

	l.w = fd < 0 ? NULL : trawl_writer_new(fd, &options, &l.err);
	if (!l.w || sync_at(&l, 0, TRAWL_SYNC_START))
		return 3;
	while ((n = getline(&text, &room, stdin)) > 0) {
		if (text[n - 1] == '\n')
			text[n - 1] = '\0';
		if (*text && line(&l, text)) {
			fprintf(stderr, "make-lines: %s: %s\n", text, l.err.text);
			return 3;
		}
	}
	free(text);
	if (end_type(&l) || sync_at(&l, 1000000000000ull, TRAWL_SYNC_STOP) ||
	    trawl_writer_close(l.w, &l.err)) {
		fprintf(stderr, "make-lines: %s\n", l.err.text);
		return 3;
	}
	return 0;
}
