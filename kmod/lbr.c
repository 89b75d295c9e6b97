// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/lbr.h"

enum trawl_why lbr_why(const char **reason)
{
	return TRAWL_WHY_NO_HARDWARE;
}

u32 lbr_depth(void)
{
	return 0;
}
