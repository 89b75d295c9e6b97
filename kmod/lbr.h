/* SPDX-License-Identifier: GPL-2.0-only */
/* The provider "lbr": perf's counter owns the branch records of the processor, the module reads them. */
#ifndef KMOD_LBR_H
#define KMOD_LBR_H

#include "kmod/trawl_uapi.h"

enum trawl_why lbr_why(const char **reason);

/* lbr_depth() - how many entries; 0: not usable. */
u32 lbr_depth(void);

#endif
