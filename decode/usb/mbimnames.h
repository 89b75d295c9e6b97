/* SPDX-License-Identifier: MIT */
/*
 * Names of values in MBIM's information buffers (mbimservice.c), by the tables of MBIM 1.0, chapter
 * 10.5, and of Microsoft's extensions.
 */
#ifndef TRAWL_DECODE_USB_MBIMNAMES_H
#define TRAWL_DECODE_USB_MBIMNAMES_H

#include "decode/usb/codename.h"

static const struct code_name device_types[] = {
	{0, "unknown"},
	{1, "embedded"},
	{2, "removable"},
	{3, "remote"},
};
static const struct code_name voice_classes[] = {
	{0, "unknown"},
	{1, "no voice"},
	{2, "separate voice and data"},
	{3, "simultaneous voice and data"},
};
static const struct code_name ready_states[] = {
	{0, "not initialized"}, {1, "initialized"},	{2, "SIM not inserted"},
	{3, "bad SIM"},		{4, "failure"},		{5, "not activated"},
	{6, "device locked"},	{7, "no eSIM profile"},
};
static const struct code_name switches[] = {
	{0, "off"},
	{1, "on"},
};
static const struct code_name pin_types[] = {
	{0, "unknown"},
	{1, "custom"},
	{2, "PIN1"},
	{3, "PIN2"},
	{4, "device SIM PIN"},
	{5, "device first SIM PIN"},
	{6, "network PIN"},
	{7, "network subset PIN"},
	{8, "service provider PIN"},
	{9, "corporate PIN"},
	{10, "subsidy PIN"},
	{11, "PUK1"},
	{12, "PUK2"},
	{13, "device first SIM PUK"},
	{14, "network PUK"},
	{15, "network subset PUK"},
	{16, "service provider PUK"},
	{17, "corporate PUK"},
	{18, "NEV"},
	{19, "ADM"},
};
static const struct code_name pin_operations[] = {
	{0, "enter"},
	{1, "enable"},
	{2, "disable"},
	{3, "change"},
};
static const struct code_name pin_states[] = {
	{0, "unlocked"},
	{1, "locked"},
};
static const struct code_name pin_modes[] = {
	{0, "not supported"},
	{1, "enabled"},
	{2, "disabled"},
};
static const struct code_name pin_formats[] = {
	{0, "unknown"},
	{1, "numeric"},
	{2, "alphanumeric"},
};
static const struct code_name scans[] = {
	{0, "full"},
	{1, "restricted"},
};
static const struct code_name register_actions[] = {
	{0, "automatic"},
	{1, "manual"},
};
static const struct code_name register_states[] = {
	{0, "unknown"}, {1, "deregistered"}, {2, "searching"}, {3, "home"},
	{4, "roaming"}, {5, "partner"},	     {6, "denied"},
};
static const struct code_name register_modes[] = {
	{0, "unknown"},
	{1, "automatic"},
	{2, "manual"},
};
static const struct code_name packet_actions[] = {
	{0, "attach"},
	{1, "detach"},
};
static const struct code_name packet_states[] = {
	{0, "unknown"}, {1, "attaching"}, {2, "attached"}, {3, "detaching"}, {4, "detached"},
};
static const struct code_name activation_commands[] = {
	{0, "deactivate"},
	{1, "activate"},
};
static const struct code_name activation_states[] = {
	{0, "unknown"},	    {1, "activated"},	 {2, "activating"},
	{3, "deactivated"}, {4, "deactivating"},
};
static const struct code_name voice_states[] = {
	{0, "none"},
	{1, "in progress"},
	{2, "hang up"},
};
static const struct code_name ip_types[] = {
	{0, "default"}, {1, "IPv4"}, {2, "IPv6"}, {3, "IPv4v6"}, {4, "IPv4 and IPv6"},
};
static const struct code_name compressions[] = {
	{0, "none"},
	{1, "enabled"},
};
static const struct code_name auth_protocols[] = {
	{0, "none"},
	{1, "PAP"},
	{2, "CHAP"},
	{3, "MS-CHAPv2"},
};
static const struct code_name media[] = {
	{0, "unknown"},
	{1, "3GPP"},
	{2, "3GPP preferred"},
};
static const struct code_name abilities[] = {
	{0, "disabled"},
	{1, "enabled"},
};
static const struct code_name sms_storages[] = {
	{0, "not initialized"},
	{1, "initialized"},
};
static const struct code_name sms_formats[] = {
	{0, "PDU"},
	{1, "CDMA"},
};
static const struct code_name sms_filters[] = {
	{0, "all"}, {1, "index"}, {2, "new"}, {3, "old"}, {4, "sent"}, {5, "draft"},
};
static const struct code_name sms_statuses[] = {
	{0, "new"},
	{1, "old"},
	{2, "draft"},
	{3, "sent"},
};
static const struct code_name cdma_encodings[] = {
	{0, "octet"},	  {1, "EPM"},	 {2, "7-bit ASCII"},  {3, "IA5"},   {4, "Unicode"},
	{5, "Shift-JIS"}, {6, "Korean"}, {7, "Latin/Hebrew"}, {8, "Latin"}, {9, "GSM 7-bit"},
};
static const struct code_name cdma_languages[] = {
	{0, "unknown"},	 {1, "English"}, {2, "French"},	 {3, "Spanish"},
	{4, "Japanese"}, {5, "Korean"},	 {6, "Chinese"}, {7, "Hebrew"},
};
static const struct code_name ussd_actions[] = {
	{0, "initiate"},
	{1, "continue"},
	{2, "cancel"},
};
static const struct code_name ussd_responses[] = {
	{0, "no action required"}, {1, "action required"},	   {2, "terminated by network"},
	{3, "other local client"}, {4, "operation not supported"}, {5, "network timeout"},
};
static const struct code_name ussd_sessions[] = {
	{0, "new"},
	{1, "existing"},
};
static const struct code_name phonebook_filters[] = {
	{0, "all"},
	{1, "index"},
};
static const struct code_name phonebook_saves[] = {
	{0, "unused"},
	{1, "index"},
};
static const struct code_name pac_types[] = {
	{0, "proactive command"},
	{1, "notification"},
};
static const struct code_name links[] = {
	{0, "deactivate"},
	{1, "activate"},
};
static const struct code_name slot_states[] = {
	{0, "unknown"}, {1, "off and empty"}, {2, "off"},
	{3, "empty"},	{4, "not ready"},     {5, "active"},
	{6, "error"},	{7, "active eSIM"},   {8, "active eSIM without profiles"},
};
static const struct code_name context_sources[] = {
	{0, "admin"}, {1, "user"}, {2, "operator"}, {3, "modem"}, {4, "device"},
};
static const struct code_name context_roaming[] = {
	{0, "home"},
	{1, "partner"},
	{2, "non-partner"},
	{3, "home and partner"},
	{4, "home and non-partner"},
	{5, "partner and non-partner"},
	{6, "all"},
};
static const struct code_name attach_roaming[] = {
	{0, "home"},
	{1, "partner"},
	{2, "non-partner"},
};
static const struct code_name context_media[] = {
	{0, "cellular"},
	{1, "Wi-Fi"},
	{2, "all"},
};
static const struct code_name operations[] = {
	{0, "default"},
	{1, "delete"},
	{2, "restore factory"},
};
static const struct code_name attach_operations[] = {
	{0, "default"},
	{1, "restore factory"},
};
static const struct code_name attach_states[] = {
	{0, "detached"},
	{1, "attached"},
};
static const struct code_name sar_modes[] = {
	{0, "device"},
	{1, "OS"},
};
static const struct code_name wifi_states[] = {
	{0, "integrated"},
	{1, "not integrated"},
};
static const struct code_name transmissions[] = {
	{0, "inactive"},
	{1, "active"},
};
static const struct code_name pco_types[] = {
	{0, "complete"},
	{1, "partial"},
};
static const struct code_name class_bytes[] = {
	{0, "interindustry"},
	{1, "extended"},
};
static const struct code_name secure_messaging[] = {
	{0, "none"},
	{1, "no header authentication"},
};
static const struct code_name modem_states[] = {
	{0, "unknown"},
	{1, "started"},
	{2, "completed"},
};
static const struct code_name cellular_classes[] = {
	{0x1, "GSM"},
	{0x2, "CDMA"},
};
static const struct code_name sim_classes[] = {
	{0x1, "logical"},
	{0x2, "removable"},
};
static const struct code_name sms_caps[] = {
	{0x1, "PDU receive"},
	{0x2, "PDU send"},
	{0x4, "text receive"},
	{0x8, "text send"},
};
static const struct code_name control_caps[] = {
	{0x1, "manual registration"},
	{0x2, "hardware radio switch"},
	{0x4, "CDMA mobile IP"},
	{0x8, "CDMA simple IP"},
	{0x10, "multi-carrier"},
	{0x20, "eSIM"},
	{0x40, "UE policy route selection"},
	{0x80, "hot swap"},
};
static const struct code_name ready_infos[] = {
	{0x1, "protect unique id"},
};
static const struct code_name ready_flags[] = {
	{0x1, "eSIM"},
	{0x2, "SIM removability known"},
	{0x4, "SIM removable"},
	{0x8, "SIM slot active"},
};
static const struct code_name provider_states[] = {
	{0x1, "home"},	  {0x2, "forbidden"},	{0x4, "preferred"},
	{0x8, "visible"}, {0x10, "registered"}, {0x20, "preferred multi-carrier"},
};
static const struct code_name registration_flags[] = {
	{0x1, "manual selection not available"},
	{0x2, "automatic packet service attach"},
};
static const struct code_name configured[] = {
	{0x1, "address"},
	{0x2, "gateway"},
	{0x4, "DNS"},
	{0x8, "MTU"},
};
static const struct code_name dss_directions[] = {
	{0x1, "host to device"},
	{0x2, "device to host"},
};
static const struct code_name sms_flags[] = {
	{0x1, "store full"},
	{0x2, "new message"},
};
static const struct code_name frequency_ranges[] = {
	{0x1, "FR1"},
	{0x2, "FR2"},
};
static const struct code_name data_subclasses[] = {
	{0x1, "5G EN-DC"}, {0x2, "5G NR"},	 {0x4, "5G NE-DC"},
	{0x8, "5G eLTE"},  {0x10, "5G NGEN-DC"},
};
static const struct code_name data_classes[] = {
	{0x1, "GPRS"},
	{0x2, "EDGE"},
	{0x4, "UMTS"},
	{0x8, "HSDPA"},
	{0x10, "HSUPA"},
	{0x20, "LTE"},
	{0x40, "5G NSA"},
	{0x80, "5G SA"},
	{0x10000, "1xRTT"},
	{0x20000, "1xEV-DO"},
	{0x40000, "1xEV-DO Rev A"},
	{0x80000, "1xEV-DV"},
	{0x100000, "3xRTT"},
	{0x200000, "1xEV-DO Rev B"},
	{0x400000, "UMB"},
	{0x80000000u, "custom"},
};
/* Causes of rejection by the network: 3GPP TS 24.008, 10.5.3.6 and 10.5.5.14. */
static const struct code_name network_errors[] = {
	{0, "none"},
	{2, "IMSI unknown in HLR"},
	{3, "illegal MS"},
	{4, "IMSI unknown in VLR"},
	{5, "IMEI not accepted"},
	{6, "illegal ME"},
	{7, "GPRS not allowed"},
	{8, "GPRS and non-GPRS not allowed"},
	{9, "MS identity unknown to network"},
	{10, "implicitly detached"},
	{11, "PLMN not allowed"},
	{12, "location area not allowed"},
	{13, "roaming not allowed in location area"},
	{14, "GPRS not allowed in PLMN"},
	{15, "no cells in location area"},
	{16, "MSC temporarily not reachable"},
	{17, "network failure"},
	{20, "MAC failure"},
	{21, "synch failure"},
	{22, "congestion"},
	{23, "GSM authentication unacceptable"},
	{25, "not authorized for CSG"},
	{26, "insufficient resources"},
	{27, "missing or unknown APN"},
	{28, "unknown PDP address or type"},
	{29, "user authentication failed"},
	{30, "activation rejected by gateway"},
	{31, "activation rejected"},
	{32, "service option not supported"},
	{33, "service option not subscribed"},
	{34, "service option out of order"},
	{50, "IPv4 only"},
	{51, "IPv6 only"},
};

#endif
