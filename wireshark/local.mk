# SPDX-License-Identifier: MIT
# The dissector of exported events, for all users of Wireshark.
luaplugindir = $(wiresharkplugindir)
dist_luaplugin_DATA = wireshark/trawl.lua
# distcheck may not write outside its own prefix.
AM_DISTCHECK_CONFIGURE_FLAGS = --with-wireshark-plugindir='$${libdir}/wireshark/plugins' \
	--with-wireshark-extcapdir='$${libdir}/wireshark/extcap'

# Live USB capture. Wireshark lists what is in its extcap folder, which is for it alone.
extcapdir = $(wiresharkextcapdir)
dist_extcap_SCRIPTS = wireshark/trawl-extcap
