/* SPDX-License-Identifier: MIT */
/*
 * make-branches FILE: writes a capture of branches from lines on standard input:
 *   meta NAME TEXT                     metadata, true from time 1 on; a tab in it is a line's end
 *   batch TID PID TIME                 begins a batch
 *   FROM TO KIND [FLAGS [CYCLES]]      a branch of it (numbers, KIND as branch_kind_name() says)
 *   mark KIND TIME COUNT               a mark in front of the next branch (enum branch_mark_kind)
 *   loss FROM TO                       the source lost events between these times
 *   damaged TID PID TIME               a batch that cannot be read
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/branch.h"
#include "common/branchrecord.h"
#include "format/trawl.h"

static struct trawl_writer *writer;
static struct branch_encoder *encoder;
static uint32_t tid, pid;
static bool open_batch;
static uint64_t now;

static void die(const char *what)
{
	fprintf(stderr, "make-branches: %s\n", what);
	exit(1);
}

static void append(const void *data, size_t len, uint64_t time, uint64_t until, uint32_t count)
{
	static char record[1 << 16];
	struct branch_record fixed = { tid, pid, until, count, BRANCH_HOW_PERF_LBR };
	struct trawl_error err;

	if (!data || len > sizeof(record) - sizeof(fixed))
		die("no room for the batch");
	memcpy(record, &fixed, sizeof(fixed));
	memcpy(record + sizeof(fixed), data, len);
	if (trawl_append(writer,
			 &(struct trawl_record){ 0, BRANCH_TYPE_STREAM, tid, time, record,
						 sizeof(fixed) + len }, &err))
		die(err.text);
}

static void end_batch(void)
{
	uint64_t until = branch_encoder_last(encoder), first = branch_encoder_first(encoder);
	uint32_t count = branch_encoder_count(encoder);
	size_t len;
	const void *data;

	if (!open_batch)
		return;
	open_batch = false;
	data = branch_encoder_finish(encoder, &len);
	append(data, len, first, until, count);
}

static void begin(const char *rest)
{
	if (sscanf(rest, "%" SCNu32 " %" SCNu32 " %" SCNu64, &tid, &pid, &now) != 3)
		die("batch TID PID TIME");
}

static void add_branch(const char *line)
{
	struct branch b = { 0 };
	char kind[16];
	unsigned int flags = 0;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %15s %u %" SCNu32, &b.from, &b.to, kind, &flags,
		   &b.cycles) < 3)
		die(line);
	for (b.kind = 0; strcmp(branch_kind_name(b.kind), kind);) {
		if (++b.kind == BRANCH_KINDS)
			die(kind);
	}
	b.flags = (uint8_t)flags;
	branch_encoder_add(encoder, &b, now);
}

static void add_mark(const char *rest)
{
	unsigned int kind;
	uint64_t count;

	if (sscanf(rest, "%u %" SCNu64 " %" SCNu64, &kind, &now, &count) != 3)
		die("mark KIND TIME COUNT");
	branch_encoder_mark(encoder, kind, now, count);
}

static void add_meta(char *rest)
{
	char *text = strchr(rest, ' ');
	struct trawl_meta m = { .name = rest, .type = "text/plain", .time = 1 };
	struct trawl_error err;

	if (!text)
		die("meta NAME TEXT");
	*text++ = 0;
	for (char *at = text; (at = strchr(at, '\t'));)
		*at = '\n';
	m.data = text;
	m.len = strlen(text);
	if (trawl_writer_meta(writer, &m, &err))
		die(err.text);
}

static void add_loss(const char *rest)
{
	struct trawl_loss l = { .cpu = UINT32_MAX, .count = UINT64_MAX,
				.reason = TRAWL_LOSS_DROPPED };
	struct trawl_error err;

	if (sscanf(rest, "%" SCNu64 " %" SCNu64, &l.from, &l.to) != 2)
		die("loss FROM TO");
	if (trawl_writer_loss(writer, &l, &err))
		die(err.text);
}

static void take(char *line)
{
	char *rest = strchr(line, ' ');

	rest = rest ? rest + 1 : line;
	if (!strncmp(line, "mark ", 5)) {
		add_mark(rest);
	} else if (line[0] >= '0' && line[0] <= '9') {
		add_branch(line);
	} else {
		end_batch();
		if (!strncmp(line, "meta ", 5))
			add_meta(rest);
		else if (!strncmp(line, "loss ", 5))
			add_loss(rest);
		else
			begin(rest);
		if (!strncmp(line, "batch ", 6)) {
			branch_encoder_start(encoder, now);
			open_batch = true;
		} else if (!strncmp(line, "damaged ", 8)) {
			append("\xff\xff\xff\xff\xff", 5, now, now, 3);
		}
	}
}

int main(int argc, char **argv)
{
	struct trawl_writer_options o = { .comment = "make-branches" };
	static char line[1 << 20];
	struct trawl_error err;

	if (argc != 2)
		die("FILE");
	writer = trawl_writer_new(open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600), &o, &err);
	if (!writer || branchrecord_describe(writer, "", false, &err) < 0)
		die(err.text);
	encoder = branch_encoder_new();
	if (!encoder)
		die("out of memory");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		take(line);
	}
	end_batch();
	branch_encoder_free(encoder);
	if (trawl_writer_close(writer, &err))
		die(err.text);
	return 0;
}
