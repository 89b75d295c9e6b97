/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "capture/branch/last.h"
#include "capture/probe/probe.h"
#include "capture/sys/alloc.h"
#include "common/array.h"

static int add_places(struct branch_last *l, const struct probe *p, unsigned int last,
		      struct trawl_error *err)
{
	if (p->kind == PROBE_URETPROBE)
		return trawl_fail(err, TRAWL_USAGE,
				  "branch:last: %s: the kernel's return probe has no address in "
				  "the program; write SYMBOL%%ret",
				  p->display_name);
	for (size_t i = 0; i < p->nsites; i++) {
		const struct probe_site *s = &p->sites[i];

		xgrow(l->sites, l->n);
		l->sites[l->n++] = (struct branch_site){ .fd = p->file->fd, .offset = s->offset,
							 .ref_ctr = s->ref_ctr, .last = last };
	}
	return 0;
}

int branch_last_add(struct branch_last *l, const struct spec *spec, struct trawl_error *err)
{
	size_t before = l->probes.n;
	struct spec probe;
	int r = spec_parse(spec->probe, &probe, err);

	if (!r)
		r = probe_resolve(&probe, 0, &l->probes, err);
	spec_free(&probe);
	for (size_t i = before; !r && i < l->probes.n; i++)
		r = add_places(l, l->probes.probes[i], spec->last, err);
	return r;
}

void branch_last_free(struct branch_last *l)
{
	probe_list_free(&l->probes);
	free(l->sites);
	*l = (struct branch_last){ 0 };
}
