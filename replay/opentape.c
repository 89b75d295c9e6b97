/* SPDX-License-Identifier: MIT */
/*
 * Opens a tape from any file that the user names. A file of its own, because tape.c uses json-c,
 * which conflicts with common/json.h.
 */
#include <time.h>

#include "common/sandbox.h"
#include "decode/base/cli.h"
#include "decode/base/output.h"
#include "decode/import/foreign.h"
#include "replay/tape.h"

/* Opens what cannot be opened in the sandbox, and enters it. */
static int enter(struct tape *t, const char *file, unsigned int more, struct trawl_error *err)
{
	tzset(); /* in the sandbox localtime_r() could not open the time zone's file */
	if (tape_prepare(t, err))
		return -1;
	return sandbox_enter_with(cli_program, file, more, err);
}

int tape_open(struct tape *t, struct foreign *f, const struct tape_file *file, int cage,
	      struct trawl_error *err)
{
	struct tape_file capture = *file;
	bool resolved;

	*t = (struct tape)TAPE_NOTHING;
	resolved = !foreign_open(f, file->name, true, err) &&
		   (cage == TAPE_UNCAGED || !enter(t, file->name, (unsigned int)cage, err)) &&
		   !foreign_resolve(f, err);
	capture.path = f->path;
	if (resolved && !tape_read_chosen(t, &capture, err)) {
		if (out_lacked_memory())
			return trawl_fail(err, TRAWL_CANNOT, "%s: %s", file->name,
					  out_lack_reason());
		if (!t->damage.status && !f->usb_whole)
			t->damage = f->verdict;
		return 0;
	}
	/* Without any USB the reason is what the file holds instead. */
	if (resolved && f->verdict.status == TRAWL_CANNOT)
		*err = f->verdict;
	foreign_call(f, err);
	return -1;
}
