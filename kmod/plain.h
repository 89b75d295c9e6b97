/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Headers for code that calls nothing of the kernel, so that the module and the unit tests compile
 * it.
 */
#ifndef TRAWL_KMOD_PLAIN_H
#define TRAWL_KMOD_PLAIN_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/string.h>
#else
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#endif

#endif
