/* SPDX-License-Identifier: MIT */
/*
 * A complete file gets a name that is free, on any file system. It is never lost because a name is
 * taken.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/output/newfile.h"
#include "tests/no_tmpfile.h"

static char dir[] = "/tmp/trawl-newfile-XXXXXX";
static char wish[64], second[64];
static struct user us = { 0 };

static void set_up(void)
{
	cr_assert(mkdtemp(dir));
	snprintf(wish, sizeof(wish), "%s/x", dir);
	snprintf(second, sizeof(second), "%s/x.1", dir);
}

static void clean_up(void)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	cr_assert_eq(system(command), 0);
}

static void has(const char *name, const char *want)
{
	FILE *f = fopen(name, "r");
	char got[64] = "";

	cr_assert(f, "%s is not there", name);
	cr_assert(fgets(got, sizeof(got), f), "%s is empty", name);
	fclose(f);
	cr_expect_str_eq(got, want, "%s has \"%s\"", name, got);
}

static void open_with(struct newfile *f, const char *text)
{
	struct trawl_error err;

	cr_assert_eq(newfile_open(f, wish, &us, &err), 0, "%s", err.text);
	cr_assert_eq(write(f->file.fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* Two files that request the same name: none replaces the other, and no other file remains. */
static void take_names(void)
{
	struct trawl_error err;
	struct newfile f;

	open_with(&f, "one");
	cr_assert_eq(newfile_commit(&f, &us, &err), 0, "%s", err.text);
	newfile_close(&f, &us);
	open_with(&f, "two");
	cr_assert_eq(newfile_commit(&f, &us, &err), 0, "%s", err.text);
	newfile_close(&f, &us);
	has(wish, "one");
	has(second, "two");
	unlink(wish);
	unlink(second);
	cr_expect_eq(rmdir(dir), 0, "nothing else is there");
}

Test(newfile, without_a_name_until_it_is_whole, .init = set_up, .fini = clean_up)
{
	take_names();
}

Test(newfile, where_it_must_have_one, .init = set_up, .fini = clean_up)
{
	no_tmpfile = true;
	take_names();
}

Test(newfile, where_a_name_cannot_be_taken_in_one_step, .init = set_up, .fini = clean_up)
{
	no_tmpfile = no_noreplace = true;
	take_names();
}

Test(newfile, where_there_are_no_second_names_either, .init = set_up, .fini = clean_up)
{
	no_tmpfile = no_noreplace = no_link = true;
	take_names();
}

Test(newfile, what_cannot_be_named_is_kept, .init = set_up, .fini = clean_up)
{
	struct trawl_error err;
	char left[80] = "";
	struct newfile f;

	no_tmpfile = no_link = no_rename = true;
	open_with(&f, "one");
	cr_assert_eq(newfile_commit(&f, &us, &err), -1);
	cr_assert(f.left, "it says where");
	snprintf(left, sizeof(left), "%s", f.left);
	newfile_close(&f, &us);
	has(left, "one");
	cr_expect_eq(access(wish, F_OK), -1, "and takes no name");
}

Test(newfile, what_was_not_finished_is_gone, .init = set_up, .fini = clean_up)
{
	struct newfile f;

	no_tmpfile = true;
	open_with(&f, "one");
	newfile_close(&f, &us);
	cr_expect_eq(rmdir(dir), 0);
}
