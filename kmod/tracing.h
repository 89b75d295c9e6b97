/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Begins, changes and ends the tracing of a process or a thread, for the requests of trawl_uapi.h
 * and of trawl_libiht.h.
 */
#ifndef TRAWL_KMOD_TRACING_H
#define TRAWL_KMOD_TRACING_H

#include <linux/fs.h>
#include "kmod/attachment.h"

struct session;

/*
 * All of them are called with session->mutex held. `pid` is an id in the session's namespace; 0 is
 * the caller.
 */

/*
 * tracing_enable() - attaches to all threads of the process, or to one thread, and (unless
 * config->alone) to those that they create. On success *tasks is how many are attached. Returns 0,
 * -ESRCH, -EPERM, -EEXIST, -ENOMEM, -ENXIO (no ring), -ENOENT (hooks_start()).
 */
int tracing_enable(struct file *file, struct session *session, pid_t pid, bool thread,
		   const struct attachment_config *config, u32 *tasks);

/*
 * tracing_configure() - replaces the fields of the configuration that differ. Returns 0, or -ENOENT
 * if this form is not enabled there.
 */
int tracing_configure(struct session *session, pid_t pid, bool thread,
		      const struct attachment_config *config);

int tracing_disable(struct session *session, pid_t pid, bool thread, u32 form);

/*
 * tracing_find() - the attachment of a thread, after its newest branches have been read. Returns
 * ERR_PTR(-ENOENT), or an error of lbr_refresh().
 */
struct attachment *tracing_find(struct session *session, pid_t pid, u32 form);

#endif
