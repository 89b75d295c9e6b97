/* SPDX-License-Identifier: MIT */
/* Register tables as in the Intel and AMD manuals, and the branches that they represent. */
#include <criterion/criterion.h>

#include "kmod/lbr_format.h"

#define M (1ull << 63)
#define TX (1ull << 62)
#define AB (1ull << 61)

static const struct lbr_cpu skylake = { .intel = true,
					.family = 6,
					.model = 94,
					.pdcm = true,
					.capabilities = 0x2005,
					.address_bits = 48 };
static const struct lbr_cpu zen4 = {
	.amd = true, .family = 0x19, .amd_v2 = true, .amd_ebx = 16 << 4, .address_bits = 48
};

static struct lbr_layout layout_of(const struct lbr_cpu *cpu)
{
	struct lbr_layout l;

	cr_assert_eq(lbr_layout_of(cpu, &l), TRAWL_WHY_USABLE);
	return l;
}

static struct lbr_layout intel(unsigned int format, bool tsx)
{
	struct lbr_cpu cpu = skylake;

	cpu.capabilities = format;
	cpu.tsx = tsx;
	return layout_of(&cpu);
}

Test(lbr_format, processors)
{
	static const struct { unsigned int model, depth, from;
	} known[] = {
		{ 0x0f, 4, 0x40 },   { 0x1c, 8, 0x40 },	  { 0x57, 8, 0x680 },  { 0x1a, 16, 0x680 },
		{ 0x3c, 16, 0x680 }, { 0x5e, 32, 0x680 }, { 0x9c, 32, 0x680 },
	};
	struct lbr_cpu cpu = skylake;
	struct lbr_layout l;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		cpu.model = known[i].model;
		l = layout_of(&cpu);
		cr_assert_eq(l.depth, known[i].depth);
		cr_assert_eq(l.from, known[i].from);
	}
	cpu.model = 0xff;
	cr_assert_eq(lbr_layout_of(&cpu, &l), TRAWL_WHY_UNKNOWN_FORMAT);
	cpu = skylake;
	cpu.capabilities = 8;
	cr_assert_eq(lbr_layout_of(&cpu, &l), TRAWL_WHY_UNKNOWN_FORMAT);
	cpu.capabilities = 0; /* as hypervisors report that have none */
	cr_assert_eq(lbr_layout_of(&cpu, &l), TRAWL_WHY_UNKNOWN_FORMAT);
	for (unsigned int format = 8; format < 64; format++) {
		cpu.capabilities = format;
		cr_assert_eq(lbr_layout_of(&cpu, &l), TRAWL_WHY_UNKNOWN_FORMAT, "%u", format);
	}
	cpu = skylake;
	cpu.family = 15;
	cr_assert_eq(lbr_layout_of(&cpu, &l), TRAWL_WHY_NO_HARDWARE);
	cpu = skylake;
	cpu.pdcm = false;
	cr_assert_eq(lbr_layout_of(&cpu, &l), TRAWL_WHY_NO_HARDWARE);
	cpu = (struct lbr_cpu){ .address_bits = 48 };
	cr_assert_eq(lbr_layout_of(&cpu, &l), TRAWL_WHY_NO_HARDWARE);
	cpu = zen4;
	cpu.amd_v2 = false;
	cr_assert_eq(lbr_layout_of(&cpu, &l), TRAWL_WHY_NO_HARDWARE);
	cpu = skylake;
	cpu.arch = true;
	cpu.leaf_1c = 0xb;
	l = layout_of(&cpu);
	cr_assert_eq(l.depth, 32);
	cr_assert_eq(l.from, 0x1500);
	cr_assert(!l.tos);
	cpu.leaf_1c = 0;
	cr_assert_eq(lbr_layout_of(&cpu, &l), TRAWL_WHY_NO_HARDWARE);
	/* Bit n: a depth of 8 * (n + 1); Linux sets the largest. */
	for (unsigned int n = 0; n < 8; n++) {
		cpu.leaf_1c = 1u << n;
		cr_assert_eq(layout_of(&cpu).depth, 8 * (n + 1));
		cpu.leaf_1c = (1u << n) | 1;
		cr_assert_eq(layout_of(&cpu).depth, 8 * (n + 1));
	}
}

/* The filter registers by the manuals: LBR_SELECT suppresses, IA32_LBR_CTL enables. */
Test(lbr_format, filters)
{
	static const struct { __u32 select; __u64 suppressed, disabled;
	} kinds[] = {
		{ TRAWL_NO_JCC, 1 << 2, 1 << 16 },	{ TRAWL_NO_REL_CALL, 1 << 3, 1 << 19 },
		{ TRAWL_NO_IND_CALL, 1 << 4, 1 << 20 }, { TRAWL_NO_RET, 1 << 5, 1 << 21 },
		{ TRAWL_NO_IND_JMP, 1 << 6, 1 << 18 },	{ TRAWL_NO_REL_JMP, 1 << 7, 1 << 17 },
		{ TRAWL_NO_FAR, 1 << 8, 1 << 22 },
	};
	/* What perf sets for any branch of user code. */
	const __u64 users = 1, all = 0x7f0000 | 1 << 2;
	struct lbr_cpu cpu = skylake;
	struct lbr_layout old = layout_of(&skylake), amd = layout_of(&zen4), arch;

	cpu.arch = true;
	cpu.leaf_1c = 8;
	arch = layout_of(&cpu);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		cr_assert_eq(lbr_filter(&old, users, kinds[i].select), users | kinds[i].suppressed);
		cr_assert_eq(lbr_filter(&amd, users, kinds[i].select), users | kinds[i].suppressed);
		cr_assert_eq(lbr_filter(&arch, all, kinds[i].select), all & ~kinds[i].disabled);
	}
	/* The rings stay as perf has chosen them. */
	cr_assert_eq(lbr_filter(&old, users, TRAWL_SELECT_MASK),
		     TRAWL_SELECT_MASK & ~TRAWL_NO_USER);
	cr_assert_eq(lbr_filter(&arch, all, TRAWL_SELECT_MASK), 1 << 2);
	cr_assert_eq(lbr_filter(&old, users, 0), users);
}

/* One entry in each format. */
static const struct {
	unsigned int format;
	bool tsx;
	__u64 from, to, info;
	struct trawl_branch want;
} forms[] = {
	{ 1, false, 0x401000, 0x402000, 0, { .from = 0x401000, .to = 0x402000 } },
	{ 2, false, 0x401000, 0x402000, 0, { .from = 0x401000, .to = 0x402000 } },
	{ 3,
	  false,
	  M | 0x7fff12345678,
	  0x402000,
	  0,
	  { .from = 0x7fff12345678, .to = 0x402000, .flags = TRAWL_FLAG_MISPREDICTED } },
	{ 3,
	  false,
	  0x401000,
	  0x402000,
	  0,
	  { .from = 0x401000, .to = 0x402000, .flags = TRAWL_FLAG_PREDICTED } },
	{ 4,
	  true,
	  M | TX | AB | 0x401000,
	  0x402000,
	  0,
	  { .from = 0x401000,
	    .to = 0x402000,
	    .flags = TRAWL_FLAG_MISPREDICTED | TRAWL_FLAG_IN_TX | TRAWL_FLAG_ABORT } },
	{ 4,
	  false,
	  TX | AB | 0x401000,
	  0x402000,
	  0,
	  { .from = 0x401000, .to = 0x402000, .flags = TRAWL_FLAG_PREDICTED } },
	{ 5,
	  true,
	  0x401000,
	  0x402000,
	  TX | 0x1234,
	  { .from = 0x401000,
	    .to = 0x402000,
	    .cycles = 0x1234,
	    .flags = TRAWL_FLAG_PREDICTED | TRAWL_FLAG_IN_TX | TRAWL_FLAG_CYCLES } },
	{ 6,
	  false,
	  M | 0x401000,
	  0x0123000000402000,
	  0,
	  { .from = 0x401000,
	    .to = 0x402000,
	    .cycles = 0x123,
	    .flags = TRAWL_FLAG_MISPREDICTED | TRAWL_FLAG_CYCLES } },
	{ 7,
	  false,
	  0x401000,
	  0x402000,
	  M | TX | 7,
	  { .from = 0x401000,
	    .to = 0x402000,
	    .cycles = 7,
	    .flags = TRAWL_FLAG_MISPREDICTED | TRAWL_FLAG_CYCLES } },
};

static void same(const struct trawl_branch *got, const struct trawl_branch *want)
{
	cr_assert_eq(got->from, want->from, "from %llx, wanted %llx", got->from, want->from);
	cr_assert_eq(got->to, want->to, "to %llx, wanted %llx", got->to, want->to);
	cr_assert_eq(got->flags, want->flags, "flags %x, wanted %x", got->flags, want->flags);
	cr_assert_eq(got->cycles, want->cycles);
	cr_assert_eq(got->kind, want->kind);
}

Test(lbr_format, formats_of_intel)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct lbr_layout l = intel(forms[i].format, forms[i].tsx);
		struct trawl_branch got[LBR_MAX];
		struct lbr_raw raw = { .tos = 5 };

		raw.entry[5].from = forms[i].from;
		raw.entry[5].to = forms[i].to;
		raw.entry[5].info = forms[i].info;
		cr_assert_eq(lbr_decode(&l, &raw, got), 1, "form %zu", i);
		same(got, &forms[i].want);
	}
}

/* A kernel address in each format, with and without its sign extension over the flag bits. */
Test(lbr_format, addresses_of_the_kernel_are_left_out)
{
	static const __u64 kernel = 0xffffffff81000000;

	for (unsigned int format = 1; format < 8; format++) {
		struct lbr_layout l = intel(format, true);
		struct trawl_branch got[LBR_MAX];
		struct lbr_raw raw = { 0 };

		raw.entry[0].from = format == 3 || format == 6 ? kernel & ~M
			: format == 4			       ? kernel & ~(M | TX | AB)
							       : kernel;
		raw.entry[0].to = 0x401000;
		raw.entry[1].from = 0x401000;
		raw.entry[1].to = kernel & (format == 6 ? 0xffffffffffffull : ~0ull);
		cr_assert_eq(lbr_decode(&l, &raw, got), 0, "format %u: from %llx to %llx", format,
			     got[0].from, got[0].to);
	}
}

/*
 * The processor reports one format and its registers have another: an invalid address reveals it,
 * and then no branch is used.
 */
Test(lbr_format, capabilities_that_lie)
{
	static const struct {
		unsigned int said;
		__u64 from, to;
	} lies[] = {
		{ 1, M | 0x401000, 0x402000 },		/* flags in from */
		{ 5, M | TX | 0x401000, 0x402000 },
		{ 7, TX | 0x401000, 0x402000 },
		{ 3, TX | 0x401000, 0x402000 },
		{ 5, 0x401000, 0x0123000000402000 },	/* cycles in `to` */
		{ 3, M | 0x401000, 0x0123000000402000 },
		{ 4, 0x1401000000000000, 0x402000 },	/* undefined bits */
		{ 6, 0x2401000000000000, 0x402000 },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct lbr_layout l = intel(lies[i].said, true);
		struct trawl_branch got[LBR_MAX];
		struct lbr_raw raw = { .tos = 5 };

		raw.entry[4].from = 0x403000;
		raw.entry[4].to = 0x404000;
		raw.entry[5].from = lies[i].from;
		raw.entry[5].to = lies[i].to;
		cr_assert_eq(lbr_decode(&l, &raw, got), -1, "lie %zu", i);
	}
}

Test(lbr_format, a_ring_is_read_from_its_oldest)
{
	struct lbr_layout l = layout_of(&skylake);
	struct trawl_branch got[LBR_MAX];

	for (unsigned int tos = 0; tos < 32; tos++) {
		struct lbr_raw raw = { .tos = tos };

		for (unsigned int age = 0; age < 32; age++) {
			raw.entry[(tos + 32 - age) % 32].from = 0x1000 + age;
			raw.entry[(tos + 32 - age) % 32].to = 0x2000 + age;
		}
		cr_assert_eq(lbr_decode(&l, &raw, got), 32);
		for (unsigned int i = 0; i < 32; i++)
			cr_assert_eq(got[i].from, 0x1000 + 31 - i);
	}
}

Test(lbr_format, a_top_of_stack_that_lies_reads_nothing_outside)
{
	struct lbr_layout l = layout_of(&skylake);
	struct trawl_branch got[LBR_MAX];
	struct lbr_raw raw = { .tos = ~0ull };

	raw.entry[31].from = raw.entry[31].to = 1;
	cr_assert_eq(lbr_decode(&l, &raw, got), 1);
}

Test(lbr_format, architectural)
{
	static const __u8 kinds[] = { TRAWL_KIND_JCC,	   TRAWL_KIND_IND_JMP,	TRAWL_KIND_REL_JMP,
				      TRAWL_KIND_IND_CALL, TRAWL_KIND_REL_CALL, TRAWL_KIND_RET,
				      TRAWL_KIND_FAR };
	struct lbr_cpu cpu = { .intel = true,
			       .family = 6,
			       .model = 0x8f,
			       .arch = true,
			       .leaf_1c = 1,
			       .address_bits = 57 };
	struct lbr_layout l = layout_of(&cpu);
	struct trawl_branch got[LBR_MAX];
	struct lbr_raw raw = { 0 };

	for (unsigned int i = 0; i < 7; i++) {
		raw.entry[i].from = 0x1000 + i;
		raw.entry[i].to = 0x2000;
		raw.entry[i].info =
			(__u64)i << 56 | (i & 1 ? 1ull << 60 | 9 : 9) | (i == 2 ? M : 0);
	}
	cr_assert_eq(lbr_decode(&l, &raw, got), 7);
	for (unsigned int i = 0; i < 7; i++) {
		struct trawl_branch *r = &got[6 - i];

		cr_assert_eq(r->from, 0x1000 + i);
		cr_assert_eq(r->kind, kinds[i]);
		cr_assert_eq(r->cycles, i & 1 ? 9 : 0);
		cr_assert_eq(r->flags & 3, i == 2 ? TRAWL_FLAG_MISPREDICTED : TRAWL_FLAG_PREDICTED);
	}
}

Test(lbr_format, amd)
{
	struct lbr_layout l = layout_of(&zen4);
	struct trawl_branch got[LBR_MAX];
	struct lbr_raw raw = { 0 };

	cr_assert_eq(l.depth, 16);
	cr_assert_eq(l.stride, 2);
	raw.entry[0].from = M | 0x401000;		/* the newest, mispredicted */
	raw.entry[0].to = M | 0x402000;
	raw.entry[1].from = 0x403000;			/* only by speculation, on a wrong path */
	raw.entry[1].to = TX | 0x404000;
	raw.entry[2].from = 0x405000;			/* erratum 1452 */
	raw.entry[2].to = M | AB | 0x406000;
	raw.entry[3].from = 0x407000;			/* not valid */
	raw.entry[3].to = 0x408000;
	raw.entry[4].from = 0xffff81000000;		/* the kernel */
	raw.entry[4].to = M | 0x409000;
	raw.entry[5].from = 0x40a000;			/* by speculation, and on the right path */
	raw.entry[5].to = M | TX | 0x40b000;
	cr_assert_eq(lbr_decode(&l, &raw, got), 2);
	same(&got[1],
	     &(struct trawl_branch){
		     .from = 0x401000, .to = 0x402000, .flags = TRAWL_FLAG_MISPREDICTED });
	same(&got[0], &(struct trawl_branch){ .from = 0x40a000, .to = 0x40b000,
		.flags = TRAWL_FLAG_PREDICTED });
	raw.entry[4].from = 0x3ffffff81000000;		/* with all bits above */
	cr_assert_eq(lbr_decode(&l, &raw, got), 2);
	raw.entry[4].to = M | 0x2ad000000000000;	/* no address */
	cr_assert_eq(lbr_decode(&l, &raw, got), -1);
	raw.entry[4].to = M | 0x1000000409000;
	cr_assert_eq(lbr_decode(&l, &raw, got), -1);
}
