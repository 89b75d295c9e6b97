/* SPDX-License-Identifier: MIT */
#include "capture/usb/devices.h"
#include "capture/sys/clock.h"
#include "capture/sys/meta.h"

#include <stdio.h>
#include <string.h>

enum { REWRITE_MS = 500 }; /* from the last hot-plug message of a device to the next write */

void usbdevices_start(struct usbdevices *d, struct session *session, struct usbfilter *filter)
{
	d->session = session;
	d->filter = filter;
}

int usbdevices_write_json(struct usbdevices *d, const char *name, struct json *j,
			  struct trawl_error *err)
{
	char full[USBSYS_NAME + 8];

	snprintf(full, sizeof(full), "usb/%s", name);
	return meta_write_json(session_writer(d->session), full, mono_now(), j, err);
}

/* Called again when drivers have been bound: some keyboards cannot be recognised before. */
static void warn_keyboard(struct usbdevices *d, const struct usb_identity *id)
{
	bool *warned = &d->warned[id->bus][id->dev];

	if (id->keyboard && !*warned)
		session_note(d->session,
			     "usb: %s (%04x:%04x) is a keyboard: what is typed on it will be in "
			     "this capture", id->name, id->vid, id->pid);
	*warned |= id->keyboard;
}

int usbdevices_write(struct usbdevices *d, const char *name, struct trawl_error *err)
{
	struct usb_identity id;
	struct json j = { 0 };

	if (!usbsys_identity(USBSYS_ROOT, name, &id) || !usbfilter_learn(d->filter, &id))
		return 0;
	warn_keyboard(d, &id);
	if (usbsys_snapshot(USBSYS_ROOT, name, &j))
		return usbdevices_write_json(d, name, &j, err);
	json_free(&j);
	return 0;
}

int usbdevices_write_removed(struct usbdevices *d, const struct usb_uevent *ev,
			     struct trawl_error *err)
{
	struct json j = { 0 };

	d->warned[ev->bus][ev->dev] = false;
	json_object(&j, NULL);
	json_string(&j, "path", ev->name);
	json_uint(&j, "busnum", ev->bus);
	json_uint(&j, "devnum", ev->dev);
	json_bool(&j, "gone", true);
	json_end(&j);
	return usbdevices_write_json(d, ev->name, &j, err);
}

void usbdevices_rewrite_later(struct usbdevices *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->nrewrites && strcmp(d->rewrites[i].name, name); i++)
		;
	if (i == USBDEVICES_REWRITES)
		return; /* too many at once: these keep the metadata from when they were added */
	if (i == d->nrewrites)
		snprintf(d->rewrites[d->nrewrites++].name, USBSYS_NAME, "%s", name);
	d->rewrites[i].due = mono_ms() + REWRITE_MS;
}

int usbdevices_rewrite(struct usbdevices *d, bool all, struct trawl_error *err)
{
	uint64_t now = mono_ms();
	size_t i = 0;

	while (i < d->nrewrites) {
		char name[USBSYS_NAME];

		if (!all && d->rewrites[i].due > now) {
			i++;
			continue;
		}
		memcpy(name, d->rewrites[i].name, sizeof(name));
		d->rewrites[i] = d->rewrites[--d->nrewrites];
		if (usbdevices_write(d, name, err) < 0)
			return -1;
	}
	return 0;
}
