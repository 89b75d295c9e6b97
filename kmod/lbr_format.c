// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/lbr_format.h"

enum format {
	FORMAT_32,
	FORMAT_LIP,
	FORMAT_EIP,
	FORMAT_EIP_FLAGS,
	FORMAT_EIP_FLAGS2,
	FORMAT_INFO,
	FORMAT_TIME,
	FORMAT_INFO2
};

#define BIT64(n)	(1ull << (n))

/*
 * Number of entries and first registers of the models of family 6 that precede architectural LBR.
 */
static const struct {
	__u8 model, depth;
	__u16 from, to;
} models[] = {
	{ 0x0f, 4, 0x40, 0x60 },    { 0x16, 4, 0x40, 0x60 },	{ 0x17, 4, 0x40, 0x60 },
	{ 0x1d, 4, 0x40, 0x60 },    { 0x1c, 8, 0x40, 0x60 },	{ 0x26, 8, 0x40, 0x60 },
	{ 0x27, 8, 0x40, 0x60 },    { 0x35, 8, 0x40, 0x60 },	{ 0x36, 8, 0x40, 0x60 },
	{ 0x37, 8, 0x40, 0x60 },    { 0x4a, 8, 0x40, 0x60 },	{ 0x4c, 8, 0x40, 0x60 },
	{ 0x4d, 8, 0x40, 0x60 },    { 0x5a, 8, 0x40, 0x60 },	{ 0x5d, 8, 0x40, 0x60 },
	{ 0x57, 8, 0x680, 0x6c0 },  { 0x85, 8, 0x680, 0x6c0 },	{ 0x1a, 16, 0x680, 0x6c0 },
	{ 0x1e, 16, 0x680, 0x6c0 }, { 0x1f, 16, 0x680, 0x6c0 }, { 0x2e, 16, 0x680, 0x6c0 },
	{ 0x25, 16, 0x680, 0x6c0 }, { 0x2c, 16, 0x680, 0x6c0 }, { 0x2f, 16, 0x680, 0x6c0 },
	{ 0x2a, 16, 0x680, 0x6c0 }, { 0x2d, 16, 0x680, 0x6c0 }, { 0x3a, 16, 0x680, 0x6c0 },
	{ 0x3e, 16, 0x680, 0x6c0 }, { 0x3c, 16, 0x680, 0x6c0 }, { 0x3f, 16, 0x680, 0x6c0 },
	{ 0x45, 16, 0x680, 0x6c0 }, { 0x46, 16, 0x680, 0x6c0 }, { 0x3d, 16, 0x680, 0x6c0 },
	{ 0x47, 16, 0x680, 0x6c0 }, { 0x4f, 16, 0x680, 0x6c0 }, { 0x56, 16, 0x680, 0x6c0 },
	{ 0x5c, 32, 0x680, 0x6c0 }, { 0x5f, 32, 0x680, 0x6c0 }, { 0x7a, 32, 0x680, 0x6c0 },
	{ 0x86, 32, 0x680, 0x6c0 }, { 0x96, 32, 0x680, 0x6c0 }, { 0x9c, 32, 0x680, 0x6c0 },
	{ 0x4e, 32, 0x680, 0x6c0 }, { 0x5e, 32, 0x680, 0x6c0 }, { 0x55, 32, 0x680, 0x6c0 },
	{ 0x8e, 32, 0x680, 0x6c0 }, { 0x9e, 32, 0x680, 0x6c0 }, { 0xa5, 32, 0x680, 0x6c0 },
	{ 0xa6, 32, 0x680, 0x6c0 }, { 0x66, 32, 0x680, 0x6c0 }, { 0x7d, 32, 0x680, 0x6c0 },
	{ 0x7e, 32, 0x680, 0x6c0 }, { 0x6a, 32, 0x680, 0x6c0 }, { 0x6c, 32, 0x680, 0x6c0 },
	{ 0x8c, 32, 0x680, 0x6c0 }, { 0x8d, 32, 0x680, 0x6c0 }, { 0xa7, 32, 0x680, 0x6c0 },
};

static enum trawl_why intel_layout(const struct lbr_cpu *cpu, struct lbr_layout *l)
{
	size_t i;

	l->format = cpu->capabilities & 0x3f;
	if (cpu->family != 6 || !cpu->pdcm)
		return TRAWL_WHY_NO_HARDWARE;
	/*
	 * The format with 32-bit addresses belongs to processors that cannot run this kernel; a
	 * hypervisor that has no LBR may report it.
	 */
	if (l->format == FORMAT_32 || l->format > FORMAT_INFO2)
		return TRAWL_WHY_UNKNOWN_FORMAT;
	for (i = 0; i < sizeof(models) / sizeof(*models); i++) {
		if (models[i].model != cpu->model)
			continue;
		l->depth = models[i].depth;
		l->from = models[i].from;
		l->to = models[i].to;
		l->tos = 0x1c9;
		l->control = 0x1d9;
		l->enabled = 1;
		l->info = l->format == FORMAT_INFO || l->format == FORMAT_INFO2 ? 0xdc0 : 0;
		l->quirk = l->format == FORMAT_EIP_FLAGS2 && !cpu->tsx;
		return TRAWL_WHY_USABLE;
	}
	return TRAWL_WHY_UNKNOWN_FORMAT;
}

/* Bit n of CPUID 0x1c: a depth of 8 * (n + 1) is supported; Linux takes the largest. */
static enum trawl_why arch_layout(const struct lbr_cpu *cpu, struct lbr_layout *l)
{
	__u32 mask = cpu->leaf_1c & 0xff;

	if (!mask)
		return TRAWL_WHY_NO_HARDWARE;
	for (l->depth = 0; mask; mask >>= 1)
		l->depth += 8;
	l->set = LBR_ARCH;
	l->from = 0x1500;
	l->to = 0x1600;
	l->info = 0x1200;
	l->control = 0x14ce;
	l->enabled = 1;
	return TRAWL_WHY_USABLE;
}

static enum trawl_why amd_layout(const struct lbr_cpu *cpu, struct lbr_layout *l)
{
	l->depth = cpu->amd_ebx >> 4 & 0x3f;
	if (!cpu->amd_v2 || !l->depth)
		return TRAWL_WHY_NO_HARDWARE;
	l->set = LBR_AMD;
	l->from = 0xc0010300;
	l->to = 0xc0010301;
	l->control = 0xc000010f;
	l->enabled = 1u << 6;
	l->stride = 2;
	return TRAWL_WHY_USABLE;
}

enum trawl_why lbr_layout_of(const struct lbr_cpu *cpu, struct lbr_layout *l)
{
	memset(l, 0, sizeof(*l));
	l->stride = 1;
	l->address_bits = cpu->address_bits;
	if (cpu->amd)
		return amd_layout(cpu, l);
	if (!cpu->intel)
		return TRAWL_WHY_NO_HARDWARE;
	return cpu->arch ? arch_layout(cpu, l) : intel_layout(cpu, l);
}

#define KINDS	(TRAWL_SELECT_MASK & ~(TRAWL_NO_RING0 | TRAWL_NO_USER))
_Static_assert(!(KINDS & ~0x1fcu), "bits that LBR_SELECT has, too");

__u64 lbr_filter(const struct lbr_layout *l, __u64 all, __u32 select)
{
	/* IA32_LBR_CTL enables: bits 16 to 22, in the order of the manual. */
	static const __u32 arch[] = { TRAWL_NO_JCC, TRAWL_NO_REL_JMP, TRAWL_NO_IND_JMP,
				      TRAWL_NO_REL_CALL, TRAWL_NO_IND_CALL, TRAWL_NO_RET,
				      TRAWL_NO_FAR };
	size_t i;

	/*
	 * LBR_SELECT, also AMD's, suppresses, by the same bits 2 to 8 as TRAWL_NO_*. Its bit 9 is
	 * EN_CALLSTACK: a new TRAWL_NO_* must not be among KINDS.
	 */
	if (l->set != LBR_ARCH)
		return all | (select & KINDS);
	for (i = 0; i < sizeof(arch) / sizeof(*arch); i++)
		if (select & arch[i])
			all &= ~BIT64(16 + i);
	return all;
}

/* Sign-extends the number in the low `bits` bits. */
static __u64 extend(__u64 value, unsigned int bits)
{
	return (__u64)((__s64)(value << (64 - bits)) >> (64 - bits));
}

static __u8 flags_of(bool mispredicted, bool in_tx, bool abort)
{
	return (mispredicted ? TRAWL_FLAG_MISPREDICTED : TRAWL_FLAG_PREDICTED) |
		(in_tx ? TRAWL_FLAG_IN_TX : 0) | (abort ? TRAWL_FLAG_ABORT : 0);
}

static void with_info(struct trawl_branch *r, __u64 info, bool cycles)
{
	r->flags = flags_of(info & BIT64(63), info & BIT64(62), info & BIT64(61));
	if (cycles) {
		r->flags |= TRAWL_FLAG_CYCLES;
		r->cycles = info;
	}
}

static void intel_record(const struct lbr_layout *l, __u64 from, __u64 to, __u64 info,
			 struct trawl_branch *r)
{
	r->from = from;
	r->to = to;
	switch (l->format) {
	case FORMAT_EIP_FLAGS:
		r->flags = flags_of(from & BIT64(63), false, false);
		r->from = extend(from, 63);
		break;
	case FORMAT_EIP_FLAGS2:
		if (l->quirk)
			from &= ~(BIT64(62) | BIT64(61));
		r->flags = flags_of(from & BIT64(63), from & BIT64(62), from & BIT64(61));
		r->from = extend(from, 61);
		break;
	case FORMAT_TIME:
		r->flags = flags_of(from & BIT64(63), false, false) | TRAWL_FLAG_CYCLES;
		r->cycles = to >> 48;
		r->from = extend(from, 63);
		r->to = extend(to, 48);
		break;
	case FORMAT_INFO:
		with_info(r, info, true);
		break;
	case FORMAT_INFO2:
		with_info(r, info & ~(BIT64(62) | BIT64(61)), true);
		break;
	}
}

static void arch_record(__u64 from, __u64 to, __u64 info, struct trawl_branch *r)
{
	static const __u8 kinds[16] = {
		TRAWL_KIND_JCC,	     TRAWL_KIND_IND_JMP, TRAWL_KIND_REL_JMP, TRAWL_KIND_IND_CALL,
		TRAWL_KIND_REL_CALL, TRAWL_KIND_RET,	 TRAWL_KIND_FAR,     TRAWL_KIND_FAR,
		TRAWL_KIND_FAR,	     TRAWL_KIND_FAR,	 TRAWL_KIND_FAR,     TRAWL_KIND_FAR,
		TRAWL_KIND_FAR,	     TRAWL_KIND_FAR,	 TRAWL_KIND_FAR,     TRAWL_KIND_FAR,
	};

	r->from = from;
	r->to = to;
	with_info(r, info, info & BIT64(60));
	r->kind = kinds[info >> 56 & 15];
}

/* AMD's registers have 58 bits of an address; one of the kernel may lack those above its own. */
static __u64 amd_address(const struct lbr_layout *l, __u64 value)
{
	__u64 address = extend(value, 58);

	return address >> l->address_bits ? address : extend(address, l->address_bits);
}

/*
 * Decodes an entry of AMD's LbrExtV2. False if it is empty, invalid (erratum 1452), or of a path
 * that was executed by speculation only: the program did not take that branch.
 */
static bool amd_record(const struct lbr_layout *l, __u64 from, __u64 to, struct trawl_branch *r)
{
	bool valid = to & BIT64(63);

	if (!valid || to & BIT64(61))
		return false;
	r->from = amd_address(l, from);
	r->to = amd_address(l, to);
	r->flags = flags_of(from & BIT64(63), false, false);
	return true;
}

static bool canonical(const struct lbr_layout *l, __u64 address)
{
	return extend(address, l->address_bits) == address;
}

/*
 * Decodes one entry. Returns 1: it is a branch; 0: it is empty, or the kernel's; -1: it is not an
 * address.
 */
static int record_of(const struct lbr_layout *l, const struct lbr_raw *raw, __u32 i,
		     struct trawl_branch *r)
{
	__u64 from = raw->entry[i].from, to = raw->entry[i].to, info = raw->entry[i].info;

	memset(r, 0, sizeof(*r));
	if (l->set == LBR_AMD) {
		if (!amd_record(l, from, to, r))
			return 0;
	} else if (!from && !to) {
		return 0;
	} else if (l->set == LBR_ARCH) {
		arch_record(from, to, info, r);
	} else {
		intel_record(l, from, to, info, r);
	}
	if (!canonical(l, r->from) || !canonical(l, r->to))
		return -1;
	/* Addresses of the kernel have bit 63 set. */
	return !((r->from | r->to) >> 63);
}

int lbr_decode(const struct lbr_layout *l, const struct lbr_raw *raw,
		 struct trawl_branch *records)
{
	int found, n = 0;
	__u32 i;

	for (i = 0; i < l->depth && i < LBR_MAX; i++) {
		/*
		 * With a top-of-stack register the entries are a ring, whose oldest follows the
		 * top; without one entry 0 is the newest.
		 */
		__u32 at = l->tos ? (raw->tos + 1 + i) % l->depth : l->depth - 1 - i;

		found = record_of(l, raw, at, &records[n]);
		if (found < 0)
			return -1;
		n += found;
	}
	return n;
}
