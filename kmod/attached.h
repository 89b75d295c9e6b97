/* SPDX-License-Identifier: GPL-2.0-only */
/* All that a session records. */
#ifndef KMOD_ATTACHED_H
#define KMOD_ATTACHED_H

#include "kmod/attachment.h"

/* attachment_find() - of thread `tid`, the living one first. NULL: none. Under session->mutex. */
struct attachment *attachment_find(struct session *session, pid_t tid, u32 form);

enum attachments_of { ATTACHMENTS_THREAD, ATTACHMENTS_PROCESS, ATTACHMENTS_ALL };

/* attachments_end() - of these in this form (0: every one); returns how many. */
u32 attachments_end(struct session *session, pid_t pid, u32 form, enum attachments_of of);

/* attachments_trim() - forgets tasks that exited, but for the newest TRAWL_DEAD_MAX. */
void attachments_trim(struct session *session);

#endif
