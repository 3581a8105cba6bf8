/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heads, good and bad. Each is parsed whole, one byte more at a time, and split in two at every
 * position, with the bytes at another place in the second call: the result must be the same.
 */
#include "http/h1.h"

#include "base/arena.h"
#include "base/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FIELDS 8

struct outcome {
	enum h1_result result;
	struct h1_parser parser;
	struct message msg;
	struct field fields[FIELDS];
	struct message_error error;
};

struct input {
	const char *bytes;
	size_t len;
	unsigned options;
	bool response;
	enum method method; /* of the request that a response answers */
};

static void begin(const struct input *in, struct outcome *out)
{
	memset(out, 0, sizeof(*out));
	message_init(&out->msg, in->response, out->fields, FIELDS);
}

/* The first n bytes, at a place of their own that ends behind them (for the address sanitizer);
 * those that were there before, had bytes, as the parser has left them. */
static char *feed_more(const struct input *in, size_t n, const char *before, size_t had,
		       struct outcome *out)
{
	char *copy = malloc(n ? n : 1);

	BUG_ON(!copy);
	memcpy(copy, in->bytes, n);
	if (had)
		memcpy(copy, before, had);
	if (in->response)
		out->result = h1_response_head(&out->parser, copy, n, in->options, in->method,
					       &out->msg, &out->error);
	else
		out->result = h1_request_head(&out->parser, copy, n, in->options, &out->msg,
					      &out->error);
	return copy;
}

static char *feed(const struct input *in, size_t n, struct outcome *out)
{
	return feed_more(in, n, NULL, 0, out);
}

static void assert_same_span(struct span a, const char *a_base, struct span b, const char *b_base)
{
	assert_int_equal(a.len, b.len);
	assert_int_equal(!a.ptr, !b.ptr);
	if (a.ptr && a.len) {
		assert_memory_equal(a.ptr, b.ptr, a.len);
		if (a.ptr >= a_base && a.ptr < a_base + 65536 && b.ptr >= b_base)
			assert_int_equal(a.ptr - a_base, b.ptr - b_base);
	}
}

static void assert_same(const struct outcome *a, const char *a_base, const struct outcome *b,
			const char *b_base)
{
	unsigned i;

	assert_int_equal(a->result, b->result);
	if (a->result == H1_BAD) {
		assert_int_equal(a->error.status, b->error.status);
		assert_int_equal(a->error.position, b->error.position);
		assert_string_equal(a->error.text, b->error.text);
		return;
	}
	assert_int_equal(a->msg.head_len, b->msg.head_len);
	assert_int_equal(a->msg.flags, b->msg.flags);
	assert_int_equal(a->msg.framing, b->msg.framing);
	assert_int_equal(a->msg.length, b->msg.length);
	assert_int_equal(a->msg.method, b->msg.method);
	assert_int_equal(a->msg.status, b->msg.status);
	assert_int_equal(a->msg.minor, b->msg.minor);
	assert_int_equal(a->msg.count, b->msg.count);
	assert_int_equal(a->parser.skipped, b->parser.skipped);
	assert_int_equal(a->parser.invalid, b->parser.invalid);
	assert_same_span(a->msg.method_text, a_base, b->msg.method_text, b_base);
	assert_same_span(a->msg.target, a_base, b->msg.target, b_base);
	assert_same_span(a->msg.reason, a_base, b->msg.reason, b_base);
	assert_same_span(a->msg.host, a_base, b->msg.host, b_base);
	assert_same_span(a->msg.protocol, a_base, b->msg.protocol, b_base);
	for (i = 0; i < a->msg.count; i++) {
		assert_int_equal(a->fields[i].id, b->fields[i].id);
		assert_int_equal(a->fields[i].line, b->fields[i].line);
		assert_same_span(a->fields[i].name, a_base, b->fields[i].name, b_base);
		assert_same_span(a->fields[i].value, a_base, b->fields[i].value, b_base);
	}
}

/* The calls at `first` and at the whole length must tell what `whole` tells; when already the first
 * part is bad, it is the same fault. */
static void check_split(const struct input *in, size_t first, const struct outcome *whole,
			const char *whole_base)
{
	struct outcome out;
	char *a, *b;

	begin(in, &out);
	a = feed(in, first, &out);
	if (out.result != H1_INCOMPLETE) {
		assert_same(&out, a, whole, whole_base);
		free(a);
		return;
	}
	assert_true(whole->result != H1_DONE || whole->msg.head_len > first);
	b = feed_more(in, in->len, a, first, &out);
	assert_same(&out, b, whole, whole_base);
	free(a);
	free(b);
}

static void check_byte_by_byte(const struct input *in, const struct outcome *whole,
			       const char *whole_base)
{
	char *last = NULL, *now = NULL;
	struct outcome out;
	size_t n;

	begin(in, &out);
	for (n = 0; n <= in->len; n++) {
		now = feed_more(in, n, last, n ? n - 1 : 0, &out);
		free(last);
		last = now;
		if (out.result != H1_INCOMPLETE)
			break;
	}
	assert_same(&out, last, whole, whole_base);
	free(last);
}

/* Parses in all ways; the outcome, whose spans point into *base (to be freed). */
static void parse(const struct input *in, struct outcome *whole, char **base)
{
	size_t i;

	begin(in, whole);
	*base = feed(in, in->len, whole);
	for (i = 0; i < in->len; i++)
		check_split(in, i, whole, *base);
	check_byte_by_byte(in, whole, *base);
}

/* ---- requests that are refused ---- */

struct refusal {
	unsigned status;
	int position;        /* -1: at the end of the head */
	const char *request;
};

#define LINE "GET / HTTP/1.1\r\n"
#define HOST "Host: a\r\n"
#define POST "POST / HTTP/1.1\r\nHost: a\r\n"

static const struct refusal refusals[] = {
	/* line ends */
	{ 400, 14, "GET / HTTP/1.1\nHost: a\r\n\r\n" },
	{ 400, 23, LINE "Host: a\n\r\n" },
	{ 400, 25, LINE HOST "\n" },
	{ 400, 0, "\nGET / HTTP/1.1\r\n" HOST "\r\n" },
	{ 400, 15, "GET / HTTP/1.1\rHost: a\r\n\r\n" },
	{ 400, 29, LINE HOST "X: \rb\r\n\r\n" },
	{ 400, 26, LINE HOST "\rX: b\r\n\r\n" },
	{ 400, 1, "\rGET / HTTP/1.1\r\n" },
	/* the request line */
	{ 400, 0, " GET / HTTP/1.1\r\n" },
	{ 400, 3, "GET\t/ HTTP/1.1\r\n" },
	{ 400, 1, "G(T / HTTP/1.1\r\n" },
	{ 400, 3, "GET\r\n" },
	{ 400, 4, "GET  / HTTP/1.1\r\n" },
	{ 400, 6, "GET /  HTTP/1.1\r\n" },
	{ 400, 14, "GET / HTTP/1.1 \r\n" },
	{ 400, 5, "GET /\r\n" },
	{ 400, 6, "GET / \r\n" },
	{ 400, 6, "GET / http/1.1\r\n" },
	{ 400, 6, "GET / RTSP/1.0\r\n" },
	{ 400, 10, "GET / HTTP1.1\r\n" },
	{ 400, 11, "GET / HTTP/a.1\r\n" },
	{ 400, 12, "GET / HTTP/1\r\n" },
	{ 400, 13, "GET / HTTP/1.\r\n" },
	{ 400, 14, "GET / HTTP/1.10\r\n" },
	{ 400, 12, "GET / HTTP/11.1\r\n" },
	{ 400, 11, "GET / HTTP/-1.1\r\n" },
	{ 505, 11, "GET / HTTP/1.2\r\n" HOST "\r\n" },
	{ 505, 11, "GET / HTTP/0.9\r\n" },
	{ 505, 11, "GET / HTTP/3.0\r\n" },
	{ 505, 11, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
	/* the target */
	{ 400, 6, "GET /a#b HTTP/1.1\r\n" },
	{ 400, 6, "GET /a\001 HTTP/1.1\r\n" },
	{ 400, 6, "GET /a\177 HTTP/1.1\r\n" },
	{ 400, 6, "GET /a\303\251 HTTP/1.1\r\n" },
	{ 400, 4, "GET a HTTP/1.1\r\n" HOST "\r\n" },
	{ 400, 4, "GET * HTTP/1.1\r\n" HOST "\r\n" },
	{ 400, 11, "GET http:/// HTTP/1.1\r\n" HOST "\r\n" },
	{ 400, 11, "GET http://u:p@a/ HTTP/1.1\r\n" HOST "\r\n" },
	{ 400, 36, "GET http://b/ HTTP/1.1\r\nX: y\r\n" HOST "\r\n" },
	{ 400, 33, "GET http://a:81/ HTTP/1.1\r\n" HOST "\r\n" },
	{ 400, 8, "CONNECT /x HTTP/1.1\r\n" HOST "\r\n" },
	{ 400, 8, "CONNECT a HTTP/1.1\r\n" HOST "\r\n" },
	{ 400, 30, "CONNECT a:443 HTTP/1.1\r\nHost: b\r\n\r\n" },
	{ 400, 31, "CONNECT a:8443 HTTP/1.1\r\nHost: a\r\n\r\n" },
	{ 400, 30, "CONNECT a:443 HTTP/1.1\r\nHost: a:80\r\n\r\n" },
	{ 400, -1, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nContent-Length: 2\r\n\r\n" },
	/* Host */
	{ 400, -1, LINE "\r\n" },
	{ 400, 25, LINE HOST HOST "\r\n" },
	{ 400, 25, LINE HOST "Host: b\r\n\r\n" },
	{ 400, 22, LINE "Host: a b\r\n\r\n" },
	{ 400, 22, LINE "Host: a, b\r\n\r\n" },
	{ 400, 22, LINE "Host: a/b\r\n\r\n" },
	{ 400, 22, LINE "Host: u@a\r\n\r\n" },
	{ 400, 22, LINE "Host: a:x\r\n\r\n" },
	{ 400, 22, LINE "Host: a:65536\r\n\r\n" },
	{ 400, 22, LINE "Host: a:8:8\r\n\r\n" },
	{ 400, 22, LINE "Host: [::1\r\n\r\n" },
	{ 400, 22, LINE "Host: [a]\r\n\r\n" },
	{ 400, 22, LINE "Host: a%4\r\n\r\n" },
	/* fields */
	{ 400, 25, LINE HOST ": x\r\n\r\n" },
	{ 400, 26, LINE HOST "X : x\r\n\r\n" },
	{ 400, 26, LINE HOST "X\t: x\r\n\r\n" },
	{ 400, 26, LINE HOST "X(: x\r\n\r\n" },
	{ 400, 26, LINE HOST "X\351: x\r\n\r\n" },
	{ 400, 26, LINE HOST "X\r\n\r\n" },
	{ 400, 31, LINE HOST "X: x\r\n y\r\n\r\n" },
	{ 400, 31, LINE HOST "X: x\r\n\ty\r\n\r\n" },
	{ 400, 16, LINE " Host: a\r\n\r\n" },
	{ 400, 29, LINE HOST "X: a\001b\r\n\r\n" },
	{ 400, 29, LINE HOST "X: a\177b\r\n\r\n" },
	{ 400, 30, LINE HOST "X: \t \vb\r\n\r\n" },
	{ 400, 54, LINE HOST "A:\r\nB:\r\nC:\r\nD:\r\nE:\r\nF:\r\nG: \r\nH:\r\n\r\n" },
	/* Content-Length */
	{ 400, 61, POST "Content-Length: 2\r\nContent-Length: 3\r\n\r\n" },
	{ 400, 60, POST "Content-Length: 2\r\nContent-Length:\r\n\r\n" },
	{ 400, 45, POST "Content-Length: 2, 3\r\n\r\n" },
	{ 400, 44, POST "Content-Length: 2,\r\n\r\n" },
	{ 400, 42, POST "Content-Length: ,\r\n\r\n" },
	{ 400, 43, POST "Content-Length: 2; 2\r\n\r\n" },
	{ 400, 45, POST "Content-Length: 2, +2\r\n\r\n" },
	{ 400, 42, POST "Content-Length: +2\r\n\r\n" },
	{ 400, 42, POST "Content-Length: -2\r\n\r\n" },
	{ 400, 43, POST "Content-Length: 0x2\r\n\r\n" },
	{ 400, 43, POST "Content-Length: 1 2\r\n\r\n" },
	{ 400, 43, POST "Content-Length: 2\v\r\n\r\n" },
	{ 400, 41, POST "Content-Length:\r\n\r\n" },
	{ 400, 60, POST "Content-Length: 9223372036854775808\r\n\r\n" },
	{ 400, 61, POST "Content-Length: 18446744073709551617\r\n\r\n" },
	/* Transfer-Encoding */
	{ 400, 45, POST "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n" },
	{ 400, 54, POST "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n" },
	{ 400, 54, POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: gzip\r\n\r\n" },
	{ 501, 45, POST "Transfer-Encoding: gzip, chunked\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: chunked, chunked\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: chunked, gzip\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: xchunked\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: chunkedx\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: chunked;a=b\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: \"chunked\"\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: identity\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: , chunked\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: chunked,\r\n\r\n" },
	{ 400, 44, POST "Transfer-Encoding:\r\n\r\n" },
	{ 400, 45, POST "Transfer-Encoding: \vchunked\r\n\r\n" },
	{ 400, 26, "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" },
	{ 413, 25, "GET / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" },
	{ 413, -1, "GET / HTTP/1.0\r\nContent-Length: 2\r\n\r\n" },
	{ 413, -1, "HEAD / HTTP/1.0\r\nContent-Length: 2\r\n\r\n" },
	{ 413, -1, "DELETE / HTTP/1.0\r\nContent-Length: 2\r\n\r\n" },
	/* Upgrade */
	{ 400, -1, LINE HOST "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n" },
};

static void test_refusals(void **state)
{
	struct outcome out;
	unsigned wrong = 0;
	char *base;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *r = &refusals[i];
		struct input in = { .bytes = r->request, .len = strlen(r->request) };
		int position = r->position < 0 ? (int)in.len - 2 : r->position;

		parse(&in, &out, &base);
		if (out.result != H1_BAD || out.error.status != r->status ||
		    (int)out.error.position != position) {
			print_error("%s: %d, %u at %u: %s\n", r->request, out.result,
				    out.error.status, out.error.position, out.error.text);
			wrong++;
		}
		free(base);
	}
	assert_int_equal(wrong, 0);
}

/* ---- what is accepted ---- */

struct accepted {
	const char *bytes;
	const char *written; /* by h1_write_head; NULL: as it came */
	unsigned flags, framing, length, options;
	const char *host;
	uint16_t answers; /* a response: 1 + the method of its request */
};

#define KEEP MSG_KEEP_ALIVE
#define SENT (MSG_KEEP_ALIVE | MSG_HAS_HOST)
#define TO(method) 1 + METHOD_##method

static const struct accepted accepted[] = {
	{ LINE HOST "\r\n", NULL, SENT, BODY_NONE, 0, 0, "a", 0 },
	{ "\r\n\r\n" LINE HOST "\r\n", LINE HOST "\r\n", SENT, BODY_NONE, 0, 0, "a", 0 },
	{ LINE "Host:\r\n\r\n", LINE "Host: \r\n\r\n", SENT, BODY_NONE, 0, 0, "", 0 },
	{ LINE "hOST: [::1]:80\r\n\r\n", NULL, SENT, BODY_NONE, 0, 0, "[::1]:80", 0 },
	{ "GET / HTTP/1.0\r\n\r\n", NULL, 0, BODY_NONE, 0, 0, "", 0 },
	{ "GET / HTTP/1.0\r\nX: y\r\nConnection: x, Keep-Alive\r\nZ: x\r\n\r\n",
	  "GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\nZ: x\r\n\r\n", KEEP | MSG_EDITED, BODY_NONE, 0, 0,
	  "", 0 },
	{ LINE HOST "Connection: keep-alive,close\r\n\r\n", NULL, MSG_HAS_HOST | MSG_CLOSE,
	  BODY_NONE, 0, 0, "a", 0 },
	{ LINE HOST "Connection: a\r\nConnection: CLOSE\r\n\r\n", NULL,
	  MSG_HAS_HOST | MSG_CLOSE, BODY_NONE, 0, 0, "a", 0 },
	{ "foo /{|}\"<>\\^` HTTP/1.1\r\n" HOST "\r\n", NULL, SENT, BODY_NONE, 0, 0, "a", 0 },
	{ LINE HOST "X:  a \t b\351\t \r\nY:\r\n\r\n", LINE HOST "X: a \t b\351\r\nY: \r\n\r\n",
	  SENT, BODY_NONE, 0, 0, "a", 0 },
	{ POST "Content-Length: 0002\r\n\r\n", NULL, SENT, BODY_LENGTH, 2, 0, "a", 0 },
	{ POST "Content-Length: 0\r\n\r\n", NULL, SENT, BODY_NONE, 0, 0, "a", 0 },
	{ POST "Content-Length: 2\r\nX: y\r\ncontent-length: 02\r\n\r\n",
	  POST "Content-Length: 2\r\nX: y\r\n\r\n", SENT | MSG_EDITED, BODY_LENGTH, 2, 0, "a", 0 },
	{ POST "Content-Length: 2,2 , 2\r\nContent-Length: 2, 2\r\n\r\n",
	  POST "Content-Length: 2\r\n\r\n", SENT | MSG_EDITED, BODY_LENGTH, 2, 0, "a", 0 },
	{ POST "Transfer-Encoding: CHUNKED\r\n\r\n", NULL, SENT, BODY_CHUNKED, 0, 0, "a", 0 },
	{ POST "Expect: 100-Continue\r\n\r\n", NULL, SENT | MSG_EXPECT_100, BODY_NONE, 0, 0, "a",
	  0 },
	{ "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", NULL, SENT, BODY_NONE, 0, 0, "a", 0 },
	{ "GET http://A:80/x?y HTTP/1.1\r\n" HOST "\r\n", NULL, SENT | MSG_ABSOLUTE, BODY_NONE, 0,
	  0, "A:80", 0 },
	{ "GET https://a?y HTTP/1.1\r\nHost: a:443\r\n\r\n", NULL, SENT | MSG_ABSOLUTE, BODY_NONE,
	  0, 0, "a", 0 },
	{ "CONNECT a:443 HTTP/1.1\r\n" HOST "\r\n", NULL, SENT | MSG_ABSOLUTE, BODY_NONE, 0, 0,
	  "a:443", 0 },
	{ LINE HOST "Upgrade: x\r\nConnection: upgrade\r\n\r\n", NULL, SENT | MSG_UPGRADE,
	  BODY_NONE, 0, 0, "a", 0 },
	{ LINE HOST "Upgrade: x, h2c\r\nConnection: upgrade\r\n\r\n", NULL, SENT, BODY_NONE, 0, 0,
	  "a", 0 },
	{ LINE HOST "Upgrade: x\r\n\r\n", NULL, SENT, BODY_NONE, 0, 0, "a", 0 },
	{ POST "Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 2\r\n\r\n", NULL, SENT,
	  BODY_LENGTH, 2, 0, "a", 0 },
	/* by option */
	{ "GET /\r\n", "GET / HTTP/1.0\r\n\r\n", MSG_HTTP09 | MSG_INVALID, BODY_NONE, 0,
	  H1_ACCEPT_INVALID, "", 0 },
	{ "GET /\351#b HTTP/1.1\r\n" HOST "\r\n", NULL, SENT | MSG_INVALID, BODY_NONE, 0,
	  H1_ACCEPT_INVALID, "a", 0 },
	{ "GET / HTTP/1.21\r\n" HOST "\r\n", LINE HOST "\r\n", SENT | MSG_INVALID, BODY_NONE, 0,
	  H1_ACCEPT_INVALID, "a", 0 },
	{ "GET / RTSP/1.0\r\n\r\n", NULL, MSG_INVALID, BODY_NONE, 0, H1_ACCEPT_INVALID, "", 0 },
	{ LINE HOST "X(@]: y\r\n\r\n", NULL, SENT | MSG_INVALID, BODY_NONE, 0, H1_ACCEPT_INVALID, "a",
	  0 },
	{ LINE HOST "X ( : y\r\nX: y\r\n\351X: y\r\n\r\n", LINE HOST "X: y\r\n\r\n",
	  SENT | MSG_INVALID | MSG_EDITED, BODY_NONE, 0, H1_ACCEPT_INVALID, "a", 0 },
	{ LINE "\r\n", NULL, MSG_KEEP_ALIVE | MSG_INVALID | MSG_HOSTLESS, BODY_NONE, 0,
	  H1_ACCEPT_INVALID, "", 0 },
	{ LINE "\r\n", NULL, MSG_KEEP_ALIVE | MSG_HOSTLESS, BODY_NONE, 0, H1_MAYBE_HOST, "", 0 },
	{ "GET http://b#x HTTP/1.1\r\n\r\n", NULL,
	  MSG_KEEP_ALIVE | MSG_INVALID | MSG_HOSTLESS | MSG_ABSOLUTE, BODY_NONE, 0,
	  H1_ACCEPT_INVALID, "b", 0 },
	{ "GET http://b/ HTTP/1.1\r\n" HOST "X: y\r\n\r\n",
	  "GET http://b/ HTTP/1.1\r\nHost: b\r\nX: y\r\n\r\n",
	  SENT | MSG_INVALID | MSG_EDITED | MSG_ABSOLUTE, BODY_NONE, 0, H1_ACCEPT_INVALID, "b", 0 },
	{ "GET http://b/ HTTP/1.1\r\nHost:\r\n\r\n", "GET http://b/ HTTP/1.1\r\nHost: b\r\n\r\n",
	  SENT | MSG_INVALID | MSG_EDITED | MSG_ABSOLUTE, BODY_NONE, 0, H1_ACCEPT_INVALID, "b", 0 },
	{ "CONNECT b:1 HTTP/1.1\r\n" HOST "\r\n", "CONNECT b:1 HTTP/1.1\r\nHost: b:1\r\n\r\n",
	  SENT | MSG_INVALID | MSG_EDITED | MSG_ABSOLUTE, BODY_NONE, 0, H1_ACCEPT_INVALID, "b:1", 0 },
	{ POST "Content-Length: 2\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n",
	  POST "Transfer-Encoding: chunked\r\nX: y\r\n\r\n",
	  MSG_HAS_HOST | MSG_INVALID | MSG_EDITED, BODY_CHUNKED, 0, H1_ACCEPT_INVALID, "a", 0 },
	{ POST "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
	  POST "Transfer-Encoding: chunked\r\n\r\n", MSG_HAS_HOST | MSG_INVALID | MSG_EDITED,
	  BODY_CHUNKED, 0, H1_ACCEPT_INVALID, "a", 0 },
	{ "GET / HTTP/1.0\r\nContent-Length: 2\r\n\r\n", NULL, 0, BODY_LENGTH, 2, H1_ANY_PAYLOAD,
	  "", 0 },
	/* responses */
	{ "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n", NULL, KEEP,
	  BODY_LENGTH, UINT32_MAX, 0, NULL, TO(GET) },
	{ "HTTP/1.1 200\r\n\r\n", "HTTP/1.1 200 \r\n\r\n", KEEP, BODY_CLOSE, 0, 0, NULL, TO(GET) },
	{ "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", NULL, KEEP, BODY_NONE, 0, 0, NULL,
	  TO(GET) },
	{ "HTTP/1.0 200 a  b\tc\351\r\n\r\n", NULL, 0, BODY_CLOSE, 0, 0, NULL, TO(GET) },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", NULL, KEEP, BODY_CHUNKED, 0, 0,
	  NULL, TO(GET) },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", NULL, KEEP, BODY_NONE, 0, 0,
	  NULL, TO(HEAD) },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", NULL, KEEP, BODY_NONE, 0, 0, NULL,
	  TO(HEAD) },
	{ "HTTP/1.1 304 X\r\nContent-Length: 5\r\n\r\n", NULL, KEEP, BODY_NONE, 0, 0, NULL,
	  TO(GET) },
	{ "HTTP/1.1 204 X\r\nContent-Length: 5\r\nA: b\r\n\r\n",
	  "HTTP/1.1 204 X\r\nA: b\r\n\r\n", KEEP | MSG_EDITED, BODY_NONE, 0, 0, NULL, TO(GET) },
	{ "HTTP/1.1 100 X\r\n\r\n", NULL, KEEP | MSG_INTERIM, BODY_NONE, 0, 0, NULL, TO(GET) },
	{ "HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", NULL,
	  KEEP | MSG_UPGRADE, BODY_TUNNEL, 0, 0, NULL, TO(GET) },
	{ "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 X\r\n\r\n",
	  KEEP | MSG_EDITED, BODY_TUNNEL, 0, 0, NULL, TO(CONNECT) },
	{ "HTTP/1.1 407 X\r\nContent-Length: 5\r\n\r\n", NULL, KEEP, BODY_LENGTH, 5, 0, NULL,
	  TO(CONNECT) },
	{ "HTTP/1.1 200 OK\nA:b\nContent-Length: 2\n\n",
	  "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 2\r\n\r\n", KEEP | MSG_INVALID, BODY_LENGTH, 2,
	  H1_ACCEPT_INVALID, NULL, TO(GET) },
	{ "HTTP/1.1 200\n\r\n", "HTTP/1.1 200 \r\n\r\n", KEEP | MSG_INVALID, BODY_CLOSE, 0,
	  H1_ACCEPT_INVALID, NULL, TO(GET) },
	{ "HTTP/1.1 200 OK\r\nA: b\r\n \t c\n\td \r\n\t\r\nContent-Length:\r\n 2\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nA: b   \t c \td\r\nContent-Length: 2\r\n\r\n", KEEP | MSG_INVALID,
	  BODY_LENGTH, 2, H1_ACCEPT_INVALID, NULL, TO(GET) },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: y\r\nContent-Length: 02\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: y\r\n\r\n", KEEP | MSG_EDITED,
	  BODY_LENGTH, 2, 0, NULL, TO(GET) },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 2 ,2,\t2\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", KEEP | MSG_EDITED,
	  BODY_LENGTH, 2, 0, NULL, TO(GET) },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", MSG_INVALID | MSG_EDITED,
	  BODY_CHUNKED, 0, H1_ACCEPT_INVALID, NULL, TO(GET) },
	{ "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n", NULL,
	  MSG_INVALID, BODY_CHUNKED, 0, H1_ACCEPT_INVALID, NULL, TO(GET) },
	{ "HTTP/12.123 200 X\r\n\r\n", "HTTP/1.1 200 X\r\n\r\n", KEEP | MSG_INVALID, BODY_CLOSE,
	  0, H1_ACCEPT_INVALID, NULL, TO(GET) },
};

static void check_accepted(const struct accepted *a)
{
	struct input in = { .bytes = a->bytes,
			    .len = strlen(a->bytes),
			    .options = a->options,
			    .response = a->answers > 0,
			    .method = (enum method)(a->answers ? a->answers - 1 : 0) };
	const char *expected = a->written ? a->written : a->bytes;
	struct outcome out;
	char written[512];
	char *base;
	size_t n;

	parse(&in, &out, &base);
	if (out.result != H1_DONE)
		fail_msg("%s: %u at %u: %s", a->bytes, out.error.status, out.error.position,
			 out.error.text);
	assert_int_equal(out.msg.head_len, in.len);
	n = h1_write_head(&out.msg, written, sizeof(written));
	assert_int_equal(n, strlen(expected));
	assert_memory_equal(written, expected, n);
	assert_int_equal(h1_write_head(&out.msg, written, n), n);
	assert_int_equal(h1_write_head(&out.msg, written, n - 1), 0);
	assert_int_equal(out.msg.flags & ~MSG_HOPS, a->flags);
	assert_int_equal(out.msg.framing, a->framing);
	assert_int_equal(out.msg.length > UINT32_MAX ? UINT32_MAX : out.msg.length, a->length);
	if (a->host) {
		assert_int_equal(out.msg.host.len, strlen(a->host));
		assert_memory_equal(out.msg.host.len ? out.msg.host.ptr : "", a->host,
				    out.msg.host.len);
	}
	free(base);
}

static void test_accepted(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++)
		check_accepted(&accepted[i]);
}

/* ---- responses that are refused; names that options do not let pass ---- */

struct fault {
	const char *bytes;
	unsigned position, options;
	bool response;
};

#define OK "HTTP/1.1 200 OK\r\n"

static const struct fault faults[] = {
	{ "\r\nHTTP/1.1 200 OK\r\n\r\n", 0, 0, true },
	{ "HTTP/1.1 200 OK\n\n", 15, 0, true },
	{ "HTTP/1.1 20 OK\r\n\r\n", 11, 0, true },
	{ "HTTP/1.1 2000 OK\r\n\r\n", 12, 0, true },
	{ "HTTP/1.1 099 OK\r\n\r\n", 9, 0, true },
	{ "HTTP/1.1  200 OK\r\n\r\n", 9, 0, true },
	{ "HTTP/1.1\r\n\r\n", 8, 0, true },
	{ "HTTP/1.1 200 O\001\r\n\r\n", 14, 0, true },
	{ "HTTP/2.0 200 OK\r\n\r\n", 5, 0, true },
	{ "HTTP/1.2 200 OK\r\n\r\n", 5, 0, true },
	{ "ICY 200 OK\r\n\r\n", 0, 0, true },
	{ "ICY 200 OK\r\n\r\n", 0, H1_ACCEPT_INVALID, true },
	{ "hello", 0, 0, true },
	{ OK "A : b\r\n\r\n", 18, 0, true },
	{ OK "A: b\r\n c\r\n\r\n", 23, 0, true },
	{ OK "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 52, 0, true },
	{ OK "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 36, 0, true },
	{ OK "Transfer-Encoding: gzip, chunked\r\n\r\n", 36, 0, true },
	{ OK "Transfer-Encoding: gzip\r\n\r\n", 36, 0, true },
	{ "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 17, 0, true },
	{ OK "Content-Length : 1\r\n\r\n", 31, H1_ACCEPT_INVALID, true },
	{ POST "Transfer-Encoding : chunked\r\n\r\n", 43, H1_ACCEPT_INVALID, false },
	{ LINE "Host : b\r\n\r\n", 20, H1_ACCEPT_INVALID, false },
	{ LINE " Host: b\r\n\r\n", 16, H1_ACCEPT_INVALID, false },
	{ "GET foo HTTP/1.1\r\n" HOST "\r\n", 4, H1_ACCEPT_INVALID, false },
	{ "GET /\001 HTTP/1.1\r\n" HOST "\r\n", 5, H1_ACCEPT_INVALID, false },
	{ "GET /\n", 5, H1_ACCEPT_INVALID, false },
	{ "GET / http/1.1\r\n" HOST "\r\n", 6, H1_ACCEPT_INVALID, false },
	{ LINE HOST "\r\r\n", 26, H1_ACCEPT_INVALID, false },
	{ LINE HOST "A: b\r\n c\r\n\r\n", 31, H1_ACCEPT_INVALID, false },
	{ LINE HOST "A: b\n\r\n", 29, H1_ACCEPT_INVALID, false },
	{ LINE HOST "\n", 25, H1_ACCEPT_INVALID, false },
	{ POST "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 61, H1_ACCEPT_INVALID, false },
	{ POST "Content-Length: 1, 2\r\n\r\n", 45, H1_ACCEPT_INVALID, false },
	{ POST "Content-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n", 42, H1_ACCEPT_INVALID,
	  false },
	{ POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 54,
	  H1_ACCEPT_INVALID, false },
	{ "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 17, H1_ACCEPT_INVALID, false },
	{ OK " A: b\r\n\r\n", 17, H1_ACCEPT_INVALID, true },
	{ OK "A\r\n : b\r\n\r\n", 18, H1_ACCEPT_INVALID, true },
	{ OK "A: b\r c\r\n\r\n", 22, H1_ACCEPT_INVALID, true },
	{ OK "A: b\r\r\n\r\n", 22, H1_ACCEPT_INVALID, true },
	{ OK "Content-Length: 1\nContent-Length: 2\n\n", 51, H1_ACCEPT_INVALID, true },
	{ OK "Content-Length: 1, 2\r\n\r\n", 36, H1_ACCEPT_INVALID, true },
	{ OK "Content-Length: 1,,1\r\n\r\n", 35, H1_ACCEPT_INVALID, true },
	{ OK "Content-Length: 1 1\r\n\r\n", 34, H1_ACCEPT_INVALID, true },
	{ OK "Content-Length:\r\n\r\n", 32, H1_ACCEPT_INVALID, true },
	{ OK "Transfer-Encoding: chunked\r\n , chunked\r\n\r\n", 36, H1_ACCEPT_INVALID, true },
	{ OK "Content-Length\r\n : 1\r\n\r\n", 31, H1_ACCEPT_INVALID, true },
};

static void test_faults(void **state)
{
	struct outcome out;
	unsigned wrong = 0;
	char *base;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		const struct fault *f = &faults[i];
		struct input in = { .bytes = f->bytes,
				    .len = strlen(f->bytes),
				    .options = f->options,
				    .response = f->response,
				    .method = METHOD_GET };

		parse(&in, &out, &base);
		if (out.result != H1_BAD || out.error.status != (f->response ? 502 : 400) ||
		    out.error.position != f->position) {
			print_error("%s: %d, %u at %u: %s\n", f->bytes, out.result,
				    out.error.status, out.error.position, out.error.text);
			wrong++;
		}
		free(base);
	}
	assert_int_equal(wrong, 0);
}

/* What strlen() would cut off. */
static void test_nul(void **state)
{
	static const char text[] = LINE HOST "X: a\0b\r\n\r\n";
	struct input in = { .bytes = text, .len = sizeof(text) - 1 };
	struct outcome out;
	char *base;

	(void)state;
	parse(&in, &out, &base);
	assert_int_equal(out.result, H1_BAD);
	assert_int_equal(out.error.position, 29);
	free(base);
}

static void test_too_long(void **state)
{
	static const struct {
		const char *bytes;
		unsigned status;
		bool response;
	} heads[] = {
		{ "", 400, false },
		{ "GET", 400, false },
		{ "GET /aaaa", 414, false },
		{ "GET / HTTP/1.1", 400, false },
		{ LINE, 431, false },
		{ LINE "X: aaaa", 431, false },
		{ "HTTP/1.1 200 aaaaa", 502, true },
	};
	struct outcome out;
	char *base;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct input in = { .bytes = heads[i].bytes,
				    .len = strlen(heads[i].bytes),
				    .response = heads[i].response };

		parse(&in, &out, &base);
		assert_int_equal(out.result, H1_INCOMPLETE);
		h1_too_long(&out.parser, &out.msg, &out.error);
		assert_int_equal(out.error.status, heads[i].status);
		free(base);
	}
}

/* ---- what an option has let pass, as it leaves ---- */

static const struct {
	const char *head, *leaves;
} repairs[] = {
	{ LINE "\r\n", LINE "Host: \r\n\r\n" },
	{ "GET /\351#b?# HTTP/1.2\r\n" HOST "\r\n", "GET /%E9%23b?%23 HTTP/1.1\r\n" HOST "\r\n" },
	{ "GET http://b?x#y HTTP/1.1\r\n\r\n", "GET http://b?x%23y HTTP/1.1\r\nHost: b\r\n\r\n" },
	{ "GET /#\r\n", "GET /%23 HTTP/1.0\r\n\r\n" },
	{ "GET /# RTSP/1.0\r\n\r\n", "GET /%23 RTSP/1.0\r\n\r\n" },
};

static void test_repair(void **state)
{
	struct outcome out;
	struct arena arena;
	char written[256];
	size_t i, n;

	(void)state;
	arena_init(&arena, NULL, 0);
	for (i = 0; i < sizeof(repairs) / sizeof(repairs[0]); i++) {
		struct input in = { .bytes = repairs[i].head, .len = strlen(repairs[i].head),
				    .options = H1_ACCEPT_INVALID };
		char *base;

		begin(&in, &out);
		base = feed(&in, in.len, &out);
		assert_int_equal(out.result, H1_DONE);
		assert_true(message_repair(&out.msg, &arena));
		assert_true(message_repair(&out.msg, &arena)); /* before another try */
		n = h1_write_head(&out.msg, written, sizeof(written));
		assert_int_equal(n, strlen(repairs[i].leaves));
		assert_memory_equal(written, repairs[i].leaves, n);
		free(base);
	}
	arena_reset(&arena);
}

/* ---- a method that a rule has set ---- */

static const struct {
	const char *head;   /* as it came */
	enum method method; /* what it has become */
	unsigned options;
	bool fits;
} methods[] = {
	{ LINE HOST "\r\n", METHOD_HEAD, 0, true },
	{ LINE HOST "\r\n", METHOD_OTHER, 0, true },
	{ LINE HOST "\r\n", METHOD_CONNECT, 0, false },
	{ "GET http://a/ HTTP/1.1\r\n" HOST "\r\n", METHOD_CONNECT, 0, false },
	{ "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", METHOD_OPTIONS, 0, true },
	{ "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", METHOD_GET, 0, false },
	{ "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", METHOD_CONNECT, 0, true },
	{ "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", METHOD_GET, 0, false },
	{ POST "Content-Length: 2\r\n\r\n", METHOD_GET, 0, true },
	{ "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n", METHOD_GET, 0, false },
	{ "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n", METHOD_GET, H1_ANY_PAYLOAD, true },
	{ "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n", METHOD_PUT, 0, true },
	{ "POST / HTTP/1.0\r\n\r\n", METHOD_GET, 0, true },
};

static void test_method_fits(void **state)
{
	struct outcome out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		struct input in = { .bytes = methods[i].head, .len = strlen(methods[i].head) };
		char *base;

		begin(&in, &out);
		base = feed(&in, in.len, &out);
		assert_int_equal(out.result, H1_DONE);
		out.msg.method = (uint8_t)methods[i].method;
		if (message_method_fits(&out.msg, methods[i].options & H1_ANY_PAYLOAD) != methods[i].fits)
			fail_msg("%u: %s", methods[i].method, methods[i].head);
		free(base);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_faults),	 cmocka_unit_test(test_nul),
		cmocka_unit_test(test_too_long),  cmocka_unit_test(test_method_fits),
		cmocka_unit_test(test_repair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
