/* SPDX-License-Identifier: MIT */
/* Any bytes as the format file of an event: accepted fields must lie in the record. */
#include <stdlib.h>

#include "capture/tracefs/eventformat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct trawl_field *fields, uint32_t n, uint32_t size)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bytes = fields[i].place == TRAWL_FIXED ?
			(uint32_t)fields[i].size * fields[i].count :
			fields[i].place == TRAWL_TAIL ? 0 : 4;

		if (fields[i].offset + bytes > size || !fields[i].size ||
		    fields[i].kind >= TRAWL_KINDS)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eventformat f;
	struct trawl_error err;

	if (eventformat_parse((const char *)data, size, &f, &err))
		return 0;
	check(f.fields, f.nfields, f.size);
	check(f.common, f.ncommon, f.size);
	eventformat_free(&f);
	return 0;
}
