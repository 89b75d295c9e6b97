/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/task/initial.h"
#include "tests/capture/lackmemory.h"

Test(initial, tasks_that_memory_has_no_room_for)
{
	struct initial_tasks whole = {0}, none = {0};

	initial_tasks_take(&whole);
	cr_expect_not_null(initial_tasks_find(&whole, getpid()));
	cr_expect_not(whole.incomplete);
	memory_lacks = true;
	initial_tasks_take(&none);
	memory_lacks = false;
	cr_expect_null(initial_tasks_find(&none, getpid()));
	cr_expect(none.incomplete);
	initial_tasks_free(&whole);
	initial_tasks_free(&none);
}
