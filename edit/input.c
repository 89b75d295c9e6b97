/* SPDX-License-Identifier: MIT */
#include "edit/input.h"

#include <sys/stat.h>
#include <time.h>

#include "common/sandbox.h"
#include "decode/base/cli.h"

int edit_input_open(struct edit_input *in, const char *name, struct trawl_error *err)
{
	*in = (struct edit_input){ .name = name };
	if (!foreign_open(&in->file, name, true, err))
		return 0;
	edit_input_close(in);
	return -1;
}

int edit_input_ready(struct edit_input *in, bool no_sandbox, struct trawl_error *err)
{
	tzset(); /* in the sandbox localtime_r() could not open the time zone's file */
	if (!no_sandbox && sandbox_enter(cli_program, in->name, err))
		return -1;
	if (foreign_resolve(&in->file, err))
		return -1;
	in->path = in->file.path;
	return 0;
}

void edit_input_call(const struct edit_input *in, struct trawl_error *err)
{
	foreign_call(&in->file, err);
}

void edit_input_close(struct edit_input *in)
{
	foreign_close(&in->file);
}

int edit_not_same(const struct edit_input *in, const char *out, struct trawl_error *err)
{
	struct stat a, b;

	if (fstat(in->file.in, &a) || stat(out, &b) || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "-w %s: is the input too; name another file", out);
}
