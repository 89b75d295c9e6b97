/* SPDX-License-Identifier: GPL-2.0-only */
/* The requests of trawl_libiht.h. */
#ifndef TRAWL_KMOD_LIBIHT_H
#define TRAWL_KMOD_LIBIHT_H

#include <linux/fs.h>

/* libiht_request() - serves one request; `narrow`: it has the layout of a 32-bit program. */
long libiht_request(struct file *file, unsigned int command, unsigned long argument, bool narrow);

#endif
