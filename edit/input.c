/* SPDX-License-Identifier: MIT */
#include "edit/input.h"

#include <sys/stat.h>

int edit_input_open(struct edit_input *in, const char *name, struct trawl_error *err)
{
	*in = (struct edit_input){ .name = name, .copy = { .fd = -1 }, .import = { .fd = -1 } };
	in->path = foreign_copy(&in->copy, name, err);
	if (in->path)
		in->path = foreign_resolve(&in->import, in->path, err);
	if (in->path)
		return 0;
	foreign_call(&in->copy, name, err);
	edit_input_close(in);
	return -1;
}

void edit_input_close(struct edit_input *in)
{
	foreign_close(&in->import);
	foreign_close(&in->copy);
}

int edit_not_same(const struct edit_input *in, const char *out, struct trawl_error *err)
{
	struct stat a, b;

	if (stat(in->path, &a) || stat(out, &b) || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "-w %s: is the input too: name another file", out);
}
