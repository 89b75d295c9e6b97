# SPDX-License-Identifier: MIT
# What lets an ordinary user record: a group, who owns what in tracefs, the device nodes. All goes below PREFIX,
# where systemd and udev look if that is /usr or /usr/local.
dist_sbin_SCRIPTS = setup/trawl-access
sysusersdir = $(prefix)/lib/sysusers.d
udevrulesdir = $(prefix)/lib/udev/rules.d
systemdunitdir = $(prefix)/lib/systemd/system
dist_udevrules_DATA = setup/70-trawl.rules
systemdunit_DATA = setup/trawl-access@.service
EXTRA_DIST += setup/trawl.sysusers setup/trawl-access@.service.in
CLEANFILES += setup/trawl-access@.service
setup/trawl-access@.service: setup/trawl-access@.service.in
	$(AM_V_GEN)$(MKDIR_P) setup && sed 's|@[s]bindir@|$(sbindir)|' '$(srcdir)/setup/trawl-access@.service.in' >$@
install-setup:
	$(MKDIR_P) '$(DESTDIR)$(sysusersdir)'
	$(INSTALL_DATA) '$(srcdir)/setup/trawl.sysusers' '$(DESTDIR)$(sysusersdir)/trawl.conf'
	@sed 's|@[s]bindir@|$(sbindir)|' '$(srcdir)/setup/trawl-access@.service.in' >'$(DESTDIR)$(systemdunitdir)/trawl-access@.service'
uninstall-local:
	rm -f '$(DESTDIR)$(sysusersdir)/trawl.conf'
.PHONY: install-setup
