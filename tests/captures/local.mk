# SPDX-License-Identifier: MIT
# Foreign captures, which are not in the tree: `make captures-check CAPTURES=FOLDER`;
# RESULTS=FILE (make gives it to the script's environment) keeps what was checked, and an
# interrupted run goes on after it.
EXTRA_DIST += tests/captures/LIST tests/captures/check.py tests/captures/classes.py tests/captures/fetch.sh \
	tests/captures/btrows.py tests/captures/discrows.py tests/captures/pedalrows.py tests/captures/partrows.py tests/captures/values.py \
	tests/captures/latency.py tests/captures/compact.py tests/captures/replay.py
CAPTURES = captures
.PHONY: captures-check
captures-check: all
	PATH='$(abs_top_builddir)':"$$PATH" $(srcdir)/tests/captures/check.py '$(CAPTURES)'

# How much smaller compact makes them, and recordings: `make compact-check CAPTURES=FOLDER COMPACT="FILE..."`.
.PHONY: compact-check
compact-check: all
	PATH='$(abs_top_builddir)':"$$PATH" $(srcdir)/tests/captures/compact.py '$(CAPTURES)' $(COMPACT)

# Every device of foreign captures, replayed to a host that asks what the capture's host asked.
.PHONY: captures-replay
captures-replay: all
	TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
		$(srcdir)/tests/captures/replay.py '$(CAPTURES)'
