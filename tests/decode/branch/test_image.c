/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "common/array.h"
#include "decode/branch/image.h"
#include "tests/decode/capture.h"

static struct trawl_reader *reader;
static struct images *images;

static void read_metas(const struct capture_meta *m, size_t n)
{
	reader = capture_of(m, n);
	cr_assert_not_null(reader);
	images = images_new(reader);
	cr_assert_not_null(images);
}

static void done(void)
{
	images_free(images);
	trawl_close(reader);
}

Test(image, a_mapping_without_a_name)
{
	static const struct capture_meta m[] = {{"branch/maps/5", 1,
		"1000-2000 r-xp 00000000 00:00 0 \n"
		"3000-4000 r-xp 00000000 00:00 0\n"
		"5000-6000 r-xp 00000000 08:01 7                      /opt/an app\n"
		"7000-8000 r-xp 00000000 00:00 0                      [vdso]"}};
	const struct image_maps *maps;

	read_metas(m, ARRAY_SIZE(m));
	maps = images_maps(images, 0, 5, 1);
	cr_assert_not_null(maps);
	cr_assert_eq(maps->n, 4);
	cr_expect_str_eq(maps->ranges[0].label, "");
	cr_expect_str_eq(maps->ranges[1].label, "");
	cr_expect_str_eq(maps->ranges[2].label, "/opt/an app");
	cr_expect_str_eq(maps->ranges[3].label, "[vdso]");
	done();
}

/* Rows out of order, with many at one address: the last of these counts. */
Test(image, the_last_line_of_an_address)
{
	static char text[65536];
	struct capture_meta m[] = {{"branch/module/k", 1, text}};
	struct image_module *module;
	const char *file;
	uint32_t line;
	size_t n = (size_t)sprintf(text, "{\"path\":\"/opt/app\",\"functions\":[[4096,65536,\"f\"]],"
				   "\"files\":[\"a.c\"],\"lines\":[");

	for (int i = 0; i < 600; i++) /* 4097 + i % 3, in line i + 1; differences */
		n += (size_t)sprintf(text + n, "%s%d,1,1", i ? "," : "",
				     !i ? 4097 : i % 3 ? 1 : -2);
	sprintf(text + n, "]}");
	read_metas(m, ARRAY_SIZE(m));
	images_maps(images, 0, 5, 1);
	module = images_modules(images);
	cr_assert_not_null(module);
	for (uint64_t k = 0; k < 3; k++) {
		cr_assert(image_line_at(module, 4097 + k, &file, &line));
		cr_expect_eq(line, 598 + k, "%u", line);
	}
	done();
}
