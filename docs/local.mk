# SPDX-License-Identifier: MIT
dist_doc_DATA += docs/format.md docs/security.md docs/zdict.txt docs/zdict2.txt docs/branch-hardware.md
dist_man_MANS += docs/trawl.1 docs/trawl-decode.1 docs/trawl-export.1 docs/trawl-edit.1 docs/trawl-report.1
dist_man_MANS += docs/trawl-replay.1 docs/trawl-access.8
dist_man_MANS += docs/uprobe_poll.3

# Its other names: pages that lead to it.
UPROBE_PAGES = docs/uprobe_register.3 docs/uprobe_unregister.3 docs/uprobe_detach.3 \
	docs/uprobe_run_khandler.3 docs/uprobe_error.3 docs/uprobe_last_hit.3 docs/uprobe_several.3 \
	docs/uprobe_every.3 docs/uprobe_poll_of.3 docs/uprobe_fd.3 docs/uprobe_arm.3 \
	docs/uprobe_record_branches.3 docs/uprobe_read.3 docs/uprobe_write.3 \
	docs/uprobe_get_registers.3 docs/uprobe_set_registers.3
$(UPROBE_PAGES):
	$(AM_V_GEN)$(MKDIR_P) docs && echo '.so man3/uprobe_poll.3' >$@
nodist_man_MANS = $(UPROBE_PAGES)
CLEANFILES += $(UPROBE_PAGES)

dist_man_MANS += docs/trawl.ko.4
