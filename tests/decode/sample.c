/* SPDX-License-Identifier: MIT */
#include "tests/decode/sample.h"
#include "common/array.h"

#include <stdio.h>
#include <string.h>

#define FIELD(name_, ctype_, kind_, offset_, size_, count_) \
	{.name = (name_), .ctype = (ctype_), .note = "", .kind = (kind_), .place = TRAWL_FIXED, \
	 .offset = (offset_), .size = (size_), .count = (count_)}
#define TEXT_LOC(name_, offset_) \
	{.name = (name_), .ctype = "__data_loc char[]", .note = "", .kind = TRAWL_TEXT, \
	 .place = TRAWL_DATA_LOC, .offset = (offset_), .size = 1, .count = 1}

static const struct trawl_field common[] = {
	FIELD("common_flags", "unsigned char", TRAWL_HEX, 2, 1, 1),
	FIELD("common_preempt_count", "unsigned char", TRAWL_UINT, 3, 1, 1),
	FIELD("common_pid", "int", TRAWL_PID, 4, 4, 1),
};

static const struct trawl_field start_fields[] = {
	FIELD("__probe_ip", "unsigned long", TRAWL_ADDR, 8, 8, 1),
	FIELD("arg1", "s32", TRAWL_INT, 16, 4, 1),
	TEXT_LOC("arg2", 20),
	FIELD("arg3_base", "x64", TRAWL_HEX, 24, 8, 1),
	FIELD("arg3_idx", "s64", TRAWL_INT, 32, 8, 1),
	FIELD("arg3_win", "s32[4]", TRAWL_INT, 40, 4, 4),
	FIELD("arg4", "u8", TRAWL_UINT, 56, 1, 1),
};

static const struct trawl_field stop_fields[] = {
	FIELD("__probe_ip", "unsigned long", TRAWL_ADDR, 8, 8, 1),
	FIELD("arg1", "u64", TRAWL_UINT, 16, 8, 1),
	FIELD("flag", "bool", TRAWL_BOOL, 24, 1, 1),
	FIELD("letter", "char", TRAWL_CHAR, 25, 1, 1),
	FIELD("ratio", "double", TRAWL_FLOAT, 26, 8, 1),
	FIELD("raw", "u8[4]", TRAWL_BYTES, 34, 1, 4),
	FIELD("mask", "x32", TRAWL_HEX, 38, 4, 1),
	{.name = "gone", .ctype = "double", .note = "floats cannot be fetched", .kind = TRAWL_NONE,
	 .place = TRAWL_FIXED, .offset = 42, .size = 1, .count = 0},
};

static const struct trawl_field switch_fields[] = {
	FIELD("prev_comm", "char[16]", TRAWL_TEXT, 8, 1, 16),
	FIELD("prev_pid", "pid_t", TRAWL_PID, 24, 4, 1),
	FIELD("prev_prio", "int", TRAWL_INT, 28, 4, 1),
	FIELD("prev_state", "long", TRAWL_INT, 32, 8, 1),
	FIELD("next_comm", "char[16]", TRAWL_TEXT, 40, 1, 16),
	FIELD("next_pid", "pid_t", TRAWL_PID, 56, 4, 1),
	FIELD("next_prio", "int", TRAWL_INT, 60, 4, 1),
};

static const struct trawl_field newtask_fields[] = {
	FIELD("pid", "pid_t", TRAWL_PID, 8, 4, 1),
	FIELD("comm", "char[16]", TRAWL_TEXT, 12, 1, 16),
	FIELD("clone_flags", "u64", TRAWL_HEX, 32, 8, 1),
	FIELD("oom_score_adj", "short", TRAWL_INT, 40, 2, 1),
};

static const struct trawl_field rename_fields[] = {
	FIELD("pid", "pid_t", TRAWL_PID, 8, 4, 1),
	FIELD("oldcomm", "char[16]", TRAWL_TEXT, 12, 1, 16),
	FIELD("newcomm", "char[16]", TRAWL_TEXT, 28, 1, 16),
	FIELD("oom_score_adj", "short", TRAWL_INT, 44, 2, 1),
};

#define SITE(offset_, symbol_, line_, args_) \
	"{\"offset\":" offset_ ",\"vaddr\":" offset_ ",\"semaphore\":0,\"symbol\":\"" symbol_ \
	"\",\"file\":\"app.c\",\"line\":" line_ ",\"insn\":\"nop\",\"args\":[" args_ "]}"
#define ARG(name_, state_, rest_) \
	"{\"name\":\"" name_ "\",\"note\":\"\",\"fetch\":\"\",\"state\":\"" state_ "\"" rest_ "}"

static const char probe_start[] =
	"{\"event\":\"app:start\",\"kind\":\"usdt\",\"path\":\"/opt/app\",\"build_id\":\"\","
	"\"inode\":77,\"dev\":\"8:1\",\"deleted\":false,\"sites\":["
	SITE("4458", "main+0x2a", "12",
	     ARG("arg1", "exact", "") "," ARG("arg2", "exact", "") ","
	     ARG("arg3", "computed", ",\"sib\":{\"base\":\"arg3_base\",\"index\":\"arg3_idx\","
		 "\"window\":\"arg3_win\",\"scale\":4,\"disp\":0}") ","
	     ARG("arg4", "unavailable", ",\"why\":\"in %xmm0\"")) ","
	SITE("8554", "serve+0x8", "99",
	     ARG("arg1", "exact", "") "," ARG("arg2", "exact", "") ","
	     ARG("arg3", "unavailable", ",\"why\":\"optimised out\"") ","
	     ARG("arg4", "exact", "")) "]}";

static const char maps_100[] =
	"55d000000000-55d000010000 r-xp 00000000 08:01 77 /opt/app\n"
	"7f0000000000-7f0000010000 r-xp 00000000 08:01 12 /lib/other.so\n";

struct sample {
	struct trawl_writer *w;
	struct trawl_error *err;
	const char *function;
	uint16_t usdt, event, task;
};

static int meta(struct sample *s, const char *name, const char *type, uint64_t time,
		const char *text)
{
	struct trawl_meta m = {name, type, time, text, strlen(text), 0};

	return trawl_writer_meta(s->w, &m, s->err);
}

/* In another build, the first site is in another function. */
static int probe(struct sample *s)
{
	static const char first[] = "main+";
	const char *at = strstr(probe_start, first);
	char text[sizeof(probe_start) + 64];

	snprintf(text, sizeof(text), "%.*s%.63s+%s", (int)(at - probe_start), probe_start,
		 s->function, at + strlen(first));
	return meta(s, "probe/app:start", "application/json", SAMPLE_MONO, text);
}

/* Source, id, name, size and fields. */
#define TYPE(s, source, id, name, size, f) \
	trawl_writer_event_type((s)->w, &(struct trawl_event_type){source, id, name, "", size, \
								   ARRAY_SIZE(f), f}, (s)->err)

static int source(struct sample *s, const char *name, uint16_t *id)
{
	struct trawl_source src = {
		.name = name, .spec = name, .kind = "tracefs", .clock = TRAWL_CLOCK_MONO,
		.linktype = 252, .resolution = 1, .ncommon = 3, .common = common,
	};
	int got = trawl_writer_source(s->w, &src, s->err);

	*id = (uint16_t)got;
	return got < 0 ? -1 : 0;
}

static int sync_at(struct sample *s, uint64_t ns, uint32_t why)
{
	struct trawl_sync y = {
		.mono = SAMPLE_MONO + ns, .real = SAMPLE_REAL + ns, .boot = SAMPLE_MONO + ns,
		.mono_raw = SAMPLE_MONO + ns, .tai = SAMPLE_REAL + ns, .bound = 40, .why = why,
		.horizon = SAMPLE_MONO + ns,
	};

	return trawl_writer_sync(s->w, &y, s->err);
}

static int describe(struct sample *s)
{
	return source(s, "usdt", &s->usdt) || source(s, "event", &s->event) ||
	       source(s, "task", &s->task) ||
	       TYPE(s, s->usdt, 1, "app:start", 57, start_fields) ||
	       TYPE(s, s->usdt, 2, "app:stop", 43, stop_fields) ||
	       TYPE(s, s->event, 3, "sched:sched_switch", 64, switch_fields) ||
	       TYPE(s, s->task, 4, "task:task_newtask", 42, newtask_fields) ||
	       TYPE(s, s->task, 5, "task:task_rename", 46, rename_fields) ||
	       meta(s, "machine", "application/json", SAMPLE_MONO,
		    "{\"kernel\":\"6.1.0-test\",\"arch\":\"x86_64\",\"cpus\":2,"
		    "\"hostname\":\"sample\",\"page_size\":4096}") ||
	       meta(s, "capture", "application/json", SAMPLE_MONO,
		    "{\"argv\":[\"trawl\",\"-i\",\"usdt:/opt/app:*\",\"it's\"],"
		    "\"user\":\"tester\",\"remark\":\"\"}") ||
	       probe(s) ||
	       meta(s, "maps/100", "text/plain", SAMPLE_MONO, maps_100) ||
	       meta(s, "task/100", "application/json", SAMPLE_MONO,
		    "{\"tid\":100,\"pid\":100,\"comm\":\"app\"}");
}

/* ---- records ------------------------------------------------------------------------------ */

static void put(uint8_t *r, size_t at, uint64_t v, size_t n)
{
	memcpy(r + at, &v, n);
}

/* Sets the common fields. */
static uint8_t *by(uint32_t id, int tid, uint8_t *r)
{
	put(r, 0, id, 2);
	put(r, 4, (uint64_t)tid, 4);
	return r;
}

static int append(struct sample *s, struct trawl_record record)
{
	record.ts += SAMPLE_MONO;
	return trawl_append(s->w, &record, s->err);
}

static int start(struct sample *s, uint32_t i)
{
	static const char *const names[] = {"plain", "two\nlines \"x\"", "gr\xc3\xbcn", "bad\xff"};
	uint8_t r[128] = {0};
	const char *text = i % 16 == 9 ? "" : names[i % 4];
	size_t len = i % 16 == 5 ? 0 : strlen(text) + 1; /* every 16th string could not be read */

	put(r, 8, 0x55d000000000 + (i % 2 ? 8554 : 4458), 8);
	put(r, 16, (uint64_t)((int64_t)i - 2), 4);
	put(r, 20, len << 16 | 57, 4);
	put(r, 24, 0x7ffc00001000, 8);
	put(r, 32, i % 6, 8); /* the window has 4 elements */
	for (uint32_t k = 0; k < 4; k++)
		put(r, 40 + 4 * k, i * 10 + k, 4);
	put(r, 56, 200, 1);
	memcpy(r + 57, text, len);
	return append(s, (struct trawl_record){s->usdt, 1, i % 2, i * 1000000ull,
					       by(1, i % 3 ? 100 : 101, r), 57 + len});
}

static int stop(struct sample *s, uint64_t ns)
{
	uint8_t r[64] = {0};
	double ratio = 2.5;

	put(r, 8, 0x55d000003000, 8);
	put(r, 16, UINT64_MAX, 8);
	put(r, 24, 1, 1);
	put(r, 25, 'k', 1);
	memcpy(r + 26, &ratio, 8);
	put(r, 34, 0xefbeadde, 4);
	put(r, 38, 0xff00, 4);
	return append(s, (struct trawl_record){s->usdt, 2, 1, ns, by(2, 100, r), 43});
}

static int switched(struct sample *s, uint64_t ns)
{
	uint8_t r[64] = {0};

	memcpy(r + 8, "app", 3);
	put(r, 24, 100, 4);
	put(r, 28, 120, 4);
	put(r, 32, 1, 8);
	memcpy(r + 40, "swapper/0", 9);
	put(r, 60, 120, 4);
	return append(s, (struct trawl_record){s->event, 3, 0, ns, by(3, 0, r), 64});
}

static int task_events(struct sample *s)
{
	uint8_t r[64] = {0};

	/* thread 101 of process 100 is born at 0.5 ms and renamed at 1.5 ms */
	put(r, 8, 101, 4);
	memcpy(r + 12, "app", 3);
	put(r, 32, 0x3d0f00, 8);
	if (append(s, (struct trawl_record){s->task, 4, 0, 500000, by(4, 100, r), 42}))
		return -1;
	memset(r, 0, sizeof(r));
	put(r, 8, 101, 4);
	memcpy(r + 12, "app", 3);
	memcpy(r + 28, "worker", 6);
	return append(s, (struct trawl_record){s->task, 5, 1, 1500000, by(5, 101, r), 46});
}

int sample_write(int fd, uint32_t events, const char *function, uint32_t loss_cpu,
		 struct trawl_error *err)
{
	struct trawl_writer_options o = {.comment = "a sample for tests"};
	struct sample s = {.w = trawl_writer_new(fd, &o, err), .err = err, .function = function};
	uint64_t end = events * 1000000ull;
	uint32_t i;

	if (!s.w)
		return -1;
	if (describe(&s) || sync_at(&s, 0, TRAWL_SYNC_START) || task_events(&s))
		goto fail;
	for (i = 0; i < events; i++)
		if (start(&s, i))
			goto fail;
	if (stop(&s, end) || switched(&s, end + 1000))
		goto fail;
	struct trawl_loss loss = {s.usdt, loss_cpu, SAMPLE_MONO + 2100000,
				  SAMPLE_MONO + 2900000, 17, TRAWL_LOSS_OVERRUN, 0};
	if (trawl_writer_loss(s.w, &loss, err) ||
	    meta(&s, "end", "application/json", SAMPLE_MONO + end,
		 "{\"why\":\"command ended\",\"status\":0}") ||
	    sync_at(&s, end + 2000, TRAWL_SYNC_STOP))
		goto fail;
	return trawl_writer_close(s.w, err);
fail:
	trawl_writer_close(s.w, &(struct trawl_error){0});
	return -1;
}
