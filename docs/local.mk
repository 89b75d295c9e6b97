# SPDX-License-Identifier: MIT
dist_doc_DATA += docs/format.md docs/security.md docs/zdict.txt docs/zdict2.txt docs/branch-hardware.md
dist_man_MANS += docs/trawl.1 docs/trawl-decode.1 docs/trawl-export.1 docs/trawl-edit.1 docs/trawl-report.1
dist_man_MANS += docs/trawl-replay.1 docs/trawl-access.8
dist_man_MANS += docs/uprobe_poll.3
dist_man_MANS += docs/trawl.ko.4
