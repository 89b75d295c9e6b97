/* SPDX-License-Identifier: MIT */
/* The queue between a back end's thread and the session. */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "capture/branch/queue.h"

Test(queue, no_descriptor_is_no_lack_of_memory)
{
	struct rlimit limit, none;
	struct branch_queue q;
	struct trawl_error err = { 0 };
	int r;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	r = branch_queue_open(&q, "branch:ptrace", &err);
	setrlimit(RLIMIT_NOFILE, &limit); /* the test's own reports need descriptors */
	cr_expect_eq(r, -1);
	cr_expect_str_eq(err.text, "branch:ptrace: eventfd: Too many open files");
	branch_queue_free(&q);
}

static bool is_readable(const struct branch_queue *q)
{
	struct pollfd fd = { .fd = q->fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

Test(queue, is_readable_at_an_eighth)
{
	struct branch_event e = { .kind = BRANCH_EVENT_MARK, .count = 7 }, *taken;
	struct branch_queue q;
	struct trawl_error err;

	cr_assert_eq(branch_queue_open(&q, "branch:ptrace", &err), 0, "%s", err.text);
	for (int i = 0; i < BRANCH_QUEUE_WAKE; i++) {
		cr_assert_not(is_readable(&q));
		branch_queue_put(&q, &e);
	}
	cr_expect(is_readable(&q));
	cr_assert_eq(branch_queue_take(&q, &taken), BRANCH_QUEUE_WAKE);
	cr_expect_eq(taken[BRANCH_QUEUE_WAKE - 1].count, 7);
	cr_expect_not(is_readable(&q));
	branch_queue_handled(&q);
	cr_expect_eq(branch_queue_take(&q, &taken), 0);
	branch_queue_free(&q);
}

Test(queue, a_closed_one_does_not_wait)
{
	struct branch_event e = { .kind = BRANCH_EVENT_MAPS }, *taken;
	struct branch_queue q;
	struct trawl_error err;

	cr_assert_eq(branch_queue_open(&q, "branch:ptrace", &err), 0, "%s", err.text);
	branch_queue_close(&q);
	e.maps = strdup("maps that branch_queue_free() frees");
	branch_queue_put_wait(&q, &e);
	cr_expect(is_readable(&q));
	branch_queue_free(&q);
	cr_assert_eq(branch_queue_open(&q, "branch:ptrace", &err), 0, "%s", err.text);
	branch_queue_close(&q);
	e = (struct branch_event){ .kind = BRANCH_EVENT_MARK };
	for (int i = 0; i < BRANCH_QUEUE_MAX; i++)
		branch_queue_put(&q, &e);
	e = (struct branch_event){ .kind = BRANCH_EVENT_MAPS, .maps = strdup("of a full queue") };
	branch_queue_put(&q, &e);
	cr_expect_eq(branch_queue_take(&q, &taken), BRANCH_QUEUE_MAX);
	branch_queue_free(&q);
}
