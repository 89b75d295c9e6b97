# SPDX-License-Identifier: MIT
# What is printed of many inputs is held by its digests: see printed.h.
EXTRA_DIST += tests/printed/printed.h tests/printed/printed.py tests/printed/steady.py \
	tests/printed/commands.py tests/printed/outputs tests/printed/usb tests/printed/format \
	tests/printed/payloads tests/printed/decoded

# Sets of inputs (inputs.h) and how they are made
EXTRA_DIST += tests/printed/inputs.h tests/printed/chance.h tests/printed/whole.h tests/printed/pack.py \
	tests/printed/objects.py

# Of tests/cli
EXTRA_DIST += tests/printed/queries tests/printed/made tests/printed/forms.py tests/printed/lines.py \
	tests/printed/kernelmade.py tests/printed/formatsmade.py tests/printed/joinmade.py \
	tests/printed/branchesmade.py
