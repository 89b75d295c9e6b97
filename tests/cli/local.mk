# SPDX-License-Identifier: MIT
CLI_DECODE = tests/cli/decode.sh tests/cli/decode-bad.sh tests/cli/flipped.py tests/cli/fifo.py tests/cli/memory.py tests/cli/decode-man.sh tests/cli/newer.py \
	tests/cli/export.sh tests/cli/foreign_text.py tests/cli/terminal.py
TESTS += $(CLI_DECODE)
EXTRA_DIST += $(CLI_DECODE)
CLI_CAPTURE = tests/cli/capture_events.sh tests/cli/capture_ends.sh tests/cli/capture_input.sh \
	tests/cli/capture_cleanup.sh tests/cli/capture_tamper.sh tests/cli/capture_loss.sh \
	tests/cli/capture_output.sh tests/cli/capture_privacy.sh tests/cli/capture_scope.sh tests/cli/capture_full.sh \
	tests/cli/flight.sh tests/cli/privileges.sh tests/cli/recorder.py tests/cli/rotation.py
EXTRA_DIST += tests/cli/capture.sh $(CLI_CAPTURE)
if HAVE_SDT
TESTS += $(CLI_CAPTURE)
endif

EXTRA_DIST += tests/cli/usdt.py
if HAVE_SDT
TESTS += tests/cli/usdt.py
endif
CLI_KERNEL = tests/cli/kernel.py tests/cli/kerneltext.py tests/cli/lines.py
TESTS += $(CLI_KERNEL)
EXTRA_DIST += $(CLI_KERNEL) tests/cli/protobuf.py

TESTS += tests/cli/usb_none.sh tests/cli/import.py tests/cli/usbpcap.py tests/cli/diff.py
EXTRA_DIST += tests/cli/usb_none.sh tests/cli/import.py tests/cli/usbpcap.py tests/cli/diff.py

TESTS += tests/cli/samples.sh tests/cli/readme.sh tests/cli/messages.sh tests/cli/list.sh tests/cli/suites.sh tests/cli/install.sh tests/cli/prepare.sh
EXTRA_DIST += tests/cli/samples.sh tests/cli/readme.sh tests/cli/messages.sh tests/cli/list.sh tests/cli/suites.sh tests/cli/install.sh tests/cli/prepare.sh

# Outputs by digests
CLI_PRINTED = tests/cli/outputs.py tests/cli/queries.py tests/cli/made.py
TESTS += $(CLI_PRINTED)
EXTRA_DIST += $(CLI_PRINTED)
UNSANITIZED += tests/cli/queries.py tests/cli/made.py

CLI_EDIT = tests/cli/cut.py tests/cli/longest.py tests/cli/merge.py tests/cli/page.py tests/cli/property.py tests/cli/redact.py tests/cli/report.py tests/cli/search.py
TESTS += $(CLI_EDIT)
EXTRA_DIST += $(CLI_EDIT) tests/cli/page.js tests/cli/search.js tests/cli/planted.py

# Operations of trawl-edit as on the JSON, with other files: `make property-long SECONDS=600 SEED=1 CAPTURES=FOLDER`.
.PHONY: property-long
property-long: all tests/decode/make-lines
	TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' PATH='$(abs_top_builddir)':"$$PATH" \
		$(srcdir)/tests/cli/property.py '$(or $(SECONDS),600)' '$(or $(SEED),1)' $(CAPTURES)

TESTS += tests/cli/join.py
EXTRA_DIST += tests/cli/join.py
TESTS += tests/cli/branch.py tests/cli/branchexport.py tests/cli/branchflow.py
EXTRA_DIST += tests/cli/branch.py tests/cli/branchexport.py tests/cli/branchflow.py tests/reader_branch.py
# Loaded into the programs that read (sandbox.py): what a fault in a parser could do.
# And into the recorder (parsers.py): who opens programs.
PRELOADED = tests/cli/attempt.so tests/cli/parsers.so
tests/cli/attempt.so: tests/cli/attempt.c
	$(AM_V_CCLD)$(MKDIR_P) tests/cli && $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) \
		$(CPPFLAGS) $(AM_CFLAGS) -O2 -fPIC -shared -o $@ $(srcdir)/tests/cli/attempt.c -ldl
tests/cli/parsers.so: tests/cli/parsers.c
	$(AM_V_CCLD)$(MKDIR_P) tests/cli && $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) \
		$(CPPFLAGS) $(AM_CFLAGS) -O2 -fPIC -shared -o $@ $(srcdir)/tests/cli/parsers.c -ldl
check_DATA = $(PRELOADED)
CLEANFILES += $(PRELOADED)
TESTS += tests/cli/parsers.py tests/cli/special_files.py
EXTRA_DIST += tests/cli/parsers.py tests/cli/special_files.py tests/cli/parsers.c
TESTS += tests/cli/sandbox.py
EXTRA_DIST += tests/cli/sandbox.py tests/cli/attempt.c
