/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields that are for the next hop only (RFC 9110 7.6.1). Called by the exchange once a message,
 * before rules see it, so that nobody can make us take off what we add ourselves.
 */
#include "http/h1.h"

#define SPAN(text) ((struct span){ text, sizeof(text) - 1 })

/* Fields that everybody on the way needs: naming them in Connection does not take them off. */
static bool field_is_protected(enum field_id id)
{
	switch (id) {
	case FIELD_HOST:
	case FIELD_CONTENT_LENGTH:
	case FIELD_TRANSFER_ENCODING:
	case FIELD_CONNECTION: /* is the one being read */
	case FIELD_UPGRADE:    /* decided by the caller */
	case FIELD_TE:
		return true;
	default:
		return false;
	}
}

/* What Connection names. Its usual elements name no field: nothing is searched for them. */
static void strip_named(struct message *msg)
{
	struct span element;
	unsigned at = 0;
	struct field *f;
	size_t offset;

	while ((f = message_find_id(msg, FIELD_CONNECTION, &at)))
		for (offset = 0; list_next(f->value, &offset, &element);)
			if (!span_equal_nocase(element, SPAN("close")) &&
			    !field_is_protected(field_id(element)))
				message_delete(msg, element);
}

/* "TE: trailers" says that the next one's trailers will be passed on: true for us. */
static void strip_te(struct message *msg)
{
	bool kept = false;
	unsigned at = 0;
	struct field *f;

	while ((f = message_find_id(msg, FIELD_TE, &at))) {
		if (kept || !list_has_token(f->value, SPAN("trailers"))) {
			message_delete_field(msg, f);
			continue;
		}
		if (f->value.len != strlen("trailers"))
			message_set_value(msg, f, SPAN("trailers"));
		kept = true;
	}
}

void message_strip_connection(struct message *msg, bool keep_upgrade)
{
	unsigned at = 0;
	struct field *f;

	while ((f = message_find_id(msg, FIELD_CONNECTION, &at)))
		if (keep_upgrade) {
			message_set_value(msg, f, SPAN("Upgrade"));
			keep_upgrade = false;
		} else {
			message_delete_field(msg, f);
		}
}

void message_strip_hops(struct message *msg, bool keep_upgrade)
{
	unsigned i;

	strip_named(msg);
	message_strip_connection(msg, keep_upgrade);
	strip_te(msg);
	for (i = 0; i < msg->count; i++) {
		struct field *f = &msg->fields[i];

		if (f->name.ptr && (f->id == FIELD_KEEP_ALIVE || f->id == FIELD_PROXY_CONNECTION ||
				    f->id == FIELD_HTTP2_SETTINGS ||
				    (f->id == FIELD_UPGRADE && !keep_upgrade)))
			message_delete_field(msg, f);
	}
}
