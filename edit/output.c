/* SPDX-License-Identifier: MIT */
#include "edit/output.h"

#include "decode/base/output.h"
#include "edit/edit.h"

int edit_output_close(struct outfile *output, int ret, struct trawl_error *err)
{
	struct trawl_error late;

	if (!ret && out_lacked_memory())
		ret = edit_no_memory(err);
	if (!outfile_end(output, ret ? err->status : TRAWL_OK, &late))
		return ret;
	*err = late;
	return -1;
}
