/* SPDX-License-Identifier: MIT */
/*
 * The pieces of a Go parameter that is passed in registers, one for each number or pointer in it.
 * Go before 1.20 (seen in 1.19) leaves out the padding between them, so that DWARF's rule, by which
 * a piece begins where the one before ends, places them in the wrong members.
 */
#ifndef TRAWL_CAPTURE_PROBE_GOPIECES_H
#define TRAWL_CAPTURE_PROBE_GOPIECES_H

#include "config.h"

#ifdef HAVE_DW
#include <stdbool.h>

#include "capture/probe/location.h"

/*
 * Sets the beginnings of the pieces by the members of the type, which has no typedefs. False if
 * they fit them neither with padding nor without.
 */
bool go_place_pieces(struct location *loc, Dwarf_Die *type);

#endif
#endif
