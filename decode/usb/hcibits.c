/* SPDX-License-Identifier: MIT */
#include "decode/usb/hcibits.h"

#include <stddef.h>

/* Core 5.3, volume 2, part C, 3.3 */
static const char *const lmp_features[64] = {
	[0] = "3-slot packets", "5-slot packets", "encryption", "slot offset", "timing accuracy",
	"role switch", "hold mode", "sniff mode", "park state", "power control requests", "channel quality driven data rate", "SCO link",
	"HV2 packets", "HV3 packets", "u-law log", "A-law log",
	[16] = "CVSD", "paging parameter negotiation", "power control",
	"transparent synchronous data", "flow control lag 256 bytes", "flow control lag 512 bytes",
	"flow control lag 1024 bytes", "broadcast encryption",
	[25] = "enhanced data rate ACL 2 Mb/s", "enhanced data rate ACL 3 Mb/s",
	"enhanced inquiry scan", "interlaced inquiry scan", "interlaced page scan",
	"RSSI with inquiry results", "EV3 packets",
	[32] = "EV4 packets", "EV5 packets",
	[35] = "AFH capable peripheral", "AFH classification peripheral", "BR/EDR not supported",
	"LE supported", "3-slot enhanced data rate ACL",
	[40] = "5-slot enhanced data rate ACL", "sniff subrating", "pause encryption",
	"AFH capable central", "AFH classification central", "enhanced data rate eSCO 2 Mb/s",
	"enhanced data rate eSCO 3 Mb/s", "3-slot enhanced data rate eSCO",
	[48] = "extended inquiry response", "simultaneous LE and BR/EDR",
	[51] = "secure simple pairing", "encapsulated PDU", "erroneous data reporting",
	"non-flushable packet boundary",
	[56] = "link supervision timeout changed", "variable inquiry TX power level",
	"enhanced power control",
	[63] = "extended features",
};

/* Page 1: what the host supports; page 2. */
static const char *const host_features[64] = {
	"secure simple pairing", "LE supported", "simultaneous LE and BR/EDR",
	"secure connections",
};
static const char *const page_2_features[64] = {
	"connectionless peripheral broadcast, transmitter",
	"connectionless peripheral broadcast, receiver", "synchronization train",
	"synchronization scan", "inquiry response notification", "generalized interlaced scan",
	"coarse clock adjustment",
	[8] = "secure connections", "ping", "slot availability mask", "train nudging",
};

/* Volume 6, part B, 4.6 */
static const char *const le_features[64] = {
	"encryption", "connection parameters request", "extended reject indication",
	"peripheral-initiated features exchange", "ping", "data packet length extension",
	"LL privacy", "extended scanner filter policies", "2M PHY",
	"stable modulation index, transmitter", "stable modulation index, receiver", "coded PHY",
	"extended advertising", "periodic advertising", "channel selection algorithm 2",
	"power class 1", "minimum number of used channels",
};

/* Volume 4, part E, 7.3.1 */
static const char *const events[64] = {
	[0] = "Inquiry_Complete", "Inquiry_Result", "Connection_Complete", "Connection_Request",
	"Disconnection_Complete", "Authentication_Complete", "Remote_Name_Request_Complete",
	"Encryption_Change", "Change_Connection_Link_Key_Complete", "Link_Key_Type_Changed",
	"Read_Remote_Supported_Features_Complete", "Read_Remote_Version_Information_Complete",
	"QoS_Setup_Complete",
	[15] = "Hardware_Error", "Flush_Occurred", "Role_Change",
	[19] = "Mode_Change", "Return_Link_Keys", "PIN_Code_Request", "Link_Key_Request",
	"Link_Key_Notification", "Loopback_Command", "Data_Buffer_Overflow", "Max_Slots_Change",
	"Read_Clock_Offset_Complete", "Connection_Packet_Type_Changed", "QoS_Violation",
	"Page_Scan_Mode_Change", "Page_Scan_Repetition_Mode_Change", "Flow_Specification_Complete",
	"Inquiry_Result_with_RSSI", "Read_Remote_Extended_Features_Complete",
	[43] = "Synchronous_Connection_Complete", "Synchronous_Connection_Changed",
	"Sniff_Subrating", "Extended_Inquiry_Result", "Encryption_Key_Refresh_Complete",
	"IO_Capability_Request", "IO_Capability_Response", "User_Confirmation_Request",
	"User_Passkey_Request", "Remote_OOB_Data_Request", "Simple_Pairing_Complete",
	[55] = "Link_Supervision_Timeout_Changed", "Enhanced_Flush_Complete",
	[58] = "User_Passkey_Notification", "Keypress_Notification",
	"Remote_Host_Supported_Features_Notification", "LE_Meta",
};

/* Volume 4, part E, 7.8.1 */
static const char *const le_events[64] = {
	"LE_Connection_Complete", "LE_Advertising_Report", "LE_Connection_Update_Complete",
	"LE_Read_Remote_Features_Complete", "LE_Long_Term_Key_Request",
	"LE_Remote_Connection_Parameter_Request", "LE_Data_Length_Change",
	"LE_Read_Local_P-256_Public_Key_Complete", "LE_Generate_DHKey_Complete",
	"LE_Enhanced_Connection_Complete", "LE_Directed_Advertising_Report",
	"LE_PHY_Update_Complete", "LE_Extended_Advertising_Report",
	"LE_Periodic_Advertising_Sync_Established", "LE_Periodic_Advertising_Report",
	"LE_Periodic_Advertising_Sync_Lost", "LE_Scan_Timeout", "LE_Advertising_Set_Terminated",
	"LE_Scan_Request_Received", "LE_Channel_Selection_Algorithm",
};

/* Volume 4, part E, 7.2.9 */
static const char *const policies[64] = {"role switch", "hold mode", "sniff mode", "park state"};

/* Volume 4, part E, 7.1.5: the bits of enhanced data rate forbid the type. */
static const char *const packet_types[64] = {
	[1] = "no 2-DH1", "no 3-DH1", "DM1", "DH1",
	[8] = "no 2-DH3", "no 3-DH3", "DM3", "DH3", "no 2-DH5", "no 3-DH5", "DM5", "DH5",
};

const char *hci_bit_name(char kind, unsigned int bit)
{
	const char *const *names = kind == 'L'	 ? lmp_features
				   : kind == 'H' ? host_features
				   : kind == 'C' ? page_2_features
				   : kind == 'F' ? le_features
				   : kind == 'M' ? events
				   : kind == 'E' ? le_events
				   : kind == 'P' ? policies
				   : kind == 'T' ? packet_types
						 : NULL;

	return names && bit < 64 ? names[bit] : NULL;
}
