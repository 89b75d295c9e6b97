# SPDX-License-Identifier: MIT
dist_doc_DATA += docs/format.md
