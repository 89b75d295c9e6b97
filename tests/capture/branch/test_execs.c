/* SPDX-License-Identifier: MIT */
/* Which of the branches that were collected after an exec may be of the program before. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/branch/execs.h"

enum { TID = 7 };

static struct execs x;
static struct perf_map *maps;

static void end(void)
{
	execs_free(&x);
	perf_maps_free(maps);
}

TestSuite(execs, .fini = end);

static void map(uint64_t start, uint64_t end)
{
	perf_maps_add(&maps, TID, &(struct perf_map_line){
		.start = start, .end = end, .prot = PROT_EXEC, .path = "x" });
}

struct task_record {
	struct perf_event_header header;
	uint32_t pid, tid, other, more;
};

/* The program at 0x1000 to 0x3000 is followed by one at 0x2000 to 0x4000. */
static void exec_of(pid_t command)
{
	struct task_record comm = {
		.header = { .type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC,
			    .size = sizeof(comm) }, .pid = TID, .tid = TID };

	x.command = command;
	map(0x1000, 0x3000);
	execs_note(&x, maps, &comm.header);
	perf_maps_exec(&maps, TID);
	map(0x2000, 0x4000);
}

static size_t lost_of(size_t n, const uint64_t *at)
{
	struct branch b[8];

	for (size_t i = 0; i < n; i++)
		b[i] = (struct branch){ .from = at[i], .to = at[i] };
	return execs_end(&x, maps, TID, b, n);
}

Test(execs, what_both_programs_have_mapped_may_be_of_either)
{
	exec_of(0);
	cr_assert(execs_pending(&x, TID));
	cr_expect_eq(lost_of(6, (uint64_t[]){ 0x2100, 0x1100, 0x2200, 0x2300, 0x3100, 0x2400 }), 4);
	cr_assert_not(execs_pending(&x, TID), "later ones are of the new program");
}

Test(execs, all_are_of_the_new_program)
{
	exec_of(0);
	cr_expect_eq(lost_of(2, (uint64_t[]){ 0x3100, 0x2100 }), 0);
}

Test(execs, all_may_be_of_the_program_before)
{
	exec_of(0);
	cr_expect_eq(lost_of(3, (uint64_t[]){ 0x1100, 0x2100, 0x2200 }), 3);
}

Test(execs, a_branch_of_neither)
{
	exec_of(0);
	cr_expect_eq(lost_of(3, (uint64_t[]){ 0x3100, 0x9000, 0x3200 }), 2);
}

Test(execs, after_a_second_one_any_may_be)
{
	exec_of(0);
	exec_of(0);
	cr_expect_eq(lost_of(2, (uint64_t[]){ 0x3100, 0x3200 }), 2);
}

Test(execs, at_that_of_the_command_recording_begins)
{
	exec_of(TID);
	cr_assert_not(execs_pending(&x, TID));
}

Test(execs, a_task_that_has_ended)
{
	struct task_record gone = { .header = { .type = PERF_RECORD_EXIT, .size = sizeof(gone) },
				    .pid = TID, .other = TID };

	exec_of(0);
	execs_note(&x, maps, &gone.header);
	cr_assert_not(execs_pending(&x, TID));
}
