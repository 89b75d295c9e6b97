/* SPDX-License-Identifier: GPL-2.0-only */
/* What both interfaces ask for: to begin, change and end the tracing of a process or a thread. */
#ifndef KMOD_TRACING_H
#define KMOD_TRACING_H

#include <linux/fs.h>
#include "kmod/attachment.h"

struct session;

/* All of them under session->mutex. `pid` is of the session's namespace, 0 the caller. */

/*
 * tracing_enable() - threads that it has and (unless config->alone) gets. On success *tasks is how
 * many there are. Returns -ESRCH, -EPERM, -EEXIST, -ENOMEM, -ENXIO (no ring), -ENOENT
 * (hooks_start()).
 */
int tracing_enable(struct file *file, struct session *session, pid_t pid, bool thread,
		   const struct attachment_config *config, u32 *tasks);

/* tracing_configure() - replaces what differs; -ENOENT: not enabled there. */
int tracing_configure(struct session *session, pid_t pid, bool thread,
		      const struct attachment_config *config);

int tracing_disable(struct session *session, pid_t pid, bool thread, u32 form);

/*
 * tracing_find() - the attachment of a thread, with its newest branches. Returns ERR_PTR(-ENOENT),
 * or of lbr_refresh().
 */
struct attachment *tracing_find(struct session *session, pid_t pid, u32 form);

#endif
