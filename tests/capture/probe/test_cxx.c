/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "capture/probe/build.h"
#include "capture/probe/cxx.h"
#include "common/array.h"

static const struct { const char *symbol, *full, *call, *name, *bare;
} names[] = {
	{"_ZN4shop4Cart3addEiPKc", "shop::Cart::add(int, char const*)", NULL, "shop::Cart::add",
	 NULL},
	{"_ZNK4shop4Cart5totalEv", "shop::Cart::total() const", "shop::Cart::total()",
	 "shop::Cart::total", NULL},
	{"_ZN4shop4mostIiEET_S1_S1_", "shop::most<int>(int, int)", NULL, "shop::most<int>",
	 "shop::most"},
	{"_ZN5StackIiE4pushEi", "Stack<int>::push(int)", NULL, "Stack<int>::push", NULL},
	{"_ZN4shop4CartclEii", "shop::Cart::operator()(int, int)", NULL, "shop::Cart::operator()",
	 NULL},
	{"_ZltRK1XS1_", "operator<(X const&, X const&)", NULL, "operator<", NULL},
	{"_ZrsRK1XS1_", "operator>>(X const&, X const&)", NULL, "operator>>", NULL},
	{"_ZN1XptEv", "X::operator->()", NULL, "X::operator->", NULL},
	{"_ZN1XcviEv", "X::operator int()", NULL, "X::operator int", NULL},
	{"_ZN1XD1Ev", "X::~X()", NULL, "X::~X", NULL},
	{"_Z3fooi.isra.0", "foo(int) [clone .isra.0]", "foo(int)", "foo", NULL},
	{"_Z4findPFivE", "find(int (*)())", NULL, "find", NULL},
};

Test(cxx, a_name_and_its_parts)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct cxx_name n;

		cr_assert(cxx_demangle(names[i].symbol, &n), "%s", names[i].symbol);
		cr_expect_str_eq(n.full, names[i].full);
		cr_expect_str_eq(n.call, names[i].call ? names[i].call : names[i].full);
		cr_expect_str_eq(n.name, names[i].name);
		cr_expect_str_eq(n.bare, names[i].bare ? names[i].bare : names[i].name);
		cxx_free(&n);
	}
}

Test(cxx, what_is_no_name_of_cxx)
{
	static const char *const others[] = { "", "main", "_Z", "_Zebra", "_ZN", "Z3fooi" };
	struct cxx_name n;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		cr_expect_not(cxx_demangle(others[i], &n), "%s", others[i]);
}

Test(cxx, blanks_and_tags_do_not_matter)
{
	static const struct { const char *wanted; bool glob, is;
	} forms[] = {
		{"shop::Cart::add", false, true},
		{"shop::Cart::add(int,char const*)", false, true},
		{"shop::Cart::add( int , char const * )", false, true},
		{"shop::Cart::add(int,charconst*)", false, false},
		{"Cart::add", false, false},
		{"shop::Cart::add(int)", false, false},
		{"shop::*", true, true},
		{"shop::*", false, false},
		{"*::add(int, *)", true, true},
		{"*::sub", true, false},
	};
	struct cxx_name n;

	cr_assert(cxx_demangle("_ZN4shop4Cart3addEiPKc", &n));
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		cr_expect_eq(cxx_named(&n, forms[i].wanted, forms[i].glob), forms[i].is, "%s",
			     forms[i].wanted);
	cxx_free(&n);
	cr_assert(cxx_demangle("_Z4nameB5cxx11v", &n));
	cr_expect(cxx_named(&n, "name", false));
	cxx_free(&n);
}

Test(cxx, rust_with_and_without_its_hash)
{
	struct cxx_name n;

	cr_assert(cxx_demangle("_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$"
			       "17h4218d1e42079f6deE", &n));
	cr_expect_str_eq(n.name, "core::ptr::drop_in_place<alloc::string::String>");
	cr_expect(cxx_named(
		&n, "core::ptr::drop_in_place<alloc::string::String>::h4218d1e42079f6de", false));
	cr_expect(cxx_named(&n, "core::ptr::*", true));
	cxx_free(&n);
	cr_assert(cxx_demangle("_ZN1o1f28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", &n));
	cr_expect_str_eq(n.name, "o::f::{{closure}}");
	cxx_free(&n);
	/* No hash: a name of C++. */
	cr_assert(cxx_demangle("_ZN1o1f17h0123456789abcdefEi", &n));
	cr_expect_str_eq(n.name, "o::f::h0123456789abcdef");
	cxx_free(&n);
}

Test(cxx, what_is_behind_a_symbol_stays)
{
	static const struct { const char *symbol, *text;
	} all[] = { { "_ZN4shop4Cart3addEiPKc+0x1c", "shop::Cart::add+0x1c" },
		    { "_ZN4shop4Cart3addEiPKc", "shop::Cart::add" },
		    { "main+0x4", "main+0x4" } };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		char *text = build_readable(strdup(all[i].symbol));

		cr_expect_str_eq(text, all[i].text);
		free(text);
	}
}
