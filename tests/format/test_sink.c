/* SPDX-License-Identifier: MIT */
/* The sink: the offset at which a file begins, and partly written blocks. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "format/sink.h"

/* Opens a sink in memory after the ten bytes that the file had before. */
static FILE *opened(struct file_sink *sink, int flags)
{
	FILE *f = tmpfile();

	cr_assert(f);
	cr_assert_eq(write(fileno(f), "0123456789", 10), 10);
	lseek(fileno(f), 4, SEEK_SET);
	fcntl(fileno(f), F_SETFL, flags);
	memset(sink, 0xa5, sizeof(*sink));
	sink_open(sink, fileno(f));
	return f;
}

Test(sink, nothing_is_written_and_nothing_failed)
{
	struct file_sink sink;
	FILE *f = opened(&sink, 0);

	cr_assert_eq(sink.fd, fileno(f));
	cr_assert(sink.seekable);
	cr_assert_eq(sink.pos, 0);
	cr_assert_eq(sink.seq, 0);
	cr_assert_eq(sink.last, 0);
	cr_assert_eq(sink.error, 0);
	cr_assert_eq(sink.base, 4, "where the descriptor is");
	cr_assert_eq(sink.reserved, 4);
	cr_assert(sink.writeback);
	free(sink.writeback);
	fclose(f);
}

Test(sink, of_a_file_that_is_added_to_the_end_is_the_place)
{
	struct file_sink sink;
	FILE *f = opened(&sink, O_APPEND);

	cr_assert_eq(sink.base, 10);
	free(sink.writeback);
	fclose(f);
}

Test(sink, a_limit_of_the_size_is_known)
{
	struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
	struct file_sink sink;
	FILE *f = opened(&sink, 0);

	free(sink.writeback);
	getrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(sink.most, limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur);
	limit.rlim_cur = 1 << 20;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	sink_open(&sink, fileno(f));
	cr_assert_eq(sink.most, 1 << 20);
	free(sink.writeback);
	fclose(f);
}

Test(sink, a_pipe_has_no_place)
{
	struct file_sink sink;
	int pair[2];

	cr_assert_eq(pipe(pair), 0);
	memset(&sink, 0xa5, sizeof(sink));
	sink_open(&sink, pair[1]);
	cr_assert_not(sink.seekable);
	cr_assert_null(sink.writeback);
	cr_assert_eq(sink.base, 0);
	cr_assert_eq(sink.most, UINT64_MAX);
	close(pair[0]);
	close(pair[1]);
}
