/* SPDX-License-Identifier: MIT */
#include "capture/kernel/syscallname.h"
#include "common/array.h"

#include <stddef.h>
#include <string.h>

static const struct {
	long nr;
	const char *name;
} names[] = {
#include "capture/kernel/syscalls.inc" /* made from <asm/unistd.h> when trawl is built */
};

const char *syscallname(long nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].nr == nr)
			return names[i].name;
	return NULL;
}

long syscallname_number(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].nr;
	return -1;
}
