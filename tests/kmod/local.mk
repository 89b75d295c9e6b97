# SPDX-License-Identifier: MIT
# Programs of the lab's tests of trawl.ko (tests/lab/guest/kmod-*.sh), and unit tests of its plain logic.
check_PROGRAMS += tests/kmod/kbranch tests/kmod/ioctls tests/kmod/lbrkinds tests/kmod/suid
tests_kmod_lbrkinds_SOURCES = tests/kmod/lbrkinds.c
tests_kmod_lbrkinds_CFLAGS = $(AM_CFLAGS)
# A symbol that is resolved when it is first called takes more branches than a processor has entries.
tests_kmod_lbrkinds_LDFLAGS = -Wl,-z,now
tests_kmod_ioctls_SOURCES = tests/kmod/ioctls.c
tests_kmod_ioctls_CFLAGS = $(AM_CFLAGS)
tests_kmod_suid_SOURCES = tests/kmod/suid.c
tests_kmod_kbranch_SOURCES = tests/kmod/kbranch.c
tests_kmod_kbranch_CFLAGS = $(AM_CFLAGS)

# What is traced is as its author wrote it: without CFLAGS, the sanitizers' among them.
KMOD_TRACED = tests/kmod/walk tests/kmod/hard tests/kmod/workers tests/kmod/document tests/kmod/document32 tests/kmod/requests tests/kmod/requests32 tests/kmod/narrow
EXTRA_DIST += tests/kmod/walk.S tests/kmod/hard.c tests/kmod/workers.cc tests/kmod/flow.py \
	tests/kmod/document.c tests/kmod/requests.c tests/kmod/small.h tests/kmod/narrow.c
EXTRA_tests_kmod_kbranch_DEPENDENCIES = $(KMOD_TRACED)
CLEANFILES += $(KMOD_TRACED)
tests/kmod/walk: tests/kmod/walk.S
	$(AM_V_CC)$(MKDIR_P) tests/kmod && $(CC) -nostdlib -static -no-pie -o $@ $(srcdir)/tests/kmod/walk.S

tests/kmod/hard: tests/kmod/hard.c
	$(AM_V_CC)$(MKDIR_P) tests/kmod && $(CC) -O1 -Wall -Wextra -pthread -o $@ $(srcdir)/tests/kmod/hard.c
# Without a library, which for 32 bits few machines have; where the compiler can't, there is none.
FREESTANDING = -O1 -fno-pie -Wall -Wextra -I$(srcdir) -ffreestanding -fno-stack-protector -fcf-protection=none -nostdlib -static -no-pie
KMOD_DOCUMENT = $(srcdir)/tests/kmod/document.c $(srcdir)/tests/kmod/small.h $(srcdir)/kmod/trawl_libiht.h
tests/kmod/document: $(KMOD_DOCUMENT)
	$(AM_V_CC)$(MKDIR_P) tests/kmod && $(CC) $(FREESTANDING) -o $@ $(srcdir)/tests/kmod/document.c
NARROW = $(CC) -m32 $(FREESTANDING) -isystem /usr/include/$$($(CC) -print-multiarch)
tests/kmod/document32: $(KMOD_DOCUMENT)
	$(AM_V_CC)$(MKDIR_P) tests/kmod && $(NARROW) -o $@ $(srcdir)/tests/kmod/document.c 2>/dev/null || rm -f $@
KMOD_REQUESTS = $(srcdir)/tests/kmod/requests.c $(srcdir)/tests/kmod/small.h $(srcdir)/kmod/trawl_uapi.h \
	$(srcdir)/kmod/trawl_uprobe.h
tests/kmod/requests: $(KMOD_REQUESTS)
	$(AM_V_CC)$(MKDIR_P) tests/kmod && $(CC) $(FREESTANDING) -o $@ $(srcdir)/tests/kmod/requests.c
tests/kmod/requests32: $(KMOD_REQUESTS)
	$(AM_V_CC)$(MKDIR_P) tests/kmod && $(NARROW) -o $@ $(srcdir)/tests/kmod/requests.c 2>/dev/null || rm -f $@
tests/kmod/narrow: tests/kmod/narrow.c
	$(AM_V_CC)$(MKDIR_P) tests/kmod && $(NARROW) -o $@ $(srcdir)/tests/kmod/narrow.c 2>/dev/null || rm -f $@
# Three quarters of its branches were the dynamic linker's, which looks up thousands of symbols of
# libstdc++; sqlite3 under steps (kmod-programs.sh) is dynamic, too.
tests/kmod/workers: tests/kmod/workers.cc
	$(AM_V_CC)$(MKDIR_P) tests/kmod && { g++ -O1 -pthread -static-libstdc++ -static-libgcc -o $@ \
		$(srcdir)/tests/kmod/workers.cc 2>/dev/null || g++ -O1 -pthread -o $@ $(srcdir)/tests/kmod/workers.cc; }

if HAVE_ZYDIS
check_PROGRAMS += tests/kmod/ptstep
tests_kmod_ptstep_SOURCES = tests/kmod/ptstep.c
tests_kmod_ptstep_CFLAGS = $(AM_CFLAGS)
tests_kmod_ptstep_LDADD = $(ZYDIS_LIBS)
endif
if HAVE_CRITERION
UNIT_KMOD = tests/kmod/test_select tests/kmod/test_uapi tests/kmod/test_lbr_format
tests_kmod_test_lbr_format_SOURCES = tests/kmod/test_lbr_format.c kmod/lbr_format.c
tests_kmod_test_lbr_format_CFLAGS = $(UNIT_CFLAGS)
tests_kmod_test_lbr_format_LDADD = $(CRITERION_LIBS)
tests_kmod_test_select_SOURCES = tests/kmod/test_select.c kmod/select.c
tests_kmod_test_select_CFLAGS = $(UNIT_CFLAGS)
tests_kmod_test_select_LDADD = $(CRITERION_LIBS)
tests_kmod_test_uapi_SOURCES = tests/kmod/test_uapi.c
tests_kmod_test_uapi_CFLAGS = $(UNIT_CFLAGS)
tests_kmod_test_uapi_LDADD = $(CRITERION_LIBS)
if HAVE_ZYDIS
UNIT_KMOD += tests/kmod/test_insn
tests_kmod_test_insn_SOURCES = tests/kmod/test_insn.c kmod/insn.c
tests_kmod_test_insn_CFLAGS = $(UNIT_CFLAGS)
tests_kmod_test_insn_LDADD = $(CRITERION_LIBS) $(ZYDIS_LIBS)
endif
check_PROGRAMS += $(UNIT_KMOD)
TESTS += $(UNIT_KMOD)
endif
