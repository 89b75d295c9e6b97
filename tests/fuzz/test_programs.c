/* SPDX-License-Identifier: MIT */
/* Each command line that fuzz_programs runs gets as far as to its work with some file here. */
#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "tests/fuzz/programs.h"

static const char *const files[] = {
	"tests/golden/two.trawl", "samples/usb-keyboard.trawl", "tests/golden/branches.trawl",
	"samples/tick.trawl", "samples/usb-serial.trawl", "tests/golden/small.trawl",
	"tests/fuzz/corpus/pcapimport/le.pcap",
};

static int status_of(size_t mode, const char *name)
{
	static uint8_t data[1 << 20];
	char path[4096];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", getenv("TRAWL_SRC"), name);
	f = fopen(path, "rb");
	cr_assert(f, "%s", path);
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	return programs_run(mode, data, n);
}

Test(programs, each_command_line_does_its_work, .timeout = 600)
{
	for (size_t mode = 0; mode < programs_modes(); mode++) {
		int least = 3;

		for (size_t i = 0; least && i < ARRAY_SIZE(files); i++) {
			int status = status_of(mode, files[i]);

			least = status < least ? status : least;
		}
		cr_expect_eq(least, 0, "command line %zu ends with status %d", mode, least);
		cr_expect_eq(sched_getscheduler(0), SCHED_OTHER, "command line %zu", mode);
	}
}
