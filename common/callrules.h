/* SPDX-License-Identifier: MIT */
/* Rules of a seccomp filter. Only for files that are built with libseccomp. */
#ifndef TRAWL_COMMON_CALLRULES_H
#define TRAWL_COMMON_CALLRULES_H

#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Adds a rule for each call; skips calls that this machine does not have. All functions return 0,
 * or -1 if memory runs out.
 */
int call_rules(scmp_filter_ctx f, uint32_t action, const int *calls, size_t n);

/* Allows the call if argument `arg`, masked, is one of the values. */
int call_rule_values(scmp_filter_ctx f, int call, unsigned int arg, uint32_t mask,
		     const int *values, size_t n);

/* Allows starting threads, but not processes. */
int call_rule_threads(scmp_filter_ctx f);

/* Allows mapping memory, but not memory that is both writable and executable. */
int call_rule_memory(scmp_filter_ctx f);

#endif
