/* SPDX-License-Identifier: MIT */
#include "config.h"

#ifdef HAVE_SECCOMP
#include <sched.h>
#include <sys/mman.h>

#include "common/callrules.h"

int call_rules(scmp_filter_ctx f, uint32_t action, const int *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (calls[i] >= 0 && seccomp_rule_add(f, action, calls[i], 0) < 0)
			return -1;
	return 0;
}

int call_rule_values(scmp_filter_ctx f, int call, unsigned int arg, uint32_t mask,
		     const int *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (seccomp_rule_add(f, SCMP_ACT_ALLOW, call, 1,
				     SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, mask,
					      (uint32_t)values[i])) < 0)
			return -1;
	return 0;
}

int call_rule_threads(scmp_filter_ctx f)
{
	const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;

	return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				SCMP_A0(SCMP_CMP_MASKED_EQ, thread, thread)) < 0 ? -1 : 0;
}

int call_rule_memory(scmp_filter_ctx f)
{
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) < 0 ||
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) < 0 ? -1 : 0;
}
#endif
