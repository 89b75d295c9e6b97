/* SPDX-License-Identifier: MIT */
/* A tape of what the user named: apart from tape.c, whose JSON is json-c's and not
 * common/json.h's. */
#include <time.h>

#include "common/sandbox.h"
#include "decode/base/cli.h"
#include "decode/import/foreign.h"
#include "replay/tape.h"

/* What is opened, before anything is looked at. */
static int enter(struct tape *t, const char *file, struct trawl_error *err)
{
	tzset(); /* localtime_r() would open a file */
	return store_open(&t->store, err) || sandbox_enter(cli_program, file, err) ? -1 : 0;
}

int tape_open(struct tape *t, struct foreign *f, const char *file, const char *device, bool caged,
	      struct trawl_error *err)
{
	*t = (struct tape)TAPE_NOTHING;
	if (!foreign_open(f, file, true, err) && (!caged || !enter(t, file, err)) &&
	    !foreign_resolve(f, err) && !tape_read_chosen(t, f->path, file, device, err))
		return 0;
	foreign_call(f, err);
	return -1;
}
