// SPDX-License-Identifier: MIT
// The program in a page of trawl-export --to html. The data is in the same document; nothing is
// loaded or sent. Times are ns since the first event, as doubles, which are exact up to 104 days.
"use strict";
const $ = (id) => document.getElementById(id);
const NONE = 0xffff,
	PROBLEM = 1,
	SECRET = 2,
	TRIGGER = 4,
	FAILED = PROBLEM | 8; // 8: a system call that returned an error
