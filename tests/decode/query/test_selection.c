/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "decode/query/durations.h"
#include "decode/query/selection.h"

static const struct trawl_source source = {.name = "usdt"};
static const struct decoder decoder = {.kind = "test"};
static struct trawl_error err;

static struct item item_at(uint64_t time)
{
	return (struct item){.time = time, .source = &source, .name = "app:start", .name_len = 9,
			     .comm = "x", .comm_len = 1, .pid = 10, .tid = 11};
}

static bool wants(struct selection *s, uint64_t time)
{
	struct item it = item_at(time);

	return selection_wants(s, &decoder, NULL, &it, NULL);
}

static void option(struct selection *s, int code, const char *arg)
{
	cr_assert_eq(selection_option(s, code, arg, &err), 0, "%s", err.text);
}

static struct selection ready(struct selection s, uint64_t start)
{
	cr_assert_eq(selection_done(&s, true, &err), 0, "%s", err.text);
	selection_times(&s, start);
	return s;
}

Test(selection, nothing_chosen_is_everything_but_tasks)
{
	struct selection s = ready((struct selection){0}, 5);

	cr_expect(s.all);
	cr_expect(wants(&s, 1));
	cr_expect(selection_source(&s, "usdt"));
	cr_expect_not(selection_source(&s, "task"));
	cr_expect_null(selection_missing(&s));
}

Test(selection, sources)
{
	struct selection s = {0};

	option(&s, OPTION_SOURCE, "u*");
	option(&s, OPTION_SOURCE, "task");
	option(&s, OPTION_SOURCE, "event");
	cr_expect(selection_source(&s, "usdt"));
	cr_expect(selection_source(&s, "task"));
	cr_expect_not(selection_source(&s, "branch"));
	cr_expect_str_eq(selection_missing(&s), "event");
}

Test(selection, names_and_tasks)
{
	struct selection s = {0};

	option(&s, OPTION_NAME, "nothing:*");
	s = ready(s, 0);
	cr_expect_not(wants(&s, 1));
	option(&s, OPTION_NAME, "*:start");
	cr_expect(wants(&s, 1));
	option(&s, OPTION_PID, "12");
	cr_expect_not(wants(&s, 1));
	option(&s, OPTION_PID, "11"); /* the thread */
	cr_expect(wants(&s, 1));
	s.npids = 0;
	option(&s, OPTION_PID, "10"); /* the process */
	cr_expect(wants(&s, 1));
	cr_expect_not(s.all);
}

Test(selection, times_are_half_open)
{
	struct selection s = {0};

	option(&s, OPTION_FROM, "+10ns");
	option(&s, OPTION_UNTIL, "+20ns");
	s = ready(s, 1000);
	cr_expect_not(wants(&s, 1009));
	cr_expect(wants(&s, 1010));
	cr_expect(wants(&s, 1019));
	cr_expect_not(wants(&s, 1020));
}

Test(selection, wrong_values)
{
	struct selection s = {0};

	cr_expect_eq(selection_option(&s, OPTION_PID, "4294967296", &err), -1);
	cr_expect_eq(selection_option(&s, OPTION_PID, "", &err), -1);
	cr_expect_eq(selection_option(&s, 'c', "-1", &err), -1);
	cr_expect_eq(selection_option(&s, 'c', "0", &err), -1);
	cr_expect_eq(selection_option(&s, OPTION_WHERE, "a ==", &err), -1);
	cr_expect_eq(err.status, TRAWL_USAGE);
	cr_expect_eq(selection_option(&s, 'x', NULL, &err), 1, "an option of somebody else");
	for (int i = 0; i < SELECTION_MAX; i++)
		option(&s, OPTION_NAME, "x");
	cr_expect_eq(selection_option(&s, OPTION_NAME, "x", &err), -1);
	option(&s, OPTION_WHERE, "a");
	cr_expect_eq(selection_option(&s, OPTION_WHERE, "b", &err), -1);
	selection_free(&s);
	option(&s, OPTION_TO, "tomorrow");
	cr_expect_eq(selection_done(&s, true, &err), -1);
	cr_expect(strstr(err.text, "--to: not a time"));
}

/* ---- pairs of events ------------------------------------------------------------------------ */

static bool no_value(void *state, const struct item *it, const char *name, struct value *v)
{
	(void)state, (void)it, (void)name, (void)v;
	return false;
}

struct bio {
	uint64_t dev, sector, nr_sector;
};

static bool value_of_bio(void *state, const struct item *it, const char *name, struct value *v)
{
	const struct bio *bio = state;

	v->type = VALUE_UINT;
	v->u = !strcmp(name, "dev") ? bio->dev : !strcmp(name, "sector") ? bio->sector :
	       bio->nr_sector;
	return true;
}

/* Whether an event with this name ends what the other began 1 us before in the same task. */
static bool is_pair(const char *begins, const char *ends)
{
	const struct decoder d = {.kind = "test", .value = no_value};
	struct durations *s = durations_new();
	struct item it = item_at(1000);
	const char *name;
	uint64_t ns = 0;
	bool pair;

	it.name = begins;
	it.name_len = (uint32_t)strlen(begins);
	cr_assert(!durations_item(s, &d, NULL, &it, &ns, &name));
	it.name = ends;
	it.name_len = (uint32_t)strlen(ends);
	it.time = 2000;
	pair = durations_item(s, &d, NULL, &it, &ns, &name);
	cr_assert(!pair || (ns == 1000 && !strcmp(name, begins)));
	durations_free(s);
	return pair;
}

/* An end in an interrupt that does not name its request is not assigned to the interrupted task. */
Test(durations, requests_are_nobodys)
{
	cr_assert(is_pair("app:start", "app:done"));
	cr_assert(is_pair("syscalls:sys_enter_read", "syscalls:sys_exit_read"));
	cr_assert(!is_pair("block:block_io_start", "block:block_io_done"));
	cr_assert(!is_pair("scsi:scsi_dispatch_cmd_start", "scsi:scsi_dispatch_cmd_done"));
	cr_assert(!is_pair("mmc:mmc_request_start", "mmc:mmc_request_done"));
	cr_assert(!is_pair("block:block_bio_queue", "block:block_bio_complete"), "no sector");
	cr_assert(!is_pair("block:block_rq_issue", "block:block_rq_complete"), "without a sector");
}

static bool bio_item(struct durations *s, const char *name, struct bio bio, uint64_t time,
		     uint64_t *ns)
{
	const struct decoder d = {.kind = "test", .value = value_of_bio};
	struct item it = item_at(time);
	const char *began;

	it.name = name;
	it.name_len = (uint32_t)strlen(name);
	return durations_item(s, &d, &bio, &it, ns, &began);
}

/* dm-0 (253,0) passes a bio on to nullb0 (254,0): same minor, same sector, two operations. */
Test(durations, a_request_is_one_of_its_device)
{
	static const char queue[] = "block:block_bio_queue";
	static const char complete[] = "block:block_bio_complete";
	const struct bio dm = {253u << 20, 8, 8}, below = {254u << 20, 8, 8};
	const struct bio ahead = {253u << 20, 16, 0};
	struct durations *s = durations_new();
	uint64_t ns = 0;

	cr_assert(!bio_item(s, queue, dm, 1000, &ns));
	cr_assert(!bio_item(s, queue, below, 5000, &ns));
	cr_assert(bio_item(s, complete, below, 6000, &ns));
	cr_assert_eq(ns, 1000);
	cr_assert(bio_item(s, complete, ahead, 7000, &ns), "the sector after the last one");
	cr_assert_eq(ns, 6000);
	durations_free(s);
}
