# SPDX-License-Identifier: MIT
# Installs what lets an ordinary user record: the group, the service that gives access to tracefs,
# and the rules for device nodes. systemd and udev find them if PREFIX is /usr or /usr/local.
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
