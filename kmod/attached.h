/* SPDX-License-Identifier: GPL-2.0-only */
/* The attachments of a session: what it records of which tasks. */
#ifndef TRAWL_KMOD_ATTACHED_H
#define TRAWL_KMOD_ATTACHED_H

#include "kmod/attachment.h"

/*
 * attachment_find() - the attachment of thread `tid` in this form, of a task that lives before one
 * that exited. NULL if there is none. Called with session->mutex held.
 */
struct attachment *attachment_find(struct session *session, pid_t tid, u32 form);

enum attachments_of { ATTACHMENTS_THREAD, ATTACHMENTS_PROCESS, ATTACHMENTS_ALL };

/*
 * attachments_end() - ends those of the thread, of the process, or all, in this form (0: in every
 * form). Returns how many there were.
 */
u32 attachments_end(struct session *session, pid_t pid, u32 form, enum attachments_of of);

/*
 * attachments_trim() - frees the attachments of tasks that exited, except for the newest
 * TRAWL_DEAD_MAX.
 */
void attachments_trim(struct session *session);

#endif
