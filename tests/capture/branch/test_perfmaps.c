/* SPDX-License-Identifier: MIT */
/* The executable mappings of a process, from perf's records. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "capture/branch/perfmaps.h"

static struct perf_map *list;

static void map(pid_t pid, uint64_t start, uint64_t end, uint32_t prot, const char *path)
{
	struct perf_map_line l = {.start = start, .end = end, .offset = 0x1000, .inode = 77,
				  .major = 8, .minor = 0x1f, .prot = prot, .path = path};

	perf_maps_add(&list, pid, &l);
}

static void is(pid_t pid, const char *want)
{
	char *text = perf_maps_text(list, pid);

	cr_assert_str_eq(text, want);
	free(text);
}

static void done(void)
{
	perf_maps_free(list);
}

TestSuite(perfmaps, .fini = done);

#define LIB "2000-3000 r-xp 00001000 08:1f 77  /lib\n"
#define JIT "5000-6000 rwxp 00001000 08:1f 77  //anon\n"

Test(perfmaps, each_process_has_its_own_by_address)
{
	is(1, "");
	map(1, 0x5000, 0x6000, PROT_READ | PROT_WRITE | PROT_EXEC, "//anon");
	map(2, 0x1000, 0x2000, PROT_EXEC, "/other");
	map(1, 0x2000, 0x3000, PROT_READ | PROT_EXEC, "/lib");
	is(1, LIB JIT);
	is(2, "1000-2000 r-xp 00001000 08:1f 77  /other\n");
	is(3, "");
}

Test(perfmaps, what_is_mapped_there_replaces_it)
{
	map(1, 0x2000, 0x3000, PROT_EXEC, "/lib");
	map(1, 0x3000, 0x4000, PROT_EXEC, "/next");
	map(1, 0x1000, 0x2000, PROT_READ, "/before");
	map(2, 0x3000, 0x4000, PROT_READ, "/of another process");
	map(1, 0x3fff, 0x4000, PROT_READ | PROT_WRITE, "/over its last byte");
	is(1, LIB);
	map(1, 0x1fff, 0x2001, PROT_EXEC, "/over its first byte");
	is(1, "1fff-2001 r-xp 00001000 08:1f 77  /over its first byte\n");
}

Test(perfmaps, a_child_has_its_parents_until_it_runs_a_program)
{
	map(1, 0x5000, 0x6000, PROT_WRITE | PROT_EXEC, "//anon");
	map(1, 0x2000, 0x3000, PROT_EXEC, "/lib");
	map(2, 0x9000, 0xa000, PROT_EXEC, "/of a process that had this number before");
	perf_maps_fork(&list, 1, 2);
	is(2, LIB JIT);
	perf_maps_fork(&list, 1, 1);
	is(1, LIB JIT);
	map(1, 0x2000, 0x3000, PROT_READ, "/lib");
	is(2, LIB JIT);
	perf_maps_exec(&list, 2);
	is(2, "");
	is(1, JIT);
}
