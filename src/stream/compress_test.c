/* SPDX-License-Identifier: BSD-2-Clause */
/* What is compressed, and how: heads in, a decision out. */
#include "stream/compress.h"

#include "base/arena.h"
#include "http/h1.h"
#include "stream/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const struct compress_conf both = { .algos = { COMPRESS_GZIP, COMPRESS_DEFLATE } };
static const char *html[] = { "text/html", "application/json", NULL };
static const struct compress_conf typed = { .algos = { COMPRESS_GZIP }, .types = html };

static struct field fields[32];
static char head[1000];

static void parse(struct message *msg, bool response, const char *start, const char *lines)
{
	struct h1_parser parser = { 0 };
	struct h1_error error;
	size_t len = (size_t)snprintf(head, sizeof(head), "%s\r\n%s\r\n", start, lines);
	enum h1_result r;

	message_init(msg, response, fields, 32);
	r = response ? h1_response_head(&parser, head, len, 0, METHOD_GET, msg, &error) :
		       h1_request_head(&parser, head, len, 0, msg, &error);
	assert_int_equal(r, H1_DONE);
}

static enum compress_algo accepted(const char *lines)
{
	struct message req;
	char all[500];

	snprintf(all, sizeof(all), "Host: a\r\n%s", lines);
	parse(&req, false, "GET / HTTP/1.1", all);
	return compress_accepted(&req, &both);
}

static void the_client_chooses(void **state)
{
	(void)state;
	assert_int_equal(accepted(""), COMPRESS_NONE);
	assert_int_equal(accepted("Accept-Encoding: gzip\r\n"), COMPRESS_GZIP);
	assert_int_equal(accepted("accept-encoding: br\r\nAccept-Encoding: GZIP\r\n"), COMPRESS_GZIP);
	assert_int_equal(accepted("Accept-Encoding: deflate\r\n"), COMPRESS_DEFLATE);
	assert_int_equal(accepted("Accept-Encoding: deflate, gzip\r\n"), COMPRESS_GZIP);
	assert_int_equal(accepted("Accept-Encoding: deflate, gzip;q=0.5\r\n"), COMPRESS_DEFLATE);
	assert_int_equal(accepted("Accept-Encoding: deflate;q=0.4, gzip ; q=0.5\r\n"), COMPRESS_GZIP);
	assert_int_equal(accepted("Accept-Encoding: gzip;q=0, deflate;q=0.000\r\n"), COMPRESS_NONE);
	assert_int_equal(accepted("Accept-Encoding: gzip;q=0.001\r\n"), COMPRESS_GZIP);
	assert_int_equal(accepted("Accept-Encoding: *\r\n"), COMPRESS_GZIP);
	assert_int_equal(accepted("Accept-Encoding: gzip;q=0, *\r\n"), COMPRESS_DEFLATE);
	assert_int_equal(accepted("Accept-Encoding: *;q=0\r\n"), COMPRESS_NONE);
	assert_int_equal(accepted("Accept-Encoding: identity\r\n"), COMPRESS_NONE);
	assert_int_equal(accepted("Accept-Encoding: x-gzip, br;q=1, gzipped\r\n"), COMPRESS_NONE);
	assert_int_equal(accepted("Accept-Encoding: , ,gzip,\r\n"), COMPRESS_GZIP);
	assert_int_equal(accepted("Accept-Encoding:\r\n"), COMPRESS_NONE);
}

static void broken_browsers_get_none(void **state)
{
	(void)state;
#define AGENT(text) accepted("Accept-Encoding: gzip\r\nUser-Agent: " text "\r\n")
	assert_int_equal(AGENT("Mozilla/5.0 (X11)"), COMPRESS_GZIP);
	assert_int_equal(AGENT("Mozilla/4.0 (X11)"), COMPRESS_NONE);
	assert_int_equal(AGENT("Mozilla/4.0 (compatible; MSIE 5.5)"), COMPRESS_NONE);
	assert_int_equal(AGENT("Mozilla/4.0 (compatible; MSIE 6.0)"), COMPRESS_NONE);
	assert_int_equal(AGENT("Mozilla/4.0 (compatible; MSIE 6.0; SV1)"), COMPRESS_GZIP);
	assert_int_equal(AGENT("Mozilla/4.0 (compatible; MSIE 7.0)"), COMPRESS_GZIP);
	assert_int_equal(AGENT("Mozilla/4.0 MSIE "), COMPRESS_NONE);
}

static bool fits(const struct compress_conf *conf, const char *status, const char *lines)
{
	struct message req = { .major = 1, .minor = 1 }, res;

	parse(&res, true, status, lines);
	return compress_fits(&req, &res, conf);
}

static void the_response_decides(void **state)
{
	(void)state;
#define OK "HTTP/1.1 200 OK"
#define LEN "Content-Length: 9\r\n"
	assert_true(fits(&both, OK, LEN));
	assert_true(fits(&both, OK, "Transfer-Encoding: chunked\r\n"));
	assert_false(fits(&both, OK, ""));
	assert_false(fits(&both, OK, "Content-Length: 0\r\n"));
	assert_true(fits(&both, "HTTP/1.1 203 X", LEN));
	assert_false(fits(&both, "HTTP/1.1 206 X", LEN));
	assert_false(fits(&both, "HTTP/1.1 404 X", LEN));
	assert_false(fits(&both, "HTTP/1.0 200 OK", LEN));
	assert_false(fits(&both, OK, LEN "Content-Encoding: br\r\n"));
	assert_false(fits(&both, OK, LEN "Cache-Control: public, No-Transform\r\n"));
	assert_true(fits(&both, OK, LEN "Cache-Control: no-transformers\r\n"));
	assert_false(fits(&both, OK, LEN "Content-Type: multipart/byteranges\r\n"));
	assert_true(fits(&both, OK, LEN "Content-Type: image/png\r\n"));
	assert_false(fits(&typed, OK, LEN "Content-Type: image/png\r\n"));
	assert_false(fits(&typed, OK, LEN));
	assert_true(fits(&typed, OK, LEN "Content-Type: Text/HTML; charset=utf-8\r\n"));
	assert_true(fits(&typed, OK, LEN "Content-Type: application/json\r\n"));
	assert_false(fits(&typed, OK, LEN "Content-Type: text/\r\n"));
	assert_true(fits(&both, OK, LEN "ETag: \"a\"\r\n"));
	assert_true(fits(&both, OK, LEN "ETag: W/\"a\"\r\n"));
	assert_false(fits(&both, OK, LEN "ETag: a\r\n"));
	assert_false(fits(&both, OK, LEN "ETag: \"\r\n"));
	assert_false(fits(&both, OK, LEN "ETag: \"a\"\r\nETag: \"b\"\r\n"));
}

static void clients_of_http_1_0_get_none(void **state)
{
	struct message req = { .major = 1, .minor = 0 }, res;

	(void)state;
	parse(&res, true, OK, LEN);
	assert_false(compress_fits(&req, &res, &both));
}

static void the_head_says_so(void **state)
{
	struct exchange x = { .arena = arena_new(1000) };
	char out[500];
	size_t len;

	(void)state;
	parse(&x.res, true, OK, LEN "ETag: \"a\"\r\nX: y\r\n");
	assert_true(compress_head(&x, COMPRESS_RAW_DEFLATE));
	len = h1_write_head(&x.res, out, sizeof(out));
	out[len] = 0;
	assert_string_equal(out, OK "\r\nETag: W/\"a\"\r\nX: y\r\nTransfer-Encoding: chunked\r\n"
				 "Vary: Accept-Encoding\r\nContent-Encoding: deflate\r\n\r\n");
	arena_free(&x.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_client_chooses),
		cmocka_unit_test(broken_browsers_get_none),
		cmocka_unit_test(the_response_decides),
		cmocka_unit_test(clients_of_http_1_0_get_none),
		cmocka_unit_test(the_head_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
