/* SPDX-License-Identifier: MIT */
/* Sources: WebUSB, Microsoft OS 2.0 Descriptors, USB-IF's list of language identifiers. */
#include "decode/usb/wellknown.h"
#include "common/array.h"

#include <string.h>

#include "decode/usb/codename.h"

const char *platform_uuid_name(const uint8_t uuid[16])
{
	static const struct {
		uint8_t uuid[16];
		const char *name;
	} list[] = {
		{{0x38, 0xb6, 0x08, 0x34, 0xa9, 0x09, 0xa0, 0x47, 0x8b, 0xfd, 0xa0, 0x76, 0x88,
		  0x15, 0xb6, 0x65}, "WebUSB"},
		{{0xdf, 0x60, 0xdd, 0xd8, 0x89, 0x45, 0xc7, 0x4c, 0x9c, 0xd2, 0x65, 0x9d, 0x9e,
		  0x64, 0x8a, 0x9f}, "Microsoft OS 2.0"},
		{{0x63, 0xec, 0x0a, 0x01, 0x74, 0xf6, 0xcd, 0x52, 0x9d, 0xda, 0x28, 0x52, 0x55,
		  0x0d, 0x94, 0xf0}, "Microsoft alternate enumeration"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		if (!memcmp(list[i].uuid, uuid, 16))
			return list[i].name;
	return NULL;
}

const char *language_name(uint16_t id)
{
	static const struct code_name list[] = {
		{0x0401, "Arabic (Saudi Arabia)"},
		{0x0404, "Chinese (Taiwan)"},
		{0x0405, "Czech"},
		{0x0406, "Danish"},
		{0x0407, "German"},
		{0x0408, "Greek"},
		{0x0409, "English (United States)"},
		{0x040a, "Spanish"},
		{0x040b, "Finnish"},
		{0x040c, "French"},
		{0x040d, "Hebrew"},
		{0x040e, "Hungarian"},
		{0x0410, "Italian"},
		{0x0411, "Japanese"},
		{0x0412, "Korean"},
		{0x0413, "Dutch"},
		{0x0414, "Norwegian"},
		{0x0415, "Polish"},
		{0x0416, "Portuguese (Brazil)"},
		{0x0418, "Romanian"},
		{0x0419, "Russian"},
		{0x041b, "Slovak"},
		{0x041d, "Swedish"},
		{0x041e, "Thai"},
		{0x041f, "Turkish"},
		{0x0421, "Indonesian"},
		{0x0422, "Ukrainian"},
		{0x042a, "Vietnamese"},
		{0x0804, "Chinese (PRC)"},
		{0x0807, "German (Switzerland)"},
		{0x0809, "English (United Kingdom)"},
		{0x080c, "French (Belgium)"},
		{0x0816, "Portuguese"},
		{0x0c04, "Chinese (Hong Kong)"},
		{0x0c09, "English (Australia)"},
		{0x0c0c, "French (Canada)"},
		{0x1009, "English (Canada)"},
		{0x04ff, "HID usage data"},
	};

	return CODE_NAME(list, id);
}

const char *svid_name(uint16_t svid)
{
	static const struct code_name list[] = {
		{0xff00, "USB PD"},
		{0xff01, "DisplayPort"},
		{0xff02, "MHL"},
		{0x8087, "Thunderbolt"},
	};

	return CODE_NAME(list, svid);
}
