# SPDX-License-Identifier: MIT
# Foreign captures, which are not in the tree: `make captures-check CAPTURES=FOLDER`.
EXTRA_DIST += tests/captures/LIST tests/captures/check.py tests/captures/classes.py tests/captures/fetch.sh \
	tests/captures/compact.py
CAPTURES = captures
.PHONY: captures-check
captures-check: all
	PATH='$(abs_top_builddir)':"$$PATH" $(srcdir)/tests/captures/check.py '$(CAPTURES)'

# How much smaller compact makes them, and recordings: `make compact-check CAPTURES=FOLDER COMPACT="FILE..."`.
.PHONY: compact-check
compact-check: all
	PATH='$(abs_top_builddir)':"$$PATH" $(srcdir)/tests/captures/compact.py '$(CAPTURES)' $(COMPACT)
