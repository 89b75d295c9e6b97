/* SPDX-License-Identifier: GPL-2.0-only */
/* The last branches of a task when it comes to a place in a file: TRAWL_IOC_PROBE. */
#ifndef KMOD_PROBE_H
#define KMOD_PROBE_H

#include "kmod/trawl_uapi.h"

struct session;

/* Under session->mutex. probe_add() returns -EINVAL, -EBADF, -EEXIST, -ENXIO (no ring), -ENOMEM or
 * the uprobe's. */
int probe_add(struct session *session, const struct trawl_probe *probe);
int probe_remove(struct session *session, u64 cookie);	/* -ENOENT */

/* probes_end() - all of a session that is closed. */
void probes_end(struct session *session);

#endif
