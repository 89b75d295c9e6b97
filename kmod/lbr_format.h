/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The formats of last branch records, by processor: Intel SDM volume 3 (LBR), AMD APM volume 2
 * (LbrExtV2). Intel's formats are numbered as in IA32_PERF_CAPABILITIES[5:0]. Nothing here calls
 * the kernel, so that unit tests compile it, too.
 */
#ifndef TRAWL_KMOD_LBR_FORMAT_H
#define TRAWL_KMOD_LBR_FORMAT_H

#include "kmod/plain.h"
#include "kmod/trawl_uapi.h"

#define LBR_MAX	64

/* What CPUID and registers say of the processor. */
struct lbr_cpu {
	bool intel, amd;
	__u32 family, model;
	bool pdcm;			/* the register IA32_PERF_CAPABILITIES exists */
	__u64 capabilities;
	bool arch;			/* CPUID 7: architectural LBR */
	__u32 leaf_1c;			/* CPUID 0x1c, eax */
	bool amd_v2;			/* CPUID 0x80000022, eax bit 1 */
	__u32 amd_ebx;			/* and ebx */
	bool tsx;			/* HLE or RTM */
	__u8 address_bits;
};

enum lbr_register_set { LBR_INTEL, LBR_ARCH, LBR_AMD };

struct lbr_layout {
	enum lbr_register_set set;
	__u32 format;			/* LBR_INTEL */
	__u32 depth;
	__u32 tos;			/* MSR numbers; 0: there is none */
	__u32 from, to, info;
	__u32 control, enabled;		/* a register that has this bit while branches are
					 * recorded */
	__u32 stride;			/* difference of the MSR numbers of neighbouring entries */
	bool quirk;			/* without TSX, bits 61 and 62 of `from` are meaningless */
	__u8 address_bits;
};

struct lbr_raw {
	__u64 tos;
	struct {
		__u64 from, to, info;
	} entry[LBR_MAX];
};

/*
 * lbr_layout_of() - fills in how this processor keeps its branch records; returns TRAWL_WHY_USABLE,
 * or why it has none that can be read.
 */
enum trawl_why lbr_layout_of(const struct lbr_cpu *cpu, struct lbr_layout *layout);

/*
 * lbr_filter() - the value of the filter register (LBR_SELECT, IA32_LBR_CTL) for which the
 * processor leaves out the kinds of branches in `select`, too. `all`: the value for every kind; the
 * bits for rings are taken from it.
 */
__u64 lbr_filter(const struct lbr_layout *layout, __u64 all, __u32 select);

/*
 * lbr_decode() - decodes the entries into `records` (room for layout->depth), oldest first. Empty
 * entries and branches from or to the kernel are left out; a kind that the registers do not tell is
 * TRAWL_KIND_UNKNOWN. Returns how many records there are, or -1 if an entry holds something that is
 * not an address: then the registers do not have the format that the processor reported, and no
 * entry is trusted.
 */
int lbr_decode(const struct lbr_layout *layout, const struct lbr_raw *raw,
		 struct trawl_branch *records);

#endif
