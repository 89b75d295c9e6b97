/* SPDX-License-Identifier: MIT */
/*
 * Output files: an old file is not lost before the new one is complete, and no temporary file
 * remains.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/output/output.h"
#include "tests/folder.h"
#include "tests/no_tmpfile.h"

static char dir[] = "/tmp/trawl-output-XXXXXX";
static char path[64];
static struct options o;
static struct user us = { 0 };

static void set_up(void)
{
	cr_assert(mkdtemp(dir));
	chmod(dir, 0755);
	snprintf(path, sizeof(path), "%s/x", dir);
	o = (struct options){ .write = path };
}

static void clean_up(void)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	cr_assert_eq(system(command), 0);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	fputs(text, f);
	fclose(f);
}

static void has(const char *name, const char *want)
{
	FILE *f = fopen(name, "r");
	char got[64] = "";

	cr_assert(f, "%s is not there", name);
	cr_assert_geq(fread(got, 1, sizeof(got) - 1, f), 0);
	fclose(f);
	cr_expect_str_eq(got, want, "%s has \"%s\"", name, got);
}

static int begin(struct output *out)
{
	struct trawl_error err;
	int fd = output_open(out, &o, &us, &err);

	cr_assert_geq(fd, 0, "%s", err.text);
	cr_assert_eq(write(fd, "new", 3), 3);
	return fd;
}

static void end(struct output *out, int fd, int commit)
{
	struct trawl_error err;

	if (commit)
		cr_assert_eq(output_commit(out, &err), 0, "%s", err.text);
	close(fd);
	cr_assert_eq(output_close(out, &err), 0);
}

static void take_place(int while_it_waits)
{
	struct output out;
	int fd;

	fd = begin(&out);
	cr_expect_eq(folder_names(dir), while_it_waits);
	end(&out, fd, 0);
	cr_expect_eq(folder_names(dir), 0, "what was never committed is gone");

	end(&out, begin(&out), 1);
	has(path, "new");
	cr_expect_eq(folder_names(dir), 1);

	put(path, "old");
	fd = begin(&out);
	has(path, "old");
	end(&out, fd, 0);
	has(path, "old");
	cr_expect_eq(folder_names(dir), 1);

	end(&out, begin(&out), 1);
	has(path, "new");
	cr_expect_eq(folder_names(dir), 1);
}

Test(output, a_file_has_no_name_before_its_own, .init = set_up, .fini = clean_up)
{
	take_place(0);
}

Test(output, where_files_must_have_names_it_is_one_beside, .init = set_up, .fini = clean_up)
{
	no_tmpfile = true;
	take_place(1);
}

Test(output, the_own_link_is_followed_and_stays, .init = set_up, .fini = clean_up)
{
	struct output out;
	char link[80], text[8];

	snprintf(link, sizeof(link), "%s/link", dir);
	put(path, "old");
	cr_assert_eq(symlink("x", link), 0);
	o.write = link;
	end(&out, begin(&out), 1);
	has(path, "new");
	cr_expect_eq(readlink(link, text, sizeof(text)), 1);
}

Test(output, a_link_to_nothing_makes_what_it_leads_to, .init = set_up, .fini = clean_up)
{
	struct output out;
	char link[80], text[8];

	snprintf(link, sizeof(link), "%s/link", dir);
	cr_assert_eq(symlink("x", link), 0);
	o.write = link;
	end(&out, begin(&out), 1);
	has(path, "new");
	cr_expect_eq(readlink(link, text, sizeof(text)), 1);
	cr_expect_eq(folder_names(dir), 2);
}

Test(output, the_link_of_another_user_is_not_followed, .init = set_up, .fini = clean_up)
{
	struct trawl_error err;
	struct output out;
	char theirs[80];

	if (geteuid())
		cr_skip_test("giving away a link needs root");
	snprintf(theirs, sizeof(theirs), "%s/theirs", dir);
	put(theirs, "old");
	cr_assert_eq(symlink("theirs", path), 0);
	cr_assert_eq(lchown(path, 65534, 65534), 0);
	cr_assert_eq(output_open(&out, &o, &us, &err), -1);
	cr_expect_eq(err.status, TRAWL_USAGE);
	cr_expect(strstr(err.text, "link of another user"), "%s", err.text);
	output_close(&out, &err);
	has(theirs, "old");
}

/* A symbolic link of another user in the path would redirect the output. */
Test(output, no_link_of_another_user_is_followed_on_the_way, .init = set_up, .fini = clean_up)
{
	struct trawl_error err;
	struct output out;
	char link[80], real[80], through[96];

	if (geteuid())
		cr_skip_test("giving away a link needs root");
	snprintf(real, sizeof(real), "%s/real", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(through, sizeof(through), "%s/x", link);
	cr_assert_eq(mkdir(real, 0700), 0);
	cr_assert_eq(symlink("real", link), 0);
	o.write = through;
	for (int theirs = 0; theirs < 2; theirs++) {
		cr_assert_eq(lchown(link, theirs ? 65534 : 0, 0), 0);
		if (!theirs) {
			end(&out, begin(&out), 1);
			has(through, "new");
			continue;
		}
		cr_assert_eq(output_open(&out, &o, &us, &err), -1);
		cr_expect_eq(err.status, TRAWL_USAGE);
		cr_expect(strstr(err.text, "link of another user"), "%s", err.text);
		output_close(&out, &err);
	}
}

/* The folder is replaced before the file gets its name. */
Test(output, the_folder_stays_the_one_that_was_found, .init = set_up, .fini = clean_up)
{
	struct output out;
	char folder[80], moved[80], there[96], theirs[96];
	int fd;

	snprintf(folder, sizeof(folder), "%s/folder", dir);
	snprintf(moved, sizeof(moved), "%s/moved", dir);
	snprintf(there, sizeof(there), "%s/x", folder);
	snprintf(theirs, sizeof(theirs), "%s/x", moved);
	cr_assert_eq(mkdir(folder, 0700), 0);
	o.write = there;
	fd = begin(&out);
	cr_assert_eq(rename(folder, moved), 0);
	cr_assert_eq(mkdir(folder, 0700), 0);
	end(&out, fd, 1);
	has(theirs, "new");
	cr_expect_eq(access(there, F_OK), -1);
}

/* If the file is deleted or replaced while it is written, it is written again, with a message. */
Test(output, a_deleted_file_is_written_again, .init = set_up, .fini = clean_up)
{
	struct trawl_error err;
	struct output out;
	char other[80];
	int fd;

	snprintf(other, sizeof(other), "%s.1", path);
	for (int replaced = 0; replaced < 2; replaced++) {
		fd = begin(&out);
		cr_assert_eq(output_commit(&out, &err), 0);
		cr_expect_not(output_is_deleted(&out));
		cr_assert_eq(unlink(path), 0);
		if (replaced)
			put(path, "theirs");
		cr_expect(output_is_deleted(&out));
		close(fd);
		cr_assert_eq(output_restore(&out, &err), 1);
		cr_expect_eq(err.status, TRAWL_BAD_DATA);
		cr_expect(strstr(err.text, "was deleted during the capture; all of it is in"),
			  "%s", err.text);
		has(replaced ? other : path, "new");
		if (replaced)
			has(path, "theirs");
		cr_expect_eq(output_restore(&out, &err), 0);
		output_close(&out, &err);
	}
	fd = begin(&out);
	cr_assert_eq(output_commit(&out, &err), 0);
	clean_up();
	close(fd);
	cr_assert_eq(output_restore(&out, &err), 1);
	cr_expect(strstr(err.text, "is lost"), "%s", err.text);
	output_close(&out, &err);
}

Test(output, a_file_that_stays_is_not_written_again, .init = set_up, .fini = clean_up)
{
	struct trawl_error err;
	struct output out;
	int fd = begin(&out);

	cr_assert_eq(output_commit(&out, &err), 0);
	close(fd);
	cr_expect_eq(output_restore(&out, &err), 0);
	output_close(&out, &err);
	cr_expect_eq(folder_names(dir), 1);
}

/*
 * A user who can create a FIFO in a shared folder must not be able to block the recorder with it.
 */
Test(output, the_fifo_of_another_user_is_not_opened, .init = set_up, .fini = clean_up)
{
	struct trawl_error err;
	struct output out;

	if (geteuid())
		cr_skip_test("giving away a FIFO needs root");
	cr_assert_eq(mkfifo(path, 0666), 0);
	cr_assert_eq(chown(path, 65534, 65534), 0);
	cr_assert_eq(output_open(&out, &o, &us, &err), -1);
	cr_expect(strstr(err.text, "FIFO of another user"), "%s", err.text);
	output_close(&out, &err);
}

/* The next file of a rotation replaces an existing name, even a link. */
Test(output, rows_do_not_follow_links, .init = set_up, .fini = clean_up)
{
	struct trawl_error err;
	struct output out;
	struct stat st;
	char next[80], theirs[80];
	int fd;

	snprintf(theirs, sizeof(theirs), "%s/theirs", dir);
	snprintf(next, sizeof(next), "%s1", path);
	put(theirs, "old");
	o.rotate_bytes = 1;
	fd = begin(&out);
	cr_assert_eq(output_commit(&out, &err), 0);
	close(fd);
	cr_assert_eq(symlink("theirs", next), 0);
	fd = output_next(&out, OUTPUT_BY_SIZE, 0, &err);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, "row", 3), 3);
	end(&out, fd, 1);
	has(next, "row");
	has(theirs, "old");
	cr_assert(!lstat(next, &st) && S_ISREG(st.st_mode));
	cr_expect_eq(folder_names(dir), 3);
}

/*
 * Only the file belongs to the user, not the folder: it is written in place, but not before all
 * probes are armed.
 */
Test(output, a_file_that_cannot_be_replaced_is_written_in_place, .init = set_up, .fini = clean_up)
{
	struct user nobody = { .other = true, .uid = 65534, .gid = 65534 };
	struct trawl_error err;
	struct output out;
	struct stat before, after;
	int fd, there;

	if (geteuid())
		cr_skip_test("being somebody else needs root");
	us = nobody;
	put(path, "old");
	cr_assert(!chown(path, 65534, 65534) && !stat(path, &before));
	fd = begin(&out);
	has(path, "old");
	there = output_commit(&out, &err);
	cr_assert_gt(there, 0);
	cr_assert_eq(write(there, "new", 3), 3);
	close(there);
	end(&out, fd, 0);
	has(path, "new");
	cr_assert_eq(stat(path, &after), 0);
	cr_expect_eq(before.st_ino, after.st_ino);

	end(&out, begin(&out), 0);
	has(path, "new");
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(output_open(&out, &o, &us, &err), -1);
	cr_expect_eq(err.status, TRAWL_CANNOT);
	cr_expect(strstr(err.text, "Permission denied"), "%s", err.text);
	output_close(&out, &err);
}
