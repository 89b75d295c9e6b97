/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "decode/base/task.h"
#include "tests/decode/capture.h"

static const struct trawl_field newtask_fields[] = {
	FIXED("pid", TRAWL_PID, 8, 4, 1),
	FIXED("comm", TRAWL_TEXT, 12, 1, 16),
	FIXED("clone_flags", TRAWL_HEX, 32, 8, 1),
};
static const struct trawl_event_type newtask = {
	.name = "task:task_newtask", .size = 42, .nfields = 3, .fields = newtask_fields};

static const struct trawl_field rename_fields[] = {
	FIXED("pid", TRAWL_PID, 8, 4, 1),
	FIXED("newcomm", TRAWL_TEXT, 28, 1, 16),
};
static const struct trawl_event_type renamed = {
	.name = "task:task_rename", .size = 46, .nfields = 2, .fields = rename_fields};

static const struct trawl_field exec_fields[] = {
	FIXED("pid", TRAWL_PID, 12, 4, 1),
	FIXED("old_pid", TRAWL_PID, 16, 4, 1),
};
static const struct trawl_event_type exec_type = {
	.name = "sched:sched_process_exec", .size = 20, .nfields = 2, .fields = exec_fields};

static const struct trawl_field switch_fields[] = {
	FIXED("prev_comm", TRAWL_TEXT, 8, 1, 16), FIXED("prev_pid", TRAWL_PID, 24, 4, 1),
	FIXED("next_comm", TRAWL_TEXT, 28, 1, 16), FIXED("next_pid", TRAWL_PID, 44, 4, 1),
};
static const struct trawl_event_type switched = {
	.name = "sched:sched_switch", .size = 48, .nfields = 4, .fields = switch_fields};

static void event(struct tasks *t, const struct trawl_event_type *type, int32_t in, int32_t pid,
		  const char *comm, uint64_t flags)
{
	uint8_t r[64] = {0};
	struct trawl_event ev = {.type = type, .len = type->size, .record = r};

	memcpy(r + (type == &exec_type ? 12 : 8), &pid, 4);
	if (type == &newtask) {
		strcpy((char *)r + 12, comm);
		memcpy(r + 32, &flags, 8);
	} else if (type == &renamed) {
		strcpy((char *)r + 28, comm);
	}
	tasks_event(t, &ev, in);
}

static void is(struct tasks *t, int32_t tid, int32_t pid, const char *comm)
{
	const struct task *task = tasks_find(t, tid, 0);

	cr_expect_str_eq(task->comm, comm, "comm of %d: %s", tid, task->comm);
	cr_expect_eq(task->pid, pid, "pid of %d: %d", tid, task->pid);
	cr_expect_eq(task->comm_len, strlen(comm));
}

Test(task, metadata_applies_in_order_of_time)
{
	static const struct capture_meta m[] = {
		{"task/7", 200, "{\"tid\":7,\"pid\":7,\"comm\":\"later\"}"},
		{"task/7", 100, "{\"tid\":7,\"pid\":7,\"comm\":\"early\"}"},
		{"task/9", 150, "{\"tid\":9,\"pid\":7,\"comm\":\"thread\"}"},
	};
	struct trawl_reader *r = capture_of(m, 3);
	struct tasks *t = tasks_new(r);

	cr_assert_not_null(t);
	tasks_advance(t, 0, 50);
	is(t, 7, 7, "early"); /* nothing older is known */
	tasks_advance(t, 0, 120);
	is(t, 7, 7, "early");
	tasks_advance(t, 0, 250);
	is(t, 7, 7, "later");
	is(t, 9, 7, "thread");
	is(t, 8, -1, "");
	is(t, -1, -1, "");
	tasks_free(t);
	trawl_close(r);
}

/* /proc adds to a kernel worker's name what it does; sched_switch does not. */
Test(task, a_kernel_worker_has_its_own_name)
{
	static const struct capture_meta m[] = {
		{"task/1", 0, "{\"tid\":1,\"pid\":1,\"comm\":\"kworker/0:2-rcu_gp\"}"},
		{"task/2", 0, "{\"tid\":2,\"pid\":2,\"comm\":\"kworker/u8:13+events_unbound\"}"},
		{"task/3", 0, "{\"tid\":3,\"pid\":3,\"comm\":\"kworker/11:1H-kblockd\"}"},
		{"task/4", 0, "{\"tid\":4,\"pid\":4,\"comm\":\"kworker/R-rcu_g\"}"},
		{"task/5", 0, "{\"tid\":5,\"pid\":5,\"comm\":\"kworker/u9:\"}"},
		{"task/6", 0, "{\"tid\":6,\"pid\":6,\"comm\":\"a-worker/0:2-x\"}"},
	};
	struct trawl_reader *r = capture_of(m, 6);
	struct tasks *t = tasks_new(r);

	cr_assert_not_null(t);
	tasks_advance(t, 0, 50);
	is(t, 1, 1, "kworker/0:2");
	is(t, 2, 2, "kworker/u8:13");
	is(t, 3, 3, "kworker/11:1H");
	is(t, 4, 4, "kworker/R-rcu_g");
	is(t, 5, 5, "kworker/u9:");
	is(t, 6, 6, "a-worker/0:2-x");
	tasks_free(t);
	trawl_close(r);
}

/*
 * cat a.trawl b.trawl c.trawl: b is from another boot, in which the same ids belong to other tasks.
 */
Test(task, a_boot_knows_only_its_own)
{
	static const struct capture_meta a[] = {
		{"machine", 1, "{\"boot_id\":\"one\"}"},
		{"task/7", 1000, "{\"tid\":7,\"pid\":7,\"comm\":\"a-late\"}"},
		{"task/8", 10, "{\"tid\":8,\"pid\":8,\"comm\":\"a-only\"}"},
	}, b[] = {
		{"machine", 1, "{\"boot_id\":\"two\"}"},
		{"task/7", 20, "{\"tid\":7,\"pid\":6,\"comm\":\"b-early\"}"},
	}, c[] = {
		{"machine", 1, "{\"boot_id\":\"one\"}"},
		{"task/7", 2000, "{\"tid\":7,\"pid\":7,\"comm\":\"c-latest\"}"},
	}, d[] = {{"task/9", 1, "{\"tid\":9,\"pid\":9,\"comm\":\"d\"}"}};
	int fd = memfd_create("captures", 0);
	struct trawl_reader *r;
	struct tasks *t;

	cr_assert(capture_write(fd, a, 3) && capture_write(fd, b, 2) && capture_write(fd, c, 2) &&
		  capture_write(fd, d, 1));
	r = capture_read(fd);
	t = tasks_new(r);
	cr_assert_not_null(t);
	tasks_advance(t, 0, 500);
	is(t, 7, 7, "a-late");
	is(t, 8, 8, "a-only");
	tasks_advance(t, 1, 3000);
	is(t, 7, 6, "b-early");
	is(t, 8, -1, "");
	event(t, &renamed, 7, 7, "b-renamed", 0);
	tasks_advance(t, 2, 1500);
	is(t, 7, 7, "a-late");
	is(t, 8, 8, "a-only");
	tasks_advance(t, 3, 2500); /* this section has no boot id: the same as the preceding one */
	is(t, 7, 7, "c-latest");
	is(t, 9, 9, "d");
	tasks_free(t);
	trawl_close(r);
}

Test(task, events_follow_threads_names_and_exec)
{
	struct trawl_reader *r = capture_of(NULL, 0);
	struct tasks *t = tasks_new(r);

	cr_assert_not_null(t);
	event(t, &newtask, 1, 50, "app", 0);
	is(t, 50, 50, "app");
	event(t, &newtask, 50, 51, "app", 0x10000);
	is(t, 51, 50, "app");
	event(t, &newtask, 99, 52, "orphan", 0x10000);
	is(t, 52, -1, "orphan"); /* its process is unknown */
	event(t, &renamed, 51, 51, "worker", 0);
	is(t, 51, 50, "worker");
	event(t, &newtask, 50, 51, "new", 0); /* the TID was reused */
	is(t, 51, 51, "new");
	event(t, &exec_type, 52, 52, "", 0);
	is(t, 52, 52, "orphan");
	tasks_free(t);
	trawl_close(r);
}

static void switch_from(struct tasks *t, int32_t prev, const char *prev_comm, int32_t next,
			const char *next_comm)
{
	uint8_t r[48] = {0};
	struct trawl_event ev = {.type = &switched, .len = sizeof(r), .record = r};

	strcpy((char *)r + 8, prev_comm);
	memcpy(r + 24, &prev, 4);
	strcpy((char *)r + 28, next_comm);
	memcpy(r + 44, &next, 4);
	tasks_event(t, &ev, prev);
}

Test(task, a_switch_names_tasks_that_nobody_looked_up)
{
	static const struct capture_meta m[] = {
		{"task/9", 100, "{\"tid\":9,\"pid\":7,\"comm\":\"looked-up\"}"},
	};
	struct trawl_reader *r = capture_of(m, 1);
	struct tasks *t = tasks_new(r);

	cr_assert_not_null(t);
	tasks_advance(t, 0, 200);
	switch_from(t, 0, "swapper/0", 50, "ended");
	is(t, 50, -1, "ended");
	switch_from(t, 50, "ended", 9, "renamed");
	is(t, 50, -1, "ended");
	is(t, 9, 7, "renamed");
	cr_expect_str_eq(tasks_find(t, 0, 3)->comm, "swapper/3");
	switch_from(t, INT32_MIN, "x", -1, "y");
	is(t, -1, -1, "");
	tasks_free(t);
	trawl_close(r);
}

Test(task, many_tasks_and_the_idle_one)
{
	struct trawl_reader *r = capture_of(NULL, 0);
	struct tasks *t = tasks_new(r);
	char name[16];

	cr_assert_not_null(t);
	for (int i = 1; i < 20000; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		event(t, &newtask, 1, i, name, 0);
	}
	is(t, 1, 1, "t1");
	is(t, 19999, 19999, "t19999");
	cr_expect_str_eq(tasks_find(t, 0, 3)->comm, "swapper/3");
	tasks_free(t);
	trawl_close(r);
}

Test(task, damaged_metadata_and_records_do_no_harm)
{
	static const struct capture_meta m[] = {
		{"task/1", 1, "{"},
		{"task/2", 1, "{\"tid\":-5,\"pid\":99999999999,\"comm\":7}"},
		{"task/3", 1,
		 "{\"tid\":3,\"pid\":0,\"comm\":\"a name that is much longer than 15\"}"},
		{"task/4", 1, "[]"},
	};
	struct trawl_reader *r = capture_of(m, 4);
	struct tasks *t = tasks_new(r);
	struct trawl_event ev = {.type = &newtask, .len = 4, .record = "abcd"};

	cr_assert_not_null(t);
	tasks_advance(t, 0, 10);
	is(t, 3, -1, "a name that is ");
	tasks_event(t, &ev, 3); /* shorter than its fields */
	event(t, &newtask, 1, -4, "x", 0);
	tasks_free(t);
	trawl_close(r);
}
