// SPDX-License-Identifier: MIT
// The program of a page of trawl-export --to html. The data are beside it in the document; nothing is loaded and
// nothing is sent. Times are ns since the first event, as doubles: exact up to 104 days.
"use strict";
const $ = (id) => document.getElementById(id);
const NONE = 0xffff, PROBLEM = 1, SECRET = 2, TRIGGER = 4;

