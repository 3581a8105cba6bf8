/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages as fields of HTTP/2 (http/h2_message.h). Fields of an HTTP/1 connection stay behind,
 * whoever has set them: a peer would refuse the whole message. Names leave in lower case; a name
 * that is no token, which only a rule can have made, does not leave. Whatever rules have made of a
 * value cannot be refused either: controls become blanks, those around it go.
 */
#include "http/h2_message.h"

#include "base/bug.h"
#include "base/literal.h"
#include "http/scan.h"
#include "http/upgrade_field.h"
#include "http/uri.h"

/* The value that was written last, which has this length. */
static void blank_controls(struct hpack_writer *w, size_t len)
{
	char *from = w->at - len, *p = from;

	if (w->full)
		return;
	while ((p = (char *)scan_value(from, p, w->at)) < w->at)
		*p++ = ' ';
}

/* Without what would be a blank at its ends. */
static struct span clean_ends(struct span s)
{
	while (s.len && (!char_is(s.ptr[0], CHAR_VALUE) || char_is(s.ptr[0], CHAR_BLANK))) {
		s.ptr++;
		s.len--;
	}
	while (s.len && (!char_is(s.ptr[s.len - 1], CHAR_VALUE) ||
			 char_is(s.ptr[s.len - 1], CHAR_BLANK)))
		s.len--;
	return s;
}

static void write_field(struct hpack_writer *w, enum field_id id, struct span name,
			struct span value)
{
	value = clean_ends(value);
	hpack_write_field(w, id, name, value);
	blank_controls(w, value.len);
}

/* Is it for the connection alone, or told otherwise in HTTP/2? */
static bool stays_behind(const struct message *msg, const struct field *f)
{
	switch ((enum field_id)f->id) {
	case FIELD_CONNECTION:
	case FIELD_KEEP_ALIVE:
	case FIELD_PROXY_CONNECTION:
	case FIELD_TRANSFER_ENCODING:
	case FIELD_UPGRADE:
	case FIELD_HTTP2_SETTINGS:
		return true;
	case FIELD_HOST:
		return !msg->is_response;
	case FIELD_TE:
		return !list_has_token(f->value, SPAN("trailers"));
	case FIELD_OTHER:
		return !span_is_token(f->name);
	default:
		return false;
	}
}

/* RFC 8441 5: they have no place there. */
static bool is_of_handshake(const struct field *f)
{
	return f->id == FIELD_OTHER && (field_name_is(f, SPAN("sec-websocket-key")) ||
					field_name_is(f, SPAN("sec-websocket-accept")));
}

static void write_fields(struct hpack_writer *w, const struct message *msg)
{
	bool websocket = upgrade_is_websocket(msg);
	unsigned i;

	for (i = 0; i < msg->count && !w->full; i++) {
		const struct field *f = &msg->fields[i];

		if (!f->name.ptr || stays_behind(msg, f) || (websocket && is_of_handshake(f)))
			continue;
		write_field(w, f->id, f->name, f->id == FIELD_TE ? SPAN("trailers") : f->value);
	}
}

/* ---- requests ---------------------------------------------------------------------------- */

/* What rules have made of Host counts, then the target. */
static struct span authority_of(const struct message *msg)
{
	unsigned at = 0;
	const struct field *f = message_find_id(msg, FIELD_HOST, &at);
	struct uri uri;

	if (msg->method == METHOD_CONNECT)
		return msg->target;
	if (f)
		return f->value;
	if (uri_split(msg->target, &uri) && uri.authority.ptr)
		return uri.authority;
	return (struct span){ NULL, 0 };
}

static void write_authority(struct hpack_writer *w, const struct message *msg)
{
	struct span authority = clean_ends(authority_of(msg));

	if (!authority.len)
		return;
	hpack_write_pseudo(w, PSEUDO_AUTHORITY, authority);
	blank_controls(w, authority.len);
}

static bool is_word(struct span s)
{
	return s.len && scan_target(s.ptr, s.ptr + s.len) == s.ptr + s.len;
}

/* RFC 9112 3.2.4: a URI without a path means "/", or the server as a whole. */
static struct span path_of(const struct message *msg)
{
	struct span path = uri_path_and_query(msg->target);

	if (path.len)
		return path;
	return msg->method == METHOD_OPTIONS ? SPAN("*") : SPAN("/");
}

void h2_write_request(struct hpack_writer *w, const struct message *msg, struct span scheme)
{
	struct span path = path_of(msg), protocol = upgrade_protocol(msg);
	bool connect = msg->method == METHOD_CONNECT;

	if (!span_is_token(msg->method_text) || (!connect && !is_word(path)) ||
	    (path.len && path.ptr[0] == '?')) {
		w->full = true;
		return;
	}
	hpack_write_pseudo(w, PSEUDO_METHOD, protocol.len ? SPAN("CONNECT") : msg->method_text);
	if (!connect) {
		hpack_write_pseudo(w, PSEUDO_SCHEME, scheme);
		hpack_write_pseudo(w, PSEUDO_PATH, path);
	}
	write_authority(w, msg);
	if (protocol.len)
		hpack_write_pseudo(w, PSEUDO_PROTOCOL, protocol);
	write_fields(w, msg);
}

/* ---- responses, trailers ------------------------------------------------------------------ */

void h2_write_response(struct hpack_writer *w, const struct message *msg)
{
	hpack_write_status(w, msg->status == 101 ? 200 : msg->status);
	write_fields(w, msg);
}

void h2_write_trailers(struct hpack_writer *w, struct span lines)
{
	static const struct message no_request = { .is_response = false };
	const char *p = lines.ptr, *end = p + lines.len, *line, *colon;

	for (; p < end && (line = memchr(p, '\r', (size_t)(end - p))) && line > p; p = line + 2) {
		struct field f = { 0 };

		colon = memchr(p, ':', (size_t)(line - p));
		if (!colon)
			continue;
		f.name = (struct span){ p, (size_t)(colon - p) };
		f.value = (struct span){ colon + 1, (size_t)(line - colon - 1) };
		f.id = (uint8_t)field_id(f.name);
		if (f.id != FIELD_TE && f.id != FIELD_CONTENT_LENGTH &&
		    !stays_behind(&no_request, &f))
			write_field(w, f.id, f.name, f.value);
	}
}
