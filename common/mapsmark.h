/* SPDX-License-Identifier: MIT */
/* The last line of metadata maps/PID which does not have all mappings of the process. */
#ifndef TRAWL_COMMON_MAPSMARK_H
#define TRAWL_COMMON_MAPSMARK_H

#define MAPS_CUT "# cut: only executable mappings, of the first 8 MiB of them"

#endif
