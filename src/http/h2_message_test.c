/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of fields as messages, and back: each rule of doc/internals/http2.md is a row of a table.
 * Lists are written as "name=value|name=value"; they go through HPACK, as a peer's do.
 */
#include "http/h2_message.h"

#include "base/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FIELDS = 32, ROOM = 4096 };

static struct hpack_fields list;
static struct field fields[FIELDS];
static char *memory; /* as long as it must be, for the sanitizers */
static char said[ROOM];
static struct message msg;
static struct message_error error;

/* Literal fields whose names are written out. */
static size_t encode(const char *text, char *to)
{
	char *p = to;

	while (*text) {
		size_t len = strcspn(text, "|"), name = 1 + strcspn(text + 1, "=");

		assert_true(name < len && name < 127 && len - name - 1 < 127);
		*p++ = 0;
		*p++ = (char)name;
		memcpy(p, text, name);
		p += name;
		*p++ = (char)(len - name - 1);
		memcpy(p, text + name + 1, len - name - 1);
		p += len - name - 1;
		text += len + (text[len] == '|');
	}
	return (size_t)(p - to);
}

/* room: of memory beyond what the fields need. */
static void read_list(const char *text, size_t room)
{
	struct field_table table;
	char block[ROOM];
	size_t len = encode(text, block);

	free(memory);
	memory = malloc(len + room);
	assert_non_null(memory);
	list = (struct hpack_fields){ .fields = fields, .max = FIELDS, .memory = memory,
				      .room = ROOM, .limit = ROOM };
	field_table_init(&table, HPACK_DEFAULT);
	assert_int_equal(hpack_read(&table, (struct span){ block, len }, &list), HPACK_OK);
	list.room = list.used + room;
	field_table_free(&table);
}

static const char *body_text(void)
{
	static const char *const names[] = { "none", "length", "chunked", "close", "tunnel" };

	return names[msg.framing];
}

/* "GET /|host=a| none", or what is wrong, and whether that is answered. */
static const char *outcome(enum h2_head r)
{
	struct text t;
	unsigned i;

	text_init(&t, said, sizeof(said));
	if (r == H2_HEAD_MALFORMED || r == H2_HEAD_BAD) {
		text_printf(&t, "%s%u %s", r == H2_HEAD_BAD ? "answer " : "", error.status, error.text);
		return said;
	}
	if (r == H2_HEAD_LARGE)
		return "large";
	if (msg.is_response)
		text_printf(&t, "%u|", msg.status);
	else
		text_printf(&t, "%.*s %.*s|", (int)msg.method_text.len, msg.method_text.ptr,
			    (int)msg.target.len, msg.target.ptr);
	for (i = 0; i < msg.count; i++) {
		const struct field *f = &msg.fields[i];

		if (!f->name.ptr)
			continue;
		assert_int_equal(f->id, field_id(f->name));
		text_printf(&t, "%.*s=%.*s|", (int)f->name.len, f->name.ptr, (int)f->value.len,
			    f->value.ptr);
	}
	text_printf(&t, " %s", body_text());
	if (msg.framing == BODY_LENGTH)
		text_printf(&t, " %u", (unsigned)msg.length);
	return said;
}

static bool bodiless; /* the HEADERS have END_STREAM */
static bool tunnels;  /* extended CONNECT is taken */

static const char *request(const char *text)
{
	struct span key = { tunnels ? "KEY" : NULL, tunnels ? 3 : 0 };

	read_list(text, 100);
	return outcome(h2_request(&list, bodiless, key, &msg, &error));
}

struct row {
	const char *list, *expected;
};

#define GET ":method=GET|:scheme=http|:path=/|:authority=a"

static void check_rows(const struct row *rows, size_t count, const char *(*read)(const char *))
{
	size_t i;

	for (i = 0; i < count; i++) {
		const char *is = read(rows[i].list);

		if (strcmp(is, rows[i].expected))
			fail_msg("%s: %s, not %s", rows[i].list, is, rows[i].expected);
	}
}

/* ---- requests ---- */

static void pseudo_fields(void **state)
{
#define OF_OTHERS "400 a pseudo-field that such a message does not have"
	static const struct row rows[] = {
		{ GET, "GET /|host=a| none" },
		{ ":path=/x?y|:authority=a:80|:scheme=https|:method=M-SEARCH",
		  "M-SEARCH /x?y|host=a:80| none" },
		{ ":method=OPTIONS|:scheme=http|:path=*|:authority=a", "OPTIONS *|host=a| none" },
		{ GET "|:method=GET", "400 a pseudo-field that is there twice" },
		{ GET "|:path=/", "400 a pseudo-field that is there twice" },
		{ GET "|:authority=a", "400 a pseudo-field that is there twice" },
		{ GET "|x=y|:path=/", "400 a pseudo-field behind other fields" },
		{ ":method=GET|:scheme=http|:path=/|x=y|:authority=a",
		  "400 a pseudo-field behind other fields" },
		{ GET "|:status=200", OF_OTHERS },
		{ GET "|:other=1", OF_OTHERS },
		{ GET "|:=1", OF_OTHERS },
		{ GET "|:Path=/", OF_OTHERS },
		{ ":scheme=http|:path=/|:authority=a", "400 no method" },
		{ ":method=|:scheme=http|:path=/|:authority=a", "400 no method" },
		{ ":method=G T|:scheme=http|:path=/|:authority=a",
		  "answer 400 a method that is none" },
		{ ":method=PRI|:scheme=http|:path=*|:authority=a",
		  "answer 400 a method that is none" },
		{ ":method=PRI|:scheme=http|:path=/|:authority=a",
		  "answer 400 a method that is none" },
		{ ":method=GET|:path=/|:authority=a", "400 no scheme, or no path" },
		{ ":method=GET|:scheme=h:/?|:path=/|:authority=a",
		  "answer 400 malformed scheme" },
		{ ":method=GET|:scheme=|:path=/|:authority=a",
		  "answer 400 malformed scheme" },
		{ ":method=GET|:scheme=1x|:path=/|:authority=a",
		  "answer 400 malformed scheme" },
		{ ":method=GET|:scheme=ht tp|:path=/|:authority=a",
		  "answer 400 malformed scheme" },
		{ ":method=GET|:scheme=http|:authority=a", "400 no scheme, or no path" },
	};

	(void)state;
	bodiless = true;
	check_rows(rows, ARRAY_LEN(rows), request);
}

static void paths(void **state)
{
#define PATH(path) ":method=GET|:scheme=http|:authority=a|:path=" path
#define BAD_PATH "400 malformed path"
	static const struct row rows[] = {
		{ PATH("/a|x=y"), "GET /a|host=a|x=y| none" },
		{ PATH("//b"), "GET //b|host=a| none" },
		{ PATH("/{\"}"), "GET /{\"}|host=a| none" },
		{ PATH(""), BAD_PATH },
		{ PATH("*"), "answer " BAD_PATH },
		{ PATH("x"), BAD_PATH },
		{ PATH("?x"), BAD_PATH },
		{ PATH("http://a/"), BAD_PATH },
		{ PATH("/ x"), BAD_PATH },
		{ PATH("/x#y"), BAD_PATH },
		{ PATH("/\t"), "answer 400 a character that a value must not have" },
		{ PATH("/\x7f"), "answer 400 a character that a value must not have" },
		{ PATH("/\r\nx"), "400 a character that a value must not have" },
		{ PATH("/\xc3\xa4"), "answer " BAD_PATH },
		{ PATH(" /"), "answer 400 a character that a value must not have" },
		{ PATH("/ "), "answer 400 a character that a value must not have" },
	};

	(void)state;
	bodiless = true;
	check_rows(rows, ARRAY_LEN(rows), request);
}

static void hosts(void **state)
{
#define TO ":method=GET|:path=/|:scheme=http"
	static const struct row rows[] = {
		{ TO "|host=b", "GET /|host=b| none" },
		{ TO "|x=y|host=b", "GET /|x=y|host=b| none" },
		{ TO "|:authority=a|host=a", "GET /|host=a| none" },
		{ TO "|:authority=A.b|x=y|host=a.B:80", "GET /|host=A.b|x=y| none" },
		{ TO "|:authority=[::1]:8080", "GET /|host=[::1]:8080| none" },
		{ TO "|:authority=a|host=a:8080", "answer 400 Host differs from the authority" },
		{ TO "|:authority=a|host=b", "answer 400 Host differs from the authority" },
		{ ":method=GET|:path=/|:scheme=https|:authority=a|host=a:80",
		  "answer 400 Host differs from the authority" },
		{ ":method=GET|:path=/|:scheme=https|:authority=a:443|host=a",
		  "GET /|host=a| none" },
		{ TO "|:authority=a|host=a|host=a", "answer 400 more than one Host" },
		{ TO, "GET /|host=| none" },
		{ TO "|:authority=[::1]:80", "GET /|host=[::1]| none" },
		{ TO "|:authority=a:443", "GET /|host=a:443| none" },
		{ TO "|:authority=a:8", "GET /|host=a:8| none" },
		{ TO "|:authority=", "answer 400 malformed authority" },
		{ TO "|:authority=|host=a", "answer 400 malformed authority" },
		{ TO "|host=", "answer 400 malformed Host" },
		{ TO "|:authority=u@a", "answer 400 malformed authority" },
		{ TO "|:authority=a,b", "answer 400 malformed authority" },
		{ TO "|:authority=a#b", "answer 400 malformed authority" },
		{ TO "|:authority=a/b", "answer 400 malformed authority" },
		{ TO "|:authority=a b", "answer 400 malformed authority" },
		{ TO "|:authority=a:99999", "answer 400 malformed authority" },
		{ TO "|:authority=:80", "answer 400 malformed authority" },
		{ TO "|:authority=a|host=a,b", "answer 400 malformed Host" },
		{ TO "|host=u@a", "answer 400 malformed Host" },
	};

	(void)state;
	bodiless = true;
	check_rows(rows, ARRAY_LEN(rows), request);
}

static void names_and_values(void **state)
{
#define BAD_NAME "400 a character that a field's name must not have"
#define BAD_VALUE "400 a character that a value must not have"
	static const struct row rows[] = {
		{ GET "|a!#$%&'*+-.^_`~9=\xff \t x",
		  "GET /|host=a|a!#$%&'*+-.^_`~9=\xff \t x| none" },
		{ GET "|x=", "GET /|host=a|x=| none" },
		{ GET "|X=y", BAD_NAME },
		{ GET "|xY=y", BAD_NAME },
		{ GET "|x y=z", BAD_NAME },
		{ GET "|x =z", BAD_NAME },
		{ GET "|x\t=z", BAD_NAME },
		{ GET "|x:y=z", BAD_NAME },
		{ GET "|x\r\ny=z", BAD_NAME },
		{ GET "|x\x7f=z", BAD_NAME },
		{ GET "|x\xe4=z", BAD_NAME },
		{ GET "|x(=z", BAD_NAME },
		{ GET "|x=a\rb", BAD_VALUE },
		{ GET "|x=a\nb", BAD_VALUE },
		{ GET "|x=a\r\nb: c", BAD_VALUE },
		{ GET "|x=a\x1f", "answer " BAD_VALUE },
		{ GET "|x=a\x7f", "answer " BAD_VALUE },
		{ GET "|x= a", "answer " BAD_VALUE },
		{ GET "|x=a ", "answer " BAD_VALUE },
		{ GET "|x=\ta", "answer " BAD_VALUE },
		{ GET "|x=a\t", "answer " BAD_VALUE },
		{ GET "|x= ", "answer " BAD_VALUE },
	};

	(void)state;
	bodiless = true;
	check_rows(rows, ARRAY_LEN(rows), request);
}

/* Neither names nor values may have a NUL, and a name has at least a byte. */
static void nul_and_nothing(void **state)
{
	static const struct { struct span name, value; const char *expected; } rows[] = {
		{ { "a\0b", 3 }, { "c", 1 }, BAD_NAME },
		{ { "", 0 }, { "c", 1 }, BAD_NAME },
		{ { "a", 1 }, { "c\0d", 3 }, BAD_VALUE },
		{ { "a", 1 }, { "\0", 1 }, BAD_VALUE },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		read_list(GET, 100);
		fields[list.count] = (struct field){ .name = rows[i].name,
						     .value = { memory + list.used,
								rows[i].value.len } };
		memcpy(memory + list.used, rows[i].value.ptr, rows[i].value.len);
		list.used += rows[i].value.len;
		list.count++;
		assert_string_equal(outcome(h2_request(&list, true, (struct span){ NULL, 0 }, &msg,
						       &error)), rows[i].expected);
	}
}

static void fields_of_connections(void **state)
{
#define OF_HTTP1 "400 a field of HTTP/1 connections"
	static const struct row rows[] = {
		{ GET "|connection=close", OF_HTTP1 },
		{ GET "|connection=", OF_HTTP1 },
		{ GET "|keep-alive=5", OF_HTTP1 },
		{ GET "|proxy-connection=close", OF_HTTP1 },
		{ GET "|transfer-encoding=chunked", OF_HTTP1 },
		{ GET "|transfer-encoding=identity", OF_HTTP1 },
		{ GET "|upgrade=websocket", OF_HTTP1 },
		{ GET "|te=trailers", "GET /|host=a|te=trailers| none" },
		{ GET "|te=gzip", "400 TE says more than trailers" },
		{ GET "|te=trailers, gzip", "400 TE says more than trailers" },
		{ GET "|te=", "400 TE says more than trailers" },
	};

	(void)state;
	bodiless = true;
	check_rows(rows, ARRAY_LEN(rows), request);
	request(GET "|te=trailers");
	assert_true(msg.flags & MSG_HOPS && msg.fields[1].hop);
}

static void cookies_are_joined(void **state)
{
	static const struct row rows[] = {
		{ GET "|cookie=a=1", "GET /|host=a|cookie=a=1| none" },
		{ GET "|cookie=a=1|x=y|cookie=b=2|z=w|cookie=c",
		  "GET /|host=a|cookie=a=1; b=2; c|x=y|z=w| none" },
		{ GET "|x=y|cookie=|cookie=", "GET /|host=a|x=y|cookie=; | none" },
	};
	size_t room;

	(void)state;
	bodiless = true;
	check_rows(rows, ARRAY_LEN(rows), request);
	for (room = 0; room < 20; room++) {
		read_list(GET "|cookie=abc|cookie=def", room);
		outcome(h2_request(&list, true, (struct span){ NULL, 0 }, &msg, &error));
		if (room < 3 + 2 + 3 + 2 - 2)
			assert_string_equal(error.text, "the head is too long");
	}
	assert_string_equal(said, "GET /|host=a|cookie=abc; def| none");
}

static void lengths_of_requests(void **state)
{
#define POST ":method=POST|:scheme=http|:path=/|:authority=a"
#define NO_NUMBER "400 Content-Length is not a number, or too large"
	static const struct row with_body[] = {
		{ POST, "POST /|host=a| chunked" },
		{ POST "|content-length=5", "POST /|host=a|content-length=5| length 5" },
		{ POST "|content-length=0", "POST /|host=a|content-length=0| none" },
		{ POST "|content-length=5|content-length=5", "POST /|host=a|content-length=5| length 5" },
		{ POST "|content-length=5|a=b|content-length=05|content-length=5, 5",
		  "POST /|host=a|content-length=5|a=b| length 5" },
		{ POST "|content-length=5|content-length=6", "400 Content-Lengths that differ" },
		{ POST "|content-length=5, 6", "400 Content-Lengths that differ" },
		{ POST "|content-length=5|content-length=", "400 Content-Length is empty" },
		{ POST "|content-length=5,", "400 Content-Length is empty" },
		{ POST "|content-length=5;", NO_NUMBER },
		{ POST "|content-length=5, +5", NO_NUMBER },
		{ POST "|content-length=", "400 Content-Length is empty" },
		{ POST "|content-length=5,5", "POST /|host=a|content-length=5| length 5" },
		{ POST "|content-length=05 ,\t5, 5", "POST /|host=a|content-length=05| length 5" },
		{ POST "|content-length=+5", NO_NUMBER },
		{ POST "|content-length=-1", NO_NUMBER },
		{ POST "|content-length=0x5", NO_NUMBER },
		{ POST "|content-length=5 5", NO_NUMBER },
		{ POST "|content-length=9223372036854775808", NO_NUMBER },
		{ POST "|content-length=99999999999999999999", NO_NUMBER },
	};
	static const struct row without[] = {
		{ POST, "POST /|host=a| none" },
		{ POST "|content-length=0", "POST /|host=a|content-length=0| none" },
		{ POST "|content-length=5", "400 Content-Length without a body" },
	};

	(void)state;
	bodiless = false;
	check_rows(with_body, ARRAY_LEN(with_body), request);
	request(POST "|content-length=9223372036854775807");
	assert_int_equal(msg.length, INT64_MAX);
	bodiless = true;
	check_rows(without, ARRAY_LEN(without), request);
}

static void bodies_are_counted(void **state)
{
	uint64_t left;

	(void)state;
	bodiless = false;
	request(POST "|content-length=5");
	left = h2_body_expected(&msg);
	assert_true(h2_body_came(&left, 3, false));
	assert_false(h2_body_came(&(uint64_t){ left }, 3, false));
	assert_false(h2_body_came(&(uint64_t){ left }, 1, true));
	assert_true(h2_body_came(&left, 2, false));
	assert_true(h2_body_came(&left, 0, true)); /* an empty last frame */
	assert_false(h2_body_came(&left, 1, true));
	request(POST);
	left = h2_body_expected(&msg);
	assert_true(h2_body_came(&left, SIZE_MAX, true));
	request(POST "|content-length=0");
	assert_int_equal(h2_body_expected(&msg), 0);
	bodiless = true;
	request(GET);
	assert_int_equal(h2_body_expected(&msg), 0);
}

static void connect(void **state)
{
#define CONNECT ":method=CONNECT|:authority=a:443"
	static const struct row rows[] = {
		{ CONNECT, "CONNECT a:443|host=a:443| none" },
		{ CONNECT "|host=a", "answer 400 Host differs from the authority" },
		{ CONNECT "|content-length=5", "400 Content-Length without a body" },
		{ CONNECT "|:scheme=http", "400 CONNECT with a scheme or a path" },
		{ CONNECT "|:path=/", "400 CONNECT with a scheme or a path" },
		{ ":method=CONNECT|:authority=a", "answer 400 CONNECT without a port" },
		{ ":method=CONNECT|:authority=u@a:1", "answer 400 malformed authority" },
		{ ":method=CONNECT|host=a:443", "400 CONNECT without a host" },
	};

	(void)state;
	bodiless = false;
	check_rows(rows, ARRAY_LEN(rows), request);
	request(CONNECT);
	assert_int_equal(h2_body_expected(&msg), UINT64_MAX);
}

static void extended_connect(void **state)
{
#define EXTENDED ":method=CONNECT|:scheme=https|:path=/chat|:authority=a|:protocol="
	static const struct row rows[] = {
		{ EXTENDED "websocket|sec-websocket-version=13",
		  "GET /chat|host=a|connection=Upgrade|upgrade=websocket|sec-websocket-key=KEY|"
		  "sec-websocket-version=13| none" },
		{ EXTENDED "websocket|sec-websocket-key=theirs|x=y",
		  "GET /chat|host=a|connection=Upgrade|upgrade=websocket|sec-websocket-key=KEY|"
		  "x=y| none" },
		{ EXTENDED "WebSocket",
		  "GET /chat|host=a|connection=Upgrade|upgrade=WebSocket|sec-websocket-key=KEY| none" },
		{ EXTENDED "Custom/1.0|sec-websocket-key=theirs",
		  "GET /chat|host=a|connection=Upgrade|upgrade=Custom/1.0|"
		  "sec-websocket-key=theirs| none" },
		{ EXTENDED "h2c", "answer 400 a protocol of the connection itself" },
		{ EXTENDED "TLS/1.2", "answer 400 a protocol of the connection itself" },
		{ EXTENDED, "answer 400 a protocol that is no name of one" },
		{ EXTENDED "a,b", "answer 400 a protocol that is no name of one" },
		{ EXTENDED "a/", "answer 400 a protocol that is no name of one" },
		{ EXTENDED "/a", "answer 400 a protocol that is no name of one" },
		{ EXTENDED "a/b/c", "answer 400 a protocol that is no name of one" },
		{ ":method=GET|:scheme=https|:path=/|:authority=a|:protocol=websocket",
		  "400 a protocol that was not asked for" },
		{ ":method=CONNECT|:scheme=https|:path=/|host=a|:protocol=websocket",
		  "400 CONNECT with a scheme or a path" },
		{ ":method=CONNECT|:scheme=https|:path=/|:protocol=websocket|host=a",
		  "400 CONNECT without a host" },
		{ ":method=CONNECT|:path=/|:authority=a|:protocol=websocket",
		  "400 no scheme, or no path" },
		{ ":method=CONNECT|:scheme=http|:authority=a|:protocol=websocket",
		  "400 no scheme, or no path" },
	};

	(void)state;
	bodiless = false;
	tunnels = true;
	check_rows(rows, ARRAY_LEN(rows), request);
	request(EXTENDED "websocket");
	assert_true(msg.flags & MSG_UPGRADE && msg.flags & MSG_HOPS);
	assert_int_equal(msg.method, METHOD_GET);
	assert_int_equal(h2_body_expected(&msg), UINT64_MAX);
	tunnels = false;
	assert_string_equal(request(EXTENDED "websocket"), "400 a protocol that was not asked for");
}

/* ---- responses ---- */

static enum method asked = METHOD_GET;

static const char *response(const char *text)
{
	read_list(text, 100);
	return outcome(h2_response(&list, bodiless, asked, &msg, &error));
}

static void statuses(void **state)
{
#define NO_STATUS "502 no status, or one that is no number of three digits"
	static const struct row rows[] = {
		{ ":status=200|x=y", "200|x=y| chunked" },
		{ ":status=999", "999| chunked" },
		{ ":status=100", "100| none" },
		{ ":status=103|link=x", "103|link=x| none" },
		{ ":status=204", "204| none" },
		{ ":status=304|content-length=5", "304|content-length=5| none" },
		{ ":status=200|content-length=5", "200|content-length=5| length 5" },
		{ ":status=204|content-length=5", "204| none" },
		{ ":status=103|content-length=5", "103| none" },
		{ ":status=200|set-cookie=a|set-cookie=b",
		  "200|set-cookie=a|set-cookie=b| chunked" },
		{ ":status=200|cookie=a|cookie=b", "200|cookie=a|cookie=b| chunked" },
		{ ":status=101", "502 a status that does not exist" },
		{ "x=y", NO_STATUS },
		{ ":status=", NO_STATUS },
		{ ":status=20", NO_STATUS },
		{ ":status=2000", NO_STATUS },
		{ ":status=099", NO_STATUS },
		{ ":status=20x", NO_STATUS },
		{ ":status=200|:status=200", "502 a pseudo-field that is there twice" },
		{ ":status=200|:path=/", "502 a pseudo-field that such a message does not have" },
		{ ":status=200|X=y", "502 a character that a field's name must not have" },
		{ ":status=200|x=a\nb", "502 a character that a value must not have" },
		{ ":status=200|transfer-encoding=chunked", "502 a field of HTTP/1 connections" },
		{ ":status=200|connection=close", "502 a field of HTTP/1 connections" },
		{ ":status=200|content-length=1|content-length=1", "200|content-length=1| length 1" },
		{ ":status=200|content-length=1,1", "200|content-length=1| length 1" },
		{ ":status=204|content-length=1|content-length=1", "204| none" },
		{ ":status=200|content-length=1|content-length=2", "502 Content-Lengths that differ" },
	};
	static const struct row without[] = {
		{ ":status=200", "200| none" },
		{ ":status=200|content-length=0", "200|content-length=0| none" },
		{ ":status=200|content-length=5", "502 Content-Length without a body" },
		{ ":status=304|content-length=5", "304|content-length=5| none" },
		{ ":status=100", "502 an interim response that ends the stream" },
	};

	(void)state;
	bodiless = false;
	check_rows(rows, ARRAY_LEN(rows), response);
	response(":status=103");
	assert_true(msg.flags & MSG_INTERIM);
	bodiless = true;
	check_rows(without, ARRAY_LEN(without), response);
}

static void responses_to_head_and_connect(void **state)
{
	(void)state;
	asked = METHOD_HEAD;
	bodiless = true;
	assert_string_equal(response(":status=200|content-length=5"), "200|content-length=5| none");
	bodiless = false;
	assert_string_equal(response(":status=200|content-length=5"), "200|content-length=5| none");
	assert_int_equal(h2_body_expected(&msg), 0);
	asked = METHOD_CONNECT;
	assert_string_equal(response(":status=200|content-length=5"), "200| tunnel");
	assert_int_equal(h2_body_expected(&msg), UINT64_MAX);
	assert_string_equal(response(":status=403|content-length=5"),
			    "403|content-length=5| length 5");
	asked = METHOD_GET;
}

/* ---- trailers ---- */

static const char *trailers(const char *text)
{
	size_t len;

	read_list(text, 0);
	if (h2_trailers(&list, &error) != H2_HEAD_GOOD)
		return error.text;
	len = h2_trailer_lines(&list, said, sizeof(said) - 1);
	said[len] = 0;
	return said;
}

static void trailers_are_lines(void **state)
{
#define NOT_ALLOWED "a trailer field that is not allowed"
	static const struct row rows[] = {
		{ "grpc-status=0|grpc-message=", "grpc-status: 0\r\ngrpc-message: \r\n\r\n" },
		{ "", "\r\n" },
		{ ":status=200", NOT_ALLOWED },
		{ "x=y|:path=/", NOT_ALLOWED },
		{ "X=y", NOT_ALLOWED },
		{ "x=a\nb", NOT_ALLOWED },
		{ "x= a", NOT_ALLOWED },
		{ "content-length=1", NOT_ALLOWED },
		{ "transfer-encoding=chunked", NOT_ALLOWED },
		{ "host=a", NOT_ALLOWED },
		{ "connection=close", NOT_ALLOWED },
		{ "te=trailers", NOT_ALLOWED },
		{ "upgrade=x", NOT_ALLOWED },
	};
	char little[24];
	size_t room;

	(void)state;
	check_rows(rows, ARRAY_LEN(rows), trailers);
	read_list("abc=de|f=ghi", 0);
	for (room = 0; room < sizeof(little); room++)
		assert_int_equal(h2_trailer_lines(&list, little, room), room < 19 ? 0 : 19);
}

/* ---- back ---- */

static const char *written(const struct hpack_writer *w, char *block)
{
	struct field_table none;
	struct text t;
	unsigned i;

	text_init(&t, said, sizeof(said));
	if (w->full)
		return "full";
	field_table_init(&none, 0);
	free(memory);
	memory = malloc(ROOM);
	list = (struct hpack_fields){ .fields = fields, .max = FIELDS, .memory = memory,
				      .room = ROOM, .limit = ROOM };
	assert_int_equal(hpack_read(&none, (struct span){ block, (size_t)(w->at - block) }, &list),
			 HPACK_OK);
	for (i = 0; i < list.count; i++)
		text_printf(&t, "%s%.*s=%.*s", i ? "|" : "", (int)fields[i].name.len,
			    fields[i].name.ptr, (int)fields[i].value.len, fields[i].value.ptr);
	return said;
}

/* The message: its start line, then fields, with a bar between. */
static void make(const char *start, const char *text, struct field *to)
{
	const char *blank = strchr(start, ' ');

	message_init(&msg, !blank, to, FIELDS);
	if (blank) {
		msg.method_text = (struct span){ start, (size_t)(blank - start) };
		msg.method = (uint8_t)method_find(msg.method_text);
		msg.target = span_of(blank + 1);
	} else {
		msg.status = (uint16_t)atoi(start);
	}
	while (*text) {
		size_t len = strcspn(text, "|"), name = strcspn(text, "=");

		to[msg.count] = (struct field){ .name = { text, name },
						.value = { text + name + 1, len - name - 1 } };
		to[msg.count].id = (uint8_t)field_id(to[msg.count].name);
		msg.count++;
		text += len + (text[len] == '|');
	}
}

static void messages_leave(void **state)
{
	static const struct {
		const char *start, *fields;
		unsigned flags;
		const char *expected;
	} rows[] = {
		{ "GET /x", "Host=a|Accept=b", 0,
		  ":method=GET|:scheme=https|:path=/x|:authority=a|accept=b" },
		{ "GET http://b/x?y", "host=a|X-Y=", 0,
		  ":method=GET|:scheme=https|:path=/x?y|:authority=a|x-y=" },
		{ "GET http://b", "", 0, ":method=GET|:scheme=https|:path=/|:authority=b" },
		{ "OPTIONS http://b", "", 0, ":method=OPTIONS|:scheme=https|:path=*|:authority=b" },
		{ "OPTIONS *", "host=a", 0, ":method=OPTIONS|:scheme=https|:path=*|:authority=a" },
		{ "GET /", "", 0, ":method=GET|:scheme=https|:path=/" },
		{ "CONNECT a:1", "host=a:1", 0, ":method=CONNECT|:authority=a:1" },
		{ "GET /", "host=a|connection=x|keep-alive=1|proxy-connection=y|upgrade=z|"
			   "transfer-encoding=chunked|http2-settings=s|te=gzip|x=y", 0,
		  ":method=GET|:scheme=https|:path=/|:authority=a|x=y" },
		{ "GET /", "host=a|te=gzip, trailers", 0,
		  ":method=GET|:scheme=https|:path=/|:authority=a|te=trailers" },
		{ "GET /", "host=a\r\nb|x=\r\n1\r\n2\t|a b=c|y=z", 0,
		  ":method=GET|:scheme=https|:path=/|:authority=a  b|x=1  2|y=z" },
		{ "GET /c", "host=a|connection=upgrade|upgrade=websocket|Sec-WebSocket-Key=k|"
			    "sec-websocket-version=13", MSG_UPGRADE,
		  ":method=CONNECT|:scheme=https|:path=/c|:authority=a|:protocol=websocket|"
		  "sec-websocket-version=13" },
		{ "GET /c", "host=a|connection=upgrade|upgrade=foo", MSG_UPGRADE,
		  ":method=CONNECT|:scheme=https|:path=/c|:authority=a|:protocol=foo" },
		{ "GET /c", "host=a|upgrade= foo/2, bar|sec-websocket-key=k", MSG_UPGRADE,
		  ":method=CONNECT|:scheme=https|:path=/c|:authority=a|:protocol=foo/2|"
		  "sec-websocket-key=k" },
		{ "GET /c", "host=a|upgrade=foo, WebSocket|sec-websocket-key=k", MSG_UPGRADE,
		  ":method=CONNECT|:scheme=https|:path=/c|:authority=a|:protocol=websocket" },
		{ "GET /c", "host=a|connection=upgrade|upgrade=foo", 0,
		  ":method=GET|:scheme=https|:path=/c|:authority=a" },
		{ "GET /c", "host=a|upgrade=f(o", MSG_UPGRADE,
		  ":method=GET|:scheme=https|:path=/c|:authority=a" },
		{ "DELETE /c", "host=a|upgrade=foo", MSG_UPGRADE,
		  ":method=DELETE|:scheme=https|:path=/c|:authority=a" },
		{ "G(T /", "host=a", 0, "full" },
		{ "GET /a b", "host=a", 0, "full" },
		{ "GET /a\r\nb", "host=a", 0, "full" },
		{ "200", "Content-Type=a|Connection=close|Transfer-Encoding=chunked|host=b", 0,
		  ":status=200|content-type=a|host=b" },
		{ "418", "set-cookie=a|set-cookie=b", 0, ":status=418|set-cookie=a|set-cookie=b" },
		{ "101", "connection=upgrade|upgrade=websocket|sec-websocket-accept=x|y=z", 0,
		  ":status=200|y=z" },
	};
	struct field given[FIELDS];
	char block[ROOM];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		struct hpack_writer w = { block, block + sizeof(block), false };
		const char *is;

		make(rows[i].start, rows[i].fields, given);
		msg.flags |= (uint16_t)rows[i].flags;
		if (msg.is_response)
			h2_write_response(&w, &msg);
		else
			h2_write_request(&w, &msg, span_of("https"));
		is = written(&w, block);
		if (strcmp(is, rows[i].expected))
			fail_msg("%s: %s, not %s", rows[i].start, is, rows[i].expected);
	}
}

static void a_head_that_does_not_fit(void **state)
{
	struct field given[FIELDS];
	size_t room;

	(void)state;
	make("GET /0123456789012345678901234567890123456789", "host=a|x=y|deleted=z", given);
	message_delete_field(&msg, &given[2]);
	for (room = 0; room <= 80; room++) {
		char *memory_of_room = malloc(room ? room : 1);
		struct hpack_writer w = { memory_of_room, memory_of_room + room, false };

		h2_write_request(&w, &msg, span_of("http"));
		assert_true(w.at <= w.end);
		if (!w.full)
			assert_string_equal(written(&w, memory_of_room),
					    ":method=GET|:scheme=http|:path="
					    "/0123456789012345678901234567890123456789|"
					    ":authority=a|x=y");
		free(memory_of_room);
		assert_true(w.full || room >= 53);
	}
	assert_string_equal(said, ":method=GET|:scheme=http|:path="
				  "/0123456789012345678901234567890123456789|:authority=a|x=y");
}

static void trailers_leave(void **state)
{
	char block[ROOM];
	struct hpack_writer w = { block, block + sizeof(block), false };

	(void)state;
	h2_write_trailers(&w, span_of("Grpc-Status: 0\r\nX:\t y \r\nTE: trailers\r\n"
				      "content-length: 5\r\nConnection: close\r\n\r\n"));
	assert_string_equal(written(&w, block), "grpc-status=0|x=y");
	w = (struct hpack_writer){ block, block + sizeof(block), false };
	h2_write_trailers(&w, span_of("\r\n"));
	assert_string_equal(written(&w, block), "");
}

static int forget(void **state)
{
	(void)state;
	free(memory);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pseudo_fields),
		cmocka_unit_test(paths),
		cmocka_unit_test(hosts),
		cmocka_unit_test(names_and_values),
		cmocka_unit_test(nul_and_nothing),
		cmocka_unit_test(fields_of_connections),
		cmocka_unit_test(cookies_are_joined),
		cmocka_unit_test(lengths_of_requests),
		cmocka_unit_test(bodies_are_counted),
		cmocka_unit_test(connect),
		cmocka_unit_test(extended_connect),
		cmocka_unit_test(statuses),
		cmocka_unit_test(responses_to_head_and_connect),
		cmocka_unit_test(trailers_are_lines),
		cmocka_unit_test(messages_leave),
		cmocka_unit_test(a_head_that_does_not_fit),
		cmocka_unit_test(trailers_leave),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
