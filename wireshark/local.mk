# SPDX-License-Identifier: MIT
# The dissector of exported events, for all users of Wireshark.
luaplugindir = $(wiresharkplugindir)
dist_luaplugin_DATA = wireshark/trawl.lua
# distcheck may not write outside its own prefix.
AM_DISTCHECK_CONFIGURE_FLAGS = --with-wireshark-plugindir='$${libdir}/wireshark/plugins'
