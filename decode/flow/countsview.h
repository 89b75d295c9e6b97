/* SPDX-License-Identifier: MIT */
/* trawl-decode --counts: prints how often functions and edges were executed. */
#ifndef TRAWL_DECODE_FLOW_COUNTSVIEW_H
#define TRAWL_DECODE_FLOW_COUNTSVIEW_H

#include "decode/flow/flow.h"

int counts_print(const struct selection *sel, struct stream *s, bool json, struct out *out,
		 struct trawl_error *err);

#endif
