/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "common/array.h"
#include "decode/kernel/site.h"
#include "tests/decode/capture.h"

static const struct trawl_field fields[] = {
	FIXED("__probe_ip", TRAWL_ADDR, 8, 8, 1),
	FIXED("arg1", TRAWL_INT, 16, 4, 1),
	FIXED("b", TRAWL_HEX, 20, 8, 1),
	FIXED("i", TRAWL_INT, 28, 8, 1),
	FIXED("w", TRAWL_INT, 36, 2, 4),
};
static const struct trawl_event_type type = {
	.name = "p:n", .format = "", .size = 44, .nfields = 5, .fields = fields};

/* The metadata of a probe with one site. */
#define PROBE(kind_, symbol_) \
	"{\"kind\":\"" kind_ "\",\"sites\":[{\"offset\":1,\"symbol\":\"" symbol_ "\"}]}"

static struct trawl_reader *reader;
static struct event_layout *layout;

static struct probe_sites *sites(const char *json, const char *maps)
{
	const struct capture_meta m[] = {{"probe/p:n", 1, json},
					 {"maps/5", 1, maps ? maps : ""},
					 {"maps/5", 100, "1000-2000 r-xp 00000000 08:01 7 /app\n"}};

	reader = capture_of(m, maps ? 3 : 1);
	cr_assert_not_null(reader);
	layout = event_layout_new(&type);
	return sites_new(reader, "usdt", 0, layout);
}

static void done(struct probe_sites *s)
{
	sites_free(s);
	event_layout_free(layout);
	trawl_close(reader);
}

Test(site, one_site_needs_no_maps)
{
	struct probe_sites *s = sites("{\"sites\":[{\"offset\":4458,\"symbol\":\"main\",\"args\":"
				      "[{\"name\":\"arg1\",\"state\":\"exact\"}]}]}", NULL);
	const struct site *found;

	cr_assert_not_null(s);
	cr_expect(sites_plain(s));
	found = sites_find(s, 0x55550000116a, -1, 0, 1);
	cr_assert_not_null(found);
	cr_expect_str_eq(found->symbol, "main");
	cr_expect_null(sites_find(s, 0x55550000116b, -1, 0, 1));
	done(s);
}

Test(site, maps_tell_sites_of_the_same_place_in_a_page)
{
	struct probe_sites *s = sites("{\"path\":\"/app\",\"inode\":7,\"sites\":["
				      "{\"offset\":256,\"symbol\":\"one\",\"args\":[]},"
				      "{\"offset\":4352,\"symbol\":\"two\",\"args\":[]},"
				      "{\"offset\":8,\"symbol\":\"alone\",\"args\":[]}]}",
				      "10000-12000 r-xp 00000000 08:01 7 /app\n"
				      "20000-22000 r-xp 00001000 08:01 7 /app\n"
				      "30000-32000 r-xp 00000000 08:01 8 /other\n");

	cr_assert_not_null(s);
	cr_expect_str_eq(sites_find(s, 0x10100, 5, 0, 1)->symbol, "one");
	cr_expect_str_eq(sites_find(s, 0x11100, 5, 0, 1)->symbol, "two");
	cr_expect_str_eq(sites_find(s, 0x20100, 5, 0, 1)->symbol, "two");
	cr_expect_null(sites_find(s, 0x30100, 5, 0, 1), "another file");
	cr_expect_null(sites_find(s, 0x10100, 6, 0, 1), "no maps of that process");
	cr_expect_str_eq(sites_find(s, 0x99008, 6, 0, 1)->symbol, "alone");
	cr_expect_str_eq(sites_find(s, 0x10100, 5, 7, 1)->symbol, "one", "no other boot is known");
	/* later the process had other maps */
	cr_expect_str_eq(sites_find(s, 0x1100, 5, 0, 200)->symbol, "one");
	done(s);
}

Test(site, computed_arguments)
{
	struct probe_sites *s = sites(
		"{\"sites\":[{\"offset\":1,\"args\":[{\"name\":\"arg2\",\"state\":\"computed\","
		"\"sib\":{\"base\":\"b\",\"index\":\"i\",\"window\":\"w\","
		"\"scale\":2,\"start\":-2}}]}]}", NULL);
	const struct site_arg *a;
	uint8_t r[44] = {0};
	const uint8_t *e;
	const char *why;
	int64_t index;

	cr_assert_not_null(s);
	cr_expect_not(sites_plain(s));
	cr_expect(event_layout_find(layout, "w")->hidden);
	cr_expect(event_layout_find(layout, "i")->hidden);
	cr_expect_not(event_layout_find(layout, "arg1")->hidden);
	a = &sites_any(s)->args[0];
	for (int k = 0; k < 4; k++)
		r[36 + 2 * k] = (uint8_t)(10 + k);
	for (index = -1; index < 3; index++) {
		memcpy(r + 28, &index, 8);
		e = arg_bytes(a, r, sizeof(r), &why);
		cr_assert_not_null(e);
		cr_expect_eq(*e, 11 + index);
	}
	index = 3;
	memcpy(r + 28, &index, 8);
	cr_expect_null(arg_bytes(a, r, sizeof(r), &why));
	cr_expect_str_eq(why, "index outside the recorded window");
	index = INT64_MIN;
	memcpy(r + 28, &index, 8);
	cr_expect_null(arg_bytes(a, r, sizeof(r), &why));
	cr_expect_null(arg_bytes(a, r, 30, &why), "a record that is too short");
	done(s);
}

Test(site, names_of_a_value_that_is_narrower_than_its_field)
{
	struct probe_sites *s = sites(
		"{\"args\":[{\"name\":\"arg1\",\"values\":{\"RED\":1}}],\"sites\":[{\"offset\":1,"
		"\"args\":[{\"name\":\"arg1\",\"state\":\"exact\",\"type\":\"u8\"}]}]}", NULL);
	const struct shown *shown = event_layout_find(layout, "arg1");
	const uint8_t r[44] = {[16] = 1, 0xff, 0xff, 0xff};
	const char *name;

	cr_assert_not_null(s);
	cr_assert_not_null(shown->written);
	name = shown->written->name(shown->written, r, sizeof(r));
	cr_assert_not_null(name);
	cr_expect_str_eq(name, "RED");
	done(s);
}

Test(site, what_no_site_has_is_shown_by_its_plain_name)
{
	static const struct trawl_field own[] = {
		FIXED("x_na", TRAWL_UINT, 8, 1, 1),
		FIXED("y_na", TRAWL_UINT, 9, 1, 1),
	};
	static const struct trawl_event_type t = {
		.name = "p:n", .format = "", .size = 10, .nfields = 2, .fields = own};
	static const struct capture_meta m[] = {{"probe/p:n", 1,
		"{\"sites\":[{\"offset\":1,\"args\":["
		"{\"name\":\"x_na\",\"state\":\"unavailable\",\"why\":\"gone\"},"
		"{\"name\":\"y_na\",\"state\":\"unavailable\",\"why\":\"here\"}]},"
		"{\"offset\":2,\"args\":["
		"{\"name\":\"x_na\",\"state\":\"unavailable\",\"why\":\"gone\"},"
		"{\"name\":\"y_na\",\"state\":\"exact\",\"type\":\"u8\"}]}]}"}};
	struct probe_sites *s;

	reader = capture_of(m, 1);
	cr_assert_not_null(reader);
	layout = event_layout_new(&t);
	s = sites_new(reader, "usdt", 0, layout);
	cr_assert_not_null(s);
	cr_expect_str_eq(sites_any(s)->args[0].name, "x");
	cr_expect_str_eq(sites_any(s)->args[0].why, "gone");
	cr_expect(event_layout_find(layout, "x_na")->hidden);
	cr_expect_str_eq(sites_any(s)->args[1].name, "y_na", "a field that another site has");
	cr_expect_not(event_layout_find(layout, "y_na")->hidden);
	done(s);
}

static void each_has_its_own(const struct capture_meta *m)
{
	static const char *const wanted[][2] = {{"usdt", "u"}, {"uprobe", "r"}, {"event", NULL}};

	reader = capture_of(m, 2);
	cr_assert_not_null(reader);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct probe_sites *s;

		layout = event_layout_new(&type);
		s = sites_new(reader, wanted[i][0], 0, layout);
		cr_assert_eq(!s, !wanted[i][1], "%s", wanted[i][0]);
		if (s)
			cr_expect_str_eq(sites_any(s)->symbol, wanted[i][1]);
		sites_free(s);
		event_layout_free(layout);
	}
	trawl_close(reader);
}

Test(site, two_sources_may_have_probes_of_one_name)
{
	static const struct capture_meta named[] = {
		{"probe/usdt/p:n", 1, PROBE("usdt", "u")},
		{"probe/uprobe/p:n", 2, PROBE("uretprobe", "r")},
	}, older[] = {
		{"probe/p:n", 1, PROBE("usdt", "u")},
		{"probe/p:n", 2, PROBE("uretprobe", "r")},
	};

	each_has_its_own(named);
	each_has_its_own(older);
}

/* cat old.trawl new.trawl cut.trawl: the program was rebuilt in between. */
Test(site, each_capture_has_its_own)
{
	static const struct capture_meta a[] = {
		{"probe/p:n", 1, PROBE("usdt", "older")},
		{"probe/p:n", 2, PROBE("usdt", "old")},
		{"probe/p:n", 3, PROBE("uprobe", "u")},
	}, b[] = {
		{"probe/p:n", 1, PROBE("usdt", "new")},
	}, c[] = {{"task/9", 1, "{}"}};
	static const char *const wanted[] = {"old", "new", "new"};
	int fd = memfd_create("captures", 0);

	cr_assert(capture_write(fd, a, 3) && capture_write(fd, b, 1) && capture_write(fd, c, 1));
	reader = capture_read(fd);
	cr_assert_not_null(reader);
	for (uint32_t section = 0; section < 3; section++) {
		struct probe_sites *s;

		layout = event_layout_new(&type);
		s = sites_new(reader, "usdt", section, layout);
		cr_assert_not_null(s);
		cr_expect_str_eq(sites_any(s)->symbol, wanted[section]);
		sites_free(s);
		event_layout_free(layout);
	}
	trawl_close(reader);
}

Test(site, damaged_metadata_is_as_none)
{
	static const char *const bad[] = {
		"", "{", "[]", "{\"sites\":7}", "{\"sites\":[1,2,null]}",
		"{\"sites\":[{\"args\":{}}]}",
		("{\"sites\":[{\"offset\":1,\"args\":[{\"state\":\"computed\",\"sib\":3},5,"
		 "{\"name\":\"nosuch\",\"state\":\"exact\"}]}]}"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct probe_sites *s = sites(bad[i], NULL);

		if (s) {
			uint8_t r[44] = {0};
			const struct site *any = sites_any(s);
			const char *why;

			sites_find(s, 1, 5, 0, 1);
			for (uint32_t k = 0; any && k < any->nargs; k++)
				arg_bytes(&any->args[k], r, sizeof(r), &why);
		}
		done(s);
	}
}
