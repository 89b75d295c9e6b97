/* SPDX-License-Identifier: MIT */
/*
 * Any file that a process may have mapped: where its functions begin, and whether an address is
 * inside an instruction.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uprobe/boundary.h"
#include "uprobe/function.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * A function begins at or before the addresses that it covers, and an instruction less than 15
 * bytes before an address inside it.
 */
static void ask(int fd, uint64_t where)
{
	uint64_t start = 0, begin = 0;
	bool known = function_at(fd, where, &start);

	if (known && start > where)
		abort();
	if (boundary_inside(fd, where, &begin) &&
	    (!known || begin < start || begin >= where || where - begin >= 15))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	/* At offsets all over the file, and at some beyond its end. */
	for (uint64_t i = 0; i < 64; i++)
		ask(fd, size * i / 64 + i % 7);
	ask(fd, UINT64_MAX);
	ask(fd, INT64_MAX);
	function_of_go(fd);
	close(fd);
	return 0;
}
