/* SPDX-License-Identifier: MIT */
/* Batches of branches survive encoding and decoding; damaged ones are refused. */
#include <criterion/criterion.h>
#include <linux/perf_event.h>

#include "capture/branch/contention.h"
#include "capture/branch/stack.h"
#include "capture/branch/step.h"
#include "common/array.h"
#include "common/branch.h"

static uint64_t seed = 42;

static uint32_t random_number(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

/* Loops in loops, and sometimes a random branch. */
static struct branch some_branch(uint32_t i)
{
	uint64_t at = 0x401000 + (i % 7) * 16 + (i % 91 == 0 ? random_number() % 4096 : 0);
	struct branch b = { .from = at, .to = at + 8 * (i % 3) - 64,
			    .kind = (uint8_t)(random_number() % 50 ? BRANCH_JCC : BRANCH_RET) };

	if (i % 1000 == 0)
		b.from = (uint64_t)random_number() << 32 | random_number();
	return b;
}

static void check(uint32_t count, bool flags)
{
	struct branch_encoder *e = branch_encoder_new();
	struct branch *all = calloc(count + 1, sizeof(*all));
	struct branch_batch b;
	const void *data;
	size_t len;

	branch_encoder_start(e, 1000);
	branch_encoder_mark(e, BRANCH_MARK_START, 1000, 0);
	for (uint32_t i = 0; i < count; i++) {
		all[i] = some_branch(i);
		if (flags) {
			all[i].flags = (uint8_t)(i % 16);
			all[i].cycles = i % 300;
		}
		branch_encoder_add(e, &all[i], 1000 + i * 100ull);
	}
	branch_encoder_mark(e, BRANCH_MARK_LOST, 2000 + count * 100ull, 7);
	data = branch_encoder_finish(e, &len);
	cr_assert(data);
	cr_assert_null(branch_batch_decode(&b, data, len, count, 1000));
	cr_assert_eq(b.count, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct branch_pair *p = &b.pairs[b.ids[i]];

		cr_assert(p->from == all[i].from && p->to == all[i].to && p->kind == all[i].kind);
		cr_assert_eq(b.flags ? b.flags[i] : 0, all[i].flags);
		cr_assert_eq(b.cycles ? b.cycles[i] : 0, all[i].cycles);
	}
	cr_assert_eq(b.marks[0].kind, BRANCH_MARK_START);
	cr_assert_eq(b.marks[b.nmarks - 1].kind, BRANCH_MARK_LOST);
	cr_assert_eq(b.marks[b.nmarks - 1].count, 7);
	cr_assert_eq(b.marks[b.nmarks - 1].time, 2000 + count * 100ull);
	for (uint32_t m = 1; m + 1 < b.nmarks; m++) /* the time of the following branch */
		cr_assert_eq(b.marks[m].time, 1000 + b.marks[m].at * 100ull);
	branch_batch_free(&b);
	branch_encoder_free(e);
	free(all);
}

Test(branch, round_trip)
{
	static const uint32_t counts[] = { 0, 1, 2, 15, 16, 17, 1000, BRANCH_BATCH_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		check(counts[i], false);
		check(counts[i], true);
	}
}

/* A mark's time is between those of the branches around it, and at most 1/32 before its own. */
static void check_times(uint64_t ns, uint64_t spread)
{
	struct branch_encoder *e = branch_encoder_new();
	static uint64_t times[5000];
	struct branch_batch b;
	const void *data;
	size_t len;

	branch_encoder_start(e, 1000);
	for (uint32_t i = 0; i < 5000; i++) {
		struct branch one = some_branch(i);

		times[i] = (i ? times[i - 1] : 1000) + ns + random_number() % spread +
			(i % 700 == 699 ? 2000000000 : 0);
		/* a late branch has the time of the preceding one */
		branch_encoder_add(e, &one, times[i] - (i % 64 == 63 ? ns + spread : 0));
		if (i % 64 == 63)
			times[i] = times[i - 1];
	}
	data = branch_encoder_finish(e, &len);
	cr_assert_null(branch_batch_decode(&b, data, len, 5000, 1000));
	cr_assert_geq(b.nmarks, ns ? 70 : 7);
	for (uint32_t m = 0; m < b.nmarks; m++) {
		uint32_t at = b.marks[m].at;
		uint64_t before = m ? b.marks[m - 1].time : 1000;

		cr_assert(b.marks[m].time <= times[at] &&
			  (!at || b.marks[m].time >= times[at - 1]));
		cr_assert_leq(times[at] - b.marks[m].time, (times[at] - before) / 32);
		cr_assert(!ns || at - (m ? b.marks[m - 1].at : 0) <= 65);
	}
	branch_batch_free(&b);
	branch_encoder_free(e);
}

Test(branch, times_of_marks)
{
	check_times(0, 1);
	check_times(1, 5);
	check_times(4000, 4000);
	check_times(300000, 1000);
	check_times(9000000, 2000000);
}

/* A truncated or damaged batch is refused, or the result is within bounds. */
/* Decodes one of three consecutive batches: n branches, from ns 1000 * number on. */
static void decode_one(struct branch_encoder *e, uint32_t number, uint32_t n,
		       struct branch_batch *b)
{
	uint64_t first = 1000 * (uint64_t)number;
	const void *data;
	size_t len;

	branch_encoder_start(e, first);
	if (number == 1)
		branch_encoder_mark(e, BRANCH_MARK_START, first, 0);
	for (uint32_t i = 0; i < n; i++) {
		struct branch one = some_branch(i);

		one.flags = number == 2 ? BRANCH_PREDICTED : 0;
		branch_encoder_add(e, &one, first + i);
	}
	branch_encoder_mark(e, BRANCH_MARK_LOST, first + n, number);
	data = branch_encoder_finish(e, &len);
	cr_assert(data);
	cr_assert_null(branch_batch_decode(b, data, len, n, first));
}

/* A joined batch has the same branches and marks, and each branch lies between the same times. */
Test(branch, joined)
{
	enum { N = 300 };
	struct branch_encoder *e = branch_encoder_new(), *all = branch_encoder_new();
	struct branch_batch one[4], b;
	uint32_t lost = 0;
	const void *data;
	size_t len;

	branch_encoder_start(all, 1000);
	for (uint32_t k = 1; k <= 3; k++) {
		decode_one(e, k, N, &one[k]);
		cr_assert(branch_encoder_append(all, &one[k], 1000 * k, 1000 * k + N + 5));
	}
	cr_assert_eq(branch_encoder_last(all), 3000 + N + 5);
	data = branch_encoder_finish(all, &len);
	cr_assert_null(branch_batch_decode(&b, data, len, 3 * N, 1000));
	for (uint32_t i = 0; i < 3 * N; i++) {
		const struct branch_batch *from = &one[i / N + 1];
		const struct branch_pair *p = &b.pairs[b.ids[i]];
		const struct branch_pair *q = &from->pairs[from->ids[i % N]];

		cr_assert(p->from == q->from && p->to == q->to && p->kind == q->kind);
		cr_assert_eq(b.flags[i], i / N == 1 ? BRANCH_PREDICTED : 0);
	}
	for (uint32_t i = 0; i < b.nmarks; i++) {
		uint32_t k = b.marks[i].at / N;

		if (b.marks[i].kind == BRANCH_MARK_LOST)
			cr_assert_eq(b.marks[i].count, ++lost);
		/* Between two batches are the end time of one and the start time of the next. */
		if (b.marks[i].kind == BRANCH_MARK_TIME && b.marks[i].at % N == 0)
			cr_assert(b.marks[i].time == 1000 * (k + 1) ||
				  b.marks[i].time == 1000 * k + N + 5);
	}
	cr_assert_eq(lost, 3);
	for (uint32_t k = 1; k <= 3; k++)
		branch_batch_free(&one[k]);
	branch_batch_free(&b);
	branch_encoder_free(all);
	branch_encoder_free(e);
}

/* A batch that does not fit is not added. */
Test(branch, joined_is_full)
{
	struct branch_encoder *e = branch_encoder_new(), *all = branch_encoder_new();
	struct branch_batch b;
	uint32_t n = 0;

	decode_one(e, 1, 30000, &b);
	branch_encoder_start(all, 1000);
	while (branch_encoder_append(all, &b, 1000, 1000))
		n += 30000;
	cr_assert_eq(n, 60000);
	cr_assert_eq(branch_encoder_count(all), n);
	branch_batch_free(&b);
	branch_encoder_free(all);
	branch_encoder_free(e);
}

Test(branch, damage)
{
	struct branch_encoder *e = branch_encoder_new();
	struct branch_batch b;
	const uint8_t *data;
	uint8_t *copy;
	size_t len;

	branch_encoder_start(e, 0);
	for (uint32_t i = 0; i < 300; i++) {
		struct branch one = some_branch(i);

		branch_encoder_add(e, &one, i);
	}
	data = branch_encoder_finish(e, &len);
	for (size_t n = 0; n < len; n++) {
		copy = malloc(n + 1);
		memcpy(copy, data, n);
		/* missing parts are empty: marks may be missing, branches may not */
		cr_expect(branch_batch_decode(&b, copy, n, 300, 0) || n > len / 2, "cut at %zu", n);
		branch_batch_free(&b);
		free(copy);
	}
	for (size_t n = 0; n < len; n++) {
		copy = malloc(len);
		memcpy(copy, data, len);
		copy[n] ^= (uint8_t)(1 + random_number() % 255);
		if (!branch_batch_decode(&b, copy, len, 300, 0)) {
			for (uint32_t i = 0; i < b.count; i++)
				cr_assert_lt(b.ids[i], b.npairs);
		}
		branch_batch_free(&b);
		free(copy);
	}
	branch_encoder_free(e);
}

/* A mark whose place or time would decrease: its difference is negative modulo 2^64. */
Test(branch, marks_go_forward_only)
{
	static const uint8_t place[] = { 16, 3, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					 0xff, 0xff, 1, 0, 0 };
	static const uint8_t time[] = { 15, 0, 0, 5, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 1 };
	static const uint8_t good[] = { 6, 3, 0, 5, 1, 0, 0 };
	const struct {
		const uint8_t *marks;
		size_t n;
	} cases[] = { { place, sizeof(place) }, { time, sizeof(time) }, { good, sizeof(good) } };
	struct branch_encoder *e = branch_encoder_new();
	struct branch_batch b;
	const uint8_t *made;
	uint8_t batch[256];
	size_t len;

	branch_encoder_start(e, 1000);
	for (uint32_t i = 0; i < 4; i++) {
		struct branch one = some_branch(i);

		branch_encoder_add(e, &one, 1000);
	}
	made = branch_encoder_finish(e, &len);
	cr_assert(len < 200 && !made[len - 1], "no marks so far");
	memcpy(batch, made, len);
	for (size_t i = 0; i < 3; i++) {
		size_t n = cases[i].n;

		memcpy(batch + len - 1, cases[i].marks, n);
		batch[len - 1] = (uint8_t)(n - 1);
		cr_expect_eq(!branch_batch_decode(&b, batch, len - 1 + n, 4, 1000), i == 2,
			     "case %zu", i);
		branch_batch_free(&b);
	}
	branch_encoder_free(e);
}

/* ---- steps --------------------------------------------------------------------------------- */

static struct branch_regs regs(uint64_t rip)
{
	return (struct branch_regs){ .rip = rip };
}

static bool stepped(const char *code, size_t n, struct branch_regs before, struct branch_regs now,
		    enum step_how how, uint8_t *kind)
{
	struct step s = { .insn = branch_insn_decode((const uint8_t *)code, n, false),
			  .before = before, .call = before.rcx };
	struct branch b;
	bool is = step_branch(&s, &now, how, &b);

	*kind = b.kind;
	return is;
}

/* An operand at [rip+N] is relative to rip; the target of the branch is not. */
Test(branch, indirect_through_memory)
{
	static const uint8_t call[] = {0xff, 0x15, 0, 1, 0, 0}, jmp[] = {0xff, 0x25, 0, 1, 0, 0},
			     plt[] = {0xf2, 0xff, 0x25, 0, 1, 0, 0}, direct[] = {0xe8, 0, 1, 0, 0};

	cr_expect_eq(branch_insn_decode(call, sizeof(call), false).kind, BRANCH_INDIRECT_CALL);
	cr_expect_eq(branch_insn_decode(jmp, sizeof(jmp), false).kind, BRANCH_INDIRECT_JMP);
	cr_expect_eq(branch_insn_decode(plt, sizeof(plt), false).kind, BRANCH_INDIRECT_JMP);
	cr_expect_eq(branch_insn_decode(direct, sizeof(direct), false).kind, BRANCH_CALL);
}

Test(branch, steps)
{
	const struct branch_regs at = { .rip = 0x1000 };
	struct branch_regs zero = at;
	uint8_t kind;

	zero.flags = 1 << 6;
	cr_expect(!stepped("\x90", 1, at, regs(0x1001), STEP_TRAP, &kind), "nop");
	cr_expect(!stepped("\xcc", 1, at, regs(0x1001), STEP_OTHER, &kind), "int3 is no branch");
	cr_expect(!stepped("\xcd\x03", 2, at, regs(0x1002), STEP_OTHER, &kind), "nor is int 3");
	cr_expect(stepped("\xcd\x80", 2, at, regs(0x1002), STEP_OTHER, &kind) &&
		  kind == BRANCH_SYSCALL, "int 0x80");
	cr_expect(!stepped("\xf3\xa4", 2, at, regs(0x1000), STEP_TRAP, &kind),
		  "rep movsb goes on");
	cr_expect(!stepped("\x74\x10", 2, at, regs(0x1002), STEP_TRAP, &kind),
		  "je, not taken");
	cr_expect(stepped("\x74\x10", 2, zero, regs(0x1012), STEP_TRAP, &kind) &&
		  kind == BRANCH_JCC);
	cr_expect(stepped("\x74\x00", 2, zero, regs(0x1002), STEP_TRAP, &kind),
		  "je to the next");
	cr_expect(stepped("\xeb\xfe", 2, at, regs(0x1000), STEP_TRAP, &kind),
		  "jmp to itself");
	cr_expect(!stepped("\xeb\xfe", 2, at, regs(0x1000), STEP_OTHER, &kind),
		  "it did not run");
	cr_expect(stepped("\xe8\x00\x00\x00\x00", 5, at, regs(0x1005), STEP_TRAP, &kind) &&
		  kind == BRANCH_CALL);
	cr_expect(stepped("\xc3", 1, at, regs(0x5000), STEP_TRAP, &kind) && kind == BRANCH_RET);
	cr_expect(stepped("\xc3", 1, at, regs(0x5000), STEP_SIGNAL, &kind) &&
		  kind == BRANCH_SIGNAL);
	cr_expect(stepped("\x90", 1, at, regs(0x1000), STEP_SIGNAL, &kind) &&
			  kind == BRANCH_SIGNAL,
		  "a handler interrupted by itself");
	cr_expect(stepped("\x0f\x05", 2, at, regs(0x5000), STEP_SIGNAL, &kind) &&
			  kind == BRANCH_SIGNAL,
		  "the system call did not run");
	cr_expect(stepped("\x0f\x05", 2, at, regs(0x1002), STEP_OTHER, &kind) &&
		  kind == BRANCH_SYSCALL);
}

/* ---- stacks -------------------------------------------------------------------------------- */

Test(branch, stacks)
{
	struct branch_stack a;
	const uint64_t sample[] = { 3, 30, 31, 2 | 7 << 4 | 4 << 20, 20, ~0ull, 0, 10, 11, 1 };

	branch_stack_read(&a, sample, sizeof(sample));
	cr_assert_eq(a.n, 2, "the one of the kernel is left out");
	cr_expect_eq(a.entries[0].from, 10, "the oldest first");
	cr_expect_eq(a.entries[0].flags, BRANCH_MISPREDICTED);
	cr_expect_eq(a.entries[1].flags, BRANCH_PREDICTED);
	cr_expect_eq(a.entries[1].cycles, 7);
	cr_expect_eq(a.entries[1].kind, BRANCH_CALL);
	branch_stack_read(&a, sample, 8 * 5);
	cr_expect_eq(a.n, 1, "a count that the bytes do not have");
	cr_expect(!a.strange);
}

/* As perf says it of AMD's processors: on a wrong path, on the right one, not by speculation. */
Test(branch, branches_of_a_wrong_path_are_left_out)
{
	struct branch_stack a;
	const uint64_t sample[] = {
		3, 30, 31, (uint64_t)PERF_BR_SPEC_WRONG_PATH << 24,
		20, 21, (uint64_t)PERF_BR_SPEC_CORRECT_PATH << 24,
		10, 11, (uint64_t)PERF_BR_NON_SPEC_CORRECT_PATH << 24 };

	branch_stack_read(&a, sample, sizeof(sample));
	cr_assert_eq(a.n, 2);
	cr_expect_eq(a.entries[0].from, 10);
	cr_expect_eq(a.entries[1].from, 20);
}

/*
 * Flags that a kernel takes for a part of the address, or uninitialised bytes: no branch of such a
 * stack is used.
 */
Test(branch, stacks_of_no_addresses)
{
	static const uint64_t strange[] = { 1ull << 63 | 0x401000, 1ull << 62, 0x0123000000402000,
					    1ull << 56 };
	static const uint64_t valid[] = { 0, 0x401000, 0x7fffffffffff, 0xffffffff81000000,
					  1ull << 55 };
	struct branch_stack a;

	for (size_t i = 0; i < ARRAY_SIZE(strange); i++) {
		const uint64_t from[] = { 2, 10, 11, 0, strange[i], 21, 0 };
		const uint64_t to[] = { 2, 10, 11, 0, 20, strange[i], 0 };

		cr_expect(!branch_address_valid(strange[i]), "%zu", i);
		branch_stack_read(&a, from, sizeof(from));
		cr_expect(a.strange && !a.n, "from %zu", i);
		branch_stack_read(&a, to, sizeof(to));
		cr_expect(a.strange && !a.n, "to %zu", i);
	}
	for (size_t i = 0; i < ARRAY_SIZE(valid); i++)
		cr_expect(branch_address_valid(valid[i]), "%zu", i);
}

/* A wild jump to `strange` is one lost branch: the exception that follows is the kernel's. */
Test(branch, after_a_wild_jump_comes_an_exception)
{
	static const uint64_t user = 0x401000, strange = 0x4141000000000000,
			      kernel = 0xffffffff81000000, wild = 0xdead000000401000;

	cr_expect(branch_of_kernel(&(struct branch){ .from = strange, .to = kernel }));
	cr_expect(branch_of_kernel(&(struct branch){ .from = kernel, .to = strange }));
	cr_expect(branch_of_kernel(&(struct branch){ .from = user, .to = kernel }));
	cr_expect_not(branch_of_kernel(&(struct branch){ .from = user, .to = strange }));
	cr_expect_not(branch_of_kernel(&(struct branch){ .from = user, .to = wild }));
	cr_expect_not(branch_of_kernel(&(struct branch){ .from = user, .to = user }));
}

static const uint64_t MS = 1000000;

/* Checks times of two CPUs, read within 10 us at `at` ms: how long events could count, and did. */
static bool look(struct contention *c, uint64_t at, uint64_t could, uint64_t did)
{
	return contention_check(c, could * MS, did * MS, at * MS, at * MS + 10000, 2);
}

/* Whether branches may be missing before a record of this time; the one before came just then. */
static bool at(const struct contention *c, uint64_t ms)
{
	return contention_between(c, ms * MS - 1, ms * MS);
}

Test(branch, others_have_the_counter)
{
	struct contention c = { 0 };

	/* The second event began 3 ms after the first, so that nothing was missed. */
	cr_assert(!look(&c, 5000, 3, 0));
	for (unsigned int i = 1; i < 10; i++)
		cr_assert(!look(&c, 5000 + 100 * i, 100 * i + 3, 100 * i));
	cr_assert(!at(&c, 5500));
	/* Then another program used the counter, for 4 ms and another 4 ms. */
	cr_assert(look(&c, 6000, 1003, 996));
	cr_assert(look(&c, 6100, 1103, 1092));
	cr_assert(!look(&c, 6200, 1203, 1192));
	cr_assert(!at(&c, 5900));
	cr_assert(at(&c, 5950));
	cr_assert(at(&c, 6050));
	cr_assert(!at(&c, 6150));
	/* A batch that came later has its gap before it, after the batch before. */
	cr_assert(contention_between(&c, 5950 * MS, 6150 * MS));
	cr_assert(contention_between(&c, 5850 * MS, 5950 * MS));
	cr_assert(!contention_between(&c, 5850 * MS, 5900 * MS));
	cr_assert(!contention_between(&c, 6110 * MS, 6150 * MS));
	/* The reader was preempted in between, which alone may explain the difference. */
	cr_assert(!contention_check(&c, 1309 * MS, 1292 * MS, 6300 * MS, 6306 * MS, 2));
	/*
	 * But if the difference is still there at the next reading, it existed since the last
	 * conclusive one.
	 */
	cr_assert(look(&c, 6400, 1409, 1392));
	cr_assert(!at(&c, 6200));
	cr_assert(at(&c, 6250));
	/* At the end a doubt remains. */
	cr_assert(!contention_check(&c, 1509 * MS, 1490 * MS, 6500 * MS, 6506 * MS, 2));
	cr_assert(!contention_between(&c, 6450 * MS, 6500 * MS));
	contention_doubt(&c, 6506 * MS);
	cr_assert(contention_between(&c, 6450 * MS, 6500 * MS));
	/* Records of that time may come late: an earlier range is not forgotten. */
	cr_assert(contention_between(&c, 5950 * MS, 6150 * MS));
	cr_assert(!contention_between(&c, 6110 * MS, 6150 * MS));
	contention_free(&c);
}

/* A batch with `n` marks of five bytes. */
static const char *decode_marks(uint32_t n)
{
	struct branch_encoder *e = branch_encoder_new();
	struct branch_batch b;
	const char *problem;
	const void *data;
	size_t len;

	branch_encoder_start(e, 0);
	for (uint32_t i = 0; i < n; i++)
		branch_encoder_mark(e, BRANCH_MARK_LOST, i, 300);
	data = branch_encoder_finish(e, &len);
	cr_assert(data);
	problem = branch_batch_decode(&b, data, len, 0, 0);
	cr_assert(problem || b.nmarks == n);
	branch_batch_free(&b);
	branch_encoder_free(e);
	return problem;
}

Test(branch, a_batch_has_a_limit_of_marks_however_long_they_are)
{
	cr_assert_null(decode_marks(BRANCH_MARKS_MAX));
	cr_assert_str_eq(decode_marks(BRANCH_MARKS_MAX + 1), "more marks than can be");
}
