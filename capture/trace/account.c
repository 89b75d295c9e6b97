/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "capture/trace/account.h"
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

int trace_lose(struct trace *t, struct trace_cpu *c, uint64_t from, uint64_t to, uint64_t count,
	       uint32_t reason, struct trawl_error *err)
{
	struct trawl_loss loss = {
		.source = (uint16_t)t->source,
		.cpu = c ? c->cpu : UINT32_MAX,
		.from = from,
		.to = to,
		.count = count,
		/* The kernel's count of lost events includes companions, so it is not exact. */
		.reason = reason == TRAWL_LOSS_OVERRUN && t->ncompanions ?
			  TRAWL_LOSS_OVERRUN_MOST : reason,
	};

	if (count != UINT64_MAX)
		t->lost += count;
	if (c)
		c->lost += count;
	return session_loss(t->in->session, &loss, err);
}
