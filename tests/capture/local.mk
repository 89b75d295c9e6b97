# SPDX-License-Identifier: MIT

if HAVE_CRITERION
UNIT_CAPTURE = tests/capture/tracefs/test_ring \
	tests/capture/tracefs/test_eventformat \
	tests/capture/cli/test_options tests/capture/cli/test_printed \
	tests/capture/tracefs/test_loss tests/capture/tracefs/test_printed \
	tests/capture/tracefs/test_countedtext \
	tests/capture/task/test_crash \
	tests/capture/task/test_initial \
	tests/capture/tracefs/test_kallsyms \
	tests/capture/tracefs/test_longtext \
	tests/capture/tracefs/test_readcheck \
	tests/capture/output/test_output \
	tests/capture/output/test_newfile \
	tests/capture/tracefs/test_owner \
	tests/capture/sys/test_fdmessage tests/capture/sys/test_lockdown tests/capture/sys/test_user \
	tests/capture/task/test_taskfilter \
	tests/common/test_nearest tests/common/test_hashset \
	tests/common/test_array tests/common/test_branch tests/common/test_branchrewrite \
	tests/capture/branch/test_selftest tests/capture/branch/test_printed tests/capture/branch/test_queue \
	tests/capture/branch/test_join tests/capture/branch/test_gap tests/capture/branch/test_kmodfile tests/capture/branch/test_perfmaps tests/capture/branch/test_perfring tests/capture/branch/test_switches tests/capture/branch/test_dating tests/capture/branch/test_forks tests/capture/branch/test_execs tests/capture/output/test_pending \
	tests/capture/output/test_recording \
	tests/capture/output/test_first \
	tests/capture/session/test_session \
	tests/common/test_json tests/common/test_plain tests/common/test_regular
check_PROGRAMS += $(UNIT_CAPTURE)
TESTS += $(UNIT_CAPTURE)
tests_capture_tracefs_test_ring_SOURCES = tests/capture/tracefs/test_ring.c
tests_capture_tracefs_test_ring_CFLAGS = $(UNIT_CFLAGS)
tests_capture_tracefs_test_ring_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_tracefs_test_eventformat_SOURCES = tests/capture/tracefs/test_eventformat.c
tests_capture_tracefs_test_eventformat_CFLAGS = $(UNIT_CFLAGS)
tests_capture_tracefs_test_eventformat_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_kmodfile_SOURCES = tests/capture/branch/test_kmodfile.c
tests_capture_branch_test_kmodfile_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_kmodfile_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_printed_SOURCES = tests/capture/branch/test_printed.c
tests_capture_branch_test_printed_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_printed_LDADD = libcapture.la $(UNIT_LDADD) $(ZSTD_LIBS) $(XXHASH_LIBS)
EXTRA_DIST += tests/printed/branch tests/printed/branch-programs tests/printed/branch-damaged
tests_capture_branch_test_selftest_SOURCES = tests/capture/branch/test_selftest.c
tests_capture_branch_test_selftest_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_selftest_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_queue_SOURCES = tests/capture/branch/test_queue.c
tests_capture_branch_test_queue_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_queue_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_gap_SOURCES = tests/capture/branch/test_gap.c
tests_capture_branch_test_gap_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_gap_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_join_SOURCES = tests/capture/branch/test_join.c
tests_capture_branch_test_join_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_join_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_perfring_SOURCES = tests/capture/branch/test_perfring.c
tests_capture_branch_test_perfring_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_perfring_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_switches_SOURCES = tests/capture/branch/test_switches.c
tests_capture_branch_test_switches_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_switches_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_dating_SOURCES = tests/capture/branch/test_dating.c
tests_capture_branch_test_dating_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_dating_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_forks_SOURCES = tests/capture/branch/test_forks.c
tests_capture_branch_test_forks_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_forks_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_execs_SOURCES = tests/capture/branch/test_execs.c
tests_capture_branch_test_execs_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_execs_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_branch_test_perfmaps_SOURCES = tests/capture/branch/test_perfmaps.c
tests_capture_branch_test_perfmaps_CFLAGS = $(UNIT_CFLAGS)
tests_capture_branch_test_perfmaps_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_cli_test_options_SOURCES = tests/capture/cli/test_options.c
tests_capture_cli_test_options_CFLAGS = $(UNIT_CFLAGS)
tests_capture_cli_test_options_LDADD = libcapture.la libdecode.la libcommon.la libformat.la $(CRITERION_LIBS)
tests_capture_cli_test_printed_SOURCES = tests/capture/cli/test_printed.c
tests_capture_cli_test_printed_CFLAGS = $(UNIT_CFLAGS)
tests_capture_cli_test_printed_LDADD = libcapture.la libdecode.la $(UNIT_LDADD) $(ZSTD_LIBS) $(XXHASH_LIBS)
EXTRA_DIST += tests/printed/cli
tests_capture_tracefs_test_countedtext_SOURCES = tests/capture/tracefs/test_countedtext.c
tests_capture_tracefs_test_countedtext_CFLAGS = $(UNIT_CFLAGS)
tests_capture_tracefs_test_countedtext_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_tracefs_test_longtext_SOURCES = tests/capture/tracefs/test_longtext.c
tests_capture_tracefs_test_longtext_CFLAGS = $(UNIT_CFLAGS)
tests_capture_tracefs_test_longtext_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_task_test_crash_SOURCES = tests/capture/task/test_crash.c
tests_capture_task_test_crash_CFLAGS = $(UNIT_CFLAGS)
tests_capture_task_test_crash_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_task_test_initial_SOURCES = tests/capture/task/test_initial.c tests/capture/lackmemory.h
tests_capture_task_test_initial_CFLAGS = $(UNIT_CFLAGS)
tests_capture_task_test_initial_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_tracefs_test_kallsyms_SOURCES = tests/capture/tracefs/test_kallsyms.c tests/capture/lackmemory.h
tests_capture_tracefs_test_kallsyms_CFLAGS = $(UNIT_CFLAGS)
tests_capture_tracefs_test_kallsyms_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_tracefs_test_readcheck_SOURCES = tests/capture/tracefs/test_readcheck.c
tests_capture_tracefs_test_readcheck_CFLAGS = $(UNIT_CFLAGS)
tests_capture_tracefs_test_readcheck_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_tracefs_test_printed_SOURCES = tests/capture/tracefs/test_printed.c
tests_capture_tracefs_test_printed_CFLAGS = $(UNIT_CFLAGS)
tests_capture_tracefs_test_printed_LDADD = libcapture.la $(UNIT_LDADD) $(ZSTD_LIBS) $(XXHASH_LIBS)
EXTRA_DIST += tests/printed/tracefs tests/printed/eventformat.zst tests/printed/ringpage.zst
tests_capture_tracefs_test_loss_SOURCES = tests/capture/tracefs/test_loss.c
tests_capture_tracefs_test_loss_CFLAGS = $(UNIT_CFLAGS)
tests_capture_tracefs_test_loss_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_output_test_output_SOURCES = tests/capture/output/test_output.c tests/folder.h \
	tests/no_tmpfile.c tests/no_tmpfile.h
tests_capture_output_test_output_CFLAGS = $(UNIT_CFLAGS)
tests_capture_output_test_output_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_output_test_newfile_SOURCES = tests/capture/output/test_newfile.c tests/no_tmpfile.c tests/no_tmpfile.h
tests_capture_output_test_newfile_CFLAGS = $(UNIT_CFLAGS)
tests_capture_output_test_newfile_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_tracefs_test_owner_SOURCES = tests/capture/tracefs/test_owner.c
tests_capture_tracefs_test_owner_CFLAGS = $(UNIT_CFLAGS)
tests_capture_tracefs_test_owner_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_sys_test_fdmessage_SOURCES = tests/capture/sys/test_fdmessage.c
tests_capture_sys_test_fdmessage_CFLAGS = $(UNIT_CFLAGS)
tests_capture_sys_test_fdmessage_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_sys_test_lockdown_SOURCES = tests/capture/sys/test_lockdown.c
tests_capture_sys_test_lockdown_CFLAGS = $(UNIT_CFLAGS)
tests_capture_sys_test_lockdown_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_sys_test_user_SOURCES = tests/capture/sys/test_user.c
tests_capture_sys_test_user_CFLAGS = $(UNIT_CFLAGS)
tests_capture_sys_test_user_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_task_test_taskfilter_SOURCES = tests/capture/task/test_taskfilter.c
tests_capture_task_test_taskfilter_CFLAGS = $(UNIT_CFLAGS)
tests_capture_task_test_taskfilter_LDADD = libcapture.la $(UNIT_LDADD)
tests_common_test_hashset_SOURCES = tests/common/test_hashset.c
tests_common_test_hashset_CFLAGS = $(UNIT_CFLAGS)
tests_common_test_hashset_LDADD = $(UNIT_LDADD)
tests_common_test_nearest_SOURCES = tests/common/test_nearest.c
tests_common_test_nearest_CFLAGS = $(UNIT_CFLAGS)
tests_common_test_nearest_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_output_test_pending_SOURCES = tests/capture/output/test_pending.c tests/capture/output/got.h
tests_capture_output_test_pending_CFLAGS = $(UNIT_CFLAGS)
tests_capture_output_test_pending_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_output_test_recording_SOURCES = tests/capture/output/test_recording.c
tests_capture_output_test_recording_CFLAGS = $(UNIT_CFLAGS)
tests_capture_output_test_recording_LDADD = libcapture.la libdecode.la libcommon.la $(UNIT_LDADD)
tests_capture_output_test_first_SOURCES = tests/capture/output/test_first.c tests/capture/output/got.h
tests_capture_output_test_first_CFLAGS = $(UNIT_CFLAGS)
tests_capture_output_test_first_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_session_test_session_SOURCES = tests/capture/session/test_session.c
tests_capture_session_test_session_CFLAGS = $(UNIT_CFLAGS)
tests_capture_session_test_session_LDADD = libcapture.la libdecode.la libcommon.la libformat.la $(CRITERION_LIBS)
tests_common_test_array_SOURCES = tests/common/test_array.c
tests_common_test_array_CFLAGS = $(UNIT_CFLAGS)
tests_common_test_array_LDADD = $(UNIT_LDADD)
tests_common_test_branch_SOURCES = tests/common/test_branch.c
tests_common_test_branch_CFLAGS = $(UNIT_CFLAGS)
tests_common_test_branch_LDADD = libcapture.la libcommon.la $(UNIT_LDADD)
tests_common_test_branchrewrite_SOURCES = tests/common/test_branchrewrite.c
tests_common_test_branchrewrite_CFLAGS = $(UNIT_CFLAGS)
tests_common_test_branchrewrite_LDADD = libcapture.la libcommon.la libformat.la $(UNIT_LDADD)
tests_common_test_plain_SOURCES = tests/common/test_plain.c
tests_common_test_plain_CFLAGS = $(UNIT_CFLAGS)
tests_common_test_plain_LDADD = $(UNIT_LDADD)
tests_common_test_regular_SOURCES = tests/common/test_regular.c
tests_common_test_regular_CFLAGS = $(UNIT_CFLAGS)
tests_common_test_regular_LDADD = $(UNIT_LDADD)
tests_common_test_json_SOURCES = tests/common/test_json.c
tests_common_test_json_CFLAGS = $(UNIT_CFLAGS)
tests_common_test_json_LDADD = libcapture.la $(UNIT_LDADD)
UNIT_USBMON = tests/capture/usb/test_usbmon tests/capture/usb/test_filter tests/capture/usb/test_sysfs \
	tests/capture/usb/test_text tests/capture/usb/test_tally tests/capture/usb/test_printed
check_PROGRAMS += $(UNIT_USBMON)
TESTS += $(UNIT_USBMON)
USBMON_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_usb_test_usbmon_SOURCES = tests/capture/usb/test_usbmon.c \
	tests/capture/usb/monmodel.c tests/capture/usb/monmodel.h
tests_capture_usb_test_usbmon_CFLAGS = $(UNIT_CFLAGS)
tests_capture_usb_test_usbmon_LDADD = $(USBMON_LDADD)
tests_capture_usb_test_printed_SOURCES = tests/capture/usb/test_printed.c
tests_capture_usb_test_printed_CFLAGS = $(UNIT_CFLAGS)
tests_capture_usb_test_printed_LDADD = libcapture.la libdecode.la libcommon.la libformat.la \
	$(CRITERION_LIBS) $(XXHASH_LIBS)
EXTRA_DIST += tests/printed/usbcapture
tests_capture_usb_test_tally_SOURCES = tests/capture/usb/test_tally.c
tests_capture_usb_test_tally_CFLAGS = $(UNIT_CFLAGS)
tests_capture_usb_test_tally_LDADD = $(USBMON_LDADD)
tests_capture_usb_test_filter_SOURCES = tests/capture/usb/test_filter.c
tests_capture_usb_test_filter_CFLAGS = $(UNIT_CFLAGS)
tests_capture_usb_test_filter_LDADD = $(USBMON_LDADD)
tests_capture_usb_test_text_SOURCES = tests/capture/usb/test_text.c
tests_capture_usb_test_text_CFLAGS = $(UNIT_CFLAGS)
tests_capture_usb_test_text_LDADD = libcapture.la libdecode.la libcommon.la libformat.la $(CRITERION_LIBS)
tests_capture_usb_test_sysfs_SOURCES = tests/capture/usb/test_sysfs.c
tests_capture_usb_test_sysfs_CFLAGS = $(UNIT_CFLAGS)
tests_capture_usb_test_sysfs_LDADD = libcapture.la libdecode.la libcommon.la libformat.la $(CRITERION_LIBS)
endif

include tests/capture/probe/local.mk

# The program that the end-to-end tests trace.
if HAVE_SDT
check_PROGRAMS += tests/capture/target
tests_capture_target_SOURCES = tests/capture/target.c
tests_capture_target_CFLAGS = $(AM_CFLAGS) -g -O1
endif
