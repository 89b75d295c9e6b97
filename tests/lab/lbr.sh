# SPDX-License-Identifier: MIT
# tests/lab/lbr compares the processor's records with known branches: whether that comparison itself
# is right, which is rarely seen in the lab (an interrupt has to come between two branches).
"$TRAWL_BUILD/tests/lab/lbr" rule
