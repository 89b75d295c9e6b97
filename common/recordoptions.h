/* SPDX-License-Identifier: MIT */
/* trawl's options: for parsing them, and for redacting their values in a recorded command line. */
#ifndef TRAWL_COMMON_RECORDOPTIONS_H
#define TRAWL_COMMON_RECORDOPTIONS_H

#include <getopt.h>

enum record_option { /* of long options, as getopt_long() returns them */
	OPT_GC = 256, OPT_LEVEL, OPT_HELP, OPT_VERSION, OPT_DURATION, OPT_JSON, OPT_RING,
	OPT_TRIGGER, OPT_AFTER, OPT_SELF_TEST
};

#define RECORD_SHORT_OPTIONS "+:Di:w:c:s:B:C:G:W:Z:qvtmUp:"

extern const struct option record_options[]; /* the long ones */

#endif
