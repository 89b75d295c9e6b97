/* SPDX-License-Identifier: MIT */
/* A tape of what the user named: apart from tape.c, whose JSON is json-c's and not
 * common/json.h's. */
#include <time.h>

#include "common/sandbox.h"
#include "decode/base/cli.h"
#include "decode/import/foreign.h"
#include "replay/tape.h"

/* What is opened, before anything is looked at. */
static int enter(struct tape *t, const char *file, unsigned int more, struct trawl_error *err)
{
	tzset(); /* localtime_r() would open a file */
	if (store_open(&t->store, err))
		return -1;
	return sandbox_enter_with(cli_program, file, more, err);
}

int tape_open(struct tape *t, struct foreign *f, const char *file, const char *device, int cage,
	      struct trawl_error *err)
{
	*t = (struct tape)TAPE_NOTHING;
	if (!foreign_open(f, file, true, err) &&
	    (cage == TAPE_UNCAGED || !enter(t, file, (unsigned int)cage, err)) &&
	    !foreign_resolve(f, err) && !tape_read_chosen(t, f->path, file, device, err))
		return 0;
	foreign_call(f, err);
	return -1;
}
