/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a head says about itself: framing, Host, connection options; and what is refused because two
 * recipients could read it in two ways (RFC 9112 3.2, 6.1 to 6.3, 11.2). Called by h1_fields.c for
 * each field that has an id, and by h1_parse.c at the end. What is wrong is refused, unless an
 * option lets it pass; then it is made to say one thing.
 */
#include "http/h1_head.h"

#include "base/literal.h"
#include "http/chars.h"
#include "http/scan.h"
#include "http/uri.h"

enum seen {
	SEEN_HOST = 1 << 0,
	SEEN_LENGTH = 1 << 1,
	SEEN_CODING = 1 << 2,
	SEEN_UPGRADE = 1 << 3,
	OPTION_CLOSE = 1 << 4, /* named by Connection, as all from here on */
	OPTION_KEEP_ALIVE = 1 << 5,
	OPTION_UPGRADE = 1 << 6,
	OPTION_NAME = 1 << 7, /* maybe that of a field */
};

/* ---- field by field: APART, so that h1_check_field jumps to one of them and saves nothing ---- */

enum { LENGTH_SAFE = 18 }; /* so many digits make a number below 2^63 */

/* One number below 2^63. */
COLD static enum h1_result parse_number(struct head *h, struct span text, uint64_t *length)
{
	const char *p = text.ptr, *end = p + text.len;
	uint64_t n = 0;

	if (p == end)
		return h1_bad(h, p, 400, "Content-Length is empty");
	for (; p < end; p++) {
		unsigned digit = (unsigned char)(*p - '0');

		if (digit > 9)
			return h1_bad(h, p, 400, "Content-Length is not a number");
		if (n > ((uint64_t)INT64_MAX - digit) / 10)
			return h1_bad(h, p, 400, "Content-Length is too large");
		n = n * 10 + digit;
	}
	*length = n;
	return H1_DONE;
}

/* Not so few digits, or something that is none: "5, 5" means 5 and leaves as 5 (RFC 9112 6.3). */
COLD static enum h1_result parse_lengths(struct head *h, struct field *f, uint64_t *length)
{
	struct span first = { NULL, 0 }, element;
	enum h1_result r;
	uint64_t n = 0;
	size_t at = 0;

	while (list_next_any(f->value, &at, &element)) {
		r = parse_number(h, element, &n);
		if (r != H1_DONE)
			return r;
		if (first.ptr && n != *length)
			return h1_bad(h, element.ptr, 400, "Content-Lengths that differ");
		first = first.ptr ? first : element;
		*length = n;
	}
	if (first.len != f->value.len)
		message_set_value(h->msg, f, first);
	return H1_DONE;
}

static ALWAYS_INLINE enum h1_result parse_length(struct head *h, struct field *f, uint64_t *length)
{
	struct span text = f->value;
	uint64_t n = 0;
	unsigned digit;

	if (unlikely(text.len - 1 >= LENGTH_SAFE))
		return parse_lengths(h, f, length);
	for (size_t i = 0; i < text.len; i++) {
		digit = (unsigned char)(text.ptr[i] - '0');
		if (unlikely(digit > 9))
			return parse_lengths(h, f, length);
		n = n * 10 + digit;
	}
	*length = n;
	return H1_DONE;
}

/* A second field of the name, which says the same, goes nowhere (RFC 9112 6.3). */
COLD static enum h1_result check_length_again(struct head *h, struct field *f)
{
	enum h1_result r;
	uint64_t again = 0;

	r = parse_length(h, f, &again);
	if (r != H1_DONE)
		return r;
	if (again != h->msg->length)
		return h1_bad(h, f->value.ptr, 400, "Content-Lengths that differ");
	message_delete_field(h->msg, f);
	return H1_DONE;
}

/* One value (RFC 9112 6.3). By option beside Transfer-Encoding, which counts: doubtful_framing. */
APART static enum h1_result check_length(struct head *h, struct field *f)
{
	if (h->parser->seen & SEEN_LENGTH)
		return check_length_again(h, f);
	if (h->parser->seen & SEEN_CODING && !h1_tolerate(h, f->name.ptr))
		return h1_bad(h, f->name.ptr, 400, "Content-Length beside Transfer-Encoding");
	h->parser->seen |= SEEN_LENGTH;
	return parse_length(h, f, &h->msg->length);
}

/* What is wrong with a list of codings that is not just "chunked". */
COLD static enum h1_result bad_codings(struct head *h, struct span list)
{
	struct span coding = { list.ptr, 0 };
	bool unknown = false;
	size_t at = 0;

	while (list_next_any(list, &at, &coding)) {
		if (!coding.len)
			return h1_bad(h, coding.ptr, 400, "an empty element in Transfer-Encoding");
		if (at > list.len)
			break;
		if (span_equal_nocase(coding, SPAN("chunked")))
			return h1_bad(h, coding.ptr, 400, "chunked is not the last coding");
		unknown = true;
	}
	if (unknown && span_equal_nocase(coding, SPAN("chunked")))
		return h1_bad(h, list.ptr, 501, "a transfer coding other than chunked");
	return h1_bad(h, coding.ptr, 400, "chunked is not the last coding");
}

/* RFC 9112 6.1: only chunked, once, in 1.1, without Content-Length. By option beside that, and in
 * responses of 1.0. */
APART static enum h1_result check_coding(struct head *h, const struct field *f)
{
	if (h->parser->seen & SEEN_CODING)
		return h1_bad(h, f->name.ptr, 400, "more than one Transfer-Encoding");
	if (h->parser->seen & SEEN_LENGTH && !h1_tolerate(h, f->name.ptr))
		return h1_bad(h, f->name.ptr, 400, "Transfer-Encoding beside Content-Length");
	h->parser->seen |= SEEN_CODING;
	if (h->msg->minor == 0 && !(h->msg->is_response && h1_tolerate(h, f->name.ptr))) {
		if (h->msg->method >= METHOD_OPTIONS && !h->msg->is_response &&
		    (h->msg->method == METHOD_GET || h->msg->method == METHOD_HEAD ||
		     h->msg->method == METHOD_DELETE))
			return h1_bad(h, f->name.ptr, 413, "Transfer-Encoding in HTTP/1.0");
		return h1_bad(h, f->name.ptr, 400, "Transfer-Encoding in HTTP/1.0");
	}
	if (!span_equal_nocase(f->value, SPAN("chunked")))
		return bad_codings(h, f->value);
	return H1_DONE;
}

/* Nothing but letters, digits, "-" and ".", and maybe a port of up to four digits: what Host nearly
 * always is. 50 instructions instead of the 160 of host_split, which knows the rest. The bytes
 * behind the value, up to end, may be looked at, but do not matter. */
static bool host_is_plain(struct span value, const char *end)
{
	const char *last = value.ptr + value.len, *p = scan_plain_host(value.ptr, end);

	if (p >= last || *p != ':' || last - p > 5)
		return p == last;
	for (p++; p < last; p++)
		if ((unsigned char)(*p - '0') > 9)
			return false;
	return true;
}

APART static bool host_is_well_formed(struct span value)
{
	struct span host;
	unsigned port;

	return host_split(value, &host, &port);
}

APART static enum h1_result check_host(struct head *h, const struct field *f)
{
	if (h->msg->is_response)
		return H1_DONE;
	if (h->parser->seen & SEEN_HOST)
		return h1_bad(h, f->name.ptr, 400, "more than one Host");
	h->parser->seen |= SEEN_HOST;
	if (!host_is_plain(f->value, h->end) && !host_is_well_formed(f->value))
		return h1_bad(h, f->value.ptr, 400, "malformed Host");
	h->msg->host = f->value;
	h->msg->flags |= MSG_HAS_HOST;
	return H1_DONE;
}

/* RFC 9112 9.3, 9.6. */
APART static enum h1_result check_options(struct head *h, const struct field *f)
{
	struct span option;
	size_t at = 0;

	if (span_equal(f->value, SPAN("keep-alive"))) {
		h->parser->seen |= OPTION_KEEP_ALIVE;
		return H1_DONE;
	}
	while (list_next(f->value, &at, &option)) {
		if (span_equal_nocase(option, SPAN("close")))
			h->parser->seen |= OPTION_CLOSE;
		else if (span_equal_nocase(option, SPAN("keep-alive")))
			h->parser->seen |= OPTION_KEEP_ALIVE;
		else if (span_equal_nocase(option, SPAN("upgrade")))
			h->parser->seen |= OPTION_UPGRADE;
		else
			h->parser->seen |= OPTION_NAME;
	}
	return H1_DONE;
}

static bool is_visible(struct span name)
{
	size_t i;

	for (i = 0; i < name.len && name.ptr[i] > ' ' && name.ptr[i] < 0x7f; i++)
		;
	return i == name.len;
}

/* By option any character may stand in a name: but none that makes it look like another one. What
 * some recipients take for blanks around a name, and strip, does not go on. */
COLD static enum h1_result check_odd_name(struct head *h, struct field *f)
{
	struct span name = f->name;
	size_t i;

	for (i = 0; i < name.len && char_is(name.ptr[i], CHAR_TOKEN); i++)
		;
	name.len = i;
	switch (field_id(name)) {
	case FIELD_HOST:
	case FIELD_CONNECTION:
	case FIELD_CONTENT_LENGTH:
	case FIELD_TRANSFER_ENCODING:
	case FIELD_UPGRADE:
		return h1_bad(h, f->name.ptr + i, 400,
			      "a character that a field's name must not have");
	default:
		if (!is_visible(f->name))
			message_delete_field(h->msg, f);
		return H1_DONE;
	}
}

/* Rules see it, the next hop does not. */
static void mark_hop(struct head *h, struct field *f)
{
	f->hop = true;
	h->msg->flags |= MSG_HOPS;
}

enum h1_result h1_check_field(struct head *h, struct field *f)
{
	switch ((enum field_id)f->id) {
	case FIELD_OTHER:
		return check_odd_name(h, f);
	case FIELD_CONTENT_LENGTH:
		return check_length(h, f);
	case FIELD_TRANSFER_ENCODING:
		return check_coding(h, f);
	case FIELD_HOST:
		return check_host(h, f);
	case FIELD_CONNECTION:
		mark_hop(h, f);
		return check_options(h, f);
	case FIELD_UPGRADE:
		h->parser->seen |= SEEN_UPGRADE;
		mark_hop(h, f);
		return H1_DONE;
	case FIELD_KEEP_ALIVE:
	case FIELD_PROXY_CONNECTION:
	case FIELD_TE:
	case FIELD_HTTP2_SETTINGS:
		mark_hop(h, f);
		return H1_DONE;
	case FIELD_EXPECT:
		if (h->msg->minor && span_equal_nocase(f->value, SPAN("100-continue")))
			h->msg->flags |= MSG_EXPECT_100;
		return H1_DONE;
	default:
		return H1_DONE;
	}
}

/* ---- the connection ---- */

static void check_upgrade(struct head *h)
{
	unsigned at = 0;
	struct field *f;

	while ((f = message_find_id(h->msg, FIELD_UPGRADE, &at)))
		if (upgrade_is_for_hops(f->value))
			return;
	h->msg->flags |= MSG_UPGRADE;
}

/* RFC 9112 9.3; close wins. RFC 9110 7.8: Upgrade counts in 1.1, named by Connection; not in a
 * request with a body, whose end would then be the beginning of something else. */
APART static void check_named(struct head *h)
{
	unsigned seen = h->parser->seen;

	if (seen & OPTION_NAME)
		message_strip_named(h->msg);
	if (seen & OPTION_CLOSE)
		h->msg->flags |= MSG_CLOSE;
	else if (seen & OPTION_KEEP_ALIVE || h->msg->minor)
		h->msg->flags |= MSG_KEEP_ALIVE;
	if (seen & OPTION_UPGRADE && seen & SEEN_UPGRADE && h->msg->minor &&
	    (h->msg->is_response || h->msg->framing == BODY_NONE))
		check_upgrade(h);
}

static void check_connection(struct head *h)
{
	if (h->parser->seen >= OPTION_CLOSE)
		check_named(h);
	else if (h->msg->minor)
		h->msg->flags |= MSG_KEEP_ALIVE;
}

/* ---- the target ---- */

static unsigned default_port(struct span scheme)
{
	if (span_equal_nocase(scheme, SPAN("http")) || span_equal_nocase(scheme, SPAN("ws")))
		return 80;
	if (span_equal_nocase(scheme, SPAN("https")) || span_equal_nocase(scheme, SPAN("wss")))
		return 443;
	return 0;
}

/* RFC 9112 3.2.2: who goes by the target and who goes by Host must mean the same. missing: the
 * port when none is written. */
static bool hosts_agree(struct span one, struct span other, unsigned missing)
{
	struct span a, b;
	unsigned p, q;

	if (!host_split(one, &a, &p) || !host_split(other, &b, &q))
		return false;
	return span_equal_nocase(a, b) && (p ? p : missing) == (q ? q : missing);
}

/* By option a Host may name another host than the target. RFC 9112 3.2.2: a proxy ignores it, and
 * writes the target's. */
COLD static bool host_gives_way(struct head *h, struct span authority)
{
	unsigned at = 0;
	struct field *f = message_find_id(h->msg, FIELD_HOST, &at);

	if (!f || !h1_tolerate(h, h->msg->host.ptr))
		return false;
	message_set_value(h->msg, f, authority);
	return true;
}

static enum h1_result check_authority(struct head *h, struct span authority, unsigned port)
{
	struct span host;
	unsigned given;

	h->msg->flags |= MSG_ABSOLUTE;
	if (!host_split(authority, &host, &given) || !host.len)
		return h1_bad(h, authority.ptr, 400, "malformed authority in the target");
	if (h->msg->method == METHOD_CONNECT) {
		if (!given)
			return h1_bad(h, authority.ptr, 400, "CONNECT without a port");
		port = given == 80 || given == 443 ? given : 0; /* those that Host may leave out */
	}
	if (h->msg->flags & MSG_HAS_HOST && !hosts_agree(authority, h->msg->host, port) &&
	    !host_gives_way(h, authority))
		return h1_bad(h, h->msg->host.ptr, 400, "Host differs from the target");
	h->msg->host = authority;
	return H1_DONE;
}

APART static enum h1_result check_other_target(struct head *h)
{
	struct span target = h->msg->target;
	struct uri uri;

	if (h->msg->method == METHOD_CONNECT)
		return check_authority(h, target, 0);
	if (target.len == 1 && target.ptr[0] == '*') {
		if (h->msg->method == METHOD_OPTIONS)
			return H1_DONE;
		return h1_bad(h, target.ptr, 400, "only OPTIONS has the target \"*\"");
	}
	if (!uri_split(target, &uri) || !uri.scheme.ptr)
		return h1_bad(h, target.ptr, 400, "a target that is neither a path nor a URI");
	return check_authority(h, uri.authority, default_port(uri.scheme));
}

/* The four forms and which methods have them (RFC 9112 3.2). */
static enum h1_result check_target(struct head *h)
{
	if (likely(h->msg->target.ptr[0] == '/' && h->msg->method != METHOD_CONNECT))
		return H1_DONE;
	return check_other_target(h);
}

/* ---- the end of the head ---- */

/* RFC 6455 4.1; as HAProxy does. */
APART static bool websocket_lacks_key(const struct message *msg)
{
	unsigned at = 0;
	const struct field *f = message_find_id(msg, FIELD_UPGRADE, &at);

	at = 0;
	return f && list_has_token(f->value, SPAN("websocket")) &&
	       !message_find(msg, SPAN("sec-websocket-key"), &at);
}

static bool method_may_ignore_payload(const struct message *msg)
{
	return msg->minor == 0 && (msg->method == METHOD_GET || msg->method == METHOD_HEAD ||
				   msg->method == METHOD_DELETE);
}

/* By option, the end of the body was told in two ways, or in one that HTTP/1.0 does not have. */
static bool doubtful_framing(const struct head *h)
{
	return h->parser->seen & SEEN_CODING && (h->parser->seen & SEEN_LENGTH || !h->msg->minor);
}

/* RFC 9112 6.1, 6.3: Transfer-Encoding counts, and the connection is closed behind the message. */
COLD static void one_framing(struct message *msg)
{
	unsigned at = 0;
	struct field *f;

	while ((f = message_find_id(msg, FIELD_CONTENT_LENGTH, &at)))
		message_delete_field(msg, f);
	msg->flags &= (uint16_t)~MSG_KEEP_ALIVE;
}

/* RFC 9112 6.3: a request without a length has no body. */
static enum h1_result request_framing(struct head *h, const char *empty)
{
	struct message *msg = h->msg;
	bool coded = h->parser->seen & SEEN_CODING;

	if (coded)
		msg->length = 0; /* by option, it was there */
	msg->framing = BODY_NONE;
	if (!coded && !msg->length)
		return H1_DONE;
	if (msg->method == METHOD_CONNECT)
		return h1_bad(h, empty, 400, "CONNECT with a body");
	if (method_may_ignore_payload(msg) && !(h->options & H1_ANY_PAYLOAD))
		return h1_bad(h, empty, 413, "a body in HTTP/1.0 with a method that has none");
	msg->framing = coded ? BODY_CHUNKED : BODY_LENGTH;
	return H1_DONE;
}

APART bool message_method_fits(const struct message *msg, bool any_payload)
{
	bool connect = msg->method == METHOD_CONNECT;
	struct uri uri;
	struct span host;
	unsigned port;

	if (!uri_split(msg->target, &uri) || connect != (uri.authority.ptr && !uri.scheme.ptr))
		return false;
	if (connect && (msg->framing != BODY_NONE || !host_split(uri.authority, &host, &port) ||
			!host.len || !port))
		return false;
	if (msg->target.ptr[0] == '*' && msg->method != METHOD_OPTIONS)
		return false;
	return msg->framing == BODY_NONE || !method_may_ignore_payload(msg) || any_payload;
}

enum h1_result h1_check_request(struct head *h, const char *empty, const char *end)
{
	struct message *msg = h->msg;
	enum h1_result r;

	msg->head_len = (uint32_t)(end - h->bytes);
	if (msg->minor && !(msg->flags & MSG_HAS_HOST)) {
		if (!h1_tolerate(h, empty) && !(h->options & H1_MAYBE_HOST))
			return h1_bad(h, empty, 400, "HTTP/1.1 without Host");
		msg->flags |= MSG_HOSTLESS;
	}
	r = check_target(h);
	if (r != H1_DONE)
		return r;
	r = request_framing(h, empty);
	if (r != H1_DONE)
		return r;
	check_connection(h);
	if (doubtful_framing(h))
		one_framing(msg);
	if (msg->flags & MSG_UPGRADE && websocket_lacks_key(msg))
		return h1_bad(h, empty, 400, "WebSocket without Sec-WebSocket-Key");
	return H1_DONE;
}

/* What must not be in a message without body, so that the next one is not misled by it. */
static void delete_framing(struct message *msg)
{
	unsigned at = 0;
	struct field *f;

	while ((f = message_find_id(msg, FIELD_CONTENT_LENGTH, &at)))
		message_delete_field(msg, f);
	for (at = 0; (f = message_find_id(msg, FIELD_TRANSFER_ENCODING, &at));)
		message_delete_field(msg, f);
}

/* RFC 9112 6.3, in its order. */
static void response_framing(struct head *h, enum method request_method)
{
	struct message *msg = h->msg;
	unsigned status = msg->status;
	bool bodiless = status < 200 || status == 204;

	if (status == 101 || (request_method == METHOD_CONNECT && status / 100 == 2)) {
		msg->framing = BODY_TUNNEL;
		bodiless = true;
	} else if (bodiless || status == 304 || request_method == METHOD_HEAD) {
		msg->framing = BODY_NONE;
	} else if (h->parser->seen & SEEN_CODING) {
		msg->framing = BODY_CHUNKED;
	} else if (h->parser->seen & SEEN_LENGTH) {
		msg->framing = msg->length ? BODY_LENGTH : BODY_NONE;
	} else {
		msg->framing = BODY_CLOSE;
	}
	if (msg->framing != BODY_LENGTH)
		msg->length = 0;
	if (bodiless && h->parser->seen & (SEEN_CODING | SEEN_LENGTH))
		delete_framing(msg);
}

enum h1_result h1_check_response(struct head *h, enum method request_method, const char *end)
{
	struct message *msg = h->msg;

	msg->head_len = (uint32_t)(end - h->bytes);
	if (msg->status < 200 && msg->status != 101)
		msg->flags |= MSG_INTERIM;
	check_connection(h);
	response_framing(h, request_method);
	if (doubtful_framing(h))
		one_framing(msg);
	return H1_DONE;
}
