/* SPDX-License-Identifier: MIT */
#include "common/branchrecord.h"
#include "common/array.h"
#include "common/pcapng.h"

static const struct trawl_field common_fields[] = {
	{ "tid", "u32", "", TRAWL_PID, TRAWL_FIXED, 0, 0, 4, 1 },
};

static const struct trawl_field stream_fields[] = {
	{ "pid", "u32", "", TRAWL_PID, TRAWL_FIXED, 0, 4, 4, 1 },
	{ "until", "u64", "time of the last branch", TRAWL_TIME, TRAWL_FIXED, 0, 8, 8, 1 },
	{ "count", "u32", "number of branches", TRAWL_UINT, TRAWL_FIXED, 0, 16, 4, 1 },
	{ "backend", "u32", "who recorded them", TRAWL_ENUM, TRAWL_FIXED, 0, 20, 4, 1 },
	{ "batch", "u8[]", "the branches", TRAWL_BYTES, TRAWL_TAIL, 0, 24, 1, 1 },
};

static const struct trawl_field last_fields[] = {
	{ "pid", "u32", "", TRAWL_PID, TRAWL_FIXED, 0, 4, 4, 1 },
	{ "until", "u64", "time of the event", TRAWL_TIME, TRAWL_FIXED, 0, 8, 8, 1 },
	{ "count", "u32", "number of branches", TRAWL_UINT, TRAWL_FIXED, 0, 16, 4, 1 },
	{ "backend", "u32", "who recorded them", TRAWL_ENUM, TRAWL_FIXED, 0, 20, 4, 1 },
	{ "address", "u64", "the instruction that was hit", TRAWL_ADDR, TRAWL_FIXED, 0, 24, 8, 1 },
	{ "batch", "u8[]", "the branches", TRAWL_BYTES, TRAWL_TAIL, 0, 32, 1, 1 },
};

int branchrecord_describe(struct trawl_writer *w, const char *spec, bool last,
			  struct trawl_error *err)
{
	const struct trawl_source source = {
		.name = "branch", .spec = spec, .kind = BRANCH_SOURCE_KIND,
		.clock = TRAWL_CLOCK_MONO, .linktype = LINKTYPE_UPPER_PDU, .resolution = 1,
		.ncommon = ARRAY_SIZE(common_fields), .common = common_fields,
	};
	struct trawl_event_type type = {
		.id = BRANCH_TYPE_STREAM, .name = "branch:stream", .format = "",
		.size = sizeof(struct branch_record),
		.nfields = ARRAY_SIZE(stream_fields), .fields = stream_fields,
	};
	int id = trawl_writer_source(w, &source, err);

	if (last)
		type = (struct trawl_event_type){
			.id = BRANCH_TYPE_LAST, .name = "branch:last", .format = "",
			.size = sizeof(struct branch_last_record),
			.nfields = ARRAY_SIZE(last_fields), .fields = last_fields,
		};
	type.source = (uint16_t)id;
	return id < 0 || trawl_writer_event_type(w, &type, err) ? -1 : id;
}
