/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/tracefs/loss.h"

static bool stat_line(const char *text, const char *name, uint64_t *value)
{
	char key[32];
	const char *at = text;
	size_t len;

	len = (size_t)snprintf(key, sizeof(key), "%s: ", name);
	/* "overrun" is also the end of "commit overrun": only the start of a line counts. */
	while ((at = strstr(at, key)) && at != text && at[-1] != '\n')
		at += len;
	return at && sscanf(at + len, "%" SCNu64, value) == 1;
}

bool loss_stats_parse(const char *text, struct loss_stats *s)
{
	return stat_line(text, "entries", &s->entries) && stat_line(text, "overrun", &s->overrun) &&
	       stat_line(text, "commit overrun", &s->commit_overrun) &&
	       stat_line(text, "dropped events", &s->dropped) &&
	       stat_line(text, "read events", &s->read);
}

size_t loss_remainder(const struct loss_stats *s, uint64_t flagged, struct trawl_loss out[3])
{
	size_t n = 0;

	if (s->overrun > flagged)
		out[n++] = (struct trawl_loss){ .count = s->overrun - flagged,
						.reason = TRAWL_LOSS_OVERRUN };
	if (s->dropped)
		out[n++] = (struct trawl_loss){ .count = s->dropped,
						.reason = TRAWL_LOSS_DROPPED };
	if (s->commit_overrun)
		out[n++] = (struct trawl_loss){ .count = s->commit_overrun,
						.reason = TRAWL_LOSS_COMMIT };
	return n;
}
