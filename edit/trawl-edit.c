/* SPDX-License-Identifier: MIT */
/* trawl-edit: saved file to saved file. Each subcommand is one function in the table. */
#include "config.h"
#include "common/array.h"
#include "common/nearest.h"
#include "common/printed.h"
#include "decode/base/cli.h"
#include "edit/edit.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"Usage: trawl-edit COMMAND [OPTION]... FILE...\n"
	"Cuts, joins, converts, redacts and checks captures.\n"
	"\n"
	"  compact FILE -w OUT     compress a file as much as possible; slow\n"
	"  repair FILE -w OUT      save the undamaged parts of a file, and report what is lost\n"
	"  cut FILE [OPTION]... -w OUT  copy a part of a file, with the metadata of its events\n"
	"      --from TIME --until TIME --source NAME --name GLOB --pid PID --where EXPR -c, --count N,\n"
	"                          as for trawl-decode\n"
	"      --around EXPR --window TIME  events of all sources around each match\n"
	"      --every N           the first of every N events (a USB transfer is kept whole)\n"
	"      --max-size SIZE     at most SIZE (25M) bytes: the events nearest to the trigger, the\n"
	"                          last error, or the end\n"
	"      --max-events N      at most N events, selected in the same way\n"
	"      --utc               times without a time zone are UTC\n"
	"  merge FILE FILE... -w OUT  join files on one timeline: by the monotonic clock if they are of\n"
	"                          one boot, else by the wall clock; sources become NAME@MACHINE\n"
	"      --shift FILE=TIME   add TIME (+1.5s, -20ms) to the times of FILE\n"
	"  import FILE... -w OUT   convert pcap, pcapng or usbmon text files with USB, also compressed, to\n"
	"                          a .trawl file; OUT may be a folder for one file each\n"
	"  redact FILE -w OUT      replace private data by stand-ins\n"
	"      --keep CLASS, --drop CLASS, --policy FILE  classes to keep or replace: keystrokes, pointer, sectors,\n"
	"                          payload, serials, commands, paths, names, strings, addresses,\n"
	"                          identity; symbols and date (kept by default)\n"
	"  secrets FILE            list private data in a file by class, with examples\n"
	"  verify FILE...          read all of each file, and report whether it is complete\n"
	"\n"
	"      --level N           compression of what is written: 1 (fast) to 19 (small); default: the smallest file\n"
	"      --memory SIZE       memory limit for a trawl file: 512M, 2G (default: 256M)\n"
	"      --no-sandbox        do not enter the sandbox; for debuggers\n"
	"      --help, --version\n"
	"\n"
	"Exit status: 0 done, 1 the data is damaged or incomplete, 2 wrong usage, 3 not possible.\n";

static const struct {
	const char *name;
	edit_command *run;
} commands[] = {
	{"compact", compact_command},
	{"cut", cut_command},
	{"import", import_command},
	{"merge", merge_command},
	{"redact", redact_command},
	{"repair", repair_command},
	{"secrets", secrets_command},
	{"verify", verify_command},
};

static int no_such_command(const char *name, struct trawl_error *err)
{
	struct nearest near = {.wanted = name};
	char hint[256];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		nearest_offer(&near, commands[i].name);
	trawl_fail(err, TRAWL_USAGE, "no such command: %s%s", name,
		   near.count ? nearest_hint(&near, hint, sizeof(hint)) : "; see --help");
	nearest_free(&near);
	return -1;
}

/* Of a command, too: "trawl-edit cut --help". */
static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help"))
			return true;
	}
	return false;
}

static int run(int argc, char **argv, struct trawl_error *err)
{
	if (argc < 2)
		return edit_usage(err, "no command", "");
	if (asks_for_help(argc, argv)) {
		fputs(help, stdout);
		return TRAWL_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("trawl-edit " VERSION);
		return TRAWL_OK;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1, err);
	return no_such_command(argv[1], err);
}

int main(int argc, char **argv)
{
	struct trawl_error err;
	int status;

	cli_program = "trawl-edit";
	opterr = 0;
	signal(SIGXFSZ, SIG_IGN); /* so that a write beyond the limit fails with EFBIG */
	status = run(argc, argv, &err);
	return status < 0 || printed_all(&err) ? cli_error(&err) : status;
}
