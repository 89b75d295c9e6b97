/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMOD_DEVICE_H
#define KMOD_DEVICE_H

int device_add_trawl(void);
void device_remove_trawl(void);

#endif
