/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/probe/dwarf.h"
#include "capture/probe/dwarfargloc.h"
#include "capture/probe/language.h"
#include "common/array.h"

/* The program with all kinds of parameters. */
static struct elf_file *file;
static struct dwarf *dwarf;

static void setup(void)
{
	const char *build = getenv("TRAWL_BUILD"), *why;
	struct trawl_error err = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/samples/params", build ? build : ".");
	file = elf_open(open(path, O_RDONLY), path, path, &err);
	cr_assert(file, "%s", err.text);
	dwarf = dwarf_open(file, &why);
#ifndef HAVE_DW
	cr_skip_test("built without libdw");
#endif
	cr_assert_null(why);
}

static void teardown(void)
{
	dwarf_close(dwarf);
	elf_free(file);
}

TestSuite(dwarf, .init = setup, .fini = teardown);

static struct dwarf_function function(const char *name)
{
	struct dwarf_function fn;
	bool ambiguous;
	const struct elf_symbol *s = elf_symbol_named(file, name, 0, &ambiguous);

	cr_assert(s, "%s", name);
	cr_assert(dwarf_function_at(dwarf, s->vaddr, &fn), "%s", name);
	return fn;
}

/*
 * Expects that parameter `name` is of `ctype` and recorded as "EXPR:TYPE", or not recorded because
 * of `why`.
 */
static void param(const struct dwarf_function *fn, const char *name, const char *ctype,
		  const char *expr, const char *type)
{
	for (size_t i = 0; i < fn->nparams; i++) {
		const struct dwarf_value *v = &fn->params[i];

		if (strcmp(v->name, name))
			continue;
		cr_assert_str_eq(v->ctype, ctype);
		if (!type) {
			cr_assert_eq(v->argloc.form, ARGLOC_NONE, "%s", name);
			cr_assert(strstr(v->argloc.why, expr), "%s: %s", name, v->argloc.why);
			return;
		}
		cr_assert_eq(v->argloc.form, ARGLOC_EXPR, "%s: %s", name, v->argloc.why);
		cr_assert_str_eq(v->argloc.expr, expr);
		cr_assert_str_eq(v->type, type);
		return;
	}
	cr_assert_fail("no parameter %s", name);
}

Test(dwarf, offsets_of_a_damaged_file_may_overflow)
{
#ifdef HAVE_DW
	struct symbolic at = { .base = BASE_REGISTER, .reg = 5, .offset = INT64_MAX };
	struct symbolic frame = { .base = BASE_CFA, .offset = INT64_MAX };
	struct argloc to = { .bits = 64 };

	cr_expect(argloc_in_memory(0, &at, 8, &to));
	cr_expect_str_eq(to.expr, "-9223372036854775801(%di)");
	cr_expect(argloc_in_memory(0, &frame, 0, &to));
	cr_expect_str_eq(to.expr, "-9223372036854775801(%sp)");
#endif
}

Test(dwarf, integers_and_pointers_in_order)
{
	struct dwarf_function fn = function("params_ints");

	cr_assert_eq(fn.nparams, 6);
	param(&fn, "a", "signed char", "%di", "s8");
	param(&fn, "b", "short unsigned int", "%si", "u16");
	param(&fn, "c", "int", "%dx", "s32");
	param(&fn, "d", "long unsigned int", "%cx", "u64");
	param(&fn, "e", "int64_t", "%r8", "s64");
	param(&fn, "f", "_Bool", "%r9", "u8");
	cr_assert_eq(fn.params[5].show, PROBE_SHOW_BOOL);
	cr_assert_str_eq(fn.ret.ctype, "long int");
	cr_assert_str_eq(fn.ret.type, "s64");
	dwarf_function_free(&fn);
}

Test(dwarf, the_seventh_is_on_the_stack)
{
	struct dwarf_function fn = function("params_stack");

	param(&fn, "f", "int", "%r9", "s32");
	param(&fn, "g", "short int", "+8(%sp)", "s16");
	param(&fn, "h", "long int", "+16(%sp)", "s64");
	param(&fn, "i", "char", "+24(%sp)", "s8");
	cr_assert_eq(fn.params[8].show, PROBE_SHOW_CHAR);
	dwarf_function_free(&fn);
}

Test(dwarf, structs_take_the_registers_that_they_need)
{
	struct dwarf_function fn = function("params_structs");

	param(&fn, "a", "int", "%di", "s32");
	param(&fn, "b.a", "int32_t", "%si", "s32");
	param(&fn, "b.b", "int32_t", "%si", "u64");
	cr_expect_str_eq(fn.params[2].own, "s32");
	cr_expect_eq(fn.params[2].argloc.shift, 32);
	param(&fn, "c", "int", "%dx", "s32");
	param(&fn, "d.d", "double", "%xmm0", NULL);
	param(&fn, "d.l", "long int", "%cx", "s64");
	param(&fn, "e", "int", "%r8", "s32");
	param(&fn, "f.l", "long int []", "+8(%sp)", "s64[5]");
	param(&fn, "g", "int", "%r9", "s32");
	param(&fn, "h.x", "float", "%xmm1", NULL);
	param(&fn, "i", "int", "+48(%sp)", "s32");
	dwarf_function_free(&fn);
}

Test(dwarf, a_struct_that_does_not_fit_leaves_its_registers)
{
	struct dwarf_function fn = function("params_spill");

	param(&fn, "e", "long int", "%r8", "s64");
	cr_assert(fn.nparams > 5 && !strcmp(fn.params[5].name, "f"));
	cr_expect_str_eq(fn.params[5].type, ""); /* it has a place, and no value of its own */
	cr_expect_str_eq(fn.params[5].argloc.expr, "+8(%sp)");
	param(&fn, "g", "long int", "%r9", "s64");
	dwarf_function_free(&fn);
}

Test(dwarf, the_address_for_a_large_result_goes_first)
{
	struct dwarf_function fn = function("params_hidden");

	param(&fn, "a", "int", "%si", "s32");
	param(&fn, "b", "text", "%dx", "x64");
	cr_assert_str_eq(fn.ret.ctype, "struct big *");
	cr_assert_str_eq(fn.ret.argloc.expr, "$retval");
	cr_assert_eq(fn.ret.show, PROBE_SHOW_ADDR);
	dwarf_function_free(&fn);
}

Test(dwarf, types_in_the_words_of_c)
{
	struct dwarf_function fn = function("params_types");

	param(&fn, "a", "enum color", "%di", "u32");
	param(&fn, "c", "const struct pair *const *", "%dx", "x64");
	param(&fn, "f", "void () *", "+8(%sp)", "x64");
	dwarf_function_free(&fn);
}

Test(dwarf, floats_are_out_of_reach)
{
	struct dwarf_function fn = function("params_floats");

	param(&fn, "b", "double", "%xmm0", NULL);
	param(&fn, "d", "float", "%xmm1", NULL);
	param(&fn, "e", "unsigned char", "%dx", "u8");
	dwarf_function_free(&fn);
	fn = function("params_double");
	cr_assert_eq(fn.ret.argloc.form, ARGLOC_NONE);
	cr_assert(strstr(fn.ret.argloc.why, "returned in %xmm0"), "%s", fn.ret.argloc.why);
	dwarf_function_free(&fn);
}

Test(dwarf, lines)
{
	bool ambiguous;
	const struct elf_symbol *s = elf_symbol_named(file, "params_ints", 0, &ambiguous);
	unsigned int line;
	char *name;

	cr_assert(dwarf_line_at(dwarf, s->vaddr, &name, &line));
	cr_assert(strstr(name, "params.c"), "%s", name);
	cr_assert_gt(line, 30);
	free(name);
	cr_assert_not(dwarf_line_at(dwarf, 0x10, &name, &line));
}

#ifdef HAVE_DW
/* By numbers, which libdw's header lacks in part. */
Test(dwarf, languages)
{
	cr_expect_str_eq(language_of(0x21)->unwinds, "C++");
	cr_expect_str_eq(language_of(0x2b)->unwinds, "C++", "C++20");
	cr_expect(language_of(0x2b)->constructors);
	cr_expect_eq(language_of(0x2c)->convention, CONVENTION_SYSTEM_V, "C17");
	cr_expect_null(language_of(0x2c)->unwinds);
	cr_expect(language_of(0x2d)->null_references, "Fortran 2018");
	cr_expect_str_eq(language_of(0x2f)->unwinds, "Ada");
	cr_expect_eq(language_of(0x27)->convention, CONVENTION_OWN, "Zig");
	cr_expect_eq(language_of(-1)->convention, CONVENTION_OWN);
	cr_expect_null(language_of(-1)->unwinds);
}
#endif

/* A section whose last string lacks its NUL gets one; otherwise libdw would read beyond it. */
Test(dwarf, texts_that_do_not_end_are_ended)
{
	static const char *const names[] = {".debug_str", ".debug_line", ".debug_info",
					    ".debug_line_str"};
	int checked = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t size = file->size;
		char *image = malloc(size);
		struct trawl_error err = { 0 };
		struct elf_file *bad;
		struct dwarf *d;
		const char *why;
		GElf_Shdr sh;
		Elf_Data *data;

		if (!elf_section(file->elf, names[i], &sh) || !sh.sh_size ||
		    sh.sh_flags & SHF_COMPRESSED) {
			free(image);
			continue;
		}
		cr_assert_eq(pread(file->fd, image, size, 0), (ssize_t)size);
		/* the bytes behind the section contain no NUL */
		memset(image + sh.sh_offset + sh.sh_size - 1, 'x', 2);
		bad = elf_open_memory(image, size, "bad", &err);
		cr_assert(bad, "%s", err.text);
		d = dwarf_open(bad, &why);
		data = elf_getdata(elf_section(bad->elf, names[i], &sh), NULL);
		cr_expect_eq(((char *)data->d_buf)[data->d_size - 1], 'x', "%s", names[i]);
		cr_expect_eq(((char *)data->d_buf)[data->d_size], '\0', "%s", names[i]);
		checked++;
		dwarf_close(d);
		elf_free(bad);
		free(image);
	}
	cr_expect_gt(checked, 1);
}
