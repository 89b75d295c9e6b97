/* SPDX-License-Identifier: MIT */
#include "decode/usb/visionregister.h"

#include "common/array.h"
#include "decode/base/bytes.h"

enum { SBRM_ADDRESS = 0x1d8, SIRM_ADDRESS = 0x20, EIRM_ADDRESS = 0x2c };

/* Technology-independent registers, at address 0. */
static const struct vision_register abrm[] = {
	{0x000, 4, "GenCP_Version"},
	{0x004, TEXT_REGISTER, "Manufacturer_Name"},
	{0x044, TEXT_REGISTER, "Model_Name"},
	{0x084, TEXT_REGISTER, "Family_Name"},
	{0x0c4, TEXT_REGISTER, "Device_Version"},
	{0x104, TEXT_REGISTER, "Manufacturer_Info"},
	{0x144, TEXT_REGISTER, "Serial_Number"},
	{0x184, TEXT_REGISTER, "User_Defined_Name"},
	{0x1c4, 8, "Device_Capability"},
	{0x1cc, 4, "Maximum_Device_Response_Time"},
	{0x1d0, 8, "Manifest_Table_Address"},
	{SBRM_ADDRESS, 8, "SBRM_Address"},
	{0x1e0, 8, "Device_Configuration"},
	{0x1e8, 4, "Heartbeat_Timeout"},
	{0x1ec, 4, "Message_Channel_ID"},
	{0x1f0, 8, "Timestamp"},
	{0x1f8, 4, "Timestamp_Latch"},
	{0x1fc, 8, "Timestamp_Increment"},
	{0x204, 4, "Access_Privilege"},
	{0x208, 4, "Protocol_Endianness"},
	{0x20c, 4, "Implementation_Endianness"},
};

/* Registers of USB3 Vision. */
static const struct vision_register sbrm[] = {
	{0x00, 4, "U3V_Version"},
	{0x04, 8, "U3VCP_Capability"},
	{0x0c, 8, "U3VCP_Configuration"},
	{0x14, 4, "Maximum_Command_Transfer_Length"},
	{0x18, 4, "Maximum_Acknowledge_Transfer_Length"},
	{0x1c, 4, "Number_of_Stream_Channels"},
	{SIRM_ADDRESS, 8, "SIRM_Address"},
	{0x28, 4, "SIRM_Length"},
	{EIRM_ADDRESS, 8, "EIRM_Address"},
	{0x34, 4, "EIRM_Length"},
	{0x38, 8, "IIDC2_Address"},
	{0x40, 4, "Current_Speed"},
};

/* Registers of the stream. */
static const struct vision_register sirm[] = {
	{0x00, 4, "SI_Info"},
	{0x04, 4, "SI_Control"},
	{0x08, 8, "SI_Required_Payload_Size"},
	{0x10, 4, "SI_Required_Leader_Size"},
	{0x14, 4, "SI_Required_Trailer_Size"},
	{0x18, 4, "SI_Maximum_Leader_Size"},
	{0x1c, 4, "SI_Payload_Transfer_Size"},
	{0x20, 4, "SI_Payload_Transfer_Count"},
	{0x24, 4, "SI_Payload_Final_Transfer1_Size"},
	{0x28, 4, "SI_Payload_Final_Transfer2_Size"},
	{0x2c, 4, "SI_Maximum_Trailer_Size"},
};

/* Registers of events. */
static const struct vision_register eirm[] = {
	{0x00, 4, "EI_Control"},
	{0x04, 4, "Maximum_Event_Transfer_Length"},
	{0x08, 4, "Event_Test_Control"},
};

static const struct vision_register *in_map(const struct vision_register *map, size_t n,
					    uint64_t offset)
{
	for (size_t i = 0; i < n; i++)
		if (map[i].offset == offset)
			return map + i;
	return NULL;
}

const struct vision_register *vision_register(const struct usb_vision *v, uint64_t address)
{
	const struct vision_register *r = in_map(abrm, ARRAY_SIZE(abrm), address);

	if (!r && v->sbrm)
		r = in_map(sbrm, ARRAY_SIZE(sbrm), address - v->sbrm);
	if (!r && v->sirm)
		r = in_map(sirm, ARRAY_SIZE(sirm), address - v->sirm);
	if (!r && v->eirm)
		r = in_map(eirm, ARRAY_SIZE(eirm), address - v->eirm);
	return r;
}

static void learn_one(uint64_t *map, uint64_t pointer, uint64_t address, const uint8_t *p, size_t n)
{
	if (pointer >= address && pointer - address < n && n - (pointer - address) >= 8)
		*map = get64(p + (pointer - address));
}

void vision_learn(struct usb_vision *v, uint64_t address, const uint8_t *p, size_t n)
{
	learn_one(&v->sbrm, SBRM_ADDRESS, address, p, n);
	if (v->sbrm) {
		learn_one(&v->sirm, v->sbrm + SIRM_ADDRESS, address, p, n);
		learn_one(&v->eirm, v->sbrm + EIRM_ADDRESS, address, p, n);
	}
}
