/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the fields of HTTP/2 to messages (RFC 9113 8, RFC 8441). Each field is looked at once; those
 * that stay move to the front of their list, so nothing is copied but crumbs of cookies. What is
 * made here must be one message of HTTP/1, too, when it is written as such: h2_message_fuzz.c.
 * The way back is in h2_write.c. Called by the connection (h2/conn.h).
 */
#include "http/h2_message.h"

#include "base/bug.h"
#include "base/literal.h"
#include "http/scan.h"
#include "http/upgrade_field.h"
#include "http/uri.h"

enum { PSEUDOS = PSEUDO_OTHER - PSEUDO_AUTHORITY };
#define PSEUDO_BIT(id) (1u << ((id) - PSEUDO_AUTHORITY))

enum {
	OF_RESPONSE = 1u << (PSEUDO_STATUS - PSEUDO_AUTHORITY),
	OF_REQUEST = (1u << PSEUDOS) - 1 - OF_RESPONSE,
	SEEN_HOST = 1u << 16,
	SEEN_LENGTH = 1u << 17,
	SEEN_COOKIE = 1u << 18,
	SEEN_CRUMBS = 1u << 19, /* more than one Cookie */
};

/* A head under way. */
struct head {
	struct hpack_fields *list;
	struct message *msg;
	struct message_error *error;
	unsigned seen;        /* PSEUDO_BIT, SEEN_* */
	unsigned at;          /* of the list: the field that is looked at */
	unsigned cookie;      /* of the message: the first one */
	struct span pseudo[PSEUDOS];
	struct span host;     /* the field's */
	struct span key;
	uint64_t length;
	bool ends;
};

COLD static enum h2_head malformed(struct head *h, const char *text)
{
	h->error->status = h->msg->is_response ? 502 : 400;
	h->error->position = h->at;
	h->error->text = text;
	return H2_HEAD_MALFORMED;
}

/* The same, but nothing of it can be mistaken for another message: the client is told by an
 * answer. */
COLD static enum h2_head bad(struct head *h, const char *text)
{
	malformed(h, text);
	return h->msg->is_response ? H2_HEAD_MALFORMED : H2_HEAD_BAD;
}

COLD static enum h2_head too_large(struct head *h)
{
	h->error->status = h->msg->is_response ? 502 : 431;
	h->error->position = h->at;
	h->error->text = "the head is too long";
	return H2_HEAD_LARGE;
}

/* ---- names and values -------------------------------------------------------------------- */

/* 8.2.1: a token without capitals. */
static bool name_is_good(struct span name)
{
	size_t i;

	for (i = 0; i < name.len; i++)
		if (!char_is(name.ptr[i], CHAR_TOKEN) || (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z'))
			return false;
	return name.len;
}

/* No controls, no blanks around it. Values lie in the list's memory, or are constants. */
static bool value_is_good(const struct hpack_fields *list, struct span value)
{
	const char *end = value.ptr + value.len, *from = list->memory;

	if (!value.len)
		return true;
	if (value.ptr < from || value.ptr >= from + list->room)
		return true;
	return scan_value(from, value.ptr, end) == end && !char_is(value.ptr[0], CHAR_BLANK) &&
	       !char_is(end[-1], CHAR_BLANK);
}

/* 8.2.1: what ends a line ends the message as well for others. */
COLD static enum h2_head value_fault(struct head *h, struct span value)
{
	static const char text[] = "a character that a value must not have";
	size_t i;

	for (i = 0; i < value.len; i++)
		if (value.ptr[i] == '\r' || value.ptr[i] == '\n' || !value.ptr[i])
			return malformed(h, text);
	return bad(h, text);
}

/* ---- pseudo-fields ----------------------------------------------------------------------- */

static bool has(const struct head *h, enum pseudo_id id)
{
	return h->seen & PSEUDO_BIT(id);
}

static struct span pseudo(const struct head *h, enum pseudo_id id)
{
	return h->pseudo[id - PSEUDO_AUTHORITY];
}

/* 8.3: in front, each once, none but those of the kind of message. */
static enum h2_head read_pseudos(struct head *h, unsigned allowed)
{
	for (; h->at < h->list->count; h->at++) {
		const struct field *f = &h->list->fields[h->at];

		if (f->id < PSEUDO_AUTHORITY)
			return H2_HEAD_GOOD;
		if (f->id >= PSEUDO_OTHER || !(PSEUDO_BIT(f->id) & allowed))
			return malformed(h, "a pseudo-field that such a message does not have");
		if (has(h, f->id))
			return malformed(h, "a pseudo-field that is there twice");
		if (!value_is_good(h->list, f->value))
			return value_fault(h, f->value);
		h->seen |= PSEUDO_BIT(f->id);
		h->pseudo[f->id - PSEUDO_AUTHORITY] = f->value;
	}
	return H2_HEAD_GOOD;
}

/* ---- other fields ------------------------------------------------------------------------ */

/* Is it one number below 2^63? */
static bool read_number(struct span text, uint64_t *length)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < text.len; i++) {
		unsigned digit = (unsigned char)(text.ptr[i] - '0');

		if (digit > 9 || n > ((uint64_t)INT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*length = n;
	return text.len;
}

/* It is not: "5, 5" means 5 and leaves as 5 (RFC 9110 8.6). */
COLD static enum h2_head read_numbers(struct head *h, struct field *f, uint64_t *length)
{
	struct span first = { NULL, 0 }, element;
	size_t at = 0;
	uint64_t n = 0;

	while (list_next_any(f->value, &at, &element)) {
		if (!read_number(element, &n))
			return malformed(h, element.len ? "Content-Length is not a number, or too large" :
							  "Content-Length is empty");
		if (first.ptr && n != *length)
			return malformed(h, "Content-Lengths that differ");
		first = first.ptr ? first : element;
		*length = n;
	}
	f->value = first;
	return H2_HEAD_GOOD;
}

/* A second field that says the same goes nowhere. */
static enum h2_head read_length(struct head *h, struct field *f)
{
	enum h2_head r;
	uint64_t n = 0;

	if (!read_number(f->value, &n)) {
		r = read_numbers(h, f, &n);
		if (r != H2_HEAD_GOOD)
			return r;
	}
	if (h->seen & SEEN_LENGTH) {
		if (n != h->length)
			return malformed(h, "Content-Lengths that differ");
		f->name = (struct span){ NULL, 0 };
	}
	h->seen |= SEEN_LENGTH;
	h->length = n;
	return H2_HEAD_GOOD;
}

/* The same grammar as in HTTP/1, but no comma and not empty: what somebody could take for a list,
 * or for nothing, names no host. */
static bool host_is_good(struct span value)
{
	struct span host;
	unsigned port;

	return value.len && !memchr(value.ptr, ',', value.len) && host_split(value, &host, &port) &&
	       host.len;
}

static enum h2_head read_host(struct head *h, const struct field *f)
{
	if (h->msg->is_response)
		return H2_HEAD_GOOD;
	if (h->seen & SEEN_HOST)
		return bad(h, "more than one Host");
	if (!host_is_good(f->value))
		return bad(h, "malformed Host");
	h->seen |= SEEN_HOST;
	h->host = f->value;
	return H2_HEAD_GOOD;
}

/* 8.2.3: joined behind the last one. */
static void note_cookie(struct head *h)
{
	if (h->msg->is_response)
		return;
	if (h->seen & SEEN_COOKIE)
		h->seen |= SEEN_CRUMBS;
	else
		h->cookie = h->msg->count;
	h->seen |= SEEN_COOKIE;
}

/* What a field means for the message; GOOD: it is one of its fields. */
static enum h2_head read_known(struct head *h, struct field *f)
{
	switch ((enum field_id)f->id) {
	case FIELD_CONNECTION:
	case FIELD_KEEP_ALIVE:
	case FIELD_PROXY_CONNECTION:
	case FIELD_TRANSFER_ENCODING:
	case FIELD_UPGRADE:
		return malformed(h, "a field of HTTP/1 connections");
	case FIELD_TE:
		if (!span_equal_nocase(f->value, SPAN("trailers")))
			return malformed(h, "TE says more than trailers");
		f->hop = true;
		h->msg->flags |= MSG_HOPS;
		return H2_HEAD_GOOD;
	case FIELD_HTTP2_SETTINGS:
		f->hop = true;
		h->msg->flags |= MSG_HOPS;
		return H2_HEAD_GOOD;
	case FIELD_CONTENT_LENGTH:
		return read_length(h, f);
	case FIELD_HOST:
		return read_host(h, f);
	case FIELD_COOKIE:
		note_cookie(h);
		return H2_HEAD_GOOD;
	case FIELD_EXPECT:
		if (!h->msg->is_response && span_equal_nocase(f->value, SPAN("100-continue")))
			h->msg->flags |= MSG_EXPECT_100;
		return H2_HEAD_GOOD;
	default:
		return H2_HEAD_GOOD;
	}
}

/* Names of protocols know no case. */
static bool asks_websocket(const struct head *h)
{
	return has(h, PSEUDO_PROTOCOL) &&
	       span_equal_nocase(pseudo(h, PSEUDO_PROTOCOL), SPAN("websocket"));
}

/* Host goes where :authority says it already; a key of somebody else's would be a second one. */
static bool is_dropped(const struct head *h, const struct field *f)
{
	if (f->id == FIELD_HOST)
		return has(h, PSEUDO_AUTHORITY);
	return asks_websocket(h) && f->id == FIELD_OTHER &&
	       span_equal(f->name, SPAN("sec-websocket-key"));
}

/* All behind the pseudo-fields. Those that stay move to where the message has its next one. */
static enum h2_head read_fields(struct head *h)
{
	struct field *fields = h->list->fields;
	enum h2_head r;

	for (; h->at < h->list->count; h->at++) {
		struct field f = fields[h->at];

		if (f.id >= PSEUDO_AUTHORITY)
			return malformed(h, "a pseudo-field behind other fields");
		if (!name_is_good(f.name))
			return malformed(h, "a character that a field's name must not have");
		if (!value_is_good(h->list, f.value))
			return value_fault(h, f.value);
		f.hop = f.line = f.settled = false;
		if (f.id != FIELD_OTHER) {
			r = read_known(h, &f);
			if (r != H2_HEAD_GOOD)
				return r;
		}
		if (!is_dropped(h, &f))
			fields[h->msg->count++] = f;
	}
	return H2_HEAD_GOOD;
}

/* In one piece, with "; " between them. The others are taken out. */
static enum h2_head join_crumbs(struct head *h)
{
	struct hpack_fields *list = h->list;
	struct message *msg = h->msg;
	char *start = list->memory + list->used, *p = start;
	unsigned i, to = h->cookie;

	for (i = h->cookie; i < msg->count; i++) {
		struct field *f = &msg->fields[i];

		if (f->id != FIELD_COOKIE) {
			msg->fields[to++] = *f;
			continue;
		}
		if (f->value.len + 2 > (size_t)(list->memory + list->room - p))
			return too_large(h);
		if (i == h->cookie)
			to++;
		else
			p = (char *)memcpy(p, "; ", 2) + 2;
		if (f->value.len)
			memcpy(p, f->value.ptr, f->value.len);
		p += f->value.len;
	}
	msg->count = (uint16_t)to;
	msg->fields[h->cookie].value = (struct span){ start, (size_t)(p - start) };
	list->used += (size_t)(p - start);
	return H2_HEAD_GOOD;
}

/* ---- requests ---------------------------------------------------------------------------- */

static void put_field(struct message *msg, enum field_id id, struct span value, bool hop)
{
	msg->fields[msg->count++] = (struct field){ .name = field_id_name(id), .value = value,
						    .id = (uint8_t)id, .hop = hop };
	if (hop)
		msg->flags |= MSG_HOPS;
}

/* Those that stand for pseudo-fields, which are at least as many. */
static void put_made(struct head *h)
{
	struct message *msg = h->msg;

	if (has(h, PSEUDO_AUTHORITY))
		put_field(msg, FIELD_HOST, pseudo(h, PSEUDO_AUTHORITY), false);
	if (!has(h, PSEUDO_PROTOCOL))
		return;
	put_field(msg, FIELD_CONNECTION, SPAN("Upgrade"), true);
	put_field(msg, FIELD_UPGRADE, pseudo(h, PSEUDO_PROTOCOL), true);
	if (!asks_websocket(h))
		return;
	msg->fields[msg->count++] = (struct field){ .name = SPAN("sec-websocket-key"),
						    .value = h->key };
}

static bool scheme_is_good(struct span scheme)
{
	size_t i;

	for (i = 0; i < scheme.len && char_is(scheme.ptr[i], CHAR_SCHEME); i++)
		;
	return scheme.len && i == scheme.len && !char_is(scheme.ptr[0], CHAR_DIGIT) &&
	       scheme.ptr[0] != '+' && scheme.ptr[0] != '-' && scheme.ptr[0] != '.';
}

/* RFC 9113 3.4: it begins a connection of HTTP/2, and no request. */
static bool is_preface(struct span method)
{
	return span_equal(method, SPAN("PRI"));
}

static bool path_is_good(struct span path, enum method method)
{
	const char *end = path.ptr + path.len;

	if (!path.len)
		return false;
	if (path.ptr[0] != '/')
		return path.len == 1 && path.ptr[0] == '*' && method == METHOD_OPTIONS;
	return scan_target(path.ptr, end) == end;
}

/* 8.3.1 has the form of it. A blank ends the target for others, a fragment is none of theirs. */
COLD static enum h2_head path_fault(struct head *h, struct span path)
{
	static const char text[] = "malformed path";

	if (path.len == 1 && path.ptr[0] == '*')
		return bad(h, text);
	if (!path.len || path.ptr[0] != '/' || memchr(path.ptr, ' ', path.len) ||
	    memchr(path.ptr, '\t', path.len) || memchr(path.ptr, '#', path.len))
		return malformed(h, text);
	return bad(h, text);
}

/* 8.5: a host with its port, and nothing else. */
static enum h2_head check_connect(struct head *h)
{
	struct span host;
	unsigned port;

	if (has(h, PSEUDO_SCHEME) || has(h, PSEUDO_PATH))
		return malformed(h, "CONNECT with a scheme or a path");
	if (!has(h, PSEUDO_AUTHORITY))
		return malformed(h, "CONNECT without a host");
	if (!host_is_good(pseudo(h, PSEUDO_AUTHORITY)))
		return bad(h, "malformed authority");
	if (!host_split(pseudo(h, PSEUDO_AUTHORITY), &host, &port) || !port)
		return bad(h, "CONNECT without a port");
	h->msg->target = pseudo(h, PSEUDO_AUTHORITY);
	h->msg->flags |= MSG_ABSOLUTE;
	return H2_HEAD_GOOD;
}

/* RFC 8441 4: a CONNECT that is a GET with Upgrade in HTTP/1. */
static enum h2_head check_extended(struct head *h)
{
	if (!h->key.ptr || h->msg->method != METHOD_CONNECT)
		return malformed(h, "a protocol that was not asked for");
	if (!upgrade_is_protocol(pseudo(h, PSEUDO_PROTOCOL)))
		return bad(h, "a protocol that is no name of one");
	if (upgrade_is_for_hops(pseudo(h, PSEUDO_PROTOCOL)))
		return bad(h, "a protocol of the connection itself");
	if (!has(h, PSEUDO_AUTHORITY))
		return malformed(h, "CONNECT without a host");
	h->msg->method = METHOD_GET;
	h->msg->method_text = SPAN("GET");
	h->msg->flags |= MSG_UPGRADE;
	return H2_HEAD_GOOD;
}

static unsigned default_port(struct span scheme)
{
	if (span_equal_nocase(scheme, SPAN("http")))
		return 80;
	return span_equal_nocase(scheme, SPAN("https")) ? 443 : 0;
}

/* RFC 9110 4.2.3: the scheme's own port says nothing, and rules that go by the host expect none. */
static void drop_default_port(struct head *h)
{
	struct span *authority = &h->pseudo[0], host;
	unsigned port;

	if (host_split(*authority, &host, &port) && port &&
	    port == default_port(pseudo(h, PSEUDO_SCHEME)))
		authority->len = host.len;
}

/* 8.3.1. */
static enum h2_head check_pseudos(struct head *h)
{
	struct message *msg = h->msg;
	enum h2_head r = H2_HEAD_GOOD;

	if (!has(h, PSEUDO_METHOD) || !pseudo(h, PSEUDO_METHOD).len)
		return malformed(h, "no method");
	if (!span_is_token(pseudo(h, PSEUDO_METHOD)) || is_preface(pseudo(h, PSEUDO_METHOD)))
		return bad(h, "a method that is none");
	msg->method_text = pseudo(h, PSEUDO_METHOD);
	msg->method = (uint8_t)method_find(msg->method_text);
	if (has(h, PSEUDO_PROTOCOL))
		r = check_extended(h);
	else if (msg->method == METHOD_CONNECT)
		return check_connect(h);
	if (r != H2_HEAD_GOOD)
		return r;
	if (!has(h, PSEUDO_SCHEME) || !has(h, PSEUDO_PATH))
		return malformed(h, "no scheme, or no path");
	if (!scheme_is_good(pseudo(h, PSEUDO_SCHEME)))
		return bad(h, "malformed scheme");
	if (!path_is_good(pseudo(h, PSEUDO_PATH), msg->method))
		return path_fault(h, pseudo(h, PSEUDO_PATH));
	msg->target = pseudo(h, PSEUDO_PATH);
	if (has(h, PSEUDO_AUTHORITY) && !host_is_good(pseudo(h, PSEUDO_AUTHORITY)))
		return bad(h, "malformed authority");
	if (has(h, PSEUDO_AUTHORITY))
		drop_default_port(h);
	return H2_HEAD_GOOD;
}

/* Who goes by :authority and who goes by Host must mean the same. */
static enum h2_head check_host(struct head *h)
{
	struct span authority = pseudo(h, PSEUDO_AUTHORITY), a, b;
	unsigned p, q, missing = default_port(pseudo(h, PSEUDO_SCHEME));

	h->msg->flags |= MSG_HAS_HOST;
	h->msg->host = h->host;
	if (!has(h, PSEUDO_AUTHORITY)) {
		if (!(h->seen & SEEN_HOST)) /* in the room of a pseudo-field: HTTP/1.1 needs one */
			put_field(h->msg, FIELD_HOST, SPAN(""), false);
		return H2_HEAD_GOOD;
	}
	h->msg->host = authority;
	if (!(h->seen & SEEN_HOST) || span_equal(authority, h->host))
		return H2_HEAD_GOOD;
	if (!host_split(authority, &a, &p) || !host_split(h->host, &b, &q) ||
	    !span_equal_nocase(a, b) || (p ? p : missing) != (q ? q : missing))
		return bad(h, "Host differs from the authority");
	return H2_HEAD_GOOD;
}

static enum h2_head request_framing(struct head *h)
{
	struct message *msg = h->msg;
	bool tunnel = msg->method == METHOD_CONNECT || msg->flags & MSG_UPGRADE;

	msg->framing = BODY_NONE;
	if (h->length && (h->ends || tunnel))
		return malformed(h, "Content-Length without a body");
	if (h->ends || tunnel || (h->seen & SEEN_LENGTH && !h->length))
		return H2_HEAD_GOOD;
	msg->framing = h->seen & SEEN_LENGTH ? BODY_LENGTH : BODY_CHUNKED;
	msg->length = h->length;
	return H2_HEAD_GOOD;
}

static void begin(struct head *h, bool is_response)
{
	message_init(h->msg, is_response, h->list->fields, (uint16_t)h->list->max);
	h->msg->major = 2;
	h->msg->flags = MSG_KEEP_ALIVE;
}

enum h2_head h2_request(struct hpack_fields *list, bool ends, struct span key, struct message *msg,
			struct message_error *error)
{
	struct head h = { .list = list, .msg = msg, .error = error, .key = key, .ends = ends };
	enum h2_head r;

	begin(&h, false);
	r = read_pseudos(&h, OF_REQUEST);
	if (r == H2_HEAD_GOOD)
		r = check_pseudos(&h);
	if (r == H2_HEAD_GOOD) {
		put_made(&h);
		r = read_fields(&h);
	}
	if (r == H2_HEAD_GOOD)
		r = check_host(&h);
	if (r == H2_HEAD_GOOD)
		r = request_framing(&h);
	if (r == H2_HEAD_GOOD && h.seen & SEEN_CRUMBS)
		r = join_crumbs(&h);
	if (r == H2_HEAD_GOOD)
		msg->head_len = (uint32_t)message_size(msg);
	return r;
}

/* ---- responses --------------------------------------------------------------------------- */

/* Three digits, and not 101 (8.6). */
static enum h2_head read_status(struct head *h)
{
	struct span s = pseudo(h, PSEUDO_STATUS);
	unsigned i, status = 0;

	for (i = 0; i < s.len && char_is(s.ptr[i], CHAR_DIGIT); i++)
		status = status * 10 + (unsigned)(s.ptr[i] - '0');
	if (!has(h, PSEUDO_STATUS) || s.len != 3 || i != 3 || status < 100)
		return malformed(h, "no status, or one that is no number of three digits");
	if (status == 101)
		return malformed(h, "a status that does not exist");
	if (status < 200 && h->ends)
		return malformed(h, "an interim response that ends the stream");
	h->msg->status = (uint16_t)status;
	h->msg->reason = span_of(status_reason(status));
	if (status < 200)
		h->msg->flags |= MSG_INTERIM;
	return H2_HEAD_GOOD;
}

static void delete_length(struct message *msg)
{
	unsigned at = 0;
	struct field *f;

	while ((f = message_find_id(msg, FIELD_CONTENT_LENGTH, &at)))
		message_delete_field(msg, f);
}

/* RFC 9112 6.3 in its order, as far as HTTP/2 has it. */
static enum h2_head response_framing(struct head *h, enum method request_method)
{
	struct message *msg = h->msg;
	unsigned status = msg->status;
	bool length = h->seen & SEEN_LENGTH;

	msg->framing = BODY_NONE;
	if (request_method == METHOD_CONNECT && status / 100 == 2)
		msg->framing = BODY_TUNNEL;
	if (status < 200 || status == 204 || msg->framing == BODY_TUNNEL) {
		if (length)
			delete_length(msg);
		return H2_HEAD_GOOD;
	}
	if (status == 304 || request_method == METHOD_HEAD || (length && !h->length))
		return H2_HEAD_GOOD;
	if (h->ends && length)
		return malformed(h, "Content-Length without a body");
	if (h->ends)
		return H2_HEAD_GOOD;
	msg->framing = length ? BODY_LENGTH : BODY_CHUNKED;
	msg->length = h->length;
	return H2_HEAD_GOOD;
}

enum h2_head h2_response(struct hpack_fields *list, bool ends, enum method request_method,
			 struct message *msg, struct message_error *error)
{
	struct head h = { .list = list, .msg = msg, .error = error, .ends = ends };
	enum h2_head r;

	begin(&h, true);
	r = read_pseudos(&h, OF_RESPONSE);
	if (r == H2_HEAD_GOOD)
		r = read_status(&h);
	if (r == H2_HEAD_GOOD)
		r = read_fields(&h);
	if (r == H2_HEAD_GOOD)
		r = response_framing(&h, request_method);
	if (r == H2_HEAD_GOOD)
		msg->head_len = (uint32_t)message_size(msg);
	return r;
}

/* ---- bodies and what is behind them ------------------------------------------------------- */

uint64_t h2_body_expected(const struct message *msg)
{
	if (msg->framing == BODY_LENGTH)
		return msg->length;
	if (msg->framing != BODY_NONE || msg->flags & MSG_UPGRADE)
		return UINT64_MAX;
	return !msg->is_response && msg->method == METHOD_CONNECT ? UINT64_MAX : 0;
}

/* Fields that would frame or route a message (RFC 9110 6.5.1), or are for a connection. */
static bool trailer_is_good(enum field_id id)
{
	switch (id) {
	case FIELD_HOST:
	case FIELD_CONNECTION:
	case FIELD_CONTENT_LENGTH:
	case FIELD_TRANSFER_ENCODING:
	case FIELD_UPGRADE:
	case FIELD_TE:
	case FIELD_KEEP_ALIVE:
	case FIELD_PROXY_CONNECTION:
	case FIELD_HTTP2_SETTINGS:
		return false;
	default:
		return id < FIELD_IDS;
	}
}

enum h2_head h2_trailers(const struct hpack_fields *list, struct message_error *error)
{
	unsigned i;

	for (i = 0; i < list->count; i++) {
		const struct field *f = &list->fields[i];

		*error = (struct message_error){ 400, i, "a trailer field that is not allowed" };
		if (!trailer_is_good(f->id) || !name_is_good(f->name) ||
		    !value_is_good(list, f->value))
			return H2_HEAD_MALFORMED;
	}
	return H2_HEAD_GOOD;
}

static char *put(char *p, struct span s)
{
	if (s.len)
		memcpy(p, s.ptr, s.len);
	return p + s.len;
}

size_t h2_trailer_lines(const struct hpack_fields *list, char *to, size_t room)
{
	char *p = to, *end = to + room;
	unsigned i;

	for (i = 0; i < list->count; i++) {
		const struct field *f = &list->fields[i];

		if ((size_t)(end - p) < f->name.len + f->value.len + 4)
			return 0;
		p = put(put(put(put(p, f->name), SPAN(": ")), f->value), SPAN("\r\n"));
	}
	if (end - p < 2)
		return 0;
	return (size_t)(put(p, SPAN("\r\n")) - to);
}
