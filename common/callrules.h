/* SPDX-License-Identifier: MIT */
/* Rules of a seccomp filter for lists of system calls; for files that have libseccomp only. */
#ifndef TRAWL_COMMON_CALLRULES_H
#define TRAWL_COMMON_CALLRULES_H

#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* Calls that this machine does not have are left out. 0, or -1: no memory. */
int call_rules(scmp_filter_ctx f, uint32_t action, const int *calls, size_t n);

/* The call is allowed where argument `arg`, masked, is one of the values. 0, or -1: no memory. */
int call_rule_values(scmp_filter_ctx f, int call, unsigned int arg, uint32_t mask,
		     const int *values, size_t n);

/* Threads may be started, processes not. 0, or -1: no memory. */
int call_rule_threads(scmp_filter_ctx f);

/* Memory that is written is never run. 0, or -1: no memory. */
int call_rule_memory(scmp_filter_ctx f);

#endif
