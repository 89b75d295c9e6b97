/* SPDX-License-Identifier: MIT */
#include "decode/usb/mbimservice.h"

#include <string.h>

#include "common/array.h"
#include "decode/usb/mbimnames.h"

/* ---- fields ---------------------------------------------------------------------------------- */

/* A field of each kind, with the bytes that it has in place (decode/usb/mbimfield.h). */
#define FIELD(n, k, bytes)                                                                         \
	{                                                                                          \
		.name = (n), .kind = (k), .size = (bytes)                                          \
	}
#define NUMBER(n)	FIELD(n, MBIM_NUMBER, 4)
#define NUMBER16(n)	FIELD(n, MBIM_NUMBER, 2)
#define NUMBER64(n)	FIELD(n, MBIM_NUMBER, 8)
#define SIGNED(n)	FIELD(n, MBIM_SIGNED, 4)
#define UUID(n)		FIELD(n, MBIM_UUID, 16)
#define IPV4(n)		FIELD(n, MBIM_ADDRESS, 4)
#define IPV6(n)		FIELD(n, MBIM_ADDRESS, 16)
#define BYTES(n, bytes) FIELD(n, MBIM_BYTES, bytes)
#define TAIL(n)		FIELD(n, MBIM_TAIL, 0)
#define NUMBERS(n)	FIELD(n, MBIM_NUMBERS, 0)
#define TEXT(n)		FIELD(n, MBIM_TEXT, 8)
#define TEXTS(n)	FIELD(n, MBIM_TEXTS, 0)
#define DATA(n)		FIELD(n, MBIM_DATA, 8)
#define LENGTH(n)	FIELD(n, MBIM_LENGTH, 8)
#define SIZED(n)	FIELD(n, MBIM_SIZED, 4)
#define SECRET(n, k, bytes)                                                                        \
	{                                                                                          \
		.name = (n), .kind = (k), .size = (bytes), .secret = true                          \
	}
#define NAMED(n, k, suffix, table)                                                                 \
	{                                                                                          \
		.name = (n), .alias = n suffix, .kind = (k), .size = 4, .of = (table),             \
		.names = ARRAY_SIZE(table)                                                         \
	}
#define CODE(n, table) NAMED(n, MBIM_CODE, "_name", table)
#define BITS(n, table) NAMED(n, MBIM_BITS, "_set", table)
#define OF(n, k, bytes, fields)                                                                    \
	{                                                                                          \
		.name = (n), .kind = (k), .size = (bytes), .of = (fields)                          \
	}
#define STRUCT(n, bytes, fields) OF(n, MBIM_STRUCT, bytes, fields)
#define ITEMS(n, fields)	 OF(n, MBIM_ITEMS, 0, fields)
#define AT(n, fields)		 OF(n, MBIM_AT, 4, fields)
#define ARRAY(n, fields)	 OF(n, MBIM_ARRAY, 8, fields)
#define REF(n, fields)		 OF(n, MBIM_REF, 8, fields)
#define REFS(n, fields)		 OF(n, MBIM_REFS, 0, fields)
#define END                                                                                        \
	{                                                                                          \
		.kind = MBIM_END                                                                   \
	}
#define STRUCTURE(name, ...) static const struct mbim_field name[] = {__VA_ARGS__, END}

/* ---- basic connect --------------------------------------------------------------------------- */

STRUCTURE(device_caps, CODE("device_type", device_types), BITS("cellular_class", cellular_classes),
	  CODE("voice_class", voice_classes), BITS("sim_class", sim_classes),
	  BITS("data_class", data_classes), BITS("sms_caps", sms_caps),
	  BITS("control_caps", control_caps), NUMBER("max_sessions"), TEXT("custom_data_class"),
	  TEXT("device_id"), TEXT("firmware"), TEXT("hardware"), NUMBER("executor_index"));
STRUCTURE(subscriber_ready, CODE("ready_state", ready_states), TEXT("subscriber_id"),
	  TEXT("sim_icc_id"), BITS("ready_info", ready_infos), TEXTS("telephone_numbers"));
STRUCTURE(subscriber_ready_3, CODE("ready_state", ready_states), BITS("ready_flags", ready_flags),
	  TEXT("subscriber_id"), TEXT("sim_icc_id"), BITS("ready_info", ready_infos),
	  TEXTS("telephone_numbers"));
STRUCTURE(radio_set, CODE("radio_state", switches));
STRUCTURE(radio_state, CODE("hw_radio_state", switches), CODE("sw_radio_state", switches));
STRUCTURE(pin_set, CODE("pin_type", pin_types), CODE("pin_operation", pin_operations),
	  SECRET("pin", MBIM_TEXT, 8), SECRET("new_pin", MBIM_TEXT, 8));
STRUCTURE(pin_info, CODE("pin_type", pin_types), CODE("pin_state", pin_states),
	  NUMBER("remaining_attempts"));
STRUCTURE(pin_desc, CODE("pin_mode", pin_modes), CODE("pin_format", pin_formats),
	  NUMBER("pin_length_min"), NUMBER("pin_length_max"));
STRUCTURE(pin_list, STRUCT("pin1", 16, pin_desc), STRUCT("pin2", 16, pin_desc),
	  STRUCT("device_sim_pin", 16, pin_desc), STRUCT("device_first_sim_pin", 16, pin_desc),
	  STRUCT("network_pin", 16, pin_desc), STRUCT("network_subset_pin", 16, pin_desc),
	  STRUCT("service_provider_pin", 16, pin_desc), STRUCT("corporate_pin", 16, pin_desc),
	  STRUCT("subsidy_lock", 16, pin_desc), STRUCT("custom_pin", 16, pin_desc));
STRUCTURE(provider, TEXT("provider_id"), BITS("provider_state", provider_states),
	  TEXT("provider_name"), BITS("cellular_class", cellular_classes), NUMBER("rssi"),
	  NUMBER("error_rate"));
STRUCTURE(providers, REFS("providers", provider));
STRUCTURE(visible_query, CODE("scan", scans));
STRUCTURE(register_set, TEXT("provider_id"), CODE("register_action", register_actions),
	  BITS("data_class", data_classes));
STRUCTURE(register_state, CODE("network_error", network_errors),
	  CODE("register_state", register_states), CODE("register_mode", register_modes),
	  BITS("available_data_classes", data_classes),
	  BITS("current_cellular_class", cellular_classes), TEXT("provider_id"),
	  TEXT("provider_name"), TEXT("roaming_text"),
	  BITS("registration_flags", registration_flags),
	  BITS("preferred_data_classes", data_classes));
STRUCTURE(packet_set, CODE("packet_action", packet_actions));
STRUCTURE(packet_service, CODE("network_error", network_errors),
	  CODE("packet_service_state", packet_states), BITS("highest_data_class", data_classes),
	  NUMBER64("uplink_speed"), NUMBER64("downlink_speed"),
	  BITS("frequency_range", frequency_ranges), BITS("data_subclass", data_subclasses),
	  NUMBER16("mcc"), NUMBER16("mnc"), NUMBER("tac"));
STRUCTURE(signal_set, NUMBER("signal_strength_interval"), NUMBER("rssi_threshold"),
	  NUMBER("error_rate_threshold"));
STRUCTURE(signal_element, NUMBER("rsrp"), NUMBER("snr"), NUMBER("rsrp_threshold"),
	  NUMBER("snr_threshold"), BITS("system_type", data_classes));
STRUCTURE(signal_elements, ITEMS("rsrp_snr", signal_element));
STRUCTURE(signal_state, NUMBER("rssi"), NUMBER("error_rate"), NUMBER("signal_strength_interval"),
	  NUMBER("rssi_threshold"), NUMBER("error_rate_threshold"),
	  REF("rsrp_snr", signal_elements));
STRUCTURE(connect_set, NUMBER("session_id"), CODE("activation_command", activation_commands),
	  TEXT("access_string"), TEXT("user_name"), SECRET("password", MBIM_TEXT, 8),
	  CODE("compression", compressions), CODE("auth_protocol", auth_protocols),
	  CODE("ip_type", ip_types), UUID("context_type"));
/* MBIM 3.0 has texts, the password among them, in elements of type, length and value. */
STRUCTURE(connect_set_3, NUMBER("session_id"), CODE("activation_command", activation_commands),
	  CODE("compression", compressions), CODE("auth_protocol", auth_protocols),
	  CODE("ip_type", ip_types), UUID("context_type"), CODE("media_preference", media),
	  SECRET("elements", MBIM_TAIL, 0));
STRUCTURE(connect_info, NUMBER("session_id"), CODE("activation_state", activation_states),
	  CODE("voice_call_state", voice_states), CODE("ip_type", ip_types), UUID("context_type"),
	  CODE("network_error", network_errors), CODE("access_media", media), TAIL("elements"));
STRUCTURE(context, NUMBER("context_id"), UUID("context_type"), TEXT("access_string"),
	  TEXT("user_name"), SECRET("password", MBIM_TEXT, 8), CODE("compression", compressions),
	  CODE("auth_protocol", auth_protocols));
STRUCTURE(context_set, NUMBER("context_id"), UUID("context_type"), TEXT("access_string"),
	  TEXT("user_name"), SECRET("password", MBIM_TEXT, 8), CODE("compression", compressions),
	  CODE("auth_protocol", auth_protocols), TEXT("provider_id"));
STRUCTURE(contexts, REFS("contexts", context));
STRUCTURE(activation_set, TAIL("vendor_data"));
STRUCTURE(activation_info, CODE("network_error", network_errors), TAIL("vendor_data"));
STRUCTURE(ipv4_element, NUMBER("prefix_length"), IPV4("ipv4"));
STRUCTURE(ipv6_element, NUMBER("prefix_length"), IPV6("ipv6"));
STRUCTURE(ipv4_gateway, IPV4("ipv4_gateway"));
STRUCTURE(ipv6_gateway, IPV6("ipv6_gateway"));
STRUCTURE(ipv4_dns, IPV4("ipv4_dns"));
STRUCTURE(ipv6_dns, IPV6("ipv6_dns"));
STRUCTURE(ip_configuration, NUMBER("session_id"), BITS("ipv4_configured", configured),
	  BITS("ipv6_configured", configured), ARRAY("ipv4_addresses", ipv4_element),
	  ARRAY("ipv6_addresses", ipv6_element), AT("ipv4_gateway", ipv4_gateway),
	  AT("ipv6_gateway", ipv6_gateway), ARRAY("ipv4_dns", ipv4_dns),
	  ARRAY("ipv6_dns", ipv6_dns), NUMBER("ipv4_mtu"), NUMBER("ipv6_mtu"));
STRUCTURE(service_element, UUID("device_service"), BITS("dss_payload", dss_directions),
	  NUMBER("max_dss_instances"), NUMBERS("cids"));
STRUCTURE(device_services, NUMBER("device_services_count"), NUMBER("max_dss_sessions"),
	  OF("device_services", MBIM_PAIRS, 0, service_element));
STRUCTURE(event_entry, UUID("device_service"), NUMBERS("cids"));
STRUCTURE(subscribe_list, REFS("events", event_entry));
STRUCTURE(packet_statistics, NUMBER("in_discards"), NUMBER("in_errors"), NUMBER64("in_octets"),
	  NUMBER64("in_packets"), NUMBER64("out_octets"), NUMBER64("out_packets"),
	  NUMBER("out_errors"), NUMBER("out_discards"));
STRUCTURE(idle_hint, CODE("idle_hint", abilities));
STRUCTURE(emergency_mode, CODE("emergency_mode", switches));
STRUCTURE(packet_filter, NUMBER("filter_size"), SIZED("packet_filter"), SIZED("packet_mask"),
	  NUMBER("filter_id"));
STRUCTURE(packet_filters, NUMBER("session_id"), REFS("packet_filters", packet_filter));

/* ---- other services of MBIM 1.0 -------------------------------------------------------------- */

/* A field that is there in messages of one format: 0, PDU; 1, CDMA. */
#define OF_FORMAT(format, n, k, bytes)                                                             \
	{                                                                                          \
		.name = (n), .kind = (k), .size = (bytes), .when = (format) + 1                    \
	}
#define CODE_OF_FORMAT(format, n, table)                                                           \
	{                                                                                          \
		.name = (n), .alias = n "_name", .kind = MBIM_CODE, .size = 4, .of = (table),      \
		.names = ARRAY_SIZE(table), .when = (format) + 1                                   \
	}
#define REFS_OF_FORMAT(format, n, fields)                                                          \
	{                                                                                          \
		.name = (n), .kind = MBIM_REFS, .of = (fields), .when = (format) + 1               \
	}
enum { PDU, CDMA };

STRUCTURE(sms_configuration_set, CODE("sms_format", sms_formats), TEXT("service_center"));
STRUCTURE(sms_configuration, CODE("sms_storage_state", sms_storages),
	  CODE("sms_format", sms_formats), NUMBER("max_messages"), NUMBER("cdma_message_size"),
	  TEXT("service_center"));
STRUCTURE(sms_read, CODE("sms_format", sms_formats), CODE("sms_filter", sms_filters),
	  NUMBER("message_index"));
STRUCTURE(sms_pdu, NUMBER("message_index"), CODE("sms_status", sms_statuses), DATA("pdu"));
STRUCTURE(sms_cdma, NUMBER("message_index"), CODE("sms_status", sms_statuses), TEXT("address"),
	  TEXT("timestamp"), CODE("encoding", cdma_encodings), CODE("language", cdma_languages),
	  DATA("encoded_message"), NUMBER("characters"));
STRUCTURE(sms_messages, CODE("sms_format", sms_formats),
	  REFS_OF_FORMAT(PDU, "pdu_messages", sms_pdu),
	  REFS_OF_FORMAT(CDMA, "cdma_messages", sms_cdma));
STRUCTURE(sms_send, CODE("sms_format", sms_formats), OF_FORMAT(PDU, "pdu", MBIM_DATA, 8),
	  CODE_OF_FORMAT(CDMA, "encoding", cdma_encodings),
	  CODE_OF_FORMAT(CDMA, "language", cdma_languages),
	  OF_FORMAT(CDMA, "address", MBIM_TEXT, 8),
	  OF_FORMAT(CDMA, "encoded_message", MBIM_DATA, 8),
	  OF_FORMAT(CDMA, "characters", MBIM_NUMBER, 4));
STRUCTURE(sms_sent, NUMBER("message_reference"));
STRUCTURE(sms_delete, CODE("sms_filter", sms_filters), NUMBER("message_index"));
STRUCTURE(sms_store, BITS("store_flags", sms_flags), NUMBER("message_index"));
STRUCTURE(ussd_set, CODE("ussd_action", ussd_actions), NUMBER("data_coding_scheme"),
	  DATA("ussd_payload"));
STRUCTURE(ussd_info, CODE("ussd_response", ussd_responses), CODE("ussd_session", ussd_sessions),
	  NUMBER("data_coding_scheme"), DATA("ussd_payload"));
STRUCTURE(phonebook_configuration, CODE("phonebook_state", sms_storages), NUMBER("entries"),
	  NUMBER("used_entries"), NUMBER("max_number_length"), NUMBER("max_name_length"));
STRUCTURE(phonebook_filter, CODE("phonebook_filter", phonebook_filters), NUMBER("entry_index"));
STRUCTURE(phonebook_entry, NUMBER("entry_index"), TEXT("number"), TEXT("name"));
STRUCTURE(phonebook_entries, REFS("phonebook", phonebook_entry));
STRUCTURE(phonebook_write, CODE("save", phonebook_saves), NUMBER("entry_index"), TEXT("number"),
	  TEXT("name"));
STRUCTURE(stk_pac_set, BYTES("pac_host_control", 32));
/* The answer has 256 bytes; an indication has a type and the command. */
STRUCTURE(stk_pac_info, TAIL("pac_support"));
STRUCTURE(stk_pac, CODE("pac_type", pac_types), TAIL("proactive_command"));
STRUCTURE(stk_response_set, NUMBER("response_length"), TAIL("terminal_response"));
STRUCTURE(stk_response, DATA("result_data"), NUMBER("status_word"));
STRUCTURE(stk_envelope_set, TAIL("envelope"));
STRUCTURE(stk_envelope, BYTES("envelope_support", 32));
STRUCTURE(aka_query, BYTES("rand", 16), BYTES("autn", 16));
STRUCTURE(akap_query, BYTES("rand", 16), BYTES("autn", 16), TEXT("network_name"));
STRUCTURE(aka_info, SECRET("res", MBIM_BYTES, 16), NUMBER("res_length"),
	  SECRET("ik", MBIM_BYTES, 16), SECRET("ck", MBIM_BYTES, 16), BYTES("auts", 14));
STRUCTURE(sim_query, BYTES("rand1", 16), BYTES("rand2", 16), BYTES("rand3", 16), NUMBER("n"));
STRUCTURE(sim_info, SECRET("sres1", MBIM_NUMBER, 4), SECRET("kc1", MBIM_NUMBER, 8),
	  SECRET("sres2", MBIM_NUMBER, 4), SECRET("kc2", MBIM_NUMBER, 8),
	  SECRET("sres3", MBIM_NUMBER, 4), SECRET("kc3", MBIM_NUMBER, 8), NUMBER("n"));
STRUCTURE(dss_connect, UUID("device_service"), NUMBER("dss_session_id"), CODE("link", links));

/* ---- extensions ------------------------------------------------------------------------------ */

STRUCTURE(firmware_id, UUID("firmware_id"));
STRUCTURE(sar_config, NUMBER("antenna_index"), NUMBER("backoff_index"));
STRUCTURE(sar_set, CODE("sar_mode", sar_modes), CODE("backoff_state", abilities),
	  REFS("antennas", sar_config));
STRUCTURE(sar_info, CODE("sar_mode", sar_modes), CODE("backoff_state", abilities),
	  CODE("wifi_integration", wifi_states), REFS("antennas", sar_config));
STRUCTURE(transmission_set, CODE("channel_notification", abilities), NUMBER("hysteresis_timer"));
STRUCTURE(transmission, CODE("channel_notification", abilities),
	  CODE("transmission_status", transmissions), NUMBER("hysteresis_timer"));
STRUCTURE(qmi, TAIL("qmi"));
STRUCTURE(context_2, NUMBER("context_id"), UUID("context_type"), CODE("ip_type", ip_types),
	  CODE("context_state", abilities), CODE("roaming", context_roaming),
	  CODE("media_type", context_media), CODE("source", context_sources), TEXT("access_string"),
	  TEXT("user_name"), SECRET("password", MBIM_TEXT, 8), CODE("compression", compressions),
	  CODE("auth_protocol", auth_protocols));
STRUCTURE(contexts_2, REFS("contexts", context_2));
STRUCTURE(context_set_2, CODE("operation", operations), UUID("context_type"),
	  CODE("ip_type", ip_types), CODE("context_state", abilities),
	  CODE("roaming", context_roaming), CODE("media_type", context_media),
	  CODE("source", context_sources), TEXT("access_string"), TEXT("user_name"),
	  SECRET("password", MBIM_TEXT, 8), CODE("compression", compressions),
	  CODE("auth_protocol", auth_protocols));
/* MBIM 3.0 has texts in elements of type, length and value at the end. */
STRUCTURE(device_caps_3, CODE("device_type", device_types),
	  BITS("cellular_class", cellular_classes), CODE("voice_class", voice_classes),
	  BITS("sim_class", sim_classes), BITS("data_class", data_classes),
	  BITS("sms_caps", sms_caps), BITS("control_caps", control_caps),
	  {.name = "data_subclass",
	   .alias = "data_subclass_set",
	   .kind = MBIM_BITS,
	   .size = 8,
	   .of = data_subclasses,
	   .names = ARRAY_SIZE(data_subclasses)},
	  NUMBER("max_sessions"), NUMBER("executor_index"), NUMBER("wcdma_band_class"),
	  TAIL("elements"));
STRUCTURE(attach_configuration, CODE("ip_type", ip_types), CODE("roaming", attach_roaming),
	  CODE("source", context_sources), TEXT("access_string"), TEXT("user_name"),
	  SECRET("password", MBIM_TEXT, 8), CODE("compression", compressions),
	  CODE("auth_protocol", auth_protocols));
STRUCTURE(attach_set, CODE("operation", attach_operations),
	  REFS("configurations", attach_configuration));
STRUCTURE(attach_configurations, REFS("configurations", attach_configuration));
STRUCTURE(attach_info, CODE("attach_state", attach_states), CODE("ip_type", ip_types),
	  TEXT("access_string"), TEXT("user_name"), SECRET("password", MBIM_TEXT, 8),
	  CODE("compression", compressions), CODE("auth_protocol", auth_protocols));
STRUCTURE(sys_caps, NUMBER("executors"), NUMBER("slots"), NUMBER("concurrency"),
	  NUMBER64("modem_id"));
STRUCTURE(slot, NUMBER("slot_index"));
STRUCTURE(slot_mappings, REFS("slot_map", slot));
STRUCTURE(slot_info, NUMBER("slot_index"), CODE("slot_state", slot_states));
STRUCTURE(pco, NUMBER("session_id"), NUMBER("pco_size"), CODE("pco_type", pco_types), TAIL("pco"));
STRUCTURE(location, NUMBER("lac"), NUMBER("tac"), NUMBER("cell_id"));
STRUCTURE(version, FIELD("mbim_version", MBIM_VERSION, 2),
	  FIELD("extended_version", MBIM_VERSION, 2));
STRUCTURE(modem_configuration, CODE("modem_state", modem_states));
STRUCTURE(atr, LENGTH("atr"));
STRUCTURE(channel_open, LENGTH("application_id"), NUMBER("select_p2"), NUMBER("channel_group"));
STRUCTURE(channel_opened, NUMBER("card_status"), NUMBER("channel"), LENGTH("card_response"));
STRUCTURE(channel_close, NUMBER("channel"), NUMBER("channel_group"));
STRUCTURE(card_status, NUMBER("card_status"));
/* The command may be VERIFY, with a PIN. */
STRUCTURE(apdu_set, NUMBER("channel"), CODE("secure_messaging", secure_messaging),
	  CODE("class_byte", class_bytes),
	  {.name = "card_command", .kind = MBIM_LENGTH, .size = 8, .secret = true});
STRUCTURE(apdu_info, NUMBER("card_status"), LENGTH("card_response"));
STRUCTURE(pass_through, CODE("pass_through", abilities));
STRUCTURE(nitz, NUMBER("year"), NUMBER("month"), NUMBER("day"), NUMBER("hour"), NUMBER("minute"),
	  NUMBER("second"), SIGNED("time_zone_minutes"), SIGNED("daylight_saving_minutes"),
	  BITS("data_class", data_classes));

/* ---- commands -------------------------------------------------------------------------------- */

static const struct mbim_command basic_connect[] = {
	[1] = {"DEVICE_CAPS", .answer = device_caps},
	[2] = {"SUBSCRIBER_READY_STATUS", .answer = subscriber_ready,
	       .later_answer = subscriber_ready_3},
	[3] = {"RADIO_STATE", .set = radio_set, .answer = radio_state},
	[4] = {"PIN", .set = pin_set, .answer = pin_info},
	[5] = {"PIN_LIST", .answer = pin_list},
	[6] = {"HOME_PROVIDER", .set = provider, .answer = provider},
	[7] = {"PREFERRED_PROVIDERS", .set = providers, .answer = providers},
	[8] = {"VISIBLE_PROVIDERS", .query = visible_query, .answer = providers},
	[9] = {"REGISTER_STATE", .set = register_set, .answer = register_state},
	[10] = {"PACKET_SERVICE", .set = packet_set, .answer = packet_service},
	[11] = {"SIGNAL_STATE", .set = signal_set, .answer = signal_state},
	[12] = {"CONNECT", .query = connect_info, .set = connect_set, .answer = connect_info,
		.later_set = connect_set_3},
	[13] = {"PROVISIONED_CONTEXTS", .set = context_set, .answer = contexts},
	[14] = {"SERVICE_ACTIVATION", .set = activation_set, .answer = activation_info},
	[15] = {"IP_CONFIGURATION", .query = ip_configuration, .answer = ip_configuration},
	[16] = {"DEVICE_SERVICES", .answer = device_services},
	[19] = {"DEVICE_SERVICE_SUBSCRIBE_LIST", .set = subscribe_list, .answer = subscribe_list},
	[20] = {"PACKET_STATISTICS", .answer = packet_statistics},
	[21] = {"NETWORK_IDLE_HINT", .set = idle_hint, .answer = idle_hint},
	[22] = {"EMERGENCY_MODE", .set = emergency_mode, .answer = emergency_mode},
	[23] = {"IP_PACKET_FILTERS", .query = packet_filters, .set = packet_filters,
		.answer = packet_filters},
	[24] = {"MULTICARRIER_PROVIDERS", .set = providers, .answer = providers},
};
static const struct mbim_command sms[] = {
	[1] = {"CONFIGURATION", .set = sms_configuration_set, .answer = sms_configuration},
	[2] = {"READ", .query = sms_read, .answer = sms_messages},
	[3] = {"SEND", .set = sms_send, .answer = sms_sent},
	[4] = {"DELETE", .set = sms_delete},
	[5] = {"MESSAGE_STORE_STATUS", .answer = sms_store},
};
static const struct mbim_command ussd[] = {
	[1] = {"USSD", .set = ussd_set, .answer = ussd_info},
};
static const struct mbim_command phonebook[] = {
	[1] = {"CONFIGURATION", .answer = phonebook_configuration},
	[2] = {"READ", .query = phonebook_filter, .answer = phonebook_entries},
	[3] = {"DELETE", .set = phonebook_filter},
	[4] = {"WRITE", .set = phonebook_write},
};
static const struct mbim_command stk[] = {
	[1] = {"PAC", .set = stk_pac_set, .answer = stk_pac_info, .indication = stk_pac},
	[2] = {"TERMINAL_RESPONSE", .set = stk_response_set, .answer = stk_response},
	[3] = {"ENVELOPE", .set = stk_envelope_set, .answer = stk_envelope},
};
static const struct mbim_command auth[] = {
	[1] = {"AKA_AUTH", .query = aka_query, .answer = aka_info},
	[2] = {"AKAP_AUTH", .query = akap_query, .answer = aka_info},
	[3] = {"SIM_AUTH", .query = sim_query, .answer = sim_info},
};
static const struct mbim_command dss[] = {
	[1] = {"CONNECT", .set = dss_connect},
};
static const struct mbim_command ms_firmware[] = {
	[1] = {"FIRMWARE_ID", .answer = firmware_id},
};
static const struct mbim_command ms_shutdown[] = {
	[1] = {.name = "NOTIFY"},
};
static const struct mbim_command ms_sar[] = {
	[1] = {"CONFIG", .set = sar_set, .answer = sar_info},
	[2] = {"TRANSMISSION_STATUS", .set = transmission_set, .answer = transmission},
};
static const struct mbim_command ms_extensions[] = {
	[1] = {"PROVISIONED_CONTEXTS", .set = context_set_2, .answer = contexts_2},
	[2] = {.name = "NETWORK_DENYLIST"},
	[3] = {"LTE_ATTACH_CONFIG", .set = attach_set, .answer = attach_configurations},
	[4] = {"LTE_ATTACH_STATUS", .answer = attach_info},
	[5] = {"SYS_CAPS", .answer = sys_caps},
	[6] = {"DEVICE_CAPS", .answer = device_caps, .later_answer = device_caps_3},
	[7] = {"DEVICE_SLOT_MAPPINGS", .set = slot_mappings, .answer = slot_mappings},
	[8] = {"SLOT_INFO_STATUS", .query = slot, .answer = slot_info},
	[9] = {"PCO", .query = pco, .answer = pco},
	[10] = {.name = "DEVICE_RESET"},
	[11] = {.name = "BASE_STATIONS_INFO"},
	[12] = {"LOCATION_INFO_STATUS", .answer = location},
	[15] = {"VERSION", .query = version, .answer = version},
	[16] = {"MODEM_CONFIG", .answer = modem_configuration},
	[17] = {.name = "REGISTRATION_PARAMS"},
	[18] = {.name = "NETWORK_PARAMS"},
	[19] = {.name = "WAKE_REASON"},
};
static const struct mbim_command ms_uicc[] = {
	[1] = {"ATR", .answer = atr},
	[2] = {"OPEN_CHANNEL", .set = channel_open, .answer = channel_opened},
	[3] = {"CLOSE_CHANNEL", .set = channel_close, .answer = card_status},
	[4] = {"APDU", .set = apdu_set, .answer = apdu_info},
	[5] = {.name = "TERMINAL_CAPABILITY"},
	[6] = {"RESET", .set = pass_through, .answer = pass_through},
	[7] = {.name = "APP_LIST"},
	[8] = {.name = "FILE_STATUS"},
	[9] = {.name = "READ_BINARY"},
	[10] = {.name = "READ_RECORD"},
};
static const struct mbim_command ms_voice[] = {
	[10] = {"NITZ", .answer = nitz},
};
static const struct mbim_command qmi_commands[] = {
	[1] = {"MSG", .set = qmi, .answer = qmi},
};

#define COMMANDS(list) list, ARRAY_SIZE(list)
static const struct mbim_service services[] = {
	{"a289cc33-bcbb-8b4f-b6b0-133ec2aae6df", "basic connect", COMMANDS(basic_connect)},
	{"533fbeeb-14fe-4467-9f90-33a223e56c3f", "SMS", COMMANDS(sms)},
	{"e550a0c8-5e82-479e-82f7-10abf4c3351f", "USSD", COMMANDS(ussd)},
	{"4bf38476-1e6a-41db-b1d8-bed289c25bdb", "phonebook", COMMANDS(phonebook)},
	{"d8f20131-fcb5-4e17-8602-d6ed3816164c", "SIM toolkit", COMMANDS(stk)},
	{"1d2b5ff7-0aa1-48b2-aa52-50f15767174e", "authentication", COMMANDS(auth)},
	{"c08a26dd-7718-4382-8482-6e0d583c4d0e", "device service stream", COMMANDS(dss)},
	{"e9f7dea2-feaf-4009-93ce-90a3694103b6", "Microsoft firmware id", COMMANDS(ms_firmware)},
	{"883b7c26-985f-43fa-9804-27d7fb80959c", "Microsoft host shutdown", COMMANDS(ms_shutdown)},
	{"68223d04-9f6c-4e0f-822d-28441fb72340", "Microsoft SAR", COMMANDS(ms_sar)},
	{"3d01dcc5-fef5-4d05-0d3a-bef7058e9aaf", "Microsoft basic connect extensions",
	 COMMANDS(ms_extensions)},
	{"c2f6588e-f037-4bc9-8665-f4d44bd09367", "Microsoft UICC low level access",
	 COMMANDS(ms_uicc)},
	{"8d8b9eba-37be-449b-8f1e-61cb034a702e", "Microsoft voice extensions", COMMANDS(ms_voice)},
	{"d1a30bc2-f97a-6e43-bf65-c7e24fb0f0d3", "QMI", COMMANDS(qmi_commands)},
	{"838cf7fb-8d0d-4d7f-871e-d71dbefbb39b", "libmbim proxy", NULL, 0},
	{"5967bdcc-7fd2-49a2-9f5c-b2e70e527db3", "AT&T device service", NULL, 0},
	{"0ed374cb-f835-4474-bc11-3b3fd76f5641", "Intel firmware update", NULL, 0},
	{"fdc22af2-f441-4d46-af8d-259fcdde4635", "Intel thermal", NULL, 0},
	{"6427015f-579d-48f5-8c54-f43ed1e76f83", "Qualcomm device update", NULL, 0},
};

const struct mbim_service *mbim_service_of(const uint8_t *uuid)
{
	char text[37];

	mbim_uuid(uuid, text);
	for (size_t i = 0; i < ARRAY_SIZE(services); i++)
		if (!strcmp(services[i].uuid, text))
			return &services[i];
	return NULL;
}

const struct mbim_command *mbim_command_of(const struct mbim_service *v, uint32_t number)
{
	return v && number < v->ncommands && v->commands[number].name ? &v->commands[number] : NULL;
}

static bool command_has(const struct mbim_command *c, const char *name, size_t n)
{
	return mbim_has_member(c->query, name, n) || mbim_has_member(c->set, name, n) ||
	       mbim_has_member(c->answer, name, n) || mbim_has_member(c->indication, name, n) ||
	       mbim_has_member(c->later_set, name, n) || mbim_has_member(c->later_answer, name, n);
}

bool mbim_services_have(const char *name, size_t n)
{
	for (size_t i = 0; n && i < ARRAY_SIZE(services); i++)
		for (size_t k = 0; k < services[i].ncommands; k++)
			if (command_has(&services[i].commands[k], name, n))
				return true;
	return false;
}

static void command_words(const struct mbim_command *c, const char *member, decoder_name_fn *fn,
			  void *arg)
{
	mbim_member_words(c->query, member, fn, arg);
	mbim_member_words(c->set, member, fn, arg);
	mbim_member_words(c->answer, member, fn, arg);
	mbim_member_words(c->indication, member, fn, arg);
	mbim_member_words(c->later_set, member, fn, arg);
	mbim_member_words(c->later_answer, member, fn, arg);
}

void mbim_services_words(const char *member, decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(services); i++) {
		if (!strcmp(member, "service_name"))
			fn(arg, services[i].name);
		for (size_t k = 0; k < services[i].ncommands; k++) {
			const struct mbim_command *c = &services[i].commands[k];

			if (!strcmp(member, "cid_name") && c->name)
				fn(arg, c->name);
			command_words(c, member, fn, arg);
		}
	}
}
