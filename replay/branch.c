/* SPDX-License-Identifier: MIT */
/* As a walk through the program: forward and backward over recorded branches, for people, scripts
 * and gdb. */
#include "config.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/sandbox.h"
#include "decode/base/cli.h"
#include "replay/gdbstub.h"
#include "replay/walk.h"
#include "replay/way.h"
#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif

struct options {
	const char *path;
	int32_t tid;
	bool gdb, no_sandbox;
};

static const char help[] =
	"      --tid TID        the task, if not the one with most branches\n"
	"      --gdb            speak gdb's protocol: gdb PROGRAM -ex 'target remote | trawl-replay branch --gdb FILE'\n"
	"      --no-sandbox     for debuggers: reads without the sandbox\n"
	"\n"
	"Commands, a line each, of standard input: step [N], back [N], next FUNCTION, prev FUNCTION, time SECONDS,\n"
	"begin, end, list [N], all, help, quit. An empty line does the last one again.";

enum { OPTION_TID = 0x100, OPTION_GDB, OPTION_UNCAGED };

static const struct option long_options[] = {
	{"tid", required_argument, NULL, OPTION_TID},
	{"gdb", no_argument, NULL, OPTION_GDB},
	{"no-sandbox", no_argument, NULL, OPTION_UNCAGED},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int set_option(void *arg, int option, struct trawl_error *err)
{
	struct options *o = arg;
	char *end;

	o->gdb |= option == OPTION_GDB;
	o->no_sandbox |= option == OPTION_UNCAGED;
	if (option != OPTION_TID)
		return 0;
	o->tid = (int32_t)strtol(optarg, &end, 10);
	if (*end || o->tid <= 0)
		return trawl_fail(err, TRAWL_USAGE, "--tid: '%.60s' is no task id", optarg);
	return 0;
}

/* ---- showing --------------------------------------------------------------------------------- */

static void disassemble(const struct walk_insn *i, char *text, size_t room)
{
#ifdef HAVE_ZYDIS
	ZydisDisassembledInstruction z;

	if (i->length &&
	    ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, i->pc, i->bytes,
					       i->length, &z))) {
		snprintf(text, room, "%s", z.text);
		return;
	}
#endif
	snprintf(text, room, "(%s)", i->why ? i->why : "no instruction");
}

/* TIME ADDRESS PLACE SOURCE INSTRUCTION. */
static void show(struct walk *w, uint64_t begin)
{
	char place[IMAGE_TEXT], line[IMAGE_TEXT], insn[200];
	struct image_place p;
	struct walk_insn i;

	walk_here(w, &i);
	walk_place(w, i.pc, &p);
	disassemble(&i, insn, sizeof(insn));
	printf("%.9f 0x%" PRIx64 " %s %s%s%s\n", (double)(i.time - begin) / 1e9, i.pc,
	       image_describe(&p, place), image_describe_line(&p, false, line), *line ? " " : "",
	       insn);
}

/* True: it goes on. */
static bool tell_end(enum walk_end end)
{
	if (end == WALK_GAP)
		puts("gap: branches are missing here");
	else if (end != WALK_OK)
		puts(end == WALK_BEGIN ? "begin: before this nothing was recorded"
				       : "end: after this nothing was recorded");
	return end == WALK_OK || end == WALK_GAP;
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool is_entry(struct walk *w, const char *function)
{
	char name[IMAGE_TEXT];
	struct image_place p;
	struct walk_insn i;

	walk_here(w, &i);
	walk_place(w, i.pc, &p);
	return p.function && p.vaddr == p.function->vaddr &&
		!strcmp(image_describe_function(&p, name), function);
}

static void search(struct walk *w, const char *function, bool back)
{
	enum walk_end end;

	do
		end = back ? walk_back(w) : walk_step(w);
	while ((end == WALK_OK || end == WALK_GAP) && !is_entry(w, function));
	tell_end(end == WALK_GAP ? WALK_OK : end);
}

static void list(struct walk *w, uint64_t n, uint64_t begin)
{
	while (n--) {
		show(w, begin);
		if (n && !tell_end(walk_step(w)))
			return;
	}
}

/* False: it is over. */
static bool command(struct walk *w, const char *line, uint64_t begin)
{
	char word[20] = "", rest[300] = "";
	uint64_t n = 1;

	sscanf(line, "%19s %299[^\n]", word, rest);
	if (*rest)
		n = strtoull(rest, NULL, 10);
	if (!strcmp(word, "quit") || !strcmp(word, "q"))
		return false;
	if (!strcmp(word, "help")) {
		puts(strstr(help, "Commands"));
		return true;
	}
	if (!strcmp(word, "list") || !strcmp(word, "all")) {
		list(w, *word == 'a' ? UINT64_MAX : n, begin);
		return true;
	}
	if (!strcmp(word, "step") || !strcmp(word, "s") || !strcmp(word, "back") ||
	    !strcmp(word, "b"))
		while (n-- && tell_end(*word == 's' ? walk_step(w) : walk_back(w)))
			;
	else if ((!strcmp(word, "next") || !strcmp(word, "prev")) && *rest)
		search(w, rest, *word == 'p');
	else if (!strcmp(word, "time") && *rest)
		walk_time(w, begin + (uint64_t)(strtod(rest, NULL) * 1e9));
	else if (!strcmp(word, "begin"))
		walk_first(w);
	else if (!strcmp(word, "end"))
		walk_last(w);
	else if (*word)
		printf("'%s' is no command; see help\n", word);
	show(w, begin);
	return true;
}

static void talk(struct walk *w)
{
	char line[400], last[400] = "";
	bool terminal = isatty(STDIN_FILENO);
	struct walk_insn first;

	walk_here(w, &first);
	if (terminal)
		printf("task %d, %" PRIu64 " branches; help tells the commands\n", walk_tid(w),
		       walk_branches(w));
	show(w, first.time);
	for (;;) {
		if (terminal)
			fputs("> ", stdout);
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return;
		if (*line == '\n')
			strcpy(line, last);
		strcpy(last, line);
		if (!command(w, line, first.time))
			return;
	}
}

static int run(const struct way *w, int argc, char **argv)
{
	struct options o = {0};
	struct trawl_error err = {0};
	struct walk *walk = NULL;
	int got = way_parse(w, argc, argv, long_options, set_option, &o, &o.path, &err);

	if (got > 0)
		return TRAWL_OK;
	/* it shows instructions of the programs that the file names */
	if (!got && !o.no_sandbox)
		got = sandbox_enter_with(cli_program, o.path, SANDBOX_FILES, &err);
	if (!got)
		got = walk_open(&walk, o.path, o.path, o.tid, &err);
	if (!got && o.gdb)
		got = gdbstub_run(walk, stdin, stdout, &err);
	else if (!got)
		talk(walk);
	walk_close(walk);
	return got < 0 ? cli_error(&err) : TRAWL_OK;
}

const struct way branch_way = {
	.name = "branch",
	.arguments = "FILE",
	.what = "as a walk through the program: forward and backward over its branches",
	.help = help,
	.run = run,
};
