/* SPDX-License-Identifier: MIT */
/* --self-test branch with a back end that fails: what it reports. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "capture/branch/backend.h"
#include "capture/branch/loop.h"
#include "capture/branch/selftest.h"

static int drains, drain_that_fails;

static int usable(struct trawl_error *err)
{
	(void)err;
	return 0;
}

static void *open_state(const struct branch_scope *scope, struct trawl_error *err)
{
	(void)scope;
	(void)err;
	drains = 0;
	return &drains;
}

static int start(void *state, struct trawl_error *err)
{
	(void)state;
	(void)err;
	return 0;
}

static size_t fds(void *state, struct pollfd *fds, size_t room)
{
	(void)state;
	(void)fds;
	(void)room;
	return 0;
}

/* The first emits the mark of the begin; one of them fails, later ones succeed again. */
static int drain(void *state, struct branch_sink *sink, struct trawl_error *err)
{
	struct branch_event begun = { .kind = BRANCH_EVENT_MARK, .mark = BRANCH_MARK_START };

	(void)state;
	if (++drains == drain_that_fails)
		return trawl_fail(err, TRAWL_CANNOT, "the ring is gone");
	return sink->event(sink, &begun, err);
}

static void halt(void *state)
{
	(void)state;
}

static bool over(void *state)
{
	(void)state;
	return true;
}

static void close_state(void *state)
{
	(void)state;
}

static int stop(void *state, struct trawl_error *err)
{
	(void)state;
	(void)err;
	return 0;
}

static const struct branch_backend fake = {
	.name = "fake", .usable = usable, .open = open_state, BACKEND_FUNCTIONS,
};
/* In place of those of backends.c. */
const struct branch_backend *const branch_backends[] = { &fake, NULL };

static char *tested(int *status)
{
	struct trawl_error err = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	*status = branch_self_test(out, &err);
	fclose(out);
	return text;
}

/* The second drain is the first after the child has begun its loop. */
Test(selftest, a_recording_that_breaks_off_says_why)
{
	int status;
	char *text;

	for (drain_that_fails = 1; drain_that_fails <= 3; drain_that_fails++) {
		text = tested(&status);
		cr_expect_eq(status, TRAWL_BAD_DATA);
		cr_expect(strstr(text, "branch:fake: failed: the ring is gone\n"), "%s", text);
		cr_expect(strstr(text, ": fake=failed; the ring is gone\n"), "%s", text);
		free(text);
	}
}

Test(selftest, a_recording_without_branches_is_wrong)
{
	int status;
	char *text;

	drain_that_fails = 0;
	text = tested(&status);
	cr_expect_eq(status, TRAWL_BAD_DATA);
	cr_expect(strstr(text, "branch:fake: WRONG: 0 of 4995 turns of a loop, 0 of 5 returns"), "%s",
		  text);
	free(text);
}
