# SPDX-License-Identifier: MIT
# The dissector of exported events, for all users of Wireshark.
luaplugindir = $(wiresharkplugindir)
dist_luaplugin_DATA = wireshark/trawl.lua
# distcheck may not write outside its own prefix.
AM_DISTCHECK_CONFIGURE_FLAGS = --with-wireshark-plugindir='$${libdir}/wireshark/plugins' \
	--with-wireshark-extcapdir='$${libdir}/wireshark/extcap'

# Live USB capture. Wireshark lists what is in its extcap folder; no other program uses that folder.
extcapdir = $(wiresharkextcapdir)
dist_extcap_SCRIPTS = wireshark/trawl-extcap

# The live capture runs the programs that it was installed with. If Wireshark does not look into
# these folders, make install prints how to link the files where it does.
wireshark_looks_plugindir = @wireshark_looks_plugindir@
wireshark_looks_extcapdir = @wireshark_looks_extcapdir@
install-wireshark:
	@sed -i "s|^bindir=.*|bindir='$(bindir)'|" '$(DESTDIR)$(extcapdir)/trawl-extcap'
	@test '$(luaplugindir)' = '$(wireshark_looks_plugindir)' || echo "Wireshark finds the dissector after:" \
		"mkdir -p ~/.local/lib/wireshark/plugins && ln -s '$(luaplugindir)/trawl.lua' ~/.local/lib/wireshark/plugins/"
	@test '$(extcapdir)' = '$(wireshark_looks_extcapdir)' || echo "Wireshark finds the live USB capture after:" \
		"ln -s '$(extcapdir)/trawl-extcap'" \
		"$(if $(wireshark_looks_extcapdir),$(wireshark_looks_extcapdir)/,EXTCAP (the folder in Help, About, Folders))"
.PHONY: install-wireshark
