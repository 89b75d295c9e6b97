/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "capture/probe/definition.h"

int probe_definition(const struct probe *p, size_t site, const char *group, char *buf, size_t size,
		     struct trawl_error *err)
{
	const struct probe_site *s = &p->sites[site];
	char ref[32] = "";
	int len;

	if (s->ref_ctr)
		snprintf(ref, sizeof(ref), "(0x%" PRIx64 ")", s->ref_ctr);
	len = snprintf(buf, size, "%c:%s/%s /proc/self/fd/%d:0x%" PRIx64 "%s%s%s\n",
		       p->kind == PROBE_URETPROBE ? 'r' : 'p', group, p->event, p->file->fd,
		       s->offset, ref, *s->fetchargs ? " " : "", s->fetchargs);
	if (len < 0 || (size_t)len >= size || len > PROBE_DEFINITION_MAX)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: its definition has %d characters, the kernel takes %d; "
				  "record fewer arguments or give them shorter names",
				  p->display_name, len, PROBE_DEFINITION_MAX);
	return 0;
}
