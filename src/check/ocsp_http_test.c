/* SPDX-License-Identifier: BSD-2-Clause */
/* URIs of OCSP responders and their answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/ocsp_http.h"

static void is(struct span s, const char *text)
{
	assert_int_equal(s.len, strlen(text));
	assert_memory_equal(s.ptr, text, s.len);
}

static void reads_uris(void **state)
{
	static const char *const bad[] = { "", "http://", "https://a/", "ldap://a/", "http:///x",
					   "http://a:/", "http://a:x/", "http://a:123456/",
					   "http://[::1/", "http://[::1]x/", "http://a b/",
					   "http://a/\r\nX: y", "http://u@a/", "http://[]/" };
	struct ocsp_uri u;
	size_t i;

	(void)state;
	assert_true(ocsp_uri_parse(span_of("http://ocsp.example/a/b?c"), &u));
	is(u.host, "ocsp.example");
	is(u.port, "80");
	is(u.path, "/a/b?c");
	assert_true(ocsp_uri_parse(span_of("HTTP://10.0.0.1:8080"), &u));
	is(u.host, "10.0.0.1");
	is(u.port, "8080");
	is(u.path, "/");
	assert_true(ocsp_uri_parse(span_of("http://[::1]:81/"), &u));
	is(u.host, "::1");
	is(u.port, "81");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (ocsp_uri_parse(span_of(bad[i]), &u))
			fail_msg("'%s' was taken", bad[i]);
}

static enum ocsp_http parse(const char *text, bool ended, const char *body)
{
	struct span found;
	enum ocsp_http rc = ocsp_http_parse(span_of(text), ended, &found);

	if (rc == OCSP_HTTP_DONE)
		is(found, body);
	return rc;
}

static void reads_answers(void **state)
{
	static const char whole[] = "HTTP/1.1 200 OK\r\ncontent-length:  3 \r\nX: y\r\n\r\nabcd";
	size_t len;
	struct span body;

	(void)state;
	assert_int_equal(parse(whole, false, "abc"), OCSP_HTTP_DONE);
	for (len = 0; len < sizeof(whole) - 2; len++) {
		assert_int_equal(ocsp_http_parse((struct span){ whole, len }, false, &body),
				 OCSP_HTTP_MORE);
		assert_int_equal(ocsp_http_parse((struct span){ whole, len }, true, &body),
				 OCSP_HTTP_BAD);
	}
	assert_int_equal(parse("HTTP/1.0 200\n\nabc", false, ""), OCSP_HTTP_MORE);
	assert_int_equal(parse("HTTP/1.0 200\n\nabc", true, "abc"), OCSP_HTTP_DONE);
	assert_int_equal(parse("HTTP/1.0 404 Not\r\n\r\n", true, ""), OCSP_HTTP_BAD);
	assert_int_equal(parse("HTTP/1.0 2000\r\n\r\n", true, ""), OCSP_HTTP_BAD);
	assert_int_equal(parse("ICY 200 OK\r\n\r\n", false, ""), OCSP_HTTP_BAD);
	assert_int_equal(parse("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", false, ""),
			 OCSP_HTTP_BAD);
	assert_int_equal(parse("HTTP/1.1 200 OK\r\nContent-Length: 123456789\r\n\r\n", false, ""),
			 OCSP_HTTP_BAD);
	assert_int_equal(parse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, ""),
			 OCSP_HTTP_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_uris),
		cmocka_unit_test(reads_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
