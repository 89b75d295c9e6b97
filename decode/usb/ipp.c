/* SPDX-License-Identifier: MIT */
#include "decode/usb/ipp.h"

#include <ctype.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/codename.h"

/* HEADER: version, operation or status, request number; then groups of attributes. */
enum { HEADER = 8, LINE_MAX_BYTES = 256, END_OF_ATTRIBUTES = 3, FIRST_VALUE_TAG = 0x10 };
enum { INTEGER = 0x21, BOOLEAN, ENUM, FIRST_TEXT = 0x41, LAST_TEXT = 0x49 };

static const struct code_name operations[] = {
	{0x0002, "Print-Job"},
	{0x0003, "Print-URI"},
	{0x0004, "Validate-Job"},
	{0x0005, "Create-Job"},
	{0x0006, "Send-Document"},
	{0x0007, "Send-URI"},
	{0x0008, "Cancel-Job"},
	{0x0009, "Get-Job-Attributes"},
	{0x000a, "Get-Jobs"},
	{0x000b, "Get-Printer-Attributes"},
	{0x000c, "Hold-Job"},
	{0x000d, "Release-Job"},
	{0x000e, "Restart-Job"},
	{0x0010, "Pause-Printer"},
	{0x0011, "Resume-Printer"},
	{0x0012, "Purge-Jobs"},
	{0x0013, "Set-Printer-Attributes"},
	{0x0014, "Set-Job-Attributes"},
	{0x0015, "Get-Printer-Supported-Values"},
	{0x0016, "Create-Printer-Subscriptions"},
	{0x0017, "Create-Job-Subscriptions"},
	{0x0018, "Get-Subscription-Attributes"},
	{0x0019, "Get-Subscriptions"},
	{0x001a, "Renew-Subscription"},
	{0x001b, "Cancel-Subscription"},
	{0x001c, "Get-Notifications"},
	{0x0033, "Cancel-Current-Job"},
	{0x0038, "Cancel-Jobs"},
	{0x0039, "Cancel-My-Jobs"},
	{0x003b, "Close-Job"},
	{0x003c, "Identify-Printer"},
	{0x003d, "Validate-Document"},
};

static const struct code_name statuses[] = {
	{0x0000, "successful-ok"},
	{0x0001, "successful-ok-ignored-or-substituted-attributes"},
	{0x0002, "successful-ok-conflicting-attributes"},
	{0x0400, "client-error-bad-request"},
	{0x0401, "client-error-forbidden"},
	{0x0402, "client-error-not-authenticated"},
	{0x0403, "client-error-not-authorized"},
	{0x0404, "client-error-not-possible"},
	{0x0405, "client-error-timeout"},
	{0x0406, "client-error-not-found"},
	{0x0407, "client-error-gone"},
	{0x0408, "client-error-request-entity-too-large"},
	{0x0409, "client-error-request-value-too-long"},
	{0x040a, "client-error-document-format-not-supported"},
	{0x040b, "client-error-attributes-or-values-not-supported"},
	{0x040c, "client-error-uri-scheme-not-supported"},
	{0x040d, "client-error-charset-not-supported"},
	{0x040e, "client-error-conflicting-attributes"},
	{0x0500, "server-error-internal-error"},
	{0x0501, "server-error-operation-not-supported"},
	{0x0502, "server-error-service-unavailable"},
	{0x0503, "server-error-version-not-supported"},
	{0x0504, "server-error-device-error"},
	{0x0505, "server-error-temporary-error"},
	{0x0506, "server-error-not-accepting-jobs"},
	{0x0507, "server-error-busy"},
	{0x0508, "server-error-job-canceled"},
};

static const struct code_name groups[] = {
	{1, "operation"},   {2, "job"},		 {4, "printer"},
	{5, "unsupported"}, {6, "subscription"}, {7, "event-notification"},
	{9, "document"},
};

static bool begins(const uint8_t *p, size_t n, const char *text)
{
	size_t length = strlen(text);

	return n >= length && !memcmp(p, text, length);
}

size_t http_line(const uint8_t *p, size_t n)
{
	static const char *const methods[] = {"POST ", "GET ",	  "HEAD ",
					      "PUT ",  "DELETE ", "OPTIONS "};
	const uint8_t *end = memchr(p, '\r', n < LINE_MAX_BYTES ? n : LINE_MAX_BYTES);
	size_t length = end ? (size_t)(end - p) : 0;

	if (begins(p, n, "HTTP/1."))
		return length;
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (begins(p, n, methods[i]) && length >= 9 && begins(end - 9, 9, " HTTP/1."))
			return length;
	return 0;
}

/* Returns the body after an HTTP header, or p itself if there is no header. */
static const uint8_t *body_of(const uint8_t *p, size_t n)
{
	const uint8_t *end;

	if (!http_line(p, n))
		return p;
	end = memmem(p, n, "\r\n\r\n", 4);
	return end ? end + 4 : p + n;
}

/* Skips the line with the chunk size of HTTP's chunked encoding, if there is one. */
static const uint8_t *skip_chunk_size(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *at = p;

	while (at < end && at - p < 8 && isxdigit(*at))
		at++;
	return at > p && end - at >= 2 && at[0] == '\r' && at[1] == '\n' ? at + 2 : p;
}

const uint8_t *ipp_message(const uint8_t *p, size_t n, size_t *left)
{
	const uint8_t *end = p + n, *at = skip_chunk_size(body_of(p, n), end);

	*left = (size_t)(end - at);
	/* Versions are 1.0 to 2.2; the operation's group comes first and begins with a charset. */
	return *left >= HEADER + 2 && at[0] >= 1 && at[0] <= 2 && at[1] <= 2 && at[HEADER] == 1 &&
			       at[HEADER + 1] == 0x47
		       ? at
		       : NULL;
}

static void value_tree(uint8_t tag, const uint8_t *p, size_t n, struct tree *t)
{
	if ((tag == INTEGER || tag == ENUM) && n == 4)
		tree_int(t, "number", (int32_t)get_be32(p));
	else if (tag == BOOLEAN && n == 1)
		tree_uint(t, "number", *p);
	else if (tag >= FIRST_TEXT && tag <= LAST_TEXT)
		tree_text(t, "text", p, n);
	else if (n)
		tree_bytes(t, "bytes", p, n);
}

/*
 * Appends one attribute, or a further value of the preceding one. Returns its size, or 0 if it is
 * truncated.
 */
static size_t attribute(const uint8_t *p, size_t n, const char *group, struct tree *t)
{
	size_t name = n >= 3 ? get_be16(p + 1) : 0, value;

	if (n < 3 || n < 5 + name)
		return 0;
	value = get_be16(p + 3 + name);
	if (n < 5 + name + value)
		return 0;
	tree_object(t, "attribute");
	tree_str(t, "group", group);
	if (name)
		tree_text(t, "name", p + 3, name);
	value_tree(p[0], p + 5 + name, value, t);
	tree_close(t);
	return 5 + name + value;
}

static void attributes_tree(const uint8_t *p, size_t n, struct tree *t)
{
	const char *group = NULL;

	tree_list(t, "attributes");
	for (size_t at = 0, size; at < n && p[at] != END_OF_ATTRIBUTES; at += size) {
		size = 1;
		if (p[at] < FIRST_VALUE_TAG)
			group = CODE_NAME(groups, p[at]);
		else
			size = attribute(p + at, n - at, group, t);
		if (!size)
			break;
	}
	tree_close(t);
}

static const char *code_name_of(const uint8_t *p, bool answer)
{
	uint16_t code = get_be16(p + 2);

	return answer ? CODE_NAME(statuses, code) : CODE_NAME(operations, code);
}

void ipp_tree(const uint8_t *p, size_t n, bool answer, struct tree *t)
{
	tree_object(t, "ipp");
	tree_printf(t, "version", "%u.%u", p[0], p[1]);
	tree_hex(t, answer ? "status" : "operation", get_be16(p + 2), 4);
	tree_str(t, answer ? "status_name" : "operation_name", code_name_of(p, answer));
	tree_uint(t, "request_id", get_be32(p + 4));
	attributes_tree(p + HEADER, n - HEADER, t);
	tree_close(t);
}

void ipp_brief(const uint8_t *p, size_t n, bool answer, struct out *o)
{
	const char *name = code_name_of(p, answer);

	if (name)
		out_printf(o, " IPP %s", name);
	else
		out_printf(o, " IPP %s 0x%04x", answer ? "status" : "operation", get_be16(p + 2));
	out_printf(o, " request %u", get_be32(p + 4));
}

const char *const ipp_names[] = {
	"attribute", "attributes",  "bytes",	 "group",	   "ipp",
	"name",	     "number",	    "operation", "operation_name", "request_id",
	"status",    "status_name", "text",	 "version",	   NULL,
};

void ipp_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "status_name"))
		CODE_WORDS(statuses, fn, arg);
	else if (!strcmp(member, "operation_name"))
		CODE_WORDS(operations, fn, arg);
}
