/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the registers of last branch records mean, by processor. No kernel in it: unit tests feed
 * it. Intel's formats are numbered as in IA32_PERF_CAPABILITIES[5:0].
 */
#ifndef KMOD_LBR_FORMAT_H
#define KMOD_LBR_FORMAT_H

#include "kmod/plain.h"
#include "kmod/trawl_uapi.h"

#define LBR_MAX	64

/* What the processor says of itself. */
struct lbr_cpu {
	bool intel, amd;
	__u32 family, model;
	bool pdcm;			/* it has IA32_PERF_CAPABILITIES */
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
	__u32 tos;			/* register numbers; 0: there is none */
	__u32 from, to, info;
	__u32 control, enabled;		/* a register that has this bit while branches are
					 * recorded */
	__u32 stride;			/* between registers of neighbouring entries */
	bool quirk;			/* without TSX, bits 61 and 62 of from are of no meaning */
	__u8 address_bits;
};

struct lbr_raw {
	__u64 tos;
	struct {
		__u64 from, to, info;
	} entry[LBR_MAX];
};

/* lbr_layout_of() - how this processor keeps its branch records, or why it has none that can be
 * read. */
enum trawl_why lbr_layout_of(const struct lbr_cpu *cpu, struct lbr_layout *layout);

/*
 * lbr_decode() - the records, oldest first, into `records` (room for layout->depth). Empty entries
 * and those from or to the kernel are left out; kinds are TRAWL_KIND_UNKNOWN where the registers
 * don't say. Returns how many; -1: one holds what is no address, so the registers are not what the
 * processor says that they are, and none is to be believed.
 */
int lbr_decode(const struct lbr_layout *layout, const struct lbr_raw *raw,
		 struct trawl_record *records);

#endif
