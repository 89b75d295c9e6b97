/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * The interface of libiht's kernel module as its document describes it: its names, numbers and
 * layout, so that a program written to that document compiles and runs unchanged. The path at which
 * it opens libiht's module is a link to /dev/trawl, unless that module is loaded, too.
 *
 *	struct xioctl_request request;
 *	int fd = open("/proc/" LIBIHT_PROC_NAME, O_RDWR);
 *	request.cmd = LIBIHT_IOCTL_ENABLE_LBR; ...
 *	ioctl(fd, LIBIHT_LKM_IOCTL_BASE, &request);
 *
 * The request number may be LIBIHT_LKM_IOCTL_BASE or the document's placeholder LIBIHT_IOCTL_BASE.
 * In a 32-bit program offsets and sizes of pointers differ; the module accepts that layout, too.
 *
 *	pid		A thread; at ENABLE the id of a process means all of its threads. 0: the caller.
 *	lbr_select	At ENABLE 0 means the default, LBR_SELECT; CONFIG uses the value as it is. A bit
 *			above bit 8 gives EINVAL.
 *	bts_config	0 means DEFAULT_BTS_CONFIG. Bits other than the five below give EINVAL.
 *	bts_buffer_size	Bytes: a multiple of 24 up to 64 MiB, otherwise EINVAL. 0 means
 *			DEFAULT_BTS_BUFFER_SIZE.
 *	buffer		ENABLE and CONFIG use only its bts_interrupt_threshold, and only with BTINT: a number
 *			of bytes, or an address after bts_buffer_base. Any other value means the default.
 *	DUMP_LBR	Fills in lbr_tos and, unless entries is NULL, LIBIHT_LBR_ENTRIES entries: the newest is
 *			at index lbr_tos, older ones at the indexes before it, modulo LIBIHT_LBR_ENTRIES.
 *			Entries never used are zero.
 *	DUMP_BTS	Fills in bts_index (where the next record would go), bts_interrupt_threshold and, unless
 *			bts_buffer_base is NULL, bts_buffer_size bytes. With BTINT the buffer is empty
 *			afterwards.
 *	DISABLE		Ends that thread or process, and discards its records; its children go on.
 *
 * Errors in errno: EFAULT; EINVAL; ESRCH no such task; EPERM; EEXIST already enabled; ENOENT not
 * enabled; ENOMEM. Branches of LBR come from the processor's LBR where perf can have it, otherwise
 * from single steps; those of BTS always come from single steps.
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

#define LIBIHT_PROC_NAME	"libiht-info"
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
