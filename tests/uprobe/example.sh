# SPDX-License-Identifier: MIT
# example NAME: the program between the comments NAME and "end of NAME" of uprobe_poll(3).
# shellcheck shell=sh
example() {
	sed -n "/^\.\\\\\" $1\$/,/^\.\\\\\" end of $1\$/p" "$TRAWL_SRC/docs/uprobe_poll.3" |
		grep -v '^\.' |
		sed 's/\\-/-/g; s/\\\\/\\/g'
}
