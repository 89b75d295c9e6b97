/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a batch of branches: the first two are their number. Every decoded branch has both
 * addresses.
 */
#include <stdlib.h>

#include "common/branch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct branch_batch b;

	if (size < 2)
		return 0;
	if (!branch_batch_decode(&b, data + 2, size - 2, (uint32_t)(data[0] | data[1] << 8), 0)) {
		for (uint32_t i = 0; i < b.count; i++) {
			if (b.ids[i] >= b.npairs)
				abort();
		}
		for (uint32_t i = 0; i < b.nmarks; i++) {
			if (b.marks[i].at > b.count)
				abort();
		}
	}
	branch_batch_free(&b);
	return 0;
}
