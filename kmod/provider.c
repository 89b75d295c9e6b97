// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/provider.h"
#include <linux/kernel.h>
#include "kmod/lbr.h"

#define FORM(name) (1u << TRAWL_FORM_##name)

static enum trawl_why step_why(const char **reason)
{
	return TRAWL_WHY_USABLE;
}

static enum trawl_why bts_why(const char **reason)
{
	return TRAWL_WHY_USE_PERF;
}

/* In the order of enum trawl_provider, which is also the order of preference. */
static const struct provider providers[TRAWL_PROVIDERS] = {
	[TRAWL_PROVIDER_LBR] = { "lbr", FORM(LBR) | FORM(STREAM), lbr_why, lbr_depth,
				 FORM(STREAM) },
	[TRAWL_PROVIDER_STEP] = { "step", FORM(LBR) | FORM(BTS) | FORM(STREAM), step_why },
	[TRAWL_PROVIDER_BTS] = { "bts", 0, bts_why },
};

static const char *const reasons[] = {
	[TRAWL_WHY_USABLE] = "",
	[TRAWL_WHY_NO_HARDWARE] = "this processor has no branch records, or the hypervisor hides "
				  "them; use step",
	[TRAWL_WHY_UNKNOWN_FORMAT] = "the format of this processor's branch records is not known; "
				     "use step",
	[TRAWL_WHY_NO_PERF] = "perf has no driver for this processor's counters; use step",
	[TRAWL_WHY_BUSY] = "perf gave the branch records to somebody else; end that, or use step",
	[TRAWL_WHY_USE_PERF] = "a module can't own the debug store safely; trawl -i "
			       "branch:perf-bts needs no module, or use step",
	[TRAWL_WHY_FORM] = "this provider doesn't serve that form; use step",
	[TRAWL_WHY_SELF_TEST] = "the branch record registers answer but record nothing; use step",
};

const struct provider *provider_find(u32 id)
{
	return id && id < TRAWL_PROVIDERS ? &providers[id] : NULL;
}

enum trawl_why provider_why(u32 id, u32 form, const char **reason)
{
	const struct provider *p = &providers[id];
	const char *own = NULL;
	enum trawl_why why = p->why(&own);

	if (!why && form && !(p->forms & 1u << form))
		why = TRAWL_WHY_FORM;
	if (reason)
		*reason = own ?: reasons[why];
	return why;
}

u32 provider_choose(u32 wanted, u32 form, u32 why[TRAWL_PROVIDERS])
{
	u32 id, best = 0;

	why[TRAWL_PROVIDER_AUTO] = 0;
	for (id = TRAWL_PROVIDERS - 1; id; id--) {
		why[id] = provider_why(id, form, NULL);
		if (!why[id] &&
		    (wanted == id ||
		     (wanted == TRAWL_PROVIDER_AUTO && !(providers[id].in_part & 1u << form))))
			best = id;
	}
	return best;
}
