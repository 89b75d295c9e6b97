/* SPDX-License-Identifier: MIT */
/* Samples for sample.c's table; each takes fd. Returns 0, or -1 with *err. */
#ifndef TRAWL_TESTS_FORMAT_SAMPLE_CODINGS_H
#define TRAWL_TESTS_FORMAT_SAMPLE_CODINGS_H

#include "format/trawl.h"

/* Closes the writer. Returns -1 if that fails, or failed is not 0: then *err is left as it is. */
int sample_finish(struct trawl_writer *w, int failed, struct trawl_error *err);

int sample_codings(int fd, struct trawl_error *err);
int sample_single(int fd, struct trawl_error *err);
int sample_moved(int fd, struct trawl_error *err);
int sample_ticks(int fd, struct trawl_error *err);
int sample_backward(int fd, struct trawl_error *err);
int sample_timeline(int fd, struct trawl_error *err);
int sample_version1(int fd, struct trawl_error *err);
int sample_example(int fd, struct trawl_error *err);
int sample_marks(int fd, struct trawl_error *err);

#endif
