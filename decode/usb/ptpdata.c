/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "decode/usb/codename.h"
#include "decode/usb/ptpdata.h"
#include "common/array.h"

#define LAYOUT(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

/* ---- codes -------------------------------------------------------------------------------- */

static const struct code_name codes[] = {
	{0x1001, "GetDeviceInfo"}, {0x1002, "OpenSession"}, {0x1003, "CloseSession"},
	{0x1004, "GetStorageIDs"}, {0x1005, "GetStorageInfo"}, {0x1006, "GetNumObjects"},
	{0x1007, "GetObjectHandles"}, {0x1008, "GetObjectInfo"}, {0x1009, "GetObject"},
	{0x100a, "GetThumb"}, {0x100b, "DeleteObject"}, {0x100c, "SendObjectInfo"},
	{0x100d, "SendObject"}, {0x100e, "InitiateCapture"}, {0x100f, "FormatStore"},
	{0x1010, "ResetDevice"}, {0x1011, "SelfTest"}, {0x1012, "SetObjectProtection"},
	{0x1013, "PowerDown"}, {0x1014, "GetDevicePropDesc"}, {0x1015, "GetDevicePropValue"},
	{0x1016, "SetDevicePropValue"}, {0x1017, "ResetDevicePropValue"},
	{0x1018, "TerminateOpenCapture"}, {0x1019, "MoveObject"}, {0x101a, "CopyObject"},
	{0x101b, "GetPartialObject"}, {0x101c, "InitiateOpenCapture"},
	{0x2000, "Undefined"}, {0x2001, "OK"}, {0x2002, "General_Error"},
	{0x2003, "Session_Not_Open"}, {0x2004, "Invalid_TransactionID"},
	{0x2005, "Operation_Not_Supported"}, {0x2006, "Parameter_Not_Supported"},
	{0x2007, "Incomplete_Transfer"}, {0x2008, "Invalid_StorageID"},
	{0x2009, "Invalid_ObjectHandle"}, {0x200a, "DeviceProp_Not_Supported"},
	{0x200b, "Invalid_ObjectFormatCode"}, {0x200c, "Store_Full"},
	{0x200d, "Object_WriteProtected"}, {0x200e, "Store_Read-Only"}, {0x200f, "Access_Denied"},
	{0x2010, "No_Thumbnail_Present"}, {0x2011, "SelfTest_Failed"},
	{0x2012, "Partial_Deletion"}, {0x2013, "Store_Not_Available"},
	{0x2014, "Specification_By_Format_Unsupported"}, {0x2015, "No_Valid_ObjectInfo"},
	{0x2016, "Invalid_Code_Format"}, {0x2017, "Unknown_Vendor_Code"},
	{0x2018, "Capture_Already_Terminated"}, {0x2019, "Device_Busy"},
	{0x201a, "Invalid_ParentObject"}, {0x201b, "Invalid_DeviceProp_Format"},
	{0x201c, "Invalid_DeviceProp_Value"}, {0x201d, "Invalid_Parameter"},
	{0x201e, "Session_Already_Open"}, {0x201f, "Transaction_Cancelled"},
	{0x2020, "Specification_of_Destination_Unsupported"},
	{0x4000, "Undefined"}, {0x4001, "CancelTransaction"}, {0x4002, "ObjectAdded"},
	{0x4003, "ObjectRemoved"}, {0x4004, "StoreAdded"}, {0x4005, "StoreRemoved"},
	{0x4006, "DevicePropChanged"}, {0x4007, "ObjectInfoChanged"},
	{0x4008, "DeviceInfoChanged"}, {0x4009, "RequestObjectTransfer"}, {0x400a, "StoreFull"},
	{0x400b, "DeviceReset"}, {0x400c, "StorageInfoChanged"}, {0x400d, "CaptureComplete"},
	{0x400e, "UnreportedStatus"},
	{0x90c0, "Nikon_Capture"}, {0x90c1, "Nikon_AfDrive"}, {0x90c2, "Nikon_SetControlMode"},
	{0x90c7, "Nikon_GetEvent"}, {0x90c8, "Nikon_DeviceReady"},
	{0x9101, "Canon_EOS_GetStorageIDs"}, {0x9102, "Canon_EOS_GetStorageInfo"},
	{0x9103, "Canon_EOS_GetObjectInfo"}, {0x9104, "Canon_EOS_GetObject"},
	{0x9107, "Canon_EOS_GetPartialObject"}, {0x9109, "Canon_EOS_GetObjectInfoEx"},
	{0x910f, "Canon_EOS_RemoteRelease"}, {0x9110, "Canon_EOS_SetDevicePropValueEx"},
	{0x9114, "Canon_EOS_SetRemoteMode"}, {0x9115, "Canon_EOS_SetEventMode"},
	{0x9116, "Canon_EOS_GetEvent"}, {0x9117, "Canon_EOS_TransferComplete"},
	{0x9128, "Canon_EOS_RemoteReleaseOn"}, {0x9129, "Canon_EOS_RemoteReleaseOff"},
	{0x9153, "Canon_EOS_GetViewFinderData"},
	{0x95c1, "GetPartialObject64"}, {0x95c2, "SendPartialObject"}, {0x95c3, "TruncateObject"},
	{0x95c4, "BeginEditObject"}, {0x95c5, "EndEditObject"},
	{0x9801, "GetObjectPropsSupported"}, {0x9802, "GetObjectPropDesc"},
	{0x9803, "GetObjectPropValue"}, {0x9804, "SetObjectPropValue"},
	{0x9805, "GetObjectPropList"}, {0x9806, "SetObjectPropList"},
	{0x9807, "GetInterdependentPropDesc"}, {0x9808, "SendObjectPropList"},
	{0x9810, "GetObjectReferences"}, {0x9811, "SetObjectReferences"}, {0x9820, "Skip"},
	{0xa801, "Invalid_ObjectPropCode"}, {0xa802, "Invalid_ObjectProp_Format"},
	{0xa803, "Invalid_ObjectProp_Value"}, {0xa804, "Invalid_ObjectReference"},
	{0xa805, "Group_Not_Supported"}, {0xa806, "Invalid_Dataset"},
	{0xa807, "Specification_By_Group_Unsupported"},
	{0xa808, "Specification_By_Depth_Unsupported"}, {0xa809, "Object_Too_Large"},
	{0xa80a, "ObjectProp_Not_Supported"},
	{0xc801, "ObjectPropChanged"}, {0xc802, "ObjectPropDescChanged"},
	{0xc803, "ObjectReferencesChanged"},
};

static const struct code_name formats[] = {
	{0x3000, "Undefined"}, {0x3001, "Association"}, {0x3002, "Script"}, {0x3003, "Executable"},
	{0x3004, "Text"}, {0x3005, "HTML"}, {0x3006, "DPOF"}, {0x3007, "AIFF"}, {0x3008, "WAV"},
	{0x3009, "MP3"}, {0x300a, "AVI"}, {0x300b, "MPEG"}, {0x300c, "ASF"},
	{0x3800, "Undefined_Image"}, {0x3801, "EXIF/JPEG"}, {0x3802, "TIFF/EP"},
	{0x3803, "FlashPix"}, {0x3804, "BMP"}, {0x3805, "CIFF"}, {0x3807, "GIF"}, {0x3808, "JFIF"},
	{0x3809, "PCD"}, {0x380a, "PICT"}, {0x380b, "PNG"}, {0x380d, "TIFF"}, {0x380e, "TIFF/IT"},
	{0x380f, "JP2"}, {0x3810, "JPX"}, {0x3811, "DNG"}, {0xb101, "Canon_CRW"},
	{0xb103, "Canon_CRW3"}, {0xb802, "Undefined_Firmware"}, {0xb900, "Undefined_Audio"},
	{0xb901, "WMA"}, {0xb902, "OGG"}, {0xb903, "AAC"}, {0xb906, "FLAC"},
	{0xb980, "Undefined_Video"}, {0xb981, "WMV"}, {0xb982, "MP4"}, {0xb984, "3GP"},
	{0xba00, "Undefined_Collection"}, {0xba03, "Abstract_Audio_Album"},
	{0xba05, "Abstract_AV_Playlist"}, {0xba82, "XML_Document"},
	{0xbb81, "Abstract_Contact"}, {0xbb82, "vCard_2"},
	{0xbb83, "vCard_3"},
};

static const struct code_name properties[] = {
	{0x5001, "BatteryLevel"}, {0x5002, "FunctionalMode"}, {0x5003, "ImageSize"},
	{0x5004, "CompressionSetting"}, {0x5005, "WhiteBalance"}, {0x5006, "RGBGain"},
	{0x5007, "FNumber"}, {0x5008, "FocalLength"}, {0x5009, "FocusDistance"},
	{0x500a, "FocusMode"}, {0x500b, "ExposureMeteringMode"}, {0x500c, "FlashMode"},
	{0x500d, "ExposureTime"}, {0x500e, "ExposureProgramMode"}, {0x500f, "ExposureIndex"},
	{0x5010, "ExposureBiasCompensation"}, {0x5011, "DateTime"}, {0x5012, "CaptureDelay"},
	{0x5013, "StillCaptureMode"}, {0x5014, "Contrast"}, {0x5015, "Sharpness"},
	{0x5016, "DigitalZoom"}, {0x5017, "EffectMode"}, {0x5018, "BurstNumber"},
	{0x5019, "BurstInterval"}, {0x501a, "TimelapseNumber"}, {0x501b, "TimelapseInterval"},
	{0x501c, "FocusMeteringMode"}, {0x501d, "UploadURL"}, {0x501e, "Artist"},
	{0x501f, "CopyrightInfo"}, {0xd401, "SynchronizationPartner"},
	{0xd402, "DeviceFriendlyName"}, {0xd403, "Volume"},
	{0xd404, "SupportedFormatsOrdered"}, {0xd405, "DeviceIcon"},
	{0xd407, "PerceivedDeviceType"}, {0xdc01, "StorageID"}, {0xdc02, "ObjectFormat"},
	{0xdc03, "ProtectionStatus"}, {0xdc04, "ObjectSize"}, {0xdc05, "AssociationType"},
	{0xdc06, "AssociationDesc"}, {0xdc07, "ObjectFileName"}, {0xdc08, "DateCreated"},
	{0xdc09, "DateModified"}, {0xdc0a, "Keywords"}, {0xdc0b, "ParentObject"},
	{0xdc41, "PersistentUniqueObjectIdentifier"}, {0xdc44, "Name"}, {0xdc46, "Artist"},
	{0xdc4e, "DateAdded"}, {0xdc4f, "NonConsumable"}, {0xdc81, "RepresentativeSampleFormat"},
	{0xdc82, "RepresentativeSampleSize"}, {0xdc86, "RepresentativeSampleData"},
	{0xdc87, "Width"}, {0xdc88, "Height"}, {0xdc89, "Duration"}, {0xdc8b, "Track"},
	{0xdc8c, "Genre"}, {0xdc9a, "AlbumName"}, {0xdce0, "DisplayName"},
};

static const struct code_name types[] = {
	{1, "INT8"}, {2, "UINT8"}, {3, "INT16"}, {4, "UINT16"}, {5, "INT32"}, {6, "UINT32"},
	{7, "INT64"}, {8, "UINT64"}, {9, "INT128"}, {10, "UINT128"}, {0x4001, "AINT8"},
	{0x4002, "AUINT8"}, {0x4004, "AUINT16"}, {0x4006, "AUINT32"}, {0x4008, "AUINT64"},
	{0xffff, "STR"},
};

static const struct code_name storages[] = {
	{1, "fixed ROM"}, {2, "removable ROM"}, {3, "fixed RAM"}, {4, "removable RAM"},
};
static const struct code_name filesystems[] = {
	{1, "generic flat"}, {2, "generic hierarchical"}, {3, "DCF"},
};
static const struct code_name accesses[] = {
	{0, "read-write"}, {1, "read-only"}, {2, "read-only with deletion"},
};

const char *ptp_code(uint16_t code)
{
	return CODE_NAME(codes, code);
}

const char *ptp_name(char kind, uint64_t v)
{
	uint32_t code = (uint32_t)v;

	switch (kind) {
	case 'C':
		return CODE_NAME(codes, code);
	case 'F':
		return CODE_NAME(formats, code);
	case 'P':
		return CODE_NAME(properties, code);
	case 'T':
		return CODE_NAME(types, code);
	case 'S':
		return CODE_NAME(storages, code);
	case 'Y':
		return CODE_NAME(filesystems, code);
	default:
		return CODE_NAME(accesses, code);
	}
}

/* ---- data sets ---------------------------------------------------------------------------- */

LAYOUT(device_info, "StandardVersion", "u2", "VendorExtensionID", "x4", "VendorExtensionVersion",
       "u2", "VendorExtensionDesc", "p", "FunctionalMode", "x2", "OperationsSupported", "l2C",
       "EventsSupported", "l2C", "DevicePropertiesSupported", "l2P", "CaptureFormats", "l2F",
       "ImageFormats", "l2F", "Manufacturer", "p", "Model", "p", "DeviceVersion", "p",
       "SerialNumber", "p");
LAYOUT(storage_info, "StorageType", "e2S", "StorageType_name", "FilesystemType", "e2Y",
       "FilesystemType_name", "AccessCapability", "e2A", "AccessCapability_name", "MaxCapacity",
       "u8", "FreeSpaceInBytes", "u8", "FreeSpaceInImages", "u4", "StorageDescription", "p",
       "VolumeLabel", "p");
LAYOUT(object_info, "StorageID", "x4", "ObjectFormat", "e2F", "ObjectFormat_name",
       "ProtectionStatus", "u2", "ObjectCompressedSize", "u4", "ThumbFormat", "e2F",
       "ThumbFormat_name", "ThumbCompressedSize", "u4", "ThumbPixWidth", "u4", "ThumbPixHeight",
       "u4", "ImagePixWidth", "u4", "ImagePixHeight", "u4", "ImageBitDepth", "u4",
       "ParentObject", "x4", "AssociationType", "x2", "AssociationDesc", "x4", "SequenceNumber",
       "u4", "Filename", "p", "CaptureDate", "p", "ModificationDate", "p", "Keywords", "p");
LAYOUT(storage_ids, "StorageIDs", "l4 ");
LAYOUT(handles, "ObjectHandles", "l4 ");
LAYOUT(prop_list, "ObjectPropsSupported", "l2P");
LAYOUT(prop_desc, "Property", "e2P", "Property_name", "DataType", "e2T", "DataType_name",
       "GetSet", "u1");
LAYOUT(elements, "Elements", "u4", "ObjectHandle", "x4", "Property", "e2P", "Property_name",
       "DataType", "e2T", "DataType_name");

static const struct {
	uint16_t operation;
	byte_layout data;
} sets[] = {
	{0x1001, device_info}, {0x1004, storage_ids}, {0x1005, storage_info}, {0x1007, handles},
	{0x1008, object_info}, {0x100c, object_info}, {0x1014, prop_desc}, {0x9801, prop_list},
	{0x9802, prop_desc}, {0x9805, elements}, {0x9806, elements}, {0x9808, elements},
	{0x9810, handles}, {0x9811, handles},
};

byte_layout ptp_data_set(uint16_t operation)
{
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		if (sets[i].operation == operation)
			return sets[i].data;
	return NULL;
}

bool ptp_has_field(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		if (byte_layout_has(sets[i].data, name, n))
			return true;
	return false;
}

void ptp_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "code_name"))
		CODE_WORDS(codes, fn, arg);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		byte_layout_words(sets[i].data, ptp_name, member, fn, arg);
}
