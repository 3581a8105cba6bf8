/* SPDX-License-Identifier: BSD-2-Clause */
/* What the field Upgrade of HTTP/1 asks for. Called by exchanges and by what writes heads of other
 * versions, where the field itself has no place. */
#include "http/upgrade_field.h"

#include "base/literal.h"
#include "http/scan.h"

#include <string.h>

bool upgrade_is_protocol(struct span text)
{
	const char *slash = text.len ? memchr(text.ptr, '/', text.len) : NULL;
	size_t name = slash ? (size_t)(slash - text.ptr) : text.len;

	return span_is_token((struct span){ text.ptr, name }) &&
	       (!slash || span_is_token((struct span){ slash + 1, text.len - name - 1 }));
}

/* An extended CONNECT has no method of its own: that of others than GET would be lost. */
struct span upgrade_protocol(const struct message *msg)
{
	struct span first = { NULL, 0 };
	const struct field *f;
	unsigned at = 0;
	size_t in = 0;

	if (!(msg->flags & MSG_UPGRADE) && msg->status != 101)
		return first;
	if (!msg->is_response && (msg->method != METHOD_GET || msg->framing != BODY_NONE))
		return first;
	f = message_find_id(msg, FIELD_UPGRADE, &at);
	if (f && list_has_token(f->value, SPAN("websocket")))
		return SPAN("websocket");
	if (!f || !list_next(f->value, &in, &first) || !upgrade_is_protocol(first))
		return (struct span){ NULL, 0 };
	return first;
}

bool upgrade_is_websocket(const struct message *msg)
{
	return span_equal(upgrade_protocol(msg), SPAN("websocket"));
}
