/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/kallsyms.h"
#include "tests/capture/lackmemory.h"

static const struct trawl_field field = {
	"ip", "unsigned long", "", TRAWL_ADDR, TRAWL_FIXED, 0, 0, 8, 1};

/* The kernel's own symbols; none where it hides them (kptr_restrict). */
static uint64_t symbol(size_t nth, char *name, size_t size)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024];
	uint64_t addr = 0;

	cr_assert_not_null(f);
	while (fgets(line, sizeof(line), f)) {
		addr = strtoull(line, NULL, 16);
		if (addr >= 0xffff000000000000 && !nth--)
			break;
		addr = 0;
	}
	fclose(f);
	if (addr)
		snprintf(name, size, "%s", line);
	return addr;
}

static void saw(struct kallsyms *k, uint64_t addr)
{
	kallsyms_saw(k, &field, 1, &addr, sizeof(addr));
}

static size_t lines(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

static char *text_of(const struct kallsyms *k)
{
	struct trawl_error err;
	size_t len;
	char *text;

	cr_assert_eq(kallsyms_text(k, &text, &len, &err), 0);
	cr_assert_not_null(text);
	cr_assert_eq(strlen(text), len);
	return text;
}

/* Events of the allocator have more pointers to data than the set has places. */
Test(kallsyms, pointers_to_data_displace_no_symbol)
{
	struct kallsyms k = {0};
	char line[1024], *text, digits[17];
	uint64_t addr = symbol(5000, line, sizeof(line));

	if (!addr)
		cr_skip_test("the kernel hides its symbols");
	for (uint64_t i = 0; i < 50000; i++)
		saw(&k, 0xffff888000000000 + i * 64);
	saw(&k, addr);
	text = text_of(&k);
	snprintf(digits, sizeof(digits), "%016llx", (unsigned long long)addr);
	cr_expect_not_null(strstr(text, digits));
	cr_expect_leq(lines(text), 16); /* and what is next to it, and the first one */
	free(text);
	kallsyms_free(&k);
}

/* A symbol that is left out would give its addresses to the symbol before it. */
Test(kallsyms, all_symbols_if_there_are_many)
{
	struct kallsyms few = {0}, many = {0};
	char line[1024], *text, *whole;
	uint64_t addr = symbol(0, line, sizeof(line));

	if (!addr)
		cr_skip_test("the kernel hides its symbols");
	for (uint64_t i = 0; i < 1000; i++)
		saw(&few, addr + i * 64);
	for (uint64_t i = 0; i < 50000; i++)
		saw(&many, addr + i * 64);
	text = text_of(&few);
	whole = text_of(&many);
	cr_expect_not_null(strstr(whole, line));
	cr_expect_gt(lines(whole), 10 * lines(text));
	cr_expect_gt(lines(whole), 20000);
	free(text);
	free(whole);
	kallsyms_free(&few);
	kallsyms_free(&many);
}

/* Nothing is left out without a word. */
Test(kallsyms, without_memory)
{
	struct kallsyms k = {0};
	struct trawl_error err;
	char line[1024], *text;
	uint64_t addr = symbol(0, line, sizeof(line));
	size_t len;

	if (!addr)
		cr_skip_test("the kernel hides its symbols");
	saw(&k, addr);
	memory_lacks = true;
	cr_expect_eq(kallsyms_text(&k, &text, &len, &err), -1);
	memory_lacks = false;
	cr_expect_null(text);
	cr_expect_not_null(strstr(err.text, "out of memory"));
	kallsyms_free(&k);
}
