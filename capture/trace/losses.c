/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "capture/trace/losses.h"
#include "capture/tracefs/loss.h"
#include "capture/tracefs/tracefs.h"

bool trace_read_stats(struct trace *t, const struct trace_cpu *c, struct loss_stats *s)
{
	struct trawl_error ignored;
	char path[64], *text;
	bool ok;

	snprintf(path, sizeof(path), "per_cpu/cpu%u/stats", c->cpu);
	text = tracefs_read(t->dir, path, NULL, &ignored);
	ok = text && loss_stats_parse(text, s);
	free(text);
	return ok;
}

int trace_lose(struct trace *t, struct trace_cpu *c, struct trawl_loss loss,
	       struct trawl_error *err)
{
	loss.source = (uint16_t)t->source;
	loss.cpu = c ? c->cpu : UINT32_MAX;
	/* The kernel's count of lost events includes companions, so it is not exact. */
	if (loss.reason == TRAWL_LOSS_OVERRUN && t->ncompanions)
		loss.reason = TRAWL_LOSS_OVERRUN_MOST;
	if (loss.count != UINT64_MAX) {
		t->lost += loss.count;
		if (c)
			c->lost += loss.count;
	}
	return session_loss(t->in->session, &loss, err);
}
