/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a sub-buffer: the first byte chooses the layout, the rest is the sub-buffer. Every
 * event that is found must lie in it.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ring_layout layout = { .commit_at = 8, .commit_size = 8, .data_at = 16 };
	struct ring_clock before = { .ts = 2 };
	struct ring_event ev;
	struct ring_page page;
	uint8_t *copy;

	if (!size)
		return 0;
	if (data[0] & 1) {
		layout.commit_size = 4;
		layout.data_at = 12;
	}
	/* exactly this size, so that a sanitizer detects reads beyond it */
	copy = malloc(size - 1 ? size - 1 : 1);
	if (!copy)
		abort();
	memcpy(copy, data + 1, size - 1);
	layout.data_size = (uint32_t)(size > layout.data_at ? size - 1 - layout.data_at : 0);
	if (!ring_page_start(&page, &layout, copy, size - 1, &before)) {
		while (ring_page_next(&page, &ev) > 0) {
			if (ev.data < copy || ev.data + ev.len > copy + size - 1)
				abort();
		}
	}
	free(copy);
	return 0;
}
