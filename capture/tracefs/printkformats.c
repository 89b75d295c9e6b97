/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <unistd.h>

#include "capture/sys/clock.h"
#include "capture/sys/meta.h"
#include "capture/tracefs/printkformats.h"
#include "capture/tracefs/tracefs.h"

int printkformats_write(struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_error ignored;
	size_t len;
	int top = tracefs_open(err), r;
	char *text;

	if (top < 0)
		return -1;
	text = tracefs_read(top, "printk_formats", &len, &ignored);
	close(top);
	r = text && len ? meta_write_text(w, "kernel/printk_formats", mono_now(), text, len, err)
			: 0;
	free(text);
	return r;
}
