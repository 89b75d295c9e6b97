/* SPDX-License-Identifier: MIT */
/*
 * Guesses the class of an interface without known descriptors from the form of a control request.
 */
#ifndef TRAWL_DECODE_USB_REQUESTGUESS_H
#define TRAWL_DECODE_USB_REQUESTGUESS_H

#include "decode/usb/control.h"

/*
 * If the form of the request fits exactly one class, sets the class and `guessed` in *to. Otherwise
 * *to is unchanged.
 */
void request_guess(const struct control_request *s, struct control_target *to);

#endif
