/* SPDX-License-Identifier: MIT */
/* The code of a program whose file changes while it is read. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/codefile.h"

#define ID "0123456789abcdef0123456789abcdef01234567"
#define CODE 0x1000 /* where the code is in the file, a page of its own */

static char path[] = "/tmp/trawl-test-codefile-XXXXXX";
static int fd;

struct head {
	Elf64_Ehdr e;
	Elf64_Phdr h;
	Elf64_Nhdr n;
	char name[4];
	uint8_t id[20];
};

static void set_up(void)
{
	struct head p = {
		.e = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
		      .e_phoff = offsetof(struct head, h), .e_phnum = 1},
		.h = {.p_type = PT_NOTE, .p_offset = offsetof(struct head, n), .p_filesz = 36},
		.n = {.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID},
		.name = "GNU",
	};

	for (unsigned int i = 0; i < 20; i++)
		p.id[i] = (uint8_t)strtoul((char[]){ID[2 * i], ID[2 * i + 1], '\0'}, NULL, 16);
	fd = mkstemp(path);
	cr_assert_eq(pwrite(fd, &p, sizeof(p), 0), sizeof(p));
	cr_assert_eq(pwrite(fd, "code", 4, CODE), 4);
}

static void tear_down(void)
{
	close(fd);
	unlink(path);
}

TestSuite(codefile, .init = set_up, .fini = tear_down);

Test(codefile, what_was_checked_is_what_is_read)
{
	struct code_file c = code_file_open(path, ID);

	cr_assert(c.p, "%s", c.why);
	cr_assert_eq(pwrite(fd, "\xff\xff", 2, offsetof(struct head, e.e_phnum)), 2);
	cr_expect_eq(((const Elf64_Ehdr *)c.p)->e_phnum, 1);
	cr_assert_eq(ftruncate(fd, 0), 0);
	cr_expect_eq(c.size, CODE + 4);
	cr_expect_eq(memcmp(c.p + CODE, "code", 4), 0);
	code_file_close(&c);
}

Test(codefile, what_is_not_used_is_said)
{
	struct code_file c = code_file_open(path, "00" ID);

	cr_expect(!c.p && strstr(c.why, "another build id"));
	cr_assert_eq(ftruncate(fd, (off_t)3 << 30), 0);
	c = code_file_open(path, ID);
	cr_expect(!c.p && strstr(c.why, "larger than 1 GiB"));
}
