/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heads of HTTP/1 (RFC 9112 2 to 4): one pass over the bytes, each looked at once; when bytes run
 * out the parser remembers where and goes on there. Start lines are read here, fields in
 * h1_fields.c. What the fields mean is checked in h1_check.c as soon as each is complete, so that
 * the first byte that is wrong decides, however the bytes arrived. Called by ends and by HTTP
 * checks; never allocates, and writes to the bytes only where a folded field is allowed
 * (h1_fields.c).
 */
#include "http/h1.h"

#include "http/chars.h"
#include "http/h1_head.h"
#include "http/scan.h"

/* CHAR_DIGIT, CHAR_BLANK without the table. */
static inline bool is_digit(char c)
{
	return (uint8_t)(c - '0') < 10;
}

/* ---- start lines ---- */

/* Any number of digits from *p; at most 999. False: none, or too many. */
static bool parse_digits(const char **p, const char *end, unsigned *n)
{
	const char *start = *p;

	for (*n = 0; *p < end && char_is(**p, CHAR_DIGIT) && *p - start < 3; ++*p)
		*n = *n * 10 + (unsigned)(**p - '0');
	return *p > start;
}

/* What is sent on and what keep-alive depends on is 1.0 or 1.1 (RFC 9110 2.5). */
static enum h1_result set_version(struct head *h, const char *at, unsigned major, unsigned minor)
{
	if (major != 1 || minor > 1) {
		if (!h1_tolerate(h, at))
			return h1_bad(h, at, 505, "this version of HTTP does not exist");
		minor = major > 1 || (major == 1 && minor > 1);
	}
	h->msg->major = 1;
	h->msg->minor = (uint8_t)minor;
	return H1_DONE;
}

/* "HTTP/1.0" and whatever else, any byte of which may be the last one there is. */
static enum h1_result parse_odd_version(struct head *h, const char **p)
{
	static const char prefix[] = "HTTP/";
	const char *s = *p, *q = s, *end = h->end, *number;
	bool loose = h->options & H1_ACCEPT_INVALID;
	unsigned major, minor;

	while (q < end && q - s < 5 && *q == prefix[q - s])
		q++;
	if (q < end && q - s < 5) {
		/* "RTSP/1.0" */
		if (h->msg->is_response || !loose)
			return h1_bad(h, q, 400, "no HTTP version at the end of the request line");
		for (q = s; q < end && *q >= 'A' && *q <= 'Z'; q++)
			;
		if (q < end && (*q != '/' || q == s))
			return h1_bad(h, q, 400, "no version at the end of the request line");
		if (q < end) {
			h1_tolerate(h, s);
			h->msg->protocol.ptr = s;
			q++;
		}
	}
	if (q == end)
		return H1_INCOMPLETE;
	number = q;
	if (!parse_digits(&q, end, &major) && q < end)
		return h1_bad(h, q, 400, "the version has no number");
	if (q < end && q - number > 1 && !loose)
		return h1_bad(h, number + 1, 400, "the version has too many digits");
	if (q < end && *q != '.')
		return h1_bad(h, q, 400, "malformed version");
	if (q == end || ++q == end)
		return H1_INCOMPLETE;
	if (!parse_digits(&q, end, &minor))
		return h1_bad(h, q, 400, "malformed version");
	if (q - number > 3 && !loose)
		return h1_bad(h, number + 3, 400, "the version has too many digits");
	if (q == end)
		return H1_INCOMPLETE;
	*p = q;
	h->parser->odd = true;
	if (h->msg->protocol.ptr)
		h->msg->protocol = span_between(s, q);
	return set_version(h, number, major, minor);
}

/* *p moves behind the version. */
static inline enum h1_result parse_version(struct head *h, const char **p)
{
	const char *s = *p;

	if (unlikely(h->end - s <= 8 || memcmp(s, "HTTP/1.1", 8) != 0 || is_digit(s[8])))
		return parse_odd_version(h, p);
	h->msg->major = h->msg->minor = 1;
	*p = s + 8;
	return H1_DONE;
}

/* RFC 9112 2.2: empty lines in front of a request are stepped over. */
static enum h1_result skip_empty_lines(struct head *h, const char **p)
{
	enum h1_result r;

	for (;;) {
		if (*p == h->end)
			return H1_INCOMPLETE;
		if (**p != '\r')
			return H1_DONE;
		r = h1_line_end(h, p);
		if (r != H1_DONE)
			return r;
		h->parser->skipped++;
	}
}

/* "GET /path" and the end of the line: HTTP/0.9, by option. */
COLD static enum h1_result parse_http09(struct head *h, const char *s, const char *q)
{
	const char *behind = q;
	enum h1_result r = h1_line_end(h, &behind);

	if (r == H1_INCOMPLETE)
		return h1_pause(h, AT_TARGET, s, q);
	if (r == H1_BAD)
		return r;
	h1_tolerate(h, q);
	h->msg->target = span_between(s, q);
	h->msg->major = 1;
	h->msg->minor = 0;
	h->msg->flags |= MSG_HTTP09;
	return h1_check_request(h, q, behind);
}

/* To the end of the target; what is not allowed there by default may be by option. */
static const char *skip_target(struct head *h, const char *q)
{
	for (;;) {
		q = scan_target(q, h->end);
		if (q == h->end || !(*q == '#' || (uint8_t)*q > 0x7f) || !h1_tolerate(h, q))
			return q;
		q++;
	}
}

COLD static enum h1_result bad_target(struct head *h, const char *s, const char *q)
{
	if (q == s)
		return h1_bad(h, q, 400, "no target behind the method");
	if (*q == '\r' || *q == '\n')
		return h1_bad(h, q, 400, "no HTTP version at the end of the request line");
	return h1_bad(h, q, 400, "a character that a target must not have");
}

/* Everything up to the end of the request line; from there on h1_field_lines. Empty when the state
 * is beyond it. *at: where the fields begin. */
static enum h1_result parse_request_line(struct head *h, const char **at)
{
	const char *s = h->bytes + h->parser->from, *q = h->bytes + h->parser->looked, *next;
	enum h1_result r;

	switch ((enum h1_state)h->parser->state) {
	case AT_START:
		r = skip_empty_lines(h, &q);
		if (r != H1_DONE)
			return r == H1_BAD ? r : h1_pause(h, AT_START, q, q);
		s = q;
		/* fall through */
	case AT_METHOD:
		/* By far the most frequent one costs a comparison, not 70 instructions. */
		if (likely(h->end - s > 4 && memcmp(s, "GET ", 4) == 0)) {
			h->msg->method = METHOD_GET;
			q = s + 3;
		} else {
			q = scan_class(q, h->end, CHAR_TOKEN);
			if (q == h->end)
				return h1_pause(h, AT_METHOD, s, q);
			if (*q != ' ' || q == s)
				return h1_bad(h, q, 400, "a character that a method must not have");
			h->msg->method = (uint8_t)method_find(span_between(s, q));
		}
		h->msg->method_text = span_between(s, q);
		s = ++q;
		/* fall through */
	case AT_TARGET:
		q = skip_target(h, q);
		if (q == h->end)
			return h1_pause(h, AT_TARGET, s, q);
		if (*q == '\r' && q > s && h->options & H1_ACCEPT_INVALID)
			return parse_http09(h, s, q);
		if (*q != ' ' || q == s)
			return bad_target(h, s, q);
		h->msg->target = span_between(s, q);
		s = ++q;
		/* fall through */
	default:
		next = s;
		r = parse_version(h, &next);
		if (r == H1_DONE)
			r = h1_line_end(h, &next);
		if (r == H1_INCOMPLETE)
			return h1_pause(h, AT_VERSION, s, s);
		*at = next;
		return r;
	}
}

/* "200 OK" behind the version and its blank; the status has three digits (RFC 9112 4). */
static enum h1_result parse_status(struct head *h, const char *s)
{
	unsigned i, status = 0;

	if (likely(h->end - s > 3 && is_digit(s[0]) && s[0] != '0' && is_digit(s[1]) &&
		   is_digit(s[2]) && s[3] == ' ')) {
		h->msg->status = (uint16_t)(s[0] * 100 + s[1] * 10 + s[2] - '0' * 111);
		return H1_DONE;
	}
	for (i = 0; i < 3 && s + i < h->end; i++) {
		if (!char_is(s[i], CHAR_DIGIT) || (i == 0 && s[0] == '0'))
			return h1_bad(h, s + i, 502, "the status is no number of three digits");
		status = status * 10 + (unsigned)(s[i] - '0');
	}
	if (s + i == h->end)
		return H1_INCOMPLETE;
	if (s[3] != ' ' && s[3] != '\r' && !(s[3] == '\n' && h1_has_loose_lines(h)))
		return h1_bad(h, s + 3, 502, "the status is no number of three digits");
	h->msg->status = (uint16_t)status;
	return H1_DONE;
}

static enum h1_result parse_status_line(struct head *h, const char **at)
{
	const char *s = h->bytes + h->parser->from, *q = h->bytes + h->parser->looked;
	enum h1_result r;

	switch ((enum h1_state)h->parser->state) {
	default:
		q = s;
		r = parse_version(h, &q);
		if (r == H1_INCOMPLETE)
			return h1_pause(h, AT_START, s, s);
		if (r == H1_BAD)
			return r;
		if (*q != ' ')
			return h1_bad(h, q, 502, "no blank behind the version");
		s = ++q;
		/* fall through */
	case AT_STATUS:
		r = parse_status(h, s);
		if (r == H1_INCOMPLETE)
			return h1_pause(h, AT_STATUS, s, s);
		if (r == H1_BAD)
			return r;
		s += 3;
		q = s;
		/* fall through */
	case AT_REASON:
		q = scan_value(h->bytes, q, h->end);
		*at = q;
		r = q == h->end ? H1_INCOMPLETE : h1_line_end(h, at);
		if (r == H1_INCOMPLETE)
			return h1_pause(h, AT_REASON, s, q);
		if (r == H1_BAD)
			return r;
		h->parser->odd |= *s != ' ';
		h->msg->reason = span_between(s + (*s == ' '), q);
		return H1_DONE;
	}
}

/* ---- the whole ---- */

/* The head is complete. If the writer would make nothing else of it, it may leave as it is. */
static void head_received(struct head *h)
{
	const unsigned changed = MSG_EDITED | MSG_INVALID | MSG_HTTP09;

	if (!(h->msg->flags & changed) && !h->parser->odd && !h->parser->skipped)
		h->msg->received = h->bytes;
}

enum h1_result h1_request_head(struct h1_parser *p, const char *bytes, size_t len, unsigned options,
			       struct message *msg, struct message_error *error)
{
	struct head h = { p, bytes, bytes + len, msg, options, error };
	enum h1_result r = H1_DONE;
	const char *at = bytes, *behind;

	h1_follow(&h);
	if (p->state < AT_NAME)
		r = parse_request_line(&h, &at);
	if (r == H1_DONE && !(msg->flags & MSG_HTTP09))
		r = h1_field_lines(&h, &at, &behind);
	if (r == H1_DONE && !(msg->flags & MSG_HTTP09))
		r = h1_check_request(&h, at, behind);
	if (r == H1_DONE)
		head_received(&h);
	return r;
}

enum h1_result h1_response_head(struct h1_parser *p, const char *bytes, size_t len,
				unsigned options, enum method request_method, struct message *msg,
				struct message_error *error)
{
	struct head h = { p, bytes, bytes + len, msg, options, error };
	enum h1_result r = H1_DONE;
	const char *at = bytes, *behind;

	h1_follow(&h);
	if (p->state < AT_NAME)
		r = parse_status_line(&h, &at);
	if (r == H1_DONE)
		r = h1_field_lines(&h, &at, &behind);
	if (r == H1_DONE)
		r = h1_check_response(&h, request_method, behind);
	if (r == H1_DONE)
		head_received(&h);
	return r;
}

void h1_too_long(const struct h1_parser *p, const struct message *msg, struct message_error *error)
{
	error->position = p->looked;
	error->text = "the head is too long";
	if (msg->is_response)
		error->status = 502;
	else if (p->state == AT_TARGET)
		error->status = 414;
	else
		error->status = p->state >= AT_NAME ? 431 : 400;
}
