/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "decode/usb/codename.h"
#include "decode/usb/hci.h"
#include "decode/usb/hcibits.h"
#include "common/array.h"

#define STATUS "hci_status", "e1S", "hci_status_name"

/* ---- layouts ------------------------------------------------------------------------------ */

#define LAYOUT(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

LAYOUT(status_, STATUS);
LAYOUT(statush_, STATUS, "handle", "x2");
LAYOUT(statusa_, STATUS, "bd_addr", "a");
LAYOUT(handle_, "handle", "x2");
LAYOUT(addr_, "bd_addr", "a");
LAYOUT(inquiry_, "lap", "x3", "inquiry_length", "u1", "num_responses", "u1");
LAYOUT(create_,
       "bd_addr", "a", "packet_type", "f2T", "packet_type_set", "page_scan_repetition_mode", "u1", "reserved", "x1",
       "clock_offset", "x2", "allow_role_switch", "u1");
LAYOUT(disconnect_, "handle", "x2", "reason", "e1S", "reason_name");
LAYOUT(accept_, "bd_addr", "a", "role", "u1");
LAYOUT(reject_, "bd_addr", "a", "reason", "e1S", "reason_name");
LAYOUT(linkkey_, "bd_addr", "a", "link_key", "k16");
LAYOUT(pin_, "bd_addr", "a", "pin_length", "u1", "pin", "k16");
LAYOUT(passkeyreply_, "bd_addr", "a", "passkey", "k4u");
LAYOUT(oob_, "bd_addr", "a", "oob_hash", "k16", "oob_randomizer", "k16");
LAYOUT(oobext_,
       "bd_addr", "a", "oob_hash", "k16", "oob_randomizer", "k16", "oob_hash_256", "k16",
       "oob_randomizer_256", "k16");
LAYOUT(statusoob_, STATUS, "oob_hash", "k16", "oob_randomizer", "k16");
LAYOUT(statusoobext_,
       STATUS, "oob_hash", "k16", "oob_randomizer", "k16", "oob_hash_256", "k16",
       "oob_randomizer_256", "k16");
LAYOUT(storekeys_, "num_keys", "u1", "bd_addr", "a", "link_key", "k16");
LAYOUT(statuswritten_, STATUS, "num_keys_written", "u1");
LAYOUT(changetype_, "handle", "x2", "packet_type", "f2T", "packet_type_set");
LAYOUT(encrypt_, "handle", "x2", "enable", "u1");
LAYOUT(remotename_,
       "bd_addr", "a", "page_scan_repetition_mode", "u1", "reserved", "x1", "clock_offset",
       "x2");
LAYOUT(extfeatures_, "handle", "x2", "page_number", "u1");
LAYOUT(sniff_,
       "handle", "x2", "sniff_max_interval", "u2", "sniff_min_interval", "u2", "sniff_attempt",
       "u2", "sniff_timeout", "u2");
LAYOUT(policyh_, "handle", "x2", "link_policy", "f2P", "link_policy_set");
LAYOUT(policy_, "link_policy", "f2P", "link_policy_set");
LAYOUT(statuspolicy_, STATUS, "handle", "x2", "link_policy", "f2P", "link_policy_set");
LAYOUT(statuspolicyd_, STATUS, "link_policy", "f2P", "link_policy_set");
LAYOUT(role_, "bd_addr", "a", "role", "u1");
LAYOUT(statusrole_, STATUS, "handle", "x2", "role", "u1");
LAYOUT(mask_, "event_mask", "f8M", "event_mask_set");
LAYOUT(filter_, "filter_type", "u1", "condition", "b0");
LAYOUT(delkey_, "bd_addr", "a", "delete_all", "u1");
LAYOUT(statusdel_, STATUS, "num_keys_deleted", "u2");
LAYOUT(readkey_, "bd_addr", "a", "read_all", "u1");
LAYOUT(statusreadkey_, STATUS, "max_num_keys", "u2", "num_keys", "u2");
LAYOUT(name_, "local_name", "t248");
LAYOUT(statusname_, STATUS, "local_name", "t248");
LAYOUT(timeout_, "timeout", "u2");
LAYOUT(statustimeout_, STATUS, "timeout", "u2");
LAYOUT(scan_, "scan_enable", "u1");
LAYOUT(statusscan_, STATUS, "scan_enable", "u1");
LAYOUT(activity_, "interval", "u2", "window", "u2");
LAYOUT(statusactivity_, STATUS, "interval", "u2", "window", "u2");
LAYOUT(auth_, "authentication_enable", "u1");
LAYOUT(statusauth_, STATUS, "authentication_enable", "u1");
LAYOUT(encmode_, "encryption_mode", "u1");
LAYOUT(statusencmode_, STATUS, "encryption_mode", "u1");
LAYOUT(cls_, "class_of_device", "x3");
LAYOUT(statuscls_, STATUS, "class_of_device", "x3");
LAYOUT(voice_, "voice_setting", "x2");
LAYOUT(statusvoice_, STATUS, "voice_setting", "x2");
LAYOUT(hostbuf_,
       "acl_data_length", "u2", "sco_data_length", "u1", "num_acl_packets", "u2",
       "num_sco_packets", "u2");
LAYOUT(lst_, "handle", "x2", "link_supervision_timeout", "u2");
LAYOUT(statuslst_, STATUS, "handle", "x2", "link_supervision_timeout", "u2");
LAYOUT(statusiac_, STATUS, "num_iac", "u1");
LAYOUT(statuslap_, STATUS, "num_iac", "u1", "lap", "x3");
LAYOUT(writelap_, "num_iac", "u1", "lap", "x3");
LAYOUT(inqmode_, "inquiry_mode", "u1");
LAYOUT(statusinqmode_, STATUS, "inquiry_mode", "u1");
LAYOUT(scantype_, "scan_type", "u1");
LAYOUT(statusscantype_, STATUS, "scan_type", "u1");
LAYOUT(eir_, "fec_required", "u1", "eir", "b240");
LAYOUT(statuseir_, STATUS, "fec_required", "u1", "eir", "b240");
LAYOUT(ssp_, "simple_pairing_mode", "u1");
LAYOUT(statusssp_, STATUS, "simple_pairing_mode", "u1");
LAYOUT(statustx_, STATUS, "tx_power", "s1");
LAYOUT(lehost_, "le_supported_host", "u1", "simultaneous_le_host", "u1");
LAYOUT(statuslehost_, STATUS, "le_supported_host", "u1", "simultaneous_le_host", "u1");
LAYOUT(version_,
       STATUS, "hci_version", "e1V", "hci_version_name", "hci_revision", "x2", "lmp_version",
       "e1V", "lmp_version_name", "manufacturer", "u2", "lmp_subversion", "x2");
LAYOUT(commands_, STATUS, "supported_commands", "b64");
LAYOUT(features_, STATUS, "lmp_features", "f8L", "lmp_features_set");
/* The features of each page; other pages, whose bits have no names, as the first. */
#define LOCAL(...) STATUS, "page_number", "u1", "max_page_number", "u1", "lmp_features", __VA_ARGS__
LAYOUT(extlocal_, LOCAL("x8"));
LAYOUT(extlocal0_, LOCAL("f8L", "lmp_features_set"));
LAYOUT(extlocal1_, LOCAL("f8H", "lmp_features_set"));
LAYOUT(extlocal2_, LOCAL("f8C", "lmp_features_set"));
LAYOUT(pageonly_, "page_number", "u1");
LAYOUT(buffer_,
       STATUS, "acl_data_length", "u2", "sco_data_length", "u1", "num_acl_packets", "u2",
       "num_sco_packets", "u2");
LAYOUT(statusaddr_, STATUS, "bd_addr", "a");
LAYOUT(rssi_, STATUS, "handle", "x2", "rssi", "s1");
LAYOUT(quality_, STATUS, "handle", "x2", "link_quality", "u1");
LAYOUT(io_,
       "bd_addr", "a", "io_capability", "u1", "oob_data_present", "u1",
       "authentication_requirements", "u1");
LAYOUT(compare_, "bd_addr", "a", "numeric_value", "u4");
LAYOUT(lemask_, "le_event_mask", "f8E", "le_event_mask_set");
LAYOUT(lebuf_, STATUS, "le_acl_data_length", "u2", "le_num_acl_packets", "u1");
LAYOUT(lefeat_, STATUS, "le_features", "f8F", "le_features_set");
LAYOUT(leadv_,
       "adv_interval_min", "u2", "adv_interval_max", "u2", "adv_type", "u1", "own_address_type",
       "u1", "peer_address_type", "u1", "peer_address", "a", "adv_channel_map", "x1",
       "adv_filter_policy", "u1");
LAYOUT(leadvdata_, "data_length", "u1", "advertising_data", "b31");
LAYOUT(leadven_, "advertising_enable", "u1");
LAYOUT(lescanp_,
       "le_scan_type", "u1", "le_scan_interval", "u2", "le_scan_window", "u2",
       "own_address_type", "u1", "scanning_filter_policy", "u1");
LAYOUT(lescan_, "le_scan_enable", "u1", "filter_duplicates", "u1");
LAYOUT(lecreate_,
       "le_scan_interval", "u2", "le_scan_window", "u2", "initiator_filter_policy", "u1",
       "peer_address_type", "u1", "peer_address", "a", "own_address_type", "u1",
       "conn_interval_min", "u2", "conn_interval_max", "u2", "conn_latency", "u2",
       "supervision_timeout", "u2", "ce_length_min", "u2", "ce_length_max", "u2");
LAYOUT(leupdate_,
       "handle", "x2", "conn_interval_min", "u2", "conn_interval_max", "u2", "conn_latency",
       "u2", "supervision_timeout", "u2", "ce_length_min", "u2", "ce_length_max", "u2");
LAYOUT(lelist_, "address_type", "u1", "address", "a");
LAYOUT(statuslist_, STATUS, "list_size", "u1");
LAYOUT(random_, STATUS, "random", "x8");
LAYOUT(lestates_, STATUS, "le_states", "x8");
LAYOUT(lecrypt_, "key", "k16", "plaintext", "k16");
LAYOUT(lecrypted_, STATUS, "encrypted", "b16");
LAYOUT(leresolve_,
       "peer_address_type", "u1", "peer_address", "a", "peer_irk", "k16", "local_irk", "k16");
LAYOUT(leenc_, "handle", "x2", "random", "x8", "ediv", "x2", "long_term_key", "k16");
LAYOUT(leltk_, "handle", "x2", "long_term_key", "k16");
LAYOUT(ledlen_, "handle", "x2", "tx_octets", "u2", "tx_time", "u2");
LAYOUT(statusdlen_, STATUS, "tx_octets", "u2", "tx_time", "u2");
LAYOUT(statusmaxlen_,
       STATUS, "max_tx_octets", "u2", "max_tx_time", "u2", "max_rx_octets", "u2", "max_rx_time",
       "u2");
LAYOUT(leexten_,
       "le_scan_enable", "u1", "filter_duplicates", "u1", "duration", "u2", "period", "u2");
LAYOUT(e_conn_,
       STATUS, "handle", "x2", "bd_addr", "a", "link_type", "u1", "encryption_mode", "u1");
LAYOUT(e_req_, "bd_addr", "a", "class_of_device", "x3", "link_type", "u1");
LAYOUT(e_disc_, STATUS, "handle", "x2", "reason", "e1S", "reason_name");
LAYOUT(e_name_, STATUS, "bd_addr", "a", "remote_name", "t248");
LAYOUT(e_enc_, STATUS, "handle", "x2", "enable", "u1");
LAYOUT(e_feat_, STATUS, "handle", "x2", "lmp_features", "f8L", "lmp_features_set");
LAYOUT(e_ver_,
       STATUS, "handle", "x2", "lmp_version", "e1V", "lmp_version_name", "manufacturer", "u2",
       "lmp_subversion", "x2");
LAYOUT(e_inq_,
       "num_responses", "u1", "bd_addr", "a", "page_scan_repetition_mode", "u1", "reserved",
       "x1", "reserved", "x1", "class_of_device", "x3", "clock_offset", "x2");
LAYOUT(e_inqrssi_,
       "num_responses", "u1", "bd_addr", "a", "page_scan_repetition_mode", "u1", "reserved",
       "x1", "class_of_device", "x3", "clock_offset", "x2", "rssi", "s1");
LAYOUT(e_eir_,
       "num_responses", "u1", "bd_addr", "a", "page_scan_repetition_mode", "u1", "reserved",
       "x1", "class_of_device", "x3", "clock_offset", "x2", "rssi", "s1", "eir", "b240");
LAYOUT(e_error_, "hardware_code", "x1");
LAYOUT(e_role_, STATUS, "bd_addr", "a", "role", "u1");
LAYOUT(e_num_, "num_handles", "u1", "handle", "x2", "num_completed", "u2");
LAYOUT(e_mode_, STATUS, "handle", "x2", "mode", "u1", "interval", "u2");
LAYOUT(e_keys_, "bd_addr", "a", "link_key", "k16", "key_type", "u1");
LAYOUT(l_dhkey_, STATUS, "dhkey", "k32");
LAYOUT(e_press_, "bd_addr", "a", "notification_type", "u1");
LAYOUT(e_hostfeat_, "bd_addr", "a", "host_features", "x8");
LAYOUT(e_slots_, "handle", "x2", "max_slots", "u1");
LAYOUT(e_clock_, STATUS, "handle", "x2", "clock_offset", "x2");
LAYOUT(e_type_, STATUS, "handle", "x2", "packet_type", "f2T", "packet_type_set");
LAYOUT(e_psrm_, "bd_addr", "a", "page_scan_repetition_mode", "u1");
LAYOUT(e_qos_,
       STATUS, "handle", "x2", "flags", "x1", "service_type", "u1", "token_rate", "u4",
       "peak_bandwidth", "u4", "qos_latency", "u4", "delay_variation", "u4");
#define REMOTE(...)                                                                                \
	STATUS, "handle", "x2", "page_number", "u1", "max_page_number", "u1", "lmp_features",      \
		__VA_ARGS__
LAYOUT(e_ext_, REMOTE("x8"));
LAYOUT(e_ext0_, REMOTE("f8L", "lmp_features_set"));
LAYOUT(e_ext1_, REMOTE("f8H", "lmp_features_set"));
LAYOUT(e_ext2_, REMOTE("f8C", "lmp_features_set"));
LAYOUT(e_sync_,
       STATUS, "handle", "x2", "bd_addr", "a", "link_type", "u1", "transmission_interval", "u1",
       "retransmission_window", "u1", "rx_packet_length", "u2", "tx_packet_length", "u2",
       "air_mode", "u1");
LAYOUT(e_ssp_, STATUS, "bd_addr", "a");
LAYOUT(e_lst_, "handle", "x2", "link_supervision_timeout", "u2");
LAYOUT(e_sniffsub_,
       STATUS, "handle", "x2", "max_tx_latency", "u2", "max_rx_latency", "u2",
       "min_remote_timeout", "u2", "min_local_timeout", "u2");
LAYOUT(l_conn_,
       STATUS, "handle", "x2", "role", "u1", "peer_address_type", "u1", "peer_address", "a",
       "conn_interval", "u2", "conn_latency", "u2", "supervision_timeout", "u2",
       "central_clock_accuracy", "u1");
LAYOUT(l_adv_,
       "num_reports", "u1", "adv_event_type", "u1", "address_type", "u1", "address", "a",
       "data_length", "u1", "advertising_data", "n", "rssi", "s1");
LAYOUT(l_upd_,
       STATUS, "handle", "x2", "conn_interval", "u2", "conn_latency", "u2",
       "supervision_timeout", "u2");
LAYOUT(l_feat_, STATUS, "handle", "x2", "le_features", "f8F", "le_features_set");
LAYOUT(l_ltk_, "handle", "x2", "random", "x8", "ediv", "x2");
LAYOUT(l_dlen_,
       "handle", "x2", "max_tx_octets", "u2", "max_tx_time", "u2", "max_rx_octets", "u2",
       "max_rx_time", "u2");
LAYOUT(l_enh_,
       STATUS, "handle", "x2", "role", "u1", "peer_address_type", "u1", "peer_address", "a",
       "local_rpa", "a", "peer_rpa", "a", "conn_interval", "u2", "conn_latency", "u2",
       "supervision_timeout", "u2", "central_clock_accuracy", "u1");
LAYOUT(l_phy_, STATUS, "handle", "x2", "tx_phy", "u1", "rx_phy", "u1");

/* ---- commands and events ----------------------------------------------------------------- */

static const struct hci_entry commands[] = {
	{0x0401, "Inquiry", inquiry_, NULL}, {0x0402, "Inquiry_Cancel", NULL, status_},
	{0x0405, "Create_Connection", create_, NULL}, {0x0406, "Disconnect", disconnect_, NULL},
	{0x0408, "Create_Connection_Cancel", addr_, statusa_},
	{0x0409, "Accept_Connection_Request", accept_, NULL},
	{0x040a, "Reject_Connection_Request", reject_, NULL},
	{0x040b, "Link_Key_Request_Reply", linkkey_, statusa_},
	{0x040c, "Link_Key_Request_Negative_Reply", addr_, statusa_},
	{0x040d, "PIN_Code_Request_Reply", pin_, statusa_},
	{0x040e, "PIN_Code_Request_Negative_Reply", addr_, statusa_},
	{0x040f, "Change_Connection_Packet_Type", changetype_, NULL},
	{0x0411, "Authentication_Requested", handle_, NULL},
	{0x0413, "Set_Connection_Encryption", encrypt_, NULL},
	{0x0419, "Remote_Name_Request", remotename_, NULL},
	{0x041a, "Remote_Name_Request_Cancel", addr_, statusa_},
	{0x041b, "Read_Remote_Supported_Features", handle_, NULL},
	{0x041c, "Read_Remote_Extended_Features", extfeatures_, NULL},
	{0x041d, "Read_Remote_Version_Information", handle_, NULL},
	{0x041f, "Read_Clock_Offset", handle_, NULL},
	{0x042b, "IO_Capability_Request_Reply", io_, statusa_},
	{0x042c, "User_Confirmation_Request_Reply", addr_, statusa_},
	{0x042d, "User_Confirmation_Request_Negative_Reply", addr_, statusa_},
	{0x042e, "User_Passkey_Request_Reply", passkeyreply_, statusa_},
	{0x042f, "User_Passkey_Request_Negative_Reply", addr_, statusa_},
	{0x0430, "Remote_OOB_Data_Request_Reply", oob_, statusa_},
	{0x0433, "Remote_OOB_Data_Request_Negative_Reply", addr_, statusa_},
	{0x0445, "Remote_OOB_Extended_Data_Request_Reply", oobext_, statusa_},
	{0x0803, "Sniff_Mode", sniff_, NULL}, {0x0804, "Exit_Sniff_Mode", handle_, NULL},
	{0x0807, "QoS_Setup", NULL, NULL}, {0x0809, "Role_Discovery", handle_, statusrole_},
	{0x080b, "Switch_Role", role_, NULL},
	{0x080c, "Read_Link_Policy_Settings", handle_, statuspolicy_},
	{0x080d, "Write_Link_Policy_Settings", policyh_, statush_},
	{0x080e, "Read_Default_Link_Policy_Settings", NULL, statuspolicyd_},
	{0x080f, "Write_Default_Link_Policy_Settings", policy_, status_},
	{0x0c01, "Set_Event_Mask", mask_, status_}, {0x0c03, "Reset", NULL, status_},
	{0x0c05, "Set_Event_Filter", filter_, status_}, {0x0c08, "Flush", handle_, statush_},
	{0x0c0d, "Read_Stored_Link_Key", readkey_, statusreadkey_},
	{0x0c11, "Write_Stored_Link_Key", storekeys_, statuswritten_},
	{0x0c12, "Delete_Stored_Link_Key", delkey_, statusdel_},
	{0x0c13, "Write_Local_Name", name_, status_},
	{0x0c14, "Read_Local_Name", NULL, statusname_},
	{0x0c15, "Read_Connection_Accept_Timeout", NULL, statustimeout_},
	{0x0c16, "Write_Connection_Accept_Timeout", timeout_, status_},
	{0x0c17, "Read_Page_Timeout", NULL, statustimeout_},
	{0x0c18, "Write_Page_Timeout", timeout_, status_},
	{0x0c19, "Read_Scan_Enable", NULL, statusscan_},
	{0x0c1a, "Write_Scan_Enable", scan_, status_},
	{0x0c1b, "Read_Page_Scan_Activity", NULL, statusactivity_},
	{0x0c1c, "Write_Page_Scan_Activity", activity_, status_},
	{0x0c1d, "Read_Inquiry_Scan_Activity", NULL, statusactivity_},
	{0x0c1e, "Write_Inquiry_Scan_Activity", activity_, status_},
	{0x0c1f, "Read_Authentication_Enable", NULL, statusauth_},
	{0x0c20, "Write_Authentication_Enable", auth_, status_},
	{0x0c21, "Read_Encryption_Mode", NULL, statusencmode_},
	{0x0c22, "Write_Encryption_Mode", encmode_, status_},
	{0x0c23, "Read_Class_of_Device", NULL, statuscls_},
	{0x0c24, "Write_Class_of_Device", cls_, status_},
	{0x0c25, "Read_Voice_Setting", NULL, statusvoice_},
	{0x0c26, "Write_Voice_Setting", voice_, status_},
	{0x0c2d, "Read_Transmit_Power_Level", NULL, NULL},
	{0x0c33, "Host_Buffer_Size", hostbuf_, status_},
	{0x0c36, "Read_Link_Supervision_Timeout", handle_, statuslst_},
	{0x0c37, "Write_Link_Supervision_Timeout", lst_, statush_},
	{0x0c38, "Read_Number_Of_Supported_IAC", NULL, statusiac_},
	{0x0c39, "Read_Current_IAC_LAP", NULL, statuslap_},
	{0x0c3a, "Write_Current_IAC_LAP", writelap_, status_},
	{0x0c44, "Read_Inquiry_Mode", NULL, statusinqmode_},
	{0x0c45, "Write_Inquiry_Mode", inqmode_, status_},
	{0x0c46, "Read_Page_Scan_Type", NULL, statusscantype_},
	{0x0c47, "Write_Page_Scan_Type", scantype_, status_},
	{0x0c51, "Read_Extended_Inquiry_Response", NULL, statuseir_},
	{0x0c52, "Write_Extended_Inquiry_Response", eir_, status_},
	{0x0c55, "Read_Simple_Pairing_Mode", NULL, statusssp_},
	{0x0c56, "Write_Simple_Pairing_Mode", ssp_, status_},
	{0x0c57, "Read_Local_OOB_Data", NULL, statusoob_},
	{0x0c58, "Read_Inquiry_Response_Transmit_Power_Level", NULL, statustx_},
	{0x0c63, "Set_Event_Mask_Page_2", mask_, status_},
	{0x0c6c, "Read_LE_Host_Support", NULL, statuslehost_},
	{0x0c6d, "Write_LE_Host_Support", lehost_, status_},
	{0x0c7d, "Read_Local_OOB_Extended_Data", NULL, statusoobext_},
	{0x1001, "Read_Local_Version_Information", NULL, version_},
	{0x1002, "Read_Local_Supported_Commands", NULL, commands_},
	{0x1003, "Read_Local_Supported_Features", NULL, features_},
	{0x1004, "Read_Local_Extended_Features", pageonly_, extlocal_},
	{0x1005, "Read_Buffer_Size", NULL, buffer_}, {0x1009, "Read_BD_ADDR", NULL, statusaddr_},
	{0x1403, "Read_Link_Quality", handle_, quality_}, {0x1405, "Read_RSSI", handle_, rssi_},
	{0x2001, "LE_Set_Event_Mask", lemask_, status_},
	{0x2002, "LE_Read_Buffer_Size", NULL, lebuf_},
	{0x2003, "LE_Read_Local_Supported_Features", NULL, lefeat_},
	{0x2005, "LE_Set_Random_Address", addr_, status_},
	{0x2006, "LE_Set_Advertising_Parameters", leadv_, status_},
	{0x2007, "LE_Read_Advertising_Channel_Tx_Power", NULL, statustx_},
	{0x2008, "LE_Set_Advertising_Data", leadvdata_, status_},
	{0x2009, "LE_Set_Scan_Response_Data", leadvdata_, status_},
	{0x200a, "LE_Set_Advertising_Enable", leadven_, status_},
	{0x200b, "LE_Set_Scan_Parameters", lescanp_, status_},
	{0x200c, "LE_Set_Scan_Enable", lescan_, status_},
	{0x200d, "LE_Create_Connection", lecreate_, NULL},
	{0x200e, "LE_Create_Connection_Cancel", NULL, status_},
	{0x200f, "LE_Read_White_List_Size", NULL, statuslist_},
	{0x2010, "LE_Clear_White_List", NULL, status_},
	{0x2011, "LE_Add_Device_To_White_List", lelist_, status_},
	{0x2012, "LE_Remove_Device_From_White_List", lelist_, status_},
	{0x2013, "LE_Connection_Update", leupdate_, NULL},
	{0x2016, "LE_Read_Remote_Used_Features", handle_, NULL},
	{0x2017, "LE_Encrypt", lecrypt_, lecrypted_},
	{0x2018, "LE_Rand", NULL, random_}, {0x2019, "LE_Start_Encryption", leenc_, NULL},
	{0x201a, "LE_Long_Term_Key_Request_Reply", leltk_, statush_},
	{0x201b, "LE_Long_Term_Key_Request_Negative_Reply", handle_, statush_},
	{0x201c, "LE_Read_Supported_States", NULL, lestates_},
	{0x2022, "LE_Set_Data_Length", ledlen_, statush_},
	{0x2023, "LE_Read_Suggested_Default_Data_Length", NULL, statusdlen_},
	{0x2024, "LE_Write_Suggested_Default_Data_Length", NULL, status_},
	{0x2027, "LE_Add_Device_To_Resolving_List", leresolve_, status_},
	{0x202a, "LE_Read_Resolving_List_Size", NULL, statuslist_},
	{0x202f, "LE_Read_Maximum_Data_Length", NULL, statusmaxlen_},
	{0x2041, "LE_Set_Extended_Scan_Parameters", NULL, status_},
	{0x2042, "LE_Set_Extended_Scan_Enable", leexten_, status_},
};

static const struct hci_entry events[] = {
	{0x01, "Inquiry_Complete", status_, NULL},
	{0x02, "Inquiry_Result", e_inq_, NULL},
	{0x03, "Connection_Complete", e_conn_, NULL},
	{0x04, "Connection_Request", e_req_, NULL},
	{0x05, "Disconnection_Complete", e_disc_, NULL},
	{0x06, "Authentication_Complete", statush_, NULL},
	{0x07, "Remote_Name_Request_Complete", e_name_, NULL},
	{0x08, "Encryption_Change", e_enc_, NULL},
	{0x09, "Change_Connection_Link_Key_Complete", statush_, NULL},
	{0x0b, "Read_Remote_Supported_Features_Complete", e_feat_, NULL},
	{0x0c, "Read_Remote_Version_Information_Complete", e_ver_, NULL},
	{0x0d, "QoS_Setup_Complete", e_qos_, NULL},
	{0x0e, "Command_Complete", NULL, NULL},
	{0x0f, "Command_Status", NULL, NULL},
	{0x10, "Hardware_Error", e_error_, NULL},
	{0x11, "Flush_Occurred", handle_, NULL},
	{0x12, "Role_Change", e_role_, NULL},
	{0x13, "Number_Of_Completed_Packets", e_num_, NULL},
	{0x14, "Mode_Change", e_mode_, NULL},
	{0x15, "Return_Link_Keys", storekeys_, NULL},
	{0x16, "PIN_Code_Request", addr_, NULL},
	{0x17, "Link_Key_Request", addr_, NULL},
	{0x18, "Link_Key_Notification", e_keys_, NULL},
	{0x1b, "Max_Slots_Change", e_slots_, NULL},
	{0x1c, "Read_Clock_Offset_Complete", e_clock_, NULL},
	{0x1d, "Connection_Packet_Type_Changed", e_type_, NULL},
	{0x20, "Page_Scan_Repetition_Mode_Change", e_psrm_, NULL},
	{0x22, "Inquiry_Result_with_RSSI", e_inqrssi_, NULL},
	{0x23, "Read_Remote_Extended_Features_Complete", e_ext_, NULL},
	{0x2c, "Synchronous_Connection_Complete", e_sync_, NULL},
	{0x2e, "Sniff_Subrating", e_sniffsub_, NULL},
	{0x2f, "Extended_Inquiry_Result", e_eir_, NULL},
	{0x31, "IO_Capability_Request", addr_, NULL},
	{0x32, "IO_Capability_Response", io_, NULL},
	{0x33, "User_Confirmation_Request", compare_, NULL},
	{0x34, "User_Passkey_Request", addr_, NULL},
	{0x36, "Simple_Pairing_Complete", e_ssp_, NULL},
	{0x38, "Link_Supervision_Timeout_Changed", e_lst_, NULL},
	{0x35, "Remote_OOB_Data_Request", addr_, NULL},
	{0x39, "Enhanced_Flush_Complete", handle_, NULL},
	{0x3b, "User_Passkey_Notification", passkeyreply_, NULL},
	{0x3c, "Keypress_Notification", e_press_, NULL},
	{0x3d, "Remote_Host_Supported_Features_Notification", e_hostfeat_, NULL},
	{0x57, "Authenticated_Payload_Timeout_Expired", handle_, NULL},
	{0x3e, "LE_Meta", NULL, NULL},
	{0xff, "Vendor", NULL, NULL},
};

static const struct hci_entry le_events[] = {
	{0x01, "LE_Connection_Complete", l_conn_, NULL},
	{0x02, "LE_Advertising_Report", l_adv_, NULL},
	{0x03, "LE_Connection_Update_Complete", l_upd_, NULL},
	{0x04, "LE_Read_Remote_Features_Complete", l_feat_, NULL},
	{0x05, "LE_Long_Term_Key_Request", l_ltk_, NULL},
	{0x07, "LE_Data_Length_Change", l_dlen_, NULL},
	{0x09, "LE_Generate_DHKey_Complete", l_dhkey_, NULL},
	{0x0a, "LE_Enhanced_Connection_Complete", l_enh_, NULL},
	{0x0c, "LE_PHY_Update_Complete", l_phy_, NULL},
	{0x0d, "LE_Extended_Advertising_Report", NULL, NULL},
};

static const struct code_name statuses[] = {
	{0x00, "Success"}, {0x01, "Unknown HCI Command"},
	{0x02, "Unknown Connection Identifier"}, {0x03, "Hardware Failure"},
	{0x04, "Page Timeout"}, {0x05, "Authentication Failure"}, {0x06, "PIN or Key Missing"},
	{0x07, "Memory Capacity Exceeded"}, {0x08, "Connection Timeout"},
	{0x09, "Connection Limit Exceeded"}, {0x0b, "Connection Already Exists"},
	{0x0c, "Command Disallowed"}, {0x0d, "Rejected due to Limited Resources"},
	{0x0e, "Rejected due to Security Reasons"},
	{0x0f, "Rejected due to Unacceptable BD_ADDR"},
	{0x10, "Connection Accept Timeout Exceeded"},
	{0x11, "Unsupported Feature or Parameter Value"},
	{0x12, "Invalid HCI Command Parameters"}, {0x13, "Remote User Terminated Connection"},
	{0x14, "Remote Device Terminated Connection due to Low Resources"},
	{0x15, "Remote Device Terminated Connection due to Power Off"},
	{0x16, "Connection Terminated by Local Host"}, {0x17, "Repeated Attempts"},
	{0x18, "Pairing Not Allowed"}, {0x1a, "Unsupported Remote Feature"},
	{0x1f, "Unspecified Error"}, {0x22, "LMP Response Timeout"}, {0x28, "Instant Passed"},
	{0x29, "Pairing with Unit Key Not Supported"}, {0x2f, "Insufficient Security"},
	{0x3a, "Controller Busy"}, {0x3b, "Unacceptable Connection Parameters"},
	{0x3c, "Advertising Timeout"}, {0x3d, "Connection Terminated due to MIC Failure"},
	{0x3e, "Connection Failed to be Established"},
};

static const char *const versions[] = {
	"1.0b", "1.1", "1.2", "2.0+EDR", "2.1+EDR", "3.0+HS", "4.0", "4.1", "4.2", "5.0", "5.1",
	"5.2", "5.3", "5.4",
};

const char *hci_name(char kind, uint64_t v)
{
	if (kind != 'S' && kind != 'V')
		return hci_bit_name(kind, (unsigned int)v);
	if (kind == 'S')
		return CODE_NAME(statuses, (uint32_t)v);
	return v < ARRAY_SIZE(versions) ? versions[v] : NULL;
}

byte_layout hci_paged(byte_layout l, const uint8_t *p, size_t n)
{
	static const byte_layout local[] = {extlocal0_, extlocal1_, extlocal2_};
	static const byte_layout remote[] = {e_ext0_, e_ext1_, e_ext2_};

	if (l == extlocal_ && n > 1 && p[1] < ARRAY_SIZE(local))
		return local[p[1]];
	if (l == e_ext_ && n > 3 && p[3] < ARRAY_SIZE(remote))
		return remote[p[3]];
	return l;
}

static const struct hci_entry *find(const struct hci_entry *list, size_t n, uint16_t code)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].code == code)
			return &list[i];
	return NULL;
}

const struct hci_entry *hci_command(uint16_t opcode)
{
	return find(commands, ARRAY_SIZE(commands), opcode);
}

const struct hci_entry *hci_event(uint8_t code)
{
	return find(events, ARRAY_SIZE(events), code);
}

const struct hci_entry *hci_le_event(uint8_t code)
{
	return find(le_events, ARRAY_SIZE(le_events), code);
}

static bool list_has(const struct hci_entry *list, size_t entries, const char *name, size_t n)
{
	for (size_t i = 0; i < entries; i++)
		if ((list[i].parameters && byte_layout_has(list[i].parameters, name, n)) ||
		    (list[i].answer && byte_layout_has(list[i].answer, name, n)))
			return true;
	return false;
}

bool hci_has_field(const char *name, size_t n)
{
	return list_has(commands, ARRAY_SIZE(commands), name, n) ||
	       list_has(events, ARRAY_SIZE(events), name, n) ||
	       list_has(le_events, ARRAY_SIZE(le_events), name, n);
}

static void entry_words(const struct hci_entry *list, size_t entries, const char *member,
			decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < entries; i++) {
		if (list[i].parameters)
			byte_layout_words(list[i].parameters, hci_name, member, fn, arg);
		if (list[i].answer)
			byte_layout_words(list[i].answer, hci_name, member, fn, arg);
	}
}

void hci_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "command")) {
		for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
			fn(arg, commands[i].name);
		return;
	}
	if (!strcmp(member, "hci_status_name"))
		CODE_WORDS(statuses, fn, arg);
	entry_words(commands, ARRAY_SIZE(commands), member, fn, arg);
	entry_words(events, ARRAY_SIZE(events), member, fn, arg);
	entry_words(le_events, ARRAY_SIZE(le_events), member, fn, arg);
}
