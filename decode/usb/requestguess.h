/* SPDX-License-Identifier: MIT */
/* The class of a request to an interface of which no descriptor is known, by the request's form. */
#ifndef TRAWL_DECODE_USB_REQUESTGUESS_H
#define TRAWL_DECODE_USB_REQUESTGUESS_H

#include "decode/usb/control.h"

/* Fills in the class that fits, and says that it is guessed; *to stays as it is if none does. */
void request_guess(const struct control_request *s, struct control_target *to);

#endif
