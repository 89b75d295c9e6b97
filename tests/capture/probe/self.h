/* SPDX-License-Identifier: MIT */
/* The test program itself as the ELF file under test. */
#ifndef TRAWL_TESTS_CAPTURE_PROBE_SELF_H
#define TRAWL_TESTS_CAPTURE_PROBE_SELF_H

#include <criterion/criterion.h>
#include <fcntl.h>

#include "capture/probe/insn.h"

/*
 * Opens the program; free it with elf_free(). Skips the test on machines whose instructions are not
 * supported.
 */
static inline struct elf_file *self_open(void)
{
	struct trawl_error err = { 0 };
	struct elf_file *file;

	if (!insn_known())
		cr_skip_test("built without Zydis");
	file = elf_open(open("/proc/self/exe", O_RDONLY), "self", "self", &err);
	cr_assert(file, "%s", err.text);
	return file;
}

#endif
