/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "kin.h"

bool kin_init(struct kin *k, uint32_t max)
{
	*k = (struct kin){ .until = calloc(max, sizeof(*k->until)), .max = max };
	return k->until != NULL;
}

void kin_free(struct kin *k)
{
	free(k->until);
	*k = (struct kin){ 0 };
}

void kin_add(struct kin *k, pid_t tid)
{
	if (tid > 0 && (uint32_t)tid < k->max)
		k->until[tid] = UINT64_MAX;
}

void kin_end(struct kin *k, pid_t tid, uint64_t time)
{
	if (tid > 0 && (uint32_t)tid < k->max && k->until[tid] > time)
		k->until[tid] = time;
}
