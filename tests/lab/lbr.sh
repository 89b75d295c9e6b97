# SPDX-License-Identifier: MIT
# tests/lab/lbr compares the processor's records with known branches. This tests its rule for an
# interrupt between two branches, which rarely happens in the lab.
"$TRAWL_BUILD/tests/lab/lbr" rule
