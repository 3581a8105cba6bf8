/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message as a list of fields: finding, listing elements, editing. Used by the codecs, by the
 * exchange and by rules. Never allocates but from the arena it is given, never touches bytes that
 * were received. A deleted field stays in its place with name.ptr NULL, so that pointers to other
 * fields hold until one is added.
 */
#include "http/message.h"

#include "base/arena.h"
#include "base/literal.h"
#include "http/chars.h"
#include "http/uri.h"

#include <inttypes.h>

static void message_edited(struct message *msg)
{
	msg->flags |= MSG_EDITED;
	msg->received = NULL;
}

static void message_grown(struct message *msg, size_t by)
{
	msg->grown += by < UINT32_MAX - msg->grown ? (uint32_t)by : UINT32_MAX - msg->grown;
}

void message_init(struct message *msg, bool is_response, struct field *fields, uint16_t max)
{
	memset(msg, 0, sizeof(*msg));
	msg->is_response = is_response;
	msg->fields = fields;
	msg->max = msg->most = max;
}

/* ---- names ---- */

bool span_equal_nocase(struct span a, struct span b)
{
	size_t i;

	if (a.len != b.len)
		return false;
	if (!a.len || memcmp(a.ptr, b.ptr, a.len) == 0)
		return true;
	for (i = 0; i < a.len; i++)
		if (a.ptr[i] != b.ptr[i] && char_lower(a.ptr[i]) != char_lower(b.ptr[i]))
			return false;
	return true;
}

bool field_name_is(const struct field *f, struct span name)
{
	return f->name.ptr && span_equal_nocase(f->name, name);
}

bool field_matches(const struct field *f, enum field_id id, struct span name)
{
	if (f->id != id || !f->name.ptr)
		return false;
	return id != FIELD_OTHER || span_equal_nocase(f->name, name);
}

/* ---- finding ---- */

struct field *message_find(const struct message *msg, struct span name, unsigned *at)
{
	enum field_id id = field_id(name);
	unsigned i;

	for (i = *at; i < msg->count; i++)
		if (field_matches(&msg->fields[i], id, name)) {
			*at = i + 1;
			return &msg->fields[i];
		}
	*at = msg->count;
	return NULL;
}

struct field *message_find_id(const struct message *msg, enum field_id id, unsigned *at)
{
	unsigned i;

	for (i = *at; i < msg->count; i++)
		if (msg->fields[i].id == id && msg->fields[i].name.ptr) {
			*at = i + 1;
			return &msg->fields[i];
		}
	*at = msg->count;
	return NULL;
}

/* ---- lists ---- */

/* Behind the quoted string that begins at `at`; the end of the list when it is not closed. */
static size_t skip_quoted(struct span list, size_t at)
{
	for (at++; at < list.len && list.ptr[at] != '"'; at++)
		if (list.ptr[at] == '\\')
			at++;
	return at < list.len ? at + 1 : list.len;
}

/* Where the element that begins at `at` ends: at a comma outside of quotes, or with the list. */
static size_t element_end(struct span list, size_t at)
{
	const char *start = list.ptr + at, *comma = memchr(start, ',', list.len - at);

	if (!comma)
		return list.len;
	if (!memchr(start, '"', (size_t)(comma - start)))
		return (size_t)(comma - list.ptr);
	while (at < list.len && list.ptr[at] != ',')
		at = list.ptr[at] == '"' ? skip_quoted(list, at) : at + 1;
	return at;
}

bool list_next_any(struct span list, size_t *at, struct span *element)
{
	size_t start = *at, end;

	if (start > list.len)
		return false;
	*element = list;
	*at = 1;
	if (!list.len)
		return true;
	end = element_end(list, start);
	*at = end + 1;
	*element = span_trimmed((struct span){ list.ptr + start, end - start });
	return true;
}

bool list_next(struct span list, size_t *at, struct span *element)
{
	while (list_next_any(list, at, element))
		if (element->len)
			return true;
	return false;
}

bool message_next_element(const struct message *msg, struct span name, struct field_walk *walk,
			  struct span *element)
{
	for (;;) {
		if (!walk->field) {
			walk->field = message_find(msg, name, &walk->at);
			walk->offset = 0;
			if (!walk->field)
				return false;
		}
		if (list_next(walk->field->value, &walk->offset, element))
			return true;
		walk->field = NULL;
	}
}

bool list_has_token(struct span list, struct span token)
{
	struct span element;
	size_t at = 0;

	while (list_next(list, &at, &element))
		if (span_equal_nocase(element, token))
			return true;
	return false;
}

/* ---- editing fields ---- */

/* Room for one more field. */
static bool fields_grow(struct message *msg, struct arena *arena)
{
	unsigned max = msg->max < 16 ? 32 : msg->max * 2u;
	struct field *fields;

	if (msg->count < msg->max)
		return true;
	if (max > UINT16_MAX)
		max = UINT16_MAX;
	if (msg->count >= max)
		return false;
	fields = arena_alloc(arena, max * sizeof(*fields));
	if (!fields)
		return false;
	if (msg->count)
		memcpy(fields, msg->fields, msg->count * sizeof(*fields));
	msg->fields = fields;
	msg->max = (uint16_t)max;
	return true;
}

bool message_add(struct message *msg, struct arena *arena, struct span name, struct span value)
{
	value = span_trimmed(value); /* RFC 9110 5.5: what a format has made may have blanks */
	if (!fields_grow(msg, arena))
		return false;
	msg->fields[msg->count++] =
		(struct field){ .name = name, .value = value, .id = (uint8_t)field_id(name) };
	msg->flags |= MSG_HOPS; /* it may be one of those */
	message_grown(msg, name.len + value.len + 4);
	message_edited(msg);
	return true;
}

bool message_set(struct message *msg, struct arena *arena, struct span name, struct span value)
{
	message_delete(msg, name);
	return message_add(msg, arena, name, value);
}

unsigned message_delete(struct message *msg, struct span name)
{
	unsigned at = 0, deleted = 0;
	struct field *f;

	while ((f = message_find(msg, name, &at))) {
		message_delete_field(msg, f);
		deleted++;
	}
	return deleted;
}

void message_delete_field(struct message *msg, struct field *f)
{
	f->name = (struct span){ NULL, 0 };
	f->line = false;
	message_edited(msg);
}

void message_set_value(struct message *msg, struct field *f, struct span value)
{
	value = span_trimmed(value);
	message_grown(msg, value.len);
	f->value = value;
	f->line = f->hop = f->settled = false;
	message_edited(msg);
}

/* ---- editing the start line ---- */

/* A new target of some parts. */
static bool target_join(struct message *msg, struct arena *arena, const struct span *parts,
			unsigned count)
{
	size_t len = 0, at = 0;
	char *memory;
	unsigned i;

	for (i = 0; i < count; i++)
		len += parts[i].len;
	memory = arena_alloc(arena, len + 1);
	if (!memory)
		return false;
	for (i = 0; i < count; at += parts[i++].len)
		if (parts[i].len)
			memcpy(memory + at, parts[i].ptr, parts[i].len);
	msg->target = (struct span){ memory, len };
	message_grown(msg, len);
	message_edited(msg);
	return true;
}

/* The target in four parts: before the path, path, "?" (or nothing), query. False: there is no path
 * that could be replaced. */
static bool target_parts(const struct message *msg, struct span parts[4])
{
	const char *start = msg->target.ptr;
	struct uri uri;

	if (msg->method == METHOD_CONNECT || !uri_split(msg->target, &uri))
		return false;
	parts[0] = (struct span){ start, (size_t)(uri.path.ptr - start) };
	parts[1] = uri.path;
	parts[2] = uri.query.ptr ? SPAN("?") : (struct span){ NULL, 0 };
	parts[3] = uri.query;
	return true;
}

bool message_set_target(struct message *msg, struct arena *arena, struct span target)
{
	return target_join(msg, arena, &target, 1);
}

/* Behind an authority a path begins with a slash: else it would be more of that. */
static void path_apart(struct span parts[4], struct span path)
{
	if (parts[0].len && path.len && *path.ptr != '/' && *path.ptr != '?')
		parts[1] = SPAN("/");
	else
		parts[1].len = 0;
	parts[2] = path;
}

bool message_set_path(struct message *msg, struct arena *arena, struct span path)
{
	struct span parts[5];

	if (!target_parts(msg, parts))
		return true;
	parts[4] = parts[3];
	parts[3] = parts[2];
	path_apart(parts, path);
	return target_join(msg, arena, parts, 5);
}

bool message_set_pathq(struct message *msg, struct arena *arena, struct span pathq)
{
	struct span parts[4];

	if (!target_parts(msg, parts))
		return true;
	path_apart(parts, pathq);
	return target_join(msg, arena, parts, 3);
}

bool message_set_query(struct message *msg, struct arena *arena, struct span query)
{
	struct span parts[4];

	if (!target_parts(msg, parts))
		return true;
	if (query.len)
		parts[2] = SPAN("?");
	parts[3] = query;
	return target_join(msg, arena, parts, 4);
}

bool message_fill_path(struct message *msg, struct arena *arena)
{
	struct span target = msg->target, parts[3] = { target, SPAN("/"), { NULL, 0 } };
	struct uri uri = { 0 };

	if (msg->method == METHOD_CONNECT)
		return true;
	if (!target.len || *target.ptr == '?') {
		parts[0].len = 0;
		parts[2] = target;
		return target_join(msg, arena, parts, 3);
	}
	if (*target.ptr == '/' || !uri_split(target, &uri) || !uri.scheme.ptr ||
	    (uri.path.len && *uri.path.ptr == '/') ||
	    (msg->method == METHOD_OPTIONS && !uri.path.len && !uri.query.ptr))
		return true;
	parts[0].len = (size_t)(uri.path.ptr - target.ptr);
	parts[2] = (struct span){ uri.path.ptr, target.len - parts[0].len };
	return target_join(msg, arena, parts, 3);
}

/* CONNECT: a Host without port means that of the target. */
static bool connect_to(struct message *msg, struct arena *arena, struct span authority,
		       unsigned port)
{
	struct span parts[2] = { authority, { NULL, 0 } }, host;
	unsigned old;

	if (!port && host_split(msg->target, &host, &old) && host.len < msg->target.len)
		parts[1] = (struct span){ msg->target.ptr + host.len, msg->target.len - host.len };
	if (!port && authority.ptr[authority.len - 1] == ':')
		parts[0].len--;
	return target_join(msg, arena, parts, 2);
}

bool message_set_authority(struct message *msg, struct arena *arena, struct span authority)
{
	struct span parts[3] = { msg->target, authority, { NULL, 0 } }, host;
	bool connect = msg->method == METHOD_CONNECT, good;
	struct uri uri;
	unsigned port;

	if (!msg->target.len || *msg->target.ptr == '/' || !uri_split(msg->target, &uri) ||
	    !(connect || uri.scheme.ptr))
		return true;
	good = host_split(authority, &host, &port) && host.len;
	if (connect)
		return good && connect_to(msg, arena, authority, port);
	parts[0].len = (size_t)(uri.authority.ptr - msg->target.ptr);
	parts[2] = (struct span){ uri.path.ptr, (size_t)(msg->target.ptr + msg->target.len -
							 uri.path.ptr) };
	if (good)
		return target_join(msg, arena, parts, 3);
	return parts[2].len ? target_join(msg, arena, parts + 2, 1) :
			      message_set_target(msg, arena, SPAN("*"));
}

bool message_set_method(struct message *msg, struct arena *arena, struct span method)
{
	char *memory = arena_strndup(arena, method.ptr, method.len);

	if (!memory)
		return false;
	msg->method_text = (struct span){ memory, method.len };
	msg->method = (uint8_t)method_find(method);
	message_grown(msg, method.len);
	message_edited(msg);
	return true;
}

/* One that ends with its connection, or never, has no length to be told. */
static bool has_measured_body(const struct message *msg)
{
	return msg->framing == BODY_LENGTH || msg->framing == BODY_CHUNKED;
}

bool message_set_length(struct message *msg, struct arena *arena, uint64_t length)
{
	char *text;

	if (!has_measured_body(msg) && msg->framing != BODY_CLOSE)
		return true;
	text = arena_printf(arena, "%" PRIu64, length);
	message_delete(msg, span_of("transfer-encoding"));
	msg->framing = BODY_LENGTH;
	msg->length = length;
	return text && message_set(msg, arena, span_of("Content-Length"), span_of(text));
}

bool message_set_unmeasured(struct message *msg, struct arena *arena)
{
	if (!has_measured_body(msg))
		return true;
	msg->framing = BODY_CHUNKED;
	if (!message_delete(msg, span_of("content-length")))
		return true;
	return message_set(msg, arena, span_of("Transfer-Encoding"), span_of("chunked"));
}

void message_set_status(struct message *msg, unsigned status, struct span reason)
{
	msg->status = (uint16_t)status;
	msg->reason = reason.ptr ? reason : span_of(status_reason(status));
	message_grown(msg, msg->reason.len + sizeof("HTTP/1.1 200 \r\n\r\n"));
	message_edited(msg);
}
