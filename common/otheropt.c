/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/nearest.h"
#include "common/otheropt.h"

static bool is_among(const char *options, const char *given, size_t len)
{
	for (size_t n; *options; options += n + (options[n] == ' ')) {
		n = strcspn(options, " ");
		if (n == len && !memcmp(options, given, n))
			return true;
	}
	return false;
}

int otheropt_fail(const char *given, const struct otheropt *table, const struct option *all,
		  struct trawl_error *err)
{
	size_t len = strcspn(given, "=");
	char wanted[64], hint[256];
	struct nearest near = { .wanted = wanted };

	for (; table && table->options; table++)
		if (is_among(table->options, given, len))
			return trawl_fail(err, TRAWL_USAGE, "%.*s: no such option; %s", (int)len,
					  given, table->remedy);
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(len < 63 ? len : 63), given);
	for (; all && all->name && len > 3; all++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", all->name);
		nearest_offer(&near, name);
	}
	nearest_hint(&near, hint, sizeof(hint));
	nearest_free(&near);
	return trawl_fail(err, TRAWL_USAGE, "%.60s: no such option%s", given,
			  *hint ? hint : "; --help lists all");
}
