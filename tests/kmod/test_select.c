/* SPDX-License-Identifier: MIT */
/* The kinds of branches that the select bits keep. */
#include <criterion/criterion.h>

#include "kmod/select.h"
#include "kmod/trawl_uapi.h"

/* The kinds that each bit excludes, from the table of LBR_SELECT in the Intel manual. */
static const unsigned int left_out[9] = {
	1 << TRAWL_KIND_SYSCALL | 1 << TRAWL_KIND_SYSRET,
	0x3ff & ~(1 << TRAWL_KIND_SYSCALL),
	1 << TRAWL_KIND_JCC,
	1 << TRAWL_KIND_REL_CALL,
	1 << TRAWL_KIND_IND_CALL,
	1 << TRAWL_KIND_RET,
	1 << TRAWL_KIND_IND_JMP,
	1 << TRAWL_KIND_REL_JMP,
	1 << TRAWL_KIND_FAR | 1 << TRAWL_KIND_SYSCALL | 1 << TRAWL_KIND_SYSRET,
};

Test(filter, every_combination_of_the_nine_bits)
{
	unsigned int select, kind, bit;

	for (select = 0; select <= TRAWL_SELECT_MASK; select++) {
		for (kind = 0; kind <= TRAWL_KIND_SYSRET; kind++) {
			bool wanted = true;

			for (bit = 0; bit < 9; bit++)
				if (select & 1u << bit && left_out[bit] & 1u << kind)
					wanted = false;
			cr_assert_eq(select_wants(select, kind), wanted, "select %x, kind %u",
				     select, kind);
		}
	}
	for (kind = 0; kind < 16; kind++)
		cr_assert(!select_wants(SELECT_NOTHING, kind));
}

Test(filter, every_row_of_the_table_of_bts)
{
	unsigned int tr, bts, off_os, off_usr, btint;

	for (tr = 0; tr < 2; tr++)
		for (bts = 0; bts < 2; bts++)
			for (off_os = 0; off_os < 2; off_os++)
				for (off_usr = 0; off_usr < 2; off_usr++)
					for (btint = 0; btint < 2; btint++) {
						__u32 got = select_of_bts(tr << 6 | bts << 7 |
									  btint << 8 | off_os << 9 |
									  off_usr << 10);
						__u32 wanted = !tr || !bts || (off_os && off_usr)
							? SELECT_NOTHING
							: (off_os ? TRAWL_NO_RING0 : 0) |
								(off_usr ? TRAWL_NO_USER : 0);

						cr_assert_eq(got, wanted);
					}
}
