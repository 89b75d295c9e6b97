/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/probe/elf.h"

/* The test program itself, in memory, so that a test can damage it. */
static char *image;
static size_t size;

int test_elf_marker(int a);

__attribute__((noinline)) int test_elf_marker(int a)
{
	return a * 3;
}

static void load(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	size = (size_t)st.st_size;
	image = malloc(size);
	cr_assert_eq(read(fd, image, size), (ssize_t)size);
	close(fd);
}

static void unload(void)
{
	free(image);
}

TestSuite(elf, .init = load, .fini = unload);

static struct elf_file *opened(void)
{
	struct trawl_error err = { 0 };
	struct elf_file *f = elf_open_memory(image, size, "self", &err);

	cr_assert(f, "%s", err.text);
	return f;
}

static void refused(const char *why)
{
	struct trawl_error err = { 0 };

	cr_assert_null(elf_open_memory(image, size, "self", &err));
	cr_assert_eq(err.status, TRAWL_USAGE);
	cr_assert(strstr(err.text, why), "%s", err.text);
	cr_assert_eq(strncmp(err.text, "self: ", 6), 0);
}

static Elf64_Ehdr *header(void)
{
	return (Elf64_Ehdr *)image;
}

Test(elf, our_own_functions_are_found)
{
	struct elf_file *f = opened();
	bool ambiguous;
	const struct elf_symbol *s = elf_symbol_named(f, "test_elf_marker", 0, &ambiguous);
	uint64_t offset, vaddr;
	char *text;

	cr_assert(s);
	cr_assert(s->function);
	cr_assert_gt(s->size, 0);
	cr_assert(elf_offset(f, s->vaddr, &offset));
	cr_assert(elf_vaddr(f, offset, &vaddr));
	cr_assert_eq(vaddr, s->vaddr);
	text = elf_describe(f, s->vaddr + 2);
	cr_assert_str_eq(text, "test_elf_marker+0x2");
	free(text);
	elf_free(f);
}

Test(elf, code_is_read_as_it_is_in_memory)
{
	struct elf_file *f = opened();
	bool ambiguous;
	const struct elf_symbol *s = elf_symbol_named(f, "test_elf_marker", 0, &ambiguous);
	unsigned char code[8];

	cr_assert_eq(elf_read(f, s->vaddr, code, sizeof(code)), sizeof(code));
	cr_assert_arr_eq(code, (const void *)(uintptr_t)test_elf_marker, sizeof(code));
	cr_assert_eq(elf_read(f, UINT64_MAX - 4, code, sizeof(code)), 0);
	elf_free(f);
}

Test(elf, the_build_id_is_that_of_the_linker)
{
	struct elf_file *f = opened();

	cr_assert_eq(strlen(f->build_id), 40, "'%s'", f->build_id);
	cr_assert_eq(strspn(f->build_id, "0123456789abcdef"), 40);
	elf_free(f);
}

Test(elf, the_build_id_needs_no_section_headers)
{
	struct elf_file *whole = opened(), *bare;

	header()->e_shoff = 0;
	header()->e_shnum = header()->e_shstrndx = 0;
	bare = opened();
	cr_expect_str_eq(bare->build_id, whole->build_id);
	elf_free(bare);
	elf_free(whole);
}

Test(elf, imports_are_known)
{
	struct elf_file *f = opened();

	cr_assert(elf_imports(f, "malloc"));
	cr_assert_not(elf_imports(f, "test_elf_marker"));
	elf_free(f);
}

Test(elf, other_machines_are_refused_with_a_reason)
{
	header()->e_machine = EM_AARCH64;
	refused("64-bit Arm");
	header()->e_machine = 9999;
	refused("ELF machine 9999");
}

Test(elf, x32_is_refused)
{
	header()->e_ident[EI_CLASS] = ELFCLASS32;
	refused("x32");
}

Test(elf, objects_and_cores_are_refused)
{
	header()->e_type = ET_REL;
	refused("object file");
	header()->e_type = ET_CORE;
	refused("core dump");
}

Test(elf, what_is_no_elf_is_refused)
{
	memcpy(image, "#!/b", 4);
	refused("not an ELF file");
	size = 0;
	refused("not an ELF file");
}

Test(elf, without_program_headers_nothing_is_loaded)
{
	header()->e_phnum = 0;
	refused("no program headers");
}

Test(elf, every_truncation_is_survived)
{
	for (size_t cut = 0; cut < size; cut += size / 97 + 1) {
		char *part = malloc(cut ? cut : 1);
		struct trawl_error err;
		struct elf_file *f;

		memcpy(part, image, cut);
		f = elf_open_memory(part, cut, "cut", &err);
		if (f)
			elf_read_symbols(f);
		elf_free(f);
		free(part);
	}
}
