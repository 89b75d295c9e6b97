/* SPDX-License-Identifier: MIT */
/* The standard pcapng blocks of a file, which Wireshark shows without a plugin. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "format/block.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0"
#endif

enum {
	OPT_COMMENT = 1,
	SHB_HARDWARE = 2,
	SHB_OS = 3,
	SHB_USERAPPL = 4,
	IF_NAME = 2,
	IF_DESCRIPTION = 3,
	IF_TSRESOL = 9,
	SNAPLEN = 262144, /* equal in all interfaces: libpcap refuses a mixture */
};

static void pad4(struct buf *b)
{
	while (b->len % 4 && !b->failed)
		buf_u8(b, 0);
}

static void option(struct buf *b, uint16_t code, const void *value, size_t len)
{
	if (len > 4096)
		len = 4096;
	buf_u16(b, code);
	buf_u16(b, (uint16_t)len);
	buf_put(b, value, len);
	pad4(b);
}

static void text_option(struct buf *b, uint16_t code, const char *text)
{
	if (text && *text)
		option(b, code, text, strlen(text));
}

static void finish(struct buf *out, uint32_t type, struct buf *body)
{
	pad4(body);
	buf_u32(out, type);
	buf_u32(out, (uint32_t)body->len + 12);
	buf_put(out, body->data, body->len);
	buf_u32(out, (uint32_t)body->len + 12);
	out->failed |= body->failed;
	buf_free(body);
}

void pcapng_section(struct buf *out, const char *comment)
{
	struct buf b = { 0 };
	struct utsname u;
	char os[160];

	buf_u32(&b, PCAPNG_BOM);
	buf_u16(&b, 1);
	buf_u16(&b, 0);
	buf_u64(&b, UINT64_MAX); /* section length: not known in advance */
	text_option(&b, OPT_COMMENT, comment);
	if (!uname(&u)) {
		text_option(&b, SHB_HARDWARE, u.machine);
		snprintf(os, sizeof(os), "%s %s", u.sysname, u.release);
		text_option(&b, SHB_OS, os);
	}
	text_option(&b, SHB_USERAPPL, "trawl " PACKAGE_VERSION);
	buf_u32(&b, 0);
	finish(out, PCAPNG_SHB, &b);
}

/* Replaces newlines, which would begin another field of the journal entry. */
static void one_line(char *to, size_t size, const char *from)
{
	size_t i;

	for (i = 0; from && from[i] && i + 1 < size; i++)
		to[i] = (unsigned char)from[i] < ' ' ? ' ' : from[i];
	to[i] = 0;
}

void pcapng_journal(struct buf *out, uint64_t realtime_ns, const char *comment)
{
	struct buf b = { 0 };
	char line[512], text[1024];
	int n;

	one_line(line, sizeof(line), comment);
	n = snprintf(text, sizeof(text),
		     "__REALTIME_TIMESTAMP=%" PRIu64 "\n"
		     "PRIORITY=6\n"
		     "SYSLOG_IDENTIFIER=trawl\n"
		     "MESSAGE=This is a trawl capture%s%s. Its events are in compressed blocks "
		     "that Wireshark skips: read it with \"trawl-decode FILE\", or make a "
		     "Wireshark file with \"trawl-export --to pcapng FILE -w OUT.pcapng\".\n",
		     realtime_ns / 1000, *line ? ": " : "", line);
	buf_put(&b, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	finish(out, PCAPNG_JOURNAL, &b);
}

void pcapng_interface(struct buf *out, const struct trawl_source *s)
{
	struct buf b = { 0 };
	uint8_t resolution = 9;

	buf_u16(&b, s->linktype);
	buf_u16(&b, 0);
	buf_u32(&b, SNAPLEN);
	text_option(&b, IF_NAME, s->name);
	text_option(&b, IF_DESCRIPTION, s->spec);
	option(&b, IF_TSRESOL, &resolution, 1);
	buf_u32(&b, 0);
	finish(out, PCAPNG_IDB, &b);
}
