/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/cxx.h"
#include "capture/probe/rustv0.h"
#include "common/array.h"

static const struct { const char *symbol, *name, *hashes;
} names[] = {
	{"_RNvCs1234_4main3add", "main::add", "main[3c1c0]::add"},
	{"_RNvC6_123foo3bar", "123foo::bar", "123foo[0]::bar"},
	{"_RNvMNtC1a1bNtB2_4Cart3add", "<a::b::Cart>::add", NULL},
	{"_RNvXs_C1aNtB4_1SNtB4_1T1f", "<a::S as a::T>::f", NULL},
	{"_RNvYNtC1a1SNtC1a1T1f", "<a::S as a::T>::f", NULL},
	{"_RINvC1a4mosthE", "a::most::<u8>", NULL},
	{"_RINvC1a4mostThjETEThEE", "a::most::<(u8, usize), (), (u8,)>", NULL},
	{"_RINvC1a1fRSeQAhj4_PlOzE", "a::f::<&[str], &mut [u8; 4], *const i32, *mut !>", NULL},
	{"_RINvC1a1fFUKCmEuFK6c_callEiFG0_RL1_hRL0_hEyE",
	 "a::f::<unsafe extern \"C\" fn(u32), extern \"c-call\" fn() -> isize, "
	 "for<'a, 'b> fn(&'a u8, &'b u8) -> u64>", NULL},
	{"_RINvC1a1fDNtC1b1Tp4ItemhEL_E", "a::f::<dyn b::T<Item = u8>>", NULL},
	{"_RINvC1a1fDINtC1b1ThEp1XtNtC1b1UEL_E", "a::f::<dyn b::T<u8, X = u16> + b::U>", NULL},
	{"_RINvC1a1fKj1f_Kan7_Kb1_Kc41_Kca_Kpe_E", NULL, NULL},
	{"_RINvC1a1fKj1f_Kan7_Kb1_Kc41_Kca_KpE", "a::f::<31, -7, true, 'A', '\\n', _>", NULL},
	{"_RINvC1a1fKo123456789abcdef01_E", "a::f::<0x123456789abcdef01>", NULL},
	{"_RNCNvC1a1f0", "a::f::{closure#0}", NULL},
	{"_RNCNvC1a1fs_0", "a::f::{closure#1}", NULL},
	{"_RNSNvC1a1f6vtable", "a::f::{shim:vtable#0}", NULL},
	{"_RNvC1au9bcher_kva", "a::b\303\274cher", NULL},
	{"_RINvC1a1fhEC1c", "a::f::<u8>", NULL},
	{"_RNvC1a1f.llvm.123", "a::f", NULL},
	/* back references: to themselves, forwards, to nothing; other endings */
	{"_RB_", NULL, NULL}, {"_RNvB0_1f", NULL, NULL}, {"_RNvBzzzzzzzzzzzzzzz_1f", NULL, NULL},
	{"_R", NULL, NULL}, {"_RNv", NULL, NULL}, {"_RNvC1a9f", NULL, NULL},
	{"_RNvC1a1fE", NULL, NULL}, {"_R1NvC1a1f", NULL, NULL}, {"_RNvC1a1f!", NULL, NULL},
	{"_RINvC1a1fRL0_hE", NULL, NULL}, {"_RNvC1au1_", NULL, NULL}, {"_RNvC1au2_-", NULL, NULL},
	/* more names than any program has: c++filt does not terminate on the first one */
	{"_RNvMINtC1a1SFGzzzzz_EuENtC1a1S1f", NULL, NULL},
	{"_RNvMINtC1a1SFGzzzzzzzzzz_EuENtC1a1S1f", NULL, NULL},
	{"_RINvC1a1fFGzzzzz_EuE", NULL, NULL},
	{"printf", NULL, NULL}, {"", NULL, NULL}, {"_ZN1a1fEv", NULL, NULL},
};

Test(rustv0, the_name_and_with_hashes)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *name = rust_v0_name(names[i].symbol, false);
		char *hashes = rust_v0_name(names[i].symbol, true);

		cr_expect_eq(!names[i].name, !name, "%s: %s", names[i].symbol,
			     name ? name : "none");
		if (name && names[i].name)
			cr_expect_str_eq(name, names[i].name);
		if (names[i].hashes)
			cr_expect_str_eq(hashes, names[i].hashes);
		cr_expect_eq(!name, !hashes);
		free(name);
		free(hashes);
	}
}

/* "B" and a place after _R: one less, in base 62, where '_' is 0. For places up to 62 * 62. */
static void refer(char *to, size_t place)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = place - 1;

	if (n < 62)
		sprintf(to, "B%c_", digits[n]);
	else
		sprintf(to, "B%c%c_", digits[n / 62], digits[n % 62]);
}

/* A tuple of two references to the preceding tuple, repeated: 40 of them denote 2^40 types. */
static void doubled(char *symbol, int times)
{
	size_t last;

	strcpy(symbol, "_RINvC1a1fTmmE");
	last = strlen("INvC1a1f");
	for (int i = 0; i < times; i++) {
		size_t at = strlen(symbol) - 2;

		strcat(symbol, "T");
		refer(symbol + strlen(symbol), last);
		refer(symbol + strlen(symbol), last);
		strcat(symbol, "E");
		last = at;
	}
	strcat(symbol, "E");
}

Test(rustv0, doubling_has_an_end)
{
	char symbol[1024], *name;

	doubled(symbol, 2);
	name = rust_v0_name(symbol, false);
	cr_expect_str_eq(name, "a::f::<(u32, u32), ((u32, u32), (u32, u32)), (((u32, u32), "
			       "(u32, u32)), ((u32, u32), (u32, u32)))>");
	free(name);
	doubled(symbol, 40);
	cr_expect_null(rust_v0_name(symbol, false));
	strcpy(symbol, "_RINvC1a1f");
	memset(symbol + strlen(symbol), 'R', 1000);
	symbol[1010] = '\0';
	cr_expect_null(rust_v0_name(symbol, false));
}

Test(rustv0, as_one_writes_it)
{
	static const struct { const char *symbol, *wanted;
		bool is;
	} forms[] = {
		{"_RNvMNtC1a1bNtB2_4Cart3add", "<a::b::Cart>::add", true},
		{"_RNvMNtC1a1bNtB2_4Cart3add", "a::b::Cart::add", true},
		{"_RNvMNtC1a1bNtB2_4Cart3add", "a::b::Cart", false},
		{"_RNvMC1aINtB2_4CartmE3add", "a::Cart<u32>::add", true},
		{"_RNvMC1aFEh3add", "fn() -> u8::add", true},
		{"_RINvC1a4mosthE", "a::most", true},
		{"_RINvC1a4mosthE", "a::most::<u8>", true},
		{"_RINvC1a4mosthE", "a[0]::most::<u8>", true},
		{"_RINvC1a4mosthE", "a[1]::most::<u8>", false},
		{"_RNvXs_C1aNtB4_1SNtB4_1T1f", "<a::S as a::T>::f", true},
		{"_RNvXs_C1aNtB4_1SNtB4_1T1f", "a::S::f", false},
		{"_RNvC1a1f.cold", "a::f", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct cxx_name n;

		cr_assert(cxx_demangle(forms[i].symbol, &n), "%s", forms[i].symbol);
		cr_expect_eq(cxx_named(&n, forms[i].wanted, false), forms[i].is, "%s is%s %s",
			     forms[i].symbol, forms[i].is ? "" : " not", forms[i].wanted);
		cxx_free(&n);
	}
}
