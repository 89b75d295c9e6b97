/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_CAPTURE_SYS_LOCKDOWN_H
#define TRAWL_CAPTURE_SYS_LOCKDOWN_H

#include <stdbool.h>

/*
 * Returns why the kernel refuses tracing, and the remedy: a constant text if the kernel is locked
 * down to confidentiality, else `otherwise`. perf records user code even under lockdown. Leaves
 * errno alone: callers print it in the same line.
 */
const char *lockdown_or(const char *otherwise);

/* Whether the kernel loads only modules that are signed by a key that it trusts: secure boot. */
bool lockdown_signed_modules(void);

#endif
