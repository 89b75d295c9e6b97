/* SPDX-License-Identifier: GPL-2.0-only */
/* For logic without a kernel in it, which the module and its unit tests compile. */
#ifndef KMOD_PLAIN_H
#define KMOD_PLAIN_H

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
