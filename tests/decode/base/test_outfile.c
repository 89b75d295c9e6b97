/* SPDX-License-Identifier: MIT */
/* -w OUT of the readers: the file appears complete or not at all, and no temporary file remains. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/base/outfile.h"
#include "tests/folder.h"
#include "tests/no_tmpfile.h"

static char dir[] = "/tmp/trawl-outfile-XXXXXX";
static char path[64];

static void set_up(void)
{
	cr_assert(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x", dir);
}

static void clean_up(void)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	cr_assert_eq(system(command), 0);
}

/* use outfile_keeper() */
static bool kept;

static void begin(struct outfile *f, const char *name)
{
	struct trawl_error err;

	cr_assert_eq(outfile_open(f, name, &err), 0, "%s", err.text);
	if (kept)
		cr_assert_eq(outfile_keeper(f, &err), 0, "%s", err.text);
	cr_assert_eq(write(f->fd, "new", 3), 3);
}

static void end(struct outfile *f, bool keep)
{
	struct trawl_error err;

	cr_assert_eq(outfile_close(f, keep, &err), 0, "%s", err.text);
}

static void has(const char *name, const char *want)
{
	FILE *file = fopen(name, "r");
	char got[8] = "";

	cr_assert(file, "%s is not there", name);
	cr_assert_geq(fread(got, 1, sizeof(got) - 1, file), 0);
	fclose(file);
	cr_expect_str_eq(got, want);
}

static void takes_place(int while_it_is_written)
{
	struct outfile f;
	struct stat st;

	begin(&f, path);
	cr_expect_eq(folder_names(dir), while_it_is_written);
	end(&f, false);
	cr_expect_eq(folder_names(dir), 0);
	for (int i = 0; i < 2; i++) {
		begin(&f, path);
		end(&f, true);
		has(path, "new");
		cr_expect_eq(folder_names(dir), 1);
	}
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0600);
}

Test(outfile, it_has_no_name_before_its_own, .init = set_up, .fini = clean_up)
{
	takes_place(0);
}

Test(outfile, where_files_must_have_names_it_is_one_beside, .init = set_up, .fini = clean_up)
{
	no_tmpfile = true;
	takes_place(1);
}

/* In a child process: writes, and is ended by the signal before the file is complete. */
static int ended_by(int sig)
{
	struct outfile f;
	pid_t child = fork();
	int status;

	if (!child) {
		begin(&f, path);
		raise(sig);
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

Test(outfile, whoever_is_ended_leaves_nothing, .init = set_up, .fini = clean_up)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (int i = 0; i < 6; i++) {
		no_tmpfile = i >= 3;
		signal(signals[i % 3], SIG_DFL); /* the program that runs the tests may ignore it */
		cr_expect_eq(ended_by(signals[i % 3]), signals[i % 3]);
		cr_expect_eq(folder_names(dir), 0, "signal %d, %s", signals[i % 3],
			     no_tmpfile ? "with a name" : "nameless");
	}
	cr_expect_eq(ended_by(SIGKILL), SIGKILL);
}

Test(outfile, a_keeper_gives_it_its_name, .init = set_up, .fini = clean_up)
{
	kept = true;
	takes_place(0);
}

Test(outfile, a_keeper_gives_one_beside_its_name, .init = set_up, .fini = clean_up)
{
	no_tmpfile = kept = true;
	takes_place(1);
}

/* Even after SIGKILL, which the program cannot handle. */
Test(outfile, a_keeper_drops_it_whatever_ends_its_program, .init = set_up, .fini = clean_up)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGKILL, SIGSEGV };

	no_tmpfile = kept = true;
	for (int i = 0; i < 5; i++) {
		signal(signals[i], SIG_DFL);
		cr_expect_eq(ended_by(signals[i]), signals[i]);
		/* the keeper is not a child of this process */
		while (signals[i] >= SIGKILL && folder_names(dir))
			usleep(1000);
		cr_expect_eq(folder_names(dir), 0, "signal %d", signals[i]);
	}
}

Test(outfile, a_signal_that_was_ignored_still_is, .init = set_up, .fini = clean_up)
{
	no_tmpfile = true;
	signal(SIGHUP, SIG_IGN);
	cr_expect_eq(ended_by(SIGHUP), 0);
}

Test(outfile, a_link_stays_whether_or_not_something_is_there, .init = set_up, .fini = clean_up)
{
	struct outfile f;
	char link[80], further[80], text[16];

	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(further, sizeof(further), "%s/further", dir);
	cr_assert_eq(symlink("further", link), 0);
	cr_assert_eq(symlink(path, further), 0);
	for (int i = 0; i < 2; i++) {
		begin(&f, link);
		end(&f, true);
		has(path, "new");
		cr_expect_eq(readlink(link, text, sizeof(text)), 7);
		cr_expect_eq(folder_names(dir), 3);
	}
}

Test(outfile, links_that_lead_nowhere, .init = set_up, .fini = clean_up)
{
	struct trawl_error err;
	struct outfile f;

	cr_assert_eq(symlink("x", path), 0);
	cr_assert_eq(outfile_open(&f, path, &err), -1);
	cr_expect(strstr(err.text, "Too many levels"), "%s", err.text);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(symlink("no/such/folder", path), 0);
	cr_assert_eq(outfile_open(&f, path, &err), -1);
	cr_expect(strstr(err.text, "No such file"), "%s", err.text);
}

/* Ends an output with this text; returns whether it takes the place of another file. */
static bool replaces(const char *text, enum trawl_status status)
{
	struct trawl_error err;
	struct outfile f;
	char got[8] = "";
	FILE *file;

	begin(&f, path);
	end(&f, true);
	cr_assert_eq(outfile_open(&f, path, &err), 0, "%s", err.text);
	cr_assert_eq(write(f.fd, text, strlen(text)), (ssize_t)strlen(text));
	cr_assert_eq(outfile_end(&f, status, &err), 0, "%s", err.text);
	file = fopen(path, "r");
	cr_assert(file);
	(void)!fread(got, 1, sizeof(got) - 1, file);
	fclose(file);
	return strcmp(got, "new") != 0;
}

Test(outfile, of_damaged_data_no_empty_file_appears, .init = set_up, .fini = clean_up)
{
	cr_expect(replaces("", TRAWL_OK));
	cr_expect(replaces("part", TRAWL_BAD_DATA));
	cr_expect(!replaces("", TRAWL_BAD_DATA));
	cr_expect(!replaces("part", TRAWL_USAGE));
	cr_expect(!replaces("part", TRAWL_CANNOT));
}
