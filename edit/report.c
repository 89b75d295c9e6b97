/* SPDX-License-Identifier: MIT */
#include "edit/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edit/edit.h"

const char *const report_file_names[REPORT_FILES] = {
	[RECORDED] = "recorded.trawl", [CUT] = "cut.trawl", [CAPTURE] = "capture.trawl",
	[PAGE] = "index.html", [SECRETS] = "secrets.txt", [PACKETS] = "usb.pcapng",
	[SUMMARY] = "summary.txt", [MANIFEST] = "manifest.txt", [TEXT] = "report.txt",
	/* the title of the page is the last component of the path */
	[PAGE_PART] = "page/capture.trawl",
};

int report_folder_make(struct report *r, struct trawl_error *err)
{
	const char *dir = getenv("TMPDIR");

	snprintf(r->folder, sizeof(r->folder), "%s/trawl-report-XXXXXX",
		 dir && *dir ? dir : "/tmp");
	if (!mkdtemp(r->folder))
		return trawl_fail(err, TRAWL_CANNOT, "%s: a folder cannot be created there: %m; "
				  "set TMPDIR to another place", r->folder);
	for (int i = 0; i < REPORT_FILES; i++)
		if (asprintf(&r->files[i], "%s/%s", r->folder, report_file_names[i]) < 0) {
			r->files[i] = NULL;
			rmdir(r->folder);
			return edit_no_memory(err);
		}
	return 0;
}

void report_folder_remove(struct report *r)
{
	char *slash = strrchr(r->files[PAGE_PART], '/');

	for (int i = 0; i < REPORT_FILES; i++)
		unlink(r->files[i]);
	*slash = '\0';
	rmdir(r->files[PAGE_PART]);
	rmdir(r->folder);
}

void report_free(struct report *r)
{
	for (int i = 0; i < REPORT_FILES; i++)
		free(r->files[i]);
}
