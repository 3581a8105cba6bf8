/* SPDX-License-Identifier: BSD-2-Clause */
/* Between lists of fields, as HPACK gives and takes them, and messages (RFC 9113 8, RFC 8441). What
 * is malformed never becomes a message; what two recipients could read in two ways is malformed
 * (doc/internals/http2.md has the rules). Pure: no socket, no allocation. */
#ifndef HTTP_H2_MESSAGE_H
#define HTTP_H2_MESSAGE_H

#include "http/hpack.h"
#include "http/message.h"

enum h2_head {
	H2_HEAD_GOOD,
	H2_HEAD_MALFORMED, /* a stream error PROTOCOL_ERROR; error->text says why, and position has
			    * the index of the field */
	H2_HEAD_BAD,       /* of a request: well framed, but error->status is the answer to it */
	H2_HEAD_LARGE,     /* there is no room for what the message needs beside its fields */
};

/* Makes a request of a list, whose fields become those of msg where they lie: Host first, crumbs
 * of Cookie joined (in the list's memory). ends: the HEADERS had END_STREAM. An extended CONNECT
 * becomes a GET with Upgrade. key: value of Sec-WebSocket-Key for one to websocket; it stays as
 * long as the message does. ptr NULL: we have not said that we take such. */
enum h2_head h2_request(struct hpack_fields *list, bool ends, struct span key, struct message *msg,
			struct message_error *error);
/* The same of a response to a request of that method. An answer of 2xx to an extended CONNECT is
 * asked for with METHOD_CONNECT, too. */
enum h2_head h2_response(struct hpack_fields *list, bool ends, enum method request_method,
			 struct message *msg, struct message_error *error);
/* Of HEADERS behind the body. */
enum h2_head h2_trailers(const struct hpack_fields *list, struct message_error *error);
/* The same as lines, with the empty one behind: the trailer section of HTTP/1. How long they are;
 * 0: there is no room. */
size_t h2_trailer_lines(const struct hpack_fields *list, char *to, size_t room);

/* How many bytes DATA has to bring; UINT64_MAX: as many as come. */
uint64_t h2_body_expected(const struct message *msg);
/* len bytes came, and the end of the stream if `ends'. False: that is malformed (8.1.1). */
static inline bool h2_body_came(uint64_t *left, size_t len, bool ends)
{
	if (*left == UINT64_MAX)
		return true;
	if (len > *left)
		return false;
	*left -= len;
	return !ends || !*left;
}

/* Writes a head; w->full: there is no room, or method and target would not be words. (So it is
 * for a URI with a query and no path.) What is for a hop of HTTP/1 alone is left out; controls
 * in values leave as blanks. A request with an upgrade_protocol leaves as an extended CONNECT, a
 * response of 101 as 200. */
void h2_write_request(struct hpack_writer *w, const struct message *msg, struct span scheme);
void h2_write_response(struct hpack_writer *w, const struct message *msg);
/* From lines, as h2_trailer_lines makes them. */
void h2_write_trailers(struct hpack_writer *w, struct span lines);

#endif
