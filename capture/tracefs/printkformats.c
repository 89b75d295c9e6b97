/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "capture/sys/clock.h"
#include "capture/tracefs/printkformats.h"
#include "capture/tracefs/tracefs.h"

int printkformats_write(struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_error ignored;
	size_t len;
	int top = tracefs_open(err), r;
	struct trawl_meta m = { .name = "kernel/printk_formats", .type = "text/plain",
				.time = clock_ns(CLOCK_MONOTONIC) };
	char *text;

	if (top < 0)
		return -1;
	text = tracefs_read(top, "printk_formats", &len, &ignored);
	close(top);
	if (!text || !len) {
		free(text);
		return 0;
	}
	m.data = text;
	m.len = len;
	r = trawl_writer_meta(w, &m, err);
	free(text);
	return r;
}
