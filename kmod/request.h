/* SPDX-License-Identifier: GPL-2.0-only */
/* Serves the requests of trawl_uapi.h. */
#ifndef KMOD_REQUEST_H
#define KMOD_REQUEST_H

#include <linux/fs.h>

long request(struct file *file, unsigned int command, unsigned long argument);

#endif
