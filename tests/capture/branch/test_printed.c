/* SPDX-License-Identifier: MIT */
/*
 * What the source of branches finds in programs, in instructions, and in sequences of records by
 * chance.
 */
#include "config.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/branch/contention.h"
#include "capture/branch/execs.h"
#include "capture/branch/findings.h"
#include "capture/branch/insn.h"
#include "capture/branch/join.h"
#include "capture/branch/lookup.h"
#include "capture/branch/perfmaps.h"
#include "capture/branch/perfthreads.h"
#include "capture/branch/plt.h"
#include "capture/branch/stack.h"
#include "capture/branch/switches.h"
#include "tests/printed/chance.h"
#include "tests/printed/inputs.h"
#include "tests/printed/whole.h"

/* ---- programs -------------------------------------------------------------------------------- */

static void show_findings(FILE *to, const struct findings *f)
{
	for (size_t i = 0; i < f->nfiles; i++)
		fprintf(to, "file %s\n", f->files[i]);
	for (size_t i = 0; i < f->nfunctions; i++)
		fprintf(to, "function 0x%" PRIx64 " %" PRIu64 " %s\n", f->functions[i].vaddr,
			f->functions[i].size, f->functions[i].name);
	for (size_t i = 0; i < f->nlines; i++)
		fprintf(to, "line 0x%" PRIx64 " %u:%u\n", f->lines[i].vaddr, f->lines[i].file,
			f->lines[i].line);
	for (size_t i = 0; i < f->ninsns; i++)
		fprintf(to, "insn 0x%" PRIx64 " %u %u\n", f->insns[i].vaddr, f->insns[i].length,
			f->insns[i].kind);
}

struct served {
	int socket, fd;
};

static void *serve(void *arg)
{
	struct served *s = arg;

	lookup_serve(s->socket, s->fd, "/bin/input", NULL, 0);
	return NULL;
}

/* Asks for `n` offsets of the program and prints the answer. */
static void ask(FILE *to, int socket, uint64_t what, const uint64_t *offsets, uint64_t n,
		struct findings *all)
{
	uint64_t head[2] = {what, n}, size;
	struct wire_in in = {0};
	char *bytes;

	cr_assert_eq(write(socket, head, sizeof(head)), sizeof(head));
	if (n)
		cr_assert_eq(write(socket, offsets, n * 8), (ssize_t)(n * 8));
	cr_assert_eq(recv(socket, &size, 8, MSG_WAITALL), 8);
	bytes = malloc(size + 1);
	cr_assert_eq(recv(socket, bytes, size, MSG_WAITALL), (ssize_t)size);
	fprintf(to, "answer %" PRIu64 ": %" PRIu64 " bytes %016" PRIx64 "\n", what, size,
		(uint64_t)XXH64(bytes, size, 0));
	in.p = bytes;
	in.left = size;
	if (what != LOOKUP_OPEN)
		fprintf(to, "taken %d\n", findings_get(&in, all));
	free(bytes);
}

static void show_lookup(FILE *to, const struct inputs *in)
{
	struct findings all = {0};
	uint64_t offsets[256];
	struct served s;
	pthread_t thread;
	int pair[2];

	fprintf(to, "##### %s\n", in->name);
	s.fd = memfd_create("input", 0);
	cr_assert_eq(write(s.fd, in->data, in->size), (ssize_t)in->size);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	s.socket = pair[1];
	pthread_create(&thread, NULL, serve, &s);
	for (size_t i = 0; i < 256; i++)
		offsets[i] = 0x200 + i * 23;
	ask(to, pair[0], LOOKUP_OPEN, NULL, 0, &all);
	ask(to, pair[0], LOOKUP_HITS, offsets, 128, &all);
	ask(to, pair[0], LOOKUP_HITS, offsets + 64, 192, &all);
	ask(to, pair[0], LOOKUP_ALL, NULL, 0, &all);
	show_findings(to, &all);
	findings_free(&all);
	shutdown(pair[0], SHUT_RDWR);
	pthread_join(thread, NULL);
	close(pair[0]);
	close(pair[1]);
	close(s.fd);
}

static void show_stubs(FILE *to, const struct inputs *in)
{
	struct trawl_error err = {0};
	struct elf_file *f = elf_open_memory(in->data, in->size, "input", &err);

	if (!f)
		return;
	for (uint64_t vaddr = 0; vaddr < 0x3000; vaddr += 7) {
		uint64_t start = 0;
		const char *name = plt_name(f, vaddr, &start);

		if (name)
			fprintf(to, "stub 0x%" PRIx64 " 0x%" PRIx64 " %s\n", vaddr, start, name);
	}
	elf_free(f);
}

static void show_program(FILE *to, const struct inputs *in)
{
	show_lookup(to, in);
	show_stubs(to, in);
}

static void show_answer(FILE *to, const struct inputs *in)
{
	struct wire_in wire = {in->data, in->size, false};
	struct findings f = {0};

	fprintf(to, "%d\n", findings_get(&wire, &f));
	show_findings(to, &f);
	findings_free(&f);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void show_insns(FILE *to, struct chance *c)
{
	static const uint8_t firsts[] = {0x70, 0x75, 0x7f, 0xe0, 0xe1, 0xe2, 0xe3, 0xe8, 0xe9, 0xeb,
		0xc2, 0xc3, 0xca, 0xcb, 0xcf, 0xcc, 0xcd, 0xf1, 0xff, 0x9c, 0x9d, 0x8e, 0x17, 0x07,
		0x9a, 0xea, 0x0f, 0xf3, 0xf2, 0x66, 0x67, 0x48, 0x41, 0x90, 0x55, 0xc4, 0x62};
	static const uint8_t seconds[] = {0x05, 0x34, 0x35, 0x07, 0x84, 0x85, 0x8c, 0xb2, 0x0b,
		0x01};

	for (unsigned int i = 0; i < 4000; i++) {
		uint8_t bytes[BRANCH_INSN_BYTES];
		bool compat = chance(c, 3) == 0;
		struct branch_insn insn;
		struct branch_regs r = {.rip = 0x1000, .compat = compat};

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)chance(c, 256);
		bytes[0] = firsts[chance(c, sizeof(firsts))];
		if (bytes[0] == 0x0f)
			bytes[1] = seconds[chance(c, sizeof(seconds))];
		if (bytes[0] >= 0x66 && bytes[0] <= 0x67)
			bytes[1] = firsts[chance(c, sizeof(firsts))];
		insn = branch_insn_decode(bytes, 1 + chance(c, sizeof(bytes)), compat);
		chance_show(to, bytes, 4);
		fprintf(to, " %d: %u kind %u cond %u %d %d%u%d%d%d%d", compat, insn.length, insn.kind,
			insn.condition, insn.distance, insn.pushes_flags, insn.pops_flags,
			insn.returns_flags, insn.holds_trap, insn.traps, insn.probed);
		for (unsigned int k = 0; insn.kind && k < 12; k++) {
			r.flags = chance(c, 0x1000);
			r.rcx = (uint64_t)chance(c, 2) << 32;
			r.rcx |= chance(c, 3);
			fprintf(to, " %d", branch_insn_taken(&insn, &r));
		}
		fputc('\n', to);
	}
}

/* ---- records --------------------------------------------------------------------------------- */

static void show_branches(FILE *to, const struct branch_stack *s)
{
	fprintf(to, "%zu %d:", s->n, s->strange);
	for (size_t i = 0; i < s->n; i++)
		fprintf(to, " %" PRIx64 ">%" PRIx64, s->entries[i].from, s->entries[i].to);
	fputc('\n', to);
}

/* A stack of n entries, the newest first: the last ones of a program's first `end` branches. */
static void make_stack(struct chance *c, uint64_t *words, size_t n, uint64_t end)
{
	words[0] = chance(c, 20) ? n : n + chance(c, 100);
	for (size_t k = 0; k < n; k++) {
		uint64_t at = end - k;

		words[1 + 3 * k] = 0x400000 + at % 3;
		words[2 + 3 * k] = 0x400010 + at % 5 / 4;
		words[3 + 3 * k] = chance(c, 4);
		if (!chance(c, 60))
			words[1 + 3 * k + at % 2] =
				chance(c, 2) ? 0xffffffff81000000 :
					       UINT64_C(1) << (48 + chance(c, 16));
	}
}

/* Stacks of a few branches over and over; the count of those taken is sometimes wrong. */
static void show_stacks(FILE *to, struct chance *c)
{
	struct branch_stack before = {0}, now;
	uint64_t words[1 + 3 * 16], end = 100;

	for (unsigned int i = 0; i < 3000; i++) {
		size_t n = chance(c, 3) ? 16 : chance(c, 17);
		struct joining j = {0};
		uint64_t taken = chance_edge(c, 16);
		bool joined;

		end += taken % 64;
		make_stack(c, words, n, end);
		branch_stack_read(&now, words, chance(c, 10) ? 8 + n * 24 : chance(c, 8 + 24 * 16));
		show_branches(to, &now);
		taken += chance(c, 12) ? 0 : 1 - chance(c, 3);
		joined = join_stacks(chance(c, 9) ? &before : NULL, &now, taken, &j);
		fprintf(to, " taken %" PRIu64 " %d", taken, joined);
		if (joined)
			fprintf(to, " fresh %zu lost %" PRIu64, j.fresh, j.lost);
		fprintf(to, " overlap %d\n", join_may_overlap(&before, &now));
		before = now;
	}
}

static void show_contention(FILE *to, struct chance *c)
{
	struct contention k = {0};
	uint64_t now = 1000000, could = 0, did = 0;

	for (unsigned int i = 0; i < 400; i++) {
		uint64_t step = chance(c, 4) ? chance(c, 40000000) :
					       chance(c, 4) * UINT64_C(900000000);
		uint64_t took = chance(c, 5) ? chance(c, 60000) : chance(c, 90000000);

		now += step;
		could += step;
		did += step - (chance(c, 3) ? 0 : chance(c, (uint32_t)step + 1));
		fprintf(to, "%d", contention_check(&k, could, did, now, now + took,
						   1 + chance(c, 3)));
		now += took;
		if (!chance(c, 8))
			contention_doubt(&k, now);
		fprintf(to, " missed %" PRIu64 " checked %" PRIu64 " n %zu between", k.missed,
			k.checked, k.n);
		for (unsigned int m = 0; m < 4; m++) {
			uint64_t after = now - chance(c, 80000000);

			fprintf(to, " %d",
				contention_between(&k, after, after + chance(c, 40000000)));
		}
		fputc('\n', to);
	}
	for (size_t i = 0; i < k.n; i++)
		fprintf(to, "%" PRIu64 "-%" PRIu64 "\n", k.ranges[i].from, k.ranges[i].until);
	contention_free(&k);
	fprintf(to, "%zu\n", k.n);
}

static void show_switches(FILE *to, struct chance *c)
{
	struct switches s;
	uint64_t time = 100;

	switches_init(&s, 2);
	switches_add(&s, 1);
	for (unsigned int i = 0; i < 1500; i++) {
		size_t cpu = chance(c, 2);
		pid_t tid = (pid_t)(1 + chance(c, 8)), other = (pid_t)(1 + chance(c, 8));

		time += chance(c, 3);
		switch (chance(c, 9)) {
		case 0:
			fprintf(to, "fork %d\n", switches_fork(&s, tid, other, time));
			break;
		case 1:
			if (chance(c, 3) == 0)
				switches_exit(&s, tid, time);
			break;
		case 2:
			switches_guard(&s, tid, dup(0), time + chance(c, 4));
			break;
		case 3:
			if (chance(c, 4) == 0)
				switches_lost(&s, cpu);
			break;
		case 4:
		case 5:
			switches_out(&s, cpu, tid);
			break;
		case 6:
			fprintf(to, "in %d\n", switches_in(&s, cpu, tid, time));
			break;
		default:
			fprintf(to, "mixed %d\n", switches_mixed(&s, cpu, tid, time));
		}
		fprintf(to, "%zu tasks %zu early %u groups\n", s.n, s.nearly, s.groups);
	}
	switches_free(&s);
}

/* Mappings of a few processes, and programs that they execute. */
static void show_maps(FILE *to, struct chance *c)
{
	struct perf_map *maps = NULL;
	struct perf_threads threads = {0};
	struct execs x = {.command = 3};

	for (unsigned int i = 0; i < 600; i++) {
		pid_t pid = (pid_t)(1 + chance(c, 4)), other = (pid_t)(1 + chance(c, 4));
		uint64_t start = 0x1000 * chance(c, 16);
		uint64_t end = start + 0x1000 * chance(c, 6), offset = 0x1000 * chance(c, 4);
		uint32_t inode = chance(c, 3), prot = 1 + chance(c, 7);
		struct perf_map_line l = {start, end, offset, inode, 8, 1, prot,
					  chance(c, 5) ? "/bin/a b" : "//anon"};
		const uint16_t misc = PERF_RECORD_MISC_COMM_EXEC;
		struct perf_event_header exec = {.type = PERF_RECORD_COMM, .misc = misc};
		struct {
			struct perf_event_header header;
			uint32_t pid, tid;
			char name[8];
		} comm = {exec, (uint32_t)pid, (uint32_t)pid, "x"};
		struct branch b[6];
		char *text;

		comm.header.size = sizeof(comm);
		for (size_t k = 0; k < 6; k++)
			b[k] = (struct branch){.from = 0x800 * chance(c, 40),
					       .to = 0x800 * chance(c, 40)};
		switch (chance(c, 8)) {
		case 0:
			perf_maps_fork(&maps, pid, other);
			perf_threads_fork(&threads, other);
			break;
		case 1:
			execs_note(&x, maps, &comm.header);
			perf_maps_exec(&maps, pid);
			perf_threads_exec(&threads, pid);
			break;
		case 2:
			fprintf(to, "pending %d", execs_pending(&x, pid));
			fprintf(to, " %zu\n", execs_end(&x, maps, pid, b, chance(c, 7)));
			break;
		case 3:
			perf_threads_add(&threads, pid, 10 + other);
			fprintf(to, "exit %d\n", perf_threads_exit(&threads, other,
				chance(c, 2) ? other : 10 + pid));
			break;
		default:
			perf_maps_add(&maps, pid, &l);
		}
		text = perf_maps_text(maps, pid);
		fprintf(to, "%d has %d, %zu threads\n%s", pid, perf_maps_has(maps, pid, start),
			threads.n, text ? text : "-\n");
		free(text);
	}
	execs_free(&x);
	perf_threads_free(&threads);
	perf_maps_free(maps);
}

Test(printed, branch_programs)
{
	struct printed p;

	whole_build();
	printed_open(&p, "branch-programs");
	inputs_take(&p, "objects-c", show_program);
	inputs_take(&p, "objects-cxx", show_program);
	inputs_take(&p, "objects-rust", show_program);
	chance_take(&p, "insns", show_insns);
	printed_close(&p);
}

Test(printed, branch_damaged_programs)
{
	struct printed p;

	whole_build_and_same_libdw();
	printed_open(&p, "branch-damaged");
	inputs_take(&p, "functions", show_program);
	printed_close(&p);
}

Test(printed, branch)
{
	struct printed p;

	printed_open(&p, "branch");
	inputs_take(&p, "reply", show_answer);
	chance_take(&p, "stacks", show_stacks);
	chance_take(&p, "contention", show_contention);
	chance_take(&p, "switches", show_switches);
	chance_take(&p, "maps", show_maps);
	printed_close(&p);
}
