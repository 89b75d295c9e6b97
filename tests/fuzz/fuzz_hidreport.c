/* SPDX-License-Identifier: MIT */
/* A report descriptor after its length in two bytes, then one report that it describes. */
#include "decode/usb/hidreport.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hid_report h;
	struct tree t;
	struct out o;
	size_t n;

	if (size < 2)
		return 0;
	n = (size_t)(data[0] | data[1] << 8);
	data += 2;
	size -= 2;
	n = n < size ? n : size;
	tree_init(&t);
	out_memory(&o);
	if (hid_parse(&h, data, n)) {
		hid_descriptor_tree(&h, &t);
		for (int kind = HID_INPUT; kind < HID_KINDS; kind++) {
			hid_tree(&h, (enum hid_kind)kind, data + n, size - n, true, &t);
			hid_brief(&h, (enum hid_kind)kind, data + n, size - n, kind != 0, &o);
		}
		tree_json(&t, 0, t.count, &o);
	}
	hid_free(&h);
	out_free(&o);
	tree_free(&t);
	return 0;
}
