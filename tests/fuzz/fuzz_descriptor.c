/* SPDX-License-Identifier: MIT */
/* Any bytes as the answer to GET_DESCRIPTOR; the first four choose the descriptor and the class. */
#include "decode/usb/descriptor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct descriptor_request r = {0};
	struct tree t;
	struct out o;

	if (size < 4)
		return 0;
	r.type = data[0];
	r.index = data[1] & 1;
	r.to.class = data[1] >> 1;
	r.to.subclass = data[2];
	r.to.protocol = data[3];
	tree_init(&t);
	out_memory(&o);
	descriptor_tree(&r, data + 4, size - 4, &t);
	tree_json(&t, 0, t.count, &o);
	tree_lines(&t, 0, t.count, 0, &o);
	descriptor_brief(&r, data + 4, size - 4, &o);
	out_free(&o);
	tree_free(&t);
	return 0;
}
