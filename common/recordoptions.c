/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "common/recordoptions.h"

const struct option record_options[] = {
	{ "gc", no_argument, NULL, OPT_GC },
	{ "self-test", required_argument, NULL, OPT_SELF_TEST },
	{ "level", required_argument, NULL, OPT_LEVEL },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "ring", required_argument, NULL, OPT_RING },
	{ "trigger", required_argument, NULL, OPT_TRIGGER },
	{ "after", required_argument, NULL, OPT_AFTER },
	{ 0 },
};
