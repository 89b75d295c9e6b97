/* SPDX-License-Identifier: MIT */
/* Event formats: chosen ones field by field, and every one that this kernel has. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/eventformat.h"
#include "common/array.h"

#define COMMON                                                                                     \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static struct eventformat parse(const char *fields)
{
	struct eventformat f;
	struct trawl_error err;
	char text[4096];

	snprintf(text, sizeof(text), "name: ev\nID: 77\n" COMMON "%s\nprint fmt: \"\", REC->x\n",
		 fields);
	cr_assert_eq(eventformat_parse(text, strlen(text), &f, &err), 0, "%s", err.text);
	return f;
}

#define expect_field(f, field_name, k, p, off, sz, n)                                              \
	do {                                                                                       \
		const struct trawl_field *x = eventformat_field(f, field_name);                    \
		cr_assert_not_null(x, field_name);                                                 \
		cr_expect_eq(x->kind, k, "%s: kind %d", field_name, x->kind);                      \
		cr_expect_eq(x->place, p, "%s: place %d", field_name, x->place);                   \
		cr_expect_eq(x->offset, off, "%s: offset %d", field_name, x->offset);              \
		cr_expect_eq(x->size, sz, "%s: size %d", field_name, x->size);                     \
		cr_expect_eq(x->count, n, "%s: count %d", field_name, x->count);                   \
	} while (0)

Test(eventformat, common_fields_are_apart)
{
	struct eventformat f = parse("\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n");

	cr_expect_str_eq(f.name, "ev");
	cr_expect_eq(f.id, 77);
	cr_expect_eq(f.size, 12);
	cr_assert_eq(f.ncommon, 3);
	cr_expect_str_eq(f.common[0].name, "common_flags");
	cr_expect_str_eq(f.common[2].name, "common_pid");
	cr_expect_eq(f.common[2].kind, TRAWL_PID);
	cr_expect_eq(f.common[2].offset, 4);
	cr_assert_eq(f.nfields, 1);
	eventformat_free(&f);
}

/*
 * A parameter named common_pid becomes the field common_pid_2 of its probe, behind the empty line.
 */
Test(eventformat, fields_of_an_event_may_begin_as_common_ones_do)
{
	struct eventformat f = parse("\tfield:s32 common_pid_2;\toffset:8;\tsize:4;\tsigned:1;\n"
				     "\tfield:u16 common_type;\toffset:12;\tsize:2;\tsigned:0;\n");

	cr_expect_eq(f.ncommon, 3);
	cr_expect_eq(f.nfields, 2);
	expect_field(&f, "common_pid_2", TRAWL_INT, TRAWL_FIXED, 8, 4, 1);
	expect_field(&f, "common_type", TRAWL_UINT, TRAWL_FIXED, 12, 2, 1);
	eventformat_free(&f);
}

/* Only "__data_loc char[][N]" of 4 times N bytes is N strings; similar declarations are not. */
Test(eventformat, what_is_no_list_of_strings)
{
	struct eventformat f = parse(
		"\tfield:__data_loc char[][2] two;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc char[][2 no;\toffset:16;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc char[][x] x;\toffset:24;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc long[][2] l;\toffset:32;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc char[][3] three;\toffset:40;\tsize:8;\tsigned:1;\n"
		"\tfield:u32 odd_words[1];\toffset:48;\tsize:4;\tsigned:0;\n");

	cr_expect_not_null(eventformat_field(&f, "two[0]"));
	cr_expect_not_null(eventformat_field(&f, "two[1]"));
	cr_expect_null(eventformat_field(&f, "two[2]"));
	cr_expect_null(eventformat_field(&f, "no[0]"));
	cr_expect_null(eventformat_field(&f, "x[0]"));
	cr_expect_null(eventformat_field(&f, "l[0]"));
	cr_expect_null(eventformat_field(&f, "three[0]"));
	expect_field(&f, "odd_words", TRAWL_UINT, TRAWL_FIXED, 48, 4, 1);
	eventformat_free(&f);
}

Test(eventformat, numbers)
{
	struct eventformat f = parse(
		"\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:long state;\toffset:16;\tsize:8;\tsigned:1;\n"
		"\tfield:u64 count;\toffset:28;\tsize:8;\tsigned:0;\n"
		"\tfield:const char * filename;\toffset:36;\tsize:8;\tsigned:0;\n"
		"\tfield:bool yes;\toffset:44;\tsize:1;\tsigned:0;\n"
		"\tfield:gfp_t gfp_flags;\toffset:45;\tsize:4;\tsigned:0;\n"
		"\tfield:enum dma_data_direction dir;\toffset:49;\tsize:4;\tsigned:0;\n"
		"\tfield:unsigned long __probe_ip;\toffset:53;\tsize:8;\tsigned:0;\n");

	expect_field(&f, "prev_pid", TRAWL_PID, TRAWL_FIXED, 8, 4, 1);
	expect_field(&f, "state", TRAWL_INT, TRAWL_FIXED, 16, 8, 1);
	expect_field(&f, "count", TRAWL_UINT, TRAWL_FIXED, 28, 8, 1);
	expect_field(&f, "filename", TRAWL_ADDR, TRAWL_FIXED, 36, 8, 1);
	expect_field(&f, "yes", TRAWL_BOOL, TRAWL_FIXED, 44, 1, 1);
	expect_field(&f, "gfp_flags", TRAWL_HEX, TRAWL_FIXED, 45, 4, 1);
	expect_field(&f, "dir", TRAWL_ENUM, TRAWL_FIXED, 49, 4, 1);
	expect_field(&f, "__probe_ip", TRAWL_ADDR, TRAWL_FIXED, 53, 8, 1);
	cr_expect_str_eq(eventformat_field(&f, "filename")->ctype, "const char *");
	cr_expect_eq(f.size, 61);
	eventformat_free(&f);
}

Test(eventformat, arrays)
{
	struct eventformat f = parse(
		"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:__u8 saddr[4];\toffset:24;\tsize:4;\tsigned:0;\n"
		"\tfield:unsigned long args[6];\toffset:28;\tsize:48;\tsigned:0;\n"
		"\tfield:s64 win[];\toffset:76;\tsize:32;\tsigned:1;\n"
		"\tfield:struct thing t;\toffset:108;\tsize:12;\tsigned:0;\n"
		"\tfield:char name[TASK_COMM_LEN];\toffset:120;\tsize:16;\tsigned:0;\n");

	expect_field(&f, "comm", TRAWL_TEXT, TRAWL_FIXED, 8, 1, 16);
	expect_field(&f, "saddr", TRAWL_BYTES, TRAWL_FIXED, 24, 1, 4);
	expect_field(&f, "args", TRAWL_UINT, TRAWL_FIXED, 28, 8, 6);
	expect_field(&f, "win", TRAWL_INT, TRAWL_FIXED, 76, 8, 4);
	expect_field(&f, "t", TRAWL_BYTES, TRAWL_FIXED, 108, 1, 12);
	expect_field(&f, "name", TRAWL_TEXT, TRAWL_FIXED, 120, 1, 16);
	eventformat_free(&f);
}

Test(eventformat, dynamic_data)
{
	struct eventformat f = parse(
		"\tfield:__data_loc char[] file;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc u64[] addrs;\toffset:12;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc char[] rel;\toffset:16;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc u8[] raw;\toffset:20;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc cpumask_t mask;\toffset:24;\tsize:4;\tsigned:0;\n");

	expect_field(&f, "file", TRAWL_TEXT, TRAWL_DATA_LOC, 8, 1, 1);
	expect_field(&f, "addrs", TRAWL_UINT, TRAWL_DATA_LOC, 12, 8, 1);
	expect_field(&f, "rel", TRAWL_TEXT, TRAWL_REL_LOC, 16, 1, 1);
	expect_field(&f, "raw", TRAWL_BYTES, TRAWL_DATA_LOC, 20, 1, 1);
	expect_field(&f, "mask", TRAWL_HEX, TRAWL_DATA_LOC, 24, 8, 1);
	eventformat_free(&f);
}

/* In synthetic events, the kernel declares the word with a size of eight bytes and either sign. */
Test(eventformat, dynamic_data_of_synthetic_events)
{
	struct eventformat f = parse(
		"\tfield:__data_loc char[] file;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc unsigned long[] stack;\toffset:16;\tsize:8;\tsigned:1;\n"
		"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n");

	expect_field(&f, "file", TRAWL_TEXT, TRAWL_DATA_LOC, 8, 1, 1);
	expect_field(&f, "stack", TRAWL_HEX, TRAWL_DATA_LOC, 16, 8, 1);
	expect_field(&f, "pid", TRAWL_PID, TRAWL_FIXED, 24, 4, 1);
	cr_expect_eq(f.size, 28);
	eventformat_free(&f);
}

/* string[2] of a probe has a field for each string. */
Test(eventformat, several_strings_are_several_fields)
{
	struct eventformat f = parse(
		"\tfield:__data_loc char[][2] argv;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc char[][3] odd;\toffset:16;\tsize:8;\tsigned:1;\n"
		"\tfield:int last;\toffset:24;\tsize:4;\tsigned:1;\n");

	expect_field(&f, "argv[0]", TRAWL_TEXT, TRAWL_DATA_LOC, 8, 1, 1);
	expect_field(&f, "argv[1]", TRAWL_TEXT, TRAWL_DATA_LOC, 12, 1, 1);
	cr_expect_str_eq(eventformat_field(&f, "argv[1]")->ctype, "__data_loc char[]");
	cr_expect_null(eventformat_field(&f, "argv"));
	cr_expect_null(eventformat_field(&f, "odd[0]"), "its size is not that of three");
	expect_field(&f, "last", TRAWL_INT, TRAWL_FIXED, 24, 4, 1);
	eventformat_free(&f);
}

Test(eventformat, open_ends_only_at_the_end)
{
	struct eventformat
		f = parse("\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
			  "\tfield:unsigned long args[];\toffset:16;\tsize:0;\tsigned:0;\n");

	expect_field(&f, "args", TRAWL_HEX, TRAWL_TAIL, 16, 8, 1);
	cr_expect_eq(f.size, 16);
	eventformat_free(&f);
	f = parse("\tfield:char buf[];\toffset:8;\tsize:0;\tsigned:0;\n"
		  "\tfield:int after;\toffset:8;\tsize:4;\tsigned:1;\n");
	cr_expect_null(eventformat_field(&f, "buf"));
	cr_expect_not_null(eventformat_field(&f, "after"));
	eventformat_free(&f);
	f = parse("\tfield:__data_loc char[] s;\toffset:8;\tsize:4;\tsigned:0;\n"
		  "\tfield:char buf[];\toffset:12;\tsize:0;\tsigned:0;\n");
	cr_expect_null(eventformat_field(&f, "buf"));
	eventformat_free(&f);
}

Test(eventformat, what_is_no_format_is_refused)
{
	static const char *const bad[] = {
		"", "\n", "name: x\n", "name: x\nID: 5\n", "ID: 5\n" COMMON, "name: x\n" COMMON,
		"name: x\nID: 70000\n" COMMON, "name: x\nID: 0\n" COMMON,
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct eventformat f;
		struct trawl_error err;

		cr_expect_eq(eventformat_parse(bad[i], strlen(bad[i]), &f, &err), -1, "text %zu",
			     i);
	}
}

Test(eventformat, records_over_64_KiB_are_refused)
{
	static const char text[] = "name: x\nID: 5\n" COMMON
				   "\tfield:char a[65000];\toffset:8;\tsize:65535;\tsigned:0;\n";
	struct eventformat f;
	struct trawl_error err;

	cr_expect_eq(eventformat_parse(text, sizeof(text) - 1, &f, &err), -1);
}

/* Expects that all lines "\tfield:" of a format are found, as fields or as common fields. */
static void check_file(const char *path)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "r");
	struct eventformat f;
	struct trawl_error err;
	unsigned int lines = 0;
	size_t len;

	cr_assert_not_null(file, "%s", path);
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	fclose(file);
	cr_assert_eq(eventformat_parse(text, len, &f, &err), 0, "%s: %s", path, err.text);
	for (const char *at = text; (at = strstr(at, "\tfield:")); at++)
		lines++;
	cr_expect_eq(f.nfields + f.ncommon + 1, lines, "%s: %u fields of %u lines", path,
		     f.nfields + f.ncommon + 1, lines);
	for (uint32_t i = 0; i < f.nfields; i++) {
		const struct trawl_field *x = &f.fields[i];
		uint32_t bytes = x->place == TRAWL_FIXED ? (uint32_t)x->size * x->count :
				 x->place == TRAWL_TAIL ? 0 : 4;

		cr_expect(*x->name && *x->ctype, "%s: field %u", path, i);
		cr_expect_leq(x->offset + bytes, f.size, "%s: %s", path, x->name);
		cr_expect(x->size == 1 || x->size == 2 || x->size == 4 || x->size == 8, "%s: %s",
			  path, x->name);
		cr_expect_neq(x->count, 0, "%s: %s", path, x->name);
	}
	eventformat_free(&f);
}

Test(eventformat, every_event_of_this_kernel)
{
	glob_t files;

	cr_assert_eq(glob("/sys/kernel/tracing/events/*/*/format", 0, NULL, &files), 0,
		     "no events: is tracefs mounted, and are we root?");
	cr_expect_gt(files.gl_pathc, 100);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		/* Probes of other programs may appear and vanish. */
		if (!strstr(files.gl_pathv[i], "/trawl_"))
			check_file(files.gl_pathv[i]);
	}
	globfree(&files);
}
