/* SPDX-License-Identifier: GPL-2.0-only */
/* The providers of branches: which are usable, and why others are not. */
#ifndef TRAWL_KMOD_PROVIDER_H
#define TRAWL_KMOD_PROVIDER_H

#include "kmod/trawl_uapi.h"

struct provider {
	const char *name;
	u32 forms;				/* 1 << enum trawl_form */
	/* *reason: a sentence, or NULL for the default one */
	enum trawl_why (*why)(const char **reason);
	u32 (*depth)(void);
	/* forms in which it misses branches: used only if it is asked for by name */
	u32 in_part;
};

/* provider_find() - the provider with this number (enum trawl_provider), or NULL. */
const struct provider *provider_find(u32 id);

/* provider_why() - why this provider cannot serve the form (0: any form), or TRAWL_WHY_USABLE. */
enum trawl_why provider_why(u32 id, u32 form, const char **reason);

/*
 * provider_choose() - if `wanted` is TRAWL_PROVIDER_AUTO, the best usable provider; otherwise
 * `wanted` if it is usable. Returns 0 if there is none; why[] then has each provider's reason.
 */
u32 provider_choose(u32 wanted, u32 form, u32 why[TRAWL_PROVIDERS]);

#endif
