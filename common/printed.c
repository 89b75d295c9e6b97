/* SPDX-License-Identifier: MIT */
#include "common/printed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "format/trawl.h"

int printed_all(struct trawl_error *err)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return trawl_fail(err, TRAWL_CANNOT,
			  "standard output: cannot be written: %s; is the disk full?",
			  errno ? strerror(errno) : "an earlier write failed");
}
