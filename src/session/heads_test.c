/* SPDX-License-Identifier: BSD-2-Clause */
/* Heads of HTTP/1 as they pass, byte for byte: what the server is asked, and what the client is
 * answered, by the words of each section. Clients are sockets of the Unix family, servers are
 * scripted, the clock stands still. */
#include "session/test_visitor.h"

#include "base/bug.h"
#include "exchange/test_served.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

/* ---- what is asked and answered --------------------------------------------------------------- */

#define GET "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n"
#define GET_WITH(fields) "GET /5 HTTP/1.1\r\nHost: a\r\n" fields "\r\n"
#define TOLD(fields) "HTTP/1.1 200 OK\r\n" fields "Content-Length: 0\r\n\r\n"
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define TRAILED CHUNKED "1\r\nx\r\n0\r\nX-T: y\r\n\r\n"
#define UPLOAD "POST /5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

/* Lines of a section; what is asked of it, and of its server ("": nothing is); what that says; what
 * the client is answered. */
struct head_case {
	const char *lines, *request, *asked, *says, *answer;
};
#define ASKED(lines, request, asked) { lines, request, asked, OK, OK }
#define ANSWERED(lines, says, answer) { lines, GET, GET, says, answer }
#define SELF(lines, answer) { lines, GET, "", OK, answer }
#define LEADS(words, target, to)                                                                   \
	{ " http-request redirect code 301" words "\n", "GET " target " HTTP/1.1\r\nHost: a\r\n\r\n",   \
	  "", OK, "HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\nlocation: " to "\r\n\r\n" }

static const struct head_case cases[] = {
	/* what passes as it is */
	ASKED("", GET, GET),
	ASKED("", GET_WITH("X-Odd:  b \r\nx-odd: c\r\n"), GET_WITH("X-Odd: b\r\nx-odd: c\r\n")),
	ANSWERED("", TOLD("X-Odd: 1\r\nx-odd:2\r\n"), TOLD("X-Odd: 1\r\nx-odd: 2\r\n")),
	ANSWERED("", TRAILED, TRAILED),
	ANSWERED(" option http-drop-response-trailers\n", TRAILED, CHUNKED "1\r\nx\r\n0\r\n\r\n"),
	ANSWERED(" option http-drop-request-trailers\n", TRAILED, TRAILED),
	ASKED("", UPLOAD "0\r\nX-T: y\r\n\r\n", UPLOAD "0\r\nX-T: y\r\n\r\n"),
	ASKED(" option http-drop-response-trailers\n", UPLOAD "0\r\nX-T: y\r\n\r\n",
		UPLOAD "0\r\nX-T: y\r\n\r\n"),
	ASKED(" option http-drop-request-trailers\n", UPLOAD "0\r\nX-T: y\r\n\r\n",
		UPLOAD "0\r\n\r\n"),
	/* the server hears of the client */
	ASKED(" option forwardfor\n", GET, GET_WITH("X-Forwarded-For: 127.0.0.9\r\n")),
	ASKED(" option forwardfor header X-Client\n", GET, GET_WITH("X-Client: 127.0.0.9\r\n")),
	ASKED(" option forwardfor except 127.0.0.0/8\n", GET, GET),
	ASKED(" option forwardfor except 127.0.0.9\n", GET, GET),
	ASKED(" option forwardfor except 127.0.0.8\n", GET,
		GET_WITH("X-Forwarded-For: 127.0.0.9\r\n")),
	ASKED(" option forwardfor except ::/0\n", GET, GET_WITH("X-Forwarded-For: 127.0.0.9\r\n")),
	ASKED(" option forwardfor\n", GET_WITH("X-Forwarded-For: b\r\n"),
		GET_WITH("X-Forwarded-For: b\r\nX-Forwarded-For: 127.0.0.9\r\n")),
	ASKED(" option forwardfor if-none\n", GET_WITH("X-Forwarded-For: b\r\n"),
		GET_WITH("X-Forwarded-For: b\r\n")),
	ASKED(" option forwardfor if-none\n", GET, GET_WITH("X-Forwarded-For: 127.0.0.9\r\n")),
	/* requests have a number */
	ASKED(" unique-id-format %ci-%cp\n unique-id-header X-Id\n", GET,
		GET_WITH("X-Id: 127.0.0.9-5000\r\n")),
	ASKED(" unique-id-format %ci-%cp\n", GET, GET),
	ASKED(" unique-id-header X-Id\n", GET, GET),
	ASKED(" unique-id-format %ci-%cp\n option forwardfor\n", GET,
		GET_WITH("X-Forwarded-For: 127.0.0.9\r\n")),
	/* the server hears its name */
	ASKED(" http-send-name-header X-Server\n", GET, GET_WITH("X-Server: s\r\n")),
	ASKED(" http-send-name-header X-Server\n", GET_WITH("x-server: other\r\n"),
		GET_WITH("X-Server: s\r\n")),
	/* cookies: the server's is v */
#define COOKIE(words) " cookie c " words "\n default-server cookie v\n"
#define SET(text) "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: " text "\r\n\r\n"
	ANSWERED(COOKIE("insert"), OK, SET("c=v; path=/")),
	ANSWERED(COOKIE("insert httponly secure domain .a.test attr x=y"), OK,
		SET("c=v; path=/; domain=.a.test; HttpOnly; Secure; x=y")),
	ANSWERED(COOKIE("insert postonly"), OK, OK),
	ASKED(COOKIE("insert"), GET_WITH("Cookie: c=v\r\n"), GET_WITH("Cookie: c=v\r\n")),
	ASKED(COOKIE("insert indirect"), GET_WITH("Cookie: a=b; c=v; d=e\r\n"),
		GET_WITH("Cookie: a=b; d=e\r\n")),
	ASKED(COOKIE("insert indirect"), GET_WITH("Cookie: c=v\r\n"), GET),
	ASKED(COOKIE("prefix"), GET_WITH("Cookie: c=v~x\r\n"), GET_WITH("Cookie: c=x\r\n")),
	ANSWERED(COOKIE("prefix"), TOLD("Set-Cookie: c=x; path=/\r\n"),
		TOLD("Set-Cookie: c=v~x; path=/\r\n")),
	ANSWERED(COOKIE("rewrite"), TOLD("Set-Cookie: c=x; path=/\r\n"),
		TOLD("Set-Cookie: c=v; path=/\r\n")),
	ANSWERED(COOKIE("rewrite"), OK, OK),
	ANSWERED(COOKIE("insert"), TOLD("Set-Cookie: c=x\r\n"), SET("c=v; path=/")),
	ANSWERED(COOKIE("insert preserve"), TOLD("Set-Cookie: c=x\r\n"),
		TOLD("Set-Cookie: c=x\r\n")),
	/* rules change the request */
	ASKED(" http-request set-header X-A b\n", GET_WITH("x-a: c\r\nX-a: d\r\n"),
		GET_WITH("X-A: b\r\n")),
	ASKED(" http-request add-header X-A b\n", GET_WITH("X-A: c\r\n"),
		GET_WITH("X-A: c\r\nX-A: b\r\n")),
	ASKED(" http-request set-header Host b\n", GET, "GET /5 HTTP/1.1\r\nHost: b\r\n\r\n"),
	ASKED(" http-request set-header Host b\n", "GET http://a/5 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET http://b/5 HTTP/1.1\r\nHost: b\r\n\r\n"),
	ASKED(" http-request set-header X-A b\n", "GET http://a/5 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET http://a/5 HTTP/1.1\r\nHost: a\r\nX-A: b\r\n\r\n"),
	ASKED(" http-request del-header X-A\n", GET_WITH("x-a: c\r\nX-B: d\r\n"),
		GET_WITH("X-B: d\r\n")),
	ASKED(" http-request replace-header X-A (.)c x\\1\n", GET_WITH("X-A: bc\r\n"),
		GET_WITH("X-A: xb\r\n")),
	ASKED(" http-request replace-header X-A (.)c x\\1\n",
		"GET http://a/5 HTTP/1.1\r\nHost: a\r\nX-A: bc\r\n\r\n",
		"GET http://a/5 HTTP/1.1\r\nHost: a\r\nX-A: xb\r\n\r\n"),
	ASKED(" http-request replace-header Host a b\n",
		"GET http://a/5 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET http://b/5 HTTP/1.1\r\nHost: b\r\n\r\n"),
	ASKED(" http-request replace-value X-A ^c$ x\n", GET_WITH("X-A: b, c,d\r\n"),
		GET_WITH("X-A: b, x,d\r\n")),
	ASKED(" http-request set-path /6\n", "GET /5?q HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /6?q HTTP/1.1\r\nHost: a\r\n\r\n"),
	ASKED(" http-request set-query r\n", "GET /5?q HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /5?r HTTP/1.1\r\nHost: a\r\n\r\n"),
	ASKED(" http-request set-uri /7?s\n", GET, "GET /7?s HTTP/1.1\r\nHost: a\r\n\r\n"),
	ASKED(" http-request set-uri http://%[req.hdr(x-a)]/7\n"
		" http-request set-header X-B <%[req.hdr(x-a)]%[req.hdr(x-a)]%[req.hdr(x-a)]>\n",
		GET_WITH("X-A: bcd\r\n"), "GET http://bcd/7 HTTP/1.1\r\nHost: bcd\r\nX-A: bcd\r\n"
		"X-B: <bcdbcdbcd>\r\n\r\n"),
	ASKED(" http-request set-method PUT\n", GET, "PUT /5 HTTP/1.1\r\nHost: a\r\n\r\n"),
	/* what the client takes goes by what it has asked */
#define HEAD "HEAD /5 HTTP/1.1\r\nHost: a\r\n\r\n"
#define HELLO "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
	{ " http-request set-method GET\n", HEAD, GET, HELLO "hello", HELLO },
	{ " http-request set-method HEAD\n", GET, HEAD, HELLO,
		"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" },
	ANSWERED(" http-response set-status 204\n", HELLO "hello",
		"HTTP/1.1 204 No Content\r\n\r\n"),
	/* rules change the response */
	ANSWERED(" http-response set-header X-A b\n", TOLD("x-a: c\r\n"),
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: b\r\n\r\n"),
	ANSWERED(" http-response del-header X-A\n", TOLD("x-a: c\r\n"), OK),
	ANSWERED(" http-response set-status 404\n", OK,
		"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
	ANSWERED(" http-response set-status 404 reason Nowhere\n", OK,
		"HTTP/1.1 404 Nowhere\r\nContent-Length: 0\r\n\r\n"),
	ANSWERED(" http-after-response set-header X-A %[status]\n", OK,
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: 200\r\n\r\n"),
	/* what was captured is known */
	ASKED(" capture request header X-A len 2\n"
		" http-request set-header X-B <%[capture.req.hdr(0)]>\n",
		GET_WITH("X-A: abc\r\n"), GET_WITH("X-A: abc\r\nX-B: <ab>\r\n")),
	ANSWERED(" capture response header X-A len 2\n"
		" http-after-response set-header X-B <%[capture.res.hdr(0)]>\n",
		TOLD("X-A: abc\r\n"),
		"HTTP/1.1 200 OK\r\nX-A: abc\r\nContent-Length: 0\r\nX-B: <ab>\r\n\r\n"),
	/* answers are given */
	SELF(" http-request return status 200 content-type a/b string xyz hdr X-A b\n",
		"HTTP/1.1 200 OK\r\ncontent-length: 3\r\nX-A: b\r\ncontent-type: a/b\r\n\r\nxyz"),
	SELF(" http-request return status 204\n", "HTTP/1.1 204 No Content\r\n\r\n"),
	SELF(" http-request return status 200 content-type a/b lf-string %[path]\n",
		"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: a/b\r\n\r\n/5"),
	SELF(" http-request redirect location /x\n",
		"HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: /x\r\n"
		"cache-control: no-cache\r\n\r\n"),
	SELF(" http-request redirect prefix http://b code 301\n",
		"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\n"
		"location: http://b/5\r\n\r\n"),
	SELF(" http-request redirect scheme https code 307 set-cookie c=d\n",
		"HTTP/1.1 307 Temporary Redirect\r\ncontent-length: 0\r\n"
		"location: https://a/5\r\ncache-control: no-cache\r\n"
		"set-cookie: c=d; path=/;\r\n\r\n"),
	LEADS(" prefix /", "/5?q", "/5?q"),
	LEADS(" prefix /b", "/5?q", "/b/5?q"),
	LEADS(" prefix b", "/5?q", "b/5?q"),
	LEADS(" prefix /b drop-query", "/5?q", "/b/5"),
	LEADS(" prefix /b drop-query append-slash", "/5?q", "/b/5/"),
	LEADS(" prefix /b append-slash", "/5/", "/b/5/"),
	LEADS(" prefix /b", "http://a", "/b/"),
	LEADS(" prefix /b", "http://a/5", "/b/5"),
	LEADS(" location /b drop-query", "/5?q", "/b"),
	LEADS(" location \"%[path]\"", "/5?q", "/5"),
	LEADS(" scheme https", "http://a/5", "https://a/5"),
	LEADS(" scheme https drop-query", "/5?q", "https://a/5"),
	LEADS(" scheme https if TRUE\n http-request set-header Host b", "/5?q", "https://a/5?q"),
	{ " http-request set-header Host b\n http-request redirect scheme https code 308\n", GET, "",
	  OK, "HTTP/1.1 308 Permanent Redirect\r\ncontent-length: 0\r\nlocation: https://b/5\r\n\r\n" },
	SELF(" http-request redirect location /x code 303 clear-cookie c=\n",
		"HTTP/1.1 303 See Other\r\ncontent-length: 0\r\nlocation: /x\r\n"
		"cache-control: no-cache\r\nset-cookie: c=; path=/; Max-Age=0;\r\n\r\n"),
	SELF(" http-request auth realm x\n",
		"HTTP/1.1 401 Unauthorized\r\ncontent-length: 112\r\ncache-control: no-cache\r\n"
		"content-type: text/html\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\r\n"
		"<html><body><h1>401 Unauthorized</h1>\nYou need a valid user and password to "
		"access this content.\n</body></html>\n"),
	SELF(" errorloc 403 /f\n http-request deny\n",
		"HTTP/1.1 302 Found\r\ncontent-length: 0\r\nCache-Control: no-cache\r\n"
		"Location: /f\r\n\r\n"),
};

/* Phrases and sentences as those of the reference. */
static const struct {
	unsigned status;
	const char *phrase, *sentence;
	bool named, closes;
} errors[] = {
#define REPLY_NAMED 1
#define REPLY_CLOSES 2
#define REPLY(n, phrase, flags, sentence)                                                          \
	{ n, phrase, sentence, ((flags) & REPLY_NAMED) != 0, ((flags) & REPLY_CLOSES) != 0 },
#include "exchange/reply_builtin.def"
#undef REPLY
};
enum { CASES = ARRAY_LEN(cases), ERRORS = ARRAY_LEN(errors) };

/* ---- the world -------------------------------------------------------------------------------- */

/* A section for each case, and for each error. */
static int begin(void **state)
{
	char *text = NULL;
	size_t len = 0, i;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	fprintf(out, SERVED_HTTP);
	for (i = 0; i < CASES; i++)
		fprintf(out, "listen case%zu\n bind 127.0.0.1:1\n%s server s abns@%%s\n", i,
			cases[i].lines);
	for (i = 0; i < ERRORS; i++)
		fprintf(out, "listen error%zu\n bind 127.0.0.1:1\n"
			" http-request deny deny_status %u\n", i,
			errors[i].named ? errors[i].status : 403);
	fprintf(out, "listen cached\n bind 127.0.0.1:1\n cookie c insert nocache\n"
		" server s abns@%%s cookie v\n");
	fclose(out);
	visitors_begin(text);
	free(text);
	return 0;
}

/* One request on a connection of its own, which nothing is left of. */
static void passes(const char *section, const struct head_case *c)
{
	int client;

	served_world_afresh(NULL);
	served.says = c->says;
	client = visitor_comes(section, c->request);
	assert_string_equal(served.request, c->asked);
	assert_string_equal(visitor_hears(client), c->answer);
	visitor_leaves(client);
	assert_int_equal(streams_count, 0);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void heads_are_these(void **state)
{
	char name[20];
	size_t i;

	(void)state;
	for (i = 0; i < CASES; i++) {
		snprintf(name, sizeof(name), "case%zu", i);
		passes(name, &cases[i]);
	}
}

static void errors_are_these(void **state)
{
	char name[20], body[500], answer[1000];
	size_t i;

	(void)state;
	for (i = 0; i < ERRORS; i++) {
		if (!errors[i].named)
			continue;
		snprintf(name, sizeof(name), "error%zu", i);
		snprintf(body, sizeof(body), "<html><body><h1>%u %s</h1>\n%s\n</body></html>\n",
			 errors[i].status, errors[i].phrase, errors[i].sentence);
		snprintf(answer, sizeof(answer),
			 "HTTP/1.1 %u %s\r\ncontent-length: %zu\r\ncache-control: no-cache\r\n"
			 "content-type: text/html\r\n%s\r\n%s", errors[i].status, errors[i].phrase,
			 strlen(body), errors[i].closes ? "connection: close\r\n" : "", body);
		passes(name, &(struct head_case){ .request = GET, .asked = "", .answer = answer });
	}
}

/* A cookie is of one client: what a cache in front would keep is for him alone (RFC 9111 3,
 * RFC 9110 15.1). */
static void what_may_be_cached_is_private(void **state)
{
	static const unsigned by_default[] = { 200, 203, 204, 206, 300, 301, 404, 405, 410,
					       414, 501 };
	char says[200], answer[300];
	unsigned status, i = 0;

	(void)state;
	for (status = 200; status < 600; status++) {
		bool cached = i < ARRAY_LEN(by_default) && by_default[i] == status;
		const char *length = status == 204 ? "" : "Content-Length: 0\r\n";

		if (status == 304)
			continue;
		i += cached;
		snprintf(says, sizeof(says), "HTTP/1.1 %u X\r\nETag: a\r\n%s\r\n", status, length);
		snprintf(answer, sizeof(answer), "HTTP/1.1 %u X\r\nETag: a\r\n%s%s"
			 "Set-Cookie: c=v; path=/\r\n\r\n", status, length, cached ? "Cache-Control: private\r\n" : "");
		passes("cached", &(struct head_case){ .request = GET, .asked = GET, .says = says,
						      .answer = answer });
	}
	assert_int_equal(i, ARRAY_LEN(by_default));
}

static void caches_are_told_by_fields(void **state)
{
	static const struct {
		const char *fields;
		bool cached;
	} rows[] = {
		{ "", false }, { "Expires: x\r\n", true }, { "Last-Modified: x\r\n", true },
		{ "Cache-Control: no-store\r\nETag: a\r\n", false },
		{ "Cache-Control: no-cache\r\nETag: a\r\n", false },
		{ "Cache-Control: no-cache=\"x\"\r\nETag: a\r\n", true },
		{ "Cache-Control: private\r\nETag: a\r\n", false },
		{ "Cache-Control: max-age=1\r\n", true }, { "Cache-Control: s-maxage=9\r\n", true },
		{ "Cache-Control: max-age=0\r\nETag: a\r\n", false },
		{ "Pragma: x\r\nETag: a\r\n", false },
	};
	char says[200], answer[300];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(says, sizeof(says), TOLD("%s"), rows[i].fields);
		snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\n%sContent-Length: 0\r\n%s"
			 "Set-Cookie: c=v; path=/\r\n\r\n", rows[i].fields,
			 rows[i].cached ? "Cache-Control: private\r\n" : "");
		passes("cached", &(struct head_case){ .request = GET, .asked = GET, .says = says,
						      .answer = answer });
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_are_these),
		cmocka_unit_test(errors_are_these),
		cmocka_unit_test(what_may_be_cached_is_private),
		cmocka_unit_test(caches_are_told_by_fields),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
