/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TRAWL_KMOD_DEVICE_H
#define TRAWL_KMOD_DEVICE_H

int device_add_trawl(void);
void device_remove_trawl(void);

#endif
