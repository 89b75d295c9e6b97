/* SPDX-License-Identifier: MIT */
/* A tape of what the user named: apart from tape.c, whose JSON is json-c's and not common/json.h's. */
#include "decode/import/foreign.h"
#include "replay/tape.h"

int tape_open(struct tape *t, struct foreign *f, const char *file, const char *device,
	      struct trawl_error *err)
{
	*t = (struct tape)TAPE_NOTHING;
	if (!foreign_open(f, file, true, err) && !foreign_resolve(f, err) &&
	    !tape_read_chosen(t, f->path, file, device, err))
		return 0;
	foreign_call(f, err);
	return -1;
}
