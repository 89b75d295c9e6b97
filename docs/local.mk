# SPDX-License-Identifier: MIT
dist_doc_DATA += docs/format.md
dist_man_MANS += docs/trawl-edit.1
