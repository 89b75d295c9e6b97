/* SPDX-License-Identifier: MIT */
/* Messages that are the same but for their echo fields. */
#include <criterion/criterion.h>
#include <string.h>

#include "decode/usb/echofield.h"

/* CSW: signature, tag, residue, status. */
static const uint8_t was[13] = "USBS\x01\x02\x03\x04\0\0\0\0";

Test(echofield, mask_is_written_as_a_whole)
{
	bool mask[ECHO_REACH];

	memset(mask, true, sizeof(mask));
	echo_mask(NULL, false, was, sizeof(was), mask);
	for (size_t i = 0; i < ECHO_REACH; i++)
		cr_expect_eq(mask[i], i >= 4 && i < 8, "%zu", i);
}

Test(echofield, a_tag_may_differ_in_a_complete_message_only)
{
	uint8_t is[13];

	memcpy(is, was, sizeof(is));
	cr_expect(echo_same(NULL, was, is, 13, 13));
	is[4] = 9;
	cr_expect(echo_same(NULL, was, is, 13, 13));
	cr_expect_not(echo_same(NULL, was, is, 12, 13));
	is[12] = 1;
	cr_expect_not(echo_same(NULL, was, is, 13, 13));
}

Test(echofield, bytes_beyond_the_reach_count)
{
	uint8_t a[ECHO_REACH + 1] = { 0 }, b[ECHO_REACH + 1] = { 0 };

	b[ECHO_REACH] = 1;
	cr_expect_not(echo_same(NULL, a, b, sizeof(a), sizeof(a)));
	cr_expect(echo_same(NULL, a, b, ECHO_REACH, sizeof(a)));
}

/* A counter of two bytes: the higher one changes only when the lower one wraps around. */
Test(echofield, a_higher_byte_is_of_the_counter_if_it_carries)
{
	uint8_t bytes[600][4], other[4];
	struct sample messages[600];
	struct echo_fields f = { 0 };
	bool mask[ECHO_REACH];

	for (unsigned int i = 0; i < 600; i++) {
		memcpy(bytes[i], (uint8_t[]){ 7, (uint8_t)i, (uint8_t)(i >> 8), 7 }, 4);
		messages[i] = (struct sample){ .p = bytes[i], .length = 4 };
	}
	cr_assert(echo_learn(&f, messages, 600));
	echo_mask(&f, false, bytes[0], 4, mask);
	for (size_t i = 0; i < 4; i++)
		cr_expect_eq(mask[i], i == 1 || i == 2, "%zu", i);
	memcpy(other, bytes[599], 4);
	other[2] = 9;
	cr_expect(echo_same(&f, bytes[599], other, 4, 4));
	other[3] = 9;
	cr_expect_not(echo_same(&f, bytes[599], other, 4, 4));
	echo_free(&f);
	for (unsigned int i = 0; i < 600; i++)
		bytes[i][2] = (uint8_t)(i > 300); /* it changes while the lower one goes on */
	cr_assert(echo_learn(&f, messages, 600));
	echo_mask(&f, false, bytes[0], 4, mask);
	cr_expect(mask[1] && !mask[2]);
	echo_free(&f);
}
