/* SPDX-License-Identifier: MIT */
/* How errors and verdicts name a rule of the format that a block or payload breaks. */
#ifndef TRAWL_FORMAT_RULE_H
#define TRAWL_FORMAT_RULE_H

/* What is wrong, by which section of docs/format.md. */
#define RULE(section, what) what " (docs/format.md, " section ")"

#define RULE_LENGTHS RULE("Blocks", "its two lengths differ")
#define RULE_BODY \
	RULE("Bodies", "its body does not expand, its fields are impossible, or its source is missing")
#define RULE_PAYLOAD RULE("Chunk (5)", "its payload's check fails")
#define RULE_INTERFACE RULE("Source (2)", "its interface check fails")
#define RULE_NO_SOURCE RULE("Damage", "the source of a chunk is missing")

#endif
