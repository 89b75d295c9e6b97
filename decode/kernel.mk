# SPDX-License-Identifier: MIT
# Print formats and exports of kernel events, and what is around an event; included by local.mk.
libdecode_la_SOURCES += \
	decode/printfmt.h decode/printexpr.h decode/printfmt.c \
	decode/printparse.h decode/printparse.c \
	decode/constants.h decode/constants.c \
	decode/printeval.h decode/printeval.c \
	decode/printbytes.h decode/printbytes.c \
	decode/printconv.c decode/symbols.c \
	decode/perfetto.h decode/perfetto.c decode/protobuf.h \
	decode/tracedat.h decode/tracedat.c \
	decode/around.h decode/around.c \
	decode/join.h decode/join.c
