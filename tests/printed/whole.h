/* SPDX-License-Identifier: MIT */
/* What is found in programs is compared in a build with all libraries. */
#ifndef TRAWL_TESTS_PRINTED_WHOLE_H
#define TRAWL_TESTS_PRINTED_WHOLE_H

#include "config.h"

#include <criterion/criterion.h>

#include "capture/probe/insn.h"

#ifdef HAVE_DW
#include <elfutils/version.h>
#define WHOLE_SAME_LIBDW (_ELFUTILS_PREREQ(0, 188) && !_ELFUTILS_PREREQ(0, 189))
#else
#define WHOLE_SAME_LIBDW false
#endif

static inline void whole_build(void)
{
#if !defined(HAVE_DW) || !defined(HAVE_CXA_DEMANGLE)
	cr_skip_test("built without libdw or without the demangler");
#endif
	if (!insn_known())
		cr_skip_test("built without Zydis");
}

/* What is made of damaged debug information depends on the version of libdw. */
static inline void whole_build_and_same_libdw(void)
{
	whole_build();
	if (!WHOLE_SAME_LIBDW)
		cr_skip_test("the digests are those with libdw 0.188");
}

#endif
