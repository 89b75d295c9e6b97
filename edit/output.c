/* SPDX-License-Identifier: MIT */
#include "edit/output.h"

#include <sys/stat.h>

int edit_output_close(struct outfile *output, int ret, struct trawl_error *err)
{
	bool keep = !ret || err->status == TRAWL_BAD_DATA;
	struct trawl_error late;
	struct stat st;

	if (ret && !fstat(output->fd, &st) && S_ISREG(st.st_mode) && !st.st_size)
		keep = false;
	if (!outfile_close(output, keep, &late))
		return ret;
	*err = late;
	return -1;
}
