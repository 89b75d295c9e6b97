/* SPDX-License-Identifier: MIT */
#include "common/dupopt.h"

int dupopt_given(struct dupopt *o, int option, const struct option *longs, struct trawl_error *err)
{
	const char letter[] = { '-', (char)option, '\0' };

	if (!o->seen[option]) {
		o->seen[option] = true;
		return 0;
	}
	if (option < 256)
		return trawl_fail(err, TRAWL_USAGE, "%s: given twice; leave one out", letter);
	while (longs->val != option)
		longs++;
	return trawl_fail(err, TRAWL_USAGE, "--%s: given twice; leave one out", longs->name);
}
