/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of a head (exchange/edit.h). Called by the actions of HTTP rules, and by scripts. */
#include "exchange/edit.h"

#include "base/arena.h"
#include "exchange/http_action.h"
#include "expr/regex.h"
#include "expr/view.h"
#include "http/message.h"
#include "http/scan.h"
#include "http/uri.h"

enum { LONGEST_VALUE = 65536 };

/* -- fields ----------------------------------------------------------------------------- */

static bool names_host(const struct message *msg, struct span name)
{
	return !msg->is_response && field_id(name) == FIELD_HOST;
}

/* There is one Host, and the target names no other (RFC 9112 3.2.2). */
static bool host_set(struct message *msg, struct arena *arena, struct span name, struct span value)
{
	value = span_trimmed(value);
	if (!action_fits(msg, name.len + 2 * value.len + 4) ||
	    !message_set_authority(msg, arena, value))
		return false;
	if (msg->method == METHOD_CONNECT)
		value = msg->target; /* with its port */
	msg->host = value;
	return message_set(msg, arena, name, value);
}

bool edit_add(struct message *msg, struct arena *arena, struct span name, struct span value)
{
	if (action_name_frames(name))
		return true;
	if (names_host(msg, name))
		return host_set(msg, arena, name, value);
	return action_fits(msg, name.len + value.len + 4) && message_add(msg, arena, name, value);
}

bool edit_set(struct message *msg, struct arena *arena, struct span name, struct span value)
{
	if (!names_host(msg, name))
		edit_delete(msg, name);
	return edit_add(msg, arena, name, value);
}

void edit_delete(struct message *msg, struct span name)
{
	if (!action_name_frames(name))
		message_delete(msg, name);
}

/* -- replacing values ------------------------------------------------------------------- */

static char memory[LONGEST_VALUE];

/* A copy of the text becomes the value. */
static bool value_set(struct message *msg, struct field *f, struct arena *arena, struct span text)
{
	bool host = names_host(msg, f->name);

	if (!action_fits(msg, (text.len > f->value.len ? text.len - f->value.len : 0) << host))
		return false;
	text = span_trimmed(arena_keep(arena, text));
	if (host && !message_set_authority(msg, arena, text))
		return false;
	if (host && msg->method == METHOD_CONNECT)
		text = msg->target;
	if (host)
		msg->host = text;
	message_set_value(msg, f, text);
	return true;
}

static bool replace_whole(struct message *msg, struct field *f, struct arena *arena,
			  const struct regex *regex, struct span by)
{
	struct regex_match match;
	struct text t;

	if (!regex_find(regex, f->value, 0, &match))
		return true;
	text_init(&t, memory, sizeof(memory));
	regex_expand(&t, by, &match);
	return !t.cut && value_set(msg, f, arena, (struct span){ t.ptr, t.len });
}

static bool replace_elements(struct message *msg, struct field *f, struct arena *arena,
			     const struct regex *regex, struct span by)
{
	const char *done = f->value.ptr, *end = f->value.ptr + f->value.len;
	struct regex_match match;
	struct span element;
	bool changed = false;
	struct text t;
	size_t at = 0;

	text_init(&t, memory, sizeof(memory));
	while (!t.cut && list_next_any(f->value, &at, &element)) {
		if (!regex_find(regex, element, 0, &match))
			continue;
		text_add(&t, done, (size_t)(element.ptr - done));
		regex_expand(&t, by, &match);
		done = element.ptr + element.len;
		changed = true;
	}
	text_add(&t, done, (size_t)(end - done));
	if (!changed || t.cut)
		return !t.cut;
	return value_set(msg, f, arena, (struct span){ t.ptr, t.len });
}

bool edit_replace(struct message *msg, struct arena *arena, struct span name,
		  const struct regex *regex, struct span by, bool elements)
{
	uint64_t given_up = regex_given_up;
	bool worked = true;
	struct field *f;
	unsigned at = 0;

	if (action_name_frames(name))
		return true;
	while (worked && (f = message_find(msg, name, &at))) {
		if (elements)
			worked = replace_elements(msg, f, arena, regex, by);
		else
			worked = replace_whole(msg, f, arena, regex, by);
	}
	return worked && regex_given_up == given_up;
}

/* -- the request line ------------------------------------------------------------------- */

/* No blank, no control character: the request line has to stay one. Who writes heads refuses all
 * others. */
static bool is_word(struct span text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7f)
			return false;
	}
	return true;
}

static bool is_token(struct span text)
{
	const char *end = text.ptr + text.len;

	return text.len && scan_token(text.ptr, end) == end;
}

/* RFC 9112 3.2.2: what an absolute target names is the host. */
static bool target_set(struct view *view, struct span text)
{
	struct message *msg = view->http->request;
	struct span host;
	struct field *f;
	struct uri uri;
	unsigned port, at = 0;

	if (!uri_split(text, &uri) || !uri.authority.ptr ||
	    (!uri.scheme.len && msg->method != METHOD_CONNECT))
		return message_set_target(msg, view->arena, text);
	if (!host_split(uri.authority, &host, &port) || !host.len ||
	    (msg->method == METHOD_CONNECT && !port) ||
	    !message_set_target(msg, view->arena, text) || !uri_split(msg->target, &uri))
		return false;
	msg->host = uri.authority;
	f = message_find_id(msg, FIELD_HOST, &at);
	if (!f)
		return message_add(msg, view->arena, span_of("Host"), uri.authority);
	message_set_value(msg, f, uri.authority);
	return true;
}

static bool part_put(enum edit_part part, struct view *view, struct span text)
{
	struct message *msg = view->http->request;

	switch (part) {
	case EDIT_METHOD:
		return is_token(text) && message_set_method(msg, view->arena, text);
	case EDIT_PATH:
		return message_set_path(msg, view->arena, text);
	case EDIT_PATHQ:
		return message_set_pathq(msg, view->arena, text);
	case EDIT_QUERY:
		return message_set_query(msg, view->arena, text);
	case EDIT_URI:
		return text.len && target_set(view, text);
	}
	return false;
}

bool edit_request(enum edit_part part, struct view *view, struct span text)
{
	struct message *msg = view->http->request;
	const struct message before = *msg;
	struct field *host, host_before;
	unsigned at = 0;

	if (!is_word(text))
		return false;
	host = message_find_id(msg, FIELD_HOST, &at);
	if (host)
		host_before = *host;
	if (part_put(part, view, text) && message_fill_path(msg, view->arena) &&
	    action_fits(msg, 0))
		return true;
	*msg = before;
	if (host)
		*host = host_before;
	return false;
}
