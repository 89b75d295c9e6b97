/* SPDX-License-Identifier: GPL-2.0-only */
/* Serves the requests of trawl_uapi.h. */
#ifndef TRAWL_KMOD_REQUEST_H
#define TRAWL_KMOD_REQUEST_H

#include <linux/fs.h>

long request(struct file *file, unsigned int command, unsigned long argument);

#endif
