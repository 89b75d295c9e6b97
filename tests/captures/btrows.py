# SPDX-License-Identifier: MIT
"""Rows of classes.py for the protocols in ACL data of Bluetooth controllers."""
from values import figure_or_bit, number, octets, pairs, text


def walk(value, names):
    """The values of members with these names, in objects and lists at any depth."""
    if isinstance(value, list):
        for v in value:
            yield from walk(v, names)
    elif isinstance(value, dict):
        for k, v in value.items():
            if k in names and not isinstance(v, (dict, list)):
                yield v
            else:
                yield from walk(v, names)


def of(member, *names, when=None):
    """Members of decoded.MEMBER; when: only if it has these values."""
    def values(fields):
        at = fields.get("decoded", {}).get(member, {})
        if when is None or any(at.get(k) in v for k, v in when.items()):
            yield from walk(at, names)
    return values


def signal(name, *codes):
    def values(fields):
        for c in fields.get("decoded", {}).get("l2cap", {}).get("commands", []):
            if name in c and c["code"] in codes:
                yield c[name]
    return values


def bt_rows():
    for theirs, ours in pairs("""cmd_code=code cmd_ident=identifier cmd_length=command_length
                              info_type rej_reason=reason option_type=option option_mtu=mtu
                              option_flushto=flush_timeout retransmissionmode=mode
                              txwindow=tx_window
                              maxtransmit=max_transmit retransmittimeout=retransmission_timeout
                              monitortimeout=monitor_timeout min_interval=interval_min
                              max_interval=interval_max slave_latency=peripheral_latency
                              timeout_multiplier"""):
        yield "btl2cap." + theirs, of("l2cap", ours), number
    yield "btl2cap.scid", signal("scid", 2, 3, 5, 6, 7), number
    yield "btl2cap.dcid", signal("dcid", 2, 3, 4, 6, 7), number
    yield "btl2cap.result", signal("result", 3), number
    yield "btl2cap.conf_result", signal("result", 5), number
    yield "btl2cap.info_result", signal("result", 11), number
    for theirs, ours in pairs("""opcode req_opcode_in_error=request_opcode error_code
                              starting_handle ending_handle client_rx_mtu=client_mtu
                              server_rx_mtu=server_mtu offset"""):
        yield "btatt." + theirs, of("att", ours), number
    yield "btatt.group_end_handle", of("att", "group_end_handle"), number
    for theirs, ours in pairs("""opcode reason io_capability oob_data_flags=oob_data_present
                              max_enc_key_size=max_key_size ediv=ediv address_type"""):
        yield "btsmp." + theirs, of("smp", ours), number
    for theirs, ours in pairs("cfm_value=confirm_value random_value"):
        yield "btsmp." + theirs, of("smp", ours), octets
    for theirs, ours in pairs("""pdu tid=transaction len=parameter_length error_code
                              ssr.total_count=total_records
                              maximum_service_record_count=maximum_records
                              maximum_attribute_byte_count=maximum_bytes"""):
        yield "btsdp." + theirs, of("sdp", ours), number
    for theirs, ours in pairs("""channel=channel frame_type=control pf=poll_final len=frame_length
                              credits max_frame_size priority max_retrans=max_retransmissions
                              acknowledgement_timer_t1=acknowledgement_timer mcc.cmd=code"""):
        yield "btrfcomm." + theirs, of("rfcomm", ours), figure_or_bit
