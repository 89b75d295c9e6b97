/* SPDX-License-Identifier: GPL-2.0-only */
/* Who can find branches, and why others can't. */
#ifndef KMOD_PROVIDER_H
#define KMOD_PROVIDER_H

#include "kmod/trawl_uapi.h"

struct provider {
	const char *name;
	u32 forms;				/* 1 << enum trawl_form */
	enum trawl_why (*why)(const char **reason);	/* a sentence, or NULL for the usual one */
	u32 (*depth)(void);
	u32 in_part;				/* of its forms those in which it has not every
						 * branch: by name only */
};

/* provider_find() - by enum trawl_provider; NULL: there is none. */
const struct provider *provider_find(u32 id);

/* provider_why() - why this one can't serve the form (0: any form). */
enum trawl_why provider_why(u32 id, u32 form, const char **reason);

/* provider_choose() - of AUTO the best that can, otherwise that one. 0: none; why[] says for
 * each. */
u32 provider_choose(u32 wanted, u32 form, u32 why[TRAWL_PROVIDERS]);

#endif
