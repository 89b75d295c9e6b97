/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * The interface that libiht's document of its kernel module describes, as /dev/trawl takes it: the
 * document's names, numbers and layout, so that a program written to it compiles and runs
 * unchanged.
 *
 *	struct xioctl_request request;
 *	int fd = open("/dev/trawl", O_RDWR);
 *	request.cmd = LIBIHT_IOCTL_ENABLE_LBR; ...
 *	ioctl(fd, LIBIHT_LKM_IOCTL_BASE, &request);
 *
 * The request number may be LIBIHT_LKM_IOCTL_BASE or the document's placeholder LIBIHT_IOCTL_BASE.
 * A 32-bit program has other offsets and pointers of its size; the module takes these, too.
 *
 *	pid		A thread; ENABLE of a process' id traces all of its threads. 0: the caller.
 *	lbr_select	0 at ENABLE: the default, LBR_SELECT. CONFIG uses it as it is. Bits above 8: EINVAL.
 *	bts_config	0: DEFAULT_BTS_CONFIG. Other bits than the five: EINVAL.
 *	bts_buffer_size	0: DEFAULT_BTS_BUFFER_SIZE. A multiple of 24 up to 64 MiB, or EINVAL.
 *	buffer		Not looked at by ENABLE and CONFIG but for bts_interrupt_threshold, and that with
 *			BTINT only: bytes, or an address after bts_buffer_base; what is neither is the default.
 *	DUMP_LBR	lbr_tos and, unless entries is NULL, LIBIHT_LBR_ENTRIES entries: the newest at index
 *			lbr_tos, older ones before it and around. Entries never used are zero.
 *	DUMP_BTS	bts_index, bts_interrupt_threshold and, unless bts_buffer_base is NULL, bts_buffer_size
 *			bytes (bts_index says where the next record would go); with BTINT, the buffer is empty
 *			afterwards.
 *	DISABLE		That thread or process; its children go on. Its records are gone.
 *
 * Errors of errno: EFAULT, EINVAL, ESRCH no such task, EPERM, EEXIST enabled twice, ENOENT not
 * enabled, ENOMEM. The branches come from the LBR where perf can have it, and from single steps
 * elsewhere; BTS always from single steps.
 */
#ifndef TRAWL_LIBIHT_H
#define TRAWL_LIBIHT_H

#include <linux/ioctl.h>

#ifndef __KERNEL__
typedef unsigned int u32;
typedef unsigned long long u64;
#endif

enum IOCTL {
	LIBIHT_IOCTL_BASE,
	LIBIHT_IOCTL_ENABLE_LBR,
	LIBIHT_IOCTL_DISABLE_LBR,
	LIBIHT_IOCTL_DUMP_LBR,
	LIBIHT_IOCTL_CONFIG_LBR,
	LIBIHT_IOCTL_LBR_END,
	LIBIHT_IOCTL_ENABLE_BTS,
	LIBIHT_IOCTL_DISABLE_BTS,
	LIBIHT_IOCTL_DUMP_BTS,
	LIBIHT_IOCTL_CONFIG_BTS,
	LIBIHT_IOCTL_BTS_END,
};

#define LIBIHT_LKM_IOCTL_MAGIC	'l'
#define LIBIHT_LKM_IOCTL_BASE	_IO(LIBIHT_LKM_IOCTL_MAGIC, 0)
#define LIBIHT_LBR_ENTRIES	32

#ifndef LBR_SELECT
#define LBR_SELECT		(1UL << 0)
#endif
#ifndef __KERNEL__
#define DEBUGCTLMSR_TR		(1UL << 6)
#define DEBUGCTLMSR_BTS		(1UL << 7)
#define DEBUGCTLMSR_BTINT	(1UL << 8)
#define DEBUGCTLMSR_BTS_OFF_OS	(1UL << 9)
#define DEBUGCTLMSR_BTS_OFF_USR	(1UL << 10)
#endif
#define DEFAULT_BTS_CONFIG	(DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS | DEBUGCTLMSR_BTS_OFF_OS)
#define DEFAULT_BTS_BUFFER_SIZE	(0x3000 << 1)

struct lbr_stack_entry {
	u64 from;
	u64 to;
};

struct lbr_config {
	u32 pid;
	u64 lbr_select;
};

struct lbr_data {
	u64 lbr_tos;
	struct lbr_stack_entry *entries;
};

struct lbr_ioctl_request {
	struct lbr_config lbr_config;
	struct lbr_data *buffer;
};

struct bts_record {
	u64 from;
	u64 to;
	u64 misc;
};

struct bts_config {
	u32 pid;
	u64 bts_config;
	u64 bts_buffer_size;
};

struct bts_data {
	struct bts_record *bts_buffer_base;
	struct bts_record *bts_index;
	u64 bts_interrupt_threshold;
};

struct bts_ioctl_request {
	struct bts_config bts_config;
	struct bts_data *buffer;
};

struct xioctl_request {
	enum IOCTL cmd;
	union {
		struct lbr_ioctl_request lbr;
		struct bts_ioctl_request bts;
	} body;
};

#endif
