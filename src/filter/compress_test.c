/* SPDX-License-Identifier: BSD-2-Clause */
/* What is compressed, and how: heads in, a decision out. */
#include "config.h"

#include "filter/compress.h"
#include "filter/deflater.h"

#include "base/arena.h"
#include "http/h1.h"
#include "http/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

static const struct compress_way both = { .algos = { COMPRESS_GZIP, COMPRESS_DEFLATE } };
static const char *html[] = { "text/html", "application/json", NULL };
static const struct compress_way typed = { .algos = { COMPRESS_GZIP }, .types = html };

static struct field fields[32];
static char head[1000];

static void parse(struct message *msg, bool response, const char *start, const char *lines)
{
	struct h1_parser parser = { 0 };
	struct message_error error;
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

static bool fits(const struct compress_way *way, const char *status, const char *lines)
{
	struct message req = { .major = 1, .minor = 1 }, res;

	parse(&res, true, status, lines);
	return compress_fits(&req, &res, way);
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

static bool request_fits(const struct compress_way *way, const char *start, const char *lines)
{
	struct message req;
	char all[500];

	snprintf(all, sizeof(all), "Host: a\r\n%s", lines);
	parse(&req, false, start, all);
	return compress_request_fits(&req, way);
}

static void the_request_decides(void **state)
{
	static const struct compress_way large = { .algos = { COMPRESS_GZIP }, .least = 10 };

	(void)state;
#define POST "POST / HTTP/1.1"
	assert_true(request_fits(&both, POST, LEN));
	assert_true(request_fits(&both, POST, "Transfer-Encoding: chunked\r\n"));
	assert_true(request_fits(&both, "GET / HTTP/1.1", LEN));
	assert_true(request_fits(&both, POST, LEN "Content-Type: multipart/form-data\r\n"));
	assert_true(request_fits(&typed, POST, LEN "Content-Type: text/html; charset=x\r\n"));
	assert_false(request_fits(&typed, POST, LEN "Content-Type: text/plain\r\n"));
	assert_false(request_fits(&typed, POST, LEN));
	assert_false(request_fits(&both, "POST / HTTP/1.0", LEN));
	assert_false(request_fits(&both, POST, "Content-Length: 0\r\n"));
	assert_false(request_fits(&both, "GET / HTTP/1.1", ""));
	assert_false(request_fits(&both, POST, LEN "Content-Encoding: br\r\n"));
	assert_false(request_fits(&both, POST, LEN "Cache-Control: no-transform\r\n"));
	assert_false(request_fits(&both, POST, LEN "Content-Range: bytes 0-8/20\r\n"));
	assert_false(request_fits(&both, POST, LEN "ETag: a\r\n"));
	assert_false(request_fits(&large, POST, LEN));
	assert_true(request_fits(&large, POST, "Content-Length: 10\r\n"));
	assert_true(request_fits(&large, POST, "Transfer-Encoding: chunked\r\n"));
}

static void clients_of_http_1_0_get_none(void **state)
{
	struct message req = { .major = 1, .minor = 0 }, res;

	(void)state;
	parse(&res, true, OK, LEN);
	assert_false(compress_fits(&req, &res, &both));
}

#ifdef HAVE_ZLIB
/* A request that is tried again begins anew, be the context its own or one that is shared. */
static void a_body_may_come_again(void **state)
{
	static struct pump_filter *filters[100];
	static char first[2 * FILTER_MOST], again[2 * FILTER_MOST];
	struct filter_piece piece, more;
	unsigned i;

	(void)state;
	for (i = 0; i < 100; i++) {
		piece = (struct filter_piece){ .bytes = "some text", .len = 9, .out = first,
					       .room = sizeof(first) };
		more = (struct filter_piece){ .bytes = "some text",
					      .len = 9,
					      .last = true,
					      .out = again,
					      .room = sizeof(again) };
		filters[i] = deflater_get(COMPRESS_GZIP);
		assert_true(filters[i]->ops->pass(filters[i], &piece));
		deflater_renew(filters[i]);
		assert_true(filters[i]->ops->pass(filters[i], &more));
		assert_memory_equal(first, again, 10);
		assert_int_equal(again[more.made - 4], 9); /* the length of what went in */
	}
	for (i = 0; i < 100; i++)
		deflater_give(&filters[i]);
	deflater_trim();
}
#else
static void a_body_may_come_again(void **state)
{
	(void)state;
}
#endif

static void the_head_says_so(void **state)
{
	struct arena *arena = arena_new(1000);
	struct message res;
	char out[500];
	size_t len;

	(void)state;
	parse(&res, true, OK, LEN "ETag: \"a\"\r\nX: y\r\n");
	assert_true(compress_head(&res, arena, COMPRESS_RAW_DEFLATE));
	len = h1_write_head(&res, out, sizeof(out));
	out[len] = 0;
	assert_string_equal(out, OK "\r\nETag: W/\"a\"\r\nX: y\r\nTransfer-Encoding: chunked\r\n"
				 "Vary: Accept-Encoding\r\nContent-Encoding: deflate\r\n\r\n");
	arena_free(&arena);
}

static void vary_becomes(const char *before, const char *after)
{
	struct arena *arena = arena_new(1000);
	struct message res;
	char lines[500], out[500];
	size_t len;

	snprintf(lines, sizeof(lines), LEN "%s", before);
	parse(&res, true, OK, lines);
	assert_true(compress_head(&res, arena, COMPRESS_GZIP));
	len = h1_write_head(&res, out, sizeof(out));
	out[len] = 0;
	snprintf(lines, sizeof(lines), OK "\r\n%s\r\n", after);
	assert_string_equal(out, lines);
	arena_free(&arena);
}

static void vary_is_said_once(void **state)
{
	static const char *const right[] = {
		"Vary: Accept-Encoding\r\n", "vary: Origin,accept-ENCODING , X\r\n",
		"Vary: *\r\n", "Vary: X\r\nVary: Accept-Encoding\r\n",
	};
	char wanted[200];
	unsigned i;

	(void)state;
	for (i = 0; i < 4; i++) {
		snprintf(wanted, sizeof(wanted),
			 "%sTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", right[i]);
		vary_becomes(right[i], wanted);
	}
	vary_becomes("Vary: Origin\r\nVary: X-Accept-Encoding\r\n",
		     "Vary: Origin, Accept-Encoding\r\nVary: X-Accept-Encoding\r\n"
		     "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n");
	vary_becomes("Vary:\r\n", "Vary: Accept-Encoding\r\nTransfer-Encoding: chunked\r\n"
				   "Content-Encoding: gzip\r\n");
}

/* Many slow readers: those beyond the first ones share a context, and all memory goes back. */
static void contexts_are_bounded(void **state)
{
	enum { MANY = 400 };
	static struct pump_filter *filters[MANY];
	unsigned i;

	(void)state;
	if (!deflater_has(COMPRESS_GZIP))
		return;
	for (i = 0; i < MANY; i++) {
		filters[i] = deflater_get(COMPRESS_GZIP);
		assert_non_null(filters[i]);
	}
	assert_true(deflater_memory <= 16 << 20);
	for (i = 0; i < MANY; i++)
		deflater_give(&filters[i]);
	assert_true(deflater_memory <= 16 << 20);
	deflater_trim();
	assert_int_equal(deflater_memory, 0);
}

#ifdef HAVE_ZLIB
enum { TEXT = 150000 };

struct reader {
	struct pump_filter *filter;
	z_stream z;
	size_t given, got;
	bool over;
};

static char text_at(size_t at)
{
	return (char)('a' + (at * at / 77 + at / 13) % 26);
}

/* Gives it a piece, and reads what comes of that. */
static void reader_feed(struct reader *r, size_t len)
{
	static char in[FILTER_MOST], out[2 * FILTER_MOST], plain[FILTER_MOST + 1];
	struct filter_piece piece = { .bytes = in, .out = out, .room = sizeof(out) };
	size_t i;
	int code;

	if (len > TEXT - r->given)
		len = TEXT - r->given;
	for (i = 0; i < len; i++)
		in[i] = text_at(r->given + i);
	r->given += len;
	piece.len = len;
	piece.last = r->given == TEXT;
	assert_true(r->filter->ops->pass(r->filter, &piece));
	assert_int_equal(piece.taken, len);
	r->z.next_in = (Bytef *)out;
	r->z.avail_in = (uInt)piece.made;
	r->z.next_out = (Bytef *)plain;
	r->z.avail_out = sizeof(plain);
	code = inflate(&r->z, Z_SYNC_FLUSH);
	assert_int_equal(code, piece.last ? Z_STREAM_END : Z_OK);
	assert_int_equal(sizeof(plain) - r->z.avail_out, len);
	for (i = 0; i < len; i++)
		assert_int_equal(plain[i], text_at(r->got + i));
	r->got += len;
	r->over = piece.last;
}

static void who_shares_a_context_is_understood(void **state)
{
	static const enum compress_algo algos[] = { COMPRESS_GZIP, COMPRESS_DEFLATE,
						    COMPRESS_RAW_DEFLATE };
	static const int bits[] = { 31, 15, -15 };
	static struct pump_filter *full[100];
	struct reader readers[3] = { { 0 } };
	unsigned i, over, turn;

	(void)state;
	for (i = 0; i < 100; i++)
		full[i] = deflater_get(COMPRESS_GZIP);
	for (i = 0; i < 3; i++) {
		readers[i].filter = deflater_get(algos[i]);
		assert_non_null(readers[i].filter);
		assert_ptr_not_equal(readers[i].filter->ops, full[0]->ops);
		assert_int_equal(inflateInit2(&readers[i].z, bits[i]), Z_OK);
	}
	for (over = turn = 0; over < 3; turn++)
		for (i = over = 0; i < 3; i++) {
			if (!readers[i].over)
				reader_feed(&readers[i], (turn * 7919 * (i + 1)) % FILTER_MOST + 1);
			over += readers[i].over;
		}
	for (i = 0; i < 3; i++) {
		inflateEnd(&readers[i].z);
		assert_int_equal(deflater_give(&readers[i].filter).in, TEXT);
	}
	for (i = 0; i < 100; i++)
		deflater_give(&full[i]);
	deflater_trim();
}
#else
static void who_shares_a_context_is_understood(void **state)
{
	(void)state;
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_client_chooses),
		cmocka_unit_test(contexts_are_bounded),
		cmocka_unit_test(who_shares_a_context_is_understood),
		cmocka_unit_test(broken_browsers_get_none),
		cmocka_unit_test(the_response_decides),
		cmocka_unit_test(the_request_decides),
		cmocka_unit_test(clients_of_http_1_0_get_none),
		cmocka_unit_test(the_head_says_so),
		cmocka_unit_test(vary_is_said_once),
		cmocka_unit_test(a_body_may_come_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
