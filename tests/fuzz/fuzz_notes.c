/* SPDX-License-Identifier: MIT */
/* ELF files with stapsdt notes: resolves all their probes and some of their functions. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/resolve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	resolve("usdt:/proc/self/fd/%d:*:* extra=+8(%%di):x64", fd);
	resolve("uprobe:/proc/self/fd/%d:* arg1", fd);
	resolve("uprobe:/proc/self/fd/%d:0x1000", fd);
	close(fd);
	return 0;
}
