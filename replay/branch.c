/* SPDX-License-Identifier: MIT */
/*
 * The way "branch": a walk through the program, forward and backward over recorded branches, for
 * people, scripts and gdb.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/printed.h"
#include "common/sandbox.h"
#include "decode/base/cli.h"
#include "decode/base/escape.h"
#include "replay/gdbstub.h"
#include "replay/walk.h"
#include "replay/walkevent.h"
#include "replay/way.h"
#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif

struct options {
	const char *path;
	struct trawl_memory memory; /* of all readers of it */
	int32_t tid;
	bool gdb, no_sandbox;
};

static const char help[] =
	"      --tid TID        the task (default: the one with the most branches)\n"
	"      --gdb            serve gdb's remote protocol: gdb PROGRAM -ex 'target remote | trawl-replay branch --gdb FILE'\n"
	"      --memory SIZE    memory limit for FILE: 512M, 2G (default: 256M)\n"
	"      --no-sandbox     do not enter the sandbox; for debuggers\n"
	"\n"
	"Commands, a line each, of standard input: step [N], back [N], next FUNCTION, prev FUNCTION, time SECONDS,\n"
	"event [GLOB], prevevent [GLOB], begin, end, list [N], all, help, quit. An empty line does the last one again.";

enum { OPTION_TID = 0x100, OPTION_GDB, OPTION_MEMORY, OPTION_UNCAGED };

static const struct option long_options[] = {
	{"tid", required_argument, NULL, OPTION_TID},
	{"gdb", no_argument, NULL, OPTION_GDB},
	{"memory", required_argument, NULL, OPTION_MEMORY},
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
	if (option == OPTION_MEMORY)
		return cli_memory(optarg, &o->memory.most, err);
	if (option != OPTION_TID)
		return 0;
	o->tid = (int32_t)strtol(optarg, &end, 10);
	if (*end || o->tid <= 0)
		return trawl_fail(err, TRAWL_USAGE, "--tid: '%.60s' is not a task id", optarg);
	return 0;
}

/* A walk, and the state of the dialogue that controls it. */
struct console {
	struct walk *walk;
	struct options *options;
	uint64_t begin;             /* printed times are relative to this time */
	bool at_event;              /* the last command went to `event` */
	struct walk_moment event;
};

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

/* Prints the current instruction: TIME ADDRESS PLACE SOURCE INSTRUCTION. */
static void show(struct walk *w, uint64_t begin)
{
	char place[IMAGE_TEXT], line[IMAGE_TEXT], insn[200];
	struct image_place p;
	struct walk_insn i;
	struct out o;

	walk_here(w, &i);
	walk_place(w, i.pc, &p);
	disassemble(&i, insn, sizeof(insn));
	image_describe(&p, place);
	image_describe_line(&p, false, line);
	out_memory(&o);
	out_printf(&o, "%.9f 0x%" PRIx64 " ", (double)(i.time - begin) / 1e9, i.pc);
	out_safe(&o, place, strlen(place));
	out_char(&o, ' ');
	out_safe(&o, line, strlen(line));
	out_printf(&o, "%s%s\n", *line ? " " : "", insn);
	fwrite(o.data, 1, o.len, stdout);
	out_free(&o);
}

/* Prints why a walk stopped. Returns true if it can continue. */
static bool report_end(enum walk_end end)
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

/* Goes to the next or previous call of a function; without one, the walk stays at its position. */
static void search(struct walk *w, const char *function, bool back)
{
	struct walk_position from = walk_position(w);
	enum walk_end end;

	do
		end = back ? walk_back(w) : walk_step(w);
	while ((end == WALK_OK || end == WALK_GAP) && !is_entry(w, function));
	if (end == WALK_OK || end == WALK_GAP)
		return;
	walk_return(w, &from);
	printf("no call of '%s' was recorded %s this\n", function, back ? "before" : "after");
}

static void list(struct walk *w, uint64_t n, uint64_t begin)
{
	while (n--) {
		show(w, begin);
		if (n && !report_end(walk_step(w)))
			return;
	}
}

/* Goes to the next or previous event of another source, and prints it. */
static void to_event(struct console *t, const char *glob, bool back)
{
	struct trawl_error err = {0};
	struct walk_event e;
	struct walk_insn here;
	struct walk_wanted wanted = {.from = t->event, .back = back, .glob = *glob ? glob : NULL,
				     .memory = &t->options->memory};
	uint64_t open;
	int got;

	walk_here(t->walk, &here);
	if (!t->at_event)
		wanted.from = (struct walk_moment){.time = here.time};
	else if (back)
		wanted.from.behind--;
	got = walkevent_find(walk_reader(t->walk), t->options->path, &wanted, &e, &err);
	if (got < 0) {
		cli_error(&err);
	} else if (!got) {
		printf("no event of another source is %s this\n", back ? "before" : "after");
	} else {
		open = walk_moment(t->walk, e.time);
		printf("event: %.9f %.*s\n", ((double)e.time - (double)t->begin) / 1e9,
		       (int)e.text.len, e.text.data);
		if (!open)
			puts("before the first branch that was recorded:");
		else if (open > 1)
			printf("the task was here or up to %" PRIu64 " branches later:\n", open);
		t->event = (struct walk_moment){.time = e.time, .behind = e.number + 1};
		t->at_event = true;
	}
	out_free(&e.text);
}

/*
 * Reads the N of a command; 1 if it is omitted. Prints an error and returns false if it is no
 * number.
 */
static bool read_count(const char *word, const char *text, uint64_t *n)
{
	char *end;

	*n = 1;
	if (!*text)
		return true;
	errno = 0;
	*n = strtoull(text, &end, 10);
	if (!errno && isdigit((unsigned char)*text) && !*end)
		return true;
	printf("%s: '%s' is not a number of instructions; try %s 5\n", word, text, word);
	return false;
}

/* Executes "step" or "back", with N as text. */
static void move_by(struct walk *w, const char *word, const char *text)
{
	uint64_t n;

	if (!read_count(word, text, &n))
		return;
	while (n-- && report_end(*word == 's' ? walk_step(w) : walk_back(w)))
		;
}

/* Goes to a time, in seconds since the begin; prints an error if the text is invalid. */
static void to_time(struct console *t, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0 && seconds < 1e9))
		printf("time: '%s' is not a number of seconds since the begin; try time 0.5\n",
		       text);
	else
		walk_time(t->walk, t->begin + (uint64_t)(seconds * 1e9));
}

/* Executes one command. False after "quit". */
static bool command(struct console *t, const char *line)
{
	struct walk *w = t->walk;
	uint64_t begin = t->begin, n;
	char word[20] = "", rest[300] = "";

	sscanf(line, "%19s %299[^\n]", word, rest);
	if (!strcmp(word, "quit") || !strcmp(word, "q"))
		return false;
	if (!strcmp(word, "help")) {
		puts(strstr(help, "Commands"));
		return true;
	}
	if (!strcmp(word, "event") || !strcmp(word, "prevevent")) {
		to_event(t, rest, *word == 'p');
		show(w, begin);
		return true;
	}
	t->at_event = false;
	if (!strcmp(word, "list") || !strcmp(word, "all")) {
		if (*word == 'a' || read_count(word, rest, &n))
			list(w, *word == 'a' ? UINT64_MAX : n, begin);
		return true;
	}
	if (!strcmp(word, "step") || !strcmp(word, "s") || !strcmp(word, "back") ||
	    !strcmp(word, "b"))
		move_by(w, word, rest);
	else if ((!strcmp(word, "next") || !strcmp(word, "prev")) && *rest)
		search(w, rest, *word == 'p');
	else if (!strcmp(word, "time") && *rest)
		to_time(t, rest);
	else if (!strcmp(word, "begin"))
		walk_first(w);
	else if (!strcmp(word, "end"))
		walk_last(w);
	else if (*word)
		printf("'%s' is not a command; see help\n", word);
	show(w, begin);
	return true;
}

static void run_commands(struct walk *w, struct options *options)
{
	char line[400], last[400] = "";
	bool terminal = isatty(STDIN_FILENO);
	struct walk_insn first;
	struct console t = {.walk = w, .options = options};

	walk_here(w, &first);
	t.begin = first.time;
	if (terminal)
		printf("task %d, %" PRIu64 " branches; help lists the commands\n", walk_tid(w),
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
		if (!command(&t, line))
			return;
	}
}

static int run(const struct way *w, int argc, char **argv)
{
	struct options o = {0};
	struct trawl_error err = {0};
	struct walk *walk = NULL;
	int got = way_parse(w, argc, argv, &o, &o.path, &err);

	if (got > 0)
		return TRAWL_OK;
	if (!got && o.gdb)
		gdbstub_loading();
	/*
	 * instructions are read from the programs that the capture names, so the sandbox permits
	 * opening files
	 */
	if (!got && !o.no_sandbox)
		got = sandbox_enter_with(cli_program, o.path, SANDBOX_FILES, &err);
	if (!got)
		got = walk_open(&walk, o.path, &o.memory, o.tid, &err);
	if (!got && o.gdb)
		got = gdbstub_run(walk, stdin, stdout, &err);
	else if (!got)
		run_commands(walk, &o);
	if (!got)
		got = printed_all(&err);
	if (!got && out_lacked_memory())
		got = trawl_fail(&err, TRAWL_CANNOT, "%s: what was printed is incomplete: %s",
				 o.path, out_lack_reason());
	walk_close(walk);
	return got < 0 ? cli_error(&err) : TRAWL_OK;
}

const struct way branch_way = {
	.name = "branch",
	.arguments = "FILE",
	.what = "walk through the program, forward and backward over its branches",
	.help = help,
	.options = long_options,
	.set_option = set_option,
	.run = run,
};
