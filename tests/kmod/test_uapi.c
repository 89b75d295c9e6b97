/* SPDX-License-Identifier: MIT */
/* Guards the interfaces of /dev/trawl against accidental changes. */
#include <criterion/criterion.h>
#include <stddef.h>

#include "kmod/trawl_libiht.h"
#include "kmod/trawl_uapi.h"

#define AT(type, field, offset) cr_assert_eq(offsetof(type, field), offset, #field)

Test(uapi, numbers_and_layout_of_the_document)
{
	cr_assert_eq(LIBIHT_LKM_IOCTL_BASE, 0x6c00);
	cr_assert_eq(LIBIHT_IOCTL_BASE, 0);
	cr_assert_eq(LIBIHT_IOCTL_ENABLE_LBR, 1);
	cr_assert_eq(LIBIHT_IOCTL_DISABLE_LBR, 2);
	cr_assert_eq(LIBIHT_IOCTL_DUMP_LBR, 3);
	cr_assert_eq(LIBIHT_IOCTL_CONFIG_LBR, 4);
	cr_assert_eq(LIBIHT_IOCTL_ENABLE_BTS, 6);
	cr_assert_eq(LIBIHT_IOCTL_DISABLE_BTS, 7);
	cr_assert_eq(LIBIHT_IOCTL_DUMP_BTS, 8);
	cr_assert_eq(LIBIHT_IOCTL_CONFIG_BTS, 9);
	cr_assert_eq(sizeof(struct xioctl_request), 40);
	AT(struct xioctl_request, body.lbr.lbr_config.pid, 8);
	AT(struct xioctl_request, body.lbr.lbr_config.lbr_select, 16);
	AT(struct xioctl_request, body.lbr.buffer, 24);
	AT(struct xioctl_request, body.bts.bts_config.pid, 8);
	AT(struct xioctl_request, body.bts.bts_config.bts_config, 16);
	AT(struct xioctl_request, body.bts.bts_config.bts_buffer_size, 24);
	AT(struct xioctl_request, body.bts.buffer, 32);
	AT(struct lbr_data, entries, 8);
	AT(struct bts_data, bts_index, 8);
	AT(struct bts_data, bts_interrupt_threshold, 16);
	cr_assert_eq(sizeof(struct bts_record), TRAWL_BTS_RECORD);
	cr_assert_eq(DEFAULT_BTS_CONFIG, TRAWL_BTS_DEFAULT);
	cr_assert_eq(DEFAULT_BTS_BUFFER_SIZE, TRAWL_BTS_SIZE_DEFAULT);
}

Test(uapi, layout_of_ours)
{
	cr_assert_eq(sizeof(struct trawl_provider_info), 176);
	cr_assert_eq(sizeof(struct trawl_enable), 80);
	AT(struct trawl_enable, select, 24);
	AT(struct trawl_enable, tasks, 56);
	cr_assert_eq(sizeof(struct trawl_disable), 16);
	cr_assert_eq(sizeof(struct trawl_dump), 48);
	AT(struct trawl_dump, records, 16);
	AT(struct trawl_dump, lost, 32);
	cr_assert_eq(sizeof(struct trawl_ring_setup), 32);
	AT(struct trawl_ring, waiting, 24);
	AT(struct trawl_ring, tail, 64);
	cr_assert_eq(sizeof(struct trawl_branch), 32);
	AT(struct trawl_branch, tid, 24);
	AT(struct trawl_branch, cycles, 30);
	cr_assert_eq(sizeof(struct trawl_probe), 40);
	cr_assert_eq(TRAWL_IOC_ENABLE, 0xc050d701);
	cr_assert_eq(TRAWL_BTS_SIZE_MAX % TRAWL_BTS_RECORD, 0);
}
